//! Small dense factorizations on row-major slices owned by the caller, without allocation.

use super::set_zeros;

/// LU factorization with partial pivoting in place of the `n` x `n` matrix `a`. Returns `false` if it is singular.
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
                // a pivot at the level of rounding counts as not definite
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

/// LU factorization with complete pivoting that drops linearly dependent equations and unknowns: those whose pivot is
/// below `tolerance` times the largest entry of the equilibrated matrix. Dropped unknowns are zero.
///
/// For a symmetric semidefinite matrix the largest entry is on the diagonal and stays there: only the diagonal is
/// searched, and only half of the matrix is computed.
#[derive(Clone, Debug, Default)]
pub struct RankRevealing {
    n: usize,
    rank: usize,
    a: Vec<f64>,
    row: Vec<usize>,
    column: Vec<usize>,
    scale: Vec<f64>,
    work: Vec<f64>,
    /// Scratch of [`Self::solve_nearest`]: equation of each unknown; matrix, pivots and coefficients.
    place: Vec<usize>,
    small: Vec<f64>,
    pivots: Vec<usize>,
    shift: Vec<f64>,
}

impl RankRevealing {
    /// Allocates space for systems of up to `n` equations.
    pub fn with_capacity(n: usize) -> Self {
        Self {
            n: 0,
            rank: 0,
            a: Vec::with_capacity(n * n),
            row: Vec::with_capacity(n),
            column: Vec::with_capacity(n),
            scale: Vec::with_capacity(n),
            work: Vec::with_capacity(n),
            place: Vec::with_capacity(n),
            small: Vec::with_capacity(n * n),
            pivots: Vec::with_capacity(n),
            shift: Vec::with_capacity(n),
        }
    }

    /// Starts a system of `n` equations and returns its zeroed row-major matrix to fill.
    #[inline]
    pub fn start(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        set_zeros(&mut self.a, n * n);
        &mut self.a
    }

    /// Number of independent equations found by [`Self::factor`].
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Last pivot of [`Self::factor`], of the matrix scaled to unit diagonal; its inverse estimates the condition number
    /// of the independent part.
    pub fn last_pivot(&self) -> f64 {
        match self.rank.checked_sub(1) {
            Some(last) => self.a[last * (self.n + 1)].abs(),
            None => 1.0,
        }
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
        let symmetric = self.equilibrate();
        let done = if symmetric {
            self.eliminate_symmetric(tolerance)
        } else {
            0
        };
        self.rank = self.eliminate(done, tolerance);
    }

    /// Pivots on the diagonal of a symmetric matrix while that is what complete pivoting would do. Returns the number of
    /// pivots.
    fn eliminate_symmetric(&mut self, tolerance: f64) -> usize {
        let n = self.n;
        for k in 0..n {
            let (mut pivot, mut place) = (tolerance, n);
            for i in k..n {
                let d = self.a[i * n + i];
                if d > pivot {
                    (pivot, place) = (d, i);
                }
            }
            if place == n {
                return k;
            }
            self.swap_rows(k, place);
            self.swap_columns(k, place);
            let mut semidefinite = true;
            let a = &mut self.a[..n * n];
            for i in k + 1..n {
                let (upper, row) = a.split_at_mut(i * n);
                let factor = row[k] / pivot;
                row[k] = factor;
                if factor != 0.0 {
                    for j in k + 1..i {
                        let x = row[j] - factor * upper[k * n + j];
                        row[j] = x;
                        upper[j * n + i] = x;
                    }
                    row[i] -= factor * upper[k * n + i];
                    // larger than the diagonal by more than rounding
                    semidefinite &= factor.abs() <= 1.0 + 1e-9;
                }
            }
            if !semidefinite {
                return k + 1;
            }
        }
        n
    }

    /// Complete pivoting after `done` pivots. Returns the rank.
    fn eliminate(&mut self, done: usize, tolerance: f64) -> usize {
        let n = self.n;
        let mut largest = Largest::default();
        for i in done..n {
            largest.look_at(&self.a[i * n + done..(i + 1) * n], i, done);
        }
        for k in done..n {
            if largest.size <= tolerance {
                return k;
            }
            self.swap_rows(k, largest.row);
            self.swap_columns(k, largest.column);
            // eliminate, and search the updated entries for the next pivot
            largest = Largest::default();
            let (upper, lower) = self.a.split_at_mut((k + 1) * n);
            let (pivot, pivot_row) = (upper[k * n + k], &upper[k * n + k + 1..]);
            for (i, row) in lower.chunks_exact_mut(n).enumerate() {
                let (done, tail) = row.split_at_mut(k + 1);
                let factor = done[k] / pivot;
                done[k] = factor;
                if factor != 0.0 {
                    for (x, p) in tail.iter_mut().zip(pivot_row) {
                        *x -= factor * p;
                    }
                }
                largest.look_at(tail, k + 1 + i, k + 1);
            }
        }
        n
    }

