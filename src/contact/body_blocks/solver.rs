//! Stages of the solve of an island, and the loop over all islands.

use super::bounded::Bounded;
use super::factor::Vec6;
use super::interior_point::InteriorPoint;
use super::lagged_slip::{LaggedSlip, Start};
use super::newton::Newton;
use super::residual::ResidualCheck;
use super::scaled::Scaled;
use super::sweep::Sweeper;
use super::{
    ACCEPTED_RESIDUAL, Effort, Friction, Island, Islands, Outcome, Problem, Stage, Stats, Status,
    Summary,
};
use crate::contact::dense::MAX_BLOCKS;
use crate::contact::dense::map::{State, augmented_impulse, state};
use crate::contact::dense::newton::Limits;
use crate::contact::elimination_order::Pattern;
use crate::math::larger;

/// Over-relaxation of the sweeps, which saves some for moderate friction; without it for `mu > 1`, where it may not
/// converge.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// Sweeps before the first run of Newton's method, without a warm start.
pub(super) const FIRST_SWEEPS: u32 = 10;

/// Stage 3: sweeps, and iterations of the proximal point method.
const WARM_PROXIMAL: [u32; 2] = [50, 100];

/// Stage 5, the same.
const LAST_RESORT: [u32; 2] = [200, 20_000];

/// Targets of the interior-point method after each of which Newton's method refines the candidate.
const TARGETS: [f64; 3] = [1e-8, 1e-10, 1e-12];

/// Iterations with lagged slips, and then of the proximal point method: short_runs runs first, because hundreds of contacts
/// take 80 to 2000 iterations, then full runs.
const SHORT_RUNS: [[u32; 2]; 4] = [[200, 100], [400, 200], [1_000, 300], [2_000, 300]];
const FULL_RUN: [u32; 2] = [3_000, 300];

/// Velocities are accurate to eight digits. For redundant joints and mass ratios of 1 : 10000 rounding prevents more,
/// with any method, while failed runs end far above it.
pub(super) const NEARLY_SOLVED: f64 = 1e-8;

/// Starts of the method with lagged slips: slips that oscillate from one start may converge from another.
const STARTS: [Start; 12] = [
    Start::new(1.0, 1.0, 0.4),
    Start::new(1.0, 3.0, 0.2),
    Start::new(10.0, 1.0, 0.2),
    Start::new(10.0, 3.0, 0.4),
    Start::new(3.0, 1.0, 0.4),
    Start::new(3.0, 3.0, 0.2),
    Start::new(0.3, 1.0, 0.2),
    Start::new(0.3, 3.0, 0.4),
    Start::new(5.0, 1.0, 0.4),
    Start::new(5.0, 3.0, 0.2),
    Start::new(0.6, 1.0, 0.2),
    Start::new(0.6, 3.0, 0.4),
];

/// Values of `prox` for the refinement of a candidate.
pub(super) const POLISHES: [f64; 2] = [1e-7, 1e-9];

/// Newton's method on the problem itself.
pub(super) const PLAIN_NEWTON: Limits = Limits {
    iterations: 40,
    // the rounding errors of 100 rows
    target: 1e-14,
    damping: [1e-10, 1e-4],
    trials: 6,
    allowed: true,
};

/// Scratch of the solves; grows to the largest problem met and allocates nothing afterwards.
#[derive(Debug, Default)]
pub struct Solver {
    /// Counters, for the caller to read and reset.
    pub stats: Stats,
    /// No further stage is tried for an island once Newton's method took more iterations than this.
    pub iteration_limit: Option<u32>,
    stage: Option<Stage>,
    islands: Islands,
    pub(super) residual_check: ResidualCheck,
    pub(super) scaled: Scaled,
    pub(super) newton: Newton,
    pub(super) sweeper: Sweeper,
    bounded: Bounded,
    /// Symbolic factorization of each island of the last solve.
    patterns: Vec<Pattern>,
    pairs: Vec<[u32; 2]>,
    x: Vec<f64>,
    pub(super) u: Vec<f64>,
    w: Vec<Vec6>,
    own: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) outer: Vec<f64>,
    pub(super) interior_point: InteriorPoint,
    pub(super) lagged_slip: LaggedSlip,
    pub(super) interior: Vec<f64>,
    velocities: Vec<Vec6>,
    statuses: Vec<Status>,
}

