//! Assembles the rows of a [`System`] from model and configuration.

use super::coefficients::Coefficients;
use super::compliant;
use super::elements::{self, Span};
use super::energy;
use super::metric::Stiffness;
use super::system::System;
use crate::constraint::GlobalRow;
use crate::dynamics::{self, Jacobians};
use crate::integrate::workspace::Workspace;
use crate::kinds::plane::force::{Detail, Input, Side};
use crate::math::dense::RankRevealing;
use crate::math::{Limit, Quaternion, Vec3, max_abs};
use crate::model::{FixedFeature, Model, N_ROTATION_AXES, N_TANGENTS, Poses, rotation_axes};
use crate::state::{Resistance, Status};

/// Joint equations are dependent when the scaled pivot of their Gram matrix falls below this: the square of an angle of 3e-5 between their
/// gradients, far above the drift of a projected configuration.
const JOINT_RANK_TOLERANCE: f64 = 1e-9;

/// How a contact continues beyond the end of its sharp edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeyondEdges {
    /// Along the line of the edge: steps with fixed statuses, whose event functions detect the end of the edge.
    Line,
    /// Not at all: steps that determine their own statuses.
    Nothing,
}

/// Computes the rows and residuals of joints and contacts of the system at the given poses.
pub(super) fn rows(
    model: &Model,
    poses: &Poses,
    fixed_features: &[FixedFeature],
    beyond: BeyondEdges,
    system: &mut System,
) {
    system.geometry += 1;
    gather(
        model,
        poses,
        fixed_features,
        beyond,
        &system.contacts,
        &mut system.rows,
        Some(Frames {
            residual: &mut system.residual,
            tangents: &mut system.tangents,
            axes: &mut system.axes,
        }),
    );
    friction(model, system);
}

// coefficients of the contacts of a system
fn friction(model: &Model, system: &mut System) {
    system.take_friction(model);
    system.take_compliance(model);
    system.free_rotation();
    system.mass.clone_from(&model.mass);
    if model.is_spatial() {
        let contacts = || system.contacts.iter().map(|&j| &model.contacts[j]);
        system.static_friction.clear();
        system
            .static_friction
            .extend(contacts().map(|c| c.static_friction.at_least(c.friction)));
        if model.resists_rotation() {
            system.resisting.clear();
            system
                .resisting
                .extend(contacts().map(|c| [c.torsional_friction, c.rolling_friction]));
        }
    }
}

/// Data of rows that columns do not have.
struct Frames<'a> {
    residual: &'a mut Vec<f64>,
    tangents: &'a mut Vec<[Vec3; N_TANGENTS]>,
    axes: &'a mut Vec<[Vec3; N_ROTATION_AXES]>,
}

/// Computes the columns at the given poses.
pub(super) fn columns(
    model: &Model,
    poses: &Poses,
    fixed_features: &[FixedFeature],
    beyond: BeyondEdges,
    system: &mut System,
) {
    gather(
        model,
        poses,
        fixed_features,
        beyond,
        &system.contacts,
        &mut system.columns,
        None,
    );
}

