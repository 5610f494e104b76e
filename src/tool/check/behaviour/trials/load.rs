//! Exports, version, GUID, resource location.

use crate::tool::check::behaviour::bench::Bench;
use crate::tool::check::rules::Rule;

/// A GUID that no FMU has.
const WRONG_GUID: &str = "{00000000-dead-beef-0000-000000000000}";

/// Checks that need no run.
pub fn load(bench: &Bench) {
    let missing = bench.library.missing();
    if !missing.is_empty() {
        let message = format!("the library does not export {}", missing.join(", "));
        bench.journal.find(Rule::LibraryMissing, message);
    }
    words(bench);
    let Some(slave) = bench.instance() else {
        return;
    };
    let categories = bench.description.log_categories.iter();
    let categories: Vec<&str> = categories.map(|(name, _)| name.as_str()).collect();
    let status = slave.set_debug_logging(true, &categories);
    if !status.is_good() {
        let message = format!("fmi2SetDebugLogging with all categories returns {status}");
        bench.journal.find(Rule::DebugLogging, message);
    }
}

/// A wrong GUID should be rejected.
pub fn guid(bench: &Bench) {
    if bench.with_guid(WRONG_GUID, "wrong GUID").is_some() {
        let message = "fmi2Instantiate accepts any GUID";
        bench.journal.find(Rule::GuidUnchecked, message);
    }
}

fn words(bench: &Bench) {
    let library = bench.library;
    for (function, found, expected) in [
        ("fmi2GetVersion", library.version(), "2.0"),
        ("fmi2GetTypesPlatform", library.types_platform(), "default"),
    ] {
        if found.as_deref() != Some(expected) && !library.missing().contains(&function) {
            let found = found.map_or("null".to_owned(), |text| format!("{text:?}"));
            let message = format!("{function} returns {found}, not {expected:?}");
            bench.journal.find(Rule::LibraryVersion, message);
        }
    }
}

/// The folder has been renamed: instantiation must still work.
pub fn location(bench: &Bench) {
    let guid = &bench.description.guid;
    if bench.with_guid(guid, "other location").is_none() {
        let message = format!(
            "fmi2Instantiate returns null with the resources at {}",
            display_text(bench)
        );
        bench.journal.find(Rule::ResourcesLocation, message);
    }
}

/// The end of the location; the temporary folder is irrelevant.
fn display_text(bench: &Bench) -> String {
    let parts: Vec<&str> = bench.resources.rsplitn(3, '/').collect();
    let parts: Vec<&str> = parts[..parts.len().min(2)].iter().rev().copied().collect();
    format!("file:///../{}", parts.join("/"))
}
