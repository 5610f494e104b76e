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
const GOLDEN: [(&str, u64, u64, u64); 39] = [
    ("ball_on_pad", 0x1fe899a3df736b2f, 0x996dcb34b787fb47, 0x46fc193c0937f207),
    ("belt_stick_slip", 0x151447b67f898275, 0xfce6bba6763c73e3, 0x72019ed99558f468),
    ("block_on_table", 0x41b3bc5401514a59, 0x6908e6640a10d361, 0x3380e336c4e9c85c),
    ("bouncing_ball", 0x6e29b4b196587dfc, 0x61ff17713d6add30, 0x9866bda43510415c),
    ("box_landing", 0xd20f5de37f5cb9ad, 0x501920f6453e8768, 0xcabeb6ad92736afd),
    ("box_stack", 0xd12862b48a98bebc, 0xa010177996aa4ed2, 0x5b2a22f8beb2a95e),
    ("chain", 0x320d07e0a66021f3, 0x0000000000000000, 0x0000000000000000),
    ("clutch_start", 0xc24c7454c8e3c26d, 0xa3a7e52304097f73, 0x193ff7ca7d3e2bdf),
    ("conveyor", 0x1d7ceddb6bfd3df1, 0x0000000000000000, 0x0000000000000000),
    ("double_pendulum_wall", 0xc5d754d310253bbe, 0x44695b255a8dca4e, 0x901760b0f1632efb),
    ("falling_rod", 0xe7ae25ddb66c3acb, 0xf2c06180de91615a, 0x4b5bcfe885570995),
    ("four_balls", 0xc174f4e5500b2b17, 0x57d65d1b3c00651e, 0xd44455cd70f35549),
    ("free_body", 0x35cad1534f590160, 0xe39ab16aea50ab62, 0x7fc005855a7c740f),
    ("freewheel", 0x9b7a2faf19a32336, 0xa8077cc845e463b9, 0x53bac5ae09a7590b),
    ("gear_backlash", 0x8cf13d6612bedda6, 0xf1dce406f3470708, 0x7c6194f46148ce86),
    ("gear_pair", 0x93a3c8b59343b7cf, 0x57a7bf0a3112e87a, 0x5ad673027f4bf23b),
    ("gripper", 0x5f71b3f8a03fe547, 0x145f469e51451205, 0xe6586e76b3d559ac),
    ("hill_hold", 0x0d87d3db6fafe37b, 0x6b77ace16adbe3e8, 0xb0eceabff6f0fe41),
    ("incline", 0x8a121021a4ece0e5, 0x49f107d3393d432a, 0x05f174657c9d71bd),
    ("newtons_cradle", 0x4008cf482d8ff3ed, 0xef68615e5691338e, 0x622a2eaad1dd4b5e),
    ("pawl", 0x8b82b13c8ef31c70, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_balls", 0xccc16ba7438c9fa1, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_boxes", 0x437d659549314a06, 0x0000000000000000, 0x0000000000000000),
    ("pile_of_jacks", 0xd8ccb496d409b6b0, 0x0000000000000000, 0x0000000000000000),
    ("quarter_car", 0x016456e38b2e4abf, 0x9f8585a5bfff1d52, 0x23ca25cf960ce8a8),
    ("rolling_ball", 0xc6ca2168f16e1493, 0xc19de89e78f0cdc5, 0xa4760545331b2610),
    ("rover", 0xc89669a216ec59b5, 0x96f9cabb8e3a19b7, 0x3e7fe4df3789de3e),
    ("screw_jack", 0xdc22d603117df857, 0x4421307956aab518, 0xb4fc3582f878022f),
    ("servo_at_stop", 0xe9fed0ce628046dc, 0xe5fa30530faf3d60, 0x2113df82ff87c388),
    ("shaking_table", 0x2bb676122e1bc7b3, 0xae628c26a2b885dc, 0xc86965c2de6c7040),
    ("slider_crank", 0x80842405753d2a59, 0x81efb7a2bdd827b8, 0x9d41c0febd1dc342),
    ("slider_friction", 0xbf82560993727e8f, 0x8b6639f169bb57c3, 0x7599f5c2b00a063d),
    ("solenoid_valve", 0xa63205ce3429064a, 0x5ce66672ddcd3429, 0x204e50676ecb63b5),
    ("spinning_top", 0x68df100a24708b46, 0x653cd675a8666571, 0x8c88520c57e58bf4),
    ("spring_line", 0x6a65a107e98cdeb4, 0x676d584000096b4c, 0x9d4654a635f4e6d4),
    ("two_bars", 0x9d63da1a75daf515, 0xa7549b686b7630b3, 0x897ba43137906169),
    ("two_bodies_damper", 0x584e6d5bda57667a, 0xf684eb195a66d532, 0x091a6f762c6af82f),
    ("two_carts", 0x4cd8311300a7bcb2, 0x1e2cc2f2e1d6c452, 0x80175d077f4e029e),
    ("winch", 0x6b6df0593a072c1f, 0xdb29f80966318e10, 0x937feb7cb999eb30),
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
