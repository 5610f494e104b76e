//! Vertex against a convex core: closest point on its boundary, in the coordinates of the core's body.
//!
//! (1)  outside, the closest point of an edge from p to q is p + s (q - p), s = (x - p).(q - p)/|q - p|^2 clamped to
//!      [0, 1]; at s = 0 or 1 it is a vertex
//! (2)  inside a polygon, the edge with the largest (negative) distance along its outward normal
//!
//! Separation of two polygons by the best of all their edge normals (separating axis theorem), positive if they are
//! disjoint:
//!
//! (3)  S = max over edges e of either one, min over vertices x of the other one: height of x over the line of e

use super::{Feature, Nearest, Separation, at_surface};
use crate::constraint::{Pose, Row};
use crate::kinds::plane::shape::Convex;
use crate::math::{Limit, Real, Vec2, cross, dot, length};

#[derive(Clone, Copy)]
enum Place {
    Vertex(usize),
    Edge(usize),
}

/// Tolerance of sharp corners, m: closer than this to a corner, the edge that faces the other shape is used.
const CORNER: f64 = 1e-9;

/// Where the surface continues straight on another shape, an edge is extended by this, m, so that a body sliding over the
/// seam is always supported.
const SEAM_REACH: f64 = 1e-8;

pub(super) fn nearest<T: Real>(
    feature: &Feature,
    core: &Convex,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let (vertex, x) = vertex_in_core(feature, a, b);
    let radii = (core.radius, feature.radius);
    let sharp = core.vertices.len() > 2 && core.radius + feature.radius == 0.0;
    match place(feature, core, a, b) {
        Place::Vertex(i) if sharp || feature.edges_only => {
            // beyond a sharp corner, or at a corner handled by another feature, the gap is infinite; a closed contact
            // continues along the line of its edge
            let n = core.vertices.len();
            let edges = if n == 2 { [0, 0] } else { [(i + n - 1) % n, i] };
            let [d0, d1] = edges
                .map(|e| (height(&core.vertices, e, x).abs() - core.radius - feature.radius).abs());
            let edge = edges[usize::from(d1 < d0)];
            let mut near = on_edge(&core.vertices, edge, a, b, vertex, x, radii);
            let corner = a.point(core.vertices[i]);
            let d = vertex - corner;
            let distance = length(d);
            if feature.edges_only {
                near.gap = T::constant(f64::INFINITY);
                near.corner = Some(Row::zero());
            } else if distance.value() > 0.0 {
                near.gap = distance;
                near.corner = Some(Row::relative_velocity(
                    d / distance,
                    corner - a.position,
                    vertex - b.position,
                ));
            }
            Some(near)
        }
        Place::Vertex(i) => {
            let corner = a.point(core.vertices[i]);
            let d = vertex - corner;
            let distance = length(d);
            // coincident centres have no direction: use the y axis
            let normal = if distance.value() > 0.0 {
                d / distance
            } else {
                Vec2::new(T::zero(), T::one())
            };
            Some(at_surface(a, b, corner, vertex, normal, radii, distance))
        }
        Place::Edge(i) => {
            let mut near = on_edge(&core.vertices, i, a, b, vertex, x, radii);
            near.margin = if sharp || feature.edges_only {
                edge_margin(feature, &core.vertices, i, x)
            } else {
                f64::INFINITY
            };
            Some(near)
        }
    }
}

/// The active sharp edge at the given poses; `None` for rounded shapes and beyond corners.
pub(super) fn edge(feature: &Feature, core: &Convex, a: &Pose, b: &Pose) -> Option<usize> {
    if core.vertices.len() < 3 || core.radius + feature.radius > 0.0 {
        return None;
    }
    match place(feature, core, a, b) {
        Place::Edge(edge) => Some(edge),
        Place::Vertex(_) => None,
    }
}

/// Among the edges that a sharp vertex projects onto and for which `wanted` projects_onto, the one with the largest height.
pub(super) fn on_other_edge(
    feature: &Feature,
    core: &Convex,
    a: &Pose,
    b: &Pose,
    wanted: impl Fn(&Nearest) -> bool,
) -> Option<(usize, Nearest)> {
    if core.vertices.len() < 3 || core.radius + feature.radius > 0.0 {
        return None;
    }
    let (_, x) = vertex_in_core(feature, a, b);
    (0..core.vertices.len())
        .filter(|edge| projects_onto(feature, &core.vertices, *edge, x))
        .map(|edge| (edge, nearest_on(feature, core, edge, a, b)))
        .filter(|(_, near)| wanted(near))
        .max_by(|(_, x), (_, y)| x.gap.total_cmp(&y.gap))
}

