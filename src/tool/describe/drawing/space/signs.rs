//! Symbols of joints and force elements, and arrows, drawn over the solids.

use super::Drawing;
use crate::kinds::joint::Sign;
use crate::kinds::space::Pose;
use crate::kinds::space::force::{Applied, Force};
use crate::math::{Vec3, dot3};
use crate::model::{ForceLink, JointLink, Model, Rope, space_pose_of};
use crate::scene::spec::Frame;
use crate::simulation::observe;
use crate::tool::describe::drawing::canvas::{Colour, Point};
use crate::tool::describe::drawing::parts::{ARROW, down, size, strut};
use crate::tool::describe::drawing::symbols::{arrow, support, turn};
use crate::tool::describe::drawing::{FORCE, GROUND_LINE, INK, VELOCITY};

/// Length of the line of an axis to each side, pixels.
const AXIS_LINE: f64 = 17.0;

/// Attachment points of a joint, each in its body's coordinates, and the axis in those of the first.
pub fn attachment(link: &JointLink) -> Option<([Vec3; 2], Option<Vec3>)> {
    let joint = link.joint.space()?;
    Some((joint.attachment(), joint.axis()))
}

fn spring_ends(link: &ForceLink, poses: &[Pose]) -> Option<[Vec3; 2]> {
    let Some(Force::SpringDamper(f)) = link.force.space() else {
        return None;
    };
    let [a, b] = link.bodies.map(|body| space_pose_of(poses, body));
    Some([a.point(f.anchor_a), b.point(f.anchor_b)])
}

// ends of the straight parts of ropes in the world
fn ropes<'a>(model: &'a Model, poses: &'a [Pose]) -> impl Iterator<Item = [Vec3; 2]> + 'a {
    let parts = model.ropes.iter().flat_map(Rope::parts);
    parts.map(|ends| ends.map(|(body, point)| space_pose_of(poses, body).point(point)))
}

/// Ends of joints, springs, dampers and ropes in the world.
pub fn ends(model: &Model, poses: &[Pose]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for link in &model.joints {
        if let Some((anchors, _)) = attachment(link) {
            for (body, anchor) in link.bodies.into_iter().zip(anchors) {
                points.push(space_pose_of(poses, body).point(anchor));
            }
        }
    }
    let springs = model.forces.iter();
    points.extend(springs.filter_map(|f| spring_ends(f, poses)).flatten());
    points.extend(ropes(model, poses).flatten());
    points
}

/// Attachment points of joints on a body, in its coordinates.
pub fn anchors_of(model: &Model, body: usize) -> Vec<Vec3> {
    let mut found = Vec::new();
    for link in &model.joints {
        let Some((anchors, _)) = attachment(link) else {
            continue;
        };
        for (owner, anchor) in link.bodies.into_iter().zip(anchors) {
            if owner == Some(body) {
                found.push(anchor);
            }
        }
    }
    found
}

