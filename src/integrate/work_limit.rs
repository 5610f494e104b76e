//! How much work a communication step may take (`max_step_work`).
//!
//! ```text
//! (1)  allowed = max_step_work * n,   n = standard steps in the communication step, at least 1
//! ```
//!
//! Work is counted in factorizations of the system of constraints: steps with frozen statuses, accelerations and projections, each
//! iteration of theirs, and each pivot or iteration of a complementarity problem. In a crowd, where groups of bodies are solved apart,
//! ten iterations over all rows count as one, and those of a group as the share that it has in all rows. None of it depends on the machine.
//!
//! Beyond it, fixed steps of order two end the standard step with the first-order step, and a crowd takes the best answers that it
//! has; both are reported. A step by tolerance or of high order ends where it is: what it was asked for cannot be had with less.

use super::Workspace;
use crate::math::Limit;
use crate::scene::spec::Settings;

/// (1) for a communication step of this length, s.
pub(super) fn allowed(settings: &Settings, span: f64) -> u64 {
    let n = (span / settings.step - 1e-6).ceil().at_least(1.0);
    (f64::from(settings.max_step_work) * n) as u64
}

impl Workspace {
    /// Begins to count, for a communication step of this length, s.
    pub(super) fn allow(&mut self, settings: &Settings, span: f64) {
        self.allowed_work = allowed(settings, span);
    }

    // the problems are counted from the start of a step, too
    pub(super) fn is_exhausted(&self) -> bool {
        self.work + self.complementarity.stats().pivots > self.allowed_work
    }
}
