//! Event location inside an extrapolated step: on its dense output, then refined with steps that end at the event (docs/METHOD.md, section
//! 11).

use super::extrapolation::{self, Plan};
use crate::integrate::StepError;
use crate::integrate::event_driven::Run;
use crate::integrate::event_driven::assemble::{self, Closing};
use crate::integrate::event_driven::event::{Crossing, MAX_HALVINGS, is_violated};
use crate::integrate::event_driven::trial::{self, EventFunction, EventFunctionKind, Mode, Trial};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::math::root::bracketed;
use crate::scene::spec::TOLERANCE;

/// Number of sampling intervals of event functions in a step.
pub(in crate::integrate) const N_SAMPLES: usize = 4;

/// The sample in the middle.
const MIDDLE: usize = N_SAMPLES / 2;

/// A minimum below this fraction of the range of a function is examined.
const NEAR_ZERO: f64 = 0.05;

/// Roots are located to this fraction of the step.
const ROOT_TOLERANCE: f64 = 1e-13;

/// Tolerance of roots on the dense output that are refined afterwards.
const ROUGH_ROOT: f64 = 1e-6;

/// A correction below this fraction of the time to the event, times the cube root of the tolerance, needs no new step: two substeps extend
/// the last one, with an error of third order in their length.
const PROLONGED: f64 = 0.1;

/// If corrections leave a larger error of the event time, as a fraction of the step, the root is bracketed.
const LOOSE: f64 = 1e-9;

/// Corrections stay this close to the root on the dense output, as a fraction of the step.
const NEAR: f64 = 0.05;

/// Maximum number of corrections of an event time.
const MAX_CORRECTIONS: u32 = 6;

/// The first event of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// None.
    Nothing,
    /// An event function crosses zero, at this time since the start of the step.
    Transition(f64, EventFunctionKind),
    /// A gap closes.
    Collision(Crossing),
    /// A slip in space passed a stop about this time since the start of the step.
    PassedStop(f64),
    /// The statuses are violated from the start.
    Contradiction,
}

