//! Derivatives of outputs: by time, and by inputs.

use crate::call;
use crate::common::scene_text;
use crate::library::{Fmu, Random, Resources, SCENES, pushed_block};
use stiction::Model;
use stiction::fmu::c_api::types::{ERROR, OK};
use stiction::fmu::instance::variable::{Causality, Kind, Unit, Variable};

pub fn rate(fmu: &Fmu, name: &str) -> f64 {
    let mut value = f64::NAN;
    let reference = fmu.resources.reference(name);
    let status = call!(
        fmu,
        fmi2GetRealOutputDerivatives,
        &reference,
        1,
        &1,
        &mut value
    );
    assert_eq!(status, OK, "{name}: {:?}", fmu.log());
    value
}

#[test]
fn rates_of_outputs_are_those_of_the_motion() {
    for scene in [
        "double_pendulum_wall",
        "falling_rod",
        "two_carts",
        "slider_crank",
    ] {
        let resources = Resources::shipped(scene);
        let fmu = Fmu::initialized(&resources);
        // between events
        assert_eq!(fmu.step(0.0, 0.2), OK);
        let names: Vec<&str> = resources
            .variables
            .iter()
            .map(|v| v.name.as_str())
            .filter(|name| {
                name.contains("position") || name.contains("velocity") || name.starts_with("energy")
            })
            .filter(|name| !name.contains("initial") && !name.contains("settings"))
            .collect();
        let size = 1e-5;
        let before: Vec<f64> = names.iter().map(|name| fmu.real(name)).collect();
        let rates: Vec<f64> = names.iter().map(|name| rate(&fmu, name)).collect();
        let events = fmu.real("events.last_time");
        assert_eq!(fmu.step(0.2, size), OK);
        assert_eq!(
            fmu.real("events.last_time"),
            events,
            "{scene}: an event in the way"
        );
        for ((name, before), rate) in names.iter().zip(before).zip(rates) {
            let found = (fmu.real(name) - before) / size;
            let error = (found - rate).abs() / (1.0 + rate.abs());
            assert!(error < 2e-3, "{scene} {name}: {rate} against {found}");
        }
    }
}

#[test]
fn only_first_derivatives_of_outputs_are_known() {
    let resources = Resources::temporary("orders", &pushed_block());
    let fmu = Fmu::initialized(&resources);
    let x = resources.reference("block.position.x");
    for (reference, order) in [(x, 0), (x, 2), (x, -1), (0, 1), (9999, 1)] {
        let status = call!(
            fmu,
            fmi2GetRealOutputDerivatives,
            &reference,
            1,
            &order,
            &mut 0.0
        );
        assert_eq!(status, ERROR, "{reference} {order}");
    }
}

/// Change of an output per change of both inputs in a direction.
fn directional(fmu: &Fmu, output: &str, seed: [f64; 2]) -> f64 {
    let knowns = ["push.force_x", "push.force_y"].map(|name| fmu.resources.reference(name));
    let unknown = fmu.resources.reference(output);
    let mut result = f64::NAN;
    let status = call!(
        fmu,
        fmi2GetDirectionalDerivative,
        &unknown,
        1,
        knowns.as_ptr(),
        2,
        seed.as_ptr(),
        &mut result
    );
    assert_eq!(status, OK, "{:?}", fmu.log());
    result
}

#[test]
fn a_block_that_slides_or_sticks_answers_to_its_push() {
    let resources = Resources::temporary("directional", &pushed_block());
    let near = |found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 1e-9,
            "{found} against {expected}"
        );
    };
    let normal = "contact.*.normal_force";
    let friction = "contact.*.friction_force";
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.set_real("push.force_x", 10.0), OK);
    fmu.initialize();
    assert_eq!(fmu.step(0.0, 0.1), OK);
    // slides forward: friction 0.8 N against the motion
    near(directional(&fmu, "block.acceleration.x", [1.0, 0.0]), 1.0);
    near(directional(&fmu, "block.acceleration.x", [0.0, 1.0]), 0.8);
    near(directional(&fmu, normal, [3.0, 2.0]), -2.0);
    near(directional(&fmu, "block.velocity.x", [1.0, 1.0]), 0.0);
    let before = fmu.bytes();
    directional(&fmu, friction, [1e3, -1e3]);
    assert!(fmu.bytes() == before, "a question changes nothing");
    // sticks
    assert_eq!(call!(fmu, fmi2Reset), OK);
    assert_eq!(fmu.set_real("push.force_x", 1.0), OK);
    fmu.initialize();
    assert_eq!(fmu.step(0.0, 0.1), OK);
    near(directional(&fmu, "block.acceleration.x", [1.0, 0.0]), 0.0);
    near(directional(&fmu, friction, [1.0, 0.0]), -1.0);
    near(fmu.real(friction), -1.0);
}

