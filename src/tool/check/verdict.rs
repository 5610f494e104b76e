//! Result of a check.

use super::rules::{Rule, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of findings per rule.
const MAX_PER_RULE: usize = 200;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The violated rule.
    pub rule: Rule,
    /// File inside the FMU.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<usize>,
    /// Name of the variable, if it is about one.
    pub variable: Option<String>,
    /// Message, without a full stop.
    pub message: String,
}

impl Finding {
    /// Without a location.
    pub fn new(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            file: None,
            line: None,
            variable: None,
            message: message.into(),
        }
    }

    /// Sets the file.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets the line in the model description.
    #[must_use]
    pub fn line(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self.file(super::DESCRIPTION)
        }
    }

    /// Sets the variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.variable = Some(name.into());
        self
    }

    /// Location for messages.
    pub fn place(&self) -> String {
        let mut place = self.file.clone().unwrap_or_default();
        if let Some(line) = self.line {
            place += &format!(":{line}");
        }
        if let Some(name) = &self.variable {
            let separator = if place.is_empty() { "" } else { ", " };
            place += &format!("{separator}{name:?}");
        }
        place
    }
}

/// A message of the FMU's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// Was it caused by a deliberately invalid call?
    #[serde(default)]
    pub provoked: bool,
    /// Its status.
    pub status: String,
    /// Its category.
    pub category: Option<String>,
    /// Text: a format string without its arguments.
    pub message: Option<String>,
}

/// Result of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Observations, by name.
    pub facts: Vec<(String, String)>,
    /// Log of the FMU.
    pub log: Vec<LogLine>,
    /// Was the library loaded and run?
    pub was_run: bool,
    counts: BTreeMap<Rule, usize>,
    known: BTreeSet<Finding>,
}

impl Report {
    /// Adds a finding, unless it is a duplicate or there are too many of its rule.
    pub fn add(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.rule).or_default();
        if *count < MAX_PER_RULE && !self.known.contains(&finding) {
            *count += 1;
            self.known.insert(finding.clone());
            self.findings.push(finding);
        }
    }

    /// Adds a fact.
    pub fn add_fact(&mut self, name: &str, value: impl Into<String>) {
        self.facts.push((name.to_owned(), value.into()));
    }

    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let is_so = |finding: &&Finding| finding.rule.severity() == severity;
        self.findings.iter().filter(is_so).count()
    }

    /// Is there a finding of this rule?
    pub fn has(&self, rule: Rule) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule)
    }

    /// Sorts by severity; stable.
    pub fn sort(&mut self) {
        self.findings.sort_by_key(|f| f.rule.severity());
    }
}
