//! Friction elements in the energy balance of a step.
//!
//! (1)  loss of a sliding element: -p um,   um = D . vm - ub
//! (2)  what is prescribed does the work p ub, also while the element sticks

use super::Balance;
use super::balance::AT_STOP;
use crate::integrate::event_driven::system::System;
use crate::integrate::event_driven::trial::Trial;
use crate::kinds::plane::force::{Input, Side};
use crate::math::positive;
use crate::model::Model;
use crate::state::{State, Status};

impl Balance {
    /// Adds the losses of the step to the balance of groups and to those of the trial; `statuses` are those of the step.
    pub fn add_friction_elements(
        &mut self,
        model: &Model,
        state: &State,
        system: &System,
        statuses: &[Status],
        trial: &mut Trial,
        inputs: &[Input],
    ) {
        for (e, element) in model.elements.iter().enumerate() {
            let row = system.first_element() + e;
            let (p, column) = (system.impulse[row], &system.columns[row]);
            let speed = |time: f64, side: Side| element.given_speed(time, side, inputs);
            let [start, end] = [
                speed(state.time, Side::After),
                speed(state.time + trial.h, Side::Before),
            ];
            let given = 0.5 * (start + end);
            trial.losses.applied += p * given; // (2)
            let sticks = statuses[e] == Status::Stick && state.element_status[e] == Status::Stick;
            let loss = self.element_work[e] - p * (column.dot(&trial.average) - given);
            let taken = if sticks { 0.0 } else { positive(loss) }; // (1)
            trial.losses.friction += taken;
            if let [Some(body), _] | [_, Some(body)] = element.bodies {
                let of = &mut self.groups[self.group[body]];
                of.contacts += taken;
                of.applied += p * given;
                let before = column.dot(&state.velocity) - start;
                let after = column.dot(&trial.velocity) - end;
                // a step that ends at a stop does not go beyond it
                of.stops |= statuses[e].slides() && before * after < -AT_STOP * before * before;
            }
        }
    }
}
