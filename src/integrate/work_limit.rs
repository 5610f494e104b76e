//! Work limit of a communication step (`max_step_work`).
//!
//! ```text
//! (1)  allowed = max_step_work * n,   n = standard steps in the communication step, at least 1
//! ```
//!
//! Work is counted in factorizations of the constraint system: each iteration of steps with fixed statuses, accelerations and projections,
//! each pivot or iteration of a complementarity problem, and every 1000 rows of systems solved along the flow of sliding contacts. In time
//! stepping, where islands are solved separately, ten iterations over all rows count as one, and those of an island in proportion to its
//! rows. Work does not depend on the machine.
//!
//! Beyond the limit, fixed steps of order two end with a first-order step, and time stepping uses the best solution so far; both are
//! reported. A step under a tolerance or of high order ends with an error: its accuracy cannot be reached with less.

use super::Workspace;
use crate::math::Limit;
use crate::scene::spec::Settings;

/// (1) for a communication step of this length, s.
pub(super) fn allowed(settings: &Settings, span: f64) -> u64 {
    let n = (span / settings.step - 1e-6).ceil().at_least(1.0);
    (f64::from(settings.max_step_work) * n) as u64
}

impl Workspace {
    /// Starts counting for a communication step of this length, s.
    pub(super) fn allow(&mut self, settings: &Settings, span: f64) {
        self.allowed_work = allowed(settings, span);
    }

    // complementarity problems are counted from the start of the step as well
    pub(super) fn is_exhausted(&self) -> bool {
        self.work + self.complementarity.stats().pivots > self.allowed_work
    }
}
