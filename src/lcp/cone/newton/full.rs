//! The linear system of a step with all of its zeros; (2), (3) are those of the method.

use super::{Newton, Unknown};
use crate::lcp::cone::scaled::Scaled;

impl Newton {
    /// (2), (3).
    pub(super) fn assemble(&mut self, scaled: &Scaled) {
        let n = scaled.n;
        let m = self.unknowns.len();
        scaled.product(&self.base[..n], &mut self.product[..n]);
        self.cells.clear();
        self.solution.clear();
        for own in 0..m {
            let Unknown {
                row: i,
                across,
                factor,
                diagonal,
                rhs,
                ..
            } = self.unknowns[own];
            let plain = &scaled.matrix[i * n..(i + 1) * n];
            let (row, moved) = match across {
                None => (plain, self.product[i]),
                Some(p) => {
                    let next = &scaled.matrix[(i + 1) * n..(i + 2) * n];
                    let both = plain.iter().zip(next);
                    self.row.clear();
                    self.row
                        .extend(both.map(|(a, b)| factor * (p[0] * a + p[1] * b)));
                    let moved = p[0] * self.product[i] + p[1] * self.product[i + 1];
                    (&self.row[..], factor * moved)
                }
            };
            self.solution.push(rhs - moved);
            let mut begin = 0;
            for unknown in &self.unknowns {
                let entries = &self.columns[begin..unknown.columns_end];
                begin = unknown.columns_end;
                let sum = entries.iter().fold(0.0, |sum, (j, f)| sum + f * row[*j]);
                self.cells.push(sum);
            }
            self.cells[own * m + own] += diagonal;
        }
    }

    /// Elimination with row interchanges; `solution` holds the right-hand side before and the answer after.
    pub(super) fn factorise(&mut self) -> bool {
        let m = self.unknowns.len();
        for k in 0..m {
            let (mut pivot_row, mut largest) = (k, 0.0);
            for i in k..m {
                let x = self.cells[i * m + k].abs();
                if x > largest {
                    (pivot_row, largest) = (i, x);
                }
            }
            if largest == 0.0 || !largest.is_finite() {
                return false;
            }
            let (upper, lower) = self.cells.split_at_mut((k + 1) * m);
            let top = &mut upper[k * m..];
            if pivot_row != k {
                let other = (pivot_row - k - 1) * m;
                top[k..].swap_with_slice(&mut lower[other + k..other + m]);
                self.solution.swap(k, pivot_row);
            }
            let (pivot, x) = (top[k], self.solution[k]);
            let rest = &top[k + 1..];
            for (row, y) in lower.chunks_exact_mut(m).zip(&mut self.solution[k + 1..]) {
                let factor = row[k] / pivot;
                if factor != 0.0 {
                    for (cell, above) in row[k + 1..].iter_mut().zip(rest) {
                        *cell -= factor * above;
                    }
                    *y -= factor * x;
                }
            }
        }
        for k in (0..m).rev() {
            let row = &self.cells[k * m..(k + 1) * m];
            let known = row[k + 1..]
                .iter()
                .zip(&self.solution[k + 1..])
                .fold(0.0, |sum, (a, x)| sum + a * x);
            self.solution[k] = (self.solution[k] - known) / row[k];
        }
        true
    }
}