impl Drawing<'_> {
    /// Springs and dampers.
    pub(super) fn elements(&mut self) {
        let ropes: Vec<[Vec3; 2]> = ropes(self.model, &self.poses).collect();
        for ends in ropes {
            let [a, b] = ends.map(|p| self.pixel(p));
            self.canvas.line(&[a, b], INK, 1.5);
            self.labels.take_line(a, b, 4.0);
        }
        for (body, point) in self.model.ropes.iter().flat_map(Rope::pulleys) {
            let at = self.pixel(self.pose(*body).point(*point));
            self.canvas.disc(at, 5.0, [255; 3]);
            self.canvas.circle(at, 5.0, INK, 2.0);
        }
        for link in &self.model.forces {
            let Some(Force::SpringDamper(f)) = link.force.space() else {
                continue;
            };
            let Some(ends) = spring_ends(link, &self.poses) else {
                continue;
            };
            let ends = ends.map(|p| self.pixel(p));
            let is_fixed = link.bodies.map(|body| body.is_none());
            let sizes = [f.stiffness, f.damping];
            strut(&mut self.canvas, &mut self.labels, ends, is_fixed, sizes);
        }
    }

    /// Symbols at the anchors of joints: a circle, with a line along the axis if there is one.
    pub(super) fn joints(&mut self) {
        for link in &self.model.joints {
            let Some((anchors, axis)) = attachment(link) else {
                continue;
            };
            let sign = link.joint.description().sign;
            let [a, b] = link.bodies.map(|body| self.pose(body));
            let ends = [a.point(anchors[0]), b.point(anchors[1])].map(|p| self.pixel(p));
            if sign == Sign::Rod {
                self.canvas.line(&ends, INK, 2.0);
                self.labels.take_line(ends[0], ends[1], 4.0);
            }
            for (k, body) in link.bodies.into_iter().enumerate() {
                if body.is_none() && !sign.has_rails() {
                    let other = link.bodies[1 - k]
                        .map_or(ends[1 - k], |b| self.pixel(self.poses[b].position));
                    support(&mut self.canvas, ends[k], other[1] <= ends[k][1], INK);
                }
            }
            if let Some(axis) = axis {
                self.axis_sign(sign.has_rails(), ends[1], a.turn(axis));
            }
            match sign {
                Sign::Circle | Sign::CircleOnRails => {
                    self.canvas.disc(ends[1], 5.0, [255; 3]);
                    self.canvas.circle(ends[1], 5.0, INK, 2.0);
                    self.labels.take_around(ends[1], 6.0);
                }
                Sign::Square | Sign::SquareOnRails => {
                    let [x, y] = ends[1];
                    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
                    let corners = corners.map(|[dx, dy]| [x + dx, y + dy]);
                    self.canvas.area(&corners, INK);
                    self.labels.take_around(ends[1], 6.0);
                }
                Sign::Rod => {
                    for end in ends {
                        self.canvas.disc(end, 3.5, INK);
                    }
                }
            }
        }
    }

    // foreshortened; with rails for a sliding joint
    fn axis_sign(&mut self, slides: bool, at: Point, axis: Vec3) {
        let seen = self.eye.see(axis);
        let reach = if slides { 60.0 } else { AXIS_LINE };
        let ends = [-reach, reach].map(|s| [at[0] + s * seen.x, at[1] - s * seen.y]);
        if slides {
            let length = (seen.x * seen.x + seen.y * seen.y).sqrt().max(1e-9);
            let across = [seen.y / length * 8.0, seen.x / length * 8.0];
            for side in [-1.0, 1.0] {
                let rail = ends.map(|[x, y]| [x + side * across[0], y + side * across[1]]);
                self.canvas.line(&rail, GROUND_LINE, 2.0);
                self.labels.take_line(rail[0], rail[1], 4.0);
            }
        } else {
            self.canvas.line(&ends, INK, 3.0);
            self.labels.take_line(ends[0], ends[1], 4.0);
        }
    }

    /// Velocities at the start, applied forces and torques, gravity.
    pub(super) fn arrows(&mut self) {
        for (i, body) in self.model.bodies_of_scene().iter().enumerate() {
            let v = &self.model.initial_velocity;
            let velocity = Vec3::new(v[body.first], v[body.first + 1], v[body.first + 2]);
            let pose = self.poses[i];
            self.arrow_at(pose.position, velocity, VELOCITY);
            let spin = pose.turn(observe::rotational(self.model, v, i));
            self.turn_at(pose.position, spin, 26.0, VELOCITY);
        }
        for link in &self.model.forces {
            if let Some(Force::Applied(applied)) = link.force.space() {
                self.applied(link, applied);
            }
        }
        let seen = self.eye.see(self.model.gravity);
        down(&mut self.canvas, &mut self.labels, seen);
    }

    fn applied(&mut self, link: &ForceLink, applied: &Applied) {
        let pose = self.pose(link.bodies[1]);
        let vector = |signals: &[crate::kinds::plane::force::Signal; 3]| {
            let given = Vec3::from(signals.each_ref().map(size));
            match applied.frame {
                Frame::World => given,
                Frame::Body => pose.turn(applied.axes * given),
            }
        };
        let (force, torque) = (vector(&applied.force), vector(&applied.torque));
        let tip = self.arrow_at(pose.point(applied.point), force, FORCE);
        let turned = self.turn_at(pose.position, torque, 20.0, FORCE);
        if let Some(near) = tip.or(turned) {
            self.canvas
                .name(self.labels.place(near, &link.name), &link.name, FORCE);
        }
    }

    /// A foreshortened arrow from a point; returns its tip, or `None` for a zero vector.
    fn arrow_at(&mut self, point: Vec3, vector: Vec3, colour: Colour) -> Option<Point> {
        let size = dot3(vector, vector).sqrt();
        if size == 0.0 {
            return None;
        }
        let from = self.pixel(point);
        let seen = self.eye.see(vector / size) * ARROW;
        let tip = [from[0] + seen.x, from[1] - seen.y];
        arrow(&mut self.canvas, from, tip, colour);
        self.labels.take_line(from, tip, 4.0);
        Some(tip)
    }

    /// An arrow around a point in the visible direction of rotation; nothing for zero.
    fn turn_at(
        &mut self,
        point: Vec3,
        rotation: Vec3,
        radius: f64,
        colour: Colour,
    ) -> Option<Point> {
        if rotation == Vec3::zeros() {
            return None;
        }
        let at = self.pixel(point);
        let is_positive = dot3(rotation, self.eye.towards) >= 0.0;
        turn(&mut self.canvas, at, radius, is_positive, colour);
        self.labels.take_around(at, radius + 3.0);
        Some(at)
    }
}
