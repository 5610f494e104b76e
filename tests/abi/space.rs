//! Scenes in space through the C interface: rollback, rates, forces, files of shapes, parameters.

use crate::call;
use crate::common::root;
use crate::derivatives::{compare_in_run, is_shared, rate};
use crate::fuzz::random_calls;
use crate::library::{Fmu, IN_SPACE, Random, Resources, instantiate};
use crate::states::course;
use std::cell::RefCell;
use std::path::PathBuf;
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::{Kind, Variability};
use stiction::scene::load::parse_with;
use stiction::scene::packed::pack;

fn folder() -> PathBuf {
    root().join("tests/data/space")
}

fn text(scene: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{scene}.toml"))).unwrap()
}

/// A test scene in a folder of its own.
fn resources(name: &str, scene: &str) -> Resources {
    Resources::temporary(name, &text(scene))
}

/// The scene with a wedge from an STL file, in a folder of that name.
fn mesh(name: &str) -> Resources {
    Resources::of_folder(name, &folder().join("mesh"))
}

const BOXES: [&str; 3] = ["low", "middle", "high"];
const BALLS: [&str; 2] = ["roller", "slider"];

#[test]
fn a_stack_and_rolling_balls_go_on_with_the_same_bits() {
    let resources = resources("space rollback", "stack");
    for (tolerance, rounds) in [(0.0, 200), (1e-6, 40)] {
        roll_back(&resources, tolerance, rounds);
    }
}

#[test]
fn shipped_scenes_in_space_go_on_with_the_same_bits() {
    for scene in IN_SPACE {
        let resources = Resources::shipped(scene);
        for (tolerance, rounds) in [(0.0, 10), (1e-6, 4)] {
            roll_back(&resources, tolerance, rounds);
        }
    }
}

#[test]
fn a_rover_goes_on_with_the_same_bits() {
    let rover = Resources::shipped("rover");
    for (tolerance, rounds) in [(0.0, 100), (1e-5, 15)] {
        roll_back(&rover, tolerance, rounds);
    }
}

fn roll_back(resources: &Resources, tolerance: f64, rounds: usize) {
    let mut random = Random::new(0x5eed_0042);
    let (fmu, other) = (Fmu::new(resources), Fmu::new(resources));
    let start = || {
        assert_eq!(fmu.set_real("settings.tolerance", tolerance), OK);
        fmu.initialize();
    };
    start();
    let mut state = std::ptr::null_mut();
    for round in 0..rounds {
        if fmu.last_time() > 0.6 {
            assert_eq!(call!(fmu, fmi2Reset), OK);
            start();
        }
        let n = random.below(3) as usize;
        course(&fmu, fmu.last_time(), random.below(1 << 40) + 1, n);
        let (time, seed) = (fmu.last_time(), random.below(1 << 40) + 1);
        assert_eq!(call!(fmu, fmi2GetFMUstate, &mut state), OK);
        let (here, bytes) = (fmu.bits(), fmu.bytes());
        let first = course(&fmu, time, seed, 2);
        assert_eq!(call!(fmu, fmi2SetFMUstate, state), OK);
        assert!(fmu.bits() == here && fmu.last_time() == time);
        assert!(course(&fmu, time, seed, 2) == first, "{round}: in place");
        assert_eq!(other.restore_bytes(&bytes), OK, "{:?}", other.log());
        assert!(other.bits() == here && other.bytes() == bytes);
        assert!(course(&other, time, seed, 2) == first, "{round}: elsewhere");
    }
    assert_eq!(call!(fmu, fmi2FreeFMUstate, &mut state), OK);
}

