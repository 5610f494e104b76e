//! The FMU: [`instance`] is one instance with no pointers and no FMI version, [`c_api`] the functions of the C interface.

pub mod c_api;
pub mod instance;

/// Version and a digest of the source of the library. It is part of the library's text: two files that have it do the same.
pub const IDENTITY: &str = concat!(
    "stiction ",
    env!("CARGO_PKG_VERSION"),
    ", source ",
    env!("STICTION_SOURCE")
);

/// Categories of log messages, each with a phrase: FMI's standard names and one of our own.
pub const LOG_CATEGORIES: [(&str, &str); 7] = [
    ("logEvents", "impacts, stick and slip, take-off"),
    ("logStatusWarning", "accepted, but worth a look"),
    (
        "logStatusDiscard",
        "a step that a shorter one can take the place of",
    ),
    ("logStatusError", "a call that failed"),
    ("logStatusFatal", "an instance that cannot go on"),
    ("logSolver", "substeps, pivots and residuals of each step"),
    ("logAll", "all of these"),
];
