//! The problem in coordinates without units, with an optional proximal term.
//!
//! ```text
//! (1)  u' = S u / |b'|,  r = S r' |b'|,  W' = S W S,  b' = S b,  mu'_b = mu_b s_n / s_b
//! (2)  s = 1 / sqrt(W_ii), the largest W_ii of a block for all of its rows, rounded to a power of two
//! (3)  u' = W' r' + b' + prox D (r' - reference),     D = 1 / rho: the stiffness of a row by itself
//! ```

use super::coupling::Coupling;
use super::{MOST_BLOCKS, Problem};
use crate::lcp::basis::grow;
use crate::lcp::scaling::{larger, power_of_two};

/// Rows of a friction block.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::lcp) struct BlockRows {
    pub first: usize,
    pub rows: usize,
    /// `mu'`.
    pub friction: f64,
    /// Step of the projection: the inverse of the block's largest eigenvalue, or a bound of it.
    pub rho: f64,
}

/// Rows of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::lcp) struct ContactRows {
    pub normal: usize,
    pub rho: f64,
    pub count: usize,
    pub all_blocks: [BlockRows; MOST_BLOCKS],
}

impl ContactRows {
    #[inline]
    pub fn blocks(&self) -> &[BlockRows] {
        &self.all_blocks[..self.count]
    }
}

/// (1) to (3).
#[derive(Debug, Default)]
pub(super) struct Scaled {
    pub n: usize,
    /// `W'`, row by row.
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

    /// Loads a well formed problem, without a proximal term; `false`: `b` is zero, and so is the answer.
    pub fn set(&mut self, problem: &Problem) -> bool {
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
        self.matrix.clear();
        for (row, s) in problem.matrix.chunks_exact(n).zip(&self.scale) {
            let scaled = row.iter().zip(&self.scale).map(|(w, t)| w * t * s);
            self.matrix.extend(scaled);
        }
        self.reference.clear();
        self.reference.resize(n, 0.0);
        self.set_steps();
        self.coupling.set(n, &self.matrix, &self.contacts);
        size > 0.0
    }

    fn set_steps(&mut self) {
        let (n, matrix) = (self.n, &self.matrix);
        let entry = |i: usize, j: usize| matrix[i * n + j];
        self.stiffness.clear();
        for contact in &mut self.contacts {
            let normal = usable(entry(contact.normal, contact.normal));
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
                let largest = usable(largest);
                block.rho = 1.0 / largest;
                for _ in 0..block.rows {
                    self.stiffness.push(largest);
                }
            }
        }
    }

    /// Steps of the projection, `boost` times those of a contact by itself.
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
            dot(&self.matrix[i * self.n..(i + 1) * self.n], r)
        };
        self.vector[i] + product
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
        for (row, y) in self.matrix.chunks_exact(self.n).zip(y) {
            *y = dot(row, x);
        }
    }

    /// (1): from the caller's impulses, and back.
    pub fn enter(&self, outer: &[f64], inner: &mut [f64]) {
        for ((x, y), s) in outer.iter().zip(inner).zip(&self.scale) {
            *y = x / (s * self.size);
        }
    }

    /// (1).
    pub fn leave(&self, inner: &[f64], outer: &mut [f64]) {
        for ((x, y), s) in inner.iter().zip(outer).zip(&self.scale) {
            *y = x * s * self.size;
        }
    }

    /// The nearest allowed impulses, straight towards the axis of each contact.
    pub fn shorten(&self, r: &mut [f64]) {
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

/// A diagonal that can be divided by: 1 in place of nothing.
fn usable(diagonal: f64) -> f64 {
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

/// Eight sums side by side, for speed.
fn dot(a: &[f64], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (a.as_chunks::<8>(), x.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, x) in a.iter().zip(x) {
        for lane in 0..8 {
            sums[lane] += a[lane] * x[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| a * x).sum();
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])) + rest
}
