//! Friction elements: contacts whose normal force is known.
//!
//! ```text
//! (1)  normal row:    u_n = c (r_n - P),  so that r_n = P;   P: bound of the friction impulse, c: any compliance
//! (2)  friction row:  u = D v' - ub,      |r| <= r_n,  opposite to u where it slides:  a block with the coefficient 1
//! (3)  P = a N h:     a as in `model::friction` for the direction of r, N given, or the norm of a reaction of the last solution
//! (4)  at rest at the start:   a at rest, while it holds;  then that of sliding at the mean of u at the start and at the end
//!      sliding at the start:   a of sliding;  that at rest if it would come back
//! ```
//!
//! Groups whose bounds change by (3) or (4) are solved again.

mod instant;

use super::assemble::{along, index, inverse_mass, moving_body, row};
use super::locate::span_of;
use super::{Six, Step, Work};
use crate::contact::body_blocks::{Body, ContactConstraint, Row};
use crate::contact::dense::{Block, Contact};
use crate::integrate::event_driven::elements::load_between;
use crate::integrate::{StepError, Workspace};
use crate::kinds::plane::force::Side;
use crate::kinds::space;
use crate::math::{Limit, Real, norm, positive};
use crate::model::{BACKWARD, FORWARD, FrictionElement, Load, Model, space_pose_of};
use crate::state::Status;

/// (1): the free velocity of a normal row, relative to that of its friction row, is between this and 1: what the element could exert at
/// most does not determine the scale of the problem.
const SMALLEST_SCALE: f64 = 1e-3;

/// Bounds that change by less than this part have converged.
const CONVERGED: f64 = 1e-11;

/// Friction within this part of its bound is at the bound.
pub(super) const AT_BOUND: f64 = 1e-9;

/// Largest number of solutions for (3) and (4).
const REPETITIONS: usize = 60;

/// Which coefficient an element has, (4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// That at rest.
    Holds,
    /// That of sliding, since the start.
    Slides,
    /// That of sliding, after that at rest was exceeded.
    Breaks,
}

impl Mode {
    /// The mode after a solution at the bound, (4), if it changes.
    pub(super) fn next(self, comes_back: bool) -> Option<Self> {
        match self {
            Self::Holds => Some(Self::Breaks),
            Self::Slides if comes_back => Some(Self::Holds),
            Self::Slides | Self::Breaks => None,
        }
    }
}

/// A friction element of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveElement {
    /// Index among the friction elements of the model.
    element: usize,
    /// Index of its constraint, and of its normal row.
    constraint: usize,
    normal: usize,
    mode: Mode,
    /// P.
    bound: f64,
    /// Relative speed at the start, m/s or rad/s.
    start: f64,
    /// Given load, integrated over the substep, N s; at an instant the load, N.
    load: Option<f64>,
    /// Velocity along its row per impulse.
    response: f64,
    /// At an instant: direction in which it slides, or 0.
    slides: f64,
}

/// The two rows of a friction block with a known bound, (1) and (2), along `friction`; `response` is the velocity along it per impulse
/// and `free` the velocity without any.
pub(super) fn bounded_rows(friction: Row, bound: f64, response: f64, free: f64) -> [Row; 2] {
    let most = bound * response;
    let scale = if most > 0.0 {
        (free.abs() / most).at_least(SMALLEST_SCALE).at_most(1.0)
    } else {
        1.0
    };
    let compliance = response * scale * scale;
    let compliance = if compliance > 0.0 { compliance } else { 1.0 };
    let normal = Row {
        entries: [[0.0; 6]; 2],
        bias: -compliance * bound,
        compliance,
    };
    [normal, friction]
}

/// (2).
pub(super) fn bounded_contact() -> Contact {
    Contact::new(&[Block::Line { friction: 1.0 }])
}

/// Direction in which an element slides, or would slide, against this friction.
fn direction(friction: f64) -> usize {
    if friction > 0.0 { BACKWARD } else { FORWARD }
}

/// Gradient of the coordinate of a friction element.
pub(super) fn gradient<T: Real>(
    element: &FrictionElement,
    [a, b]: [&space::Pose<T>; 2],
) -> space::Row<T> {
    let joint = element.along.space();
    joint.map_or_else(space::Row::zero, |joint| element.row_in_space(joint, a, b))
}

