//! Time stepping (docs/METHOD.md, section 14): contacts are detected as bodies approach, islands of touching bodies are solved separately,
//! and islands at rest sleep.
//!
//! ```text
//! (1)  v' = v + M^-1 (h f + G^T r)                      springs and dampers are rows of G with a compliance
//! (2)  closed contacts, gap <= band:   0 <= G_n v'           | r_n >= 0,   friction in its cone
//! (3)  open contacts:                  0 <= G_n v' + gap / h | r_n >= 0
//! (4)  joints:  G (v + v') = 0, with G in the middle of the step: they do no work
//!      drives:  G v' + (h/2) dG/dt v = speed at the end
//! (5)  q' = q + h (v + v')/2;   q + h v' for a group with an impact, except for the centre of mass of a free one
//! (6)  position stabilization closes gaps and joints by the smallest motion in the mass metric
//! ```
//!
//! A step consists of substeps. In each a group advances to the end of the step; or, if few impacts are ahead of it, to the first of these,
//! where velocities jump, and continues in the next substep. In the last substep the remaining impacts are resolved simultaneously.

mod assemble;
mod balance;
mod contact_points;
mod elements;
mod free;
mod geometric_stiffness;
mod impact;
pub(super) mod instant;
mod limit;
mod locate;
mod manifold_reduction;
mod position_gauss_seidel;
mod position_stabilization;
mod project;
mod servos;
mod sleep;
mod solve;
mod static_friction;
mod stops;

use super::event_driven::run::{SHORTEST_LOSSY_PART, SHORTEST_PART};
use super::event_driven::{accept, smoothing};
use super::report::{N_REAL_NUMBERS, N_WHOLE_NUMBERS, Report};
use super::work_limit::allowed;
use super::{StepError, Workspace, finite, in_play};
use crate::contact::body_blocks::{Body, ContactConstraint, Joint, Row};
use crate::math::packed::{Packed6, dot, pack};
use crate::math::{Limit, Vec3, larger, norm, positive};
use crate::model::{BodyRef, Coupling, Model, TimeStepping};
use crate::scene::spec::Settings;
use crate::state::{PersistentContact, State, Status};
use balance::Outcome;
use contact_points::{ContactPoint, ContactPoints};
use stops::NearStop;

/// Velocity of a body: linear, then angular.
type Six = [f64; 6];

/// A contact with a smaller gap is closed, m: far below the overlap that counts, far above the error of position stabilization.
const BAND: f64 = 1e-7;

/// Iterations over all rows that count as one factorization: their systems are sparse, and difficult steps of large piles take many.
const ITERATIONS: f64 = 10.0;

/// Position stabilization moves a body by less than this part of its size.
const MAX_SHIFT: f64 = 0.01;

// upper bound of the motion of a body by position stabilization, m
fn max_shift(model: &Model, body: BodyRef) -> f64 {
    body.map_or(0.0, |i| MAX_SHIFT * model.bodies[i].extent)
}