#[test]
fn turns_of_a_wheel_are_part_of_the_saved_state() {
    let resources = Resources::temporary(
        "space turns",
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = [0.05, 0.06, 0.1]
        position = [0, 0, 0]
        angular_velocity = [0, 0, 50]
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["ground", "wheel"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        limits = [-20, 20]
        limit_restitution = 0.9
        [[force]]
        name = "spring"
        kind = "joint_spring"
        joint = "axle"
        stiffness = 0.3
        "#,
    );
    for tolerance in [0.0, 1e-7] {
        roll_back(&resources, tolerance, 30);
    }
    let (fmu, other) = (Fmu::initialized(&resources), Fmu::initialized(&resources));
    assert_eq!(fmu.step(0.0, 0.3), OK);
    let angle = fmu.real("axle.coordinate.angle");
    assert!(angle > 14.0, "{angle}");
    assert_eq!(other.restore_bytes(&fmu.bytes()), OK);
    assert_eq!(other.real("axle.coordinate.angle"), angle);
    // an angle that is none
    let mut bytes = fmu.bytes();
    let pattern = angle.to_le_bytes();
    let at = bytes.windows(8).position(|part| part == pattern).unwrap();
    bytes[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let end = bytes.len() - 8;
    let sum = crate::states::checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    assert_eq!(fmu.restore_bytes(&bytes), ERROR);
}

#[test]
fn a_saved_orientation_that_is_none_is_refused() {
    let resources = resources("space forged", "stack");
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.step(0.0, 0.05), OK);
    let good = fmu.bytes();
    // the quaternion of the rolling ball is nowhere else
    let q = ["w", "x", "y", "z"].map(|c| fmu.real(&format!("roller.orientation.{c}")));
    let pattern: Vec<u8> = q.iter().flat_map(|x| x.to_le_bytes()).collect();
    let at = good.windows(32).position(|part| part == pattern).unwrap();
    for forged in [0.0, 2.0 * q[0], f64::NAN, f64::INFINITY] {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&forged.to_le_bytes());
        let end = bytes.len() - 8;
        let sum = crate::states::checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        assert_eq!(fmu.restore_bytes(&bytes), ERROR, "{forged}");
    }
    assert_eq!(fmu.restore_bytes(&good), OK);
}

#[test]
fn rates_of_outputs_in_space_are_those_of_the_motion() {
    for (scene, times) in [("stack", [0.05, 0.3]), ("workshop", [0.06, 0.15])] {
        let resources = resources(&format!("space rates {scene}"), scene);
        let fmu = Fmu::initialized(&resources);
        let mut n = 0;
        let mut now = 0.0;
        for time in times {
            assert_eq!(fmu.step(now, time - now), OK, "{:?}", fmu.log());
            let is_asked = |v: &&stiction::fmu::instance::variable::Variable| {
                v.output().is_some() && matches!(v.kind, Kind::Real { .. })
                    // mean values over the steps, sums over events, forces of the last step's mean
                    && v.variability == Variability::Continuous
                    && v.name != "energy.dissipated"
            };
            let names: Vec<&str> = resources
                .variables
                .iter()
                .filter(is_asked)
                .map(|v| v.name.as_str())
                .filter(|name| !is_shared(&fmu, name))
                .collect();
            let size = 1e-5;
            let before: Vec<f64> = names.iter().map(|name| fmu.real(name)).collect();
            let rates: Vec<f64> = names.iter().map(|name| rate(&fmu, name)).collect();
            let events = fmu.real("events.last_time");
            assert_eq!(fmu.step(time, size), OK);
            now = fmu.last_time();
            assert_eq!(fmu.real("events.last_time"), events, "an event in the way");
            for ((name, before), rate) in names.iter().zip(before).zip(rates) {
                let after = fmu.real(name);
                if before == f64::MAX || after == f64::MAX {
                    continue; // another contact looks after the place
                }
                let found = (after - before) / size;
                let error = (found - rate).abs() / (1.0 + rate.abs());
                // what jumps from one contact to the next has no rate
                assert!(
                    error < 5e-3,
                    "{scene} {name} at {time}: {rate} against {found}"
                );
                n += usize::from(rate.abs() > 1e-6);
            }
        }
        println!("{scene}: {n} rates that are not zero");
        assert!(n > 50);
    }
}

