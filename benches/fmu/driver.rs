//! Libraries as an importer loads them, and their instances: one driver for ours and for the one written in C.

use crate::common::libraries::built_library;
use crate::common::{c, scene_text};
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::Variable;
use stiction::fmu::instance::{Instance, SCENE_FILE};
use stiction::scene::packed::pack;
use stiction::scene::parse;
use tempfile::TempDir;

type Handle = fmi2Component;
type Vr = fmi2ValueReference;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions that are measured.
        #[allow(non_snake_case)]
        pub struct Library {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            fn load(file: &Path) -> Self {
                // SAFETY: libraries of this project, which run nothing when they are loaded and stay loaded; types as
                // in the standard
                unsafe {
                    let library = Box::leak(Box::new(libloading::Library::new(file).unwrap()));
                    Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes()).unwrap(),)*
                    }
                }
            }
        }
    };
}

functions! {
    fmi2Instantiate: fn(fmi2String, c_int, fmi2String, fmi2String, *const fmi2CallbackFunctions, c_int, c_int) -> Handle;
    fmi2FreeInstance: fn(Handle);
    fmi2SetupExperiment: fn(Handle, c_int, f64, f64, c_int, f64) -> c_int;
    fmi2EnterInitializationMode: fn(Handle) -> c_int;
    fmi2ExitInitializationMode: fn(Handle) -> c_int;
    fmi2DoStep: fn(Handle, f64, f64, c_int) -> c_int;
    fmi2GetReal: fn(Handle, *const Vr, usize, *mut f64) -> c_int;
    fmi2SetReal: fn(Handle, *const Vr, usize, *const f64) -> c_int;
    fmi2GetFMUstate: fn(Handle, *mut fmi2FMUstate) -> c_int;
    fmi2SetFMUstate: fn(Handle, fmi2FMUstate) -> c_int;
    fmi2FreeFMUstate: fn(Handle, *mut fmi2FMUstate) -> c_int;
    fmi2SerializedFMUstateSize: fn(Handle, fmi2FMUstate, *mut usize) -> c_int;
    fmi2SerializeFMUstate: fn(Handle, fmi2FMUstate, *mut c_char, usize) -> c_int;
    fmi2DeSerializeFMUstate: fn(Handle, *const c_char, usize, *mut fmi2FMUstate) -> c_int;
}

impl Library {
    /// Ours.
    pub fn ours() -> Self {
        Self::load(&Self::file_of_ours())
    }

    /// It was built with this benchmark and is above the folder of its executable; or `STICTION_LIBRARY` names another one.
    pub fn file_of_ours() -> PathBuf {
        if let Some(file) = std::env::var_os("STICTION_LIBRARY") {
            return PathBuf::from(file);
        }
        built_library()
    }

    /// Loads a library and unloads it again.
    pub fn load_and_unload(file: &Path) {
        // SAFETY: a library of this project, which runs nothing when it is loaded
        let library = unsafe { libloading::Library::new(file).unwrap() };
        library.close().unwrap();
    }

    /// The one in C, compiled beside the executable of this benchmark.
    pub fn plain() -> Self {
        Self::load(&c::library("benches/c_fmu/ball.c", "plain_ball", &["-O2"]))
    }
}

/// What an instance is made from.
pub struct Source<'a> {
    library: &'a Library,
    guid: CString,
    location: CString,
    pub variables: Vec<Variable>,
    // removed in the end
    _folder: Option<TempDir>,
}

impl<'a> Source<'a> {
    /// A shipped scene.
    pub fn shipped(library: &'a Library, scene: &str) -> Self {
        let text = scene_text(scene);
        Self::new(library, &text)
    }

    /// Any scene.
    pub fn new(library: &'a Library, scene: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let packed = pack(&parse("scene", scene).unwrap_or_else(|e| panic!("{e}")));
        std::fs::write(folder.path().join(SCENE_FILE), &packed).unwrap();
        let instance =
            Instance::from_packed("bench", "scene", &packed).unwrap_or_else(|e| panic!("{e}"));
        let location = folder.path().to_str().unwrap().replace(' ', "%20");
        Self {
            library,
            guid: CString::new(instance.guid()).unwrap(),
            location: CString::new(format!("file://{location}")).unwrap(),
            variables: instance.variables().to_vec(),
            _folder: Some(folder),
        }
    }

