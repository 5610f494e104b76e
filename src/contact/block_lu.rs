//! Sparse block LU factorization of systems with one block per body: 6x6 in space, 3x3 in the plane.
//!
//! ```text
//! (1)  K = sum of blocks over pairs of connected bodies; structurally symmetric, not numerically
//! (2)  K = L U,   U with unit diagonal blocks, L with diagonal blocks D;   K_ij <- K_ij - L_ip U_pj
//! ```
//!
//! Bodies are eliminated in minimum degree order (`elimination_order`). Pivoting is restricted to the diagonal blocks.

use super::elimination_order::Pattern;

/// A block of two bodies in space.
pub(super) type Mat6 = [[f64; 6]; 6];

/// Velocities or impulses of one body in space.
pub(super) type Vec6 = [f64; 6];

/// Relative to the diagonal of the matrix, smaller pivots are rounding.
const NO_PIVOT: f64 = 1e-14;

/// The values of (1), then those of (2).
#[derive(Debug, Default)]
pub(crate) struct Factor<const N: usize> {
    diagonal: Vec<[[f64; N]; N]>,
    interchanged: Vec<[u8; N]>,
    lower: Vec<[[f64; N]; N]>,
    upper: Vec<[[f64; N]; N]>,
    solution: Vec<[f64; N]>,
    /// Multiplications since it was reset, about.
    pub operations: u64,
}

impl<const N: usize> Factor<N> {
    /// Reserves space for `n` bodies with `pairs` blocks off the diagonal.
    pub fn reserve(&mut self, n: usize, pairs: usize) {
        self.diagonal.reserve(n);
        self.interchanged.reserve(n);
        self.lower.reserve(pairs);
        self.upper.reserve(pairs);
        self.solution.reserve(n);
    }

    /// `K = 1`.
    pub fn clear(&mut self, pattern: &Pattern) {
        let mut unit = [[0.0; N]; N];
        for k in 0..N {
            unit[k][k] = 1.0;
        }
        self.diagonal.clear();
        self.diagonal.resize(pattern.bodies, unit);
        self.interchanged.clear();
        self.interchanged.resize(pattern.bodies, [0; N]);
        for blocks in [&mut self.lower, &mut self.upper] {
            blocks.clear();
            blocks.resize(pattern.below.len(), [[0.0; N]; N]);
        }
        self.solution.clear();
        self.solution.resize(pattern.bodies, [0.0; N]);
    }

    /// The diagonal block of a body.
    pub fn own(&mut self, pattern: &Pattern, body: u32) -> &mut [[f64; N]; N] {
        &mut self.diagonal[pattern.place[body as usize] as usize]
    }

    /// The blocks (first, second) and (second, first) of a pair of bodies.
    pub fn shared(
        &mut self,
        pattern: &Pattern,
        pair: usize,
    ) -> (&mut [[f64; N]; N], &mut [[f64; N]; N]) {
        let [a, b] = pattern.pairs[pair];
        let at = pattern.entry[pair] as usize;
        if pattern.place[a as usize] < pattern.place[b as usize] {
            (&mut self.upper[at], &mut self.lower[at])
        } else {
            (&mut self.lower[at], &mut self.upper[at])
        }
    }

    /// Numeric factorization (2). Returns `false` if a diagonal block is singular.
    pub fn factorise(&mut self, pattern: &Pattern) -> bool {
        self.eliminate(pattern, |block, interchanged, _| {
            decompose(block, interchanged)
        })
    }

    /// Replaces the matrix by its symmetric part.
    pub fn symmetrise(&mut self) {
        for block in &mut self.diagonal {
            for i in 0..N {
                for j in 0..i {
                    let mean = 0.5 * (block[i][j] + block[j][i]);
                    (block[i][j], block[j][i]) = (mean, mean);
                }
            }
        }
        for (upper, lower) in self.upper.iter_mut().zip(&mut self.lower) {
            for i in 0..N {
                for j in 0..N {
                    let mean = 0.5 * (upper[i][j] + lower[j][i]);
                    (upper[i][j], lower[j][i]) = (mean, mean);
                }
            }
        }
    }

    /// Is a symmetric matrix positive definite? Overwrites it.
    pub fn is_positive_definite(&mut self, pattern: &Pattern) -> bool {
        self.eliminate(pattern, |block, interchanged, least| {
            decompose_symmetric(block, interchanged, |k, pivot| {
                (pivot > least[k]).then_some(pivot)
            })
        })
    }

