//! By tolerance, where it is hard: between steps, at jumps, in dips, at dependent contacts, where no accelerations exist.

use crate::common::{
    Truth, dipping_ball, model, norm2, order_study, painleve, run, supported_block, variant,
};
use stiction::integrate::EventKind;
use stiction::model::Model;
use stiction::scene::spec::Scheme;
use stiction::simulation::Simulation;

const FLOOR: &str = r#"
[[ground.shape]]
kind = "half_plane"
normal = [0.0, 1.0]
"#;

fn by_tolerance(model: &Model, tolerance: f64) -> Simulation {
    let mut settings = model.settings.clone();
    settings.tolerance = Some(tolerance);
    Simulation::with_settings(model.clone(), settings)
}

fn largest(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, |m, e| m.max(e.abs()))
}

/// A coordinate, and what the reference calls it and its velocity.
type Column = (usize, &'static str, &'static str);

/// Worst error of positions and velocities at all sample times of a reference, seen between the steps.
fn error_between_steps(
    model: &Model,
    truth: &Truth,
    tolerance: f64,
    columns: &[Column],
) -> (f64, f64, u64) {
    let mut simulation = by_tolerance(model, tolerance);
    let times = truth.sample_times();
    let end = *times.last().unwrap();
    let (mut position, mut velocity): (f64, f64) = (0.0, 0.0);
    for &time in times.iter().filter(|t| **t > 0.0) {
        simulation.glide_to(time, end).unwrap();
        let state = simulation.state();
        assert_eq!(state.time, time);
        for (i, q, v) in columns {
            position = position.max((state.position[*i] - truth.at(time, q)).abs());
            velocity = velocity.max((state.velocity[*i] - truth.at(time, v)).abs());
        }
    }
    (position, velocity, simulation.report().steps)
}

#[test]
fn between_its_steps_the_motion_is_as_accurate_as_at_their_ends() {
    let block = [(0, "x", "vx")];
    let pendulum = [
        (0, "x1", "vx1"),
        (1, "y1", "vy1"),
        (2, "x2", "vx2"),
        (3, "y2", "vy2"),
    ];
    let rod = [(0, "x", "vx"), (1, "y", "vy"), (2, "theta", "omega")];
    let crank = [(2, "theta", "omega"), (6, "x_slider", "v_slider")];
    let cases: [(&str, &str, &[Column], f64); 4] = [
        ("block_on_table", "p1_block", &block, 10.0),
        (
            "double_pendulum_wall",
            "p2_double_pendulum",
            &pendulum,
            10.0,
        ),
        ("falling_rod", "p5_rod_y1_truetip", &rod, 10.0),
        ("slider_crank", "p6i_slider_crank", &crank, 1000.0),
    ];
    for (scene, reference, columns, factor) in cases {
        let truth = Truth::load(reference);
        let model = variant(scene, &[]);
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let (position, velocity, steps) =
                error_between_steps(&model, &truth, tolerance, columns);
            println!(
                "{scene}, {tolerance:.0e}: positions {position:.1e}, velocities {velocity:.1e} at {} times, {steps} steps",
                truth.sample_times().len()
            );
            assert!(position <= factor * tolerance, "{scene}");
            assert!(velocity <= 10.0 * factor * tolerance, "{scene}");
        }
    }
}

#[test]
fn looking_between_the_steps_does_not_change_them() {
    for scene in ["double_pendulum_wall", "two_carts", "falling_rod"] {
        let model = variant(scene, &[]);
        let mut seldom = by_tolerance(&model, 1e-7);
        seldom.glide_to(model.until, model.until).unwrap();
        let mut often = by_tolerance(&model, 1e-7);
        for i in 1..=300 {
            let time = if i == 300 {
                model.until
            } else {
                model.until * f64::from(i) / 300.0
            };
            often.glide_to(time, model.until).unwrap();
        }
        assert_eq!(seldom.state(), often.state(), "{scene}");
        let mut unseen = by_tolerance(&model, 1e-7);
        unseen.glide_past(0.3 * model.until, model.until).unwrap();
        unseen.glide_past(model.until, model.until).unwrap();
        assert_eq!(seldom.state(), unseen.state(), "{scene}");
    }
}

