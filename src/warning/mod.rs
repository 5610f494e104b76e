//! What a run knows to be off, each with its size: the same words in the summary, the report, `--json` and the log of an FMU.
//! docs/TROUBLE.md has a line for each kind.

mod kind;
mod words;

pub use kind::Kind;

use crate::integrate::Report;
use crate::model::Model;
use crate::scene::spec::Settings;

/// Something that is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warning {
    /// What.
    pub kind: Kind,
    /// How much, in the unit of the kind; the worst so far.
    pub size: f64,
    /// What the size is compared with: energy in play (J), substeps, residual or step (s), as the kind has it.
    pub beside: f64,
    /// When it was first seen, s.
    pub since: f64,
    /// How often it was seen anew or worse than before.
    pub sightings: u64,
}

/// What warnings depend on besides the report.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// The work to lift every body by its size, J.
    lift: f64,
    /// Mass of the heaviest body over that of the lightest one.
    mass_ratio: f64,
    /// Is effort bounded by `sweeps`?
    sweeps: bool,
    is_time_stepping: bool,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let mut lift = 0.0;
        let (mut lightest, mut heaviest) = (f64::INFINITY, 0.0_f64);
        for body in &model.bodies {
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
                .is_some_and(|time_stepping| time_stepping.rules.sweeps.is_some()),
            is_time_stepping: model.time_stepping.is_some(),
        }
    }
}

/// Looks at the report after every step and keeps what was off.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    scale: Scale,
    seen: [Option<Warning>; Kind::ALL.len()],
    /// Those that were not reported yet.
    is_new: [bool; Kind::ALL.len()],
}

impl Watch {
    /// Nothing was off so far.
    pub fn new(model: &Model) -> Self {
        Self {
            scale: Scale::of(model),
            seen: [None; Kind::ALL.len()],
            is_new: [false; Kind::ALL.len()],
        }
    }

    /// Looks at the report of a step that ended at `time`.
    pub fn look(&mut self, settings: &Settings, report: &Report, time: f64) {
        let facts = kind::Facts::new(&self.scale, settings, report);
        if !facts.may_be_off() {
            debug_assert!(Kind::ALL.iter().all(|kind| kind.size(&facts).is_none()));
            return;
        }
        for (i, kind) in Kind::ALL.into_iter().enumerate() {
            let Some((size, beside)) = kind.size(&facts) else {
                continue;
            };
            match &mut self.seen[i] {
                Some(seen) if size.abs() <= seen.size.abs() => {}
                Some(seen) => {
                    seen.size = size;
                    seen.beside = beside;
                    seen.sightings += 1;
                }
                seen => {
                    self.is_new[i] = true;
                    *seen = Some(Warning {
                        kind,
                        size,
                        beside,
                        since: time,
                        sightings: 1,
                    });
                }
            }
        }
    }

    /// What was off so far is reported.
    pub fn reported(&mut self) {
        self.is_new = [false; Kind::ALL.len()];
    }

    /// All that was off so far, in the order of the kinds.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.seen.iter().flatten()
    }

    /// What was not reported yet.
    pub fn fresh(&self) -> impl Iterator<Item = &Warning> {
        let all = self.seen.iter().zip(&self.is_new);
        all.filter_map(|(seen, is_new)| seen.as_ref().filter(|_| *is_new))
    }
}

/// What a report says is off, at a time: for a run that was not watched step by step.
pub fn warnings(model: &Model, settings: &Settings, report: &Report, time: f64) -> Vec<Warning> {
    let mut watch = Watch::new(model);
    watch.look(settings, report, time);
    watch.warnings().copied().collect()
}
