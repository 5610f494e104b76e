//! Journal of a trial: a file with one line per event, written immediately, so that it survives a crash.

use crate::tool::check::rules::Rule;
use crate::tool::check::verdict::{Finding, LogLine};
use crate::tool::import::{Message, Observer, Status};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Maximum number of log messages in a journal.
const MAX_MESSAGES: usize = 100;
/// Maximum length of a log message.
const MAX_MESSAGE_LENGTH: usize = 400;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// A function is about to be called.
    Call(String),
    /// Purpose of the next calls.
    Purpose(String),
    /// Something was found.
    Finding(Finding),
    /// An observation: name and value.
    Fact(String, String),
    /// A log message of the library.
    Log(LogLine),
    /// The trial is complete.
    Done,
}

/// A journal being written.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    n_messages: AtomicUsize,
    reported: Mutex<BTreeSet<(Rule, String)>>,
}

impl Journal {
    /// Appends to a file.
    pub fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Arc::new(Self {
            file: Mutex::new(file),
            n_messages: AtomicUsize::new(0),
            reported: Mutex::default(),
        }))
    }

    /// Writes a line.
    pub fn write(&self, line: &Line) {
        let Ok(mut text) = serde_json::to_string(line) else {
            return;
        };
        text.push('\n');
        // a failure cannot be reported; the missing last line reveals it
        if let Ok(mut file) = self.file.lock() {
            let _ = file.write_all(text.as_bytes());
        }
    }

    /// Writes a finding about the library as a whole.
    pub fn find(&self, rule: Rule, message: impl Into<String>) {
        self.write(&Line::Finding(Finding::new(rule, message)));
    }

    /// Has this rule been reported for this variable?
    pub fn has_reported(&self, rule: Rule, variable: &str) -> bool {
        let reported = self.reported.lock();
        reported.is_ok_and(|reported| reported.contains(&(rule, variable.to_owned())))
    }

    /// Writes a finding about a variable.
    pub fn find_in(&self, rule: Rule, variable: &str, message: impl Into<String>) {
        if let Ok(mut reported) = self.reported.lock() {
            reported.insert((rule, variable.to_owned()));
        }
        let finding = Finding::new(rule, message).variable(variable);
        self.write(&Line::Finding(finding));
    }

    /// Writes a fact.
    pub fn add_fact(&self, name: &str, value: impl Into<String>) {
        self.write(&Line::Fact(name.to_owned(), value.into()));
    }
}

impl Observer for Journal {
    fn entered(&self, function: &'static str) {
        self.write(&Line::Call(function.to_owned()));
    }

    fn message(&self, message: Message) {
        if self.n_messages.fetch_add(1, Ordering::Relaxed) >= MAX_MESSAGES {
            return;
        }
        let shortened = |text: String| text.chars().take(MAX_MESSAGE_LENGTH).collect();
        self.write(&Line::Log(LogLine {
            provoked: false,
            status: Status::of(message.status).to_string(),
            category: message.category.map(shortened),
            message: message.text.map(shortened),
        }));
    }
}

/// Reads a journal; an incomplete last line is ignored.
pub fn read(path: &Path) -> io::Result<Vec<Line>> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines();
    Ok(lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}
