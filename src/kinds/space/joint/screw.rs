//! Screw joint: the axes z of both mounts lie on one line, and rotation about it is coupled to translation along it.
//!
//! (1)  0 = x_a . d,  0 = y_a . d,   d = p_b - p_a
//! (2)  0 = z_a . d - lead / (2 pi) angle, up to a whole number of leads: that of the turn nearest to d
//! (3)  0 = tilt of z_b out of z_a, about x_a and y_a; a flipped axis is half a turn of tilt away (pair.rs, 4)
//! (4)  coordinate: angle of mount b about z, from mount a
//!
//! (2) has a branch for every turn of the thread, one lead apart: a closed joint stays on its branch.
//!
//! Reaction: the forces on body b at its anchor along x_a and y_a, then that of the thread along z_a, with a moment of
//! -lead / (2 pi) times it about z_a, then the moments on body b about x_a and y_a; body a gets the opposite, with its forces at
//! the second anchor.

use super::pair::{Axes, Pair};
use super::{Coordinate, Description, JointKind, JointRows, Mount, Mounting, Mounts, Sign};
use crate::kinds::parameter::parameters;
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};
use std::f64::consts::TAU;

/// Nut on a thread along z.
#[derive(Clone, Debug, PartialEq)]
pub struct Screw {
    /// On the first body.
    pub mount_a: Mount,
    /// On the second body.
    pub mount_b: Mount,
    /// Displacement in one turn, m, not zero; negative for a left-handed thread.
    pub lead: f64,
}

impl Screw {
    fn axes<'p, T: Real>(&self, a: &'p Pose<T>, b: &'p Pose<T>) -> Axes<'p, T> {
        Axes::new((a, &self.mount_a), (b, &self.mount_b))
    }

    // (2)
    fn thread<T: Real>(&self, displacement: (T, Row<T>), angle: (T, Row<T>)) -> (T, Row<T>) {
        let slope = T::constant(self.lead / TAU);
        let off = displacement.0 - slope * angle.0;
        let turns = (off.value() / self.lead).round();
        let (mut row, turning) = (displacement.1, angle.1.scaled(slope));
        for i in 0..row.a.len() {
            row.a[i] -= turning.a[i];
            row.b[i] -= turning.b[i];
        }
        (off - T::constant(turns * self.lead), row)
    }
}

impl JointKind for Screw {
    const DESCRIPTION: Description = Description {
        word: "screw",
        text: "turning about the axis moves along it by `lead` in a turn",
        mounting: Mounting::Axis,
        parameters: parameters! {
            "lead" | "m" | "required" | "0.005" | "" | NOT_ZERO: "displacement in one turn; negative for a left-handed thread";
        },
        rows: &["across_x", "across_y", "thread", "turn_x", "turn_y"],
        n_forces: 3,
        coordinates: &[Coordinate::angle("limits")],
        sign: Sign::CircleOnRails,
    };

    fn new(at: &Mounts, given: &[Option<f64>]) -> Self {
        Self {
            mount_a: at.a.clone(),
            mount_b: at.b.clone(),
            lead: given.first().copied().flatten().unwrap_or(1.0),
        }
    }

    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
        let pair = Pair::new((a, self.mount_a.anchor), (b, self.mount_b.anchor));
        let [across_x, across_y, along] = [0, 1, 2].map(|i| pair.along(self.mount_a.axes[i])); // (1)
        let axes = self.axes(a, b);
        let thread = self.thread(along, axes.angle_about_z());
        let [turn_x, turn_y] = axes.tilt(); // (3)
        JointRows::of([across_x, across_y, thread, turn_x, turn_y])
    }

    // (4)
    fn coordinate<T: Real>(&self, _: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        self.axes(a, b).angle_about_z()
    }

    fn attachment(&self) -> [Vec3; 2] {
        [self.mount_a.anchor, self.mount_b.anchor]
    }

    fn axis(&self) -> Option<Vec3> {
        Some(self.mount_a.axes[2])
    }

    fn values(&self) -> Vec<f64> {
        vec![self.lead]
    }
}
