//! Generated piles of spheres by the solver of many contacts: exact, cold and warm, and with bounded effort.
//!
//! `cargo bench --bench body_blocks -- [kind=heap|jam|stack|bounded] [contacts=300] [friction=0.4] [seed=1000] [count=12] [motion=rest] [warm=1]`
//!
//! Seeds below 1000 were used while the solver was written, those above were not.

#[path = "../tests/common/mod.rs"]
mod common;

use common::cpu::{self, median};
use common::piles::{Motion, Owned, Packing, Pile, generate, random};
use common::random::Random as _;
use stiction::contact::body_blocks::{ACCEPTED_RESIDUAL, Effort, Solver, residual};

fn argument(name: &str) -> Option<String> {
    let start = format!("{name}=");
    std::env::args().find_map(|a| a.strip_prefix(&start).map(String::from))
}

fn number(name: &str, otherwise: f64) -> f64 {
    argument(name)
        .and_then(|a| a.parse().ok())
        .unwrap_or(otherwise)
}

fn timed_ms(work: impl FnOnce()) -> f64 {
    cpu::seconds(work) * 1e3
}

/// Free velocities moved by up to 1 %.
fn moved(owned: &Owned, seed: u64) -> Owned {
    let mut random = random(seed);
    let mut other = owned.clone();
    for body in &mut other.bodies {
        body.velocity = body.velocity.map(|v| v * (1.0 + 0.01 * random.signed()));
    }
    other
}

fn exact(contacts: usize, friction: f64, first: u64, count: u64, packing: Packing) {
    let mut kinds = vec![
        ("rest", Motion::Rest, 0, 0.0, 1.0),
        ("impact", Motion::Impact, 0, 0.0, 1.0),
        ("gaps", Motion::Gaps, 0, 0.0, 1.0),
        ("masses 1:1e4", Motion::Rest, 0, 0.0, 1e4),
    ];
    kinds.extend([
        ("copies", Motion::Impact, 20, 0.0, 1.0),
        ("copies 1e-9", Motion::Impact, 20, 1e-9, 1.0),
        ("copies 1e-7", Motion::Impact, 20, 1e-7, 1.0),
    ]);
    let wanted = argument("motion");
    for (label, motion, copies, noise, heavy) in kinds {
        if wanted.as_deref().is_some_and(|w| w != label) {
            continue;
        }
        let (mut cold, mut warm) = (Vec::new(), Vec::new());
        let (mut failed, mut warm_failed, mut worst) = (0, 0, 0.0_f64);
        let mut solver = Solver::default();
        for seed in first..first + count {
            let pile = generate(&Pile {
                copies,
                noise,
                heavy,
                packing,
                ..Pile::new(seed, contacts, friction, motion)
            });
            let mut r = vec![0.0; pile.rows.len()];
            cold.push(timed_ms(|| {
                solver.solve(&pile.problem(), Effort::Exact, &mut r);
            }));
            let checked = residual(&pile.problem(), &r);
            worst = worst.max(checked);
            if checked > ACCEPTED_RESIDUAL {
                failed += 1;
                continue;
            }
            if number("warm", 1.0) == 0.0 {
                continue;
            }
            let next = moved(&pile, seed);
            warm.push(timed_ms(|| {
                solver.solve(&next.problem(), Effort::Exact, &mut r);
            }));
            warm_failed += usize::from(residual(&next.problem(), &r) > ACCEPTED_RESIDUAL);
        }
        let slowest = cold.iter().fold(0.0_f64, |m, x| m.max(*x));
        println!(
            "{:5} {contacts:5} mu {friction:3} {label:12} cold: failed {failed:2} of {count:2}, worst residual {worst:7.1e}, \
             median {:8.1} ms, slowest {slowest:9.1} ms; warm: failed {warm_failed:2} of {:2}, median {:8.1} ms; follows {}, lasts {}",
            format!("{packing:?}").to_lowercase(),
            median(cold),
            warm.len(),
            if warm.is_empty() {
                f64::NAN
            } else {
                median(warm)
            },
            solver.stats.lagged_slips,
            solver.stats.last_resorts,
        );
    }
}

fn bounded(contacts: usize, friction: f64, seed: u64) {
    let pile = generate(&Pile {
        packing: Packing::Heap,
        ..Pile::new(seed, contacts, friction, Motion::Rest)
    });
    let mut solver = Solver::default();
    let mut r = vec![0.0; pile.rows.len()];
    let mut last = 0.0;
    let mut times = Vec::new();
    for _ in 0..50 {
        times.push(timed_ms(|| {
            last = solver
                .solve(
                    &pile.problem(),
                    Effort::Sweeps(number("sweeps", 30.0) as u32),
                    &mut r,
                )
                .residual;
        }));
    }
    println!(
        "bounded: {} spheres, {contacts} contacts, 30 sweeps: median {:.3} ms, first residual to last {last:.1e}",
        pile.bodies.len(),
        median(times)
    );
}

fn main() {
    let contacts = number("contacts", 300.0) as usize;
    let friction = number("friction", 0.4);
    let (seed, count) = (number("seed", 1000.0) as u64, number("count", 12.0) as u64);
    match argument("kind").as_deref() {
        Some("bounded") => bounded(contacts, friction, seed),
        Some("jam") => exact(contacts, friction, seed, count, Packing::Jam),
        Some("stack") => exact(contacts, friction, seed, count, Packing::Stack),
        _ => exact(contacts, friction, seed, count, Packing::Heap),
    }
}
