//! Friction elements in steps, at an instant and in complementarity problems.
//!
//! The status of an element is fixed between events, like that of a contact. Where statuses are to be determined, those of elements at rest
//! are revised one by one until none is contradicted:
//!
//! (1)  sticks:  -at_rest[0] P <= p <= at_rest[1] P,   else it slides against p
//! (2)  slides:  its row moves in that direction,      else it sticks
//!
//! P is the load N at an instant, or its integral over a step. The problem is monotone and the first contradicted element is revised
//! (Murty's rule), so the sequence ends.

mod events;
mod revision;
mod substep;

pub(super) use events::{accept_statuses, add_event_functions, guess_statuses, load_came_or_went};
pub(super) use revision::{
    MAX_REVISIONS, Revision, begin_phase, release_in_step, revise_at_instant, revise_in_phase,
    revise_in_step, revise_one_ways,
};
pub(super) use substep::{
    any_loaded, load_level, load_substep, must_iterate, push_in_substep, reload_substep,
};

use super::system::{ElementForce, MAX_LOADING, System};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::{Input, Side};
use crate::math::{Limit, norm, positive};
use crate::model::{BACKWARD, FORWARD, FrictionElement, Load, Model};
use crate::state::{State, Status};

/// Directions of reactions and friction coefficients that change by less than this have converged.
const CONVERGED: f64 = 1e-14;

/// Maximum number of solutions for them; Newton's method needs four.
pub(super) const MAX_UPDATES: usize = 30;

/// A larger relative change of friction in the last of them is a failure.
pub(super) const ACCEPTABLE_CHANGE: f64 = 1e-9;

/// Rounding of forces and motions, relative to the terms that they are the sum of.
const ROUNDING: f64 = 1e-12;

/// What the impulses of a system are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Span {
    /// Forces at a time.
    Instant(f64, Side),
    /// Impulses of a step of this length from this time, whose rows act on `sigma v + dv`.
    Step { t: f64, h: f64, sigma: f64 },
    /// Impulses of a phase of an impact at this time.
    Phase(f64),
}

impl Span {
    /// The given load at this time, or its integral over the step; none if it is a reaction.
    fn load(self, element: &FrictionElement, inputs: &[Input]) -> Option<f64> {
        match self {
            Self::Instant(time, side) => element.given_load(time, side, inputs).map(positive),
            Self::Phase(time) => element.given_load(time, Side::After, inputs).map(|_| 0.0),
            Self::Step { t, h, .. } => load_between(element, [t, t + h], inputs),
        }
    }

    // the prescribed speed at the start
    fn speed(self, element: &FrictionElement, inputs: &[Input]) -> f64 {
        match self {
            Self::Instant(time, side) => element.given_speed(time, side, inputs),
            Self::Step { t, .. } | Self::Phase(t) => element.given_speed(t, Side::After, inputs),
        }
    }
}

/// The given load of an element between two times, integrated, N s; none if it is a reaction.
pub(in crate::integrate) fn load_between(
    element: &FrictionElement,
    [start, end]: [f64; 2],
    inputs: &[Input],
) -> Option<f64> {
    let at_start = element.given_load(start, Side::After, inputs)?;
    let at_end = element.given_load(end, Side::Before, inputs)?;
    Some((end - start) * mean_of_positive_part(at_start, at_end))
}

// of a load that changes linearly
fn mean_of_positive_part(start: f64, end: f64) -> f64 {
    let loaded = if start < 0.0 && end > 0.0 {
        end / (end - start)
    } else if start > 0.0 && end < 0.0 {
        start / (start - end)
    } else {
        1.0
    };
    0.5 * loaded * (positive(start) + positive(end))
}

/// The elements of a model with what their friction depends on.
pub(super) struct Friction<'a> {
    pub model: &'a Model,
    pub statuses: &'a mut [Status],
    pub reaction: &'a mut [[f64; MAX_LOADING]],
    pub inputs: &'a [Input],
    pub span: Span,
    /// Velocities at that time, or at the start of the step.
    pub v: &'a [f64],
    /// Loads by reactions are the norms of `reaction`.
    pub keeps_loads: bool,
    /// Elements whose statuses are not to be revised.
    pub known: &'a [bool],
    /// Which rows of joint equations are held, by sticking elements too.
    pub rows: &'a mut [bool],
}

