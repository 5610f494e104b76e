//! Common parts of force elements in the plane and in space: the description of a kind, and the list of kinds.

use super::parameter::{Parameter, parameters};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Description of a kind of force element, used by the reader of scenes and the reference.
#[derive(Debug)]
pub struct Description {
    /// `kind` in a scene.
    pub word: &'static str,
    /// With its article, for messages.
    pub called: &'static str,
    /// One-sentence description.
    pub text: &'static str,
    /// Its target.
    pub attachment: Attachment,
    /// Its own keys, all of them numbers. If none is required, at least one must be given.
    pub parameters: &'static [Parameter],
    /// Check of the numbers in combination.
    pub check: Option<Check>,
}

/// Returns the error in the numbers, if any: the key, a message and a hint.
pub type Check = fn(&Given<'_>) -> Option<(&'static str, String, &'static str)>;

/// Target of a force element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// Two points: `bodies` and `anchors`.
    Points,
    /// A coordinate of a joint: `joint`, in space also `coordinate`.
    Joint,
    /// An angle of a joint: `joint`.
    Angle,
    /// A body, by signals: `body`, `force`, `torque`, `point` and `frame`.
    Body,
    /// A body and the body it moves relative to: `bodies`.
    Bodies,
}

/// Values of parameters in a scene.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// One optional number per parameter.
    pub values: &'a [Option<f64>],
}

impl Given<'_> {
    /// The number of a key, if it is given or has a default.
    pub fn get(&self, key: &str) -> Option<f64> {
        let index = self.parameters.iter().position(|p| p.key == key)?;
        self.values.get(index).copied().flatten()
    }

    /// The number of a key, or zero.
    pub fn number(&self, key: &str) -> f64 {
        self.get(key).unwrap_or(0.0)
    }
}

/// Axes of an applied force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    /// `"world"`.
    World,
    /// `"body"`: turns with the body.
    Body,
}

/// A value over time, as given in a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SignalSpec {
    /// A number.
    Constant(f64),
    /// `{ kind = "harmonic", .. }`: `offset + amplitude cos(omega t + phase)`.
    Harmonic {
        /// Amplitude.
        amplitude: f64,
        /// rad/s.
        omega: f64,
        /// rad.
        phase: f64,
        /// Mean.
        offset: f64,
    },
    /// `{ kind = "input", start }`: given from outside while the simulation runs.
    Input {
        /// Value until the first one is set.
        start: f64,
    },
    /// `{ kind = "table", times, values }`: linear between rows, constant outside; two equal times make a jump.
    Table {
        /// s, not decreasing.
        times: Vec<f64>,
        /// One per time.
        values: Vec<f64>,
    },
}

/// The list of the kinds of force elements in the plane, or in space.
pub trait Kind: Copy + Debug + PartialEq + 'static {
    /// All of them, in the order of the reference.
    const ALL: &'static [Self];

    /// Its description.
    fn description(self) -> &'static Description;
}

/// What a number of a force element is; its unit follows from the coordinate that the element acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Force for each metre, or torque for each radian.
    Stiffness,
    /// Force for each metre per second, or torque for each radian per second.
    Damping,
    /// Force or torque.
    Effort,
    /// Length or angle.
    Displacement,
    /// Drag on a velocity.
    LinearDrag,
    /// Drag on a rotation.
    AngularDrag,
}

/// Sign of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Any number.
    Any,
    /// Zero or above.
    NotNegative,
    /// Above zero.
    Positive,
}