#[test]
fn derivatives_by_inputs_are_those_of_differences_in_space() {
    let mut random = Random::new(0x1234_9999);
    compare_in_run("space workshop", &text("workshop"), &mut random);
    let mut pushed = text("stack");
    for name in BOXES.into_iter().chain(BALLS) {
        pushed += &format!(
            "\n[[force]]\nname = \"hand_{name}\"\nkind = \"applied\"\nbody = \"{name}\"\nforce = [{{ kind = \"input\" }}, {{ kind = \"input\" }}, 0]\ntorque = [0, 0, {{ kind = \"input\" }}]\n"
        );
    }
    compare_in_run("space stack", &pushed, &mut random);
}

/// Three components of an output.
fn vector(fmu: &Fmu, name: &str) -> [f64; 3] {
    ["x", "y", "z"].map(|c| fmu.real(&format!("{name}.{c}")))
}

#[test]
fn forces_of_pairs_make_the_accelerations() {
    let resources = resources("space forces", "stack");
    let fmu = Fmu::initialized(&resources);
    let all: Vec<&str> = BOXES.into_iter().chain(BALLS).collect();
    let pairs: Vec<[String; 2]> = resources
        .variables
        .iter()
        .filter_map(|v| {
            let pair = v
                .name
                .strip_prefix("pair.")?
                .strip_suffix(".normal_force")?;
            let (second, first) = pair.split_once(".on.")?;
            Some([first.to_owned(), second.to_owned()])
        })
        .collect();
    assert_eq!(pairs.len(), 15, "all pairs of five bodies and the ground");
    let mut time = 0.0;
    let mut slides = false;
    for _ in 0..12 {
        for body in &all {
            let mass = fmu.real(&format!("{body}.mass"));
            let acceleration = vector(&fmu, &format!("{body}.acceleration"));
            let mut force = [0.0, 0.0, -9.81 * mass];
            for [first, second] in &pairs {
                let sign = match (first == body, second == body) {
                    (true, false) => -1.0,
                    (false, true) => 1.0,
                    _ => continue,
                };
                let part = vector(&fmu, &format!("pair.{second}.on.{first}.force"));
                (0..3).for_each(|i| force[i] += sign * part[i]);
            }
            for i in 0..3 {
                let error = (force[i] - mass * acceleration[i]).abs();
                assert!(
                    error < 1e-7 * mass,
                    "{body} at {time}: {force:?} {acceleration:?}"
                );
            }
        }
        for ball in BALLS {
            // I dw/dt = torque, the same about all axes
            let inertia = fmu.real(&format!("{ball}.principal_inertia[1]"));
            let change = vector(&fmu, &format!("{ball}.angular_acceleration"));
            let torque = vector(&fmu, &format!("pair.{ball}.on.ground.torque"));
            for i in 0..3 {
                assert!(
                    (inertia * change[i] - torque[i]).abs() < 1e-9,
                    "{ball} at {time}"
                );
            }
            let friction = vector(&fmu, &format!("contact.{ball}.on.ground.friction_force"));
            let normal = fmu.real(&format!("contact.{ball}.on.ground.normal_force"));
            let size = friction.iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(size <= 0.4 * normal * (1.0 + 1e-9));
            slides |= size > 0.399 * normal && normal > 0.0;
        }
        assert_eq!(fmu.step(time, 0.04), OK, "{:?}", fmu.log());
        time = fmu.last_time();
    }
    assert!(slides);
    // what stands weighs on what is below
    let weight: f64 = BOXES
        .iter()
        .map(|b| 9.81 * fmu.real(&format!("{b}.mass")))
        .sum();
    assert!((fmu.real("pair.low.on.ground.normal_force") - weight).abs() < 1e-7 * weight);
    assert!(fmu.real("pair.low.on.ground.gap").abs() < 1e-9);
    for ball in BALLS {
        let point = vector(&fmu, &format!("contact.{ball}.on.ground.point"));
        let centre = vector(&fmu, &format!("{ball}.position"));
        for i in 0..3 {
            let below = centre[i] - if i == 2 { 0.1 } else { 0.0 };
            assert!((point[i] - below).abs() < 1e-9);
        }
        assert_eq!(
            vector(&fmu, &format!("contact.{ball}.on.ground.normal")),
            [0.0, 0.0, 1.0]
        );
    }
}

