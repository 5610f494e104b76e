//! Dense linear system of a Newton step; equation numbers as in `newton`.

use super::Newton;
use super::unknowns::Unknown;
use crate::contact::dense::scaled::Scaled;

impl Newton {
    /// (2), (3).
    pub(super) fn assemble(&mut self, scaled: &Scaled) {
        let n = scaled.n;
        let m = self.unknowns.all.len();
        scaled.product(&self.base[..n], &mut self.product[..n]);
        // all entries are written below
        self.cells.resize(m * m, 0.0);
        self.solution.clear();
        self.row.resize(3 * n, 0.0);
        let (one, rest) = self.row.split_at_mut(n);
        let (other, mixed) = rest.split_at_mut(n);
        for own in 0..m {
            let Unknown {
                row: i,
                across,
                factor,
                diagonal,
                rhs,
                ..
            } = self.unknowns.all[own];
            let plain = scaled.full_row(i, one);
            let (row, moved) = match across {
                None => (plain, self.product[i]),
                Some(p) => {
                    let next = scaled.full_row(i + 1, other);
                    for ((x, a), b) in mixed.iter_mut().zip(plain).zip(next) {
                        *x = factor * (p[0] * a + p[1] * b);
                    }
                    let moved = p[0] * self.product[i] + p[1] * self.product[i + 1];
                    (&*mixed, factor * moved)
                }
            };
            self.solution.push(rhs - moved);
            let cells = &mut self.cells[own * m..(own + 1) * m];
            for (k, contact) in scaled.contacts.iter().enumerate() {
                let (from, to) = (contact.normal, self.unknowns.starts[k]);
                let both = std::iter::once((&row[from..], &mut cells[to..]));
                self.unknowns.combine(k, from, both);
            }
            self.cells[own * m + own] += diagonal;
        }
    }

    /// Gaussian elimination with partial pivoting; `solution` holds the right-hand side before, the solution after.
    pub(super) fn factorise(&mut self) -> bool {
        let m = self.unknowns.all.len();
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
