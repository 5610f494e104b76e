//! Callbacks for a library: a logger that forwards messages, and memory functions.

use super::{Observer, text_of};
use crate::fmu::c_api::types::{
    fmi2CallbackFunctions, fmi2CallbackLogger, fmi2ComponentEnvironment, fmi2Status, fmi2String,
};
use std::ffi::c_void;
use std::sync::Arc;

/// A log message. The text is a `printf` format without its arguments.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// As in [`super::Status`].
    pub status: i32,
    /// `None` for null.
    pub category: Option<String>,
    /// `None` for null.
    pub text: Option<String>,
}

/// The component environment, which the library passes back with every message.
struct Environment {
    observer: Arc<dyn Observer>,
}

/// The callback functions; valid as long as this exists.
pub struct Callbacks {
    functions: Box<fmi2CallbackFunctions>,
    // referenced by the functions
    _environment: Box<Environment>,
}

unsafe extern "C" {
    fn calloc(n: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

impl Callbacks {
    pub fn new(observer: Arc<dyn Observer>) -> Self {
        // SAFETY: on x86, x86-64 and ARM64 the fixed arguments of a variadic function are passed like those of an
        // ordinary one, and the caller cleans up the stack
        let logger = unsafe {
            std::mem::transmute::<*const c_void, fmi2CallbackLogger>(
                forward_message as *const c_void,
            )
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

unsafe extern "C" fn forward_message(
    environment: fmi2ComponentEnvironment,
    _name: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: null, or the environment given by `Callbacks`, which outlives the instance
    let Some(environment) = (unsafe { environment.cast::<Environment>().as_ref() }) else {
        return;
    };
    environment.observer.message(Message {
        status,
        category: text_of(category),
        text: text_of(message),
    });
}
