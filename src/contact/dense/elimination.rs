//! Sparse Gaussian elimination for Newton's method, contact by contact in minimum degree order.
//!
//! ```text
//! (1)  K_ij <- K_ij - L_ip U_pj      for the later contacts i, j coupled with p by then; a contact may have no rows
//! ```
//!
//! Pivoting is restricted to the rows of a contact, which may be inaccurate for redundant contacts: the caller checks the
//! solution.

use super::coupling::FEWEST_ROWS;
use crate::contact::elimination_order::Pattern;
use crate::contact::lcp::basis::grow;

/// Most rows of a contact.
pub(super) const MAX_ROWS: usize = 1 + 2 * super::MAX_BLOCKS;

/// A system with its rows in elimination order.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    /// Number of rows.
    m: usize,
    cells: Vec<f64>,
    rhs: Vec<f64>,
    /// First row of each contact in elimination order, and the end.
    first: Vec<usize>,
    /// Ranges of later rows coupled with each contact.
    ranges: Vec<[usize; 2]>,
    /// Start of the ranges of each contact.
    begin: Vec<usize>,
    /// Column ranges with entries in the rows of the current contact.
    column_ranges: Vec<[usize; 2]>,
    /// These rows, restricted to these columns.
    panel: Vec<f64>,
}

impl Elimination {
    pub fn reserve(&mut self, n: usize) {
        if n < FEWEST_ROWS {
            return;
        }
        grow(&mut self.cells, n * n);
        grow(&mut self.rhs, n);
        grow(&mut self.first, n + 1);
        grow(&mut self.ranges, n * n / 2);
        grow(&mut self.begin, n + 1);
        grow(&mut self.column_ranges, n + 1);
        grow(&mut self.panel, n * MAX_ROWS);
    }

    /// `K = 0`; `starts`: the first unknown of each contact, and the end.
    pub fn clear(&mut self, pattern: &Pattern, starts: &[usize]) {
        self.m = starts[starts.len() - 1];
        self.cells.clear();
        self.cells.resize(self.m * self.m, 0.0);
        self.rhs.clear();
        self.rhs.resize(self.m, 0.0);
        self.first.clear();
        self.first.push(0);
        let mut end = 0;
        for contact in pattern.order() {
            let contact = *contact as usize;
            end += starts[contact + 1] - starts[contact];
            self.first.push(end);
        }
    }

    /// The first row of a contact.
    pub fn first(&self, pattern: &Pattern, contact: usize) -> usize {
        self.first[pattern.place[contact] as usize]
    }

    /// Numbers of a row.
    pub fn row(&mut self, row: usize) -> &mut [f64] {
        &mut self.cells[row * self.m..(row + 1) * self.m]
    }

    /// Consecutive rows.
    pub fn rows(&mut self, first: usize, count: usize) -> impl Iterator<Item = &mut [f64]> {
        let rows = &mut self.cells[first * self.m..(first + count) * self.m];
        rows.chunks_exact_mut(self.m)
    }

    /// The right-hand side before, the solution after the elimination.
    pub fn side(&mut self) -> &mut [f64] {
        &mut self.rhs
    }

    /// (1) and back substitution. Returns `false` if the rows of a contact are linearly dependent.
    pub fn solve(&mut self, pattern: &Pattern) -> bool {
        self.ranges.clear();
        self.begin.clear();
        self.begin.push(0);
        for place in 0..pattern.bodies {
            self.find_ranges(pattern, place);
            self.begin.push(self.ranges.len());
            if !self.eliminate_own(place) {
                return false;
            }
            // at most three rows at a time: more are rare, and each number needs its own code
            let (mut from, to) = (self.first[place], self.first[place + 1]);
            while from < to {
                let rows = (to - from).min(3);
                match rows {
                    1 => self.eliminate_later::<1>(place, from),
                    2 => self.eliminate_later::<2>(place, from),
                    _ => self.eliminate_later::<3>(place, from),
                }
                from += rows;
            }
        }
        for place in (0..pattern.bodies).rev() {
            let (from, to) = (self.first[place], self.first[place + 1]);
            for k in (from..to).rev() {
                let row = &self.cells[k * self.m..(k + 1) * self.m];
                let mut sum = self.rhs[k];
                let ranges = &self.ranges[self.begin[place]..self.begin[place + 1]];
                for [first, last] in [[k + 1, to]].iter().chain(ranges) {
                    let known = row[*first..*last].iter().zip(&self.rhs[*first..*last]);
                    sum -= known.fold(0.0, |sum, (a, x)| sum + a * x);
                }
                self.rhs[k] = sum / row[k];
            }
        }
        true
    }

