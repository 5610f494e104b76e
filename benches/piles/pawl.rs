//! The pawl: time with and without the filter of contacts that others hold for.

use super::{cpu, simulation, time_stepping_scenes};

/// Of one run, s.
const TIME: f64 = 1.0;
const ROUNDS: usize = 3;
/// Pads along one side of a face.
const SIDES: [usize; 4] = [6, 7, 10, 16];
/// m.
const MERGE_DISTANCE: f64 = 1e-4;
const LEAST_RATIO: f64 = 10.0;

/// With and without take turns; the fastest round of each counts. False if 200 pads or more miss the ratio.
pub fn table() -> bool {
    println!(
        "{:>5} {:>8} {:>12} {:>12} {:>8} {:>12}",
        "pads", "radii", "us/step with", "without", "ratio", "apart by, m"
    );
    let mut is_met = true;
    for are_alike in [true, false] {
        for n in SIDES {
            let mut seconds = [f64::INFINITY; 2];
            let mut places = [Vec::new(), Vec::new()];
            for _ in 0..ROUNDS {
                for (i, merge) in [MERGE_DISTANCE, 0.0].into_iter().enumerate() {
                    let mut simulation =
                        simulation(&time_stepping_scenes::pawl(n, merge, are_alike));
                    let mut run = Ok(());
                    let total = cpu::seconds(|| run = simulation.advance_to(TIME));
                    run.unwrap_or_else(|error| panic!("{error}"));
                    seconds[i] = seconds[i].min(total / simulation.report().steps as f64);
                    places[i].clone_from(&simulation.state().position);
                }
            }
            let [with, without] = seconds;
            let ratio = without / with;
            let both = places[0].iter().zip(&places[1]);
            let apart = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let (pads, radii) = (2 * n * n, if are_alike { "one" } else { "many" });
            println!(
                "{pads:5} {radii:>8} {:12.1} {:12.1} {ratio:8.1} {apart:12.1e}",
                1e6 * with,
                1e6 * without
            );
            is_met &= pads < 200 || !are_alike || (ratio >= LEAST_RATIO && apart <= MERGE_DISTANCE);
        }
    }
    is_met
}
