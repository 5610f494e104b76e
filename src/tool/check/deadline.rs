//! How long an examination may take as a whole.

use std::time::{Duration, Instant};

/// The time at which it ends, whatever is not examined then.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    end: Option<Instant>,
    limit: Duration,
}

impl Deadline {
    /// From now on.
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

    /// What is left of it.
    pub fn left(&self) -> Duration {
        self.end.map_or(self.limit, |end| {
            end.saturating_duration_since(Instant::now())
        })
    }

    /// All of it.
    pub fn limit(&self) -> Duration {
        self.limit
    }
}
