//! The contact problem of a [`System`] in space, with exact friction cones: joints are eliminated already.
//!
//! (1)  a contact that is free to slide or stick has its normal and its two tangents
//! (2)  one without friction, or sliding in the direction d, has its normal alone, with the column n - mu d

use super::complementarity::Sliding;
use super::system::System;
use crate::lcp::{self, cone};
use crate::math::{max_abs, norm};
use crate::state::Status;

/// What slides less than this, relative to the motion without contact forces, does not: the residual that the solver
/// leaves, with room.
const AT_REST: f64 = 1e-8;

/// Scratch of the problem.
#[derive(Debug, Default)]
pub(super) struct Cones {
    solver: cone::Solver,
    contacts: Vec<cone::Contact>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    impulse: Vec<f64>,
    /// Row of each contact's normal in the problem, and their number.
    first: Vec<usize>,
    /// Which contacts slide in a given direction.
    directed: Vec<bool>,
    /// Rows of the largest problem since the counters were reset.
    largest: usize,
}

impl Cones {
    pub fn reset_stats(&mut self) {
        self.solver.reset_stats();
        self.largest = 0;
    }

    pub fn stats(&self) -> lcp::Stats {
        let cone::Stats {
            solves,
            iterations,
            worst_residual,
            ..
        } = self.solver.stats;
        lcp::Stats {
            solves,
            pivots: iterations,
            worst_residual,
            largest: self.largest,
            ..lcp::Stats::default()
        }
    }

    /// Solves for the impulses of the contacts, from the system's guess.
    pub fn solve(
        &mut self,
        system: &mut System,
        reduced: &[f64],
        offset: &[f64],
        sliding: impl Fn(usize) -> Sliding,
    ) -> lcp::Outcome {
        self.list(system, &sliding);
        self.assemble(system, reduced, offset);
        self.impulse.clear();
        self.impulse.resize(self.vector.len(), 0.0);
        self.take_guess(system);
        let problem = cone::Problem {
            n: self.vector.len(),
            matrix: &self.matrix,
            vector: &self.vector,
            contacts: &self.contacts,
        };
        self.largest = self.largest.max(problem.n);
        let outcome = self.solver.solve(&problem, &mut self.impulse);
        self.write_impulses(system);
        match outcome {
            cone::Outcome::Solved {
                iterations,
                residual,
            } => lcp::Outcome::Solved {
                pivots: iterations,
                residual,
            },
            cone::Outcome::Unbounded { .. } => lcp::Outcome::Ray,
            cone::Outcome::Inaccurate { residual } => lcp::Outcome::Inaccurate { residual },
        }
    }

    fn take_guess(&mut self, system: &System) {
        let stride = 1 + system.n_friction;
        for (i, guess) in system.guess.chunks_exact(stride).enumerate() {
            let rows = self.first[i]..self.first[i + 1];
            let n = rows.len();
            self.impulse[rows].copy_from_slice(&guess[..n]);
        }
    }

    fn list(&mut self, system: &System, sliding: &impl Fn(usize) -> Sliding) {
        self.contacts.clear();
        self.first.clear();
        let mut n = 0;
        for (contact, &friction) in system.contacts.iter().zip(&system.friction) {
            self.first.push(n);
            let free = friction > 0.0 && sliding(*contact) == Sliding::Free;
            let disc = [cone::Block::Disc { friction }];
            let contact = cone::Contact::new(if free { &disc } else { &[] });
            n += contact.rows();
            self.contacts.push(contact);
        }
        self.first.push(n);
        self.directed.clear();
        let directed = system
            .contacts
            .iter()
            .map(|contact| sliding(*contact) == Sliding::Directed);
        self.directed.extend(directed);
    }

