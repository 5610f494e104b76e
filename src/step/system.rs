//! Constraints seen through an inertia: the small dense system that steps, impacts, accelerations and projections
//! all solve, each with its own inertia and right-hand side.
//!
//! (1)  x = x_free + A^-1 F c,   A = the metric (mass matrix, or the matrix of the step)
//! (2)  G x = W c + b,   W = G A^-1 F,   b = G x_free + what the constraint adds
//!
//! Rows come in the order: joint equations, then normal and tangents of each contact.
//!
//! A contact that slides in space has friction against the mean velocity w of the step, -mu c_n w/|w|: its direction d is
//! not known before. Newton's method, with p across d:
//!
//! (3)  c_t = -mu c_n d + c_p p,   c_p = -(mu c_n/|w|) p.w,   w = T (v + dv/2)

use super::rest_speed;
use crate::constraint::GlobalRow;
use crate::force::Signal;
use crate::math::dense::{RankRevealing, is_positive_definite, lu_factor, lu_solve};
use crate::math::{Vec3, dot3, norm};
use crate::model::{MAX_FRICTION_ROWS, Model};
use crate::state::Status;
use std::ops::Range;

/// Constraints whose scaled pivot falls below this depend on the others: rounding of products of order one, with
/// room for the sums behind them.
pub const RANK_TOLERANCE: f64 = 1e-11;

/// An inertia that can be divided by.
#[derive(Clone, Debug)]
pub struct Metric {
    n: usize,
    diagonal: Option<Vec<f64>>,
    matrix: Vec<f64>,
    factors: Vec<f64>,
    pivots: Vec<usize>,
    scratch: Vec<f64>,
}

/// How the matrix of the step came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stiffness {
    /// With the exact derivatives of the forces.
    Exact,
    /// With the part that keeps it positive definite at any step.
    Stabilized,
    /// Not a matrix that can be solved with.
    Singular,
}

