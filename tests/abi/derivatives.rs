//! Derivatives of outputs: by time, and by inputs.

use crate::call;
use crate::library::{Fmu, Resources, pushed_block};
use stiction::fmi::types::{ERROR, OK};

fn rate(fmu: &Fmu, name: &str) -> f64 {
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
