//! Manifold reduction: only contacts on the convex hull of a patch of two bodies are kept.
//!
//! Contact points of two bodies with equal normals and consistent gaps form a patch; its outline is the convex hull of its points in the
//! tangent plane. A point is removed if it is within the merge distance of another kept one that is as close, or if it is inside the
//! outline or within the merge distance of it, and its gap is not below that of the outline there. Points of other materials, or of a belt,
//! form separate patches.

use super::{BAND, ContactPoint, Step};
use crate::kinds::space;
use crate::math::{Limit, dot3, most_across};

/// Workspace.
#[derive(Debug, Default)]
pub(super) struct ManifoldReduction {
    /// Contact points sorted by bodies.
    order: Vec<u32>,
    /// Members of a patch: tangential position and gap, m, and the contact point.
    members: Vec<([f64; 2], f64, u32)>,
    hull: Vec<usize>,
    is_corner: Vec<bool>,
    stays: Vec<bool>,
    /// Is it already a member of a patch?
    is_placed: Vec<bool>,
}

/// Normals of one patch differ by less than this: over a patch of a metre, heights then differ by a micrometre.
const ONE_NORMAL: f64 = 1e-6;

impl Step<'_> {
    pub(super) fn reduce_manifolds(&mut self) {
        let distance = self.time_stepping.options.merge_distance;
        let work = &mut self.workspace.time_stepping;
        if distance > 0.0 {
            let before = work.points.list.len();
            work.manifolds.reduce(&mut work.points.list, distance);
            self.report.merged_contacts += (before - work.points.list.len()) as u64;
        }
    }
}

impl ManifoldReduction {
    fn reduce(&mut self, points: &mut Vec<ContactPoint>, distance: f64) {
        self.order.clear();
        self.order.extend(0..points.len() as u32);
        let bodies = |i: u32| points[i as usize].bodies;
        self.order.sort_by_key(|i| bodies(*i));
        self.stays.clear();
        self.stays.resize(points.len(), true);
        let order = std::mem::take(&mut self.order);
        self.is_placed.clear();
        self.is_placed.resize(points.len(), false);
        for group in order.chunk_by(|a, b| bodies(*a) == bodies(*b)) {
            // the patches of these bodies, one after the other
            for first in group.iter().map(|i| *i as usize) {
                if self.is_placed[first] {
                    continue;
                }
                let ContactPoint {
                    normal,
                    material,
                    belt,
                    ..
                } = points[first];
                self.members.clear();
                let [t, s] = space::tangents(normal, most_across(normal));
                for &i in group {
                    let point = &points[i as usize];
                    let d = point.normal - normal;
                    let is_alike = dot3(d, d) <= ONE_NORMAL * ONE_NORMAL
                        && (point.material, point.belt) == (material, belt);
                    if is_alike && !self.is_placed[i as usize] {
                        self.is_placed[i as usize] = true;
                        // the arm of a body, or of the ground, is a world position up to a shift
                        let position = [dot3(t, point.arms[1]), dot3(s, point.arms[1])];
                        self.members.push((position, point.gap, i));
                    }
                }
                self.reduce_manifold(distance);
            }
        }
        self.order = order;
        let stays = &self.stays;
        let mut i = 0;
        points.retain(|_| {
            i += 1;
            stays[i - 1]
        });
    }

    // inner points first, so that few are left for pairwise comparison
    fn reduce_manifold(&mut self, distance: f64) {
        if self.members.len() > 3 {
            self.find_hull();
            self.remove_inner(distance);
        }
        if self.members.len() > 2 {
            self.merge(distance);
        }
        if self.members.len() > 3 {
            self.find_hull();
            self.thin(distance);
        }
    }

