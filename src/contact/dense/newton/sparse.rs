//! Sparse linear system of a Newton step; equation numbers as in `newton`.

use super::Newton;
use crate::contact::dense::scaled::Scaled;
use crate::math::larger;

/// Residual of (2) and (3) relative to their right-hand sides: Newton's method then still gains eight digits per step.
const MISSED: f64 = 1e-8;

/// The same relative to the unknowns, for rounding errors that no elimination avoids.
const MISSED_BY_ROUNDING: f64 = 1e-13;

impl Newton {
    /// Solves (2), (3) by sparse elimination. Returns `false` if it fails.
    pub(super) fn eliminate(&mut self, scaled: &Scaled) -> bool {
        let n = scaled.n;
        let (coupling, pattern) = (&scaled.coupling, &scaled.coupling.pattern);
        scaled.product(&self.base[..n], &mut self.product[..n]);
        self.elimination.clear(pattern, &self.unknowns.starts);
        for one in 0..scaled.contacts.len() {
            let place = self.elimination.first(pattern, one);
            let own = self.unknowns.starts[one]..self.unknowns.starts[one + 1];
            let mut width = 0;
            self.row.clear();
            for (lane, unknown) in self.unknowns.all[own.clone()].iter().enumerate() {
                let i = unknown.row;
                let plain = coupling.row(i);
                width = plain.len();
                let moved = match unknown.across {
                    None => {
                        self.row.extend_from_slice(plain);
                        self.product[i]
                    }
                    Some(p) => {
                        let both = plain.iter().zip(coupling.row(i + 1));
                        let across = both.map(|(a, b)| unknown.factor * (p[0] * a + p[1] * b));
                        self.row.extend(across);
                        let moved = p[0] * self.product[i] + p[1] * self.product[i + 1];
                        unknown.factor * moved
                    }
                };
                self.elimination.side()[place + lane] = unknown.rhs - moved;
            }
            if own.is_empty() {
                continue;
            }
            for (other, at) in coupling.neighbours(one) {
                let first = self.elimination.first(pattern, *other);
                let normal = coupling.first(*other);
                let rows = self.row.chunks_exact(width).map(|row| &row[*at..]);
                let cells = self.elimination.rows(place, own.len());
                let cells = cells.map(|cells| &mut cells[first..]);
                self.unknowns.combine(*other, normal, rows.zip(cells));
            }
            for (lane, unknown) in self.unknowns.all[own].iter().enumerate() {
                self.elimination.row(place + lane)[place + lane] += unknown.diagonal;
            }
        }
        if !self.elimination.solve(pattern) {
            return false;
        }
        self.solution.clear();
        for one in 0..scaled.contacts.len() {
            let place = self.elimination.first(pattern, one);
            let count = self.unknowns.starts[one + 1] - self.unknowns.starts[one];
            let own = &self.elimination.side()[place..place + count];
            self.solution.extend_from_slice(own);
        }
        self.unknowns.spread(&self.solution, &mut self.base[..n])
    }

    /// Does `base` satisfy (2) and (3)?
    pub(super) fn is_good(&mut self, scaled: &Scaled) -> bool {
        let n = scaled.n;
        scaled.product(&self.base[..n], &mut self.product[..n]);
        let (mut worst, mut size, mut step) = (0.0, 0.0, 0.0);
        for (unknown, x) in self.unknowns.all.iter().zip(&self.solution) {
            let i = unknown.row;
            let moved = match unknown.across {
                None => self.product[i],
                Some(p) => unknown.factor * (p[0] * self.product[i] + p[1] * self.product[i + 1]),
            };
            let missed = moved + unknown.diagonal * x - unknown.rhs;
            worst = larger(worst, missed.abs());
            size = larger(size, unknown.rhs.abs());
            step = larger(step, x.abs());
        }
        worst <= MISSED * size + MISSED_BY_ROUNDING * step
    }
}
