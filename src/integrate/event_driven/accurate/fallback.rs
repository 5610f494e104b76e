//! Fallback to the fixed-step scheme where extrapolated steps fail (docs/METHOD.md, section 11.4).
//!
//! The length is halved until one step and two of half the length agree to the tolerance. If that fails the original length is used, and
//! the difference is reported.

use super::FALLBACK;
use crate::integrate::StepError;
use crate::integrate::event_driven::{Run, StallDetector, set_standard};
use crate::math::Limit;

/// Maximum number of halvings: where events accumulate, shorter steps agree no better.
const MAX_HALVINGS: u32 = 8;

impl Run<'_> {
    /// A short step of the fixed-step scheme, up to the target at most.
    pub(super) fn fallback_step(&mut self, target: f64) -> Result<(), StepError> {
        let longer = f64::from(1_u32 << self.state.control.fallbacks_in_a_row.min(30));
        self.state.control.fallbacks_in_a_row += 1;
        let standard = self.settings.step * (FALLBACK * longer).at_most(1.0);
        let mut h = standard.at_most(target - self.state.time);
        self.report.fallback_steps += 1;
        if let Some(tolerance) = self.settings.tolerance {
            let stop_after = std::mem::replace(&mut self.stop_after, f64::INFINITY);
            let agreed = self.length_that_agrees(h);
            self.stop_after = stop_after;
            let error;
            (h, error) = agreed?;
            if error > 1.0 {
                self.report.transition_errors += 1;
                self.report.transition_error += error * tolerance;
            }
        }
        let n_events = self.report.n_events.total();
        self.take_fixed_step(0.5 * h, target)?;
        if self.is_stopped(n_events) || self.state.time >= target {
            return Ok(());
        }
        self.take_fixed_step(0.5 * h, target)
    }

    // the length, at most `h`, at which halves agree to the tolerance, and the difference; `h` itself where none does
    fn length_that_agrees(&mut self, h: f64) -> Result<(f64, f64), StepError> {
        let first = self.difference_of_halves(h)?;
        let mut shorter = h;
        let mut error = first;
        for _ in 0..MAX_HALVINGS {
            if error <= 1.0 {
                return Ok((shorter, error));
            }
            shorter *= 0.5;
            error = self.difference_of_halves(shorter)?;
        }
        Ok((h, first))
    }

    // one step of the fixed-step scheme, with its events
    fn take_fixed_step(&mut self, h: f64, target: f64) -> Result<(), StepError> {
        let mut end = self.state.time + h;
        if end >= target || end == self.state.time {
            end = target;
        }
        self.stall_detector = StallDetector::default();
        let by_tolerance = std::mem::replace(&mut self.standard, h);
        set_standard(self.model, self.workspace, h);
        let result = self.advance_to(end);
        self.standard = by_tolerance;
        set_standard(self.model, self.workspace, 0.0);
        result
    }

    // difference between a step of length `h` and two of half the length, in units of the tolerance; the state is restored
    fn difference_of_halves(&mut self, h: f64) -> Result<f64, StepError> {
        let Some(mut start) = self.workspace.again.take() else {
            return Ok(0.0);
        };
        start.copy_from(self.state);
        let counts = self.report.whole_numbers().map(|x| *x);
        let sums = self.report.real_numbers().map(|x| *x);
        let n_events = self.report.events.len();
        let end = self.state.time + h;
        let mut difference = Ok(0.0);
        for halves in [false, true] {
            let lengths: &[f64] = if halves { &[0.5 * h, 0.5 * h] } else { &[h] };
            for length in lengths {
                difference =
                    difference.and_then(|d| self.take_fixed_step(*length, end).map(|()| d));
            }
            if halves {
                difference = difference.map(|_| self.distance_from_kept());
            } else {
                let closed = &mut *self.workspace;
                closed.closed_position.clone_from(&self.state.position);
                closed.closed_velocity.clone_from(&self.state.velocity);
            }
            self.state.copy_from(&start);
            for (x, before) in self.report.whole_numbers().into_iter().zip(counts) {
                *x = before;
            }
            for (x, before) in self.report.real_numbers().into_iter().zip(sums) {
                *x = before;
            }
            self.report.events.truncate(n_events);
            self.restart();
        }
        self.workspace.again = Some(start);
        difference
    }

    // distance of the state from the end of the stored step, in units of the tolerance; rotations refer to other orientations
    fn distance_from_kept(&self) -> f64 {
        let (nominal, kept) = (&self.settings.nominal, &*self.workspace);
        let mut worst: f64 = 0.0;
        for (i, &angular) in self.model.angular.iter().enumerate() {
            let (q, v) = (self.state.position[i], self.state.velocity[i]);
            let moved = (v - kept.closed_velocity[i]).abs() / (nominal.velocity(angular) + v.abs());
            worst = worst.at_least(moved);
            if !self.model.is_spatial() || !angular {
                let moved =
                    (q - kept.closed_position[i]).abs() / (nominal.position(angular) + q.abs());
                worst = worst.at_least(moved);
            }
        }
        worst / self.settings.tolerance.unwrap_or(f64::INFINITY)
    }
}
