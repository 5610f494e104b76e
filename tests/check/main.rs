//! Claims about `stiction check`: what is well passes, and each fault is found by its name.

#[path = "../common/mod.rs"]
mod common;

mod archive;
mod behaviour;
mod description;
mod driven;
mod fmu;
mod shipped;
