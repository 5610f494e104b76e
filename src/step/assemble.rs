//! From model and configuration to the rows of a [`System`].

use super::coefficients::Coefficients;
use super::system::{GlobalRow, Stiffness, System};
use super::workspace::Workspace;
use crate::collide::Separation;
use crate::constraint::Pose;
use crate::dynamics::{self, Jacobians};
use crate::force::{Detail, Side};
use crate::math::{Dual, Real, dense::RankRevealing};
use crate::model::{BodyRef, Closeness, Contact, ContactKind, Model, pose_of, twist_of};
use std::ops::Range;

/// Joint equations are dependent when the scaled pivot of their Gram matrix falls below this: the square of an
/// angle of 3e-5 between their gradients, far above the drift that a projected configuration has.
const JOINT_RANK_TOLERANCE: f64 = 1e-9;

/// What a contact does beyond the end of its sharp edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeyondEdges {
    /// It goes on along the edge's line: a step with frozen statuses, whose event functions see the end of the edge.
    Line,
    /// It does nothing: a step that finds its own statuses.
    Nothing,
}

/// Fills the rows and residuals of joints and of the system's contacts at the given poses.
pub(super) fn rows(
    model: &Model,
    poses: &[Pose],
    edges: &[Option<usize>],
    beyond: BeyondEdges,
    system: &mut System,
) {
    gather(
        model,
        poses,
        edges,
        beyond,
        &system.contacts,
        &mut system.rows,
        Some(&mut system.residual),
    );
    system.friction.clear();
    system
        .friction
        .extend(system.contacts.iter().map(|&j| model.contacts[j].friction));
}

/// Fills the columns at the given poses.
pub(super) fn columns(
    model: &Model,
    poses: &[Pose],
    edges: &[Option<usize>],
    beyond: BeyondEdges,
    system: &mut System,
) {
    gather(
        model,
        poses,
        edges,
        beyond,
        &system.contacts,
        &mut system.columns,
        None,
    );
}

fn gather(
    model: &Model,
    poses: &[Pose],
    edges: &[Option<usize>],
    beyond: BeyondEdges,
    contacts: &[usize],
    rows: &mut Vec<GlobalRow>,
    mut residual: Option<&mut Vec<f64>>,
) {
    rows.clear();
    if let Some(residual) = residual.as_deref_mut() {
        residual.clear();
    }
    let mut push = |row: GlobalRow, value: f64| {
        rows.push(row);
        if let Some(residual) = residual.as_deref_mut() {
            residual.push(value);
        }
    };
    for link in &model.joints {
        let [a, b] = link.bodies.map(|body| pose_of(poses, body));
        let joint = link.joint.rows(&a, &b);
        for i in 0..joint.n {
            push(
                GlobalRow::new(model, link.bodies, &joint.rows[i]),
                joint.residual[i],
            );
        }
    }
    for &index in contacts {
        let contact = &model.contacts[index];
        let [a, b] = contact.bodies.map(|body| pose_of(poses, body));
        let near = closeness(model, contact, edges[index], &a, &b);
        match near.filter(|near| beyond == BeyondEdges::Line || near.margin >= BEYOND) {
            Some(near) => {
                push(
                    GlobalRow::new(model, contact.bodies, &near.normal),
                    near.offset,
                );
                push(GlobalRow::new(model, contact.bodies, &near.tangent), 0.0);
            }
            // its place went to another contact, or its edge has ended: it neither presses nor rubs
            None => {
                let nothing = GlobalRow::new(model, [None, None], &crate::constraint::Row::zero());
                push(nothing, f64::INFINITY);
                push(nothing, 0.0);
            }
        }
    }
}

