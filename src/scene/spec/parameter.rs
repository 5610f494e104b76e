//! `[[parameter]]`: values of the scene that the author names.
//!
//! A parameter knows where its numbers are in the packed scene: the library in an FMU changes them there and builds the
//! model again, which gives the model of a scene written with that value.

use super::Name;
use crate::scene::error::Place;
use serde::{Deserialize, Serialize};

/// A parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parameter {
    /// Start of the table.
    pub place: Place,
    /// Name of its variable.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its unit; that of its first target if absent.
    pub unit: Option<Name>,
    /// Unit for display.
    pub display_unit: Option<Name>,
    /// Its value.
    pub value: f64,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// May it change while the simulation runs?
    pub is_tunable: bool,
    /// What it sets.
    pub targets: Vec<Target>,
}

/// A number of the scene that a parameter sets: `offset + factor * value`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Target {
    /// Its path in the scene: `body.crate.shape.0.radius`.
    pub path: Name,
    /// Its unit, as in the description of its key.
    pub unit: String,
    /// Times the value of the parameter.
    pub factor: f64,
    /// In addition to that.
    pub offset: f64,
    /// Range of the number.
    pub range: Bounds,
    /// Where it is in the packed scene.
    pub numbers: Vec<PackedNumber>,
}

impl Target {
    /// The number for a value of the parameter.
    pub fn number(&self, value: f64) -> f64 {
        // a plain copy keeps its bits
        match (self.factor, self.offset) {
            (1.0, 0.0) => value,
            (factor, offset) => offset + factor * value,
        }
    }
}

/// A number of a packed scene.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PackedNumber {
    /// Its first byte.
    pub at: u64,
    /// It is this whole number times that of the scene: -1 for what the reader turns around.
    pub times: f64,
}

/// Range of a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Description, after "must be".
    pub words: String,
    /// Lower end.
    pub lower: f64,
    /// Upper end, included.
    pub upper: f64,
    /// Is the lower end in the range?
    pub is_closed: bool,
    /// Is zero not in the range?
    pub without_zero: bool,
}

impl Bounds {
    /// Is a finite number in the range?
    pub fn contain(&self, x: f64) -> bool {
        let is_above = match self.is_closed {
            true => x >= self.lower,
            false => x > self.lower,
        };
        x.is_finite() && is_above && x <= self.upper && !(x == 0.0 && self.without_zero)
    }
}
