//! The system with fixed statuses in the space of the bodies, without W: for systems with many rows.
//!
//! (1)  A x - F c = 0,   G x + Y c = -b              one row per unknown; Y where a sliding direction yields
//! (2)  K = A + F w G,   w = 1/(delta D + Y),        D = diag(G M^-1 G^T)
//! (3)  r1 = F c - A x,  r2 = -b - G x - Y c;        K dx = r1 + F w r2,   dc = w (r2 - G dx)
//! (4)  shares of dependent rows, from a guess c':   K y = F (c - c'),   c' += w G y
//! (5)  rank(G) = positive eigenvalues of G^T D^-1 G - 1e-9 M
//!
//! K has a block for each body and for each pair of bodies that a row or a force element connects. (3) is the proximal point method: it
//! converges to the exact solution of (1) at the rate delta/lambda, lambda an eigenvalue of W relative to D, and leaves dependent rows as
//! they are. (4) has the limit D (c - c') in the range of G. All depends on the system alone, not on previous ones.

use super::fixed_mode::Unknown;
use crate::constraint::GlobalRow;
use crate::contact::block_lu::Factor;
use crate::contact::elimination_order::Pattern;
use crate::dynamics::Layout;
use crate::integrate::event_driven::metric::{self, Metric};
use crate::math::{Limit, larger};

/// delta: small enough for few corrections, large enough for K to keep seven digits.
const DELTA: f64 = 1e-9;

/// Eigenvalues below this are those of dependent rows.
const RANK: f64 = 1e-9;

/// Corrections (3) at most, and the part of the solution that may be missing after the last one.
const MAX_CORRECTIONS: usize = 8;
const EXACT: f64 = 1e-15;

/// A solution that stops improving at this part of it has reached its rounding error.
const ROUNDED: f64 = 1e-12;

/// Rounds of (4) at most, and the part of the impulses that may remain.
const MAX_SHARES: usize = 8;
const SHARED: f64 = 1e-14;

/// A row, with its parts on each of its bodies.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Range of `parts`.
    first: u32,
    end: u32,
    /// D.
    own: f64,
    weight: f64,
    yields: f64,
    rhs: f64,
}

/// Row and column of one body.
#[derive(Clone, Copy, Debug)]
struct Part<const N: usize> {
    body: u32,
    g: [f64; N],
    f: [f64; N],
}

/// What the unknown of a row is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equation {
    /// Added to the diagonal of W.
    pub yields: f64,
    /// Factor of D.
    pub stiffness: f64,
}

/// Workspace of (1) to (5).
#[derive(Debug, Default)]
pub(super) struct BodySpace<const N: usize> {
    pattern: Pattern,
    pairs: Vec<[u32; 2]>,
    factor: Factor<N>,
    /// Versions of the rows and of the metric that are factored, and their unknowns.
    version: Option<(u64, u64)>,
    unknowns: Vec<Unknown>,
    /// Matrix of (5), and whether no rows are dependent, if that is known.
    signs: Factor<N>,
    regular: Option<bool>,
    /// Are all columns equal to their rows?
    is_symmetric: bool,
    rows: Vec<Row>,
    parts: Vec<Part<N>>,
    /// Ranges of consecutive rows of the same bodies.
    groups: Vec<[u32; 2]>,
    /// Masses of each body, 1 for velocities that it does not have.
    mass: Vec<[f64; N]>,
    x: Vec<[f64; N]>,
    r: Vec<[f64; N]>,
    impulse: Vec<f64>,
    step: Vec<f64>,
    shares: Vec<f64>,
    /// Rate of convergence of the last solution.
    rate: f64,
    /// Multiplications since they were taken, about, without those of the factors.
    operations: u64,
}

impl<const N: usize> BodySpace<N> {
    /// Storage for the bodies of a layout and some rows; it grows with those that occur.
    pub fn new(layout: &Layout, n_rows: usize) -> Self {
        let n = layout.spans().len();
        let mut space = Self {
            pairs: Vec::with_capacity(layout.pairs().len() + n_rows),
            rows: Vec::with_capacity(n_rows),
            parts: Vec::with_capacity(2 * n_rows),
            groups: Vec::with_capacity(n_rows),
            mass: Vec::with_capacity(n),
            x: Vec::with_capacity(n),
            r: Vec::with_capacity(n),
            impulse: Vec::with_capacity(n_rows),
            step: Vec::with_capacity(n_rows),
            shares: Vec::with_capacity(n_rows),
            ..Self::default()
        };
        let n_pairs = layout.pairs().len() + n_rows;
        space.pattern.reserve(n, n_pairs);
        space.factor.reserve(n, n_pairs);
        space.signs.reserve(n, n_pairs);
        space.unknowns.reserve(n_rows);
        space
    }

