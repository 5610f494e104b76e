//! Linear complementarity problems.
//!
//! ```text
//! (1)  w = A z + b,   0 <= w,   0 <= z,   w_i z_i = 0
//! ```
//!
//! Frictional contact yields a copositive `A`, often singular (redundant contacts) and slightly unsymmetric. A solve
//! goes from cheap to thorough, and an answer counts only when [`residual`] accepts it:
//!
//! 1. the guessed basis, one linear solve (`basis`);
//! 2. `z = 0`, if `b >= 0` but for rounding;
//! 3. Lemke's method with lexicographic ties (`lemke`), and 1 on its final basis unless its answer is as good as the
//!    arithmetic allows;
//! 4. the same with other pivot tolerances and other covering vectors.
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions but the square root.

pub(super) mod basis;
pub(super) mod lemke;
mod residual;

pub use residual::residual;

use crate::contact::scaling::{Scaling, larger};
use basis::BasisSolver;
use lemke::{End, Tableau};

/// Largest residual of an accepted answer. Rounding alone makes `n` machine epsilons, 2e-13 at 1000 unknowns; a wrong
/// basis shows up at the relative size of the quantity it ignores, and what is below 1e-10 is no longer mechanics.
pub const ACCEPTED_RESIDUAL: f64 = 1e-10;

/// A solution with this residual is as good as the arithmetic allows.
const ROUNDING: f64 = 1e-14;

/// Pivots that the columns of a basis need to count as independent (matrix scaled to unit diagonal): exact duplicates
/// leave some machine epsilons, near duplicates at a relative distance `d` leave `d * d`. Tried in this order.
const RANK_TOLERANCES: [f64; 4] = [1e-13, 1e-15, 1e-10, 1e-7];

/// Entries this much smaller than the largest of their column are taken for zero by Lemke's method. The first one leaves
/// the fewest retries; a true pivot of near duplicates may be smaller, a rounding error larger, hence the others.
pub(in crate::contact) const SMALLEST_PIVOTS: [f64; 4] = [1e-10, 1e-9, 1e-7, 1e-13];

/// Covering vectors, each tried with all of the above: 20 000 random problems with near duplicates needed two of them,
/// 300 000 needed all.
const COVERINGS: u32 = 6;

/// `w = A z + b`, `0 <= w | z >= 0`.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Number of unknowns.
    pub n: usize,
    /// `A`, row by row, `n * n` numbers.
    pub matrix: &'a [f64],
    /// `b`, `n` numbers.
    pub vector: &'a [f64],
}

impl Problem<'_> {
    fn is_well_formed(&self) -> bool {
        self.matrix.len() == self.n * self.n
            && self.vector.len() == self.n
            && all_finite(self.vector)
            && all_finite(self.matrix)
    }
}

/// Zero times a number that is not finite is not zero; eight sums side by side, so that the compiler can use vector registers.
pub(in crate::contact) fn all_finite(numbers: &[f64]) -> bool {
    let (blocks, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for block in blocks {
        for lane in 0..8 {
            sums[lane] += block[lane] * 0.0;
        }
    }
    sums == [0.0; 8] && rest.iter().all(|x| x.is_finite())
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// `z` is a solution.
    Solved {
        /// Pivots of Lemke's method, over all attempts; 0 for a warm hit.
        pivots: u32,
        /// The judge's number, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// Every attempt ended on a ray: for a copositive matrix, the problem has no solution.
    Ray,
    /// No attempt reached a complementary basis.
    PivotLimit,
    /// A complementary basis was reached but the judge rejects it (infinite: the input is not made of finite numbers,
    /// or its lengths do not match).
    Inaccurate {
        /// The judge's number for the best attempt, which is in `z`.
        residual: f64,
    },
}

/// What a [`Solver`] did since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Calls of [`Solver::solve`].
    pub solves: u64,
    /// Solves answered by the guessed basis.
    pub warm_hits: u64,
    /// Pivots of Lemke's method.
    pub pivots: u64,
    /// Attempts of Lemke's method beyond the first.
    pub retries: u64,
    /// Most attempts of Lemke's method in one solve.
    pub most_attempts: u32,
    /// Largest residual among the accepted answers.
    pub worst_residual: f64,
    /// Unknowns of the largest problem.
    pub largest: usize,
}

impl Stats {
    /// Those of two solvers together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            solves: self.solves + other.solves,
            warm_hits: self.warm_hits + other.warm_hits,
            pivots: self.pivots + other.pivots,
            retries: self.retries + other.retries,
            most_attempts: self.most_attempts.max(other.most_attempts),
            worst_residual: larger(self.worst_residual, other.worst_residual),
            largest: self.largest.max(other.largest),
        }
    }
}

/// Scratch of the solves; it grows to the largest problem met and allocates nothing afterwards.
#[derive(Debug, Default)]
pub struct Solver {
    /// Counters, for the caller to read and reset.
    pub stats: Stats,
    scaling: Scaling,
    tableau: Tableau,
    on_basis: BasisSolver,
    basis: Vec<bool>,
    trial: Vec<f64>,
}

