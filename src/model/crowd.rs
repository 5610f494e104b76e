//! Many bodies: their shapes, and what holds where two of them touch. Contacts are not listed: they are found as bodies come
//! near.

use super::{BodyRef, Model};
use crate::force::Signal;
use crate::math::Vec3;
use crate::scene::format::space as written;
use crate::space::shape::{Bound, Shape};

/// What a model of many bodies has in place of a list of contacts.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// How they are dealt with.
    pub rules: written::Crowd,
    /// All shapes: those without bounds first, then the others of the ground, then body by body.
    pub solids: Vec<Solid>,
    /// Surfaces that move along themselves.
    pub belts: Vec<Belt>,
    /// Bodies that joints keep from touching: the lower index first, sorted; the ground is the last one.
    pub apart: Vec<[usize; 2]>,
    /// Laws of all pairs of kinds of shapes, row by row.
    pub laws: Vec<Law>,
    /// Number of kinds of shapes, as far as laws tell them apart.
    pub n_kinds: usize,
}

/// A shape in a crowd.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Whose it is.
    pub body: BodyRef,
    /// In the axes of the body.
    pub shape: Shape,
    /// What it is within.
    pub bound: Bound,
    /// Its kind, as far as laws tell them apart.
    pub kind: usize,
    /// Index of the belt that it is.
    pub belt: Option<usize>,
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
pub struct Law {
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

impl Crowd {
    /// What holds for two shapes.
    pub fn law(&self, a: usize, b: usize) -> &Law {
        &self.laws[self.solids[a].kind * self.n_kinds + self.solids[b].kind]
    }

    /// Number of shapes without bounds, which come first.
    pub fn n_unbounded(&self) -> usize {
        self.solids.partition_point(|solid| match solid.bound {
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

impl Model {
    /// Number of shapes in a crowd.
    pub fn n_solids(&self) -> usize {
        self.crowd.as_ref().map_or(0, |crowd| crowd.solids.len())
    }
}
