//! An island in dimensionless coordinates in which every body has unit mass, with an optional proximal term.
//!
//! ```text
//! (1)  A^-1 = L L^T per body,   v = v_f + L w,   J = S G L
//! (2)  u' = S u / |q'|,  r = S r' |q'|,  q' = S (G v_f + b),  c' = S c S,  mu'_b = mu_b s_n / s_b
//! (3)  s = 1 / sqrt(W_ii), the largest W_ii of a block for all of its rows, rounded to a power of two
//! (4)  w = J^T r',   u' = q' + J w + c' r' + prox D (r' - reference),     D: diagonal of W', largest eigenvalue of a block
//! ```

use std::ops::Range;

use super::{DOFS, GROUND, Island, Problem, Row};
use crate::contact::block_lu::{Mat6, Vec6};
use crate::contact::dense::scaled::{BlockRows, ContactRows};
use crate::contact::scaling::power_of_two;
use crate::math::larger;

/// A row of `J`: entries of the first body, then of the second.
pub(super) type JacobianRow = [f64; 2 * DOFS];

/// Bodies and rows of a contact or joint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    /// Local to the island; the ground has the index after the last body.
    pub bodies: [u32; 2],
    pub first: usize,
    pub rows: usize,
}

impl Member {
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.rows
    }
}

/// (1) to (4).
#[derive(Debug, Default)]
pub(super) struct Scaled {
    /// Number of bodies, without the ground.
    pub bodies: usize,
    /// `J`.
    pub rows: Vec<JacobianRow>,
    /// `q'`.
    pub free: Vec<f64>,
    /// `c'`.
    pub compliance: Vec<f64>,
    scale: Vec<f64>,
    /// `|q'|` before the division.
    size: f64,
    pub contacts: Vec<ContactRows>,
    /// The contacts, then the joints.
    pub members: Vec<Member>,
    /// `D` of (4).
    pub stiffness: Vec<f64>,
    /// (4).
    pub prox: f64,
    /// (4).
    pub reference: Vec<f64>,
    /// Cholesky factor `L` of each body, and whether it has off-diagonal entries.
    factors: Vec<(Mat6, bool)>,
    /// Index within the island of each body of the problem; entries of other islands are stale.
    local: Vec<u32>,
}

