//! Recording with time stepping: contact forces, counts and events of many bodies. Since a table of ten thousand contacts is
//! unreadable, events of a kind at about the same time are combined into one with a count.

use std::collections::{BTreeMap, BTreeSet};

use super::track::TrackStatus;
use super::{Channel, Group, RecordedEvent, Recording, Row};
use stiction::kinds::space::collide::narrow_phase::{ManifoldPoint, NarrowPhase};
use stiction::math::{Vec3, dot3, norm};
use stiction::model::{BodyRef, Model, Poses, TimeStepping, space_pose_of};
use stiction::state::{PersistentContact, State};

/// Maximum number of arrows in a row: those of the largest forces.
pub const MOST_ARROWS: usize = 600;

/// Typical number of contacts per body, to estimate the size of a row.
const CONTACTS_OF_A_BODY: usize = 3;

/// Number of time windows within which events of a kind are combined, so that the table has some hundred lines at most.
const WINDOWS: f64 = 100.0;

/// Relative distance to the friction bound below which a contact counts as sliding; the solver error is smaller.
const AT_THE_BOUND: f64 = 1e-3;

/// Bodies that touch in this many first samples count as touching from the start: forces are known after the first step.
const FROM_THE_START: u32 = 2;

/// A contact force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// m.
    pub point: [f64; 3],
    /// On the second body, N.
    pub force: [f64; 3],
    /// Stick or slip.
    pub status: TrackStatus,
}

/// Outcome of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOutcome {
    /// Number of bodies.
    pub n_bodies: usize,
    /// Pairs of bodies that have touched.
    pub n_pairs: usize,
    /// Loaded contacts at the end, and the number of them that slide.
    pub n_contacts: usize,
    pub n_sliding: usize,
    /// Bodies asleep at the end.
    pub n_asleep: usize,
    /// When the last of these fell asleep, s.
    pub asleep_since: f64,
    /// Number of wake-ups.
    pub n_woken: u64,
}

/// Kinds of events with time stepping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupEvent {
    FirstContact,
    Sleep,
    WakeUp,
}

const GROUP_EVENTS: [GroupEvent; 3] = [
    GroupEvent::FirstContact,
    GroupEvent::Sleep,
    GroupEvent::WakeUp,
];

impl GroupEvent {
    fn name(self) -> &'static str {
        match self {
            Self::FirstContact => "first touch",
            Self::Sleep => "sleep",
            Self::WakeUp => "wake-up",
        }
    }

    // "ball_1-ball_2 and 36 more pairs"
    fn place_name(self, first: &str, n: u64) -> String {
        let what = match (self, n) {
            (_, 1) => return first.to_owned(),
            (Self::FirstContact, 2) => "pair",
            (Self::FirstContact, _) => "pairs",
            (Self::Sleep | Self::WakeUp, 2) => "body",
            (Self::Sleep | Self::WakeUp, _) => "bodies",
        };
        format!("{first} and {} more {what}", n - 1)
    }
}

/// Events of one kind at about the same time.
#[derive(Debug)]
struct EventCluster {
    event: GroupEvent,
    /// s.
    since: f64,
    first: String,
    n: u64,
}

/// Records contacts and events row by row.
#[derive(Debug, Default)]
pub struct ContactRecorder {
    /// Narrow-phase data of shape pairs in contact.
    known: BTreeMap<[u32; 2], Option<NarrowPhase>>,
    /// Pairs of bodies that have touched.
    met: BTreeSet<[BodyRef; 2]>,
    asleep: Vec<bool>,
    clusters: Vec<EventCluster>,
    n_looks: u32,
    /// Index of its first channel.
    first_channel: usize,
    outcome: RunOutcome,
}

/// Channels of counts.
pub fn channels() -> [Channel; 3] {
    ["contacts", "contacts that slide", "bodies asleep"].map(|name| Channel {
        name: name.to_owned(),
        unit: String::new(),
        group: Group::Count,
    })
}