fn gather(
    model: &Model,
    poses: &Poses,
    fixed_features: &[FixedFeature],
    beyond: BeyondEdges,
    contacts: &[usize],
    rows: &mut Vec<GlobalRow>,
    mut frames: Option<Frames>,
) {
    rows.clear();
    if let Some(frames) = &mut frames {
        frames.residual.clear();
        frames.tangents.clear();
        frames.axes.clear();
    }
    for link in &model.joints {
        model.joint_rows(link, poses, |row, residual| {
            rows.push(row);
            if let Some(frames) = &mut frames {
                frames.residual.push(residual);
            }
        });
    }
    for coupling in &model.couplings {
        let (residual, row) = model.coupling_row(coupling, poses);
        rows.push(row);
        if let Some(frames) = &mut frames {
            frames.residual.push(residual);
        }
    }
    for drive in &model.drives {
        rows.push(model.drive_row(drive, poses));
        if let Some(frames) = &mut frames {
            // a prescribed position depends on time: see `drive_residuals`
            frames.residual.push(0.0);
        }
    }
    for element in &model.elements {
        rows.push(model.element_row(element, poses));
        if let Some(frames) = &mut frames {
            frames.residual.push(0.0);
        }
    }
    for &index in contacts {
        let (contact, first) = (&model.contacts[index], rows.len());
        let near = model.contact_rows(contact, &fixed_features[index], poses, rows);
        let turning = if model.resists_rotation() {
            near.map_or([Vec3::zeros(); N_ROTATION_AXES], |near| {
                rotation_axes(near.direction, near.tangents[0])
            })
        } else {
            [Vec3::zeros(); N_ROTATION_AXES]
        };
        let in_range = near.filter(|near| beyond == BeyondEdges::Line || near.margin >= BEYOND);
        if in_range.is_none() {
            // another contact covers its point, or its edge has ended: no normal force and no friction
            rows.truncate(first);
            rows.resize(first + 1 + model.n_friction_rows, GlobalRow::default());
        } else if model.resists_rotation() {
            rows.extend(model.rotation_rows(contact, turning, poses));
        }
        let Some(frames) = &mut frames else {
            continue;
        };
        frames
            .residual
            .push(in_range.map_or(f64::INFINITY, |near| near.offset));
        for _ in 0..model.n_friction_rows {
            frames.residual.push(0.0);
        }
        if model.is_spatial() {
            frames
                .tangents
                .push(near.map_or([Vec3::zeros(); N_TANGENTS], |near| near.tangents));
        }
        if model.resists_rotation() {
            frames.axes.push(turning);
        }
    }
}

/// Adds (dG/dt) v to b.
pub(super) fn add_row_rates(model: &Model, workspace: &mut Workspace, v: &[f64]) {
    let Workspace {
        level,
        poses,
        twists,
        fixed_features,
        ..
    } = workspace;
    let mut index = 0;
    for link in &model.joints {
        model.joint_row_rates(link, poses, twists, v, |rate| {
            level.bias[index] += rate;
            index += 1;
        });
    }
    for coupling in &model.couplings {
        level.bias[index] += model.coupling_row_rate(coupling, poses, twists, v);
        index += 1;
    }
    for drive in &model.drives {
        level.bias[index] += model.drive_row_rate(drive, poses, twists, v);
        index += 1;
    }
    for element in &model.elements {
        level.bias[index] += model.element_row_rate(element, poses, twists, v);
        index += 1;
    }
    let n_rows = 1 + model.n_friction_rows;
    for &j in &level.contacts {
        if let Some(rates) =
            model.contact_row_rates(&model.contacts[j], &fixed_features[j], poses, twists, v)
        {
            let n_rates = n_rows.min(rates.len());
            for (b, rate) in level.bias[index..].iter_mut().zip(&rates[..n_rates]) {
                *b += rate;
            }
        }
        if model.resists_rotation()
            && let Some(rates) =
                model.rotation_row_rates(&model.contacts[j], &fixed_features[j], poses, twists, v)
        {
            let first = index + 1 + N_TANGENTS;
            for (b, rate) in level.bias[first..].iter_mut().zip(&rates) {
                *b += rate;
            }
        }
        index += n_rows;
    }
}

/// Sets the residuals of drives at a time and the given poses.
pub(super) fn drive_residuals(
    model: &Model,
    poses: &Poses,
    time: (f64, Side),
    inputs: &[Input],
    system: &mut System,
) {
    let rows = system.drive_rows(model);
    for (drive, residual) in model.drives.iter().zip(&mut system.residual[rows]) {
        *residual = model.drive_residual(drive, poses, time, inputs);
    }
}

/// Prepares `workspace.level` at configuration `q` for a list of contacts, with the mass matrix as metric. Leaves the poses at `q` in the
/// workspace.
pub(super) fn level(
    model: &Model,
    workspace: &mut Workspace,
    q: &[f64],
    contacts: impl Iterator<Item = usize>,
) {
    model.poses(q, &mut workspace.poses);
    let Workspace {
        level,
        level_at,
        poses,
        fixed_features,
        ..
    } = workspace;
    let same = level_at.stays(q, poses, contacts, &mut level.contacts) && model.elements.is_empty();
    if same {
        friction(model, level);
    } else {
        rows(model, poses, fixed_features, BeyondEdges::Line, level);
    }
    level.metric.use_mass(&model.mass);
    level.condense_rows();
}

