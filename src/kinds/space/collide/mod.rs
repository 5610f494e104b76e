//! Gap, normal and contact points of a feature pair in space: a rounded vertex against another shape, two crossing edges,
//! the rim of a cylinder. Each pair of shapes becomes a fixed list of features when the model is built, so that contacts
//! keep their identity from step to step.
//!
//! Every possible contact location belongs to one feature. Adjacent features overlap by a few nanometres, so that no
//! contact is missed.

mod crossing;
mod features;
pub mod grid;
mod half_space;
mod height_field;
pub mod narrow_phase;
mod on_cylinder;
mod on_polyhedron;
mod on_segment;
mod overlap;
mod rim;
mod separation;

pub use features::{Unsupported, features};

use super::shape::{Bound, Capsule, Cylinder, HalfSpace, HeightField, Polyhedron, Shape, Sphere};
use super::{Pose, Row};
use crate::math::{Real, Vec3, dot3};
use std::sync::Arc;

/// A face, and a vertex in contact with it, extend this far beyond the boundary, m: more than the distance at which
/// crossing edges start, physically irrelevant.
const FACE_BEYOND: f64 = 1e-8;

/// Crossing edges start this far from their ends, m, and vertices within this distance coincide: closer than that the
/// vertex-face feature is used. More than a closed contact may be beyond its boundary.
const CORNER: f64 = 4e-9;

/// A feature that ends where another one begins cannot close a contact this close to its boundary, m: closed contacts
/// leave it at 1e-10 m and must not close again at once.
const INACTIVE_MARGIN: f64 = 2e-10;

/// A vertex with a rounding radius, on body b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// In body coordinates, m.
    pub position: Vec3,
    /// m; zero for a sharp vertex.
    pub radius: f64,
}

impl Vertex {
    fn centre_of(sphere: &Sphere) -> Self {
        Self {
            position: sphere.centre,
            radius: sphere.radius,
        }
    }
}

/// A feature of body b against a feature of body a.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// A vertex against a half-space.
    OnHalfSpace {
        /// On b.
        vertex: Vertex,
        /// On a.
        plane: HalfSpace,
    },
    /// A vertex against a sphere.
    OnSphere {
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
        /// The shape that the vertex belongs to; it decides which face is used.
        owner: Owner,
        /// On a.
        collider: Arc<Polyhedron>,
        /// Leave vertex-vertex contacts to the feature with the roles swapped.
        skips_corners: bool,
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
        /// Which triangles: bits 0 and 1 for odd cells along x and y, bit 2 for those above the diagonal.
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
    /// Two crossing edges.
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
    /// A body-fixed point of a cylinder's rim over a half-space on which the cylinder stands.
    RimPoint {
        /// On b, in body coordinates, m.
        point: Vec3,
        /// On b.
        circle: Circle,
        /// On a.
        plane: HalfSpace,
    },
}

/// The shape that a vertex belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Owner {
    /// A sphere or a point.
    Sphere,
    /// A capsule; its other end in body coordinates, m.
    Capsule(Vec3),
    /// A polyhedron, and the index of the vertex.
    Polyhedron(Arc<Polyhedron>, usize),
}

/// A circle in body coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// m.
    pub centre: Vec3,
    /// Unit normal of its plane.
    pub axis: Vec3,
    /// m.
    pub radius: f64,
}

/// Closest points of two shapes.
pub type Nearest<T = f64> = crate::kinds::Nearest<T, Vec3<T>, Row<T>>;

/// Signed distance of two polyhedra along their best separating axis: a face normal, or the cross product of two edges.
pub type Separation = crate::kinds::Separation<Row>;

impl<T: Real> Nearest<T> {
    /// Velocity of b relative to a at the contact, along a direction in world axes.
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

    // of a feature that ends where another one begins
    fn inactive_near_boundary(self) -> Self {
        if self.margin < INACTIVE_MARGIN {
            self.inactive()
        } else {
            self
        }
    }

    // another feature handles this location; a closed contact continues along its plane or line
    fn inactive(self) -> Self {
        Self {
            gap: T::constant(f64::INFINITY),
            corner: Some(Row::zero()),
            ..self
        }
    }
}

