//! Contact statuses from the complementarity problem of accelerations (docs/METHOD.md, section 4).
//!
//!   0 <= n.a + n'.v | c_n >= 0,   0 <= D^T a + D'^T v + lambda e | beta >= 0,   0 <= mu c_n - e^T beta | lambda >= 0
//!
//! Sliding contacts have a known direction; contacts at tangential rest may start in any. At a located event the problem is degenerate for
//! the contact that caused it, but its event function determines what it does next: it opens, slides in the direction that friction can no
//! longer resist, or comes to rest. If constraints are dependent, no single contact is the cause; the problem is then posed slightly later,
//! at a state advanced with the old statuses.

use super::complementarity::Sliding;
use super::compliant;
use super::load_direction;
use super::servos;
use super::system::System;
use super::trial::EventFunctionKind;
use super::{assemble, contact_band, elements, rest_speed, trial};
use crate::contact::lcp::Outcome;
use crate::integrate::report::Report;
use crate::integrate::workspace::{AtRest, Workspace};
use crate::kinds::plane::force::Side;
use crate::math::dense::RankRevealing;
use crate::math::{Limit, Vec3, dot3, max_abs, norm};
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::state::{Resistance, State, Status, closed};

/// How much later the problem is posed after an event of dependent constraints, as a fraction of the standard step: the forces must have
/// changed by more than the tolerance of the complementarity problem.
const LOOK_AHEAD: f64 = 1e-3;

/// A contact that would lift off by less than this (relative to the coordinates) before it falls back stays closed: the gap is lost in
/// rounding.
const HOP: f64 = 1e-14;

/// Part of the forces on the bodies below which a normal force is zero.
const NO_FORCE: f64 = 1e-12;

/// At which instant statuses are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// At the state itself: start, impact, jump of a force.
    Now,
    /// Just after the event located by this function; `workspace.acceleration` is that of the old statuses.
    JustAfter(EventFunctionKind),
}

// time over which the forces change
fn look_ahead_time(state: &State, settings: &Settings) -> f64 {
    match settings.tolerance {
        Some(_) => settings.step.at_most(state.control.step),
        None => settings.step,
    }
}

/// Determines the statuses of all contacts and records changes; false if there is no solution.
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
        When::JustAfter(EventFunctionKind::Redundant) => {
            LOOK_AHEAD * look_ahead_time(state, settings)
        }
        When::JustAfter(_) => 0.0,
    };
    match when {
        When::JustAfter(EventFunctionKind::Cone(contact)) => {
            slide_against_friction(state, workspace, contact);
        }
        When::JustAfter(EventFunctionKind::RollingCone(contact)) => {
            roll_against_friction(state, workspace, contact);
        }
        When::Now => servos::choose(model, state, workspace),
        When::JustAfter(what) => {
            if !servos::switch(model, state, workspace, what) {
                load_direction::reverse(state, workspace, what);
            }
        }
    }
    let mut q = std::mem::take(&mut workspace.sample_position);
    let mut v = std::mem::take(&mut workspace.sample_velocity);
    model.displace(&mut q, &state.position, ahead, &state.velocity);
    for ((v, start), a) in v
        .iter_mut()
        .zip(&state.velocity)
        .zip(&workspace.acceleration)
    {
        *v = start + ahead * a;
    }
    touching(model, state, workspace, settings, when);
    let solved = decide(
        model,
        state,
        workspace,
        settings,
        report,
        (when, ahead),
        [&q, &v],
    );
    workspace.sample_position = q;
    workspace.sample_velocity = v;
    solved
}

