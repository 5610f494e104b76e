//! Lever arms of bodies at joints and springs. A step that rotates one of them by more than a radian cannot resolve its direction.

use crate::kinds::{plane::force, space};
use crate::math::{Limit, Vec3, cross3, dot3};
use crate::model::{AnyForce, AnyJoint, BodyRef, Model, Rope};

/// Maximum rotation of an arm in a step, rad.
const MAX_TURN: f64 = 1.0;

/// The lever arms of joints and springs of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Arms {
    arms: Vec<Arm>,
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    /// First rotational velocity of the body.
    at: usize,
    /// Its direction in body axes; none where that changes, or in the plane.
    direction: Option<Vec3>,
}

impl Arms {
    pub fn new(model: &Model) -> Self {
        let mut arms = Self::default();
        for link in &model.joints {
            match &link.joint {
                AnyJoint::Plane(joint) => {
                    let anchors = joint.attachment().map(|r| Vec3::new(r.x, r.y, 0.0));
                    arms.add(model, link.bodies, Some(anchors));
                }
                AnyJoint::Space(joint) => arms.add(model, link.bodies, joint.anchors()),
            }
        }
        for link in &model.forces {
            let anchors = match &link.force {
                AnyForce::Plane(force::Force::SpringDamper(f)) => {
                    [f.anchor_a, f.anchor_b].map(|r| Vec3::new(r.x, r.y, 0.0))
                }
                AnyForce::Space(space::force::Force::SpringDamper(f)) => [f.anchor_a, f.anchor_b],
                AnyForce::Plane(_) | AnyForce::Space(_) => continue,
            };
            arms.add(model, link.bodies, Some(anchors));
        }
        for [(a, on_a), (b, on_b)] in model.ropes.iter().flat_map(Rope::parts) {
            arms.add(model, [a, b], Some([on_a, on_b]));
        }
        arms
    }

    fn add(&mut self, model: &Model, bodies: [BodyRef; 2], anchors: Option<[Vec3; 2]>) {
        let n_linear = if model.is_spatial() { 3 } else { 2 };
        for (end, body) in bodies.into_iter().enumerate() {
            let Some(body) = body.map(|i| &model.bodies[i]) else {
                continue;
            };
            let arm = anchors.map(|anchors| anchors[end]);
            let length = arm.map_or(1.0, |r| dot3(r, r).sqrt());
            if body.n_dof > n_linear && length > 0.0 {
                self.arms.push(Arm {
                    at: body.first + n_linear,
                    direction: arm.map(|r| r / length).filter(|_| model.is_spatial()),
                });
            }
        }
    }

    /// Does this angular velocity rotate an arm too far in a time?
    pub fn turn_too_far(&self, model: &Model, v: &[f64], time: f64) -> bool {
        let turn = |arm: &Arm| {
            if !model.is_spatial() {
                return v[arm.at].abs();
            }
            let w = Vec3::new(v[arm.at], v[arm.at + 1], v[arm.at + 2]);
            let across = arm.direction.map_or(w, |r| cross3(w, r));
            dot3(across, across).sqrt()
        };
        let fastest = self
            .arms
            .iter()
            .fold(0.0, |m: f64, arm| m.at_least(turn(arm)));
        fastest * time > MAX_TURN
    }
}
