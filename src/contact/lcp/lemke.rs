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
//! (6) is deferred: the stored tableau lacks the products `T_ic T_r` of the last pivots. A pivot needs one row and one
//! column only, to which they are added; the rest is updated by all of them at once, which short runs never need.
//!
//! ```text
//! (7)  T = stored + sum_k  column_k row_k
//! ```
//!
//! `P_r`, the response of row `r` to the perturbation `b + (e, e^2, ..)` that breaks ties, is not stored: its `j`-th
//! entry is minus the column of `w_j` if `w_j` is nonbasic, and the unit vector of its row otherwise.

use super::Problem;
use super::basis::grow;
use crate::contact::scaling::Scaling;
use crate::math::larger;
use crate::math::smaller;

/// Columns, or rows, per block: lets the compiler vectorize without changing the order of summation.
const LANES: usize = 8;

/// Number of deferred products: more make the rows and columns of a pivot more expensive, fewer the updates.
const PENDING: usize = 40;

/// Blocks of columns updated at a time, so that they stay in the first-level cache.
const GROUP: usize = 8;

type Block = [f64; LANES];

/// Rows that end this close to zero (with `b` scaled to 1) tie in the ratio test.
const TIE: f64 = 1e-13;

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) enum End {
    Complementary,
    Ray,
    PivotLimit,
}

/// (2), with variables numbered `w_i = i`, `z_i = n + i`, `z0 = 2 n`.
#[derive(Debug, Default)]
pub(in crate::contact) struct Tableau {
    n: usize,
    last_left: usize,
    /// Pivots of the last run.
    pub pivots: u32,
    /// Stored part of `T`, padded with zeros to whole blocks of rows and to `stride` blocks per row.
    cells: Vec<Block>,
    stride: usize,
    /// `q`, padded with zeros.
    constants: Vec<f64>,
    /// `|b|`, by which `q` is divided.
    size: f64,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Row of a variable, or `n +` its column.
    place: Vec<usize>,
    /// The entering column, padded with zeros.
    column: Vec<f64>,
    /// Number of deferred products of (7).
    n_pending: usize,
    /// (7): per block of rows, the entries of the columns.
    factors: Vec<[Block; PENDING]>,
    /// (7): per block of columns, the entries of the rows.
    products: Vec<[Block; PENDING]>,
    /// Deferred products with nonzero factors in the current row or column.
    used: Used,
    /// Rows that tie in the ratio test.
    ties: Vec<usize>,
}

impl Tableau {
    pub fn reserve(&mut self, n: usize) {
        let (height, stride) = (n.div_ceil(LANES), (n + 1).div_ceil(LANES));
        grow(&mut self.cells, height * LANES * stride);
        grow(&mut self.factors, height);
        grow(&mut self.products, stride);
        grow(&mut self.basic, n);
        grow(&mut self.nonbasic, n + 1);
        grow(&mut self.place, 2 * n + 1);
        grow(&mut self.column, height * LANES);
        grow(&mut self.constants, height * LANES);
        grow(&mut self.ties, n);
    }

