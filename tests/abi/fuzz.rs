//! Random calls: no crash, no instance that disturbs another.

use crate::call;
use crate::events::return_at_events;
use crate::library::{Fmu, Random, Resources, pushed_block};
use std::ffi::c_int;
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::Kind;

const CALLS: u64 = 1_000_000;

fn odd(random: &mut Random) -> f64 {
    const ODD: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.3,
        0.01,
        2.0,
        1e-3,
        1e300,
        -1e300,
        5e-324,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    ODD[random.below(ODD.len() as u64) as usize]
}

/// What was reached.
#[derive(Debug, Default)]
struct Counts {
    /// Steps that were taken.
    steps: u64,
    /// Of these, by tolerance.
    by_tolerance: u64,
    /// Steps that were cut short by an event.
    cuts: u64,
    /// Calls while a step was cut short.
    calls_after_cuts: u64,
    /// Calls by status.
    statuses: [u64; 6],
}

/// Values in a call.
const N: usize = 5;

/// Arguments of calls.
struct Values {
    vr: [u32; N],
    real: [f64; N],
    whole: [c_int; N],
    text: [fmi2String; N],
}

impl Values {
    fn random(n_variables: u64, random: &mut Random) -> Self {
        let (mut vr, mut real, mut whole) = ([0; N], [0.0; N], [0; N]);
        let mut text = [std::ptr::null(); N];
        for i in 0..N {
            let known = random.below(8) > 0;
            vr[i] = random.below(if known { n_variables } else { 1 << 32 }) as u32;
            real[i] = odd(random);
            whole[i] = random.below(6) as c_int - 1;
            if random.below(4) > 0 {
                text[i] = [c"logAll", c"logEvents", c"%s%n"][random.below(3) as usize].as_ptr();
            }
        }
        Self {
            vr,
            real,
            whole,
            text,
        }
    }
}

/// A null pointer in one of twenty cases.
fn or_null<T>(random: &mut Random, pointer: *mut T) -> *mut T {
    match random.below(20) {
        0 => std::ptr::null_mut(),
        _ => pointer,
    }
}

/// One random call with random arguments.
fn act(fmu: &Fmu, state: &mut fmi2FMUstate, random: &mut Random, counts: &mut Counts) -> c_int {
    let n = random.below(N as u64 + 1).min(random.below(3)) as usize;
    let n_variables = fmu.resources.variables.len() as u64;
    let Values {
        vr,
        mut real,
        mut whole,
        mut text,
    } = Values::random(n_variables, random);
    let reals = or_null(random, real.as_mut_ptr());
    let wholes = or_null(random, whole.as_mut_ptr());
    let vrs = or_null(random, vr.as_ptr().cast_mut()).cast_const();
    let places = or_null(random, std::ptr::from_mut(state));
    let kind = random.below(6) as c_int - 1;
    let mut out = [0.0; N];
    match random.below(36) {
        0 => call!(fmu, fmi2SetDebugLogging, 1, n, text.as_ptr()),
        1 => call!(fmu, fmi2SetDebugLogging, 0, n, std::ptr::null()),
        2 => random_setup(fmu, whole[0], random),
        3 | 4 => call!(fmu, fmi2EnterInitializationMode),
        5..8 => call!(fmu, fmi2ExitInitializationMode),
        8 if random.below(10) == 0 => call!(fmu, fmi2Terminate),
        9 if random.below(4) == 0 => call!(fmu, fmi2Reset),
        10 => call!(fmu, fmi2GetReal, vrs, n, reals),
        11 => call!(fmu, fmi2GetInteger, vrs, n, wholes),
        12 => call!(fmu, fmi2GetBoolean, vrs, n, wholes),
        13 => call!(fmu, fmi2GetString, vrs, n, text.as_mut_ptr()),
        14 => call!(fmu, fmi2SetReal, vrs, n, reals),
        15 => call!(fmu, fmi2SetReal, &0, 1, &odd(random)),
        16 => call!(fmu, fmi2SetInteger, vrs, n, wholes),
        17 => call!(fmu, fmi2SetBoolean, vrs, n, wholes),
        18 => call!(fmu, fmi2SetString, vrs, n, text.as_ptr()),
        19 => call!(fmu, fmi2GetFMUstate, places),
        20 => call!(fmu, fmi2SetFMUstate, *state),
        21 => call!(fmu, fmi2FreeFMUstate, places),
        22 => {
            let mut size = 0;
            call!(fmu, fmi2SerializedFMUstateSize, *state, &mut size)
        }
        23 => {
            let mut bytes = [0; 64];
            call!(
                fmu,
                fmi2SerializeFMUstate,
                *state,
                bytes.as_mut_ptr(),
                random.below(65) as usize
            )
        }
        24 => {
            let mut new = std::ptr::null_mut();
            let bytes = real.as_ptr().cast();
            call!(fmu, fmi2DeSerializeFMUstate, bytes, 8 * n, &mut new)
        }
        25 => call!(
            fmu,
            fmi2GetDirectionalDerivative,
            vrs,
            n,
            vr.as_ptr(),
            n,
            reals,
            out.as_mut_ptr()
        ),
        26 => call!(
            fmu,
            fmi2GetDirectionalDerivative,
            vrs,
            n,
            &0,
            1,
            reals,
            out.as_mut_ptr()
        ),
        27 => call!(fmu, fmi2SetRealInputDerivatives, vrs, n, wholes, reals),
        28 => call!(fmu, fmi2GetRealOutputDerivatives, vrs, n, wholes, reals),
        29 => call!(fmu, fmi2CancelStep),
        30 => call!(fmu, fmi2GetStatus, kind, wholes),
        31 => call!(fmu, fmi2GetRealStatus, kind, reals),
        32 => call!(fmu, fmi2GetIntegerStatus, kind, wholes),
        33 => call!(fmu, fmi2GetBooleanStatus, kind, wholes),
        34 => call!(fmu, fmi2GetStringStatus, kind, text.as_mut_ptr()),
        _ => random_step(fmu, random, counts),
    }
}

