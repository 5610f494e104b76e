//! Gap, normal and contact points of a feature pair in space: a rounded vertex against another shape, two edges that
//! cross, the rim of a cylinder. Each pair of shapes becomes a fixed list of such features when the model is built, so
//! that a contact keeps its identity from step to step.
//!
//! Every place where two shapes can touch has one feature that looks after it; next to the border between two
//! features they overlap by a few nanometres, so that nothing falls through.

pub mod broad;
mod crossing;
mod features;
pub mod grid;
mod half_space;
mod height_field;
pub mod meeting;
mod on_cylinder;
mod on_polyhedron;
mod on_segment;
mod overlap;
mod rim;
mod separation;

pub use features::{Unsupported, features};

use super::shape::{Bound, Capsule, Cylinder, HalfSpace, HeightField, Polyhedron, Shape};
use super::{Pose, Row};
use crate::math::{Real, Vec3, dot3};
use std::sync::Arc;

/// A face, and a vertex that touches it, go on this far beyond the border, m: more than the place where crossing edges
/// begin, far below what counts.
const FACE_BEYOND: f64 = 1e-8;

/// Edges that cross begin this far from their ends, m, and vertices within this distance of each other are one place:
/// nearer than that the vertex on the face looks after it. More than a closed contact may be beyond its border.
const CORNER: f64 = 4e-9;

/// A feature that ends where another one begins is not seen to touch this near to its border, m: there closed contacts
/// leave, at 1e-10 m, and are not to come back at once.
const AJAR: f64 = 2e-10;

/// A vertex with a rounding radius, on body b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// In body coordinates, m.
    pub place: Vec3,
    /// m; zero for a sharp one.
    pub radius: f64,
}

/// A part of body b against a part of body a.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// A vertex against a half-space.
    OnHalfSpace {
        /// On b.
        vertex: Vertex,
        /// On a.
        plane: HalfSpace,
    },
    /// A vertex against a ball.
    OnBall {
        /// On b.
        vertex: Vertex,
        /// On a.
        ball: Vertex,
    },
    /// A vertex against a capsule.
    OnCapsule {
        /// On b.
        vertex: Vertex,
        /// On a.
        capsule: Capsule,
        /// Leave the ends of the capsule to another feature.
        between_ends: bool,
    },
    /// A vertex against a polyhedron.
    OnPolyhedron {
        /// On b.
        vertex: Vertex,
        /// What the vertex belongs to: which face it faces.
        owner: Owner,
        /// On a.
        collider: Arc<Polyhedron>,
        /// Leave vertices that meet vertices to the feature that looks at them from the other side.
        leaves_corners: bool,
    },
    /// A vertex against a cylinder.
    OnCylinder {
        /// On b.
        vertex: Vertex,
        /// On a.
        cylinder: Cylinder,
    },
    /// A vertex against every eighth triangle of a height field.
    OnHeightField {
        /// On b.
        vertex: Vertex,
        /// On a.
        field: Arc<HeightField>,
        /// Which triangles: bit 0 and 1 for odd cells along x and y, bit 2 for those above the diagonal.
        colour: usize,
    },
    /// Two capsules that cross between their ends.
    Capsules {
        /// On a.
        first: Capsule,
        /// On b.
        second: Capsule,
    },
    /// A capsule that crosses an edge.
    CapsuleOnEdge {
        /// On a.
        collider: Arc<Polyhedron>,
        /// Which edge.
        edge: usize,
        /// On b.
        capsule: Capsule,
    },
    /// Two edges that cross.
    Edges {
        /// On a.
        first: Arc<Polyhedron>,
        /// Which edge of the first one.
        edge_a: usize,
        /// On b.
        second: Arc<Polyhedron>,
        /// Which edge of the second one.
        edge_b: usize,
    },
    /// The lowest point of a cylinder's rim over a half-space.
    Rim {
        /// On b.
        circle: Circle,
        /// On a.
        plane: HalfSpace,
    },
    /// A fixed point of a cylinder's rim over a half-space on which the cylinder stands.
    RimPoint {
        /// On b, in body coordinates, m.
        point: Vec3,
        /// On b.
        circle: Circle,
        /// On a.
        plane: HalfSpace,
    },
}

