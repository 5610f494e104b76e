//! Samples a simulation into a recording.

use super::row_selector::RowSelector;
use super::time_stepping::{self, ContactRecorder};
use super::track::{Track, TrackOf, TrackStatus};
use super::{Channel, ContactForce, Group, RecordedEvent, Recording, Row, losses};
use serde_json::Value;
use stiction::fmu::instance::variable::{Kind, Output, Plot, Variable};
use stiction::fmu::instance::variables::{contact_name, pair_name, table};
use stiction::integrate::Event;
use stiction::kinds::plane::force::{Side, Signal};
use stiction::math::{Vec2, Vec3, norm};
use stiction::model::{
    AnyForce, BodyRef, ContactKind, ForceLink, Limited, Model, Poses, Stop, pose_of,
};
use stiction::scene::spec::Frame;
use stiction::simulation::{Simulation, observe};
use stiction::state::State;

/// With more contacts than this, those of a shape pair are combined into their resultant at the centre of pressure.
const MOST_CONTACTS: usize = 24;

/// With more bodies than this in space, only the magnitudes of velocities are recorded.
const MOST_DIRECTIONS: usize = 20;

/// Records a simulation.
pub struct Sampler {
    recording: Recording,
    selector: RowSelector,
    channels: Vec<Channel>,
    /// Sources of the first channels.
    outputs: Vec<Output>,
    row: Row,
    by_pair: bool,
    /// Track index by contact or by pair.
    track_of: Vec<Option<usize>>,
    last_time: f64,
    /// Number of events of the recording processed so far.
    n_seen: usize,
    /// Does the simulation report energy losses by cause?
    losses: bool,
    /// Recorder of contacts with time stepping.
    contacts: Option<ContactRecorder>,
}

impl Sampler {
    /// For a run up to `until`.
    pub fn new(model: &Model, until: f64, stage: Option<Value>) -> Self {
        Self::with(model, until, stage, true)
    }

    /// For a run of an FMU, which does not report energy losses by cause.
    pub fn from_fmu(model: &Model, until: f64, stage: Option<Value>) -> Self {
        Self::with(model, until, stage, false)
    }

    fn with(model: &Model, until: f64, stage: Option<Value>, losses: bool) -> Self {
        let by_pair = model.contacts.len() > MOST_CONTACTS;
        let n_places = if by_pair {
            model.pairs.len()
        } else {
            model.contacts.len()
        };
        let (mut channels, outputs) = outputs(model);
        channels.extend(others(model, losses));
        // eight numbers for each contact that may be closed at the same time
        let mut n_values = channels.len() + 8 * n_places.min(model.bodies.len() + 4);
        // with time stepping, contacts are not FMU variables
        let contacts = (model.time_stepping.is_some() && losses).then(|| {
            n_values += ContactRecorder::n_values(model);
            let contacts = ContactRecorder::new(model, channels.len());
            channels.extend(time_stepping::channels());
            contacts
        });
        Self {
            recording: Recording::of(model, until, stage),
            selector: RowSelector::new(n_values),
            channels,
            outputs,
            row: Row::default(),
            by_pair,
            track_of: vec![None; n_places],
            last_time: f64::NEG_INFINITY,
            n_seen: 0,
            losses,
            contacts,
        }
    }

    /// Sufficient time between two rows, s.
    pub fn spacing(&self) -> f64 {
        (self.recording.until - self.recording.start) / self.selector.n_buckets()
    }

    /// Adds events. A contact with an impact gets a track even if it is never sampled closed.
    pub fn take(&mut self, model: &Model, events: &[Event]) {
        for event in events {
            self.track_of_event(model, event.contact);
        }
        self.recording.take(events);
    }

    /// Adds an event.
    pub fn add_event(&mut self, model: &Model, event: RecordedEvent) {
        if let Some(place) = event.place {
            self.track_of_event(model, place);
        }
        self.recording.add_event(event);
    }

