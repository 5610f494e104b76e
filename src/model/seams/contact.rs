//! Contacts whose points are inside the material of one of their bodies.

use super::{Surroundings, direction};
use crate::constraint::{Pose, Row};
use crate::kinds::plane::collide;
use crate::kinds::plane::shape;
use crate::kinds::space;
use crate::kinds::space::collide::Feature;
use crate::kinds::space::shape::Shape;
use crate::math::{Vec2, Vec3};
use crate::model::{Contact, ContactKind};
use std::sync::Arc;

/// Neighbouring shapes of both shapes of a contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seams {
    surroundings: [Option<Arc<Surroundings>>; 2],
    /// (4) at the corner of the contact.
    corner: Corner,
}

/// Role of a corner of a shape on the surface of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Corner {
    /// A corner of the body, as far as known in advance.
    #[default]
    Any,
    /// In the middle of an edge of the body: active where edges, which end slightly before, are not.
    OnEdge,
    /// In the middle of a face of the body, or inside.
    Internal,
}

impl Seams {
    pub(in crate::model) fn swapped(&self) -> Self {
        let [a, b] = self.surroundings.clone();
        Self {
            surroundings: [b, a],
            corner: self.corner,
        }
    }

    pub(in crate::model) fn new(surroundings: [Option<Arc<Surroundings>>; 2]) -> Self {
        Self {
            surroundings,
            corner: Corner::Any,
        }
    }

    /// For the contact of a corner of the second body, with the unit vectors along its edges: two in the plane, more in space.
    fn of_corner(self, corner: Vec3, leaving: &[Vec3]) -> Self {
        let goes_on = |side: &&Vec3| {
            let surroundings = self.surroundings[1].as_ref();
            surroundings.is_some_and(|surroundings| surroundings.goes_on(corner, -**side))
        };
        let dimension = leaving.len().min(3);
        let straight = leaving.iter().filter(goes_on).count();
        let corner = match straight {
            0 => Corner::Any,
            1 if dimension == 3 => Corner::OnEdge,
            _ => Corner::Internal,
        };
        Self { corner, ..self }
    }

    /// Can a point of the contact be inside the material of a body?
    #[inline]
    pub fn any(&self) -> bool {
        self.surroundings[0].is_some() || self.surroundings[1].is_some()
    }

    // points and outward normals of the shapes, in body coordinates
    fn expose(&self, sides: [(Vec3, Vec3); 2]) -> bool {
        self.surroundings
            .iter()
            .zip(sides)
            .all(|(surroundings, (x, n))| {
                let surroundings = surroundings.as_ref();
                surroundings.is_none_or(|surroundings| surroundings.expose(x, n))
            })
    }

    // (4) for an edge of one of the bodies and the directions in which its faces continue
    fn goes_on(&self, side: usize, point: Vec3, outward: [Vec3; 2]) -> bool {
        let surroundings = self.surroundings[side].as_ref();
        surroundings
            .is_some_and(|surroundings| outward.iter().any(|out| surroundings.goes_on(point, *out)))
    }
}

/// For the contacts of a corner in the plane with another body; tells the feature which edges of that body continue into a neighbour.
pub(in crate::model) fn of_plane(seams: Seams, feature: &mut collide::Feature) -> Seams {
    let (n, lift) = (feature.whole.len(), |v: Vec2| Vec3::new(v.x, v.y, 0.0));
    if let (Some(surroundings), shape::Shape::Convex(core)) =
        (&seams.surroundings[0], &feature.target)
    {
        let sides = 0..core.vertices.len();
        feature.continues = sides
            .map(|i| {
                let ends = [i, (i + 1) % core.vertices.len()].map(|k| lift(core.vertices[k]));
                let along = direction(ends[1] - ends[0]).1;
                [
                    surroundings.goes_on(ends[0], -along),
                    surroundings.goes_on(ends[1], along),
                ]
            })
            .collect();
    }
    let Some(i) = feature.whole.iter().position(|x| *x == feature.vertex) else {
        return seams;
    };
    if n < 3 {
        return seams;
    }
    let sides = [feature.whole[(i + 1) % n], feature.whole[(i + n - 1) % n]];
    let leaving = sides.map(|end| direction(lift(end - feature.vertex)).1);
    seams.of_corner(lift(feature.vertex), &leaving)
}

/// The same in space, for a shape of the second body.
pub(in crate::model) fn of_space(
    seams: Seams,
    feature: &space::collide::Feature,
    shape: &Shape,
) -> Seams {
    let (Some(vertex), Shape::Polyhedron(collider)) = (feature.vertex(), shape) else {
        return seams;
    };
    match collider.vertices.iter().position(|x| *x == vertex.position) {
        Some(i) => seams.of_corner(vertex.position, &collider.leaving[i]),
        None => seams,
    }
}

impl Contact {
    /// The nearest points of a contact in the plane; `None` also where they are inside the material of one of its bodies.
    #[inline]
    pub(in crate::model) fn exposed(
        &self,
        feature: &collide::Feature,
        a: &Pose,
        b: &Pose,
    ) -> Option<collide::Nearest> {
        if self.seams.any() {
            self.exposed_beside_others(feature, a, b)
        } else {
            feature.nearest(a, b)
        }
    }

