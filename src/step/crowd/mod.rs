//! Steps of many bodies (docs/METHOD.md, section 14): contacts are found where bodies come near, groups of bodies that touch
//! are solved apart from each other, and groups at rest sleep.
//!
//! ```text
//! (1)  v' = v + M^-1 (h f + G^T r)                      springs and dampers are rows of G with a compliance
//! (2)  closed contacts, gap <= band:   0 <= G_n v'           | r_n >= 0,   friction in its cone
//! (3)  open contacts:                  0 <= G_n v' + gap / h | r_n >= 0
//! (4)  joints:  G (v + v') = 0, with G in the middle of the step: they do no work
//!      motors:  G v' + (h/2) dG/dt v = speed at the end
//! (5)  q' = q + h (v + v')/2;   q + h v' for a group in which something struck, but for the centre of mass of one that nothing ties
//!      to the ground
//! (6)  then gaps and joints are closed by the least motion of the masses
//! ```
//!
//! A step has rounds. In each a group goes on to the end of the step; or, if few impacts are ahead of it, to the first of
//! these, where velocities jump, and the next round takes it on. What is left in the last round is taken as one.

mod assemble;
mod balance;
mod correct;
mod free;
pub(super) mod instant;
mod limit;
mod locate;
mod patch;
mod press;
mod project;
mod pull;
mod sleep;
mod solve;
mod spots;
mod stops;
mod strike;

use super::allowance::allowed;
use super::report::{N_REAL_NUMBERS, N_WHOLE_NUMBERS, Report};
use super::run::{SHORTEST_LOSSY_PART, SHORTEST_PART};
use super::{StepError, Workspace, accept, finite, in_play, smoothing};
use crate::lcp::crowd::{Body, Joint, Row, Touch};
use crate::math::two::{Sixfold, dot, paired};
use crate::math::{Limit, Vec3, larger, norm, positive};
use crate::model::{BodyRef, Crowd, Model};
use crate::scene::format::Settings;
use crate::state::{State, Status, Touch as Pressing};
use balance::Outcome;
use spots::{Spot, Spots};
use stops::NearStop;

/// Six velocities.
type Six = [f64; 6];

/// A contact with a smaller gap is closed, m: far below the overlap that counts, far above what the correction of
/// places leaves.
const BAND: f64 = 1e-7;

/// Iterations over all rows that count as one factorization: their systems are sparse, and the hardest steps of a heap take many.
const ITERATIONS: f64 = 10.0;

/// Corrections of places move a body by less than this part of its size.
const SHIFTED: f64 = 0.01;

// how far corrections move a body, m
fn shifted(model: &Model, body: BodyRef) -> f64 {
    body.map_or(0.0, |i| SHIFTED * model.bodies[i].extent)
}

