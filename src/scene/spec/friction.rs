//! The spec of dry friction in joints, and of clutches and brakes.

use super::{Name, Pair, Place, Signal};
use serde::{Deserialize, Serialize};

/// `friction` of a joint coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointFriction {
    /// The joint coordinate.
    pub coordinate: usize,
    /// What bounds it.
    pub bound: FrictionBound,
    /// Friction at rest relative to that while it slides, 1 or more.
    pub static_ratio: f64,
    /// rad/s or m/s; `None`: friction drops at once.
    pub stribeck_velocity: Option<f64>,
    /// N m s/rad or N s/m.
    pub viscous: f64,
}

/// The bound of friction in a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FrictionBound {
    /// `torque` (N m) or `force` (N).
    Limit(Signal),
    /// `coefficient` and, on an angle, `radius`: proportional to the reaction of the joint.
    Reaction {
        /// Coulomb's coefficient.
        coefficient: f64,
        /// m; 1 on a displacement.
        radius: f64,
    },
}

/// `[[clutch]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Clutch<P = Pair> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The first and second body; `ground` makes it a brake.
    pub bodies: [Name; 2],
    /// Axis in the world at the start, in space; any length.
    pub axis: P,
    /// Kind of the clutch.
    pub kind: ClutchKind,
    /// `normal_force` or `tension`, N; `torque` or `drag`, N m.
    pub load: Signal,
    /// Coefficient while it slips.
    pub friction: f64,
    /// Coefficient at rest.
    pub static_friction: f64,
    /// m: mean radius of the faces times their number, or radius of the drum.
    pub radius: f64,
    /// rad, of a belt.
    pub wrap_angle: f64,
}

/// `kind` of a clutch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClutchKind {
    /// `"friction"`: faces pressed together.
    Friction,
    /// `"torque_limiter"`: a given torque.
    TorqueLimiter,
    /// `"belt_brake"`: a belt around a drum.
    BeltBrake,
    /// `"one_way"`: a freewheel.
    OneWay,
}
