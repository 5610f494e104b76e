//! Accepts a trial step as the new state.

use super::system::System;
use super::trial::Trial;
use super::{assemble, rest_speed};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::math::{Limit, Vec3, norm};
use crate::model::{MAX_FRICTION_ROWS, Model, N_ROTATION_AXES, N_TANGENTS, Poses};
use crate::state::{State, Status};

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
    workspace.balance.accept();
    state.position.clone_from(&trial.position);
    state.velocity.clone_from(&trial.velocity);
    state.average_velocity.clone_from(&trial.average);
    for (total, work) in state.flange_work.iter_mut().zip(&trial.flange_work) {
        *total += work;
    }
    let drift = assemble::joint_drift_at(model, workspace, &state.position);
    rebase(model, state, &mut workspace.poses);
    state.damping_left = state.damping_left.saturating_sub(1);
    let State {
        status, position, ..
    } = &*state;
    assemble::update_fixed_features(model, workspace, position, |j| !status[j].is_closed());
    report.substeps += 1;
    report.stabilized_steps += u64::from(workspace.trial.stabilized);
    let deepest = assemble::deepest_overlap(model, workspace, &state.position);
    report.worst_penetration = report.worst_penetration.at_least(deepest);
    report.worst_joint_drift = report.worst_joint_drift.at_least(drift);
}

/// Makes the current orientations the reference of the rotational coordinates.
pub(in crate::integrate) fn rebase(model: &Model, state: &mut State, poses: &mut Poses) {
    if model.is_spatial() {
        let State {
            position,
            orientation,
            joint_angle,
            ..
        } = state;
        model.rebase(position, orientation, joint_angle, poses);
    }
}

/// Contact and joint forces of a [`System`].
#[derive(Clone, Copy)]
struct ForcesRef<'a> {
    contacts: &'a [usize],
    impulse: &'a [f64],
    tangents: &'a [[Vec3; N_TANGENTS]],
    axes: &'a [[Vec3; N_ROTATION_AXES]],
}

impl<'a> ForcesRef<'a> {
    fn of(system: &'a System) -> Self {
        Self {
            contacts: &system.contacts,
            impulse: &system.impulse,
            tangents: &system.tangents,
            axes: &system.axes,
        }
    }
}

/// The same, owned.
#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Forces {
    contacts: Vec<usize>,
    impulse: Vec<f64>,
    tangents: Vec<[Vec3; N_TANGENTS]>,
    axes: Vec<[Vec3; N_ROTATION_AXES]>,
}

impl Forces {
    /// Storage for all joints and contacts of a model.
    pub fn new(model: &Model) -> Self {
        let n_contacts = model.expected_contacts();
        let n_rows = model.n_joint_rows + (1 + model.n_friction_rows) * n_contacts;
        Self {
            contacts: Vec::with_capacity(n_contacts),
            impulse: Vec::with_capacity(n_rows),
            tangents: Vec::new(),
            axes: Vec::new(),
        }
    }

    /// Copies `other` without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.impulse.clone_from(&other.impulse);
        self.tangents.clone_from(&other.tangents);
        self.axes.clone_from(&other.axes);
    }

    fn as_ref(&self) -> ForcesRef<'_> {
        ForcesRef {
            contacts: &self.contacts,
            impulse: &self.impulse,
            tangents: &self.tangents,
            axes: &self.axes,
        }
    }

    /// Copies those of a solved system.
    pub fn read(&mut self, system: &System) {
        self.contacts.clone_from(&system.contacts);
        self.impulse.clone_from(&system.impulse);
        self.tangents.clone_from(&system.tangents);
        self.axes.clone_from(&system.axes);
    }
}

/// Contact and joint forces at the end of an extrapolated step.
pub(super) fn forces_of_trial(state: &mut State, workspace: &Workspace) {
    let Trial {
        end_forces,
        end_acceleration,
        ..
    } = &workspace.trial;
    write_forces(state, end_forces.as_ref(), 1.0);
    state.acceleration.clone_from(end_acceleration);
}

/// Contact and joint forces of the acceleration level in `workspace.level`.
pub(super) fn forces_from_accelerations(state: &mut State, workspace: &Workspace) {
    write_forces(state, ForcesRef::of(&workspace.level), 1.0);
    state.acceleration.clone_from(&workspace.acceleration);
}

/// Updates the directions of sliding and rolling contacts in space from `workspace.level`.
#[inline]
pub(super) fn keep_sliding(state: &mut State, workspace: &mut Workspace) {
    if !state.sliding.is_empty() {
        keep_sliding_in_space(state, workspace);
    }
}

#[inline(never)]
fn keep_sliding_in_space(state: &mut State, workspace: &mut Workspace) {
    let Workspace {
        level,
        sliding,
        resistance,
        ..
    } = workspace;
    let slow = rest_speed(&state.velocity);
    for (i, &contact) in level.contacts.iter().enumerate() {
        if state.status[contact] == Status::Slip {
            sliding[contact] = level.sliding_vector(i, &state.velocity, slow);
            state.sliding[contact] = sliding[contact];
        }
        if level.resistance_of(i).roll == Status::Slip {
            resistance[contact].rolling = level.rolling_rate(i, &state.velocity, slow);
            state.resistance[contact].rolling = resistance[contact].rolling;
        }
    }
}

/// Mean contact and joint forces over the step, from the impulses in `workspace.system`.
pub(super) fn forces_from_impulses(state: &mut State, workspace: &Workspace, h: f64) {
    write_forces(state, ForcesRef::of(&workspace.system), 1.0 / h);
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

fn write_forces(state: &mut State, forces: ForcesRef, factor: f64) {
    let n_joint = state.joint_force.len();
    let ForcesRef {
        contacts,
        impulse,
        tangents,
        axes,
    } = forces;
    state.contact_force.fill([0.0; 2]);
    state.friction_force.fill(Vec3::zeros());
    state.friction_moment.fill(Vec3::zeros());
    let stride = if axes.is_empty() {
        1 + N_TANGENTS
    } else {
        1 + MAX_FRICTION_ROWS
    };
    for (i, &contact) in contacts.iter().enumerate() {
        state.contact_force[contact] = match tangents.get(i) {
            None => {
                let normal = n_joint + 2 * i;
                [factor * impulse[normal], factor * impulse[normal + 1]]
            }
            Some([t, s]) => {
                let normal = n_joint + stride * i;
                let friction = (t * impulse[normal + 1] + s * impulse[normal + 2]) * factor;
                state.friction_force[contact] = friction;
                for (k, axis) in axes.get(i).into_iter().flatten().enumerate() {
                    let moment = factor * impulse[normal + 1 + N_TANGENTS + k];
                    state.friction_moment[contact] += axis * moment;
                }
                [factor * impulse[normal], norm(friction.as_slice())]
            }
        };
    }
    for (force, impulse) in state.joint_force.iter_mut().zip(impulse) {
        *force = factor * impulse;
    }
}
