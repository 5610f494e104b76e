//! The FMI calls of a run, in the order required by the standard.

use super::foreign::{self, Foreign};
use super::inputs::Inputs;
use super::opened::Opened;
use super::remote::Remote;
use super::stiction_fmu::StictionFmu;
use super::{HINT, HINT_ON_PROCESS};
use crate::cli::CliError;
use crate::cli::csv::{header, quoted};
use crate::cli::format::short;
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::record::Recording;
use crate::cli::report::Lines;
use crate::cli::timeline::Timeline;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use stiction::tool::check::description::{Causality, Kind, Variable};
use stiction::tool::import::{Start, Status};

/// Maximum number of log messages reported.
const MOST_MESSAGES: usize = 10;

/// Recorder of an FMU.
pub enum Recorder {
    /// For an FMU that contains a stiction scene.
    StictionFmu(Box<StictionFmu>),
    /// For any other FMU.
    Foreign(Box<Foreign>),
}

/// Variables of the trajectory: numeric outputs and inputs.
pub fn columns(opened: &Opened) -> Vec<Variable> {
    let is_shown = |v: &&Variable| {
        matches!(v.causality, Causality::Output | Causality::Input) && v.kind != Kind::Text
    };
    let all = &opened.description.variables;
    all.iter().filter(is_shown).cloned().collect()
}

/// A run of an FMU.
pub struct Drive<'a> {
    /// The FMU.
    pub opened: &'a Opened,
    /// Its start values and inputs.
    pub inputs: Inputs,
    /// Its library.
    pub remote: Remote,
    /// s.
    pub start: f64,
    /// s.
    pub until: f64,
    /// Communication step, s.
    pub step: f64,
    /// Steps between two rows of the trajectory.
    pub every: u64,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// The trajectory.
    pub csv: Option<Output>,
    /// Write units to its header.
    pub units: bool,
    /// Its variables.
    pub columns: Vec<Variable>,
    /// Reported messages.
    pub log: Vec<String>,
    /// Steps taken.
    pub steps: u64,
    /// Durations of the steps, if they are measured.
    pub times: Option<Vec<Duration>>,
    /// Progress bar.
    pub progress: Progress,
}

