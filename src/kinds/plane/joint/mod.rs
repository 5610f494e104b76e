//! Joints: equality constraints between two bodies, and the coordinate that some of them leave free.
//! Every kind gives its residual (zero when closed) and the gradients of the residual.

mod distance;
mod fixed;
mod prismatic;
mod revolute;

pub use distance::Distance;
pub use fixed::Fixed;
pub use prismatic::Prismatic;
pub use revolute::Revolute;

use crate::constraint::{Pose, Row};
use crate::math::Real;

/// Equations of one joint at most.
pub const MAX_ROWS: usize = 3;

/// The kinds of joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    /// Relative rotation about a point.
    Revolute(Revolute),
    /// Translation along an axis of the first body.
    Prismatic(Prismatic),
    /// No relative motion.
    Fixed(Fixed),
    /// A rigid rod between two points.
    Distance(Distance),
}

/// What a joint says at a configuration: `n` residuals and their gradients.
#[derive(Clone, Copy, Debug)]
pub struct JointRows<T = f64> {
    /// Number of equations.
    pub n: usize,
    /// m or rad.
    pub residual: [T; MAX_ROWS],
    /// Gradients.
    pub rows: [Row<T>; MAX_ROWS],
}

impl Joint {
    /// Number of equations.
    pub fn n_rows(&self) -> usize {
        match self {
            Joint::Revolute(_) | Joint::Prismatic(_) => 2,
            Joint::Fixed(_) => 3,
            Joint::Distance(_) => 1,
        }
    }

    /// Residuals and gradients.
    pub fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        match self {
            Joint::Revolute(j) => j.rows(a, b),
            Joint::Prismatic(j) => j.rows(a, b),
            Joint::Fixed(j) => j.rows(a, b),
            Joint::Distance(j) => j.rows(a, b),
        }
    }

    /// The free coordinate (rad or m) and its gradient, for the kinds that have one.
    pub fn coordinate<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<(T, Row<T>)> {
        match self {
            Joint::Revolute(_) => Some((b.angle - a.angle, Row::relative_rotation())),
            Joint::Prismatic(j) => Some(j.coordinate(a, b)),
            Joint::Fixed(_) | Joint::Distance(_) => None,
        }
    }

    /// What the equations are called in error messages and outputs.
    pub fn row_names(&self) -> &'static [&'static str] {
        match self {
            Joint::Revolute(_) => &["x", "y"],
            Joint::Prismatic(_) => &["across", "angle"],
            Joint::Fixed(_) => &["x", "y", "angle"],
            Joint::Distance(_) => &["length"],
        }
    }
}
