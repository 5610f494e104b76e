//! Internal faces, edges and corners: parts of the surface of a shape that are covered by other shapes of the same body. Contacts there are
//! spurious, since the surface of the body is that of the union of its shapes.
//!
//! A corner that rests on a tile is at its surface up to rounding, above or below. Below it, the side face of the next flush tile
//! approaches at full speed: a collision with a step of 1e-16 m. So the surface has a tolerance, the seam width d:
//!
//! ```text
//! (0)  a contact at the point p of a shape S has a normal n out of S, which does not point over S itself: (3) below, with S as the other shape
//! (1)  it is exposed if p + 2 d n is outside every other shape of the body, each grown by d
//! (2)  or if that holds for a point p' of S near p, with p' - p perpendicular to n: the shortest path out of the covering shape,
//!      to 2 d above its surface
//! ```
//!
//! Supporting contacts satisfy (1): p + 2 d n is 2 d above the surface, also where flush tiles overlap. The side face of a flush or lower
//! neighbour fails (1), and (2) as well, because S ends there: it is no higher than the covering shape. A real step, or a wall on tiles, is
//! covered at its foot, where a sliding corner hits it, and exposed 2 d above: (2). So steps below 2 d are ignored, higher ones are
//! collisions. Gaps between shapes up to 3 d count as closed.
//!
//! An edge or corner of S, where n is not a face normal, must be one of the union:
//!
//! ```text
//! (3)  no shape with p on its surface, to within d, continues from there in the direction n leans to: with its normal m at p, n.m > 0, and
//!      u = n - (n.m) m, p + 2 d u/|u| is outside of it
//! (4)  where an edge of a face continues straight beyond its end, or a face beyond its edge, into another shape, the end or edge is internal:
//!      contacts on either side of it cover it
//! ```
//!
//! (3) is for round shapes: before reaching the next tile they would touch its edge, with a leaning normal. (4) removes contacts in the
//! middle of flat surfaces, which are redundant.
//!
//! The criterion depends on points of bodies, not on motion: it is the same for the ground and for moving bodies, for closed and predicted
//! contacts, for either body of a contact, and for both integrators.

mod contact;
mod parts;

pub use contact::Seams;
pub(super) use contact::{of_plane, of_space};
pub(super) use parts::{Candidate, Parts};

use crate::kinds::plane::shape;
use crate::kinds::space::shape::{Cylinder, HeightField, Shape};
use crate::math::{Limit, Vec2, Vec3, cross, dot3};
use std::sync::Arc;

/// Seam width d, m: far above position errors of closed contacts, physically irrelevant.
pub const SEAM: f64 = 1e-7;

/// Tolerance of a point on the surface of a shape, m.
const ON_SURFACE: f64 = 1e-9;

/// Deeper inside a shape, m, path (2) is not searched.
const DEEPEST: f64 = 1e-3;

/// Faces whose normal has a smaller squared component across the contact normal are not used in (2).
const STEEP: f64 = 1e-2;

/// Normals that differ by less are equal: rounding is a million times smaller.
const UPRIGHT: f64 = 1e-10;

/// A contact normal that leans over its own shape by more (sine) is not valid: edges are tracked slightly below that.
const SKEW: f64 = 0.25;

/// Covering shapes to leave one after the other: a floor and two walls.
const MAX_WAYS: usize = 3;

/// A covering shape in the coordinates of its body; shapes of the plane are in the xy plane.
#[derive(Clone, Debug, PartialEq)]
enum Cover {
    /// Behind all of these planes: normal and offset, m.
    Convex(Vec<(Vec3, f64)>),
    /// Within a radius of a segment, m.
    Round([Vec3; 2], f64),
    Cylinder(Cylinder),
    HeightField(Arc<HeightField>),
}

/// A shape and the other shapes of its body that touch or overlap it.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    own: Arc<Cover>,
    others: Vec<Arc<Cover>>,
}

impl Cover {
    fn of_plane(shape: &shape::Shape) -> Self {
        let lift = |v: Vec2| Vec3::new(v.x, v.y, 0.0);
        match shape {
            shape::Shape::HalfPlane(plane) => {
                Cover::Convex(vec![(lift(plane.normal), plane.offset)])
            }
            shape::Shape::Convex(core) => match core.vertices.as_slice() {
                [] => Cover::Convex(Vec::new()),
                [centre] => Cover::Round([lift(*centre); 2], core.radius),
                [from, to] => Cover::Round([lift(*from), lift(*to)], core.radius),
                vertices => {
                    let side = |i: usize| {
                        let edge = vertices[(i + 1) % vertices.len()] - vertices[i];
                        let length = (edge.x * edge.x + edge.y * edge.y).sqrt();
                        let offset = -cross(edge, vertices[i]) / length;
                        (Vec3::new(edge.y / length, -edge.x / length, 0.0), offset)
                    };
                    Cover::Convex((0..vertices.len()).map(side).collect())
                }
            },
        }
    }

