//! Frictional contact with exact Coulomb cones and a dense Delassus matrix `W`.
//!
//! ```text
//! (1)  u = W r + b                                    per contact: one normal row, then its friction blocks
//! (2)  0 <= u_n,   0 <= r_n,   u_n r_n = 0
//! (3)  |r_b| <= mu_b r_n,   and where |u_b| > 0:   r_b = -mu_b r_n u_b / |u_b|      per block of one or two rows
//! ```
//!
//! `W` is often singular (redundant contacts) and may be slightly unsymmetric. The stages of a solve go from cheap to
//! robust, and a candidate is accepted only if its [`residual`] is small enough:
//!
//! 1. semismooth Newton from the warm start (`newton`);
//! 2. Gauss-Seidel sweeps (`sweep`), then Newton's method, several times;
//! 3. regularization continuation from several starts (`continuation`);
//! 4. stages 1 and 3 from the solution with friction pyramids (`pyramid`).
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions except the square root.

mod continuation;
mod coupling;
mod elimination;
pub(in crate::contact) mod map;
pub(super) mod newton;
mod pyramid;
mod residual;
pub(in crate::contact) mod scaled;
mod sweep;

pub use residual::residual;

use crate::math::larger;
use continuation::ContinuationEnd;
use map::State;
use newton::{Limits, Newton};
use pyramid::Pyramids;
use scaled::{Loaded, Scaled};
use sweep::Sweeps;

/// Largest residual of an accepted answer, see [`super::lcp::ACCEPTED_RESIDUAL`].
pub const ACCEPTED_RESIDUAL: f64 = 1e-10;

/// Maximum number of friction blocks of a contact: sliding, spinning, rolling.
pub const MAX_BLOCKS: usize = 3;

/// Rows with a common bound on the norm of their impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// One row: friction in a plane, or torsional resistance.
    Line {
        /// Coefficient `mu_b`, dimensionless (m for a torque).
        friction: f64,
    },
    /// Two rows: friction in space, or rolling resistance.
    Disc {
        /// Coefficient `mu_b`, dimensionless (m for a torque).
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

    /// Coefficient `mu_b`, dimensionless (m for a torque).
    #[must_use]
    pub fn friction(&self) -> f64 {
        match self {
            Self::Line { friction } | Self::Disc { friction } => *friction,
        }
    }
}

/// One normal row, then the rows of its friction blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    blocks: [Block; MAX_BLOCKS],
    count: usize,
}

impl Contact {
    /// A contact with at most [`MAX_BLOCKS`] blocks; further ones are ignored.
    #[must_use]
    pub fn new(blocks: &[Block]) -> Self {
        let mut contact = Self {
            blocks: [Block::Line { friction: 0.0 }; MAX_BLOCKS],
            count: blocks.len().min(MAX_BLOCKS),
        };
        contact.blocks[..contact.count].copy_from_slice(&blocks[..contact.count]);
        contact
    }

    /// The friction blocks, in the order of their rows.
    #[must_use]
    #[inline]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    /// Number of rows, including the normal row.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 + self.blocks().iter().map(Block::rows).sum::<usize>()
    }
}

/// The problem (1) to (3).
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
    /// Checks everything except the entries of the matrix.
    fn is_well_formed(&self) -> bool {
        let sound = |block: &Block| block.friction().is_finite() && block.friction() >= 0.0;
        self.matrix.len() == self.n * self.n
            && self.vector.len() == self.n
            && self.contacts.iter().map(Contact::rows).sum::<usize>() == self.n
            && self.contacts.iter().all(|c| c.blocks().iter().all(sound))
            && crate::contact::lcp::all_finite(self.vector)
    }
}

/// State of a friction block in the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// The contact is open.
    Open,
    /// The impulse is within its bound, the slip velocity is zero.
    Stick,
    /// The impulse is at its bound.
    Slip,
}

/// State of a contact in the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Is the normal impulse positive, or both it and the normal velocity zero?
    pub closed: bool,
    /// State of each block; missing blocks are open.
    pub blocks: [Friction; MAX_BLOCKS],
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// `r` is a solution.
    Solved {
        /// Iterations of Newton's method, over all stages.
        iterations: u32,
        /// Residual, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// No candidate was accepted; there may be no solution. The residual is infinite if the input is not finite or its
    /// lengths do not match.
    Inaccurate {
        /// Residual of the best candidate, which is in `r`.
        residual: f64,
    },
    /// The impulses grow without bound during the continuation: most likely there is no solution.
    Unbounded {
        /// Residual of the best candidate, which is in `r`.
        residual: f64,
    },
}

/// The stage that gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `b` is zero, and so is the solution.
    Zero,
    /// Newton's method from the warm start.
    Newton,
    /// Newton's method after Gauss-Seidel sweeps.
    Sweeps,
    /// Regularization continuation.
    Continuation,
    /// The same from the solution with friction pyramids.
    Pyramids,
}