fn random_setup(fmu: &Fmu, has_tolerance: c_int, random: &mut Random) -> c_int {
    let start = if random.below(4) > 0 {
        0.0
    } else {
        odd(random)
    };
    let (tolerance, stop) = (odd(random), odd(random));
    call!(
        fmu,
        fmi2SetupExperiment,
        has_tolerance,
        tolerance,
        start,
        0,
        stop
    )
}

fn random_step(fmu: &Fmu, random: &mut Random, counts: &mut Counts) -> c_int {
    let mut time = odd(random);
    if random.below(10) > 0 {
        call!(fmu, fmi2GetRealStatus, LAST_SUCCESSFUL_TIME, &mut time);
    }
    let size = match random.below(8) {
        0 => odd(random),
        1 => random.unit(),
        _ => 0.02 * random.unit(),
    };
    let status = fmu.risky_step(time, size);
    let tolerance = fmu.real("settings.tolerance");
    counts.steps += u64::from(status == OK);
    counts.by_tolerance += u64::from(status == OK && tolerance > 0.0);
    counts.cuts += u64::from(status == DISCARD);
    status
}

#[test]
fn random_calls_do_not_crash() {
    let scenes = [
        Resources::temporary("fuzz", &pushed_block()),
        Resources::shipped("bouncing_ball"),
        Resources::shipped("falling_rod"),
        Resources::shipped("two_carts"),
        Resources::shipped("double_pendulum_wall"),
    ];
    random_calls(&scenes, CALLS);
}

