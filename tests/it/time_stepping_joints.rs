//! Joints with time stepping: stops that give back no more than they take, motors that push, and motors that cannot; taut chains.

use stiction::{Model, Simulation};

fn model(text: &str) -> Model {
    Model::from_text("scene", text).unwrap_or_else(|error| panic!("{error}"))
}

/// A scene with time stepping, or event-driven.
fn scene(is_time_stepping: bool, step: f64, parts: &str) -> String {
    let integrator = if is_time_stepping {
        "time_stepping"
    } else {
        "event_driven"
    };
    format!(
        "dimension = 3\n[settings]\nstep = {step}\nimpact_law = \"newton\"\nintegrator = \"{integrator}\"\n{parts}"
    )
}

/// What the energy balance of a run leaves, J.
fn off(simulation: &mut Simulation, start: f64) -> f64 {
    let end = simulation.energy().total();
    let report = simulation.report();
    let lost = report.friction_loss + report.damping_loss + report.impact_loss;
    let errors = report.numerical_gain - report.numerical_loss;
    start + report.applied_work + report.lifted + errors - lost - end
}

/// A bar that swings up against a stop.
fn pendulum(restitution: f64) -> String {
    format!(
        r#"
        [[body]]
        name = "bar"
        kind = "rigid"
        mass = 1
        inertia = [0.01, 0.08, 0.08]
        position = [0.5, 0, 0]
        [[joint]]
        name = "pin"
        kind = "revolute"
        bodies = ["ground", "bar"]
        at = [0, 0, 0]
        axis = [0, 1, 0]
        limits = [-inf, 2.2]
        limit_restitution = {restitution}
        "#
    )
}

/// A carriage on an arm that swings, both with stops.
fn carriage(restitution: f64) -> String {
    format!(
        r#"
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 1
        inertia = [0.01, 0.1, 0.1]
        position = [0.4, 0, 0]
        [[body]]
        name = "carriage"
        kind = "rigid"
        mass = 0.5
        inertia = [0.01, 0.01, 0.01]
        position = [0.4, 0, 0]
        [[joint]]
        name = "pin"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 0, 0]
        axis = [0, 1, 0]
        limits = [-1, 2.5]
        limit_restitution = {restitution}
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["arm", "carriage"]
        at = [0.4, 0, 0]
        axis = [1, 0, 0]
        limits = [-0.2, 0.3]
        limit_restitution = {restitution}
        "#
    )
}

/// Links with stops at every joint, more than have their impacts located.
fn stiff_chain(n: usize, restitution: f64) -> String {
    chain(
        n,
        &format!("limits = [-0.3, 0.3]\nlimit_restitution = {restitution}"),
    )
}

/// Links that are let go level.
fn chain(n: usize, stops: &str) -> String {
    let mut text = String::new();
    for i in 0..n {
        let before = match i.checked_sub(1) {
            Some(before) => format!("link{before}"),
            None => "ground".to_owned(),
        };
        text += &format!(
            r#"
            [[body]]
            name = "link{i}"
            kind = "rigid"
            mass = 0.1
            inertia = [2e-5, 1e-4, 1e-4]
            position = [{}, 0, 0]
            [[joint]]
            name = "pin{i}"
            kind = "revolute"
            bodies = ["{before}", "link{i}"]
            at = [{}, 0, 0]
            axis = [0, 1, 0]
            {stops}
            "#,
            0.1 * (i as f64 + 0.5),
            0.1 * i as f64
        );
    }
    text
}

/// Runs in steps: the largest gain of total energy, J.
fn gain(simulation: &mut Simulation, until: f64, step: f64) -> f64 {
    let mut least = simulation.energy().total();
    let mut gain: f64 = 0.0;
    for k in 1..=(until / step).round() as u32 {
        simulation.advance_to(step * f64::from(k)).unwrap();
        let now = simulation.energy().total();
        gain = gain.max(now - least);
        least = least.min(now);
    }
    gain
}

