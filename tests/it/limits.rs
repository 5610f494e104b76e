//! Work and memory are bounded, and odd input is answered at once with a sentence.

use crate::common::command::{scratch, stiction};
use crate::common::{defect_text, model, scene_text};
use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use stiction::fmu::instance::variable::Value;
use stiction::fmu::instance::{FmiError, Instance};
use stiction::integrate::StepError;
use stiction::warning::Kind;
use stiction::{Model, Simulation};

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A scene whose tolerance wants more work than steps may take.
fn hard() -> String {
    defect_text("p447")
}

#[test]
fn a_run_by_tolerance_that_takes_too_much_work_stops_and_says_where() {
    let folder = scratch("limits/work");
    fs::write(folder.join("hard.toml"), hard()).unwrap();
    let output = stiction(&folder, "run hard.toml -o rows.csv --json");
    assert_eq!(output.status.code(), Some(1));
    let text = told(&output);
    assert!(text.contains("exceeded its work limit"), "{text}");
    assert!(text.contains("max_step_work"), "{text}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let reached = summary["time"].as_f64().unwrap();
    assert!(reached > 0.0 && reached < 1.0, "{reached}");
    let rows = fs::read_to_string(folder.join("rows.csv")).unwrap();
    let last = rows.lines().last().unwrap();
    let time: f64 = last.split(',').next().unwrap().parse().unwrap();
    assert_eq!(time, reached);
}

#[test]
fn more_work_gets_further() {
    let reached = |most: u32| {
        let model = Model::from_text("hard", &hard()).unwrap();
        let mut settings = model.settings.clone();
        settings.max_step_work = most;
        let mut simulation = Simulation::with_settings(model, settings);
        let error = simulation.advance_to(0.01).unwrap_err();
        let StepError::TooMuchWork { time } = error else {
            panic!("{error}");
        };
        assert_eq!(time, simulation.state().time);
        assert!(simulation.report().factorizations < u64::from(most) + 1000);
        time
    };
    assert!(reached(1000) < reached(4000));
}

#[test]
fn fixed_steps_go_on_with_less_and_a_warning() {
    let model = model(&scene_text("two_carts"));
    let mut settings = model.settings.clone();
    settings.max_step_work = 10;
    let mut simulation = Simulation::with_settings(model, settings);
    simulation.advance_to(2.0).unwrap();
    assert_eq!(simulation.state().time, 2.0);
    assert!(simulation.report().exhausted_steps > 0);
    let kinds: Vec<Kind> = simulation.warnings().map(|w| w.kind).collect();
    assert!(kinds.contains(&Kind::ExhaustedSteps), "{kinds:?}");
}

#[test]
fn a_gripper_at_rest_stays_there_in_whole_first_order_steps() {
    let model = model(&scene_text("gripper"));
    let mut settings = model.settings.clone();
    // the force of the motor has a breakpoint at 0.2 s, inside a step: no work is left behind it; it lifts from 0.4 s on
    settings.step = 0.03;
    settings.max_step_work = 1;
    let mut simulation = Simulation::with_settings(model, settings);
    let start = simulation.state().position.clone();
    simulation.advance_to(0.36).unwrap();
    let report = simulation.report();
    let both = simulation.state().position.iter().zip(&start);
    let moved = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "{moved:.1e} m in {} steps, {} of them exhausted, {} halved, {} problems",
        report.steps, report.exhausted_steps, report.halved_steps, report.lcps
    );
    assert!((1..=report.steps).contains(&report.exhausted_steps));
    assert_eq!(report.halved_steps, 0);
    assert!(moved < 1e-12, "{moved:e}");
}

#[test]
fn an_fmu_discards_the_step_and_a_shorter_one_goes_on() {
    let mut instance = Instance::new("hard", "hard", &hard()).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    let start = instance.save();
    let result = instance.do_step(0.0, 0.01);
    let Err(FmiError::Discard { time, reason }) = result else {
        panic!("{result:?}");
    };
    assert!(time > 0.0 && time < 0.01, "{time}");
    assert_eq!(time, instance.last_successful_time());
    assert!(reason.contains("max_step_work"), "{reason}");
    instance.restore(&start).unwrap();
    instance.do_step(0.0, 0.5 * time).unwrap();
}

#[test]
fn times_that_are_too_coarse_for_steps_are_refused_and_those_of_clocks_are_not() {
    let step_from = |start: f64| {
        let mut instance = Instance::new("carts", "carts", &scene_text("two_carts")).unwrap();
        instance.setup_experiment(None, start, None).unwrap();
        instance.enter_initialization().unwrap();
        instance.exit_initialization().unwrap();
        instance.do_step(start, 0.5)
    };
    // seconds since 1970
    assert_eq!(step_from(1.8e9), Ok(()));
    for start in [1e18, -1e18, 1e300] {
        let Err(FmiError::Error(message)) = step_from(start) else {
            panic!("{start:e} was accepted");
        };
        assert!(message.contains("too coarse"), "{message}");
    }
}

#[test]
fn the_bound_is_a_parameter_of_the_fmu() {
    for scene in [
        hard(),
        format!("dimension = 3\n[settings]\nintegrator = \"time_stepping\"\n{BALL}"),
    ] {
        let mut instance = Instance::new("x", "x", &scene).unwrap();
        let table = instance.variables();
        let place = table
            .iter()
            .position(|v| v.name == "settings.max_step_work");
        let place = place.unwrap() as u32;
        assert_eq!(instance.get(place), Ok(Value::Integer(20_000)));
        instance.set(place, Value::Integer(7)).unwrap();
        assert!(instance.set(place, Value::Integer(0)).is_err());
        assert_eq!(instance.get(place), Ok(Value::Integer(7)));
    }
}

