//! Torsional spring and damper at a revolute joint.
//!
//! (1)  torque = -stiffness (angle - rest angle) - damping angle',   angle = angle_b - angle_a: linear, so its
//!      stiff derivatives are exact

use super::{Along, Detail, Effect, ForceKind, Situation, flat};
use super::{Description, Given, Site};
use crate::constraint::Row;
use crate::kinds::force::Attachment;
use crate::kinds::force::tunable;
use crate::kinds::parameter::parameters;

/// Spring and damper on an angle.
pub(super) const TORSIONAL: Description = Description {
    word: "torsional",
    called: "a torsional element",
    text: "a spring and a damper on the angle of a joint; one of `stiffness` and `damping` is required",
    attachment: Attachment::Angle,
    parameters: parameters! {
        "stiffness" | "N m/rad" | "0" | "100.0" | "" | NOT_NEGATIVE: "torque for each radian";
        "damping" | "N m s/rad" | "0" | "10.0" | "" | NOT_NEGATIVE: "torque for each radian per second";
        "rest_angle" | "rad" | "the angle at the start" | "0.0" | "": "angle without torque";
    },
    check: None,
};

/// About the joint's axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Torsional {
    /// N m/rad.
    pub stiffness: f64,
    /// N m s/rad.
    pub damping: f64,
    /// rad.
    pub rest_angle: f64,
}

impl Torsional {
    pub(super) fn new(at: Site, given: &Given) -> Self {
        Self {
            stiffness: given.number("stiffness"),
            damping: given.number("damping"),
            rest_angle: given.get("rest_angle").unwrap_or(at.start),
        }
    }

    fn stretch(&self, at: &Situation) -> f64 {
        at.pose[1].angle - at.pose[0].angle - self.rest_angle
    }
}

tunable! { Torsional { stiffness: STIFFNESS, damping: DAMPING, rest_angle: FREE } }

impl ForceKind for Torsional {
    fn effect(&self, at: &Situation, _: Detail) -> Effect {
        let row = Row::relative_rotation();
        let rate = row.rate(at.twist[0], at.twist[1]);
        let g = flat(&row);
        let mut effect = Effect::default();
        effect.push_along(&g, -self.stiffness * self.stretch(at) - self.damping * rate); // (1)
        effect.damp_along(&g, -self.damping * rate);
        effect.along[0] = Some(Along {
            gradient: g,
            by_position: -self.stiffness,
            by_velocity: -self.damping,
        });
        effect
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        let rate = at.twist[1].angular - at.twist[0].angular;
        -self.stiffness * self.stretch(at) - self.damping * rate
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        let rate = at.twist[1].angular - at.twist[0].angular;
        self.damping * rate * rate
    }

    fn energy(&self, at: &Situation) -> f64 {
        let stretch = self.stretch(at);
        0.5 * self.stiffness * stretch * stretch
    }

    fn stores_energy(&self) -> bool {
        self.stiffness != 0.0
    }

    fn dissipates(&self) -> bool {
        self.damping != 0.0
    }
}
