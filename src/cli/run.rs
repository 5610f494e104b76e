//! `stiction run`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use super::CliError;
use super::args::RunOptions;
use super::build::file_name;
use super::bundled;
use super::csv::Trajectory;
use super::drive;
use super::events::EventLog;
use super::format::short;
use super::inputs::SceneInputs;
use super::output::{Output, is_stdout, refuse_clashes, write_bytes};
use super::plot::{self, Format, Quantity};
use super::progress::Progress;
use super::record::{Sampler, stage};
use super::report::{Note, Page, Severity, html, solver_notes, story};
use super::set;
use super::settings::overridden;
use super::summary::{Line, RunInfo, as_json, groups, scheme, summary};
use super::timeline::Timeline;
use super::watch::Watch;
use stiction::scene::spec::{Integrator, Scene};
use stiction::simulation::Simulation;
use stiction::warning::Warning;

/// More bodies with shapes than this are slow with the event-driven integrator, which lists the contacts of all pairs and solves them together.
const MOST_EVENT_DRIVEN: usize = 30;

/// Simulates a scene, writes its trajectory and events as requested, and prints the table of events and the summary.
pub fn run(options: &RunOptions) -> Result<(), CliError> {
    if drive::is_fmu(&options.scene) {
        return drive::run(options);
    }
    refuse_options(options)?;
    let mut found = bundled::find(&options.scene)?;
    let mut settings = overridden(&found.model, options)?;
    set::apply(&mut found, &mut settings, options)?;
    let until = options.until.unwrap_or(found.model.until);
    let inputs = SceneInputs::new(&found.model, options)?;
    let mut scene_warnings = found.warnings();
    if options.step.is_some() && settings.is_longer_than(until) {
        scene_warnings.push(format!(
            "the step of {} s is longer than the run of {} s\n  hint: use a shorter --step or a later --until",
            short(settings.step),
            short(until)
        ));
    }
    scene_warnings.extend(slow_when_event_driven(&found.scene));
    warn(&scene_warnings)?;
    let output_step = options.output_step.unwrap_or(settings.step);
    let timeline = Timeline::new(until, output_step, settings.step)?;

    plot::refuse_in_time_stepping(&found.model, &options.plot, false)?;
    let files = Files::create(options, &found.model.name, found.path.as_deref())?;
    let Files {
        plot, stdout_taken, ..
    } = files;
    let trajectory = files.trajectory;
    let trajectory = trajectory.map(|out| Trajectory::start(out, &found.model, options.units));
    let mut sampler = None;
    if options.report.is_some() || plot.is_some() {
        let stage = stage(&found.scene, &found.model);
        sampler = Some(Sampler::new(&found.model, until, Some(stage)));
    }
    let mut run = Run {
        simulation: Simulation::with_settings(found.model, settings),
        inputs,
        scene_warnings,
        trajectory: trajectory.transpose()?,
        events: EventLog::start(options.events.0, files.events)?,
        sampler,
        report: files.report,
        json: options.json,
        plot: plot.map(|(path, format)| (path, format, options.plot.clone())),
        watch: Watch::default(),
        // no bar if rows are printed to the same terminal
        progress: Progress::start(until, !(stdout_taken && io::stdout().is_terminal())),
    };
    run.all(timeline, stdout_taken)
}

/// Output files of a run.
pub struct Files {
    /// The trajectory.
    pub trajectory: Option<Output>,
    /// The events.
    pub events: Option<Output>,
    /// The report.
    pub report: Option<Output>,
    /// The plot and its format.
    pub plot: Option<(PathBuf, Format)>,
    /// Does one of them go to stdout?
    pub stdout_taken: bool,
}

impl Files {
    /// Files named by the options, for a model of this name read from a file.
    pub fn create(
        options: &RunOptions,
        name: &str,
        scene: Option<&Path>,
    ) -> Result<Self, CliError> {
        let plot = match options.plot.is_empty() {
            true => None,
            false => Some(plot::target(
                options.plot_file.as_deref(),
                &file_name(name),
            )?),
        };
        let paths = [&options.output, &options.events_csv, &options.report];
        let paths = paths.into_iter().flatten();
        let paths: Vec<&Path> = paths
            .chain(plot.iter().map(|(path, _)| path))
            .map(|path| path.as_path())
            .collect();
        let read = [scene, options.inputs.as_deref()];
        refuse_clashes(read.into_iter().flatten(), &paths)?;
        let create = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        Ok(Self {
            stdout_taken: paths.iter().any(|path| is_stdout(path)),
            trajectory: create(&options.output)?,
            events: create(&options.events_csv)?,
            report: create(&options.report)?,
            plot,
        })
    }
}

