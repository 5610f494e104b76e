//! Warnings: one where something is wrong, with its size; none where nothing is.

use crate::common::command::run_tool;
use crate::common::{defect_text, model, read, root, scene_names, scene_text};
use serde_json::Value;
use stiction::simulation::Simulation;
use stiction::warning::Kind;

/// Kinds, sizes and messages of a run.
fn warnings(name: &str, options: &[&str]) -> Vec<(String, f64, String)> {
    let path = format!("tests/data/defects/{name}.toml");
    let mut arguments = vec!["run", &path, "--json"];
    arguments.extend(options);
    let output = run_tool(root(), &arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{name}: {errors}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = json["warnings"].as_array().unwrap().iter().map(|warning| {
        let text = |key: &str| warning[key].as_str().unwrap().to_owned();
        let size = warning["size"].as_f64().unwrap_or(f64::NAN);
        (text("kind"), size, text("message"))
    });
    let found: Vec<_> = found.collect();
    println!("{name} {options:?}: {found:#?}");
    // what machines are told, people are told too
    for (_, _, message) in &found {
        let first = message.split("; hint").next().unwrap();
        assert!(errors.contains(first), "{message}\n{errors}");
    }
    found
}

fn sizes_of(found: &[(String, f64, String)], kind: Kind) -> Option<f64> {
    let own = found.iter().find(|(name, ..)| name == kind.name());
    own.map(|(_, size, _)| *size)
}

#[test]
fn nothing_is_lifted_where_corrections_do_no_work() {
    assert!(warnings("stack2_8", &[]).is_empty());
    // its coefficient of friction of 1000 is told before the run
    let found = warnings("s04_fric", &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "scene");
}

#[test]
fn heavy_boxes_on_light_ones_with_bounded_effort_are_reported_with_their_masses() {
    let found = warnings("stack3sw_1e+06", &[]);
    assert_eq!(sizes_of(&found, Kind::HeavyOnLight), Some(1e6));
    // the residual says the same less well
    assert_eq!(sizes_of(&found, Kind::ContactResidual), None);
}

#[test]
fn collisions_that_are_not_located_are_reported_with_the_overlap() {
    let found = warnings("min_plane_304_pen", &[]);
    let size = sizes_of(&found, Kind::UnlocatedCollisions).unwrap();
    assert!((size - 0.5658).abs() < 1e-3);
    assert_eq!(sizes_of(&found, Kind::Overlap), None);
}

#[test]
fn a_step_too_long_for_smoothed_friction_is_reported_with_the_one_that_would_do() {
    let place = |options: &[&str]| {
        let path = "tests/data/defects/s03_stribeck_wrong.toml";
        let mut arguments = vec!["run", path, "-o", "-"];
        arguments.extend(options);
        let output = run_tool(root(), &arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap();
        let x: f64 = last.split(',').nth(1).unwrap().parse().unwrap();
        x
    };
    let found = warnings("s03_stribeck_wrong", &[]);
    let times = sizes_of(&found, Kind::SmoothedFriction).unwrap();
    assert!((times - 100.0).abs() < 1.0, "{times}");
    assert!((place(&[]) - 0.5139).abs() > 0.05);
    // what it asks for is right, and quiet
    let good = ["--step", "1e-4", "--output-step", "20"];
    let found = warnings("s03_stribeck_wrong", &good);
    assert_eq!(sizes_of(&found, Kind::SmoothedFriction), None);
    let error = (place(&good) - 0.5139).abs();
    println!("{error:e} m off");
    assert!(error < 1e-4);
    let by_tolerance = ["--tolerance", "1e-7", "--output-step", "20"];
    assert!(warnings("s03_stribeck_wrong", &by_tolerance).is_empty());
    assert!((place(&by_tolerance) - 0.5139).abs() < 1e-4);
}

#[test]
fn smoothed_friction_that_only_creeps_or_only_slides_is_no_reason_to_warn() {
    let scene = defect_text("s03_stribeck_wrong");
    let run = |text: &str| {
        let mut simulation = Simulation::new(model(text));
        for i in 1..=300 {
            simulation.advance_to(0.01 * f64::from(i)).unwrap();
        }
        let mut kinds = simulation.warnings().map(|w| w.kind);
        kinds.any(|kind| kind == Kind::SmoothedFriction)
    };
    // it holds: 5 N against 10 N
    let creeps = scene.replace("amplitude=12", "amplitude=5");
    assert!(!run(&creeps));
    let slides = scene.replace("position=[0,0]", "position=[0,0]\nvelocity=[100,0]");
    assert!(!run(&slides));
    assert!(run(&scene));
}

#[test]
fn a_concave_mesh_is_refused_with_file_line_key_and_hint() {
    let output = run_tool(root(), &["run", "tests/data/defects/s16_bowl.toml"]);
    let told = String::from_utf8_lossy(&output.stderr);
    println!("{told}");
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("s16_bowl.toml:12:6: ground.shape.file: the mesh is not convex"));
    assert!(told.contains("0.15 of its size"));
    assert!(told.contains("hint: split the part into convex pieces"));
}

#[test]
fn numbers_that_overflow_end_the_run_with_a_sentence() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("overflow.toml");
    let scene = "until = 10\n[[body]]\nname = \"m\"\nkind = \"point\"\nmass = 1\nposition = [1, 0]\n\
        [[force]]\nname = \"spring\"\nkind = \"spring\"\nbodies = [\"ground\", \"m\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = 1e9\nrest_length = 0.5\n\
        [settings]\nscheme = \"explicit_euler\"\n";
    std::fs::write(&file, scene).unwrap();
    let output = run_tool(root(), &["run", file.to_str().unwrap()]);
    let told = String::from_utf8_lossy(&output.stderr);
    println!("{told}");
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("overflowed"));
}

