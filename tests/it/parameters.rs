//! Parameters of a scene with names of the author's: they give the scene that is written with their values.

use crate::common::command::{put_tool, run_tool, scratch, stderr, stdout};
use crate::common::{model, scene_names, scene_text};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::lifecycle::Phase;
use stiction::fmu::instance::variable::{Causality, Value, Variability};
use stiction::scene::{packed, parse};
use stiction::{Model, Simulation};

/// A ball rolls down a step onto the ground.
const BALL: &str = r#"
[[parameter]]
name = "ball_radius"
sets = ["body.ball.shape.0.radius", { path = "body.ball.position.y", offset = 0.5 }]
min = 0.05
max = 0.4
description = "Radius of the ball"
[[body]]
name = "ball"
kind = "rigid"
mass = 2.0
position = [0, 0.7]
velocity = [1.5, 0]
shape = [{ kind = "circle", radius = 0.2 }]
[[ground.shape]]
name = "step"
kind = "box"
size = [1, 0.5]
position = [0, 0.25]
[[ground.shape]]
kind = "half_plane"
normal = [0, 1]
[contact_default]
friction = 0.3
restitution = 0.4
"#;

fn reference(instance: &Instance, name: &str) -> u32 {
    let found = instance.variables().iter().position(|v| v.name == name);
    found.expect(name) as u32
}

fn set(instance: &mut Instance, name: &str, x: f64) {
    let place = reference(instance, name);
    instance.set(place, Value::Real(x)).unwrap();
}

fn start(instance: &mut Instance) {
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
}

/// Bits of all outputs after each of some steps.
fn run(instance: &mut Instance, from: u32, to: u32) -> Vec<u64> {
    let mut bits = Vec::new();
    for i in from..to {
        instance.do_step(f64::from(i) * 0.0625, 0.0625).unwrap();
        for reference in 0..instance.variables().len() {
            let value = instance.get(reference as u32).unwrap();
            if let (Value::Real(x), Causality::Output | Causality::Local) =
                (value, instance.variables()[reference].causality)
            {
                bits.push(x.to_bits());
            }
        }
    }
    bits
}

fn instance(text: &str) -> Instance {
    Instance::new("ball", "scene.toml", text).unwrap()
}

#[test]
fn a_radius_set_through_the_fmu_gives_the_bits_of_the_scene_written_with_it() {
    let mut driven = instance(BALL);
    let row = &driven.variables()[reference(&driven, "ball_radius") as usize];
    assert_eq!(row.variability, Variability::Fixed);
    assert_eq!(row.description, "Radius of the ball");
    set(&mut driven, "ball_radius", 0.25);
    start(&mut driven);
    let of_parameter = run(&mut driven, 0, 32);
    let rest = BALL.split_once("[[body]]").unwrap().1;
    let written = rest
        .replace("0.7]", "0.75]")
        .replace("radius = 0.2", "radius = 0.25");
    let mut written = instance(&format!("[[body]]{written}"));
    start(&mut written);
    let of_text = run(&mut written, 0, 32);
    assert!(of_parameter == of_text);
    // and after a reset, the scene's own
    driven.reset().unwrap();
    start(&mut driven);
    let mut untouched = instance(BALL);
    start(&mut untouched);
    assert!(run(&mut driven, 0, 32) == run(&mut untouched, 0, 32));
    assert!(of_parameter != run(&mut untouched, 32, 64));
}

#[test]
fn saved_states_keep_the_values_of_parameters() {
    let mut first = instance(BALL);
    set(&mut first, "ball_radius", 0.25);
    start(&mut first);
    run(&mut first, 0, 4);
    let bytes = first.save().to_bytes();
    let rest = run(&mut first, 4, 32);
    let mut second = instance(BALL);
    start(&mut second);
    let saved = second.snapshot_from_bytes(&bytes).unwrap();
    second.restore(&saved).unwrap();
    assert!(run(&mut second, 4, 32) == rest);
}

#[test]
fn values_that_make_the_scene_invalid_are_errors_from_which_the_instance_recovers() {
    let mut ball = instance(BALL);
    let place = reference(&ball, "ball_radius");
    assert!(ball.set(place, Value::Real(0.5)).is_err(), "above max");
    // two shapes that would overlap: the position does not follow this parameter
    let text = BALL.replace(", { path = \"body.ball.position.y\", offset = 0.5 }", "");
    let mut ball = instance(&text);
    set(&mut ball, "ball_radius", 0.3);
    ball.setup_experiment(None, 0.0, None).unwrap();
    ball.enter_initialization().unwrap();
    let said = format!("{:?}", ball.exit_initialization().unwrap_err());
    assert!(said.contains("overlap") && said.contains("ball"), "{said}");
    assert_eq!(ball.phase(), Phase::Error);
    ball.reset().unwrap();
    start(&mut ball);
    run(&mut ball, 0, 4);
    // out of the range of the number that it sets
    let text = BALL.replace("min = 0.05", "min = -1");
    let mut ball = instance(&text);
    set(&mut ball, "ball_radius", -0.1);
    ball.enter_initialization().unwrap();
    let said = format!("{:?}", ball.exit_initialization().unwrap_err());
    assert!(
        said.contains("body.ball.shape.0.radius") && said.contains("above zero"),
        "{said}"
    );
}

