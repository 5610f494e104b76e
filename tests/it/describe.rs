//! Claims about model descriptions and FMUs: their rules, and that the same scene gives the same bytes.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use crate::common::command::{put_tool, run_tool, scratch, stderr, stdout};
use crate::common::libraries::{current_library, fake_library};
use crate::common::{root, scene_names, scene_text};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use stiction::Model;
use stiction::fmu::instance::variable::{Causality, Variable};
use stiction::fmu::instance::variables::table;
use stiction::scene::{Scene, packed, parse};
use stiction::tool::describe::drawing::{HEIGHT, WIDTH};
use stiction::tool::describe::fmi2::{listed, model_description};
use stiction::tool::describe::{
    LIBRARY, Library, PackageError, Platform, build_fmu, build_fmu_with, documentation, type_name,
};

/// All kinds of shapes, joints and forces; inputs, stops, and text that XML must escape.
const EVERYTHING: &str = r#"
name = "all <kinds>"
description = "Crates & \"levers\", ü"
until = 5
body = [
  { name = "crate", kind = "rigid", mass = 2, position = [0, 0.1], shape = [{ kind = "box", size = [0.4, 0.2] }] },
  { name = "lever", kind = "rigid", mass = 1, inertia = 0.1, position = [2, 1], angle = 0.5, angular_velocity = -1, shape = [
    { kind = "capsule", from = [-0.5, 0], to = [0.5, 0], radius = 0.02 },
    { name = "foot", kind = "polygon", vertices = [[0.45, -0.1], [0.55, -0.1], [0.5, 0]] },
  ] },
  { name = "weight", kind = "point", mass = 0.5, position = [4, 1], shape = [{ kind = "circle", radius = 0.05 }] },
  { name = "carriage", kind = "rigid", mass = 1, inertia = 1, position = [6, 1] },
  { name = "trailer", kind = "rigid", mass = 1, inertia = 1, position = [7, 1] },
]
ground.shape = [
  { name = "table", kind = "half_plane", normal = [0, 1] },
  { kind = "polygon", vertices = [[1, 0], [1.3, 0], [1.1, 0.3]] },
]
joint = [
  { name = "pivot", kind = "revolute", bodies = ["ground", "lever"], at = [2, 1], limits = [-1, 1] },
  { name = "rod", kind = "distance", bodies = ["ground", "weight"], anchors = [[4, 2], [0, 0]] },
  { name = "rail", kind = "prismatic", bodies = ["ground", "carriage"], at = [6, 1], axis = [1, 0], limits = [-inf, 0.5] },
  { name = "weld", kind = "fixed", bodies = ["carriage", "trailer"], at = [6.5, 1] },
]
force = [
  { name = "push", kind = "applied", body = "crate", force = [{ kind = "input", start = 2 }, { kind = "input" }], torque = { kind = "input" } },
  { name = "pull", kind = "applied", body = "carriage", frame = "body", force = [{ kind = "table", times = [0, 1], values = [0, -1] }, { kind = "harmonic", amplitude = 1, omega = 2 }] },
  { name = "strut", kind = "spring_damper", bodies = ["lever", "weight"], anchors = [[0.5, 0], [0, 0]], stiffness = 100, damping = 2 },
  { name = "return_spring", kind = "torsional", joint = "pivot", stiffness = 5 },
  { name = "air", kind = "viscous", bodies = ["weight"], linear = 0.1 },
  { name = "seal", kind = "stribeck", joint = "rail", static_friction = 1.5, kinetic_friction = 1, stribeck_rate = 0.1, transition_rate = 1e-3 },
]
contact_default = { friction = 0.2, restitution = 0.5 }
"#;

/// Scenes in space that do not ship.
const STACK: &str = include_str!("../data/space/stack.toml");
const WORKSHOP: &str = include_str!("../data/space/workshop.toml");

/// Name and text of every shipped scene.
fn shipped() -> Vec<(String, String)> {
    let with_text = |name: String| (name.clone(), scene_text(&name));
    scene_names().into_iter().map(with_text).collect()
}

/// The shipped scenes, one with everything, and two more in space.
fn all() -> Vec<(String, String)> {
    let mut scenes = shipped();
    scenes.push(("everything".to_owned(), EVERYTHING.to_owned()));
    scenes.push(("stack".to_owned(), STACK.to_owned()));
    scenes.push(("workshop".to_owned(), WORKSHOP.to_owned()));
    scenes
}