/// Two boxes that approach each other with 1 m/s, one of them tilted and pushed by inputs.
const APPROACHING: &str = r#"
gravity = [0, 0]

[[body]]
name = "left"
kind = "rigid"
mass = 1
position = [0, 0.1]
angle = 0.25
velocity = [0.6, 0]
shape = [{ kind = "box", size = [0.4, 0.6] }]

[[body]]
name = "right"
kind = "rigid"
mass = 1
position = [2, 0]
velocity = [-0.4, 0]
shape = [{ kind = "box", size = [0.6, 0.4] }]

[[force]]
name = "push"
kind = "applied"
body = "left"
force = [{ kind = "input" }, { kind = "input" }]
"#;

#[test]
fn gaps_that_stay_infinite_have_no_rate_and_the_others_that_of_the_approach() {
    let resources = Resources::temporary("infinite gaps", APPROACHING);
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.step(0.0, 0.1), OK);
    let outputs = resources.variables.iter().filter(|v| is_real_output(v));
    let mut n_infinite = 0;
    let mut finite: Vec<(&str, f64, f64)> = Vec::new();
    for Variable { name, .. } in outputs {
        let by_push = directional(&fmu, name, [1.0, -1.0]);
        assert!(by_push.is_finite(), "{name} by inputs: {by_push}");
        let found = rate(&fmu, name);
        assert!(found.is_finite(), "{name}: {found}");
        if !name.ends_with(".gap") {
            continue;
        }
        let gap = fmu.real(name);
        // what masters get for an infinite gap
        if gap == f64::MAX {
            assert_eq!(found, 0.0, "{name}");
            n_infinite += 1;
        } else {
            finite.push((name, gap, found));
        }
    }
    assert!(n_infinite > 0, "no gap is infinite");
    assert!(finite.iter().any(|(_, _, rate)| (rate + 1.0).abs() < 1e-6));
    assert_eq!(fmu.step(0.1, 1e-5), OK);
    for (name, gap, found) in finite {
        let moved = (fmu.real(name) - gap) / 1e-5;
        assert!((found - moved).abs() < 1e-6, "{name}: {found} {moved}");
    }
}

/// A scene with an input for each coordinate of each body.
pub fn with_inputs(text: &str) -> String {
    let model = Model::from_text("scene", text).unwrap();
    let mut text = text.to_owned();
    for body in &model.bodies {
        let (name, torque) = (&body.name, "\ntorque = { kind = \"input\" }");
        let torque = if body.n_dof == 3 { torque } else { "" };
        text += &format!(
            "\n[[force]]\nname = \"hand_{name}\"\nkind = \"applied\"\nbody = \"{name}\"\nforce = [{{ kind = \"input\" }}, {{ kind = \"input\" }}]{torque}\n"
        );
    }
    text
}

