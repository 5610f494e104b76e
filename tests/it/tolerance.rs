//! By tolerance: the error at the end follows the tolerance, every event is found, and the work is small.

use crate::common::{
    Truth, halvings, model, norm2, observed_order, order_study, run, scene_text, variant,
};
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

const TOLERANCES: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// The error at the end may be this many times the tolerance.
const FACTOR: f64 = 10.0;

fn largest(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, |m, e| m.max(e.abs()))
}

/// Runs at all tolerances; errors must stay below `factor` times the tolerance, reach 1e-10 and fall as a whole.
fn sweep(
    name: &str,
    model: &Model,
    until: f64,
    factor: f64,
    error: impl Fn(&[f64]) -> f64,
) -> Vec<Simulation> {
    let mut errors = Vec::new();
    let mut ends = Vec::new();
    for tolerance in TOLERANCES {
        let end = run(model, until, |s| s.tolerance = Some(tolerance));
        let error = error(&end.state().position);
        tell(name, tolerance, error, &end);
        assert!(error <= factor * tolerance, "{name}");
        errors.push(error);
        ends.push(end);
    }
    assert!(errors.last().is_some_and(|e| *e <= 1e-10), "{name}");
    // errors at rounding from the start on have nowhere to fall
    let floor = 1e-12;
    let floored: Vec<f64> = errors.iter().map(|e| e.max(floor)).collect();
    assert!(
        floored[0] <= floor || observed_order(&TOLERANCES, &floored) > 0.1,
        "{name}"
    );
    ends
}

fn tell(name: &str, tolerance: f64, error: f64, end: &Simulation) {
    let report = end.report();
    println!(
        "{name}, {tolerance:.0e}: error {error:.1e}, {} factorizations, {} steps, {} rejected, {} events, {} problems, {} complementarity steps, {} of first order",
        report.factorizations,
        report.steps,
        report.rejected_steps,
        report.n_events.total(),
        report.lcps,
        report.complementarity_steps,
        report.first_order_steps,
    );
}

/// The least work that brings the error to `goal`, among tolerances that differ by factors of the square root of ten.
fn work_to_reach(
    name: &str,
    model: &Model,
    until: f64,
    goal: f64,
    error: impl Fn(&[f64]) -> f64,
) -> u64 {
    for half_decades in 6..=22 {
        let tolerance = libm::pow(10.0, -f64::from(half_decades) / 2.0);
        let end = run(model, until, |s| s.tolerance = Some(tolerance));
        let error = error(&end.state().position);
        if error <= goal {
            tell(name, tolerance, error, &end);
            return end.report().factorizations;
        }
    }
    panic!("{name} does not reach {goal:.0e}");
}

fn times(end: &Simulation, kind: EventKind) -> Vec<f64> {
    let events = end.report().events.iter();
    events.filter(|e| e.kind == kind).map(|e| e.time).collect()
}

fn compare_times(name: &str, found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    let worst = largest(found.iter().zip(expected).map(|(a, b)| a - b));
    println!("{name}: worst of {} event times {worst:.1e}", found.len());
    assert!(worst <= bound, "{name}");
}

fn block_error(truth: &Truth) -> impl Fn(&[f64]) -> f64 + use<> {
    let x = truth.at(10.0, "x");
    move |q| (q[0] - x).abs()
}

#[test]
fn the_block_follows_its_tolerance_through_all_seven_transitions() {
    let truth = Truth::load("p1_block");
    let model = variant("block_on_table", &[]);
    let ends = sweep("block", &model, 10.0, FACTOR, block_error(&truth));
    for (end, bound) in ends.iter().zip([1e-8, 1e-9, 1e-10, 1e-11]) {
        let found: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        compare_times("block", &found, &truth.event_times(), bound);
    }
    let work = work_to_reach("block", &model, 10.0, 1e-10, block_error(&truth));
    assert!(work <= 966 * 6 / 5);
}

fn pendulum_error(truth: &Truth) -> impl Fn(&[f64]) -> f64 + use<> {
    let expected = ["x1", "y1", "x2", "y2"].map(|name| truth.at(2.5, name));
    move |q| largest(q.iter().zip(expected).map(|(a, b)| a - b))
}

