//! Joints in space: equality constraints between two bodies, and the free coordinates of some of them.
//! Every kind has one file: its description, its residuals (zero when closed) and their exact gradients, closed or not.
//!
//! The multiplier of a row is a force or moment on the second body, and the opposite on the first; each kind documents its
//! point and axes.

mod cylindrical;
mod distance;
mod fixed;
mod mount;
mod pair;
mod planar;
mod prismatic;
mod revolute;
mod screw;
mod spherical;
mod universal;

pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use fixed::Fixed;
pub use mount::Mount;
pub use planar::Planar;
pub use prismatic::Prismatic;
pub use revolute::Revolute;
pub use screw::Screw;
pub use spherical::Spherical;
pub use universal::Universal;

use crate::kinds::joint::{Coordinate, Description, Mounting, Sign, joint_kinds};
use crate::kinds::space::{BODY_DOF, Pose, Row};
use crate::math::{Real, Vec3};
use std::f64::consts::TAU;

type Vector = Vec3;

/// Maximum number of equations of a joint.
pub const MAX_ROWS: usize = 6;

/// Common parts of kinds defined only by their mounts; with `axis`, the axis is z of the first mount.
macro_rules! mounted {
    () => {
        fn new(at: &Mounts, _: &[Option<f64>]) -> Self {
            Self {
                mount_a: at.a.clone(),
                mount_b: at.b.clone(),
            }
        }

        fn attachment(&self) -> [Vec3; 2] {
            [self.mount_a.anchor, self.mount_b.anchor]
        }
    };
    (axis) => {
        mounted!();

        fn axis(&self) -> Option<Vec3> {
            Some(self.mount_a.axes[2])
        }
    };
}
use mounted;

joint_kinds! {
    Spherical,
    Revolute,
    Prismatic,
    Cylindrical,
    Universal,
    Planar,
    Fixed,
    Distance,
    Screw,
}

/// Initial mounting of a joint on its bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Mounts {
    /// On the first body.
    pub a: Mount,
    /// On the second body.
    pub b: Mount,
    /// Distance of the anchors, m.
    pub distance: f64,
}

/// Reference of the angles of a joint: a configuration at which they are known including full turns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count<'a> {
    /// The coordinates there, rad; `None` stands for zeros, and displacements are ignored.
    pub from: &'a [f64],
    /// Rotation vectors of the first and second body since then, rad.
    pub turned: [Vec3; 2],
}

impl<T: Real> JointRows<T> {
    fn of<const N: usize>(equations: [(T, Row<T>); N]) -> Self {
        let mut all = Self {
            n: N,
            residual: [T::zero(); MAX_ROWS],
            rows: [Row::zero(); MAX_ROWS],
        };
        for (i, (residual, row)) in equations.into_iter().enumerate() {
            all.residual[i] = residual;
            all.rows[i] = row;
        }
        all
    }
}

impl Joint {
    /// Points of application of the joint forces, in coordinates of the two bodies, m; `None` if they slide.
    pub fn anchors(&self) -> Option<[Vec3; 2]> {
        (!self.description().slides()).then(|| self.attachment())
    }

    /// Its coordinates.
    pub fn coordinates(&self) -> &'static [Coordinate] {
        self.description().coordinates
    }

    /// Number of free coordinates.
    pub fn n_coordinates(&self) -> usize {
        self.coordinates().len()
    }

    /// Is a coordinate an angle, rad, or a displacement, m?
    pub fn coordinate_is_angle(&self, index: usize) -> bool {
        self.coordinates().get(index).is_some_and(|c| c.is_angle)
    }

    /// A free coordinate, m or rad in (-pi, pi], and its gradient, for stops, motors and forces at the joint.
    /// Zero without a gradient beyond the number of coordinates.
    pub fn coordinate<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        debug_assert!(index < self.n_coordinates(), "no such coordinate");
        self.coordinate_at(index, a, b)
    }

    /// The same with angles including full turns: of the possible values, the one nearest to the prediction from the
    /// rotations of both bodies. Exact for any number of turns about one axis; otherwise the angle must
    /// be within half a turn of that.
    pub fn counted<T: Real>(
        &self,
        index: usize,
        count: &Count,
        a: &Pose<T>,
        b: &Pose<T>,
    ) -> (T, Row<T>) {
        let (value, row) = self.coordinate(index, a, b);
        if !self.coordinate_is_angle(index) {
            return (value, row);
        }
        let mut near = count.from.get(index).copied().unwrap_or(0.0);
        for (side, turned) in [&row.a, &row.b].into_iter().zip(&count.turned) {
            for (gradient, turned) in side[BODY_DOF - 3..].iter().zip(turned.iter()) {
                near += gradient.value() * turned;
            }
        }
        let turns = ((near - value.value()) / TAU).round();
        (value + T::constant(turns * TAU), row)
    }
}

#[cfg(test)]
pub(crate) mod tests;