/// A box that rests on two corners, pushed while it sticks; a cart on a rail against its stop; a stiff spring and a
/// stiff damper between bodies; a frame of two bodies with a joint too many.
pub const WRITTEN: &str = r#"
    name = "written"
    [settings]
    step = 0.005
    [[body]]
    name = "crate"
    kind = "rigid"
    mass = 2
    position = [0, 0.1]
    shape = [{ kind = "box", size = [0.4, 0.2] }]
    [[body]]
    name = "weight"
    kind = "point"
    mass = 1
    position = [0, 1.1]
    [[body]]
    name = "cart"
    kind = "rigid"
    mass = 3
    inertia = 0.2
    position = [5, 2]
    [[body]]
    name = "load"
    kind = "rigid"
    mass = 1
    inertia = 0.1
    position = [5, 1]
    [[ground.shape]]
    kind = "half_plane"
    normal = [0, 1]
    [contact_default]
    friction = 0.7
    [[joint]]
    name = "rail"
    kind = "prismatic"
    bodies = ["ground", "cart"]
    anchors = [[5, 2], [0, 0]]
    axis = [1, 0]
    limits = [0, 1]
    [[joint]]
    name = "hook"
    kind = "revolute"
    bodies = ["cart", "load"]
    anchors = [[0, -0.5], [0, 0.5]]
    [[force]]
    name = "column"
    kind = "spring_damper"
    bodies = ["crate", "weight"]
    anchors = [[0, 0], [0, 0]]
    stiffness = 1e6
    damping = 1e3
    rest_length = 1
    [[force]]
    name = "wind"
    kind = "applied"
    body = "cart"
    force = [-4, 0]
"#;

/// A new instance whose start is where another one is now, with inputs; still in its initialization.
fn started_like<'a>(fmu: &Fmu<'a>, time: f64, inputs: &[f64]) -> Fmu<'a> {
    let twin = Fmu::new(fmu.resources);
    for variable in &fmu.resources.variables {
        let initial = |what: &str| {
            let (body, component) = variable.name.split_once(what).unwrap();
            format!("{body}.initial{what}{component}")
        };
        if variable.output().is_none() {
            continue;
        }
        let quantity = variable.name.split('.').nth(1);
        let place = match quantity {
            Some("position") => initial(".position."),
            Some("velocity") => initial(".velocity."),
            Some("orientation") => initial(".orientation."),
            Some("angular_velocity") => {
                let place = initial(".angular_velocity.");
                if in_body_axes(fmu, &place) {
                    continue;
                }
                place
            }
            Some("angular_velocity_body") => {
                let place = initial(".angular_velocity_body.").replace("_body", "");
                if !in_body_axes(fmu, &place) {
                    continue;
                }
                place
            }
            _ => continue,
        };
        assert_eq!(twin.set_real(&place, fmu.real(&variable.name)), OK);
    }
    for (reference, value) in (0u32..).zip(inputs) {
        assert_eq!(call!(twin, fmi2SetReal, &reference, 1, value), OK);
    }
    assert_eq!(call!(twin, fmi2SetupExperiment, 0, 0.0, time, 0, 0.0), OK);
    assert_eq!(call!(twin, fmi2EnterInitializationMode), OK);
    twin
}

// in space the contacts of one pair share its force in many ways: only the sum is known
pub fn is_shared(fmu: &Fmu, name: &str) -> bool {
    let shared = |name: &str| -> Option<bool> {
        let (pair, _) = name.strip_prefix("contact.")?.split_once('[')?;
        let count = format!("pair.{pair}.n_closed");
        let place = fmu
            .resources
            .variables
            .iter()
            .position(|v| v.name == count)?;
        let (reference, mut n) = (place as u32, 0);
        assert_eq!(call!(fmu, fmi2GetInteger, &reference, 1, &mut n), OK);
        Some(n > 1)
    };
    shared(name).unwrap_or(false)
}

// the scene says in which axes it gives the rate of rotation at the start
fn in_body_axes(fmu: &Fmu, name: &str) -> bool {
    let variable = &fmu.resources.variables[fmu.resources.reference(name) as usize];
    variable.description.contains("body axes")
}

fn is_speed(variable: &Variable) -> bool {
    matches!(
        variable.kind,
        Kind::Real {
            unit: Unit::RadianPerSecond | Unit::MeterPerSecond,
            ..
        }
    )
}

fn is_real_output(variable: &Variable) -> bool {
    variable.output().is_some() && matches!(variable.kind, Kind::Real { .. })
}

