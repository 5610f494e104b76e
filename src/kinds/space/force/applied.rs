//! A given force at a point of the second body, and a given torque, both in world axes or both in body axes.
//!
//! (1)  on the coordinates: F in world axes;  r x f + t in body axes,   f = R^T F,   t = the torque in body axes
//! (2)  derivative for a rotation about body axis e: in world axes f changes by f x e and t by t x e, in body axes F
//!      changes by R (e x f)

use super::{Bending, Detail, Effect, ForceKind, LineForce, Situation};
use super::{Given, Site};
use crate::kinds::force::Frame;
use crate::kinds::force::tunable;
use crate::kinds::plane::force::Signal;
use crate::kinds::space::BODY_DOF;
use crate::math::{Mat3, Vec3, cross3};

/// Applied force and torque.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Point of the body, m.
    pub point: Vec3,
    /// Axes of force and torque.
    pub frame: Frame,
    /// The scene axes of the body in engine axes: the meaning of `Frame::Body`.
    pub axes: Mat3,
    /// N.
    pub force: [Signal; 3],
    /// N m.
    pub torque: [Signal; 3],
}

impl Applied {
    pub(super) fn new(at: Site, _: &Given) -> Self {
        Self {
            point: at.point,
            frame: at.frame,
            axes: at.axes,
            force: at.force,
            torque: at.torque,
        }
    }
}

tunable! { Applied {} }

impl ForceKind for Applied {
    fn line_force(&self, at: &Situation) -> Option<LineForce> {
        (self.frame == Frame::World).then(|| LineForce {
            anchors: [Vec3::zeros(), self.point],
            force: now(&self.force, at),
            length: f64::INFINITY,
        })
    }

    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let (given, torque) = (now(&self.force, at), now(&self.torque, at));
        let (pose, mut effect) = (at.pose[1], Effect::default());
        let (in_world, in_body, torque) = match self.frame {
            Frame::World => (given, pose.turn_back(given), pose.turn_back(torque)),
            Frame::Body => {
                let (given, torque) = (self.axes * given, self.axes * torque);
                (pose.turn(given), given, torque)
            }
        };
        let turning = cross3(self.point, in_body) + torque;
        for i in 0..3 {
            effect.force[BODY_DOF + i] = in_world[i]; // (1)
            effect.force[BODY_DOF + 3 + i] = turning[i];
        }
        if detail == Detail::All {
            // (2)
            let mut bending = Bending::NONE;
            for k in 0..3 {
                let mut e = Vec3::zeros();
                e[k] = 1.0;
                let column = BODY_DOF + 3 + k;
                let (first, change) = match self.frame {
                    Frame::World => {
                        let change = cross3(self.point, cross3(in_body, e)) + cross3(torque, e);
                        (BODY_DOF + 3, change)
                    }
                    Frame::Body => (BODY_DOF, pose.turn(cross3(e, in_body))),
                };
                for i in 0..3 {
                    bending.rest[first + i][column] = change[i];
                }
            }
            effect.bending = Some(bending);
        }
        effect
    }

    fn is_given(&self) -> bool {
        true
    }

    fn signals(&self) -> [&[Signal]; 2] {
        [&self.force, &self.torque]
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.effect(at, Detail::Stiff).power(at)
    }
}

fn now(signals: &[Signal; 3], at: &Situation) -> Vec3 {
    let value = |i: usize| signals[i].value(at.time, at.side, at.inputs);
    Vec3::new(value(0), value(1), value(2))
}