impl Metric {
    /// The mass matrix.
    pub fn mass(model: &Model) -> Self {
        Self {
            n: model.n_velocities,
            diagonal: Some(model.mass.clone()),
            matrix: Vec::new(),
            factors: Vec::new(),
            pivots: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Room for a full matrix.
    pub fn full(n: usize) -> Self {
        Self {
            n,
            diagonal: None,
            matrix: vec![0.0; n * n],
            factors: vec![0.0; n * n],
            pivots: vec![0; n],
            scratch: vec![0.0; n * n],
        }
    }

    /// Factors `diag(mass) - by_velocity - stiff - rest`, without `rest` if that is not positive definite.
    pub fn factor(
        &mut self,
        mass: &[f64],
        by_velocity: (f64, &[f64]),
        stiff: (f64, &[f64]),
        rest: (f64, &[f64]),
    ) -> Stiffness {
        let n = self.n;
        for (i, x) in self.matrix.iter_mut().enumerate() {
            *x = -by_velocity.0 * by_velocity.1[i] - stiff.0 * stiff.1[i];
        }
        for i in 0..n {
            self.matrix[i * n + i] += mass[i];
        }
        for (i, x) in self.factors.iter_mut().enumerate() {
            *x = self.matrix[i] - rest.0 * rest.1[i];
        }
        let exact = is_positive_definite(n, &self.factors, &mut self.scratch);
        if !exact {
            self.factors.copy_from_slice(&self.matrix);
        }
        if !lu_factor(n, &mut self.factors, &mut self.pivots) {
            Stiffness::Singular
        } else if exact {
            Stiffness::Exact
        } else {
            Stiffness::Stabilized
        }
    }

    /// Factors `diag(mass) - by_velocity - stiff`; false if that is singular.
    pub fn factor_stiff(
        &mut self,
        mass: &[f64],
        by_velocity: (f64, &[f64]),
        stiff: (f64, &[f64]),
    ) -> bool {
        for (i, x) in self.factors.iter_mut().enumerate() {
            *x = -by_velocity.0 * by_velocity.1[i] - stiff.0 * stiff.1[i];
        }
        for (i, m) in mass.iter().enumerate() {
            self.factors[i * self.n + i] += m;
        }
        lu_factor(self.n, &mut self.factors, &mut self.pivots)
    }

    /// Divides a vector by the metric.
    pub fn divide(&self, x: &mut [f64]) {
        match &self.diagonal {
            Some(mass) => x.iter_mut().zip(mass).for_each(|(x, m)| *x /= m),
            None => lu_solve(self.n, &self.factors, &self.pivots, x),
        }
    }
}

/// Forces of the contacts of a model.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    /// Normal force and size of the friction force, N.
    pub pressing: Vec<[f64; 2]>,
    /// In world axes, N; none in the plane.
    pub friction: Vec<Vec3>,
}

/// The system (2) for the joints and a list of contacts.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Number of velocities.
    pub n: usize,
    /// Number of joint equations.
    pub n_joint: usize,
    /// The contacts, by index in the model.
    pub contacts: Vec<usize>,
    /// Friction coefficient of each of them.
    pub friction: Vec<f64>,
    /// G.
    pub rows: Vec<GlobalRow>,
    /// F, one column an entry.
    pub columns: Vec<GlobalRow>,
    /// Joint residuals, gaps and zeros, one per row.
    pub residual: Vec<f64>,
    /// A^-1 F, one column after the other.
    pub response: Vec<f64>,
    /// W, row-major.
    pub delassus: Vec<f64>,
    /// b.
    pub bias: Vec<f64>,
    /// c.
    pub impulse: Vec<f64>,
    /// Friction rows of each contact.
    pub n_friction: usize,
    /// Tangents of each contact in world axes, in space.
    pub tangents: Vec<[Vec3; MAX_FRICTION_ROWS]>,
    /// Where each contact slides, along its tangents; in space.
    pub direction: Vec<[f64; MAX_FRICTION_ROWS]>,
    /// The factor of (3) for each contact, N s/(m/s); 0 where the direction is given.
    turning: Vec<f64>,
    /// What the rows of motors, the last of the joint equations, are to be; empty where there are none.
    given: Vec<f64>,
    /// First guess of the impulses of contacts in space, all rows; empty where there is none.
    pub guess: Vec<f64>,
    /// Directions that the step started with.
    reference: Vec<[f64; MAX_FRICTION_ROWS]>,
    /// Which contacts came to their stop, and would go back.
    is_beyond: Vec<bool>,
    /// T v of each contact.
    start_speed: Vec<[f64; MAX_FRICTION_ROWS]>,
    /// Constraints act on `sigma v + dv`.
    sigma: f64,
    /// By how much directions of sliding changed in their last iteration.
    wandering: f64,
    unknowns: Vec<Unknown>,
    /// Right-hand side, matrix, solution and what it leaves over, where unknowns depend on each other.
    shares: Vec<f64>,
    matrix: Vec<f64>,
    solution: Vec<f64>,
    rest: Vec<f64>,
    pivots: Vec<usize>,
}

/// An unknown of the system with frozen statuses: its row and its column.
#[derive(Clone, Copy, Debug)]
enum Unknown {
    /// The row and the column of this index.
    Plain(usize),
    /// The normal of this index, and with it so much of the friction columns that follow.
    Slip(usize, [f64; MAX_FRICTION_ROWS]),
    /// Both friction rows and columns after the normal of this index, weighted: across the direction of sliding.
    Across {
        normal: usize,
        weights: [f64; MAX_FRICTION_ROWS],
        /// What is added to the diagonal.
        yields: f64,
        /// What is added to the right-hand side.
        given: f64,
    },
}

impl Unknown {
    // its row; that of the normal for what goes with one
    fn row(&self) -> usize {
        match self {
            Self::Plain(row) | Self::Slip(row, _) | Self::Across { normal: row, .. } => *row,
        }
    }
}

/// Newton iterations for directions of sliding at most.
const MAX_TURNS: u32 = 12;

/// A direction that changes by less than this need not be looked for any further.
const SAME_DIRECTION: f64 = 1e-14;

/// One that still changes by more than this was not found.
const FOUND_DIRECTION: f64 = 1e-6;