impl Solver {
    /// Solves all islands. `r`: in, the warm start (zero: none); out, the solutions or best candidates.
    pub fn solve(&mut self, problem: &Problem, effort: Effort, r: &mut [f64]) -> Summary {
        let mut islands = std::mem::take(&mut self.islands);
        let mut own = std::mem::take(&mut self.own);
        let mut summary = Summary::default();
        self.velocities.clear();
        self.velocities
            .extend(problem.bodies.iter().map(|b| b.velocity));
        self.statuses.clear();
        self.statuses.resize(problem.contacts.len(), OPEN);
        if islands.find(problem) && r.len() == problem.rows.len() {
            summary.islands = islands.count();
            for k in 0..islands.count() {
                let island = islands.island(k);
                own.clear();
                own.resize(island.rows.len(), 0.0);
                island.gather(r, &mut own);
                let outcome = self.solve_island(problem, &islands, k, effort, &mut own);
                island.scatter(&own, r);
                if let Effort::Sweeps(_) = effort {
                    let valid = self.scaled.set(problem, &island);
                    let rows = if valid { own.len() } else { 0 };
                    self.x.resize(rows, 0.0);
                    self.u.resize(rows, 0.0);
                }
                self.record(&island, &own);
                summary.residual = larger(summary.residual, outcome.residual());
                if let Outcome::Solved { iterations, .. } = outcome {
                    summary.solved += 1;
                    summary.iterations += iterations;
                }
            }
        } else {
            r.fill(0.0);
            summary.residual = f64::INFINITY;
        }
        (self.islands, self.own) = (islands, own);
        summary
    }

    /// Solves island `k`. `r`, in the order of its rows: in, the warm start (zero: none); out, the solution or best
    /// candidate.
    pub fn solve_island(
        &mut self,
        problem: &Problem,
        islands: &Islands,
        k: usize,
        effort: Effort,
        r: &mut [f64],
    ) -> Outcome {
        let island = islands.island(k);
        self.stats.solves += 1;
        self.stage = None;
        self.newton.iterations = 0;
        if let Effort::Sweeps(count) = effort {
            return self.sweep_island(problem, &island, k, count, r);
        }
        if r.len() != island.rows.len() || !self.scaled.set(problem, &island) {
            self.stats.failures += 1;
            self.x.clear();
            r.fill(0.0);
            return Outcome::Inaccurate {
                residual: f64::INFINITY,
            };
        }
        let n = r.len();
        for buffer in [&mut self.x, &mut self.u, &mut self.scratch, &mut self.outer] {
            buffer.resize(n, 0.0);
        }
        let mut x = std::mem::take(&mut self.x);
        let warm = r.iter().any(|r| *r != 0.0) && crate::contact::lcp::all_finite(r);
        if warm {
            self.scaled.scale_impulses(r, &mut x);
            self.scaled.clamp_to_cones(&mut x);
        } else {
            x.fill(0.0);
        }
        self.sweeper.set(&self.scaled);
        self.make_patterns(k);
        let mut pattern = std::mem::take(&mut self.patterns[k]);
        self.analyse(&mut pattern);
        let mut task = IslandTask {
            problem,
            island,
            pattern: &pattern,
            answer: r,
            best: f64::INFINITY,
        };
        self.run_stages(&mut task, &mut x, warm, effort);
        let outcome = self.classify(&task);
        self.patterns[k] = pattern;
        self.x = x;
        self.finish(outcome)
    }

    /// Bounded effort: sweeps only.
    fn sweep_island(
        &mut self,
        problem: &Problem,
        island: &Island,
        k: usize,
        count: u32,
        r: &mut [f64],
    ) -> Outcome {
        if r.len() != island.rows.len() || !crate::contact::lcp::all_finite(r) {
            r.fill(0.0);
        }
        let mut residual = f64::INFINITY;
        if r.len() == island.rows.len() && self.bounded.set(problem, island, r) {
            let has_joints = !island.joints.is_empty();
            if has_joints {
                self.make_patterns(k);
                std::mem::swap(&mut self.bounded.joint_rows.pattern, &mut self.patterns[k]);
                self.stats.analyses += self.bounded.joint_rows.prepare(island.bodies.len());
            }
            self.stats.sweeps += u64::from(self.bounded.run(count));
            self.bounded.write_impulses(r);
            residual = self.bounded.residual();
            if has_joints {
                std::mem::swap(&mut self.bounded.joint_rows.pattern, &mut self.patterns[k]);
            }
        }
        if residual < f64::INFINITY {
            return self.finish(Outcome::Bounded { residual });
        }
        self.stats.failures += 1;
        r.fill(0.0);
        Outcome::Inaccurate { residual }
    }

    /// Velocities of all bodies after the last [`Solver::solve`]: `v = v_f + A^-1 G^T r`.
    #[must_use]
    pub fn velocities(&self) -> &[Vec6] {
        &self.velocities
    }

