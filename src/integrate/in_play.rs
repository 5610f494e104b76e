//! Energy at the end of a step, and the energy in play: the part of it that took part in the motion so far.
//!
//! (1)  kinetic swing:  max of 1/2 (v - v0)^T M (v - v0), v0 the initial velocities: constant velocities
//!      do not count, so it does not depend on the frame of reference
//! (2)  rise and fall of the potential energy:  max of P - P0 and of P0 - P
//! (3)  energy rise:  max of (E - W) - min of (E - W) before,  W the applied work: without errors E - W never increases
//! (4)  what the drive of a reel gives to the mass that it has in the equations is not applied work

use super::report::Report;
use super::workspace::Workspace;
use crate::dynamics;
use crate::math::Limit;
use crate::model::Model;
use crate::state::State;

/// Initializes the balance at the state.
pub(super) fn start(model: &Model, state: &State, workspace: &mut Workspace, report: &mut Report) {
    let potential = potential(model, state, workspace);
    let reels = dynamics::reel_energy(model, &state.velocity);
    let kinetic = dynamics::kinetic_energy(model, &state.velocity) - reels;
    let play = &mut report.play;
    play.reels = reels;
    play.start_energy = kinetic + potential;
    play.start_potential = potential;
    play.largest_kinetic = kinetic;
    play.energy = play.start_energy;
    play.lowest = play.start_energy - report.applied_work;
}

/// Records the energy at the end of a step.
pub(super) fn record(model: &Model, state: &State, workspace: &mut Workspace, report: &mut Report) {
    let potential = potential(model, state, workspace);
    let (mut kinetic, mut swing) = (0.0, 0.0);
    let start = &model.initial_velocity;
    for ((m, v), v0) in model.mass.iter().zip(&state.velocity).zip(start) {
        kinetic += m * v * v;
        swing += m * (v - v0) * (v - v0); // (1)
    }
    let reels = dynamics::reel_energy(model, &state.velocity);
    kinetic -= 2.0 * reels;
    let play = &mut report.play;
    report.applied_work -= reels - play.reels; // (4)
    play.reels = reels;
    play.energy = 0.5 * kinetic + potential;
    play.largest_kinetic = play.largest_kinetic.at_least(0.5 * kinetic);
    play.kinetic_swing = play.kinetic_swing.at_least(0.5 * swing);
    let risen = potential - play.start_potential;
    play.potential_rise = play.potential_rise.at_least(risen); // (2)
    play.potential_fall = play.potential_fall.at_least(-risen);
    let passive = play.energy - report.applied_work;
    play.lowest = play.lowest.at_most(passive); // (3)
    play.rise = play.rise.at_least(passive - play.lowest);
}

fn potential(model: &Model, state: &State, workspace: &mut Workspace) -> f64 {
    if model.forces.is_empty() && !model.has_compliant_contacts {
        return weight_energy(model, &state.position);
    }
    let (poses, twists) = &mut workspace.check_poses[0];
    poses.refer_to(&state.orientation, &state.joint_angle);
    model.poses(&state.position, poses);
    model.twists(&state.velocity, twists);
    dynamics::potential_energy(model, state.time, &state.inputs, poses, twists)
        + dynamics::elastic_energy(model, poses)
}

fn weight_energy(model: &Model, position: &[f64]) -> f64 {
    let mut total = 0.0;
    for body in &model.bodies {
        let scratch_position = &position[body.first..body.first + body.n_dof.min(3)];
        let along: f64 = scratch_position
            .iter()
            .zip(&model.gravity_of(body))
            .map(|(x, g)| g * x)
            .sum();
        total -= model.mass[body.first] * along;
    }
    total
}
