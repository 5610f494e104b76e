//! Impacts that are located: where few are ahead of a group, its round ends at the first of them.
//!
//! ```text
//! (1)  a body is expected at x + s v + s^2/2 a,  R exp(s w + s^2/2 dw/dt);  a: without contacts, or where it is held that
//!      of its last step
//! (2)  the first impact is the first zero of the gap of a pair along (1)
//! (3)  there, all contacts closed:  0 <= G_n v' + e G_n v | r_n >= 0 where they come nearer faster than they would fall in
//!      a step, 0 <= G_n v' | r_n >= 0 else
//! (4)  kinetic energy of a group does not rise, as in `strike`
//! ```

use super::assemble::along;
use super::strike::{SLOW, cut_back, energy};
use super::{BAND, Six, Spot, Step, Work};
use crate::math::{Groups, Limit, Vec3, quaternion, root};
use crate::model::{BodyRef, Model, space_pose_of};
use crate::space::Pose;
use crate::state::State;
use crate::step::{StepError, Workspace};

/// What is left of a round when an impact is this near is not worth a round of its own, as a part of the step.
const NOTHING: f64 = 1e-6;

/// Impacts are located to this, s: what moves at a kilometre a second is then within the band.
const INSTANT: f64 = 1e-12;

/// A group of more bodies has its impacts taken as one: to follow each costs a solve of the whole group.
const MOST_BODIES: usize = 16;

/// Length of the round of a pair of bodies, s: that of the one that moves.
pub(super) fn span_of(bodies: [BodyRef; 2], span: &[f64]) -> f64 {
    let of = |body: BodyRef| body.map_or(0.0, |i| span[i]);
    of(bodies[0]).at_least(of(bodies[1]))
}

/// A group on its way.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    bodies: usize,
    /// Impacts ahead.
    impacts: u32,
    /// Until the first of them, s.
    first: f64,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Plans {
    groups: Groups,
    plans: Vec<Plan>,
    /// Expected accelerations.
    acceleration: Vec<Six>,
    held: Vec<bool>,
}

impl Plans {
    fn join(&mut self, bodies: [BodyRef; 2]) {
        if let [Some(a), Some(b)] = bodies {
            self.groups.join(a, b);
        }
    }
}

