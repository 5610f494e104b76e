//! Joints, force elements and arrows.

use super::canvas::{Canvas, Point};
use super::labels::Labels;
use super::symbols::{arrow, damper, spring, support, turn};
use super::view::FRAME;
use super::{Drawing, FORCE, GROUND_LINE, INK, VELOCITY};
use crate::constraint::Pose;
use crate::kinds::joint::Sign;
use crate::kinds::plane::force::{Applied, Force, Signal};
use crate::kinds::plane::joint::Joint;
use crate::math::{Vec2, length};
use crate::model::{AnyJoint, ForceLink, JointLink, Model, Rope, pose_of};
use crate::scene::spec::{self, Frame};

/// Length of an arrow in pixels.
pub const ARROW: f64 = 52.0;

/// Attachment points of a joint, each in its body's coordinates.
pub fn anchors(joint: &AnyJoint) -> [Vec2; 2] {
    joint.plane().map_or([Vec2::zeros(); 2], Joint::attachment)
}

// ends of the straight parts of ropes in the world
fn ropes<'a>(model: &'a Model, poses: &'a [Pose]) -> impl Iterator<Item = [Vec2; 2]> + 'a {
    let parts = model.ropes.iter().flat_map(Rope::parts);
    parts.map(|ends| ends.map(|(body, point)| pose_of(poses, body).point(point.xy())))
}

/// Ends of springs, dampers and straight parts of ropes in the world.
pub fn spans(model: &Model, poses: &[Pose]) -> Vec<[Vec2; 2]> {
    let ends = |link: &ForceLink| match link.force.plane()? {
        Force::SpringDamper(f) => Some([
            pose_of(poses, link.bodies[0]).point(f.anchor_a),
            pose_of(poses, link.bodies[1]).point(f.anchor_b),
        ]),
        Force::Torsional(_)
        | Force::Applied(_)
        | Force::Viscous(_)
        | Force::Stribeck(_)
        | Force::MotorTorque(_)
        | Force::Servo(_)
        | Force::Flange(_) => None,
    };
    let springs = model.forces.iter().filter_map(ends);
    springs.chain(ropes(model, poses)).collect()
}

