//! What the importer offers to a library: a logger that passes messages on, and memory.

use super::{Observer, text_of};
use crate::fmu::c_api::types::{
    fmi2CallbackFunctions, fmi2CallbackLogger, fmi2ComponentEnvironment, fmi2Status, fmi2String,
};
use std::ffi::c_void;
use std::sync::Arc;

/// A line of the log. The text is a format of `printf`, whose arguments are not filled in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// As in [`super::Status`].
    pub status: i32,
    /// Null if there is none.
    pub category: Option<String>,
    /// Null if there is none.
    pub text: Option<String>,
}

/// What the library gets back with every message.
struct Environment {
    observer: Arc<dyn Observer>,
}

/// Callbacks that live as long as this.
pub struct Callbacks {
    functions: Box<fmi2CallbackFunctions>,
    // the functions point to it
    _environment: Box<Environment>,
}

unsafe extern "C" {
    fn calloc(n: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

impl Callbacks {
    pub fn new(observer: Arc<dyn Observer>) -> Self {
        // SAFETY: a variadic function is called like one with its fixed arguments where FMUs run: on x86, x86-64 and
        // ARM64 the fixed arguments have the same places, and the caller cleans up
        let logger = unsafe {
            std::mem::transmute::<*const c_void, fmi2CallbackLogger>(hear as *const c_void)
        };
        let mut environment = Box::new(Environment { observer });
        let functions = Box::new(fmi2CallbackFunctions {
            logger: Some(logger),
            allocate_memory: Some(calloc),
            free_memory: Some(free),
            step_finished: None,
            component_environment: std::ptr::from_mut(environment.as_mut()).cast(),
        });
        Self {
            functions,
            _environment: environment,
        }
    }

    pub fn functions(&self) -> *const fmi2CallbackFunctions {
        self.functions.as_ref()
    }
}

unsafe extern "C" fn hear(
    environment: fmi2ComponentEnvironment,
    _name: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: null, or the environment that `Callbacks` gave, which outlives the instance
    let Some(environment) = (unsafe { environment.cast::<Environment>().as_ref() }) else {
        return;
    };
    environment.observer.message(Message {
        status,
        category: text_of(category),
        text: text_of(message),
    });
}