/// Counters of a [`Solver`] since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Calls of [`Solver::solve`].
    pub solves: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Sweeps over all contacts.
    pub sweeps: u64,
    /// Solves in which the first run of Newton's method failed.
    pub retries: u64,
    /// Solves that used the continuation.
    pub continuations: u64,
    /// Solves that ended with [`Outcome::Unbounded`].
    pub unbounded: u64,
    /// Solves that ended with [`Outcome::Inaccurate`].
    pub failures: u64,
    /// Largest residual among the accepted answers.
    pub worst_residual: f64,
}

/// Scratch of the solves; grows to the largest problem met and allocates nothing afterwards.
#[derive(Debug, Default)]
pub struct Solver {
    /// Counters, for the caller to read and reset.
    pub stats: Stats,
    stage: Option<Stage>,
    scaled: Scaled,
    newton: Newton,
    pyramids: Pyramids,
    sweeps: Sweeps,
    x: Vec<f64>,
    good: Vec<f64>,
    reference: Vec<f64>,
    outer: Vec<f64>,
    statuses: Vec<Status>,
}

/// Over-relaxation of the sweeps, which saves some for moderate friction; without it for `mu > 1`, where it may not
/// converge.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// Smallest number of sweeps before the first run of Newton's method, without a warm start.
const FIRST_SWEEPS: u32 = 10;

/// Sweeps per contact before it with sparse coupling: they are cheap then, and impulses propagate farther.
const SWEEPS_PER_CONTACT: f64 = 0.3;

/// Sweeps before the later runs; more of them do not help.
const MORE_SWEEPS: [u32; 4] = [10, 15, 25, 40];

/// Newton's method on the problem itself.
const PLAIN_NEWTON: Limits = Limits {
    iterations: 40,
    // the rounding errors of 100 rows
    target: 1e-14,
    damping: [1e-12, 1e-4],
    trials: 6,
    allowed: true,
};

/// Starts of the continuation: factor of the best candidate, and number of under-relaxed sweeps from there.
const STARTS: [(f64, u32); 5] = [(0.0, 0), (1.0, 0), (0.0, 100), (2.0, 0), (0.3, 0)];

/// Relaxation of these sweeps.
const UNDER_RELAXATION: f64 = 0.8;

/// Starts from pyramids: two pyramids, two covering vectors of Lemke's method.
const PYRAMIDS: u32 = 4;

