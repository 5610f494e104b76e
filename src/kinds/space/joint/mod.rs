//! Joints in space: equality constraints between two bodies, and the coordinates that some of them leave free.
//! Every kind gives its residuals (zero when closed) and their exact gradients, closed or not.
//!
//! A multiplier of a row is a force or moment on the second body, and the opposite on the first; each kind says where
//! and along which axes.

mod cylindrical;
mod distance;
mod fixed;
mod mount;
mod pair;
mod planar;
mod prismatic;
mod revolute;
mod spherical;
mod universal;

pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use fixed::Fixed;
pub use mount::Mount;
pub use planar::Planar;
pub use prismatic::Prismatic;
pub use revolute::Revolute;
pub use spherical::Spherical;
pub use universal::Universal;

use crate::kinds::space::{BODY_DOF, Pose, Row};
use crate::math::{Real, Vec3};
use std::f64::consts::TAU;

/// Equations of one joint at most.
pub const MAX_ROWS: usize = 6;

/// Coordinates of one joint at most.
pub const MAX_COORDINATES: usize = 3;

/// The kinds of joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    /// Rotation about a point.
    Spherical(Spherical),
    /// Rotation about an axis.
    Revolute(Revolute),
    /// Translation along an axis of the first body.
    Prismatic(Prismatic),
    /// Translation along an axis and rotation about it.
    Cylindrical(Cylindrical),
    /// Rotation about an axis of the first body and one of the second, at a right angle.
    Universal(Universal),
    /// Translation in a plane of the first body and rotation in it.
    Planar(Planar),
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
    /// m or, to first order, rad.
    pub residual: [T; MAX_ROWS],
    /// Gradients.
    pub rows: [Row<T>; MAX_ROWS],
}

/// What angles of a joint are counted from: a configuration at which they are known over all their turns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count<'a> {
    /// The coordinates there, rad; none stands for zeros, and those of displacements are not looked at.
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
    /// Number of equations.
    pub fn n_rows(&self) -> usize {
        self.row_names().len()
    }

    /// Residuals and gradients.
    pub fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        match self {
            Joint::Spherical(j) => j.rows(a, b),
            Joint::Revolute(j) => j.rows(a, b),
            Joint::Prismatic(j) => j.rows(a, b),
            Joint::Cylindrical(j) => j.rows(a, b),
            Joint::Universal(j) => j.rows(a, b),
            Joint::Planar(j) => j.rows(a, b),
            Joint::Fixed(j) => j.rows(a, b),
            Joint::Distance(j) => j.rows(a, b),
        }
    }

    /// Points of the two bodies, in their coordinates, at which the forces of the joint act, m; `None` where these slide.
    pub fn anchors(&self) -> Option<[Vec3; 2]> {
        match self {
            Joint::Spherical(j) => Some([j.anchor_a, j.anchor_b]),
            Joint::Revolute(j) => Some([j.mount_a.anchor, j.mount_b.anchor]),
            Joint::Universal(j) => Some([j.mount_a.anchor, j.mount_b.anchor]),
            Joint::Fixed(j) => Some([j.mount_a.anchor, j.mount_b.anchor]),
            Joint::Distance(j) => Some([j.anchor_a, j.anchor_b]),
            Joint::Prismatic(_) | Joint::Cylindrical(_) | Joint::Planar(_) => None,
        }
    }

    /// What the equations are called in error messages and outputs. `x`, `y`, `z` are along the axes of the world,
    /// `across_..` along and `turn_..` about those of the mounts.
    pub fn row_names(&self) -> &'static [&'static str] {
        match self {
            Joint::Spherical(_) => &["x", "y", "z"],
            Joint::Revolute(_) => &["x", "y", "z", "turn_x", "turn_y"],
            Joint::Prismatic(_) => &["across_x", "across_y", "turn_x", "turn_y", "turn_z"],
            Joint::Cylindrical(_) => &["across_x", "across_y", "turn_x", "turn_y"],
            Joint::Universal(_) => &["x", "y", "z", "turn_z"],
            Joint::Planar(_) => &["across_z", "turn_x", "turn_y"],
            Joint::Fixed(_) => &["x", "y", "z", "turn_x", "turn_y", "turn_z"],
            Joint::Distance(_) => &["length"],
        }
    }

    /// Is an equation one of rotation (its reaction a moment), or of translation (a force)?
    pub fn row_is_angle(&self, row: usize) -> bool {
        let first = match self {
            Joint::Spherical(_) | Joint::Revolute(_) | Joint::Universal(_) | Joint::Fixed(_) => 3,
            Joint::Prismatic(_) | Joint::Cylindrical(_) => 2,
            Joint::Planar(_) | Joint::Distance(_) => 1,
        };
        row >= first
    }

    /// Number of free coordinates that the joint gives.
    pub fn n_coordinates(&self) -> usize {
        self.coordinate_names().len()
    }

    /// What the coordinates are called in outputs.
    pub fn coordinate_names(&self) -> &'static [&'static str] {
        match self {
            Joint::Revolute(_) => &["angle"],
            Joint::Prismatic(_) => &["displacement"],
            Joint::Cylindrical(_) => &["displacement", "angle"],
            Joint::Universal(_) => &["angle_1", "angle_2"],
            Joint::Planar(_) => &["displacement_x", "displacement_y", "angle"],
            Joint::Spherical(_) | Joint::Fixed(_) | Joint::Distance(_) => &[],
        }
    }

    /// Is a coordinate an angle, rad, or a displacement, m?
    pub fn coordinate_is_angle(&self, index: usize) -> bool {
        match self {
            Joint::Revolute(_) | Joint::Universal(_) => true,
            Joint::Prismatic(_) => false,
            Joint::Cylindrical(_) => index == 1,
            Joint::Planar(_) => index == 2,
            Joint::Spherical(_) | Joint::Fixed(_) | Joint::Distance(_) => false,
        }
    }

    /// A free coordinate, m or rad in (-pi, pi], and its gradient: what stops, motors and forces at the joint act on.
    /// Zero without a gradient beyond the number of coordinates.
    pub fn coordinate<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        debug_assert!(index < self.n_coordinates(), "no such coordinate");
        match (self, index) {
            (Joint::Revolute(j), 0) => j.angle(a, b),
            (Joint::Prismatic(j), 0) => j.displacement(a, b),
            (Joint::Cylindrical(j), 0) => j.displacement(a, b),
            (Joint::Cylindrical(j), 1) => j.angle(a, b),
            (Joint::Universal(j), 0) => j.first_angle(a, b),
            (Joint::Universal(j), 1) => j.second_angle(a, b),
            (Joint::Planar(j), 0) => j.displacement_x(a, b),
            (Joint::Planar(j), 1) => j.displacement_y(a, b),
            (Joint::Planar(j), 2) => j.angle(a, b),
            (
                Joint::Spherical(_)
                | Joint::Revolute(_)
                | Joint::Prismatic(_)
                | Joint::Cylindrical(_)
                | Joint::Universal(_)
                | Joint::Planar(_)
                | Joint::Fixed(_)
                | Joint::Distance(_),
                _,
            ) => (T::zero(), Row::zero()),
        }
    }

    /// The same, an angle counted over its turns: of those that stand for this configuration the one nearest to where the
    /// rotations of both bodies would take it. Exact for any number of turns about one axis; otherwise the angle must
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