fn models() -> Vec<(Model, Scene)> {
    let scenes = all().into_iter();
    scenes.map(|(name, text)| both(&name, &text)).collect()
}

/// Model and scene spec.
fn both(file: &str, text: &str) -> (Model, Scene) {
    let scene = parse(file, text).unwrap();
    (Model::from_text(file, text).unwrap(), scene)
}

/// An element of a document: path of names, attributes.
struct Found {
    path: String,
    attributes: Vec<(String, String)>,
}

impl Found {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(name).map(|text| text.parse().unwrap())
    }
}

fn read(xml: &str) -> Vec<Found> {
    let mut reader = Reader::from_str(xml);
    let mut path = Vec::new();
    let mut found = Vec::new();
    let mut add = |path: &[String], start: &BytesStart| {
        let attribute = |a: quick_xml::events::attributes::Attribute| {
            let key = String::from_utf8(a.key.as_ref().to_vec()).unwrap();
            (key, a.unescape_value().unwrap().into_owned())
        };
        found.push(Found {
            path: path.join("/"),
            attributes: start.attributes().map(|a| attribute(a.unwrap())).collect(),
        });
    };
    loop {
        let name = |start: &BytesStart| String::from_utf8(start.name().as_ref().to_vec()).unwrap();
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                path.push(name(&start));
                add(&path, &start);
            }
            Event::Empty(start) => {
                path.push(name(&start));
                add(&path, &start);
                path.pop();
            }
            Event::End(_) => {
                path.pop();
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn at<'a>(found: &'a [Found], path: &'a str) -> impl Iterator<Item = &'a Found> {
    let path = format!("fmiModelDescription/{path}");
    found.iter().filter(move |element| element.path == path)
}

/// The descriptions of scenes with more bodies are not checked in: they are megabytes of the same.
const MOST_BODIES: usize = 20;

#[test]
fn model_descriptions_of_the_shipped_scenes_are_those_that_are_checked_in() {
    let folder = root().join("modelDescription");
    let mut expected = BTreeSet::new();
    for (name, text) in shipped() {
        let (model, scene) = both(&name, &text);
        if model.bodies.len() > MOST_BODIES {
            continue;
        }
        let generated = model_description(&model, &scene);
        let file = folder.join(format!("{name}.xml"));
        if env::var_os("STICTION_BLESS").is_some() {
            fs::write(&file, &generated).unwrap();
        }
        let checked_in = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            generated == checked_in,
            "{} is not what is generated: if the change is meant, `STICTION_BLESS=1 cargo test --test it describe` writes it anew",
            file.display()
        );
        expected.insert(file);
    }
    let files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let files: BTreeSet<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|e| e == "xml"))
        .collect();
    assert_eq!(files, expected);
}

#[test]
fn elements_come_in_the_order_of_the_schema_and_no_list_is_empty() {
    for (model, scene) in models() {
        let found = read(&model_description(&model, &scene));
        let sections: Vec<&str> = found
            .iter()
            .filter_map(|element| element.path.strip_prefix("fmiModelDescription/"))
            .filter(|path| !path.contains('/'))
            .collect();
        let order = [
            "CoSimulation",
            "UnitDefinitions",
            "TypeDefinitions",
            "LogCategories",
            "DefaultExperiment",
            "ModelVariables",
            "ModelStructure",
        ];
        assert_eq!(sections, order, "{}", model.name);
        for path in [
            "UnitDefinitions/Unit/BaseUnit",
            "TypeDefinitions/SimpleType",
            "ModelStructure/Outputs/Unknown",
            "ModelStructure/InitialUnknowns/Unknown",
        ] {
            assert!(at(&found, path).next().is_some(), "{}: {path}", model.name);
        }
        let head = &found[0];
        assert_eq!(head.get("modelName"), Some(model.name.as_str()));
        assert_eq!(head.get("description"), Some(model.description.as_str()));
        assert_eq!(head.get("generationDateAndTime"), None);
    }
}

