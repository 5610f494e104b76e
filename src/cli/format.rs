//! Numbers and counts for people.

pub use stiction::format::{count, padded, short};
