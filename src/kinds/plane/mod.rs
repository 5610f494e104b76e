//! The kinds in the plane: three velocities per body.

pub mod collide;
pub mod force;
pub mod joint;
pub mod shape;
