//! Multibody systems with impacts, dry friction and stiff springs.
#![warn(missing_docs)]
#![cfg_attr(small, feature(optimize_attribute))] // scripts/cross.sh: what is run once and is large is made for size
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[allow(clippy::disallowed_methods)] // not of the engine
pub mod check;
pub mod collide;
pub mod constraint;
#[allow(clippy::disallowed_methods)] // not of the engine
pub mod describe;
pub mod dynamics;
pub mod fmi;
pub mod force;
pub mod format;
pub mod instance;
pub mod joint;
pub mod lcp;
pub mod math;
pub mod model;
pub mod scene;
pub mod shape;
pub mod simulate;
pub mod space;
pub mod state;
pub mod step;
pub mod warning;
