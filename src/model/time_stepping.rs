//! Many bodies: their shapes, and what holds where two of them touch. Contacts are not listed: they are found as bodies come
//! near.

use super::{BodyRef, Model, Surroundings, space_pose_of};
use crate::kinds::plane::force::Signal;
use crate::kinds::space::Pose;
use crate::kinds::space::collide::grid::{BoundingSphere, Grid};
use crate::kinds::space::shape::{Bound, Shape};
use crate::math::{Vec3, dot3};
use crate::scene::spec::space as written;
use std::sync::Arc;

/// What a model of many bodies has in place of a list of contacts.
#[derive(Clone, Debug)]
pub struct TimeStepping {
    /// How they are dealt with.
    pub rules: written::TimeStepping,
    /// All shapes: those without bounds first, then the others of the ground, then body by body.
    pub colliders: Vec<Collider>,
    /// Surfaces that move along themselves.
    pub belts: Vec<Belt>,
    /// Bodies that joints keep from touching: the lower index first, sorted; the ground is the last one.
    pub apart: Vec<[usize; 2]>,
    /// Laws of all pairs of kinds of shapes, row by row.
    pub materials: Vec<ContactMaterial>,
    /// Number of kinds of shapes, as far as laws tell them apart.
    pub n_kinds: usize,
}

/// A shape in a crowd.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Whose it is.
    pub body: BodyRef,
    /// In the axes of the body.
    pub shape: Shape,
    /// What it is within.
    pub bound: Bound,
    /// Its kind, as far as laws tell them apart.
    pub kind: usize,
    /// Shapes with the same number are alike in the axes of their bodies.
    pub form: u32,
    /// Index of the belt that it is.
    pub belt: Option<usize>,
    /// Do others of its body hold for it on all planes, to within the merge distance?
    pub is_held: bool,
    /// What else of its body is at it.
    pub beside: Option<Arc<Surroundings>>,
}

/// A surface that moves along itself.
#[derive(Clone, Debug)]
pub struct Belt {
    /// Its name.
    pub name: String,
    /// Unit vector.
    pub direction: Vec3,
    /// m/s.
    pub speed: Signal,
}

/// What holds where two shapes touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Do they touch at all?
    pub enabled: bool,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Moment about the normal by the normal force, m.
    pub torsional_friction: f64,
    /// Moment across the normal by the normal force, m.
    pub rolling_friction: f64,
    /// Normal restitution.
    pub restitution: f64,
}

impl TimeStepping {
    /// What holds for two shapes.
    pub fn material(&self, a: usize, b: usize) -> &ContactMaterial {
        &self.materials[self.colliders[a].kind * self.n_kinds + self.colliders[b].kind]
    }

    /// Number of shapes without bounds, which come first.
    pub fn n_unbounded(&self) -> usize {
        self.colliders
            .partition_point(|collider| match collider.bound {
                Bound::HalfSpace(_) => true,
                Bound::Ball { .. } => false,
            })
    }

    /// Can shapes of two bodies touch, as far as joints are concerned?
    pub fn may_touch(&self, a: BodyRef, b: BodyRef) -> bool {
        if a == b {
            return false;
        }
        let index = |body: BodyRef| body.unwrap_or(usize::MAX);
        let (a, b) = (index(a), index(b));
        self.apart.is_empty() || self.apart.binary_search(&[a.min(b), a.max(b)]).is_err()
    }
}

/// The pairs of shapes that are near each other, and room for the search.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// By the second shape, then the first.
    pub pairs: Vec<[u32; 2]>,
    grid: Grid,
    balls: Vec<BoundingSphere>,
    /// Shapes of the balls.
    bounded: Vec<u32>,
}

impl Neighbours {
    /// A number that grows with the memory taken.
    pub fn room(&self) -> usize {
        self.pairs.capacity() + self.grid.capacity()
    }

    /// Finds the pairs that come within the sum of the reaches of their bodies, m, and may touch. Pairs of bodies that
    /// `skip` says are left out.
    pub fn find(
        &mut self,
        time_stepping: &TimeStepping,
        poses: &[Pose],
        reach: &dyn Fn(BodyRef) -> f64,
        skip: &dyn Fn([BodyRef; 2]) -> bool,
    ) {
        self.pairs.clear();
        self.balls.clear();
        self.bounded.clear();
        let n_unbounded = time_stepping.n_unbounded();
        for (i, collider) in time_stepping.colliders.iter().enumerate().skip(n_unbounded) {
            if let Bound::Ball { centre, radius } = collider.bound {
                self.bounded.push(i as u32);
                self.balls.push(BoundingSphere {
                    centre: space_pose_of(poses, collider.body).point(centre),
                    radius: radius + reach(collider.body),
                });
            }
        }
        let touch = |a: &Collider, b: &Collider, i: usize, j: usize| {
            !skip([a.body, b.body])
                && time_stepping.may_touch(a.body, b.body)
                && time_stepping.material(i, j).enabled
        };
        for (second, i) in self.bounded.iter().enumerate() {
            let collider = &time_stepping.colliders[*i as usize];
            if collider.is_held {
                continue;
            }
            for (j, plane) in time_stepping.colliders[..n_unbounded].iter().enumerate() {
                let Bound::HalfSpace(bound) = plane.bound else {
                    continue;
                };
                let ball = &self.balls[second];
                let apart = dot3(bound.normal, ball.centre) - bound.offset;
                if apart <= ball.radius && touch(plane, collider, j, *i as usize) {
                    self.pairs.push([j as u32, *i]);
                }
            }
        }
        let Self {
            grid,
            balls,
            bounded,
            pairs,
            ..
        } = self;
        let body = |i: u32| time_stepping.colliders[bounded[i as usize] as usize].body;
        let apart = |i: u32, j: u32| body(i) != body(j);
        grid.pairs(balls, apart, |second, first| {
            let (i, j) = (bounded[second] as usize, bounded[first] as usize);
            if touch(
                &time_stepping.colliders[j],
                &time_stepping.colliders[i],
                j,
                i,
            ) {
                pairs.push([j as u32, i as u32]);
            }
        });
        // those on half-spaces come first, the others by their second shape
        pairs.sort_unstable_by_key(|[first, second]| (*second, *first));
    }
}

impl Model {
    /// Number of shapes in a crowd.
    pub fn n_colliders(&self) -> usize {
        self.time_stepping
            .as_ref()
            .map_or(0, |time_stepping| time_stepping.colliders.len())
    }

    /// Does a body have to be looked at in each step, because something from outside acts on it?
    pub fn is_driven(&self, body: usize) -> bool {
        let of_body = |bodies: &[BodyRef; 2]| bodies.contains(&Some(body));
        let forces = self.forces.iter();
        forces.filter(|link| of_body(&link.bodies)).any(|link| {
            link.force
                .space()
                .is_some_and(crate::kinds::space::force::Force::is_given)
        }) || self
            .motors
            .iter()
            .any(|motor| of_body(&self.joints[motor.joint].bodies))
    }
}
