//! Accuracy for processor time: steps by tolerance beside the fixed steps of order two.
//!
//! `cargo bench --bench accuracy` prints the time to reach an error of 1e-6 and of 1e-8 either way, and the ratio.
//! `cargo bench --bench accuracy -- --csv` prints work and error of every scene that has a reference, for many
//! tolerances and steps, as CSV. `-- --reach GOAL SCENE` prints our seconds to reach an error, for other scripts.

mod cases;
#[path = "../../tests/common/mod.rs"]
mod common;

use cases::Case;
use common::cpu;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

/// How a run is taken.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Steps of order two and of this length, s.
    Fixed(f64),
    /// Steps by tolerance.
    Tolerance(f64),
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Fixed(_) => "fixed",
            Way::Tolerance(_) => "tolerance",
        }
    }

    fn parameter(self) -> f64 {
        match self {
            Way::Fixed(x) | Way::Tolerance(x) => x,
        }
    }
}

/// Rounds in which the two ways take turns.
const ROUNDS: usize = 15;

/// A round of one way takes this long at least, s.
const ROUND: f64 = 0.05;

/// Steps are halved until a run takes longer than this, s.
const LONGEST_RUN: f64 = 0.3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--csv", ..] => work_precision(),
        ["--reach", goal, scene, ..] => reach(goal.parse().expect("a number"), scene),
        _ => race(),
    }
}

/// A run at its start.
fn prepared(case: &Case, way: Way) -> Simulation {
    let mut settings = case.model.settings.clone();
    match way {
        Way::Fixed(step) => {
            settings.scheme = Scheme::Trapezoidal;
            settings.step = step;
        }
        Way::Tolerance(tolerance) => settings.tolerance = Some(tolerance),
    }
    Simulation::with_settings(case.model.clone(), settings)
}

/// A run to the end; none if it stops before.
fn run(case: &Case, way: Way) -> Option<Simulation> {
    let mut simulation = prepared(case, way);
    let result = simulation.advance_to(case.until);
    result.is_ok().then_some(simulation)
}

/// Processor time of one of `n` runs, without making model and workspace, s.
fn seconds_of(case: &Case, way: Way, n: usize) -> f64 {
    let mut runs: Vec<Simulation> = (0..n).map(|_| prepared(case, way)).collect();
    let taken = cpu::seconds(|| {
        for run in &mut runs {
            // some ways stop before the end; then the time up to there counts
            let _ = run.advance_to(case.until);
        }
    });
    taken / n as f64
}

/// How many runs fill `least` seconds.
fn repetitions(case: &Case, way: Way, least: f64) -> usize {
    let mut n = 1;
    while n < 1 << 10 && seconds_of(case, way, n) * (n as f64) < least {
        n *= 2;
    }
    n
}

fn error(case: &Case, way: Way) -> f64 {
    run(case, way).map_or(f64::INFINITY, |end| case.error(&end.state().position))
}

/// Tolerances from 1e-2 down, ten to a decade.
fn tolerances() -> impl Iterator<Item = Way> {
    (20..=120).map(|k| Way::Tolerance(10_f64.powf(-f64::from(k) / 10.0)))
}

/// Whole numbers of steps, each an eighth larger than the one before.
fn steps(case: &Case) -> impl Iterator<Item = Way> + use<> {
    let until = case.until;
    let n = std::iter::successors(Some(50_u32), |n| Some(n + n / 8));
    n.map(move |n| Way::Fixed(until / f64::from(n)))
}

/// The cheapest way that reaches the goal and is not there by chance: the next four reach it as well.
fn first_to_reach(case: &Case, goal: f64, ways: impl Iterator<Item = Way>) -> Way {
    let mut in_row = Vec::new();
    for way in ways {
        if error(case, way) <= goal {
            in_row.push(way);
        } else {
            in_row.clear();
        }
        if in_row.len() == 5 {
            return in_row[0];
        }
    }
    panic!("{} does not reach {goal:e}", case.name);
}

fn race() {
    println!(
        "{:12} {:>6}  {:>9} {:>8} {:>9} {:>9}  {:>9} {:>8} {:>9} {:>9}  {:>6}",
        "scene",
        "goal",
        "tolerance",
        "error",
        "factored",
        "ms",
        "step",
        "error",
        "factored",
        "ms",
        "ratio"
    );
    for case in [cases::pendulum(), cases::carts("S1e2")] {
        for goal in [1e-6, 1e-8] {
            let ways = [
                first_to_reach(&case, goal, tolerances()),
                first_to_reach(&case, goal, steps(&case)),
            ];
            let times = in_turn(&case, &ways);
            let ratio = cpu::median(times.iter().map(|[a, b]| b / a).collect());
            print!("{:12} {goal:6.0e}", case.name);
            for (i, way) in ways.into_iter().enumerate() {
                let end = run(&case, way).expect("it has reached the goal");
                print!(
                    "  {:9.2e} {:8.1e} {:9} {:9.3}",
                    way.parameter(),
                    case.error(&end.state().position),
                    end.report().factorizations,
                    1e3 * cpu::median(times.iter().map(|pair| pair[i]).collect()),
                );
            }
            println!("  {ratio:6.1}");
        }
    }
}

/// Seconds of both ways, round by round.
fn in_turn(case: &Case, ways: &[Way; 2]) -> Vec<[f64; 2]> {
    let n = ways.map(|way| repetitions(case, way, ROUND));
    (0..ROUNDS)
        .map(|_| [0, 1].map(|i| seconds_of(case, ways[i], n[i])))
        .collect()
}

fn reach(goal: f64, scene: &str) {
    let found = cases::all().into_iter().find(|case| case.name == scene);
    let case = found.expect("a scene with a reference");
    let way = first_to_reach(&case, goal, tolerances());
    println!("{},{:e}", seconds(&case, way), error(&case, way));
}

fn seconds(case: &Case, way: Way) -> f64 {
    let n = repetitions(case, way, 0.2 * ROUND);
    cpu::median((0..5).map(|_| seconds_of(case, way, n)).collect())
}

fn work_precision() {
    println!("scene,way,parameter,error,factorizations,lcps,steps,events,seconds");
    for case in cases::all() {
        for k in 6..=24 {
            row(&case, Way::Tolerance(10_f64.powf(-f64::from(k) / 2.0)));
        }
        let halvings = std::iter::successors(Some(case.until / 64.0), |h| Some(0.5 * h));
        for step in halvings {
            if row(&case, Way::Fixed(step)) > LONGEST_RUN {
                break;
            }
        }
    }
}

/// Prints one run; the seconds that it takes.
fn row(case: &Case, way: Way) -> f64 {
    let Some(end) = run(case, way) else {
        return 0.0;
    };
    let seconds = seconds(case, way);
    let report = end.report();
    println!(
        "{},{},{:e},{:e},{},{},{},{},{seconds:e}",
        case.name.replace(',', ""),
        way.name(),
        way.parameter(),
        case.error(&end.state().position),
        report.factorizations,
        report.lcps,
        report.steps,
        report.n_events.total(),
    );
    seconds
}
