//! Sentences on what add_event, and notes for the reader of a report.

use crate::cli::format::{count, short};
use crate::cli::record::{Recording, Track, TrackOf, TrackStatus};
use std::collections::BTreeMap;
use stiction::integrate::Report;
use stiction::scene::spec::Settings;

/// Maximum number of body pairs described by a sentence.
const MOST_PAIRS: usize = 8;

/// Impacts of two bodies closer in time than this count as one, s.
const AT_ONCE: f64 = 1e-9;

/// Severity of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Information.
    Note,
    /// Should be looked into before the result is trusted.
    Warning,
    /// The run did not reach its end.
    Error,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A note of one sentence. Names are in backquotes.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Severity of a note.
    pub severity: Severity,
    /// The sentence.
    pub text: String,
}

impl Note {
    /// Information.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            text: text.into(),
        }
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            text: text.into(),
        }
    }
}

fn named(body: &str) -> String {
    if body == "ground" {
        "the ground".to_owned()
    } else {
        format!("`{body}`")
    }
}

fn seconds(t: f64) -> String {
    format!("{t:.3} s")
}

fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Sentences on what add_event, one per pair of bodies that touched.
pub fn story(recording: &Recording) -> Vec<String> {
    let mut pairs: Vec<([&str; 2], Vec<&Track>)> = Vec::new();
    for track in recording
        .tracks
        .iter()
        .filter(|track| track.of == TrackOf::Shapes)
    {
        let [a, b] = [track.bodies[0].as_str(), track.bodies[1].as_str()];
        // name the ground last
        let ends = if b == "ground" { [b, a] } else { [a, b] };
        match pairs.iter_mut().find(|(own, _)| *own == ends) {
            Some((_, tracks)) => tracks.push(track),
            None => pairs.push((ends, vec![track])),
        }
    }
    let mut sentences: Vec<String> = pairs
        .iter()
        .take(MOST_PAIRS)
        .map(|(ends, tracks)| meeting(recording, *ends, tracks))
        .collect();
    if let Some(outcome) = &recording.outcome {
        sentences.extend(super::time_stepping::story(outcome));
    }
    let others = recording.tracks.iter().filter_map(|track| match track.of {
        TrackOf::Shapes => None,
        TrackOf::Stop => Some(stop(recording, track)),
        TrackOf::Rope => Some(rope(recording, track)),
    });
    let others: Vec<String> = others.take(MOST_PAIRS).collect();
    match pairs.len() {
        0 if !recording.places.is_empty() && others.is_empty() && recording.outcome.is_none() => {
            sentences.push("There were no contacts.".to_owned())
        }
        n if n > MOST_PAIRS => {
            let more = count((n - MOST_PAIRS) as u64, "more pair");
            sentences.push(format!("{more} of bodies touched."));
        }
        _ => {}
    }
    sentences.extend(others);
    sentences.extend(energy(recording));
    sentences
}

/// History of a contact; in its sentences, IT is a placeholder for the other body.
struct ContactHistory {
    /// Times of impacts, s.
    impacts: Vec<f64>,
    /// Time spent sliding, s, and the number of intervals.
    slid: (f64, usize),
    /// Time spent sticking and in contact without friction, s.
    stuck: f64,
    pressed: f64,
    /// Status at the end.
    last: TrackStatus,
}

impl ContactHistory {
    fn of(recording: &Recording, tracks: &[&Track]) -> Self {
        let is_own = |place: &str| tracks.iter().any(|track| track.has(place));
        let mut impacts: Vec<f64> = recording
            .events
            .iter()
            .filter(|event| event.kind == "impact" && is_own(recording.place_name(event)))
            .map(|event| event.time)
            .collect();
        // simultaneous impacts of several corners count as one
        impacts.dedup_by(|later, earlier| *later - *earlier < AT_ONCE);
        let mut history = Self {
            impacts,
            slid: (0.0, 0),
            stuck: 0.0,
            pressed: 0.0,
            last: TrackStatus::Open,
        };
        let end = recording.reached();
        for track in tracks {
            let (time, n) = track.spent(TrackStatus::Slip, end);
            history.slid = (history.slid.0.max(time), history.slid.1.max(n));
            history.stuck = history.stuck.max(track.spent(TrackStatus::Stick, end).0);
            history.pressed = history.pressed.max(track.spent(TrackStatus::Closed, end).0);
            history.last = history.last.max(track.last());
        }
        history
    }

