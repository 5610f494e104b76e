//! Friction elements at an instant: friction forces for accelerations, as contacts have them.

use super::{ActiveElement, Mode, bounded_contact, bounded_rows, free_speed, gradient};
use crate::contact::body_blocks::ContactConstraint;
use crate::integrate::time_stepping::assemble::{along, index, inverse_mass, row};
use crate::integrate::time_stepping::impact::SLOW;
use crate::integrate::time_stepping::instant::{Instant, moving_row};
use crate::integrate::time_stepping::{Step, Work};
use crate::kinds::plane::force::Side;
use crate::math::positive;
use crate::model::Model;
use crate::state::Status;

/// Largest number of solutions for bounds that depend on reactions.
const REPETITIONS: usize = 60;

impl Step<'_> {
    /// Adds them after contacts and stops; an element that was at rest at the end of the last step sticks if it can.
    pub(in crate::integrate::time_stepping) fn add_accelerated_elements(&mut self) {
        self.workspace.time_stepping.elements.clear();
        let first_force = self.model.first_element_row();
        for (e, element) in self.model.elements.iter().enumerate() {
            if element.bodies.iter().any(|body| self.is_asleep(*body)) {
                continue;
            }
            let [a, b] = self.moving(element.bodies);
            let twists = self.twists_of(element.bodies).map(|twist| *twist);
            let twists = [&twists[0], &twists[1]];
            let (slope, turned) = moving_row(&gradient(element, [&a, &b]), twists);
            let (now, inputs) = ((self.state.time, Side::After), &self.state.inputs);
            let [speed, faster] = [
                element.motion.speed(now, inputs),
                element.motion.acceleration(now, inputs),
            ];
            let slip = slope.rate(twists[0], twists[1]) - speed;
            let status = self.state.element_status[e];
            let moves = slip.abs() > SLOW + 2.0 * self.h * turned.abs();
            let slides = status.slides() || (status != Status::Stick && moves);
            let sign = if moves {
                slip.signum()
            } else {
                status.slip_sign()
            };
            let force = self.state.joint_force[first_force + e];
            let work = &mut self.workspace.time_stepping;
            let own = row(&slope, turned - faster);
            let bodies = element.bodies.map(index);
            let response = inverse_mass(&own, bodies, &work.bodies);
            let mut active = ActiveElement {
                element: e,
                constraint: work.constraints.len(),
                normal: work.rows.len(),
                mode: if slides { Mode::Slides } else { Mode::Holds },
                bound: 0.0,
                start: slip,
                load: element.given_load(now.0, now.1, inputs).map(positive),
                response,
                slides: if slides { sign } else { 0.0 },
            };
            let load = active.load(self.model, &self.state.joint_force);
            let against = if slides { -sign } else { force };
            active.bound = active.wanted_bound(self.model, load, against, slip);
            let free = free_speed(&own, bodies, &work.bodies);
            work.rows
                .extend(bounded_rows(own, active.bound, response, free));
            work.impulse.extend([active.bound, force]);
            work.second.extend([0.0; 2]);
            work.constraints.push(ContactConstraint {
                bodies,
                contact: bounded_contact(),
            });
            work.elements.push(active);
        }
    }

    /// Writes their forces.
    pub(in crate::integrate::time_stepping) fn write_element_forces(&self, instant: &mut Instant) {
        let first = self.model.first_element_row();
        let work = &self.workspace.time_stepping;
        for active in &work.elements {
            instant.joint_force[first + active.element] = work.impulse[active.normal + 1];
        }
    }
}

impl Work {
    /// Sliding elements oppose their motion, given an acceleration far above all others.
    pub(in crate::integrate::time_stepping) fn set_sliding_elements(&mut self, far: f64) {
        for active in &self.elements {
            self.rows[active.normal + 1].bias += far * active.slides;
        }
    }

    /// Solves with `solve` until the bounds are those of the solution.
    pub(in crate::integrate::time_stepping) fn settle_instant(
        &mut self,
        model: &Model,
        mut solve: impl FnMut(&mut Self),
    ) {
        solve(self);
        for _ in 0..REPETITIONS {
            if self.elements.is_empty() && self.static_contacts.is_empty() {
                return;
            }
            let mut reactions = std::mem::take(&mut self.reactions);
            self.write_joint_forces(model, &mut reactions);
            let mut any = self.revise_static_contacts(true);
            for active in &mut self.elements {
                let friction = self.impulse[active.normal + 1];
                let load = active.load(model, &reactions);
                let own = &self.rows[active.normal + 1];
                let bodies = self.constraints[active.constraint].bodies;
                let end = along(own, bodies, &self.end) + own.bias;
                let end = if active.slides == 0.0 {
                    end
                } else {
                    active.start
                };
                if active.revise(model, load, [friction, end, active.start]) {
                    let normal = &mut self.rows[active.normal];
                    normal.bias = -normal.compliance * active.bound;
                    any = true;
                }
            }
            self.reactions = reactions;
            if !any {
                return;
            }
            solve(self);
        }
    }
}
