//! Friction in proportion to the size of a reaction R has a kink where R changes its sign, and nearly one where it passes close to zero.
//! Extrapolated steps end there, because a kink close to the end of a step is seen by none of its substeps, and so not by its error
//! estimate.
//!
//! (1)  d . R >= 0,   d = the direction of R at the start of the step, reversed by the event

use super::trial::{EventFunction, EventFunctionKind};
use crate::integrate::workspace::Workspace;
use crate::math::{max_abs, norm};
use crate::model::{Load, Model};
use crate::state::State;

/// A reaction is zero below this part of the forces of the scene: friction is then too small to matter.
const ZERO: f64 = 1e-9;

// the forces that load an element, if they are those of a joint
fn reaction<'a>(model: &Model, e: usize, forces: &'a [f64]) -> Option<&'a [f64]> {
    match model.elements[e].load {
        Load::Reaction { first, count } => Some(&forces[first..first + count]),
        Load::Given(_) => None,
    }
}

fn along(direction: &[f64], reaction: &[f64]) -> f64 {
    direction.iter().zip(reaction).map(|(d, r)| d * r).sum()
}

/// Adds (1) for the elements that slide in an extrapolated step; their forces are in `workspace.level`. Steps of a fixed length keep their
/// order through kinks.
pub(super) fn add_event_functions(model: &Model, workspace: &mut Workspace, force_scale: f64) {
    if workspace.standard_step > 0.0 {
        return;
    }
    let Workspace {
        event_functions,
        level,
        element_status,
        load_direction,
        ..
    } = workspace;
    for (e, (status, direction)) in element_status.iter().zip(load_direction).enumerate() {
        if status.slides()
            && *direction != [0.0; 3]
            && let Some(reaction) = reaction(model, e, &level.impulse)
        {
            event_functions.push(EventFunction {
                value: along(direction, reaction),
                tolerance: ZERO * force_scale,
                what: EventFunctionKind::ElementLoad(e),
            });
        }
    }
}

/// Takes the directions at the state, whose forces are in `workspace.level`. Those of reactions that are zero, or have just been reversed, are
/// kept.
pub(super) fn follow(model: &Model, state: &mut State, workspace: &mut Workspace) {
    let forces = &workspace.level.impulse;
    let zero = ZERO * (max_abs(forces) + max_abs(&workspace.force));
    for (e, direction) in state.load_direction.iter_mut().enumerate() {
        let Some(reaction) = reaction(model, e, forces) else {
            continue;
        };
        let is_known = *direction != [0.0; 3];
        if !state.element_status[e].slides() {
            *direction = [0.0; 3];
        } else if norm(reaction) > zero && (!is_known || along(direction, reaction) > zero) {
            let size = norm(reaction);
            for (d, r) in direction.iter_mut().zip(reaction) {
                *d = r / size;
            }
        }
    }
    workspace.load_direction.clone_from(&state.load_direction);
}

/// Reverses the direction of a reaction whose event function is zero; true if it is one.
pub(super) fn reverse(
    state: &mut State,
    workspace: &mut Workspace,
    what: EventFunctionKind,
) -> bool {
    let EventFunctionKind::ElementLoad(e) = what else {
        return false;
    };
    state.load_direction[e] = state.load_direction[e].map(|d| -d);
    workspace.load_direction.clone_from(&state.load_direction);
    true
}
