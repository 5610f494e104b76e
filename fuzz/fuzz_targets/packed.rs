//! A packed scene with a digest that fits: the library of an FMU reads it or refuses it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use stiction::fmu::instance::Instance;

static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(stiction_fuzz::some_packed);

fuzz_target!(|content: &[u8]| {
    let bytes = stiction_fuzz::packed(&TEMPLATE, content);
    if let Ok(mut instance) = Instance::from_packed("fuzzed", "scene.bin", &bytes)
        && stiction_fuzz::is_small(&instance)
    {
        stiction_fuzz::try_a_step(&mut instance);
    }
});
