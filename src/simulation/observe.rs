//! Output quantities of a state in space: bodies in the axes of the scene, contacts and shape pairs in
//! world axes, joint coordinates. The engine itself uses principal axes.
//!
//! (1)  scene orientation = engine orientation * conj(principal axes)
//! (2)  vector in scene axes = principal axes * vector in engine axes
//! (3)  R = Rz(yaw) Ry(pitch) Rx(roll)
//! (4)  yaw' = (wy sin(roll) + wz cos(roll)) / cos(pitch), pitch' = wy cos(roll) - wz sin(roll),
//!      roll' = wx + yaw' sin(pitch), with w in scene body axes

use crate::kinds::space::Pose;
use crate::math::{Limit, Quaternion, Vec3, cross3, dot3, quaternion};
use crate::model::{
    AnyJoint, BodyRef, Contact, ContactKind, Model, Poses, Twists, pose_of, space_pose_of,
    space_twist_of, twist_of,
};
use crate::state::State;
use std::ops::Range;

/// Individual contacts are outputs only in shape pairs with at most this many of them: a box on a plane has eight, two
/// boxes have 160, which would be unreadable. All pairs have resultants.
pub const MOST_SHOWN: usize = 8;

/// Below this cosine of the pitch, roll and yaw rotate about the same axis, up to rounding of the matrix.
const UPRIGHT: f64 = 1e-7;

/// The contacts of a shape pair or of the stops of a joint.
pub fn contacts_of(model: &Model, pair: usize) -> Range<usize> {
    // contacts are in the order of their pairs
    let first = model.contacts.partition_point(|c| c.pair < pair);
    first..first + model.contacts[first..].partition_point(|c| c.pair == pair)
}

/// Is a contact an individual output?
pub fn is_shown(model: &Model, contact: usize) -> bool {
    let contact = &model.contacts[contact];
    match contact.kind {
        ContactKind::Feature(_) | ContactKind::Limit(_) => true,
        ContactKind::Space(_) => contacts_of(model, contact.pair).len() <= MOST_SHOWN,
    }
}

/// Shape pairs with resultants: all in space, those with several contacts in the plane; not the stops of joints.
pub fn shape_pairs(model: &Model) -> impl Iterator<Item = usize> + '_ {
    let is_pair = |pair: &usize| {
        let contacts = &model.contacts[contacts_of(model, *pair)];
        contacts.first().is_some_and(|c| match c.kind {
            ContactKind::Space(_) => true,
            ContactKind::Feature(_) => contacts.len() > 1,
            ContactKind::Limit(_) => false,
        })
    };
    (0..model.pairs.len()).filter(is_pair)
}

/// The bodies of a shape pair: the name starts with the second one, which comes later in the scene.
pub fn bodies_of_pair(model: &Model, pair: usize) -> [BodyRef; 2] {
    let contact = model.contacts.get(contacts_of(model, pair).start);
    let mut bodies = contact.map_or([None; 2], |contact| contact.bodies);
    // the ground and its belts come first
    let moves = |body: &BodyRef| body.is_some_and(|body| !model.bodies[body].is_belt);
    bodies.sort_by_key(|body| (moves(body), *body));
    bodies
}

/// Orientation of a body's scene axes (1).
pub fn orientation(model: &Model, state: &State, body: usize) -> Quaternion {
    let axes = model.bodies[body].axes;
    let turned = quaternion::product(state.orientation[body], quaternion::conjugate(axes));
    quaternion::normalized(turned)
}

/// Transforms a vector from a body's principal axes to its scene axes (2).
pub fn in_scene_axes(model: &Model, body: usize, principal: Vec3) -> Vec3 {
    Pose::new(Vec3::zeros(), model.bodies[body].axes).turn(principal)
}

/// Transforms a vector from a body's principal axes to world axes.
pub fn in_world_axes(state: &State, body: usize, principal: Vec3) -> Vec3 {
    Pose::new(Vec3::zeros(), state.orientation[body]).turn(principal)
}

/// The rotational part of velocities or accelerations, in principal axes; zero for a point.
pub fn rotational(model: &Model, values: &[f64], body: usize) -> Vec3 {
    let body = &model.bodies[body];
    if body.n_dof < crate::kinds::space::BODY_DOF {
        return Vec3::zeros();
    }
    let i = body.first + 3;
    Vec3::new(values[i], values[i + 1], values[i + 2])
}

