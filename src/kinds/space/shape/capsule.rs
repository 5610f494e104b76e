//! Capsule: a cylinder of length l between two half balls, whose centres of mass lie 3r/8 beyond its ends.
//!
//! (1)  along the axis:  m_c r^2/2 + m_s 2/5 r^2
//! (2)  across:          m_c (l^2/12 + r^2/4) + m_s (2/5 r^2 + l^2/4 + 3/8 l r)

use super::{Capsule, Moments, about_axis};
use crate::math::dot3;

pub(super) fn moments(capsule: &Capsule) -> Moments {
    let [from, to] = capsule.ends;
    let d = to - from;
    let l = dot3(d, d).sqrt();
    let r = capsule.radius;
    let r2 = r * r;
    let tube = std::f64::consts::PI * r2 * l;
    let ball = 4.0 / 3.0 * std::f64::consts::PI * r2 * r;
    let along = 0.5 * tube * r2 + 0.4 * ball * r2; // (1)
    let across =
        tube * (l * l / 12.0 + 0.25 * r2) + ball * (0.4 * r2 + 0.25 * l * l + 0.375 * l * r); // (2)
    Moments {
        volume: tube + ball,
        centre: (from + to) * 0.5,
        inertia: about_axis(d / l, along, across),
    }
}
