//! Lemke's method on a condensed tableau.
//!
//! ```text
//! (1)  w = b + A z + d z0                       d > 0 covers b: feasible for z0 large enough
//! (2)  x_B = q + T x_N                          the tableau: n basic variables in terms of n + 1 others
//! (3)  start: z0 enters, and the w_i with the lexicographically smallest (q_i, e_i) / d_i leaves
//! (4)  then the complement of the variable that left enters, until z0 leaves (a solution) or nothing blocks (a ray)
//! (5)  row r blocks: T_rc < 0 and (q_r, P_r) / -T_rc lexicographically smallest
//! (6)  pivot: T_r <- -T_r / p, T_rc <- 1 / p, then T_i <- T_i + T_ic T_r, T_ic <- T_ic / p      p = T_rc
//! ```
//!
//! (6) is put off: the stored tableau lacks the last few products `T_ic T_r`, which are added together, four at a time, to
//! save memory traffic.
//!
//! ```text
//! (7)  T = stored + sum_k  column_k row_k
//! ```
//!
//! `P_r`, the answer of row `r` to the perturbation `b + (e, e^2, ..)` that breaks ties, needs no memory of its own: its
//! `j`-th entry is minus the column of `w_j` when `w_j` is not basic, and the unit vector of its row when it is.

use super::Problem;
use super::basis::grow;
use super::scaling::Scaling;

/// Columns per block: a block of the pivot row that is all zero is skipped.
const LANES: usize = 8;

/// Products that are added at a time.
const PENDING: usize = 4;

/// Rows that end this close to zero (with `b` scaled to 1) tie in the ratio test.
const TIE: f64 = 1e-13;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Complementary,
    Ray,
    PivotLimit,
}

/// (2), with variables numbered `w_i = i`, `z_i = n + i`, `z0 = 2 n`.
#[derive(Debug, Default)]
pub(super) struct Tableau {
    n: usize,
    last_left: usize,
    /// Pivots of the last run.
    pub pivots: u32,
    /// The stored part of `T`, padded with zeros to `stride` blocks a row.
    cells: Vec<[f64; LANES]>,
    stride: usize,
    /// `q`.
    constants: Vec<f64>,
    /// `|b|`, by which `q` is divided.
    size: f64,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Row of a variable, or `n +` its column.
    place: Vec<usize>,
    /// The column that enters.
    column: Vec<f64>,
    /// Products of (7) in use.
    n_pending: usize,
    /// (7): per row, the entries of the columns.
    factors: Vec<[f64; PENDING]>,
    /// (7): per block, the entries of the rows.
    products: Vec<[[f64; LANES]; PENDING]>,
    /// Blocks of `products` that are not zero.
    blocks: Vec<usize>,
    /// Rows that tie in the ratio test.
    ties: Vec<usize>,
}

impl Tableau {
    pub fn reserve(&mut self, n: usize) {
        let stride = (n + 1).div_ceil(LANES);
        grow(&mut self.cells, n * stride);
        grow(&mut self.factors, n);
        grow(&mut self.products, stride);
        grow(&mut self.blocks, stride);
        grow(&mut self.basic, n);
        grow(&mut self.nonbasic, n + 1);
        grow(&mut self.place, 2 * n + 1);
        grow(&mut self.column, n);
        grow(&mut self.constants, n);
        grow(&mut self.ties, n);
    }

