//! The problem in coordinates without units, with an optional proximal term.
//!
//! ```text
//! (1)  u' = S u / |b'|,  r = S r' |b'|,  W' = S W S,  b' = S b,  mu'_b = mu_b s_n / s_b
//! (2)  s = 1 / sqrt(W_ii), the largest W_ii of a block for all of its rows, rounded to a power of two
//! (3)  u' = W' r' + b' + prox D (r' - reference),     D = 1 / rho: the stiffness of a row by itself
//! ```

use super::coupling::Coupling;
use super::{MOST_BLOCKS, Problem};
use crate::contact::lcp::all_finite;
use crate::contact::lcp::basis::grow;
use crate::contact::scaling::{larger, power_of_two};

/// Rows of a friction block.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct BlockRows {
    pub first: usize,
    pub rows: usize,
    /// `mu'`.
    pub friction: f64,
    /// Step of the projection: the inverse of the block's largest eigenvalue, or a bound of it.
    pub rho: f64,
}

/// Rows of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct ContactRows {
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

/// What a problem is.
pub(super) enum Loaded {
    Fine,
    /// `b` is zero, and so is the answer.
    Nothing,
    /// A number of the matrix is not finite.
    NotFinite,
}

/// (1) to (3).
#[derive(Debug, Default)]
pub(super) struct Scaled {
    pub n: usize,
    /// `W'`, row by row; empty if `coupling` has it without its zeros.
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
        // zeros that are left out are finite
        if !all_finite(&self.matrix) || !self.coupling.is_finite() {
            Loaded::NotFinite
        } else if size > 0.0 {
            Loaded::Fine
        } else {
            Loaded::Nothing
        }
    }

    fn set_steps(&mut self, matrix: &[f64]) {
        let (n, scale) = (self.n, &self.scale);
        let entry = |i: usize, j: usize| matrix[i * n + j] * scale[j] * scale[i];
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
            dots([self.row(i)], r)[0]
        };
        self.vector[i] + product
    }

    /// The same of a row and the two after it, of one contact.
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

    /// A row of `W'` with all of its zeros; `space` is for it if it is not there as it is.
    #[cfg_attr(small, optimize(size))]
    pub fn full_row<'a>(&'a self, i: usize, space: &'a mut [f64]) -> &'a [f64] {
        if self.coupling.sparse {
            self.coupling.write_row(i, space);
            space
        } else {
            self.row(i)
        }
    }

    /// A number of `W'`.
    #[cfg_attr(small, optimize(size))]
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

/// Eight sums side by side for each row, for speed.
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

/// By itself: next to the sums the compiler would put lanes together by the order of this, and shuffle all numbers.
#[inline(never)]
fn total(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
}
