//! The process of a trial: started, watched, ended if it does not move.

use super::journal::{self, Line};
use super::trial::Trial;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// A trial as a whole may take as many times the limit of a call.
const WHOLE: u32 = 10;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With exit code 0.
    Well,
    /// With another one.
    Exit(i32),
    /// By a signal or an exception, with its name.
    Signal(String),
    /// By us, as a call did not return.
    Hung,
    /// By us, as it took too long as a whole.
    Slow,
}

/// A process that ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub end: End,
    /// Its journal.
    pub lines: Vec<Line>,
}

/// Runs a trial to its end. Nothing that the library prints is shown.
pub fn run(
    program: &Path,
    trial: Trial,
    temporary: &Path,
    folder: &Path,
    limit: Duration,
) -> io::Result<Ended> {
    let path = temporary.join(format!("journal-{}", trial.name()));
    fs::write(&path, "")?;
    let mut child = Command::new(program)
        .arg("check-trial")
        .arg(trial.name())
        .arg(folder)
        .arg(&path)
        .arg(limit.as_secs_f64().to_string())
        .current_dir(temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let end = watch(&mut child, &path, limit);
    if end.is_err() {
        let _ = child.kill();
    }
    let lines = journal::read(&path)?;
    end.map(|end| Ended { end, lines })
}

/// Waits for the end. A process whose journal does not grow hangs in a call.
fn watch(child: &mut Child, journal: &Path, limit: Duration) -> io::Result<End> {
    let start = Instant::now();
    let (mut length, mut moved) = (0, start);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(end_of(status));
        }
        let now = Instant::now();
        let new_length = fs::metadata(journal)?.len();
        if new_length != length {
            (length, moved) = (new_length, now);
        }
        let end = if now - moved > limit {
            End::Hung
        } else if now - start > WHOLE * limit {
            End::Slow
        } else {
            thread::sleep(LOOK);
            continue;
        };
        child.kill()?;
        child.wait()?;
        return Ok(end);
    }
}

#[cfg(unix)]
fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Well,
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal_name(signal.unwrap_or(0))),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "illegal instruction",
        5 => "trap",
        6 => "abort",
        7 | 10 => "bus error",
        8 => "arithmetic error",
        9 => "kill",
        11 => "segmentation fault",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(not(unix))]
fn end_of(status: ExitStatus) -> End {
    // exceptions of Windows are exit codes such as 0xC0000005
    match status.code() {
        Some(0) => End::Well,
        Some(code) if code < 0 => End::Signal(format!("exception {:#X}", code.cast_unsigned())),
        Some(code) => End::Exit(code),
        None => End::Signal("an unknown signal".to_owned()),
    }
}
