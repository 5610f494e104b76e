//! The scene file: `load` reads it, `spec` is its content, `error` are its errors, and `packed` is its binary form in an
//! FMU.
pub mod error;
pub mod packed;
pub mod spec;
mod valid;

// reading of scene files
#[cfg(feature = "text")]
pub mod load;
#[cfg(feature = "text")]
mod mesh;
#[cfg(feature = "text")]
mod part;
#[cfg(feature = "text")]
mod read;
#[cfg(all(test, feature = "text"))]
mod reference;
#[cfg(feature = "text")]
mod sections;
#[cfg(feature = "text")]
pub mod suggest;
#[cfg(feature = "text")]
mod syntax;
#[cfg(feature = "text")]
mod value;

#[cfg(feature = "text")]
use crate::kinds::range;
pub use error::SceneError;
#[cfg(feature = "text")]
pub use load::{load, parse, parse_in};
pub use spec::Scene;
