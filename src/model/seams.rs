//! Internal faces, edges and corners: parts of the surface of a shape that other shapes of the same body cover. A contact there
//! is no contact with the body, whose surface is that of the union of its shapes.
//!
//! A corner that rests on a tile is at its surface up to rounding, above or below. Below it, the side face of the next flush tile
//! closes at full speed: a collision with a step of 1e-16 m. So the surface is judged with a tolerance, the seam width d:
//!
//! ```text
//! (0)  a contact at the point p of a shape S has a normal n out of S, which does not lean over S itself: (3) below, with S for the other
//! (1)  it is exposed where p + 2 d n is outside of every other shape of the body, each grown by d
//! (2)  or where that holds for a point p' of S near p, p' - p being across n: the shortest way out of the shape that covers p,
//!      to 2 d above its surface
//! ```
//!
//! What carries a body passes (1): p + 2 d n is 2 d above the surface, also where flush tiles overlap. The side face of a flush or lower
//! neighbour fails it, and (2) as well, because S ends there: it is no higher than what covers it. A real step, or a wall on tiles, is
//! covered at its foot, where a sliding corner meets it, and exposed 2 d above: (2). So steps below 2 d are none, higher ones are
//! collisions. Gaps between shapes count as closed up to 3 d.
//!
//! An edge or a corner of S, where n is not the normal of a face, must be one of the union:
//!
//! ```text
//! (3)  no shape whose surface goes through p, to within d, goes on from there to where n leans: with its normal m at p, n.m > 0, and
//!      u = n - (n.m) m, p + 2 d u/|u| is outside of it
//! (4)  where a side of a face goes on straight beyond its end, or a face beyond its edge, into another shape, the end or the edge is none:
//!      what touches there touches on either side of it
//! ```
//!
//! (3) is for what is round: before it is over the next tile it would touch its edge, leaning. (4) leaves out contacts in the middle of
//! flat surfaces, which carry nothing that others do not.
//!
//! The criterion is about places on bodies, not about motion: it is the same for the ground and for bodies that move, for contacts that
//! touch and for those found in advance, for either body of a contact, and for every way to step.

mod contact;
mod parts;

pub use contact::Seams;
pub(super) use contact::{of_plane, of_space};
pub(super) use parts::{Candidate, Parts};

use crate::kinds::plane::shape;
use crate::kinds::space::shape::{Cylinder, HeightField, Shape};
use crate::math::{Limit, Vec2, Vec3, cross, dot3};
use std::sync::Arc;

/// The seam width d, m: far above what closed contacts are off their surfaces, far below what matters.
pub const SEAM: f64 = 1e-7;

/// A shape reaches where it is to within this, m.
const ON_SURFACE: f64 = 1e-9;

/// Deeper inside a shape, m, no way out is looked for.
const DEEPEST: f64 = 1e-3;

/// A face whose normal has a smaller square across that of the contact is no way out.
const STEEP: f64 = 1e-2;

/// Normals that differ by less are the same: rounding is a million times smaller.
const UPRIGHT: f64 = 1e-10;

/// A normal is none of a shape if it leans over it by more (sine): edges are watched while they do so by a little less.
const SKEW: f64 = 0.25;

/// Shapes to be left one after the other: a floor and two walls.
const MOST_WAYS: usize = 3;

/// What covers: a shape in the coordinates of its body, one of the plane in its plane.
#[derive(Clone, Debug, PartialEq)]
enum Cover {
    /// Behind all of these planes: normal and offset, m.
    Convex(Vec<(Vec3, f64)>),
    /// Within a radius of a segment, m.
    Round([Vec3; 2], f64),
    Cylinder(Cylinder),
    HeightField(Arc<HeightField>),
}

/// A shape among those of its body that touch or overlap it.
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

    // tells how far a point is outside of each face, m, and the normals of the faces
    fn faces(&self, x: Vec3, mut tell: impl FnMut(f64, Vec3)) {
        match self {
            Cover::Convex(planes) => {
                for (normal, offset) in planes {
                    tell(dot3(*normal, x) - offset, *normal);
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
                tell(distance - radius, normal);
            }
            Cover::Cylinder(cylinder) => {
                let d = x - cylinder.centre;
                let along = dot3(d, cylinder.axis);
                tell(along - cylinder.half_height, cylinder.axis);
                tell(-along - cylinder.half_height, -cylinder.axis);
                let (distance, normal) = direction(d - cylinder.axis * along);
                tell(distance - cylinder.radius, normal);
            }
            Cover::HeightField(field) => {
                let (height, normal) = over(field, x);
                tell(height, normal);
            }
        }
    }

    // (3): for normals that lean by more than a sine, with the shape grown by some length
    fn is_leant_on(&self, point: Vec3, normal: Vec3, sine: f64, grown: f64) -> bool {
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

    /// How far a point is outside, m; negative inside. Beyond an edge it is less than the distance.
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

// height over the triangle above or below a point, and its normal; nothing is beside the field
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
    /// Is a contact at this point of the shape, with this normal out of it, one with the body? Body coordinates.
    pub fn expose(&self, point: Vec3, normal: Vec3) -> bool {
        !self.own.is_leant_on(point, normal, SKEW, ON_SURFACE) // (0)
            && self.is_exposed(point, normal, MOST_WAYS)
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
        !is_on_face && others.any(|other| other.is_leant_on(point, normal, UPRIGHT, SEAM))
    }

    // (4)
    fn goes_on(&self, point: Vec3, outward: Vec3) -> bool {
        let beyond = point + outward * (2.0 * SEAM);
        self.others.iter().any(|c| c.height(beyond) <= ON_SURFACE)
    }

    fn is_exposed(&self, point: Vec3, normal: Vec3, ways: usize) -> bool {
        let probe = point + normal * (2.0 * SEAM);
        let Some(cover) = self.others.iter().find(|c| c.height(probe) <= SEAM) else {
            return true; // (1)
        };
        if ways == 0 {
            return false;
        }
        // (2): ways across the normal to 2 d above the faces of what covers
        let way_out = |height: f64, out: Vec3| {
            let across = out - normal * dot3(out, normal);
            let square = dot3(across, across);
            (square >= STEEP).then(|| {
                let length = (2.0 * SEAM - height) / square.sqrt();
                (length, across / square.sqrt())
            })
        };
        let mut least = DEEPEST;
        cover.faces(probe, |height, out| {
            if let Some((length, _)) = way_out(height, out) {
                least = least.at_most(length);
            }
        });
        let mut found = false;
        cover.faces(probe, |height, out| {
            if let Some((length, across)) = way_out(height, out)
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
