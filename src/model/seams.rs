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

use super::{Contact, ContactKind};
use crate::collide;
use crate::constraint::{Pose, Row};
use crate::math::{Limit, Vec2, Vec3, cross, dot3};
use crate::shape;
use crate::space;
use crate::space::collide::Feature;
use crate::space::shape::{Cylinder, HeightField, Shape};
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

/// Shapes of a body that are nearer to each other touch, m: gaps up to three seam widths are closed, see (1).
const TOUCH: f64 = 4.0 * SEAM;

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

/// A shape of a body, while its neighbours are looked for.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    cover: Arc<Cover>,
    /// The shape is within `radius` of the hull of these, m; none for what has no end.
    corners: Vec<Vec3>,
    radius: f64,
}

impl Candidate {
    pub fn of_plane(shape: &shape::Shape) -> Self {
        let (corners, radius) = match shape {
            shape::Shape::HalfPlane(_) => (Vec::new(), 0.0),
            shape::Shape::Convex(core) => {
                let lift = |v: &Vec2| Vec3::new(v.x, v.y, 0.0);
                (core.vertices.iter().map(lift).collect(), core.radius)
            }
        };
        Self {
            cover: Arc::new(Cover::of_plane(shape)),
            corners,
            radius,
        }
    }

    pub fn of_space(shape: &Shape) -> Self {
        let (corners, radius) = match shape {
            Shape::Sphere(ball) => (vec![ball.centre], ball.radius),
            Shape::Capsule(capsule) => (capsule.ends.to_vec(), capsule.radius),
            Shape::Cylinder(cylinder) => {
                let half = cylinder.axis * cylinder.half_height;
                let ends = [cylinder.centre - half, cylinder.centre + half];
                (ends.to_vec(), cylinder.radius)
            }
            Shape::Polyhedron(solid) => (solid.vertices.clone(), 0.0),
            Shape::HalfSpace(_) | Shape::HeightField(_) => (Vec::new(), 0.0),
        };
        Self {
            cover: Arc::new(Cover::of_space(shape)),
            corners,
            radius,
        }
    }

    // does it have an end, and edges?
    fn is_sharp(&self) -> bool {
        !self.corners.is_empty() && !matches!(*self.cover, Cover::Round(..))
    }

    // along the first axis, m
    fn range(&self) -> [f64; 2] {
        if self.corners.is_empty() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = self.corners.iter().fold(none, |[low, high], x| {
            [low.at_most(x.x), high.at_least(x.x)]
        });
        [low - self.radius - TOUCH, high + self.radius + TOUCH]
    }

    // is the other one beyond one of the faces of this one?
    fn parts(&self, other: &Self) -> bool {
        let Cover::Convex(planes) = &*self.cover else {
            return false;
        };
        let is_beyond = |(normal, offset): &(Vec3, f64)| {
            let height = |x: &Vec3| dot3(*normal, *x) - offset - other.radius;
            other.corners.iter().all(|x| height(x) > TOUCH)
        };
        !other.corners.is_empty() && planes.iter().any(is_beyond)
    }
}

/// The shapes of a body, and which of them touch each other.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    shapes: Vec<Candidate>,
    touching: Vec<Vec<usize>>,
    all: Vec<Option<Arc<Surroundings>>>,
}

impl Parts {
    pub fn new(shapes: Vec<Candidate>) -> Self {
        let ranges: Vec<[f64; 2]> = shapes.iter().map(Candidate::range).collect();
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by(|i, j| ranges[*i][0].total_cmp(&ranges[*j][0]).then(i.cmp(j)));
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); shapes.len()];
        for (k, &i) in order.iter().enumerate() {
            let near = order[k + 1..].iter();
            for &j in near.take_while(|j| ranges[**j][0] <= ranges[i][1]) {
                let [a, b] = [&shapes[i], &shapes[j]];
                if (a.is_sharp() || b.is_sharp()) && !a.parts(b) && !b.parts(a) {
                    touching[i].push(j);
                    touching[j].push(i);
                }
            }
        }
        touching
            .iter_mut()
            .for_each(|others| others.sort_unstable());
        let mut parts = Self {
            all: Vec::with_capacity(shapes.len()),
            shapes,
            touching,
        };
        for i in 0..parts.shapes.len() {
            let all = parts.surroundings(i, |_| true);
            parts.all.push(all);
        }
        parts
    }

    /// The surroundings of a shape, of those others that count; `None` where none of them can hide a part of it.
    pub fn around(&self, i: usize, counts: impl Fn(usize) -> bool) -> Option<Arc<Surroundings>> {
        if self.touching[i].iter().all(|j| counts(*j)) {
            self.all[i].clone()
        } else {
            self.surroundings(i, counts)
        }
    }

    fn surroundings(&self, i: usize, counts: impl Fn(usize) -> bool) -> Option<Arc<Surroundings>> {
        let cover = |j: usize| Arc::clone(&self.shapes[j].cover);
        let others = self.touching[i].iter().filter(|j| counts(**j));
        let others: Vec<Arc<Cover>> = others.map(|j| cover(*j)).collect();
        (self.shapes[i].is_sharp() && !others.is_empty()).then(|| {
            Arc::new(Surroundings {
                own: cover(i),
                others,
            })
        })
    }
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
            Shape::Polyhedron(solid) => {
                Cover::Convex(solid.faces.iter().map(|f| (f.normal, f.offset)).collect())
            }
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

