//! Compliant contacts and stops: their normal force in steps and accelerations, and their status.
//!
//! They are closed while their force (`kinds::compliance`) presses, and open otherwise, also while the bodies still overlap: a
//! Kelvin-Voigt contact ends its force before the bodies separate.
//!
//! (1)  c = h [(1 - alpha) N(x0, x0') + alpha (N(xs, xs') - (1 - row_at) h k xs')] - alpha h (d + gamma h k) G dv      a step; xs at its rows
//! (2)  c = h N(xm, xm') - h (d/2 + h k/4) G dv                                             a symmetric step, xm at its middle
//! (3)  lambda = N(x, x')                                                                   an instant
//! (4)  lambda = N(x, x') + h k x' - h (d + h k) G a                                        the same for contacts stiffer than a step
//!
//! with the depth x = -gap, its rate x' = -G v, and the derivatives k and d of N by them.

use super::coefficients::Coefficients;
use super::system::System;
use super::trial::{EventFunction, EventFunctionKind, Mode};
use super::{Run, assemble, trial};
use crate::integrate::workspace::Workspace;
use crate::kinds::compliance::{Compliance, Pressure};
use crate::kinds::plane::force::Side;
use crate::math::{Limit, max_abs, positive};
use crate::model::{Contact, Model, Poses};
use crate::state::{State, Status, closed};

/// Bodies count as separated below this depth, relative to their coordinates.
const TOUCHING: f64 = 1e-13;

/// Rounding of gaps, relative to the coordinates.
const ROUNDING: f64 = 1e-15;

/// Forces below this part of the largest one are too small to determine statuses.
const NEGLIGIBLE: f64 = 1e-8;

/// A closing contact without damper has no force yet: it is classified with the force after this part of a step.
const LOOK_AHEAD: f64 = 1e-3;

/// Contacts of a shorter period than this many steps, divided by 2 pi, are resolved by shorter steps while they vibrate ..
const UNRESOLVED: f64 = 0.5;

/// .. of this part of their period, times 2 pi.
const RESOLVED: f64 = 0.02;

/// They vibrate if the amplitude of their force is larger than this part of their load: otherwise they do not open.
pub(super) const VIBRATES: f64 = 0.5;

/// Smaller amplitudes of contacts that steps do not resolve are damped down to this part.
const AT_REST: f64 = 1e-3;

impl System {
    // depth and its rate at the poses of the rows
    fn depth(&self, i: usize, v: &[f64]) -> (f64, f64) {
        let normal = self.normal(i);
        (-self.residual[normal], -self.rows[normal].dot(v))
    }
}

fn law_of(model: &Model, contact: usize) -> Option<Compliance> {
    model.contacts[contact].compliance
}

// the force at the start of a step, if it is part of (1)
fn force_at_start(model: &Model, poses: &Poses, contact: usize, law: Compliance, v: &[f64]) -> f64 {
    let found = model.gap_and_rate(&model.contacts[contact], poses, v);
    found.map_or(0.0, |(gap, rate)| positive(law.pressure(-gap, -rate).force))
}

/// Closes the contacts that overlap at the start of a run: their elastic energy is part of that of the start.
pub(super) fn start(model: &Model, state: &mut State, workspace: &mut Workspace) {
    for (j, _) in (model.contacts.iter().enumerate()).filter(|(_, c)| c.compliance.is_some()) {
        let (gap, _) =
            assemble::gap_and_rate(model, workspace, j, &state.position, &state.velocity);
        if gap < 0.0 {
            state.status[j] = Status::Frictionless;
        }
    }
}

/// Forces of the compliant contacts in `workspace.active` at the start of a step, for (1).
pub(super) fn begin_step(model: &Model, workspace: &mut Workspace, q: &[f64], v: &[f64]) {
    if !model.has_compliant_contacts {
        return;
    }
    model.poses(q, &mut workspace.poses);
    let Workspace {
        active,
        poses,
        start_forces,
        ..
    } = workspace;
    start_forces.clear();
    start_forces.extend(
        active
            .iter()
            .map(|&j| law_of(model, j).map_or(0.0, |law| force_at_start(model, poses, j, law, v))),
    );
}

