//! Boundary between C and Rust: handles, the common entry point of all calls, and arrays passed as pointer and length.

use super::float_environment::Scope;
use super::location;
use super::log::Log;
use super::types::{
    CO_SIMULATION, DISCARD, ERROR, FATAL, OK, WARNING, fmi2CallbackFunctions, fmi2Component,
    fmi2Status, fmi2String, fmi2Type,
};
use crate::fmu::IDENTITY;
use crate::fmu::instance::lifecycle::{Call, Phase};
use crate::fmu::instance::{FmiError, Instance, SCENE_FILE};
use crate::math::OutOfMemory;
use std::any::Any;
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Target of an instance handle.
#[derive(Debug)]
struct Component {
    /// Set during a call: a second one, from another thread or from the logger, is rejected.
    busy: AtomicBool,
    inside: UnsafeCell<Inside>,
}

/// An instance and its connection to the importer.
#[derive(Debug)]
pub struct Inside {
    /// The instance.
    pub instance: Instance,
    /// The string last returned; valid until the next call.
    pub text: CString,
    pub(super) log: Log,
}

/// Entry point of every function with a handle: rejects a null handle, a handle in use, and a call that the
/// phase does not allow (`None`: any phase except for a broken instance); isolates the engine from the host's floating-point
/// environment; catches panics, which break only this instance; writes the log.
///
/// # Safety
/// The handle is null or comes from [`instantiate`] and was not freed.
pub unsafe fn enter(
    handle: fmi2Component,
    function: &str,
    call: Option<Call>,
    action: impl FnOnce(&mut Inside) -> Result<(), FmiError>,
) -> fmi2Status {
    // SAFETY: null, or a live component, whose contents only this module accesses
    let Some(component) = (unsafe { handle.cast::<Component>().as_ref() }) else {
        return ERROR;
    };
    if component.busy.swap(true, Ordering::Acquire) {
        return ERROR;
    }
    // SAFETY: `busy` was not set, so no other reference to the inside exists until it is cleared
    let inside = unsafe { &mut *component.inside.get() };
    let scope = Scope::of_engine();
    inside.log.host = Some(scope.host());
    let mut action = Some(action);
    let mut once = |inside: &mut Inside| action.take().map_or(Ok(()), |action| action(inside));
    let status = logged(inside, function, call, &mut once);
    drop(scope);
    component.busy.store(false, Ordering::Release);
    status
}

// a separate function, so that no arithmetic is moved out of the scope of the floating-point environment; one
// for all actions, which keeps the library small
#[inline(never)]
fn logged(
    inside: &mut Inside,
    function: &str,
    call: Option<Call>,
    action: &mut dyn FnMut(&mut Inside) -> Result<(), FmiError>,
) -> fmi2Status {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if inside.instance.phase() != Phase::Fatal {
            call.map_or(Ok(()), |call| inside.instance.admit(call))?;
            action(inside)?;
        }
        Ok(())
    }));
    let was_broken = inside.instance.phase() == Phase::Fatal;
    let (status, message) = match outcome {
        Ok(Ok(())) if was_broken => (FATAL, "the instance is broken; free it".to_owned()),
        Ok(Ok(())) => (OK, String::new()),
        Ok(Err(FmiError::Warning(message))) => (WARNING, message),
        Ok(Err(FmiError::Discard { reason, .. })) => (DISCARD, reason),
        Ok(Err(FmiError::Error(message))) => (ERROR, message),
        Err(panic) => {
            inside.instance.break_down();
            (FATAL, words_of(panic.as_ref()))
        }
    };
    if status != OK {
        inside.log.status(status, &format!("{function}: {message}"));
    }
    status
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    if panic.is::<OutOfMemory>() {
        return "there is not enough memory for this step, and the instance is broken".to_owned();
    }
    let words = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(words), _) => words,
        (_, Some(words)) => words.as_str(),
        _ => "no message",
    };
    format!("this is a bug, and the instance is broken: {words}")
}

/// Creates an instance. Returns null on failure, with the reason in the log.
///
/// # Safety
/// Strings are null or null-terminated; `callbacks` is null or points to a valid structure.
pub unsafe fn instantiate(
    name: fmi2String,
    kind: fmi2Type,
    guid: fmi2String,
    resources: fmi2String,
    callbacks: *const fmi2CallbackFunctions,
    debug: bool,
) -> fmi2Component {
    let scope = Scope::of_engine();
    // SAFETY: guaranteed by the caller
    let (callbacks, name, guid, resources) = unsafe {
        (
            callbacks.as_ref(),
            string(name),
            string(guid),
            string(resources),
        )
    };
    let mut log = Log::new(callbacks, name.unwrap_or_default().to_owned(), debug);
    log.host = Some(scope.host());
    let made = catch_unwind(|| new_instance(name, kind, guid, resources));
    match made {
        Ok(Ok(instance)) => Box::into_raw(Box::new(Component {
            busy: AtomicBool::new(false),
            inside: UnsafeCell::new(Inside {
                instance,
                text: CString::default(),
                log,
            }),
        }))
        .cast(),
        Ok(Err(message)) => {
            log.status(ERROR, &format!("fmi2Instantiate: {message}"));
            std::ptr::null_mut()
        }
        Err(panic) => {
            let words = words_of(panic.as_ref());
            log.status(FATAL, &format!("fmi2Instantiate: {words}"));
            std::ptr::null_mut()
        }
    }
}

