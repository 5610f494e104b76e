//! Solutions of minimum norm. Where contacts and joints act against each other, any multiple of some internal impulses is
//! a solution, and the interior-point method ends with large ones; or only large impulses compensate rows that contradict
//! each other by rounding errors. Friction and motors would then do unbounded work.
//!
//! ```text
//! (1)  u = J w + q + c r + prox D r,    prox -> 0:  the solution of minimum norm
//! (2)  impulses grow without bound while the residual stays large: there is no solution
//! ```

use super::Outcome;
use super::solver::{FIRST_SWEEPS, IslandTask, NEARLY_SOLVED, PLAIN_NEWTON, Solver};
use crate::contact::dense::newton::Limits;
use crate::math::larger;

/// Normal impulses above this are large, in units of the largest approach velocity: a stack of a hundred layers.
const LARGE_IMPULSE: f64 = 100.0;

/// Successive values of `prox` in (1).
const PROXES: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];

/// Newton's method for each of them.
const NEWTON_LIMITS: Limits = Limits {
    iterations: 20,
    target: 1e-9,
    ..PLAIN_NEWTON
};

/// (2): bound on the impulses, in units of the largest approach velocity.
const UNBOUNDED_IMPULSE: f64 = 1e6;

/// (2): a residual above this is large.
const LARGE_RESIDUAL: f64 = 1e-6;

impl Solver {
    /// Does the island have both contacts and joints?
    pub(super) fn has_contacts_and_joints(&self) -> bool {
        !self.scaled.contacts.is_empty() && !self.scaled.joint_rows().is_empty()
    }

    /// May the solution contain unnecessary internal impulses?
    pub(super) fn has_large_impulses(&self, x: &[f64]) -> bool {
        self.has_contacts_and_joints() && self.largest_normal_impulse(x) > LARGE_IMPULSE
    }

    fn largest_normal_impulse(&self, x: &[f64]) -> f64 {
        let contacts = self.scaled.contacts.iter();
        contacts.fold(0.0, |m, contact| larger(m, x[contact.normal]))
    }

    /// (1) from `x`, then from zero. Returns whether it found a solution with smaller impulses than the best one, perhaps
    /// with a slightly larger residual.
    pub(super) fn run_minimum_norm(&mut self, task: &mut IslandTask, x: &mut [f64]) -> bool {
        let limit = if task.is_solved() {
            0.5 * self.largest_normal_impulse(x)
        } else {
            f64::INFINITY
        };
        for from_zero in [false, true] {
            if from_zero {
                x.fill(0.0);
                self.sweep(x, FIRST_SWEEPS, self.relaxation());
            }
            let mut candidate = std::mem::take(&mut self.scratch);
            candidate.clear();
            candidate.resize(x.len(), 0.0);
            // a nearly exact solution with small impulses is better than an exact one with large ones
            let mut least = NEARLY_SOLVED;
            for prox in PROXES {
                self.outer.fill(0.0);
                self.scaled.set_proximal_term(prox, 1.0, &self.outer);
                self.newton
                    .run(&self.scaled, task.pattern, x, &NEWTON_LIMITS);
                self.scaled.clear_proximal_term();
                let checked = self.checked(task, x);
                if checked < least && self.largest_normal_impulse(x) <= limit {
                    least = checked;
                    candidate.copy_from_slice(x);
                }
            }
            x.copy_from_slice(&candidate);
            self.scratch = candidate;
            if least < NEARLY_SOLVED {
                self.checked(task, x);
                task.best = least;
                task.answer.copy_from_slice(&self.outer);
                return true;
            }
        }
        false
    }

    fn checked(&mut self, task: &IslandTask, x: &[f64]) -> f64 {
        self.scaled.unscale_impulses(x, &mut self.outer);
        self.residual_check
            .residual(task.problem, &task.island, &self.outer)
    }

    /// (2), or the residual of the best candidate.
    pub(super) fn classify(&mut self, task: &IslandTask) -> Outcome {
        let residual = task.best;
        if residual > LARGE_RESIDUAL && self.has_contacts_and_joints() {
            self.scaled.scale_impulses(task.answer, &mut self.u);
            if self.largest_normal_impulse(&self.u) > UNBOUNDED_IMPULSE {
                return Outcome::Contradiction { residual };
            }
        }
        Outcome::Inaccurate { residual }
    }
}
