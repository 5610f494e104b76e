//! Many bodies: impacts that are located, piles that come to rest and sleep, chains, belts.

use stiction::model::Model;
use stiction::simulate::{Simulation, model_from_text};

fn model(text: &str) -> Model {
    model_from_text("scene", text).unwrap_or_else(|error| panic!("{error}"))
}

/// Balls in a grid above a floor between four walls.
fn pile(n: usize, crowd: &str) -> String {
    let side = (n as f64).cbrt().round().max(2.0) as usize;
    let half = side as f64 * 0.055 + 0.06;
    let mut text = format!(
        "dimension = 3\n[settings]\nstep = 0.005\n[crowd]\n{crowd}\n[contact_default]\nfriction = 0.4\n"
    );
    for (point, normal) in [
        ([0.0, 0.0, 0.0], [0, 0, 1]),
        ([-half, 0.0, 0.0], [1, 0, 0]),
        ([half, 0.0, 0.0], [-1, 0, 0]),
        ([0.0, -half, 0.0], [0, 1, 0]),
        ([0.0, half, 0.0], [0, -1, 0]),
    ] {
        text += &format!(
            "[[ground.shape]]\nkind = \"half_space\"\npoint = {point:?}\nnormal = {normal:?}\n"
        );
    }
    let mut seed = 7_u64;
    let mut jitter = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        0.008 * ((seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
    };
    for i in 0..n {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let at = |k: usize| (k as f64 - 0.5 * (side as f64 - 1.0)) * 0.11;
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\ndensity = 1000\nposition = [{}, {}, {}]\nshape = [{{ kind = \"sphere\", radius = 0.05 }}]\n",
            at(x) + jitter(),
            at(y) + jitter(),
            0.06 + 0.11 * z as f64
        );
    }
    text
}

const BALL: &str = r#"
    dimension = 3
    [settings]
    step = 0.01
    [crowd]
    [contact_default]
    restitution = 0.8
    [[ground.shape]]
    kind = "half_space"
    normal = [0, 0, 1]
    [[body]]
    name = "ball"
    kind = "rigid"
    mass = 1
    position = [0, 0, 1.1]
    shape = [{ kind = "sphere", radius = 0.1 }]
"#;

#[test]
fn a_ball_apart_from_others_bounces_at_the_right_times() {
    let mut simulation = Simulation::new(model(BALL));
    // falls 1 m, then n-th flight 0.8^n times as long
    let fall = (2.0_f64 / 9.81).sqrt();
    let height_at = |t: f64| {
        let (mut start, mut speed) = (fall, 0.8 * 9.81 * fall);
        while t > start + 2.0 * speed / 9.81 {
            start += 2.0 * speed / 9.81;
            speed *= 0.8;
        }
        (t - start) * (speed - 0.5 * 9.81 * (t - start))
    };
    for time in [0.6, 1.0, 1.7, 2.4] {
        simulation.advance_to(time).unwrap();
        let error = simulation.state().position[2] - 0.1 - height_at(time);
        println!(
            "{time} s: error {error:.1e} m, {:?}",
            simulation.report().located_impacts
        );
        assert!(error.abs() < 1e-9);
    }
    simulation.advance_to(6.0).unwrap();
    let state = simulation.state();
    println!(
        "at last {:.1e} m, {:.1e} m/s",
        state.position[2] - 0.1,
        state.velocity[2]
    );
    assert!((state.position[2] - 0.1).abs() < 1e-6 && state.velocity[2] == 0.0);
    assert_eq!(state.crowd.slow_for[0], f64::INFINITY);
}

#[test]
fn a_pile_comes_to_rest() {
    for (n, crowd) in [
        (10, ""),
        (50, ""),
        (50, "sweeps = 30"),
        (200, "sweeps = 30"),
    ] {
        let mut simulation = Simulation::new(model(&pile(n, crowd)));
        let start = simulation.energy().total();
        for k in 1..=12 {
            simulation.advance_to(0.5 * f64::from(k)).unwrap();
            let energy = simulation.energy();
            let report = simulation.report();
            let asleep = simulation
                .state()
                .crowd
                .slow_for
                .iter()
                .filter(|x| x.is_infinite())
                .count();
            println!(
                "{n} {crowd:12} {:4} s kinetic {:.3e} touches {} asleep {asleep} penetration {:.1e} worst {:.1e} residual {:.1e} inexact {} of {} lifted {:.1e} unlocated {} located {}",
                0.5 * f64::from(k),
                energy.kinetic,
                simulation.state().crowd.touches.len(),
                report.end_penetration,
                report.worst_penetration,
                report.worst_residual,
                report.inexact_solves,
                report.lcps,
                report.lifted,
                report.unlocated_steps,
                report.located_impacts,
            );
            assert!(energy.total() <= start * (1.0 + 1e-9));
        }
    }
}