/// Workspace of the steps.
#[derive(Debug, Default)]
pub(super) struct Work {
    points: ContactPoints,
    /// Active joint stops of the substep.
    stops: Vec<NearStop>,
    /// Friction elements of the substep.
    elements: Vec<elements::ActiveElement>,
    /// Contact points whose friction at rest is above that of sliding.
    static_contacts: Vec<static_friction::StaticContact>,
    /// Servos of the substep: those with a limit are contacts of the problem, after the friction elements.
    servos: Vec<servos::ActiveServo>,
    /// Reactions of joints at an instant, which may bound friction.
    reactions: Vec<f64>,
    /// Statuses of the friction elements at the start of a step.
    statuses: Vec<Status>,
    /// Contact points at the end of a step.
    found: Vec<ContactPoint>,
    /// Tangents of the contact points.
    frames: Vec<[Vec3; 2]>,
    /// Bodies with inputs or signals; empty before the first step.
    driven: Vec<bool>,
    force: Vec<f64>,
    /// Velocities at the start, without contacts, at the end of the step, and after restitution.
    start: Vec<Six>,
    free: Vec<Six>,
    /// Changes of the angular velocities by gyroscopic torques, in `free`.
    gyroscopic_change: Vec<Vec3>,
    end: Vec<Six>,
    after: Vec<Six>,
    /// Velocities of bodies approaching sleeping ones.
    ahead: Vec<Six>,
    /// Rows with restitution, and their biases.
    bounces: Vec<(usize, f64)>,
    second: Vec<f64>,
    /// Speculative margin of each body in the step, m, relative to this velocity, m/s.
    margin: Vec<f64>,
    common: Vec3,
    /// Remaining time of the step for each body, and the length of the current substep, s.
    left: Vec<f64>,
    span: Vec<f64>,
    /// Bodies whose substep ends at an impact.
    is_located: Vec<bool>,
    middle: Vec<f64>,
    moved: Vec<f64>,
    geometric_stiffness: geometric_stiffness::GeometricStiffnessRows,
    /// Bodies of groups that are solved again.
    is_chosen: Vec<bool>,
    /// Force elements that are stiff relative to the substep.
    stiff: Vec<bool>,
    /// Surface velocities of belts at the end of the step, m/s.
    belt_velocities: Vec<Vec3>,
    /// Means of the velocities at the start and at the end, and those of the ground.
    means: Vec<Packed6>,
    bodies: Vec<Body>,
    constraints: Vec<ContactConstraint>,
    joints: Vec<Joint>,
    rows: Vec<Row>,
    impulse: Vec<f64>,
    /// Was there an impact in the group of this body?
    has_impact: Vec<bool>,
    /// Reduction of the motion of its centre of mass then, if the group is free, m/s.
    centre_lag: Vec<Vec3>,
    solvers: solve::Solvers,
    bouncing: solve::Solvers,
    stabilization: position_stabilization::Stabilization,
    manifolds: manifold_reduction::ManifoldReduction,
    /// Prescribed coordinates of drives at the end of the step, m or rad.
    drive_target: Vec<f64>,
    groups: sleep::SleepIslands,
    plans: locate::Plans,
    energy_balance: balance::EnergyBalance,
    /// The state before a step that may be repeated.
    before: Option<State>,
}

impl Work {
    // those whose work is counted
    fn solvers(&mut self) -> [&mut solve::Solvers; 3] {
        [
            &mut self.solvers,
            &mut self.bouncing,
            &mut self.stabilization.solvers,
        ]
    }

    fn allow(&mut self, work: f64) {
        for solvers in self.solvers() {
            (solvers.spent, solvers.allowed) = (0.0, Some(work));
        }
    }

    fn spent(&mut self) -> f64 {
        self.solvers().iter().map(|solvers| solvers.spent).sum()
    }

    fn is_exhausted(&mut self) -> bool {
        let spent = self.spent();
        self.solvers.allowed.is_some_and(|allowed| spent > allowed)
    }

    fn capacity(&self) -> usize {
        self.points.capacity() + self.rows.capacity() + self.impulse.capacity()
    }
}

/// Data of a step.
struct Step<'a> {
    model: &'a Model,
    time_stepping: &'a TimeStepping,
    settings: &'a Settings,
    state: &'a mut State,
    workspace: &'a mut Workspace,
    report: &'a mut Report,
    /// s.
    h: f64,
    /// Are joints imposed on end velocities alone, so that rest is always admissible?
    imposes_joints_at_end: bool,
}

/// Bodies at joints rotate by at most this in a step, rad: rows of joints are those of the middle of the step.
const MAX_TURN: f64 = 0.25;

/// Maximum number of parts of a step.
const MAX_PARTS: f64 = 64.0;

// longest step for bodies at joints, s
fn longest_span(model: &Model, state: &State) -> f64 {
    let bodies = model.joints.iter().flat_map(|link| link.bodies).flatten();
    let turning = bodies.map(|i| {
        let body = &model.bodies[i];
        let velocity = &state.velocity[body.first..body.first + body.n_dof];
        norm(velocity.get(3..).unwrap_or(&[]))
    });
    MAX_TURN / turning.fold(0.0, larger)
}

