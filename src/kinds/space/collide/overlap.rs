//! Contact manifold of two overlapping polyhedra. Their features, which are local, are not sufficient: a corner of a box
//! below the upper face of another one with flush sides would see these sides.
//!
//! (1)  the normal n is the axis of least penetration, see `separation`
//! (2)  face contact: vertices of the intersection of the face and the opposite face of the other polyhedron, projected along
//!      n, each with its depth below the face
//! (3)  edge contact: the crossing point

use super::narrow_phase::ManifoldPoint;
use super::separation::{Axis, axis};
use super::{FACE_BEYOND, crossing};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Polyhedron;
use crate::math::{Vec3, dot3};

/// A face is opposite to another one if the product of their normals is at most this.
const OPPOSITE: f64 = -0.1;

/// Reports all points with a gap of at most `within`, m, at least one; features are numbered from `first_feature`.
pub(super) fn manifold(
    [first, second]: [&Polyhedron; 2],
    [a, b]: [&Pose; 2],
    within: f64,
    first_feature: u32,
    emit: &mut dyn FnMut(ManifoldPoint),
) {
    match axis(first, second, a, b) {
        Axis::OfFirst(face) => Faces {
            collider: first,
            other: second,
            of: a,
            on: b,
            face,
        }
        .emit(within, first_feature, emit),
        Axis::OfSecond(face) => Faces {
            collider: second,
            other: first,
            of: b,
            on: a,
            face,
        }
        .emit(within, first_feature, |point| {
            let [on_second, on_first] = point.arms;
            emit(ManifoldPoint {
                normal: -point.normal,
                arms: [on_first, on_second],
                ..point
            });
        }),
        Axis::Edges(i, j, side) => {
            // (3)
            if let Some(near) = crossing::on_side((first, i), (second, j), side, a, b) {
                emit(ManifoldPoint {
                    feature: first_feature,
                    gap: near.offset,
                    normal: near.normal,
                    arms: [near.arm_a, near.arm_b],
                });
            }
        }
    }
}

struct Faces<'a> {
    collider: &'a Polyhedron,
    other: &'a Polyhedron,
    of: &'a Pose,
    on: &'a Pose,
    /// Index of the face.
    face: usize,
}

impl Faces<'_> {
    // (2), in the coordinates of the body of the polyhedron
    fn emit(&self, within: f64, first_feature: u32, mut emit: impl FnMut(ManifoldPoint)) {
        let Self {
            collider,
            other,
            face,
            ..
        } = *self;
        let mut any = false;
        let mut emit_near = |index: usize, x: Vec3, height: f64| {
            if height <= within {
                any = true;
                emit(self.point(first_feature + index as u32, x, height));
            }
        };
        let outline = &collider.faces[face];
        let mut lowest = (f64::INFINITY, Vec3::zeros());
        for (i, vertex) in other.vertices.iter().enumerate() {
            let x = self.to_local(*vertex);
            let height = outline.height(x);
            if height < lowest.0 {
                lowest = (height, x);
            }
            if collider.margin(face, x) >= -FACE_BEYOND {
                emit_near(i, x, height);
            }
        }
        if let Some(opposite) = self.opposite() {
            let after = other.vertices.len();
            self.emit_corners_below_other(opposite, |i, x, height| emit_near(after + i, x, height));
            let after = after + outline.corners.len();
            self.emit_crossing_sides(opposite, |i, x, height| emit_near(after + i, x, height));
        }
        if !any {
            emit(self.point(first_feature, lowest.1, lowest.0));
        }
    }

    fn to_local(&self, vertex: Vec3) -> Vec3 {
        self.of.turn_back(self.on.point(vertex) - self.of.position)
    }

    // a point of the other polyhedron over the face, and its height
    fn point(&self, feature: u32, x: Vec3, height: f64) -> ManifoldPoint {
        let normal = self.collider.faces[self.face].normal;
        ManifoldPoint {
            feature,
            gap: height,
            normal: self.of.turn(normal),
            arms: [
                self.of.turn(x - normal * height),
                self.of.point(x) - self.on.position,
            ],
        }
    }

    // the face of the other polyhedron with the most opposite normal
    fn opposite(&self) -> Option<usize> {
        let normal = self.normal_in_other();
        let mut best = (OPPOSITE, None);
        for (i, face) in self.other.faces.iter().enumerate() {
            let product = dot3(face.normal, normal);
            if product < best.0 {
                best = (product, Some(i));
            }
        }
        best.1
    }

    fn normal_in_other(&self) -> Vec3 {
        let normal = self.collider.faces[self.face].normal;
        self.on.turn_back(self.of.turn(normal))
    }

    // corners of the face that lie below the opposite one
    fn emit_corners_below_other(&self, opposite: usize, mut emit: impl FnMut(usize, Vec3, f64)) {
        let normal = self.normal_in_other();
        let face = &self.other.faces[opposite];
        for (i, &corner) in self.collider.faces[self.face].corners.iter().enumerate() {
            let corner = self.collider.vertices[corner];
            let seen = self.on.turn_back(self.of.point(corner) - self.on.position);
            let height = -face.height(seen) / dot3(face.normal, normal);
            if self.other.margin(opposite, seen + normal * height) >= -FACE_BEYOND {
                let up = self.collider.faces[self.face].normal * height;
                emit(i, corner + up, height);
            }
        }
    }

    // crossings of the outlines, projected along the normal
    fn emit_crossing_sides(&self, opposite: usize, mut emit: impl FnMut(usize, Vec3, f64)) {
        let outline = &self.collider.faces[self.face];
        let corners = &self.other.faces[opposite].corners;
        let place = |i: usize| self.to_local(self.other.vertices[corners[i % corners.len()]]);
        for (i, outward) in outline.outward.iter().enumerate() {
            let of_side =
                |k: usize| self.collider.vertices[outline.corners[k % outline.corners.len()]];
            let (start, end) = (of_side(i), of_side(i + 1));
            for j in 0..corners.len() {
                let (from, to) = (place(j), place(j + 1));
                let [before, after] = [from, to].map(|x| dot3(*outward, x - start));
                if before * after >= 0.0 {
                    continue;
                }
                let x = from + (to - from) * (before / (before - after));
                let along = dot3(end - start, x - start);
                if along >= 0.0 && along <= dot3(end - start, end - start) {
                    emit(i * corners.len() + j, x, outline.height(x));
                }
            }
        }
    }
}
