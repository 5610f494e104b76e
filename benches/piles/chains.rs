//! Chains: time by the number of links.

use super::{STEP, cpu, crowds, simulation};

/// Steps of one chain: 1 s.
const STEPS: usize = 200;
const ROUNDS: usize = 3;

/// Lengths take turns; the fastest round of each counts.
pub fn table() {
    println!(
        "{:>6} {:>9} {:>13} {:>7} {:>9} {:>9} {:>8}",
        "links", "us/step", "us/step/link", "ratio", "drift", "residual", "inexact"
    );
    let lengths = [50, 100, 200, 400];
    let mut seconds = [f64::INFINITY; 4];
    let mut told = Vec::new();
    for round in 0..ROUNDS {
        for (i, n) in lengths.into_iter().enumerate() {
            let mut simulation = simulation(&crowds::chain(n));
            let total = cpu::seconds(|| {
                simulation
                    .advance_to(STEP * STEPS as f64)
                    .unwrap_or_else(|error| panic!("{error}"));
            });
            seconds[i] = seconds[i].min(total / STEPS as f64);
            if round == 0 {
                let report = simulation.report();
                told.push((
                    report.worst_joint_drift,
                    report.worst_residual,
                    report.inexact_solves,
                ));
            }
        }
    }
    for (i, n) in lengths.into_iter().enumerate() {
        let ratio = match i.checked_sub(1) {
            Some(before) => format!("{:.2}", seconds[i] / seconds[before]),
            None => String::new(),
        };
        let (drift, residual, inexact) = told[i];
        println!(
            "{n:6} {:9.1} {:13.3} {ratio:>7} {drift:9.1e} {residual:9.1e} {inexact:8}",
            1e6 * seconds[i],
            1e6 * seconds[i] / n as f64,
        );
    }
}
