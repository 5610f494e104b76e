//! Why a command did not do its work.

use std::fmt;
use std::io::{self, Write as _};

use stiction::integrate::StepError;
use stiction::scene::SceneError;

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
    /// An FMU that was driven, or an input, failed.
    Drive {
        /// What happened, a sentence without a full stop.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// Two files differ; how has been printed.
    Differs,
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
            Self::Step(_)
            | Self::Io { .. }
            | Self::Faulty { .. }
            | Self::Drive { .. }
            | Self::Differs => 1,
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

/// What an error of the system means, and what to do about it.
fn words_on(error: &io::Error) -> [String; 2] {
    let [why, hint] = match error.kind() {
        io::ErrorKind::NotFound => [
            "there is no such folder or file",
            "check the path: it is taken from the folder the command runs in",
        ],
        io::ErrorKind::PermissionDenied => [
            "that is not allowed",
            "take a place that you may write to, or change its permissions",
        ],
        io::ErrorKind::IsADirectory => ["it is a folder", "name a file in it"],
        io::ErrorKind::NotADirectory => [
            "a part of the path is a file, not a folder",
            "check the path",
        ],
        io::ErrorKind::StorageFull => ["the disk is full", "make room, or write elsewhere"],
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
