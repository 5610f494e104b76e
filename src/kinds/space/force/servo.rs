//! PD servo at a coordinate of a joint in space; its law is that in the plane.

use super::along::{self, JointCoordinate, Push, Scalar as _};
use super::{Coordinate, Detail, Effect, ForceKind, Situation, Sloped, flat};
use crate::kinds::force::tunable;
use crate::kinds::plane::force::{Servo as Law, Signal};

/// PD servo.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// Index of the joint's coordinate.
    pub coordinate: usize,
    /// Gains, signals and limit.
    pub law: Law,
}

impl Servo {
    fn scalar<'a>(&self, at: &Situation<'a>) -> Option<JointCoordinate<'a>> {
        JointCoordinate::of(at, self.coordinate)
    }

    fn now(&self, at: &Situation) -> Option<[f64; 2]> {
        let Coordinate { value, rate, .. } = self.driven_coordinate(at)?;
        Some([value, rate])
    }

    fn effort(&self, at: &Situation, [value, rate]: [f64; 2]) -> Push {
        let time = (at.time, at.side);
        self.law.effort([value, rate], time, at.inputs).into()
    }
}

tunable! { Servo { law.kp: KP, law.kd: KD, law.limit: LIMIT } at coordinate }

impl ForceKind for Servo {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |value, rate| {
                self.effort(at, [value, rate])
            })
        })
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        if let Some(scalar) = self.scalar(at) {
            take(along::sloped(&scalar, at, |value, rate| {
                self.effort(at, [value, rate])
            }));
        }
    }

    fn dissipates(&self) -> bool {
        self.law.kd != 0.0
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.now(at)
            .map_or(0.0, |now| -self.effort(at, now).fading * now[1])
    }

    fn is_given(&self) -> bool {
        true
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.now(at)
            .map_or(0.0, |now| self.effort(at, now).held * now[1])
    }

    fn signals(&self) -> [&[Signal]; 2] {
        self.law.followed()
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.now(at).map_or(0.0, |now| self.effort(at, now).total())
    }

    fn driven_coordinate(&self, at: &Situation) -> Option<Coordinate> {
        let (value, row) = self.scalar(at)?.at(at.pose[0], at.pose[1]);
        Some(Coordinate {
            value,
            rate: row.rate(at.twist[0], at.twist[1]),
            gradient: flat(&row),
        })
    }
}
