//! Drag against the relative velocity of two bodies, at the second one's centre of mass.
//!
//! (1)  force = -linear u,   u = v_b - (v_a + w_a x r),   r = x_b - x_a;   torque = -angular (w_b - w_a), in world axes
//! (2)  each of the six parts is -c (g . v) g, with a row g that rotates with the bodies: velocity derivative -c g g^T,
//!      position derivative -c (g . v) dg - c g (dg . v); its sign is not definite

use super::{
    Along, Bending, Detail, Effect, ForceKind, Situation, Sloped, Viscous, flat, motion, rates,
};
use crate::kinds::space::{Pose, Row};
use crate::math::{Real, Vec3};

impl Viscous {
    // rows of u and of the relative rotation, with their coefficients
    fn rows<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> [(f64, Row<T>); 6] {
        let none = Vec3::from_element(T::zero());
        let arm = b.position - a.position;
        let row = |i: usize| {
            let mut axis = none;
            axis[i % 3] = T::one();
            if i < 3 {
                let row = Row::relative_velocity(axis, (a, arm), (b, none));
                (self.linear, row)
            } else {
                (self.angular, Row::relative_rotation(axis, a, b))
            }
        };
        [row(0), row(1), row(2), row(3), row(4), row(5)]
    }

    // (2)
    fn add_turning(&self, at: &Situation, now: &[(f64, Row); 6], effect: &mut Effect) {
        let v = at.velocities();
        let mut bending = Bending::NONE;
        for j in 0..v.len() {
            let [a, b] = motion(j);
            let moving = self.rows(&at.pose[0].with_rate(&a), &at.pose[1].with_rate(&b));
            for ((coefficient, row), (_, moved)) in now.iter().zip(&moving) {
                let (g, change) = (flat(row), rates(moved));
                let rate = row.rate(at.twist[0], at.twist[1]);
                let turning: f64 = change.iter().zip(&v).map(|(x, y)| x * y).sum();
                for (i, line) in bending.damper.iter_mut().enumerate() {
                    line[j] -= coefficient * (rate * change[i] + turning * g[i]);
                }
            }
        }
        effect.bending = Some(bending);
    }
}

impl ForceKind for Viscous {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let mut effect = Effect::default();
        let now = self.rows(at.pose[0], at.pose[1]);
        for (k, (coefficient, row)) in now.iter().enumerate() {
            let g = flat(row);
            effect.push_along(&g, -coefficient * row.rate(at.twist[0], at.twist[1])); // (1)
            effect.along[k] = Some(Along {
                gradient: g,
                by_position: 0.0,
                by_velocity: -coefficient,
            });
        }
        effect.damping = effect.force;
        if detail == Detail::All {
            self.add_turning(at, &now, &mut effect);
        }
        effect
    }

    fn sloped(&self, at: &Situation, take: &mut dyn FnMut(Sloped)) {
        for (coefficient, row) in self.rows(at.pose[0], at.pose[1]) {
            let force = -coefficient * row.rate(at.twist[0], at.twist[1]);
            take(Sloped {
                force,
                fading: force,
                by_value: 0.0,
                by_rate: -coefficient,
                row,
            });
        }
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        let mut lost = 0.0;
        for (coefficient, row) in self.rows(at.pose[0], at.pose[1]) {
            let rate = row.rate(at.twist[0], at.twist[1]);
            lost += coefficient * rate * rate;
        }
        lost
    }

    fn dissipates(&self) -> bool {
        true
    }
}
