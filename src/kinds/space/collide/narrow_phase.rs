//! Narrow phase: all contact points of two shapes within a given distance.

use super::{Feature, Nearest, Unsupported, Vertex, features, half_space, on_segment, overlap};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Shape;
use crate::math::{Limit, Real, Vec3};

/// A point farther than this beyond the boundary of its face is left to another feature, m: slightly more than the
/// tolerance of edges.
const BEYOND: f64 = -2e-9;

/// Polyhedra with a larger penetration, m, are handled as wholes instead of by features: less than the depth at which a
/// corner takes a flush side for the face it is below.
const DEEP: f64 = 9e-7;

/// A contact point of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldPoint {
    /// Index of the feature of the pair.
    pub feature: u32,
    /// m; negative where they overlap.
    pub gap: f64,
    /// Unit vector from the first to the second shape.
    pub normal: Vec3,
    /// Contact points relative to the centres of mass, world axes, m.
    pub arms: [Vec3; 2],
}

/// Precomputed data of a pair of shapes.
#[derive(Clone, Debug)]
pub enum NarrowPhase {
    /// Two spheres, or a sphere and a half-space: a single point, without features.
    Round,
    /// Features, each with `true` if the second shape is on body a of the feature.
    Features(Vec<(Feature, bool)>),
}

impl NarrowPhase {
    /// Data of two shapes.
    pub fn of(first: &Shape, second: &Shape) -> Result<Self, Unsupported> {
        match (first, second) {
            (Shape::Sphere(_) | Shape::HalfSpace(_), Shape::Sphere(_)) => Ok(Self::Round),
            _ => Ok(Self::Features(features(first, second)?)),
        }
    }

    /// Reports all contact points with a gap of at most `within`, m.
    pub fn find(
        &self,
        shapes: [&Shape; 2],
        poses: [&Pose; 2],
        within: f64,
        mut emit: impl FnMut(ManifoldPoint),
    ) {
        match self {
            Self::Round => {
                if let Some(near) = self.nearest(shapes, poses, 0) {
                    emit_near(0, &near, within, &mut emit);
                }
            }
            Self::Features(features) => find_features(features, poses, within, &mut emit),
        }
    }

    /// A contact point by its feature while the shapes move; `None` if they overlap as wholes.
    #[inline]
    pub fn nearest<T: Real>(
        &self,
        [first, second]: [&Shape; 2],
        [a, b]: [&Pose<T>; 2],
        feature: u32,
    ) -> Option<Nearest<T>> {
        match (self, first, second) {
            (Self::Round, Shape::Sphere(ball), Shape::Sphere(other)) => {
                let [on_a, on_b] = [ball, other].map(Vertex::centre_of);
                Some(on_segment::sphere(&on_b, &on_a, a, b))
            }
            (Self::Round, Shape::HalfSpace(plane), Shape::Sphere(ball)) => {
                Some(half_space::nearest(&Vertex::centre_of(ball), plane, a, b))
            }
            // no other pair is round
            (Self::Round, _, _) => None,
            (Self::Features(features), _, _) => match features.get(feature as usize)? {
                (feature, true) => feature.nearest(b, a).map(swapped_roles),
                (feature, false) => feature.nearest(a, b),
            },
        }
    }

    /// Penetration depth of two shapes, m; zero if they do not overlap.
    pub fn depth(&self, shapes: [&Shape; 2], poses: [&Pose; 2]) -> f64 {
        let mut depth: f64 = 0.0;
        self.find(shapes, poses, 0.0, |point| {
            depth = depth.at_least(-point.gap)
        });
        match self {
            Self::Features(features) if depth == 0.0 => {
                separation(features, poses).map_or(0.0, |gap| (-gap).at_least(0.0))
            }
            Self::Features(_) | Self::Round => depth,
        }
    }
}

// signed distance, if both are polyhedra
fn separation(features: &[(Feature, bool)], [a, b]: [&Pose; 2]) -> Option<f64> {
    let (feature, swapped) = features.first()?;
    let apart = if *swapped {
        feature.separation(b, a)
    } else {
        feature.separation(a, b)
    };
    apart.map(|apart| apart.gap)
}

#[inline(never)] // large, and called from several places
fn find_features(
    features: &[(Feature, bool)],
    [a, b]: [&Pose; 2],
    within: f64,
    emit: &mut dyn FnMut(ManifoldPoint),
) {
    // polyhedra farther apart than that need no test of their features
    let apart = separation(features, [a, b]).unwrap_or(0.0);
    if apart > within {
        return;
    }
    if apart < -DEEP
        && let Some((feature, false)) = features.first()
        && let Some(colliders) = feature.polyhedra()
    {
        overlap::manifold(colliders, [a, b], within, features.len() as u32, emit);
        return;
    }
    for (index, (feature, swapped)) in features.iter().enumerate() {
        let near = if *swapped {
            feature.nearest(b, a).map(swapped_roles)
        } else {
            feature.nearest(a, b)
        };
        if let Some(near) = near {
            emit_near(index as u32, &near, within, emit);
        }
    }
}

fn swapped_roles<T: Real>(near: Nearest<T>) -> Nearest<T> {
    Nearest {
        normal: -near.normal,
        arm_a: near.arm_b,
        arm_b: near.arm_a,
        ..near
    }
}

fn emit_near(
    feature: u32,
    near: &Nearest,
    within: f64,
    emit: &mut (impl FnMut(ManifoldPoint) + ?Sized),
) {
    if near.gap <= within && near.margin >= BEYOND {
        emit(ManifoldPoint {
            feature,
            gap: near.gap,
            normal: near.normal,
            arms: [near.arm_a, near.arm_b],
        });
    }
}