#[test]
fn dips_down_to_a_nanometre_inside_a_long_step_are_found() {
    // gravity points up: the ball comes down, would dip below the floor for a moment, and leaves again
    for depth in [1e-3, 1e-6, 1e-9] {
        let (g, middle): (f64, f64) = (9.81, 0.4);
        let text = dipping_ball(g, depth, middle);
        for tolerance in [1e-4, 1e-8] {
            let mut simulation = by_tolerance(&model(&text), tolerance);
            simulation.advance_to(1.0).unwrap();
            let events = &simulation.report().events;
            let expected = middle - (2.0 * depth / g).sqrt();
            assert_eq!(events.len(), 1, "{depth:.0e}, {tolerance:.0e}: {events:?}");
            let error = (events[0].time - expected).abs();
            println!("dip of {depth:.0e} m, tolerance {tolerance:.0e}: time off by {error:.1e} s");
            // the time of so flat a crossing is known as well as rounding knows the gap
            let rounding = 1e-15 / (2.0 * g * depth).sqrt();
            assert!(error <= 1e-12 + 10.0 * rounding);
        }
    }
}

#[test]
fn a_jam_is_an_impact_without_collision() {
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let mut simulation = by_tolerance(&painleve(), tolerance);
        simulation.initialize().unwrap();
        let mut jam = None;
        let mut time = 0.0;
        // as soon as it has happened, before gravity has done much
        while jam.is_none() && time < 1e-3 {
            time += 1e-10_f64.max(0.1 * tolerance);
            simulation.advance_to(time).unwrap();
            jam = simulation
                .report()
                .events
                .iter()
                .find(|e| e.kind == EventKind::Jam)
                .copied();
        }
        let jam = jam.expect("a jam");
        let v = &simulation.state().velocity;
        let expected = [-1.6875, 0.974278579257, 1.948557158515];
        let error = largest(v.iter().zip(expected).map(|(a, b)| a - b));
        println!(
            "tolerance {tolerance:.0e}: at {:.1e} s, velocities off by {error:.1e}",
            jam.time
        );
        // what the forces do in the time that has passed
        assert!(error <= 1e-9 + 20.0 * time);
        simulation.advance_to(2.0).unwrap();
        assert!(simulation.report().worst_penetration < 1e-9);
    }
}

/// A block pushed by a table of forces with jumps, and where it is at the end by hand.
fn pushed_block() -> (Model, f64, f64) {
    let model = model(&format!(
        r#"
        [[body]]
        name = "block"
        kind = "point"
        mass = 1.0
        position = [0.0, 0.0]
        shape = [{{ kind = "point" }}]
        [[force]]
        name = "push"
        kind = "applied"
        body = "block"
        force = [{{ kind = "table", times = [0.0, 0.3, 0.3, 0.9, 0.9, 2.0], values = [2.0, 2.0, 9.0, 9.0, -1.0, -1.0] }}, 0.0]
        [contact_default]
        friction = 0.5
        {FLOOR}"#
    ));
    // sticks to 0.3; slides with 9 - 4.905 to 0.9; then brakes with 5.905 until it stops
    let limit: f64 = 0.5 * 9.81;
    let speed = (9.0 - limit) * 0.6;
    let way = 0.5 * (9.0 - limit) * 0.36;
    let braking = 1.0 + limit;
    (
        model,
        way + 0.5 * speed * speed / braking,
        0.9 + speed / braking,
    )
}

#[test]
fn steps_end_at_the_jumps_of_a_table() {
    let (model, way, stop) = pushed_block();
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let mut simulation = by_tolerance(&model, tolerance);
        simulation.advance_to(2.0).unwrap();
        let error = (simulation.state().position[0] - way).abs();
        let events: Vec<f64> = simulation.report().events.iter().map(|e| e.time).collect();
        println!("tolerance {tolerance:.0e}: position off by {error:.1e}, events {events:?}");
        assert!(error <= 1e-13);
        assert_eq!(events.len(), 2);
        assert!(events[0] == 0.3 && (events[1] - stop).abs() < 1e-13);
    }
}

fn distinct_event_times(end: &Simulation) -> Vec<f64> {
    let mut times: Vec<f64> = end.report().events.iter().map(|e| e.time).collect();
    times.dedup();
    times
}

#[test]
fn three_supports_move_like_one() {
    let truth = Truth::load("p1_block");
    let model = supported_block(&[-0.5, 0.0, 0.5], 1.0);
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let mut simulation = by_tolerance(&model, tolerance);
        simulation.advance_to(10.0).unwrap();
        let error = (simulation.state().position[0] - truth.at(10.0, "x")).abs();
        let events = distinct_event_times(&simulation);
        let worst = largest(events.iter().zip(truth.event_times()).map(|(a, b)| a - b));
        let report = simulation.report();
        println!(
            "tolerance {tolerance:.0e}: {error:.1e}, {} event times to {worst:.1e}, {} problems, {} fallbacks",
            events.len(),
            report.lcps,
            report.complementarity_steps
        );
        assert!(
            error <= 10.0 * tolerance && events.len() == 7 && report.complementarity_steps == 0
        );
    }
}

