//! Motors, couplings and driven bodies, against independent solutions.

use crate::common::{Truth, halvings, model, order_study, run, scene_text};
use stiction::integrate::EventKind;
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
            // forces are constant while it slips, so velocities and events are exact
            assert!((v - truth.at(4.0, "v")).abs() < 1e-12);
            let found = transitions(&end);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let late = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            assert!(late.fold(0.0, f64::max) < 1e-12);
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
        for tolerance in TOLERANCES {
            let end = run(&model, 4.0, |s| s.tolerance = Some(tolerance));
            let [x, v] = block_x(&end);
            let errors = [x - truth.at(4.0, "x"), v - truth.at(4.0, "v")];
            let found = transitions(&end);
            println!("block in {dimension}, {tolerance:.0e}: {errors:?}");
            assert_eq!(found.len(), expected.len(), "{found:?}");
            let late = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            let errors = errors.iter().map(|e| e.abs()).chain(late);
            assert!(errors.fold(0.0, f64::max) <= 10.0 * tolerance);
        }
    }
}
