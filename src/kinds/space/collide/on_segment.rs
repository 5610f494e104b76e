//! Vertex against a sphere or a capsule.
//!
//! (1)  the closest point of the segment from p to q is p + s (q - p), s = (x - p).(q - p)/|q - p|^2 clamped to [0, 1]

use super::{Nearest, Vertex, between_points};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Capsule;
use crate::math::{Limit, Real, dot3};

pub(super) fn sphere<T: Real>(
    vertex: &Vertex,
    ball: &Vertex,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let (centre, x) = (a.point(ball.position), b.point(vertex.position));
    between_points(a, b, centre, x, (ball.radius, vertex.radius))
}

pub(super) fn nearest<T: Real>(
    vertex: &Vertex,
    capsule: &Capsule,
    between_ends: bool,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let x = b.point(vertex.position);
    let [p, q] = capsule.ends.map(|end| a.point(end));
    let radii = (capsule.radius, vertex.radius);
    let d = q - p;
    let square = dot3(d, d);
    let s = dot3(x - p, d) / square; // (1)
    let along = s.value();
    if !between_ends && along <= 0.0 {
        return between_points(a, b, p, x, radii);
    }
    if !between_ends && along >= 1.0 {
        return between_points(a, b, q, x, radii);
    }
    let near = between_points(a, b, p + d * s, x, radii);
    if !between_ends {
        return near;
    }
    let near = Nearest {
        margin: along.at_most(1.0 - along) * square.value().sqrt(),
        ..near
    };
    if near.margin < 0.0 {
        near.inactive()
    } else {
        near
    }
}