#[test]
fn a_body_with_skew_axes_shows_those_of_the_scene() {
    let resources = resources("space axes", "workshop");
    let fmu = Fmu::new(&resources);
    // accelerations without the damping of a step of fixed length
    assert_eq!(fmu.set_real("settings.tolerance", 1e-8), OK);
    fmu.initialize();
    let near = |name: &str, wanted: f64| {
        let found = fmu.real(name);
        assert!((found - wanted).abs() < 1e-12, "{name}: {found}");
    };
    for (angle, wanted) in [("roll", 0.2), ("pitch", -0.3), ("yaw", 0.4)] {
        near(&format!("skew.euler.{angle}"), wanted);
    }
    for (axis, wanted) in [("x", 1.0), ("y", 2.0), ("z", 3.0)] {
        near(&format!("skew.angular_velocity_body.{axis}"), wanted);
    }
    // R w
    let q = ["w", "x", "y", "z"].map(|c| fmu.real(&format!("skew.orientation.{c}")));
    let [w, x, y, z] = q;
    let first_row = [
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
    ];
    near(
        "skew.angular_velocity.x",
        first_row[0] + 2.0 * first_row[1] + 3.0 * first_row[2],
    );
    // I dw/dt = -w x I w in the written axes while it flies
    let inertia = [
        [0.06, 0.01, -0.005],
        [0.01, 0.08, 0.004],
        [-0.005, 0.004, 0.07],
    ];
    let times = |v: [f64; 3]| inertia.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    let spin = vector(&fmu, "skew.angular_velocity_body");
    let momentum = times(spin);
    let turned = times(vector(&fmu, "skew.angular_acceleration_body"));
    let cross = [
        spin[1] * momentum[2] - spin[2] * momentum[1],
        spin[2] * momentum[0] - spin[0] * momentum[2],
        spin[0] * momentum[1] - spin[1] * momentum[0],
    ];
    for i in 0..3 {
        assert!((turned[i] + cross[i]).abs() < 1e-12, "{turned:?} {cross:?}");
    }
}

#[test]
fn orientations_are_scaled_and_nonsense_is_refused() {
    let resources = resources("space start", "workshop");
    let fmu = Fmu::new(&resources);
    for (component, value) in [("w", 0.0), ("x", 0.0), ("y", 0.0), ("z", -5.0)] {
        let name = format!("skew.initial.orientation.{component}");
        assert_eq!(fmu.set_real(&name, value), OK);
        assert_eq!(fmu.real(&name), value);
    }
    let early = fmu.bytes();
    fmu.initialize();
    assert_eq!(fmu.real("skew.orientation.z"), -1.0);
    assert_eq!(fmu.real("skew.initial.orientation.z"), -5.0);
    let started = fmu.bits();
    assert_eq!(call!(fmu, fmi2Reset), OK);
    assert_eq!(fmu.restore_bytes(&early), OK);
    fmu.initialize();
    assert!(fmu.bits() == started);

    let refused = |settings: &[(&str, f64)], word: &str| {
        let fmu = Fmu::new(&resources);
        for (name, value) in settings {
            assert_eq!(fmu.set_real(name, *value), OK);
        }
        assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
        assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
        assert_eq!(call!(fmu, fmi2ExitInitializationMode), ERROR);
        let log = fmu.log();
        assert!(
            log[0].2.contains("skew") && log[0].2.contains(word),
            "{log:?}"
        );
    };
    let zero = ["w", "x", "y", "z"].map(|c| format!("skew.initial.orientation.{c}"));
    let zero: Vec<(&str, f64)> = zero.iter().map(|name| (name.as_str(), 0.0)).collect();
    refused(&zero, "no length");
    refused(&[("skew.principal_inertia[2]", 10.0)], "principal moments");
    refused(&[("skew.initial.position.z", 0.05)], "overlap");
}

