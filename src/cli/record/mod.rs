//! What a run leaves behind to be drawn: values over time, thinned to what a screen can show, statuses of contacts,
//! events, and the scene that moves. The report and the plots are made from it.
//!
//! A long run is thinned while it goes on. Time is cut into equal buckets; the first row of each is kept, and so are
//! the rows just before and after an event. Where rows in between go beyond what the kept ones span, the bucket keeps
//! the lowest and the highest value too, so that no peak is lost. Events are all kept, up to [`MOST_EVENTS`].

mod keep;
mod sample;
mod stage;
mod time_stepping;
mod track;

pub use keep::{Keeper, Peak};
pub use sample::Sampler;
pub use stage::stage;
pub use time_stepping::{Arrow, Fate};
pub use track::{Grip, Track};

use serde_json::Value;
use stiction::integrate::{Event, EventKind, Report};
use stiction::model::Model;

/// Events that are listed; of more, the first ones.
pub const MOST_EVENTS: usize = 100_000;

/// What a channel shows, and so which plot it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Places and angles of bodies.
    Position,
    /// Components of an orientation: for the animation, not for a plot.
    Orientation,
    /// Speeds of bodies.
    Velocity,
    /// Forces of contacts.
    Force,
    /// Energies.
    Energy,
    /// How many there are of something.
    Count,
    /// What comes from outside.
    Input,
    /// What an FMU of another tool has.
    Other,
}

/// A value over time.
#[derive(Clone, Debug)]
pub struct Channel {
    /// As in the trajectory: `block.position.x`.
    pub name: String,
    /// Empty where there is none.
    pub unit: String,
    /// Which plot it is in.
    pub group: Group,
}

/// Where bodies touch at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of [`Recording::tracks`].
    pub track: usize,
    /// m.
    pub point: [f64; 3],
    /// On the second body, N.
    pub force: [f64; 3],
}

/// All that is known at one time.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// s.
    pub time: f64,
    /// One for each channel; those that come later were zero.
    pub values: Vec<f64>,
    /// Closed contacts.
    pub touches: Vec<Touch>,
    /// The same in a crowd, where contacts have no names.
    pub arrows: Vec<Arrow>,
    /// How each track is.
    pub statuses: Vec<Grip>,
}

/// An event with words.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// s.
    pub time: f64,
    /// Its word.
    pub kind: &'static str,
    /// Index of [`Recording::places`]; none where nobody knows.
    pub place: Option<usize>,
    /// Normal and tangential impulse, N s.
    pub impulse: [f64; 2],
}

/// What a run left behind.
#[derive(Debug, Default)]
pub struct Recording {
    /// Name of the scene or model.
    pub name: String,
    /// One sentence on it.
    pub description: String,
    /// When the run began, s.
    pub start: f64,
    /// End that was asked for, s.
    pub until: f64,
    /// Values over time.
    pub channels: Vec<Channel>,
    /// Times of the kept rows, s.
    pub times: Vec<f64>,
    /// Values at these times, one list for each channel.
    pub columns: Vec<Vec<f64>>,
    /// Closed contacts at these times.
    pub touches: Vec<Vec<Touch>>,
    /// Those of a crowd.
    pub arrows: Vec<Vec<Arrow>>,
    /// What became of a crowd.
    pub fate: Option<Fate>,
    /// What the kept rows do not show.
    pub peaks: Vec<Peak>,
    /// Statuses of contacts, or of pairs of shapes where there are many contacts.
    pub tracks: Vec<Track>,
    /// Names of contacts, or what events of a crowd are about.
    pub places: Vec<String>,
    /// All events, up to [`MOST_EVENTS`].
    pub events: Vec<Happening>,
    /// Events that are not listed.
    pub n_unlisted: u64,
    /// Rows that were looked at.
    pub n_rows: u64,
    /// What is drawn in the animation, if there is anything to draw.
    pub stage: Option<Value>,
    /// 2 in the plane, 3 in space.
    pub dimension: usize,
}

impl Recording {
    /// Of a model of ours.
    pub fn of(model: &Model, until: f64, stage: Option<Value>) -> Self {
        Self {
            name: model.name.clone(),
            description: model.description.clone(),
            until,
            dimension: if model.is_spatial() { 3 } else { 2 },
            places: model.contacts.iter().map(|c| c.name.clone()).collect(),
            stage,
            ..Self::default()
        }
    }

    /// Takes events over.
    pub fn take(&mut self, events: &[Event]) {
        for event in events {
            self.happened(Happening {
                time: event.time,
                kind: event.kind.name(),
                place: Some(event.contact),
                impulse: match event.kind {
                    EventKind::Impact | EventKind::Jam => event.impulse,
                    EventKind::SlipStart
                    | EventKind::StickStart
                    | EventKind::Reversal
                    | EventKind::TakeOff => [0.0; 2],
                },
            });
        }
    }

    /// Takes one event over.
    pub fn happened(&mut self, event: Happening) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.n_unlisted += 1;
        }
    }

    /// Time that was reached, s.
    pub fn reached(&self) -> f64 {
        self.times.last().copied().unwrap_or(self.start)
    }

    /// Index of a channel.
    pub fn channel(&self, name: &str) -> Option<usize> {
        self.channels
            .iter()
            .position(|channel| channel.name == name)
    }

    /// Name of the place of an event.
    pub fn place_name(&self, event: &Happening) -> &str {
        event
            .place
            .and_then(|place| self.places.get(place))
            .map_or("", String::as_str)
    }
}

/// Energy lost so far, by where it went, and what is left of the balance.
pub fn losses(report: &Report) -> [(&'static str, f64); 5] {
    [
        ("energy.lost_in_friction", report.friction_loss),
        ("energy.lost_in_dampers", report.damping_loss),
        ("energy.lost_in_impacts", report.impact_loss),
        ("energy.work_of_applied_forces", report.applied_work),
        ("energy.balance_error", report.energy_error()),
    ]
}
