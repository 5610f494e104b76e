//! Rows between steps by tolerance are as accurate as the state that a run up to their time reaches.

use crate::common::random::{Random as _, Xorshift};
use crate::common::{Truth, defect, model, scene_text, variant};
use stiction::model::Model;
use stiction::simulation::Simulation;
use stiction::state::State;

/// Rows of each case and tolerance that are compared; `STICTION_ROWS=200` has more of them.
const ROWS: usize = 6;

fn n_rows() -> usize {
    let wanted = std::env::var("STICTION_ROWS").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(ROWS)
}

fn by_tolerance(model: &Model, tolerance: f64) -> Simulation {
    let mut settings = model.settings.clone();
    settings.tolerance = Some(tolerance);
    Simulation::with_settings(model.clone(), settings)
}

/// Numbers from 0 to 1.
fn carts(name: &str) -> Model {
    let truth = Truth::load(&format!("p3_carts_{name}"));
    let of = |key: &str| truth.0["parameters"][key].clone();
    let number = |key: &str| of(key).as_f64().unwrap();
    let (x, v) = (of("q0")[0].as_f64().unwrap(), of("v0")[0].as_f64().unwrap());
    let replaced = [
        (
            "stiffness = 100",
            format!("stiffness = {:e}", number("gamma")),
        ),
        ("damping = 10", format!("damping = {:e}", number("delta"))),
        ("position = [0.2, 0]", format!("position = [{x}, 0]")),
        (
            "position = [5.2, 0]",
            format!("position = [{}, 0]", x + 5.0),
        ),
        ("velocity = [-3, 0]", format!("velocity = [{v}, 0]")),
    ];
    let mut text = scene_text("two_carts");
    for (from, to) in replaced {
        text = text.replace(from, &to);
    }
    model(&text)
}

fn damper(mass: &str, damping: &str) -> Model {
    let damping = format!("damping = {damping}");
    let text = scene_text("two_bodies_damper").replace("damping = 20", &damping);
    let (left, right) = text.split_once("name = \"right\"").unwrap();
    let right = right.replacen("mass = 1", &format!("mass = {mass}"), 1);
    model(&format!("{left}name = \"right\"{right}"))
}

/// Largest difference of positions and velocities, relative to one and their size.
fn difference(row: &State, reached: &State) -> f64 {
    let pairs = row.position.iter().zip(&reached.position);
    let pairs = pairs.chain(row.velocity.iter().zip(&reached.velocity));
    let turns = row.orientation.iter().flatten();
    let pairs = pairs.chain(turns.zip(reached.orientation.iter().flatten()));
    pairs.fold(0.0, |worst, (x, y)| {
        worst.max((x - y).abs() / (1.0 + y.abs()))
    })
}

/// Worst error of some rows at a random output step, in units of the tolerance.
fn worst_row(model: &Model, until: f64, tolerance: f64, random: &mut Xorshift) -> f64 {
    let step = 1e-3 * 50.0_f64.powf(random.unit());
    let n = (until / step) as usize;
    let chosen: Vec<usize> = (0..n_rows())
        .map(|_| 1 + (random.unit() * n as f64) as usize)
        .collect();
    let mut simulation = by_tolerance(model, tolerance);
    let mut worst: f64 = 0.0;
    for i in 1..=n {
        let time = step * i as f64;
        simulation.glide_to(time, until).unwrap();
        assert_eq!(simulation.state().time, time);
        if chosen.contains(&i) {
            let mut reference = by_tolerance(model, tolerance);
            reference.advance_to(time).unwrap();
            worst = worst.max(difference(simulation.state(), reference.state()));
        }
    }
    worst / tolerance
}

#[test]
fn rows_at_any_output_step_are_those_of_runs_that_end_there() {
    let shipped = |name: &str| variant(name, &[]);
    let cases: Vec<(&str, Model, f64)> = vec![
        ("p1", shipped("block_on_table"), 10.0),
        ("p2", shipped("double_pendulum_wall"), 2.5),
        ("p3 D1e2", carts("D1e2"), 4.0),
        ("p3 D1e3", carts("D1e3"), 4.0),
        ("p3 D1e6", carts("D1e6"), 4.0),
        ("p3 S1e2", carts("S1e2"), 2.0),
        ("p3 S1e4", carts("S1e4"), 2.0),
        ("p3 S1e6", carts("S1e6"), 0.2),
        ("p4 m1 g20", damper("1", "20"), 10.0),
        ("p4 m1 g100", damper("1", "100"), 10.0),
        ("p4 m1 g1e6", damper("1", "1e6"), 10.0),
        ("p4 m1e8 g20", damper("1e8", "20"), 10.0),
        ("p4 m1e8 g100", defect("p4_m1e8_g100"), 10.0),
        ("p5", shipped("falling_rod"), 0.8),
        ("p6a", shipped("bouncing_ball"), 4.5),
        ("p6b", shipped("incline"), 2.0),
        ("p6d", shipped("newtons_cradle"), 2.0),
        ("p6e", shipped("rolling_ball"), 2.0),
        ("p6h", shipped("free_body"), 20.0),
        ("p6i", shipped("slider_crank"), 5.0),
        ("p6j", shipped("box_landing"), 1.0),
        ("random scene 638", defect("min_plane_638_gain"), 1.0),
    ];
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for (name, model, until) in &cases {
        for tolerance in [1e-4, 1e-6, 1e-9] {
            let worst = worst_row(model, *until, tolerance, &mut random);
            println!("{name:18} tolerance {tolerance:e}: {worst:.3} tolerances");
            assert!(worst <= 10.0, "{name} {tolerance:e}: {worst}");
        }
    }
}

#[test]
fn rows_change_nothing_of_the_motion() {
    for (name, model, until) in [
        ("p4", defect("p4_m1e8_g100"), 10.0),
        ("638", defect("min_plane_638_gain"), 1.0),
        ("free body", variant("free_body", &[]), 5.0),
    ] {
        let mut ends = Vec::new();
        for step in [until, 0.05, 0.0013] {
            let mut simulation = by_tolerance(&model, 1e-6);
            let n = (until / step) as u32;
            for i in 1..n {
                simulation.glide_to(step * f64::from(i), until).unwrap();
            }
            simulation.glide_to(until, until).unwrap();
            let report = simulation.report();
            ends.push((
                simulation.state().clone(),
                [
                    report.steps,
                    report.trials,
                    report.rejected_steps,
                    report.n_events.total(),
                ],
                [
                    report.friction_loss,
                    report.damping_loss,
                    report.impact_loss,
                ]
                .map(f64::to_bits),
            ));
        }
        assert!(ends.iter().all(|end| *end == ends[0]), "{name}");
    }
}

#[test]
fn the_energy_of_rows_never_rises_above_that_at_the_start() {
    let model = defect("min_plane_638_gain");
    let mut simulation = Simulation::new(model);
    let start = simulation.energy().total();
    let mut highest = start;
    for i in 1..=2000 {
        simulation.glide_to(1e-3 * f64::from(i), 2.0).unwrap();
        highest = highest.max(simulation.energy().total());
    }
    println!("{start} J at the start, {highest} J at most");
    assert!(highest - start < 1e-5 * start.abs());
}
