//! A step of a given length before its acceptance, and the event functions that check its statuses.
//!
//! Event functions ([T] 7.5, as resolved in docs/METHOD.md section 4) are positive while a status holds, at the end of the step: normal
//! force and cone slack from the acceleration level, sliding speed from the velocities.

use super::accept::Forces;
use super::assemble::{self, Start};
use super::coefficients::Coefficients;
use super::complementarity::Sliding;
use super::compliant;
use super::elements::{self, Span};
use super::energy::{self, Losses};
use super::load_direction;
use super::metric::Stiffness;
use super::rest_speed;
use super::servos;
use super::stabilize;
use super::system::System;
use crate::contact::lcp::Outcome;
use crate::dynamics;
use crate::integrate::StepError;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::{Detail, Side};
use crate::math::root::{hermite, quintic};
use crate::math::{Limit, Vec3, max_abs, norm, quaternion};
use crate::model::{Body, Model};
use crate::scene::spec::Settings;
use crate::state::{Resistance, State, Status, closed};

/// End of a trial step.
#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Trial {
    pub h: f64,
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    /// Mean velocity of the step.
    pub average: Vec<f64>,
    pub stabilized: bool,
    /// Work of drives in its projection, J.
    pub driven: f64,
    /// Its energy balance.
    pub losses: Losses,
    /// Does it gain too much energy to be corrected, open joints or rotate arms too far?
    pub is_inaccurate: bool,
    /// Does it lose too much energy to be corrected?
    pub is_lossy: bool,
    /// Energy was not corrected in a group in which a sliding contact reverses within the step.
    pub reverses: bool,
    /// Interpolant of the motion inside the step.
    pub curve: Curve,
    /// Accelerations at both ends, for the quintic interpolant.
    pub start_acceleration: Vec<f64>,
    pub end_acceleration: Vec<f64>,
    /// Forces at the end, for extrapolated steps.
    pub end_forces: Forces,
    /// Work of each flange, J.
    pub flange_work: Vec<f64>,
}

/// Interpolants of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::integrate) enum Curve {
    /// From positions and velocities.
    #[default]
    Cubic,
    /// From accelerations as well.
    Quintic,
}

impl Trial {
    pub fn new(model: &Model) -> Self {
        let n = model.n_velocities;
        Self {
            h: 0.0,
            position: vec![0.0; n],
            velocity: vec![0.0; n],
            average: vec![0.0; n],
            stabilized: false,
            driven: 0.0,
            losses: Losses::default(),
            is_inaccurate: false,
            is_lossy: false,
            reverses: false,
            curve: Curve::Cubic,
            start_acceleration: vec![0.0; n],
            end_acceleration: vec![0.0; n],
            end_forces: Forces::new(model),
            flange_work: vec![0.0; model.flanges.len()],
        }
    }

