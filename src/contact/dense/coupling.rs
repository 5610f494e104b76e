//! Sparsity of the Delassus matrix `W`: in a pile most contacts are not coupled. Products with `W` and the linear systems
//! of Newton's method then skip the zero blocks.

use super::scaled::ContactRows;
use crate::contact::elimination_order::Pattern;
use crate::contact::lcp::all_finite;
use crate::contact::lcp::basis::grow;

/// Smallest number of rows for which sparsity is checked.
pub(super) const FEWEST_ROWS: usize = 48;

/// Largest density of `W` for sparse products.
const PART: f64 = 0.5;

/// Largest fraction of the multiplications of a dense elimination for sparse elimination.
const ELIMINATION_PART: f64 = 0.4;

/// Columns processed together; those of a contact are padded to a multiple.
const LANES: usize = 4;

/// Rows of a contact in space, processed together.
const IN_SPACE: usize = 3;

/// Location of the columns of a contact and of the entries of its rows.
#[derive(Clone, Copy, Debug)]
struct Place {
    values: usize,
    columns: usize,
    /// In multiples of `LANES`.
    width: usize,
}

/// The nonzero blocks of `W`.
#[derive(Debug, Default)]
pub(super) struct Coupling {
    /// Are products sparse?
    pub sparse: bool,
    /// Are eliminations sparse as well?
    pub eliminates: bool,
    /// The order of elimination.
    pub pattern: Pattern,
    /// Do all contacts have three rows?
    in_space: bool,
    /// First row of each contact, and the end.
    first: Vec<usize>,
    /// The contact of each row.
    contact: Vec<usize>,
    /// Start of the entries of each contact in `neighbours`.
    begin: Vec<usize>,
    /// Contacts coupled with a contact, itself included, increasing; and the index of their first column in its rows.
    neighbours: Vec<(usize, usize)>,
    /// One per contact.
    places: Vec<Place>,
    columns: Vec<[u32; LANES]>,
    values: Vec<[f64; LANES]>,
    pairs: Vec<[u32; 2]>,
    /// Are two contacts coupled? Row by row.
    acts: Vec<bool>,
    /// Bitwise or of the rows of a contact.
    bits: Vec<u64>,
}

impl Coupling {
    pub fn reserve(&mut self, n: usize) {
        if n < FEWEST_ROWS {
            return;
        }
        let most = (PART * (n * n) as f64) as usize + LANES * n;
        grow(&mut self.first, n + 1);
        grow(&mut self.contact, n);
        grow(&mut self.begin, n + 1);
        grow(&mut self.neighbours, most);
        grow(&mut self.places, n);
        grow(&mut self.columns, most / LANES + n);
        grow(&mut self.values, most / LANES + n);
        grow(&mut self.pairs, most);
        grow(&mut self.acts, n * n);
        grow(&mut self.bits, n);
        self.pattern.reserve(n, most);
    }

    /// Analyses a matrix of `n` rows and stores its entries, scaled by row and column.
    pub fn set(&mut self, n: usize, matrix: &[f64], scale: &[f64], contacts: &[ContactRows]) {
        self.sparse = false;
        self.eliminates = false;
        if n < FEWEST_ROWS {
            return;
        }
        self.first.clear();
        self.first.extend(contacts.iter().map(|c| c.normal));
        self.first.push(n);
        let mut ends = self.first.windows(2);
        self.in_space = ends.all(|ends| ends[1] - ends[0] == IN_SPACE);
        self.find(n, matrix);
        if !self.list(n) {
            return;
        }
        self.sparse = true;
        self.pack(n, matrix, scale);
        self.pattern.analyse(contacts.len(), &self.pairs);
        let all = (n * n * n) as f64 / 3.0;
        self.eliminates = self.work() < ELIMINATION_PART * all;
    }

    /// Fills `acts`, symmetrically.
    fn find(&mut self, n: usize, matrix: &[f64]) {
        let count = self.first.len() - 1;
        self.acts.clear();
        self.acts.resize(count * count, false);
        for one in 0..count {
            self.add_up(&matrix[self.first[one] * n..self.first[one + 1] * n], n);
            let own = &mut self.acts[one * count..(one + 1) * count];
            if self.in_space {
                let (bits, _) = self.bits.as_chunks::<IN_SPACE>();
                for (acts, bits) in own.iter_mut().zip(bits) {
                    *acts = bits[0] | bits[1] | bits[2] != 0;
                }
            } else {
                for (acts, ends) in own.iter_mut().zip(self.first.windows(2)) {
                    let bits = self.bits[ends[0]..ends[1]].iter();
                    *acts = bits.fold(0, |any, bits| any | bits) != 0;
                }
            }
            own[one] = true;
        }
        for one in 0..count {
            for other in 0..one {
                let (a, b) = (one * count + other, other * count + one);
                let either = self.acts[a] | self.acts[b];
                self.acts[a] = either;
                self.acts[b] = either;
            }
        }
    }

