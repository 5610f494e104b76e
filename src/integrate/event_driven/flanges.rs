//! Work and inverse masses of flanges.
//!
//! (1)  work of a step: h/6 (f0 u0 + 4 fm um + f1 u1), Simpson's rule; xm and um from the cubic through both ends.
//!      The work of a constant force is exact
//! (2)  inverse mass: d . a,   a = M^-1 (d + G^T c),   G a = 0 for joints, closed contacts and what sticks

use super::{assemble, begin, elements, trial::Trial};
use crate::dynamics;
use crate::integrate::workspace::Workspace;
use crate::model::Model;
use crate::state::{State, Status, closed};

/// Finds the work of each flange in the trial step that ends at the time `end`, for `workspace.trial` (1).
pub(super) fn find_works(model: &Model, state: &State, workspace: &mut Workspace, end: f64) {
    let h = end - state.time;
    if h <= 0.0 {
        return workspace.trial.flange_work.fill(0.0);
    }
    for i in 0..model.flanges.len() {
        let force = model.flanges[i].force;
        let Some(law) = model.flange_law(force) else {
            continue;
        };
        let [start, last] = [0, 1].map(|at_end| {
            let Workspace {
                poses,
                twists,
                trial: Trial {
                    position, velocity, ..
                },
                ..
            } = &mut *workspace;
            let (q, v) = match at_end {
                0 => (&state.position, &state.velocity),
                _ => (&*position, &*velocity),
            };
            model.poses(q, poses);
            model.twists(v, twists);
            dynamics::driven_coordinate(model, force, poses, twists).unwrap_or_default()
        });
        let [[x0, u0], [x1, u1]] = [start, last];
        let middle = [
            0.5 * (x0 + x1) + 0.125 * h * (u0 - u1),
            1.5 * (x1 - x0) / h - 0.25 * (u0 + u1),
        ];
        let power =
            |now: [f64; 2], time: f64| law.effort(now, time, &workspace.inputs).total() * now[1];
        let between = power(middle, state.time + 0.5 * h);
        let at_ends = power(start, state.time) + power(last, end);
        workspace.trial.flange_work[i] = h / 6.0 * (at_ends + 4.0 * between);
    }
}

/// The acceleration of a flange for each newton (2), 1/kg, or for each newton metre, 1/(kg m²); `sliding` as if nothing stuck.
pub fn inverse_mass(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    flange: usize,
    sliding: bool,
) -> f64 {
    begin(model, state, workspace);
    assemble::select_joints(model, workspace, &state.position);
    assemble::level(model, workspace, &state.position, closed(&state.status));
    model.twists(&state.velocity, &mut workspace.twists);
    let Workspace {
        level,
        poses,
        twists,
        joints,
        fixed_mode_solver,
        free,
        twice,
        sliding: directions,
        resistance,
        ..
    } = &mut *workspace;
    twice.fill(0.0);
    let force = model.flanges[flange].force;
    dynamics::add_driven_gradient(model, force, poses, twists, twice);
    for ((a, d), m) in free.iter_mut().zip(twice.iter()).zip(&model.mass) {
        *a = d / m;
    }
    level.set_directions(&state.velocity, directions, resistance);
    if sliding {
        level.free_rotation();
        for (row, element) in level.element_rows().zip(&model.elements) {
            joints[row] &= element.is_one_way();
        }
    }
    let status = |contact: usize| match state.status[contact] {
        Status::Stick if sliding => Status::Frictionless,
        status => status,
    };
    level.respond_to_force(model, joints, status, fixed_mode_solver, free);
    let along = free.iter().zip(twice.iter());
    let inverse_mass = along.map(|(a, d)| a * d).sum();
    elements::hold(model, workspace);
    inverse_mass
}