impl System {
    /// Room for all joints and contacts of a model.
    pub fn new(model: &Model) -> Self {
        let (n, n_joint, n_contacts) = (
            model.n_velocities,
            model.n_joint_rows,
            model.expected_contacts(),
        );
        let n_friction = model.n_friction_rows;
        let k = n_joint + (1 + n_friction) * n_contacts;
        let n_spatial = if model.is_spatial() { n_contacts } else { 0 };
        Self {
            n,
            n_joint,
            contacts: Vec::with_capacity(n_contacts),
            friction: Vec::with_capacity(n_contacts),
            rows: Vec::with_capacity(k),
            columns: Vec::with_capacity(k),
            residual: Vec::with_capacity(k),
            response: Vec::with_capacity(k * n),
            delassus: Vec::with_capacity(k * k),
            bias: Vec::with_capacity(k),
            impulse: Vec::with_capacity(k),
            n_friction,
            tangents: Vec::with_capacity(n_spatial),
            direction: Vec::with_capacity(n_spatial),
            turning: Vec::with_capacity(n_spatial),
            given: Vec::with_capacity(model.motors.len()),
            guess: Vec::new(),
            reference: Vec::with_capacity(n_spatial),
            is_beyond: Vec::with_capacity(n_spatial),
            start_speed: Vec::with_capacity(n_spatial),
            sigma: 1.0,
            wandering: 0.0,
            unknowns: Vec::with_capacity(k),
            shares: Vec::with_capacity(k),
            matrix: Vec::new(),
            solution: Vec::new(),
            rest: Vec::new(),
            pivots: Vec::new(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// No constraint at all?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Row of the normal of the `i`-th contact; its tangents follow.
    pub fn normal(&self, i: usize) -> usize {
        self.n_joint + (1 + self.n_friction) * i
    }

    /// Computes the responses and W from rows, columns and a metric.
    pub fn condense(&mut self, metric: &Metric) {
        let (n, k) = (self.n, self.len());
        self.response.clear();
        self.response.resize(k * n, 0.0);
        for (column, out) in self
            .columns
            .iter()
            .zip(self.response.chunks_exact_mut(n.max(1)))
        {
            match &metric.diagonal {
                Some(mass) => column.add_divided_to(mass, out),
                None => {
                    column.add_to(1.0, out);
                    metric.divide(out);
                }
            }
        }
        let mut constraints = self.rows.iter().zip(&self.columns);
        let symmetric =
            metric.diagonal.is_some() && constraints.all(|(row, column)| row.has_values_of(column));
        self.delassus.clear();
        for (i, row) in self.rows.iter().enumerate() {
            // the columns before are known from the rows before
            let known = if symmetric { i } else { 0 };
            for j in 0..known {
                self.delassus.push(self.delassus[j * k + i]);
            }
            for j in known..k {
                self.delassus
                    .push(row.dot(&self.response[j * n..(j + 1) * n]));
            }
        }
        self.impulse.clear();
        self.impulse.resize(k, 0.0);
        self.guess.clear();
    }

    /// Sets b to the rows' products with `x`.
    pub fn bias_from(&mut self, x: &[f64]) {
        self.bias.clear();
        self.bias.extend(self.rows.iter().map(|row| row.dot(x)));
        let first = self.n_joint - self.given.len();
        for (b, given) in self.bias[first..].iter_mut().zip(&self.given) {
            *b -= given;
        }
    }

    /// Sets what the rows of motors are to be: `factor` times what `of` says of their speeds.
    pub fn give(&mut self, model: &Model, factor: f64, of: impl Fn(&Signal) -> f64) {
        self.given.clear();
        self.given
            .extend(model.motors.iter().map(|motor| factor * of(&motor.speed)));
    }

    /// Rows of motors.
    pub fn motor_rows(&self) -> Range<usize> {
        self.n_joint - self.given.len()..self.n_joint
    }

    // what a joint equation is to be
    fn given(&self, row: usize) -> f64 {
        let first = self.n_joint - self.given.len();
        row.checked_sub(first)
            .and_then(|i| self.given.get(i))
            .map_or(0.0, |given| *given)
    }

    /// Largest product with `v` of the rows that statuses keep at zero.
    pub fn defect(&self, statuses: &[Status], v: &[f64]) -> f64 {
        let of = |row: usize| (self.rows[row].dot(v) - self.given(row)).abs();
        let joints = (0..self.n_joint).fold(0.0, |m: f64, row| m.max(of(row)));
        let contacts = self.contacts.iter().enumerate();
        contacts.fold(joints, |m, (i, &contact)| {
            let normal = self.normal(i);
            match statuses[contact] {
                Status::Open => m,
                Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => m.max(of(normal)),
                Status::Stick => {
                    (normal..=normal + self.n_friction).fold(m, |m, row| m.max(of(row)))
                }
            }
        })
    }

    /// Solves for the impulses that keep every joint of `joints`, every closed contact and every stick exactly
    /// (G x = 0 on their rows). A sliding contact has the one column n - sign mu t, in space n - mu d with its direction d.
    /// True if no constraint depended on the others.
    pub fn solve_frozen(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
    ) -> bool {
        self.choose_unknowns(joints, status);
        let size = self.unknowns.len();
        let matrix = solver.start(size);
        for (i, row) in self.unknowns.iter().enumerate() {
            for (j, column) in self.unknowns.iter().enumerate() {
                matrix[i * size + j] = self.entry(row, column);
            }
            if let Unknown::Across { yields, .. } = row {
                matrix[i * size + i] += yields;
            }
        }
        self.impulse.fill(0.0);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            self.impulse[i] = match unknown {
                Unknown::Plain(row) | Unknown::Slip(row, _) => -self.bias[*row],
                Unknown::Across {
                    normal,
                    weights: [x, y],
                    given,
                    ..
                } => given - x * self.bias[normal + 1] - y * self.bias[normal + 2],
            };
        }
        self.shares.clear();
        self.shares.extend_from_slice(&self.impulse[..size]);
        let independent = self.solve_unknowns(solver);
        if !independent && self.n_friction > 1 {
            self.share(solver);
        }
        independent
    }

    // In space, where contacts that depend on each other slide in different directions, their shares of a force matter to
    // the motion. Of all shares those nearest to the guess are taken, by proximal steps from it:
    // (W + e D) (c+ - c) = -(W c + b),   D the diagonal of W
    fn share(&mut self, solver: &mut RankRevealing) {
        const SOFT: f64 = 1e-8;
        const STEPS: usize = 3;
        let size = self.unknowns.len();
        let matrix = solver.start(size);
        for (i, row) in self.unknowns.iter().enumerate() {
            for (j, column) in self.unknowns.iter().enumerate() {
                matrix[i * size + j] = self.entry(row, column);
            }
            if let Unknown::Across { yields, .. } = row {
                matrix[i * size + i] += yields;
            }
        }
        self.matrix.clear();
        self.matrix.extend_from_slice(matrix);
        self.pivots.resize(size.max(self.pivots.len()), 0);
        for i in 0..size {
            matrix[i * size + i] += SOFT * matrix[i * size + i].abs();
        }
        if !lu_factor(size, matrix, &mut self.pivots[..size]) {
            return;
        }
        let n_joint = self.n_joint;
        let guess = |unknown: &Unknown| match unknown {
            Unknown::Plain(row) | Unknown::Slip(row, _) => row
                .checked_sub(n_joint)
                .and_then(|i| self.guess.get(i))
                .map_or(0.0, |c| *c),
            Unknown::Across { .. } => 0.0,
        };
        self.solution.clear();
        self.solution.extend(self.unknowns.iter().map(guess));
        for _ in 0..STEPS {
            self.rest.clear();
            for (row, given) in self.matrix.chunks_exact(size).zip(&self.shares) {
                let sum: f64 = row.iter().zip(&self.solution).map(|(w, c)| w * c).sum();
                self.rest.push(given - sum);
            }
            lu_solve(size, matrix, &self.pivots, &mut self.rest);
            for (c, change) in self.solution.iter_mut().zip(&self.rest) {
                *c += change;
            }
        }
        self.impulse.fill(0.0);
        self.impulse[..size].copy_from_slice(&self.solution);
        self.spread_unknowns();
    }

    /// The same from rows and a metric alone, where F = G^T and b = G `motion`, and directions of sliding are given: adds the
    /// effect of the impulses to `x`. Only what the unknowns need of W is computed.
    pub fn respond_frozen(
        &mut self,
        metric: &Metric,
        motion: &[f64],
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        x: &mut [f64],
    ) {
        self.choose_unknowns(joints, status);
        let (n, size) = (self.n, self.unknowns.len());
        self.response.clear();
        self.response.resize(size * n, 0.0);
        let responses = self.response.chunks_exact_mut(n.max(1));
        for (unknown, out) in self.unknowns.iter().zip(responses) {
            self.rows[unknown.row()].add_to(1.0, out);
            if let Unknown::Slip(normal, weights) = unknown {
                for (k, along) in weights[..self.n_friction].iter().enumerate() {
                    self.rows[normal + 1 + k].add_to(*along, out);
                }
            }
            metric.divide(out);
        }
        let is_plain = |unknown: &Unknown| matches!(unknown, Unknown::Plain(_));
        let symmetric = metric.diagonal.is_some() && self.unknowns.iter().all(is_plain);
        let matrix = solver.start(size);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let known = if symmetric { i } else { 0 };
            for j in 0..known {
                matrix[i * size + j] = matrix[j * size + i];
            }
            let row = &self.rows[unknown.row()];
            for j in known..size {
                matrix[i * size + j] = row.dot(&self.response[j * n..(j + 1) * n]);
            }
        }
        self.impulse.clear();
        self.impulse.resize(self.rows.len(), 0.0);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let row = unknown.row();
            self.impulse[i] = self.given(row) - self.rows[row].dot(motion);
        }
        self.solve_unknowns(solver);
        let responses = self.response.chunks_exact(n.max(1));
        for (unknown, response) in self.unknowns.iter().zip(responses) {
            let c = self.impulse[unknown.row()];
            x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
        }
    }

