//! Solves the islands of a step, sequentially or by several threads. The solution of an island does not depend on its thread, and solutions
//! are collected in the order of the islands: the bits are the same for any number of threads.

use super::{Six, Step, Work};
use crate::contact::body_blocks::{Effort, GROUND, Island, Islands, Outcome, Problem, Solver};
use crate::contact::lcp;
use crate::integrate::StepError;
use crate::math::Limit;

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    /// Islands of the last problem.
    pub islands: Islands,
    /// One per thread.
    workers: Vec<Worker>,
    pushed: Vec<Six>,
    /// Work since the counter was reset, in iterations over all rows.
    pub spent: f64,
    /// Work limit, if there is one.
    pub allowed: Option<f64>,
}

#[derive(Debug, Default)]
struct Worker {
    solver: Solver,
    /// Which islands, and their outcomes.
    done: Vec<(usize, Outcome)>,
    /// Their impulses, concatenated.
    impulses: Vec<f64>,
    /// Iterations, each times the rows of its island.
    row_iterations: f64,
}

/// Outcomes of the islands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ending {
    pub groups: u64,
    /// Not solved exactly.
    pub inexact: u64,
    /// Apparently without a solution.
    pub contradictions: u64,
    /// Newton iterations.
    pub iterations: u64,
    /// Largest residual.
    pub residual: f64,
}

impl Worker {
    fn work(
        &mut self,
        problem: &Problem,
        islands: &Islands,
        (first, every): (usize, usize),
        effort: Effort,
        guess: &[f64],
        is_chosen: impl Fn(&Island) -> bool,
    ) {
        self.done.clear();
        self.impulses.clear();
        for k in (first..islands.count()).step_by(every) {
            let island = islands.island(k);
            if !is_chosen(&island) {
                continue;
            }
            let from = self.impulses.len();
            self.impulses.resize(from + island.rows.len(), 0.0);
            let own = &mut self.impulses[from..];
            island.gather(guess, own);
            let before = self.solver.stats.iterations;
            let outcome = self.solver.solve_island(problem, islands, k, effort, own);
            let iterations = (self.solver.stats.iterations - before) as f64;
            self.row_iterations += iterations * island.rows.len() as f64;
            self.done.push((k, outcome));
        }
    }
}

