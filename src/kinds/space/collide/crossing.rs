//! Two lines that cross between their ends: capsules, a capsule and an edge, two edges.
//!
//! (1)  the points p1 + s d1 and p2 + t d2 are closest where their difference is perpendicular to both lines
//! (2)  n = +- d1 x d2 / |d1 x d2|, for edges pointing out of the faces of the first one
//! (3)  edges can be in contact if n lies between the normals of the adjacent faces at each of them

use super::{CORNER, FACE_BEYOND, Nearest, at_surface, length, values};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::{Capsule, Face, Polyhedron};
use crate::math::{Limit, Real, Vec3, cross3, dot3};

/// Lines at a smaller angle are parallel, rad: rounding turns their normal (2) by 1e-9 at this angle, and a body on two
/// parallel lines is supported at their ends, up to 1e-14 of the square of their length.
pub(super) const PARALLEL: f64 = 1e-7;

/// Edges stay candidates while (3) is violated by at most this (sine of the angle): a box that tilts onto a face has edge
/// contacts before it lies flat.
const OUTSIDE_NORMALS: f64 = 0.2;

/// An edge parallel to a face is as deep below it as the edges overlap, up to this fraction.
const AS_DEEP: f64 = 0.1;

/// Slightly less than half.
const HALF_AS_DEEP: f64 = 0.4;

/// Below this fraction of the length of a line the normal is (2) instead of the normalized difference, which is dominated
/// by rounding.
const COINCIDENT: f64 = 1e-6;

/// A segment in the world.
struct Line<T> {
    start: Vec3<T>,
    span: Vec3<T>,
}

impl<T: Real> Line<T> {
    fn new(ends: [Vec3; 2], pose: &Pose<T>) -> Self {
        let start = pose.point(ends[0]);
        Self {
            start,
            span: pose.point(ends[1]) - start,
        }
    }
}

struct Cross<T> {
    on_first: Vec3<T>,
    on_second: Vec3<T>,
    margin: f64,
}

// (1); `None` for parallel lines
fn cross<T: Real>(first: &Line<T>, second: &Line<T>) -> Option<Cross<T>> {
    let (d1, d2) = (first.span, second.span);
    let r = first.start - second.start;
    let (l1, l2, b) = (dot3(d1, d1), dot3(d2, d2), dot3(d1, d2));
    let across = cross3(d1, d2);
    let square = dot3(across, across);
    if square.value() <= PARALLEL * PARALLEL * l1.value() * l2.value() {
        return None;
    }
    let (c, f) = (dot3(d1, r), dot3(d2, r));
    let s = (b * f - c * l2) / square;
    let t = (l1 * f - b * c) / square;
    let inside = |s: T, l: T| s.value().at_most(1.0 - s.value()) * l.value().sqrt();
    Some(Cross {
        on_first: first.start + d1 * s,
        on_second: second.start + d2 * t,
        margin: inside(s, l1).at_most(inside(t, l2)),
    })
}

pub(super) fn capsules<T: Real>(
    first: &Capsule,
    second: &Capsule,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let lines = [Line::new(first.ends, a), Line::new(second.ends, b)];
    rounded(&lines, (first.radius, second.radius), a, b)
}

fn rounded<T: Real>(
    lines: &[Line<T>; 2],
    radii: (f64, f64),
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let [first, second] = lines;
    let found = cross(first, second)?;
    let d = found.on_second - found.on_first;
    let distance = dot3(d, d).value().sqrt();
    let normal = if distance > COINCIDENT * length(first.span).value() {
        d / length(d)
    } else {
        let across = cross3(first.span, second.span);
        let sign = if dot3(across, d).value() < 0.0 {
            -1.0
        } else {
            1.0
        };
        across * (T::constant(sign) / length(across))
    };
    let distance = dot3(normal, d);
    let near = at_surface(
        a,
        b,
        found.on_first,
        found.on_second,
        normal,
        radii,
        distance,
    );
    let near = Nearest {
        margin: found.margin,
        ..near
    };
    Some(if found.margin < 0.0 {
        near.inactive()
    } else {
        near
    })
}

pub(super) fn capsule_on_edge<T: Real>(
    collider: &Polyhedron,
    edge: usize,
    capsule: &Capsule,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let edge = &collider.edges[edge];
    let ends = edge.ends.map(|i| collider.vertices[i]);
    let near = rounded(
        &[Line::new(ends, a), Line::new(capsule.ends, b)],
        (0.0, capsule.radius),
        a,
        b,
    )?;
    // behind both faces it is inside, or closer to another edge
    let normal = values(a).turn_back(near.normal.map(T::value));
    let is_outside = |face: &usize| dot3(collider.faces[*face].normal, normal) > 0.0;
    edge.faces.iter().any(is_outside).then_some(near)
}

type EdgeOf<'a> = (&'a Polyhedron, usize);

