//! A force that another model exerts along a joint coordinate, or along a fixed direction at a point of the second body; its
//! law is that in the plane.
//!
//! (1)  y = axis . Ra^T (p_b + R_b r - p_a),   axis in the axes of the first body, which is the ground;   derivatives in along.rs

use super::along::{self, JointCoordinate, Push, Scalar, value_and_rate};
use super::{Coordinate, Detail, Effect, ForceKind, Situation, Sloped, flat};
use crate::kinds::force::{Number, Tunable};
use crate::kinds::plane::force::{FlangeLaw, Hold};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3, cross3, dot3};

/// A flange.
#[derive(Clone, Debug, PartialEq)]
pub struct Flange {
    /// Where its partner is attached.
    pub at: Hold<Vec3>,
    /// Its force.
    pub law: FlangeLaw,
}

enum FlangeScalar<'a> {
    Joint(JointCoordinate<'a>),
    Point { point: Vec3, axis: Vec3 },
}

impl Scalar for FlangeScalar<'_> {
    fn at<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        match self {
            Self::Joint(coordinate) => coordinate.at(a, b),
            Self::Point { point, axis } => {
                let (axis, arm) = (a.turn(*axis), b.turn(*point));
                let d = b.position + arm - a.position; // (1)
                let mut row = Row::zero();
                let turned = [(a, -axis, cross3(axis, d)), (b, axis, cross3(arm, axis))];
                for ((pose, linear, moment), side) in
                    turned.into_iter().zip([&mut row.a, &mut row.b])
                {
                    side[..3].copy_from_slice(linear.as_slice());
                    side[3..].copy_from_slice(pose.turn_back(moment).as_slice());
                }
                (dot3(axis, d), row)
            }
        }
    }

    fn is_angle(&self) -> bool {
        match self {
            Self::Joint(coordinate) => coordinate.is_angle(),
            Self::Point { .. } => false,
        }
    }
}

fn scalar<'a>(hold: &Hold<Vec3>, at: &Situation<'a>) -> Option<FlangeScalar<'a>> {
    match *hold {
        Hold::Joint(index) => JointCoordinate::of(at, index).map(FlangeScalar::Joint),
        Hold::Point { point, axis } => Some(FlangeScalar::Point { point, axis }),
    }
}

/// The coordinate of a flange.
pub fn coordinate(hold: &Hold<Vec3>, at: &Situation) -> Option<Coordinate> {
    let (value, row) = scalar(hold, at)?.at(at.pose[0], at.pose[1]);
    Some(Coordinate {
        value,
        rate: row.rate(at.twist[0], at.twist[1]),
        gradient: flat(&row),
    })
}

impl Flange {
    fn scalar<'a>(&self, at: &Situation<'a>) -> Option<FlangeScalar<'a>> {
        scalar(&self.at, at)
    }

    fn push(&self, at: &Situation, now: [f64; 2]) -> Push {
        self.law.effort(now, at.time, at.inputs).into()
    }

    fn now(&self, at: &Situation) -> Option<(Push, f64)> {
        let (value, rate) = value_and_rate(&self.scalar(at)?, at);
        Some((self.push(at, [value, rate]), rate))
    }
}

impl Tunable for Flange {
    fn numbers(&self) -> &'static [Number] {
        self.law.numbers()
    }

    fn number(&self, index: usize) -> Option<f64> {
        self.law.number(index)
    }

    fn number_mut(&mut self, index: usize) -> Option<&mut f64> {
        self.law.number_mut(index)
    }

    fn coordinate(&self) -> usize {
        match self.at {
            Hold::Joint(index) => index,
            Hold::Point { .. } => 0,
        }
    }
}

impl ForceKind for Flange {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |value, rate| {
                self.push(at, [value, rate])
            })
        })
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        if let Some(scalar) = self.scalar(at) {
            take(along::sloped(&scalar, at, |value, rate| {
                self.push(at, [value, rate])
            }));
        }
    }

    fn dissipates(&self) -> bool {
        self.law.dissipates()
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.now(at).map_or(0.0, |(push, rate)| -push.fading * rate)
    }

    fn is_given(&self) -> bool {
        true
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.now(at).map_or(0.0, |(push, rate)| push.held * rate)
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.now(at).map_or(0.0, |(push, _)| push.total())
    }

    fn driven_coordinate(&self, at: &Situation) -> Option<Coordinate> {
        coordinate(&self.at, at)
    }
}