fn direction(status: Status) -> Option<usize> {
    match status {
        Status::SlipForward => Some(FORWARD),
        Status::SlipBackward => Some(BACKWARD),
        Status::Open | Status::Frictionless | Status::Stick | Status::Slip => None,
    }
}

impl Friction<'_> {
    // relative speed at the start
    fn start_speed(&self, system: &System, e: usize) -> f64 {
        let row = &system.rows[system.first_element() + e];
        row.dot(self.v) - self.span.speed(&self.model.elements[e], self.inputs)
    }

    // the speed that friction depends on: in the middle of a step
    fn mean_speed(&self, system: &System, e: usize) -> f64 {
        let start = self.start_speed(system, e);
        match self.span {
            Span::Instant(..) | Span::Phase(_) => start,
            Span::Step { sigma, .. } => 0.5 * ((2.0 - sigma) * start + system.element_motion(e)),
        }
    }

    fn force(&self, e: usize, speed: f64) -> ElementForce {
        let element = &self.model.elements[e];
        let (status, Some(along)) = (self.statuses[e], direction(self.statuses[e])) else {
            return ElementForce::Solved;
        };
        let factor = -status.slip_sign() * element.coefficient(along, speed);
        match element.load {
            Load::Given(_) => {
                let load = self.span.load(element, self.inputs).unwrap_or(0.0);
                ElementForce::Given(factor * load)
            }
            Load::Reaction { .. } if self.keeps_loads => {
                ElementForce::Given(factor * norm(&self.reaction[e]))
            }
            Load::Reaction { first, .. } => ElementForce::Loaded {
                first,
                weights: self.reaction[e].map(|rho| factor * rho),
            },
        }
    }

    /// Sets what all elements exert, in a system that has just been condensed.
    pub fn set(&self, system: &mut System, free: &mut [f64]) {
        for e in 0..self.statuses.len() {
            let speed = self.start_speed(system, e);
            system.set_element(e, self.force(e, speed), free);
        }
    }

    // a sliding element that does not move may exert any friction within its bounds
    fn rests(&self, system: &System, e: usize) -> bool {
        system.element_motion(e).abs() <= self.rounding_of_motion(system, e)
    }

    fn rounding_of_motion(&self, system: &System, e: usize) -> f64 {
        let row = system.first_element() + e;
        let by_own = system.element_mobility(e) * self.load(system, e);
        ROUNDING * (system.bias[row].abs() + by_own.abs())
    }

    /// Updates directions of reactions and speeds from the solution, and returns the largest relative change of friction; zero if it has
    /// converged, or a smaller change is accepted.
    pub fn update(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        accepts: impl Fn(&Self, &System, usize, f64) -> bool,
    ) -> f64 {
        let mut largest: f64 = 0.0;
        for e in 0..self.statuses.len() {
            let element = &self.model.elements[e];
            if direction(self.statuses[e]).is_none() {
                continue;
            }
            let speed = if element.falls() {
                self.mean_speed(system, e)
            } else {
                0.0
            };
            if !self.keeps_loads {
                self.update_reaction(system, e, 1.0);
            }
            let new = self.force(e, speed);
            let change = change(system.elements[e], new);
            if change > CONVERGED && !accepts(self, system, e, change) {
                system.set_element(e, new, free);
                largest = largest.at_least(change);
            }
        }
        largest
    }

    // the direction of the reaction in the solution, of a step in this sense of time; the last one if that is zero
    fn update_reaction(&mut self, system: &System, e: usize, sense: f64) {
        if let Load::Reaction { first, count } = self.model.elements[e].load {
            let reaction = &system.impulse[first..first + count];
            let size = norm(reaction);
            if size > 0.0 {
                self.reaction[e] = [0.0; MAX_LOADING];
                for (rho, c) in self.reaction[e].iter_mut().zip(reaction) {
                    *rho = c / (sense * size);
                }
            }
        }
    }

    /// The load in the solution.
    fn load(&self, system: &System, e: usize) -> f64 {
        let element = &self.model.elements[e];
        match element.load {
            Load::Given(_) => self.span.load(element, self.inputs).unwrap_or(0.0),
            Load::Reaction { .. } if self.keeps_loads => norm(&self.reaction[e]),
            Load::Reaction { first, count } => norm(&system.impulse[first..first + count]),
        }
    }

    /// Slacks of the bounds of a sticking element: against sliding backward, and forward; together with those that stick along the same
    /// coordinate, whose shares are not unique.
    pub fn slacks(&self, system: &System, e: usize) -> [f64; 2] {
        let mut slacks = [0.0; 2];
        for other in 0..self.statuses.len() {
            let sense = self.sense(system, e, other);
            if sense != 0.0 {
                let p = sense * system.element_impulse(other);
                let [backward, forward] = self.bounds_at_rest(system, other, sense);
                slacks[0] += backward - p;
                slacks[1] += forward + p;
            }
        }
        slacks
    }

    // bounds against sliding backward and forward, in this sense of its coordinate
    fn bounds_at_rest(&self, system: &System, e: usize, sense: f64) -> [f64; 2] {
        let load = self.load(system, e);
        let along = if sense > 0.0 {
            [BACKWARD, FORWARD]
        } else {
            [FORWARD, BACKWARD]
        };
        along.map(|along| self.model.elements[e].coefficient_at_rest(along) * load)
    }

    // 1 or -1 if another sticking element acts along the same coordinate, in this sense, as one that sticks; else 0
    fn sense(&self, system: &System, e: usize, other: usize) -> f64 {
        match self.statuses[other] {
            Status::Stick => self.sense_of_coordinate(system, e, other),
            _ => f64::from(e == other),
        }
    }

    // the same whatever the other one does
    fn sense_of_coordinate(&self, system: &System, e: usize, other: usize) -> f64 {
        if e == other {
            return 1.0;
        }
        if [e, other].map(|e| self.model.elements[e].is_one_way()) != [false; 2] {
            return 0.0;
        }
        let first = system.first_element();
        let (own, row) = (&system.rows[first + e], &system.rows[first + other]);
        let speeds = [e, other].map(|e| self.span.speed(&self.model.elements[e], self.inputs));
        let same = |sense: &f64| own.equals(*sense, row) && speeds[0] == sense * speeds[1];
        [1.0, -1.0].into_iter().find(same).unwrap_or(0.0)
    }

    /// Shares the friction along a coordinate among the elements that stick there, in proportion to their bounds.
    pub fn share(&self, system: &mut System) {
        let first = system.first_element();
        for e in (0..self.statuses.len()).filter(|e| self.statuses[*e] == Status::Stick) {
            let n = self.statuses.len();
            let alike = |other: &usize| self.sense(system, e, *other) != 0.0;
            if (0..e).any(|other| alike(&other)) || !(e + 1..n).any(|other| alike(&other)) {
                continue;
            }
            let (mut sum, mut limits) = (0.0, [0.0; 2]);
            for other in (e..n).filter(alike) {
                let sense = self.sense(system, e, other);
                sum += sense * system.impulse[first + other];
                let bounds = self.bounds_at_rest(system, other, sense);
                limits = [limits[0] + bounds[0], limits[1] + bounds[1]];
            }
            let side = usize::from(sum < 0.0);
            for other in e..n {
                let sense = self.sense(system, e, other);
                if sense != 0.0 && limits[side] > 0.0 {
                    let bound = self.bounds_at_rest(system, other, sense)[side];
                    system.impulse[first + other] = sense * sum * (bound / limits[side]);
                }
            }
        }
    }
}