#[test]
fn friction_between_steps_does_what_the_parameter_of_the_pair_does() {
    let own = "[[parameter]]\nname = \"grip\"\nsets = [\"contact.0.friction\"]\n";
    let text = format!("{}\n{own}", scene_text("block_on_table"));
    let mut named = instance(&text);
    let mut usual = instance(&scene_text("block_on_table"));
    let row = &named.variables()[reference(&named, "grip") as usize];
    assert_eq!(row.variability, Variability::Tunable);
    let pair = usual
        .variables()
        .iter()
        .find(|v| v.name.ends_with(".friction"));
    let pair = pair.unwrap().name.clone();
    for both in [&mut named, &mut usual] {
        start(both);
        run(both, 0, 8);
    }
    set(&mut named, "grip", 0.3);
    named.set_is_complete().unwrap();
    set(&mut usual, &pair, 0.3);
    let position = |instance: &mut Instance| {
        run(instance, 8, 24);
        let place = reference(instance, "block.position.x");
        instance.get(place).unwrap()
    };
    assert_eq!(position(&mut named), position(&mut usual));
}

#[test]
fn friction_of_a_time_stepping_scene_is_a_parameter() {
    let text = r#"
dimension = 3
[settings]
integrator = "time_stepping"
[[parameter]]
name = "grip"
sets = ["contact_default.friction"]
[[body]]
name = "crate"
kind = "rigid"
mass = 1
position = [0, 0, 0.1]
velocity = [2, 0, 0]
shape = [{ kind = "box", size = [0.4, 0.4, 0.2] }]
[[ground.shape]]
kind = "half_space"
normal = [0, 0, 1]
[contact_default]
friction = 0.4
"#;
    let mut crate_ = instance(text);
    start(&mut crate_);
    run(&mut crate_, 0, 4);
    let speed = reference(&crate_, "crate.velocity.x");
    let Value::Real(at_change) = crate_.get(speed).unwrap() else {
        panic!()
    };
    // Coulomb: v0 - mu g t
    assert!(
        (at_change - (2.0 - 0.4 * 9.81 * 0.25)).abs() < 1e-9,
        "{at_change}"
    );
    set(&mut crate_, "grip", 0.1);
    crate_.set_is_complete().unwrap();
    run(&mut crate_, 4, 8);
    let Value::Real(after) = crate_.get(speed).unwrap() else {
        panic!()
    };
    let wanted = at_change - 0.1 * 9.81 * 0.25;
    assert!((after - wanted).abs() < 1e-9, "{after} {wanted}");
    // friction at rest below that while it slides contradicts it: the previous value stays
    let falling = format!("{text}static_friction = 0.5\n");
    let mut crate_ = instance(&falling);
    start(&mut crate_);
    set(&mut crate_, "grip", 0.6);
    assert!(crate_.set_is_complete().is_err());
    let place = reference(&crate_, "grip");
    assert_eq!(crate_.get(place).unwrap(), Value::Real(0.4));
    run(&mut crate_, 0, 4);
}

/// All numbers of a scene, by path.
fn paths(value: &toml::Value, path: &str, found: &mut Vec<String>) {
    let join = |part: &str| match path {
        "" => part.to_owned(),
        path => format!("{path}.{part}"),
    };
    match value {
        toml::Value::Integer(_) | toml::Value::Float(_) => found.push(path.to_owned()),
        toml::Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                paths(item, &join(&i.to_string()), found);
            }
        }
        toml::Value::Table(table) => {
            for (key, item) in table {
                paths(item, &join(key), found);
            }
        }
        _ => {}
    }
}

