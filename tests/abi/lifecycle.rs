//! Which call is allowed when, and that a reset brings everything back.

use crate::call;
use crate::events::return_at_events;
use crate::library::{Fmu, Resources, pushed_block};
use std::ffi::c_int;
use stiction::fmu::c_api::types::*;

/// Brings a new instance to a phase.
fn bring(fmu: &Fmu, phase: usize) {
    if phase == 0 {
        return;
    }
    if phase == 5 {
        // it comes to rest after 13 ms
        return_at_events(fmu);
        assert_eq!(fmu.set_real("block.initial.velocity.x", 0.1), OK);
        fmu.initialize();
        assert_eq!(fmu.step(0.0, 0.05), DISCARD);
        fmu.log();
        return;
    }
    assert_eq!(call!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
    assert_eq!(call!(fmu, fmi2EnterInitializationMode), OK);
    if phase == 1 {
        return;
    }
    assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK);
    assert_eq!(fmu.step(0.0, 0.05), OK);
    match phase {
        3 => assert_eq!(call!(fmu, fmi2Terminate), OK),
        4 => assert_eq!(fmu.step(0.05, -1.0), ERROR),
        _ => {}
    }
    fmu.log();
}

type Action = fn(&Fmu) -> c_int;

fn reference(fmu: &Fmu, name: &str) -> u32 {
    fmu.resources.reference(name)
}

fn read(fmu: &Fmu, name: &str) -> c_int {
    let mut value = 0.0;
    call!(fmu, fmi2GetReal, &reference(fmu, name), 1, &mut value)
}

fn directional(fmu: &Fmu) -> c_int {
    let known = reference(fmu, "push.force_x");
    let unknown = reference(fmu, "block.acceleration.x");
    let mut result = 0.0;
    call!(
        fmu,
        fmi2GetDirectionalDerivative,
        &unknown,
        1,
        &known,
        1,
        &1.0,
        &mut result
    )
}

fn save_and_restore(fmu: &Fmu) -> c_int {
    let mut state = std::ptr::null_mut();
    let saved = call!(fmu, fmi2GetFMUstate, &mut state);
    let restored = call!(fmu, fmi2SetFMUstate, state);
    saved
        .max(restored)
        .max(call!(fmu, fmi2FreeFMUstate, &mut state))
}

/// A call, and whether it is allowed while: instantiated, in initialization, ready for a step, terminated, in error,
/// cut short.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str); 27] = [
    ("fmi2SetDebugLogging", |f| call!(f, fmi2SetDebugLogging, 0, 0, std::ptr::null()), "yyyyyy"),
    ("fmi2SetupExperiment", |f| call!(f, fmi2SetupExperiment, 1, 1e-4, 0.0, 1, 9.0), "y....."),
    ("fmi2EnterInitializationMode", |f| call!(f, fmi2EnterInitializationMode), "y....."),
    ("fmi2ExitInitializationMode", |f| call!(f, fmi2ExitInitializationMode), ".y...."),
    ("fmi2Terminate", |f| call!(f, fmi2Terminate), "..y..y"),
    ("fmi2Reset", |f| call!(f, fmi2Reset), "yyyyyy"),
    ("fmi2GetReal", |f| read(f, "block.position.x"), ".yyyyy"),
    ("fmi2GetReal", |f| read(f, "block.mass"), "yyyyyy"),
    ("fmi2GetReal", |f| read(f, "push.force_x"), "yyyyyy"),
    ("fmi2SetReal", |f| f.set_real("push.force_x", 1.0), "yyy..."),
    ("fmi2SetReal", |f| f.set_real("block.mass", 2.0), "yy...."),
    ("fmi2SetReal", |f| f.set_real("pair.*.friction", 0.5), "yyy..."),
    ("fmi2SetReal", |f| f.set_real("block.position.x", 2.0), "......"),
    ("fmi2SetInteger", |f| call!(f, fmi2SetInteger, &reference(f, "settings.scheme"), 1, &1), "yy...."),
    ("fmi2SetBoolean", |f| call!(f, fmi2SetBoolean, &reference(f, "settings.projection"), 1, &1), "yy...."),
    ("fmi2SetString", |f| call!(f, fmi2SetString, &0, 1, &c"x".as_ptr()), "......"),
    ("fmi2SetRealInputDerivatives", |f| call!(f, fmi2SetRealInputDerivatives, &reference(f, "push.force_x"), 1, &1, &1.0), "yyy..."),
    ("fmi2GetRealOutputDerivatives", |f| call!(f, fmi2GetRealOutputDerivatives, &reference(f, "block.position.x"), 1, &1, &mut 0.0), "..yyyy"),
    ("fmi2GetDirectionalDerivative", directional, ".yyyyy"),
    ("fmi2GetFMUstate", save_and_restore, "yyyyyy"),
    ("fmi2DoStep", |f| f.step(0.05, 0.05), "..y..."),
    ("fmi2CancelStep", |f| call!(f, fmi2CancelStep), "......"),
    ("fmi2GetStatus", |f| call!(f, fmi2GetStatus, DO_STEP_STATUS, &mut 0), "..yy.y"),
    ("fmi2GetRealStatus", |f| call!(f, fmi2GetRealStatus, LAST_SUCCESSFUL_TIME, &mut 0.0), "..yy.y"),
    ("fmi2GetBooleanStatus", |f| call!(f, fmi2GetBooleanStatus, TERMINATED, &mut 0), "..yy.y"),
    ("fmi2GetStringStatus", |f| call!(f, fmi2GetStringStatus, PENDING_STATUS, &mut std::ptr::null()), "..yy.y"),
    ("fmi2FreeFMUstate", |f| call!(f, fmi2FreeFMUstate, &mut std::ptr::null_mut()), "yyyyyy"),
];

