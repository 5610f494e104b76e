//! The C interface of FMI 2.0 for co-simulation, and all unsafe code of the FMU.
//!
//! Every function goes through [`boundary::enter`], which checks the handle and the phase, sets the floating-point environment
//! of the engine, catches panics and writes the log. There is no global state: any number of instances may be used from any threads, one call at a time each.
#![allow(unsafe_code)]

pub mod boundary;
pub mod float_environment;
pub mod fmi2;
mod location;
mod log;
pub mod types;

#[cfg(test)]
mod tests;
