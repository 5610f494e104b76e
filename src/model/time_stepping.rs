//! Colliders and contact materials for time stepping. Contacts are not listed: they are found as bodies approach each other.

use super::{BodyRef, Model, Surroundings, space_pose_of};
use crate::kinds::force::SignalSpec;
use crate::kinds::plane::force::Signal;
use crate::kinds::space::Pose;
use crate::kinds::space::collide::grid::{BoundingSphere, Grid};
use crate::kinds::space::shape::{Bound, Shape};
use crate::math::{Vec3, dot3, square};
use crate::scene::spec::settings;
use std::sync::Arc;

/// Collision model of a scene with time stepping, in place of a list of contacts.
#[derive(Clone, Debug)]
pub struct TimeStepping {
    /// Options.
    pub options: settings::TimeStepping,
    /// All shapes: unbounded ones first, then other shapes of the ground, then body by body.
    pub colliders: Vec<Collider>,
    /// Conveyor belts.
    pub belts: Vec<Belt>,
    /// Pairs of bodies whose contacts are disabled by joints: lower index first, sorted; the ground is the last index.
    pub no_contact_pairs: Vec<[usize; 2]>,
    /// Contact materials of all pairs of kinds, row by row.
    pub materials: Vec<ContactMaterial>,
    /// Number of kinds of shapes, by contact material.
    pub n_kinds: usize,
}

/// A shape that takes part in collisions.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Whose it is.
    pub body: BodyRef,
    /// In the axes of the body.
    pub shape: Shape,
    /// Bounding volume.
    pub bound: Bound,
    /// Its kind, by contact material.
    pub kind: usize,
    /// Shapes with the same number have the same geometry in the axes of their bodies.
    pub form: u32,
    /// Index of its belt, if it is one.
    pub belt: Option<usize>,
    /// Is it redundant on all planes, to within the merge distance?
    pub is_redundant: bool,
    /// Neighbouring shapes of the same body.
    pub surroundings: Option<Arc<Surroundings>>,
}

/// A surface that moves in its own plane.
#[derive(Clone, Debug)]
pub struct Belt {
    /// Its name.
    pub name: String,
    /// Unit vector.
    pub direction: Vec3,
    /// m/s.
    pub speed: Signal,
}

/// Contact material of a pair of shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Is contact enabled?
    pub enabled: bool,
    /// Coulomb friction coefficient while it slides.
    pub friction: f64,
    /// The same at rest, not below it.
    pub static_friction: f64,
    /// Speed over which friction falls from its value at rest, m/s; none where it drops at once.
    pub stribeck_velocity: Option<f64>,
    /// Torsional friction moment per normal force, m.
    pub torsional_friction: f64,
    /// Rolling friction moment per normal force, m.
    pub rolling_friction: f64,
    /// Normal restitution.
    pub restitution: f64,
}

impl ContactMaterial {
    /// Is friction at rest above that of sliding?
    pub fn has_static_friction(&self) -> bool {
        self.static_friction > self.friction
    }

    /// Coefficient while it slides at a speed.
    pub fn sliding_friction(&self, speed: f64) -> f64 {
        match self.stribeck_velocity {
            Some(us) if self.has_static_friction() => {
                let rise = self.static_friction - self.friction;
                self.friction + rise * libm::exp(-square(speed / us))
            }
            Some(_) | None => self.friction,
        }
    }
}

impl TimeStepping {
    /// Contact material of two colliders.
    pub fn material(&self, a: usize, b: usize) -> &ContactMaterial {
        &self.materials[self.colliders[a].kind * self.n_kinds + self.colliders[b].kind]
    }

    /// Number of unbounded shapes, which come first.
    pub fn n_unbounded(&self) -> usize {
        self.colliders
            .partition_point(|collider| match collider.bound {
                Bound::HalfSpace(_) => true,
                Bound::Ball { .. } => false,
            })
    }

    /// Is contact between two bodies allowed by joints?
    pub fn may_touch(&self, a: BodyRef, b: BodyRef) -> bool {
        if a == b {
            return false;
        }
        let index = |body: BodyRef| body.unwrap_or(usize::MAX);
        let (a, b) = (index(a), index(b));
        self.no_contact_pairs.is_empty()
            || self
                .no_contact_pairs
                .binary_search(&[a.min(b), a.max(b)])
                .is_err()
    }
}

/// Pairs of colliders near each other, and workspace of the search.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// Sorted by second collider, then first.
    pub pairs: Vec<[u32; 2]>,
    grid: Grid,
    balls: Vec<BoundingSphere>,
    /// Colliders of the balls.
    bounded: Vec<u32>,
}

impl Neighbours {
    /// Allocated capacity, to detect growth.
    pub fn capacity(&self) -> usize {
        self.pairs.capacity() + self.grid.capacity()
    }

    /// Finds the pairs of colliders within the sum of the speculative margins of their bodies, m, that may touch, except pairs of bodies
    /// for which `skip` is true.
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
        let may_be_near = |a: &Collider, b: &Collider, i: usize, j: usize| {
            !skip([a.body, b.body])
                && time_stepping.may_touch(a.body, b.body)
                && time_stepping.material(i, j).enabled
        };
        for (second, i) in self.bounded.iter().enumerate() {
            let collider = &time_stepping.colliders[*i as usize];
            if collider.is_redundant {
                continue;
            }
            for (j, plane) in time_stepping.colliders[..n_unbounded].iter().enumerate() {
                let Bound::HalfSpace(bound) = plane.bound else {
                    continue;
                };
                let ball = &self.balls[second];
                let no_contact_pairs = dot3(bound.normal, ball.centre) - bound.offset;
                if no_contact_pairs <= ball.radius && may_be_near(plane, collider, j, *i as usize) {
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
        let no_contact_pairs = |i: u32, j: u32| body(i) != body(j);
        grid.pairs(balls, no_contact_pairs, |second, first| {
            let (i, j) = (bounded[second] as usize, bounded[first] as usize);
            if may_be_near(
                &time_stepping.colliders[j],
                &time_stepping.colliders[i],
                j,
                i,
            ) {
                pairs.push([j as u32, i as u32]);
            }
        });
        // pairs with half-spaces come first, the others by their second shape
        pairs.sort_unstable_by_key(|[first, second]| (*second, *first));
    }
}

impl Model {
    /// Number of colliders.
    pub fn n_colliders(&self) -> usize {
        self.time_stepping
            .as_ref()
            .map_or(0, |time_stepping| time_stepping.colliders.len())
    }

    /// Must a body be checked in each step because an input or signal acts on it?
    pub fn is_driven(&self, body: usize) -> bool {
        let of_body = |bodies: &[BodyRef; 2]| bodies.contains(&Some(body));
        let varies = |signal: &Signal| match signal {
            Signal::Given(SignalSpec::Constant(_)) => false,
            Signal::Given(_) | Signal::Input(_) => true,
        };
        let forces = self.forces.iter();
        forces
            .filter(|link| of_body(&link.bodies))
            .any(|link| link.force.space().is_some_and(|force| force.is_given()))
            || self
                .elements
                .iter()
                .any(|element| of_body(&element.bodies) && element.signals().any(varies))
            || self
                .drives
                .iter()
                .any(|drive| of_body(&self.bodies_of(drive)))
    }
}
