//! Common parts of joints in the plane and in space: the description of a kind, and the list of kinds.

use super::parameter::{Parameter, parameters};
use std::fmt::{self, Debug};

/// Description of a kind of joint, used by the reader of scenes, the reference, the variables and the pictures.
#[derive(Debug)]
pub struct Description {
    /// `kind` in a scene.
    pub word: &'static str,
    /// Its free motion.
    pub text: &'static str,
    /// Its mounting on the bodies.
    pub mounting: Mounting,
    /// Its own keys, all of them numbers.
    pub parameters: &'static [Parameter],
    /// Names of its equations in messages and outputs: forces first, then moments.
    pub rows: &'static [&'static str],
    /// Number of forces among them.
    pub n_forces: usize,
    /// Its coordinates.
    pub coordinates: &'static [Coordinate],
    /// Symbol at its second anchor.
    pub sign: Sign,
}

/// Mounting of a joint on its two bodies, which determines the keys in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mounting {
    /// A common point: `at` or `anchors`.
    Point,
    /// A point and an axis.
    Axis,
    /// A point and two perpendicular axes, one fixed in each body.
    Cross,
    /// A point of each body: `anchors`.
    Ends,
    /// Any point: no key is required.
    Anywhere,
}

impl Mounting {
    /// Does the joint constrain orientations, which point bodies do not have?
    pub fn holds_orientation(self) -> bool {
        match self {
            Self::Axis | Self::Cross | Self::Anywhere => true,
            Self::Point | Self::Ends => false,
        }
    }
}

/// A coordinate of a joint.
#[derive(Debug)]
pub struct Coordinate {
    /// Name in outputs.
    pub name: &'static str,
    /// Is it an angle, rad, or a displacement, m?
    pub is_angle: bool,
    /// Key of its limits; `None` if limits, motors, springs and friction cannot act on it.
    pub limits: Option<&'static str>,
}

impl Coordinate {
    /// An angle with limits.
    pub const fn angle(limits: &'static str) -> Self {
        Self {
            name: "angle",
            is_angle: true,
            limits: Some(limits),
        }
    }

    /// A displacement with limits.
    pub const fn displacement(limits: &'static str) -> Self {
        Self {
            name: "displacement",
            is_angle: false,
            limits: Some(limits),
        }
    }