    /// Is it factored for these unknowns of a system?
    pub fn is_of(&self, version: (u64, u64), unknowns: &[Unknown]) -> bool {
        self.version == Some(version) && self.has_unknowns(unknowns)
    }

    /// Is it factored for these unknowns, perhaps of other rows?
    pub fn has_unknowns(&self, unknowns: &[Unknown]) -> bool {
        self.version.is_some() && self.unknowns == unknowns
    }

    /// Records for which unknowns it is factored.
    pub fn name(&mut self, version: (u64, u64), unknowns: &[Unknown]) {
        self.version = Some(version);
        self.unknowns.clear();
        self.unknowns.extend_from_slice(unknowns);
    }

    /// Sets -b of all rows.
    pub fn set_right_sides(&mut self, sides: impl Iterator<Item = f64>) {
        for (row, side) in self.rows.iter_mut().zip(sides) {
            row.rhs = side;
        }
    }

    /// Starts a system over the bodies of a layout.
    pub fn start(&mut self, layout: &Layout, mass: &[f64]) {
        self.version = None;
        self.regular = None;
        self.is_symmetric = true;
        self.rows.clear();
        self.parts.clear();
        self.groups.clear();
        self.mass.clear();
        for span in layout.spans() {
            let mut of_body = [1.0; N];
            of_body[..span.len].copy_from_slice(&mass[span.first..span.first + span.len]);
            self.mass.push(of_body);
        }
        let n = layout.spans().len();
        for list in [&mut self.x, &mut self.r] {
            list.resize(n, [0.0; N]);
        }
    }

    /// Adds a row: the sums of weighted rows and weighted columns, all of the same bodies.
    pub fn add(
        &mut self,
        layout: &Layout,
        rows: &[(f64, &GlobalRow)],
        columns: &[(f64, &GlobalRow)],
        equation: Equation,
    ) {
        let first = self.parts.len();
        let Some((_, of)) = rows.first() else {
            return;
        };
        for (side, span) in of
            .spans()
            .iter()
            .enumerate()
            .filter(|(_, span)| span.len > 0)
        {
            let mut part = Part {
                body: layout.body_of(span.first),
                g: [0.0; N],
                f: [0.0; N],
            };
            for (weight, row) in rows {
                let values = row.values(side);
                for k in 0..span.len {
                    part.g[k] += weight * values[k];
                }
            }
            for (weight, column) in columns {
                let values = column.values(side);
                for k in 0..span.len {
                    part.f[k] += weight * values[k];
                }
            }
            self.is_symmetric &= part.f == part.g;
            self.parts.push(part);
        }
        self.add_parts(first, equation);
    }

    /// Adds a row as it is, with its column.
    pub fn add_plain(
        &mut self,
        layout: &Layout,
        row: &GlobalRow,
        column: &GlobalRow,
        equation: Equation,
    ) {
        let first = self.parts.len();
        for (side, span) in row.spans().iter().enumerate() {
            if span.len > 0 {
                let mut part = Part {
                    body: layout.body_of(span.first),
                    g: [0.0; N],
                    f: [0.0; N],
                };
                let (g, f) = (row.values(side), column.values(side));
                // the common length as a constant
                let len = if span.len == N { N } else { span.len };
                part.g[..len].copy_from_slice(&g[..len]);
                part.f[..len].copy_from_slice(&f[..len]);
                self.is_symmetric &= part.f == part.g;
                self.parts.push(part);
            }
        }
        self.add_parts(first, equation);
    }

    // adds the row of the parts from `first`
    fn add_parts(&mut self, first: usize, equation: Equation) {
        let mut own = 0.0;
        for Part { body, g, .. } in &self.parts[first..] {
            let mass = &self.mass[*body as usize];
            for k in 0..N {
                own += g[k] * g[k] / mass[k];
            }
        }
        let Equation { yields, stiffness } = equation;
        let own = own * stiffness;
        let bodies = |range: std::ops::Range<usize>| self.parts[range].iter().map(|p| p.body);
        let continues = self.rows.last().is_some_and(|last| {
            let last = last.first as usize..last.end as usize;
            bodies(last).eq(bodies(first..self.parts.len()))
        });
        if !continues {
            let row = self.rows.len() as u32;
            self.groups.push([row, row]);
        }
        if let Some([_, end]) = self.groups.last_mut() {
            *end += 1;
        }
        self.rows.push(Row {
            first: first as u32,
            end: self.parts.len() as u32,
            own,
            // a row without effect is left out
            weight: if own > 0.0 {
                1.0 / (DELTA * own + yields)
            } else {
                0.0
            },
            yields,
            rhs: 0.0,
        });
    }

