//! Multibody systems with impacts, dry friction and stiff springs: a contact-friction integrator with event detection,
//! as a Rust library and as an FMU.
//!
//! A scene file becomes a [`Model`], a [`Simulation`] advances its [`State`], and a [`Report`] says what happened on the
//! way: events, losses, work of the solvers.
//!
//! ```
//! use stiction::{EventKind, Simulation};
//!
//! let mut simulation = Simulation::from_text(
//!     "ball",
//!     r#"
//!     [[body]]
//!     name = "ball"
//!     kind = "rigid"
//!     mass = 1.0
//!     position = [0, 1]
//!     shape = [{ kind = "circle", radius = 0.1 }]
//!
//!     [[ground.shape]]
//!     kind = "half_plane"
//!     normal = [0, 1]
//!
//!     [contact_default]
//!     restitution = 0.5
//!     "#,
//! )?;
//! simulation.advance_to(0.5)?;
//! let impact = simulation.report().events[0];
//! assert_eq!(impact.kind, EventKind::Impact);
//! assert!((impact.time - (2.0 * 0.9 / 9.81_f64).sqrt()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Settings`] choose the integrator, its step or its tolerance. What a run knows to be off is a [`Warning`]. [`Fmu`] is
//! one FMU instance without its C interface. The solvers of contact problems are usable on their own: [`contact`].
//!
//! The other modules are the insides of the engine and of the command line tool; they are hidden here and may change.
#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod contact;

#[doc(hidden)]
pub mod constraint;
#[doc(hidden)]
pub mod dynamics;
#[doc(hidden)]
pub mod fmu;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod integrate;
#[doc(hidden)]
pub mod kinds;
#[doc(hidden)]
pub mod math;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod scene;
#[doc(hidden)]
pub mod simulation;
#[doc(hidden)]
pub mod state;
#[cfg(feature = "tool")]
#[doc(hidden)]
#[allow(clippy::disallowed_methods)] // not part of the engine
pub mod tool;
#[doc(hidden)]
pub mod warning;

pub use fmu::instance::Instance as Fmu;
pub use integrate::{Event, EventKind, Report, StepError};
pub use model::Model;
pub use scene::spec::{Integrator, Scheme, Settings};
pub use scene::{Scene, SceneError};
pub use simulation::{Energy, Simulation};
pub use state::State;
pub use warning::Warning;
