//! Contact problems and their solvers.
//!
//! [`lcp`] solves linear complementarity problems with Lemke's method: planar contact and friction polygons. [`dense`] solves
//! problems with exact friction cones that are given by a dense Delassus matrix, [`body_blocks`] those of many bodies, whose
//! Delassus matrix is never formed. Each has a residual check of its own that shares no code with its solvers.

pub mod body_blocks;
pub mod dense;
mod elimination_order;
pub mod lcp;
mod scaling;
