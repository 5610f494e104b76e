//! Tests of what is not accessible from outside: panics, messages, handles in use.

use super::boundary::{enter, free, instantiate};
use super::fmi2::{fmi2DoStep, fmi2FreeFMUstate, fmi2GetFMUstate, fmi2GetReal, fmi2Reset};
use super::log::escaped;
use super::types::{
    CO_SIMULATION, ERROR, FATAL, OK, fmi2CallbackFunctions, fmi2CallbackLogger, fmi2Component,
    fmi2ComponentEnvironment, fmi2Status, fmi2String,
};
use crate::fmu::instance::{Instance, SCENE_FILE};
use crate::scene::packed::pack;
use crate::scene::parse;
use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use tempfile::TempDir;

const SCENE: &str = include_str!("../../../resources/bouncing_ball/scene.toml");

/// A folder with the packed scene.
fn resources() -> &'static str {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let scene = parse("scene", SCENE).unwrap();
        std::fs::write(folder.path().join(SCENE_FILE), pack(&scene)).unwrap();
        folder
    });
    folder.path().to_str().unwrap()
}

fn guid() -> CString {
    let instance = Instance::new("x", "scene", SCENE).unwrap();
    CString::new(instance.guid()).unwrap()
}

fn new(callbacks: *const fmi2CallbackFunctions) -> fmi2Component {
    let (guid, place) = (guid(), CString::new(resources()).unwrap());
    // SAFETY: strings that live, and callbacks that are null or live
    unsafe {
        instantiate(
            c"ball".as_ptr(),
            CO_SIMULATION,
            guid.as_ptr(),
            place.as_ptr(),
            callbacks,
            false,
        )
    }
}

/// Messages received by a log callback, and the handle that it calls back.
#[derive(Default)]
struct Log {
    lines: Vec<(fmi2Status, String, String)>,
    handle: Option<fmi2Component>,
    answer: Option<fmi2Status>,
}

unsafe extern "C" fn hear(
    environment: fmi2ComponentEnvironment,
    _name: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: the environment is the `Log` of the test, the strings are those of the FMU
    unsafe {
        let log = &mut *environment.cast::<Log>();
        let text = |s| CStr::from_ptr(s).to_str().unwrap().to_owned();
        log.lines.push((status, text(category), text(message)));
        if let Some(handle) = log.handle {
            log.answer = Some(fmi2Reset(handle));
        }
    }
}

fn callbacks(log: &mut Log) -> fmi2CallbackFunctions {
    // SAFETY: a variadic function is called like one with its fixed arguments on the platforms that tests run on
    let logger =
        unsafe { std::mem::transmute::<*const c_void, fmi2CallbackLogger>(hear as *const c_void) };
    fmi2CallbackFunctions {
        logger: Some(logger),
        allocate_memory: None,
        free_memory: None,
        step_finished: None,
        component_environment: std::ptr::from_mut(log).cast(),
    }
}

#[test]
fn a_panic_is_caught_logged_and_breaks_its_instance_only() {
    let mut log = Log::default();
    let callbacks = callbacks(&mut log);
    let (broken, well) = (new(&callbacks), new(std::ptr::null()));
    // SAFETY: handles that live
    unsafe {
        let status = enter(broken, "fmi2Test", None, |_| panic!("100 % wrong"));
        assert_eq!(status, FATAL);
        assert_eq!(fmi2Reset(broken), FATAL);
        assert_eq!(
            fmi2GetReal(broken, std::ptr::null(), 0, std::ptr::null_mut()),
            FATAL
        );
        assert_eq!(fmi2Reset(well), OK);
        let status = enter(well, "fmi2Test", None, |inside| {
            let _ = inside.instance.variables()[usize::MAX].name.len();
            Ok(())
        });
        assert_eq!(status, FATAL);
        free(broken);
        free(well);
    }
    let (status, category, message) = &log.lines[0];
    assert_eq!((*status, category.as_str()), (FATAL, "logStatusFatal"));
    assert!(message.starts_with("fmi2Test: "), "{message}");
    assert!(message.ends_with("100 %% wrong"), "{message}");
    let later = new(std::ptr::null());
    assert!(!later.is_null());
    // SAFETY: a handle that lives
    unsafe { free(later) };
}

#[test]
fn saved_states_of_a_broken_instance_can_be_freed() {
    let broken = new(std::ptr::null());
    let mut state = std::ptr::null_mut();
    // SAFETY: a handle that lives, and a place for a state
    unsafe {
        assert_eq!(fmi2GetFMUstate(broken, &mut state), OK);
        assert!(!state.is_null());
        assert_eq!(enter(broken, "fmi2Test", None, |_| panic!("broken")), FATAL);
        let mut new = std::ptr::null_mut();
        assert_eq!(fmi2GetFMUstate(broken, &mut new), FATAL);
        assert!(new.is_null());
        assert_eq!(fmi2FreeFMUstate(broken, &mut state), FATAL);
        assert!(state.is_null(), "it was freed and its handle cleared");
        assert_eq!(fmi2FreeFMUstate(broken, &mut state), FATAL);
        assert_eq!(fmi2FreeFMUstate(broken, std::ptr::null_mut()), FATAL);
        free(broken);
    }
}

#[test]
fn a_logger_that_calls_back_is_refused() {
    let mut log = Log::default();
    let callbacks = callbacks(&mut log);
    let handle = new(&callbacks);
    log.handle = Some(handle);
    // SAFETY: a handle that lives
    unsafe {
        assert_eq!(fmi2DoStep(handle, 0.0, 0.1, 0), ERROR);
        assert_eq!(log.answer, Some(ERROR));
        assert_eq!(fmi2Reset(handle), OK);
        free(handle);
    }
    assert_eq!(log.lines.len(), 1);
}

#[test]
fn messages_are_formats_without_arguments() {
    assert_eq!(escaped("100 % of #1\0").as_c_str(), c"100 %% of ##1 ");
}
