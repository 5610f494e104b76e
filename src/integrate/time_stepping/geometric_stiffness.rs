//! Geometric stiffness: joint reactions rotate with the bodies, and a body between joints in tension oscillates. If the step is too long to
//! resolve that, these forces are evaluated at the actual middle of the step, not at the predicted one. Springs and forces applied at a
//! point have geometric stiffness as well, but are evaluated at the predicted middle: (4) is for joints alone.
//!
//! ```text
//! (1)  a force F at an arm r, both in the axes of the body, resists a rotation of it with   K = F.r - (F r^T + r F^T)/2
//! (2)  a rod or spring of length L with tension F resists a transverse motion with          k = F / L
//! (3)  additional inertia, as rows with a compliance:                                       r = -a (u' - u)
//!      about the axes x of J^-1/2 K J^-1/2 x = omega^2 x,  u = x.J^1/2 w:    a = (h omega)^2 / 2 - 1
//!      across a rod, where an impulse changes u by 1/m:                      a = h^2 k / 2 - m / 2
//! (4)  the work of (3) is W = sum r (u + u')/2. While |W| is more than 1e-7 of the kinetic energy of a group, it is solved
//!      again: rows of joints at q + h (v + v')/4 of the last solution, its F, and its u' in place of u in (3)
//! (5)  v' <- f v' with T' f^2 - P f = T' - P - W,   P = (h/2) m g.v', the potential energy lost with v': W is restored.
//!      A free group (not connected to the ground) falls as one, whatever moves within: W is taken from that (`limit`)
//! ```
//!
//! Modes with `h omega` of at most the square root of 2 have no such row. (4) is Newton's method for the implicit midpoint rule, with which
//! joints do no work. Initially F is that of the last step. A rod shares its bodies with its neighbours, hence twice its 1/m.

use super::assemble::{along, index, inverse_mass, moving_body, row};
use super::impact::energy;
use super::limit;
use super::locate::span_of;
use super::{Six, Step, Work};
use crate::contact::body_blocks::{Body, GROUND, Joint, Row};
use crate::dynamics;
use crate::integrate::{StepError, Workspace};
use crate::kinds::plane::force::Side;
use crate::kinds::space::inertia::principal;
use crate::kinds::space::{self, Pose};
use crate::math::{Limit, Mat3, Vec3, dot3, most_across, positive};
use crate::model::{BodyRef, space_pose_of};

/// Work that is ignored, as a part of the kinetic energy (4).
const NEGLIGIBLE_WORK: f64 = 1e-7;

/// More work than this part of the kinetic energy, as in an impact, is left to the balance of the step.
const MAX_WORK: f64 = 0.1;

/// Maximum number of iterations of (4).
const REPETITIONS: usize = 4;

/// A row of (3).
#[derive(Clone, Copy, Debug)]
struct StiffnessRow {
    bodies: [u32; 2],
    row: Row,
    impulse: f64,
    /// Is it due to joint reactions alone, so that (4) applies?
    is_of_joints: bool,
}

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct GeometricStiffnessRows {
    /// (1) of each body, N m s, and whether it is due to joints alone.
    resistance: Vec<(Mat3, bool)>,
    /// The last rows of the problem.
    rows: Vec<StiffnessRow>,
    /// Work of the rows of each body, and of those due to joints alone, J.
    works: Vec<[f64; 2]>,
    /// Of each group: is it to be solved again (4)?
    unconverged: Vec<bool>,
}

