//! An instance of a library.

use super::log::Callbacks;
use super::{Library, text_of};
use crate::fmu::c_api::types::{
    CO_SIMULATION, DISCARD, ERROR, FALSE, FATAL, LAST_SUCCESSFUL_TIME, OK, PENDING, TERMINATED,
    TRUE, WARNING, fmi2Component, fmi2FMUstate, fmi2Status, fmi2String,
};
use std::cell::Cell;
use std::ffi::CString;
use std::fmt;

/// Status of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// Success.
    Ok,
    /// Success, with a message in the log.
    Warning,
    /// Not executed; a shorter step may succeed.
    Discard,
    /// Failed.
    Error,
    /// Failed; no further calls are allowed.
    Fatal,
    /// Still running.
    Pending,
    /// A value that the standard does not define.
    Unknown(i32),
    /// The library does not export the function.
    Missing,
}

impl Status {
    /// Converts a value of the standard.
    pub fn of(status: fmi2Status) -> Self {
        match status {
            OK => Self::Ok,
            WARNING => Self::Warning,
            DISCARD => Self::Discard,
            ERROR => Self::Error,
            FATAL => Self::Fatal,
            PENDING => Self::Pending,
            other => Self::Unknown(other),
        }
    }

    /// Did it work?
    pub fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Warning)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("fmi2OK"),
            Self::Warning => f.write_str("fmi2Warning"),
            Self::Discard => f.write_str("fmi2Discard"),
            Self::Error => f.write_str("fmi2Error"),
            Self::Fatal => f.write_str("fmi2Fatal"),
            Self::Pending => f.write_str("fmi2Pending"),
            Self::Unknown(number) => write!(f, "{number}, which is not a status"),
            Self::Missing => f.write_str("nothing, because the function does not exist"),
        }
    }
}

/// Arguments of `fmi2SetupExperiment`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Start {
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Start time.
    pub time: f64,
    /// Stop time.
    pub stop: Option<f64>,
}

/// A saved state, as an opaque pointer of the library.
#[derive(Debug)]
pub struct SavedState(fmi2FMUstate);

/// An instance for co-simulation.
pub struct Slave<'a> {
    library: &'a Library,
    handle: fmi2Component,
    is_broken: Cell<bool>,
    // referenced by the library
    _callbacks: Callbacks,
}

