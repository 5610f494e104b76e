//! Dense output of an extrapolated step, as accurate as its end (docs/METHOD.md, section 11).
//!
//! (1)  polynomial of degree 8 through positions, velocities and accelerations at the start, the middle and the end;
//!      the middle is the end of an extrapolated step of half the length
//! (2)  its derivative; then both are projected
//! (3)  error estimate: the change if the acceleration at one of its ends is omitted, c (s^2 (s - 1/2)^3 (s - 1)^3) and its
//!      mirror image, c the highest divided difference. The acceleration of a boundary layer, much shorter than
//!      the step, appears in c as it does in (1).
//! (4)  if (3) exceeds the tolerance, extrapolated steps to the two points where (1) is worst decide
//! (5)  if these differ by more than the tolerance too, the motion is integrated from the start of the step to the
//!      requested time

use super::closing;
use super::extrapolation::{self, Plan};
use crate::integrate::StepError;
use crate::integrate::event_driven::trial::Mode;
use crate::integrate::event_driven::{accept, assemble, stabilize, trial};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::state::State;

/// Maximum of the polynomial of (3) in the step, and its steepest slope.
const LARGEST_CHANGE: f64 = 5.97e-4;
const STEEPEST_CHANGE: f64 = 5.96e-3;

/// Maxima of s (s - 1/2) (s - 1), whose cube the error of (1) contains: 1/2 -+ 1/sqrt(12).
const WORST: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Positions, velocities and accelerations at an instant; rotations in space as rotation vectors with their rates.
#[derive(Clone, Debug, Default)]
struct Instant {
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Instant {
    fn new(n: usize) -> Self {
        Self {
            position: vec![0.0; n],
            velocity: vec![0.0; n],
            acceleration: vec![0.0; n],
        }
    }

    fn turn_to_rates(&mut self, model: &Model) {
        let Self {
            position,
            velocity,
            acceleration,
        } = self;
        model.velocities_to_rates(position, velocity, acceleration);
    }

    fn scaled_derivatives(&self, i: usize, h: f64) -> [f64; 3] {
        [
            self.position[i],
            h * self.velocity[i],
            0.5 * h * h * self.acceleration[i],
        ]
    }
}

/// The last extrapolated step, for dense output on request.
#[derive(Debug)]
pub(in crate::integrate) struct DenseOutput {
    start: State,
    start_acceleration: Vec<f64>,
    middle: Instant,
    middle_known: bool,
    end: Instant,
    /// State at the points where the polynomial is worst.
    check: Instant,
    length: f64,
    /// Is the polynomial as accurate as the step?
    trusted: bool,
    /// Report of integrations inside the step.
    nested_report: Report,
    /// Does it end at a stop, attained by a closing step? Then shorter steps are integrated for dense output.
    closes: bool,
}

impl DenseOutput {
    pub(in crate::integrate) fn new(model: &Model) -> Self {
        let n = model.n_velocities;
        Self {
            start: State::new(model),
            start_acceleration: vec![0.0; n],
            middle: Instant::new(n),
            middle_known: false,
            end: Instant::new(n),
            check: Instant::new(n),
            length: 0.0,
            trusted: false,
            nested_report: match model.time_stepping {
                Some(_) => Report::default(),
                None => Report::new(),
            },
            closes: false,
        }
    }
}

/// Stores the trial step about to be accepted.
pub(super) fn keep(model: &Model, state: &State, workspace: &mut Workspace) {
    let Workspace {
        dense_output,
        trial,
        ..
    } = workspace;
    let Some(dense_output) = dense_output else {
        return;
    };
    dense_output.start.copy_from(state);
    dense_output
        .start_acceleration
        .clone_from(&trial.start_acceleration);
    dense_output.end.position.clone_from(&trial.position);
    dense_output.end.velocity.clone_from(&trial.velocity);
    dense_output
        .end
        .acceleration
        .clone_from(&trial.end_acceleration);
    dense_output.end.turn_to_rates(model);
    dense_output.length = trial.h;
    dense_output.middle_known = false;
    dense_output.closes = false;
}

/// Stores a closing step about to be accepted.
pub(super) fn keep_closing(model: &Model, state: &State, workspace: &mut Workspace) {
    keep(model, state, workspace);
    if let Some(dense_output) = &mut workspace.dense_output {
        dense_output.closes = true;
    }
}

/// The state at `time` inside the last extrapolated step, or false if it must be integrated from its start, (5).
pub(in crate::integrate) fn interpolate(
    model: &Model,
    workspace: &mut Workspace,
    settings: &Settings,
    time: f64,
    out: &mut State,
) -> Result<bool, StepError> {
    let Some(mut dense_output) = workspace.dense_output.take() else {
        return Ok(true);
    };
    let result = dense_output.at(model, workspace, settings, time, out);
    workspace.dense_output = Some(dense_output);
    result
}

/// Copies the start of the last extrapolated step to `out` and calls `integrate` on it, with a separate report; the stored step is kept.
pub(in crate::integrate) fn from_start(
    workspace: &mut Workspace,
    out: &mut State,
    integrate: impl FnOnce(&mut State, &mut Workspace, &mut Report) -> Result<(), StepError>,
) -> Result<(), StepError> {
    let Some(mut dense_output) = workspace.dense_output.take() else {
        return Ok(());
    };
    out.copy_from(&dense_output.start);
    dense_output.nested_report.events.clear();
    let result = integrate(out, workspace, &mut dense_output.nested_report);
    workspace.dense_output = Some(dense_output);
    result
}

impl DenseOutput {
    fn at(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        settings: &Settings,
        time: f64,
        out: &mut State,
    ) -> Result<bool, StepError> {
        if self.middle_known && !self.trusted {
            return Ok(false);
        }
        workspace
            .poses
            .refer_to(&self.start.orientation, &self.start.joint_angle);
        workspace.sliding.clone_from(&self.start.sliding);
        workspace.resistance.clone_from(&self.start.resistance);
        assemble::select_joints(model, workspace, &self.start.position);
        if !self.closes && !self.middle_known {
            let mut middle = std::mem::take(&mut self.middle);
            let error = self.integrate(model, workspace, settings, 0.5, &mut middle);
            self.middle = middle;
            self.middle_known = true;
            let tolerance = settings.tolerance.unwrap_or(f64::INFINITY);
            self.trusted = error? <= 1.0
                && (self.error(model, settings) <= tolerance
                    || self.is_confirmed(model, workspace, settings)?);
            if !self.trusted {
                return Ok(false);
            }
        }
        out.copy_from(&self.start);
        out.time = time;
        if self.closes {
            let (start, h) = (&self.start, time - self.start.time);
            let scheme = closing::scheme();
            trial::take(
                model,
                start,
                workspace,
                settings,
                &scheme,
                Mode::FixedMode,
                h,
            )?;
            out.position.clone_from(&workspace.trial.position);
            out.velocity.clone_from(&workspace.trial.velocity);
        } else {
            let s = (time - self.start.time) / self.length;
            for i in 0..model.n_velocities {
                (out.position[i], out.velocity[i]) = self.curve(i, s);
            }
            model.rates_to_velocities(&out.position, &mut out.velocity);
        }
        let at = (time, Side::Before);
        if settings.projection {
            let State {
                status,
                position,
                velocity,
                ..
            } = &mut *out;
            stabilize::close(model, workspace, status, at, position, velocity); // (2)
        }
        out.average_velocity.clone_from(&out.velocity);
        trial::evaluate(
            model,
            workspace,
            &out.status,
            at,
            &out.position,
            &out.velocity,
        );
        accept::forces_from_accelerations(out, workspace);
        accept::keep_sliding(out, workspace);
        accept::rebase(model, out, &mut workspace.poses);
        Ok(true)
    }