impl Step<'_> {
    /// Computes (3) of all groups. Poses are those of the rows of joints, which are in the problem, with impulses of the last step.
    pub(super) fn find_geometric_stiffness(&mut self) {
        let work = &mut self.workspace.time_stepping;
        work.geometric_stiffness.rows.clear();
        if self.model.joints.is_empty() && self.model.forces.is_empty() {
            return;
        }
        work.is_chosen.clear();
        work.is_chosen.resize(self.model.bodies.len(), true);
        self.compute_selected();
        let Work {
            geometric_stiffness,
            start,
            ..
        } = &mut self.workspace.time_stepping;
        for stiffness in &mut geometric_stiffness.rows {
            stiffness.row.bias = -along(&stiffness.row, stiffness.bodies, start);
        }
    }

    // (3) of the selected groups, without biases
    fn compute_selected(&mut self) {
        let Workspace {
            poses,
            twists,
            inputs,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let all_poses = poses.space();
        let Work {
            geometric_stiffness,
            constraints,
            rows,
            impulse,
            span,
            bodies,
            is_chosen,
            ..
        } = work;
        geometric_stiffness.resistance.clear();
        geometric_stiffness
            .resistance
            .resize(bodies.len(), (Mat3::zeros(), true));
        let mut add = |bodies: [u32; 2], row: Row, is_of_joints: bool| {
            geometric_stiffness.rows.push(StiffnessRow {
                bodies,
                row,
                impulse: 0.0,
                is_of_joints,
            });
        };
        let is_chosen = |bodies: [BodyRef; 2]| bodies.iter().flatten().any(|i| is_chosen[*i]);
        let mut at: usize = constraints
            .iter()
            .map(|constraint| constraint.contact.rows())
            .sum();
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let own = at..at + joint.n_rows();
            at = own.end;
            let Some(anchors) = joint.anchors() else {
                continue;
            };
            if !is_chosen(link.bodies) {
                continue;
            }
            let (rows, impulse) = (&rows[own.clone()], &impulse[own]);
            for side in 0..2 {
                if let Some(i) = link.bodies[side] {
                    let force = all_poses[i].turn_back(impulse_on(side, rows, impulse));
                    geometric_stiffness.resistance[i].0 += resistance(force, anchors[side]);
                }
            }
            if let space::joint::Joint::Distance(rod) = joint {
                let stiffness = -span_of(link.bodies, span) * impulse[0] / rod.length;
                for row in across(link.bodies, anchors, stiffness, all_poses, bodies) {
                    add(link.bodies.map(index), row, true);
                }
            }
        }
        let now = (self.state.time + 0.5 * self.h, Side::After);
        for (n, link) in self.model.forces.iter().enumerate() {
            if !is_chosen(link.bodies) {
                continue;
            }
            let Some(line) = dynamics::line_force(self.model, n, now, inputs, poses, twists) else {
                continue;
            };
            let h = span_of(link.bodies, span);
            let forces = [-line.force * h, line.force * h];
            for ((body, force), anchor) in link.bodies.into_iter().zip(forces).zip(line.anchors) {
                if let Some(i) = body {
                    let own = resistance(all_poses[i].turn_back(force), anchor);
                    let (sum, is_of_joints) = &mut geometric_stiffness.resistance[i];
                    *sum += own;
                    *is_of_joints &= own == Mat3::zeros();
                }
            }
            if line.length < f64::INFINITY {
                let [a, b] = link.bodies.map(|body| space_pose_of(all_poses, body));
                let way = b.point(line.anchors[1]) - a.point(line.anchors[0]);
                let stiffness = -h * h * dot3(line.force, way) / (line.length * line.length);
                for row in across(link.bodies, line.anchors, stiffness, all_poses, bodies) {
                    add(link.bodies.map(index), row, false);
                }
            }
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            if let [_, _, _, x, y, z] = self.model.mass[body.first..body.first + body.n_dof] {
                let (resistance, is_of_joints) = geometric_stiffness.resistance[i];
                for row in about(resistance * span[i], Vec3::new(x, y, z)) {
                    add([i as u32, GROUND], row, is_of_joints);
                }
            }
        }
    }

    /// Appends (3) to the problem, after all other rows.
    pub(super) fn add_geometric_stiffness(&mut self) {
        let Work {
            geometric_stiffness,
            joints,
            rows,
            impulse,
            ..
        } = &mut self.workspace.time_stepping;
        for stiffness in &geometric_stiffness.rows {
            rows.push(stiffness.row);
            impulse.push(stiffness.impulse);
            joints.push(Joint {
                bodies: stiffness.bodies,
                rows: 1,
            });
        }
    }

    /// The problem has none.
    pub(super) fn clear_geometric_stiffness(&mut self) {
        self.workspace
            .time_stepping
            .geometric_stiffness
            .rows
            .clear();
    }

    fn remove_geometric_stiffness(&mut self) {
        let Work {
            geometric_stiffness,
            joints,
            rows,
            impulse,
            ..
        } = &mut self.workspace.time_stepping;
        let n = geometric_stiffness.rows.len();
        let others = rows.len() - n;
        for (stiffness, impulse) in geometric_stiffness.rows.iter_mut().zip(&impulse[others..]) {
            stiffness.impulse = *impulse;
        }
        rows.truncate(others);
        impulse.truncate(others);
        joints.truncate(joints.len() - n);
    }

    /// (4), (5).
    pub(super) fn iterate_geometric_stiffness(&mut self) -> Result<(), StepError> {
        if self
            .workspace
            .time_stepping
            .geometric_stiffness
            .rows
            .is_empty()
            || self.imposes_joints_at_end
        {
            return Ok(());
        }
        for repetition in 0.. {
            self.find_joint_work();
            let has_converged = !self
                .workspace
                .time_stepping
                .geometric_stiffness
                .unconverged
                .contains(&true);
            if has_converged || repetition == REPETITIONS {
                break;
            }
            self.select_unconverged();
            self.remove_geometric_stiffness();
            self.evaluate_at_midpoint();
            self.add_geometric_stiffness();
            self.solve_chosen()?;
            self.settle_elements()?;
        }
        self.return_joint_work();
        Ok(())
    }

    // W of (4)
    fn find_joint_work(&mut self) {
        let Work {
            bodies,
            impulse,
            start,
            end,
            geometric_stiffness,
            solvers,
            ..
        } = &mut self.workspace.time_stepping;
        geometric_stiffness.works.clear();
        geometric_stiffness.works.resize(bodies.len(), [0.0; 2]);
        let impulse = &impulse[impulse.len() - geometric_stiffness.rows.len()..];
        for (stiffness, r) in geometric_stiffness.rows.iter().zip(impulse) {
            let twice = |velocities: &[Six]| along(&stiffness.row, stiffness.bodies, velocities);
            let work = 0.5 * r * (twice(start) + twice(end));
            let works = &mut geometric_stiffness.works[moving_body(stiffness.bodies)];
            works[0] += work;
            works[1] += f64::from(stiffness.is_of_joints) * work;
        }
        geometric_stiffness.unconverged.clear();
        for k in 0..solvers.islands.count() {
            let group = solvers.islands.island(k).bodies;
            let [_, work] = geometric_stiffness.work(group).map(f64::abs);
            let is_unconverged = work > 0.0 && work > NEGLIGIBLE_WORK * energy(bodies, group, end);
            geometric_stiffness.unconverged.push(is_unconverged);
        }
    }

    fn select_unconverged(&mut self) {
        let Work {
            geometric_stiffness,
            solvers,
            is_chosen,
            ..
        } = &mut self.workspace.time_stepping;
        is_chosen.fill(false);
        for (k, is_unconverged) in geometric_stiffness.unconverged.iter().enumerate() {
            for i in solvers.islands.island(k).bodies {
                is_chosen[*i as usize] = *is_unconverged;
            }
        }
    }

    // (4) of the selected groups
    fn evaluate_at_midpoint(&mut self) {
        self.update_poses();
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut **workspace;
        let Work {
            middle,
            moved,
            span,
            start,
            end,
            constraints,
            rows,
            is_chosen,
            ..
        } = work;
        moved.resize(model.n_velocities, 0.0);
        for (i, body) in model.bodies.iter().enumerate() {
            for k in 0..body.n_dof {
                moved[body.first + k] = 0.25 * span[i] * (start[i][k] + end[i][k]);
            }
        }
        model.displace(middle, &state.position, 1.0, moved);
        model.poses(middle, poses);
        let mut at: usize = constraints
            .iter()
            .map(|constraint| constraint.contact.rows())
            .sum();
        for link in &model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let own = at..at + joint.n_rows();
            at = own.end;
            if !link.bodies.iter().flatten().any(|i| is_chosen[*i]) {
                continue;
            }
            let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
            for (entry, gradient) in rows[own].iter_mut().zip(joint.rows(a, b).rows) {
                *entry = row(&gradient, 0.0);
                entry.bias = along(entry, link.bodies.map(index), start);
            }
        }
        let is_of_others = |stiffness: &StiffnessRow| !is_chosen[moving_body(stiffness.bodies)];
        work.geometric_stiffness.rows.retain(is_of_others);
        let n_others = work.geometric_stiffness.rows.len();
        self.compute_selected();
        let Work {
            geometric_stiffness,
            start,
            end,
            ..
        } = &mut self.workspace.time_stepping;
        for stiffness in &mut geometric_stiffness.rows[n_others..] {
            let from = if stiffness.is_of_joints {
                &*end
            } else {
                &*start
            };
            stiffness.row.bias = -along(&stiffness.row, stiffness.bodies, from);
        }
    }

    // (5); prescribed speeds are kept
    fn return_joint_work(&mut self) {
        let gravity = self.model.gravity;
        let driven = self.model.drives.iter();
        let driven = driven.flat_map(|drive| self.model.bodies_of(drive));
        let is_driven = |i: u32| driven.clone().any(|body| body == Some(i as usize));
        let Work {
            bodies,
            constraints,
            joints,
            impulse,
            end,
            geometric_stiffness,
            span,
            solvers,
            ..
        } = &mut self.workspace.time_stepping;
        // rows of (3) come after all others, and connect nothing
        let others = &joints[..joints.len() - geometric_stiffness.count()];
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let group = island.bodies;
            let [work, _] = geometric_stiffness.work(group);
            let kinetic = energy(bodies, group, end);
            let is_much = work.abs() > MAX_WORK * kinetic;
            if work == 0.0 || is_much || group.iter().any(|i| is_driven(*i)) {
                continue;
            }
            if limit::is_free(&island, constraints, others, |row| impulse[row] > 0.0) {
                limit::take(self.model, self.state, group, true, end, work);
                continue;
            }
            let mut fall = 0.0;
            for i in group.iter().map(|i| *i as usize) {
                for k in 0..3 {
                    let inverse = bodies[i].inverse_mass[k][k];
                    fall += 0.5 * span[i] * gravity[k] * end[i][k] / inverse;
                }
            }
            // close to a reversal of the group, its energy hardly depends on the speed
            if fall < kinetic {
                let motor_target = positive(kinetic - fall - work.at_least(-kinetic));
                let factor =
                    (fall + (fall * fall + 4.0 * kinetic * motor_target).sqrt()) / (2.0 * kinetic);
                for &i in group {
                    end[i as usize].iter_mut().for_each(|v| *v *= factor);
                }
            }
        }
    }
}

