//! Equilibration by positive diagonal matrices, which changes neither the solutions nor the complementary bases:
//!
//! ```text
//! (1)  w' = R w,  z = C z',  A' = R A C,  b' = R b
//! (2)  R_i = C_i = 1 / sqrt(A_ii)                               where A_ii > 0
//! (3)  R_i = 1 / max_j |A_ij| C_j,  C_i = 1 / max_j R_j |A_ji|  else
//! ```
//!
//! all rounded to powers of two, so that scaling makes no rounding error.

use super::Problem;
use super::basis::grow;

/// A diagonal entry below this fraction of the largest is a rounding error of a zero.
const NOISE: f64 = 1e-14;

/// `R` and `C` of (1).
#[derive(Debug, Default)]
pub(super) struct Scaling {
    pub row: Vec<f64>,
    pub col: Vec<f64>,
}

impl Scaling {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.row, n);
        grow(&mut self.col, n);
    }

    /// (2), (3).
    pub fn set(&mut self, problem: &Problem) {
        let (n, a) = (problem.n, problem.matrix);
        self.row.clear();
        self.col.clear();
        let largest = (0..n).fold(0.0_f64, |m, i| m.max(a[i * n + i]));
        for i in 0..n {
            let d = a[i * n + i];
            // zero marks what (3) has to fill in, and is neutral in its maxima
            let s = if d > NOISE * largest {
                power_of_two(1.0 / d.sqrt())
            } else {
                0.0
            };
            self.row.push(s);
            self.col.push(s);
        }
        for i in 0..n {
            if self.row[i] == 0.0 {
                let row = &a[i * n..(i + 1) * n];
                let scaled = row
                    .iter()
                    .zip(&self.col)
                    .fold(0.0_f64, |m, (x, c)| larger(m, x.abs() * c));
                let plain = row.iter().fold(0.0_f64, |m, x| larger(m, x.abs()));
                self.row[i] = inverse(if scaled > 0.0 { scaled } else { plain });
            }
        }
        for i in 0..n {
            if self.col[i] == 0.0 {
                self.col[i] = inverse(
                    (0..n).fold(0.0_f64, |m, j| larger(m, a[j * n + i].abs() * self.row[j])),
                );
            }
        }
    }
}

/// The maximum of numbers that are not NaN, without the library's look for NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// `1 / size`, or 1 for an empty row.
fn inverse(size: f64) -> f64 {
    if size > 0.0 {
        power_of_two(1.0 / size)
    } else {
        1.0
    }
}

/// The power of two below `x > 0`, kept away from overflow.
fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    f64::from_bits(x.clamp(1e-150, 1e150).to_bits() & EXPONENT)
}
