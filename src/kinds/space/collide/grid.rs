//! Which of many balls are near each other: a grid of cells as wide as the widest of the usual ones, found by a hash. Balls
//! much wider than usual are compared with all others.
//!
//! The work and the memory grow with the number of balls, not with the room between them. A search finds the pairs of balls
//! somewhat larger than given; as long as the balls stay within these, the next searches only look at those pairs. What they
//! tell does not depend on it.

use crate::math::{Limit, Vec3, dot3};

/// No ball.
const NONE: u32 = u32::MAX;

/// Balls wider than this many times the mean are compared with all others.
const WIDE: f64 = 4.0;

/// How much larger the balls of a search are, as a part of their radii: enough for some steps of a heap that settles, and few
/// more pairs.
const MARGIN: f64 = 0.1;

/// A ball around something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// In the world, m.
    pub centre: Vec3,
    /// m.
    pub radius: f64,
}

impl Ball {
    fn meets(&self, other: &Self) -> bool {
        let d = other.centre - self.centre;
        let sum = self.radius + other.radius;
        dot3(d, d) <= sum * sum
    }

    fn holds(&self, inner: &Self) -> bool {
        let d = inner.centre - self.centre;
        // less the rounding
        let room = (1.0 - 1e-9) * (self.radius - inner.radius);
        room >= 0.0 && dot3(d, d) <= room * room
    }
}

/// Room for the search.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// First ball of each bucket.
    first: Vec<u32>,
    /// The next ball in the same bucket.
    next: Vec<u32>,
    wide: Vec<u32>,
    near: Vec<u32>,
    /// Balls of the last search, and the pairs of them that meet.
    searched: Vec<Ball>,
    candidates: Vec<[u32; 2]>,
}

impl Grid {
    /// Tells every pair of balls that meet, the higher index first, in rising order of both; but for pairs that are never
    /// `counted`, which is asked in searches only.
    pub fn pairs(
        &mut self,
        balls: &[Ball],
        counted: impl Fn(u32, u32) -> bool,
        mut tell: impl FnMut(usize, usize),
    ) {
        let mut both = self.searched.iter().zip(balls);
        if self.searched.len() != balls.len() || !both.all(|(old, ball)| old.holds(ball)) {
            self.search(balls, counted);
        }
        for [i, j] in self.candidates.iter().map(|pair| pair.map(|i| i as usize)) {
            if balls[j].meets(&balls[i]) {
                tell(i, j);
            }
        }
    }

    /// A number that grows with the memory taken.
    pub fn room(&self) -> usize {
        self.candidates.capacity()
    }

    fn search(&mut self, balls: &[Ball], counted: impl Fn(u32, u32) -> bool) {
        let mut searched = std::mem::take(&mut self.searched);
        searched.clear();
        searched.extend(balls.iter().map(|ball| Ball {
            radius: (1.0 + MARGIN) * ball.radius,
            ..*ball
        }));
        self.find(&searched, counted);
        self.searched = searched;
    }

    fn find(&mut self, balls: &[Ball], counted: impl Fn(u32, u32) -> bool) {
        self.candidates.clear();
        let total: f64 = balls.iter().map(|ball| ball.radius).sum();
        let widest_usual = WIDE * total / balls.len().max(1) as f64;
        let usual = |ball: &Ball| ball.radius <= widest_usual;
        let widest = balls
            .iter()
            .filter(|ball| usual(ball))
            .fold(0.0, |most: f64, ball| most.at_least(ball.radius));
        let per_cell = 1.0 / (2.0 * widest).at_least(f64::MIN_POSITIVE);
        let n_buckets = (2 * balls.len()).next_power_of_two();
        self.first.clear();
        self.first.resize(n_buckets, NONE);
        self.next.clear();
        self.next.resize(balls.len(), NONE);
        self.wide.clear();
        for (i, ball) in balls.iter().enumerate() {
            self.near.clear();
            if usual(ball) {
                let cell = cell_of(ball, per_cell);
                self.look_around(balls, ball, cell);
                let bucket = bucket(cell, n_buckets);
                self.next[i] = self.first[bucket];
                self.first[bucket] = i as u32;
                let wide = self.wide.iter();
                self.near
                    .extend(wide.filter(|j| balls[**j as usize].meets(ball)));
            } else {
                let others = (0..i as u32).filter(|j| balls[*j as usize].meets(ball));
                self.near.extend(others);
                self.wide.push(i as u32);
            }
            self.near.retain(|j| counted(i as u32, *j));
            self.near.sort_unstable();
            // two cells may share a bucket
            self.near.dedup();
            self.candidates
                .extend(self.near.iter().map(|j| [i as u32, *j]));
        }
    }

    // the balls before this one in its cell and those around
    fn look_around(&mut self, balls: &[Ball], ball: &Ball, [x, y, z]: [i64; 3]) {
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    // points alone have no size: their cells are at the end of all numbers
                    let cell = [x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)];
                    let mut j = self.first[bucket(cell, self.first.len())];
                    while j != NONE {
                        if balls[j as usize].meets(ball) {
                            self.near.push(j);
                        }
                        j = self.next[j as usize];
                    }
                }
            }
        }
    }
}

fn cell_of(ball: &Ball, per_cell: f64) -> [i64; 3] {
    [0, 1, 2].map(|k| (ball.centre[k] * per_cell).floor() as i64)
}

// large odd numbers spread neighbouring cells over the buckets
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
            let mut balls: Vec<Ball> = (0..120)
                .map(|i| Ball {
                    centre: Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * width,
                    radius: if i % 40 == 7 { 5.0 } else { 0.1 + 0.3 * unit() },
                })
                .collect();
            // in a row of steps, at first short ones
            for step in 0..8 {
                let mut found = Vec::new();
                grid.pairs(&balls, |_, _| true, |i, j| found.push((i, j)));
                let mut all = Vec::new();
                for i in 0..balls.len() {
                    for j in 0..i {
                        if balls[i].meets(&balls[j]) {
                            all.push((i, j));
                        }
                    }
                }
                assert!(!all.is_empty());
                assert_eq!(found, all, "width {width}, step {step}");
                let short = 0.002 * f64::from(1 << step);
                for ball in &mut balls {
                    ball.centre += Vec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * short;
                    ball.radius *= 1.0 + 0.1 * short * (unit() - 0.5);
                }
            }
        }
    }
}