    /// Samples the current state, unless it has been sampled already.
    pub fn look(&mut self, simulation: &mut Simulation) {
        let time = simulation.state().time;
        if time <= self.last_time {
            return;
        }
        let mut row = std::mem::take(&mut self.row);
        row.time = time;
        row.values.clear();
        let read = self.outputs.iter().map(|output| output.number(simulation));
        row.values.extend(read);
        others_now(simulation, self.losses, &mut row.values);
        // forces of the contacts recorded so far, in the order of their channels
        row.values.resize(self.channels.len(), 0.0);
        row.contact_forces.clear();
        row.statuses.clear();
        row.statuses
            .resize(self.recording.tracks.len(), TrackStatus::Open);
        // with time stepping, forces are evaluated at this instant instead of taken from the last step
        let forces =
            (simulation.model().time_stepping.is_some()).then(|| simulation.instant().clone());
        let (model, state, poses) = simulation.placed();
        match (&forces, &model.time_stepping) {
            (Some(forces), Some(time_stepping)) => {
                let mut shown = state.clone();
                shown.contact_force.clone_from(&forces.contact_force);
                self.contacts(model, &shown, poses, &mut row);
                if let Some(contacts) = &mut self.contacts {
                    let whole = (model, time_stepping);
                    let pressing = &forces.contacts;
                    contacts.look(whole, state, pressing, poses, &mut row, &mut self.recording);
                }
            }
            _ => self.contacts(model, state, poses, &mut row),
        }
        // the integrator may be ahead: later events belong to later rows
        let is_past = |event: &RecordedEvent| event.time <= time;
        let new = &self.recording.events[self.n_seen..];
        let n_new = new.partition_point(is_past);
        self.follow(&row, n_new);
        // with time stepping, events are reported later and in groups, so no extra rows are kept for them
        let eventful = n_new > 0 && self.contacts.is_none();
        self.n_seen += n_new;
        self.selector
            .look(&mut self.recording, &self.channels, &mut row, eventful);
        self.row = row;
        self.last_time = time;
    }

    /// The recording.
    pub fn finish(mut self) -> Recording {
        self.selector.finish(&mut self.recording);
        if let Some(contacts) = self.contacts {
            contacts.finish(&mut self.recording);
        }
        self.recording
    }

    fn contacts(&mut self, model: &Model, state: &State, poses: &Poses, row: &mut Row) {
        for (j, contact) in model.contacts.iter().enumerate() {
            if !state.status[j].is_closed() {
                continue;
            }
            let track = self.track(model, j);
            row.values.resize(self.channels.len(), 0.0);
            row.statuses
                .resize(self.recording.tracks.len(), TrackStatus::Open);
            let second = if self.by_pair {
                bodies(model, contact.pair)[1]
            } else {
                contact.bodies[1]
            };
            let status = TrackStatus::of(state.contact_status(j));
            row.statuses[track] = row.statuses[track].max(status);
            let normal = state.contact_force[j][0];
            let channel = self.recording.tracks[track].channel;
            row.values[channel] += normal;
            let Some((point, force)) = contact_force(model, state, poses, j) else {
                continue;
            };
            let along = if contact.bodies[1] == second {
                force
            } else {
                -force
            };
            let friction = if model.is_spatial() {
                norm(state.friction_force[j].as_slice())
            } else {
                state.contact_force[j][1]
            };
            row.values[channel + 1] += friction;
            add_contact_force(&mut row.contact_forces, track, normal, point, along);
        }
        // points were weighted by normal forces
        for contact_force in &mut row.contact_forces {
            let weight = row.values[self.recording.tracks[contact_force.track].channel];
            if weight > 0.0 {
                contact_force.point = contact_force.point.map(|x| x / weight);
            }
        }
        row.contact_forces.retain(|contact_force| {
            row.values[self.recording.tracks[contact_force.track].channel] > 0.0
        });
    }

    // friction elements have no track
    fn track_of_event(&mut self, model: &Model, place: usize) {
        if place < model.contacts.len() {
            self.track(model, place);
        }
    }