    /// Loads (1), scaled. Covering vector 0 is all ones, the others vary over [1/2, 3/2].
    pub fn load(&mut self, problem: &Problem, scaling: &Scaling, covering: u32) {
        let n = problem.n;
        let height = n.div_ceil(LANES);
        self.n = n;
        self.pivots = 0;
        self.stride = (n + 1).div_ceil(LANES);
        self.size = scaling.size(problem.vector);
        self.constants.clear();
        self.cells.clear();
        self.cells
            .resize(height * LANES * self.stride, [0.0; LANES]);
        for (i, target) in self.cells.chunks_exact_mut(self.stride).take(n).enumerate() {
            let r = scaling.row[i];
            let target = target.as_flattened_mut();
            let source = &problem.matrix[i * n..(i + 1) * n];
            for ((cell, a), c) in target.iter_mut().zip(source).zip(&scaling.col) {
                *cell = a * r * c;
            }
            target[n] = covering_entry(i, covering);
            self.constants.push(problem.vector[i] * r / self.size);
        }
        self.constants.resize(height * LANES, 0.0);
        self.column.resize(height * LANES, 0.0);
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).chain(n..=2 * n));
        self.n_pending = 0;
        self.factors.resize(height, [[0.0; LANES]; PENDING]);
        self.products.resize(self.stride, [[0.0; LANES]; PENDING]);
    }

    /// (3), (4). Entries below `smallest_pivot` times the largest of their column do not block.
    pub fn run(&mut self, smallest_pivot: f64) -> End {
        let n = self.n;
        let limit = 20 * n as u32 + 50;
        let mut row = self.first_row();
        let mut col = n;
        self.take_column(col);
        loop {
            let leaving = self.basic[row];
            self.last_left = leaving;
            self.pivots += 1;
            self.exchange(row, col);
            if leaving == 2 * n {
                return End::Complementary;
            }
            self.pivot(row, col);
            if self.pivots >= limit {
                return End::PivotLimit;
            }
            col = self.place[if leaving < n {
                leaving + n
            } else {
                leaving - n
            }] - n;
            self.take_column(col);
            match self.blocking_row(col, smallest_pivot) {
                Some(found) => row = found,
                None => return End::Ray,
            }
        }
    }

    /// The `z_i` that are basic.
    pub fn write_basis(&self, basis: &mut [bool]) {
        basis.fill(false);
        // if z0 lost a near tie, the variable that left instead belongs to the basis
        let rival = Some(&self.last_left).filter(|_| self.place[2 * self.n] < self.n);
        for &variable in self.basic.iter().chain(rival) {
            if (self.n..2 * self.n).contains(&variable) {
                basis[variable - self.n] = true;
            }
        }
    }

    /// `z` according to the tableau.
    pub fn write_solution(&self, scaling: &Scaling, z: &mut [f64]) {
        z.fill(0.0);
        for (row, &variable) in self.basic.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                let i = variable - self.n;
                let x = self.constants[row];
                z[i] = if x > 0.0 {
                    x * self.size * scaling.col[i]
                } else {
                    0.0
                };
            }
        }
    }

    /// An entry of `T`, by (7).
    fn cell(&self, row: usize, col: usize) -> f64 {
        let (block, lane) = (col / LANES, col % LANES);
        let stored = self.cells[row * self.stride + block][lane];
        let factors = self.factors[row / LANES].iter();
        let products = self.products[block].iter();
        factors
            .zip(products)
            .take(self.n_pending)
            .fold(stored, |sum, (factors, products)| {
                sum + factors[row % LANES] * products[lane]
            })
    }

    /// Computes a column of (7) into `column`, and removes it from the tableau.
    fn take_column(&mut self, col: usize) {
        let (block, lane) = (col / LANES, col % LANES);
        self.used
            .take(&mut self.products[block][..self.n_pending], lane);
        let rows = self.cells.chunks_exact_mut(LANES * self.stride);
        let (column, _) = self.column.as_chunks_mut::<LANES>();
        for ((entries, rows), factors) in column.iter_mut().zip(rows).zip(&self.factors) {
            let stored =
                std::array::from_fn(|i| std::mem::take(&mut rows[i * self.stride + block][lane]));
            *entries = self.used.add_to(stored, factors);
        }
    }

    /// (3): the last of equal quotients, whose unit vector is lexicographically smallest.
    fn first_row(&self) -> usize {
        let (mut best, mut smallest) = (0, f64::INFINITY);
        for row in 0..self.n {
            let quotient = self.constants[row] / self.cell(row, self.n);
            if quotient <= smallest {
                (best, smallest) = (row, quotient);
            }
        }
        best
    }

    /// (5).
    fn blocking_row(&mut self, col: usize, smallest_pivot: f64) -> Option<usize> {
        // comparisons, because the library's minimum and maximum check for NaN; by lanes, for vectorization
        let mut largest = [0.0; LANES];
        let (column, _) = self.column.as_chunks::<LANES>();
        for x in column {
            for lane in 0..LANES {
                largest[lane] = larger(largest[lane], x[lane].abs());
            }
        }
        let threshold = -smallest_pivot * largest.into_iter().fold(0.0, larger);
        let mut steps = [f64::INFINITY; LANES];
        let (constants, _) = self.constants.as_chunks::<LANES>();
        for (x, q) in column.iter().zip(constants) {
            for lane in 0..LANES {
                let ratio = if q[lane] > 0.0 { q[lane] } else { 0.0 } / -x[lane];
                let ratio = if x[lane] < threshold {
                    ratio
                } else {
                    f64::INFINITY
                };
                steps[lane] = smaller(steps[lane], ratio);
            }
        }
        let step = steps.into_iter().fold(f64::INFINITY, smaller);
        if step == f64::INFINITY {
            return None;
        }
        let ties = |x: f64, q: f64| (x < threshold) & (q + step * x <= TIE);
        // z0 wins every tie, which ends the run
        let artificial = self.place[2 * self.n];
        if ties(self.column[artificial], self.constants[artificial]) {
            return Some(artificial);
        }
        self.ties.clear();
        for (block, (x, q)) in column.iter().zip(constants).enumerate() {
            // no early exit, for vectorization
            if (0..LANES).fold(false, |any, lane| any | ties(x[lane], q[lane])) {
                let rows = (0..LANES).filter(|&lane| ties(x[lane], q[lane]));
                self.ties.extend(rows.map(|lane| block * LANES + lane));
            }
        }
        self.break_tie(col)
    }

    /// The lexicographic part of (5).
    fn break_tie(&mut self, col: usize) -> Option<usize> {
        for variable in 0..self.n {
            if self.ties.len() == 1 {
                break;
            }
            let place = self.place[variable];
            // the entering variable does not distinguish rows
            if place == self.n + col {
                continue;
            }
            let mut smallest = f64::INFINITY;
            for &row in &self.ties {
                smallest = smaller(smallest, self.perturbation(row, place));
            }
            let keep = smallest + TIE * larger(smallest.abs(), 1.0);
            let mut ties = std::mem::take(&mut self.ties);
            ties.retain(|&row| self.perturbation(row, place) <= keep);
            self.ties = ties;
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

    /// (6) for the constants and the variable indices, given `column`.
    fn exchange(&mut self, row: usize, col: usize) {
        let constant = -self.constants[row] / self.column[row];
        for (q, entry) in self.constants.iter_mut().zip(&self.column) {
            *q += entry * constant;
        }
        self.constants[row] = constant;

        let (leaving, entering) = (self.basic[row], self.nonbasic[col]);
        self.basic[row] = entering;
        self.nonbasic[col] = leaving;
        self.place[entering] = row;
        self.place[leaving] = self.n + col;
    }

    /// (6) for `T`, with the column removed from it.
    fn pivot(&mut self, row: usize, col: usize) {
        if self.n_pending == PENDING {
            self.add_products();
        }
        let pivot = self.column[row];
        let k = self.n_pending;
        self.n_pending += 1;

        // the pivot row leaves the stored part and the older products, and becomes the newest product
        self.used
            .take(&mut self.factors[row / LANES][..k], row % LANES);
        let source = &mut self.cells[row * self.stride..(row + 1) * self.stride];
        for (cells, products) in source.iter_mut().zip(&mut self.products) {
            // a division, not a product with the inverse: identical contacts must cancel exactly
            let entries = self.used.add_to(*cells, products).map(|x| -x / pivot);
            *cells = entries;
            products[k] = entries;
        }
        let (block, lane) = (col / LANES, col % LANES);
        source[block][lane] = 1.0 / pivot;
        self.products[block][k][lane] = 1.0 / pivot;

        let (column, _) = self.column.as_chunks::<LANES>();
        for (factors, entries) in self.factors.iter_mut().zip(column) {
            factors[k] = *entries;
        }
        self.factors[row / LANES][k][row % LANES] = 0.0;
    }

    /// Adds the deferred products, (7).
    fn add_products(&mut self) {
        for (group, products) in self.products.chunks(GROUP).enumerate() {
            let rows = self.cells.chunks_exact_mut(self.stride);
            for (row, cells) in rows.take(self.n).enumerate() {
                let factors = &self.factors[row / LANES];
                self.used.collect(&factors[..self.n_pending], row % LANES);
                if self.used.n > 0 {
                    let (cells, last) = cells[group * GROUP..].as_chunks_mut::<2>();
                    let (products, last_products) = products.as_chunks::<2>();
                    for (cells, products) in cells.iter_mut().zip(products) {
                        *cells = self.used.add_to_two(*cells, products);
                    }
                    for (cells, products) in last.iter_mut().zip(last_products) {
                        *cells = self.used.add_to(*cells, products);
                    }
                }
            }
        }
        self.n_pending = 0;
    }
}

/// Nonzero entries of one lane of some blocks, with the indices of their blocks.
#[derive(Debug)]
struct Used {
    entries: [(usize, f64); PENDING],
    n: usize,
}

impl Default for Used {
    fn default() -> Self {
        Self {
            entries: [(0, 0.0); PENDING],
            n: 0,
        }
    }
}

impl Used {
    #[inline(always)]
    fn collect(&mut self, blocks: &[Block], lane: usize) {
        self.n = 0;
        for (k, block) in blocks.iter().enumerate() {
            self.entries[self.n] = (k, block[lane]);
            self.n += usize::from(block[lane] != 0.0);
        }
    }

    /// Moves the entries out of their blocks.
    #[inline(always)]
    fn take(&mut self, blocks: &mut [Block], lane: usize) {
        self.collect(blocks, lane);
        for block in blocks {
            block[lane] = 0.0;
        }
    }

    /// `sum` plus the products of blocks and entries, in order.
    #[inline(always)]
    fn add_to(&self, mut sum: Block, blocks: &[Block; PENDING]) -> Block {
        for &(k, factor) in &self.entries[..self.n] {
            let block = &blocks[k];
            for lane in 0..LANES {
                sum[lane] += factor * block[lane];
            }
        }
        sum
    }

    /// The same for two adjacent blocks, reading the entries once.
    #[inline(always)]
    fn add_to_two(&self, sums: [Block; 2], blocks: &[[Block; PENDING]; 2]) -> [Block; 2] {
        let [mut one, mut other] = sums;
        for &(k, factor) in &self.entries[..self.n] {
            let (a, b) = (&blocks[0][k], &blocks[1][k]);
            for lane in 0..LANES {
                one[lane] += factor * a[lane];
            }
            for lane in 0..LANES {
                other[lane] += factor * b[lane];
            }
        }
        [one, other]
    }
}

/// Entry `i` of a covering vector, from multiples of the golden ratio, which are evenly distributed.
fn covering_entry(i: usize, covering: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    if covering == 0 {
        return 1.0;
    }
    let multiple = GOLDEN * (i as f64 + 1.0) * (2.0 * f64::from(covering) - 1.0);
    0.5 + (multiple - multiple.floor())
}