#[test]
fn stops_give_back_no_more_than_they_take_and_the_energy_balance_closes() {
    for restitution in [0.0, 0.5, 1.0] {
        for (name, parts) in [
            ("pendulum", pendulum(restitution)),
            ("carriage", carriage(restitution)),
            ("chain", stiff_chain(20, restitution)),
        ] {
            let mut simulation = Simulation::new(model(&scene(true, 0.005, &parts)));
            let start = simulation.energy().total();
            let gain = gain(&mut simulation, 1.5, 0.005);
            let off = off(&mut simulation, start);
            let report = simulation.report();
            println!(
                "{name}, restitution {restitution}: gain {gain:.1e} J, balance off by {off:.1e} J, lifted {:.1e} J, overlap {:.1e}, drift {:.1e}",
                report.lifted, report.worst_penetration, report.worst_joint_drift
            );
            // stops that open are pressed again within the step, which gains some
            assert!(gain < 1e-3 && off.abs() < 1e-5, "{name}");
            assert!(report.worst_penetration < 1e-7 && report.worst_joint_drift < 1e-9);
        }
    }
}

#[test]
fn stops_with_time_stepping_act_as_in_event_driven_runs() {
    for restitution in [0.0, 0.5, 1.0] {
        for (name, parts) in [
            ("pendulum", pendulum(restitution)),
            ("carriage", carriage(restitution)),
        ] {
            let at_end = |is_time_stepping: bool, step: f64| {
                let mut simulation = Simulation::new(model(&scene(is_time_stepping, step, &parts)));
                simulation.advance_to(1.5).unwrap();
                (
                    simulation.state().position.clone(),
                    simulation.energy().total(),
                )
            };
            let (places, energy) = at_end(false, 0.0005);
            let error = |step: f64| {
                let (own, own_energy) = at_end(true, step);
                let both = own.iter().zip(&places);
                let apart = both.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                (apart, (own_energy - energy).abs())
            };
            let (coarse, fine) = (error(0.01), error(0.0025));
            println!(
                "{name}, restitution {restitution}: off by {:.1e} and {:.1e} m, {:.1e} and {:.1e} J with 10 and 2.5 ms",
                coarse.0, fine.0, coarse.1, fine.1
            );
            assert!(fine.0 < 2e-3 && fine.1 < 5e-3, "{name}");
            // of order two: a sixteenth
            assert!(fine.0 < 0.25 * coarse.0 + 1e-6, "{name}");
        }
    }
}

/// A ram on a rail that pushes a crate of its size over a floor.
fn ram(motor: &str, wall: f64) -> String {
    format!(
        r#"
        [contact_default]
        friction = 0.3
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [[ground.shape]]
        kind = "half_space"
        normal = [-1, 0, 0]
        point = [{wall}, 0, 0]
        [[body]]
        name = "ram"
        kind = "rigid"
        mass = 1
        position = [0, 0, 0.1]
        shape = [{{ kind = "box", size = [0.2, 0.2, 0.2] }}]
        [[body]]
        name = "crate"
        kind = "rigid"
        mass = 1
        position = [0.3, 0, 0.1]
        shape = [{{ kind = "box", size = [0.2, 0.2, 0.2] }}]
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["ground", "ram"]
        at = [0, 0, 0.1]
        axis = [1, 0, 0]
        motor = {motor}
        "#
    )
}

#[test]
fn a_motor_pushes_a_crate_with_the_work_that_friction_takes() {
    let text = scene(
        true,
        0.005,
        &ram("{ kind = \"speed\", value = 0.5 }", 100.0),
    );
    let mut simulation = Simulation::new(model(&text));
    let start = simulation.energy().total();
    simulation.advance_to(2.0).unwrap();
    let off = off(&mut simulation, start);
    let report = simulation.report();
    let state = simulation.state();
    // from 0.2 s on the crate slides with 0.5 m/s; the face of the ram may press it down by up to 0.3 of what pushes it
    let sliding = 0.3 * 9.81 * 0.5 * 1.8;
    println!(
        "work {} J, friction {} J, sliding alone {sliding} J, impacts {} J, balance off by {off:.1e} J, residual {:.1e}, ram at {} m",
        report.applied_work,
        report.friction_loss,
        report.impact_loss,
        report.worst_residual,
        state.position[0]
    );
    assert!((state.position[0] - 1.0).abs() < 1e-9);
    assert!((state.position[6] - 1.2).abs() < 3e-3);
    assert!(report.friction_loss > 0.9 * sliding && report.friction_loss < 1.15 * sliding);
    // both are set in motion, the crate by an impact that loses as much as it gets
    assert!((report.impact_loss - 0.125).abs() < 0.01);
    assert!(off.abs() < 1e-9 && report.worst_residual < 1e-8);
}

