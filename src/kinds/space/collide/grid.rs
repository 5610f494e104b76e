//! Broad phase: pairs of overlapping bounding spheres by a hashed uniform grid, whose cells are as large as the largest of
//! the usual spheres. Much larger spheres are compared with all others.
//!
//! Time and memory are linear in the number of spheres, whatever the space between them. A search uses slightly enlarged
//! spheres; as long as all spheres stay within these, later calls only test the pairs found. The result does not depend
//! on it.

use crate::math::{Limit, Vec3, dot3};

/// No sphere.
const NONE: u32 = u32::MAX;

/// Spheres with a radius above this multiple of the mean are compared with all others.
const LARGE: f64 = 4.0;

/// Enlargement of the spheres of a search, relative to their radii: enough for some steps of a settling pile, with few
/// additional pairs.
const MARGIN: f64 = 0.1;

/// A bounding sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// In the world, m.
    pub centre: Vec3,
    /// m.
    pub radius: f64,
}

impl BoundingSphere {
    fn overlaps(&self, other: &Self) -> bool {
        let d = other.centre - self.centre;
        let sum = self.radius + other.radius;
        dot3(d, d) <= sum * sum
    }

    fn contains(&self, inner: &Self) -> bool {
        let d = inner.centre - self.centre;
        // with a margin for rounding
        let room = (1.0 - 1e-9) * (self.radius - inner.radius);
        room >= 0.0 && dot3(d, d) <= room * room
    }
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// First sphere of each bucket.
    first: Vec<u32>,
    /// Next sphere in the same bucket.
    next: Vec<u32>,
    large: Vec<u32>,
    near: Vec<u32>,
    /// Spheres of the last search, and their overlapping pairs.
    searched: Vec<BoundingSphere>,
    candidates: Vec<[u32; 2]>,
}

impl Grid {
    /// Reports every pair of overlapping spheres, higher index first, in increasing order of both. Pairs for which
    /// `is_candidate` is false are skipped; it is only called during searches.
    pub fn pairs(
        &mut self,
        spheres: &[BoundingSphere],
        is_candidate: impl Fn(u32, u32) -> bool,
        mut emit: impl FnMut(usize, usize),
    ) {
        let mut both = self.searched.iter().zip(spheres);
        if self.searched.len() != spheres.len() || !both.all(|(old, sphere)| old.contains(sphere)) {
            self.search(spheres, is_candidate);
        }
        for [i, j] in self.candidates.iter().map(|pair| pair.map(|i| i as usize)) {
            if spheres[j].overlaps(&spheres[i]) {
                emit(i, j);
            }
        }
    }

    /// A measure of the memory in use, which never shrinks.
    pub fn capacity(&self) -> usize {
        self.candidates.capacity()
    }

    fn search(&mut self, spheres: &[BoundingSphere], is_candidate: impl Fn(u32, u32) -> bool) {
        let mut searched = std::mem::take(&mut self.searched);
        searched.clear();
        searched.extend(spheres.iter().map(|sphere| BoundingSphere {
            radius: (1.0 + MARGIN) * sphere.radius,
            ..*sphere
        }));
        self.find(&searched, is_candidate);
        self.searched = searched;
    }

    fn find(&mut self, spheres: &[BoundingSphere], is_candidate: impl Fn(u32, u32) -> bool) {
        self.candidates.clear();
        let total: f64 = spheres.iter().map(|sphere| sphere.radius).sum();
        let largest_usual = LARGE * total / spheres.len().max(1) as f64;
        let usual = |sphere: &BoundingSphere| sphere.radius <= largest_usual;
        let largest = spheres
            .iter()
            .filter(|sphere| usual(sphere))
            .fold(0.0, |most: f64, sphere| most.at_least(sphere.radius));
        let per_cell = 1.0 / (2.0 * largest).at_least(f64::MIN_POSITIVE);
        let n_buckets = (2 * spheres.len()).next_power_of_two();
        self.first.clear();
        self.first.resize(n_buckets, NONE);
        self.next.clear();
        self.next.resize(spheres.len(), NONE);
        self.large.clear();
        for (i, sphere) in spheres.iter().enumerate() {
            self.near.clear();
            if usual(sphere) {
                let cell = cell_of(sphere, per_cell);
                self.collect_neighbours(spheres, sphere, cell);
                let bucket = bucket(cell, n_buckets);
                self.next[i] = self.first[bucket];
                self.first[bucket] = i as u32;
                let large = self.large.iter();
                self.near
                    .extend(large.filter(|j| spheres[**j as usize].overlaps(sphere)));
            } else {
                let others = (0..i as u32).filter(|j| spheres[*j as usize].overlaps(sphere));
                self.near.extend(others);
                self.large.push(i as u32);
            }
            self.near.retain(|j| is_candidate(i as u32, *j));
            self.near.sort_unstable();
            // two cells may share a bucket
            self.near.dedup();
            self.candidates
                .extend(self.near.iter().map(|j| [i as u32, *j]));
        }
    }

    // the previous spheres in the cell of this one and around it
    fn collect_neighbours(
        &mut self,
        spheres: &[BoundingSphere],
        sphere: &BoundingSphere,
        [x, y, z]: [i64; 3],
    ) {
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    // without any radius the cells are at the limits of the integers
                    let cell = [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)];
                    let mut j = self.first[bucket(cell, self.first.len())];
                    while j != NONE {
                        if spheres[j as usize].overlaps(sphere) {
                            self.near.push(j);
                        }
                        j = self.next[j as usize];
                    }
                }
            }
        }
    }
}

fn cell_of(sphere: &BoundingSphere, per_cell: f64) -> [i64; 3] {
    [0, 1, 2].map(|k| (sphere.centre[k] * per_cell).floor() as i64)
}

// large odd numbers distribute neighbouring cells over the buckets
fn bucket([x, y, z]: [i64; 3], n_buckets: usize) -> usize {
    let mixed = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
    (mixed >> 20) as usize & (n_buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_finds_the_pairs_that_a_look_at_all_finds() {
        let mut seed = 12_345_u64;
        let mut unit = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut grid = Grid::default();
        for round in 0..40 {
            let width = 0.5 + f64::from(round);
            let mut spheres: Vec<BoundingSphere> = (0..120)
                .map(|i| BoundingSphere {
                    centre: Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * width,
                    radius: if i % 40 == 7 { 5.0 } else { 0.1 + 0.3 * unit() },
                })
                .collect();
            // several steps, short ones first
            for step in 0..8 {
                let mut found = Vec::new();
                grid.pairs(&spheres, |_, _| true, |i, j| found.push((i, j)));
                let mut all = Vec::new();
                for i in 0..spheres.len() {
                    for j in 0..i {
                        if spheres[i].overlaps(&spheres[j]) {
                            all.push((i, j));
                        }
                    }
                }
                assert!(!all.is_empty());
                assert_eq!(found, all, "width {width}, step {step}");
                let short = 0.002 * f64::from(1 << step);
                for sphere in &mut spheres {
                    sphere.centre += Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * short;
                    sphere.radius *= 1.0 + 0.1 * short * (unit() - 0.5);
                }
            }
        }
    }
}
