//! The archive of an FMU: it is examined without leaving its folder, and no library of it is loaded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::time::Duration;
use stiction::tool::check::{self, Options};

fuzz_target!(|bytes: &[u8]| {
    let place = tempfile::tempdir().unwrap();
    let fmu = place.path().join("it.fmu");
    fs::write(&fmu, bytes).unwrap();
    for name in ["check", "run"] {
        fs::create_dir(place.path().join(name)).unwrap();
    }
    let options = Options {
        program: None,
        time_limit: Duration::from_secs(10),
    };
    check::examine(&fmu, &place.path().join("check"), &options).unwrap();
    let _ = check::open(&fmu, &place.path().join("run")).unwrap();
    let n_left = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(n_left, 3, "something was written outside of the folders");
});
