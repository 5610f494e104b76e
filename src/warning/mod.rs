//! Warnings of a run, each with its size: the same text in the summary, the report, `--json` and the FMU log. docs/TROUBLE.md has a line
//! for each kind.

mod kind;
mod words;

pub use kind::Kind;

use crate::integrate::Report;
use crate::model::Model;
use crate::scene::spec::Settings;

/// A known inaccuracy of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warning {
    /// Its kind.
    pub kind: Kind,
    /// Size in the unit of the kind; the largest so far.
    pub size: f64,
    /// Reference of the size: energy in play (J), substeps, residual or step (s), depending on the kind.
    pub reference: f64,
    /// Time of the first occurrence, s.
    pub since: f64,
    /// Number of occurrences that were new or larger than before.
    pub occurrences: u64,
    /// How the run chooses its steps: hints depend on it.
    pub steps: Steps,
}

/// How a run chooses its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Fixed steps of the event-driven integrator.
    Fixed,
    /// Steps by tolerance.
    Tolerance,
    /// Fixed steps of time stepping, which has no tolerance.
    TimeStepping,
}

/// Properties of the model that thresholds depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// Work of lifting every body by its size, J.
    lift: f64,
    /// Mass ratio of the heaviest and the lightest body.
    mass_ratio: f64,
    /// Is the solver truncated by `sweeps`?
    sweeps: bool,
    is_time_stepping: bool,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let mut lift = 0.0;
        let (mut lightest, mut heaviest) = (f64::INFINITY, 0.0_f64);
        for body in model.bodies_of_scene() {
            let mass = model.mass[body.first];
            lift += mass * body.extent;
            lightest = if mass < lightest { mass } else { lightest };
            heaviest = if mass > heaviest { mass } else { heaviest };
        }
        Self {
            lift: model.gravity.norm() * lift,
            mass_ratio: heaviest / lightest,
            sweeps: model
                .time_stepping
                .as_ref()
                .is_some_and(|time_stepping| time_stepping.options.sweeps.is_some()),
            is_time_stepping: model.time_stepping.is_some(),
        }
    }
}

/// Checks the report after every step and keeps the warnings.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    scale: Scale,
    seen: [Option<Warning>; Kind::ALL.len()],
    /// Those that were not reported yet.
    is_new: [bool; Kind::ALL.len()],
}

impl Watch {
    /// No warnings yet.
    pub fn new(model: &Model) -> Self {
        Self {
            scale: Scale::of(model),
            seen: [None; Kind::ALL.len()],
            is_new: [false; Kind::ALL.len()],
        }
    }

    /// Checks the report of a step that ended at `time`.
    pub fn check(&mut self, settings: &Settings, report: &Report, time: f64) {
        let measures = kind::Measures::new(&self.scale, settings, report);
        if !measures.any_above_threshold() {
            debug_assert!(Kind::ALL.iter().all(|kind| kind.size(&measures).is_none()));
            return;
        }
        let steps = match settings.tolerance {
            _ if self.scale.is_time_stepping => Steps::TimeStepping,
            Some(_) => Steps::Tolerance,
            None => Steps::Fixed,
        };
        for (i, kind) in Kind::ALL.iter().copied().enumerate() {
            let Some((size, reference)) = kind.size(&measures) else {
                continue;
            };
            match &mut self.seen[i] {
                Some(seen) if size.abs() <= seen.size.abs() => {}
                Some(seen) => {
                    seen.size = size;
                    seen.reference = reference;
                    seen.occurrences += 1;
                }
                seen => {
                    self.is_new[i] = true;
                    *seen = Some(Warning {
                        kind,
                        size,
                        reference,
                        since: time,
                        occurrences: 1,
                        steps,
                    });
                }
            }
        }
    }

    /// What was off so far is reported.
    pub fn reported(&mut self) {
        self.is_new = [false; Kind::ALL.len()];
    }

    /// All warnings so far, in the order of the kinds.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.seen.iter().flatten()
    }

    /// Warnings that were not reported yet.
    pub fn new_warnings(&self) -> impl Iterator<Item = &Warning> {
        let all = self.seen.iter().zip(&self.is_new);
        all.filter_map(|(seen, is_new)| seen.as_ref().filter(|_| *is_new))
    }
}

/// Warnings of a report, for a run that was not checked step by step.
pub fn warnings(model: &Model, settings: &Settings, report: &Report, time: f64) -> Vec<Warning> {
    let mut watch = Watch::new(model);
    watch.check(settings, report, time);
    watch.warnings().copied().collect()
}