impl GeometricStiffnessRows {
    /// Number of rows of (3).
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    // work of the rows of a group, J
    fn work(&self, group: &[u32]) -> [f64; 2] {
        [0, 1].map(|k| group.iter().map(|i| self.works[*i as usize][k]).sum())
    }
}

// impulse on one of the two bodies by impulses along rows, in world axes
fn impulse_on(side: usize, rows: &[Row], impulse: &[f64]) -> Vec3 {
    let mut force = Vec3::zeros();
    for (row, r) in rows.iter().zip(impulse) {
        let [x, y, z, ..] = row.entries[side];
        force += Vec3::new(x, y, z) * *r;
    }
    force
}

// (1)
fn resistance(force: Vec3, arm: Vec3) -> Mat3 {
    let product = force * arm.transpose();
    Mat3::from_diagonal_element(dot3(force, arm)) - (product + product.transpose()) * 0.5
}

// (3) of a body with these moments of inertia, from h^2 K
fn about(resistance: Mat3, moments: Vec3) -> impl Iterator<Item = Row> {
    let least = moments.x.at_most(moments.y).at_most(moments.z);
    let swings = resistance.norm() > 2.0 * least;
    let root = moments.map(f64::sqrt);
    let modes = swings.then(|| {
        // eigenvalues from 1 on are what the rounding of the axes is relative to
        principal(&Mat3::from_fn(|i, j| {
            let scaled = 0.5 * resistance[(i, j)] / (root[i] * root[j]);
            if i == j { 1.0 + scaled } else { scaled }
        }))
    });
    modes.into_iter().flat_map(move |modes| {
        (0..3).filter_map(move |m| {
            let inertia = modes.moments[m] - 2.0;
            let axis = modes.axes.column(m).component_mul(&root);
            let entries = [0.0, 0.0, 0.0, axis.x, axis.y, axis.z];
            (inertia > f64::EPSILON).then(|| with_inertia([entries, [0.0; 6]], inertia))
        })
    })
}

