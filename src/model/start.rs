//! Initial orientation and angular velocity of a body in space, in the axes of the scene, which need not be principal axes.

use super::Model;
use crate::kinds::space::Pose;
use crate::math::{Quaternion, Vec3, quaternion};
use crate::scene::spec::Frame;

/// Initial orientation and angular velocity as given in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartSpec {
    /// Orientation of the axes of the scene; need not be normalized.
    pub orientation: Quaternion,
    /// rad/s.
    pub angular_velocity: Vec3,
    /// Axes of the angular velocity: world or body.
    pub frame: Frame,
}

impl Default for StartSpec {
    fn default() -> Self {
        Self {
            orientation: quaternion::IDENTITY,
            angular_velocity: Vec3::zeros(),
            frame: Frame::World,
        }
    }
}

impl StartSpec {
    /// Orientation of the principal axes.
    pub fn orientation_of(&self, axes: Quaternion) -> Quaternion {
        quaternion::normalized(quaternion::product(self.orientation, axes))
    }

    /// Angular velocity in principal axes, rad/s.
    pub fn spin_of(&self, axes: Quaternion) -> Vec3 {
        let from = match self.frame {
            Frame::World => self.orientation_of(axes),
            Frame::Body => axes,
        };
        Pose::new(Vec3::zeros(), from).turn_back(self.angular_velocity)
    }
}

impl Model {
    /// Updates the initial state of a body in space from its start spec.
    pub fn update_start(&mut self, body: usize) {
        let super::Body {
            first,
            n_dof,
            axes,
            start,
            ..
        } = self.bodies[body];
        if !self.spatial || n_dof < crate::kinds::space::BODY_DOF {
            return;
        }
        self.initial_orientation[body] = start.orientation_of(axes);
        let spin = start.spin_of(axes);
        self.initial_velocity[first + 3..first + 6].copy_from_slice(spin.as_slice());
    }
}
