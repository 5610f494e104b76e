//! The kinds in the plane: three velocities a body.

pub mod collide;
pub mod force;
pub mod joint;
pub mod shape;