/// Where the rows of `workspace.level` are those of: a step projects, checks and accelerates at the same configuration.
#[derive(Debug, Default)]
pub(in crate::integrate) struct LevelAt {
    position: Vec<f64>,
    reference: Vec<Quaternion>,
    contacts: Vec<usize>,
    is_known: bool,
}

impl LevelAt {
    /// Storage for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            position: Vec::with_capacity(model.n_velocities),
            reference: Vec::with_capacity(model.bodies.len()),
            contacts: Vec::with_capacity(model.expected_contacts()),
            is_known: false,
        }
    }

    /// Forgets it: the model or the geometry of contacts has changed.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// Is it this configuration?
    pub fn is_at(&self, q: &[f64], poses: &Poses) -> bool {
        self.is_known && self.position == q && self.reference == poses.reference()
    }

    // sets the contacts of the level; true if its rows stay as they are
    fn stays(
        &mut self,
        q: &[f64],
        poses: &Poses,
        contacts: impl Iterator<Item = usize>,
        of_level: &mut Vec<usize>,
    ) -> bool {
        std::mem::swap(&mut self.contacts, of_level);
        of_level.clear();
        of_level.extend(contacts);
        if self.contacts == *of_level && self.is_at(q, poses) {
            return true;
        }
        self.is_known = true;
        self.position.clear();
        self.position.extend_from_slice(q);
        self.reference.clear();
        self.reference.extend_from_slice(poses.reference());
        false
    }
}

/// Updates the fixed geometry at `q` of all near contacts for which `moved` is true, and of compliant ones, whose depth is that to the
/// nearest edge. Leaves their gaps in the workspace.
pub(super) fn update_fixed_features(
    model: &Model,
    workspace: &mut Workspace,
    q: &[f64],
    moved: impl Fn(usize) -> bool,
) {
    gaps(model, workspace, q);
    workspace.level_at.forget();
    let Workspace {
        poses,
        fixed_features,
        near,
        gap,
        ..
    } = workspace;
    for j in near.contacts().filter(|j| gap[*j] <= NEAR) {
        let contact = &model.contacts[j];
        let is_fixed = contact.compliance.is_none() && fixed_features[j].edge.is_some();
        if moved(j) || !is_fixed {
            fixed_features[j] = model.fixed_feature(contact, poses);
        }
    }
}

/// Features of shapes farther apart than this are not evaluated one by one, m: no contact is active there.
pub(super) const NEAR: f64 = 1e-3;

/// A contact this far beyond the end of its sharp edge no longer touches along it, m: slightly more than the distance at which edges are
/// distinguished.
pub(super) const BEYOND: f64 = -2e-9;

/// Gap of every near contact at `q`; infinite where it cannot be active: another contact covers its point, or it is beyond the end of its
/// edge. Contacts of distant shapes get a lower bound of their gaps.
pub(super) fn gaps(model: &Model, workspace: &mut Workspace, q: &[f64]) {
    gaps_within(model, workspace, q, NEAR);
}

/// The same, with the distance beyond which a pair of shapes is distant, m.
pub(super) fn gaps_within(model: &Model, workspace: &mut Workspace, q: &[f64], far: f64) {
    model.poses(q, &mut workspace.poses);
    if model.contacts.is_empty() {
        return;
    }
    let Workspace {
        poses, gap, near, ..
    } = workspace;
    if near.has_gaps_at(q, poses, far) {
        return;
    }
    near.find(model, poses, far, gap);
    for pair in near.pairs() {
        let apart = model.clearance(&model.contacts[pair.start], poses);
        if apart > far {
            gap[pair].fill(apart);
            continue;
        }
        for j in pair {
            gap[j] = model
                .gap(&model.contacts[j], poses)
                .filter(|near| near.margin >= BEYOND)
                .map_or(f64::INFINITY, |near| near.gap);
        }
    }
}

