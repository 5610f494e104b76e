//! Energy balance of a step, and its correction: the energy limiter of `event_driven::energy`, for the groups of time stepping.
//!
//! ```text
//! (1)  a force element along a row that moves with u, u':   r = h (f + w (d + k h w) (u' - u))
//!      its damper has the part   r_d = h (f_d + w d (u' - u)),   and dissipates   -r_d (u + u')/2
//! (2)  applied forces:  h f . (v + v')/2;    contacts:  -r G (v + v')/2, and the additional fall of a group that moves with v'
//! (3)  E' - E = W - L + error,   E, E': kinetic and potential energy of a group at the start and after the last position stabilization
//! (4)  a gain is taken from the kinetic energy of the group, a small loss is restored (`limit`); the rest is reported
//! ```
//!
//! Groups are bodies connected by joints and force elements, and by loaded contacts of the step. Losses of contacts are meaningful as a sum
//! over the group: friction losses are nonnegative, and the rest counts as impacts.

use super::assemble::{along, moving_body};
use super::{Six, Step, Work, limit};
use crate::contact::body_blocks::{ContactConstraint, GROUND, Row};
use crate::integrate::Workspace;
use crate::integrate::event_driven::energy::{Ends, Group, Losses};
use crate::math::{Groups, Limit, Vec3, positive};
use crate::model::Model;
use crate::state::State;

/// Losses up to this part of the kinetic energy are restored if the step cannot be shortened.
const MAX_RESTORED: f64 = 0.1;

/// The same if stiff elements are damped, which are not to be excited by it.
const MAX_DAMPED: f64 = 0.01;

/// A force element along a row (1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Damper {
    pub bodies: [u32; 2],
    pub row: Row,
    /// `h f_d`, N s.
    pub impulse: f64,
    /// `h w d`, N s per velocity.
    pub by_rate: f64,
}

/// Workspace of the balance.
#[derive(Debug, Default)]
pub(super) struct EnergyBalance {
    groups: Groups,
    /// Contributions of each body.
    of_bodies: Vec<OfBody>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// Dissipative force elements of the substep.
    pub dampers: Vec<Damper>,
    /// Bodies in the order of their groups, and the first one of each group.
    members: Vec<u32>,
    first: Vec<u32>,
    scaled: Vec<Six>,
}

#[derive(Clone, Copy, Debug, Default)]
struct OfBody {
    losses: Losses,
    /// Impulse of applied forces, N s.
    given: Vec3,
    /// Energy added by position stabilization, J.
    lifted: f64,
    /// Is it connected to the ground, or driven by a motor or belt?
    is_tied: bool,
    is_driven: bool,
    /// Is a numerically damped force element connected to it?
    is_damped: bool,
    /// Was there an impact in its group, so that a shorter step would not help?
    has_impact: bool,
}

/// Result of the balance of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// A gain, or a loss, requests a shorter step.
    pub is_inaccurate: bool,
    pub is_lossy: bool,
    losses: Losses,
}

impl EnergyBalance {
    /// Starts the balance of a step.
    fn begin(&mut self, model: &Model, state: &State) {
        self.position.clone_from(&state.position);
        self.velocity.clone_from(&state.velocity);
        let n = model.bodies.len();
        self.groups.reset(n);
        self.of_bodies.clear();
        self.of_bodies.resize(n, OfBody::default());
        for link in &model.joints {
            self.connect(link.bodies.map(super::assemble::index));
        }
        for link in model.forces.iter().filter(|link| !link.force.is_given()) {
            self.connect(link.bodies.map(super::assemble::index));
        }
        for coupling in &model.couplings {
            self.connect(coupling.pair().map(super::assemble::index));
        }
        for drive in &model.drives {
            for body in model.bodies_of(drive).into_iter().flatten() {
                self.drive(body);
            }
        }
    }

    /// Merges the groups of two bodies; the ground only marks the other one as connected.
    pub fn connect(&mut self, bodies: [u32; 2]) {
        match bodies {
            [GROUND, GROUND] => {}
            [GROUND, i] | [i, GROUND] => self.of_bodies[i as usize].is_tied = true,
            [i, j] => self.groups.join(i as usize, j as usize),
        }
    }

    /// The same for loaded contacts.
    pub fn connect_loaded(&mut self, constraints: &[ContactConstraint], impulse: &[f64]) {
        let mut row = 0;
        for constraint in constraints {
            if impulse[row] != 0.0 {
                self.connect(constraint.bodies);
            }
            row += constraint.contact.rows();
        }
    }