    /// (1), scaled. Covering vector 0 is all ones, the others are spread over [1/2, 3/2].
    pub fn load(&mut self, problem: &Problem, scaling: &Scaling, covering: u32) {
        let n = problem.n;
        self.n = n;
        self.pivots = 0;
        self.stride = (n + 1).div_ceil(LANES);
        self.size = problem
            .vector
            .iter()
            .zip(&scaling.row)
            .fold(0.0_f64, |m, (b, r)| m.max((b * r).abs()));
        self.constants.clear();
        self.cells.clear();
        self.cells.resize(n * self.stride, [0.0; LANES]);
        for i in 0..n {
            let row = self.cells[i * self.stride..(i + 1) * self.stride].as_flattened_mut();
            let source = &problem.matrix[i * n..(i + 1) * n];
            for ((cell, a), c) in row.iter_mut().zip(source).zip(&scaling.col) {
                *cell = a * scaling.row[i] * c;
            }
            row[n] = covering_entry(i, covering);
            self.constants
                .push(problem.vector[i] * scaling.row[i] / self.size);
        }
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).chain(n..=2 * n));
        self.n_pending = 0;
        self.factors.clear();
        self.factors.resize(n, [0.0; PENDING]);
        self.products.clear();
        self.products.resize(self.stride, [[0.0; LANES]; PENDING]);
    }

    /// (3), (4). Entries below `smallest_pivot` times the largest of their column do not block.
    pub fn run(&mut self, smallest_pivot: f64) -> End {
        let n = self.n;
        let limit = 20 * n as u32 + 50;
        let mut row = self.first_row();
        let mut col = n;
        self.read_column(col);
        loop {
            let leaving = self.basic[row];
            self.last_left = leaving;
            self.pivot(row, col);
            self.pivots += 1;
            if leaving == 2 * n {
                return End::Complementary;
            }
            if self.pivots >= limit {
                return End::PivotLimit;
            }
            col = self.place[if leaving < n {
                leaving + n
            } else {
                leaving - n
            }] - n;
            self.read_column(col);
            match self.blocking_row(smallest_pivot) {
                Some(found) => row = found,
                None => return End::Ray,
            }
        }
    }

    /// The `z_i` that are basic.
    pub fn write_basis(&self, basis: &mut [bool]) {
        basis.fill(false);
        // where z0 should have left in a near tie, the variable that left instead belongs to the basis
        let rival = Some(&self.last_left).filter(|_| self.place[2 * self.n] < self.n);
        for &variable in self.basic.iter().chain(rival) {
            if (self.n..2 * self.n).contains(&variable) {
                basis[variable - self.n] = true;
            }
        }
    }

    /// `z` as the tableau has it.
    pub fn write_solution(&self, scaling: &Scaling, z: &mut [f64]) {
        z.fill(0.0);
        for (row, &variable) in self.basic.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                let i = variable - self.n;
                z[i] = self.constants[row].max(0.0) * self.size * scaling.col[i];
            }
        }
    }

    /// An entry of `T`, by (7).
    fn cell(&self, row: usize, col: usize) -> f64 {
        let (block, lane) = (col / LANES, col % LANES);
        let products = &self.products[block];
        let stored = self.cells[row * self.stride + block][lane];
        (0..PENDING).fold(stored, |sum, k| {
            sum + self.factors[row][k] * products[k][lane]
        })
    }

    fn read_column(&mut self, col: usize) {
        self.column.clear();
        let (block, lane) = (col / LANES, col % LANES);
        let products = self.products[block].map(|row| row[lane]);
        let stored = self
            .cells
            .iter()
            .skip(block)
            .step_by(self.stride)
            .map(|cells| cells[lane]);
        let entries = stored.zip(&self.factors).map(|(stored, factors)| {
            factors
                .iter()
                .zip(products)
                .fold(stored, |sum, (factor, product)| sum + factor * product)
        });
        self.column.extend(entries);
    }

    /// (3): of equal quotients the last, whose unit vector comes latest.
    fn first_row(&self) -> usize {
        let quotient = |row: usize| self.constants[row] / self.cell(row, self.n);
        (0..self.n).fold(0, |best, row| {
            if quotient(row) <= quotient(best) {
                row
            } else {
                best
            }
        })
    }

    /// (5).
    fn blocking_row(&mut self, smallest_pivot: f64) -> Option<usize> {
        // comparisons, because the minimum and maximum of the library also look for NaN
        let mut largest = 0.0;
        for &x in &self.column {
            largest = if x.abs() > largest { x.abs() } else { largest };
        }
        let threshold = -smallest_pivot * largest;
        let mut step = f64::INFINITY;
        for (&x, &q) in self.column.iter().zip(&self.constants) {
            if x < threshold {
                let ratio = if q > 0.0 { q / -x } else { 0.0 };
                step = if ratio < step { ratio } else { step };
            }
        }
        if step == f64::INFINITY {
            return None;
        }
        let ties = |x: f64, q: f64| x < threshold && q + step * x <= TIE;
        // z0 wins every tie: that ends the run
        let artificial = self.place[2 * self.n];
        if ties(self.column[artificial], self.constants[artificial]) {
            return Some(artificial);
        }
        self.ties.clear();
        for (row, (&x, &q)) in self.column.iter().zip(&self.constants).enumerate() {
            if ties(x, q) {
                self.ties.push(row);
            }
        }
        self.break_tie()
    }

    /// The lexicographic part of (5).
    fn break_tie(&mut self) -> Option<usize> {
        let mut variable = 0;
        while self.ties.len() > 1 && variable < self.n {
            let place = self.place[variable];
            let mut smallest = f64::INFINITY;
            for &row in &self.ties {
                smallest = smallest.min(self.perturbation(row, place));
            }
            let keep = smallest + TIE * smallest.abs().max(1.0);
            let mut ties = std::mem::take(&mut self.ties);
            ties.retain(|&row| self.perturbation(row, place) <= keep);
            self.ties = ties;
            variable += 1;
        }
        self.ties.first().copied()
    }

    /// An entry of `P_r / -T_rc`, for the `w` at `place`.
    fn perturbation(&self, row: usize, place: usize) -> f64 {
        let numerator = match place {
            p if p == row => 1.0,
            p if p < self.n => 0.0,
            p => -self.cell(row, p - self.n),
        };
        numerator / -self.column[row]
    }

    /// (6), with `column` read.
    fn pivot(&mut self, row: usize, col: usize) {
        if self.n_pending == PENDING {
            self.add_products();
        }
        let (block, lane) = (col / LANES, col % LANES);
        let pivot = self.column[row];
        let k = self.n_pending;
        self.n_pending += 1;

        // the pivot row leaves the stored part and the older products, and becomes the newest product
        let factors = std::mem::take(&mut self.factors[row]);
        let source = &mut self.cells[row * self.stride..(row + 1) * self.stride];
        for (cells, products) in source.iter_mut().zip(&mut self.products) {
            let mut entries = *cells;
            for older in 0..k {
                add_multiple(&mut entries, factors[older], &products[older]);
            }
            // a division, not a product with the inverse: equal contacts must cancel exactly
            *cells = entries.map(|x| -x / pivot);
            products[k] = *cells;
        }

        // so does the pivot column, which holds nothing but its part of the newest product
        for cells in self.cells.iter_mut().skip(block).step_by(self.stride) {
            cells[lane] = 0.0;
        }
        self.cells[row * self.stride + block][lane] = 1.0 / pivot;
        for older in 0..k {
            self.products[block][older][lane] = 0.0;
        }
        self.products[block][k][lane] = 1.0 / pivot;

        let constant = -self.constants[row] / pivot;
        for (i, &entry) in self.column.iter().enumerate() {
            self.factors[i][k] = entry;
            self.constants[i] += entry * constant;
        }
        self.factors[row][k] = 0.0;
        self.constants[row] = constant;

        let (leaving, entering) = (self.basic[row], self.nonbasic[col]);
        self.basic[row] = entering;
        self.nonbasic[col] = leaving;
        self.place[entering] = row;
        self.place[leaving] = self.n + col;
    }

    /// (7).
    fn add_products(&mut self) {
        self.blocks.clear();
        let is_used = |(k, rows): (usize, &[[f64; LANES]; PENDING])| {
            rows.as_flattened().iter().any(|&x| x != 0.0).then_some(k)
        };
        self.blocks
            .extend(self.products.iter().enumerate().filter_map(is_used));
        for (target, factors) in self
            .cells
            .chunks_exact_mut(self.stride)
            .zip(&mut self.factors)
        {
            if factors.iter().any(|&x| x != 0.0) {
                for &block in &self.blocks {
                    let products = &self.products[block];
                    let mut cells = target[block];
                    for k in 0..PENDING {
                        add_multiple(&mut cells, factors[k], &products[k]);
                    }
                    target[block] = cells;
                }
            }
            *factors = [0.0; PENDING];
        }
        self.n_pending = 0;
    }
}

#[inline(always)]
fn add_multiple(target: &mut [f64; LANES], factor: f64, source: &[f64; LANES]) {
    for lane in 0..LANES {
        target[lane] += factor * source[lane];
    }
}

/// Entry `i` of a covering vector: multiples of the golden section are spread evenly.
fn covering_entry(i: usize, covering: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    if covering == 0 {
        return 1.0;
    }
    let multiple = GOLDEN * (i as f64 + 1.0) * (2.0 * f64::from(covering) - 1.0);
    0.5 + (multiple - multiple.floor())
}