/// A number of a force element that may change during a run.
#[derive(Debug)]
pub struct Number {
    /// Its name at a displacement and at an angle.
    pub names: [&'static str; 2],
    /// Its description, likewise.
    pub texts: [&'static str; 2],
    /// What it is.
    pub quantity: Quantity,
    /// Its range.
    pub sign: Sign,
}

impl Number {
    const fn new(name: &'static str, text: &'static str, quantity: Quantity) -> Self {
        Self {
            names: [name; 2],
            texts: [text; 2],
            quantity,
            sign: Sign::NotNegative,
        }
    }

    /// Of springs.
    pub const STIFFNESS: Self = Self::new("stiffness", "stiffness", Quantity::Stiffness);
    /// Of dampers.
    pub const DAMPING: Self = Self::new("damping", "damping", Quantity::Damping);
    /// Of springs.
    pub const FREE: Self = Self {
        names: ["free_length", "free_angle"],
        texts: ["free length", "free angle"],
        quantity: Quantity::Displacement,
        sign: Sign::Any,
    };
    /// Of viscous elements.
    pub const LINEAR: Self = Self::new("linear", "drag along the motion", Quantity::LinearDrag);
    /// Of viscous elements.
    pub const ANGULAR: Self = Self::new("angular", "drag against rotation", Quantity::AngularDrag);
    /// Of smooth friction.
    pub const STATIC_FRICTION: Self =
        Self::new("static_friction", "break-away friction", Quantity::Effort);
    /// Of smooth friction.
    pub const KINETIC_FRICTION: Self =
        Self::new("kinetic_friction", "friction at speed", Quantity::Effort);
    /// Of smooth friction.
    pub const VISCOUS: Self = Self::new("viscous", "viscous friction", Quantity::Damping);
    /// Of servos.
    pub const KP: Self = Self::new("kp", "effort for the deviation", Quantity::Stiffness);
    /// Of servos.
    pub const KD: Self = Self::new(
        "kd",
        "effort for the deviation of the rate",
        Quantity::Damping,
    );
    /// Of servos; absent if infinite.
    pub const LIMIT: Self = Self {
        sign: Sign::Positive,
        ..Self::new("limit", "largest effort", Quantity::Effort)
    };
}

/// Access to the numbers of a force element that may change during a run.
pub trait Tunable {
    /// What they are.
    fn numbers(&self) -> &'static [Number];

    /// One of them.
    fn number(&self, index: usize) -> Option<f64>;

    /// Mutable access to it.
    fn number_mut(&mut self, index: usize) -> Option<&mut f64>;

    /// The coordinate of the joint that the element acts on, if it acts on one.
    fn coordinate(&self) -> usize {
        0
    }
}

/// Lists the numbers of a kind, each with its description in [`Number`], and after `at` the field with its coordinate.
macro_rules! tunable {
    ($kind:ty { $($($field:ident).+: $number:ident),* $(,)? } $(at $coordinate:ident)?) => {
        impl $crate::kinds::force::Tunable for $kind {
            fn numbers(&self) -> &'static [$crate::kinds::force::Number] {
                &[$($crate::kinds::force::Number::$number),*]
            }

            fn number(&self, index: usize) -> Option<f64> {
                let numbers: &[f64] = &[$(self.$($field).+),*];
                numbers.get(index).copied()
            }

            fn number_mut(&mut self, index: usize) -> Option<&mut f64> {
                let numbers: Vec<&mut f64> = vec![$(&mut self.$($field).+),*];
                numbers.into_iter().nth(index)
            }

            $(fn coordinate(&self) -> usize {
                self.$coordinate
            })?
        }
    };
}

pub(in crate::kinds) use tunable;

/// Defines the enums of force elements and their interface from two lists: the kinds of a scene, each with its description and element, and
/// the elements, which implement `ForceKind`; `also` has methods of one dimension only.
macro_rules! force_kinds {
    (
        kinds { $($kind:ident: $description:path => $made:ident),* $(,)? }
        elements { $($element:ident($held:ty)),* $(,)? }
        also { $($also:tt)* }
    ) => {
        /// Velocities of two bodies.
        pub const PAIR_DOF: usize = 2 * BODY_DOF;

        /// A vector over the velocities of two bodies: those of the first, then of the second; linear ones before angular ones.
        pub type PairVector = [f64; PAIR_DOF];

        /// A matrix over the velocities of two bodies.
        pub type PairMatrix = [[f64; PAIR_DOF]; PAIR_DOF];

        /// The kinds of force elements that a scene can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Kind {
            $(#[doc = concat!("See [`", stringify!($made), "`].")] $kind),*
        }

        impl crate::kinds::force::Kind for Kind {
            const ALL: &'static [Self] = &[$(Self::$kind),*];

            fn description(self) -> &'static Description {
                match self {
                    $(Self::$kind => &$description),*
                }
            }
        }

        impl Kind {
            /// Creates the element at its target; `values` has its parameters in the order of the description.
            pub fn force(self, at: Site, values: &[Option<f64>]) -> Force {
                use crate::kinds::force::Kind as _;
                let parameters = self.description().parameters;
                let given = Given { parameters, values };
                match self {
                    $(Self::$kind => Force::$made($made::new(at, &given).into())),*
                }
            }
        }

        /// A force element.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Force {
            $(#[doc = concat!("See [`", stringify!($element), "`].")] $element($held)),*
        }

        impl std::ops::Deref for Force {
            type Target = dyn ForceKind;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Force::$element(element) => {
                        let element: &$element = element;
                        element
                    })*
                }
            }
        }

        impl std::ops::DerefMut for Force {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Force::$element(element) => {
                        let element: &mut $element = element;
                        element
                    })*
                }
            }
        }

        /// A coordinate of the bodies of an element.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Coordinate {
            /// m or rad.
            pub value: f64,
            /// m/s or rad/s.
            pub rate: f64,
            /// Its derivatives along the velocities of the two bodies.
            pub gradient: PairVector,
        }

        /// Interface of all elements.
        pub trait ForceKind: crate::kinds::force::Tunable {
            /// Force and derivatives; with [`Detail::Stiff`] some parts of them may be zero.
            fn effect(&self, at: &Situation, detail: Detail) -> Effect;

            /// Stored energy, J.
            fn energy(&self, _: &Situation) -> f64 {
                0.0
            }

            /// Does it store energy?
            fn stores_energy(&self) -> bool {
                false
            }

            /// Does it dissipate energy?
            fn dissipates(&self) -> bool {
                false
            }

            /// Dissipated power, W.
            fn lost_power(&self, _: &Situation) -> f64 {
                0.0
            }

            /// Is it prescribed by signals?
            fn is_given(&self) -> bool {
                false
            }

            /// Power of a prescribed force, W.
            fn applied_power(&self, _: &Situation) -> f64 {
                0.0
            }

            /// The signals of a prescribed force and torque.
            fn signals(&self) -> [&[Signal]; 2] {
                [&[], &[]]
            }

            /// Force along the element's own coordinate; zero for elements without one.
            fn coordinate_force(&self, _: &Situation) -> f64 {
                0.0
            }

            /// Is the force linear in the velocities?
            fn is_linear_in_velocity(&self) -> bool {
                true
            }

            /// The coordinate that a servo or flange acts on.
            fn driven_coordinate(&self, _: &Situation) -> Option<Coordinate> {
                None
            }

            $($also)*
        }

        impl dyn ForceKind {
            /// Times at which the force is not smooth.
            pub fn breakpoints(&self) -> Vec<f64> {
                let signals = self.signals().into_iter().flatten();
                signals.flat_map(|s| s.breakpoints().iter().copied()).collect()
            }

            /// Shortest period of its parts, s; infinite if none is periodic.
            pub fn shortest_period(&self) -> f64 {
                use crate::math::Limit as _;
                let signals = self.signals().into_iter().flatten();
                signals.fold(f64::INFINITY, |shortest, s| shortest.at_most(s.period()))
            }
        }

        impl Effect {
            /// Adds a force along the gradient of a scalar.
            fn push_along(&mut self, row: &PairVector, force: f64) {
                for (total, r) in self.force.iter_mut().zip(row) {
                    *total += force * r;
                }
            }

            /// Marks a force along the gradient of a scalar, which is part of the total, as dissipative.
            fn damp_along(&mut self, row: &PairVector, force: f64) {
                for (total, r) in self.damping.iter_mut().zip(row) {
                    *total += force * r;
                }
            }
        }
    };
}