#[test]
fn variables_are_the_rows_of_the_table() {
    for (model, scene) in models() {
        let table = table(&model);
        let found = read(&model_description(&model, &scene));
        let variables: Vec<&Found> = at(&found, "ModelVariables/ScalarVariable").collect();
        assert_eq!(variables.len(), listed(&table).count());
        for (variable, (i, row)) in variables.iter().zip(listed(&table)) {
            assert_eq!(variable.get("name"), Some(row.name.as_str()));
            assert_eq!(variable.number("valueReference"), Some(i as f64));
            let initial = match row.causality {
                Causality::Input => None,
                Causality::Parameter => Some("exact"),
                Causality::Output | Causality::Local => Some("calculated"),
            };
            assert_eq!(variable.get("initial"), initial, "{}", row.name);
        }
    }
}

/// The one element inside each variable.
fn kinds(found: &[Found]) -> Vec<&Found> {
    let inside = "fmiModelDescription/ModelVariables/ScalarVariable/";
    found
        .iter()
        .filter(|element| element.path.starts_with(inside))
        .collect()
}

#[test]
fn start_is_given_where_the_standard_wants_it_and_lies_in_its_range() {
    for (model, scene) in models() {
        let table = table(&model);
        let found = read(&model_description(&model, &scene));
        for (kind, (_, row)) in kinds(&found).into_iter().zip(listed(&table)) {
            let wanted = matches!(row.causality, Causality::Input | Causality::Parameter);
            assert_eq!(kind.get("start").is_some(), wanted, "{}", row.name);
            if kind.path.ends_with("/Boolean") {
                continue;
            }
            if let Some(start) = kind.number("start") {
                let low = kind.number("min").unwrap_or(f64::NEG_INFINITY);
                let high = kind.number("max").unwrap_or(f64::INFINITY);
                assert!((low..=high).contains(&start), "{}: {start}", row.name);
            }
            if kind.path.ends_with("/Enumeration") && wanted {
                let items = items(&found, kind.get("declaredType").unwrap());
                let start = kind.get("start").unwrap();
                assert!(items.contains(&start.to_owned()), "{}", row.name);
            }
        }
    }
}

/// Values of an enumeration: its items follow its type.
fn items(found: &[Found], name: &str) -> Vec<String> {
    let types = "fmiModelDescription/TypeDefinitions/SimpleType";
    let start = found
        .iter()
        .position(|e| e.path == types && e.get("name") == Some(name))
        .unwrap();
    found[start + 1..]
        .iter()
        .take_while(|e| e.path != types)
        .filter_map(|e| e.get("value").map(str::to_owned))
        .collect()
}

#[test]
fn every_unit_and_type_that_is_used_is_defined_and_no_other() {
    for (model, scene) in models() {
        let found = read(&model_description(&model, &scene));
        let names = |path: &str| -> BTreeSet<String> {
            let names = at(&found, path).map(|e| e.get("name").unwrap().to_owned());
            names.collect()
        };
        let used = |attribute: &str| -> BTreeSet<String> {
            let kinds = kinds(&found).into_iter();
            kinds
                .filter_map(|e| e.get(attribute).map(str::to_owned))
                .collect()
        };
        assert_eq!(names("UnitDefinitions/Unit"), used("unit"));
        assert_eq!(names("TypeDefinitions/SimpleType"), used("declaredType"));
        let shown = names("UnitDefinitions/Unit/DisplayUnit");
        assert_eq!(shown, used("displayUnit"));
        // a type must not go by the name of a variable
        let variables = names("ModelVariables/ScalarVariable");
        assert!(variables.is_disjoint(&names("TypeDefinitions/SimpleType")));
    }
}

#[test]
fn model_structure_lists_every_output_twice_with_its_dependencies() {
    let mut n_dependent = 0;
    for (model, scene) in models() {
        let table = table(&model);
        let found = read(&model_description(&model, &scene));
        let numbered = |causality| {
            let rows = (1..).zip(listed(&table).map(|(_, row)| row));
            rows.filter(move |(_, row): &(usize, &Variable)| row.causality == causality)
        };
        let outputs: Vec<f64> = numbered(Causality::Output).map(|(i, _)| i as f64).collect();
        for list in ["Outputs", "InitialUnknowns"] {
            let path = format!("ModelStructure/{list}/Unknown");
            let listed: Vec<f64> = at(&found, &path)
                .map(|e| e.number("index").unwrap())
                .collect();
            assert_eq!(listed, outputs, "{}: {list}", model.name);
        }
        let inputs: Vec<String> = numbered(Causality::Input)
            .map(|(i, _)| i.to_string())
            .collect();
        let unknowns = at(&found, "ModelStructure/Outputs/Unknown");
        for (unknown, (_, row)) in unknowns.zip(numbered(Causality::Output)) {
            let expected = if row.depends_on_inputs() {
                n_dependent += inputs.len();
                inputs.join(" ")
            } else {
                String::new()
            };
            assert_eq!(unknown.get("dependencies"), Some(expected.as_str()));
        }
    }
    assert!(n_dependent > 0, "no scene has inputs");
}

