//! Claims about packed scenes: they come back as they were, and bytes that were not written by `pack` are refused.

use crate::common::root;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::PathBuf;
use stiction::scene::packed::{PackedError, digest, pack, unpack};
use stiction::scene::spec::FrictionCone;
use stiction::scene::{Scene, load, parse};

/// Where the digest and the scene start.
const DIGEST: usize = 40;
const CONTENT: usize = 72;

/// Kinds and settings that the scenes in files do not have.
const RARE: &str = r#"
name = "rare, ü"
until = 5
body = [
  { name = "lever", kind = "rigid", mass = 1, inertia = 0.1, position = [2, 1], shape = [
    { kind = "capsule", from = [-0.5, 0], to = [0.5, 0], radius = 0.02, material = "oak" },
    { kind = "polygon", vertices = [[0.45, -0.1], [0.55, -0.1], [0.5, 0]] },
    { kind = "box", size = [0.4, 0.2] },
  ] },
  { name = "weight", kind = "point", mass = 0.5, position = [4, 1], shape = [{ kind = "circle", radius = 0.05 }] },
  { name = "carriage", kind = "rigid", mass = 1, inertia = 1, position = [6, 1], shape = [{ kind = "point" }] },
  { name = "trailer", kind = "rigid", mass = 1, inertia = 1, position = [7, 1] },
]
ground.shape = [{ name = "table", kind = "half_plane", normal = [0, 1] }]
joint = [
  { name = "pivot", kind = "revolute", bodies = ["ground", "lever"], at = [2, 1], limits = [-1, 1] },
  { name = "rod", kind = "distance", bodies = ["ground", "weight"], anchors = [[4, 2], [0, 0]] },
  { name = "rail", kind = "prismatic", bodies = ["ground", "carriage"], at = [6, 1], axis = [1, 0], limits = [-inf, 0.5] },
  { name = "weld", kind = "fixed", bodies = ["carriage", "trailer"], at = [6.5, 1] },
]
force = [
  { name = "push", kind = "applied", body = "lever", force = [{ kind = "input", start = 2 }, 0], torque = { kind = "input" } },
  { name = "pull", kind = "applied", body = "carriage", frame = "body", force = [{ kind = "table", times = [0, 1], values = [0, -1] }, { kind = "harmonic", amplitude = 1, omega = 2 }] },
  { name = "strut", kind = "spring_damper", bodies = ["lever", "weight"], anchors = [[0.5, 0], [0, 0]], stiffness = 100, damping = 2 },
  { name = "back", kind = "torsional", joint = "pivot", stiffness = 5 },
  { name = "air", kind = "viscous", bodies = ["weight"], linear = 0.1 },
  { name = "seal", kind = "stribeck", joint = "rail", static_friction = 1.5, kinetic_friction = 1, stribeck_rate = 0.1, transition_rate = 1e-3 },
]
contact_default = { friction = 0.2, restitution = 0.5 }
contact = [
  { materials = ["oak", "oak"], friction = 0.3, static_friction = 0.4, stribeck_velocity = 0.01 },
  { bodies = ["lever", "ground"], enabled = false },
]
settings = { scheme = "general", alpha = 0.6, gamma = 0.5, event_state = "interpolant", impact_law = "newton", locate_transitions = false, reported_velocity = "average" }
"#;

/// All scenes in files: those that ship, those of tests, one with a shape from a file.
fn scenes() -> Vec<Scene> {
    let mut folders = vec![root().join("resources"), root().join("tests/data/space")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == "toml") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    assert!(files.len() >= 27, "{files:?}");
    let mut scenes: Vec<Scene> = files.iter().map(|file| load(file).unwrap().0).collect();
    scenes.push(parse("rare", RARE).unwrap_or_else(|e| panic!("{e}")));
    scenes
}

fn rare() -> Vec<u8> {
    pack(&parse("rare", RARE).unwrap())
}

/// With the digest and the length that its content should have.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = (bytes.len() - CONTENT) as u64;
    let digest = Sha256::digest(&bytes[CONTENT..]);
    bytes[DIGEST - 8..DIGEST].copy_from_slice(&length.to_le_bytes());
    bytes[DIGEST..CONTENT].copy_from_slice(&digest);
    bytes
}

#[test]
fn every_scene_comes_back_as_it_was() {
    for scene in scenes() {
        let bytes = pack(&scene);
        let (found, its_digest) = unpack(&bytes).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        // all fields with all digits; a zero with its sign
        assert_eq!(format!("{found:?}"), format!("{scene:?}"), "{}", scene.name);
        assert_eq!(its_digest, digest(&scene));
        assert!(pack(&found) == bytes);
        assert_eq!(sealed(bytes.clone()), bytes);
    }
}

#[test]
fn what_is_cut_off_or_longer_is_refused() {
    let bytes = rare();
    for n in 0..bytes.len() {
        assert!(unpack(&bytes[..n]).is_err(), "{n}");
        if n >= CONTENT {
            // even if length and digest are right
            let cut = sealed(bytes[..n].to_vec());
            assert_eq!(unpack(&cut).err(), Some(PackedError::Content), "{n}");
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(unpack(&longer), Err(PackedError::Length { .. })));
    assert_eq!(unpack(&sealed(longer)).err(), Some(PackedError::Content));
}

#[test]
fn every_changed_bit_is_found() {
    let bytes = rare();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            assert!(unpack(&changed).is_err(), "byte {at}, bit {bit}");
        }
    }
}

/// Lengths, variants and texts that nobody wrote, behind a digest that is right: refused, or another scene, without a panic
/// and without the memory that a length asks for.
#[test]
fn content_is_not_trusted() {
    let (mut n_refused, mut n_other) = (0, 0);
    for scene in scenes().iter().filter(|scene| pack(scene).len() < 10_000) {
        let bytes = pack(scene);
        for at in CONTENT..bytes.len() {
            for value in [0, 1, bytes[at] ^ 0x80, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                match unpack(&sealed(changed)) {
                    Ok(_) => n_other += 1,
                    Err(error) => {
                        assert_eq!(error, PackedError::Content);
                        n_refused += 1;
                    }
                }
            }
        }
    }
    assert!(n_refused > 1000 && n_other > 1000, "{n_refused} {n_other}");
}

#[test]
fn counts_that_no_text_can_have_are_refused() {
    let scene = parse("rare", RARE).unwrap();
    assert!(unpack(&pack(&scene)).is_ok());
    let changes: [fn(&mut Scene); 6] = [
        |scene| scene.settings.rows = 7,
        |scene| scene.settings.rows = 1,
        |scene| scene.settings.max_substeps = 0,
        |scene| scene.settings.fixed_point_iterations = u32::MAX,
        |scene| scene.settings.damping_steps = u32::MAX,
        |scene| {
            scene.settings.friction_cone = FrictionCone::Polyhedral {
                directions: 5,
                turn: true,
            };
        },
    ];
    for change in changes {
        let mut changed = scene.clone();
        change(&mut changed);
        assert_eq!(unpack(&pack(&changed)).err(), Some(PackedError::Content));
    }
}

#[test]
fn bytes_of_something_else_or_another_version_say_so() {
    let told = |bytes: &[u8]| unpack(bytes).err().unwrap().to_string();
    assert!(told(b"").contains("not a packed scene"));
    assert!(told(RARE.as_bytes()).contains("not a packed scene"));
    let mut other = rare();
    other[8] = 99;
    assert!(told(&other).contains("in form 99"), "{}", told(&other));
    let mut other = rare();
    other[12..17].copy_from_slice(b"9.8.7");
    assert!(told(&other).contains("stiction 9.8.7"), "{}", told(&other));
}
