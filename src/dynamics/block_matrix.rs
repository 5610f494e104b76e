//! Matrices over the velocities with entries only between bodies that a force element couples.
//!
//! The rows of a body have all their columns side by side: those of the body and of its neighbours, in ascending order. With few
//! velocities every body is a neighbour of all others: then the matrix is dense and row-major.

use crate::constraint::Span;
use crate::model::Model;
use std::ops::Range;
use std::sync::Arc;

/// Matrices with at most this many velocities are dense: two bodies in space, four in the plane.
const SMALL: usize = 12;

/// Which entries a matrix has.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Number of velocities.
    n: usize,
    /// Range of each body in the vector of velocities.
    spans: Vec<Span>,
    /// The body of each velocity.
    body_of: Vec<u32>,
    /// Pairs of bodies with a block off the diagonal, the lower index first; none in a dense matrix.
    pairs: Vec<[u32; 2]>,
    /// Columns of the rows of each body, joined where they are adjacent.
    columns: Vec<Range<usize>>,
    /// Ranges of `columns` of each body.
    of_body: Vec<Range<usize>>,
    /// Number of columns of each body, and where its values start.
    width: Vec<usize>,
    start: Vec<usize>,
    n_values: usize,
    is_dense: bool,
}

impl Layout {
    /// For the force elements of a model.
    pub fn new(model: &Model) -> Self {
        let n = model.n_velocities;
        let is_dense = n <= SMALL;
        let mut pairs = Vec::new();
        for link in &model.forces {
            if let [Some(a), Some(b)] = link.bodies
                && a != b
            {
                pairs.push([a.min(b) as u32, a.max(b) as u32]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut layout = Self {
            n,
            is_dense,
            ..Self::default()
        };
        for (i, body) in model.bodies.iter().enumerate() {
            layout.spans.push(Span {
                first: body.first,
                len: body.n_dof,
            });
            layout.body_of.extend((0..body.n_dof).map(|_| i as u32));
        }
        let mut neighbours: Vec<Vec<usize>> = match is_dense {
            true => vec![(0..model.bodies.len()).collect(); model.bodies.len()],
            false => (0..model.bodies.len()).map(|i| vec![i]).collect(),
        };
        if !is_dense {
            for [a, b] in pairs.iter().map(|pair| pair.map(|i| i as usize)) {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
            neighbours.iter_mut().for_each(|list| list.sort_unstable());
            layout.pairs = pairs;
        }
        for (i, neighbours) in neighbours.into_iter().enumerate() {
            let first = layout.columns.len();
            let mut width = 0;
            for j in neighbours {
                let Span { first: at, len } = layout.spans[j];
                width += len;
                match layout.columns[first..].last_mut() {
                    Some(last) if last.end == at => last.end += len,
                    _ => layout.columns.push(at..at + len),
                }
            }
            layout.of_body.push(first..layout.columns.len());
            layout.start.push(layout.n_values);
            layout.width.push(width);
            layout.n_values += width * layout.spans[i].len;
        }
        layout
    }

    /// Number of velocities.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Is every body a neighbour of all others? Then the values are those of a row-major matrix.
    pub fn is_dense(&self) -> bool {
        self.is_dense
    }

    /// Pairs of bodies with a block off the diagonal, the lower index first; none in a dense matrix.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Range of each body in the vector of velocities.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The body of each velocity.
    pub fn body_of(&self, velocity: usize) -> u32 {
        self.body_of[velocity]
    }

    // the columns of a row, and where its values start
    #[inline]
    fn row(&self, row: usize) -> (&[Range<usize>], usize) {
        if self.is_dense {
            return (&self.columns[..1], row * self.n);
        }
        let body = self.body_of[row] as usize;
        let columns = &self.columns[self.of_body[body].clone()];
        let start = self.start[body] + (row - self.spans[body].first) * self.width[body];
        (columns, start)
    }

    // place of an entry among the values
    #[inline]
    fn place(&self, row: usize, column: usize) -> usize {
        if self.is_dense {
            return row * self.n + column;
        }
        let (columns, mut at) = self.row(row);
        for range in columns {
            if range.contains(&column) {
                return at + column - range.start;
            }
            at += range.len();
        }
        debug_assert!(false, "bodies that no force element couples");
        at - 1
    }
}

/// A matrix with the entries of a [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    /// Its entries.
    pub layout: Arc<Layout>,
    /// Their values.
    pub values: Vec<f64>,
}

impl BlockMatrix {
    /// Zero.
    pub fn new(layout: &Arc<Layout>) -> Self {
        Self {
            layout: layout.clone(),
            values: vec![0.0; layout.n_values],
        }
    }

    /// Entry on the diagonal.
    #[inline]
    pub fn diagonal(&self, i: usize) -> f64 {
        self.values[self.layout.place(i, i)]
    }

    /// Entry of two bodies that are coupled, or of one body.
    #[inline]
    pub fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.values[self.layout.place(row, column)]
    }

    /// Columns and values of a row.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (columns, start) = self.layout.row(row);
        let values = self.values[start..].iter().copied();
        columns.iter().flat_map(Range::clone).zip(values)
    }

    /// Scalar product of a row with a vector of velocities.
    #[inline]
    pub fn row_product(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, mut at) = self.layout.row(row);
        let mut sum = 0.0;
        for range in columns {
            let values = &self.values[at..at + range.len()];
            for (value, x) in values.iter().zip(&x[range.clone()]) {
                sum += value * x;
            }
            at += range.len();
        }
        sum
    }

