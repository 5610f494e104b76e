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

use super::system::{ElementForce, MAX_LOADING, System};
use super::trial::{EventFunction, EventFunctionKind};
use crate::integrate::report::Report;
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

/// After this many solutions with the same statuses a change up to that will do: a solution of a contact problem has its own error.
const SHARP_UPDATES: usize = 8;

/// Where reactions are not unique, each solution may have another direction: after this many a larger error will do, and at an instant, where
/// only the statuses matter, any.
const BLUNT_UPDATES: usize = 32;
const BLUNT_CHANGE: f64 = 1e-5;

/// Maximum number of solutions for the statuses.
pub(super) const MAX_REVISIONS: usize = 200;

/// Rounding of forces and motions, relative to the terms that they are the sum of.
const ROUNDING: f64 = 1e-12;

/// After this many revisions of statuses loads are those of the last solution: the problem is then monotone, so that the revisions end.
const MAX_REVISIONS_WITH_LOADS: usize = 40;

/// Progress of friction and statuses towards a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Revision {
    /// Solutions with the same statuses.
    updates: usize,
    /// Changes of statuses.
    statuses: usize,
    /// Are loads by reactions kept?
    keeps_loads: bool,
    /// .. from the next solution on, and zero in that?
    starts_loads: bool,
}

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

/// Has the load of an element come or gone since its status was determined?
pub(super) fn load_came_or_went(model: &Model, state: &State) -> bool {
    let elements = model.elements.iter().zip(&state.element_status);
    elements.into_iter().any(|(element, status)| {
        let is_released = element.is_released(state.time, Side::After, &state.inputs);
        is_released != (*status == Status::Open)
    })
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
}

