//! Light answers: where contacts and joints press against each other every multiple of that pressure is an answer, and the way
//! through the inside of the cones ends far along it; or only a large pressure makes up for rows that contradict each other
//! by rounding. Friction and motors would then do work without bounds.
//!
//! ```text
//! (1)  u = J w + q + c r + prox D r,    prox to zero:  the answer with the least impulses
//! (2)  impulses that grow without bounds while the velocities stay wrong: there is no answer
//! ```

use super::Outcome;
use super::solver::{Attempt, FIRST_SWEEPS, NEARLY, PLAIN, Solver};
use crate::contact::dense::newton::Limits;
use crate::contact::scaling::larger;

/// An answer is heavy if contacts press more than this, in units of the largest approach: a heap of a hundred layers.
const HEAVY: f64 = 100.0;

/// `prox` of (1), one after the other.
const PROXES: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];

/// Newton's method for each of them.
const ON_THE_WAY: Limits = Limits {
    iterations: 20,
    target: 1e-9,
    ..PLAIN
};

/// (2): impulses, in units of the largest approach.
const WITHOUT_BOUNDS: f64 = 1e6;

/// (2): the residual from which on velocities are wrong.
const WRONG: f64 = 1e-6;

impl Solver {
    /// Do contacts and joints act on each other in the island?
    pub(super) fn is_mixed(&self) -> bool {
        !self.scaled.contacts.is_empty() && !self.scaled.joint_rows().is_empty()
    }

    /// Does a contact press without need, perhaps?
    pub(super) fn is_heavy(&self, x: &[f64]) -> bool {
        self.is_mixed() && self.pressure(x) > HEAVY
    }

    fn pressure(&self, x: &[f64]) -> f64 {
        let contacts = self.scaled.contacts.iter();
        contacts.fold(0.0, |m, contact| larger(m, x[contact.normal]))
    }

    /// (1) from `x`, then from nothing: is there a lighter answer than the best one? It may be left with a small residual.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn minimize_norm(&mut self, attempt: &mut Attempt, x: &mut [f64]) -> bool {
        let most = if attempt.is_solved() {
            0.5 * self.pressure(x)
        } else {
            f64::INFINITY
        };
        for from_nothing in [false, true] {
            if from_nothing {
                x.fill(0.0);
                self.sweep(x, FIRST_SWEEPS, self.relaxation());
            }
            let mut light = std::mem::take(&mut self.good);
            light.clear();
            light.resize(x.len(), 0.0);
            // a light answer that is nearly one is better than a heavy one
            let mut least = NEARLY;
            for prox in PROXES {
                self.outer.fill(0.0);
                self.scaled.prox(prox, 1.0, &self.outer);
                self.newton
                    .run(&self.scaled, attempt.pattern, x, &ON_THE_WAY);
                self.scaled.release();
                let checked = self.checked(attempt, x);
                if checked < least && self.pressure(x) <= most {
                    least = checked;
                    light.copy_from_slice(x);
                }
            }
            x.copy_from_slice(&light);
            self.good = light;
            if least < NEARLY {
                self.checked(attempt, x);
                attempt.best = least;
                attempt.answer.copy_from_slice(&self.outer);
                return true;
            }
        }
        false
    }

    fn checked(&mut self, attempt: &Attempt, x: &[f64]) -> f64 {
        self.scaled.leave(x, &mut self.outer);
        self.judge
            .residual(attempt.problem, &attempt.island, &self.outer)
    }

    /// (2), or what the best attempt is worth.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn verdict(&mut self, attempt: &Attempt) -> Outcome {
        let residual = attempt.best;
        if residual > WRONG && self.is_mixed() {
            self.scaled.enter(attempt.answer, &mut self.u);
            if self.pressure(&self.u) > WITHOUT_BOUNDS {
                return Outcome::Contradiction { residual };
            }
        }
        Outcome::Inaccurate { residual }
    }
}