    /// The values of the block of two bodies that are coupled, or of one body, row by row.
    pub fn block(&self, row_body: usize, column_body: usize) -> impl Iterator<Item = &[f64]> + '_ {
        let Span { first, len } = self.layout.spans[row_body];
        let columns = self.layout.spans[column_body];
        let start = self.layout.place(first, columns.first);
        let width = self.layout.width[row_body];
        (0..len).map(move |i| {
            let at = start + i * width;
            &self.values[at..at + columns.len]
        })
    }

    /// Adds `factor g g^T`; `gradient` has the coordinates of the first body, then those of the second.
    pub fn add_square<const N: usize>(
        &mut self,
        spans: [Span; 2],
        factor: f64,
        gradient: &[f64; N],
    ) {
        if factor == 0.0 {
            return;
        }
        self.each_row(
            spans,
            |row, first, values| {
                let scaled = factor * gradient[row];
                let gradient = &gradient[first..first + values.len()];
                for (x, g) in values.iter_mut().zip(gradient) {
                    *x += scaled * g;
                }
            },
            N / 2,
        );
    }

    /// Adds a block over the coordinates of two bodies.
    pub fn add_block<const N: usize>(&mut self, spans: [Span; 2], block: &[[f64; N]; N]) {
        self.each_row(
            spans,
            |row, first, values| {
                let block = &block[row][first..first + values.len()];
                for (x, value) in values.iter_mut().zip(block) {
                    *x += value;
                }
            },
            N / 2,
        );
    }

    // passes the rows of two bodies to `change`, with their index and that of their first column in a block of `2 half` coordinates
    #[inline]
    fn each_row(
        &mut self,
        spans: [Span; 2],
        mut change: impl FnMut(usize, usize, &mut [f64]),
        half: usize,
    ) {
        for (rows, row_block) in spans.into_iter().zip([0, half]) {
            for (columns, column_block) in spans.into_iter().zip([0, half]) {
                if rows.len == 0 || columns.len == 0 {
                    continue;
                }
                let start = self.layout.place(rows.first, columns.first);
                let width = self.layout.width[self.layout.body_of[rows.first] as usize];
                for i in 0..rows.len {
                    let at = start + i * width;
                    let values = &mut self.values[at..at + columns.len];
                    change(row_block + i, column_block, values);
                }
            }
        }
    }
}