pub(in crate::kinds) use force_kinds;

/// Spring between two points.
pub const SPRING: Description = Description {
    word: "spring",
    called: "a spring",
    text: "pulls two points together with `stiffness` times (length - `rest_length`)",
    attachment: Attachment::Points,
    parameters: parameters! {
        "stiffness" | "N/m" | "required" | "100.0" | "" | NOT_NEGATIVE: "force for each metre of stretch";
        "rest_length" | "m" | "the distance at the start" | "1.0" | "" | NOT_NEGATIVE: "length without force";
    },
    check: None,
};

/// Damper between two points.
pub const DAMPER: Description = Description {
    word: "damper",
    called: "a damper",
    text: "resists the change of the distance of two points",
    attachment: Attachment::Points,
    parameters: parameters! {
        "damping" | "N s/m" | "required" | "10.0" | "" | NOT_NEGATIVE: "force for each metre per second";
    },
    check: None,
};

/// Spring and damper between two points.
pub const SPRING_DAMPER: Description = Description {
    word: "spring_damper",
    called: "a spring_damper",
    text: "a spring and a damper between two points",
    attachment: Attachment::Points,
    parameters: parameters! {
        "stiffness" | "N/m" | "required" | "100.0" | "" | NOT_NEGATIVE: "force for each metre of stretch";
        "damping" | "N s/m" | "required" | "10.0" | "" | NOT_NEGATIVE: "force for each metre per second";
        "rest_length" | "m" | "the distance at the start" | "1.0" | "" | NOT_NEGATIVE: "length without force";
    },
    check: None,
};

