//! PD servo at a coordinate of a joint in space; its law is that in the plane.

use super::along::{self, JointCoordinate, Push, value_and_rate};
use super::{Detail, Effect, Situation};
use crate::kinds::plane::force::Servo as Law;

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
        at.joint.map(|joint| JointCoordinate {
            joint,
            index: self.coordinate,
            count: at.count,
        })
    }

    fn effort(&self, at: &Situation, value: f64, rate: f64) -> Push {
        let time = (at.time, at.side);
        let effort = self.law.effort([value, rate], time, at.inputs);
        Push {
            held: effort.held,
            fading: effort.fading,
            by_value: effort.by_value,
            by_rate: effort.by_rate,
        }
    }

    pub(super) fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |value, rate| {
                self.effort(at, value, rate)
            })
        })
    }

    /// Its coordinate and the rate of that.
    pub(super) fn at(&self, at: &Situation) -> Option<[f64; 2]> {
        let (value, rate) = value_and_rate(&self.scalar(at)?, at);
        Some([value, rate])
    }

    pub(super) fn push(&self, at: &Situation) -> f64 {
        self.at(at)
            .map_or(0.0, |[value, rate]| self.effort(at, value, rate).total())
    }

    /// Powers of its applied part, and of its dissipative one.
    pub(super) fn powers(&self, at: &Situation) -> [f64; 2] {
        self.at(at).map_or([0.0; 2], |[value, rate]| {
            let effort = self.effort(at, value, rate);
            [effort.held * rate, -effort.fading * rate]
        })
    }
}
