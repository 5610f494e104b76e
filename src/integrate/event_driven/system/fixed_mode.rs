//! The system with fixed statuses: linear, with rows and columns composed from those of joints and contacts.
//!
//! A sticking contact has all its rows; a sliding one has the column n - mu d, and in space one more unknown, across d (`sliding`).

use super::{REFINEMENTS, System};
use crate::math::dense::RankRevealing;
use crate::math::{Limit, set_zeros};
use crate::model::{MAX_FRICTION_ROWS, N_TANGENTS};
use crate::state::{Resistance, Status};

/// An unknown of the system with fixed statuses: its row and its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::integrate) enum Unknown {
    /// The row and the column of this index.
    Plain(usize),
    /// The normal of this index, with these multiples of the friction columns that follow.
    Slip(usize, [f64; MAX_FRICTION_ROWS]),
    /// Both rows and columns of a disc, weighted: across its slip direction, or along it.
    Across {
        rows: [usize; N_TANGENTS],
        weights: [f64; N_TANGENTS],
        /// Added to the diagonal.
        yields: f64,
        /// Added to the right-hand side.
        given: f64,
    },
}

impl Unknown {
    // is it the moment of a fixed rotation? Contacts have `stride` rows each, after those of joints
    pub(super) fn is_turn(&self, n_joint: usize, stride: usize) -> bool {
        matches!(self, Self::Plain(row) if *row >= n_joint && (row - n_joint) % stride > N_TANGENTS)
    }

    // its row, or the first of them
    pub(super) fn row(&self) -> usize {
        match self {
            Self::Plain(row) | Self::Slip(row, _) | Self::Across { rows: [row, _], .. } => *row,
        }
    }
}

impl System {
    /// Largest product with `v` of the rows that are zero for these statuses.
    pub fn defect(&self, joints: &[bool], statuses: &[Status], v: &[f64]) -> f64 {
        let of = |row: usize| (self.rows[row].dot(v) - self.prescribed(row)).abs();
        let n_joints = self.first_element();
        let elements = (n_joints..self.n_joint).filter(|row| joints[*row]);
        let joints = (0..n_joints)
            .chain(elements)
            .fold(0.0, |m: f64, row| m.at_least(of(row)));
        let contacts = self.contacts.iter().enumerate();
        contacts.fold(joints, |m, (i, &contact)| {
            let normal = self.normal(i);
            let m = match statuses[contact] {
                Status::Open => return m,
                Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => m,
                Status::Stick => self.tangent_rows(i).fold(m, |m, row| m.at_least(of(row))),
            };
            let m = if self.is_compliant(i) {
                m
            } else {
                m.at_least(of(normal))
            };
            self.held_rotations(i).fold(m, |m, row| m.at_least(of(row)))
        })
    }

    /// Does the `i`-th contact stick in one of its friction rows, with these statuses?
    pub fn sticks(&self, i: usize, row: usize, statuses: &[Status]) -> bool {
        if self.tangent_rows(i).contains(&row) {
            return statuses[self.contacts[i]] == Status::Stick;
        }
        self.held_rotations(i).any(|held| held == row)
    }

    // rows of rotation in which the `i`-th contact sticks while it is closed
    pub(super) fn held_rotations(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let Resistance { spin, roll, .. } = self.resistance_of(i);
        let first = self.spin_row(i);
        let spin = (spin == Status::Stick).then_some(first);
        let roll = (roll == Status::Stick).then_some([first + 1, first + 2]);
        spin.into_iter().chain(roll.into_iter().flatten())
    }

    /// Solves for the impulses of all joints of `joints`, closed contacts and sticking rows with G x = 0. A sliding contact has one column
    /// n - sign mu t, in space n - mu d with its direction d. True if no constraints were dependent.
    pub fn solve_fixed_mode(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
    ) -> bool {
        self.solve_or_share(joints, status, solver, true)
    }

    /// The same where only the motion matters: the impulses of dependent constraints are any of those that cause it.
    pub fn solve_motion(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
    ) {
        self.solve_or_share(joints, status, solver, false);
    }

