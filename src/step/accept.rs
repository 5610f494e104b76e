//! A trial step becomes the state.

use super::assemble;
use super::report::Report;
use super::system::System;
use super::trial::Trial;
use super::workspace::Workspace;
use crate::dynamics;
use crate::force::Side;
use crate::model::Model;
use crate::state::State;

/// Moves the state to the end of the trial step, at time `end`.
pub(super) fn accept(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    report: &mut Report,
    end: f64,
) {
    let trial = &workspace.trial;
    state.time = end;
    state.position.clone_from(&trial.position);
    state.velocity.clone_from(&trial.velocity);
    state.average_velocity.clone_from(&trial.average);
    state.damping_left = state.damping_left.saturating_sub(1);
    let State {
        status, position, ..
    } = &*state;
    assemble::find_holds(model, workspace, position, |j| !status[j].is_closed());
    report.substeps += 1;
    report.stabilized_steps += u64::from(workspace.trial.stabilized);
    let deepest = assemble::deepest_overlap(model, workspace, &state.position);
    report.worst_penetration = report.worst_penetration.max(deepest);
    let drift = assemble::joint_drift(model, workspace);
    report.worst_joint_drift = report.worst_joint_drift.max(drift);
}

/// Contact and joint forces of a [`System`], kept until they are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    contacts: Vec<usize>,
    impulse: Vec<f64>,
}

impl Forces {
    /// Room for `n_joint` joint equations and `n_contacts` contacts.
    pub fn with_capacity(n_joint: usize, n_contacts: usize) -> Self {
        Self {
            contacts: Vec::with_capacity(n_contacts),
            impulse: Vec::with_capacity(n_joint + 2 * n_contacts),
        }
    }

    /// Becomes equal to `other` without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.impulse.clone_from(&other.impulse);
    }

    /// Keeps those of a solved system.
    pub fn read(&mut self, system: &System) {
        self.contacts.clone_from(&system.contacts);
        self.impulse.clone_from(&system.impulse);
    }
}

/// Contact and joint forces at the end of an extrapolated step.
pub(super) fn forces_of_trial(state: &mut State, workspace: &Workspace) {
    let Trial {
        end_forces,
        end_acceleration,
        ..
    } = &workspace.trial;
    write_forces(state, &end_forces.contacts, &end_forces.impulse, 1.0);
    state.acceleration.clone_from(end_acceleration);
}

/// Contact and joint forces from the acceleration level, which `workspace.level` holds.
pub(super) fn forces_from_accelerations(state: &mut State, workspace: &Workspace) {
    let level = &workspace.level;
    write_forces(state, &level.contacts, &level.impulse, 1.0);
    state.acceleration.clone_from(&workspace.acceleration);
}

/// Contact and joint forces as the mean over the step, from the impulses that `workspace.system` holds.
pub(super) fn forces_from_impulses(state: &mut State, workspace: &Workspace, h: f64) {
    let system = &workspace.system;
    write_forces(state, &system.contacts, &system.impulse, 1.0 / h);
    let end = &workspace.trial;
    for ((a, v), mean) in state
        .acceleration
        .iter_mut()
        .zip(&end.velocity)
        .zip(&end.average)
    {
        *a = 2.0 * (v - mean) / h;
    }
}

fn write_forces(state: &mut State, contacts: &[usize], impulse: &[f64], factor: f64) {
    let n_joint = state.joint_force.len();
    state.contact_force.fill([0.0; 2]);
    for (i, &contact) in contacts.iter().enumerate() {
        let normal = n_joint + 2 * i;
        state.contact_force[contact] = [factor * impulse[normal], factor * impulse[normal + 1]];
    }
    for (force, impulse) in state.joint_force.iter_mut().zip(impulse) {
        *force = factor * impulse;
    }
}

/// Work over a single step, with the mean velocity: exact for the kinetic energy of constraint impulses.
pub(super) fn work(model: &Model, state: &State, workspace: &mut Workspace, report: &mut Report) {
    let Workspace {
        system,
        trial,
        poses,
        twists,
        place,
        inputs,
        ..
    } = workspace;
    for i in 0..system.contacts.len() {
        let normal = system.normal(i);
        let [pressing, sliding] = [normal, normal + 1]
            .map(|row| system.impulse[row] * system.columns[row].dot(&trial.average));
        report.impact_loss -= pressing;
        report.friction_loss -= sliding;
    }
    if model.forces.is_empty() {
        return;
    }
    for i in 0..place.len() {
        place[i] = 0.5 * (state.position[i] + trial.position[i]);
    }
    model.poses(place, poses);
    model.twists(&trial.average, twists);
    let middle = (state.time + 0.5 * trial.h, Side::After);
    let (applied, lost) = dynamics::power(model, middle, inputs, poses, twists);
    report.applied_work += trial.h * applied;
    report.damping_loss += trial.h * lost;
}
