//! Convex polygon, counter-clockwise: moments by Green's theorem over its edges.

use super::{AreaMoments, Convex};
use crate::constraint::Pose;
use crate::math::{Vec2, cross, dot};

pub(super) fn rectangle(centre: Vec2, angle: f64, size: Vec2) -> Convex {
    let frame = Pose::new(centre.x, centre.y, angle);
    let (w, h) = (0.5 * size.x, 0.5 * size.y);
    Convex {
        vertices: [(-w, -h), (w, -h), (w, h), (-w, h)]
            .map(|(x, y)| frame.point(Vec2::new(x, y)))
            .to_vec(),
        radius: 0.0,
    }
}

pub(super) fn moments(vertices: &[Vec2]) -> AreaMoments {
    let mut area = 0.0;
    let mut first = Vec2::new(0.0, 0.0);
    let mut polar = 0.0;
    for (i, &p) in vertices.iter().enumerate() {
        let q = vertices[(i + 1) % vertices.len()];
        let c = cross(p, q);
        area += 0.5 * c;
        first += (p + q) * (c / 6.0);
        polar += c * (dot(p, p) + dot(p, q) + dot(q, q)) / 12.0;
    }
    AreaMoments {
        area,
        centroid: first / area,
        polar,
    }
}
