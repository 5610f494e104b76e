//! Balance (1) to (5) of a step: energies, work and losses of groups of bodies.

use super::{Balance, Ends, Group, Losses, Weights, merge_groups, n_linear};
use crate::dynamics::{self, Jacobians};
use crate::integrate::event_driven::compliant::CompliantWork;
use crate::integrate::event_driven::system::System;
use crate::integrate::event_driven::trial::{Mode, Trial};
use crate::kinds::plane::force::Input;
use crate::math::positive;
use crate::model::{Model, N_TANGENTS, Poses, Twists};
use crate::state::State;

/// A contact has reversed if it slides back faster than this times its speed at the start of the step.
pub(super) const AT_STOP: f64 = 1e-6;

impl Balance {
    // does only gravity act, in a step of order two?
    pub(super) fn is_flight(&self, model: &Model, system: &System) -> bool {
        model.n_joint_rows + model.forces.len() + system.contacts.len() == 0
            && self.weights.alpha == 0.5
    }

    /// Energies of the force elements at these poses, those of one end of the step.
    pub fn store(
        &mut self,
        model: &Model,
        inputs: &[Input],
        poses: &Poses,
        twists: &Twists,
        end: usize,
    ) {
        if !model.forces.is_empty() {
            dynamics::stored_energies(model, inputs, poses, twists, &mut self.stored[end]);
        }
    }

    pub(super) fn ensure_start_energies(
        &mut self,
        model: &Model,
        state: &State,
        inputs: &[Input],
        poses: &mut Poses,
        twists: &Twists,
    ) {
        if !self.is_known {
            self.is_known = true;
            if !model.forces.is_empty() {
                model.poses(&state.position, poses);
                self.store(model, inputs, poses, twists, 0);
            }
        }
    }

    // groups with these contacts
    pub(super) fn find_groups(&mut self, model: &Model, contacts: impl Iterator<Item = usize>) {
        let Self { group, groups, .. } = self;
        group.clone_from(&self.fixed);
        groups.fill(Group {
            factor: 1.0,
            ..Group::default()
        });
        for contact in contacts {
            let contact = &model.contacts[contact];
            if contact.compliance.is_none() {
                let held = contact.bodies.iter().flatten();
                held.for_each(|body| groups[*body].is_held = true);
            }
            match contact.bodies {
                [Some(a), Some(b)] => merge_groups(group, a, b),
                [Some(a), None] | [None, Some(a)] => groups[a].is_tied = true,
                [None, None] => {}
            }
            if let Some(rope) = model.rope_of(contact)
                && let Some((first, others)) = rope.bodies.split_first()
            {
                others
                    .iter()
                    .for_each(|body| merge_groups(group, *first, *body));
                groups[*first].is_tied |= rope.is_fixed();
            }
        }
        for i in 0..group.len() {
            let tied = groups[i].is_tied || self.tied[i];
            let held = groups[i].is_held || self.tied[i] || self.fixed[i] != i;
            let of = &mut groups[group[i]];
            of.is_tied |= tied;
            of.is_held |= held;
            of.is_driven |= self.driven[i];
        }
    }

    /// Energy change beyond these losses.
    pub fn error(&self, model: &Model, ends: &Ends, losses: &Losses) -> f64 {
        let [q0, q1] = ends.position;
        let mut error = losses.damping + losses.friction + losses.impacts - losses.applied;
        for (i, m) in model.mass.iter().enumerate() {
            let [v0, v1] = ends.velocity.map(|v| v[i]);
            error += 0.5 * m * (v1 - v0) * (v0 + v1);
        }
        for body in &model.bodies {
            let gravity = model.gravity_of(body);
            for k in 0..n_linear(model) {
                let at = body.first + k;
                let way = q1[at] - q0[at];
                error -= model.mass[at] * gravity[k] * way;
            }
        }
        error += self.elastic_change;
        let [start, end] = &self.stored;
        error + end.iter().zip(start).map(|(b, a)| b - a).sum::<f64>()
    }