    // track of a contact or of its pair, created on first use
    fn track(&mut self, model: &Model, contact: usize) -> usize {
        let place = if self.by_pair {
            model.contacts[contact].pair
        } else {
            contact
        };
        if let Some(track) = self.track_of[place] {
            return track;
        }
        let (name, prefix, ends) = if self.by_pair {
            let prefix = pair_name(model, place);
            (&model.pairs[place], prefix, bodies(model, place))
        } else {
            let contact = &model.contacts[place];
            (&contact.name, contact_name(model, place), contact.bodies)
        };
        let track = self.recording.tracks.len();
        self.track_of[place] = Some(track);
        self.recording.tracks.push(Track {
            name: name.clone(),
            bodies: ends.map(|body| model.body_name(body).to_owned()),
            of: match &model.contacts[contact].kind {
                ContactKind::Feature(_) | ContactKind::Space(_) => TrackOf::Shapes,
                ContactKind::Limit(Stop {
                    of: Limited::Rope(_),
                    ..
                }) => TrackOf::Rope,
                ContactKind::Limit(_) => TrackOf::Stop,
            },
            channel: self.channels.len(),
            changes: vec![(self.recording.start, TrackStatus::Open)],
        });
        for quantity in ["normal_force", "friction_force"] {
            self.channels.push(Channel {
                name: format!("{prefix}.{quantity}"),
                unit: "N".to_owned(),
                group: Group::Force,
            });
        }
        track
    }

    // a change between two rows is dated by its event, if there is one
    fn follow(&mut self, row: &Row, n_new: usize) {
        let recording = &mut self.recording;
        let events = &recording.events[self.n_seen..self.n_seen + n_new];
        for (track, status) in recording.tracks.iter_mut().zip(&row.statuses) {
            if track.changes.is_empty() || track.last() != *status {
                let is_own = |place: Option<usize>| {
                    place.is_some_and(|place| track.has(&recording.places[place]))
                };
                let event = events.iter().rev().find(|event| is_own(event.place));
                let time = event.map_or(row.time, |event| event.time);
                // a contact closed at the start has been closed from the beginning
                if row.time <= recording.start {
                    track.changes.clear();
                }
                track.is_now(time, *status);
            }
        }
    }
}

fn bodies(model: &Model, pair: usize) -> [BodyRef; 2] {
    observe::bodies_of_pair(model, pair)
}

fn add_contact_force(
    contact_forces: &mut Vec<ContactForce>,
    track: usize,
    weight: f64,
    point: Vec3,
    force: Vec3,
) {
    let (point, force) = ((point * weight).into(), force.into());
    match contact_forces
        .iter_mut()
        .find(|contact_force| contact_force.track == track)
    {
        Some(contact_force) => {
            let sum = |a: &mut [f64; 3], b: [f64; 3]| {
                for (a, b) in a.iter_mut().zip(b) {
                    *a += b;
                }
            };
            sum(&mut contact_force.point, point);
            sum(&mut contact_force.force, force);
        }
        None => contact_forces.push(ContactForce {
            track,
            point,
            force,
        }),
    }
}

/// Contact point and force on the second body; none for joint stops.
fn contact_force(model: &Model, state: &State, poses: &Poses, j: usize) -> Option<(Vec3, Vec3)> {
    let contact = &model.contacts[j];
    let [normal, tangential] = state.contact_force[j];
    match &contact.kind {
        ContactKind::Feature(feature) => {
            let [a, b] = contact.bodies.map(|body| *pose_of(poses.plane(), body));
            let near = feature.nearest(&a, &b)?;
            let point = b.position + near.arm_b;
            let tangent = Vec2::new(near.normal.y, -near.normal.x);
            let force = near.normal * normal + tangent * tangential;
            let flat = |v: Vec2| Vec3::new(v.x, v.y, 0.0);
            Some((flat(point), flat(force)))
        }
        ContactKind::Space(_) => {
            let frame = observe::contact_frame(contact, poses)?;
            Some((frame.point, frame.normal * normal + state.friction_force[j]))
        }
        ContactKind::Limit(_) => None,
    }
}

/// Applied forces with the names of their components.
pub fn applied(model: &Model) -> impl Iterator<Item = &ForceLink> {
    model.forces.iter().filter(|link| match &link.force {
        AnyForce::Plane(force) => matches!(force, stiction::kinds::plane::force::Force::Applied(_)),
        AnyForce::Space(force) => matches!(force, stiction::kinds::space::force::Force::Applied(_)),
    })
}

// inputs other than components of applied forces, by index
fn further_inputs(model: &Model) -> impl Iterator<Item = usize> {
    let is_applied = |name: &str| {
        let mut links = applied(model);
        links.any(|link| {
            name.strip_prefix(&link.name)
                .is_some_and(|rest| rest.starts_with(".force_"))
        })
    };
    let inputs = model.inputs.iter().enumerate();
    inputs
        .filter(move |(_, input)| !is_applied(&input.name))
        .map(|(i, _)| i)
}

