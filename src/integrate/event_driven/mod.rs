//! One standard step, with its events located inside (docs/METHOD.md has a table from the numbers here to its sections).

pub(super) mod accept;
pub(super) mod accurate;
pub(super) mod assemble;
mod classify;
pub(super) mod coefficients;
pub(super) mod complementarity;
pub(in crate::integrate) mod compliant;
mod cones;
pub(super) mod elements;
pub(super) mod energy;
mod event;
mod flanges;
mod impact;
mod load_direction;
pub(super) mod metric;
pub(super) mod near;
mod polygons;
mod position_level;
mod rolling;
pub(super) mod run;
pub(super) mod servos;
pub(super) mod smoothing;
mod stabilize;
mod stall_detector;
pub(super) mod system;
pub(super) mod trial;

pub use coefficients::Coefficients;
pub use flanges::inverse_mass;

use crate::integrate::workspace::SAME_ACCELERATION;
use crate::integrate::{
    Report, StepError, Workspace, finite, in_play, reject_empty_reels, reject_position_jumps,
};
use crate::kinds::plane::force::Side;
use crate::math::{Limit, dot3, max_abs};
use crate::model::{Model, N_TANGENTS};
use crate::scene::spec::{Scheme, Settings};
use crate::state::{State, closed};
use classify::When;
use event::Transition;
use run::SHORTEST_PART;
use stall_detector::{STALL, StallDetector};
use trial::Mode;

/// A contact is active below this gap, m (7.1). `h` is the standard step, 0 under a tolerance.
fn contact_band(settings: &Settings, h: f64) -> f64 {
    let band = settings
        .active_gap
        .at_least(settings.active_gap_cubic * h * h * h);
    match settings.tolerance {
        Some(tolerance) if h == 0.0 => band.at_most((0.1 * tolerance).at_least(1e-12)),
        Some(_) | None => band,
    }
}

/// Below this speed a contact is at rest, m/s: rounding of the velocities after a solve.
fn rest_speed(v: &[f64]) -> f64 {
    1e-9 * (1.0 + max_abs(v))
}

/// Relative tolerance of the impulse-level complementarity conditions of a step with fixed statuses.
const COMPLEMENTARITY_TOLERANCE: f64 = 1e-8;

/// Maximum number of substeps below the minimum length in one standard step.
const MAX_SHORT_SUBSTEPS: u32 = 20;

/// What is left of a step is skipped where it is shorter than the rounding of time.
const ROUNDING: f64 = 1e-15;

/// First-order steps that have no solution are halved down to this fraction of the standard step.
const SHORTEST_FIRST_ORDER: f64 = 1e-3;

/// Length of the step that resolves a jam (Painleve), as a fraction of the standard step.
const JAM_STEP: f64 = 1e-7;

/// Makes the state consistent without advancing time (see [`crate::integrate::initialize`]).
pub fn initialize(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
) -> Result<(), StepError> {
    workspace.allow(settings, settings.step);
    let standard = settings.step;
    with_counted_work(model, state, workspace, settings, report, standard, |run| {
        run.start();
        run.make_consistent()
    })
}

/// Advances the state to `end` in one standard step.
pub fn step(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    end: f64,
) -> Result<(), StepError> {
    let standard = end - state.time;
    workspace.allow(settings, standard);
    with_counted_work(model, state, workspace, settings, report, standard, |run| {
        if run.settings.extrapolates() {
            return run.advance_with_high_order(end, end);
        }
        run.report.steps += 1;
        run.advance_to(end)
    })
}

/// Advances the state towards `end`, as a part of a standard step of the settings, and stops right after the first event later than `from`.
/// Under a tolerance it may pass `end`, up to the end of its last step or a breakpoint: so events do not depend on `end`.
pub fn step_to_event(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    (from, end): (f64, f64),
) -> Result<(), StepError> {
    let standard = settings.step;
    workspace.allow(settings, end - state.time);
    with_counted_work(model, state, workspace, settings, report, standard, |run| {
        run.stop_after = from;
        if run.settings.tolerance.is_some() {
            return run.advance_with_high_order(end, f64::INFINITY);
        }
        if run.settings.extrapolates() {
            return run.advance_with_high_order(end, end);
        }
        run.report.steps += 1;
        run.advance_to(end)
    })
}

