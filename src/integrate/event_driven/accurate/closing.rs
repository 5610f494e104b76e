//! Integration up to stops of sliding contacts in space, under a tolerance (docs/METHOD.md, section 12.2).
//!
//! Near a stop the direction of sliding turns as a power of the remaining time, not necessarily an integer one: no high-order step can
//! cross it. With T = s/|ds/dt| the remaining time of the slip s,
//!
//! (1)  steps are at most 0.6 T
//! (2)  where that limits them, one step of order two along the exact flow of the slip (`flow`) goes to the stop,
//!      with the length h = T(h) at which that flow stops
//! (3)  it is accepted when two consecutive attempts agree to the tolerance

use super::control;
use super::dense;
use crate::integrate::event_driven::coefficients::Coefficients;
use crate::integrate::event_driven::event::is_violated;
use crate::integrate::event_driven::trial::{self, EventFunctionKind, Mode};
use crate::integrate::event_driven::{Run, accept, rest_speed};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::scene::spec::{Scheme, TOLERANCE};

/// Part of the remaining time in (1).
const OF_STOP: f64 = 0.6;

/// The stop is attempted if the step is not longer than this multiple of (1) ..
const NEAR_STOP: f64 = 4.0;

/// .. each time that the remaining time has decreased by this factor.
const AGAIN: f64 = 0.5;

/// A stop further away than this multiple of its estimate at the start is ignored.
const FAR: f64 = 50.0;

/// Iterations for the length (2); each gains one order in the step.
const MAX_LENGTHS: u32 = 16;

/// Relative tolerance of the length (2): converged, and acceptable.
const SAME_LENGTH: f64 = 1e-13;
const NEAR_LENGTH: f64 = 1e-6;

/// Scheme of the step to a stop.
pub(super) fn scheme() -> Coefficients {
    Coefficients::from(Scheme::Trapezoidal)
}

impl Run<'_> {
    /// Time to the next stop in space; event functions at the state have just been evaluated.
    pub(super) fn predict_stop(&mut self) {
        let Run {
            model,
            state,
            workspace,
            ..
        } = self;
        self.stop_ahead = if trial::closes_stops(model, workspace) {
            let status = |j: usize| state.status[j];
            workspace.level.time_to_stop(status, &state.velocity)
        } else {
            f64::INFINITY
        };
    }

    /// Step limit (1) due to a stop ahead.
    pub(super) fn longest_before_stop(&self) -> f64 {
        OF_STOP * self.stop_ahead
    }

    /// Near a stop the step length is proportional to the remaining time.
    pub(super) fn shorten_towards_stop(&mut self) {
        let (h, ahead) = (self.workspace.trial.h, self.stop_ahead);
        let control = &mut self.state.control;
        if h < ahead && OF_STOP * ahead < 4.0 * control.step {
            control.step *= 1.0 - h / ahead;
        }
    }

    /// Steps to a near stop if two attempts agree: the state is then at the stop, with its statuses.
    pub(super) fn closes_stop(&mut self, target: f64) -> bool {
        let rest = target - self.state.time;
        let allowed = match self.settings.tolerance {
            Some(_) => control::proposed(&self.state.control, self.longest_step(rest), rest),
            None => rest,
        };
        if self.longest_before_stop() >= NEAR_STOP * allowed {
            self.closing = None;
            return false;
        }
        if self.closing.is_some() && self.stop_ahead > AGAIN * self.closed_from {
            return false;
        }
        self.closed_from = self.stop_ahead;
        let closed = self.length_to_stop().filter(|tau| {
            let end = self.state.time + tau;
            end < target && end > self.state.time
        });
        let what = self.workspace.system.first_stop();
        let (Some(tau), Some(what)) = (closed, what) else {
            self.closing = None;
            return false;
        };
        let slow = rest_speed(&self.state.velocity);
        let stopping = self.workspace.system.flow.first_stop();
        let at_rest = stopping.is_some_and(|(_, speed)| speed <= slow);
        // a stopped contact keeps its last direction
        self.workspace.level.follows_velocity = false;
        self.evaluate_end_of_trial();
        self.workspace.level.follows_velocity = true;
        let fixed_features = !self.workspace.event_functions.iter().any(is_violated)
            && self.first_collision(Mode::FixedMode).is_none();
        if !fixed_features && !at_rest {
            self.closing = None;
            return false;
        }
        let agrees = self.differs_from_last_closing(tau) <= 1.0;
        if agrees || at_rest {
            self.closing = None;
            self.accept_closing(tau, what);
        }
        agrees || at_rest
    }

    // (2), in the trial
    fn length_to_stop(&mut self) -> Option<f64> {
        let mut tau = self.stop_ahead;
        let mut left = f64::INFINITY;
        for _ in 0..MAX_LENGTHS {
            self.take(&scheme(), Mode::FixedMode, tau).ok()?;
            let flow = &self.workspace.system.flow;
            let stop = flow.stop;
            if !flow.followed || stop.is_nan() || stop > FAR * self.stop_ahead || stop <= 0.0 {
                return None;
            }
            let before = std::mem::replace(&mut left, (stop - tau).abs());
            let rounded = left >= 0.5 * before && left <= NEAR_LENGTH * tau;
            if left <= SAME_LENGTH * tau || rounded {
                break;
            }
            tau = stop;
        }
        let taken = self.workspace.trial.h;
        (left <= NEAR_LENGTH * taken).then_some(taken)
    }

    // difference between the stop in the trial and the previous attempt, in units of the tolerance; it is stored
    fn differs_from_last_closing(&mut self, tau: f64) -> f64 {
        let time = self.state.time + tau;
        let Workspace {
            trial,
            closed_position,
            closed_velocity,
            ..
        } = &mut *self.workspace;
        let nominal = &self.settings.nominal;
        let last = self.closing.replace(time);
        let mut worst = last.map_or(f64::INFINITY, |last| (time - last).abs());
        for (i, &angular) in self.model.angular.iter().enumerate() {
            let (q, v) = (trial.position[i], trial.velocity[i]);
            let moved = (v - closed_velocity[i]).abs() / (nominal.velocity(angular) + v.abs());
            worst = worst.at_least(moved);
            // rotations refer to another orientation
            if !self.model.is_spatial() || !angular {
                let moved = (q - closed_position[i]).abs() / (nominal.position(angular) + q.abs());
                worst = worst.at_least(moved);
            }
        }
        closed_position.clone_from(&trial.position);
        closed_velocity.clone_from(&trial.velocity);
        worst / self.settings.tolerance.unwrap_or(TOLERANCE.ends().0)
    }

    fn accept_closing(&mut self, tau: f64, what: EventFunctionKind) {
        self.state.control.undecided_in_a_row = 0;
        self.state.control.events += 1;
        self.report.steps += 1;
        dense::keep_closing(self.model, self.state, self.workspace);
        self.accept(self.state.time + tau);
        accept::forces_of_trial(self.state, self.workspace);
        trial::evaluate(
            self.model,
            self.workspace,
            &self.state.status,
            (self.state.time, Side::Before),
            &self.state.position,
            &self.state.velocity,
        );
        self.count_change(what);
        self.classify_after(what);
    }
}