    /// Number of positive eigenvalues of a symmetric matrix (Sylvester's law), which it overwrites.
    pub fn positive_eigenvalues(&mut self, pattern: &Pattern) -> usize {
        let mut count = 0;
        self.eliminate(pattern, |block, interchanged, least| {
            decompose_symmetric(block, interchanged, |k, pivot| {
                count += usize::from(pivot > 0.0);
                // a pivot that is zero up to rounding belongs to the small negative ones
                let is_zero = pivot.is_nan() || pivot.abs() <= least[k];
                Some(if is_zero { -least[k] } else { pivot })
            })
        });
        count
    }

    // (2) with the given factorization of a diagonal block, which gets the smallest pivots of that block
    fn eliminate(
        &mut self,
        pattern: &Pattern,
        mut decompose: impl FnMut(&mut [[f64; N]; N], &mut [u8; N], &[f64; N]) -> bool,
    ) -> bool {
        for (least, block) in self.solution.iter_mut().zip(&self.diagonal) {
            for k in 0..N {
                least[k] = NO_PIVOT * block[k][k].abs();
            }
        }
        for p in 0..pattern.bodies {
            let (diagonal, interchanged) = (&mut self.diagonal[p], &mut self.interchanged[p]);
            if !decompose(diagonal, interchanged, &self.solution[p]) {
                return false;
            }
            let range = pattern.range(p);
            let neighbours = range.len() as u64;
            self.operations += (N * N * N) as u64 * (1 + neighbours + neighbours * neighbours);
            for t in range.clone() {
                solve_block(&self.diagonal[p], &self.interchanged[p], &mut self.upper[t]);
            }
            // Schur complement update: the entries of p are among those of each of its later neighbours
            for t in range.clone() {
                let j = pattern.below[t] as usize;
                subtract_product(&mut self.diagonal[j], &self.lower[t], &self.upper[t]);
                let mut target = pattern.begin[j] as usize;
                for s in t + 1..range.end {
                    let i = pattern.below[s];
                    while pattern.below[target] != i {
                        target += 1;
                    }
                    let (head, tail) = self.lower.split_at_mut(target);
                    subtract_product(&mut tail[0], &head[s], &self.upper[t]);
                    let (head, tail) = self.upper.split_at_mut(target);
                    subtract_product(&mut tail[0], &self.lower[t], &head[s]);
                }
            }
        }
        true
    }

    /// Solves `K x = rhs` in place, in the order of the bodies.
    pub fn solve(&mut self, pattern: &Pattern, x: &mut [[f64; N]]) {
        self.operations += (N * N * (pattern.bodies + 2 * pattern.below.len())) as u64;
        let y = &mut self.solution;
        for (body, place) in pattern.place.iter().enumerate() {
            y[*place as usize] = x[body];
        }
        for p in 0..pattern.bodies {
            let own = solve_vector(&self.diagonal[p], &self.interchanged[p], &y[p]);
            y[p] = own;
            for t in pattern.range(p) {
                subtract_applied(&mut y[pattern.below[t] as usize], &self.lower[t], &own);
            }
        }
        for p in (0..pattern.bodies).rev() {
            let mut own = y[p];
            for t in pattern.range(p) {
                subtract_applied(&mut own, &self.upper[t], &y[pattern.below[t] as usize]);
            }
            y[p] = own;
        }
        for (body, place) in pattern.place.iter().enumerate() {
            x[body] = y[*place as usize];
        }
    }
}

