//! The rim of a cylinder over a half-space with normal n. The circle has centre c, axis u, radius R.
//!
//! (1)  w = n - u (n.u), of length s, points up in the plane of the circle
//! (2)  the lowest point is c - R w/s, at the height n.c - R s
//!
//! A cylinder that stands flat has no lowest point: (2) has a kink at s = 0. There the contact goes over to the centre
//! of the circle within a tilt of `ROUND`, and four fixed points of the rim hold what stands.
//!
//! (3)  q = sqrt(s^2 + e^2):  height n.c - R (q - e), point c - R w/q

use super::{Circle, Nearest, at_surface};
use crate::math::{Real, Vec3, dot3};
use crate::space::Pose;
use crate::space::shape::HalfSpace;

/// e of (3), rad: the rim is higher than it should be by this part of its radius, below what a contact resolves.
const ROUND: f64 = 1e-9;

/// Sine of the tilt above which the fixed points are not looked at: they would touch down one by one while the
/// cylinder rolls on its rim.
const STANDING: f64 = 0.05;

pub(super) fn lowest<T: Real>(
    circle: &Circle,
    plane: &HalfSpace,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(plane.normal);
    let axis = b.turn(circle.axis);
    let centre = b.point(circle.centre);
    let up = normal - axis * dot3(normal, axis); // (1)
    let (radius, round) = (T::constant(circle.radius), T::constant(ROUND));
    let q = (dot3(up, up) + round * round).sqrt(); // (3)
    let point = centre - up * (radius / q);
    let middle = dot3(normal, centre - a.position) - T::constant(plane.offset);
    let distance = middle - radius * (q - round);
    let foot = point - normal * distance;
    at_surface(a, b, foot, point, normal, (0.0, 0.0), distance)
}

pub(super) fn fixed<T: Real>(
    point: Vec3,
    circle: &Circle,
    plane: &HalfSpace,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(plane.normal);
    let x = b.point(point);
    let distance = dot3(normal, x - a.position) - T::constant(plane.offset);
    let foot = x - normal * distance;
    let axis = b.turn(circle.axis);
    let up = normal - axis * dot3(normal, axis);
    let tilt = dot3(up, up).value().sqrt();
    let near = Nearest {
        margin: circle.radius * (STANDING - tilt),
        ..at_surface(a, b, foot, x, normal, (0.0, 0.0), distance)
    };
    if near.margin < 0.0 {
        near.left_to_another()
    } else {
        near
    }
}