impl Drawing<'_> {
    fn ends(&self, joint: usize) -> [Vec2; 2] {
        let link = &self.model.joints[joint];
        let [a, b] = anchors(&link.joint);
        [
            self.pose(link.bodies[0]).point(a),
            self.pose(link.bodies[1]).point(b),
        ]
    }

    // the direction of the rail of a sliding joint
    fn rail(&self, link: &JointLink) -> Option<Vec2> {
        let has_rails = link.joint.description().sign.has_rails();
        let axis = link.joint.plane().filter(|_| has_rails)?.axis()?;
        Some(self.pose(link.bodies[0]).turn(axis))
    }

    /// Rails of sliding joints.
    pub(super) fn rails(&mut self) {
        for (i, link) in self.model.joints.iter().enumerate() {
            if let Some(axis) = self.rail(link) {
                let slider = self.view.pixel(self.ends(i)[1]);
                for side in [-11.0, 11.0] {
                    let at = |s: f64| {
                        [
                            slider[0] + s * axis.x + side * axis.y,
                            slider[1] - s * axis.y + side * axis.x,
                        ]
                    };
                    self.canvas.line(&[at(-85.0), at(85.0)], GROUND_LINE, 2.0);
                    self.labels.take_line(at(-85.0), at(85.0), 4.0);
                }
            }
        }
    }

    /// Rods of distance joints.
    pub(super) fn rods(&mut self) {
        for (i, link) in self.model.joints.iter().enumerate() {
            if link.joint.description().sign == Sign::Rod {
                let [a, b] = self.ends(i).map(|p| self.view.pixel(p));
                self.canvas.line(&[a, b], INK, 2.0);
                self.labels.take_line(a, b, 4.0);
            }
        }
    }

    /// Springs, dampers and ropes.
    pub(super) fn elements(&mut self) {
        for ends in ropes(self.model, &self.poses) {
            let [a, b] = ends.map(|p| self.view.pixel(p));
            self.canvas.line(&[a, b], INK, 1.5);
            self.labels.take_line(a, b, 4.0);
        }
        for (body, point) in self.model.ropes.iter().flat_map(Rope::pulleys) {
            let at = self.view.pixel(self.pose(*body).point(point.xy()));
            self.canvas.disc(at, 5.0, [255; 3]);
            self.canvas.circle(at, 5.0, INK, 2.0);
        }
        for link in &self.model.forces {
            if let Some(Force::SpringDamper(f)) = link.force.plane() {
                let ends = [
                    self.pose(link.bodies[0]).point(f.anchor_a),
                    self.pose(link.bodies[1]).point(f.anchor_b),
                ]
                .map(|p| self.view.pixel(p));
                let is_fixed = link.bodies.map(|body| body.is_none());
                let sizes = [f.stiffness, f.damping];
                strut(&mut self.canvas, &mut self.labels, ends, is_fixed, sizes);
            }
        }
    }

    /// Symbols at the anchors of joints.
    pub(super) fn joints(&mut self) {
        for (i, link) in self.model.joints.iter().enumerate() {
            let sign = link.joint.description().sign;
            let ends = self.ends(i).map(|p| self.view.pixel(p));
            for (k, body) in link.bodies.into_iter().enumerate() {
                if body.is_none() && !sign.has_rails() {
                    let other = link.bodies[1 - k]
                        .map_or(ends[1 - k], |b| self.view.pixel(self.poses[b].position));
                    let is_below = other[1] <= ends[k][1];
                    support(&mut self.canvas, ends[k], is_below, INK);
                }
            }
            match sign {
                Sign::Circle | Sign::CircleOnRails => {
                    self.canvas.disc(ends[1], 5.0, [255; 3]);
                    self.canvas.circle(ends[1], 5.0, INK, 2.0);
                    self.labels.take_around(ends[1], 6.0);
                }
                Sign::SquareOnRails => {
                    let has_shape =
                        link.bodies[1].is_some_and(|b| !self.scene.bodies[b].shapes.is_empty());
                    if !has_shape {
                        self.slider(i);
                    }
                }
                Sign::Square => {
                    let [x, y] = ends[1];
                    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]];
                    let corners = corners.map(|[dx, dy]| [x + dx, y + dy]);
                    self.canvas.area(&corners, INK);
                }
                Sign::Rod => {
                    for (end, body) in ends.into_iter().zip(link.bodies) {
                        if body.is_none() {
                            self.canvas.disc(end, 3.5, INK);
                        }
                    }
                }
            }
        }
    }

    // a sliding body without a shape
    fn slider(&mut self, joint: usize) {
        let link = &self.model.joints[joint];
        let Some(axis) = self.rail(link) else { return };
        let at = self.view.pixel(self.ends(joint)[1]);
        let corner = |s: f64, t: f64| {
            [
                at[0] + s * axis.x + t * axis.y,
                at[1] - s * axis.y + t * axis.x,
            ]
        };
        let corners = [
            corner(-20.0, -9.0),
            corner(20.0, -9.0),
            corner(20.0, 9.0),
            corner(-20.0, 9.0),
        ];
        self.canvas.outline(&corners, INK, 2.0);
    }

    /// Velocities at the start, applied forces and torques, gravity.
    pub(super) fn arrows(&mut self) {
        for (i, body) in self.model.bodies_of_scene().iter().enumerate() {
            let velocity = &self.model.initial_velocity[body.first..body.first + body.n_dof];
            let centre = self.poses[i].position;
            self.arrow_at(centre, Vec2::new(velocity[0], velocity[1]), VELOCITY);
            if let Some(rate) = velocity.get(2).filter(|rate| **rate != 0.0) {
                let at = self.view.pixel(centre);
                turn(&mut self.canvas, at, 26.0, *rate > 0.0, VELOCITY);
                self.labels.take_around(at, 29.0);
            }
        }
        for link in &self.model.forces {
            if let Some(Force::Applied(applied)) = link.force.plane() {
                self.applied(link, applied);
            }
        }
        let gravity = self.model.gravity.xy();
        down(&mut self.canvas, &mut self.labels, gravity);
    }

    fn applied(&mut self, link: &ForceLink, applied: &Applied) {
        let pose = self.pose(link.bodies[1]);
        let given = Vec2::new(size(&applied.force[0]), size(&applied.force[1]));
        let force = match applied.frame {
            Frame::World => given,
            Frame::Body => pose.turn(given),
        };
        let point = pose.point(applied.point);
        let tip = self.arrow_at(point, force, FORCE);
        let torque = size(&applied.torque);
        let centre = self.view.pixel(pose.position);
        if torque != 0.0 {
            turn(&mut self.canvas, centre, 20.0, torque > 0.0, FORCE);
            self.labels.take_around(centre, 22.0);
        }
        if let Some(near) = tip.or((torque != 0.0).then_some(centre)) {
            self.canvas
                .name(self.labels.place(near, &link.name), &link.name, FORCE);
        }
    }

    /// An arrow from a point; returns its tip, or `None` for a zero vector.
    fn arrow_at(&mut self, point: Vec2, vector: Vec2, colour: super::Colour) -> Option<Point> {
        let size = length(vector);
        if size == 0.0 {
            return None;
        }
        let from = self.view.pixel(point);
        let tip = [
            from[0] + ARROW * vector.x / size,
            from[1] - ARROW * vector.y / size,
        ];
        arrow(&mut self.canvas, from, tip, colour);
        self.labels.take_line(from, tip, 4.0);
        Some(tip)
    }
}