    /// Solves in place of `b`.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        let rank = self.rank;
        self.work.clear();
        self.work
            .extend(self.row.iter().map(|&i| b[i] * self.scale[i]));
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
            b[j] = self.work[k] * self.scale[j];
        }
    }

    /// Drops equations and unknowns whose pivot is below a larger tolerance than that of [`Self::factor`].
    pub fn drop_below(&mut self, tolerance: f64) {
        let pivot = |k: usize| self.a[k * self.n + k].abs();
        if let Some(rank) = (0..self.rank).find(|k| pivot(*k) <= tolerance) {
            self.rank = rank;
        }
    }

    /// Among all solutions the one whose weighted distance vector from `guess` is in the range of the matrix A, in place
    /// of `b`:
    ///
    /// D (x - guess) = A y,   A x = b
    ///
    /// with D the diagonal of `weights`; for symmetric matrices it is the closest one. With A = L U the range of A is
    /// that of L, so that (U D^-1 L) z = L^-1 b - U guess has as many unknowns as the rank of A, and is as well
    /// conditioned as its independent part. Returns `false` if there is none.
    pub fn solve_nearest(&mut self, b: &mut [f64], guess: &[f64], weights: &[f64]) -> bool {
        let (n, rank) = (self.n, self.rank);
        self.place.clear();
        self.place.resize(n, 0);
        for (k, &i) in self.row.iter().enumerate() {
            self.place[i] = k;
        }
        // L^-1 b - U guess
        self.work.clear();
        self.work
            .extend(self.row.iter().map(|&i| b[i] * self.scale[i]));
        for i in 0..rank {
            let row = &self.a[i * n..(i + 1) * n];
            let known: f64 = row[..i].iter().zip(&self.work).map(|(l, w)| l * w).sum();
            self.work[i] -= known;
        }
        for (i, row) in self.a.chunks_exact(n.max(1)).take(rank).enumerate() {
            let from_guess = row[i..].iter().zip(&self.column[i..]);
            self.work[i] -= from_guess
                .map(|(u, &j)| u * guess[j] / self.scale[j])
                .sum::<f64>();
        }
        // U D^-1 L, all in scaled unknowns
        set_zeros(&mut self.small, rank * rank);
        for (k, &j) in self.column.iter().enumerate() {
            let size = 1.0 / (weights[j] * self.scale[j] * self.scale[j]);
            let at = self.place[j];
            for i in 0..rank.min(k + 1) {
                let u = self.a[i * n + k] * size;
                for m in 0..rank.min(at) {
                    self.small[i * rank + m] += u * self.a[at * n + m];
                }
                if at < rank {
                    self.small[i * rank + at] += u;
                }
            }
        }
        self.pivots.resize(rank.max(self.pivots.len()), 0);
        if !lu_factor(rank, &mut self.small, &mut self.pivots[..rank]) {
            return false;
        }
        self.shift.clear();
        self.shift.extend_from_slice(&self.work[..rank]);
        lu_solve(rank, &self.small, &self.pivots[..rank], &mut self.shift);
        for (j, b) in b[..n].iter_mut().enumerate() {
            let at = self.place[j];
            let lower = &self.a[at * n..at * n + rank.min(at)];
            let mut way: f64 = lower.iter().zip(&self.shift).map(|(l, z)| l * z).sum();
            if at < rank {
                way += self.shift[at];
            }
            *b = guess[j] + way / (weights[j] * self.scale[j]);
        }
        true
    }

    // symmetric scaling by the diagonal, so that the rank does not depend on units; returns whether the matrix is
    // symmetric
    fn equilibrate(&mut self) -> bool {
        let n = self.n;
        self.scale.clear();
        self.scale.resize(n, 1.0);
        let (a, scales) = (&mut self.a[..n * n], &mut self.scale[..n]);
        let mut symmetric = true;
        for i in 0..n {
            let (upper, row) = a.split_at_mut(i * n);
            let d = row[i].abs();
            if d > 0.0 && d.is_finite() {
                scales[i] = 1.0 / d.sqrt();
            }
            row[i] *= scales[i] * scales[i];
            for j in 0..i {
                let product = scales[i] * scales[j];
                let above = &mut upper[j * n + i];
                symmetric &= row[j] == *above;
                row[j] *= product;
                *above *= product;
            }
        }
        symmetric
    }

    /// `i <= k`.
    fn swap_rows(&mut self, i: usize, k: usize) {
        if i != k {
            self.row.swap(i, k);
            let (upper, lower) = self.a.split_at_mut(k * self.n);
            let upper = &mut upper[i * self.n..(i + 1) * self.n];
            for (x, y) in upper.iter_mut().zip(lower) {
                std::mem::swap(x, y);
            }
        }
    }

    fn swap_columns(&mut self, i: usize, k: usize) {
        if i != k {
            self.column.swap(i, k);
            for row in self.a.chunks_exact_mut(self.n) {
                row.swap(i, k);
            }
        }
    }
}

