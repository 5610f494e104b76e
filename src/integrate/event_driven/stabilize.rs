//! Projection of positions and velocities onto joints and closed contacts ([A] 2.5, [E] 46).
//!
//! (1)  q <- q - M^-1 G^T (G M^-1 G^T)^-1 g(q)      joints and gaps of closed contacts, until convergence
//! (2)  v <- v - M^-1 F (G M^-1 F)^-1 G v           the same rows, tangents and rotations of sticking contacts
//!
//! Without sliding, F = G^T and (2) is orthogonal in the mass metric: it never gains kinetic energy. The defect removed by (2) is of second
//! order in the step, so a sliding contact must remove it with its friction: F has the column n - sign mu t. Along n alone the missing
//! friction would accumulate to an error of first order.
//!
//! (3)  v <- v sqrt(1 - dV / T)   if (1) raised the potential energy by dV > 0, of third order in the step, so that
//!      the projection as a whole gains none; if enabled, the energy limiter does so for the whole step
//!
//! (4)  the impulses l of (2) at drives do the work l g . (v before + v after) / 2: it is of second order in the step, because g . v
//!      = s is not zero there, and part of the energy balance; so is that of friction at sliding contacts

use super::assemble;
use super::elements;
use super::energy;
use super::system::{ElementForce, System};
use crate::dynamics;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, max_abs};
use crate::model::Model;
use crate::state::{Status, closed};

/// Convergence: no coordinate would move by more than this (relative to its size), which is rounding.
const CLOSED: f64 = 1e-15;

/// After a Newton step this small only rounding is left: convergence is quadratic.
const QUADRATIC: f64 = 1e-9;

/// After a smaller step the factors of a large system serve another one: the rows have turned by about as much.
const CHORD: f64 = 1e-4;

/// Relative energy changes below this are rounding, and must not accumulate.
const ROUNDING: f64 = 1e-12;

/// Maximum number of Newton iterations for (1): quadratic from a drift of third order in the step.
const MAX_ITERATIONS: usize = 5;

/// Projects `q` and `v`, without (3) if energy is corrected later; returns the work of drives (4). Leaves `workspace.level` (closed
/// contacts of `statuses`) and the poses at the new `q`.
pub(super) fn project(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &mut [f64],
    v: &mut [f64],
    corrected_later: bool,
) -> f64 {
    let potential = |workspace: &mut Workspace, q: &[f64]| {
        let Workspace {
            inputs,
            poses,
            twists,
            ..
        } = workspace;
        model.poses(q, poses);
        dynamics::potential_energy(model, 0.0, inputs, poses, twists)
    };
    workspace.balance.clear_friction_work();
    if model.n_joint_rows == 0 && closed(statuses).next().is_none() {
        assemble::level(model, workspace, q, std::iter::empty());
        return 0.0;
    }
    if corrected_later {
        position(model, workspace, statuses, time, q, CLOSED);
        return velocity(model, workspace, statuses, time, v);
    }
    let before = potential(workspace, q);
    position(model, workspace, statuses, time, q, CLOSED);
    let raised = potential(workspace, q) - before;
    let driven = velocity(model, workspace, statuses, time, v);
    // (3)
    let kinetic = dynamics::kinetic_energy(model, v);
    if raised > ROUNDING * (before.abs() + kinetic) {
        energy::remove_gain(model, workspace, statuses, raised, v);
    }
    driven
}

/// Projects the end of a high-order step, whose drift is below its error: (1) and (2) with minimal work, without (3).
pub(super) fn close(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &mut [f64],
    v: &mut [f64],
) {
    if model.n_joint_rows == 0 && closed(statuses).next().is_none() {
        return;
    }
    position(model, workspace, statuses, time, q, QUADRATIC);
    let Workspace {
        level,
        joints,
        sliding,
        resistance,
        ..
    } = &mut *workspace;
    level.set_directions(v, sliding, resistance);
    let defect = level.defect(joints, statuses, v);
    if defect > CLOSED * (1.0 + max_abs(v)) {
        velocity(model, workspace, statuses, time, v);
    }
}

/// Projects velocities at `q` (2); returns the work of drives (4).
pub(super) fn stop(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &[f64],
    v: &mut [f64],
) -> f64 {
    assemble::level(model, workspace, q, closed(statuses));
    velocity(model, workspace, statuses, time, v)
}

