//! Vertex against a convex polyhedron: closest point on its boundary, in the coordinates of the polyhedron's body.
//!
//! (1)  outside, the closest point is the projection onto a face if it is within it, otherwise onto an edge, or a vertex
//! (2)  inside, the projection onto the face with the largest (negative) height
//! (3)  a sharp vertex of a polyhedron faces those faces over which its edges rise: among faces at about the same height
//!      one of these is used, so that a box whose corner is on a corner of another one stands on its upper face

use super::{CORNER, FACE_BEYOND, Nearest, Owner, Vertex, at_surface, between_points, values};
use crate::kinds::space::shape::Polyhedron;
use crate::kinds::space::{Pose, Row};
use crate::math::{Limit, Real, Vec3, dot3};

#[derive(Clone, Copy)]
enum Place {
    Vertex(usize),
    Edge(usize),
    Face(usize),
}

/// An edge may point below the plane of a face by this (sine of the angle) and its vertex still faces it: the sides of a
/// flat standing box and its neighbours are distinguished half-way.
const FACING: f64 = -0.5;

/// Faces are at the same height if they differ by less, m: more than the drift of a closed contact.
const AS_NEAR: f64 = 1e-6;

pub(super) fn nearest<T: Real>(
    vertex: &Vertex,
    owner: &Owner,
    collider: &Polyhedron,
    skips_corners: bool,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let place = place(vertex, owner, collider, &values(a), &values(b));
    let x = b.point(vertex.position);
    let radii = (0.0, vertex.radius);
    let beside = match place {
        Place::Face(face) => {
            let near = on_face(vertex, collider, face, skips_corners, a, b);
            let near = Nearest {
                margin: if vertex.radius > 0.0 {
                    f64::INFINITY
                } else {
                    near.margin
                },
                ..near
            };
            return if near.margin < 0.0 {
                near.inactive()
            } else {
                near
            };
        }
        Place::Edge(edge) => {
            let edge = &collider.edges[edge];
            let (p, d) = (
                a.point(collider.vertices[edge.ends[0]]),
                a.turn(edge.direction),
            );
            between_points(a, b, p + d * dot3(x - p, d), x, radii)
        }
        Place::Vertex(corner) => between_points(a, b, a.point(collider.vertices[corner]), x, radii),
    };
    if vertex.radius > 0.0 {
        return beside;
    }
    // beyond a sharp boundary there is no contact; a closed one continues along the plane of its face
    let local = local(vertex, &values(a), &values(b));
    let face = nearest_plane(collider, place, local);
    let mut near = on_face(vertex, collider, face, skips_corners, a, b);
    near.margin = near.margin.at_most(-CORNER);
    near.gap = beside.gap;
    near.corner = Some(if beside.gap.value() > 0.0 {
        beside.normal_row(a, b)
    } else {
        Row::zero()
    });
    near
}

/// The active sharp face at the given poses; `None` for rounded vertices and beyond boundaries.
pub(super) fn face(
    vertex: &Vertex,
    owner: &Owner,
    collider: &Polyhedron,
    a: &Pose,
    b: &Pose,
) -> Option<usize> {
    if vertex.radius > 0.0 {
        return None;
    }
    match place(vertex, owner, collider, a, b) {
        Place::Face(face) => Some(face),
        Place::Vertex(_) | Place::Edge(_) => None,
    }
}

/// The face that a rounded vertex projects onto, the closest point of its boundary, and the outward direction there.
pub(super) fn below(
    vertex: &Vertex,
    collider: &Polyhedron,
    a: &Pose,
    b: &Pose,
) -> Option<(usize, Vec3, Vec3)> {
    let x = local(vertex, a, b);
    match nearest_place(collider, x) {
        Place::Face(i) if vertex.radius > 0.0 => {
            let face = &collider.faces[i];
            let foot = x - face.normal * face.height(x);
            let mut nearest = (f64::INFINITY, Vec3::zeros());
            for (&corner, &outward) in face.corners.iter().zip(&face.outward) {
                let margin = dot3(outward, collider.vertices[corner] - foot);
                if margin < nearest.0 {
                    nearest = (margin, outward);
                }
            }
            Some((i, foot + nearest.1 * nearest.0, nearest.1))
        }
        Place::Face(_) | Place::Edge(_) | Place::Vertex(_) => None,
    }
}

