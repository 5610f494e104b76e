//! Servos with a limit of their effort: event functions where they reach or leave it, and their branches.

use super::trial::{EventFunction, EventFunctionKind};
use crate::dynamics;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::{Branch, Servo, Side};
use crate::model::Model;
use crate::state::State;

/// A servo keeps its branch within this part of its limit: rounding of the wanted effort.
const AT_LIMIT: f64 = 1e-10;

/// Adds the distances of the wanted efforts from the limits at the poses and twists in the workspace.
pub(super) fn add_event_functions(
    model: &Model,
    workspace: &mut Workspace,
    time: (f64, Side),
    tolerance: f64,
) {
    let Workspace {
        event_functions,
        inputs,
        poses,
        twists,
        ..
    } = workspace;
    dynamics::servos(model, time, inputs, poses, twists, |i, servo, wanted| {
        let mut add = |value: f64, what: EventFunctionKind| {
            event_functions.push(EventFunction {
                value,
                tolerance,
                what,
            });
        };
        let limit = servo.limit;
        match servo.branch(inputs) {
            _ if !limit.is_finite() => {}
            Branch::Inside => {
                add(limit - wanted, EventFunctionKind::ServoUpper(i));
                add(limit + wanted, EventFunctionKind::ServoLower(i));
            }
            Branch::Upper => add(wanted - limit, EventFunctionKind::ServoInside(i)),
            Branch::Lower => add(-wanted - limit, EventFunctionKind::ServoInside(i)),
        }
    });
}

/// Chooses the branches at the state.
pub(in crate::integrate) fn choose(model: &Model, state: &mut State, workspace: &mut Workspace) {
    if model.n_servos == 0 {
        return;
    }
    model.poses(&state.position, &mut workspace.poses);
    model.twists(&state.velocity, &mut workspace.twists);
    let Workspace {
        inputs,
        poses,
        twists,
        ..
    } = workspace;
    let now = (state.time, Side::After);
    let chosen = &mut state.inputs;
    dynamics::servos(model, now, inputs, poses, twists, |_, servo, wanted| {
        let rounding = AT_LIMIT * servo.limit;
        let beyond = match servo.branch(inputs) {
            Branch::Inside => wanted.abs() > servo.limit + rounding,
            Branch::Upper => wanted < servo.limit - rounding,
            Branch::Lower => wanted > -servo.limit + rounding,
        };
        if beyond {
            put(servo, servo.branch_of(wanted), chosen);
        }
    });
    workspace.inputs.clone_from(&state.inputs);
}

/// Changes the branch of a servo whose event function is zero; true if it is one.
pub(super) fn switch(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    what: EventFunctionKind,
) -> bool {
    let (i, branch) = match what {
        EventFunctionKind::ServoUpper(i) => (i, Branch::Upper),
        EventFunctionKind::ServoLower(i) => (i, Branch::Lower),
        EventFunctionKind::ServoInside(i) => (i, Branch::Inside),
        _ => return false,
    };
    let Some(servo) = model.forces[i].force.servo() else {
        return false;
    };
    put(servo, branch, &mut state.inputs);
    workspace.inputs.clone_from(&state.inputs);
    true
}

fn put(servo: &Servo, branch: Branch, inputs: &mut [crate::kinds::plane::force::Input]) {
    if let Some(input) = inputs.get_mut(servo.branch) {
        input.derivatives[0] = branch.number();
    }
}
