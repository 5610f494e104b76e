//! Semismooth Newton method on the Alart-Curnier map of `contact::dense`, with a line search and linear systems in body
//! space.
//!
//! ```text
//! (1)  dr = g - H du,   du = J dw,   dw = J^T dr     =>     (1 + J^T H J) dw = J^T g
//! (2)  open:              dr = -r
//! (3)  normal and stick:  dr = -(u + du) / e,     e = c + (prox + damping) D        also joint rows
//! (4)  slip, along d:     d.dr_b = mu (r_n + dr_n) - d.r_b
//!      across:            p.dr_b = -(p.r_b / rho + s p.du_b) / ((1 - s) / rho + s e),    s = mu y_n / |y_b|
//! (5)  r <- P(r + a dr):  accept if  |F|^2 <= (1 - a/5)^2 min(max of the last 4, 4 |F_now|^2)     P: onto the cones
//! ```
//!
//! The damping regularizes redundant rows and vanishes at the solution.

use super::DOFS;
use super::scaled::{JacobianRow, Scaled, row_velocity};
use super::solver::PLAIN_NEWTON;
use crate::contact::block_lu::{Factor, Vec6};
use crate::contact::dense::MAX_BLOCKS;
use crate::contact::dense::map::{Size, State, augmented_impulse, measure, state};
use crate::contact::dense::newton::{End, Limits};
use crate::contact::elimination_order::Pattern;
use crate::math::larger;

/// Length of the history in the nonmonotone line search (5).
const MEMORY: usize = 4;

/// Backtracking factor of the line search.
const SHORTER: f64 = 0.4;

/// Damping of (3), relative to the norm of F.
const DAMPING: f64 = 1e-2;

/// Limit on iterative refinement: each step reduces the error a thousandfold, down to rounding.
const REFINEMENTS: u32 = 12;

/// Most rows of a contact.
pub(super) const MAX_ROWS: usize = 1 + 2 * MAX_BLOCKS;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Newton {
    factor: Factor<DOFS>,
    /// `H`, the Jacobian of the contact jacobian: row by row for contacts, the diagonal for joints.
    pub jacobians: Vec<[f64; MAX_ROWS]>,
    /// `g`, then `dr`.
    pub change: Vec<f64>,
    dw: Vec<Vec6>,
    w: Vec<Vec6>,
    u: Vec<f64>,
    trial: Vec<f64>,
    trial_u: Vec<f64>,
    best: Vec<f64>,
    /// Iterations since the last reset.
    pub iterations: u32,
}

impl Newton {
    /// Improves `r`, which ends at the iterate with the smallest F.
    pub fn run(
        &mut self,
        scaled: &Scaled,
        pattern: &Pattern,
        r: &mut [f64],
        limits: &Limits,
    ) -> (End, Size) {
        let n = r.len();
        for buffer in [
            &mut self.u,
            &mut self.trial,
            &mut self.trial_u,
            &mut self.best,
            &mut self.change,
        ] {
            buffer.resize(n, 0.0);
        }
        let mut u = std::mem::take(&mut self.u);
        let mut trial = std::mem::take(&mut self.trial);
        let mut trial_u = std::mem::take(&mut self.trial_u);
        let mut size = self.size(scaled, r, &mut u);
        let mut best_size = size;
        self.best.copy_from_slice(r);
        let mut history = [f64::INFINITY; MEMORY];
        let mut end = End::Stalled;
        for iteration in 0..=limits.iterations {
            if size.squares < best_size.squares {
                best_size = size;
                self.best.copy_from_slice(r);
            }
            if size.relative() <= limits.target {
                end = End::Converged;
                break;
            }
            if iteration == limits.iterations {
                break;
            }
            history[iteration as usize % MEMORY] = size.squares;
            let least = DAMPING * (size.squares / n as f64).sqrt() / size.impulse;
            let damping = least.clamp(limits.damping[0], limits.damping[1]);
            if !self.direction(scaled, pattern, r, &u, damping) {
                break;
            }
            let worst_recent = history[..(iteration as usize + 1).min(MEMORY)]
                .iter()
                .fold(0.0, |m, x| larger(m, *x));
            let bound = if worst_recent < 4.0 * size.squares {
                worst_recent
            } else {
                4.0 * size.squares
            };
            let mut a = 1.0;
            let mut accepted = None;
            let mut smallest = (size.squares, 0.0);
            for _ in 0..limits.trials {
                self.step(scaled, r, a, limits.allowed, &mut trial);
                let new = self.size(scaled, &trial, &mut trial_u);
                let keep = 1.0 - 0.2 * a;
                if new.squares <= keep * keep * bound {
                    accepted = Some(new);
                    break;
                }
                if new.squares < smallest.0 {
                    smallest = (new.squares, a);
                }
                a *= SHORTER;
            }
            let Some(new) = accepted else {
                if smallest.1 > 0.0 {
                    self.step(scaled, r, smallest.1, limits.allowed, &mut trial);
                    best_size = self.size(scaled, &trial, &mut trial_u);
                    self.best.copy_from_slice(&trial);
                }
                break;
            };
            r.copy_from_slice(&trial);
            std::mem::swap(&mut u, &mut trial_u);
            size = new;
        }
        r.copy_from_slice(&self.best);
        (self.u, self.trial, self.trial_u) = (u, trial, trial_u);
        (end, best_size)
    }

