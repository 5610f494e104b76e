//! Located impacts: if few are ahead of a group, its substep ends at the first of them.
//!
//! ```text
//! (1)  a body is predicted at x + s v + s^2/2 a,  R exp(s w + s^2/2 dw/dt);  a: without contacts, or if it is supported that
//!      of its last step
//! (2)  the first impact is the first zero of the gap of a pair along (1)
//! (3)  there, with all contacts closed:  0 <= G_n v' + e G_n v | r_n >= 0 where they approach faster than by free fall in
//!      a step, 0 <= G_n v' | r_n >= 0 else
//! (4)  kinetic energy of a group does not increase by more than drives add, as in `impact`
//! ```

use super::assemble::along;
use super::impact::{Driven, SLOW, energy, limit_restitution};
use super::stops::{gap_of, is_closed};
use super::{BAND, ContactPoint, Six, Step, Work};
use crate::integrate::{StepError, Workspace, reject_position_jumps};
use crate::kinds::plane::force::Side;
use crate::kinds::space::joint::Count;
use crate::kinds::space::{Pose, Row};
use crate::math::{Groups, Limit, Vec3, quaternion, root};
use crate::model::{BodyRef, Coupling, Model, space_pose_of, space_twist_of};
use crate::scene::spec::settings::TimeStepping;
use crate::state::State;

/// If the remaining substep after an impact is shorter than this part of the step, it is not taken separately.
const NEGLIGIBLE_REST: f64 = 1e-6;

/// Impacts are located to this, s: at a kilometre per second that is within the band.
const INSTANT: f64 = 1e-12;

/// A drive whose speed error is below this part of it reaches its speed within the step: rotating rows leave as much.
const JUMP: f64 = 0.05;

/// Lower bound of the prescribed speed in that comparison, m/s or rad/s.
const NOMINAL_SPEED: f64 = 1e-3;

/// Length of the substep of a pair of bodies, s: that of the one that moves.
pub(super) fn span_of(bodies: [BodyRef; 2], span: &[f64]) -> f64 {
    let of = |body: BodyRef| body.map_or(0.0, |i| span[i]);
    of(bodies[0]).at_least(of(bodies[1]))
}

/// Predicted impacts of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    bodies: usize,
    /// Impacts ahead.
    impacts: u32,
    /// Time to the first of them, s.
    first: f64,
}

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct Plans {
    groups: Groups,
    plans: Vec<Plan>,
    /// Predicted accelerations.
    acceleration: Vec<Six>,
    supported: Vec<bool>,
}

impl Plan {
    fn add(&mut self, impact: f64) {
        if self.impacts == 0 || impact < self.first {
            self.first = impact;
        }
        self.impacts += 1;
    }
}

// the first zero of a gap within some time
fn first_zero(gap_after: impl Fn(f64) -> f64, now: f64, within: f64) -> Option<f64> {
    let at_end = gap_after(within);
    (at_end <= 0.0).then(|| root::bracketed(gap_after, (0.0, now), (within, at_end), INSTANT))
}

impl Plans {
    // the group of two bodies, if its impacts are still located
    fn located_group(&mut self, bodies: [BodyRef; 2], options: &TimeStepping) -> Option<usize> {
        let body = bodies.into_iter().flatten().next()?;
        let group = self.groups.root(body);
        let plan = self.plans[group];
        let is_small = plan.bodies <= options.located_bodies as usize;
        (is_small && plan.impacts <= options.located_impacts).then_some(group)
    }

    fn join(&mut self, bodies: [BodyRef; 2]) {
        if let [Some(a), Some(b)] = bodies {
            self.groups.join(a, b);
        }
    }
}

