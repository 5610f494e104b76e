//! Energy limiter: takes kinetic energy from a group of bodies, or adds some, and conserves all that no internal force can change.
//!
//! ```text
//! (1)  v_0: the rigid-body motion with the linear and angular momentum of the group, if it is free; zero if it is connected to the ground
//! (2)  T = sum (v - v_0).M (v - v_0)/2
//! (3)  v <- v_0 + f (v - v_0),   f^2 = 1 - W/T
//! (4)  a free group that rotates as one has a rotational energy error that its internal motion cannot compensate: where W > 0.01 T, v_0 in (1) is
//!      the velocity of its centre of mass alone
//! ```
//!
//! Rows between bodies of the group are invariant to (1), so joints and closed contacts hold after (3) as before; the result does not
//! depend on the frame of reference.

use super::Six;
use crate::contact::body_blocks::{ContactConstraint, GROUND, Island, Joint};
use crate::kinds::space::Pose;
use crate::math::{Limit, Mat3, Vec3, cross3, dot3};
use crate::model::Model;
use crate::state::State;

/// Is a group free, that is, not connected to the ground by loaded contacts or these joints and springs?
pub(super) fn is_free(
    island: &Island,
    constraints: &[ContactConstraint],
    joints: &[Joint],
    is_loaded: impl Fn(usize) -> bool,
) -> bool {
    let tied = |j: &u32| {
        let joint = joints.get(*j as usize);
        joint.is_some_and(|joint| joint.bodies.contains(&GROUND))
    };
    if island.joints.iter().any(tied) {
        return false;
    }
    let mut row = 0;
    for &contact in island.contacts {
        let constraint = &constraints[contact as usize];
        let normal = island.rows[row] as usize;
        row += constraint.contact.rows();
        if constraint.bodies.contains(&GROUND) && is_loaded(normal) {
            return false;
        }
    }
    true
}

/// Largest part of its internal kinetic energy that a group may lose, else (4).
const INNER: f64 = 0.01;

/// (1).
#[derive(Clone, Copy, Debug, Default)]
struct Rigid {
    centre: Vec3,
    velocity: Vec3,
    /// World axes, rad/s.
    spin: Vec3,
}

/// A body of a group at its current pose.
struct Placed {
    pose: Pose,
    mass: f64,
    moments: Vec3,
}

fn placed(model: &Model, state: &State, i: usize) -> Placed {
    let body = &model.bodies[i];
    let at = &state.position[body.first..];
    let mass = &model.mass[body.first..body.first + body.n_dof];
    Placed {
        pose: Pose::new(Vec3::new(at[0], at[1], at[2]), state.orientation[i]),
        mass: mass[0],
        moments: match *mass {
            [_, _, _, x, y, z] => Vec3::new(x, y, z),
            _ => Vec3::zeros(),
        },
    }
}

impl Rigid {
    fn of(model: &Model, state: &State, group: &[u32], velocities: &[Six]) -> Self {
        let (mut mass, mut centre, mut momentum) = (0.0, Vec3::zeros(), Vec3::zeros());
        for i in group.iter().map(|i| *i as usize) {
            let body = placed(model, state, i);
            let v = &velocities[i];
            mass += body.mass;
            centre += body.pose.position * body.mass;
            momentum += Vec3::new(v[0], v[1], v[2]) * body.mass;
        }
        let (centre, velocity) = (centre / mass, momentum / mass);
        let (mut inertia, mut angular) = (Mat3::zeros(), Vec3::zeros());
        for i in group.iter().map(|i| *i as usize) {
            let body = placed(model, state, i);
            let v = &velocities[i];
            let arm = body.pose.position - centre;
            let relative = Vec3::new(v[0], v[1], v[2]) - velocity;
            let own = body.moments.component_mul(&Vec3::new(v[3], v[4], v[5]));
            angular += cross3(arm, relative) * body.mass + body.pose.turn(own);
            let axes = body.pose.rotation;
            inertia += axes * Mat3::from_diagonal(&body.moments) * axes.transpose();
            let square = Mat3::from_diagonal_element(dot3(arm, arm)) - arm * arm.transpose();
            inertia += square * body.mass;
        }
        let spin = inertia
            .try_inverse()
            .map_or(Vec3::zeros(), |inverse| inverse * angular);
        Self {
            centre,
            velocity,
            spin,
        }
    }

    fn at(&self, body: &Placed) -> Six {
        let linear = self.velocity + cross3(self.spin, body.pose.position - self.centre);
        let turn = if body.moments == Vec3::zeros() {
            Vec3::zeros()
        } else {
            body.pose.turn_back(self.spin)
        };
        [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z]
    }
}

// (2)
fn relative_energy(
    model: &Model,
    state: &State,
    group: &[u32],
    rigid: Option<Rigid>,
    velocities: &[Six],
) -> f64 {
    let mut kinetic = 0.0;
    for i in group.iter().map(|i| *i as usize) {
        let body = &model.bodies[i];
        let v_0 = rigid.map_or([0.0; 6], |rigid| rigid.at(&placed(model, state, i)));
        for k in 0..body.n_dof {
            let v = velocities[i][k] - v_0[k];
            kinetic += 0.5 * model.mass[body.first + k] * v * v;
        }
    }
    kinetic
}

/// (3): takes this energy from the group, or adds it if negative. Returns how much could be taken, J.
pub(super) fn take(
    model: &Model,
    state: &State,
    group: &[u32],
    is_free: bool,
    velocities: &mut [Six],
    motor_target: f64,
) -> f64 {
    let mut rigid = is_free.then(|| Rigid::of(model, state, group, velocities));
    let mut kinetic = relative_energy(model, state, group, rigid, velocities);
    if let Some(rigid) = rigid
        .as_mut()
        .filter(|_| motor_target.abs() > INNER * kinetic)
    {
        rigid.spin = Vec3::zeros(); // (4)
        kinetic = relative_energy(model, state, group, Some(*rigid), velocities);
    }
    let base = |i: usize| rigid.map_or([0.0; 6], |rigid| rigid.at(&placed(model, state, i)));
    let taken = motor_target.at_most(kinetic);
    // a group that hardly moves is not accelerated
    if kinetic == 0.0 || taken == 0.0 || -taken > kinetic {
        return 0.0;
    }
    let change = (1.0 - taken / kinetic).at_least(0.0).sqrt() - 1.0;
    for i in group.iter().map(|i| *i as usize) {
        let (n, v_0) = (model.bodies[i].n_dof, base(i));
        for (v, v_0) in velocities[i].iter_mut().zip(v_0).take(n) {
            *v += change * (*v - v_0);
        }
    }
    taken
}
