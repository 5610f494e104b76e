//! With bounded effort impulses are near, not right, and may do work. What a group gains by them is taken from its kinetic
//! energy.
//!
//! ```text
//! (1)  W = sum (v' - v_f).M (v + v')/2          work of all impulses: v' = v_f + M^-1 G^T r
//! (2)  less that of springs and motors, and of belts, which may do work:   r G (v + v')/2,   r times speed of the surface
//! (3)  and more: what bounces, T'' - T'; what moves with v' and not with (v + v')/2 is higher than its energy tells
//! (4)  W is taken from the kinetic energy (`limit`) if W > 0; what there is not enough for counts as lifted
//! ```

use super::assemble::{along, mover};
use super::limit;
use super::strike::energy;
use super::{Step, Work};

impl Step<'_> {
    fn is_bounded(&self) -> bool {
        self.crowd.rules.sweeps.is_some()
    }

    /// (1), (2), before anything bounces.
    pub(super) fn count_gains(&mut self) {
        if !self.is_bounded() {
            return;
        }
        let Work {
            bodies,
            start,
            end,
            gains,
            ..
        } = &mut self.workspace.crowd;
        gains.clear();
        // gyroscopic torques do no work, but the mean velocity with impulses is not the one that they were found with
        let is_turned = !self.model.forces.is_empty();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let (v, w) = (&start[i], &end[i]);
            let mut free = bodies[i].velocity;
            if !is_turned {
                free[3..].copy_from_slice(&v[3..]);
            }
            let mass = &self.model.mass[body.first..body.first + body.n_dof];
            let of = |(k, mass): (usize, &f64)| 0.5 * mass * (w[k] - free[k]) * (v[k] + w[k]);
            gains.push(mass.iter().enumerate().map(of).sum());
        }
        self.leave_out_what_may_do_work();
    }

    // (2)
    fn leave_out_what_may_do_work(&mut self) {
        let n_joints = self.model.joints.len();
        let Work {
            touches,
            joints,
            rows,
            impulse,
            start,
            end,
            gains,
            ..
        } = &mut self.workspace.crowd;
        let mut take = |bodies: [u32; 2], work: f64| {
            gains[mover(bodies)] -= work;
        };
        if !self.crowd.belts.is_empty() {
            let mut row = 0;
            for touch in touches.iter() {
                for k in row + 1..row + touch.contact.rows() {
                    take(touch.bodies, -impulse[k] * rows[k].bias);
                }
                row += touch.contact.rows();
            }
        }
        if joints.len() == n_joints {
            return;
        }
        let (of_joints, others) = joints.split_at(n_joints);
        let of_contacts: usize = touches.iter().map(|touch| touch.contact.rows()).sum();
        let mut row = of_contacts + of_joints.iter().map(|joint| joint.rows).sum::<usize>();
        for joint in others {
            for k in row..row + joint.rows {
                let twice = |velocities| along(&rows[k], joint.bodies, velocities);
                take(joint.bodies, 0.5 * impulse[k] * (twice(start) + twice(end)));
            }
            row += joint.rows;
        }
    }

    /// (3), (4).
    pub(super) fn give_gains_back(&mut self) {
        if !self.is_bounded() {
            return;
        }
        let gravity = self.model.gravity;
        let report = &mut *self.report;
        let Work {
            bodies,
            touches,
            joints,
            impulse,
            start,
            end,
            after,
            gains,
            struck,
            span,
            bounces,
            solvers,
            pulls,
            ..
        } = &mut self.workspace.crowd;
        let others = &joints[..joints.len() - pulls.count()];
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let group = island.bodies;
            let mut gain: f64 = group.iter().map(|i| gains[*i as usize]).sum();
            for i in group.iter().map(|i| *i as usize).filter(|i| struck[*i]) {
                for k in 0..3 {
                    let further = 0.5 * (end[i][k] - start[i][k]) * span[i];
                    let mass = inverse_of(bodies[i].inverse_mass[k][k]);
                    gain -= mass * gravity[k] * further;
                }
            }
            if !bounces.is_empty() {
                gain += energy(bodies, group, after) - energy(bodies, group, end);
            }
            if gain > 0.0 {
                let is_free = limit::is_free(&island, touches, others, |row| impulse[row] > 0.0);
                let taken = limit::take(self.model, self.state, group, is_free, after, gain);
                report.lifted += gain - taken;
                report.impact_loss += taken;
            }
        }
    }

    /// After an impact that was located: no group has more kinetic energy than before it, but for what belts and motors give.
    pub(super) fn give_impact_back(&mut self) {
        if !self.is_bounded() || !self.crowd.belts.is_empty() || !self.model.motors.is_empty() {
            return;
        }
        let Work {
            bodies,
            touches,
            joints,
            impulse,
            start,
            end,
            solvers,
            pulls,
            ..
        } = &mut self.workspace.crowd;
        let others = &joints[..joints.len() - pulls.count()];
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let group = island.bodies;
            let (before, now) = (energy(bodies, group, start), energy(bodies, group, end));
            if now > before {
                let is_free = limit::is_free(&island, touches, others, |row| impulse[row] > 0.0);
                limit::take(self.model, self.state, group, is_free, end, now - before);
            }
        }
    }
}

fn inverse_of(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}