    fn remove_inner(&mut self, distance: f64) {
        self.is_corner.clear();
        self.is_corner.resize(self.members.len(), false);
        self.hull.iter().for_each(|k| self.is_corner[*k] = true);
        for k in 0..self.members.len() {
            let (position, gap, point) = self.members[k];
            if !self.is_corner[k]
                && let Some(level) = self.level(position, distance)
                && gap >= level - BAND
            {
                self.stays[point as usize] = false;
            }
        }
        self.remove_marked();
    }

    fn remove_marked(&mut self) {
        let stays = &self.stays;
        self.members.retain(|(_, _, point)| stays[*point as usize]);
    }

    // of nearly coincident points the closest is kept
    fn merge(&mut self, distance: f64) {
        self.members
            .sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
        for k in 1..self.members.len() {
            let (position, _, point) = self.members[k];
            let near = self.members[..k].iter().any(|(other, _, kept)| {
                self.stays[*kept as usize] && far(position, *other) <= distance * distance
            });
            if near {
                self.stays[point as usize] = false;
            }
        }
        self.remove_marked();
    }

    // convex hull, counterclockwise
    fn find_hull(&mut self) {
        let members = &mut self.members;
        members.sort_by(|(a, _, _), (b, _, _)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        self.hull.clear();
        let n = members.len();
        for (from, k) in (0..n)
            .map(|k| (0, k))
            .chain((0..n - 1).rev().map(|k| (1, k)))
        {
            let floor = if from == 0 {
                0
            } else {
                self.hull.iter().position(|i| *i == n - 1).unwrap_or(0)
            };
            while self.hull.len() >= floor + 2 {
                let [a, b] = [
                    self.hull[self.hull.len() - 2],
                    self.hull[self.hull.len() - 1],
                ];
                if turn(members[a].0, members[b].0, members[k].0) > 0.0 {
                    break;
                }
                self.hull.pop();
            }
            self.hull.push(k);
        }
        self.hull.pop();
    }

    // removes corners of the outline within the distance of the line between their neighbours, unless they are closer
    fn thin(&mut self, distance: f64) {
        let mut k = 0;
        while self.hull.len() > 3 && k < self.hull.len() {
            let n = self.hull.len();
            let [a, b, c] = [k + n - 1, k, k + 1].map(|i| self.hull[i % n]);
            let (from, to) = (self.members[a].0, self.members[c].0);
            let length = far(from, to).sqrt();
            let off = turn(from, self.members[b].0, to).abs();
            let part = (far(from, self.members[b].0).sqrt() / length).at_most(1.0);
            let [gap_a, gap_b, gap_c] = [a, b, c].map(|i| self.members[i].1);
            let level = gap_a + part * (gap_c - gap_a);
            if off <= 0.25 * distance * length && gap_b >= level - BAND {
                self.stays[self.members[b].2 as usize] = false;
                self.hull.remove(k);
            } else {
                k += 1;
            }
        }
    }

    // gap of the outline at a position inside it or within the distance of it, interpolated over the triangles from its first corner
    fn level(&self, position: [f64; 2], distance: f64) -> Option<f64> {
        let corner = |i: usize| {
            let (position, gap, _) = self.members[self.hull[i]];
            (position, gap)
        };
        let (origin, gap) = corner(0);
        let mut best: Option<f64> = None;
        for i in 1..self.hull.len().saturating_sub(1) {
            let ((b, gap_b), (c, gap_c)) = (corner(i), corner(i + 1));
            let area = turn(origin, b, c);
            if area <= 0.0 {
                continue;
            }
            let [u, v] = [
                turn(origin, position, c) / area,
                turn(origin, b, position) / area,
            ];
            let width = area.sqrt();
            let beyond = -distance / width.at_least(distance);
            if u >= beyond && v >= beyond && u + v <= 1.0 - beyond {
                let level = gap + u * (gap_b - gap) + v * (gap_c - gap);
                best = Some(best.map_or(level, |other: f64| other.at_least(level)));
            }
        }
        best
    }
}

fn far(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    x * x + y * y
}

// twice the area of a triangle, positive where it turns left
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
