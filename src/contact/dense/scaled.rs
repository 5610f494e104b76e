//! The problem in dimensionless coordinates, with an optional proximal term.
//!
//! ```text
//! (1)  u' = S u / |b'|,  r = S r' |b'|,  W' = S W S,  b' = S b,  mu'_b = mu_b s_n / s_b
//! (2)  s = 1 / sqrt(W_ii), the largest W_ii of a block for all of its rows, rounded to a power of two
//! (3)  u' = W' r' + b' + prox D (r' - reference),     D = 1 / rho: diagonal of W', largest eigenvalue of a block
//! ```

use super::coupling::Coupling;
use super::{MAX_BLOCKS, Problem};
use crate::contact::lcp::all_finite;
use crate::contact::lcp::basis::grow;
use crate::contact::scaling::power_of_two;
use crate::math::larger;

/// Rows of a friction block.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct BlockRows {
    pub first: usize,
    pub rows: usize,
    /// `mu'`.
    pub friction: f64,
    /// Projection step: the inverse of the largest eigenvalue of the block, or of a bound of it.
    pub rho: f64,
}

/// Rows of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct ContactRows {
    pub normal: usize,
    pub rho: f64,
    pub count: usize,
    pub all_blocks: [BlockRows; MAX_BLOCKS],
}

impl ContactRows {
    #[inline]
    pub fn blocks(&self) -> &[BlockRows] {
        &self.all_blocks[..self.count]
    }
}

/// Outcome of loading a problem.
pub(super) enum Loaded {
    Fine,
    /// `b` is zero, and so is the solution.
    Zero,
    /// An entry of the matrix is not finite.
    NotFinite,
}

/// (1) to (3).
#[derive(Debug, Default)]
pub(super) struct Scaled {
    pub n: usize,
    /// `W'`, row by row; empty if `coupling` stores it sparsely.
    pub matrix: Vec<f64>,
    vector: Vec<f64>,
    scale: Vec<f64>,
    /// `|b'|` before the division.
    size: f64,
    pub contacts: Vec<ContactRows>,
    /// `D` of (3).
    pub stiffness: Vec<f64>,
    /// (3).
    pub prox: f64,
    /// (3).
    pub reference: Vec<f64>,
    pub coupling: Coupling,
}

