//! Formatting of numbers and counts.

pub use stiction::format::{count, padded, short};