/// The edge that a rounded vertex projects onto, and its nearer end.
pub(super) fn below(
    feature: &Feature,
    core: &Convex,
    a: &Pose,
    b: &Pose,
) -> Option<(usize, usize)> {
    let (_, x) = vertex_in_core(feature, a, b);
    let n = core.vertices.len();
    match nearest_place(&core.vertices, x) {
        Place::Edge(i) if n > 2 && core.radius + feature.radius > 0.0 => {
            let (p, q) = (core.vertices[i], core.vertices[(i + 1) % n]);
            Some((i, usize::from(dot(x - p, q - p) > dot(q - x, q - p))))
        }
        Place::Edge(_) | Place::Vertex(_) => None,
    }
}

/// The vertex against the line of one edge.
pub(super) fn nearest_on<T: Real>(
    feature: &Feature,
    core: &Convex,
    edge: usize,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let (vertex, x) = vertex_in_core(feature, a, b);
    let radii = (core.radius, feature.radius);
    let near = on_edge(&core.vertices, edge, a, b, vertex, x, radii);
    Nearest {
        margin: edge_margin(feature, &core.vertices, edge, x),
        ..near
    }
}

fn vertex_in_core<T: Real>(feature: &Feature, a: &Pose<T>, b: &Pose<T>) -> (Vec2<T>, Vec2) {
    let vertex = b.point(feature.vertex);
    let local = a.turn_back(vertex - a.position);
    (vertex, Vec2::new(local.x.value(), local.y.value()))
}

fn place<T: Real>(feature: &Feature, core: &Convex, a: &Pose<T>, b: &Pose<T>) -> Place {
    let (_, x) = vertex_in_core(feature, a, b);
    let sharp = core.vertices.len() > 2 && core.radius + feature.radius == 0.0;
    if sharp && feature.whole.len() > 1 {
        let facing = best_axis(&core.vertices, &feature.whole, a, b).edge;
        if projects_onto(feature, &core.vertices, facing, x) {
            return Place::Edge(facing);
        }
    }
    nearest_place(&core.vertices, x)
}

fn on_edge<T: Real>(
    vertices: &[Vec2],
    i: usize,
    a: &Pose<T>,
    b: &Pose<T>,
    vertex: Vec2<T>,
    x: Vec2,
    radii: (f64, f64),
) -> Nearest<T> {
    let p = vertices[i];
    let edge = vertices[(i + 1) % vertices.len()] - p;
    let side = if vertices.len() == 2 && cross(edge, x - p) > 0.0 {
        -1.0
    } else {
        1.0
    };
    let outward = Vec2::new(edge.y, -edge.x) * (side / length(edge));
    let normal = a.turn(outward);
    let distance = dot(normal, vertex - a.point(p));
    let foot = vertex - normal * distance;
    Nearest {
        margin: margin(vertices, i, x),
        ..at_surface(a, b, foot, vertex, normal, radii, distance)
    }
}

// height of a point over the line of an edge
fn height(vertices: &[Vec2], i: usize, x: Vec2) -> f64 {
    let edge = vertices[(i + 1) % vertices.len()] - vertices[i];
    -cross(edge, x - vertices[i]) / length(edge)
}

// distance of the projection of a point from the nearer end of an edge, positive inside
fn margin(vertices: &[Vec2], i: usize, x: Vec2) -> f64 {
    let edge = vertices[(i + 1) % vertices.len()] - vertices[i];
    let len = length(edge);
    let along = dot(x - vertices[i], edge) / len;
    along.at_most(len - along)
}

// the same, with the extension of the edge at seams
fn edge_margin(feature: &Feature, vertices: &[Vec2], i: usize, x: Vec2) -> f64 {
    let Some(continues) = feature.continues.get(i) else {
        return margin(vertices, i, x);
    };
    let edge = vertices[(i + 1) % vertices.len()] - vertices[i];
    let len = length(edge);
    let along = dot(x - vertices[i], edge) / len;
    let [before, after] = continues.map(|on| if on { SEAM_REACH } else { 0.0 });
    (along + before).at_most(len - along + after)
}

