//! Balls of a body that are redundant for contact with planes.
//!
//! A ball in the convex hull of others is nowhere closer to a plane than all of these, and where it touches, the balls that span it touch
//! as well: forces on them have the same resultants as a force on it.
//!
//! ```text
//! (1)  corners are balls of equal kind and radius whose hull comes within half the merge distance of all others
//! (2)  x - v is the current estimate of the point of the hull nearest to x: |v| is an upper bound of the distance,
//!      min (x - corner).v / |v| a lower bound
//! (3)  weight is moved from the worst corner with weight to the best one, by a line search on |v|
//! ```

use std::collections::BTreeMap;

use super::Collider;
use crate::kinds::space::shape::Shape;
use crate::math::{Limit, Vec3, dot3};

/// Three balls support a body; a fourth is rarely redundant.
const FEWEST: usize = 5;

/// With more corners nearly every ball is one, and all are kept.
const MAX_CORNERS: usize = 64;

/// Iteration limit; a ball that is not decided by then is a corner.
const MAX_MOVES: usize = 1000;

/// Marks the balls that are redundant on all planes to within `distance`, m.
pub(super) fn mark(colliders: &mut [Collider], distance: f64) {
    if distance <= 0.0 {
        return;
    }
    let mut alike: BTreeMap<(usize, usize, u64), Vec<(usize, Vec3)>> = BTreeMap::new();
    for (i, collider) in colliders.iter().enumerate() {
        if let (Some(body), Shape::Sphere(ball)) = (collider.body, &collider.shape) {
            let group = (body, collider.kind, ball.radius.to_bits());
            alike.entry(group).or_default().push((i, ball.centre));
        }
    }
    for group in alike.values().filter(|group| group.len() >= FEWEST) {
        let centres: Vec<Vec3> = group.iter().map(|(_, centre)| *centre).collect();
        if let Some(corners) = corners(&centres, 0.5 * distance) {
            for (k, (i, _)) in group.iter().enumerate() {
                colliders[*i].is_redundant = !corners.contains(&k);
            }
        }
    }
}

// (1): indices of points whose hull comes within `near` of all points
fn corners(points: &[Vec3], near: f64) -> Option<Vec<usize>> {
    let middle = points.iter().fold(Vec3::zeros(), |sum, p| sum + *p) / points.len() as f64;
    let mut chosen = Vec::new();
    let mut places: Vec<Vec3> = Vec::new();
    for x in points {
        while let Some(out) = separating_direction(&places, *x, near) {
            if chosen.len() == MAX_CORNERS {
                return None;
            }
            let corner = furthest(points, out, middle, near);
            // not decided, and no other is further out
            if chosen.contains(&corner) {
                return None;
            }
            chosen.push(corner);
            places.push(points[corner]);
        }
    }
    Some(chosen)
}

// the support point in a direction; of nearly equal ones, as on a face, the one furthest from the centre
fn furthest(points: &[Vec3], out: Vec3, middle: Vec3, near: f64) -> usize {
    let length = dot3(out, out).sqrt();
    let far = |p: &Vec3| dot3(out, *p);
    let most = points
        .iter()
        .fold(f64::NEG_INFINITY, |most, p| most.at_least(far(p)));
    let from_middle = |i: usize| dot3(points[i] - middle, points[i] - middle);
    (0..points.len())
        .filter(|i| far(&points[*i]) >= most - 0.1 * near * length)
        .fold(usize::MAX, |best, i| {
            let is_further = best == usize::MAX || from_middle(i) > from_middle(best);
            if is_further { i } else { best }
        })
}

