//! Scenes in space that cannot be started as they are written, and friction axes and motors at their limits.

use crate::common::{halvings, model, order_study, run};
use stiction::{Model, Simulation};

/// The scene must be refused for one reason, on the line with the mark `#!`, with this key and these fragments.
fn refused(text: &str, key: &str, fragments: &[&str]) {
    let Err(error) = Model::from_text("scene", text) else {
        panic!("this scene should be refused:\n{text}");
    };
    println!("{error}");
    let line = text.lines().position(|l| l.contains("#!")).unwrap() + 1;
    assert_eq!(error.problems.len(), 1, "one problem only");
    let (found, _, problem) = &error.problems[0];
    assert_eq!((*found, problem.key.as_str()), (line, key));
    let all = format!("{}\n{}", problem.message, problem.hint);
    for fragment in fragments {
        assert!(all.contains(fragment), "`{fragment}` is not in: {all}");
    }
}

fn two_boxes(first: [f64; 3], second: [f64; 3], at: [f64; 3]) -> String {
    format!(
        r#"
        dimension = 3
        [[body]]
        name = "low"
        kind = "rigid"
        mass = 2
        position = [0, 0, 0.1]
        shape = [{{ kind = "box", size = {first:?} }}]
        [[body]] #!
        name = "high"
        kind = "rigid"
        mass = 2
        position = {at:?}
        shape = [{{ kind = "box", size = {second:?} }}]
        [[ground.shape]]
        name = "floor"
        kind = "half_space"
        normal = [0, 0, 1]
        "#
    )
}

#[test]
fn flush_boxes_that_overlap_are_refused() {
    let (flat, cube) = ([0.3, 0.3, 0.2], [0.2, 0.2, 0.2]);
    let (along, across) = ([1.0, 0.2, 0.2], [0.2, 1.0, 0.2]);
    for (first, second, at, depth) in [
        (flat, flat, [0.02, 0.0, 0.299999], "1.000e-6 m"),
        (flat, flat, [0.02, 0.0, 0.299], "1.000e-3 m"),
        (flat, flat, [0.02, 0.0, 0.25], "5.000e-2 m"),
        (cube, cube, [0.0, 0.0, 0.2], "1.000e-1 m"),
        (along, across, [0.0, 0.0, 0.1], "2.000e-1 m"),
    ] {
        let text = two_boxes(first, second, at);
        let fragments = ["`high.on.low` overlap by", depth, "move the bodies apart"];
        refused(&text, "body[high].position", &fragments);
    }
}

#[test]
fn flush_boxes_that_touch_are_taken() {
    let flat = [0.3, 0.3, 0.2];
    for at in [[0.02, 0.0, 0.3], [0.0, 0.0, 0.3], [0.3, 0.0, 0.1]] {
        let end = run(&model(&two_boxes(flat, flat, at)), 0.5, |_| {});
        assert!(end.report().worst_penetration < 1e-9);
    }
}

/// A ball on the ground with more parts.
fn ball(mass: &str, parts: &str) -> String {
    format!(
        r#"
        dimension = 3
        [[body]]
        name = "ball"
        kind = "rigid"
        {mass}
        position = [0, 0, 0.1]
        velocity = [1, 1, 0]
        shape = [{{ kind = "sphere", radius = 0.1 }}]
        [[ground.shape]]
        name = "floor"
        kind = "half_space"
        normal = [0, 0, 1]
        {parts}
        "#
    )
}

#[test]
fn masses_beyond_all_measure_are_refused_as_such() {
    for mass in ["1e308", "1e-320"] {
        let text = ball(&format!("mass = {mass} #!"), "");
        let told = format!("mass must be above zero (1e-60 to 1e60), but is {mass}");
        refused(&text, "body[ball].mass", &[&told]);
    }
    let text = ball("density = 1e300 #!", "");
    refused(&text, "body[ball].density", &["1e-60 to 1e60"]);
}

#[test]
fn a_spring_without_a_direction_is_refused() {
    let spring = |mark: &str, rest: &str| {
        format!(
            r#"
            [[force]] {mark}
            name = "spring"
            kind = "spring_damper"
            bodies = ["ground", "ball"]
            anchors = [[0, 0, 0.1], [0, 0, 0]]
            stiffness = 10
            damping = 0
            {rest}
            "#
        )
    };
    let text = ball("mass = 1", &spring("#!", "rest_length = 0.3"));
    let fragments = ["its force has no direction", "move the anchors apart"];
    refused(&text, "force[spring].rest_length", &fragments);
    for rest in ["rest_length = 0", ""] {
        model(&ball("mass = 1", &spring("", rest)));
    }
}

fn hinge(name: &str, mark: &str, keys: &str) -> String {
    format!(
        r#"
        [[joint]] {mark}
        name = "{name}"
        bodies = ["ground", "wheel"]
        {keys}
        "#
    )
}

fn wheel(joints: &[String]) -> String {
    format!(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = [0.1, 0.1, 0.2]
        position = [0, 0, 0.1]
        {}
        "#,
        joints.concat()
    )
}

const REVOLUTE: &str = "kind = \"revolute\"\nat = [0, 0, 0.1]\naxis = [0, 0, 1]\n";

