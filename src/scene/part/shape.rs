//! `[[body.shape]]` and `[[ground.shape]]`: what touches.

use std::collections::{BTreeMap, BTreeSet};

use super::Names;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Geometry, Pair, Shape};

/// Where a shape is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// On the ground.
    Ground,
    /// On a point body.
    Point,
    /// On a rigid body.
    Rigid,
}

/// The kinds of shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Point,
    Circle,
    Capsule,
    Box,
    Polygon,
    HalfPlane,
}

const KINDS: &[(&str, Kind)] = &[
    ("point", Kind::Point),
    ("circle", Kind::Circle),
    ("capsule", Kind::Capsule),
    ("box", Kind::Box),
    ("polygon", Kind::Polygon),
    ("half_plane", Kind::HalfPlane),
];

/// Every key that some shape has.
const ALL_KEYS: &[&str] = &[
    "angle", "from", "kind", "material", "name", "normal", "point", "position", "radius", "size",
    "to", "vertices",
];

/// Reads all shapes of a body or of the ground.
pub fn read_all(tables: Vec<Table<'_>>, owner: Owner) -> Vec<Shape> {
    let mut names = Names::new("shapes of one body");
    let mut shapes: Vec<Shape> = tables
        .into_iter()
        .map(|t| read(t, owner, &mut names))
        .collect();

    name_the_nameless(&mut shapes, word);
    shapes
}

/// A shape without a name is called by its kind and the first free number.
pub fn name_the_nameless<G>(shapes: &mut [Shape<G>], word: impl Fn(&G) -> &'static str) {
    let mut taken: BTreeSet<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
    // below these numbers nothing is free
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for shape in shapes.iter_mut().filter(|shape| shape.name.is_empty()) {
        let word = word(&shape.geometry);
        let number = next.entry(word).or_insert(1);
        while !taken.insert(format!("{word}{number}")) {
            *number += 1;
        }
        shape.name = format!("{word}{number}");
    }
}

/// Has the shape an area, so that it can have an inertia?
pub fn has_area(shape: &Shape) -> bool {
    match shape.geometry {
        Geometry::Point { .. } | Geometry::HalfPlane { .. } => false,
        Geometry::Circle { .. }
        | Geometry::Capsule { .. }
        | Geometry::Box { .. }
        | Geometry::Polygon { .. } => true,
    }
}

fn word(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Point { .. } => "point",
        Geometry::Circle { .. } => "circle",
        Geometry::Capsule { .. } => "capsule",
        Geometry::Box { .. } => "box",
        Geometry::Polygon { .. } => "polygon",
        Geometry::HalfPlane { .. } => "half_plane",
    }
}

fn read(mut t: Table<'_>, owner: Owner, names: &mut Names) -> Shape {
    let name = t
        .get("name")
        .and_then(|v| names.claim(&v))
        .unwrap_or_default();
    let material = t.get("material").and_then(|v| v.text()).map(str::to_owned);
    let kind = t.need_choice("kind", KINDS);
    // What could not be read stands as a disc, which is right everywhere.
    let mut geometry = Geometry::Circle {
        position: [0.0; 2],
        radius: 1.0,
    };
    let place = t.place.clone();
    if let Some(kind) = kind {
        allowed(&mut t, kind, owner);
        geometry = read_geometry(&mut t, kind, owner).unwrap_or(geometry);
        let what = match kind {
            Kind::Point => "a point",
            Kind::Circle => "a circle",
            Kind::Capsule => "a capsule",
            Kind::Box => "a box",
            Kind::Polygon => "a polygon",
            Kind::HalfPlane => "a half-plane",
        };
        t.finish(what);
    } else {
        t.finish_with("a shape", ALL_KEYS);
    }
    Shape {
        place,
        name,
        geometry,
        material,
    }
}

/// Which shapes go where.
fn allowed(t: &mut Table<'_>, kind: Kind, owner: Owner) {
    let Some(value) = t.get("kind") else { return };
    match (owner, kind) {
        (Owner::Point | Owner::Rigid, Kind::HalfPlane) => value.bad(
            "a half-plane cannot move with a body",
            "put it under `[[ground.shape]]`, or use a box",
        ),
        (Owner::Point, Kind::Capsule | Kind::Box | Kind::Polygon) => value.bad(
            "a point body does not rotate, so it takes only a point or a circle at its centre",
            "write `kind = \"rigid\"` in the body, or use a circle",
        ),
        (Owner::Ground, _) | (Owner::Rigid, _) | (Owner::Point, Kind::Point | Kind::Circle) => {}
    }
}

