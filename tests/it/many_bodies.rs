//! Many bodies: impacts that are located, piles that come to rest and sleep, chains, belts.

use crate::common::time_stepping_scenes;
use crate::common::time_stepping_scenes::{chain, pile};
use stiction::{Model, Simulation};

fn model(text: &str) -> Model {
    Model::from_text("scene", text).unwrap_or_else(|error| panic!("{error}"))
}

const BALL: &str = r#"
    dimension = 3
    [settings]
    integrator = "time_stepping"
    step = 0.01
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
    assert_eq!(state.time_stepping.sleep_timer[0], f64::INFINITY);
}

/// A rod that comes down on one end, turned by `angle`, moving sideways at `speed` m/s.
fn rod(angle: f64, friction: f64, speed: f64) -> String {
    let (y, w) = (0.5 * angle).sin_cos();
    format!(
        r#"
        dimension = 3
        gravity = [0, 0, 0]
        [settings]
        integrator = "time_stepping"
        step = 0.01
        [contact_default]
        restitution = 0.98
        friction = {friction}
        [[ground.shape]]
        kind = "half_space"
        normal = [0, 0, 1]
        [[body]]
        name = "rod"
        kind = "rigid"
        mass = 1
        inertia = [0.001, 0.08, 0.08]
        position = [0, 0, 0.6]
        orientation = [{w}, 0, {y}, 0]
        velocity = [{speed}, 0, -1]
        shape = [{{ kind = "capsule", from = [-0.5, 0, 0], to = [0.5, 0, 0], radius = 0.01 }}]
        "#
    )
}

#[test]
fn no_impact_gains_energy() {
    let mut limited = 0;
    for angle in [0.3, 0.6, 0.9, 1.2] {
        for friction in [0.2, 0.6, 1.2] {
            for speed in [-1.0, -0.3, 0.0, 0.3, 1.0] {
                let mut simulation = Simulation::new(model(&rod(angle, friction, speed)));
                let start = simulation.energy().kinetic;
                simulation.advance_to(0.6).unwrap();
                let end = simulation.energy().kinetic;
                let report = simulation.report();
                assert!(report.located_impacts > 0 && report.unlocated_steps == 0);
                assert!(
                    end <= start * (1.0 + 1e-12),
                    "{angle} {friction} {speed}: {start} J to {end} J"
                );
                limited += report.limited_impacts;
            }
        }
    }
    println!("{limited} impacts would have gained energy");
    assert!(limited > 0);
}

fn refused(text: &str) -> String {
    let refusal = Model::from_text("scene", text).err();
    refusal.expect("a refusal").to_string()
}

#[test]
fn what_cannot_touch_or_overlaps_at_the_start_is_refused() {
    let cylinder = "\n[[body]]\nname = \"can\"\nkind = \"rigid\"\nmass = 1\nposition = [3, 0, 1]\nshape = [{ kind = \"cylinder\", height = 1, radius = 0.1 }]\n";
    let block = "\n[[body]]\nname = \"block\"\nkind = \"rigid\"\nmass = 1\nposition = [6, 0, 1]\nshape = [{ kind = \"box\", size = [1, 1, 1] }]\n";
    model(&format!("{BALL}{cylinder}"));
    let error = refused(&format!("{BALL}{cylinder}{block}"));
    assert!(
        error.contains("cylinder") && error.contains("block"),
        "{error}"
    );
    let off = "\n[[contact]]\nbodies = [\"can\", \"block\"]\nenabled = false\n";
    model(&format!("{BALL}{cylinder}{block}{off}"));

    let error = refused(&BALL.replace("[0, 0, 1.1]", "[0, 0, 0.09]"));
    assert!(
        error.contains("`ball.on.ground` overlap by 1.000e-2 m"),
        "{error}"
    );
    // flush, one in the other: no corner is inside
    let inside = block
        .replace("block", "other")
        .replace("[6, 0, 1]", "[6.5, 0, 1]");
    let error = refused(&format!("{BALL}{block}{inside}"));
    assert!(error.contains("`other.on.block` overlap"), "{error}");
    let error = refused(&jacks(3).replace("[0.14, 0.13, 0.17]", "[0.1, 0.1, 0.1]"));
    assert!(error.contains("more pairs overlap"), "{error}");
}

