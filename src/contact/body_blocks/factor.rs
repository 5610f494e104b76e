//! Sparse block LU factorization of systems with one 6x6 block per body.
//!
//! ```text
//! (1)  K = sum of blocks over pairs of connected bodies; structurally symmetric, not numerically
//! (2)  K = L U,   U with unit diagonal blocks, L with diagonal blocks D;   K_ij <- K_ij - L_ip U_pj
//! ```
//!
//! Bodies are eliminated in minimum degree order (`elimination_order`). Pivoting is restricted to the diagonal blocks.

use super::DOFS;
use crate::contact::elimination_order::Pattern;

/// A 6x6 block.
pub(super) type Mat6 = [[f64; DOFS]; DOFS];

/// Velocities or impulses of one body.
pub(super) type Vec6 = [f64; DOFS];

const EMPTY: Mat6 = [[0.0; DOFS]; DOFS];

/// The values of (1), then those of (2).
#[derive(Debug, Default)]
pub(super) struct Factor {
    diagonal: Vec<Mat6>,
    interchanged: Vec<[u8; DOFS]>,
    lower: Vec<Mat6>,
    upper: Vec<Mat6>,
    solution: Vec<Vec6>,
}

impl Factor {
    /// `K = 1`.
    pub fn clear(&mut self, pattern: &Pattern) {
        let mut unit = EMPTY;
        for k in 0..DOFS {
            unit[k][k] = 1.0;
        }
        self.diagonal.clear();
        self.diagonal.resize(pattern.bodies, unit);
        self.interchanged.clear();
        self.interchanged.resize(pattern.bodies, [0; DOFS]);
        for blocks in [&mut self.lower, &mut self.upper] {
            blocks.clear();
            blocks.resize(pattern.below.len(), EMPTY);
        }
        self.solution.clear();
        self.solution.resize(pattern.bodies, [0.0; DOFS]);
    }

    /// The diagonal block of a body.
    pub fn own(&mut self, pattern: &Pattern, body: u32) -> &mut Mat6 {
        &mut self.diagonal[pattern.place[body as usize] as usize]
    }

    /// The blocks (first, second) and (second, first) of a pair of bodies.
    pub fn shared(&mut self, pattern: &Pattern, pair: usize) -> (&mut Mat6, &mut Mat6) {
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
        for p in 0..pattern.bodies {
            if !decompose(&mut self.diagonal[p], &mut self.interchanged[p]) {
                return false;
            }
            let range = pattern.range(p);
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
    pub fn solve(&mut self, pattern: &Pattern, x: &mut [Vec6]) {
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
fn decompose(a: &mut Mat6, interchanged: &mut [u8; DOFS]) -> bool {
    for k in 0..DOFS {
        let mut best = k;
        for i in k + 1..DOFS {
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
        for i in k + 1..DOFS {
            let factor = a[i][k] / pivot;
            a[i][k] = factor;
            for j in k + 1..DOFS {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// `x <- D^-1 x`, row by row.
fn solve_block(d: &Mat6, interchanged: &[u8; DOFS], x: &mut Mat6) {
    for k in 0..DOFS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..DOFS {
        for k in 0..i {
            let above = x[k];
            for j in 0..DOFS {
                x[i][j] -= d[i][k] * above[j];
            }
        }
    }
    for i in (0..DOFS).rev() {
        for k in i + 1..DOFS {
            let under = x[k];
            for j in 0..DOFS {
                x[i][j] -= d[i][k] * under[j];
            }
        }
        let inverse = 1.0 / d[i][i];
        for j in 0..DOFS {
            x[i][j] *= inverse;
        }
    }
}

fn solve_vector(d: &Mat6, interchanged: &[u8; DOFS], b: &Vec6) -> Vec6 {
    let mut x = *b;
    for k in 0..DOFS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..DOFS {
        for k in 0..i {
            x[i] -= d[i][k] * x[k];
        }
    }
    for i in (0..DOFS).rev() {
        for k in i + 1..DOFS {
            x[i] -= d[i][k] * x[k];
        }
        x[i] /= d[i][i];
    }
    x
}

/// `c <- c - a b`.
fn subtract_product(c: &mut Mat6, a: &Mat6, b: &Mat6) {
    for i in 0..DOFS {
        let mut row = c[i];
        for k in 0..DOFS {
            for j in 0..DOFS {
                row[j] -= a[i][k] * b[k][j];
            }
        }
        c[i] = row;
    }
}

/// `y <- y - a x`.
fn subtract_applied(y: &mut Vec6, a: &Mat6, x: &Vec6) {
    for i in 0..DOFS {
        let mut sum = y[i];
        for k in 0..DOFS {
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
            let mut factor = Factor::default();
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
