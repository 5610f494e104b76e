//! FMUs of another tool, driven by `stiction run`.

use crate::fmu::{Fmu, Written, XML};
use std::path::Path;
use std::process::{Command, Output};

fn run(fmu: &Path, options: &[&str], fault: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
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
fn a_library_that_fails_is_told_with_a_hint() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let output = run(&fmu.0, &[], Some("null instance"));
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("fmi2Instantiate gave no instance"), "{told}");
    assert!(told.contains("hint: `stiction check`"), "{told}");
}