    /// Orders the bodies: once all rows of the system are known.
    pub fn order(&mut self, layout: &Layout) {
        self.pairs.clear();
        self.pairs.extend_from_slice(layout.pairs());
        for [row, _] in &self.groups {
            let Row { first, end, .. } = self.rows[*row as usize];
            let of_group = &self.parts[first as usize..end as usize];
            for (k, a) in of_group.iter().enumerate() {
                for b in &of_group[k + 1..] {
                    self.pairs.push([a.body, b.body]);
                }
            }
        }
        self.pattern.analyse(layout.spans().len(), &self.pairs);
    }

    /// (5)
    pub fn rank(&mut self, layout: &Layout) -> usize {
        let Self {
            pattern,
            signs,
            rows,
            parts,
            groups,
            mass,
            ..
        } = self;
        signs.clear(pattern);
        for (body, mass) in mass.iter().enumerate() {
            let own = signs.own(pattern, body as u32);
            for k in 0..N {
                own[k][k] = -RANK * mass[k];
            }
        }
        let inverse = |row: &Row| if row.own > 0.0 { 1.0 / row.own } else { 0.0 };
        add_symmetric(
            signs,
            pattern,
            layout.pairs().len(),
            (rows, parts, groups),
            inverse,
        );
        signs.positive_eigenvalues(pattern)
    }

    /// Are no rows dependent? (5)
    pub fn is_regular(&mut self, layout: &Layout) -> bool {
        if let Some(known) = self.regular {
            return known;
        }
        let regular = self.rank(layout) == self.rows.len();
        self.regular = Some(regular);
        regular
    }

    /// (2): false if K is singular.
    pub fn factorise(&mut self, layout: &Layout, metric: &Metric) -> bool {
        let Self {
            pattern,
            factor,
            rows,
            parts,
            groups,
            mass,
            ..
        } = self;
        self.operations += (2 * N * N * parts.len()) as u64;
        factor.clear(pattern);
        let rows = (&rows[..], &parts[..], &groups[..]);
        let pairs_before = layout.pairs().len();
        match metric.diagonal() {
            Some(_) => {
                for (body, mass) in mass.iter().enumerate() {
                    let own = factor.own(pattern, body as u32);
                    for k in 0..N {
                        own[k][k] = mass[k];
                    }
                }
            }
            None => metric::fill(factor, pattern, metric.matrix()),
        }
        if self.is_symmetric && metric.diagonal().is_some() {
            add_symmetric(factor, pattern, pairs_before, rows, |row| row.weight);
        } else {
            add_rows(factor, pattern, pairs_before, rows, |row| row.weight);
        }
        factor.factorise(pattern)
    }

    /// (3): false if the corrections do not converge.
    pub fn solve(&mut self, layout: &Layout, metric: &Metric) -> bool {
        self.x.fill([0.0; N]);
        self.impulse.clear();
        self.impulse.resize(self.rows.len(), 0.0);
        self.rate = 0.0;
        let mut last = f64::INFINITY;
        for round in 0..MAX_CORRECTIONS {
            self.operations += (4 * N * self.parts.len()) as u64;
            self.set_residual(layout, metric, round == 0);
            let (moved, size) = self.correct();
            if size == 0.0 {
                return true;
            }
            if !moved.is_finite() {
                return false;
            }
            if round > 0 {
                let rate = moved / last;
                self.rate = self.rate.at_least(rate);
                if moved * rate <= EXACT * size {
                    return true;
                }
                if rate > 0.5 {
                    return moved <= ROUNDED * size;
                }
            }
            last = moved;
        }
        last <= ROUNDED * self.size()
    }

    /// Multiplications since the last call, about.
    pub fn take_operations(&mut self) -> u64 {
        let of_factors = [&mut self.factor, &mut self.signs]
            .map(|factor| std::mem::take(&mut factor.operations));
        std::mem::take(&mut self.operations) + of_factors.iter().sum::<u64>()
    }