    /// A coordinate for output only.
    pub const fn shown(name: &'static str, is_angle: bool) -> Self {
        Self {
            name,
            is_angle,
            limits: None,
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Symbol of a joint in drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A circle.
    Circle,
    /// A circle between rails along the axis.
    CircleOnRails,
    /// A square.
    Square,
    /// A square between rails along the axis.
    SquareOnRails,
    /// A line between the anchors.
    Rod,
}

impl Sign {
    /// Are there rails?
    pub fn has_rails(self) -> bool {
        matches!(self, Self::CircleOnRails | Self::SquareOnRails)
    }
}

impl Description {
    /// Does the second anchor move relative to the first body, so that forces have no fixed point of application on it?
    pub fn slides(&self) -> bool {
        self.sign.has_rails() || self.coordinates.iter().any(|c| !c.is_angle)
    }

    /// Coordinates that friction can act on, with their indices: those of [`Self::driven`], or both angles of a universal joint.
    pub fn coordinates_with_friction(&self) -> impl Iterator<Item = (usize, &Coordinate)> {
        let all = self.coordinates.iter().enumerate();
        all.filter(|(_, c)| c.limits.is_some() || self.mounting == Mounting::Cross)
    }

    /// Coordinates that limits, motors and springs can act on, with their indices.
    pub fn driven(&self) -> impl Iterator<Item = (usize, &Coordinate)> {
        let all = self.coordinates.iter().enumerate();
        all.filter(|(_, c)| c.limits.is_some())
    }
}

/// Rod between two points.
pub const DISTANCE: Description = Description {
    word: "distance",
    text: "a rigid rod between the anchors",
    mounting: Mounting::Ends,
    parameters: parameters! {
        "length" | "m" | "the distance at the start" | "1.0" | "" | POSITIVE: "distance of the anchors";
    },
    rows: &["length"],
    n_forces: 1,
    coordinates: &[],
    sign: Sign::Rod,
};

/// The list of the kinds of joints in the plane, or in space.
pub trait Kind: Copy + Debug + PartialEq + 'static {
    /// All of them, in the order of the reference.
    const ALL: &'static [Self];

    /// Its description.
    fn description(self) -> &'static Description;
}

/// Defines the enums of joints, the interface of their kinds and the dispatch to them from one list.
macro_rules! joint_kinds {
    ($($kind:ident),* $(,)?) => {
        /// Interface of all kinds.
        trait JointKind: Sized {
            const DESCRIPTION: Description;

            /// From the mounts and the values of its parameters, in the order of the description.
            fn new(at: &Mounts, given: &[Option<f64>]) -> Self;

            fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T>;

            /// A coordinate of the description, m or rad in (-pi, pi], and its gradient.
            fn coordinate<T: Real>(&self, _: usize, _: &Pose<T>, _: &Pose<T>) -> (T, Row<T>) {
                (T::zero(), Row::zero())
            }

            fn attachment(&self) -> [Vector; 2];

            fn axis(&self) -> Option<Vector> {
                None
            }

            fn values(&self) -> Vec<f64> {
                Vec::new()
            }
        }

        /// Constraint of a joint at a configuration: `n` residuals and their gradients.
        #[derive(Clone, Copy, Debug)]
        pub struct JointRows<T = f64> {
            /// Number of equations.
            pub n: usize,
            /// m or, to first order, rad.
            pub residual: [T; MAX_ROWS],
            /// Gradients.
            pub rows: [Row<T>; MAX_ROWS],
        }

        /// A joint between two bodies.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Joint {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind($kind)),*
        }

        /// The kinds of joints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Kind {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind),*
        }

        impl crate::kinds::joint::Kind for Kind {
            const ALL: &'static [Self] = &[$(Self::$kind),*];

            fn description(self) -> &'static Description {
                match self {
                    $(Self::$kind => &$kind::DESCRIPTION),*
                }
            }
        }

        impl Kind {
            /// Creates the joint at its mounts; `given` has its parameters in the order of the description.
            pub fn joint(self, at: &Mounts, given: &[Option<f64>]) -> Joint {
                match self {
                    $(Self::$kind => Joint::$kind($kind::new(at, given))),*
                }
            }
        }

        impl Joint {
            /// Its description.
            pub fn description(&self) -> &'static Description {
                match self {
                    $(Joint::$kind(_) => &$kind::DESCRIPTION),*
                }
            }

            /// Residuals and gradients.
            pub fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> JointRows<T> {
                match self {
                    $(Joint::$kind(j) => j.rows(a, b)),*
                }
            }

            fn coordinate_at<T: Real>(&self, index: usize, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
                match self {
                    $(Joint::$kind(j) => j.coordinate(index, a, b)),*
                }
            }

            /// Points of the two bodies, in their coordinates, m.
            pub fn attachment(&self) -> [Vector; 2] {
                match self {
                    $(Joint::$kind(j) => j.attachment()),*
                }
            }

            /// Direction of its axis in the first body.
            pub fn axis(&self) -> Option<Vector> {
                match self {
                    $(Joint::$kind(j) => j.axis()),*
                }
            }

            /// Values of its parameters, in the order of the description.
            pub fn values(&self) -> Vec<f64> {
                match self {
                    $(Joint::$kind(j) => j.values()),*
                }
            }

            /// Names of its equations in messages and outputs.
            pub fn row_names(&self) -> &'static [&'static str] {
                self.description().rows
            }

            /// Number of equations.
            pub fn n_rows(&self) -> usize {
                self.row_names().len()
            }
        }
    };
}

pub(in crate::kinds) use joint_kinds;
