//! A picture of the initial state of a scene: `model.png`.

pub mod canvas;
mod font;
mod labels;
pub mod parts;
pub mod space;
mod symbols;
pub mod view;

use canvas::{Canvas, Colour};
use labels::{Labels, is_named};
use parts::{anchors, spans};
use view::View;

use crate::constraint::Pose;
use crate::kinds::plane::shape::{Convex, HalfPlane, Shape};
use crate::math::{Vec2, dot};
use crate::model::{BodyRef, Model, Poses, pose_of};
use crate::scene::spec::{Geometry, Parts, Plane, Scene};

pub use view::{HEIGHT, WIDTH};

/// Drawing context.
struct Drawing<'a> {
    scene: &'a Plane,
    model: &'a Model,
    poses: Vec<Pose>,
    view: View,
    canvas: Canvas,
    labels: Labels,
}

const INK: Colour = [45, 55, 65];
const GROUND: Colour = [228, 231, 234];
const GROUND_LINE: Colour = [110, 118, 126];
const FORCE: Colour = [204, 85, 0];
const VELOCITY: Colour = [20, 130, 60];

/// Fill and outline colours of bodies, used cyclically.
const BODIES: [[Colour; 2]; 5] = [
    [[190, 215, 240], [25, 85, 145]],
    [[250, 215, 170], [165, 90, 10]],
    [[205, 230, 200], [40, 110, 45]],
    [[232, 208, 240], [115, 50, 145]],
    [[245, 205, 205], [160, 40, 45]],
];

/// A PNG file of 640 x 480 pixels; `None` if it does not fit into memory.
///
/// Ground is hatched, springs are zigzags, dampers are pistons, joints are small circles; orange arrows are applied
/// forces, green ones velocities at the start.
pub fn picture(scene: &Scene, model: &Model) -> Option<Vec<u8>> {
    match &scene.parts {
        Parts::Plane(plane) => plane_picture(plane, model),
        Parts::Space(space) => space::picture(space, model),
    }
}

fn plane_picture(scene: &Plane, model: &Model) -> Option<Vec<u8>> {
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let poses = poses.plane()[..model.bodies_of_scene().len()].to_vec();
    let view = View::around(&extent(scene, model, &poses));
    let mut drawing = Drawing {
        scene,
        model,
        poses,
        view,
        canvas: Canvas::new(WIDTH, HEIGHT)?,
        labels: Labels::default(),
    };
    drawing.view.grid(&mut drawing.canvas);
    drawing.ground();
    drawing.rails();
    drawing.elements();
    drawing.rods();
    for i in 0..drawing.poses.len() {
        drawing.body(i);
    }
    drawing.joints();
    drawing.arrows();
    drawing.names();
    drawing.view.axes(&mut drawing.canvas);
    drawing.canvas.png()
}

/// Points that must be visible.
fn extent(scene: &Plane, model: &Model, poses: &[Pose]) -> Vec<Vec2> {
    let mut points: Vec<Vec2> = poses.iter().map(|pose| pose.position).collect();
    let mut add_shape = |pose: &Pose, geometry: &Geometry| {
        if let Shape::Convex(convex) = Shape::from_geometry(geometry) {
            for vertex in &convex.vertices {
                let at = pose.point(*vertex);
                let corner = Vec2::new(convex.radius, convex.radius);
                points.extend([at - corner, at + corner]);
            }
        }
    };
    for shape in &scene.ground {
        add_shape(&Pose::ground(), &shape.geometry);
    }
    for (body, pose) in scene.bodies.iter().zip(poses) {
        for shape in &body.shapes {
            add_shape(pose, &shape.geometry);
        }
    }
    for link in &model.joints {
        let [a, b] = anchors(&link.joint);
        points.push(pose_of(poses, link.bodies[0]).point(a));
        points.push(pose_of(poses, link.bodies[1]).point(b));
    }
    points.extend(spans(model, poses).into_iter().flatten());
    // the point of each half-plane nearest to each body
    for shape in &scene.ground {
        if let Shape::HalfPlane(plane) = Shape::from_geometry(&shape.geometry) {
            for pose in poses {
                let height = dot(plane.normal, pose.position) - plane.offset;
                points.push(pose.position - plane.normal * height);
            }
        }
    }
    points
}

/// The part of the boundary of a half-plane that is not inside another one.
fn outside([mut a, mut b]: [Vec2; 2], own: &HalfPlane, planes: &[HalfPlane]) -> [Vec2; 2] {
    for plane in planes.iter().filter(|plane| *plane != own) {
        let height = |p: Vec2| dot(plane.normal, p) - plane.offset;
        let (at_a, at_b) = (height(a), height(b));
        if at_a * at_b < 0.0 {
            let crossing = a + (b - a) * (at_a / (at_a - at_b));
            if at_a < 0.0 {
                a = crossing;
            } else {
                b = crossing;
            }
        }
    }
    [a, b]
}

