//! Sentences on the outcome of a run with time stepping.

use crate::cli::format::count;
use crate::cli::record::RunOutcome;

/// Sentences on what add_event, in place of one per pair.
pub fn story(outcome: &RunOutcome) -> Vec<String> {
    let pairs = count(outcome.n_pairs as u64, "pair");
    let mut sentences = vec![format!(
        "{pairs} of bodies, or of a body and the ground, came into contact."
    )];
    let contacts = count(outcome.n_contacts as u64, "contact");
    sentences.push(match (outcome.n_contacts, outcome.n_sliding) {
        (0, _) => "There are no contacts at the end.".to_owned(),
        (_, 0) => format!("At the end {contacts} are closed, and none of them slides."),
        (_, n) => format!("At the end {contacts} are closed; {n} of them slide."),
    });
    let bodies = match outcome.n_bodies {
        1 => "1 body".to_owned(),
        n => format!("{n} bodies"),
    };
    let woken = match outcome.n_woken {
        0 => String::new(),
        n => format!("; bodies were woken up {n} times"),
    };
    sentences.push(match outcome.n_asleep {
        0 => format!("None of {bodies} sleeps at the end{woken}."),
        n if n == outcome.n_bodies => format!(
            "All {bodies} are at rest and asleep, the last since {:.3} s{woken}.",
            outcome.asleep_since
        ),
        n => format!("{n} of {bodies} are at rest and asleep at the end{woken}."),
    });
    sentences
}