/// Distance of a contact to the end of its sharp edge at the poses in the workspace, m; minus infinity where another contact covers its
/// point.
pub(super) fn margin(
    model: &Model,
    poses: &Poses,
    fixed_features: &[FixedFeature],
    index: usize,
) -> f64 {
    model
        .margin(&model.contacts[index], &fixed_features[index], poses)
        .unwrap_or(f64::NEG_INFINITY)
}

/// Largest joint residual at `q`, m or rad.
pub(super) fn joint_drift_at(model: &Model, workspace: &mut Workspace, q: &[f64]) -> f64 {
    if workspace.level_at.is_at(q, &workspace.poses) {
        let n_joints = model.first_element_row() - model.drives.len();
        return max_abs(&workspace.level.residual[..n_joints]);
    }
    model.poses(q, &mut workspace.poses);
    joint_drift(model, workspace)
}

/// Largest joint residual at the poses in the workspace, m or rad.
pub(super) fn joint_drift(model: &Model, workspace: &Workspace) -> f64 {
    let mut worst: f64 = 0.0;
    for link in &model.joints {
        model.joint_rows(link, &workspace.poses, |_, residual| {
            worst = worst.at_least(residual.abs());
        });
    }
    for coupling in &model.couplings {
        let (residual, _) = model.coupling_row(coupling, &workspace.poses);
        worst = worst.at_least(residual.abs());
    }
    worst
}

/// What can close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Closing {
    Contact(usize),
    /// The two polygons of a contact as a whole, and the overlap at which they count as closed, m.
    Polygons(usize, f64),
}

/// Gap of a contact or of two polygons at `q` and its rate at velocities `v`; infinite where there is none. Moves the poses of its bodies in
/// the workspace.
pub(super) fn closing(
    model: &Model,
    workspace: &mut Workspace,
    what: Closing,
    q: &[f64],
    v: &[f64],
) -> (f64, f64) {
    match what {
        Closing::Contact(index) => gap_and_rate(model, workspace, index, q, v),
        Closing::Polygons(index, slack) => {
            let (gap, rate) = separation_and_rate(model, workspace, index, q, v);
            (gap + slack, rate)
        }
    }
}

/// Deepest overlap at `q`, m, of contacts and of polygons as a whole. Leaves the gaps of the contacts in the workspace.
pub(super) fn deepest_overlap(model: &Model, workspace: &mut Workspace, q: &[f64]) -> f64 {
    gaps(model, workspace, q);
    let Workspace {
        poses, gap, near, ..
    } = workspace;
    let mut deepest: f64 = 0.0;
    for pair in near.pairs() {
        let first = &model.contacts[pair.start];
        // features of distant shapes have a common lower bound
        let is_distant = |gap: &f64| (NEAR..f64::INFINITY).contains(gap);
        if first.compliance.is_some() || gap[pair.clone()].iter().all(is_distant) {
            continue;
        }
        deepest = gap[pair].iter().fold(deepest, |m, gap| m.at_least(-gap));
        if model.clearance_of_bounds(first, poses) <= 0.0
            && let Some((apart, _)) = model.separation(first, poses)
        {
            deepest = deepest.at_least(-apart);
        }
    }
    deepest
}

fn separation_and_rate(
    model: &Model,
    workspace: &mut Workspace,
    index: usize,
    q: &[f64],
    v: &[f64],
) -> (f64, f64) {
    let contact = &model.contacts[index];
    model.poses_of(contact.bodies, q, &mut workspace.poses);
    model
        .separation(contact, &workspace.poses)
        .map_or((f64::INFINITY, 0.0), |(apart, row)| (apart, row.dot(v)))
}

/// Gap of one contact at `q` and its rate at velocities `v`.
pub(super) fn gap_and_rate(
    model: &Model,
    workspace: &mut Workspace,
    index: usize,
    q: &[f64],
    v: &[f64],
) -> (f64, f64) {
    let contact = &model.contacts[index];
    let bodies = model.bodies_of_contact(contact);
    model.poses_of(bodies, q, &mut workspace.poses);
    model
        .gap_and_rate(contact, &workspace.poses, v)
        .unwrap_or((f64::INFINITY, 0.0))
}

