//! Integrators: advance a state in time.
//!
//! [`step`] takes one step. The event-driven integrator locates impacts, stops and breakaways inside the step; time stepping takes steps of
//! fixed length and detects contacts anew in each of them.

pub mod event_driven;
mod in_play;
mod report;
mod time_stepping;
mod work_limit;
mod workspace;

pub use event_driven::{Coefficients, advance_past, interpolate};
pub use report::{EnergyInPlay, Event, EventCounts, EventKind, Report};
pub use time_stepping::instant::Instant;
pub use workspace::Workspace;

use crate::contact::lcp::Outcome;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::state::State;

/// Why a step failed. The state is the last accepted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// The complementarity problem was not solved to its tolerance.
    Unsolved {
        /// s.
        time: f64,
        /// Outcome of the solver.
        outcome: Outcome,
    },
    /// Velocities overflowed.
    NotFinite {
        /// s.
        time: f64,
    },
    /// The iteration matrix of the step is singular.
    Singular {
        /// s.
        time: f64,
    },
    /// A prescribed position jumped.
    PositionJump {
        /// s.
        time: f64,
        /// m or rad.
        size: f64,
    },
    /// A reel took in all of its rope.
    RopeUsedUp {
        /// s.
        time: f64,
    },
    /// A step under a tolerance or of high order exceeded `max_step_work`.
    TooMuchWork {
        /// Time reached, s.
        time: f64,
    },
}

impl StepError {
    // slightly inexact impulses of contacts in space are accepted rather than ending the run: their residual is reported
    pub(in crate::integrate) fn unless_acceptable(
        outcome: Outcome,
        time: f64,
        is_spatial: bool,
    ) -> Result<(), Self> {
        match outcome {
            Outcome::Solved { .. } => Ok(()),
            Outcome::Inaccurate { residual } if is_spatial && residual <= ACCEPTABLE_RESIDUAL => {
                Ok(())
            }
            Outcome::Inaccurate { residual } if !residual.is_finite() => {
                Err(Self::NotFinite { time })
            }
            Outcome::Ray | Outcome::PivotLimit | Outcome::Inaccurate { .. } => {
                Err(Self::Unsolved { time, outcome })
            }
        }
    }
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StepError::Unsolved {
                time,
                outcome: Outcome::Ray,
            } => write!(
                f,
                "at t = {time} s the contact problem seems to have no solution: a motor of prescribed speed may drive against a stop or contact; otherwise a smaller step may help"
            ),
            StepError::Unsolved { time, outcome } => write!(
                f,
                "at t = {time} s the contact problem was not solved ({outcome:?}); a smaller step may help"
            ),
            StepError::NotFinite { time } => write!(
                f,
                "at t = {time} s the velocities overflowed; an implicit scheme or a smaller step may help"
            ),
            StepError::Singular { time } => write!(
                f,
                "at t = {time} s the iteration matrix is singular; a smaller step may help"
            ),
            StepError::PositionJump { time, size } => write!(
                f,
                "at t = {time} s a prescribed position jumps by {size:.3e} m or rad; let it be continuous, give an input its derivatives, or prescribe a velocity"
            ),
            StepError::RopeUsedUp { time } => write!(
                f,
                "at t = {time} s a reel has taken in all of its rope; stop it before, or give the rope more `length`"
            ),
            StepError::TooMuchWork { time } => write!(
                f,
                "at t = {time} s the step exceeded its work limit; a larger `max_step_work`, a larger tolerance or a fixed step may help"
            ),
        }
    }
}

impl std::error::Error for StepError {}

/// Prescribed positions may be elsewhere by this much, m or rad: inputs are extrapolated over a communication step.
const POSITION_JUMP: f64 = 1e-3;

/// Rejects prescribed positions that jumped away from the state.
fn reject_position_jumps(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
) -> Result<(), StepError> {
    if !model.drives.iter().any(|drive| drive.motion.is_position()) {
        return Ok(());
    }
    model.poses(&state.position, &mut workspace.poses);
    let now = (state.time, Side::After);
    for drive in &model.drives {
        let off = model.drive_residual(drive, &workspace.poses, now, &state.inputs);
        if off.abs() > POSITION_JUMP {
            return Err(StepError::PositionJump {
                time: state.time,
                size: off.abs(),
            });
        }
    }
    Ok(())
}