    /// Status of all contacts after the last [`Solver::solve`].
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// The stage that gave the last answer of an island, if one was accepted.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.stage
    }

    /// Resets the counters.
    pub fn reset_stats(&mut self) {
        self.stats = Stats::default();
    }

    fn finish(&mut self, outcome: Outcome) -> Outcome {
        let iterations = self.newton.iterations;
        self.stats.iterations += u64::from(iterations);
        let residual = outcome.residual();
        if residual <= ACCEPTED_RESIDUAL {
            self.stats.worst_residual = larger(self.stats.worst_residual, residual);
            return Outcome::Solved {
                iterations,
                residual,
            };
        }
        if let Outcome::Inaccurate { .. } | Outcome::Contradiction { .. } = outcome {
            self.stats.failures += 1;
        }
        outcome
    }

    fn make_patterns(&mut self, k: usize) {
        if self.patterns.len() <= k {
            self.patterns.resize_with(k + 1, Pattern::default);
        }
    }

    fn analyse(&mut self, pattern: &mut Pattern) {
        let ground = self.scaled.bodies as u32;
        self.pairs.clear();
        let pairs = self.scaled.members.iter().map(|m| m.bodies);
        self.pairs.extend(pairs.filter(|p| !p.contains(&ground)));
        self.stats.analyses += u64::from(pattern.analyse(self.scaled.bodies, &self.pairs));
    }

    /// Runs the stages in order.
    fn run_stages(&mut self, task: &mut IslandTask, x: &mut [f64], warm: bool, effort: Effort) {
        let relaxation = self.relaxation();
        if self.scaled.contacts.is_empty() {
            self.newton.run_linear(&self.scaled, task.pattern, x);
            if self.check_answer(task, x) {
                self.stage = Some(Stage::Newton);
                return;
            }
            if task.best <= NEARLY_SOLVED {
                return;
            }
        }
        if !warm {
            // zero impulses, if nothing approaches
            if self.check_answer(task, x) {
                self.stage = Some(Stage::Zero);
                return;
            }
            self.sweep(x, FIRST_SWEEPS, relaxation);
        }
        if self.run_newton(task, x) {
            self.stage = Some(Stage::Newton);
            if self.has_large_impulses(x) {
                self.run_minimum_norm(task, x);
            }
            return;
        }
        self.stats.retries += 1;
        if self.is_exhausted() {
            return;
        }
        if self.has_contacts_and_joints() && self.run_minimum_norm(task, x) {
            self.stage = Some(Stage::Newton);
            return;
        }
        self.stats.interior_points += 1;
        if self.run_interior_point(task, x) {
            self.stage = Some(Stage::InteriorPoint);
            if self.has_large_impulses(x) {
                self.run_minimum_norm(task, x);
            }
            return;
        }
        if effort == Effort::Direct || self.is_exhausted() {
            return;
        }
        if warm {
            self.stats.proximals += 1;
            let [sweeps, iterations] = WARM_PROXIMAL;
            self.sweep(x, sweeps, relaxation);
            if self.run_proximal(task, x, iterations) {
                self.stage = Some(Stage::Proximal);
                return;
            }
        }
        if self.scaled.contacts.is_empty() || self.is_exhausted() {
            return;
        }
        self.stats.lagged_slips += 1;
        if self.run_lagged_slip_stage(task, x) {
            self.stage = Some(Stage::LaggedSlip);
            return;
        }
        if task.best <= NEARLY_SOLVED || self.is_exhausted() {
            return;
        }
        self.stats.last_resorts += 1;
        let [sweeps, iterations] = LAST_RESORT;
        let left = |limit: u32| limit.saturating_sub(self.newton.iterations);
        let iterations = self
            .iteration_limit
            .map_or(iterations, |limit| iterations.min(left(limit)));
        x.fill(0.0);
        self.sweep(x, sweeps, relaxation);
        if self.run_proximal(task, x, iterations) {
            self.stage = Some(Stage::LastResort);
        }
    }

    /// Stage 4. Returns whether an answer was accepted.
    fn run_lagged_slip_stage(&mut self, task: &mut IslandTask, x: &mut [f64]) -> bool {
        let short_runs = STARTS.into_iter().zip(SHORT_RUNS);
        let full_runs = STARTS.into_iter().map(|start| (start, FULL_RUN));
        for (start, [steps, iterations]) in short_runs.chain(full_runs) {
            if self.run_lagged_slip(task, x, start, steps) || self.run_proximal(task, x, iterations)
            {
                return true;
            }
            if self.is_exhausted() {
                break;
            }
        }
        false
    }

    fn is_exhausted(&self) -> bool {
        let limit = self.iteration_limit;
        limit.is_some_and(|limit| self.newton.iterations > limit)
    }

    /// Interior-point method from `x`, refined by Newton's method. Returns whether an answer was accepted.
    fn run_interior_point(&mut self, task: &mut IslandTask, x: &mut [f64]) -> bool {
        if self.scaled.contacts.is_empty() {
            return false;
        }
        let mut interior = std::mem::take(&mut self.interior);
        interior.clear();
        interior.extend_from_slice(x);
        self.interior_point.start(&self.scaled, &mut interior);
        let mut solved = false;
        for target in TARGETS {
            let Self {
                interior_point,
                newton,
                scaled,
                ..
            } = self;
            let continues = interior_point.run(newton, scaled, task.pattern, &mut interior, target);
            x.copy_from_slice(&interior);
            solved = self.check_answer(task, x) || self.polish(task, x, &POLISHES);
            if solved || !continues {
                break;
            }
        }
        self.interior = interior;
        solved
    }

    pub(super) fn sweep(&mut self, x: &mut [f64], count: u32, relaxation: f64) {
        self.stats.sweeps += u64::from(count);
        self.sweeper.run(&self.scaled, x, count, relaxation);
    }

    pub(super) fn relaxation(&self) -> f64 {
        let blocks = self.scaled.contacts.iter().flat_map(|c| c.blocks());
        let friction = blocks.fold(0.0, |m, b| larger(m, b.friction));
        RELAXATIONS[usize::from(friction > 1.0)]
    }

    /// Newton's method from `x`. Returns whether the answer is accepted.
    fn run_newton(&mut self, task: &mut IslandTask, x: &mut [f64]) -> bool {
        self.newton
            .run(&self.scaled, task.pattern, x, &PLAIN_NEWTON);
        self.check_answer(task, x)
    }

    /// Keeps `x` if it is better than the best candidate. Returns whether it is accepted.
    pub(super) fn check_answer(&mut self, task: &mut IslandTask, x: &[f64]) -> bool {
        self.check_residual(task, x);
        task.is_solved()
    }

    /// The same, but returns the residual.
    pub(super) fn check_residual(&mut self, task: &mut IslandTask, x: &[f64]) -> f64 {
        self.scaled.unscale_impulses(x, &mut self.outer);
        let checked = self
            .residual_check
            .residual(task.problem, &task.island, &self.outer);
        if checked < task.best {
            task.best = checked;
            task.answer.copy_from_slice(&self.outer);
        }
        checked
    }

    /// Stores velocities and statuses of the island just solved.
    fn record(&mut self, island: &Island, r: &[f64]) {
        let scaled = &self.scaled;
        // an island with invalid input moves freely
        if scaled.rows.len() != r.len() || self.x.len() != r.len() {
            return;
        }
        scaled.scale_impulses(r, &mut self.x);
        scaled.apply_impulses(&self.x, &mut self.w);
        scaled.velocities(&self.x, &self.w, &mut self.u);
        for (k, &b) in island.bodies.iter().enumerate() {
            let change = scaled.velocity_change(k, &self.w[k]);
            for (v, change) in self.velocities[b as usize].iter_mut().zip(change) {
                *v += change;
            }
        }
        for (contact, &c) in scaled.contacts.iter().zip(island.contacts) {
            let y_n = self.x[contact.normal] - contact.rho * self.u[contact.normal];
            let status = &mut self.statuses[c as usize];
            status.closed = y_n > 0.0;
            for (own, block) in status.blocks.iter_mut().zip(contact.blocks()) {
                *own = match state(block, y_n, augmented_impulse(block, &self.x, &self.u)) {
                    _ if y_n <= 0.0 => Friction::Open,
                    State::Stick => Friction::Stick,
                    State::Slip { .. } => Friction::Slip,
                };
            }
        }
    }
}

/// Status of an open contact.
const OPEN: Status = Status {
    closed: false,
    blocks: [Friction::Open; MAX_BLOCKS],
};

/// An island being solved, with the best candidate so far.
pub(super) struct IslandTask<'a> {
    pub problem: &'a Problem<'a>,
    pub island: Island<'a>,
    pub pattern: &'a Pattern,
    pub answer: &'a mut [f64],
    pub best: f64,
}

impl IslandTask<'_> {
    pub fn is_solved(&self) -> bool {
        self.best <= ACCEPTED_RESIDUAL
    }
}
