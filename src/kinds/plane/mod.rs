//! The kinds in the plane: three velocities per body.

pub mod collide;
pub mod force;
pub mod joint;
pub mod shape;

use crate::constraint::{Pose, Row};
use crate::math::{Real, Vec2, length};

/// Distance of two points, given in body coordinates, and its gradient; no gradient where they coincide.
pub fn distance<T: Real>((a, on_a): (&Pose<T>, Vec2), (b, on_b): (&Pose<T>, Vec2)) -> (T, Row<T>) {
    let (arm_a, arm_b) = (a.turn(on_a), b.turn(on_b));
    let d = b.position + arm_b - a.position - arm_a;
    let distance = length(d);
    if distance.value() == 0.0 {
        return (T::zero(), Row::zero());
    }
    let row = Row::relative_velocity(d / distance, arm_a, arm_b);
    (distance, row)
}
