//! A run through the command line of a build, old or new.

use crate::common::passive::{Class, EnergyBalance, Record};
use crate::measure::Measure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How scenes are integrated.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Steps by tolerance, or of fixed length.
    pub tolerance: Option<f64>,
    /// Standard step, where it is not the scene's, s.
    pub step: Option<f64>,
}

/// Runs a scene, and looks at all that comes out.
pub fn run(tool: &Path, name: &str, text: &str, way: Way) -> Record {
    let folder = tempfile::tempdir().expect("a folder");
    let [scene, rows, summary, errors] = ["scene.toml", "rows.csv", "summary.json", "errors.txt"]
        .map(|file| folder.path().join(file));
    std::fs::write(&scene, text).expect("a file");
    let mut command = Command::new(tool);
    command
        .arg("run")
        .arg(&scene)
        .arg("--json")
        .arg("-o")
        .arg(&rows);
    command.args(["--until", "1"]);
    if let Some(step) = way.step {
        command.arg("--step").arg(step.to_string());
    }
    if let Some(tolerance) = way.tolerance {
        command.arg("--tolerance").arg(tolerance.to_string());
    }
    let [out, err] = [&summary, &errors].map(|path| std::fs::File::create(path).expect("a file"));
    let child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .expect("the tool");
    let (seconds, is_done) = watch(child);
    let mut record = read(text, &rows, &summary);
    record.seconds = seconds;
    let error = std::fs::read_to_string(&errors).unwrap_or_default();
    if !is_done && seconds <= Class::Slow.bound() {
        let is_error = |line: &&str| {
            line.starts_with("error") || line.contains("panicked") || line.contains(".toml:")
        };
        let why = error.lines().find(is_error).unwrap_or("no word");
        record.stopped = Some(why.replace(&*scene.to_string_lossy(), name));
    }
    record
}

/// Waits for the end, or ends what takes too long; tells the processor time, and whether all went well.
fn watch(mut child: Child) -> (f64, bool) {
    let start = Instant::now();
    let mut seconds = 0.0;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return (seconds, status.success());
        }
        seconds = processor_time(child.id()).unwrap_or(start.elapsed().as_secs_f64());
        if seconds > Class::Slow.bound() {
            // it may have ended by itself
            let _ = child.kill();
            let _ = child.wait();
            return (seconds, false);
        }
        std::thread::sleep(Duration::from_millis(2).max(start.elapsed() / 50));
    }
}

/// User and system time of a process, where the system tells: s.
fn processor_time(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = |n: usize| fields.split_whitespace().nth(n)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

fn read(scene: &str, rows: &Path, summary: &Path) -> Record {
    let mut record = Record {
        is_finite: true,
        ..Record::default()
    };
    let table = std::fs::read_to_string(rows).unwrap_or_default();
    // compliant contacts and stops have exponents
    let is_rigid = !scene.contains("exponent = ");
    read_rows(&table, Measure::of(scene).as_ref(), is_rigid, &mut record);
    let text = std::fs::read_to_string(summary).unwrap_or_default();
    if let Ok(json) = serde_json::from_str::<Value>(&text) {
        read_summary(&json, &mut record);
    }
    record
}

fn read_rows(text: &str, measure: Option<&Measure>, is_rigid: bool, record: &mut Record) {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let (Some(kinetic), Some(potential)) = (column("energy.kinetic"), column("energy.potential"))
    else {
        return;
    };
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells.get(i).and_then(|cell| cell.parse::<f64>().ok());
        for (i, title) in header.iter().enumerate() {
            let Some(x) = number(i) else { continue };
            if title.ends_with(".gap") {
                let overlap = if is_rigid { -x } else { 0.0 };
                record.overlap = record.overlap.max(overlap);
            } else if !x.is_finite() {
                record.is_finite = false;
            }
        }
        if let Some(measure) = measure {
            let named = header.iter().enumerate();
            let row: BTreeMap<&str, f64> = named
                .filter_map(|(i, name)| Some((*name, number(i)?)))
                .collect();
            if is_rigid {
                record.overlap = record.overlap.max(measure.overlap(&row));
            }
            record.drift = record.drift.max(measure.drift(&row));
        }
        if let (Some(kinetic), Some(potential)) = (number(kinetic), number(potential)) {
            record.energy.push([kinetic, potential]);
        }
    }
}

fn read_summary(json: &Value, record: &mut Record) {
    // what overflowed is null
    let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let energy = &json["energy"];
    let losses = ["damping", "friction", "impacts"].map(|key| number(&energy[key]));
    record.balance = Some(EnergyBalance {
        start: number(&energy["start"]),
        losses,
        fall: losses.iter().fold(0.0, |fall, loss| (-loss).max(fall)),
    });
    record.overlap = record.overlap.max(number(&json["worst_penetration"]));
    record.drift = record.drift.max(number(&json["worst_joint_drift"]));
    let warnings = json["warnings"].as_array().into_iter().flatten();
    // older builds have plain sentences
    let message = |warning: &Value| {
        warning
            .as_str()
            .or(warning["message"].as_str())
            .map(str::to_owned)
    };
    record.warnings = warnings.filter_map(message).collect();
}