// closed contacts and those that touch without separating, in `workspace.active`; their motions that are zero, in `workspace.at_rest`
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
        system,
        force,
        contact_step,
        ..
    } = workspace;
    // contacts that stopped along the flow of the step did so at its end
    let stops = matches!(when, When::JustAfter(what) if what.is_stop());
    let stopped = |contact: usize| {
        if stops && system.flow.followed {
            system.stopped(contact)
        } else {
            [false; 2]
        }
    };
    let slow = rest_speed(&state.velocity);
    let lowest_hop = HOP * (1.0 + max_abs(&state.position));
    let no_force = NO_FORCE * max_abs(force);
    active.clear();
    for (i, &contact) in level.contacts.iter().enumerate() {
        let presses = if level.is_compliant(i) {
            when == When::JustAfter(EventFunctionKind::Pressing(contact))
                || compliant::presses(model, level, i, &state.velocity, *contact_step, no_force)
        } else {
            let normal = level.normal(i);
            let separates = level.rows[normal].dot(&state.velocity);
            let falls = (-level.bias[normal]).at_least(0.0);
            separates <= slow || separates * separates <= 2.0 * falls * lowest_hop
        };
        if presses {
            active.push(contact);
            let moves = |row: usize| level.rows[row].dot(&state.velocity).abs() > slow;
            let [slid, rolled] = stopped(contact);
            at_rest[contact].sliding = !level.tangent_rows(i).any(moves)
                || ((slid || when == When::JustAfter(EventFunctionKind::Sliding(contact)))
                    && level.has_stopped(i, &state.velocity, state.sliding.get(contact)));
            if let Some(before) = state.resistance.get(contact) {
                let (spin, disc) = (level.spin_row(i), level.rolling_disc(i));
                at_rest[contact].spin =
                    !moves(spin) || when == When::JustAfter(EventFunctionKind::Spinning(contact));
                at_rest[contact].roll = !(spin + 1..=spin + 2).any(moves)
                    || ((rolled || when == When::JustAfter(EventFunctionKind::Rolling(contact)))
                        && level.has_stopped(disc, &state.velocity, Some(&before.rolling)));
            }
        }
    }
}

// a velocity of given magnitude along a direction
fn with_speed(direction: Vec3, speed: f64) -> Vec3 {
    let size = norm(direction.as_slice());
    if size > 0.0 {
        direction * (speed / size)
    } else {
        direction
    }
}

// a contact in space starts to slide against its limiting friction, which is in `workspace.level`
fn slide_against_friction(state: &mut State, workspace: &mut Workspace, contact: usize) {
    let level = &workspace.level;
    if let Some(i) = level.contacts.iter().position(|j| *j == contact) {
        let against = level.velocity_against(i);
        workspace.sliding[contact] = with_speed(against, rest_speed(&state.velocity));
        state.sliding[contact] = workspace.sliding[contact];
    }
}

// the same for rolling
fn roll_against_friction(state: &mut State, workspace: &mut Workspace, contact: usize) {
    let level = &workspace.level;
    if let Some(i) = level.contacts.iter().position(|j| *j == contact) {
        let against = -level.rolling_vector(i);
        workspace.resistance[contact].rolling = with_speed(against, rest_speed(&state.velocity));
        state.resistance.clone_from(&workspace.resistance);
    }
}

// known spin and rolling of the contacts of the level before their problem is solved
fn known_resistance(
    level: &System,
    at_rest: &[AtRest],
    when: When,
    v: &[f64],
    resistance: &mut [Resistance],
) {
    for known in resistance.iter_mut() {
        (known.spin, known.roll) = (Status::Open, Status::Open);
    }
    if resistance.is_empty() {
        return;
    }
    for (i, &contact) in level.contacts.iter().enumerate() {
        let [torsional, rolling] = level.resisting[i];
        let known = &mut resistance[contact];
        let signed = |forward: bool| {
            if forward {
                Status::SlipForward
            } else {
                Status::SlipBackward
            }
        };
        if torsional > 0.0 {
            if when == When::JustAfter(EventFunctionKind::SpinForward(contact)) {
                known.spin = Status::SlipBackward;
            } else if when == When::JustAfter(EventFunctionKind::SpinBackward(contact)) {
                known.spin = Status::SlipForward;
            } else if !at_rest[contact].spin {
                known.spin = signed(level.rows[level.spin_row(i)].dot(v) > 0.0);
            }
        }
        let breaks = when == When::JustAfter(EventFunctionKind::RollingCone(contact));
        if rolling > 0.0 && (breaks || !at_rest[contact].roll) {
            known.roll = Status::Slip;
            if !breaks {
                known.rolling = level.rolling_velocity(i, v);
            }
        }
    }
}

