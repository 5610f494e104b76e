//! Recording of a run for the report and the plots: values over time, thinned to the resolution of a screen, statuses of
//! contacts, events, and the scene for the animation.
//!
//! A long run is thinned on the fly. Time is divided into equal buckets; the first row of each is kept, and so are
//! the rows just before and after an event. Where rows in between exceed the range of the kept ones, the bucket keeps
//! the lowest and the highest value too, so that no peak is lost. All events are kept, up to [`MOST_EVENTS`].

mod row_selector;
mod sample;
mod stage;
mod time_stepping;
mod track;

pub use row_selector::{Peak, RowSelector};
pub use sample::Sampler;
pub use stage::stage;
pub use time_stepping::{Arrow, RunOutcome};
pub use track::{Track, TrackOf, TrackStatus};

use serde_json::Value;
use stiction::integrate::{Event, Report};
use stiction::model::Model;

/// Maximum number of listed events; later ones are counted only.
pub const MOST_EVENTS: usize = 100_000;

/// Quantity of a channel, which determines its plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Positions and angles of bodies.
    Position,
    /// Components of an orientation, for the animation only.
    Orientation,
    /// Velocities of bodies.
    Velocity,
    /// Contact forces.
    Force,
    /// Energies.
    Energy,
    /// Counts.
    Count,
    /// Applied forces and inputs.
    Input,
    /// Outputs of an FMU from another tool.
    Other,
}

/// A value over time.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name as in the trajectory: `block.position.x`.
    pub name: String,
    /// Unit; may be empty.
    pub unit: String,
    /// The plot it belongs to.
    pub group: Group,
}

/// A closed contact at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Index of [`Recording::tracks`].
    pub track: usize,
    /// m.
    pub point: [f64; 3],
    /// On the second body, N.
    pub force: [f64; 3],
}

/// All values at one time.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// s.
    pub time: f64,
    /// One value per channel; channels added later were zero.
    pub values: Vec<f64>,
    /// Closed contacts.
    pub contact_forces: Vec<ContactForce>,
    /// Contacts with time stepping, which have no names.
    pub arrows: Vec<Arrow>,
    /// Status of each track.
    pub statuses: Vec<TrackStatus>,
}

/// An event as shown to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEvent {
    /// s.
    pub time: f64,
    /// Name of its kind.
    pub kind: &'static str,
    /// Index into [`Recording::places`], if known.
    pub place: Option<usize>,
    /// Normal and tangential impulse, N s.
    pub impulse: [f64; 2],
}

/// Recording of a run.
#[derive(Debug, Default)]
pub struct Recording {
    /// Name of the scene or model.
    pub name: String,
    /// One-sentence description.
    pub description: String,
    /// Start of the run, s.
    pub start: f64,
    /// Requested end, s.
    pub until: f64,
    /// Values over time.
    pub channels: Vec<Channel>,
    /// Times of the kept rows, s.
    pub times: Vec<f64>,
    /// Values at these times, one list per channel.
    pub columns: Vec<Vec<f64>>,
    /// Closed contacts at these times.
    pub contact_forces: Vec<Vec<ContactForce>>,
    /// Contacts with time stepping.
    pub arrows: Vec<Vec<Arrow>>,
    /// Outcome of a run with time stepping.
    pub outcome: Option<RunOutcome>,
    /// Peaks between the kept rows.
    pub peaks: Vec<Peak>,
    /// Statuses of contacts, or of shape pairs if there are many contacts.
    pub tracks: Vec<Track>,
    /// Names of contacts, or of the bodies of events with time stepping.
    pub places: Vec<String>,
    /// All events, up to [`MOST_EVENTS`].
    pub events: Vec<RecordedEvent>,
    /// Number of events not listed.
    pub n_unlisted: u64,
    /// Number of rows sampled.
    pub n_rows: u64,
    /// Scene of the animation, if there is anything to draw.
    pub stage: Option<Value>,
    /// 2 in the plane, 3 in space.
    pub dimension: usize,
}

impl Recording {
    /// For a stiction model.
    pub fn of(model: &Model, until: f64, stage: Option<Value>) -> Self {
        Self {
            name: model.name.clone(),
            description: model.description.clone(),
            until,
            dimension: if model.is_spatial() { 3 } else { 2 },
            places: (0..model.contacts.len() + model.elements.len())
                .map(|place| model.event_name(place).to_owned())
                .collect(),
            stage,
            ..Self::default()
        }
    }

    /// Adds events.
    pub fn take(&mut self, events: &[Event]) {
        for event in events {
            self.add_event(RecordedEvent {
                time: event.time,
                kind: event.kind.name(),
                place: Some(event.contact),
                impulse: match event.kind.has_impulse() {
                    true => event.impulse,
                    false => [0.0; 2],
                },
            });
        }
    }

    /// Adds an event.
    pub fn add_event(&mut self, event: RecordedEvent) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.n_unlisted += 1;
        }
    }

    /// Time reached, s.
    pub fn reached(&self) -> f64 {
        self.times.last().copied().unwrap_or(self.start)
    }

    /// Index of a channel.
    pub fn channel(&self, name: &str) -> Option<usize> {
        self.channels
            .iter()
            .position(|channel| channel.name == name)
    }

    /// Name of the contact of an event.
    pub fn place_name(&self, event: &RecordedEvent) -> &str {
        event
            .place
            .and_then(|place| self.places.get(place))
            .map_or("", String::as_str)
    }
}

/// Energy lost so far by cause, and the remainder of the balance.
pub fn losses(report: &Report) -> [(&'static str, f64); 5] {
    [
        ("energy.lost_in_friction", report.friction_loss),
        ("energy.lost_in_dampers", report.damping_loss),
        ("energy.lost_in_impacts", report.impact_loss),
        ("energy.work_of_applied_forces", report.applied_work),
        ("energy.balance_error", report.energy_error()),
    ]
}
