//! Stiff springs and dampers at steps far above their own time scale.

use crate::common::{Truth, model, run, scene_text};
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

/// Two carts with stiffness gamma and damping delta, starting as in the reference.
fn carts(gamma: f64, delta: f64, x: f64, v: f64) -> Model {
    let text = scene_text("two_carts")
        .replace("stiffness = 100", &format!("stiffness = {gamma:e}"))
        .replace("damping = 10", &format!("damping = {delta:e}"))
        .replace("position = [0.2, 0]", &format!("position = [{x}, 0]"))
        .replace(
            "position = [5.2, 0]",
            &format!("position = [{}, 0]", x + 5.0),
        )
        .replace("velocity = [-3, 0]", &format!("velocity = [{v}, 0]"));
    model(&text)
}

/// Runs and returns how far the total energy ever rose above its start, and the end.
fn highest_energy(model: &Model, until: f64, step: f64, scheme: Scheme) -> (f64, Simulation) {
    let mut settings = model.settings.clone();
    settings.step = step;
    settings.scheme = scheme;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let start = simulation.energy().total();
    let mut rise = f64::NEG_INFINITY;
    let n = (until / step).round() as usize;
    for i in 1..=n {
        simulation.advance_to(until * i as f64 / n as f64).unwrap();
        rise = rise.max(simulation.energy().total() - start);
    }
    (rise, simulation)
}

/// A point that swings on a spring, or goes round at the end of a rod, with a period of one second.
fn swinging(holds: &str) -> Model {
    model(&format!(
        "gravity = [0, 0]\n[[body]]\nname = \"bob\"\nkind = \"point\"\nmass = 1\nposition = [1, 0]\n{holds}"
    ))
}

#[test]
fn the_rule_of_thumb_for_the_step_gives_the_period_that_it_says() {
    let omega = std::f64::consts::TAU;
    let k = omega * omega;
    let spring = swinging(&format!(
        "[[force]]\nname = \"spring\"\nkind = \"spring_damper\"\nbodies = [\"ground\", \"bob\"]\nanchors = [[-9, 0], [0, 0]]\nstiffness = {k}\ndamping = 0\nrest_length = 9\n"
    ));
    let rod = swinging(&format!(
        "velocity = [0, {omega}]\n[[joint]]\nname = \"rod\"\nkind = \"distance\"\nbodies = [\"ground\", \"bob\"]\nanchors = [[0, 0], [0, 0]]\n"
    ));
    for (name, model, most) in [("spring", spring, 3.3), ("rod", rod, 8.0)] {
        for n in [20.0_f64, 60.0, 200.0] {
            // the phase that is lost in a period, from position and velocity after one
            let end = run(&model, 1.0, |s| s.step = 1.0 / n);
            let state = end.state();
            let lost = match name {
                "spring" => (state.velocity[0] / omega).atan2(state.position[0]),
                _ => -state.position[1].atan2(state.position[0]),
            } / omega;
            let rule = most / (n * n);
            println!("{name}, {n} steps: {lost:.2e} of a period, at most {rule:.2e}");
            assert!(lost > 0.0 && lost < rule);
        }
    }
}

#[test]
fn energy_of_the_carts_never_rises_for_any_stiffness_and_damping() {
    let cases = [
        (1e2, 1e2, 0.1, -2.0, 4.0),
        (1e2, 1e3, 0.1, -2.0, 4.0),
        (1e2, 1e6, 0.1, -2.0, 4.0),
        (1e2, 1e1, 0.2, -3.0, 2.0),
        (1e4, 1e1, 0.2, -3.0, 2.0),
        (1e6, 1e1, 0.2, -3.0, 2.0),
        (1e6, 1e6, 0.2, -3.0, 2.0),
        (1e12, 1e12, 0.2, -3.0, 2.0),
    ];
    for scheme in [
        Scheme::Trapezoidal,
        Scheme::TrapezoidalAverage,
        Scheme::ImplicitEuler,
    ] {
        for (gamma, delta, x, v, until) in cases {
            let model = carts(gamma, delta, x, v);
            let (rise, end) = highest_energy(&model, until, 0.01, scheme);
            println!(
                "{scheme:?} gamma {gamma:e} delta {delta:e}: energy at most {rise:+.2e} above its start, x1 = {:.6}, fallbacks {}, of first order {}",
                end.state().position[0],
                end.report().complementarity_steps,
                end.report().first_order_steps
            );
            assert!(rise <= 1e-9, "{rise:e}");
        }
    }
}

/// Part of the energy that a mass of 1 kg has left after going round with 3 rad/s on a spring for 5 s, by step and
/// stiffness.
const LEFT: [(f64, [f64; 4]); 5] = [
    (0.05, [0.79, 0.18, 0.18, 0.18]),
    (0.02, [0.99, 0.84, 0.35, 0.35]),
    (0.01, [0.999, 0.99, 0.52, 0.52]),
    (0.005, [0.9999, 0.998, 0.97, 0.68]),
    (0.001, [0.9999, 0.9999, 0.9999, 0.999]),
];

