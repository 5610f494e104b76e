//! Times of the complementarity solver on the saved contact problems: cold, and warm after the vector moved by 1 %.
//!
//! `cargo bench --bench lcp` prints a table; with `-- --csv` it prints `name,n,cold_us,warm_us,pivots`, one line each.
//! `--only <name>` leaves out all other problems.

#[path = "../tests/common/mod.rs"]
mod common;

use common::cpu::median;
use common::problems::{StoredProblem, stored_problems};
use std::time::Instant;

use stiction::contact::lcp::{Outcome, Problem, Solver};

struct Times {
    name: String,
    n: usize,
    cold_us: f64,
    warm_us: f64,
    pivots: u32,
    /// Pivots that the perturbed problems needed after all.
    warm_pivots: f64,
}

fn measure(instance: &StoredProblem) -> Times {
    const PERTURBATIONS: usize = 9;
    let (n, matrix) = (instance.n, instance.matrix());
    let mut solver = Solver::with_capacity(n);
    let problem = Problem {
        n,
        matrix: &matrix,
        vector: &instance.vector,
    };
    let mut z = vec![0.0; n];
    let mut solution_basis = vec![false; n];
    let Outcome::Solved { pivots, .. } = solver.solve(&problem, &mut solution_basis, &mut z) else {
        panic!("{} is not solved", instance.name);
    };
    let repeats = (300_000_000 / (n * n * n)).clamp(5, 3000);
    let mut basis = vec![false; n];
    // 50 ms of the same work first: caches, branch predictors and the clock of the processor settle
    let start = Instant::now();
    while start.elapsed().as_millis() < 50 {
        basis.fill(false);
        solver.solve(&problem, &mut basis, &mut z);
    }
    let cold = (0..repeats).map(|_| {
        basis.fill(false);
        let start = Instant::now();
        solver.solve(&problem, &mut basis, &mut z);
        start.elapsed().as_secs_f64() * 1e6
    });
    let cold_us = median(cold.collect());

    // all components of a contact move by the same up to 1 %: directions stay pairs of opposites
    solver.reset_stats();
    let mut warm = Vec::new();
    for pattern in 0..PERTURBATIONS {
        let shake = |(i, q): (usize, &f64)| {
            q * (1.0
                + 0.01 * (((instance.contact(i) * 37 + pattern * 101) % 201) as f64 / 100.0 - 1.0))
        };
        let vector: Vec<f64> = instance.vector.iter().enumerate().map(shake).collect();
        let problem = Problem {
            n,
            matrix: &matrix,
            vector: &vector,
        };
        for _ in 0..repeats.div_ceil(PERTURBATIONS) {
            basis.copy_from_slice(&solution_basis);
            let start = Instant::now();
            solver.solve(&problem, &mut basis, &mut z);
            warm.push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    let warm_pivots = solver.stats.pivots as f64 / solver.stats.solves as f64;
    Times {
        name: instance.name.clone(),
        n,
        cold_us,
        warm_us: median(warm),
        pivots,
        warm_pivots,
    }
}

fn main() {
    let mut problems = stored_problems();
    let csv = std::env::args().any(|argument| argument == "--csv");
    let mut only = std::env::args().skip_while(|argument| argument != "--only");
    if let Some(name) = only.nth(1) {
        problems.retain(|problem| problem.name == name);
    }
    let mut all = Vec::new();
    for problem in &problems {
        let times = measure(problem);
        if csv {
            println!(
                "{},{},{:.3},{:.3},{}",
                times.name, times.n, times.cold_us, times.warm_us, times.pivots
            );
        }
        all.push(times);
    }
    if csv {
        return;
    }
    let mut sizes: Vec<usize> = all.iter().map(|times| times.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    println!(
        "{:>5} {:>9} {:>12} {:>8} {:>12} {:>12} {:>6}",
        "n", "problems", "cold/us", "pivots", "warm/us", "warm pivots", "ratio"
    );
    for n in sizes {
        let group = || all.iter().filter(move |times| times.n == n);
        let cold = median(group().map(|t| t.cold_us).collect());
        let warm = median(group().map(|t| t.warm_us).collect());
        let pivots = median(group().map(|t| f64::from(t.pivots)).collect());
        let warm_pivots = median(group().map(|t| t.warm_pivots).collect());
        let count = group().count();
        println!(
            "{n:5} {count:9} {cold:12.1} {pivots:8} {warm:12.1} {warm_pivots:12.1} {:6.1}",
            cold / warm
        );
    }
}
