//! What joints in the plane and in space have in common: how a kind is described, and the list of kinds.

use super::parameter::Parameter;
use std::fmt::{self, Debug};

/// A kind of joint, described once: the reader of scenes, the reference, the variables and the pictures go by it.
#[derive(Debug)]
pub struct Description {
    /// `kind` in a scene.
    pub word: &'static str,
    /// What is left to move.
    pub text: &'static str,
    /// Where it sits on its bodies.
    pub mounting: Mounting,
    /// Its own keys, all of them numbers.
    pub parameters: &'static [Parameter],
    /// What its equations are called in error messages and outputs: forces first, then moments.
    pub rows: &'static [&'static str],
    /// How many of them are forces.
    pub n_forces: usize,
    /// What changes while it moves.
    pub coordinates: &'static [Coordinate],
    /// What is drawn at its second anchor.
    pub sign: Sign,
}

/// Where a joint sits on its two bodies: what a scene has to say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mounting {
    /// A common point: `at` or `anchors`.
    Point,
    /// A point and an axis.
    Axis,
    /// A point and two axes at right angles, one fixed in each body.
    Cross,
    /// A point of each body: `anchors`.
    Ends,
    /// Any point: nothing has to be said.
    Anywhere,
}

impl Mounting {
    /// Does the joint hold orientations, which point bodies do not have?
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
    /// In outputs.
    pub name: &'static str,
    /// Is it an angle, rad, or a displacement, m?
    pub is_angle: bool,
    /// The key of its limits; none where limits, motors, springs and friction cannot act on it.
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

    /// One that is only shown.
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

/// What is drawn of a joint.
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
    /// Does the second anchor move against the first body, so that forces act at no point of it for long?
    pub fn slides(&self) -> bool {
        self.sign.has_rails() || self.coordinates.iter().any(|c| !c.is_angle)
    }

    /// Coordinates that limits, motors, springs and friction can act on, with their places in the list.
    pub fn driven(&self) -> impl Iterator<Item = (usize, &Coordinate)> {
        let all = self.coordinates.iter().enumerate();
        all.filter(|(_, c)| c.limits.is_some())
    }
}

/// The list of the kinds of joints in the plane, or in space.
pub trait Kind: Copy + Debug + PartialEq + 'static {
    /// All of them, in the order of the reference.
    const ALL: &'static [Self];

    /// What it is.
    fn description(self) -> &'static Description;
}

/// Makes the enums of joints and the dispatch to their kinds from one list; the kinds implement the trait `JointKind` of the
/// module.
macro_rules! joint_kinds {
    ($($kind:ident),* $(,)?) => {
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
            /// The joint at its mounts; `given` has its parameters in the order of the description.
            pub fn joint(self, at: &Mounts, given: &[Option<f64>]) -> Joint {
                match self {
                    $(Self::$kind => Joint::$kind($kind::new(at, given))),*
                }
            }
        }

        impl Joint {
            /// What it is.
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

            /// The direction in the first body that it turns about or moves along.
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

            /// What its equations are called in error messages and outputs.
            pub fn row_names(&self) -> &'static [&'static str] {
                self.description().rows
            }

            /// Number of equations.
            pub fn n_rows(&self) -> usize {
                self.row_names().len()
            }

            /// Is an equation one of rotation (its reaction a moment), or of translation (a force)?
            pub fn row_is_angle(&self, row: usize) -> bool {
                row >= self.description().n_forces
            }
        }
    };
}

pub(in crate::kinds) use joint_kinds;