impl Run<'_> {
    /// The first event of the trial step, whose dense output is complete; event functions at its start and end are in `start_functions` and
    /// `event_functions`.
    pub(super) fn first_event(&mut self) -> Found {
        self.workspace.contradicted = None;
        let transition = self.first_transition();
        let crossing = self.first_collision(Mode::FixedMode);
        match (transition, crossing) {
            (Found::Contradiction, _) => Found::Contradiction,
            // the motion beyond the stop is not that of the step
            (Found::PassedStop(time), crossing) => match crossing {
                Some(crossing) if crossing.time <= 0.5 * time => Found::Collision(crossing),
                _ => Found::PassedStop(time),
            },
            (Found::Transition(time, what), Some(crossing)) => {
                if time <= crossing.time {
                    Found::Transition(time, what)
                } else {
                    Found::Collision(crossing)
                }
            }
            (_, Some(crossing)) => Found::Collision(crossing),
            (found, None) => found,
        }
    }

    fn first_transition(&mut self) -> Found {
        if self.workspace.start_functions.is_empty() && self.workspace.event_functions.is_empty() {
            return Found::Nothing;
        }
        let mut samples = std::mem::take(&mut self.workspace.samples);
        samples[0].clone_from(&self.workspace.start_functions);
        samples[N_SAMPLES].clone_from(&self.workspace.event_functions);
        let (mut violated, mut passed) = (None, None);
        for (i, sample) in samples.iter_mut().enumerate().skip(1) {
            let known = i == MIDDLE && std::mem::take(&mut self.workspace.middle_sampled);
            if i < N_SAMPLES && !known {
                self.evaluate_inside(self.sample_time(i));
                sample.clone_from(&self.workspace.event_functions);
                self.workspace.keep_slips(i);
            }
            passed = self.passed_stop(i);
            if passed.is_some() {
                break;
            }
            if sample.iter().any(is_violated) {
                violated = Some(i);
                break;
            }
        }
        if let Some(passed) = passed {
            self.workspace.samples = samples;
            return passed;
        }
        let mut found = self.first_between_samples(&samples, violated.unwrap_or(N_SAMPLES + 1) - 1);
        if let (Found::Nothing, Some(i)) = (found, violated) {
            self.workspace.start_functions.clone_from(&samples[i - 1]);
            self.workspace.event_functions.clone_from(&samples[i]);
            found = self.locate(self.sample_time(i - 1), self.sample_time(i));
        }
        self.workspace.start_functions.clone_from(&samples[0]);
        self.workspace.samples = samples;
        found
    }

    /// Difference between the accelerations of the dense output and those computed from its positions and velocities, in the middle of the
    /// trial step: as a relative velocity change over the step. If it is large, events on the dense output are unreliable. Stiff forces
    /// damp their own effect of small errors.
    pub(super) fn dense_defect(&mut self) -> f64 {
        let h = self.workspace.trial.h;
        self.evaluate_inside(0.5 * h);
        self.workspace.middle_sampled = true;
        let Workspace {
            samples,
            event_functions,
            ..
        } = &mut *self.workspace;
        samples[MIDDLE].clone_from(event_functions);
        self.workspace.keep_slips(MIDDLE);
        let Workspace {
            trial,
            acceleration,
            jacobians,
            level,
            scratch_position: defect,
            ..
        } = &mut *self.workspace;
        for (i, x) in defect.iter_mut().enumerate() {
            let [_, _, on_curve] = trial.quintic(self.state, 0.5 * h, i);
            *x = h * (on_curve - acceleration[i]);
        }
        for i in self.model.rotations() {
            let [_, _, on_curve] = trial.rotation(self.state, 0.5 * h, i);
            for k in 0..3 {
                defect[i + k] = h * (on_curve[k] - acceleration[i + k]);
            }
        }
        let mass = &self.model.mass;
        if jacobians.are_stiff(mass, h, h * h) {
            defect.iter_mut().zip(mass).for_each(|(x, m)| *x *= m);
            let (by_velocity, by_position) = ((h, &jacobians.velocity), (h * h, &jacobians.stiff));
            level.metric.factor_stiff(mass, by_velocity, by_position);
            level.metric.divide(defect);
        }
        let mut worst: f64 = 0.0;
        for (i, x) in defect.iter().enumerate() {
            let ends = trial.start_acceleration[i]
                .abs()
                .at_least(trial.end_acceleration[i].abs());
            let nominal = self.settings.nominal.velocity(self.model.angular[i]);
            // rounding of second differences of positions
            let rounding = 1e3 * f64::EPSILON * (1.0 + self.state.position[i].abs()) / h;
            let size = nominal + h * ends.at_least(acceleration[i].abs());
            worst = worst.at_least((x.abs() - rounding) / size);
        }
        worst
    }

    pub(super) fn sample_time(&self, i: usize) -> f64 {
        self.workspace.trial.h * i as f64 / N_SAMPLES as f64
    }

    // functions that are positive at the first `last` samples may be negative between them: they are examined where the polynomial through
    // all samples comes close to zero
    fn first_between_samples(
        &mut self,
        samples: &[Vec<EventFunction>; N_SAMPLES + 1],
        last: usize,
    ) -> Found {
        if last < N_SAMPLES {
            // the step is cut anyway; the rest of it is examined later
            return Found::Nothing;
        }
        let mut first: Option<f64> = None;
        for start in &samples[0] {
            let mut values = [0.0; N_SAMPLES + 1];
            let known = values.iter_mut().zip(samples).all(|(value, sample)| {
                let function = value_of(sample, start.what);
                *value = function.map_or(0.0, |p| p.value);
                function.is_some()
            });
            if start.what == EventFunctionKind::Redundant || !known {
                continue;
            }
            let tolerance = if start.tolerance.is_finite() {
                start.tolerance
            } else {
                0.0
            };
            if let Some(scratch_position) = interior_minimum(&values, tolerance)
                && first.is_none_or(|earlier| scratch_position < earlier)
            {
                self.evaluate_inside(scratch_position * self.workspace.trial.h);
                if self.workspace.event_functions.iter().any(is_violated) {
                    first = Some(scratch_position);
                }
            }
        }
        let Some(scratch_position) = first else {
            return Found::Nothing;
        };
        let before = (scratch_position * N_SAMPLES as f64) as usize;
        self.workspace.start_functions.clone_from(&samples[before]);
        self.evaluate_inside(scratch_position * self.workspace.trial.h);
        self.locate(
            self.sample_time(before),
            scratch_position * self.workspace.trial.h,
        )
    }

    // event functions on the dense output
    fn evaluate_inside(&mut self, time: f64) {
        let mut q = std::mem::take(&mut self.workspace.sample_position);
        let mut v = std::mem::take(&mut self.workspace.sample_velocity);
        self.workspace
            .trial
            .at(self.model, self.state, time, &mut q, &mut v);
        let at = (self.state.time + time, Side::Before);
        trial::evaluate(self.model, self.workspace, &self.state.status, at, &q, &v);
        self.workspace.sample_position = q;
        self.workspace.sample_velocity = v;
    }

    // the first root of the functions that are violated at `right` (in `event_functions`) and hold at `left` (in `start_functions`)
    fn locate(&mut self, left: f64, right: f64) -> Found {
        let h = self.workspace.trial.h;
        let mut violated = std::mem::take(&mut self.workspace.violated);
        violated.clear();
        violated.extend(
            self.workspace
                .event_functions
                .iter()
                .filter(|p| is_violated(p)),
        );
        let mut first: Option<(f64, EventFunctionKind)> = None;
        for function in &violated {
            let what = function.what;
            let at_left = value_of(&self.workspace.start_functions, what);
            let mut open = (left, at_left.map_or(0.0, |p| p.value));
            if at_left.is_none_or(|p| p.value <= p.tolerance) {
                // zero at the start: it must become positive before it can cross zero
                let mut time = right;
                open.1 = 0.0;
                for _ in 0..MAX_HALVINGS {
                    time = left + 0.5 * (time - left);
                    let value = self.value_inside(what, time);
                    if value > function.tolerance {
                        open = (time, value);
                        break;
                    }
                }
            }
            let root = if open.1 > 0.0 {
                let tolerance = match what {
                    EventFunctionKind::Redundant => ROOT_TOLERANCE,
                    EventFunctionKind::NormalForce(_)
                    | EventFunctionKind::ConeForward(_)
                    | EventFunctionKind::ConeBackward(_)
                    | EventFunctionKind::Cone(_)
                    | EventFunctionKind::Sliding(_)
                    | EventFunctionKind::SpinForward(_)
                    | EventFunctionKind::SpinBackward(_)
                    | EventFunctionKind::Spinning(_)
                    | EventFunctionKind::RollingCone(_)
                    | EventFunctionKind::Rolling(_)
                    | EventFunctionKind::Edge(_)
                    | EventFunctionKind::PairForward(_)
                    | EventFunctionKind::PairBackward(_)
                    | EventFunctionKind::ElementSliding(_)
                    | EventFunctionKind::ElementForward(_)
                    | EventFunctionKind::ElementBackward(_)
                    | EventFunctionKind::ElementLoad(_)
                    | EventFunctionKind::ServoUpper(_)
                    | EventFunctionKind::ServoLower(_)
                    | EventFunctionKind::ServoInside(_)
                    | EventFunctionKind::Pressing(_)
                    | EventFunctionKind::Separation(_) => ROUGH_ROOT,
                };
                bracketed(
                    |time| self.value_inside(what, time),
                    open,
                    (right, function.value),
                    tolerance * h,
                )
            } else {
                left
            };
            if first.is_none_or(|(time, _)| root < time) {
                first = Some((root, what));
            }
        }
        self.workspace.violated = violated;
        match first {
            Some((time, what)) if time > 0.0 => Found::Transition(time, what),
            _ => {
                self.workspace.contradicted = first.map(|(_, what)| what);
                Found::Contradiction
            }
        }
    }

    // dependence of constraints may change inside the step: a missing function does not violate anything
    fn value_inside(&mut self, what: EventFunctionKind, time: f64) -> f64 {
        self.evaluate_inside(time);
        value_or_violation(self.workspace, what)
    }

    /// Takes a step that ends at the event and corrects its end until the function is zero there; it is left in the trial, with
    /// accelerations and forces at its end for a transition. Returns its length.
    pub(super) fn refine_event(&mut self, found: Found) -> Result<f64, StepError> {
        let h = self.workspace.trial.h;
        let (time, on_dense_output) = match found {
            Found::Nothing | Found::Contradiction | Found::PassedStop(_) => return Ok(h),
            Found::Transition(time, EventFunctionKind::Redundant) => (time, 0.0),
            Found::Transition(time, what) => (time, self.dense_slope(what, time)),
            Found::Collision(crossing) => (crossing.time, 0.0),
        };
        let mut tau = time;
        let mut value = self.value_at_end(found, tau)?;
        let mut slope = self.slope_of_trial(found).unwrap_or(on_dense_output);
        if slope == 0.0 {
            return Ok(tau);
        }
        let mut best = std::mem::take(&mut self.workspace.best);
        best.copy_from(&self.workspace.trial);
        let rounding = 2.0 * f64::EPSILON * (self.state.time + h) + 1e-3 * ROOT_TOLERANCE * h;
        let tolerance = self.settings.tolerance.unwrap_or(TOLERANCE.ends().0);
        let prolonged = PROLONGED * libm::cbrt(tolerance);
        for _ in 0..MAX_CORRECTIONS {
            let correction = -value / slope;
            let next = tau + correction;
            let near = (next - time).abs() <= NEAR * h && next > 0.0;
            if correction.abs() <= rounding || !near {
                break;
            }
            let next_value = if correction.abs() <= prolonged * tau {
                self.value_after(found, correction)?
            } else {
                self.value_at_end(found, next)?
            };
            if next_value.abs() >= value.abs() {
                break;
            }
            if let Some(exact) = self.slope_of_trial(found) {
                slope = exact;
            } else if correction.abs() > 1e-9 * h {
                slope = (next_value - value) / correction;
            }
            (tau, value) = (next, next_value);
            best.copy_from(&self.workspace.trial);
        }
        std::mem::swap(&mut self.workspace.trial, &mut best);
        self.workspace.best = best;
        if value.abs() > slope.abs() * LOOSE * h {
            // a kink, as where another vertex becomes the closest
            return self.bracket(found, (tau, value), h);
        }
        Ok(tau)
    }

    // the same without slopes: expands a bracket around the best estimate and closes it
    fn bracket(
        &mut self,
        found: Found,
        (guess, value): (f64, f64),
        h: f64,
    ) -> Result<f64, StepError> {
        let (mut open, mut closed) = ((0.0, f64::MIN_POSITIVE), (guess, value));
        let mut width = LOOSE * h;
        if value > 0.0 {
            open = (guess, value);
            loop {
                let time = (guess + width).at_most(h);
                closed = (time, self.value_at_end(found, time)?);
                if closed.1 <= 0.0 || time == h {
                    break;
                }
                open = closed;
                width *= 10.0;
            }
        } else {
            while guess - width > 0.0 {
                let time = guess - width;
                let at = self.value_at_end(found, time)?;
                if at > 0.0 {
                    open = (time, at);
                    break;
                }
                closed = (time, at);
                width *= 10.0;
            }
        }
        let mut failure = None;
        let root = bracketed(
            |time| {
                self.value_at_end(found, time).unwrap_or_else(|error| {
                    failure = Some(error);
                    0.0
                })
            },
            open,
            closed,
            ROOT_TOLERANCE * h,
        );
        if let Some(error) = failure {
            return Err(error);
        }
        self.value_at_end(found, root)?;
        Ok(root)
    }

    fn dense_slope(&mut self, what: EventFunctionKind, time: f64) -> f64 {
        let h = self.workspace.trial.h;
        let width = 1e-3 * h;
        let (a, b) = ((time - width).at_least(0.0), (time + width).at_most(h));
        (self.value_inside(what, b) - self.value_inside(what, a)) / (b - a)
    }

    // the event function at the end of a step of length `tau`
    fn value_at_end(&mut self, found: Found, tau: f64) -> Result<f64, StepError> {
        self.take_extrapolated(Plan {
            length: tau,
            rows: self.settings.rows_taken() as usize,
            cut_short: self.settings.tolerance.is_some(),
        })?;
        self.close_trial();
        Ok(self.value_of_trial(found))
    }

    // the same for the trial step extended or shortened by a small time
    fn value_after(&mut self, found: Found, time: f64) -> Result<f64, StepError> {
        extrapolation::extend(self.model, self.state, self.workspace, time)?;
        self.close_trial();
        Ok(self.value_of_trial(found))
    }

    // the event function at the end of the trial step
    fn value_of_trial(&mut self, found: Found) -> f64 {
        match found {
            Found::Transition(_, what) => {
                self.evaluate_end_of_trial();
                value_or_violation(self.workspace, what)
            }
            Found::Collision(crossing) => self.closing_of_trial(crossing.what).0,
            Found::Nothing | Found::Contradiction | Found::PassedStop(_) => 0.0,
        }
    }

    // its slope there, if known
    fn slope_of_trial(&mut self, found: Found) -> Option<f64> {
        match found {
            Found::Collision(crossing) => Some(self.closing_of_trial(crossing.what).1),
            Found::Transition(..)
            | Found::Nothing
            | Found::Contradiction
            | Found::PassedStop(_) => None,
        }
    }

    fn closing_of_trial(&mut self, what: Closing) -> (f64, f64) {
        let end: Trial = std::mem::take(&mut self.workspace.trial);
        let (q, v) = (&end.position, &end.velocity);
        let closing = assemble::closing(self.model, self.workspace, what, q, v);
        self.workspace.trial = end;
        closing
    }
}

