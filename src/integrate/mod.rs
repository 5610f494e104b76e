//! Advances a state in time, with the integrator that the scene asks for.
//!
//! [`step`] is one step of it. The event-driven integrator locates impacts, stops and break-aways inside the step; time
//! stepping takes steps of fixed length and finds contacts anew in each of them.

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
use crate::math::Limit;
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::state::State;

/// Why a step could not be taken. The state is the last one that was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// The complementarity problem was not solved to its tolerance.
    Unsolved {
        /// s.
        time: f64,
        /// How the solver ended.
        outcome: Outcome,
    },
    /// Velocities overflowed.
    NotFinite {
        /// s.
        time: f64,
    },
    /// The matrix of the step is singular.
    Singular {
        /// s.
        time: f64,
    },
    /// A step by tolerance or of high order took more work than it is allowed (`max_step_work`).
    TooMuchWork {
        /// How far it got, s.
        time: f64,
    },
}

impl StepError {
    // impulses of contacts in space that are nearly right are better than an end: their residual is the report's worst one
    pub(in crate::integrate) fn unless_usable(
        outcome: Outcome,
        time: f64,
        is_spatial: bool,
    ) -> Result<(), Self> {
        match outcome {
            Outcome::Solved { .. } => Ok(()),
            Outcome::Inaccurate { residual } if is_spatial && residual <= USABLE_RESIDUAL => Ok(()),
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
                "at t = {time} s the contact problem seems to have no solution (Ray): a motor of a given speed may drive against a stop or contact; otherwise a smaller step may help"
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
                "at t = {time} s the matrix of the step is singular; a smaller step may help"
            ),
            StepError::TooMuchWork { time } => write!(
                f,
                "at t = {time} s the step had taken all the work that it is allowed; a larger `max_step_work`, a larger tolerance or steps of fixed length may help"
            ),
        }
    }
}

impl std::error::Error for StepError {}

/// Impulses of contacts in space with a residual below this are used even if the solver could not do better.
const USABLE_RESIDUAL: f64 = 1e-6;

/// Settles the state without moving on in time: joints are closed, what touches and approaches collides, statuses
/// and forces are decided.
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

/// Advances the state towards `end`, as a part of a standard step of the settings, and stops right after the first event
/// that is later than `from`. By tolerance it may go beyond `end`, to where the last step's accuracy or a breakpoint ends
/// it: an event is found in the same steps, wherever the end is.
pub fn step_to_event(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    (from, end): (f64, f64),
) -> Result<(), StepError> {
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

/// Advances the state to `time` exactly, in equal standard steps that are not longer than the settings' step. An error
/// leaves the last accepted state.
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
    // a number of steps that is whole but for the rounding of times stays whole
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

/// Forces and accelerations of a crowd at its state, which is left as it is: those of the motion at that instant, whatever step led
/// there. What the state has of them are means over the last step, from which the next one starts. Nothing for other models, whose
/// states have them.
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

/// Accelerations and forces of the state as it is, with its statuses; those of a crowd are told by [`instant`].
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

/// Power that contact friction takes at the state, W.
pub fn friction_power(model: &Model, state: &State, workspace: &mut Workspace) -> f64 {
    match model.time_stepping {
        Some(_) => 0.0,
        None => event_driven::friction_power(model, state, workspace),
    }
}

// an energy that overflowed is the end of a run
fn finite(state: &State, report: &Report) -> Result<(), StepError> {
    match report.play.energy.is_finite() {
        true => Ok(()),
        false => Err(StepError::NotFinite { time: state.time }),
    }
}