/// `identifier = B-name [ arrayIndices ] { "." B-name [ arrayIndices ] }` of FMI 2.0, 2.2.9, without quoted names.
fn is_structured(name: &str) -> bool {
    name.split('.').all(|part| {
        let (word, indices) = part.split_once('[').unwrap_or((part, "1]"));
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        word.starts_with(is_letter)
            && word.chars().all(|c| is_letter(c) || c.is_ascii_digit())
            && indices
                .strip_suffix(']')
                .is_some_and(|list| list.split(',').all(is_number))
    })
}

#[test]
fn names_are_structured_and_unique() {
    for bad in ["", "1a", "a-b", "a..b", "a[", "a[x]", "a b", "a[1]b"] {
        assert!(!is_structured(bad), "{bad}");
    }
    for (model, _) in models() {
        let mut seen = BTreeSet::new();
        for variable in table(&model) {
            assert!(is_structured(&variable.name), "{}", variable.name);
            let name = variable.name.clone();
            assert!(seen.insert(variable.name), "{}: {name}", model.name);
        }
    }
}

fn library(platform: Platform) -> Library {
    Library::new(platform, fake_library(platform))
}

/// Names in the order of the archive.
fn listing(fmu: &[u8]) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(fmu)).unwrap();
    let n = archive.len();
    let mut entry = |i| archive.by_index(i).unwrap().name().to_owned();
    (0..n).map(&mut entry).collect()
}

fn entry(fmu: &[u8], name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(fmu)).unwrap();
    let mut bytes = Vec::new();
    let mut file = archive.by_name(name).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn an_fmu_has_its_files_in_their_places() {
    let libraries = [Platform::Win64, Platform::Linux64].map(library);
    let fmu = build_fmu("everything", EVERYTHING, &libraries).unwrap();
    let expected = [
        "modelDescription.xml",
        "resources/scene.bin",
        "resources/scene.toml",
        "binaries/linux64/stiction.so",
        "binaries/win64/stiction.dll",
        "documentation/index.html",
        "documentation/licenses/license.txt",
        "model.png",
    ];
    assert_eq!(listing(&fmu), expected);
    assert_eq!(LIBRARY, "stiction");
    assert_eq!(entry(&fmu, "resources/scene.toml"), EVERYTHING.as_bytes());
    let (model, scene) = both("everything", EVERYTHING);
    assert_eq!(entry(&fmu, "resources/scene.bin"), packed::pack(&scene));
    let xml = entry(&fmu, "modelDescription.xml");
    assert_eq!(xml, model_description(&model, &scene).as_bytes());
    let binary = entry(&fmu, "binaries/linux64/stiction.so");
    assert_eq!(binary, fake_library(Platform::Linux64));
}

#[test]
fn an_fmu_has_the_licences_of_what_its_library_is_made_of() {
    let fmu = build_fmu("everything", EVERYTHING, &[library(Platform::Linux64)]).unwrap();
    let text = String::from_utf8(entry(&fmu, "documentation/licenses/license.txt")).unwrap();
    let manifest = include_str!("../../Cargo.toml");
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
    let (dependencies, _) = dependencies.split_once("\n\n").unwrap();
    let mut n = 0;
    for line in dependencies.lines() {
        let name = line.split(' ').next().unwrap();
        let is_listed = text
            .lines()
            .any(|line| line.starts_with(&format!("{name} ")));
        // what only the tool needs is not in the library
        assert_eq!(is_listed, !line.contains("optional = true"), "{name}");
        n += 1;
    }
    assert!(n > 10, "{n}");
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    for (name, text) in all() {
        let build = || build_fmu(&name, &text, &[library(Platform::Linux64)]).unwrap();
        assert!(build() == build(), "{name}");
    }
    let [a, b] = [Platform::Linux64, Platform::Win64].map(library);
    let forward = build_fmu("a", EVERYTHING, &[a.clone(), b.clone()]).unwrap();
    let backward = build_fmu("a", EVERYTHING, &[b, a]).unwrap();
    assert!(forward == backward);
}