/// Compares derivatives in random directions with differences, for all outputs; gives the number of nonzero ones and
/// the worst error.
fn compare(fmu: &Fmu, time: f64, inputs: &[f64], random: &mut Random) -> (usize, f64) {
    let variables = &fmu.resources.variables;
    let n = inputs.len();
    let outputs: Vec<usize> = (0..variables.len())
        .filter(|i| is_real_output(&variables[*i]))
        .collect();
    let unknowns: Vec<u32> = outputs.iter().map(|i| *i as u32).collect();
    let knowns: Vec<u32> = (0..n as u32).collect();
    let (mut nonzero, mut worst): (_, f64) = (0, 0.0);
    for round in 0..=n {
        // one input after the other, then all of them
        let seed: Vec<f64> = (0..n)
            .map(|i| {
                // at the start of the twin velocities follow the speed of a motor
                if is_speed(&variables[i]) {
                    0.0
                } else if round == n {
                    random.unit() - 0.5
                } else {
                    f64::from(u8::from(i == round))
                }
            })
            .collect();
        let mut found = vec![f64::NAN; unknowns.len()];
        let status = call!(
            fmu,
            fmi2GetDirectionalDerivative,
            unknowns.as_ptr(),
            unknowns.len(),
            knowns.as_ptr(),
            n,
            seed.as_ptr(),
            found.as_mut_ptr()
        );
        assert_eq!(status, OK, "{:?}", fmu.log());
        let size = 1e-3;
        let [up, down] = [size, -size].map(|size| {
            let moved: Vec<f64> = inputs
                .iter()
                .zip(&seed)
                .map(|(u, s)| u + size * s)
                .collect();
            let twin = started_like(fmu, time, &moved);
            let values = outputs.iter().map(|i| twin.real(&variables[*i].name));
            values.collect::<Vec<f64>>()
        });
        for (k, i) in outputs.iter().enumerate() {
            let difference = (up[k] - down[k]) / (2.0 * size);
            let variable = &variables[*i];
            if is_shared(fmu, &variable.name) {
                continue;
            }
            if !variable.depends_on_inputs() {
                assert_eq!(found[k], 0.0, "{} is not declared", variable.name);
                assert!(difference.abs() < 1e-8, "{} depends", variable.name);
                continue;
            }
            let error = (found[k] - difference).abs() / (1.0 + difference.abs());
            let what = &variable.name;
            assert!(
                error < 1e-6,
                "{:?} at {time} s, {what} by {seed:?}: {} against {difference}",
                fmu.resources.folder,
                found[k]
            );
            nonzero += usize::from(difference.abs() > 1e-6);
            worst = worst.max(error);
        }
    }
    (nonzero, worst)
}

/// Compares after some steps of a run with random inputs.
pub fn compare_in_run(name: &str, text: &str, random: &mut Random) {
    let resources = Resources::temporary(&format!("by inputs {name}"), text);
    let is_input = |v: &&Variable| v.causality == Causality::Input;
    let n = resources.variables.iter().filter(is_input).count();
    let inputs: Vec<f64> = (0..n).map(|_| 0.4 * random.unit() - 0.2).collect();
    let fmu = Fmu::new(&resources);
    for (reference, value) in (0u32..).zip(&inputs) {
        assert_eq!(call!(fmu, fmi2SetReal, &reference, 1, value), OK);
    }
    fmu.initialize();
    let (mut nonzero, mut worst): (_, f64) = (0, 0.0);
    let mut time = 0.0;
    for size in [0.013, 0.09, 0.2, 0.25] {
        assert_eq!(fmu.step(time, size), OK, "{:?}", fmu.log());
        time += size;
        let found = compare(&fmu, fmu.last_time(), &inputs, random);
        nonzero += found.0;
        worst = worst.max(found.1);
    }
    println!("{name}: {n} inputs, {nonzero} nonzero derivatives, worst error {worst:.1e}");
    assert!(nonzero > 0, "{name}");
}

#[test]
fn derivatives_by_inputs_are_those_of_differences_in_all_scenes() {
    let mut random = Random::new(0x1234_5678);
    let texts = SCENES.map(|scene| (scene, with_inputs(&scene_text(scene))));
    let written = [
        ("written", with_inputs(WRITTEN)),
        ("pushed", pushed_block()),
    ];
    for (name, text) in texts.into_iter().chain(written) {
        compare_in_run(name, &text, &mut random);
    }
}