    /// Copies `other`, of the same model, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        let Self {
            h,
            position,
            velocity,
            average,
            stabilized,
            driven,
            losses,
            is_inaccurate,
            is_lossy,
            reverses,
            curve,
            start_acceleration,
            end_acceleration,
            end_forces,
            flange_work,
        } = other;
        self.h = *h;
        self.position.clone_from(position);
        self.velocity.clone_from(velocity);
        self.average.clone_from(average);
        self.stabilized = *stabilized;
        self.driven = *driven;
        self.losses = *losses;
        self.is_inaccurate = *is_inaccurate;
        self.is_lossy = *is_lossy;
        self.reverses = *reverses;
        self.curve = *curve;
        self.start_acceleration.clone_from(start_acceleration);
        self.end_acceleration.clone_from(end_acceleration);
        self.end_forces.copy_from(end_forces);
        self.flange_work.clone_from(flange_work);
    }

    /// Positions and velocities inside the step, at a time since its start.
    pub fn at(&self, model: &Model, start: &State, time: f64, q: &mut [f64], v: &mut [f64]) {
        for body in &model.bodies {
            self.body_at(model, body, start, time, q, v);
        }
    }

    /// The same of one body.
    pub fn body_at(
        &self,
        model: &Model,
        body: &Body,
        start: &State,
        time: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let span = body.first..body.first + body.n_dof;
        match self.curve {
            Curve::Cubic if time == 0.0 => {
                q[span.clone()].copy_from_slice(&start.position[span.clone()]);
                v[span.clone()].copy_from_slice(&start.velocity[span]);
            }
            Curve::Cubic if time == self.h => {
                q[span.clone()].copy_from_slice(&self.position[span.clone()]);
                v[span.clone()].copy_from_slice(&self.velocity[span]);
            }
            Curve::Cubic => {
                for i in span {
                    let (q0, v0) = (start.position[i], start.velocity[i]);
                    (q[i], v[i]) =
                        hermite(q0, v0, self.position[i], self.velocity[i], self.h, time);
                }
            }
            Curve::Quintic => {
                for i in span {
                    [q[i], v[i], _] = self.quintic(start, time, i);
                }
            }
        }
        if let Some(i) = model.rotation_of(body) {
            let [r, spin, _] = self.rotation(start, time, i);
            q[i..i + 3].copy_from_slice(r.as_slice());
            v[i..i + 3].copy_from_slice(spin.as_slice());
        }
    }

    /// Rotation since the start, angular velocity and its derivative inside the step; `i` is the first of three coordinates.
    pub fn rotation(&self, start: &State, time: f64, i: usize) -> [Vec3; 3] {
        let triple = |x: &[f64]| Vec3::new(x[i], x[i + 1], x[i + 2]);
        let end = triple(&self.position);
        let spin = triple(&self.velocity);
        let [rate, change] = quaternion::rates_of_spin(end, spin, triple(&self.end_acceleration));
        let mut curve = [Vec3::zeros(); 3];
        for k in 0..3 {
            let (v0, a0) = (start.velocity[i + k], self.start_acceleration[i + k]);
            let at = match self.curve {
                Curve::Cubic => {
                    let (r, rate) = hermite(0.0, v0, end[k], rate[k], self.h, time);
                    [r, rate, 0.0]
                }
                Curve::Quintic => {
                    quintic([0.0, v0, a0], [end[k], rate[k], change[k]], self.h, time)
                }
            };
            for (curve, at) in curve.iter_mut().zip(at) {
                curve[k] = at;
            }
        }
        let [r, rate, change] = curve;
        let [spin, change] = quaternion::spins_of_rate(r, rate, change);
        [r, spin, change]
    }

    /// Position, velocity and acceleration of a coordinate on the quintic interpolant.
    pub fn quintic(&self, start: &State, time: f64, i: usize) -> [f64; 3] {
        quintic(
            [
                start.position[i],
                start.velocity[i],
                self.start_acceleration[i],
            ],
            [self.position[i], self.velocity[i], self.end_acceleration[i]],
            self.h,
            time,
        )
    }
}

/// Value of an event function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::integrate) struct EventFunction {
    pub value: f64,
    /// Below the negative of this the status is violated: rounding of the value.
    pub tolerance: f64,
    pub what: EventFunctionKind,
}

/// Kinds of event functions, by contact or friction element of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::integrate) enum EventFunctionKind {
    NormalForce(usize),
    ConeForward(usize),
    ConeBackward(usize),
    /// The cone in space.
    Cone(usize),
    Sliding(usize),
    /// The bounds of torsional friction.
    SpinForward(usize),
    SpinBackward(usize),
    Spinning(usize),
    /// The cone of rolling friction.
    RollingCone(usize),
    Rolling(usize),
    /// Distance from the end of the touched edge.
    Edge(usize),
    /// Friction that the contacts of a pair could still take together, forward and backward, by its first contact: never violated itself,
    /// it indicates where to evaluate `Redundant`.
    PairForward(usize),
    PairBackward(usize),
    /// Sliding speed of a friction element.
    ElementSliding(usize),
    /// The bounds of a friction element that sticks.
    ElementForward(usize),
    ElementBackward(usize),
    /// The reaction that loads a friction element changes its sign.
    ElementLoad(usize),
    /// A servo, by force element of the model, reaches its upper or lower limit, or leaves it.
    ServoUpper(usize),
    ServoLower(usize),
    ServoInside(usize),
    /// A compliant contact that is open while its bodies overlap presses again, or they separate.
    Pressing(usize),
    Separation(usize),
    /// Dependent constraints: do the statuses still give the acceleration of the complementarity problem?
    Redundant,
}