// the direction in which x is outside the hull of the corners by more than `near`
fn separating_direction(corners: &[Vec3], x: Vec3, near: f64) -> Option<Vec3> {
    let Some(first) = corners.first() else {
        return Some(Vec3::new(1.0, 0.0, 0.0));
    };
    let mut weight = vec![0.0; corners.len()];
    weight[0] = 1.0;
    let mut v = x - *first;
    for _ in 0..MAX_MOVES {
        let length = dot3(v, v).sqrt();
        if length <= near {
            return None;
        }
        // (2): projection of x relative to each corner
        let beyond = |i: usize| dot3(x - corners[i], v);
        let [mut best, mut worst] = [0, usize::MAX];
        for i in 0..corners.len() {
            if beyond(i) < beyond(best) {
                best = i;
            }
            if weight[i] > 0.0 && (worst == usize::MAX || beyond(i) > beyond(worst)) {
                worst = i;
            }
        }
        // the nearest point is found, up to rounding
        if beyond(best) > near * length || best == worst {
            return Some(v);
        }
        // (3)
        let d = corners[best] - corners[worst];
        let part = (dot3(v, d) / dot3(d, d)).at_most(weight[worst]);
        weight[worst] -= part;
        weight[best] += part;
        v -= d * part;
    }
    Some(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize, place: impl Fn(f64, f64) -> Vec3) -> Vec<Vec3> {
        let at = |i: usize| i as f64 / (n as f64 - 1.0);
        (0..n * n).map(|k| place(at(k / n), at(k % n))).collect()
    }

    #[test]
    fn of_a_row_a_face_and_a_wedge_the_ends_and_corners_stay() {
        let row: Vec<Vec3> = (0..9).map(|i| Vec3::new(0.1, f64::from(i), 0.3)).collect();
        let face = grid(8, |a, b| Vec3::new(a, b, a - 0.3 * b));
        let mut wedge = grid(7, |a, b| Vec3::new(a, b, a));
        wedge.extend(grid(7, |a, b| Vec3::new(-a, b, a)));
        for (points, n) in [(row, 2), (face, 4), (wedge, 6)] {
            let corners = corners(&points, 1e-4).unwrap();
            assert_eq!(corners.len(), n, "{corners:?}");
        }
    }

    #[test]
    fn planes_see_the_corners_as_they_see_all() {
        let mut seed = 7_u64;
        let mut unit = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for near in [1e-2, 1e-3, 1e-6] {
            // a slab whose faces are rough
            let points: Vec<Vec3> = grid(15, |a, b| Vec3::new(a, b, 0.0))
                .into_iter()
                .enumerate()
                .map(|(k, p)| p + Vec3::new(0.0, 0.0, 0.2 * (k % 2) as f64 + near * unit()))
                .collect();
            let Some(corners) = corners(&points, near) else {
                panic!("too many at {near}");
            };
            assert!(corners.len() < 40, "{} of {}", corners.len(), points.len());
            for _ in 0..10_000 {
                let normal = Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5);
                let far = |p: &Vec3| dot3(*p, normal) / dot3(normal, normal).sqrt();
                let all = points.iter().map(far).fold(f64::NEG_INFINITY, f64::max);
                let chosen = corners.iter().map(|i| far(&points[*i]));
                let chosen = chosen.fold(f64::NEG_INFINITY, f64::max);
                assert!(all - chosen <= 1.0001 * near, "{} at {near}", all - chosen);
            }
        }
    }

    #[test]
    fn a_point_at_just_the_distance_is_no_trouble() {
        let row = [0.01835, 0.007, 0.01, 0.013, 0.016].map(|x| Vec3::new(x, 0.0, 0.0));
        let near = 0.5 * 0.0227;
        let chosen = corners(&row, near).unwrap_or_else(|| (0..row.len()).collect());
        let ends = chosen.iter().map(|i| row[*i].x);
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        let off = |p: &Vec3| (low - p.x).max(p.x - high);
        assert!(row.iter().all(|p| off(p) <= 1.0001 * near), "{chosen:?}");
    }

    #[test]
    fn balls_all_around_are_all_kept() {
        let around: Vec<Vec3> = (0..200)
            .map(|i| {
                let (height, turn) = (1.0 - 0.01 * f64::from(i), 2.4 * f64::from(i));
                let wide = (1.0 - height * height).sqrt();
                Vec3::new(wide * turn.cos(), wide * turn.sin(), height)
            })
            .collect();
        assert_eq!(corners(&around, 1e-6), None);
    }
}
