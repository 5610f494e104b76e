//! The kinds of joints, shapes and forces, and the distance between shapes. They see poses and twists, never the model.

mod nearest;
pub mod plane;
pub mod space;

pub use nearest::{Nearest, Separation};
