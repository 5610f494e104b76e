//! Smooth friction with a Stribeck drop at a coordinate of a joint.
//!
//! (1)  force = f(c'),   c = the coordinate,   f as in the plane;   derivatives in along.rs

use super::along::{self, JointCoordinate, Push, Scalar as _, value_and_rate};
use super::{Detail, Effect, ForceKind, PairVector, Situation, Sloped, flat};
use super::{Given, Site};
use crate::kinds::force::tunable;
use crate::kinds::plane::force;

/// Stribeck friction at a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Stribeck {
    /// Index of the joint's coordinate.
    pub coordinate: usize,
    /// Friction as a function of the rate.
    pub law: force::Stribeck,
}

impl Stribeck {
    pub(super) fn new(at: Site, given: &Given) -> Self {
        Self {
            coordinate: at.coordinate,
            law: force::Stribeck::given(given),
        }
    }

    fn scalar<'a>(&self, at: &Situation<'a>) -> Option<JointCoordinate<'a>> {
        JointCoordinate::of(at, self.coordinate)
    }

    /// Rate of the coordinate, and its gradient.
    pub(crate) fn sliding(&self, at: &Situation) -> Option<(f64, PairVector)> {
        let (_, row) = self.scalar(at)?.at(at.pose[0], at.pose[1]);
        Some((row.rate(at.twist[0], at.twist[1]), flat(&row)))
    }

    // (1)
    fn law(&self, rate: f64) -> Push {
        let (friction, slope) = self.law.friction(rate);
        Push {
            fading: friction,
            by_rate: slope,
            ..Push::default()
        }
    }
}

tunable! {
    Stribeck { law.static_friction: STATIC_FRICTION, law.kinetic_friction: KINETIC_FRICTION, law.viscous: VISCOUS } at coordinate
}

impl ForceKind for Stribeck {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        self.scalar(at).map_or_else(Effect::default, |scalar| {
            along::effect(&scalar, at, detail, |_, rate| self.law(rate))
        })
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        if let Some(scalar) = self.scalar(at) {
            take(along::sloped(&scalar, at, |_, rate| self.law(rate)));
        }
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            self.law.friction(value_and_rate(&scalar, at).1).0
        })
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.scalar(at).map_or(0.0, |scalar| {
            let (_, rate) = value_and_rate(&scalar, at);
            -self.law.friction(rate).0 * rate
        })
    }

    fn dissipates(&self) -> bool {
        true
    }

    fn is_linear_in_velocity(&self) -> bool {
        false
    }
}
