//! The ladder of an island, and the solve of all islands.

use super::bounded::Bounded;
use super::factor::Six;
use super::interior_point::InteriorPoint;
use super::lagged_slip::{LaggedSlip, Start};
use super::newton::Newton;
use super::residual::Judge;
use super::scaled::Scaled;
use super::sweep::Sweeper;
use super::{
    ACCEPTED_RESIDUAL, Effort, Friction, Island, Islands, Outcome, Problem, Stage, Stats, Status,
    Summary,
};
use crate::contact::dense::MOST_BLOCKS;
use crate::contact::dense::map::{State, aim, state};
use crate::contact::dense::newton::Limits;
use crate::contact::elimination_order::Pattern;
use crate::contact::scaling::larger;

/// Over-relaxation of the sweeps: fewer sweeps for moderate friction; for more than 1, where it may not converge, none.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// Sweeps before the first run of Newton's method, without a guess.
pub(super) const FIRST_SWEEPS: u32 = 10;

/// With a guess: sweeps, and the iterations of the proximal point method after them.
const ANCHORED: [u32; 2] = [50, 100];

/// The same from nothing, where all else failed.
const LAST: [u32; 2] = [200, 20_000];

/// Where the way through the inside of the cones stops to try the last digits.
const AIMS: [f64; 3] = [1e-8, 1e-10, 1e-12];

/// Steps while slips follow, and iterations of the proximal point method from where they come to: for the first ways, as hundreds
/// of contacts take 80 to 2000 steps, then for all of them.
const SHORT: [[u32; 2]; 4] = [[200, 100], [400, 200], [1_000, 300], [2_000, 300]];
const WHOLE: [u32; 2] = [3_000, 300];

/// Velocities are right to eight digits. What keeps joints that depend on each other, or boxes with masses 1 : 10000, from more is rounding,
/// whichever way is taken, and ways that lead nowhere end far above it.
pub(super) const NEARLY: f64 = 1e-8;

/// Where ways start: slips that go round on one of them may stay on another.
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

/// `prox` with which the last digits are tried.
pub(super) const POLISHES: [f64; 2] = [1e-7, 1e-9];

/// Newton's method on the problem itself.
pub(super) const PLAIN: Limits = Limits {
    iterations: 40,
    // the rounding errors of 100 rows
    target: 1e-14,
    damping: [1e-10, 1e-4],
    trials: 6,
    allowed: true,
};

/// Scratch of the solves; it grows to the largest problem met and allocates nothing afterwards.
#[derive(Debug, Default)]
pub struct Solver {
    /// Counters, for the caller to read and reset.
    pub stats: Stats,
    /// An island for which Newton's method took more iterations than this gets no further rung.
    pub most_iterations: Option<u32>,
    stage: Option<Stage>,
    islands: Islands,
    pub(super) judge: Judge,
    pub(super) scaled: Scaled,
    pub(super) newton: Newton,
    pub(super) sweeper: Sweeper,
    bounded: Bounded,
    /// Of each island that was solved last under its number.
    patterns: Vec<Pattern>,
    pairs: Vec<[u32; 2]>,
    x: Vec<f64>,
    pub(super) u: Vec<f64>,
    w: Vec<Six>,
    own: Vec<f64>,
    pub(super) good: Vec<f64>,
    pub(super) outer: Vec<f64>,
    pub(super) interior_point: InteriorPoint,
    pub(super) lag_slip: LaggedSlip,
    pub(super) inside: Vec<f64>,
    velocities: Vec<Six>,
    statuses: Vec<Status>,
}

impl Solver {
    /// Solves all islands. `r`, in: the guess (all zero: none), out: the answers, or the best attempts.
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
                    let sound = self.scaled.set(problem, &island);
                    let rows = if sound { own.len() } else { 0 };
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

