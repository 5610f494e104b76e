//! The summary of a run.

use std::fmt::Write as _;
use std::time::Duration;

use super::events;
use super::format::short;
use serde_json::{Value, json};
use stiction::integrate::Report;
use stiction::model::Model;
use stiction::scene::spec::{Scheme, Settings};
use stiction::simulation::Energy;
use stiction::warning::Warning;

/// Data of the summary besides the report.
pub struct RunInfo<'a> {
    /// Name of the scene.
    pub scene: &'a str,
    /// Settings in force.
    pub settings: &'a Settings,
    /// Time reached, s.
    pub time: f64,
    /// Requested end, s.
    pub until: f64,
    /// Energy at the start and now.
    pub energy: [Energy; 2],
    /// Wall-clock time of the run.
    pub wall: Duration,
    /// Is the integrator time stepping?
    pub is_time_stepping: bool,
    /// The model.
    pub model: &'a Model,
    /// Warnings of the run.
    pub warnings: &'a [Warning],
}

/// Contact problems with more rows are slow with the event-driven integrator, which solves impacts with dense matrices.
const LARGE_PROBLEM: u64 = 300;

/// Scenes with at most this many bodies, and contact problems of at most this many rows, are mechanisms with few contacts.
const FEW_BODIES: usize = 16;
const SMALL_PROBLEM: u64 = 100;

/// Why the scene would be better off with the other integrator, and how to choose it, if it would.
fn other_integrator(info: &RunInfo<'_>, report: &Report) -> Option<String> {
    let (model, rows) = (info.model, report.largest_lcp);
    match &model.time_stepping {
        None => (model.is_spatial() && rows > LARGE_PROBLEM).then(|| {
            format!("`integrator = \"time_stepping\"` suits contact problems of {rows} rows")
        }),
        Some(time_stepping) => {
            let is_small = model.bodies.len() <= FEW_BODIES && rows <= SMALL_PROBLEM;
            let needs_it = !time_stepping.belts.is_empty() || report.unlocated_steps > 0;
            (is_small && !needs_it).then(|| {
                "few bodies and contacts: without `integrator` all events are located, and steps may have a tolerance".to_owned()
            })
        }
    }
}

/// The summary as text.
pub fn summary(info: &RunInfo<'_>, report: &Report) -> String {
    let mut text = String::new();
    for (title, lines) in groups(info, report) {
        group(&mut text, title, &lines);
    }
    text
}

/// The summary as JSON.
pub fn as_json(info: &RunInfo<'_>, report: &Report, scene_warnings: &[String]) -> Value {
    let terms = EnergyTerms::new(info.energy, report);
    let kinds = events::kinds(report).into_iter();
    let kinds: serde_json::Map<String, Value> =
        kinds.map(|(n, kind)| (kind.to_owned(), json!(n))).collect();
    let mut json = json!({
        "scene": info.scene,
        "scheme": scheme(info),
        "time": info.time,
        "until": info.until,
        "wall_seconds": info.wall.as_secs_f64(),
        "events": kinds,
        "put_to_rest": report.rests,
        "limited_impacts": report.limited_impacts,
        "steps": report.steps,
        "substeps": report.substeps,
        "trials": report.trials,
        "rejected_steps": report.rejected_steps,
        "factorizations": report.factorizations,
        "lcps": report.lcps,
        "largest_lcp": report.largest_lcp,
        "pivots": report.pivots,
        "warm_hits": report.warm_hits,
        "growths": report.growths,
        "complementarity_steps": report.complementarity_steps,
        "unresolved_steps": report.unresolved_steps,
        "exhausted_steps": report.exhausted_steps,
        "first_order_steps": report.first_order_steps,
        "fallback_steps": report.fallback_steps,
        "transition_errors": report.transition_errors,
        "transition_error": report.transition_error,
        "stabilized_steps": report.stabilized_steps,
        "unlisted_events": report.unlisted_events,
        "worst_residual": report.worst_residual,
        "worst_penetration": report.worst_penetration,
        "worst_joint_drift": report.worst_joint_drift,
        "energy": {
            "start": terms.start,
            "applied_work": report.applied_work,
            "damping": report.damping_loss,
            "friction": report.friction_loss,
            "impacts": terms.impacts,
            "numerical_loss": report.numerical_loss,
            "numerical_gain": report.numerical_gain,
            "remainder": terms.remainder,
            "end": terms.end,
            "in_play": report.energy_in_play(),
        },
        "other_integrator": other_integrator(info, report),
        "warnings": warning_list(scene_warnings, info.warnings),
    });
    json["speed_jumps"] = report.speed_jumps.into();
    if info.is_time_stepping {
        json["time_stepping"] = json!({
            "inexact_groups": report.inexact_solves,
            "located_impacts": report.located_impacts,
            "unlocated_steps": report.unlocated_steps,
            "left_out": report.merged_contacts,
            "end_penetration": report.end_penetration,
            "lifted": report.lifted,
        });
    }
    json
}