#[test]
fn every_call_is_allowed_when_the_standard_says_so() {
    let resources = Resources::temporary("table", &pushed_block());
    let phases = [
        "instantiated",
        "initialization",
        "ready",
        "terminated",
        "error",
        "cut short",
    ];
    for (name, action, allowed) in TABLE {
        for (phase, letter) in allowed.chars().enumerate() {
            let fmu = Fmu::new(&resources);
            bring(&fmu, phase);
            let status = action(&fmu);
            let lines = fmu.log();
            let what = format!("{name}, {}: {lines:?}", phases[phase]);
            if letter == 'y' {
                assert_eq!((status, lines.len()), (OK, 0), "{what}");
            } else {
                assert_eq!((status, lines.len()), (ERROR, 1), "{what}");
                assert!(lines[0].2.starts_with(name), "{what}");
                // a refused call changes nothing but for a step that began
                bring_on(&fmu, phase);
            }
        }
    }
}

// what the phase allows still works
fn bring_on(fmu: &Fmu, phase: usize) {
    match phase {
        0 => fmu.initialize(),
        1 => assert_eq!(call!(fmu, fmi2ExitInitializationMode), OK),
        2 => assert_eq!(fmu.step(0.05, 0.05), OK),
        _ => assert_eq!(call!(fmu, fmi2Reset), OK),
    }
}

/// The standard ends a run with the first error, unless a state is restored. A refused call did nothing, so that what
/// helps after an error helps here, too, and a master that goes on gets what it would have got without the call.
#[test]
fn a_refused_call_was_never_made() {
    let resources = Resources::temporary("refused", &pushed_block());
    for phase in [0, 1, 2, 3, 5] {
        let (fmu, twin) = (Fmu::new(&resources), Fmu::new(&resources));
        bring(&fmu, phase);
        bring(&twin, phase);
        let before = fmu.bytes();
        for (name, action, allowed) in TABLE {
            if allowed.as_bytes()[phase] == b'.' {
                assert_eq!(action(&fmu), ERROR, "{name}");
            }
        }
        assert!(fmu.bytes() == before && twin.bytes() == before);
        if phase == 2 {
            assert_eq!((fmu.step(0.05, 0.3), twin.step(0.05, 0.3)), (OK, OK));
            assert!(fmu.bytes() == twin.bytes());
        }
        assert_eq!(fmu.restore_bytes(&before), OK);
        assert_eq!(call!(fmu, fmi2Reset), OK);
    }
}

#[test]
fn questions_about_steps_are_answered() {
    let ball = Resources::shipped("bouncing_ball");
    let fmu = Fmu::initialized(&ball);
    let (mut status, mut whole, mut flag, mut real) = (9, 9, 9, f64::NAN);
    let mut text = std::ptr::null();
    assert_eq!(fmu.last_time(), 0.0);
    assert_eq!(fmu.step(0.0, 0.25), OK);
    assert_eq!(fmu.last_time(), 0.25);
    assert_eq!(call!(fmu, fmi2GetStatus, DO_STEP_STATUS, &mut status), OK);
    assert_eq!(call!(fmu, fmi2GetBooleanStatus, TERMINATED, &mut flag), OK);
    assert_eq!(
        call!(fmu, fmi2GetStringStatus, PENDING_STATUS, &mut text),
        OK
    );
    assert_eq!((status, flag, text.is_null()), (OK, FALSE, false));
    // no answer of that type
    assert_eq!(call!(fmu, fmi2GetStatus, TERMINATED, &mut status), DISCARD);
    assert_eq!(
        call!(fmu, fmi2GetRealStatus, DO_STEP_STATUS, &mut real),
        DISCARD
    );
    assert_eq!(
        call!(fmu, fmi2GetIntegerStatus, LAST_SUCCESSFUL_TIME, &mut whole),
        DISCARD
    );
    for kind in [-1, 4, i32::MAX] {
        assert_eq!(call!(fmu, fmi2GetIntegerStatus, kind, &mut whole), ERROR);
    }
    assert_eq!(whole, 9);
}

