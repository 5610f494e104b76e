//! Joint stops: frictionless contacts on a coordinate, m or rad.

use super::assemble::{along, index, row};
use super::impact::SLOW;
use super::locate::span_of;
use super::{BAND, Step, Work};
use crate::integrate::Workspace;
use crate::kinds::space::joint::Count;
use crate::kinds::space::{Pose, Row};
use crate::math::{Limit, Vec3};
use crate::model::{BodyRef, Contact, ContactKind, Limited, Model, space_pose_of};
use crate::state::State;

/// Largest part of the row rotation within half a substep that remains in the velocity along it: of third order in the step.
const TURNS: f64 = 0.01;

/// Loaded stops are at rest below this speed, m/s or rad/s: the effect of an impact elsewhere, of second order in the step.
const RESTING: f64 = 1e-3;

/// A closed rotating stop opens by less than this, m or rad: of third order in the step.
const LOOSE: f64 = 1e-5;

/// A stop that is active in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearStop {
    /// Index among the contacts of the model.
    pub contact: usize,
    /// m or rad.
    pub gap: f64,
    /// Gradient of the gap.
    pub gradient: Row,
    /// Was it closed before? Then it is imposed like a joint, on the mean velocity with the row in the middle of the substep.
    pub rests: bool,
}

/// Gap of a joint stop, m or rad, and its gradient; none for other contacts.
pub(super) fn gap_of(
    model: &Model,
    stop: &Contact,
    count: &Count,
    [a, b]: [&Pose; 2],
) -> Option<(f64, Row)> {
    let ContactKind::Limit(limit) = &stop.kind else {
        return None;
    };
    // couplings with backlash need the event-driven integrator
    let Limited::Joint { joint, coordinate } = limit.of else {
        return None;
    };
    let joint = model.joints[joint].joint.space()?;
    let (value, gradient) = joint.counted(coordinate, count, a, b);
    Some(if limit.above {
        (value - limit.bound, gradient)
    } else {
        (limit.bound - value, gradient.scaled(-1.0))
    })
}

/// Is a stop closed, or has it opened by no more than the rotation within a step allows?
pub(super) fn is_closed(state: &State, contact: usize, gap: f64) -> bool {
    gap <= if is_loaded(state, contact) {
        LOOSE
    } else {
        BAND
    }
}

fn is_loaded(state: &State, contact: usize) -> bool {
    state.contact_force[contact][0] > 0.0
}

/// First coordinate of the joint of a stop.
pub(super) fn first_coordinate(model: &Model, stop: &Contact) -> usize {
    match &stop.kind {
        ContactKind::Limit(limit) => match limit.of {
            Limited::Joint { joint, .. } => model.joints[joint].first_coordinate,
            Limited::Coupling(_) => 0,
        },
        ContactKind::Feature(_) | ContactKind::Space(_) => 0,
    }
}

impl Step<'_> {
    /// The stops at the current poses for which `counts` is true, by bodies, closed state and gap.
    pub(super) fn find_stops(&mut self, counts: impl Fn([BodyRef; 2], bool, f64) -> bool) {
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        work.stops.clear();
        for (contact, stop) in self.model.contacts.iter().enumerate() {
            let ContactKind::Limit(limit) = &stop.kind else {
                continue;
            };
            let Limited::Joint { joint, .. } = limit.of else {
                continue;
            };
            let count = poses.count(&self.model.joints[joint]);
            let at = stop.bodies.map(|body| space_pose_of(poses.space(), body));
            if let Some((gap, gradient)) = gap_of(self.model, stop, &count, at)
                && counts(stop.bodies, is_closed(self.state, contact, gap), gap)
            {
                work.stops.push(NearStop {
                    contact,
                    gap,
                    gradient,
                    rests: false,
                });
            }
        }
    }

    /// Those of a substep: up to its impact a located group has only the closed ones.
    pub(super) fn find_substep_stops(&mut self) {
        let work = &mut self.workspace.time_stepping;
        let span = std::mem::take(&mut work.span);
        let is_located = std::mem::take(&mut work.is_located);
        self.find_stops(|bodies, is_closed, _| {
            let mut moving = bodies.into_iter().flatten().filter(|i| span[*i] > 0.0);
            moving.any(|i| is_closed || !is_located[i])
        });
        let work = &mut self.workspace.time_stepping;
        (work.span, work.is_located) = (span, is_located);
    }

    /// Closed stops that stay closed rotate with their joints: updates their rows to the current poses, those in the middle of the substep.
    pub(super) fn turn_stops(&mut self) {
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let Work {
            stops,
            start,
            rows,
            constraints,
            span,
            ..
        } = work;
        let first = constraints.len() - stops.len();
        let at: usize = constraints[..first].iter().map(|t| t.contact.rows()).sum();
        for (own, stop) in rows[at..].iter_mut().zip(stops) {
            let contact = &self.model.contacts[stop.contact];
            let count = Count {
                from: &self.state.joint_angle[first_coordinate(self.model, contact)..],
                turned: [Vec3::zeros(); 2],
            };
            let bodies = contact.bodies.map(index);
            let pose = contact
                .bodies
                .map(|body| space_pose_of(poses.space(), body));
            let Some((_, gradient)) = gap_of(self.model, contact, &count, pose) else {
                continue;
            };
            let turned = row(&gradient, 0.0);
            let [now, ahead] = [along(own, bodies, start), along(&turned, bodies, start)];
            let slow = if is_loaded(self.state, stop.contact) {
                RESTING
            } else {
                SLOW
            };
            stop.rests = is_closed(self.state, stop.contact, stop.gap)
                && now.abs() <= slow + TURNS * (ahead - now).abs();
            if stop.rests {
                let open = if stop.gap > BAND { stop.gap } else { 0.0 };
                *own = turned;
                // approaching stops are halted, opening ones may come back
                own.bias = ahead - now.at_most(0.0) + 2.0 * open / span_of(contact.bodies, span);
            }
        }
    }
}
