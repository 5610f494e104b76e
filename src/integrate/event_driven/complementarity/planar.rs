//! Newton's method for many contacts in the plane, whose complementarity problem takes one pivot of Lemke's method for each change of
//! a status.
//!
//! (1)  the problem of `contact::dense`, with one line of friction for each contact of form (2), and one normal row for form (3)
//! (2)  u = (c_n, c_t) gives z = (c_n, positive part of c_t, negative part of c_t, lambda):  lambda = |t.x| where c_t is at its bound

use super::Sliding;
use crate::contact::dense::{Block, Contact, Friction, Problem, Solver};
use crate::integrate::event_driven::system::System;

/// Smaller problems are solved by Lemke's method at once.
const MANY_CONTACTS: usize = 8;

/// Workspace of the method.
#[derive(Debug, Default)]
pub(super) struct Newton {
    solver: Solver,
    contacts: Vec<Contact>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    impulse: Vec<f64>,
    /// Sign of a known direction of sliding, 0 for none.
    signs: Vec<f64>,
    /// Multiplications since they were last taken, about.
    pub operations: u64,
}

impl Newton {
    /// Storage for up to this many contacts.
    pub fn new(n_contacts: usize) -> Self {
        let mut newton = Self::default();
        if n_contacts >= MANY_CONTACTS {
            let n = 2 * n_contacts;
            newton.solver.reserve_quick(n);
            newton.contacts.reserve(n_contacts);
            newton.signs.reserve(n_contacts);
            newton.matrix.reserve(n * n);
            newton.vector.reserve(n);
            newton.impulse.reserve(n);
        }
        newton
    }

    /// A candidate for the problem with the reduced matrix and vector `(w, b)`, in `z`; `first` has its first entry for each contact. False
    /// if there is none.
    pub fn solve(
        &mut self,
        system: &System,
        (w, b): (&[f64], &[f64]),
        sliding: impl Fn(usize) -> Sliding,
        first: &[usize],
        z: &mut [f64],
    ) -> bool {
        // restitution moves the bounds of friction
        let restitutes = system.restituted.iter().any(|c| *c > 0.0);
        if system.contacts.len() < MANY_CONTACTS || restitutes {
            return false;
        }
        self.list(system, sliding);
        self.assemble(system, w, b);
        let n = self.vector.len();
        self.impulse.clear();
        self.impulse.resize(n, 0.0);
        let problem = Problem {
            n,
            matrix: &self.matrix,
            vector: &self.vector,
            contacts: &self.contacts,
        };
        let before = self.solver.stats.iterations;
        let solved = self.solver.solve_quickly(&problem, &mut self.impulse);
        let iterations = self.solver.stats.iterations - before;
        self.operations += iterations * (n * n * n / 3) as u64;
        if !solved {
            return false;
        }
        self.write(first, z);
        true
    }

    fn list(&mut self, system: &System, sliding: impl Fn(usize) -> Sliding) {
        self.contacts.clear();
        self.signs.clear();
        for (i, contact) in system.contacts.iter().enumerate() {
            let sliding = sliding(*contact);
            let friction = system.friction[i];
            let line = [Block::Line { friction }];
            let has_line = sliding == Sliding::Free && system.has_friction(i);
            self.contacts
                .push(Contact::new(if has_line { &line } else { &[] }));
            self.signs.push(match sliding {
                Sliding::Known(sign) => sign,
                Sliding::Free | Sliding::Broken | Sliding::Directed => 0.0,
            });
        }
    }

    // (1)
    fn assemble(&mut self, system: &System, w: &[f64], b: &[f64]) {
        let n_rows = 2 * self.contacts.len();
        self.matrix.clear();
        self.vector.clear();
        for (i, of) in self.contacts.iter().enumerate() {
            for row in 2 * i..2 * i + of.rows() {
                self.vector.push(b[row]);
                let row = &w[row * n_rows..(row + 1) * n_rows];
                for (j, other) in self.contacts.iter().enumerate() {
                    self.matrix
                        .push(row[2 * j] - self.signs[j] * system.friction[j] * row[2 * j + 1]);
                    if other.rows() > 1 {
                        self.matrix.push(row[2 * j + 1]);
                    }
                }
            }
        }
    }

    // (2)
    fn write(&self, first: &[usize], z: &mut [f64]) {
        let n = self.vector.len();
        let mut at = 0;
        for (i, contact) in self.contacts.iter().enumerate() {
            let z = &mut z[first[i]..first[i + 1]];
            z[0] = self.impulse[at];
            if contact.rows() > 1 {
                let along = self.impulse[at + 1];
                z[1] = if along > 0.0 { along } else { 0.0 };
                z[2] = if along < 0.0 { -along } else { 0.0 };
                if self.solver.statuses()[i].blocks[0] != Friction::Stick {
                    let row = &self.matrix[(at + 1) * n..(at + 2) * n];
                    let mut speed = self.vector[at + 1];
                    for (w, c) in row.iter().zip(&self.impulse) {
                        speed += w * c;
                    }
                    z[3] = speed.abs();
                }
            }
            at += contact.rows();
        }
    }
}