impl ActiveElement {
    // the load N, integrated over the substep
    fn load(&self, model: &Model, reactions: &[f64]) -> f64 {
        match model.elements[self.element].load {
            Load::Given(_) => self.load.unwrap_or(0.0),
            Load::Reaction { first, count } => norm(&reactions[first..first + count]),
        }
    }

    // (3), (4) against this friction, while it slides at this mean speed
    fn wanted_bound(&self, model: &Model, load: f64, friction: f64, speed: f64) -> f64 {
        let element = &model.elements[self.element];
        let along = direction(friction);
        let coefficient = match self.mode {
            Mode::Holds => element.coefficient_at_rest(along),
            Mode::Slides | Mode::Breaks => element.coefficient(along, speed),
        };
        coefficient * load
    }

    // revises bound and mode after a solution with this friction, relative velocity at the end (at an instant: acceleration) and mean
    // speed; true if the bound changes
    fn revise(&mut self, model: &Model, load: f64, [friction, end, speed]: [f64; 3]) -> bool {
        let is_at_bound = self.is_at_bound(friction, end);
        let wanted = self.wanted_bound(model, load, friction, speed);
        if !is_at_bound && friction.abs() <= wanted {
            return false;
        }
        if (wanted - self.bound).abs() > CONVERGED * (wanted + self.bound) {
            self.bound = wanted;
            return true;
        }
        if !self.slides(friction, end) {
            return false;
        }
        let Some(next) = self.mode.next(end * self.start < 0.0) else {
            return false;
        };
        self.mode = next;
        let wanted = self.wanted_bound(model, load, friction, speed);
        let has_changed = (wanted - self.bound).abs() > CONVERGED * (wanted + self.bound);
        self.bound = wanted;
        // the other coefficient may be the same one
        has_changed || self.revise(model, load, [friction, end, speed])
    }

    // is the friction that would stop it at the bound? In very short steps friction alone is as inexact as the solution
    fn is_at_bound(&self, friction: f64, end: f64) -> bool {
        (friction - end / self.response).abs() >= self.bound * (1.0 - AT_BOUND)
    }

    // redundant friction may be at its bound without motion
    fn slides(&self, friction: f64, end: f64) -> bool {
        self.is_at_bound(friction, end) && end.abs() > AT_BOUND * self.bound * self.response
    }

    fn status(&self, friction: f64, end: f64) -> Status {
        if self.bound == 0.0 {
            return Status::Open;
        }
        match self.slides(friction, end) {
            false => Status::Stick,
            true if friction < 0.0 => Status::SlipForward,
            true => Status::SlipBackward,
        }
    }
}

