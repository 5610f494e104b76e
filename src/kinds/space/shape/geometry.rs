//! Shapes as given in a scene: each kind with its keys, and its conversion to a collider.

use super::{Flat, HeightField, Shape};
use crate::kinds::shape::shape_kinds;
use crate::kinds::space::Pose;
use crate::math::{Quaternion, Vec3, quaternion};
use serde::{Deserialize, Serialize};

shape_kinds! {
    Point, "point", "a point", "a point that touches others", All {
        "position" | "m" | "`[0, 0, 0]`" | "[0, 0, 1]" | "": "where it is";
    }
    Sphere, "sphere", "a sphere", "a ball", All {
        "radius" | "m" | "required" | "0.1" | "" | POSITIVE: "of the ball";
        "position" | "m" | "`[0, 0, 0]`" | "[0, 0, 1]" | "": "its centre";
    }
    Capsule, "capsule", "a capsule", "a rod with round ends", Rigid {
        "from" | "m" | "required" | "[-0.25, 0, 0]" | "": "centre of one end";
        "to" | "m" | "required" | "[0.25, 0, 0]" | "": "centre of the other end";
        "radius" | "m" | "required" | "0.1" | "" | POSITIVE: "of the ends and of the rod";
    }
    Box, "box", "a box", "a cuboid", Rigid {
        "size" | "m" | "required" | "[0.4, 0.3, 0.2]" | "full lengths of the edges, m" | POSITIVE: "full lengths of its edges along x, y, z";
        "position" | "m" | "`[0, 0, 0]`" | "[0, 0, 1]" | "": "its centre";
        "orientation" | "" | "no rotation" | "[1, 0, 0, 0]" | "a unit quaternion, w first": "against the body";
        "rotation_vector" | "rad" | "no rotation" | "[0, 0, 0.5]" | "an axis times an angle, rad": "the same";
        "euler" | "rad" | "no rotation" | "[0, 0, 0.5]" | "roll, pitch, yaw, rad": "the same";
    }
    Cylinder, "cylinder", "a cylinder", "a round cylinder with flat ends", Rigid {
        "radius" | "m" | "required" | "0.1" | "" | POSITIVE: "of the cylinder";
        "height" | "m" | "required" | "0.2" | "distance of the ends, m" | POSITIVE: "distance of its ends";
        "position" | "m" | "`[0, 0, 0]`" | "[0, 0, 1]" | "": "its centre";
        "axis" | "" | "`[0, 0, 1]`" | "[0, 0, 1]" | "a direction": "along it, any length";
    }
    Polyhedron, "polyhedron", "a polyhedron", "the convex hull of corners that are not all in one plane; `vertices` or `file` is required", Rigid {
        "vertices" | "m" | "" | "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]" | "corners, m": "corners";
        "file" | "" | "" | "\"part.stl\"" | "an STL or OBJ file beside the scene": "an STL or OBJ file that has the corners";
        "scale" | "" | "1" | "0.001" | "metres in one unit of the file" | POSITIVE: "metres in one unit of the file";
    }
    HalfSpace, "half_space", "a half-space", "all that lies behind a plane; on the ground only", Ground {
        "normal" | "" | "required" | "[0, 0, 1]" | "points out of the material": "points out of the material, any length";
        "point" | "m" | "`[0, 0, 0]`" | "[0, 0, 0]" | "": "a point of the plane";
    }
    HeightField, "height_field", "a height field", "ground below a surface; on the ground only", Ground {
        "heights" | "m" | "required" | "[[0, 0, 0], [0, 0.1, 0]]" | "rows along x, m": "rows of z";
        "cell" | "m" | "required" | "[0.1, 0.1]" | "distances along x and y, m" | POSITIVE: "distances of heights along x and y";
        "origin" | "m" | "`[0, 0]`" | "[0, 0]" | "x and y of the first height, m": "x and y of the first height";
    }
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Geometry {
    /// A point.
    Point {
        /// m.
        position: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        position: [f64; 3],
        /// m.
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end, m.
        from: [f64; 3],
        /// Centre of the other end, m.
        to: [f64; 3],
        /// Of the ends and of the rod, m.
        radius: f64,
    },
    /// A cuboid.
    Box {
        /// Centre, m.
        position: [f64; 3],
        /// Rotation relative to the body; a unit quaternion, w first.
        orientation: Quaternion,
        /// Full lengths of the edges, m.
        size: [f64; 3],
    },
    /// A round cylinder with flat ends.
    Cylinder {
        /// Centre, m.
        position: [f64; 3],
        /// Along it; any length.
        axis: [f64; 3],
        /// m.
        radius: f64,
        /// Distance of the ends, m.
        height: f64,
    },
    /// The convex hull of points that are not in one plane.
    Polyhedron {
        /// m; distinct if they come from a file.
        vertices: Vec<[f64; 3]>,
        /// Source file, relative to the scene, with `/`.
        file: Option<String>,
    },
    /// The half-space behind a plane; on the ground only.
    HalfSpace {
        /// A point of the plane, m.
        point: [f64; 3],
        /// Points out of the material; any length.
        normal: [f64; 3],
    },
    /// Ground below a grid of heights; on the ground only.
    HeightField {
        /// x and y of the first height, m.
        origin: [f64; 2],
        /// Distances of the heights along x and y, m.
        cell: [f64; 2],
        /// z, m: rows along x, in the order of y. At least two rows of at least two heights, all of the same length.
        heights: Vec<Vec<f64>>,
    },
}

impl Geometry {
    /// Does the shape have a volume, and thus a mass?
    pub fn is_solid(&self) -> bool {
        !matches!(
            self,
            Geometry::Point { .. } | Geometry::HalfSpace { .. } | Geometry::HeightField { .. }
        )
    }
}

/// The collider in body axes, rotated from the scene axes by a quaternion.
///
/// # Errors
/// If the corners span no volume.
pub fn shape_of(geometry: &Geometry, axes: Quaternion) -> Result<Shape, Flat> {
    let frame = Pose::new(Vec3::zeros(), axes);
    let vec3 = Vec3::from;
    let at = |written: &[f64; 3]| frame.turn_back(vec3(*written));
    Ok(match geometry {
        Geometry::Point { position } => Shape::sphere(at(position), 0.0),
        Geometry::Sphere { position, radius } => Shape::sphere(at(position), *radius),
        Geometry::Capsule { from, to, radius } => Shape::capsule([at(from), at(to)], *radius),
        Geometry::Box {
            position,
            orientation,
            size,
        } => {
            let turned = quaternion::product(quaternion::conjugate(axes), *orientation);
            Shape::cuboid(at(position), turned, vec3(*size))
        }
        Geometry::Cylinder {
            position,
            axis,
            radius,
            height,
        } => Shape::cylinder(at(position), at(axis), *radius, *height),
        Geometry::Polyhedron { vertices, .. } => {
            let points: Vec<Vec3> = vertices.iter().map(at).collect();
            Shape::hull(&points)?
        }
        Geometry::HalfSpace { point, normal } => Shape::half_space(at(point), at(normal)),
        Geometry::HeightField {
            origin,
            cell,
            heights,
        } => Shape::height_field(HeightField {
            corner: Vec3::new(origin[0], origin[1], 0.0),
            spacing: *cell,
            count: [heights.first().map_or(0, Vec::len), heights.len()],
            heights: heights.concat(),
        }),
    })
}
