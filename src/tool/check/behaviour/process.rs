//! Runs the process of a trial, and kills it if it hangs.

use super::end::{End, end_of};
use super::journal::{self, Line};
use super::trial::Trial;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Polling interval.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Time limits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A single call.
    pub call: Duration,
    /// The trial.
    pub whole: Duration,
}

/// A finished process and its journal.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub end: End,
    /// Its journal.
    pub lines: Vec<Line>,
}

/// Runs a trial to its end. The output of the library is discarded.
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
        // before the first call it reads the description, which may take long
        let end = if length > 0 && now - moved > limits.call {
            End::Hung
        } else if now - start > limits.whole {
            End::Slow
        } else {
            thread::sleep(POLL_INTERVAL);
            continue;
        };
        child.kill()?;
        child.wait()?;
        return Ok(end);
    }
}
