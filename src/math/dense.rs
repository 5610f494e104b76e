//! Small dense factorizations on row-major slices that the caller owns; nothing allocates.

/// LU factors with partial pivoting in place of the `n` x `n` matrix `a`; false if it is singular.
pub fn lu_factor(n: usize, a: &mut [f64], pivots: &mut [usize]) -> bool {
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        pivots[k] = best;
        let pivot = a[best * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        if best != k {
            for j in 0..n {
                a.swap(k * n + j, best * n + j);
            }
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            a[i * n + k] = factor;
            if factor != 0.0 {
                let (upper, lower) = a.split_at_mut(i * n);
                let pivot_row = &upper[k * n + k + 1..k * n + n];
                for (x, p) in lower[k + 1..n].iter_mut().zip(pivot_row) {
                    *x -= factor * p;
                }
            }
        }
    }
    true
}

/// Solves `A x = b` in place of `b` with the factors of [`lu_factor`].
pub fn lu_solve(n: usize, a: &[f64], pivots: &[usize], b: &mut [f64]) {
    for k in 0..n {
        b.swap(k, pivots[k]);
    }
    for i in 1..n {
        let mut sum = b[i];
        for j in 0..i {
            sum -= a[i * n + j] * b[j];
        }
        b[i] = sum;
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for j in i + 1..n {
            sum -= a[i * n + j] * b[j];
        }
        b[i] = sum / a[i * n + i];
    }
}

/// Is the symmetric part of `a` positive definite? Cholesky in `scratch` (n x n).
pub fn is_positive_definite(n: usize, a: &[f64], scratch: &mut [f64]) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = 0.5 * (a[i * n + j] + a[j * n + i]);
            for k in 0..j {
                sum -= scratch[i * n + k] * scratch[j * n + k];
            }
            if i == j {
                // a pivot lost to rounding counts as not definite
                if sum.is_nan() || sum <= 1e-14 * a[i * n + i].abs() {
                    return false;
                }
                scratch[i * n + i] = sum.sqrt();
            } else {
                scratch[i * n + j] = sum / scratch[j * n + j];
            }
        }
    }
    true
}

/// LU with complete pivoting that drops what is linearly dependent: equations and unknowns whose pivot falls
/// below `tolerance` times the largest entry of the row-and-column scaled matrix. Dropped unknowns are zero.
#[derive(Clone, Debug, Default)]
pub struct RankRevealing {
    n: usize,
    rank: usize,
    a: Vec<f64>,
    row: Vec<usize>,
    column: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    work: Vec<f64>,
}

impl RankRevealing {
    /// Room for systems of up to `n` equations.
    pub fn with_capacity(n: usize) -> Self {
        Self {
            n: 0,
            rank: 0,
            a: Vec::with_capacity(n * n),
            row: Vec::with_capacity(n),
            column: Vec::with_capacity(n),
            row_scale: Vec::with_capacity(n),
            column_scale: Vec::with_capacity(n),
            work: Vec::with_capacity(n),
        }
    }

    /// Starts a system of `n` equations and returns its zeroed row-major matrix to fill.
    pub fn start(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        &mut self.a
    }

    /// Number of independent equations found by [`Self::factor`].
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The independent unknowns, in pivot order.
    pub fn independent(&self) -> &[usize] {
        &self.column[..self.rank]
    }

    /// Factors the matrix filled after [`Self::start`].
    pub fn factor(&mut self, tolerance: f64) {
        let n = self.n;
        self.row.clear();
        self.row.extend(0..n);
        self.column.clear();
        self.column.extend(0..n);
        self.equilibrate();
        self.rank = n;
        for k in 0..n {
            let (mut best, mut pi, mut pj) = (0.0, k, k);
            for i in k..n {
                for j in k..n {
                    let x = self.a[i * n + j].abs();
                    if x > best {
                        (best, pi, pj) = (x, i, j);
                    }
                }
            }
            if best.is_nan() || best <= tolerance {
                self.rank = k;
                return;
            }
            self.swap_rows(k, pi);
            self.swap_columns(k, pj);
            let pivot = self.a[k * n + k];
            for i in k + 1..n {
                let factor = self.a[i * n + k] / pivot;
                self.a[i * n + k] = factor;
                if factor != 0.0 {
                    for j in k + 1..n {
                        self.a[i * n + j] -= factor * self.a[k * n + j];
                    }
                }
            }
        }
    }

    /// Solves in place of `b`.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        let rank = self.rank;
        self.work.clear();
        self.work
            .extend(self.row.iter().map(|&i| b[i] * self.row_scale[i]));
        for i in 1..rank {
            let mut sum = self.work[i];
            for j in 0..i {
                sum -= self.a[i * n + j] * self.work[j];
            }
            self.work[i] = sum;
        }
        for i in (0..rank).rev() {
            let mut sum = self.work[i];
            for j in i + 1..rank {
                sum -= self.a[i * n + j] * self.work[j];
            }
            self.work[i] = sum / self.a[i * n + i];
        }
        b[..n].fill(0.0);
        for k in 0..rank {
            let j = self.column[k];
            b[j] = self.work[k] * self.column_scale[j];
        }
    }

    // symmetric-style scaling by the diagonal, so that units of the rows do not decide the rank
    fn equilibrate(&mut self) {
        let n = self.n;
        self.row_scale.clear();
        self.column_scale.clear();
        for i in 0..n {
            let d = self.a[i * n + i].abs();
            let scale = if d > 0.0 && d.is_finite() {
                1.0 / d.sqrt()
            } else {
                1.0
            };
            self.row_scale.push(scale);
            self.column_scale.push(scale);
        }
        for i in 0..n {
            for j in 0..n {
                self.a[i * n + j] *= self.row_scale[i] * self.column_scale[j];
            }
        }
    }

    fn swap_rows(&mut self, i: usize, k: usize) {
        if i != k {
            self.row.swap(i, k);
            for j in 0..self.n {
                self.a.swap(i * self.n + j, k * self.n + j);
            }
        }
    }

    fn swap_columns(&mut self, i: usize, k: usize) {
        if i != k {
            self.column.swap(i, k);
            for j in 0..self.n {
                self.a.swap(j * self.n + i, j * self.n + k);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lu_solves_a_system_that_needs_pivoting() {
        let mut a = [0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 0.0, 3.0];
        let mut pivots = [0; 3];
        assert!(lu_factor(3, &mut a, &mut pivots));
        let mut b = [7.0, 6.0, 11.0]; // x = (1, 2, 3)
        lu_solve(3, &a, &pivots, &mut b);
        for (x, expected) in b.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn a_dependent_equation_is_dropped_and_the_rest_is_solved() {
        let mut solver = RankRevealing::with_capacity(3);
        solver
            .start(3)
            .copy_from_slice(&[2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 4.0]);
        solver.factor(1e-11);
        assert_eq!(solver.rank(), 2);
        let mut b = [2.0, 2.0, 8.0];
        solver.solve(&mut b);
        assert!((b[0] + b[1] - 1.0).abs() < 1e-15 && b[2] == 2.0);
    }

    #[test]
    fn definiteness_is_that_of_the_symmetric_part() {
        let mut scratch = [0.0; 4];
        assert!(is_positive_definite(
            2,
            &[1.0, 5.0, -5.0, 1.0],
            &mut scratch
        ));
        assert!(!is_positive_definite(
            2,
            &[1.0, 3.0, 1.0, 1.0],
            &mut scratch
        ));
    }
}
