//! The summary of a run.

use std::fmt::Write as _;
use std::time::Duration;

use super::events;
use super::format::short;
use super::settings::name;
use crate::scene::format::{Scheme, Settings};
use crate::simulate::Energy;
use crate::step::Report;

/// What the summary tells besides the report.
pub struct Facts<'a> {
    /// Name of the scene.
    pub scene: &'a str,
    /// Settings in force.
    pub settings: &'a Settings,
    /// Time that was reached, s.
    pub time: f64,
    /// End that was asked for, s.
    pub until: f64,
    /// Energy at the start and now.
    pub energy: [Energy; 2],
    /// Duration of the run on the clock.
    pub wall: Duration,
}

/// The summary as text.
pub fn summary(facts: &Facts<'_>, report: &Report) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        // writing to a string cannot fail
        let _ = writeln!(text, "  {label:20}{value}");
    };
    line("scene", facts.scene.to_owned());
    line("scheme", scheme(facts.settings));
    line("simulated time", simulated(facts));
    line(
        "wall time",
        format!("{} s", short(facts.wall.as_secs_f64())),
    );
    line("events", event_counts(report));
    line(
        "put to rest",
        of(report.rests, "impacts too slow to bounce"),
    );
    line("guarded impacts", report.guarded_impacts.to_string());

    line("steps", report.steps.to_string());
    line("substeps", report.substeps.to_string());
    line("trials", report.trials.to_string());
    line("LCPs", report.lcps.to_string());
    line("pivots", report.pivots.to_string());
    line("warm-start hits", report.warm_hits.to_string());
    line(
        "fallbacks",
        of(
            report.fallbacks,
            "substeps solved as an LCP for want of statuses",
        ),
    );
    line(
        "degraded steps",
        of(report.degraded_steps, "finished with the first-order step"),
    );
    line(
        "stabilized",
        of(
            report.stabilized_steps,
            "substeps without a destabilizing force derivative",
        ),
    );

    line("worst residual", short(report.worst_residual));
    line(
        "worst penetration",
        format!("{} m", short(report.worst_penetration)),
    );
    line(
        "worst joint drift",
        format!("{} m or rad", short(report.worst_joint_drift)),
    );

    let [start, end] = facts.energy.map(|energy| energy.total());
    let losses = report.damping_loss + report.friction_loss + report.impact_loss;
    let mut energy = |label: &str, joule: f64| line(label, format!("{:>13} J", short(joule)));
    energy("energy at the start", start);
    energy("+ applied work", report.applied_work);
    energy("- damping", report.damping_loss);
    energy("- friction", report.friction_loss);
    energy("- impacts", report.impact_loss);
    energy("+ remainder", end - (start + report.applied_work - losses));
    energy("= energy at the end", end);
    format!("Summary\n{text}")
}

fn scheme(settings: &Settings) -> String {
    let step = short(settings.step);
    match settings.scheme {
        Scheme::General { alpha, gamma } => {
            format!(
                "general (alpha {}, gamma {}), step {step} s",
                short(alpha),
                short(gamma)
            )
        }
        scheme => format!("{}, step {step} s", name(scheme)),
    }
}

fn simulated(facts: &Facts<'_>) -> String {
    if facts.time < facts.until {
        format!("{} s of {} s", short(facts.time), short(facts.until))
    } else {
        format!("{} s", short(facts.time))
    }
}

fn event_counts(report: &Report) -> String {
    let total = events::total(report);
    let kinds = events::kinds(report).into_iter().filter(|(n, _)| *n > 0);
    let kinds: Vec<String> = kinds.map(|(n, kind)| format!("{n} {kind}")).collect();
    if kinds.is_empty() {
        return "0".to_owned();
    }
    format!("{total} ({})", kinds.join(", "))
}

// a count other than zero says what it counts
fn of(n: u64, what: &str) -> String {
    if n == 0 {
        "0".to_owned()
    } else {
        format!("{n} ({what})")
    }
}
