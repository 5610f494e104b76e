//! Spherical joint: a point of each body coincides.
//!
//! (1)  0 = p_b - p_a
//!
//! Reaction: the force on body b at the common point, in world axes; body a gets the opposite.

use super::pair::Pair;
use super::{Description, JointKind, JointRows, Mounting, Mounts, Sign};
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

impl JointKind for Spherical {
    const DESCRIPTION: Description = Description {
        word: "spherical",
        text: "the anchors coincide; all rotations are free",
        mounting: Mounting::Point,
        parameters: &[],
        rows: &["x", "y", "z"],
        n_forces: 3,
        coordinates: &[],
        sign: Sign::Circle,
    };

    fn new(at: &Mounts, _: &[Option<f64>]) -> Self {
        let [anchor_a, anchor_b] = [at.a.anchor, at.b.anchor];
        Self { anchor_a, anchor_b }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        JointRows::of(Pair::new((a, self.anchor_a), (b, self.anchor_b)).offset()) // (1)
    }

    fn attachment(&self) -> [Vec3; 2] {
        [self.anchor_a, self.anchor_b]
    }
}
