//! Prismatic joint: the second anchor stays on the line through the first one along z_a, without rotation.
//!
//! (1)  0 = x_a . d,  0 = y_a . d,   d = p_b - p_a
//! (2)  0 = turn of mount b out of mount a; zero only at closure (pair.rs, 5)
//! (3)  coordinate: displacement z_a . d
//!
//! Reaction: the forces on body b at its anchor along x_a and y_a, then the moments on body b about x, y and z of the
//! mounts; body a gets the opposite, with its force at the second anchor.

use super::pair::{Axes, Pair};
use super::{
    Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

/// Slider along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Prismatic {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl Prismatic {
    fn pair<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Pair<'p, T> {
        Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor))
    }
}

impl JointKind for Prismatic {
    const DESCRIPTION: Description = Description {
        word: "prismatic",
        text: "translation along the axis is free, the orientation is kept",
        mounting: Mounting::Axis,
        parameters: &[],
        rows: &["across_x", "across_y", "turn_x", "turn_y", "turn_z"],
        n_forces: 2,
        coordinates: &[Coordinate::displacement("limits")],
        sign: Sign::SquareOnRails,
    };

    mounted!(axis);

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let pair = self.pair(a, b);
        let [across_x, across_y] = [0, 1].map(|i| pair.along(self.mount_a.axes[i])); // (1)
        let [turn_x, turn_y, turn_z] = Axes::new((a, &self.mount_a), (b, &self.mount_b)).turn(); // (2)
        JointRows::of([across_x, across_y, turn_x, turn_y, turn_z])
    }

    fn coordinate<T: Real>(&self, _: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        self.pair(a, b).along(self.mount_a.axes[2]) // (3)
    }
}
