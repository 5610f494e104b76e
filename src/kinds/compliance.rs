//! Normal force of a compliant contact, by the depth x to which its bodies overlap and the rate of that.
//!
//! (1)  N = k x^n (1 + c x') + d x'      d: Kelvin and Voigt;  c: Hunt and Crossley;  n = 3/2: Hertz
//! (2)  V = k x^(n + 1) / (n + 1)
//!
//! The force never pulls: where (1) is negative, the contact is open, whether or not the bodies have separated.

use crate::math::positive;
use serde::{Deserialize, Serialize};

/// Force law (1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    /// k, N/m^n; of the stop of an angle N m/rad^n.
    pub stiffness: f64,
    /// n.
    pub exponent: f64,
    /// d, N s/m; of the stop of an angle N m s/rad.
    pub damping: f64,
    /// c, s/m; of the stop of an angle s/rad.
    pub dissipation: f64,
}

/// The force (1) and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressure {
    /// N.
    pub force: f64,
    /// By the depth, N/m; not negative.
    pub stiffness: f64,
    /// By its rate, N s/m; not negative.
    pub damping: f64,
}

impl Compliance {
    /// The force at a depth and its rate; continued smoothly to where it would be negative.
    pub fn pressure(&self, depth: f64, rate: f64) -> Pressure {
        let (elastic, slope) = self.elastic(depth);
        let factor = 1.0 + self.dissipation * rate;
        Pressure {
            force: elastic * factor + self.damping * rate,
            stiffness: positive(slope * factor),
            damping: self.damping + self.dissipation * positive(elastic),
        }
    }

    /// The part of the force that dissipates energy.
    pub fn damping_force(&self, depth: f64, rate: f64) -> f64 {
        let (elastic, _) = self.elastic(depth);
        (self.dissipation * elastic + self.damping) * rate
    }

    /// A number of the sign of the force, which crosses zero with a slope where the force may have none.
    pub fn reserve(&self, depth: f64, rate: f64) -> f64 {
        if self.damping > 0.0 {
            return self.pressure(depth, rate).force;
        }
        let factor = if depth > 0.0 {
            1.0 + self.dissipation * rate
        } else {
            1.0
        };
        self.stiffness * depth * factor
    }

    /// Elastic energy (2), J.
    pub fn energy(&self, depth: f64) -> f64 {
        let depth = positive(depth);
        let (elastic, _) = self.elastic(depth);
        elastic * depth / (self.exponent + 1.0)
    }

    /// Depth at which this elastic energy, J, is stored.
    pub fn depth_at_energy(&self, energy: f64) -> f64 {
        let order = self.exponent + 1.0;
        libm::pow(order * positive(energy) / self.stiffness, 1.0 / order)
    }

    // k x^n and its slope, odd in the depth
    fn elastic(&self, depth: f64) -> (f64, f64) {
        if self.exponent == 1.0 {
            return (self.stiffness * depth, self.stiffness);
        }
        let size = depth.abs();
        let slope = self.stiffness * libm::pow(size, self.exponent - 1.0);
        (slope * depth, self.exponent * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERTZ: Compliance = Compliance {
        stiffness: 2e3,
        exponent: 1.5,
        damping: 3.0,
        dissipation: 0.4,
    };

    #[test]
    fn derivatives_are_those_of_the_force() {
        let (x, rate, step) = (0.01, -0.3, 1e-6);
        let at = |x: f64, rate: f64| HERTZ.pressure(x, rate).force;
        let Pressure {
            stiffness, damping, ..
        } = HERTZ.pressure(x, rate);
        let by_depth = (at(x + step, rate) - at(x - step, rate)) / (2.0 * step);
        let by_rate = (at(x, rate + step) - at(x, rate - step)) / (2.0 * step);
        assert!((by_depth / stiffness - 1.0).abs() < 1e-7);
        assert!((by_rate / damping - 1.0).abs() < 1e-7);
    }

    #[test]
    fn energy_is_the_work_of_the_elastic_force() {
        let n = 1000;
        let depth = |i: usize| 0.02 * i as f64 / n as f64;
        let middle = |i: usize| HERTZ.pressure(0.5 * (depth(i) + depth(i + 1)), 0.0).force;
        let work: f64 = (0..n).map(|i| middle(i) * 0.02 / n as f64).sum();
        assert!((HERTZ.energy(0.02) / work - 1.0).abs() < 1e-5);
        assert!((HERTZ.depth_at_energy(HERTZ.energy(0.02)) / 0.02 - 1.0).abs() < 1e-12);
        assert_eq!(HERTZ.energy(-0.02), 0.0);
        assert_eq!(HERTZ.energy(f64::NEG_INFINITY), 0.0);
    }
}