    /// Losses of the group of a body.
    pub fn at(&mut self, body: usize) -> &mut Losses {
        &mut self.of_bodies[body].losses
    }

    /// Position stabilization raised the energy of a body, J.
    pub fn lift(&mut self, body: usize, energy: f64) {
        self.of_bodies[body].lifted += energy;
    }

    pub fn damp(&mut self, bodies: [u32; 2]) {
        self.of_bodies[moving_body(bodies)].is_damped = true;
    }

    /// The speed of a body is prescribed.
    pub fn drive(&mut self, body: usize) {
        self.of_bodies[body].is_driven = true;
    }

    pub fn impact(&mut self, body: usize) {
        self.of_bodies[body].has_impact = true;
    }

    // sorts bodies by group
    fn sort(&mut self) {
        let n = self.of_bodies.len();
        self.first.clear();
        self.first.resize(n + 2, 0);
        // counting sort: counts shifted by two become, once filled, the starts
        for i in 0..n {
            self.first[self.groups.root(i) + 2] += 1;
        }
        for i in 2..n + 2 {
            self.first[i] += self.first[i - 1];
        }
        self.members.clear();
        self.members.resize(n, 0);
        for i in 0..n {
            let next = &mut self.first[self.groups.root(i) + 1];
            self.members[*next as usize] = i as u32;
            *next += 1;
        }
    }

    // total of a group
    fn sum(&self, root: usize) -> OfBody {
        let [from, to] = [root, root + 1].map(|i| self.first[i] as usize);
        let mut sum = OfBody::default();
        for i in &self.members[from..to] {
            let of = &self.of_bodies[*i as usize];
            sum.losses.applied += of.losses.applied;
            sum.losses.damping += of.losses.damping;
            sum.losses.friction += of.losses.friction;
            sum.losses.impacts += of.losses.impacts;
            sum.given += of.given;
            sum.lifted += of.lifted;
            sum.is_damped |= of.is_damped;
            sum.has_impact |= of.has_impact;
        }
        sum
    }

    fn ends<'a>(&'a self, state: &'a State, velocity: &'a [f64]) -> Ends<'a> {
        Ends {
            position: [&self.position, &state.position],
            velocity: [&self.velocity, velocity],
        }
    }
}

