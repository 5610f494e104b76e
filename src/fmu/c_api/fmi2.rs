//! The exported functions for life cycle, steps and status queries. Variables, derivatives and saved states are in
//! the submodules. Requirements on pointers are those of the standard: handles come from [`fmi2Instantiate`],
//! arrays have as many elements as their count says, strings are null-terminated.
#![allow(non_snake_case, clippy::missing_safety_doc)]

/// Defines an exported function of a handle: its arguments, the call that the phase must allow (`None`: any), and what it does.
macro_rules! exported {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?), $call:expr, |$inside:pat_param| $action:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(c: fmi2Component $(, $argument: $type)*) -> fmi2Status {
            // SAFETY: handle, arrays, strings and pointers as required by the standard
            unsafe { enter(c, stringify!($name), $call, |$inside| $action) }
        }
    };
}

mod derivatives;
mod states;
mod values;

pub use derivatives::*;
pub use states::*;
pub use values::*;

use super::boundary::{self, Inside, array, enter, places, string};
use super::log::Topic;
use super::types::{
    DISCARD, DO_STEP_STATUS, ERROR, FALSE, LAST_SUCCESSFUL_TIME, OK, PENDING_STATUS, TERMINATED,
    TYPES_PLATFORM, VERSION, WARNING, fmi2Boolean, fmi2CallbackFunctions, fmi2Component,
    fmi2Integer, fmi2Real, fmi2Status, fmi2StatusKind, fmi2String, fmi2Type,
};
use crate::fmu::LOG_CATEGORIES;
use crate::fmu::instance::FmiError;
use crate::fmu::instance::lifecycle::{Call, Phase};

fn error<T>(message: impl Into<String>) -> Result<T, FmiError> {
    Err(FmiError::Error(message.into()))
}

/// `"default"`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> fmi2String {
    TYPES_PLATFORM.as_ptr()
}

/// `"2.0"`.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> fmi2String {
    VERSION.as_ptr()
}

/// Creates an instance; returns null on failure, with the reason in the log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    instanceName: fmi2String,
    fmuType: fmi2Type,
    fmuGUID: fmi2String,
    fmuResourceLocation: fmi2String,
    functions: *const fmi2CallbackFunctions,
    _visible: fmi2Boolean,
    loggingOn: fmi2Boolean,
) -> fmi2Component {
    let debug = loggingOn != FALSE;
    // SAFETY: strings and structure as required by the standard, or null
    unsafe {
        boundary::instantiate(
            instanceName,
            fmuType,
            fmuGUID,
            fmuResourceLocation,
            functions,
            debug,
        )
    }
}

/// Frees an instance; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(c: fmi2Component) {
    // SAFETY: a handle not used again, or null
    unsafe { boundary::free(c) }
}

exported! {
    /// Switches log categories that are off by default; without a list, all of them.
    fn fmi2SetDebugLogging(loggingOn: fmi2Boolean, nCategories: usize, categories: *const fmi2String), Some(Call::SetLogging), |inside| {
        let mut names = Vec::new();
        for category in array(categories, nCategories, "categories")? {
            let name = string(*category).map(|name| name.to_string_lossy().into_owned());
            match name {
                Some(name) if LOG_CATEGORIES.iter().any(|(known, _)| *known == name) => {
                    names.push(name);
                }
                Some(other) => {
                    return error(format!("`{other}` is not a log category"));
                }
                None => return error("a log category is null".to_owned()),
            }
        }
        let on = loggingOn != FALSE;
        inside.log.want_all(on && names.is_empty());
        if on {
            names.iter().for_each(|name| inside.log.want(name));
        }
        Ok(())
    }
}

exported! {
    /// Sets start and stop time and tolerance.
    fn fmi2SetupExperiment(
        toleranceDefined: fmi2Boolean,
        tolerance: fmi2Real,
        startTime: fmi2Real,
        stopTimeDefined: fmi2Boolean,
        stopTime: fmi2Real,
    ), Some(Call::SetupExperiment), |inside| {
        let tolerance = (toleranceDefined != FALSE).then_some(tolerance);
        let stop = (stopTimeDefined != FALSE).then_some(stopTime);
        match inside.instance.setup_experiment(tolerance, startTime, stop) {
            // logged only, because some masters continue only after `fmi2OK`
            Err(FmiError::Warning(words)) => {
                let message = format!("fmi2SetupExperiment: {words}");
                inside.log.status(WARNING, &message);
                Ok(())
            }
            result => result,
        }
    }
}

exported! {
    /// Enters initialization mode.
    fn fmi2EnterInitializationMode(), Some(Call::EnterInitialization), |inside| {
        inside.instance.enter_initialization()
    }
}

exported! {
    /// Exits initialization mode.
    fn fmi2ExitInitializationMode(), Some(Call::ExitInitialization), |inside| {
        inside.instance.exit_initialization()
    }
}

exported! {
    /// Terminates the run.
    fn fmi2Terminate(), Some(Call::Terminate), |inside| {
        inside.instance.terminate()?;
        // logged only: masters would treat a warning status as a failure
        for warning in inside.instance.repeated_warnings() {
            let (n, message) = (warning.occurrences, warning.message());
            let message = format!("fmi2Terminate: in {n} communication steps: {message}");
            inside.log.status(WARNING, &message);
        }
        Ok(())
    }
}

exported! {
    /// Resets to the state after instantiation.
    fn fmi2Reset(), Some(Call::Reset), |inside| {
        inside.instance.reset()
    }
}

