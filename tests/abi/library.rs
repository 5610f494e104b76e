//! The library as it is loaded by an importer, and an instance of it.

use crate::common::libraries::built_library;
use crate::common::random::{Random as _, Xorshift};
use crate::common::root;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use stiction::fmu::c_api::types::*;
use stiction::fmu::instance::variable::{Kind, Variable};
use stiction::fmu::instance::{Instance, SCENE_FILE};
use stiction::scene::packed::pack;
use stiction::scene::parse_in;
use tempfile::TempDir;

type Handle = fmi2Component;
type Vr = fmi2ValueReference;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// All functions of co-simulation.
        #[allow(non_snake_case)]
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        fn load() -> Library {
            // SAFETY: our own library, which runs nothing when it is loaded and stays loaded; types as in the standard
            unsafe {
                let library = Box::leak(Box::new(libloading::Library::new(built_library()).unwrap()));
                Library {
                    $($name: *library.get(concat!(stringify!($name), "\0").as_bytes()).unwrap(),)*
                }
            }
        }
    };
}

functions! {
    fmi2GetTypesPlatform: fn() -> fmi2String;
    fmi2GetVersion: fn() -> fmi2String;
    fmi2SetDebugLogging: fn(Handle, c_int, usize, *const fmi2String) -> c_int;
    fmi2Instantiate: fn(fmi2String, c_int, fmi2String, fmi2String, *const fmi2CallbackFunctions, c_int, c_int) -> Handle;
    fmi2FreeInstance: fn(Handle);
    fmi2SetupExperiment: fn(Handle, c_int, f64, f64, c_int, f64) -> c_int;
    fmi2EnterInitializationMode: fn(Handle) -> c_int;
    fmi2ExitInitializationMode: fn(Handle) -> c_int;
    fmi2Terminate: fn(Handle) -> c_int;
    fmi2Reset: fn(Handle) -> c_int;
    fmi2GetReal: fn(Handle, *const Vr, usize, *mut f64) -> c_int;
    fmi2GetInteger: fn(Handle, *const Vr, usize, *mut c_int) -> c_int;
    fmi2GetBoolean: fn(Handle, *const Vr, usize, *mut c_int) -> c_int;
    fmi2GetString: fn(Handle, *const Vr, usize, *mut fmi2String) -> c_int;
    fmi2SetReal: fn(Handle, *const Vr, usize, *const f64) -> c_int;
    fmi2SetInteger: fn(Handle, *const Vr, usize, *const c_int) -> c_int;
    fmi2SetBoolean: fn(Handle, *const Vr, usize, *const c_int) -> c_int;
    fmi2SetString: fn(Handle, *const Vr, usize, *const fmi2String) -> c_int;
    fmi2GetFMUstate: fn(Handle, *mut fmi2FMUstate) -> c_int;
    fmi2SetFMUstate: fn(Handle, fmi2FMUstate) -> c_int;
    fmi2FreeFMUstate: fn(Handle, *mut fmi2FMUstate) -> c_int;
    fmi2SerializedFMUstateSize: fn(Handle, fmi2FMUstate, *mut usize) -> c_int;
    fmi2SerializeFMUstate: fn(Handle, fmi2FMUstate, *mut c_char, usize) -> c_int;
    fmi2DeSerializeFMUstate: fn(Handle, *const c_char, usize, *mut fmi2FMUstate) -> c_int;
    fmi2GetDirectionalDerivative: fn(Handle, *const Vr, usize, *const Vr, usize, *const f64, *mut f64) -> c_int;
    fmi2SetRealInputDerivatives: fn(Handle, *const Vr, usize, *const c_int, *const f64) -> c_int;
    fmi2GetRealOutputDerivatives: fn(Handle, *const Vr, usize, *const c_int, *mut f64) -> c_int;
    fmi2DoStep: fn(Handle, f64, f64, c_int) -> c_int;
    fmi2CancelStep: fn(Handle) -> c_int;
    fmi2GetStatus: fn(Handle, c_int, *mut c_int) -> c_int;
    fmi2GetRealStatus: fn(Handle, c_int, *mut f64) -> c_int;
    fmi2GetIntegerStatus: fn(Handle, c_int, *mut c_int) -> c_int;
    fmi2GetBooleanStatus: fn(Handle, c_int, *mut c_int) -> c_int;
    fmi2GetStringStatus: fn(Handle, c_int, *mut fmi2String) -> c_int;
}

pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(load)
}

/// The resources of an FMU, as far as the library needs them, in a folder that is removed in the end.
pub struct Resources {
    pub folder: PathBuf,
    pub guid: String,
    pub variables: Vec<Variable>,
    _temporary: TempDir,
}

impl Resources {
    /// Of a scene whose shapes come from files in `files`; in a folder of that name.
    pub fn new(name: &str, scene: &str, files: &Path) -> Self {
        let temporary = TempDir::new().unwrap();
        let folder = temporary.path().join(name);
        let packed = pack(&parse_in(files, "scene", scene).unwrap_or_else(|e| panic!("{e}")));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(SCENE_FILE), &packed).unwrap();
        let instance =
            Instance::from_packed("x", "scene", &packed).unwrap_or_else(|e| panic!("{e}"));
        Self {
            folder,
            _temporary: temporary,
            guid: instance.guid().to_owned(),
            variables: instance.variables().to_vec(),
        }
    }

    /// Of the scene in a folder.
    pub fn of_folder(name: &str, folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("scene.toml")).unwrap();
        Self::new(name, &text, folder)
    }

    pub fn shipped(scene: &str) -> Self {
        Self::of_folder(scene, &root().join("resources").join(scene))
    }

    /// Of a scene without files, in a folder of that name.
    pub fn temporary(name: &str, scene: &str) -> Self {
        Self::new(name, scene, Path::new(""))
    }

    /// The file that the library reads.
    pub fn scene(&self) -> PathBuf {
        self.folder.join(SCENE_FILE)
    }

    /// `file:///..`, with everything encoded that is not a plain letter.
    pub fn uri(&self) -> String {
        let mut uri = "file://".to_owned();
        for byte in self.folder.to_str().unwrap().bytes() {
            if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                uri += &format!("%{byte:02X}");
            }
        }
        uri
    }

    /// Value reference by name; `*` stands for anything.
    pub fn reference(&self, name: &str) -> u32 {
        let (head, tail) = name.split_once('*').unwrap_or((name, ""));
        let fits = |variable: &Variable| {
            let found = &variable.name;
            found == name || name.contains('*') && found.starts_with(head) && found.ends_with(tail)
        };
        let place = self.variables.iter().position(fits);
        place.unwrap_or_else(|| panic!("no {name}")) as u32
    }
}

/// One line of the log: status, category, message.
pub type Line = (c_int, String, String);

unsafe extern "C" fn hear(
    environment: *mut c_void,
    _name: fmi2String,
    status: c_int,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: the environment is the list that `callbacks` gave, the strings are the library's
    unsafe {
        let lines = &*environment.cast::<RefCell<Vec<Line>>>();
        let text = |s| CStr::from_ptr(s).to_str().unwrap().to_owned();
        let line = (status, text(category), text(message));
        lines.borrow_mut().push(line);
    }
}

pub fn callbacks(lines: &RefCell<Vec<Line>>) -> fmi2CallbackFunctions {
    // SAFETY: a variadic function is called like one with its fixed arguments on the platforms that tests run on
    let logger =
        unsafe { std::mem::transmute::<*const c_void, fmi2CallbackLogger>(hear as *const c_void) };
    fmi2CallbackFunctions {
        logger: Some(logger),
        allocate_memory: None,
        free_memory: None,
        step_finished: None,
        component_environment: std::ptr::from_ref(lines).cast_mut().cast(),
    }
}

