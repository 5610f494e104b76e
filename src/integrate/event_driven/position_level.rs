//! Position-level Euler ([S] 13-20): unilateral constraints on the end position, not on the velocity.
//!
//! (1)  0 <= g(p)/h + n(p).((q0 - p)/h + v1) | c_n >= 0,   p = q0 (linear version)
//! (2)  fixed point ([S] 3.4): p = q1 of the last iteration, from p = q0 + h v0, until convergence
//! (3)  rotations in space: v1 rotates about the axes at q0 throughout the step, q1 = q0 exp(h v1), so rows at p are rotated to these
//!      axes; a torque then changes the angular momentum of a ball in its own direction
//!
//! No event is located and there is no restitution; contacts that the step may reach are active from the start, and those violated at its
//! end are added.

use super::assemble::{self, BeyondEdges, Start};
use super::coefficients::{Coefficients, IMPLICIT_EULER};
use super::compliant;
use super::elements::{self, Span};
use super::energy;
use super::flanges;
use super::metric::Stiffness;
use super::trial::Mode;
use super::{accept, contact_band, trial};
use crate::dynamics::kinetic_energy;
use crate::integrate::StepError;
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, larger, max_abs, norm};
use crate::model::{Body, Drive, Model};
use crate::scene::spec::{Scheme, Settings};
use crate::state::State;

/// The fixed point has converged when no coordinate changes by more than this, relative to its size.
const CONVERGED: f64 = 1e-13;

/// As a fallback of another scheme a step is halved if it would raise the potential energy by more than the available kinetic energy, by
/// this part of it, and by more than rounding.
const GAINED: f64 = 1e-6;

/// Takes and accepts one step of length `h`, or of the part of it that does not gain energy, but not below `shortest`, and returns its
/// length.
pub(super) fn step(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    (mut h, shortest): (f64, f64),
) -> Result<f64, StepError> {
    let most = GAINED * kinetic_energy(model, &state.velocity);
    loop {
        attempt(model, state, workspace, settings, h)?;
        let gained = workspace.trial.losses.numerical - workspace.balance.rounding();
        let gains = energy::is_corrected(settings) && gained > most;
        if !gains || 0.5 * h < shortest {
            break;
        }
        report.halved_steps += 1;
        h *= 0.5;
    }
    workspace.trial.losses.add_to(report);
    flanges::find_works(model, state, workspace, state.time + h);
    accept::accept(model, state, workspace, report, state.time + h);
    let new = &workspace.element_status;
    elements::accept_statuses(model, state.time, &mut state.element_status, new, report);
    state.status.clone_from(&workspace.statuses);
    state.resistance.clone_from(&workspace.resistance);
    accept::forces_from_impulses(state, workspace, h);
    state.statuses_known = false;
    Ok(h)
}

fn attempt(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    h: f64,
) -> Result<(), StepError> {
    // as a fallback of another scheme, forces are implicit
    let explicit = settings.scheme == Scheme::PositionEuler;
    let scheme = if explicit {
        Coefficients::from(settings.scheme)
    } else {
        IMPLICIT_EULER
    };
    assemble::select_joints(model, workspace, &state.position);
    let (t, q, v) = (state.time, &state.position, &state.velocity);
    if assemble::free_motion(model, workspace, &scheme, Start { t, q, v }, h) == Stiffness::Singular
    {
        return Err(StepError::Singular { time: t });
    }
    reach(model, state, workspace, settings, h);
    workspace.level_at.forget();
    let mut scratch_position = std::mem::take(&mut workspace.sample_position);
    if settings.fixed_point_iterations > 1 {
        model.displace(&mut scratch_position, q, h, v);
    } else {
        scratch_position.clone_from(q);
    }
    let result = iterate(
        model,
        state,
        workspace,
        settings,
        &scheme,
        &mut scratch_position,
        h,
    );
    workspace.sample_position = scratch_position;
    result?;
    if explicit {
        workspace.balance.clear_friction_work();
        model.poses(&workspace.trial.position, &mut workspace.poses);
        let correct = energy::is_corrected(settings);
        energy::balance(model, state, workspace, Mode::Complementarity, correct);
    } else {
        trial::end(model, state, workspace, settings, Mode::Complementarity);
    }
    Ok(())
}

fn iterate(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    settings: &Settings,
    scheme: &Coefficients,
    scratch_position: &mut Vec<f64>,
    h: f64,
) -> Result<(), StepError> {
    let mut rounds_left = settings.fixed_point_iterations.max(1);
    loop {
        solve_at(model, state, workspace, scheme, scratch_position, h)?;
        if add_violated(model, workspace, settings) {
            continue;
        }
        let end = &workspace.trial.position;
        let moved = scratch_position
            .iter()
            .zip(end)
            .fold(0.0, |m: f64, (p, q)| m.at_least((p - q).abs()));
        rounds_left -= 1;
        if rounds_left == 0 || moved <= CONVERGED * (1.0 + max_abs(end)) {
            return Ok(());
        }
        scratch_position.clone_from(end);
    }
}

