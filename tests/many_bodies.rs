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

/// Links of 0.1 m, held at one end and let go level.
fn chain(n: usize) -> String {
    let mut text = "dimension = 3\n[settings]\nstep = 0.005\n[crowd]\n".to_owned();
    for i in 0..n {
        text += &format!(
            "[[body]]\nname = \"link{i}\"\nkind = \"rigid\"\nmass = 0.1\ninertia = [2e-5, 1e-4, 1e-4]\nposition = [{}, 0, 0]\n",
            0.1 * (i as f64 + 0.5)
        );
        let before = match i.checked_sub(1) {
            Some(before) => format!("link{before}"),
            None => "ground".to_owned(),
        };
        text += &format!(
            "[[joint]]\nname = \"pin{i}\"\nkind = \"spherical\"\nbodies = [\"{before}\", \"link{i}\"]\nat = [{}, 0, 0]\n",
            0.1 * i as f64
        );
    }
    text
}

#[test]
fn a_chain_stays_together_and_keeps_its_energy() {
    let mut simulation = Simulation::new(model(&chain(60)));
    let start = simulation.energy().total();
    simulation.advance_to(1.0).unwrap();
    let energy = simulation.energy();
    let report = simulation.report();
    println!(
        "drift {:.1e}, residual {:.1e}, energy {start} to {} with {} kinetic",
        report.worst_joint_drift,
        report.worst_residual,
        energy.total(),
        energy.kinetic
    );
    assert!(report.worst_joint_drift <= 1e-9);
    assert!(report.inexact_solves == 0);
    assert!((energy.total() - start).abs() < 0.02 * energy.kinetic);
}

#[test]
fn a_pendulum_in_a_crowd_has_order_two() {
    let text = |step: f64| {
        format!(
            "dimension = 3\n[settings]\nstep = {step}\n[crowd]\n[[body]]\nname = \"rod\"\nkind = \"rigid\"\nmass = 1\ninertia = [0.01, 0.0833333, 0.0833333]\nposition = [0.5, 0, 0]\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\nat = [0, 0, 0]\naxis = [0, 1, 0]\n"
        )
    };
    let end = |step: f64| {
        let mut simulation = Simulation::new(model(&text(step)));
        simulation.advance_to(1.0).unwrap();
        simulation.state().position[0]
    };
    let exact = {
        let plain = text(0.01)
            .replace("[crowd]", "")
            .replace("step = 0.01", "tolerance = 1e-10");
        let mut simulation = Simulation::new(model(&plain));
        simulation.advance_to(1.0).unwrap();
        simulation.state().position[0]
    };
    let errors: Vec<f64> = [0.01, 0.005, 0.0025]
        .map(|h| (end(h) - exact).abs())
        .to_vec();
    println!("{errors:?}");
    assert!(errors[0] < 1e-3);
    assert!((errors[1] / errors[2]).log2() > 1.8);
}

const BELT: &str = r#"
    dimension = 3
    [settings]
    step = 0.005
    [crowd]
    [contact_default]
    friction = 0.5
    [[ground.shape]]
    name = "table"
    kind = "half_space"
    normal = [0, 0, 1]
    [[belt]]
    name = "conveyor"
    shape = "table"
    direction = [1, 0, 0]
    speed = 0.8
    [[body]]
    name = "parcel"
    kind = "rigid"
    density = 300
    position = [0, 0, 0.1]
    shape = [{ kind = "box", size = [0.3, 0.2, 0.2] }]
"#;

#[test]
fn a_belt_carries_what_lies_on_it() {
    let mut simulation = Simulation::new(model(BELT));
    // slides for v / (mu g), then moves with the belt
    let slides = 0.8 / (0.5 * 9.81);
    for time in [0.1, 0.5, 2.0] {
        simulation.advance_to(time).unwrap();
        let x = if time < slides {
            0.5 * 0.5 * 9.81 * time * time
        } else {
            0.8 * (time - 0.5 * slides)
        };
        let error = simulation.state().position[0] - x;
        println!(
            "{time} s: {error:.1e} m, z {:.1e}",
            simulation.state().position[2] - 0.1
        );
        assert!(error.abs() < 2e-3);
        assert!((simulation.state().position[2] - 0.1).abs() < 1e-7);
    }
    assert!((simulation.state().velocity[0] - 0.8).abs() < 1e-9);
}

#[test]
fn boxes_fall_on_each_other_and_rest() {
    let mut text = "dimension = 3\n[settings]\nstep = 0.005\n[crowd]\n[contact_default]\nfriction = 0.5\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n".to_owned();
    for i in 0..12 {
        let (x, y, z) = (i % 2, i / 2 % 2, i / 4);
        text += &format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\ndensity = 1000\nposition = [{}, {}, {}]\nrotation_vector = [{}, {}, 0.2]\nshape = [{{ kind = \"box\", size = [0.1, 0.12, 0.08] }}]\n",
            0.16 * f64::from(x) + 0.013 * f64::from(z),
            0.16 * f64::from(y) - 0.011 * f64::from(z),
            0.1 + 0.17 * f64::from(z),
            0.3 * f64::from(i % 3),
            0.2 * f64::from(i % 5),
        );
    }
    let mut simulation = Simulation::new(model(&text));
    let start = simulation.energy().total();
    for k in 1..=8 {
        simulation.advance_to(0.5 * f64::from(k)).unwrap();
        let energy = simulation.energy();
        let report = simulation.report();
        println!(
            "{} s kinetic {:.2e} touches {} penetration {:.1e} worst {:.1e} residual {:.1e} inexact {} of {} lifted {:.1e}",
            0.5 * f64::from(k),
            energy.kinetic,
            simulation.state().crowd.touches.len(),
            report.end_penetration,
            report.worst_penetration,
            report.worst_residual,
            report.inexact_solves,
            report.lcps,
            report.lifted
        );
        assert!(energy.total() <= start * (1.0 + 1e-9));
    }
    assert!(simulation.energy().kinetic < 1e-6);
    assert!(simulation.report().end_penetration <= 1e-6);
}
