//! The C interface of FMI 2.0 for co-simulation, and all unsafe code there is.
//!
//! Every function goes through [`boundary::enter`], which looks at the handle and the phase, sets the floating-point environment
//! that the engine needs, catches panics and writes the log. Nothing here is global: any number of instances live side by side, in any threads, one call at a time each.
#![allow(unsafe_code)]

pub mod boundary;
pub mod float_environment;
pub mod fmi2;
mod location;
mod log;
pub mod types;

#[cfg(test)]
mod tests;
