//! The types of FMI 2.0 (`fmi2TypesPlatform.h`, `fmi2FunctionTypes.h`). Enumerations are plain integers: a value that
//! comes from C may be none of the named ones.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Handle of an instance.
pub type fmi2Component = *mut c_void;
/// Belongs to the importer; handed back to its logger.
pub type fmi2ComponentEnvironment = *mut c_void;
/// A saved state.
pub type fmi2FMUstate = *mut c_void;
/// Place of a variable in the table.
pub type fmi2ValueReference = c_uint;
/// A real number.
pub type fmi2Real = f64;
/// A whole number or an item of an enumeration.
pub type fmi2Integer = c_int;
/// 0 is false.
pub type fmi2Boolean = c_int;
/// Bytes in UTF-8, ended by a zero.
pub type fmi2String = *const c_char;
/// One byte of a serialized state.
pub type fmi2Byte = c_char;
/// How a call ended.
pub type fmi2Status = c_int;
/// What an FMU is instantiated as.
pub type fmi2Type = c_int;
/// What is asked about a step.
pub type fmi2StatusKind = c_int;

/// Platform of these types.
pub const TYPES_PLATFORM: &std::ffi::CStr = c"default";
/// Version of the standard.
pub const VERSION: &std::ffi::CStr = c"2.0";

/// True.
pub const TRUE: fmi2Boolean = 1;
/// False.
pub const FALSE: fmi2Boolean = 0;

/// All well.
pub const OK: fmi2Status = 0;
/// Done, but something is worth a word.
pub const WARNING: fmi2Status = 1;
/// The step was cut short, or the question has no answer.
pub const DISCARD: fmi2Status = 2;
/// The call was wrong or failed.
pub const ERROR: fmi2Status = 3;
/// The instance is broken.
pub const FATAL: fmi2Status = 4;
/// The step is still under way; never given.
pub const PENDING: fmi2Status = 5;

/// Model exchange.
pub const MODEL_EXCHANGE: fmi2Type = 0;
/// Co-simulation.
pub const CO_SIMULATION: fmi2Type = 1;

/// How the last step ended.
pub const DO_STEP_STATUS: fmi2StatusKind = 0;
/// What a pending step is about.
pub const PENDING_STATUS: fmi2StatusKind = 1;
/// How far the last step got.
pub const LAST_SUCCESSFUL_TIME: fmi2StatusKind = 2;
/// Does the FMU want to end the run?
pub const TERMINATED: fmi2StatusKind = 3;

/// Writes a message; the message is a format of `printf` with its arguments behind it.
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
/// Tells the end of an asynchronous step.
pub type fmi2StepFinished =
    unsafe extern "C" fn(environment: fmi2ComponentEnvironment, status: fmi2Status);

/// What the importer offers. Only the logger and the environment are used.
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
