//! From the library to an instance: versions, names, identities, places.

use crate::call;
use crate::common::libraries::built_library;
use crate::library::{Fmu, NAMES, Resources, instantiate, library, pushed_block};
use std::cell::RefCell;
use std::ffi::CStr;
use std::process::Command;
use stiction::fmu::c_api::types::{CO_SIMULATION, ERROR, MODEL_EXCHANGE, OK};

#[test]
fn the_library_says_its_version_and_exports_the_functions_of_the_standard_only() {
    // SAFETY: functions without arguments, texts that stay
    let (platform, version) = unsafe {
        (
            CStr::from_ptr((library().fmi2GetTypesPlatform)()),
            CStr::from_ptr((library().fmi2GetVersion)()),
        )
    };
    assert_eq!((platform, version), (c"default", c"2.0"));
    let Ok(listed) = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(built_library())
        .output()
    else {
        println!("skipped: there is no nm");
        return;
    };
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut found: Vec<&str> = listed
        .lines()
        .filter_map(|l| l.split_whitespace().last())
        .collect();
    let mut expected = NAMES.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(expected.len(), 34);
}

/// Name, type, GUID, location, and a part of the reason.
type Row<'a> = (
    Option<&'a CStr>,
    i32,
    Option<&'a str>,
    Option<&'a str>,
    &'a str,
);

