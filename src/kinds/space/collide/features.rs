//! List of features of each pair of shapes.

use super::on_cylinder::any_perpendicular;
use super::{Circle, Feature, Owner, Vertex, rim};
use crate::kinds::space::shape::{Capsule, Cylinder, HalfSpace, Polyhedron, Shape};
use std::sync::Arc;

/// Two kinds of shapes without contact between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Their names in a scene.
    pub kinds: [&'static str; 2],
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let [first, second] = self.kinds;
        write!(f, "contact of a {first} with a {second} is not supported")
    }
}

impl std::error::Error for Unsupported {}

/// The features of a pair of shapes, each with `true` if the roles of the two bodies are swapped (body a of the feature
/// is the second one).
pub fn features(first: &Shape, second: &Shape) -> Result<Vec<(Feature, bool)>, Unsupported> {
    let (lower, upper, swapped) = if rank(first) >= rank(second) {
        (first, second, false)
    } else {
        (second, first, true)
    };
    let mut all = Vec::new();
    let mut push = |feature: Feature| all.push((feature, swapped));
    match (lower, upper) {
        (Shape::HalfSpace(plane), Shape::Cylinder(cylinder)) => {
            cylinder_on_plane(plane, cylinder, &mut push);
        }
        (Shape::HalfSpace(plane), Shape::Sphere(_) | Shape::Capsule(_) | Shape::Polyhedron(_)) => {
            for vertex in vertices(upper) {
                push(Feature::OnHalfSpace {
                    vertex,
                    plane: *plane,
                });
            }
        }
        (
            Shape::HeightField(field),
            Shape::Sphere(_) | Shape::Capsule(_) | Shape::Polyhedron(_),
        ) => {
            for vertex in vertices(upper) {
                for colour in 0..8 {
                    push(Feature::OnHeightField {
                        vertex,
                        field: Arc::clone(field),
                        colour,
                    });
                }
            }
        }
        (
            Shape::HalfSpace(_) | Shape::HeightField(_),
            Shape::HalfSpace(_) | Shape::HeightField(_),
        ) => {}
        (Shape::Cylinder(cylinder), Shape::Sphere(ball)) => push(Feature::OnCylinder {
            vertex: Vertex::centre_of(ball),
            cylinder: *cylinder,
        }),
        (Shape::Polyhedron(collider), Shape::Sphere(ball)) => push(Feature::OnPolyhedron {
            vertex: Vertex::centre_of(ball),
            owner: Owner::Sphere,
            collider: Arc::clone(collider),
            skips_corners: false,
        }),
        (Shape::Polyhedron(collider), Shape::Capsule(capsule)) => {
            capsule_on_polyhedron(collider, capsule, swapped, &mut all);
        }
        (Shape::Polyhedron(a), Shape::Polyhedron(b)) => polyhedra(a, b, &mut all),
        (Shape::Capsule(capsule), Shape::Sphere(ball)) => push(Feature::OnCapsule {
            vertex: Vertex::centre_of(ball),
            capsule: *capsule,
            between_ends: false,
        }),
        (Shape::Capsule(a), Shape::Capsule(b)) => capsules(a, b, &mut all),
        (Shape::Sphere(a), Shape::Sphere(b)) => push(Feature::OnSphere {
            vertex: Vertex::centre_of(b),
            ball: Vertex::centre_of(a),
        }),
        (Shape::HeightField(_), Shape::Cylinder(_))
        | (Shape::Cylinder(_), Shape::Cylinder(_) | Shape::Polyhedron(_) | Shape::Capsule(_)) => {
            return Err(Unsupported {
                kinds: [first.kind(), second.kind()],
            });
        }
        // excluded by the rank
        (Shape::Sphere(_), Shape::Capsule(_) | Shape::Polyhedron(_) | Shape::Cylinder(_))
        | (Shape::Capsule(_), Shape::Polyhedron(_) | Shape::Cylinder(_))
        | (Shape::Polyhedron(_), Shape::Cylinder(_))
        | (
            Shape::Sphere(_) | Shape::Capsule(_) | Shape::Polyhedron(_) | Shape::Cylinder(_),
            Shape::HalfSpace(_) | Shape::HeightField(_),
        ) => {}
    }
    Ok(all)
}

