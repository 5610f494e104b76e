//! Revision of the statuses of friction elements, see (1) and (2) of the module.

use super::{ACCEPTABLE_CHANGE, Friction, ROUNDING, Span, hold, with_friction};
use crate::integrate::event_driven::system::{ElementForce, MAX_LOADING, System};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Side;
use crate::math::{Limit, norm};
use crate::model::{Load, Model};
use crate::state::Status;

/// Relative motion of a row that is held, at most: more than rounding.
const HELD: f64 = 1e-6;

/// After this many solutions with the same statuses a change up to that will do: a solution of a contact problem has its own error.
const SHARP_UPDATES: usize = 8;

/// Where reactions are not unique, each solution may have another direction: after this many a larger error will do, and at an instant, where
/// only the statuses matter, any.
const BLUNT_UPDATES: usize = 32;
const BLUNT_CHANGE: f64 = 1e-5;

/// Maximum number of solutions for the statuses.
pub(in crate::integrate::event_driven) const MAX_REVISIONS: usize = 200;

/// After this many revisions of statuses loads are those of the last solution: the problem is then monotone, so that the revisions end.
const MAX_REVISIONS_WITH_LOADS: usize = 40;

/// Progress of friction and statuses towards a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::integrate::event_driven) struct Revision {
    /// Solutions with the same statuses.
    updates: usize,
    /// Changes of statuses.
    statuses: usize,
    /// Are loads by reactions kept?
    keeps_loads: bool,
    /// .. from the next solution on, and zero in that?
    starts_loads: bool,
    /// An element that cannot be held, and whether its direction was changed since.
    released: Option<(usize, bool)>,
}

fn opposite(slides: Status) -> Status {
    match slides {
        Status::SlipForward => Status::SlipBackward,
        _ => Status::SlipForward,
    }
}

fn normalize(reaction: &mut [f64; MAX_LOADING]) {
    let size = norm(reaction);
    if size > 0.0 {
        reaction.iter_mut().for_each(|x| *x /= size);
    }
}

impl Friction<'_> {
    /// Updates friction, or if it has converged the statuses, from a solution; false if neither changes.
    pub fn settle(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        revision: &mut Revision,
    ) -> bool {
        revision.updates += 1;
        self.keeps_loads = revision.keeps_loads;
        let n = revision.updates;
        let accepts = |friction: &Self, system: &System, e: usize, change: f64| {
            let short = friction.shortfall(system, e, change);
            let at_instant = matches!(friction.span, Span::Instant(..));
            let rests = || !friction.known[e] && friction.rests(system, e);
            (n > SHARP_UPDATES && (short <= ACCEPTABLE_CHANGE || rests()))
                || (n > BLUNT_UPDATES && (short <= BLUNT_CHANGE || at_instant))
        };
        if std::mem::take(&mut revision.starts_loads) {
            self.keep_loads(system, free);
            return true;
        }
        if self.update(system, free, accepts) > 0.0 {
            return true;
        }
        if self.release(system, free, revision) || self.revise(system, free, revision) {
            revision.updates = 0;
            revision.statuses += 1;
            if revision.statuses > MAX_REVISIONS_WITH_LOADS && !revision.keeps_loads {
                revision.keeps_loads = true;
                self.keep_loads(system, free);
            }
            return true;
        }
        if self.keeps_loads {
            self.reaction.iter_mut().for_each(normalize);
        }
        false
    }

    // loads by reactions become those of the solution
    fn keep_loads(&mut self, system: &mut System, free: &mut [f64]) {
        self.keeps_loads = true;
        for e in 0..self.statuses.len() {
            if let Load::Reaction { first, count } = self.model.elements[e].load {
                self.reaction[e] = [0.0; MAX_LOADING];
                self.reaction[e][..count].copy_from_slice(&system.impulse[first..first + count]);
                self.change_status(system, free, e, self.statuses[e]);
            }
        }
    }

    // relative error of the friction in a solution whose last update was this change: of second order in the direction of a reaction
    fn shortfall(&self, system: &System, e: usize, change: f64) -> f64 {
        let ElementForce::Loaded { weights, .. } = system.elements[e] else {
            return change;
        };
        let bound = norm(&weights) * self.load(system, e);
        let p = system.element_impulse(e).abs();
        (bound - p).abs() / bound.at_least(f64::MIN_POSITIVE)
    }

    // an element that stuck slides, with those along the same coordinate
    fn slide(&mut self, system: &mut System, free: &mut [f64], e: usize, new: Status) {
        for other in (0..self.statuses.len()).rev() {
            let sense = self.sense(system, e, other);
            if sense != 0.0 {
                let status = if sense > 0.0 { new } else { opposite(new) };
                self.change_status(system, free, other, status);
            }
        }
    }

    // an element comes to rest, with those along the same coordinate
    fn stick(&mut self, system: &mut System, free: &mut [f64], e: usize) {
        for other in (0..self.statuses.len()).filter(|other| !self.known[*other]) {
            let slides = self.statuses[other].slides();
            if other == e || (slides && self.sense_of_coordinate(system, e, other) != 0.0) {
                self.change_status(system, free, other, Status::Stick);
            }
        }
    }

    fn change_status(&mut self, system: &mut System, free: &mut [f64], e: usize, new: Status) {
        self.statuses[e] = new;
        self.rows[system.first_element() + e] = new == Status::Stick;
        let speed = self.start_speed(system, e);
        system.set_element(e, self.force(e, speed), free);
    }

    // An element that sticks may depend on the joints, as that of a piston in its dead centre: no force on it stops the piston, and joint
    // equations are violated in its place. It slides then, whatever its friction; true if there is one.
    fn release(&mut self, system: &mut System, free: &mut [f64], revision: &mut Revision) -> bool {
        let sticks = |e: &usize| self.statuses[*e] == Status::Stick && !self.known[*e];
        if revision.released.is_some() || !(0..self.statuses.len()).any(|e| sticks(&e)) {
            return false;
        }
        let held = (0..system.n_joint).filter(|row| self.rows[*row]);
        let motion = |row: usize| system.motion(row).abs();
        let Some(row) = held.reduce(|a, b| if motion(b) > motion(a) { b } else { a }) else {
            return false;
        };
        if motion(row) <= HELD * system.size_of_motions() {
            return false;
        }
        system.form_delassus();
        let coupling = |e: usize| system.coupling(system.first_element() + e, row).abs();
        let candidates = (0..self.statuses.len()).filter(sticks);
        let Some(e) = candidates.reduce(|a, b| if coupling(b) > coupling(a) { b } else { a })
        else {
            return false;
        };
        revision.released = Some((e, false));
        self.slide(system, free, e, Status::SlipForward);
        true
    }

    /// Revises the first status that the solution contradicts, (1) and (2), apart from those that are known; true if there is one.
    fn revise(&mut self, system: &mut System, free: &mut [f64], revision: &mut Revision) -> bool {
        for e in (0..self.statuses.len()).filter(|e| !self.known[*e]) {
            match self.statuses[e] {
                Status::Stick => {
                    let [backward, forward] = self.slacks(system, e);
                    let rounding =
                        ROUNDING * (system.element_impulse(e).abs() + self.load(system, e));
                    let new = if backward < -rounding {
                        Status::SlipBackward
                    } else if forward < -rounding {
                        Status::SlipForward
                    } else {
                        continue;
                    };
                    self.slide(system, free, e, new);
                    return true;
                }
                slides => {
                    let moved = system.element_motion(e) * slides.slip_sign();
                    if moved >= -self.rounding_of_motion(system, e)
                        || revision.released == Some((e, true))
                    {
                        continue;
                    }
                    if revision.released == Some((e, false)) {
                        revision.released = Some((e, true));
                        self.change_status(system, free, e, opposite(slides));
                    } else {
                        self.stick(system, free, e);
                    }
                    return true;
                }
            }
        }
        false
    }
}