#[test]
fn the_picture_is_a_png_and_the_page_carries_it_and_every_variable() {
    for (name, text) in all() {
        let fmu = build_fmu(&name, &text, &[library(Platform::Linux64)]).unwrap();
        let png = entry(&fmu, "model.png");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((size(16), size(20)), (WIDTH, HEIGHT));
        let page = String::from_utf8(entry(&fmu, "documentation/index.html")).unwrap();
        assert!(page.contains("src=\"data:image/png;base64,iVBORw0KGgo"));
        assert!(!page.contains("http"), "the page loads nothing");
        let model = Model::from_text(&name, &text).unwrap();
        for (_, variable) in listed(&table(&model)) {
            let cell = format!("<td><code>{}</code></td>", variable.name);
            assert!(page.contains(&cell), "{name}: {}", variable.name);
        }
    }
}

#[test]
fn a_scene_by_tolerance_says_so() {
    let by_tolerance = format!("{EVERYTHING}settings = {{ tolerance = 1e-7, max_step = 0.25 }}\n");
    for (text, tolerance) in [(EVERYTHING, None), (by_tolerance.as_str(), Some(1e-7))] {
        let (model, scene) = both("scene", text);
        let found = read(&model_description(&model, &scene));
        let experiment = at(&found, "DefaultExperiment").next().unwrap();
        assert_eq!(experiment.number("tolerance"), tolerance);
        let start = |name: &str| {
            let place = found
                .iter()
                .position(|element| element.get("name") == Some(name))
                .unwrap();
            let real = &found[place + 1];
            let numbers = ["start", "min", "max"].map(|key| real.number(key));
            assert!(real.path.ends_with("ScalarVariable/Real"));
            numbers
        };
        let value = Some(tolerance.unwrap_or(0.0));
        assert_eq!(start("settings.tolerance"), [value, Some(0.0), Some(0.1)]);
        let longest = if tolerance.is_some() { 0.25 } else { 1.0 };
        assert_eq!(start("settings.max_step")[0], Some(longest));
        let fmu = build_fmu("scene", text, &[library(Platform::Linux64)]).unwrap();
        let page = String::from_utf8(entry(&fmu, "documentation/index.html")).unwrap();
        assert_eq!(page.contains("below 1e-7"), tolerance.is_some());
        assert_eq!(
            page.contains("Each step is one linear complementarity problem"),
            tolerance.is_none()
        );
    }
}

#[test]
fn a_scene_with_errors_and_wrong_libraries_are_refused() {
    let good = library(Platform::Linux64);
    let build = |text: &str, libraries: &[Library]| build_fmu("x", text, libraries).unwrap_err();
    assert!(matches!(
        build("until = -1", std::slice::from_ref(&good)),
        PackageError::Scene(_)
    ));
    assert!(matches!(build(EVERYTHING, &[]), PackageError::NoLibrary));
    assert!(matches!(
        build(EVERYTHING, &[good.clone(), good.clone()]),
        PackageError::Twice(Platform::Linux64)
    ));
    let mut other = good.clone();
    other.bytes.truncate(256);
    let error = build(EVERYTHING, &[other]);
    assert!(matches!(error, PackageError::Other(Platform::Linux64)));
    assert!(error.to_string().contains("fmi2DoStep"), "{error}");
    let foreign = Library::new(Platform::Win64, good.bytes);
    assert!(matches!(
        build(EVERYTHING, &[foreign]),
        PackageError::Foreign(Platform::Win64)
    ));
}