/// Roll, pitch and yaw (3), rad: roll and yaw within half a turn, pitch within a quarter. Where the pitch is a right
/// angle only the sum or the difference of the others is determined: roll is set to zero there.
pub fn euler(orientation: Quaternion) -> [f64; 3] {
    let m = quaternion::matrix(orientation);
    let cos = libm::hypot(m[(0, 0)], m[(1, 0)]);
    let pitch = libm::atan2(-m[(2, 0)], cos);
    if cos < UPRIGHT {
        return [0.0, pitch, libm::atan2(-m[(0, 1)], m[(1, 1)])];
    }
    [
        libm::atan2(m[(2, 1)], m[(2, 2)]),
        pitch,
        libm::atan2(m[(1, 0)], m[(0, 0)]),
    ]
}

/// Rates of roll, pitch and yaw (4) for an angular velocity in scene body axes, rad/s; `None` where the pitch is a right
/// angle.
pub fn euler_rates(orientation: Quaternion, spin: Vec3) -> Option<[f64; 3]> {
    let [roll, pitch, _] = euler(orientation);
    let ((sin_roll, cos_roll), (sin_pitch, cos_pitch)) = (libm::sincos(roll), libm::sincos(pitch));
    if cos_pitch < UPRIGHT {
        return None;
    }
    let yaw_rate = (spin.y * sin_roll + spin.z * cos_roll) / cos_pitch;
    let pitch_rate = spin.y * cos_roll - spin.z * sin_roll;
    Some([spin.x + yaw_rate * sin_pitch, pitch_rate, yaw_rate])
}

/// Rate of a scene orientation for an angular velocity in scene body axes, 1/s.
pub fn orientation_rate(orientation: Quaternion, spin: Vec3) -> Quaternion {
    let half = spin * 0.5;
    quaternion::product(orientation, [0.0, half.x, half.y, half.z])
}

/// Contact point and normal in space, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Unit vector from the first to the second body; zero while another contact represents its feature.
    pub normal: Vec3,
    /// The point of the second body nearest to the first, m; its centre of mass while another contact represents
    /// its feature.
    pub point: Vec3,
}

/// Point and normal of a contact; `None` for the stop of a joint.
pub fn contact_frame(contact: &Contact, poses: &Poses) -> Option<ContactFrame> {
    let ContactKind::Space(own) = &contact.kind else {
        return None;
    };
    let [a, b] = contact
        .bodies
        .map(|body| space_pose_of(poses.space(), body));
    // on the supporting face, as in the step
    let near = match own.feature.face(a, b) {
        Some(face) => own.feature.nearest_on(face, a, b),
        None => own.feature.nearest(a, b),
    };
    Some(near.map_or(
        ContactFrame {
            normal: Vec3::zeros(),
            point: b.position,
        },
        |near| ContactFrame {
            normal: near.normal,
            point: b.position + near.arm_b,
        },
    ))
}

/// Resultant of a shape pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTotal {
    /// On the second body of the pair, world axes, N.
    pub force: Vec3,
    /// On the second body about its centre of mass, world axes, N m.
    pub torque: Vec3,
    /// Sum of the normal forces of all contacts, N.
    pub normal_force: f64,
    /// Number of closed contacts.
    pub n_closed: usize,
}

/// Resultant forces of a shape pair.
pub fn pair_total(model: &Model, state: &State, poses: &Poses, pair: usize) -> PairTotal {
    let mut total = PairTotal {
        force: Vec3::zeros(),
        torque: Vec3::zeros(),
        normal_force: 0.0,
        n_closed: 0,
    };
    let second = bodies_of_pair(model, pair)[1];
    if !model.is_spatial() {
        add_loads_in_plane(model, state, poses, pair, &mut total);
        return total;
    }
    let centre = space_pose_of(poses.space(), second).position;
    for j in contacts_of(model, pair) {
        if !state.status[j].is_closed() {
            continue;
        }
        let contact = &model.contacts[j];
        let Some(frame) = contact_frame(contact, poses) else {
            continue;
        };
        let mut force = frame.normal * state.contact_force[j][0] + state.friction_force[j];
        let mut moment = state.friction_moment.get(j).copied().unwrap_or_default();
        if contact.bodies[1] != second {
            force = -force;
            moment = -moment;
        }
        total.force += force;
        total.torque += cross3(frame.point - centre, force) + moment;
        total.normal_force += state.contact_force[j][0];
        total.n_closed += 1;
    }
    total
}

// the rows of a contact map its forces to those on its bodies
fn add_loads_in_plane(
    model: &Model,
    state: &State,
    poses: &Poses,
    pair: usize,
    total: &mut PairTotal,
) {
    let second = bodies_of_pair(model, pair)[1];
    let mut rows = Vec::with_capacity(2);
    for j in contacts_of(model, pair).filter(|j| state.status[*j].is_closed()) {
        let contact = &model.contacts[j];
        let fixed = model.fixed_feature(contact, poses);
        rows.clear();
        if model
            .contact_rows(contact, &fixed, poses, &mut rows)
            .is_none()
        {
            continue;
        }
        let side = usize::from(contact.bodies[1] == second);
        for (row, force) in rows.iter().zip(state.contact_force[j]) {
            let values = row.values(side);
            total.force += Vec3::new(values[0], values[1], 0.0) * force;
            total.torque.z += values[2] * force;
        }
        total.normal_force += state.contact_force[j][0];
        total.n_closed += 1;
    }
}

