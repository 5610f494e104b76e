//! `[[sensor]]`: quantities that the author of a scene names.

use super::Name;
use super::space::Triple;
use crate::scene::error::Place;
use serde::{Deserialize, Serialize};

/// A sensor. Vectors in the plane have no third component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sensor {
    /// Start of the table.
    pub place: Place,
    /// Name of its variable, or of the vector of its variables.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// The body, the two bodies, or nothing for a joint.
    pub bodies: Vec<Name>,
    /// Points of these bodies, each in its own coordinates, m.
    pub points: [Triple; 2],
    /// The joint.
    pub joint: Option<Name>,
    /// Its coordinate.
    pub coordinate: usize,
    /// The body in whose axes, and relative to whose motion, a vector is given.
    pub frame: Option<Name>,
    /// The one component of a vector that it measures.
    pub component: Option<usize>,
    /// Unit for display.
    pub display_unit: Option<Name>,
}

/// `kind` of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SensorKind {
    /// `"position"` of a point of a body.
    Position,
    /// `"velocity"` of a point.
    Velocity,
    /// `"acceleration"` of a point.
    Acceleration,
    /// `"angle"` of a body in the plane.
    Angle,
    /// `"orientation"` of a body in space, a quaternion.
    Orientation,
    /// `"angular_velocity"`.
    AngularVelocity,
    /// `"angular_acceleration"`.
    AngularAcceleration,
    /// `"distance"` of two points.
    Distance,
    /// `"distance_rate"`.
    DistanceRate,
    /// `"joint_coordinate"`.
    JointCoordinate,
    /// `"joint_rate"`.
    JointRate,
    /// `"joint_force"`: reaction on the second body.
    JointForce,
    /// `"joint_moment"`: reaction on the second body, about its anchor.
    JointMoment,
    /// `"contact_force"` of the first on the second body.
    ContactForce,
    /// `"contact_moment"`, about the centre of mass of the second body.
    ContactMoment,
}

impl SensorKind {
    /// All kinds with their words.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("position", Self::Position),
        ("velocity", Self::Velocity),
        ("acceleration", Self::Acceleration),
        ("angle", Self::Angle),
        ("orientation", Self::Orientation),
        ("angular_velocity", Self::AngularVelocity),
        ("angular_acceleration", Self::AngularAcceleration),
        ("distance", Self::Distance),
        ("distance_rate", Self::DistanceRate),
        ("joint_coordinate", Self::JointCoordinate),
        ("joint_rate", Self::JointRate),
        ("joint_force", Self::JointForce),
        ("joint_moment", Self::JointMoment),
        ("contact_force", Self::ContactForce),
        ("contact_moment", Self::ContactMoment),
    ];

    /// Its word in a scene.
    pub fn word(self) -> &'static str {
        let known = Self::ALL.iter().find(|(_, kind)| *kind == self);
        known.map_or("", |(word, _)| word)
    }

    /// What it refers to.
    pub fn target(self) -> SensorTarget {
        match self {
            Self::Position | Self::Velocity | Self::Acceleration => SensorTarget::Point,
            Self::Angle | Self::Orientation | Self::AngularVelocity | Self::AngularAcceleration => {
                SensorTarget::Body
            }
            Self::Distance | Self::DistanceRate => SensorTarget::Points,
            Self::JointCoordinate | Self::JointRate => SensorTarget::Coordinate,
            Self::JointForce | Self::JointMoment => SensorTarget::Joint,
            Self::ContactForce | Self::ContactMoment => SensorTarget::Contact,
        }
    }
}

/// What a sensor refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorTarget {
    /// `body`, `point`, `frame`.
    Point,
    /// `body`, `frame`.
    Body,
    /// `bodies`, `anchors`.
    Points,
    /// `joint`, `coordinate`.
    Coordinate,
    /// `joint`, `frame`.
    Joint,
    /// `bodies`, `frame`.
    Contact,
}

impl SensorTarget {
    /// The keys of the target, and that of the components where it has several.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Point => &["body", "point", "frame", "component"],
            Self::Body => &["body", "frame", "component"],
            Self::Points => &["bodies", "anchors"],
            Self::Coordinate => &["joint", "coordinate"],
            Self::Joint => &["joint", "frame", "component"],
            Self::Contact => &["bodies", "frame", "component"],
        }
    }
}