    fn choose_unknowns(&mut self, joints: &[bool], status: impl Fn(usize) -> Status) {
        self.unknowns.clear();
        let joints = (0..self.n_joint).filter(|j| joints[*j]);
        self.unknowns.extend(joints.map(Unknown::Plain));
        for (i, &contact) in self.contacts.iter().enumerate() {
            let (normal, mu) = (self.normal(i), self.friction[i]);
            match status(contact) {
                Status::Open => {}
                Status::Frictionless => self.unknowns.push(Unknown::Plain(normal)),
                Status::SlipForward => self.unknowns.push(Unknown::Slip(normal, [-mu, 0.0])),
                Status::SlipBackward => self.unknowns.push(Unknown::Slip(normal, [mu, 0.0])),
                Status::Stick => {
                    let rows = normal..=normal + self.n_friction;
                    self.unknowns.extend(rows.map(Unknown::Plain));
                }
                Status::Slip => {
                    let [x, y] = self.direction[i];
                    self.unknowns
                        .push(Unknown::Slip(normal, [-mu * x, -mu * y]));
                    if let Some(across) = self.across(i) {
                        self.unknowns.push(across);
                    }
                }
            }
        }
    }

    // solves the matrix in the solver for the right-hand side in the first of the impulses and spreads the solution; true if
    // the matrix is regular
    fn solve_unknowns(&mut self, solver: &mut RankRevealing) -> bool {
        let size = self.unknowns.len();
        solver.factor(RANK_TOLERANCE);
        solver.solve(&mut self.impulse[..size]);
        self.spread_unknowns();
        solver.rank() == size
    }

