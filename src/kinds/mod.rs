//! The kinds of joints, shapes and forces, and the distance between shapes. They see poses and twists, never the model.

pub mod plane;
pub mod space;
