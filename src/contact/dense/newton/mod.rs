//! Newton's method on the map, with a line search.
//!
//! Unknowns are the impulses that the state leaves free: `x_n` per closed contact (with which the sliding blocks grow,
//! along `n + sum mu d`), the rows of sticking blocks, and `x_p` across the sliding direction `d` of a block of two rows.
//!
//! ```text
//! (1)  r + dr = base + E x:   open 0,   slip  r_b + dr_b = mu d (r_n + dr_n) + p x_p + p (p.r_b)
//! (2)  normal and stick rows:  (W dr)_i + e x_i = -u_i
//! (3)  rows across:            s (W dr)_p + ((1 - s) / rho + s e) x_p = -p.r_b / rho,    s = mu y_n / |y_b|
//! (4)  e = (prox + damping) / rho      the damping makes redundant contacts solvable and vanishes at the solution
//! (5)  r <- allowed(r + a dr):  accept if  |F|^2 <= (1 - a/5)^2 min(max of the last 4, 4 |F_now|^2)
//! ```

mod full;
mod sparse;
mod unknowns;

use super::elimination::{Elimination, MOST_ROWS};
use super::map::{Size, measure};
use super::scaled::Scaled;
use crate::contact::lcp::basis::grow;
use unknowns::Unknowns;

/// Steps back that (5) looks.
const MEMORY: usize = 4;

/// Each step of a line search over the one before.
const SHORTER: f64 = 0.4;

/// Damping of (4), times the size of F: large far away from the solution.
const DAMPING: f64 = 1e-2;

/// Part of the squares of F that is left after a step whose direction was good beyond doubt.
const CLEAR_GAIN: f64 = 1e-2;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) enum End {
    /// F is as small as asked for.
    Converged,
    /// The line search found no smaller F, or the iterations are used up.
    Stalled,
}

/// What a run may do.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Limits {
    pub iterations: u32,
    /// Relative size of F to stop at.
    pub target: f64,
    /// Least and largest damping.
    pub damping: [f64; 2],
    /// Most steps of a line search.
    pub trials: u32,
    /// Keep the impulses allowed on the way.
    pub allowed: bool,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Newton {
    unknowns: Unknowns,
    elimination: Elimination,
    cells: Vec<f64>,
    solution: Vec<f64>,
    row: Vec<f64>,
    base: Vec<f64>,
    product: Vec<f64>,
    u: Vec<f64>,
    trial: Vec<f64>,
    trial_u: Vec<f64>,
    best: Vec<f64>,
    /// Is `base` the answer of an elimination without interchanges, and nothing has shown yet that it is good?
    unchecked: bool,
    /// Iterations since the last reset.
    pub iterations: u32,
}

impl Newton {
    pub fn reserve(&mut self, n: usize) {
        self.unknowns.reserve(n);
        self.elimination.reserve(n);
        grow(&mut self.cells, n * n);
        grow(&mut self.solution, n);
        grow(&mut self.row, MOST_ROWS * (n + 4));
        for buffer in [
            &mut self.base,
            &mut self.product,
            &mut self.u,
            &mut self.trial,
            &mut self.trial_u,
            &mut self.best,
        ] {
            buffer.resize(n.max(buffer.len()), 0.0);
        }
    }

