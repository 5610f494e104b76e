//! Bounds of shapes, for cheap proximity tests.

use super::{HalfSpace, Shape};
use crate::kinds::space::Pose;
use crate::math::{Limit, Vec3, dot3};

/// Bounding volume of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A ball.
    Ball {
        /// In body coordinates, m.
        centre: Vec3,
        /// m.
        radius: f64,
    },
    /// Everything behind a plane.
    HalfSpace(HalfSpace),
}

impl Bound {
    /// Largest distance of the shape from the body's origin, m; infinite for a half-space.
    pub fn extent(&self) -> f64 {
        match self {
            Bound::Ball { centre, radius } => dot3(*centre, *centre).sqrt() + radius,
            Bound::HalfSpace(_) => f64::INFINITY,
        }
    }

    /// The bound of a shape. That of a height field is the half-space below its highest point.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(ball) => Bound::Ball {
                centre: ball.centre,
                radius: ball.radius,
            },
            Shape::Capsule(capsule) => {
                let [from, to] = capsule.ends;
                let half = (to - from) * 0.5;
                Bound::Ball {
                    centre: (from + to) * 0.5,
                    radius: dot3(half, half).sqrt() + capsule.radius,
                }
            }
            Shape::Cylinder(cylinder) => {
                let (r, h) = (cylinder.radius, cylinder.half_height);
                Bound::Ball {
                    centre: cylinder.centre,
                    radius: (r * r + h * h).sqrt(),
                }
            }
            Shape::Polyhedron(solid) => {
                let mut low = Vec3::repeat(f64::INFINITY);
                let mut high = Vec3::repeat(f64::NEG_INFINITY);
                for p in &solid.vertices {
                    for k in 0..3 {
                        low[k] = low[k].at_most(p[k]);
                        high[k] = high[k].at_least(p[k]);
                    }
                }
                let centre = (low + high) * 0.5;
                let square = solid.vertices.iter().fold(0.0, |most: f64, &p| {
                    most.at_least(dot3(p - centre, p - centre))
                });
                Bound::Ball {
                    centre,
                    radius: square.sqrt(),
                }
            }
            Shape::HalfSpace(plane) => Bound::HalfSpace(*plane),
            Shape::HeightField(field) => Bound::HalfSpace(HalfSpace {
                normal: Vec3::new(0.0, 0.0, 1.0),
                offset: field.range()[1],
            }),
        }
    }

    /// Lower bound of the distance of two shapes, m; negative if the bounds overlap.
    pub fn clearance(&self, other: &Bound, a: &Pose, b: &Pose) -> f64 {
        match (self, other) {
            (
                Bound::Ball { centre, radius },
                Bound::Ball {
                    centre: centre_b,
                    radius: radius_b,
                },
            ) => {
                let d = b.point(*centre_b) - a.point(*centre);
                dot3(d, d).sqrt() - radius - radius_b
            }
            (Bound::HalfSpace(plane), Bound::Ball { centre, radius }) => {
                height(plane, a, b.point(*centre)) - radius
            }
            (Bound::Ball { centre, radius }, Bound::HalfSpace(plane)) => {
                height(plane, b, a.point(*centre)) - radius
            }
            (Bound::HalfSpace(_), Bound::HalfSpace(_)) => f64::NEG_INFINITY,
        }
    }
}

fn height(plane: &HalfSpace, pose: &Pose, x: Vec3) -> f64 {
    dot3(pose.turn(plane.normal), x - pose.position) - plane.offset
}