/// Adds to b what the rows gain while the bodies move on at constant velocity: (dG/dt) v.
pub(super) fn add_row_rates(model: &Model, workspace: &mut Workspace, v: &[f64]) {
    let Workspace {
        level,
        poses,
        twists,
        edges,
        ..
    } = workspace;
    let moving = |body: BodyRef| pose_of(poses, body).with_rate(&twist_of(twists, body));
    let rate = |bodies: [BodyRef; 2], row: &crate::constraint::Row<Dual>| {
        let rates = crate::constraint::Row {
            a: row.a.map(|x| x.rate),
            b: row.b.map(|x| x.rate),
        };
        GlobalRow::new(model, bodies, &rates).dot(v)
    };
    let mut index = 0;
    for link in &model.joints {
        let [a, b] = link.bodies.map(moving);
        let joint = link.joint.rows(&a, &b);
        for row in &joint.rows[..joint.n] {
            level.bias[index] += rate(link.bodies, row);
            index += 1;
        }
    }
    for &j in &level.contacts {
        let contact = &model.contacts[j];
        let [a, b] = contact.bodies.map(moving);
        if let Some(near) = closeness(model, contact, edges[j], &a, &b) {
            level.bias[index] += rate(contact.bodies, &near.normal);
            level.bias[index + 1] += rate(contact.bodies, &near.tangent);
        }
        index += 2;
    }
}

/// Prepares `workspace.level` at configuration `q` for a list of contacts, with the mass matrix as metric. Leaves
/// the poses at `q` in the workspace.
pub(super) fn level(
    model: &Model,
    workspace: &mut Workspace,
    q: &[f64],
    contacts: impl Iterator<Item = usize>,
) {
    model.poses(q, &mut workspace.poses);
    let Workspace {
        level,
        poses,
        edges,
        ..
    } = workspace;
    level.contacts.clear();
    level.contacts.extend(contacts);
    rows(model, poses, edges, BeyondEdges::Line, level);
    level.columns.clone_from(&level.rows);
    level.condense(&workspace.mass);
}

// the contact on its edge, if it has one
fn closeness<T: Real>(
    model: &Model,
    contact: &Contact,
    edge: Option<usize>,
    a: &Pose<T>,
    b: &Pose<T>,
) -> Option<Closeness<T>> {
    match (&contact.kind, edge) {
        (ContactKind::Feature(feature), Some(edge)) => {
            let near = feature.nearest_on(edge, a, b)?;
            Some(Closeness {
                gap: near.gap,
                normal: near.normal_row(),
                tangent: near.tangent_row(),
                offset: near.offset,
                margin: near.margin,
                gap_row: near.gap_row(),
            })
        }
        _ => model.closeness(contact, a, b),
    }
}

/// Finds the edges of all contacts at `q` that `moved` says may have gone to another one.
pub(super) fn find_edges(
    model: &Model,
    workspace: &mut Workspace,
    q: &[f64],
    moved: impl Fn(usize) -> bool,
) {
    model.poses(q, &mut workspace.poses);
    for (j, contact) in model.contacts.iter().enumerate() {
        if let ContactKind::Feature(feature) = &contact.kind
            && (moved(j) || workspace.edges[j].is_none())
        {
            let [a, b] = contact.bodies.map(|body| pose_of(&workspace.poses, body));
            workspace.edges[j] = feature.edge(&a, &b);
        }
    }
}

/// A contact this far beyond the end of its sharp edge no longer touches along it, m: a little more than the distance
/// at which edges are told apart.
pub(super) const BEYOND: f64 = -2e-9;

/// Gap of every contact at `q`; infinite where it cannot press: another contact looks after the place, or it is beyond
/// the end of its edge.
pub(super) fn gaps(model: &Model, workspace: &mut Workspace, q: &[f64]) {
    model.poses(q, &mut workspace.poses);
    for (contact, gap) in model.contacts.iter().zip(&mut workspace.gap) {
        let [a, b] = contact.bodies.map(|body| pose_of(&workspace.poses, body));
        *gap = model
            .closeness(contact, &a, &b)
            .filter(|near| near.margin >= BEYOND)
            .map_or(f64::INFINITY, |near| near.gap);
    }
}

/// How far a contact is from the end of its sharp edge at the poses in the workspace, m; minus infinity where another
/// contact looks after the place.
pub(super) fn margin(model: &Model, poses: &[Pose], edges: &[Option<usize>], index: usize) -> f64 {
    let contact = &model.contacts[index];
    let [a, b] = contact.bodies.map(|body| pose_of(poses, body));
    closeness(model, contact, edges[index], &a, &b).map_or(f64::NEG_INFINITY, |near| near.margin)
}