/// The smallest gap of a shape pair, m; infinite if none of its contacts is in range.
pub fn pair_gap(model: &Model, poses: &Poses, pair: usize) -> f64 {
    let gaps = model.contacts[contacts_of(model, pair)]
        .iter()
        .filter_map(|contact| model.gap(contact, poses));
    gaps.fold(f64::INFINITY, |least, near| least.at_most(near.gap))
}

/// A coordinate of a joint, m or rad counted over all turns, and its rate.
pub fn joint_coordinate(
    model: &Model,
    (joint, coordinate): (usize, usize),
    poses: &Poses,
    twists: &Twists,
) -> [f64; 2] {
    let link = &model.joints[joint];
    let joint = match &link.joint {
        AnyJoint::Plane(joint) => {
            let [a, b] = link.bodies.map(|body| pose_of(poses.plane(), body));
            let [twist_a, twist_b] = link.bodies.map(|body| twist_of(twists.plane(), body));
            let coordinate = joint.coordinate(a, b);
            return coordinate.map_or([0.0; 2], |(value, row)| [value, row.rate(twist_a, twist_b)]);
        }
        AnyJoint::Space(joint) => joint,
    };
    let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
    let [twist_a, twist_b] = link.bodies.map(|body| space_twist_of(twists.space(), body));
    let (value, row) = joint.counted(coordinate, &poses.count(link), a, b);
    [value, row.rate(twist_a, twist_b)]
}

/// Deviation of a scene orientation from unit length; `None` if its length is zero.
pub fn length_of(q: Quaternion) -> Option<f64> {
    let vector = Vec3::new(q[1], q[2], q[3]);
    let length = (q[0] * q[0] + dot3(vector, vector)).sqrt();
    (length.is_finite() && length > 0.0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(roll: f64, pitch: f64, yaw: f64) -> Quaternion {
        let about = |v: Vec3| quaternion::exp(v);
        quaternion::product(
            about(Vec3::z() * yaw),
            quaternion::product(about(Vec3::y() * pitch), about(Vec3::x() * roll)),
        )
    }

    #[test]
    fn euler_angles_turn_about_z_then_y_then_x() {
        for angles in [[0.3, -0.7, 2.9], [-3.0, 1.5, -0.1], [0.0, 0.0, 0.0]] {
            let [roll, pitch, yaw] = angles;
            let found = euler(turned(roll, pitch, yaw));
            for (x, y) in found.into_iter().zip(angles) {
                assert!((x - y).abs() < 1e-12, "{found:?} {angles:?}");
            }
        }
    }

    #[test]
    fn at_a_right_angle_of_pitch_yaw_has_it_all() {
        let quarter = std::f64::consts::FRAC_PI_2;
        for (sign, sum) in [(1.0, 0.9 - 0.4), (-1.0, 0.9 + 0.4)] {
            let q = turned(0.4, sign * quarter, 0.9);
            let [roll, pitch, yaw] = euler(q);
            assert_eq!(roll, 0.0);
            assert!((pitch - sign * quarter).abs() < 1e-7);
            assert!((yaw - sum).abs() < 1e-7, "{yaw}");
            assert_eq!(euler_rates(q, Vec3::x()), None);
            // the angles describe the same orientation
            let back = turned(roll, pitch, yaw);
            let same: f64 = (0..4).map(|i| q[i] * back[i]).sum();
            assert!((same.abs() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn euler_rates_and_quaternion_rates_are_those_of_small_turns() {
        let (q, spin) = (turned(0.4, 1.1, -0.9), Vec3::new(0.7, -0.4, 1.2));
        let h = 1e-6;
        let moved = |h: f64| quaternion::product(q, quaternion::exp(spin * h));
        let (ahead, behind) = (moved(h), moved(-h));
        let rates = euler_rates(q, spin).unwrap();
        let [a, b] = [euler(ahead), euler(behind)];
        for i in 0..3 {
            assert!((rates[i] - (a[i] - b[i]) / (2.0 * h)).abs() < 1e-8);
        }
        let rate = orientation_rate(q, spin);
        for i in 0..4 {
            assert!((rate[i] - (ahead[i] - behind[i]) / (2.0 * h)).abs() < 1e-9);
        }
    }
}