/// Given force and torque.
pub const APPLIED: Description = Description {
    word: "applied",
    called: "an applied force",
    text: "a force at a point of a body, and a torque; one of the two is required",
    attachment: Attachment::Body,
    parameters: &[],
    check: None,
};

/// Drag.
pub const VISCOUS: Description = Description {
    word: "viscous",
    called: "a viscous element",
    text: "resists the velocity of the first body's centre of mass and its rotation, against the second body; one of `linear` and `angular` is required",
    attachment: Attachment::Bodies,
    parameters: parameters! {
        "linear" | "N s/m" | "0" | "0.5" | "" | NOT_NEGATIVE: "force for each metre per second";
        "angular" | "N m s/rad" | "0" | "0.1" | "" | NOT_NEGATIVE: "torque for each radian per second";
    },
    check: None,
};

/// Smooth friction in a joint.
pub const STRIBECK: Description = Description {
    word: "stribeck",
    called: "a stribeck element",
    text: "smooth friction at a joint coordinate, which falls from its static to its kinetic value as the joint starts to move, and a viscous part",
    attachment: Attachment::Joint,
    parameters: parameters! {
        "static_friction" | "N m or N" | "required" | "1.0" | "" | NOT_NEGATIVE: "friction at break-away";
        "kinetic_friction" | "N m or N" | "required" | "0.8" | "" | NOT_NEGATIVE: "friction at speed, not above the static one";
        "stribeck_rate" | "rad/s or m/s" | "required" | "0.1" | "" | POSITIVE: "rate over which friction falls";
        "transition_rate" | "rad/s or m/s" | "required" | "1e-3" | "" | POSITIVE: "width of the smoothed jump at rest: the joint creeps below it";
        "viscous" | "N m s/rad or N s/m" | "0" | "0.0" | "" | NOT_NEGATIVE: "viscous friction in addition";
    },
    check: Some(|given| {
        let (at_rest, at_speed) = (
            given.get("static_friction")?,
            given.get("kinetic_friction")?,
        );
        (at_rest < at_speed).then(|| {
            (
                "static_friction",
                format!("static_friction {at_rest} is below kinetic_friction {at_speed}"),
                "static friction must not be smaller than kinetic friction",
            )
        })
    }),
};