/// Advances the state to `end` in one time step, or in several if a force is not smooth or a body at a joint rotates fast.
pub(super) fn step(
    model: &Model,
    time_stepping: &TimeStepping,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    report: &mut Report,
    end: f64,
) -> Result<(), StepError> {
    if !std::mem::replace(&mut state.started, true) {
        in_play::start(model, state, workspace, report);
    }
    report.steps += 1;
    let work = ITERATIONS * allowed(settings, end - state.time) as f64;
    workspace.time_stepping.allow(work);
    workspace
        .time_stepping
        .statuses
        .clone_from(&state.element_status);
    let can_repeat = !model.joints.is_empty() || !model.forces.is_empty();
    let mut most = f64::INFINITY;
    let mut imposes_joints_at_end = false;
    while state.time < end {
        let breaks = &model.breakpoints;
        let next = breaks.partition_point(|b| *b <= state.time);
        let stop = breaks.get(next).map_or(end, |b| b.at_most(end));
        let longest = longest_span(model, state).at_least(settings.step / MAX_PARTS);
        let longest = longest.at_most(most);
        // a remainder below rounding is included
        let (h, stop) = if stop - state.time <= longest * (1.0 + 1e-9) {
            (stop - state.time, stop)
        } else {
            let parts = ((stop - state.time) / longest).ceil();
            let h = (stop - state.time) / parts;
            (h, state.time + h)
        };
        let capacity = workspace.time_stepping.capacity();
        let mut numbers = None;
        if can_repeat {
            let before = workspace
                .time_stepping
                .before
                .get_or_insert_with(|| state.clone());
            before.copy_from(state);
            numbers = Some((
                report.whole_numbers().map(|x| *x),
                report.real_numbers().map(|x| *x),
            ));
        }
        let taken = Step {
            model,
            time_stepping,
            settings,
            state,
            workspace,
            report,
            h,
            imposes_joints_at_end,
        }
        .take();
        report.growths += u64::from(workspace.time_stepping.capacity() > capacity);
        let half = 0.5 * h / settings.step;
        let is_stuck = taken.is_err() && !imposes_joints_at_end && half < SHORTEST_PART;
        if let (Some(numbers), Some(before)) = (numbers, &workspace.time_stepping.before)
            && (is_stuck || is_too_long(&taken, half))
        {
            state.copy_from(before);
            restore_report(report, numbers);
            report.halved_steps += 1;
            imposes_joints_at_end |= is_stuck;
            most = if is_stuck { h } else { 0.5 * h };
            continue;
        }
        taken?;
        if let Some(before) = workspace.time_stepping.before.take() {
            smoothing::check_between(model, [&before, state], h, workspace, report);
            workspace.time_stepping.before = Some(before);
        }
        imposes_joints_at_end = false;
        most = 2.0 * h;
        state.time = stop;
    }
    report.exhausted_steps += u64::from(workspace.time_stepping.is_exhausted());
    let old = &workspace.time_stepping.statuses;
    report.record_elements(model, state.time, old, &state.element_status);
    in_play::record(model, state, workspace, report);
    finite(state, report)
}

// must a step be repeated with half its length, which is this part of the standard step?
fn is_too_long(taken: &Result<Outcome, StepError>, half: f64) -> bool {
    match taken {
        Ok(outcome) => {
            (outcome.is_inaccurate && half >= SHORTEST_PART)
                || (outcome.is_lossy && half >= SHORTEST_LOSSY_PART)
        }
        Err(StepError::Unsolved { .. } | StepError::NotFinite { .. }) => half >= SHORTEST_PART,
        Err(_) => false,
    }
}

fn restore_report(
    report: &mut Report,
    (whole, real): ([u64; N_WHOLE_NUMBERS], [f64; N_REAL_NUMBERS]),
) {
    for (x, before) in report.whole_numbers().into_iter().zip(whole) {
        *x = before;
    }
    for (x, before) in report.real_numbers().into_iter().zip(real) {
        *x = before;
    }
}

