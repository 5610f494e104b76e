//! Direct solve of all joints, springs and motors of an island. Gauss-Seidel would need as many sweeps as a chain has
//! links.
//!
//! ```text
//! (1)  u + (J J^T + c) dr = 0,   dw = J^T dr
//! (2)  (1 + J^T e^-1 J) dw = J^T g,   dr = g - e^-1 J dw,   g = -u / e,   e = c + damping W_ii
//! (3)  if the factorization would fill in too much, row by row:   r_i <- r_i - u_i / W_ii
//! ```
//!
//! The damping regularizes redundant rows. It and rounding leave a relative error of at most 1e-6, which the next solve
//! removes.

use super::contact::ScaledRow;
use crate::contact::block_lu::{Factor, Vec6};
use crate::contact::elimination_order::Pattern;
use crate::math::larger;
use crate::math::packed::{Packed6, Packed12, add_multiple, dot, pack, unpack};

/// Damping of (2).
const DAMPING: f64 = 1e-10;

/// Off-diagonal blocks per body above which (3) is cheaper: chains and arms have one, nets more.
const MAX_FILL: usize = 16;

/// Marks a body without joints.
const NONE: u32 = u32::MAX;

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointRow {
    pub scaled_row: ScaledRow,
    /// `1 / W_ii`.
    pub inverse: f64,
    /// `1 / e`.
    pub inverse_e: f64,
    /// `dr`.
    step: f64,
    /// Scale factor of the residual.
    pub scale: f64,
    /// Local to the island; the ground has the index after the last body.
    pub bodies: [u32; 2],
    /// Index in `r` of the island.
    pub at: u32,
}

impl JointRow {
    pub fn new(scaled_row: ScaledRow, scale: f64, bodies: [u32; 2], at: usize) -> Self {
        let diagonal = scaled_row.diagonal();
        let inverse_of = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        Self {
            scaled_row,
            inverse: inverse_of(diagonal),
            inverse_e: inverse_of(scaled_row.compliance + DAMPING * diagonal),
            step: 0.0,
            scale,
            bodies,
            at: at as u32,
        }
    }
}

/// The joint rows of an island, and scratch.
#[derive(Debug, Default)]
pub struct JointRows {
    pub list: Vec<JointRow>,
    /// Owned by the caller between solves of the island.
    pub pattern: Pattern,
    is_eliminated: bool,
    /// Index of each body of the island, and of the ground, among the bodies with joints.
    slots: Vec<u32>,
    count: u32,
    pairs: Vec<[u32; 2]>,
    factor: Factor<6>,
    dw: Vec<Vec6>,
}

impl JointRows {
    /// Factorizes (2) for `bodies` bodies. Returns the number of symbolic factorizations.
    pub fn prepare(&mut self, bodies: usize) -> u64 {
        self.is_eliminated = false;
        if self.list.is_empty() {
            return 0;
        }
        self.number_bodies(bodies);
        self.pairs.clear();
        let pairs = self.list.chunk_by(|a, b| a.bodies == b.bodies);
        let pairs = pairs.map(|rows| rows[0].bodies.map(|b| self.slots[b as usize]));
        self.pairs
            .extend(pairs.filter(|pair| !pair.contains(&NONE)));
        let count = self.count as usize;
        let analysed = self.pattern.analyse(count, &self.pairs);
        if self.pattern.below.len() <= MAX_FILL * count {
            self.factor.clear(&self.pattern);
            self.add_blocks();
            self.is_eliminated = self.factor.factorise(&self.pattern);
        }
        u64::from(analysed)
    }

    fn number_bodies(&mut self, bodies: usize) {
        self.slots.clear();
        self.slots.resize(bodies + 1, NONE);
        self.count = 0;
        for body in self.list.iter().flat_map(|joint_row| joint_row.bodies) {
            let slot = &mut self.slots[body as usize];
            if *slot == NONE && (body as usize) < bodies {
                *slot = self.count;
                self.count += 1;
            }
        }
    }

