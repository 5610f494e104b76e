//! Minimum degree ordering of bodies (or contacts), and symbolic factorization.
//!
//! The body with the fewest neighbours is eliminated next, which makes its neighbours adjacent to each other. The
//! eliminated body keeps the list of them as an element that represents all pairs in it (quotient graph).

use super::lcp::basis::grow;

/// Elimination order and sparsity pattern of the factors for given pairs; kept while the pairs stay the same.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    pub bodies: usize,
    pub pairs: Vec<[u32; 2]>,
    /// Position of each body in the order.
    pub place: Vec<u32>,
    /// Start of the entries of each position in `below`.
    pub begin: Vec<u32>,
    /// Later positions that are neighbours at elimination, increasing.
    pub below: Vec<u32>,
    /// Index in `below` of each pair.
    pub entry: Vec<u32>,
    scratch: Degrees,
}

/// Quotient graph during the elimination: neighbours that are bodies, and elements of eliminated bodies.
#[derive(Debug, Default)]
struct Degrees {
    start: Vec<u32>,
    /// Bodies first, then elements; a list never grows.
    items: Vec<u32>,
    bodies: Vec<u32>,
    eliminated: Vec<u32>,
    degree: Vec<u32>,
    mark: Vec<u32>,
    stamp: u32,
    /// Element of each eliminated body.
    first: Vec<u32>,
    last: Vec<u32>,
    pool: Vec<u32>,
    order: Vec<u32>,
    /// Linked lists of bodies with the same degree.
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

    /// Builds the adjacency lists, without duplicates.
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

    /// Fills `order`, and the elements `first..last` of `pool`.
    fn eliminate(&mut self, n: usize) {
        let mut least = 0;
        for _ in 0..n {
            while self.head[least] == NONE {
                least += 1;
            }
            let pivot = self.head[least];
            self.remove(pivot);
            self.order.push(pivot);
            // the neighbours of the pivot, including those in the elements that it absorbs
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
                // the new element covers it
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

    /// Removes what the new element of `pivot` covers (marked) from a body's list, and adds the pivot.
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

    /// Computes the degree of a body.
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
    /// Symbolic factorization, unless the pairs are unchanged; `true` if it was necessary. Pairs are indices of `n`
    /// bodies.
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

    /// Reserves space for `n` bodies with `pairs` pairs.
    pub fn reserve(&mut self, n: usize, pairs: usize) {
        let fill = n * n / 2;
        grow(&mut self.pairs, pairs);
        grow(&mut self.place, n);
        grow(&mut self.begin, n + 1);
        grow(&mut self.below, fill);
        grow(&mut self.entry, pairs);
        let degrees = &mut self.scratch;
        grow(&mut degrees.items, 2 * pairs);
        grow(&mut degrees.pool, fill);
        for list in [
            &mut degrees.start,
            &mut degrees.bodies,
            &mut degrees.eliminated,
            &mut degrees.degree,
            &mut degrees.mark,
            &mut degrees.first,
            &mut degrees.last,
            &mut degrees.order,
            &mut degrees.head,
            &mut degrees.next,
            &mut degrees.previous,
        ] {
            grow(list, n + 2);
        }
    }

    /// The body at each position of the order.
    pub fn order(&self) -> &[u32] {
        &self.scratch.order
    }

    #[inline]
    pub fn range(&self, place: usize) -> std::ops::Range<usize> {
        self.begin[place] as usize..self.begin[place + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_no_fill() {
        let pairs: Vec<[u32; 2]> = (0..99).map(|k| [k, k + 1]).collect();
        let mut pattern = Pattern::default();
        pattern.analyse(100, &pairs);
        assert_eq!(pattern.below.len(), 99);
    }
}
