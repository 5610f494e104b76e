//! Forces along a scalar of two poses: a distance, or a coordinate of a joint.
//!
//! (1)  force = f g,   f = held + fading,   g = gradient of the scalar,   u = g . v its rate
//! (2)  velocity derivative: (df/du) g g^T
//! (3)  stiff part of the position derivative: (df/dvalue) g g^T
//! (4)  rest: held H;  of dampers: fading H + (df/du) g (H^T v)^T,   H_ij = change of g_i along motion j
//!
//! H is not symmetric, because rotations about body axes do not commute. It is the derivative of the gradient along each
//! motion, computed exactly with dual numbers.

use super::{
    Detail, Effect, PAIR_DOF, PairMatrix, Situation, Sloped, add_outer, flat, motion, rates,
};
use crate::kinds::space::joint::{Count, Joint};
use crate::kinds::space::{BODY_DOF, Pose, Row};
use crate::math::Real;

/// A scalar of two poses that is invariant under a common motion of both bodies.
pub(super) trait Scalar {
    /// Value and gradient.
    fn at<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>);
}

/// A coordinate of a joint; angles include full turns.
pub(super) struct JointCoordinate<'a> {
    joint: &'a Joint,
    index: usize,
    count: Count<'a>,
}

impl<'a> JointCoordinate<'a> {
    /// Of the joint that the element acts on.
    pub(super) fn of(at: &Situation<'a>, index: usize) -> Option<Self> {
        let count = at.count;
        at.joint.map(|joint| Self {
            joint,
            index,
            count,
        })
    }
}

impl Scalar for JointCoordinate<'_> {
    fn at<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        self.joint.counted(self.index, &self.count, a, b)
    }
}

/// A force along a scalar and its derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Push {
    /// Persistent part: of springs and signals, N or N m.
    pub held: f64,
    /// Part that vanishes with the motion: of dampers and friction, N or N m.
    pub fading: f64,
    /// Derivative with respect to the scalar, not positive.
    pub by_value: f64,
    /// Derivative with respect to its rate.
    pub by_rate: f64,
}

impl Push {
    pub(super) fn total(&self) -> f64 {
        self.held + self.fading
    }
}

/// Value and rate of a scalar.
pub(super) fn value_and_rate(scalar: &impl Scalar, at: &Situation) -> (f64, f64) {
    let (value, row) = scalar.at(at.pose[0], at.pose[1]);
    (value, row.rate(at.twist[0], at.twist[1]))
}

/// The force along the scalar's gradient.
pub(super) fn sloped(
    scalar: &impl Scalar,
    at: &Situation,
    push: impl FnOnce(f64, f64) -> Push,
) -> Sloped {
    let (value, row) = scalar.at(at.pose[0], at.pose[1]);
    let push = push(value, row.rate(at.twist[0], at.twist[1]));
    Sloped {
        row,
        force: push.total(),
        fading: push.fading,
        by_value: push.by_value,
        by_rate: push.by_rate,
    }
}

/// The effect of a force given by `push` as a function of value and rate.
pub(super) fn effect(
    scalar: &impl Scalar,
    at: &Situation,
    detail: Detail,
    push: impl FnOnce(f64, f64) -> Push,
) -> Effect {
    let (value, row) = scalar.at(at.pose[0], at.pose[1]);
    let push = push(value, row.rate(at.twist[0], at.twist[1]));
    let g = flat(&row);
    let mut effect = Effect::default();
    effect.push_along(&g, push.total()); // (1)
    effect.damp_along(&g, push.fading);
    add_outer(&mut effect.by_velocity, push.by_rate, &g, &g); // (2)
    add_outer(&mut effect.by_position_stiff, push.by_value, &g, &g); // (3)
    if detail == Detail::All {
        let changes = gradient_changes(scalar, at.pose);
        let v = at.velocities();
        let mut turning = [0.0; PAIR_DOF];
        for (change, out) in changes.iter().zip(&mut turning) {
            *out = change.iter().zip(&v).map(|(x, y)| x * y).sum();
        }
        add_transposed(&mut effect.by_position_rest, push.held, &changes); // (4)
        add_transposed(&mut effect.by_position_damper, push.fading, &changes);
        add_outer(&mut effect.by_position_damper, push.by_rate, &g, &turning);
    }
    effect
}

// the transpose of H: its row j is the change of the gradient along motion j
fn gradient_changes(scalar: &impl Scalar, pose: [&Pose; 2]) -> PairMatrix {
    let mut changes = [[0.0; PAIR_DOF]; PAIR_DOF];
    for (j, line) in changes.iter_mut().enumerate().skip(3) {
        let [a, b] = motion(j);
        let (_, row) = scalar.at(&pose[0].with_rate(&a), &pose[1].with_rate(&b));
        *line = rates(&row);
    }
    // a common translation of both bodies has no effect
    for j in 0..3 {
        changes[j] = changes[BODY_DOF + j].map(|x| -x);
    }
    changes
}

fn add_transposed(matrix: &mut PairMatrix, factor: f64, other: &PairMatrix) {
    for (i, row) in matrix.iter_mut().enumerate() {
        for (x, line) in row.iter_mut().zip(other) {
            *x += factor * line[i];
        }
    }
}