/// Largest joint residual at the poses in the workspace, m or rad.
pub(super) fn joint_drift(model: &Model, workspace: &Workspace) -> f64 {
    let mut worst: f64 = 0.0;
    for link in &model.joints {
        let [a, b] = link.bodies.map(|body| pose_of(&workspace.poses, body));
        let joint = link.joint.rows(&a, &b);
        for residual in &joint.residual[..joint.n] {
            worst = worst.max(residual.abs());
        }
    }
    worst
}

/// What can close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Closing {
    Contact(usize),
    /// The two polygons to which a contact belongs, as wholes, and the overlap at which they count as closed, m.
    Polygons(usize, f64),
}

/// Gap of a contact or of two polygons at `q` and its rate at velocities `v`; infinite where there is none.
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

/// The contacts of each pair of shapes.
pub(super) fn pairs(model: &Model) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    let chunks = model.contacts.chunk_by(|a, b| a.pair == b.pair);
    chunks.map(move |pair| {
        let start = end;
        end += pair.len();
        start..end
    })
}

/// Deepest overlap at `q`, m, of contacts and of polygons as wholes. Leaves the gaps of the contacts in the workspace.
pub(super) fn deepest_overlap(model: &Model, workspace: &mut Workspace, q: &[f64]) -> f64 {
    gaps(model, workspace, q);
    let of_contacts = workspace.gap.iter().fold(0.0, |m: f64, gap| m.max(-gap));
    pairs(model)
        .filter_map(|pair| separation(model, &workspace.poses, pair.start))
        .fold(of_contacts, |m, apart| m.max(-apart.gap))
}

fn separation(model: &Model, poses: &[Pose], index: usize) -> Option<Separation> {
    let contact = &model.contacts[index];
    let ContactKind::Feature(feature) = &contact.kind else {
        return None;
    };
    let [a, b] = contact.bodies.map(|body| pose_of(poses, body));
    feature.separation(&a, &b)
}

fn separation_and_rate(
    model: &Model,
    workspace: &mut Workspace,
    index: usize,
    q: &[f64],
    v: &[f64],
) -> (f64, f64) {
    model.poses(q, &mut workspace.poses);
    match separation(model, &workspace.poses, index) {
        Some(apart) => {
            let row = GlobalRow::new(model, model.contacts[index].bodies, &apart.row);
            (apart.gap, row.dot(v))
        }
        None => (f64::INFINITY, 0.0),
    }
}

/// Gap of one contact at `q` and its rate at velocities `v`.
pub(super) fn gap_and_rate(
    model: &Model,
    workspace: &mut Workspace,
    index: usize,
    q: &[f64],
    v: &[f64],
) -> (f64, f64) {
    model.poses(q, &mut workspace.poses);
    let contact = &model.contacts[index];
    let [a, b] = contact.bodies.map(|body| pose_of(&workspace.poses, body));
    match model.closeness(contact, &a, &b) {
        Some(near) => {
            let row = GlobalRow::new(model, contact.bodies, &near.gap_row);
            (near.gap, row.dot(v))
        }
        None => (f64::INFINITY, 0.0),
    }
}

/// Marks a maximal independent set of joint equations at `q`.
pub(super) fn select_joints(model: &Model, workspace: &mut Workspace, q: &[f64]) {
    let n_joint = model.n_joint_rows;
    if n_joint == 0 {
        return;
    }
    level(model, workspace, q, std::iter::empty());
    let order: &mut RankRevealing = &mut workspace.joint_order;
    order
        .start(n_joint)
        .copy_from_slice(&workspace.level.delassus);
    order.factor(JOINT_RANK_TOLERANCE);
    workspace.joints.fill(false);
    for &row in order.independent() {
        workspace.joints[row] = true;
    }
}

