//! Ball: volume 4/3 pi r^3, inertia 2/5 m r^2.

use super::{Moments, Sphere};
use crate::math::Mat3;

pub(super) fn moments(ball: &Sphere) -> Moments {
    let r2 = ball.radius * ball.radius;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * r2 * ball.radius;
    Moments {
        volume,
        centre: ball.centre,
        inertia: Mat3::identity() * (0.4 * volume * r2),
    }
}
