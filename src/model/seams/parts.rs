//! Which shapes of a body touch or overlap each other.

use super::{Cover, SEAM, Surroundings};
use crate::kinds::plane::shape;
use crate::kinds::space::shape::Shape;
use crate::math::{Limit, Vec2, Vec3, dot3};
use std::sync::Arc;

/// Shapes of a body closer than this touch, m: gaps up to three seam widths are closed.
const TOUCH: f64 = 4.0 * SEAM;

/// A shape of a body in the search for its neighbours.
#[derive(Clone, Debug)]
pub struct Candidate {
    cover: Arc<Cover>,
    /// The shape is within `radius` of the hull of these, m; empty for unbounded shapes.
    corners: Vec<Vec3>,
    radius: f64,
}

impl Candidate {
    pub fn of_plane(shape: &shape::Shape) -> Self {
        let (corners, radius) = match shape {
            shape::Shape::HalfPlane(_) => (Vec::new(), 0.0),
            shape::Shape::Convex(core) => {
                let lift = |v: &Vec2| Vec3::new(v.x, v.y, 0.0);
                (core.vertices.iter().map(lift).collect(), core.radius)
            }
        };
        Self {
            cover: Arc::new(Cover::of_plane(shape)),
            corners,
            radius,
        }
    }

    pub fn of_space(shape: &Shape) -> Self {
        let (corners, radius) = match shape {
            Shape::Sphere(ball) => (vec![ball.centre], ball.radius),
            Shape::Capsule(capsule) => (capsule.ends.to_vec(), capsule.radius),
            Shape::Cylinder(cylinder) => {
                let half = cylinder.axis * cylinder.half_height;
                let ends = [cylinder.centre - half, cylinder.centre + half];
                (ends.to_vec(), cylinder.radius)
            }
            Shape::Polyhedron(collider) => (collider.vertices.clone(), 0.0),
            Shape::HalfSpace(_) | Shape::HeightField(_) => (Vec::new(), 0.0),
        };
        Self {
            cover: Arc::new(Cover::of_space(shape)),
            corners,
            radius,
        }
    }

    // is it bounded, with edges?
    fn is_sharp(&self) -> bool {
        !self.corners.is_empty() && !matches!(*self.cover, Cover::Round(..))
    }

    // extent along the first axis, m
    fn range(&self) -> [f64; 2] {
        if self.corners.is_empty() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = self.corners.iter().fold(none, |[low, high], x| {
            [low.at_most(x.x), high.at_least(x.x)]
        });
        [low - self.radius - TOUCH, high + self.radius + TOUCH]
    }

    // does a face of this shape separate it from the other one?
    fn parts(&self, other: &Self) -> bool {
        let Cover::Convex(planes) = &*self.cover else {
            return false;
        };
        let is_beyond = |(normal, offset): &(Vec3, f64)| {
            let height = |x: &Vec3| dot3(*normal, *x) - offset - other.radius;
            other.corners.iter().all(|x| height(x) > TOUCH)
        };
        !other.corners.is_empty() && planes.iter().any(is_beyond)
    }
}

/// The shapes of a body, and their neighbours.
#[derive(Clone, Debug)]
pub struct Parts {
    shapes: Vec<Candidate>,
    touching: Vec<Vec<usize>>,
    all: Vec<Option<Arc<Surroundings>>>,
}

impl Parts {
    pub fn new(shapes: Vec<Candidate>) -> Self {
        let ranges: Vec<[f64; 2]> = shapes.iter().map(Candidate::range).collect();
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by(|i, j| ranges[*i][0].total_cmp(&ranges[*j][0]).then(i.cmp(j)));
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); shapes.len()];
        for (k, &i) in order.iter().enumerate() {
            let near = order[k + 1..].iter();
            for &j in near.take_while(|j| ranges[**j][0] <= ranges[i][1]) {
                let [a, b] = [&shapes[i], &shapes[j]];
                if (a.is_sharp() || b.is_sharp()) && !a.parts(b) && !b.parts(a) {
                    touching[i].push(j);
                    touching[j].push(i);
                }
            }
        }
        touching
            .iter_mut()
            .for_each(|others| others.sort_unstable());
        let mut parts = Self {
            all: Vec::with_capacity(shapes.len()),
            shapes,
            touching,
        };
        for i in 0..parts.shapes.len() {
            let all = parts.surroundings(i, |_| true);
            parts.all.push(all);
        }
        parts
    }

    /// Neighbours of a shape for which `counts` is true; `None` if none of them can cover a part of it.
    pub fn around(&self, i: usize, counts: impl Fn(usize) -> bool) -> Option<Arc<Surroundings>> {
        if self.touching[i].iter().all(|j| counts(*j)) {
            self.all[i].clone()
        } else {
            self.surroundings(i, counts)
        }
    }

    fn surroundings(&self, i: usize, counts: impl Fn(usize) -> bool) -> Option<Arc<Surroundings>> {
        let cover = |j: usize| Arc::clone(&self.shapes[j].cover);
        let others = self.touching[i].iter().filter(|j| counts(**j));
        let others: Vec<Arc<Cover>> = others.map(|j| cover(*j)).collect();
        (self.shapes[i].is_sharp() && !others.is_empty()).then(|| {
            Arc::new(Surroundings {
                own: cover(i),
                others,
            })
        })
    }
}