#[test]
fn what_goes_round_on_a_stiff_spring_keeps_its_energy_or_loses_it_slowly() {
    for (dimension, zero) in [(2, ""), (3, ", 0")] {
        for (step, least) in LEFT {
            for (stiffness, least) in [1e4, 1e6, 1e8, 1e10].into_iter().zip(least) {
                let model = model(&format!(
                    "dimension = {dimension}\ngravity = [0, 0{zero}]\n[[body]]\nname = \"bob\"\nkind = \"point\"\nmass = 1\nposition = [0.6, 0{zero}]\nvelocity = [0, 1.8{zero}]\n[[force]]\nname = \"spring\"\nkind = \"spring\"\nbodies = [\"ground\", \"bob\"]\nanchors = [[0, 0{zero}], [0, 0{zero}]]\nstiffness = {stiffness}\n"
                ));
                let (rise, mut end) = highest_energy(&model, 5.0, step, Scheme::Trapezoidal);
                let left = end.energy().total() / 1.62;
                println!("{dimension}D, {stiffness:e} N/m, {step} s: {left:.4}, rise {rise:.1e} J");
                assert!(left >= least && rise < 0.02 * 1.62);
            }
        }
    }
}

#[test]
fn a_stiff_damper_does_not_ring_after_the_impact() {
    let truth = Truth::load("p3_carts_D1e6");
    let expected = truth.at(4.0, "x1");
    let model = carts(1e2, 1e6, 0.1, -2.0);
    for step in [0.01, 0.005, 0.0025] {
        let end = run(&model, 4.0, |s| s.step = step);
        let found = end.state().position[0];
        println!(
            "h = {step}: x1(4) = {found:.6}, truth {expected:.6}, error {:.1e}, impacts {} of first order {}",
            found - expected,
            end.report().n_events.impacts,
            end.report().first_order_steps
        );
        assert!((found - expected).abs() < 2e-3);
    }
}

fn two_bodies(damping: &str, mass_2: &str) -> Model {
    let text =
        scene_text("two_bodies_damper").replace("damping = 20", &format!("damping = {damping}"));
    let (head, tail) = text.split_once("name = \"right\"").unwrap();
    let tail = tail.replacen("mass = 1", &format!("mass = {mass_2}"), 1);
    model(&format!("{head}name = \"right\"{tail}"))
}

#[test]
fn explicit_forces_diverge_where_implicit_ones_follow_the_reference() {
    let model = two_bodies("100.0", "1.0");
    let truth = Truth::load("p4_damper_m1_g100");
    let mut settings = model.settings.clone();
    settings.step = 0.05;
    settings.scheme = Scheme::ExplicitEuler;
    let mut explicit = Simulation::with_settings(model.clone(), settings);
    let outcome = explicit.advance_to(10.0);
    let size = explicit.state().position[0].abs();
    println!("explicit: {outcome:?}, |x1| = {size:.1e}");
    assert!(outcome.is_err() || size > 1e6);
    for (scheme, bound) in [
        (Scheme::Trapezoidal, 0.01),
        (Scheme::TrapezoidalAverage, 0.01),
        (Scheme::ImplicitEuler, 1.0), // first order
    ] {
        let error = |step: f64| {
            let end = run(&model, 10.0, |s| {
                s.step = step;
                s.scheme = scheme;
            });
            let q = &end.state().position;
            let [x1, x2] = ["x1", "x2"].map(|name| truth.at(10.0, name));
            (q[0] - x1).abs().max((q[2] - x2).abs())
        };
        let (coarse, fine) = (error(0.05), error(0.003125));
        println!("{scheme:?}: error {coarse:.1e} at h = 0.05, {fine:.1e} at h = 0.003125");
        assert!(coarse < bound && fine < 0.3 * coarse);
    }
}

#[test]
fn a_damper_of_1e6_holds_the_distance_and_a_mass_of_1e8_does_not_move() {
    let rigid = run(&two_bodies("1e6", "1.0"), 10.0, |s| s.step = 0.05);
    let q = &rigid.state().position;
    println!("damping 1e6: distance - 3 = {:.1e}", q[2] - q[0] - 3.0);
    assert!((q[2] - q[0] - 3.0).abs() < 1e-4);
    for damping in ["20.0", "1e8"] {
        let heavy = run(&two_bodies(damping, "1e8"), 10.0, |s| s.step = 0.05);
        let moved = heavy.state().position[2] - 3.0;
        println!("mass 1e8, damping {damping}: moved {moved:.1e}");
        assert!(moved.abs() < 1e-6);
    }
}