impl Scaled {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.matrix, n * n);
        grow(&mut self.vector, n);
        grow(&mut self.scale, n);
        grow(&mut self.contacts, n);
        grow(&mut self.stiffness, n);
        grow(&mut self.reference, n);
        self.coupling.reserve(n);
    }

    /// Loads a well formed problem, without a proximal term.
    pub fn set(&mut self, problem: &Problem) -> Loaded {
        let n = problem.n;
        self.n = n;
        self.prox = 0.0;
        self.scale.clear();
        self.contacts.clear();
        for contact in problem.contacts {
            let normal = self.scale.len();
            let s_n = scale_of(problem, normal, 1);
            self.scale.push(s_n);
            let mut rows = ContactRows {
                normal,
                ..ContactRows::default()
            };
            for block in contact.blocks() {
                let first = self.scale.len();
                let s = scale_of(problem, first, block.rows());
                self.scale.extend((0..block.rows()).map(|_| s));
                rows.all_blocks[rows.count] = BlockRows {
                    first,
                    rows: block.rows(),
                    friction: block.friction() * s_n / s,
                    rho: 0.0,
                };
                rows.count += 1;
            }
            self.contacts.push(rows);
        }
        let scaled = problem.vector.iter().zip(&self.scale).map(|(b, s)| b * s);
        self.vector.clear();
        self.vector.extend(scaled);
        let size = self.vector.iter().fold(0.0, |m, b| larger(m, b.abs()));
        self.size = if size > 0.0 { power_of_two(size) } else { 1.0 };
        for b in &mut self.vector {
            *b /= self.size;
        }
        self.reference.clear();
        self.reference.resize(n, 0.0);
        self.set_steps(problem.matrix);
        self.coupling
            .set(n, problem.matrix, &self.scale, &self.contacts);
        self.matrix.clear();
        if !self.coupling.sparse {
            for (row, s) in problem.matrix.chunks_exact(n).zip(&self.scale) {
                let scaled = row.iter().zip(&self.scale).map(|(w, t)| w * t * s);
                self.matrix.extend(scaled);
            }
        }
        // zeros that are not stored are finite
        if !all_finite(&self.matrix) || !self.coupling.is_finite() {
            Loaded::NotFinite
        } else if size > 0.0 {
            Loaded::Fine
        } else {
            Loaded::Zero
        }
    }

    fn set_steps(&mut self, matrix: &[f64]) {
        let (n, scale) = (self.n, &self.scale);
        let entry = |i: usize, j: usize| matrix[i * n + j] * scale[j] * scale[i];
        self.stiffness.clear();
        for contact in &mut self.contacts {
            let normal = nonzero_or_one(entry(contact.normal, contact.normal));
            contact.rho = 1.0 / normal;
            self.stiffness.push(normal);
            for block in &mut contact.all_blocks[..contact.count] {
                let i = block.first;
                let largest = if block.rows == 1 {
                    entry(i, i)
                } else {
                    // of the symmetric part
                    let (a, c) = (entry(i, i), entry(i + 1, i + 1));
                    let b = 0.5 * (entry(i, i + 1) + entry(i + 1, i));
                    let half = 0.5 * (a - c);
                    0.5 * (a + c) + (half * half + b * b).sqrt()
                };
                let largest = nonzero_or_one(largest);
                block.rho = 1.0 / largest;
                for _ in 0..block.rows {
                    self.stiffness.push(largest);
                }
            }
        }
    }

    /// Sets projection steps of `boost` times the usual ones.
    pub fn set_boost(&mut self, boost: f64) {
        for contact in &mut self.contacts {
            contact.rho = boost / self.stiffness[contact.normal];
            for block in &mut contact.all_blocks[..contact.count] {
                block.rho = boost / self.stiffness[block.first];
            }
        }
    }

    /// `b'` of one row.
    pub fn free_velocity(&self, i: usize) -> f64 {
        self.vector[i]
    }

    /// (3) without the proximal term, of one row.
    pub fn velocity(&self, i: usize, r: &[f64]) -> f64 {
        let product = if self.coupling.sparse {
            self.coupling.product(i, r)
        } else {
            dots([self.row(i)], r)[0]
        };
        self.vector[i] + product
    }

    /// The same for rows `i..i + 3`, of one contact.
    pub fn three_velocities(&self, i: usize, r: &[f64]) -> [f64; 3] {
        let products = if self.coupling.sparse {
            self.coupling.three(i, r)
        } else {
            dots([self.row(i), self.row(i + 1), self.row(i + 2)], r)
        };
        std::array::from_fn(|k| self.vector[i + k] + products[k])
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.matrix[i * self.n..(i + 1) * self.n]
    }

    /// A row of `W'` with its zeros; `space` is used if `W'` is sparse.
    pub fn full_row<'a>(&'a self, i: usize, space: &'a mut [f64]) -> &'a [f64] {
        if self.coupling.sparse {
            self.coupling.write_row(i, space);
            space
        } else {
            self.row(i)
        }
    }

    /// An entry of `W'`.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        if self.coupling.sparse {
            self.coupling.entry(i, j)
        } else {
            self.matrix[i * self.n + j]
        }
    }

    /// (3).
    pub fn velocities(&self, r: &[f64], u: &mut [f64]) {
        self.product(r, u);
        for (i, u) in u.iter_mut().enumerate() {
            *u = self.vector[i] + *u + self.prox * self.stiffness[i] * (r[i] - self.reference[i]);
        }
    }

    /// `W' x`.
    pub fn product(&self, x: &[f64], y: &mut [f64]) {
        if self.coupling.sparse {
            self.coupling.products(x, y);
            return;
        }
        let (threes, rest) = y.as_chunks_mut::<3>();
        for (k, y) in threes.iter_mut().enumerate() {
            *y = dots([0, 1, 2].map(|row| self.row(3 * k + row)), x);
        }
        let done = self.n - rest.len();
        for (k, y) in rest.iter_mut().enumerate() {
            *y = dots([self.row(done + k)], x)[0];
        }
    }

    /// (1): from physical to dimensionless impulses.
    pub fn scale_impulses(&self, outer: &[f64], inner: &mut [f64]) {
        for ((x, y), s) in outer.iter().zip(inner).zip(&self.scale) {
            *y = x / (s * self.size);
        }
    }

    /// (1): the inverse.
    pub fn unscale_impulses(&self, inner: &[f64], outer: &mut [f64]) {
        for ((x, y), s) in inner.iter().zip(outer).zip(&self.scale) {
            *y = x * s * self.size;
        }
    }

    /// Clamps normal impulses to zero and friction impulses to their bounds.
    pub fn clamp_to_cones(&self, r: &mut [f64]) {
        for contact in &self.contacts {
            if r[contact.normal] <= 0.0 {
                r[contact.normal] = 0.0;
            }
            for block in contact.blocks() {
                let reach = block.friction * r[contact.normal];
                let own = &mut r[block.first..block.first + block.rows];
                let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
                if length > reach {
                    own.iter_mut().for_each(|x| *x *= reach / length);
                }
            }
        }
    }
}

/// The diagonal, or 1 if it is zero up to rounding.
fn nonzero_or_one(diagonal: f64) -> f64 {
    if diagonal > 1e-3 { diagonal } else { 1.0 }
}

/// (2).
fn scale_of(problem: &Problem, first: usize, rows: usize) -> f64 {
    let n = problem.n;
    let diagonal = (first..first + rows).fold(0.0, |m, i| larger(m, problem.matrix[i * n + i]));
    if diagonal > 0.0 {
        power_of_two(1.0 / diagonal.sqrt())
    } else {
        1.0
    }
}

/// Scalar products with eight partial sums each, for vectorization.
#[inline]
fn dots<const R: usize>(rows: [&[f64]; R], x: &[f64]) -> [f64; R] {
    let rows = rows.map(|row| row[..x.len()].as_chunks::<8>());
    let (x, x_rest) = x.as_chunks::<8>();
    let mut sums = [[0.0; 8]; R];
    for (k, x) in x.iter().enumerate() {
        for (sums, (a, _)) in sums.iter_mut().zip(&rows) {
            for lane in 0..8 {
                sums[lane] += a[k][lane] * x[lane];
            }
        }
    }
    let mut rests = [0.0; R];
    for (k, x) in x_rest.iter().enumerate() {
        for (rest, (_, a)) in rests.iter_mut().zip(&rows) {
            *rest += a[k] * x;
        }
    }
    std::array::from_fn(|row| total(&sums[row]) + rests[row])
}

/// A separate function, because inlined the compiler would shuffle all numbers for this order of summation.
#[inline(never)]
fn total(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
}