/// Marks a maximal independent set of joint equations at `q`.
pub(super) fn select_joints(model: &Model, workspace: &mut Workspace, q: &[f64]) {
    if model.n_joint_rows == 0 {
        return;
    }
    let mut independent = workspace.joints_form_a_tree;
    if !independent {
        level(model, workspace, q, std::iter::empty());
        independent = workspace.level.joints_are_independent();
    }
    if independent {
        workspace.joints.fill(true);
        elements::hold(model, workspace);
        return;
    }
    workspace.level.form_delassus();
    let n_joint = model.first_element_row();
    let order: &mut RankRevealing = &mut workspace.joint_order;
    let matrix = order.start(n_joint);
    if model.elements.is_empty() {
        matrix.copy_from_slice(&workspace.level.delassus);
    } else {
        let rows = workspace.level.delassus.chunks_exact(model.n_joint_rows);
        for (to, row) in matrix.chunks_exact_mut(n_joint.max(1)).zip(rows) {
            to.copy_from_slice(&row[..n_joint]);
        }
    }
    order.factor(JOINT_RANK_TOLERANCE);
    workspace.joints.fill(false);
    for &row in order.independent() {
        workspace.joints[row] = true;
    }
    elements::hold(model, workspace);
}

// contacts that slide in space, roll, or have Stribeck friction do so at the point of their columns: friction opposes that motion, in the
// middle of the step
fn slide_over_columns(
    system: &mut System,
    statuses: &[Status],
    resistance: &[Resistance],
    at_end: bool,
) {
    keep_late_rows(system, statuses, resistance, at_end);
    for i in 0..system.contacts.len() {
        let contact = system.contacts[i];
        let falls = system.stribeck_of(i).is_some() && statuses[contact].slip_sign() != 0.0;
        if statuses[contact] == Status::Slip || falls {
            for row in system.tangent_rows(i) {
                system.rows[row] = system.columns[row];
            }
        }
        if resistance
            .get(contact)
            .is_some_and(|r| r.roll == Status::Slip)
        {
            let spin = system.spin_row(i);
            for row in spin + 1..=spin + 2 {
                system.rows[row] = system.columns[row];
            }
        }
    }
}

// the rows of sliding contacts in space and of rolling contacts at the end of the step
fn keep_late_rows(
    system: &mut System,
    statuses: &[Status],
    resistance: &[Resistance],
    at_end: bool,
) {
    let n = system.contacts.len();
    let rolls = |j: usize| resistance.get(j).is_some_and(|r| r.roll == Status::Slip);
    let slips = |j: &usize| statuses[*j] == Status::Slip || rolls(*j);
    if !at_end || !system.contacts.iter().any(slips) {
        return;
    }
    let mut late = std::mem::take(&mut system.flow.late_rows);
    late.clear();
    late.resize_with(2 * n, Default::default);
    for (i, &j) in system.contacts.iter().enumerate() {
        let rows = |first: usize| [first, first + 1].map(|row| system.rows[row]);
        if statuses[j] == Status::Slip {
            late[i] = rows(system.normal(i) + 1);
        }
        if rolls(j) {
            late[n + i] = rows(system.spin_row(i) + 1);
        }
    }
    system.flow.late_rows = late;
}

/// Rows at `q` of the contacts in `workspace.active` that slide in space or roll, for the flow of `workspace.system`.
pub(super) fn start_rows(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    statuses: &[Status],
    q: &[f64],
) {
    let rolls = |r: &[Resistance], j: usize| r.get(j).is_some_and(|r| r.roll == Status::Slip);
    let Workspace {
        active, resistance, ..
    } = &*workspace;
    let slips = |j: &usize| statuses[*j] == Status::Slip || rolls(resistance, *j);
    if !active.iter().any(slips) {
        return;
    }
    model.poses(q, &mut workspace.poses);
    let Workspace {
        system,
        poses,
        active,
        fixed_features,
        resistance,
        slip_rows,
        ..
    } = workspace;
    let n = active.len();
    system.flow.late = if scheme.row_at == 1.0 || scheme.column_at == 0.0 {
        1.0
    } else {
        scheme.column_at
    };
    let start = &mut system.flow.start_rows;
    start.clear();
    start.resize_with(2 * n, Default::default);
    for (i, &j) in active.iter().enumerate() {
        let contact = &model.contacts[j];
        slip_rows.clear();
        let Some(near) = model.contact_rows(contact, &fixed_features[j], poses, slip_rows) else {
            continue;
        };
        if statuses[j] == Status::Slip {
            start[i] = [slip_rows[1], slip_rows[2]];
        }
        if rolls(resistance, j) {
            let axes = rotation_axes(near.direction, near.tangents[0]);
            let [_, s, t] = model.rotation_rows(contact, axes, poses);
            start[n + i] = [s, t];
        }
    }
}