/// The elements in a phase of an impact: bounded forces have no impulse; friction in proportion to a reaction has one, which starts as if
/// it stuck. `workspace.level` is as it was condensed.
pub(in crate::integrate::event_driven) fn begin_phase(model: &Model, workspace: &mut Workspace) {
    let Workspace {
        level,
        element_status,
        element_known,
        scratch_position,
        ..
    } = &mut *workspace;
    for (e, element) in model.elements.iter().enumerate() {
        let is_loaded = matches!(element.load, Load::Reaction { .. });
        element_known[e] = !is_loaded;
        element_status[e] = if is_loaded {
            Status::Stick
        } else {
            Status::Open
        };
        level.set_element(e, ElementForce::Solved, scratch_position);
    }
    hold(model, workspace);
}

/// Updates friction and statuses from the solution of a phase of an impact; false if neither changes.
pub(in crate::integrate::event_driven) fn revise_in_phase(
    model: &Model,
    (time, v): (f64, &[f64]),
    workspace: &mut Workspace,
    revision: &mut Revision,
) -> bool {
    revise(model, workspace, (Span::Phase(time), v), revision)
}

/// The same at an instant.
pub(in crate::integrate::event_driven) fn revise_at_instant(
    model: &Model,
    workspace: &mut Workspace,
    (time, side): (f64, Side),
    v: &[f64],
    revision: &mut Revision,
) -> bool {
    revise(model, workspace, (Span::Instant(time, side), v), revision)
}

/// The same in a step that determines them.
pub(in crate::integrate::event_driven) fn revise_in_step(
    model: &Model,
    workspace: &mut Workspace,
    span: Span,
    v: &[f64],
    revision: &mut Revision,
) -> bool {
    revise(model, workspace, (span, v), revision)
}

fn revise(
    model: &Model,
    workspace: &mut Workspace,
    motion: (Span, &[f64]),
    revision: &mut Revision,
) -> bool {
    if model.elements.is_empty() {
        return false;
    }
    with_friction(model, workspace, motion, |friction, system, free| {
        friction.settle(system, free, revision)
    })
}

/// Holds or releases the first one-way clutch that contradicts the impulses of an impact, 0 <= p | u >= 0; true if there is one.
pub(in crate::integrate::event_driven) fn revise_one_ways(
    system: &System,
    (one_ways, slow): (&[usize], f64),
    held: &mut [bool],
) -> bool {
    for &row in one_ways {
        let contradicts = if held[row] {
            system.impulse[row] < 0.0
        } else {
            system.bias[row] + system.gained(row) < -slow
        };
        if contradicts {
            held[row] = !held[row];
            return true;
        }
    }
    false
}

/// Lets the elements that stick slide along their free motion, without friction in proportion to reactions, where a problem has no solution
/// with them.
pub(in crate::integrate::event_driven) fn release_in_step(
    model: &Model,
    workspace: &mut Workspace,
    span: Span,
    v: &[f64],
    revision: &mut Revision,
) {
    (revision.keeps_loads, revision.starts_loads) = (true, true);
    with_friction(model, workspace, (span, v), |friction, system, free| {
        friction.keeps_loads = true;
        friction.reaction.fill([0.0; MAX_LOADING]);
        for e in 0..friction.statuses.len() {
            let forward = system.bias[system.first_element() + e] >= 0.0;
            let new = match friction.statuses[e] {
                Status::Stick if forward => Status::SlipForward,
                Status::Stick => Status::SlipBackward,
                kept => kept,
            };
            friction.change_status(system, free, e, new);
        }
    });
}
