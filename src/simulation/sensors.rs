//! Values of sensors. Vectors in the plane have no third component.
//!
//! (1)  velocity of a point:      v + w x r
//! (2)  acceleration of a point:  a + w' x r + w x (w x r)
//! (3)  seen from a moving frame: d = p - o, u = v_p - v_o - w_o x d,
//!      a_p - a_o - w_o' x d - w_o x (w_o x d) - 2 w_o x u; angular acceleration w' - w_o' - w_o x w

use super::Simulation;
use super::observe;
use crate::math::{Mat3, Quaternion, Vec3, cross3, dot3, quaternion};
use crate::model::{AnyJoint, BodyRef, pose_of, space_pose_of};
use crate::scene::spec::sensor::SensorKind;

/// Motion of a body, in world axes.
struct Motion {
    position: Vec3,
    /// Columns are the engine's axes of the body.
    axes: Mat3,
    velocity: Vec3,
    spin: Vec3,
    acceleration: Vec3,
    spin_rate: Vec3,
}

impl Motion {
    /// Of the ground.
    fn none() -> Self {
        Self {
            position: Vec3::zeros(),
            axes: Mat3::identity(),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            acceleration: Vec3::zeros(),
            spin_rate: Vec3::zeros(),
        }
    }

    /// Position, velocity (1) and acceleration (2) of a point of the body.
    fn at(&self, point: Vec3) -> [Vec3; 3] {
        let arm = self.axes * point;
        let across = cross3(self.spin, arm);
        [
            self.position + arm,
            self.velocity + across,
            self.acceleration + cross3(self.spin_rate, arm) + cross3(self.spin, across),
        ]
    }

    /// The same relative to the motion of this body (3), in world axes.
    fn relative(&self, [p, v, a]: [Vec3; 3]) -> [Vec3; 3] {
        let d = p - self.position;
        let across = cross3(self.spin, d);
        let u = v - self.velocity - across;
        let carried = cross3(self.spin_rate, d) + cross3(self.spin, across);
        let relative = a - self.acceleration - carried - cross3(self.spin, u) * 2.0;
        [d, u, relative]
    }
}

impl Simulation {
    /// A component of the value of a sensor.
    pub fn sensor(&mut self, sensor: usize, component: usize) -> f64 {
        use SensorKind as K;
        let kind = self.model.sensors[sensor].kind;
        match kind {
            K::Position => self.point(sensor)[0][component],
            K::Velocity => self.point(sensor)[1][component],
            K::Acceleration => self.point(sensor)[2][component],
            K::Angle => self.angle(sensor),
            K::Orientation => self.relative_orientation(sensor)[component],
            K::AngularVelocity => self.rotation(sensor)[0][component],
            K::AngularAcceleration => self.rotation(sensor)[1][component],
            K::Distance => self.distance(sensor)[0],
            K::DistanceRate => self.distance(sensor)[1],
            K::JointCoordinate | K::JointRate => {
                let sensor = &self.model.sensors[sensor];
                let ([joint, _], coordinate) = (sensor.joint, sensor.coordinate);
                self.joint_coordinate(joint, coordinate)[usize::from(kind == K::JointRate)]
            }
            K::JointForce => self.joint_reaction(sensor)[0][component],
            K::JointMoment => self.joint_reaction(sensor)[1][component],
            K::ContactForce => self.contact_sum(sensor)[0][component],
            K::ContactMoment => self.contact_sum(sensor)[1][component],
        }
    }

    fn motion_of(&mut self, body: BodyRef) -> Motion {
        let Some(body) = body else {
            return Motion::none();
        };
        let part = |model: &crate::model::Model, x: &[f64]| {
            let own = &model.bodies[body];
            let at = |i: usize| if i < own.n_dof { x[own.first + i] } else { 0.0 };
            match model.is_spatial() {
                true => [
                    Vec3::new(at(0), at(1), at(2)),
                    Vec3::new(at(3), at(4), at(5)),
                ],
                false => [Vec3::new(at(0), at(1), 0.0), Vec3::new(0.0, 0.0, at(2))],
            }
        };
        let velocity = self.velocity().to_vec();
        let acceleration = self.acceleration().to_vec();
        let (model, _, poses) = self.placed();
        let [velocity, spin] = part(model, &velocity);
        let [acceleration, spin_rate] = part(model, &acceleration);
        let (position, axes) = if model.is_spatial() {
            let pose = space_pose_of(poses.space(), Some(body));
            (pose.position, pose.rotation)
        } else {
            let pose = pose_of(poses.plane(), Some(body));
            let (x, y) = (pose.position.x, pose.position.y);
            let (c, s) = (pose.cos, pose.sin);
            let turn = Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
            (Vec3::new(x, y, 0.0), turn)
        };
        // in space angular velocities are in the engine's axes
        let to_world = if model.is_spatial() {
            axes
        } else {
            Mat3::identity()
        };
        Motion {
            position,
            axes,
            velocity,
            spin: to_world * spin,
            acceleration,
            spin_rate: to_world * spin_rate,
        }
    }

    // a vector in world axes, in the scene's axes of a body
    fn in_axes_of(&self, frame: BodyRef, motion: &Motion, world: Vec3) -> Vec3 {
        let local = motion.axes.transpose() * world;
        match frame {
            Some(body) if self.model.is_spatial() => {
                observe::in_scene_axes(&self.model, body, local)
            }
            Some(_) | None => local,
        }
    }

