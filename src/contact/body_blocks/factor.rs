//! Linear systems of the bodies: sparse, in blocks of one body, elimination in an order that keeps them sparse.
//!
//! ```text
//! (1)  K = sum of blocks over pairs of bodies that touch; its pattern is symmetric, its numbers need not be
//! (2)  K = L U,   U with unit diagonal blocks, L with diagonal blocks D;   K_ij <- K_ij - L_ip U_pj
//! ```
//!
//! The order of elimination is that of `order`. Rows are interchanged within a diagonal block only.

use super::FREEDOMS;
use crate::contact::elimination_order::Pattern;

/// A block of one body by one body.
pub(super) type Cell = [[f64; FREEDOMS]; FREEDOMS];

/// Velocities or impulses of one body.
pub(super) type Six = [f64; FREEDOMS];

const EMPTY: Cell = [[0.0; FREEDOMS]; FREEDOMS];

/// The numbers of (1), then those of (2).
#[derive(Debug, Default)]
pub(super) struct Factor {
    diagonal: Vec<Cell>,
    interchanged: Vec<[u8; FREEDOMS]>,
    lower: Vec<Cell>,
    upper: Vec<Cell>,
    solution: Vec<Six>,
}

impl Factor {
    /// `K = 1`.
    pub fn clear(&mut self, pattern: &Pattern) {
        let mut unit = EMPTY;
        for k in 0..FREEDOMS {
            unit[k][k] = 1.0;
        }
        self.diagonal.clear();
        self.diagonal.resize(pattern.bodies, unit);
        self.interchanged.clear();
        self.interchanged.resize(pattern.bodies, [0; FREEDOMS]);
        for blocks in [&mut self.lower, &mut self.upper] {
            blocks.clear();
            blocks.resize(pattern.below.len(), EMPTY);
        }
        self.solution.clear();
        self.solution.resize(pattern.bodies, [0.0; FREEDOMS]);
    }

    /// The block of a body, to be added to.
    pub fn own(&mut self, pattern: &Pattern, body: u32) -> &mut Cell {
        &mut self.diagonal[pattern.place[body as usize] as usize]
    }

    /// The blocks (first, second) and (second, first) of the bodies of a pair, to be added to.
    pub fn shared(&mut self, pattern: &Pattern, pair: usize) -> (&mut Cell, &mut Cell) {
        let [a, b] = pattern.pairs[pair];
        let at = pattern.entry[pair] as usize;
        if pattern.place[a as usize] < pattern.place[b as usize] {
            (&mut self.upper[at], &mut self.lower[at])
        } else {
            (&mut self.lower[at], &mut self.upper[at])
        }
    }

    /// (2); `false` if a diagonal block is singular.
    pub fn factorise(&mut self, pattern: &Pattern) -> bool {
        for p in 0..pattern.bodies {
            if !decompose(&mut self.diagonal[p], &mut self.interchanged[p]) {
                return false;
            }
            let range = pattern.range(p);
            for t in range.clone() {
                solve_block(&self.diagonal[p], &self.interchanged[p], &mut self.upper[t]);
            }
            // the rest: entries of p are among those of each of its later neighbours
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

    /// `K x = rhs`, in place, in the order of the bodies.
    pub fn solve(&mut self, pattern: &Pattern, x: &mut [Six]) {
        let y = &mut self.solution;
        for (body, place) in pattern.place.iter().enumerate() {
            y[*place as usize] = x[body];
        }
        for p in 0..pattern.bodies {
            let own = solve_six(&self.diagonal[p], &self.interchanged[p], &y[p]);
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

/// Triangular factors in place, with row interchanges.
fn decompose(a: &mut Cell, interchanged: &mut [u8; FREEDOMS]) -> bool {
    for k in 0..FREEDOMS {
        let mut best = k;
        for i in k + 1..FREEDOMS {
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
        for i in k + 1..FREEDOMS {
            let factor = a[i][k] / pivot;
            a[i][k] = factor;
            for j in k + 1..FREEDOMS {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// `x <- D^-1 x`, row by row.
fn solve_block(d: &Cell, interchanged: &[u8; FREEDOMS], x: &mut Cell) {
    for k in 0..FREEDOMS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..FREEDOMS {
        for k in 0..i {
            let above = x[k];
            for j in 0..FREEDOMS {
                x[i][j] -= d[i][k] * above[j];
            }
        }
    }
    for i in (0..FREEDOMS).rev() {
        for k in i + 1..FREEDOMS {
            let under = x[k];
            for j in 0..FREEDOMS {
                x[i][j] -= d[i][k] * under[j];
            }
        }
        let inverse = 1.0 / d[i][i];
        for j in 0..FREEDOMS {
            x[i][j] *= inverse;
        }
    }
}

fn solve_six(d: &Cell, interchanged: &[u8; FREEDOMS], b: &Six) -> Six {
    let mut x = *b;
    for k in 0..FREEDOMS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..FREEDOMS {
        for k in 0..i {
            x[i] -= d[i][k] * x[k];
        }
    }
    for i in (0..FREEDOMS).rev() {
        for k in i + 1..FREEDOMS {
            x[i] -= d[i][k] * x[k];
        }
        x[i] /= d[i][i];
    }
    x
}

/// `c <- c - a b`.
fn subtract_product(c: &mut Cell, a: &Cell, b: &Cell) {
    for i in 0..FREEDOMS {
        let mut row = c[i];
        for k in 0..FREEDOMS {
            for j in 0..FREEDOMS {
                row[j] -= a[i][k] * b[k][j];
            }
        }
        c[i] = row;
    }
}

/// `y <- y - a x`.
fn subtract_applied(y: &mut Six, a: &Cell, x: &Six) {
    for i in 0..FREEDOMS {
        let mut sum = y[i];
        for k in 0..FREEDOMS {
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
            let put = |dense: &mut Vec<f64>, a: u32, b: u32, cell: &Cell| {
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
            let expected: Vec<Six> = (0..n).map(|_| draw()[0]).collect();
            let flat = expected.as_flattened();
            let mut x: Vec<Six> = (0..n)
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
