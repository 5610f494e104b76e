//! Impacts ([T] 7.3-7.4, [A] 4) over all touching contacts and all joints.
//!
//! (1)  compression:    M (vc - v-) = F c,   complementarity on G vc
//! (2)  restitution:    Poisson, in `poisson`
//! (3)  Newton:         complementarity on G v+ + e G v-
//! (4)  expedient:      v+ = (1 + e) vc - e v-,   e the smallest of the active contacts
//! (5)  energy limiter: if (2) or (3) would gain kinetic energy, v+ is interpolated towards vc, which never gains any,
//!      until it does not; all conditions are convex along that line, and impulses are interpolated alike
//! (6)  of all impulses with the same effect the minimum-norm ones are taken, phase by phase: without self-stress
//! (7)  friction elements loaded by a reaction:  |p| <= a |S c| of the phase, opposite to the motion at its end; others have no impulse

mod poisson;

use super::complementarity::Sliding;
use super::elements;
use super::energy;
use super::{assemble, contact_band, rest_speed, trial};
use crate::dynamics::kinetic_energy;
use crate::integrate::StepError;
use crate::integrate::report::{Event, EventKind, Report};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, positive, smaller};
use crate::model::Model;
use crate::scene::spec::{ImpactLaw, Settings};
use crate::state::{State, Status};

/// Bounces lower than this are not resolved, m: far above the rounding of a gap of metres.
const LOWEST_HOP: f64 = 1e-13;

/// Lower bounces are inelastic: this ends an infinite sequence of bounces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LowestBounce {
    /// The smooth motion compensates the approach velocity within this time, s.
    Time(f64),
    /// Approach speed, m/s.
    Speed(f64),
}

impl LowestBounce {
    fn is_above(self, approach: f64, acceleration: f64) -> bool {
        match self {
            LowestBounce::Time(time) => approach < acceleration * time,
            LowestBounce::Speed(speed) => {
                // a bounce that is lost in the rounding of the gap cannot be resolved
                let slowest = libm::sqrt(2.0 * acceleration.at_least(0.0) * LOWEST_HOP);
                acceleration > 0.0 && approach < speed.at_least(slowest)
            }
        }
    }
}

/// Applies the impact of all contacts that touch at the state, and of `located`.
pub(super) fn apply(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    bounce: LowestBounce,
    located: Option<usize>,
) -> Result<(), StepError> {
    gather(model, state, workspace, settings, located);
    restitution(model, state, workspace, bounce, report);
    // no finite force, stiff or not, acts during an impact: the metric is the mass matrix
    workspace.level.metric.use_mass(&model.mass);
    workspace.level.condense_rows();
    let now = (state.time, Side::After);
    workspace
        .level
        .prescribe_speeds(model, 1.0, now, &state.inputs);
    let energy_before = kinetic_energy(model, &state.velocity);
    workspace.before.clone_from(&state.velocity);
    compress(model, state, workspace)?;
    match settings.impact_law {
        ImpactLaw::Poisson => poisson::restitute(model, state, workspace)?,
        ImpactLaw::PoissonPrinted => poisson::restitute_as_printed(model, state, workspace)?,
        ImpactLaw::Newton => newton(model, state, workspace)?,
        ImpactLaw::Expedient => expedient(state, workspace),
    }
    // energy supplied by drives is not a gain
    let limited = settings.impact_energy_limit && !model.has_motors();
    if limited && settings.impact_law != ImpactLaw::Expedient {
        let compressed = &workspace.compressed;
        let drawn = energy::limit_impact(model, compressed, energy_before, &mut state.velocity);
        if let Some(part) = drawn {
            for (total, c) in workspace.impulse.iter_mut().zip(&workspace.compression) {
                *total = c + part * (*total - c);
            }
            report.limited_impacts += 1;
        }
    }
    let Workspace {
        level,
        impulse,
        before,
        ..
    } = &*workspace;
    let driven = level.work_of_drives(impulse, before, &state.velocity);
    report.applied_work += driven;
    let lost = energy_before + driven - kinetic_energy(model, &state.velocity);
    report.impact_loss += positive(lost);
    report.numerical_gain += positive(-lost);
    record(state, workspace, report, located);
    workspace.element_status.clone_from(&state.element_status);
    elements::hold(model, workspace);
    for &contact in &workspace.level.contacts {
        state.status[contact] = Status::Open;
    }
    state.statuses_known = false;
    state.damping_left = settings.damping_steps;
    Ok(())
}