    // mass of each group, and momenta of those that are free
    pub(super) fn add_momenta(&mut self, model: &Model, velocities: [&[f64]; 2]) {
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let of = &mut self.groups[*g];
            of.mass += model.mass[body.first];
            if of.is_tied {
                continue;
            }
            for (momentum, v) in of.momentum.iter_mut().zip(velocities) {
                for k in 0..n_linear(model) {
                    momentum[k] += model.mass[body.first + k] * v[body.first + k];
                }
            }
        }
    }

    // kinetic energy of velocities, for free groups about their centre of mass
    pub(super) fn relative_energy(&self, model: &Model, v: &[f64]) -> f64 {
        let n_linear = n_linear(model);
        let mut total = 0.0;
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let u = self.groups[*g].velocity(1);
            for k in 0..body.n_dof {
                let at = body.first + k;
                let v = v[at] - if k < n_linear { u[k] } else { 0.0 };
                total += 0.5 * model.mass[at] * v * v;
            }
        }
        total
    }

    /// Kinetic and potential energies of the groups at both ends of the step.
    pub fn add_motion(&mut self, model: &Model, ends: &Ends) {
        let ([q0, q1], velocity) = (ends.position, ends.velocity);
        let n_linear = n_linear(model);
        self.add_momenta(model, velocity);
        let Self { group, groups, .. } = self;
        for (body, g) in model.bodies.iter().zip(group.iter()) {
            let of = &mut groups[*g];
            let gravity = model.gravity_of(body);
            let [u0, u1] = [of.velocity(0), of.velocity(1)];
            for k in 0..body.n_dof {
                let at = body.first + k;
                let m = model.mass[at];
                let [mut v0, mut v1] = velocity.map(|v| v[at]);
                if k < n_linear {
                    let weight = m * gravity[k];
                    of.scale += weight.abs() * (1.0 + q1[at].abs());
                    if of.is_tied {
                        of.raised -= weight * (q1[at] - q0[at]);
                    } else {
                        v0 -= u0[k];
                        v1 -= u1[k];
                    }
                }
                of.kinetic[0] += 0.5 * m * v0 * v0;
                of.kinetic[1] += 0.5 * m * v1 * v1;
                of.gained += 0.5 * m * (v1 - v0) * (v0 + v1);
            }
        }
        for of in groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.moved = of.raised.abs();
            of.scale += of.kinetic[0] + of.kinetic[1];
            for u in [of.velocity(0), of.velocity(1)] {
                of.scale += 0.5 * of.mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            }
        }
        let [start, end] = &self.stored;
        for (link, (start, end)) in model.forces.iter().zip(start.iter().zip(end)) {
            if let [Some(body), _] | [_, Some(body)] = link.bodies {
                let of = &mut groups[group[body]];
                of.raised += end - start;
                of.moved += (end - start).abs();
                of.scale += start + end;
            }
        }
    }

    // (4)
    pub(super) fn add_contacts(
        &mut self,
        model: &Model,
        state: &State,
        (system, works): (&System, &[CompliantWork]),
        trial: &mut Trial,
        mode: Mode,
    ) {
        for work in works {
            if let [Some(body), _] | [_, Some(body)] = model.contacts[work.contact].bodies {
                let of = &mut self.groups[self.group[body]];
                of.raised += work.stored;
                of.moved += work.stored.abs();
                of.damping += work.damped;
            }
        }
        for (i, &contact) in system.contacts.iter().enumerate() {
            let normal = system.normal(i);
            let loss = |row: usize| -system.impulse[row] * system.columns[row].dot(&trial.average);
            // a contact that is closed or sticks throughout the step does no work: its motion between the ends is an error of the step
            let keeps =
                |row: usize| mode == Mode::FixedMode && system.sticks(i, row, &state.status);
            let loaded_contacts = match mode {
                Mode::Complementarity if !system.is_compliant(i) => loss(normal),
                Mode::Complementarity | Mode::FixedMode => 0.0,
            };
            let friction: f64 = (normal + 1..=normal + system.n_friction)
                .filter(|row| !keeps(*row))
                .map(loss)
                .sum();
            let projected = self.friction_work.iter().find(|(j, _)| *j == contact);
            let friction = friction + projected.map_or(0.0, |(_, loss)| *loss);
            let taken = trial.losses.add_contact(loaded_contacts, friction);
            if let [Some(body), _] | [_, Some(body)] = model.contacts[contact].bodies {
                let of = &mut self.groups[self.group[body]];
                of.contacts += taken;
                if mode == Mode::FixedMode && state.status[contact].slides() {
                    let (mut along, mut square) = (0.0, 0.0);
                    for row in normal + 1..=normal + system.n_friction.min(N_TANGENTS) {
                        let column = &system.columns[row];
                        let slides = column.dot(&state.velocity);
                        along += slides * column.dot(&trial.velocity);
                        square += slides * slides;
                    }
                    // a step that ends at a stop does not go beyond it
                    of.stops |= along < -AT_STOP * square;
                }
            }
        }
    }

    // (3)
    pub(super) fn add_elements(
        &mut self,
        model: &Model,
        state: &State,
        system: &System,
        jacobians: &Jacobians,
        trial: &mut Trial,
    ) {
        let Self {
            group,
            groups,
            works: [start, end],
            weights,
            damping,
            applied,
            ..
        } = self;
        trial.losses.applied += trial.driven;
        for row in system.driven_rows() {
            trial.losses.applied += system.impulse[row] * system.columns[row].dot(&trial.average);
        }
        if !self.dissipates && !self.is_driven {
            return;
        }
        let Weights { h, alpha, .. } = *weights;
        let mean = |start: &[f64], end: &[f64], impulse: &mut [f64]| {
            for ((x, a), b) in impulse.iter_mut().zip(start).zip(end) {
                *x = h * ((1.0 - alpha) * a + alpha * b);
            }
        };
        mean(&start.damping, &end.damping, damping);
        if self.is_driven {
            mean(&start.applied, &end.applied, applied);
        }
        // the step before its projection
        let change = |j: usize| 2.0 * (trial.average[j] - state.velocity[j]);
        let [given, dampers] = weights.by_position;
        let [given_ahead, dampers_ahead] = weights.ahead;
        if self.dissipates && jacobians.any {
            for (i, x) in damping.iter_mut().enumerate() {
                let by_velocity = jacobians.velocity.row(i);
                let by_position = jacobians.damper.row(i);
                for ((j, kv), (_, kq)) in by_velocity.zip(by_position) {
                    if kv != 0.0 || kq != 0.0 {
                        *x += (weights.by_velocity * kv + dampers * kq) * change(j)
                            + dampers_ahead * kq * state.velocity[j];
                    }
                }
            }
            take_out_gyroscopic(model, jacobians, weights.by_velocity, change, damping);
        }
        if self.is_driven && (given != 0.0 || given_ahead != 0.0) {
            for (i, x) in applied.iter_mut().enumerate() {
                for (j, kq) in jacobians.applied.row(i).filter(|(_, kq)| *kq != 0.0) {
                    *x += kq * (given * change(j) + given_ahead * state.velocity[j]);
                }
            }
        }
        let n_linear = n_linear(model);
        for (body, g) in model.bodies.iter().zip(group.iter()) {
            let of = &mut groups[*g];
            let [u0, u1] = [of.velocity(0), of.velocity(1)];
            for k in 0..body.n_dof {
                let at = body.first + k;
                let mut mean = trial.average[at];
                trial.losses.applied += applied[at] * mean;
                if k < n_linear {
                    mean -= 0.5 * (u0[k] + u1[k]);
                }
                of.damping -= damping[at] * mean;
                of.applied += applied[at] * mean;
            }
        }
        for of in groups.iter_mut() {
            of.damping = positive(of.damping);
            trial.losses.damping += of.damping;
        }
    }
}

// contacts with a nonzero impulse
pub(super) fn loaded_contacts(system: &System) -> impl Iterator<Item = usize> {
    let is_loaded = |i: &usize| {
        let normal = system.normal(*i);
        let rows = normal..=normal + system.n_friction;
        system.impulse[rows].iter().any(|c| *c != 0.0)
    };
    let loaded_contacts = (0..system.contacts.len()).filter(is_loaded);
    loaded_contacts.map(|i| system.contacts[i])
}

// gyroscopic torques are not damping
fn take_out_gyroscopic(
    model: &Model,
    jacobians: &Jacobians,
    by_velocity: f64,
    change: impl Fn(usize) -> f64,
    damping: &mut [f64],
) {
    for i in model.rotations() {
        for row in i..i + 3 {
            for k in 0..3 {
                damping[row] -= by_velocity * jacobians.gyroscopic[3 * row + k] * change(i + k);
            }
        }
    }
}
