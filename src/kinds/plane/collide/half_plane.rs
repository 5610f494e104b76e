//! Vertex against a half-plane.
//!
//! (1)  distance = normal . (p - a) - offset, the normal fixed in body a

use super::{Feature, Nearest, at_surface};
use crate::constraint::Pose;
use crate::kinds::plane::shape::HalfPlane;
use crate::math::{Real, dot};

pub(super) fn nearest<T: Real>(
    feature: &Feature,
    plane: &HalfPlane,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(plane.normal);
    let vertex = b.point(feature.vertex);
    let distance = dot(normal, vertex - a.position) - T::constant(plane.offset); // (1)
    let foot = vertex - normal * distance;
    at_surface(a, b, foot, vertex, normal, (0.0, feature.radius), distance)
}