exported! {
    /// One communication step.
    fn fmi2DoStep(
        currentCommunicationPoint: fmi2Real,
        communicationStepSize: fmi2Real,
        _noSetFMUStatePriorToCurrentPoint: fmi2Boolean,
    ), Some(Call::DoStep), |inside| {
        let listens = [Topic::Events, Topic::Solver].map(|topic| inside.log.wants(topic));
        if listens == [false; 2] {
            inside
                .instance
                .do_step(currentCommunicationPoint, communicationStepSize)?;
            return warn(inside);
        }
        let before = inside.instance.report().clone();
        let result = inside
            .instance
            .do_step(currentCommunicationPoint, communicationStepSize);
        tell_step(inside, &before);
        result?;
        warn(inside)
    }
}

// one message per new warning of the step; the last one becomes the result
fn warn(inside: &Inside) -> Result<(), FmiError> {
    let mut last = None;
    for warning in inside.instance.fresh_warnings() {
        if let Some(earlier) = last.replace(warning) {
            let message = format!("fmi2DoStep: {earlier}");
            inside.log.status(WARNING, &message);
        }
    }
    match last {
        None => Ok(()),
        Some(warning) => Err(FmiError::Warning(warning.to_string())),
    }
}

// statistics of the step, if enabled
fn tell_step(inside: &Inside, before: &crate::integrate::Report) {
    let instance = &inside.instance;
    let (report, time) = (instance.report(), instance.time());
    for event in &report.events {
        inside.log.note(Topic::Events, &instance.words_on(event));
    }
    let new = report.n_events.total() - before.n_events.total();
    let kept = report.events.len() as u64;
    if new > kept {
        let more = format!("{} more events up to {time} s", new - kept);
        inside.log.note(Topic::Events, &more);
    }
    let work = format!(
        "up to {time} s: {} steps, {} fallback steps, {} rejected steps, {} substeps, {} factorizations, {} complementarity problems, {} iterations, {} complementarity steps, worst residual so far {:.1e}",
        report.steps - before.steps,
        report.fallback_steps - before.fallback_steps,
        report.rejected_steps - before.rejected_steps,
        report.substeps - before.substeps,
        report.factorizations - before.factorizations,
        report.lcps - before.lcps,
        report.pivots - before.pivots,
        report.complementarity_steps - before.complementarity_steps,
        report.worst_residual,
    );
    inside.log.note(Topic::Solver, &work);
}

exported! {
    /// Always an error: steps are complete when [`fmi2DoStep`] returns.
    fn fmi2CancelStep(), None, |_| {
        #[cfg(panic_probe)]
        panic_here();
        error("steps are not asynchronous, so there is no step to cancel")
    }
}

/// Panics; only in libraries for tests that panics are caught on a platform.
#[cfg(panic_probe)]
fn panic_here() {
    let nothing: [u8; 0] = std::hint::black_box([]);
    let place = std::hint::black_box(3);
    std::hint::black_box(nothing[place]);
}

// a status kind without a value of the requested type
fn no_answer<T>(kind: fmi2StatusKind) -> Result<T, FmiError> {
    let known = [
        DO_STEP_STATUS,
        PENDING_STATUS,
        LAST_SUCCESSFUL_TIME,
        TERMINATED,
    ];
    if known.contains(&kind) {
        return Err(FmiError::Discard {
            time: 0.0,
            reason: format!("status kind {kind} has no answer of this type"),
        });
    }
    error(format!("{kind} is not a status kind"))
}

/// A query of a status kind `$kind`, whose answer is written to the value.
macro_rules! query {
    ($(#[$doc:meta])* fn $name:ident($kind:ident) -> $type:ty, |$inside:pat_param| $find:expr) => {
        exported! {
            $(#[$doc])*
            fn $name($kind: fmi2StatusKind, value: *mut $type), Some(Call::GetStatus), |inside| {
                let mut place = places(value, 1, "the answer")?;
                let find = |$inside: &mut Inside| -> Result<$type, FmiError> { $find };
                place.fill([find(inside)?]);
                Ok(())
            }
        }
    };
}

// status of the last step, from the phase
fn last_status(phase: Phase) -> fmi2Status {
    match phase {
        Phase::StepFailed => DISCARD,
        Phase::Error => ERROR,
        _ => OK,
    }
}

query! {
    /// Status of the last step (`fmi2DoStepStatus`).
    fn fmi2GetStatus(s) -> fmi2Status, |inside| match s {
        DO_STEP_STATUS if inside.instance.is_warned() => Ok(WARNING),
        DO_STEP_STATUS => Ok(last_status(inside.instance.phase())),
        _ => no_answer(s),
    }
}

query! {
    /// Time reached by the last step (`fmi2LastSuccessfulTime`).
    fn fmi2GetRealStatus(s) -> fmi2Real, |inside| match s {
        LAST_SUCCESSFUL_TIME => Ok(inside.instance.last_successful_time()),
        _ => no_answer(s),
    }
}

query! {
    /// No status kind has an Integer value.
    fn fmi2GetIntegerStatus(s) -> fmi2Integer, |_| no_answer(s)
}

query! {
    /// Does the FMU want to terminate the run (`fmi2Terminated`)? Always false.
    fn fmi2GetBooleanStatus(s) -> fmi2Boolean, |_| match s {
        TERMINATED => Ok(FALSE),
        _ => no_answer(s),
    }
}

query! {
    /// Description of a pending step (`fmi2PendingStatus`): none is ever pending. The text is valid until the next call.
    fn fmi2GetStringStatus(s) -> fmi2String, |inside| match s {
        PENDING_STATUS => {
            inside.text = c"no step is pending".to_owned();
            Ok(inside.text.as_ptr())
        }
        _ => no_answer(s),
    }
}
