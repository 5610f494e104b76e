//! Errors of commands.

use std::fmt;
use std::io::{self, Write as _};

use stiction::integrate::StepError;
use stiction::scene::SceneError;

/// Reason why a command failed.
#[derive(Debug)]
pub enum CliError {
    /// The arguments do not parse, or ask for help or the version.
    Arguments(clap::Error),
    /// The arguments contradict each other or the scene.
    Usage {
        /// What is wrong, a sentence without a full stop.
        message: String,
        /// How to fix it.
        hint: String,
    },
    /// The scene has errors.
    Scene(SceneError),
    /// The simulation stopped before its end.
    Step(StepError),
    /// Something could not be read or written.
    Io {
        /// A path, or `stdout`.
        what: String,
        /// Cause.
        error: io::Error,
    },
    /// The output file cannot be created.
    Create {
        /// Its path.
        path: String,
        /// Cause.
        error: io::Error,
    },
    /// A simulated FMU or an input failed.
    Drive {
        /// What add_event, a sentence without a full stop.
        message: String,
        /// How to fix it.
        hint: String,
    },
    /// Two files differ; the differences have been printed.
    Differs,
    /// A checked FMU has errors; they have been printed.
    Faulty {
        /// Number of errors.
        errors: usize,
    },
}

impl CliError {
    /// A usage error.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Exit code of the process: 0 success, 1 failure, 2 invalid arguments or scene.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Arguments(error) => u8::try_from(error.exit_code()).unwrap_or(2),
            Self::Io { .. } if self.reader_left() => 0,
            Self::Step(_)
            | Self::Io { .. }
            | Self::Faulty { .. }
            | Self::Drive { .. }
            | Self::Differs => 1,
            Self::Usage { .. } | Self::Scene(_) | Self::Create { .. } => 2,
        }
    }

    /// Has the reader of the output ended, as `head` does? That is not reported as an error.
    pub fn reader_left(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Prints the error: help and version to stdout, everything else to stderr.
    ///
    /// # Errors
    /// If the stream is closed.
    pub fn print(&self) -> io::Result<()> {
        match self {
            Self::Arguments(error) => error.print(),
            Self::Faulty { .. } | Self::Differs => Ok(()),
            _ if self.reader_left() => Ok(()),
            _ => writeln!(io::stderr(), "{self}"),
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => error.fmt(f),
            Self::Usage { message, hint } => write!(f, "error: {message}\n  hint: {hint}"),
            Self::Scene(error) => {
                let n = error.problems.len();
                let plural = if n == 1 { "problem" } else { "problems" };
                write!(
                    f,
                    "{error}\nerror: {n} {plural} in {}, nothing was run",
                    error.file
                )
            }
            Self::Drive { message, hint } => {
                write!(f, "error: the run stopped: {message}\n  hint: {hint}")
            }
            Self::Differs => write!(f, "error: the files differ"),
            Self::Step(error) => write!(f, "error: the run stopped: {error}"),
            Self::Io { what, error } => {
                let [why, hint] = words_on(error);
                write!(f, "error: {what}: {why}\n  hint: {hint}")
            }
            Self::Faulty { errors } => write!(f, "error: the FMU has {errors} errors"),
            Self::Create { path, error } => {
                let [why, hint] = words_on(error);
                write!(f, "error: {path} cannot be written: {why}\n  hint: {hint}")
            }
        }
    }
}

/// Message and hint for a system error.
fn words_on(error: &io::Error) -> [String; 2] {
    let [why, hint] = match error.kind() {
        io::ErrorKind::NotFound => [
            "there is no such folder or file",
            "check the path: it is relative to the current folder",
        ],
        io::ErrorKind::PermissionDenied => [
            "permission denied",
            "choose a location that you may write to, or change its permissions",
        ],
        io::ErrorKind::IsADirectory => ["it is a folder", "name a file in it"],
        io::ErrorKind::NotADirectory => [
            "a part of the path is a file, not a folder",
            "check the path",
        ],
        io::ErrorKind::StorageFull => ["the disk is full", "free some space, or write elsewhere"],
        io::ErrorKind::ReadOnlyFilesystem => ["the disk is read-only", "write elsewhere"],
        _ => {
            return [
                error.to_string(),
                "try again, or with another file".to_owned(),
            ];
        }
    };
    [why.to_owned(), hint.to_owned()]
}

impl std::error::Error for CliError {}

impl From<clap::Error> for CliError {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

impl From<SceneError> for CliError {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

impl From<StepError> for CliError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
