//! Contacts with exact friction cones.
//!
//! ```text
//! (1)  u = W r + b                                    per contact: one normal row, then its friction blocks
//! (2)  0 <= u_n,   0 <= r_n,   u_n r_n = 0
//! (3)  |r_b| <= mu_b r_n,   and where |u_b| > 0:   r_b = -mu_b r_n u_b / |u_b|      per block of one or two rows
//! ```
//!
//! `W` is often singular (redundant contacts) and may be slightly unsymmetric. A solve goes from cheap to thorough, and an
//! answer counts only when [`residual`] accepts it:
//!
//! 1. Newton's method from the guess (`newton`);
//! 2. some Gauss-Seidel sweeps (`sweep`), and Newton's method from there, several times;
//! 3. a softer problem, solved and stiffened step by step (`continuation`).
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions but the square root.

mod map;
mod newton;
mod residual;
mod scaled;
mod sweep;

pub use residual::residual;

use crate::lcp::scaling::larger;
use map::State;
use newton::{End, Limits, Newton};
use scaled::Scaled;

/// Largest residual of an accepted answer, see [`super::ACCEPTED_RESIDUAL`].
pub const ACCEPTED_RESIDUAL: f64 = 1e-10;

/// Most friction blocks of a contact: sliding, spinning, rolling.
pub const MOST_BLOCKS: usize = 3;

/// Rows with a common bound on the length of their impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// One row: friction in a plane, or torsional resistance.
    Line {
        /// Coefficient `mu_b`, 1 (or m, for a torque against a force).
        friction: f64,
    },
    /// Two rows: friction in space, or rolling resistance.
    Disc {
        /// Coefficient `mu_b`, 1 (or m, for a torque against a force).
        friction: f64,
    },
}

impl Block {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Line { .. } => 1,
            Self::Disc { .. } => 2,
        }
    }

    /// Coefficient `mu_b`, 1 (or m, for a torque against a force).
    #[must_use]
    pub fn friction(&self) -> f64 {
        match self {
            Self::Line { friction } | Self::Disc { friction } => *friction,
        }
    }
}

/// One normal row and the friction blocks that follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    blocks: [Block; MOST_BLOCKS],
    count: usize,
}

impl Contact {
    /// A contact with at most [`MOST_BLOCKS`] blocks; the others are left out.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        let mut contact = Self {
            blocks: [Block::Line { friction: 0.0 }; MOST_BLOCKS],
            count: blocks.len().min(MOST_BLOCKS),
        };
        contact.blocks[..contact.count].copy_from_slice(&blocks[..contact.count]);
        contact
    }

    /// The friction blocks, in the order of their rows.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    /// Number of rows, the normal's included.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 + self.blocks().iter().map(Block::rows).sum::<usize>()
    }
}

/// (1) to (3).
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Number of rows.
    pub n: usize,
    /// `W`, row by row, `n * n` numbers.
    pub matrix: &'a [f64],
    /// `b`, `n` numbers.
    pub vector: &'a [f64],
    /// The contacts, in the order of their rows.
    pub contacts: &'a [Contact],
}

impl Problem<'_> {
    fn is_well_formed(&self) -> bool {
        let sound = |block: &Block| block.friction().is_finite() && block.friction() >= 0.0;
        self.matrix.len() == self.n * self.n
            && self.vector.len() == self.n
            && self.contacts.iter().map(Contact::rows).sum::<usize>() == self.n
            && self.contacts.iter().all(|c| c.blocks().iter().all(sound))
            && super::all_finite(self.vector)
            && super::all_finite(self.matrix)
    }
}

/// What a friction block does in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// The contact is open.
    Open,
    /// The impulse is within its bound, the block does not move.
    Stick,
    /// The impulse is at its bound.
    Slip,
}

/// What a contact does in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Is the normal impulse positive, or both it and the normal velocity zero?
    pub closed: bool,
    /// Of each block; those that the contact does not have are open.
    pub blocks: [Friction; MOST_BLOCKS],
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// `r` is a solution.
    Solved {
        /// Iterations of Newton's method, over all attempts.
        iterations: u32,
        /// The judge's number, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// No attempt was accepted; there may be no solution (infinite: the input is not made of finite numbers, or its
    /// lengths do not match).
    Inaccurate {
        /// The judge's number for the best attempt, which is in `r`.
        residual: f64,
    },
}

/// The rung of the ladder that gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Newton's method from the first guess.
    Newton,
    /// Newton's method after sweeps.
    Sweeps,
    /// From soft to stiff.
    Continuation,
    /// None.
    Nothing,
}

/// What a [`Solver`] did since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Calls of [`Solver::solve`].
    pub solves: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Sweeps.
    pub sweeps: u64,
    /// Solves that needed more sweeps than the first ones.
    pub resweeps: u64,
    /// Solves that needed the continuation.
    pub continuations: u64,
    /// Div.
    pub diverging: u64,
    /// Starts that worked.
    pub by_start: [u64; 6],
    /// Solves without an accepted answer.
    pub failures: u64,
    /// Largest residual among the accepted answers.
    pub worst_residual: f64,
}

