//! Revolute joint: a point of each body coincides.
//!
//! (1)  0 = p_b - p_a,   p = x + R r
//! (2)  coordinate = angle_b - angle_a

use super::{Coordinate, Description, JointKind, JointRows, Mounting, Mounts, Sign};
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

impl JointKind for Revolute {
    const DESCRIPTION: Description = Description {
        word: "revolute",
        text: "the anchors coincide; rotation is free",
        mounting: Mounting::Point,
        parameters: &[],
        rows: &["x", "y"],
        n_forces: 2,
        coordinates: &[Coordinate::angle("limits")],
        sign: Sign::Circle,
    };

    fn new(at: &Mounts, _: &[Option<f64>]) -> Self {
        let [anchor_a, anchor_b] = at.anchors;
        Self { anchor_a, anchor_b }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
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

    // (2)
    fn coordinate<T: Real>(&self, _: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        (b.angle - a.angle, Row::relative_rotation())
    }

    fn attachment(&self) -> [Vec2; 2] {
        [self.anchor_a, self.anchor_b]
    }
}