// the touching contacts, at the velocity level
fn gather(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    located: Option<usize>,
) {
    assemble::gaps(model, workspace, &state.position);
    let band = contact_band(settings, workspace.standard_step);
    let gaps = std::mem::take(&mut workspace.gap);
    let touching = (0..gaps.len())
        .filter(|j| gaps[*j] <= band || state.status[*j].is_closed() || located == Some(*j))
        .filter(|j| model.contacts[*j].compliance.is_none());
    assemble::level(model, workspace, &state.position, touching);
    workspace.gap = gaps;
}

// restitution of each contact of the level: zero where it would bounce too low. A contact that does not approach gives back its share of an
// impact that bounces, and nothing in one that ends at rest.
fn restitution(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    bounce: LowestBounce,
    report: &mut Report,
) {
    trial::free_acceleration(model, workspace, (state.time, Side::After), &state.velocity);
    let Workspace {
        level,
        joints,
        fixed_mode_solver,
        restitution,
        sliding,
        resistance,
        ..
    } = workspace;
    resistance.clone_from(&state.resistance);
    let status = |j: usize| {
        if state.statuses_known {
            state.status[j]
        } else {
            Status::Open
        }
    };
    let slow = rest_speed(&state.velocity);
    level.set_directions(&state.velocity, sliding, resistance);
    level.solve_fixed_mode(joints, status, fixed_mode_solver);
    restitution.clear();
    let mut bounces = false;
    for i in 0..level.contacts.len() {
        let normal = level.normal(i);
        let acceleration = level.bias[normal] + level.gained(normal);
        let contact = &model.contacts[level.contacts[i]];
        let approach = -level.rows[normal].dot(&state.velocity);
        let approaches = approach > slow;
        let rests = approaches && bounce.is_above(approach, -acceleration);
        bounces |= approaches && !rests;
        report.rests += u64::from(rests && contact.restitution > 0.0);
        restitution.push(if rests { 0.0 } else { contact.restitution });
    }
    if !bounces {
        restitution.fill(0.0);
    }
}

// impulses of a phase, in `level.impulse`, (6), (7), with those of one-way clutches
fn solve(model: &Model, state: &State, workspace: &mut Workspace) -> Result<(), StepError> {
    workspace.level.reset_stribeck();
    if !model.elements.is_empty() {
        elements::begin_phase(model, workspace);
    }
    let (mut revision, mut is_revised) = (elements::Revision::default(), true);
    for _ in 0..elements::MAX_REVISIONS {
        let Workspace {
            level,
            joints,
            complementarity,
            fixed_mode_solver,
            ..
        } = &mut *workspace;
        let free = |_| Sliding::Free;
        if level.contacts.is_empty() {
            level.solve_fixed_mode(joints, |_| Status::Open, fixed_mode_solver);
        } else {
            let outcome = complementarity.solve_impulses(level, joints, free, &state.status, 1.0);
            StepError::unless_acceptable(outcome, state.time, level.n_friction > 1)?;
            complementarity.use_answer(outcome);
        }
        let before = (state.time, &state.velocity[..]);
        is_revised = elements::revise_in_phase(model, before, workspace, &mut revision)
            || revise_one_ways(state, workspace);
        if !is_revised {
            break;
        }
    }
    if is_revised {
        return Err(trial::unsolved(state.time));
    }
    let Workspace {
        level,
        joints,
        fixed_mode_solver,
        element_status,
        ..
    } = workspace;
    if !elements::any_loaded(model, element_status) {
        level.remove_self_stress(joints, fixed_mode_solver);
    }
    Ok(())
}