/// Advances the state to `time` or beyond, but not beyond `end`, in steps chosen by the tolerance, which is required; [`interpolate`] then
/// gives the state at `time`.
pub fn advance_past(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    (time, end): (f64, f64),
) -> Result<(), StepError> {
    if state.time >= time {
        return Ok(());
    }
    let standard = settings.step;
    workspace.allow(settings, time - state.time);
    with_counted_work(model, state, workspace, settings, report, standard, |run| {
        run.advance_with_high_order(time, end)
    })
}

/// The state at `time`, inside the last step of [`advance_past`] that ended in `ahead`.
pub fn interpolate(
    model: &Model,
    ahead: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    time: f64,
    state: &mut State,
) -> Result<(), StepError> {
    if ahead.time == time {
        state.copy_from(ahead);
        return Ok(());
    }
    let found = accurate::interpolate(model, workspace, settings, time, state);
    report.factorizations += std::mem::take(&mut workspace.work);
    if found? {
        return Ok(());
    }
    let mut work = 0;
    let result = accurate::from_start(workspace, state, |state, workspace, nested_report| {
        let before = (nested_report.factorizations, nested_report.fallback_steps);
        let result = step(model, state, workspace, settings, nested_report, time);
        work = nested_report.factorizations - before.0;
        // such a sample does not meet the tolerance
        report.fallback_steps += nested_report.fallback_steps - before.1;
        result
    });
    report.factorizations += work;
    result
}

// the step relative to which forces are stiff, for accelerations; extrapolated steps resolve everything
fn instant_step(settings: &Settings, standard: f64) -> f64 {
    if settings.extrapolates() {
        0.0
    } else {
        standard
    }
}

// sets that step; extrapolated ones end at stops in space and never go beyond
fn set_standard(model: &Model, workspace: &mut Workspace, standard: f64) {
    workspace.standard_step = standard;
    workspace.contact_step = standard;
    let follows = trial::closes_stops(model, workspace);
    workspace.level.follows_velocity = follows;
    workspace.system.follows_velocity = follows;
}

// a break-away of dependent contacts is late by the time in which accelerations change by this
fn same_acceleration(settings: &Settings) -> f64 {
    match settings.tolerance {
        Some(tolerance) => (0.1 * tolerance).clamp(0.1 * SAME_ACCELERATION, SAME_ACCELERATION),
        None => SAME_ACCELERATION,
    }
}

// runs `action` and adds the work of the solvers to the report
fn with_counted_work(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    standard: f64,
    action: impl FnOnce(&mut Run) -> Result<(), StepError>,
) -> Result<(), StepError> {
    let standard = match settings.tolerance {
        Some(_) => 0.0,
        None => standard,
    };
    workspace.complementarity.reset_stats();
    workspace.complementarity.choose(settings.friction_cone);
    workspace.work = 0; // excludes evaluations between two steps
    set_standard(model, workspace, instant_step(settings, standard));
    workspace.same_acceleration = same_acceleration(settings);
    workspace.near.band = contact_band(settings, standard);
    model.continue_speeds(state.time, &mut state.inputs);
    begin(model, state, workspace);
    reject_position_jumps(model, state, workspace)?;
    reject_empty_reels(model, state)?;
    let capacity = workspace.capacity();
    let result = action(&mut Run {
        model,
        state,
        workspace,
        settings,
        report,
        standard,
        short_substeps: 0,
        resolves_contacts: false,
        resolved_amplitude: compliant::VIBRATES,
        statuses_unreliable: false,
        stop_after: f64::INFINITY,
        stall_detector: StallDetector::default(),
        is_cycling: false,
        longest: f64::INFINITY,
        stop_ahead: f64::INFINITY,
        closing: None,
        closed_from: f64::INFINITY,
    });
    report.growths += u64::from(workspace.capacity() > capacity);
    let work = workspace.complementarity.stats();
    report.factorizations += std::mem::take(&mut workspace.work);
    report.lcps += work.solves;
    report.largest_lcp = report.largest_lcp.max(work.largest as u64);
    report.pivots += work.pivots;
    report.warm_hits += work.warm_hits;
    report.worst_residual = report.worst_residual.at_least(work.worst_residual);
    report.operations += std::mem::take(&mut workspace.complementarity.operations);
    for system in [&mut workspace.level, &mut workspace.system] {
        report.operations += std::mem::take(&mut system.operations);
        let condition = std::mem::take(&mut system.worst_condition);
        report.worst_condition = report.worst_condition.at_least(condition);
    }
    in_play::record(model, state, workspace, report);
    result.and(finite(state, report))
}

