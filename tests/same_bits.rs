//! The same scene gives the same bits: in two runs, and in every build (debug, release, any optimization level).
//!
//! The table holds hashes of each shipped scene. A change of the method changes it: the test prints the new table, to
//! be pasted here after the other tests have said that the change is sound.

mod common;

use common::{OTHER_SCHEMES, variant};
use stiction::model::Model;
use stiction::scene::spec::Settings;
use stiction::simulation::Simulation;

/// Scene, hash of its run with its own settings, hash of its runs with every other scheme, hash of its run by tolerance.
#[rustfmt::skip]
const GOLDEN: [(&str, u64, u64, u64); 35] = [
    ("belt_stick_slip", 0x0000000000000000, 0x0000000000000000, 0x0000000000000000),
    ("block_on_table", 0x41b3bc5401514a59, 0x6908e6640a10d361, 0x3380e336c4e9c85c),
    ("bouncing_ball", 0x9a45d3b809a3346d, 0xfd3394e77ddc8650, 0x9866bda43510415c),
    ("box_landing", 0x7c8cc20073452052, 0x20e1007d6d058e16, 0x6112c8b4c2be2f0c),
    ("box_stack", 0xfda12336f5e68ee2, 0xf026b18a24b0c5a3, 0x1391701ca4188689),
    ("chain", 0x320d07e0a66021f3, 0x0000000000000000, 0x0000000000000000),
    ("clutch_start", 0xc20374a6990b2f4b, 0x3931dff67b7d26cb, 0xc8d09aa8c40f4760),
    ("conveyor", 0x1d7ceddb6bfd3df1, 0x0000000000000000, 0x0000000000000000),
    ("double_pendulum_wall", 0xe1623e3b988a6567, 0x772a5b3b28706fdf, 0x82d541788aadb275),
    ("falling_rod", 0xaa6da7eaac651ff0, 0x8f032206fecc1901, 0xcbafa3487223e5ab),
    ("four_balls", 0x750b6547ffab90fd, 0xa740088559cea20a, 0x828f725b1f4fd71f),
    ("free_body", 0x35cad1534f590160, 0xe39ab16aea50ab62, 0x7fc005855a7c740f),
    ("freewheel", 0x0000000000000000, 0x0000000000000000, 0x0000000000000000),
    ("gear_backlash", 0x8cf13d6612bedda6, 0xb8ed51efc30f1ee8, 0x7c6194f46148ce86),
    ("gear_pair", 0xf852f22733b8fb3a, 0xe963c54669da10b5, 0x551cd99b384f75a3),
    ("gripper", 0x9ac93e8fd1af2596, 0x746dc422ee063d95, 0x0ece422eb330ed5c),
    ("hill_hold", 0xbb60b89ef5d963fc, 0xe0de6a5dbb603070, 0x659e92e36641282e),
    ("incline", 0x150fa3d87d8a8165, 0x11eb754c4e6a2e3f, 0x4cc0e16d14a9d4bd),
    ("newtons_cradle", 0xb2684d17cb74f7ae, 0x754c78888280f125, 0x92113f4ceecd863f),
    ("pawl", 0x8b82b13c8ef31c70, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_balls", 0xccc16ba7438c9fa1, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_boxes", 0x437d659549314a06, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_jacks", 0xd8ccb496d409b6b0, 0x0000000000000000, 0x0000000000000000),
    ("rolling_ball", 0x5f94aa0a72e0efd7, 0x24bd4a43ce93e469, 0x26dada4c3a317ac5),
    ("rover", 0x4c5bc0fc4111c572, 0x13af7791b5ae8657, 0x01055e602a19093b),
    ("screw_jack", 0x0000000000000000, 0x0000000000000000, 0x0000000000000000),
    ("servo_at_stop", 0xc2262ef4872791d4, 0xed652ebea7e70405, 0x912ab793aa889636),
    ("shaking_table", 0x5e9d5aef75475bb2, 0x955922ee28bacf05, 0xc86965c2de6c7040),
    ("slider_crank", 0xf9316db0dfa71286, 0xfa9e56187cfedc7b, 0xc81bc18bbd6201cf),
    ("slider_friction", 0x5faf4f373d32e498, 0xe18f69222679f09d, 0xf5fcc2cb25b3f63a),
    ("solenoid_valve", 0x0000000000000000, 0x0000000000000000, 0x0000000000000000),
    ("spinning_top", 0xc30fa63352c8a968, 0xbad8f6abe2b7fc86, 0x0f0d2623e2681891),
    ("two_bars", 0xdbef532105210412, 0xa26a39e41a525986, 0xb73d2e9b39b61968),
    ("two_bodies_damper", 0x0ce0c80735ec7214, 0xf7bd5929e30f2788, 0x091a6f762c6af82f),
    ("two_carts", 0xb9ea0b0154269e51, 0x8a5929fee0ad92f1, 0x80175d077f4e029e),
];

/// Scenes in space that are cut short because their steps take long, and where, s.
const SHORT: [(&str, f64); 10] = [
    ("box_stack", 0.1),
    ("chain", 0.1),
    ("conveyor", 0.5),
    ("free_body", 5.0),
    ("gripper", 0.3),
    ("pile_of_balls", 0.3),
    ("pile_of_boxes", 0.3),
    ("pile_of_jacks", 0.3),
    ("rover", 0.1),
    ("spinning_top", 0.5),
];

/// End of the run of a scene, s.
fn until(model: &Model) -> f64 {
    let short = SHORT.iter().find(|(scene, _)| *scene == model.name);
    short.map_or(model.until, |(_, end)| *end)
}

/// FNV-1a with 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Adds positions, velocities and contact forces after every standard step.
fn add_run(hash: &mut Hash, model: &Model, settings: Settings) {
    let step = settings.step;
    let mut simulation = Simulation::with_settings(model.clone(), settings);
    let n_steps = (until(model) / step).round() as u32;
    for i in 1..=n_steps {
        let result = simulation.advance_to(f64::from(i) * step);
        let state = simulation.state();
        let forces = state.contact_force.iter().flatten();
        let values = state.position.iter().chain(&state.velocity).chain(forces);
        let turns = state.orientation.iter().flatten();
        values.chain(turns).for_each(|value| hash.add(*value));
        if result.is_err() {
            break;
        }
    }
    // times of the events too
    for event in &simulation.report().events {
        hash.add(event.time);
    }
}

fn hashes(scene: &str) -> (u64, u64, u64) {
    let model = variant(scene, &[]);
    let mut own = Hash::new();
    add_run(&mut own, &model, model.settings.clone());
    if model.time_stepping.is_some() {
        // its steps know no scheme and no tolerance
        return (own.0, 0, 0);
    }
    let mut others = Hash::new();
    for scheme in OTHER_SCHEMES {
        let settings = Settings {
            scheme,
            ..model.settings.clone()
        };
        add_run(&mut others, &model, settings);
    }
    let mut by_tolerance = Hash::new();
    let settings = Settings {
        tolerance: Some(1e-7),
        ..model.settings.clone()
    };
    add_run(&mut by_tolerance, &model, settings);
    (own.0, others.0, by_tolerance.0)
}

#[test]
fn every_shipped_scene_is_in_the_table() {
    assert_eq!(common::scene_names(), GOLDEN.map(|(scene, ..)| scene));
}

#[test]
fn two_runs_give_the_same_bits() {
    for (scene, ..) in GOLDEN {
        assert_eq!(hashes(scene), hashes(scene), "{scene}");
    }
}

#[test]
fn every_build_gives_the_same_bits() {
    let found = GOLDEN.map(|(scene, ..)| {
        let (own, others, by_tolerance) = hashes(scene);
        (scene, own, others, by_tolerance)
    });
    if found != GOLDEN {
        println!(
            "const GOLDEN: [(&str, u64, u64, u64); {}] = [",
            GOLDEN.len()
        );
        for (scene, own, others, by_tolerance) in found {
            println!("    ({scene:?}, {own:#018x}, {others:#018x}, {by_tolerance:#018x}),");
        }
        println!("];");
    }
    for (found, golden) in found.iter().zip(&GOLDEN) {
        assert_eq!(
            found, golden,
            "other bits than the table's; the new table is above"
        );
    }
}