impl EventFunctionKind {
    /// Does a motion stop where it is zero?
    pub fn is_stop(self) -> bool {
        match self {
            Self::Sliding(_) | Self::Spinning(_) | Self::Rolling(_) | Self::ElementSliding(_) => {
                true
            }
            Self::NormalForce(_)
            | Self::ConeForward(_)
            | Self::ConeBackward(_)
            | Self::Cone(_)
            | Self::SpinForward(_)
            | Self::SpinBackward(_)
            | Self::RollingCone(_)
            | Self::Edge(_)
            | Self::PairForward(_)
            | Self::PairBackward(_)
            | Self::ElementForward(_)
            | Self::ElementBackward(_)
            | Self::ElementLoad(_)
            | Self::ServoUpper(_)
            | Self::ServoLower(_)
            | Self::ServoInside(_)
            | Self::Pressing(_)
            | Self::Separation(_)
            | Self::Redundant => false,
        }
    }
}

/// How a step determines its statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// They are those of the state.
    FixedMode,
    /// By a complementarity problem over `workspace.active`.
    Complementarity,
}

/// Takes a trial step of length `h` from the state.
pub(super) fn take(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    scheme: &Coefficients,
    mode: Mode,
    h: f64,
) -> Result<(), StepError> {
    let (t, q, v) = (state.time, &state.position, &state.velocity);
    if !model.elements.is_empty() {
        elements::begin_step(model, state, workspace);
    }
    if mode == Mode::FixedMode {
        workspace.resistance.clone_from(&state.resistance);
        take_sliding(state, workspace);
        workspace.active.clear();
        workspace.active.extend(closed(&state.status));
    }
    let start = Start { t, q, v };
    let fixed_statuses = match mode {
        Mode::FixedMode => Some(&state.status[..]),
        Mode::Complementarity => None,
    };
    let mut stiffness = assemble::step_system(model, workspace, scheme, fixed_statuses, start, h);
    let damping = scheme.damping();
    let scheme = if workspace.turns && scheme.alpha < 1.0 {
        stiffness = assemble::step_system(model, workspace, &damping, fixed_statuses, start, h);
        &damping
    } else {
        scheme
    };
    if stiffness == Stiffness::Singular {
        return Err(StepError::Singular { time: t });
    }
    workspace.trial.stabilized = stiffness == Stiffness::Stabilized;
    workspace.system.flow.followed = false;
    let span = Span::Step {
        t,
        h,
        sigma: scheme.sigma,
    };
    match mode {
        Mode::FixedMode => {
            let mut change = 0.0;
            for _ in 0..elements::MAX_UPDATES {
                solve_fixed_statuses(model, state, workspace, scheme, h)?;
                change = elements::update_in_step(model, workspace, span, v);
                if change == 0.0 {
                    break;
                }
            }
            if change > elements::ACCEPTABLE_CHANGE {
                return Err(unsolved(t));
            }
            workspace.statuses.clone_from(&state.status);
        }
        Mode::Complementarity => solve_complementarity(model, state, workspace, span)?,
    }
    finish(workspace, scheme, q, v, h);
    if !workspace.trial.velocity.iter().all(|x| x.is_finite()) {
        return Err(StepError::NotFinite { time: t });
    }
    if mode == Mode::Complementarity {
        release_beyond_edges(model, workspace);
    }
    end(model, state, workspace, settings, mode);
    Ok(())
}

/// Takes the sliding velocities of closed contacts in space from the state; those of others have no meaning.
pub(super) fn take_sliding(state: &State, workspace: &mut Workspace) {
    if !state.sliding.is_empty() {
        for contact in closed(&state.status) {
            workspace.sliding[contact] = state.sliding[contact];
        }
    }
}