/// Runs each worker in its own thread. All threads have ended on return, including their clean-up: the host may unload the library.
fn in_threads(workers: &mut [Worker], work: impl Fn(&mut Worker, usize) + Copy + Send) {
    std::thread::scope(|scope| {
        let start = |(i, worker)| scope.spawn(move || work(worker, i));
        let threads: Vec<_> = workers.iter_mut().enumerate().map(start).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

impl Solvers {
    /// Solves for the impulses, starting from the given ones, and for the velocities.
    pub fn solve(
        &mut self,
        problem: &Problem,
        effort: Effort,
        threads: usize,
        impulse: &mut [f64],
        velocities: &mut Vec<Six>,
    ) -> Ending {
        self.solve_chosen(problem, effort, threads, impulse, velocities, |_| true)
    }

    /// The same for some of the islands; impulses of the others are unchanged.
    pub fn solve_chosen(
        &mut self,
        problem: &Problem,
        effort: Effort,
        threads: usize,
        impulse: &mut [f64],
        velocities: &mut Vec<Six>,
        is_chosen: impl Fn(&Island) -> bool + Copy + Send,
    ) -> Ending {
        self.islands.find(problem);
        let threads = threads.min(self.islands.count()).max(1);
        if self.workers.len() < threads {
            self.workers.resize_with(threads, Worker::default);
        }
        let (islands, guess) = (&self.islands, &*impulse);
        let left = |allowed: f64| (allowed - self.spent) as u32;
        let iteration_limit = self.allowed.map(left);
        for worker in &mut self.workers[..threads] {
            worker.solver.iteration_limit = iteration_limit;
            worker.row_iterations = 0.0;
        }
        let workers = &mut self.workers[..threads];
        if let [only] = workers {
            only.work(problem, islands, (0, 1), effort, guess, is_chosen);
        } else {
            in_threads(workers, move |worker, i| {
                worker.work(problem, islands, (i, threads), effort, guess, is_chosen);
            });
        }
        let mut ending = Ending::default();
        for worker in &self.workers[..threads] {
            self.spent += worker.row_iterations / problem.rows.len().max(1) as f64;
            let mut from = 0;
            for (k, outcome) in &worker.done {
                let island = self.islands.island(*k);
                let to = from + island.rows.len();
                island.scatter(&worker.impulses[from..to], impulse);
                from = to;
                ending.groups += 1;
                ending.residual = ending.residual.at_least(outcome.residual());
                match outcome {
                    Outcome::Solved { iterations, .. } => {
                        ending.iterations += u64::from(*iterations);
                    }
                    Outcome::Bounded { .. } | Outcome::Inaccurate { .. } => ending.inexact += 1,
                    Outcome::Contradiction { .. } => ending.contradictions += 1,
                }
            }
        }
        self.move_bodies(problem, impulse, velocities);
        ending
    }

    // v = v_f + A^-1 G^T r
    fn move_bodies(&mut self, problem: &Problem, impulse: &[f64], velocities: &mut Vec<Six>) {
        self.pushed.clear();
        self.pushed.resize(problem.bodies.len(), [0.0; 6]);
        let mut rows = problem.rows.iter().zip(impulse);
        let of_contacts = problem.contacts.iter();
        let of_contacts =
            of_contacts.map(|constraint| (constraint.bodies, constraint.contact.rows()));
        let of_joints = problem
            .joints
            .iter()
            .map(|joint| (joint.bodies, joint.rows));
        for (bodies, n) in of_contacts.chain(of_joints) {
            for (row, r) in rows.by_ref().take(n).filter(|(_, r)| **r != 0.0) {
                for (entries, body) in row.entries.iter().zip(bodies) {
                    if body != GROUND {
                        let pushed = &mut self.pushed[body as usize];
                        (0..6).for_each(|k| pushed[k] += entries[k] * r);
                    }
                }
            }
        }
        velocities.clear();
        for (body, pushed) in problem.bodies.iter().zip(&self.pushed) {
            let mut v = body.velocity;
            for (v, inverse) in v.iter_mut().zip(&body.inverse_mass) {
                for k in 0..6 {
                    *v += inverse[k] * pushed[k];
                }
            }
            velocities.push(v);
        }
    }
}

impl Work {
    /// Solves the current problem, or that of the islands of selected bodies only.
    pub(super) fn solve(&mut self, effort: Effort, threads: u32, only_chosen: bool) -> Ending {
        let problem = Problem {
            bodies: &self.bodies,
            contacts: &self.constraints,
            joints: &self.joints,
            rows: &self.rows,
        };
        let is_chosen = &self.is_chosen;
        let chosen = |island: &Island| !only_chosen || is_chosen[island.bodies[0] as usize];
        let (impulse, end) = (&mut self.impulse, &mut self.end);
        self.solvers
            .solve_chosen(&problem, effort, threads as usize, impulse, end, chosen)
    }
}

impl Step<'_> {
    pub(super) fn effort(&self) -> Effort {
        match self.time_stepping.options.sweeps {
            Some(sweeps) => Effort::Sweeps(sweeps),
            None => Effort::Exact,
        }
    }

    /// Solves the current problem.
    pub(super) fn solve(&mut self) -> Result<(), StepError> {
        let is_chosen = &mut self.workspace.time_stepping.is_chosen;
        is_chosen.clear();
        is_chosen.resize(self.model.bodies.len(), true);
        self.solve_chosen()
    }

    /// The same for the islands of selected bodies.
    pub(super) fn solve_chosen(&mut self) -> Result<(), StepError> {
        let (effort, threads) = (self.effort(), self.time_stepping.options.threads);
        let work = &mut self.workspace.time_stepping;
        let ending = work.solve(effort, threads, true);
        let largest = work.rows.len() as u64;
        let is_finite =
            ending.residual.is_finite() && work.end.iter().flatten().all(|v| v.is_finite());
        let report = &mut *self.report;
        report.lcps += ending.groups;
        report.pivots += ending.iterations;
        report.largest_lcp = report.largest_lcp.max(largest);
        report.inexact_solves += ending.inexact;
        report.worst_residual = report.worst_residual.at_least(ending.residual);
        let time = self.state.time;
        if !is_finite {
            return Err(StepError::NotFinite { time });
        }
        if ending.contradictions > 0 {
            return Err(StepError::Unsolved {
                time,
                outcome: lcp::Outcome::Ray,
            });
        }
        Ok(())
    }
}
