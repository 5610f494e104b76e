//! Symmetric step: scheme II evaluated at its midpoint (docs/METHOD.md, section 11).
//!
//! (1)  qm = q + h/2 v
//! (2)  (M - h/2 kv - h^2/4 kq) (v1 - v) = h k(t + h/2, qm, v) + F c,   G (v + v1) = 0,   G, F, kq, kv at qm
//! (3)  q1 = qm + h/2 v1
//! (4)  forces that are nonlinear in the velocity: (2) again about vm = (v + v1)/2, with h (k(vm) + kv (v - vm))
//!
//! The step from (q1, v1) back over -h has the same midpoint: its error expansion is in h^2.

use crate::contact::lcp::Outcome;
use crate::dynamics;
use crate::integrate::StepError;
use crate::integrate::event_driven::assemble::{self, BeyondEdges};
use crate::integrate::event_driven::compliant;
use crate::integrate::event_driven::elements;
use crate::integrate::event_driven::system::ElementForce;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::{Detail, Side};
use crate::math::{Limit, max_abs};
use crate::model::Model;
use crate::state::Status;

/// Maximum number of linearizations (4); they converge quadratically.
const MAX_LINEARIZATIONS: usize = 6;

/// Relative tolerance of the mid velocity.
const SAME_VELOCITY: f64 = 1e-11;

/// Work sums (J) that a row of the extrapolation integrates after positions, velocities and applied impulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Dissipated by normal forces of contacts.
    Normal,
    /// Dissipated by contact friction.
    Friction,
    /// Done by applied forces.
    Applied,
    /// Dissipated by dampers.
    Damping,
}

/// Number of kinds of work.
pub(super) const N_WORKS: usize = 4;

/// Takes a substep of length `h` at `t` in place of `y`: positions, velocities, applied impulses, work, work of flanges. The contacts are
/// those of `workspace.active`.
pub(super) fn substep(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    (t, h): (f64, f64),
    y: &mut [f64],
) -> Result<(), StepError> {
    let n = model.n_velocities;
    let (q, rest) = y.split_at_mut(n);
    let (v, sums) = rest.split_at_mut(n);
    let middle = t + 0.5 * h;
    model.displace(&mut workspace.scratch_position, q, 0.5 * h, v); // (1)
    model.poses(&workspace.scratch_position, &mut workspace.poses);
    constraints(model, workspace);
    workspace.mid_velocity.copy_from_slice(v);
    workspace.system.elements.fill(ElementForce::Solved);
    let limit = if elements::must_iterate(model, workspace) {
        elements::MAX_UPDATES
    } else if model.velocity_forces_are_linear() {
        1
    } else {
        MAX_LINEARIZATIONS
    };
    for _ in 0..limit {
        if !free_motion(model, workspace, middle, v, h) {
            return Err(StepError::Singular { time: t });
        }
        if !respond(model, workspace, statuses, (middle, v, h)) {
            let outcome = Outcome::PivotLimit;
            return Err(StepError::Unsolved { time: t, outcome });
        }
        workspace.work += 1;
        let Workspace {
            free, mid_velocity, ..
        } = &mut *workspace;
        let mut change: f64 = 0.0;
        for ((mid, v), dv) in mid_velocity.iter_mut().zip(v.iter()).zip(free.iter()) {
            let new = v + 0.5 * dv;
            change = change.at_least((new - *mid).abs());
            *mid = new;
        }
        if change <= SAME_VELOCITY * (1.0 + max_abs(v)) {
            break;
        }
    }
    v.iter_mut()
        .zip(&workspace.free)
        .for_each(|(v, dv)| *v += dv);
    model.displace(q, &workspace.scratch_position, 0.5 * h, v); // (3)
    add_sums(model, workspace, (middle, h), sums);
    Ok(())
}

// rows at the poses of the midpoint
fn constraints(model: &Model, workspace: &mut Workspace) {
    let Workspace {
        system,
        poses,
        fixed_features,
        active,
        ..
    } = workspace;
    system.contacts.clone_from(active);
    assemble::rows(model, poses, fixed_features, BeyondEdges::Line, system);
}

// left and right side of (2) without constraints: the metric, and the velocity change in `workspace.free`; false if the metric is singular
fn free_motion(model: &Model, workspace: &mut Workspace, middle: f64, v: &[f64], h: f64) -> bool {
    let Workspace {
        poses,
        twists,
        force,
        jacobians,
        free,
        inputs,
        mid_velocity,
        ..
    } = &mut *workspace;
    model.twists(mid_velocity, twists);
    let at = (middle, Side::After);
    // any position derivative will do if it stabilizes
    let wanted = Some((&mut *jacobians, Detail::Stiff));
    dynamics::force(model, at, inputs, poses, twists, force, wanted);
    free.clone_from(force);
    elements::push_in_substep(model, workspace, (middle, h));
    let Workspace {
        jacobians,
        free,
        mid_velocity,
        ..
    } = &mut *workspace;
    // if forces are linear, the mid velocity is still that of the start
    if jacobians.any && !model.velocity_forces_are_linear() {
        for (i, x) in free.iter_mut().enumerate() {
            for (j, k) in jacobians.velocity.row(i) {
                *x += k * (v[j] - mid_velocity[j]);
            }
        }
    }
    free.iter_mut().for_each(|x| *x *= h);
    let regular = assemble::step_metric(model, workspace, 0.5 * h, 0.25 * h * h);
    if regular {
        workspace.system.metric.divide(&mut workspace.free);
    }
    regular
}

