//! Times of the solver of exact friction cones on the saved contact problems, cold and warm after the vector moved by 1 %,
//! next to those of Lemke's method on the pyramids of the same problems.
//!
//! `cargo bench --bench cones` prints a table; with `-- --csv` one line per problem.

#[path = "../tests/common/mod.rs"]
mod common;

use common::cpu::{self, median};
use common::problems::{StoredProblem, stored_problems};
use std::time::Instant;

use stiction::contact::dense::{Outcome, Problem, Solver};
use stiction::contact::lcp;

struct Times {
    name: String,
    contacts: usize,
    directions: usize,
    cold_us: f64,
    iterations: u32,
    warm_us: f64,
    warm_iterations: f64,
    lemke_cold_us: f64,
    lemke_warm_us: f64,
}

const PERTURBATIONS: usize = 9;

/// Up to 1 %, the same for all components of a contact: directions stay pairs of opposites.
fn moved(pattern: usize, contact: usize) -> f64 {
    1.0 + 0.01 * (((contact * 37 + pattern * 101) % 201) as f64 / 100.0 - 1.0)
}

/// Median of repeated calls in microseconds, after 30 ms of the same work: caches and the processor's clock settle.
fn time(repeats: usize, mut work: impl FnMut(usize) -> f64) -> f64 {
    let start = Instant::now();
    while start.elapsed().as_millis() < 30 {
        work(0);
    }
    median((0..repeats).map(work).collect())
}

/// Of the processor, so that other work on the machine does not count; many times over, because its clock ticks in
/// microseconds.
fn elapsed_us(times: usize, mut work: impl FnMut()) -> f64 {
    let all = cpu::seconds(|| (0..times).for_each(|_| work()));
    all * 1e6 / times as f64
}

fn measure(instance: &StoredProblem) -> Times {
    let nc = instance.n_contacts;
    let (matrix, vector, contacts) = instance.with_cones();
    let n = vector.len();
    let vectors: Vec<Vec<f64>> = (0..=PERTURBATIONS)
        .map(|pattern| {
            let factor = |row: usize| {
                if pattern == 0 {
                    1.0
                } else {
                    moved(pattern, row / 3)
                }
            };
            let rows = vector.iter().enumerate();
            rows.map(|(row, q)| q * factor(row)).collect()
        })
        .collect();
    let problem = |pattern: usize| Problem {
        n,
        matrix: &matrix,
        vector: &vectors[pattern],
        contacts: &contacts,
    };
    let mut solver = Solver::with_capacity(n);
    let mut solution = vec![0.0; n];
    let Outcome::Solved { iterations, .. } = solver.solve(&problem(0), &mut solution) else {
        panic!("{} is not solved", instance.name);
    };
    let repeats = (30_000_000 / (n * n * n)).clamp(9, 100);
    // where nothing is kept
    let times = if n < 64 { 50 } else { 1 };
    let mut r = vec![0.0; n];
    // the same contacts the other way round: nothing that the solver keeps from one problem to the next helps
    let turned = |i: usize| 3 * (nc - 1 - i / 3) + i % 3;
    let other_matrix: Vec<f64> = (0..n * n)
        .map(|k| matrix[turned(k / n) * n + turned(k % n)])
        .collect();
    let other_vector: Vec<f64> = (0..n).map(|i| vectors[0][turned(i)]).collect();
    let other = Problem {
        n,
        matrix: &other_matrix,
        vector: &other_vector,
        contacts: &contacts,
    };
    let cold_us = time(repeats, |_| {
        r.fill(0.0);
        solver.solve(&other, &mut r);
        elapsed_us(times, || {
            r.fill(0.0);
            solver.solve(&problem(0), &mut r);
        })
    });
    solver.reset_stats();
    let warm_us = time(repeats, |k| {
        elapsed_us(times, || {
            r.copy_from_slice(&solution);
            let outcome = solver.solve(&problem(1 + k % PERTURBATIONS), &mut r);
            assert!(
                matches!(outcome, Outcome::Solved { .. }),
                "{}",
                instance.name
            );
        })
    });
    let warm_iterations = solver.stats.iterations as f64 / solver.stats.solves as f64;

    let [lemke_cold_us, lemke_warm_us] = measure_lemke(instance);
    Times {
        name: instance.name.clone(),
        contacts: nc,
        directions: instance.n_directions,
        cold_us,
        iterations,
        warm_us,
        warm_iterations,
        lemke_cold_us,
        lemke_warm_us,
    }
}