/// Scratch of the steps.
#[derive(Debug, Default)]
pub(super) struct Work {
    spots: Spots,
    /// Stops of joints that count in the round.
    stops: Vec<NearStop>,
    /// Spots at the end of a step.
    found: Vec<Spot>,
    /// Tangents of the spots.
    frames: Vec<[Vec3; 2]>,
    /// Which bodies something from outside acts on; empty before the first step.
    driven: Vec<bool>,
    force: Vec<f64>,
    /// Velocities at the start, without contacts, at the end of the step, and after what bounced.
    start: Vec<Six>,
    free: Vec<Six>,
    /// What gyroscopic torques change of the rates of rotation, in `free`.
    spun: Vec<Vec3>,
    end: Vec<Six>,
    after: Vec<Six>,
    /// Velocities that bodies come to what sleeps with.
    ahead: Vec<Six>,
    /// Rows that bounce, and their biases.
    bounces: Vec<(usize, f64)>,
    second: Vec<f64>,
    /// How far each body may get in the step, m, as seen with this velocity, m/s.
    reach: Vec<f64>,
    common: Vec3,
    /// What is left of the step for each body, and how much of it the round under way takes, s.
    left: Vec<f64>,
    span: Vec<f64>,
    /// Bodies whose round ends at an impact.
    is_located: Vec<bool>,
    middle: Vec<f64>,
    moved: Vec<f64>,
    pulls: pull::Pulls,
    /// Bodies of groups that are solved again.
    is_chosen: Vec<bool>,
    /// Which force elements are stiff against the round.
    stiff: Vec<bool>,
    /// Of their surfaces at the end of the step, m/s.
    belt_velocities: Vec<Vec3>,
    /// Means of the velocities at the start and at the end, and those of the ground.
    means: Vec<Sixfold>,
    bodies: Vec<Body>,
    touches: Vec<Touch>,
    joints: Vec<Joint>,
    rows: Vec<Row>,
    impulse: Vec<f64>,
    /// Did something strike in the group of this body?
    struck: Vec<bool>,
    /// What its centre of mass then moves less by, where nothing ties it to the ground, m/s.
    lag: Vec<Vec3>,
    solvers: solve::Solvers,
    bouncing: solve::Solvers,
    correction: correct::Correction,
    patches: patch::Patches,
    /// Coordinates of motors at the end of the step, m or rad.
    wanted: Vec<f64>,
    groups: sleep::Sleepers,
    plans: locate::Plans,
    books: balance::Books,
    /// The state before the step, where it may have to be taken again.
    before: Option<State>,
}

