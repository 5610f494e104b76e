//! Status of a contact over time.

use stiction::state::Status;

/// Status of a contact or a shape pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrackStatus {
    /// Separated.
    #[default]
    Open,
    /// Closed, without friction.
    Closed,
    /// Closed and sticking.
    Stick,
    /// Closed and sliding.
    Slip,
}

impl TrackStatus {
    /// The status, regardless of the direction of sliding.
    pub fn of(status: Status) -> Self {
        match status {
            Status::Open => Self::Open,
            Status::Frictionless => Self::Closed,
            Status::Stick => Self::Stick,
            Status::SlipForward | Status::SlipBackward | Status::Slip => Self::Slip,
        }
    }

    /// Name of the status.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// What has a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackOf {
    /// A contact of two shapes, or a pair of them.
    Shapes,
    /// The stop of a joint.
    Stop,
    /// A rope.
    Rope,
}

/// Statuses over time.
#[derive(Clone, Debug)]
pub struct Track {
    /// Name of the contact or of the pair.
    pub name: String,
    /// Names of the two bodies.
    pub bodies: [String; 2],
    /// What it is of.
    pub of: TrackOf,
    /// Index of the channel with the normal force.
    pub channel: usize,
    /// Each status with its start time, s.
    pub changes: Vec<(f64, TrackStatus)>,
}

/// A track with more changes than this is drawn without invisibly short intervals.
const MOST_CHANGES: usize = 4000;

impl Track {
    /// Is it the track of this contact, or of its pair?
    pub fn has(&self, contact: &str) -> bool {
        let rest = contact.strip_prefix(&self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    }

    /// Sets the status from `time` on.
    pub fn is_now(&mut self, time: f64, status: TrackStatus) {
        if self.changes.last().is_none_or(|(_, last)| *last != status) {
            self.changes.push((time, status));
        }
    }

    /// Changes to draw for a run of this length: if there are too many, invisibly short intervals are left out.
    pub fn drawn(&self, length: f64) -> Vec<(f64, TrackStatus)> {
        if self.changes.len() <= MOST_CHANGES {
            return self.changes.clone();
        }
        let shortest = length / MOST_CHANGES as f64;
        let mut drawn: Vec<(f64, TrackStatus)> = Vec::new();
        for (i, change) in self.changes.iter().enumerate() {
            let lasts = self
                .changes
                .get(i + 1)
                .is_none_or(|next| next.0 - change.0 >= shortest);
            let is_far = drawn
                .last()
                .is_none_or(|last| change.0 - last.0 >= shortest);
            let is_new = drawn.last().is_none_or(|last| last.1 != change.1);
            if (lasts || is_far) && is_new {
                drawn.push(*change);
            }
        }
        drawn
    }

    /// Time spent in a status up to `end`, s, and the number of intervals.
    pub fn spent(&self, status: TrackStatus, end: f64) -> (f64, usize) {
        let ends = self.changes.iter().skip(1).map(|change| change.0);
        let mut sum = (0.0, 0);
        for ((start, own), stop) in self.changes.iter().zip(ends.chain([end])) {
            if *own == status {
                sum = (sum.0 + (stop - start).max(0.0), sum.1 + 1);
            }
        }
        sum
    }

    /// The last status.
    pub fn last(&self) -> TrackStatus {
        self.changes.last().map_or(TrackStatus::Open, |last| last.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(changes: Vec<(f64, TrackStatus)>) -> Track {
        Track {
            name: "a-b".to_owned(),
            bodies: ["a".to_owned(), "b".to_owned()],
            of: TrackOf::Shapes,
            channel: 0,
            changes,
        }
    }

    #[test]
    fn time_spent_adds_up() {
        use TrackStatus::{Slip, Stick};
        let track = track(vec![(0.0, Stick), (1.0, Slip), (1.5, Stick)]);
        assert_eq!(track.spent(Stick, 2.0), (1.5, 2));
        assert_eq!(track.spent(Slip, 2.0), (0.5, 1));
    }

    #[test]
    fn chatter_is_drawn_with_few_changes_and_long_stretches_stay() {
        use TrackStatus::{Slip, Stick};
        let mut changes: Vec<_> = (0..100_000)
            .map(|i| (1e-6 * f64::from(i), if i % 2 == 0 { Stick } else { Slip }))
            .collect();
        changes.push((0.1, Stick));
        changes.push((0.7, Slip));
        let drawn = track(changes).drawn(1.0);
        assert!(drawn.len() < 1000, "{}", drawn.len());
        assert!(drawn.contains(&(0.7, Slip)));
    }
}