// contacts that the free motion of this step brings near, with a margin of twice that
fn reach(model: &Model, state: &State, workspace: &mut Workspace, settings: &Settings, h: f64) {
    let (q, v) = (&state.position, &state.velocity);
    let band = contact_band(settings, workspace.standard_step);
    let gained = h * max_abs(&workspace.free);
    let speed = |body: &Body| {
        let span = body.first..body.first + body.n_dof;
        norm(&v[span.clone()]) * (1.0 + body.extent)
    };
    let fastest = model.bodies.iter().map(speed).fold(0.0, larger);
    let far = band + 2.0 * (2.0 * h * fastest + gained);
    assemble::gaps_within(model, workspace, q, far);
    let Workspace {
        near,
        gap,
        poses,
        active,
        ..
    } = workspace;
    active.clear();
    for contact in near.contacts().filter(|j| gap[*j] <= far) {
        let found = model.gap_and_rate(&model.contacts[contact], poses, v);
        let rate = found.map_or(0.0, |(_, rate)| rate);
        if gap[contact] <= band + 2.0 * (h * rate.abs() + gained) {
            active.push(contact);
        }
    }
}

// (1)
fn solve_at(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    scratch_position: &[f64],
    h: f64,
) -> Result<(), StepError> {
    let Workspace {
        system,
        poses,
        active,
        fixed_features,
        ..
    } = workspace;
    system.contacts.clone_from(active);
    model.poses(scratch_position, poses);
    if model.is_spatial() {
        // shapes that were distant at the start of the step have not been evaluated
        for &contact in active.iter() {
            fixed_features[contact] = model.fixed_feature(&model.contacts[contact], poses);
        }
    }
    fixed_features.iter_mut().for_each(|hold| hold.edge = None);
    assemble::rows(model, poses, fixed_features, BeyondEdges::Nothing, system);
    model.turn_to_reference(scratch_position, &mut system.rows); // (3)
    system.columns.clone_from(&system.rows);
    workspace.system.condense();
    let span = Span::Step {
        t: state.time,
        h,
        sigma: 1.0,
    };
    elements::begin_step(model, state, workspace);
    elements::push_in_step(model, workspace, span, &state.velocity);
    let Workspace {
        system,
        free,
        poses,
        scratch_position: motion,
        ..
    } = workspace;
    let n_joint = system.n_joint;
    for i in 0..motion.len() {
        motion[i] = state.velocity[i] + free[i];
    }
    let end = (state.time + h, Side::Before);
    // prescribed positions are imposed like those of joints
    let of_drive = |drive: &Drive| match drive.motion.is_position() {
        true => 0.0,
        false => drive.speed(end, &state.inputs),
    };
    system.prescribe(model, 1.0, of_drive, |element| {
        element.motion.speed(end, &state.inputs)
    });
    assemble::drive_residuals(model, poses, end, &state.inputs, system);
    system.bias_from(motion);
    for i in 0..motion.len() {
        motion[i] = (state.position[i] - scratch_position[i]) / h;
    }
    let first_drive = model.first_element_row() - model.drives.len();
    for (i, row) in system.rows.iter().enumerate() {
        let tangent = i >= n_joint && (i - n_joint) % (1 + model.n_friction_rows) > 0;
        let drive = i.checked_sub(first_drive).and_then(|i| model.drives.get(i));
        let has_position = drive.is_none_or(|drive| drive.motion.is_position());
        let is_element = (model.first_element_row()..n_joint).contains(&i);
        if !tangent && has_position && !is_element && system.residual[i].is_finite() {
            system.bias[i] += system.residual[i] / h + row.dot(motion);
        }
    }
    let way = std::mem::take(motion);
    compliant::yield_at_position_level(model, workspace, (&way, &state.velocity), h);
    workspace.scratch_position = way;
    trial::solve_complementarity(model, state, workspace, span)?;
    trial::finish(workspace, scheme, &state.position, &state.velocity, h);
    if workspace.trial.velocity.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(StepError::NotFinite { time: state.time })
    }
}

// adds contacts that are violated at the end of the step but were not active
fn add_violated(model: &Model, workspace: &mut Workspace, settings: &Settings) -> bool {
    let end = std::mem::take(&mut workspace.trial.position);
    assemble::gaps(model, workspace, &end);
    workspace.trial.position = end;
    let band = contact_band(settings, workspace.standard_step);
    let Workspace {
        gap, active, near, ..
    } = workspace;
    let before = active.len();
    for contact in near.contacts() {
        if gap[contact] < -band && !active.contains(&contact) {
            active.push(contact);
        }
    }
    active.len() > before
}
