//! Energy of a step: its exact balance, and the energy limiter, which removes energy gained by integration errors.
//!
//! ```text
//! (1)  M dv = sum J_e + F c,   J_e = h [(1 - a) k0 + a k1] + a h kv dv + a g h^2 kq dv + a (1 - f) h^2 kq v0      [a = alpha, g = gamma, f = force_at]
//! (2)  T1 - T0 = sum J_e . vm + c . F^T vm,   vm = (v0 + v1)/2          exactly
//! (3)  work of applied forces J_e . vm;  loss of dampers, drag and smoothed friction -J_e . vm, as far as it is positive
//! (4)  contacts that determine their statuses in the step, or slide in it: -c . F^T vm of friction and of the normal, see `Losses::add_contact`
//! (5)  eps = T1 - T0 + V1 - V0 - (work) + (losses)        the remainder: numerical loss or gain of the step
//! (6)  v1 <- u + s (v1 - u),   s^2 = 1 - eps / T,   u = velocity of the centre of mass of a free group (not connected to the ground),
//!      T = kinetic energy about it
//! (7)  X = (|T1 - T0| + sum |dV_e| + losses)/2 + 0.01 min(T0, T1)        energy exchanged in the step
//! ```
//!
//! Balance (5) is computed for each group of bodies connected by joints, force elements and loaded contacts; for free groups in the frame
//! of their centre of mass, in which gravity does no work. A gain is always removed by (6), a loss is restored if it is below 0.01 X and
//! the step is not meant to damp. A gain above 0.01 X requests a shorter step. Constraints without a prescribed speed are homogeneous in
//! the velocities (and invariant to a common one): they hold after (6) as before. Groups with motors of prescribed speed are not scaled.

mod arms;

use super::assemble;
use super::coefficients::Coefficients;
use super::system::System;
use super::trial::{Mode, Trial};
use crate::dynamics::{self, Jacobians, Works, kinetic_energy};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::Input;
use crate::math::{Limit, max_abs, positive};
use crate::model::{BodyRef, Model, N_TANGENTS, Poses, Twists};
use crate::scene::spec::{Scheme, Settings};
use crate::state::{State, Status};
use arms::Arms;

/// Errors below this part of the exchanged energy are corrected; gains above it request a shorter step.
const SMALL: f64 = 0.01;

/// .. and so do gains above this part of the kinetic energy.
const MAX_TAKEN: f64 = 0.1;

/// Part of the kinetic energy that counts as exchanged: steady rotation exchanges none.
const FLOOR: f64 = 0.01;

/// Errors below this part of the energies are rounding.
const ROUNDING: f64 = 1e-15;

/// .. and gains below this part of them are ignored if there is no kinetic energy to take them from: positions are projected to rounding.
const NOISE: f64 = 1e-12;

/// A contact has reversed if it slides back faster than this times its speed at the start of the step.
const AT_STOP: f64 = 1e-6;

/// A group with less kinetic energy than this part of the energies is at rest.
const AT_REST: f64 = 1e-6;

/// A shorter step is requested if joints are open by more than this after a step, relative to its coordinates.
const OPEN: f64 = 1e-9;

/// Work and losses of a step or of all steps, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::integrate) struct Losses {
    pub applied: f64,
    pub damping: f64,
    pub friction: f64,
    pub impacts: f64,
    /// Numerical gain; negative for a loss.
    pub numerical: f64,
}

impl Losses {
    /// Adds them to the balance of the run.
    pub fn add_to(&self, report: &mut Report) {
        report.applied_work += self.applied;
        report.damping_loss += self.damping;
        report.friction_loss += self.friction;
        report.impact_loss += self.impacts;
        report.add_numerical_error(self.numerical);
    }

    /// Adds the losses of a contact by its normal force and by friction. If a contact closes in the step only the sum is meaningful: a
    /// negative one of the two reduces the other, and a negative sum is an error of the step. Returns the loss, J.
    fn add_contact(&mut self, normal: f64, friction: f64) -> f64 {
        let taken = positive(normal + friction);
        let friction_work = positive(friction).at_most(taken);
        self.friction += friction_work;
        self.impacts += taken - friction_work;
        taken
    }