#[test]
fn any_number_of_a_shipped_scene_is_set_as_if_it_was_written_or_refused() {
    let (mut n_set, mut n_refused) = (0, 0);
    for name in scene_names() {
        let text = scene_text(&name);
        if text.len() > 10_000 {
            continue;
        }
        let mut all = Vec::new();
        paths(
            &toml::Value::Table(toml::from_str(&text).unwrap()),
            "",
            &mut all,
        );
        for path in all {
            let with = |value: &str| {
                parse(
                    "scene",
                    &format!(
                        "{text}\n[[parameter]]\nname = \"own\"\nsets = [\"{path}\"]\n{value}\n"
                    ),
                )
            };
            let Ok(scene) = with("") else {
                n_refused += 1;
                continue;
            };
            let value = scene.parameters[0].value * 1.01;
            // what contradicts other numbers is an error either way
            let driven = packed::with_parameters(&scene, &[value]);
            let written = with(&format!("value = {value:?}"));
            match (driven, written) {
                (Ok(driven), Ok(written)) => {
                    n_set += 1;
                    let [a, b] =
                        [driven, written].map(|s| without_places(&format!("{:?}", s.parts)));
                    assert!(a == b, "{name}: {path}");
                }
                (Err(_), Err(_)) => {}
                (Ok(_), Err(error)) => panic!("{name}: {path}: {error}"),
                (Err(problems), Ok(_)) => panic!("{name}: {path}: {problems:?}"),
            }
        }
    }
    println!("{n_set} numbers can be set, {n_refused} are refused");
    assert!(n_set > 500, "{n_set}");
}

/// Locations in the text differ: they are digits around two dots.
fn without_places(text: &str) -> String {
    let parts = text
        .split("..")
        .map(|part| part.trim_matches(|c: char| c.is_ascii_digit()));
    parts.collect()
}

#[test]
fn wrong_paths_are_errors_with_line_and_hint() {
    let folder = scratch("parameter_errors");
    put_tool(&folder);
    for (path, parts) in [
        (
            "body.ball.shape.0.radus",
            [
                "scene.toml:4:9",
                "\"body.ball.shape.0\" has no \"radus\"",
                "did you mean \"radius\"?",
            ],
        ),
        (
            "body.bal.mass",
            [
                "scene.toml:4:9",
                "\"body\" has no \"bal\"",
                "did you mean \"ball\"?",
            ],
        ),
        (
            "body.ball.shape",
            [
                "scene.toml:4:9",
                "is a list of 1, not a number",
                "body.crate.position.y",
            ],
        ),
        (
            "settings.step",
            ["scene.toml:4:9", "settings are parameters", "[fmu]"],
        ),
        (
            "ground.shape.1.normal.y",
            ["scene.toml:4:9", "only make sense together", "angle"],
        ),
        (
            "force.push.force.0.frequency",
            [
                "scene.toml:4:9",
                "other numbers are computed",
                "`omega` for `frequency`",
            ],
        ),
    ] {
        let more = "[[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"ball\"\nforce = [{ kind = \"harmonic\", amplitude = 6, frequency = 0.5 }, 0]\n";
        let rest = BALL.split_once("[[body]]").unwrap().1;
        let text =
            format!("\n[[parameter]]\nname = \"own\"\nsets = [\"{path}\"]\n[[body]]{rest}{more}");
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let output = run_tool(&folder, &["run", "scene.toml"]);
        assert!(!output.status.success());
        let said = stderr(&output);
        for part in parts {
            assert!(said.contains(part), "{path}: {part}:\n{said}");
        }
    }
}

#[test]
fn a_run_takes_values_of_parameters_from_the_command_line() {
    let folder = scratch("parameter_set");
    put_tool(&folder);
    std::fs::write(folder.join("scene.toml"), BALL).unwrap();
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "scene.toml", "--until", "0.5", "-o", "-"];
        arguments.extend(more);
        run_tool(&folder, &arguments)
    };
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let set = run(&["--set", "ball_radius=0.25", "--set", "ball.mass=3"]);
    assert!(set.status.success(), "{}", stderr(&set));
    let rest = BALL.split_once("[[body]]").unwrap().1;
    let written = rest
        .replace("0.7]", "0.75]")
        .replace("mass = 2.0", "mass = 3.0")
        .replace("radius = 0.2", "radius = 0.25");
    // a mass that is set later leaves the moment of inertia as it was
    let inertia = format!("kind = \"rigid\"\ninertia = {}", 0.5 * 2.0 * 0.25 * 0.25);
    let written = format!("[[body]]{}", written.replace("kind = \"rigid\"", &inertia));
    std::fs::write(folder.join("scene.toml"), written).unwrap();
    let plain = run(&[]);
    assert!(plain.status.success(), "{}", stderr(&plain));
    assert_eq!(last(stdout(&set)), last(stdout(&plain)));
    let unknown = run(&["--set", "ball_radus=0.25"]);
    assert!(!unknown.status.success() && stderr(&unknown).contains("no parameter"));
}

#[test]
fn the_value_of_a_parameter_replaces_the_numbers_at_its_paths() {
    let text = BALL.replace("min = 0.05", "value = 0.3");
    let radius = |model: &Model| model.initial_position[1];
    assert_eq!(radius(&model(&text)), 0.8);
    assert_eq!(radius(&model(BALL)), 0.7);
    let mut simulation = Simulation::from_text("scene", &text).unwrap();
    simulation.advance_to(0.1).unwrap();
}
