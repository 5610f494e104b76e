//! Constraint system in reduced form: the small dense system of steps, impacts, accelerations and projections, each with its own inertia
//! matrix and right-hand side.
//!
//! (1)  x = x_free + A^-1 F c,   A = the metric (mass matrix, or iteration matrix of the step)
//! (2)  G x = W c + b,   W = G A^-1 F,   b = G x_free + the bias of the constraint
//!
//! Rows come in the order: joint equations, then normal and tangents of each contact.
//!
//! If contacts resist rotation, the relative angular velocities about the normal (spin) and about the tangents (rolling) follow. Sliding
//! and rolling are *discs*: two rows with a circular cone each, treated alike in `sliding`.
//!
//! Systems with many rows are solved without W where statuses are fixed (`large`); it is formed where it is needed.

mod body_space;
mod elements;
mod fixed_mode;
mod flow;
mod force_response;
mod large;
mod plane;
mod self_stress;
mod sliding;
mod stribeck;
mod yielding;

pub(in crate::integrate) use elements::{ElementForce, MAX_LOADING};

use super::metric::Metric;
use crate::constraint::GlobalRow;
use crate::dynamics::Layout;
use crate::kinds::plane::force::{Input, Side};
use crate::math::dense::RankRevealing;
use crate::math::{Limit, Vec3, dot3, norm, set_zeros};
use crate::model::{Drive, FrictionElement, Model, N_ROTATION_AXES, N_TANGENTS, Stribeck};
use crate::state::{Resistance, Status};
use std::ops::Range;
use std::sync::Arc;

/// Constraints with a scaled pivot below this are dependent: rounding of products of order one, with a margin for sums.
pub const RANK_TOLERANCE: f64 = 1e-11;

/// The same for large mass ratios: the pivot of a heavy body on a light one is their mass ratio, and must not be taken for a dependence. It
/// is slightly above the rounding error of dependent pivots.
const UNEVEN_RANK_TOLERANCE: f64 = 1e-14;

/// Larger mass ratios are uneven: the complementarity problem loses too many digits to determine statuses.
const UNEVEN: f64 = 1e6;

/// Systems whose last scaled pivot is below this are refined: a heavy body on a light one, whose mass is hardly seen in W. The residual is
/// computed body by body, each with its own mass.
const ILL_CONDITIONED: f64 = 1e-6;

/// Number of iterative refinements; each gains the digits of the factorization.
const REFINEMENTS: usize = 3;

/// Contact forces of a model.
#[derive(Clone, Debug, Default)]
pub struct Forces {
    /// Normal force and magnitude of the friction force, N.
    pub contact_force: Vec<[f64; 2]>,
    /// In world axes, N; none in the plane.
    pub friction: Vec<Vec3>,
    /// Moments of friction in world axes, N m; none if nothing resists rotation.
    pub moment: Vec<Vec3>,
}