    /// Scales them to a part of the step.
    pub fn scale(&mut self, part: f64) {
        for x in [
            &mut self.applied,
            &mut self.damping,
            &mut self.friction,
            &mut self.impacts,
            &mut self.numerical,
        ] {
            *x *= part;
        }
    }
}

/// Factors of the force derivatives in (1).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::integrate) struct Weights {
    pub h: f64,
    pub alpha: f64,
    /// Of `kv dv`.
    pub by_velocity: f64,
    /// Of `kq dv`, for applied forces and for dampers.
    pub by_position: [f64; 2],
    /// Of `kq v0`.
    pub ahead: [f64; 2],
}

/// Energies of a group of bodies in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::integrate) struct Group {
    pub is_tied: bool,
    pub is_driven: bool,
    /// Does a sliding contact in it reverse within the step?
    stops: bool,
    pub mass: f64,
    pub momentum: [[f64; 3]; 2],
    /// Kinetic energies at both ends, and their difference.
    pub kinetic: [f64; 2],
    pub gained: f64,
    /// Change of potential energy, and the sum of absolute changes.
    pub raised: f64,
    pub moved: f64,
    /// Energy scale of rounding errors.
    pub scale: f64,
    pub applied: f64,
    pub damping: f64,
    pub contacts: f64,
    /// Factor of the velocities (6).
    factor: f64,
}

/// Energy error of a group in a step, and its correction.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::integrate) struct EnergyError {
    /// (5), J.
    pub error: f64,
    /// Energy to remove from the kinetic energy, negative to add, J.
    pub taken: f64,
    /// Does the gain request a shorter step?
    pub is_inaccurate: bool,
    /// Does the loss?
    pub is_lossy: bool,
}

impl Group {
    /// Velocity of the centre of mass at one end of the step; zero for a group connected to the ground.
    pub fn velocity(&self, end: usize) -> [f64; 3] {
        if self.is_tied {
            return [0.0; 3];
        }
        self.momentum[end].map(|p| p / self.mass)
    }

    /// Is an error rounding, in a group that is at rest up to rounding?
    pub fn is_at_rest(&self, error: f64) -> bool {
        error.abs() <= NOISE * self.scale && self.kinetic[1] <= AT_REST * self.scale
    }

    /// (5), (7), and the correction (6); none if that would be rounding.
    pub fn check(&self, damps: bool) -> Option<EnergyError> {
        let error = self.gained + self.raised - self.applied + self.damping + self.contacts;
        if self.is_driven || error.abs() <= ROUNDING * self.scale {
            return None;
        }
        let [t0, t1] = self.kinetic;
        let moved = 0.5 * (self.gained.abs() + self.moved + self.damping + self.contacts)
            + FLOOR * t0.at_most(t1);
        let is_small = error.abs() <= SMALL * moved && error.abs() <= MAX_TAKEN * t1;
        let is_large = !is_small && error.abs() > NOISE * self.scale;
        let is_corrected = (error > 0.0 || (is_small && !damps)) && t1 > 0.0;
        Some(EnergyError {
            error,
            taken: if is_corrected { error.at_most(t1) } else { 0.0 },
            is_inaccurate: is_large && error > 0.0,
            is_lossy: is_large && error < 0.0 && !damps,
        })
    }
}

/// Workspace of the balance.
#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Balance {
    /// By body: its group by joints and force elements, identified by its first body.
    fixed: Vec<usize>,
    /// By body: is it connected to the ground by them, and does a motor of prescribed speed act on it?
    tied: Vec<bool>,
    driven: Vec<bool>,
    /// Does a force element take energy from what moves, as parameters are now?
    dissipates: bool,
    is_driven: bool,
    /// Energy of each force element at both ends of the step, and whether that at its start is known.
    stored: [Vec<f64>; 2],
    is_known: bool,
    /// Forces of (3) at both ends of the step.
    pub works: [Works; 2],
    pub weights: Weights,
    /// Friction work at sliding contacts in the projection of the step, J.
    pub friction_work: Vec<(usize, f64)>,
    /// Impulses of (3).
    damping: Vec<f64>,
    applied: Vec<f64>,
    pub group: Vec<usize>,
    pub groups: Vec<Group>,
    arms: Arms,
}

