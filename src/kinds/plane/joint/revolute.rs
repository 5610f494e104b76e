//! Revolute joint: a point of each body coincides.
//!
//! (1)  0 = p_b - p_a,   p = x + R r

use super::JointRows;
use crate::constraint::{Pose, Row};
use crate::math::{Real, Vec2};

/// Anchors in body coordinates, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolute {
    /// On the first body.
    pub anchor_a: Vec2,
    /// On the second body.
    pub anchor_b: Vec2,
}

impl Revolute {
    pub(super) fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let (arm_a, arm_b) = (a.turn(self.anchor_a), b.turn(self.anchor_b));
        let offset = b.position + arm_b - a.position - arm_a; // (1)
        let (x, y) = (
            Vec2::new(T::one(), T::zero()),
            Vec2::new(T::zero(), T::one()),
        );
        JointRows {
            n: 2,
            residual: [offset.x, offset.y, T::zero()],
            rows: [
                Row::relative_velocity(x, arm_a, arm_b),
                Row::relative_velocity(y, arm_a, arm_b),
                Row::zero(),
            ],
        }
    }
}
