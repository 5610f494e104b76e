//! `[[body.shape]]` and `[[ground.shape]]` in the plane and in space.

use std::collections::{BTreeMap, BTreeSet};

use super::Names;
use crate::kinds::plane;
use crate::kinds::shape::{self, Kind};
use crate::scene::load::Files;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Geometry, Pair, Shape};
use crate::scene::value::{Vector, written};

/// Owner of a shape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// On the ground.
    Ground,
    /// On a point body.
    Point,
    /// On a rigid body.
    Rigid,
}

/// The shapes in the plane, or in space.
pub trait Family: Sized {
    /// Vector type.
    type Point: Vector;
    /// Kinds of shapes.
    type Kind: Kind;

    /// A circle or a sphere: the placeholder for a shape that could not be read, since it is valid everywhere.
    const ROUND: Self;

    /// Kind of the shape.
    fn kind(&self) -> Self::Kind;

    /// Reads the keys of a kind. All getters run before the first `?`, so that one problem does not hide another.
    fn read(t: &mut Table<'_>, kind: Self::Kind, files: Files<'_>) -> Option<Self>;
}

/// Reads all shapes of a body or of the ground.
pub fn read_all<G: Family>(
    tables: Vec<Table<'_>>,
    owner: Owner,
    files: Files<'_>,
) -> Vec<Shape<G>> {
    let mut names = Names::new("shapes of one body");
    let mut shapes: Vec<Shape<G>> = tables
        .into_iter()
        .map(|t| read(t, owner, &mut names, files))
        .collect();
    name_the_nameless(&mut shapes);
    shapes
}

/// A shape without a name is named after its kind and the first free number.
fn name_the_nameless<G: Family>(shapes: &mut [Shape<G>]) {
    let mut taken: BTreeSet<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
    // all smaller numbers are taken
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for shape in shapes.iter_mut().filter(|shape| shape.name.is_empty()) {
        let word = shape.geometry.kind().description().word;
        let number = next.entry(word).or_insert(1);
        while !taken.insert(format!("{word}{number}")) {
            *number += 1;
        }
        shape.name = format!("{word}{number}");
    }
}

fn read<G: Family>(
    mut t: Table<'_>,
    owner: Owner,
    names: &mut Names,
    files: Files<'_>,
) -> Shape<G> {
    let name = t
        .get("name")
        .and_then(|v| names.claim(&v))
        .unwrap_or_default();
    let material = t.get("material").and_then(|v| v.text()).map(str::to_owned);
    let all = G::Kind::ALL.iter();
    let words: Vec<(&str, G::Kind)> = all.map(|k| (k.description().word, *k)).collect();
    let kind = t.need_choice("kind", &words);
    let mut geometry = G::ROUND;
    let place = t.place.clone();
    let keys = |kind: &G::Kind| kind.description().parameters.iter().map(|p| p.key);
    if let Some(kind) = kind {
        let description = kind.description();
        t.describe(description.parameters);
        allowed::<G>(&mut t, description, owner);
        geometry = G::read(&mut t, kind, files).unwrap_or(geometry);
        if owner == Owner::Point {
            check_centre::<G::Point>(&mut t);
        }
        let others = words
            .iter()
            .flat_map(|(word, kind)| keys(kind).map(move |key| (key, *word)));
        t.finish_kind(description.called, others.collect());
    } else {
        let mut known = vec!["kind", "material", "name"];
        known.extend(G::Kind::ALL.iter().flat_map(keys));
        t.finish_with("a shape", &known);
    }
    Shape {
        place,
        name,
        geometry,
        material,
    }
}

/// Checks that the shape is allowed on its owner.
fn allowed<G: Family>(t: &mut Table<'_>, kind: &shape::Description, owner: Owner) {
    let Some(value) = t.get("kind") else { return };
    let round = G::ROUND.kind().description().called;
    match (owner, kind.owner) {
        (Owner::Point | Owner::Rigid, shape::Owner::Ground) => value.bad(
            format!("{} cannot move with a body", kind.called),
            "put it under `[[ground.shape]]`, or use a box",
        ),
        (Owner::Point, shape::Owner::Rigid) => value.bad(
            format!(
                "a point body does not rotate, so its shape can only be a point or {round} at its centre"
            ),
            format!("write `kind = \"rigid\"` in the body, or use {round}"),
        ),
        (Owner::Ground | Owner::Rigid, _) | (Owner::Point, shape::Owner::All) => {}
    }
}