    /// Fills `bits`, column by column: nonzero if one of these rows is.
    fn add_up(&mut self, rows: &[f64], n: usize) {
        // without the sign bit, because of -0
        let bits = |x: &f64| x.to_bits() << 1;
        self.bits.clear();
        if rows.len() == IN_SPACE * n {
            let (a, rest) = rows.split_at(n);
            let (b, c) = rest.split_at(n);
            let all = a.iter().zip(b).zip(c);
            self.bits
                .extend(all.map(|((a, b), c)| bits(a) | bits(b) | bits(c)));
            return;
        }
        self.bits.resize(n, 0);
        for row in rows.chunks_exact(n) {
            for (all, x) in self.bits.iter_mut().zip(row) {
                *all |= bits(x);
            }
        }
    }

    /// Lists the neighbours and pairs. Returns `false` if there are too many.
    fn list(&mut self, n: usize) -> bool {
        let most = PART * (n * n) as f64;
        let count = self.first.len() - 1;
        let mut cells = 0;
        self.begin.clear();
        self.neighbours.clear();
        self.pairs.clear();
        self.begin.push(0);
        for (one, acts) in self.acts.chunks_exact(count).enumerate() {
            let mut columns = 0;
            for (other, _) in acts.iter().enumerate().filter(|(_, acts)| **acts) {
                self.neighbours.push((other, columns));
                columns += self.first[other + 1] - self.first[other];
                if other > one {
                    self.pairs.push([one as u32, other as u32]);
                }
            }
            cells += (self.first[one + 1] - self.first[one]) * columns;
            if cells as f64 > most {
                return false;
            }
            self.begin.push(self.neighbours.len());
        }
        true
    }

    fn pack(&mut self, n: usize, matrix: &[f64], scale: &[f64]) {
        self.contact.clear();
        self.places.clear();
        self.columns.clear();
        self.values.clear();
        for one in 0..self.first.len() - 1 {
            let (values, columns) = (self.values.len(), self.columns.len());
            let others = &self.neighbours[self.begin[one]..self.begin[one + 1]];
            let &(last, at) = &others[others.len() - 1];
            let count = at + self.first[last + 1] - self.first[last];
            let width = count.div_ceil(LANES);
            self.columns.resize(columns + width, [0; LANES]);
            let own = self.columns[columns..].as_flattened_mut();
            for (other, at) in others {
                let all = self.first[*other]..self.first[*other + 1];
                for (column, j) in own[*at..].iter_mut().zip(all) {
                    *column = j as u32;
                }
            }
            let own = &self.columns[columns..].as_flattened()[..count];
            for i in self.first[one]..self.first[one + 1] {
                let row = &matrix[i * n..(i + 1) * n];
                let values = self.values.len();
                self.values.resize(values + width, [0.0; LANES]);
                let cells = self.values[values..].as_flattened_mut();
                for (cell, j) in cells.iter_mut().zip(own) {
                    *cell = row[*j as usize] * scale[*j as usize] * scale[i];
                }
                self.contact.push(one);
            }
            self.places.push(Place {
                values,
                columns,
                width,
            });
        }
    }

    /// Multiplications of a sparse elimination.
    fn work(&self) -> f64 {
        let rows = |place: usize| {
            let contact = self.pattern.order()[place] as usize;
            self.first[contact + 1] - self.first[contact]
        };
        let work = (0..self.pattern.bodies).map(|place| {
            let below = self.pattern.below[self.pattern.range(place)].iter();
            let all = below.fold(rows(place), |sum, later| sum + rows(*later as usize));
            (rows(place) * all * all) as f64
        });
        work.sum()
    }

    /// Are all stored entries finite?
    pub fn is_finite(&self) -> bool {
        !self.sparse || all_finite(self.values.as_flattened())
    }

    /// The contacts coupled with a contact, and the start of their columns in a [row](Self::row) of it.
    pub fn neighbours(&self, contact: usize) -> &[(usize, usize)] {
        &self.neighbours[self.begin[contact]..self.begin[contact + 1]]
    }

    /// First row of a contact.
    pub fn first(&self, contact: usize) -> usize {
        self.first[contact]
    }

    #[inline]
    fn groups(&self, i: usize) -> &[[f64; LANES]] {
        let contact = self.contact[i];
        let Place { values, width, .. } = self.places[contact];
        let values = values + (i - self.first[contact]) * width;
        &self.values[values..values + width]
    }

    #[inline]
    fn columns(&self, contact: usize) -> &[[u32; LANES]] {
        let Place { columns, width, .. } = self.places[contact];
        &self.columns[columns..columns + width]
    }

    /// The nonzero entries of a row of `W`.
    pub fn row(&self, i: usize) -> &[f64] {
        self.groups(i).as_flattened()
    }

