//! The system with fixed statuses in the plane: one friction row per contact, with one coefficient. This case of `fixed_mode` is so common
//! and so short that it has its own loops.

use super::{REFINEMENTS, System};
use crate::math::dense::RankRevealing;
use crate::state::Status;

/// An unknown: the row and the column of this index, and this multiple of the friction column that follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneUnknown {
    row: usize,
    along: f64,
}

impl System {
    /// Are all unknowns plain, or normals with their friction in the plane?
    pub(super) fn is_simple(&self) -> bool {
        self.n_friction == 1 && self.stribeck.is_empty()
    }

    /// [`Self::solve_fixed_mode`] where the system is simple.
    pub(super) fn solve_simple(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
    ) -> bool {
        self.simple.clear();
        for row in (0..self.n_joint).filter(|j| joints[*j]) {
            self.simple.push(PlaneUnknown { row, along: 0.0 });
        }
        for (i, &contact) in self.contacts.iter().enumerate() {
            let row = self.n_joint + 2 * i;
            let status = status(contact);
            let along = match status {
                Status::Open => continue,
                Status::Frictionless | Status::Stick | Status::Slip => 0.0,
                Status::SlipForward => -self.friction[i],
                Status::SlipBackward => self.friction[i],
            };
            self.simple.push(PlaneUnknown { row, along });
            if status == Status::Stick {
                let row = row + 1;
                self.simple.push(PlaneUnknown { row, along });
            }
        }
        self.solve_chosen(solver)
    }

    // true if no unknowns are dependent
    fn solve_chosen(&mut self, solver: &mut RankRevealing) -> bool {
        let (k, size) = (self.len(), self.simple.len());
        let matrix = solver.start(size);
        for (i, unknown) in self.simple.iter().enumerate() {
            let w = &self.delassus[unknown.row * k..(unknown.row + 1) * k];
            let entries = &mut matrix[i * size..(i + 1) * size];
            for (entry, PlaneUnknown { row, along }) in entries.iter_mut().zip(&self.simple) {
                *entry = w[*row];
                if *along != 0.0 {
                    *entry += along * w[row + 1];
                }
            }
        }
        self.operations += (size * size * size / 3) as u64;
        solver.factor(self.rank_tolerance());
        // the first impulses are the right-hand side; then the solution moves to its rows, last first
        self.impulse.fill(0.0);
        for (c, unknown) in self.impulse.iter_mut().zip(&self.simple) {
            *c = -self.bias[unknown.row];
        }
        solver.solve(&mut self.impulse[..size]);
        self.spread_chosen();
        if self.is_ill_conditioned(solver) {
            self.refine_chosen(solver);
        }
        solver.rank() == size
    }

    // moves the solution from the first impulses to its rows, last first
    fn spread_chosen(&mut self) {
        for (i, PlaneUnknown { row, along }) in self.simple.iter().enumerate().rev() {
            let value = std::mem::take(&mut self.impulse[i]);
            self.impulse[*row] = value;
            if *along != 0.0 {
                self.impulse[row + 1] += along * value;
            }
        }
    }

    fn refine_chosen(&mut self, solver: &mut RankRevealing) {
        for _ in 0..REFINEMENTS {
            self.store_impulses();
            for i in 0..self.simple.len() {
                self.impulse[i] = self.rest_of_row(self.simple[i].row);
            }
            solver.solve(&mut self.impulse[..self.simple.len()]);
            self.spread_chosen();
            self.add_stored_impulses();
        }
    }
}
