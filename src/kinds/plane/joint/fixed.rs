//! Fixed joint: a point of each body coincides and the relative angle is kept.
//!
//! (1)  0 = p_b - p_a,   (2)  0 = angle_b - angle_a - angle

use super::{Description, JointKind, JointRows, Mounting, Mounts, Revolute, Sign};
use crate::constraint::{Pose, Row};
use crate::math::{Real, Vec2};

/// A revolute joint that does not turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The common point.
    pub point: Revolute,
    /// Angle of the second body minus that of the first, rad.
    pub angle: f64,
}

impl JointKind for Fixed {
    const DESCRIPTION: Description = Description {
        word: "fixed",
        text: "no relative motion",
        mounting: Mounting::Anywhere,
        parameters: &[],
        rows: &["x", "y", "angle"],
        n_forces: 2,
        coordinates: &[],
        sign: Sign::Square,
    };

    fn new(at: &Mounts, given: &[Option<f64>]) -> Self {
        Self {
            point: Revolute::new(at, given),
            angle: at.angle,
        }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let mut rows = self.point.rows(a, b);
        rows.n = 3;
        rows.residual[2] = b.angle - a.angle - T::constant(self.angle); // (2)
        rows.rows[2] = Row::relative_rotation();
        rows
    }

    fn attachment(&self) -> [Vec2; 2] {
        self.point.attachment()
    }
}