impl ContactRecorder {
    /// With the index of its first channel.
    pub fn new(model: &Model, first_channel: usize) -> Self {
        Self {
            asleep: vec![false; model.bodies.len()],
            first_channel,
            outcome: RunOutcome {
                n_bodies: model.bodies.len(),
                ..RunOutcome::default()
            },
            ..Self::default()
        }
    }

    /// Approximate number of values in the arrows of a row.
    pub fn n_values(model: &Model) -> usize {
        6 * (CONTACTS_OF_A_BODY * model.bodies.len()).min(MOST_ARROWS)
    }

    /// Fills in arrows and counts of a row and adds the events since the last one. Contact points are evaluated at this instant;
    /// the state has those of the last step, including impacts.
    pub fn look(
        &mut self,
        (model, time_stepping): (&Model, &TimeStepping),
        state: &State,
        pressing: &[PersistentContact],
        poses: &Poses,
        row: &mut Row,
        recording: &mut Recording,
    ) {
        self.n_looks += 1;
        row.arrows.clear();
        for contacts in pressing.chunk_by(same_shapes) {
            let bodies = contacts[0]
                .key
                .shapes
                .map(|i| time_stepping.colliders[i as usize].body);
            // sleeping bodies keep the forces with which they fell asleep, and do not slide
            let sleeps = |body: &BodyRef| {
                body.is_none_or(|i| state.time_stepping.sleep_timer[i] == f64::INFINITY)
            };
            let is_asleep = bodies.iter().all(sleeps);
            self.press(time_stepping, contacts, poses, is_asleep, &mut row.arrows);
        }
        for contacts in state.time_stepping.contacts.chunk_by(same_shapes) {
            let bodies = contacts[0]
                .key
                .shapes
                .map(|i| time_stepping.colliders[i as usize].body);
            if self.met.insert(bodies) && self.n_looks > FROM_THE_START {
                let [a, b] = bodies.map(|body| model.body_name(body));
                // name the ground last
                let name = if bodies[0].is_none() {
                    format!("{b}.on.{a}")
                } else {
                    format!("{a}.on.{b}")
                };
                self.happens(GroupEvent::FirstContact, state.time, name);
            }
        }
        for (i, sleep_timer) in state.time_stepping.sleep_timer.iter().enumerate() {
            let asleep = *sleep_timer == f64::INFINITY;
            if asleep == self.asleep[i] {
                continue;
            }
            self.asleep[i] = asleep;
            let name = model.bodies[i].name.clone();
            if asleep {
                self.outcome.asleep_since = state.time;
                self.happens(GroupEvent::Sleep, state.time, name);
            } else {
                self.outcome.n_woken += 1;
                self.happens(GroupEvent::WakeUp, state.time, name);
            }
        }
        let n_sliding = row
            .arrows
            .iter()
            .filter(|a| a.status == TrackStatus::Slip)
            .count();
        self.outcome.n_contacts = row.arrows.len();
        self.outcome.n_sliding = n_sliding;
        self.outcome.n_asleep = self.asleep.iter().filter(|asleep| **asleep).count();
        self.outcome.n_pairs = self.met.len();
        let counts = [self.outcome.n_contacts, n_sliding, self.outcome.n_asleep];
        let own = &mut row.values[self.first_channel..];
        for (value, n) in own.iter_mut().zip(counts) {
            *value = n as f64;
        }
        keep_largest(&mut row.arrows);
        let window = (recording.until - recording.start) / WINDOWS;
        self.add_complete_clusters(recording, state.time - window);
    }

    /// The end of the run.
    pub fn finish(mut self, recording: &mut Recording) {
        self.add_complete_clusters(recording, f64::INFINITY);
        recording.outcome = Some(self.outcome);
    }