    // the solution goes from the first of the impulses to its rows, last first
    fn spread_unknowns(&mut self) {
        for (i, unknown) in self.unknowns.iter().enumerate().rev() {
            let value = std::mem::take(&mut self.impulse[i]);
            match unknown {
                Unknown::Plain(row) => self.impulse[*row] = value,
                Unknown::Slip(normal, weights) => {
                    self.impulse[*normal] = value;
                    for (k, along) in weights[..self.n_friction].iter().enumerate() {
                        self.impulse[normal + 1 + k] += along * value;
                    }
                }
                Unknown::Across {
                    normal, weights, ..
                } => {
                    for (k, along) in weights.iter().enumerate() {
                        self.impulse[normal + 1 + k] += along * value;
                    }
                }
            }
        }
    }

    // W of a row and a column of the frozen system
    fn entry(&self, row: &Unknown, column: &Unknown) -> f64 {
        let k = self.len();
        let of_row = |row: usize| {
            let w = &self.delassus[row * k..(row + 1) * k];
            match column {
                Unknown::Plain(column) => w[*column],
                Unknown::Slip(normal, weights) => {
                    let mut sum = w[*normal];
                    for (i, along) in weights[..self.n_friction].iter().enumerate() {
                        sum += along * w[normal + 1 + i];
                    }
                    sum
                }
                Unknown::Across {
                    normal,
                    weights: [x, y],
                    ..
                } => x * w[normal + 1] + y * w[normal + 2],
            }
        };
        match row {
            Unknown::Plain(row) | Unknown::Slip(row, _) => of_row(*row),
            Unknown::Across {
                normal,
                weights: [x, y],
                ..
            } => x * of_row(normal + 1) + y * of_row(normal + 2),
        }
    }

    // (3): p.w = p.Tv + (p.(W c + b) - sigma p.Tv)/2, with Tv in `start_speed`
    fn across(&self, i: usize) -> Option<Unknown> {
        let [x, y] = self.direction[i];
        let turning = self.turning[i];
        (turning != 0.0).then(|| {
            let start = self.start_speed[i];
            Unknown::Across {
                normal: self.normal(i),
                weights: [-y, x],
                yields: 2.0 / turning,
                given: (self.sigma - 2.0) * (x * start[1] - y * start[0]),
            }
        })
    }

