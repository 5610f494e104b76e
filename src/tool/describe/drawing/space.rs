//! A picture of a scene in space: parallel projection in an oblique view, drawn from back to front.

mod order;
pub mod signs;
pub mod solid;

use super::canvas::{Canvas, Colour, Point, TEXT_HEIGHT, text_width};
use super::labels::{Labels, is_named};
use super::symbols::arrow;
use super::view::{FRAME, View};
use super::{BODIES, GROUND, GROUND_LINE, HEIGHT, WIDTH};
use crate::kinds::space::shape::{HalfSpace, Shape};
use crate::kinds::space::{Pose, tangents};
use crate::math::{Vec2, Vec3, cross3, dot3, most_across, quaternion};
use crate::model::{BodyRef, Model, Poses, shape_of, space_pose_of};
use crate::scene::spec::space::Space;
use solid::Solid;

/// Direction towards the viewer: from the front, slightly from the right and from above.
const EYE: [f64; 3] = [0.45, -0.8, 0.42];

/// Maximum number of grid lines on a plane in each direction.
const MOST_LINES: usize = 40;

/// Minimum distance of grid lines in pixels.
const MESH: f64 = 26.0;

/// Half-width of the visible part of a plane, relative to the size of the scene.
const SHOWN: f64 = 0.9;

/// View axes in the world: right, up and towards the viewer.
struct Eye {
    right: Vec3,
    up: Vec3,
    towards: Vec3,
}

impl Eye {
    fn new() -> Self {
        let towards = Vec3::from(EYE);
        let towards = towards / dot3(towards, towards).sqrt();
        let [up, _] = tangents(towards, Vec3::z());
        Self {
            right: cross3(up, towards),
            up,
            towards,
        }
    }

    fn see(&self, p: Vec3) -> Vec2 {
        Vec2::new(dot3(self.right, p), dot3(self.up, p))
    }
}

/// Drawing context.
struct Drawing<'a> {
    scene: &'a Space,
    model: &'a Model,
    poses: Vec<Pose>,
    eye: Eye,
    view: View,
    canvas: Canvas,
    labels: Labels,
    /// Centre and half size of the visible region, m.
    middle: Vec3,
    half: f64,
}

/// A PNG file; `None` if it does not fit into memory.
pub fn picture(scene: &Space, model: &Model) -> Option<Vec<u8>> {
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let poses = poses.space()[..model.bodies_of_scene().len()].to_vec();
    let eye = Eye::new();
    let solids = solids(scene, model, &poses);
    let points = extent(scene, model, &poses, &solids);
    let (middle, half) = middle_and_half(&points);
    let mut seen: Vec<Vec2> = points.iter().map(|p| eye.see(*p)).collect();
    if scene.ground.is_empty() && seen.len() == 1 {
        let only = seen[0];
        seen.extend([-0.5, 0.5].map(|x| only + Vec2::new(x, 0.0)));
    }
    let mut drawing = Drawing {
        scene,
        model,
        poses,
        view: View::around(&seen),
        eye,
        canvas: Canvas::new(WIDTH, HEIGHT)?,
        labels: Labels::default(),
        middle,
        half,
    };
    let mesh = drawing.ground();
    drawing.solids(solids);
    drawing.elements();
    drawing.joints();
    drawing.arrows();
    drawing.names();
    drawing.frame(mesh);
    drawing.canvas.png()
}

/// Solids of the ground and of all bodies in world axes, with their bodies.
fn solids(scene: &Space, model: &Model, poses: &[Pose]) -> Vec<Solid> {
    let mut solids = Vec::new();
    for shape in &scene.ground {
        if let Ok(shape) = shape_of(&shape.geometry, quaternion::IDENTITY) {
            solids.extend(Solid::new(&shape, &Pose::ground(), None));
        }
    }
    for (i, (body, pose)) in scene.bodies.iter().zip(poses).enumerate() {
        for shape in &body.shapes {
            if let Ok(shape) = shape_of(&shape.geometry, model.bodies[i].axes) {
                solids.extend(Solid::new(&shape, pose, Some(i)));
            }
        }
    }
    solids
}

/// Planes of the ground.
fn planes(scene: &Space) -> Vec<HalfSpace> {
    let shapes = scene.ground.iter();
    let plane = |shape: &crate::scene::spec::Shape<_>| match shape_of(
        &shape.geometry,
        quaternion::IDENTITY,
    ) {
        Ok(Shape::HalfSpace(plane)) => Some(plane),
        _ => None,
    };
    shapes.filter_map(plane).collect()
}

/// Points that must be visible.
fn extent(scene: &Space, model: &Model, poses: &[Pose], solids: &[Solid]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = poses.iter().map(|pose| pose.position).collect();
    for solid in solids {
        let corner = Vec3::new(solid.radius, solid.radius, solid.radius);
        for p in &solid.points {
            points.extend([p - corner, p + corner]);
        }
    }
    points.extend(signs::ends(model, poses));
    // the point of each plane nearest to each body
    for plane in planes(scene) {
        for pose in poses {
            let height = dot3(plane.normal, pose.position) - plane.offset;
            points.push(pose.position - plane.normal * height);
        }
    }
    points
}

