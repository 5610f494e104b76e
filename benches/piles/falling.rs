//! A pile that falls, comes to rest, and sleeps.

use super::{STEP, cpu, simulation, time_stepping_scenes};
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};

const STEPS: usize = 300;
/// Steps at the end whose mean time is told apart.
const LAST: usize = 100;

/// What the report says of one step.
struct Step {
    seconds: f64,
    residual: f64,
    /// Groups of bodies, and those among them that were not solved exactly.
    groups: u64,
    inexact: u64,
    located: u64,
    is_one: bool,
    contacts: usize,
    penetration: f64,
}

/// Half the width between the walls, then the places.
pub fn grid(n: usize) {
    println!("{:?}", time_stepping_scenes::half_width(n));
    for place in simulation(&time_stepping_scenes::pile(n, ""))
        .state()
        .position
        .chunks_exact(6)
    {
        println!("{:?} {:?} {:?}", place[0], place[1], place[2]);
    }
}

// takes steps until the limit of processor time; shows the places after each
fn steps(n: usize, rules: &str, limit: f64, mut show: impl FnMut(&[f64])) -> (Vec<Step>, f64) {
    let mut simulation = simulation(&time_stepping_scenes::pile(n, rules));
    let (mut steps, mut total) = (Vec::new(), 0.0);
    while steps.len() < STEPS && total < limit {
        let before = simulation.report().clone();
        let report = simulation.report_mut();
        report.worst_residual = 0.0;
        report.events.clear();
        let end = STEP * (steps.len() + 1) as f64;
        let seconds = cpu::seconds(|| {
            simulation
                .advance_to(end)
                .unwrap_or_else(|error| panic!("{error}"));
        });
        total += seconds;
        let report = simulation.report();
        steps.push(Step {
            seconds,
            residual: report.worst_residual,
            groups: report.lcps - before.lcps,
            inexact: report.inexact_solves - before.inexact_solves,
            located: report.located_impacts - before.located_impacts,
            is_one: report.unlocated_steps > before.unlocated_steps,
            contacts: simulation.state().time_stepping.contacts.len(),
            penetration: report.end_penetration,
        });
        show(&simulation.state().position);
    }
    (steps, simulation.report().lifted)
}

fn mean(steps: &[Step]) -> f64 {
    steps.iter().map(|step| step.seconds).sum::<f64>() / steps.len() as f64
}

/// Prints the steps as JSON and writes the places after each of them.
pub fn run(n: usize, rules: &str, limit: f64, trace: &str) {
    let mut file = BufWriter::new(File::create(trace).unwrap());
    // nothing sleeps, as in the other engines
    let rules = format!("{rules}\nsleep_speed = 0");
    let (steps, lifted) = steps(n, &rules, limit, |position| {
        for place in position.chunks_exact(6) {
            for x in &place[..3] {
                file.write_all(&x.to_le_bytes()).unwrap();
            }
        }
    });
    let column = |f: &dyn Fn(&Step) -> f64| steps.iter().map(f).collect::<Vec<_>>();
    println!(
        "{}",
        json!({
            "seconds": column(&|s| s.seconds),
            "residual": column(&|s| s.residual),
            "groups": column(&|s| s.groups as f64),
            "inexact": column(&|s| s.inexact as f64),
            "located": column(&|s| s.located as f64),
            "as_one": column(&|s| f64::from(u8::from(s.is_one))),
            "contacts": column(&|s| s.contacts as f64),
            "lifted": lifted,
        })
    );
}

/// Prints as JSON when all spheres sleep, with the rules for it that scenes have by default. Without friction against rolling
/// and turning, m, those that roll alone go on for good.
pub fn rest(n: usize, rules: &str, rolling: &str, limit: f64) {
    let text = time_stepping_scenes::pile(n, rules).replace(
        "friction = 0.4\n",
        &format!("friction = 0.4\nrolling_friction = {rolling}\ntorsional_friction = {rolling}\n"),
    );
    let mut simulation = simulation(&text);
    let (mut total, mut asleep, mut time) = (0.0, 0, 0.0);
    let mut of_last_step = 0.0;
    let mut most_asleep = None;
    while asleep < n && total < limit && time < 30.0 {
        time += STEP;
        of_last_step = cpu::seconds(|| {
            simulation
                .advance_to(time)
                .unwrap_or_else(|error| panic!("{error}"));
        });
        total += of_last_step;
        let sleep_timer = &simulation.state().time_stepping.sleep_timer;
        asleep = sleep_timer.iter().filter(|t| t.is_infinite()).count();
        if most_asleep.is_none() && 10 * asleep >= 9 * n {
            most_asleep = Some(time);
        }
    }
    let mut asleep_step = None;
    if asleep == n {
        let after = cpu::seconds(|| {
            simulation
                .advance_to(time + 1000.0 * STEP)
                .unwrap_or_else(|error| panic!("{error}"));
        });
        asleep_step = Some(after / 1000.0);
    }
    println!(
        "{}",
        json!({
            "time": time,
            "asleep": asleep,
            "nine_tenths": most_asleep,
            "seconds": total,
            "seconds_of_last_step": of_last_step,
            "seconds_of_step_asleep": asleep_step,
            "penetration": simulation.report().end_penetration,
            "kinetic": simulation.energy().kinetic,
        })
    );
}

/// Small piles in both modes.
pub fn table() {
    println!(
        "{:>5} {:12} {:>9} {:>9} {:>9} {:>8} {:>9} {:>9} {:>7} {:>7} {:>8}",
        "n",
        "rules",
        "ms/step",
        "last",
        "most",
        "contacts",
        "residual",
        "overlap",
        "inexact",
        "as one",
        "located"
    );
    for (n, rules) in [
        (10, ""),
        (50, ""),
        (10, "sweeps = 30"),
        (50, "sweeps = 30"),
        (200, "sweeps = 30"),
        (1000, "sweeps = 30"),
    ] {
        let awake = format!("{rules}\nsleep_speed = 0");
        let (steps, _) = steps(n, &awake, 60.0, |_| ());
        let most = |f: &dyn Fn(&Step) -> f64| steps.iter().map(f).fold(0.0, f64::max);
        println!(
            "{n:5} {rules:12} {:9.3} {:9.3} {:9.3} {:8} {:9.1e} {:9.1e} {:7} {:7} {:8}",
            1e3 * mean(&steps),
            1e3 * mean(&steps[steps.len().saturating_sub(LAST)..]),
            1e3 * most(&|s| s.seconds),
            steps.last().map_or(0, |s| s.contacts),
            most(&|s| s.residual),
            most(&|s| s.penetration),
            steps.iter().filter(|s| s.inexact > 0).count(),
            steps.iter().filter(|s| s.is_one).count(),
            steps.iter().map(|s| s.located).sum::<u64>(),
        );
    }
}