impl Scaled {
    /// Loads an island, without a proximal term. Returns `false` if a number is not finite, or negative where it must not
    /// be.
    pub fn set(&mut self, problem: &Problem, island: &Island) -> bool {
        self.bodies = island.bodies.len();
        self.prox = 0.0;
        if self.local.len() < problem.bodies.len() {
            self.local.resize(problem.bodies.len(), 0);
        }
        self.factors.clear();
        for (k, &b) in island.bodies.iter().enumerate() {
            self.local[b as usize] = k as u32;
            self.factors
                .push(cholesky(&problem.bodies[b as usize].inverse_mass));
        }
        for list in [
            &mut self.free,
            &mut self.compliance,
            &mut self.scale,
            &mut self.stiffness,
        ] {
            list.clear();
        }
        self.rows.clear();
        self.contacts.clear();
        self.members.clear();
        let mut valid = true;
        for &c in island.contacts {
            let constraint = &problem.contacts[c as usize];
            let normal = self.rows.len();
            let source = island.rows[normal] as usize;
            let member = Member {
                bodies: self.local_pair(&constraint.bodies),
                first: normal,
                rows: constraint.contact.rows(),
            };
            for row in &problem.rows[source..source + member.rows] {
                self.push_row(problem, &constraint.bodies, &member.bodies, row);
            }
            let mut contact = ContactRows {
                normal,
                count: constraint.contact.blocks().len(),
                ..ContactRows::default()
            };
            let (s_n, d_n) = self.scale_rows(normal, 1);
            contact.rho = 1.0 / d_n;
            let mut first = normal + 1;
            for (own, block) in contact
                .all_blocks
                .iter_mut()
                .zip(constraint.contact.blocks())
            {
                let (s, d) = self.scale_rows(first, block.rows());
                let friction = block.friction();
                valid &= friction.is_finite() && friction >= 0.0;
                *own = BlockRows {
                    first,
                    rows: block.rows(),
                    friction: friction * s_n / s,
                    rho: 1.0 / d,
                };
                first += block.rows();
            }
            self.contacts.push(contact);
            self.members.push(member);
        }
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            let bodies = self.local_pair(&joint.bodies);
            let first = self.rows.len();
            for k in first..first + joint.rows {
                let row = &problem.rows[island.rows[k] as usize];
                self.push_row(problem, &joint.bodies, &bodies, row);
                self.scale_rows(k, 1);
            }
            self.members.push(Member {
                bodies,
                first,
                rows: joint.rows,
            });
        }
        let size = self.free.iter().fold(0.0, |m, q| larger(m, q.abs()));
        self.size = if size > 0.0 { power_of_two(size) } else { 1.0 };
        for q in &mut self.free {
            *q /= self.size;
        }
        self.reference.clear();
        self.reference.resize(self.rows.len(), 0.0);
        let finite = |list: &[f64]| crate::contact::lcp::all_finite(list);
        valid
            && size.is_finite()
            && finite(&self.free)
            && finite(&self.compliance)
            && self.compliance.iter().all(|c| *c >= 0.0)
            && finite(self.rows.as_flattened())
    }

    fn local_pair(&self, bodies: &[u32; 2]) -> [u32; 2] {
        bodies.map(|b| {
            if b == GROUND {
                self.bodies as u32
            } else {
                self.local[b as usize]
            }
        })
    }

    /// (1), (2) of a row, not yet scaled.
    fn push_row(&mut self, problem: &Problem, bodies: &[u32; 2], local: &[u32; 2], row: &Row) {
        let mut own = [0.0; 2 * DOFS];
        let mut q = row.bias;
        for side in 0..2 {
            if bodies[side] == GROUND {
                continue;
            }
            let g = &row.entries[side];
            let v = &problem.bodies[bodies[side] as usize].velocity;
            for k in 0..DOFS {
                q += g[k] * v[k];
            }
            let (l, is_full) = &self.factors[local[side] as usize];
            let own = &mut own[side * DOFS..(side + 1) * DOFS];
            for k in 0..DOFS {
                own[k] = g[k] * l[k][k];
            }
            if *is_full {
                for k in 0..DOFS {
                    for i in k + 1..DOFS {
                        own[k] += g[i] * l[i][k];
                    }
                }
            }
        }
        self.rows.push(own);
        self.free.push(q);
        self.compliance.push(row.compliance);
    }

    /// (3) for the rows of a block. Returns their scale and `D`.
    fn scale_rows(&mut self, first: usize, count: usize) -> (f64, f64) {
        let rows = &mut self.rows[first..first + count];
        let compliance = &mut self.compliance[first..first + count];
        let mut diagonal = 0.0;
        for (row, c) in rows.iter().zip(compliance.iter()) {
            diagonal = larger(diagonal, dot(row, row) + c);
        }
        let s = if diagonal > 0.0 {
            power_of_two(1.0 / diagonal.sqrt())
        } else {
            1.0
        };
        for (row, c) in rows.iter_mut().zip(compliance.iter_mut()) {
            for x in row {
                *x *= s;
            }
            *c *= s * s;
        }
        for q in &mut self.free[first..first + count] {
            *q *= s;
        }
        diagonal *= s * s;
        if count == 2 {
            let (a, c) = (
                dot(&rows[0], &rows[0]) + compliance[0],
                dot(&rows[1], &rows[1]) + compliance[1],
            );
            let (b, half) = (dot(&rows[0], &rows[1]), 0.5 * (a - c));
            diagonal = 0.5 * (a + c) + (half * half + b * b).sqrt();
        }
        let d = nonzero_or_one(diagonal);
        for _ in 0..count {
            self.scale.push(s);
            self.stiffness.push(d);
        }
        (s, d)
    }

    /// Sets the proximal term of (4), with projection steps of `boost` times the usual ones.
    pub fn set_proximal_term(&mut self, prox: f64, boost: f64, reference: &[f64]) {
        self.prox = prox;
        self.reference.copy_from_slice(reference);
        self.set_boost(boost);
    }

    /// Removes the proximal term.
    pub fn clear_proximal_term(&mut self) {
        self.prox = 0.0;
        self.reference.fill(0.0);
        self.set_boost(1.0);
    }

    fn set_boost(&mut self, boost: f64) {
        for contact in &mut self.contacts {
            contact.rho = boost / self.stiffness[contact.normal];
            for block in &mut contact.all_blocks[..contact.count] {
                block.rho = boost / self.stiffness[block.first];
            }
        }
    }

    pub fn joints(&self) -> &[Member] {
        &self.members[self.contacts.len()..]
    }

    /// Range of the joint rows.
    pub fn joint_rows(&self) -> Range<usize> {
        self.joints()
            .first()
            .map_or(0..0, |j| j.first..self.rows.len())
    }

    /// `w = J^T r`; the entry of the ground, after the last body, stays zero.
    pub fn apply_impulses(&self, r: &[f64], w: &mut Vec<Vec6>) {
        w.clear();
        w.resize(self.bodies + 1, [0.0; DOFS]);
        for member in &self.members {
            let (bodies, rows) = (member.bodies, member.range());
            let [mut a, mut b] = bodies.map(|b| w[b as usize]);
            for (row, r) in self.rows[rows.clone()].iter().zip(&r[rows]) {
                for k in 0..DOFS {
                    a[k] += row[k] * r;
                    b[k] += row[DOFS + k] * r;
                }
            }
            w[bodies[0] as usize] = a;
            w[bodies[1] as usize] = b;
        }
    }

    /// (4), given `w`.
    pub fn velocities(&self, r: &[f64], w: &[Vec6], u: &mut [f64]) {
        for member in &self.members {
            let [a, b] = member.bodies.map(|b| &w[b as usize]);
            for i in member.range() {
                let soft = self.prox * self.stiffness[i] * (r[i] - self.reference[i]);
                u[i] = self.free[i]
                    + row_velocity(&self.rows[i], a, b)
                    + self.compliance[i] * r[i]
                    + soft;
            }
        }
    }

    /// (2): from physical to dimensionless impulses.
    pub fn scale_impulses(&self, outer: &[f64], inner: &mut [f64]) {
        for ((x, y), s) in outer.iter().zip(inner).zip(&self.scale) {
            *y = x / (s * self.size);
        }
    }

    /// (2): the inverse.
    pub fn unscale_impulses(&self, inner: &[f64], outer: &mut [f64]) {
        for ((x, y), s) in inner.iter().zip(outer).zip(&self.scale) {
            *y = x * s * self.size;
        }
    }

    /// (1): the change of a body's velocity caused by `w`.
    pub fn velocity_change(&self, body: usize, w: &Vec6) -> Vec6 {
        let (l, is_full) = &self.factors[body];
        let mut v = [0.0; DOFS];
        for k in 0..DOFS {
            v[k] = l[k][k] * w[k];
            if *is_full {
                for i in 0..k {
                    v[k] += l[k][i] * w[i];
                }
            }
            v[k] *= self.size;
        }
        v
    }

    /// Clamps normal impulses to zero and friction impulses to their bounds.
    pub fn clamp_to_cones(&self, r: &mut [f64]) {
        for contact in &self.contacts {
            if r[contact.normal] <= 0.0 {
                r[contact.normal] = 0.0;
            }
            for block in contact.blocks() {
                let limit = block.friction * r[contact.normal];
                clamp_length(&mut r[block.first..block.first + block.rows], limit);
            }
        }
    }
}