/// Positions and velocities at both ends of a step.
#[derive(Clone, Copy)]
pub(in crate::integrate) struct Ends<'a> {
    pub position: [&'a [f64]; 2],
    pub velocity: [&'a [f64]; 2],
}

impl<'a> Ends<'a> {
    fn of(state: &'a State, trial: &'a Trial) -> Self {
        Self {
            position: [&state.position, &trial.position],
            velocity: [&state.velocity, &trial.velocity],
        }
    }
}

impl Default for Works {
    fn default() -> Self {
        Works::new(0)
    }
}

impl Balance {
    pub fn new(model: &Model) -> Self {
        let (n, n_bodies) = (model.n_velocities, model.bodies.len());
        if model.time_stepping.is_some() {
            // time stepping determines its own groups
            return Self {
                stored: [vec![0.0; model.forces.len()], vec![0.0; model.forces.len()]],
                group: vec![0; n_bodies],
                groups: vec![Group::default(); n_bodies],
                ..Self::default()
            };
        }
        let mut balance = Self {
            fixed: (0..n_bodies).collect(),
            tied: vec![false; n_bodies],
            driven: vec![false; n_bodies],
            dissipates: false,
            is_driven: model.forces.iter().any(|link| link.force.is_given()),
            stored: [vec![0.0; model.forces.len()], vec![0.0; model.forces.len()]],
            is_known: false,
            works: [Works::new(n), Works::new(n)],
            weights: Weights::default(),
            friction_work: Vec::with_capacity(model.expected_contacts()),
            damping: vec![0.0; n],
            applied: vec![0.0; n],
            group: vec![0; n_bodies],
            groups: vec![Group::default(); n_bodies],
            arms: Arms::new(model),
        };
        for link in &model.joints {
            balance.connect(link.bodies);
        }
        // an applied force acts on one body, or on those of a joint
        for link in model.forces.iter().filter(|link| !link.force.is_given()) {
            balance.connect(link.bodies);
        }
        for motor in &model.motors {
            for body in model.joints[motor.joint].bodies.into_iter().flatten() {
                balance.driven[body] = true;
            }
        }
        balance
    }

    fn connect(&mut self, bodies: [BodyRef; 2]) {
        match bodies {
            [Some(a), Some(b)] => merge_groups(&mut self.fixed, a, b),
            [Some(a), None] | [None, Some(a)] => self.tied[a] = true,
            [None, None] => {}
        }
    }

    /// Invalidates the stored energies: the state changed other than by a step, or parameters changed.
    pub fn invalidate(&mut self, model: &Model) {
        self.is_known = false;
        self.dissipates = model.forces.iter().any(|link| link.force.dissipates());
    }

    /// The trial step of this balance became the state.
    pub fn accept(&mut self) {
        self.stored.swap(0, 1);
        self.is_known = true;
    }
}

// merges the groups of a and b: a group is identified by its first body
fn merge_groups(group: &mut [usize], a: usize, b: usize) {
    let (first, second) = (group[a].min(group[b]), group[a].max(group[b]));
    if first != second {
        group
            .iter_mut()
            .filter(|g| **g == second)
            .for_each(|g| *g = first);
    }
}

/// Is the energy of steps corrected with these settings? First-order schemes are kept as they are, for comparison.
pub(super) fn is_corrected(settings: &Settings) -> bool {
    let has_order_two = match settings.scheme {
        Scheme::Trapezoidal
        | Scheme::TrapezoidalPrinted
        | Scheme::TrapezoidalAverage
        | Scheme::Extrapolated => true,
        Scheme::General { alpha, gamma } => alpha == 0.5 && gamma == 0.5,
        Scheme::ImplicitEuler | Scheme::ExplicitEuler | Scheme::PositionEuler => false,
    };
    has_order_two && settings.projection && settings.energy_correction
}

/// Computes the balance (5) of the trial step, whose end is projected already and has its poses in the workspace; with `correct` gains and
/// small losses are corrected.
pub(super) fn balance(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    mode: Mode,
    correct: bool,
) {
    if correct && workspace.balance.is_flight(model, &workspace.system) {
        limit_flight(model, state, &mut workspace.trial);
        return;
    }
    let Workspace {
        balance,
        poses,
        twists,
        inputs,
        trial,
        system,
        jacobians,
        ..
    } = &mut *workspace;
    balance.store(model, inputs, poses, twists, 1);
    balance.ensure_start_energies(model, state, inputs, poses, twists);
    trial.losses = Losses::default();
    balance.find_groups(model, loaded_contacts(system));
    balance.add_motion(model, &Ends::of(state, trial));
    balance.add_contacts(model, state, system, trial, mode);
    balance.add_elements(model, state, system, jacobians, trial);
    balance.limit(model, trial, correct);
    let error = balance.error(model, &Ends::of(state, trial), &trial.losses);
    trial.losses.numerical = error;
    if correct && model.n_joint_rows + model.forces.len() > 0 {
        let far = balance.arms.turn_too_far(model, &state.velocity, trial.h)
            || balance.arms.turn_too_far(model, &trial.average, trial.h);
        if far || opens_joints(model, state, workspace) {
            workspace.trial.is_inaccurate = true;
        }
    }
}

// (5), (6), (7) of bodies in free flight: their centres of mass move without an energy error, and so does a body in the plane
fn limit_flight(model: &Model, state: &State, trial: &mut Trial) {
    trial.losses = Losses::default();
    trial.is_inaccurate = false;
    trial.is_lossy = false;
    trial.reverses = false;
    for i in model.rotations() {
        let (mut t0, mut t1, mut error, mut scale) = (0.0, 0.0, 0.0, 0.0);
        for at in i..i + 3 {
            let (m, v0, v1) = (model.mass[at], state.velocity[at], trial.velocity[at]);
            t0 += 0.5 * m * v0 * v0;
            t1 += 0.5 * m * v1 * v1;
            error += 0.5 * m * (v1 - v0) * (v0 + v1);
        }
        for (k, at) in (i - 3..i).enumerate() {
            let (m, v0, v1) = (model.mass[at], state.velocity[at], trial.velocity[at]);
            scale += (m * model.gravity[k]).abs() * (1.0 + trial.position[at].abs());
            scale += 0.5 * m * (v0 * v0 + v1 * v1);
        }
        scale += t0 + t1;
        let rotation = Group {
            kinetic: [t0, t1],
            gained: error,
            scale,
            ..Group::default()
        };
        let Some(energy_error) = rotation.check(false) else {
            continue;
        };
        trial.is_inaccurate |= energy_error.is_inaccurate;
        trial.is_lossy |= energy_error.is_lossy;
        if energy_error.taken != 0.0 {
            let factor = positive(1.0 - energy_error.taken / t1).sqrt();
            trial.velocity[i..i + 3]
                .iter_mut()
                .for_each(|v| *v *= factor);
        }
        trial.losses.numerical += error - energy_error.taken;
    }
}

/// Numerical error of a step taken by another method, with these losses: its energy change beyond them.
pub(super) fn numerical_error(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    losses: &Losses,
) -> f64 {
    let Workspace {
        balance,
        poses,
        twists,
        inputs,
        trial,
        ..
    } = workspace;
    model.poses(&trial.position, poses);
    balance.store(model, inputs, poses, twists, 1);
    balance.ensure_start_energies(model, state, inputs, poses, twists);
    balance.error(model, &Ends::of(state, trial), losses)
}

/// Scales velocities about the centres of mass of free groups so that their kinetic energy decreases by `raised`, as far as available.
pub(super) fn remove_gain(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    raised: f64,
    v: &mut [f64],
) {
    let closed = (0..statuses.len()).filter(|j| statuses[*j].is_closed());
    let Workspace { balance, .. } = workspace;
    balance.find_groups(model, closed);
    balance.add_momenta(model, [v, v]);
    let kinetic = balance.relative_energy(model, v);
    if raised < kinetic {
        let factor = (1.0 - raised / kinetic).sqrt();
        balance.groups.iter_mut().for_each(|of| of.factor = factor);
        balance.scale(model, v);
    }
}

// did the step open a joint that its projection could not close?
fn opens_joints(model: &Model, state: &State, workspace: &mut Workspace) -> bool {
    let n_joints = model.n_joint_rows - model.motors.len();
    let open = max_abs(&workspace.level.residual[..n_joints]);
    if open <= OPEN * (1.0 + max_abs(&workspace.trial.position)) {
        return false;
    }
    model.poses(&state.position, &mut workspace.poses);
    open > 2.0 * assemble::joint_drift(model, workspace)
}

fn n_linear(model: &Model) -> usize {
    if model.is_spatial() { 3 } else { 2 }
}

impl Balance {
    // does only gravity act, in a step of order two?
    fn is_flight(&self, model: &Model, system: &System) -> bool {
        model.n_joint_rows + model.forces.len() + system.contacts.len() == 0
            && self.weights.alpha == 0.5
    }

    /// Energies of the force elements at these poses, those of one end of the step.
    pub fn store(
        &mut self,
        model: &Model,
        inputs: &[Input],
        poses: &Poses,
        twists: &Twists,
        end: usize,
    ) {
        if !model.forces.is_empty() {
            dynamics::stored_energies(model, inputs, poses, twists, &mut self.stored[end]);
        }
    }

    fn ensure_start_energies(
        &mut self,
        model: &Model,
        state: &State,
        inputs: &[Input],
        poses: &mut Poses,
        twists: &Twists,
    ) {
        if !self.is_known {
            self.is_known = true;
            if !model.forces.is_empty() {
                model.poses(&state.position, poses);
                self.store(model, inputs, poses, twists, 0);
            }
        }
    }

    // groups with these contacts
    fn find_groups(&mut self, model: &Model, contacts: impl Iterator<Item = usize>) {
        let Self { group, groups, .. } = self;
        group.clone_from(&self.fixed);
        groups.fill(Group {
            factor: 1.0,
            ..Group::default()
        });
        for contact in contacts {
            match model.contacts[contact].bodies {
                [Some(a), Some(b)] => merge_groups(group, a, b),
                [Some(a), None] | [None, Some(a)] => groups[a].is_tied = true,
                [None, None] => {}
            }
        }
        for i in 0..group.len() {
            let tied = groups[i].is_tied || self.tied[i];
            let of = &mut groups[group[i]];
            of.is_tied |= tied;
            of.is_driven |= self.driven[i];
        }
    }

    /// Energy change beyond these losses.
    pub fn error(&self, model: &Model, ends: &Ends, losses: &Losses) -> f64 {
        let [q0, q1] = ends.position;
        let mut error = losses.damping + losses.friction + losses.impacts - losses.applied;
        for (i, m) in model.mass.iter().enumerate() {
            let [v0, v1] = ends.velocity.map(|v| v[i]);
            error += 0.5 * m * (v1 - v0) * (v0 + v1);
        }
        for body in &model.bodies {
            for k in 0..n_linear(model) {
                let at = body.first + k;
                let way = q1[at] - q0[at];
                error -= model.mass[at] * model.gravity[k] * way;
            }
        }
        let [start, end] = &self.stored;
        error + end.iter().zip(start).map(|(b, a)| b - a).sum::<f64>()
    }

    // mass of each group, and momenta of those that are free
    fn add_momenta(&mut self, model: &Model, velocities: [&[f64]; 2]) {
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let of = &mut self.groups[*g];
            of.mass += model.mass[body.first];
            if of.is_tied {
                continue;
            }
            for (momentum, v) in of.momentum.iter_mut().zip(velocities) {
                for k in 0..n_linear(model) {
                    momentum[k] += model.mass[body.first + k] * v[body.first + k];
                }
            }
        }
    }

    // kinetic energy of velocities, for free groups about their centre of mass
    fn relative_energy(&self, model: &Model, v: &[f64]) -> f64 {
        let n_linear = n_linear(model);
        let mut total = 0.0;
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let u = self.groups[*g].velocity(1);
            for k in 0..body.n_dof {
                let at = body.first + k;
                let v = v[at] - if k < n_linear { u[k] } else { 0.0 };
                total += 0.5 * model.mass[at] * v * v;
            }
        }
        total
    }

    /// Kinetic and potential energies of the groups at both ends of the step.
    pub fn add_motion(&mut self, model: &Model, ends: &Ends) {
        let ([q0, q1], velocity) = (ends.position, ends.velocity);
        let n_linear = n_linear(model);
        self.add_momenta(model, velocity);
        let Self { group, groups, .. } = self;
        for (body, g) in model.bodies.iter().zip(group.iter()) {
            let of = &mut groups[*g];
            let [u0, u1] = [of.velocity(0), of.velocity(1)];
            for k in 0..body.n_dof {
                let at = body.first + k;
                let m = model.mass[at];
                let [mut v0, mut v1] = velocity.map(|v| v[at]);
                if k < n_linear {
                    let weight = m * model.gravity[k];
                    of.scale += weight.abs() * (1.0 + q1[at].abs());
                    if of.is_tied {
                        of.raised -= weight * (q1[at] - q0[at]);
                    } else {
                        v0 -= u0[k];
                        v1 -= u1[k];
                    }
                }
                of.kinetic[0] += 0.5 * m * v0 * v0;
                of.kinetic[1] += 0.5 * m * v1 * v1;
                of.gained += 0.5 * m * (v1 - v0) * (v0 + v1);
            }
        }
        for of in groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.moved = of.raised.abs();
            of.scale += of.kinetic[0] + of.kinetic[1];
            for u in [of.velocity(0), of.velocity(1)] {
                of.scale += 0.5 * of.mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            }
        }
        let [start, end] = &self.stored;
        for (link, (start, end)) in model.forces.iter().zip(start.iter().zip(end)) {
            if let [Some(body), _] | [_, Some(body)] = link.bodies {
                let of = &mut groups[group[body]];
                of.raised += end - start;
                of.moved += (end - start).abs();
                of.scale += start + end;
            }
        }
    }

    // (4)
    fn add_contacts(
        &mut self,
        model: &Model,
        state: &State,
        system: &System,
        trial: &mut Trial,
        mode: Mode,
    ) {
        for (i, &contact) in system.contacts.iter().enumerate() {
            let normal = system.normal(i);
            let loss = |row: usize| -system.impulse[row] * system.columns[row].dot(&trial.average);
            // a contact that is closed or sticks throughout the step does no work: its motion between the ends is an error of the step
            let keeps =
                |row: usize| mode == Mode::FixedMode && system.sticks(i, row, &state.status);
            let loaded_contacts = match mode {
                Mode::FixedMode => 0.0,
                Mode::Complementarity => loss(normal),
            };
            let friction: f64 = (normal + 1..=normal + system.n_friction)
                .filter(|row| !keeps(*row))
                .map(loss)
                .sum();
            let projected = self.friction_work.iter().find(|(j, _)| *j == contact);
            let friction = friction + projected.map_or(0.0, |(_, loss)| *loss);
            let taken = trial.losses.add_contact(loaded_contacts, friction);
            if let [Some(body), _] | [_, Some(body)] = model.contacts[contact].bodies {
                let of = &mut self.groups[self.group[body]];
                of.contacts += taken;
                if mode == Mode::FixedMode && state.status[contact].slides() {
                    let (mut along, mut square) = (0.0, 0.0);
                    for row in normal + 1..=normal + system.n_friction.min(N_TANGENTS) {
                        let column = &system.columns[row];
                        let slides = column.dot(&state.velocity);
                        along += slides * column.dot(&trial.velocity);
                        square += slides * slides;
                    }
                    // a step that ends at a stop does not go beyond it
                    of.stops |= along < -AT_STOP * square;
                }
            }
        }
    }

    // (3)
    fn add_elements(
        &mut self,
        model: &Model,
        state: &State,
        system: &System,
        jacobians: &Jacobians,
        trial: &mut Trial,
    ) {
        let Self {
            group,
            groups,
            works: [start, end],
            weights,
            damping,
            applied,
            ..
        } = self;
        trial.losses.applied += trial.driven;
        for row in system.motor_rows() {
            trial.losses.applied += system.impulse[row] * system.columns[row].dot(&trial.average);
        }
        if !self.dissipates && !self.is_driven {
            return;
        }
        let Weights { h, alpha, .. } = *weights;
        let mean = |start: &[f64], end: &[f64], impulse: &mut [f64]| {
            for ((x, a), b) in impulse.iter_mut().zip(start).zip(end) {
                *x = h * ((1.0 - alpha) * a + alpha * b);
            }
        };
        mean(&start.damping, &end.damping, damping);
        if self.is_driven {
            mean(&start.applied, &end.applied, applied);
        }
        // the step before its projection
        let change = |j: usize| 2.0 * (trial.average[j] - state.velocity[j]);
        let [given, dampers] = weights.by_position;
        let [given_ahead, dampers_ahead] = weights.ahead;
        if self.dissipates && jacobians.any {
            for (i, x) in damping.iter_mut().enumerate() {
                let by_velocity = jacobians.velocity.row(i);
                let by_position = jacobians.damper.row(i);
                for ((j, kv), (_, kq)) in by_velocity.zip(by_position) {
                    if kv != 0.0 || kq != 0.0 {
                        *x += (weights.by_velocity * kv + dampers * kq) * change(j)
                            + dampers_ahead * kq * state.velocity[j];
                    }
                }
            }
            take_out_gyroscopic(model, jacobians, weights.by_velocity, change, damping);
        }
        if self.is_driven && (given != 0.0 || given_ahead != 0.0) {
            for (i, x) in applied.iter_mut().enumerate() {
                for (j, kq) in jacobians.applied.row(i).filter(|(_, kq)| *kq != 0.0) {
                    *x += kq * (given * change(j) + given_ahead * state.velocity[j]);
                }
            }
        }
        let n_linear = n_linear(model);
        for (body, g) in model.bodies.iter().zip(group.iter()) {
            let of = &mut groups[*g];
            let [u0, u1] = [of.velocity(0), of.velocity(1)];
            for k in 0..body.n_dof {
                let at = body.first + k;
                let mut mean = trial.average[at];
                trial.losses.applied += applied[at] * mean;
                if k < n_linear {
                    mean -= 0.5 * (u0[k] + u1[k]);
                }
                of.damping -= damping[at] * mean;
                of.applied += applied[at] * mean;
            }
        }
        for of in groups.iter_mut() {
            of.damping = positive(of.damping);
            trial.losses.damping += of.damping;
        }
    }

    // (5), (6), (7)
    fn limit(&mut self, model: &Model, trial: &mut Trial, correct: bool) {
        trial.is_inaccurate = false;
        trial.is_lossy = false;
        trial.reverses = false;
        let damps = self.weights.alpha >= 1.0;
        let mut scaled = false;
        for of in self.groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.factor = 1.0;
            let Some(energy_error) = of.check(damps).filter(|_| correct) else {
                continue;
            };
            if of.stops {
                // such a step is repeated up to the stop, which must be detected; friction cannot have dissipated more than there was
                trial.reverses = true;
                if of.gained + of.raised <= 0.0 {
                    let most = of.contacts.at_most(trial.losses.friction);
                    trial.losses.friction -= positive(energy_error.error).at_most(most);
                }
                continue;
            }
            trial.is_inaccurate |= energy_error.is_inaccurate;
            trial.is_lossy |= energy_error.is_lossy;
            if energy_error.taken != 0.0 {
                of.factor = positive(1.0 - energy_error.taken / of.kinetic[1]).sqrt();
                scaled = true;
            }
            // dampers cannot have dissipated more than there was
            trial.losses.damping -=
                positive(energy_error.error - energy_error.taken).at_most(of.damping);
        }
        if scaled {
            self.scale(model, &mut trial.velocity);
        }
    }

    /// (6) after a reversal, in a step that is accepted nevertheless: removes its gain.
    pub fn correct_reversed(&mut self, model: &Model, trial: &mut Trial) {
        trial.reverses = false;
        let damps = self.weights.alpha >= 1.0;
        for of in self.groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.factor = 1.0;
            let turned = std::mem::take(&mut of.stops) && of.gained + of.raised > 0.0;
            let taken = of
                .check(damps)
                .map_or(0.0, |energy_error| energy_error.taken);
            if turned && taken > 0.0 {
                of.factor = positive(1.0 - taken / of.kinetic[1]).sqrt();
                trial.losses.numerical -= taken;
            }
        }
        self.scale(model, &mut trial.velocity);
    }

    // (6)
    fn scale(&self, model: &Model, v: &mut [f64]) {
        let n_linear = n_linear(model);
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let of = &self.groups[*g];
            if of.factor == 1.0 {
                continue;
            }
            let u = of.velocity(1);
            for k in 0..body.n_dof {
                let v = &mut v[body.first + k];
                let u = if k < n_linear { u[k] } else { 0.0 };
                *v = u + of.factor * (*v - u);
            }
        }
    }
}

