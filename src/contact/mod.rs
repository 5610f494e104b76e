//! Contact problems and their solvers.
//!
//! [`lcp`] solves linear complementarity problems with Lemke's method: planar contact and friction polygons. [`dense`]
//! solves problems with exact friction cones and a dense Delassus matrix, [`body_blocks`] those of many bodies, without
//! forming the Delassus matrix. Each has a residual check that is independent of its solvers.

pub(crate) mod block_lu;
pub mod body_blocks;
pub mod dense;
pub(crate) mod elimination_order;
pub mod lcp;
mod scaling;