// the impulses of a step with the statuses of the state
fn solve_fixed_statuses(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    h: f64,
) -> Result<(), StepError> {
    let (q, v) = (&state.position, &state.velocity);
    let fast = {
        let Workspace {
            system,
            joints,
            fixed_mode_solver,
            sliding,
            resistance,
            last_forces,
            ..
        } = &mut *workspace;
        system.set_directions(v, sliding, resistance);
        system.guess_from(last_forces, h);
        system.slips_fast(
            joints,
            |j| state.status[j],
            (scheme.sigma, v),
            fixed_mode_solver,
        )
    };
    if fast {
        assemble::start_rows(model, workspace, scheme, &state.status, q);
    }
    let Workspace {
        system,
        joints,
        fixed_mode_solver,
        free,
        sliding,
        resistance,
        work,
        ..
    } = workspace;
    let status = |j: usize| state.status[j];
    if fast {
        system.solve_along_flow(
            joints,
            status,
            (scheme.sigma, v, h),
            free,
            fixed_mode_solver,
        );
        *work += system.work_of_flow();
        system.set_directions_from_flow(sliding, resistance);
    } else {
        system.solve_sliding(joints, status, (scheme.sigma, v), fixed_mode_solver);
    }
    if !system.directions_are_found() {
        return Err(unsolved(state.time));
    }
    Ok(())
}

/// Projects the end of the trial step and computes its energy balance.
pub(super) fn end(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    mode: Mode,
) {
    if settings.projection {
        let end = state.time + workspace.trial.h;
        project(model, workspace, end, energy::is_corrected(settings));
    } else {
        workspace.balance.clear_friction_work();
        model.poses(&workspace.trial.position, &mut workspace.poses);
    }
    let correct = energy::is_corrected(settings);
    energy::balance(model, state, workspace, mode, correct);
}

/// Solves the complementarity problem of the step; statuses go to `workspace.statuses` and `workspace.element_status`.
pub(super) fn solve_complementarity(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    span: Span,
) -> Result<(), StepError> {
    let mut revision = elements::Revision::default();
    let mut is_released = model.elements.is_empty();
    for _ in 0..elements::MAX_REVISIONS {
        if let Err(error) = solve_contacts(state, workspace, span) {
            if std::mem::replace(&mut is_released, true) {
                return Err(error);
            }
            elements::release_in_step(model, workspace, span, &state.velocity, &mut revision);
            continue;
        }
        if !elements::revise_in_step(model, workspace, span, &state.velocity, &mut revision) {
            return Ok(());
        }
    }
    Err(unsolved(state.time))
}

pub(super) fn unsolved(time: f64) -> StepError {
    let outcome = Outcome::PivotLimit;
    StepError::Unsolved { time, outcome }
}

fn solve_contacts(state: &State, workspace: &mut Workspace, span: Span) -> Result<(), StepError> {
    let Span::Step { h, sigma, .. } = span else {
        return Ok(());
    };
    let Workspace {
        system,
        joints,
        complementarity,
        statuses,
        fixed_mode_solver,
        force_end,
        resistance,
        last_forces,
        ..
    } = workspace;
    statuses.fill(Status::Open);
    resistance.fill(Resistance::default());
    if system.contacts.is_empty() {
        system.solve_fixed_mode(joints, |_| Status::Open, fixed_mode_solver);
        return Ok(());
    }
    // sliding contacts do not get static friction
    let sliding = |contact: usize| match state.status[contact] {
        Status::Slip => Sliding::Broken,
        Status::Open
        | Status::Frictionless
        | Status::Stick
        | Status::SlipForward
        | Status::SlipBackward => Sliding::Free,
    };
    system.slide_at(&state.velocity, |j| state.status[j].slides());
    system.guess_from(last_forces, h);
    let outcome = complementarity.solve_impulses(system, joints, sliding, &state.status, sigma);
    StepError::unless_acceptable(outcome, state.time, system.n_friction > 1)?;
    complementarity.use_answer(outcome);
    let scale = h * max_abs(force_end);
    let slow = rest_speed(&state.velocity);
    for (i, &contact) in system.contacts.iter().enumerate() {
        statuses[contact] = complementarity.status(system, i, sliding(contact), scale);
        if statuses[contact].is_closed() && !resistance.is_empty() {
            resistance[contact] = complementarity.resistance(system, i, slow);
        }
    }
    Ok(())
}

