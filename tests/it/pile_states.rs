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