    /// The same, with the zeros.
    pub fn write_row(&self, i: usize, row: &mut [f64]) {
        row.fill(0.0);
        let numbers = self.row(i);
        for (other, at) in self.neighbours(self.contact[i]) {
            let own = &mut row[self.first[*other]..self.first[*other + 1]];
            own.copy_from_slice(&numbers[*at..*at + own.len()]);
        }
    }

    /// An entry of `W`.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let all = self.neighbours(self.contact[i]);
        let place = all.binary_search_by_key(&self.contact[j], |(other, _)| *other);
        place.map_or(0.0, |k| self.row(i)[all[k].1 + j - self.first[all[k].0]])
    }

    /// Row `i` of `W x`.
    pub fn product(&self, i: usize, x: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        for (values, columns) in self.groups(i).iter().zip(self.columns(self.contact[i])) {
            for lane in 0..LANES {
                sums[lane] += values[lane] * x[columns[lane] as usize];
            }
        }
        total(sums)
    }

    /// `W x`.
    pub fn products(&self, x: &[f64], y: &mut [f64]) {
        for contact in 0..self.places.len() {
            let rows = self.first[contact]..self.first[contact + 1];
            if rows.len() == IN_SPACE {
                let own = self.three(rows.start, x);
                y[rows].copy_from_slice(&own);
            } else {
                for i in rows {
                    y[i] = self.product(i, x);
                }
            }
        }
    }

    /// Rows `first..first + 3` of `W x`, of one contact.
    pub fn three(&self, first: usize, x: &[f64]) -> [f64; IN_SPACE] {
        let contact = self.contact[first];
        let (a, b, c) = (
            self.groups(first),
            self.groups(first + 1),
            self.groups(first + 2),
        );
        let mut sums = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (((a, b), c), columns) in a.iter().zip(b).zip(c).zip(self.columns(contact)) {
            let x = columns.map(|j| x[j as usize]);
            for lane in 0..LANES {
                sums.0[lane] += a[lane] * x[lane];
            }
            for lane in 0..LANES {
                sums.1[lane] += b[lane] * x[lane];
            }
            for lane in 0..LANES {
                sums.2[lane] += c[lane] * x[lane];
            }
        }
        [total(sums.0), total(sums.1), total(sums.2)]
    }
}

/// A separate function for speed, as in `scaled`.
#[inline(never)]
fn total(sums: [f64; LANES]) -> f64 {
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts with these numbers of rows; `acts` says which are coupled.
    fn coupling(rows: &[usize], acts: impl Fn(usize, usize) -> bool) -> (Coupling, Vec<f64>) {
        let n: usize = rows.iter().sum();
        let owners: Vec<usize> = (0..rows.len())
            .flat_map(|contact| vec![contact; rows[contact]])
            .collect();
        let matrix: Vec<f64> = (0..n * n)
            .map(|k| {
                let acts = acts(owners[k / n], owners[k % n]);
                if acts { 1.0 + k as f64 / 7.0 } else { -0.0 }
            })
            .collect();
        let contacts: Vec<ContactRows> = (0..rows.len())
            .map(|contact| ContactRows {
                normal: rows[..contact].iter().sum(),
                ..ContactRows::default()
            })
            .collect();
        let mut coupling = Coupling::default();
        coupling.set(n, &matrix, &vec![1.0; n], &contacts);
        (coupling, matrix)
    }

    #[test]
    fn zeros_are_left_out_of_products() {
        let rows: Vec<usize> = (0..30).map(|k| [3, 3, 3, 1, 7, 2][k % 6]).collect();
        for rows in [vec![3; 30], rows] {
            // one of them in one direction only
            let near = |a: usize, b: usize| a.abs_diff(b) < 2 || (a, b) == (3, 20);
            let (coupling, matrix) = coupling(&rows, near);
            assert!(coupling.sparse && coupling.eliminates);
            assert!(coupling.neighbours(20).iter().any(|(other, _)| *other == 3));
            let n: usize = rows.iter().sum();
            let x: Vec<f64> = (0..n).map(|i| (i % 13) as f64 - 6.0).collect();
            let mut y = vec![0.0; n];
            coupling.products(&x, &mut y);
            for i in 0..n {
                let row = &matrix[i * n..(i + 1) * n];
                let expected: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                let size: f64 = row.iter().zip(&x).map(|(a, x)| (a * x).abs()).sum();
                assert!((y[i] - expected).abs() <= 1e-14 * size, "{i}");
                assert!((coupling.product(i, &x) - expected).abs() <= 1e-14 * size);
            }
        }
    }

    #[test]
    fn few_rows_and_few_zeros_are_left_as_they_are() {
        assert!(!coupling(&[3; 15], |a, b| a == b).0.sparse);
        assert!(!coupling(&[3; 30], |a, b| a.abs_diff(b) < 12).0.sparse);
        let (hub, _) = coupling(&[3; 30], |a, b| a == b || a == 0 || b == 0);
        assert!(hub.sparse && hub.eliminates);
    }
}
