//! Time limit of a whole check.

use std::time::{Duration, Instant};

/// The time at which a check ends.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    end: Option<Instant>,
    limit: Duration,
}

impl Deadline {
    /// Starts now.
    pub fn after(limit: Duration) -> Self {
        Self {
            end: Instant::now().checked_add(limit),
            limit,
        }
    }

    /// Is the time over?
    pub fn is_over(&self) -> bool {
        self.left() == Duration::ZERO
    }

    /// Remaining time.
    pub fn left(&self) -> Duration {
        self.end.map_or(self.limit, |end| {
            end.saturating_duration_since(Instant::now())
        })
    }

    /// The time limit.
    pub fn limit(&self) -> Duration {
        self.limit
    }
}