/// Tries to instantiate; the lines of the log come too.
pub fn instantiate(
    name: Option<&CStr>,
    kind: c_int,
    guid: Option<&str>,
    location: Option<&str>,
    lines: &RefCell<Vec<Line>>,
) -> Handle {
    let pointer = |s: &Option<CString>| s.as_ref().map_or(std::ptr::null(), |s| s.as_ptr());
    let owned = |s: Option<&str>| s.map(|s| CString::new(s).unwrap());
    let (guid, location, callbacks) = (owned(guid), owned(location), callbacks(lines));
    let name = name.map_or(std::ptr::null(), CStr::as_ptr);
    let (guid, location) = (pointer(&guid), pointer(&location));
    // SAFETY: strings and callbacks that live
    unsafe { (library().fmi2Instantiate)(name, kind, guid, location, &callbacks, 0, 0) }
}

/// An instance, with its log.
pub struct Fmu<'a> {
    pub resources: &'a Resources,
    pub handle: Handle,
    lines: Box<RefCell<Vec<Line>>>,
}

/// Calls a function of an instance.
#[macro_export]
macro_rules! call {
    ($fmu:expr, $name:ident $(, $argument:expr)*) => {
        // SAFETY: a handle that lives, and arguments that fit the function
        unsafe { ($crate::library::library().$name)($fmu.handle $(, $argument)*) }
    };
}

/// Words of the warnings that steps of the tests may end with.
const ACCEPTED: [&str; 7] = [
    "could not be resolved contact by contact",
    "stick-slip statuses did not converge",
    "were taken by the fixed-step scheme",
    "integration errors removed",
    "integration errors added",
    "because collisions are not located",
    "for the smoothed friction of a joint",
];

impl<'a> Fmu<'a> {
    pub fn new(resources: &'a Resources) -> Self {
        let lines = Box::default();
        let (guid, uri) = (Some(resources.guid.as_str()), resources.uri());
        let handle = instantiate(Some(c"test"), CO_SIMULATION, guid, Some(&uri), &lines);
        assert!(!handle.is_null(), "{lines:?}");
        Self {
            resources,
            handle,
            lines,
        }
    }

    pub fn initialized(resources: &'a Resources) -> Self {
        let fmu = Self::new(resources);
        fmu.initialize();
        fmu
    }

