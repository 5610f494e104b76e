//! Why a command did not do its work.

use std::fmt;
use std::io::{self, Write as _};

use crate::scene::SceneError;
use crate::step::StepError;

/// Why a command did not do its work.
#[derive(Debug)]
pub enum CliError {
    /// The arguments do not parse, or ask for help or the version.
    Arguments(clap::Error),
    /// The arguments contradict each other or the scene.
    Usage {
        /// What is wrong, a sentence without a full stop.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The scene has mistakes.
    Scene(SceneError),
    /// The simulation stopped before its end.
    Step(StepError),
    /// Something could not be read or written.
    Io {
        /// What: a path, or `stdout`.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// The file for the output cannot be made.
    Create {
        /// Its path.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// An examined FMU has errors; they have been printed.
    Faulty {
        /// How many.
        errors: usize,
    },
}

impl CliError {
    /// A mistake in the use of the tool.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Exit code of the process: 0 done, 1 failed, 2 wrong arguments or scene.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Arguments(error) => u8::try_from(error.exit_code()).unwrap_or(2),
            Self::Io { .. } if self.reader_left() => 0,
            Self::Step(_) | Self::Io { .. } | Self::Faulty { .. } => 1,
            Self::Usage { .. } | Self::Scene(_) | Self::Create { .. } => 2,
        }
    }

    /// Has the program that reads the output ended, as `head` does? Then there is nothing to complain about.
    pub fn reader_left(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Prints it for a user: help and version to stdout, all else to stderr.
    ///
    /// # Errors
    /// If the stream is closed.
    pub fn print(&self) -> io::Result<()> {
        match self {
            Self::Arguments(error) => error.print(),
            Self::Faulty { .. } => Ok(()),
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
            Self::Step(error) => write!(f, "error: the run stopped: {error}"),
            Self::Io { what, error } => write!(f, "error: {what}: {error}"),
            Self::Faulty { errors } => write!(f, "error: the FMU has {errors} errors"),
            Self::Create { path, error } => write!(f, "error: cannot write {path}: {error}"),
        }
    }
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