fn revise_one_ways(state: &State, workspace: &mut Workspace) -> bool {
    let Workspace {
        level,
        joints,
        one_ways,
        ..
    } = workspace;
    let slow = rest_speed(&state.velocity);
    elements::revise_one_ways(level, (one_ways, slow), joints)
}

// (1): vc in `workspace.compressed`, its impulses in `workspace.compression` and `workspace.impulse`
fn compress(model: &Model, state: &State, workspace: &mut Workspace) -> Result<(), StepError> {
    workspace.level.restituted.clear();
    workspace.level.bias_from(&state.velocity);
    workspace.level.free_rotation();
    solve(model, state, workspace)?;
    let Workspace {
        level,
        compressed,
        compression,
        impulse,
        ..
    } = workspace;
    compressed.clone_from(&state.velocity);
    level.add_response(compressed);
    compression.clone_from(&level.impulse);
    impulse.clone_from(&level.impulse);
    Ok(())
}

// (3)
fn newton(model: &Model, state: &mut State, workspace: &mut Workspace) -> Result<(), StepError> {
    let Workspace {
        level,
        restitution: e,
        ..
    } = &mut *workspace;
    level.bias_from(&state.velocity);
    for i in 0..level.contacts.len() {
        let normal = level.normal(i);
        let contact = &model.contacts[level.contacts[i]];
        if level.bias[normal] < 0.0 && e[i] > 0.0 {
            level.bias[normal] *= 1.0 + e[i];
            for row in level.tangent_rows(i) {
                level.bias[row] *= 1.0 + contact.tangential_restitution;
            }
        }
    }
    solve(model, state, workspace)?;
    let Workspace { level, impulse, .. } = workspace;
    level.add_response(&mut state.velocity);
    impulse.clone_from(&level.impulse);
    Ok(())
}

// (4)
fn expedient(state: &mut State, workspace: &mut Workspace) {
    let Workspace {
        level,
        compressed,
        before,
        impulse,
        restitution: e,
        one_ways,
        ..
    } = workspace;
    // one-way clutches do not bounce
    if one_ways.iter().any(|row| impulse[*row] > 0.0) {
        e.fill(0.0);
    }
    let loaded = (0..level.contacts.len()).filter(|i| impulse[level.normal(*i)] > 0.0);
    let smallest = loaded.map(|i| e[i]).fold(f64::INFINITY, smaller);
    let e = if smallest.is_finite() { smallest } else { 0.0 };
    for i in 0..compressed.len() {
        state.velocity[i] = (1.0 + e) * compressed[i] - e * before[i];
    }
    impulse.iter_mut().for_each(|c| *c *= 1.0 + e);
}

fn record(state: &State, workspace: &Workspace, report: &mut Report, located: Option<usize>) {
    let level = &workspace.level;
    for (i, &contact) in level.contacts.iter().enumerate() {
        let normal = level.normal(i);
        let impulse = level.contact_impulse(i, &workspace.impulse);
        let approach = -level.rows[normal].dot(&workspace.before);
        let came = approach > rest_speed(&workspace.before);
        if located == Some(contact) || (came && impulse[0] > 0.0) {
            report.record(Event {
                time: state.time,
                kind: EventKind::Impact,
                contact,
                impulse,
            });
        }
    }
    for &row in &workspace.one_ways {
        let (impulse, rate) = (
            workspace.impulse[row],
            level.rows[row].dot(&workspace.before),
        );
        if impulse > 0.0 && rate < -rest_speed(&workspace.before) {
            report.record(Event {
                time: state.time,
                kind: EventKind::Impact,
                contact: state.status.len() + row - level.first_element(),
                impulse: [impulse, 0.0],
            });
        }
    }
}
