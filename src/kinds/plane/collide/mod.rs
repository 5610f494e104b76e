//! Gap, normal and contact points of a feature pair: one vertex of a convex core against another shape.
//! Each pair of shapes becomes a fixed list of such features when the model is built, so that a contact keeps
//! its identity from step to step.

mod convex;
mod half_plane;

use crate::constraint::{Pose, Row};
use crate::kinds::plane::shape::{Convex, Shape};
use crate::math::{Real, Vec2};

/// A vertex of body b against a shape of body a.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Vertex in body coordinates of b, m.
    pub vertex: Vec2,
    /// Rounding radius of the vertex, m.
    pub radius: f64,
    /// The other shape, on body a.
    pub target: Shape,
    /// All vertices of the shape that the vertex belongs to, in body coordinates of b, m: which edge faces it.
    pub whole: Vec<Vec2>,
    /// Leave vertex-vertex contacts to the feature that looks at them from the other side.
    pub edges_only: bool,
    /// For each edge of the other shape, at its start and its end: does the surface go on straight there, on another shape of body a? Empty
    /// where it does so nowhere.
    pub goes_on: Vec<[bool; 2]>,
}

/// Where two shapes are nearest. The normal points from body a to body b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<T = f64> {
    /// m; negative when they overlap.
    pub gap: T,
    /// Unit vector from a to b.
    pub normal: Vec2<T>,
    /// Contact point on a, from its centre of mass, world axes, m.
    pub arm_a: Vec2<T>,
    /// Contact point on b, from its centre of mass, world axes, m.
    pub arm_b: Vec2<T>,
    /// Distance along the normal, m. Beyond the end of a sharp edge it goes on along the edge's line, while the gap is
    /// the distance from the corner.
    pub offset: T,
    /// How far the contact is from the nearer end of its sharp edge, m; negative beyond it, infinite elsewhere.
    pub margin: f64,
    /// Gradient of the gap, where that is not the normal row.
    pub corner: Option<Row<T>>,
}

/// How far two polygons are apart, along the edge of either one that separates them best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// m; positive exactly where they do not touch, minus the least way that parts them where they overlap.
    pub gap: f64,
    /// Gradient of the gap.
    pub row: Row,
}

impl<T: Real> Nearest<T> {
    /// Rate of the gap.
    pub fn normal_row(&self) -> Row<T> {
        Row::relative_velocity(self.normal, self.arm_a, self.arm_b)
    }

    /// Gradient of the gap.
    pub fn gap_row(&self) -> Row<T> {
        self.corner.unwrap_or_else(|| self.normal_row())
    }

    /// Sliding velocity of b over a, to the right of the normal.
    pub fn tangent_row(&self) -> Row<T> {
        let tangent = Vec2::new(self.normal.y, -self.normal.x);
        Row::relative_velocity(tangent, self.arm_a, self.arm_b)
    }
}

impl Feature {
    /// Nearest points at the given poses; `None` if another feature looks after this place.
    pub fn nearest<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match &self.target {
            Shape::HalfPlane(plane) => Some(half_plane::nearest(self, plane, a, b)),
            Shape::Convex(core) => convex::nearest(self, core, a, b),
        }
    }

    /// The sharp edge that counts at the given poses; `None` on rounded shapes and beyond corners.
    pub fn edge(&self, a: &Pose, b: &Pose) -> Option<usize> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::edge(self, core, a, b),
        }
    }

    /// Like [`Feature::nearest`], but against the line of the given edge wherever the vertex is.
    pub fn nearest_on<T: Real>(&self, edge: usize, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match &self.target {
            Shape::HalfPlane(_) => self.nearest(a, b),
            Shape::Convex(core) => Some(convex::nearest_on(self, core, edge, a, b)),
        }
    }

    /// The nearest edge that the vertex is over or under in a way that is `wanted`, where [`Feature::nearest`] sees another one.
    pub fn on_other_edge(
        &self,
        a: &Pose,
        b: &Pose,
        wanted: impl Fn(&Nearest) -> bool,
    ) -> Option<(usize, Nearest)> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::on_other_edge(self, core, a, b, wanted),
        }
    }

    /// The edge that a rounded vertex is over, and which of its ends is nearer.
    pub fn below(&self, a: &Pose, b: &Pose) -> Option<(usize, usize)> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::below(self, core, a, b),
        }
    }

    /// Separation of the two shapes as wholes, if both are polygons. No vertex need be inside the other shape where
    /// they overlap: a tip can cut through a corner.
    pub fn separation(&self, a: &Pose, b: &Pose) -> Option<Separation> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::separation(self, core, a, b),
        }
    }
}

/// The features of a pair of shapes, each with true where the roles of the two bodies are swapped (the vertex
/// is on the first one).
pub fn features(first: &Shape, second: &Shape) -> Vec<(Feature, bool)> {
    match (first, second) {
        (Shape::HalfPlane(_), Shape::HalfPlane(_)) => Vec::new(),
        (Shape::HalfPlane(plane), Shape::Convex(core)) => {
            vertices_on(core, &Shape::HalfPlane(*plane), false, false)
        }
        (Shape::Convex(core), Shape::HalfPlane(plane)) => {
            vertices_on(core, &Shape::HalfPlane(*plane), false, true)
        }
        // a single vertex sees all there is to see; otherwise both look at each other
        (Shape::Convex(a), Shape::Convex(b)) if b.vertices.len() == 1 => {
            vertices_on(b, &Shape::Convex(a.clone()), false, false)
        }
        (Shape::Convex(a), Shape::Convex(b)) if a.vertices.len() == 1 => {
            vertices_on(a, &Shape::Convex(b.clone()), false, true)
        }
        (Shape::Convex(a), Shape::Convex(b)) => {
            let mut all = vertices_on(b, &Shape::Convex(a.clone()), false, false);
            all.extend(vertices_on(a, &Shape::Convex(b.clone()), true, true));
            all
        }
    }
}

fn vertices_on(
    core: &Convex,
    target: &Shape,
    edges_only: bool,
    swapped: bool,
) -> Vec<(Feature, bool)> {
    core.vertices
        .iter()
        .map(|&vertex| {
            let feature = Feature {
                vertex,
                radius: core.radius,
                target: target.clone(),
                whole: core.vertices.clone(),
                edges_only,
                goes_on: Vec::new(),
            };
            (feature, swapped)
        })
        .collect()
}

/// Contact points from the centres of mass, for a gap closed along `normal`.
#[inline]
fn at_surface<T: Real>(
    a: &Pose<T>,
    b: &Pose<T>,
    on_core_a: Vec2<T>,
    vertex: Vec2<T>,
    normal: Vec2<T>,
    radii: (f64, f64),
    distance: T,
) -> Nearest<T> {
    let (radius_a, radius_b) = (T::constant(radii.0), T::constant(radii.1));
    Nearest {
        gap: distance - radius_a - radius_b,
        normal,
        arm_a: on_core_a + normal * radius_a - a.position,
        arm_b: vertex - normal * radius_b - b.position,
        offset: distance - radius_a - radius_b,
        margin: f64::INFINITY,
        corner: None,
    }
}

#[cfg(test)]
mod tests;
