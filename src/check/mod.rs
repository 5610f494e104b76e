//! The examination of any FMU of FMI 2.0: its archive, its model description, its libraries, and what the library for
//! this machine does when it is called. The library is called in processes of its own, so that a crash or a hang is a
//! finding.

pub mod archive;
pub mod behaviour;
pub mod description;
mod general;
mod names;
mod platform;
pub mod rules;
mod schema;
mod structure;
mod variables;
pub mod verdict;
mod xml;

pub use platform::library;
pub use rules::{Rule, Severity};
pub use verdict::{Finding, Report};

use description::{Description, Variable};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the model description.
pub const DESCRIPTION: &str = "modelDescription.xml";

/// Bytes of a model description that is read: its tree takes several times as much.
const LARGEST_DESCRIPTION: u64 = 64 << 20;

/// How to examine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that runs [`behaviour::run_trial`]; `None`: no library is loaded.
    pub program: Option<PathBuf>,
    /// How long a single call may take.
    pub time_limit: Duration,
}

/// Examines an FMU. What is unpacked is removed in the end.
///
/// # Errors
/// The file cannot be read, or the folder for temporary files cannot be written.
pub fn examine(fmu: &Path, options: &Options) -> io::Result<Report> {
    let mut report = Report::default();
    let temporary = tempfile::Builder::new()
        .prefix("stiction-check-")
        .tempdir()?;
    let folder = temporary.path().join("fmu");
    fs::create_dir(&folder)?;
    if let Some(unpacked) = archive::unpack(fmu, &folder, &mut report)? {
        examine_files(temporary.path(), &folder, &unpacked, options, &mut report)?;
    }
    report.sort();
    Ok(report)
}

fn examine_files(
    temporary: &Path,
    folder: &Path,
    unpacked: &archive::Unpacked,
    options: &Options,
    report: &mut Report,
) -> io::Result<()> {
    if !unpacked.files.iter().any(|name| name == DESCRIPTION) {
        return Ok(());
    }
    let path = folder.join(DESCRIPTION);
    let size = fs::metadata(&path)?.len();
    if size > LARGEST_DESCRIPTION {
        let message = format!("it has {size} bytes, and at most {LARGEST_DESCRIPTION} are read");
        report.add(Finding::new(Rule::ArchiveTooLarge, message).file(DESCRIPTION));
        return Ok(());
    }
    let bytes = fs::read(path)?;
    let Some(description) = examine_description(&bytes, report) else {
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
    let is_bad = |v: &&Variable| !v.has_reference;
    if let Some(variable) = description.variables.iter().find(is_bad) {
        let message = "its value reference cannot be read, so nothing was run";
        report.add(Finding::new(Rule::NotRun, message).variable(&variable.name));
        return Ok(());
    }
    let program = match (&options.program, unpacked.is_hostile) {
        (Some(program), false) => program,
        (None, _) => {
            report.add(Finding::new(
                Rule::NotRun,
                "it was asked not to run anything",
            ));
            return Ok(());
        }
        (Some(_), true) => {
            let message = "the archive tries to write outside of its folder";
            report.add(Finding::new(Rule::NotRun, message));
            return Ok(());
        }
    };
    behaviour::examine(
        program,
        temporary,
        folder,
        interface,
        options.time_limit,
        report,
    )?;
    let declared = &description.log_categories;
    behaviour::examine_log(declared, report);
    Ok(())
}

/// Examines the model description. `None`: there is no use in looking further.
pub fn examine_description(bytes: &[u8], report: &mut Report) -> Option<Description> {
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
        let message = format!("fmiVersion is {version:?}, which this tool does not know");
        report.add(at(Rule::ModelVersion, root.line, message));
        return None;
    }
    schema::examine(&root, report);
    let description = Description::read(&root);
    report.tell("model", &description.model_name);
    report.tell("variables", description.variables.len().to_string());
    general::examine(&description, report);
    variables::examine(&description, report);
    structure::examine(&description, report);
    Some(description)
}
