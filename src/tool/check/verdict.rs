//! What an examination found.

use super::rules::{Rule, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Findings of one rule that are kept; more of them say nothing new.
const MOST_OF_A_RULE: usize = 200;

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// File inside the FMU.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<usize>,
    /// Name of the variable.
    pub variable: Option<String>,
    /// What is wrong, a sentence without a full stop.
    pub message: String,
}

impl Finding {
    /// Without a place.
    pub fn new(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            file: None,
            line: None,
            variable: None,
            message: message.into(),
        }
    }

    /// In a file.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// In a line of the model description.
    #[must_use]
    pub fn line(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self.file(super::DESCRIPTION)
        }
    }

    /// About a variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.variable = Some(name.into());
        self
    }

    /// Where it is, for people.
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
    /// Was it the answer to a call that was wrong on purpose?
    #[serde(default)]
    pub provoked: bool,
    /// Its status.
    pub status: String,
    /// Its category.
    pub category: Option<String>,
    /// Its text; a format whose arguments are not filled in.
    pub message: Option<String>,
}

/// What an examination found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What was seen, by name.
    pub facts: Vec<(String, String)>,
    /// What the FMU said.
    pub log: Vec<LogLine>,
    /// Was the library loaded and tried?
    pub was_run: bool,
    counts: BTreeMap<Rule, usize>,
    known: BTreeSet<Finding>,
}

impl Report {
    /// Adds a finding, unless it is there already or there are very many of its rule.
    pub fn add(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.rule).or_default();
        if *count < MOST_OF_A_RULE && !self.known.contains(&finding) {
            *count += 1;
            self.known.insert(finding.clone());
            self.findings.push(finding);
        }
    }

    /// Adds a fact.
    pub fn tell(&mut self, name: &str, value: impl Into<String>) {
        self.facts.push((name.to_owned(), value.into()));
    }

    /// Number of findings.
    pub fn count(&self, severity: Severity) -> usize {
        let is_so = |finding: &&Finding| finding.rule.severity() == severity;
        self.findings.iter().filter(is_so).count()
    }

    /// Is a rule broken?
    pub fn has(&self, rule: Rule) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule)
    }

    /// The most severe first; otherwise as they were found.
    pub fn sort(&mut self) {
        self.findings.sort_by_key(|f| f.rule.severity());
    }
}
