//! Saved states. A state handle is a boxed [`Snapshot`]; it may be used with any instance of the same FMU.

use super::error;
use crate::fmu::c_api::boundary::{array, enter, places};
use crate::fmu::c_api::types::{FATAL, fmi2Byte, fmi2Component, fmi2FMUstate, fmi2Status};
use crate::fmu::instance::FmiError;
use crate::fmu::instance::lifecycle::Call;
use crate::fmu::instance::snapshot::Snapshot;

// target of a state handle
unsafe fn saved<'a>(state: fmi2FMUstate) -> Result<&'a Snapshot, FmiError> {
    // SAFETY: null, or created from a box in this file and not freed
    match unsafe { state.cast::<Snapshot>().as_ref() } {
        Some(snapshot) => Ok(snapshot),
        None => error("null pointer for the saved state"),
    }
}

fn boxed(snapshot: Snapshot) -> fmi2FMUstate {
    Box::into_raw(Box::new(snapshot)).cast()
}

exported! {
    /// Saves the state to a new handle, or to an existing one.
    fn fmi2GetFMUstate(FMUstate: *mut fmi2FMUstate), Some(Call::SaveState), |inside| {
        let mut place = places(FMUstate, 1, "the state")?;
        inside.instance.make_room_for_state()?;
        let snapshot = inside.instance.save();
        match (*FMUstate).cast::<Snapshot>().as_mut() {
            Some(known) => *known = snapshot,
            None => place.fill([boxed(snapshot)]),
        }
        Ok(())
    }
}

exported! {
    /// Restores a saved state.
    fn fmi2SetFMUstate(FMUstate: fmi2FMUstate), Some(Call::RestoreState), |inside| {
        inside.instance.make_room_for_state()?;
        inside.instance.restore(saved(FMUstate)?)
    }
}

/// Frees a saved state and clears its handle, also for a broken instance; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(
    c: fmi2Component,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: handle and pointer as required by the standard
    unsafe {
        let status = enter(c, "fmi2FreeFMUstate", None, |_| {
            discard(FMUstate);
            Ok(())
        });
        if status == FATAL {
            discard(FMUstate);
        }
        status
    }
}

// clears the handle before freeing its target
unsafe fn discard(place: *mut fmi2FMUstate) {
    // SAFETY: null, or a pointer to a state that is null or was created from a box and is not used again
    unsafe {
        if let Some(place) = place.as_mut() {
            let state = std::mem::replace(place, std::ptr::null_mut()).cast::<Snapshot>();
            if !state.is_null() {
                drop(Box::from_raw(state));
            }
        }
    }
}

exported! {
    /// Number of bytes of a serialized state.
    fn fmi2SerializedFMUstateSize(FMUstate: fmi2FMUstate, size: *mut usize), Some(Call::SaveState), |inside| {
        inside.instance.make_room_for_state()?;
        let mut place = places(size, 1, "the size")?;
        place.fill([saved(FMUstate)?.n_bytes()]);
        Ok(())
    }
}

exported! {
    /// Writes the bytes of a saved state to a buffer of exactly the size given by [`fmi2SerializedFMUstateSize`].
    fn fmi2SerializeFMUstate(FMUstate: fmi2FMUstate, serializedState: *mut fmi2Byte, size: usize), Some(Call::SaveState), |inside| {
        inside.instance.make_room_for_state()?;
        let bytes = saved(FMUstate)?.to_bytes();
        let mut room = places(serializedState.cast::<u8>(), size, "bytes")?;
        if size != bytes.len() {
            return error(format!("the state has {} bytes, not {size}", bytes.len()));
        }
        room.fill(bytes);
        Ok(())
    }
}

exported! {
    /// Creates a saved state from bytes; a previous value of the pointer is overwritten.
    fn fmi2DeSerializeFMUstate(
        serializedState: *const fmi2Byte,
        size: usize,
        FMUstate: *mut fmi2FMUstate,
    ), Some(Call::SaveState), |inside| {
        let bytes = array(serializedState.cast::<u8>(), size, "bytes")?;
        let mut place = places(FMUstate, 1, "the state")?;
        inside.instance.make_room_for_state()?;
        let snapshot = inside.instance.snapshot_from_bytes(bytes)?;
        place.fill([boxed(snapshot)]);
        Ok(())
    }
}