/// Random calls of instances of all scenes.
pub fn random_calls(scenes: &[Resources], calls: u64) {
    let undisturbed: Vec<_> = scenes.iter().map(late_run).collect();
    let mut random = Random::new(0xabcd_ef01);
    let mut fmus: Vec<(Fmu, fmi2FMUstate)> = Vec::new();
    for scene in scenes {
        fmus.push((Fmu::new(scene), std::ptr::null_mut()));
    }
    let mut counts = Counts::default();
    for i in 0..calls {
        let at = random.below(fmus.len() as u64) as usize;
        let (fmu, state) = &mut fmus[at];
        let mut last = OK;
        let is_cut = call!(fmu, fmi2GetStatus, DO_STEP_STATUS, &mut last) == OK && last == DISCARD;
        fmu.log();
        let status = act(fmu, state, &mut random, &mut counts);
        counts.statuses[status as usize] += 1;
        counts.calls_after_cuts += u64::from(is_cut);
        let lines = fmu.log();
        assert!(
            status == OK || !lines.is_empty(),
            "call {i} failed without a word"
        );
        assert_ne!(status, FATAL, "call {i}: {lines:?}");
        // a life has an end
        if random.below(500) == 0 {
            assert_eq!(call!(fmu, fmi2FreeFMUstate, state), OK);
            *fmu = Fmu::new(&scenes[at]);
            if random.below(2) == 0 {
                return_at_events(fmu);
            }
            if random.below(2) == 0 {
                let tolerance = [1e-3, 1e-6, 1e-10][random.below(3) as usize];
                assert_eq!(fmu.set_real("settings.tolerance", tolerance), OK);
            }
        }
    }
    println!("{counts:?}; statuses are OK, warning, discard, error, fatal, pending");
    assert!(counts.steps > calls / 1000 && counts.by_tolerance > calls / 2000);
    assert!(counts.cuts > calls / 10_000 && counts.calls_after_cuts > calls / 1000);
    for (fmu, state) in &mut fmus {
        assert_eq!(call!(fmu, fmi2FreeFMUstate, state), OK);
    }
    let later: Vec<_> = scenes.iter().map(late_run).collect();
    assert!(later == undisturbed, "later instances are disturbed");
}

fn late_run(resources: &Resources) -> Vec<u64> {
    let fmu = Fmu::initialized(resources);
    assert_eq!(fmu.step(0.0, 0.7), OK);
    fmu.bits()
}

#[test]
fn steps_by_tolerance_end_with_any_settings() {
    const SIZES: [f64; 9] = [5e-324, 1e-300, 1e-12, 1e-4, 1e-2, 1.0, 1e3, 1e12, 1e300];
    const TOLERANCES: [f64; 5] = [1e-13, 1e-10, 1e-6, 1e-3, 0.1];
    let scenes = [
        Resources::temporary("any settings", &pushed_block()),
        Resources::shipped("bouncing_ball"),
        Resources::shipped("falling_rod"),
        Resources::shipped("two_carts"),
        Resources::shipped("double_pendulum_wall"),
    ];
    let mut random = Random::new(0x1dea);
    let (mut taken, mut failed) = (0, 0);
    for round in 0..500 {
        let fmu = Fmu::new(&scenes[round % scenes.len()]);
        let mut told = String::new();
        for (reference, variable) in (0u32..).zip(&fmu.resources.variables) {
            if !variable.name.starts_with("settings.") || random.below(4) > 0 {
                continue;
            }
            let mut value = SIZES[random.below(SIZES.len() as u64) as usize];
            if variable.name.contains("nominal") {
                value = value.max(1e-6); // accuracy relative to nothing is endless work
            }
            let whole = random.below(8) as c_int;
            told += &format!("{} = {value:e} or {whole}, ", variable.name);
            match variable.kind {
                Kind::Real { .. } => call!(fmu, fmi2SetReal, &reference, 1, &value),
                Kind::Boolean => call!(fmu, fmi2SetBoolean, &reference, 1, &(whole % 2)),
                Kind::Integer { .. } | Kind::Enumeration(_) => {
                    call!(fmu, fmi2SetInteger, &reference, 1, &whole)
                }
            };
        }
        let tolerance = TOLERANCES[random.below(5) as usize];
        assert_eq!(fmu.set_real("settings.tolerance", tolerance), OK);
        fmu.initialize();
        fmu.log();
        for i in 0..4 {
            let status = fmu.risky_step(0.05 * f64::from(i), 0.05);
            assert_ne!(status, FATAL, "{told}: {:?}", fmu.log());
            if status != OK {
                failed += 1;
                break;
            }
            taken += 1;
        }
    }
    println!("{taken} steps, {failed} runs failed or were cut");
    assert!(taken > 1000);
}