/// What else of the bodies of a contact is at the shapes that touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seams {
    beside: [Option<Arc<Surroundings>>; 2],
    /// How (4) holds at the corner that the contact belongs to.
    corner: Corner,
}

/// What a corner of a shape is for its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Corner {
    /// One of its own, as far as is known in advance.
    #[default]
    Any,
    /// In the middle of one of its edges: it holds where edges, which end a little before, do not.
    OnEdge,
    /// In the middle of one of its faces, or inside.
    Internal,
}

impl Seams {
    pub(super) fn swapped(&self) -> Self {
        let [a, b] = self.beside.clone();
        Self {
            beside: [b, a],
            corner: self.corner,
        }
    }

    pub(super) fn new(beside: [Option<Arc<Surroundings>>; 2]) -> Self {
        Self {
            beside,
            corner: Corner::Any,
        }
    }

    /// For the contact of a corner of the second body, with the unit vectors along the sides that leave it: in the plane two, in space more.
    fn of_corner(self, corner: Vec3, leaving: &[Vec3]) -> Self {
        let goes_on = |side: &&Vec3| {
            let beside = self.beside[1].as_ref();
            beside.is_some_and(|beside| beside.goes_on(corner, -**side))
        };
        let dimension = leaving.len().min(3);
        let straight = leaving.iter().filter(goes_on).count();
        let corner = match straight {
            0 => Corner::Any,
            1 if dimension == 3 => Corner::OnEdge,
            _ => Corner::Internal,
        };
        Self { corner, ..self }
    }

    /// Can a place of the contact be inside the material of a body?
    #[inline]
    pub fn any(&self) -> bool {
        self.beside[0].is_some() || self.beside[1].is_some()
    }

    // points and normals out of the shapes, in the coordinates of the bodies
    fn expose(&self, sides: [(Vec3, Vec3); 2]) -> bool {
        self.beside.iter().zip(sides).all(|(beside, (x, n))| {
            let beside = beside.as_ref();
            beside.is_none_or(|beside| beside.expose(x, n))
        })
    }

    // (4), for an edge of one of the bodies and the directions in which its faces go on
    fn goes_on(&self, side: usize, point: Vec3, outward: [Vec3; 2]) -> bool {
        let beside = self.beside[side].as_ref();
        beside.is_some_and(|beside| outward.iter().any(|out| beside.goes_on(point, *out)))
    }
}

/// The contacts of a corner in the plane with another body; tells the feature where the edges of that one go on.
pub(super) fn of_plane(seams: Seams, feature: &mut collide::Feature) -> Seams {
    let (n, lift) = (feature.whole.len(), |v: Vec2| Vec3::new(v.x, v.y, 0.0));
    if let (Some(beside), shape::Shape::Convex(core)) = (&seams.beside[0], &feature.target) {
        let sides = 0..core.vertices.len();
        feature.goes_on = sides
            .map(|i| {
                let ends = [i, (i + 1) % core.vertices.len()].map(|k| lift(core.vertices[k]));
                let along = direction(ends[1] - ends[0]).1;
                [
                    beside.goes_on(ends[0], -along),
                    beside.goes_on(ends[1], along),
                ]
            })
            .collect();
    }
    let Some(i) = feature.whole.iter().position(|x| *x == feature.vertex) else {
        return seams;
    };
    if n < 3 {
        return seams;
    }
    let sides = [feature.whole[(i + 1) % n], feature.whole[(i + n - 1) % n]];
    let leaving = sides.map(|end| direction(lift(end - feature.vertex)).1);
    seams.of_corner(lift(feature.vertex), &leaving)
}

/// The same in space, of a shape of the second body.
pub(super) fn of_space(seams: Seams, feature: &space::collide::Feature, shape: &Shape) -> Seams {
    let (Some(vertex), Shape::Polyhedron(solid)) = (feature.vertex(), shape) else {
        return seams;
    };
    match solid.vertices.iter().position(|x| *x == vertex.place) {
        Some(i) => seams.of_corner(vertex.place, &solid.leaving[i]),
        None => seams,
    }
}

impl Contact {
    /// The nearest points of a contact in the plane; `None` where they are inside the material of one of its bodies, too.
    #[inline]
    pub(super) fn exposed(
        &self,
        feature: &collide::Feature,
        a: &Pose,
        b: &Pose,
    ) -> Option<collide::Nearest> {
        let near = feature.nearest(a, b)?;
        if !self.seams.any() || !self.is_hidden(&near, a, b) {
            return Some(near);
        }
        let other = feature.on_other_edge(a, b, |near| !self.is_hidden(near, a, b));
        other.map(|(_, near)| near)
    }