/// The system (2) for the joints and a list of contacts.
#[derive(Debug, Default)]
pub struct System {
    /// Number of velocities.
    pub n: usize,
    /// Number of joint equations.
    pub n_joint: usize,
    /// What each friction element exerts, apart from those that stick; their rows are the last joint equations.
    pub elements: Vec<ElementForce>,
    /// Is the mass ratio too large for the complementarity problem?
    pub is_uneven: bool,
    /// Multiplications since they were last taken, about.
    pub operations: u64,
    /// Largest condition number of an ill-conditioned system solved since the last report; 0 for none.
    pub worst_condition: f64,
    /// The contacts, by index in the model.
    pub contacts: Vec<usize>,
    /// Friction coefficient of each of them.
    pub friction: Vec<f64>,
    /// Static friction coefficient; in space.
    pub static_friction: Vec<f64>,
    /// Its Stribeck curve; empty if no contact of the model has one.
    pub stribeck: Vec<Option<Stribeck>>,
    /// Slope of the friction impulse by mean speed, N s/(m/s), and the speed of the linearization: (4). Zeros where the coefficient is
    /// given.
    falling: Vec<[f64; 2]>,
    /// Torsional and rolling coefficients of each of them, m; empty if nothing resists rotation.
    pub resisting: Vec<[f64; 2]>,
    /// Rotational statuses; empty if nothing resists rotation, or if the problem is to determine them.
    pub resistance: Vec<Resistance>,
    /// Rotation axes of each contact in world axes: normal, then tangents. Empty if nothing resists rotation.
    pub axes: Vec<[Vec3; N_ROTATION_AXES]>,
    /// G.
    pub rows: Vec<GlobalRow>,
    /// F, one column per entry.
    pub columns: Vec<GlobalRow>,
    /// Joint residuals, gaps and zeros, one per row.
    pub residual: Vec<f64>,
    /// Counts the changes of rows and columns.
    pub geometry: u64,
    /// M.
    pub mass: Vec<f64>,
    /// A.
    pub metric: Metric,
    /// Are the columns equal to the rows?
    columns_are_rows: bool,
    /// A^-1 F, column by column.
    response: Vec<f64>,
    /// W, row-major; see [`Self::form_delassus`].
    pub delassus: Vec<f64>,
    /// `geometry` and version of the metric for which it was computed.
    delassus_of: Option<(u64, u64)>,
    /// A^-1 F c, of a large system.
    effect: Vec<f64>,
    /// Workspaces of large systems, for all rows and for those of the joints.
    space: large::Spaces,
    joint_space: large::Spaces,
    /// b.
    pub bias: Vec<f64>,
    /// c.
    pub impulse: Vec<f64>,
    /// Is each contact compliant? Empty if the model has only rigid contacts.
    is_compliant: Vec<bool>,
    /// Mobility of each normal, if there are compliant ones, 1/kg.
    mobilities: Vec<f64>,
    /// Rows of the normals in W; empty if all are rigid.
    normals: Vec<yielding::Normal>,
    /// Normal restitution impulse of each contact in an impact, N s: friction is bounded by that of the whole phase. Empty elsewhere.
    pub restituted: Vec<f64>,
    /// Friction rows of each contact.
    pub n_friction: usize,
    /// Tangents of each contact in world axes, in space.
    pub tangents: Vec<[Vec3; N_TANGENTS]>,
    /// Slip direction of each disc along its rows; in space: sliding of all contacts, then their rolling.
    pub direction: Vec<[f64; N_TANGENTS]>,
    /// The factor of (3) for each disc, N s/(m/s) or N m s/(rad/s); 0 where the direction is given.
    turning: Vec<f64>,
    /// Prescribed values of the rows of drives and friction elements, the last of the joint equations; empty if there are none.
    given: Vec<f64>,
    /// Initial guess of the impulses of contacts in space, all rows; empty if there is none.
    pub guess: Vec<f64>,
    /// Directions at the start of the step.
    reference: Vec<[f64; N_TANGENTS]>,
    /// Discs that passed their stop and would reverse.
    is_beyond: Vec<bool>,
    /// Did one of them continue after all? Then the iteration had only overshot.
    overshot: bool,
    /// T v of each disc; in the plane of each contact with Stribeck friction.
    start_speed: Vec<[f64; N_TANGENTS]>,
    /// Constraints act on `sigma v + dv`.
    sigma: f64,
    /// Change of the sliding directions in the last iteration.
    direction_change: f64,
    /// Do slipping discs always follow their velocity? Otherwise they keep their direction, also beyond a stop.
    pub follows_velocity: bool,
    /// Is the first system of a step with sliding contacts solved?
    solved_once: bool,
    /// Bounds mu c_n of the discs in the iteration for their directions, N s or N m s.
    bound: Vec<f64>,
    /// Slip of discs along a step.
    pub(in crate::integrate) flow: flow::Flow,
    unknowns: Vec<fixed_mode::Unknown>,
    /// Unknowns in the simple case.
    simple: Vec<plane::PlaneUnknown>,
    /// Right-hand side and solution, initial guess and stiffness, if unknowns are dependent.
    shares: Vec<f64>,
    nearest_to: Vec<f64>,
    weights: Vec<f64>,
    /// Workspace of `self_stress`: original impulses, their motion, that of a part of them, and contacts that would be in tension.
    kept: Vec<f64>,
    moved: Vec<f64>,
    moved_by: Vec<f64>,
    in_tension: Vec<bool>,
}

