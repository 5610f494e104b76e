//! FMUs that have something wrong, and what the tool does with them.

pub mod mutant;
pub mod trial;
