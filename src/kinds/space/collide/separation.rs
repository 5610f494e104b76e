//! Separating axis theorem for two polyhedra. The candidates are the faces of their Minkowski difference: faces of either
//! one, and pairs of crossing edges.
//!
//! (1)  S = max over faces of either one, min over vertices x of the other one: height of x over the face
//! (2)  and max over pairs of edges whose normals cross: their distance along n = d1 x d2
//! (3)  as arcs on the Gauss map, the edge between faces A, B and the one between -C, -D cross if C and D are on
//!      different sides of the plane of A and B and vice versa

use super::{Row, Separation, Vertex, at_surface, crossing, on_polyhedron};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Polyhedron;
use crate::math::{Limit, Vec3, cross3, dot3};

pub(super) fn of(first: &Polyhedron, second: &Polyhedron, a: &Pose, b: &Pose) -> Separation {
    let of_a = best_face(first, second, a, b);
    let of_b = best_face(second, first, b, a);
    let of_edges = best_edges(first, second, a, b);
    let mut best = if of_a.height >= of_b.height {
        along(&of_a, first, second, a, b)
    } else {
        let swapped = along(&of_b, second, first, b, a);
        let Row { a, b } = swapped.row;
        Separation {
            row: Row { a: b, b: a },
            ..swapped
        }
    };
    if let Some((i, j, side, distance)) = of_edges
        && distance > best.gap
        && let Some(near) = crossing::on_side((first, i), (second, j), side, a, b)
    {
        best = Separation {
            gap: near.offset,
            row: near.normal_row(a, b),
        };
    }
    best
}

/// Axis of least penetration.
pub(super) enum Axis {
    /// A face of the first one.
    OfFirst(usize),
    /// A face of the second one.
    OfSecond(usize),
    /// Two edges, and the side as in `crossing`.
    Edges(usize, usize, usize),
}

/// An edge axis is used only if its penetration is below this fraction of that of the best face: bodies that lie flat on
/// each other would be supported at a single point.
const SHORTER: f64 = 0.95;

/// The axis of (about) least penetration.
pub(super) fn axis(first: &Polyhedron, second: &Polyhedron, a: &Pose, b: &Pose) -> Axis {
    let of_a = best_face(first, second, a, b);
    let of_b = best_face(second, first, b, a);
    let of_faces = of_a.height.at_least(of_b.height);
    match best_edges(first, second, a, b) {
        Some((i, j, side, distance)) if distance > SHORTER * of_faces => Axis::Edges(i, j, side),
        _ if of_a.height >= of_b.height => Axis::OfFirst(of_a.face),
        _ => Axis::OfSecond(of_b.face),
    }
}

struct Best {
    height: f64,
    face: usize,
    lowest: usize,
}

fn along(axis: &Best, collider: &Polyhedron, other: &Polyhedron, a: &Pose, b: &Pose) -> Separation {
    let vertex = Vertex {
        position: other.vertices[axis.lowest],
        radius: 0.0,
    };
    let near = on_polyhedron::on_face(&vertex, collider, axis.face, false, a, b);
    Separation {
        gap: near.offset,
        row: near.normal_row(a, b),
    }
}

// (1)
fn best_face(collider: &Polyhedron, other: &Polyhedron, a: &Pose, b: &Pose) -> Best {
    let mut best = Best {
        height: f64::NEG_INFINITY,
        face: 0,
        lowest: 0,
    };
    let from = b.turn_back(a.position - b.position);
    for (i, face) in collider.faces.iter().enumerate() {
        let normal = b.turn_back(a.turn(face.normal));
        let level = dot3(normal, from) + face.offset;
        let mut lowest = (f64::INFINITY, 0);
        for (j, &x) in other.vertices.iter().enumerate() {
            let height = dot3(normal, x) - level;
            if height < lowest.0 {
                lowest = (height, j);
                if height <= best.height {
                    break;
                }
            }
        }
        if lowest.0 > best.height {
            best = Best {
                height: lowest.0,
                face: i,
                lowest: lowest.1,
            };
        }
    }
    best
}

// (2): the edges, the side and their distance
fn best_edges(
    first: &Polyhedron,
    second: &Polyhedron,
    a: &Pose,
    b: &Pose,
) -> Option<(usize, usize, usize, f64)> {
    let mut best: Option<(usize, usize, usize, f64)> = None;
    let into_a = |v: Vec3| a.turn_back(b.turn(v));
    for (j, edge_b) in second.edges.iter().enumerate() {
        let [c, d] = edge_b.faces.map(|f| -into_a(second.faces[f].normal));
        let along_b = into_a(edge_b.direction);
        let on_b = a.turn_back(b.point(second.vertices[edge_b.ends[0]]) - a.position);
        for (i, edge_a) in first.edges.iter().enumerate() {
            let along_a = edge_a.direction;
            // (3): the plane of the normals at an edge is perpendicular to the edge
            if dot3(c, along_a) * dot3(d, along_a) >= 0.0 {
                continue;
            }
            let [p, q] = edge_a.faces.map(|f| first.faces[f].normal);
            if dot3(p, along_b) * dot3(q, along_b) >= 0.0 {
                continue;
            }
            let across = cross3(along_a, along_b);
            let length = dot3(across, across).sqrt();
            if length <= crossing::PARALLEL {
                continue;
            }
            let side = if dot3(across, p + q) >= 0.0 { 0 } else { 1 };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            // arcs on different hemispheres do not cross
            if sign * dot3(across, c + d) <= 0.0 {
                continue;
            }
            let from = on_b - first.vertices[edge_a.ends[0]];
            let distance = sign * dot3(across, from) / length;
            if best.is_none_or(|found| distance > found.3) {
                best = Some((i, j, side, distance));
            }
        }
    }
    best
}

/// A capsule whose axis intersects a polyhedron, although its ends may be outside.
pub(super) fn pierced(
    collider: &Polyhedron,
    end: &Vertex,
    other: Vec3,
    a: &Pose,
    b: &Pose,
) -> Option<Separation> {
    let ends = [end.position, other];
    let local = ends.map(|x| a.turn_back(b.point(x) - a.position));
    let (mut from, mut to): (f64, f64) = (0.0, 1.0);
    let mut best = (f64::NEG_INFINITY, 0, 0);
    for (i, face) in collider.faces.iter().enumerate() {
        let [h0, h1] = local.map(|x| face.height(x));
        if h0 > 0.0 && h1 > 0.0 {
            return None;
        }
        if h0 > 0.0 {
            from = from.at_least(h0 / (h0 - h1));
        } else if h1 > 0.0 {
            to = to.at_most(h0 / (h0 - h1));
        }
        let lowest = h0.at_most(h1);
        if lowest > best.0 {
            best = (lowest, i, usize::from(h1 < h0));
        }
    }
    if from >= to {
        return None;
    }
    let normal = a.turn(collider.faces[best.1].normal);
    let x = b.point(ends[best.2]);
    let foot = x - normal * best.0;
    let near = at_surface(a, b, foot, x, normal, (0.0, end.radius), best.0);
    Some(Separation {
        gap: near.gap,
        row: near.normal_row(a, b),
    })
}
