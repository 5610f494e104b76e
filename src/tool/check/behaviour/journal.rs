//! What a trial tells: a file with a line for everything, written at once, so that it is there after a crash.

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

/// Messages of the library that a trial writes down.
const MOST_MESSAGES: usize = 100;
/// Characters of a message.
const LONGEST_MESSAGE: usize = 400;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// A function is about to be called.
    Call(String),
    /// What the next calls are about.
    Aim(String),
    /// Something was found.
    Finding(Finding),
    /// Something was seen: its name and value.
    Fact(String, String),
    /// The library wrote to its log.
    Log(LogLine),
    /// The trial came to its end.
    Done,
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    n_messages: AtomicUsize,
    told: Mutex<BTreeSet<(Rule, String)>>,
}

impl Journal {
    /// Appends to a file.
    pub fn open(path: &Path) -> io::Result<Arc<Self>> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Arc::new(Self {
            file: Mutex::new(file),
            n_messages: AtomicUsize::new(0),
            told: Mutex::default(),
        }))
    }

    /// Writes a line.
    pub fn write(&self, line: &Line) {
        let Ok(mut text) = serde_json::to_string(line) else {
            return;
        };
        text.push('\n');
        // who cannot write has no way to complain; the missing last line tells
        if let Ok(mut file) = self.file.lock() {
            let _ = file.write_all(text.as_bytes());
        }
    }

    /// Writes a finding on the library as a whole.
    pub fn find(&self, rule: Rule, message: impl Into<String>) {
        self.write(&Line::Finding(Finding::new(rule, message)));
    }

    /// Was there a finding of this rule on this variable?
    pub fn has_told(&self, rule: Rule, variable: &str) -> bool {
        let told = self.told.lock();
        told.is_ok_and(|told| told.contains(&(rule, variable.to_owned())))
    }

    /// Writes a finding on a variable.
    pub fn find_in(&self, rule: Rule, variable: &str, message: impl Into<String>) {
        if let Ok(mut told) = self.told.lock() {
            told.insert((rule, variable.to_owned()));
        }
        let finding = Finding::new(rule, message).variable(variable);
        self.write(&Line::Finding(finding));
    }

    /// Writes a fact.
    pub fn tell(&self, name: &str, value: impl Into<String>) {
        self.write(&Line::Fact(name.to_owned(), value.into()));
    }
}

impl Observer for Journal {
    fn entered(&self, function: &'static str) {
        self.write(&Line::Call(function.to_owned()));
    }

    fn message(&self, message: Message) {
        if self.n_messages.fetch_add(1, Ordering::Relaxed) >= MOST_MESSAGES {
            return;
        }
        let shortened = |text: String| text.chars().take(LONGEST_MESSAGE).collect();
        self.write(&Line::Log(LogLine {
            provoked: false,
            status: Status::of(message.status).to_string(),
            category: message.category.map(shortened),
            message: message.text.map(shortened),
        }));
    }
}

/// Reads a journal; a line that was cut off is left out.
pub fn read(path: &Path) -> io::Result<Vec<Line>> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines();
    Ok(lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}