    /// Joints alone: a linear problem, solved by one factorization and iterative refinement.
    pub fn run_linear(&mut self, scaled: &Scaled, pattern: &Pattern, r: &mut [f64]) {
        let n = r.len();
        for buffer in [&mut self.u, &mut self.trial, &mut self.trial_u] {
            buffer.resize(n, 0.0);
        }
        let mut u = std::mem::take(&mut self.u);
        let mut trial = std::mem::take(&mut self.trial);
        let mut trial_u = std::mem::take(&mut self.trial_u);
        let mut size = self.size(scaled, r, &mut u);
        self.linearise(scaled, r, &u, PLAIN_NEWTON.damping[0]);
        self.iterations += 1;
        if self.factorise(scaled, pattern) {
            for _ in 0..REFINEMENTS {
                if size.relative() <= PLAIN_NEWTON.target {
                    break;
                }
                for i in 0..n {
                    self.change[i] = -u[i] * self.jacobians[i][0];
                }
                if !self.solve_again(scaled, pattern) {
                    break;
                }
                self.step(scaled, r, 1.0, false, &mut trial);
                let new = self.size(scaled, &trial, &mut trial_u);
                if new.squares >= size.squares {
                    break;
                }
                r.copy_from_slice(&trial);
                std::mem::swap(&mut u, &mut trial_u);
                size = new;
            }
        }
        (self.u, self.trial, self.trial_u) = (u, trial, trial_u);
    }

    fn step(&self, scaled: &Scaled, r: &[f64], a: f64, allowed: bool, trial: &mut [f64]) {
        for ((t, r), dr) in trial.iter_mut().zip(r).zip(&self.change) {
            *t = r + a * dr;
        }
        if allowed {
            scaled.clamp_to_cones(trial);
        }
    }

    /// Computes the velocities. Returns the norms of F.
    fn size(&mut self, scaled: &Scaled, r: &[f64], u: &mut [f64]) -> Size {
        scaled.apply_impulses(r, &mut self.w);
        scaled.velocities(r, &self.w, u);
        let mut size = measure(&scaled.contacts, r, u);
        for i in scaled.joint_rows() {
            let f = u[i] / scaled.stiffness[i];
            size.squares += f * f;
            size.largest = larger(size.largest, f.abs());
        }
        if !size.squares.is_finite() {
            (size.squares, size.largest) = (f64::INFINITY, f64::INFINITY);
        }
        size
    }

    /// Solves (1): `dr` into `change`. Returns `false` if the system is singular.
    fn direction(
        &mut self,
        scaled: &Scaled,
        pattern: &Pattern,
        r: &[f64],
        u: &[f64],
        damping: f64,
    ) -> bool {
        self.linearise(scaled, r, u, damping);
        self.solve_linearised(scaled, pattern)
    }

    /// Solves (1) with the current `H` and `g`. Returns `false` if the system is singular.
    pub fn solve_linearised(&mut self, scaled: &Scaled, pattern: &Pattern) -> bool {
        self.iterations += 1;
        self.factorise(scaled, pattern) && self.solve_again(scaled, pattern)
    }

    /// The same with another `g` and the current factorization.
    pub fn solve_again(&mut self, scaled: &Scaled, pattern: &Pattern) -> bool {
        scaled.apply_impulses(&self.change, &mut self.dw);
        self.factor.solve(pattern, &mut self.dw[..scaled.bodies]);
        let mut change = std::mem::take(&mut self.change);
        self.response(scaled, &self.dw, &mut change);
        self.change = change;
        self.change.iter().all(|x| x.is_finite())
    }

    /// `r <- r - H J dw`.
    fn response(&self, scaled: &Scaled, dw: &[Vec6], r: &mut [f64]) {
        for (k, member) in scaled.members.iter().enumerate() {
            let is_joint = k >= scaled.contacts.len();
            let [a, b] = member.bodies.map(|b| &dw[b as usize]);
            let first = member.first;
            if is_joint {
                for i in member.range() {
                    r[i] -= self.jacobians[i][0] * row_velocity(&scaled.rows[i], a, b);
                }
                continue;
            }
            let mut du = [0.0; MAX_ROWS];
            for i in member.range() {
                du[i - first] = row_velocity(&scaled.rows[i], a, b);
            }
            for i in member.range() {
                let jacobian = &self.jacobians[i];
                for j in 0..member.rows {
                    r[i] -= jacobian[j] * du[j];
                }
            }
        }
    }

    /// Factorizes the matrix of (1) for the current `H`. Returns `false` if it is singular.
    fn factorise(&mut self, scaled: &Scaled, pattern: &Pattern) -> bool {
        self.factor.clear(pattern);
        let ground = scaled.bodies as u32;
        let mut pair = 0;
        for (k, member) in scaled.members.iter().enumerate() {
            let rows = member.range();
            let is_joint = k >= scaled.contacts.len();
            self.add(scaled, pattern, member.bodies, rows, is_joint, pair);
            pair += usize::from(!member.bodies.contains(&ground));
        }
        self.factor.factorise(pattern)
    }