    fn hits(&self) -> Option<String> {
        self.did("hit IT")
    }

    // something at each impact
    fn did(&self, what: &str) -> Option<String> {
        match self.impacts.as_slice() {
            [] => None,
            [only] => Some(format!("{what} once, at {}", seconds(*only))),
            [one, two] => {
                let times = format!("at {} and {}", seconds(*one), seconds(*two));
                Some(format!("{what} twice, {times}"))
            }
            [first, .., last] => Some(format!(
                "{what} {}, from {} to {}",
                times(self.impacts.len()),
                seconds(*first),
                seconds(*last)
            )),
        }
    }
}

fn meeting(recording: &Recording, [first, second]: [&str; 2], tracks: &[&Track]) -> String {
    let history = ContactHistory::of(recording, tracks);
    let mut parts: Vec<String> = history.hits().into_iter().collect();
    match history.slid {
        (time, _) if time <= 0.0 => {}
        (time, 1) => parts.push(format!("slid on IT for {}", seconds(time))),
        (time, n) => parts.push(format!("slid on IT {}, {} in all", times(n), seconds(time))),
    }
    if history.stuck > 0.0 {
        parts.push(format!("stuck to IT for {}", seconds(history.stuck)));
    }
    if history.pressed > 0.0 {
        let time = seconds(history.pressed);
        parts.push(format!("lay on IT without friction for {time}"));
    }
    let at_end = match history.last {
        TrackStatus::Open => "is clear of IT",
        TrackStatus::Closed => "lies on IT",
        TrackStatus::Stick => "sticks to IT",
        TrackStatus::Slip => "slides on IT",
    };
    parts.push(format!("{at_end} at the end"));
    sentence(&named(second), &named(first), &parts)
}

/// A stop of a joint.
fn stop(recording: &Recording, track: &Track) -> String {
    let history = ContactHistory::of(recording, &[track]);
    let mut parts: Vec<String> = history.hits().into_iter().collect();
    if history.pressed > 0.0 {
        parts.push(format!("lay at IT for {}", seconds(history.pressed)));
    }
    parts.push(match history.last {
        TrackStatus::Open => "is clear of IT at the end".to_owned(),
        TrackStatus::Closed | TrackStatus::Stick | TrackStatus::Slip => {
            "is at IT at the end".to_owned()
        }
    });
    let (joint, end) = track.name.rsplit_once('.').unwrap_or((&track.name, ""));
    sentence(
        &format!("Joint `{joint}`"),
        &format!("its {end} stop"),
        &parts,
    )
}

/// A rope.
fn rope(recording: &Recording, track: &Track) -> String {
    let history = ContactHistory::of(recording, &[track]);
    let mut parts: Vec<String> = history.did("tightened").into_iter().collect();
    if history.pressed > 0.0 {
        parts.push(format!("was taut for {}", seconds(history.pressed)));
    }
    parts.push(match history.last {
        TrackStatus::Open => "is slack at the end".to_owned(),
        TrackStatus::Closed | TrackStatus::Stick | TrackStatus::Slip => {
            "is taut at the end".to_owned()
        }
    });
    sentence(&format!("Rope `{}`", track.name), "", &parts)
}

/// One sentence, in which the other body is named once.
fn sentence(who: &str, other: &str, parts: &[String]) -> String {
    let all = match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.join(""),
    };
    let all = all.replacen(" IT", &format!(" {other}"), 1);
    format!("{who} {}.", all.replace(" IT", " it"))
}

