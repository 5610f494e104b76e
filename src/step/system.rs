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
//!
//! Where contacts resist rotation their tangents are followed by the rates of rotation about the normal (spin) and about
//! the tangents (rolling). Sliding and rolling are *discs*, two rows with a round cone each, to which (3) applies alike.

use super::rest_speed;
use crate::constraint::GlobalRow;
use crate::force::Signal;
use crate::math::dense::{RankRevealing, is_positive_definite, lu_factor, lu_solve};
use crate::math::{Vec3, dot3, norm};
use crate::model::{MAX_FRICTION_ROWS, Model, N_TANGENTS, N_TURNS};
use crate::state::{Resistance, Status};
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
    /// Moments of friction in world axes, N m; none where nothing resists rotation.
    pub moment: Vec<Vec3>,
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
    /// The same while they stick; in space.
    pub static_friction: Vec<f64>,
    /// Coefficients of each of them against spin and rolling, m; empty where nothing resists rotation.
    pub resisting: Vec<[f64; 2]>,
    /// What each of them does about rotation; empty where nothing resists, or where that is for the problem to find out.
    pub resistance: Vec<Resistance>,
    /// Axes of rotation of each contact in world axes: normal, then tangents. Empty where nothing resists rotation.
    pub axes: Vec<[Vec3; N_TURNS]>,
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
    pub tangents: Vec<[Vec3; N_TANGENTS]>,
    /// Where each disc slips, along its rows; in space: sliding of all contacts, then their rolling.
    pub direction: Vec<[f64; N_TANGENTS]>,
    /// The factor of (3) for each disc, N s/(m/s) or N m s/(rad/s); 0 where the direction is given.
    turning: Vec<f64>,
    /// What the rows of motors, the last of the joint equations, are to be; empty where there are none.
    given: Vec<f64>,
    /// First guess of the impulses of contacts in space, all rows; empty where there is none.
    pub guess: Vec<f64>,
    /// Directions that the step started with.
    reference: Vec<[f64; N_TANGENTS]>,
    /// Which discs came to their stop, and would go back.
    is_beyond: Vec<bool>,
    /// Did one of them go on after all? Then its iteration had only overshot.
    overshot: bool,
    /// T v of each disc.
    start_speed: Vec<[f64; N_TANGENTS]>,
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
    /// Both rows and columns of a disc, weighted: across the direction in which it slips.
    Across {
        first: usize,
        weights: [f64; N_TANGENTS],
        /// What is added to the diagonal.
        yields: f64,
        /// What is added to the right-hand side.
        given: f64,
    },
}

impl Unknown {
    // is it the moment of a held rotation? Contacts have `stride` rows each, after those of joints
    fn is_turn(&self, n_joint: usize, stride: usize) -> bool {
        matches!(self, Self::Plain(row) if *row >= n_joint && (row - n_joint) % stride > N_TANGENTS)
    }

