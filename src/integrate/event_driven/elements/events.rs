//! Friction elements at events: guessed statuses, event functions, accepted statuses.

use super::{ROUNDING, at_instant, hold};
use crate::integrate::event_driven::trial::{EventFunction, EventFunctionKind};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::model::Model;
use crate::state::{State, Status};

/// Has the load of an element come or gone since its status was determined?
pub(in crate::integrate::event_driven) fn load_came_or_went(model: &Model, state: &State) -> bool {
    let elements = model.elements.iter().zip(&state.element_status);
    elements.into_iter().any(|(element, status)| {
        let is_released = element.is_released(state.time, Side::After, &state.inputs);
        is_released != (*status == Status::Open)
    })
}

/// Statuses of the elements whose motion is known at velocities `v`; the others stick, to be revised. `workspace.level` has their rows.
pub(in crate::integrate::event_driven) fn guess_statuses(
    model: &Model,
    workspace: &mut Workspace,
    time: f64,
    located: Option<EventFunctionKind>,
    (v, slow): (&[f64], f64),
) {
    let Workspace {
        level,
        element_status,
        element_known,
        inputs,
        ..
    } = &mut *workspace;
    let first = level.first_element();
    for (e, element) in model.elements.iter().enumerate() {
        let speed = element.given_speed(time, Side::After, inputs);
        let u = level.rows[first + e].dot(v) - speed;
        let stopped = located == Some(EventFunctionKind::ElementSliding(e));
        let known = if element.is_released(time, Side::After, inputs) {
            Some(Status::Open)
        } else if u > slow && !stopped {
            Some(Status::SlipForward)
        } else if element.is_one_way() {
            (located == Some(EventFunctionKind::ElementBackward(e))).then_some(Status::SlipForward)
        } else if (u < -slow && !stopped) || located == Some(EventFunctionKind::ElementForward(e)) {
            Some(Status::SlipBackward)
        } else if located == Some(EventFunctionKind::ElementBackward(e)) {
            Some(Status::SlipForward)
        } else {
            None
        };
        element_known[e] = known.is_some();
        element_status[e] = known.unwrap_or(Status::Stick);
    }
    hold(model, workspace);
}

/// Adds the event functions of the elements at an instant, whose forces are in `workspace.level`.
pub(in crate::integrate::event_driven) fn add_event_functions(
    model: &Model,
    workspace: &mut Workspace,
    time: (f64, Side),
    v: &[f64],
    [force_scale, speed_scale]: [f64; 2],
) {
    let mut functions = std::mem::take(&mut workspace.event_functions);
    at_instant(model, workspace, time, v, |friction, level, _| {
        for e in 0..friction.statuses.len() {
            let mut add = |value: f64, tolerance: f64, what: EventFunctionKind| {
                functions.push(EventFunction {
                    value,
                    tolerance,
                    what,
                });
            };
            let sign = friction.statuses[e].slip_sign();
            if sign != 0.0 {
                let speed = sign * friction.start_speed(level, e);
                let tolerance = 1e-13 * speed_scale;
                // a stop at the very end of a step is one: the next step would begin with a motion that has ended; what others hold at
                // rest does not decelerate
                let deceleration = -sign * level.element_motion(e);
                let stops = speed.abs() <= tolerance
                    && deceleration > friction.rounding_of_motion(level, e);
                let speed = if stops { -2.0 * tolerance } else { speed };
                add(speed, tolerance, EventFunctionKind::ElementSliding(e));
            } else if friction.statuses[e] == Status::Stick {
                let [backward, forward] = friction.slacks(level, e);
                let tolerance = ROUNDING * force_scale;
                add(backward, tolerance, EventFunctionKind::ElementForward(e));
                add(forward, tolerance, EventFunctionKind::ElementBackward(e));
            }
        }
    });
    workspace.event_functions = functions;
}

/// Makes the statuses in the workspace those of the state, and records the changes.
pub(in crate::integrate::event_driven) fn accept_statuses(
    model: &Model,
    time: f64,
    old: &mut Vec<Status>,
    new: &[Status],
    report: &mut Report,
) {
    report.record_elements(model, time, old, new);
    old.clear();
    old.extend_from_slice(new);
}