impl Work {
    // those that are counted
    fn solvers(&mut self) -> [&mut solve::Solvers; 3] {
        [
            &mut self.solvers,
            &mut self.bouncing,
            &mut self.correction.solvers,
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

    fn room(&self) -> usize {
        self.spots.room() + self.rows.capacity() + self.impulse.capacity()
    }
}

/// What the parts of a step share.
struct Step<'a> {
    model: &'a Model,
    crowd: &'a Crowd,
    settings: &'a Settings,
    state: &'a mut State,
    workspace: &'a mut Workspace,
    report: &'a mut Report,
    /// s.
    h: f64,
    /// Are joints held by the velocities at the end alone, so that to stand still is always a way out?
    holds_at_end: bool,
}

/// What hangs on a joint turns by at most this in a step, rad: rows of joints are those of the middle of the step.
const MOST_TURN: f64 = 0.25;

/// Most parts of a step.
const MOST_PARTS: f64 = 64.0;

// how long a step may be for what hangs on joints, s
fn longest_span(model: &Model, state: &State) -> f64 {
    let bodies = model.joints.iter().flat_map(|link| link.bodies).flatten();
    let turning = bodies.map(|i| {
        let body = &model.bodies[i];
        let velocity = &state.velocity[body.first..body.first + body.n_dof];
        norm(velocity.get(3..).unwrap_or(&[]))
    });
    MOST_TURN / turning.fold(0.0, larger)
}

/// Advances the state of a crowd to `end` in one step, or in several where a force is not smooth or something on a joint
/// turns fast.
pub(super) fn step(
    model: &Model,
    crowd: &Crowd,
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
    let allowed = ITERATIONS * allowed(settings, end - state.time) as f64;
    workspace.crowd.allow(allowed);
    let can_repeat = !model.joints.is_empty() || !model.forces.is_empty();
    let mut most = f64::INFINITY;
    let mut holds_at_end = false;
    while state.time < end {
        let breaks = &model.breakpoints;
        let next = breaks.partition_point(|b| *b <= state.time);
        let stop = breaks.get(next).map_or(end, |b| b.at_most(end));
        let longest = longest_span(model, state).at_least(settings.step / MOST_PARTS);
        let longest = longest.at_most(most);
        // what would be left is no longer than rounding
        let (h, stop) = if stop - state.time <= longest * (1.0 + 1e-9) {
            (stop - state.time, stop)
        } else {
            let parts = ((stop - state.time) / longest).ceil();
            let h = (stop - state.time) / parts;
            (h, state.time + h)
        };
        let room = workspace.crowd.room();
        let mut numbers = None;
        if can_repeat {
            let before = workspace.crowd.before.get_or_insert_with(|| state.clone());
            before.copy_from(state);
            numbers = Some((
                report.whole_numbers().map(|x| *x),
                report.real_numbers().map(|x| *x),
            ));
        }
        let taken = Step {
            model,
            crowd,
            settings,
            state,
            workspace,
            report,
            h,
            holds_at_end,
        }
        .take();
        report.growths += u64::from(workspace.crowd.room() > room);
        let half = 0.5 * h / settings.step;
        let is_stuck = taken.is_err() && !holds_at_end && half < SHORTEST_PART;
        if let (Some(numbers), Some(before)) = (numbers, &workspace.crowd.before)
            && (is_stuck || is_too_long(&taken, half))
        {
            state.copy_from(before);
            restore(report, numbers);
            report.halved_steps += 1;
            holds_at_end |= is_stuck;
            most = if is_stuck { h } else { 0.5 * h };
            continue;
        }
        taken?;
        if let Some(before) = workspace.crowd.before.take() {
            smoothing::note_between(model, [&before, state], h, workspace, report);
            workspace.crowd.before = Some(before);
        }
        holds_at_end = false;
        most = 2.0 * h;
        state.time = stop;
    }
    report.exhausted_steps += u64::from(workspace.crowd.spent() > allowed);
    in_play::note(model, state, workspace, report);
    finite(state, report)
}

// is a step to be taken again with half its length, which is this part of the standard step?
fn is_too_long(taken: &Result<Outcome, StepError>, half: f64) -> bool {
    match taken {
        Ok(outcome) => {
            (outcome.is_rough && half >= SHORTEST_PART)
                || (outcome.is_lossy && half >= SHORTEST_LOSSY_PART)
        }
        Err(StepError::Unsolved { .. } | StepError::NotFinite { .. }) => half >= SHORTEST_PART,
        Err(_) => false,
    }
}

fn restore(report: &mut Report, (whole, real): ([u64; N_WHOLE_NUMBERS], [f64; N_REAL_NUMBERS])) {
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
        if self.workspace.crowd.driven.is_empty() {
            let bodies = 0..self.model.bodies.len();
            let driven = bodies.map(|i| self.model.is_driven(i));
            self.workspace.crowd.driven.extend(driven);
        }
        let left = &mut self.workspace.crowd.left;
        left.clear();
        let slow_for = self.state.crowd.slow_for.iter();
        left.extend(slow_for.map(|x| if *x < f64::INFINITY { self.h } else { 0.0 }));
        self.settle_joints();
        self.aim_motors();
        self.start_motors()?;
        for round in 0..=self.crowd.rules.located_impacts {
            self.round(round == self.crowd.rules.located_impacts)?;
            if self.workspace.crowd.left.iter().all(|left| *left <= 0.0) {
                if round > 0 || self.outruns() {
                    self.find_all_pairs();
                }
                break;
            }
        }
        self.correct();
        let outcome = self.close_balance();
        self.fall_asleep();
        Ok(outcome)
    }

    fn round(&mut self, is_last: bool) -> Result<(), StepError> {
        self.place();
        self.move_freely();
        self.find_spots();
        self.reduce_patches();
        self.plan(is_last);
        self.find_stops_of_round();
        self.assemble();
        self.solve()?;
        self.settle_pulls()?;
        self.book();
        self.restore();
        self.go_on();
        self.remember();
        self.collide()
    }

    fn place(&mut self) {
        let Workspace { poses, twists, .. } = &mut *self.workspace;
        poses.refer_to(&self.state.orientation, &self.state.joint_angle);
        self.model.poses(&self.state.position, poses);
        self.model.twists(&self.state.velocity, twists);
    }