impl Step<'_> {
    /// Determines the substep of each group.
    pub(super) fn plan(&mut self, is_last: bool) {
        let work = &mut self.workspace.time_stepping;
        work.span.clone_from(&work.left);
        work.is_located.clear();
        work.is_located.resize(self.model.bodies.len(), false);
        if !is_last {
            self.find_groups();
            self.predict_accelerations();
            self.count_impacts();
            self.shorten();
        }
    }

    fn find_groups(&mut self) {
        let Work { points, plans, .. } = &mut self.workspace.time_stepping;
        let n = self.model.bodies.len();
        plans.groups.reset(n);
        plans.plans.clear();
        plans.plans.resize(n, Plan::default());
        plans.supported.clear();
        plans.supported.resize(n, false);
        for point in &points.list {
            plans.join(point.bodies);
            if point.gap <= BAND {
                for body in point.bodies.into_iter().flatten() {
                    plans.supported[body] = true;
                }
            }
        }
        let joined = self.model.joints.iter().map(|link| link.bodies);
        let forced = self.model.forces.iter().map(|link| link.bodies);
        let with_friction = self.model.elements.iter().map(|element| element.bodies);
        let coupled = self.model.all_couplings().map(Coupling::pair);
        for bodies in joined.chain(forced).chain(with_friction).chain(coupled) {
            plans.join(bodies);
            for body in bodies.into_iter().flatten() {
                plans.supported[body] = true;
            }
        }
        for i in 0..n {
            let root = plans.groups.root(i);
            plans.plans[root].bodies += 1;
        }
    }

    // (1)
    fn predict_accelerations(&mut self) {
        let Work {
            plans,
            start,
            free,
            left,
            ..
        } = &mut self.workspace.time_stepping;
        plans.acceleration.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let mut a = [0.0; 6];
            if left[i] > 0.0 {
                for k in 0..body.n_dof {
                    a[k] = if plans.supported[i] {
                        self.state.acceleration[body.first + k]
                    } else {
                        (free[i][k] - start[i][k]) / left[i]
                    };
                }
            }
            plans.acceleration.push(a);
        }
    }

    // (2)
    fn count_impacts(&mut self) {
        let work = &mut self.workspace.time_stepping;
        let mut plans = std::mem::take(&mut work.plans);
        let options = &self.time_stepping.options;
        for point in work.points.list.iter().filter(|point| point.gap > BAND) {
            let Some(group) = plans.located_group(point.bodies, options) else {
                continue;
            };
            let gap_after = |s: f64| {
                let [a, b] = point
                    .bodies
                    .map(|body| expected(self.model, self.state, work, &plans, body, s).0);
                work.points
                    .gap_of(self.time_stepping, point.key.shapes, [&a, &b])
            };
            let left = span_of(point.bodies, &work.left);
            if let Some(first) = first_zero(gap_after, point.gap, left) {
                plans.plans[group].add(first);
            }
        }
        for (i, stop) in self.model.contacts.iter().enumerate() {
            let left = span_of(stop.bodies, &work.left);
            let Some(group) = plans
                .located_group(stop.bodies, options)
                .filter(|_| left > 0.0)
            else {
                continue;
            };
            let gap_after = |s: f64| {
                let of_joint = |joint: usize, k: usize| {
                    let link = &self.model.joints[joint];
                    let [a, b] = link
                        .bodies
                        .map(|body| expected(self.model, self.state, work, &plans, body, s));
                    let count = Count {
                        from: &self.state.joint_angle[link.first_coordinate..],
                        turned: [a.1, b.1],
                    };
                    let found = link.joint.space();
                    found.map_or((0.0, Row::zero()), |joint| {
                        joint.counted(k, &count, &a.0, &b.0)
                    })
                };
                gap_of(self.model, stop, of_joint).map_or(f64::INFINITY, |(gap, _)| gap)
            };
            let gap = gap_after(0.0);
            if !is_closed(self.state, i, gap)
                && let Some(first) = first_zero(gap_after, gap, left)
            {
                plans.plans[group].add(first);
            }
        }
        work.plans = plans;
    }

    fn shorten(&mut self) {
        let options = &self.time_stepping.options;
        let h = self.h;
        let Work {
            plans,
            span,
            left,
            is_located,
            points,
            ..
        } = &mut self.workspace.time_stepping;
        for i in 0..span.len() {
            let root = plans.groups.root(i);
            let plan = plans.plans[root];
            let few = plan.impacts > 0 && plan.impacts <= options.located_impacts;
            if left[i] > 0.0 && few && plan.bodies <= options.located_bodies as usize {
                is_located[i] = true;
                span[i] = plan.first.at_least(NEGLIGIBLE_REST * h).at_most(left[i]);
            }
        }
        // up to its impact a located group has no others
        points.list.retain(|point| {
            let mut bodies = point.bodies.into_iter().flatten();
            point.gap <= BAND || !bodies.any(|body| is_located[body])
        });
    }

    /// (3) of the groups that have reached an impact.
    pub(super) fn collide(&mut self) -> Result<(), StepError> {
        if !self.workspace.time_stepping.is_located.contains(&true) {
            return Ok(());
        }
        self.jump(false)
    }

    /// Applies velocity jumps of drives whose prescribed speed differs, at the start or where the signal jumps.
    pub(super) fn start_drives(&mut self) -> Result<(), StepError> {
        reject_position_jumps(self.model, self.state, self.workspace)?;
        if !self.is_far_from_speed() {
            return Ok(());
        }
        self.integrate_free_motion();
        self.find_points();
        let Work {
            is_located, left, ..
        } = &mut self.workspace.time_stepping;
        is_located.clear();
        is_located.extend(left.iter().map(|left| *left > 0.0));
        self.jump(true)
    }

    fn is_far_from_speed(&mut self) -> bool {
        if self.model.drives.is_empty() {
            return false;
        }
        self.update_poses();
        let Workspace { poses, twists, .. } = &*self.workspace;
        let (poses, twists) = (poses.space(), twists.space());
        self.model.drives.iter().any(|drive| {
            let bodies = self.model.bodies_of(drive);
            let [a, b] = bodies.map(|body| space_pose_of(poses, body));
            let gradient = self.model.drive_gradient(drive, a, b);
            let [a, b] = bodies.map(|body| space_twist_of(twists, body));
            let speed = drive.speed((self.state.time, Side::After), &self.state.inputs);
            (gradient.rate(a, b) - speed).abs() > JUMP * (NOMINAL_SPEED + speed.abs())
        })
    }

    // velocity jumps at impacts, or in all marked groups
    fn jump(&mut self, jumps: bool) -> Result<(), StepError> {
        self.update_poses();
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let is_located = std::mem::take(&mut work.is_located);
        // other bodies are at another time, or asleep: they would not get their share of an impulse
        let skip = |bodies: [BodyRef; 2]| {
            let mut bodies = bodies.into_iter().flatten();
            !bodies.all(|body| is_located[body])
        };
        let mut found = std::mem::take(&mut work.points.list);
        work.points
            .update(self.time_stepping, poses.space(), BAND, skip, &mut found);
        work.points.list = found;
        let Work {
            start, free, span, ..
        } = work;
        span.resize(start.len(), 0.0);
        for (i, body) in self.model.bodies.iter().enumerate() {
            let v = &self.state.velocity[body.first..body.first + body.n_dof];
            start[i][..body.n_dof].copy_from_slice(v);
            free[i] = start[i];
            // an instant; the length of the step only scales gaps, which are closed
            span[i] = if is_located[i] { self.h } else { 0.0 };
        }
        self.find_stops(|bodies, is_closed, _| is_closed && !skip(bodies));
        self.workspace.time_stepping.is_located = is_located;
        self.assemble_instant();
        let bounces = self.set_instant_bounces();
        self.report.located_impacts += bounces;
        self.report.n_events.impacts += bounces;
        if bounces == 0 && !jumps {
            return Ok(());
        }
        self.solve()?;
        self.limit_energy()?;
        self.finish_impact();
        Ok(())
    }

    // (4): groups that would gain energy are interpolated towards their velocities without restitution
    fn limit_energy(&mut self) -> Result<(), StepError> {
        let Work {
            bodies,
            start,
            end,
            after,
            joints,
            rows,
            impulse,
            second,
            bounces,
            solvers,
            ..
        } = &mut self.workspace.time_stepping;
        let islands = &solvers.islands;
        let gains = |k: usize| {
            let island = islands.island(k);
            let driven = Driven {
                model: self.model,
                island: &island,
                joints,
                rows,
            };
            let most = energy(bodies, island.bodies, start)
                + driven.work_of_drives(|row| impulse[row], [start, end]);
            energy(bodies, island.bodies, end) > most
        };
        if !(0..islands.count()).any(gains) {
            return Ok(());
        }
        after.clone_from(end);
        second.clone_from(impulse);
        for &(row, _) in bounces.iter() {
            rows[row].bias = 0.0;
        }
        impulse.fill(0.0);
        self.solve()?;
        let Work {
            bodies,
            start,
            end,
            after,
            joints,
            rows,
            impulse,
            second,
            solvers,
            ..
        } = &mut self.workspace.time_stepping;
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let driven = Driven {
                model: self.model,
                island: &island,
                joints,
                rows,
            };
            let before = energy(bodies, island.bodies, start);
            let most = [
                before + driven.work_of_drives(|row| impulse[row], [start, end]),
                before + driven.work_of_drives(|row| second[row], [start, after]),
            ];
            let part = limit_restitution(bodies, island.bodies, most, end, after);
            self.report.limited_impacts += u64::from(part < 1.0);
            for &row in island.rows {
                let (x, y) = (&mut impulse[row as usize], second[row as usize]);
                *x += part * (y - *x);
            }
        }
        std::mem::swap(end, after);
        Ok(())
    }

    // biases of (3); returns the number of approaching contacts
    fn set_instant_bounces(&mut self) -> u64 {
        let threshold = self.settings.restitution_threshold * self.h;
        let gravity = crate::math::norm(self.model.gravity.as_slice());
        let Work {
            points,
            stops,
            constraints,
            rows,
            start,
            bounces,
            ..
        } = &mut self.workspace.time_stepping;
        bounces.clear();
        let (mut row, mut n) = (0, 0);
        for (i, constraint) in constraints.iter().enumerate() {
            let before = along(&rows[row], constraint.bodies, start);
            let e = match points.list.get(i) {
                Some(ContactPoint { material, .. }) => material.restitution,
                None => {
                    let stop = &stops[i - points.list.len()];
                    self.model.contacts[stop.contact].restitution
                }
            };
            if before < -SLOW {
                n += 1;
                // with joints imposed at the end, there may be no solution with restitution
                if -before > threshold * gravity && !self.imposes_joints_at_end {
                    bounces.push((row, e * before));
                    rows[row].bias = e * before;
                } else {
                    self.report.rests += u64::from(e > 0.0);
                }
            }
            row += constraint.contact.rows();
        }
        n
    }

    fn finish_impact(&mut self) {
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let Work {
            start,
            end,
            is_located,
            constraints,
            joints,
            rows,
            impulse,
            solvers,
            energy_balance,
            ..
        } = &mut workspace.time_stepping;
        energy_balance.connect_loaded(constraints, impulse);
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let driven = Driven {
                model,
                island: &island,
                joints,
                rows,
            };
            if let Some(i) = island.bodies.iter().find(|i| is_located[**i as usize]) {
                let work = driven.work_of_drives(|row| impulse[row], [start, end]);
                let losses = energy_balance.at(*i as usize);
                losses.applied += work;
                losses.impacts += work;
            }
        }
        for (i, body) in model.bodies.iter().enumerate() {
            if !is_located[i] {
                continue;
            }
            for k in 0..body.n_dof {
                let at = body.first + k;
                let (v, w) = (start[i][k], end[i][k]);
                energy_balance.at(i).impacts += 0.5 * model.mass[at] * (v * v - w * w);
                state.velocity[at] = w;
            }
        }
    }
}

// predicted pose of a body after some time, and the rotation vector until then
fn expected(
    model: &Model,
    state: &State,
    work: &Work,
    plans: &Plans,
    body: BodyRef,
    time: f64,
) -> (Pose, Vec3) {
    let Some(i) = body else {
        return (Pose::ground(), Vec3::zeros());
    };
    let (v, a) = (work.start[i], plans.acceleration[i]);
    let moved = |k: usize| time * (v[k] + 0.5 * time * a[k]);
    let shift = Vec3::new(moved(0), moved(1), moved(2));
    let turn = Vec3::new(moved(3), moved(4), moved(5));
    let first = model.bodies[i].first;
    let position = Vec3::new(
        state.position[first],
        state.position[first + 1],
        state.position[first + 2],
    );
    let orientation = quaternion::product(state.orientation[i], quaternion::exp(turn));
    (Pose::new(position + shift, orientation), turn)
}
