//! Servos: springs and dampers to a moving target, whose effort has a limit.
//!
//! ```text
//! (1)  r = h (f + w (d + k h w) (u' - u))  as in `assemble`, with the target at the same instant as the force
//! (2)  |r| <= h limit:  a friction block with that bound, and with the compliance and the bias of a spring in its row
//! (3)  inside the limit the part h (f_d + w d (u' - u)) of r dissipates, the rest is applied; at the limit all is applied
//! ```

use super::assemble::{Impulse, along, apply_impulse, index, inverse_mass, moving_body, row};
use super::balance::Damper;
use super::elements::{bounded_contact, bounded_rows, free_speed};
use super::locate::span_of;
use super::{Step, Work};
use crate::contact::body_blocks::{ContactConstraint, Island};
use crate::dynamics;
use crate::integrate::Workspace;
use crate::integrate::event_driven::servos;
use crate::kinds::plane::force::Side;
use crate::math::Limit;

/// Effort within this part of the limit is at the limit.
const AT_LIMIT: f64 = 1e-9;

/// A servo of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveServo {
    damper: Damper,
    impulse: Impulse,
    /// h limit; infinite without one.
    bound: f64,
    /// Index of its constraint, if it has a limit.
    constraint: Option<usize>,
}

impl ActiveServo {
    /// A servo without limit.
    pub fn unlimited(damper: Damper, impulse: Impulse) -> Self {
        Self {
            damper,
            impulse,
            bound: f64::INFINITY,
            constraint: None,
        }
    }
}

impl Step<'_> {
    /// Inputs of a step: servos are inside their limits, which the problem has.
    pub(super) fn copy_inputs(&mut self) {
        let inputs = &mut self.workspace.inputs;
        inputs.clone_from(&self.state.inputs);
        for branch in &mut inputs[self.model.inputs.len()..] {
            branch.derivatives[0] = 0.0;
        }
    }

    /// Adds the servos with a limit after the friction elements; poses are those in the middle of the substep, and remain so.
    pub(super) fn add_limited_servos(&mut self) {
        self.workspace.time_stepping.servos.clear();
        if self.model.n_servos == 0 {
            return;
        }
        self.find_stiff_forces();
        self.add_limited_servos_of(false);
        if self.workspace.time_stepping.stiff.contains(&true) {
            self.move_ahead(1.0);
            self.add_limited_servos_of(true);
            self.move_ahead(0.5);
        }
    }

    /// Time at which a force element is evaluated in its substep, in the middle or at the end.
    pub(super) fn force_time(&self, force: usize, is_stiff: bool) -> (f64, Side) {
        let work = &self.workspace.time_stepping;
        let bodies = self.model.forces[force].bodies;
        let [h, left] = [&work.span, &work.left].map(|of| span_of(bodies, of));
        let start = self.state.time + (self.h - left);
        match is_stiff {
            true => (start + h, Side::Before),
            false => (start + 0.5 * h, Side::After),
        }
    }

    // (1), (2)
    fn add_limited_servos_of(&mut self, is_stiff: bool) {
        let w = if is_stiff { 1.0 } else { 0.5 };
        for (i, link) in self.model.forces.iter().enumerate() {
            let Some(limit) = link.force.servo().map(|servo| servo.limit) else {
                continue;
            };
            let time = self.force_time(i, is_stiff);
            let Workspace {
                poses,
                twists,
                inputs,
                time_stepping: work,
                ..
            } = &mut *self.workspace;
            let (bodies, h) = (link.bodies.map(index), span_of(link.bodies, &work.span));
            if h <= 0.0 || work.stiff[i] != is_stiff || !limit.is_finite() {
                continue;
            }
            dynamics::sloped(self.model, i, time, inputs, poses, twists, |sloped| {
                let mut entry = row(&sloped.row, 0.0);
                let response = inverse_mass(&entry, bodies, &work.bodies);
                let softness = -h * w * (sloped.by_rate + sloped.by_value * h * w);
                let bound = h * limit;
                let mut servo = ActiveServo {
                    damper: Damper {
                        bodies,
                        row: entry,
                        impulse: h * sloped.fading,
                        by_rate: h * w * sloped.by_rate,
                    },
                    impulse: Impulse::Row(work.rows.len() + 1),
                    bound,
                    constraint: Some(work.constraints.len()),
                };
                let wanted = (h * sloped.force).at_least(-bound).at_most(bound);
                if softness * response > f64::EPSILON {
                    entry.compliance = 1.0 / softness;
                    let u = along(&entry, bodies, &work.start);
                    entry.bias = -u - entry.compliance * h * sloped.force;
                    let free = free_speed(&entry, bodies, &work.bodies);
                    let response = response + entry.compliance;
                    work.rows.extend(bounded_rows(entry, bound, response, free));
                    work.impulse.extend([bound, wanted]);
                    work.constraints.push(ContactConstraint {
                        bodies,
                        contact: bounded_contact(),
                    });
                } else {
                    servo.damper.by_rate = 0.0;
                    servo.impulse = Impulse::Given(wanted);
                    servo.constraint = None;
                    apply_impulse(&entry, bodies, wanted, &mut work.bodies);
                }
                work.servos.push(servo);
            });
        }
    }

    /// (3).
    pub(super) fn add_servo_work(&mut self) {
        let Work {
            servos,
            impulse,
            start,
            end,
            energy_balance,
            ..
        } = &mut self.workspace.time_stepping;
        for servo in servos.iter() {
            let Damper { bodies, row, .. } = &servo.damper;
            let [u, after] = [&*start, &*end].map(|v| along(row, *bodies, v));
            let p = servo.impulse.of(impulse);
            let is_at_limit = p.abs() >= servo.bound * (1.0 - AT_LIMIT);
            let faded = match is_at_limit {
                true => 0.0,
                false => servo.damper.impulse + servo.damper.by_rate * (after - u),
            };
            let mean = 0.5 * (u + after);
            let losses = energy_balance.at(moving_body(*bodies));
            losses.damping -= faded * mean;
            losses.applied += (p - faded) * mean;
        }
    }

    /// Chooses the branches of the servos at the state.
    pub(super) fn choose_branches(&mut self) {
        if self.model.n_servos > 0 {
            self.workspace.inputs.clone_from(&self.state.inputs);
            servos::choose(self.model, self.state, self.workspace);
        }
    }
}

/// Work of the servos with a limit that act on an island, with these velocities, J.
pub(super) fn work_on(
    servos: &[ActiveServo],
    island: &Island,
    impulse: &[f64],
    velocities: &[super::Six],
) -> f64 {
    let acts = |servo: &&ActiveServo| {
        let constraint = servo.constraint;
        constraint.is_some_and(|c| island.contacts.contains(&(c as u32)))
    };
    let works = servos.iter().filter(acts).map(|servo| {
        let Damper { bodies, row, .. } = &servo.damper;
        servo.impulse.of(impulse) * along(row, *bodies, velocities)
    });
    works.sum()
}
