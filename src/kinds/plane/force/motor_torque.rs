//! A given torque or force along the coordinate of a joint, with its reaction on the first body.
//!
//! (1)  force = signal(t) g,   g = gradient of the coordinate;   derivatives in along.rs

use super::along::{bend, coordinate};
use super::{Detail, Effect, PAIR_DOF, PairVector, Signal, Situation, flat, power};

/// Motor of a given torque or force.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorTorque {
    /// N m or N, on the second body.
    pub torque: Signal,
}

impl MotorTorque {
    /// Current value of the signal, N m or N.
    pub(super) fn push(&self, at: &Situation) -> f64 {
        self.torque.value(at.time, at.side, at.inputs)
    }

    /// The force on both bodies.
    pub(super) fn force(&self, at: &Situation) -> PairVector {
        let push = self.push(at);
        let gradient = coordinate(at).map_or([0.0; PAIR_DOF], |(_, row)| flat(&row));
        gradient.map(|g| push * g) // (1)
    }

    pub(super) fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let mut effect = Effect {
            force: self.force(at),
            ..Effect::default()
        };
        if detail == Detail::All {
            effect.bending = bend(at, &[0.0; PAIR_DOF], [self.push(at), 0.0, 0.0]);
        }
        effect
    }

    pub(super) fn power(&self, at: &Situation) -> f64 {
        power(&self.force(at), at)
    }
}