    /// The FMU in C needs nothing.
    pub fn plain(library: &'a Library) -> Self {
        Self {
            library,
            guid: c"ball".into(),
            location: c"".into(),
            variables: Vec::new(),
            _folder: None,
        }
    }

    /// Value reference by name.
    pub fn reference(&self, name: &str) -> Vr {
        let place = self.variables.iter().position(|v| v.name == name);
        place.unwrap_or_else(|| panic!("no {name}")) as Vr
    }
}

/// An instance.
pub struct Fmu<'a> {
    library: &'a Library,
    handle: Handle,
}

macro_rules! call {
    ($fmu:expr, $name:ident $(, $argument:expr)*) => {
        // SAFETY: a handle that lives, and arguments that fit the function
        assert_eq!(unsafe { ($fmu.library.$name)($fmu.handle $(, $argument)*) }, OK, stringify!($name))
    };
}

impl<'a> Fmu<'a> {
    /// Instantiated.
    pub fn new(source: &Source<'a>) -> Self {
        let (guid, location) = (source.guid.as_ptr(), source.location.as_ptr());
        let (name, callbacks) = (c"bench".as_ptr(), std::ptr::null());
        let make = source.library.fmi2Instantiate;
        // SAFETY: strings that live; the callbacks may be missing
        let handle = unsafe { make(name, CO_SIMULATION, guid, location, callbacks, 0, 0) };
        assert!(!handle.is_null(), "no instance at {:?}", source.location);
        Self {
            library: source.library,
            handle,
        }
    }

    /// Ready for steps.
    pub fn initialized(source: &Source<'a>, start_values: &[(Vr, f64)]) -> Self {
        let fmu = Self::new(source);
        for (reference, value) in start_values {
            fmu.set(&[*reference], &[*value]);
        }
        call!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0);
        call!(fmu, fmi2EnterInitializationMode);
        call!(fmu, fmi2ExitInitializationMode);
        fmu
    }

    pub fn step(&self, time: f64, size: f64) {
        call!(self, fmi2DoStep, time, size, 1);
    }

    pub fn get(&self, references: &[Vr], values: &mut [f64]) {
        assert_eq!(references.len(), values.len());
        let (n, places) = (values.len(), values.as_mut_ptr());
        call!(self, fmi2GetReal, references.as_ptr(), n, places);
    }

    pub fn set(&self, references: &[Vr], values: &[f64]) {
        assert_eq!(references.len(), values.len());
        let (n, values) = (values.len(), values.as_ptr());
        call!(self, fmi2SetReal, references.as_ptr(), n, values);
    }

    /// Saves the state, in a new handle if it is null.
    pub fn save(&self, state: &mut fmi2FMUstate) {
        call!(self, fmi2GetFMUstate, state);
    }

    pub fn restore(&self, state: fmi2FMUstate) {
        call!(self, fmi2SetFMUstate, state);
    }

    pub fn free_state(&self, state: &mut fmi2FMUstate) {
        call!(self, fmi2FreeFMUstate, state);
    }

    pub fn serialized_size(&self, state: fmi2FMUstate) -> usize {
        let mut size = 0;
        call!(self, fmi2SerializedFMUstateSize, state, &mut size);
        size
    }

    pub fn serialize(&self, state: fmi2FMUstate, bytes: &mut [u8]) {
        let (first, n) = (bytes.as_mut_ptr().cast(), bytes.len());
        call!(self, fmi2SerializeFMUstate, state, first, n);
    }

    pub fn deserialize(&self, bytes: &[u8], state: &mut fmi2FMUstate) {
        let (first, n) = (bytes.as_ptr().cast(), bytes.len());
        call!(self, fmi2DeSerializeFMUstate, first, n, state);
    }
}

impl Drop for Fmu<'_> {
    fn drop(&mut self) {
        // SAFETY: a handle that lives and is not used again
        unsafe { (self.library.fmi2FreeInstance)(self.handle) }
    }
}