    // contact points of a shape pair
    fn press(
        &mut self,
        time_stepping: &TimeStepping,
        contacts: &[PersistentContact],
        poses: &Poses,
        is_asleep: bool,
        arrows: &mut Vec<Arrow>,
    ) {
        let pair = contacts[0].key.shapes;
        let [a, b] = pair.map(|i| &time_stepping.colliders[i as usize]);
        let meetings = self.known.entry(pair);
        let Some(meetings) = meetings.or_insert_with(|| NarrowPhase::of(&a.shape, &b.shape).ok())
        else {
            return;
        };
        let at = [a, b].map(|collider| space_pose_of(poses.space(), collider.body));
        let mut found: Vec<ManifoldPoint> = Vec::new();
        meetings.find([&a.shape, &b.shape], at, f64::MAX, |meeting| {
            found.push(meeting);
        });
        let friction = time_stepping
            .material(pair[0] as usize, pair[1] as usize)
            .friction;
        for contact in contacts {
            // a contact whose feature is gone is matched to the nearest point
            let own = found.iter().find(|m| m.feature == contact.key.feature);
            let nearest = || found.iter().min_by(|m, n| m.gap.total_cmp(&n.gap));
            let Some(meeting) = own.or_else(nearest) else {
                continue;
            };
            arrows.push(Arrow {
                point: (at[1].position + meeting.arms[1]).into(),
                force: contact.force.into(),
                status: match status_of(contact.force, meeting.normal, friction) {
                    TrackStatus::Slip if is_asleep => TrackStatus::Stick,
                    status => status,
                },
            });
        }
    }

    fn happens(&mut self, event: GroupEvent, time: f64, name: String) {
        match self
            .clusters
            .iter_mut()
            .find(|cluster| cluster.event == event)
        {
            Some(cluster) => cluster.n += 1,
            None => self.clusters.push(EventCluster {
                event,
                since: time,
                first: name,
                n: 1,
            }),
        }
    }

    // clusters that began before a given time are complete
    fn add_complete_clusters(&mut self, recording: &mut Recording, before: f64) {
        debug_assert!(self.clusters.len() <= GROUP_EVENTS.len());
        self.clusters.sort_by(|a, b| a.since.total_cmp(&b.since));
        let n_complete = self
            .clusters
            .partition_point(|cluster| cluster.since <= before);
        for cluster in self.clusters.drain(..n_complete) {
            let place = recording.places.len();
            recording
                .places
                .push(cluster.event.place_name(&cluster.first, cluster.n));
            recording.add_event(RecordedEvent {
                time: cluster.since,
                kind: cluster.event.name(),
                place: Some(place),
                impulse: [0.0; 2],
            });
        }
    }
}

fn same_shapes(a: &PersistentContact, b: &PersistentContact) -> bool {
    a.key.shapes == b.key.shapes
}

fn status_of(force: Vec3, normal: Vec3, friction: f64) -> TrackStatus {
    let pressing = dot3(force, normal);
    let along = force - normal * pressing;
    if friction == 0.0 {
        TrackStatus::Closed
    } else if norm(along.as_slice()) >= (1.0 - AT_THE_BOUND) * friction * pressing {
        TrackStatus::Slip
    } else {
        TrackStatus::Stick
    }
}

