//! Vertex against every eighth triangle of a height field. Triangles that share an edge or a corner belong to different
//! features, so that a sphere in a furrow is supported on both sides.
//!
//! (1)  over a triangle, and below it within its column, the height over its plane
//! (2)  elsewhere the distance from the closest edge or corner that is assigned to the triangle
//!
//! Only triangles within one cell of the rounded vertex are tested: others are farther away than that.

use super::{FACE_BEYOND, Nearest, Vertex, at_surface, between_points, values};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::{HeightField, Triangle};
use crate::math::{Limit, Real, Vec3, cross3, dot3};

#[derive(Clone, Copy)]
enum Place {
    Face,
    Side(usize),
    Corner(usize),
}

struct Found {
    triangle: usize,
    place: Place,
    distance: f64,
}

pub(super) fn nearest<T: Real>(
    vertex: &Vertex,
    field: &HeightField,
    colour: usize,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let found = find(vertex, field, colour, &values(a), &values(b))?;
    let triangle = triangle(field, found.triangle);
    let x = b.point(vertex.position);
    let beside = match found.place {
        Place::Face => return Some(on_face(vertex, field, found.triangle, a, b)),
        Place::Side(i) => {
            let [from, to] = [triangle.corners[i], triangle.corners[(i + 1) % 3]];
            let d = to - from;
            let d = a.turn(d / dot3(d, d).sqrt());
            let p = a.point(from);
            let near = between_points(a, b, p + d * dot3(x - p, d), x, (0.0, vertex.radius));
            let left = !triangle.owns_side[i];
            if left {
                near.inactive()
            } else {
                let margin = along_side(&triangle, i, local(vertex, &values(a), &values(b)));
                Nearest { margin, ..near }
            }
        }
        Place::Corner(i) => {
            let corner = a.point(triangle.corners[i]);
            let near = between_points(a, b, corner, x, (0.0, vertex.radius));
            let left = !triangle.owns_corner[i];
            if left { near.inactive() } else { near }
        }
    };
    if vertex.radius > 0.0 && beside.gap.value().is_finite() {
        return Some(beside);
    }
    // beyond its boundary the triangle has no contact
    let near = on_face(vertex, field, found.triangle, a, b);
    Some(Nearest {
        gap: beside.gap,
        corner: Some(beside.gap_row(a, b)),
        margin: near.margin.at_most(-FACE_BEYOND),
        ..near
    })
}

/// The triangle that a sharp vertex projects onto.
pub(super) fn face(
    vertex: &Vertex,
    field: &HeightField,
    colour: usize,
    a: &Pose,
    b: &Pose,
) -> Option<usize> {
    if vertex.radius > 0.0 {
        return None;
    }
    let found = find(vertex, field, colour, a, b)?;
    match found.place {
        Place::Face => Some(found.triangle),
        Place::Side(_) | Place::Corner(_) => None,
    }
}

/// The vertex against the plane of a triangle.
pub(super) fn on_face<T: Real>(
    vertex: &Vertex,
    field: &HeightField,
    face: usize,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Nearest<T> {
    let triangle = triangle(field, face);
    let normal = a.turn(triangle.normal);
    let x = b.point(vertex.position);
    let distance = dot3(normal, x - a.point(triangle.corners[0]));
    let foot = x - normal * distance;
    let local = local(vertex, &values(a), &values(b));
    // a rounded vertex continues over the edges assigned to this triangle
    let margin = (0..3)
        .filter(|&i| vertex.radius == 0.0 || !triangle.owns_side[i])
        .fold(f64::INFINITY, |least, i| {
            let inside = -dot3(triangle.outward(i), local - triangle.corners[i]);
            least.at_most(inside + FACE_BEYOND)
        });
    Nearest {
        margin,
        ..at_surface(a, b, foot, x, normal, (0.0, vertex.radius), distance)
    }
}

// distance of a point from the nearer end of an edge assigned to another triangle
fn along_side(triangle: &Triangle, side: usize, x: Vec3) -> f64 {
    [side, (side + 1) % 3]
        .into_iter()
        .filter(|&end| !triangle.owns_corner[end])
        .fold(f64::INFINITY, |least, end| {
            let [p, q] = [triangle.corners[side], triangle.corners[(side + 1) % 3]];
            let d = (q - p) / dot3(q - p, q - p).sqrt();
            least.at_most(dot3(x - triangle.corners[end], d).abs())
        })
}

#[inline]
fn local(vertex: &Vertex, a: &Pose, b: &Pose) -> Vec3 {
    a.turn_back(b.point(vertex.position) - a.position)
}

fn triangle(field: &HeightField, index: usize) -> Triangle {
    let cell = index / 2;
    let nx = field.cells()[0];
    field.triangle(cell % nx, cell / nx, index % 2 == 1)
}

// the closest triangle of a colour
fn find(vertex: &Vertex, field: &HeightField, colour: usize, a: &Pose, b: &Pose) -> Option<Found> {
    let x = local(vertex, a, b);
    let cells = field.cells();
    let mut range = [[0, 0]; 2];
    for k in 0..2 {
        let at = x[k] - field.corner[k];
        let reach = vertex.radius + field.spacing[k];
        let odd = colour >> k & 1;
        // one more cell, because a step may cross the boundary
        let low = ((at - reach) / field.spacing[k]).floor().at_least(0.0);
        let high = ((at + reach) / field.spacing[k]).floor();
        if !(high >= 0.0 && low < cells[k] as f64) {
            return None;
        }
        let low = low as usize;
        range[k] = [low + (low + odd) % 2, (high as usize).min(cells[k] - 1)];
    }
    let upper = colour >> 2;
    let mut best: Option<Found> = None;
    for j in (range[1][0]..=range[1][1]).step_by(2) {
        for i in (range[0][0]..=range[0][1]).step_by(2) {
            let index = 2 * (j * cells[0] + i) + upper;
            let (place, distance) = nearest_place(&triangle(field, index), x);
            if best.as_ref().is_none_or(|b| distance < b.distance) {
                best = Some(Found {
                    triangle: index,
                    place,
                    distance,
                });
            }
        }
    }
    best
}

fn nearest_place(triangle: &Triangle, x: Vec3) -> (Place, f64) {
    let height = dot3(triangle.normal, x - triangle.corners[0]);
    let side = |i: usize| (triangle.corners[i], triangle.corners[(i + 1) % 3]);
    let in_column = |i: usize| {
        let (p, q) = side(i);
        cross3(q - p, x - p).z >= -FACE_BEYOND * (q - p).norm()
    };
    let over = |i: usize| dot3(triangle.outward(i), x - side(i).0) <= FACE_BEYOND;
    let on_face = if height >= 0.0 {
        (0..3).all(over)
    } else {
        (0..3).all(in_column)
    };
    if on_face {
        return (Place::Face, height); // (1)
    }
    let mut best = (Place::Face, f64::INFINITY);
    for i in 0..3 {
        let (p, q) = side(i);
        let (d, e) = (x - p, q - p);
        let s = dot3(d, e) / dot3(e, e);
        let (place, offset) = if s <= 0.0 {
            (Place::Corner(i), d)
        } else if s >= 1.0 {
            (Place::Corner((i + 1) % 3), x - q)
        } else {
            (Place::Side(i), d - e * s)
        };
        let distance = dot3(offset, offset).sqrt();
        if distance < best.1 {
            best = (place, distance);
        }
    }
    best // (2)
}