/// (1), after the bias of the system of a step has been computed for the free velocity change `workspace.free`. Contacts that are open at
/// the start have no force there.
pub(super) fn yield_in_step(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    v: &[f64],
    h: f64,
) {
    if !model.has_compliant_contacts {
        return;
    }
    let Workspace {
        system,
        free,
        start_forces,
        ..
    } = workspace;
    let Coefficients {
        alpha,
        gamma,
        row_at,
        ..
    } = *scheme;
    for i in 0..system.contacts.len() {
        let Some(law) = law_of(model, system.contacts[i]) else {
            continue;
        };
        let (depth, rate) = system.depth(i, v);
        if !depth.is_finite() {
            continue;
        }
        let Pressure {
            force,
            stiffness,
            damping,
        } = law.pressure(depth, rate);
        let end = force + (1.0 - row_at) * h * stiffness * rate;
        let impulse = h * ((1.0 - alpha) * start_forces[i] + alpha * end);
        let by_change = alpha * h * (damping + gamma * h * stiffness);
        let bias = system.rows[system.normal(i)].product(free);
        system.let_yield(i, (impulse, by_change), bias);
    }
}

/// The same for a step at the position level, an implicit one from `h back` beyond the poses of its rows.
pub(super) fn yield_at_position_level(
    model: &Model,
    workspace: &mut Workspace,
    (back, v): (&[f64], &[f64]),
    h: f64,
) {
    if !model.has_compliant_contacts {
        return;
    }
    let Workspace { system, free, .. } = workspace;
    for i in 0..system.contacts.len() {
        let Some(law) = law_of(model, system.contacts[i]) else {
            continue;
        };
        let (depth, rate) = system.depth(i, v);
        if !depth.is_finite() {
            continue;
        }
        let row = system.rows[system.normal(i)];
        let bias = row.product(free);
        let start = depth - h * row.dot(back);
        // the force may be zero at the start: it is linearized where the free motion ends, or all energy is stored
        let free_rate = rate - bias;
        let mobility = system.inverse_mass(i);
        let free_end = (start + h * free_rate).at_most(deepest(law, start, free_rate, mobility));
        let linearized = free_end.at_least(start);
        let at = law.pressure(linearized, rate);
        let impulse = h * (at.force + at.stiffness * (start + h * rate - linearized));
        let by_change = h * (at.damping + h * at.stiffness);
        system.let_yield(i, (impulse, by_change), bias);
    }
}

/// (2), after the bias of a symmetric step for the free velocity change `free`.
pub(super) fn yield_in_substep(
    model: &Model,
    system: &mut System,
    free: &[f64],
    v: &[f64],
    h: f64,
) {
    for i in 0..system.contacts.len() {
        let Some(law) = law_of(model, system.contacts[i]) else {
            continue;
        };
        let (depth, rate) = system.depth(i, v);
        let Pressure {
            force,
            stiffness,
            damping,
        } = law.pressure(depth, rate);
        let by_change = h * (0.5 * damping + 0.25 * h * stiffness);
        let bias = system.rows[system.normal(i)].product(free);
        system.let_yield(i, (h * force, by_change), bias);
    }
}

/// Do forces of closed contacts have all derivatives where the contacts close?
pub(super) fn forces_are_smooth(model: &Model, state: &State) -> bool {
    let mut laws = closed(&state.status).filter_map(|j| law_of(model, j));
    laws.all(|law| law.exponent == 1.0)
}

/// Energy that the dampers of compliant contacts take in a substep, J.
pub(super) fn damping_in_substep(
    model: &Model,
    system: &System,
    i: usize,
    mid_velocity: &[f64],
    h: f64,
) -> Option<f64> {
    let law = law_of(model, system.contacts[i])?;
    let (depth, rate) = system.depth(i, mid_velocity);
    Some(h * law.damping_force(depth, rate) * rate)
}

/// (3) and (4) in `workspace.level`, after its bias and the rates of its rows.
pub(super) fn yield_at_instant(model: &Model, workspace: &mut Workspace, v: &[f64]) {
    if !model.has_compliant_contacts {
        return;
    }
    let Workspace {
        level,
        contact_step: h,
        joints,
        fixed_mode_solver,
        ..
    } = workspace;
    level.find_mobilities(joints, fixed_mode_solver);
    for i in 0..level.contacts.len() {
        let Some(law) = law_of(model, level.contacts[i]) else {
            continue;
        };
        let (depth, rate) = level.depth(i, v);
        if !depth.is_finite() {
            continue;
        }
        let Pressure {
            force,
            stiffness,
            damping,
        } = law.pressure(depth, rate);
        let by_change = *h * (damping + *h * stiffness);
        if is_stiff(level, i, by_change) {
            let bias = level.bias[level.normal(i)];
            level.let_yield(i, (force + *h * stiffness * rate, by_change), bias);
        } else {
            level.know_normal(i, force);
        }
    }
}

