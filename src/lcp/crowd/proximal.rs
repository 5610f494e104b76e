//! The proximal point method: for redundant contacts whose velocities do not quite agree, and for whatever else stops
//! Newton's method.
//!
//! ```text
//! (1)  u = J w + q + c r + prox D (r - anchor),    anchor <- r
//! (2)  y = r - u / (prox D)                        the map's steps
//! ```
//!
//! Two sticking contacts on one body that ask for velocities that differ by `d` push against each other until one of them
//! slips. Along these inner impulses `u` changes by `d` only: with the steps of a contact by itself, F hardly feels it, and
//! the line search refuses. With (1) they move by `d / prox` from one anchor to the next, and (2) measures F in impulses.
//!
//! What one anchor asks for is near the anchor if `prox` is large, and takes many anchors if it is too large: it goes down
//! while Newton's method follows, and up when that loses its way. It does so where a contact that begins to slip lets the
//! others give way: with a large `prox` the impulses move away from there, to where they can stay.

use std::ops::RangeInclusive;

use super::ACCEPTED_RESIDUAL;
use super::solver::{Climb, Solver};
use crate::lcp::cone::newton::{End, Limits};
use crate::lcp::scaling::larger;

/// First `prox`, times the residual: the first changes of inner impulses are a tenth of the others.
const FIRST: f64 = 10.0;

/// Bounds of the first `prox`.
const FIRST_WITHIN: [f64; 2] = [1e-8, 0.1];

/// The smallest and the largest `prox`: rounding errors of `u`, and contacts that hardly move.
const WITHIN: RangeInclusive<f64> = 1e-10..=1e3;

/// From one `prox` to the next, downwards and upwards.
const FACTORS: [f64; 2] = [0.4, 3.0];

/// An anchor that takes the residual to this part of it is worth another one with the same `prox`.
const WORTHWHILE: f64 = 0.2;

/// Anchors with the same `prox` after it went up.
const HELD: u32 = 3;

/// Newton iterations of an anchor: 2 to 8 in most cases.
const ITERATIONS: u32 = 15;

/// Newton's method close to an answer.
const LAST_DIGITS: Limits = Limits {
    iterations: 10,
    target: 1e-15,
    damping: [1e-15, 1e-15],
    trials: 6,
    allowed: false,
};

impl Solver {
    /// (1) from `x`, which is moved to the last anchor, with about so many iterations: is an answer accepted?
    #[cfg_attr(small, optimize(size))]
    pub(super) fn anchor(&mut self, climb: &mut Climb, x: &mut [f64], iterations: u32) -> bool {
        let mut good = std::mem::take(&mut self.good);
        good.clear();
        good.extend_from_slice(x);
        let mut last = self.weigh(climb, x);
        let mut prox = (FIRST * last).clamp(FIRST_WITHIN[0], FIRST_WITHIN[1]);
        let (mut held, mut solved) = (0, false);
        let before = self.newton.iterations;
        while self.newton.iterations - before < iterations && WITHIN.contains(&prox) {
            self.scaled.anchor(prox, 1.0 / prox, &good);
            x.copy_from_slice(&good);
            let limits = Limits {
                iterations: ITERATIONS,
                // below what the judge accepts; (2) makes rounding errors of u larger
                target: larger(0.1 * ACCEPTED_RESIDUAL, 1e-14 / prox),
                trials: 10,
                ..LAST_DIGITS
            };
            let (end, _) = self.newton.run(&self.scaled, climb.pattern, x, &limits);
            if end != End::Converged {
                prox *= FACTORS[1];
                held = HELD;
                continue;
            }
            good.copy_from_slice(x);
            let residual = self.weigh(climb, x);
            solved = climb.is_solved();
            // what overflowed comes no nearer, and no `prox` would tell
            if solved || !residual.is_finite() {
                break;
            }
            if held > 0 {
                held -= 1;
            } else if residual > WORTHWHILE * last {
                prox *= FACTORS[0];
            }
            last = residual;
        }
        x.copy_from_slice(&good);
        self.scaled.release();
        self.good = good;
        solved
    }

    /// (1) with each `prox`, and with the map's steps of a contact by itself: for an `x` whose states are known.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn polish(&mut self, climb: &mut Climb, x: &mut [f64], proxes: &[f64]) -> bool {
        let mut start = std::mem::take(&mut self.good);
        start.clear();
        start.extend_from_slice(x);
        let solved = proxes.iter().any(|prox| {
            x.copy_from_slice(&start);
            (0..4).any(|_| {
                self.scaled.anchor(*prox, 1.0, x);
                self.newton
                    .run(&self.scaled, climb.pattern, x, &LAST_DIGITS);
                self.judge_answer(climb, x)
            })
        });
        self.scaled.release();
        if !solved {
            x.copy_from_slice(&start);
        }
        self.good = start;
        solved
    }
}
