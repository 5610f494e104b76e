//! Bodies that stand, slide and slap down on more contacts than they need: cylinders on their rims, boxes on their corners.

use crate::common::random::{Congruential, Random as _};
use crate::common::{model, run};
use stiction::math::{Vec3, quaternion};
use stiction::model::Model;
use stiction::simulation::Simulation;

const G: f64 = 9.81;

/// A rotation vector without any symmetry, rad.
const TURNED: Vec3 = Vec3::new(1.1, -1.7, 0.6);

fn count(simulation: &Simulation, kind: &str) -> usize {
    let events = simulation.report().events.iter();
    events.filter(|e| e.kind.name() == kind).count()
}

/// What the energy balance leaves unexplained, J.
fn unexplained(simulation: &mut Simulation, at_start: f64) -> f64 {
    let gained = simulation.energy().total() - at_start;
    let report = simulation.report();
    gained - report.applied_work + report.damping_loss + report.friction_loss + report.impact_loss
}

/// One body on the ground, the whole of it turned by a rotation vector.
struct Scene {
    shape: &'static str,
    mass: f64,
    height: f64,
    velocity: Vec3,
    spin: f64,
    friction: f64,
}

impl Scene {
    fn model(&self, turn: Vec3) -> Model {
        let orientation = quaternion::exp(turn);
        let matrix = quaternion::matrix(orientation);
        let turned = |v: Vec3| format!("{:?}", (matrix * v).as_slice());
        let up = Vec3::new(0.0, 0.0, 1.0);
        model(&format!(
            "dimension = 3\ngravity = {}\n[[body]]\nname = \"b\"\nkind = \"rigid\"\nmass = {:?}\nposition = {}\n\
             orientation = {:?}\nvelocity = {}\nangular_velocity = {}\n[[body.shape]]\n{}\n\
             [[ground.shape]]\nkind = \"half_space\"\nnormal = {}\n[contact_default]\nfriction = {:?}\n",
            turned(up * -G),
            self.mass,
            turned(up * self.height),
            orientation,
            turned(self.velocity),
            turned(up * self.spin),
            self.shape,
            turned(up),
            self.friction,
        ))
    }
}

fn disc(speed: f64) -> Scene {
    Scene {
        shape: "kind = \"cylinder\"\nradius = 0.15\nheight = 0.04",
        mass: 3.0,
        height: 0.02,
        velocity: Vec3::new(speed, 0.0, 0.0),
        spin: 20.0,
        friction: 0.2,
    }
}

fn slider() -> Scene {
    Scene {
        shape: "kind = \"box\"\nsize = [0.3, 0.2, 0.15]",
        mass: 2.0,
        height: 0.075,
        velocity: Vec3::new(1.0, 0.3, 0.0),
        spin: 6.0,
        friction: 0.3,
    }
}

#[test]
fn a_disc_that_slides_and_spins_does_so_alike_in_every_frame() {
    let energies = [Vec3::zeros(), TURNED].map(|turn| {
        let model = disc(0.3).model(turn);
        let at_start = run(&model, 0.0, |_| {}).energy().total();
        let mut simulation = run(&model, 0.5, |s| s.tolerance = Some(1e-9));
        let energy = simulation.energy().total();
        assert_eq!(count(&simulation, "take-off"), 0);
        assert!(simulation.report().steps < 100);
        assert!(unexplained(&mut simulation, at_start).abs() < 1e-9);
        simulation.advance_to(1.0).unwrap();
        assert!((simulation.energy().total() - 3.0 * G * 0.02).abs() < 1e-9);
        energy
    });
    println!("{energies:?}");
    assert!((energies[0] - energies[1]).abs() < 1e-9);
}

#[test]
fn a_flat_disc_spins_down_by_friction_at_its_rim() {
    let model = disc(0.0).model(Vec3::zeros());
    // all of the weight is at the rim: mu m g R against m R^2/2
    let rate = 2.0 * 0.2 * G / 0.15;
    for tolerance in [1e-6, 1e-9, 1e-11] {
        let simulation = run(&model, 0.5, |s| s.tolerance = Some(tolerance));
        let spin = simulation.state().velocity[5];
        let steps = simulation.report().steps;
        println!(
            "{tolerance:e}: {steps} steps, {:e}",
            spin - 20.0 + 0.5 * rate
        );
        assert!((spin - 20.0 + 0.5 * rate).abs() < 1e-11);
        assert!(steps <= 30);
    }
    let fixed = run(&model, 0.5, |_| {});
    assert!((fixed.state().velocity[5] - 20.0 + 0.5 * rate).abs() < 1e-11);
}

fn dropped(shape: &str, tilt: f64) -> Model {
    model(&format!(
        "dimension = 3\n[[body]]\nname = \"c\"\nkind = \"rigid\"\nmass = 1\n\
         inertia = [0.005833333333333334, 0.005833333333333334, 0.005]\nposition = [0, 0, 0.3]\neuler = [{tilt:?}, 0, 0]\n\
         [[body.shape]]\n{shape}\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n\
         [contact_default]\nfriction = 0.3\n"
    ))
}

