//! Shapes as given in a scene: each kind with its keys, and its conversion to a collider.

use super::{Convex, HalfPlane, Shape, polygon};
use crate::kinds::shape::shape_kinds;
use crate::math::Vec2;
use serde::{Deserialize, Serialize};

shape_kinds! {
    Point, "point", "a point", "a point that touches others", All {
        "position" | "m" | "`[0, 0]`" | "[0, 1]" | "": "where it is";
    }
    Circle, "circle", "a circle", "a disc", All {
        "radius" | "m" | "required" | "0.1" | "" | POSITIVE: "of the disc";
        "position" | "m" | "`[0, 0]`" | "[0, 1]" | "": "its centre";
    }
    Capsule, "capsule", "a capsule", "a rod with round ends", Rigid {
        "from" | "m" | "required" | "[-0.25, 0]" | "": "centre of one end";
        "to" | "m" | "required" | "[0.25, 0]" | "": "centre of the other end";
        "radius" | "m" | "required" | "0.1" | "" | POSITIVE: "of the ends, half the width";
    }
    Box, "box", "a box", "a rectangle", Rigid {
        "size" | "m" | "required" | "[0.4, 0.2]" | "full width and height, m" | POSITIVE: "full width and height";
        "position" | "m" | "`[0, 0]`" | "[0, 1]" | "": "its centre";
        "angle" | "rad" | "0" | "0.5236" | "": "against the body";
    }
    Polygon, "polygon", "a polygon", "a convex polygon", Rigid {
        "vertices" | "m" | "required" | "[[0, 0], [1, 0], [0, 1]]" | "corners, counter-clockwise, m": "three corners or more, counter-clockwise";
    }
    HalfPlane, "half_plane", "a half-plane", "all that lies behind a line; on the ground only", Ground {
        "normal" | "" | "required" | "[0, 1]" | "points out of the material": "points out of the material, any length";
        "point" | "m" | "`[0, 0]`" | "[0, 0]" | "": "a point of the line";
    }
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Geometry {
    /// A point.
    Point {
        /// m.
        position: [f64; 2],
    },
    /// A disc.
    Circle {
        /// Centre, m.
        position: [f64; 2],
        /// m.
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end, m.
        from: [f64; 2],
        /// Centre of the other end, m.
        to: [f64; 2],
        /// Radius of the ends = half width, m.
        radius: f64,
    },
    /// A rectangle.
    Box {
        /// Centre, m.
        position: [f64; 2],
        /// Rotation relative to the body, rad.
        angle: f64,
        /// Full width and height, m.
        size: [f64; 2],
    },
    /// A convex polygon, counter-clockwise.
    Polygon {
        /// Corners, m.
        vertices: Vec<[f64; 2]>,
    },
    /// The half-plane behind a line; on the ground only.
    HalfPlane {
        /// A point of the line, m.
        point: [f64; 2],
        /// Points out of the material; any length.
        normal: [f64; 2],
    },
}

impl Geometry {
    /// Does the shape have an area, and thus an inertia?
    pub fn is_solid(&self) -> bool {
        !matches!(self, Geometry::Point { .. } | Geometry::HalfPlane { .. })
    }
}

impl Shape {
    /// The collider of a scene shape.
    pub fn from_geometry(geometry: &Geometry) -> Self {
        let vec = |p: [f64; 2]| Vec2::new(p[0], p[1]);
        match geometry {
            Geometry::Point { position } => Shape::Convex(Convex {
                vertices: vec![vec(*position)],
                radius: 0.0,
            }),
            Geometry::Circle { position, radius } => Shape::Convex(Convex {
                vertices: vec![vec(*position)],
                radius: *radius,
            }),
            Geometry::Capsule { from, to, radius } => Shape::Convex(Convex {
                vertices: vec![vec(*from), vec(*to)],
                radius: *radius,
            }),
            Geometry::Box {
                position,
                angle,
                size,
            } => Shape::Convex(polygon::rectangle(vec(*position), *angle, vec(*size))),
            Geometry::Polygon { vertices } => Shape::Convex(Convex {
                vertices: vertices.iter().map(|p| vec(*p)).collect(),
                radius: 0.0,
            }),
            Geometry::HalfPlane { point, normal } => {
                let n = vec(*normal);
                let normal = n / (n.x * n.x + n.y * n.y).sqrt();
                Shape::HalfPlane(HalfPlane {
                    normal,
                    offset: normal.x * point[0] + normal.y * point[1],
                })
            }
        }
    }
}