#[test]
fn motors_that_cannot_have_their_speed_end_the_run_with_a_reason() {
    let pressed = ram("{ kind = \"speed\", value = 0.5 }", 1.0);
    let ball = |name: &str, at: f64, speed: f64| {
        format!(
            r#"
            [[body]]
            name = "{name}"
            kind = "rigid"
            mass = 1
            position = [{at}, 0, 0]
            shape = [{{ kind = "sphere", radius = 0.1 }}]
            [[joint]]
            name = "rail_of_{name}"
            kind = "prismatic"
            bodies = ["ground", "{name}"]
            at = [{at}, 0, 0]
            axis = [1, 0, 0]
            motor = {{ kind = "speed", value = {speed} }}
            "#
        )
    };
    let opposed = ball("left", -0.3, 0.5) + &ball("right", 0.3, -0.3);
    for (name, parts, time) in [("pressed", pressed, 1.4), ("opposed", opposed, 0.5)] {
        let mut simulation = Simulation::new(model(&scene(true, 0.005, &parts)));
        let start = simulation.energy().total();
        let error = simulation.advance_to(2.0).unwrap_err().to_string();
        let off = off(&mut simulation, start);
        println!(
            "{name}: {error}; work {} J, balance off by {off:.1e} J",
            simulation.report().applied_work
        );
        assert!(error.contains("no solution") && error.contains("motor"));
        assert!((simulation.state().time - time).abs() < 0.01);
        assert!(simulation.report().applied_work < 5.0 && off.abs() < 1e-9);
    }
}

#[test]
fn a_paddle_gives_a_ball_its_speed_and_the_motor_pays_for_it() {
    let parts = r#"
        [contact_default]
        restitution = 0.5
        [[body]]
        name = "paddle"
        kind = "rigid"
        mass = 1
        inertia = [0.02, 0.02, 0.02]
        position = [0, 0, 0]
        shape = [{ kind = "box", size = [0.1, 0.4, 0.4] }]
        [[body]]
        name = "ball"
        kind = "rigid"
        mass = 0.3
        position = [0.5, 0, 0]
        shape = [{ kind = "sphere", radius = 0.1 }]
        [[joint]]
        name = "rail"
        kind = "prismatic"
        bodies = ["ground", "paddle"]
        at = [0, 0, 0]
        axis = [1, 0, 0]
        motor = { kind = "speed", value = 2 }
    "#;
    let text = scene(true, 0.01, parts).replace("[settings]", "gravity = [0, 0, 0]\n[settings]");
    let mut simulation = Simulation::new(model(&text));
    simulation.advance_to(0.5).unwrap();
    let report = simulation.report();
    let speed = simulation.state().velocity[6];
    // 2 m/s and half of it; to start the paddle takes 2 J, to strike the ball the impulse 0.9 N s at 2 m/s
    println!(
        "{speed} m/s, work {} J, impacts {} J",
        report.applied_work, report.impact_loss
    );
    assert!((speed - 3.0).abs() < 1e-9);
    assert!((report.applied_work - 3.8).abs() < 1e-9);
    assert!((report.impact_loss - 0.45).abs() < 1e-9);
}

/// A load on a row of bodies that hangs at a slant, a tenth to the side: a chain of links, or beads on rods.
fn hanging(n: usize, load: f64, is_beads: bool) -> String {
    let place = |way: f64| format!("[{}, 0, {}]", 0.1 * way, -0.99_f64.sqrt() * way);
    let mut text = String::new();
    for i in 0..n {
        let top = 0.1 * i as f64;
        let mass = 0.02 + if i + 1 == n { load } else { 0.0 };
        let before = match i.checked_sub(1) {
            Some(before) => format!("part{before}"),
            None => "ground".to_owned(),
        };
        let (body, joint) = if is_beads {
            (
                format!("kind = \"point\"\nposition = {}", place(top + 0.1)),
                "kind = \"distance\"\nanchors = [[0, 0, 0], [0, 0, 0]]".to_owned(),
            )
        } else {
            (
                format!(
                    "kind = \"rigid\"\ninertia = [2e-5, 2e-5, 2e-5]\nposition = {}",
                    place(top + 0.05)
                ),
                format!("kind = \"spherical\"\nat = {}", place(top)),
            )
        };
        text += &format!(
            r#"
            [[body]]
            name = "part{i}"
            mass = {mass}
            {body}
            [[joint]]
            name = "hold{i}"
            bodies = ["{before}", "part{i}"]
            {joint}
            "#
        );
    }
    text
}

