//! Where bodies of a crowd touch or may touch soon: found anew in every step, in an order that depends on the shapes alone, so
//! that a spot is known again by its key.

use crate::math::Vec3;
use crate::model::{BodyRef, Crowd, Law, Model, Solid, space_pose_of};
use crate::space::Pose;
use crate::space::collide::grid::{Ball, Grid};
use crate::space::collide::meeting::{Meeting, Meetings};
use crate::space::shape::Bound;
use crate::state::SpotKey;

/// A place where two shapes are near each other.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Which shapes and which feature of them.
    pub key: SpotKey,
    /// The normal points from the first to the second.
    pub bodies: [BodyRef; 2],
    /// m.
    pub gap: f64,
    /// Unit vector.
    pub normal: Vec3,
    /// Points of contact from the centres of mass, world axes, m.
    pub arms: [Vec3; 2],
    /// What holds there.
    pub law: Law,
    /// The surface that moves.
    pub belt: Option<usize>,
}

/// The pairs that are near, and room for the search.
#[derive(Debug, Default)]
pub struct Spots {
    /// In rising order of their keys.
    pub list: Vec<Spot>,
    /// What is known of the pairs near now and before, in rising order.
    pairs: Vec<([u32; 2], Meetings)>,
    before: Vec<([u32; 2], Meetings)>,
    near: Vec<[u32; 2]>,
    grid: Grid,
    balls: Vec<Ball>,
    /// Shapes of the balls.
    bounded: Vec<u32>,
}

impl Spots {
    /// Finds all spots where shapes come within the sum of the reaches of their bodies, m. Pairs of bodies that `skip` says
    /// are left out.
    pub fn find(
        &mut self,
        crowd: &Crowd,
        poses: &[Pose],
        reach: impl Fn(BodyRef) -> f64,
        skip: impl Fn([BodyRef; 2]) -> bool,
    ) {
        self.find_pairs(crowd, poses, &reach, &skip);
        self.know_pairs(crowd);
        self.list.clear();
        for (pair, meetings) in &self.pairs {
            let solids = pair.map(|i| &crowd.solids[i as usize]);
            let within = reach(solids[0].body) + reach(solids[1].body);
            find_in(crowd, *pair, meetings, poses, within, &mut self.list);
        }
    }

    /// The spots of the same pairs at other poses, with gaps up to `within`, m.
    pub fn look_again(
        &self,
        crowd: &Crowd,
        poses: &[Pose],
        within: f64,
        skip: impl Fn([BodyRef; 2]) -> bool,
        found: &mut Vec<Spot>,
    ) {
        found.clear();
        for (pair, meetings) in &self.pairs {
            let bodies = pair.map(|i| crowd.solids[i as usize].body);
            if !skip(bodies) {
                find_in(crowd, *pair, meetings, poses, within, found);
            }
        }
    }

    /// The smallest gap of a pair that is near, at other poses, m; infinite where no feature of it sees the other.
    pub fn gap_of(&self, crowd: &Crowd, pair: [u32; 2], poses: [&Pose; 2]) -> f64 {
        let order = |[first, second]: [u32; 2]| (second, first);
        let mut least = f64::INFINITY;
        if let Ok(i) = self
            .pairs
            .binary_search_by_key(&order(pair), |(pair, _)| order(*pair))
        {
            let shapes = pair.map(|i| &crowd.solids[i as usize].shape);
            self.pairs[i].1.find(shapes, poses, f64::MAX, |meeting| {
                least = least.min(meeting.gap);
            });
        }
        least
    }

    /// A number that grows with the memory taken.
    pub fn room(&self) -> usize {
        self.list.capacity() + self.pairs.capacity() + self.near.capacity()
    }