    #[inline(never)]
    fn exposed_beside_others(
        &self,
        feature: &collide::Feature,
        a: &Pose,
        b: &Pose,
    ) -> Option<collide::Nearest> {
        let near = feature.nearest(a, b)?;
        if !self.is_hidden(&near, a, b) {
            return Some(near);
        }
        let other = feature.on_other_edge(a, b, |near| !self.is_hidden(near, a, b));
        other.map(|(_, near)| near)
    }

    /// The active edge. A rounded vertex moves on to the next shape at the end of an edge that continues there.
    pub(in crate::model) fn edge(
        &self,
        feature: &collide::Feature,
        a: &Pose,
        b: &Pose,
    ) -> Option<usize> {
        let edge = feature.edge(a, b);
        if !self.seams.any() {
            return edge;
        }
        if let Some((edge, end)) = feature.below(a, b) {
            let goes_on = feature.continues.get(edge);
            return goes_on.is_some_and(|ends| ends[end]).then_some(edge);
        }
        let other = || feature.on_other_edge(a, b, |near| !self.is_hidden(near, a, b));
        match feature.nearest(a, b) {
            Some(near) if self.is_hidden(&near, a, b) => {
                other().map_or(edge, |(edge, _)| Some(edge))
            }
            Some(_) | None => edge,
        }
    }

    /// The same two functions in space.
    #[inline]
    pub(in crate::model) fn exposed_in_space(
        &self,
        feature: &Feature,
        a: &space::Pose,
        b: &space::Pose,
    ) -> Option<space::collide::Nearest> {
        let near = feature.nearest(a, b)?;
        (!self.seams.any() || !self.is_hidden_in_space(feature, &near, a, b)).then_some(near)
    }

    pub(in crate::model) fn face(
        &self,
        feature: &Feature,
        a: &space::Pose,
        b: &space::Pose,
    ) -> Option<usize> {
        let surroundings = self.seams.surroundings[0].as_ref();
        if let Some(surroundings) = surroundings
            && let Some((face, border, outward)) = feature.below(a, b)
        {
            return surroundings.goes_on(border, outward).then_some(face);
        }
        feature.face(a, b)
    }

    fn is_hidden(&self, near: &collide::Nearest, a: &Pose, b: &Pose) -> bool {
        if near.gap == f64::INFINITY {
            return false;
        }
        let of_row = |row: Row| Vec2::new(row.b[0], row.b[1]);
        let normal = near.corner.map_or(near.normal, of_row);
        let arm_a = if near.corner.is_some() {
            near.arm_b + b.position - normal * near.gap - a.position
        } else {
            near.arm_a
        };
        let local = |pose: &Pose, v: Vec2| {
            let v = pose.turn_back(v);
            Vec3::new(v.x, v.y, 0.0)
        };
        self.seams.corner == Corner::Internal
            || !self.seams.expose([
                (local(a, arm_a), local(a, normal)),
                (local(b, near.arm_b), local(b, -normal)),
            ])
    }

    fn is_hidden_in_space(
        &self,
        feature: &Feature,
        near: &space::collide::Nearest,
        a: &space::Pose,
        b: &space::Pose,
    ) -> bool {
        if near.gap == f64::INFINITY {
            return false;
        }
        let of_row = |row: space::Row| Vec3::new(row.b[0], row.b[1], row.b[2]);
        let normal = near.corner.map_or(near.normal, of_row);
        let arm_a = if near.corner.is_some() {
            near.arm_b + b.position - normal * near.gap - a.position
        } else {
            near.arm_a
        };
        let (on_a, on_b) = (a.turn_back(arm_a), b.turn_back(near.arm_b));
        self.seams.corner == Corner::Internal
            || !self
                .seams
                .expose([(on_a, a.turn_back(normal)), (on_b, b.turn_back(-normal))])
            || match feature {
                Feature::Edges {
                    first,
                    edge_a,
                    second,
                    edge_b,
                } => {
                    self.seams.goes_on(0, on_a, first.edges[*edge_a].outward)
                        || self.seams.goes_on(1, on_b, second.edges[*edge_b].outward)
                }
                Feature::CapsuleOnEdge { collider, edge, .. } => {
                    self.seams.goes_on(0, on_a, collider.edges[*edge].outward)
                }
                Feature::OnHalfSpace { .. }
                | Feature::OnSphere { .. }
                | Feature::OnCapsule { .. }
                | Feature::OnPolyhedron { .. }
                | Feature::OnCylinder { .. }
                | Feature::OnHeightField { .. }
                | Feature::Capsules { .. }
                | Feature::Rim { .. }
                | Feature::RimPoint { .. } => false,
            }
    }

    /// Do both contacts belong to the same part of a body and the same other body? Where a contact ends at a seam, the next one takes over.
    pub fn is_next_to(&self, other: &Self) -> bool {
        let [mut bodies, mut others] = [self.bodies, other.bodies];
        bodies.sort_unstable();
        others.sort_unstable();
        if !self.seams.any() || bodies != others {
            return false;
        }
        // internal corners have no events
        if [self, other]
            .iter()
            .any(|c| c.seams.corner == Corner::OnEdge)
        {
            return true;
        }
        if self.bodies != other.bodies || self.pair == other.pair {
            return false;
        }
        match (&self.kind, &other.kind) {
            (ContactKind::Feature(a), ContactKind::Feature(b)) => a.vertex == b.vertex,
            (ContactKind::Space(a), ContactKind::Space(b)) => a.feature.shares_part(&b.feature),
            (ContactKind::Feature(_) | ContactKind::Space(_) | ContactKind::Limit(_), _) => false,
        }
    }
}
