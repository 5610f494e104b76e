//! High-order integration: statuses are fixed between events, symmetric substeps are extrapolated, and a tolerance controls the step size
//! (docs/METHOD.md, section 11). Complementarity problems are solved at events only.

mod closing;
mod control;
mod dense;
mod extrapolation;
mod fallback;
mod locate;
mod passed_stop;
mod symmetric;

pub(in crate::integrate) use dense::{DenseOutput, from_start, interpolate};
pub(in crate::integrate) use extrapolation::Extrapolation;
pub(in crate::integrate) use locate::N_SAMPLES;
pub(in crate::integrate) use passed_stop::SlipSamples;

use super::assemble::Closing;
use super::classify::When;
use super::event::{self, Crossing};
use super::stall_detector::STALL;
use super::trial::{self, EventFunctionKind, Mode};
use super::{
    Run, StallDetector, StepError, accept, assemble, compliant, elements, in_play, load_direction,
    stabilize,
};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::state::State;
use extrapolation::Plan;
use locate::Found;

/// After this many consecutive short steps that determine their own statuses, the single-step scheme takes over.
const MAX_UNDECIDED_STEPS: u32 = 20;

/// More events than a standard step may have, within this fraction of it, are too many.
const DENSE_EVENTS: f64 = 1e-2;

/// .. and so are more events of the same function without progress in time.
const MAX_CHANGES: u32 = 3;

/// Length of a fallback step, as a fraction of the standard step; doubled each time another one is needed.
const FALLBACK: f64 = 1e-2;

/// Steps are at most this part of the period of a harmonic force.
const PART_OF_PERIOD: f64 = 0.3;

/// Bodies rotate by at most this in a step, rad, if there are contacts ..
const MAX_TURN: f64 = 20.0;

/// .. unless that makes the step shorter than this part of the remaining time.
const LEAST_PART: f64 = 1e-4;

/// Where a contact force is not smooth, the estimate of the error of a step is taken this many times: its rows do not converge as fast.
const ROUGH: f64 = 10.0;

/// A step whose end is moved by the projection by more than the tolerance is retried with this fraction of its length.
const AFTER_KINK: f64 = 0.3;

/// Events are located on a dense output whose accelerations have a smaller relative error.
const TRUSTED_DEFECT: f64 = 0.1;

/// A step is shortened for that this often; otherwise its acceleration is not smooth.
const MAX_SHORTENED: u32 = 3;

/// A step shorter than this fraction of the time is lost in rounding.
const SHORTEST: f64 = 1e-14;

