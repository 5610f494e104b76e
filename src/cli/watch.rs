//! Follows the counters of the report, to name the bodies whose bouncing was ended.

use std::collections::BTreeMap;

use stiction::integrate::{EventKind, Report};
use stiction::model::Model;

/// Bounces ended so far.
#[derive(Default)]
pub struct Watch {
    n_rests: u64,
    /// By the name of the body that no longer bounces.
    rests: BTreeMap<String, u64>,
}

impl Watch {
    /// Updates the counts from the report of a step.
    pub fn look(&mut self, model: &Model, report: &Report) {
        let n = report.rests - self.n_rests;
        self.n_rests = report.rests;
        if n == 0 {
            return;
        }
        let impacts = report
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Impact)
            .rev();
        let n_shown = usize::try_from(n).unwrap_or(usize::MAX);
        // the last impacts of the step are those without a bounce
        for event in impacts.take(n_shown) {
            // never the ground
            let [first, second] = model.event_bodies(event.contact);
            let body = model.body_name(second.or(first)).to_owned();
            *self.rests.entry(body).or_default() += 1;
        }
    }

    /// Number of ended bounces by name of the body.
    pub fn rests(&self) -> &BTreeMap<String, u64> {
        &self.rests
    }
}