impl Feature {
    /// Closest points at the given poses; `None` if another feature handles this location.
    pub fn nearest<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match self {
            Feature::OnHalfSpace { vertex, plane } => {
                Some(half_space::nearest(vertex, plane, a, b))
            }
            Feature::OnSphere { vertex, ball } => Some(on_segment::sphere(vertex, ball, a, b)),
            Feature::OnCapsule {
                vertex,
                capsule,
                between_ends,
            } => Some(on_segment::nearest(vertex, capsule, *between_ends, a, b)),
            Feature::OnPolyhedron {
                vertex,
                owner,
                collider,
                skips_corners,
            } => Some(on_polyhedron::nearest(
                vertex,
                owner,
                collider,
                *skips_corners,
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

    /// The active sharp face (or side of a pair of edges) at the given poses, for [`Feature::nearest_on`]; `None` for
    /// rounded shapes and beyond boundaries.
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
            _ => None,
        }
    }

    /// Like [`Feature::nearest`], but against the plane of the given face, or the lines of the edges.
    pub fn nearest_on<T: Real>(&self, face: usize, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match self {
            Feature::OnPolyhedron {
                vertex,
                collider,
                skips_corners,
                ..
            } => Some(on_polyhedron::on_face(
                vertex,
                collider,
                face,
                *skips_corners,
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
            _ => self.nearest(a, b),
        }
    }

    /// The face that a rounded vertex projects onto, the closest point of its boundary, and the outward direction there,
    /// in the coordinates of body a.
    pub fn below(&self, a: &Pose, b: &Pose) -> Option<(usize, Vec3, Vec3)> {
        let Feature::OnPolyhedron {
            vertex, collider, ..
        } = self
        else {
            return None;
        };
        on_polyhedron::below(vertex, collider, a, b)
    }

    /// The vertex on body b, if the feature has one.
    pub fn vertex(&self) -> Option<&Vertex> {
        match self {
            Feature::OnHalfSpace { vertex, .. }
            | Feature::OnSphere { vertex, .. }
            | Feature::OnCapsule { vertex, .. }
            | Feature::OnPolyhedron { vertex, .. }
            | Feature::OnCylinder { vertex, .. }
            | Feature::OnHeightField { vertex, .. } => Some(vertex),
            _ => None,
        }
    }

    /// Do both features, of the same two bodies, have the same vertex, or the same edge of one of them?
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

    /// Can [`Feature::heading`] return a direction?
    pub fn has_heading(&self) -> bool {
        matches!(self, Feature::Rim { .. })
    }

    /// Direction, in the axes of body a, that must not turn far in a step: that of the lowest point of a rim, which moves
    /// around the rim the faster the smaller the tilt of the cylinder. `None` for features without such a point.
    pub fn heading(&self, a: &Pose, b: &Pose) -> Option<Vec3> {
        let Feature::Rim { circle, plane } = self else {
            return None;
        };
        rim::heading(circle, plane, a, b)
    }

    /// The two shapes of the pair, if both are polyhedra.
    fn polyhedra(&self) -> Option<[&Polyhedron; 2]> {
        match self {
            Feature::OnPolyhedron {
                owner: Owner::Polyhedron(whole, _),
                collider,
                ..
            } => Some([collider, whole]),
            Feature::Edges { first, second, .. } => Some([first, second]),
            _ => None,
        }
    }

    /// Signed distance of the two shapes, if both are polyhedra, or if the axis of a capsule intersects a polyhedron.
    /// Overlapping shapes need not contain a vertex of each other.
    pub fn separation(&self, a: &Pose, b: &Pose) -> Option<Separation> {
        match self {
            Feature::OnPolyhedron {
                vertex,
                owner,
                collider,
                ..
            } => match owner {
                Owner::Sphere => None,
                Owner::Capsule(other) => separation::pierced(collider, vertex, *other, a, b),
                Owner::Polyhedron(whole, _) => Some(separation::of(collider, whole, a, b)),
            },
            Feature::Edges { first, second, .. } => Some(separation::of(first, second, a, b)),
            _ => None,
        }
    }
}

/// Bounding spheres of a pair of shapes, which exclude distant pairs from the tests of features.
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

    /// Lower bound of all gaps of the pair, m; the first shape is on body a.
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

/// Contact points relative to the centres of mass, for a gap closed along `normal`.
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
    // coincident centres have no direction: use the z axis
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
