//! Gap, normal and contact points of a feature pair: one vertex of a convex core against another shape. Each pair of
//! shapes becomes a fixed list of features when the model is built, so that contacts keep their identity from step to
//! step.

mod convex;
mod half_plane;

use crate::constraint::{Pose, Row};
use crate::kinds::plane::shape::{Convex, Shape};
use crate::math::{Limit, Real, Vec2, dot, length};

/// A vertex of body b against a shape of body a.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Vertex in body coordinates of b, m.
    pub vertex: Vec2,
    /// Rounding radius of the vertex, m.
    pub radius: f64,
    /// The other shape, on body a.
    pub target: Shape,
    /// All vertices of the shape that the vertex belongs to, in body coordinates of b, m; they decide which edge faces
    /// it.
    pub whole: Vec<Vec2>,
    /// Leave vertex-vertex contacts to the feature with the roles swapped.
    pub edges_only: bool,
    /// For each edge of the other shape, at its start and end: does the surface continue straight on another shape of
    /// body a? Empty if nowhere.
    pub continues: Vec<[bool; 2]>,
}

/// Closest points of two shapes.
pub type Nearest<T = f64> = crate::kinds::Nearest<T, Vec2<T>, Row<T>>;

/// Signed distance of two polygons along their best separating axis.
pub type Separation = crate::kinds::Separation<Row>;

impl<T: Real> Nearest<T> {
    /// Gradient of the offset.
    pub fn normal_row(&self) -> Row<T> {
        Row::relative_velocity(self.normal, self.arm_a, self.arm_b)
    }

    /// Gradient of the gap.
    pub fn gap_row(&self) -> Row<T> {
        self.corner.unwrap_or_else(|| self.normal_row())
    }

    /// Slip velocity of b relative to a, to the right of the normal.
    pub fn tangent_row(&self) -> Row<T> {
        let tangent = Vec2::new(self.normal.y, -self.normal.x);
        Row::relative_velocity(tangent, self.arm_a, self.arm_b)
    }
}

impl Feature {
    /// Closest points at the given poses; `None` if another feature handles this location.
    pub fn nearest<T: Real>(&self, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match &self.target {
            Shape::HalfPlane(plane) => Some(half_plane::nearest(self, plane, a, b)),
            Shape::Convex(core) => convex::nearest(self, core, a, b),
        }
    }

    /// The active sharp edge at the given poses; `None` for rounded shapes and beyond corners.
    pub fn edge(&self, a: &Pose, b: &Pose) -> Option<usize> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::edge(self, core, a, b),
        }
    }

    /// Like [`Feature::nearest`], but against the line of the given edge.
    pub fn nearest_on<T: Real>(&self, edge: usize, a: &Pose<T>, b: &Pose<T>) -> Option<Nearest<T>> {
        match &self.target {
            Shape::HalfPlane(_) => self.nearest(a, b),
            Shape::Convex(core) => Some(convex::nearest_on(self, core, edge, a, b)),
        }
    }

    /// Another edge than that of [`Feature::nearest`] that the vertex projects onto and for which `wanted` projects_onto; the
    /// closest one.
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

    /// The edge that a rounded vertex projects onto, and its nearer end.
    pub fn below(&self, a: &Pose, b: &Pose) -> Option<(usize, usize)> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::below(self, core, a, b),
        }
    }

    /// Distance of the bounding circles of the two shapes, or of a circle and a half-plane, m; negative if they overlap.
    pub fn clearance_of_bounds(&self, a: &Pose, b: &Pose) -> f64 {
        let (centre, radius) = bounding_circle(&self.whole);
        let (centre, radius) = (b.point(centre), radius + self.radius);
        match &self.target {
            Shape::HalfPlane(plane) => {
                dot(a.turn(plane.normal), centre - a.position) - plane.offset - radius
            }
            Shape::Convex(core) => {
                let (other, size) = bounding_circle(&core.vertices);
                length(centre - a.point(other)) - radius - size - core.radius
            }
        }
    }

    /// Signed distance of the two shapes, if both are polygons. Overlapping polygons need not contain a vertex of each
    /// other: a tip can cut through a corner.
    pub fn separation(&self, a: &Pose, b: &Pose) -> Option<Separation> {
        match &self.target {
            Shape::HalfPlane(_) => None,
            Shape::Convex(core) => convex::separation(self, core, a, b),
        }
    }
}

/// A circle about the mean of some points that contains them: its centre and radius.
pub fn bounding_circle(points: &[Vec2]) -> (Vec2, f64) {
    let mut sum = Vec2::zeros();
    for point in points {
        sum += point;
    }
    let centre = sum / points.len() as f64;
    let radius = points.iter().fold(0.0, |most: f64, point| {
        most.at_least(length(point - centre))
    });
    (centre, radius)
}

/// The features of a pair of shapes, each with `true` if the roles of the two bodies are swapped (the vertex is on the
/// first one).
pub fn features(first: &Shape, second: &Shape) -> Vec<(Feature, bool)> {
    match (first, second) {
        (Shape::HalfPlane(_), Shape::HalfPlane(_)) => Vec::new(),
        (Shape::HalfPlane(plane), Shape::Convex(core)) => {
            vertices_on(core, &Shape::HalfPlane(*plane), false, false)
        }
        (Shape::Convex(core), Shape::HalfPlane(plane)) => {
            vertices_on(core, &Shape::HalfPlane(*plane), false, true)
        }
        // for a single vertex one direction is enough; otherwise features in both directions
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
                continues: Vec::new(),
            };
            (feature, swapped)
        })
        .collect()
}

/// Contact points relative to the centres of mass, for a gap closed along `normal`.
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
