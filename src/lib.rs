//! Multibody systems with impacts, dry friction and stiff springs.
#![warn(missing_docs)]
#![cfg_attr(small, feature(optimize_attribute))] // scripts/cross.sh: what is run once and is large is made for size
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod constraint;
pub mod contact;
pub mod dynamics;
pub mod fmu;
pub mod format;
pub mod integrate;
pub mod kinds;
pub mod math;
pub mod model;
pub mod scene;
pub mod simulation;
pub mod state;
#[allow(clippy::disallowed_methods)] // not of the engine
pub mod tool;
pub mod warning;
