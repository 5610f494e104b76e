//! Fixed joint: the two mounts coincide.
//!
//! (1)  0 = p_b - p_a
//! (2)  0 = turn of mount b out of mount a; zero only at closure (pair.rs, 5)
//!
//! Reaction: the force on body b at the common point, in world axes, then the moments on body b about x, y and z of the
//! mounts; body a gets the opposite.

use super::pair::{Axes, Pair};
use super::{Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign, mounted};
use crate::kinds::space::Pose;
use crate::math::{Real, Vec3};

/// A weld.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
}

impl JointKind for Fixed {
    const DESCRIPTION: Description = Description {
        word: "fixed",
        text: "no relative motion",
        mounting: Mounting::Anywhere,
        parameters: &[],
        rows: &["x", "y", "z", "turn_x", "turn_y", "turn_z"],
        n_forces: 3,
        coordinates: &[],
        sign: Sign::Square,
    };

    mounted!();

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let [x, y, z] = Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor)).offset(); // (1)
        let [turn_x, turn_y, turn_z] = Axes::new((a, &self.mount_a), (b, &self.mount_b)).turn(); // (2)
        JointRows::of([x, y, z, turn_x, turn_y, turn_z])
    }
}