impl Step<'_> {
    fn take(&mut self) -> Result<Outcome, StepError> {
        self.report.substeps += 1;
        if self.all_asleep() {
            return Ok(Outcome::default());
        }
        self.begin_balance();
        if self.workspace.time_stepping.driven.is_empty() {
            let bodies = 0..self.model.bodies.len();
            let driven = bodies.map(|i| self.model.is_driven(i));
            self.workspace.time_stepping.driven.extend(driven);
        }
        let left = &mut self.workspace.time_stepping.left;
        left.clear();
        let sleep_timer = self.state.time_stepping.sleep_timer.iter();
        left.extend(sleep_timer.map(|x| if *x < f64::INFINITY { self.h } else { 0.0 }));
        self.project_joints();
        self.set_drive_targets();
        self.start_drives()?;
        for substep in 0..=self.time_stepping.options.located_impacts {
            let is_exhausted = self.workspace.time_stepping.is_exhausted();
            self.substep(is_exhausted || substep == self.time_stepping.options.located_impacts)?;
            if self
                .workspace
                .time_stepping
                .left
                .iter()
                .all(|left| *left <= 0.0)
            {
                if substep > 0 || self.exceeds_margin() {
                    self.find_all_pairs();
                }
                break;
            }
        }
        self.stabilize_positions();
        let outcome = self.close_balance();
        self.fall_asleep();
        self.choose_branches();
        Ok(outcome)
    }

    fn substep(&mut self, is_last: bool) -> Result<(), StepError> {
        self.workspace.time_stepping.solvers.spent += 1.0;
        self.update_poses();
        self.integrate_free_motion();
        self.find_points();
        self.reduce_manifolds();
        self.plan(is_last);
        self.find_substep_stops();
        self.assemble();
        self.solve()?;
        self.settle_elements()?;
        self.iterate_geometric_stiffness()?;
        self.add_to_balance();
        self.apply_restitution();
        self.advance_positions();
        self.store_forces();
        self.collide()
    }

    fn update_poses(&mut self) {
        let Workspace { poses, twists, .. } = &mut *self.workspace;
        poses.refer_to(&self.state.orientation, &self.state.joint_angle);
        self.model.poses(&self.state.position, poses);
        self.model.twists(&self.state.velocity, twists);
    }

    // approaching bodies wake sleeping ones
    fn find_points(&mut self) {
        loop {
            let Self {
                model,
                time_stepping,
                state,
                workspace,
                ..
            } = self;
            let Work {
                points,
                margin,
                left,
                ..
            } = &mut workspace.time_stepping;
            let sleep_timer = &state.time_stepping.sleep_timer;
            // a body that has completed the step waits for the others
            let rests = |body: BodyRef| {
                body.is_none_or(|i| sleep_timer[i] == f64::INFINITY || left[i] <= 0.0)
            };
            let waits = |body: BodyRef| {
                body.is_some_and(|i| sleep_timer[i] < f64::INFINITY && left[i] <= 0.0)
            };
            let skip = |[a, b]: [BodyRef; 2]| (rests(a) && rests(b)) || waits(a) || waits(b);
            let margin = |body: BodyRef| body.map_or(0.0, |i| margin[i]);
            let slack = |body| max_shift(model, body);
            points.find(time_stepping, workspace.poses.space(), margin, slack, skip);
            if !self.wake_islands() {
                return;
            }
            self.integrate_free_motion();
        }
    }

    // did a body move further than its speculative margin?
    fn exceeds_margin(&self) -> bool {
        let moved = &self.state.average_velocity;
        let Work { margin, common, .. } = &self.workspace.time_stepping;
        let bodies = self.model.bodies.iter().enumerate();
        bodies.into_iter().any(|(i, body)| {
            let v = &moved[body.first..body.first + body.n_dof];
            let seen = [v[0] - common.x, v[1] - common.y, v[2] - common.z];
            let (speed, spin) = (norm(&seen), norm(v.get(3..).unwrap_or(&[])));
            let far = margin[i] + max_shift(self.model, Some(i));
            self.h * (speed + body.extent * spin) > far
        })
    }

    // pairs of the last substep are not complete: other bodies were finished before it, or moved further
    fn find_all_pairs(&mut self) {
        self.update_poses();
        let Self {
            model,
            time_stepping,
            state,
            workspace,
            ..
        } = self;
        let sleep_timer = &state.time_stepping.sleep_timer;
        let rests = |body: BodyRef| body.is_none_or(|i| sleep_timer[i] == f64::INFINITY);
        let skip = |[a, b]: [BodyRef; 2]| rests(a) && rests(b);
        let margin = |body| max_shift(model, body);
        let points = &mut workspace.time_stepping.points;
        points.find_pairs(time_stepping, workspace.poses.space(), margin, skip);
    }

    // energies of the step: impulses times mean velocities
    fn add_to_balance(&mut self) {
        let Work {
            points,
            stops,
            constraints,
            joints,
            rows,
            impulse,
            start,
            end,
            means,
            energy_balance,
            ..
        } = &mut self.workspace.time_stepping;
        means.clear();
        let both = start.iter().zip(end.iter());
        means.extend(both.map(|(v, w)| pack(&std::array::from_fn(|k| 0.5 * (v[k] + w[k])))));
        means.push(Packed6::default());
        let ground = means.len() - 1;
        let mean = |row: &Row, bodies: [u32; 2]| {
            let [a, b] = bodies.map(|b| means[(b as usize).min(ground)]);
            dot(&row.entries.map(|entries| pack(&entries)), &[a, b])
        };
        let mut row = 0;
        // friction elements and servos follow
        let n_contacts = points.list.len() + stops.len();
        for constraint in &constraints[..n_contacts] {
            let n = constraint.contact.rows();
            if impulse[row] == 0.0 {
                row += n;
                continue;
            }
            let losses = energy_balance.at(assemble::moving_body(constraint.bodies));
            losses.impacts -= impulse[row] * mean(&rows[row], constraint.bodies);
            let mut is_carried = false;
            for k in row + 1..row + n {
                // the bias is the velocity of the belt surface
                let carried = -impulse[k] * rows[k].bias;
                let lost = carried - impulse[k] * mean(&rows[k], constraint.bodies);
                is_carried |= carried != 0.0;
                losses.applied += carried;
                // friction with negative dissipation acted on velocities that jumped
                losses.friction += positive(lost);
                losses.impacts -= positive(-lost);
            }
            if is_carried {
                energy_balance.drive(assemble::moving_body(constraint.bodies));
            }
            row += n;
        }
        row += 2 * (constraints.len() - n_contacts);
        // rows of drives follow those of joints and couplings
        let n_still = self.model.joints.len() + self.model.couplings.len();
        let (still, others) = joints.split_at(n_still);
        row += still.iter().map(|joint| joint.rows).sum::<usize>();
        // springs follow
        for (row, drive) in (row..).zip(&others[..self.model.drives.len()]) {
            let losses = energy_balance.at(assemble::moving_body(drive.bodies));
            losses.applied += impulse[row] * mean(&rows[row], drive.bodies);
        }
        self.add_element_losses();
        self.add_servo_work();
        self.add_element_work();
    }

    // (5)
    fn advance_positions(&mut self) {
        let Self {
            model,
            state,
            workspace,
            h,
            ..
        } = self;
        let Work {
            start,
            end,
            after,
            has_impact,
            middle,
            span,
            left,
            energy_balance,
            constraints,
            impulse,
            centre_lag,
            ..
        } = &mut workspace.time_stepping;
        energy_balance.connect_loaded(constraints, impulse);
        for (i, body) in model.bodies.iter().enumerate() {
            // the part of the whole step, so that all advance by the same length
            let part = span[i] / *h;
            for k in 0..body.n_dof {
                let (v, w) = (start[i][k], end[i][k]);
                let at = body.first + k;
                let less = if k < 3 { centre_lag[i][k] } else { 0.0 };
                let mean = if has_impact[i] {
                    w - less
                } else {
                    0.5 * (v + w)
                };
                middle[at] = part * mean;
                if span[i] > 0.0 {
                    state.acceleration[at] = (after[i][k] - v) / span[i];
                    state.velocity[at] = after[i][k];
                    if k < 3 {
                        // a fall with the end velocity is longer than its kinetic energy accounts for
                        let fallen = mean - 0.5 * (v + w);
                        let further = model.mass[at] * model.gravity[k] * fallen * span[i];
                        energy_balance.at(i).impacts += further;
                    }
                }
            }
            left[i] -= span[i];
            if left[i] <= 1e-9 * *h {
                left[i] = 0.0;
            }
        }
        state.average_velocity.copy_from_slice(middle);
        model.advance(&mut state.position, *h, middle);
        accept::rebase(model, state, &mut workspace.poses);
    }

    // stores the forces of the step, for warm starts and output
    fn store_forces(&mut self) {
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let Work {
            points,
            static_contacts,
            stops,
            frames,
            constraints,
            impulse,
            joints,
            span,
            ..
        } = &workspace.time_stepping;
        let span_of = |bodies: [BodyRef; 2]| locate::span_of(bodies, span);
        // sleeping and waiting groups have no contact points
        let colliders = &self.time_stepping.colliders;
        state.time_stepping.contacts.retain(|constraint| {
            let bodies = constraint.key.shapes.map(|i| colliders[i as usize].body);
            span_of(bodies) <= 0.0
        });
        let n_others = state.time_stepping.contacts.len();
        let mut row = 0;
        let mut of_static = static_contacts.iter().peekable();
        for (point, tangents) in points.list.iter().zip(frames) {
            let first = row;
            let known = of_static.next_if(|own| own.normal == first);
            row += 1;
            let mut force = point.normal * impulse[first];
            let mut moment = Vec3::zeros();
            for (turns, direction) in assemble::directions(point, *tangents) {
                if turns {
                    moment += direction * impulse[row];
                } else {
                    force += direction * impulse[row];
                }
                row += 1;
            }
            if impulse[first] > 0.0 {
                let h = span_of(point.bodies);
                state.time_stepping.contacts.push(PersistentContact {
                    key: point.key,
                    force: force / h,
                    moment: moment / h,
                    slides: known.is_some_and(|own| own.slides),
                });
            }
        }
        if n_others > 0 {
            state
                .time_stepping
                .contacts
                .sort_unstable_by_key(|constraint| constraint.key.order());
        }
        for (i, stop) in model.contacts.iter().enumerate() {
            if span_of(stop.bodies) > 0.0 {
                state.contact_force[i] = [0.0; 2];
                state.status[i] = Status::Open;
            }
        }
        for stop in stops {
            let normal_force = impulse[row] / span_of(model.contacts[stop.contact].bodies);
            row += 1;
            if normal_force > 0.0 {
                state.contact_force[stop.contact] = [normal_force, 0.0];
                state.status[stop.contact] = Status::Frictionless;
            }
        }
        state.statuses_known = true;
        row += 2 * (constraints.len() - points.list.len() - stops.len());
        debug_assert_eq!(
            constraints.iter().map(|t| t.contact.rows()).sum::<usize>(),
            row
        );
        let mut force = state.joint_force.iter_mut();
        let of_joints = model.joints.iter().map(|link| link.bodies);
        let of_couplings = model.couplings.iter().map(Coupling::pair);
        let of_drives = model.drives.iter().map(|drive| model.bodies_of(drive));
        let bodies = of_joints.chain(of_couplings).chain(of_drives);
        for (bodies, joint) in bodies.zip(joints) {
            let h = span_of(bodies);
            for force in force.by_ref().take(joint.rows) {
                if h > 0.0 {
                    *force = impulse[row] / h;
                }
                row += 1;
            }
        }
        self.store_elements();
    }
}
