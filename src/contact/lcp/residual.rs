//! Residual check of every candidate, independent of the code of the solvers.
//!
//! For `w = A z + b` it evaluates, in dimensionless coordinates,
//!
//! ```text
//! (1)  residual = max_i | min(z'_i, w'_i) | / max(|b'|, |z'|)        maximum norms
//! (2)  w'_i = r_i w_i,  b'_i = r_i b_i,  z'_i = z_i / c_i
//! (3)  r_i = c_i = 1 / sqrt(A_ii)                                    where A_ii > 0
//! (4)  r_i = 1 / max_j |A_ij| c_j,   c_i = 1 / max_j r_j |A_ji|      else, over the j of (3)
//! ```
//!
//! (3) scales the matrix of a contact problem to unit diagonal, which gives heavy and light bodies the same weight; (4)
//! does the same for the slip speeds, whose diagonal is zero. (1) does not depend on the units of mass, length and time.
//! The denominator contains `z'` because the rounding error of `A z` is of the order of the machine epsilon times `|z'|`.

use super::Problem;
use crate::math::larger;

/// Diagonal entries below this fraction of the largest one are rounding errors of zero (64 machine epsilons).
const DIAGONAL_NOISE: f64 = 64.0 * f64::EPSILON;

/// Residual of `z`: 0 is exact, infinity stands for anything that is not finite.
#[must_use]
pub fn residual(problem: &Problem, z: &[f64]) -> f64 {
    let n = problem.n;
    if problem.matrix.len() != n * n || problem.vector.len() != n || z.len() != n {
        return f64::INFINITY;
    }
    let noise = DIAGONAL_NOISE * (0..n).fold(0.0, |m, i| larger(m, problem.matrix[i * n + i]));
    let (mut worst, mut size) = (0.0, 0.0);
    for i in 0..n {
        let row = &problem.matrix[i * n..(i + 1) * n];
        let w = problem.vector[i] + dot(row, z);
        let (r, c) = unit_scales(problem, i, noise);
        let (w_unit, z_unit) = (w * r, z[i] / c);
        // anything in row i that is not finite makes w_i so, and the comparisons below would miss it
        if !w_unit.is_finite() || !z_unit.is_finite() {
            return f64::INFINITY;
        }
        let violation = if w_unit < z_unit { w_unit } else { z_unit };
        worst = larger(worst, violation.abs());
        size = larger(size, (problem.vector[i] * r).abs());
        size = larger(size, z_unit.abs());
    }
    if worst == 0.0 { 0.0 } else { worst / size }
}

/// With four partial sums, for vectorization.
fn dot(a: &[f64], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (a.as_chunks::<4>(), x.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, x) in a.iter().zip(x) {
        for lane in 0..4 {
            sums[lane] += a[lane] * x[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| a * x).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// (3) and (4): `(r_i, c_i)`.
fn unit_scales(problem: &Problem, i: usize, noise: f64) -> (f64, f64) {
    let n = problem.n;
    let entry = |row: usize, col: usize| problem.matrix[row * n + col];
    if entry(i, i) > noise {
        let scale = 1.0 / entry(i, i).sqrt();
        return (scale, scale);
    }
    let (mut row, mut col, mut row_plain, mut col_plain) = (0.0, 0.0, 0.0, 0.0);
    for j in 0..n {
        let (across, down) = (entry(i, j).abs(), entry(j, i).abs());
        if across + down == 0.0 {
            continue;
        }
        row_plain = larger(row_plain, across);
        col_plain = larger(col_plain, down);
        if entry(j, j) > noise {
            let scale = 1.0 / entry(j, j).sqrt();
            row = larger(row, across * scale);
            col = larger(col, down * scale);
        }
    }
    let inverse = |scaled: f64, plain: f64| match (scaled > 0.0, plain > 0.0) {
        (true, _) => 1.0 / scaled,
        (false, true) => 1.0 / plain,
        (false, false) => 1.0,
    };
    (inverse(row, row_plain), inverse(col, col_plain))
}