    pub fn initialize(&self) {
        assert_eq!(call!(self, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
        assert_eq!(call!(self, fmi2EnterInitializationMode), OK);
        assert_eq!(
            call!(self, fmi2ExitInitializationMode),
            OK,
            "{:?}",
            self.log()
        );
    }

    /// Lines since the last look.
    pub fn log(&self) -> Vec<Line> {
        self.lines.take()
    }

    /// Takes a step; one with a warning of a kind that the tests' scenes may have is taken as well.
    pub fn step(&self, time: f64, size: f64) -> c_int {
        let n_lines = self.lines.borrow().len();
        let status = self.outcome(time, size);
        if status != WARNING {
            return status;
        }
        for (status, _, text) in &self.lines.borrow()[n_lines..] {
            let is_accepted = ACCEPTED.iter().any(|words| text.contains(words));
            assert!(*status != WARNING || is_accepted, "{text}");
        }
        OK
    }

    /// Takes a step with settings or states that are made at random, or a scheme that is there to be compared: any warning will do.
    pub fn risky_step(&self, time: f64, size: f64) -> c_int {
        match self.outcome(time, size) {
            WARNING => OK,
            status => status,
        }
    }

    /// Takes a step.
    pub fn outcome(&self, time: f64, size: f64) -> c_int {
        call!(self, fmi2DoStep, time, size, 0)
    }

    pub fn last_time(&self) -> f64 {
        let mut time = f64::NAN;
        assert_eq!(
            call!(self, fmi2GetRealStatus, LAST_SUCCESSFUL_TIME, &mut time),
            OK
        );
        time
    }

    pub fn real(&self, name: &str) -> f64 {
        let reference = self.resources.reference(name);
        let mut value = f64::NAN;
        let status = call!(self, fmi2GetReal, &reference, 1, &mut value);
        assert_eq!(status, OK, "{:?}", self.log());
        value
    }

    pub fn set_real(&self, name: &str, value: f64) -> c_int {
        let reference = self.resources.reference(name);
        call!(self, fmi2SetReal, &reference, 1, &value)
    }

    /// The bits of every variable.
    pub fn bits(&self) -> Vec<u64> {
        let mut bits = Vec::new();
        for (reference, variable) in (0u32..).zip(&self.resources.variables) {
            let (mut real, mut whole) = (f64::NAN, 0);
            let status = match variable.kind {
                Kind::Real { .. } => call!(self, fmi2GetReal, &reference, 1, &mut real),
                Kind::Boolean => call!(self, fmi2GetBoolean, &reference, 1, &mut whole),
                _ => call!(self, fmi2GetInteger, &reference, 1, &mut whole),
            };
            assert_eq!(status, OK, "{}: {:?}", variable.name, self.log());
            bits.push(real.to_bits());
            bits.push(whole as u64);
        }
        bits
    }

    /// The serialized state as it is.
    pub fn bytes(&self) -> Vec<u8> {
        let mut state = std::ptr::null_mut();
        let mut size = 0;
        assert_eq!(call!(self, fmi2GetFMUstate, &mut state), OK);
        assert_eq!(
            call!(self, fmi2SerializedFMUstateSize, state, &mut size),
            OK
        );
        let mut bytes = vec![0u8; size];
        let status = call!(
            self,
            fmi2SerializeFMUstate,
            state,
            bytes.as_mut_ptr().cast(),
            size
        );
        assert_eq!(status, OK);
        assert_eq!(call!(self, fmi2FreeFMUstate, &mut state), OK);
        assert!(state.is_null());
        bytes
    }

    /// Restores a serialized state.
    pub fn restore_bytes(&self, bytes: &[u8]) -> c_int {
        let mut state = std::ptr::null_mut();
        let (first, n) = (bytes.as_ptr().cast(), bytes.len());
        let status = call!(self, fmi2DeSerializeFMUstate, first, n, &mut state);
        if status != OK {
            assert!(state.is_null());
            return status;
        }
        let status = call!(self, fmi2SetFMUstate, state);
        assert_eq!(call!(self, fmi2FreeFMUstate, &mut state), OK);
        status
    }
}

impl Drop for Fmu<'_> {
    fn drop(&mut self) {
        call!(self, fmi2FreeInstance);
    }
}

/// A block on a rough table, pushed by two inputs.
pub fn pushed_block() -> String {
    let text = crate::common::scene_text("block_on_table");
    let built_in = "[{ kind = \"harmonic\", amplitude = 8, omega = 1 }, 0]";
    let inputs = "[{ kind = \"input\" }, { kind = \"input\" }]";
    assert!(text.contains(built_in));
    text.replace(built_in, inputs)
}

/// Random numbers, always the same ones.
pub struct Random(Xorshift);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Xorshift(seed))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.0.bits() >> 11) % n
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 50) as f64 / (1u64 << 50) as f64
    }
}

/// The shipped scenes in the plane.
pub const SCENES: [&str; 10] = [
    "block_on_table",
    "bouncing_ball",
    "double_pendulum_wall",
    "falling_rod",
    "incline",
    "newtons_cradle",
    "slider_crank",
    "two_bars",
    "two_bodies_damper",
    "two_carts",
];

/// The shipped scenes in space.
pub const IN_SPACE: [&str; 8] = [
    "box_landing",
    "box_stack",
    "four_balls",
    "free_body",
    "gripper",
    "rolling_ball",
    "rover",
    "spinning_top",
];