fn middle_and_half(points: &[Vec3]) -> (Vec3, f64) {
    let Some(first) = points.first() else {
        return (Vec3::zeros(), 1.0);
    };
    let (mut low, mut high) = (*first, *first);
    for p in points {
        low = low.inf(p);
        high = high.sup(p);
    }
    let size = high - low;
    let half = 0.5 * dot3(size, size).sqrt();
    ((low + high) * 0.5, if half > 0.0 { half } else { 1.0 })
}

impl Drawing<'_> {
    fn pose(&self, body: BodyRef) -> Pose {
        *space_pose_of(&self.poses, body)
    }

    fn pixel(&self, p: Vec3) -> Point {
        self.view.pixel(self.eye.see(p))
    }

    /// Planes with their grids; returns the distance of the lines, m.
    fn ground(&mut self) -> Option<f64> {
        let planes = planes(self.scene);
        let (mesh, _) = super::view::round_step(MESH / self.view.scale);
        let reach = (self.half * (1.0 + SHOWN)).max(2.0 * mesh);
        let n = ((reach / mesh) as usize).clamp(1, MOST_LINES / 2) as i32;
        for plane in &planes {
            let height = dot3(plane.normal, self.middle) - plane.offset;
            let foot = self.middle - plane.normal * height;
            let [first, second] = tangents(plane.normal, most_across(plane.normal));
            // lines at round coordinates in the plane
            let round = |along: Vec3| (dot3(foot, along) / mesh).round() * mesh;
            let origin =
                plane.normal * plane.offset + first * round(first) + second * round(second);
            let at = |i: i32, j: i32| {
                origin + first * (f64::from(i) * mesh) + second * (f64::from(j) * mesh)
            };
            let faces_eye = dot3(plane.normal, self.eye.towards) > 0.0;
            let border = [at(-n, -n), at(n, -n), at(n, n), at(-n, n)].map(|p| self.pixel(p));
            if faces_eye {
                self.canvas.area(&border, GROUND);
            }
            for i in -n..=n {
                for ends in [[at(i, -n), at(i, n)], [at(-n, i), at(n, i)]] {
                    let line = ends.map(|p| self.pixel(p));
                    self.canvas.line(&line, GRID, 1.0);
                }
            }
            self.canvas.outline(&border, GROUND_LINE, 1.0);
        }
        (!planes.is_empty()).then_some(mesh)
    }

    fn solids(&mut self, solids: Vec<Solid>) {
        for i in order::far_first(&solids, self.eye.towards) {
            let solid = &solids[i];
            let colours = match solid.body {
                Some(body) => BODIES[body % BODIES.len()],
                None => [SOLID_GROUND, GROUND_LINE],
            };
            self.solid(solid, colours);
        }
        let bare = |i: &usize| self.scene.bodies[*i].shapes.is_empty();
        let bare: Vec<usize> = (0..self.model.bodies_of_scene().len())
            .filter(bare)
            .collect();
        for i in bare {
            self.sticks(i);
        }
    }

    // a body without a shape: lines from the centre to the joints
    fn sticks(&mut self, body: usize) {
        let [fill, line] = BODIES[body % BODIES.len()];
        let pose = self.poses[body];
        let centre = self.pixel(pose.position);
        for anchor in signs::anchors_of(self.model, body) {
            let end = self.pixel(pose.point(anchor));
            self.canvas.line(&[centre, end], line, 9.0);
            self.canvas.line(&[centre, end], fill, 5.0);
            self.labels.take_line(centre, end, 5.0);
        }
        self.canvas.disc(centre, 6.0, fill);
        self.canvas.circle(centre, 6.0, line, 2.0);
    }

    fn names(&mut self) {
        let bodies = self.model.bodies_of_scene();
        for (i, body) in bodies.iter().enumerate() {
            let centre = self.pixel(self.poses[i].position);
            let colour = BODIES[i % BODIES.len()][1];
            if is_named(i, bodies.len()) {
                self.canvas
                    .name(self.labels.place(centre, &body.name), &body.name, colour);
            }
        }
    }

    /// The frame, the axes and the size of the grid; clears everything outside.
    fn frame(&mut self, mesh: Option<f64>) {
        let [left, top, right, bottom] = FRAME;
        let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
        for [x0, y0, x1, y1] in [
            [0.0, 0.0, left, height],
            [right, 0.0, width, height],
            [0.0, 0.0, width, top],
            [0.0, bottom, width, height],
        ] {
            self.canvas
                .area(&[[x0, y0], [x1, y0], [x1, y1], [x0, y1]], [255; 3]);
        }
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        self.canvas.outline(&corners, AXIS, 1.0);
        let origin = [left + 16.0, bottom - 18.0];
        for (axis, name) in [(Vec3::x(), "x"), (Vec3::y(), "y"), (Vec3::z(), "z")] {
            let seen = self.eye.see(axis) * 38.0;
            let tip = [origin[0] + seen.x, origin[1] - seen.y];
            arrow(&mut self.canvas, origin, tip, AXIS);
            self.canvas.text([tip[0] + 4.0, tip[1] - 2.0], name, AXIS);
        }
        if let Some(mesh) = mesh {
            let text = format!("lines every {mesh} m");
            let x = 0.5 * (left + right - text_width(&text));
            self.canvas
                .text([x, bottom + 12.0 + TEXT_HEIGHT], &text, AXIS);
        }
    }
}

const GRID: Colour = [204, 210, 216];
const SOLID_GROUND: Colour = [206, 210, 214];
const AXIS: Colour = [90, 100, 110];
