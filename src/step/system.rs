//! Constraints seen through an inertia: the small dense system that steps, impacts, accelerations and projections
//! all solve, each with its own inertia and right-hand side.
//!
//! (1)  x = x_free + A^-1 F c,   A = the metric (mass matrix, or the matrix of the step)
//! (2)  G x = W c + b,   W = G A^-1 F,   b = G x_free + what the constraint adds
//!
//! Rows come in the order: joint equations, then normal and tangent of each contact.

use crate::constraint::{BODY_DOF, Row};
use crate::math::dense::{RankRevealing, is_positive_definite, lu_factor, lu_solve};
use crate::model::{BodyRef, Model};
use crate::state::Status;

/// Constraints whose scaled pivot falls below this depend on the others: rounding of products of order one, with
/// room for the sums behind them.
pub const RANK_TOLERANCE: f64 = 1e-11;

/// A [`Row`] with the places of its two bodies in the vector of velocities.
#[derive(Clone, Copy, Debug)]
pub struct GlobalRow {
    first: [usize; 2],
    len: [usize; 2],
    value: [[f64; BODY_DOF]; 2],
}

impl GlobalRow {
    /// Places a row.
    pub fn new(model: &Model, bodies: [BodyRef; 2], row: &Row) -> Self {
        let place =
            |body: BodyRef| body.map_or((0, 0), |i| (model.bodies[i].first, model.bodies[i].n_dof));
        let [(first_a, len_a), (first_b, len_b)] = bodies.map(place);
        Self {
            first: [first_a, first_b],
            len: [len_a, len_b],
            value: [row.a, row.b],
        }
    }

    /// Scalar product with a vector of velocities.
    #[inline(always)]
    pub fn dot(&self, v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            let (first, row) = (self.first[side], &self.value[side]);
            // the usual length apart, so that the compiler knows it
            if self.len[side] == BODY_DOF {
                let v = &v[first..first + BODY_DOF];
                sum += row[0] * v[0];
                sum += row[1] * v[1];
                sum += row[2] * v[2];
            } else {
                for i in 0..self.len[side] {
                    sum += row[i] * v[first + i];
                }
            }
        }
        sum
    }

    /// Adds the row times `factor` to a vector of forces.
    pub fn add_to(&self, factor: f64, out: &mut [f64]) {
        for side in 0..2 {
            let first = self.first[side];
            for i in 0..self.len[side] {
                out[first + i] += factor * self.value[side][i];
            }
        }
    }

    /// Adds the row divided by the masses.
    fn add_divided_to(&self, mass: &[f64], out: &mut [f64]) {
        for side in 0..2 {
            let first = self.first[side];
            for i in 0..self.len[side] {
                out[first + i] += self.value[side][i] / mass[first + i];
            }
        }
    }

    /// Equal to the column of the same constraint, and so of the same bodies?
    fn has_values_of(&self, column: &Self) -> bool {
        let mut equal = true;
        for side in 0..2 {
            for i in 0..BODY_DOF {
                equal &= self.value[side][i] == column.value[side][i];
            }
        }
        equal
    }
}

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
    unknowns: Vec<(usize, f64)>,
}