impl Run<'_> {
    /// Advances to `due` or beyond, but not beyond `end`: under a tolerance, or in one step without one. Beyond `due` the state is the end
    /// of an extrapolated step.
    pub(super) fn advance_with_high_order(&mut self, due: f64, end: f64) -> Result<(), StepError> {
        self.start();
        while self.state.time < due {
            self.exceeds_work_limit()?;
            let n_events = self.report.n_events.total();
            let target = self.next_stop(end);
            // the same event must be found whatever `due` is
            let limit = if self.stop_after.is_finite() {
                target
            } else {
                target.at_most(due)
            };
            if self.makes_no_progress() {
                self.fallback_step(limit)?;
            } else {
                let mut taken = self.extrapolated_step(target, limit);
                if let Err(StepError::Unsolved { .. }) = taken {
                    taken = self.undecided_step(limit);
                }
                match taken {
                    Err(StepError::Unsolved { .. }) => self.fallback_step(limit)?,
                    result => result?,
                }
            }
            if self.state.time < due {
                in_play::record(self.model, self.state, self.workspace, self.report);
            }
            if self.is_stopped(n_events) {
                break;
            }
        }
        Ok(())
    }

    // statuses that contradict themselves repeatedly, or too many events at nearly the same time
    fn makes_no_progress(&mut self) -> bool {
        let control = &mut self.state.control;
        if self.state.time - control.counted_from > DENSE_EVENTS * self.settings.step {
            control.counted_from = self.state.time;
            control.events = 0;
        }
        let no_progress = control.undecided_in_a_row > MAX_UNDECIDED_STEPS
            || control.events > self.settings.max_substeps
            || std::mem::take(&mut self.is_cycling);
        if no_progress {
            control.undecided_in_a_row = 0;
            control.events = 0;
        }
        no_progress
    }

    // a function that repeatedly ends a status without progress in time has no separable events
    fn count_change(&mut self, what: EventFunctionKind) {
        if self.state.time - self.stall_detector.since > STALL * self.settings.step {
            self.stall_detector = StallDetector::from(self.state.time);
        }
        self.is_cycling |= self.stall_detector.count(what) > MAX_CHANGES;
    }

    // a very short step that determines its statuses by its own complementarity problem
    fn undecided_step(&mut self, target: f64) -> Result<(), StepError> {
        self.state.control.undecided_in_a_row += 1;
        self.jam(target - self.state.time, target)
    }

    // one substep up to the next event or the target; up to `limit` at most if it is not extrapolated
    fn extrapolated_step(&mut self, target: f64, limit: f64) -> Result<(), StepError> {
        // 1. independent joints; impacts of touching contacts that approach; statuses
        assemble::select_joints(self.model, self.workspace, &self.state.position);
        self.open_ended_contacts();
        self.impact_of_touching()?;
        if std::mem::take(&mut self.statuses_unreliable) {
            return self.undecided_step(limit);
        }
        self.state.statuses_known &= !elements::load_came_or_went(self.model, self.state);
        if !self.state.statuses_known && !self.classify(When::Now) {
            return self.undecided_step(limit);
        }
        self.evaluate_start();
        self.predict_stop();
        if self.stop_ahead.is_finite() && self.closes_stop(target) {
            return Ok(());
        }
        // 2. a step that is accurate enough, also inside; 3. its first event
        let Some((end, found)) = self.step_with_first_event(target)? else {
            return self.undecided_step(limit);
        };
        match found {
            Found::Nothing => {
                if self.workspace.trial.h >= FALLBACK * self.settings.step {
                    self.state.control.fallbacks_in_a_row = 0;
                }
                if self.settings.tolerance.is_some() {
                    let (h, error) = (self.workspace.trial.h, self.workspace.step_error);
                    let order = self.error_order();
                    control::update(&mut self.state.control, h, error, order);
                    self.shorten_towards_stop();
                }
                self.accept_extrapolated(end);
                Ok(())
            }
            Found::Contradiction => {
                if self.redetermines_statuses() {
                    self.state.control.undecided_in_a_row += 1;
                    return Ok(());
                }
                self.undecided_step(limit)
            }
            Found::Transition(_, what) => {
                let tau = self.refine_event(found)?;
                if let Some(crossing) = self.overlooked_collision() {
                    return self.collide_at(crossing);
                }
                let Workspace {
                    trial,
                    acceleration,
                    ..
                } = &mut *self.workspace;
                acceleration.clone_from(&trial.end_acceleration);
                self.accept_extrapolated(self.state.time + tau);
                self.state.control.events += 1;
                self.count_change(what);
                self.classify_after(what);
                Ok(())
            }
            Found::Collision(crossing) => self.collide_at(crossing),
            Found::PassedStop(_) => Ok(()),
        }
    }

    // the complete trial step, its end time and its first event; none if it is lost in rounding
    fn step_with_first_event(&mut self, target: f64) -> Result<Option<(f64, Found)>, StepError> {
        let mut last = f64::INFINITY;
        while let Some(end) = self.accurate_step(target)? {
            let found = self.first_event();
            let Found::PassedStop(time) = found else {
                return Ok(Some((end, found)));
            };
            // the stop is nearer than predicted
            self.report.rejected_steps += 1;
            self.stop_ahead = self.stop_ahead.at_most(time);
            if self.workspace.trial.h >= last {
                break;
            }
            last = self.workspace.trial.h;
        }
        Ok(None)
    }

    // the complete trial step and its end time; none if it is lost in rounding
    fn accurate_step(&mut self, target: f64) -> Result<Option<f64>, StepError> {
        let (mut shortened, mut moved_before) = (0, f64::INFINITY);
        loop {
            let Some(end) = self.attempt(target)? else {
                return Ok(None);
            };
            let moved = self.close_trial_moves();
            if moved > 1.0 && moved < 0.5 * moved_before {
                // the constraints have a kink that no substep has seen; a shorter step helps
                self.report.rejected_steps += 1;
                self.state.control.step = AFTER_KINK * self.workspace.trial.h;
                moved_before = moved;
                continue;
            }
            self.evaluate_end_of_trial();
            if shortened == MAX_SHORTENED {
                return Ok(Some(end));
            }
            let Some(shorter) = self.shorter_for_events() else {
                return Ok(Some(end));
            };
            self.state.control.step = shorter;
            shortened += 1;
        }
    }

    // the step length at which events can be located on the dense output, if less than the current one; event functions at the end are kept
    fn shorter_for_events(&mut self) -> Option<f64> {
        let is_smooth = self.model.contacts.is_empty()
            && self.model.elements.is_empty()
            && self.model.n_servos == 0;
        if self.settings.tolerance.is_none() || is_smooth {
            return None;
        }
        let Workspace {
            event_functions,
            violated,
            ..
        } = &mut *self.workspace;
        std::mem::swap(event_functions, violated);
        let defect = self.dense_defect();
        let Workspace {
            event_functions,
            violated,
            ..
        } = &mut *self.workspace;
        std::mem::swap(event_functions, violated);
        if defect <= TRUSTED_DEFECT {
            return None;
        }
        self.report.rejected_steps += 1;
        // the curvature of the dense output is of order four
        let shorter = 0.9 * libm::sqrt(libm::sqrt(TRUSTED_DEFECT / defect));
        Some(self.workspace.trial.h * shorter.at_least(0.2))
    }

    fn collide_at(&mut self, mut crossing: Crossing) -> Result<(), StepError> {
        let tau = loop {
            let tau = self.refine_event(Found::Collision(crossing))?;
            self.evaluate_end_of_trial();
            if let Closing::Contact(contact) = crossing.what {
                self.workspace.watched[contact] = false;
            }
            match self.overlooked_collision() {
                Some(earlier) => crossing = earlier,
                None => break tau,
            }
        };
        self.accept_extrapolated(self.state.time + tau);
        self.state.control.events += 1;
        self.handle_closing(crossing.what, tau < super::JAM_STEP * self.settings.step)
    }

    // a step that ends at an event may penetrate a contact whose gap closed between two samples of the longer step
    fn overlooked_collision(&mut self) -> Option<Crossing> {
        event::missed_collision(
            self.model,
            self.state,
            self.workspace,
            self.settings,
            Mode::FixedMode,
        )
    }

    // accelerations, event functions and force derivatives at the state
    fn evaluate_start(&mut self) {
        self.evaluate_now(Side::After);
        load_direction::follow(self.model, self.state, self.workspace);
        accept::keep_sliding(self.state, self.workspace);
        let Run {
            workspace,
            state,
            settings,
            model,
            ..
        } = self;
        std::mem::swap(
            &mut workspace.event_functions,
            &mut workspace.start_functions,
        );
        workspace.keep_slips(0);
        keep_start(workspace);
        let acceleration = &workspace.acceleration;
        if state.control.step == 0.0 {
            let nominal = &settings.nominal;
            let changes = (0..model.n_velocities).flat_map(|i| {
                let (q, v) = (state.position[i].abs(), state.velocity[i]);
                [
                    (nominal.position(model.angular[i]) + q, v),
                    (
                        nominal.velocity(model.angular[i]) + v.abs(),
                        acceleration[i],
                    ),
                ]
            });
            state.control.step = control::first(changes, settings.max_step);
        }
    }

    fn evaluate_now(&mut self, side: Side) {
        let State {
            time,
            position,
            velocity,
            status,
            ..
        } = &*self.state;
        let now = (*time, side);
        trial::evaluate(self.model, self.workspace, status, now, position, velocity);
    }

    // a longer step could sample a harmonic force at its zeros only, or rotate a body too far to track its gaps
    fn longest_step(&self, rest: f64) -> f64 {
        let by_signals = PART_OF_PERIOD * self.model.shortest_period;
        let mut longest = self.settings.max_step.at_most(by_signals);
        if !self.model.contacts.is_empty() {
            let turning = self.model.angular.iter().zip(&self.state.velocity);
            let fastest = turning
                .filter(|(angular, _)| **angular)
                .fold(0.0, |m: f64, (_, rate)| m.at_least(rate.abs()));
            // extreme rates must not stop the run
            longest = longest.at_most((MAX_TURN / fastest).at_least(LEAST_PART * rest));
        }
        longest
    }

    // a step that meets the tolerance, in the trial: its end time, or none if it is lost in rounding
    fn attempt(&mut self, target: f64) -> Result<Option<f64>, StepError> {
        let rest = target - self.state.time;
        let shortest = SHORTEST * (1.0 + self.state.time.abs());
        let rows = self.settings.rows_taken() as usize;
        loop {
            self.exceeds_work_limit()?;
            let length = match self.settings.tolerance {
                Some(_) => {
                    let longest = self.longest_step(rest).at_most(self.longest_before_stop());
                    control::proposed(&self.state.control, longest, rest)
                        .at_least(shortest)
                        .at_most(rest)
                }
                None => rest.at_most(self.longest_before_stop()),
            };
            let plan = Plan {
                length,
                rows,
                cut_short: self.settings.tolerance.is_some()
                    && length < 0.5 * self.state.control.step,
            };
            let error = match self.take_extrapolated(plan) {
                Ok(error) => error,
                Err(StepError::Singular { .. } | StepError::Unsolved { .. }) => f64::INFINITY,
                Err(error) => return Err(error),
            };
            let finite = self.workspace.trial.velocity.iter().all(|x| x.is_finite());
            if self.settings.tolerance.is_none() && !finite {
                return Err(StepError::NotFinite {
                    time: self.state.time,
                });
            }
            if self.settings.tolerance.is_none() || (error <= 1.0 && finite) {
                self.workspace.step_error = error;
                return Ok(Some(if length == rest {
                    target
                } else {
                    self.state.time + length
                }));
            }
            self.report.rejected_steps += 1;
            self.state.control.step = control::after_rejection(length, error, self.error_order());
            if self.state.control.step < shortest {
                self.state.control.step = 0.0;
                return Ok(None);
            }
        }
    }

    // the error estimate is that of the result without the last row
    fn error_order(&self) -> f64 {
        f64::from(2 * self.settings.rows_taken() - 1)
    }

    fn take_extrapolated(&mut self, plan: Plan) -> Result<f64, StepError> {
        self.report.trials += 1;
        self.workspace.middle_sampled = false;
        let error =
            extrapolation::take(self.model, self.state, self.workspace, self.settings, plan)?;
        let is_smooth = compliant::forces_are_smooth(self.model, self.state);
        Ok(if is_smooth { error } else { ROUGH * error })
    }

    // projects the end of the trial step onto joints and closed contacts
    fn close_trial(&mut self) {
        if !self.settings.projection {
            return;
        }
        let mut trial = std::mem::take(&mut self.workspace.trial);
        stabilize::close(
            self.model,
            self.workspace,
            &self.state.status,
            (self.state.time + trial.h, Side::Before),
            &mut trial.position,
            &mut trial.velocity,
        );
        self.workspace.trial = trial;
    }

    // the same; returns the distance moved, in units of the tolerance
    fn close_trial_moves(&mut self) -> f64 {
        let Workspace { trial, best, .. } = &mut *self.workspace;
        best.copy_from(trial);
        self.close_trial();
        let Some(tolerance) = self.settings.tolerance else {
            return 0.0;
        };
        let Workspace { trial, best, .. } = &*self.workspace;
        let nominal = &self.settings.nominal;
        let mut moved: f64 = 0.0;
        for (i, &angular) in self.model.angular.iter().enumerate() {
            let (q, v) = (trial.position[i], trial.velocity[i]);
            let by = [
                (q - best.position[i]).abs() / (nominal.position(angular) + q.abs()),
                (v - best.velocity[i]).abs() / (nominal.velocity(angular) + v.abs()),
            ];
            moved = moved.at_least(by[0]).at_least(by[1]);
        }
        moved / tolerance
    }

    // event functions, accelerations and forces at the end of the trial step
    fn evaluate_end_of_trial(&mut self) {
        trial::evaluate_end(self.model, self.state, self.workspace);
        self.workspace.keep_slips(N_SAMPLES);
        let Workspace {
            trial,
            acceleration,
            level,
            ..
        } = &mut *self.workspace;
        trial.end_acceleration.clone_from(acceleration);
        trial.end_forces.read(level);
    }

    fn accept_extrapolated(&mut self, end: f64) {
        self.state.control.undecided_in_a_row = 0;
        self.report.steps += 1;
        dense::keep(self.model, self.state, self.workspace);
        extrapolation::add_losses(self.model, self.state, self.workspace, self.report);
        accept::accept(self.model, self.state, self.workspace, self.report, end);
        accept::forces_of_trial(self.state, self.workspace);
    }
}

/// Stores the start of an extrapolated step, where event functions have just been evaluated.
fn keep_start(workspace: &mut Workspace) {
    let Workspace {
        trial,
        acceleration,
        jacobians,
        start_jacobians,
        level,
        active,
        ..
    } = workspace;
    trial.start_acceleration.clone_from(acceleration);
    start_jacobians.copy_from(jacobians);
    active.clone_from(&level.contacts);
}