// a rope of no length has no direction
fn reject_empty_reels(model: &Model, state: &State) -> Result<(), StepError> {
    if model.ropes.is_empty() {
        return Ok(());
    }
    let contacts = 0..model.contacts.len();
    let mut lengths = contacts.filter_map(|j| model.reeled_length(j, &state.position));
    match lengths.any(|length| length <= 0.0) {
        true => Err(StepError::RopeUsedUp { time: state.time }),
        false => Ok(()),
    }
}

/// Impulses of contacts in space with a residual below this are accepted even if the solver did not converge.
const ACCEPTABLE_RESIDUAL: f64 = 1e-6;

/// Makes the state consistent without advancing time: closes joints, resolves impacts of touching contacts that approach, and determines
/// statuses and forces.
pub fn initialize(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
) -> Result<(), StepError> {
    if model.time_stepping.is_none() {
        return event_driven::initialize(model, state, workspace, settings, report);
    }
    if !std::mem::replace(&mut state.started, true) {
        in_play::start(model, state, workspace, report);
    }
    Ok(())
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
    model.continue_speeds(state.time, &mut state.inputs);
    match &model.time_stepping {
        Some(time_stepping) => time_stepping::step(
            model,
            time_stepping,
            state,
            workspace,
            settings,
            report,
            end,
        ),
        None => event_driven::step(model, state, workspace, settings, report, end),
    }
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
    model.continue_speeds(state.time, &mut state.inputs);
    match &model.time_stepping {
        Some(time_stepping) => time_stepping::step(
            model,
            time_stepping,
            state,
            workspace,
            settings,
            report,
            end,
        ),
        None => event_driven::step_to_event(model, state, workspace, settings, report, (from, end)),
    }
}

/// Advances the state to `time` exactly, in equal standard steps not longer than the step of the settings. On an error the state is the
/// last accepted one.
pub fn advance(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    time: f64,
) -> Result<(), StepError> {
    if settings.tolerance.is_some() && model.time_stepping.is_none() && time > state.time {
        return step(model, state, workspace, settings, report, time);
    }
    let start = state.time;
    let span = time - start;
    // a number of steps that is integral up to rounding of times stays so
    let n = (span / settings.step - 1e-6).ceil().at_least(1.0) as u64;
    for i in 1..=n {
        let end = if i == n {
            time
        } else {
            start + span * (i as f64 / n as f64)
        };
        if end > state.time {
            step(model, state, workspace, settings, report, end)?;
        }
    }
    Ok(())
}

/// Forces and accelerations at the instant of a state of the time-stepping integrator, which is not changed. The state itself has means
/// over the last step, from which the next one starts. Does nothing for event-driven models, whose states have them.
pub fn instant(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    instant: &mut Instant,
) {
    if let Some(time_stepping) = &model.time_stepping {
        time_stepping::instant::find(model, time_stepping, state, workspace, settings, instant);
    }
}

/// Accelerations and forces of the state with its statuses; for time stepping use [`instant`].
pub fn refresh_forces(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
) {
    if model.time_stepping.is_none() {
        event_driven::refresh_forces(model, state, workspace, settings);
    }
}

/// The acceleration of a flange for each newton, or newton metre, with the statuses of the state: 1/kg or 1/(kg m²). With `sliding` as if
/// nothing stuck.
pub fn inverse_mass(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    flange: usize,
    sliding: bool,
) -> f64 {
    event_driven::inverse_mass(model, state, workspace, flange, sliding)
}

/// Power dissipated by contact friction at the state, W.
pub fn friction_power(model: &Model, state: &State, workspace: &mut Workspace) -> f64 {
    match model.time_stepping {
        Some(_) => 0.0,
        None => event_driven::friction_power(model, state, workspace),
    }
}

// a run with an energy overflow ends
fn finite(state: &State, report: &Report) -> Result<(), StepError> {
    match report.play.energy.is_finite() {
        true => Ok(()),
        false => Err(StepError::NotFinite { time: state.time }),
    }
}
