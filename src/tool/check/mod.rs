//! Check of any FMI 2.0 FMU: archive, model description, libraries, and the behaviour of the library for this machine.
//! The library is called in separate processes, so that a crash or hang becomes a finding.

pub mod archive;
pub mod behaviour;
mod deadline;
pub mod description;
mod general;
mod header;
mod names;
mod platform;
pub mod rules;
mod schema;
mod structure;
mod variables;
pub mod verdict;
mod xml;

pub use header::damage;
pub use platform::library;
pub use rules::{Rule, Severity};
pub use verdict::{Finding, Report};

use deadline::Deadline;
use description::{Description, Variable};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the model description.
pub const DESCRIPTION: &str = "modelDescription.xml";

/// Maximum size of a model description in bytes: its tree takes several times as much.
const MAX_DESCRIPTION_BYTES: u64 = 64 << 20;

/// Options of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that runs [`behaviour::run_trial`]; `None`: no library is loaded.
    pub program: Option<PathBuf>,
    /// Time limit of the whole check.
    pub time_limit: Duration,
}

/// Checks an FMU, which is unpacked into the empty folder `temporary`; the caller removes it.
///
/// # Errors
/// The file cannot be read, or the folder cannot be written.
pub fn examine(fmu: &Path, temporary: &Path, options: &Options) -> io::Result<Report> {
    let deadline = Deadline::after(options.time_limit);
    let mut report = Report::default();
    let folder = temporary.join("fmu");
    fs::create_dir(&folder)?;
    if let Some(unpacked) = archive::unpack(fmu, &folder, Some(deadline), &mut report)? {
        let place = [temporary, &folder];
        examine_files(place, &unpacked, options, deadline, &mut report)?;
    }
    report.sort();
    Ok(report)
}

/// Unpacks an FMU into an empty folder and reads its description, for a run. The inner error is the reason why it cannot
/// be run.
///
/// # Errors
/// The file cannot be read, or the folder cannot be written.
pub fn open(fmu: &Path, folder: &Path) -> io::Result<Result<Description, String>> {
    let mut report = Report::default();
    let unpacked = archive::unpack(fmu, folder, None, &mut report)?;
    let first_error = |report: &Report| {
        let mut found = report.findings.iter();
        let error = found.find(|finding| finding.rule.severity() == Severity::Error);
        error.map(|finding| finding.message.clone())
    };
    // do not run anything from an archive with errors
    if let Some(error) = first_error(&report) {
        return Ok(Err(error));
    }
    if unpacked.is_none() {
        return Ok(Err("it cannot be unpacked".to_owned()));
    }
    let bytes = match description_in(folder)? {
        Ok(bytes) => bytes,
        Err(finding) => return Ok(Err(format!("{DESCRIPTION}: {}", finding.message))),
    };
    let Some(description) = examine_description(&bytes, None, &mut report) else {
        let reason = first_error(&report);
        return Ok(Err(
            reason.unwrap_or("its description cannot be read".to_owned())
        ));
    };
    if let Some(variable) = without_reference(&description) {
        let name = &variable.name;
        return Ok(Err(format!(
            "the value reference of {name:?} cannot be read"
        )));
    }
    Ok(Ok(description))
}

fn without_reference(description: &Description) -> Option<&Variable> {
    description.variables.iter().find(|v| !v.has_reference)
}

/// The description of an unpacked FMU, unless it is too large.
fn description_in(folder: &Path) -> io::Result<Result<Vec<u8>, Finding>> {
    let path = folder.join(DESCRIPTION);
    let size = fs::metadata(&path)?.len();
    if size > MAX_DESCRIPTION_BYTES {
        let message = format!("it has {size} bytes, and at most {MAX_DESCRIPTION_BYTES} are read");
        return Ok(Err(
            Finding::new(Rule::ArchiveTooLarge, message).file(DESCRIPTION)
        ));
    }
    fs::read(path).map(Ok)
}

fn examine_files(
    [temporary, folder]: [&Path; 2],
    unpacked: &archive::Unpacked,
    options: &Options,
    deadline: Deadline,
    report: &mut Report,
) -> io::Result<()> {
    // errors so far are those of the archive
    let is_damaged = report.count(Severity::Error) > 0;
    if !unpacked.files.iter().any(|name| name == DESCRIPTION) {
        return Ok(());
    }
    let bytes = match description_in(folder)? {
        Ok(bytes) => bytes,
        Err(finding) => {
            report.add(finding);
            return Ok(());
        }
    };
    let Some(description) = examine_description(&bytes, Some(deadline), report) else {
        return Ok(());
    };
    let co_simulation = description.co_simulation.first();
    let interface = co_simulation.or(description.model_exchange.first());
    let Some(interface) = interface else {
        return Ok(());
    };
    let files = &unpacked.files;
    let library = platform::examine(folder, files, &interface.model_identifier, report);
    if co_simulation.is_some() {
        for exchange in &description.model_exchange {
            platform::examine_exchange(files, interface, exchange, report);
        }
    }
    if library.is_none() || co_simulation.is_none() {
        return Ok(());
    }
    if let Some(variable) = without_reference(&description) {
        let message = "its value reference cannot be read, so nothing was run";
        report.add(Finding::new(Rule::NotRun, message).variable(&variable.name));
        return Ok(());
    }
    let reason = match &options.program {
        None => "running was disabled",
        Some(_) if unpacked.escapes_folder => "the archive would write outside its folder",
        Some(_) if is_damaged => "the archive is damaged",
        Some(program) => {
            let place = [temporary, folder];
            behaviour::examine(program, place, interface, deadline, report)?;
            behaviour::examine_log(&description.log_categories, report);
            return Ok(());
        }
    };
    report.add(Finding::new(Rule::NotRun, reason));
    Ok(())
}
/// Checks the model description. `None` if further checks are pointless.
pub fn examine_description(
    bytes: &[u8],
    deadline: Option<Deadline>,
    report: &mut Report,
) -> Option<Description> {
    let at = |rule, line: usize, message: String| Finding::new(rule, message).line(line);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let message = format!("byte {} is not UTF-8", error.valid_up_to());
            report.add(at(Rule::XmlEncoding, 1, message));
            return None;
        }
    };
    let root = match xml::parse(text) {
        Ok(root) => root,
        Err(malformed) => {
            report.add(at(Rule::XmlMalformed, malformed.line, malformed.message));
            return None;
        }
    };
    let version = root.get("fmiVersion").unwrap_or_default();
    if version != "2.0" {
        let message = format!("fmiVersion is {version:?}, which this tool does not support");
        report.add(at(Rule::ModelVersion, root.line, message));
        return None;
    }
    let steps: [fn(&Description, &mut Report); 3] =
        [general::examine, variables::examine, structure::examine];
    schema::examine(&root, report);
    let description = Description::read(&root);
    report.add_fact("model", &description.model_name);
    report.add_fact("variables", description.variables.len().to_string());
    for step in steps {
        if unfinished(deadline, "the model description", report) {
            return None;
        }
        step(&description, report);
    }
    Some(description)
}

/// Is the time over? Then reports which part was not completed.
fn unfinished(deadline: Option<Deadline>, what: &str, report: &mut Report) -> bool {
    let Some(deadline) = deadline.filter(Deadline::is_over) else {
        return false;
    };
    let seconds = deadline.limit().as_secs_f64();
    let message = format!("the time of {seconds} s is over; the check of {what} is incomplete");
    report.add(Finding::new(Rule::Unfinished, message));
    true
}