    /// Adds `J^T H J` of a contact or joint.
    fn add(
        &mut self,
        scaled: &Scaled,
        pattern: &Pattern,
        bodies: [u32; 2],
        range: std::ops::Range<usize>,
        is_joint: bool,
        pair: usize,
    ) {
        let ground = scaled.bodies as u32;
        let rows = &scaled.rows[range.clone()];
        let mut square = [[0.0; 2 * DOFS]; 2 * DOFS];
        let mut any = false;
        for (i, row) in range.clone().zip(rows) {
            let jacobian = &self.jacobians[i];
            // a row of H J
            let mut h_j: JacobianRow = [0.0; 2 * DOFS];
            if is_joint {
                for k in 0..2 * DOFS {
                    h_j[k] = jacobian[0] * row[k];
                }
            } else {
                for (other, factor) in rows.iter().zip(jacobian).filter(|(_, f)| **f != 0.0) {
                    for k in 0..2 * DOFS {
                        h_j[k] += factor * other[k];
                    }
                }
                if jacobian[..rows.len()].iter().all(|f| *f == 0.0) {
                    continue;
                }
            }
            any = true;
            for p in 0..2 * DOFS {
                for q in 0..2 * DOFS {
                    square[p][q] += row[p] * h_j[q];
                }
            }
        }
        if !any {
            return;
        }
        for side in 0..2 {
            if bodies[side] == ground {
                continue;
            }
            let own = self.factor.own(pattern, bodies[side]);
            for p in 0..DOFS {
                for q in 0..DOFS {
                    own[p][q] += square[side * DOFS + p][side * DOFS + q];
                }
            }
        }
        if bodies[0] != ground && bodies[1] != ground {
            let (upper, lower) = self.factor.shared(pattern, pair);
            for p in 0..DOFS {
                for q in 0..DOFS {
                    upper[p][q] += square[p][DOFS + q];
                    lower[p][q] += square[DOFS + p][q];
                }
            }
        }
    }

    /// Resizes the buffers of `H` and `g`.
    pub fn resize(&mut self, rows: usize) {
        self.jacobians.resize(rows, [0.0; MAX_ROWS]);
        self.change.resize(rows, 0.0);
    }

    /// (2) to (4): `H` into `jacobians`, `g` into `change`.
    fn linearise(&mut self, scaled: &Scaled, r: &[f64], u: &[f64], damping: f64) {
        self.resize(r.len());
        let soft = scaled.prox + damping;
        let softness = |i: usize| scaled.compliance[i] + soft * scaled.stiffness[i];
        for contact in &scaled.contacts {
            let n = contact.normal;
            let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
            for i in n..n + rows {
                self.jacobians[i] = [0.0; MAX_ROWS];
            }
            let y_n = r[n] - contact.rho * u[n];
            if y_n <= 0.0 {
                for i in n..n + rows {
                    self.change[i] = -r[i];
                }
                continue;
            }
            let inverse = 1.0 / softness(n);
            self.jacobians[n][0] = inverse;
            self.change[n] = -u[n] * inverse;
            for block in contact.blocks() {
                match state(block, y_n, augmented_impulse(block, r, u)) {
                    State::Stick => {
                        for i in block.first..block.first + block.rows {
                            let inverse = 1.0 / softness(i);
                            self.jacobians[i][i - n] = inverse;
                            self.change[i] = -u[i] * inverse;
                        }
                    }
                    State::Slip { d, s } => {
                        let i = block.first;
                        let mu = block.friction;
                        let mut row_velocity = 0.0;
                        for lane in 0..block.rows {
                            row_velocity += d[lane] * r[i + lane];
                        }
                        let row_velocity = mu * (r[n] - u[n] * inverse) - row_velocity;
                        for lane in 0..block.rows {
                            self.jacobians[i + lane][0] = mu * inverse * d[lane];
                            self.change[i + lane] = row_velocity * d[lane];
                        }
                        if block.rows == 2 && mu > 0.0 {
                            let p = [-d[1], d[0]];
                            let step = 1.0 / block.rho;
                            let inverse_e = 1.0 / ((1.0 - s) * step + s * softness(i));
                            let across = (p[0] * r[i] + p[1] * r[i + 1]) * step * inverse_e;
                            for lane in 0..2 {
                                self.change[i + lane] -= across * p[lane];
                                for other in 0..2 {
                                    self.jacobians[i + lane][i + other - n] +=
                                        s * inverse_e * p[lane] * p[other];
                                }
                            }
                        } else if mu == 0.0 {
                            for lane in 0..block.rows {
                                self.change[i + lane] = -r[i + lane];
                            }
                        }
                    }
                }
            }
        }
        for i in scaled.joint_rows() {
            let inverse = 1.0 / softness(i);
            self.jacobians[i][0] = inverse;
            self.change[i] = -u[i] * inverse;
        }
    }
}
