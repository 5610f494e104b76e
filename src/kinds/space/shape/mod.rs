//! Shapes in space, in body coordinates: their parameters, moments at uniform density and bounds.

mod bound;
mod capsule;
mod cylinder;
mod geometry;
mod height_field;
mod polyhedron;
mod sphere;

pub use crate::math::hull::Flat;
pub use bound::Bound;
pub use geometry::{Geometry, Kind, shape_of};
pub use height_field::{HeightField, Triangle};
pub use polyhedron::{Edge, Face, Polyhedron};

use super::Pose;
use crate::math::{Mat3, Quaternion, Vec3, dot3, quaternion};
use std::sync::Arc;

/// A shape in body coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball; a point if its radius is zero.
    Sphere(Sphere),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A circular cylinder with flat ends.
    Cylinder(Cylinder),
    /// A convex solid with flat faces, including boxes.
    Polyhedron(Arc<Polyhedron>),
    /// Everything behind a plane; for the ground.
    HalfSpace(HalfSpace),
    /// Everything below a surface of triangles; for the ground.
    HeightField(Arc<HeightField>),
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// m.
    pub centre: Vec3,
    /// m, not negative.
    pub radius: f64,
}

/// All points within `radius` of the segment between `ends`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// m; two different points.
    pub ends: [Vec3; 2],
    /// m, positive.
    pub radius: f64,
}

/// A circular cylinder with flat ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// m.
    pub centre: Vec3,
    /// Unit vector along it.
    pub axis: Vec3,
    /// m, positive.
    pub radius: f64,
    /// Half height, m, positive.
    pub half_height: f64,
}

/// `normal . x <= offset` is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Unit vector out of the material.
    pub normal: Vec3,
    /// m.
    pub offset: f64,
}

/// Volume, centre of mass and inertia of a shape at unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// m³.
    pub volume: f64,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Inertia tensor about the centre of mass at density one, in the axes of the shape, m⁵.
    pub inertia: Mat3,
}

impl Shape {
    /// A ball; a point if the radius is zero.
    pub fn sphere(centre: Vec3, radius: f64) -> Self {
        Shape::Sphere(Sphere { centre, radius })
    }

    /// A capsule; a ball if both ends are the same.
    pub fn capsule(ends: [Vec3; 2], radius: f64) -> Self {
        if ends[0] == ends[1] {
            Shape::sphere(ends[0], radius)
        } else {
            Shape::Capsule(Capsule { ends, radius })
        }
    }

    /// A box; `size` is its full extent along its axes.
    pub fn cuboid(centre: Vec3, orientation: Quaternion, size: Vec3) -> Self {
        let axes = quaternion::matrix(orientation);
        Shape::Polyhedron(Arc::new(Polyhedron::cuboid(centre, &axes, size)))
    }

    /// A cylinder about an axis of any length.
    pub fn cylinder(centre: Vec3, axis: Vec3, radius: f64, height: f64) -> Self {
        Shape::Cylinder(Cylinder {
            centre,
            axis: unit(axis),
            radius,
            half_height: 0.5 * height,
        })
    }

    /// The convex hull of points.
    pub fn hull(points: &[Vec3]) -> Result<Self, Flat> {
        Ok(Shape::Polyhedron(Arc::new(Polyhedron::hull(points)?)))
    }

    /// Everything behind the plane through a point, with a normal of any length out of the material.
    pub fn half_space(point: Vec3, normal: Vec3) -> Self {
        let normal = unit(normal);
        Shape::HalfSpace(HalfSpace {
            normal,
            offset: dot3(normal, point),
        })
    }

    /// Everything below a surface.
    pub fn height_field(field: HeightField) -> Self {
        Shape::HeightField(Arc::new(field))
    }

    /// Its name for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere(ball) if ball.radius == 0.0 => "point",
            Shape::Sphere(_) => "sphere",
            Shape::Capsule(_) => "capsule",
            Shape::Cylinder(_) => "cylinder",
            Shape::Polyhedron(solid) if solid.is_box => "box",
            Shape::Polyhedron(_) => "polyhedron",
            Shape::HalfSpace(_) => "half-space",
            Shape::HeightField(_) => "height field",
        }
    }

    /// Is it unbounded, and so allowed only on the ground?
    pub fn is_ground_only(&self) -> bool {
        match self {
            Shape::HalfSpace(_) | Shape::HeightField(_) => true,
            Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Polyhedron(_) => {
                false
            }
        }
    }

    /// The shape in another frame, given in the present one, such as that of a body's
    /// principal axes. A height field is unchanged: the ground has one frame.
    pub fn seen_from(&self, frame: &Pose) -> Self {
        let point = |x: Vec3| frame.turn_back(x - frame.position);
        match self {
            Shape::Sphere(ball) => Shape::sphere(point(ball.centre), ball.radius),
            Shape::Capsule(capsule) => Shape::Capsule(Capsule {
                ends: capsule.ends.map(point),
                radius: capsule.radius,
            }),
            Shape::Cylinder(cylinder) => Shape::Cylinder(Cylinder {
                centre: point(cylinder.centre),
                axis: frame.turn_back(cylinder.axis),
                ..*cylinder
            }),
            Shape::Polyhedron(solid) => Shape::Polyhedron(Arc::new(solid.seen_from(frame))),
            Shape::HalfSpace(plane) => Shape::HalfSpace(HalfSpace {
                normal: frame.turn_back(plane.normal),
                offset: plane.offset - dot3(plane.normal, frame.position),
            }),
            Shape::HeightField(field) => Shape::HeightField(Arc::clone(field)),
        }
    }

    /// Volume, centre and inertia; `None` for shapes without volume and for those of the ground.
    pub fn moments(&self) -> Option<Moments> {
        let moments = match self {
            Shape::Sphere(ball) => sphere::moments(ball),
            Shape::Capsule(capsule) => capsule::moments(capsule),
            Shape::Cylinder(cylinder) => cylinder::moments(cylinder),
            Shape::Polyhedron(solid) => solid.moments(),
            Shape::HalfSpace(_) | Shape::HeightField(_) => return None,
        };
        (moments.volume > 0.0).then_some(moments)
    }
}

pub(super) fn unit(v: Vec3) -> Vec3 {
    v / dot3(v, v).sqrt()
}

// inertia of a body of revolution about its axis
fn about_axis(axis: Vec3, along: f64, across: f64) -> Mat3 {
    let mut inertia: Mat3 = Mat3::zeros();
    for i in 0..3 {
        for j in 0..3 {
            let same = if i == j { across } else { 0.0 };
            inertia[(i, j)] = same + (along - across) * axis[i] * axis[j];
        }
    }
    inertia
}

#[cfg(test)]
mod tests;
