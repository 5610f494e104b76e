//! Equilibration by positive diagonal matrices, which changes neither the solutions nor the complementary bases:
//!
//! ```text
//! (1)  w' = R w,  z = C z',  A' = R A C,  b' = R b
//! (2)  R_i = C_i = 1 / sqrt(A_ii)                               where A_ii > 0
//! (3)  R_i = 1 / max_j |A_ij| C_j,  C_i = 1 / max_j R_j |A_ji|  else
//! ```
//!
//! all rounded to powers of two, so that scaling causes no rounding errors.

use super::lcp::Problem;
use super::lcp::basis::grow;
use crate::math::larger;

/// A diagonal entry below this fraction of the largest one is a rounding error of zero.
const NOISE: f64 = 1e-14;

/// `R` and `C` of (1).
#[derive(Debug, Default)]
pub(super) struct Scaling {
    pub row: Vec<f64>,
    pub col: Vec<f64>,
    /// The indices of (3).
    without: Vec<usize>,
}

impl Scaling {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.row, n);
        grow(&mut self.col, n);
        grow(&mut self.without, n);
    }

    /// Maximum norm of `R vector`.
    pub fn size(&self, vector: &[f64]) -> f64 {
        vector
            .iter()
            .zip(&self.row)
            .fold(0.0, |m, (b, r)| larger(m, (b * r).abs()))
    }

    /// (2), (3).
    pub fn set(&mut self, problem: &Problem) {
        let (n, a) = (problem.n, problem.matrix);
        self.row.clear();
        self.col.clear();
        self.without.clear();
        let largest = (0..n).fold(0.0, |m, i| larger(m, a[i * n + i]));
        for i in 0..n {
            let d = a[i * n + i];
            // zero marks what (3) has to set, and is neutral in its maxima
            let s = if d > NOISE * largest {
                power_of_two(1.0 / d.sqrt())
            } else {
                self.without.push(i);
                0.0
            };
            self.row.push(s);
            self.col.push(s);
        }
        for &i in &self.without {
            let row = &a[i * n..(i + 1) * n];
            let scaled = largest_product(row, &self.col);
            self.row[i] = inverse(if scaled > 0.0 {
                scaled
            } else {
                row.iter().fold(0.0, |m, x| larger(m, x.abs()))
            });
        }
        for (row, r) in a.chunks_exact(n.max(1)).zip(&self.row) {
            for &i in &self.without {
                self.col[i] = larger(self.col[i], row[i].abs() * r);
            }
        }
        for &i in &self.without {
            self.col[i] = inverse(self.col[i]);
        }
    }
}

/// The largest `|a_i| c_i`; eight partial maxima, for vectorization.
fn largest_product(a: &[f64], c: &[f64]) -> f64 {
    let ((a, a_rest), (c, c_rest)) = (a.as_chunks::<8>(), c.as_chunks::<8>());
    let mut maxima = [0.0; 8];
    for (a, c) in a.iter().zip(c) {
        for lane in 0..8 {
            maxima[lane] = larger(maxima[lane], a[lane].abs() * c[lane]);
        }
    }
    let rest = a_rest.iter().zip(c_rest).map(|(a, c)| a.abs() * c);
    maxima.into_iter().chain(rest).fold(0.0, larger)
}

/// `1 / size`, or 1 for an empty row.
fn inverse(size: f64) -> f64 {
    if size > 0.0 {
        power_of_two(1.0 / size)
    } else {
        1.0
    }
}

/// The largest power of two not above `x > 0`, bounded against overflow.
pub(super) fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    f64::from_bits(x.clamp(1e-150, 1e150).to_bits() & EXPONENT)
}