/// Lemke's method on the pyramids, cold and warm.
fn measure_lemke(instance: &StoredProblem) -> [f64; 2] {
    let all = instance.n;
    let dense = instance.matrix();
    let vectors: Vec<Vec<f64>> = (0..=PERTURBATIONS)
        .map(|pattern| {
            let factor = |i: usize| {
                if pattern == 0 {
                    1.0
                } else {
                    moved(pattern, instance.contact(i))
                }
            };
            let rows = instance.vector.iter().enumerate();
            rows.map(|(i, q)| q * factor(i)).collect()
        })
        .collect();
    let pyramids = |pattern: usize| lcp::Problem {
        n: all,
        matrix: &dense,
        vector: &vectors[pattern],
    };
    let mut lemke = lcp::Solver::with_capacity(all);
    let (mut solution_basis, mut z) = (vec![false; all], vec![0.0; all]);
    lemke.solve(&pyramids(0), &mut solution_basis, &mut z);
    let mut basis = vec![false; all];
    let repeats = (100_000_000 / (all * all * all)).clamp(3, 100);
    let times = (1_000_000 / (all * all)).clamp(1, 50);
    let cold_us = time(repeats, |_| {
        elapsed_us(times, || {
            basis.fill(false);
            lemke.solve(&pyramids(0), &mut basis, &mut z);
        })
    });
    let warm_us = time(repeats, |k| {
        elapsed_us(times, || {
            basis.copy_from_slice(&solution_basis);
            lemke.solve(&pyramids(1 + k % PERTURBATIONS), &mut basis, &mut z);
        })
    });
    [cold_us, warm_us]
}

fn main() {
    let csv = std::env::args().any(|argument| argument == "--csv");
    let mut all = Vec::new();
    for problem in &stored_problems() {
        let times = measure(problem);
        if csv {
            println!(
                "{},{:.3},{:.3},{},{:.1},{:.3},{:.3}",
                times.name,
                times.cold_us,
                times.warm_us,
                times.iterations,
                times.warm_iterations,
                times.lemke_cold_us,
                times.lemke_warm_us
            );
        }
        all.push(times);
    }
    if csv {
        return;
    }
    let mut sizes: Vec<(usize, usize)> = all.iter().map(|t| (t.contacts, t.directions)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    println!("medians in microseconds; the cones are those of the same problems");
    println!(
        "{:>8} {:>10} {:>8} {:>9} {:>6} {:>9} {:>7} {:>12} {:>12}",
        "contacts",
        "directions",
        "problems",
        "cold",
        "it",
        "warm",
        "warm it",
        "lemke cold",
        "lemke warm"
    );
    for size in sizes {
        let group = || all.iter().filter(|t| (t.contacts, t.directions) == size);
        let of = |f: &dyn Fn(&Times) -> f64| median(group().map(f).collect());
        println!(
            "{:8} {:10} {:8} {:9.1} {:6} {:9.1} {:7.1} {:12.1} {:12.1}",
            size.0,
            size.1,
            group().count(),
            of(&|t| t.cold_us),
            of(&|t| f64::from(t.iterations)),
            of(&|t| t.warm_us),
            of(&|t| t.warm_iterations),
            of(&|t| t.lemke_cold_us),
            of(&|t| t.lemke_warm_us)
        );
    }
}