#[test]
fn a_fast_push_on_dependent_supports_is_not_stepped_over() {
    // both stick and slip last a few hundredths of a second, far less than the longest step
    for tolerance in [1e-4, 1e-8] {
        let [one, three] = [&[0.0][..], &[-0.5, 0.0, 0.5]].map(|supports| {
            let mut simulation = by_tolerance(&supported_block(supports, 40.0), tolerance);
            simulation.advance_to(2.0).unwrap();
            let x = simulation.state().position[0];
            (x, distinct_event_times(&simulation))
        });
        println!(
            "{} events, x = {:.12} and {:.12}",
            one.1.len(),
            one.0,
            three.0
        );
        assert!(one.1.len() > 40 && one.1.len() == three.1.len());
        assert!((one.0 - three.0).abs() <= tolerance);
    }
}

/// A flywheel that a torque turns against smooth friction with a falling branch.
const FLYWHEEL: &str = r#"
    gravity = [0, 0]
    until = 2
    [[body]]
    name = "wheel"
    kind = "rigid"
    mass = 1
    inertia = 0.5
    position = [0, 0]
    angular_velocity = 0.4
    [[joint]]
    name = "bearing"
    kind = "revolute"
    bodies = ["ground", "wheel"]
    at = [0, 0]
    [[force]]
    name = "drag"
    kind = "stribeck"
    joint = "bearing"
    static_friction = 0.9
    kinetic_friction = 0.5
    stribeck_rate = 0.6
    transition_rate = 0.3
    viscous = 0.05
    [[force]]
    name = "drive"
    kind = "applied"
    body = "wheel"
    torque = { kind = "harmonic", amplitude = 1.2, omega = 2.0 }
"#;

#[test]
fn friction_that_is_not_linear_in_the_velocity_keeps_the_order() {
    let model = model(FLYWHEEL);
    let fixed = |rows: u32, step: f64| {
        let end = run(&model, 2.0, |s| {
            s.scheme = Scheme::Extrapolated;
            s.rows = rows;
            s.step = step;
        });
        [end.state().position[2], end.state().velocity[2]]
    };
    let exact = fixed(6, 0.005);
    for (rows, least, steps) in [
        (2, 3.8, vec![0.1, 0.05, 0.025, 0.0125]),
        (3, 5.5, vec![0.1, 0.0625, 0.04, 0.025]),
    ] {
        let order = order_study(&format!("flywheel, {rows} rows"), &steps, |step| {
            let [angle, rate] = fixed(rows, step);
            norm2([angle - exact[0], rate - exact[1]])
        });
        assert!(order >= least);
    }
    for tolerance in [1e-5, 1e-8, 1e-11] {
        let mut simulation = by_tolerance(&model, tolerance);
        simulation.advance_to(2.0).unwrap();
        let error = (simulation.state().position[2] - exact[0]).abs();
        println!("flywheel, tolerance {tolerance:.0e}: {error:.1e}");
        assert!(error <= 10.0 * tolerance);
    }
}

#[test]
fn the_ledger_of_energy_closes_to_the_tolerance() {
    for scene in [
        "block_on_table",
        "falling_rod",
        "two_carts",
        "two_bodies_damper",
        "slider_crank",
    ] {
        let model = variant(scene, &[]);
        for tolerance in [1e-5, 1e-8] {
            let mut simulation = by_tolerance(&model, tolerance);
            let start = simulation.energy().total();
            simulation.advance_to(model.until).unwrap();
            let report = simulation.report();
            let losses = report.damping_loss + report.friction_loss + report.impact_loss;
            let expected = start + report.applied_work - losses;
            let remainder = simulation.energy().total() - expected;
            println!("{scene}, {tolerance:.0e}: remainder {remainder:.1e} J of {losses:.1} J");
            assert!(remainder.abs() <= 100.0 * tolerance, "{scene}");
        }
    }
}

/// A point body on a floor with friction, pushed by a harmonic force.
fn pushed(amplitude: f64, frequency: f64, friction: f64) -> Model {
    model(&format!(
        r#"
        [[body]]
        name = "block"
        kind = "point"
        mass = 1.0
        position = [0, 0]
        shape = [{{ kind = "point" }}]
        [[force]]
        name = "push"
        kind = "applied"
        body = "block"
        force = [{{ kind = "harmonic", amplitude = {amplitude:?}, frequency = {frequency:?}, phase = -1.5707963267948966 }}, 0]
        [contact_default]
        friction = {friction:?}
        {FLOOR}"#
    ))
}

