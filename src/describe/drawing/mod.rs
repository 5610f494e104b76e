//! A picture of a scene at its start: `model.png`.

mod canvas;
mod font;
mod labels;
mod parts;
mod symbols;
mod view;

use canvas::{Canvas, Colour};
use labels::Labels;
use parts::{anchors, spans};
use view::View;

use crate::constraint::Pose;
use crate::math::{Vec2, dot};
use crate::model::{BodyRef, Model, pose_of};
use crate::scene::format::{Geometry, Scene};
use crate::shape::{Convex, Shape};

pub use view::{HEIGHT, WIDTH};

/// What all parts of the picture are drawn with.
struct Drawing<'a> {
    scene: &'a Scene,
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

/// Fill and outline of bodies, in turn.
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
    let mut poses = vec![Pose::ground(); model.bodies.len()];
    model.poses(&model.initial_position, &mut poses);
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
    for i in 0..drawing.model.bodies.len() {
        drawing.body(i);
    }
    drawing.joints();
    drawing.arrows();
    drawing.names();
    drawing.view.axes(&mut drawing.canvas);
    drawing.canvas.png()
}

/// Points that must be seen.
fn extent(scene: &Scene, model: &Model, poses: &[Pose]) -> Vec<Vec2> {
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
    // the place on each half-plane that is nearest to each body
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

impl Drawing<'_> {
    fn pose(&self, body: BodyRef) -> Pose {
        pose_of(&self.poses, body)
    }

    fn ground(&mut self) {
        for shape in &self.scene.ground {
            match Shape::from_geometry(&shape.geometry) {
                Shape::HalfPlane(plane) => {
                    self.half_plane(plane.normal, plane.offset);
                }
                Shape::Convex(convex) => {
                    let pose = Pose::ground();
                    self.convex(&pose, &convex, [GROUND, GROUND_LINE]);
                }
            }
        }
    }

    fn half_plane(&mut self, normal: Vec2, offset: f64) {
        let middle = self.view.world([
            0.5 * (view::FRAME[0] + view::FRAME[2]),
            0.5 * (view::FRAME[1] + view::FRAME[3]),
        ]);
        let nearest = middle - normal * (dot(normal, middle) - offset);
        // longer than the diagonal of the picture
        let reach = 1000.0 / self.view.scale;
        let along = Vec2::new(normal.y, -normal.x) * reach;
        let deep = normal * (-2.0 * reach);
        let corners = [nearest - along, nearest + along];
        let area = [corners[0], corners[1], corners[1] + deep, corners[0] + deep];
        let pixels = area.map(|p| self.view.pixel(p));
        self.canvas.area(&pixels, GROUND);
        // y of pixels goes down
        let into = [-normal.x, normal.y];
        symbols::hatched(&mut self.canvas, [pixels[0], pixels[1]], into, GROUND_LINE);
    }

    fn convex(&mut self, pose: &Pose, convex: &Convex, [fill, line]: [Colour; 2]) {
        let points: Vec<canvas::Point> = convex
            .vertices
            .iter()
            .map(|v| self.view.pixel(pose.point(*v)))
            .collect();
        let radius = convex.radius * self.view.scale;
        match points.as_slice() {
            // a dot that can be seen
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
            }
            corners => {
                self.canvas.area(corners, fill);
                self.canvas.outline(corners, line, 2.0);
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
        // without a shape: sticks from the centre to the joints
        if shapes.is_empty() {
            for anchor in self.anchors_of(i) {
                let end = self.view.pixel(pose.point(anchor));
                self.canvas.line(&[centre, end], colours[1], 9.0);
                self.canvas.line(&[centre, end], colours[0], 5.0);
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
        for (i, body) in self.model.bodies.iter().enumerate() {
            let centre = self.view.pixel(self.poses[i].position);
            let colour = BODIES[i % BODIES.len()][1];
            let at = self.labels.place(centre, &body.name);
            self.canvas.text(at, &body.name, colour);
        }
    }
}