    // its row, or the first of them
    fn row(&self) -> usize {
        match self {
            Self::Plain(row) | Self::Slip(row, _) | Self::Across { first: row, .. } => *row,
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
        let n_resisting = if model.resists_rotation() {
            n_contacts
        } else {
            0
        };
        let n_discs = n_spatial + n_resisting;
        Self {
            n,
            n_joint,
            contacts: Vec::with_capacity(n_contacts),
            friction: Vec::with_capacity(n_contacts),
            static_friction: Vec::with_capacity(n_spatial),
            resisting: Vec::with_capacity(n_resisting),
            resistance: Vec::with_capacity(n_resisting),
            axes: Vec::with_capacity(n_resisting),
            rows: Vec::with_capacity(k),
            columns: Vec::with_capacity(k),
            residual: Vec::with_capacity(k),
            response: Vec::with_capacity(k * n),
            delassus: Vec::with_capacity(k * k),
            bias: Vec::with_capacity(k),
            impulse: Vec::with_capacity(k),
            n_friction,
            tangents: Vec::with_capacity(n_spatial),
            direction: Vec::with_capacity(n_discs),
            turning: Vec::with_capacity(n_discs),
            given: Vec::with_capacity(model.motors.len()),
            guess: Vec::new(),
            reference: Vec::with_capacity(n_discs),
            is_beyond: Vec::with_capacity(n_discs),
            overshot: false,
            start_speed: Vec::with_capacity(n_discs),
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

    /// Number of tangents of each contact.
    pub fn n_tangents(&self) -> usize {
        self.n_friction.min(N_TANGENTS)
    }

    /// Rows of the tangents of the `i`-th contact.
    pub fn tangent_rows(&self, i: usize) -> std::ops::RangeInclusive<usize> {
        let normal = self.normal(i);
        normal + 1..=normal + self.n_tangents()
    }

    /// Row of the spin of the `i`-th contact, where contacts resist rotation.
    pub fn spin_row(&self, i: usize) -> usize {
        self.normal(i) + 1 + N_TANGENTS
    }

    /// The disc of the rolling of the `i`-th contact, where contacts resist rotation.
    pub fn rolling_disc(&self, i: usize) -> usize {
        self.contacts.len() + i
    }

    // the contact of a disc and its first row
    fn disc(&self, k: usize) -> (usize, usize) {
        let n = self.contacts.len();
        if k < n {
            (k, self.normal(k) + 1)
        } else {
            (k - n, self.spin_row(k - n) + 1)
        }
    }

    fn disc_friction(&self, k: usize) -> f64 {
        let n = self.contacts.len();
        if k < n {
            self.friction[k]
        } else {
            self.resisting[k - n][1]
        }
    }

    /// Does the `i`-th contact have friction against sliding?
    pub fn has_friction(&self, i: usize) -> bool {
        self.friction[i] > 0.0 || self.static_friction.get(i).is_some_and(|mu| *mu > 0.0)
    }

    /// Is friction the same at rest and while sliding, and does nothing resist rotation?
    pub fn has_plain_friction(&self) -> bool {
        let mut coefficients = self.friction.iter().zip(&self.static_friction);
        self.n_friction <= N_TANGENTS && coefficients.all(|(kinetic, rest)| rest <= kinetic)
    }

    /// What the `i`-th contact does about rotation.
    pub fn resistance_of(&self, i: usize) -> Resistance {
        self.resistance.get(i).copied().unwrap_or_default()
    }

    /// Forgets what contacts do about rotation: the problem is to find out.
    pub fn free_rotation(&mut self) {
        self.resistance.clear();
    }

    // does a disc slip, its contact having this status?
    fn slips(&self, k: usize, status: Status) -> bool {
        let n = self.contacts.len();
        if k < n {
            status == Status::Slip
        } else {
            status.is_closed() && self.resistance[k - n].roll == Status::Slip
        }
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
            let m = match statuses[contact] {
                Status::Open => return m,
                Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => m.max(of(normal)),
                Status::Stick => {
                    (normal..=normal + self.n_tangents()).fold(m, |m, row| m.max(of(row)))
                }
            };
            self.held_rotations(i).fold(m, |m, row| m.max(of(row)))
        })
    }

    // rows of rotation that the `i`-th contact holds while it is closed
    fn held_rotations(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let Resistance { spin, roll, .. } = self.resistance_of(i);
        let first = self.spin_row(i);
        let spin = (spin == Status::Stick).then_some(first);
        let roll = (roll == Status::Stick).then_some([first + 1, first + 2]);
        spin.into_iter().chain(roll.into_iter().flatten())
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
        self.fill(matrix);
        self.impulse.fill(0.0);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            self.impulse[i] = match unknown {
                Unknown::Plain(row) | Unknown::Slip(row, _) => -self.bias[*row],
                Unknown::Across {
                    first,
                    weights: [x, y],
                    given,
                    ..
                } => given - x * self.bias[*first] - y * self.bias[first + 1],
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
        // what others hold anyway takes no moment: those are bounded by much less than forces are
        const SOFT_TURN: f64 = 1e-5;
        const STEPS: usize = 3;
        let (n_joint, stride) = (self.n_joint, 1 + self.n_friction);
        let size = self.unknowns.len();
        let matrix = solver.start(size);
        self.fill(matrix);
        self.matrix.clear();
        self.matrix.extend_from_slice(matrix);
        self.pivots.resize(size.max(self.pivots.len()), 0);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let soft = if unknown.is_turn(n_joint, stride) {
                SOFT_TURN
            } else {
                SOFT
            };
            matrix[i * size + i] += soft * matrix[i * size + i].abs();
        }
        if !lu_factor(size, matrix, &mut self.pivots[..size]) {
            return;
        }
        let guess = |unknown: &Unknown| match unknown {
            Unknown::Plain(_) if unknown.is_turn(n_joint, stride) => 0.0,
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
            let status = status(contact);
            let mut weights = [0.0; MAX_FRICTION_ROWS];
            match status {
                Status::Open => continue,
                Status::Frictionless | Status::Stick => {}
                Status::SlipForward => weights[0] = -mu,
                Status::SlipBackward => weights[0] = mu,
                Status::Slip => {
                    let [x, y] = self.direction[i];
                    (weights[0], weights[1]) = (-mu * x, -mu * y);
                }
            }
            // where friction is not to be looked at, neither is resistance
            let resists = self.n_friction > N_TANGENTS && !self.resistance.is_empty();
            let turns_slip = resists && self.add_slipping_turns(i, &mut weights);
            let slips = !matches!(status, Status::Frictionless | Status::Stick);
            self.unknowns.push(if slips || turns_slip {
                Unknown::Slip(normal, weights)
            } else {
                Unknown::Plain(normal)
            });
            if status == Status::Stick {
                let rows = self.tangent_rows(i);
                self.unknowns.extend(rows.map(Unknown::Plain));
            } else if status == Status::Slip {
                self.unknowns.extend(self.across(i));
            }
            if resists {
                self.unknowns
                    .extend(self.held_rotations(i).map(Unknown::Plain));
                if self.resistance[i].roll == Status::Slip {
                    self.unknowns.extend(self.across(self.rolling_disc(i)));
                }
            }
        }
    }

    // what spin and rolling add to the column of the normal; true if one of them slips
    fn add_slipping_turns(&self, i: usize, weights: &mut [f64; MAX_FRICTION_ROWS]) -> bool {
        let Resistance { spin, roll, .. } = self.resistance[i];
        let [torsional, rolling] = self.resisting[i];
        weights[N_TANGENTS] = -torsional * spin.slip_sign();
        if roll == Status::Slip {
            let [x, y] = self.direction[self.rolling_disc(i)];
            (weights[N_TANGENTS + 1], weights[N_TANGENTS + 2]) = (-rolling * x, -rolling * y);
        }
        spin.slip_sign() != 0.0 || roll == Status::Slip
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
                Unknown::Across { first, weights, .. } => {
                    for (k, along) in weights.iter().enumerate() {
                        self.impulse[first + k] += along * value;
                    }
                }
            }
        }
    }

    // W of the rows and columns of the frozen system
    fn fill(&self, matrix: &mut [f64]) {
        let (k, size) = (self.len(), self.unknowns.len());
        let row_of = |row: usize| &self.delassus[row * k..(row + 1) * k];
        for (i, row) in self.unknowns.iter().enumerate() {
            let entries = matrix[i * size..(i + 1) * size].iter_mut();
            match row {
                Unknown::Plain(row) | Unknown::Slip(row, _) => {
                    let w = row_of(*row);
                    for (entry, column) in entries.zip(&self.unknowns) {
                        *entry = self.product(w, column);
                    }
                }
                Unknown::Across {
                    first,
                    weights: [x, y],
                    ..
                } => {
                    let (w, z) = (row_of(*first), row_of(first + 1));
                    for (entry, column) in entries.zip(&self.unknowns) {
                        *entry = x * self.product(w, column) + y * self.product(z, column);
                    }
                }
            }
            if let Unknown::Across { yields, .. } = row {
                matrix[i * size + i] += yields;
            }
        }
    }

    // a row of W and a column of the frozen system
    #[inline(always)]
    fn product(&self, w: &[f64], column: &Unknown) -> f64 {
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
                first,
                weights: [x, y],
                ..
            } => x * w[*first] + y * w[first + 1],
        }
    }

    // (3): p.w = p.Tv + (p.(W c + b) - sigma p.Tv)/2, with Tv in `start_speed`
    fn across(&self, k: usize) -> Option<Unknown> {
        let [x, y] = self.direction[k];
        let turning = self.turning[k];
        (turning != 0.0).then(|| {
            let start = self.start_speed[k];
            Unknown::Across {
                first: self.disc(k).1,
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
        self.wandering = 0.0;
        if !self.any_disc_slips(&status) {
            return self.solve_frozen(joints, status, solver);
        }
        self.sigma = sigma;
        self.start_speed.clear();
        for k in 0..self.direction.len() {
            self.start_speed.push(self.speed(k, v));
        }
        self.reference.clone_from(&self.direction);
        // no direction can be told from rounding
        let slow = 1e-4 * rest_speed(v);
        let independent = self.find_directions(joints, &status, solver, (slow, true));
        if !self.overshot {
            return independent;
        }
        self.direction.clone_from(&self.reference);
        self.turning.fill(0.0);
        self.find_directions(joints, status, solver, (slow, false))
    }

    // Newton's method for the directions of (3); what goes back is taken to be beyond its stop, or not
    fn find_directions(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        (slow, stops): (f64, bool),
    ) -> bool {
        self.is_beyond.clear();
        self.is_beyond.resize(self.direction.len(), false);
        let mut independent = self.solve_frozen(joints, &status, solver);
        self.wandering = f64::INFINITY;
        for _ in 0..MAX_TURNS {
            let mut change: f64 = 0.0;
            self.overshot = false;
            for k in 0..self.direction.len() {
                if self.slips(k, status(self.contacts[self.disc(k).0])) {
                    change = change.max(self.turn(k, (slow, stops)));
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

    /// Does a contact slide in space, or roll?
    pub fn any_disc_slips(&self, status: impl Fn(usize) -> Status) -> bool {
        let slips = |k: usize| self.slips(k, status(self.contacts[self.disc(k).0]));
        let n_discs = self.contacts.len() + self.resistance.len();
        (0..n_discs).any(slips)
    }

    // the direction of the mean velocity of a disc; by how much it differs from the one before
    fn turn(&mut self, k: usize, (slow, stops): (f64, bool)) -> f64 {
        let (contact, first) = self.disc(k);
        let start = self.start_speed[k];
        let n = self.len();
        let mut mean = [0.0; N_TANGENTS];
        for (t, mean) in mean.iter_mut().enumerate() {
            let row = first + t;
            let w = &self.delassus[row * n..(row + 1) * n];
            let gained: f64 = w.iter().zip(&self.impulse).map(|(w, c)| w * c).sum();
            *mean = start[t] + 0.5 * (self.bias[row] - self.sigma * start[t] + gained);
        }
        let speed = norm(&mean);
        let along = mean[0] * self.reference[k][0] + mean[1] * self.reference[k][1];
        if speed <= slow || self.is_beyond[k] {
            self.overshot |= self.is_beyond[k] && along > slow;
            return 0.0;
        }
        self.is_beyond[k] = stops && along < 0.0;
        let new = if self.is_beyond[k] {
            // beyond a stop friction stays as it was at the start, so that the stop can be located
            self.turning[k] = 0.0;
            self.reference[k]
        } else {
            let pressed = self.impulse[self.normal(contact)].max(0.0);
            let signed = if along < 0.0 { -speed } else { speed };
            self.turning[k] = self.disc_friction(k) * pressed / signed;
            mean.map(|x| x / signed)
        };
        let old = std::mem::replace(&mut self.direction[k], new);
        (new[0] - old[0]).abs().max((new[1] - old[1]).abs())
    }

    /// Takes normal forces and friction forces (world axes), by contact of the model, times `factor` as the first guess of
    /// the impulses; in space.
    pub fn guess_from(&mut self, forces: &Forces, factor: f64) {
        let Forces {
            pressing,
            friction,
            moment,
        } = forces;
        self.guess.clear();
        if friction.is_empty() {
            return;
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            let tangents = &self.tangents[i];
            self.guess.push(factor * pressing[*contact][0]);
            for t in tangents {
                let along = dot3(*t, friction[*contact]) / dot3(*t, *t).max(f64::MIN_POSITIVE);
                self.guess.push(factor * along);
            }
            for axis in self.axes.get(i).into_iter().flatten() {
                self.guess.push(factor * dot3(*axis, moment[*contact]));
            }
        }
    }

    /// Friction impulses of the `i`-th contact.
    pub fn shear(&self, i: usize) -> &[f64] {
        &self.impulse[self.tangent_rows(i)]
    }

    /// Impulse of the `i`-th contact against rolling, where contacts resist rotation.
    pub fn rolling(&self, i: usize) -> &[f64] {
        let spin = self.spin_row(i);
        &self.impulse[spin + 1..=spin + 2]
    }

    /// Do all contacts of this system press, and those that stick stay within their cones? In space, up to rounding of
    /// forces of size `scale`.
    pub fn is_admissible(&self, statuses: &[Status], scale: f64) -> bool {
        self.contacts.iter().enumerate().all(|(i, &contact)| {
            let [pressing, shear] = self.push(i, &self.impulse);
            let within = match statuses[contact] {
                Status::Stick => shear <= self.static_friction[i] * pressing + 1e-12 * scale,
                Status::Open
                | Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => true,
            };
            let Resistance { spin, roll, .. } = self.resistance_of(i);
            let limit = |kind: usize| self.resisting[i][kind] * pressing + 1e-12 * scale;
            let spins = || self.impulse[self.spin_row(i)].abs() > limit(0);
            let rolls = || norm(self.rolling(i)) > limit(1);
            pressing >= -1e-12 * scale
                && within
                && !(spin == Status::Stick && spins())
                && !(roll == Status::Stick && rolls())
        })
    }

    /// Normal and friction impulse of the `i`-th contact among impulses of all rows; in space the size of the latter.
    pub fn push(&self, i: usize, impulse: &[f64]) -> [f64; 2] {
        let normal = self.normal(i);
        match impulse[self.tangent_rows(i)] {
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

    /// Impulse of the `i`-th contact against rolling in world axes, where contacts resist rotation.
    pub fn rolling_vector(&self, i: usize) -> Vec3 {
        let [_, t, s] = self.axes[i];
        let [x, y] = [0, 1].map(|k| self.rolling(i)[k]);
        t * x + s * y
    }

    /// Rate of rotation in the direction that the `i`-th contact rolls, in world axes and not below `slow`.
    pub fn rolling_rate(&self, i: usize, v: &[f64], slow: f64) -> Vec3 {
        let k = self.rolling_disc(i);
        let ([_, t, s], [x, y]) = (self.axes[i], self.direction[k]);
        (t * x + s * y) * norm(&self.speed(k, v)).max(slow)
    }

    // the world vector with these products with the tangents of the `i`-th contact
    fn along_tangents(&self, i: usize, [x, y]: [f64; N_TANGENTS]) -> Vec3 {
        let [t, s] = self.tangents[i];
        let size = |t: Vec3| dot3(t, t).max(f64::MIN_POSITIVE);
        t * (x / size(t)) + s * (y / size(s))
    }

    /// A sliding velocity that the friction of the `i`-th contact is against, in world axes; in space.
    pub fn velocity_against(&self, i: usize) -> Vec3 {
        let first = self.normal(i) + 1;
        self.along_tangents(i, [-self.impulse[first], -self.impulse[first + 1]])
    }

    /// Velocity in the direction that the `i`-th contact slides, in world axes and not below `slow`; in space.
    pub fn sliding_vector(&self, i: usize, v: &[f64], slow: f64) -> Vec3 {
        let along = self.along_tangents(i, self.direction[i]);
        along * (norm(&self.speed(i, v)).max(slow) / norm(along.as_slice()).max(f64::MIN_POSITIVE))
    }

    /// Sliding velocity of the `i`-th contact in world axes; in space.
    pub fn velocity_vector(&self, i: usize, v: &[f64]) -> Vec3 {
        self.along_tangents(i, self.speed(i, v))
    }

    /// Rate of rolling of the `i`-th contact in world axes, where contacts resist rotation.
    pub fn rolling_velocity(&self, i: usize, v: &[f64]) -> Vec3 {
        let ([_, t, s], [x, y]) = (self.axes[i], self.speed(self.rolling_disc(i), v));
        t * x + s * y
    }

    // speeds of a disc along its rows
    fn speed(&self, k: usize, v: &[f64]) -> [f64; N_TANGENTS] {
        let (_, first) = self.disc(k);
        [first, first + 1].map(|row| self.rows[row].dot(v))
    }

    /// Is nearly all of the velocity of a disc gone? A contact in space whose velocity is zero along its old direction has
    /// stopped, or it turns fast.
    pub fn has_stopped(&self, k: usize, v: &[f64], before: Option<&Vec3>) -> bool {
        before.is_some_and(|before| norm(&self.speed(k, v)) <= 0.1 * norm(before.as_slice()))
    }

    /// Sliding speed of the `i`-th contact along a world direction; in space.
    pub fn speed_along(&self, i: usize, v: &[f64], direction: Vec3) -> f64 {
        let along = self.tangents[i].map(|t| dot3(t, direction));
        let speed = self.speed(i, v);
        (along[0] * speed[0] + along[1] * speed[1]) / norm(&along).max(f64::MIN_POSITIVE)
    }

    /// Rate of rolling of the `i`-th contact along a world direction.
    pub fn rolling_along(&self, i: usize, v: &[f64], direction: Vec3) -> f64 {
        let [_, t, s] = self.axes[i];
        let along = [t, s].map(|t| dot3(t, direction));
        let rate = self.speed(self.rolling_disc(i), v);
        (along[0] * rate[0] + along[1] * rate[1]) / norm(&along).max(f64::MIN_POSITIVE)
    }

    /// Directions of sliding at velocities `v`, for contacts that do; where they are slower than `slow`, and their sense,
    /// are those of `sliding` (world axes, by contact of the model). What they do about rotation is that of `resistance`.
    pub fn direct(&mut self, v: &[f64], slow: f64, sliding: &[Vec3], resistance: &[Resistance]) {
        self.direction.clear();
        self.turning.clear();
        self.resistance.clear();
        if sliding.is_empty() {
            return;
        }
        for (i, &contact) in self.contacts.iter().enumerate() {
            let along = self.tangents[i].map(|t| dot3(t, sliding[contact]));
            self.direction.push(self.direction_of(i, v, slow, along));
        }
        if !resistance.is_empty() {
            for (i, &contact) in self.contacts.iter().enumerate() {
                let [_, t, s] = self.axes[i];
                let along = [t, s].map(|t| dot3(t, resistance[contact].rolling));
                let k = self.rolling_disc(i);
                self.direction.push(self.direction_of(k, v, slow, along));
                self.resistance.push(resistance[contact]);
            }
        }
        self.turning.resize(self.direction.len(), 0.0);
    }

    // direction in which a disc slips, whose last one is known
    fn direction_of(&self, k: usize, v: &[f64], slow: f64, last: [f64; 2]) -> [f64; N_TANGENTS] {
        let mut along = last;
        let speed = self.speed(k, v);
        if speed[0] * speed[0] + speed[1] * speed[1] > slow * slow {
            let backward = speed[0] * along[0] + speed[1] * along[1] < 0.0;
            along = if backward { speed.map(|x| -x) } else { speed };
        }
        let size = (along[0] * along[0] + along[1] * along[1]).sqrt();
        if size > 0.0 {
            along.map(|x| x / size)
        } else {
            [1.0, 0.0]
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
