//! Velocities without contacts, and the distances that bodies may move with them.
//!
//! (1)  gravity and applied forces: v + h f / m, over the rest of the step, evaluated at its predicted middle
//! (2)  gyroscopic torque: (J - (h/2) D) dw = h (J w) x w,   D = [J w] - [w] J, or [J w] alone for a fast spin
//!      and Newton's method from there: J dw = h (J m) x m,   m = w + dw/2, which conserves energy and angular momentum
//!      It does no work; its work with the angular velocities due to joints and contacts is an error of the step (`balance`)

use super::{BAND, Step, Work};
use crate::dynamics;
use crate::integrate::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, Mat3, Vec3, cross3, is_positive_definite3, norm};

/// Convergence of Newton's method for gyroscopic torques, as a part of the angular momentum, and maximum number of iterations.
const CONVERGED_CHANGE: f64 = 1e-14;
const ITERATIONS: usize = 4;

impl Step<'_> {
    // the mean velocity if no body is fixed: distances are then relative to it
    fn common_velocity(&self) -> Vec3 {
        let stands = self
            .time_stepping
            .colliders
            .iter()
            .any(|collider| collider.body.is_none());
        let sleeps = self
            .state
            .time_stepping
            .sleep_timer
            .contains(&f64::INFINITY);
        let (mut mass, mut momentum) = (0.0, Vec3::zeros());
        if stands || sleeps {
            return momentum;
        }
        for body in &self.model.bodies {
            let v = &self.state.velocity[body.first..];
            mass += self.model.mass[body.first];
            momentum += Vec3::new(v[0], v[1], v[2]) * self.model.mass[body.first];
        }
        momentum / mass
    }

    pub(super) fn integrate_free_motion(&mut self) {
        self.evaluate_applied_forces();
        let common = self.common_velocity();
        self.workspace.time_stepping.common = common;
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let Work {
            force,
            start,
            free,
            margin,
            left,
            gyroscopic_change,
            ..
        } = &mut workspace.time_stepping;
        gyroscopic_change.clear();
        start.clear();
        free.clear();
        margin.clear();
        for (i, body) in model.bodies.iter().enumerate() {
            let (mut v, mut w) = ([0.0; 6], [0.0; 6]);
            let span = body.first..body.first + body.n_dof;
            v[..body.n_dof].copy_from_slice(&state.velocity[span.clone()]);
            w[..body.n_dof].copy_from_slice(&v[..body.n_dof]);
            let h = left[i];
            let mut turned = Vec3::zeros();
            if h > 0.0 {
                let mass = &model.mass[span.clone()];
                for k in 0..body.n_dof {
                    let gravity = if k < 3 { model.gravity[k] } else { 0.0 };
                    w[k] += h * (gravity + force[body.first + k] / mass[k]); // (1)
                }
                if let [_, _, _, x, y, z] = *mass {
                    let own = spin(Vec3::new(x, y, z), Vec3::new(v[3], v[4], v[5]), h);
                    (0..3).for_each(|k| w[3 + k] += own[k]);
                    turned = own;
                }
            }
            gyroscopic_change.push(turned);
            let seen = |v: &[f64; 6]| norm(&[v[0] - common.x, v[1] - common.y, v[2] - common.z]);
            let speed = seen(&v).at_least(seen(&w));
            let spin = norm(&v[3..]).at_least(norm(&w[3..]));
            margin.push(BAND + h * (speed + body.extent * spin));
            start.push(v);
            free.push(w);
        }
    }

    // at the predicted middle of the rest of the step
    fn evaluate_applied_forces(&mut self) {
        let n = self.model.n_velocities;
        let time_stepping = &mut self.workspace.time_stepping;
        time_stepping.force.clear();
        time_stepping.force.resize(n, 0.0);
        time_stepping.middle.resize(n, 0.0);
        self.copy_inputs();
        if self.model.forces.is_empty() {
            return;
        }
        self.move_for(|work, i| 0.5 * work.left[i]);
        let Workspace {
            time_stepping,
            poses,
            twists,
            inputs,
            ..
        } = &mut *self.workspace;
        let now = (self.state.time + 0.5 * self.h, Side::After);
        let force = &mut time_stepping.force;
        dynamics::add_applied_without_servos(self.model, now, inputs, poses, twists, force);
        self.update_poses();
    }
}

// (2)
fn spin(moments: Vec3, w: Vec3, h: f64) -> Vec3 {
    if moments.x == moments.y && moments.y == moments.z {
        return Vec3::zeros();
    }
    let momentum = moments.component_mul(&w);
    let inertia = Mat3::from_diagonal(&moments);
    let rest = w.cross_matrix() * inertia;
    let whole = inertia - (momentum.cross_matrix() - rest) * (0.5 * h);
    let symmetric = (whole + whole.transpose()) * 0.5;
    let matrix = if is_positive_definite3(&symmetric) {
        whole
    } else {
        inertia - momentum.cross_matrix() * (0.5 * h)
    };
    let torque = cross3(momentum, w) * h;
    let mut change = matrix
        .try_inverse()
        .map_or(torque.component_div(&moments), |inverse| inverse * torque);
    let rest = |change: Vec3| {
        let mean = w + change * 0.5;
        moments.component_mul(&change) - cross3(moments.component_mul(&mean), mean) * h
    };
    let mut left = rest(change);
    let enough = CONVERGED_CHANGE * norm(momentum.as_slice());
    for _ in 0..ITERATIONS {
        if norm(left.as_slice()) <= enough {
            break;
        }
        let mean = w + change * 0.5;
        let by_rate = moments.component_mul(&mean).cross_matrix() - mean.cross_matrix() * inertia;
        let Some(inverse) = (inertia - by_rate * (0.5 * h)).try_inverse() else {
            break;
        };
        let better = change - inverse * left;
        let less = rest(better);
        // a step that is too long for Newton's method uses the first iterate
        if norm(less.as_slice()) >= norm(left.as_slice()) {
            break;
        }
        (change, left) = (better, less);
    }
    change
}
