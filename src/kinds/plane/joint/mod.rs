//! Joints: equality constraints between two bodies, and the free coordinate of some of them.
//! Every kind has one file: its description, its residual (zero when closed) and the gradients of the residual.

mod distance;
mod fixed;
mod prismatic;
mod revolute;

pub use distance::Distance;
pub use fixed::Fixed;
pub use prismatic::Prismatic;
pub use revolute::Revolute;

use crate::constraint::{Pose, Row};
use crate::kinds::joint::{Coordinate, Description, Mounting, Sign, joint_kinds};
use crate::math::{Real, Vec2};

type Vector = Vec2;

/// Maximum number of equations of a joint.
pub const MAX_ROWS: usize = 3;

joint_kinds! {
    Revolute,
    Prismatic,
    Fixed,
    Distance,
}

/// Interface of all kinds.
trait JointKind: Sized {
    const DESCRIPTION: Description;

    /// From the mounts and the values of its parameters, in the order of the description.
    fn new(at: &Mounts, given: &[Option<f64>]) -> Self;

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T>;

    /// The coordinate of the description, rad or m, and its gradient.
    fn coordinate<T: Real>(&self, _: usize, _: &Pose<T>, _: &Pose<T>) -> (T, Row<T>) {
        (T::zero(), Row::zero())
    }

    fn attachment(&self) -> [Vec2; 2];

    fn axis(&self) -> Option<Vec2> {
        None
    }

    fn values(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// Initial mounting of a joint on its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mounts {
    /// A point of each body in its coordinates, m.
    pub anchors: [Vec2; 2],
    /// Unit vector in the first body's axes, for joints that have an axis.
    pub axis: Vec2,
    /// Angle of the second body minus that of the first, rad.
    pub angle: f64,
    /// Distance of the anchors, m.
    pub distance: f64,
}

/// Constraint of a joint at a configuration: `n` residuals and their gradients.
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
    /// The free coordinate (rad or m) and its gradient, for the kinds that have one.
    pub fn coordinate<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<(T, Row<T>)> {
        let has_one = !self.description().coordinates.is_empty();
        has_one.then(|| self.coordinate_at(0, a, b))
    }

    /// Is the free coordinate an angle?
    pub fn coordinate_is_angle(&self) -> bool {
        self.description().coordinates.iter().any(|c| c.is_angle)
    }
}
