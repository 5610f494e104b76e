//! Cases that defeat simpler integrators.

use crate::common::{
    Truth, dipping_ball, halvings, model, order_study, painleve, run, supported_block, variant,
};
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

#[test]
fn a_dip_of_a_micrometre_inside_a_step_is_found() {
    // gravity points up: the ball comes down, would dip below the floor by 1e-6 m for 0.9 ms, and leaves again
    let (g, depth, middle): (f64, f64, f64) = (9.81, 1e-6, 0.05);
    let model = model(&dipping_ball(g, depth, middle));
    for step in [0.1, 0.03, 0.01] {
        let end = run(&model, 0.1, |s| s.step = step);
        let events = &end.report().events;
        let expected = middle - (2.0 * depth / g).sqrt();
        println!(
            "h = {step}: {} impact at {:.12}, expected {expected:.12}",
            events.len(),
            events[0].time
        );
        assert_eq!(events.len(), 1);
        assert!((events[0].time - expected).abs() < 1e-10);
    }
}

#[test]
fn sliding_reversal_without_sticking_keeps_order_two() {
    let model = variant(
        "block_on_table",
        &[
            ("amplitude = 8", "amplitude = 20"),
            ("friction = 0.8", "friction = 0.4"),
        ],
    );
    let expected = reversing_block(20.0, 0.4 * 9.81, 10.0);
    let order = order_study("reversing block, x(10)", &halvings(0.02, 7), |step| {
        let end = run(&model, 10.0, |s| s.step = step);
        let counts = end.report().n_events;
        assert_eq!((counts.reversals, counts.stick_starts), (3, 0));
        (end.state().position[0] - 3.0 - expected).abs()
    });
    assert!(order >= 1.9);
}

/// Displacement of a unit mass under `amplitude cos t` and friction, which reverses and never sticks: closed form
/// between reversals, which are found by bisection.
fn reversing_block(amplitude: f64, friction: f64, until: f64) -> f64 {
    let (mut t, mut x, mut sign) = (0.0_f64, 0.0, 1.0);
    loop {
        let speed = |s: f64| amplitude * (s.sin() - t.sin()) - sign * friction * (s - t);
        let mut early = t + 1e-3;
        while early < until && sign * speed(early) > 0.0 {
            early += 1e-3;
        }
        let mut stop = until;
        if early < until {
            let (mut low, mut high) = (early - 1e-3, early);
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if sign * speed(middle) > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            stop = low;
        }
        let d = stop - t;
        x += amplitude * (t.cos() - stop.cos() - t.sin() * d) - sign * 0.5 * friction * d * d;
        if stop >= until {
            return x;
        }
        (t, sign) = (stop, -sign);
    }
}

#[test]
fn three_collinear_supports_move_like_one() {
    let truth = Truth::load("p1_block");
    for step in [0.05, 0.01, 0.002] {
        let one = run(&variant("block_on_table", &[]), 10.0, |s| s.step = step);
        let three = run(&supported_block(&[-0.5, 0.0, 0.5], 1.0), 10.0, |s| {
            s.step = step
        });
        let difference = three.state().position[0] - one.state().position[0];
        let (r, counts) = (three.report(), three.report().n_events);
        println!(
            "h = {step}: differs from one support by {difference:.1e}, from the truth by {:.1e}; {} slips, {} sticks, {} complementarity steps, angle {:.1e}",
            three.state().position[0] - truth.at(10.0, "x"),
            counts.slip_starts,
            counts.stick_starts,
            r.complementarity_steps,
            three.state().position[2]
        );
        assert!(difference.abs() <= 3e-4 * (step / 0.01) * (step / 0.01));
    }
}

/// Frictionless balls in a row without gravity; `gap` between neighbours that do not touch yet.
fn row_of_balls(masses: &[f64], speeds: &[f64], e: f64, gap: f64) -> Model {
    let mut text = format!("gravity = [0.0, 0.0]\n[contact_default]\nrestitution = {e}\n");
    for (i, (mass, speed)) in masses.iter().zip(speeds).enumerate() {
        let x = i as f64 * (0.25 + gap);
        text += &format!(
            "[[body]]\nname = \"ball{i}\"\nkind = \"rigid\"\nmass = {mass}\nposition = [{x}, 0.0]\nvelocity = [{speed}, 0.0]\nshape = [{{ kind = \"circle\", radius = 0.125 }}]\n"
        );
    }
    model(&text)
}

#[test]
fn touching_balls_collide_at_once_and_balls_with_gaps_one_after_the_other() {
    let truth = Truth::load("p6d_collisions");
    let list = |value: &serde_json::Value| -> Vec<f64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    for case in truth.0["cases"].as_array().unwrap() {
        let (masses, before) = (list(&case["masses"]), list(&case["v_before"]));
        let e = case["e"].as_f64().unwrap();
        for (gap, key) in [
            (0.0, "simultaneous_poisson_after"),
            (1e-5, "sequential_binary_after"),
        ] {
            if !case[key].is_array() {
                continue;
            }
            let model = row_of_balls(&masses, &before, e, gap);
            let end = run(&model, 0.01, |s| s.step = 0.01);
            let worst = list(&case[key])
                .iter()
                .enumerate()
                .fold(0.0, |m: f64, (i, v)| {
                    m.max((end.state().velocity[3 * i] - v).abs())
                });
            println!("{} e = {e}, gap {gap:e}: off by {worst:.1e}", case["name"]);
            assert!(worst < 1e-12, "{:?}", end.state().velocity);
        }
    }
}

