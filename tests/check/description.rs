//! Faults of the model description.

use crate::fmu::{Fmu, XML, changed, check};

/// What is replaced by what, the rule that this breaks, and words of the finding. Nothing else may be found.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("</ModelStructure>", "", "xml.malformed", "ModelStructure"),
    ("name=\"k\"", "name=\"k\" name=\"l\"", "xml.malformed", ""),
    ("name=\"k\"", "name=\"&k;\"", "xml.malformed", "'k'"),
    ("name=\"k\"", "name=\"k\u{0}\"", "xml.malformed", "column"),
    ("name=\"k\"", "name=\"k\u{1}\"", "xml.malformed", "column"),
    (
        "name=\"k\"",
        "name=\"k\u{fffe}\"",
        "xml.malformed",
        "column",
    ),
    ("name=\"k\"", "name=\"k&#1;\"", "xml.malformed", "column"),
    ("name=\"k\"", "name=\"k<\"", "xml.malformed", "column"),
    (
        "name=\"k\" value",
        "name=\"k\"value",
        "xml.malformed",
        "column",
    ),
    ("<?xml", "\n<?xml", "xml.malformed", "column 1"),
    (
        "<LogCategories>",
        "<!-- a -- b --><LogCategories>",
        "xml.malformed",
        "column 3",
    ),
    (
        "name=\"k\" valueReference=\"0\"",
        "name=\"k\" valueReference=\"-1\"",
        "xml.value",
        "valueReference",
    ),
    (
        "name=\"rate\" valueReference=\"3\"",
        "name=\"rate\" valueReference=\"4294967296\"",
        "xml.value",
        "valueReference",
    ),
    (
        "fmiVersion=\"2.0\"",
        "fmiVersion=\"3.0\"",
        "model.version",
        "3.0",
    ),
    ("guid=\"{specimen-1}\"", "guid=\"\"", "model.guid", ""),
    (
        "modelName=\"specimen\"",
        "modelName=\" \"",
        "model.name",
        "",
    ),
    ("02T03:04:05Z", "02 03:04:05", "model.date", "02 03:04:05"),
    (" canGetAndSetFMUstate=\"true\"", "", "model.flags", ""),
    (
        " canGetAndSetFMUstate=\"true\"",
        " canGetAndSetFMUstate=\"true\" canDance=\"true\"",
        "xml.unknown_attribute",
        "canDance",
    ),
    (
        "canInterpolateInputs=\"true\"",
        "canInterpolateInputs=\"yes\"",
        "xml.value",
        "true or false",
    ),
    (
        "stepSize=\"0.1\"",
        "stepSize=\"0,1\"",
        "xml.value",
        "a number",
    ),
    (
        "name=\"k\" valueReference=\"0\"",
        "name=\"k\"",
        "xml.missing_attribute",
        "valueReference",
    ),
    (
        "<LogCategories>",
        "<Colours/><LogCategories>",
        "xml.unknown_element",
        "Colours",
    ),
    (
        "<Category name=\"logStatusError\"/>",
        "",
        "xml.missing_element",
        "Category",
    ),
    ("stopTime=\"3\"", "stopTime=\"-3\"", "experiment.times", ""),
    (
        "stopTime=\"3\"",
        "stopTime=\"INF\"",
        "experiment.times",
        "inf",
    ),
    ("stepSize=\"0.1\"", "stepSize=\"0\"", "experiment.step", ""),
    (
        "stepSize=\"0.1\"",
        "stepSize=\"5\"",
        "experiment.long_step",
        "",
    ),
    (
        "tolerance=\"1e-6\"",
        "tolerance=\"-1\"",
        "experiment.tolerance",
        "",
    ),
    (
        "<Category name=\"logStatusError\"/>",
        "<Category name=\"a\"/><Category name=\"a\"/>",
        "log.duplicate",
        "\"a\"",
    ),
    (
        "<Unit name=\"m/s\">",
        "<Unit name=\"m\"/><Unit name=\"m/s\">",
        "unit.duplicate",
        "\"m\"",
    ),
    (
        "<Real unit=\"m/s\"/>",
        "<Real unit=\"km/h\"/>",
        "unit.undeclared",
        "km/h",
    ),
    (
        "<Real unit=\"m/s\"/>",
        "<Real unit=\"m/s\" displayUnit=\"knot\"/>",
        "unit.display",
        "knot",
    ),
    ("factor=\"1000\"", "factor=\"0\"", "unit.factor", "\"m\""),
    (
        "<SimpleType name=\"Mode\">",
        "<SimpleType name=\"Length\"><Boolean/></SimpleType><SimpleType name=\"Mode\">",
        "type.duplicate",
        "Length",
    ),
    (
        "<SimpleType name=\"Mode\">",
        "<SimpleType name=\"k\"><Boolean/></SimpleType><SimpleType name=\"Mode\">",
        "type.clash",
        "\"k\"",
    ),
    ("value=\"2\"", "value=\"1\"", "type.items", "fast"),
    (
        "declaredType=\"Length\" start=\"1\"",
        "declaredType=\"Width\" start=\"1\"",
        "type.undeclared",
        "Width",
    ),
    (
        "declaredType=\"Length\" start=\"1\"",
        "declaredType=\"Mode\" start=\"1\"",
        "type.mismatch",
        "Enumeration",
    ),
    ("name=\"rate\"", "name=\"\"", "name.empty", ""),
    ("name=\"rate\"", "name=\"k\"", "name.duplicate", "k"),
    (
        "name=\"rate\"",
        "name=\"the rate\"",
        "name.syntax",
        "the rate",
    ),
    ("name=\"rate\"", "name=\"ra&#10;te\"", "name.control", ""),
    (
        "name=\"part[1].x\" valueReference=\"2\"><Real declaredType=\"Length\"/>",
        "name=\"part[1].x\" valueReference=\"2\"><Real unit=\"m/s\"/>",
        "alias.unit",
        "part[1].x",
    ),
    (
        "<ScalarVariable name=\"part[1].x\"",
        "<ScalarVariable name=\"z\" valueReference=\"4\" causality=\"input\"><Real declaredType=\"Length\" start=\"1\"/></ScalarVariable><ScalarVariable name=\"part[1].x\"",
        "alias.settable",
        "z",
    ),
    (
        "name=\"c\" valueReference=\"5\" variability=\"constant\"><Real start=\"3\"/>",
        "name=\"c\" valueReference=\"4\" variability=\"constant\"><Real declaredType=\"Length\" start=\"3\"/>",
        "alias.constant",
        "c",
    ),
    (
        "name=\"c\" valueReference=\"5\" variability=\"constant\"><Real start=\"3\"/></ScalarVariable>",
        "name=\"c\" valueReference=\"5\" variability=\"constant\"><Real start=\"3\"/></ScalarVariable><ScalarVariable name=\"d\" valueReference=\"5\" variability=\"constant\"><Real start=\"4\"/></ScalarVariable>",
        "alias.start",
        "a different constant",
    ),
    (
        "name=\"part[1].x\" valueReference=\"2\"><Real declaredType=\"Length\"/>",
        "name=\"part[1].x\" valueReference=\"4\" initial=\"exact\"><Real declaredType=\"Length\" start=\"1\"/>",
        "alias.start",
        "part[1].x",
    ),
    (
        "causality=\"output\" variability=\"discrete\"",
        "causality=\"output\" variability=\"continuous\"",
        "variability.continuous",
        "n",
    ),
    (
        "causality=\"output\" variability=\"discrete\"",
        "causality=\"output\"",
        "variability.default",
        "n",
    ),
    (
        "variability=\"tunable\"",
        "variability=\"discrete\"",
        "variability.causality",
        "parameter",
    ),
    (
        "causality=\"input\"",
        "causality=\"input\" initial=\"exact\"",
        "initial.forbidden",
        "u",
    ),
    (
        "variability=\"tunable\"",
        "variability=\"tunable\" initial=\"calculated\"",
        "initial.combination",
        "k",
    ),
    (
        "<Real unit=\"m/s\" start=\"0.5\"/>",
        "<Real unit=\"m/s\"/>",
        "start.missing",
        "an input",
    ),
    (
        "<Boolean start=\"true\"/>",
        "<Boolean/>",
        "start.missing",
        "on",
    ),
    (
        "<Real unit=\"m/s\"/>",
        "<Real unit=\"m/s\" start=\"1\"/>",
        "start.forbidden",
        "rate",
    ),
    (
        "max=\"10\" nominal=\"2\" start=\"2\"",
        "max=\"10\" nominal=\"2\" start=\"12\"",
        "start.outside",
        "above the maximum 10",
    ),
    (
        "max=\"10\" nominal=\"2\" start=\"2\"",
        "max=\"10\" nominal=\"2\" start=\"-1\"",
        "start.outside",
        "below the minimum 0",
    ),
    (
        "declaredType=\"Mode\" start=\"1\"",
        "declaredType=\"Mode\" start=\"7\"",
        "start.item",
        "7",
    ),
    ("start=\"0.5\"", "start=\"NaN\"", "start.not_finite", "NaN"),
    (
        "min=\"-100\" max=\"100\"",
        "min=\"100\" max=\"-100\"",
        "range.empty",
        "x",
    ),
    ("nominal=\"2\"", "nominal=\"0\"", "range.nominal", "k"),
    ("nominal=\"2\"", "nominal=\"-2\"", "range.nominal", "k"),
    (
        "<Real unit=\"m/s\"/>",
        "<Real unit=\"m/s\" derivative=\"99\"/>",
        "derivative.index",
        "99",
    ),
    (
        "<Unknown index=\"4\"/>",
        "<Unknown index=\"4\"/><Unknown index=\"44\"/>",
        "structure.index",
        "44",
    ),
    (
        "<Unknown index=\"4\"/>",
        "<Unknown index=\"4\" dependencies=\"0\"/>",
        "structure.index",
        "0",
    ),
    (
        "<Unknown index=\"4\"/>",
        "<Unknown index=\"4\"/><Unknown index=\"4\"/>",
        "structure.repeated",
        "4",
    ),
    (
        "<Unknown index=\"3\" dependencies=\"\"/>",
        "",
        "structure.outputs",
        "not in Outputs",
    ),
    (
        "<Unknown index=\"3\" dependencies=\"\"/>",
        "<Unknown index=\"1\"/><Unknown index=\"3\"/>",
        "structure.outputs",
        "is not an output",
    ),
    (
        "</Outputs>",
        "</Outputs><Derivatives><Unknown index=\"4\"/></Derivatives>",
        "structure.derivatives",
        "rate",
    ),
    (
        "<Unknown index=\"4\"/>",
        "",
        "structure.initial_missing",
        "rate",
    ),
    (
        "<Unknown index=\"4\"/>",
        "<Unknown index=\"2\"/><Unknown index=\"4\"/>",
        "structure.initial_extra",
        "u",
    ),
    (
        "dependenciesKind=\"tunable constant\"",
        "dependenciesKind=\"tunable\"",
        "structure.kinds",
        "1 kinds for 2",
    ),
    (
        "dependencies=\"1 2\"",
        "dependencies=\"1 3\"",
        "structure.dependency",
        "\"x\"",
    ),
    (
        "dependencies=\"1 2\"",
        "dependencies=\"2 1\"",
        "structure.dependency_order",
        "",
    ),
];

