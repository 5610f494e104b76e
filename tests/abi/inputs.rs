//! Inputs that are set again and again, in stiff scenes.

use crate::call;
use crate::common::observed_order;
use crate::library::{Fmu, Resources, pushed_block};
use stiction::fmu::c_api::types::OK;

/// Two bodies with a very stiff spring between them, one on a soft spring, one pushed.
fn stiff(force: &str) -> String {
    format!(
        r#"
        name = "stiff"
        gravity = [0, 0]
        until = 2
        [[body]]
        name = "left"
        kind = "point"
        mass = 1
        position = [0, 0]
        [[body]]
        name = "right"
        kind = "point"
        mass = 1
        position = [1, 0]
        [[force]]
        name = "rod"
        kind = "spring"
        bodies = ["left", "right"]
        anchors = [[0, 0], [0, 0]]
        stiffness = 1e8
        rest_length = 1
        [[force]]
        name = "rope"
        kind = "spring"
        bodies = ["ground", "left"]
        anchors = [[-1, 0], [0, 0]]
        stiffness = 50
        rest_length = 1
        [[force]]
        name = "push"
        kind = "applied"
        body = "right"
        force = [{force}, 0]
        "#
    )
}

const BUILT_IN: &str = r#"{ kind = "harmonic", amplitude = 8, omega = 3 }"#;
const INPUT: &str = r#"{ kind = "input", start = 8 }"#;

/// Place of the left body after 2 s under 8 cos 3t: built in, or fed with derivatives up to an order.
fn place(resources: &Resources, size: f64, order: Option<i32>) -> f64 {
    let fmu = Fmu::new(resources);
    assert_eq!(fmu.set_real("settings.step", size), OK);
    fmu.initialize();
    let n = (2.0 / size).round() as u32;
    for i in 0..n {
        let time = size * f64::from(i);
        if let Some(highest) = order {
            let (s, c) = (3.0 * time).sin_cos();
            assert_eq!(fmu.set_real("push.force_x", 8.0 * c), OK);
            for order in 1..=highest {
                let scale = 8.0 * 3f64.powi(order);
                let value = scale * [c, -s, -c, s][order as usize % 4];
                assert_eq!(
                    call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &order, &value),
                    OK
                );
            }
        }
        assert_eq!(fmu.step(time, size), OK, "{:?}", fmu.log());
    }
    fmu.real("left.position.x")
}

/// Two masses that move as one, on a spring: m x'' = -k x + 8 cos 3t from rest.
fn closed_form(time: f64) -> f64 {
    let (k, m, omega) = (50.0, 2.0, 3.0);
    let natural = f64::sqrt(k / m);
    8.0 / (k - m * omega * omega) * ((omega * time).cos() - (natural * time).cos())
}

#[test]
fn a_continuous_input_keeps_the_order_of_the_method_in_a_stiff_scene() {
    let built_in = Resources::temporary("stiff built in", &stiff(BUILT_IN));
    let fed = Resources::temporary("stiff fed", &stiff(INPUT));
    let sizes = [0.02, 0.01, 0.005, 0.0025];
    let error = |resources, order| {
        sizes.map(|size| (place(resources, size, order) - closed_form(2.0)).abs())
    };
    let reference = error(&built_in, None);
    println!("built in: {reference:?}");
    for order in 0..=3 {
        let errors = error(&fed, Some(order));
        let found = observed_order(&sizes, &errors);
        println!("derivatives up to {order}: {errors:?}, order {found:.2}");
        match order {
            0 => assert!(found > 0.8 && errors[0] < 5e-3, "{found}: {errors:?}"),
            1 => assert!(found > 1.8, "{found}: {errors:?}"),
            _ => {
                let ratios = errors.iter().zip(&reference).map(|(a, b)| a / b);
                assert!(ratios.fold(0.0, f64::max) < 1.2, "{errors:?}");
            }
        }
    }
}

