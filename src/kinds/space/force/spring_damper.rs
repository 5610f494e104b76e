//! Spring and damper between two points, along the line between them ([E] 26-33).
//!
//! (1)  phi = |d| - rest length,   d = p_b - p_a,   phi' = g . v
//! (2)  force = -(stiffness phi + damping phi') g,   g = grad phi;   derivatives in along.rs

use super::along::{self, Push, Scalar, value_and_rate};
use super::{Detail, Effect, ForceKind, LineForce, Situation, Sloped};
use super::{Given, Site};
use crate::kinds::force::tunable;
use crate::kinds::space::{Pose, Row, distance};
use crate::math::{Real, Vec3, dot3};

/// Along the line between two anchors.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringDamper {
    /// On the first body, m.
    pub anchor_a: Vec3,
    /// On the second body, m.
    pub anchor_b: Vec3,
    /// N/m.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// m.
    pub rest_length: f64,
}

impl Scalar for SpringDamper {
    fn at<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        distance((a, self.anchor_a), (b, self.anchor_b))
    }

    fn is_angle(&self) -> bool {
        false
    }
}

impl SpringDamper {
    pub(super) fn new(at: Site, given: &Given) -> Self {
        let [anchor_a, anchor_b] = at.anchors;
        Self {
            anchor_a,
            anchor_b,
            stiffness: given.number("stiffness"),
            damping: given.number("damping"),
            rest_length: given.get("rest_length").unwrap_or(at.start),
        }
    }

    fn law(&self, distance: f64, rate: f64) -> Push {
        Push {
            held: -self.stiffness * (distance - self.rest_length), // (2)
            fading: -self.damping * rate,
            by_value: -self.stiffness,
            by_rate: -self.damping,
        }
    }
}

tunable! { SpringDamper { stiffness: STIFFNESS, damping: DAMPING, rest_length: FREE } }

impl ForceKind for SpringDamper {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        along::effect(self, at, detail, |distance, rate| self.law(distance, rate))
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        take(along::sloped(self, at, |distance, rate| {
            self.law(distance, rate)
        }));
    }

    fn line_force(&self, at: &Situation) -> Option<LineForce> {
        let [a, b] = at.pose;
        let d = b.point(self.anchor_b) - a.point(self.anchor_a);
        let length = dot3(d, d).sqrt();
        (length > 0.0).then(|| LineForce {
            anchors: [self.anchor_a, self.anchor_b],
            force: d * (self.coordinate_force(at) / length),
            length,
        })
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        let (distance, rate) = value_and_rate(self, at);
        self.law(distance, rate).total()
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        let (_, rate) = value_and_rate(self, at);
        self.damping * rate * rate
    }

    fn energy(&self, at: &Situation) -> f64 {
        let (distance, _) = value_and_rate(self, at);
        let stretch = distance - self.rest_length; // (1)
        0.5 * self.stiffness * stretch * stretch
    }

    fn stores_energy(&self) -> bool {
        self.stiffness != 0.0
    }

    fn dissipates(&self) -> bool {
        self.damping != 0.0
    }
}
