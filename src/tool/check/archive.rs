//! The ZIP archive of an FMU: its central directory, and unpacking without writing outside the target folder.

use super::deadline::Deadline;
use super::rules::Rule;
use super::verdict::{Finding, Report};
use super::{DESCRIPTION, unfinished};
use crate::tool::describe::limits;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// Maximum length of names in messages.
const SHOWN_LENGTH: usize = 60;

/// What was unpacked.
#[derive(Debug, Default)]
pub struct Unpacked {
    /// Names of the unpacked files.
    pub files: Vec<String>,
    /// An entry would be written outside the folder: nothing of this FMU should be run.
    pub escapes_folder: bool,
}

/// Unpacks an FMU into a folder. `None` if there is nothing to examine.
///
/// # Errors
/// The FMU cannot be read or the folder cannot be written.
pub fn unpack(
    fmu: &Path,
    folder: &Path,
    deadline: Option<Deadline>,
    report: &mut Report,
) -> io::Result<Option<Unpacked>> {
    let mut archive = match ZipArchive::new(BufReader::new(File::open(fmu)?)) {
        Ok(archive) => archive,
        Err(error) => {
            let message = format!("this is not a readable ZIP archive: {error}");
            report.add(Finding::new(Rule::ArchiveUnreadable, message));
            return Ok(None);
        }
    };
    let names = names(fmu, archive.central_directory_start())?;
    report_twins(&names, report);
    if is_too_large(&mut archive, names.len(), report) {
        return Ok(None);
    }
    let mut unpacked = Unpacked::default();
    for index in 0..archive.len() {
        if unfinished(deadline, "the archive", report) {
            return Ok(None);
        }
        let name = archive.name_for_index(index).unwrap_or_default().to_owned();
        match archive.by_index(index) {
            Ok(entry) => unpack_entry(entry, folder, &mut unpacked, report)?,
            Err(error) => {
                let rule = match error {
                    ZipError::UnsupportedArchive(_) => Rule::ArchiveCompression,
                    _ => Rule::ArchiveUnreadable,
                };
                let message = format!("the entry cannot be read: {error}");
                report.add(Finding::new(rule, message).file(name));
            }
        }
    }
    look_for_description(&unpacked, report);
    Ok(Some(unpacked))
}

/// All names in the directory, including duplicates, of which the archive itself keeps the last only.
fn names(fmu: &Path, directory: u64) -> io::Result<Vec<String>> {
    const SIGNATURE: &[u8] = b"PK\x01\x02";
    let mut file = BufReader::new(File::open(fmu)?);
    file.seek(SeekFrom::Start(directory))?;
    let mut names = Vec::new();
    let mut header = [0; 46];
    while file.read_exact(&mut header).is_ok() && header.starts_with(SIGNATURE) {
        let length = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let mut name = vec![0; usize::from(length(28))];
        if file.read_exact(&mut name).is_err() {
            break; // truncated
        }
        file.seek_relative(i64::from(length(30)) + i64::from(length(32)))?;
        names.push(String::from_utf8_lossy(&name).into_owned());
    }
    Ok(names)
}

fn report_twins(names: &[String], report: &mut Report) {
    let mut seen: BTreeMap<String, &String> = BTreeMap::new();
    for name in names {
        match seen.insert(name.to_lowercase(), name) {
            Some(twin) if twin == name => {
                let message = format!("{name:?} is in the archive twice");
                report.add(Finding::new(Rule::ArchiveDuplicate, message).file(name));
            }
            Some(twin) => {
                let message = format!("{twin:?} and {name:?} differ in upper and lower case only");
                report.add(Finding::new(Rule::ArchiveCase, message).file(name));
            }
            None => {}
        }
    }
}

/// Uses the sizes in the directory; no more bytes than these are unpacked later.
fn is_too_large<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    n_entries: usize,
    report: &mut Report,
) -> bool {
    let mut bytes = 0u64;
    for index in 0..archive.len() {
        let size = archive.by_index_raw(index).map_or(0, |entry| entry.size());
        bytes = bytes.saturating_add(size);
    }
    let Some(limit) = limits::of_archive(n_entries, bytes) else {
        return false;
    };
    let message = format!("the archive has {limit}");
    report.add(Finding::new(Rule::ArchiveTooLarge, message));
    true
}

