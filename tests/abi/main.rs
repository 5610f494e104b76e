//! The shared library through its C interface: loaded from Rust, and driven by a host written in C.
#![allow(unsafe_code)]
#![allow(clippy::macro_metavars_in_unsafe)] // every call into the library is one

#[path = "../common/mod.rs"]
mod common;

mod accuracy;
mod derivatives;
mod events;
mod fuzz;
mod host;
mod inputs;
mod library;
mod lifecycle;
mod machines;
mod many;
mod space;
mod start;
mod states;
mod tolerance;
mod warnings;
