//! Extrapolation of symmetric substeps (docs/METHOD.md, section 11).
//!
//! (1)  row j: 2j substeps of the step H;  y = sum_j w_j y_j,   w_j = prod_{i != j} j^2 / (j^2 - i^2)
//! (2)  smoothed rows, where forces are stiff: (y_{n-1} + 2 y_n + y_{n+1}) / 4 for y_n
//! (3)  error: difference to the result without the last row, beyond rounding

use super::symmetric::{self, N_WORKS, Work};
use crate::dynamics::Jacobians;
use crate::integrate::StepError;
use crate::integrate::event_driven::compliant;
use crate::integrate::event_driven::energy::{self, Losses};
use crate::integrate::event_driven::trial::{Curve, Trial};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::math::{Limit, positive};
use crate::model::Model;
use crate::scene::spec::Settings;
use crate::state::State;

/// Maximum number of rows.
pub(super) const MAX_ROWS: usize = crate::scene::spec::MAX_ROWS as usize;

/// Rows are smoothed where a force adds more than this part to the inertia of a substep of the first row: otherwise errors of stiff springs
/// would grow, and stiff dampers would not damp.
const STIFF: f64 = 0.5;

/// A step shorter than it could be uses only as many rows as bring its error below this.
const FEW_ROWS: f64 = 0.1;

/// Workspace of the extrapolation.
#[derive(Debug, Default)]
pub(in crate::integrate) struct Extrapolation {
    /// Positions, velocities, applied impulses, work, and work of flanges at the end of each row.
    rows: Vec<Vec<f64>>,
    before: Vec<f64>,
    /// The result (1).
    result: Vec<f64>,
    /// Rounding errors of positions and velocities: smaller differences between rows are ignored.
    rounding: Vec<f64>,
}

impl Extrapolation {
    /// Storage for `n` velocities and a number of flanges.
    pub(in crate::integrate) fn new(n: usize, n_flanges: usize) -> Self {
        let row = || vec![0.0; 3 * n + N_WORKS + n_flanges];
        Self {
            rows: (0..MAX_ROWS).map(|_| row()).collect(),
            before: row(),
            result: row(),
            rounding: vec![0.0; 2 * n],
        }
    }
}

/// Plan of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    /// Length, s.
    pub length: f64,
    /// Maximum number of rows.
    pub rows: usize,
    /// May it use fewer rows?
    pub cut_short: bool,
}

/// Takes a step from the state into `workspace.trial`, with the statuses of the state. Returns its error in units of the tolerance, 0
/// without one.
pub(super) fn take(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    plan: Plan,
) -> Result<f64, StepError> {
    let h = plan.length;
    let smooth = is_stiff(model, state, workspace, h);
    let mut tableau = std::mem::take(&mut workspace.extrapolation);
    round(
        model,
        state,
        &workspace.start_jacobians,
        h,
        &mut tableau.rounding,
    );
    let mut outcome = Ok(f64::INFINITY);
    for row in 0..plan.rows {
        if let Err(error) = fill(model, state, workspace, &mut tableau, (h, smooth), row) {
            outcome = Err(error);
            break;
        }
        let last = row + 1 == plan.rows;
        if last || (row > 0 && plan.cut_short) {
            let error = combine(model, state, settings, &mut tableau, row + 1);
            outcome = Ok(error);
            if last || error <= FEW_ROWS {
                break;
            }
        }
    }
    write(state, &mut workspace.trial, &tableau, h);
    workspace.extrapolation = tableau;
    outcome
}

/// Extends the step in `workspace.trial` by a time that is short compared to its length.
pub(super) fn extend(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    time: f64,
) -> Result<(), StepError> {
    let n = model.n_velocities;
    let end = workspace.trial.h;
    let mut tableau = std::mem::take(&mut workspace.extrapolation);
    let y = &mut tableau.result;
    y[..n].copy_from_slice(&workspace.trial.position);
    y[n..2 * n].copy_from_slice(&workspace.trial.velocity);
    // an even number of substeps, as in every row
    let h = 0.5 * time;
    let mut outcome = Ok(());
    for start in [state.time + end, state.time + end + h] {
        outcome = outcome
            .and_then(|()| symmetric::substep(model, workspace, &state.status, (start, h), y));
    }
    write(state, &mut workspace.trial, &tableau, end + time);
    workspace.extrapolation = tableau;
    outcome
}

/// Adds the work of the step to the balance. Normal forces of contacts that stay closed do no work.
pub(super) fn add_losses(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    report: &mut Report,
) {
    let result = &workspace.extrapolation.result;
    let works = &result[3 * model.n_velocities..][..N_WORKS];
    let mut losses = Losses {
        applied: works[Work::Applied as usize],
        damping: positive(works[Work::Damping as usize]),
        friction: positive(works[Work::Friction as usize]),
        ..Losses::default()
    };
    losses.numerical = energy::numerical_error(model, state, workspace, &losses);
    losses.add_to(report);
}