impl Drive<'_> {
    /// Runs from the start to the end.
    pub fn all(&mut self, timeline: Timeline, recorder: &mut Recorder) -> Result<(), CliError> {
        let result = self.calls(timeline, recorder);
        if let Some(failure) = self.remote.end() {
            self.log.push(format!("after the run {failure}"));
        }
        result
    }

    fn calls(&mut self, timeline: Timeline, recorder: &mut Recorder) -> Result<(), CliError> {
        let (description, resources) = (&self.opened.description, &self.opened.resources);
        let (name, guid) = (&description.model_name, &description.guid);
        if !self.remote.instantiate(name, guid, resources) {
            return Err(self.failed("fmi2Instantiate gave no instance", self.start));
        }
        if let Recorder::StictionFmu(_) = recorder {
            self.remote.log_events();
        }
        self.inputs
            .set_starts(&self.remote)
            .map_err(|m| self.failed(&m, self.start))?;
        let experiment = Start {
            tolerance: self.tolerance,
            time: self.start,
            stop: Some(self.until),
        };
        self.good(
            "fmi2SetupExperiment",
            self.remote.setup_experiment(experiment),
            self.start,
        )?;
        self.good(
            "fmi2EnterInitializationMode",
            self.remote.enter_initialization(),
            self.start,
        )?;
        self.feed(self.start, None)?;
        self.good(
            "fmi2ExitInitializationMode",
            self.remote.exit_initialization(),
            self.start,
        )?;
        self.header()?;
        self.look(recorder, self.start, true)?;

        let mut time = self.start;
        for (i, end) in timeline.rows().enumerate() {
            let end = self.start + end;
            self.feed(time, Some(end))?;
            let started = Instant::now();
            let status = self.remote.do_step(time, end - time);
            if let Some(times) = &mut self.times {
                times.push(started.elapsed());
            }
            if !status.is_good() {
                let reached = self.remote.last_successful_time().unwrap_or(time);
                // after an error the FMU may refuse to be read
                let looked = self.look(recorder, reached, true);
                let wants_end = status == Status::Discard && self.remote.wants_to_end();
                if wants_end {
                    self.log
                        .push(format!("the FMU ended the run at t = {} s", short(reached)));
                    return looked;
                }
                return Err(self.failed(&format!("fmi2DoStep gave {status}"), reached));
            }
            self.steps += 1;
            time = end;
            // set the inputs of this time before outputs are read
            self.feed(time, None)?;
            let n = i as u64 + 1;
            let is_row = n.is_multiple_of(self.every) || end >= self.until;
            self.look(recorder, time, is_row)?;
            self.progress.show(time - self.start);
        }
        self.good("fmi2Terminate", self.remote.terminate(), time)
    }

    // with derivatives where the FMU takes them
    fn feed(&mut self, time: f64, end: Option<f64>) -> Result<(), CliError> {
        let ramps = self.opened.interface.interpolates_inputs;
        let end = end.filter(|_| ramps);
        self.inputs
            .set(&self.remote, time, end)
            .map_err(|message| self.failed(&message, time))
    }

    fn look(&mut self, recorder: &mut Recorder, time: f64, is_row: bool) -> Result<(), CliError> {
        let messages = self.remote.take_messages();
        let looked = match recorder {
            Recorder::StictionFmu(fmu) => fmu.look(&self.remote, &messages, time, &self.inputs),
            Recorder::Foreign(foreign) => foreign.look(&self.remote, time),
        };
        for message in messages.iter().filter(|m| m.status != 0) {
            if self.log.len() <= MOST_MESSAGES {
                let text = message.text.as_deref().unwrap_or_default();
                let text = text.replace("%%", "%").replace("##", "#");
                self.log.push(format!(
                    "message of the FMU at t = {} s: {text}",
                    short(time)
                ));
            }
        }
        looked.map_err(|message| self.failed(&message, time))?;
        if is_row {
            self.row(time)?;
        }
        Ok(())
    }

    fn header(&mut self) -> Result<(), CliError> {
        let Some(csv) = &mut self.csv else {
            return Ok(());
        };
        let names = self.columns.iter();
        let columns = names.map(|v| (v.name.as_str(), v.attributes.unit.as_deref()));
        csv.write(&header(columns, self.units))
    }

    fn row(&mut self, time: f64) -> Result<(), CliError> {
        if self.csv.is_none() {
            return Ok(());
        }
        let values = foreign::read(&self.remote, &self.columns);
        let values = values.map_err(|message| self.failed(&message, time))?;
        let mut line = format!("{time:?}");
        for (variable, value) in self.columns.iter().zip(values) {
            // writing to a string cannot fail
            let _ = match variable.kind {
                // represents an infinite distance in FMI
                Kind::Real if value == f64::MAX => write!(line, ",inf"),
                Kind::Real => write!(line, ",{value:?}"),
                Kind::Enumeration => write!(line, ",{}", self.item(variable, value)),
                Kind::Integer | Kind::Boolean | Kind::Text => write!(line, ",{value}"),
            };
        }
        line.push('\n');
        self.csv.as_mut().map_or(Ok(()), |csv| csv.write(&line))
    }

    // name of an enumeration item
    fn item(&self, variable: &Variable, value: f64) -> String {
        let of_variable = variable.declared_type.as_ref();
        let items = of_variable.and_then(|name| self.opened.description.type_named(name));
        let mut items = items.iter().flat_map(|found| &found.items);
        let item = items.find(|(_, number)| f64::from(*number) == value);
        item.map_or_else(|| value.to_string(), |(name, _)| quoted(name).into_owned())
    }

    fn good(&self, call: &str, status: Status, time: f64) -> Result<(), CliError> {
        if status.is_good() {
            Ok(())
        } else {
            Err(self.failed(&format!("{call} gave {status}"), time))
        }
    }

    fn failed(&self, message: &str, time: f64) -> CliError {
        if let Some(failure) = self.remote.failure() {
            return CliError::Drive {
                message: format!("at t = {} s {failure}", short(time)),
                hint: HINT_ON_PROCESS.to_owned(),
            };
        }
        let mut said: Vec<String> = self.log.clone();
        for message in self.remote.take_messages() {
            let text = message.text.unwrap_or_default();
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

    /// Warnings of the run.
    pub fn warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.log);
        if warnings.len() > MOST_MESSAGES {
            warnings.truncate(MOST_MESSAGES);
            warnings.push("the FMU logged more messages than are shown here".to_owned());
        }
        warnings
    }

    /// Lines of the summary.
    pub fn lines(&self, recording: &Recording, wall: f64) -> Lines {
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
