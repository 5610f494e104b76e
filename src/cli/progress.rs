//! Progress bar of a long run, on stderr if that is a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::format::short;

/// No bar is shown for shorter runs.
const PATIENCE: Duration = Duration::from_millis(500);

/// Update interval of the bar.
const REFRESH: Duration = Duration::from_millis(100);

/// Length of the bar in its own units.
const LENGTH: u64 = 1000;

/// The progress bar, which appears only when a run takes long.
pub struct Progress {
    until: f64,
    started: Instant,
    next: Duration,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn start(until: f64, wanted: bool) -> Self {
        Self {
            until,
            started: Instant::now(),
            next: PATIENCE,
            bar: None,
            wanted,
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Updates the bar for a simulation at `time`.
    pub fn show(&mut self, time: f64) {
        let elapsed = self.elapsed();
        if !self.wanted || elapsed < self.next {
            return;
        }
        self.next = elapsed + REFRESH;
        let done = (time / self.until).clamp(1e-6, 1.0);
        let left = elapsed.as_secs_f64() * (1.0 - done) / done;
        let bar = self.bar.get_or_insert_with(new_bar);
        bar.set_message(format!(
            "t = {time:.3} of {} s, {} x real time, {left:.0} s left",
            short(self.until),
            speed(time / elapsed.as_secs_f64())
        ));
        bar.set_position((done * LENGTH as f64) as u64);
    }

    /// Removes the bar from the terminal.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

// two digits
fn speed(times: f64) -> String {
    let rounded: f64 = format!("{times:.1e}").parse().unwrap_or(times);
    short(rounded)
}

// draws to stderr, and nothing if that is not a terminal
fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("  {bar:32} {percent:>3} %  {msg}");
    let bar = ProgressBar::new(LENGTH);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