impl Solver {
    /// Allocates scratch for problems of up to `n` rows.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        let mut solver = Self::default();
        solver.reserve(n);
        solver
    }

    fn reserve(&mut self, n: usize) {
        self.scaled.reserve(n);
        self.newton.reserve(n);
        self.pyramids.reserve(n);
        self.sweeps.reserve(n);
        for buffer in [
            &mut self.x,
            &mut self.good,
            &mut self.reference,
            &mut self.outer,
        ] {
            buffer.resize(n.max(buffer.len()), 0.0);
        }
        crate::contact::lcp::basis::grow(&mut self.statuses, n);
    }

    /// Resets the counters.
    pub fn reset_stats(&mut self) {
        self.stats = Stats::default();
    }

    /// Status of the contacts after the last solve.
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// Solves (1) to (3). `r`: in, the warm start (zero: none); out, the solution or best candidate.
    pub fn solve(&mut self, problem: &Problem, r: &mut [f64]) -> Outcome {
        self.stats.solves += 1;
        self.stage = None;
        self.statuses.clear();
        if !problem.is_well_formed() || r.len() != problem.n {
            return self.reject(r);
        }
        if problem.n == 0 {
            return Outcome::Solved {
                iterations: 0,
                residual: 0.0,
            };
        }
        self.reserve(problem.n);
        self.newton.iterations = 0;
        match self.scaled.set(problem) {
            Loaded::Fine => {}
            Loaded::NotFinite => return self.reject(r),
            Loaded::Zero => {
                r.fill(0.0);
                self.stage = Some(Stage::Zero);
                return self.finish(problem, r, 0.0, ContinuationEnd::Solved);
            }
        }
        let mut x = std::mem::take(&mut self.x);
        let (residual, path) = self.run_stages(problem, &mut x[..problem.n], r);
        self.x = x;
        self.finish(problem, r, residual, path)
    }

    /// Rejects invalid input.
    fn reject(&mut self, r: &mut [f64]) -> Outcome {
        self.stats.failures += 1;
        r.fill(0.0);
        Outcome::Inaccurate {
            residual: f64::INFINITY,
        }
    }

    /// The stage that gave the last answer, if one was accepted.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.stage
    }

    /// Runs the stages in order; `answer` receives the best candidate, whose residual is returned.
    fn run_stages(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
    ) -> (f64, ContinuationEnd) {
        let mut best = f64::INFINITY;
        let relaxation = self.relaxation();
        if answer.iter().any(|r| *r != 0.0) && crate::contact::lcp::all_finite(answer) {
            self.scaled.scale_impulses(answer, x);
            self.scaled.clamp_to_cones(x);
        } else {
            x.fill(0.0);
            self.sweep(x, self.first_sweeps(), relaxation);
        }
        if self.run_newton(problem, x, answer, &mut best) {
            return self.accept(Stage::Newton, best);
        }
        self.stats.retries += 1;
        for sweeps in MORE_SWEEPS {
            self.sweep(x, sweeps, relaxation);
            if self.run_newton(problem, x, answer, &mut best) {
                return self.accept(Stage::Sweeps, best);
            }
        }
        self.stats.continuations += 1;
        for (factor, sweeps) in STARTS {
            self.scaled.scale_impulses(answer, x);
            x.iter_mut().for_each(|x| *x *= factor);
            self.sweep(x, sweeps, UNDER_RELAXATION);
            match self.run_continuation(problem, x, answer, &mut best) {
                ContinuationEnd::Solved => return self.accept(Stage::Continuation, best),
                ContinuationEnd::Unbounded => return (best, ContinuationEnd::Unbounded),
                ContinuationEnd::Failed => {}
            }
            if self.run_newton(problem, x, answer, &mut best) {
                return self.accept(Stage::Continuation, best);
            }
        }
        for start in 0..PYRAMIDS {
            if !self.pyramids.start(&self.scaled, start, x) {
                continue;
            }
            self.good[..x.len()].copy_from_slice(x);
            if self.run_newton(problem, x, answer, &mut best) {
                return self.accept(Stage::Pyramids, best);
            }
            x.copy_from_slice(&self.good[..x.len()]);
            match self.run_continuation(problem, x, answer, &mut best) {
                ContinuationEnd::Solved => return self.accept(Stage::Pyramids, best),
                ContinuationEnd::Unbounded | ContinuationEnd::Failed => {}
            }
        }
        (best, ContinuationEnd::Failed)
    }

    fn accept(&mut self, stage: Stage, residual: f64) -> (f64, ContinuationEnd) {
        self.stage = Some(stage);
        (residual, ContinuationEnd::Solved)
    }

    fn sweep(&mut self, x: &mut [f64], count: u32, relaxation: f64) {
        self.stats.sweeps += u64::from(count);
        self.sweeps.run(&self.scaled, x, count, relaxation);
    }

    fn first_sweeps(&self) -> u32 {
        if self.scaled.coupling.eliminates {
            let sweeps = SWEEPS_PER_CONTACT * self.scaled.contacts.len() as f64;
            FIRST_SWEEPS.max(sweeps as u32)
        } else {
            FIRST_SWEEPS
        }
    }

    fn relaxation(&self) -> f64 {
        let blocks = self.scaled.contacts.iter().flat_map(|c| c.blocks());
        let friction = blocks.fold(0.0, |m, b| larger(m, b.friction));
        RELAXATIONS[usize::from(friction > 1.0)]
    }

    /// Newton's method from `x`. Returns whether the answer is accepted.
    fn run_newton(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        answer: &mut [f64],
        best: &mut f64,
    ) -> bool {
        self.newton.run(&self.scaled, x, &PLAIN_NEWTON);
        self.check(problem, x, answer, best);
        *best <= ACCEPTED_RESIDUAL
    }

    /// Keeps `x` as the answer if it is better than the best candidate.
    fn check(&mut self, problem: &Problem, x: &[f64], answer: &mut [f64], best: &mut f64) {
        let n = problem.n;
        self.scaled.unscale_impulses(x, &mut self.outer[..n]);
        let checked = residual(problem, &self.outer[..n]);
        if checked < *best {
            *best = checked;
            answer.copy_from_slice(&self.outer[..n]);
        }
    }

    fn finish(
        &mut self,
        problem: &Problem,
        r: &[f64],
        residual: f64,
        path: ContinuationEnd,
    ) -> Outcome {
        self.stats.iterations += u64::from(self.newton.iterations);
        self.write_statuses(problem, r);
        match path {
            ContinuationEnd::Solved => {
                self.stats.worst_residual = larger(self.stats.worst_residual, residual);
                Outcome::Solved {
                    iterations: self.newton.iterations,
                    residual,
                }
            }
            ContinuationEnd::Unbounded => {
                self.stats.unbounded += 1;
                Outcome::Unbounded { residual }
            }
            ContinuationEnd::Failed => {
                self.stats.failures += 1;
                Outcome::Inaccurate { residual }
            }
        }
    }

    fn write_statuses(&mut self, problem: &Problem, r: &[f64]) {
        let n = problem.n;
        let (x, u) = (&mut self.good[..n], &mut self.outer[..n]);
        self.scaled.scale_impulses(r, x);
        self.scaled.velocities(x, u);
        for contact in &self.scaled.contacts {
            let y_n = x[contact.normal] - contact.rho * u[contact.normal];
            let mut status = Status {
                closed: y_n > 0.0,
                blocks: [Friction::Open; MAX_BLOCKS],
            };
            if status.closed {
                for (own, block) in status.blocks.iter_mut().zip(contact.blocks()) {
                    *own = match map::state(block, y_n, map::augmented_impulse(block, x, u)) {
                        State::Stick => Friction::Stick,
                        State::Slip { .. } => Friction::Slip,
                    };
                }
            }
            self.statuses.push(status);
        }
    }
}
