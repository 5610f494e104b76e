//! Sleeping: islands of bodies at rest are excluded from all computations until something approaches.
//!
//! An island falls asleep when all its bodies have been slow for some time and no input acts on them; its velocities, already negligible,
//! become zero. It wakes as a whole, before anything closes it, with the forces it fell asleep with.

use super::assemble::{along, index, row};
use super::{BAND, ContactPoint, Step, Work};
use crate::math::{Groups, Limit, norm};
use crate::model::{Body, BodyRef, Coupling, Model, TimeStepping};
use crate::state::PersistentContact;

/// Islands of bodies that touch or are joined, from the forces of the state.
#[derive(Debug, Default)]
pub(super) struct SleepIslands {
    joined: Groups,
    /// By the representative of an island: is it awake, or does it wake up?
    awake: Vec<bool>,
    /// Is the body supported?
    supported: Vec<bool>,
}

impl SleepIslands {
    /// Marks the island of a body.
    pub fn mark(&mut self, body: usize) {
        let root = self.joined.root(body);
        self.awake[root] = true;
    }

    /// Is the island of a body marked?
    pub fn is_marked(&mut self, body: usize) -> bool {
        let root = self.joined.root(body);
        self.awake[root]
    }

    /// Finds the islands, none of them marked.
    pub fn find(
        &mut self,
        model: &Model,
        time_stepping: &TimeStepping,
        constraints: &[PersistentContact],
    ) {
        self.joined.reset(model.bodies.len());
        self.supported.clear();
        self.supported.resize(model.bodies.len(), false);
        for constraint in constraints {
            let [a, b] = constraint
                .key
                .shapes
                .map(|i| time_stepping.colliders[i as usize].body);
            self.join(a, b);
        }
        let joined = model.joints.iter().map(|link| link.bodies);
        let forced = model.forces.iter().map(|link| link.bodies);
        let with_friction = model.elements.iter().map(|element| element.bodies);
        let coupled = model.all_couplings().map(Coupling::pair);
        for [a, b] in joined.chain(forced).chain(with_friction).chain(coupled) {
            self.join(a, b);
        }
        self.awake.clear();
        self.awake.resize(model.bodies.len(), false);
    }

    fn join(&mut self, a: BodyRef, b: BodyRef) {
        for body in [a, b].into_iter().flatten() {
            self.supported[body] = true;
        }
        if let (Some(a), Some(b)) = (a, b) {
            self.joined.join(a, b);
        }
    }
}

impl Step<'_> {
    pub(super) fn all_asleep(&self) -> bool {
        let sleep_timer = &self.state.time_stepping.sleep_timer;
        !sleep_timer.is_empty() && sleep_timer.iter().all(|x| *x == f64::INFINITY)
    }

    // wakes islands that an awake body would touch in this step; true if there was one
    pub(super) fn wake_islands(&mut self) -> bool {
        let (model, h) = (self.model, self.h);
        let poses = self.workspace.poses.space();
        let work = &mut self.workspace.time_stepping;
        let sleep_timer = &mut self.state.time_stepping.sleep_timer;
        // a body that has been slow is supported, and does not fall
        work.ahead.clear();
        let both = work.start.iter().zip(&work.free).zip(sleep_timer.iter());
        let ahead = both.map(|((supported, falling), sleep_timer)| {
            if *sleep_timer > 0.0 {
                *supported
            } else {
                *falling
            }
        });
        work.ahead.extend(ahead);
        let asleep = |body: BodyRef| body.is_some_and(|i| sleep_timer[i] == f64::INFINITY);
        let sleeps = |point: &ContactPoint| point.bodies.into_iter().any(asleep);
        let closes = |point: &ContactPoint| {
            let (normal, bodies) = (row(&point.normal_row(poses), 0.0), point.bodies.map(index));
            let [supported, falling] = [&work.start, &work.ahead];
            let speed = along(&normal, bodies, supported).at_most(along(&normal, bodies, falling));
            point.gap + h * speed.at_most(0.0) <= BAND
        };
        let points = &mut work.points.list;
        if !points.iter().any(|point| sleeps(point) && closes(point)) {
            // near misses do not wake them
            points.retain(|point| !sleeps(point));
            return false;
        }
        let groups = &mut work.groups;
        groups.find(
            model,
            self.time_stepping,
            &self.state.time_stepping.contacts,
        );
        for point in points.iter().filter(|point| closes(point)) {
            for body in point
                .bodies
                .into_iter()
                .filter(|body| asleep(*body))
                .flatten()
            {
                groups.mark(body);
            }
        }
        for i in 0..model.bodies.len() {
            if groups.is_marked(i) && sleep_timer[i] == f64::INFINITY {
                sleep_timer[i] = 0.0;
                work.left[i] = h;
            }
        }
        true
    }

    pub(super) fn fall_asleep(&mut self) {
        let options = &self.time_stepping.options;
        if options.sleep_speed == 0.0 {
            return;
        }
        let Self {
            model,
            time_stepping,
            state,
            workspace,
            h,
            ..
        } = self;
        let Work {
            groups,
            driven,
            found,
            ..
        } = &mut workspace.time_stepping;
        groups.find(model, time_stepping, &state.time_stepping.contacts);
        // neighbours that touch without a force would wake each other
        for point in found.iter().filter(|point| point.gap <= BAND) {
            if let [Some(a), Some(b)] = point.bodies {
                groups.joined.join(a, b);
            }
        }
        for (i, body) in model.bodies.iter().enumerate() {
            let v = &state.velocity[body.first..body.first + body.n_dof];
            let turning = if body.n_dof > 3 { norm(&v[3..]) } else { 0.0 };
            let speed = norm(&v[..3]) + radius(model, body) * turning;
            let sleep_timer = &mut state.time_stepping.sleep_timer[i];
            // an unsupported body is slow for a moment only
            if speed > options.sleep_speed || driven[i] || !groups.supported[i] {
                *sleep_timer = 0.0;
            } else {
                *sleep_timer += *h;
            }
            let root = groups.joined.root(i);
            groups.awake[root] |= *sleep_timer < options.sleep_after;
        }
        // a body on a belt may be moved by it
        for constraint in &state.time_stepping.contacts {
            let colliders = constraint
                .key
                .shapes
                .map(|i| &time_stepping.colliders[i as usize]);
            if colliders.iter().any(|collider| collider.belt.is_some()) {
                for body in colliders.iter().filter_map(|collider| collider.body) {
                    groups.mark(body);
                }
            }
        }
        for (i, body) in model.bodies.iter().enumerate() {
            if !groups.is_marked(i) && state.time_stepping.sleep_timer[i] < f64::INFINITY {
                state.time_stepping.sleep_timer[i] = f64::INFINITY;
                let span = body.first..body.first + body.n_dof;
                state.velocity[span.clone()].fill(0.0);
                state.acceleration[span].fill(0.0);
            }
        }
    }
}

// radius of a body, or its largest radius of gyration if its shapes are smaller, m
fn radius(model: &Model, body: &Body) -> f64 {
    match model.mass[body.first..body.first + body.n_dof] {
        [mass, _, _, x, y, z] => (x.at_least(y).at_least(z) / mass)
            .sqrt()
            .at_least(body.extent),
        _ => body.extent,
    }
}
