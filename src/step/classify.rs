//! Statuses from the complementarity problem of accelerations (docs/METHOD.md, section 4).
//!
//!   0 <= n.a + n'.v | c_n >= 0,   0 <= D^T a + D'^T v + lambda e | beta >= 0,   0 <= mu c_n - e^T beta | lambda >= 0
//!
//! Contacts that slide have their known direction; those at tangential rest are free to choose. At a located event
//! the problem is degenerate for the contact that caused it, but its function says what it does next: it opens,
//! slides in the direction that its friction can no longer hold, or has come to rest. Where constraints depend on
//! each other no single contact is the cause; the problem is then posed a little later, at a state moved on with
//! the old statuses.

use super::complementarity::Sliding;
use super::report::Report;
use super::trial::ProbeKind;
use super::workspace::Workspace;
use super::{assemble, contact_band, rest_speed, trial};
use crate::force::Side;
use crate::lcp::Outcome;
use crate::math::{Vec3, max_abs, norm};
use crate::model::Model;
use crate::scene::format::Settings;
use crate::state::{State, Status};

/// How far the problem is posed after an event of dependent constraints, as a fraction of the standard step: the
/// forces must have moved by more than the tolerance of the complementarity problem.
const LOOK_AHEAD: f64 = 1e-3;

/// A contact that would hop less high than this (relative to the coordinates) before it falls back does not leave:
/// such a hop is lost in the rounding of its gap.
const HOP: f64 = 1e-14;

/// When the statuses are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// At the state itself: start, impact, jump of a force.
    Now,
    /// Just after an event that this function located; `workspace.acceleration` is that of the old statuses.
    JustAfter(ProbeKind),
}

// the step that the forces change over
fn look_ahead_of(state: &State, settings: &Settings) -> f64 {
    match settings.tolerance {
        Some(_) => settings.step.min(state.control.step),
        None => settings.step,
    }
}

/// Decides the statuses of all contacts and records what changed; false if there is no solution.
pub(super) fn classify(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    when: When,
) -> bool {
    let ahead = match when {
        When::Now => 0.0,
        When::JustAfter(ProbeKind::Redundant) => LOOK_AHEAD * look_ahead_of(state, settings),
        When::JustAfter(_) => 0.0,
    };
    if let When::JustAfter(ProbeKind::Cone(contact)) = when {
        slide_against_friction(state, workspace, contact);
    }
    let mut q = std::mem::take(&mut workspace.look_position);
    let mut v = std::mem::take(&mut workspace.look_velocity);
    model.displace(&mut q, &state.position, ahead, &state.velocity);
    for ((v, start), a) in v
        .iter_mut()
        .zip(&state.velocity)
        .zip(&workspace.acceleration)
    {
        *v = start + ahead * a;
    }
    touching(model, state, workspace, settings, when);
    let solved = decide(model, state, workspace, report, (when, ahead), &q, &v);
    workspace.look_position = q;
    workspace.look_velocity = v;
    solved
}

// closed contacts and those that touch without leaving, in `workspace.active`; which of them do not slide, in
// `workspace.at_rest`
fn touching(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    when: When,
) {
    assemble::gaps(model, workspace, &state.position);
    let band = contact_band(settings, workspace.standard_step);
    let gaps = std::mem::take(&mut workspace.gap);
    let near = (0..gaps.len())
        .filter(|j| gaps[*j] <= band || (state.statuses_known && state.status[*j].is_closed()));
    assemble::level(model, workspace, &state.position, near);
    workspace.gap = gaps;
    trial::free_acceleration(model, workspace, (state.time, Side::After), &state.velocity);
    let Workspace {
        level,
        active,
        at_rest,
        ..
    } = workspace;
    let slow = rest_speed(&state.velocity);
    let lowest_hop = HOP * (1.0 + max_abs(&state.position));
    active.clear();
    for (i, &contact) in level.contacts.iter().enumerate() {
        let normal = level.normal(i);
        let leaves = level.rows[normal].dot(&state.velocity);
        let falls = (-level.bias[normal]).max(0.0);
        if leaves <= slow || leaves * leaves <= 2.0 * falls * lowest_hop {
            active.push(contact);
            let tangents = normal + 1..=normal + level.n_friction;
            let slides = |row: usize| level.rows[row].dot(&state.velocity).abs() > slow;
            at_rest[contact] = !tangents.into_iter().any(slides)
                || (when == When::JustAfter(ProbeKind::Sliding(contact))
                    && level.has_stopped(i, &state.velocity, state.sliding.get(contact)));
        }
    }
}

