//! Position stabilization at the end of each step: overlaps and open joints are closed by the smallest motion in the mass metric.
//!
//! ```text
//! (1)  d = M^-1 G^T s,    0 <= G_n d + gap | s_n >= 0,    joints: G d + residual = 0
//!      drives: the same with the error of their coordinates to the integral of the prescribed speed over the step
//!      sleeping bodies are fixed; contacts between them are ignored
//! ```
//!
//! Its work is an error of the step (`balance`).

use super::assemble::{index, row};
use super::position_gauss_seidel::PositionGaussSeidel;
use super::solve::Solvers;
use super::{BAND, MAX_SHIFT, Six, Step, Work};
use crate::contact::body_blocks::{Body, ContactConstraint, Effort, Joint, Problem, Row};
use crate::contact::dense::Contact;
use crate::integrate::Workspace;
use crate::integrate::event_driven::accept;
use crate::kinds::plane::force::Side;
use crate::kinds::space;
use crate::math::Limit;
use crate::model::{BodyRef, Motion, space_pose_of};

/// Remaining overlaps up to this are accepted, m: half the band of closed contacts.
const OVERLAP: f64 = 5e-8;

/// The same with `sweeps`: below a micrometre, which is reported.
pub(super) const BOUNDED_OVERLAP: f64 = 8e-7;

/// Sweeps end with changes of this, m: remaining overlaps are then mostly accepted.
const CONVERGED_CHANGE: f64 = 2.5e-7;

/// Sweeps include contacts with gaps up to this, m: more than any body is moved, so that none is pushed into its neighbour.
const NEAR: f64 = 1e-4;

/// Without sweeps, or after them, contacts up to this multiple of the last overlap are included: the largest motion that it may cause.
const MARGIN_FACTOR: f64 = 3.0;

/// Joint errors below this are accepted, m or rad: an iteration squares the error, and a tenth of a nanometre is not worth another one.
const OPEN: f64 = 1e-10;

/// Maximum number of iterations: each squares the position errors. With `sweeps` overlaps may be large, and bodies pushed apart meet
/// others.
const ROUNDS: usize = 20;
const BOUNDED_ROUNDS: usize = 60;

/// Iterations with sweeps; the remaining overlaps, as in tall stacks, are then solved for directly.
const SWEPT_ROUNDS: usize = 10;

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct Stabilization {
    bodies: Vec<Body>,
    constraints: Vec<ContactConstraint>,
    joints: Vec<Joint>,
    rows: Vec<Row>,
    gauss_seidel: PositionGaussSeidel,
    way: Vec<f64>,
    moved: Vec<f64>,
    /// Motion of each body, m and rad.
    shifts: Vec<Six>,
    pub(super) solvers: Solvers,
}