    /// Like [`Self::solve_frozen`] for a step from velocities `v` whose constraints act on `sigma v + dv`: contacts that
    /// slide in space have friction against their mean velocity (3). Their directions are a first guess.
    pub fn solve_sliding(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        (sigma, v): (f64, &[f64]),
        solver: &mut RankRevealing,
    ) -> bool {
        self.turning.clear();
        self.turning.resize(self.direction.len(), 0.0);
        let slides = |contact: &usize| status(*contact) == Status::Slip;
        self.wandering = 0.0;
        if !self.contacts.iter().any(slides) {
            return self.solve_frozen(joints, status, solver);
        }
        self.sigma = sigma;
        self.start_speed.clear();
        for i in 0..self.contacts.len() {
            self.start_speed.push(self.speed(i, v));
        }
        self.reference.clone_from(&self.direction);
        self.is_beyond.clear();
        self.is_beyond.resize(self.contacts.len(), false);
        // no direction can be told from rounding
        let slow = 1e-4 * rest_speed(v);
        let mut independent = self.solve_frozen(joints, &status, solver);
        self.wandering = f64::INFINITY;
        for _ in 0..MAX_TURNS {
            let mut change: f64 = 0.0;
            for i in 0..self.contacts.len() {
                if status(self.contacts[i]) == Status::Slip {
                    change = change.max(self.turn(i, slow));
                }
            }
            self.wandering = change;
            if change <= SAME_DIRECTION {
                break;
            }
            independent = self.solve_frozen(joints, &status, solver);
        }
        independent
    }

    /// Were the directions of sliding found?
    pub fn directions_are_found(&self) -> bool {
        self.wandering <= FOUND_DIRECTION
    }

    // the direction of the mean velocity; by how much it differs from the one before
    fn turn(&mut self, i: usize, slow: f64) -> f64 {
        let normal = self.normal(i);
        let start = self.start_speed[i];
        let k = self.len();
        let mut mean = [0.0; MAX_FRICTION_ROWS];
        for (t, mean) in mean.iter_mut().enumerate() {
            let row = normal + 1 + t;
            let w = &self.delassus[row * k..(row + 1) * k];
            let gained: f64 = w.iter().zip(&self.impulse).map(|(w, c)| w * c).sum();
            *mean = start[t] + 0.5 * (self.bias[row] - self.sigma * start[t] + gained);
        }
        let speed = norm(&mean);
        if speed <= slow || self.is_beyond[i] {
            return 0.0;
        }
        let along = mean[0] * self.reference[i][0] + mean[1] * self.reference[i][1];
        self.is_beyond[i] = along < 0.0;
        let new = if self.is_beyond[i] {
            // beyond a stop friction stays as it was at the start, so that the stop can be located
            self.turning[i] = 0.0;
            self.reference[i]
        } else {
            self.turning[i] = self.friction[i] * self.impulse[normal].max(0.0) / speed;
            mean.map(|x| x / speed)
        };
        let old = std::mem::replace(&mut self.direction[i], new);
        (new[0] - old[0]).abs().max((new[1] - old[1]).abs())
    }

    /// Takes normal forces and friction forces (world axes), by contact of the model, times `factor` as the first guess of
    /// the impulses; in space.
    pub fn guess_from(&mut self, forces: &Forces, factor: f64) {
        let Forces { pressing, friction } = forces;
        self.guess.clear();
        if friction.is_empty() {
            return;
        }
        for (contact, tangents) in self.contacts.iter().zip(&self.tangents) {
            self.guess.push(factor * pressing[*contact][0]);
            for t in tangents {
                let along = dot3(*t, friction[*contact]) / dot3(*t, *t).max(f64::MIN_POSITIVE);
                self.guess.push(factor * along);
            }
        }
    }

    /// Friction impulses of the `i`-th contact.
    pub fn shear(&self, i: usize) -> &[f64] {
        let normal = self.normal(i);
        &self.impulse[normal + 1..=normal + self.n_friction]
    }

