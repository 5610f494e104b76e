//! `stiction run any.fmu`: simulates an FMU through its C interface and records its variables.
//!
//! The library of an FMU is untrusted code. It is loaded by a separate process ([`child`]), which is called from here ([`remote`]): a
//! library that crashes, hangs or exits stops the run, and the results so far are kept.

mod channel;
mod child;
mod foreign;
mod frame;
mod inputs;
mod opened;
mod remote;
mod steps;
mod stiction_fmu;

pub use child::serve;
pub use inputs::Inputs;
pub use opened::{Opened, is_fmu};

use super::CliError;
use super::args::{BenchOptions, RunOptions};
use super::bench::Measured;
use super::csv::quoted;
use super::format::short;
use super::output::write_bytes;
use super::plot;
use super::progress::Progress;
use super::record::Recording;
use super::report::{Lines, Note, Page, Severity, html, story};
use super::run::Files;
use super::summary::message;
use super::timeline::Timeline;
use foreign::Foreign;
use remote::{NotLoaded, Remote};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use steps::{Drive, Recorder, columns};
use stiction::tool::check::description::Experiment;
use stiction_fmu::StictionFmu;

/// Time limit for a call, s.
const USUAL_LIMIT: f64 = 60.0;

/// Number of communication steps if the FMU has no default step size.
const USUAL_STEPS: f64 = 1000.0;

/// Runs an FMU.
pub fn run(options: &RunOptions) -> Result<(), CliError> {
    refuse_options(options)?;
    let opened = Opened::new(&options.scene)?;
    let inputs = Inputs::new(&opened.description, options)?;
    let experiment = opened.description.experiment;
    let [start, until, step] = times(options.until, options.step, experiment)?;
    let timeline = Timeline::new(until - start, step, step)?;
    let every = options
        .output_step
        .map_or(1, |dt| (dt / step).round().max(1.0) as u64);

    let model = opened.model()?;
    if let Some((model, _)) = &model {
        plot::refuse_in_time_stepping(model, &options.plot, true)?;
    }
    let name = &opened.description.model_name;
    let files = Files::create(options, name, Some(&options.scene))?;
    let stdout_taken = files.stdout_taken;

    let limit = Duration::from_secs_f64(options.time_limit.unwrap_or(USUAL_LIMIT));
    let remote = Remote::load(&opened.library, opened.folder(), limit).map_err(not_loaded)?;
    let mut drive = Drive {
        opened: &opened,
        inputs,
        remote,
        start,
        until,
        step,
        every,
        tolerance: options.tolerance.or(experiment.tolerance),
        csv: files.trajectory,
        units: options.units,
        columns: columns(&opened),
        log: Vec::new(),
        steps: 0,
        times: None,
        progress: Progress::start(until - start, !(stdout_taken && io::stdout().is_terminal())),
    };
    let mut is_time_stepping = false;
    let mut recorder = match model {
        Some((model, stage)) => {
            is_time_stepping = model.time_stepping.is_some();
            Recorder::StictionFmu(Box::new(StictionFmu::new(model, stage, until)?))
        }
        None => {
            let foreign = Foreign::new(&opened.description, start, until);
            Recorder::Foreign(Box::new(foreign))
        }
    };
    let result = drive.all(timeline, &mut recorder);
    let wall = drive.progress.elapsed();
    drive.progress.finish();
    match result {
        Ok(()) | Err(CliError::Drive { .. }) => {}
        Err(_) => return result,
    }
    if let Some(csv) = &mut drive.csv {
        csv.finish()?;
    }
    let recording = match recorder {
        Recorder::StictionFmu(fmu) => fmu.finish(),
        Recorder::Foreign(foreign) => foreign.finish(),
    };
    if let Some(mut out) = files.events {
        out.write(&events_text(&recording))?;
        out.finish()?;
    }
    let groups = vec![drive.lines(&recording, wall.as_secs_f64())];
    let warnings = drive.warnings();
    let text = match options.json {
        true => summary(&groups, &warnings),
        false => page(&recording, options.events.0, &groups),
    };
    super::run::print_text(&text, stdout_taken)?;
    super::run::warn(&warnings)?;
    if let Some(mut out) = files.report {
        let notes = notes(&result, &recording, warnings, is_time_stepping);
        out.write(&html(&report_page(&recording, step, notes, groups)))?;
        out.finish()?;
    }
    if let Some((path, format)) = files.plot {
        write_bytes(&path, &plot::draw(&recording, &options.plot, format)?)?;
    }
    result
}

/// Measures the communication steps of an FMU with its own start values.
pub fn bench(options: &BenchOptions) -> Result<Measured, CliError> {
    let opened = Opened::new(&options.scene)?;
    let experiment = opened.description.experiment;
    let [start, until, step] = times(options.until, options.step, experiment)?;
    let timeline = Timeline::new(until - start, step, step)?;
    let limit = Duration::from_secs_f64(USUAL_LIMIT);
    let remote = Remote::load(&opened.library, opened.folder(), limit).map_err(not_loaded)?;
    let mut drive = Drive {
        opened: &opened,
        inputs: Inputs::default(),
        remote,
        start,
        until,
        step,
        every: 1,
        tolerance: experiment.tolerance,
        csv: None,
        units: false,
        columns: Vec::new(),
        log: Vec::new(),
        steps: 0,
        times: Some(Vec::new()),
        progress: Progress::start(until - start, false),
    };
    let foreign = Foreign::new(&opened.description, start, until);
    drive.all(timeline, &mut Recorder::Foreign(Box::new(foreign)))?;
    Ok(Measured {
        name: opened.description.model_name.clone(),
        step,
        times: drive.times.take().unwrap_or_default(),
        operations: Vec::new(),
        growths: None,
        events: None,
        warnings: drive.warnings(),
    })
}

