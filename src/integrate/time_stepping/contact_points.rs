//! Collision detection of time stepping: contact points, and potential ones, are found anew in every step, in an order that depends on the
//! shapes alone, so that keys identify them between steps.

use std::collections::BTreeMap;

use crate::kinds::space::collide::Nearest;
use crate::kinds::space::collide::narrow_phase::{ManifoldPoint, NarrowPhase};
use crate::kinds::space::{Pose, Row};
use crate::math::{Dual, Limit, Vec3};
use crate::model::{BodyRef, Collider, ContactMaterial, Neighbours, TimeStepping, space_pose_of};
use crate::state::ContactKey;

/// Marks a pair of round shapes, which has no cached data.
const ROUND: usize = usize::MAX;

/// Cached data of this many unused pairs of forms is kept, beyond twice the near pairs.
const MAX_IDLE: usize = 256;

/// A point where two shapes touch or are near each other.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Which shapes and which feature of them.
    pub key: ContactKey,
    /// The normal points from the first to the second body.
    pub bodies: [BodyRef; 2],
    /// m.
    pub gap: f64,
    /// Unit vector.
    pub normal: Vec3,
    /// Contact points relative to the centres of mass, world axes, m.
    pub arms: [Vec3; 2],
    /// Contact material.
    pub material: ContactMaterial,
    /// The belt, if one of the shapes is one.
    pub belt: Option<usize>,
}

impl ContactPoint {
    /// Gradient of its gap.
    pub fn normal_row(&self, poses: &[Pose]) -> Row {
        let [a, b] = self.bodies.map(|body| space_pose_of(poses, body));
        Row::relative_velocity(self.normal, (a, self.arms[0]), (b, self.arms[1]))
    }
}

/// The near pairs, and workspace of the search.
#[derive(Debug, Default)]
pub struct ContactPoints {
    /// Sorted by key.
    pub list: Vec<ContactPoint>,
    /// The near pairs, sorted, with the index of their cached data.
    pairs: Vec<([u32; 2], usize)>,
    /// Cached data, shared by pairs of shapes of the same forms.
    known: Vec<NarrowPhase>,
    by_forms: BTreeMap<[u32; 2], usize>,
    neighbours: Neighbours,
}

impl ContactPoints {
    /// Finds all contact points of shapes within the sum of the speculative margins of their bodies, m, and all pairs within `slack` more
    /// each, except pairs of bodies for which `skip` is true.
    pub fn find(
        &mut self,
        time_stepping: &TimeStepping,
        poses: &[Pose],
        margin: impl Fn(BodyRef) -> f64,
        slack: impl Fn(BodyRef) -> f64,
        skip: impl Fn([BodyRef; 2]) -> bool,
    ) {
        self.find_pairs(
            time_stepping,
            poses,
            |body| margin(body) + slack(body),
            skip,
        );
        self.list.clear();
        let mut list = std::mem::take(&mut self.list);
        for (pair, known) in &self.pairs {
            let colliders = pair.map(|i| &time_stepping.colliders[i as usize]);
            let within = margin(colliders[0].body) + margin(colliders[1].body);
            let meetings = self.meetings(*known);
            find_in(time_stepping, *pair, meetings, poses, within, &mut list);
        }
        self.list = list;
    }

    /// The same without contact points: the pairs for [`Self::update`].
    pub fn find_pairs(
        &mut self,
        time_stepping: &TimeStepping,
        poses: &[Pose],
        margin: impl Fn(BodyRef) -> f64,
        skip: impl Fn([BodyRef; 2]) -> bool,
    ) {
        self.neighbours.find(time_stepping, poses, &margin, &skip);
        self.know_pairs(time_stepping);
    }

    /// The contact points of the same pairs at other poses, with gaps up to `within`, m.
    pub fn update(
        &self,
        time_stepping: &TimeStepping,
        poses: &[Pose],
        within: f64,
        skip: impl Fn([BodyRef; 2]) -> bool,
        found: &mut Vec<ContactPoint>,
    ) {
        found.clear();
        for (pair, known) in &self.pairs {
            let bodies = pair.map(|i| time_stepping.colliders[i as usize].body);
            if !skip(bodies) {
                let meetings = self.meetings(*known);
                find_in(time_stepping, *pair, meetings, poses, within, found);
            }
        }
    }