fn refuse_options(options: &RunOptions) -> Result<(), CliError> {
    match options.time_limit {
        None => Ok(()),
        Some(_) => Err(CliError::usage(
            "--time-limit applies only to FMUs",
            "leave it out: it limits the calls of an FMU's library",
        )),
    }
}

/// Warning for many bodies with the event-driven integrator.
fn slow_when_event_driven(scene: &Scene) -> Option<String> {
    let is_event_driven = scene.settings.integrator == Integrator::EventDriven;
    let space = scene.space().filter(|_| is_event_driven)?;
    let with_shapes = space.bodies.iter().filter(|body| !body.shapes.is_empty());
    let n = with_shapes.count();
    (n > MOST_EVENT_DRIVEN).then(|| {
        format!("{n} bodies with shapes are slow with the event-driven integrator\n  hint: set `integrator = \"time_stepping\"` in `[settings]`, which is designed for many bodies")
    })
}

struct Run {
    simulation: Simulation,
    inputs: SceneInputs,
    /// Warnings reported before the run.
    scene_warnings: Vec<String>,
    trajectory: Option<Trajectory>,
    events: EventLog,
    sampler: Option<Sampler>,
    report: Option<Output>,
    json: bool,
    plot: Option<(PathBuf, Format, Vec<Quantity>)>,
    watch: Watch,
    progress: Progress,
}

impl Run {
    fn all(&mut self, timeline: Timeline, stdout_taken: bool) -> Result<(), CliError> {
        let energy_at_start = self.simulation.energy();
        let result = self.integrate(timeline);
        let wall = self.progress.elapsed();
        self.progress.finish();
        // a failed run keeps its results so far, including its last state
        match result {
            Ok(()) | Err(CliError::Step(_) | CliError::Drive { .. }) => self.save()?,
            Err(_) => return result,
        }

        let energy_at_end = self.simulation.energy();
        let found: Vec<Warning> = self.simulation.warnings().copied().collect();
        let (model, report) = (self.simulation.model(), self.simulation.report());
        let info = RunInfo {
            scene: &model.name,
            settings: self.simulation.settings(),
            time: self.simulation.state().time,
            until: timeline.until(),
            energy: [energy_at_start, energy_at_end],
            wall,
            is_time_stepping: model.time_stepping.is_some(),
            model,
            warnings: &found,
        };
        let during: Vec<String> = found.iter().map(on_terminal).collect();
        let before = self
            .scene_warnings
            .iter()
            .map(|warning| warning.replace("\n  ", "; "));
        let before: Vec<String> = before.collect();
        let text = if self.json {
            format!("{:#}\n", as_json(&info, report, &before))
        } else {
            let mut text = self.events.table(model, report);
            if !text.is_empty() {
                text.push('\n');
            }
            text + &summary(&info, report)
        };
        let printed = print_text(&text, stdout_taken);
        let warned = warn(&during);
        let recording = self.sampler.take().map(Sampler::finish);
        if let (Some(out), Some(recording)) = (&mut self.report, &recording) {
            let during = found.iter().map(in_report);
            let warnings = before.into_iter().chain(during);
            let mut notes: Vec<Note> = warnings.map(Note::warning).collect();
            if let Err(error) = &result {
                notes.insert(0, stopped(error));
            }
            let settings = self.simulation.settings();
            notes.extend(solver_notes(report, settings, self.watch.rests()));
            let own = |(title, lines): (&str, Vec<Line>)| {
                let lines = lines.into_iter().map(|(l, v)| (l.to_owned(), v)).collect();
                (title.to_owned(), lines)
            };
            let page = Page {
                recording,
                subtitle: scheme(&info),
                story: story(recording),
                notes,
                groups: groups(&info, report).into_iter().map(own).collect(),
            };
            out.write(&html(&page))?;
            out.finish()?;
        }
        if let (Some((path, format, what)), Some(recording)) = (&self.plot, &recording) {
            write_bytes(path, &plot::draw(recording, what, *format)?)?;
        }
        result.and(printed).and(warned)
    }