#[test]
fn the_specimen_itself_is_without_fault() {
    let verdict = check(&Fmu::new(XML).zipped(), &["--no-run"], None);
    verdict.assert_only("the specimen", "library.not_run", "");
    assert_eq!(verdict.json["verdict"], "good");
    assert_eq!(verdict.json["was_run"], false);
}

#[test]
fn every_fault_of_a_model_description_is_found_by_its_name() {
    println!("{} faults", FAULTS.len());
    let complaints = FAULTS.iter().filter_map(|(from, to, rule, words)| {
        let xml = changed(&[(from, to)]);
        let verdict = check(&Fmu::new(&xml).zipped(), &["--no-run"], None);
        verdict.complaint(&format!("{from} -> {to}"), rule, words, true)
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn findings_tell_file_line_and_variable() {
    let xml = changed(&[("start=\"2\"", "start=\"12\"")]);
    let line = xml
        .lines()
        .position(|l| l.contains("start=\"12\""))
        .unwrap()
        + 1;
    let verdict = check(&Fmu::new(&xml).zipped(), &["--no-run"], None);
    let finding = &verdict.json["findings"][0];
    assert_eq!(finding["file"], "modelDescription.xml");
    assert_eq!(finding["line"], line);
    assert_eq!(finding["variable"], "k");
    assert_eq!(finding["severity"], "error");
}

#[test]
fn what_an_fmu_is_for_is_reported() {
    let flags = "canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"1\" ";
    let exchange = changed(&[("<CoSimulation", "<ModelExchange"), (flags, "")]);
    let verdict = check(&Fmu::new(&exchange).zipped(), &[], None);
    verdict.assert_only("model exchange", "model.exchange_only", "cannot be run");
    assert_eq!(verdict.json["was_run"], false);

    let start = XML.find("  <CoSimulation").unwrap();
    let end = XML.find("  <UnitDefinitions>").unwrap();
    let neither = format!("{}{}", &XML[..start], &XML[end..]);
    let verdict = check(&Fmu::new(&neither).zipped(), &[], None);
    verdict.assert_only("neither", "model.kind", "");

    let twice = format!("{}{}", &XML[..end], &XML[start..]);
    let verdict = check(&Fmu::new(&twice).zipped(), &["--no-run"], None);
    verdict.assert_only("twice", "xml.repeated", "");
}

#[test]
fn bad_value_references_make_no_aliases() {
    let xml = changed(&[
        (
            "name=\"x\" valueReference=\"2\"",
            "name=\"x\" valueReference=\"-1\"",
        ),
        (
            "name=\"rate\" valueReference=\"3\"",
            "name=\"rate\" valueReference=\"4294967296\"",
        ),
        ("      <Unknown index=\"4\"/>\n", ""),
    ]);
    let verdict = check(&Fmu::new(&xml).zipped(), &["--no-run"], None);
    verdict.assert_has("unlisted", "structure.initial_missing", "rate");
    let rules: Vec<String> = verdict.findings().into_iter().map(|f| f.1).collect();
    assert!(
        !rules.iter().any(|rule| rule.starts_with("alias")),
        "{rules:?}"
    );
}

#[test]
fn elements_have_an_order() {
    let start = XML.find("  <DefaultExperiment").unwrap();
    let end = XML.find("  <ModelVariables>").unwrap();
    let experiment = &XML[start..end];
    let without = XML.replace(experiment, "");
    let xml = without.replace(
        "  <UnitDefinitions>",
        &format!("{experiment}  <UnitDefinitions>"),
    );
    let verdict = check(&Fmu::new(&xml).zipped(), &["--no-run"], None);
    verdict.assert_only("order", "xml.order", "UnitDefinitions");
}

#[test]
fn there_is_one_independent_variable_and_it_is_a_continuous_real() {
    let time = |name: &str, more: &str, inside: &str| {
        format!("<ScalarVariable name=\"{name}\" valueReference=\"7{name}\" causality=\"independent\"{more}>{inside}</ScalarVariable></ModelVariables>")
            .replace("7t", "70")
            .replace("7s", "71")
    };
    let with = |variables: &[String]| {
        let mut xml = XML.to_owned();
        for variable in variables {
            xml = xml.replace("</ModelVariables>", variable);
        }
        check(&Fmu::new(&xml).zipped(), &["--no-run"], None)
    };
    let good = time("t", "", "<Real/>");
    with(std::slice::from_ref(&good)).assert_only("one", "library.not_run", "");
    with(&[good.clone(), time("s", "", "<Real/>")]).assert_only("two", "independent.twice", "s");
    let whole = time("t", " variability=\"continuous\"", "<Integer/>");
    with(&[whole]).assert_has("whole", "independent.type", "Integer");
    let started = time("t", "", "<Real start=\"0\"/>");
    with(&[started]).assert_only("start", "start.forbidden", "independent");
}

#[test]
fn identifiers_are_those_of_c() {
    for name in ["1x", "a-b", "", "\u{fc}"] {
        let xml = changed(&[(
            "modelIdentifier=\"specimen\"",
            &format!("modelIdentifier=\"{name}\""),
        )]);
        let verdict = check(&Fmu::new(&xml).zipped(), &["--no-run"], None);
        verdict.assert_has(name, "model.identifier", "");
    }
}

#[test]
fn bytes_that_are_not_text_are_reported() {
    let mut fmu = Fmu::new(XML);
    fmu.files[0].1[60] = 0xff;
    let verdict = check(&fmu.zipped(), &["--no-run"], None);
    verdict.assert_only("0xff", "xml.encoding", "byte 60");
}