/// Time, coordinates and velocities at the start of a step.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// Assembles the step of length `h` from its start for the contacts in `workspace.active` (docs/METHOD.md, section 2): metric, free
/// velocity change, rows, columns, W and b. The statuses are fixed if given.
pub(super) fn step_system(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    fixed_statuses: Option<&[Status]>,
    start: Start,
    h: f64,
) -> Stiffness {
    let Start { t, q, v } = start;
    compliant::begin_step(model, workspace, q, v);
    let stiffness = free_motion(model, workspace, scheme, start, h);
    let beyond = match fixed_statuses {
        Some(_) => BeyondEdges::Line,
        None => BeyondEdges::Nothing,
    };
    let Workspace {
        system,
        poses,
        scratch_position,
        active,
        fixed_features,
        resistance,
        ..
    } = workspace;
    system.contacts.clone_from(active);
    system.flow.late_rows.clear();
    if model.n_joint_rows == 0 && active.is_empty() {
        system.rows.clear();
        system.columns.clear();
        system.residual.clear();
        system.bias.clear();
        system.condense();
        return stiffness;
    }
    model.displace(scratch_position, q, scheme.row_at * h, v);
    model.poses(scratch_position, poses);
    rows(model, poses, fixed_features, beyond, system);
    if scheme.column_at == scheme.row_at {
        system.columns.clone_from(&system.rows);
    } else {
        model.displace(scratch_position, q, scheme.column_at * h, v);
        model.poses(scratch_position, poses);
        columns(model, poses, fixed_features, beyond, system);
        if let Some(statuses) = fixed_statuses {
            slide_over_columns(system, statuses, resistance, scheme.row_at == 1.0);
        }
    }
    workspace.system.condense();
    let sigma = scheme.sigma;
    elements::push_in_step(model, workspace, Span::Step { t, h, sigma }, v);
    let Workspace {
        system,
        free,
        scratch_position,
        inputs,
        ..
    } = workspace;
    for ((x, v), dv) in scratch_position.iter_mut().zip(v).zip(free.iter()) {
        *x = scheme.sigma * v + dv;
    }
    // means of a step refer to its middle, end values to its end
    let acts = (t + h / scheme.sigma, Side::Before);
    system.prescribe_speeds(model, scheme.sigma, acts, inputs);
    system.bias_from(scratch_position);
    compliant::yield_in_step(model, workspace, scheme, v, h);
    stiffness
}

/// Metric of a symmetric step, `M - a kv - ag kq`, from the derivatives in the workspace; false if it is singular.
pub(super) fn step_metric(model: &Model, workspace: &mut Workspace, a: f64, ag: f64) -> bool {
    let Workspace {
        jacobians, system, ..
    } = workspace;
    if !jacobians.any {
        system.metric.use_mass(&model.mass);
        return true;
    }
    let (velocity, position) = ((a, &jacobians.velocity), (ag, &jacobians.stiff));
    system.metric.factor_stiff(&model.mass, velocity, position)
}

