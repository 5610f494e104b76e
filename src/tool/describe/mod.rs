//! Generated from the variable table of a scene: the model description, the documentation page,
//! the picture, and the FMU with these and the library. Nothing here reads or writes a file.

pub mod drawing;
pub mod fmi2;
pub mod limits;
#[cfg(feature = "text")]
pub mod package;
mod page;
mod platform;
mod xml;

#[cfg(feature = "text")]
pub use package::{Library, PackageError, build_fmu, build_fmu_with};
pub use page::{documentation, shown_start, type_name};
pub use platform::Platform;

/// Name of the shared library without its extension: the `modelIdentifier` of FMI.
pub const LIBRARY: &str = "stiction";

/// Name and version of the generating tool.
pub const GENERATOR: &str = concat!("stiction ", env!("CARGO_PKG_VERSION"));
