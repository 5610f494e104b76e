//! The scene file: `load` reads it, `format` is what it says, `error` is what is wrong with it.
pub mod error;
pub mod format;
mod keys;
pub mod load;
mod mesh;
mod part;
mod range;
mod read;
#[cfg(test)]
mod reference;
pub mod suggest;
mod syntax;
mod value;

pub use error::SceneError;
pub use format::Scene;
pub use load::{load, parse, parse_in};
