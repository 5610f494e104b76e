//! Rod with round ends: a rectangle l x 2r and two half discs, whose centroids lie 4r/(3 pi) beyond its ends.

use super::AreaMoments;
use crate::math::{Vec2, dot, length};

pub(super) fn moments(from: Vec2, to: Vec2, radius: f64) -> AreaMoments {
    let l = length(to - from);
    let r2 = radius * radius;
    let rectangle = 2.0 * radius * l;
    let disc = std::f64::consts::PI * r2;
    let centroid_offset = 4.0 * radius / (3.0 * std::f64::consts::PI);
    // two half discs about the middle: own polar moment as one disc, shifted from their centroids
    let about_end = 0.5 * disc * r2;
    let about_middle = about_end + disc * (0.25 * l * l + l * centroid_offset);
    let area = rectangle + disc;
    let centroid = (from + to) * 0.5;
    AreaMoments {
        area,
        centroid,
        polar: rectangle * (l * l + 4.0 * r2) / 12.0
            + about_middle
            + area * dot(centroid, centroid),
    }
}
