//! What the command line tool is made of: model descriptions, examination of FMUs, and a master that drives them.

pub mod check;
pub mod describe;
pub mod import;
