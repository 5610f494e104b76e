//! Distance joint: a massless rigid rod between two points.
//!
//! (1)  0 = |d| - length,   d = p_b - p_a;   gradient along d / |d|

use super::JointRows;
use crate::constraint::{Pose, Row};
use crate::math::{Real, Vec2, length};

/// Rod between two anchors.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// On the first body, m.
    pub anchor_a: Vec2,
    /// On the second body, m.
    pub anchor_b: Vec2,
    /// m, positive.
    pub length: f64,
}

impl Distance {
    pub(super) fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let (arm_a, arm_b) = (a.turn(self.anchor_a), b.turn(self.anchor_b));
        let d = b.position + arm_b - a.position - arm_a;
        let distance = length(d);
        JointRows {
            n: 1,
            residual: [distance - T::constant(self.length), T::zero(), T::zero()], // (1)
            rows: [
                Row::relative_velocity(d / distance, arm_a, arm_b),
                Row::zero(),
                Row::zero(),
            ],
        }
    }
}