fn normalize(reaction: &mut [f64; MAX_LOADING]) {
    let size = norm(reaction);
    if size > 0.0 {
        reaction.iter_mut().for_each(|x| *x /= size);
    }
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

    /// Updates friction, or if it has converged the statuses, from a solution; false if neither changes.
    pub fn settle(
        &mut self,
        (system, free): (&mut System, &mut [f64]),
        known: &[bool],
        rows: &mut [bool],
        revision: &mut Revision,
    ) -> bool {
        revision.updates += 1;
        self.keeps_loads = revision.keeps_loads;
        let n = revision.updates;
        let accepts = |friction: &Self, system: &System, e: usize, change: f64| {
            let short = friction.shortfall(system, e, change);
            let at_instant = matches!(friction.span, Span::Instant(..));
            let rests = || !known[e] && friction.rests(system, e);
            (n > SHARP_UPDATES && (short <= ACCEPTABLE_CHANGE || rests()))
                || (n > BLUNT_UPDATES && (short <= BLUNT_CHANGE || at_instant))
        };
        if std::mem::take(&mut revision.starts_loads) {
            self.keep_loads(system, free, rows);
            return true;
        }
        if self.update(system, free, accepts) > 0.0 {
            return true;
        }
        if self.revise(system, free, known, rows) {
            revision.updates = 0;
            revision.statuses += 1;
            if revision.statuses > MAX_REVISIONS_WITH_LOADS && !revision.keeps_loads {
                revision.keeps_loads = true;
                self.keep_loads(system, free, rows);
            }
            return true;
        }
        if self.keeps_loads {
            self.reaction.iter_mut().for_each(normalize);
        }
        false
    }

    // loads by reactions become those of the solution
    fn keep_loads(&mut self, system: &mut System, free: &mut [f64], rows: &mut [bool]) {
        self.keeps_loads = true;
        for e in 0..self.statuses.len() {
            if let Load::Reaction { first, count } = self.model.elements[e].load {
                self.reaction[e] = [0.0; MAX_LOADING];
                self.reaction[e][..count].copy_from_slice(&system.impulse[first..first + count]);
                self.change_status(system, free, rows, e, self.statuses[e]);
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

    // an element that stuck slides, with those along the same coordinate
    fn slide(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        rows: &mut [bool],
        e: usize,
        new: Status,
    ) {
        let opposite = match new {
            Status::SlipForward => Status::SlipBackward,
            _ => Status::SlipForward,
        };
        for other in (0..self.statuses.len()).rev() {
            let sense = self.sense(system, e, other);
            if sense != 0.0 {
                let status = if sense > 0.0 { new } else { opposite };
                self.change_status(system, free, rows, other, status);
            }
        }
    }

    // an element comes to rest, with those along the same coordinate
    fn stick(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        (rows, known): (&mut [bool], &[bool]),
        e: usize,
    ) {
        for other in (0..self.statuses.len()).filter(|other| !known[*other]) {
            let slides = self.statuses[other].slides();
            if other == e || (slides && self.sense_of_coordinate(system, e, other) != 0.0) {
                self.change_status(system, free, rows, other, Status::Stick);
            }
        }
    }

    fn change_status(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        rows: &mut [bool],
        e: usize,
        new: Status,
    ) {
        self.statuses[e] = new;
        rows[system.first_element() + e] = new == Status::Stick;
        let speed = self.start_speed(system, e);
        system.set_element(e, self.force(e, speed), free);
    }

    /// Revises the first status that the solution contradicts, (1) and (2), apart from those that are known; true if there is one.
    fn revise(
        &mut self,
        system: &mut System,
        free: &mut [f64],
        known: &[bool],
        rows: &mut [bool],
    ) -> bool {
        for e in (0..self.statuses.len()).filter(|e| !known[*e]) {
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
                    self.slide(system, free, rows, e, new);
                    return true;
                }
                slides => {
                    let moved = system.element_motion(e) * slides.slip_sign();
                    if moved >= -self.rounding_of_motion(system, e) {
                        continue;
                    }
                    self.stick(system, free, (rows, known), e);
                    return true;
                }
            }
        }
        false
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

/// The elements in a phase of an impact: bounded forces have no impulse; friction in proportion to a reaction has one, which starts as if
/// it stuck. `workspace.level` is as it was condensed.
pub(super) fn begin_phase(model: &Model, workspace: &mut Workspace) {
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
pub(super) fn revise_in_phase(
    model: &Model,
    (time, v): (f64, &[f64]),
    workspace: &mut Workspace,
    revision: &mut Revision,
) -> bool {
    if model.elements.is_empty() {
        return false;
    }
    let Workspace {
        level,
        scratch_position,
        element_status,
        element_known,
        reaction,
        inputs,
        joints,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span: Span::Phase(time),
        v,
        keeps_loads: false,
    };
    friction.settle((level, scratch_position), element_known, joints, revision)
}

/// Holds or releases the first one-way clutch that contradicts the impulses of an impact, 0 <= p | u >= 0; true if there is one.
pub(super) fn revise_one_ways(
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

/// Sets the friction of elements that slide in `workspace.system`, which has just been condensed for a step.
pub(super) fn push_in_step(model: &Model, workspace: &mut Workspace, span: Span, v: &[f64]) {
    if model.elements.is_empty() {
        return;
    }
    let Workspace {
        system,
        free,
        element_status,
        reaction,
        inputs,
        ..
    } = workspace;
    let friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span,
        v,
        keeps_loads: false,
    };
    friction.set(system, free);
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
    let Workspace {
        system,
        free,
        element_status,
        reaction,
        inputs,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span,
        v,
        keeps_loads: false,
    };
    friction.update(system, free, |_, _, _, _| false)
}

/// The same and the statuses, for a step that determines them; false if neither changes.
pub(super) fn revise_in_step(
    model: &Model,
    workspace: &mut Workspace,
    span: Span,
    v: &[f64],
    revision: &mut Revision,
) -> bool {
    if model.elements.is_empty() {
        return false;
    }
    let Workspace {
        system,
        free,
        element_status,
        element_known,
        reaction,
        inputs,
        joints,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span,
        v,
        keeps_loads: false,
    };
    friction.settle((system, free), element_known, joints, revision)
}

/// Lets the elements that stick slide along their free motion, without friction in proportion to reactions, where a problem has no solution
/// with them.
pub(super) fn release_in_step(
    model: &Model,
    workspace: &mut Workspace,
    span: Span,
    v: &[f64],
    revision: &mut Revision,
) {
    let Workspace {
        system,
        free,
        element_status,
        reaction,
        inputs,
        joints,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span,
        v,
        keeps_loads: true,
    };
    (revision.keeps_loads, revision.starts_loads) = (true, true);
    friction.reaction.fill([0.0; MAX_LOADING]);
    for e in 0..friction.statuses.len() {
        let forward = system.bias[system.first_element() + e] >= 0.0;
        let new = match friction.statuses[e] {
            Status::Stick if forward => Status::SlipForward,
            Status::Stick => Status::SlipBackward,
            kept => kept,
        };
        friction.change_status(system, free, joints, e, new);
    }
}

/// Runs `action` with the elements at an instant, the level and the acceleration without constraints.
pub(super) fn at_instant<R>(
    model: &Model,
    workspace: &mut Workspace,
    (time, side): (f64, Side),
    v: &[f64],
    action: impl FnOnce(&mut Friction, &mut System, &mut [f64]) -> R,
) -> R {
    let Workspace {
        level,
        acceleration,
        element_status,
        reaction,
        inputs,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span: Span::Instant(time, side),
        v,
        keeps_loads: false,
    };
    action(&mut friction, level, acceleration)
}

/// Statuses of the elements whose motion is known at velocities `v`; the others stick, to be revised. `workspace.level` has their rows.
pub(super) fn guess_statuses(
    model: &Model,
    workspace: &mut Workspace,
    time: f64,
    located: Option<EventFunctionKind>,
    (v, slow): (&[f64], f64),
) {
    let Workspace {
        level,
        element_status,
        element_known,
        inputs,
        ..
    } = &mut *workspace;
    let first = level.first_element();
    for (e, element) in model.elements.iter().enumerate() {
        let speed = element.given_speed(time, Side::After, inputs);
        let u = level.rows[first + e].dot(v) - speed;
        let stopped = located == Some(EventFunctionKind::ElementSliding(e));
        let known = if element.is_released(time, Side::After, inputs) {
            Some(Status::Open)
        } else if u > slow && !stopped {
            Some(Status::SlipForward)
        } else if element.is_one_way() {
            (located == Some(EventFunctionKind::ElementBackward(e))).then_some(Status::SlipForward)
        } else if (u < -slow && !stopped) || located == Some(EventFunctionKind::ElementForward(e)) {
            Some(Status::SlipBackward)
        } else if located == Some(EventFunctionKind::ElementBackward(e)) {
            Some(Status::SlipForward)
        } else {
            None
        };
        element_known[e] = known.is_some();
        element_status[e] = known.unwrap_or(Status::Stick);
    }
    hold(model, workspace);
}

/// Shares friction among elements that stick along one coordinate, in the forces of `workspace.level`.
pub(super) fn share(model: &Model, workspace: &mut Workspace, time: (f64, Side), v: &[f64]) {
    if model.elements.len() > 1 {
        at_instant(model, workspace, time, v, |friction, level, _| {
            friction.share(level)
        });
    }
}

/// Adds the event functions of the elements at an instant, whose forces are in `workspace.level`.
pub(super) fn add_event_functions(
    model: &Model,
    workspace: &mut Workspace,
    time: (f64, Side),
    v: &[f64],
    [force_scale, speed_scale]: [f64; 2],
) {
    let mut functions = std::mem::take(&mut workspace.event_functions);
    at_instant(model, workspace, time, v, |friction, level, _| {
        for e in 0..friction.statuses.len() {
            let mut add = |value: f64, tolerance: f64, what: EventFunctionKind| {
                functions.push(EventFunction {
                    value,
                    tolerance,
                    what,
                });
            };
            let sign = friction.statuses[e].slip_sign();
            if sign != 0.0 {
                let speed = sign * friction.start_speed(level, e);
                let tolerance = 1e-13 * speed_scale;
                // a stop at the very end of a step is one: the next step would begin with a motion that has ended; what others hold at
                // rest does not decelerate
                let deceleration = -sign * level.element_motion(e);
                let stops = speed.abs() <= tolerance
                    && deceleration > friction.rounding_of_motion(level, e);
                let speed = if stops { -2.0 * tolerance } else { speed };
                add(speed, tolerance, EventFunctionKind::ElementSliding(e));
            } else if friction.statuses[e] == Status::Stick {
                let [backward, forward] = friction.slacks(level, e);
                let tolerance = ROUNDING * force_scale;
                add(backward, tolerance, EventFunctionKind::ElementForward(e));
                add(forward, tolerance, EventFunctionKind::ElementBackward(e));
            }
        }
    });
    workspace.event_functions = functions;
}

/// Makes the statuses in the workspace those of the state, and records the changes.
pub(super) fn accept_statuses(
    model: &Model,
    time: f64,
    old: &mut Vec<Status>,
    new: &[Status],
    report: &mut Report,
) {
    report.record_elements(model, time, old, new);
    old.clear();
    old.extend_from_slice(new);
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

// the elements of `workspace.system` in a symmetric substep of length `h`: friction is that in its middle
fn in_substep<R>(
    model: &Model,
    workspace: &mut Workspace,
    (middle, h): (f64, f64),
    action: impl FnOnce(&mut Friction, &mut System, &mut [f64], f64) -> R,
) -> R {
    let Workspace {
        system,
        free,
        element_status,
        reaction,
        inputs,
        mid_velocity,
        ..
    } = workspace;
    let mut friction = Friction {
        model,
        statuses: element_status,
        reaction,
        inputs,
        span: Span::Instant(middle, Side::After),
        v: mid_velocity,
        keeps_loads: false,
    };
    action(&mut friction, system, free, h)
}

/// Adds the given friction of a symmetric substep to the forces in `workspace.free`; its rows and its mid velocity are known.
pub(super) fn push_in_substep(model: &Model, workspace: &mut Workspace, at: (f64, f64)) {
    if model.elements.is_empty() {
        return;
    }
    in_substep(model, workspace, at, |friction, system, free, h| {
        for e in 0..friction.statuses.len() {
            let speed = friction.start_speed(system, e);
            if let ElementForce::Given(f) = friction.force(e, speed) {
                system.rows[system.first_element() + e].add_to(f, free);
                system.elements[e] = ElementForce::Given(h * f);
            }
        }
    });
}

/// Does the friction of a sliding element depend on its speed?
pub(super) fn must_iterate(model: &Model, workspace: &Workspace) -> bool {
    let mut elements = model.elements.iter().zip(&workspace.element_status);
    elements.any(|(element, status)| element.falls() && status.slides())
}

/// Does a sliding element depend on the reaction of a joint?
pub(super) fn any_loaded(model: &Model, statuses: &[Status]) -> bool {
    let mut elements = model.elements.iter().zip(statuses);
    elements
        .any(|(element, status)| matches!(element.load, Load::Reaction { .. }) && status.slides())
}

/// Sets the columns of elements loaded by reactions in a symmetric substep, whose system has just been condensed; given friction is part
/// of the free motion already.
pub(super) fn load_substep(model: &Model, workspace: &mut Workspace, at: (f64, f64)) {
    in_substep(model, workspace, at, |friction, system, free, h| {
        for e in 0..friction.statuses.len() {
            let speed = friction.start_speed(system, e);
            match friction.force(e, speed) {
                ElementForce::Solved => {}
                ElementForce::Given(f) => system.elements[e] = ElementForce::Given(h * f),
                loaded => system.set_element(e, loaded, free),
            }
        }
    });
}

/// Updates them from the solution, and returns their largest relative change; zero if they have converged.
pub(super) fn reload_substep(model: &Model, workspace: &mut Workspace, at: (f64, f64)) -> f64 {
    in_substep(model, workspace, at, |friction, system, free, h| {
        let mut largest: f64 = 0.0;
        for e in 0..friction.statuses.len() {
            friction.update_reaction(system, e, h.signum());
            let speed = friction.start_speed(system, e);
            let new = friction.force(e, speed);
            let change = change(system.elements[e], new);
            if matches!(new, ElementForce::Loaded { .. }) && change > CONVERGED {
                system.set_element(e, new, free);
                largest = largest.at_least(change);
            }
        }
        largest
    })
}

/// Sets the columns of elements loaded by reactions in `workspace.level`, for a projection of velocities: what closes a joint has its
/// friction, or the missing friction would accumulate to an error of first order.
pub(super) fn load_level(model: &Model, workspace: &mut Workspace, v: &mut [f64]) {
    let Workspace {
        level,
        element_status,
        reaction,
        inputs,
        ..
    } = workspace;
    if !any_loaded(model, element_status) {
        return;
    }
    for (e, element) in model.elements.iter().enumerate() {
        let (status, Some(along)) = (element_status[e], direction(element_status[e])) else {
            continue;
        };
        if let Load::Reaction { first, .. } = element.load {
            let row = level.first_element() + e;
            let speed = level.rows[row].dot(v) - element.given_speed(0.0, Side::After, inputs);
            let factor = -status.slip_sign() * element.coefficient(along, speed);
            let weights = reaction[e].map(|rho| factor * rho);
            level.set_element(e, ElementForce::Loaded { first, weights }, v);
        }
    }
}