/// Scenes whose steps take long, and where they are cut short, s.
const SHORT: [(&str, f64); 8] = [
    ("box_stack", 0.1),
    ("chain", 0.5),
    ("conveyor", 0.5),
    ("pile_of_balls", 0.5),
    ("pile_of_boxes", 0.5),
    ("pile_of_jacks", 0.5),
    ("rover", 1.0),
    ("gripper", 1.0),
];

#[test]
fn no_shipped_scene_warns() {
    for name in &scene_names() {
        let model = model(&scene_text(name));
        let short = SHORT.iter().find(|(short, _)| short == name);
        let until = short.map_or(model.until, |(_, end)| *end);
        let step = model.settings.step;
        let mut simulation = Simulation::new(model);
        let n = (until / step).round() as u32;
        for i in 1..=n {
            simulation.advance_to(step * f64::from(i)).unwrap();
        }
        let told: Vec<String> = simulation.warnings().map(|w| w.to_string()).collect();
        assert!(told.is_empty(), "{name}: {told:?}");
    }
}

#[test]
fn every_kind_is_documented_with_its_name() {
    let text = read("docs/TROUBLE.md");
    for kind in Kind::ALL {
        let row = format!("| `{}` |", kind.name());
        assert!(text.contains(&row), "docs/TROUBLE.md has no `{row}`");
    }
    let documented = text.lines().filter(|line| line.starts_with("| `"));
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    for line in documented {
        let name = line.split('`').nth(1).unwrap();
        assert!(names.contains(&name), "{name} is no kind of warning");
    }
}

/// A tolerance is a remedy only where there can be one, and a smaller step only where steps are chosen by hand.
#[test]
fn hints_suggest_what_the_integrator_of_the_scene_has() {
    let hint = |settings: &str| {
        let text = format!(
            "dimension = 3\ngravity = [0, 0, 0]\n[settings]\n{settings}\n\
             [[body]]\nname = \"bob\"\nkind = \"point\"\nmass = 1e-3\nposition = [1, 0, 0]\nvelocity = [0, 200, 0]\n\
             [[force]]\nname = \"spring\"\nkind = \"spring_damper\"\nbodies = [\"ground\", \"bob\"]\nanchors = [[0, 0, 0], [0, 0, 0]]\nstiffness = 1e6\ndamping = 0\nrest_length = 0.9\n"
        );
        let mut simulation = stiction::Simulation::from_text("bob", &text).unwrap();
        for i in 1..=40 {
            simulation.advance_to(0.05 * f64::from(i)).unwrap();
        }
        let hints: Vec<String> = simulation.warnings().map(|w| w.hint()).collect();
        println!("{settings}: {hints:?}");
        hints
    };
    let fixed = hint("step = 0.05");
    assert!(fixed.iter().any(|h| h.contains("or a tolerance")));
    let stepping = hint("step = 0.05\nintegrator = \"time_stepping\"");
    assert!(!stepping.is_empty());
    assert!(stepping.iter().all(|h| !h.contains("tolerance")));
}