/// Separation (3) of the two polygons that a feature belongs to; `None` for other shapes.
pub(super) fn separation(
    feature: &Feature,
    core: &Convex,
    a: &Pose,
    b: &Pose,
) -> Option<Separation> {
    if core.vertices.len() < 3 || feature.whole.len() < 3 || core.radius + feature.radius > 0.0 {
        return None;
    }
    let of_a = best_axis(&core.vertices, &feature.whole, a, b);
    let of_b = best_axis(&feature.whole, &core.vertices, b, a);
    Some(if of_a.height >= of_b.height {
        along(&of_a, &core.vertices, &feature.whole, a, b)
    } else {
        let swapped = along(&of_b, &feature.whole, &core.vertices, b, a);
        let Row { a, b } = swapped.row;
        Separation {
            row: Row { a: b, b: a },
            ..swapped
        }
    })
}

fn along(axis: &Axis, vertices: &[Vec2], others: &[Vec2], a: &Pose, b: &Pose) -> Separation {
    let vertex = b.point(others[axis.lowest]);
    let x = a.turn_back(vertex - a.position);
    let near = on_edge(vertices, axis.edge, a, b, vertex, x, (0.0, 0.0));
    Separation {
        gap: near.offset,
        row: near.normal_row(),
    }
}

struct Axis {
    height: f64,
    edge: usize,
    lowest: usize,
}

// the edge with the largest separation from the other shape, and that shape's lowest vertex over it
fn best_axis<T: Real>(vertices: &[Vec2], others: &[Vec2], a: &Pose<T>, b: &Pose<T>) -> Axis {
    let mut best = Axis {
        height: f64::NEG_INFINITY,
        edge: 0,
        lowest: 0,
    };
    for edge in 0..vertices.len() {
        let mut lowest = (f64::INFINITY, 0);
        for (i, &other) in others.iter().enumerate() {
            let local = a.turn_back(b.point(other) - a.position);
            let x = Vec2::new(local.x.value(), local.y.value());
            let over = height(vertices, edge, x);
            if over < lowest.0 {
                lowest = (over, i);
            }
        }
        if lowest.0 > best.height {
            best = Axis {
                height: lowest.0,
                edge,
                lowest: lowest.1,
            };
        }
    }
    best
}

// does a point project onto this edge without being outside another one?
fn projects_onto(feature: &Feature, vertices: &[Vec2], edge: usize, x: Vec2) -> bool {
    let reaches_on = feature.continues.get(edge).is_some_and(|[p, q]| *p || *q);
    let beyond = if reaches_on {
        SEAM_REACH + CORNER
    } else {
        CORNER
    };
    edge_margin(feature, vertices, edge, x) >= -CORNER
        && (0..vertices.len()).all(|i| i == edge || height(vertices, i, x) <= beyond)
}

fn nearest_place(vertices: &[Vec2], x: Vec2) -> Place {
    let n = vertices.len();
    if n == 1 {
        return Place::Vertex(0);
    }
    let n_edges = if n == 2 { 1 } else { n };
    let mut inside = (f64::NEG_INFINITY, 0);
    let mut outside = (f64::INFINITY, Place::Vertex(0));
    for i in 0..n_edges {
        let j = (i + 1) % n;
        let edge = vertices[j] - vertices[i];
        let d = x - vertices[i];
        let depth = -cross(edge, d) / length(edge);
        if depth > inside.0 {
            inside = (depth, i);
        }
        let s = dot(d, edge) / dot(edge, edge); // (1)
        let (place, offset) = if s <= 0.0 {
            (Place::Vertex(i), d)
        } else if s >= 1.0 {
            (Place::Vertex(j), x - vertices[j])
        } else {
            (Place::Edge(i), d - edge * s)
        };
        let distance2 = dot(offset, offset);
        if distance2 < outside.0 {
            outside = (distance2, place);
        }
    }
    if n > 2 && inside.0 <= 0.0 {
        Place::Edge(inside.1) // (2)
    } else {
        outside.1
    }
}