    // bodies that come near wake what sleeps there
    fn find_spots(&mut self) {
        loop {
            let Self {
                model,
                crowd,
                state,
                workspace,
                ..
            } = self;
            let Work {
                spots, reach, left, ..
            } = &mut workspace.crowd;
            let slow_for = &state.crowd.slow_for;
            // a body that is done with the step waits for the others
            let rests =
                |body: BodyRef| body.is_none_or(|i| slow_for[i] == f64::INFINITY || left[i] <= 0.0);
            let waits =
                |body: BodyRef| body.is_some_and(|i| slow_for[i] < f64::INFINITY && left[i] <= 0.0);
            let skip = |[a, b]: [BodyRef; 2]| (rests(a) && rests(b)) || waits(a) || waits(b);
            let reach = |body: BodyRef| body.map_or(0.0, |i| reach[i]);
            let slack = |body| shifted(model, body);
            spots.find(crowd, workspace.poses.space(), reach, slack, skip);
            if !self.wake_touched() {
                return;
            }
            self.move_freely();
        }
    }

    // was a body pushed further than it was thought to get?
    fn outruns(&self) -> bool {
        let moved = &self.state.average_velocity;
        let Work { reach, common, .. } = &self.workspace.crowd;
        let bodies = self.model.bodies.iter().enumerate();
        bodies.into_iter().any(|(i, body)| {
            let v = &moved[body.first..body.first + body.n_dof];
            let seen = [v[0] - common.x, v[1] - common.y, v[2] - common.z];
            let (speed, spin) = (norm(&seen), norm(v.get(3..).unwrap_or(&[])));
            let far = reach[i] + shifted(self.model, Some(i));
            self.h * (speed + body.extent * spin) > far
        })
    }

    // those of the last round are not all: others were done before it, or got further
    fn find_all_pairs(&mut self) {
        self.place();
        let Self {
            model,
            crowd,
            state,
            workspace,
            ..
        } = self;
        let slow_for = &state.crowd.slow_for;
        let rests = |body: BodyRef| body.is_none_or(|i| slow_for[i] == f64::INFINITY);
        let skip = |[a, b]: [BodyRef; 2]| rests(a) && rests(b);
        let reach = |body| shifted(model, body);
        let spots = &mut workspace.crowd.spots;
        spots.find_pairs(crowd, workspace.poses.space(), reach, skip);
    }

    // energies of the step: impulses times mean velocities
    fn book(&mut self) {
        let Work {
            touches,
            joints,
            rows,
            impulse,
            start,
            end,
            means,
            books,
            ..
        } = &mut self.workspace.crowd;
        means.clear();
        let both = start.iter().zip(end.iter());
        means.extend(both.map(|(v, w)| paired(&std::array::from_fn(|k| 0.5 * (v[k] + w[k])))));
        means.push(Sixfold::default());
        let ground = means.len() - 1;
        let mean = |row: &Row, bodies: [u32; 2]| {
            let [a, b] = bodies.map(|b| means[(b as usize).min(ground)]);
            dot(&row.entries.map(|entries| paired(&entries)), &[a, b])
        };
        let mut row = 0;
        for touch in touches.iter() {
            let n = touch.contact.rows();
            if impulse[row] == 0.0 {
                row += n;
                continue;
            }
            let losses = books.at(assemble::mover(touch.bodies));
            losses.impacts -= impulse[row] * mean(&rows[row], touch.bodies);
            let mut is_carried = false;
            for k in row + 1..row + n {
                // the bias is the surface of a belt that moves away
                let carried = -impulse[k] * rows[k].bias;
                let lost = carried - impulse[k] * mean(&rows[k], touch.bodies);
                is_carried |= carried != 0.0;
                losses.applied += carried;
                // friction that gives energy acted on velocities that jumped
                losses.friction += positive(lost);
                losses.impacts -= positive(-lost);
            }
            if is_carried {
                books.drive(assemble::mover(touch.bodies));
            }
            row += n;
        }
        // rows of motors follow those of the joints
        let (of_joints, of_motors) = joints.split_at(self.model.joints.len());
        row += of_joints.iter().map(|joint| joint.rows).sum::<usize>();
        // those after them are of springs
        for (row, motor) in (row..).zip(&of_motors[..self.model.motors.len()]) {
            let losses = books.at(assemble::mover(motor.bodies));
            losses.applied += impulse[row] * mean(&rows[row], motor.bodies);
        }
        self.book_elements();
    }