#[test]
fn build_writes_an_fmu_and_twice_the_same() {
    let folder = scratch("describe/build");
    fs::write(folder.join("lib.so"), fake_library(Platform::Linux64)).unwrap();
    fs::write(folder.join("lib.dll"), fake_library(Platform::Win64)).unwrap();
    let libraries = ["--library", "lib.so", "--library", "win64=lib.dll"];
    let build = |more: &[&str]| {
        let arguments = [&["build", "two_carts"], &libraries[..], more].concat();
        let output = run_tool(&folder, &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        output
    };
    let told = build(&[]);
    assert!(stdout(&told).starts_with("two_carts.fmu: "), "{told:?}");
    assert!(stdout(&told).contains("linux64 win64"), "{told:?}");
    build(&["-o", "second.fmu"]);
    let first = fs::read(folder.join("two_carts.fmu")).unwrap();
    assert!(first == fs::read(folder.join("second.fmu")).unwrap());
    assert!(first == build(&["-o", "-"]).stdout);
    assert_eq!(listing(&first).len(), 8);
}

#[test]
fn build_takes_the_library_beside_the_program() {
    let Some(platform) = Platform::current() else {
        return;
    };
    let folder = scratch("describe/beside");
    let program = put_tool(&folder);
    let build = || {
        let mut command = Command::new(&program);
        let command = command.current_dir(&folder);
        command.args(["build", "incline"]).output().unwrap()
    };
    let output = build();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("looked for") && stderr(&output).contains("cargo build --release"),
        "{output:?}"
    );
    fs::write(
        folder.join(platform.built_name()),
        current_library(platform),
    )
    .unwrap();
    let output = build();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(folder.join("incline.fmu").is_file());
}