    fn point(&mut self, sensor: usize) -> [Vec3; 3] {
        let sensor = &self.model.sensors[sensor];
        let (body, point, frame) = (sensor.bodies[0], sensor.points[0], sensor.frame);
        let point = self.motion_of(body).at(point);
        let base = self.motion_of(frame);
        let relative = base.relative(point);
        relative.map(|vector| self.in_axes_of(frame, &base, vector))
    }

    fn rotation(&mut self, sensor: usize) -> [Vec3; 2] {
        let sensor = &self.model.sensors[sensor];
        let (body, frame) = (sensor.bodies[0], sensor.frame);
        let plane = !self.model.is_spatial();
        let (motion, base) = (self.motion_of(body), self.motion_of(frame));
        let spin = motion.spin - base.spin;
        let rate = motion.spin_rate - base.spin_rate - cross3(base.spin, spin);
        let vectors = [spin, rate].map(|vector| self.in_axes_of(frame, &base, vector));
        // the only component in the plane comes first
        vectors.map(|v| if plane { Vec3::new(v.z, 0.0, 0.0) } else { v })
    }

    fn angle(&mut self, sensor: usize) -> f64 {
        let sensor = &self.model.sensors[sensor];
        let (body, frame) = (sensor.bodies[0], sensor.frame);
        let (_, _, poses) = self.placed();
        let of = |body| pose_of(poses.plane(), body).angle;
        of(body) - of(frame)
    }

    fn relative_orientation(&mut self, sensor: usize) -> Quaternion {
        let sensor = &self.model.sensors[sensor];
        let of = |body: BodyRef| {
            body.map_or(quaternion::IDENTITY, |b| {
                observe::orientation(&self.model, &self.state, b)
            })
        };
        let (body, frame) = (of(sensor.bodies[0]), of(sensor.frame));
        quaternion::product(quaternion::conjugate(frame), body)
    }

    fn distance(&mut self, sensor: usize) -> [f64; 2] {
        let sensor = &self.model.sensors[sensor];
        let (bodies, points) = (sensor.bodies, sensor.points);
        let [a, b] = [0, 1].map(|i| self.motion_of(bodies[i]).at(points[i]));
        let (d, v) = (b[0] - a[0], b[1] - a[1]);
        let length = dot3(d, d).sqrt();
        let rate = match length > 0.0 {
            true => dot3(d, v) / length,
            // from a common point they can only part
            false => dot3(v, v).sqrt(),
        };
        [length, rate]
    }

    // force and moment of a joint on its second body, about its anchor
    fn joint_reaction(&mut self, sensor: usize) -> [Vec3; 2] {
        let sensor = &self.model.sensors[sensor];
        let ([joint, first], frame) = (sensor.joint, sensor.frame);
        let n_rows = self.model.joints[joint].joint.n_rows();
        let forces = self.joint_force()[first..first + n_rows].to_vec();
        let second = self.model.joints[joint].bodies[1];
        let base = self.motion_of(frame);
        let (model, _, poses) = self.placed();
        let link = &model.joints[joint];
        let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
        let mut forces = forces.into_iter();
        let is_spatial = model.is_spatial();
        model.joint_rows(link, poses, |row, _| {
            let size = forces.next().unwrap_or(0.0);
            let x = row.values(1);
            if is_spatial {
                force += Vec3::new(x[0], x[1], x[2]) * size;
                torque += Vec3::new(x[3], x[4], x[5]) * size;
            } else {
                force += Vec3::new(x[0], x[1], 0.0) * size;
                torque.z += x[2] * size;
            }
        });
        let arm = match &link.joint {
            AnyJoint::Plane(joint) => {
                let [_, anchor] = joint.attachment();
                let arm = pose_of(poses.plane(), second).turn(anchor);
                Vec3::new(arm.x, arm.y, 0.0)
            }
            AnyJoint::Space(joint) => {
                let [_, anchor] = joint.attachment();
                let pose = space_pose_of(poses.space(), second);
                torque = pose.turn(torque);
                pose.turn(anchor)
            }
        };
        let moment = torque - cross3(arm, force);
        self.force_and_moment(frame, &base, force, moment)
    }

    // force and moment of the first on the second body, about its centre of mass
    fn contact_sum(&mut self, sensor: usize) -> [Vec3; 2] {
        let sensor = &self.model.sensors[sensor];
        let (bodies, frame, pairs) = (sensor.bodies, sensor.frame, sensor.pairs.clone());
        let base = self.motion_of(frame);
        let centre = bodies.map(|body| self.motion_of(body).position);
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for pair in pairs {
            let total = self.pair_total(pair);
            if observe::bodies_of_pair(&self.model, pair)[1] == bodies[1] {
                force += total.force;
                moment += total.torque;
            } else {
                force -= total.force;
                moment -= total.torque + cross3(centre[0] - centre[1], total.force);
            }
        }
        self.force_and_moment(frame, &base, force, moment)
    }

    fn force_and_moment(
        &self,
        frame: BodyRef,
        base: &Motion,
        force: Vec3,
        moment: Vec3,
    ) -> [Vec3; 2] {
        let [force, moment] = [force, moment].map(|vector| self.in_axes_of(frame, base, vector));
        match self.model.is_spatial() {
            true => [force, moment],
            // the only component in the plane comes first
            false => [force, Vec3::new(moment.z, 0.0, 0.0)],
        }
    }
}