#[test]
fn euler_angles_have_no_rate_at_a_right_angle_of_pitch() {
    let resources = resources("space pitch", "workshop");
    let fmu = Fmu::new(&resources);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (component, value) in [("w", half), ("x", 0.0), ("y", half), ("z", 0.0)] {
        assert_eq!(
            fmu.set_real(&format!("skew.initial.orientation.{component}"), value),
            OK
        );
    }
    fmu.initialize();
    assert!((fmu.real("skew.euler.pitch") - std::f64::consts::FRAC_PI_2).abs() < 1e-7);
    assert_eq!(fmu.real("skew.euler.roll"), 0.0);
    assert_eq!(fmu.step(0.0, 1e-9), OK);
    let reference = resources.reference("skew.euler.roll");
    let status = call!(
        fmu,
        fmi2GetRealOutputDerivatives,
        &reference,
        1,
        &1,
        &mut 0.0
    );
    assert_eq!(status, ERROR);
    assert!(fmu.log()[0].2.contains("right angle"));
    assert!(rate(&fmu, "skew.orientation.w").is_finite());
}

#[test]
fn shapes_from_files_are_in_the_packed_scene() {
    let resources = mesh("space mesh");
    let files = std::fs::read_dir(&resources.folder).unwrap();
    assert_eq!(files.count(), 1, "the library needs no other file");
    let fmu = Fmu::initialized(&resources);
    assert_eq!(fmu.step(0.0, 0.4), OK);
    assert!(fmu.real("pair.wedge.on.ground.normal_force") > 0.0);
    drop(fmu);
    // another shape is another FMU
    let text = std::fs::read_to_string(folder().join("mesh/scene.toml")).unwrap();
    let wider = |name: &str| {
        let stl = std::fs::read_to_string(folder().join("mesh").join(name)).unwrap();
        Ok(stl.replace("80 ", "81 ").into_bytes())
    };
    let scene = parse_with("scene", &text, &wider).unwrap();
    std::fs::write(resources.scene(), pack(&scene)).unwrap();
    let lines = RefCell::default();
    let (guid, uri) = (Some(resources.guid.as_str()), resources.uri());
    let handle = instantiate(Some(c"x"), CO_SIMULATION, guid, Some(&uri), &lines);
    assert!(handle.is_null());
    assert!(lines.borrow()[0].2.contains("GUID"), "{lines:?}");
}

#[test]
fn random_calls_do_not_crash_in_space() {
    let scenes = [resources("space fuzz 1", "workshop"), mesh("space fuzz 2")];
    random_calls(&scenes, 30_000);
}