// does the force change by more than the step can follow?
fn is_stiff(level: &System, i: usize, by_change: f64) -> bool {
    by_change * level.mobility(i) > 1.0
}

/// Are closed contacts at the state so stiff that symmetric steps must be smoothed? Their derivatives, times `by_velocity` and
/// `by_position`, are added to the mass.
pub(super) fn are_stiff(
    model: &Model,
    workspace: &mut Workspace,
    state: &State,
    by_velocity: f64,
    by_position: f64,
) -> bool {
    closed(&state.status).any(|j| {
        let contact = &model.contacts[j];
        let Some(law) = contact.compliance else {
            return false;
        };
        let (gap, rate) =
            assemble::gap_and_rate(model, workspace, j, &state.position, &state.velocity);
        let at = law.pressure(-gap, -rate);
        let added = by_velocity * at.damping + by_position * at.stiffness;
        added * mobility_of_bodies(model, contact) > 1.0
    })
}

// inverse mass of the bodies of a contact, which do not turn; of the stop of an angle their largest inverse inertia
fn mobility_of_bodies(model: &Model, contact: &Contact) -> f64 {
    let is_angle = model.is_angle(contact);
    let bodies = contact.bodies.iter().flatten();
    bodies
        .filter(|b| !has_given_motion(model, **b))
        .map(|b| {
            let body = &model.bodies[*b];
            (body.first..body.first + body.n_dof)
                .filter(|i| model.angular[*i] == is_angle)
                .fold(0.0, |m: f64, i| m.at_least(1.0 / model.mass[i]))
        })
        .sum()
}

// depth at which all energy is stored
fn deepest(law: Compliance, depth: f64, rate: f64, mobility: f64) -> f64 {
    law.depth_at_energy(law.energy(depth) + 0.5 * rate * rate / mobility)
}

fn has_given_motion(model: &Model, body: usize) -> bool {
    let mut drives = model.drives.iter().filter(|drive| drive.is_of_body());
    drives.any(|drive| model.bodies_of(drive)[1] == Some(body))
}

/// Does a compliant contact in `workspace.level`, where it has its force (3) or (4), press at the state? One that has just closed does so if
/// its force increases.
pub(super) fn presses(
    model: &Model,
    level: &System,
    i: usize,
    v: &[f64],
    h: f64,
    tolerance: f64,
) -> bool {
    let Some(law) = law_of(model, level.contacts[i]) else {
        return false;
    };
    let (depth, rate) = level.depth(i, v);
    let at = law.pressure(depth, rate);
    if is_stiff(level, i, h * (at.damping + h * at.stiffness)) {
        return true;
    }
    at.force > tolerance || (at.force >= -tolerance && at.stiffness * rate >= -tolerance)
}

/// The same where no force has built up yet: it gets the one that it will soon have, for its status.
pub(super) fn anticipate(
    model: &Model,
    workspace: &mut Workspace,
    v: &[f64],
    h: f64,
    tolerance: f64,
) {
    if !model.has_compliant_contacts {
        return;
    }
    let level = &mut workspace.level;
    let force = |i: usize| {
        law_of(model, level.contacts[i]).map_or(0.0, |law| {
            let (depth, rate) = level.depth(i, v);
            law.pressure(depth, rate).force
        })
    };
    let n = level.contacts.len();
    let largest = (0..n).map(force).fold(0.0, Limit::at_least);
    let negligible = tolerance.at_least(NEGLIGIBLE * largest);
    for i in 0..n {
        let Some(law) = law_of(model, level.contacts[i]) else {
            continue;
        };
        let (depth, rate) = level.depth(i, v);
        if law.pressure(depth, rate).force.abs() <= negligible {
            let ahead = LOOK_AHEAD * h;
            let soon = law.pressure(positive(depth) + ahead * positive(rate), positive(rate));
            level.know_normal(i, soon.force.at_least(2.0 * negligible));
        }
    }
}

