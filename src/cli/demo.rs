//! `stiction demo`: from a scene to an FMU and a report in one command.

use super::CliError;
use super::args::{Arguments, BuildOptions, Command, DemoOptions};
use super::output::Output;
use super::{build, bundled, drive};
use clap::Parser as _;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Builds the FMU of a scene, simulates it and writes a report.
pub fn demo(options: &DemoOptions) -> Result<(), CliError> {
    let found = bundled::find(&options.scene)?;
    let folder = &options.folder;
    fs::create_dir_all(folder).map_err(|error| CliError::Create {
        path: folder.display().to_string(),
        error,
    })?;
    let name = build::file_name(&found.model.name);
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let (fmu, report) = (file("fmu"), file("html"));
    say(&format!(
        "{}: {}\n\n1. The FMU: scene, library and description in one file.\n",
        found.model.name, found.model.description
    ))?;
    build::build(&BuildOptions {
        scene: options.scene.clone(),
        output: Some(fmu.clone()),
        library: Vec::new(),
        platforms: None,
    })?;
    say("\n2. The FMU is simulated through its C interface, as by any master.\n")?;
    let arguments: [OsString; 7] = [
        "stiction".into(),
        "run".into(),
        fmu.clone().into(),
        "--events".into(),
        "8".into(),
        "--report".into(),
        report.clone().into(),
    ];
    if let Command::Run(run) = Arguments::try_parse_from(arguments)?.command {
        drive::run(&run)?;
    }
    say(&format!(
        "\n3. The report, with an animation: open this in a browser.\n{}\n",
        address(&report)
    ))
}

fn say(text: &str) -> Result<(), CliError> {
    let mut out = Output::stdout();
    out.write(text)?;
    out.finish()
}

/// A URL that terminals show as a link.
fn address(file: &Path) -> String {
    let whole: PathBuf = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    stiction::tool::import::uri(&whole)
}
