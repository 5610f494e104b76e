//! All places where two shapes come within a distance of each other.

use super::{Feature, Nearest, Unsupported, Vertex, features, half_space, on_segment, overlap};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Shape;
use crate::math::{Limit, Real, Vec3};

/// A place that is further beyond the border of its face than this is left to another feature, m: a little more than
/// the distance at which edges are told apart.
const BEYOND: f64 = -2e-9;

/// Polyhedra that overlap by more, m, are no longer looked at feature by feature: less than the depth at which corners
/// mistake a flush side for the face that they are below.
const DEEP: f64 = 9e-7;

/// A place where two shapes are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Which feature of the pair.
    pub feature: u32,
    /// m; negative where they overlap.
    pub gap: f64,
    /// Unit vector from the first to the second shape.
    pub normal: Vec3,
    /// Points of contact from the centres of mass, world axes, m.
    pub arms: [Vec3; 2],
}

/// What a pair of shapes must know to be looked at.
#[derive(Clone, Debug)]
pub enum Meetings {
    /// Two balls, or a ball on a half-space: one place, known without features.
    Round,
    /// A list of features, with true where the second shape is on body a of the feature.
    Features(Vec<(Feature, bool)>),
}

impl Meetings {
    /// For two shapes.
    pub fn of(first: &Shape, second: &Shape) -> Result<Self, Unsupported> {
        match (first, second) {
            (Shape::Sphere(_) | Shape::HalfSpace(_), Shape::Sphere(_)) => Ok(Self::Round),
            _ => Ok(Self::Features(features(first, second)?)),
        }
    }

    /// Tells all places where the gap is at most `within`, m.
    pub fn find(
        &self,
        [first, second]: [&Shape; 2],
        [a, b]: [&Pose; 2],
        within: f64,
        mut tell: impl FnMut(Meeting),
    ) {
        match (self, first, second) {
            (Self::Round, Shape::Sphere(ball), Shape::Sphere(other)) => {
                let [on_a, on_b] = [ball, other].map(|ball| Vertex {
                    place: ball.centre,
                    radius: ball.radius,
                });
                let near = on_segment::ball(&on_b, &on_a, a, b);
                tell_near(0, &near, within, &mut tell);
            }
            (Self::Round, Shape::HalfSpace(plane), Shape::Sphere(ball)) => {
                let vertex = Vertex {
                    place: ball.centre,
                    radius: ball.radius,
                };
                let near = half_space::nearest(&vertex, plane, a, b);
                tell_near(0, &near, within, &mut tell);
            }
            // no other pair is round
            (Self::Round, _, _) => {}
            (Self::Features(features), _, _) => {
                find_features(features, [a, b], within, &mut tell);
            }
        }
    }

    /// One of the places, by its feature, while the shapes move; nothing where they overlap as wholes.
    pub fn nearest<T: Real>(
        &self,
        [first, second]: [&Shape; 2],
        [a, b]: [&Pose<T>; 2],
        feature: u32,
    ) -> Option<Nearest<T>> {
        match (self, first, second) {
            (Self::Round, Shape::Sphere(ball), Shape::Sphere(other)) => {
                let [on_a, on_b] = [ball, other].map(|ball| Vertex {
                    place: ball.centre,
                    radius: ball.radius,
                });
                Some(on_segment::ball(&on_b, &on_a, a, b))
            }
            (Self::Round, Shape::HalfSpace(plane), Shape::Sphere(ball)) => {
                let vertex = Vertex {
                    place: ball.centre,
                    radius: ball.radius,
                };
                Some(half_space::nearest(&vertex, plane, a, b))
            }
            (Self::Round, _, _) => None,
            (Self::Features(features), _, _) => match features.get(feature as usize)? {
                (feature, true) => feature.nearest(b, a).map(turned_round),
                (feature, false) => feature.nearest(a, b),
            },
        }
    }

    /// How deep two shapes overlap at their deepest place, m; zero where they do not.
    pub fn depth(&self, shapes: [&Shape; 2], poses: [&Pose; 2]) -> f64 {
        let mut depth: f64 = 0.0;
        self.find(shapes, poses, 0.0, |meeting| {
            depth = depth.at_least(-meeting.gap)
        });
        match self {
            Self::Features(features) if depth == 0.0 => {
                separation(features, poses).map_or(0.0, |gap| (-gap).at_least(0.0))
            }
            Self::Features(_) | Self::Round => depth,
        }
    }
}

// as wholes, if they are polyhedra
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
    tell: &mut dyn FnMut(Meeting),
) {
    // polyhedra that are apart as wholes need no look at their features
    let apart = separation(features, [a, b]).unwrap_or(0.0);
    if apart > within {
        return;
    }
    if apart < -DEEP
        && let Some((feature, false)) = features.first()
        && let Some(colliders) = feature.polyhedra()
    {
        overlap::places(colliders, [a, b], within, features.len() as u32, tell);
        return;
    }
    for (index, (feature, swapped)) in features.iter().enumerate() {
        let near = if *swapped {
            feature.nearest(b, a).map(turned_round)
        } else {
            feature.nearest(a, b)
        };
        if let Some(near) = near {
            tell_near(index as u32, &near, within, tell);
        }
    }
}

fn turned_round<T: Real>(near: Nearest<T>) -> Nearest<T> {
    Nearest {
        normal: -near.normal,
        arm_a: near.arm_b,
        arm_b: near.arm_a,
        ..near
    }
}

fn tell_near(feature: u32, near: &Nearest, within: f64, tell: &mut (impl FnMut(Meeting) + ?Sized)) {
    if near.gap <= within && near.margin >= BEYOND {
        tell(Meeting {
            feature,
            gap: near.gap,
            normal: near.normal,
            arms: [near.arm_a, near.arm_b],
        });
    }
}