    /// Improves `r`; it is left at the smallest F met.
    pub fn run(&mut self, scaled: &Scaled, r: &mut [f64], limits: &Limits) -> (End, Size) {
        let n = scaled.n;
        let mut u = std::mem::take(&mut self.u);
        let mut trial = std::mem::take(&mut self.trial);
        let mut trial_u = std::mem::take(&mut self.trial_u);
        let mut best = std::mem::take(&mut self.best);
        scaled.velocities(r, &mut u[..n]);
        let mut size = measure(&scaled.contacts, r, &u[..n]);
        let mut best_size = size;
        best[..n].copy_from_slice(r);
        let mut history = [f64::INFINITY; MEMORY];
        let mut end = End::Stalled;
        for iteration in 0..=limits.iterations {
            if size.squares < best_size.squares {
                best_size = size;
                best[..n].copy_from_slice(r);
            }
            if size.relative() <= limits.target {
                end = End::Converged;
                break;
            }
            if iteration == limits.iterations {
                break;
            }
            self.iterations += 1;
            history[iteration as usize % MEMORY] = size.squares;
            let least = DAMPING * (size.squares / n as f64).sqrt() / size.impulse;
            let damping = least.clamp(limits.damping[0], limits.damping[1]);
            if !self.direction(scaled, r, &u[..n], damping) {
                break;
            }
            let worst_recent = history[..(iteration as usize + 1).min(MEMORY)]
                .iter()
                .fold(0.0, |m: f64, x| if *x > m { *x } else { m });
            let bound = if worst_recent < 4.0 * size.squares {
                worst_recent
            } else {
                4.0 * size.squares
            };
            let mut a = 1.0;
            let mut accepted = None;
            let mut smallest = (size.squares, 0.0);
            let mut trials = 0;
            while trials < limits.trials {
                for i in 0..n {
                    trial[i] = r[i] + a * self.base[i];
                }
                if limits.allowed {
                    scaled.shorten(&mut trial[..n]);
                }
                scaled.velocities(&trial[..n], &mut trial_u[..n]);
                let new = measure(&scaled.contacts, &trial[..n], &trial_u[..n]);
                if self.unchecked && new.squares > CLEAR_GAIN * size.squares {
                    self.unchecked = false;
                    if !self.is_good(scaled) {
                        if !self.full_direction(scaled, r, &u[..n], damping) {
                            break;
                        }
                        continue;
                    }
                }
                trials += 1;
                let keep = 1.0 - 0.2 * a;
                if new.squares <= keep * keep * bound {
                    accepted = Some(new);
                    break;
                }
                if new.squares < smallest.0 {
                    smallest = (new.squares, a);
                }
                a *= SHORTER;
            }
            if accepted.is_none() && smallest.1 > 0.0 {
                for i in 0..n {
                    trial[i] = r[i] + smallest.1 * self.base[i];
                }
                if limits.allowed {
                    scaled.shorten(&mut trial[..n]);
                }
                scaled.velocities(&trial[..n], &mut trial_u[..n]);
                let new = measure(&scaled.contacts, &trial[..n], &trial_u[..n]);
                r.copy_from_slice(&trial[..n]);
                if new.squares < best_size.squares {
                    best_size = new;
                    best[..n].copy_from_slice(r);
                }
            }
            let Some(new) = accepted else { break };
            r.copy_from_slice(&trial[..n]);
            std::mem::swap(&mut u, &mut trial_u);
            size = new;
        }
        r.copy_from_slice(&best[..n]);
        (self.u, self.trial, self.trial_u, self.best) = (u, trial, trial_u, best);
        (end, best_size)
    }

    /// `dr` into `base`; `false` if the system is singular.
    fn direction(&mut self, scaled: &Scaled, r: &[f64], u: &[f64], damping: f64) -> bool {
        if scaled.coupling.eliminates {
            let base = &mut self.base[..scaled.n];
            self.unknowns.collect(scaled, r, u, damping, base);
            if self.eliminate(scaled) {
                self.unchecked = true;
                return true;
            }
        }
        self.full_direction(scaled, r, u, damping)
    }

    /// The same with all zeros of `W` and interchanges of all rows.
    fn full_direction(&mut self, scaled: &Scaled, r: &[f64], u: &[f64], damping: f64) -> bool {
        self.unchecked = false;
        let base = &mut self.base[..scaled.n];
        self.unknowns.collect(scaled, r, u, damping, base);
        self.assemble(scaled);
        if !self.factorise() {
            return false;
        }
        self.unknowns
            .spread(&self.solution, &mut self.base[..scaled.n])
    }
}