/// Compliant contacts that are open while their bodies overlap, at the gaps in the workspace: they are watched by event functions.
pub(super) fn find_released(model: &Model, state: &State, workspace: &mut Workspace) {
    if !model.has_compliant_contacts {
        return;
    }
    let Workspace {
        near,
        gap,
        released,
        ..
    } = workspace;
    let apart = TOUCHING * (1.0 + max_abs(&state.position));
    released.clear();
    released.extend(near.contacts().filter(|&j| {
        state.status[j] == Status::Open && law_of(model, j).is_some() && gap[j] < -apart
    }));
}

/// Event functions of the contacts of [`find_released`], at the poses in the workspace: they are positive until the contact presses again,
/// and until the bodies have separated.
pub(super) fn add_event_functions(
    model: &Model,
    workspace: &mut Workspace,
    v: &[f64],
    force_scale: f64,
) {
    let Workspace {
        released,
        event_functions,
        poses,
        ..
    } = workspace;
    for &contact in released.iter() {
        let found = model.gap_and_rate(&model.contacts[contact], poses, v);
        let (Some((gap, rate)), Some(law)) = (found, law_of(model, contact)) else {
            continue;
        };
        let mut add = |value: f64, tolerance: f64, what: EventFunctionKind| {
            event_functions.push(EventFunction {
                value,
                tolerance,
                what,
            });
        };
        let reserve = -law.reserve(-gap, -rate);
        add(
            reserve.at_least(law.stiffness * gap),
            1e-12 * force_scale,
            EventFunctionKind::Pressing(contact),
        );
        add(-gap, 1e-15, EventFunctionKind::Separation(contact));
    }
}

/// The event function of the normal force of the `i`-th contact of the level, where that is known.
pub(super) fn reserve(model: &Model, level: &System, i: usize, v: &[f64]) -> Option<f64> {
    let law = law_of(model, level.contacts[i]).filter(|_| level.is_known(i))?;
    let (depth, rate) = level.depth(i, v);
    Some(law.reserve(depth, rate))
}

/// Energies of a compliant contact in a step, J.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrate) struct CompliantWork {
    pub contact: usize,
    /// Change of its elastic energy.
    pub stored: f64,
    /// Taken by its damper.
    pub damped: f64,
}

/// Energies of the compliant contacts in the trial step. Where statuses are determined by the step, or bodies overlap without force, all that
/// is not stored is damped.
pub(super) fn find_works(model: &Model, state: &State, workspace: &mut Workspace, mode: Mode) {
    workspace.compliant_works.clear();
    if !model.has_compliant_contacts {
        return;
    }
    let Workspace {
        system,
        trial,
        poses,
        compliant_works,
        released,
        ..
    } = workspace;
    let mut depths = |contact: usize| {
        [&state.position, &trial.position].map(|q| {
            model.poses_of(model.contacts[contact].bodies, q, poses);
            let gap = model.gap(&model.contacts[contact], poses);
            gap.map_or(0.0, |near| positive(-near.gap))
        })
    };
    for (i, &contact) in system.contacts.iter().enumerate() {
        let Some(law) = law_of(model, contact) else {
            continue;
        };
        let [before, after] = depths(contact);
        let stored = law.energy(after) - law.energy(before);
        let normal = system.normal(i);
        let rate = -system.columns[normal].dot(&trial.average);
        let damped = match mode {
            Mode::FixedMode => trial.h * law.damping_force(0.5 * (before + after), rate) * rate,
            Mode::Complementarity => positive(system.impulse[normal] * rate - stored),
        };
        compliant_works.push(CompliantWork {
            contact,
            stored,
            damped,
        });
    }
    for &contact in released.iter().filter(|j| !system.contacts.contains(j)) {
        if let Some(law) = law_of(model, contact) {
            let [before, after] = depths(contact);
            let stored = law.energy(after) - law.energy(before);
            compliant_works.push(CompliantWork {
                contact,
                stored,
                damped: positive(-stored),
            });
        }
    }
    model.poses(&trial.position, poses);
}

