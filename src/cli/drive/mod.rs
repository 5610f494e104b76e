//! `stiction run any.fmu`: drives an FMU through its C interface and records what it shows.
//!
//! The library of an FMU is code that runs inside this program. `stiction check` looks at it in processes of its own.

mod foreign;
mod inputs;
mod opened;
mod ours;

pub use inputs::Inputs;
pub use opened::{Opened, is_fmu};

use super::CliError;
use super::args::RunOptions;
use super::build::file_name;
use super::csv::quoted;
use super::format::short;
use super::output::{Output, is_stdout, refuse_clashes, write_bytes};
use super::plot;
use super::progress::Progress;
use super::record::Recording;
use super::report::{Lines, Note, Page, Severity, html, story};
use super::timeline::Timeline;
use crate::check::description::{Causality, Kind, Variable};
use crate::fmi::import::{Library, Message, Observer, Slave, Start, Status};
use foreign::Foreign;
use ours::Ours;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Communication steps where the FMU does not say how long one is.
const USUAL_STEPS: f64 = 1000.0;
/// Messages of the log that are told.
const MOST_MESSAGES: usize = 10;

/// Keeps what the library writes to its log.
#[derive(Default)]
struct Ear {
    messages: Mutex<Vec<Message>>,
}

impl Observer for Ear {
    fn entered(&self, _function: &'static str) {}

    fn heard(&self, message: Message) {
        if let Ok(mut messages) = self.messages.lock() {
            messages.push(message);
        }
    }
}

impl Ear {
    fn take(&self) -> Vec<Message> {
        let messages = self.messages.lock();
        messages.map_or_else(|_| Vec::new(), |mut m| std::mem::take(&mut *m))
    }
}

/// Who looks at the FMU.
enum Looker {
    Ours(Box<Ours>),
    Foreign(Foreign),
}

/// Runs an FMU.
pub fn run(options: &RunOptions) -> Result<(), CliError> {
    refuse_options(options)?;
    let opened = Opened::new(&options.scene)?;
    let inputs = Inputs::new(&opened.description, options)?;
    let experiment = opened.description.experiment;
    let is_good = |x: &f64| x.is_finite() && *x > 0.0;
    let start = experiment.start.filter(|t| t.is_finite()).unwrap_or(0.0);
    let stop = experiment.stop.filter(|stop| *stop > start);
    let until = options.until.or(stop).unwrap_or(start + 1.0);
    if until <= start {
        let message = format!("the FMU starts at {} s, after --until", short(start));
        return Err(CliError::usage(message, "give a later end"));
    }
    let usual = (until - start) / USUAL_STEPS;
    let step = options.step.or(experiment.step.filter(is_good));
    let step = step.unwrap_or(usual).min(until - start);
    let timeline = Timeline::new(until - start, step, step)?;
    let every = options
        .output_step
        .map_or(1, |dt| (dt / step).round().max(1.0) as u64);

    let plot = match options.plot.is_empty() {
        true => None,
        false => {
            let name = file_name(&opened.description.model_name);
            Some(plot::target(options.plot_file.as_deref(), &name)?)
        }
    };
    let paths = [&options.output, &options.events_csv, &options.report];
    let paths = paths.into_iter().flatten();
    let paths: Vec<&Path> = paths
        .chain(plot.iter().map(|(path, _)| path))
        .map(|path| path.as_path())
        .collect();
    refuse_clashes(Some(&options.scene), &paths)?;
    let stdout_taken = paths.iter().any(|path| is_stdout(path));

    let csv = options.output.as_deref().map(Output::create).transpose()?;
    let events_csv = options.events_csv.as_deref().map(Output::create);
    let events_csv = events_csv.transpose()?;
    let report = options.report.as_deref().map(Output::create).transpose()?;

    let ear = Arc::new(Ear::default());
    let library = Library::load(&opened.library, ear.clone()).map_err(|reason| {
        let message = format!("the library of the FMU cannot be loaded: {reason}");
        CliError::usage(message, HINT)
    })?;
    let mut drive = Drive {
        opened: &opened,
        inputs,
        ear,
        start,
        until,
        step,
        every,
        tolerance: options.tolerance.or(experiment.tolerance),
        csv,
        units: options.units,
        columns: columns(&opened),
        log: Vec::new(),
        steps: 0,
        progress: Progress::start(until - start, !(stdout_taken && io::stdout().is_terminal())),
    };
    let mut looker = match opened.model()? {
        Some((model, stage)) => Looker::Ours(Box::new(Ours::new(model, stage, until)?)),
        None => Looker::Foreign(Foreign::new(&opened.description, start, until)),
    };
    let result = drive.all(&library, timeline, &mut looker);
    let wall = drive.progress.elapsed();
    drive.progress.finish();
    match result {
        Ok(()) | Err(CliError::Drive { .. }) => {}
        Err(_) => return result,
    }
    if let Some(csv) = &mut drive.csv {
        csv.flush()?;
    }
    let recording = match looker {
        Looker::Ours(ours) => ours.finish(),
        Looker::Foreign(foreign) => foreign.finish(),
    };
    if let Some(mut out) = events_csv {
        out.write(&events_text(&recording))?;
        out.flush()?;
    }
    let groups = vec![drive.lines(&recording, wall.as_secs_f64())];
    let warnings = drive.warnings();
    let text = if options.json {
        let lines = groups.iter().flat_map(|(_, lines)| lines);
        let mut all: serde_json::Map<String, Value> = lines
            .map(|(label, value)| (label.replace(' ', "_"), json!(value)))
            .collect();
        all.insert("warnings".to_owned(), json!(warnings));
        format!("{:#}\n", Value::Object(all))
    } else {
        page(&recording, options.events.0, &groups)
    };
    super::run::tell(&text, stdout_taken)?;
    super::run::warn(&warnings)?;
    if let Some(mut out) = report {
        let mut notes: Vec<Note> = warnings.into_iter().map(Note::warning).collect();
        if let Err(error) = &result {
            notes.insert(0, super::run::stopped(error));
        }
        if recording.stage.is_none() {
            notes.push(Note::new(
                "There is no animation: this FMU does not carry a scene of stiction.",
            ));
        }
        if !matches!(result, Ok(())) && notes.is_empty() {
            notes.push(Note {
                severity: Severity::Error,
                text: "The run did not get to its end.".to_owned(),
            });
        }
        let page = Page {
            recording: &recording,
            subtitle: format!(
                "FMU driven through its C interface, communication step {} s",
                short(step)
            ),
            story: story(&recording),
            notes,
            groups,
        };
        out.write(&html(&page))?;
        out.flush()?;
    }
    if let Some((path, format)) = plot {
        write_bytes(&path, &plot::draw(&recording, &options.plot, format)?)?;
    }
    result
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

const HINT: &str = "`stiction check` on the FMU tells more";

fn refuse_options(options: &RunOptions) -> Result<(), CliError> {
    let given = [
        ("--scheme", options.scheme.is_some()),
        ("--alpha", options.alpha.is_some()),
        ("--gamma", options.gamma.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(CliError::usage(
            format!("{name} is for scenes: an FMU has its own solver"),
            "leave it out; `--set settings.scheme=..` changes that of an FMU of stiction",
        )),
    }
}

/// Variables of the trajectory: outputs and inputs that are numbers.
fn columns(opened: &Opened) -> Vec<Variable> {
    let is_shown = |v: &&Variable| {
        matches!(v.causality, Causality::Output | Causality::Input) && v.kind != Kind::Text
    };
    let all = &opened.description.variables;
    all.iter().filter(is_shown).cloned().collect()
}

/// What a run of an FMU needs.
struct Drive<'a> {
    opened: &'a Opened,
    inputs: Inputs,
    ear: Arc<Ear>,
    start: f64,
    until: f64,
    step: f64,
    every: u64,
    tolerance: Option<f64>,
    csv: Option<Output>,
    units: bool,
    columns: Vec<Variable>,
    log: Vec<String>,
    steps: u64,
    progress: Progress,
}

impl Drive<'_> {
    fn all(
        &mut self,
        library: &Library,
        timeline: Timeline,
        looker: &mut Looker,
    ) -> Result<(), CliError> {
        let description = &self.opened.description;
        let slave = Slave::new(
            library,
            &description.model_name,
            &description.guid,
            &self.opened.resources,
            false,
        );
        let Some(slave) = slave else {
            return Err(self.failed("fmi2Instantiate gave no instance", self.start));
        };
        if let Looker::Ours(_) = looker {
            slave.set_debug_logging(true, &["logEvents"]);
        }
        self.inputs
            .set_starts(&slave)
            .map_err(|m| self.failed(&m, self.start))?;
        let experiment = Start {
            tolerance: self.tolerance,
            time: self.start,
            stop: Some(self.until),
        };
        self.good(
            "fmi2SetupExperiment",
            slave.setup_experiment(experiment),
            self.start,
        )?;
        self.good(
            "fmi2EnterInitializationMode",
            slave.enter_initialization(),
            self.start,
        )?;
        self.feed(&slave, self.start, None)?;
        self.good(
            "fmi2ExitInitializationMode",
            slave.exit_initialization(),
            self.start,
        )?;
        self.header()?;
        self.look(&slave, looker, self.start, true)?;

        let mut time = self.start;
        for (i, end) in timeline.rows().enumerate() {
            let end = self.start + end;
            self.feed(&slave, time, Some(end))?;
            let status = slave.do_step(time, end - time);
            if !status.is_good() {
                let reached = slave.last_successful_time().unwrap_or(time);
                // after an error it may refuse to be read
                let looked = self.look(&slave, looker, reached, true);
                let wants_end = status == Status::Discard && slave.wants_to_end();
                if wants_end {
                    self.log
                        .push(format!("the FMU ended the run at t = {} s", short(reached)));
                    return looked;
                }
                return Err(self.failed(&format!("fmi2DoStep gave {status}"), reached));
            }
            self.steps += 1;
            time = end;
            let n = i as u64 + 1;
            let is_row = n.is_multiple_of(self.every) || end >= self.until;
            self.look(&slave, looker, time, is_row)?;
            self.progress.show(time - self.start);
        }
        self.good("fmi2Terminate", slave.terminate(), time)
    }

    // with derivatives where the FMU takes them
    fn feed(&mut self, slave: &Slave, time: f64, end: Option<f64>) -> Result<(), CliError> {
        let ramps = self.opened.interface.interpolates_inputs;
        let end = end.filter(|_| ramps);
        self.inputs
            .set(slave, time, end)
            .map_err(|message| self.failed(&message, time))
    }

    fn look(
        &mut self,
        slave: &Slave,
        looker: &mut Looker,
        time: f64,
        is_row: bool,
    ) -> Result<(), CliError> {
        let messages = self.ear.take();
        let looked = match looker {
            Looker::Ours(ours) => ours.look(slave, &messages, time, &self.inputs),
            Looker::Foreign(foreign) => foreign.look(slave, time),
        };
        for message in messages.iter().filter(|m| m.status != 0) {
            if self.log.len() <= MOST_MESSAGES {
                let text = message.text.as_deref().unwrap_or_default();
                let text = text.replace("%%", "%").replace("##", "#");
                self.log
                    .push(format!("the FMU says at t = {} s: {text}", short(time)));
            }
        }
        looked.map_err(|message| self.failed(&message, time))?;
        if is_row {
            self.row(slave, time)?;
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), CliError> {
        let Some(csv) = &mut self.csv else {
            return Ok(());
        };
        let mut line = if self.units { "time [s]" } else { "time" }.to_owned();
        for variable in &self.columns {
            let unit = variable.attributes.unit.as_deref().filter(|_| self.units);
            let name = match unit {
                Some(unit) => format!("{} [{unit}]", variable.name),
                None => variable.name.clone(),
            };
            line = line + "," + &quoted(&name);
        }
        csv.write(&(line + "\n"))
    }

    fn row(&mut self, slave: &Slave, time: f64) -> Result<(), CliError> {
        if self.csv.is_none() {
            return Ok(());
        }
        let values = foreign::read(slave, &self.columns);
        let values = values.map_err(|message| self.failed(&message, time))?;
        let mut line = format!("{time:?}");
        for (variable, value) in self.columns.iter().zip(values) {
            // writing to a string cannot fail
            let _ = match variable.kind {
                Kind::Real => write!(line, ",{value:?}"),
                Kind::Integer | Kind::Boolean | Kind::Text | Kind::Enumeration => {
                    write!(line, ",{value}")
                }
            };
        }
        line.push('\n');
        self.csv.as_mut().map_or(Ok(()), |csv| csv.write(&line))
    }

    fn good(&self, call: &str, status: Status, time: f64) -> Result<(), CliError> {
        if status.is_good() {
            Ok(())
        } else {
            Err(self.failed(&format!("{call} gave {status}"), time))
        }
    }

    fn failed(&self, message: &str, time: f64) -> CliError {
        let mut said: Vec<String> = self.log.clone();
        for heard in self.ear.take() {
            let text = heard.text.unwrap_or_default();
            said.push(text.replace("%%", "%").replace("##", "#"));
        }
        let said = said
            .last()
            .map_or(String::new(), |text| format!(" ({text})"));
        CliError::Drive {
            message: format!("at t = {} s {message}{said}", short(time)),
            hint: HINT.to_owned(),
        }
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.log);
        if warnings.len() > MOST_MESSAGES {
            warnings.truncate(MOST_MESSAGES);
            warnings.push("the FMU says more than is shown here".to_owned());
        }
        warnings
    }

    fn lines(&self, recording: &Recording, wall: f64) -> Lines {
        let reached = recording.reached();
        let time = if reached < self.until {
            format!("{} s of {} s", short(reached), short(self.until))
        } else {
            format!("{} s", short(reached))
        };
        let line = |label: &str, value: String| (label.to_owned(), value);
        let lines = vec![
            line("FMU", self.opened.file.clone()),
            line("model", self.opened.description.model_name.clone()),
            line(
                "variables",
                self.opened.description.variables.len().to_string(),
            ),
            line("simulated time", time),
            line(
                "communication steps",
                format!("{}, {} s each", self.steps, short(self.step)),
            ),
            line("inputs", self.inputs.words()),
            line(
                "events",
                (recording.events.len() as u64 + recording.n_unlisted).to_string(),
            ),
            line("wall time", format!("{wall:.2} s")),
        ];
        ("Run".to_owned(), lines)
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
