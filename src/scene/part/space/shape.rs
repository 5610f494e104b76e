//! `[[body.shape]]` and `[[ground.shape]]` in space: what touches.

use super::orientation;
use crate::format::{rounded, short};
use crate::math::{Vec3, cross3, dot3};
use crate::scene::load::Files;
use crate::scene::mesh;
use crate::scene::part::Names;
use crate::scene::part::shape::name_the_nameless;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::Shape;
use crate::scene::spec::space::{Geometry, Triple};
use crate::scene::value::{Value, shortened};

pub use crate::scene::part::shape::Owner;

/// The kinds of shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Point,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    Polyhedron,
    HalfSpace,
    HeightField,
}

const KINDS: &[(&str, Kind)] = &[
    ("point", Kind::Point),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("box", Kind::Box),
    ("cylinder", Kind::Cylinder),
    ("polyhedron", Kind::Polyhedron),
    ("half_space", Kind::HalfSpace),
    ("height_field", Kind::HeightField),
];

/// Every key that some shape has.
const ALL_KEYS: &[&str] = &[
    "axis",
    "cell",
    "euler",
    "file",
    "from",
    "height",
    "heights",
    "kind",
    "material",
    "name",
    "normal",
    "orientation",
    "origin",
    "point",
    "position",
    "radius",
    "rotation_vector",
    "scale",
    "size",
    "to",
    "vertices",
];

/// Corners are in one plane if they are nearer to it than this part of their extent: no volume is left beside rounding.
const FLAT: f64 = 1e-9;

/// Reads all shapes of a body or of the ground.
pub fn read_all(tables: Vec<Table<'_>>, owner: Owner, files: Files<'_>) -> Vec<Shape<Geometry>> {
    let mut names = Names::new("shapes of one body");
    let mut shapes: Vec<Shape<Geometry>> = tables
        .into_iter()
        .map(|t| read(t, owner, &mut names, files))
        .collect();
    name_the_nameless(&mut shapes, word);
    shapes
}

/// Has the shape a volume, so that it can have a mass?
pub fn has_volume(shape: &Shape<Geometry>) -> bool {
    match shape.geometry {
        Geometry::Point { .. } | Geometry::HalfSpace { .. } | Geometry::HeightField { .. } => false,
        Geometry::Sphere { .. }
        | Geometry::Capsule { .. }
        | Geometry::Box { .. }
        | Geometry::Cylinder { .. }
        | Geometry::Polyhedron { .. } => true,
    }
}

fn word(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Point { .. } => "point",
        Geometry::Sphere { .. } => "sphere",
        Geometry::Capsule { .. } => "capsule",
        Geometry::Box { .. } => "box",
        Geometry::Cylinder { .. } => "cylinder",
        Geometry::Polyhedron { .. } => "polyhedron",
        Geometry::HalfSpace { .. } => "half_space",
        Geometry::HeightField { .. } => "height_field",
    }
}