// contacts with a nonzero impulse
fn loaded_contacts(system: &System) -> impl Iterator<Item = usize> {
    let is_loaded = |i: &usize| {
        let normal = system.normal(*i);
        let rows = normal..=normal + system.n_friction;
        system.impulse[rows].iter().any(|c| *c != 0.0)
    };
    let loaded_contacts = (0..system.contacts.len()).filter(is_loaded);
    loaded_contacts.map(|i| system.contacts[i])
}

// gyroscopic torques are not damping
fn take_out_gyroscopic(
    model: &Model,
    jacobians: &Jacobians,
    by_velocity: f64,
    change: impl Fn(usize) -> f64,
    damping: &mut [f64],
) {
    for i in model.rotations() {
        for row in i..i + 3 {
            for k in 0..3 {
                damping[row] -= by_velocity * jacobians.gyroscopic[3 * row + k] * change(i + k);
            }
        }
    }
}

/// The factors of (1) of a step. Terms that its iteration matrix omits have no impulse.
pub(super) fn weights(
    scheme: &Coefficients,
    h: f64,
    force_at: f64,
    (has_metric, has_rest, has_dampers): (bool, bool, bool),
) -> Weights {
    let Coefficients { alpha, gamma, .. } = *scheme;
    let when = |used: bool, x: f64| if used { x } else { 0.0 };
    let (by_position, ahead) = (alpha * gamma * h * h, alpha * (1.0 - force_at) * h * h);
    let dampers = has_metric && has_rest && has_dampers;
    let given = has_metric && has_rest;
    Weights {
        h,
        alpha,
        by_velocity: when(has_metric, alpha * h),
        by_position: [when(given, by_position), when(dampers, by_position)],
        ahead: [when(given, ahead), when(dampers, ahead)],
    }
}

/// Impact energy limiter: if velocities `v` after an impact have more kinetic energy than `most`, they are interpolated towards those after
/// compression, which never gains any, until they have not: the kinetic energy along `vc + s (v - vc)` is a parabola in `s`, and all
/// conditions of the impact are convex along that line. Returns `s` if it was needed.
pub(super) fn limit_impact(
    model: &Model,
    compressed: &[f64],
    most: f64,
    v: &mut [f64],
) -> Option<f64> {
    if kinetic_energy(model, v) <= most * (1.0 + 1e-12) {
        return None;
    }
    let (mut a, mut b) = (0.0, 0.0);
    for ((m, vc), v) in model.mass.iter().zip(compressed).zip(v.iter()) {
        let d = v - vc;
        a += 0.5 * m * d * d;
        b += m * vc * d;
    }
    let c = kinetic_energy(model, compressed) - most;
    let s = if c >= 0.0 || a == 0.0 {
        0.0
    } else {
        ((-b + positive(b * b - 4.0 * a * c).sqrt()) / (2.0 * a)).clamp(0.0, 1.0)
    };
    for (v, vc) in v.iter_mut().zip(compressed) {
        *v = vc + s * (*v - vc);
    }
    Some(s)
}
