//! Drag against the relative velocity of two bodies, at the second one's centre of mass.
//!
//! (1)  force = -linear u,   u = v_b - (v_a + w_a x r),   r = x_b - x_a;   torque = -angular (w_b - w_a)
//! (2)  position derivative through r only: -linear g_i (d u_i / d q)^T, first order in w_a; its sign is not
//!      definite

use super::Given;
use super::{
    Along, Bending, Detail, Effect, ForceKind, PairVector, Situation, add_outer, flat, power,
};
use crate::constraint::Row;
use crate::kinds::force::tunable;
use crate::math::Vec2;

/// Coefficients of drag.
#[derive(Clone, Debug, PartialEq)]
pub struct Viscous {
    /// N s/m.
    pub linear: f64,
    /// N m s/rad.
    pub angular: f64,
}

impl Viscous {
    pub(in crate::kinds) fn new<S>(_: S, given: &Given) -> Self {
        Self {
            linear: given.number("linear"),
            angular: given.number("angular"),
        }
    }
}

tunable! { Viscous { linear: LINEAR, angular: ANGULAR } }

impl ForceKind for Viscous {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let mut effect = Effect::default();
        let mut bending = Bending::default();
        let arm = at.pose[1].position - at.pose[0].position;
        let (w, none) = (at.twist[0].angular, Vec2::new(0.0, 0.0));
        let drag = |gradient: PairVector, coefficient: f64| {
            Some(Along {
                gradient,
                by_position: 0.0,
                by_velocity: -coefficient,
            })
        };
        for (i, axis) in [Vec2::new(1.0, 0.0), Vec2::new(0.0, 1.0)]
            .into_iter()
            .enumerate()
        {
            let row = Row::relative_velocity(axis, arm, none);
            let g = flat(&row);
            let rate = row.rate(at.twist[0], at.twist[1]);
            effect.push_along(&g, -self.linear * rate); // (1)
            effect.along[i] = drag(g, self.linear);
            // (2)  u_x = .. + w r_y,  u_y = .. - w r_x, and the torque on a: -cross(r, axis) changes with r
            let mut turning = [0.0; 6];
            let across = 1 - i;
            let sign = if i == 0 { 1.0 } else { -1.0 };
            turning[across] = -sign * w;
            turning[3 + across] = sign * w;
            add_outer(&mut bending.damper, -self.linear, &g, &turning);
            bending.damper[2][across] += -self.linear * rate * -sign;
            bending.damper[2][3 + across] += -self.linear * rate * sign;
        }
        let row = Row::relative_rotation();
        let g = flat(&row);
        effect.push_along(&g, -self.angular * row.rate(at.twist[0], at.twist[1]));
        effect.along[2] = drag(g, self.angular);
        effect.damping = effect.force;
        effect.bending = (detail == Detail::All).then_some(bending);
        effect
    }

    fn dissipates(&self) -> bool {
        true
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        -power(&self.effect(at, Detail::Stiff).force, at)
    }
}
