//! FMUs of another tool, driven by `stiction run`.

use crate::common::command::TOOL;
use crate::fmu::{Fmu, LIBRARY, Written, XML, changed};
use std::path::Path;
use std::process::{Command, Output};

fn run(fmu: &Path, options: &[&str], fault: Option<&str>) -> Output {
    let mut command = Command::new(TOOL);
    command.arg("run").arg(fmu).args(options);
    match fault {
        Some(fault) => command.env("SPECIMEN", fault),
        None => command.env_remove("SPECIMEN"),
    };
    command.output().unwrap()
}

#[test]
fn an_fmu_of_another_tool_is_driven_with_inputs_and_start_values() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let output = run(
        &fmu.0,
        &["--input", "u=cos(t)", "--set", "x_0=2", "-o", "-"],
        None,
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time,u,x,rate,n"));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            line.split(',')
                .map(|field| field.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 31);
    assert_eq!(rows[0][2], 2.0);
    for row in &rows {
        assert!((row[1] - row[0].cos()).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn plots_and_report_come_from_its_outputs() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (svg, html) = (file("it.svg"), file("it.html"));
    let options = [
        "--plot",
        "outputs,inputs",
        "--plot-file",
        &svg,
        "--report",
        &html,
    ];
    let output = run(&fmu.0, &options, None);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(
        svg.contains("Outputs / m<") && svg.contains(">rate<"),
        "{svg}"
    );
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.contains("There is no animation"));
}

#[test]
fn a_library_that_fails_is_reported_with_a_hint() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let output = run(&fmu.0, &[], Some("null instance"));
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("fmi2Instantiate gave no instance"), "{told}");
    assert!(told.contains("hint: run `stiction check`"), "{told}");
}

/// A run whose temporary files go to a folder of their own, which must be empty in the end; with its trajectory.
fn run_apart(bytes: &[u8], options: &[&str], fault: Option<&str>) -> (Output, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let (fmu, csv) = (folder.path().join("it.fmu"), folder.path().join("it.csv"));
    std::fs::write(&fmu, bytes).unwrap();
    let mut command = Command::new(TOOL);
    command
        .arg("run")
        .arg(&fmu)
        .arg("-o")
        .arg(&csv)
        .args(options);
    command.env("TMPDIR", &temporary).env_remove("SPECIMEN");
    if let Some(fault) = fault {
        command.env("SPECIMEN", fault);
    }
    let output = command.output().unwrap();
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    let n_files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(n_files, 2 + usize::from(csv.exists()), "parts are left");
    (output, std::fs::read_to_string(csv).ok())
}

#[test]
fn a_library_that_crashes_hangs_or_ends_its_process_stops_the_run_and_nothing_else() {
    let fmu = Fmu::new(XML).zipped();
    for (fault, words, n_rows) in [
        (
            "crash when loaded",
            "crashed with signal 11 (segmentation fault) in the loading of the library",
            None,
        ),
        (
            "hang when loaded",
            "did not return from the loading of the library within 1 s",
            None,
        ),
        (
            "crash in third step",
            "at t = 0.2 s the library crashed with signal 11 (segmentation fault) in fmi2DoStep",
            Some(3),
        ),
        (
            "hang in third step",
            "at t = 0.2 s the library did not return from fmi2DoStep within 1 s",
            Some(3),
        ),
        (
            "quit in third step",
            "at t = 0.2 s the library exited in fmi2DoStep",
            Some(3),
        ),
        (
            "exit in step",
            "at t = 0 s the library exited with code 3 in fmi2DoStep",
            Some(1),
        ),
    ] {
        let options: &[&str] = match fault.starts_with("hang") {
            true => &["--time-limit", "1"],
            false => &[],
        };
        let (output, csv) = run_apart(&fmu, options, Some(fault));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{fault}: {told}");
        assert!(told.contains(words), "{fault}: {told}");
        assert!(told.contains("hint: the fault is in the library"), "{told}");
        // what was found up to then is kept
        let rows = csv.map(|text| text.lines().count() - 1);
        assert_eq!(rows, n_rows, "{fault}");
    }
}

#[test]
fn what_goes_wrong_after_the_end_is_a_warning() {
    let fmu = Fmu::new(XML).zipped();
    for (fault, words) in [
        ("crash when freed", "in fmi2FreeInstance"),
        ("crash when unloaded", "after the last call"),
    ] {
        let (output, csv) = run_apart(&fmu, &[], Some(fault));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{fault}: {told}");
        assert!(
            told.contains("warning: after the run the library crashed") && told.contains(words),
            "{fault}: {told}"
        );
        assert_eq!(csv.unwrap().lines().count(), 32);
    }
}