impl Drawing<'_> {
    fn pose(&self, body: BodyRef) -> Pose {
        *pose_of(&self.poses, body)
    }

    fn ground(&mut self) {
        let shapes = self.scene.ground.iter();
        let shapes: Vec<Shape> = shapes
            .map(|shape| Shape::from_geometry(&shape.geometry))
            .collect();
        let planes: Vec<HalfPlane> = shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::HalfPlane(plane) => Some(*plane),
                Shape::Convex(_) => None,
            })
            .collect();
        for plane in &planes {
            let [a, b] = self.surface(plane);
            let deep = plane.normal * (2.0 * self.reach());
            let area = [a, b, b - deep, a - deep].map(|p| self.view.pixel(p));
            self.canvas.area(&area, GROUND);
        }
        for plane in &planes {
            let ends = outside(self.surface(plane), plane, &planes);
            let pixels = ends.map(|p| self.view.pixel(p));
            // y points down in pixels
            let into = [-plane.normal.x, plane.normal.y];
            symbols::hatched(&mut self.canvas, pixels, into, GROUND_LINE);
            self.labels.take_line(pixels[0], pixels[1], 4.0);
        }
        for shape in &shapes {
            if let Shape::Convex(convex) = shape {
                self.convex(&Pose::ground(), convex, [GROUND, GROUND_LINE]);
            }
        }
    }

    // longer than the diagonal of the picture, m
    fn reach(&self) -> f64 {
        1000.0 / self.view.scale
    }

    /// The line of a half-plane across the picture.
    fn surface(&self, plane: &HalfPlane) -> [Vec2; 2] {
        let [left, top, right, bottom] = view::FRAME;
        let middle = self
            .view
            .world([0.5 * (left + right), 0.5 * (top + bottom)]);
        let nearest = middle - plane.normal * (dot(plane.normal, middle) - plane.offset);
        let along = Vec2::new(plane.normal.y, -plane.normal.x) * self.reach();
        [nearest - along, nearest + along]
    }

    fn convex(&mut self, pose: &Pose, convex: &Convex, [fill, line]: [Colour; 2]) {
        let points: Vec<canvas::Point> = convex
            .vertices
            .iter()
            .map(|v| self.view.pixel(pose.point(*v)))
            .collect();
        let radius = convex.radius * self.view.scale;
        match points.as_slice() {
            // a visible dot
            [centre] => {
                let radius = radius.max(7.0);
                self.canvas.disc(*centre, radius, fill);
                self.canvas.circle(*centre, radius, line, 2.0);
                self.labels.take_around(*centre, radius);
            }
            [_, _] => {
                let width = (2.0 * radius).max(3.0);
                self.canvas.line(&points, line, width + 2.0);
                self.canvas.line(&points, fill, width - 2.0);
                self.labels.take_line(points[0], points[1], radius);
            }
            corners => {
                self.canvas.area(corners, fill);
                self.canvas.outline(corners, line, 2.0);
                for (i, corner) in corners.iter().enumerate() {
                    let next = corners[(i + 1) % corners.len()];
                    self.labels.take_line(*corner, next, 4.0);
                }
            }
        }
    }

    fn body(&mut self, i: usize) {
        let colours = BODIES[i % BODIES.len()];
        let pose = self.poses[i];
        let shapes = &self.scene.bodies[i].shapes;
        for shape in shapes {
            if let Shape::Convex(convex) = Shape::from_geometry(&shape.geometry) {
                self.convex(&pose, &convex, colours);
            }
        }
        let centre = self.view.pixel(pose.position);
        // a body without a shape: lines from the centre to the joints
        if shapes.is_empty() {
            for anchor in self.anchors_of(i) {
                let end = self.view.pixel(pose.point(anchor));
                self.canvas.line(&[centre, end], colours[1], 9.0);
                self.canvas.line(&[centre, end], colours[0], 5.0);
                self.labels.take_line(centre, end, 5.0);
            }
            self.canvas.disc(centre, 6.0, colours[0]);
            self.canvas.circle(centre, 6.0, colours[1], 2.0);
        }
        self.canvas.disc(centre, 2.5, colours[1]);
    }

    fn anchors_of(&self, body: usize) -> Vec<Vec2> {
        let mut found = Vec::new();
        for link in &self.model.joints {
            for (owner, anchor) in link.bodies.into_iter().zip(anchors(&link.joint)) {
                if owner == Some(body) {
                    found.push(anchor);
                }
            }
        }
        found
    }

    fn names(&mut self) {
        let bodies = self.model.bodies_of_scene();
        for (i, body) in bodies.iter().enumerate() {
            let centre = self.view.pixel(self.poses[i].position);
            let colour = BODIES[i % BODIES.len()][1];
            if is_named(i, bodies.len()) {
                self.canvas
                    .name(self.labels.place(centre, &body.name), &body.name, colour);
            }
        }
    }
}