    /// Condition number of W, estimated from the convergence of the last solution; small ones are not distinguished.
    pub fn condition(&self) -> f64 {
        self.rate / DELTA
    }

    // r1 in `r`, r2 in `step`
    fn set_residual(&mut self, layout: &Layout, metric: &Metric, at_start: bool) {
        self.step.clear();
        if at_start {
            self.r.fill([0.0; N]);
            self.step.extend(self.rows.iter().map(|row| row.rhs));
            return;
        }
        self.set_product(layout, metric);
        for (row, c) in self.rows.iter().zip(&self.impulse) {
            let mut defect = row.rhs - row.yields * c;
            for Part { body, g, f } in &self.parts[row.first as usize..row.end as usize] {
                let (x, r) = (&self.x[*body as usize], &mut self.r[*body as usize]);
                for k in 0..N {
                    defect -= g[k] * x[k];
                    r[k] += c * f[k];
                }
            }
            self.step.push(defect);
        }
    }

    // -A x in `r`
    fn set_product(&mut self, layout: &Layout, metric: &Metric) {
        if metric.diagonal().is_some() {
            for ((r, x), mass) in self.r.iter_mut().zip(&self.x).zip(&self.mass) {
                for k in 0..N {
                    r[k] = -mass[k] * x[k];
                }
            }
            return;
        }
        let matrix = metric.matrix();
        let Self { r, x, .. } = self;
        r.fill([0.0; N]);
        let mut subtract = |a: usize, b: usize| {
            for (r, values) in r[a].iter_mut().zip(matrix.block(a, b)) {
                for (value, x) in values.iter().zip(&x[b]) {
                    *r -= value * x;
                }
            }
        };
        for body in 0..layout.spans().len() {
            subtract(body, body);
        }
        for [a, b] in layout.pairs() {
            subtract(*a as usize, *b as usize);
            subtract(*b as usize, *a as usize);
        }
    }

    // (3); returns the sizes of the correction and of the solution
    fn correct(&mut self) -> (f64, f64) {
        for (row, step) in self.rows.iter().zip(&mut self.step) {
            *step *= row.weight;
            for Part { body, f, .. } in &self.parts[row.first as usize..row.end as usize] {
                let r = &mut self.r[*body as usize];
                for k in 0..N {
                    r[k] += *step * f[k];
                }
            }
        }
        self.factor.solve(&self.pattern, &mut self.r);
        for ((row, step), c) in self.rows.iter().zip(&self.step).zip(&mut self.impulse) {
            let mut along = 0.0;
            for Part { body, g, .. } in &self.parts[row.first as usize..row.end as usize] {
                let dx = &self.r[*body as usize];
                for k in 0..N {
                    along += g[k] * dx[k];
                }
            }
            *c += step - row.weight * along;
        }
        let mut moved = 0.0;
        for ((x, dx), mass) in self.x.iter_mut().zip(&self.r).zip(&self.mass) {
            for k in 0..N {
                x[k] += dx[k];
                moved = larger(moved, mass[k] * dx[k] * dx[k]);
            }
        }
        (moved.sqrt(), self.size())
    }

    fn size(&self) -> f64 {
        let mut size = 0.0;
        for (x, mass) in self.x.iter().zip(&self.mass) {
            for k in 0..N {
                size = larger(size, mass[k] * x[k] * x[k]);
            }
        }
        size.sqrt()
    }

    /// (4) from a guess for each row, which it takes; rows that yield keep their impulses.
    pub fn share(&mut self, guess: impl Iterator<Item = f64>) {
        let mut shares = std::mem::take(&mut self.shares);
        shares.clear();
        shares.extend(guess);
        let rows = self.rows.iter().zip(&self.impulse);
        for (share, (row, c)) in shares.iter_mut().zip(rows) {
            if row.yields != 0.0 || row.weight == 0.0 {
                *share = *c;
            }
        }
        let mut size = 0.0;
        for (row, c) in self.rows.iter().zip(&self.impulse) {
            size = larger(size, c * c * row.own);
        }
        let mut last = f64::INFINITY;
        for _ in 0..MAX_SHARES {
            let rest = self.rest(&shares);
            if rest.is_nan() || rest <= SHARED * SHARED * size || rest > 0.25 * last {
                break;
            }
            last = rest;
            self.factor.solve(&self.pattern, &mut self.r);
            for (row, share) in self.rows.iter().zip(&mut shares) {
                if row.yields != 0.0 {
                    continue;
                }
                let mut along = 0.0;
                for Part { body, g, .. } in &self.parts[row.first as usize..row.end as usize] {
                    let y = &self.r[*body as usize];
                    for k in 0..N {
                        along += g[k] * y[k];
                    }
                }
                *share += row.weight * along;
            }
        }
        // otherwise the impulses of (3) remain
        if self.rest(&shares) <= ROUNDED * ROUNDED * size {
            std::mem::swap(&mut self.impulse, &mut shares);
        }
        self.shares = shares;
    }