// Impulse of the forces over the step, in `workspace.free`, with their Jacobians; returns `force_at`, 0 for stiff dampers.
fn force_impulse(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    Start { t, q, v }: Start,
    h: f64,
) -> f64 {
    let Workspace {
        poses,
        twists,
        force,
        force_end,
        jacobians,
        free,
        turns,
        inputs,
        scratch_position,
        balance,
        ..
    } = workspace;
    model.poses(q, poses);
    model.twists(v, twists);
    let [works, works_at_end] = &mut balance.works;
    let Coefficients {
        alpha,
        gamma,
        force_at,
        ..
    } = *scheme;
    if alpha < 1.0 {
        let now = (t, Side::After);
        dynamics::force_and_works(
            model,
            now,
            inputs,
            (poses, twists),
            force,
            Some(works),
            None,
        );
    } else {
        force.fill(0.0);
    }
    let end = (t + h, Side::Before);
    let mut force_at_end = |q: &[f64], jacobians: &mut Jacobians| {
        model.poses(q, poses);
        let wanted = scheme.implicit.then_some((jacobians, Detail::All));
        let works = Some(&mut *works_at_end);
        dynamics::force_and_works(
            model,
            end,
            inputs,
            (poses, twists),
            force_end,
            works,
            wanted,
        );
    };
    let mut force_at = force_at;
    *turns = false;
    if force_at > 0.0 && !model.forces.is_empty() {
        model.displace(scratch_position, q, force_at * h, v);
        force_at_end(scratch_position, jacobians);
        let ahead = jacobians.tension(&model.mass, alpha * gamma * h * h);
        if jacobians.are_stiff(&model.mass, alpha * h, 0.0) {
            // forces of stiff dampers along two directions would not cancel
            force_at = 0.0;
            force_at_end(q, jacobians);
        } else if ahead > 1.0 && alpha < 1.0 {
            // a tension that is already present does no harm
            force_at_end(q, jacobians);
            let before = jacobians.tension(&model.mass, alpha * gamma * h * h);
            *turns = ahead - before > 1.0;
            force_at_end(scratch_position, jacobians);
        }
    } else {
        force_at_end(q, jacobians);
    }
    for ((x, k0), k1) in free.iter_mut().zip(force.iter()).zip(force_end.iter()) {
        *x = h * ((1.0 - alpha) * k0 + alpha * k1);
    }
    force_at
}

/// Metric of the step and the velocity change without constraints.
pub(super) fn free_motion(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    start: Start,
    h: f64,
) -> Stiffness {
    let force_at = force_impulse(model, workspace, scheme, start, h);
    let Workspace {
        twists,
        jacobians,
        free,
        system,
        stiff,
        balance,
        ..
    } = workspace;
    let Coefficients { alpha, gamma, .. } = *scheme;
    if scheme.implicit {
        dynamics::use_antisymmetric_part(model, twists, alpha * h, jacobians);
    }
    *stiff = false;
    if !scheme.implicit || !jacobians.any {
        balance.weights = energy::weights(scheme, h, force_at, (false, false, false));
        system.metric.use_mass(&model.mass);
        system.metric.divide(free);
        return Stiffness::Exact;
    }
    let (a, ag) = (alpha * h, alpha * gamma * h * h);
    *stiff = jacobians.are_stiff(&model.mass, a, ag);
    let Jacobians {
        stiff: by_position,
        rest,
        damper,
        velocity,
        ..
    } = jacobians;
    if !*stiff {
        let dampers = damper.values.iter();
        rest.values
            .iter_mut()
            .zip(dampers)
            .for_each(|(x, d)| *x += d);
    }
    let stiffness = system
        .metric
        .factor(&model.mass, (a, velocity), (ag, by_position), (ag, rest));
    let has_rest = stiffness == Stiffness::Exact;
    balance.weights = energy::weights(scheme, h, force_at, (true, has_rest, !*stiff));
    let ahead = alpha * (1.0 - force_at) * h * h;
    if ahead > 0.0 {
        for (i, x) in free.iter_mut().enumerate() {
            let mut sum = 0.0;
            for ((j, entry), (_, rest)) in by_position.row(i).zip(rest.row(i)) {
                let rest = if has_rest { rest } else { 0.0 };
                sum += (entry + rest) * start.v[j];
            }
            *x += ahead * sum;
        }
    }
    if stiffness != Stiffness::Singular {
        system.metric.divide(free);
    }
    stiffness
}
