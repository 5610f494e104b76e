//! Behaviour of the library. Each trial runs in its own process, which keeps a journal; findings come from the journal
//! and from how the process ended.

mod bench;
mod end;
mod journal;
mod process;
mod trial;
mod trials;

pub use end::{End, end_of};
pub use trial::Trial;

use super::deadline::Deadline;
use super::description::Interface;
use super::rules::Rule;
use super::unfinished;
use super::verdict::{Finding, LogLine, Report};
use journal::Line;
use process::{Ended, Limits};
use std::io;
use std::path::Path;
use std::time::Duration;

pub use trials::run_trial;

/// Maximum number of log messages kept.
const MAX_MESSAGES: usize = 100;

/// Time limit of a call, which is also at most half of the time limit of the check.
const MAX_CALL_TIME: Duration = Duration::from_secs(20);

/// Time limit of a trial, as a multiple of that of a call.
const TRIAL_LIMIT_FACTOR: u32 = 10;

/// Time limit of an invalid call.
const INVALID_CALL_LIMIT: Duration = Duration::from_secs(3);

/// Runs all trials that apply to the capabilities.
///
/// # Errors
/// A process cannot be started, or its journal cannot be read.
pub fn examine(
    program: &Path,
    [temporary, folder]: [&Path; 2],
    interface: &Interface,
    deadline: Deadline,
    report: &mut Report,
) -> io::Result<()> {
    report.was_run = true;
    let mut names = Vec::new();
    let mut folder = folder.to_owned();
    for trial in Trial::ALL.into_iter().filter(|t| t.is_for(interface)) {
        if trial == Trial::Location {
            // a space, a letter that is not ASCII, and characters with a meaning in URIs
            let renamed = temporary.join("with space, \u{fc} #1 100%");
            if std::fs::rename(&folder, &renamed).is_err() {
                continue;
            }
            folder = renamed;
        }
        let rest = format!("the library (from the trial \"{}\" on)", trial.name());
        if unfinished(Some(deadline), &rest, report) {
            break;
        }
        names.push(trial.name());
        // shorter for deliberately invalid calls
        let longest = if trial.provokes() {
            INVALID_CALL_LIMIT
        } else {
            MAX_CALL_TIME
        };
        let limit = (deadline.limit() / 2).min(longest);
        let limits = Limits {
            call: limit,
            whole: deadline.left().min(TRIAL_LIMIT_FACTOR * limit),
        };
        let ended = process::run(program, trial, temporary, &folder, limits)?;
        let must_stop = collect_findings(trial, ended, limit, report);
        if must_stop {
            break;
        }
    }
    report.add_fact("trials", names.join(" "));
    Ok(())
}

/// Collects the findings of a trial. Returns whether to stop.
fn collect_findings(trial: Trial, ended: Ended, limit: Duration, report: &mut Report) -> bool {
    let mut last_call = "the start of the process".to_owned();
    let (mut purpose_of_call, mut is_done) = (None, false);
    for line in ended.lines {
        match line {
            Line::Call(name) => last_call = name,
            Line::Purpose(text) => purpose_of_call = Some(text),
            Line::Finding(finding) => report.add(finding),
            Line::Fact(name, value) => report.add_fact(&name, value),
            Line::Log(line) => {
                let provoked = trial.provokes();
                let line = LogLine { provoked, ..line };
                if report.log.len() < MAX_MESSAGES && !report.log.contains(&line) {
                    report.log.push(line);
                }
            }
            Line::Done => is_done = true,
        }
    }
    let place = if is_done {
        "after the last call".to_owned()
    } else {
        let purpose_of_call = purpose_of_call.map_or(String::new(), |purpose_of_call| {
            format!(" with {purpose_of_call}")
        });
        format!("in {last_call}{purpose_of_call}")
    };
    let purpose = trial.purpose();
    let bad = |fallback| trial.rule_of_bad_end().unwrap_or(fallback);
    let seconds = limit.as_secs_f64();
    let finding = match ended.end {
        End::Success if is_done => None,
        End::Success => Some((
            bad(Rule::LibraryExit),
            format!("the library ended the process {place}, {purpose}"),
        )),
        End::Exit(code) => Some((
            bad(Rule::LibraryExit),
            format!("the process ended with exit code {code} {place}, {purpose}"),
        )),
        End::Signal(signal) => Some((
            bad(Rule::LibraryCrash),
            format!("crashed with {signal} {place}, {purpose}"),
        )),
        End::Hung => Some((
            bad(Rule::LibraryHang),
            format!("did not return within {seconds} s {place}, {purpose}"),
        )),
        End::Slow => Some((
            Rule::LibrarySlow,
            format!("the trial took too long, {purpose}; it was stopped {place}"),
        )),
    };
    let hangs = matches!(&finding, Some((Rule::LibraryHang, _)));
    // the same crash is reported once
    if let Some((rule, message)) = finding {
        let is_known = |f: &Finding| f.rule == rule && f.message.contains(&place);
        if !report.findings.iter().any(is_known) {
            report.add(Finding::new(rule, message));
        }
    }
    let is_useless = [Rule::LibraryLoad, Rule::Instantiate].map(|rule| report.has(rule));
    hangs || trial == Trial::Load && (is_useless.contains(&true) || !is_done)
}

/// Checks of the log as a whole.
pub fn examine_log(declared: &[(String, usize)], report: &mut Report) {
    let mut found = Vec::new();
    for LogLine {
        category, message, ..
    } in &report.log
    {
        let text = message.as_deref().unwrap_or_default();
        match category {
            None => found.push(Finding::new(
                Rule::LogNullCategory,
                format!("the message {text:?} has a null category"),
            )),
            Some(name) if !declared.is_empty() && !declared.iter().any(|(d, _)| d == name) => {
                found.push(Finding::new(
                    Rule::LogUnknownCategory,
                    format!("messages have the undeclared category {name:?}"),
                ));
            }
            Some(_) => {}
        }
        if message.is_none() {
            let message = "a message has a null text";
            found.push(Finding::new(Rule::LogNullMessage, message));
        }
    }
    found.into_iter().for_each(|finding| report.add(finding));
}
