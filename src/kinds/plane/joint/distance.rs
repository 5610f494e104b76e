//! Distance joint: a massless rigid rod between two points.
//!
//! (1)  0 = |d| - length,   d = p_b - p_a;   gradient along d / |d|

use super::{Description, JointKind, JointRows, Mounts};
use crate::constraint::{Pose, Row};
use crate::kinds::joint::DISTANCE;
use crate::kinds::plane::distance;
use crate::math::{Real, Vec2};

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

impl JointKind for Distance {
    const DESCRIPTION: Description = DISTANCE;

    fn new(at: &Mounts, given: &[Option<f64>]) -> Self {
        let [anchor_a, anchor_b] = at.anchors;
        Self {
            anchor_a,
            anchor_b,
            length: given.first().copied().flatten().unwrap_or(at.distance),
        }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let (distance, row) = distance((a, self.anchor_a), (b, self.anchor_b));
        JointRows {
            n: 1,
            residual: [distance - T::constant(self.length), T::zero(), T::zero()], // (1)
            rows: [row, Row::zero(), Row::zero()],
        }
    }

    fn attachment(&self) -> [Vec2; 2] {
        [self.anchor_a, self.anchor_b]
    }

    fn values(&self) -> Vec<f64> {
        vec![self.length]
    }
}