#[test]
fn a_pile_comes_to_rest() {
    for (n, time_stepping) in [(10, ""), (30, ""), (50, "sweeps = 30")] {
        let mut simulation = Simulation::new(model(&pile(n, time_stepping)));
        let start = simulation.energy().total();
        for k in 1..=6 {
            simulation.advance_to(0.5 * f64::from(k)).unwrap();
            let energy = simulation.energy();
            let report = simulation.report();
            let asleep = simulation
                .state()
                .time_stepping
                .sleep_timer
                .iter()
                .filter(|x| x.is_infinite())
                .count();
            println!(
                "{n} {time_stepping:12} {:4} s kinetic {:.3e} contacts {} asleep {asleep} penetration {:.1e} worst {:.1e} residual {:.1e} inexact {} of {} lifted {:.1e} unlocated {} located {}",
                0.5 * f64::from(k),
                energy.kinetic,
                simulation.state().time_stepping.contacts.len(),
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
            assert!(report.worst_penetration <= 1e-6);
            // a step in a hundred may defeat the solver; it says so
            assert!(!time_stepping.is_empty() || 100 * report.inexact_solves <= report.lcps);
        }
        let asleep = |x: &f64| x.is_infinite();
        let all_asleep = simulation
            .state()
            .time_stepping
            .sleep_timer
            .iter()
            .all(asleep);
        assert!(all_asleep || n > 10, "{n} balls");
    }
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
    assert!((energy.total() - start).abs() < 1e-4 * energy.kinetic);
}

#[test]
fn long_chains_whip_without_gaining_energy() {
    for (n, until) in [(200, 3.0), (400, 1.0)] {
        let mut simulation = Simulation::new(model(&chain(n)));
        let start = simulation.energy().total();
        let mut worst: f64 = 0.0;
        let mut kinetic: f64 = 0.0;
        for k in 1..=(until * 20.0) as u32 {
            simulation.advance_to(0.05 * f64::from(k)).unwrap();
            let energy = simulation.energy();
            kinetic = kinetic.max(energy.kinetic);
            worst = worst.max((energy.total() - start) / kinetic);
        }
        let end = (simulation.energy().total() - start) / kinetic;
        let report = simulation.report();
        println!(
            "{n} links: drift {:.1e} m, gain {worst:.1e} of {kinetic:.1} J, end {end:.3}, inexact {}",
            report.worst_joint_drift, report.inexact_solves
        );
        assert!(report.worst_joint_drift <= 1e-9 && report.inexact_solves == 0);
        assert!(worst < 1e-3);
    }
}

#[test]
fn a_pendulum_with_time_stepping_has_order_two() {
    let text = |step: f64| {
        format!(
            "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = {step}\n[[body]]\nname = \"rod\"\nkind = \"rigid\"\nmass = 1\ninertia = [0.01, 0.0833333, 0.0833333]\nposition = [0.5, 0, 0]\n[[joint]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\nat = [0, 0, 0]\naxis = [0, 1, 0]\n"
        )
    };
    let end = |step: f64| {
        let mut simulation = Simulation::new(model(&text(step)));
        simulation.advance_to(1.0).unwrap();
        simulation.state().position[0]
    };
    let exact = {
        let plain = text(0.01)
            .replace("integrator = \"time_stepping\"", "")
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
    integrator = "time_stepping"
    step = 0.005
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
    // the belt does twice the work that the parcel of 3.6 kg gets, friction takes the other half
    let (report, kinetic) = (simulation.report(), 0.5 * 3.6 * 0.8 * 0.8);
    println!(
        "work {} J, friction {} J",
        report.applied_work, report.friction_loss
    );
    assert!((report.applied_work - 2.0 * kinetic).abs() < 1e-6);
    assert!((report.friction_loss - kinetic).abs() < 0.02 * kinetic);
}

/// Boxes of 40 kg, tilted, and a slab of 400 kg that falls on them.
const SLAB: [([f64; 2], [f64; 3]); 5] = [
    ([-0.5, 0.020784], [-0.104814, 0.017692, -0.260090]),
    ([-0.25, 0.067494], [0.050288, -0.173788, -0.973664]),
    ([0.0, -0.005947], [-0.096258, -0.106268, 0.991290]),
    ([0.25, -0.069877], [0.134585, -0.009459, 0.278136]),
    ([0.5, 0.048250], [0.053944, 0.147218, 0.046362]),
];

#[test]
fn what_a_slab_lands_on_is_not_pushed_into_the_floor() {
    for ratio in [10.0, 1e4] {
        let mut text = "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[contact_default]\nfriction = 0.5\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n".to_owned();
        for (i, ([x, y], turn)) in SLAB.into_iter().enumerate() {
            text += &format!(
                "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = {}\nposition = [{x}, {y}, 0.08]\nrotation_vector = {turn:?}\nshape = [{{ kind = \"box\", size = [0.1, 0.1, 0.1] }}]\n",
                400.0 / ratio
            );
        }
        text += "[[body]]\nname = \"slab\"\nkind = \"rigid\"\nmass = 400\nposition = [0.01, 0, 0.5]\nrotation_vector = [0.034282, -0.087194, 0.51646]\nshape = [{ kind = \"box\", size = [1.0, 0.5, 0.3] }]\n";
        let mut simulation = Simulation::new(model(&text));
        simulation.advance_to(0.6).unwrap();
        let report = simulation.report();
        println!(
            "1 : {ratio}: overlap {:.1e} m, residual {:.1e}",
            report.worst_penetration, report.worst_residual
        );
        assert!(report.worst_penetration < 1e-6 && report.worst_residual < 1e-6);
    }
}

#[test]
fn boxes_fall_on_each_other_and_rest() {
    let mut text = "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[contact_default]\nfriction = 0.5\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n".to_owned();
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
    settle(&mut simulation, 8);
    assert!(simulation.energy().kinetic < 1e-6);
    assert!(simulation.report().end_penetration <= 1e-6);
}

#[test]
fn pads_that_others_hold_for_are_left_out_without_changing_the_motion() {
    let run = |merge: f64, are_alike: bool| {
        let mut simulation =
            Simulation::new(model(&time_stepping_scenes::pawl(7, merge, are_alike)));
        let mut places = Vec::new();
        for k in 1..=20 {
            simulation.advance_to(0.02 * f64::from(k)).unwrap();
            places.push(simulation.state().position.clone());
        }
        let report = simulation.report();
        println!(
            "merge {merge}: {} contacts, left out {}, residual {:.1e}, inexact {} of {}, penetration {:.1e}",
            simulation.state().time_stepping.contacts.len(),
            report.merged_contacts,
            report.worst_residual,
            report.inexact_solves,
            report.lcps,
            report.worst_penetration
        );
        let contacts = simulation.state().time_stepping.contacts.len();
        (places, contacts, report.merged_contacts)
    };
    for are_alike in [true, false] {
        let (all, all_contacts, none_left_out) = run(0.0, are_alike);
        let (few, few_contacts, left_out) = run(1e-4, are_alike);
        assert_eq!((all_contacts, few_contacts, none_left_out), (98, 8, 0));
        assert_eq!(left_out > 1000, !are_alike);
        let both = all.iter().flatten().zip(few.iter().flatten());
        let worst = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("the motions differ by {worst:.1e} m");
        assert!(worst < 1e-4);
    }
}

/// A plate on pads that slides at 1 m/s: x, y, how far a pad stands out downwards, m, and its material.
fn sliding_plate(pads: &[(f64, f64, f64, &str)], merge_distance: f64, floor: &str) -> String {
    let lowest = pads.iter().map(|pad| pad.2).fold(0.0, f64::max);
    let mut text = format!(
        "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.01\n[settings.time_stepping]\nmerge_distance = {merge_distance}\n[[body]]\nname = \"plate\"\nkind = \"rigid\"\nmass = 1\ninertia = [0.01, 0.01, 0.02]\nposition = [0, 0, {}]\nvelocity = [1, 0, 0]\n",
        0.01 + lowest
    );
    for (x, y, out, material) in pads {
        text += &format!(
            "[[body.shape]]\nkind = \"sphere\"\nradius = 0.01\nposition = [{x}, {y}, {}]\nmaterial = \"{material}\"\n",
            -out
        );
    }
    text + &format!(
        "[[ground.shape]]\nname = \"floor\"\nmaterial = \"floor\"\n{floor}\n[contact_default]\nfriction = 0.8\n[[contact]]\nmaterials = [\"ice\", \"floor\"]\nfriction = 0\n"
    )
}

#[test]
fn what_stands_out_or_is_of_another_material_is_never_left_out() {
    let ice = "ice";
    let four = |r: f64, out: f64, material: &'static str| {
        [(-r, -r), (-r, r), (r, -r), (r, r)].map(|(x, y)| (x, y, out, material))
    };
    let mut proud = four(0.1, 0.0, ice).to_vec();
    proud.push((0.0, 0.0, 9e-4, ice));
    let mut keel = four(0.1, 0.0, ice).to_vec();
    keel.extend([(0.0, -0.10001, 5e-3, ice), (0.0, 0.10001, 5e-3, ice)]);
    let mut rubber = four(0.1, 0.0, ice).to_vec();
    rubber.extend(four(0.05, 1e-6, "rubber"));
    let plane = "kind = \"half_space\"\nnormal = [0, 0, 1]";
    let table = "kind = \"box\"\nsize = [9, 9, 1]\nposition = [0, 0, -0.5]";
    for (name, pads) in [("proud", proud), ("keel", keel), ("rubber", rubber)] {
        for floor in [plane, table] {
            let [all, merged] = [0.0, 1e-3].map(|merge| {
                let mut simulation = Simulation::new(model(&sliding_plate(&pads, merge, floor)));
                simulation.advance_to(0.5).unwrap();
                let state = simulation.state();
                [state.position[0], state.velocity[0]]
            });
            println!("{name}: {all:?} with all, {merged:?} with some");
            for (a, b) in all.into_iter().zip(merged) {
                assert!((a - b).abs() < 1e-3, "{name}");
            }
        }
    }
}

/// Bodies of three crossed bars.
fn jacks(n: usize) -> String {
    let mut text = format!(
        "dimension = 3\n[settings]\nintegrator = \"time_stepping\"\nstep = 0.005\n[contact_default]\nfriction = 0.4\n[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 0, 1]\n[[body]]\nname = \"jack\"\nkind = \"rigid\"\nmass = 0.2\nrotation_vector = [0.4, 0.3, 0.2]\nposition = [0, 0, 0.15]\ncopies = {{ count = [2, 2, {n}], spacing = [0.14, 0.13, 0.17], jitter = 0.01 }}\n"
    );
    for size in [
        "[0.16, 0.03, 0.03]",
        "[0.03, 0.16, 0.03]",
        "[0.03, 0.03, 0.16]",
    ] {
        text += &format!("[[body.shape]]\nkind = \"box\"\nsize = {size}\n");
    }
    text
}

/// Advances by half seconds, prints how the bodies come to rest, and checks that no energy is gained.
fn settle(simulation: &mut Simulation, n: u32) {
    let start = simulation.energy().total();
    for k in 1..=n {
        simulation.advance_to(0.5 * f64::from(k)).unwrap();
        let energy = simulation.energy();
        let report = simulation.report();
        println!(
            "{} s kinetic {:.2e} contacts {} penetration {:.1e} worst {:.1e} residual {:.1e} inexact {} of {} lifted {:.1e}",
            0.5 * f64::from(k),
            energy.kinetic,
            simulation.state().time_stepping.contacts.len(),
            report.end_penetration,
            report.worst_penetration,
            report.worst_residual,
            report.inexact_solves,
            report.lcps,
            report.lifted
        );
        assert!(energy.total() <= start * (1.0 + 1e-9));
    }
}

#[test]
fn jacks_come_to_rest() {
    let mut simulation = Simulation::new(model(&jacks(3)));
    settle(&mut simulation, 6);
    assert!(simulation.report().end_penetration <= 1e-6);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: u32| {
        let text = jacks(2) + &format!("[settings.time_stepping]\nthreads = {threads}\n");
        let mut simulation = Simulation::new(model(&text));
        simulation.advance_to(0.4).unwrap();
        simulation.state().clone()
    };
    let one = run(1);
    assert!(one == run(2) && one == run(5));
}

#[test]
fn a_state_goes_on_with_the_same_bits() {
    for time_stepping in ["", "sweeps = 10"] {
        let text = pile(30, time_stepping);
        let mut simulation = Simulation::new(model(&text));
        simulation.advance_to(0.45).unwrap();
        let saved = simulation.state().clone();
        simulation.advance_to(0.6).unwrap();
        let first = simulation.state().clone();
        let mut other = Simulation::new(model(&text));
        *other.state_mut() = saved;
        other.advance_to(0.6).unwrap();
        assert!(*other.state() == first, "{time_stepping}");
    }
}

#[test]
fn impacts_of_groups_larger_than_located_bodies_are_not_located() {
    let located = |options: &str| {
        let ball = |name: &str, x: f64, v: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\nposition = [{x}, 0, 0]\nvelocity = [{v}, 0, 0]\nshape = [{{ kind = \"sphere\", radius = 0.1 }}]\n"
            )
        };
        let text = format!(
            "dimension = 3\ngravity = [0, 0, 0]\n[settings]\nintegrator = \"time_stepping\"\n[settings.time_stepping]\n{options}\n[contact_default]\nrestitution = 1\n{}{}",
            ball("left", -0.5, 1.0),
            ball("right", 0.5, -1.0)
        );
        let mut simulation = Simulation::new(model(&text));
        simulation.advance_to(1.0).unwrap();
        simulation.report().located_impacts
    };
    assert_eq!(located(""), 1);
    assert_eq!(located("located_bodies = 1"), 0);
}
