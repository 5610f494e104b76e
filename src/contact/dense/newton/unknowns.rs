//! Unknowns of a Newton step; equation numbers as in `newton`.

use crate::contact::dense::MAX_BLOCKS;
use crate::contact::dense::map::{self, State, augmented_impulse};
use crate::contact::dense::scaled::{BlockRows, Scaled};
use crate::contact::lcp::basis::grow;

/// An unknown: its row of `W` is `row_a W_i + row_b W_(i+1)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub row: usize,
    pub across: Option<[f64; 2]>,
    /// Factor of the row, (3).
    pub factor: f64,
    pub diagonal: f64,
    pub rhs: f64,
    /// End of its entries in `columns`.
    columns_end: usize,
}

/// How the unknowns of a contact determine its impulses, `E` of (1). The first three are frequent special cases.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// No unknown.
    Open,
    /// Three impulses.
    Stick,
    /// A normal row and a sliding block of two rows: `mu d`, then `p`.
    Slide([[f64; 2]; 2]),
    /// General, by `columns`.
    Other,
}

/// All unknowns of a step.
#[derive(Debug, Default)]
pub(super) struct Unknowns {
    pub all: Vec<Unknown>,
    /// First unknown of each contact, and the end.
    pub starts: Vec<usize>,
    /// One per contact.
    kinds: Vec<Kind>,
    /// `E`, column by column: row of `r` and factor.
    columns: Vec<(usize, f64)>,
}

impl Unknowns {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.all, n);
        grow(&mut self.starts, n + 1);
        grow(&mut self.kinds, n);
        grow(&mut self.columns, 2 * n);
    }

    /// `base + E x` of (1). Returns `false` if that is not finite.
    pub fn spread(&self, solution: &[f64], base: &mut [f64]) -> bool {
        let mut begin = 0;
        for (unknown, x) in self.all.iter().zip(solution) {
            for (i, factor) in &self.columns[begin..unknown.columns_end] {
                base[*i] += factor * x;
            }
            begin = unknown.columns_end;
        }
        base.iter().all(|x| x.is_finite())
    }

    /// Entries of some rows of `W E` for the unknowns of a contact, from those of `W` for its impulses.
    #[inline(always)]
    pub fn combine<'a>(
        &self,
        contact: usize,
        normal: usize,
        rows: impl Iterator<Item = (&'a [f64], &'a mut [f64])>,
    ) {
        match self.kinds[contact] {
            Kind::Open => {}
            Kind::Stick => {
                for (row, cells) in rows {
                    cells[..3].copy_from_slice(&row[..3]);
                }
            }
            Kind::Slide([d, p]) => {
                for (row, cells) in rows {
                    let (row, cells) = (&row[..3], &mut cells[..2]);
                    cells[0] = row[0] + d[0] * row[1] + d[1] * row[2];
                    cells[1] = p[0] * row[1] + p[1] * row[2];
                }
            }
            Kind::Other => {
                for (row, cells) in rows {
                    self.combine_other(contact, normal, row, cells);
                }
            }
        }
    }

    #[inline(never)]
    fn combine_other(&self, contact: usize, normal: usize, row: &[f64], cells: &mut [f64]) {
        let own = self.starts[contact]..self.starts[contact + 1];
        let mut begin = match own.start {
            0 => 0,
            k => self.all[k - 1].columns_end,
        };
        for (unknown, cell) in self.all[own].iter().zip(cells) {
            let entries = self.columns[begin..unknown.columns_end].iter();
            begin = unknown.columns_end;
            *cell = entries.fold(0.0, |sum, (j, f)| sum + f * row[*j - normal]);
        }
    }

    /// (1): collects the unknowns, and sets `base` to the part of `dr` that does not depend on them.
    pub fn collect(
        &mut self,
        scaled: &Scaled,
        r: &[f64],
        u: &[f64],
        damping: f64,
        base: &mut [f64],
    ) {
        self.all.clear();
        self.columns.clear();
        self.starts.clear();
        self.starts.push(0);
        self.kinds.clear();
        let soft = scaled.prox + damping;
        for contact in &scaled.contacts {
            let n = contact.normal;
            let y_n = r[n] - contact.rho * u[n];
            if y_n <= 0.0 {
                base[n] = -r[n];
                for block in contact.blocks() {
                    for i in block.first..block.first + block.rows {
                        base[i] = -r[i];
                    }
                }
                self.starts.push(self.all.len());
                self.kinds.push(Kind::Open);
                continue;
            }
            let mut states = [State::Stick; MAX_BLOCKS];
            for (state, block) in states.iter_mut().zip(contact.blocks()) {
                *state = map::state(block, y_n, augmented_impulse(block, r, u));
            }
            self.kinds.push(match (contact.blocks(), &states[0]) {
                ([block], State::Stick) if block.rows == 2 => Kind::Stick,
                ([block], State::Slip { d, .. }) if block.rows == 2 && block.friction > 0.0 => {
                    Kind::Slide([d.map(|d| block.friction * d), [-d[1], d[0]]])
                }
                _ => Kind::Other,
            });
            base[n] = 0.0;
            self.columns.push((n, 1.0));
            let of_normal = self.all.len();
            self.push(n, soft * scaled.stiffness[n], -u[n]);
            // the column of the normal first, then those of the blocks
            for (block, state) in contact.blocks().iter().zip(&states) {
                if let State::Slip { d, .. } = state {
                    for lane in 0..block.rows {
                        self.columns
                            .push((block.first + lane, block.friction * d[lane]));
                    }
                }
            }
            self.all[of_normal].columns_end = self.columns.len();
            for (block, state) in contact.blocks().iter().zip(states) {
                let own = block.first..block.first + block.rows;
                match state {
                    State::Stick => {
                        for i in own {
                            base[i] = 0.0;
                            self.columns.push((i, 1.0));
                            self.push(i, soft * scaled.stiffness[i], -u[i]);
                        }
                    }
                    State::Slip { d, s } => {
                        let limit = block.friction * r[n];
                        let stiffness = scaled.stiffness[block.first];
                        let diagonal = (1.0 - s) / block.rho + s * soft * stiffness;
                        self.collect_slip(block, (d, s), limit, diagonal, r, base);
                    }
                }
            }
            self.starts.push(self.all.len());
        }
    }

    /// An unknown that is an impulse itself; its column is the last one.
    fn push(&mut self, row: usize, diagonal: f64, rhs: f64) {
        self.all.push(Unknown {
            row,
            across: None,
            factor: 1.0,
            diagonal,
            rhs,
            columns_end: self.columns.len(),
        });
    }

    /// (1), (3) of a slipping block with slip direction `d`.
    fn collect_slip(
        &mut self,
        block: &BlockRows,
        (d, s): ([f64; 2], f64),
        limit: f64,
        diagonal: f64,
        r: &[f64],
        base: &mut [f64],
    ) {
        let i = block.first;
        if block.rows == 1 || block.friction == 0.0 {
            for lane in 0..block.rows {
                base[i + lane] = limit * d[lane] - r[i + lane];
            }
            return;
        }
        let p = [-d[1], d[0]];
        let along = limit - (d[0] * r[i] + d[1] * r[i + 1]);
        base[i] = along * d[0];
        base[i + 1] = along * d[1];
        self.columns.push((i, p[0]));
        self.columns.push((i + 1, p[1]));
        let f_p = p[0] * r[i] + p[1] * r[i + 1];
        self.all.push(Unknown {
            row: i,
            across: Some(p),
            factor: s,
            diagonal,
            rhs: -f_p / block.rho,
            columns_end: self.columns.len(),
        });
    }
}
