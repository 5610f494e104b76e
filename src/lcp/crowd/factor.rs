//! Linear systems of the bodies: sparse, in blocks of one body, elimination in an order that keeps them sparse.
//!
//! ```text
//! (1)  K = sum of blocks over pairs of bodies that touch; its pattern is symmetric, its numbers need not be
//! (2)  K = L U,   U with unit diagonal blocks, L with diagonal blocks D;   K_ij <- K_ij - L_ip U_pj
//! ```
//!
//! The order is the one of least degree: the body with the fewest neighbours goes next, and leaves its neighbours as
//! neighbours of each other. Rows are interchanged within a diagonal block only.

use super::FREEDOMS;

/// A block of one body by one body.
pub(super) type Cell = [[f64; FREEDOMS]; FREEDOMS];

/// Velocities or impulses of one body.
pub(super) type Six = [f64; FREEDOMS];

const EMPTY: Cell = [[0.0; FREEDOMS]; FREEDOMS];

/// The order and the pattern of (2) for given pairs; kept as long as the pairs stay.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    bodies: usize,
    pairs: Vec<[u32; 2]>,
    /// Place of each body in the order.
    place: Vec<u32>,
    /// Entries of `below` of each place begin here.
    begin: Vec<u32>,
    /// Later places whose bodies are neighbours at elimination, increasing.
    below: Vec<u32>,
    /// For each pair: its entry of `below`.
    entry: Vec<u32>,
    scratch: Degrees,
}

