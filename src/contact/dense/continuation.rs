//! Regularization continuation, for redundant contacts with slightly inconsistent velocities and other cases in which
//! Newton's method fails.
//!
//! ```text
//! (1)  u = W r + b + prox D (r - reference),     prox = 1 .. 1e-13
//! (2)  y = r - u / (prox D)                      projection steps of the Alart-Curnier map
//! (3)  reference <- r,  prox fixed               proximal point iterations, which remove the effect of prox
//! ```
//!
//! Two sticking contacts of one body whose required velocities differ by `d` act against each other until one of them
//! slips. `u` changes by `d` only along these internal impulses: with the usual projection steps F hardly depends on
//! them, and the line search fails. The regularized problem gives them the compliance `prox`, and (2) measures F in
//! impulses: at `prox = d` all parts of F are of one size. If the impulses grow like `1 / prox`, most likely there is no
//! solution.

use super::newton::{End, Limits};
use super::{ACCEPTED_RESIDUAL, Problem, Solver, residual};
use crate::math::larger;

/// The last `prox`; (1) then changes `u` by less than its rounding error.
const STIFFEST: f64 = 1e-13;

/// From this `prox` on (3) may end the search: below it internal impulses reach their limits.
const POLISHED: f64 = 1e-5;

/// The growth of the impulses is checked at this `prox`, relative to that since [`POLISHED`].
const GROWTH_CHECKED: f64 = 1e-10;

/// Fraction of the growth that remains at [`GROWTH_CHECKED`] if the impulses grow like `1 / prox`.
const GROWTH: f64 = 0.3;

/// Limit on the Newton iterations of one continuation.
const ITERATIONS: u32 = 1000;

/// Factors from one `prox` to the next: the smallest, and the one that counts as stagnation.
const FACTORS: [f64; 2] = [0.03, 0.9];

/// Outcome of a continuation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ContinuationEnd {
    /// A candidate was accepted.
    Solved,
    /// The impulses grow without bound.
    Unbounded,
    /// Newton's method failed: the path turns back or ends.
    Failed,
}

impl Solver {
    /// (1) to (3), from `x`, the first reference.
    pub(super) fn run_continuation(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
        best: &mut f64,
    ) -> ContinuationEnd {
        let n = x.len();
        let mut good = std::mem::take(&mut self.good);
        let mut reference = std::mem::take(&mut self.reference);
        good[..n].copy_from_slice(x);
        reference[..n].copy_from_slice(x);
        let (mut prox, mut last, mut factor) = (1.0, 10.0, 0.1_f64);
        let mut first_growth = 0.0;
        let mut path = ContinuationEnd::Failed;
        let start = self.newton.iterations;
        while prox > STIFFEST && self.newton.iterations - start < ITERATIONS {
            self.scaled.prox = prox;
            self.scaled.set_boost(1.0 / prox);
            self.scaled.reference.copy_from_slice(&reference[..n]);
            let limits = Limits {
                iterations: 60,
                // (2) magnifies rounding errors of u
                target: larger(1e-9, 1e-14 / prox),
                damping: [1e-15, 1e-15],
                trials: 10,
                allowed: false,
            };
            let before = self.newton.iterations;
            let (end, size) = self.newton.run(&self.scaled, x, &limits);
            let used = self.newton.iterations - before;
            match end {
                End::Converged => {
                    good[..n].copy_from_slice(x);
                    last = prox;
                    if prox < POLISHED {
                        if self.polish(problem, x, answer, best) {
                            path = ContinuationEnd::Solved;
                            break;
                        }
                        x.copy_from_slice(&good[..n]);
                        let growth = prox * size.impulse;
                        if first_growth == 0.0 {
                            first_growth = growth;
                        } else if prox < GROWTH_CHECKED && growth > GROWTH * first_growth {
                            path = ContinuationEnd::Unbounded;
                            break;
                        }
                    }
                    // many iterations: many changes of the active set
                    factor = match used {
                        0..=6 => larger(factor * factor, FACTORS[0]),
                        7..=20 => factor,
                        _ if factor < 0.3 => factor.sqrt(),
                        _ => factor,
                    };
                }
                End::Stalled => {
                    x.copy_from_slice(&good[..n]);
                    factor = factor.sqrt();
                    if factor > FACTORS[1] {
                        break;
                    }
                }
            }
            prox = last * factor;
        }
        (self.good, self.reference) = (good, reference);
        self.scaled.reference.fill(0.0);
        self.scaled.set_boost(1.0);
        self.scaled.prox = 0.0;
        path
    }

    /// (3) with the usual projection steps, as the active set is known by now. Returns whether the answer is accepted.
    fn polish(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
        best: &mut f64,
    ) -> bool {
        let limits = Limits {
            iterations: 10,
            target: 1e-15,
            damping: [1e-15, 1e-15],
            trials: 6,
            allowed: false,
        };
        self.scaled.set_boost(1.0);
        for _ in 0..4 {
            self.scaled.reference.copy_from_slice(x);
            self.newton.run(&self.scaled, x, &limits);
            // impulses on the path may have any size: keep accepted answers only
            let n = x.len();
            self.scaled.unscale_impulses(x, &mut self.outer[..n]);
            let checked = residual(problem, &self.outer[..n]);
            if checked <= ACCEPTED_RESIDUAL {
                *best = checked;
                answer.copy_from_slice(&self.outer[..n]);
                return true;
            }
        }
        false
    }
}
