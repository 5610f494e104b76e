//! Order two of the default scheme through every kind of event, measured against independent solutions.

use crate::common::{Truth, halvings, norm2, order_study, run, variant};
use stiction::integrate::EventKind;
use stiction::simulation::Simulation;

/// Every study asks for this slope at least.
const ORDER: f64 = 1.9;

fn times(end: &Simulation, kind: EventKind) -> Vec<f64> {
    let events = end.report().events.iter();
    events.filter(|e| e.kind == kind).map(|e| e.time).collect()
}

#[test]
fn block_has_order_two_in_position_and_in_all_seven_transition_times() {
    let truth = Truth::load("p1_block");
    let model = variant("block_on_table", &[]);
    let steps = halvings(0.04, 7);
    let position = order_study("block, x(10)", &steps, |step| {
        let end = run(&model, 10.0, |s| s.step = step);
        (end.state().position[0] - truth.at(10.0, "x")).abs()
    });
    assert!(position >= ORDER);
    let expected = truth.event_times();
    let transitions = order_study("block, worst of the 7 transition times", &steps, |step| {
        let end = run(&model, 10.0, |s| s.step = step);
        let found: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        assert_eq!(found.len(), 7, "{found:?}");
        let errors = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        errors.fold(0.0, f64::max)
    });
    assert!(transitions >= ORDER);
}

#[test]
fn double_pendulum_has_order_two_in_positions_and_velocities_through_five_impacts() {
    let truth = Truth::load("p2_double_pendulum");
    let model = variant("double_pendulum_wall", &[]);
    let steps = halvings(1.0 / 64.0, 7);
    let of = |names: [&str; 4]| names.map(|name| truth.at(2.5, name));
    let (q, v) = (
        of(["x1", "y1", "x2", "y2"]),
        of(["vx1", "vy1", "vx2", "vy2"]),
    );
    let position = order_study("pendulum, q(2.5)", &steps, |step| {
        let end = run(&model, 2.5, |s| s.step = step);
        assert_eq!(end.report().n_events.impacts, 5);
        norm2(end.state().position.iter().zip(q).map(|(a, b)| a - b))
    });
    let velocity = order_study("pendulum, v(2.5)", &steps, |step| {
        let end = run(&model, 2.5, |s| s.step = step);
        norm2(end.state().velocity.iter().zip(v).map(|(a, b)| a - b))
    });
    assert!(position >= ORDER && velocity >= ORDER);
}

#[test]
fn falling_rod_has_order_two_through_stick_slip_slap_down_and_rest() {
    let truth = Truth::load("p5_rod_y1_truetip");
    let model = variant("falling_rod", &[]);
    let steps = halvings(0.01, 8);
    for time in [0.54, 0.6] {
        let order = order_study(&format!("rod, q({time})"), &steps, |step| {
            let end = run(&model, time, |s| s.step = step);
            let expected = ["x", "y", "theta"].map(|name| truth.at(time, name));
            norm2(
                end.state()
                    .position
                    .iter()
                    .zip(expected)
                    .map(|(a, b)| a - b),
            )
        });
        assert!(order >= ORDER);
    }
    let finest = run(&model, 0.8, |s| s.step = 1e-4);
    println!(
        "{:?} {:?}",
        times(&finest, EventKind::Impact),
        times(&finest, EventKind::StickStart)
    );
    for step in [0.01, 0.005, 0.0025, 1e-3] {
        let end = run(&model, 0.8, |s| s.step = step);
        let impacts = times(&end, EventKind::Impact);
        let rest = times(&end, EventKind::StickStart);
        println!(
            "h = {step}: impacts {impacts:?}, rest {rest:?}, fallbacks {}",
            end.report().complementarity_steps
        );
        assert_eq!(impacts.len(), 2);
        assert!((impacts[0] - 0.385817751713149).abs() < 1e-12); // free flight is exact
        assert!((impacts[1] - 0.547318419669808).abs() < 40.0 * step * step);
        assert!((rest.last().unwrap() - 0.566342754231208).abs() < 40.0 * step * step);
    }
}

#[test]
fn carts_have_order_two_through_impact_and_reversals() {
    let truth = Truth::load("p3_carts_S1e2");
    let model = variant("two_carts", &[]);
    let order = order_study("carts S1e2, x(2)", &halvings(0.005, 7), |step| {
        let end = run(&model, 2.0, |s| s.step = step);
        let q = &end.state().position;
        norm2([q[0] - truth.at(2.0, "x1"), q[2] - truth.at(2.0, "x2")])
    });
    assert!(order >= ORDER);
}

#[test]
fn slider_crank_has_order_two_on_its_closed_loop() {
    let truth = Truth::load("p6i_slider_crank");
    let model = variant("slider_crank", &[]);
    for time in [1.0, 5.0] {
        let order = order_study(
            &format!("slider-crank, theta and x({time})"),
            &halvings(0.005, 6),
            |step| {
                let end = run(&model, time, |s| s.step = step);
                let q = &end.state().position;
                norm2([
                    q[2] - truth.at(time, "theta"),
                    q[6] - truth.at(time, "x_slider"),
                ])
            },
        );
        assert!(order >= ORDER);
    }
}

#[test]
fn two_bodies_have_order_two_through_stick_slip_and_reversals() {
    for (damping, first) in [("20", 0.005), ("100", 0.001)] {
        let truth = Truth::load(&format!("p4_damper_m1_g{damping}"));
        let model = variant(
            "two_bodies_damper",
            &[("damping = 20", &format!("damping = {damping}"))],
        );
        let order = order_study(
            &format!("two bodies, damping {damping}, x(10)"),
            &halvings(first, 7),
            |step| {
                let end = run(&model, 10.0, |s| s.step = step);
                let q = &end.state().position;
                norm2([q[0] - truth.at(10.0, "x1"), q[2] - truth.at(10.0, "x2")])
            },
        );
        assert!(order >= ORDER);
    }
}
