//! The process of a trial: started, watched, ended if it does not move.

use super::end::{End, end_of};
use super::journal::{self, Line};
use super::trial::Trial;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A single call.
    pub call: Duration,
    /// The trial.
    pub whole: Duration,
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
    limits: Limits,
) -> io::Result<Ended> {
    let path = temporary.join(format!("journal-{}", trial.name()));
    fs::write(&path, "")?;
    let mut child = Command::new(program)
        .arg("check-trial")
        .arg(trial.name())
        .arg(folder)
        .arg(&path)
        .arg(limits.call.as_secs_f64().to_string())
        .arg(std::process::id().to_string())
        .current_dir(temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let end = watch(&mut child, &path, limits);
    if end.is_err() {
        let _ = child.kill();
    }
    let lines = journal::read(&path)?;
    end.map(|end| Ended { end, lines })
}

/// Waits for the end. A process whose journal does not grow hangs in a call.
fn watch(child: &mut Child, journal: &Path, limits: Limits) -> io::Result<End> {
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
        // before its first call it reads the description, which may be long
        let end = if length > 0 && now - moved > limits.call {
            End::Hung
        } else if now - start > limits.whole {
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
