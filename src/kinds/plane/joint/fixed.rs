//! Fixed joint: a point of each body coincides and the relative angle is kept.
//!
//! (1)  0 = p_b - p_a,   (2)  0 = angle_b - angle_a - angle

use super::{JointRows, Revolute};
use crate::constraint::{Pose, Row};
use crate::math::Real;

/// A revolute joint that does not turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The common point.
    pub point: Revolute,
    /// Angle of the second body minus that of the first, rad.
    pub angle: f64,
}

impl Fixed {
    pub(super) fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let mut rows = self.point.rows(a, b);
        rows.n = 3;
        rows.residual[2] = b.angle - a.angle - T::constant(self.angle); // (2)
        rows.rows[2] = Row::relative_rotation();
        rows
    }
}
