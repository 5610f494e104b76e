//! The kinds of joints, shapes and forces, and distances between shapes. They depend on poses and twists, never on the model.

pub mod compliance;
pub mod force;
pub mod joint;
mod nearest;
pub mod parameter;
pub mod plane;
pub mod range;
pub mod shape;
pub mod space;

pub use nearest::{Nearest, Separation};
