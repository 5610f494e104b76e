//! `stiction check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::CliError;
use super::args::{CheckOptions, TrialOptions};
use super::format::count;
use super::output::Output;
use super::temporary::Temporary;
use serde_json::{Value, json};
use stiction::tool::check::behaviour::{Trial, run_trial};
use stiction::tool::check::verdict::LogLine;
use stiction::tool::check::{Finding, Options, Report, Rule, Severity, examine};
use stiction::tool::import::ParentWatch;

/// Maximum number of findings per rule in the text output.
const MOST_OF_A_RULE: usize = 5;
/// Maximum number of log messages in the text output.
const MOST_MESSAGES: usize = 10;

/// Checks an FMU and prints the verdict.
pub fn check(options: &CheckOptions) -> Result<(), CliError> {
    let mut out = Output::stdout();
    if options.rules {
        out.write(&rules())?;
        return out.finish();
    }
    // clap requires one of the two
    let fmu = options.fmu.as_deref().unwrap_or(Path::new(""));
    let what = fmu.display().to_string();
    if fmu.is_dir() || !fmu.exists() {
        let message = format!("there is no file \"{what}\"");
        return Err(CliError::usage(
            message,
            "name an FMU, a file that ends with .fmu",
        ));
    }
    let failed = |error: io::Error| CliError::Io {
        what: what.clone(),
        error,
    };
    let program = match options.no_run {
        true => None,
        false => Some(std::env::current_exe().map_err(failed)?),
    };
    let settings = Options {
        program,
        time_limit: Duration::from_secs_f64(options.time_limit),
    };
    let temporary = Temporary::new("stiction-check-")?;
    let report = examine(fmu, temporary.path(), &settings).map_err(failed)?;
    drop(temporary);
    let text = if options.json {
        let text = serde_json::to_string_pretty(&as_json(&what, &report));
        text.map_err(|error| failed(error.into()))? + "\n"
    } else {
        page(&what, &report)
    };
    out.write(&text)?;
    out.finish()?;
    match report.count(Severity::Error) {
        0 => Ok(()),
        errors => Err(CliError::Faulty { errors }),
    }
}

/// Runs one trial; called in the process started for it.
pub fn trial(options: &TrialOptions) -> Result<(), CliError> {
    let Some(trial) = Trial::from_name(&options.trial) else {
        let message = format!("there is no trial {:?}", options.trial);
        return Err(CliError::usage(
            message,
            "trials are started by `stiction check`",
        ));
    };
    // the journal is in the temporary folder
    let temporary = options.journal.parent().unwrap_or(&options.folder);
    let _watch = ParentWatch::start(options.parent, temporary.to_owned());
    let limit = Duration::from_secs_f64(options.time_limit);
    run_trial(trial, &options.folder, &options.journal, limit).map_err(|error| CliError::Io {
        what: options.folder.display().to_string(),
        error,
    })
}

fn rules() -> String {
    let width = Rule::ALL.iter().map(|r| r.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in Rule::ALL {
        let (name, severity) = (rule.name(), rule.severity().name());
        let _ = writeln!(text, "{severity:7}  {name:width$}  {}", rule.hint());
    }
    text
}

/// The verdict as text.
fn verdict(report: &Report) -> &'static str {
    if report.has(Rule::ModelVersion) {
        return "not examined";
    }
    match (
        report.count(Severity::Error),
        report.count(Severity::Warning),
    ) {
        (0, 0) => "good",
        (0, _) => "usable",
        _ => "faulty",
    }
}

fn as_json(fmu: &str, report: &Report) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "severity": finding.rule.severity(),
            "rule": finding.rule,
            "file": finding.file,
            "line": finding.line,
            "variable": finding.variable,
            "message": finding.message,
            "hint": finding.rule.hint(),
        })
    };
    json!({
        "fmu": fmu,
        "verdict": verdict(report),
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "was_run": report.was_run,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "facts": report.facts.iter().cloned().collect::<BTreeMap<_, _>>(),
        "log": report.log,
    })
}

fn page(fmu: &str, report: &Report) -> String {
    let mut text = format!("{fmu}\n");
    for (name, value) in &report.facts {
        let _ = writeln!(text, "  {name}: {value}");
    }
    text.push('\n');
    let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
    for finding in &report.findings {
        let n = counts.entry(finding.rule).or_default();
        *n += 1;
        if *n <= MOST_OF_A_RULE {
            write_finding(finding, *n == 1, &mut text);
        }
        if *n == MOST_OF_A_RULE {
            let is_same = |f: &&Finding| f.rule == finding.rule;
            let more = report.findings.iter().filter(is_same).count() - *n;
            if more > 0 {
                let name = finding.rule.name();
                let _ = writeln!(text, "         and {more} more of {name}; --json has them");
            }
        }
    }
    let log: Vec<&LogLine> = report.log.iter().filter(|line| !line.provoked).collect();
    if !log.is_empty() {
        text.push_str("log of the FMU:\n");
        for line in log.iter().take(MOST_MESSAGES) {
            let category = line.category.as_deref().unwrap_or("null");
            let message = line.message.as_deref().unwrap_or("null");
            let _ = writeln!(text, "  {} {category}: {message}", line.status);
        }
        if log.len() > MOST_MESSAGES {
            let more = log.len() - MOST_MESSAGES;
            let _ = writeln!(text, "  and {more} more; --json has them");
        }
        text.push('\n');
    }
    let counted = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| count(report.count(severity) as u64, severity.name()));
    let not_run = if report.was_run { "" } else { "; not run" };
    let (verdict, counted) = (verdict(report), counted.join(", "));
    let _ = writeln!(text, "verdict: {verdict} ({counted}{not_run})");
    text
}

fn write_finding(finding: &Finding, with_hint: bool, text: &mut String) {
    let severity = finding.rule.severity().name();
    let name = finding.rule.name();
    let place = finding.place();
    let _ = writeln!(
        text,
        "{}",
        format!("{severity:7}  {name}  {place}").trim_end()
    );
    let _ = writeln!(text, "         {}", finding.message);
    if with_hint {
        let _ = writeln!(text, "         hint: {}", finding.rule.hint());
    }
}
