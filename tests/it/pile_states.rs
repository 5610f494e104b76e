//! Saved states of a pile: a run goes on from them with the same bits, in any instance, from memory and from bytes.

use crate::common::time_stepping_scenes;
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;

const STEP: f64 = 0.005;

fn started(scene: &str) -> Instance {
    let mut instance =
        Instance::new("pile", "scene", scene).unwrap_or_else(|error| panic!("{error}"));
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

fn step(instance: &mut Instance, count: usize) {
    for _ in 0..count {
        instance.do_step(instance.time(), STEP).unwrap();
    }
}

// all values that a master can read, by their bits
fn bits(instance: &mut Instance) -> Vec<u64> {
    let references = 0..instance.variables().len() as u32;
    references
        .map(|reference| match instance.get(reference).unwrap() {
            Value::Real(x) => x.to_bits(),
            Value::Integer(i) => i as u64,
            Value::Boolean(b) => u64::from(b),
        })
        .collect()
}

fn fastest(instance: &mut Instance) -> f64 {
    let mut fastest: f64 = 0.0;
    for reference in 0..instance.variables().len() {
        let name = &instance.variables()[reference].name;
        let is_velocity = name.contains(".velocity.") && !name.contains("initial");
        if is_velocity && let Ok(Value::Real(v)) = instance.get(reference as u32) {
            fastest = fastest.max(v.abs());
        }
    }
    fastest
}

// goes on from a saved state, in the same instance and in another one
fn check(scene: &str, instance: &mut Instance, count: usize) {
    let saved = instance.save();
    step(instance, count);
    let end = bits(instance);
    let bytes = instance.save().to_bytes();

    instance.restore(&saved).unwrap();
    step(instance, count);
    assert!(bits(instance) == end, "in the same instance");
    assert!(instance.save().to_bytes() == bytes, "its saved state");

    let mut other = started(scene);
    step(&mut other, 7);
    let read = other.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    assert_eq!(read, saved);
    other.restore(&read).unwrap();
    step(&mut other, count);
    assert!(bits(&mut other) == end, "in another one, from bytes");
    assert!(other.save().to_bytes() == bytes, "saved there");
}

#[test]
fn a_falling_pile_goes_on_with_the_same_bits() {
    for rules in ["", "sweeps = 10"] {
        let scene = time_stepping_scenes::pile(20, rules);
        let mut instance = started(&scene);
        step(&mut instance, 40);
        assert!(fastest(&mut instance) > 0.1);
        check(&scene, &mut instance, 60);
    }
}

#[test]
fn a_pile_that_sleeps_stays_asleep() {
    let scene = time_stepping_scenes::pile(4, "");
    let mut instance = started(&scene);
    step(&mut instance, 400);
    assert!(fastest(&mut instance) == 0.0);
    check(&scene, &mut instance, 60);
}

#[test]
fn clutches_and_servos_go_on_with_the_same_bits_slipping_and_locked() {
    let scene = r#"
        dimension = 3
        [settings]
        integrator = "time_stepping"
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 1
        inertia = [0.02, 0.02, 0.02]
        position = [0.3, 0, 0]
        shape = [{ kind = "capsule", from = [-0.3, 0, 0], to = [0.3, 0, 0], radius = 0.03 }]
        [[joint]]
        name = "pivot"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 0, 0]
        axis = [0, 1, 0]
        friction = { coefficient = 0.3, radius = 0.02, static_ratio = 1.5, stribeck_velocity = 0.1 }
        motor = { kind = "servo", kp = 5, kd = 0.5, limit = 1, position = { kind = "harmonic", amplitude = 1, frequency = 0.7 } }
        [[clutch]]
        name = "brake"
        bodies = ["ground", "arm"]
        axis = [0, 1, 0]
        friction = 0.3
        static_friction = 0.4
        radius = 0.05
        normal_force = { kind = "harmonic", amplitude = 200, offset = 200, frequency = 1.3 }
    "#;
    let mut locked = 0;
    for count in [20, 37, 60, 90, 120, 150] {
        let mut instance = started(scene);
        step(&mut instance, count);
        let speed = |v: &stiction::fmu::instance::variable::Variable| v.name == "brake.slip_speed";
        let slip = instance.variables().iter().position(speed).unwrap();
        let Ok(Value::Real(slip)) = instance.get(slip as u32) else {
            panic!("no slip speed");
        };
        locked += u32::from(slip.abs() < 1e-15);
        check(scene, &mut instance, 60);
    }
    assert!((1..6).contains(&locked), "{locked}");
}