/// What a vertex belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Owner {
    /// A ball or a point.
    Ball,
    /// A capsule; its other end in body coordinates, m.
    Capsule(Vec3),
    /// A polyhedron, and which of its vertices.
    Polyhedron(Arc<Polyhedron>, usize),
}

/// A circle in body coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// m.
    pub centre: Vec3,
    /// Unit vector across its plane.
    pub axis: Vec3,
    /// m.
    pub radius: f64,
}

/// Where two shapes are nearest. The normal points from body a to body b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<T = f64> {
    /// m; negative when they overlap, infinite where another feature looks after this place.
    pub gap: T,
    /// Unit vector from a to b.
    pub normal: Vec3<T>,
    /// Contact point on a, from its centre of mass, world axes, m.
    pub arm_a: Vec3<T>,
    /// Contact point on b, from its centre of mass, world axes, m.
    pub arm_b: Vec3<T>,
    /// Distance along the normal, m. Beyond the border of a face or the end of an edge it goes on along the plane of
    /// the face or the line of the edge.
    pub offset: T,
    /// How far the contact is from the border of its face or the end of its edge, m; negative beyond it, infinite
    /// where there is none.
    pub margin: f64,
    /// Gradient of the gap, where that is not the normal row.
    pub corner: Option<Row<T>>,
}

/// How far two polyhedra are apart, along the best of all normals of faces and of pairs of edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// m; positive exactly where they do not touch, minus the least way that parts them where they overlap.
    pub gap: f64,
    /// Gradient of the gap.
    pub row: Row,
}

impl<T: Real> Nearest<T> {
    /// Velocity of b over a at the contact along a direction in world axes.
    pub fn velocity_row(&self, direction: Vec3<T>, a: &Pose<T>, b: &Pose<T>) -> Row<T> {
        Row::relative_velocity(direction, (a, self.arm_a), (b, self.arm_b))
    }

    /// Gradient of the offset.
    pub fn normal_row(&self, a: &Pose<T>, b: &Pose<T>) -> Row<T> {
        self.velocity_row(self.normal, a, b)
    }

    /// Gradient of the gap.
    pub fn gap_row(&self, a: &Pose<T>, b: &Pose<T>) -> Row<T> {
        self.corner.unwrap_or_else(|| self.normal_row(a, b))
    }

    // a feature that ends where another one begins
    fn within_margin(self) -> Self {
        if self.margin < AJAR {
            self.left_to_another()
        } else {
            self
        }
    }

    // another feature looks after this place; what was closed goes on along its plane or line
    fn left_to_another(self) -> Self {
        Self {
            gap: T::constant(f64::INFINITY),
            corner: Some(Row::zero()),
            ..self
        }
    }
}