    // (5)
    fn go_on(&mut self) {
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
            struck,
            middle,
            span,
            left,
            books,
            touches,
            impulse,
            lag,
            ..
        } = &mut workspace.crowd;
        books.connect_pressing(touches, impulse);
        for (i, body) in model.bodies.iter().enumerate() {
            // the part of the whole step, so that all advance with one length
            let part = span[i] / *h;
            for k in 0..body.n_dof {
                let (v, w) = (start[i][k], end[i][k]);
                let at = body.first + k;
                let less = if k < 3 { lag[i][k] } else { 0.0 };
                let mean = if struck[i] { w - less } else { 0.5 * (v + w) };
                middle[at] = part * mean;
                if span[i] > 0.0 {
                    state.acceleration[at] = (after[i][k] - v) / span[i];
                    state.velocity[at] = after[i][k];
                    if k < 3 {
                        // what falls with the end velocity falls further than its kinetic energy tells
                        let fallen = mean - 0.5 * (v + w);
                        let further = model.mass[at] * model.gravity[k] * fallen * span[i];
                        books.at(i).impacts += further;
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

    // forces of the step, for the next one and for those who look
    fn remember(&mut self) {
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let Work {
            spots,
            stops,
            frames,
            touches,
            impulse,
            joints,
            span,
            ..
        } = &workspace.crowd;
        let span_of = |bodies: [BodyRef; 2]| locate::span_of(bodies, span);
        // groups that sleep or wait are not among the spots
        let solids = &self.crowd.solids;
        state.crowd.touches.retain(|touch| {
            let bodies = touch.key.shapes.map(|i| solids[i as usize].body);
            span_of(bodies) <= 0.0
        });
        let n_others = state.crowd.touches.len();
        let mut row = 0;
        for (spot, tangents) in spots.list.iter().zip(frames) {
            let first = row;
            row += 1;
            let mut force = spot.normal * impulse[first];
            let mut moment = Vec3::zeros();
            for (turns, direction) in assemble::directions(spot, *tangents) {
                if turns {
                    moment += direction * impulse[row];
                } else {
                    force += direction * impulse[row];
                }
                row += 1;
            }
            if impulse[first] > 0.0 {
                let h = span_of(spot.bodies);
                state.crowd.touches.push(Pressing {
                    key: spot.key,
                    force: force / h,
                    moment: moment / h,
                });
            }
        }
        if n_others > 0 {
            state
                .crowd
                .touches
                .sort_unstable_by_key(|touch| touch.key.order());
        }
        for (i, stop) in model.contacts.iter().enumerate() {
            if span_of(stop.bodies) > 0.0 {
                state.contact_force[i] = [0.0; 2];
                state.status[i] = Status::Open;
            }
        }
        for stop in stops {
            let pressing = impulse[row] / span_of(model.contacts[stop.contact].bodies);
            row += 1;
            if pressing > 0.0 {
                state.contact_force[stop.contact] = [pressing, 0.0];
                state.status[stop.contact] = Status::Frictionless;
            }
        }
        state.statuses_known = true;
        debug_assert_eq!(touches.iter().map(|t| t.contact.rows()).sum::<usize>(), row);
        let mut force = state.joint_force.iter_mut();
        let of_motors = model.motors.iter().map(|motor| &model.joints[motor.joint]);
        for (link, joint) in model.joints.iter().chain(of_motors).zip(joints) {
            let h = span_of(link.bodies);
            for force in force.by_ref().take(joint.rows) {
                if h > 0.0 {
                    *force = impulse[row] / h;
                }
                row += 1;
            }
        }
    }
}
