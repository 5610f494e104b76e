//! Log callback of the importer.

use super::float_environment::FloatEnvironment;
use super::types::{
    DISCARD, ERROR, FATAL, OK, WARNING, fmi2CallbackFunctions, fmi2CallbackLogger,
    fmi2ComponentEnvironment, fmi2Status,
};
use std::ffi::{CStr, CString};

/// Log categories that are off by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Impacts, stick and slip, take-off.
    Events,
    /// Solver statistics.
    Solver,
}

impl Topic {
    const ALL: [Self; 2] = [Self::Events, Self::Solver];

    fn category(self) -> &'static CStr {
        match self {
            Self::Events => c"logEvents",
            Self::Solver => c"logSolver",
        }
    }
}

/// The importer's log callback and the enabled topics.
#[derive(Debug)]
pub struct Log {
    logger: Option<fmi2CallbackLogger>,
    environment: fmi2ComponentEnvironment,
    name: CString,
    wanted: [bool; Topic::ALL.len()],
    /// The importer's floating-point environment, in which its callback runs.
    pub(super) host: Option<FloatEnvironment>,
}

impl Log {
    /// `name` is the instance name passed to the callback.
    pub fn new(callbacks: Option<&fmi2CallbackFunctions>, name: CString, debug: bool) -> Self {
        Self {
            logger: callbacks.and_then(|c| c.logger),
            environment: callbacks.map_or(std::ptr::null_mut(), |c| c.component_environment),
            name,
            wanted: [debug; Topic::ALL.len()],
            host: None,
        }
    }

    /// Switches all topics.
    pub fn want_all(&mut self, on: bool) {
        self.wanted = [on; Topic::ALL.len()];
    }

    /// Enables a topic, if the category is known; `logAll` enables all of them.
    pub fn want(&mut self, category: &str) {
        for (topic, wanted) in Topic::ALL.into_iter().zip(&mut self.wanted) {
            *wanted |= category == "logAll" || topic.category().to_bytes() == category.as_bytes();
        }
    }

    /// Is the topic enabled?
    pub fn wants(&self, topic: Topic) -> bool {
        self.logger.is_some() && self.wanted[topic as usize]
    }

    /// Logs a message on a topic, if enabled.
    pub fn note(&self, topic: Topic, message: &str) {
        if self.wants(topic) {
            self.write(OK, topic.category(), message);
        }
    }

    /// Logs a message on a call that did not succeed, regardless of topics.
    pub fn status(&self, status: fmi2Status, message: &str) {
        let category = match status {
            WARNING => c"logStatusWarning",
            DISCARD => c"logStatusDiscard",
            FATAL => c"logStatusFatal",
            _ => c"logStatusError",
        };
        debug_assert!([WARNING, DISCARD, ERROR, FATAL].contains(&status));
        self.write(status, category, message);
    }

    fn write(&self, status: fmi2Status, category: &CStr, message: &str) {
        let Some(logger) = self.logger else { return };
        let message = escaped(message);
        let call = || {
            // SAFETY: the importer's function as declared by FMI; all strings are null-terminated and outlive the call, and the
            // message has no format arguments
            unsafe {
                logger(
                    self.environment,
                    self.name.as_ptr(),
                    status,
                    category.as_ptr(),
                    message.as_ptr(),
                );
            }
        };
        match self.host {
            Some(host) => host.during(call),
            None => call(),
        }
    }
}

/// Escapes `%` and `#`, which have a meaning in FMI messages.
pub(super) fn escaped(message: &str) -> CString {
    let text = message
        .replace('%', "%%")
        .replace('#', "##")
        .replace('\0', " ");
    CString::new(text).unwrap_or_default()
}