#[test]
fn motors_that_contradict_each_other_are_refused() {
    let driven =
        |speed: f64| format!("{REVOLUTE}motor = {{ kind = \"speed\", value = {speed:?} }}");
    let first = hinge("first", "", &driven(1.0));
    let other = wheel(&[first.clone(), hinge("second", "#!", &driven(2.0))]);
    let fragments = [
        "the motor has the speed 2",
        "only allow 1.0",
        "remove one of the motors",
    ];
    refused(&other, "joint[second].motor", &fragments);
    // the same speed twice is no contradiction
    let same = wheel(&[first, hinge("second", "", &driven(1.0))]);
    let end = run(&model(&same), 0.5, |_| {});
    assert!((end.state().velocity[5] - 1.0).abs() < 1e-12);
}

#[test]
fn a_motor_of_a_body_that_is_held_is_refused() {
    let driven = format!("{REVOLUTE}motor = {{ kind = \"speed\", value = 1 }}");
    let joints = [
        hinge("hinge", "#!", &driven),
        hinge("weld", "", "kind = \"fixed\""),
    ];
    let fragments = ["has the speed 1", "only allow 0.0"];
    refused(&wheel(&joints), "joint[hinge].motor", &fragments);
}

/// A ball that cannot turn slides over the ground, with friction that differs between directions.
fn sliding(axes: &str, axis: &str) -> Simulation {
    let friction = format!("[contact_default]\nfriction_axes = {axes}\nfriction_axis = {axis}\n");
    let text = ball("mass = 1", &friction).replace("\"rigid\"", "\"point\"");
    run(&model(&text), 1.0, |_| {})
}

#[test]
fn friction_may_hold_along_one_axis_only() {
    // stops after 1 / 1.962 s along the one that holds, and slides on along the other
    let stopped = 0.5 / (0.2 * 9.81);
    for (axes, expected) in [
        ("[0.2, 0]", [stopped, 1.0]),
        ("[0, 0.2]", [1.0, stopped]),
        ("[0, 0]", [1.0, 1.0]),
    ] {
        let end = sliding(axes, "[2, 0, 0]");
        let place = &end.state().position;
        println!("{axes}: {place:?}");
        for (x, expected) in place.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-9);
        }
        assert!((end.state().contact_force[0][0] - 9.81).abs() < 1e-9);
    }
}

#[test]
fn a_friction_axis_along_the_normal_leaves_the_direction_open() {
    // along x or y, whichever is taken: each of the two coefficients holds in one of the two
    let end = sliding("[0.2, 0.4]", "[0, 0, 1]");
    let [x, y] = [end.state().position[0], end.state().position[1]];
    println!("{x} {y}");
    assert!(x > 0.05 && y > 0.05 && x < 0.5 && y < 0.5);
    let alike = sliding("[0.2, 0.2]", "[0, 0, 1]").state().position.clone();
    let round = sliding("[0.2, 0.2]", "[1, 0, 0]").state().position.clone();
    assert!(alike.iter().zip(&round).all(|(a, b)| (a - b).abs() < 1e-12));
}

/// A shaft driven at 10 rad/s through a cross at 40 degrees, as it is or from rest.
fn cross(from_rest: bool) -> Model {
    let (first, second) = if from_rest {
        ("", "")
    } else {
        (
            "angular_velocity = [10.0, 0, 0]",
            "angular_velocity = [5.868240888334651, 4.92403876506104, 0.0]",
        )
    };
    model(&format!(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "in"
        kind = "rigid"
        mass = 1
        inertia = [0.01, 0.02, 0.02]
        position = [-0.5, 0, 0]
        {first}
        [[body]]
        name = "out"
        kind = "rigid"
        mass = 1
        inertia = [0.01, 0.02, 0.02]
        position = [0.383022221559489, 0.3213938048432696, 0]
        orientation = [0.9396926207859084, 0, 0, 0.3420201433256687]
        {second}
        [[joint]]
        name = "b1"
        kind = "revolute"
        bodies = ["ground", "in"]
        at = [-0.5, 0, 0]
        axis = [1, 0, 0]
        motor = {{ kind = "speed", value = 10.0 }}
        [[joint]]
        name = "b2"
        kind = "revolute"
        bodies = ["ground", "out"]
        at = [0.383022221559489, 0.3213938048432696, 0.0]
        axis = [0.766044443118978, 0.6427876096865393, 0.0]
        [[joint]]
        name = "cross"
        kind = "universal"
        bodies = ["in", "out"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        second_axis = [-0.6427876096865393, 0.766044443118978, 0]
        "#
    ))
}

fn imbalance(model: &Model, step: f64) -> f64 {
    let start = Simulation::new(model.clone()).energy().total();
    let mut end = run(model, 2.0, |s| s.step = step);
    let report = end.report();
    let losses = report.damping_loss + report.friction_loss + report.impact_loss;
    let expected = start + report.applied_work - losses;
    (end.energy().total() - expected).abs()
}

#[test]
fn the_work_of_a_motor_closes_the_energy_balance() {
    let model = cross(false);
    let order = order_study(
        "energy balance of a driven cross",
        &halvings(0.02, 4),
        |h| imbalance(&model, h),
    );
    assert!(order > 1.9);
    assert!(imbalance(&model, 0.01) < 1e-3);
}

#[test]
fn a_motor_that_starts_with_a_jump_pays_for_it() {
    let model = cross(true);
    let start = run(&model, 1e-6, |s| s.step = 1e-6);
    // half the moment of inertia times the squares of both speeds
    let [first, second] = [10.0, 10.0 * (40.0_f64).to_radians().cos()];
    let energy = 0.005 * (first * first + second * second);
    let paid = start.report().applied_work;
    println!("{paid} J of {energy} J");
    assert!((paid - energy).abs() < 1e-9);
    let order = order_study("energy balance from rest", &halvings(0.02, 4), |h| {
        imbalance(&model, h)
    });
    assert!(order > 1.9);
}
