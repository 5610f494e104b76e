//! Where two polyhedra press on each other that overlap: their features, each of which looks at its own neighbourhood, no
//! longer tell. A corner of a box that is below the upper face of one with flush sides sees these sides.
//!
//! (1)  the normal n is the axis along which the least way parts them, see `separation`
//! (2)  along a face: the corners of the part that its outline and the opposite face of the other one share, seen along n;
//!      each with its depth below the face
//! (3)  along two edges: where these cross

use super::meeting::Meeting;
use super::separation::{Axis, axis};
use super::{FACE_BEYOND, crossing};
use crate::kinds::space::Pose;
use crate::kinds::space::shape::Polyhedron;
use crate::math::{Vec3, dot3};

/// A face is opposite to another one if their normals have at most this product.
const OPPOSITE: f64 = -0.1;

/// Tells all places with a gap of at most `within`, m, and one at least; numbers of features go on from `first_feature`.
pub(super) fn places(
    [first, second]: [&Polyhedron; 2],
    [a, b]: [&Pose; 2],
    within: f64,
    first_feature: u32,
    tell: &mut dyn FnMut(Meeting),
) {
    match axis(first, second, a, b) {
        Axis::OfFirst(face) => Faces {
            collider: first,
            other: second,
            of: a,
            on: b,
            face,
        }
        .tell(within, |place, point| {
            tell(point.meeting(first_feature + place))
        }),
        Axis::OfSecond(face) => Faces {
            collider: second,
            other: first,
            of: b,
            on: a,
            face,
        }
        .tell(within, |place, point| {
            let meeting = point.meeting(first_feature + place);
            let [on_second, on_first] = meeting.arms;
            tell(Meeting {
                normal: -meeting.normal,
                arms: [on_first, on_second],
                ..meeting
            });
        }),
        Axis::Edges(i, j, side) => {
            // (3)
            if let Some(near) = crossing::on_side((first, i), (second, j), side, a, b) {
                tell(Meeting {
                    feature: first_feature,
                    gap: near.offset,
                    normal: near.normal,
                    arms: [near.arm_a, near.arm_b],
                });
            }
        }
    }
}

/// A point of the other solid over the face, and its height.
struct Point {
    gap: f64,
    normal: Vec3,
    arms: [Vec3; 2],
}

impl Point {
    fn meeting(&self, feature: u32) -> Meeting {
        Meeting {
            feature,
            gap: self.gap,
            normal: self.normal,
            arms: self.arms,
        }
    }
}

struct Faces<'a> {
    collider: &'a Polyhedron,
    other: &'a Polyhedron,
    of: &'a Pose,
    on: &'a Pose,
    /// Of the solid.
    face: usize,
}

impl Faces<'_> {
    // (2), in the coordinates of the body of the solid
    fn tell(&self, within: f64, mut tell: impl FnMut(u32, Point)) {
        let Self {
            collider,
            other,
            face,
            ..
        } = *self;
        let mut any = false;
        let mut tell_near = |place: usize, x: Vec3, height: f64| {
            if height <= within {
                any = true;
                tell(place as u32, self.point(x, height));
            }
        };
        let outline = &collider.faces[face];
        let mut lowest = (f64::INFINITY, Vec3::zeros());
        for (i, vertex) in other.vertices.iter().enumerate() {
            let x = self.seen(*vertex);
            let height = outline.height(x);
            if height < lowest.0 {
                lowest = (height, x);
            }
            if collider.margin(face, x) >= -FACE_BEYOND {
                tell_near(i, x, height);
            }
        }
        if let Some(opposite) = self.opposite() {
            let after = other.vertices.len();
            self.below_the_other(opposite, |i, x, height| tell_near(after + i, x, height));
            let after = after + outline.corners.len();
            self.sides_that_cross(opposite, |i, x, height| tell_near(after + i, x, height));
        }
        if !any {
            tell(0, self.point(lowest.1, lowest.0));
        }
    }

    fn seen(&self, vertex: Vec3) -> Vec3 {
        self.of.turn_back(self.on.point(vertex) - self.of.position)
    }

    fn point(&self, x: Vec3, height: f64) -> Point {
        let normal = self.collider.faces[self.face].normal;
        Point {
            gap: height,
            normal: self.of.turn(normal),
            arms: [
                self.of.turn(x - normal * height),
                self.of.point(x) - self.on.position,
            ],
        }
    }

    // the face of the other solid that looks this way most
    fn opposite(&self) -> Option<usize> {
        let normal = self.normal_seen_by_the_other();
        let mut best = (OPPOSITE, None);
        for (i, face) in self.other.faces.iter().enumerate() {
            let product = dot3(face.normal, normal);
            if product < best.0 {
                best = (product, Some(i));
            }
        }
        best.1
    }

    fn normal_seen_by_the_other(&self) -> Vec3 {
        let normal = self.collider.faces[self.face].normal;
        self.on.turn_back(self.of.turn(normal))
    }

    // corners of the face over which the opposite one is
    fn below_the_other(&self, opposite: usize, mut tell: impl FnMut(usize, Vec3, f64)) {
        let normal = self.normal_seen_by_the_other();
        let face = &self.other.faces[opposite];
        for (i, &corner) in self.collider.faces[self.face].corners.iter().enumerate() {
            let corner = self.collider.vertices[corner];
            let seen = self.on.turn_back(self.of.point(corner) - self.on.position);
            let height = -face.height(seen) / dot3(face.normal, normal);
            if self.other.margin(opposite, seen + normal * height) >= -FACE_BEYOND {
                let up = self.collider.faces[self.face].normal * height;
                tell(i, corner + up, height);
            }
        }
    }

    // seen along the normal
    fn sides_that_cross(&self, opposite: usize, mut tell: impl FnMut(usize, Vec3, f64)) {
        let outline = &self.collider.faces[self.face];
        let corners = &self.other.faces[opposite].corners;
        let place = |i: usize| self.seen(self.other.vertices[corners[i % corners.len()]]);
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
                    tell(i * corners.len() + j, x, outline.height(x));
                }
            }
        }
    }
}
