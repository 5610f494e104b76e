//! Vertex against a cylinder: its lateral surface, its two flat ends, and the rims between them.
//!
//! (1)  z = u.(x - c) along the axis u, the rest of x - c perpendicular to it, of length rho
//! (2)  outside: beyond the lateral surface the distance is rho - R, beyond an end |z| - h, beyond both that from the rim
//! (3)  inside: the larger of rho - R and |z| - h

use super::{Nearest, Vertex, at_surface, between_points, length, values};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Cylinder;
use crate::math::{Real, Vec3, cross3, dot3};

const SIDE: usize = 0;
const UPPER: usize = 1;
const LOWER: usize = 2;

struct Place {
    // distances beyond the end and the lateral surface, m
    beyond_end: f64,
    beyond_side: f64,
    end: usize,
}

fn place(vertex: &Vertex, cylinder: &Cylinder, a: &Pose, b: &Pose) -> Place {
    let d = a.turn_back(b.point(vertex.position) - a.position) - cylinder.centre;
    let z = dot3(d, cylinder.axis); // (1)
    let across = d - cylinder.axis * z;
    Place {
        beyond_end: z.abs() - cylinder.half_height,
        beyond_side: length(across) - cylinder.radius,
        end: if z >= 0.0 { UPPER } else { LOWER },
    }
}

pub(super) fn nearest<T: Real>(
    vertex: &Vertex,
    cylinder: &Cylinder,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let place = place(vertex, cylinder, &values(a), &values(b));
    let is_round = vertex.radius > 0.0;
    if place.beyond_end > 0.0 && place.beyond_side > 0.0 {
        let (x, axis, centre) = (
            b.point(vertex.position),
            a.turn(cylinder.axis),
            a.point(cylinder.centre),
        );
        let d = x - centre;
        let across = d - axis * dot3(d, axis);
        let end = T::constant(end_sign(place.end) * cylinder.half_height);
        let on_rim = centre + axis * end + across * (T::constant(cylinder.radius) / length(across));
        let beside = between_points(a, b, on_rim, x, (0.0, vertex.radius));
        if is_round {
            return beside;
        }
        // beyond a sharp rim there is no contact
        let face = if place.beyond_end < place.beyond_side {
            place.end
        } else {
            SIDE
        };
        return Nearest {
            gap: beside.gap,
            corner: Some(beside.normal_row(a, b)),
            ..on_face(vertex, cylinder, face, a, b)
        };
    }
    let near = on_face(vertex, cylinder, face_of(&place), a, b);
    Nearest {
        margin: if is_round { f64::INFINITY } else { near.margin },
        ..near
    }
}

// (2), (3)
fn face_of(place: &Place) -> usize {
    if place.beyond_side >= place.beyond_end {
        SIDE
    } else {
        place.end
    }
}

fn end_sign(face: usize) -> f64 {
    if face == LOWER { -1.0 } else { 1.0 }
}

/// The active surface for a sharp vertex: lateral surface or end.
pub(super) fn face(vertex: &Vertex, cylinder: &Cylinder, a: &Pose, b: &Pose) -> Option<usize> {
    let place = place(vertex, cylinder, a, b);
    let beyond_rim = place.beyond_end > 0.0 && place.beyond_side > 0.0;
    (vertex.radius == 0.0 && !beyond_rim).then(|| face_of(&place))
}

/// The vertex against the infinite cylinder, or the plane of an end.
pub(super) fn on_face<T: Real>(
    vertex: &Vertex,
    cylinder: &Cylinder,
    face: usize,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let place = place(vertex, cylinder, &values(a), &values(b));
    let (x, axis) = (b.point(vertex.position), a.turn(cylinder.axis));
    let d = x - a.point(cylinder.centre);
    let z = dot3(d, axis);
    let (normal, distance, margin) = if face == SIDE {
        let across = d - axis * z;
        let rho = dot3(across, across);
        // on the axis any radial direction will do
        let (normal, rho) = if rho.value() > 0.0 {
            (across / rho.sqrt(), rho.sqrt())
        } else {
            (a.turn(any_perpendicular(cylinder.axis)), T::zero())
        };
        let distance = rho - T::constant(cylinder.radius);
        (normal, distance, -place.beyond_end)
    } else {
        let sign = T::constant(end_sign(face));
        let distance = z * sign - T::constant(cylinder.half_height);
        (axis * sign, distance, -place.beyond_side)
    };
    let foot = x - normal * distance;
    Nearest {
        margin,
        ..at_surface(a, b, foot, x, normal, (0.0, vertex.radius), distance)
    }
}

/// A unit vector perpendicular to another one.
pub(super) fn any_perpendicular(axis: Vec3) -> Vec3 {
    let least = (0..3).fold(0, |k, i| if axis[i].abs() < axis[k].abs() { i } else { k });
    let mut e = Vec3::zeros();
    e[least] = 1.0;
    let across = cross3(axis, e);
    across / length(across)
}
