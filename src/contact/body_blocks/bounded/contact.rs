//! A contact and its rows, as the sweeps take them.

use crate::contact::body_blocks::FREEDOMS;
use crate::contact::body_blocks::scaled::shorten;
use crate::contact::scaling::larger;
use crate::math::two::{Twelvefold, add_multiple, dot};
use crate::math::{Two, positive};

/// A diagonal this much smaller than that of its normal row is a row of nothing.
pub const NOTHING: f64 = 1e-12;

/// A row with its free velocity, its compliance and its impulse.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScaledRow {
    /// A row of `J`: the part of the first body, then the one of the second.
    pub row: Twelvefold,
    pub free: f64,
    pub compliance: f64,
    pub r: f64,
    /// Sum of the sizes of what `free` is the sum of.
    pub products: f64,
}

impl ScaledRow {
    #[inline(always)]
    pub fn velocity(&self, bodies: &Twelvefold) -> f64 {
        self.free + dot(&self.row, bodies) + self.compliance * self.r
    }

    pub fn diagonal(&self) -> f64 {
        dot(&self.row, &self.row) + self.compliance
    }
}

/// A friction block; one of a single row has a second one of zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrictionBlock {
    pub edges: [ScaledRow; 2],
    /// `o W_bb^-1`: both diagonal entries, and the one beside them.
    pub inverse: [f64; 3],
    /// `o / d` of (5).
    pub step: f64,
    pub friction: f64,
    /// `s` of (7).
    pub scale: f64,
    /// First row in `r` of the island, and how many; 0: no friction.
    pub first: u32,
    pub count: u32,
}

/// A contact with its first friction block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local {
    pub normal: ScaledRow,
    pub friction_block: FrictionBlock,
    /// `o / W_nn`.
    pub inverse: f64,
    /// `s` of (7).
    pub scale: f64,
    /// `W_bn`.
    pub to_n: [f64; 2],
    /// Within the island; the ground comes after the last body.
    pub bodies: [u32; 2],
    /// Its normal row in `r` of the island.
    pub first: u32,
    /// Further friction blocks.
    pub more: u32,
}

impl Local {
    /// (2) to (5), and the changes of the impulses; none: they were and stay zero.
    #[inline(always)]
    pub fn improve(&mut self, bodies: &mut Twelvefold) -> Option<[f64; 3]> {
        let old = self.normal.r;
        let new = positive(old - self.normal.velocity(bodies) * self.inverse);
        if new == 0.0 && old == 0.0 {
            return None;
        }
        let change = new - old;
        self.normal.r = new;
        if self.friction_block.count == 0 {
            add_multiple(bodies, change, &self.normal.row);
            return Some([change, 0.0, 0.0]);
        }
        let [u_s, u_t] = self.friction_block.velocity(bodies);
        let u_s = u_s + self.to_n[0] * change;
        let u_t = u_t + self.to_n[1] * change;
        let [x, y] = self.friction_block.improve(u_s, u_t, new);
        let [s, t] = &self.friction_block.edges;
        let both = [change, x, y].map(Two::both);
        for side in 0..2 {
            for k in 0..FREEDOMS / 2 {
                bodies[side][k] += self.normal.row[side][k] * both[0]
                    + s.row[side][k] * both[1]
                    + t.row[side][k] * both[2];
            }
        }
        Some([change, x, y])
    }
}

impl FrictionBlock {
    /// `W_bb^-1` and `1 / d`; a diagonal below `nothing` is none. The larger diagonal.
    pub fn prepare(&mut self, nothing: f64, relaxation: f64) -> f64 {
        let [s, t] = &self.edges;
        let (a, c, b) = (s.diagonal(), t.diagonal(), dot(&s.row, &t.row));
        let half = 0.5 * (a - c);
        let largest = 0.5 * (a + c) + (half * half + b * b).sqrt();
        self.step = relaxation * inverse_of(largest, nothing);
        let determinant = a * c - b * b;
        // one row, or two that are alike
        self.inverse = if determinant <= NOTHING * a * c {
            [self.step, self.step, 0.0]
        } else {
            [c, a, -b].map(|x| relaxation * x / determinant)
        };
        larger(a, c)
    }

    #[inline(always)]
    pub fn velocity(&self, bodies: &Twelvefold) -> [f64; 2] {
        let [s, t] = &self.edges;
        // a branch also keeps compilers from working on both rows at once, across the pairs that they are made of
        let across = if self.count > 1 {
            t.velocity(bodies)
        } else {
            0.0
        };
        [s.velocity(bodies), across]
    }

    /// (4), (5): the changes.
    #[inline(always)]
    pub fn improve(&mut self, u_s: f64, u_t: f64, r_n: f64) -> [f64; 2] {
        let limit = self.friction * r_n;
        let [p, q, m] = self.inverse;
        let old = self.edges.map(|scaled_row| scaled_row.r);
        let mut x = old[0] - (p * u_s + m * u_t);
        let mut y = old[1] - (m * u_s + q * u_t);
        if x * x + y * y > limit * limit {
            let mut new = [old[0] - self.step * u_s, old[1] - self.step * u_t];
            shorten(&mut new, limit);
            [x, y] = new;
        }
        self.edges[0].r = x;
        self.edges[1].r = y;
        [x - old[0], y - old[1]]
    }

    /// The same, with its motion of the bodies.
    #[inline(never)]
    pub fn improve_alone(&mut self, r_n: f64, bodies: &mut Twelvefold) {
        let [u_s, u_t] = self.velocity(bodies);
        let [x, y] = self.improve(u_s, u_t, r_n);
        add_multiple(bodies, x, &self.edges[0].row);
        add_multiple(bodies, y, &self.edges[1].row);
    }

    pub fn push(&self, bodies: &mut Twelvefold) {
        for scaled_row in &self.edges {
            add_multiple(bodies, scaled_row.r, &scaled_row.row);
        }
    }
}

pub fn inverse_of(diagonal: f64, nothing: f64) -> f64 {
    if diagonal > nothing {
        1.0 / diagonal
    } else {
        0.0
    }
}
