//! Looks at the counters after every step, to tell when something out of the ordinary happened.

use std::collections::BTreeMap;

use super::format::{count, short};
use stiction::model::Model;
use stiction::step::{EventKind, Report};

/// Times told for each kind of trouble.
const MOST_TIMES: usize = 3;

/// Bodies overlap deeply beyond this part of the reach of the smallest one: errors of a step are far below.
const DEEP: f64 = 1e-2;

/// Joints that are open by more have come apart, m or rad: errors of a step are far below.
const APART: f64 = 1e-6;

/// Corrections of places are not small if they do more work against gravity than this part of what the run lost and of
/// what it takes to lift all bodies by their size.
const LIFTED: f64 = 0.05;

/// What happened and when, up to now.
#[derive(Default)]
pub struct Watch {
    degraded: Sightings,
    guarded: Sightings,
    n_rests: u64,
    /// By the name of the body that no longer bounces.
    rests: BTreeMap<String, u64>,
}

#[derive(Default)]
struct Sightings {
    n: u64,
    n_steps: u64,
    times: Vec<f64>,
}

impl Sightings {
    fn look(&mut self, n: u64, time: f64) {
        if n > self.n {
            self.n = n;
            self.n_steps += 1;
            if self.times.len() < MOST_TIMES {
                self.times.push(time);
            }
        }
    }

    fn at(&self) -> String {
        let times: Vec<String> = self.times.iter().map(|t| short(*t)).collect();
        let more = if self.n_steps > self.times.len() as u64 {
            ", ..."
        } else {
            ""
        };
        format!("t = {}{more} s", times.join(", "))
    }
}

impl Watch {
    /// Looks at the counters and events after the step that ended at `time`.
    pub fn look(&mut self, model: &Model, report: &Report, time: f64) {
        self.look_at_rests(model, report);
        self.degraded.look(report.degraded_steps, time);
        self.guarded.look(report.guarded_impacts, time);
    }

    /// Bounces that ended, by the name of the body.
    pub fn rests(&self) -> &BTreeMap<String, u64> {
        &self.rests
    }

    // the last impacts of the step are those that did not bounce
    fn look_at_rests(&mut self, model: &Model, report: &Report) {
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
        for event in impacts.take(n_shown) {
            // the ground is what others bounce on
            let [first, second] = model.contacts[event.contact].bodies;
            let body = model.body_name(second.or(first)).to_owned();
            *self.rests.entry(body).or_default() += 1;
        }
    }

    /// Plain sentences, one for each kind of trouble that happened.
    pub fn warnings(&self, model: &Model, report: &Report, n_lost_events: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        let reach = model.bodies.iter().map(|body| body.extent);
        let smallest = reach.filter(|x| *x > 0.0).fold(f64::INFINITY, f64::min);
        if report.worst_penetration > DEEP * smallest {
            warnings.push(format!(
                "shapes were up to {} m inside each other, so that the run is not to be trusted; a smaller step may help",
                short(report.worst_penetration)
            ));
        }
        if report.worst_joint_drift > APART {
            warnings.push(format!(
                "joints came apart by up to {} m or rad; a smaller step helps, or masses that differ less",
                short(report.worst_joint_drift)
            ));
        }
        let lost = report.damping_loss + report.friction_loss + report.impact_loss;
        if report.lifted > LIFTED * (lost + lift_by_size(model)) {
            warnings.push(format!(
                "corrections of places lifted bodies by {} J, where the run lost {} J: a smaller step helps, or exact forces in place of `sweeps`",
                short(report.lifted),
                short(lost)
            ));
        }
        if report.transition_errors > 0 {
            warnings.push(format!(
                "{} of stick and slip could not be taken to the tolerance, however short; the result may be off by {}, relative",
                count(report.transition_errors, "step"),
                short(report.transition_error)
            ));
        }
        if self.degraded.n > 0 {
            warnings.push(format!(
                "{} ended in the first-order step because events came too dense, at {}; positions there are of first order",
                count(self.degraded.n, "step"),
                self.degraded.at()
            ));
        }
        if self.guarded.n > 0 {
            warnings.push(format!(
                "{} would have gained energy by the impact law and got less restitution, at {}",
                count(self.guarded.n, "impact"),
                self.guarded.at()
            ));
        }
        if n_lost_events > 0 {
            warnings.push(format!(
                "{} came in one step after more than {} others and are counted, not listed; a smaller step shows them",
                count(n_lost_events, "event"),
                Report::MAX_EVENTS
            ));
        }
        warnings
    }
}

/// The work to lift every body by its size, J.
fn lift_by_size(model: &Model) -> f64 {
    let bodies = model.bodies.iter();
    let weighed = bodies.map(|body| model.mass[body.first] * body.extent);
    model.gravity.norm() * weighed.sum::<f64>()
}