fn read_geometry(t: &mut Table<'_>, kind: Kind, owner: Owner) -> Option<Geometry> {
    match kind {
        Kind::Point => Some(Geometry::Point {
            position: centre(t, owner),
        }),
        Kind::Circle => {
            let position = centre(t, owner);
            let radius = t.need_number("radius", Range::POSITIVE)?;
            Some(Geometry::Circle { position, radius })
        }
        Kind::Capsule => {
            let (from, to) = (t.need_vector("from"), t.need_vector("to"));
            let radius = t.need_number("radius", Range::POSITIVE);
            let (from, to) = (from?, to?);
            if from == to {
                let message = "both ends of the capsule are the same point";
                let hint = "give two ends, or write `kind = \"circle\"`";
                if let Some(value) = t.get("to") {
                    value.bad(message, hint);
                }
            }
            Some(Geometry::Capsule {
                from,
                to,
                radius: radius?,
            })
        }
        Kind::Box => {
            let position = t.vector_or("position", [0.0; 2]);
            let angle = t.number_or("angle", Range::ANY, 0.0);
            let [width, height] = t.need("size")?.two("width and height")?;
            let (width, height) = (
                width.number(Range::POSITIVE),
                height.number(Range::POSITIVE),
            );
            Some(Geometry::Box {
                position,
                angle,
                size: [width?, height?],
            })
        }
        Kind::Polygon => {
            let value = t.need("vertices")?;
            let list = value.list("a list of corners")?;
            let corners: Vec<Option<Pair>> = list.iter().map(|v| v.vector()).collect();
            let vertices: Vec<Pair> = corners.into_iter().collect::<Option<_>>()?;
            if let Some((corner, message, hint)) = polygon_fault(&vertices) {
                list.get(corner).unwrap_or(&value).bad(message, hint);
            }
            Some(Geometry::Polygon { vertices })
        }
        Kind::HalfPlane => {
            let point = t.vector_or("point", [0.0; 2]);
            let normal = t.need_direction("normal")?;
            Some(Geometry::HalfPlane { point, normal })
        }
    }
}

/// The centre of a point or a circle; on a point body it can only be the body's.
fn centre(t: &mut Table<'_>, owner: Owner) -> Pair {
    let Some(value) = t.get("position") else {
        return [0.0; 2];
    };
    let position = value.vector().unwrap_or([0.0; 2]);
    if owner == Owner::Point && position != [0.0; 2] {
        let message = "a point body does not rotate, so its shape must be at its centre";
        value.bad(
            message,
            "write `position = [0, 0]`, or `kind = \"rigid\"` in the body",
        );
    }
    position
}

/// What keeps the corners from being a convex polygon, counter-clockwise: the corner (or a number past the last), a
/// sentence and a hint.
fn polygon_fault(corners: &[Pair]) -> Option<(usize, String, &'static str)> {
    /// A corner whose sine is below this is on the line of its neighbours, as far as rounding tells.
    const FLAT: f64 = 1e-9;
    let n = corners.len();
    if n < 3 {
        let message = format!("a polygon has three corners or more, this has {n}");
        return Some((n, message, "use a capsule for a rod, a point for a point"));
    }
    let corner = |i: usize| corners[i % n];
    let edge = |a: Pair, b: Pair| [b[0] - a[0], b[1] - a[1]];
    let cross = |a: Pair, b: Pair| a[0] * b[1] - a[1] * b[0];
    let length = |a: Pair| (a[0] * a[0] + a[1] * a[1]).sqrt();

    // Twice the area, from the first corner so that a far polygon keeps its digits.
    let fan = |i: usize| cross(edge(corner(0), corner(i)), edge(corner(0), corner(i + 1)));
    let area: f64 = (1..n - 1).map(fan).sum();
    for i in 0..n {
        if corner(i) == corner(i + 1) {
            let message = format!(
                "corners {} and {} are the same point",
                i + 1,
                (i + 1) % n + 1
            );
            return Some(((i + 1) % n, message, "leave one of them out"));
        }
    }
    if area < 0.0
        && (0..n).all(|i| {
            cross(
                edge(corner(i), corner(i + 1)),
                edge(corner(i + 1), corner(i + 2)),
            ) <= 0.0
        })
    {
        return Some((
            n,
            "the corners go round clockwise".to_owned(),
            "list them counter-clockwise: reverse the order",
        ));
    }
    for i in 0..n {
        let (before, after) = (
            edge(corner(i), corner(i + 1)),
            edge(corner(i + 1), corner(i + 2)),
        );
        let sine = cross(before, after) / (length(before) * length(after));
        let at = (i + 1) % n;
        if sine.abs() < FLAT {
            let message = format!("corner {} is on the line of its neighbours", at + 1);
            return Some((at, message, "leave it out"));
        }
        if sine.is_nan() || sine < 0.0 {
            let message = format!("the polygon is not convex at corner {}", at + 1);
            return Some((
                at,
                message,
                "split it into convex polygons, each its own shape of the same body",
            ));
        }
    }
    // All corners turn left: it goes round more than once, unless all are also in order seen from the first.
    let wound = (1..n - 1).find(|&i| fan(i).is_nan() || fan(i) <= 0.0)?;
    let message = format!("the sides cross each other at corner {}", wound + 1);
    Some((
        wound,
        message,
        "list the corners in the order of the outline",
    ))
}