#[test]
fn a_load_swings_on_a_taut_chain_or_string_at_any_step() {
    for (name, is_beads) in [("links", false), ("beads", true)] {
        let parts = hanging(30, 20.0, is_beads);
        let run = |step: f64| {
            let mut simulation = Simulation::new(model(&scene(true, step, &parts)));
            let start = simulation.energy().total();
            let gain = gain(&mut simulation, 2.0, step);
            let off = simulation.energy().total() - start;
            let place = simulation.state().position.clone();
            (place, gain, off, simulation.report().worst_joint_drift)
        };
        let (reference, ..) = run(0.0005);
        let mut errors = Vec::new();
        for step in [0.02, 0.01, 0.005] {
            let (place, gain, off, drift) = run(step);
            let both = place.iter().zip(&reference);
            let error = both.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            println!(
                "{name}, h = {step} s: off by {error:.1e} m and {off:.1e} J, gain {gain:.1e} J, drift {drift:.1e} m"
            );
            // the top links would swing with h omega = 25 at the longest step; the load falls by 0.3 J
            assert!(gain < 1e-5 && off.abs() < 1e-4 && drift < 1e-9, "{name}");
            errors.push(error);
        }
        assert!(errors[2] < 2e-4 && errors[2] < 0.5 * errors[0], "{name}");
    }
}

#[test]
fn joints_of_a_chain_that_whips_do_no_work() {
    for step in [0.01, 0.005] {
        let mut simulation = Simulation::new(model(&scene(true, step, &chain(60, ""))));
        let start = simulation.energy().total();
        let mut kinetic: f64 = 0.0;
        for k in 1..=(3.0 / step).round() as u32 {
            simulation.advance_to(step * f64::from(k)).unwrap();
            kinetic = kinetic.max(simulation.energy().kinetic);
        }
        let off = simulation.energy().total() - start;
        println!("h = {step} s: {off:.1e} J of {kinetic:.0} J");
        assert!(kinetic > 50.0 && off.abs() < 1e-9 * kinetic);
    }
}

#[test]
fn a_bar_that_is_pulled_at_its_end_swings_with_order_two() {
    let parts = r#"
        [[body]]
        name = "bar"
        kind = "rigid"
        mass = 1
        inertia = [0.001, 0.08, 0.08]
        position = [0.5, 0, 0]
        [[joint]]
        name = "pin"
        kind = "spherical"
        bodies = ["ground", "bar"]
        at = [0, 0, 0]
        [[force]]
        name = "pull"
        kind = "applied"
        body = "bar"
        point = [0.5, 0, 0]
        force = [0, 0, -10]
    "#;
    let run = |step: f64| {
        let mut simulation = Simulation::new(model(&scene(true, step, parts)));
        let start = simulation.energy().total();
        simulation.advance_to(1.0).unwrap();
        let off = off(&mut simulation, start);
        (simulation.state().position[2], off)
    };
    let (reference, _) = run(0.0002);
    let errors = [0.02, 0.01, 0.005].map(|step| {
        let (z, off) = run(step);
        let error = (z - reference).abs();
        println!("h = {step} s: off by {error:.1e} m, balance by {off:.1e} J");
        assert!(off.abs() < 1e-9);
        error
    });
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("order {order:.2}");
        assert!((order - 2.0).abs() < 0.2);
    }
}

#[test]
fn a_load_on_a_spring_below_a_light_link_stays_quiet() {
    let parts = r#"
        [[body]]
        name = "link"
        kind = "rigid"
        mass = 0.02
        inertia = [2e-5, 2e-5, 2e-5]
        position = [0.0005, 0, -0.0499975]
        [[joint]]
        name = "hook"
        kind = "spherical"
        bodies = ["ground", "link"]
        at = [0, 0, 0]
        [[body]]
        name = "load"
        kind = "rigid"
        mass = 20
        inertia = [0.1, 0.1, 0.1]
        position = [0.001, 0, -0.3]
        [[force]]
        name = "spring"
        kind = "spring"
        bodies = ["link", "load"]
        anchors = [[0.0005, 0, -0.0499975], [0, 0, 0]]
        stiffness = 20000
        rest_length = 0.19019
    "#;
    for step in [0.02, 0.01, 0.005, 0.001] {
        let mut simulation = Simulation::new(model(&scene(true, step, parts)));
        let mut most: f64 = 0.0;
        for k in 1..=(2.0 / step).round() as u32 {
            simulation.advance_to(step * f64::from(k)).unwrap();
            most = most.max(simulation.energy().kinetic);
        }
        println!("h = {step} s: at most {most:.1e} J");
        // it swings by a millimetre
        assert!(most < 5e-3);
    }
}