/// Largest spring force in the second half of 2 s, with an input that is a function of the number of the step.
fn ringing(resources: &Resources, input: impl Fn(u32) -> f64) -> f64 {
    let fmu = Fmu::new(resources);
    assert_eq!(fmu.set_real("push.force_x", input(0)), OK);
    fmu.initialize();
    let mut largest: f64 = 0.0;
    for i in 0..200 {
        assert_eq!(fmu.set_real("push.force_x", input(i)), OK);
        assert_eq!(fmu.step(0.01 * f64::from(i), 0.01), OK);
        if i >= 100 {
            largest = largest.max(fmu.real("rod.force").abs());
        }
    }
    largest
}

#[test]
fn jumps_of_an_input_do_not_ring_in_a_stiff_scene() {
    let resources = Resources::temporary("ringing", &stiff(INPUT));
    // one jump, a staircase, a switch that turns at every step
    let once = ringing(&resources, |i| if i < 50 { 0.0 } else { 8.0 });
    let stairs = ringing(&resources, |i| f64::from(i / 20));
    let switch = ringing(&resources, |i| if i % 2 == 0 { 8.0 } else { -8.0 });
    println!("largest spring force: {once:.3}, {stairs:.3}, {switch:.3} N");
    // half of the push and half of what the soft spring pulls, which is up to twice the push
    assert!(once < 12.1 && stairs < 12.1 && switch < 12.1);
}

#[test]
fn a_value_that_is_set_again_changes_nothing() {
    let scenes = [
        Resources::temporary("again", &pushed_block()),
        Resources::temporary("again stiff", &stiff(INPUT)),
    ];
    for (resources, parameter) in scenes.iter().zip(["pair.*.friction", "rod.stiffness"]) {
        let (fmu, twin) = (Fmu::new(resources), Fmu::new(resources));
        for fmu in [&fmu, &twin] {
            assert_eq!(fmu.set_real("push.force_x", 9.0), OK);
            fmu.initialize();
        }
        for i in 0..200 {
            let time = 0.01 * f64::from(i);
            assert_eq!(twin.set_real("push.force_x", 9.0), OK);
            assert_eq!(twin.set_real(parameter, twin.real(parameter)), OK);
            assert_eq!((fmu.step(time, 0.01), twin.step(time, 0.01)), (OK, OK));
            assert!(fmu.bytes() == twin.bytes(), "{i}: other bits");
        }
        // another value does
        assert_eq!(twin.set_real("push.force_x", 9.5), OK);
        assert_eq!((fmu.step(2.0, 0.01), twin.step(2.0, 0.01)), (OK, OK));
        assert!(fmu.bits() != twin.bits());
    }
}

#[test]
fn derivatives_are_for_one_step() {
    let resources = Resources::temporary("one step", &stiff(INPUT));
    let (fmu, twin) = (Fmu::initialized(&resources), Fmu::initialized(&resources));
    for fmu in [&fmu, &twin] {
        assert_eq!(
            call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &1, &100.0),
            OK
        );
        assert_eq!(fmu.step(0.0, 0.01), OK);
        assert_eq!(fmu.real("push.force_x"), 8.0);
    }
    // without a word the value that was set is back, as if it had been set
    assert_eq!(twin.set_real("push.force_x", 8.0), OK);
    assert_eq!((fmu.step(0.01, 0.01), twin.step(0.01, 0.01)), (OK, OK));
    let [x, y] = [&fmu, &twin].map(|fmu| fmu.real("left.position.x"));
    assert!((x - y).abs() < 1e-6, "{x} {y}");
    // and a second derivative alone starts from it, too
    assert_eq!(
        call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &1, &100.0),
        OK
    );
    assert_eq!(fmu.step(0.02, 0.01), OK);
    assert_eq!(call!(fmu, fmi2SetRealInputDerivatives, &0, 1, &2, &1e4), OK);
    let bytes = fmu.bytes();
    assert_eq!(twin.restore_bytes(&bytes), OK);
    assert_eq!(twin.set_real("push.force_x", 8.0), OK);
    assert_eq!(
        call!(twin, fmi2SetRealInputDerivatives, &0, 1, &2, &1e4),
        OK
    );
    assert_eq!((fmu.step(0.03, 0.01), twin.step(0.03, 0.01)), (OK, OK));
    assert!(fmu.bits() == twin.bits());
}
