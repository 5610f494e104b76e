//! Convex solids in world axes and their drawing: front faces, shaded by their direction.

use super::Drawing;
use crate::kinds::space::shape::{Cylinder, HeightField, Polyhedron, Shape};
use crate::kinds::space::{Pose, tangents};
use crate::math::{Vec3, dot3, most_across};
use crate::tool::describe::drawing::canvas::{Colour, Point};

/// Corners of the polygon for the end of a cylinder.
const ROUND: usize = 36;

/// Maximum number of triangles of a height field; of a finer one only every second, third, .. height is drawn.
const MOST_CELLS: usize = 40;

/// Direction of the light.
const LIGHT: [f64; 3] = [-0.25, -0.45, 0.86];

/// A convex solid: all points within a radius of the hull of some points.
pub struct Solid {
    /// Its body; `None` for the ground.
    pub body: Option<usize>,
    /// m.
    pub points: Vec<Vec3>,
    /// m.
    pub radius: f64,
    /// Flat faces.
    pub faces: Vec<Face>,
    /// Can it not be thin air above its own points, as a piece of a height field is?
    pub is_sheet: bool,
}

/// A flat face.
pub struct Face {
    /// Outward normal.
    pub normal: Vec3,
    /// Indices of its corners, in order.
    pub corners: Vec<usize>,
    /// Which of its edges are drawn, starting with the one from the first corner.
    pub lines: Vec<bool>,
}

impl Solid {
    /// The solids of a shape; none for a half-space.
    pub fn new(shape: &Shape, pose: &Pose, body: Option<usize>) -> Vec<Self> {
        let round = |points: Vec<Vec3>, radius: f64| Self {
            body,
            points,
            radius,
            faces: Vec::new(),
            is_sheet: false,
        };
        match shape {
            Shape::Sphere(ball) => vec![round(vec![pose.point(ball.centre)], ball.radius)],
            Shape::Capsule(capsule) => {
                let ends = capsule.ends.map(|end| pose.point(end)).to_vec();
                vec![round(ends, capsule.radius)]
            }
            Shape::Cylinder(cylinder) => vec![Self::cylinder(cylinder, pose, body)],
            Shape::Polyhedron(solid) => vec![Self::polyhedron(solid, pose, body)],
            Shape::HalfSpace(_) => Vec::new(),
            Shape::HeightField(field) => Self::sheets(field),
        }
    }

    fn polyhedron(solid: &Polyhedron, pose: &Pose, body: Option<usize>) -> Self {
        let faces = solid.faces.iter().map(|face| Face {
            normal: pose.turn(face.normal),
            corners: face.corners.clone(),
            lines: vec![true; face.corners.len()],
        });
        Self {
            body,
            points: solid.vertices.iter().map(|v| pose.point(*v)).collect(),
            radius: 0.0,
            faces: faces.collect(),
            is_sheet: false,
        }
    }

    // first the corners of the lower end, then those of the upper one
    fn cylinder(cylinder: &Cylinder, pose: &Pose, body: Option<usize>) -> Self {
        let axis = pose.turn(cylinder.axis);
        let centre = pose.point(cylinder.centre);
        let [first, second] = tangents(axis, most_across(axis));
        let turn = std::f64::consts::TAU / ROUND as f64;
        let direction = |i: f64| {
            let (sin, cos) = libm::sincos(i * turn);
            first * cos + second * sin
        };
        let mut points = Vec::new();
        for side in [-1.0, 1.0] {
            let end = centre + axis * (side * cylinder.half_height);
            points.extend((0..ROUND).map(|i| end + direction(i as f64) * cylinder.radius));
        }
        let mut faces = vec![
            Face {
                normal: -axis,
                corners: (0..ROUND).rev().collect(),
                lines: vec![true; ROUND],
            },
            Face {
                normal: axis,
                corners: (ROUND..2 * ROUND).collect(),
                lines: vec![true; ROUND],
            },
        ];
        for i in 0..ROUND {
            let next = (i + 1) % ROUND;
            faces.push(Face {
                normal: direction(i as f64 + 0.5),
                corners: vec![i, next, ROUND + next, ROUND + i],
                lines: vec![true, false, true, false],
            });
        }
        Self {
            body,
            points,
            radius: 0.0,
            faces,
            is_sheet: false,
        }
    }

