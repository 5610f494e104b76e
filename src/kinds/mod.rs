//! The kinds of joints, shapes and forces, and the distance between shapes. They see poses and twists, never the model.

pub mod force;
pub mod joint;
mod nearest;
pub mod parameter;
pub mod plane;
pub mod range;
pub mod shape;
pub mod space;

pub use nearest::{Nearest, Separation};