// (3) across the line between two points, from h^2 k
fn across<'a>(
    ends: [BodyRef; 2],
    anchors: [Vec3; 2],
    stiffness: f64,
    poses: &[Pose],
    bodies: &'a [Body],
) -> impl Iterator<Item = Row> + use<'a> {
    let [a, b] = ends.map(|body| space_pose_of(poses, body));
    let arms = [a.turn(anchors[0]), b.turn(anchors[1])];
    let way = (b.position + arms[1]) - (a.position + arms[0]);
    let along = way / dot3(way, way).sqrt();
    let directions = space::tangents(along, most_across(along));
    let rows = directions
        .map(|direction| space::Row::relative_velocity(direction, (a, arms[0]), (b, arms[1])));
    let ends = ends.map(index);
    rows.into_iter().filter_map(move |gradient| {
        let row = row(&gradient, 0.0);
        let mass = 1.0 / inverse_mass(&row, ends, bodies);
        let inertia = 0.5 * (stiffness - mass);
        (inertia > f64::EPSILON * mass).then(|| with_inertia(row.entries, inertia))
    })
}

fn with_inertia(entries: [[f64; 6]; 2], inertia: f64) -> Row {
    Row {
        entries,
        bias: 0.0,
        compliance: 1.0 / inertia,
    }
}