#[test]
fn the_painleve_rod_jumps_without_a_collision() {
    let model = painleve();
    for step in [0.01, 0.001] {
        let mut simulation = Simulation::with_settings(model.clone(), {
            let mut settings = model.settings.clone();
            settings.step = step;
            settings
        });
        simulation.advance_to(1e-6).unwrap();
        let v = simulation.state().velocity.clone();
        println!("h = {step}: velocity after the jump {v:?}");
        let expected = [-1.6875, 0.97428, 1.94856];
        for (found, expected) in v.iter().zip(expected) {
            assert!((found - expected).abs() < 2e-5 + 20.0 * 1e-6);
        }
        let jams: Vec<f64> = simulation
            .report()
            .events
            .iter()
            .filter(|e| e.kind == EventKind::Jam)
            .map(|e| e.time)
            .collect();
        assert_eq!(jams.len(), 1);
        simulation.advance_to(2.0).unwrap();
        let finite = simulation.state().velocity.iter().all(|v| v.abs() < 100.0);
        println!(
            "  at 2 s: {:?}, worst penetration {:.1e}",
            simulation.state().position,
            simulation.report().worst_penetration
        );
        assert!(finite && simulation.report().worst_penetration < 1e-6);
    }
}

/// [S] 3.4: where normals turn, the linear version ends a step off the obstacle, the fixed point on it.
#[test]
fn the_fixed_point_version_ends_its_steps_on_the_obstacle() {
    let model = variant("falling_rod", &[]);
    let deepest = |rounds: u32| {
        let mut settings = model.settings.clone();
        settings.scheme = Scheme::PositionEuler;
        settings.step = 0.005;
        settings.fixed_point_iterations = rounds;
        let mut simulation = Simulation::with_settings(model.clone(), settings);
        let (mut worst, mut in_contact) = (0.0_f64, 0);
        for i in 1..=120 {
            simulation.advance_to(f64::from(i) * 0.005).unwrap();
            for contact in 0..2 {
                if simulation.state().contact_force[contact][0] > 0.0 {
                    in_contact += 1;
                    worst = worst.max(simulation.gap(contact).abs());
                }
            }
        }
        assert!(in_contact > 30);
        worst
    };
    let (linear, fixed_point) = (deepest(1), deepest(20));
    println!(
        "largest gap of a pressing contact: linear {linear:.1e} m, fixed point {fixed_point:.1e} m"
    );
    assert!(linear > 1e-5 && fixed_point < 1e-12);
}

/// [G] 9.1: one joint and a small error in the initial velocity.
#[test]
fn the_averaged_velocity_does_not_alternate_where_the_end_velocity_does() {
    let model = model(
        r#"
        gravity = [0.0, 0.0]
        [[body]]
        name = "mass"
        kind = "point"
        mass = 1.0
        position = [0.0, 0.0]
        [[joint]]
        name = "pin"
        kind = "revolute"
        bodies = ["ground", "mass"]
        at = [0.0, 0.0]
        "#,
    );
    let mut settings = model.settings.clone();
    settings.scheme = Scheme::TrapezoidalAverage;
    settings.projection = false;
    let mut simulation = Simulation::with_settings(model, settings);
    let epsilon = 1e-3;
    simulation.state_mut().velocity[0] = epsilon;
    for l in 1..=10 {
        simulation.advance_to(f64::from(l) * 0.01).unwrap();
        let sign = if l % 2 == 0 { 1.0 } else { -1.0 };
        assert!((simulation.state().velocity[0] - sign * epsilon).abs() < 1e-15);
        assert!(simulation.state().average_velocity[0].abs() < 1e-15);
        assert!(simulation.state().position[0].abs() < 1e-15);
    }
}

/// [G] 9.2: the block, scheme II without location: the end velocity alternates while it sticks, the average is zero.
#[test]
fn the_averaged_velocity_of_the_sticking_block_is_zero() {
    let model = variant("block_on_table", &[]);
    let mut settings = model.settings.clone();
    settings.scheme = Scheme::TrapezoidalAverage;
    settings.projection = false;
    settings.locate_transitions = Some(false);
    let mut simulation = Simulation::with_settings(model, settings);
    let (mut largest_end, mut largest_average, mut variation) = (0.0_f64, 0.0_f64, [0.0, 0.0]);
    let mut last = [0.0, 0.0];
    for i in 1..=1000 {
        simulation.advance_to(f64::from(i) * 0.01).unwrap();
        let state = simulation.state();
        let now = [state.velocity[0], state.average_velocity[0]];
        if (0.5..2.9).contains(&state.time) {
            largest_end = largest_end.max(now[0].abs());
            largest_average = largest_average.max(now[1].abs());
        }
        for k in 0..2 {
            variation[k] += f64::abs(now[k] - last[k]);
        }
        last = now;
    }
    println!(
        "while sticking: end velocity up to {largest_end:.1e}, average up to {largest_average:.1e}; total variation {variation:.3?}"
    );
    assert!(largest_end > 1e-5 && largest_average < 1e-15);
    assert!(variation[1] < variation[0]);
}
