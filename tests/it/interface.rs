//! The interface of an FMU: default outputs, `[fmu]`, and sensors against closed forms.

use crate::common::command::{put_tool, run_tool, scratch, stderr};
use crate::common::scene_text;
use stiction::Simulation;
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::{Causality, Value, Variable};
use stiction::fmu::instance::variables::{check, table};
use stiction::model::Model;
use stiction::tool::describe::fmi2::model_description;

const CRANK: &str = r#"
name = "crank"
gravity = [0, 0]
[[body]]
name = "arm"
kind = "rigid"
mass = 2.0
inertia = 0.1
position = [1, 0]
angular_velocity = 3.0
velocity = [0, 3.0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
[[body]]
name = "puck"
kind = "rigid"
mass = 1.0
inertia = 0.1
position = [4, 5]
velocity = [1, -2]
"#;

const ARM: f64 = 1.0;
const SPEED: f64 = 3.0;

fn names(model: &Model, causality: Causality) -> Vec<String> {
    let rows = table(model).into_iter();
    let chosen = rows.filter(|v| v.is_listed && v.causality == causality);
    chosen.map(|v| v.name).collect()
}

fn model(text: &str) -> Model {
    Model::from_text("scene", text).unwrap()
}

fn shipped(name: &str) -> Model {
    model(&scene_text(name))
}

#[test]
fn the_default_interface_is_small() {
    for (name, most) in [
        ("block_on_table", 14),
        ("gripper", 60),
        ("slider_crank", 16),
    ] {
        let outputs = names(&shipped(name), Causality::Output);
        println!("{name}: {} outputs", outputs.len());
        assert!(outputs.len() <= most, "{name}: {outputs:?}");
    }
    let of_chain = model_description(&shipped("chain"), &scene(&scene_text("chain")));
    println!("description of the chain: {} bytes", of_chain.len());
    assert!(of_chain.len() < 200_000);
}

fn scene(text: &str) -> stiction::scene::Scene {
    stiction::scene::parse("scene", text).unwrap()
}

#[test]
fn bodies_in_mechanisms_are_shown_by_the_coordinates_of_their_joints() {
    let outputs = names(&shipped("gripper"), Causality::Output);
    let has = |part: &str| outputs.iter().any(|name| name.contains(part));
    assert!(has("lift.coordinate.displacement") && has("load.position.x"));
    assert!(
        !has("hand.position") && !has("finger.position"),
        "{outputs:?}"
    );
    // a vehicle that floats is shown by the state of its first body
    let outputs = names(&shipped("rover"), Causality::Output);
    let placed: Vec<&String> = outputs
        .iter()
        .filter(|n| n.ends_with(".position.x"))
        .collect();
    assert_eq!(placed.len(), 1, "{placed:?}");
}

#[test]
fn an_fmu_has_exactly_the_outputs_and_parameters_that_its_scene_asks_for() {
    let rest = r#"
[fmu]
outputs = ["puck.position.*", "energy.total"]
parameters = ["puck.mass", "settings.rows"]
"#;
    let text = format!("{CRANK}{rest}");
    let chosen = model(&text);
    let outputs = [
        "puck.position.x",
        "puck.position.y",
        "puck.position.angle",
        "energy.total",
    ];
    assert_eq!(names(&chosen, Causality::Output), outputs);
    assert_eq!(
        names(&chosen, Causality::Parameter),
        ["puck.mass", "settings.rows"]
    );
    assert!(names(&chosen, Causality::Local).contains(&"arm.position.x".to_owned()));
    let short = model(&text.replace("[fmu]", "[fmu]\nvariables = \"interface\""));
    assert_eq!(names(&short, Causality::Output), outputs);
    assert!(names(&short, Causality::Local).is_empty());
}

#[test]
fn the_model_description_names_who_made_the_model() {
    let attributes = "[fmu]\nauthor = \"A. Engineer\"\nversion = \"1.2\"\nlicense = \"MIT\"\ncopyright = \"2026, Example\"\n";
    let text = format!("{CRANK}{attributes}");
    let description = model_description(&model(&text), &scene(&text));
    for attribute in [
        "author=\"A. Engineer\"",
        "version=\"1.2\"",
        "license=\"MIT\"",
        "copyright=\"2026, Example\"",
    ] {
        assert!(description.contains(attribute), "{attribute}");
    }
}

#[test]
fn a_name_without_a_variable_and_a_wrong_unit_are_errors_with_line_and_hint() {
    let folder = scratch("interface_errors");
    put_tool(&folder);
    let rest = "[fmu]\noutputs = [\"puck.positon.x\"]\nparameters = [\"puck.mass\", \"puck.radius\"]\n[[sensor]]\nname = \"tip\"\nkind = \"position\"\nbody = \"arm\"\ndisplay_unit = \"rpm\"\n";
    std::fs::write(folder.join("scene.toml"), format!("{CRANK}{rest}")).unwrap();
    let output = run_tool(&folder, &["describe", "scene.toml"]);
    assert!(!output.status.success());
    let said = stderr(&output);
    for part in [
        "scene.toml:25:12",
        "no quantity has the name \"puck.positon.x\"",
        "\"puck.position.x\"",
        "no parameter has the name \"puck.radius\"",
        "\"rpm\" is not a unit for a position in m",
        "mm",
    ] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
    assert!(check(&model(CRANK)).is_ok());
}

/// A sensor for each quantity, with the components that a closed form gives at time `t` for the arm and the puck.
fn sensors(t: f64) -> Vec<(&'static str, Vec<f64>)> {
    let (s, c) = (SPEED * t).sin_cos();
    let tip = 2.0 * ARM;
    let puck = [4.0 + t, 5.0 - 2.0 * t];
    // the puck, seen from the arm's centre of mass and in its axes
    let (dx, dy) = (puck[0] - ARM * c, puck[1] - ARM * s);
    let seen = [c * dx + s * dy, c * dy - s * dx];
    let distance = dx.hypot(dy);
    let (vx, vy) = (1.0 + ARM * SPEED * s, -2.0 - ARM * SPEED * c);
    // velocity seen from the arm: d' - w x d, in its axes
    let (ux, uy) = (vx + SPEED * dy, vy - SPEED * dx);
    let moving = [c * ux + s * uy, c * uy - s * ux];
    // acceleration seen from the arm, which turns evenly about the origin
    let (ax, ay) = (ARM * SPEED * SPEED * c, ARM * SPEED * SPEED * s);
    let (bx, by) = (
        ax + SPEED * SPEED * dx + 2.0 * SPEED * uy,
        ay + SPEED * SPEED * dy - 2.0 * SPEED * ux,
    );
    let seen_acceleration = [c * bx + s * by, c * by - s * bx];
    let pull = 2.0 * ARM * SPEED * SPEED;
    vec![
        (
            "kind = \"position\"\nbody = \"arm\"\npoint = [1, 0]",
            vec![tip * c, tip * s],
        ),
        (
            "kind = \"velocity\"\nbody = \"arm\"\npoint = [1, 0]",
            vec![-tip * SPEED * s, tip * SPEED * c],
        ),
        (
            "kind = \"acceleration\"\nbody = \"arm\"\npoint = [1, 0]",
            vec![-tip * SPEED * SPEED * c, -tip * SPEED * SPEED * s],
        ),
        (
            "kind = \"position\"\nbody = \"puck\"\nframe = \"arm\"",
            seen.to_vec(),
        ),
        (
            "kind = \"velocity\"\nbody = \"puck\"\nframe = \"arm\"",
            moving.to_vec(),
        ),
        (
            "kind = \"acceleration\"\nbody = \"puck\"\nframe = \"arm\"",
            seen_acceleration.to_vec(),
        ),
        ("kind = \"angle\"\nbody = \"arm\"", vec![SPEED * t]),
        (
            "kind = \"angular_velocity\"\nbody = \"puck\"\nframe = \"arm\"",
            vec![-SPEED],
        ),
        ("kind = \"angular_acceleration\"\nbody = \"arm\"", vec![0.0]),
        (
            "kind = \"distance\"\nbodies = [\"arm\", \"puck\"]",
            vec![distance],
        ),
        (
            "kind = \"distance_rate\"\nbodies = [\"arm\", \"puck\"]",
            vec![(dx * vx + dy * vy) / distance],
        ),
        (
            "kind = \"joint_coordinate\"\njoint = \"hinge\"",
            vec![SPEED * t],
        ),
        ("kind = \"joint_rate\"\njoint = \"hinge\"", vec![SPEED]),
        (
            "kind = \"joint_force\"\njoint = \"hinge\"",
            vec![-pull * c, -pull * s],
        ),
        (
            "kind = \"joint_force\"\njoint = \"hinge\"\nframe = \"arm\"",
            vec![-pull, 0.0],
        ),
        ("kind = \"joint_moment\"\njoint = \"hinge\"", vec![0.0]),
        (
            "kind = \"velocity\"\nbody = \"arm\"\ncomponent = \"y\"",
            vec![ARM * SPEED * c],
        ),
    ]
}

fn values(simulation: &mut Simulation, rows: &[Variable]) -> Vec<f64> {
    let outputs = rows.iter().filter_map(|row| row.output());
    outputs.map(|output| output.number(simulation)).collect()
}

#[test]
fn sensors_in_the_plane_measure_closed_forms() {
    let t = 0.7;
    for (kind, wanted) in sensors(t) {
        let text =
            format!("{CRANK}[[sensor]]\nname = \"own\"\n{kind}\n[settings]\ntolerance = 1e-10\n");
        let model = model(&text);
        let rows: Vec<Variable> = table(&model)
            .into_iter()
            .filter(|v| v.name.starts_with("own"))
            .collect();
        let mut simulation = Simulation::new(model);
        simulation.advance_to(t).unwrap();
        let found = values(&mut simulation, &rows);
        assert_eq!(found.len(), wanted.len(), "{kind}");
        for (a, b) in found.iter().zip(&wanted) {
            assert!((a - b).abs() < 1e-8, "{kind}: {found:?} {wanted:?}");
        }
    }
}

#[test]
fn contact_sensors_measure_the_weight_and_the_friction_of_a_box() {
    let text = r#"
[[body]]
name = "crate"
kind = "rigid"
mass = 2.0
position = [0, 0.1]
shape = [{ kind = "box", size = [0.4, 0.2] }]
[[ground.shape]]
kind = "half_plane"
normal = [0, 1]
[[force]]
name = "push"
kind = "applied"
body = "crate"
force = [3, 0]
point = [-0.2, 0.05]
[contact_default]
friction = 0.5
[[sensor]]
name = "on_crate"
kind = "contact_force"
bodies = ["ground", "crate"]
[[sensor]]
name = "on_ground"
kind = "contact_force"
bodies = ["crate", "ground"]
[[sensor]]
name = "moment"
kind = "contact_moment"
bodies = ["ground", "crate"]
"#;
    for text in [text.to_owned(), in_space(text)] {
        let model = model(&text);
        let rows = table(&model);
        let mut simulation = Simulation::new(model);
        simulation.advance_to(0.1).unwrap();
        let mut value = |name: &str| {
            let row = rows.iter().find(|v| v.name == name).expect(name);
            row.output().unwrap().number(&mut simulation)
        };
        let up = if text.contains("dimension = 3") {
            "z"
        } else {
            "y"
        };
        let weight = 2.0 * 9.81;
        for (name, wanted) in [
            ("on_crate.x".to_owned(), -3.0),
            (format!("on_crate.{up}"), weight),
            ("on_ground.x".to_owned(), 3.0),
            (format!("on_ground.{up}"), -weight),
        ] {
            let found = value(&name);
            assert!((found - wanted).abs() < 1e-9, "{name}: {found} {wanted}");
        }
        // it balances the push, which acts 0.05 m above the centre; about y in space
        let (name, wanted) = match up {
            "z" => ("moment.y", -3.0 * 0.05),
            _ => ("moment", 3.0 * 0.05),
        };
        let found = value(name);
        assert!((found - wanted).abs() < 1e-9, "{name}: {found} {wanted}");
    }
}

fn in_space(text: &str) -> String {
    let changes = [
        ("position = [0, 0.1]", "position = [0, 0, 0.1]"),
        ("size = [0.4, 0.2]", "size = [0.4, 0.3, 0.2]"),
        (
            "kind = \"half_plane\"\nnormal = [0, 1]",
            "kind = \"half_space\"\nnormal = [0, 0, 1]",
        ),
        ("force = [3, 0]", "force = [3, 0, 0]"),
        ("point = [-0.2, 0.05]", "point = [-0.2, 0, 0.05]"),
    ];
    let start = format!("dimension = 3\n{text}");
    changes.iter().fold(start, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// A body that tumbles freely: sensors of a point in space against difference quotients of its motion.
#[test]
fn sensors_in_space_agree_with_each_other_and_with_differences() {
    let text = r#"
dimension = 3
[[body]]
name = "plate"
kind = "rigid"
mass = 1.0
inertia = [[0.3, 0.05, 0.02], [0.05, 0.5, -0.04], [0.02, -0.04, 0.7]]
position = [0, 0, 1]
velocity = [1, 0.5, 2]
angular_velocity = [2, -1, 3]
[[body]]
name = "drum"
kind = "rigid"
mass = 1.0
inertia = [0.2, 0.2, 0.3]
position = [1, 2, 0]
rotation_vector = [0.4, 0.2, -0.3]
velocity = [-1, 0.3, 4]
angular_velocity = [0.5, 1.5, -2]
[settings]
tolerance = 1e-11
[[sensor]]
name = "p"
kind = "position"
body = "plate"
point = [0.3, -0.2, 0.5]
frame = "drum"
[[sensor]]
name = "v"
kind = "velocity"
body = "plate"
point = [0.3, -0.2, 0.5]
frame = "drum"
[[sensor]]
name = "a"
kind = "acceleration"
body = "plate"
point = [0.3, -0.2, 0.5]
frame = "drum"
[[sensor]]
name = "w"
kind = "angular_velocity"
body = "plate"
frame = "drum"
[[sensor]]
name = "turn"
kind = "angular_acceleration"
body = "plate"
frame = "drum"
[[sensor]]
name = "q"
kind = "orientation"
body = "plate"
frame = "drum"
[[sensor]]
name = "d"
kind = "distance"
bodies = ["drum", "plate"]
anchors = [[0, 0, 0], [0.3, -0.2, 0.5]]
"#;
    let model = model(text);
    let rows = table(&model);
    let at = |time: f64, name: &str| -> Vec<f64> {
        let mut simulation = Simulation::new(model.clone());
        simulation.advance_to(time).unwrap();
        let own = rows
            .iter()
            .filter(|v| v.name.split('.').next() == Some(name));
        let own: Vec<Variable> = own.cloned().collect();
        values(&mut simulation, &own)
    };
    let (t, h) = (0.4, 1e-4);
    let rate = |name: &str| -> Vec<f64> {
        let (after, before) = (at(t + h, name), at(t - h, name));
        let pairs = after.iter().zip(&before);
        pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
    };
    for (of, with) in [("p", "v"), ("v", "a"), ("w", "turn")] {
        let (found, wanted) = (at(t, with), rate(of));
        for (a, b) in found.iter().zip(&wanted) {
            assert!(
                (a - b).abs() < 2e-6 * (1.0 + b.abs()),
                "{with}: {found:?} {wanted:?}"
            );
        }
    }
    let (p, d, q) = (at(t, "p"), at(t, "d"), at(t, "q"));
    let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((length - d[0]).abs() < 1e-12, "{length} {d:?}");
    // q' = w q / 2 with w in the axes of the frame
    let (w, rate) = (at(t, "w"), rate("q"));
    let half = [
        -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]),
        w[0] * q[0] + w[1] * q[3] - w[2] * q[2],
        w[1] * q[0] + w[2] * q[1] - w[0] * q[3],
        w[2] * q[0] + w[0] * q[2] - w[1] * q[1],
    ];
    for (a, b) in half.iter().zip(&rate) {
        assert!((0.5 * a - b).abs() < 1e-6, "{half:?} {rate:?}");
    }
}

#[test]
fn sensors_are_outputs_with_the_unit_that_their_author_chose() {
    let rest = "[[sensor]]\nname = \"tip\"\nkind = \"position\"\nbody = \"arm\"\npoint = [1, 0]\ndisplay_unit = \"cm\"\n";
    let text = format!("{CRANK}{rest}");
    let description = model_description(&model(&text), &scene(&text));
    assert!(description.contains("<DisplayUnit name=\"cm\" factor=\"100.0\"/>"));
    assert!(description.contains("displayUnit=\"cm\""));
    let mut instance = Instance::new("crank", "crank.toml", &text).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    let place = instance
        .variables()
        .iter()
        .position(|v| v.name == "tip.x")
        .unwrap();
    assert_eq!(instance.variables()[place].causality, Causality::Output);
    assert_eq!(instance.get(place as u32), Ok(Value::Real(2.0)));
}

#[test]
fn mistakes_in_sensors_are_told_with_a_hint() {
    let wrong = |sensor: &str| {
        let text = format!("{CRANK}[[sensor]]\nname = \"own\"\n{sensor}\n");
        Model::from_text("scene", &text).unwrap_err().to_string()
    };
    for (sensor, parts) in [
        (
            "kind = \"speed\"",
            ["there is no kind \"speed\"", "velocity"],
        ),
        ("kind = \"position\"", ["the key `body` is missing", "body"]),
        (
            "kind = \"position\"\nbody = \"arn\"",
            ["no body has the name \"arn\"", "did you mean \"arm\"?"],
        ),
        (
            "kind = \"joint_rate\"\njoint = \"pin\"",
            ["no joint has the name \"pin\"", "hinge"],
        ),
        (
            "kind = \"orientation\"\nbody = \"arm\"",
            ["only in space", "kind = \"angle\""],
        ),
        (
            "kind = \"distance\"\nbodies = [\"arm\", \"puck\"]\npoint = [0, 0]",
            ["`point` is not a key", "position"],
        ),
        (
            "kind = \"angle\"\nbody = \"arm\"\ncomponent = \"x\"",
            ["a single component", "remove `component`"],
        ),
    ] {
        let said = wrong(sensor);
        for part in parts {
            assert!(said.contains(part), "{sensor}: {part}\n{said}");
        }
    }
}
