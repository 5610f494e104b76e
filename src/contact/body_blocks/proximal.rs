//! Proximal point method, for redundant contacts with slightly inconsistent velocities and other cases in which Newton's
//! method fails.
//!
//! ```text
//! (1)  u = J w + q + c r + prox D (r - reference),    reference <- r
//! (2)  y = r - u / (prox D)                           projection steps of the Alart-Curnier map
//! ```
//!
//! Two sticking contacts of one body whose required velocities differ by `d` act against each other until one of them
//! slips. `u` changes by `d` only along these internal impulses: with the usual projection steps F hardly depends on
//! them, and the line search fails. With (1) they change by `d / prox` per outer iteration, and (2) measures F in
//! impulses.
//!
//! A large `prox` makes the inner problem easy, but takes many outer iterations. It is decreased while Newton's method
//! converges, and increased when that fails, as it does where one contact that starts to slip makes others give way.

use std::ops::RangeInclusive;

use super::ACCEPTED_RESIDUAL;
use super::solver::{IslandTask, Solver};
use crate::contact::dense::newton::{End, Limits};
use crate::math::larger;

/// First `prox`, times the residual: the first changes of internal impulses are a tenth of the others.
const FIRST: f64 = 10.0;

/// Bounds of the first `prox`.
const FIRST_BOUNDS: [f64; 2] = [1e-8, 0.1];

/// Smallest and largest `prox`: rounding errors of `u`, and contacts that hardly move.
const BOUNDS: RangeInclusive<f64> = 1e-10..=1e3;

/// Factors by which `prox` is decreased and increased.
const FACTORS: [f64; 2] = [0.4, 3.0];

/// If an outer iteration reduces the residual to this fraction, `prox` is kept.
const KEEP_PROX: f64 = 0.2;

/// Outer iterations without a decrease after `prox` was increased.
const HOLD: u32 = 3;

/// Newton iterations of an outer iteration: 2 to 8 in most cases.
const ITERATIONS: u32 = 15;

/// Newton's method close to a solution.
const LAST_DIGITS: Limits = Limits {
    iterations: 10,
    target: 1e-15,
    damping: [1e-15, 1e-15],
    trials: 6,
    allowed: false,
};

impl Solver {
    /// Runs (1) from `x`, which ends at the last reference, for about `iterations` iterations. Returns whether an answer
    /// was accepted.
    pub(super) fn run_proximal(
        &mut self,
        task: &mut IslandTask,
        x: &mut [f64],
        iterations: u32,
    ) -> bool {
        let mut reference = std::mem::take(&mut self.scratch);
        reference.clear();
        reference.extend_from_slice(x);
        let mut last = self.check_residual(task, x);
        let mut prox = (FIRST * last).clamp(FIRST_BOUNDS[0], FIRST_BOUNDS[1]);
        let (mut hold, mut solved) = (0, false);
        let before = self.newton.iterations;
        while self.newton.iterations - before < iterations && BOUNDS.contains(&prox) {
            self.scaled.set_proximal_term(prox, 1.0 / prox, &reference);
            x.copy_from_slice(&reference);
            let limits = Limits {
                iterations: ITERATIONS,
                // below the accepted residual; (2) magnifies rounding errors of u
                target: larger(0.1 * ACCEPTED_RESIDUAL, 1e-14 / prox),
                trials: 10,
                ..LAST_DIGITS
            };
            let (end, _) = self.newton.run(&self.scaled, task.pattern, x, &limits);
            if end != End::Converged {
                prox *= FACTORS[1];
                hold = HOLD;
                continue;
            }
            reference.copy_from_slice(x);
            let residual = self.check_residual(task, x);
            solved = task.is_solved();
            // once it overflowed, no further iteration helps
            if solved || !residual.is_finite() {
                break;
            }
            if hold > 0 {
                hold -= 1;
            } else if residual > KEEP_PROX * last {
                prox *= FACTORS[0];
            }
            last = residual;
        }
        x.copy_from_slice(&reference);
        self.scaled.clear_proximal_term();
        self.scratch = reference;
        solved
    }

    /// (1) with each `prox` and the usual projection steps, for an `x` whose active set is known.
    pub(super) fn polish(&mut self, task: &mut IslandTask, x: &mut [f64], proxes: &[f64]) -> bool {
        let mut start = std::mem::take(&mut self.scratch);
        start.clear();
        start.extend_from_slice(x);
        let solved = proxes.iter().any(|prox| {
            x.copy_from_slice(&start);
            (0..4).any(|_| {
                self.scaled.set_proximal_term(*prox, 1.0, x);
                self.newton.run(&self.scaled, task.pattern, x, &LAST_DIGITS);
                self.check_answer(task, x)
            })
        });
        self.scaled.clear_proximal_term();
        if !solved {
            x.copy_from_slice(&start);
        }
        self.scratch = start;
        solved
    }
}
