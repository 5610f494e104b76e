//! Spring and damper at a coordinate of a joint.
//!
//! (1)  force = -stiffness (c - rest) - damping c',   c = the coordinate;   derivatives in along.rs
//! (2)  angles include full turns: the spring can be wound up

use super::along::{self, JointCoordinate, Push, value_and_rate};
use super::{Description, Given, Site};
use super::{Detail, Effect, ForceKind, Situation, Sloped};
use crate::kinds::force::Attachment;
use crate::kinds::force::tunable;
use crate::kinds::parameter::parameters;

/// Spring and damper on a coordinate.
pub(super) const JOINT_SPRING: Description = Description {
    word: "joint_spring",
    called: "a joint_spring",
    text: "a spring and a damper on a coordinate of a joint; one of `stiffness` and `damping` is required",
    attachment: Attachment::Joint,
    parameters: parameters! {
        "stiffness" | "N m/rad or N/m" | "0" | "100.0" | "" | NOT_NEGATIVE: "torque for each radian, or force for each metre";
        "damping" | "N m s/rad or N s/m" | "0" | "10.0" | "" | NOT_NEGATIVE: "the same for their rates";
        "rest" | "rad or m" | "the coordinate at the start" | "0.0" | "": "coordinate without force";
    },
    check: None,
};

/// Along a displacement or about an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpring {
    /// Index of the joint's coordinate.
    pub coordinate: usize,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// m or rad.
    pub rest: f64,
}

impl JointSpring {
    pub(super) fn new(at: Site, given: &Given) -> Self {
        Self {
            coordinate: at.coordinate,
            stiffness: given.number("stiffness"),
            damping: given.number("damping"),
            rest: given.get("rest").unwrap_or(at.start),
        }
    }

    fn scalar<'a>(&self, at: &Situation<'a>) -> Option<JointCoordinate<'a>> {
        JointCoordinate::of(at, self.coordinate) // (2)
    }

    fn law(&self, value: f64, rate: f64) -> Push {
        Push {
            held: -self.stiffness * (value - self.rest), // (1)
            fading: -self.damping * rate,
            by_value: -self.stiffness,
            by_rate: -self.damping,
        }
    }
}

tunable! { JointSpring { stiffness: STIFFNESS, damping: DAMPING, rest: FREE } at coordinate }

impl ForceKind for JointSpring {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |value, rate| self.law(value, rate))
        })
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        if let Some(scalar) = self.scalar(at) {
            take(along::sloped(&scalar, at, |value, rate| {
                self.law(value, rate)
            }));
        }
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            let (value, rate) = value_and_rate(&scalar, at);
            self.law(value, rate).total()
        })
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            let (_, rate) = value_and_rate(&scalar, at);
            self.damping * rate * rate
        })
    }

    fn energy(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            let stretch = value_and_rate(&scalar, at).0 - self.rest;
            0.5 * self.stiffness * stretch * stretch
        })
    }

    fn stores_energy(&self) -> bool {
        self.stiffness != 0.0
    }

    fn dissipates(&self) -> bool {
        self.damping != 0.0
    }
}
