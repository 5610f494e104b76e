//! The command line tool: `run` simulates a scene or an FMU, `build` packs a scene into an FMU, `describe` lists its
//! variables, `check` checks any FMU, `bench` measures the duration of its steps, `compare` compares trajectories, `new` writes a scene to start from, `scenes` lists
//! the bundled scenes, `demo` goes from a scene to a report.
//!
//! Data goes to stdout, messages to stderr. Nothing here prints an error or exits: `execute` returns the error, and the
//! binary prints it and maps it to an exit code.

mod args;
mod bench;
mod build;
mod bundled;
mod check;
mod cleanup;
mod compare;
mod csv;
mod demo;
mod describe;
mod drive;
mod error;
mod events;
mod format;
mod inputs;
mod libraries;
mod new;
mod output;
mod plot;
mod progress;
mod record;
mod report;
mod run;
mod set;
mod settings;
mod summary;
mod temporary;
mod timeline;
mod watch;

pub use cleanup::on_interrupt as remove_temporary_files_on_interrupt;
pub use error::CliError;

use std::ffi::OsString;

use args::{Arguments, Command};
use clap::{CommandFactory as _, Parser as _};

/// Prints shell completions.
fn completions(shell: clap_complete::Shell) {
    let mut command = Arguments::command();
    clap_complete::generate(shell, &mut command, "stiction", &mut std::io::stdout());
}

/// Runs the tool with the arguments of a process, the program's name first.
///
/// # Errors
/// If the command failed. A request for help and a closed output pipe are also returned as errors,
/// with exit code 0.
pub fn execute(arguments: impl IntoIterator<Item = OsString>) -> Result<(), CliError> {
    match Arguments::try_parse_from(arguments)?.command {
        Command::Run(options) => run::run(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Build(options) => build::build(&options),
        Command::Describe(options) => describe::describe(&options),
        Command::Check(options) => check::check(&options),
        Command::CheckTrial(options) => check::trial(&options),
        Command::CallLibrary(options) => drive::serve(&options),
        Command::Scenes(options) => bundled::list(&mut std::io::stdout().lock(), options.json),
        Command::New(options) => new::new(&options),
        Command::Demo(options) => demo::demo(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Completions(options) => {
            completions(options.shell);
            Ok(())
        }
    }
}