/// Accelerations and forces of the state with its statuses; for time stepping see [`crate::integrate::instant`].
pub fn refresh_forces(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
) {
    set_standard(model, workspace, instant_step(settings, settings.step));
    begin(model, state, workspace);
    assemble::select_joints(model, workspace, &state.position);
    let now = (state.time, Side::After);
    trial::evaluate(
        model,
        workspace,
        &state.status,
        now,
        &state.position,
        &state.velocity,
    );
    accept::forces_from_accelerations(state, workspace);
}

// prepares the workspace for a state
fn begin(model: &Model, state: &State, workspace: &mut Workspace) {
    workspace.balance.invalidate(model);
    workspace.inputs.clone_from(&state.inputs);
    begin_elements(model, state, workspace);
    if model.is_spatial() {
        trial::take_sliding(state, workspace);
        workspace.resistance.clone_from(&state.resistance);
        workspace
            .poses
            .refer_to(&state.orientation, &state.joint_angle);
    }
    assemble::update_fixed_features(model, workspace, &state.position, |_| true);
}

fn begin_elements(model: &Model, state: &State, workspace: &mut Workspace) {
    if model.elements.is_empty() {
        return;
    }
    workspace.element_status.clone_from(&state.element_status);
    elements::hold(model, workspace);
    elements::start_reactions(model, &state.joint_force, &mut workspace.reaction);
    workspace.load_direction.clone_from(&state.load_direction);
}

/// Power dissipated by contact friction and friction elements at the state, W.
pub fn friction_power(model: &Model, state: &State, workspace: &mut Workspace) -> f64 {
    let closed = closed(&state.status);
    begin(model, state, workspace);
    assemble::level(model, workspace, &state.position, closed);
    let level = &workspace.level;
    let mut power = 0.0;
    for (i, &contact) in level.contacts.iter().enumerate() {
        let first = level.normal(i) + 1;
        if model.is_spatial() {
            let friction = state.friction_force[contact];
            for (k, tangent) in level.tangents[i].iter().enumerate() {
                let square = dot3(*tangent, *tangent);
                // a joint stop has no tangents
                if square > 0.0 {
                    let share = dot3(*tangent, friction) / square;
                    power -= share * level.rows[first + k].dot(&state.velocity);
                }
            }
            for (k, axis) in level.axes.get(i).into_iter().flatten().enumerate() {
                let share = dot3(*axis, state.friction_moment[contact]);
                power -= share * level.rows[first + N_TANGENTS + k].dot(&state.velocity);
            }
        } else {
            let sliding = level.rows[first].dot(&state.velocity);
            power -= state.contact_force[contact][1] * sliding;
        }
    }
    for (e, element) in model.elements.iter().enumerate() {
        let row = level.first_element() + e;
        let speed = element.given_speed(state.time, Side::After, &state.inputs);
        power -= state.joint_force[row] * (level.rows[row].dot(&state.velocity) - speed);
    }
    power
}