// effect of rounding errors of coordinates and stiff forces on a step
fn round(model: &Model, state: &State, jacobians: &Jacobians, h: f64, rounding: &mut [f64]) {
    const UNIT: f64 = 64.0 * f64::EPSILON;
    let n = model.n_velocities;
    for i in 0..n {
        let mut force = 0.0;
        if jacobians.any {
            let stiff = jacobians.stiff.row(i);
            for ((j, by_position), (_, by_velocity)) in stiff.zip(jacobians.velocity.row(i)) {
                force += (by_position * state.position[j]).abs()
                    + (by_velocity * state.velocity[j]).abs();
            }
        }
        // forces that are stiff relative to a substep damp it
        let substep = 0.5 * h;
        let inertia = model.mass[i]
            - 0.5 * substep * jacobians.velocity.diagonal(i)
            - 0.25 * substep * substep * jacobians.stiff.diagonal(i);
        let velocity =
            UNIT * (state.velocity[i].abs() + h * force / inertia.at_least(model.mass[i]));
        rounding[n + i] = velocity;
        rounding[i] = UNIT * state.position[i].abs() + h * velocity;
    }
}

// by the force derivatives at the start
fn is_stiff(model: &Model, state: &State, workspace: &mut Workspace, h: f64) -> bool {
    let first = 0.5 * h;
    let by_velocity = 0.5 * first / STIFF;
    let by_position = 0.25 * first * first / STIFF;
    let forces = &workspace.start_jacobians;
    forces.are_stiff(&model.mass, by_velocity, by_position)
        || (model.has_compliant_contacts
            && compliant::are_stiff(model, workspace, state, by_velocity, by_position))
}

fn fill(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    tableau: &mut Extrapolation,
    (length, smooth): (f64, bool),
    row: usize,
) -> Result<(), StepError> {
    let n = model.n_velocities;
    let Extrapolation { rows, before, .. } = tableau;
    let y = &mut rows[row];
    y.fill(0.0);
    y[..n].copy_from_slice(&state.position);
    y[n..2 * n].copy_from_slice(&state.velocity);
    let substeps = 2 * (row + 1);
    let h = length / substeps as f64;
    let mut substep = |i: usize, y: &mut [f64]| {
        let start = state.time + i as f64 * h;
        symmetric::substep(model, workspace, &state.status, (start, h), y)
    };
    for i in 0..substeps {
        if smooth && i + 1 == substeps {
            before.copy_from_slice(y);
        }
        substep(i, y)?;
    }
    if smooth {
        // (2)
        for (sum, y) in before.iter_mut().zip(y.iter()) {
            *sum += 2.0 * y;
        }
        substep(substeps, y)?;
        for (y, sum) in y.iter_mut().zip(before.iter()) {
            *y = 0.25 * (*y + sum);
        }
    }
    Ok(())
}

fn weight(row: usize, rows: usize) -> f64 {
    let square = |j: usize| ((j + 1) * (j + 1)) as f64;
    let mut weight = 1.0;
    for other in (0..rows).filter(|j| *j != row) {
        weight *= square(row) / (square(row) - square(other));
    }
    weight
}

// (1) and (3)
fn combine(
    model: &Model,
    state: &State,
    settings: &Settings,
    tableau: &mut Extrapolation,
    used: usize,
) -> f64 {
    let mut weights = [0.0; MAX_ROWS];
    let mut differences = [0.0; MAX_ROWS];
    for row in 0..used {
        weights[row] = weight(row, used);
        let without = if row + 1 < used {
            weight(row, used - 1)
        } else {
            0.0
        };
        differences[row] = weights[row] - without;
    }
    let Extrapolation {
        rows,
        result,
        rounding,
        ..
    } = tableau;
    let n = model.n_velocities;
    let nominal = &settings.nominal;
    let (mut squares, mut worst_impulse): (f64, f64) = (0.0, 0.0);
    for (i, y) in result.iter_mut().enumerate() {
        let (mut value, mut error) = (0.0, 0.0);
        for row in 0..used {
            value += weights[row] * rows[row][i];
            error += differences[row] * rows[row][i];
        }
        *y = value;
        if i < 2 * n {
            let excess = error.abs() - rounding[i];
            // NaN stays NaN
            error = if excess < 0.0 { 0.0 } else { excess };
        }
        let angular = model.angular[i % n];
        let size = |start: f64, nominal: f64| nominal + start.abs().at_least(value.abs());
        match i / n {
            0 => squares += square(error / size(state.position[i], nominal.position(angular))),
            1 => squares += square(error / size(state.velocity[i - n], nominal.velocity(angular))),
            2 => {
                // a force that is balanced by contacts and joints moves nothing, but its changes must be resolved
                let momentum = model.mass[i - 2 * n] * nominal.velocity(angular);
                worst_impulse = worst_impulse.at_least(error.abs() / (momentum + value.abs()));
            }
            _ => {}
        }
    }
    let mean = (squares / (2 * n) as f64).sqrt();
    // NaN must not be lost in the comparison
    if mean.is_nan() {
        return f64::INFINITY;
    }
    mean.at_least(worst_impulse) / settings.tolerance.unwrap_or(f64::INFINITY)
}

fn square(x: f64) -> f64 {
    x * x
}

fn write(state: &State, trial: &mut Trial, tableau: &Extrapolation, h: f64) {
    let n = state.position.len();
    trial.h = h;
    trial.position.copy_from_slice(&tableau.result[..n]);
    trial.velocity.copy_from_slice(&tableau.result[n..2 * n]);
    let of_flanges = &tableau.result[3 * n + N_WORKS..];
    trial.flange_work.copy_from_slice(of_flanges);
    for ((average, v0), v1) in trial
        .average
        .iter_mut()
        .zip(&state.velocity)
        .zip(&trial.velocity)
    {
        *average = 0.5 * (v0 + v1);
    }
    trial.stabilized = false;
    trial.curve = Curve::Quintic;
}
