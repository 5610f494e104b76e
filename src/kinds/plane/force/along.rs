//! Forces f g along the gradient g of a joint coordinate: the change of g with the poses.
//!
//! (1)  rest: held H;  of dampers: fading H + (df/du) g (H^T v)^T,   H_ij = change of g_i along motion j,   f = held + fading

use super::{Bending, PAIR_DOF, PairVector, Situation, add_outer};
use crate::constraint::{BODY_DOF, Row, Twist};
use crate::kinds::plane::joint::Joint;
use crate::math::{Dual, Vec2};

/// The coordinate of the joint that an element acts on, and its gradient.
pub(super) fn coordinate(at: &Situation) -> Option<(f64, Row)> {
    at.joint?.coordinate(at.pose[0], at.pose[1])
}

/// (1); `None` for an angle, whose gradient is constant.
pub(super) fn bend(
    at: &Situation,
    g: &PairVector,
    [held, fading, by_rate]: [f64; 3],
) -> Option<Bending> {
    let is_angle = |joint: &&Joint| joint.description().coordinates.iter().any(|c| c.is_angle);
    let joint = at.joint.filter(|joint| !is_angle(joint))?;
    let [a, b] = at.twist;
    let v = [
        a.linear.x, a.linear.y, a.angular, b.linear.x, b.linear.y, b.angular,
    ];
    let mut bending = Bending::default();
    let mut turning = [0.0; PAIR_DOF];
    for (j, turned) in turning.iter_mut().enumerate() {
        let [a, b] = motion(j);
        let (a, b) = (at.pose[0].with_rate(&a), at.pose[1].with_rate(&b));
        let (_, row) = joint.coordinate(&a, &b)?;
        for (i, change) in rates(&row).into_iter().enumerate() {
            bending.rest[i][j] = held * change;
            bending.damper[i][j] = fading * change;
            *turned += change * v[i];
        }
    }
    add_outer(&mut bending.damper, by_rate, g, &turning);
    Some(bending)
}

/// The unit motion along one of the coordinates of two bodies.
fn motion(index: usize) -> [Twist; 2] {
    let mut twists = [Twist::ZERO; 2];
    let twist = &mut twists[index / BODY_DOF];
    match index % BODY_DOF {
        0 => twist.linear = Vec2::new(1.0, 0.0),
        1 => twist.linear = Vec2::new(0.0, 1.0),
        _ => twist.angular = 1.0,
    }
    twists
}

fn rates(row: &Row<Dual>) -> PairVector {
    let [a, b] = [row.a.map(|x| x.rate), row.b.map(|x| x.rate)];
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}
