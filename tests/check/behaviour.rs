//! Libraries that do something wrong.

use crate::common::c::specimen_with;
use crate::fmu::{Fmu, Written, XML, changed, check, stiction};

/// The fault, the rule that it breaks, words of the finding.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "crash when loaded",
        "library.crash",
        "signal 11 (segmentation fault) in the loading of the library",
    ),
    (
        "crash in reset",
        "library.crash",
        "signal 11 (segmentation fault) in fmi2Reset",
    ),
    ("crash at null", "null.instance", "signal 11"),
    ("crash when read early", "abuse.crash", "in fmi2GetReal"),
    (
        "crash at NaN",
        "abuse.steps",
        "in fmi2DoStep with a step of NaN s",
    ),
    (
        "crash at location",
        "resources.location",
        "in fmi2Instantiate",
    ),
    ("hang in step", "library.hang", "in fmi2DoStep"),
    ("exit in step", "library.exit", "exit code 3 in fmi2DoStep"),
    ("null instance", "instantiate.failed", "null"),
    ("any GUID", "guid.unchecked", "any GUID"),
    ("no decoding", "resources.location", "%20"),
    ("one instance", "instances.second", "second"),
    ("shared variable", "instances.differ", "instead of"),
    ("null category", "log.null_category", "out of range"),
    ("odd category", "log.unknown_category", "odd"),
    ("null message", "log.null_message", ""),
    ("no logging", "log.debug", "fmi2Error"),
    ("other version", "library.version", "\"1.0\""),
    ("other start", "start.differs", "k it is 2.5"),
    ("rounded start", "start.rounded", "k it is 2.0000001"),
    (
        "no initialization",
        "initialize.failed",
        "fmi2EnterInitializationMode returns fmi2Error",
    ),
    ("unreadable", "get.failed", "rate"),
    ("null text", "get.text", "label"),
    ("no limits", "limits.unguarded", "k the value 20"),
    ("failing step", "run.failed", "fmi2Error"),
    ("discarded step", "run.discarded", "it reached"),
    ("pending step", "run.pending", ""),
    ("odd status", "run.failed", "77, which is not a status"),
    ("no end", "run.failed", "fmi2Terminate returns fmi2Error"),
    ("not a number", "run.nan", "x it is NaN"),
    ("infinite", "run.infinite", "x it is inf"),
    ("out of range", "run.outside", "x it is 1000"),
    ("new every time", "run.irreproducible", "x"),
    ("one step size", "step.halves", "half a step"),
    ("any step", "step.wrong_time", "later time"),
    ("any step", "step.nan", ""),
    ("any step", "step.backwards", ""),
    ("no reset", "reset.failed", "fmi2Reset returns fmi2Error"),
    (
        "forgetful reset",
        "reset.differs",
        "after a reset, step 1 gives",
    ),
    (
        "nearly reset",
        "reset.inexact",
        "rate after a reset, step 1",
    ),
    (
        "nearly a state",
        "state.inexact",
        "rate after fmi2SetFMUstate",
    ),
    (
        "nearly the bytes",
        "serialize.inexact",
        "rate after fmi2DeSerializeFMUstate",
    ),
    ("late start", "start.early", "k before the initialization"),
    (
        "no state",
        "state.failed",
        "fmi2GetFMUstate returns fmi2Error",
    ),
    (
        "half a state",
        "state.differs",
        "after fmi2SetFMUstate, step 1 gives",
    ),
    ("dangling state", "state.free", "pointer"),
    ("no bytes", "serialize.failed", "fmi2Error"),
    (
        "wrong bytes",
        "serialize.differs",
        "after fmi2DeSerializeFMUstate, step 1 gives",
    ),
    (
        "no directional derivatives",
        "directional.failed",
        "with respect to \"u\" is fmi2Error",
    ),
    (
        "undeclared dependency",
        "directional.undeclared",
        "x its derivative with respect to \"u\" is 1",
    ),
    (
        "no input derivatives",
        "input_derivatives.failed",
        "fmi2Error",
    ),
    ("input derivatives ignored", "input_derivatives.ignored", ""),
    (
        "no output derivatives",
        "output_derivatives.failed",
        "order 1 is fmi2Error",
    ),
];