#[test]
fn what_a_library_prints_does_not_get_into_the_trajectory() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let output = run(&fmu.0, &["-o", "-"], Some("talkative"));
    assert!(output.status.success());
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(table.lines().count(), 32, "{table}");
    assert!(!table.contains("talks"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("a library that talks\n").count(), 30);
}

#[test]
fn nothing_is_loaded_from_an_archive_that_check_refuses() {
    // a library that would tell that it was loaded
    let fault = Some("crash when loaded");
    let whole = Fmu::new(XML).zipped();
    let refused = |what: &str, bytes: &[u8], words: &str| {
        let (output, csv) = run_apart(bytes, &[], fault);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{what}: {told}");
        assert!(
            told.contains("cannot be run: ") && told.contains(words),
            "{what}: {told}"
        );
        assert_eq!(csv, None);
    };
    // a byte of the packed library
    let mut damaged = whole.clone();
    let at = damaged
        .windows(LIBRARY.len())
        .position(|w| w == LIBRARY.as_bytes());
    damaged[at.unwrap() + 2000] ^= 1;
    refused("damaged", &damaged, LIBRARY);
    refused(
        "cut off",
        &whole[..whole.len() - 100],
        "not a readable ZIP archive",
    );
    let with = |change: &dyn Fn(&mut Fmu)| {
        let mut fmu = Fmu::new(XML);
        change(&mut fmu);
        fmu.zipped()
    };
    let outside = with(&|fmu| fmu.files.push(("../x".into(), Vec::new())));
    refused("outside", &outside, "outside the folder");
    let clash = with(&|fmu| fmu.files.push(("resources/data.txt/x".into(), Vec::new())));
    refused("clash", &clash, "a file and a folder");
    let cut = with(&|fmu| fmu.files[1].1.truncate(4000));
    refused(
        "cut library",
        &cut,
        "the library for this machine is damaged",
    );
    let long = with(&|fmu| fmu.files[0].1.resize((64 << 20) + 1, b' '));
    refused("long description", &long, "at most 67108864 are read");
    let reference = changed(&[(
        "name=\"x_0\" valueReference=\"4\"",
        "name=\"x_0\" valueReference=\"-1\"",
    )]);
    refused(
        "reference",
        &Fmu::new(&reference).zipped(),
        "value reference of \"x_0\"",
    );
    // a name that leads to a library elsewhere
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("elsewhere.so");
    std::fs::write(&elsewhere, &Fmu::new(XML).files[1].1).unwrap();
    let up = "../".repeat(30) + &elsewhere.with_extension("").to_str().unwrap()[1..];
    let path = changed(&[(
        "modelIdentifier=\"specimen\"",
        &format!("modelIdentifier=\"{up}\""),
    )]);
    refused(
        "path",
        &Fmu::new(&path).zipped(),
        "no library for this machine",
    );
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_or_killed_program_leaves_no_process_and_no_folder() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    for (command, signal) in [
        ("run", "INT"),
        ("run", "TERM"),
        ("run", "KILL"),
        ("check", "TERM"),
        ("check", "KILL"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(TOOL)
            .arg(command)
            .arg(&fmu.0)
            .env("TMPDIR", folder.path())
            .env("SPECIMEN", "hang in step")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let what = format!("{command}, SIG{signal}");
        // processes that name the folder in their arguments, and the trial of `check` that hangs
        let helpers = |trial: &str| {
            let name = folder.path().to_str().unwrap().to_owned();
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
            lines
                .map(|line| String::from_utf8_lossy(&line).into_owned())
                .filter(|line| line.contains(&name) && line.contains(trial))
                .count()
        };
        let wait_for = |is_so: &dyn Fn() -> bool, state: &str| {
            for _ in 0..1500 {
                if is_so() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            panic!("{what}: {state}");
        };
        let trial = if command == "check" { "\0run\0" } else { "" };
        wait_for(&|| helpers(trial) == 1, "the library is not called");
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        child.wait().unwrap();
        let is_empty = || std::fs::read_dir(folder.path()).unwrap().count() == 0;
        wait_for(&|| helpers("") == 0, "a process is left");
        wait_for(&is_empty, "a folder is left");
    }
}
