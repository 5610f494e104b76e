//! Pairs of shapes near enough to be examined.
//!
//! A search lists the pairs whose bounds are closer than a reach. It stays valid while no two bodies together have moved by more than what
//! the reach exceeds the distance of interest, so that most steps only examine the list. What is decided with it does not depend on it.

use super::assemble::NEAR;
use crate::math::{Limit, Quaternion, dot3};
use crate::model::{Model, Poses};
use std::ops::Range;

/// The reach of a search, as a multiple of the distance of interest.
const REACH: f64 = 8.0;

/// A reach larger than this multiple is out of date: what was fast has come to rest.
const TOO_FAR: f64 = 100.0;

/// Pairs of shapes, and the stops of each joint as a pair of their own.
#[derive(Debug)]
pub(in crate::integrate) struct NearPairs {
    /// Contacts of each pair.
    contacts: Vec<Range<usize>>,
    /// The pairs within the reach, in ascending order.
    listed: Vec<usize>,
    /// Poses at the last search, in the plane or in space.
    plane: Vec<crate::constraint::Pose>,
    space: Vec<crate::kinds::space::Pose>,
    /// m; negative before the first search.
    reach: f64,
    /// Contacts closer than this are active, m.
    pub band: f64,
    /// Coordinates and reference orientations at which gaps were evaluated last, and up to which distance, m.
    position: Vec<f64>,
    reference: Vec<Quaternion>,
    far: f64,
}

impl NearPairs {
    /// All pairs of a model; none is known to be near.
    pub fn new(model: &Model) -> Self {
        let mut end = 0;
        let pairs = model.contacts.chunk_by(|a, b| a.pair == b.pair);
        let contacts = pairs.map(|pair| {
            let start = end;
            end += pair.len();
            start..end
        });
        let contacts: Vec<_> = contacts.collect();
        let n = model.bodies.len();
        Self {
            listed: Vec::with_capacity(contacts.len()),
            contacts,
            plane: Vec::with_capacity(if model.is_spatial() { 0 } else { n }),
            space: Vec::with_capacity(if model.is_spatial() { n } else { 0 }),
            reach: f64::NEG_INFINITY,
            band: 0.0,
            position: Vec::with_capacity(model.n_velocities),
            reference: Vec::with_capacity(n),
            far: f64::NAN,
        }
    }

    /// Are these the coordinates at which gaps were evaluated last, up to this distance? From now on they are.
    pub fn has_gaps_at(&mut self, q: &[f64], poses: &Poses, far: f64) -> bool {
        if self.far == far && self.position == q && self.reference == poses.reference() {
            return true;
        }
        self.far = far;
        self.position.clear();
        self.position.extend_from_slice(q);
        self.reference.clear();
        self.reference.extend_from_slice(poses.reference());
        false
    }

    /// The contacts of each listed pair.
    pub fn pairs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.listed.iter().map(|pair| self.contacts[*pair].clone())
    }

    /// The contacts of all listed pairs.
    pub fn contacts(&self) -> impl Iterator<Item = usize> + '_ {
        self.pairs().flatten()
    }

    /// Lists all pairs that may be closer than `distance` (m), or than active contacts, at these poses, and others. The gaps of contacts
    /// that are not listed become `f64::MAX`: they are not known.
    pub fn find(&mut self, model: &Model, poses: &Poses, distance: f64, gap: &mut [f64]) {
        let distance = distance.at_least(NEAR).at_least(self.band);
        if self.moved(model, poses) > self.reach - distance {
            self.search(model, poses, distance, gap);
        }
    }

    /// The same for the pairs that may touch during a step; `distance` bounds the way of two bodies towards each other, m.
    pub fn find_within_step(
        &mut self,
        model: &Model,
        poses: &Poses,
        distance: f64,
        gap: &mut [f64],
    ) {
        let distance = distance.at_least(NEAR).at_least(self.band);
        if self.reach > TOO_FAR * distance {
            self.search(model, poses, distance, gap);
        } else {
            self.find(model, poses, distance, gap);
        }
    }

    fn search(&mut self, model: &Model, poses: &Poses, distance: f64, gap: &mut [f64]) {
        self.reach = REACH * distance;
        self.plane.clear();
        self.plane.extend_from_slice(poses.plane());
        self.space.clear();
        self.space.extend_from_slice(poses.space());
        self.listed.clear();
        for (pair, contacts) in self.contacts.iter().enumerate() {
            let apart = model.clearance_of_bounds(&model.contacts[contacts.start], poses);
            // also where a coordinate is not a number
            if apart > self.reach {
                gap[contacts.clone()].fill(f64::MAX);
            } else {
                self.listed.push(pair);
            }
        }
    }

    // upper bound of the way that two bodies have moved towards each other since the last search, m
    fn moved(&self, model: &Model, poses: &Poses) -> f64 {
        let (mut first, mut second): (f64, f64) = (0.0, 0.0);
        let mut add = |shift: f64, turn: f64, extent: f64| {
            // the ground has infinite shapes, but it does not turn
            let way = if turn > 0.0 {
                shift + turn * extent
            } else {
                shift
            };
            if way > first {
                (first, second) = (way, first);
            } else if way > second {
                second = way;
            }
        };
        let bodies = || model.bodies.iter().map(|body| body.extent);
        for ((now, then), extent) in poses.plane().iter().zip(&self.plane).zip(bodies()) {
            let shift = now.position - then.position;
            add(
                crate::math::length(shift),
                (now.angle - then.angle).abs(),
                extent,
            );
        }
        for ((now, then), extent) in poses.space().iter().zip(&self.space).zip(bodies()) {
            let shift = now.position - then.position;
            // the norm of the difference of two rotations is sqrt(2) times the way of a point at unit distance
            let turned = now.rotation - then.rotation;
            let square: f64 = turned.iter().map(|x| x * x).sum();
            add(dot3(shift, shift).sqrt(), (0.5 * square).sqrt(), extent);
        }
        first + second
    }
}