fn position(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &mut [f64],
    enough: f64,
) {
    let mut last = f64::INFINITY;
    for _ in 0..MAX_ITERATIONS {
        let rigid = closed(statuses).filter(|j| model.contacts[*j].compliance.is_none());
        assemble::level(model, workspace, q, rigid);
        let Workspace {
            level,
            poses,
            inputs,
            joints,
            fixed_mode_solver,
            scratch_position,
            work,
            ..
        } = &mut *workspace;
        assemble::drive_residuals(model, poses, time, inputs, level);
        level.bias.clone_from(&level.residual);
        if enough == QUADRATIC && max_abs(&level.residual) <= CLOSED {
            return;
        }
        *work += 1;
        if last > CHORD || !level.solve_as_before(scratch_position) {
            // sticking has no position constraint, and friction does not change positions
            level.solve_motion(joints, |_| Status::Frictionless, fixed_mode_solver);
            scratch_position.fill(0.0);
            level.add_response(scratch_position);
        }
        let mut moved: f64 = 0.0;
        for (q, dq) in q.iter().zip(scratch_position.iter()) {
            moved = moved.at_least(dq.abs() / (1.0 + q.abs()));
        }
        if moved <= CLOSED {
            return;
        }
        model.advance(q, 1.0, scratch_position);
        if moved <= enough {
            break;
        }
        last = moved;
    }
    assemble::level(model, workspace, q, closed(statuses));
}

fn velocity(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    v: &mut [f64],
) -> f64 {
    elements::load_level(model, workspace, v);
    let Workspace {
        level,
        joints,
        fixed_mode_solver,
        work,
        sliding,
        resistance,
        inputs,
        balance,
        ..
    } = workspace;
    *work += 1;
    level.set_directions(v, sliding, resistance);
    level.prescribe_speeds(model, 1.0, time, inputs);
    level.bias_from(v);
    level.release_compliant();
    level.solve_motion(joints, |contact| statuses[contact], fixed_mode_solver);
    balance.friction_work.clear();
    let sliding = (0..level.contacts.len()).filter(|i| slides_or_turns(level, statuses, *i));
    for i in sliding {
        balance
            .friction_work
            .push((level.contacts[i], half_friction_work(level, i, v)));
    }
    for (e, loss) in balance.element_work.iter_mut().enumerate() {
        *loss = half_element_work(level, e, v);
    }
    let before = half_drive_work(level, v);
    level.add_response(v);
    for (e, loss) in balance.element_work.iter_mut().enumerate() {
        *loss += half_element_work(level, e, v);
    }
    let sliding = (0..level.contacts.len()).filter(|i| slides_or_turns(level, statuses, *i));
    for (i, (_, loss)) in sliding.zip(&mut balance.friction_work) {
        *loss += half_friction_work(level, i, v);
    }
    before + half_drive_work(level, v) // (4)
}

// does the `i`-th contact slide, spin or roll?
fn slides_or_turns(level: &System, statuses: &[Status], i: usize) -> bool {
    let turns = level.resistance_of(i);
    statuses[level.contacts[i]].slides() || turns.spin.slides() || turns.roll.slides()
}

// half of what a sliding friction element takes at velocities `v`
fn half_element_work(level: &System, e: usize, v: &[f64]) -> f64 {
    match level.elements[e] {
        ElementForce::Solved => 0.0,
        ElementForce::Given(_) | ElementForce::Loaded { .. } => {
            let row = &level.rows[level.first_element() + e];
            -0.5 * level.element_impulse(e) * row.dot(v)
        }
    }
}

// half the work of the drives at velocities `v`
fn half_drive_work(level: &System, v: &[f64]) -> f64 {
    let halves = level
        .driven_rows()
        .map(|row| 0.5 * level.impulse[row] * level.rows[row].dot(v));
    let of_elements = level
        .element_rows()
        .map(|row| 0.5 * level.impulse[row] * level.prescribed(row));
    halves.sum::<f64>() + of_elements.sum::<f64>()
}

// half of what friction of the `i`-th contact takes at velocities `v`
fn half_friction_work(level: &System, i: usize, v: &[f64]) -> f64 {
    let normal = level.normal(i);
    let rows = normal + 1..=normal + level.n_friction;
    let halves = rows.map(|row| -0.5 * level.impulse[row] * level.rows[row].dot(v));
    halves.sum()
}