    // (3), relative to nominal values
    fn error(&self, model: &Model, settings: &Settings) -> f64 {
        let (h, nominal) = (self.length, &settings.nominal);
        let mut worst: f64 = 0.0;
        for (i, &angular) in model.angular.iter().enumerate() {
            let change = self.coefficients(i)[8].abs();
            let (q, v) = (self.start.position[i], self.start.velocity[i]);
            let scratch_position =
                nominal.position(angular) + q.abs().at_least(self.end.position[i].abs());
            let speed = nominal.velocity(angular) + v.abs().at_least(self.end.velocity[i].abs());
            let parts = [
                LARGEST_CHANGE * change / scratch_position,
                STEEPEST_CHANGE * change / (h * speed),
            ];
            if !(parts[0].is_finite() && parts[1].is_finite()) {
                return f64::INFINITY;
            }
            worst = worst.at_least(parts[0]).at_least(parts[1]);
        }
        worst
    }

    // (4)
    fn is_confirmed(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        settings: &Settings,
    ) -> Result<bool, StepError> {
        let tolerance = settings.tolerance.unwrap_or(f64::INFINITY);
        let nominal = &settings.nominal;
        for fraction in WORST {
            let mut check = std::mem::take(&mut self.check);
            let error = self.integrate(model, workspace, settings, fraction, &mut check);
            self.check = check;
            if error? > 1.0 {
                return Ok(false);
            }
            for (i, &angular) in model.angular.iter().enumerate() {
                let (q, v) = self.curve(i, fraction);
                let Instant {
                    position, velocity, ..
                } = &self.check;
                let off = [
                    (q - position[i]).abs() / (nominal.position(angular) + position[i].abs()),
                    (v - velocity[i]).abs() / (nominal.velocity(angular) + velocity[i].abs()),
                ];
                // also true for NaN
                if !off.iter().all(|x| *x <= tolerance) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    // an extrapolated step to a fraction of this one, and its error in units of the tolerance
    fn integrate(
        &self,
        model: &Model,
        workspace: &mut Workspace,
        settings: &Settings,
        fraction: f64,
        out: &mut Instant,
    ) -> Result<f64, StepError> {
        let start = &self.start;
        let at = (start.time, Side::After);
        trial::evaluate(
            model,
            workspace,
            &start.status,
            at,
            &start.position,
            &start.velocity,
        );
        super::keep_start(workspace);
        let plan = Plan {
            length: fraction * self.length,
            rows: settings.rows_taken() as usize,
            cut_short: false,
        };
        let error = match extrapolation::take(model, start, workspace, settings, plan) {
            Err(StepError::Singular { .. } | StepError::Unsolved { .. }) => f64::INFINITY,
            taken => taken?,
        };
        let Instant {
            position,
            velocity,
            acceleration,
        } = &mut *out;
        position.clone_from(&workspace.trial.position);
        velocity.clone_from(&workspace.trial.velocity);
        let at = (start.time + plan.length, Side::Before);
        if settings.projection {
            stabilize::close(model, workspace, &start.status, at, position, velocity);
        }
        trial::evaluate(model, workspace, &start.status, at, position, velocity);
        acceleration.clone_from(&workspace.acceleration);
        out.turn_to_rates(model);
        Ok(error)
    }

    // (1) by divided differences on the nodes 0, 0, 0, 1/2, 1/2, 1/2, 1, 1, 1
    fn coefficients(&self, i: usize) -> [f64; 9] {
        let h = self.length;
        let start = [
            self.start.position[i],
            h * self.start.velocity[i],
            0.5 * h * h * self.start_acceleration[i],
        ];
        divided_differences([
            start,
            self.middle.scaled_derivatives(i, h),
            self.end.scaled_derivatives(i, h),
        ])
    }

    fn curve(&self, i: usize, s: f64) -> (f64, f64) {
        let h = self.length;
        let (mut value, mut slope) = (0.0, 0.0);
        for (k, coefficient) in self.coefficients(i).iter().enumerate().rev() {
            let node = NODES[k / 3];
            slope = slope * (s - node) + value;
            value = value * (s - node) + coefficient;
        }
        (value, slope / h)
    }
}

const NODES: [f64; 3] = [0.0, 0.5, 1.0];

// Newton coefficients from value, slope and half the curvature at each node
fn divided_differences(jets: [[f64; 3]; 3]) -> [f64; 9] {
    let mut column = [0.0; 9];
    for (k, x) in column.iter_mut().enumerate() {
        *x = jets[k / 3][0];
    }
    for order in 1..9 {
        for k in (order..9).rev() {
            column[k] = if k / 3 == (k - order) / 3 {
                jets[k / 3][order]
            } else {
                (column[k] - column[k - 1]) / (NODES[k / 3] - NODES[(k - order) / 3])
            };
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_the_error_are_those_of_its_polynomial() {
        let change = |s: f64| s.powi(2) * (s - 0.5).powi(3) * (s - 1.0).powi(3);
        let n = 100_000;
        let at = |i: u32| f64::from(i) / f64::from(n);
        let largest = (0..=n).map(|i| change(at(i)).abs()).fold(0.0, f64::max);
        let slope = |i: u32| f64::from(n) * (change(at(i + 1)) - change(at(i)));
        let steepest = (0..n).map(|i| slope(i).abs()).fold(0.0, f64::max);
        println!("{largest:e} {steepest:e}");
        assert!(largest <= LARGEST_CHANGE && largest > 0.99 * LARGEST_CHANGE);
        assert!(steepest <= STEEPEST_CHANGE && steepest > 0.99 * STEEPEST_CHANGE);
    }

    #[test]
    fn a_polynomial_of_degree_eight_is_reproduced() {
        let f = |s: f64| s.powi(8) - 3.0 * s.powi(5) + s * s - 2.0;
        let d = |s: f64| 8.0 * s.powi(7) - 15.0 * s.powi(4) + 2.0 * s;
        let c = |s: f64| 56.0 * s.powi(6) - 60.0 * s.powi(3) + 2.0;
        let coefficients = divided_differences(NODES.map(|s| [f(s), d(s), 0.5 * c(s)]));
        let s: f64 = 0.8;
        let (mut value, mut product) = (0.0, 1.0);
        for (k, coefficient) in coefficients.iter().enumerate() {
            value += coefficient * product;
            product *= s - NODES[k / 3];
        }
        assert!((value - f(s)).abs() < 1e-13);
    }
}