impl Step<'_> {
    pub(super) fn begin_balance(&mut self) {
        let energy_balance = &mut self.workspace.time_stepping.energy_balance;
        energy_balance.begin(self.model, self.state);
        if self.model.forces.is_empty() {
            return;
        }
        self.update_poses();
        self.copy_inputs();
        let mut balance = std::mem::take(&mut self.workspace.balance);
        let Workspace {
            poses,
            twists,
            inputs,
            ..
        } = &*self.workspace;
        balance.store(self.model, inputs, poses, twists, 0);
        self.workspace.balance = balance;
    }

    /// (1), (2) of applied forces.
    pub(super) fn add_element_work(&mut self) {
        if self.model.forces.is_empty() {
            return;
        }
        let Work {
            energy_balance,
            start,
            end,
            span,
            force,
            ..
        } = &mut self.workspace.time_stepping;
        let EnergyBalance {
            of_bodies, dampers, ..
        } = energy_balance;
        for damper in dampers.iter() {
            let [u, after] = [&*start, &*end].map(|v| along(&damper.row, damper.bodies, v));
            let impulse = damper.impulse + damper.by_rate * (after - u);
            of_bodies[moving_body(damper.bodies)].losses.damping -= impulse * 0.5 * (u + after);
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            let of = &mut of_bodies[i];
            for k in 0..body.n_dof {
                let given = span[i] * force[body.first + k];
                of.losses.applied += given * 0.5 * (start[i][k] + end[i][k]);
                if k < 3 {
                    of.given[k] += given;
                }
            }
        }
    }

    /// (3), (4) of all groups.
    pub(super) fn close_balance(&mut self) -> Outcome {
        self.update_poses();
        let mut balance = std::mem::take(&mut self.workspace.balance);
        let mut energy_balance = std::mem::take(&mut self.workspace.time_stepping.energy_balance);
        let mut velocity = std::mem::take(&mut self.workspace.time_stepping.moved);
        let Workspace {
            poses,
            twists,
            inputs,
            ..
        } = &*self.workspace;
        balance.store(self.model, inputs, poses, twists, 1);
        balance.groups.fill(Group::default());
        energy_balance.sort();
        for (i, of) in energy_balance.of_bodies.iter().enumerate() {
            let root = energy_balance.groups.root(i);
            balance.group[i] = root;
            let group = &mut balance.groups[root];
            group.is_tied |= of.is_tied;
            group.is_driven |= of.is_driven;
        }
        velocity.clone_from(&self.state.velocity);
        balance.add_motion(self.model, &energy_balance.ends(self.state, &velocity));
        let mut outcome = Outcome::default();
        for (root, group) in balance.groups.iter_mut().enumerate() {
            if group.mass > 0.0 {
                self.limit(
                    group,
                    &mut energy_balance,
                    root,
                    &mut outcome,
                    &mut velocity,
                );
            }
        }
        let mut losses = outcome.losses;
        losses.numerical = balance.error(
            self.model,
            &energy_balance.ends(self.state, &velocity),
            &losses,
        );
        losses.add_to(self.report);
        self.state.velocity.copy_from_slice(&velocity);
        self.workspace.time_stepping.moved = velocity;
        self.workspace.time_stepping.energy_balance = energy_balance;
        self.workspace.balance = balance;
        outcome
    }

    // (4) of a group
    fn limit(
        &mut self,
        group: &mut Group,
        energy_balance: &mut EnergyBalance,
        root: usize,
        outcome: &mut Outcome,
        velocity: &mut [f64],
    ) {
        let sum = energy_balance.sum(root);
        let [u0, u1] = [group.velocity(0), group.velocity(1)];
        let with_centre = (0..3).map(|k| 0.5 * sum.given[k] * (u0[k] + u1[k]));
        group.applied = sum.losses.applied - with_centre.sum::<f64>();
        group.damping = positive(sum.losses.damping);
        group.contacts = positive(sum.losses.friction + sum.losses.impacts);
        let friction = sum.losses.friction.at_most(group.contacts);
        let mut losses = [group.contacts - friction, friction, group.damping];
        if let Some(energy_error) = group.check(false) {
            outcome.is_lossy |= energy_error.is_lossy && !sum.has_impact;
            let most_given = if sum.is_damped {
                MAX_DAMPED
            } else {
                MAX_RESTORED
            };
            let is_given = !sum.has_impact && energy_error.error >= -most_given * group.kinetic[1];
            let motor_target = if group.is_at_rest(energy_error.error) {
                0.0
            } else if energy_error.error > 0.0 {
                energy_error.taken
            } else if is_given {
                energy_error.error
            } else {
                0.0
            };
            let mut taken = 0.0;
            if motor_target != 0.0 {
                let EnergyBalance {
                    members,
                    first,
                    scaled,
                    ..
                } = energy_balance;
                let members = &members[first[root] as usize..first[root + 1] as usize];
                taken = self.take_energy(members, !group.is_tied, motor_target, scaled, velocity);
            }
            // no more can have been dissipated than there was
            let mut left = positive(energy_error.error - taken);
            for loss in &mut losses {
                let less = left.at_most(*loss);
                *loss -= less;
                left -= less;
            }
            outcome.is_inaccurate |= energy_error.is_inaccurate && (!sum.has_impact || left > 0.0);
            // truncated sweeps lift as well
            let most = match self.time_stepping.options.sweeps {
                Some(_) => left,
                None => positive(sum.lifted),
            };
            let lifted = left.at_most(most);
            self.report.lifted += lifted;
            self.report.impact_loss += lifted;
        }
        outcome.losses.applied += sum.losses.applied;
        outcome.losses.impacts += losses[0];
        outcome.losses.friction += losses[1];
        outcome.losses.damping += losses[2];
    }

    // takes energy from these bodies; returns how much could be taken
    fn take_energy(
        &self,
        members: &[u32],
        is_free: bool,
        motor_target: f64,
        scaled: &mut Vec<Six>,
        velocity: &mut [f64],
    ) -> f64 {
        let bodies = &self.model.bodies;
        scaled.resize(bodies.len(), [0.0; 6]);
        for i in members.iter().map(|i| *i as usize) {
            let own = bodies[i].first..bodies[i].first + bodies[i].n_dof;
            scaled[i][..own.len()].copy_from_slice(&velocity[own]);
        }
        let taken = limit::take(
            self.model,
            self.state,
            members,
            is_free,
            scaled,
            motor_target,
        );
        for i in members.iter().map(|i| *i as usize) {
            let own = bodies[i].first..bodies[i].first + bodies[i].n_dof;
            velocity[own.clone()].copy_from_slice(&scaled[i][..own.len()]);
        }
        taken
    }
}