/// The vertex against the plane of one face.
pub(super) fn on_face<T: Real>(
    vertex: &Vertex,
    collider: &Polyhedron,
    face: usize,
    skips_corners: bool,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(collider.faces[face].normal);
    let x = b.point(vertex.position);
    let distance = dot3(normal, x - a.position) - T::constant(collider.faces[face].offset);
    let foot = x - normal * distance;
    let local = local(vertex, &values(a), &values(b));
    let mut margin = collider.margin(face, local) + FACE_BEYOND;
    if skips_corners && margin < 10.0 * FACE_BEYOND {
        margin = margin.at_most(from_corners(collider, face, local) - CORNER);
    }
    Nearest {
        margin,
        ..at_surface(a, b, foot, x, normal, (0.0, vertex.radius), distance)
    }
}

// distance of the projection of a point from the closest corner of a face
fn from_corners(collider: &Polyhedron, face: usize, x: Vec3) -> f64 {
    let face = &collider.faces[face];
    let square = face.corners.iter().fold(f64::INFINITY, |least, &corner| {
        let d = x - collider.vertices[corner];
        let across = d - face.normal * dot3(d, face.normal);
        least.at_most(dot3(across, across))
    });
    square.sqrt()
}

fn local(vertex: &Vertex, a: &Pose, b: &Pose) -> Vec3 {
    a.turn_back(b.point(vertex.position) - a.position)
}

fn place(vertex: &Vertex, owner: &Owner, collider: &Polyhedron, a: &Pose, b: &Pose) -> Place {
    let x = local(vertex, a, b);
    if vertex.radius == 0.0
        && let Some(face) = facing(owner, collider, x, a, b)
    {
        return Place::Face(face);
    }
    nearest_place(collider, x)
}

// (3), if the vertex projects onto that face and is not outside another one
fn facing(owner: &Owner, collider: &Polyhedron, x: Vec3, a: &Pose, b: &Pose) -> Option<usize> {
    let mut best = (f64::NEG_INFINITY, None);
    let mut highest = f64::NEG_INFINITY;
    for (i, face) in collider.faces.iter().enumerate() {
        let height = face.height(x);
        highest = highest.at_least(height);
        if height <= best.0 {
            continue;
        }
        let faces = match owner {
            Owner::Sphere | Owner::Capsule(_) => true,
            Owner::Polyhedron(whole, vertex) => {
                let normal = b.turn_back(a.turn(face.normal));
                let rises = |edge: &Vec3| dot3(normal, *edge) >= FACING;
                whole.leaving[*vertex].iter().all(rises)
            }
        };
        if faces {
            best = (height, Some(i));
        }
    }
    let face = best.1?;
    let outside = |(i, other): (usize, &crate::kinds::space::shape::Face)| {
        i != face && other.height(x) > FACE_BEYOND
    };
    let beyond = collider.margin(face, x) < -FACE_BEYOND
        || (best.0 <= 0.0 && collider.faces.iter().enumerate().any(outside))
        || (best.0 <= 0.0 && best.0 < highest - AS_NEAR);
    (!beyond).then_some(face)
}

// (1), (2)
fn nearest_place(collider: &Polyhedron, x: Vec3) -> Place {
    let mut highest = (f64::NEG_INFINITY, 0);
    for (i, face) in collider.faces.iter().enumerate() {
        let height = face.height(x);
        if height > 0.0 && collider.margin(i, x) >= 0.0 {
            return Place::Face(i);
        }
        if height > highest.0 {
            highest = (height, i);
        }
    }
    if highest.0 <= 0.0 {
        return Place::Face(highest.1);
    }
    let mut nearest = (f64::INFINITY, Place::Face(highest.1));
    for (i, edge) in collider.edges.iter().enumerate() {
        // the closest edge is adjacent to a face that the point is outside of
        if edge
            .faces
            .iter()
            .all(|&f| collider.faces[f].height(x) <= 0.0)
        {
            continue;
        }
        let d = x - collider.vertices[edge.ends[0]];
        let along = dot3(d, edge.direction);
        let (place, offset) = if along <= 0.0 {
            (Place::Vertex(edge.ends[0]), d)
        } else if along >= edge.length {
            (
                Place::Vertex(edge.ends[1]),
                x - collider.vertices[edge.ends[1]],
            )
        } else {
            (Place::Edge(i), d - edge.direction * along)
        };
        let square = dot3(offset, offset);
        if square < nearest.0 {
            nearest = (square, place);
        }
    }
    nearest.1
}

// of the faces at an edge or vertex, the one with the closest plane
fn nearest_plane(collider: &Polyhedron, place: Place, x: Vec3) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (i, face) in collider.faces.iter().enumerate() {
        let is_there = match place {
            Place::Face(f) => f == i,
            Place::Edge(edge) => collider.edges[edge].faces.contains(&i),
            Place::Vertex(vertex) => face.corners.contains(&vertex),
        };
        let height = face.height(x).abs();
        if is_there && height < best.0 {
            best = (height, i);
        }
    }
    best.1
}
