//! Chains: time by the number of links.

use super::{cpu, simulation, time_stepping_scenes};

/// Of one run, s.
const TIME: f64 = 1.0;
const ROUNDS: usize = 3;
const LENGTHS: [usize; 4] = [50, 100, 200, 400];

/// Lengths take turns; the fastest round of each counts. A run that failed says so.
pub fn table() {
    println!(
        "{:>6} {:>8} {:>9} {:>13} {:>7} {:>9} {:>9} {:>8}",
        "links", "step/s", "us/step", "us/step/link", "ratio", "drift", "residual", "inexact"
    );
    for step in [0.005, 0.0025] {
        table_of(step);
    }
}

fn table_of(step: f64) {
    let mut seconds = [f64::INFINITY; LENGTHS.len()];
    let mut told = Vec::new();
    for round in 0..ROUNDS {
        for (i, n) in LENGTHS.into_iter().enumerate() {
            let text =
                time_stepping_scenes::chain(n).replace("step = 0.005", &format!("step = {step}"));
            let mut simulation = simulation(&text);
            let mut run = Ok(());
            let total = cpu::seconds(|| run = simulation.advance_to(TIME));
            let report = simulation.report();
            seconds[i] = seconds[i].min(total / report.steps as f64);
            if round == 0 {
                let ended = run.map_or_else(|error| error.to_string(), |()| String::new());
                let worst = [report.worst_joint_drift, report.worst_residual];
                told.push((worst, report.inexact_solves, ended));
            }
        }
    }
    for (i, n) in LENGTHS.into_iter().enumerate() {
        let ratio = match i.checked_sub(1) {
            Some(before) => format!("{:.2}", seconds[i] / seconds[before]),
            None => String::new(),
        };
        let ([drift, residual], inexact, ended) = &told[i];
        println!(
            "{n:6} {step:8} {:9.1} {:13.3} {ratio:>7} {drift:9.1e} {residual:9.1e} {inexact:8} {ended}",
            1e6 * seconds[i],
            1e6 * seconds[i] / n as f64,
        );
    }
}
