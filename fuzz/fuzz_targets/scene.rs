//! The text of a scene: it is read, or refused with sentences; what is read is packed and unpacked to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::fmu::instance::Instance;
use stiction::model;
use stiction::scene::{self, packed};
use stiction::tool::describe;

fuzz_target!(|text: &str| {
    let scene = match scene::parse("fuzzed.toml", text) {
        Ok(scene) => scene,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let Ok(model) = model::build(&scene) else {
        return;
    };
    let bytes = packed::pack(&scene);
    let (again, digest) = packed::unpack(&bytes).unwrap();
    assert_eq!(digest, packed::digest(&again));
    describe::fmi2::model_description(&model, &scene);
    drop(model);
    let mut instance = Instance::from_packed("fuzzed", "scene.bin", &bytes).unwrap();
    if stiction_fuzz::is_small(&instance) {
        stiction_fuzz::try_a_step(&mut instance);
    }
});
