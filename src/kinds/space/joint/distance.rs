//! Distance joint: a massless rigid rod between two points.
//!
//! (1)  0 = |d| - length,   d = p_b - p_a;   gradient along d / |d|
//!
//! (1) has no flipped branch: d ends on a sphere, which is connected.
//!
//! Reaction: the force on body b along d / |d|, positive when the rod pushes, negative when it pulls; body a gets the
//! opposite.

use super::{Description, JointKind, JointRows, Mounts};
use crate::kinds::joint::DISTANCE;
use crate::kinds::space::{Pose, distance};
use crate::math::{Real, Vec3};

/// Rod between two anchors.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// On the first body, m.
    pub anchor_a: Vec3,
    /// On the second body, m.
    pub anchor_b: Vec3,
    /// m, positive.
    pub length: f64,
}

impl JointKind for Distance {
    const DESCRIPTION: Description = DISTANCE;

    fn new(at: &Mounts, given: &[Option<f64>]) -> Self {
        Self {
            anchor_a: at.a.anchor,
            anchor_b: at.b.anchor,
            length: given.first().copied().flatten().unwrap_or(at.distance),
        }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let (distance, row) = distance((a, self.anchor_a), (b, self.anchor_b));
        JointRows::of([(distance - T::constant(self.length), row)]) // (1)
    }

    fn attachment(&self) -> [Vec3; 2] {
        [self.anchor_a, self.anchor_b]
    }

    fn values(&self) -> Vec<f64> {
        vec![self.length]
    }
}