/// Velocities and positions at the end of the step from the solved system.
pub(super) fn finish(
    workspace: &mut Workspace,
    scheme: &Coefficients,
    q: &[f64],
    v: &[f64],
    h: f64,
) {
    let Workspace {
        system,
        free,
        trial,
        ..
    } = workspace;
    trial.h = h;
    trial.driven = 0.0;
    trial.curve = Curve::Cubic;
    trial.velocity.clone_from(free);
    system.add_response(&mut trial.velocity);
    system.write_elements();
    for i in 0..v.len() {
        let end = v[i] + trial.velocity[i];
        trial.velocity[i] = end;
        trial.average[i] = 0.5 * (v[i] + end);
        trial.position[i] = q[i] + h * ((1.0 - scheme.gamma) * v[i] + scheme.gamma * end);
    }
}

// a contact that moved over the end of its edge must not be projected back onto it
fn release_beyond_edges(model: &Model, workspace: &mut Workspace) {
    let end = std::mem::take(&mut workspace.trial.position);
    assemble::gaps(model, workspace, &end);
    workspace.trial.position = end;
    let Workspace {
        statuses,
        gap,
        poses,
        fixed_features,
        ..
    } = workspace;
    for (j, status) in statuses.iter_mut().enumerate() {
        let beyond = || assemble::margin(model, poses, fixed_features, j) < assemble::BEYOND;
        if status.is_closed() && (gap[j].is_infinite() || beyond()) {
            *status = Status::Open;
        }
    }
}

// projects the end of the trial step
fn project(model: &Model, workspace: &mut Workspace, end: f64, corrected_later: bool) {
    let mut position = std::mem::take(&mut workspace.trial.position);
    let mut velocity = std::mem::take(&mut workspace.trial.velocity);
    let statuses = std::mem::take(&mut workspace.statuses);
    workspace.trial.driven = stabilize::project(
        model,
        workspace,
        &statuses,
        (end, Side::Before),
        &mut position,
        &mut velocity,
        corrected_later,
    );
    workspace.statuses = statuses;
    workspace.trial.position = position;
    workspace.trial.velocity = velocity;
}

/// Evaluates event functions at the end of the trial step, whose statuses were those of the state.
pub(super) fn evaluate_end(model: &Model, state: &State, workspace: &mut Workspace) {
    let position = std::mem::take(&mut workspace.trial.position);
    let velocity = std::mem::take(&mut workspace.trial.velocity);
    let end = (state.time + workspace.trial.h, Side::Before);
    evaluate(model, workspace, &state.status, end, &position, &velocity);
    workspace.trial.position = position;
    workspace.trial.velocity = velocity;
    // contacts that slide along a flow have stopped if it says so
    let Workspace {
        event_functions,
        system,
        ..
    } = workspace;
    if system.flow.followed {
        for function in event_functions {
            if let Some(speed) = system.end_of_flow(function.what) {
                function.value = speed;
            }
        }
    }
}

