//! What the fuzz targets and the program that makes their seeds share: envelopes of files that carry a digest.
//!
//! A mutation does not find a digest. So inputs are contents alone, and the envelope is put around them here.

use sha2::{Digest as _, Sha256};
use stiction::fmu::instance::Instance;
use stiction::fmu::instance::variable::Value;
use stiction::scene;
use stiction::scene::packed::pack;

/// Scenes whose states are fuzzed: in the plane, in space, by tolerance, of many bodies, with inputs.
pub const STATE_SCENES: [&str; 5] = [
    include_str!("../../resources/block_on_table/scene.toml"),
    include_str!("../../resources/double_pendulum_wall/scene.toml"),
    include_str!("../../resources/gripper/scene.toml"),
    include_str!("../seeds/scene/tolerance.toml"),
    include_str!("../seeds/scene/time_stepping.toml"),
];

/// Bytes of a packed scene before its length.
const PACKED_HEAD: usize = 8 + 4 + 20;
/// Bytes of a packed scene before its content.
pub const PACKED_CONTENT: usize = PACKED_HEAD + 8 + 32;

/// A packed scene with this content: `template` is any packed scene.
pub fn packed(template: &[u8], content: &[u8]) -> Vec<u8> {
    let mut bytes = template[..PACKED_HEAD].to_vec();
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(Sha256::digest(content));
    bytes.extend(content);
    bytes
}

/// Any packed scene.
pub fn some_packed() -> Vec<u8> {
    pack(&scene::parse("seed", STATE_SCENES[0]).unwrap())
}

/// Bytes of a serialized state before its length.
const STATE_HEAD: usize = 8 + 4;
/// Bytes of the checksum behind it.
const STATE_SEAL: usize = 8;

/// Where in the bytes of a state of this instance what follows its GUID begins.
fn behind_guid(instance: &Instance) -> usize {
    // length of the body, then that of the GUID, which fits into a byte
    STATE_HEAD + 8 + 1 + instance.guid().len()
}

/// The part of a serialized state that is fuzzed: all behind the GUID.
pub fn content_of_state<'a>(instance: &Instance, bytes: &'a [u8]) -> &'a [u8] {
    &bytes[behind_guid(instance)..bytes.len() - STATE_SEAL]
}

/// A serialized state with this content: `template` is any state of the instance.
pub fn state(instance: &Instance, template: &[u8], content: &[u8]) -> Vec<u8> {
    let head = &template[..behind_guid(instance)];
    let mut bytes = [head, content].concat();
    let length = (bytes.len() - STATE_HEAD - 8) as u64;
    bytes[STATE_HEAD..STATE_HEAD + 8].copy_from_slice(&length.to_le_bytes());
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// An instance that has been initialized.
pub fn started(text: &str) -> Instance {
    let mut instance = Instance::new("fuzz", "scene.toml", text).unwrap();
    limit_work(&mut instance);
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

/// Work that a step may take (`max_step_work`): readers are fuzzed, and everything is slow under the sanitizer.
const MAX_STEP_WORK: i32 = 200;

/// May a step be tried? Not with many variables.
pub fn is_small(instance: &Instance) -> bool {
    instance.variables().len() < 400
}

/// Bounds the work of steps.
pub fn limit_work(instance: &mut Instance) {
    let variables = instance.variables();
    let place = variables
        .iter()
        .position(|v| v.name == "settings.max_step_work");
    let reference = place.expect("every scene has this setting") as u32;
    instance
        .set(reference, Value::Integer(MAX_STEP_WORK))
        .unwrap();
}

/// Initializes an instance and takes a step; whatever comes of it, it comes as a value.
pub fn try_a_step(instance: &mut Instance) {
    limit_work(instance);
    let _ = instance.setup_experiment(None, 0.0, None);
    let _ = instance.enter_initialization();
    if instance.exit_initialization().is_ok() {
        let _ = instance.do_step(0.0, 1e-3);
    }
    read_all(instance);
}

/// Reads every variable.
pub fn read_all(instance: &mut Instance) {
    for reference in 0..instance.variables().len() as u32 {
        let _ = instance.get(reference);
    }
}
