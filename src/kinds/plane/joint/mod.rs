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

impl Joint {
    /// The free coordinate (rad or m) and its gradient, for the kinds that have one.
    pub fn coordinate<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<(T, Row<T>)> {
        let has_one = !self.description().coordinates.is_empty();
        has_one.then(|| self.coordinate_at(0, a, b))
    }
}
