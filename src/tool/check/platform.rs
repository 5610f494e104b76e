//! Rules about the libraries: which ones exist, and whether they are valid.

use super::description::Interface;
use super::general::is_c_identifier;
use super::header;
use super::rules::Rule;
use super::verdict::{Finding, Report};
use crate::tool::describe::Platform;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes read to identify a file; the header of a Windows library comes after a stub.
const HEADER: u64 = 4096;

/// Checks the libraries. Returns that of this machine.
pub fn examine(
    folder: &Path,
    files: &[String],
    identifier: &str,
    report: &mut Report,
) -> Option<PathBuf> {
    let platforms = platforms(files);
    report.add_fact("platforms", joined(&platforms));
    if platforms.is_empty() {
        let finding = if files.iter().any(|name| name.starts_with("sources/")) {
            Finding::new(Rule::PlatformSources, "there is no library in binaries/")
        } else {
            Finding::new(Rule::PlatformNone, "there is no library in binaries/")
        };
        report.add(finding);
        return None;
    }
    for platform in Platform::ALL {
        if platforms.contains(platform.folder()) {
            examine_platform(platform, folder, files, identifier, report);
        }
    }
    let found = library(folder, identifier);
    if let Some(library) = &found
        && !matches!(header::damage(library), Ok(None))
    {
        return None;
    }
    if found.is_none() {
        missing(folder, &platforms, identifier, report);
    }
    found
}

/// Reports that nothing can be run here, unless an error of the library for this machine was reported.
fn missing(folder: &Path, platforms: &BTreeSet<String>, identifier: &str, report: &mut Report) {
    let current = Platform::current();
    let own = current.map_or("this machine", Platform::folder);
    let message = match current.filter(|p| platforms.contains(p.folder())) {
        None => format!("there is no library for {own}, only {}", joined(platforms)),
        Some(platform) => {
            if !is_c_identifier(identifier) {
                return;
            }
            let header = header_of(&folder.join(file_name(platform, identifier)));
            let Some(other) = at_home_in(platform).find(|p| p.takes(&header)) else {
                return;
            };
            format!("the library in {own} is for {other}")
        }
    };
    report.add(Finding::new(Rule::PlatformMissing, message));
}

/// Looks for the library for model exchange, which may have another name.
pub fn examine_exchange(
    files: &[String],
    co_simulation: &Interface,
    exchange: &Interface,
    report: &mut Report,
) {
    let identifier = &exchange.model_identifier;
    if *identifier == co_simulation.model_identifier || platforms(files).is_empty() {
        return;
    }
    let is_its = |platform: &Platform| {
        let name = file_name(*platform, identifier);
        files.iter().any(|file| file.eq_ignore_ascii_case(&name))
    };
    if !Platform::ALL.iter().any(is_its) {
        let message = format!("there is no library {identifier:?} for model exchange");
        report.add(Finding::new(Rule::PlatformName, message).line(exchange.line));
    }
}

/// The library for this machine in an unpacked FMU, if there is one.
pub fn library(folder: &Path, identifier: &str) -> Option<PathBuf> {
    // a name must not be a path
    if !is_c_identifier(identifier) {
        return None;
    }
    let current = Platform::current()?;
    let places = places_of(current).iter();
    let mut files = places.map(|place| folder.join(file_name(*place, identifier)));
    files.find(|file| file.is_file() && current.takes(&header_of(file)))
}

/// Folders that may contain the library of a platform. FMI 2.0 has no name for Linux on ARM64: some FMUs for that machine
/// have their library in `linux64`.
fn places_of(platform: Platform) -> &'static [Platform] {
    match platform {
        Platform::Linux64 => &[Platform::Linux64],
        Platform::Win64 => &[Platform::Win64],
        Platform::Win32 => &[Platform::Win32],
        Platform::Darwin64 => &[Platform::Darwin64],
        Platform::Aarch64Linux => &[Platform::Aarch64Linux, Platform::Linux64],
    }
}

/// Platforms whose library may be in this folder.
fn at_home_in(folder: Platform) -> impl Iterator<Item = Platform> {
    let is_at_home = move |platform: &Platform| places_of(*platform).contains(&folder);
    Platform::ALL.into_iter().filter(is_at_home)
}

/// The first bytes of a file; empty if it cannot be read.
fn header_of(file: &Path) -> Vec<u8> {
    let mut header = Vec::new();
    let file = File::open(file);
    match file.and_then(|file| file.take(HEADER).read_to_end(&mut header)) {
        Ok(_) => header,
        Err(_) => Vec::new(),
    }
}

fn platforms(files: &[String]) -> BTreeSet<String> {
    let folder = |name: &String| {
        let (folder, file) = name.strip_prefix("binaries/")?.split_once('/')?;
        (!file.is_empty()).then(|| folder.to_owned())
    };
    files.iter().filter_map(folder).collect()
}

fn joined(names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.join(" ")
}

fn file_name(platform: Platform, identifier: &str) -> String {
    let (folder, ending) = (platform.folder(), platform.ending());
    format!("binaries/{folder}/{identifier}.{ending}")
}

fn examine_platform(
    platform: Platform,
    folder: &Path,
    files: &[String],
    identifier: &str,
    report: &mut Report,
) {
    let name = file_name(platform, identifier);
    let is_it = |file: &&String| match platform {
        // file names are case-insensitive
        Platform::Win64 | Platform::Win32 => file.eq_ignore_ascii_case(&name),
        Platform::Linux64 | Platform::Darwin64 | Platform::Aarch64Linux => **file == name,
    };
    let Some(name) = files.iter().find(is_it) else {
        let message = format!("there is no {name}");
        report.add(Finding::new(Rule::PlatformName, message));
        return;
    };
    let header = header_of(&folder.join(name));
    if !at_home_in(platform).any(|p| p.takes(&header)) {
        let message = format!("the file is not a library for {platform}");
        report.add(Finding::new(Rule::PlatformForeign, message).file(name));
    } else if let Some(damage) = header::damage(&folder.join(name)).unwrap_or_default() {
        report.add(Finding::new(Rule::PlatformDamaged, damage).file(name));
    }
}
