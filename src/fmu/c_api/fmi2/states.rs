//! Saved states. A handle of one is a boxed [`Snapshot`]; it may be used with every instance of the same FMU.

use super::error;
use crate::fmu::c_api::boundary::{array, enter, places};
use crate::fmu::c_api::types::{FATAL, fmi2Byte, fmi2Component, fmi2FMUstate, fmi2Status};
use crate::fmu::instance::FmiError;
use crate::fmu::instance::lifecycle::Call;
use crate::fmu::instance::snapshot::Snapshot;

// what a handle of a state points to
unsafe fn saved<'a>(state: fmi2FMUstate) -> Result<&'a Snapshot, FmiError> {
    // SAFETY: null, or out of a box of this file that was not freed
    match unsafe { state.cast::<Snapshot>().as_ref() } {
        Some(snapshot) => Ok(snapshot),
        None => error("the saved state is missing (null pointer)"),
    }
}

fn boxed(snapshot: Snapshot) -> fmi2FMUstate {
    Box::into_raw(Box::new(snapshot)).cast()
}

/// Saves the state: in a new handle, or in one that was given before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(
    c: fmi2Component,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: handle and place as the standard demands: null, or a state that was not freed
    unsafe {
        enter(c, "fmi2GetFMUstate", Some(Call::SaveState), |inside| {
            let mut place = places(FMUstate, 1, "the place for the state")?;
            inside.instance.make_room_for_state()?;
            let snapshot = inside.instance.save();
            match (*FMUstate).cast::<Snapshot>().as_mut() {
                Some(known) => *known = snapshot,
                None => place.fill([boxed(snapshot)]),
            }
            Ok(())
        })
    }
}

/// Restores a saved state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(c: fmi2Component, FMUstate: fmi2FMUstate) -> fmi2Status {
    // SAFETY: handle and state as the standard demands
    unsafe {
        enter(c, "fmi2SetFMUstate", Some(Call::RestoreState), |inside| {
            inside.instance.make_room_for_state()?;
            inside.instance.restore(saved(FMUstate)?)
        })
    }
}

/// Frees a saved state and clears its handle, of a broken instance too; null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(
    c: fmi2Component,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status {
    // SAFETY: handle and place as the standard demands
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

// clears the handle before it frees what was behind
unsafe fn discard(place: *mut fmi2FMUstate) {
    // SAFETY: null, or a place whose state is null or came out of a box and is not used again
    unsafe {
        if let Some(place) = place.as_mut() {
            let state = std::mem::replace(place, std::ptr::null_mut()).cast::<Snapshot>();
            if !state.is_null() {
                drop(Box::from_raw(state));
            }
        }
    }
}

/// Number of bytes of a serialized state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    c: fmi2Component,
    FMUstate: fmi2FMUstate,
    size: *mut usize,
) -> fmi2Status {
    let call = Some(Call::SaveState);
    // SAFETY: handle, state and place as the standard demands
    unsafe {
        enter(c, "fmi2SerializedFMUstateSize", call, |inside| {
            inside.instance.make_room_for_state()?;
            let mut place = places(size, 1, "the place for the size")?;
            place.fill([saved(FMUstate)?.n_bytes()]);
            Ok(())
        })
    }
}

/// The bytes of a saved state; there must be room for exactly as many as [`fmi2SerializedFMUstateSize`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    c: fmi2Component,
    FMUstate: fmi2FMUstate,
    serializedState: *mut fmi2Byte,
    size: usize,
) -> fmi2Status {
    let call = Some(Call::SaveState);
    // SAFETY: handle, state and room as the standard demands
    unsafe {
        enter(c, "fmi2SerializeFMUstate", call, |inside| {
            inside.instance.make_room_for_state()?;
            let bytes = saved(FMUstate)?.to_bytes();
            let mut room = places(serializedState.cast::<u8>(), size, "places for bytes")?;
            if size != bytes.len() {
                return error(format!("the state has {} bytes, not {size}", bytes.len()));
            }
            room.fill(bytes);
            Ok(())
        })
    }
}

/// A new saved state from bytes; what the place held before is not looked at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    c: fmi2Component,
    serializedState: *const fmi2Byte,
    size: usize,
    FMUstate: *mut fmi2FMUstate,
) -> fmi2Status {
    let call = Some(Call::SaveState);
    // SAFETY: handle, bytes and place as the standard demands
    unsafe {
        enter(c, "fmi2DeSerializeFMUstate", call, |inside| {
            let bytes = array(serializedState.cast::<u8>(), size, "bytes")?;
            let mut place = places(FMUstate, 1, "the place for the state")?;
            inside.instance.make_room_for_state()?;
            let snapshot = inside.instance.snapshot_from_bytes(bytes)?;
            place.fill([boxed(snapshot)]);
            Ok(())
        })
    }
}