#[test]
fn build_says_what_is_wrong_with_a_library() {
    let folder = scratch("describe/wrong");
    fs::write(folder.join("lib.so"), fake_library(Platform::Linux64)).unwrap();
    fs::write(folder.join("text"), "no library").unwrap();
    fs::write(folder.join("scene.toml"), EVERYTHING).unwrap();
    for (arguments, word) in [
        (
            vec!["--library", "win64=lib.so"],
            "header is one for linux64",
        ),
        (vec!["--library", "vax=lib.so"], "the platforms are linux64"),
        (vec!["--library", "text"], "not a shared library"),
        (vec!["--library", "none.so"], "cannot be read"),
        (
            vec!["--library", "lib.so", "--library", "lib.so"],
            "two libraries for linux64",
        ),
        (
            vec!["--library", "lib.so", "-o", "scene.toml"],
            "would be overwritten",
        ),
    ] {
        let all = [&["build", "scene.toml"], &arguments[..]].concat();
        let output = run_tool(&folder, &all);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}

#[test]
fn describe_prints_every_variable_or_the_model_description() {
    let folder = scratch("describe/print");
    fs::write(folder.join("scene.toml"), EVERYTHING).unwrap();
    let (model, scene) = both("scene.toml", EVERYTHING);
    let output = run_tool(&folder, &["describe", "scene.toml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    let table = table(&model);
    assert_eq!(lines.len(), listed(&table).count() + 1);
    for (line, (_, variable)) in lines[1..].iter().zip(listed(&table)) {
        let name = line.split_whitespace().nth(1);
        assert_eq!(name, Some(variable.name.as_str()));
    }
    let output = run_tool(&folder, &["describe", "scene.toml", "--xml"]);
    assert_eq!(stdout(&output), model_description(&model, &scene));
}

#[test]
fn pairs_of_many_contacts_are_described_as_wholes() {
    let model = Model::from_text("stack", STACK).unwrap();
    let names: BTreeSet<String> = table(&model).into_iter().map(|v| v.name).collect();
    let has = |name: &str| names.contains(name);
    // a box on a plane has its eight corners, two boxes 160 places
    assert!(
        has("contact.low.on.ground[8].friction_force.z")
            && has("contact.low.on.ground[1].normal.x")
    );
    assert!(!names.iter().any(|n| n.starts_with("contact.middle.on.low")));
    for pair in ["low.on.ground", "middle.on.low", "roller.on.ground"] {
        for quantity in [
            "gap",
            "normal_force",
            "force.x",
            "torque.z",
            "n_closed",
            "friction",
        ] {
            assert!(has(&format!("pair.{pair}.{quantity}")), "{pair} {quantity}");
        }
    }
    assert!(has("low.orientation.w") && has("low.euler.yaw") && has("low.angular_velocity_body.x"));
    assert!(
        has("low.principal_inertia[3]") && has("low.initial.orientation.w") && has("gravity.z")
    );
}

#[test]
fn joints_and_motors_in_space_have_their_units() {
    let model = Model::from_text("workshop", WORKSHOP).unwrap();
    let table = table(&model);
    for (name, unit) in [
        ("axle.motor.speed", "rad/s"),
        ("axle.motor.effort", "N.m"),
        ("shoulder.motor.torque", "N.m"),
        ("axle.coordinate.angle", "rad"),
        ("axle.rate.angle", "rad/s"),
        ("axle.reaction.x", "N"),
        ("axle.reaction.turn_x", "N.m"),
        ("rail.coordinate.displacement", "m"),
        ("rail.rate.displacement", "m/s"),
        ("rail.coordinate.angle", "rad"),
        ("rail.reaction.across_x", "N"),
        ("rail.reaction.turn_y", "N.m"),
        ("cord.reaction.length", "N"),
        ("contact.shoulder.lower.gap", "rad"),
        ("contact.rail.upper.normal_force", "N"),
        ("buffer.stiffness", "N/m"),
        ("rub.static_friction", "N.m"),
        ("tether.force", "N"),
        ("push.torque_z", "N.m"),
        ("skew.orientation.w", "1"),
        ("skew.angular_acceleration.x", "rad/s2"),
        ("contact.ball.on.ground.floor.point.x", "m"),
    ] {
        let variable = table.iter().find(|v| v.name == name);
        let variable = variable.unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(type_name(variable), unit, "{name}");
    }
    let page = documentation(&model, WORKSHOP, &[]);
    assert!(page.contains("rate of the angle = input axle.motor.speed rad/s"));
}

#[test]
fn files_of_shapes_go_into_the_fmu() {
    let folder = root().join("tests/data/space/mesh");
    let text = fs::read_to_string(folder.join("scene.toml")).unwrap();
    let files = |name: &str| {
        fs::read(folder.join(name)).map_err(|e| (e.to_string(), "look for it".to_owned()))
    };
    let libraries = [library(Platform::Linux64)];
    let fmu = build_fmu_with("mesh", &text, &files, &libraries).unwrap();
    let part = fs::read(folder.join("parts/wedge.stl")).unwrap();
    assert!(entry(&fmu, "resources/parts/wedge.stl") == part);
    let again = build_fmu_with("mesh", &text, &files, &libraries).unwrap();
    assert!(fmu == again);
    // the shape is part of the identity
    let guid = |fmu: &[u8]| {
        let xml = String::from_utf8(entry(fmu, "modelDescription.xml")).unwrap();
        read(&xml)[0].get("guid").unwrap().to_owned()
    };
    let wider = |name: &str| {
        let bytes = files(name)?;
        let text = String::from_utf8(bytes).unwrap();
        Ok(text.replace("80 ", "81 ").into_bytes())
    };
    let other = build_fmu_with("mesh", &text, &wider, &libraries).unwrap();
    assert_ne!(guid(&fmu), guid(&other));
    assert!(matches!(
        build_fmu("mesh", &text, &libraries),
        Err(PackageError::Scene(_))
    ));
}

#[test]
fn columns_of_the_trajectory_are_outputs_of_the_fmu() {
    let folder = scratch("describe/columns");
    let mut scenes = shipped();
    for (name, text) in [
        ("all", EVERYTHING),
        ("stack", STACK),
        ("workshop", WORKSHOP),
    ] {
        scenes.push((name.to_owned(), text.to_owned()));
    }
    let mut n_columns = 0;
    for (scene, text) in scenes {
        let file = folder.join(format!("{scene}.toml"));
        fs::write(&file, &text).unwrap();
        let model = Model::from_text("scene", &text).unwrap();
        let outputs = table(&model).into_iter();
        let outputs = outputs.filter(|v| v.output().is_some());
        let known: BTreeSet<String> = outputs.map(|v| v.name).collect();
        let file = file.to_str().unwrap();
        let output = run_tool(&folder, &["run", file, "--until", "1e-4", "-o", "-"]);
        let csv = String::from_utf8(output.stdout).unwrap();
        let mut columns = csv.lines().next().unwrap().split(',');
        assert_eq!(columns.next(), Some("time"));
        for column in columns {
            n_columns += 1;
            assert!(known.contains(column), "{scene}: {column}");
        }
    }
    println!("{n_columns} columns");
    assert!(n_columns > 1000);
}
