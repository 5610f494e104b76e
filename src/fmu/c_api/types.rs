//! The types of FMI 2.0 (`fmi2TypesPlatform.h`, `fmi2FunctionTypes.h`). Enumerations are plain integers: a value that
//! comes from C need not be one of the named ones.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Handle of an instance.
pub type fmi2Component = *mut c_void;
/// Environment of the importer, passed to its log callback.
pub type fmi2ComponentEnvironment = *mut c_void;
/// A saved state.
pub type fmi2FMUstate = *mut c_void;
/// Value reference: index of a variable in the table.
pub type fmi2ValueReference = c_uint;
/// A real number.
pub type fmi2Real = f64;
/// An integer or an enumeration item.
pub type fmi2Integer = c_int;
/// 0 is false.
pub type fmi2Boolean = c_int;
/// Null-terminated UTF-8 string.
pub type fmi2String = *const c_char;
/// One byte of a serialized state.
pub type fmi2Byte = c_char;
/// Status of a call.
pub type fmi2Status = c_int;
/// Type of the FMU.
pub type fmi2Type = c_int;
/// Kind of a status query.
pub type fmi2StatusKind = c_int;

/// Platform of these types.
pub const TYPES_PLATFORM: &std::ffi::CStr = c"default";
/// Version of the standard.
pub const VERSION: &std::ffi::CStr = c"2.0";

/// True.
pub const TRUE: fmi2Boolean = 1;
/// False.
pub const FALSE: fmi2Boolean = 0;

/// Success.
pub const OK: fmi2Status = 0;
/// Success with a warning.
pub const WARNING: fmi2Status = 1;
/// The step ended early, or the query has no answer.
pub const DISCARD: fmi2Status = 2;
/// The call was invalid or failed.
pub const ERROR: fmi2Status = 3;
/// The instance is broken.
pub const FATAL: fmi2Status = 4;
/// The step is still running; never returned.
pub const PENDING: fmi2Status = 5;

/// Model exchange.
pub const MODEL_EXCHANGE: fmi2Type = 0;
/// Co-simulation.
pub const CO_SIMULATION: fmi2Type = 1;

/// Status of the last step.
pub const DO_STEP_STATUS: fmi2StatusKind = 0;
/// Description of a pending step.
pub const PENDING_STATUS: fmi2StatusKind = 1;
/// Time reached by the last step.
pub const LAST_SUCCESSFUL_TIME: fmi2StatusKind = 2;
/// Does the FMU want to terminate the run?
pub const TERMINATED: fmi2StatusKind = 3;

/// Logs a message, which is a `printf` format followed by its arguments.
pub type fmi2CallbackLogger = unsafe extern "C" fn(
    environment: fmi2ComponentEnvironment,
    instance_name: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
    ...
);
/// Allocates zeroed memory.
pub type fmi2CallbackAllocateMemory = unsafe extern "C" fn(n: usize, size: usize) -> *mut c_void;
/// Frees it.
pub type fmi2CallbackFreeMemory = unsafe extern "C" fn(memory: *mut c_void);
/// Reports the end of an asynchronous step.
pub type fmi2StepFinished =
    unsafe extern "C" fn(environment: fmi2ComponentEnvironment, status: fmi2Status);

/// Callbacks of the importer. Only the logger and the environment are used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fmi2CallbackFunctions {
    /// May be null.
    pub logger: Option<fmi2CallbackLogger>,
    /// May be null.
    pub allocate_memory: Option<fmi2CallbackAllocateMemory>,
    /// May be null.
    pub free_memory: Option<fmi2CallbackFreeMemory>,
    /// May be null.
    pub step_finished: Option<fmi2StepFinished>,
    /// May be null.
    pub component_environment: fmi2ComponentEnvironment,
}
