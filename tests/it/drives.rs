//! Motors, couplings and driven bodies, against independent solutions.

use crate::common::{Truth, halvings, model, order_study, run, scene_text};
use stiction::integrate::{EventKind, StepError};
use stiction::model::Model;
use stiction::simulation::Simulation;

const ORDER: f64 = 1.9;
const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// The scene in the plane, and the same in space.
fn gear_pairs() -> [(&'static str, Model); 2] {
    let plane = scene_text("gear_pair");
    let mut space = format!("dimension = 3\n{}", plane.replace("circle", "sphere"));
    for (from, to) in [
        ("gravity = [0, 0]", "gravity = [0, 0, 0]"),
        ("[0, 0]\n", "[0, 0, 0]\n"),
        ("[0.45, 0]\n", "[0.45, 0, 0]\n"),
        ("inertia = 0.02", "inertia = [0.02, 0.02, 0.02]"),
        ("inertia = 0.5", "inertia = [0.5, 0.5, 0.5]"),
        ("\"revolute\"", "\"revolute\"\naxis = [0, 0, 1]"),
    ] {
        assert!(space.contains(from), "{from}");
        space = space.replace(from, to);
    }
    [("plane", model(&plane)), ("space", model(&space))]
}

fn shaking_tables() -> [(&'static str, Model); 2] {
    let plane = scene_text("shaking_table");
    let mut space = format!("dimension = 3\n{plane}");
    for (from, to) in [
        (", -0.05]", ", 0, -0.05]"),
        ("[0, 0.1]", "[0, 0, 0.1]"),
        ("[1.6, 0.1]", "[1.6, 1, 0.1]"),
        ("[0.4, 0.2]", "[0.4, 0.3, 0.2]"),
    ] {
        assert!(space.contains(from), "{from}");
        space = space.replace(from, to);
    }
    [("plane", model(&plane)), ("space", model(&space))]
}

/// Angle and rate of the input shaft against the reference solution, relative to their sizes.
fn gear_errors(end: &mut Simulation, truth: &Truth) -> [f64; 3] {
    let [angle, rate] = end.joint_coordinate(0, 0);
    let n = end.model().n_joint_rows;
    let reaction = end.joint_force()[n - 1];
    [
        (angle / truth.at(4.0, "phi1") - 1.0).abs(),
        (rate / truth.at(4.0, "w1") - 1.0).abs(),
        (reaction / truth.at(4.0, "mesh_torque_on_1") - 1.0).abs(),
    ]
}

#[test]
fn a_gear_pair_has_order_two_in_angle_rate_and_reaction() {
    let truth = Truth::load("m6a_gear");
    for (dimension, model) in gear_pairs() {
        for (i, what) in ["angle", "rate", "reaction"].into_iter().enumerate() {
            let name = format!("gear in {dimension}, {what}");
            let order = order_study(&name, &halvings(0.02, 6), |step| {
                gear_errors(&mut run(&model, 4.0, |s| s.step = step), &truth)[i]
            });
            assert!(order >= ORDER);
        }
    }
}

#[test]
fn a_gear_pair_keeps_its_tolerance() {
    let truth = Truth::load("m6a_gear");
    for (dimension, model) in gear_pairs() {
        for tolerance in TOLERANCES {
            let mut end = run(&model, 4.0, |s| s.tolerance = Some(tolerance));
            let [angle, rate, _] = gear_errors(&mut end, &truth);
            println!("gear in {dimension}, {tolerance:.0e}: {angle:.1e} {rate:.1e}");
            assert!(angle <= 10.0 * tolerance && rate <= 10.0 * tolerance);
        }
    }
}

fn block_x(end: &Simulation) -> [f64; 2] {
    let first = end.model().bodies[1].first;
    [end.state().position[first], end.state().velocity[first]]
}

/// Times at which the block begins to stick, to slip, or reverses; contacts of one instant count once.
fn transitions(end: &Simulation) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::new();
    for event in &end.report().events {
        let counts = matches!(
            event.kind,
            EventKind::StickStart | EventKind::SlipStart | EventKind::Reversal
        );
        if counts && times.last().is_none_or(|t| event.time - t > 1e-6) {
            times.push(event.time);
        }
    }
    times
}

#[test]
fn a_block_on_a_shaking_table_has_order_two_through_23_transitions() {
    let truth = Truth::load("m8a_shaking_table");
    let expected = truth.event_times();
    let steps = halvings(0.02, 6);
    for (dimension, model) in shaking_tables() {
        let name = format!("block in {dimension}, x(4)");
        let order = order_study(&name, &steps, |step| {
            let end = run(&model, 4.0, |s| s.step = step);
            let [x, v] = block_x(&end);
            // forces are constant while it slips, so velocities are exact; events as far as two corners share the friction
            assert!((v - truth.at(4.0, "v")).abs() < 1e-12);
            let found = transitions(&end);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let late = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            assert!(late.fold(0.0, f64::max) < 1e-9);
            (x - truth.at(4.0, "x")).abs()
        });
        assert!(order >= ORDER);
    }
}

#[test]
fn a_block_on_a_shaking_table_keeps_its_tolerance() {
    let truth = Truth::load("m8a_shaking_table");
    let expected = truth.event_times();
    for (dimension, model) in shaking_tables() {
        for exponent in 4..=10 {
            let tolerance = format!("1e-{exponent}").parse::<f64>().unwrap();
            let end = run(&model, 4.0, |s| s.tolerance = Some(tolerance));
            let [x, v] = block_x(&end);
            let errors = [x - truth.at(4.0, "x"), v - truth.at(4.0, "v")];
            let found = transitions(&end);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let late = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            let errors = errors.iter().map(|e| e.abs()).chain(late);
            let worst = errors.fold(0.0, f64::max);
            println!("block in {dimension}, {tolerance:.0e}: {worst:.1e}");
            assert!(worst <= 10.0 * tolerance);
        }
    }
}

/// Angle, rate and torque of the arm at 3 s against the reference solution.
fn servo_errors(end: &mut Simulation, truth: &Truth) -> [f64; 3] {
    let [angle, rate] = end.joint_coordinate(0, 0);
    let torque = end.element_force(0);
    [
        (angle - truth.at(3.0, "theta")).abs(),
        (rate - truth.at(3.0, "omega")).abs(),
        (torque - truth.at(3.0, "motor_torque")).abs(),
    ]
}

fn servos() -> [(&'static str, Model); 2] {
    let plane = scene_text("servo_at_stop");
    let mut space = format!("dimension = 3\ngravity = [0, -9.81, 0]\n{plane}");
    for (from, to) in [
        ("inertia = 0.155", "inertia = [0.155, 0.155, 0.155]"),
        ("[0.35, 0]\n", "[0.35, 0, 0]\n"),
        ("at = [0, 0]", "at = [0, 0, 0]\naxis = [0, 0, 1]"),
        (
            "from = [-0.35, 0], to = [0.35, 0]",
            "from = [-0.35, 0, 0], to = [0.35, 0, 0]",
        ),
    ] {
        assert!(space.contains(from), "{from}");
        space = space.replace(from, to);
    }
    [("plane", model(&plane)), ("space", model(&space))]
}

#[test]
fn a_servo_with_a_limit_has_order_two_through_its_saturation_and_a_stop() {
    let truth = Truth::load("m13a_servo_stop");
    for (dimension, model) in servos() {
        for (i, what) in ["angle", "rate", "torque"].into_iter().enumerate() {
            let name = format!("servo in {dimension}, {what}");
            let order = order_study(&name, &halvings(0.02, 6), |step| {
                servo_errors(&mut run(&model, 3.0, |s| s.step = step), &truth)[i]
            });
            assert!(order >= ORDER);
        }
        for tolerance in TOLERANCES {
            let mut end = run(&model, 3.0, |s| s.tolerance = Some(tolerance));
            let errors = servo_errors(&mut end, &truth);
            println!("servo in {dimension}, {tolerance:.0e}: {errors:?}");
            assert!(errors[0] <= 10.0 * tolerance && errors[1] <= 10.0 * tolerance);
        }
    }
}

#[test]
fn a_servo_is_at_its_limit_when_the_reference_solution_is() {
    // saturated from 0.2 to 0.25536 s, from before the stop to 1.5 s, and from 1.9 to 1.94128 s
    let expected = [
        (0.19, 0.0),
        (0.21, 1.0),
        (0.2553, 1.0),
        (0.2554, 0.0),
        (1.49, 1.0),
        (1.51, 0.0),
        (1.89, 0.0),
        (1.91, 1.0),
        (1.9412, 1.0),
        (1.9414, 0.0),
    ];
    for (dimension, model) in servos() {
        for tolerance in [None, Some(1e-8)] {
            for (time, branch) in expected {
                let end = run(&model, time, |s| s.tolerance = tolerance);
                let found = end.state().inputs[0].derivatives[0];
                assert_eq!(found, branch, "{dimension}, {tolerance:?}, {time} s");
            }
        }
    }
}

#[test]
fn backlash_rattles_at_the_times_of_the_closed_form() {
    let model = model(&scene_text("gear_backlash"));
    for tolerance in [None, Some(1e-8)] {
        let mut end = run(&model, 1.0, |s| s.tolerance = tolerance);
        let impacts = end.report().events.iter();
        let impacts: Vec<f64> = impacts
            .filter(|e| e.kind == EventKind::Impact)
            .map(|e| e.time)
            .collect();
        let (mut time, mut rate) = (0.005, 2.0);
        for found in &impacts {
            assert!((found - time).abs() < 1e-12, "{found} {time}");
            rate *= 0.8;
            time += 0.02 / rate;
        }
        assert!(time > 1.0 && impacts.len() > 10, "{}", impacts.len());
        let [[_, w1], [_, w2]] = [0, 1].map(|j| end.joint_coordinate(j, 0));
        assert!((2.0 * 0.02 * w1 - 0.1 * w2 - 0.08).abs() < 1e-13);
        let report = end.report();
        assert!(report.numerical_gain < 1e-14 && report.impact_loss > 0.0);
    }
}

/// A pinion that drives a rack against a spring: one degree of freedom, (J/r^2 + m) x'' = -k x.
#[test]
fn a_rack_oscillates_with_the_inertia_of_its_pinion() {
    let text = r#"
        gravity = [0, 0]
        [[body]]
        name = "pinion"
        kind = "rigid"
        mass = 1
        inertia = 0.03
        position = [0, 0]
        angular_velocity = 4
        [[body]]
        name = "slider"
        kind = "rigid"
        mass = 2
        inertia = 1
        position = [0, -0.1]
        velocity = [0.4, 0]
        [[joint]]
        name = "axle"
        kind = "revolute"
        bodies = ["ground", "pinion"]
        at = [0, 0]
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["ground", "slider"]
        at = [0, -0.1]
        axis = [1, 0]
        [[coupling]]
        name = "mesh"
        kind = "rack"
        joints = ["axle", "rail"]
        radius = 0.1
        [[force]]
        name = "spring"
        kind = "spring"
        bodies = ["ground", "slider"]
        anchors = [[-1, -0.1], [0, 0]]
        stiffness = 45
    "#;
    let end = run(&model(text), 3.0, |s| s.tolerance = Some(1e-10));
    let omega = (45.0_f64 / (0.03 / 0.01 + 2.0)).sqrt();
    let x = 0.4 / omega * (omega * 3.0).sin();
    assert!((end.state().position[3] - x).abs() < 1e-8);
    assert!((end.state().position[2] - x / 0.1).abs() < 1e-7);
}

/// Velocities that are held by an input jump with it: the block, stuck to the table by friction, follows.
#[test]
fn a_driven_body_takes_a_held_velocity_and_refuses_a_jump_of_position() {
    let table = |motion: &str| {
        format!(
            r#"
            [[body]]
            name = "table"
            kind = "driven"
            {motion}
            shape = [{{ kind = "box", size = [8, 0.2] }}]
            [[body]]
            name = "block"
            kind = "rigid"
            mass = 2
            position = [0, 0.1]
            shape = [{{ kind = "box", size = [0.4, 0.2] }}]
            [contact_default]
            friction = 0.5
            "#
        )
    };
    let by_velocity = "position = [0, -0.1]\nvelocity = [{ kind = \"input\" }, 0]";
    let mut held = Simulation::new(model(&table(by_velocity)));
    held.advance_to(0.5).unwrap();
    held.state_mut().inputs[0].derivatives[0] = 1.0;
    held.advance_to(1.5).unwrap();
    // it slides for 1 / (0.5 g), and has lost half of the way of the table meanwhile
    let state = held.state();
    let slip = 0.5 / (0.5 * 9.81);
    assert!((state.position[0] - 1.0).abs() < 1e-12);
    assert!(
        (state.position[3] - (1.0 - slip)).abs() < 1e-9,
        "{}",
        state.position[3]
    );
    assert!(held.report().energy_error().abs() < 1e-9);

    let by_position = "position = [{ kind = \"input\" }, -0.1]";
    let mut jumps = Simulation::new(model(&table(by_position)));
    jumps.advance_to(0.5).unwrap();
    jumps.state_mut().inputs[0].derivatives[0] = 0.25;
    let error = jumps.advance_to(0.6).unwrap_err();
    assert_eq!(
        error,
        StepError::PositionJump {
            time: 0.5,
            size: 0.25
        }
    );
}
