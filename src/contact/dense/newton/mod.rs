//! Semismooth Newton method on the Alart-Curnier map, with a line search.
//!
//! The unknowns are the free impulses of the active set: `x_n` per closed contact (sliding blocks are proportional to it,
//! along `n + sum mu d`), the rows of sticking blocks, and `x_p` perpendicular to the slip direction `d` of a block of
//! two rows.
//!
//! ```text
//! (1)  r + dr = base + E x:   open 0,   slip  r_b + dr_b = mu d (r_n + dr_n) + p x_p + p (p.r_b)
//! (2)  normal and stick rows:  (W dr)_i + e x_i = -u_i
//! (3)  perpendicular rows:     s (W dr)_p + ((1 - s) / rho + s e) x_p = -p.r_b / rho,    s = mu y_n / |y_b|
//! (4)  e = (prox + damping) / rho      the damping regularizes redundant contacts and vanishes at the solution
//! (5)  r <- P(r + a dr):  accept if  |F|^2 <= (1 - a/5)^2 min(max of the last 4, 4 |F_now|^2)     P: onto the cones
//! ```

mod full;
mod sparse;
mod unknowns;

use super::elimination::{Elimination, MAX_ROWS};
use super::map::{Size, measure};
use super::scaled::Scaled;
use crate::contact::lcp::basis::grow;
use unknowns::Unknowns;

/// Length of the history in the nonmonotone line search (5).
const MEMORY: usize = 4;

/// Backtracking factor of the line search.
const SHORTER: f64 = 0.4;

/// Damping of (4), relative to the norm of F.
const DAMPING: f64 = 1e-2;

/// A step that reduces the squares of F to this fraction confirms its direction.
const CLEAR_GAIN: f64 = 1e-2;

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) enum End {
    /// The target was reached.
    Converged,
    /// The line search failed, or the iteration limit was reached.
    Stalled,
}

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Limits {
    pub iterations: u32,
    /// Relative norm of F to stop at.
    pub target: f64,
    /// Smallest and largest damping.
    pub damping: [f64; 2],
    /// Maximum number of line search steps.
    pub trials: u32,
    /// Project the iterates onto the cones.
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
    /// `base` comes from the sparse elimination with restricted pivoting and has not been checked yet.
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
        grow(&mut self.row, MAX_ROWS * (n + 4));
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

    /// Improves `r`, which ends at the iterate with the smallest F.
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
                    scaled.clamp_to_cones(&mut trial[..n]);
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
                    scaled.clamp_to_cones(&mut trial[..n]);
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

    /// Computes `dr` into `base`. Returns `false` if the system is singular.
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

    /// The same by dense elimination with partial pivoting.
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