    // assembles the matrix of (2)
    fn add_blocks(&mut self) {
        let Self {
            list,
            pattern,
            slots,
            factor,
            ..
        } = self;
        let mut pair = 0;
        for rows in list.chunk_by(|a, b| a.bodies == b.bodies) {
            let own = rows[0].bodies.map(|b| slots[b as usize]);
            for joint_row in rows {
                let sides = joint_row.scaled_row.row.map(|side| unpack(&side));
                let add = |cell: &mut [Vec6; 6], left: &Vec6, right: &Vec6| {
                    for i in 0..6 {
                        for k in 0..6 {
                            cell[i][k] += left[i] * joint_row.inverse_e * right[k];
                        }
                    }
                };
                for (slot, side) in own.iter().zip(&sides).filter(|(slot, _)| **slot != NONE) {
                    add(factor.own(pattern, *slot), side, side);
                }
                if !own.contains(&NONE) {
                    let (upper, lower) = factor.shared(pattern, pair);
                    add(upper, &sides[0], &sides[1]);
                    add(lower, &sides[1], &sides[0]);
                }
            }
            pair += usize::from(!own.contains(&NONE));
        }
    }

    /// Solves (1) and updates the bodies. Returns the largest change of an impulse and the largest impulse.
    pub fn solve(&mut self, w: &mut [Packed6]) -> (f64, f64) {
        if !self.is_eliminated {
            return self.sweep(w);
        }
        let Self {
            list,
            pattern,
            slots,
            count,
            factor,
            dw,
            ..
        } = self;
        // the ground comes after the bodies
        let ground = *count as usize;
        dw.clear();
        dw.resize(ground + 1, [0.0; 6]);
        let places = |bodies: [u32; 2]| bodies.map(|b| (slots[b as usize] as usize).min(ground));
        for joint_row in list.iter() {
            let bodies = joint_row.bodies.map(|b| w[b as usize]);
            let g = -joint_row.scaled_row.velocity(&bodies) * joint_row.inverse_e;
            for (place, side) in places(joint_row.bodies)
                .into_iter()
                .zip(&joint_row.scaled_row.row)
            {
                let side = unpack(side);
                (0..6).for_each(|k| dw[place][k] += side[k] * g);
            }
        }
        factor.solve(pattern, &mut dw[..ground]);
        dw[ground] = [0.0; 6];
        let (mut change, mut largest) = (0.0, 0.0);
        // `u` of all rows before any body velocity changes
        for joint_row in list.iter_mut() {
            let bodies = joint_row.bodies.map(|b| w[b as usize]);
            let moved: Packed12 = places(joint_row.bodies).map(|place| pack(&dw[place]));
            let left =
                joint_row.scaled_row.velocity(&bodies) + dot(&joint_row.scaled_row.row, &moved);
            joint_row.step = -left * joint_row.inverse_e;
        }
        for joint_row in list.iter_mut() {
            let step = joint_row.step;
            push(joint_row, step, w);
            change = larger(change, step.abs());
            largest = larger(largest, joint_row.scaled_row.r.abs());
        }
        (change, largest)
    }

    // (3)
    fn sweep(&mut self, w: &mut [Packed6]) -> (f64, f64) {
        let (mut change, mut largest) = (0.0, 0.0);
        for joint_row in &mut self.list {
            let bodies = joint_row.bodies.map(|b| w[b as usize]);
            let step = -joint_row.scaled_row.velocity(&bodies) * joint_row.inverse;
            push(joint_row, step, w);
            change = larger(change, step.abs());
            largest = larger(largest, joint_row.scaled_row.r.abs());
        }
        (change, largest)
    }
}

fn push(joint_row: &mut JointRow, step: f64, w: &mut [Packed6]) {
    let [a, b] = joint_row.bodies.map(|b| b as usize);
    let mut bodies = [w[a], w[b]];
    joint_row.scaled_row.r += step;
    add_multiple(&mut bodies, step, &joint_row.scaled_row.row);
    [w[a], w[b]] = bodies;
}