impl Step<'_> {
    /// How far each group goes in this round.
    pub(super) fn plan(&mut self, is_last: bool) {
        let work = &mut self.workspace.crowd;
        work.span.clone_from(&work.left);
        work.is_located.clear();
        work.is_located.resize(self.model.bodies.len(), false);
        if !is_last {
            self.find_groups();
            self.foresee();
            self.count_impacts();
            self.shorten();
        }
    }

    fn find_groups(&mut self) {
        let Work { spots, plans, .. } = &mut self.workspace.crowd;
        let n = self.model.bodies.len();
        plans.groups.reset(n);
        plans.plans.clear();
        plans.plans.resize(n, Plan::default());
        plans.held.clear();
        plans.held.resize(n, false);
        for spot in &spots.list {
            plans.join(spot.bodies);
            if spot.gap <= BAND {
                for body in spot.bodies.into_iter().flatten() {
                    plans.held[body] = true;
                }
            }
        }
        let joined = self.model.joints.iter().map(|link| link.bodies);
        let forced = self.model.forces.iter().map(|link| link.bodies);
        for bodies in joined.chain(forced) {
            plans.join(bodies);
            for body in bodies.into_iter().flatten() {
                plans.held[body] = true;
            }
        }
        for i in 0..n {
            let root = plans.groups.root(i);
            plans.plans[root].bodies += 1;
        }
    }

    // (1)
    fn foresee(&mut self) {
        let Work {
            plans,
            start,
            free,
            left,
            ..
        } = &mut self.workspace.crowd;
        plans.acceleration.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let mut a = [0.0; 6];
            if left[i] > 0.0 {
                for k in 0..body.n_dof {
                    a[k] = if plans.held[i] {
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
        let located = self.crowd.rules.located_impacts;
        let Workspace {
            poses, crowd: work, ..
        } = &mut *self.workspace;
        let poses = poses.space();
        let mut list = std::mem::take(&mut work.spots.list);
        for spot in list.iter().filter(|spot| spot.gap > BAND) {
            let Some(body) = spot.bodies.into_iter().flatten().next() else {
                continue;
            };
            let group = work.plans.groups.root(body);
            let plan = work.plans.plans[group];
            if plan.bodies > MOST_BODIES || plan.impacts > located {
                continue;
            }
            let left = span_of(spot.bodies, &work.left);
            let gap_after = |s: f64| {
                let [a, b] = spot
                    .bodies
                    .map(|body| expected(self.model, self.state, work, poses, body, s));
                work.spots.gap_of(self.crowd, spot.key.shapes, [&a, &b])
            };
            let at_end = gap_after(left);
            if at_end > 0.0 {
                continue;
            }
            let first = root::bracketed(gap_after, (0.0, spot.gap), (left, at_end), INSTANT);
            let plan = &mut work.plans.plans[group];
            if plan.impacts == 0 || first < plan.first {
                plan.first = first;
            }
            plan.impacts += 1;
        }
        std::mem::swap(&mut work.spots.list, &mut list);
    }

    fn shorten(&mut self) {
        let located = self.crowd.rules.located_impacts;
        let h = self.h;
        let Work {
            plans,
            span,
            left,
            is_located,
            spots,
            ..
        } = &mut self.workspace.crowd;
        for i in 0..span.len() {
            let root = plans.groups.root(i);
            let plan = plans.plans[root];
            let few = plan.impacts > 0 && plan.impacts <= located;
            if left[i] > 0.0 && few && plan.bodies <= MOST_BODIES {
                is_located[i] = true;
                span[i] = plan.first.at_least(NOTHING * h).at_most(left[i]);
            }
        }
        // up to its impact a located group has no others
        spots.list.retain(|spot| {
            let mut bodies = spot.bodies.into_iter().flatten();
            spot.gap <= BAND || !bodies.any(|body| is_located[body])
        });
    }

    // (3)
    pub(super) fn collide(&mut self) -> Result<(), StepError> {
        let work = &mut self.workspace.crowd;
        if !work.is_located.contains(&true) {
            return Ok(());
        }
        self.place();
        let Workspace {
            poses, crowd: work, ..
        } = &mut *self.workspace;
        let is_located = std::mem::take(&mut work.is_located);
        let skip = |bodies: [BodyRef; 2]| {
            let mut bodies = bodies.into_iter().flatten();
            !bodies.any(|body| is_located[body])
        };
        let mut found = std::mem::take(&mut work.spots.list);
        work.spots
            .look_again(self.crowd, poses.space(), BAND, skip, &mut found);
        work.spots.list = found;
        let Work {
            start, free, span, ..
        } = work;
        for (i, body) in self.model.bodies.iter().enumerate() {
            let v = &self.state.velocity[body.first..body.first + body.n_dof];
            start[i][..body.n_dof].copy_from_slice(v);
            free[i] = start[i];
            // an instant; the length of the step only scales what is open, and nothing is
            span[i] = if is_located[i] { self.h } else { 0.0 };
        }
        work.is_located = is_located;
        self.assemble_instant();
        let bounces = self.set_instant_bounces();
        self.report.located_impacts += bounces;
        self.report.n_events.impacts += bounces;
        if bounces == 0 {
            return Ok(());
        }
        self.solve()?;
        self.hold_energy()?;
        self.give_impact_back();
        self.finish_impact();
        Ok(())
    }

    // (4): groups that would gain are brought towards what they do without a bounce
    fn hold_energy(&mut self) -> Result<(), StepError> {
        let Work {
            bodies,
            start,
            end,
            after,
            rows,
            impulse,
            bounces,
            solvers,
            ..
        } = &mut self.workspace.crowd;
        let islands = &solvers.islands;
        let gains = |k: usize| {
            let group = islands.island(k).bodies;
            energy(bodies, group, end) > energy(bodies, group, start)
        };
        if !(0..islands.count()).any(gains) {
            return Ok(());
        }
        after.clone_from(end);
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
            solvers,
            ..
        } = &mut self.workspace.crowd;
        for k in 0..solvers.islands.count() {
            let group = solvers.islands.island(k).bodies;
            let most = energy(bodies, group, start);
            let cut = cut_back(bodies, group, most, end, after);
            self.report.guarded_impacts += u64::from(cut);
        }
        std::mem::swap(end, after);
        Ok(())
    }

    // biases of (3), and how many contacts come nearer
    fn set_instant_bounces(&mut self) -> u64 {
        let threshold = self.settings.restitution_threshold * self.h;
        let gravity = crate::math::norm(self.model.gravity.as_slice());
        let Work {
            spots,
            touches,
            rows,
            start,
            bounces,
            ..
        } = &mut self.workspace.crowd;
        bounces.clear();
        let (mut row, mut n) = (0, 0);
        for (i, touch) in touches.iter().enumerate() {
            let before = along(&rows[row], touch.bodies, start);
            let e = match spots.list.get(i) {
                Some(Spot { law, .. }) => law.restitution,
                None => self.model.contacts[i - spots.list.len()].restitution,
            };
            if before < -SLOW {
                n += 1;
                if -before > threshold * gravity {
                    bounces.push((row, e * before));
                    rows[row].bias = e * before;
                } else {
                    self.report.rests += u64::from(e > 0.0);
                }
            }
            row += touch.contact.rows();
        }
        n
    }

    fn finish_impact(&mut self) {
        let Self {
            model,
            state,
            workspace,
            report,
            ..
        } = self;
        let Work {
            start,
            end,
            is_located,
            ..
        } = &mut workspace.crowd;
        for (i, body) in model.bodies.iter().enumerate() {
            if !is_located[i] {
                continue;
            }
            for k in 0..body.n_dof {
                let at = body.first + k;
                let (v, w) = (start[i][k], end[i][k]);
                report.impact_loss += 0.5 * model.mass[at] * (v * v - w * w);
                state.velocity[at] = w;
            }
        }
    }
}

// where a body is expected after some time
fn expected(
    model: &Model,
    state: &State,
    work: &Work,
    poses: &[Pose],
    body: BodyRef,
    time: f64,
) -> Pose {
    let Some(i) = body else {
        return *space_pose_of(poses, None);
    };
    let (v, a) = (work.start[i], work.plans.acceleration[i]);
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
    Pose::new(position + shift, orientation)
}
