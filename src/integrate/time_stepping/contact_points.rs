//! Where bodies of a crowd touch or may touch soon: found anew in every step, in an order that depends on the shapes alone, so
//! that a spot is known again by its key.

use std::collections::BTreeMap;

use crate::kinds::space::Pose;
use crate::kinds::space::collide::Nearest;
use crate::kinds::space::collide::narrow_phase::{ManifoldPoint, NarrowPhase};
use crate::math::{Dual, Limit, Vec3};
use crate::model::{BodyRef, Collider, ContactMaterial, Neighbours, TimeStepping, space_pose_of};
use crate::state::ContactKey;

/// In place of what is known of a pair: it is round, there is nothing to know.
const ROUND: usize = usize::MAX;

/// What is known of this many pairs of forms is kept beyond twice the pairs that are near.
const MOST_IDLE: usize = 256;

/// A place where two shapes are near each other.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Which shapes and which feature of them.
    pub key: ContactKey,
    /// The normal points from the first to the second.
    pub bodies: [BodyRef; 2],
    /// m.
    pub gap: f64,
    /// Unit vector.
    pub normal: Vec3,
    /// Points of contact from the centres of mass, world axes, m.
    pub arms: [Vec3; 2],
    /// What holds there.
    pub material: ContactMaterial,
    /// The surface that moves.
    pub belt: Option<usize>,
}

/// The pairs that are near, and room for the search.
#[derive(Debug, Default)]
pub struct ContactPoints {
    /// In rising order of their keys.
    pub list: Vec<ContactPoint>,
    /// The pairs that are near, in rising order, and what is known of them.
    pairs: Vec<([u32; 2], usize)>,
    /// Shapes of the same forms share it.
    known: Vec<NarrowPhase>,
    by_forms: BTreeMap<[u32; 2], usize>,
    neighbours: Neighbours,
}

impl ContactPoints {
    /// Finds all spots where shapes come within the sum of the reaches of their bodies, m, and all pairs where they come
    /// within `slack` more each. Pairs of bodies that `skip` says are left out.
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

    /// The same without the spots: the pairs that [`Self::look_again`] looks at.
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

    /// The spots of the same pairs at other poses, with gaps up to `within`, m.
    pub fn look_again(
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

    /// The smallest gap of a pair that is near, at other poses, m; infinite where no feature of it sees the other.
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

    /// Where the shapes of a spot are nearest while they move; nothing where they overlap as wholes.
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

    /// A number that grows with the memory taken.
    pub fn room(&self) -> usize {
        self.list.capacity() + self.pairs.capacity() + self.neighbours.room()
    }

    fn know_pairs(&mut self, time_stepping: &TimeStepping) {
        let near = &self.neighbours.pairs;
        if self.known.len() > 2 * near.len() + MOST_IDLE {
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
                    // refused with the scene
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
        let beside = colliders[k].beside.as_ref();
        beside.is_some_and(|beside| !beside.expose(pose.turn_back(arm), pose.turn_back(normal)))
    })
}
