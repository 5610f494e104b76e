//! Contact friction that decreases with the sliding speed.
//!
//! (1)  mu(u) = kinetic + (static - kinetic) exp(-(u/us)^2),   u = sliding speed
//!
//! It is even and smooth in u: static at rest, and continuous where sliding begins or ends.

use super::Contact;
use crate::kinds::plane::force::falling;
use crate::math::Limit;

/// Coefficients with a smaller relative difference are equal: rounding of speeds.
const SAME: f64 = 1e-12;

/// Parameters of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stribeck {
    /// Kinetic coefficient.
    pub kinetic: f64,
    /// Static coefficient.
    pub at_rest: f64,
    /// us, m/s.
    pub velocity: f64,
}

impl Stribeck {
    /// Coefficient at a speed, and its slope, s/m.
    pub fn at(&self, speed: f64) -> (f64, f64) {
        falling([self.kinetic, self.at_rest], self.velocity, speed)
    }

    /// Sets a coefficient to its value at a speed; true if it changed.
    pub fn update_coefficient(&self, coefficient: &mut f64, speed: f64) -> bool {
        let (new, _) = self.at(speed);
        let old = std::mem::replace(coefficient, new);
        (new - old).abs() > SAME * self.at_rest
    }
}

impl Contact {
    /// Its Stribeck curve, if it has one.
    pub fn stribeck(&self) -> Option<Stribeck> {
        self.stribeck_velocity.map(|velocity| Stribeck {
            kinetic: self.friction,
            at_rest: self.static_friction.at_least(self.friction),
            velocity,
        })
    }

    /// Does friction drop at once at breakaway?
    pub fn drops_at_breakaway(&self) -> bool {
        self.stribeck_velocity.is_none() && self.static_friction > self.friction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVE: Stribeck = Stribeck {
        kinetic: 0.3,
        at_rest: 0.5,
        velocity: 0.01,
    };

    #[test]
    fn it_starts_at_the_static_coefficient_and_ends_at_the_kinetic_one() {
        assert_eq!(CURVE.at(0.0), (0.5, 0.0));
        assert_eq!(CURVE.at(1.0).0, 0.3);
        let (at_us, _) = CURVE.at(0.01);
        assert!((at_us - (0.3 + 0.2 / std::f64::consts::E)).abs() < 1e-15);
        assert_eq!(CURVE.at(-0.004).0, CURVE.at(0.004).0);
    }

    #[test]
    fn its_slope_is_that_of_differences() {
        let d = 1e-7;
        for u in [0.001, 0.007, 0.02] {
            let difference = (CURVE.at(u + d).0 - CURVE.at(u - d).0) / (2.0 * d);
            assert!((CURVE.at(u).1 - difference).abs() < 1e-6, "{u}");
        }
    }
}
