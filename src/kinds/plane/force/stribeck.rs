//! Smooth friction with a Stribeck drop at a joint coordinate.
//!
//! (1)  f(u) = -(kinetic + (static - kinetic) exp(-(u/us)^2)) tanh(u/ut) - viscous u,   u = rate of the coordinate
//! (2)  its slope may be positive on the falling branch, where friction adds energy: exact, not in the stiff part

use super::{Along, Detail, Effect, ForceKind, PairVector, Situation, flat, power};
use super::{Given, Site};
use crate::kinds::force::tunable;

/// Parameters of (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Stribeck {
    /// Break-away friction, N m or N.
    pub static_friction: f64,
    /// Friction at speed, N m or N.
    pub kinetic_friction: f64,
    /// us, rad/s or m/s.
    pub stribeck_rate: f64,
    /// ut, rad/s or m/s.
    pub transition_rate: f64,
    /// N m s/rad or N s/m.
    pub viscous: f64,
}

/// Friction level, which decreases from the static to the kinetic value, `kinetic + (static - kinetic) exp(-(u/us)^2)`,
/// and its slope.
pub fn falling([kinetic, at_rest]: [f64; 2], stribeck_rate: f64, rate: f64) -> (f64, f64) {
    let x = rate / stribeck_rate;
    let drop = (at_rest - kinetic) * libm::exp(-x * x);
    (kinetic + drop, -2.0 * x / stribeck_rate * drop)
}

impl Stribeck {
    pub(super) fn new(_: Site, given: &Given) -> Self {
        Self::given(given)
    }

    /// From the parameters of a scene.
    pub(in crate::kinds) fn given(given: &Given) -> Self {
        Self {
            static_friction: given.number("static_friction"),
            kinetic_friction: given.number("kinetic_friction"),
            stribeck_rate: given.number("stribeck_rate"),
            transition_rate: given.number("transition_rate"),
            viscous: given.number("viscous"),
        }
    }

    /// Friction and its slope at a rate.
    pub fn friction(&self, rate: f64) -> (f64, f64) {
        let ends = [self.kinetic_friction, self.static_friction];
        let (level, level_slope) = falling(ends, self.stribeck_rate, rate);
        let side = libm::tanh(rate / self.transition_rate);
        let side_slope = (1.0 - side * side) / self.transition_rate;
        (
            -level * side - self.viscous * rate,
            -level_slope * side - level * side_slope - self.viscous, // (2)
        )
    }

    /// Rate of the coordinate, and its gradient.
    pub(crate) fn sliding(&self, at: &Situation) -> Option<(f64, PairVector)> {
        let coordinate = at.joint.and_then(|j| j.coordinate(at.pose[0], at.pose[1]));
        coordinate.map(|(_, row)| (row.rate(at.twist[0], at.twist[1]), flat(&row)))
    }
}

tunable! {
    Stribeck { static_friction: STATIC_FRICTION, kinetic_friction: KINETIC_FRICTION, viscous: VISCOUS }
}

impl ForceKind for Stribeck {
    fn coordinate_force(&self, at: &Situation) -> f64 {
        let coordinate = at.joint.and_then(|j| j.coordinate(at.pose[0], at.pose[1]));
        coordinate.map_or(0.0, |(_, row)| {
            self.friction(row.rate(at.twist[0], at.twist[1])).0
        })
    }

    fn effect(&self, at: &Situation, _: Detail) -> Effect {
        let mut effect = Effect::default();
        let coordinate = at.joint.and_then(|j| j.coordinate(at.pose[0], at.pose[1]));
        if let Some((_, row)) = coordinate {
            let g = flat(&row);
            let (force, slope) = self.friction(row.rate(at.twist[0], at.twist[1]));
            effect.push_along(&g, force); // (1)
            effect.damping = effect.force;
            effect.along[0] = Some(Along {
                gradient: g,
                by_position: 0.0,
                by_velocity: slope,
            });
        }
        effect
    }

    fn dissipates(&self) -> bool {
        true
    }

    fn is_linear_in_velocity(&self) -> bool {
        false
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        -power(&self.effect(at, Detail::Stiff).force, at)
    }
}