    /// Do all contacts of this system press, and those that stick stay within their cones? In space, up to rounding of
    /// forces of size `scale`.
    pub fn is_admissible(&self, statuses: &[Status], scale: f64) -> bool {
        self.contacts.iter().enumerate().all(|(i, &contact)| {
            let [pressing, shear] = self.push(i, &self.impulse);
            let within = match statuses[contact] {
                Status::Stick => shear <= self.friction[i] * pressing + 1e-12 * scale,
                Status::Open
                | Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => true,
            };
            pressing >= -1e-12 * scale && within
        })
    }

    /// Normal and friction impulse of the `i`-th contact among impulses of all rows; in space the size of the latter.
    pub fn push(&self, i: usize, impulse: &[f64]) -> [f64; 2] {
        let normal = self.normal(i);
        match impulse[normal + 1..=normal + self.n_friction] {
            [shear] => [impulse[normal], shear],
            ref shear => [impulse[normal], norm(shear)],
        }
    }

    /// Friction of the `i`-th contact in world axes, from impulses of all rows; in space.
    pub fn shear_vector(&self, i: usize, impulse: &[f64]) -> Vec3 {
        let first = self.normal(i) + 1;
        let [t, s] = self.tangents[i];
        t * impulse[first] + s * impulse[first + 1]
    }

    /// Velocity in the direction that the `i`-th contact slides, in world axes and not below `slow`; in space.
    pub fn sliding_vector(&self, i: usize, v: &[f64], slow: f64) -> Vec3 {
        let ([t, s], [x, y]) = (self.tangents[i], self.direction[i]);
        let along = t * x + s * y;
        along * (norm(&self.speed(i, v)).max(slow) / norm(along.as_slice()).max(f64::MIN_POSITIVE))
    }

    /// Sliding velocity of the `i`-th contact in world axes; in space.
    pub fn velocity_vector(&self, i: usize, v: &[f64]) -> Vec3 {
        let ([t, s], [x, y]) = (self.tangents[i], self.speed(i, v));
        t * (x / dot3(t, t).max(f64::MIN_POSITIVE)) + s * (y / dot3(s, s).max(f64::MIN_POSITIVE))
    }

    // speeds of the `i`-th contact along its tangents; in space
    fn speed(&self, i: usize, v: &[f64]) -> [f64; MAX_FRICTION_ROWS] {
        let first = self.normal(i) + 1;
        [first, first + 1].map(|row| self.rows[row].dot(v))
    }

    /// Is nearly all of a sliding velocity gone? A contact in space whose velocity is zero along its old direction has
    /// stopped, or it turns fast.
    pub fn has_stopped(&self, i: usize, v: &[f64], before: Option<&Vec3>) -> bool {
        before.is_some_and(|before| norm(&self.speed(i, v)) <= 0.1 * norm(before.as_slice()))
    }

    /// Sliding speed of the `i`-th contact along a world direction; in space.
    pub fn speed_along(&self, i: usize, v: &[f64], direction: Vec3) -> f64 {
        let along = self.tangents[i].map(|t| dot3(t, direction));
        let speed = self.speed(i, v);
        (along[0] * speed[0] + along[1] * speed[1]) / norm(&along).max(f64::MIN_POSITIVE)
    }

    /// Directions of sliding at velocities `v`, for contacts that do; where they are slower than `slow`, and their sense,
    /// are those of `sliding` (world axes, by contact of the model).
    pub fn direct(&mut self, v: &[f64], slow: f64, sliding: &[Vec3]) {
        self.direction.clear();
        self.turning.clear();
        if sliding.is_empty() {
            return;
        }
        self.turning.resize(self.contacts.len(), 0.0);
        for (i, &contact) in self.contacts.iter().enumerate() {
            let mut along = self.tangents[i].map(|t| dot3(t, sliding[contact]));
            let speed = self.speed(i, v);
            if speed[0] * speed[0] + speed[1] * speed[1] > slow * slow {
                let backward = speed[0] * along[0] + speed[1] * along[1] < 0.0;
                along = if backward { speed.map(|x| -x) } else { speed };
            }
            let size = (along[0] * along[0] + along[1] * along[1]).sqrt();
            self.direction.push(if size > 0.0 {
                along.map(|x| x / size)
            } else {
                [1.0, 0.0]
            });
        }
    }

    /// Adds the effect of the impulses to a free motion.
    pub fn add_response(&self, x: &mut [f64]) {
        for (c, response) in self
            .impulse
            .iter()
            .zip(self.response.chunks_exact(self.n.max(1)))
        {
            if *c != 0.0 {
                x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
            }
        }
    }
}
