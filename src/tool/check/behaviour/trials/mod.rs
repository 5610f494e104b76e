//! Implementation of the trials, inside their process.

mod derivatives;
mod load;
mod misuse;
mod repeat;
mod run;
mod start;
mod state;

use super::bench::{Bench, Plan};
use super::journal::{Journal, Line};
use super::trial::Trial;
use crate::tool::check::description::Description;
use crate::tool::check::rules::Rule;
use crate::tool::check::{DESCRIPTION, platform, xml};
use crate::tool::import::{Library, uri};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Runs a trial in this process, which the library may crash.
///
/// # Errors
/// The unpacked FMU or the journal is missing.
pub fn run_trial(trial: Trial, folder: &Path, journal: &Path, limit: Duration) -> io::Result<()> {
    let journal = Journal::open(journal)?;
    let text = std::fs::read_to_string(folder.join(DESCRIPTION))?;
    let root = xml::parse(text.trim_start_matches('\u{feff}'))
        .map_err(|malformed| io::Error::other(malformed.message))?;
    let description = Description::read(&root);
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    let interface = description.co_simulation.first().ok_or_else(gone)?;
    let file = platform::library(folder, &interface.model_identifier).ok_or_else(gone)?;
    match Library::load(&file, journal.clone()) {
        Err(reason) => {
            let rule = trial.rule_of_bad_end().unwrap_or(Rule::LibraryLoad);
            journal.find(rule, format!("the library cannot be loaded: {reason}"));
        }
        Ok(library) => {
            let bench = Bench {
                description: &description,
                interface,
                library: &library,
                resources: uri(&folder.join("resources")),
                journal: &journal,
                plan: Plan::new(&description.experiment),
                limit,
            };
            perform(trial, &bench);
            if trial == Trial::Load
                && let Err(reason) = library.unload()
            {
                let message = format!("the library cannot be unloaded: {reason}");
                journal.find(Rule::LibraryLoad, message);
            }
        }
    }
    journal.write(&Line::Done);
    Ok(())
}

fn perform(trial: Trial, bench: &Bench) {
    match trial {
        Trial::Load => load::load(bench),
        Trial::Guid => load::guid(bench),
        Trial::Start => start::start(bench),
        Trial::Run => run::run(bench),
        Trial::Steps => repeat::halves(bench),
        Trial::Reset => repeat::reset(bench),
        Trial::State => state::state(bench),
        Trial::Derivatives => derivatives::derivatives(bench),
        Trial::Instances => repeat::instances(bench),
        Trial::Null => bench.library.free_null(),
        Trial::Early => start::early(bench),
        Trial::Limits => misuse::limits(bench),
        Trial::Abuse => misuse::steps(bench),
        Trial::Location => load::location(bench),
    }
}