/// The shape of a point body must be at its centre.
fn check_centre<P: Vector>(t: &mut Table<'_>) {
    let zero = P::ZERO;
    if t.has("position")
        && let Some(value) = t.get("position")
        && P::parse(value.value).is_some_and(|position| position != zero)
    {
        value.bad(
            "a point body does not rotate, so its shape must be at its centre",
            format!(
                "write `position = {}`, or `kind = \"rigid\"` in the body",
                written(&zero)
            ),
        );
    }
}

impl Family for Geometry {
    type Point = Pair;
    type Kind = plane::shape::Kind;

    const ROUND: Self = Geometry::Circle {
        position: [0.0; 2],
        radius: 1.0,
    };

    fn kind(&self) -> plane::shape::Kind {
        self.kind()
    }

    fn read(t: &mut Table<'_>, kind: plane::shape::Kind, _: Files<'_>) -> Option<Self> {
        use plane::shape::Kind;
        Some(match kind {
            Kind::Point => Geometry::Point {
                position: t.vector_or("position", [0.0; 2]),
            },
            Kind::Circle => {
                let (position, radius) = round(t);
                Geometry::Circle {
                    position,
                    radius: radius?,
                }
            }
            Kind::Capsule => {
                let (from, to, radius) = capsule(t, "circle")?;
                Geometry::Capsule { from, to, radius }
            }
            Kind::Box => {
                let position = t.vector_or("position", [0.0; 2]);
                let angle = t.number_or("angle", Range::ANY, 0.0);
                let [width, height] = t.need("size")?.two("width and height")?;
                let (width, height) = (
                    width.number(Range::POSITIVE),
                    height.number(Range::POSITIVE),
                );
                Geometry::Box {
                    position,
                    angle,
                    size: [width?, height?],
                }
            }
            Kind::Polygon => {
                let value = t.need("vertices")?;
                let list = value.list("a list of corners")?;
                let corners: Vec<Option<Pair>> = list.iter().map(|v| v.vector()).collect();
                let vertices: Vec<Pair> = corners.into_iter().collect::<Option<_>>()?;
                if let Some((corner, message, hint)) = polygon_fault(&vertices) {
                    list.get(corner).unwrap_or(&value).bad(message, hint);
                }
                Geometry::Polygon { vertices }
            }
            Kind::HalfPlane => Geometry::HalfPlane {
                point: t.vector_or("point", [0.0; 2]),
                normal: t.need_direction("normal")?,
            },
        })
    }
}

/// `position` and `radius` of a circle or a sphere.
pub fn round<P: Vector>(t: &mut Table<'_>) -> (P, Option<f64>) {
    let position = t.vector_or("position", P::ZERO);
    (position, t.need_number("radius", Range::POSITIVE))
}

/// `from`, `to` and `radius`; `instead` is the kind to use for a capsule of zero length.
pub fn capsule<P: Vector>(t: &mut Table<'_>, instead: &str) -> Option<(P, P, f64)> {
    let (from, to) = (t.need_vector("from"), t.need_vector("to"));
    let radius = t.need_number("radius", Range::POSITIVE);
    let (from, to): (P, P) = (from?, to?);
    if from == to
        && let Some(value) = t.get("to")
    {
        value.bad(
            "both ends of the capsule are the same point",
            format!("give two ends, or write `kind = \"{instead}\"`"),
        );
    }
    Some((from, to, radius?))
}

/// Checks that the corners are a convex, counter-clockwise polygon. Otherwise returns the corner (or a number past the last), a
/// message and a hint.
fn polygon_fault(corners: &[Pair]) -> Option<(usize, String, &'static str)> {
    /// A corner whose sine is below this is collinear with its neighbours, up to rounding.
    const FLAT: f64 = 1e-9;
    let n = corners.len();
    if n < 3 {
        let message = format!("a polygon needs at least three corners, but has {n}");
        return Some((n, message, "use a capsule for a rod, a point for a point"));
    }
    let corner = |i: usize| corners[i % n];
    let edge = |a: Pair, b: Pair| [b[0] - a[0], b[1] - a[1]];
    let cross = |a: Pair, b: Pair| a[0] * b[1] - a[1] * b[0];
    let length = |a: Pair| (a[0] * a[0] + a[1] * a[1]).sqrt();

    // Twice the area, relative to the first corner to avoid cancellation far from the origin.
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
            "the corners are in clockwise order".to_owned(),
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
    // All corners turn left: the outline winds around more than once, unless they are also in order seen from the first.
    let wound = (1..n - 1).find(|&i| fan(i).is_nan() || fan(i) <= 0.0)?;
    let message = format!("the sides cross each other at corner {}", wound + 1);
    Some((
        wound,
        message,
        "list the corners in the order of the outline",
    ))
}