/// Power that the dampers of contacts take which overlap without force, at the poses in the workspace, W.
pub(super) fn released_power(model: &Model, workspace: &Workspace, v: &[f64]) -> f64 {
    let Workspace {
        released, poses, ..
    } = workspace;
    let powers = released.iter().filter_map(|&j| {
        let law = law_of(model, j)?;
        let (gap, rate) = model.gap_and_rate(&model.contacts[j], poses, v)?;
        Some(law.pressure(positive(-gap), 0.0).force * rate)
    });
    powers.sum()
}

/// How a compliant contact vibrates.
#[derive(Clone, Copy, Debug)]
struct Vibration {
    /// rad/s.
    frequency: f64,
    /// Amplitude of its force relative to its load.
    amplitude: f64,
}

impl Run<'_> {
    /// Length and end of the substep, shortened where it is to resolve the vibration of stiff compliant contacts.
    pub(super) fn resolve_contacts(&mut self, h: f64, target: f64) -> (f64, f64) {
        let shorter = self
            .fastest_vibration(h, self.resolved_amplitude)
            .map(|frequency| RESOLVED / frequency);
        self.resolves_contacts = shorter.is_some();
        let h = shorter.unwrap_or(h);
        self.workspace.contact_step = if self.standard > 0.0 { h } else { 0.0 };
        (
            h,
            if shorter.is_some() {
                self.state.time + h
            } else {
                target
            },
        )
    }

    /// Statuses could not be determined with forces of the end of a step: from now on steps are short enough for those of their start. False if
    /// they were already, or no contact is too stiff for the steps.
    pub(super) fn resolves_all_contacts(&mut self) -> bool {
        if self.resolved_amplitude == 0.0 || self.fastest_vibration(self.standard, 0.0).is_none() {
            return false;
        }
        self.resolved_amplitude = 0.0;
        self.workspace.contact_step = 0.0;
        self.state.statuses_known = false;
        true
    }

    /// Do contacts vibrate that steps of this length do not resolve, too little to open?
    pub(super) fn must_damp_contacts(&mut self, h: f64) -> bool {
        self.fastest_vibration(h, AT_REST).is_some()
    }

    // the highest frequency of compliant contacts that a step does not resolve and that vibrate with a larger amplitude, rad/s
    fn fastest_vibration(&mut self, h: f64, amplitude: f64) -> Option<f64> {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        if !model.has_compliant_contacts {
            return None;
        }
        let closed = |j: &usize| state.status[*j].is_closed() && law_of(model, *j).is_some();
        if !(0..state.status.len()).any(|j| closed(&j)) {
            return None;
        }
        let lengths = (workspace.standard_step, workspace.contact_step);
        (workspace.standard_step, workspace.contact_step) = (0.0, 0.0);
        let now = (state.time, Side::After);
        let (q, v) = (&state.position, &state.velocity);
        trial::accelerate(model, workspace, &state.status, now, q, v);
        (workspace.standard_step, workspace.contact_step) = lengths;
        let level = &workspace.level;
        let rounding = ROUNDING * (1.0 + max_abs(q));
        let vibrations = (0..level.contacts.len())
            .filter_map(|i| vibration(model, level, i, (v, &workspace.acceleration), rounding));
        vibrations
            .filter(|of| of.frequency * h > UNRESOLVED && of.amplitude >= amplitude)
            .map(|of| of.frequency)
            .reduce(Limit::at_least)
    }
}

fn vibration(
    model: &Model,
    level: &System,
    i: usize,
    (v, acceleration): (&[f64], &[f64]),
    rounding: f64,
) -> Option<Vibration> {
    let law = law_of(model, level.contacts[i])?;
    let (depth, rate) = level.depth(i, v);
    let at = law.pressure(depth, rate);
    let row = &level.rows[level.normal(i)];
    let mobility = level.mobility(i);
    if mobility <= 0.0 {
        return None;
    }
    // the slope of the force grows until all energy is stored
    let deepest = deepest(law, depth, rate, mobility);
    let stiffness = at.stiffness.at_least(law.pressure(deepest, 0.0).stiffness);
    let frequency = libm::sqrt(stiffness * mobility);
    let opening = row.dot(acceleration);
    let load = (at.force * mobility - opening).abs();
    let amplitude = libm::sqrt(opening * opening + frequency * frequency * rate * rate);
    let amplitude = positive(amplitude - frequency * frequency * rounding);
    Some(Vibration {
        frequency,
        amplitude: amplitude / load.at_least(f64::MIN_POSITIVE),
    })
}