// a velocity in a direction, of the given size
fn slowly(direction: Vec3, speed: f64) -> Vec3 {
    let size = norm(direction.as_slice());
    if size > 0.0 {
        direction * (speed / size)
    } else {
        direction
    }
}

// friction at its limit tells where a contact in space starts to slide; `workspace.level` holds it
fn slide_against_friction(state: &mut State, workspace: &mut Workspace, contact: usize) {
    let level = &workspace.level;
    if let Some(i) = level.contacts.iter().position(|j| *j == contact) {
        let against = -level.shear_vector(i, &level.impulse);
        workspace.sliding[contact] = slowly(against, rest_speed(&state.velocity));
        state.sliding.clone_from(&workspace.sliding);
    }
}

fn decide(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut Report,
    (when, ahead): (When, f64),
    q: &[f64],
    v: &[f64],
) -> bool {
    let active = std::mem::take(&mut workspace.active);
    let opens = |j: &usize| {
        when != When::JustAfter(ProbeKind::NormalForce(*j))
            && when != When::JustAfter(ProbeKind::Edge(*j))
    };
    assemble::level(model, workspace, q, active.iter().copied().filter(opens));
    workspace.active = active;
    trial::free_acceleration(model, workspace, (state.time + ahead, Side::After), v);
    let Workspace {
        level,
        joints,
        complementarity,
        at_rest,
        statuses,
        frozen,
        force,
        sliding: directions,
        last_forces,
        ..
    } = workspace;
    statuses.fill(Status::Open);
    if level.contacts.is_empty() {
        level.solve_frozen(joints, |_| Status::Open, frozen);
    } else {
        let speed = |contact: usize| {
            let i = level.contacts.iter().position(|j| *j == contact);
            i.map_or(0.0, |i| {
                level.rows[level.normal(i) + 1].dot(&state.velocity)
            })
        };
        for &contact in &level.contacts {
            let slides = !at_rest[contact] && model.contacts[contact].friction > 0.0;
            statuses[contact] = if !slides {
                Status::Open
            } else if model.is_spatial() {
                Status::Slip
            } else if speed(contact) > 0.0 {
                Status::SlipForward
            } else {
                Status::SlipBackward
            };
            if when == When::JustAfter(ProbeKind::Cone(contact)) {
                statuses[contact] = Status::Slip;
            } else if when == When::JustAfter(ProbeKind::ConeForward(contact)) {
                statuses[contact] = Status::SlipBackward;
            } else if when == When::JustAfter(ProbeKind::ConeBackward(contact)) {
                statuses[contact] = Status::SlipForward;
            }
        }
        let slow = rest_speed(v);
        // what slides does so along its velocity, whatever it did before
        for (i, &contact) in level.contacts.iter().enumerate() {
            if statuses[contact] == Status::Slip && !at_rest[contact] {
                directions[contact] = level.velocity_vector(i, v);
            }
        }
        level.direct(v, slow, directions);
        let sliding = |contact: usize| trial::known_sliding(statuses[contact]);
        level.guess_from(last_forces, 1.0);
        let outcome = complementarity.solve(level, joints, sliding, &state.status);
        if !matches!(outcome, Outcome::Solved { .. }) {
            return false;
        }
        for (i, &contact) in level.contacts.iter().enumerate() {
            let known: Sliding = trial::known_sliding(statuses[contact]);
            statuses[contact] = complementarity.status(level, i, known, max_abs(force));
            if statuses[contact] == Status::Slip {
                // what starts to slide does so against its friction
                directions[contact] = match known {
                    Sliding::Free => slowly(-level.shear_vector(i, &level.impulse), slow),
                    Sliding::Known(_) | Sliding::Directed => level.sliding_vector(i, v, slow),
                };
            }
        }
    }
    state.sliding.clone_from(directions);
    report.record_changes(state.time, &state.status, statuses);
    std::mem::swap(&mut state.status, statuses);
    state.statuses_known = true;
    true
}