    // rows at the start, at every output step and at the end
    fn integrate(&mut self, timeline: Timeline) -> Result<(), CliError> {
        self.inputs.start(&mut self.simulation)?;
        let settled = self.simulation.initialize();
        self.keep_balance()?;
        settled.map_err(CliError::Step)?;
        self.look();
        self.row()?;
        let mut start = 0.0;
        for end in timeline.rows() {
            // inputs may have kinks at the ends of standard steps
            if self.simulation.settings().tolerance.is_some() && self.inputs.is_empty() {
                for time in self.looks(start, end) {
                    self.glide(time, timeline.until())?;
                    self.look();
                }
            } else {
                for time in timeline.steps(start, end) {
                    self.advance(time)?;
                    self.look();
                }
            }
            self.row()?;
            start = end;
        }
        Ok(())
    }

    // by tolerance: rows are interpolated between the steps, if they are needed
    fn glide(&mut self, time: f64, until: f64) -> Result<(), CliError> {
        let result = if self.trajectory.is_some() || self.sampler.is_some() {
            self.simulation.glide_to(time, until)
        } else {
            self.simulation.glide_past(time, until)
        };
        self.keep_balance()?;
        result.map_err(CliError::Step)
    }

    // after every step: the report holds a limited number of events
    fn advance(&mut self, time: f64) -> Result<(), CliError> {
        self.inputs.lead(&mut self.simulation, time)?;
        let result = self.simulation.advance_to(time);
        self.keep_balance()?;
        result.map_err(CliError::Step)
    }

    fn keep_balance(&mut self) -> Result<(), CliError> {
        let reached = self.simulation.reached();
        let report = self.simulation.report();
        self.watch.look(self.simulation.model(), report);
        self.progress.show(reached);
        if !self.simulation.report().events.is_empty() {
            let model = self.simulation.model();
            self.events.take(model, &self.simulation.report().events)?;
            if let Some(sampler) = &mut self.sampler {
                sampler.take(model, &self.simulation.report().events);
            }
            self.simulation.report_mut().events.clear();
        }
        Ok(())
    }

    fn look(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            sampler.look(&mut self.simulation);
        }
    }

    // by tolerance: sampling times of the recorder between two rows, including the later row
    fn looks(&self, start: f64, end: f64) -> Vec<f64> {
        let Some(sampler) = &self.sampler else {
            return vec![end];
        };
        let n = ((end - start) / sampler.spacing()).ceil().max(1.0) as u32;
        let between = (1..n).map(|i| start + (end - start) * f64::from(i) / f64::from(n));
        between.chain([end]).collect()
    }

    fn row(&mut self) -> Result<(), CliError> {
        match &mut self.trajectory {
            Some(trajectory) => trajectory.row(&mut self.simulation),
            None => Ok(()),
        }
    }

    fn save(&mut self) -> Result<(), CliError> {
        self.row()?;
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.finish()?;
        }
        self.events.finish()
    }
}

/// Note for the report on why the run ended early.
pub fn stopped(error: &CliError) -> Note {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.replacen("error: t", "T", 1);
    Note {
        severity: Severity::Error,
        text: format!("{first}. The results up to then follow."),
    }
}

fn on_terminal(warning: &Warning) -> String {
    format!("{}\n  hint: {}", warning.message(), warning.hint())
}

// capitalize sentences
fn in_report(warning: &Warning) -> String {
    let text = warning.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// Prints to stdout, or to stderr if stdout is used for data.
pub fn print_text(text: &str, stdout_taken: bool) -> Result<(), CliError> {
    let mut out = if stdout_taken {
        Output::stderr()
    } else {
        Output::stdout()
    };
    out.write(text)?;
    out.finish()
}

/// Prints to stderr.
pub fn warn(warnings: &[String]) -> Result<(), CliError> {
    let mut out = Output::stderr();
    for warning in warnings {
        out.write(&format!("warning: {warning}\n"))?;
    }
    out.finish()
}
