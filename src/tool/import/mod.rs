//! Importer: loads and calls libraries of FMUs, our own or foreign ones.
//!
//! A foreign library is arbitrary code and may crash. This side guarantees valid pointers and array lengths only; use it
//! in a process that may crash.
#![allow(unsafe_code)]

mod log;
mod orphan;
mod slave;

pub use log::Message;
pub use orphan::ParentWatch;
pub use slave::{SavedState, Slave, Start, Status};

use crate::fmu::c_api::types::{
    fmi2Boolean, fmi2Byte, fmi2CallbackFunctions, fmi2Component, fmi2FMUstate, fmi2Integer,
    fmi2Real, fmi2Status, fmi2StatusKind, fmi2String, fmi2Type, fmi2ValueReference,
};
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;

/// Receives events of a library.
pub trait Observer: Send + Sync {
    /// A function of the library is about to be called.
    fn entered(&self, function: &'static str);
    /// The library sent a log message, possibly from another thread.
    fn message(&self, message: Message);
}

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of FMI 2.0 for co-simulation, as far as the library exports them.
        #[allow(non_snake_case)]
        #[derive(Debug)]
        struct Functions {
            $($name: Option<unsafe extern "C" fn($($argument),*) $(-> $result)?>,)*
        }

        /// Their names.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];

        impl Functions {
            fn of(library: &libloading::Library) -> Self {
                // SAFETY: a symbol with a name of the standard has the type defined there
                unsafe {
                    Self {
                        $($name: library
                            .get(concat!(stringify!($name), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    }
                }
            }

            fn missing(&self) -> Vec<&'static str> {
                let mut missing = Vec::new();
                $(if self.$name.is_none() {
                    missing.push(stringify!($name));
                })*
                missing
            }
        }
    };
}

functions! {
    fmi2GetTypesPlatform() -> fmi2String;
    fmi2GetVersion() -> fmi2String;
    fmi2SetDebugLogging(fmi2Component, fmi2Boolean, usize, *const fmi2String) -> fmi2Status;
    fmi2Instantiate(fmi2String, fmi2Type, fmi2String, fmi2String, *const fmi2CallbackFunctions, fmi2Boolean, fmi2Boolean) -> fmi2Component;
    fmi2FreeInstance(fmi2Component);
    fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real) -> fmi2Status;
    fmi2EnterInitializationMode(fmi2Component) -> fmi2Status;
    fmi2ExitInitializationMode(fmi2Component) -> fmi2Status;
    fmi2Terminate(fmi2Component) -> fmi2Status;
    fmi2Reset(fmi2Component) -> fmi2Status;
    fmi2GetReal(fmi2Component, *const fmi2ValueReference, usize, *mut fmi2Real) -> fmi2Status;
    fmi2GetInteger(fmi2Component, *const fmi2ValueReference, usize, *mut fmi2Integer) -> fmi2Status;
    fmi2GetBoolean(fmi2Component, *const fmi2ValueReference, usize, *mut fmi2Boolean) -> fmi2Status;
    fmi2GetString(fmi2Component, *const fmi2ValueReference, usize, *mut fmi2String) -> fmi2Status;
    fmi2SetReal(fmi2Component, *const fmi2ValueReference, usize, *const fmi2Real) -> fmi2Status;
    fmi2SetInteger(fmi2Component, *const fmi2ValueReference, usize, *const fmi2Integer) -> fmi2Status;
    fmi2SetBoolean(fmi2Component, *const fmi2ValueReference, usize, *const fmi2Boolean) -> fmi2Status;
    fmi2SetString(fmi2Component, *const fmi2ValueReference, usize, *const fmi2String) -> fmi2Status;
    fmi2GetFMUstate(fmi2Component, *mut fmi2FMUstate) -> fmi2Status;
    fmi2SetFMUstate(fmi2Component, fmi2FMUstate) -> fmi2Status;
    fmi2FreeFMUstate(fmi2Component, *mut fmi2FMUstate) -> fmi2Status;
    fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, *mut usize) -> fmi2Status;
    fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, *mut fmi2Byte, usize) -> fmi2Status;
    fmi2DeSerializeFMUstate(fmi2Component, *const fmi2Byte, usize, *mut fmi2FMUstate) -> fmi2Status;
    fmi2GetDirectionalDerivative(fmi2Component, *const fmi2ValueReference, usize, *const fmi2ValueReference, usize, *const fmi2Real, *mut fmi2Real) -> fmi2Status;
    fmi2SetRealInputDerivatives(fmi2Component, *const fmi2ValueReference, usize, *const fmi2Integer, *const fmi2Real) -> fmi2Status;
    fmi2GetRealOutputDerivatives(fmi2Component, *const fmi2ValueReference, usize, *const fmi2Integer, *mut fmi2Real) -> fmi2Status;
    fmi2DoStep(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean) -> fmi2Status;
    fmi2CancelStep(fmi2Component) -> fmi2Status;
    fmi2GetStatus(fmi2Component, fmi2StatusKind, *mut fmi2Status) -> fmi2Status;
    fmi2GetRealStatus(fmi2Component, fmi2StatusKind, *mut fmi2Real) -> fmi2Status;
    fmi2GetIntegerStatus(fmi2Component, fmi2StatusKind, *mut fmi2Integer) -> fmi2Status;
    fmi2GetBooleanStatus(fmi2Component, fmi2StatusKind, *mut fmi2Boolean) -> fmi2Status;
    fmi2GetStringStatus(fmi2Component, fmi2StatusKind, *mut fmi2String) -> fmi2Status;
}