/// Calls a function with the handle as first argument; nothing is called after a fatal error.
macro_rules! call {
    ($slave:ident, $name:ident $(, $argument:expr)*) => {{
        let function = $slave.library.functions.$name;
        match function {
            None => Status::Missing,
            Some(_) if $slave.is_broken.get() => Status::Fatal,
            Some(function) => {
                $slave.library.observer.entered(stringify!($name));
                // SAFETY: a valid handle, and valid arrays of the given lengths
                let status = Status::of(unsafe { function($slave.handle $(, $argument)*) });
                $slave.is_broken.set(status == Status::Fatal);
                status
            }
        }
    }};
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl<'a> Slave<'a> {
    /// Instantiates; `None` if the library returns null.
    pub fn new(
        library: &'a Library,
        name: &str,
        guid: &str,
        resources: &str,
        logging: bool,
    ) -> Option<Self> {
        let callbacks = Callbacks::new(library.observer.clone());
        let (name, guid, resources) = (c_string(name), c_string(guid), c_string(resources));
        let instantiate = library.functions.fmi2Instantiate?;
        library.observer.entered("fmi2Instantiate");
        // SAFETY: null-terminated strings; callbacks that outlive the instance
        let handle = unsafe {
            instantiate(
                name.as_ptr(),
                CO_SIMULATION,
                guid.as_ptr(),
                resources.as_ptr(),
                callbacks.functions(),
                FALSE,
                if logging { TRUE } else { FALSE },
            )
        };
        // lazily, because dropping an instance frees it
        (!handle.is_null()).then(|| Self {
            library,
            handle,
            is_broken: Cell::new(false),
            _callbacks: callbacks,
        })
    }

    /// Enables or disables log categories.
    pub fn set_debug_logging(&self, on: bool, categories: &[&str]) -> Status {
        let names: Vec<CString> = categories.iter().map(|name| c_string(name)).collect();
        let pointers: Vec<fmi2String> = names.iter().map(|name| name.as_ptr()).collect();
        let on = if on { TRUE } else { FALSE };
        call!(
            self,
            fmi2SetDebugLogging,
            on,
            pointers.len(),
            pointers.as_ptr()
        )
    }

    /// Sets start time, stop time and tolerance.
    pub fn setup_experiment(&self, start: Start) -> Status {
        let flag = |value: Option<f64>| if value.is_some() { TRUE } else { FALSE };
        call!(
            self,
            fmi2SetupExperiment,
            flag(start.tolerance),
            start.tolerance.unwrap_or(0.0),
            start.time,
            flag(start.stop),
            start.stop.unwrap_or(0.0)
        )
    }

    /// Enters initialization mode.
    pub fn enter_initialization(&self) -> Status {
        call!(self, fmi2EnterInitializationMode)
    }

    /// Exits initialization mode.
    pub fn exit_initialization(&self) -> Status {
        call!(self, fmi2ExitInitializationMode)
    }

    /// Ends the run.
    pub fn terminate(&self) -> Status {
        call!(self, fmi2Terminate)
    }

    /// Resets to the state after instantiation.
    pub fn reset(&self) -> Status {
        call!(self, fmi2Reset)
    }

    /// Takes one step.
    pub fn do_step(&self, time: f64, step: f64) -> Status {
        call!(self, fmi2DoStep, time, step, FALSE)
    }

    /// Time reached by the last step, if the library returns it.
    pub fn last_successful_time(&self) -> Option<f64> {
        let mut time = f64::NAN;
        let status = call!(self, fmi2GetRealStatus, LAST_SUCCESSFUL_TIME, &mut time);
        status.is_good().then_some(time)
    }

    /// Does it request the end of the run?
    pub fn wants_to_end(&self) -> bool {
        let mut ended = FALSE;
        let status = call!(self, fmi2GetBooleanStatus, TERMINATED, &mut ended);
        status.is_good() && ended != FALSE
    }

    /// Reads the values of the given references.
    pub fn get_real(&self, references: &[u32]) -> (Status, Vec<f64>) {
        let mut values = vec![f64::NAN; references.len()];
        let (first, n) = (references.as_ptr(), references.len());
        let status = call!(self, fmi2GetReal, first, n, values.as_mut_ptr());
        (status, values)
    }

    /// Reads the values of the given references.
    pub fn get_integer(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let mut values = vec![0; references.len()];
        let (first, n) = (references.as_ptr(), references.len());
        let status = call!(self, fmi2GetInteger, first, n, values.as_mut_ptr());
        (status, values)
    }

    /// Reads the values of the given references.
    pub fn get_boolean(&self, references: &[u32]) -> (Status, Vec<i32>) {
        let mut values = vec![0; references.len()];
        let (first, n) = (references.as_ptr(), references.len());
        let status = call!(self, fmi2GetBoolean, first, n, values.as_mut_ptr());
        (status, values)
    }

    /// Reads the values of the given references; `None` for null.
    pub fn get_string(&self, references: &[u32]) -> (Status, Vec<Option<String>>) {
        let mut values: Vec<fmi2String> = vec![std::ptr::null(); references.len()];
        let (first, n) = (references.as_ptr(), references.len());
        let status = call!(self, fmi2GetString, first, n, values.as_mut_ptr());
        let values = if status.is_good() {
            values.into_iter().map(text_of).collect()
        } else {
            vec![None; references.len()]
        };
        (status, values)
    }

    /// Sets one value.
    pub fn set_real(&self, reference: u32, value: f64) -> Status {
        call!(self, fmi2SetReal, &raw const reference, 1, &raw const value)
    }

    /// Sets one value.
    pub fn set_integer(&self, reference: u32, value: i32) -> Status {
        call!(
            self,
            fmi2SetInteger,
            &raw const reference,
            1,
            &raw const value
        )
    }

    /// Sets one value.
    pub fn set_boolean(&self, reference: u32, value: bool) -> Status {
        let value = if value { TRUE } else { FALSE };
        call!(
            self,
            fmi2SetBoolean,
            &raw const reference,
            1,
            &raw const value
        )
    }

    /// Saves the state.
    ///
    /// # Errors
    /// The status, if it is not OK or the state is null.
    pub fn save(&self) -> Result<SavedState, Status> {
        let mut state = std::ptr::null_mut();
        let status = call!(self, fmi2GetFMUstate, &mut state);
        if status.is_good() && !state.is_null() {
            Ok(SavedState(state))
        } else {
            Err(status)
        }
    }

    /// Restores a state.
    pub fn restore(&self, state: &SavedState) -> Status {
        call!(self, fmi2SetFMUstate, state.0)
    }

    /// Frees a state. Returns whether the pointer is null afterwards.
    pub fn free_state(&self, state: SavedState) -> (Status, bool) {
        let mut pointer = state.0;
        let status = call!(self, fmi2FreeFMUstate, &mut pointer);
        (status, pointer.is_null())
    }

    /// Frees a null state, which must do nothing.
    pub fn free_null_state(&self) -> Status {
        let mut pointer = std::ptr::null_mut();
        call!(self, fmi2FreeFMUstate, &mut pointer)
    }

    /// Serializes a state.
    ///
    /// # Errors
    /// The status, if it is not OK.
    pub fn serialize(&self, state: &SavedState) -> Result<Vec<u8>, Status> {
        let mut size = 0;
        let status = call!(self, fmi2SerializedFMUstateSize, state.0, &mut size);
        // larger sizes are not plausible
        if !status.is_good() || size > 1 << 30 {
            return Err(status);
        }
        let mut bytes = vec![0u8; size];
        let first = bytes.as_mut_ptr().cast();
        let status = call!(self, fmi2SerializeFMUstate, state.0, first, size);
        status.is_good().then_some(bytes).ok_or(status)
    }

    /// Deserializes a state.
    ///
    /// # Errors
    /// The status, if it is not OK or the state is null.
    pub fn deserialize(&self, bytes: &[u8]) -> Result<SavedState, Status> {
        let mut state = std::ptr::null_mut();
        let (first, n) = (bytes.as_ptr().cast(), bytes.len());
        let status = call!(self, fmi2DeSerializeFMUstate, first, n, &mut state);
        if status.is_good() && !state.is_null() {
            Ok(SavedState(state))
        } else {
            Err(status)
        }
    }

    /// The partial derivative of one variable with respect to another.
    pub fn directional_derivative(&self, unknown: u32, known: u32) -> (Status, f64) {
        let (seed, mut value) = (1.0, f64::NAN);
        let status = call!(
            self,
            fmi2GetDirectionalDerivative,
            &raw const unknown,
            1,
            &raw const known,
            1,
            &raw const seed,
            &raw mut value
        );
        (status, value)
    }

    /// Sets time derivatives of inputs, all of one order.
    pub fn set_input_derivatives(&self, references: &[u32], order: i32, values: &[f64]) -> Status {
        let n = references.len().min(values.len());
        let orders = vec![order; n];
        let references = references.as_ptr();
        call!(
            self,
            fmi2SetRealInputDerivatives,
            references,
            n,
            orders.as_ptr(),
            values.as_ptr()
        )
    }

    /// Reads time derivatives of outputs, all of one order.
    pub fn output_derivatives(&self, references: &[u32], order: i32) -> (Status, Vec<f64>) {
        let n = references.len();
        let (orders, mut values) = (vec![order; n], vec![f64::NAN; n]);
        let status = call!(
            self,
            fmi2GetRealOutputDerivatives,
            references.as_ptr(),
            n,
            orders.as_ptr(),
            values.as_mut_ptr()
        );
        (status, values)
    }
}

impl Drop for Slave<'_> {
    fn drop(&mut self) {
        let free = self.library.functions.fmi2FreeInstance;
        if let (Some(free), false) = (free, self.is_broken.get()) {
            self.library.observer.entered("fmi2FreeInstance");
            // SAFETY: a valid handle that is not used again
            unsafe { free(self.handle) };
        }
    }
}