/// Evaluates event functions at an instant. Leaves accelerations in the workspace and forces in `workspace.level`.
pub(super) fn evaluate(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &[f64],
    v: &[f64],
) {
    let independent = accelerate(model, workspace, statuses, time, q, v);
    workspace.event_functions.clear();
    workspace.slips.clear();
    if workspace.level.contacts.is_empty()
        && model.elements.is_empty()
        && model.n_servos == 0
        && workspace.released.is_empty()
    {
        return;
    }
    let force_scale = max_abs(&workspace.level.impulse) + max_abs(&workspace.force);
    compliant::add_event_functions(model, workspace, v, force_scale);
    if model.n_servos > 0 {
        servos::add_event_functions(model, workspace, time, 1e-12 * force_scale);
    }
    let speed_scale = 1.0 + max_abs(v);
    if !model.elements.is_empty() {
        let scales = [force_scale, speed_scale];
        elements::add_event_functions(model, workspace, time, v, scales);
        load_direction::add_event_functions(model, workspace, force_scale);
    }
    if workspace.level.contacts.is_empty() {
        return;
    }
    let redundant = !independent && !keeps_statuses(model, workspace, statuses, force_scale);
    workspace.level.write_elements();
    elements::share(model, workspace, time, v);
    // under a tolerance stops in space are found by the local flow
    let closes = closes_stops(model, workspace);
    if closes {
        let Workspace { level, slips, .. } = &mut *workspace;
        level.slips_at(|j| statuses[j], v, slips);
    }
    let Workspace {
        level,
        event_functions,
        poses,
        fixed_features,
        sliding,
        resistance,
        ..
    } = workspace;
    let directions = (!closes).then_some((&sliding[..], &resistance[..]));
    for (i, &contact) in level.contacts.iter().enumerate() {
        let mut add = |value: f64, tolerance: f64, what: EventFunctionKind| {
            event_functions.push(EventFunction {
                value,
                tolerance,
                what,
            });
        };
        let margin = assemble::margin(model, poses, fixed_features, contact);
        if margin.is_finite() {
            // the contact opens just before the corner, where its edge is still unique
            add(margin - 1e-10, 1e-9, EventFunctionKind::Edge(contact));
        }
        let status = statuses[contact];
        slip_functions(level, i, status, v, directions, |value, what| {
            add(value, 1e-13 * speed_scale, what);
        });
        let tolerance = 1e-12 * force_scale;
        let reserve = compliant::reserve(model, level, i, v);
        if let Some(reserve) = reserve {
            add(reserve, tolerance, EventFunctionKind::NormalForce(contact));
        }
        if independent || reserve.is_some() {
            force_functions(level, i, status, |value, what| {
                if reserve.is_none() || what != EventFunctionKind::NormalForce(contact) {
                    add(value, tolerance, what);
                }
            });
        }
    }
    if !independent {
        push_pairs(model, level, event_functions);
        event_functions.push(EventFunction {
            value: if redundant { -1.0 } else { 1.0 },
            tolerance: 0.0,
            what: EventFunctionKind::Redundant,
        });
    }
}

// slip rates of the `i`-th contact; in space along the directions of sliding and rolling, if given
fn slip_functions(
    level: &System,
    i: usize,
    status: Status,
    v: &[f64],
    directions: Option<(&[Vec3], &[Resistance])>,
    mut add: impl FnMut(f64, EventFunctionKind),
) {
    let contact = level.contacts[i];
    let sign = status.slip_sign();
    if sign != 0.0 {
        let speed = sign * level.rows[level.normal(i) + 1].dot(v);
        add(speed, EventFunctionKind::Sliding(contact));
    } else if let (Status::Slip, Some((sliding, _))) = (status, directions) {
        let along = level.speed_along(i, v, sliding[contact]);
        add(along, EventFunctionKind::Sliding(contact));
    }
    let Resistance { spin, roll, .. } = level.resistance_of(i);
    if spin.slip_sign() != 0.0 {
        let rate = spin.slip_sign() * level.rows[level.spin_row(i)].dot(v);
        add(rate, EventFunctionKind::Spinning(contact));
    }
    if let (Status::Slip, Some((_, resistance))) = (roll, directions) {
        let along = level.rolling_along(i, v, resistance[contact].rolling);
        add(along, EventFunctionKind::Rolling(contact));
    }
}

// normal force of the `i`-th contact, and the slack of its friction where it sticks
fn force_functions(
    level: &System,
    i: usize,
    status: Status,
    mut add: impl FnMut(f64, EventFunctionKind),
) {
    let contact = level.contacts[i];
    let force = level.impulse[level.normal(i)];
    add(force, EventFunctionKind::NormalForce(contact));
    let Resistance { spin, roll, .. } = level.resistance_of(i);
    if spin == Status::Stick {
        let limit = level.resisting[i][0] * force;
        let moment = level.impulse[level.spin_row(i)];
        add(limit - moment, EventFunctionKind::SpinForward(contact));
        add(limit + moment, EventFunctionKind::SpinBackward(contact));
    }
    if roll == Status::Stick {
        let slack = level.resisting[i][1] * force - norm(level.rolling(i));
        add(slack, EventFunctionKind::RollingCone(contact));
    }
    if status == Status::Stick {
        let limit = level.static_friction.get(i).unwrap_or(&level.friction[i]) * force;
        match level.friction_impulse(i)[..] {
            [friction] => {
                add(limit - friction, EventFunctionKind::ConeForward(contact));
                add(limit + friction, EventFunctionKind::ConeBackward(contact));
            }
            ref friction => add(limit - norm(friction), EventFunctionKind::Cone(contact)),
        }
    }
}

