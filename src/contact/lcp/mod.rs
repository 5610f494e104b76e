//! Linear complementarity problems.
//!
//! ```text
//! (1)  w = A z + b,   0 <= w,   0 <= z,   w_i z_i = 0
//! ```
//!
//! Frictional contact yields a copositive `A`, often singular (redundant contacts) and slightly unsymmetric. The stages
//! of a solve go from cheap to robust, and a candidate is accepted only if its [`residual`] is small enough:
//!
//! 1. the basis of the warm start, one linear solve (`basis`);
//! 2. `z = 0`, if `b >= 0` up to rounding;
//! 3. Lemke's method with lexicographic tie breaking (`lemke`), and stage 1 on its final basis unless its solution is
//!    accurate to rounding;
//! 4. the same with other pivot tolerances and covering vectors.
//!
//! Same input, same bits: no random numbers, no fused operations, no library functions except the square root.

pub(super) mod basis;
pub(super) mod lemke;
mod residual;

pub use residual::residual;

use crate::contact::scaling::Scaling;
use crate::math::larger;
use basis::BasisSolver;
use lemke::{End, Tableau};

/// Largest accepted residual. Rounding alone gives `n` machine epsilons, 2e-13 for 1000 unknowns; a wrong basis gives the
/// relative size of the quantity it ignores, which is physically irrelevant below 1e-10.
pub const ACCEPTED_RESIDUAL: f64 = 1e-10;

/// A solution with this residual is accurate to rounding.
const ROUNDING: f64 = 1e-14;

/// Pivots above which the columns of a basis count as independent (matrix scaled to unit diagonal): exact duplicates
/// leave a few machine epsilons, near duplicates at a relative distance `d` leave `d * d`. Tried in this order.
const RANK_TOLERANCES: [f64; 4] = [1e-13, 1e-15, 1e-10, 1e-7];

/// Lemke's method treats entries below this fraction of the largest in their column as zero. The first value needs the
/// fewest retries; pivots of near duplicates may be smaller, rounding errors larger, hence the others.
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

/// Zero times a number that is not finite is not zero; eight partial sums, for vectorization.
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
        /// Pivots of Lemke's method, over all attempts; 0 if the warm start was the solution.
        pivots: u32,
        /// Residual, at most [`ACCEPTED_RESIDUAL`].
        residual: f64,
    },
    /// Every attempt ended on a ray: for a copositive matrix, the problem has no solution.
    Ray,
    /// No attempt reached a complementary basis.
    PivotLimit,
    /// A complementary basis was reached, but its residual is too large (infinite: the input is not finite, or its
    /// lengths do not match).
    Inaccurate {
        /// Residual of the best candidate, which is in `z`.
        residual: f64,
    },
}

/// Counters of a [`Solver`] since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Calls of [`Solver::solve`].
    pub solves: u64,
    /// Solves answered by the basis of the warm start.
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
    /// Sum of the counters of two solvers.
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

/// Scratch of the solves; grows to the largest problem met and allocates nothing afterwards.
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
    /// Allocates scratch for problems of up to `n` unknowns.
    #[must_use]
    pub fn with_capacity(n: usize) -> Self {
        let mut solver = Self::default();
        solver.reserve(n);
        solver
    }

    /// Solves (1). `basis[i]`: `z_i` may be positive and `w_i` is zero; in, the warm start (all `false`: none); out, the
    /// basis of the solution. `z` receives the solution or the best candidate.
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
        // the warm start goes first: among several solutions it is the one that continues the motion
        if basis.contains(&true)
            && let Some(residual) = self.solve_on(problem, basis, z)
        {
            self.stats.warm_hits += 1;
            return self.solved(0, residual);
        }
        basis.fill(false);
        z.fill(0.0);
        if self.is_almost_positive(problem.vector) {
            let achieved = residual(problem, z);
            if achieved <= ROUNDING {
                return self.solved(0, achieved);
            }
        }
        self.pivot_until_accepted(problem, basis, z)
    }

    /// One linear solve on `basis`. Returns the residual if it is accepted; `z` is written in either case.
    pub fn try_basis(&mut self, problem: &Problem, basis: &[bool], z: &mut [f64]) -> Option<f64> {
        if !problem.is_well_formed() || basis.len() != problem.n || z.len() != problem.n {
            return None;
        }
        self.prepare(problem);
        self.solve_on(problem, basis, z)
    }

    /// Resets the counters.
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

    /// May `z = 0` be a solution? Cheaper than the residual check, with similar scales.
    fn is_almost_positive(&self, vector: &[f64]) -> bool {
        let least = -100.0 * ROUNDING * self.scaling.size(vector);
        let scaled = vector.iter().zip(&self.scaling.row).map(|(b, r)| b * r);
        scaled.fold(true, |all, b| all & (b >= least))
    }

    fn solved(&mut self, pivots: u32, residual: f64) -> Outcome {
        self.stats.worst_residual = larger(self.stats.worst_residual, residual);
        Outcome::Solved { pivots, residual }
    }

    /// Stage 1: one linear solve, or several if the rank depends on the tolerance.
    fn solve_on(&mut self, problem: &Problem, basis: &[bool], z: &mut [f64]) -> Option<f64> {
        let mut same_rank = 0.0..0.0;
        for rank_tolerance in RANK_TOLERANCES {
            if same_rank.contains(&rank_tolerance) {
                continue;
            }
            same_rank = self
                .on_basis
                .solve(problem, &self.scaling, basis, rank_tolerance, z);
            let achieved = residual(problem, z);
            if achieved <= ACCEPTED_RESIDUAL {
                return Some(achieved);
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
            // also after a ray: the artificial variable may be zero up to rounding
            self.tableau.write_basis(&mut trial_basis);
            self.tableau.write_solution(&self.scaling, &mut trial);
            let mut achieved = residual(problem, &trial);
            if achieved > ROUNDING {
                achieved = self
                    .solve_on(problem, &trial_basis, &mut trial)
                    .unwrap_or_else(|| {
                        self.tableau.write_solution(&self.scaling, &mut trial);
                        achieved
                    });
            }
            if achieved < best {
                best = achieved;
                basis.copy_from_slice(&trial_basis);
                z.copy_from_slice(&trial);
            }
            if best <= ACCEPTED_RESIDUAL {
                break;
            }
        }
        (self.basis, self.trial) = (trial_basis, trial);
        if best > ACCEPTED_RESIDUAL {
            // is zero at least as good?
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