// with large mass ratios the complementarity problem loses too many digits; if sticking of all contacts at rest is admissible, these are
// the statuses, otherwise they are unchanged
fn all_stick(
    level: &mut System,
    joints: &[bool],
    statuses: &mut [Status],
    solver: &mut RankRevealing,
    scale: f64,
) -> bool {
    if !level.is_uneven || !level.resisting.is_empty() {
        return false;
    }
    let at_rest = |level: &System, i: usize| {
        if level.has_friction(i) {
            Status::Stick
        } else {
            Status::Frictionless
        }
    };
    // open means: to be determined by the problem
    for i in 0..level.contacts.len() {
        let contact = level.contacts[i];
        if statuses[contact] == Status::Open {
            statuses[contact] = at_rest(level, i);
        }
    }
    level.solve_fixed_mode(joints, |contact| statuses[contact], solver);
    let holds = level.is_admissible(statuses, scale);
    for i in 0..level.contacts.len() {
        let contact = level.contacts[i];
        let is_loaded = level.impulse[level.normal(i)] > 1e-12 * scale;
        let was_open = statuses[contact] == at_rest(level, i);
        if (holds && !is_loaded) || (!holds && was_open) {
            statuses[contact] = Status::Open;
        }
    }
    holds
}

// does static friction exceed kinetic friction, in space?
fn holds_more(model: &Model, contact: usize) -> bool {
    model.is_spatial() && model.contacts[contact].drops_at_breakaway()
}

// statuses of contacts that slide, or start to slide by the event
fn set_known_statuses(
    model: &Model,
    level: &System,
    at_rest: &[AtRest],
    when: When,
    velocity: &[f64],
    statuses: &mut [Status],
) {
    let speed = |contact: usize| {
        let i = level.contacts.iter().position(|j| *j == contact);
        i.map_or(0.0, |i| level.rows[level.normal(i) + 1].dot(velocity))
    };
    for (i, &contact) in level.contacts.iter().enumerate() {
        let slides = !at_rest[contact].sliding && level.has_friction(i);
        statuses[contact] = if !slides {
            Status::Open
        } else if model.is_spatial() {
            Status::Slip
        } else if speed(contact) > 0.0 {
            Status::SlipForward
        } else {
            Status::SlipBackward
        };
        if when == When::JustAfter(EventFunctionKind::Cone(contact)) && !holds_more(model, contact)
        {
            statuses[contact] = Status::Slip;
        } else if when == When::JustAfter(EventFunctionKind::ConeForward(contact)) {
            statuses[contact] = Status::SlipBackward;
        } else if when == When::JustAfter(EventFunctionKind::ConeBackward(contact)) {
            statuses[contact] = Status::SlipForward;
        }
    }
}

fn decide(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    (when, ahead): (When, f64),
    [q, v]: [&[f64]; 2],
) -> bool {
    let active = std::mem::take(&mut workspace.active);
    let opens = |j: &usize| {
        when != When::JustAfter(EventFunctionKind::NormalForce(*j))
            && when != When::JustAfter(EventFunctionKind::Edge(*j))
    };
    assemble::level(model, workspace, q, active.iter().copied().filter(opens));
    workspace.active = active;
    let time = (state.time + ahead, Side::After);
    if !model.elements.is_empty() {
        let located = match when {
            When::Now => None,
            When::JustAfter(what) => Some(what),
        };
        let slow = rest_speed(&state.velocity);
        let motion = (&state.velocity[..], slow);
        elements::guess_statuses(model, workspace, state.time, located, motion);
    }
    trial::free_acceleration(model, workspace, time, v);
    let no_force = NO_FORCE * max_abs(&workspace.force);
    compliant::anticipate(model, workspace, v, settings.step, no_force);
    let (mut is_revised, mut revision) = (true, elements::Revision::default());
    for _ in 0..elements::MAX_REVISIONS {
        if !solve_contacts(model, state, workspace, when, v) {
            return false;
        }
        is_revised = elements::revise_at_instant(model, workspace, time, v, &mut revision);
        if !is_revised {
            break;
        }
    }
    if is_revised {
        return false;
    }
    accept_statuses(model, state, workspace, report);
    true
}

