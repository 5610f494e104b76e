//! Work grows with what a scene has, not with its square: counted multiplications of the linear algebra, the same on every machine.

use crate::common::model;
use std::fmt::Write as _;
use stiction::simulation::Simulation;

/// A chain of `n` links in space, held by the ground at its first link, and released stretched out.
fn chain(n: usize, settings: &str) -> String {
    let mut text = format!("dimension = 3\nuntil = 1\n[settings]\n{settings}\n");
    for i in 0..n {
        let x = 0.1 * i as f64;
        let _ = write!(
            text,
            "[[body]]\nname = \"l{i}\"\nkind = \"rigid\"\nmass = 1.0\ninertia = [0.001, 0.002, 0.002]\nposition = [{}, 0, 0]\n",
            x + 0.05
        );
        let first = match i {
            0 => "ground".to_owned(),
            _ => format!("l{}", i - 1),
        };
        let _ = write!(
            text,
            "[[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\nbodies = [\"{first}\", \"l{i}\"]\nat = [{x}, 0, 0]\naxis = [0, 1, 0]\n"
        );
    }
    text
}

/// Multiplications of a step after the first one, in the mean.
fn operations(simulation: &mut Simulation, step: f64, n_steps: u32) -> f64 {
    simulation.advance_to(step).expect("the first step");
    let before = simulation.report().operations;
    for i in 2..=1 + n_steps {
        simulation.advance_to(f64::from(i) * step).expect("a step");
    }
    (simulation.report().operations - before) as f64 / f64::from(n_steps)
}

#[test]
fn work_of_a_chain_grows_with_its_links_up_to_400() {
    let mut counts = Vec::new();
    for n in [50, 100, 200, 400] {
        let mut simulation = Simulation::new(model(&chain(n, "step = 1e-3")));
        let count = operations(&mut simulation, 1e-3, 5);
        let drift = simulation.report().worst_joint_drift;
        println!("{n} links: {count:.0} multiplications a step, joints open by {drift:.1e} m");
        assert!(drift < 1e-9, "{n}: {drift:e}");
        counts.push((n as f64, count));
    }
    let ((few, least), (many, most)) = (counts[0], counts[3]);
    let exponent = (most / least).ln() / (many / few).ln();
    println!("exponent {exponent:.3}");
    // longer chains take a correction more
    assert!(exponent < 1.2, "{exponent}");
}

#[test]
fn a_chain_of_400_links_keeps_its_energy() {
    let mut simulation = Simulation::new(model(&chain(400, "tolerance = 1e-10\nstep = 1e-3")));
    let before = simulation.energy().total();
    simulation.advance_to(0.02).expect("twenty milliseconds");
    let energy = simulation.energy();
    let error = (energy.total() - before).abs() / energy.kinetic;
    let drift = simulation.report().worst_joint_drift;
    println!("energy {error:.1e} of the kinetic energy, joints open by {drift:.1e} m");
    assert!(error < 1e-9, "{error:e}");
    assert!(drift < 1e-9, "{drift:e}");
}