impl System {
    /// Room for `n` velocities, `n_joint` joint equations and `n_contacts` contacts.
    pub fn with_capacity(n: usize, n_joint: usize, n_contacts: usize) -> Self {
        let k = n_joint + 2 * n_contacts;
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
            unknowns: Vec::with_capacity(k),
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

    /// Row of the normal of the `i`-th contact; its tangent follows.
    pub fn normal(&self, i: usize) -> usize {
        self.n_joint + 2 * i
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
    }

    /// Sets b to the rows' products with `x`.
    pub fn bias_from(&mut self, x: &[f64]) {
        self.bias.clear();
        self.bias.extend(self.rows.iter().map(|row| row.dot(x)));
    }

    /// Largest product with `v` of the rows that statuses keep at zero.
    pub fn defect(&self, statuses: &[Status], v: &[f64]) -> f64 {
        let of = |row: usize| self.rows[row].dot(v).abs();
        let joints = (0..self.n_joint).fold(0.0, |m: f64, row| m.max(of(row)));
        let contacts = self.contacts.iter().enumerate();
        contacts.fold(joints, |m, (i, &contact)| {
            let normal = self.normal(i);
            match statuses[contact] {
                Status::Open => m,
                Status::Frictionless | Status::SlipForward | Status::SlipBackward => {
                    m.max(of(normal))
                }
                Status::Stick => m.max(of(normal)).max(of(normal + 1)),
            }
        })
    }

    /// Solves for the impulses that keep every joint of `joints`, every closed contact and every stick exactly
    /// (G x = 0 on their rows). A sliding contact has the one column n - sign mu t. True if no constraint
    /// depended on the others.
    pub fn solve_frozen(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
    ) -> bool {
        self.choose_unknowns(joints, status);
        let (k, size) = (self.len(), self.unknowns.len());
        let matrix = solver.start(size);
        for (i, &(row, _)) in self.unknowns.iter().enumerate() {
            for (j, &(column, along)) in self.unknowns.iter().enumerate() {
                let mut entry = self.delassus[row * k + column];
                if along != 0.0 {
                    entry += along * self.delassus[row * k + column + 1];
                }
                matrix[i * size + j] = entry;
            }
        }
        self.impulse.fill(0.0);
        for (i, &(row, _)) in self.unknowns.iter().enumerate() {
            self.impulse[i] = -self.bias[row];
        }
        self.solve_unknowns(solver)
    }

    /// The same from rows and a metric alone, where F = G^T and b = G `motion`: adds the effect of the impulses to
    /// `x`. Only what the unknowns need of W is computed.
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
        for (&(row, along), out) in self.unknowns.iter().zip(responses) {
            self.rows[row].add_to(1.0, out);
            if along != 0.0 {
                self.rows[row + 1].add_to(along, out);
            }
            metric.divide(out);
        }
        let symmetric =
            metric.diagonal.is_some() && self.unknowns.iter().all(|(_, along)| *along == 0.0);
        let matrix = solver.start(size);
        for (i, &(row, _)) in self.unknowns.iter().enumerate() {
            let known = if symmetric { i } else { 0 };
            for j in 0..known {
                matrix[i * size + j] = matrix[j * size + i];
            }
            for j in known..size {
                matrix[i * size + j] = self.rows[row].dot(&self.response[j * n..(j + 1) * n]);
            }
        }
        self.impulse.clear();
        self.impulse.resize(self.rows.len(), 0.0);
        for (i, &(row, _)) in self.unknowns.iter().enumerate() {
            self.impulse[i] = -self.rows[row].dot(motion);
        }
        self.solve_unknowns(solver);
        let responses = self.response.chunks_exact(n.max(1));
        for (&(row, _), response) in self.unknowns.iter().zip(responses) {
            let c = self.impulse[row];
            x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
        }
    }

    // each unknown: its row, and how much of the following column it carries along
    fn choose_unknowns(&mut self, joints: &[bool], status: impl Fn(usize) -> Status) {
        self.unknowns.clear();
        self.unknowns
            .extend((0..self.n_joint).filter(|j| joints[*j]).map(|j| (j, 0.0)));
        for (i, &contact) in self.contacts.iter().enumerate() {
            let normal = self.n_joint + 2 * i;
            match status(contact) {
                Status::Open => {}
                Status::Frictionless => self.unknowns.push((normal, 0.0)),
                Status::SlipForward => self.unknowns.push((normal, -self.friction[i])),
                Status::SlipBackward => self.unknowns.push((normal, self.friction[i])),
                Status::Stick => self.unknowns.extend([(normal, 0.0), (normal + 1, 0.0)]),
            }
        }
    }

    // solves the matrix in the solver for the right-hand side in the first of the impulses; then the solution is spread
    // over its rows, last first. True if the matrix is regular
    fn solve_unknowns(&mut self, solver: &mut RankRevealing) -> bool {
        let size = self.unknowns.len();
        solver.factor(RANK_TOLERANCE);
        solver.solve(&mut self.impulse[..size]);
        for (i, &(row, along)) in self.unknowns.iter().enumerate().rev() {
            let value = self.impulse[i];
            self.impulse[i] = 0.0;
            self.impulse[row] = value;
            if along != 0.0 {
                self.impulse[row + 1] = along * value;
            }
        }
        solver.rank() == size
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
