//! Spherical joint: a point of each body coincides.
//!
//! (1)  0 = p_b - p_a
//!
//! Reaction: the force on body b at the common point, in world axes; body a gets the opposite.

use super::JointRows;
use super::pair::Pair;
use crate::kinds::space::Pose;
use crate::math::{Real, Vec3};

/// Anchors in body coordinates, m.
#[derive(Clone, Debug, PartialEq)]
pub struct Spherical {
    /// On the first body.
    pub anchor_a: Vec3,
    /// On the second body.
    pub anchor_b: Vec3,
}

impl Spherical {
    pub(super) fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        JointRows::of(Pair::new((a, self.anchor_a), (b, self.anchor_b)).offset()) // (1)
    }
}
