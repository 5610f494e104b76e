//! `stiction bench`: how long the steps of a scene or an FMU take, the slowest ones above all.

use super::CliError;
use super::args::BenchOptions;
use super::bundled;
use super::drive;
use super::format::{padded, short};
use super::output::Output;
use super::timeline::Timeline;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use stiction::simulation::Simulation;

/// What was measured.
pub struct Measured {
    /// Name of the scene or the FMU.
    pub name: String,
    /// Communication step, s.
    pub step: f64,
    /// Duration of each.
    pub times: Vec<Duration>,
    /// Multiplications of the linear algebra in each; empty for an FMU and with time stepping.
    pub operations: Vec<u64>,
    /// Steps that enlarged the workspace; unknown for an FMU.
    pub growths: Option<u64>,
    /// Unknown for an FMU.
    pub events: Option<u64>,
    /// Warnings and messages.
    pub warnings: Vec<String>,
}

/// Measures the steps of a scene or an FMU and prints their distribution.
pub fn bench(options: &BenchOptions) -> Result<(), CliError> {
    let measured = match drive::is_fmu(&options.scene) {
        true => drive::bench(options)?,
        false => scene(options)?,
    };
    let text = match options.json {
        true => format!("{:#}\n", as_json(&measured)),
        false => table(&measured),
    };
    let mut out = Output::stdout();
    out.write(&text)?;
    out.finish()
}

fn scene(options: &BenchOptions) -> Result<Measured, CliError> {
    let found = bundled::find(&options.scene)?;
    let mut settings = found.model.settings.clone();
    if let Some(step) = options.step {
        (settings.step, settings.tolerance) = (step, None);
    }
    let step = settings.step;
    let timeline = Timeline::new(options.until.unwrap_or(found.model.until), step, step)?;
    let name = found.model.name.clone();
    let mut simulation = Simulation::with_settings(found.model, settings);
    simulation.initialize().map_err(CliError::Step)?;
    let (mut times, mut operations) = (Vec::new(), Vec::new());
    let counted = |simulation: &Simulation| simulation.report().operations;
    for end in timeline.rows() {
        let before = counted(&simulation);
        let start = Instant::now();
        simulation.advance_to(end).map_err(CliError::Step)?;
        times.push(start.elapsed());
        operations.push(counted(&simulation) - before);
    }
    if simulation.model().time_stepping.is_some() {
        operations.clear();
    }
    let report = simulation.report();
    Ok(Measured {
        name,
        step,
        times,
        operations,
        growths: Some(report.growths),
        events: Some(report.n_events.total()),
        warnings: simulation.warnings().map(ToString::to_string).collect(),
    })
}

/// Median, 99th percentile and largest of some numbers: the smallest number that is not below this part of them.
fn distribution<T: Copy + Ord + Default>(numbers: &[T]) -> [T; 3] {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    [0.5, 0.99, 1.0].map(|part| {
        let rank = (part * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    })
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

fn as_json(measured: &Measured) -> Value {
    let three = |[p50, p99, max]: [Value; 3]| json!({ "p50": p50, "p99": p99, "max": max });
    let times = distribution(&measured.times).map(|time| json!(microseconds(time)));
    let mut all = json!({
        "name": measured.name,
        "steps": measured.times.len(),
        "step": measured.step,
        "microseconds": three(times),
        "warnings": measured.warnings,
    });
    if !measured.operations.is_empty() {
        all["operations"] = three(distribution(&measured.operations).map(|n| json!(n)));
    }
    if let (Some(growths), Some(events)) = (measured.growths, measured.events) {
        all["steps_that_allocated"] = json!(growths);
        all["events"] = json!(events);
    }
    all
}

fn table(measured: &Measured) -> String {
    let times = distribution(&measured.times);
    let mut lines = vec![
        ("measured", measured.name.clone()),
        (
            "steps",
            format!("{}, {} s each", measured.times.len(), short(measured.step)),
        ),
        ("", "p50          p99          max".to_owned()),
        (
            "time of a step",
            row(times.map(|time| format!("{:.1} us", microseconds(time)))),
        ),
        (
            "times real time",
            row(times.map(|time| {
                let ratio = measured.step / time.as_secs_f64().max(1e-9);
                format!("{ratio:.1}")
            })),
        ),
    ];
    if !measured.operations.is_empty() {
        let counts = distribution(&measured.operations).map(|n| n.to_string());
        lines.push(("multiplications", row(counts)));
    }
    if let (Some(growths), Some(events)) = (measured.growths, measured.events) {
        lines.push(("steps that allocated", growths.to_string()));
        lines.push(("events", events.to_string()));
    }
    for warning in &measured.warnings {
        lines.push(("warning", warning.clone()));
    }
    let line = |(label, text): (&str, String)| format!("{}  {text}\n", padded(label, 20));
    lines.into_iter().map(line).collect()
}

fn row(cells: [String; 3]) -> String {
    let cells = cells.map(|cell| padded(&cell, 11));
    cells.join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::distribution;

    #[test]
    fn the_99th_percentile_of_a_hundred_numbers_is_the_last_but_one() {
        let numbers: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(distribution(&numbers), [50, 99, 100]);
        assert_eq!(distribution(&[7_u64]), [7, 7, 7]);
        assert_eq!(distribution::<u64>(&[]), [0, 0, 0]);
    }
}