/// The largest entry so far and its location; the first of equal ones.
#[derive(Clone, Copy, Debug, Default)]
struct Largest {
    size: f64,
    row: usize,
    column: usize,
}

impl Largest {
    /// Includes the entries of `row` from `column` on.
    #[inline(always)]
    fn look_at(&mut self, entries: &[f64], row: usize, column: usize) {
        for (j, x) in entries.iter().enumerate() {
            if x.abs() > self.size {
                *self = Self {
                    size: x.abs(),
                    row,
                    column: column + j,
                };
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
    fn of_many_solutions_the_nearest_is_found_to_rounding() {
        // four supports of a plate: their forces are a linear function of the position, plus the guess
        let places = [
            [0.3, 0.2],
            [-0.3, 0.2],
            [-0.3, -0.25],
            [0.35, -0.2],
            [0.0, 0.1],
        ];
        let row = |i: usize, j: usize| {
            let ([x, y], [u, v]) = (places[i], places[j]);
            // an eccentricity makes it unsymmetric
            1.0 + 8.0 * x * (u + 0.03) + 12.0 * y * (v - 0.02)
        };
        let guess = [0.1, -0.4, 0.2, 0.7, 0.3];
        let weights = [1.0, 2.0, 1.0, 3.0, 0.5];
        let sought = [0.2, 0.5, 0.1, 0.4, 0.6];
        let product = |c: &[f64], i: usize| (0..5).map(|j| row(i, j) * c[j]).sum::<f64>();
        let mut solver = RankRevealing::with_capacity(5);
        let matrix = solver.start(5);
        (0..25).for_each(|e| matrix[e] = row(e / 5, e % 5));
        solver.factor(1e-11);
        assert_eq!(solver.rank(), 3);
        let mut c: [f64; 5] = std::array::from_fn(|i| product(&sought, i));
        let load = c;
        assert!(solver.solve_nearest(&mut c, &guess, &weights));
        for (i, load) in load.iter().enumerate() {
            assert!((product(&c, i) - load).abs() < 1e-15);
        }
        // the plane through three of them contains the others
        let height = |i: usize| weights[i] * (c[i] - guess[i]);
        let [[x0, y0], [x1, y1], [x2, y2]] = [places[0], places[1], places[2]];
        let (a, b) = (height(1) - height(0), height(2) - height(0));
        let det = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
        let along_x = (a * (y2 - y0) - b * (y1 - y0)) / det;
        let along_y = (b * (x1 - x0) - a * (x2 - x0)) / det;
        for (i, [x, y]) in places.iter().enumerate() {
            let plane = height(0) + along_x * (x - x0) + along_y * (y - y0);
            assert!((height(i) - plane).abs() < 1e-14, "{i}");
        }
    }

    #[test]
    fn symmetric_matrices_of_any_rank_and_sign_are_factored() {
        // eight vectors in three dimensions, an indefinite matrix, one without a diagonal, a definite one
        let vector = |i: usize| [1.0, (i * i % 7) as f64, (3 * i % 5) as f64 - 2.0];
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let gram = (0..64).map(|e| dot(vector(e / 8), vector(e % 8))).collect();
        let cases: [(usize, Vec<f64>); 4] = [
            (3, gram),
            (3, vec![1.0, 0.9, -0.9, 0.9, 1.0, 0.9, -0.9, 0.9, 1.0]),
            (2, vec![0.0, 1.0, 1.0, 0.0]),
            (3, vec![4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 9.0]),
        ];
        for (rank, matrix) in cases {
            let n = matrix.len().isqrt();
            let product = |x: &[f64]| -> Vec<f64> {
                let rows = matrix.chunks(n);
                rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
                    .collect()
            };
            let mut solver = RankRevealing::with_capacity(n);
            solver.start(n).copy_from_slice(&matrix);
            solver.factor(1e-11);
            assert_eq!(solver.rank(), rank);
            // a right-hand side in the range
            let rhs = product(&[1.0, -2.0, 3.0, 1.0, 0.0, 2.0, -1.0, 4.0][..n]);
            let mut x = rhs.clone();
            solver.solve(&mut x);
            for (a, b) in product(&x).iter().zip(&rhs) {
                assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
            }
        }
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
