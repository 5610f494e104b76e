//! A serialized state with a checksum that fits: it is refused, or restored, and then a step ends one way or the other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use stiction::fmu::instance::Instance;
use stiction_fuzz::{STATE_SCENES, read_all, started, state};

thread_local! {
    static INSTANCES: RefCell<Vec<(Instance, Vec<u8>)>> = RefCell::new(
        STATE_SCENES
            .iter()
            .map(|text| {
                let instance = started(text);
                let template = instance.save().to_bytes();
                (instance, template)
            })
            .collect(),
    );
}

fuzz_target!(|input: &[u8]| {
    let Some((which, content)) = input.split_first() else {
        return;
    };
    INSTANCES.with_borrow_mut(|instances| {
        let n = instances.len();
        let (instance, template) = &mut instances[usize::from(*which) % n];
        let bytes = state(instance, template, content);
        let Ok(snapshot) = instance.snapshot_from_bytes(&bytes) else {
            return;
        };
        let written = snapshot.to_bytes();
        let again = instance.snapshot_from_bytes(&written).unwrap();
        assert_eq!(again.to_bytes(), written);
        if instance.restore(&snapshot).is_ok() {
            read_all(instance);
            let _ = instance.do_step(instance.time(), 1e-3);
            read_all(instance);
            instance.save();
        }
    });
});