fn value_of(event_functions: &[EventFunction], what: EventFunctionKind) -> Option<EventFunction> {
    event_functions
        .iter()
        .find(|function| function.what == what)
        .copied()
}

fn value_or_violation(workspace: &Workspace, what: EventFunctionKind) -> f64 {
    match value_of(&workspace.event_functions, what) {
        Some(function) => function.value,
        None if workspace.event_functions.iter().any(is_violated) => -1.0,
        None => 1.0,
    }
}

// the minimum between samples of the polynomial through values at 0, 1/4, 1/2, 3/4 and 1, if close to zero or negative
fn interior_minimum(values: &[f64; N_SAMPLES + 1], tolerance: f64) -> Option<f64> {
    const GRID: usize = 32;
    let highest = values.iter().fold(f64::MIN, |m, v| m.at_least(*v));
    let lowest = values.iter().fold(f64::MAX, |m, v| m.at_most(*v));
    if highest - lowest <= 10.0 * tolerance || lowest > highest - lowest {
        return None;
    }
    let at = |scratch_position: usize| {
        let x = (scratch_position * N_SAMPLES) as f64 / GRID as f64;
        let mut sum = 0.0;
        for (i, value) in values.iter().enumerate() {
            let mut weight = 1.0;
            for j in (0..=N_SAMPLES).filter(|j| *j != i) {
                weight *= (x - j as f64) / (i as f64 - j as f64);
            }
            sum += weight * value;
        }
        sum
    };
    let scratch_position = (1..GRID).find(|k| {
        let (before, here, after) = (at(k - 1), at(*k), at(k + 1));
        here < before && here <= after && here < NEAR_ZERO * (highest - lowest)
    })?;
    Some(scratch_position as f64 / GRID as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dip_between_samples_is_seen_and_a_slope_is_none() {
        let values = |f: fn(f64) -> f64| [0.0, 0.25, 0.5, 0.75, 1.0].map(f);
        let dip_of = |f: fn(f64) -> f64| interior_minimum(&values(f), 1e-12);
        assert_eq!(dip_of(|x| (x - 0.375) * (x - 0.375) - 0.001), Some(0.375));
        assert_eq!(dip_of(|x| (x - 0.375) * (x - 0.375) + 1.0), None);
        assert_eq!(dip_of(|x| x), None);
    }
}