    fn find_pairs(
        &mut self,
        crowd: &Crowd,
        poses: &[Pose],
        reach: &impl Fn(BodyRef) -> f64,
        skip: &impl Fn([BodyRef; 2]) -> bool,
    ) {
        self.near.clear();
        self.balls.clear();
        self.bounded.clear();
        let n_unbounded = crowd.n_unbounded();
        for (i, solid) in crowd.solids.iter().enumerate().skip(n_unbounded) {
            if let Bound::Ball { centre, radius } = solid.bound {
                self.bounded.push(i as u32);
                self.balls.push(Ball {
                    centre: space_pose_of(poses, solid.body).point(centre),
                    radius: radius + reach(solid.body),
                });
            }
        }
        let touch = |a: &Solid, b: &Solid, i: usize, j: usize| {
            !skip([a.body, b.body]) && crowd.may_touch(a.body, b.body) && crowd.law(i, j).enabled
        };
        for (second, i) in self.bounded.iter().enumerate() {
            let solid = &crowd.solids[*i as usize];
            for (j, plane) in crowd.solids[..n_unbounded].iter().enumerate() {
                let Bound::HalfSpace(bound) = plane.bound else {
                    continue;
                };
                let ball = &self.balls[second];
                let apart = crate::math::dot3(bound.normal, ball.centre) - bound.offset;
                if apart <= ball.radius && touch(plane, solid, j, *i as usize) {
                    self.near.push([j as u32, *i]);
                }
            }
        }
        let Self {
            grid,
            balls,
            bounded,
            near,
            ..
        } = self;
        grid.pairs(balls, |second, first| {
            let (i, j) = (bounded[second] as usize, bounded[first] as usize);
            if touch(&crowd.solids[j], &crowd.solids[i], j, i) {
                near.push([j as u32, i as u32]);
            }
        });
        // those on half-spaces come first, the others by their second shape
        near.sort_unstable_by_key(|[first, second]| (*second, *first));
    }

    // pairs that stay near keep what is known of them
    fn know_pairs(&mut self, crowd: &Crowd) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        let mut before = self.before.drain(..).peekable();
        let order = |[first, second]: [u32; 2]| (second, first);
        for pair in &self.near {
            while before
                .next_if(|(old, _)| order(*old) < order(*pair))
                .is_some()
            {}
            if let Some(known) = before.next_if(|(old, _)| old == pair) {
                self.pairs.push(known);
                continue;
            }
            let [a, b] = pair.map(|i| &crowd.solids[i as usize].shape);
            // pairs that cannot touch were refused with the scene
            if let Ok(meetings) = Meetings::of(a, b) {
                self.pairs.push((*pair, meetings));
            }
        }
    }
}

fn find_in(
    crowd: &Crowd,
    pair: [u32; 2],
    meetings: &Meetings,
    poses: &[Pose],
    within: f64,
    found: &mut Vec<Spot>,
) {
    let [i, j] = pair.map(|i| i as usize);
    let (a, b) = (&crowd.solids[i], &crowd.solids[j]);
    let (pose_a, pose_b) = (space_pose_of(poses, a.body), space_pose_of(poses, b.body));
    let law = *crowd.law(i, j);
    let shapes = [&a.shape, &b.shape];
    meetings.find(shapes, [pose_a, pose_b], within, |meeting: Meeting| {
        found.push(Spot {
            key: SpotKey {
                shapes: pair,
                feature: meeting.feature,
            },
            bodies: [a.body, b.body],
            gap: meeting.gap,
            normal: meeting.normal,
            arms: meeting.arms,
            law,
            belt: a.belt.or(b.belt),
        });
    });
}

impl Model {
    /// Does a body have to be looked at in each step, because something from outside acts on it?
    pub fn is_driven(&self, body: usize) -> bool {
        let of_body = |bodies: &[BodyRef; 2]| bodies.contains(&Some(body));
        let forces = self.forces.iter();
        forces.filter(|link| of_body(&link.bodies)).any(|link| {
            link.force
                .space()
                .is_some_and(crate::space::force::Force::is_given)
        }) || self
            .motors
            .iter()
            .any(|motor| of_body(&self.joints[motor.joint].bodies))
    }
}