    /// Finds the later contacts that are coupled with a contact, and merges adjacent ones.
    fn find_ranges(&mut self, pattern: &Pattern, place: usize) {
        let m = self.m;
        let (from, to) = (self.first[place], self.first[place + 1]);
        let start = self.ranges.len();
        for later in &pattern.below[pattern.range(place)] {
            let later = *later as usize;
            let [first, last] = [self.first[later], self.first[later + 1]];
            // contacts that are currently open cause no fill-in
            let acts = (from..to).any(|k| {
                let row = self.cells[k * m + first..k * m + last].iter();
                let mut column = (first..last).map(|i| &self.cells[i * m + k]);
                row.fold(false, |any, x| any | (*x != 0.0)) || column.any(|x| *x != 0.0)
            });
            if !acts {
                continue;
            }
            match self.ranges[start..].last_mut() {
                Some(range) if range[1] == first => range[1] = last,
                _ => self.ranges.push([first, last]),
            }
        }
    }

    /// Eliminates within the rows of a contact.
    fn eliminate_own(&mut self, place: usize) -> bool {
        let m = self.m;
        let (from, to) = (self.first[place], self.first[place + 1]);
        let ranges = &self.ranges[self.begin[place]..];
        for k in from..to {
            let mut best = k;
            for i in k + 1..to {
                if self.cells[i * m + k].abs() > self.cells[best * m + k].abs() {
                    best = i;
                }
            }
            let (upper, lower) = self.cells.split_at_mut((k + 1) * m);
            let top = &mut upper[k * m..];
            if best != k {
                let other = &mut lower[(best - k - 1) * m..(best - k) * m];
                for [first, last] in [[k, to]].iter().chain(ranges) {
                    top[*first..*last].swap_with_slice(&mut other[*first..*last]);
                }
                self.rhs.swap(k, best);
            }
            let pivot = top[k];
            if pivot == 0.0 || !pivot.is_finite() {
                return false;
            }
            for i in k + 1..to {
                let row = &mut lower[(i - k - 1) * m..(i - k) * m];
                let factor = row[k] / pivot;
                if factor != 0.0 {
                    for [first, last] in [[k + 1, to]].iter().chain(ranges) {
                        let above = &top[*first..*last];
                        for (cell, above) in row[*first..*last].iter_mut().zip(above) {
                            *cell -= factor * above;
                        }
                    }
                    self.rhs[i] -= factor * self.rhs[k];
                }
            }
        }
        true
    }

    /// (1) for the later rows and `R` rows of a contact, starting at `from`.
    fn eliminate_later<const R: usize>(&mut self, place: usize, from: usize) {
        let m = self.m;
        let later = &self.ranges[self.begin[place]..];
        let to = self.first[place + 1];
        self.column_ranges.clear();
        if from + R < to {
            self.column_ranges.push([from + R, to]);
        }
        self.column_ranges.extend_from_slice(later);
        let ranges = &self.column_ranges;
        let width: usize = ranges.iter().map(|[first, last]| last - first).sum();
        self.panel.clear();
        for k in from..from + R {
            for [first, last] in ranges {
                let own = &self.cells[k * m + first..k * m + last];
                self.panel.extend_from_slice(own);
            }
        }
        let mut rows = self.panel.chunks_exact(width.max(1));
        let panel: [&[f64]; R] = std::array::from_fn(|_| rows.next().unwrap_or_default());
        let mut triangle = [[0.0; R]; R];
        let mut side = [0.0; R];
        let mut inverse = [0.0; R];
        for k in 0..R {
            let own = (from + k) * m + from;
            triangle[k].copy_from_slice(&self.cells[own..own + R]);
            inverse[k] = 1.0 / triangle[k][k];
            side[k] = self.rhs[from + k];
        }
        for [first, last] in later {
            for i in *first..*last {
                let row = &mut self.cells[i * m..(i + 1) * m];
                let mut factors = [0.0; R];
                for k in 0..R {
                    let mut sum = row[from + k];
                    for q in 0..k {
                        sum -= factors[q] * triangle[q][k];
                    }
                    factors[k] = sum * inverse[k];
                }
                if factors == [0.0; R] {
                    continue;
                }
                for k in 0..R {
                    self.rhs[i] -= factors[k] * side[k];
                }
                let mut at = 0;
                for [first, last] in ranges {
                    let next = at + last - first;
                    let above = panel.map(|row| &row[at..next]);
                    subtract(&mut row[*first..*last], &factors, above);
                    at = next;
                }
            }
        }
    }
}

