//! Processor time, which other work on the machine does not lengthen.
#![allow(unsafe_code)]

use std::ffi::c_long;

unsafe extern "C" {
    // of the C library: processor time of this process, in ticks
    safe fn clock() -> c_long;
}

/// Ticks in a second, where the system follows POSIX.
const TICKS: f64 = 1e6;

/// Seconds of an action.
pub fn seconds(action: impl FnOnce()) -> f64 {
    let start = clock();
    action();
    (clock() - start) as f64 / TICKS
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
