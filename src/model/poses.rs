//! Poses and twists of all bodies, in the plane or in space, and rotational coordinates in space.
//!
//! A body in space has three rotational coordinates: the rotation vector r from a reference orientation R to its orientation R exp(r).
//! There are as many coordinates as velocities, and integrators treat both alike; accepted states have r = 0.
//!
//! Joint angles are counted over full turns: orientations determine them up to full turns, which follow from the angle at the reference and
//! from r.

use super::{AnyJoint, Body, BodyRef, JointLink, Model};
use crate::constraint::{GlobalRow, Pose, Twist};
use crate::kinds::space;
use crate::kinds::space::joint::Count;
use crate::math::{Quaternion, Vec2, Vec3, quaternion};

/// Poses of all bodies.
#[derive(Clone, Debug)]
pub enum Poses {
    /// In the plane.
    Plane(Vec<Pose>),
    /// In space.
    Space {
        /// Reference orientations of the rotational coordinates.
        reference: Vec<Quaternion>,
        /// The rotational coordinates, rad.
        turned: Vec<Vec3>,
        /// Joint angles at the reference, rad.
        counted: Vec<f64>,
        /// Poses of the bodies.
        poses: Vec<space::Pose>,
    },
}

/// Twists of all bodies.
#[derive(Clone, Debug)]
pub enum Twists {
    /// In the plane.
    Plane(Vec<Twist>),
    /// In space.
    Space(Vec<space::Twist>),
}

impl Poses {
    /// Storage for the bodies of a model, at their initial orientations.
    pub fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        if model.is_spatial() {
            Self::Space {
                reference: model.initial_orientation.clone(),
                turned: vec![Vec3::zeros(); n],
                counted: vec![0.0; model.n_joint_coordinates],
                poses: vec![space::Pose::ground(); n],
            }
        } else {
            Self::Plane(vec![Pose::new(0.0, 0.0, 0.0); n])
        }
    }

    /// Sets the reference orientations and the joint angles there.
    pub fn refer_to(&mut self, orientation: &[Quaternion], angles: &[f64]) {
        match self {
            Self::Plane(_) => {}
            Self::Space {
                reference, counted, ..
            } => {
                reference.copy_from_slice(orientation);
                counted.copy_from_slice(angles);
            }
        }
    }

    /// Reference orientations of the rotational coordinates; none in the plane.
    pub fn reference(&self) -> &[Quaternion] {
        match self {
            Self::Plane(_) => &[],
            Self::Space { reference, .. } => reference,
        }
    }

    /// What the angles of a joint in space are counted from.
    pub fn count(&self, link: &JointLink) -> Count<'_> {
        match self {
            Self::Plane(_) => Count::default(),
            Self::Space {
                turned, counted, ..
            } => Count {
                from: &counted[link.first_coordinate..],
                turned: link
                    .bodies
                    .map(|body| body.map_or_else(Vec3::zeros, |i| turned[i])),
            },
        }
    }

    /// The poses in the plane; empty in space.
    pub fn plane(&self) -> &[Pose] {
        match self {
            Self::Plane(poses) => poses,
            Self::Space { .. } => &[],
        }
    }

    /// The poses in space; empty in the plane.
    pub fn space(&self) -> &[space::Pose] {
        match self {
            Self::Plane(_) => &[],
            Self::Space { poses, .. } => poses,
        }
    }
}

impl Twists {
    /// Storage for the bodies of a model.
    pub fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        if model.is_spatial() {
            Self::Space(vec![space::Twist::zero(); n])
        } else {
            Self::Plane(vec![Twist::zero(); n])
        }
    }

    /// The twists in the plane; empty in space.
    pub fn plane(&self) -> &[Twist] {
        match self {
            Self::Plane(twists) => twists,
            Self::Space(_) => &[],
        }
    }

    /// The twists in space; empty in the plane.
    pub fn space(&self) -> &[space::Twist] {
        match self {
            Self::Plane(_) => &[],
            Self::Space(twists) => twists,
        }
    }
}

impl Model {
    /// Is the model in space?
    pub fn is_spatial(&self) -> bool {
        self.spatial
    }

    /// Poses of all bodies at coordinates `q`.
    pub fn poses(&self, q: &[f64], poses: &mut Poses) {
        match poses {
            Poses::Plane(poses) => {
                for (body, pose) in self.bodies.iter().zip(poses) {
                    body.move_pose(q, pose);
                }
            }
            Poses::Space {
                reference,
                turned,
                poses,
                ..
            } => self.poses_in_space(q, reference, turned, poses),
        }
    }