/// `cells <- cells - sum_k factors_k above_k`.
#[inline(always)]
fn subtract<const R: usize>(cells: &mut [f64], factors: &[f64; R], above: [&[f64]; R]) {
    let above = above.map(|row| &row[..cells.len()]);
    for (j, cell) in cells.iter_mut().enumerate() {
        let mut x = *cell;
        for k in 0..R {
            x -= factors[k] * above[k][j];
        }
        *cell = x;
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
    fn contacts_with_none_to_all_rows_are_solved() {
        let mut state = 23;
        let mut elimination = Elimination::default();
        for count in [1, 2, 9, 40] {
            let pairs: Vec<[u32; 2]> = (1..count)
                .flat_map(|k| {
                    let mut pick =
                        || ((random(&mut state) + 1.0) * 0.499_999 * f64::from(k)) as u32;
                    [[pick(), k], [k - 1, k]]
                })
                .collect();
            let mut pattern = Pattern::default();
            pattern.analyse(count as usize, &pairs);
            let mut starts = vec![0];
            for k in 0..count as usize {
                starts.push(starts[k] + (3 * k + 1) % (MAX_ROWS + 1));
            }
            elimination.clear(&pattern, &starts);
            let m = starts[count as usize];
            let mut dense = vec![0.0; m * m];
            let own = (0..count).map(|k| [k, k]);
            let turned = pairs.iter().map(|[a, b]| [*b, *a]);
            for [a, b] in own.chain(pairs.iter().copied()).chain(turned) {
                let (a, b) = (a as usize, b as usize);
                let (row, column) = (
                    elimination.first(&pattern, a),
                    elimination.first(&pattern, b),
                );
                for i in 0..starts[a + 1] - starts[a] {
                    for j in 0..starts[b + 1] - starts[b] {
                        // the pivot of a contact's own rows is not on the diagonal
                        let large = a == b && (i + 1) % (starts[a + 1] - starts[a]) == j;
                        let x = if large { 4.0 } else { 0.1 * random(&mut state) };
                        elimination.row(row + i)[column + j] = x;
                        dense[(row + i) * m + column + j] = x;
                    }
                }
            }
            let side: Vec<f64> = (0..m).map(|_| random(&mut state)).collect();
            elimination.side().copy_from_slice(&side);
            assert!(elimination.solve(&pattern));
            for (row, side) in dense.chunks_exact(m).zip(&side) {
                let sum: f64 = row
                    .iter()
                    .zip(elimination.side())
                    .map(|(a, x)| a * *x)
                    .sum();
                assert!((sum - side).abs() < 1e-12, "{count}: {sum} {side}");
            }
        }
    }

    #[test]
    fn rows_that_depend_on_each_other_are_refused() {
        let mut pattern = Pattern::default();
        pattern.analyse(1, &[]);
        let mut elimination = Elimination::default();
        elimination.clear(&pattern, &[0, 2]);
        elimination.row(0).copy_from_slice(&[1.0, 2.0]);
        elimination.row(1).copy_from_slice(&[2.0, 4.0]);
        assert!(!elimination.solve(&pattern));
    }
}