#[test]
fn the_double_pendulum_follows_its_tolerance_through_five_impacts() {
    let truth = Truth::load("p2_double_pendulum");
    let model = variant("double_pendulum_wall", &[]);
    let ends = sweep("pendulum", &model, 2.5, FACTOR, pendulum_error(&truth));
    for (end, bound) in ends.iter().zip([1e-5, 1e-7, 1e-9, 1e-11]) {
        let found = times(end, EventKind::Impact);
        compare_times("pendulum", &found, &truth.event_times(), bound);
    }
    let work = work_to_reach("pendulum", &model, 2.5, 1e-10, pendulum_error(&truth));
    assert!(work <= 1215 * 6 / 5);
}

fn rod_error(truth: &Truth, time: f64) -> impl Fn(&[f64]) -> f64 + use<> {
    let expected = ["x", "y", "theta"].map(|name| truth.at(time, name));
    move |q| largest(q.iter().zip(expected).map(|(a, b)| a - b))
}

#[test]
fn the_falling_rod_follows_its_tolerance_to_its_slap_down_and_to_rest() {
    let truth = Truth::load("p5_rod_y1_truetip");
    let model = variant("falling_rod", &[]);
    sweep("rod to 0.54", &model, 0.54, FACTOR, rod_error(&truth, 0.54));
    let ends = sweep("rod to 0.6", &model, 0.6, FACTOR, rod_error(&truth, 0.6));
    for (end, bound) in ends.iter().zip([1e-5, 1e-7, 1e-9, 1e-11]) {
        // both ends of the rod come to rest at once, as one event of the reference
        let mut found: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
        found.dedup();
        compare_times("rod", &found, &truth.event_times(), bound);
    }
    let work = work_to_reach("rod", &model, 0.54, 1e-10, rod_error(&truth, 0.54));
    assert!(work <= 412 * 6 / 5);
}

/// The carts of a reference: their model, the end of the run, the error there.
fn carts(name: &str) -> (Model, f64, impl Fn(&[f64]) -> f64 + use<>) {
    let truth = Truth::load(&format!("p3_carts_{name}"));
    let of = |key: &str| truth.0["parameters"][key].clone();
    let number = |key: &str| of(key).as_f64().unwrap();
    let (x, v) = (of("q0")[0].as_f64().unwrap(), of("v0")[0].as_f64().unwrap());
    let text = scene_text("two_carts")
        .replace(
            "stiffness = 100",
            &format!("stiffness = {:e}", number("gamma")),
        )
        .replace("damping = 10", &format!("damping = {:e}", number("delta")))
        .replace("position = [0.2, 0]", &format!("position = [{x}, 0]"))
        .replace(
            "position = [5.2, 0]",
            &format!("position = [{}, 0]", x + 5.0),
        )
        .replace("velocity = [-3, 0]", &format!("velocity = [{v}, 0]"));
    let until = number("T");
    let expected = ["x1", "x2"].map(|name| truth.at(until, name));
    let error = move |q: &[f64]| largest([q[0] - expected[0], q[2] - expected[1]]);
    (model(&text), until, error)
}

#[test]
fn carts_on_soft_and_stiff_springs_follow_their_tolerance() {
    for (name, n_events) in [("S1e2", 10), ("S1e4", 40), ("S1e6", 353)] {
        let (model, until, error) = carts(name);
        for end in sweep(name, &model, until, FACTOR, error) {
            assert_eq!(end.report().n_events.total(), n_events, "{name}");
        }
    }
    for (name, most) in [("S1e2", 1556), ("S1e4", 7119)] {
        let (model, until, error) = carts(name);
        assert!(work_to_reach(name, &model, until, 1e-10, error) <= most * 6 / 5);
    }
}

#[test]
fn carts_with_soft_and_stiff_dampers_follow_their_tolerance_through_hold_and_release() {
    for name in ["D1e2", "D1e3", "D1e6"] {
        let (model, until, error) = carts(name);
        let ends = sweep(name, &model, until, FACTOR, error);
        if name == "D1e6" {
            // smoothed: at a tolerance of 1e-8
            assert!(ends[2].report().factorizations <= 6915 * 6 / 5);
        }
    }
}