    #[inline]
    fn solve_or_share(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        shares: bool,
    ) -> bool {
        if self.is_large() {
            self.choose_unknowns(joints, &status);
            if let Some(independent) = self.solve_large(shares) {
                return independent;
            }
            self.form_delassus();
        }
        let independent = if self.is_simple() {
            self.solve_simple(joints, status, solver)
        } else {
            self.solve_general(joints, &status, solver)
        };
        if self.is_large() {
            self.update_effect();
        }
        independent
    }

    fn solve_general(
        &mut self,
        joints: &[bool],
        status: &dyn Fn(usize) -> Status,
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
                    rows: [first, second],
                    weights: [x, y],
                    given,
                    ..
                } => given - x * self.bias[*first] - y * self.bias[*second],
            };
        }
        if self.n_friction == 1 {
            let independent = self.solve_unknowns(solver);
            self.refine_unknowns(solver);
            return independent;
        }
        self.shares.clear();
        self.shares.extend_from_slice(&self.impulse[..size]);
        let independent = self.solve_unknowns(solver);
        if !independent {
            self.distribute(solver);
        }
        self.refine_unknowns(solver);
        independent
    }

    // iterative refinement with the residual computed from the bodies
    fn refine_unknowns(&mut self, solver: &mut RankRevealing) {
        let is_across = |unknown: &Unknown| matches!(unknown, Unknown::Across { .. });
        if !self.is_ill_conditioned(solver) || self.unknowns.iter().any(is_across) {
            return;
        }
        for _ in 0..REFINEMENTS {
            self.store_impulses();
            for i in 0..self.unknowns.len() {
                self.impulse[i] = self.rest_of_row(self.unknowns[i].row());
            }
            let size = self.unknowns.len();
            solver.solve(&mut self.impulse[..size]);
            self.spread_unknowns();
            self.add_stored_impulses();
        }
    }

    // In space, if dependent contacts slide in different directions, the distribution of forces affects the motion. The difference to the
    // guess is that of contacts that all comply with one small motion of the bodies, D (c - guess) = G y, with the stiffness D, the
    // diagonal of G M^-1 G^T. It depends on the configuration alone, not on the step.
    fn distribute(&mut self, solver: &mut RankRevealing) {
        // nearly dependent constraints could be shared only by unbounded forces
        const NEARLY: f64 = 1e-9;
        self.weights.clear();
        self.nearest_to.clear();
        for unknown in &self.unknowns {
            let own = self.rows[unknown.row()].inverse_effective_mass(&self.mass);
            self.weights.push(self.stiffness_of(unknown) * own);
            self.nearest_to.push(self.guess_of(unknown));
        }
        if !self.is_uneven {
            solver.drop_below(NEARLY);
        }
        // a contact that cannot move anything has no share
        let shareable = self.weights.iter().all(|w| *w > 0.0 && w.is_finite());
        if shareable && solver.solve_nearest(&mut self.shares, &self.nearest_to, &self.weights) {
            self.impulse.fill(0.0);
            self.impulse[..self.shares.len()].copy_from_slice(&self.shares);
            self.spread_unknowns();
        }
    }

    /// The same from rows and the metric alone, for F = G^T and b = G `motion`, with given sliding directions: adds the effect of the
    /// impulses to `x`. Computes only the entries of W that the unknowns need.
    pub fn respond_fixed_mode(
        &mut self,
        motion: &[f64],
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        x: &mut [f64],
    ) {
        if self.is_large() {
            self.columns_are_rows = true;
            set_zeros(&mut self.impulse, self.rows.len());
            self.guess.clear();
            self.bias_from(motion);
            self.solve_fixed_mode(joints, status, solver);
            return self.add_response(x);
        }
        self.choose_unknowns(joints, status);
        let (n, size) = (self.n, self.unknowns.len());
        self.delassus_of = None;
        set_zeros(&mut self.response, size * n);
        let responses = self.response.chunks_exact_mut(n.max(1));
        for (unknown, out) in self.unknowns.iter().zip(responses) {
            self.rows[unknown.row()].add_to(1.0, out);
            if let Unknown::Slip(normal, weights) = unknown {
                for (k, along) in weights[..self.n_friction].iter().enumerate() {
                    self.rows[normal + 1 + k].add_to(*along, out);
                }
            }
            self.metric.divide(out);
        }
        let is_plain = |unknown: &Unknown| matches!(unknown, Unknown::Plain(_));
        let symmetric = self.metric.diagonal().is_some() && self.unknowns.iter().all(is_plain);
        let matrix = solver.start(size);
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let known = if symmetric { i } else { 0 };
            for j in 0..known {
                matrix[i * size + j] = matrix[j * size + i];
            }
            let row = &self.rows[unknown.row()];
            for j in known..size {
                matrix[i * size + j] = row.product(&self.response[j * n..(j + 1) * n]);
            }
        }
        set_zeros(&mut self.impulse, self.rows.len());
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let row = unknown.row();
            self.impulse[i] = self.prescribed(row) - self.rows[row].dot(motion);
        }
        self.solve_unknowns(solver);
        let responses = self.response.chunks_exact(n.max(1));
        for (unknown, response) in self.unknowns.iter().zip(responses) {
            let c = self.impulse[unknown.row()];
            x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
        }
    }

    pub(super) fn choose_unknowns(&mut self, joints: &[bool], status: impl Fn(usize) -> Status) {
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
            // without friction there is no rotational resistance
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
            self.unknowns.extend(self.stribeck_unknown(i, status));
            if resists {
                self.unknowns
                    .extend(self.held_rotations(i).map(Unknown::Plain));
                if self.resistance[i].roll == Status::Slip {
                    self.unknowns.extend(self.across(self.rolling_disc(i)));
                }
            }
        }
    }

    // adds spin and rolling to the column of the normal; true if one of them slips
    pub(super) fn add_slipping_turns(
        &self,
        i: usize,
        weights: &mut [f64; MAX_FRICTION_ROWS],
    ) -> bool {
        let Resistance { spin, roll, .. } = self.resistance[i];
        let [torsional, rolling] = self.resisting[i];
        weights[N_TANGENTS] = -torsional * spin.slip_sign();
        if roll == Status::Slip {
            let [x, y] = self.direction[self.rolling_disc(i)];
            (weights[N_TANGENTS + 1], weights[N_TANGENTS + 2]) = (-rolling * x, -rolling * y);
        }
        spin.slip_sign() != 0.0 || roll == Status::Slip
    }

    // solves the matrix in the solver for the right-hand side in the first impulses and distributes the solution; true if the matrix is
    // regular
    pub(super) fn solve_unknowns(&mut self, solver: &mut RankRevealing) -> bool {
        let size = self.unknowns.len();
        self.operations += (size * size * size / 3) as u64;
        solver.factor(self.rank_tolerance());
        solver.solve(&mut self.impulse[..size]);
        self.spread_unknowns();
        solver.rank() == size
    }

    // moves the solution from the first impulses to its rows, last first
    pub(super) fn spread_unknowns(&mut self) {
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
                Unknown::Across { rows, weights, .. } => {
                    for (row, along) in rows.iter().zip(weights) {
                        self.impulse[*row] += along * value;
                    }
                }
            }
        }
    }

    // W of the rows and columns of the fixed-mode system
    pub(super) fn fill(&self, matrix: &mut [f64]) {
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
                    rows: [first, second],
                    weights: [x, y],
                    ..
                } => {
                    let (w, z) = (row_of(*first), row_of(*second));
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

    // product of a row of W with a column of the fixed-mode system
    #[inline(always)]
    pub(super) fn product(&self, w: &[f64], column: &Unknown) -> f64 {
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
                rows: [first, second],
                weights: [x, y],
                ..
            } => x * w[*first] + y * w[*second],
        }
    }

    // (3): p.w = p.Tv + (p.(W c + b) - sigma p.Tv)/2, with Tv in `start_speed`
    pub(super) fn across(&self, k: usize) -> Option<Unknown> {
        let [x, y] = self.direction[k];
        let turning = self.turning[k];
        (turning != 0.0).then(|| {
            let start = self.start_speed[k];
            let first = self.disc(k).1;
            Unknown::Across {
                rows: [first, first + 1],
                weights: [-y, x],
                yields: 2.0 / turning,
                given: (self.sigma - 2.0) * (x * start[1] - y * start[0]),
            }
        })
    }
}