/// Assembles the step of length `h` from `(t, q, v)` for the contacts in `workspace.active` (docs/METHOD.md,
/// section 2): metric, free change of velocity, rows, columns, W and b.
pub(super) fn step_system(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    beyond: BeyondEdges,
    t: f64,
    q: &[f64],
    v: &[f64],
    h: f64,
) -> Stiffness {
    let stiffness = free_motion(model, workspace, scheme, t, q, v, h);
    let Workspace {
        system,
        poses,
        place,
        active,
        edges,
        ..
    } = workspace;
    system.contacts.clone_from(active);
    if model.n_joint_rows == 0 && active.is_empty() {
        system.rows.clear();
        system.columns.clear();
        system.residual.clear();
        system.bias.clear();
        system.condense(&workspace.mass);
        return stiffness;
    }
    move_by(place, q, scheme.row_at * h, v);
    model.poses(place, poses);
    rows(model, poses, edges, beyond, system);
    if scheme.column_at == scheme.row_at {
        system.columns.clone_from(&system.rows);
    } else {
        move_by(place, q, scheme.column_at * h, v);
        model.poses(place, poses);
        columns(model, poses, edges, beyond, system);
    }
    condense_with_step_metric(workspace);
    let Workspace {
        system,
        free,
        place,
        ..
    } = workspace;
    for ((x, v), dv) in place.iter_mut().zip(v).zip(free.iter()) {
        *x = scheme.sigma * v + dv;
    }
    system.bias_from(place);
    stiffness
}

/// Condenses `workspace.system` with the metric of the last [`free_motion`].
pub(super) fn condense_with_step_metric(workspace: &mut Workspace) {
    let Workspace {
        system,
        mass,
        step_metric,
        step_has_metric,
        ..
    } = workspace;
    system.condense(if *step_has_metric { step_metric } else { mass });
}

/// Metric of a symmetric step, `M - a kv - ag kq`, from the derivatives in the workspace; false if it is singular.
pub(super) fn step_metric(model: &Model, workspace: &mut Workspace, a: f64, ag: f64) -> bool {
    let Workspace {
        jacobians,
        step_metric,
        step_has_metric,
        ..
    } = workspace;
    *step_has_metric = jacobians.any;
    !jacobians.any
        || step_metric.factor_stiff(
            &model.mass,
            (a, &jacobians.velocity),
            (ag, &jacobians.stiff),
        )
}

/// Divides `workspace.free` by the metric of the step.
pub(super) fn divide_by_step_metric(workspace: &mut Workspace) {
    let Workspace {
        free,
        mass,
        step_metric,
        step_has_metric,
        ..
    } = workspace;
    if *step_has_metric {
        &*step_metric
    } else {
        &*mass
    }
    .divide(free);
}

/// Metric of the step and the change of velocity without constraints.
pub(super) fn free_motion(
    model: &Model,
    workspace: &mut Workspace,
    scheme: &Coefficients,
    t: f64,
    q: &[f64],
    v: &[f64],
    h: f64,
) -> Stiffness {
    let Workspace {
        poses,
        twists,
        force,
        force_end,
        jacobians,
        free,
        mass,
        step_metric,
        step_has_metric,
        stiff,
        inputs,
        ..
    } = workspace;
    model.poses(q, poses);
    model.twists(v, twists);
    let Coefficients { alpha, gamma, .. } = *scheme;
    if alpha < 1.0 {
        dynamics::force(model, (t, Side::After), inputs, poses, twists, force, None);
    } else {
        force.fill(0.0);
    }
    let wanted = scheme.implicit.then_some((&mut *jacobians, Detail::All));
    dynamics::force(
        model,
        (t + h, Side::Before),
        inputs,
        poses,
        twists,
        force_end,
        wanted,
    );
    for ((x, k0), k1) in free.iter_mut().zip(force.iter()).zip(force_end.iter()) {
        *x = h * ((1.0 - alpha) * k0 + alpha * k1);
    }
    *stiff = false;
    *step_has_metric = scheme.implicit && jacobians.any;
    if !*step_has_metric {
        mass.divide(free);
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
    let n = model.n_velocities;
    if !*stiff {
        rest.iter_mut()
            .zip(damper.iter())
            .for_each(|(x, d)| *x += d);
    }
    let stiffness = step_metric.factor(&model.mass, (a, velocity), (ag, by_position), (ag, rest));
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..n {
            let mut entry = by_position[i * n + j];
            if stiffness == Stiffness::Exact {
                entry += rest[i * n + j];
            }
            sum += entry * v[j];
        }
        free[i] += alpha * h * h * sum;
    }
    if stiffness != Stiffness::Singular {
        step_metric.divide(free);
    }
    stiffness
}

/// `out = q + factor v`.
pub(super) fn move_by(out: &mut [f64], q: &[f64], factor: f64, v: &[f64]) {
    for ((x, q), v) in out.iter_mut().zip(q).zip(v) {
        *x = q + factor * v;
    }
}
