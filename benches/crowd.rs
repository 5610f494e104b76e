//! Generated piles of spheres by the solver of many contacts.
//!
//! `cargo bench --bench crowd -- <contacts> <first seed> <count>`

#[path = "../tests/common/piles.rs"]
mod piles;

use std::time::Instant;

use piles::{Motion, Pile, generate};
use stiction::lcp::crowd::{ACCEPTED_RESIDUAL, Effort, Solver, residual};

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let (contacts, first, count) = match numbers[..] {
        [c, f, n, ..] => (c as usize, f, n),
        _ => (300, 1000, 12),
    };
    for friction in [0.1, 0.4, 1.0, 2.0] {
        for (label, motion, copies, noise, heavy) in [
            ("rest", Motion::Rest, 0, 0.0, 1.0),
            ("impact", Motion::Impact, 0, 0.0, 1.0),
            ("gaps", Motion::Gaps, 0, 0.0, 1.0),
            ("heavy", Motion::Rest, 0, 0.0, 1e4),
            ("copies 0", Motion::Impact, 20, 0.0, 1.0),
            ("copies 1e-9", Motion::Impact, 20, 1e-9, 1.0),
            ("copies 1e-7", Motion::Impact, 20, 1e-7, 1.0),
        ] {
            let mut solver = Solver::default();
            let (mut times, mut failed, mut worst) = (Vec::new(), 0, 0.0_f64);
            for seed in first..first + count {
                let pile = generate(&Pile {
                    copies,
                    noise,
                    heavy,
                    ..Pile::new(seed, contacts, friction, motion)
                });
                let problem = pile.problem();
                let mut r = vec![0.0; problem.rows.len()];
                let start = Instant::now();
                solver.solve(&problem, Effort::Exact, &mut r);
                times.push(start.elapsed().as_secs_f64() * 1e3);
                let judged = residual(&problem, &r);
                if judged > ACCEPTED_RESIDUAL {
                    failed += 1;
                }
                worst = worst.max(judged);
            }
            times.sort_by(f64::total_cmp);
            println!(
                "{contacts:5} mu {friction:3} {label:12} failed {failed:2} of {count:2} worst {worst:8.1e} ms median {:8.2} max {:8.2}  it {:5.1} sweeps {:5.1} retries {} continuations {}",
                times[times.len() / 2],
                times[times.len() - 1],
                solver.stats.iterations as f64 / count as f64,
                solver.stats.sweeps as f64 / count as f64,
                solver.stats.retries,
                solver.stats.continuations,
            );
        }
    }
}
