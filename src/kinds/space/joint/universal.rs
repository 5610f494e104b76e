//! Universal joint: a point of each body coincides; the arms of its cross are x_a, fixed in body a, and y_b, fixed in
//! body b, and stay perpendicular.
//!
//! (1)  0 = p_b - p_a
//! (2)  0 = -x_a . y_b
//! (3)  coordinates: the axes of mount b are those of mount a, rotated about x by the first angle, then about the new y by
//!      the second: first = atan2(z_a . y_b, y_a . y_b), second = atan2(x_a . z_b, x_a . x_b)
//!
//! (2) has no spurious branch: all orientations that close it are those of (3), one connected surface.
//!
//! Reaction: the force on body b at the common point, in world axes, then the moment on body b about x_a x y_b; body a
//! gets the opposite.

use super::pair::{Axes, Pair};
use super::{
    Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

/// Cross with arms x of the first and y of the second mount.
#[derive(Clone, Debug, PartialEq)]
pub struct Universal {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl Universal {
    fn axes<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Axes<'p, T> {
        Axes::new((a, &self.mount_a), (b, &self.mount_b))
    }
}

impl JointKind for Universal {
    const DESCRIPTION: Description = Description {
        word: "universal",
        text: "the anchors coincide; rotation about one axis of each body is free",
        mounting: Mounting::Cross,
        parameters: &[],
        rows: &["x", "y", "z", "turn_z"],
        n_forces: 3,
        coordinates: &[
            Coordinate::shown("angle_1", true),
            Coordinate::shown("angle_2", true),
        ],
        sign: Sign::Circle,
    };

    mounted!();

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let [x, y, z] = Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor)).offset(); // (1)
        JointRows::of([x, y, z, self.axes(a, b).minus_product(0, 1)]) // (2)
    }

    // (3)
    fn coordinate<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        match index {
            0 => self.axes(a, b).angle_of_products((2, 1), (1, 1)),
            _ => self.axes(a, b).angle_of_products((0, 2), (0, 0)),
        }
    }
}
