//! Gyroscopic torque of bodies in space, in principal axes with moments of inertia J ([T] 9).
//!
//! (1)  f(w) = (J w) x w
//! (2)  its derivative [J w] - [w] J: gives second order, and a symmetric step that is its own inverse
//! (3)  the part [J w] of (2): antisymmetric, so that the iteration matrix stays positive definite at any spin

use super::Jacobians;
use crate::math::{Mat3, Vec3, cross3, is_positive_definite3};
use crate::model::{Model, Twists};

/// Adds (1) and, if requested, (2).
#[inline(never)]
pub(super) fn add(
    model: &Model,
    twists: &Twists,
    total: &mut [f64],
    mut jacobians: Option<&mut Jacobians>,
) {
    for i in turning(model) {
        let (body, moments) = moments_at(model, i);
        let w = twists.space()[body].angular;
        let momentum = moments.component_mul(&w);
        let torque = cross3(momentum, w); // (1)
        for k in 0..3 {
            total[i + k] += torque[k];
        }
        if let Some(jacobians) = jacobians.as_deref_mut()
            && w != Vec3::zeros()
        {
            jacobians.any = true;
            let block = momentum.cross_matrix() - w.cross_matrix() * Mat3::from_diagonal(&moments); // (2)
            put(jacobians, i, |entry, (row, column)| {
                entry + block[(row, column)]
            });
        }
    }
}

/// Replaces (2) by (3) for bodies that spin too fast for a step with weight `a` of the velocity derivatives.
#[inline]
pub fn use_antisymmetric_part(model: &Model, twists: &Twists, a: f64, jacobians: &mut Jacobians) {
    if model.is_spatial() {
        use_antisymmetric_part_in_space(model, twists, a, jacobians);
    }
}

#[inline(never)]
fn use_antisymmetric_part_in_space(
    model: &Model,
    twists: &Twists,
    a: f64,
    jacobians: &mut Jacobians,
) {
    for i in turning(model) {
        let (body, moments) = moments_at(model, i);
        let w = twists.space()[body].angular;
        let rest = w.cross_matrix() * Mat3::from_diagonal(&moments);
        let inertia = Mat3::from_diagonal(&moments);
        let symmetric = inertia + (rest + rest.transpose()) * (0.5 * a);
        if !is_positive_definite3(&symmetric) {
            put(jacobians, i, |entry, (row, column)| {
                entry + rest[(row, column)]
            });
        }
    }
}

// first rotation of each body with unequal moments of inertia: only these have a gyroscopic torque
fn turning(model: &Model) -> impl Iterator<Item = usize> + '_ {
    model.rotations().filter(|i| {
        let moments = &model.mass[*i..i + 3];
        moments[0] != moments[1] || moments[1] != moments[2]
    })
}

fn moments_at(model: &Model, i: usize) -> (usize, Vec3) {
    let body = model.bodies.partition_point(|body| body.first <= i) - 1;
    (
        body,
        Vec3::new(model.mass[i], model.mass[i + 1], model.mass[i + 2]),
    )
}

fn put(jacobians: &mut Jacobians, i: usize, new: impl Fn(f64, (usize, usize)) -> f64) {
    for row in 0..3 {
        for column in 0..3 {
            let entry = jacobians.velocity.entry(i + row, i + column);
            let before = *entry;
            *entry = new(before, (row, column));
            jacobians.gyroscopic[3 * (i + row) + column] += *entry - before;
        }
    }
}
