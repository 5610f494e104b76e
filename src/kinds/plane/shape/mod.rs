//! Shapes. In the plane every bounded shape is a convex core (a point, a segment or a polygon) with a rounding
//! radius, so that one routine in `collide` serves all pairs; a half-plane is the only unbounded one.

mod capsule;
mod circle;
mod geometry;
mod polygon;

pub use geometry::{Geometry, Kind};

use crate::math::{Vec2, larger, length};

/// A shape in body coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A convex core swept by a disc.
    Convex(Convex),
    /// Everything behind a line.
    HalfPlane(HalfPlane),
}

/// The convex hull of `vertices` (counter-clockwise), widened by `radius`.
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    /// m; one, two, or the corners of a polygon.
    pub vertices: Vec<Vec2>,
    /// m, not negative.
    pub radius: f64,
}

/// `normal . x <= offset` is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane {
    /// Unit vector out of the material.
    pub normal: Vec2,
    /// m.
    pub offset: f64,
}

/// Area (m²), centroid (m) and second moment about the origin (m⁴) of a shape, for inertia at uniform density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AreaMoments {
    /// m².
    pub area: f64,
    /// m.
    pub centroid: Vec2,
    /// Integral of the squared distance from the origin, m⁴.
    pub polar: f64,
}

impl Shape {
    /// Largest distance of the shape from the body's origin, m; infinite for a half-plane.
    pub fn extent(&self) -> f64 {
        match self {
            Shape::HalfPlane(_) => f64::INFINITY,
            Shape::Convex(core) => {
                let sizes = core.vertices.iter().map(|vertex| length(*vertex));
                sizes.fold(0.0, larger) + core.radius
            }
        }
    }

    /// Area moments; `None` for shapes without area and for half-planes.
    pub fn area_moments(&self) -> Option<AreaMoments> {
        let Shape::Convex(convex) = self else {
            return None;
        };
        let moments = match convex.vertices.as_slice() {
            [centre] => circle::moments(*centre, convex.radius),
            [from, to] => capsule::moments(*from, *to, convex.radius),
            vertices => polygon::moments(vertices),
        };
        (moments.area > 0.0).then_some(moments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(geometry: Geometry) -> AreaMoments {
        Shape::from_geometry(&geometry).area_moments().unwrap()
    }

    #[test]
    fn a_box_has_the_textbook_area_and_inertia() {
        let m = moments(Geometry::Box {
            position: [1.0, 2.0],
            angle: 0.3,
            size: [0.8, 0.6],
        });
        let about_centre =
            m.polar - m.area * (m.centroid.x * m.centroid.x + m.centroid.y * m.centroid.y);
        assert!((m.area - 0.48).abs() < 1e-14);
        assert!((m.centroid - Vec2::new(1.0, 2.0)).norm() < 1e-14);
        assert!((about_centre - 0.48 * (0.64 + 0.36) / 12.0).abs() < 1e-14);
    }

    #[test]
    fn a_capsule_is_between_its_bounding_boxes_and_a_short_one_is_a_disc() {
        let m = moments(Geometry::Capsule {
            from: [-1e-9, 0.0],
            to: [1e-9, 0.0],
            radius: 0.2,
        });
        let disc = std::f64::consts::PI * 0.04;
        assert!((m.area - disc).abs() < 1e-8 && (m.polar - disc * 0.02).abs() < 1e-8);
    }
}
