//! Exit status of a process that loaded a library.

use std::process::ExitStatus;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With exit code 0.
    Success,
    /// With another exit code.
    Exit(i32),
    /// By a signal or an exception, with its name.
    Signal(String),
    /// Killed, because a call did not return.
    Hung,
    /// Killed, because it took too long as a whole.
    Slow,
}

/// Converts the exit status of a process.
#[cfg(unix)]
pub fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => End::Success,
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal_name(signal.unwrap_or(0))),
    }
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "illegal instruction",
        5 => "trap",
        6 => "abort",
        7 | 10 => "bus error",
        8 => "arithmetic error",
        9 => "kill",
        11 => "segmentation fault",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

/// Converts the exit status of a process.
#[cfg(not(unix))]
pub fn end_of(status: ExitStatus) -> End {
    // exceptions of Windows are exit codes such as 0xC0000005
    match status.code() {
        Some(0) => End::Success,
        Some(code) if code < 0 => End::Signal(format!("exception {:#X}", code.cast_unsigned())),
        Some(code) => End::Exit(code),
        None => End::Signal("an unknown signal".to_owned()),
    }
}