impl System {
    /// Storage for all joints and contacts of a model.
    pub fn new(model: &Model, layout: &Arc<Layout>) -> Self {
        if model.time_stepping.is_some() {
            return Self::default();
        }
        let (n, n_joint, n_contacts) = (
            model.n_velocities,
            model.n_joint_rows,
            model.expected_contacts(),
        );
        let n_friction = model.n_friction_rows;
        let k = n_joint + (1 + n_friction) * n_contacts;
        let n_spatial = if model.is_spatial() { n_contacts } else { 0 };
        let n_resisting = if model.resists_rotation() {
            n_contacts
        } else {
            0
        };
        let n_falling = if model.has_stribeck_friction {
            n_contacts
        } else {
            0
        };
        let n_yielding = if model.has_compliant_contacts {
            n_contacts
        } else {
            0
        };
        let n_discs = n_spatial + n_resisting;
        Self {
            n,
            n_joint,
            elements: vec![ElementForce::Solved; model.elements.len()],
            is_uneven: is_uneven(model),
            worst_condition: 0.0,
            operations: 0,
            contacts: Vec::with_capacity(n_contacts),
            friction: Vec::with_capacity(n_contacts),
            static_friction: Vec::with_capacity(n_spatial),
            stribeck: Vec::with_capacity(n_falling),
            falling: Vec::with_capacity(n_falling),
            resisting: Vec::with_capacity(n_resisting),
            resistance: Vec::with_capacity(n_resisting),
            axes: Vec::with_capacity(n_resisting),
            rows: Vec::with_capacity(k),
            columns: Vec::with_capacity(k),
            residual: Vec::with_capacity(k),
            geometry: 0,
            mass: model.mass.clone(),
            metric: Metric::new(layout, &model.mass, model.is_spatial()),
            columns_are_rows: false,
            response: Vec::with_capacity(k * n),
            delassus: Vec::with_capacity(k * k),
            delassus_of: None,
            effect: vec![0.0; n],
            space: large::Spaces::new(model, layout),
            joint_space: large::Spaces::new(model, layout),
            bias: Vec::with_capacity(k),
            impulse: Vec::with_capacity(k),
            is_compliant: Vec::with_capacity(n_yielding),
            mobilities: Vec::with_capacity(n_yielding),
            normals: Vec::with_capacity(n_yielding),
            restituted: Vec::with_capacity(n_contacts),
            n_friction,
            tangents: Vec::with_capacity(n_spatial),
            direction: Vec::with_capacity(n_discs),
            turning: Vec::with_capacity(n_discs),
            given: Vec::with_capacity(model.drives.len() + model.elements.len()),
            guess: Vec::new(),
            reference: Vec::with_capacity(n_discs),
            is_beyond: Vec::with_capacity(n_discs),
            overshot: false,
            start_speed: Vec::with_capacity(n_discs.max(n_falling)),
            sigma: 1.0,
            direction_change: 0.0,
            follows_velocity: false,
            solved_once: false,
            bound: Vec::with_capacity(n_discs),
            flow: flow::Flow::new(k, n_discs),
            unknowns: Vec::with_capacity(k),
            simple: Vec::with_capacity(if n_friction == 1 { k } else { 0 }),
            shares: Vec::with_capacity(k),
            nearest_to: Vec::with_capacity(k),
            weights: Vec::with_capacity(k),
            kept: Vec::with_capacity(k),
            moved: Vec::with_capacity(k),
            moved_by: Vec::with_capacity(k.max(n)),
            in_tension: Vec::with_capacity(n_contacts),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Has it no constraints?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Row of the normal of the `i`-th contact, followed by its tangents.
    pub fn normal(&self, i: usize) -> usize {
        self.n_joint + (1 + self.n_friction) * i
    }

    /// Number of tangents of each contact.
    pub fn n_tangents(&self) -> usize {
        self.n_friction.min(N_TANGENTS)
    }

    /// Rows of the tangents of the `i`-th contact.
    pub fn tangent_rows(&self, i: usize) -> std::ops::RangeInclusive<usize> {
        let normal = self.normal(i);
        normal + 1..=normal + self.n_tangents()
    }

    /// Row of the spin of the `i`-th contact, if contacts resist rotation.
    pub fn spin_row(&self, i: usize) -> usize {
        self.normal(i) + 1 + N_TANGENTS
    }

    /// The rolling disc of the `i`-th contact, if contacts resist rotation.
    pub fn rolling_disc(&self, i: usize) -> usize {
        self.contacts.len() + i
    }

    // the contact of a disc and its first row
    fn disc(&self, k: usize) -> (usize, usize) {
        let n = self.contacts.len();
        if k < n {
            (k, self.normal(k) + 1)
        } else {
            (k - n, self.spin_row(k - n) + 1)
        }
    }

    fn disc_friction(&self, k: usize) -> f64 {
        let n = self.contacts.len();
        if k < n {
            self.friction[k]
        } else {
            self.resisting[k - n][1]
        }
    }

    /// Does the `i`-th contact have sliding friction?
    #[inline]
    pub fn has_friction(&self, i: usize) -> bool {
        self.friction[i] > 0.0
            || self.static_friction.get(i).is_some_and(|mu| *mu > 0.0)
            || self
                .stribeck_of(i)
                .is_some_and(|stribeck| stribeck.at_rest > 0.0)
    }

    /// Is static friction equal to kinetic friction, and does nothing resist rotation?
    pub fn has_plain_friction(&self) -> bool {
        let mut coefficients = self.friction.iter().zip(&self.static_friction);
        self.n_friction <= N_TANGENTS
            && self.stribeck.is_empty()
            && coefficients.all(|(kinetic, rest)| rest <= kinetic)
    }

    /// Normal restitution impulse of the `i`-th contact in an impact, N s.
    #[inline]
    pub fn restituted_at(&self, i: usize) -> f64 {
        self.restituted.get(i).map_or(0.0, |given| *given)
    }

    /// Rotational status of the `i`-th contact.
    pub fn resistance_of(&self, i: usize) -> Resistance {
        self.resistance.get(i).copied().unwrap_or_default()
    }

    /// Resets the rotational statuses: the problem is to determine them.
    pub fn free_rotation(&mut self) {
        self.resistance.clear();
    }

    // does a disc slip if its contact has this status?
    fn slips(&self, k: usize, status: Status) -> bool {
        let n = self.contacts.len();
        if k < n {
            status == Status::Slip
        } else {
            status.is_closed() && self.resistance[k - n].roll == Status::Slip
        }
    }

    /// Prepares the system for its rows, columns and metric.
    pub fn condense(&mut self) {
        self.columns_are_rows = false;
        self.geometry += 1;
        self.prepare();
    }

    /// The same for columns equal to the rows.
    #[inline]
    pub fn condense_rows(&mut self) {
        self.columns_are_rows = true;
        self.prepare();
    }

    #[inline]
    fn prepare(&mut self) {
        if !self.elements.is_empty() {
            // elements change W
            self.geometry += 1;
        }
        self.make_rigid();
        if !self.is_large() {
            self.form_delassus();
        }
        set_zeros(&mut self.impulse, self.rows.len());
        self.guess.clear();
        self.restituted.clear();
        self.elements.fill(ElementForce::Solved);
    }

    /// Computes the responses and W, unless the system has them.
    #[inline]
    pub fn form_delassus(&mut self) {
        let version = (self.geometry, self.metric.version());
        if self.delassus_of == Some(version) {
            return;
        }
        self.delassus_of = Some(version);
        let mut constraints = self.rows.iter().zip(&self.columns);
        let symmetric = self.metric.diagonal().is_some()
            && (self.columns_are_rows
                || constraints.all(|(row, column)| row.has_values_of(column)));
        let columns = if self.columns_are_rows {
            &self.rows
        } else {
            &self.columns
        };
        respond(columns, &mut self.metric, self.n, &mut self.response);
        let (n, k) = (self.n, self.len());
        self.operations += (k * (n + 12 * k)) as u64;
        self.delassus.clear();
        for (i, row) in self.rows.iter().enumerate() {
            // the lower triangle is known by symmetry
            let known = if symmetric { i } else { 0 };
            for j in 0..known {
                self.delassus.push(self.delassus[j * k + i]);
            }
            for j in known..k {
                self.delassus
                    .push(row.product(&self.response[j * n..(j + 1) * n]));
            }
        }
    }

    /// Velocity of a row that the impulses cause: a row of W c. In a large system, that of the last solution.
    #[inline]
    pub fn gained(&self, row: usize) -> f64 {
        if self.is_large() {
            return self.rows[row].dot(&self.effect);
        }
        let k = self.len();
        let w = &self.delassus[row * k..(row + 1) * k];
        w.iter().zip(&self.impulse).map(|(w, c)| w * c).sum()
    }

    /// Sets b to the products of the rows with `x`.
    pub fn bias_from(&mut self, x: &[f64]) {
        self.bias.clear();
        self.bias.extend(self.rows.iter().map(|row| row.product(x)));
        let first = self.n_joint - self.given.len();
        for (b, given) in self.bias[first..].iter_mut().zip(&self.given) {
            *b -= given;
        }
    }

    /// Sets the prescribed values of the rows of drives and friction elements: `factor` times the values of the closures.
    pub fn prescribe(
        &mut self,
        model: &Model,
        factor: f64,
        of: impl Fn(&Drive) -> f64,
        of_element: impl Fn(&FrictionElement) -> f64,
    ) {
        self.given.clear();
        self.given
            .extend(model.drives.iter().map(|drive| factor * of(drive)));
        self.given
            .extend(model.elements.iter().map(|e| factor * of_element(e)));
    }

    /// The same for `factor` times their speeds at a time.
    pub fn prescribe_speeds(
        &mut self,
        model: &Model,
        factor: f64,
        time: (f64, Side),
        inputs: &[Input],
    ) {
        let of_element = |e: &FrictionElement| e.motion.speed(time, inputs);
        self.prescribe(model, factor, |drive| drive.speed(time, inputs), of_element);
    }

    /// The same for their accelerations.
    pub fn prescribe_accelerations(&mut self, model: &Model, time: (f64, Side), inputs: &[Input]) {
        let of_element = |e: &FrictionElement| e.motion.acceleration(time, inputs);
        self.prescribe(
            model,
            1.0,
            |drive| drive.acceleration(time, inputs),
            of_element,
        );
    }

    /// Work of the drives, whose impulses are among those of all rows, while velocities change from `before` to `after`, J.
    pub fn work_of_drives(&self, impulse: &[f64], before: &[f64], after: &[f64]) -> f64 {
        self.driven_rows()
            .map(|row| {
                let row_of = &self.rows[row];
                let mean = 0.5 * (row_of.dot(before) + row_of.dot(after));
                impulse[row] * mean
            })
            .sum()
    }

    /// Rows of all drives of a model.
    pub fn drive_rows(&self, model: &Model) -> Range<usize> {
        self.first_element() - model.drives.len()..self.first_element()
    }

    /// Rows with prescribed values.
    pub fn driven_rows(&self) -> Range<usize> {
        self.n_joint - self.given.len()..self.first_element()
    }

    /// Rows of all friction elements.
    pub fn element_rows(&self) -> Range<usize> {
        self.first_element()..self.n_joint
    }

    /// Prescribed value of a joint equation.
    pub fn prescribed(&self, row: usize) -> f64 {
        let first = self.n_joint - self.given.len();
        row.checked_sub(first)
            .and_then(|i| self.given.get(i))
            .map_or(0.0, |given| *given)
    }

    /// Sets the initial guess of the impulses to `factor` times normal and friction forces (world axes), by contact of the model; in space.
    #[inline]
    pub fn guess_from(&mut self, forces: &Forces, factor: f64) {
        if !forces.friction.is_empty() {
            self.guess_in_space(forces, factor);
        }
    }

    #[inline(never)]
    fn guess_in_space(&mut self, forces: &Forces, factor: f64) {
        let Forces {
            contact_force,
            friction,
            moment,
        } = forces;
        self.guess.clear();
        for (i, contact) in self.contacts.iter().enumerate() {
            let tangents = &self.tangents[i];
            self.guess.push(factor * contact_force[*contact][0]);
            for t in tangents {
                let along = dot3(*t, friction[*contact]) / dot3(*t, *t).at_least(f64::MIN_POSITIVE);
                self.guess.push(factor * along);
            }
            for axis in self.axes.get(i).into_iter().flatten() {
                self.guess.push(factor * dot3(*axis, moment[*contact]));
            }
        }
    }

    /// Friction impulses of the `i`-th contact.
    pub fn friction_impulse(&self, i: usize) -> &[f64] {
        &self.impulse[self.tangent_rows(i)]
    }

    /// Rolling friction impulse of the `i`-th contact, if contacts resist rotation.
    pub fn rolling(&self, i: usize) -> &[f64] {
        let spin = self.spin_row(i);
        &self.impulse[spin + 1..=spin + 2]
    }

    /// Are all normal forces of this system nonnegative, and sticking contacts within their cones? In space, up to rounding of forces of
    /// size `scale`.
    pub fn is_admissible(&self, statuses: &[Status], scale: f64) -> bool {
        self.contacts.iter().enumerate().all(|(i, &contact)| {
            let [normal_impulse, friction_impulse] = self.contact_impulse(i, &self.impulse);
            let within = match statuses[contact] {
                Status::Stick => {
                    let friction = self.static_friction.get(i).unwrap_or(&self.friction[i]);
                    friction_impulse.abs() <= friction * normal_impulse + 1e-12 * scale
                }
                Status::Open
                | Status::Frictionless
                | Status::SlipForward
                | Status::SlipBackward
                | Status::Slip => true,
            };
            let Resistance { spin, roll, .. } = self.resistance_of(i);
            let limit = |kind: usize| self.resisting[i][kind] * normal_impulse + 1e-12 * scale;
            let spins = || self.impulse[self.spin_row(i)].abs() > limit(0);
            let rolls = || norm(self.rolling(i)) > limit(1);
            normal_impulse >= -1e-12 * scale
                && within
                && !(spin == Status::Stick && spins())
                && !(roll == Status::Stick && rolls())
        })
    }

    /// Normal and friction impulse of the `i`-th contact among impulses of all rows; in space the magnitude of the latter.
    pub fn contact_impulse(&self, i: usize, impulse: &[f64]) -> [f64; 2] {
        let normal = self.normal(i);
        match impulse[self.tangent_rows(i)] {
            [friction_impulse] => [impulse[normal], friction_impulse],
            ref friction_impulse => [impulse[normal], norm(friction_impulse)],
        }
    }

    /// Friction of the `i`-th contact in world axes, from impulses of all rows; in space.
    pub fn friction_vector(&self, i: usize, impulse: &[f64]) -> Vec3 {
        let first = self.normal(i) + 1;
        let [t, s] = self.tangents[i];
        t * impulse[first] + s * impulse[first + 1]
    }

    fn rank_tolerance(&self) -> f64 {
        if self.is_uneven {
            UNEVEN_RANK_TOLERANCE
        } else {
            RANK_TOLERANCE
        }
    }

    // is the factored system to be refined?
    fn is_ill_conditioned(&mut self, solver: &RankRevealing) -> bool {
        let pivot = solver.last_pivot();
        if pivot < ILL_CONDITIONED {
            self.worst_condition = self.worst_condition.at_least(1.0 / pivot);
        }
        pivot < ILL_CONDITIONED
    }

    // stores the impulses, which become zero, and their effect on the bodies in `moved_by`
    fn store_impulses(&mut self) {
        let mut moved = std::mem::take(&mut self.moved_by);
        set_zeros(&mut moved, self.n);
        self.add_response(&mut moved);
        self.moved_by = moved;
        self.kept.clone_from(&self.impulse);
        self.impulse.fill(0.0);
    }

    // adds the stored impulses
    fn add_stored_impulses(&mut self) {
        for (c, kept) in self.impulse.iter_mut().zip(&self.kept) {
            *c += kept;
        }
    }

    /// Adds the effect of the impulses to a free motion.
    #[inline]
    pub fn add_response(&mut self, x: &mut [f64]) {
        if self.is_large() {
            self.update_effect();
            x.iter_mut().zip(&self.effect).for_each(|(x, r)| *x += r);
            return;
        }
        if !self.elements.is_empty() {
            return self.add_response_without_given(x);
        }
        for (c, response) in self
            .impulse
            .iter()
            .zip(self.response.chunks_exact(self.n.max(1)))
        {
            if *c != 0.0 {
                x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
            }
        }
    }
}

fn is_uneven(model: &Model) -> bool {
    let masses = || model.bodies.iter().map(|body| model.mass[body.first]);
    let heaviest = masses().fold(0.0, |m: f64, mass| m.at_least(mass));
    masses().any(|mass| heaviest > UNEVEN * mass)
}

// A^-1 F, column by column
fn respond(columns: &[GlobalRow], metric: &mut Metric, n: usize, response: &mut Vec<f64>) {
    set_zeros(response, columns.len() * n);
    let responses = response.chunks_exact_mut(n.max(1));
    for (column, out) in columns.iter().zip(responses) {
        match metric.diagonal() {
            Some(mass) => column.add_divided_to(mass, out),
            None => {
                column.add_to(1.0, out);
                metric.divide(out);
            }
        }
    }
}
