//! Friction elements in symmetric substeps and projections, with fixed statuses.

use super::{CONVERGED, Friction, Span, change, direction};
use crate::integrate::event_driven::system::{ElementForce, System};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::Limit;
use crate::model::{Load, Model};
use crate::state::Status;

// the elements of `workspace.system` in a symmetric substep of length `h`: friction is that in its middle
fn in_substep<R>(
    model: &Model,
    workspace: &mut Workspace,
    (middle, h): (f64, f64),
    action: impl FnOnce(&mut Friction, &mut System, &mut [f64], f64) -> R,
) -> R {
    let Workspace {
        system,
        free,
        element_status,
        reaction,
        inputs,
        mid_velocity,
        element_known,
        joints,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span: Span::Instant(middle, Side::After),
        v: mid_velocity,
        keeps_loads: false,
        known: element_known,
        rows: joints,
    };
    action(&mut friction, system, free, h)
}

/// Adds the given friction of a symmetric substep to the forces in `workspace.free`; its rows and its mid velocity are known.
pub(in crate::integrate::event_driven) fn push_in_substep(
    model: &Model,
    workspace: &mut Workspace,
    at: (f64, f64),
) {
    if model.elements.is_empty() {
        return;
    }
    in_substep(model, workspace, at, |friction, system, free, h| {
        for e in 0..friction.statuses.len() {
            let speed = friction.start_speed(system, e);
            if let ElementForce::Given(f) = friction.force(e, speed) {
                system.rows[system.first_element() + e].add_to(f, free);
                system.elements[e] = ElementForce::Given(h * f);
            }
        }
    });
}

/// Does the friction of a sliding element depend on its speed?
pub(in crate::integrate::event_driven) fn must_iterate(
    model: &Model,
    workspace: &Workspace,
) -> bool {
    let mut elements = model.elements.iter().zip(&workspace.element_status);
    elements.any(|(element, status)| element.falls() && status.slides())
}

/// Does a sliding element depend on the reaction of a joint?
pub(in crate::integrate::event_driven) fn any_loaded(model: &Model, statuses: &[Status]) -> bool {
    let mut elements = model.elements.iter().zip(statuses);
    elements
        .any(|(element, status)| matches!(element.load, Load::Reaction { .. }) && status.slides())
}

/// Sets the columns of elements loaded by reactions in a symmetric substep, whose system has just been condensed; given friction is part
/// of the free motion already.
pub(in crate::integrate::event_driven) fn load_substep(
    model: &Model,
    workspace: &mut Workspace,
    at: (f64, f64),
) {
    in_substep(model, workspace, at, |friction, system, free, h| {
        for e in 0..friction.statuses.len() {
            let speed = friction.start_speed(system, e);
            match friction.force(e, speed) {
                ElementForce::Solved => {}
                ElementForce::Given(f) => system.elements[e] = ElementForce::Given(h * f),
                loaded => system.set_element(e, loaded, free),
            }
        }
    });
}

/// Updates them from the solution, and returns their largest relative change; zero if they have converged.
pub(in crate::integrate::event_driven) fn reload_substep(
    model: &Model,
    workspace: &mut Workspace,
    at: (f64, f64),
) -> f64 {
    in_substep(model, workspace, at, |friction, system, free, h| {
        let mut largest: f64 = 0.0;
        for e in 0..friction.statuses.len() {
            friction.update_reaction(system, e, h.signum());
            let speed = friction.start_speed(system, e);
            let new = friction.force(e, speed);
            let change = change(system.elements[e], new);
            if matches!(new, ElementForce::Loaded { .. }) && change > CONVERGED {
                system.set_element(e, new, free);
                largest = largest.at_least(change);
            }
        }
        largest
    })
}

/// Sets the columns of elements loaded by reactions in `workspace.level`, for a projection of velocities: what closes a joint has its
/// friction, or the missing friction would accumulate to an error of first order.
pub(in crate::integrate::event_driven) fn load_level(
    model: &Model,
    workspace: &mut Workspace,
    v: &mut [f64],
) {
    let Workspace {
        level,
        element_status,
        reaction,
        inputs,
        ..
    } = workspace;
    if !any_loaded(model, element_status) {
        return;
    }
    for (e, element) in model.elements.iter().enumerate() {
        let (status, Some(along)) = (element_status[e], direction(element_status[e])) else {
            continue;
        };
        if let Load::Reaction { first, .. } = element.load {
            let row = level.first_element() + e;
            let speed = level.rows[row].dot(v) - element.given_speed(0.0, Side::After, inputs);
            let factor = -status.slip_sign() * element.coefficient(along, speed);
            let weights = reaction[e].map(|rho| factor * rho);
            level.set_element(e, ElementForce::Loaded { first, weights }, v);
        }
    }
}