/// Do stops in space end steps without an event function? True for extrapolated steps without Stribeck friction.
pub(super) fn closes_stops(model: &Model, workspace: &Workspace) -> bool {
    workspace.standard_step == 0.0 && model.is_spatial() && !model.has_stribeck_friction
}

// forces of dependent contacts are not unique, but their sums over a pair of shapes are
fn push_pairs(model: &Model, level: &System, event_functions: &mut Vec<EventFunction>) {
    let pair_of = |i: usize| model.contacts[level.contacts[i]].pair;
    if model.is_spatial() {
        return push_spatial_pairs(level, event_functions, pair_of);
    }
    let mut i = 0;
    while i < level.contacts.len() {
        let first = i;
        let (mut limit, mut friction_impulse) = (0.0, 0.0);
        while i < level.contacts.len() && pair_of(i) == pair_of(first) {
            let normal = level.normal(i);
            limit += level.friction[i] * level.impulse[normal];
            friction_impulse += level.impulse[normal + 1];
            i += 1;
        }
        let contact = level.contacts[first];
        for (value, what) in [
            (
                limit - friction_impulse,
                EventFunctionKind::PairForward(contact),
            ),
            (
                limit + friction_impulse,
                EventFunctionKind::PairBackward(contact),
            ),
        ] {
            event_functions.push(EventFunction {
                value,
                tolerance: f64::INFINITY,
                what,
            });
        }
    }
}

fn push_spatial_pairs(
    level: &System,
    event_functions: &mut Vec<EventFunction>,
    pair_of: impl Fn(usize) -> usize,
) {
    let mut i = 0;
    while i < level.contacts.len() {
        let first = i;
        let (mut limit, mut friction_impulse) = (0.0, Vec3::zeros());
        while i < level.contacts.len() && pair_of(i) == pair_of(first) {
            limit += level.static_friction[i] * level.impulse[level.normal(i)];
            friction_impulse += level.friction_vector(i, &level.impulse);
            i += 1;
        }
        event_functions.push(EventFunction {
            value: limit - norm(friction_impulse.as_slice()),
            tolerance: f64::INFINITY,
            what: EventFunctionKind::PairForward(level.contacts[first]),
        });
    }
}

/// Accelerations and constraint forces with fixed statuses: `(G M^-1 F) lambda = -(G M^-1 k + (dG/dt) v)`. True if no constraints are
/// dependent.
pub(super) fn accelerate(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    time: (f64, Side),
    q: &[f64],
    v: &[f64],
) -> bool {
    workspace.work += 1;
    assemble::level(model, workspace, q, closed(statuses));
    free_acceleration(model, workspace, time, v);
    if workspace.level.is_empty() {
        return true;
    }
    let Workspace {
        level,
        joints,
        fixed_mode_solver,
        sliding,
        resistance,
        last_forces,
        standard_step,
        ..
    } = &mut *workspace;
    level.set_directions(v, sliding, resistance);
    // in extrapolated steps the distribution of forces depends on the state alone
    if *standard_step > 0.0 {
        level.guess_from(last_forces, 1.0);
    }
    let mut independent = level.solve_fixed_mode(joints, |j| statuses[j], fixed_mode_solver);
    for _ in 0..elements::MAX_UPDATES {
        let update = |friction: &mut elements::Friction, level: &mut System, free: &mut [f64]| {
            friction.update(level, free, |_, _, _, _| false)
        };
        if model.elements.is_empty()
            || elements::at_instant(model, workspace, time, v, update) == 0.0
        {
            break;
        }
        let Workspace {
            level,
            joints,
            fixed_mode_solver,
            ..
        } = &mut *workspace;
        independent = level.solve_fixed_mode(joints, |j| statuses[j], fixed_mode_solver);
    }
    let Workspace {
        level,
        acceleration,
        ..
    } = workspace;
    level.add_response(acceleration);
    level.write_elements();
    elements::share(model, workspace, time, v);
    independent
}