#[test]
fn the_slider_crank_follows_its_tolerance_on_a_closed_loop() {
    let truth = Truth::load("p6i_slider_crank");
    let model = variant("slider_crank", &[]);
    let expected = ["theta", "x_slider"].map(|name| truth.at(5.0, name));
    let error = |q: &[f64]| largest([q[2] - expected[0], q[6] - expected[1]]);
    // the motion amplifies errors
    for end in sweep("slider-crank", &model, 5.0, 100.0, error) {
        assert!(end.report().worst_joint_drift < 1e-13);
    }
    let work = work_to_reach("slider-crank", &model, 5.0, 1e-10, error);
    assert!(work <= 10984 * 6 / 5);
}

#[test]
fn two_bodies_and_a_damper_follow_their_tolerance_at_any_damping() {
    for damping in ["20", "100", "1e6"] {
        let truth = Truth::load(&format!("p4_damper_m1_g{damping}"));
        let expected = ["x1", "x2"].map(|name| truth.at(10.0, name));
        let model = variant(
            "two_bodies_damper",
            &[("damping = 20", &format!("damping = {damping}"))],
        );
        let name = format!("two bodies, damping {damping}");
        let ends = sweep(&name, &model, 10.0, FACTOR, |q| {
            largest([q[0] - expected[0], q[2] - expected[1]])
        });
        let counts: Vec<u64> = ends.iter().map(|e| e.report().n_events.total()).collect();
        assert!(counts.iter().all(|n| *n == counts[0]), "{counts:?}");
    }
}

#[test]
fn a_stiff_chain_at_rest_in_its_fast_mode_takes_few_steps() {
    let truth = Truth::load("p6k_stiff_chain");
    let case = &truth.0["cases"][0];
    let k = |key: &str| case[key].as_f64().unwrap();
    let text = format!(
        r#"
        gravity = [0, 0]
        [[body]]
        name = "near"
        kind = "point"
        mass = 1
        position = [{:?}, 0]
        [[body]]
        name = "far"
        kind = "point"
        mass = 1
        position = [{:?}, 0]
        [[force]]
        name = "soft"
        kind = "spring_damper"
        bodies = ["ground", "near"]
        anchors = [[0, 0], [0, 0]]
        damping = 0
        stiffness = {:?}
        rest_length = 1
        [[force]]
        name = "stiff"
        kind = "spring_damper"
        bodies = ["near", "far"]
        anchors = [[0, 0], [0, 0]]
        damping = 0
        stiffness = {:?}
        rest_length = 1
        "#,
        1.0 + case["x0"][0].as_f64().unwrap(),
        2.0 + case["x0"][1].as_f64().unwrap(),
        k("k1"),
        k("k2"),
    );
    let model = model(&text);
    // the fast mode carries 1e-4 m: it has to be followed through its 2251 periods
    let expected = truth.case_at(0, 10.0);
    sweep("stiff chain, both modes", &model, 10.0, FACTOR, |q| {
        largest([q[0] - 1.0 - expected[0], q[2] - 2.0 - expected[1]])
    });
    let slow = slow_mode(k("k1"), k("k2"));
    let mut quiet = model.clone();
    quiet.initial_position = vec![
        1.0 + 0.1 * slow.shape[0],
        0.0,
        2.0 + 0.1 * slow.shape[1],
        0.0,
    ];
    let end = run(&quiet, 5.0, |s| s.tolerance = Some(1e-8));
    let phase = (slow.omega * 5.0).cos();
    let q = &end.state().position;
    let error = largest([
        q[0] - 1.0 - 0.1 * slow.shape[0] * phase,
        q[2] - 2.0 - 0.1 * slow.shape[1] * phase,
    ]);
    tell("stiff chain, slow mode", 1e-8, error, &end);
    assert!(error <= 1e-7 && end.report().steps < 100);
}

struct SlowMode {
    omega: f64,
    shape: [f64; 2],
}