fn energy(recording: &Recording) -> Option<String> {
    let ends = |name: &str| {
        let column = &recording.columns[recording.channel(name)?];
        Some([*column.first()?, *column.last()?])
    };
    let [start, end] = ends("energy.total")?;
    let mut went = Vec::new();
    for (name, what) in [
        ("energy.lost_in_friction", "friction took"),
        ("energy.lost_in_dampers", "dampers took"),
        ("energy.lost_in_impacts", "impacts took"),
        ("energy.work_of_applied_forces", "applied forces brought"),
    ] {
        let [before, after] = ends(name)?;
        // not visible in the six digits of the summary
        if (after - before).abs() > 1e-6 * (start.abs() + end.abs()) {
            // the sign may be reversed: impacts of many bodies may return excess friction loss, and forces may absorb energy
            let what = match (after < before, what.rsplit_once(' ')) {
                (true, Some((who, "took"))) => format!("{who} brought"),
                (true, Some((who, _))) => format!("{who} took"),
                _ => what.to_owned(),
            };
            went.push(format!("{what} {}", joule((after - before).abs())));
        }
    }
    let went = if went.is_empty() {
        "nothing was lost or brought in".to_owned()
    } else {
        went.join(", ")
    };
    Some(format!(
        "The energy went from {} to {}: {went}.",
        joule(start),
        joule(end)
    ))
}

// three digits
fn joule(x: f64) -> String {
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    format!("{} J", short(rounded))
}

/// Notes derived from the counters of a run.
pub fn solver_notes(
    report: &Report,
    settings: &Settings,
    rests: &BTreeMap<String, u64>,
) -> Vec<Note> {
    let mut notes = Vec::new();
    for (body, n) in rests {
        let cure = if settings.tolerance.is_some() {
            ""
        } else {
            "; with a smaller step it keeps bouncing longer"
        };
        notes.push(Note::new(format!(
            "The restitution threshold ended {} of {}: they were slower than the velocity change by gravity and forces within a step, so it stays on the surface{cure}.",
            count(*n, "bounce"),
            named(body)
        )));
    }
    if report.complementarity_steps > 0 {
        notes.push(Note::new(format!(
            "{} were solved as one problem of all contacts because the statuses could not be determined contact by contact; this is common when many contacts change at once.",
            count(report.complementarity_steps, "substep")
        )));
    }
    if report.inexact_solves > 0 {
        notes.push(Note::new(format!(
            "{} of bodies had contacts that were not solved to full accuracy (worst relative residual {}); forces there are approximate.",
            count(report.inexact_solves, "group"),
            short(report.worst_residual)
        )));
    }
    if report.unlocated_steps > 0 {
        notes.push(Note::new(format!(
            "In {} there were too many impacts to locate each of them: they were treated as simultaneous at the end of the step.",
            count(report.unlocated_steps, "step")
        )));
    }
    if report.stabilized_steps > 0 {
        notes.push(Note::new(format!(
            "In {} the derivative of a force that adds energy to the motion was neglected to keep the step stable.",
            count(report.stabilized_steps, "substep")
        )));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::record::Sampler;
    use stiction::{Model, Simulation};

    fn run(scene: &str, until: f64) -> Recording {
        let mut simulation = Simulation::new(Model::from_text("test", scene).unwrap());
        let mut sampler = Sampler::new(simulation.model(), until, None);
        for i in 1..=200 {
            simulation.advance_to(until * f64::from(i) / 200.0).unwrap();
            sampler.take(simulation.model(), &simulation.report().events);
            simulation.report_mut().events.clear();
            sampler.look(&mut simulation);
        }
        sampler.finish()
    }

    #[test]
    fn impacts_are_told_even_if_no_row_sees_the_contact_closed() {
        let text = include_str!("../../../resources/double_pendulum_wall/scene.toml");
        let story = story(&run(text, 2.5));
        assert!(
            story[0].contains("`upper` hit the ground 3 times, from 0.54"),
            "{story:?}"
        );
        assert!(story[0].contains("is clear of it at the end"), "{story:?}");
    }

    #[test]
    fn four_corners_at_once_are_one_impact() {
        let text = include_str!("../../../resources/box_landing/scene.toml");
        let story = story(&run(text, 1.0));
        assert!(
            story[0].starts_with("`box` hit the ground once, at 0.20"),
            "{story:?}"
        );
        assert!(story[1].contains("friction took") && story[1].contains("impacts took"));
    }
}