// relative change of what an element exerts
fn change(old: ElementForce, new: ElementForce) -> f64 {
    let relative = |change: f64, size: f64| change / size.at_least(f64::MIN_POSITIVE);
    match (old, new) {
        (ElementForce::Given(a), ElementForce::Given(b)) => {
            relative((a - b).abs(), a.abs() + b.abs())
        }
        (ElementForce::Loaded { weights: a, .. }, ElementForce::Loaded { weights: b, .. }) => {
            let change = [0, 1, 2].map(|j| a[j] - b[j]);
            relative(norm(&change), norm(&a) + norm(&b))
        }
        (old, new) => f64::from(old != new),
    }
}

/// The rows of sticking elements, next to the independent joint equations.
pub(super) fn hold(model: &Model, workspace: &mut Workspace) {
    let first = model.first_element_row();
    let statuses = workspace.element_status.iter();
    for (row, status) in workspace.joints[first..].iter_mut().zip(statuses) {
        *row = *status == Status::Stick;
    }
}

/// Runs `action` with the elements, the system of this span and the free motion in it.
fn with_friction<R>(
    model: &Model,
    workspace: &mut Workspace,
    (span, v): (Span, &[f64]),
    action: impl FnOnce(&mut Friction, &mut System, &mut [f64]) -> R,
) -> R {
    let Workspace {
        system,
        free,
        level,
        acceleration,
        scratch_position,
        element_status,
        element_known,
        reaction,
        inputs,
        joints,
        ..
    } = workspace;
    let (system, free) = match span {
        Span::Instant(..) => (level, acceleration),
        Span::Step { .. } => (system, free),
        Span::Phase(_) => (level, scratch_position),
    };
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span,
        v,
        keeps_loads: false,
        known: element_known,
        rows: joints,
    };
    action(&mut friction, system, free)
}

