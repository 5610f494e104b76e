//! Joints that form a tree are independent at any configuration: each of them is the first to hold another body.

use super::{AnyJoint, Model};
use crate::kinds::{plane, space};

impl Model {
    /// Do the joints form a tree, with nothing else that constrains them? Couplings and drives do; friction elements only hold for a time.
    pub fn joints_form_a_tree(&self) -> bool {
        let has_others = !self.couplings.is_empty() || !self.drives.is_empty();
        // the row of a distance of zero is zero
        let is_distance = |joint: &AnyJoint| {
            matches!(
                joint,
                AnyJoint::Plane(plane::joint::Joint::Distance(_))
                    | AnyJoint::Space(space::joint::Joint::Distance(_))
            )
        };
        if has_others || self.joints.iter().any(|link| is_distance(&link.joint)) {
            return false;
        }
        // the tree that each body belongs to, by one of its bodies; the ground comes last
        let ground = self.bodies.len();
        let mut tree: Vec<usize> = (0..=ground).collect();
        for link in &self.joints {
            let [a, b] = link.bodies.map(|body| tree[body.unwrap_or(ground)]);
            if a == b {
                return false;
            }
            tree.iter_mut()
                .filter(|of| **of == b)
                .for_each(|of| *of = a);
        }
        true
    }
}