    // two triangles of each cell
    fn sheets(field: &HeightField) -> Vec<Self> {
        let cells = field.cells();
        let stride = cells.map(|n| n.div_ceil(MOST_CELLS).max(1));
        let mut sheets = Vec::new();
        for j in (0..cells[1]).step_by(stride[1]) {
            for i in (0..cells[0]).step_by(stride[0]) {
                let (right, back) = ((i + stride[0]).min(cells[0]), (j + stride[1]).min(cells[1]));
                let [a, b, c, d] =
                    [(i, j), (right, j), (right, back), (i, back)].map(|(i, j)| field.point(i, j));
                for (corners, lines) in [
                    ([a, b, c], [true, true, false]),
                    ([a, c, d], [false, true, true]),
                ] {
                    let across = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                    let size = dot3(across, across).sqrt();
                    if size > 0.0 {
                        sheets.push(Self {
                            body: None,
                            points: corners.to_vec(),
                            radius: 0.0,
                            faces: vec![Face {
                                normal: across / size,
                                corners: vec![0, 1, 2],
                                lines: lines.to_vec(),
                            }],
                            is_sheet: true,
                        });
                    }
                }
            }
        }
        sheets
    }

    /// Smallest and largest coordinate along a direction, m.
    pub fn range(&self, along: Vec3) -> [f64; 2] {
        let size = dot3(along, along).sqrt() * self.radius;
        let places = self.points.iter().map(|p| dot3(along, *p));
        places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x - size), high.max(x + size)]
        })
    }
}

fn lit(colour: Colour, normal: Vec3) -> Colour {
    let light = dot3(normal, Vec3::from(LIGHT));
    let share = 0.86 + 0.14 * light;
    colour.map(|c| (f64::from(c) * share).clamp(0.0, 255.0) as u8)
}

impl Drawing<'_> {
    pub(super) fn solid(&mut self, solid: &Solid, [fill, line]: [Colour; 2]) {
        let pixels: Vec<Point> = solid.points.iter().map(|p| self.pixel(*p)).collect();
        if solid.faces.is_empty() {
            self.round(&pixels, solid.radius * self.view.scale, [fill, line]);
            return;
        }
        let width = if solid.is_sheet { 1.0 } else { 2.0 };
        let towards = self.eye.towards;
        let seen = |face: &&Face| solid.is_sheet || dot3(face.normal, towards) > 0.0;
        let faces: Vec<&Face> = solid.faces.iter().filter(seen).collect();
        for face in &faces {
            let corners: Vec<Point> = face.corners.iter().map(|i| pixels[*i]).collect();
            let colour = lit(fill, face.normal);
            self.canvas.area(&corners, colour);
            // avoid seams between faces
            self.canvas.outline(&corners, colour, 1.0);
        }
        for face in &faces {
            let n = face.corners.len();
            for (k, is_line) in face.lines.iter().enumerate() {
                let ends = [face.corners[k], face.corners[(k + 1) % n]];
                if *is_line || self.is_border(solid, &faces, ends) {
                    let [a, b] = ends.map(|i| pixels[i]);
                    self.canvas.line(&[a, b], line, width);
                    if !solid.is_sheet {
                        self.labels.take_line(a, b, 4.0);
                    }
                }
            }
        }
    }

    // does only one visible face have this edge?
    fn is_border(&self, solid: &Solid, faces: &[&Face], ends: [usize; 2]) -> bool {
        let has = |face: &&&Face| ends.iter().all(|end| face.corners.contains(end));
        !solid.is_sheet && faces.iter().filter(has).count() == 1
    }

    fn round(&mut self, points: &[Point], radius: f64, [fill, line]: [Colour; 2]) {
        match points {
            // a visible dot
            [centre] => {
                let radius = radius.max(5.0);
                self.canvas.disc(*centre, radius, fill);
                let shine = [centre[0] - 0.3 * radius, centre[1] - 0.35 * radius];
                self.canvas
                    .disc(shine, 0.35 * radius, fill.map(|c| c.saturating_add(12)));
                self.canvas.circle(*centre, radius, line, 2.0);
                self.labels.take_around(*centre, radius);
            }
            [a, b] => {
                let width = (2.0 * radius).max(4.0);
                self.canvas.line(points, line, width + 2.0);
                self.canvas.line(points, fill, width - 2.0);
                self.labels.take_line(*a, *b, radius);
            }
            _ => {}
        }
    }
}