// of a wall, a spring k1, a mass, a spring k2 and a mass, both of 1 kg
fn slow_mode(k1: f64, k2: f64) -> SlowMode {
    let sum = k1 + 2.0 * k2;
    // the smaller root of w^4 - (k1 + 2 k2) w^2 + k1 k2, without cancellation
    let square = 2.0 * k1 * k2 / (sum + (sum * sum - 4.0 * k1 * k2).sqrt());
    let shape = [1.0, k2 / (k2 - square)];
    let length = norm2(shape);
    SlowMode {
        omega: square.sqrt(),
        shape: shape.map(|x| x / length),
    }
}

#[test]
fn the_ball_bounces_until_it_is_slower_than_the_tolerance() {
    let truth = Truth::load("p6a_bouncing_ball");
    let model = variant("bouncing_ball", &[]);
    let expected = truth.event_times();
    for end in sweep("ball", &model, 4.5, FACTOR, |q| q[1].abs()) {
        let found = times(&end, EventKind::Impact);
        let known = found.len().min(expected.len());
        compare_times("ball", &found[..known], &expected[..known], 1e-11);
        let tolerance = end.settings().tolerance.unwrap();
        // the last impact is the first one that is slower than the tolerance, or hops lower than 1e-13 m
        let slowest = tolerance.max((2.0 * 9.81e-13_f64).sqrt());
        let first: f64 = (2.0 * 9.81_f64).sqrt();
        let approach = |k: usize| first * libm::pow(0.8, k as f64 - 1.0);
        assert!(approach(found.len()) < slowest && approach(found.len() - 1) >= slowest);
    }
    sweep("ball at 4", &model, 4.0, FACTOR, |q| {
        (q[1] - truth.at(4.0, "z")).abs()
    });
}

#[test]
fn the_incline_is_exact_and_stops_on_time() {
    let truth = Truth::load("p6b_incline");
    let case = &truth.0["cases"][0];
    let event = &case["events"][0];
    let model = variant("incline", &[]);
    let stop = event["s"].as_f64().unwrap();
    for end in sweep("incline", &model, 10.0, FACTOR, |q| {
        (norm2([q[0], q[1]]) - stop).abs()
    }) {
        let found = times(&end, EventKind::StickStart);
        compare_times("incline", &found, &[event["t"].as_f64().unwrap()], 1e-11);
    }
}

#[test]
fn the_order_of_fixed_steps_is_twice_the_number_of_rows() {
    let rod_truth = Truth::load("p5_rod_y1_truetip");
    let rod = variant("falling_rod", &[]);
    let pendulum_truth = Truth::load("p2_double_pendulum");
    let pendulum = variant("double_pendulum_wall", &[]);
    let thinner = |first: f64| -> Vec<f64> {
        (0..6)
            .map(|i| first / libm::pow(1.3, f64::from(i)))
            .collect()
    };
    // as long as the error is above rounding, and short enough to have several steps between two events
    for (rows, least, rod_steps, pendulum_steps) in [
        (2, 3.8, halvings(0.01, 4), halvings(0.0625, 5)),
        (
            3,
            5.5,
            vec![0.03, 0.025, 0.02, 0.016, 0.0125, 0.01],
            thinner(0.0625),
        ),
        (
            4,
            7.0,
            vec![0.12, 0.1, 0.08, 0.06, 0.05, 0.04],
            thinner(0.0625),
        ),
    ] {
        let fixed = |model: &Model, until: f64, step: f64| {
            run(model, until, |s| {
                s.scheme = Scheme::Extrapolated;
                s.rows = rows;
                s.step = step;
            })
        };
        let of_rod = order_study(&format!("rod, {rows} rows"), &rod_steps, |step| {
            rod_error(&rod_truth, 0.54)(&fixed(&rod, 0.54, step).state().position)
        });
        let of_pendulum = order_study(&format!("pendulum, {rows} rows"), &pendulum_steps, |step| {
            let end = fixed(&pendulum, 2.5, step);
            assert_eq!(end.report().n_events.impacts, 5);
            pendulum_error(&pendulum_truth)(&end.state().position)
        });
        assert!(of_rod >= least && of_pendulum >= least);
    }
}