#[test]
fn a_sine_that_is_zero_at_every_sample_of_a_long_step_is_seen() {
    for (frequency, until) in [(2.0, 2.0), (48.0, 1.0), (10.0, 3.3)] {
        let model = pushed(8.0, frequency, 0.5);
        let fixed = run(&model, until, |s| s.step = 1e-3 / frequency);
        for tolerance in [1e-4, 1e-8] {
            let mut simulation = by_tolerance(&model, tolerance);
            simulation.advance_to(until).unwrap();
            let [a, b] = [&simulation, &fixed].map(|s| s.report().n_events.total());
            let off = (simulation.state().position[0] - fixed.state().position[0]).abs();
            println!(
                "{frequency} Hz, {tolerance:.0e}: {a} events of {b}, {off:.1e} off fixed steps"
            );
            assert!(a == b && off < 1e-6);
        }
    }
}

#[test]
fn many_fast_impacts_lose_no_energy() {
    let model = model(
        r#"
        gravity = [0, 0]
        [[body]]
        name = "ball"
        kind = "point"
        mass = 1.0
        position = [3e-4, 0]
        velocity = [30, 0]
        shape = [{ kind = "point" }]
        [contact_default]
        restitution = 1
        [[ground.shape]]
        kind = "half_plane"
        normal = [1, 0]
        [[ground.shape]]
        kind = "half_plane"
        normal = [-1, 0]
        point = [1e-3, 0]
        "#,
    );
    let mut simulation = by_tolerance(&model, 1e-8);
    simulation.advance_to(0.05).unwrap();
    assert_eq!(simulation.report().n_events.impacts, 1500);
    assert!((simulation.state().velocity[0].abs() - 30.0).abs() < 1e-9);
}

#[test]
fn a_fast_rotor_does_not_pass_through_a_wall() {
    let model = model(
        r#"
        gravity = [0, 0]
        [[body]]
        name = "rotor"
        kind = "rigid"
        mass = 1.0
        inertia = 0.083333333333333333
        position = [0, 0]
        angle = 0.3
        velocity = [1, 0]
        angular_velocity = 3000
        shape = [{ kind = "point", position = [-0.5, 0] }, { kind = "point", position = [0.5, 0] }]
        [contact_default]
        restitution = 0.5
        [[ground.shape]]
        kind = "half_plane"
        normal = [-1, 0]
        point = [2, 0]
        "#,
    );
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let mut simulation = by_tolerance(&model, tolerance);
        simulation.advance_to(1.500568903252364).unwrap();
        let times: Vec<f64> = simulation.report().events.iter().map(|e| e.time).collect();
        println!("{tolerance:.0e}: {times:?}");
        assert_eq!(times.len(), 1);
        assert!((times[0] - 1.5005189032523638).abs() < 1e-11);
    }
}

#[test]
fn a_bead_slides_from_the_flat_onto_the_round_of_a_capsule() {
    let model = model(
        r#"
        [[body]]
        name = "bead"
        kind = "point"
        mass = 1.0
        position = [-0.2, 0.5]
        velocity = [0.4, 0]
        shape = [{ kind = "point" }]
        [[ground.shape]]
        kind = "capsule"
        from = [-1, 0]
        to = [0, 0]
        radius = 0.5
        "#,
    );
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let mut simulation = by_tolerance(&model, tolerance);
        simulation.advance_to(1.2050430388444269).unwrap();
        let leaves = simulation.report().events[0];
        let off = (leaves.time - 1.005043038844427).abs();
        println!("{tolerance:.0e}: leaves {off:.1e} s off");
        assert_eq!(leaves.kind, EventKind::TakeOff);
        assert!(off <= 10.0 * tolerance);
    }
}

#[test]
fn short_slips_of_dependent_supports_are_found() {
    // a push that is a thousandth above the limit for a few hundredths of a second
    let text = |shape: &str| {
        format!(
            r#"
            [[body]]
            name = "block"
            kind = "rigid"
            mass = 1.0
            position = [0, 0.1]
            shape = [{shape}]
            [[force]]
            name = "push"
            kind = "applied"
            body = "block"
            force = [{{ kind = "harmonic", amplitude = 4.909905, omega = 1, phase = 0.4 }}, 0]
            point = [0, -0.1]
            [contact_default]
            friction = 0.5
            {FLOOR}"#
        )
    };
    let box_model = model(&text(r#"{ kind = "box", size = [1.0, 0.2] }"#));
    let fixed = run(&box_model, 20.0, |s| s.step = 2e-3);
    for tolerance in [1e-6, 1e-8, 1e-10] {
        let mut simulation = by_tolerance(&box_model, tolerance);
        simulation.advance_to(20.0).unwrap();
        let [a, b] = [&simulation, &fixed].map(|s| s.state().position[0]);
        let n = distinct_event_times(&simulation).len();
        println!("{tolerance:.0e}: x = {a:.9}, fixed steps {b:.9}, {n} events");
        assert!((a - b).abs() < 1e-6);
    }
}
