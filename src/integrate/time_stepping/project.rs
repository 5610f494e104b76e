//! Projection of velocities onto joints.
//!
//! A step imposes joints on mean velocities, `G (v + v') = 0`: the error `G v` changes sign, and the rotation of the row adds to it.
//!
//! ```text
//! (1)  e' = -e + c h^2        e: G v at the end of a step of the length h
//! (2)  v <- v - M^-1 G^T (G M^-1 G^T)^-1 e
//! ```
//!
//! With constant step length (1) stays of order two and does no work. A change of the length would add to it, and a short step would remove
//! it with a force `2 e / h`: so (2) removes it before such steps, by the smallest change in the mass metric, and the kinetic energy
//! removed is an error of the step (`balance`). Groups in contact keep it: a change would be an impact.

use super::assemble::{along, index, row};
use super::{Six, Step, Work};
use crate::contact::body_blocks::{Body, Effort, Joint, Problem};
use crate::integrate::Workspace;
use crate::math::Limit;
use crate::model::{Model, space_pose_of};

/// Relative difference below which step lengths are equal: rounding of times.
const SAME_LENGTH: f64 = 1e-6;

/// Rounding of velocities along rows, relative to the largest velocity.
const ROUNDING: f64 = 1e-12;

impl Step<'_> {
    /// (2) before a step of another length than the last one.
    pub(super) fn project_joints(&mut self) {
        let last = std::mem::replace(&mut self.state.time_stepping.last_step, self.h);
        if self.model.joints.is_empty() || (self.h - last).abs() <= SAME_LENGTH * last {
            return;
        }
        self.update_poses();
        self.mark_groups_in_contact();
        let mut velocity = std::mem::take(&mut self.workspace.time_stepping.moved);
        velocity.clone_from(&self.state.velocity);
        self.project(&mut velocity, true);
        self.state.velocity.copy_from_slice(&velocity);
        self.workspace.time_stepping.moved = velocity;
    }

    /// (2) of velocities at the current poses, of all groups or of those without contact. Motor speeds are kept.
    pub(super) fn project(&mut self, velocity: &mut [f64], only_without_contact: bool) {
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let poses = poses.space();
        let Work {
            groups,
            bodies,
            start,
            joints,
            rows,
            impulse,
            solvers,
            end,
            ..
        } = work;
        joints.clear();
        rows.clear();
        let sleep_timer = &self.state.time_stepping.sleep_timer;
        let largest = gather_bodies(self.model, sleep_timer, velocity, bodies, start);
        let mut is_left = |i: usize| {
            self.state.time_stepping.sleep_timer[i] == f64::INFINITY
                || (only_without_contact && groups.is_marked(i))
        };
        let mut worst: f64 = 0.0;
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            if link.bodies.iter().flatten().any(|i| is_left(*i)) {
                continue;
            }
            let [a, b] = link.bodies.map(|body| space_pose_of(poses, body));
            let ends = link.bodies.map(index);
            let equations = joint.rows(a, b);
            for gradient in &equations.rows[..equations.n] {
                let own = row(gradient, 0.0);
                worst = worst.at_least(along(&own, ends, start).abs());
                rows.push(own);
            }
            joints.push(Joint {
                bodies: ends,
                rows: equations.n,
            });
        }
        for coupling in &self.model.couplings {
            let pair = coupling.pair();
            if pair.iter().flatten().any(|i| is_left(*i)) {
                continue;
            }
            let pose = |body| *space_pose_of(poses, body);
            let own = row(&self.model.coupling_gradient(coupling, pose), 0.0);
            worst = worst.at_least(along(&own, pair.map(index), start).abs());
            rows.push(own);
            joints.push(Joint {
                bodies: pair.map(index),
                rows: 1,
            });
        }
        if worst <= ROUNDING * largest {
            return;
        }
        for drive in &self.model.drives {
            let bodies = self.model.bodies_of(drive);
            if bodies.iter().flatten().any(|i| is_left(*i)) {
                continue;
            }
            let [a, b] = bodies.map(|body| space_pose_of(poses, body));
            let ends = bodies.map(index);
            let gradient = self.model.drive_gradient(drive, a, b);
            let mut own = row(&gradient, 0.0);
            own.bias = -along(&own, ends, start);
            rows.push(own);
            joints.push(Joint {
                bodies: ends,
                rows: 1,
            });
        }
        impulse.clear();
        impulse.resize(rows.len(), 0.0);
        let problem = Problem {
            bodies,
            contacts: &[],
            joints,
            rows,
        };
        let threads = self.time_stepping.options.threads as usize;
        solvers.solve(&problem, Effort::Direct, threads, impulse, end);
        for (body, v) in self.model.bodies.iter().zip(end) {
            velocity[body.first..body.first + body.n_dof].copy_from_slice(&v[..body.n_dof]);
        }
    }

    // marks the groups with loaded contacts
    fn mark_groups_in_contact(&mut self) {
        let (state, model) = (&*self.state, self.model);
        let colliders = &self.time_stepping.colliders;
        let groups = &mut self.workspace.time_stepping.groups;
        groups.find(model, self.time_stepping, &state.time_stepping.contacts);
        let loaded = state.time_stepping.contacts.iter().flat_map(|constraint| {
            let bodies = constraint.key.shapes.map(|i| colliders[i as usize].body);
            bodies.into_iter().flatten()
        });
        let stops = model.contacts.iter().zip(&state.contact_force);
        let stopped = stops.filter(|(_, force)| force[0] > 0.0);
        let stopped = stopped.flat_map(|(contact, _)| contact.bodies.into_iter().flatten());
        for body in loaded.chain(stopped) {
            groups.mark(body);
        }
    }
}

// the bodies with these velocities, and the largest of these; sleeping bodies do not move
fn gather_bodies(
    model: &Model,
    sleep_timer: &[f64],
    velocity: &[f64],
    bodies: &mut Vec<Body>,
    start: &mut Vec<Six>,
) -> f64 {
    bodies.clear();
    start.clear();
    let mut largest: f64 = 0.0;
    for (body, sleep_timer) in model.bodies.iter().zip(sleep_timer) {
        let (mut inverse, mut v) = ([0.0; 6], [0.0; 6]);
        for k in 0..body.n_dof {
            v[k] = velocity[body.first + k];
            largest = largest.at_least(f64::abs(v[k]));
            if *sleep_timer < f64::INFINITY {
                inverse[k] = 1.0 / model.mass[body.first + k];
            }
        }
        bodies.push(Body::diagonal(inverse, v));
        start.push(v);
    }
    largest
}
