//! A given force at a point of the second body, and a given torque.
//!
//! (1)  torque about the centre = cross(R r, F) + torque;   F in world axes, or R F in body axes
//! (2)  derivative with respect to the angle: in world axes the lever arm rotates, in body axes the force rotates

use super::{
    Bending, Detail, Effect, ForceKind, Input, MAX_ALONG, PAIR_DOF, PairVector, Side, Signal,
    Situation, power,
};
use super::{Given, Site};
use crate::kinds::force::Frame;
use crate::kinds::force::tunable;
use crate::math::{Vec2, cross, dot, perp};

/// Applied force and torque.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Point of the body, m.
    pub point: Vec2,
    /// Axes of the force.
    pub frame: Frame,
    /// N.
    pub force: [Signal; 2],
    /// N m.
    pub torque: Signal,
}

impl Applied {
    pub(super) fn new(at: Site, _: &Given) -> Self {
        Self {
            point: at.point,
            frame: at.frame,
            force: at.force,
            torque: at.torque,
        }
    }

    fn components(&self, time: f64, side: Side, inputs: &[Input]) -> (Vec2, f64) {
        let force = Vec2::new(
            self.force[0].value(time, side, inputs),
            self.force[1].value(time, side, inputs),
        );
        (force, self.torque.value(time, side, inputs))
    }

    // force and lever arm in world axes, and torque
    #[inline]
    fn at(&self, at: &Situation) -> (Vec2, Vec2, f64) {
        let (given, torque) = self.components(at.time, at.side, at.inputs);
        let arm = at.pose[1].turn(self.point);
        let force = match self.frame {
            Frame::World => given,
            Frame::Body => at.pose[1].turn(given),
        };
        (force, arm, cross(arm, force) + torque) // (1)
    }

    /// Force and torque.
    pub fn force(&self, at: &Situation) -> PairVector {
        let (force, _, torque) = self.at(at);
        [0.0, 0.0, 0.0, force.x, force.y, torque]
    }

    // does it depend on the angle?
    fn turns(&self) -> bool {
        self.frame == Frame::Body || self.point != Vec2::new(0.0, 0.0)
    }

    // (2)
    fn bending(&self, arm: Vec2, force: Vec2) -> Bending {
        let mut bending = Bending::default();
        match self.frame {
            // d/dangle cross(R r, F) = cross(perp(R r), F) = -(R r).F
            Frame::World => bending.rest[5][5] = -dot(arm, force),
            Frame::Body => {
                let turned = perp(force);
                bending.rest[3][5] = turned.x;
                bending.rest[4][5] = turned.y;
            }
        }
        bending
    }
}

tunable! { Applied {} }

impl ForceKind for Applied {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let (force, arm, torque) = self.at(at);
        let on_both = [0.0, 0.0, 0.0, force.x, force.y, torque];
        let is_bent = detail == Detail::All && self.turns();
        Effect {
            force: on_both,
            damping: [0.0; PAIR_DOF],
            along: [None; MAX_ALONG],
            bending: is_bent.then(|| self.bending(arm, force)),
        }
    }

    fn is_given(&self) -> bool {
        true
    }

    fn signals(&self) -> [&[Signal]; 2] {
        [&self.force, std::slice::from_ref(&self.torque)]
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        power(&self.force(at), at)
    }
}