/// A run with changed values and inputs: every value after every step.
fn course(fmu: &Fmu) -> Vec<Vec<u64>> {
    assert_eq!(fmu.set_real("pair.*.friction", 0.7), OK);
    assert_eq!(fmu.set_real("block.mass", 1.25), OK);
    assert_eq!(fmu.set_real("push.force_x", 12.0), OK);
    fmu.initialize();
    let mut bits = vec![fmu.bits()];
    for i in 0..20 {
        let time = 0.07 * f64::from(i);
        assert_eq!(fmu.set_real("push.force_x", 12.0 - 2.0 * f64::from(i)), OK);
        assert_eq!(fmu.step(time, 0.07), OK, "{:?}", fmu.log());
        bits.push(fmu.bits());
    }
    bits
}

#[test]
fn a_reset_after_any_failure_gives_the_first_run_again() {
    let resources = Resources::temporary("reset", &pushed_block());
    let fmu = Fmu::new(&resources);
    let first = course(&fmu);
    let failures: [(&str, Action); 12] = [
        ("none", |_| ERROR),
        ("not a number", |f| f.step(f64::NAN, 0.1)),
        ("a step back", |f| f.step(1.4, -0.1)),
        ("no step", |f| f.step(1.4, 0.0)),
        ("another time", |f| f.step(7.0, 0.1)),
        ("a step without end", |f| f.step(1.4, 1e300)),
        ("an infinite step", |f| f.step(1.4, f64::INFINITY)),
        ("terminated", |f| call!(f, fmi2Terminate) + ERROR),
        ("a huge force along the table", |f| {
            assert_eq!(f.set_real("push.force_x", 1e308), OK);
            assert_eq!(
                call!(
                    f,
                    fmi2SetRealInputDerivatives,
                    &reference(f, "push.force_x"),
                    1,
                    &1,
                    &1e308
                ),
                OK
            );
            let status = f.step(1.4, 10.0);
            let lines = f.log();
            assert!(lines[0].2.contains("at t ="), "{lines:?}");
            status
        }),
        ("a huge force off the table", |f| {
            assert_eq!(f.set_real("push.force_y", 1e308), OK);
            let status = f.step(1.4, 100.0);
            let lines = f.log();
            assert!(lines[0].2.contains("overflowed"), "{lines:?}");
            status
        }),
        ("refused values", |f| f.set_real("push.force_x", f64::NAN)),
        ("in initialization", |f| {
            assert_eq!(call!(f, fmi2Reset), OK);
            assert_eq!(f.set_real("block.initial.position.y", -1.0), OK);
            assert_eq!(call!(f, fmi2EnterInitializationMode), OK);
            call!(f, fmi2ExitInitializationMode)
        }),
    ];
    for (name, failure) in failures {
        assert_eq!(failure(&fmu), ERROR, "{name}");
        fmu.log();
        assert_eq!(call!(fmu, fmi2Reset), OK, "{name}");
        assert!(course(&fmu) == first, "{name}: other bits");
    }
}

#[test]
fn arrays_are_taken_as_a_whole() {
    let resources = Resources::temporary("whole", &pushed_block());
    let fmu = Fmu::initialized(&resources);
    let x = resources.reference("push.force_x");
    let wrong = [
        resources.reference("block.position.x"),
        resources.reference("block.mass"),
        9999,
    ];
    let before = fmu.bytes();
    for other in wrong {
        assert_eq!(
            call!(
                fmu,
                fmi2SetReal,
                [x, other].as_ptr(),
                2,
                [5.0, 6.0].as_ptr()
            ),
            ERROR
        );
        assert_eq!(
            call!(
                fmu,
                fmi2SetRealInputDerivatives,
                [x, other].as_ptr(),
                2,
                [1, 1].as_ptr(),
                [5.0, 6.0].as_ptr()
            ),
            ERROR
        );
    }
    assert_eq!(
        call!(
            fmu,
            fmi2SetReal,
            [x, x].as_ptr(),
            2,
            [5.0, f64::NAN].as_ptr()
        ),
        ERROR
    );
    assert_eq!(
        call!(
            fmu,
            fmi2SetRealInputDerivatives,
            [x, x].as_ptr(),
            2,
            [1, 16].as_ptr(),
            [5.0, 6.0].as_ptr()
        ),
        ERROR
    );
    assert!(fmu.bytes() == before);
}
