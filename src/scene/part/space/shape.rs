//! `[[body.shape]]` and `[[ground.shape]]` in space.

use super::orientation;
use crate::format::{rounded, short};
use crate::kinds::space::shape::Kind;
use crate::math::{Vec3, cross3, dot3};
use crate::scene::load::Files;
use crate::scene::mesh;
use crate::scene::part::shape::{Family, capsule, round};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Geometry, Triple};
use crate::scene::value::{Value, shortened};

/// Corners count as coplanar if their distance from a plane relative to their extent is below this: the volume would be rounding error.
const FLAT: f64 = 1e-9;

impl Family for Geometry {
    type Point = Triple;
    type Kind = Kind;

    const ROUND: Self = Geometry::Sphere {
        position: [0.0; 3],
        radius: 1.0,
    };

    fn kind(&self) -> Kind {
        self.kind()
    }

    fn read(t: &mut Table<'_>, kind: Kind, files: Files<'_>) -> Option<Self> {
        Some(match kind {
            Kind::Point => Geometry::Point {
                position: t.vector_or("position", [0.0; 3]),
            },
            Kind::Sphere => {
                let (position, radius) = round(t);
                Geometry::Sphere {
                    position,
                    radius: radius?,
                }
            }
            Kind::Capsule => {
                let (from, to, radius) = capsule(t, "sphere")?;
                Geometry::Capsule { from, to, radius }
            }
            Kind::Box => {
                let position = t.vector_or("position", [0.0; 3]);
                let orientation = orientation::read(t);
                let size: [Value<'_>; 3] = t.need("size")?.several("three lengths of edges")?;
                let [x, y, z] = size.map(|edge| edge.number(Range::POSITIVE));
                Geometry::Box {
                    position,
                    orientation,
                    size: [x?, y?, z?],
                }
            }
            Kind::Cylinder => {
                let position = t.vector_or("position", [0.0; 3]);
                let axis = t.get("axis").map(|v| v.direction());
                let radius = t.need_number("radius", Range::POSITIVE);
                let height = t.need_number("height", Range::POSITIVE);
                Geometry::Cylinder {
                    position,
                    axis: axis.unwrap_or(Some([0.0, 0.0, 1.0]))?,
                    radius: radius?,
                    height: height?,
                }
            }
            Kind::Polyhedron => polyhedron(t, files)?,
            Kind::HalfSpace => Geometry::HalfSpace {
                point: t.vector_or("point", [0.0; 3]),
                normal: t.need_direction("normal")?,
            },
            Kind::HeightField => height_field(t)?,
        })
    }
}

/// `vertices`, or `file` with `scale`.
fn polyhedron(t: &mut Table<'_>, files: Files<'_>) -> Option<Geometry> {
    let scale = t.get("scale");
    let factor = scale.as_ref().map(|v| v.number(Range::POSITIVE));
    match (t.get("vertices"), t.get("file")) {
        (Some(_), Some(file)) => {
            file.bad(
                "`vertices` and `file` are alternatives",
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

/// The name of a file in the scene's folder or below, so that it can be packed into an FMU.
fn file_name(value: &Value<'_>) -> Option<String> {
    let name = value.text()?;
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    if name.contains(['\\', ':', '\0']) || !name.split('/').all(is_plain) {
        value.bad(
            "the file must be in the folder of the scene, or in one below it",
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
                    "the mesh is not convex, but its convex hull is used as the shape: a face is {} of its size below the hull",
                    short(rounded(depth))
                );
                let hint = "split the part into convex pieces, one shape each; to use the hull, remove the faces (`f` lines) from an OBJ file";
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

/// Rejects corners whose hull has no volume.
fn check_hull(value: &Value<'_>, corners: &[Triple]) {
    if corners.len() < 4 {
        let message = format!(
            "a polyhedron needs at least four corners, but has {}",
            corners.len()
        );
        value.bad(message, "use a capsule for a rod, a thin box for a plate");
        return;
    }
    let points: Vec<Vec3> = corners
        .iter()
        .map(|c| Vec3::new(c[0], c[1], c[2]))
        .collect();
    // The point where a measure is largest, and its value there.
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
        let message = "the corners coincide, or are too far away";
        value.bad(message, "check the unit of the corners");
        return;
    }
    let along = (second - first) / extent;
    let across = |p: Vec3| cross3(along, (p - first) / extent);
    let (third, width) = farthest(&|p| length(across(p)));
    let normal = across(third);
    let (_, height) = farthest(&|p| dot3(normal, (p - first) / extent).abs());
    // The height is still multiplied by the width.
    if width <= FLAT || height <= FLAT * width {
        value.bad(
            "all corners are in one plane, so the shape has no volume",
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
            "a height field needs at least two rows of at least two heights",
            value.log.example("heights"),
        );
        return None;
    }
    for (i, row) in heights.iter().enumerate() {
        if row.len() != n {
            let message = format!(
                "row {} has {} heights, but the first has {n}",
                i + 1,
                row.len()
            );
            rows[i].bad(message, "give all rows the same number of heights");
        }
    }
    Some(Geometry::HeightField {
        origin,
        cell: cell?,
        heights,
    })
}
