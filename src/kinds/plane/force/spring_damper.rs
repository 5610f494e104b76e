//! Spring and damper between two points, along the line between them ([E] 26-33).
//!
//! (1)  phi = |d| - rest length,   d = p_b - p_a,   g = grad phi
//! (2)  force = -(stiffness phi + damping phi') g,   phi' = g . v
//! (3)  stiff part of its position derivative: -stiffness g g^T;  velocity derivative: -damping g g^T
//! (4)  rest: -stiffness phi H;  of the damper: -damping phi' H - damping g (H v)^T,   H = Hessian of phi
//!
//! H is the derivative of the row along each coordinate, computed exactly with dual numbers.

use super::{
    Along, Bending, Detail, Effect, ForceKind, PAIR_DOF, PairMatrix, PairVector, Situation,
    add_outer, flat,
};
use super::{Given, Site};
use crate::constraint::{Pose, Row, Twist};
use crate::kinds::force::tunable;
use crate::math::{Dual, Real, Vec2, length};

/// Along the line between two anchors.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringDamper {
    /// On the first body, m.
    pub anchor_a: Vec2,
    /// On the second body, m.
    pub anchor_b: Vec2,
    /// N/m.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// m.
    pub rest_length: f64,
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

    /// Distance of the anchors and its gradient; no gradient where they coincide.
    fn distance<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> (T, Row<T>) {
        let (arm_a, arm_b) = (a.turn(self.anchor_a), b.turn(self.anchor_b));
        let d = b.position + arm_b - a.position - arm_a;
        let distance = length(d);
        if distance.value() == 0.0 {
            return (T::zero(), Row::zero());
        }
        (distance, Row::relative_velocity(d / distance, arm_a, arm_b))
    }

    fn hessian(&self, pose: [&Pose; 2]) -> PairMatrix {
        let mut hessian = [[0.0; PAIR_DOF]; PAIR_DOF];
        for (i, column) in hessian.iter_mut().enumerate() {
            let mut twists = [Twist::zero(), Twist::zero()];
            let twist = &mut twists[i / 3];
            match i % 3 {
                0 => twist.linear.x = 1.0,
                1 => twist.linear.y = 1.0,
                _ => twist.angular = 1.0,
            }
            let (_, row) = self.distance(
                &pose[0].with_rate(&twists[0]),
                &pose[1].with_rate(&twists[1]),
            );
            *column = rates(&row);
        }
        hessian
    }

    // (4)
    fn bending(&self, at: &Situation, stretch: f64, rate: f64, g: &PairVector) -> Bending {
        let hessian = self.hessian(at.pose);
        let (a, b) = (at.twist[0], at.twist[1]);
        let v = [
            a.linear.x, a.linear.y, a.angular, b.linear.x, b.linear.y, b.angular,
        ];
        let mut turning = [0.0; PAIR_DOF];
        for (h, out) in hessian.iter().zip(&mut turning) {
            *out = h.iter().zip(&v).map(|(x, y)| x * y).sum();
        }
        let mut bending = Bending::default();
        add_scaled(&mut bending.rest, -self.stiffness * stretch, &hessian);
        add_scaled(&mut bending.damper, -self.damping * rate, &hessian);
        add_outer(&mut bending.damper, -self.damping, g, &turning);
        bending
    }
}

tunable! { SpringDamper { stiffness: STIFFNESS, damping: DAMPING, rest_length: FREE } }

impl ForceKind for SpringDamper {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let (distance, row) = self.distance(at.pose[0], at.pose[1]);
        let stretch = distance - self.rest_length; // (1)
        let rate = row.rate(at.twist[0], at.twist[1]);
        let g = flat(&row);
        let mut effect = Effect::default();
        let pull = self.stiffness * stretch + self.damping * rate;
        effect.push_along(&g, -pull); // (2)
        effect.damp_along(&g, -self.damping * rate);
        effect.along[0] = Some(Along {
            gradient: g,
            by_position: -self.stiffness, // (3)
            by_velocity: -self.damping,
        });
        if detail == Detail::All {
            effect.bending = Some(self.bending(at, stretch, rate, &g));
        }
        effect
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        let (distance, row) = self.distance(at.pose[0], at.pose[1]);
        let rate = row.rate(at.twist[0], at.twist[1]);
        -self.stiffness * (distance - self.rest_length) - self.damping * rate
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        if self.damping == 0.0 {
            return 0.0;
        }
        let (_, row) = self.distance(at.pose[0], at.pose[1]);
        let rate = row.rate(at.twist[0], at.twist[1]);
        self.damping * rate * rate
    }

    fn energy(&self, at: &Situation) -> f64 {
        let (distance, _) = self.distance(at.pose[0], at.pose[1]);
        let stretch = distance - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn stores_energy(&self) -> bool {
        self.stiffness != 0.0
    }

    fn dissipates(&self) -> bool {
        self.damping != 0.0
    }
}

fn add_scaled(matrix: &mut PairMatrix, factor: f64, other: &PairMatrix) {
    for (row, other) in matrix.iter_mut().zip(other) {
        for (x, y) in row.iter_mut().zip(other) {
            *x += factor * y;
        }
    }
}

fn rates(row: &Row<Dual>) -> PairVector {
    [
        row.a[0].rate,
        row.a[1].rate,
        row.a[2].rate,
        row.b[0].rate,
        row.b[1].rate,
        row.b[2].rate,
    ]
}
