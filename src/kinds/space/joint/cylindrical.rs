//! Cylindrical joint: the axes z of both mounts lie on one line.
//!
//! (1)  0 = x_a . d,  0 = y_a . d,   d = p_b - p_a
//! (2)  0 = tilt of z_b out of z_a, about x_a and y_a; a flipped axis is half a turn of tilt away (pair.rs, 4)
//! (3)  coordinates: displacement z_a . d;  angle of mount b about z, from mount a
//!
//! Reaction: the forces on body b at its anchor along x_a and y_a, then the moments on body b about x_a and y_a; body a
//! gets the opposite, with its force at the second anchor.

use super::pair::{Axes, Pair};
use super::{
    Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

/// Sleeve on a shaft along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Cylindrical {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl Cylindrical {
    fn pair<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Pair<'p, T> {
        Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor))
    }

    fn axes<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Axes<'p, T> {
        Axes::new((a, &self.mount_a), (b, &self.mount_b))
    }
}

impl JointKind for Cylindrical {
    const DESCRIPTION: Description = Description {
        word: "cylindrical",
        text: "translation along the axis and rotation about it are free",
        mounting: Mounting::Axis,
        parameters: &[],
        rows: &["across_x", "across_y", "turn_x", "turn_y"],
        n_forces: 2,
        coordinates: &[
            Coordinate::displacement("limits"),
            Coordinate::angle("angle_limits"),
        ],
        sign: Sign::CircleOnRails,
    };

    mounted!(axis);

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let pair = self.pair(a, b);
        let [across_x, across_y] = [0, 1].map(|i| pair.along(self.mount_a.axes[i])); // (1)
        let [turn_x, turn_y] = self.axes(a, b).tilt(); // (2)
        JointRows::of([across_x, across_y, turn_x, turn_y])
    }

    // (3)
    fn coordinate<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        match index {
            0 => self.pair(a, b).along(self.mount_a.axes[2]),
            _ => self.axes(a, b).angle_about_z(),
        }
    }
}
