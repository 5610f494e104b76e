//! Starting points from friction pyramids instead of cones: Lemke's method solves cases in which the solution path turns
//! back and the other methods fail.
//!
//! ```text
//! (1)  r_b = sum_k beta_k d_k,   beta >= 0      eight directions for a block of two rows, two for one row
//! (2)  0 <= u_n | r_n >= 0,   0 <= d_k.u_b + lambda | beta_k >= 0,   0 <= mu r_n - sum beta | lambda >= 0
//! ```

use std::f64::consts::FRAC_1_SQRT_2;

use super::scaled::Scaled;
use crate::contact::lcp::basis::grow;
use crate::contact::lcp::lemke::{End, Tableau};
use crate::contact::lcp::{Problem, SMALLEST_PIVOTS};
use crate::contact::scaling::Scaling;

/// Larger problems are not tried: 40 contacts in space make a tableau of 400 rows, some 10 ms.
const MAX_ROWS: usize = 120;

/// Maximum number of unknowns of (2) per row: 10 for a normal and a block of two rows, 3 for a block of one row.
const GROWTH: usize = 4;

/// `(cos, sin)` of the angle between an edge of the first pyramid and the next one of the second.
const TURN: [f64; 2] = [0.923_879_532_511_286_7, 0.382_683_432_365_089_8];

/// Edges of the first pyramid; the second one is rotated by half the angle between them.
const DIRECTIONS: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.0, 1.0],
    [0.0, -1.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
];

/// An unknown `r_n` or `beta`: its first row, and its factors there and in the next row.
#[derive(Clone, Copy, Debug)]
struct Column {
    row: usize,
    rows: usize,
    factors: [f64; 2],
}

/// Friction bound of a block: the columns of `r_n` and of the first and last `beta`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    normal: usize,
    first: usize,
    end: usize,
    friction: f64,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Pyramids {
    columns: Vec<Column>,
    bounds: Vec<Bound>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    solution: Vec<f64>,
    scaling: Scaling,
    tableau: Tableau,
}

impl Pyramids {
    pub fn reserve(&mut self, n: usize) {
        let size = GROWTH * n.min(MAX_ROWS);
        grow(&mut self.columns, size);
        grow(&mut self.bounds, n);
        grow(&mut self.matrix, size * size);
        grow(&mut self.vector, size);
        grow(&mut self.solution, size);
        self.scaling.reserve(size);
        self.tableau.reserve(size);
    }

    /// Writes the impulses of (2) to `r`, by one run with a covering vector. Returns `false` if it fails. Odd attempts
    /// use the second pyramid.
    pub fn start(&mut self, scaled: &Scaled, attempt: u32, r: &mut [f64]) -> bool {
        if scaled.n > MAX_ROWS {
            return false;
        }
        self.load(scaled, attempt % 2 == 1);
        let problem = Problem {
            n: self.vector.len(),
            matrix: &self.matrix,
            vector: &self.vector,
        };
        self.scaling.set(&problem);
        self.tableau.load(&problem, &self.scaling, attempt / 2);
        if self.tableau.run(SMALLEST_PIVOTS[0]) != End::Complementary {
            return false;
        }
        self.solution.resize(problem.n, 0.0);
        self.tableau
            .write_solution(&self.scaling, &mut self.solution);
        r.fill(0.0);
        for (column, x) in self.columns.iter().zip(&self.solution) {
            for lane in 0..column.rows {
                r[column.row + lane] += column.factors[lane] * x;
            }
        }
        r.iter().all(|x| x.is_finite())
    }

    fn load(&mut self, scaled: &Scaled, turned: bool) {
        self.columns.clear();
        self.bounds.clear();
        for contact in &scaled.contacts {
            let normal = self.columns.len();
            self.columns.push(Column {
                row: contact.normal,
                rows: 1,
                factors: [1.0, 0.0],
            });
            for block in contact.blocks().iter().filter(|b| b.friction > 0.0) {
                let first = self.columns.len();
                let directions = if block.rows == 1 { 2 } else { 8 };
                let turn = if turned && block.rows == 2 {
                    TURN
                } else {
                    [1.0, 0.0]
                };
                let columns = DIRECTIONS[..directions].iter().map(|d| Column {
                    row: block.first,
                    rows: block.rows,
                    factors: [
                        turn[0] * d[0] - turn[1] * d[1],
                        turn[1] * d[0] + turn[0] * d[1],
                    ],
                });
                self.columns.extend(columns);
                self.bounds.push(Bound {
                    normal,
                    first,
                    end: self.columns.len(),
                    friction: block.friction,
                });
            }
        }
        let (m, k) = (self.columns.len(), self.columns.len() + self.bounds.len());
        self.vector.clear();
        self.vector.resize(k, 0.0);
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for (i, own) in self.columns.iter().enumerate() {
            for a in 0..own.rows {
                let x = own.factors[a];
                self.vector[i] += x * scaled.free_velocity(own.row + a);
                for (j, other) in self.columns.iter().enumerate() {
                    for b in 0..other.rows {
                        self.matrix[i * k + j] +=
                            x * other.factors[b] * scaled.entry(own.row + a, other.row + b);
                    }
                }
            }
        }
        for (b, bound) in self.bounds.iter().enumerate() {
            self.matrix[(m + b) * k + bound.normal] = bound.friction;
            for i in bound.first..bound.end {
                self.matrix[(m + b) * k + i] = -1.0;
                self.matrix[i * k + m + b] = 1.0;
            }
        }
    }
}