    /// The edge that holds it. A rounded vertex goes on to the next shape at the end of an edge that goes on there.
    pub(super) fn edge(&self, feature: &collide::Feature, a: &Pose, b: &Pose) -> Option<usize> {
        let edge = feature.edge(a, b);
        if !self.seams.any() {
            return edge;
        }
        if let Some((edge, end)) = feature.below(a, b) {
            let goes_on = feature.goes_on.get(edge);
            return goes_on.is_some_and(|ends| ends[end]).then_some(edge);
        }
        let other = || feature.on_other_edge(a, b, |near| !self.is_hidden(near, a, b));
        match feature.nearest(a, b) {
            Some(near) if self.is_hidden(&near, a, b) => {
                other().map_or(edge, |(edge, _)| Some(edge))
            }
            Some(_) | None => edge,
        }
    }

    /// The same two in space.
    #[inline]
    pub(super) fn exposed_in_space(
        &self,
        feature: &Feature,
        a: &space::Pose,
        b: &space::Pose,
    ) -> Option<space::collide::Nearest> {
        let near = feature.nearest(a, b)?;
        (!self.seams.any() || !self.is_hidden_in_space(feature, &near, a, b)).then_some(near)
    }

    pub(super) fn face(
        &self,
        feature: &Feature,
        a: &space::Pose,
        b: &space::Pose,
    ) -> Option<usize> {
        let beside = self.seams.beside[0].as_ref();
        if let Some(beside) = beside
            && let Some((face, border, outward)) = feature.below(a, b)
        {
            return beside.goes_on(border, outward).then_some(face);
        }
        feature.face(a, b)
    }

    fn is_hidden(&self, near: &collide::Nearest, a: &Pose, b: &Pose) -> bool {
        if near.gap == f64::INFINITY {
            return false;
        }
        let of_row = |row: Row| Vec2::new(row.b[0], row.b[1]);
        let normal = near.corner.map_or(near.normal, of_row);
        let arm_a = if near.corner.is_some() {
            near.arm_b + b.position - normal * near.gap - a.position
        } else {
            near.arm_a
        };
        let local = |pose: &Pose, v: Vec2| {
            let v = pose.turn_back(v);
            Vec3::new(v.x, v.y, 0.0)
        };
        self.seams.corner == Corner::Internal
            || !self.seams.expose([
                (local(a, arm_a), local(a, normal)),
                (local(b, near.arm_b), local(b, -normal)),
            ])
    }

    fn is_hidden_in_space(
        &self,
        feature: &Feature,
        near: &space::collide::Nearest,
        a: &space::Pose,
        b: &space::Pose,
    ) -> bool {
        if near.gap == f64::INFINITY {
            return false;
        }
        let of_row = |row: space::Row| Vec3::new(row.b[0], row.b[1], row.b[2]);
        let normal = near.corner.map_or(near.normal, of_row);
        let arm_a = if near.corner.is_some() {
            near.arm_b + b.position - normal * near.gap - a.position
        } else {
            near.arm_a
        };
        let (on_a, on_b) = (a.turn_back(arm_a), b.turn_back(near.arm_b));
        self.seams.corner == Corner::Internal
            || !self
                .seams
                .expose([(on_a, a.turn_back(normal)), (on_b, b.turn_back(-normal))])
            || match feature {
                Feature::Edges {
                    first,
                    edge_a,
                    second,
                    edge_b,
                } => {
                    self.seams.goes_on(0, on_a, first.edges[*edge_a].outward)
                        || self.seams.goes_on(1, on_b, second.edges[*edge_b].outward)
                }
                Feature::CapsuleOnEdge { solid, edge, .. } => {
                    self.seams.goes_on(0, on_a, solid.edges[*edge].outward)
                }
                Feature::OnHalfSpace { .. }
                | Feature::OnBall { .. }
                | Feature::OnCapsule { .. }
                | Feature::OnPolyhedron { .. }
                | Feature::OnCylinder { .. }
                | Feature::OnHeightField { .. }
                | Feature::Capsules { .. }
                | Feature::Rim { .. }
                | Feature::RimPoint { .. } => false,
            }
    }

    /// Does the same part of a body touch the same other body here and there? Where a contact ends at a seam, the next one takes over.
    pub fn is_next_to(&self, other: &Self) -> bool {
        let [mut bodies, mut others] = [self.bodies, other.bodies];
        bodies.sort_unstable();
        others.sort_unstable();
        if !self.seams.any() || bodies != others {
            return false;
        }
        // a corner that is none takes part in no event
        if [self, other]
            .iter()
            .any(|c| c.seams.corner == Corner::OnEdge)
        {
            return true;
        }
        if self.bodies != other.bodies || self.pair == other.pair {
            return false;
        }
        match (&self.kind, &other.kind) {
            (ContactKind::Feature(a), ContactKind::Feature(b)) => a.vertex == b.vertex,
            (ContactKind::Space(a), ContactKind::Space(b)) => a.feature.shares_part(&b.feature),
            (ContactKind::Feature(_) | ContactKind::Space(_) | ContactKind::Limit(_), _) => false,
        }
    }
}