// adds the effect of the constraints of (2) to `workspace.free`; false if sliding directions did not converge
fn respond(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    (middle, v, h): (f64, &[f64], f64),
) -> bool {
    if workspace.system.is_empty() {
        workspace.system.impulse.clear();
        return true;
    }
    let Workspace {
        system,
        joints,
        fixed_mode_solver,
        free,
        twice,
        sliding,
        resistance,
        inputs,
        element_status,
        ..
    } = &mut *workspace;
    for ((x, v), dv) in twice.iter_mut().zip(v).zip(free.iter()) {
        *x = 2.0 * v + dv;
    }
    let at = (middle, Side::After);
    system.prescribe_speeds(model, 2.0, at, inputs);
    system.set_directions(v, sliding, resistance);
    if elements::any_loaded(model, element_status) {
        return respond_loaded(model, workspace, statuses, (middle, v, h));
    }
    if model.has_compliant_contacts || system.must_iterate(|j| statuses[j]) {
        system.condense_rows();
        system.bias_from(twice);
        compliant::yield_in_substep(model, system, free, v, h);
        system.solve_sliding(joints, |j| statuses[j], (2.0, v), fixed_mode_solver);
        system.add_response(free);
        return system.directions_are_found();
    } else {
        system.respond_fixed_mode(twice, joints, |j| statuses[j], fixed_mode_solver, free);
    }
    true
}

// the same with friction that depends on the reactions of joints
fn respond_loaded(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    (middle, v, h): (f64, &[f64], f64),
) -> bool {
    let Workspace {
        system,
        twice,
        free,
        ..
    } = &mut *workspace;
    system.condense_rows();
    system.bias_from(twice);
    compliant::yield_in_substep(model, system, free, v, h);
    elements::load_substep(model, workspace, (middle, h));
    let mut change = 0.0;
    for _ in 0..elements::MAX_UPDATES {
        let Workspace {
            system,
            joints,
            fixed_mode_solver,
            ..
        } = &mut *workspace;
        system.solve_sliding(joints, |j| statuses[j], (2.0, v), fixed_mode_solver);
        change = elements::reload_substep(model, workspace, (middle, h));
        if change == 0.0 {
            break;
        }
    }
    let Workspace { system, free, .. } = workspace;
    system.add_response(free);
    change <= elements::ACCEPTABLE_CHANGE && system.directions_are_found()
}

fn add_sums(model: &Model, workspace: &mut Workspace, (middle, h): (f64, f64), sums: &mut [f64]) {
    let released = compliant::released_power(model, workspace, &workspace.mid_velocity);
    let Workspace {
        system,
        poses,
        twists,
        inputs,
        mid_velocity,
        ..
    } = workspace;
    let (impulses, works) = sums.split_at_mut(model.n_velocities);
    let (works, of_flanges) = works.split_at_mut(N_WORKS);
    works[Work::Damping as usize] += h * released;
    for i in 0..system.contacts.len() {
        let normal = system.normal(i);
        let work = |row: usize| system.impulse[row] * system.rows[row].dot(mid_velocity);
        match compliant::damping_in_substep(model, system, i, mid_velocity, h) {
            Some(lost) => works[Work::Damping as usize] += lost,
            None => works[Work::Normal as usize] -= work(normal),
        }
        for row in normal + 1..=normal + system.n_friction {
            works[Work::Friction as usize] -= work(row);
        }
    }
    let first = system.first_element();
    for (e, element) in model.elements.iter().enumerate() {
        let speed = element.given_speed(middle, Side::After, inputs);
        let p = system.element_impulse(e);
        let u = system.rows[first + e].dot(mid_velocity) - speed;
        works[Work::Friction as usize] -= p * u;
        works[Work::Applied as usize] += p * speed;
    }
    for row in system.driven_rows() {
        works[Work::Applied as usize] += system.impulse[row] * system.rows[row].dot(mid_velocity);
    }
    if !model.forces.is_empty() {
        model.twists(mid_velocity, twists);
        let at = (middle, Side::After);
        let (applied, lost) = dynamics::power(model, at, inputs, poses, twists);
        dynamics::add_applied(model, at, inputs, poses, twists, h, impulses);
        works[Work::Applied as usize] += h * applied;
        works[Work::Damping as usize] += h * lost;
        for (flange, work) in model.flanges.iter().zip(of_flanges) {
            *work += h * dynamics::driven_power(model, flange.force, at, inputs, poses, twists);
        }
    }
}