#[test]
fn a_can_that_slaps_down_comes_to_rest_as_a_cube_does() {
    let at_rest = G * 0.1;
    for tilt in [0.2, 0.02, 1e-6] {
        for (step, tolerance) in [
            (0.01, None),
            (0.005, None),
            (0.002, None),
            (0.01, Some(1e-7)),
            (0.01, Some(1e-9)),
        ] {
            let run = |shape: &str| {
                let mut simulation = run(&dropped(shape, tilt), 1.0, |s| {
                    (s.step, s.tolerance) = (step, tolerance);
                });
                let rest = unexplained(&mut simulation, G * 0.3);
                let lost = simulation.report().friction_loss;
                (rest, lost, simulation.energy().total())
            };
            let can = run("kind = \"cylinder\"\nradius = 0.1\nheight = 0.2");
            let cube = run("kind = \"box\"\nsize = [0.2, 0.2, 0.2]");
            println!("{tilt} {step} {tolerance:?}: {can:?}, cube {cube:?}");
            let bound = if tolerance.is_some() { 1e-8 } else { 3e-5 };
            assert!(can.0.abs() < bound && cube.0.abs() < bound);
            assert!(can.1 > -1e-12, "friction does not give");
            assert!((can.2 - at_rest).abs() < 1e-9);
        }
    }
}

#[test]
fn a_box_that_slides_and_turns_is_slowed_by_the_forces_that_are_reported() {
    let model = slider().model(Vec3::zeros());
    let mut settings = model.settings.clone();
    settings.tolerance = Some(1e-8);
    let mut simulation = Simulation::with_settings(model, settings);
    simulation.initialize().unwrap();
    // Simpson's rule over the reported change of the spin
    let n = 40;
    let mut gained = 0.0;
    for k in 0..=n {
        simulation.advance_to(0.2 * k as f64 / n as f64).unwrap();
        let weight = match k {
            0 => 1.0,
            k if k == n => 1.0,
            k if k % 2 == 1 => 4.0,
            _ => 2.0,
        };
        gained += weight * simulation.state().acceleration[5] * 0.2 / (3.0 * n as f64);
    }
    let changed = simulation.state().velocity[5] - 6.0;
    println!("changed by {changed}, reported {gained}");
    assert!((changed - gained).abs() < 1e-6);
}

#[test]
fn a_box_that_slides_and_turns_takes_long_steps_in_every_frame() {
    for tolerance in [1e-8, 1e-10] {
        let energies = [Vec3::zeros(), TURNED].map(|turn| {
            let model = slider().model(turn);
            let mut simulation = run(&model, 0.2, |s| s.tolerance = Some(tolerance));
            assert!(
                simulation.report().steps < 20,
                "{}",
                simulation.report().steps
            );
            simulation.energy().total()
        });
        // fixed steps converge to the same motion
        let mut fixed = run(&slider().model(TURNED), 0.2, |s| s.step = 2e-3);
        println!("{tolerance:e}: {energies:?}, {}", fixed.energy().total());
        assert!((energies[0] - energies[1]).abs() < 10.0 * tolerance);
        assert!((energies[0] - fixed.energy().total()).abs() < 1e-5);
    }
}

/// The same numbers everywhere, evenly in -1 .. 1.
fn vector(random: &mut Congruential) -> Vec3 {
    Vec3::new(random.signed(), random.signed(), random.signed())
}

#[test]
fn the_energy_balance_of_thrown_cans_and_coins_closes() {
    let mut random = Congruential(7);
    let n = std::env::var("CYLINDER_CASES").map_or(10, |n| n.parse().unwrap());
    for case in 0..n {
        let (radius, height) = [(0.1, 0.2), (0.15, 0.03), (0.05, 0.3)][case % 3];
        let model = model(&format!(
            "dimension = 3\n[[body]]\nname = \"c\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0, 0.4]\neuler = {:?}\n\
             velocity = {:?}\nangular_velocity = {:?}\n[[body.shape]]\nkind = \"cylinder\"\nradius = {radius:?}\n\
             height = {height:?}\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n\
             [contact_default]\nfriction = 0.3\n",
            (vector(&mut random) * 0.5).as_slice(),
            (vector(&mut random) * 0.5).as_slice(),
            (vector(&mut random) * 3.0).as_slice(),
        ));
        let at_start = run(&model, 0.0, |_| {}).energy().total();
        for (step, tolerance) in [(0.01, None), (0.0025, None), (0.01, Some(1e-7))] {
            let mut simulation = run(&model, 1.0, |s| (s.step, s.tolerance) = (step, tolerance));
            let rest = unexplained(&mut simulation, at_start);
            let report = simulation.report();
            println!(
                "{case} {step} {tolerance:?}: remainder {rest:.1e} J, friction {:.2e} J, {} substeps",
                report.friction_loss, report.substeps,
            );
            // with the errors of the steps in them
            let closed = rest - report.numerical_gain + report.numerical_loss;
            assert!(closed.abs() < 1e-9, "{closed:e} of {at_start} J");
            // The last wobbles of a coin are followed by their angle, whatever the step: single steps gain and lose more than a hundredth of the energy
            // that moves in them. Without correction that is +0.9e-2 and -1.4e-2 J (coin 1), of which 0.5e-2 J are left; gains are taken
            // back, losses of steps like these are not, and stand alone
            let most_lost = if tolerance.is_some() { 1e-5 } else { 2e-2 };
            assert!(report.numerical_loss < most_lost, "of {at_start} J");
            assert!(
                report.numerical_gain < 1e-5,
                "{} of {at_start} J",
                report.numerical_gain
            );
            assert!(report.friction_loss > 0.0, "friction does not give");
            assert_eq!(report.first_order_steps, 0);
        }
    }
}
