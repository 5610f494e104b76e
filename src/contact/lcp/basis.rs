//! Solution for a given complementary basis `B` (the indices with `w_i = 0`):
//!
//! ```text
//! (1)  A_BB z_B = -b_B,   z = 0 elsewhere
//! (2)  z_B <- z_B + d,    A_BB d = -(b_B + A_BB z_B)     iterative refinement
//! ```
//!
//! Redundant contacts make `A_BB` singular. Elimination with partial pivoting then meets a column without a usable pivot:
//! it depends on the previous columns, and its unknown stays zero. The residual check decides whether the remaining rows
//! are satisfied.

use std::ops::Range;

use super::Problem;
use crate::contact::scaling::Scaling;
use crate::math::larger;
use crate::math::set_zeros;

/// Blocks of four numbers let the compiler vectorize without changing the order of summation.
const LANES: usize = 4;

/// Echelon form of the scaled `A_BB`.
#[derive(Debug, Default)]
pub(super) struct BasisSolver {
    /// The members of `B`.
    members: Vec<usize>,
    /// Echelon form, with the multipliers below.
    cells: Vec<[f64; LANES]>,
    stride: usize,
    /// `order[i]`: member in row `i` of the echelon form.
    order: Vec<usize>,
    /// `steps[i]`: pivot column of row `i`.
    steps: Vec<usize>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

impl BasisSolver {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.members, n);
        grow(&mut self.cells, n * n.div_ceil(LANES));
        grow(&mut self.order, n);
        grow(&mut self.steps, n);
        grow(&mut self.rhs, n);
        grow(&mut self.solution, n);
    }

    /// Solves (1) into `z`, clamping negative values to zero; columns with pivots below `rank_tolerance` are dropped.
    /// Returns the range of tolerances that would drop the same columns.
    pub fn solve(
        &mut self,
        problem: &Problem,
        scaling: &Scaling,
        basis: &[bool],
        rank_tolerance: f64,
        z: &mut [f64],
    ) -> Range<f64> {
        self.load(problem, scaling, basis);
        let same_rank = self.eliminate(rank_tolerance);
        z.fill(0.0);
        // (1), then (2) once: without extended precision a second refinement gains nothing
        for _ in 0..2 {
            for (rhs, &i) in self.rhs.iter_mut().zip(&self.members) {
                let row = &problem.matrix[i * problem.n..(i + 1) * problem.n];
                let w = self
                    .steps
                    .iter()
                    .map(|&s| self.members[s])
                    .fold(problem.vector[i], |sum, j| sum + row[j] * z[j]);
                *rhs = -w * scaling.row[i];
            }
            self.substitute();
            for (&step, x) in self.steps.iter().zip(&self.solution) {
                let j = self.members[step];
                z[j] += x * scaling.col[j];
            }
        }
        for x in z.iter_mut() {
            *x = if *x > 0.0 { *x } else { 0.0 };
        }
        same_rank
    }

    fn load(&mut self, problem: &Problem, scaling: &Scaling, basis: &[bool]) {
        self.members.clear();
        self.members.extend((0..problem.n).filter(|&i| basis[i]));
        let k = self.members.len();
        self.stride = k.div_ceil(LANES);
        self.cells.clear();
        self.cells.resize(k * self.stride, [0.0; LANES]);
        for (row, &i) in self.members.iter().enumerate() {
            let source = &problem.matrix[i * problem.n..(i + 1) * problem.n];
            let target = self.cells[row * self.stride..(row + 1) * self.stride].as_flattened_mut();
            for (cell, &j) in target.iter_mut().zip(&self.members) {
                *cell = source[j] * scaling.row[i] * scaling.col[j];
            }
        }
        self.order.clear();
        self.order.extend(0..k);
        self.steps.clear();
        set_zeros(&mut self.rhs, k);
    }

    fn cell(&self, row: usize, col: usize) -> f64 {
        self.cells[row * self.stride + col / LANES][col % LANES]
    }

    fn eliminate(&mut self, rank_tolerance: f64) -> Range<f64> {
        let k = self.members.len();
        let (mut largest_dropped, mut smallest_kept) = (0.0, f64::INFINITY);
        for col in 0..k {
            let top = self.steps.len();
            let (mut best, mut size) = (top, 0.0);
            for row in top..k {
                let x = self.cell(row, col).abs();
                if x > size {
                    (best, size) = (row, x);
                }
            }
            if size <= rank_tolerance {
                largest_dropped = larger(largest_dropped, size);
                continue;
            }
            smallest_kept = if size < smallest_kept {
                size
            } else {
                smallest_kept
            };
            self.swap_rows(top, best);
            self.steps.push(col);
            let pivot = self.cell(top, col);
            let (upper, lower) = self.cells.split_at_mut((top + 1) * self.stride);
            let pivot_row = &upper[top * self.stride..];
            for row in lower.chunks_exact_mut(self.stride) {
                let factor = row[col / LANES][col % LANES] / pivot;
                if factor == 0.0 {
                    continue;
                }
                // the lanes before the pivot hold multipliers
                let first = col / LANES;
                for lane in col % LANES + 1..LANES {
                    row[first][lane] -= factor * pivot_row[first][lane];
                }
                row[first][col % LANES] = factor;
                for (cells, pivots) in row[first + 1..].iter_mut().zip(&pivot_row[first + 1..]) {
                    for lane in 0..LANES {
                        cells[lane] -= factor * pivots[lane];
                    }
                }
            }
        }
        largest_dropped..smallest_kept
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            let (upper, lower) = self.cells.split_at_mut(b * self.stride);
            upper[a * self.stride..(a + 1) * self.stride]
                .swap_with_slice(&mut lower[..self.stride]);
            self.order.swap(a, b);
        }
    }

    /// Solves for `solution` from `rhs`, by the stored multipliers and back substitution.
    fn substitute(&mut self) {
        let rank = self.steps.len();
        self.solution.clear();
        for row in 0..rank {
            let multipliers = self.steps[..row].iter().map(|&s| self.cell(row, s));
            let y = multipliers
                .zip(&self.solution)
                .fold(self.rhs[self.order[row]], |sum, (m, y)| sum - m * y);
            self.solution.push(y);
        }
        for row in (0..rank).rev() {
            let y = (row + 1..rank).fold(self.solution[row], |sum, t| {
                sum - self.cell(row, self.steps[t]) * self.solution[t]
            });
            self.solution[row] = y / self.cell(row, self.steps[row]);
        }
    }
}

/// Grows the capacity to `capacity` elements.
#[inline]
pub(in crate::contact) fn grow<T>(buffer: &mut Vec<T>, capacity: usize) {
    buffer.reserve(capacity.saturating_sub(buffer.len()));
}
