//! A folder for what is unpacked. It is removed in the end, also when the program is interrupted.

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
    /// A new one, whose name begins like this.
    pub fn new(prefix: &str) -> Result<Self, CliError> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir();
        let folder = folder.map_err(refused)?;
        cleanup::remember(folder.path());
        Ok(Self {
            path: folder.path().to_owned(),
            folder: Some(folder),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // an interrupted program finds it until it is gone
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