    // F (c - shares) in `r`, and the square of its size
    fn rest(&mut self, shares: &[f64]) -> f64 {
        self.r.fill([0.0; N]);
        for ((row, c), share) in self.rows.iter().zip(&self.impulse).zip(shares) {
            for Part { body, f, .. } in &self.parts[row.first as usize..row.end as usize] {
                let r = &mut self.r[*body as usize];
                for k in 0..N {
                    r[k] += (c - share) * f[k];
                }
            }
        }
        let mut rest = 0.0;
        for (r, mass) in self.r.iter().zip(&self.mass) {
            for k in 0..N {
                rest = larger(rest, r[k] * r[k] / mass[k]);
            }
        }
        rest
    }

    /// c.
    pub fn impulses(&self) -> &[f64] {
        &self.impulse
    }

    /// Copies x.
    pub fn write(&self, layout: &Layout, x: &mut [f64]) {
        for (block, span) in self.x.iter().zip(layout.spans()) {
            x[span.first..span.first + span.len].copy_from_slice(&block[..span.len]);
        }
    }
}

/// Rows, their parts, and ranges of rows of the same bodies.
type Rows<'a, const N: usize> = (&'a [Row], &'a [Part<N>], &'a [[u32; 2]]);

// the parts of a row
fn parts_of<'a, const N: usize>(row: &Row, parts: &'a [Part<N>]) -> &'a [Part<N>] {
    &parts[row.first as usize..row.end as usize]
}

// adds `sum of weight f g^T` over the rows of each group to the blocks
fn add_rows<const N: usize>(
    factor: &mut Factor<N>,
    pattern: &Pattern,
    mut pair: usize,
    (rows, parts, groups): Rows<N>,
    weight: impl Fn(&Row) -> f64,
) {
    for [from, to] in groups {
        let group = &rows[*from as usize..*to as usize];
        let add = |block: &mut [[f64; N]; N], a: usize, b: usize| {
            for i in 0..N {
                let mut sums = block[i];
                for row in group {
                    let of = parts_of(row, parts);
                    let (scaled, g) = (weight(row) * of[a].f[i], &of[b].g);
                    for j in 0..N {
                        sums[j] += scaled * g[j];
                    }
                }
                block[i] = sums;
            }
        };
        let bodies = parts_of(&group[0], parts);
        for a in 0..bodies.len() {
            add(factor.own(pattern, bodies[a].body), a, a);
            for b in a + 1..bodies.len() {
                let (upper, lower) = factor.shared(pattern, pair);
                add(upper, a, b);
                add(lower, b, a);
                pair += 1;
            }
        }
    }
}

// the same for `weight g g^T`
fn add_symmetric<const N: usize>(
    factor: &mut Factor<N>,
    pattern: &Pattern,
    mut pair: usize,
    (rows, parts, groups): Rows<N>,
    weight: impl Fn(&Row) -> f64,
) {
    for [from, to] in groups {
        let group = &rows[*from as usize..*to as usize];
        let sums = |a: usize, b: usize, i: usize| {
            let mut sums = [0.0; N];
            for row in group {
                let of = parts_of(row, parts);
                let (scaled, g) = (weight(row) * of[a].g[i], &of[b].g);
                for j in 0..N {
                    sums[j] += scaled * g[j];
                }
            }
            sums
        };
        let bodies = parts_of(&group[0], parts);
        for a in 0..bodies.len() {
            let own = factor.own(pattern, bodies[a].body);
            for i in 0..N {
                for (x, sum) in own[i].iter_mut().zip(sums(a, a, i)) {
                    *x += sum;
                }
            }
            for b in a + 1..bodies.len() {
                let (upper, lower) = factor.shared(pattern, pair);
                for i in 0..N {
                    for (j, sum) in sums(a, b, i).into_iter().enumerate() {
                        upper[i][j] += sum;
                        lower[j][i] += sum;
                    }
                }
                pair += 1;
            }
        }
    }
}
