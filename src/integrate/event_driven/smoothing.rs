//! Checks that steps are short enough for smoothed joint friction.
//!
//! A step linearizes the friction f(u) at its start. That is accurate while the slope is constant, as for a creeping joint, however steep
//! it is. When the rate enters or leaves |u| < ut, the step must be shorter than the time in which friction stops the joint:
//!
//! (1)  h (steepest - flattest slope between the rates at the start and the end) / m < 1,   1/m = g M^-1 g^T
//!
//! g is the gradient of the joint coordinate. Other joints can only increase m.

use crate::dynamics;
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::math::Limit;
use crate::model::{Model, Poses, Twists};
use crate::state::State;

/// A slope that changes by less than this factor in a step counts as constant.
const SAME_SLOPE: f64 = 2.0;

/// Checks the trial step from the state, which is about to be accepted.
pub(super) fn check_step(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    report: &mut Report,
) {
    if !model.has_smoothed_friction() {
        return;
    }
    let Workspace {
        check_poses, trial, ..
    } = workspace;
    let start = At::of(state);
    let end = At {
        position: &trial.position,
        velocity: &trial.velocity,
        ..start
    };
    check(model, [start, end], trial.h, check_poses, report);
}

/// Checks a step of this length from one state to another.
pub(in crate::integrate) fn check_between(
    model: &Model,
    states: [&State; 2],
    h: f64,
    workspace: &mut Workspace,
    report: &mut Report,
) {
    if model.has_smoothed_friction() {
        check(
            model,
            states.map(At::of),
            h,
            &mut workspace.check_poses,
            report,
        );
    }
}

/// Positions and velocities.
#[derive(Clone, Copy)]
struct At<'a> {
    state: &'a State,
    position: &'a [f64],
    velocity: &'a [f64],
}

impl<'a> At<'a> {
    fn of(state: &'a State) -> Self {
        Self {
            state,
            position: &state.position,
            velocity: &state.velocity,
        }
    }
}

fn check(
    model: &Model,
    ends: [At; 2],
    h: f64,
    check_poses: &mut [(Poses, Twists); 2],
    report: &mut Report,
) {
    for ((poses, twists), at) in check_poses.iter_mut().zip(ends) {
        poses.refer_to(&at.state.orientation, &at.state.joint_angle);
        model.poses(at.position, poses);
        model.twists(at.velocity, twists);
    }
    let [start, end] = &*check_poses;
    dynamics::smoothed_friction(
        model,
        [(&start.0, &start.1), (&end.0, &end.1)],
        |stribeck, [before, after], inverse_mass| {
            let slopes = [before, after].map(|rate| stribeck.friction(rate).1.abs());
            let flattest = slopes[0].at_most(slopes[1]);
            let steepest = if before * after < 0.0 {
                stribeck.friction(0.0).1.abs()
            } else {
                slopes[0].at_least(slopes[1])
            };
            let rate = (steepest - flattest) * inverse_mass;
            if steepest > SAME_SLOPE * flattest && h * rate > 1.0 {
                report.friction_rate = report.friction_rate.at_least(rate); // (1)
            }
        },
    );
}
