//! The rim of a cylinder over a half-space with normal n. The circle has centre c, axis u and radius R.
//!
//! (1)  w = n - u (n.u), of length s, points up in the plane of the circle
//! (2)  the lowest point is c - R w/s, at the height n.c - R s
//! (3)  opposite points of the circle differ in height by up to 2 R s
//!
//! A cylinder that stands flat has no lowest point, and close to that the lowest point moves around the whole rim while
//! the tilt hardly changes. So below a tilt of R s = `FLAT` only eight body-fixed points support it; above, only the
//! lowest point does. The difference between both, (1 - cos(pi/8)) R s, is less than a nanometre.

use super::{Circle, FACE_BEYOND, Nearest, at_surface};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::HalfSpace;
use crate::math::{Real, Vec3, cross3, dot3};

/// Fixed points are used up to this tilt R s, m: the distance by which a face extends beyond its boundary.
const FLAT: f64 = FACE_BEYOND;

/// The lowest point is used from this tilt R s on, m: both ranges overlap, so that no contact is missed.
const TILTED: f64 = 0.5 * FLAT;

/// Number of fixed points: their distance from the lowest point is (1 - cos(pi/8)) R s, 8 % of the tilt.
const N_FIXED: usize = 8;

/// The fixed points, in body coordinates, m; `across` is a unit vector perpendicular to the axis.
pub(super) fn fixed_points(circle: &Circle, across: Vec3) -> [Vec3; N_FIXED] {
    let other = cross3(circle.axis, across);
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let directions = [
        across,
        (across + other) * diagonal,
        other,
        (other - across) * diagonal,
        -across,
        -(across + other) * diagonal,
        -other,
        (across - other) * diagonal,
    ];
    directions.map(|direction| circle.centre + direction * circle.radius)
}

// (1)
fn up<T: Real>(circle: &Circle, plane: &HalfSpace, a: &Pose<T>, b: &Pose<T>) -> Vec3<T> {
    let normal = a.turn(plane.normal);
    let axis = b.turn(circle.axis);
    normal - axis * dot3(normal, axis)
}

/// Direction from the centre to the lowest point, as a unit vector in the axes of body a; `None` for a flat standing
/// cylinder.
pub(super) fn heading(circle: &Circle, plane: &HalfSpace, a: &Pose, b: &Pose) -> Option<Vec3> {
    let up = up(circle, plane, a, b);
    let tilt = dot3(up, up).sqrt();
    (circle.radius * tilt >= TILTED).then(|| a.turn_back(up / -tilt))
}

/// The lowest point of the rim.
pub(super) fn lowest<T: Real>(
    circle: &Circle,
    plane: &HalfSpace,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let normal = a.turn(plane.normal);
    let centre = b.point(circle.centre);
    let up = up(circle, plane, a, b);
    let radius = T::constant(circle.radius);
    let square = dot3(up, up);
    let margin = circle.radius * square.value().sqrt() - TILTED;
    // the centre replaces a point without direction
    let (tilt, point) = if square.value() > 0.0 {
        let tilt = square.sqrt();
        (tilt, centre - up * (radius / tilt)) // (2)
    } else {
        (T::zero(), centre)
    };
    let middle = dot3(normal, centre - a.position) - T::constant(plane.offset);
    let distance = middle - radius * tilt;
    let foot = point - normal * distance;
    Nearest {
        margin,
        ..at_surface(a, b, foot, point, normal, (0.0, 0.0), distance)
    }
    .inactive_near_boundary()
}

/// A body-fixed point of the rim.
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
    let up = up(circle, plane, a, b);
    Nearest {
        margin: FLAT - circle.radius * dot3(up, up).value().sqrt(),
        ..at_surface(a, b, foot, x, normal, (0.0, 0.0), distance)
    }
    .inactive_near_boundary()
}
