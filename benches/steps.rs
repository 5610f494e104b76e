//! Time of a standard step of every shipped scene, by scheme.
//!
//! `cargo bench --bench steps` prints one line for each scene and scheme: the median time of a step, the mean (in
//! which the steps with events weigh), both as ratios to those of the scene's own scheme, and what the solver did.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{model, scene_names, scene_text};
use std::time::Instant;
use stiction::integrate::Report;
use stiction::scene::spec::{Scheme, Settings};
use stiction::{Model, Simulation};

/// Schemes and their names in scene files.
const SCHEMES: [(&str, Scheme); 7] = [
    ("trapezoidal", Scheme::Trapezoidal),
    ("trapezoidal_printed", Scheme::TrapezoidalPrinted),
    ("trapezoidal_average", Scheme::TrapezoidalAverage),
    ("implicit_euler", Scheme::ImplicitEuler),
    ("explicit_euler", Scheme::ExplicitEuler),
    ("position_euler", Scheme::PositionEuler),
    (
        "general 0.75 0.75",
        Scheme::General {
            alpha: 0.75,
            gamma: 0.75,
        },
    ),
];

/// Runs of each scene and scheme. Each step counts with the fastest of them: what disturbs it only adds.
const RUNS: usize = 15;

/// The same in space, where steps take longer, and the steps that are run there.
const RUNS_IN_SPACE: usize = 3;
const STEPS_IN_SPACE: u32 = 150;

struct Measured {
    median_us: f64,
    mean_us: f64,
    report: Report,
    /// The run ended early.
    failed: bool,
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// One run: microseconds of each standard step, and what happened.
fn run(model: &Model, scheme: Scheme) -> (Vec<f64>, Report, bool) {
    let settings = Settings {
        scheme,
        ..model.settings.clone()
    };
    let step = settings.step;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let mut n_steps = (model.until / step).round() as u32;
    if model.is_spatial() {
        n_steps = n_steps.min(STEPS_IN_SPACE);
    }
    let mut times = Vec::with_capacity(n_steps as usize);
    let mut failed = false;
    for i in 1..=n_steps {
        let start = Instant::now();
        failed = simulation.advance_to(f64::from(i) * step).is_err();
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if failed {
            break;
        }
        simulation.report_mut().events.clear();
    }
    (times, simulation.report().clone(), failed)
}

/// Runs all schemes in turn, so that a change of the processor's clock meets all of them alike.
fn measure(model: &Model) -> Vec<Measured> {
    let mut fastest = SCHEMES.map(|(_, scheme)| run(model, scheme));
    let runs = if model.is_spatial() {
        RUNS_IN_SPACE
    } else {
        RUNS
    };
    for _ in 1..runs {
        for ((_, scheme), (steps, ..)) in SCHEMES.iter().zip(&mut fastest) {
            let (times, ..) = run(model, *scheme);
            steps
                .iter_mut()
                .zip(times)
                .for_each(|(best, time)| *best = best.min(time));
        }
    }
    let summary = |(mut steps, report, failed): (Vec<f64>, Report, bool)| Measured {
        mean_us: steps.iter().sum::<f64>() / steps.len() as f64,
        median_us: median(&mut steps),
        report,
        failed,
    };
    fastest.into_iter().map(summary).collect()
}

fn scenes() -> Vec<(String, Model)> {
    let with_model = |name: String| (name.clone(), model(&scene_text(&name)));
    scene_names().into_iter().map(with_model).collect()
}

fn main() {
    println!(
        "{:21} {:20} {:>9} {:>6} {:>9} {:>6} {:>7} {:>9} {:>7} {:>7} {:>6} {:>7}",
        "scene",
        "scheme",
        "median/us",
        "ratio",
        "mean/us",
        "ratio",
        "steps",
        "substeps",
        "trials",
        "LCPs",
        "warm",
        "pivots"
    );
    for (name, model) in scenes() {
        let all = measure(&model);
        let is_own = |scheme: Scheme| scheme == model.settings.scheme;
        // a scene may ask for a scheme that is not in the list; then the first one serves
        let own = SCHEMES.iter().position(|(_, s)| is_own(*s)).unwrap_or(0);
        for ((scheme_name, scheme), measured) in SCHEMES.iter().zip(&all) {
            let report = &measured.report;
            let warm = if report.lcps == 0 {
                "-".to_owned()
            } else {
                format!("{:.2}", report.warm_hits as f64 / report.lcps as f64)
            };
            println!(
                "{name:21} {:20} {:9.2} {:6.2} {:9.2} {:6.2} {:7} {:9} {:7} {:7} {warm:>6} {:7}{}",
                format!("{scheme_name}{}", if is_own(*scheme) { " *" } else { "" }),
                measured.median_us,
                measured.median_us / all[own].median_us,
                measured.mean_us,
                measured.mean_us / all[own].mean_us,
                report.steps,
                report.substeps,
                report.trials,
                report.lcps,
                report.pivots,
                if measured.failed {
                    "  stopped early"
                } else {
                    ""
                }
            );
        }
    }
    println!("* the scene's own scheme, to which the ratios are taken");
}
