//! `[[flange]]`: where another model is attached.

use super::{Name, Pair, Place};
use serde::{Deserialize, Serialize};

/// A flange.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Flange<P = Pair> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// Where the partner is attached.
    pub on: FlangeTarget<P>,
    /// The spring and damper to the partner; `None`: the partner gives the force.
    pub spring: Option<FlangeSpring>,
}

/// Where the partner is attached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FlangeTarget<P = Pair> {
    /// `joint`.
    Joint {
        /// The joint.
        joint: Name,
        /// Its coordinate.
        coordinate: usize,
    },
    /// `body`, `point` and `along`.
    Point {
        /// The body.
        body: Name,
        /// In body coordinates, m.
        point: P,
        /// Direction in the world; any length.
        along: P,
    },
}

/// `kind = "spring"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlangeSpring {
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
}