/// A spring, a damper or both between two points, with symbols at fixed points.
pub fn strut(
    canvas: &mut Canvas,
    labels: &mut Labels,
    ends: [Point; 2],
    is_fixed: [bool; 2],
    [stiffness, damping]: [f64; 2],
) {
    let aside = if stiffness > 0.0 && damping > 0.0 {
        11.0
    } else {
        0.0
    };
    if stiffness > 0.0 {
        spring(canvas, ends, -aside, INK);
    }
    if damping > 0.0 {
        damper(canvas, ends, aside, INK);
    }
    labels.take_line(ends[0], ends[1], 8.0);
    for (end, _) in ends.into_iter().zip(is_fixed).filter(|(_, fixed)| *fixed) {
        support(canvas, end, true, INK);
    }
}

/// The projected arrow of gravity; nothing if it points towards the viewer.
pub fn down(canvas: &mut Canvas, labels: &mut Labels, gravity: Vec2) {
    let size = length(gravity);
    if size > 0.0 {
        let middle = [FRAME[2] - 30.0, FRAME[1] + 36.0];
        let [dx, dy] = [22.0 * gravity.x / size, -22.0 * gravity.y / size];
        let ends = [
            [middle[0] - dx, middle[1] - dy],
            [middle[0] + dx, middle[1] + dy],
        ];
        arrow(canvas, ends[0], ends[1], GROUND_LINE);
        labels.take_line(ends[0], ends[1], 4.0);
        canvas.name(labels.place(middle, "g"), "g", GROUND_LINE);
    }
}

/// A representative value of a signal.
pub fn size(signal: &Signal) -> f64 {
    let input = |start: f64| if start == 0.0 { 1.0 } else { start };
    match signal {
        // the direction of an input is not known
        Signal::Input(_) => 1.0,
        Signal::Given(spec::Signal::Input { start }) => input(*start),
        Signal::Given(spec::Signal::Constant(x)) => *x,
        Signal::Given(spec::Signal::Harmonic {
            amplitude, offset, ..
        }) => amplitude + offset,
        Signal::Given(spec::Signal::Table { values, .. }) => {
            values.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0)
        }
    }
}
