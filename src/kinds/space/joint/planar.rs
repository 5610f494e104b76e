//! Planar joint: the second anchor stays in the plane through the first one normal to z_a, and the axes z stay parallel.
//!
//! (1)  0 = z_a . d,   d = p_b - p_a
//! (2)  0 = tilt of z_b out of z_a, about x_a and y_a; a flipped axis is half a turn of tilt away (pair.rs, 4)
//! (3)  coordinates: displacements x_a . d and y_a . d;  angle of mount b about z, from mount a
//!
//! Reaction: the force on body b at its anchor along z_a, then the moments on body b about x_a and y_a; body a gets the
//! opposite, with its force at the second anchor.

use super::pair::{Axes, Pair};
use super::{
    Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

/// Plate on a plane normal to z.
#[derive(Clone, Debug, PartialEq)]
pub struct Planar {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl Planar {
    fn pair<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Pair<'p, T> {
        Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor))
    }

    fn axes<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Axes<'p, T> {
        Axes::new((a, &self.mount_a), (b, &self.mount_b))
    }
}

impl JointKind for Planar {
    const DESCRIPTION: Description = Description {
        word: "planar",
        text: "translation in the plane across the axis and rotation about the axis are free",
        mounting: Mounting::Axis,
        parameters: &[],
        rows: &["across_z", "turn_x", "turn_y"],
        n_forces: 1,
        coordinates: &[
            Coordinate::shown("displacement_x", false),
            Coordinate::shown("displacement_y", false),
            Coordinate::shown("angle", true),
        ],
        sign: Sign::Square,
    };

    mounted!(axis);

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let across_z = self.pair(a, b).along(self.mount_a.axes[2]); // (1)
        let [turn_x, turn_y] = self.axes(a, b).tilt(); // (2)
        JointRows::of([across_z, turn_x, turn_y])
    }

    // (3)
    fn coordinate<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        match index {
            2 => self.axes(a, b).angle_about_z(),
            i => self.pair(a, b).along(self.mount_a.axes[i]),
        }
    }
}