/// Neighbours during the elimination: bodies, and eliminated bodies whose lists stand for all in them.
#[derive(Debug, Default)]
struct Degrees {
    start: Vec<u32>,
    /// Bodies first, then eliminated ones; a list never grows.
    items: Vec<u32>,
    bodies: Vec<u32>,
    eliminated: Vec<u32>,
    degree: Vec<u32>,
    mark: Vec<u32>,
    stamp: u32,
    /// List of each eliminated body.
    first: Vec<u32>,
    last: Vec<u32>,
    pool: Vec<u32>,
    order: Vec<u32>,
    /// Bodies of one degree, chained.
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Degrees {
    fn stamp(&mut self) -> u32 {
        self.stamp += 1;
        self.stamp
    }

    fn insert(&mut self, body: u32) {
        let degree = self.degree[body as usize] as usize;
        let old = self.head[degree];
        self.next[body as usize] = old;
        self.previous[body as usize] = NONE;
        if old != NONE {
            self.previous[old as usize] = body;
        }
        self.head[degree] = body;
    }

    fn remove(&mut self, body: u32) {
        let (next, previous) = (self.next[body as usize], self.previous[body as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else {
            self.head[self.degree[body as usize] as usize] = next;
        }
    }

    /// Lists of neighbours without doubles.
    fn load(&mut self, n: usize, pairs: &[[u32; 2]]) {
        self.start.clear();
        self.start.resize(n + 2, 0);
        for [a, b] in pairs {
            self.start[*a as usize + 2] += 1;
            self.start[*b as usize + 2] += 1;
        }
        for k in 2..n + 2 {
            self.start[k] += self.start[k - 1];
        }
        self.items.clear();
        self.items.resize(2 * pairs.len(), 0);
        for [a, b] in pairs {
            for (one, other) in [(a, b), (b, a)] {
                let at = &mut self.start[*one as usize + 1];
                self.items[*at as usize] = *other;
                *at += 1;
            }
        }
        for list in [&mut self.bodies, &mut self.eliminated, &mut self.degree] {
            list.clear();
            list.resize(n, 0);
        }
        for list in [
            &mut self.first,
            &mut self.last,
            &mut self.next,
            &mut self.previous,
            &mut self.mark,
        ] {
            list.clear();
            list.resize(n, 0);
        }
        self.head.clear();
        self.head.resize(n + 1, NONE);
        self.stamp = 0;
        self.pool.clear();
        self.order.clear();
        for body in (0..n).rev() {
            let stamp = self.stamp();
            let (from, to) = (self.start[body] as usize, self.start[body + 1] as usize);
            let mut kept = from;
            for k in from..to {
                let other = self.items[k];
                if self.mark[other as usize] != stamp {
                    self.mark[other as usize] = stamp;
                    self.items[kept] = other;
                    kept += 1;
                }
            }
            self.bodies[body] = (kept - from) as u32;
            self.degree[body] = self.bodies[body];
            self.insert(body as u32);
        }
    }

    /// Fills `order`, and the lists `first..last` of `pool`.
    fn eliminate(&mut self, n: usize) {
        let mut least = 0;
        for _ in 0..n {
            while self.head[least] == NONE {
                least += 1;
            }
            let pivot = self.head[least];
            self.remove(pivot);
            self.order.push(pivot);
            // the pivot's neighbours, among them those in the lists that it absorbs
            let stamp = self.stamp();
            self.mark[pivot as usize] = stamp;
            let first = self.pool.len();
            let p = pivot as usize;
            let from = self.start[p] as usize;
            let plain = from..from + self.bodies[p] as usize;
            let absorbed = plain.end..plain.end + self.eliminated[p] as usize;
            for k in plain {
                let other = self.items[k];
                if self.mark[other as usize] != stamp {
                    self.mark[other as usize] = stamp;
                    self.pool.push(other);
                }
            }
            for k in absorbed.clone() {
                let e = self.items[k] as usize;
                for at in self.first[e] as usize..self.last[e] as usize {
                    let other = self.pool[at];
                    if self.mark[other as usize] != stamp && self.degree[other as usize] != NONE {
                        self.mark[other as usize] = stamp;
                        self.pool.push(other);
                    }
                }
            }
            self.degree[p] = NONE;
            (self.first[p], self.last[p]) = (first as u32, self.pool.len() as u32);
            for k in absorbed {
                // what it stood for is in the new list
                let e = self.items[k] as usize;
                self.bodies[e] = NONE;
            }
            for at in first..self.pool.len() {
                let other = self.pool[at];
                self.prune(other as usize, pivot, stamp);
            }
            for at in first..self.pool.len() {
                let other = self.pool[at];
                self.remove(other);
                self.count(other as usize);
                self.insert(other);
                least = least.min(self.degree[other as usize] as usize);
            }
        }
    }

    /// Takes out of a body's list what the new list of `pivot` holds (marked), and puts the pivot in.
    fn prune(&mut self, body: usize, pivot: u32, stamp: u32) {
        let from = self.start[body] as usize;
        let (bodies, eliminated) = (self.bodies[body] as usize, self.eliminated[body] as usize);
        let mut kept = from;
        for k in from..from + bodies {
            let other = self.items[k];
            if self.mark[other as usize] != stamp {
                self.items[kept] = other;
                kept += 1;
            }
        }
        let kept_bodies = kept - from;
        for k in from + bodies..from + bodies + eliminated {
            let e = self.items[k];
            if self.bodies[e as usize] != NONE {
                self.items[kept] = e;
                kept += 1;
            }
        }
        self.items[kept] = pivot;
        self.bodies[body] = kept_bodies as u32;
        self.eliminated[body] = (kept + 1 - from - kept_bodies) as u32;
    }

    /// The number of neighbours of a body.
    fn count(&mut self, body: usize) {
        let stamp = self.stamp();
        self.mark[body] = stamp;
        let from = self.start[body] as usize;
        let plain = from..from + self.bodies[body] as usize;
        let mut degree = plain.len();
        for k in plain.clone() {
            self.mark[self.items[k] as usize] = stamp;
        }
        for k in plain.end..plain.end + self.eliminated[body] as usize {
            let e = self.items[k] as usize;
            for at in self.first[e] as usize..self.last[e] as usize {
                let other = self.pool[at] as usize;
                if self.mark[other] != stamp && self.degree[other] != NONE {
                    self.mark[other] = stamp;
                    degree += 1;
                }
            }
        }
        self.degree[body] = degree as u32;
    }
}

impl Pattern {
    /// Analyses the pairs unless they are those of the last time; `true` if it had to. Pairs name two of `n` bodies.
    pub fn analyse(&mut self, n: usize, pairs: &[[u32; 2]]) -> bool {
        if self.bodies == n && self.pairs == pairs && self.begin.len() == n + 1 {
            return false;
        }
        self.bodies = n;
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.scratch.load(n, pairs);
        self.scratch.eliminate(n);
        let degrees = &self.scratch;
        self.place.clear();
        self.place.resize(n, 0);
        for (place, body) in degrees.order.iter().enumerate() {
            self.place[*body as usize] = place as u32;
        }
        self.begin.clear();
        self.below.clear();
        self.begin.push(0);
        for body in &degrees.order {
            let b = *body as usize;
            let from = self.below.len();
            let list = &degrees.pool[degrees.first[b] as usize..degrees.last[b] as usize];
            self.below
                .extend(list.iter().map(|other| self.place[*other as usize]));
            self.below[from..].sort_unstable();
            self.begin.push(self.below.len() as u32);
        }
        self.entry.clear();
        for [a, b] in pairs {
            let (a, b) = (self.place[*a as usize], self.place[*b as usize]);
            let (upper, lower) = (a.min(b), a.max(b));
            let from = self.begin[upper as usize] as usize;
            let list = &self.below[from..self.begin[upper as usize + 1] as usize];
            let found = list.binary_search(&lower).unwrap_or_else(|place| place);
            self.entry.push((from + found) as u32);
        }
        true
    }

    fn range(&self, place: usize) -> std::ops::Range<usize> {
        self.begin[place] as usize..self.begin[place + 1] as usize
    }
}

/// The numbers of (1), then those of (2).
#[derive(Debug, Default)]
pub(super) struct Factor {
    diagonal: Vec<Cell>,
    interchanged: Vec<[u8; FREEDOMS]>,
    lower: Vec<Cell>,
    upper: Vec<Cell>,
    solution: Vec<Six>,
}

impl Factor {
    /// `K = 1`.
    pub fn clear(&mut self, pattern: &Pattern) {
        let mut unit = EMPTY;
        for k in 0..FREEDOMS {
            unit[k][k] = 1.0;
        }
        self.diagonal.clear();
        self.diagonal.resize(pattern.bodies, unit);
        self.interchanged.clear();
        self.interchanged.resize(pattern.bodies, [0; FREEDOMS]);
        for blocks in [&mut self.lower, &mut self.upper] {
            blocks.clear();
            blocks.resize(pattern.below.len(), EMPTY);
        }
        self.solution.clear();
        self.solution.resize(pattern.bodies, [0.0; FREEDOMS]);
    }

    /// The block of a body, to be added to.
    pub fn own(&mut self, pattern: &Pattern, body: u32) -> &mut Cell {
        &mut self.diagonal[pattern.place[body as usize] as usize]
    }

    /// The blocks (first, second) and (second, first) of the bodies of a pair, to be added to.
    pub fn shared(&mut self, pattern: &Pattern, pair: usize) -> (&mut Cell, &mut Cell) {
        let [a, b] = pattern.pairs[pair];
        let at = pattern.entry[pair] as usize;
        if pattern.place[a as usize] < pattern.place[b as usize] {
            (&mut self.upper[at], &mut self.lower[at])
        } else {
            (&mut self.lower[at], &mut self.upper[at])
        }
    }

    /// (2); `false` if a diagonal block is singular.
    pub fn factorise(&mut self, pattern: &Pattern) -> bool {
        for p in 0..pattern.bodies {
            if !decompose(&mut self.diagonal[p], &mut self.interchanged[p]) {
                return false;
            }
            let range = pattern.range(p);
            for t in range.clone() {
                solve_block(&self.diagonal[p], &self.interchanged[p], &mut self.upper[t]);
            }
            // the rest: entries of p are among those of each of its later neighbours
            for t in range.clone() {
                let j = pattern.below[t] as usize;
                subtract_product(&mut self.diagonal[j], &self.lower[t], &self.upper[t]);
                let mut target = pattern.begin[j] as usize;
                for s in t + 1..range.end {
                    let i = pattern.below[s];
                    while pattern.below[target] != i {
                        target += 1;
                    }
                    let (head, tail) = self.lower.split_at_mut(target);
                    subtract_product(&mut tail[0], &head[s], &self.upper[t]);
                    let (head, tail) = self.upper.split_at_mut(target);
                    subtract_product(&mut tail[0], &self.lower[t], &head[s]);
                }
            }
        }
        true
    }

    /// `K x = rhs`, in place, in the order of the bodies.
    pub fn solve(&mut self, pattern: &Pattern, x: &mut [Six]) {
        let y = &mut self.solution;
        for (body, place) in pattern.place.iter().enumerate() {
            y[*place as usize] = x[body];
        }
        for p in 0..pattern.bodies {
            let own = solve_six(&self.diagonal[p], &self.interchanged[p], &y[p]);
            y[p] = own;
            for t in pattern.range(p) {
                subtract_applied(&mut y[pattern.below[t] as usize], &self.lower[t], &own);
            }
        }
        for p in (0..pattern.bodies).rev() {
            let mut own = y[p];
            for t in pattern.range(p) {
                subtract_applied(&mut own, &self.upper[t], &y[pattern.below[t] as usize]);
            }
            y[p] = own;
        }
        for (body, place) in pattern.place.iter().enumerate() {
            x[body] = y[*place as usize];
        }
    }
}

/// Triangular factors in place, with row interchanges.
fn decompose(a: &mut Cell, interchanged: &mut [u8; FREEDOMS]) -> bool {
    for k in 0..FREEDOMS {
        let mut best = k;
        for i in k + 1..FREEDOMS {
            if a[i][k].abs() > a[best][k].abs() {
                best = i;
            }
        }
        interchanged[k] = best as u8;
        a.swap(k, best);
        let pivot = a[k][k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        for i in k + 1..FREEDOMS {
            let factor = a[i][k] / pivot;
            a[i][k] = factor;
            for j in k + 1..FREEDOMS {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// `x <- D^-1 x`, row by row.
fn solve_block(d: &Cell, interchanged: &[u8; FREEDOMS], x: &mut Cell) {
    for k in 0..FREEDOMS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..FREEDOMS {
        for k in 0..i {
            let above = x[k];
            for j in 0..FREEDOMS {
                x[i][j] -= d[i][k] * above[j];
            }
        }
    }
    for i in (0..FREEDOMS).rev() {
        for k in i + 1..FREEDOMS {
            let under = x[k];
            for j in 0..FREEDOMS {
                x[i][j] -= d[i][k] * under[j];
            }
        }
        let inverse = 1.0 / d[i][i];
        for j in 0..FREEDOMS {
            x[i][j] *= inverse;
        }
    }
}

fn solve_six(d: &Cell, interchanged: &[u8; FREEDOMS], b: &Six) -> Six {
    let mut x = *b;
    for k in 0..FREEDOMS {
        x.swap(k, interchanged[k] as usize);
    }
    for i in 1..FREEDOMS {
        for k in 0..i {
            x[i] -= d[i][k] * x[k];
        }
    }
    for i in (0..FREEDOMS).rev() {
        for k in i + 1..FREEDOMS {
            x[i] -= d[i][k] * x[k];
        }
        x[i] /= d[i][i];
    }
    x
}

/// `c <- c - a b`.
fn subtract_product(c: &mut Cell, a: &Cell, b: &Cell) {
    for i in 0..FREEDOMS {
        let mut row = c[i];
        for k in 0..FREEDOMS {
            for j in 0..FREEDOMS {
                row[j] -= a[i][k] * b[k][j];
            }
        }
        c[i] = row;
    }
}

/// `y <- y - a x`.
fn subtract_applied(y: &mut Six, a: &Cell, x: &Six) {
    for i in 0..FREEDOMS {
        let mut sum = y[i];
        for k in 0..FREEDOMS {
            sum -= a[i][k] * x[k];
        }
        y[i] = sum;
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
    fn random_graphs_are_solved() {
        let mut state = 17;
        for n in [1, 2, 7, 40] {
            let pairs: Vec<[u32; 2]> = (0..3 * n)
                .map(|_| {
                    let mut pick = || ((random(&mut state) + 1.0) * 0.499_999 * n as f64) as u32;
                    [pick(), pick()]
                })
                .filter(|[a, b]| a != b)
                .collect();
            let mut pattern = Pattern::default();
            assert!(pattern.analyse(n, &pairs));
            assert!(!pattern.analyse(n, &pairs));
            let mut factor = Factor::default();
            factor.clear(&pattern);
            let mut dense = vec![0.0; 36 * n * n];
            let put = |dense: &mut Vec<f64>, a: u32, b: u32, cell: &Cell| {
                for i in 0..6 {
                    for j in 0..6 {
                        dense[(6 * a as usize + i) * 6 * n + 6 * b as usize + j] += cell[i][j];
                    }
                }
            };
            let mut draw = || [[0.0; 6]; 6].map(|row| row.map(|_: f64| 0.05 * random(&mut state)));
            for (k, [a, b]) in pairs.iter().enumerate() {
                let (one, other) = (draw(), draw());
                put(&mut dense, *a, *b, &one);
                put(&mut dense, *b, *a, &other);
                let (upper, lower) = factor.shared(&pattern, k);
                for i in 0..6 {
                    for j in 0..6 {
                        upper[i][j] += one[i][j];
                        lower[i][j] += other[i][j];
                    }
                }
            }
            for k in 0..6 * n {
                dense[k * 6 * n + k] += 1.0;
            }
            let expected: Vec<Six> = (0..n).map(|_| draw()[0]).collect();
            let flat = expected.as_flattened();
            let mut x: Vec<Six> = (0..n)
                .map(|body| {
                    [0, 1, 2, 3, 4, 5].map(|k| {
                        let row = &dense[(6 * body + k) * 6 * n..][..6 * n];
                        row.iter().zip(flat).map(|(a, x)| a * x).sum()
                    })
                })
                .collect();
            assert!(factor.factorise(&pattern));
            factor.solve(&pattern, &mut x);
            for (x, e) in x.as_flattened().iter().zip(flat) {
                assert!((x - e).abs() < 1e-12, "{x} {e}");
            }
        }
    }

    #[test]
    fn a_chain_has_no_fill() {
        let pairs: Vec<[u32; 2]> = (0..99).map(|k| [k, k + 1]).collect();
        let mut pattern = Pattern::default();
        pattern.analyse(100, &pairs);
        assert_eq!(pattern.below.len(), 99);
    }
}
