//! Stops of joints, and of couplings with backlash: frictionless contacts on a coordinate, m or rad.

use super::assemble::{along, index, row};
use super::impact::SLOW;
use super::locate::span_of;
use super::{BAND, Step, Work};
use crate::integrate::Workspace;
use crate::kinds::space::Row;
use crate::math::Limit;
use crate::model::{BodyRef, Contact, ContactKind, Limited, Model, Poses, space_pose_of};
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

/// Gap of a stop, m or rad, and its gradient with respect to the motions of its bodies; `of_joint` gives value and gradient of a joint
/// coordinate. None for other contacts.
pub(super) fn gap_of(
    model: &Model,
    stop: &Contact,
    of_joint: impl Fn(usize, usize) -> (f64, Row),
) -> Option<(f64, Row)> {
    let ContactKind::Limit(limit) = &stop.kind else {
        return None;
    };
    let (value, gradient) = match limit.of {
        Limited::Joint { joint, coordinate } => of_joint(joint, coordinate),
        Limited::Coupling(i) => {
            let coupling = &model.loose_couplings[i];
            let (mut sum, mut gradient) = (-coupling.start, Row::zero());
            for term in &coupling.terms {
                let (value, row) = of_joint(term.joint, term.coordinate);
                sum += term.factor * value;
                let bodies = model.joints[term.joint].bodies;
                coupling.add_term(&mut gradient, term.factor, bodies, &row);
            }
            (sum, gradient)
        }
        Limited::Rope(_) => return None,
    };
    Some(if limit.above {
        (value - limit.bound, gradient)
    } else {
        (limit.bound - value, gradient.scaled(-1.0))
    })
}

/// Value and gradient of a joint coordinate.
pub(super) fn coordinate_of(
    model: &Model,
    (joint, coordinate): (usize, usize),
    poses: &Poses,
) -> (f64, Row) {
    let link = &model.joints[joint];
    let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
    let found = link.joint.space();
    found.map_or((0.0, Row::zero()), |joint| {
        joint.counted(coordinate, &poses.count(link), a, b)
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
            let of_joint = |joint, k| coordinate_of(self.model, (joint, k), poses);
            if let Some((gap, gradient)) = gap_of(self.model, stop, of_joint)
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
            let bodies = contact.bodies.map(index);
            let of_joint = |joint, k| coordinate_of(self.model, (joint, k), poses);
            let Some((_, gradient)) = gap_of(self.model, contact, of_joint) else {
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
