//! Revolute joint: a point of each body coincides and so do the axes z.
//!
//! (1)  0 = p_b - p_a
//! (2)  0 = tilt of z_b out of z_a, about x_a and y_a; a flipped axis is half a turn of tilt away (pair.rs, 4)
//! (3)  coordinate: angle of mount b about z, from mount a
//!
//! Reaction: the force on body b at the common point, in world axes, then the moments on body b about x_a and y_a;
//! body a gets the opposite.

use super::pair::{Axes, Pair};
use super::{
    Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

/// Hinge about z.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolute {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl JointKind for Revolute {
    const DESCRIPTION: Description = Description {
        word: "revolute",
        text: "the anchors coincide; rotation about the axis is free",
        mounting: Mounting::Axis,
        parameters: &[],
        rows: &["x", "y", "z", "turn_x", "turn_y"],
        n_forces: 3,
        coordinates: &[Coordinate::angle("limits")],
        sign: Sign::Circle,
    };

    mounted!(axis);

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let [x, y, z] = Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor)).offset(); // (1)
        let [turn_x, turn_y] = Axes::new((a, &self.mount_a), (b, &self.mount_b)).tilt(); // (2)
        JointRows::of([x, y, z, turn_x, turn_y])
    }

    // (3)
    fn coordinate<T: Real>(&self, _: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        Axes::new((a, &self.mount_a), (b, &self.mount_b)).angle_about_z()
    }
}
