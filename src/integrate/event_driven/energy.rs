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
//! the velocities (and invariant to a common one): they hold after (6) as before. Groups with drives are not scaled.

mod arms;
mod balance;
mod elements;
mod limiter;

use super::assemble;
use super::coefficients::Coefficients;
use super::compliant;
use super::trial::{Mode, Trial};
use crate::dynamics::{self, Works};
use crate::integrate::report::Report;
use crate::integrate::workspace::Workspace;
use crate::math::{Limit, max_abs, positive};
use crate::model::{BodyRef, Model};
use crate::state::State;
use arms::Arms;
use balance::loaded_contacts;
use limiter::{NOISE, limit_flight};
pub(super) use limiter::{is_corrected, limit_impact, remove_gain};

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
    /// Is something in it held by joints, force elements or rigid contacts? Otherwise only compliant contacts act on it.
    is_held: bool,
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
    /// Energy that is taken from the velocity change instead, J.
    taken: f64,
}

/// Workspace of the balance.
#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Balance {
    /// By body: its group by joints and force elements, identified by its first body.
    fixed: Vec<usize>,
    /// By body: is it connected to the ground by them, and does a drive act on it?
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
    /// Change of the elastic energy of compliant contacts in the step, J.
    elastic_change: f64,
    /// Friction work at sliding contacts in the projection of the step, J.
    pub friction_work: Vec<(usize, f64)>,
    /// The same at sliding friction elements.
    pub element_work: Vec<f64>,
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
            elastic_change: 0.0,
            friction_work: Vec::with_capacity(model.expected_contacts()),
            element_work: vec![0.0; model.elements.len()],
            damping: vec![0.0; n],
            applied: vec![0.0; n],
            group: vec![0; n_bodies],
            groups: vec![Group::default(); n_bodies],
            arms: Arms::new(model),
        };
        for link in &model.joints {
            balance.connect(link.bodies);
        }
        for element in &model.elements {
            balance.connect(element.bodies);
            if element.is_driven() {
                for body in element.bodies.into_iter().flatten() {
                    balance.driven[body] = true;
                }
            }
        }
        // an applied force acts on one body, or on those of a joint; the line of a flange leads to the ground
        for link in &model.forces {
            if !link.force.is_given() || link.is_spring_line() {
                balance.connect(link.bodies);
            }
        }
        for coupling in &model.couplings {
            for pair in coupling.bodies.windows(2) {
                balance.connect([Some(pair[0]), Some(pair[1])]);
            }
        }
        for drive in &model.drives {
            for body in model.bodies_of(drive).into_iter().flatten() {
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
        self.dissipates =
            model.has_compliant_contacts || model.forces.iter().any(|link| link.force.dissipates());
    }

    /// No friction work in the projection of the step so far.
    pub fn clear_friction_work(&mut self) {
        self.friction_work.clear();
        self.element_work.fill(0.0);
    }

    /// Gains below this are rounding, J.
    pub fn rounding(&self) -> f64 {
        let scales = self.groups.iter().map(|of| of.scale);
        NOISE * scales.sum::<f64>()
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

/// Computes the balance (5) of the trial step, whose end is projected already and has its poses in the workspace; with `correct` gains and
/// small losses are corrected.
pub(super) fn balance(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    mode: Mode,
    correct: bool,
) {
    let flies =
        workspace.released.is_empty() && workspace.balance.is_flight(model, &workspace.system);
    if correct && flies {
        limit_flight(model, state, &mut workspace.trial);
        return;
    }
    compliant::find_works(model, state, workspace, mode);
    let Workspace {
        balance,
        poses,
        twists,
        inputs,
        trial,
        system,
        jacobians,
        element_status,
        compliant_works,
        ..
    } = &mut *workspace;
    balance.elastic_change = compliant_works.iter().map(|work| work.stored).sum();
    balance.store(model, inputs, poses, twists, 1);
    balance.ensure_start_energies(model, state, inputs, poses, twists);
    trial.losses = Losses::default();
    balance.find_groups(model, loaded_contacts(system));
    balance.add_motion(model, &Ends::of(state, trial));
    balance.add_contacts(model, state, (system, compliant_works), trial, mode);
    balance.add_friction_elements(model, state, system, element_status, trial, inputs);
    balance.add_elements(model, state, system, jacobians, trial);
    balance.limit(model, &state.velocity, trial, correct);
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
    let mut elastic = |q: &[f64]| {
        model.poses(q, poses);
        dynamics::elastic_energy(model, poses)
    };
    balance.elastic_change = match model.has_compliant_contacts {
        true => -elastic(&state.position) + elastic(&trial.position),
        false => 0.0,
    };
    model.poses(&trial.position, poses);
    balance.store(model, inputs, poses, twists, 1);
    balance.ensure_start_energies(model, state, inputs, poses, twists);
    balance.error(model, &Ends::of(state, trial), losses)
}

// did the step open a joint that its projection could not close?
fn opens_joints(model: &Model, state: &State, workspace: &mut Workspace) -> bool {
    let n_joints = model.first_element_row() - model.drives.len();
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