#[test]
fn what_cannot_be_instantiated_is_refused_with_a_reason() {
    let ball = Resources::shipped("bouncing_ball");
    let other = Resources::shipped("block_on_table");
    let (uri, guid) = (ball.uri(), ball.guid.as_str());
    let name = Some(c"x");
    #[rustfmt::skip]
    let rows: [Row; 15] = [
        (None, CO_SIMULATION, Some(guid), Some(&uri), "name"),
        (Some(c""), CO_SIMULATION, Some(guid), Some(&uri), "name"),
        (name, MODEL_EXCHANGE, Some(guid), Some(&uri), "co-simulation"),
        (name, -7, Some(guid), Some(&uri), "co-simulation"),
        (name, CO_SIMULATION, None, Some(&uri), "GUID is missing"),
        (name, CO_SIMULATION, Some(""), Some(&uri), guid),
        (name, CO_SIMULATION, Some(&other.guid), Some(&uri), guid),
        (name, CO_SIMULATION, Some(guid), None, "location is missing"),
        (name, CO_SIMULATION, Some(guid), Some(""), "empty"),
        (name, CO_SIMULATION, Some(guid), Some("resources"), "not absolute"),
        (name, CO_SIMULATION, Some(guid), Some("https://x/y"), "https"),
        (name, CO_SIMULATION, Some(guid), Some("file:///no/such/place"), "cannot read"),
        (name, CO_SIMULATION, Some(guid), Some("file:///50%25"), "50%%"),
        (name, CO_SIMULATION, Some(guid), Some("file:///%ff"), "UTF-8"),
        (name, CO_SIMULATION, Some(guid), Some("file:///%00"), "null byte"),
    ];
    for (name, kind, guid, location, reason) in rows {
        let lines = RefCell::default();
        let handle = instantiate(name, kind, guid, location, &lines);
        assert!(handle.is_null());
        let lines = lines.into_inner();
        let (status, category, message) = &lines[0];
        assert_eq!(
            (lines.len(), *status, category.as_str()),
            (1, ERROR, "logStatusError")
        );
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn a_scene_that_is_missing_or_damaged_is_refused_with_the_reason() {
    let block = Resources::temporary("damaged", &pushed_block());
    let good = std::fs::read(block.scene()).unwrap();
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        bytes
    };
    let rows: [(Option<Vec<u8>>, &str); 8] = [
        (None, "cannot read"),
        (Some(Vec::new()), "not a packed scene"),
        (Some(pushed_block().into_bytes()), "not a packed scene"),
        (Some(changed(8)), "in form"),
        (Some(changed(12)), "packed by stiction"),
        (Some(good[..good.len() - 1].to_vec()), "truncated"),
        (Some([&good[..], b"x"].concat()), "truncated or damaged"),
        (Some(changed(good.len() / 2)), "digest"),
    ];
    for (bytes, reason) in rows {
        std::fs::remove_file(block.scene()).unwrap_or_default();
        if let Some(bytes) = bytes {
            std::fs::write(block.scene(), bytes).unwrap();
        }
        let lines = RefCell::default();
        let (guid, uri) = (Some(block.guid.as_str()), block.uri());
        let handle = instantiate(Some(c"x"), CO_SIMULATION, guid, Some(&uri), &lines);
        assert!(handle.is_null());
        let lines = lines.into_inner();
        let (status, _, message) = &lines[0];
        assert_eq!((lines.len(), *status), (1, ERROR), "{lines:?}");
        assert!(message.contains(reason), "{message}");
        assert!(message.contains("scene.bin"), "{message}");
    }
}

#[test]
fn resources_are_found_wherever_they_are() {
    for name in [
        "plain",
        "a b",
        "ümläut ß 語",
        "100%",
        "%41",
        "plus+",
        "hash#1",
        "a;b&c='d'",
    ] {
        let resources = Resources::temporary(name, &pushed_block());
        let path = resources.folder.to_str().unwrap();
        let (encoded, guid) = (resources.uri(), Some(resources.guid.as_str()));
        for location in [
            encoded.clone(),
            format!("{encoded}/"),
            encoded.replacen("file:///", "file:/", 1),
            encoded.replacen("file:///", "file://localhost/", 1),
            path.to_owned(),
        ] {
            let lines = RefCell::default();
            let handle = instantiate(Some(c"x"), CO_SIMULATION, guid, Some(&location), &lines);
            assert!(!handle.is_null(), "{location}: {lines:?}");
            // SAFETY: a handle that lives
            unsafe { (library().fmi2FreeInstance)(handle) };
        }
    }
}

#[test]
fn the_log_has_what_was_asked_for() {
    let ball = Resources::shipped("bouncing_ball");
    let fmu = Fmu::initialized(&ball);
    let mut time = 0.0;
    let mut steps = |n| {
        for _ in 0..n {
            assert_eq!(fmu.step(time, 0.1), OK);
            time += 0.1;
        }
        let mut categories: Vec<String> = fmu.log().into_iter().map(|line| line.1).collect();
        categories.dedup();
        categories
    };
    let switch = |on: i32, names: &[&CStr]| {
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        call!(
            fmu,
            fmi2SetDebugLogging,
            on,
            pointers.len(),
            pointers.as_ptr()
        )
    };
    assert!(steps(10).is_empty());
    assert_eq!(switch(1, &[c"logEvents"]), OK);
    assert_eq!(steps(10), ["logEvents"]);
    assert_eq!(switch(1, &[c"logSolver", c"logStatusError"]), OK);
    assert_eq!(steps(10), ["logSolver"]);
    for all in [&[][..], &[c"logAll"]] {
        assert_eq!(switch(0, all), OK);
        assert!(steps(2).is_empty());
        assert_eq!(switch(1, all), OK);
        assert!(steps(2).contains(&"logSolver".to_owned()));
    }
    assert_eq!(switch(1, &[c"logSolver", c"no_such"]), ERROR);
    assert_eq!(switch(1, &[c""]), ERROR);
    assert_eq!(fmu.log().len(), 2);
    assert_eq!(switch(0, &[]), OK);
    assert_eq!(fmu.step(-1.0, 0.1), ERROR);
    assert_eq!(fmu.log().len(), 1, "errors are always logged");
}

#[test]
fn a_look_at_a_start_that_overlaps_can_be_mended() {
    let ball = Resources::shipped("bouncing_ball");
    let fmu = Fmu::new(&ball);
    assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
    assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
    assert_eq!(fmu.set_real("ball.initial.position.y", -1.0), OK);
    let reference = ball.reference("ball.position.y");
    let mut value = f64::NAN;
    assert_eq!(call!(fmu, fmi2GetReal, &reference, 1, &mut value), ERROR);
    assert_eq!(fmu.set_real("ball.initial.position.y", 2.0), OK);
    assert_eq!(fmu.real("ball.position.y"), 2.0);
    assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
}
