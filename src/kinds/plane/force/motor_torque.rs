//! A given torque or force along the coordinate of a joint, with its reaction on the first body.
//!
//! (1)  force = signal(t) g,   g = gradient of the coordinate;   derivatives in along.rs

use super::along::{bend, coordinate};
use super::{Detail, Effect, ForceKind, PAIR_DOF, Signal, Situation, flat, power};
use crate::kinds::force::tunable;

/// Motor of a given torque or force.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorTorque {
    /// N m or N, on the second body.
    pub torque: Signal,
}

tunable! { MotorTorque {} }

impl ForceKind for MotorTorque {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let push = self.coordinate_force(at);
        let gradient = coordinate(at).map_or([0.0; PAIR_DOF], |(_, row)| flat(&row));
        Effect {
            force: gradient.map(|g| push * g), // (1)
            bending: match detail {
                Detail::Stiff => None,
                Detail::All => bend(at, &gradient, [push, 0.0, 0.0]),
            },
            ..Effect::default()
        }
    }

    fn is_given(&self) -> bool {
        true
    }

    fn signals(&self) -> [&[Signal]; 2] {
        [std::slice::from_ref(&self.torque), &[]]
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        power(&self.effect(at, Detail::Stiff).force, at)
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.torque.value(at.time, at.side, at.inputs)
    }
}
