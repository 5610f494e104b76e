//! Vertex against a half-space.
//!
//! (1)  distance = normal . (p - a) - offset, the normal fixed in body a

use super::{Nearest, Vertex, at_surface};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::HalfSpace;
use crate::math::{Real, dot3};

pub(super) fn nearest<T: Real>(
    vertex: &Vertex,
    plane: &HalfSpace,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(plane.normal);
    let x = b.point(vertex.position);
    let distance = dot3(normal, x - a.position) - T::constant(plane.offset); // (1)
    let foot = x - normal * distance;
    at_surface(a, b, foot, x, normal, (0.0, vertex.radius), distance)
}