// warnings issued before the run have no size
fn warning_list(scene_warnings: &[String], warnings: &[Warning]) -> Vec<Value> {
    let before = scene_warnings
        .iter()
        .map(|warning| message("scene", warning));
    let during = warnings.iter().map(|warning| {
        json!({
            "kind": warning.kind.name(),
            "size": warning.size,
            "message": warning.message(),
            "hint": warning.hint(),
            "since": warning.since,
        })
    });
    before.chain(during).collect()
}

/// A warning without a size.
pub fn message(kind: &str, text: &str) -> Value {
    json!({ "kind": kind, "size": null, "message": text })
}

/// The lines of the summary, each group with its title.
pub fn groups(info: &RunInfo<'_>, report: &Report) -> Vec<(&'static str, Vec<Line>)> {
    let mut groups = vec![("Run", run(info, report)), ("Solver", solver(report))];
    if info.is_time_stepping {
        groups.push(("Time stepping", time_stepping(report)));
    }
    groups.push(("Energy", energy(info.energy, report)));
    groups
}

/// A label and its value.
pub type Line = (&'static str, String);

fn group(text: &mut String, title: &str, lines: &[Line]) {
    // writing to a string cannot fail
    let _ = writeln!(text, "{title}");
    for (label, value) in lines {
        let _ = writeln!(text, "  {label:20}{value}");
    }
}

fn run(info: &RunInfo<'_>, report: &Report) -> Vec<Line> {
    let mut lines = vec![
        ("scene", info.scene.to_owned()),
        ("scheme", scheme(info)),
        ("simulated time", simulated(info)),
        ("wall time", wall(info.wall)),
        ("events", event_counts(report)),
        (
            "put to rest",
            of(report.rests, "impacts too slow to bounce"),
        ),
        (
            "limited impacts",
            of(report.limited_impacts, "kept from gaining energy"),
        ),
        ("warnings", warnings(info)),
    ];
    if let Some(hint) = other_integrator(info, report) {
        lines.push(("hint", hint));
    }
    lines
}

// names only; the messages are printed separately
fn warnings(info: &RunInfo<'_>) -> String {
    let names: Vec<&str> = info.warnings.iter().map(|w| w.kind.name()).collect();
    of(names.len() as u64, &names.join(", "))
}

fn solver(report: &Report) -> Vec<Line> {
    let complementarity_steps = "substeps solved as an LCP because statuses were not determined";
    let unresolved = "substeps solved as an LCP because stick-slip statuses did not converge";
    let stabilized = "substeps without a destabilizing force derivative";
    vec![
        ("steps", report.steps.to_string()),
        ("substeps", report.substeps.to_string()),
        ("trials", report.trials.to_string()),
        (
            "rejected steps",
            of(report.rejected_steps, "not accurate enough"),
        ),
        ("factorizations", report.factorizations.to_string()),
        ("contact problems", report.lcps.to_string()),
        ("iterations", report.pivots.to_string()),
        ("warm-start hits", report.warm_hits.to_string()),
        ("memory grew", of(report.growths, "times, for new contacts")),
        (
            "complementarity",
            of(report.complementarity_steps, complementarity_steps),
        ),
        ("unresolved", of(report.unresolved_steps, unresolved)),
        (
            "first-order steps",
            of(report.first_order_steps, "ended with a first-order step"),
        ),
        (
            "fallback steps",
            of(report.fallback_steps, "taken by the fixed-step scheme"),
        ),
        ("stabilized", of(report.stabilized_steps, stabilized)),
        ("worst residual", short(report.worst_residual)),
        (
            "worst penetration",
            format!("{} m", short(report.worst_penetration)),
        ),
        (
            "worst joint drift",
            format!("{} m or rad", short(report.worst_joint_drift)),
        ),
    ]
}

fn time_stepping(report: &Report) -> Vec<Line> {
    vec![
        (
            "inexact groups",
            of(report.inexact_solves, "residual above 1e-10"),
        ),
        ("located impacts", report.located_impacts.to_string()),
        (
            "unlocated steps",
            of(
                report.unlocated_steps,
                "with impacts treated as simultaneous",
            ),
        ),
        (
            "left out",
            of(
                report.merged_contacts,
                "contacts removed by manifold reduction",
            ),
        ),
        (
            "penetration",
            format!("{} m at the end", short(report.end_penetration)),
        ),
        ("lifted", format!("{} J", short(report.lifted))),
    ]
}

/// Energy balance: the terms that are computed here.
struct EnergyTerms {
    start: f64,
    /// Energy lost in impacts, less the gain by position stabilization.
    impacts: f64,
    remainder: f64,
    end: f64,
}

impl EnergyTerms {
    fn new(energy: [Energy; 2], report: &Report) -> Self {
        let [start, end] = energy.map(|energy| energy.total());
        let impacts = report.impact_loss - report.lifted;
        let numerical = report.numerical_loss - report.numerical_gain;
        let losses = report.damping_loss + report.friction_loss + impacts + numerical;
        Self {
            start,
            impacts,
            remainder: end - (start + report.applied_work - losses),
            end,
        }
    }
}

fn energy(energy: [Energy; 2], report: &Report) -> Vec<Line> {
    let terms = EnergyTerms::new(energy, report);
    let joule = |x: f64| format!("{:>13} J", short(x));
    vec![
        ("  at the start", joule(terms.start)),
        ("+ applied work", joule(report.applied_work)),
        ("- damping", joule(report.damping_loss)),
        ("- friction", joule(report.friction_loss)),
        ("- impacts", joule(terms.impacts)),
        ("- numerical loss", joule(report.numerical_loss)),
        ("+ numerical gain", joule(report.numerical_gain)),
        ("+ remainder", joule(terms.remainder)),
        ("= at the end", joule(terms.end)),
    ]
}

fn wall(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1.0 {
        format!("{:.2} ms", 1e3 * seconds)
    } else {
        format!("{seconds:.2} s")
    }
}

/// Scheme and step, or tolerance; time stepping has no scheme.
pub fn scheme(info: &RunInfo<'_>) -> String {
    let settings = info.settings;
    let step = short(settings.step);
    if info.is_time_stepping {
        return format!("time stepping, step {step} s");
    }
    if let Some(tolerance) = settings.tolerance {
        let order = 2 * settings.rows_taken();
        return format!(
            "extrapolated to order {order}, tolerance {}",
            short(tolerance)
        );
    }
    match settings.scheme {
        Scheme::General { alpha, gamma } => {
            format!(
                "general (alpha {}, gamma {}), step {step} s",
                short(alpha),
                short(gamma)
            )
        }
        scheme => format!("{}, step {step} s", scheme.name()),
    }
}

fn simulated(info: &RunInfo<'_>) -> String {
    if info.time < info.until {
        format!("{} s of {} s", short(info.time), short(info.until))
    } else {
        format!("{} s", short(info.time))
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

// a nonzero count is followed by its meaning
fn of(n: u64, what: &str) -> String {
    if n == 0 {
        "0".to_owned()
    } else {
        format!("{n} ({what})")
    }
}
