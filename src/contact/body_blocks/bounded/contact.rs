//! Rows and local solve of one contact, as visited by the Gauss-Seidel sweeps.

use crate::contact::body_blocks::DOFS;
use crate::contact::body_blocks::scaled::clamp_length;
use crate::math::larger;
use crate::math::packed::{Packed12, add_multiple, dot};
use crate::math::{F64x2, positive};

/// A diagonal smaller than this fraction of the normal row's counts as zero.
pub const ZERO_DIAGONAL: f64 = 1e-12;

/// A Jacobian row with its free velocity, compliance and impulse.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScaledRow {
    /// Row of `J`: entries of the first body, then of the second.
    pub row: Packed12,
    pub free: f64,
    pub compliance: f64,
    pub r: f64,
    /// Sum of the magnitudes of the terms of `free`.
    pub products: f64,
}

impl ScaledRow {
    #[inline(always)]
    pub fn velocity(&self, bodies: &Packed12) -> f64 {
        self.free + dot(&self.row, bodies) + self.compliance * self.r
    }

    pub fn diagonal(&self) -> f64 {
        dot(&self.row, &self.row) + self.compliance
    }
}

/// A friction block; a block with one row is padded with a row of zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrictionBlock {
    pub rows: [ScaledRow; 2],
    /// `o W_bb^-1`: both diagonal entries, then the off-diagonal one.
    pub inverse: [f64; 3],
    /// `o / d` of (5).
    pub step: f64,
    pub friction: f64,
    /// `s` of (7).
    pub scale: f64,
    /// Index of its first row in `r` of the island, and the number of rows; 0: no friction.
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
    /// Local to the island; the ground has the index after the last body.
    pub bodies: [u32; 2],
    /// Index of the normal row in `r` of the island.
    pub first: u32,
    /// Number of further friction blocks.
    pub more: u32,
}

impl Local {
    /// (2) to (5). Returns the changes of the impulses, `None` if all were zero and stay zero.
    #[inline(always)]
    pub fn update(&mut self, bodies: &mut Packed12) -> Option<[f64; 3]> {
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
        let [x, y] = self.friction_block.update(u_s, u_t, new);
        let [s, t] = &self.friction_block.rows;
        let both = [change, x, y].map(F64x2::both);
        for side in 0..2 {
            for k in 0..DOFS / 2 {
                bodies[side][k] += self.normal.row[side][k] * both[0]
                    + s.row[side][k] * both[1]
                    + t.row[side][k] * both[2];
            }
        }
        Some([change, x, y])
    }
}

impl FrictionBlock {
    /// Sets `W_bb^-1` and `1 / d`, treating a diagonal below `zero` as zero. Returns the larger diagonal entry.
    pub fn prepare(&mut self, zero: f64, relaxation: f64) -> f64 {
        let [s, t] = &self.rows;
        let (a, c, b) = (s.diagonal(), t.diagonal(), dot(&s.row, &t.row));
        let half = 0.5 * (a - c);
        let largest = 0.5 * (a + c) + (half * half + b * b).sqrt();
        self.step = relaxation * inverse_of(largest, zero);
        let determinant = a * c - b * b;
        // one row, or two parallel ones
        self.inverse = if determinant <= ZERO_DIAGONAL * a * c {
            [self.step, self.step, 0.0]
        } else {
            [c, a, -b].map(|x| relaxation * x / determinant)
        };
        larger(a, c)
    }

    #[inline(always)]
    pub fn velocity(&self, bodies: &Packed12) -> [f64; 2] {
        let [s, t] = &self.rows;
        // the branch also keeps the compiler from vectorizing across the two rows
        let across = if self.count > 1 {
            t.velocity(bodies)
        } else {
            0.0
        };
        [s.velocity(bodies), across]
    }

    /// (4), (5). Returns the changes.
    #[inline(always)]
    pub fn update(&mut self, u_s: f64, u_t: f64, r_n: f64) -> [f64; 2] {
        let limit = self.friction * r_n;
        let [p, q, m] = self.inverse;
        let old = self.rows.map(|scaled_row| scaled_row.r);
        let mut x = old[0] - (p * u_s + m * u_t);
        let mut y = old[1] - (m * u_s + q * u_t);
        if x * x + y * y > limit * limit {
            let mut new = [old[0] - self.step * u_s, old[1] - self.step * u_t];
            clamp_length(&mut new, limit);
            [x, y] = new;
        }
        self.rows[0].r = x;
        self.rows[1].r = y;
        [x - old[0], y - old[1]]
    }

    /// The same, including the velocities of the bodies.
    #[inline(never)]
    pub fn update_alone(&mut self, r_n: f64, bodies: &mut Packed12) {
        let [u_s, u_t] = self.velocity(bodies);
        let [x, y] = self.update(u_s, u_t, r_n);
        add_multiple(bodies, x, &self.rows[0].row);
        add_multiple(bodies, y, &self.rows[1].row);
    }

    pub fn apply_impulses(&self, bodies: &mut Packed12) {
        for scaled_row in &self.rows {
            add_multiple(bodies, scaled_row.r, &scaled_row.row);
        }
    }
}

pub fn inverse_of(diagonal: f64, zero: f64) -> f64 {
    if diagonal > zero { 1.0 / diagonal } else { 0.0 }
}