fn unpack_entry<R: Read>(
    mut entry: ZipFile<'_, R>,
    folder: &Path,
    unpacked: &mut Unpacked,
    report: &mut Report,
) -> io::Result<()> {
    let name = entry.name().to_owned();
    let (escapes_folder, long) = (leaves_folder(&name), too_long(&name));
    if let (false, Some(finding)) = (escapes_folder, long) {
        report.add(finding);
        return Ok(());
    }
    let mut refuse = |rule, message: String| {
        report.add(Finding::new(rule, message).file(&name));
        Ok(())
    };
    if escapes_folder {
        unpacked.escapes_folder = true;
        return refuse(
            Rule::ArchiveEscape,
            format!("the entry {name:?} would be written outside the folder of the FMU"),
        );
    }
    if name.contains('\\') {
        return refuse(
            Rule::ArchiveBackslash,
            format!("the entry {name:?} has a backslash in its name"),
        );
    }
    if entry.is_symlink() {
        unpacked.escapes_folder = true;
        return refuse(
            Rule::ArchiveLink,
            format!("the entry {name:?} is a symbolic link"),
        );
    }
    let method = entry.compression();
    if ![CompressionMethod::Stored, CompressionMethod::Deflated].contains(&method) {
        return refuse(
            Rule::ArchiveCompression,
            format!("the entry {name:?} is compressed with {method}"),
        );
    }
    let path = folder.join(&name);
    let file = match entry.is_dir() {
        true => create_folders(folder, &path).map(|()| None),
        false => created(folder, &path).map(Some),
    };
    let mut file = match file {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(()),
        Err(error) => {
            return match error.kind() {
                ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
                    let message =
                        format!("a part of the entry {name:?} is both a file and a folder");
                    refuse(Rule::ArchiveClash, message)
                }
                ErrorKind::InvalidFilename => {
                    let message = format!("the entry {name:?} is not a valid file name");
                    refuse(Rule::ArchivePath, message)
                }
                _ => Err(error),
            };
        }
    };
    let size = entry.size();
    match io::copy(&mut entry.by_ref().take(size.saturating_add(1)), &mut file) {
        Ok(written) if written == size => unpacked.files.push(name),
        Ok(_) => {
            return refuse(
                Rule::ArchiveSize,
                format!("the entry {name:?} does not have {size} bytes as declared"),
            );
        }
        Err(error) => {
            return refuse(
                Rule::ArchiveUnreadable,
                format!("the entry {name:?} cannot be unpacked: {error}"),
            );
        }
    }
    Ok(())
}

/// Creates a file and its parent folders below `folder`.
fn created(folder: &Path, path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        create_folders(folder, parent)?;
    }
    File::create(path)
}

/// Creates a folder and its parents below `folder`, which must exist: once removed, for instance by an interruption, it stays so.
fn create_folders(folder: &Path, path: &Path) -> io::Result<()> {
    if path == folder || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_folders(folder, parent)?;
    }
    fs::create_dir(path)
}

fn too_long(name: &str) -> Option<Finding> {
    let limit = limits::of_name(name)?;
    let display_text: String = name
        .chars()
        .take(SHOWN_LENGTH)
        .chain("...".chars())
        .collect();
    let message = format!("the entry {display_text:?} {limit}");
    Some(Finding::new(Rule::ArchivePath, message).file(display_text))
}

/// Would some system resolve this name to a location outside the folder?
fn leaves_folder(name: &str) -> bool {
    let is_up = |part: &str| part == "..";
    name.is_empty()
        || name.contains(['\0', ':'])
        || name.starts_with(['/', '\\'])
        || name.split(['/', '\\']).any(is_up)
}

fn look_for_description(unpacked: &Unpacked, report: &mut Report) {
    if unpacked.files.iter().any(|name| name == DESCRIPTION) {
        return;
    }
    let is_elsewhere = |name: &&String| {
        let last = name.rsplit('/').next().unwrap_or_default();
        last.eq_ignore_ascii_case(DESCRIPTION)
    };
    let message = match unpacked.files.iter().find(is_elsewhere) {
        Some(name) => format!("the model description is at {name:?}"),
        None => "there is no model description".to_owned(),
    };
    report.add(Finding::new(Rule::ArchiveNoDescription, message));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_recognised() {
        for name in [
            "",
            "/etc/x",
            "../x",
            "a/../../x",
            "a/..",
            "C:/x",
            "c:x",
            "\\x",
            "a\\..\\x",
            "a:b",
            "a\0b",
            "\\\\server\\x",
        ] {
            assert!(leaves_folder(name), "{name:?}");
        }
        for name in ["a", "a/b", "..a", "a..", "a/...", "a\\b", "./a"] {
            assert!(!leaves_folder(name), "{name:?}");
        }
    }
}