fn read(mut t: Table<'_>, owner: Owner, names: &mut Names, files: Files<'_>) -> Shape<Geometry> {
    let name = t
        .get("name")
        .and_then(|v| names.claim(&v))
        .unwrap_or_default();
    let material = t.get("material").and_then(|v| v.text()).map(str::to_owned);
    let kind = t.need_choice("kind", KINDS);
    // What could not be read stands as a ball, which is right everywhere.
    let mut geometry = Geometry::Sphere {
        position: [0.0; 3],
        radius: 1.0,
    };
    let place = t.place.clone();
    if let Some(kind) = kind {
        allowed(&mut t, kind, owner);
        geometry = read_geometry(&mut t, kind, owner, files).unwrap_or(geometry);
        let what = match kind {
            Kind::Point => "a point",
            Kind::Sphere => "a sphere",
            Kind::Capsule => "a capsule",
            Kind::Box => "a box",
            Kind::Cylinder => "a cylinder",
            Kind::Polyhedron => "a polyhedron",
            Kind::HalfSpace => "a half-space",
            Kind::HeightField => "a height field",
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
        (Owner::Point | Owner::Rigid, Kind::HalfSpace) => value.bad(
            "a half-space cannot move with a body",
            "put it under `[[ground.shape]]`, or use a box",
        ),
        (Owner::Point | Owner::Rigid, Kind::HeightField) => value.bad(
            "a height field cannot move with a body",
            "put it under `[[ground.shape]]`, or use a polyhedron",
        ),
        (Owner::Point, Kind::Capsule | Kind::Box | Kind::Cylinder | Kind::Polyhedron) => value.bad(
            "a point body does not rotate, so it takes only a point or a sphere at its centre",
            "write `kind = \"rigid\"` in the body, or use a sphere",
        ),
        (Owner::Ground | Owner::Rigid, _) | (Owner::Point, Kind::Point | Kind::Sphere) => {}
    }
}

/// Each getter runs before the first `?`, so that one problem does not hide another.
fn read_geometry(
    t: &mut Table<'_>,
    kind: Kind,
    owner: Owner,
    files: Files<'_>,
) -> Option<Geometry> {
    match kind {
        Kind::Point => Some(Geometry::Point {
            position: centre(t, owner),
        }),
        Kind::Sphere => {
            let position = centre(t, owner);
            let radius = t.need_number("radius", Range::POSITIVE)?;
            Some(Geometry::Sphere { position, radius })
        }
        Kind::Capsule => {
            let (from, to) = (t.need_vector("from"), t.need_vector("to"));
            let radius = t.need_number("radius", Range::POSITIVE);
            let (from, to) = (from?, to?);
            if from == to
                && let Some(value) = t.get("to")
            {
                value.bad(
                    "both ends of the capsule are the same point",
                    "give two ends, or write `kind = \"sphere\"`",
                );
            }
            Some(Geometry::Capsule {
                from,
                to,
                radius: radius?,
            })
        }
        Kind::Box => {
            let position = t.vector_or("position", [0.0; 3]);
            let orientation = orientation::read(t);
            let size: [Value<'_>; 3] = t.need("size")?.several("three lengths of edges")?;
            let [x, y, z] = size.map(|edge| edge.number(Range::POSITIVE));
            Some(Geometry::Box {
                position,
                orientation,
                size: [x?, y?, z?],
            })
        }
        Kind::Cylinder => {
            let position = t.vector_or("position", [0.0; 3]);
            let axis = t.get("axis").map(|v| v.direction());
            let radius = t.need_number("radius", Range::POSITIVE);
            let height = t.need_number("height", Range::POSITIVE);
            Some(Geometry::Cylinder {
                position,
                axis: axis.unwrap_or(Some([0.0, 0.0, 1.0]))?,
                radius: radius?,
                height: height?,
            })
        }
        Kind::Polyhedron => polyhedron(t, files),
        Kind::HalfSpace => {
            let point = t.vector_or("point", [0.0; 3]);
            let normal = t.need_direction("normal")?;
            Some(Geometry::HalfSpace { point, normal })
        }
        Kind::HeightField => height_field(t),
    }
}

/// The centre of a point or a sphere; on a point body it can only be the body's.
fn centre(t: &mut Table<'_>, owner: Owner) -> Triple {
    let Some(value) = t.get("position") else {
        return [0.0; 3];
    };
    let position = value.vector().unwrap_or([0.0; 3]);
    if owner == Owner::Point && position != [0.0; 3] {
        let message = "a point body does not rotate, so its shape must be at its centre";
        value.bad(
            message,
            "write `position = [0, 0, 0]`, or `kind = \"rigid\"` in the body",
        );
    }
    position
}

/// `vertices`, or `file` with `scale`.
fn polyhedron(t: &mut Table<'_>, files: Files<'_>) -> Option<Geometry> {
    let scale = t.get("scale");
    let factor = scale.as_ref().map(|v| v.number(Range::POSITIVE));
    match (t.get("vertices"), t.get("file")) {
        (Some(_), Some(file)) => {
            file.bad(
                "`vertices` and `file` say the same twice",
                "keep one of the two",
            );
            None
        }
        (Some(value), None) => {
            if let Some(scale) = scale {
                let message = "`scale` has no effect without `file`";
                scale.bad(message, "remove it, or write the corners in metres");
            }
            let list = value.list("a list of corners")?;
            let corners: Vec<Option<Triple>> = list.iter().map(|v| v.vector()).collect();
            let vertices: Vec<Triple> = corners.into_iter().collect::<Option<_>>()?;
            check_hull(&value, &vertices);
            Some(Geometry::Polyhedron {
                vertices,
                file: None,
            })
        }
        (None, Some(value)) => {
            let name = file_name(&value)?;
            let vertices = read_file(&value, &name, factor.unwrap_or(Some(1.0))?, files)?;
            check_hull(&value, &vertices);
            Some(Geometry::Polyhedron {
                vertices,
                file: Some(name),
            })
        }
        (None, None) => {
            t.log.absent(
                t.place.clone(),
                &t.path_of("vertices"),
                "a polyhedron needs `vertices` or `file`",
                t.log.example("vertices"),
            );
            None
        }
    }
}

/// The name of a file in the scene's folder or below, so that it can go into an FMU with the scene.
fn file_name(value: &Value<'_>) -> Option<String> {
    let name = value.text()?;
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    if name.contains(['\\', ':', '\0']) || !name.split('/').all(is_plain) {
        value.bad(
            "a file is in the folder of the scene, or in one below it",
            "copy it there and write its name, with `/` between folders",
        );
        return None;
    }
    Some(name.to_owned())
}

/// The corners of a file, in metres.
fn read_file(value: &Value<'_>, name: &str, scale: f64, files: Files<'_>) -> Option<Vec<Triple>> {
    let Some(kind) = mesh::Kind::of(name) else {
        let message = format!("\"{}\" is neither an STL nor an OBJ file", shortened(name));
        value.bad(message, "the name ends with `.stl` or `.obj`");
        return None;
    };
    let bytes = match files(name) {
        Ok(bytes) => bytes,
        Err((message, hint)) => {
            value.bad(message, hint);
            return None;
        }
    };
    match mesh::read(kind, &bytes) {
        Ok(mesh) => {
            if let Some(depth) = mesh::dent(&mesh) {
                let message = format!(
                    "the mesh is not convex: a face is {} of its size below the hull of its corners, which the shape would be",
                    short(rounded(depth))
                );
                let hint = "split the part into convex pieces, a shape for each; without faces (`f` lines) an OBJ file means the hull";
                value.bad(message, hint);
                return None;
            }
            let corners = mesh.corners.into_iter();
            Some(corners.map(|c| c.map(|x| x * scale)).collect())
        }
        Err((message, hint)) => {
            value.bad(message, hint);
            None
        }
    }
}

/// Refuses corners whose hull has no volume.
fn check_hull(value: &Value<'_>, corners: &[Triple]) {
    if corners.len() < 4 {
        let message = format!(
            "a polyhedron has four corners or more, this has {}",
            corners.len()
        );
        value.bad(message, "use a capsule for a rod, a thin box for a plate");
        return;
    }
    let points: Vec<Vec3> = corners
        .iter()
        .map(|c| Vec3::new(c[0], c[1], c[2]))
        .collect();
    // The point where a measure is largest, and how large it is there.
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        let start = (points[0], 0.0);
        points.iter().fold(start, |best, p| {
            let size = measure(*p);
            if size > best.1 { (*p, size) } else { best }
        })
    };
    let first = points[0];
    let length = |v: Vec3| dot3(v, v).sqrt();
    let (second, extent) = farthest(&|p| length(p - first));
    if !extent.is_normal() || !(extent * extent).is_finite() {
        let message = "the corners are all in one place, or too far away";
        value.bad(message, "check the unit of the corners");
        return;
    }
    let along = (second - first) / extent;
    let across = |p: Vec3| cross3(along, (p - first) / extent);
    let (third, width) = farthest(&|p| length(across(p)));
    let normal = across(third);
    let (_, height) = farthest(&|p| dot3(normal, (p - first) / extent).abs());
    // The height is still times the width.
    if width <= FLAT || height <= FLAT * width {
        value.bad(
            "all corners are in one plane, so there is no volume between them",
            "use a thin box, or add a corner outside of the plane",
        );
    }
}

fn height_field(t: &mut Table<'_>) -> Option<Geometry> {
    let origin = t.vector_or("origin", [0.0; 2]);
    let cell = t.need("cell").and_then(|value| {
        let [x, y] = value.two("distances along x and y")?;
        let (x, y) = (x.number(Range::POSITIVE), y.number(Range::POSITIVE));
        Some([x?, y?])
    });
    let value = t.need("heights")?;
    let rows = value.list("rows of heights")?;
    let mut heights: Vec<Option<Vec<f64>>> = Vec::new();
    for row in &rows {
        let numbers = row.list("a row of heights");
        heights.push(numbers.and_then(|row| row.iter().map(|z| z.number(Range::ANY)).collect()));
    }
    let heights: Vec<Vec<f64>> = heights.into_iter().collect::<Option<_>>()?;
    let n = heights.first().map_or(0, Vec::len);
    if heights.len() < 2 || n < 2 {
        value.bad(
            "a height field has two rows or more, of two heights or more",
            value.log.example("heights"),
        );
        return None;
    }
    for (i, row) in heights.iter().enumerate() {
        if row.len() != n {
            let message = format!("row {} has {} heights, the first has {n}", i + 1, row.len());
            rows[i].bad(message, "give all rows the same number of heights");
        }
    }
    Some(Geometry::HeightField {
        origin,
        cell: cell?,
        heights,
    })
}