/// LU factorization in place, with partial pivoting.
fn decompose<const N: usize>(a: &mut [[f64; N]; N], interchanged: &mut [u8; N]) -> bool {
    for k in 0..N {
        let mut best = k;
        for i in k + 1..N {
            if a[i][k].abs() > a[best][k].abs() {
                best = i;
            }
        }
        interchanged[k] = best as u8;
        a.swap(k, best);
        let pivot = a[k][k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        for i in k + 1..N {
            let factor = a[i][k] / pivot;
            a[i][k] = factor;
            for j in k + 1..N {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// LU factorization of a symmetric block in place, without pivoting. `accept` gets each pivot and gives the one to use, if any.
fn decompose_symmetric<const N: usize>(
    a: &mut [[f64; N]; N],
    interchanged: &mut [u8; N],
    mut accept: impl FnMut(usize, f64) -> Option<f64>,
) -> bool {
    for k in 0..N {
        interchanged[k] = k as u8;
        let Some(pivot) = accept(k, a[k][k]) else {
            return false;
        };
        a[k][k] = pivot;
        for i in k + 1..N {
            let factor = a[i][k] / pivot;
            a[i][k] = factor;
            for j in k + 1..N {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// `x <- D^-1 x`, row by row.
fn solve_block<const N: usize>(d: &[[f64; N]; N], interchanged: &[u8; N], x: &mut [[f64; N]; N]) {
    for k in 0..N {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..N {
        for k in 0..i {
            let above = x[k];
            for j in 0..N {
                x[i][j] -= d[i][k] * above[j];
            }
        }
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            let under = x[k];
            for j in 0..N {
                x[i][j] -= d[i][k] * under[j];
            }
        }
        let inverse = 1.0 / d[i][i];
        for j in 0..N {
            x[i][j] *= inverse;
        }
    }
}

fn solve_vector<const N: usize>(
    d: &[[f64; N]; N],
    interchanged: &[u8; N],
    b: &[f64; N],
) -> [f64; N] {
    let mut x = *b;
    for k in 0..N {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..N {
        for k in 0..i {
            x[i] -= d[i][k] * x[k];
        }
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            x[i] -= d[i][k] * x[k];
        }
        x[i] /= d[i][i];
    }
    x
}

/// `c <- c - a b`.
fn subtract_product<const N: usize>(c: &mut [[f64; N]; N], a: &[[f64; N]; N], b: &[[f64; N]; N]) {
    for i in 0..N {
        let mut row = c[i];
        for k in 0..N {
            for j in 0..N {
                row[j] -= a[i][k] * b[k][j];
            }
        }
        c[i] = row;
    }
}

/// `y <- y - a x`.
fn subtract_applied<const N: usize>(y: &mut [f64; N], a: &[[f64; N]; N], x: &[f64; N]) {
    for i in 0..N {
        let mut sum = y[i];
        for k in 0..N {
            sum -= a[i][k] * x[k];
        }
        y[i] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Xorshift (Marsaglia 2003), in [-1, 1].
    fn random(state: &mut u64) -> f64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    #[test]
    fn random_graphs_are_solved() {
        let mut state = 17;
        for n in [1, 2, 7, 40] {
            let pairs: Vec<[u32; 2]> = (0..3 * n)
                .map(|_| {
                    let mut pick = || ((random(&mut state) + 1.0) * 0.499_999 * n as f64) as u32;
                    [pick(), pick()]
                })
                .filter(|[a, b]| a != b)
                .collect();
            let mut pattern = Pattern::default();
            assert!(pattern.analyse(n, &pairs));
            assert!(!pattern.analyse(n, &pairs));
            let mut factor = Factor::<6>::default();
            factor.clear(&pattern);
            let mut dense = vec![0.0; 36 * n * n];
            let put = |dense: &mut Vec<f64>, a: u32, b: u32, cell: &Mat6| {
                for i in 0..6 {
                    for j in 0..6 {
                        dense[(6 * a as usize + i) * 6 * n + 6 * b as usize + j] += cell[i][j];
                    }
                }
            };
            let mut draw = || [[0.0; 6]; 6].map(|row| row.map(|_: f64| 0.05 * random(&mut state)));
            for (k, [a, b]) in pairs.iter().enumerate() {
                let (one, other) = (draw(), draw());
                put(&mut dense, *a, *b, &one);
                put(&mut dense, *b, *a, &other);
                let (upper, lower) = factor.shared(&pattern, k);
                for i in 0..6 {
                    for j in 0..6 {
                        upper[i][j] += one[i][j];
                        lower[i][j] += other[i][j];
                    }
                }
            }
            for k in 0..6 * n {
                dense[k * 6 * n + k] += 1.0;
            }
            let expected: Vec<Vec6> = (0..n).map(|_| draw()[0]).collect();
            let flat = expected.as_flattened();
            let mut x: Vec<Vec6> = (0..n)
                .map(|body| {
                    [0, 1, 2, 3, 4, 5].map(|k| {
                        let row = &dense[(6 * body + k) * 6 * n..][..6 * n];
                        row.iter().zip(flat).map(|(a, x)| a * x).sum()
                    })
                })
                .collect();
            assert!(factor.factorise(&pattern));
            factor.solve(&pattern, &mut x);
            for (x, e) in x.as_flattened().iter().zip(flat) {
                assert!((x - e).abs() < 1e-12, "{x} {e}");
            }
        }
    }
}
