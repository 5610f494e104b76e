//! Output to a file, or to stdout for `-`.
//!
//! A file is written to a temporary name and renamed when complete: a full disk, Ctrl-C or a crash leaves the previous file.
//! Devices and pipes are written directly, links are followed, and a replaced file keeps its permissions.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::CliError;
use super::cleanup;

/// A buffered stream with a name for messages.
pub struct Output {
    name: String,
    stream: Stream,
}

enum Stream {
    Direct(BufWriter<Box<dyn Write>>),
    /// A temporary file next to the target until it is finished.
    Replacing(BufWriter<NamedTempFile>, PathBuf),
    Finished,
}

impl Output {
    /// Creates a file, or uses stdout for `-`.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        if is_stdout(path) {
            return Ok(Self::stdout());
        }
        let stream = Stream::to(path).map_err(|error| CliError::Create {
            path: path.display().to_string(),
            error,
        })?;
        Ok(Self {
            name: path.display().to_string(),
            stream,
        })
    }

    /// Stdout.
    pub fn stdout() -> Self {
        Self::direct("stdout", Box::new(io::stdout()))
    }

    /// Stderr.
    pub fn stderr() -> Self {
        Self::direct("stderr", Box::new(io::stderr()))
    }

    fn direct(name: &str, stream: Box<dyn Write>) -> Self {
        Self {
            name: name.to_owned(),
            stream: Stream::Direct(BufWriter::new(stream)),
        }
    }

    /// Writes.
    pub fn write(&mut self, text: &str) -> Result<(), CliError> {
        self.write_bytes(text.as_bytes())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let result = match &mut self.stream {
            Stream::Direct(stream) => stream.write_all(bytes),
            Stream::Replacing(stream, _) => stream.write_all(bytes),
            Stream::Finished => Ok(()),
        };
        result.map_err(|error| self.failed(error))
    }

    /// Flushes the buffer and moves a file to its final name.
    pub fn finish(&mut self) -> Result<(), CliError> {
        let result = match std::mem::replace(&mut self.stream, Stream::Finished) {
            Stream::Direct(mut stream) => stream.flush(),
            Stream::Replacing(stream, place) => replace(stream, &place),
            Stream::Finished => Ok(()),
        };
        result.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> CliError {
        CliError::Io {
            what: self.name.clone(),
            error,
        }
    }
}

impl Drop for Output {
    // unfinished output is removed with its temporary file, which stays registered until then
    fn drop(&mut self) {
        if let Stream::Replacing(stream, _) = std::mem::replace(&mut self.stream, Stream::Finished)
        {
            let (file, _unwritten) = stream.into_parts();
            let path = file.path().to_owned();
            drop(file);
            cleanup::forget(&path);
        }
    }
}

impl Stream {
    fn to(path: &Path) -> io::Result<Self> {
        if is_written_directly(path)? {
            let file = File::options().write(true).open(path)?;
            return Ok(Self::Direct(BufWriter::new(Box::new(file))));
        }
        let place = followed(path)?;
        let folder = place
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let name = place.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        // as for any new file, the umask applies
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = cleanup::create(|| builder.tempfile_in(folder.unwrap_or(Path::new("."))))?;
        Ok(Self::Replacing(BufWriter::new(file), place))
    }
}

fn replace(stream: BufWriter<NamedTempFile>, place: &Path) -> io::Result<()> {
    let file = stream
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    if let Ok(old) = fs::metadata(place) {
        fs::set_permissions(file.path(), old.permissions())?;
    }
    let temporary = file.path().to_owned();
    let placed = file.persist(place);
    cleanup::forget(&temporary);
    placed.map(drop).map_err(|error| error.error)
}

// devices, pipes, and names of open files of this process
fn is_written_directly(path: &Path) -> io::Result<bool> {
    if path.starts_with("/dev") || path.starts_with("/proc") {
        return Ok(true);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // a read-only file is not replaced
        Ok(found) if found.is_file() => File::options().append(true).open(path).map(|_| false),
        Ok(_) => Ok(true),
        Err(_) => Ok(false),
    }
}

/// Maximum length of a chain of links.
const MOST_LINKS: usize = 40;

// target of a link, whether it exists or not
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else {
            return Ok(place);
        };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many links"))
}

/// Writes a whole file, or to stdout for `-`.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let mut output = Output::create(path)?;
    output.write_bytes(bytes)?;
    output.finish()
}

/// Does the path stand for stdout?
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Rejects outputs that would overwrite each other or an input.
pub fn refuse_clashes<'a>(
    inputs: impl IntoIterator<Item = &'a Path> + Clone,
    outputs: &[&Path],
) -> Result<(), CliError> {
    for (i, output) in outputs.iter().enumerate() {
        if outputs[..i].iter().any(|other| same(other, output)) {
            let message = format!("{} is named for two outputs", shown(output));
            return Err(CliError::usage(message, "give each its own file"));
        }
        let mut inputs = inputs.clone().into_iter();
        if !is_stdout(output) && inputs.any(|input| same(input, output)) {
            let message = format!("{} is an input and would be overwritten", shown(output));
            return Err(CliError::usage(message, "name another file"));
        }
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    // hard links to one file have different names
    if !is_stdout(a) && !is_stdout(b) && same_file::is_same_file(a, b).unwrap_or(false) {
        return true;
    }
    match (resolved(a), resolved(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

// a file that does not exist yet is identified by its folder
fn resolved(path: &Path) -> Option<PathBuf> {
    if is_stdout(path) {
        return None;
    }
    path.canonicalize().ok().or_else(|| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

fn shown(path: &Path) -> String {
    if is_stdout(path) {
        "stdout".to_owned()
    } else {
        path.display().to_string()
    }
}