/// Faults that show in more than one way.
const WIDE: [&str; 15] = [
    "nearly a state",
    "other start",
    "hang in step",
    "exit in step",
    "unreadable",
    "any step",
    "one step size",
    "half a state",
    "new every time",
    "no initialization",
    "not a number",
    "no reset",
    "shared variable",
    "null instance",
    "pending step",
];

#[test]
fn the_specimen_passes_all_trials() {
    let verdict = check(&Fmu::new(XML).zipped(), &[], None);
    assert_eq!(verdict.findings(), []);
    assert_eq!(verdict.json["was_run"], true);
    let facts = &verdict.json["facts"];
    assert_eq!(
        facts["trials"],
        "load guid start run steps reset state derivatives instances null early limits abuse location"
    );
    assert!(
        facts["run"]
            .as_str()
            .unwrap()
            .starts_with("30 steps of 0.1 s from 0 s to 3 s")
    );
    assert_eq!(facts["directional derivatives"], "2");
}

#[test]
fn every_fault_of_a_library_is_found_by_its_name() {
    let fmu = Fmu::new(XML).zipped();
    let complaints = FAULTS.iter().filter_map(|(fault, rule, words)| {
        // a busy machine may be slow, so only what hangs for sure has little time
        let limit = if fault.starts_with("hang") { "4" } else { "40" };
        let verdict = check(&fmu, &["--time-limit", limit], Some(fault));
        let is_alone = !WIDE.contains(fault);
        verdict.complaint(fault, rule, words, is_alone)
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_crash_does_not_keep_the_other_trials_from_running() {
    let verdict = check(&Fmu::new(XML).zipped(), &[], Some("crash in reset"));
    let facts = &verdict.json["facts"];
    assert!(facts["trials"].as_str().unwrap().ends_with("location"));
    assert!(facts["run"].is_string());
}

#[test]
fn the_rounding_of_a_derivative_is_no_dependency() {
    let verdict = check(&Fmu::new(XML).zipped(), &[], Some("rounded derivative"));
    assert_eq!(verdict.findings(), []);
}

#[test]
fn an_infinite_start_value_is_not_rounded() {
    for start in ["INF", "-INF", "1e400"] {
        let xml = changed(&[("start=\"0.5\"", &format!("start=\"{start}\""))]);
        let verdict = check(&Fmu::new(&xml).zipped(), &[], None);
        verdict.assert_has(start, "start.differs", "u it is 0.5");
        assert!(!verdict.has("start.rounded", ""), "{start}");
    }
}

#[test]
fn nothing_is_run_with_a_bad_value_reference() {
    for bad in ["-1", "4294967296"] {
        let to = format!("name=\"x_0\" valueReference=\"{bad}\"");
        let xml = changed(&[("name=\"x_0\" valueReference=\"4\"", &to)]);
        let verdict = check(&Fmu::new(&xml).zipped(), &[], None);
        verdict.assert_only(bad, "xml.value", "valueReference");
        verdict.assert_has(bad, "library.not_run", "x_0");
    }
}

#[test]
fn the_part_for_model_exchange_is_noted() {
    let with = |identifier: &str| {
        let exchange = format!("<ModelExchange modelIdentifier=\"{identifier}\"/>");
        let xml = changed(&[("<CoSimulation", &format!("{exchange}<CoSimulation"))]);
        check(&Fmu::new(&xml).zipped(), &[], None)
    };
    let same = with("specimen");
    same.assert_only("same", "model.exchange_too", "not run");
    assert_eq!(same.json["verdict"], "good");
    assert_eq!(same.json["was_run"], true);
    let other = with("other");
    other.assert_has("other", "model.exchange_too", "not run");
    other.assert_has("other", "platform.name", "\"other\" for model exchange");
}

#[test]
fn missing_functions_are_named() {
    let mut fmu = Fmu::new(XML);
    fmu.files[1].1 = specimen_with("without_cancel", &["-DWITHOUT_CANCEL"]);
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("no cancel", "library.missing", "fmi2CancelStep");
}

#[test]
fn a_library_that_cannot_be_loaded_is_reported() {
    let mut fmu = Fmu::new(XML);
    fmu.files[1].1.truncate(100);
    let verdict = check(&fmu.zipped(), &[], None);
    verdict.assert_only("truncated", "platform.damaged", "outside the file");
    // its headers are good, and what they name is not
    let mut fmu = Fmu::new(XML);
    let n = fmu.files[1].1.len();
    fmu.files[1].1[0x1000..n / 2].fill(0x55);
    let verdict = check(&fmu.zipped(), &[], None);
    assert_eq!(verdict.json["verdict"], "faulty");
}

#[test]
fn a_stale_guid_is_reported() {
    let xml = changed(&[("{specimen-1}", "{specimen-2}")]);
    let verdict = check(&Fmu::new(&xml).zipped(), &[], None);
    verdict.assert_only("stale", "instantiate.failed", "GUID");
    assert_eq!(verdict.json["facts"]["trials"], "load");
}

#[test]
fn flags_that_promise_nothing_are_not_tried() {
    let flags = "canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"1\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"";
    let xml = changed(&[(flags, "canBeInstantiatedOnlyOncePerProcess=\"true\"")]);
    let fmu = Fmu::new(&xml).zipped();
    for fault in [
        "no state",
        "no bytes",
        "no directional derivatives",
        "no input derivatives",
        "no output derivatives",
        "one step size",
        "one instance",
        "shared variable",
    ] {
        assert_eq!(check(&fmu, &[], Some(fault)).findings(), [], "{fault}");
    }
}

#[test]
fn more_derivatives_than_there_are_must_not_be_promised() {
    let xml = changed(&[(
        "maxOutputDerivativeOrder=\"1\"",
        "maxOutputDerivativeOrder=\"2\"",
    )]);
    let verdict = check(&Fmu::new(&xml).zipped(), &[], None);
    verdict.assert_only("order 2", "output_derivatives.failed", "order 2");
}

#[test]
fn nothing_is_loaded_with_no_run() {
    let fault = Some("crash when loaded");
    let verdict = check(&Fmu::new(XML).zipped(), &["--no-run"], fault);
    verdict.assert_only("no run", "library.not_run", "");
}

#[test]
fn the_time_limit_bounds_the_whole_examination() {
    let many: String = (0..60_000)
        .map(|i| format!("<ScalarVariable name=\"v{i}\" valueReference=\"2\"><Real declaredType=\"no\"/></ScalarVariable>\n"))
        .collect();
    let xml = changed(&[("  </ModelVariables>", &format!("{many}  </ModelVariables>"))]);
    let began = std::time::Instant::now();
    let verdict = check(&Fmu::new(&xml).zipped(), &["--time-limit", "0.02"], None);
    verdict.assert_has(
        "slow",
        "examination.unfinished",
        "the time of 0.02 s is over",
    );
    // reading it takes a part of a second, on a busy machine some
    assert!(began.elapsed().as_secs() < 15, "{:?}", began.elapsed());
}

#[test]
fn people_get_a_page() {
    let fmu = Written::new(&Fmu::new(XML).zipped());
    let output = stiction(&fmu.0, &[], Some("forgetful reset"));
    let page = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for words in [
        "error    reset.differs  \"rate\"\n",
        "         hint: fmi2Reset must restore",
        "verdict: faulty (1 error, 0 warnings, 0 notes)\n",
    ] {
        assert!(page.contains(words), "{page}");
    }
    assert!(!page.contains("log of the FMU"), "{page}");
}
