//! A given torque or force along a coordinate of a joint, with its reaction on the first body.
//!
//! (1)  force = signal(t) along the gradient of the coordinate: the torque about the axis of a revolute joint, the force
//!      along that of a prismatic one;   derivatives in along.rs

use super::along::{self, JointCoordinate, Push, value_and_rate};
use super::{Detail, Effect, ForceKind, Situation};
use crate::kinds::force::tunable;
use crate::kinds::plane::force::Signal;

/// Motor of a given torque or force.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorTorque {
    /// Index of the joint's coordinate.
    pub coordinate: usize,
    /// N m or N, on the second body.
    pub torque: Signal,
}

impl MotorTorque {
    fn scalar<'a>(&self, at: &Situation<'a>) -> Option<JointCoordinate<'a>> {
        JointCoordinate::of(at, self.coordinate)
    }
}

tunable! { MotorTorque {} at coordinate }

impl ForceKind for MotorTorque {
    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.torque.value(at.time, at.side, at.inputs)
    }

    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |_, _| Push {
                held: self.coordinate_force(at), // (1)
                ..Push::default()
            })
        })
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            self.coordinate_force(at) * value_and_rate(&scalar, at).1
        })
    }

    fn is_given(&self) -> bool {
        true
    }

    fn signals(&self) -> [&[Signal]; 2] {
        [std::slice::from_ref(&self.torque), &[]]
    }
}
