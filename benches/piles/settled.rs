//! Steps of a pile that has settled, for callgrind. The pile settles with bounded effort in a run of its own, so that nothing else is
//! counted.

use super::{STEP, simulation, time_stepping_scenes};
use stiction::state::{ContactKey, PersistentContact, State};

/// Long enough for a pile to settle with bounded effort, and for the last of its motion to end with the rules that are looked at, s.
const AT_REST: f64 = 12.0;
const SETTLED: f64 = AT_REST + 1.0;

fn awake(n: usize, rules: &str) -> String {
    time_stepping_scenes::pile(n, &format!("{rules}\nsleep_speed = 0"))
}

/// Saves a pile that has settled but is not asleep.
pub fn settle(n: usize, rules: &str, file: &str) {
    let mut first = simulation(&awake(n, "sweeps = 30"));
    first
        .advance_to(AT_REST)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = simulation(&awake(n, rules));
    read(&written(first.state()), AT_REST, simulation.state_mut());
    simulation
        .advance_to(SETTLED)
        .unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(file, written(simulation.state())).unwrap();
}

/// Takes steps from there, and one before that in which memory grows.
pub fn profile(n: usize, rules: &str, file: &str, count: usize) {
    let mut simulation = simulation(&awake(n, rules));
    let text = std::fs::read_to_string(file).unwrap();
    read(&text, SETTLED, simulation.state_mut());
    simulation.advance_to(SETTLED + STEP).unwrap();
    let before = simulation.report().clone();
    simulation.report_mut().worst_residual = 0.0;
    let end = SETTLED + STEP * (count + 1) as f64;
    profiled_steps(|| simulation.advance_to(end).unwrap());
    let report = simulation.report();
    println!(
        "{count} steps: {} groups, {} not solved exactly, {} iterations, largest problem {} rows, {} contacts, residual {:.1e}",
        report.lcps - before.lcps,
        report.inexact_solves - before.inexact_solves,
        report.pivots - before.pivots,
        report.largest_lcp,
        simulation.state().time_stepping.contacts.len(),
        report.worst_residual,
    );
}

/// What `callgrind --toggle-collect` looks at.
#[inline(never)]
fn profiled_steps(steps: impl FnOnce()) {
    steps();
}

// bits of all numbers, one a word
fn written(state: &State) -> String {
    let mut bits: Vec<u64> = Vec::new();
    let mut add = |list: &[f64]| bits.extend(list.iter().map(|x| x.to_bits()));
    add(&state.position);
    add(&state.velocity);
    state.orientation.iter().for_each(|q| add(q));
    for contact in &state.time_stepping.contacts {
        let [a, b] = contact.key.shapes.map(f64::from);
        add(&[a, b, f64::from(contact.key.feature)]);
        add(contact.force.as_slice());
        add(contact.moment.as_slice());
    }
    bits.iter().map(|x| format!("{x}\n")).collect()
}

fn read(text: &str, time: f64, state: &mut State) {
    let mut numbers = text
        .lines()
        .map(|line| f64::from_bits(line.parse().unwrap()));
    let mut fill = |list: &mut [f64]| list.fill_with(|| numbers.next().unwrap());
    fill(&mut state.position);
    fill(&mut state.velocity);
    state.orientation.iter_mut().for_each(|q| fill(q));
    let rest: Vec<f64> = numbers.collect();
    state.time = time;
    state.started = true;
    state.statuses_known = true;
    state.time_stepping.contacts.clear();
    for part in rest.chunks_exact(9) {
        let [a, b, feature] = [part[0], part[1], part[2]].map(|x| x as u32);
        let vector = |at: usize| [part[at], part[at + 1], part[at + 2]].into();
        state.time_stepping.contacts.push(PersistentContact {
            key: ContactKey {
                shapes: [a, b],
                feature,
            },
            force: vector(3),
            moment: vector(6),
            slides: false,
        });
    }
}