// the statuses of contacts, with those of friction elements in the workspace; false if there is no solution
fn solve_contacts(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    when: When,
    v: &[f64],
) -> bool {
    let Workspace {
        level,
        joints,
        complementarity,
        at_rest,
        statuses,
        fixed_mode_solver,
        force,
        sliding: directions,
        resistance,
        last_forces,
        ..
    } = workspace;
    statuses.fill(Status::Open);
    known_resistance(level, at_rest, when, &state.velocity, resistance);
    if level.contacts.is_empty() {
        level.solve_fixed_mode(joints, |_| Status::Open, fixed_mode_solver);
    } else {
        set_known_statuses(model, level, at_rest, when, &state.velocity, statuses);
        let slow = rest_speed(v);
        // sliding contacts slide along their velocity, whatever their previous direction
        for (i, &contact) in level.contacts.iter().enumerate() {
            if statuses[contact] == Status::Slip && !at_rest[contact].sliding {
                directions[contact] = level.velocity_vector(i, v);
            }
        }
        level.set_directions(v, directions, resistance);
        level.guess_from(last_forces, 1.0);
        let sticks = all_stick(level, joints, statuses, fixed_mode_solver, max_abs(force));
        // static friction is not restored before a contact that broke away has stopped
        let stops = matches!(when, When::JustAfter(what) if what.is_stop());
        let starts = |contact: usize| {
            when == When::JustAfter(EventFunctionKind::Cone(contact))
                || (state.statuses_known && state.status[contact] == Status::Slip && !stops)
        };
        let known = |status: Status, contact: usize| match trial::known_sliding(status) {
            Sliding::Free if holds_more(model, contact) && starts(contact) => Sliding::Broken,
            sliding => sliding,
        };
        let sliding = |contact: usize| known(statuses[contact], contact);
        if !sticks {
            let outcome = complementarity.solve(level, joints, sliding, &state.status);
            if !matches!(outcome, Outcome::Solved { .. }) {
                return false;
            }
        }
        for (i, &contact) in level.contacts.iter().enumerate().filter(|_| sticks) {
            if statuses[contact] == Status::Slip {
                directions[contact] = level.sliding_vector(i, v, slow);
            }
        }
        for (i, &contact) in level.contacts.iter().enumerate().filter(|_| !sticks) {
            let known: Sliding = known(statuses[contact], contact);
            statuses[contact] = complementarity.status(level, i, known, max_abs(force));
            if let Some(turns) = resistance.get_mut(contact) {
                if !statuses[contact].is_closed() {
                    *turns = Resistance::default();
                } else if turns.roll == Status::Slip {
                    *turns = complementarity.resistance(level, i, slow);
                    turns.rolling = level.rolling_rate(i, v, slow);
                } else {
                    *turns = complementarity.resistance(level, i, slow);
                }
            }
            if statuses[contact] == Status::Slip {
                // a contact starts to slide against its friction
                directions[contact] = match known {
                    Sliding::Free | Sliding::Broken => with_speed(level.velocity_against(i), slow),
                    Sliding::Known(_) | Sliding::Directed => level.sliding_vector(i, v, slow),
                };
            }
        }
    }
    true
}

// makes the statuses in the workspace those of the state
fn accept_statuses(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut Report,
) {
    let Workspace {
        statuses,
        gap,
        sliding: directions,
        resistance,
        ..
    } = workspace;
    for (contact, status) in statuses.iter().enumerate() {
        let slides_on = *status == Status::Slip && state.status[contact] == Status::Slip;
        if slides_on && dot3(state.sliding[contact], directions[contact]) < 0.0 {
            report.record_reversal(state.time, contact);
        }
    }
    if !state.sliding.is_empty() {
        for contact in closed(statuses) {
            state.sliding[contact] = directions[contact];
        }
    }
    report.record_changes(model, state.time, gap, [&state.status, statuses]);
    report.record_turns(state.time, &state.resistance, resistance);
    state.resistance.clone_from(resistance);
    let (old, new) = (&mut state.element_status, &workspace.element_status);
    elements::accept_statuses(model, state.time, old, new, report);
    std::mem::swap(&mut state.status, &mut workspace.statuses);
    state.statuses_known = true;
}