// only magnitudes of velocities where there are very many bodies
fn shows_speeds(model: &Model) -> bool {
    model.is_spatial() && model.bodies.len() > MOST_DIRECTIONS
}

/// The channels that are outputs of the variable table.
fn outputs(model: &Model) -> (Vec<Channel>, Vec<Output>) {
    let shown = |variable: Variable| {
        let output = *variable.output()?;
        let group = match output.plot? {
            Plot::Position => Group::Position,
            Plot::Velocity if shows_speeds(model) => return None,
            Plot::Velocity => Group::Velocity,
            Plot::Energy => Group::Energy,
        };
        let unit = match &variable.kind {
            Kind::Real { unit, .. } => unit.name(),
            Kind::Integer { .. } | Kind::Boolean | Kind::Enumeration(_) => "",
        };
        let unit = unit.to_owned();
        let name = variable.name;
        Some((Channel { name, unit, group }, output))
    };
    table(model).into_iter().filter_map(shown).unzip()
}

/// The other channels that every row has.
fn others(model: &Model, with_losses: bool) -> Vec<Channel> {
    let mut channels = Vec::new();
    let mut add = |name: String, unit: &str, group| {
        channels.push(Channel {
            name,
            unit: unit.to_owned(),
            group,
        });
    };
    let bodies = model.bodies_of_scene().iter();
    for body in bodies.filter(|_| model.is_spatial()) {
        for component in ["w", "x", "y", "z"] {
            let name = format!("{}.principal_axes.{component}", body.name);
            add(name, "", Group::Orientation);
        }
        if shows_speeds(model) {
            add(format!("{}.speed", body.name), "m/s", Group::Velocity);
        }
    }
    let axes = &["x", "y", "z"][..if model.is_spatial() { 3 } else { 2 }];
    for link in applied(model) {
        for axis in axes {
            add(format!("{}.force_{axis}", link.name), "N", Group::Input);
        }
    }
    for input in further_inputs(model) {
        let link = &model.inputs[input];
        add(link.name.clone(), link.unit.symbol(), Group::Input);
    }
    let names = losses(&stiction::integrate::Report::default());
    for (name, _) in names.into_iter().filter(|_| with_losses) {
        add(name.to_owned(), "J", Group::Energy);
    }
    channels
}

/// Values of these channels.
fn others_now(simulation: &mut Simulation, with_losses: bool, out: &mut Vec<f64>) {
    let speeds = shows_speeds(simulation.model()).then(|| simulation.reported_velocity().to_vec());
    let losses = losses(simulation.report());
    let (model, state, poses) = simulation.placed();
    for (body, orientation) in model.bodies_of_scene().iter().zip(&state.orientation) {
        out.extend(orientation);
        out.extend(
            speeds
                .as_ref()
                .map(|v| norm(&v[body.first..body.first + 3])),
        );
    }
    for link in applied(model) {
        let force = force_of(link, state, poses);
        out.extend(&force.as_slice()[..if model.is_spatial() { 3 } else { 2 }]);
    }
    let (time, inputs) = (state.time, &state.inputs);
    out.extend(further_inputs(model).map(|input| inputs[input].value(time)));
    if with_losses {
        out.extend(losses.map(|(_, value)| value));
    }
}

/// An applied force in world axes, N.
fn force_of(link: &ForceLink, state: &State, poses: &Poses) -> Vec3 {
    let value = |signal: &Signal| signal.value(state.time, Side::After, &state.inputs);
    match &link.force {
        AnyForce::Plane(stiction::kinds::plane::force::Force::Applied(applied)) => {
            let given = Vec2::new(value(&applied.force[0]), value(&applied.force[1]));
            let force = match applied.frame {
                Frame::World => given,
                Frame::Body => pose_of(poses.plane(), link.bodies[1]).turn(given),
            };
            Vec3::new(force.x, force.y, 0.0)
        }
        AnyForce::Space(stiction::kinds::space::force::Force::Applied(applied)) => {
            let given = Vec3::from(applied.force.each_ref().map(value));
            match applied.frame {
                Frame::World => given,
                Frame::Body => stiction::model::space_pose_of(poses.space(), link.bodies[1])
                    .turn(applied.axes * given),
            }
        }
        AnyForce::Plane(_) | AnyForce::Space(_) => Vec3::zeros(),
    }
}