    #[inline(never)]
    fn poses_in_space(
        &self,
        q: &[f64],
        reference: &[Quaternion],
        turned: &mut [Vec3],
        poses: &mut [space::Pose],
    ) {
        for (i, body) in self.bodies.iter().enumerate() {
            poses[i] = body.pose_in_space(q, reference[i], &mut turned[i]);
        }
    }

    /// Poses of some bodies at coordinates `q`.
    pub fn poses_of(
        &self,
        bodies: impl IntoIterator<Item = BodyRef>,
        q: &[f64],
        poses: &mut Poses,
    ) {
        for i in bodies.into_iter().flatten() {
            let body = &self.bodies[i];
            match poses {
                Poses::Plane(poses) => body.move_pose(q, &mut poses[i]),
                Poses::Space {
                    reference,
                    turned,
                    poses,
                    ..
                } => poses[i] = body.pose_in_space(q, reference[i], &mut turned[i]),
            }
        }
    }

    /// Twists of all bodies at velocities `v`.
    pub fn twists(&self, v: &[f64], twists: &mut Twists) {
        match twists {
            Twists::Plane(twists) => {
                for (body, twist) in self.bodies.iter().zip(twists) {
                    if body.is_belt {
                        *twist = Twist::zero();
                        continue;
                    }
                    twist.linear = Vec2::new(v[body.first], v[body.first + 1]);
                    twist.angular = if body.n_dof == 3 {
                        v[body.first + 2]
                    } else {
                        0.0
                    };
                }
            }
            Twists::Space(twists) => self.twists_in_space(v, twists),
        }
    }

    #[inline(never)]
    fn twists_in_space(&self, v: &[f64], twists: &mut [space::Twist]) {
        for (body, twist) in self.bodies.iter().zip(twists) {
            if body.is_belt {
                *twist = space::Twist::zero();
                continue;
            }
            twist.linear = triple(v, body.first);
            twist.angular = rotation_of(body).map_or_else(Vec3::zeros, |i| triple(v, i));
        }
    }

    /// First rotational coordinate of each body that has three of them.
    pub fn rotations(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies.iter().filter_map(|body| self.rotation_of(body))
    }

    /// The same of one body.
    #[inline]
    pub fn rotation_of(&self, body: &Body) -> Option<usize> {
        rotation_of(body).filter(|_| self.spatial)
    }

    /// `out` = coordinates `q` integrated over a time at constant velocities `v`.
    #[inline]
    pub fn displace(&self, out: &mut [f64], q: &[f64], time: f64, v: &[f64]) {
        for ((x, q), v) in out.iter_mut().zip(q).zip(v) {
            *x = q + time * v;
        }
        if self.spatial {
            self.displace_rotations(out, q, time, v);
        }
    }

    #[inline(never)]
    fn displace_rotations(&self, out: &mut [f64], q: &[f64], time: f64, v: &[f64]) {
        for i in self.rotations() {
            let turned = quaternion::displaced(triple(q, i), triple(v, i) * time);
            put(out, i, turned);
        }
    }

    /// Integrates coordinates over a time at constant velocities `v`.
    #[inline]
    pub fn advance(&self, q: &mut [f64], time: f64, v: &[f64]) {
        if !self.spatial {
            q.iter_mut().zip(v).for_each(|(q, v)| *q += time * v);
        } else {
            self.advance_in_space(q, time, v);
        }
    }

    #[inline(never)]
    fn advance_in_space(&self, q: &mut [f64], time: f64, v: &[f64]) {
        for body in &self.bodies {
            for i in body.first..body.first + 3 {
                q[i] += time * v[i];
            }
            if let Some(i) = rotation_of(body) {
                let turned = quaternion::displaced(triple(q, i), triple(v, i) * time);
                put(q, i, turned);
            }
        }
    }

    /// Replaces velocities `v` and accelerations `a` by the first and second derivatives of the coordinates `q`.
    pub fn velocities_to_rates(&self, q: &[f64], v: &mut [f64], a: &mut [f64]) {
        for i in self.rotations() {
            let [rate, change] =
                quaternion::rates_of_spin(triple(q, i), triple(v, i), triple(a, i));
            put(v, i, rate);
            put(a, i, change);
        }
    }

    /// Replaces derivatives of the coordinates `q` by velocities.
    pub fn rates_to_velocities(&self, q: &[f64], rate: &mut [f64]) {
        for i in self.rotations() {
            let spin = quaternion::spin_of_rate(triple(q, i), triple(rate, i));
            put(rate, i, spin);
        }
    }