    fn of_space(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(ball) => Cover::Round([ball.centre; 2], ball.radius),
            Shape::Capsule(capsule) => Cover::Round(capsule.ends, capsule.radius),
            Shape::Cylinder(cylinder) => Cover::Cylinder(*cylinder),
            Shape::Polyhedron(collider) => Cover::Convex(
                collider
                    .faces
                    .iter()
                    .map(|f| (f.normal, f.offset))
                    .collect(),
            ),
            Shape::HalfSpace(plane) => Cover::Convex(vec![(plane.normal, plane.offset)]),
            Shape::HeightField(field) => Cover::HeightField(Arc::clone(field)),
        }
    }

    // passes the distance of a point from each face, m, positive outside, and the normal of the face to `visit`
    fn faces(&self, x: Vec3, mut visit: impl FnMut(f64, Vec3)) {
        match self {
            Cover::Convex(planes) => {
                for (normal, offset) in planes {
                    visit(dot3(*normal, x) - offset, *normal);
                }
            }
            Cover::Round([from, to], radius) => {
                let span = *to - *from;
                let square = dot3(span, span);
                let along = if square > 0.0 {
                    (dot3(x - *from, span) / square).at_least(0.0).at_most(1.0)
                } else {
                    0.0
                };
                let (distance, normal) = direction(x - *from - span * along);
                visit(distance - radius, normal);
            }
            Cover::Cylinder(cylinder) => {
                let d = x - cylinder.centre;
                let along = dot3(d, cylinder.axis);
                visit(along - cylinder.half_height, cylinder.axis);
                visit(-along - cylinder.half_height, -cylinder.axis);
                let (distance, normal) = direction(d - cylinder.axis * along);
                visit(distance - cylinder.radius, normal);
            }
            Cover::HeightField(field) => {
                let (height, normal) = over(field, x);
                visit(height, normal);
            }
        }
    }

    // (3) for normals that lean by more than a sine, with the shape grown by a length
    fn leans_over(&self, point: Vec3, normal: Vec3, sine: f64, grown: f64) -> bool {
        let mut found = false;
        self.faces(point, |height, out| {
            let along = dot3(normal, out);
            let lean = normal - out * along;
            let length = dot3(lean, lean).sqrt();
            if !found && height.abs() <= SEAM && along > 0.0 && length > sine {
                found = self.height(point + lean * (2.0 * SEAM / length)) <= grown;
            }
        });
        found
    }

    /// Distance of a point outside, m; negative inside. A lower bound beyond an edge.
    fn height(&self, x: Vec3) -> f64 {
        let mut highest = f64::NEG_INFINITY;
        self.faces(x, |height, _| highest = highest.at_least(height));
        highest
    }
}

fn direction(v: Vec3) -> (f64, Vec3) {
    let length = dot3(v, v).sqrt();
    let any = Vec3::new(1.0, 0.0, 0.0);
    (length, if length > 0.0 { v / length } else { any })
}

// height above the triangle at a point, and its normal; infinitely high beside the field
fn over(field: &HeightField, x: Vec3) -> (f64, Vec3) {
    let up = Vec3::new(0.0, 0.0, 1.0);
    let [nx, ny] = field.cells();
    let u = (x.x - field.corner.x) / field.spacing[0];
    let v = (x.y - field.corner.y) / field.spacing[1];
    if !(u >= 0.0 && v >= 0.0 && u <= nx as f64 && v <= ny as f64) {
        return (f64::INFINITY, up);
    }
    let (i, j) = ((u as usize).min(nx - 1), (v as usize).min(ny - 1));
    let triangle = field.triangle(i, j, v - j as f64 > u - i as f64);
    let height = dot3(triangle.normal, x - triangle.corners[0]);
    (height, triangle.normal)
}

impl Surroundings {
    /// Is a contact at this point of the shape, with this outward normal, on the surface of the body? Body coordinates.
    pub fn expose(&self, point: Vec3, normal: Vec3) -> bool {
        !self.own.leans_over(point, normal, SKEW, ON_SURFACE) // (0)
            && self.is_exposed(point, normal, MAX_WAYS)
            && !self.leans(point, normal)
    }

    // (3)
    fn leans(&self, point: Vec3, normal: Vec3) -> bool {
        let mut is_on_face = false;
        self.own.faces(point, |height, out| {
            let d = out - normal;
            is_on_face |= height.abs() <= ON_SURFACE && dot3(d, d) <= UPRIGHT * UPRIGHT;
        });
        let mut others = self.others.iter();
        !is_on_face && others.any(|other| other.leans_over(point, normal, UPRIGHT, SEAM))
    }

    // (4)
    fn goes_on(&self, point: Vec3, outward: Vec3) -> bool {
        let beyond = point + outward * (2.0 * SEAM);
        self.others.iter().any(|c| c.height(beyond) <= ON_SURFACE)
    }

    fn is_exposed(&self, point: Vec3, normal: Vec3, ways: usize) -> bool {
        let point_above = point + normal * (2.0 * SEAM);
        let Some(cover) = self.others.iter().find(|c| c.height(point_above) <= SEAM) else {
            return true; // (1)
        };
        if ways == 0 {
            return false;
        }
        // (2): paths perpendicular to the normal to 2 d above the faces of the covering shape
        let path_out = |height: f64, out: Vec3| {
            let across = out - normal * dot3(out, normal);
            let square = dot3(across, across);
            (square >= STEEP).then(|| {
                let length = (2.0 * SEAM - height) / square.sqrt();
                (length, across / square.sqrt())
            })
        };
        let mut least = DEEPEST;
        cover.faces(point_above, |height, out| {
            if let Some((length, _)) = path_out(height, out) {
                least = least.at_most(length);
            }
        });
        let mut found = false;
        cover.faces(point_above, |height, out| {
            if let Some((length, across)) = path_out(height, out)
                && !found
                && length <= least + 3.0 * SEAM
                && length < DEEPEST
            {
                let there = point + across * length;
                found = self.own.height(there) <= ON_SURFACE
                    && self.is_exposed(there, normal, ways - 1);
            }
        });
        found
    }
}
