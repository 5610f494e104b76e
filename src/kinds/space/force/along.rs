//! Forces along a scalar of two poses: a distance, or a coordinate of a joint.
//!
//! (1)  force = f g,   f = held + fading,   g = gradient of the scalar,   u = g . v its rate
//! (2)  velocity derivative: (df/du) g g^T
//! (3)  stiff part of the position derivative: (df/dvalue) g g^T
//! (4)  rest: held H;  of dampers: fading H + (df/du) g (H^T v)^T,   H_ij = change of g_i along motion j
//!
//! H is not symmetric, because rotations about body axes do not commute. It is the derivative of the gradient along each
//! motion, computed exactly with dual numbers for a rotation of the first body and a translation of the second; the others follow:
//!
//! (5)  a common motion of both bodies turns the linear parts of the gradient with the bodies, and changes nothing else

use super::{
    Along, Bending, Detail, Effect, PAIR_DOF, PairMatrix, Situation, Sloped, flat, motion, rates,
};
use crate::kinds::plane::force::Effort;
use crate::kinds::space::joint::{Count, Joint};
use crate::kinds::space::{BODY_DOF, Pose, Row};
use crate::math::{Real, Vec3, cross3};

/// A scalar of two poses that is invariant under a common motion of both bodies.
pub(super) trait Scalar {
    /// Value and gradient.
    fn at<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>);

    /// Does it depend on the rotations alone?
    fn is_angle(&self) -> bool;
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

    fn is_angle(&self) -> bool {
        self.joint.coordinate_is_angle(self.index)
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

impl From<Effort> for Push {
    fn from(effort: Effort) -> Self {
        Self {
            held: effort.held,
            fading: effort.fading,
            by_value: effort.by_value,
            by_rate: effort.by_rate,
        }
    }
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
    // (2), (3)
    effect.along[0] = Some(Along {
        gradient: g,
        by_position: push.by_value,
        by_velocity: push.by_rate,
    });
    let bends = push.held != 0.0 || push.fading != 0.0 || push.by_rate != 0.0;
    if detail == Detail::All && bends {
        let changes = gradient_changes(scalar, at.pose, &row);
        let v = at.velocities();
        let mut bending = Bending::NONE;
        for (j, change) in changes.iter().enumerate() {
            let mut turning = 0.0;
            for (x, y) in change.iter().zip(&v) {
                turning += x * y;
            }
            for (i, x) in change.iter().enumerate() {
                bending.rest[i][j] = push.held * x; // (4)
                bending.damper[i][j] = push.fading * x + push.by_rate * g[i] * turning;
            }
        }
        effect.bending = Some(bending);
    }
    effect
}

// the transpose of H: its row j is the change of the gradient along motion j. (5) gives half of the motions
fn gradient_changes(scalar: &impl Scalar, pose: [&Pose; 2], row: &Row) -> PairMatrix {
    let mut changes = [[0.0; PAIR_DOF]; PAIR_DOF];
    let along = |j: usize| {
        let [a, b] = motion(j);
        let (_, row) = scalar.at(&pose[0].with_rate(&a), &pose[1].with_rate(&b));
        rates(&row)
    };
    for j in 3..BODY_DOF {
        changes[j] = along(j);
    }
    if !scalar.is_angle() {
        for j in 0..3 {
            changes[BODY_DOF + j] = along(BODY_DOF + j);
            changes[j] = changes[BODY_DOF + j].map(|x| -x);
        }
    }
    let linear = [&row.a, &row.b].map(|side| Vec3::new(side[0], side[1], side[2]));
    let apart = pose[0].position - pose[1].position;
    for k in 0..3 {
        let turn: Vec3 = pose[1].rotation.column(k).into();
        let mut change = [0.0; PAIR_DOF];
        for (side, linear) in linear.into_iter().enumerate() {
            let turned = cross3(turn, linear);
            change[BODY_DOF * side..][..3].copy_from_slice(turned.as_slice());
        }
        let (moved, turned) = (cross3(turn, apart), pose[0].turn_back(turn));
        for (m, x) in change.iter_mut().enumerate() {
            for i in 0..3 {
                *x -= moved[i] * changes[i][m] + turned[i] * changes[3 + i][m];
            }
        }
        changes[BODY_DOF + 3 + k] = change;
    }
    changes
}