    /// Rotates rows at coordinates `q`, whose rotations are about body axes, to the axes of the reference orientations.
    pub fn turn_to_reference(&self, q: &[f64], rows: &mut [GlobalRow]) {
        if !self.spatial {
            return;
        }
        for row in rows {
            row.turn_rotations(|i, rotation| {
                let turned = quaternion::matrix(quaternion::exp(triple(q, i)));
                turned * rotation
            });
        }
    }

    /// Makes the current orientations the reference of coordinates `q`, whose rotations become zero, and updates the counted joint angles;
    /// `poses` have the old reference before and the new one after.
    pub fn rebase(
        &self,
        q: &mut [f64],
        orientation: &mut [Quaternion],
        counted: &mut [f64],
        poses: &mut Poses,
    ) {
        if self.n_joint_coordinates > 0 {
            self.poses(q, poses);
            self.count_angles(poses, counted);
        }
        for (body, orientation) in self.bodies.iter().zip(&mut *orientation) {
            if let Some(i) = rotation_of(body) {
                let turned = quaternion::product(*orientation, quaternion::exp(triple(q, i)));
                *orientation = quaternion::normalized(turned);
                put(q, i, Vec3::zeros());
            }
        }
        poses.refer_to(orientation, counted);
    }

    /// Initial angles of all joints in space, rad, within half a turn; zero for displacements.
    pub fn initial_angles(&self) -> Vec<f64> {
        let mut angles = vec![0.0; self.n_joint_coordinates];
        let mut poses = Poses::new(self);
        self.poses(&self.initial_position, &mut poses);
        self.count_angles(&poses, &mut angles);
        angles
    }

    fn count_angles(&self, poses: &Poses, angles: &mut [f64]) {
        for link in &self.joints {
            let AnyJoint::Space(joint) = &link.joint else {
                continue;
            };
            let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
            let count = poses.count(link);
            for k in (0..joint.n_coordinates()).filter(|k| joint.coordinate_is_angle(*k)) {
                angles[link.first_coordinate + k] = joint.counted(k, &count, a, b).0;
            }
        }
    }
}

impl Body {
    #[inline]
    fn move_pose(&self, q: &[f64], pose: &mut Pose) {
        if self.is_belt {
            return pose.move_to(0.0, 0.0, 0.0);
        }
        let angle = if self.n_dof == 3 {
            q[self.first + 2]
        } else {
            0.0
        };
        pose.move_to(q[self.first], q[self.first + 1], angle);
    }

    #[inline]
    fn pose_in_space(&self, q: &[f64], reference: Quaternion, turned: &mut Vec3) -> space::Pose {
        if self.is_belt {
            return space::Pose::new(Vec3::zeros(), quaternion::IDENTITY);
        }
        let mut orientation = reference;
        if let Some(first) = rotation_of(self) {
            *turned = triple(q, first);
            orientation = quaternion::product(orientation, quaternion::exp(*turned));
        }
        space::Pose::new(triple(q, self.first), orientation)
    }
}

/// The pose of a body or of the ground.
#[inline]
pub fn pose_of(poses: &[Pose], body: BodyRef) -> &Pose {
    body.map_or(&Pose::GROUND, |i| &poses[i])
}

/// The twist of a body or of the ground.
#[inline]
pub fn twist_of(twists: &[Twist], body: BodyRef) -> &Twist {
    body.map_or(&Twist::ZERO, |i| &twists[i])
}

/// The pose in space of a body or of the ground.
#[inline]
pub fn space_pose_of(poses: &[space::Pose], body: BodyRef) -> &space::Pose {
    body.map_or(&space::Pose::GROUND, |i| &poses[i])
}

/// The twist in space of a body or of the ground.
pub fn space_twist_of(twists: &[space::Twist], body: BodyRef) -> &space::Twist {
    body.map_or(&space::Twist::ZERO, |i| &twists[i])
}

// first rotational coordinate of a body in space; point masses have none
fn rotation_of(body: &Body) -> Option<usize> {
    (body.n_dof == space::BODY_DOF).then_some(body.first + 3)
}

#[inline]
fn triple(x: &[f64], i: usize) -> Vec3 {
    Vec3::new(x[i], x[i + 1], x[i + 2])
}

fn put(x: &mut [f64], i: usize, value: Vec3) {
    x[i..i + 3].copy_from_slice(value.as_slice());
}
