//! Bounded effort (`sweeps`): whatever their number, boxes that lie flat on each other do not sink into each other, joints hold,
//! and no energy is gained.

use crate::common::boxes::deepest_overlap;
use crate::common::time_stepping_scenes;
use crate::common::{model, scene_text};
use stiction::Simulation;

/// s.
const STEP: f64 = 0.005;

const FLOOR: &str = "dimension = 3\n[settings]\nstep = 0.005\n[contact_default]\nfriction = 0.5\n[[ground.shape]]\nname = \"floor\"\nkind = \"half_space\"\nnormal = [0, 0, 1]\n";

/// The scene with the other integrator.
fn with_time_stepping(scene: &str) -> String {
    match scene.contains("integrator =") {
        true => scene.to_owned(),
        false => scene.replace(
            "[settings]\n",
            "[settings]\nintegrator = \"time_stepping\"\n",
        ),
    }
}

/// A scene with time stepping and its sweeps.
fn time_stepping(scene: &str, sweeps: Option<u32>) -> Simulation {
    let rule = sweeps.map_or(String::new(), |n| format!("sweeps = {n}"));
    Simulation::new(model(&format!(
        "{}\n[settings.time_stepping]\n{rule}\n",
        with_time_stepping(scene)
    )))
}

fn shipped(name: &str) -> String {
    scene_text(name).replace("[settings.time_stepping]", "")
}