/// The library of an FMU.
pub struct Library {
    functions: Functions,
    observer: Arc<dyn Observer>,
    file: libloading::Library,
}

impl Library {
    /// Loads a library, which executes its code.
    ///
    /// # Errors
    /// The error message of the operating system.
    pub fn load(file: &Path, observer: Arc<dyn Observer>) -> Result<Self, String> {
        observer.entered("the loading of the library");
        let file = open(file).map_err(|error| error.to_string())?;
        Ok(Self {
            functions: Functions::of(&file),
            observer,
            file,
        })
    }

    /// Names of functions that it does not export.
    pub fn missing(&self) -> Vec<&'static str> {
        self.functions.missing()
    }

    /// Result of `fmi2GetVersion`.
    pub fn version(&self) -> Option<String> {
        self.word("fmi2GetVersion", self.functions.fmi2GetVersion)
    }

    /// Result of `fmi2GetTypesPlatform`.
    pub fn types_platform(&self) -> Option<String> {
        self.word("fmi2GetTypesPlatform", self.functions.fmi2GetTypesPlatform)
    }

    fn word(
        &self,
        name: &'static str,
        function: Option<unsafe extern "C" fn() -> fmi2String>,
    ) -> Option<String> {
        self.observer.entered(name);
        // SAFETY: a function of the standard without arguments
        let text = unsafe { function?() };
        text_of(text)
    }

    /// Calls `fmi2FreeInstance` with null, which must do nothing.
    pub fn free_null(&self) {
        self.observer.entered("fmi2FreeInstance(null)");
        if let Some(free) = self.functions.fmi2FreeInstance {
            // SAFETY: null is allowed
            unsafe { free(std::ptr::null_mut()) };
        }
    }

    /// Unloads the library.
    ///
    /// # Errors
    /// The error message of the operating system.
    pub fn unload(self) -> Result<(), String> {
        self.observer.entered("the unloading of the library");
        self.file.close().map_err(|error| error.to_string())
    }
}

#[cfg(not(windows))]
fn open(file: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: executes the library's code, as requested by the caller
    unsafe { libloading::Library::new(file) }
}

#[cfg(windows)]
fn open(file: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
    // SAFETY: executes the library's code, as requested by the caller; its dependencies are searched next to it
    let library = unsafe { Library::load_with_flags(file, LOAD_WITH_ALTERED_SEARCH_PATH) };
    library.map(Into::into)
}

/// Copies a string of the library.
fn text_of(text: fmi2String) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so it is a null-terminated string that is valid until the next call
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// The URI of a folder, with all special characters encoded.
pub fn uri(folder: &Path) -> String {
    let path = folder.to_string_lossy().replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let mut uri = "file://".to_owned();
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}