const BALL: &str = r#"
    [[body]]
    name = "ball"
    kind = "rigid"
    mass = 1.0
    inertia = [1.0, 1.0, 1.0]
    position = [0.0, 0.0, 2.0]
    shape = [{ kind = "sphere", radius = 1.0 }]
"#;

fn many(n: usize, shape: &str) -> String {
    let body = |i: usize| {
        let x = 3 * i;
        format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = 1.0\ninertia = 1.0\nposition = [{x}.0, 0.0]\nshape = [{shape}]\n"
        )
    };
    (0..n).map(body).collect()
}

#[test]
fn scenes_that_need_too_much_memory_are_refused_at_once() {
    let folder = scratch("limits/memory");
    let scene = many(3000, "{ kind = \"box\", size = [1.0, 1.0] }");
    fs::write(folder.join("many.toml"), scene).unwrap();
    for command in ["run many.toml", "build many.toml"] {
        let clock = Instant::now();
        let output = stiction(&folder, command);
        assert!(clock.elapsed() < Duration::from_secs(20), "{command}");
        assert_eq!(output.status.code(), Some(2), "{command}");
        let text = told(&output);
        assert!(text.contains("of memory, but the limit is 4 GB"), "{text}");
        assert!(text.contains("hint: use fewer bodies"), "{text}");
    }
    let nearby = Model::from_text("nb200", &defect_text("nb200")).unwrap();
    assert!(nearby.bytes() < 1_000_000_000, "{}", nearby.bytes());
}

#[test]
fn a_long_name_is_described() {
    let folder = scratch("limits/name");
    let name = "n".repeat(65_500);
    let scene = format!("[[body]]\nname = \"{name}\"\nkind = \"point\"\nmass = 1.0\n");
    fs::write(folder.join("long.toml"), scene).unwrap();
    for command in ["describe", "run --until 0.1"] {
        let output = stiction(&folder, &format!("{command} long.toml"));
        let code = output.status.code();
        assert!(code == Some(0) || code == Some(2), "{command}: {code:?}");
        assert!(!told(&output).contains("panicked"));
    }
}

#[test]
fn numbers_beyond_all_reason_are_refused_and_drawings_end() {
    let folder = scratch("limits/far");
    fs::write(folder.join("far.toml"), defect_text("huge_pos")).unwrap();
    for command in ["run far.toml", "build far.toml"] {
        let output = stiction(&folder, command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(told(&output).contains("must be finite (-1e60 to 1e60), but is"));
    }
    let near = defect_text("huge_pos").replace("1e308", "1e59");
    fs::write(folder.join("near.toml"), near).unwrap();
    let output = stiction(&folder, "describe near.toml --picture near.png");
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

#[test]
fn motion_that_overflows_is_an_error() {
    let folder = scratch("limits/overflow");
    let scene = "gravity = [0, 0]\nuntil = 1e300\n[settings]\nstep = 1e299\n[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1.0\nposition = [0, 0]\nvelocity = [1e50, 0]\n";
    fs::write(folder.join("overflow.toml"), scene).unwrap();
    let output = stiction(&folder, "run overflow.toml");
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("overflowed"), "{}", told(&output));
}

#[test]
fn a_hundred_thousand_errors_are_counted() {
    let folder = scratch("limits/mistakes");
    let body = |i: usize| format!("[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = -1\n");
    let scene: String = (0..100_000).map(body).collect();
    fs::write(folder.join("faulty.toml"), scene).unwrap();
    let clock = Instant::now();
    let output = stiction(&folder, "run faulty.toml");
    assert!(clock.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(2));
    let text = told(&output);
    assert!(text.lines().count() < 300);
    assert!(text.contains("more problems are not listed"));
}

const MESH: &str = "dimension = 3\n[[body]]\nname = \"a\"\nkind = \"rigid\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\nposition = [0, 0, 0]\nshape = [{ kind = \"polyhedron\", file = \"mesh.obj\" }]\n";
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[cfg(unix)]
#[test]
fn meshes_are_plain_files_in_the_folder_of_the_scene() {
    use std::os::unix::fs::symlink;
    let folder = scratch("limits/mesh");
    let (inside, mesh) = (folder.join("scene"), folder.join("scene/mesh.obj"));
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("scene.toml"), MESH).unwrap();
    fs::write(folder.join("outside.obj"), TETRAHEDRON).unwrap();
    let run = || {
        let clock = Instant::now();
        let output = stiction(&inside, "run scene.toml --until 0.1");
        assert!(clock.elapsed() < Duration::from_secs(10));
        (output.status.code(), told(&output))
    };
    symlink("../outside.obj", &mesh).unwrap();
    let (code, text) = run();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("leads out of the folder"), "{text}");
    fs::remove_file(&mesh).unwrap();
    symlink("/dev/zero", &mesh).unwrap();
    assert_eq!(run().0, Some(2));
    fs::remove_file(&mesh).unwrap();
    let made = Command::new("mkfifo").arg(&mesh).status().unwrap();
    assert!(made.success());
    let (code, text) = run();
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("a device or a pipe"), "{text}");
    fs::remove_file(&mesh).unwrap();
    fs::write(inside.join("other.obj"), TETRAHEDRON).unwrap();
    symlink("other.obj", &mesh).unwrap();
    let (code, text) = run();
    assert_eq!(code, Some(0), "{text}");
}