/// Start and end of the run and its communication step, s.
fn times(
    until: Option<f64>,
    step: Option<f64>,
    experiment: Experiment,
) -> Result<[f64; 3], CliError> {
    let is_good = |x: &f64| x.is_finite() && *x > 0.0;
    let start = experiment.start.filter(|t| t.is_finite()).unwrap_or(0.0);
    let stop = experiment.stop.filter(|stop| *stop > start);
    let until = until.or(stop).unwrap_or(start + 1.0);
    if until <= start {
        let message = format!("the FMU starts at {} s, after --until", short(start));
        return Err(CliError::usage(message, "give a later end"));
    }
    let usual = (until - start) / USUAL_STEPS;
    let step = step.or(experiment.step.filter(is_good));
    let step = step.unwrap_or(usual).min(until - start);
    Ok([start, until, step])
}

/// The summary as JSON.
fn summary(groups: &[Lines], warnings: &[String]) -> String {
    let lines = groups.iter().flat_map(|(_, lines)| lines);
    let mut all: serde_json::Map<String, Value> = lines
        .map(|(label, value)| (label.replace(' ', "_"), json!(value)))
        .collect();
    let messages: Vec<Value> = warnings.iter().map(|text| message("fmu", text)).collect();
    all.insert("warnings".to_owned(), json!(messages));
    format!("{:#}\n", Value::Object(all))
}

fn report_page(recording: &Recording, step: f64, notes: Vec<Note>, groups: Vec<Lines>) -> Page<'_> {
    let step = short(step);
    Page {
        recording,
        subtitle: format!("FMU simulated through its C interface, communication step {step} s"),
        story: story(recording),
        notes,
        groups,
    }
}

/// Notes for the reader of the report.
fn notes(
    result: &Result<(), CliError>,
    recording: &Recording,
    warnings: Vec<String>,
    is_time_stepping: bool,
) -> Vec<Note> {
    let mut notes: Vec<Note> = warnings.into_iter().map(Note::warning).collect();
    if let Err(error) = result {
        notes.insert(0, super::run::stopped(error));
    }
    if recording.stage.is_none() {
        notes.push(Note::new(
            "There is no animation: this FMU does not contain a stiction scene.",
        ));
    }
    if is_time_stepping {
        notes.push(Note::new(
            "With time stepping, an FMU does not expose individual contacts, so there are no arrows and no events; run the scene itself with `stiction run` to get them.",
        ));
    }
    if !matches!(result, Ok(())) && notes.is_empty() {
        notes.push(Note {
            severity: Severity::Error,
            text: "The run did not reach its end.".to_owned(),
        });
    }
    notes
}

fn page(recording: &Recording, most: usize, groups: &[Lines]) -> String {
    let mut text = events_table(recording, most);
    for (title, lines) in groups {
        // writing to a string cannot fail
        let _ = writeln!(text, "{title}");
        for (label, value) in lines {
            let _ = writeln!(text, "  {label:20}{value}");
        }
    }
    text
}

const HINT: &str = "run `stiction check` on the FMU for details";

const HINT_ON_PROCESS: &str = "the fault is in the library of the FMU; run `stiction check` for details, or raise --time-limit";

fn not_loaded(reason: NotLoaded) -> CliError {
    match reason {
        NotLoaded::Process(error) => CliError::Io {
            what: "the process for the library of the FMU".to_owned(),
            error,
        },
        NotLoaded::Refused(reason) => {
            let message = format!("the library of the FMU cannot be loaded: {reason}");
            CliError::usage(message, HINT)
        }
        NotLoaded::Failed(message) => CliError::Drive {
            message,
            hint: HINT_ON_PROCESS.to_owned(),
        },
    }
}

fn refuse_options(options: &RunOptions) -> Result<(), CliError> {
    let given = [
        ("--scheme", options.scheme.is_some()),
        ("--alpha", options.alpha.is_some()),
        ("--gamma", options.gamma.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(CliError::usage(
            format!("{name} applies only to scenes: an FMU has its own solver"),
            "leave it out; for a stiction FMU use `--set settings.scheme=..`",
        )),
    }
}

fn events_text(recording: &Recording) -> String {
    let mut text = "time,kind,contact,normal_impulse,tangential_impulse\n".to_owned();
    for event in &recording.events {
        let [normal, tangential] = event.impulse;
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "{:?},{},{},{normal:?},{tangential:?}",
            event.time,
            event.kind,
            quoted(recording.place_name(event))
        );
    }
    text
}

fn events_table(recording: &Recording, most: usize) -> String {
    let mut text = String::new();
    if recording.events.is_empty() || most == 0 {
        return text;
    }
    // writing to a string cannot fail
    let _ = writeln!(text, "{:>14}  {:8}  contact", "time", "event");
    for event in recording.events.iter().take(most) {
        let place = recording.place_name(event);
        let _ = writeln!(text, "{:>14.9}  {:8}  {place}", event.time, event.kind);
    }
    let more = recording.events.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(text, "... {more} more (--events all shows them)");
    }
    text.push('\n');
    text
}
