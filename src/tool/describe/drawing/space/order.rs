//! Drawing order of solids, from separating planes between pairs of them.

use super::solid::Solid;
use crate::math::{Vec3, dot3};

/// More solids than this are sorted only by the distance of their centres.
const MOST_COMPARED: usize = 400;

/// Solids that overlap by this fraction of their size still count as separate, for solids in contact.
const TOUCHING: f64 = 1e-6;

/// Indices of solids in an order in which none hides a later one.
pub fn far_first(solids: &[Solid], towards: Vec3) -> Vec<usize> {
    let middle = |solid: &Solid| {
        let [low, high] = solid.range(towards);
        0.5 * (low + high)
    };
    let mut left: Vec<usize> = (0..solids.len()).collect();
    let depth: Vec<f64> = solids.iter().map(middle).collect();
    left.sort_by(|i, j| depth[*i].total_cmp(&depth[*j]));
    if solids.len() > MOST_COMPARED {
        return left;
    }
    // behind[i]: those that must be drawn before i
    let mut behind = vec![Vec::new(); solids.len()];
    for i in 0..solids.len() {
        for j in 0..i {
            match is_before(&solids[i], &solids[j], towards) {
                Some(true) => behind[i].push(j),
                Some(false) => behind[j].push(i),
                None => {}
            }
        }
    }
    let mut done = vec![false; solids.len()];
    let mut order = Vec::with_capacity(solids.len());
    while !left.is_empty() {
        // a cycle of solids that hide each other is broken at the farthest one
        let is_free = |i: &usize| behind[*i].iter().all(|j| done[*j]);
        let next = left.iter().position(is_free).unwrap_or(0);
        let i = left.remove(next);
        done[i] = true;
        order.push(i);
    }
    order
}

/// Can `a` hide `b` (true), `b` hide `a` (false), or neither?
fn is_before(a: &Solid, b: &Solid, towards: Vec3) -> Option<bool> {
    let normals = |solid: &Solid| -> Vec<Vec3> { solid.faces.iter().map(|f| f.normal).collect() };
    let between = middle(a) - middle(b);
    let mut candidates = vec![Vec3::z(), Vec3::x(), Vec3::y()];
    candidates.extend(normals(a));
    candidates.extend(normals(b));
    candidates.push(between);
    for normal in candidates {
        let (range_a, range_b) = (a.range(normal), b.range(normal));
        let size = (range_a[1] - range_a[0]).max(range_b[1] - range_b[0]);
        let slack = TOUCHING * size;
        let facing = dot3(normal, towards);
        if range_a[0] >= range_b[1] - slack && facing != 0.0 {
            return Some(facing > 0.0);
        }
        if range_b[0] >= range_a[1] - slack && facing != 0.0 {
            return Some(facing < 0.0);
        }
    }
    None
}

fn middle(solid: &Solid) -> Vec3 {
    let n = solid.points.len().max(1) as f64;
    solid.points.iter().fold(Vec3::zeros(), |sum, p| sum + p) / n
}