impl Solver {
    /// Scratch for problems of up to `n` unknowns.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        let mut solver = Self::default();
        solver.reserve(n);
        solver
    }

    /// Solves (1). `basis[i]`: `z_i` may be positive and `w_i` is zero; in: the guess (all `false`: none), out: the
    /// basis of the answer. `z` receives the answer, or the best attempt.
    pub fn solve(&mut self, problem: &Problem, basis: &mut [bool], z: &mut [f64]) -> Outcome {
        self.stats.solves += 1;
        self.stats.largest = self.stats.largest.max(problem.n);
        z.fill(0.0);
        if !problem.is_well_formed() || basis.len() != problem.n || z.len() != problem.n {
            return Outcome::Inaccurate {
                residual: f64::INFINITY,
            };
        }
        self.prepare(problem);
        // a guess that holds goes first: among several solutions it is the one that continues what was
        if basis.contains(&true)
            && let Some(residual) = self.solve_on(problem, basis, z)
        {
            self.stats.warm_hits += 1;
            return self.solved(0, residual);
        }
        basis.fill(false);
        z.fill(0.0);
        if self.is_almost_positive(problem.vector) {
            let judged = residual(problem, z);
            if judged <= ROUNDING {
                return self.solved(0, judged);
            }
        }
        self.pivot_until_accepted(problem, basis, z)
    }

    /// One linear solve on `basis`: the residual if that is a solution. `z` is written in either case.
    pub fn try_basis(&mut self, problem: &Problem, basis: &[bool], z: &mut [f64]) -> Option<f64> {
        if !problem.is_well_formed() || basis.len() != problem.n || z.len() != problem.n {
            return None;
        }
        self.prepare(problem);
        self.solve_on(problem, basis, z)
    }

    /// Forgets the counters.
    pub fn reset_stats(&mut self) {
        self.stats = Stats::default();
    }

    fn prepare(&mut self, problem: &Problem) {
        self.reserve(problem.n);
        self.scaling.set(problem);
    }

    fn reserve(&mut self, n: usize) {
        self.scaling.reserve(n);
        self.tableau.reserve(n);
        self.on_basis.reserve(n);
        self.basis.resize(n, false);
        self.trial.resize(n, 0.0);
    }

    /// Is there a chance that `z = 0` will do? Cheaper than asking the judge, whose scales are similar.
    fn is_almost_positive(&self, vector: &[f64]) -> bool {
        let least = -100.0 * ROUNDING * self.scaling.size(vector);
        let scaled = vector.iter().zip(&self.scaling.row).map(|(b, r)| b * r);
        scaled.fold(true, |all, b| all & (b >= least))
    }

    fn solved(&mut self, pivots: u32, residual: f64) -> Outcome {
        self.stats.worst_residual = larger(self.stats.worst_residual, residual);
        Outcome::Solved { pivots, residual }
    }

    /// Stage 1: one linear solve, or more if it depends on what counts as independent.
    fn solve_on(&mut self, problem: &Problem, basis: &[bool], z: &mut [f64]) -> Option<f64> {
        let mut same_rank = 0.0..0.0;
        for rank_tolerance in RANK_TOLERANCES {
            if same_rank.contains(&rank_tolerance) {
                continue;
            }
            same_rank = self
                .on_basis
                .solve(problem, &self.scaling, basis, rank_tolerance, z);
            let judged = residual(problem, z);
            if judged <= ACCEPTED_RESIDUAL {
                return Some(judged);
            }
        }
        None
    }

    /// Stages 3 and 4; `basis` and `z` are empty.
    fn pivot_until_accepted(
        &mut self,
        problem: &Problem,
        basis: &mut [bool],
        z: &mut [f64],
    ) -> Outcome {
        let mut best = f64::INFINITY;
        let mut pivots = 0;
        let mut failure = Outcome::Ray;
        let (mut trial_basis, mut trial) = (
            std::mem::take(&mut self.basis),
            std::mem::take(&mut self.trial),
        );
        let attempts =
            (0..COVERINGS).flat_map(|covering| SMALLEST_PIVOTS.map(|pivot| (covering, pivot)));
        for (attempt, (covering, smallest_pivot)) in attempts.enumerate() {
            self.stats.retries += u64::from(attempt > 0);
            self.stats.most_attempts = self.stats.most_attempts.max(attempt as u32 + 1);
            self.tableau.load(problem, &self.scaling, covering);
            let end = self.tableau.run(smallest_pivot);
            pivots += self.tableau.pivots;
            self.stats.pivots += u64::from(self.tableau.pivots);
            match end {
                End::Complementary => failure = Outcome::Inaccurate { residual: best },
                End::PivotLimit if failure == Outcome::Ray => failure = Outcome::PivotLimit,
                End::PivotLimit | End::Ray => {}
            }
            // also after a ray: the artificial variable may be zero but for rounding
            self.tableau.write_basis(&mut trial_basis);
            self.tableau.write_solution(&self.scaling, &mut trial);
            let mut judged = residual(problem, &trial);
            if judged > ROUNDING {
                judged = self
                    .solve_on(problem, &trial_basis, &mut trial)
                    .unwrap_or_else(|| {
                        self.tableau.write_solution(&self.scaling, &mut trial);
                        judged
                    });
            }
            if judged < best {
                best = judged;
                basis.copy_from_slice(&trial_basis);
                z.copy_from_slice(&trial);
            }
            if best <= ACCEPTED_RESIDUAL {
                break;
            }
        }
        (self.basis, self.trial) = (trial_basis, trial);
        if best > ACCEPTED_RESIDUAL {
            // no better than nothing?
            self.trial.fill(0.0);
            let of_nothing = residual(problem, &self.trial);
            if of_nothing <= best {
                best = of_nothing;
                basis.fill(false);
                z.fill(0.0);
            }
        }
        match failure {
            _ if best <= ACCEPTED_RESIDUAL => self.solved(pivots, best),
            Outcome::Inaccurate { .. } => Outcome::Inaccurate { residual: best },
            other => other,
        }
    }
}