    fn assemble(&mut self, system: &System, reduced: &[f64], offset: &[f64]) {
        let n = self.first[self.contacts.len()];
        let stride = 1 + system.n_friction;
        let n_reduced = stride * self.contacts.len();
        self.matrix.clear();
        self.vector.clear();
        for i in 0..self.contacts.len() {
            for a in 0..self.contacts[i].rows() {
                let row = stride * i + a;
                let w = &reduced[row * n_reduced..(row + 1) * n_reduced];
                self.vector.push(offset[row]);
                for j in 0..self.contacts.len() {
                    let column = &w[stride * j..stride * (j + 1)];
                    if self.directed[j] {
                        let (mu, [x, y]) = (system.friction[j], system.direction[j]);
                        self.matrix
                            .push(column[0] - mu * (x * column[1] + y * column[2]));
                    } else {
                        self.matrix
                            .extend_from_slice(&column[..self.contacts[j].rows()]);
                    }
                }
            }
        }
        debug_assert_eq!(self.matrix.len(), n * n);
    }

    fn write_impulses(&self, system: &mut System) {
        system.impulse.fill(0.0);
        for i in 0..self.contacts.len() {
            let normal = system.normal(i);
            let solved = &self.impulse[self.first[i]..self.first[i + 1]];
            system.impulse[normal..normal + solved.len()].copy_from_slice(solved);
            if self.directed[i] {
                let (pressed, [x, y]) = (system.friction[i] * solved[0], system.direction[i]);
                system.impulse[normal + 1] = -pressed * x;
                system.impulse[normal + 2] = -pressed * y;
            }
        }
    }

    /// How far the impulses that a system holds are from the conditions of contact, relative to its speeds: presses and
    /// does not overlap, sticks within the cone. That what slides does so against its friction, events have seen to.
    pub fn judge(&self, system: &System, reduced: &[f64], offset: &[f64]) -> f64 {
        let stride = 1 + system.n_friction;
        let n = stride * system.contacts.len();
        let impulse = &system.impulse[system.n_joint..];
        let speed = |row: usize| {
            let w = &reduced[row * n..(row + 1) * n];
            offset[row] + w.iter().zip(impulse).map(|(w, c)| w * c).sum::<f64>()
        };
        let (mut worst, mut size): (f64, f64) = (0.0, max_abs(offset));
        for i in 0..system.contacts.len() {
            let row = stride * i;
            let inverse_mass = reduced[row * n + row];
            let (pressed, leaves) = (inverse_mass * impulse[row], speed(row));
            let shear = norm(&impulse[row + 1..row + stride]);
            let beyond = inverse_mass * shear - system.friction[i] * pressed;
            worst = worst.max(pressed.min(leaves).abs()).max(beyond);
            size = size.max(pressed);
        }
        worst / size.max(f64::MIN_POSITIVE)
    }

    /// The status that the solution gives to the `i`-th contact.
    pub fn status(&self, system: &System, i: usize, sliding: Sliding, scale: f64) -> Status {
        let first = self.first[i];
        if self.impulse[first] <= 1e-12 * scale {
            Status::Open
        } else if system.friction[i] == 0.0 {
            Status::Frictionless
        } else if sliding == Sliding::Directed {
            Status::Slip
        } else {
            match self.solver.statuses()[i].blocks[0] {
                cone::Friction::Slip if self.slides(i) => Status::Slip,
                cone::Friction::Slip | cone::Friction::Open | cone::Friction::Stick => {
                    Status::Stick
                }
            }
        }
    }

    // where contacts share their friction in many ways, one at its limit need not slide
    fn slides(&self, i: usize) -> bool {
        let n = self.vector.len();
        let speed = |row: usize| {
            let w = &self.matrix[row * n..(row + 1) * n];
            self.vector[row] + w.iter().zip(&self.impulse).map(|(w, c)| w * c).sum::<f64>()
        };
        let least = AT_REST * max_abs(&self.vector);
        (self.first[i] + 1..self.first[i + 1]).any(|row| speed(row).abs() > least)
    }
}
