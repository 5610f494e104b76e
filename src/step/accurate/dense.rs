//! The motion inside an extrapolated step, as accurate as its end (docs/METHOD.md, section 11).
//!
//! (1)  the polynomial of degree 8 through positions, velocities and accelerations at the start, the middle and the end;
//!      the middle is the end of an extrapolated step of half the length
//! (2)  its derivative; then both are projected

use super::closing;
use super::extrapolation::{self, Plan};
use crate::force::Side;
use crate::model::Model;
use crate::scene::format::Settings;
use crate::state::State;
use crate::step::trial::Mode;
use crate::step::workspace::Workspace;
use crate::step::{StepError, accept, assemble, stabilize, trial};

/// Positions, velocities and accelerations at an instant; rotations in space with the rates of their vectors.
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

    fn jet(&self, i: usize, h: f64) -> [f64; 3] {
        [
            self.position[i],
            h * self.velocity[i],
            0.5 * h * h * self.acceleration[i],
        ]
    }
}

/// The last extrapolated step, from which the motion inside it is computed when it is asked for.
#[derive(Debug)]
pub(in crate::step) struct Stride {
    start: State,
    start_acceleration: Vec<f64>,
    middle: Instant,
    middle_known: bool,
    end: Instant,
    length: f64,
    /// Is it one that closed a stop? Then the motion inside is that of shorter ones.
    closes: bool,
}

impl Stride {
    pub(in crate::step) fn new(model: &Model) -> Self {
        let n = model.n_velocities;
        Self {
            start: State::new(model),
            start_acceleration: vec![0.0; n],
            middle: Instant::new(n),
            middle_known: false,
            end: Instant::new(n),
            length: 0.0,
            closes: false,
        }
    }
}

/// Keeps the trial step that is about to be accepted.
pub(super) fn keep(model: &Model, state: &State, workspace: &mut Workspace) {
    let Workspace { stride, trial, .. } = workspace;
    let Some(stride) = stride else { return };
    stride.start.copy_from(state);
    stride
        .start_acceleration
        .clone_from(&trial.start_acceleration);
    stride.end.position.clone_from(&trial.position);
    stride.end.velocity.clone_from(&trial.velocity);
    stride.end.acceleration.clone_from(&trial.end_acceleration);
    stride.end.turn_to_rates(model);
    stride.length = trial.h;
    stride.middle_known = false;
    stride.closes = false;
}

/// Keeps a closing step that is about to be accepted.
pub(super) fn keep_closing(model: &Model, state: &State, workspace: &mut Workspace) {
    keep(model, state, workspace);
    if let Some(stride) = &mut workspace.stride {
        stride.closes = true;
    }
}

/// The state at `time` inside the last extrapolated step.
pub(in crate::step) fn interpolate(
    model: &Model,
    workspace: &mut Workspace,
    settings: &Settings,
    time: f64,
    out: &mut State,
) -> Result<(), StepError> {
    let Some(mut stride) = workspace.stride.take() else {
        return Ok(());
    };
    let result = stride.at(model, workspace, settings, time, out);
    workspace.stride = Some(stride);
    result
}

impl Stride {
    fn at(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        settings: &Settings,
        time: f64,
        out: &mut State,
    ) -> Result<(), StepError> {
        workspace
            .poses
            .refer_to(&self.start.orientation, &self.start.joint_angle);
        workspace.sliding.clone_from(&self.start.sliding);
        workspace.resistance.clone_from(&self.start.resistance);
        assemble::select_joints(model, workspace, &self.start.position);
        out.copy_from(&self.start);
        out.time = time;
        if self.closes {
            let (start, h) = (&self.start, time - self.start.time);
            let scheme = closing::scheme();
            trial::take(model, start, workspace, settings, &scheme, Mode::Frozen, h)?;
            out.position.clone_from(&workspace.trial.position);
            out.velocity.clone_from(&workspace.trial.velocity);
        } else {
            if !self.middle_known {
                self.find_middle(model, workspace, settings)?;
            }
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
        trial::probe(
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
        Ok(())
    }

    fn find_middle(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        settings: &Settings,
    ) -> Result<(), StepError> {
        let start = &self.start;
        let at = (start.time, Side::After);
        trial::probe(
            model,
            workspace,
            &start.status,
            at,
            &start.position,
            &start.velocity,
        );
        super::keep_start(workspace);
        let plan = Plan {
            length: 0.5 * self.length,
            rows: settings.rows_taken() as usize,
            cut_short: false,
        };
        extrapolation::take(model, start, workspace, settings, plan)?;
        let Instant {
            position,
            velocity,
            acceleration,
        } = &mut self.middle;
        position.clone_from(&workspace.trial.position);
        velocity.clone_from(&workspace.trial.velocity);
        let at = (start.time + plan.length, Side::Before);
        if settings.projection {
            stabilize::close(model, workspace, &start.status, at, position, velocity);
        }
        trial::probe(model, workspace, &start.status, at, position, velocity);
        acceleration.clone_from(&workspace.acceleration);
        self.middle.turn_to_rates(model);
        self.middle_known = true;
        Ok(())
    }

    // (1) by divided differences on the nodes 0, 0, 0, 1/2, 1/2, 1/2, 1, 1, 1
    fn curve(&self, i: usize, s: f64) -> (f64, f64) {
        let h = self.length;
        let start = [
            self.start.position[i],
            h * self.start.velocity[i],
            0.5 * h * h * self.start_acceleration[i],
        ];
        let coefficients = divided_differences([start, self.middle.jet(i, h), self.end.jet(i, h)]);
        let (mut value, mut slope) = (0.0, 0.0);
        for (k, coefficient) in coefficients.iter().enumerate().rev() {
            let node = NODES[k / 3];
            slope = slope * (s - node) + value;
            value = value * (s - node) + coefficient;
        }
        (value, slope / h)
    }
}

const NODES: [f64; 3] = [0.0, 0.5, 1.0];

// Newton's coefficients from value, slope and half the curvature at each node
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