impl Step<'_> {
    /// Adds the friction elements to the problem, after contacts and stops; poses are those in the middle of the substep.
    pub(super) fn add_elements(&mut self) {
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        work.elements.clear();
        let first_force = self.model.first_element_row();
        for (e, element) in self.model.elements.iter().enumerate() {
            let h = span_of(element.bodies, &work.span);
            if h <= 0.0 {
                continue;
            }
            let left = span_of(element.bodies, &work.left);
            let from = self.state.time + (self.h - left);
            let inputs = &self.state.inputs;
            let load = load_between(element, [from, from + h], inputs);
            let bodies = element.bodies.map(index);
            let pair = element
                .bodies
                .map(|body| space_pose_of(poses.space(), body));
            let speed = |time, side| element.given_speed(time, side, inputs);
            let own = row(&gradient(element, pair), -speed(from + h, Side::Before));
            let start = along(&own, bodies, &work.start) - speed(from, Side::After);
            let friction = h * self.state.joint_force[first_force + e];
            let response = inverse_mass(&own, bodies, &work.bodies);
            let mut active = ActiveElement {
                element: e,
                constraint: work.constraints.len(),
                normal: work.rows.len(),
                mode: match self.state.element_status[e] {
                    Status::Stick => Mode::Holds,
                    status if status.slides() || start != 0.0 => Mode::Slides,
                    _ => Mode::Holds,
                },
                bound: 0.0,
                start,
                load,
                response,
                slides: 0.0,
            };
            let reactions = &self.state.joint_force;
            let load = active.load(self.model, reactions);
            let load = if active.load.is_some() {
                load
            } else {
                h * load
            };
            let against = if start == 0.0 { friction } else { -start };
            active.bound = active.wanted_bound(self.model, load, against, start);
            let free = free_speed(&own, bodies, &work.bodies);
            work.rows
                .extend(bounded_rows(own, active.bound, response, free));
            let within = friction.at_least(-active.bound).at_most(active.bound);
            work.impulse.extend([active.bound, within]);
            work.constraints.push(ContactConstraint {
                bodies,
                contact: bounded_contact(),
            });
            work.elements.push(active);
        }
    }

    /// Solves the groups again whose bounds change.
    pub(super) fn settle_elements(&mut self) -> Result<(), StepError> {
        for _ in 0..REPETITIONS {
            if !self.workspace.time_stepping.revise_elements(self.model) {
                break;
            }
            self.solve_chosen()?;
        }
        Ok(())
    }

    /// Adds the work of the elements to the balance.
    pub(super) fn add_element_losses(&mut self) {
        let Work {
            elements,
            constraints,
            rows,
            impulse,
            start,
            end,
            energy_balance,
            ..
        } = &mut self.workspace.time_stepping;
        for active in elements.iter() {
            let bodies = constraints[active.constraint].bodies;
            let (own, p) = (&rows[active.normal + 1], impulse[active.normal + 1]);
            let mean = 0.5 * (along(own, bodies, start) + along(own, bodies, end));
            let carried = -p * own.bias;
            let losses = energy_balance.at(moving_body(bodies));
            losses.applied += carried;
            // as at contacts
            losses.friction += positive(carried - p * mean);
            losses.impacts -= positive(p * mean - carried);
        }
    }

    /// Stores forces and statuses of the elements.
    pub(super) fn store_elements(&mut self) {
        let first = self.model.first_element_row();
        let Work {
            elements,
            constraints,
            rows,
            impulse,
            end,
            span,
            ..
        } = &self.workspace.time_stepping;
        for active in elements {
            let (own, p) = (&rows[active.normal + 1], impulse[active.normal + 1]);
            let bodies = constraints[active.constraint].bodies;
            let speed = along(own, bodies, end) + own.bias;
            let e = active.element;
            let h = span_of(self.model.elements[e].bodies, span);
            self.state.joint_force[first + e] = p / h;
            self.state.element_status[e] = active.status(p, speed);
        }
    }
}

/// Velocity of a row without impulses.
pub(super) fn free_speed(row: &Row, bodies: [u32; 2], all: &[Body]) -> f64 {
    let velocities: [Six; 2] = bodies.map(|body| {
        all.get(body as usize)
            .map_or([0.0; 6], |body| body.velocity)
    });
    row.bias + along(row, [0, 1], &velocities)
}

impl Work {
    // revises all elements and static friction after a solution, and chooses the groups to be solved again; false if there are none
    fn revise_elements(&mut self, model: &Model) -> bool {
        if self.elements.is_empty() && self.static_contacts.is_empty() {
            return false;
        }
        let n_rows = |constraint: &ContactConstraint| constraint.contact.rows();
        let first: usize = self.constraints.iter().map(n_rows).sum();
        self.is_chosen.fill(false);
        let mut any = self.revise_static_contacts(false);
        let reactions = &self.impulse[first..];
        for active in &mut self.elements {
            let bodies = self.constraints[active.constraint].bodies;
            let own = &self.rows[active.normal + 1];
            let friction = self.impulse[active.normal + 1];
            let end = along(own, bodies, &self.end) + own.bias;
            let load = active.load(model, reactions);
            let speed = 0.5 * (active.start + end);
            if !active.revise(model, load, [friction, end, speed]) {
                continue;
            }
            let normal = &mut self.rows[active.normal];
            normal.bias = -normal.compliance * active.bound;
            self.is_chosen[moving_body(bodies)] = true;
            any = true;
        }
        if any {
            self.choose_islands();
        }
        any
    }

    // chooses all bodies of islands with a chosen one
    fn choose_islands(&mut self) {
        let islands = &self.solvers.islands;
        for k in 0..islands.count() {
            let bodies = islands.island(k).bodies;
            let is_chosen = bodies.iter().any(|i| self.is_chosen[*i as usize]);
            for i in bodies {
                self.is_chosen[*i as usize] = is_chosen;
            }
        }
    }
}
