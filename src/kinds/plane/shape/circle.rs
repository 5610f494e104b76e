//! Disc: area pi r^2, polar moment about its centre area r^2 / 2.

use super::AreaMoments;
use crate::math::{Vec2, dot};

pub(super) fn moments(centre: Vec2, radius: f64) -> AreaMoments {
    let area = std::f64::consts::PI * radius * radius;
    AreaMoments {
        area,
        centroid: centre,
        polar: area * (0.5 * radius * radius + dot(centre, centre)),
    }
}
