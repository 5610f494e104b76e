//! Where output goes: a file, or stdout for `-`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::CliError;

/// A buffered stream that knows its name.
pub struct Output {
    name: String,
    stream: Box<dyn Write>,
}

impl Output {
    /// Creates the file, or takes stdout for `-`.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        if is_stdout(path) {
            return Ok(Self::stdout());
        }
        let file = File::create(path).map_err(|error| CliError::Create {
            path: path.display().to_string(),
            error,
        })?;
        Ok(Self {
            name: path.display().to_string(),
            stream: Box::new(BufWriter::new(file)),
        })
    }

    /// Stdout.
    pub fn stdout() -> Self {
        Self {
            name: "stdout".to_owned(),
            stream: Box::new(BufWriter::new(io::stdout())),
        }
    }

    /// Stderr.
    pub fn stderr() -> Self {
        Self {
            name: "stderr".to_owned(),
            stream: Box::new(BufWriter::new(io::stderr())),
        }
    }

    /// Writes.
    pub fn write(&mut self, text: &str) -> Result<(), CliError> {
        let result = self.stream.write_all(text.as_bytes());
        result.map_err(|error| self.failed(error))
    }

    /// Hands all that is buffered to the system.
    pub fn flush(&mut self) -> Result<(), CliError> {
        let result = self.stream.flush();
        result.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> CliError {
        CliError::Io {
            what: self.name.clone(),
            error,
        }
    }
}

/// Writes a whole file, or to stdout for `-`.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    if is_stdout(path) {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        return written.map_err(|error| CliError::Io {
            what: "stdout".to_owned(),
            error,
        });
    }
    std::fs::write(path, bytes).map_err(|error| CliError::Create {
        path: path.display().to_string(),
        error,
    })
}

/// Does the path mean stdout?
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses outputs that would overwrite each other or the scene. `scene` is `None` for a bundled one.
pub fn refuse_clashes(scene: Option<&Path>, outputs: &[&Path]) -> Result<(), CliError> {
    for (i, output) in outputs.iter().enumerate() {
        if outputs[..i].iter().any(|other| same(other, output)) {
            let message = format!("{} is named for two outputs", shown(output));
            return Err(CliError::usage(message, "give each its own file"));
        }
        if !is_stdout(output) && scene.is_some_and(|scene| same(scene, output)) {
            let message = format!("{} is the scene and would be overwritten", shown(output));
            return Err(CliError::usage(message, "name another file"));
        }
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    match (resolved(a), resolved(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

// a file that is not there yet counts by its folder
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