struct Run<'a> {
    model: &'a Model,
    state: &'a mut State,
    workspace: &'a mut Workspace,
    settings: &'a Settings,
    report: &'a mut Report,
    /// Length of the standard step, s; 0 under a tolerance.
    standard: f64,
    short_substeps: u32,
    /// Is the substep shorter than it could be, to resolve the vibration of compliant contacts?
    resolves_contacts: bool,
    /// Smallest amplitude of that, relative to the load, that is resolved.
    resolved_amplitude: f64,
    /// The statuses were violated, and determining them again would not help.
    statuses_unreliable: bool,
    /// The first event after this time ends the run, s.
    stop_after: f64,
    /// Status changes without progress in time.
    stall_detector: StallDetector,
    /// Under a tolerance: the same status changed repeatedly without progress in time.
    is_cycling: bool,
    /// Longest substep to try, s: twice the last one that was not rejected by the energy balance.
    longest: f64,
    /// Under a tolerance: time to the next stop of a contact in space, s.
    stop_ahead: f64,
    /// Time of the last attempted but unconfirmed stop, s.
    closing: Option<f64>,
    /// Remaining time to it at that attempt, s.
    closed_from: f64,
}

impl Run<'_> {
    fn advance_to(&mut self, end: f64) -> Result<(), StepError> {
        let mut n_substeps = 0;
        let mut is_exhausted = false;
        self.start();
        while self.state.time < end {
            let (time, n_events) = (self.state.time, self.report.n_events.total());
            let mut target = self.next_stop(end);
            let mut h = target - self.state.time;
            if h > self.longest {
                h = self.longest;
                target = self.state.time + h;
            }
            self.longest *= 2.0;
            if h <= ROUNDING * (1.0 + target.abs()) {
                self.state.time = target;
                continue;
            }
            if self.settings.scheme == Scheme::PositionEuler {
                self.position_step(target)?;
            } else if self.exceeds_work_limit()? {
                is_exhausted = true;
                self.position_step(target)?;
            } else if n_substeps >= self.settings.max_substeps
                || self.short_substeps > MAX_SHORT_SUBSTEPS
            {
                self.first_order_step(target)?;
            } else {
                let is_implicit = Coefficients::from(self.settings.scheme).implicit;
                match self.substep(h, target) {
                    Err(StepError::Unsolved { .. }) => self.first_order_step(target)?,
                    // explicit schemes may overflow, and say so
                    Err(StepError::NotFinite { .. }) if is_implicit => {
                        self.first_order_step(target)?;
                    }
                    result => result?,
                }
            }
            // parts of a step that was rejected as a whole are not events
            let is_part = self.longest.is_finite() || self.resolves_contacts;
            if self.resolves_contacts && self.state.time - time > STALL * h {
                self.short_substeps = 0;
            }
            if !is_part || self.report.n_events.total() > n_events {
                n_substeps += 1;
            }
            if self.is_stopped(n_events) {
                break;
            }
        }
        self.report.exhausted_steps += u64::from(is_exhausted);
        Ok(())
    }

    // reinitializes the workspace for the restored state
    fn restart(&mut self) {
        begin(self.model, self.state, self.workspace);
    }

    // was there a new event, late enough to end the run?
    fn is_stopped(&self, n_events: u64) -> bool {
        self.state.time > self.stop_after && self.report.n_events.total() > n_events
    }

    // 0. close the rounded coordinates of the scene, and damp stiff modes of an inconsistent start
    fn start(&mut self) {
        if self.state.started {
            return;
        }
        self.state.started = true;
        compliant::start(self.model, self.state, self.workspace);
        in_play::start(self.model, self.state, self.workspace, self.report);
        self.state.damping_left = self.settings.damping_steps;
        assemble::select_joints(self.model, self.workspace, &self.state.position);
        if self.settings.projection {
            self.workspace.before.clone_from(&self.state.velocity);
            let State {
                status,
                position,
                velocity,
                time,
                ..
            } = &mut *self.state;
            let now = (*time, Side::After);
            let driven = stabilize::project(
                self.model,
                self.workspace,
                status,
                now,
                position,
                velocity,
                false,
            );
            self.report.applied_work += driven;
            accept::rebase(self.model, self.state, &mut self.workspace.poses);
        }
    }

    fn next_stop(&mut self, end: f64) -> f64 {
        let t = self.state.time;
        let breaks = &self.model.breakpoints;
        let next = breaks.partition_point(|b| *b <= t);
        if next > 0 && breaks[next - 1] == t && self.state.statuses_known {
            // a force may jump here: determine statuses again and damp stiff modes
            self.state.statuses_known = false;
            self.state.damping_left = self.settings.damping_steps;
        }
        breaks.get(next).map_or(end, |b| b.at_most(end))
    }

    fn position_step(&mut self, target: f64) -> Result<(), StepError> {
        let h = target - self.state.time;
        let taken = position_level::step(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            self.report,
            (h, SHORTEST_PART * self.standard),
        )?;
        if taken == h {
            self.state.time = target;
        } else {
            self.longest = taken;
        }
        Ok(())
    }

    // events too close to be separated, or a problem that the second-order step cannot pose: the robust first-order step
    fn first_order_step(&mut self, target: f64) -> Result<(), StepError> {
        self.report.first_order_steps += 1;
        self.short_substeps = 0;
        let mut target = target;
        loop {
            let h = target - self.state.time;
            match self.position_step(target) {
                Err(StepError::Unsolved { .. } | StepError::NotFinite { .. })
                    if h > SHORTEST_FIRST_ORDER * self.standard =>
                {
                    target = self.state.time + 0.5 * h;
                    self.longest = 0.5 * h;
                }
                result => return result,
            }
        }
    }

    // one substep up to the next event or the target
    fn substep(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        // 1. independent joints; 2. impacts of touching contacts that approach
        assemble::select_joints(self.model, self.workspace, &self.state.position);
        self.open_ended_contacts();
        self.impact_of_touching()?;
        if !self.settings.locates_transitions() {
            return self.complementarity_step(h, target);
        }
        if std::mem::take(&mut self.statuses_unreliable) {
            self.report.complementarity_steps += 1;
            return self.complementarity_step(h, target);
        }
        // 3. statuses
        self.state.statuses_known &= !elements::load_came_or_went(self.model, self.state);
        if !self.state.statuses_known && !self.classify(When::Now) {
            if self.resolves_all_contacts() {
                return Ok(());
            }
            return self.jam(h, target);
        }
        match self.fixed_mode_step(h, target) {
            Err(StepError::Unsolved { .. }) => {
                if self.resolves_all_contacts() {
                    return Ok(());
                }
                self.report.complementarity_steps += 1;
                self.complementarity_step(h, target)
            }
            result => result,
        }
    }

    // stages 4 to 7, with known statuses
    fn fixed_mode_step(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        let (h, target) = self.resolve_contacts(h, target);
        // 4. the step with these statuses, up to the first transition
        let scheme = self.scheme(h, Mode::FixedMode);
        self.take(&scheme, Mode::FixedMode, h)?;
        if let Some(shorter) = self
            .shorter_for_rims()
            .or_else(|| self.shorter_for_energy())
        {
            return self.fixed_mode_step(shorter, self.state.time + shorter);
        }
        trial::evaluate_end(self.model, self.state, self.workspace);
        let transition = event::transition(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            &scheme,
        )?;
        if transition == Transition::Contradiction || self.is_inadmissible() {
            return self.contradiction(h, target);
        }
        if let Transition::At(tau, what) = transition
            && self.has_stalled(tau, what)
        {
            return self.unresolved(h, target);
        }
        // 5. the complementarity conditions over the whole step
        if transition == Transition::None && !self.check(&scheme) {
            self.report.complementarity_steps += 1;
            return self.complementarity_step(h, target);
        }
        // 6. the first collision
        if let Some(crossing) = self.first_collision(Mode::FixedMode) {
            return self.collide(&scheme, Mode::FixedMode, crossing);
        }
        // 7. accept, and change the statuses if a transition was found
        match transition {
            Transition::At(tau, what) => {
                self.count_short_substep(tau);
                self.accept(self.state.time + tau);
                trial::evaluate(
                    self.model,
                    self.workspace,
                    &self.state.status,
                    (self.state.time, Side::Before),
                    &self.state.position,
                    &self.state.velocity,
                );
                self.classify_after(what);
            }
            Transition::None | Transition::Contradiction => {
                self.accept(target);
                accept::forces_from_accelerations(self.state, self.workspace);
                accept::keep_sliding(self.state, self.workspace);
            }
        }
        Ok(())
    }
}
