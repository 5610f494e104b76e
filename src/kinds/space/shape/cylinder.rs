//! Cylinder: m r^2/2 along its axis, m (h^2/12 + r^2/4) across.

use super::{Cylinder, Moments, about_axis};

pub(super) fn moments(cylinder: &Cylinder) -> Moments {
    let r2 = cylinder.radius * cylinder.radius;
    let half = cylinder.half_height;
    let volume = std::f64::consts::PI * r2 * 2.0 * half;
    Moments {
        volume,
        centre: cylinder.centre,
        inertia: about_axis(
            cylinder.axis,
            0.5 * volume * r2,
            volume * (half * half / 3.0 + 0.25 * r2),
        ),
    }
}