/// Scratch of the solves; it grows to the largest problem met and allocates nothing afterwards.
#[derive(Debug, Default)]
pub struct Solver {
    /// Counters, for the caller to read and reset.
    pub stats: Stats,
    /// Which rung gave the last answer.
    pub rung: Option<Rung>,
    scaled: Scaled,
    newton: Newton,
    r: Vec<f64>,
    best: Vec<f64>,
    anchor: Vec<f64>,
    diverging: bool,
    outer: Vec<f64>,
    statuses: Vec<Status>,
}

/// Relaxation of the sweeps; above 1 is faster for small friction only.
const RELAXATION: f64 = 1.3;

/// First sweeps, cold.
const FIRST_SWEEPS: u32 = 10;

const PLAIN: Limits = Limits {
    iterations: 40,
    target: newton::ROUNDING,
    damping: [1e-12, 1e-4],
    trials: 6,
    allowed: true,
};

impl Solver {
    /// Scratch for problems of up to `n` rows.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        let mut solver = Self::default();
        solver.reserve(n);
        solver
    }

    fn reserve(&mut self, n: usize) {
        self.scaled.reserve(n);
        self.newton.reserve(n);
        for buffer in [&mut self.r, &mut self.best, &mut self.anchor, &mut self.outer] {
            buffer.resize(n.max(buffer.len()), 0.0);
        }
        super::basis::grow(&mut self.statuses, n);
    }

    /// Forgets the counters.
    pub fn reset_stats(&mut self) {
        self.stats = Stats::default();
    }

    /// What the contacts do in the answer of the last solve.
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// Solves (1) to (3). `r`, in: the guess (all zero: none), out: the answer, or the best attempt.
    pub fn solve(&mut self, problem: &Problem, r: &mut [f64]) -> Outcome {
        self.stats.solves += 1;
        self.rung = None;
        self.statuses.clear();
        if !problem.is_well_formed() || r.len() != problem.n {
            self.stats.failures += 1;
            r.fill(0.0);
            return Outcome::Inaccurate {
                residual: f64::INFINITY,
            };
        }
        self.reserve(problem.n);
        if !self.scaled.set(problem) {
            r.fill(0.0);
            return self.finish(problem, r, 0.0);
        }
        let n = problem.n;
        let warm = r.iter().any(|x| *x != 0.0) && super::all_finite(r);
        let mut x = std::mem::take(&mut self.r);
        let residual = self.climb(problem, &mut x[..n], warm, r);
        self.r = x;
        self.stats.iterations += u64::from(self.newton.iterations);
        self.finish(problem, r, residual)
    }

    /// The rungs, one after the other; `answer` receives the best attempt, whose residual is returned.
    fn climb(&mut self, problem: &Problem, x: &mut [f64], warm: bool, answer: &mut [f64]) -> f64 {
        self.newton.iterations = 0;
        let mut best = f64::INFINITY;
        if warm {
            self.scaled.enter(answer, x);
            self.scaled.shorten(x);
        } else {
            x.fill(0.0);
            self.sweep(x, FIRST_SWEEPS);
        }
        self.attempt(problem, x, &PLAIN, answer, &mut best);
        self.rung = Some(Rung::Newton);
        if best <= ACCEPTED_RESIDUAL {
            return best;
        }
        self.rung = Some(Rung::Sweeps);
        self.stats.resweeps += 1;
        let mut sweeps = 10;
        for _ in 0..6 {
            self.sweep(x, sweeps);
            self.attempt(problem, x, &PLAIN, answer, &mut best);
            if best <= ACCEPTED_RESIDUAL {
                return best;
            }
            sweeps = sweeps * 3 / 2;
        }
        self.rung = Some(Rung::Continuation);
        self.stats.continuations += 1;
        for start in 0..6 {
            match start {
                0 => x.fill(0.0),
                1 => self.scaled.enter(answer, x),
                2 => {
                    x.fill(0.0);
                    for _ in 0..100 {
                        sweep::sweep(&self.scaled, x, 0.8);
                    }
                }
                k => {
                    let factor = [0.1, 0.5, 2.0][k - 3];
                    self.scaled.enter(answer, x);
                    x.iter_mut().for_each(|x| *x *= factor);
                }
            }
            if self.continuation(problem, x, answer, &mut best) {
                self.stats.by_start[start] += 1;
                return best;
            }
            if self.diverging { self.stats.diverging += 1; break; }
        }
        self.rung = Some(Rung::Nothing);
        best
    }

    fn sweep(&mut self, x: &mut [f64], count: u32) {
        let relaxation = RELAXATION;
        self.stats.sweeps += u64::from(count);
        for _ in 0..count {
            sweep::sweep(&self.scaled, x, relaxation);
        }
    }

    /// From `x`, which is where the proximal term is zero.
    fn continuation(&mut self, problem: &Problem, x: &mut [f64], answer: &mut [f64], best: &mut f64) -> bool {
        let n = x.len();
        let mut good = std::mem::take(&mut self.best);
        let mut anchor = std::mem::take(&mut self.anchor);
        good[..n].copy_from_slice(x);
        anchor[..n].copy_from_slice(x);
        let debug = std::env::var("DEBUG").is_ok();
        let (mut prox, mut last) = (1.0, 10.0);
        let mut factor: f64 = 0.1;
        let start = self.newton.iterations;
        let mut first_growth = 0.0;
        self.diverging = false;
        while prox > 1e-13 && self.newton.iterations - start < 1000 {
            self.scaled.prox = prox;
            self.scaled.set_boost(1.0 / prox);
            self.scaled.reference.copy_from_slice(&anchor[..n]);
            let before = self.newton.iterations;
            let limits = Limits {
                iterations: 60,
                target: larger(1e-9, 1e-14 / prox),
                damping: [1e-15, 1e-15],
                trials: 10,
                allowed: false,
            };
            let (end, size) = self.newton.run(&self.scaled, x, &limits);
            let used = self.newton.iterations - before;
            if debug {
                eprintln!("    prox {prox:.1e} {end:?} it {} F {:.1e} r {:.1e}", used, size.largest, size.impulse);
            }
            match end {
                End::Converged => {
                    good[..n].copy_from_slice(x);
                    last = prox;
                    let growth = prox * size.impulse;
                    if prox < 1e-5 && first_growth == 0.0 {
                        first_growth = growth;
                    }
                    if prox < 1e-10 {
                        self.diverging = growth > 0.3 * first_growth;
                        if self.diverging {
                            break;
                        }
                    }
                    if prox < 1e-5 && self.polish(problem, x, answer, best) {
                        break;
                    }
                    x.copy_from_slice(&good[..n]);
                    factor = if used <= 6 {
                        larger(factor * factor, 0.03)
                    } else if used > 20 && factor < 0.3 {
                        factor.sqrt()
                    } else {
                        factor
                    };
                }
                End::Stalled => {
                    x.copy_from_slice(&good[..n]);
                    factor = factor.sqrt();
                    if factor > 0.9 {
                        break;
                    }
                }
            }
            prox = last * factor;
        }
        (self.best, self.anchor) = (good, anchor);
        self.scaled.reference.fill(0.0);
        self.scaled.set_boost(1.0);
        self.scaled.prox = 0.0;
        if *best > ACCEPTED_RESIDUAL {
            self.attempt(problem, x, &PLAIN, answer, best);
        }
        if debug && *best > ACCEPTED_RESIDUAL {
            eprintln!("failed {best:e}");
        }
        *best <= ACCEPTED_RESIDUAL
    }

    /// Proximal steps from the solution of a softened problem.
    fn polish(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
        best: &mut f64,
    ) -> bool {
        self.scaled.set_boost(1.0);
        for _ in 0..4 {
            self.scaled.reference.copy_from_slice(x);
            let limits = Limits {
                iterations: 10,
                target: 1e-15,
                damping: [1e-15, 1e-15],
                trials: 6,
                allowed: false,
            };
            self.newton.run(&self.scaled, x, &limits);
            self.judge(problem, x, answer, best);
            if *best <= ACCEPTED_RESIDUAL {
                break;
            }
        }
        *best <= ACCEPTED_RESIDUAL
    }

    /// Newton's method from `x`, and the judge.
    fn attempt(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        limits: &Limits,
        answer: &mut [f64],
        best: &mut f64,
    ) -> End {
        let (end, _) = self.newton.run(&self.scaled, x, limits);
        self.judge(problem, x, answer, best);
        end
    }

    /// Keeps `x` as the answer if it is better than the best one.
    fn judge(&mut self, problem: &Problem, x: &[f64], answer: &mut [f64], best: &mut f64) {
        let n = problem.n;
        self.scaled.leave(x, &mut self.outer[..n]);
        let judged = residual(problem, &self.outer[..n]);
        if judged < *best {
            *best = judged;
            answer.copy_from_slice(&self.outer[..n]);
        }
    }

    fn finish(&mut self, problem: &Problem, r: &[f64], residual: f64) -> Outcome {
        self.write_statuses(problem, r);
        if residual <= ACCEPTED_RESIDUAL {
            self.stats.worst_residual = larger(self.stats.worst_residual, residual);
            Outcome::Solved {
                iterations: self.newton.iterations,
                residual,
            }
        } else {
            self.stats.failures += 1;
            Outcome::Inaccurate { residual }
        }
    }

    fn write_statuses(&mut self, problem: &Problem, r: &[f64]) {
        let n = problem.n;
        let (x, u) = (&mut self.best[..n], &mut self.outer[..n]);
        self.scaled.enter(r, x);
        self.scaled.velocities(x, u);
        for contact in &self.scaled.contacts {
            let y_n = x[contact.normal] - contact.rho * u[contact.normal];
            let mut status = Status {
                closed: y_n > 0.0,
                blocks: [Friction::Open; MOST_BLOCKS],
            };
            if status.closed {
                for (own, block) in status.blocks.iter_mut().zip(contact.blocks()) {
                    *own = match map::state(block, y_n, map::aim(block, x, u)) {
                        State::Open => Friction::Open,
                        State::Stick => Friction::Stick,
                        State::Slip { .. } => Friction::Slip,
                    };
                }
            }
            self.statuses.push(status);
        }
    }
}