/// Scales a vector to a length of at most `limit`.
pub(super) fn clamp_length(own: &mut [f64], limit: f64) {
    let squares = own.iter().map(|x| x * x).sum::<f64>();
    if squares > limit * limit {
        let factor = limit / squares.sqrt();
        own.iter_mut().for_each(|x| *x *= factor);
    }
}

/// A row times the velocities of its bodies.
pub(super) fn row_velocity(row: &JacobianRow, a: &Vec6, b: &Vec6) -> f64 {
    let (mut of_a, mut of_b) = ([0.0; 2], [0.0; 2]);
    for part in 0..3 {
        for lane in 0..2 {
            of_a[lane] += row[2 * part + lane] * a[2 * part + lane];
            of_b[lane] += row[DOFS + 2 * part + lane] * b[2 * part + lane];
        }
    }
    (of_a[0] + of_b[0]) + (of_a[1] + of_b[1])
}

/// Product of two rows of the same pair of bodies.
#[inline]
pub(super) fn dot(x: &JacobianRow, y: &JacobianRow) -> f64 {
    let mut sums = [0.0; 4];
    for part in 0..3 {
        for lane in 0..4 {
            sums[lane] += x[4 * part + lane] * y[4 * part + lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The diagonal, or 1 if it is zero up to rounding.
fn nonzero_or_one(diagonal: f64) -> f64 {
    if diagonal > 1e-3 { diagonal } else { 1.0 }
}

/// Cholesky factor of (1), and whether it has off-diagonal entries. Zero for velocities that impulses do not change.
pub(super) fn cholesky(block: &Mat6) -> (Mat6, bool) {
    let mut l = [[0.0; DOFS]; DOFS];
    let mut is_full = false;
    for k in 0..DOFS {
        let mut pivot = block[k][k];
        for i in 0..k {
            pivot -= l[k][i] * l[k][i];
        }
        // the block is positive semidefinite: a smaller pivot is a rounding error
        if pivot <= 1e-14 * block[k][k] {
            continue;
        }
        l[k][k] = pivot.sqrt();
        for i in k + 1..DOFS {
            let mut sum = 0.5 * (block[i][k] + block[k][i]);
            for j in 0..k {
                sum -= l[i][j] * l[k][j];
            }
            if sum != 0.0 {
                l[i][k] = sum / l[k][k];
                is_full = true;
            }
        }
    }
    (l, is_full)
}