impl Step<'_> {
    pub(super) fn stabilize_positions(&mut self) {
        let (allowed, rounds) = if self.is_swept() {
            (BOUNDED_OVERLAP, BOUNDED_ROUNDS)
        } else {
            (OVERLAP, ROUNDS)
        };
        let (mut last, mut strayed) = (0.0, 0.0);
        for substep in 0.. {
            self.update_poses();
            let is_swept = self.is_swept() && substep < SWEPT_ROUNDS;
            // bodies must not be pushed into near ones
            let nearest = if self.is_swept() { NEAR } else { BAND };
            let within = if is_swept {
                nearest
            } else {
                nearest.at_least(MARGIN_FACTOR * last)
            };
            let (overlap, drift) = self.assemble_stabilization(is_swept, within);
            last = overlap;
            if (overlap <= allowed && drift <= OPEN) || substep == rounds {
                self.report.worst_penetration = self.report.worst_penetration.at_least(overlap);
                self.report.worst_joint_drift = self.report.worst_joint_drift.at_least(drift);
                self.report.end_penetration = overlap;
                return;
            }
            self.shift(is_swept);
            strayed += self.furthest_shift();
            // near pairs were searched up to this distance
            if strayed > MAX_SHIFT {
                self.find_all_pairs();
                strayed = 0.0;
            }
        }
    }

    // the largest motion of a body, in parts of its size
    fn furthest_shift(&self) -> f64 {
        let moved = &self.workspace.time_stepping.stabilization.moved;
        let sum = |d: &[f64]| d.iter().map(|x| x.abs()).sum::<f64>();
        let with_shapes = self.model.bodies.iter().filter(|body| body.extent > 0.0);
        with_shapes.fold(0.0, |most: f64, body| {
            let d = &moved[body.first..body.first + body.n_dof];
            let (way, turn) = d.split_at(3);
            most.at_least(sum(way) / body.extent + sum(turn))
        })
    }

    // are overlaps closed by sweeps?
    fn is_swept(&self) -> bool {
        self.time_stepping.options.sweeps.is_some() && self.model.joints.is_empty()
    }

    // rows of (1) at the current poses; returns the deepest overlap and the largest joint error
    fn assemble_stabilization(&mut self, is_swept: bool, within: f64) -> (f64, f64) {
        self.find_stops(|_, _, gap| gap <= BAND);
        let sleep_timer = &self.state.time_stepping.sleep_timer;
        let rests = |body: BodyRef| body.is_none_or(|i| sleep_timer[i] == f64::INFINITY);
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let places = &*poses;
        let poses = poses.space();
        let Work {
            points,
            stops,
            found,
            stabilization,
            drive_target,
            ..
        } = work;
        let skip = |[a, b]: [BodyRef; 2]| rests(a) && rests(b);
        points.update(self.time_stepping, poses, within, skip, found);
        let gaps = found.iter().map(|point| point.gap);
        let gaps = gaps.chain(stops.iter().map(|stop| stop.gap));
        let overlap = gaps.fold(0.0, |m: f64, gap| m.at_least(-gap));
        if is_swept {
            return (overlap, 0.0);
        }
        let Stabilization {
            constraints,
            joints,
            rows,
            ..
        } = stabilization;
        constraints.clear();
        joints.clear();
        rows.clear();
        let mut drift: f64 = 0.0;
        // bodies at joints cannot be moved by contacts that are off by rounding
        let slack = if self.model.joints.is_empty() {
            0.0
        } else {
            0.5 * OVERLAP
        };
        let mut add = |bodies: [u32; 2], gradient: &space::Row, gap: f64| {
            rows.push(row(gradient, gap + slack));
            constraints.push(ContactConstraint {
                bodies,
                contact: Contact::new(&[]),
            });
        };
        for point in found.iter() {
            let bodies = point.bodies.map(|body| awake(body, sleep_timer));
            add(bodies, &point.normal_row(poses), point.gap);
        }
        for stop in stops.iter() {
            let bodies = self.model.contacts[stop.contact].bodies;
            add(bodies.map(index), &stop.gradient, stop.gap);
        }
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let [a, b] = link.bodies.map(|body| space_pose_of(poses, body));
            let equations = joint.rows(a, b);
            for i in 0..equations.n {
                drift = drift.at_least(equations.residual[i].abs());
                rows.push(row(&equations.rows[i], equations.residual[i]));
            }
            joints.push(Joint {
                bodies: link.bodies.map(index),
                rows: equations.n,
            });
        }
        for coupling in &self.model.couplings {
            let residual = self.model.coupling_row(coupling, places).0;
            let gradient = self
                .model
                .coupling_gradient(coupling, |body| *space_pose_of(poses, body));
            drift = drift.at_least(residual.abs());
            rows.push(row(&gradient, residual));
            joints.push(Joint {
                bodies: coupling.pair().map(index),
                rows: 1,
            });
        }
        for (drive, target) in self.model.drives.iter().zip(drive_target.iter()) {
            let bodies = self.model.bodies_of(drive);
            let [a, b] = bodies.map(|body| space_pose_of(poses, body));
            let off = self.model.drive_offset(drive, places, *target);
            drift = drift.at_least(off.abs());
            rows.push(row(&self.model.drive_gradient(drive, a, b), off));
            joints.push(Joint {
                bodies: bodies.map(index),
                rows: 1,
            });
        }
        (overlap, drift)
    }

    /// Prescribed coordinates of drives at the end of the step.
    pub(super) fn set_drive_targets(&mut self) {
        self.workspace.time_stepping.drive_target.clear();
        if self.model.drives.is_empty() {
            return;
        }
        self.update_poses();
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let (start, h) = (self.state.time, self.h);
        for drive in &self.model.drives {
            let inputs = &self.state.inputs;
            work.drive_target.push(match &drive.motion {
                Motion::Position(signal) => signal.value(start + h, Side::Before, inputs),
                Motion::Speed(_) | Motion::Acceleration(_) => {
                    let speed = |part: f64, side| drive.speed((start + part * h, side), inputs);
                    let now = self.model.drive_offset(drive, poses, 0.0);
                    let ends = speed(0.0, Side::After) + speed(1.0, Side::Before);
                    // Simpson's rule: steps end where a signal is not smooth
                    now + h / 6.0 * (ends + 4.0 * speed(0.5, Side::After))
                }
            });
        }
    }

    // (1)
    fn shift(&mut self, is_swept: bool) {
        let effort = if self.is_swept() {
            Effort::Direct
        } else {
            Effort::Exact
        };
        let Self {
            model,
            time_stepping,
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
            bodies: of_step,
            found,
            stabilization,
            energy_balance,
            ..
        } = work;
        let Stabilization {
            bodies,
            constraints,
            joints,
            rows,
            gauss_seidel,
            way,
            moved,
            shifts,
            solvers,
        } = stabilization;
        if is_swept {
            gauss_seidel.clear(model);
            for point in found.iter() {
                let row = point.normal_row(poses.space());
                let bodies = point
                    .bodies
                    .map(|body| awake(body, &state.time_stepping.sleep_timer));
                gauss_seidel.add(bodies, &row, point.gap);
            }
            gauss_seidel.close(CONVERGED_CHANGE, shifts);
            gauss_seidel
                .pairs()
                .for_each(|pair| energy_balance.connect(pair));
        } else {
            bodies.clear();
            bodies.extend(of_step.iter().map(|body| Body {
                velocity: [0.0; 6],
                ..*body
            }));
            way.clear();
            way.resize(rows.len(), 0.0);
            let problem = Problem {
                bodies,
                contacts: constraints,
                joints,
                rows,
            };
            let threads = time_stepping.options.threads as usize;
            solvers.solve(&problem, effort, threads, way, shifts);
            energy_balance.connect_loaded(constraints, way);
        }
        moved.clear();
        moved.resize(model.n_velocities, 0.0);
        for (body, d) in model.bodies.iter().zip(shifts.iter()) {
            moved[body.first..body.first + body.n_dof].copy_from_slice(&d[..body.n_dof]);
        }
        model.advance(&mut state.position, 1.0, moved);
        for (i, body) in model.bodies.iter().enumerate() {
            let at = body.first..body.first + 3;
            let heights = moved[at].iter().zip(model.gravity.iter());
            let raised: f64 = heights.map(|(d, gravity)| d * gravity).sum();
            energy_balance.lift(i, -model.mass[body.first] * raised);
        }
        accept::rebase(model, state, poses);
    }
}

// index of a body in the problem; sleeping bodies are fixed like the ground
fn awake(body: BodyRef, sleep_timer: &[f64]) -> u32 {
    index(body.filter(|i| sleep_timer[*i] < f64::INFINITY))
}