/// The side of the first edge on which the second one is: 0 along `d1 x d2`, 1 against it; `None` if they do not cross or
/// cannot be in contact.
pub(super) fn side(first: EdgeOf, second: EdgeOf, a: &Pose, b: &Pose) -> Option<usize> {
    let (edge_a, edge_b) = (&first.0.edges[first.1], &second.0.edges[second.1]);
    let (along_a, along_b) = (a.turn(edge_a.direction), b.turn(edge_b.direction));
    let across = cross3(along_a, along_b);
    let square = dot3(across, across);
    if square <= PARALLEL * PARALLEL {
        return None;
    }
    // early exit: most edges do not cross
    let start_a = a.point(first.0.vertices[edge_a.ends[0]]);
    let r = start_a - b.point(second.0.vertices[edge_b.ends[0]]);
    let (c, f, cosine) = (dot3(along_a, r), dot3(along_b, r), dot3(along_a, along_b));
    let s = (cosine * f - c) / square; // (1)
    let t = (f - cosine * c) / square;
    if s.at_most(edge_a.length - s)
        .at_most(t)
        .at_most(edge_b.length - t)
        < CORNER
    {
        return None;
    }
    let local = a.turn_back(across / square.sqrt());
    let [left, right] = edge_a.faces.map(|f| dot3(first.0.faces[f].normal, local));
    let side = if left + right >= 0.0 { 0 } else { 1 };
    let sign = if side == 0 { 1.0 } else { -1.0 };
    let is_between = |outward: &[Vec3; 2], n: Vec3| {
        outward.iter().all(|out| dot3(*out, n) >= -OUTSIDE_NORMALS) // (3)
    };
    if !is_between(&edge_a.outward, local * sign) {
        return None;
    }
    let local = b.turn_back(across / square.sqrt());
    is_between(&edge_b.outward, local * -sign).then_some(side)
}

pub(super) fn edges<T: Real>(
    first: EdgeOf,
    second: EdgeOf,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let side = side(first, second, &values(a), &values(b))?;
    let near = on_side(first, second, side, a, b)?;
    let gap = near.gap.value();
    // edges on the far side overlap by more
    if gap >= -FACE_BEYOND {
        return Some(near);
    }
    let (a, b) = (values(a), values(b));
    let here = intersects(first, second, gap, &a, &b) || intersects(second, first, gap, &b, &a);
    here.then_some(near)
}

// Edges on the far sides of two polyhedra also seem to overlap. Edges that do intersect satisfy: the second one enters
// the first polyhedron through one adjacent face and leaves through the other, or it is parallel to one of them at the
// depth of the overlap; and its midpoint is at least half as deep inside, unless the edge is acute.
fn intersects(first: EdgeOf, second: EdgeOf, gap: f64, a: &Pose, b: &Pose) -> bool {
    let collider = first.0;
    let ends = second.0.edges[second.1].ends.map(|i| {
        let world = b.point(second.0.vertices[i]);
        a.turn_back(world - a.position)
    });
    let (mut from, mut to) = ((0.0, None), (1.0, None));
    for (i, face) in collider.faces.iter().enumerate() {
        let [h0, h1] = ends.map(|x| face.height(x));
        if h0 > 0.0 && h1 > 0.0 {
            return false;
        }
        let at = h0 / (h0 - h1);
        if h0 > 0.0 && at > from.0 {
            from = (at, Some(i));
        } else if h1 > 0.0 && at < to.0 {
            to = (at, Some(i));
        }
    }
    if from.0 >= to.0 {
        return false;
    }
    let edge = &collider.edges[first.1];
    let [left, right] = edge.faces;
    let sharpness = dot3(collider.faces[left].normal, edge.outward[1]).at_most(1.0);
    let middle = ends[0] + (ends[1] - ends[0]) * (0.5 * (from.0 + to.0));
    let depth = |face: &Face| -face.height(middle);
    if collider
        .faces
        .iter()
        .any(|face| depth(face) < HALF_AS_DEEP * sharpness * -gap - FACE_BEYOND)
    {
        return false;
    }
    let through = [from.1, to.1];
    if through == [Some(left), Some(right)] || through == [Some(right), Some(left)] {
        return true;
    }
    [(left, right), (right, left)]
        .into_iter()
        .any(|(into, under)| {
            [from, to].into_iter().any(|(at, face)| {
                let depth = collider.faces[under].height(ends[0] + (ends[1] - ends[0]) * at);
                face == Some(into) && (depth - gap).abs() <= AS_DEEP * -gap + FACE_BEYOND
            })
        })
}

/// The lines of two edges, with the normal on the given side.
pub(super) fn on_side<T: Real>(
    first: EdgeOf,
    second: EdgeOf,
    side: usize,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Nearest<T>> {
    let (edge_a, edge_b) = (&first.0.edges[first.1], &second.0.edges[second.1]);
    let lines = [
        Line::new(edge_a.ends.map(|i| first.0.vertices[i]), a),
        Line::new(edge_b.ends.map(|i| second.0.vertices[i]), b),
    ];
    let found = cross(&lines[0], &lines[1])?;
    let across = cross3(lines[0].span, lines[1].span); // (2)
    let sign = T::constant(if side == 0 { 1.0 } else { -1.0 });
    let normal = across * (sign / length(across));
    let distance = dot3(normal, found.on_second - found.on_first);
    let near = at_surface(
        a,
        b,
        found.on_first,
        found.on_second,
        normal,
        (0.0, 0.0),
        distance,
    );
    Some(Nearest {
        margin: found.margin - CORNER,
        ..near
    })
}
