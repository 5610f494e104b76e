//! Claims about FMUs that have something wrong: `run` and `check` say so or do without, whatever it is. The bench program
//! `mutated` tries many more.

use crate::common::mutated::mutant;
use crate::common::mutated::trial::{Place, originals};

/// Mutants of the test.
const N: u64 = 200;

#[test]
fn the_same_seed_gives_the_same_mutant() {
    for files in originals() {
        let all = |start: u64| -> Vec<_> {
            (start..start + 60)
                .map(|seed| mutant::mutant(&files, seed).1)
                .collect()
        };
        assert_eq!(all(0), all(0));
        assert_ne!(all(0), all(1));
    }
}

#[test]
fn what_is_not_changed_is_run() {
    let place = Place::new();
    for files in originals() {
        assert_eq!(place.complaint(&mutant::zipped(&files)), None);
    }
}

#[test]
fn no_mutant_makes_the_tool_crash_or_leave_something_behind() {
    let originals = originals();
    let trial = |first: u64| -> Vec<String> {
        let place = Place::new();
        let seeds = (first..N).step_by(2);
        let complaints = seeds.filter_map(|seed| {
            let (what, bytes) = mutant::mutant(&originals[(seed / 2 % 2) as usize], seed);
            let complaint = place.complaint(&bytes)?;
            Some(format!("seed {seed}, {what}: {complaint}"))
        });
        complaints.collect()
    };
    let complaints = std::thread::scope(|scope| {
        let halves = [0, 1].map(|first| scope.spawn(move || trial(first)));
        halves.map(|half| half.join().unwrap()).concat()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