fn brick(name: &str, place: [f64; 3], size: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\ndensity = 600\nposition = {place:?}\nshape = [{{ kind = \"box\", size = {size:?} }}]\n"
    )
}

/// Boxes on each other, each this far above the one below.
fn stack(n: usize, gap: f64) -> String {
    let place = |i: usize| [0.0, 0.0, 0.05 + gap + (0.1 + gap) * i as f64];
    let boxes = (0..n).map(|i| brick(&format!("b{i}"), place(i), [0.12, 0.14, 0.1]));
    FLOOR.to_owned() + &boxes.collect::<String>()
}

/// Columns whose sides are flush.
fn columns() -> String {
    let mut text = FLOOR.to_owned();
    for i in 0..16 {
        let place = |k: usize| i >> k & 1;
        let (x, y, z) = (
            0.12 * f64::from(place(0)),
            0.14 * f64::from(place(1)),
            i / 4,
        );
        let height = 0.06 + 0.11 * f64::from(z);
        text += &brick(&format!("b{i}"), [x, y, height], [0.12, 0.14, 0.1]);
    }
    text
}

/// Rows of bricks, each row half a brick to the side of the one below and one brick shorter.
fn wall(height: usize) -> String {
    let mut text = FLOOR.to_owned();
    for row in 0..height {
        for i in 0..height + 2 - row {
            let x = 0.2 * i as f64 + 0.1 * row as f64;
            let place = [x, 0.0, 0.05 + 0.1 * row as f64];
            text += &brick(&format!("b{row}_{i}"), place, [0.2, 0.1, 0.1]);
        }
    }
    text
}

/// What was seen in all steps of a run.
#[derive(Debug, Default)]
struct Seen {
    /// By separating axes, m.
    overlap: f64,
    /// Of the report, m.
    reported: f64,
    /// Largest gain of a step that the report does not call lifted, J.
    gain: f64,
    /// J.
    largest: f64,
    /// m.
    drift: f64,
}

fn watch(simulation: &mut Simulation, until: f64) -> Seen {
    let mut seen = Seen::default();
    let mut before = simulation.energy().total();
    let mut lifted = 0.0;
    for k in 1..=(until / STEP).round() as u32 {
        simulation.advance_to(STEP * f64::from(k)).unwrap();
        let energy = simulation.energy();
        let report = simulation.report();
        let gain = energy.total() - before - (report.lifted - lifted);
        (before, lifted) = (energy.total(), report.lifted);
        seen.gain = seen.gain.max(gain);
        seen.largest = seen.largest.max(energy.total().abs()).max(energy.kinetic);
        seen.reported = seen.reported.max(report.end_penetration);
        seen.drift = seen.drift.max(report.worst_joint_drift);
        seen.overlap = seen.overlap.max(deepest_overlap(simulation));
    }
    seen
}

impl Seen {
    fn check(&self, what: &str) {
        self.check_to(what, 1e-12);
    }

    /// Gains of up to this part of the energy are allowed.
    fn check_to(&self, what: &str, part: f64) {
        println!(
            "{what}: overlap {:.1e} m (reported {:.1e}), gain {:.1e} J of {:.1}, drift {:.1e}",
            self.overlap, self.reported, self.gain, self.largest, self.drift
        );
        assert!(self.overlap <= 1e-6 && self.reported <= 1e-6, "{what}");
        assert!(self.gain <= part * self.largest.max(1.0), "{what}");
        assert!(self.drift <= 1e-9, "{what}");
    }
}

#[test]
fn boxes_that_lie_flat_on_each_other_stay_there() {
    let scenes = [
        ("5 boxes", stack(5, 0.0), 0.45),
        ("10 boxes", stack(10, 0.0), 0.95),
        ("10 boxes that fall", stack(10, 0.01), 0.95),
        ("columns", columns(), 0.35),
        ("wall", wall(5), 0.45),
    ];
    for (name, scene, top) in scenes {
        for sweeps in [None, Some(1), Some(5), Some(20)] {
            let mut simulation = time_stepping(&scene, sweeps);
            watch(&mut simulation, 0.6).check(&format!("{name}, {sweeps:?}"));
            let heights = simulation.state().position.chunks(6).map(|x| x[2]);
            let highest = heights.fold(0.0, f64::max);
            assert!((highest - top).abs() < 1e-4, "{name}: {highest}");
        }
    }
}

#[test]
fn tall_stacks_that_fall_stay_stacks() {
    for sweeps in [1, 5, 20] {
        let mut simulation = time_stepping(&stack(20, 0.003), Some(sweeps));
        watch(&mut simulation, 0.3).check(&format!("20 boxes, {sweeps} sweeps"));
    }
}

#[test]
fn piles_do_not_gain_energy_nor_overlap_whatever_the_sweeps() {
    for sweeps in [1, 5, 20] {
        for name in ["pile_of_boxes", "pile_of_jacks"] {
            let mut simulation = time_stepping(&shipped(name), Some(sweeps));
            let until = if name == "pile_of_boxes" { 1.6 } else { 0.8 };
            watch(&mut simulation, until).check(&format!("{name}, {sweeps} sweeps"));
        }
        let mut simulation = Simulation::new(model(&time_stepping_scenes::pile(
            50,
            &format!("sweeps = {sweeps}"),
        )));
        watch(&mut simulation, 1.0).check(&format!("balls, {sweeps} sweeps"));
    }
}

#[test]
fn bounces_rough_surfaces_and_heavy_loads_gain_no_energy() {
    let balls = time_stepping_scenes::pile(30, "").replace("[settings.time_stepping]", "");
    let law = |law: &str| balls.replace("friction = 0.4", law);
    let load = stack(6, 0.002)
        + &brick("load", [0.03, 0.0, 0.75], [0.3, 0.3, 0.2]).replace("600", "60000");
    let scenes = [
        ("bouncing balls", law("friction = 0.4\nrestitution = 0.7")),
        ("rough balls", law("friction = 1.5\nrestitution = 0.3")),
        (
            "rolling balls",
            law("friction = 0.5\nrolling_friction = 0.001\ntorsional_friction = 0.001"),
        ),
        (
            "bouncing boxes",
            shipped("pile_of_boxes") + "restitution = 0.6\n",
        ),
        ("heavy load", load),
    ];
    for (name, scene) in scenes {
        for sweeps in [1, 10] {
            let mut simulation = time_stepping(&scene, Some(sweeps));
            let seen = watch(&mut simulation, 0.6);
            // what tumbles through the air keeps its energy to the error of the step
            let part = if name == "bouncing boxes" {
                1e-8
            } else {
                1e-12
            };
            seen.check_to(&format!("{name}, {sweeps} sweeps"), part);
        }
    }
}

#[test]
fn a_chain_swings_as_with_exact_forces_whatever_the_sweeps() {
    let scene = time_stepping_scenes::chain(30).replace("[settings.time_stepping]", "");
    let mut exact = time_stepping(&scene, None);
    watch(&mut exact, 1.0);
    for sweeps in [1, 2, 5, 20] {
        let mut simulation = time_stepping(&scene, Some(sweeps));
        watch(&mut simulation, 1.0).check(&format!("chain, {sweeps} sweeps"));
        let places = simulation.state().position.iter();
        let both = places.zip(&exact.state().position);
        let apart = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{apart:.1e} m from the exact one");
        assert!(apart < 1e-7 && simulation.report().inexact_solves == 0);
    }
}

/// Boxes on spherical joints that fall on the floor.
fn falling_links(n: usize) -> String {
    let mut text = FLOOR.to_owned();
    for i in 0..n {
        let [x, z] = [0.1 * i as f64, 0.3 + 0.05 * i as f64];
        text += &brick(&format!("b{i}"), [x, 0.0, z], [0.06, 0.06, 0.04]);
        if i > 0 {
            text += &format!(
                "[[joint]]\nname = \"j{i}\"\nkind = \"spherical\"\nbodies = [\"b{}\", \"b{i}\"]\nat = [{}, 0, {}]\n",
                i - 1,
                x - 0.05,
                z - 0.025
            );
        }
    }
    text
}

#[test]
fn joints_hold_while_contacts_strike() {
    for sweeps in [1, 2, 5, 20] {
        let mut simulation = time_stepping(&falling_links(12), Some(sweeps));
        let seen = watch(&mut simulation, 1.5);
        // neighbours on a joint may be in each other
        let seen = Seen {
            overlap: 0.0,
            ..seen
        };
        seen.check(&format!("links, {sweeps} sweeps"));
        assert!(simulation.energy().kinetic < 0.1);
    }
}

#[test]
fn a_spring_a_motor_and_a_belt_still_do_their_work() {
    let scene = FLOOR.to_owned()
        + &brick("parcel", [0.0, 0.0, 0.1], [0.3, 0.2, 0.2])
        + r#"
        [[belt]]
        name = "belt"
        shape = "floor"
        direction = [1, 0, 0]
        speed = 0.8
        [[body]]
        name = "arm"
        kind = "rigid"
        mass = 1
        inertia = [0.1, 0.1, 0.1]
        position = [0, 5, 5]
        [[joint]]
        name = "hinge"
        kind = "revolute"
        bodies = ["ground", "arm"]
        at = [0, 5, 4]
        axis = [0, 0, 1]
        motor = { kind = "speed", value = 2 }
        [[body]]
        name = "bob"
        kind = "rigid"
        mass = 1
        inertia = [0.1, 0.1, 0.1]
        position = [0, -5, 5]
        [[force]]
        name = "spring"
        kind = "spring_damper"
        bodies = ["ground", "bob"]
        anchors = [[0, -5, 7], [0, 0, 0]]
        stiffness = 1000
        damping = 0
        "#;
    let mut exact = time_stepping(&scene, None);
    let mut bounded = time_stepping(&scene, Some(20));
    for simulation in [&mut exact, &mut bounded] {
        simulation.advance_to(1.0).unwrap();
    }
    let [a, b] = [&exact, &bounded].map(|simulation| simulation.state());
    let both = a.position.iter().zip(&b.position);
    let apart = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("{apart:.1e} m apart, speed of the parcel {}", b.velocity[0]);
    assert!(apart < 1e-3);
    assert!((b.velocity[0] - 0.8).abs() < 1e-4);
    assert!((b.velocity[11] - 2.0).abs() < 1e-9);
}
