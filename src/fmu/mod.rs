//! The FMU: [`instance`] is an instance independent of pointers and FMI version, [`c_api`] has the functions of the C interface.

pub mod c_api;
pub mod instance;

/// Version and a digest of the source. It is embedded in the library: two files with the same identity behave the same.
pub const IDENTITY: &str = concat!(
    "stiction ",
    env!("CARGO_PKG_VERSION"),
    ", source ",
    env!("STICTION_SOURCE")
);

/// Log categories with descriptions: the standard names of FMI and one additional category.
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