/// Sets the friction of elements that slide in `workspace.system`, which has just been condensed for a step.
pub(super) fn push_in_step(model: &Model, workspace: &mut Workspace, span: Span, v: &[f64]) {
    if !model.elements.is_empty() {
        with_friction(model, workspace, (span, v), |friction, system, free| {
            friction.set(system, free);
        });
    }
}

/// Updates it from the solution of the step, and returns its largest relative change; zero if it has converged.
pub(super) fn update_in_step(
    model: &Model,
    workspace: &mut Workspace,
    span: Span,
    v: &[f64],
) -> f64 {
    if model.elements.is_empty() {
        return 0.0;
    }
    with_friction(model, workspace, (span, v), |friction, system, free| {
        friction.update(system, free, |_, _, _, _| false)
    })
}

/// Runs `action` with the elements at an instant, the level and the acceleration without constraints.
pub(super) fn at_instant<R>(
    model: &Model,
    workspace: &mut Workspace,
    (time, side): (f64, Side),
    v: &[f64],
    action: impl FnOnce(&mut Friction, &mut System, &mut [f64]) -> R,
) -> R {
    with_friction(model, workspace, (Span::Instant(time, side), v), action)
}

/// Shares friction among elements that stick along one coordinate, in the forces of `workspace.level`.
pub(super) fn share(model: &Model, workspace: &mut Workspace, time: (f64, Side), v: &[f64]) {
    if model.elements.len() > 1 {
        at_instant(model, workspace, time, v, |friction, level, _| {
            friction.share(level)
        });
    }
}

/// Directions of the reactions that load elements, from the forces of all joint equations.
pub(super) fn start_reactions(
    model: &Model,
    joint_force: &[f64],
    reaction: &mut [[f64; MAX_LOADING]],
) {
    for (element, rho) in model.elements.iter().zip(reaction) {
        if let Load::Reaction { first, count } = element.load {
            let force = &joint_force[first..first + count];
            let size = norm(force);
            *rho = [0.0; MAX_LOADING];
            for (rho, f) in rho.iter_mut().zip(force).filter(|_| size > 0.0) {
                *rho = f / size;
            }
        }
    }
}

/// Starts a trial step with the statuses of the state.
pub(super) fn begin_step(model: &Model, state: &State, workspace: &mut Workspace) {
    workspace.element_status.clone_from(&state.element_status);
    hold(model, workspace);
    let Workspace {
        element_status,
        element_known,
        ..
    } = workspace;
    for (known, status) in element_known.iter_mut().zip(element_status) {
        *known = *status == Status::Open;
    }
}
