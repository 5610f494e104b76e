//! A temporary folder for unpacked FMUs. It is removed when dropped, and when the program is interrupted.

use super::CliError;
use super::cleanup;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary folder.
pub struct Temporary {
    folder: Option<TempDir>,
    path: PathBuf,
}

impl Temporary {
    /// Creates a folder whose name begins with a prefix.
    pub fn new(prefix: &str) -> Result<Self, CliError> {
        let folder = cleanup::create(|| tempfile::Builder::new().prefix(prefix).tempdir());
        let folder = folder.map_err(refused)?;
        Ok(Self {
            path: folder.path().to_owned(),
            folder: Some(folder),
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // stays registered for interruption until it is removed
        drop(self.folder.take());
        cleanup::forget(&self.path);
    }
}

fn refused(error: io::Error) -> CliError {
    CliError::Io {
        what: format!(
            "the folder for temporary files, {}",
            std::env::temp_dir().display()
        ),
        error,
    }
}