fn keep_largest(arrows: &mut Vec<Arrow>) {
    if arrows.len() > MOST_ARROWS {
        arrows.sort_by(|a, b| norm(&b.force).total_cmp(&norm(&a.force)));
        arrows.truncate(MOST_ARROWS);
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::record::{Recording, Sampler, TrackStatus};
    use stiction::{Model, Simulation};

    /// Samples every step.
    fn run(scene: &str, until: f64, n_steps: u32) -> Recording {
        let mut simulation = Simulation::new(Model::from_text("test", scene).unwrap());
        let mut sampler = Sampler::new(simulation.model(), until, None);
        sampler.look(&mut simulation);
        for i in 1..=n_steps {
            let time = until * f64::from(i) / f64::from(n_steps);
            simulation.advance_to(time).unwrap();
            sampler.look(&mut simulation);
        }
        sampler.finish()
    }

    const TWO_BALLS: &str = r#"
        dimension = 3
        settings = { step = 0.005, integrator = "time_stepping", time_stepping = { sleep_after = 0.2 } }
        contact_default = { friction = 0.5 }
        body = [
            { name = "low", kind = "rigid", mass = 2, position = [0, 0, 0.1], shape = [{ kind = "sphere", radius = 0.1 }] },
            { name = "high", kind = "rigid", mass = 1, position = [0, 0, 0.5], shape = [{ kind = "sphere", radius = 0.1 }] },
            { name = "fast", kind = "rigid", mass = 1, position = [2, 0, 0.1], velocity = [3, 0, 0], shape = [{ kind = "box", size = [0.2, 0.2, 0.2] }] },
        ]
        ground = { shape = [{ kind = "half_space", normal = [0, 0, 1] }] }
    "#;

    #[test]
    fn a_ball_on_another_has_the_weight_of_both_below_it() {
        let recording = run(TWO_BALLS, 1.5, 300);
        let last = recording.contact_forces.len() - 1;
        let arrows = &recording.arrows[last];
        let below = arrows
            .iter()
            .find(|a| a.point[0].abs() < 0.01 && a.point[2] < 0.01);
        let between = arrows.iter().find(|a| (a.point[2] - 0.2).abs() < 0.01);
        let [below, between] = [below, between].map(|arrow| *arrow.unwrap());
        println!("{below:?} {between:?}");
        // balanced on a point: rounding topples it later, so a thousandth of the weight
        assert!((below.force[2].abs() - 3.0 * 9.81).abs() < 0.03);
        assert!((between.force[2].abs() - 9.81).abs() < 0.01);
        assert_eq!(
            (below.status, between.status),
            (TrackStatus::Stick, TrackStatus::Stick)
        );
    }

    #[test]
    fn what_slides_is_told_from_what_sticks() {
        let recording = run(TWO_BALLS, 0.2, 40);
        let sliding = recording.arrows[10].iter().find(|a| a.point[0] > 1.0);
        assert_eq!(sliding.unwrap().status, TrackStatus::Slip);
        // 3 m/s, decelerated by 0.5 g: it stops after 0.61 s
        let later = run(TWO_BALLS, 0.7, 140);
        let standing = later.arrows.last().unwrap();
        let standing = standing.iter().find(|a| a.point[0] > 1.0).unwrap();
        assert_eq!(standing.status, TrackStatus::Stick);
    }

    #[test]
    fn first_touches_and_sleep_are_events_but_not_what_touched_at_the_start() {
        let recording = run(TWO_BALLS, 1.5, 300);
        let events: Vec<(&str, &str, f64)> = recording
            .events
            .iter()
            .map(|e| (e.kind, recording.place_name(e), e.time))
            .collect();
        println!("{events:?}");
        // the lower ball is at rest for 0.2 s and sleeps until the other one hits it
        let found: Vec<(&str, &str)> = events[..3].iter().map(|e| (e.0, e.1)).collect();
        let wanted = [
            ("sleep", "low"),
            ("first touch", "low.on.high"),
            ("wake-up", "low"),
        ];
        assert_eq!(found, wanted);
        // the other one falls by 0.2 m: recorded at the end of the step of its impact
        let time = events[1].2;
        assert!(time > 0.2019 && time < 0.2019 + 0.011, "{time}");
        assert!(
            events
                .iter()
                .any(|(kind, place, _)| *kind == "sleep" && place.starts_with("fast"))
        );
        assert!(events.is_sorted_by(|a, b| a.2 <= b.2));
        assert!(
            events
                .iter()
                .all(|(_, place, _)| *place != "fast.on.ground")
        );
    }

    #[test]
    fn a_pile_has_a_short_table() {
        let text = include_str!("../../../resources/pile_of_balls/scene.toml");
        let recording = run(text, 0.5, 100);
        let outcome = recording.outcome.as_ref().unwrap();
        println!("{} events, {outcome:?}", recording.events.len());
        assert!(outcome.n_pairs > 50);
        assert!(!recording.events.is_empty() && recording.events.len() <= 300);
        let n = |name: &str| recording.columns[recording.channel(name).unwrap()].last();
        assert_eq!(n("contacts"), Some(&(outcome.n_contacts as f64)));
    }
}
