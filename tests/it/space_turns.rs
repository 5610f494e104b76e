//! Angles of joints in space are counted over any number of turns, as in the plane.

use crate::common::{halvings, model, order_study, run};
use stiction::model::Model;
use stiction::scene::spec::Settings;
use stiction::simulation::Simulation;

/// A wheel on a skew axle, turning at 3 rad/s, with more keys of its joint and more parts.
fn wheel(keys: &str, parts: &str) -> Model {
    model(&format!(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = [0.5, 0.5, 0.5]
        position = [1, 2, 3]
        angular_velocity = [1.8, 0, 2.4]
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["ground", "wheel"]
        at = [1, 2, 3]
        axis = [0.6, 0, 0.8]
        {keys}
        {parts}
        "#
    ))
}

fn fixed(s: &mut Settings) {
    s.step = 0.01;
}

// a turn and a half in a step
fn long(s: &mut Settings) {
    s.step = 3.0;
}

fn tolerance(s: &mut Settings) {
    s.tolerance = Some(1e-8);
}

fn times(end: &Simulation) -> Vec<f64> {
    end.report().events.iter().map(|e| e.time).collect()
}

#[test]
fn stops_are_reached_after_their_turns() {
    for (limits, bound) in [
        ("[-inf, 7]", 7.0),
        ("[-inf, 4]", 4.0),
        ("[-10, 10]", 10.0),
        ("[-1, 40]", 40.0),
    ] {
        let keys = format!("limits = {limits}\nlimit_restitution = 0.5");
        let model = wheel(&keys, "");
        let hit = bound / 3.0;
        for change in [fixed, long, tolerance] {
            let mut end = run(&model, hit + 2.0, change);
            let [angle, rate] = end.joint_coordinate(0, 0);
            println!("{limits}: {:?}, {angle} rad, {rate} rad/s", times(&end));
            assert_eq!(times(&end).len(), 1);
            assert!((times(&end)[0] - hit).abs() < 1e-9);
            assert!((angle - (bound - 3.0)).abs() < 1e-8);
            assert!((rate + 1.5).abs() < 1e-8);
        }
    }
}

#[test]
fn a_stop_between_two_spinning_bodies_sees_their_relative_turns() {
    // the first one, heavy, spins at 20 rad/s with its axle; the second gains 3 rad/s on it
    let model = model(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [[body]]
        name = "drum"
        kind = "rigid"
        mass = 1
        inertia = [2, 2, 2]
        position = [0, 0, 0]
        angular_velocity = [0, 0, 20]
        [[body]]
        name = "wheel"
        kind = "rigid"
        mass = 1
        inertia = [0.5, 0.5, 0.5]
        position = [0, 0, 1]
        angular_velocity = [0, 0, 23]
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["drum", "wheel"]
        at = [0, 0, 1]
        axis = [0, 0, 1]
        limits = [-20, 20]
        limit_restitution = 1
        "#,
    );
    for change in [fixed, long, tolerance] {
        let mut end = run(&model, 10.0, change);
        let [angle, _] = end.joint_coordinate(0, 0);
        println!("{:?}, {angle} rad", times(&end));
        assert_eq!(times(&end).len(), 1);
        assert!((times(&end)[0] - 20.0 / 3.0).abs() < 1e-9);
        assert!((angle - 10.0).abs() < 1e-7);
    }
}

#[test]
fn a_motor_faster_than_half_a_turn_a_step_is_counted() {
    let keys = "motor = { kind = \"speed\", value = 3 }";
    let mut simulation = Simulation::with_settings(wheel(keys, ""), {
        let mut settings = wheel(keys, "").settings;
        settings.step = 1.5;
        settings
    });
    for k in 1..=200 {
        let time = 1.5 * f64::from(k);
        simulation.advance_to(time).unwrap();
        let [angle, _] = simulation.joint_coordinate(0, 0);
        assert!((angle - 3.0 * time).abs() < 1e-9, "{time}: {angle}");
    }
}

#[test]
fn a_joint_spring_can_be_wound_up() {
    // amplitude 3 rad/s / 0.6 rad/s = 5 rad
    let spring = r#"
        [[force]]
        name = "spring"
        kind = "joint_spring"
        joint = "axle"
        stiffness = 0.18
        "#;
    let model = wheel("", spring);
    let error = |end: &mut Simulation| {
        let [angle, _] = end.joint_coordinate(0, 0);
        (angle - 5.0 * libm::sin(0.6 * 7.0)).abs()
    };
    let by_tolerance = error(&mut run(&model, 7.0, tolerance));
    assert!(by_tolerance < 1e-7, "{by_tolerance}");
    let order = order_study("wound spring", &halvings(0.1, 4), |h| {
        error(&mut run(&model, 7.0, |s| s.step = h))
    });
    assert!(order > 1.9);
}

#[test]
fn time_stepping_counts_turns_and_the_work_of_motors() {
    // without shapes a turning wheel would be asleep soon
    let awake =
        "[settings]\nintegrator = \"time_stepping\"\n[settings.time_stepping]\nsleep_speed = 0";
    // the stop of one at 7 rad; the motor of the other puts in half the moment of inertia times the square of its speed
    let model = wheel("limits = [-inf, 7]", awake);
    let mut end = run(&model, 4.0, fixed);
    let [angle, _] = end.joint_coordinate(0, 0);
    assert!((angle - 7.0).abs() < 1e-6, "{angle}");
    let keys = "motor = { kind = \"speed\", value = 5 }";
    let mut end = run(&wheel(keys, awake), 4.0, fixed);
    let [angle, _] = end.joint_coordinate(0, 0);
    assert!((angle - 20.0).abs() < 0.02, "{angle}");
    let put_in = end.report().applied_work;
    assert!((put_in - 0.25 * (25.0 - 9.0)).abs() < 1e-9, "{put_in}");
}