impl Feature {
    /// Nearest points at the given poses; `None` if another feature looks after this place.
    pub fn nearest<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match self {
            Feature::OnHalfSpace { vertex, plane } => {
                Some(half_space::nearest(vertex, plane, a, b))
            }
            Feature::OnBall { vertex, ball } => Some(on_segment::ball(vertex, ball, a, b)),
            Feature::OnCapsule {
                vertex,
                capsule,
                between_ends,
            } => Some(on_segment::nearest(vertex, capsule, *between_ends, a, b)),
            Feature::OnPolyhedron {
                vertex,
                owner,
                collider,
                leaves_corners,
            } => Some(on_polyhedron::nearest(
                vertex,
                owner,
                collider,
                *leaves_corners,
                a,
                b,
            )),
            Feature::OnCylinder { vertex, cylinder } => {
                Some(on_cylinder::nearest(vertex, cylinder, a, b))
            }
            Feature::OnHeightField {
                vertex,
                field,
                colour,
            } => height_field::nearest(vertex, field, *colour, a, b),
            Feature::Capsules { first, second } => crossing::capsules(first, second, a, b),
            Feature::CapsuleOnEdge {
                collider,
                edge,
                capsule,
            } => crossing::capsule_on_edge(collider, *edge, capsule, a, b),
            Feature::Edges {
                first,
                edge_a,
                second,
                edge_b,
            } => crossing::edges((first, *edge_a), (second, *edge_b), a, b),
            Feature::Rim { circle, plane } => Some(rim::lowest(circle, plane, a, b)),
            Feature::RimPoint {
                point,
                circle,
                plane,
            } => Some(rim::fixed(*point, circle, plane, a, b)),
        }
    }

    /// The sharp face (or side of a pair of edges) that counts at the given poses, for [`Feature::nearest_on`]; `None`
    /// on rounded shapes and beyond borders.
    pub fn face(&self, a: &Pose, b: &Pose) -> Option<usize> {
        match self {
            Feature::OnPolyhedron {
                vertex,
                owner,
                collider,
                ..
            } => on_polyhedron::face(vertex, owner, collider, a, b),
            Feature::OnCylinder { vertex, cylinder } => on_cylinder::face(vertex, cylinder, a, b),
            Feature::OnHeightField {
                vertex,
                field,
                colour,
            } => height_field::face(vertex, field, *colour, a, b),
            Feature::Edges {
                first,
                edge_a,
                second,
                edge_b,
            } => crossing::side((first, *edge_a), (second, *edge_b), a, b),
            Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => None,
        }
    }

    /// Like [`Feature::nearest`], but against the plane of the given face, or the lines of the edges, wherever the
    /// bodies are.
    pub fn nearest_on<T: Real>(&self, face: usize, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match self {
            Feature::OnPolyhedron {
                vertex,
                collider,
                leaves_corners,
                ..
            } => Some(on_polyhedron::on_face(
                vertex,
                collider,
                face,
                *leaves_corners,
                a,
                b,
            )),
            Feature::OnCylinder { vertex, cylinder } => {
                Some(on_cylinder::on_face(vertex, cylinder, face, a, b))
            }
            Feature::OnHeightField { vertex, field, .. } => {
                Some(height_field::on_face(vertex, field, face, a, b))
            }
            Feature::Edges {
                first,
                edge_a,
                second,
                edge_b,
            } => crossing::on_side((first, *edge_a), (second, *edge_b), face, a, b),
            Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => self.nearest(a, b),
        }
    }

    /// The face that a rounded vertex is over, the nearest place of its border, and the direction in which it goes on there, in the
    /// coordinates of body a.
    pub fn below(&self, a: &Pose, b: &Pose) -> Option<(usize, Vec3, Vec3)> {
        match self {
            Feature::OnPolyhedron {
                vertex, collider, ..
            } => on_polyhedron::below(vertex, collider, a, b),
            Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::OnCylinder { .. }
            | Feature::OnHeightField { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Edges { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => None,
        }
    }

    /// The vertex of body b that it is about.
    pub fn vertex(&self) -> Option<&Vertex> {
        match self {
            Feature::OnHalfSpace { vertex, .. }
            | Feature::OnBall { vertex, .. }
            | Feature::OnCapsule { vertex, .. }
            | Feature::OnPolyhedron { vertex, .. }
            | Feature::OnCylinder { vertex, .. }
            | Feature::OnHeightField { vertex, .. } => Some(vertex),
            Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Edges { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => None,
        }
    }

    /// Is the other feature, of the same two bodies, about the same vertex, or the same edge of one of them?
    pub fn shares_part(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Feature::Edges {
                    first,
                    edge_a,
                    second,
                    edge_b,
                },
                Feature::Edges {
                    first: other_first,
                    edge_a: other_a,
                    second: other_second,
                    edge_b: other_b,
                },
            ) => {
                (edge_a == other_a && Arc::ptr_eq(first, other_first))
                    || (edge_b == other_b && Arc::ptr_eq(second, other_second))
            }
            _ => self
                .vertex()
                .is_some_and(|vertex| other.vertex() == Some(vertex)),
        }
    }

    /// Can [`Feature::heading`] have an answer?
    pub fn has_heading(&self) -> bool {
        matches!(self, Feature::Rim { .. })
    }

    /// A direction in the axes of body a that a step must not turn far: that of the lowest point of a rim, which runs round
    /// the faster the less the cylinder is tilted. None for features that have no such point.
    pub fn heading(&self, a: &Pose, b: &Pose) -> Option<Vec3> {
        match self {
            Feature::Rim { circle, plane } => rim::heading(circle, plane, a, b),
            Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::OnPolyhedron { .. }
            | Feature::OnCylinder { .. }
            | Feature::OnHeightField { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Edges { .. }
            | Feature::RimPoint { .. } => None,
        }
    }

    /// The two shapes of the pair that it belongs to, if both are polyhedra.
    fn polyhedra(&self) -> Option<[&Polyhedron; 2]> {
        match self {
            Feature::OnPolyhedron {
                owner: Owner::Polyhedron(whole, _),
                collider,
                ..
            } => Some([collider, whole]),
            Feature::Edges { first, second, .. } => Some([first, second]),
            Feature::OnPolyhedron { .. }
            | Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::OnCylinder { .. }
            | Feature::OnHeightField { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => None,
        }
    }

    /// Separation of the two shapes as wholes, if both are polyhedra, or if a capsule's middle line is inside a
    /// polyhedron. No vertex need be inside the other shape where they overlap.
    pub fn separation(&self, a: &Pose, b: &Pose) -> Option<Separation> {
        match self {
            Feature::OnPolyhedron {
                vertex,
                owner,
                collider,
                ..
            } => match owner {
                Owner::Ball => None,
                Owner::Capsule(other) => separation::pierced(collider, vertex, *other, a, b),
                Owner::Polyhedron(whole, _) => Some(separation::of(collider, whole, a, b)),
            },
            Feature::Edges { first, second, .. } => Some(separation::of(first, second, a, b)),
            Feature::OnHalfSpace { .. }
            | Feature::OnBall { .. }
            | Feature::OnCapsule { .. }
            | Feature::OnCylinder { .. }
            | Feature::OnHeightField { .. }
            | Feature::Capsules { .. }
            | Feature::CapsuleOnEdge { .. }
            | Feature::Rim { .. }
            | Feature::RimPoint { .. } => None,
        }
    }
}

/// The bounds of a pair of shapes: where they are apart, no feature of the pair need be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    first: Bound,
    second: Bound,
}

impl Pair {
    /// The bounds of two shapes.
    pub fn new(first: &Shape, second: &Shape) -> Self {
        Self {
            first: Bound::of(first),
            second: Bound::of(second),
        }
    }

    /// No gap of the pair is below this, m; the first shape is on body a.
    pub fn clearance(&self, a: &Pose, b: &Pose) -> f64 {
        self.first.clearance(&self.second, a, b)
    }
}

// a pose without rates, for decisions
fn values<T: Real>(pose: &Pose<T>) -> Pose {
    Pose {
        position: pose.position.map(T::value),
        rotation: pose.rotation.map(T::value),
    }
}

fn length<T: Real>(v: Vec3<T>) -> T {
    dot3(v, v).sqrt()
}

/// Contact points from the centres of mass, for a gap closed along `normal`.
#[inline]
fn at_surface<T: Real>(
    a: &Pose<T>,
    b: &Pose<T>,
    on_core_a: Vec3<T>,
    on_core_b: Vec3<T>,
    normal: Vec3<T>,
    radii: (f64, f64),
    distance: T,
) -> Nearest<T> {
    let (radius_a, radius_b) = (T::constant(radii.0), T::constant(radii.1));
    let gap = distance - radius_a - radius_b;
    Nearest {
        gap,
        normal,
        arm_a: on_core_a + normal * radius_a - a.position,
        arm_b: on_core_b - normal * radius_b - b.position,
        offset: gap,
        margin: f64::INFINITY,
        corner: None,
    }
}

/// Two rounded points.
fn between_points<T: Real>(
    a: &Pose<T>,
    b: &Pose<T>,
    on_core_a: Vec3<T>,
    on_core_b: Vec3<T>,
    radii: (f64, f64),
) -> Nearest<T> {
    let d = on_core_b - on_core_a;
    let square = dot3(d, d);
    // two centres in one place have no direction: push apart upwards
    let (normal, distance) = if square.value() > 0.0 {
        let distance = square.sqrt();
        (d / distance, distance)
    } else {
        (Vec3::new(T::zero(), T::zero(), T::one()), T::zero())
    };
    at_surface(a, b, on_core_a, on_core_b, normal, radii, distance)
}

#[cfg(test)]
mod tests;
