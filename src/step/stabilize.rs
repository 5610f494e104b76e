//! Projection of positions and velocities onto joints and closed contacts ([A] 2.5, [E] 46).
//!
//! (1)  q <- q - M^-1 G^T (G M^-1 G^T)^-1 g(q)      joints and gaps of closed contacts, until they are closed
//! (2)  v <- v - M^-1 G^T (G M^-1 G^T)^-1 G v       the same rows and the tangents of sticking contacts
//!
//! (2) is orthogonal in the mass metric: it never gains kinetic energy.

use super::assemble;
use super::workspace::Workspace;
use crate::model::Model;
use crate::state::Status;

/// Constraints are closed when no coordinate would move by more than this (relative to its size): rounding.
const CLOSED: f64 = 1e-15;

/// Newton iterations for (1) at most: quadratic from a drift of third order in the step.
const MAX_ITERATIONS: usize = 5;

/// Projects `q` and `v`; leaves `workspace.level` (closed contacts of `statuses`) and the poses at the new `q`.
pub(super) fn project(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    q: &mut [f64],
    v: &mut [f64],
) {
    position(model, workspace, statuses, q);
    if !workspace.level.is_empty() {
        velocity(workspace, statuses, v);
    }
}

fn position(model: &Model, workspace: &mut Workspace, statuses: &[Status], q: &mut [f64]) {
    let closed = || (0..statuses.len()).filter(|j| statuses[*j].is_closed());
    for _ in 0..MAX_ITERATIONS {
        assemble::level(model, workspace, q, closed());
        let Workspace {
            level,
            joints,
            frozen,
            place,
            ..
        } = &mut *workspace;
        if level.is_empty() {
            return;
        }
        level.bias.clone_from(&level.residual);
        level.solve_bilateral(joints, |_| false, frozen); // sticking has no position to return to
        place.fill(0.0);
        level.add_response(place);
        let mut moved: f64 = 0.0;
        for (q, dq) in q.iter_mut().zip(place.iter()) {
            moved = moved.max(dq.abs() / (1.0 + q.abs()));
            *q += dq;
        }
        if moved <= CLOSED {
            return;
        }
    }
    assemble::level(model, workspace, q, closed());
}

fn velocity(workspace: &mut Workspace, statuses: &[Status], v: &mut [f64]) {
    let Workspace {
        level,
        joints,
        frozen,
        ..
    } = workspace;
    level.bias_from(v);
    level.solve_bilateral(joints, |contact| statuses[contact] == Status::Stick, frozen);
    level.add_response(v);
}