// of two kinds, the one with the higher rank is on body a
fn rank(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere(_) => 0,
        Shape::Capsule(_) => 1,
        Shape::Polyhedron(_) => 2,
        Shape::Cylinder(_) => 3,
        Shape::HeightField(_) => 4,
        Shape::HalfSpace(_) => 5,
    }
}

// vertices whose (rounded) convex hull is the shape
fn vertices(shape: &Shape) -> Vec<Vertex> {
    match shape {
        Shape::Sphere(ball) => vec![Vertex::centre_of(ball)],
        Shape::Capsule(capsule) => capsule.ends.map(|end| rounded(end, capsule)).to_vec(),
        Shape::Polyhedron(collider) => collider
            .vertices
            .iter()
            .map(|&place| sharp(place))
            .collect(),
        Shape::Cylinder(_) | Shape::HalfSpace(_) | Shape::HeightField(_) => Vec::new(),
    }
}

fn sharp(position: crate::math::Vec3) -> Vertex {
    Vertex {
        position,
        radius: 0.0,
    }
}

fn rounded(position: crate::math::Vec3, capsule: &Capsule) -> Vertex {
    Vertex {
        position,
        radius: capsule.radius,
    }
}

// each end against the whole other capsule, in both directions, and the crossing of both
fn capsules(a: &Capsule, b: &Capsule, all: &mut Vec<(Feature, bool)>) {
    for (ends_of, on, swapped) in [(b, a, false), (a, b, true)] {
        for end in ends_of.ends {
            let feature = Feature::OnCapsule {
                vertex: rounded(end, ends_of),
                capsule: *on,
                between_ends: swapped,
            };
            all.push((feature, swapped));
        }
    }
    let crossing = Feature::Capsules {
        first: *a,
        second: *b,
    };
    all.push((crossing, false));
}

fn capsule_on_polyhedron(
    collider: &Arc<Polyhedron>,
    capsule: &Capsule,
    swapped: bool,
    all: &mut Vec<(Feature, bool)>,
) {
    let [from, to] = capsule.ends;
    for (end, other) in [(from, to), (to, from)] {
        let feature = Feature::OnPolyhedron {
            vertex: rounded(end, capsule),
            owner: Owner::Capsule(other),
            collider: Arc::clone(collider),
            skips_corners: false,
        };
        all.push((feature, swapped));
    }
    for edge in 0..collider.edges.len() {
        let feature = Feature::CapsuleOnEdge {
            collider: Arc::clone(collider),
            edge,
            capsule: *capsule,
        };
        all.push((feature, swapped));
    }
    for &place in &collider.vertices {
        let feature = Feature::OnCapsule {
            vertex: sharp(place),
            capsule: *capsule,
            between_ends: true,
        };
        all.push((feature, !swapped));
    }
}

fn polyhedra(a: &Arc<Polyhedron>, b: &Arc<Polyhedron>, all: &mut Vec<(Feature, bool)>) {
    for (of, on, swapped) in [(b, a, false), (a, b, true)] {
        for (i, &place) in of.vertices.iter().enumerate() {
            let feature = Feature::OnPolyhedron {
                vertex: sharp(place),
                owner: Owner::Polyhedron(Arc::clone(of), i),
                collider: Arc::clone(on),
                skips_corners: swapped,
            };
            all.push((feature, swapped));
        }
    }
    for edge_a in 0..a.edges.len() {
        for edge_b in 0..b.edges.len() {
            let feature = Feature::Edges {
                first: Arc::clone(a),
                edge_a,
                second: Arc::clone(b),
                edge_b,
            };
            all.push((feature, false));
        }
    }
}

fn cylinder_on_plane(plane: &HalfSpace, cylinder: &Cylinder, push: &mut impl FnMut(Feature)) {
    let across = any_perpendicular(cylinder.axis);
    for sign in [1.0, -1.0] {
        let circle = Circle {
            centre: cylinder.centre + cylinder.axis * (sign * cylinder.half_height),
            axis: cylinder.axis,
            radius: cylinder.radius,
        };
        let plane = *plane;
        push(Feature::Rim { circle, plane });
        for point in rim::fixed_points(&circle, across) {
            push(Feature::RimPoint {
                point,
                circle,
                plane,
            });
        }
    }
}