#[inline(never)] // see `logged`
fn new_instance(
    name: Option<&CStr>,
    kind: fmi2Type,
    guid: Option<&CStr>,
    resources: Option<&CStr>,
) -> Result<Instance, String> {
    let name = name.unwrap_or_default().to_string_lossy();
    if name.is_empty() {
        return Err("the instance needs a name".into());
    }
    if kind != CO_SIMULATION {
        return Err(format!(
            "type {kind} is not supported; this FMU is for co-simulation, type {CO_SIMULATION}"
        ));
    }
    let guid = guid.ok_or("the GUID is missing")?.to_string_lossy();
    let resources = resources.ok_or("the resource location is missing")?;
    let resources = resources
        .to_str()
        .map_err(|_| "the resource location is not UTF-8")?;
    let folder = location::folder(resources)?;
    let file = folder.join(SCENE_FILE);
    let shown = file.display().to_string();
    let bytes = std::fs::read(&file).map_err(|e| format!("cannot read {shown}: {e}"))?;
    let instance = Instance::from_packed(&name, &shown, &bytes).map_err(|e| e.to_string())?;
    if instance.guid() != guid {
        return Err(format!(
            "the GUID {guid} is not {}, that of the scene in {shown}: the model description belongs to another scene or version (this is {IDENTITY})",
            instance.guid()
        ));
    }
    Ok(instance)
}

/// Frees an instance; null is ignored, and an instance in use is kept.
///
/// # Safety
/// As [`enter`]; the handle is not used again.
pub unsafe fn free(handle: fmi2Component) {
    let pointer = handle.cast::<Component>();
    // SAFETY: null, or a living component
    let Some(component) = (unsafe { pointer.as_ref() }) else {
        return;
    };
    if !component.busy.swap(true, Ordering::Acquire) {
        // SAFETY: it was created from a box, and no other call is active
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// A string of the importer.
///
/// # Safety
/// Null, or null-terminated and alive while it is used.
pub unsafe fn string<'a>(pointer: fmi2String) -> Option<&'a CStr> {
    // SAFETY: guaranteed by the caller
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

fn checked<T>(is_null: bool, n: usize, what: &str) -> Result<(), FmiError> {
    if is_null && n > 0 {
        return Err(FmiError::Error(format!("null pointer for {what}")));
    }
    if n > isize::MAX as usize / size_of::<T>() {
        return Err(FmiError::Error(format!(
            "{n} is too large a number of {what}"
        )));
    }
    Ok(())
}

/// An array to be read; may be null if empty.
///
/// # Safety
/// Null, or `n` values that are alive and not written to while they are used.
pub unsafe fn array<'a, T>(pointer: *const T, n: usize, what: &str) -> Result<&'a [T], FmiError> {
    checked::<T>(pointer.is_null(), n, what)?;
    if n == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, not too long, and otherwise guaranteed by the caller
    Ok(unsafe { std::slice::from_raw_parts(pointer, n) })
}

/// An array to be written, whose memory may be uninitialized.
#[derive(Debug)]
pub struct Places<'a, T> {
    first: *mut T,
    n: usize,
    memory: PhantomData<&'a mut T>,
}

impl<T> Places<'_, T> {
    /// Writes the values, up to the length of the array.
    pub fn fill(&mut self, values: impl IntoIterator<Item = T>) {
        for (i, value) in values.into_iter().take(self.n).enumerate() {
            // SAFETY: within the array passed to `places`
            unsafe { self.first.add(i).write(value) };
        }
    }
}

/// See [`Places`]; may be null if empty.
///
/// # Safety
/// Null, or space for `n` values that is not accessed otherwise meanwhile.
pub unsafe fn places<'a, T>(
    pointer: *mut T,
    n: usize,
    what: &str,
) -> Result<Places<'a, T>, FmiError> {
    checked::<T>(pointer.is_null(), n, what)?;
    Ok(Places {
        first: pointer,
        n,
        memory: PhantomData,
    })
}
