//! The importer's logger.

use super::float_environment::FloatEnvironment;
use super::types::{
    DISCARD, ERROR, FATAL, OK, WARNING, fmi2CallbackFunctions, fmi2CallbackLogger,
    fmi2ComponentEnvironment, fmi2Status,
};
use std::ffi::{CStr, CString};

/// The categories that are off until they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Impacts, stick and slip, take-off.
    Events,
    /// Work of the solver.
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

/// The importer's logger, and what it wants to hear.
#[derive(Debug)]
pub struct Log {
    logger: Option<fmi2CallbackLogger>,
    environment: fmi2ComponentEnvironment,
    name: CString,
    wanted: [bool; Topic::ALL.len()],
    /// The importer's floating-point environment, which its logger runs in.
    pub(super) host: Option<FloatEnvironment>,
}

impl Log {
    /// The name is what the logger calls the instance.
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

    /// Wants a topic from now on, if the category is one; `logAll` is all of them.
    pub fn want(&mut self, category: &str) {
        for (topic, wanted) in Topic::ALL.into_iter().zip(&mut self.wanted) {
            *wanted |= category == "logAll" || topic.category().to_bytes() == category.as_bytes();
        }
    }

    /// Is anyone listening?
    pub fn wants(&self, topic: Topic) -> bool {
        self.logger.is_some() && self.wanted[topic as usize]
    }

    /// A message on a topic, if it is wanted.
    pub fn note(&self, topic: Topic, message: &str) {
        if self.wants(topic) {
            self.write(OK, topic.category(), message);
        }
    }

    /// A message on a call that did not go well: always written.
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
            // SAFETY: the importer's function as FMI declares it; all strings end with a zero and outlive the call, and the
            // message asks for no argument
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

/// The message as a format without arguments: `%` and `#`, which FMI gives a meaning, stand for themselves.
pub(super) fn escaped(message: &str) -> CString {
    let text = message
        .replace('%', "%%")
        .replace('#', "##")
        .replace('\0', " ");
    CString::new(text).unwrap_or_default()
}