    /// The smallest gap of a near pair at other poses, m; infinite if its features do not face each other.
    pub fn gap_of(&self, time_stepping: &TimeStepping, pair: [u32; 2], poses: [&Pose; 2]) -> f64 {
        let order = |[first, second]: [u32; 2]| (second, first);
        let mut least = f64::INFINITY;
        if let Ok(i) = self
            .pairs
            .binary_search_by_key(&order(pair), |(pair, _)| order(*pair))
        {
            let colliders = pair.map(|i| &time_stepping.colliders[i as usize]);
            let shapes = colliders.map(|collider| &collider.shape);
            let meetings = self.meetings(self.pairs[i].1);
            meetings.find(shapes, poses, f64::MAX, |meeting| {
                if !is_hidden(colliders, poses, &meeting) {
                    least = least.at_most(meeting.gap);
                }
            });
        }
        least
    }

    /// Nearest points of the shapes of a contact point along their motion; none if the shapes overlap as a whole.
    pub fn nearest(
        &self,
        time_stepping: &TimeStepping,
        point: &ContactPoint,
        poses: [&Pose<Dual>; 2],
    ) -> Option<Nearest<Dual>> {
        let order = |[first, second]: [u32; 2]| (second, first);
        let pair = point.key.shapes;
        let found = self
            .pairs
            .binary_search_by_key(&order(pair), |(pair, _)| order(*pair));
        let shapes = pair.map(|i| &time_stepping.colliders[i as usize].shape);
        let meetings = self.meetings(self.pairs[found.ok()?].1);
        meetings.nearest(shapes, poses, point.key.feature)
    }

    /// Allocated capacity, to detect growth.
    pub fn capacity(&self) -> usize {
        self.list.capacity() + self.pairs.capacity() + self.neighbours.capacity()
    }

    fn know_pairs(&mut self, time_stepping: &TimeStepping) {
        let near = &self.neighbours.pairs;
        if self.known.len() > 2 * near.len() + MAX_IDLE {
            self.known.clear();
            self.by_forms.clear();
        }
        self.pairs.clear();
        for pair in near {
            let [a, b] = pair.map(|i| &time_stepping.colliders[i as usize]);
            let forms = [a.form, b.form];
            let index = match self.by_forms.get(&forms) {
                Some(index) => *index,
                None => match NarrowPhase::of(&a.shape, &b.shape) {
                    Ok(NarrowPhase::Round) => ROUND,
                    Ok(meetings) => {
                        let index = self.known.len();
                        self.known.push(meetings);
                        self.by_forms.insert(forms, index);
                        index
                    }
                    // rejected with the scene
                    Err(_) => continue,
                },
            };
            self.pairs.push((*pair, index));
        }
    }

    fn meetings(&self, index: usize) -> &NarrowPhase {
        self.known.get(index).unwrap_or(&NarrowPhase::Round)
    }
}

fn find_in(
    time_stepping: &TimeStepping,
    pair: [u32; 2],
    meetings: &NarrowPhase,
    poses: &[Pose],
    within: f64,
    found: &mut Vec<ContactPoint>,
) {
    let [i, j] = pair.map(|i| i as usize);
    let (a, b) = (&time_stepping.colliders[i], &time_stepping.colliders[j]);
    let (pose_a, pose_b) = (space_pose_of(poses, a.body), space_pose_of(poses, b.body));
    let material = *time_stepping.material(i, j);
    let shapes = [&a.shape, &b.shape];
    meetings.find(
        shapes,
        [pose_a, pose_b],
        within,
        |meeting: ManifoldPoint| {
            if is_hidden([a, b], [pose_a, pose_b], &meeting) {
                return;
            }
            found.push(ContactPoint {
                key: ContactKey {
                    shapes: pair,
                    feature: meeting.feature,
                },
                bodies: [a.body, b.body],
                gap: meeting.gap,
                normal: meeting.normal,
                arms: meeting.arms,
                material,
                belt: a.belt.or(b.belt),
            });
        },
    );
}

// is it inside the material of one of the bodies?
fn is_hidden(colliders: [&Collider; 2], poses: [&Pose; 2], meeting: &ManifoldPoint) -> bool {
    let outward = [meeting.normal, -meeting.normal];
    (0..2).any(|k| {
        let (pose, arm, normal) = (poses[k], meeting.arms[k], outward[k]);
        let surroundings = colliders[k].surroundings.as_ref();
        surroundings.is_some_and(|surroundings| {
            !surroundings.expose(pose.turn_back(arm), pose.turn_back(normal))
        })
    })
}
