//! From soft to stiff: for redundant contacts whose velocities do not quite agree, and for whatever else stops Newton's
//! method.
//!
//! ```text
//! (1)  u = J w + q + c r + prox D r,     prox = 1 .. 1e-13
//! (2)  y = r - u / (prox D)              the map's steps
//! (3)  u = J w + q + c r + prox D (r - anchor),   anchor <- r      what the softness has changed is taken back
//! ```
//!
//! Two sticking contacts on one body that ask for velocities that differ by `d` push against each other until one of them
//! slips. Along these inner impulses `u` changes by `d` only: with the steps of a contact by itself, F hardly feels it, and
//! the line search refuses. The softened problem gives them the stiffness `prox`, and (2) measures F in impulses: at
//! `prox = d` all of F is of one size.
//!
//! Where Newton's method loses the solution on the way, `interior` looks for another one of the softened problem.
//! Where it does not find one either, the curve of solutions turns back: `path` follows it around the bend.

use super::solver::{Climb, Solver};
use crate::lcp::cone::newton::{End, Limits};
use crate::lcp::scaling::larger;

/// The last softness; (1) then changes `u` by less than its rounding error.
const STIFFEST: f64 = 1e-13;

/// Softness from which on (3) may end the search: with stiffer ones inner impulses come to their limits.
const POLISHED: f64 = 1e-5;

/// Newton iterations of one continuation: most of those that come to an end need 300 to 2000.
const ITERATIONS: u32 = 2000;

/// The smallest factor from one softness to the next.
const LEAST: f64 = 0.03;

/// Factors after failures: what is lost at one softness may be there at another one.
const OTHERS: [f64; 9] = [0.3, 0.55, 0.75, 0.65, 0.45, 0.2, 0.85, 0.1, 0.05];

/// Failures before `path` has its turn, once.
const BEFORE_PATH: usize = 4;

/// How far the way through the inside of the cones is followed before Newton's method goes on.
const INSIDE: f64 = 1e-9;

/// How far beyond the bend the path is followed.
const BEYOND: f64 = 0.9;

/// Most steps of `path` around one bend.
const STEPS: u32 = 300;

/// How a continuation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Path {
    /// At an accepted answer.
    Solved,
    /// No solution was found for some softness.
    Lost,
}

impl Solver {
    /// (1) to (3), from nothing; `x` is the first guess.
    pub(super) fn stiffen(&mut self, climb: &mut Climb, x: &mut [f64]) -> Path {
        let mut good = std::mem::take(&mut self.good);
        good.copy_from_slice(x);
        let (mut prox, mut last, mut factor) = (1.0, 10.0, 0.1_f64);
        let mut path = Path::Lost;
        let mut failed = 0;
        let start = self.newton.iterations;
        while prox > STIFFEST && self.newton.iterations - start < ITERATIONS {
            self.scaled.prox = prox;
            self.scaled.set_boost(1.0 / prox);
            self.scaled.reference.fill(0.0);
            let before = self.newton.iterations;
            let mut end = self.solve_softened(climb, x, 60);
            let used = self.newton.iterations - before;
            let was_lost = end == End::Stalled;
            if was_lost {
                end = self.pass_inside_softened(climb, &good, x);
            }
            match end {
                End::Converged => {
                    good.copy_from_slice(x);
                    last = prox;
                    failed = 0;
                    if prox < POLISHED {
                        if self.polish(climb, x) {
                            path = Path::Solved;
                            break;
                        }
                        x.copy_from_slice(&good);
                    }
                    // many iterations: many changes of state on the way
                    factor = match used {
                        _ if was_lost => factor,
                        0..=6 => larger(factor * factor, LEAST),
                        7..=20 => factor,
                        _ if factor < 0.3 => factor.sqrt(),
                        _ => factor,
                    };
                }
                End::Stalled => {
                    x.copy_from_slice(&good);
                    failed += 1;
                    if failed == BEFORE_PATH
                        && let Some(reached) =
                            self.follow(climb.pattern, x, last, BEYOND * last, STEPS)
                    {
                        good.copy_from_slice(x);
                        last = reached;
                        failed = 0;
                    }
                    if failed > OTHERS.len() {
                        break;
                    }
                    factor = OTHERS[failed.saturating_sub(1)];
                }
            }
            prox = last * factor;
        }
        self.good = good;
        self.scaled.reference.fill(0.0);
        self.scaled.set_boost(1.0);
        self.scaled.prox = 0.0;
        path
    }

    /// Newton's method on (1).
    fn solve_softened(&mut self, climb: &Climb, x: &mut [f64], iterations: u32) -> End {
        let limits = Limits {
            iterations,
            // (2) makes rounding errors of u larger
            target: larger(1e-9, 1e-14 / self.scaled.prox),
            damping: [1e-15, 1e-15],
            trials: 10,
            allowed: false,
        };
        self.newton.run(&self.scaled, climb.pattern, x, &limits).0
    }

    /// (1) through the inside of the cones, and Newton's method from there.
    fn pass_inside_softened(&mut self, climb: &Climb, good: &[f64], x: &mut [f64]) -> End {
        x.copy_from_slice(good);
        self.interior.start(&self.scaled, x);
        let Self {
            interior,
            newton,
            scaled,
            ..
        } = self;
        interior.run(newton, scaled, climb.pattern, x, INSIDE);
        self.solve_softened(climb, x, 20)
    }

    /// (3), with the steps of a contact by itself: the states are known by now. Is the answer accepted?
    pub(super) fn polish(&mut self, climb: &mut Climb, x: &mut [f64]) -> bool {
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
            self.newton.run(&self.scaled, climb.pattern, x, &limits);
            if self.judge_answer(climb, x) {
                return true;
            }
        }
        false
    }
}