#[test]
fn a_motor_keeps_its_speed_and_tells_its_effort() {
    let resources = resources("space motor", "workshop");
    let fmu = Fmu::new(&resources);
    let (speed, torque) = (
        resources.reference("axle.motor.speed"),
        resources.reference("shoulder.motor.torque"),
    );
    let effort = resources.reference("axle.motor.effort");
    assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
    assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
    let by = |known: u32| {
        let mut result = f64::NAN;
        let unknown = effort;
        call!(
            fmu,
            fmi2GetDirectionalDerivative,
            &unknown,
            1,
            &known,
            1,
            &1.0,
            &mut result
        )
    };
    // at the start velocities jump to what is set
    assert_eq!(by(speed), ERROR);
    assert!(fmu.log()[0].2.contains("axle.motor.speed"));
    assert_eq!(by(torque), OK);
    assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
    assert_eq!(by(speed), OK);
    assert!((fmu.real("axle.rate.angle") - 2.0).abs() < 1e-12);
    assert!((fmu.real("wheel.angular_velocity.y") - 2.0).abs() < 1e-12);
    // 3 rad/s more in a second takes inertia times 3
    assert_eq!(
        call!(fmu, fmi2SetRealInputDerivatives, &speed, 1, &1, &3.0),
        OK
    );
    assert_eq!(fmu.step(0.0, 0.1), OK, "{:?}", fmu.log());
    let inertia = 0.5 * fmu.real("wheel.mass") * 0.2 * 0.2;
    let found = [
        ("axle.rate.angle", 2.3, 1e-9),
        // the jump of the rate is followed by a damping step
        ("axle.coordinate.angle", 0.2 + 1.5 * 0.01, 1e-4),
        ("axle.motor.effort", 3.0 * inertia, 1e-9),
    ];
    for (name, wanted, bound) in found {
        let value = fmu.real(name);
        assert!(
            (value - wanted).abs() < bound,
            "{name}: {value} against {wanted}"
        );
    }
}

#[test]
fn friction_can_be_changed_between_steps() {
    let puck = |name: &str, law: &str| {
        let text = format!(
            r#"
            dimension = 3
            [[body]]
            name = "puck"
            kind = "point"
            mass = 1
            position = [0, 0, 0]
            velocity = [3, 0, 0]
            shape = [{{ kind = "point" }}]
            [[ground.shape]]
            kind = "half_space"
            normal = [0, 0, 1]
            [contact_default]
            {law}
            "#
        );
        Resources::temporary(name, &text)
    };
    let law = "friction = 0.3\nstatic_friction = 0.5\nstribeck_velocity = 0.01";
    let resources = puck("space stribeck", law);
    let fmu = Fmu::new(&resources);
    fmu.initialize();
    let force = || fmu.real("contact.puck.on.ground.friction_force.x");
    let expect = |mu: f64| {
        let force = force();
        assert!((force + mu * 9.81).abs() < 1e-9, "{force}");
    };
    assert_eq!(fmu.step(0.0, 0.1), OK);
    expect(0.3);
    // a very wide fall: nearly the coefficient at rest
    let at_rest = "pair.puck.on.ground.static_friction";
    let velocity = "pair.puck.on.ground.stribeck_velocity";
    assert_eq!((fmu.real(at_rest), fmu.real(velocity)), (0.5, 0.01));
    assert_eq!(fmu.set_real(velocity, 1e9), OK);
    assert_eq!(fmu.step(0.1, 0.1), OK);
    expect(0.5);
    assert_eq!(fmu.set_real(at_rest, 0.7), OK);
    assert_eq!(fmu.step(0.2, 0.1), OK);
    expect(0.7);
    // below the other coefficient it has no effect
    assert_eq!(fmu.set_real(at_rest, 0.1), OK);
    assert_eq!(fmu.step(0.3, 0.1), OK);
    expect(0.3);
    assert_eq!(fmu.set_real(velocity, 0.0), ERROR);
    drop(fmu);
    // without a coefficient of its own, rest goes with sliding: a slope that 0.5 holds and 0.2 does not
    let resources = puck("space coulomb", "friction = 0.5");
    let fmu = Fmu::new(&resources);
    assert_eq!(fmu.set_real("gravity.x", 4.0), OK);
    assert_eq!(fmu.set_real("puck.initial.velocity.x", 0.0), OK);
    fmu.initialize();
    assert_eq!(fmu.step(0.0, 0.1), OK);
    assert_eq!(fmu.real("puck.velocity.x"), 0.0);
    assert_eq!(fmu.set_real("pair.puck.on.ground.friction", 0.2), OK);
    assert_eq!(fmu.step(0.1, 0.1), OK);
    let expected = 0.1 * (4.0 - 0.2 * 9.81);
    assert!((fmu.real("puck.velocity.x") - expected).abs() < 1e-9);
}
