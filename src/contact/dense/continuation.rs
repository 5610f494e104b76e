//! From soft to stiff: for redundant contacts whose velocities do not quite agree, and for whatever else stops Newton's
//! method.
//!
//! ```text
//! (1)  u = W r + b + prox D (r - centre),     prox = 1 .. 1e-13
//! (2)  y = r - u / (prox D)                   the map's steps
//! (3)  centre <- r,  prox as it is            proximal steps: what the softness has changed is taken back
//! ```
//!
//! Two sticking contacts on one body that ask for velocities that differ by `d` push against each other until one of them
//! slips. Along these inner impulses `u` changes by `d` only: with the steps of a contact by itself, F hardly feels it, and
//! the line search refuses. The softened problem gives them the stiffness `prox`, and (2) measures F in impulses: at
//! `prox = d` all of F is of one size. A sequence of solutions that grows like `1 / prox` has no limit; most likely
//! there is no solution then.

use super::newton::{End, Limits};
use super::{ACCEPTED_RESIDUAL, Problem, Solver, residual};
use crate::contact::scaling::larger;

/// The last softness; (1) then changes `u` by less than its rounding error.
const STIFFEST: f64 = 1e-13;

/// Softness from which on (3) may end the search: with stiffer ones inner impulses come to their limits.
const POLISHED: f64 = 1e-5;

/// Softness at which growth is checked, over that since [`POLISHED`].
const GROWTH_JUDGED: f64 = 1e-10;

/// Part of the growth that remains at [`GROWTH_JUDGED`] if the impulses grow like `1 / prox`.
const GROWTH: f64 = 0.3;

/// Newton iterations of one continuation.
const ITERATIONS: u32 = 1000;

/// Factors from one softness to the next: the smallest, and the one that counts as standing still.
const FACTORS: [f64; 2] = [0.03, 0.9];

/// How a continuation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Path {
    /// At an accepted answer.
    Solved,
    /// The impulses grow without bound.
    Unbounded,
    /// Newton's method lost it: it turns back, or ends.
    Lost,
}

impl Solver {
    /// (1) to (3), from `x`, the first centre.
    #[cfg_attr(small, optimize(size), inline(never))]
    pub(super) fn stiffen(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
        best: &mut f64,
    ) -> Path {
        let n = x.len();
        let mut good = std::mem::take(&mut self.good);
        let mut centre = std::mem::take(&mut self.centre);
        good[..n].copy_from_slice(x);
        centre[..n].copy_from_slice(x);
        let (mut prox, mut last, mut factor) = (1.0, 10.0, 0.1_f64);
        let mut first_growth = 0.0;
        let mut path = Path::Lost;
        let start = self.newton.iterations;
        while prox > STIFFEST && self.newton.iterations - start < ITERATIONS {
            self.scaled.prox = prox;
            self.scaled.set_boost(1.0 / prox);
            self.scaled.reference.copy_from_slice(&centre[..n]);
            let limits = Limits {
                iterations: 60,
                // (2) makes rounding errors of u larger
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
                            path = Path::Solved;
                            break;
                        }
                        x.copy_from_slice(&good[..n]);
                        let growth = prox * size.impulse;
                        if first_growth == 0.0 {
                            first_growth = growth;
                        } else if prox < GROWTH_JUDGED && growth > GROWTH * first_growth {
                            path = Path::Unbounded;
                            break;
                        }
                    }
                    // many iterations: many changes of state on the way
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
        (self.good, self.centre) = (good, centre);
        self.scaled.reference.fill(0.0);
        self.scaled.set_boost(1.0);
        self.scaled.prox = 0.0;
        path
    }

    /// (3), with the steps of a contact by itself: the states are known by now. Is the answer accepted?
    #[cfg_attr(small, optimize(size), inline(never))]
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
            // on the way the impulses may be of any size: an answer, or nothing
            let n = x.len();
            self.scaled.leave(x, &mut self.outer[..n]);
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
