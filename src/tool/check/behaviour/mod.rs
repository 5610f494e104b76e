//! What the library does. Each trial is a process of its own, which keeps a journal; from that, and from how the process
//! ended, come the findings.

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

/// Messages of the log that are kept.
const MOST_MESSAGES: usize = 100;

/// How long a call may take, and half of the whole examination at most.
const LONGEST_CALL: Duration = Duration::from_secs(20);

/// A trial as a whole may take as many times the limit of a call.
const WHOLE: u32 = 10;

/// How long a wrong call may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs all trials that the capabilities ask for.
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
            // a space, a letter that is not ASCII, and signs that mean something in a URI
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
        // what is wrong on purpose need not be waited for
        let longest = if trial.provokes() {
            PATIENCE
        } else {
            LONGEST_CALL
        };
        let limit = (deadline.limit() / 2).min(longest);
        let limits = Limits {
            call: limit,
            whole: deadline.left().min(WHOLE * limit),
        };
        let ended = process::run(program, trial, temporary, &folder, limits)?;
        let must_stop = judge(trial, ended, limit, report);
        if must_stop {
            break;
        }
    }
    report.tell("trials", names.join(" "));
    Ok(())
}

/// Takes over what a trial found. Is there no use in going on?
fn judge(trial: Trial, ended: Ended, limit: Duration, report: &mut Report) -> bool {
    let mut last_call = "the start of the process".to_owned();
    let (mut aim, mut is_done) = (None, false);
    for line in ended.lines {
        match line {
            Line::Call(name) => last_call = name,
            Line::Aim(text) => aim = Some(text),
            Line::Finding(finding) => report.add(finding),
            Line::Fact(name, value) => report.tell(&name, value),
            Line::Log(line) => {
                let provoked = trial.provokes();
                let line = LogLine { provoked, ..line };
                if report.log.len() < MOST_MESSAGES && !report.log.contains(&line) {
                    report.log.push(line);
                }
            }
            Line::Done => is_done = true,
        }
    }
    let place = if is_done {
        "after the last call".to_owned()
    } else {
        let aim = aim.map_or(String::new(), |aim| format!(" with {aim}"));
        format!("in {last_call}{aim}")
    };
    let purpose = trial.purpose();
    let bad = |fallback| trial.rule_of_bad_end().unwrap_or(fallback);
    let seconds = limit.as_secs_f64();
    let finding = match ended.end {
        End::Well if is_done => None,
        End::Well => Some((
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
            format!("did not come back within {seconds} s {place}, {purpose}"),
        )),
        End::Slow => Some((
            Rule::LibrarySlow,
            format!("the trial took too long, {purpose}; it was {place}"),
        )),
    };
    let hangs = matches!(&finding, Some((Rule::LibraryHang, _)));
    // the same crash in each trial is told once
    if let Some((rule, message)) = finding {
        let is_known = |f: &Finding| f.rule == rule && f.message.contains(&place);
        if !report.findings.iter().any(is_known) {
            report.add(Finding::new(rule, message));
        }
    }
    let is_useless = [Rule::LibraryLoad, Rule::Instantiate].map(|rule| report.has(rule));
    hangs || trial == Trial::Load && (is_useless.contains(&true) || !is_done)
}

/// Rules on the log as a whole.
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
                    format!("messages have the category {name:?}, which is not declared"),
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
