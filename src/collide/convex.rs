//! Vertex against a convex core: the nearest point of its boundary, in the coordinates of the core's body.
//!
//! (1)  outside, the nearest point of an edge from p to q is p + s (q - p), s = (x - p).(q - p)/|q - p|^2 cut to
//!      [0, 1]; at s = 0 or 1 it is a vertex
//! (2)  inside a polygon, the edge with the largest (negative) distance along its outward normal

use super::{Feature, Nearest, at_surface};
use crate::constraint::Pose;
use crate::math::{Real, Vec2, cross, dot, length};
use crate::shape::Convex;

#[derive(Clone, Copy)]
enum Place {
    Vertex(usize),
    Edge(usize),
}

pub(super) fn nearest<T: Real>(
    feature: &Feature,
    core: &Convex,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let vertex = b.point(feature.vertex);
    let local = a.turn_back(vertex - a.position);
    let x = Vec2::new(local.x.value(), local.y.value());
    let place = nearest_place(&core.vertices, x);
    let radii = (core.radius, feature.radius);
    match place {
        Place::Vertex(_) if feature.edges_only => None,
        Place::Vertex(i) => {
            let corner = a.point(core.vertices[i]);
            let d = vertex - corner;
            let distance = length(d);
            // two centres in one place have no direction: push apart upwards
            let normal = if distance.value() > 0.0 {
                d / distance
            } else {
                Vec2::new(T::zero(), T::one())
            };
            Some(at_surface(a, b, corner, vertex, normal, radii, distance))
        }
        Place::Edge(i) => {
            let p = core.vertices[i];
            let edge = core.vertices[(i + 1) % core.vertices.len()] - p;
            let side = if core.vertices.len() == 2 && cross(edge, x - p) > 0.0 {
                -1.0
            } else {
                1.0
            };
            let outward = Vec2::new(edge.y, -edge.x) * (side / length(edge));
            let normal = a.turn(outward);
            let distance = dot(normal, vertex - a.point(p));
            let foot = vertex - normal * distance;
            Some(at_surface(a, b, foot, vertex, normal, radii, distance))
        }
    }
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