/// Accelerations without constraints, and `workspace.level` for them: its metric and right-hand side. If a force is stiff relative to the
/// standard step, its instantaneous value is noise (a damper of 1e4 N s/m turns a millimetre per second into 10 N); then the acceleration
/// is that of a linearly implicit Euler step, `dv/h`.
pub(super) fn free_acceleration(
    model: &Model,
    workspace: &mut Workspace,
    time: (f64, Side),
    v: &[f64],
) {
    let Workspace {
        poses,
        twists,
        force,
        jacobians,
        acceleration,
        level,
        standard_step: h,
        inputs,
        ..
    } = &mut *workspace;
    model.twists(v, twists);
    let wanted = Some((&mut *jacobians, Detail::Stiff));
    dynamics::force(model, time, inputs, poses, twists, force, wanted);
    acceleration.clone_from(force);
    if jacobians.are_stiff(&model.mass, *h, *h * *h) {
        for (i, a) in acceleration.iter_mut().enumerate() {
            *a += *h * jacobians.stiff.row_product(i, v);
        }
        let (velocity, position) = ((*h, &jacobians.velocity), (*h * *h, &jacobians.stiff));
        level.metric.factor_stiff(&model.mass, velocity, position);
        level.condense_rows();
    }
    level.metric.divide(acceleration);
    if !model.elements.is_empty() {
        elements::at_instant(model, workspace, time, v, |friction, level, free| {
            friction.set(level, free);
        });
    }
    let Workspace {
        acceleration,
        free_acceleration,
        level,
        inputs,
        ..
    } = &mut *workspace;
    free_acceleration.clone_from(acceleration);
    level.prescribe_accelerations(model, time, inputs);
    level.bias_from(acceleration);
    assemble::add_row_rates(model, workspace, v);
    compliant::yield_at_instant(model, workspace, v);
}

// admissible forces keep their statuses. In the plane those of the complementarity problem take precedence, but it may be too
// ill-conditioned to give the same accelerations: a heavy body on a light one
fn keeps_statuses(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    force_scale: f64,
) -> bool {
    let fixed_features = workspace.level.is_admissible(statuses, force_scale);
    if model.is_spatial() || workspace.level.is_large() {
        return fixed_features || same_as_complementarity(workspace, statuses);
    }
    let mut own = std::mem::take(&mut workspace.relaxation);
    own.clone_from(&workspace.level.impulse);
    let same = same_as_complementarity(workspace, statuses);
    if !same && fixed_features {
        workspace.level.impulse.clone_from(&own);
    }
    workspace.relaxation = own;
    same || fixed_features
}

// forces of dependent constraints are not unique; the complementarity problem finds admissible ones if they exist, with the same
// accelerations. These replace the forces of the fixed-mode solve
fn same_as_complementarity(workspace: &mut Workspace, statuses: &[Status]) -> bool {
    let Workspace {
        level,
        joints,
        complementarity,
        acceleration,
        compressed,
        free_acceleration,
        last_forces,
        same_acceleration,
        ..
    } = workspace;
    level.guess_from(last_forces, 1.0);
    let outcome = complementarity.solve(
        level,
        joints,
        |contact| known_sliding(statuses[contact]),
        statuses,
    );
    if !matches!(outcome, Outcome::Solved { .. }) {
        return false;
    }
    compressed.clone_from(free_acceleration);
    let scale = 1.0 + max_abs(compressed) + max_abs(acceleration);
    level.add_response(compressed);
    let difference = compressed
        .iter()
        .zip(acceleration.iter())
        .fold(0.0, |m: f64, (a, b)| m.at_least((a - b).abs()));
    difference <= *same_acceleration * scale
}

/// Prior knowledge of sliding for the complementarity problem, from a status.
pub(super) fn known_sliding(status: Status) -> Sliding {
    match status {
        Status::Open | Status::Frictionless | Status::Stick => Sliding::Free,
        Status::SlipForward => Sliding::Known(1.0),
        Status::SlipBackward => Sliding::Known(-1.0),
        Status::Slip => Sliding::Directed,
    }
}
