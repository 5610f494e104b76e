//! A nut on a vertical screw that is fixed to the ground, against closed forms: it falls, swings on a spring, is driven, stops.

use crate::common::{halvings, model, order_study, run};
use std::f64::consts::TAU;
use stiction::model::Model;
use stiction::scene::parse;
use stiction::simulation::Simulation;

const G: f64 = 9.81;
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.02;
const LEAD: f64 = 0.5;

fn text(lead: f64, joint: &str, rest: &str) -> String {
    format!(
        r#"
dimension = 3
{rest}
[[body]]
name = "nut"
kind = "rigid"
mass = {MASS}
inertia = [0.02, 0.015, {INERTIA}]
position = [0.3, 0, 1]
[[joint]]
name = "screw"
kind = "screw"
bodies = ["ground", "nut"]
at = [0.3, 0, 1]
axis = [0, 0, 1]
lead = {lead}
{joint}
"#
    )
}

fn nut(lead: f64, joint: &str, rest: &str) -> Model {
    model(&text(lead, joint, rest))
}

/// Height above the start, and its rate.
fn height(simulation: &Simulation) -> [f64; 2] {
    let state = simulation.state();
    [state.position[2] - 1.0, state.velocity[2]]
}

/// Size of the rate of rotation.
fn spin(simulation: &Simulation) -> f64 {
    let v = &simulation.state().velocity;
    (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]).sqrt()
}

/// Acceleration of the nut: g m / (m + J (2 pi / lead)^2).
fn acceleration(lead: f64) -> f64 {
    let turns = TAU / lead;
    G * MASS / (MASS + INERTIA * turns * turns)
}

#[test]
fn a_nut_falls_as_its_mass_and_inertia_tell_and_keeps_its_energy() {
    for lead in [LEAD, -LEAD, 0.05] {
        let model = nut(lead, "", "");
        for tolerance in [None, Some(1e-9)] {
            let mut before = run(&model, 0.0, |s| s.tolerance = tolerance);
            let energy = before.energy().total();
            let mut simulation = run(&model, 2.0, |s| s.tolerance = tolerance);
            let [z, rate] = height(&simulation);
            let expected = acceleration(lead);
            let scale = expected * 2.0;
            assert!(
                (z + 0.5 * expected * 4.0).abs() < 1e-8 * scale,
                "{lead}: {z}"
            );
            assert!(
                (rate + expected * 2.0).abs() < 1e-8 * scale,
                "{lead}: {rate}"
            );
            assert!(
                (spin(&simulation) - (rate * TAU / lead).abs()).abs()
                    < 1e-8 * scale * TAU / lead.abs()
            );
            let drift = (simulation.energy().total() - energy).abs();
            assert!(drift < 1e-8 * MASS * G * z.abs(), "{lead}: {drift:e}");
        }
    }
}

/// On a spring about its axis the nut swings: q = q_e (1 - cos w t), w^2 = k / (J + m (lead / 2 pi)^2), q_e = -m g lead / (2 pi k).
#[test]
fn on_a_spring_it_swings_with_order_two_and_by_tolerance() {
    let stiffness = 3.0;
    let spring = format!(
        "[[force]]\nname = \"spring\"\nkind = \"joint_spring\"\njoint = \"screw\"\nstiffness = {stiffness}\nrest = 0\n"
    );
    let model = model(&format!("{}{spring}", text(LEAD, "", "")));
    let slope = LEAD / TAU;
    let omega = (stiffness / (INERTIA + MASS * slope * slope)).sqrt();
    let exact = |t: f64| -MASS * G * slope / stiffness * (1.0 - libm::cos(omega * t)) * slope;
    let error = |simulation: &Simulation| (height(simulation)[0] - exact(1.0)).abs();
    let order = order_study("screw", &halvings(0.01, 4), |h| {
        error(&run(&model, 1.0, |s| s.step = h))
    });
    assert!((order - 2.0).abs() < 0.1, "{order}");
    let accurate = run(&model, 1.0, |s| s.tolerance = Some(1e-10));
    assert!(error(&accurate) < 1e-8, "{:e}", error(&accurate));
}

#[test]
fn a_motor_and_limits_act_on_the_angle() {
    let driven = nut(-LEAD, "motor = { kind = \"speed\", value = 3 }", "");
    let simulation = run(&driven, 1.0, |_| {});
    let [z, rate] = height(&simulation);
    let expected = -3.0 * LEAD / TAU;
    // the start is at rest, and the motor has its speed at once
    assert!((rate - expected).abs() < 1e-9, "{rate}");
    assert!((z - expected).abs() < 1e-3, "{z}");

    let stopped = nut(LEAD, "limits = [-4, inf]", "");
    let simulation = run(&stopped, 3.0, |_| {});
    let [z, rate] = height(&simulation);
    assert!((z + 4.0 * LEAD / TAU).abs() < 1e-6, "{z}");
    assert!(rate.abs() < 1e-9, "{rate}");
}

#[test]
fn with_time_stepping_it_falls_the_same() {
    let simulation = run(
        &nut(LEAD, "", "[settings]\nintegrator = \"time_stepping\""),
        1.0,
        |_| {},
    );
    let [_, rate] = height(&simulation);
    assert!((rate + acceleration(LEAD)).abs() < 1e-3, "{rate}");
}

#[test]
fn a_screw_without_a_lead_is_an_error() {
    for (lead, message) in [
        ("0", "lead must be not zero, but is 0"),
        ("\"x\"", "expected a number"),
    ] {
        let text = text(1.0, "", "").replace("lead = 1", &format!("lead = {lead}"));
        let error = parse("scene.toml", &text).unwrap_err().to_string();
        assert!(
            error.contains("joint[screw].lead") && error.contains(message),
            "{error}"
        );
    }
    let text = text(1.0, "", "").replace("\"screw\"\nbodies", "\"revolute\"\nbodies");
    let error = parse("scene.toml", &text).unwrap_err().to_string();
    assert!(error.contains("it is a key of kind \"screw\""), "{error}");
}