    /// Solves island `k`. `r`, in the order of its rows, in: the guess (all zero: none), out: the answer, or the best
    /// attempt.
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
        for buffer in [&mut self.x, &mut self.u, &mut self.good, &mut self.outer] {
            buffer.resize(n, 0.0);
        }
        let mut x = std::mem::take(&mut self.x);
        let warm = r.iter().any(|r| *r != 0.0) && crate::contact::lcp::all_finite(r);
        if warm {
            self.scaled.enter(r, &mut x);
            self.scaled.shorten(&mut x);
        } else {
            x.fill(0.0);
        }
        self.sweeper.set(&self.scaled);
        self.make_patterns(k);
        let mut pattern = std::mem::take(&mut self.patterns[k]);
        self.analyse(&mut pattern);
        let mut attempt = Attempt {
            problem,
            island,
            pattern: &pattern,
            answer: r,
            best: f64::INFINITY,
        };
        self.run_stages(&mut attempt, &mut x, warm, effort);
        let outcome = self.verdict(&attempt);
        self.patterns[k] = pattern;
        self.x = x;
        self.finish(outcome)
    }

    /// Bounded effort.
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
            self.bounded.leave(r);
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
    pub fn velocities(&self) -> &[Six] {
        &self.velocities
    }

    /// What all contacts do in the answer of the last [`Solver::solve`].
    #[must_use]
    pub fn statuses(&self) -> &[Status] {
        &self.statuses
    }

    /// Which rung gave the last answer of an island, if one was accepted.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.stage
    }

    /// Forgets the counters.
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

    /// The rungs, one after the other.
    #[cfg_attr(small, optimize(size))]
    fn run_stages(&mut self, attempt: &mut Attempt, x: &mut [f64], warm: bool, effort: Effort) {
        let relaxation = self.relaxation();
        if self.scaled.contacts.is_empty() {
            self.newton.run_linear(&self.scaled, attempt.pattern, x);
            if self.check_answer(attempt, x) {
                self.stage = Some(Stage::Newton);
                return;
            }
            if attempt.best <= NEARLY {
                return;
            }
        }
        if !warm {
            // nothing pushes where nothing approaches
            if self.check_answer(attempt, x) {
                self.stage = Some(Stage::Nothing);
                return;
            }
            self.sweep(x, FIRST_SWEEPS, relaxation);
        }
        if self.newton_attempt(attempt, x) {
            self.stage = Some(Stage::Newton);
            if self.is_heavy(x) {
                self.minimize_norm(attempt, x);
            }
            return;
        }
        self.stats.retries += 1;
        if self.is_exhausted() {
            return;
        }
        if self.is_mixed() && self.minimize_norm(attempt, x) {
            self.stage = Some(Stage::Newton);
            return;
        }
        self.stats.interiors += 1;
        if self.run_interior_point(attempt, x) {
            self.stage = Some(Stage::InteriorPoint);
            if self.is_heavy(x) {
                self.minimize_norm(attempt, x);
            }
            return;
        }
        if effort == Effort::Direct || self.is_exhausted() {
            return;
        }
        if warm {
            self.stats.proximals += 1;
            let [sweeps, iterations] = ANCHORED;
            self.sweep(x, sweeps, relaxation);
            if self.prox(attempt, x, iterations) {
                self.stage = Some(Stage::Proximal);
                return;
            }
        }
        if self.scaled.contacts.is_empty() || self.is_exhausted() {
            return;
        }
        self.stats.follows += 1;
        if self.lag_slip_and_prox(attempt, x) {
            self.stage = Some(Stage::LaggedSlip);
            return;
        }
        if attempt.best <= NEARLY || self.is_exhausted() {
            return;
        }
        self.stats.lasts += 1;
        let [sweeps, iterations] = LAST;
        let left = |most: u32| most.saturating_sub(self.newton.iterations);
        let iterations = self
            .most_iterations
            .map_or(iterations, |most| iterations.min(left(most)));
        x.fill(0.0);
        self.sweep(x, sweeps, relaxation);
        if self.prox(attempt, x, iterations) {
            self.stage = Some(Stage::Last);
        }
    }

    /// Slips that follow, and anchors from where they come to: is an answer accepted?
    #[cfg_attr(small, optimize(size))]
    fn lag_slip_and_prox(&mut self, attempt: &mut Attempt, x: &mut [f64]) -> bool {
        let short = STARTS.into_iter().zip(SHORT);
        let whole = STARTS.into_iter().map(|start| (start, WHOLE));
        for (start, [steps, iterations]) in short.chain(whole) {
            if self.lag_slip(attempt, x, start, steps) || self.prox(attempt, x, iterations) {
                return true;
            }
            if self.is_exhausted() {
                break;
            }
        }
        false
    }

    fn is_exhausted(&self) -> bool {
        let most = self.most_iterations;
        most.is_some_and(|most| self.newton.iterations > most)
    }

    /// Through the inside of the cones, from `x`, with the last digits by Newton's method: is the answer accepted?
    #[cfg_attr(small, optimize(size))]
    fn run_interior_point(&mut self, attempt: &mut Attempt, x: &mut [f64]) -> bool {
        if self.scaled.contacts.is_empty() {
            return false;
        }
        let mut inside = std::mem::take(&mut self.inside);
        inside.clear();
        inside.extend_from_slice(x);
        self.interior_point.start(&self.scaled, &mut inside);
        let mut solved = false;
        for aim in AIMS {
            let Self {
                interior_point,
                newton,
                scaled,
                ..
            } = self;
            let goes_on = interior_point.run(newton, scaled, attempt.pattern, &mut inside, aim);
            x.copy_from_slice(&inside);
            solved = self.check_answer(attempt, x) || self.polish(attempt, x, &POLISHES);
            if solved || !goes_on {
                break;
            }
        }
        self.inside = inside;
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

    /// Newton's method from `x`, and the judge: is the answer accepted?
    fn newton_attempt(&mut self, attempt: &mut Attempt, x: &mut [f64]) -> bool {
        self.newton.run(&self.scaled, attempt.pattern, x, &PLAIN);
        self.check_answer(attempt, x)
    }

    /// Keeps `x` as the answer if it is better than the best one: is it accepted?
    pub(super) fn check_answer(&mut self, attempt: &mut Attempt, x: &[f64]) -> bool {
        self.weigh(attempt, x);
        attempt.is_solved()
    }

    /// The same: its residual.
    pub(super) fn weigh(&mut self, attempt: &mut Attempt, x: &[f64]) -> f64 {
        self.scaled.leave(x, &mut self.outer);
        let checked = self
            .judge
            .residual(attempt.problem, &attempt.island, &self.outer);
        if checked < attempt.best {
            attempt.best = checked;
            attempt.answer.copy_from_slice(&self.outer);
        }
        checked
    }

    /// Velocities and statuses of the island just solved.
    fn record(&mut self, island: &Island, r: &[f64]) {
        let scaled = &self.scaled;
        // an island that was refused moves freely
        if scaled.rows.len() != r.len() || self.x.len() != r.len() {
            return;
        }
        scaled.enter(r, &mut self.x);
        scaled.push_bodies(&self.x, &mut self.w);
        scaled.velocities(&self.x, &self.w, &mut self.u);
        for (k, &b) in island.bodies.iter().enumerate() {
            let added = scaled.added(k, &self.w[k]);
            for (v, added) in self.velocities[b as usize].iter_mut().zip(added) {
                *v += added;
            }
        }
        for (contact, &c) in scaled.contacts.iter().zip(island.contacts) {
            let y_n = self.x[contact.normal] - contact.rho * self.u[contact.normal];
            let status = &mut self.statuses[c as usize];
            status.closed = y_n > 0.0;
            for (own, block) in status.blocks.iter_mut().zip(contact.blocks()) {
                *own = match state(block, y_n, aim(block, &self.x, &self.u)) {
                    _ if y_n <= 0.0 => Friction::Open,
                    State::Stick => Friction::Stick,
                    State::Slip { .. } => Friction::Slip,
                };
            }
        }
    }
}

/// A contact that does nothing.
const OPEN: Status = Status {
    closed: false,
    blocks: [Friction::Open; MOST_BLOCKS],
};

/// What the rungs share.
pub(super) struct Attempt<'a> {
    pub problem: &'a Problem<'a>,
    pub island: Island<'a>,
    pub pattern: &'a Pattern,
    pub answer: &'a mut [f64],
    pub best: f64,
}

impl Attempt<'_> {
    pub fn is_solved(&self) -> bool {
        self.best <= ACCEPTED_RESIDUAL
    }
}
