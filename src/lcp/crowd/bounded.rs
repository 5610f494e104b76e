//! Bounded effort: a given number of sweeps over an island and no more, each as cheap as it can be.
//!
//! Rows are taken from the problem as they are, but for the masses; a contact has all that it needs in one place. One visit
//! of a contact changes its normal impulse, then its friction, and moves both bodies once:
//!
//! ```text
//! (1)  A^-1 = L L^T per body,   v = v_f + L w,   J = G L,   w = J^T r,   u = q + J w + c r,   q = G v_f + b
//! (2)  r_n <- max(0, r_n - o u_n / W_nn)                              o: relaxation
//! (3)  u_b <- u_b + W_bn dr_n
//! (4)  r_b <- r_b - o W_bb^-1 u_b         if that is within mu r_n: it sticks
//! (5)  r_b <- P(r_b - o u_b / d)          else; d: the largest stiffness of the block, P: the nearest point within mu r_n
//! (6)  joints:  r_i <- r_i - u_i / W_ii
//! (7)  the residual is that of the judge (`residual`), with `u` as the sweeps have it: W_ii is known, s = 1 / sqrt(W_ii)
//! ```
//!
//! Unlike `sweep`, which solves each contact exactly, this takes one step towards that where a contact slips and its block
//! is not round; the next sweep takes the next one. For spheres both are the same, but for the relaxation.

use super::factor::{Cell, Six};
use super::residual::{Distance, Rubbed};
use super::scaled::{root, shorten};
use super::{FREEDOMS, GROUND, Island, Problem, Row, Touch};
use crate::lcp::cone::{Block, MOST_BLOCKS};
use crate::lcp::scaling::larger;
use crate::math::two::{Sixfold, Twelvefold, add_multiple, dot, paired};
use crate::math::{Two, positive};

/// Over-relaxation: fewer sweeps for moderate friction; for more than 1, where it may not converge, none.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// A diagonal this much smaller than that of its normal row is a row of nothing.
const NOTHING: f64 = 1e-12;

/// Sweeps that change impulses by less, in relation to the largest one, change nothing any more: a thousandth of what
/// thirty sweeps leave in a pile that moves.
const STILL: f64 = 1e-7;

/// Every so many sweeps look at what they change.
const LOOK: u32 = 4;

/// A row with its free velocity, its compliance and its impulse.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    /// A row of `J`: the part of the first body, then the one of the second.
    row: Twelvefold,
    free: f64,
    compliance: f64,
    r: f64,
    /// Sum of the sizes of what `free` is the sum of.
    products: f64,
}

impl Edge {
    #[inline(always)]
    fn velocity(&self, bodies: &Twelvefold) -> f64 {
        self.free + dot(&self.row, bodies) + self.compliance * self.r
    }

    fn diagonal(&self) -> f64 {
        dot(&self.row, &self.row) + self.compliance
    }
}

/// A friction block; one of a single row has a second one of zeros.
#[derive(Clone, Copy, Debug, Default)]
struct Rubbing {
    edges: [Edge; 2],
    /// `o W_bb^-1`: both diagonal entries, and the one beside them.
    inverse: [f64; 3],
    /// `o / d` of (5).
    step: f64,
    friction: f64,
    /// `s` of (7).
    scale: f64,
    /// First row in `r` of the island, and how many; 0: no friction.
    first: u32,
    count: u32,
}

/// A contact with its first friction block.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    normal: Edge,
    rubbing: Rubbing,
    /// `o / W_nn`.
    inverse: f64,
    /// `s` of (7).
    scale: f64,
    /// `W_bn`.
    to_n: [f64; 2],
    /// Within the island; the ground comes after the last body.
    bodies: [u32; 2],
    /// Its normal row in `r` of the island.
    first: u32,
    /// Further friction blocks.
    more: u32,
}

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
struct Tie {
    edge: Edge,
    inverse: f64,
    /// `s` of (7).
    scale: f64,
    bodies: [u32; 2],
    /// In `r` of the island.
    at: u32,
}

/// `L` of a body: its diagonal; where there is more, all of it.
#[derive(Clone, Copy, Debug)]
struct Root {
    diagonal: Six,
    /// Among the full ones.
    full: Option<u32>,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    locals: Vec<Local>,
    /// Further friction blocks of the contacts, in their order.
    more: Vec<Rubbing>,
    ties: Vec<Tie>,
    w: Vec<Sixfold>,
    masses: Masses,
    size: Size,
}

/// `L` of all bodies.
#[derive(Debug, Default)]
struct Masses {
    roots: Vec<Root>,
    full_roots: Vec<Cell>,
    /// Index within the island of each body of the problem; those of other islands are stale.
    local: Vec<u32>,
}

impl Bounded {
    /// Loads an island and the guess; `false`: a friction or a compliance is not a number from zero on.
    pub fn set(&mut self, problem: &Problem, island: &Island, r: &[f64]) -> bool {
        self.masses.set(problem, island);
        let touches = || {
            island
                .contacts
                .iter()
                .map(|&c| &problem.contacts[c as usize])
        };
        let frictions = || {
            touches()
                .flat_map(|t| t.contact.blocks())
                .map(Block::friction)
        };
        let relaxation = RELAXATIONS[usize::from(frictions().any(|mu| mu > 1.0))];
        let mut sound = frictions().all(|mu| mu >= 0.0 && mu.is_finite());
        self.locals.clear();
        self.more.clear();
        self.size = Size::default();
        let mut at = 0;
        for touch in touches() {
            let source = island.rows[at] as usize;
            let count = touch.contact.rows();
            let rows = &problem.rows[source..source + count];
            sound &= rows.iter().all(|row| row.compliance >= 0.0);
            self.add_contact(problem, touch, rows, &r[at..at + count], at, relaxation);
            at += count;
        }
        self.ties.clear();
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            let bodies = self.masses.local_pair(joint.bodies);
            for at in at..at + joint.rows {
                let source = &problem.rows[island.rows[at] as usize];
                sound &= source.compliance >= 0.0;
                let edge = self
                    .masses
                    .edge(problem, joint.bodies, bodies, source, r[at]);
                self.ties.push(Tie {
                    edge,
                    inverse: inverse_of(edge.diagonal(), 0.0),
                    scale: self
                        .size
                        .count(&[edge.free], edge.products, edge.diagonal()),
                    bodies,
                    at: at as u32,
                });
            }
            at += joint.rows;
        }
        self.push_bodies();
        sound
    }

    fn add_contact(
        &mut self,
        problem: &Problem,
        touch: &Touch,
        rows: &[Row],
        r: &[f64],
        at: usize,
        relaxation: f64,
    ) {
        let Self {
            locals,
            more,
            masses,
            size,
            ..
        } = self;
        let bodies = masses.local_pair(touch.bodies);
        let edge = |row: &Row, r: f64| masses.edge(problem, touch.bodies, bodies, row, r);
        // filled where it is: it is large
        let at_end = locals.len();
        locals.push(Local::default());
        let local = &mut locals[at_end];
        (local.bodies, local.first) = (bodies, at as u32);
        local.normal = edge(&rows[0], positive(r[0]));
        let diagonal = local.normal.diagonal();
        local.inverse = relaxation * inverse_of(diagonal, 0.0);
        local.scale = size.count(&[local.normal.free], local.normal.products, diagonal);
        let mut first = 1;
        for (k, block) in touch.contact.blocks().iter().enumerate() {
            let rubbing = if k == 0 {
                &mut local.rubbing
            } else {
                local.more += 1;
                let at_end = more.len();
                more.push(Rubbing::default());
                &mut more[at_end]
            };
            rubbing.friction = block.friction();
            (rubbing.first, rubbing.count) = ((at + first) as u32, block.rows() as u32);
            for lane in 0..block.rows() {
                rubbing.edges[lane] = edge(&rows[first + lane], r[first + lane]);
            }
            first += block.rows();
            let largest = rubbing.prepare(NOTHING * diagonal, relaxation);
            let [s, t] = &mut rubbing.edges;
            let products = larger(s.products, t.products);
            rubbing.scale = size.count(&[s.free, t.free], products, largest);
            let mut start = [s.r, t.r];
            shorten(&mut start, rubbing.friction * local.normal.r);
            [s.r, t.r] = start;
            if k == 0 {
                local.to_n = [
                    dot(&s.row, &local.normal.row),
                    dot(&t.row, &local.normal.row),
                ];
            }
        }
    }

    /// `w` of (1).
    fn push_bodies(&mut self) {
        self.w.clear();
        self.w
            .resize(self.masses.roots.len() + 1, Sixfold::default());
        let mut more = self.more.iter();
        for local in &self.locals {
            let mut bodies = local.bodies.map(|b| self.w[b as usize]);
            add_multiple(&mut bodies, local.normal.r, &local.normal.row);
            local.rubbing.push(&mut bodies);
            for block in more.by_ref().take(local.more as usize) {
                block.push(&mut bodies);
            }
            self.w[local.bodies[0] as usize] = bodies[0];
            self.w[local.bodies[1] as usize] = bodies[1];
        }
        for tie in &self.ties {
            let mut bodies = tie.bodies.map(|b| self.w[b as usize]);
            add_multiple(&mut bodies, tie.edge.r, &tie.edge.row);
            self.w[tie.bodies[0] as usize] = bodies[0];
            self.w[tie.bodies[1] as usize] = bodies[1];
        }
    }

    /// At most `count` sweeps; how many there were.
    pub fn run(&mut self, count: u32) -> u32 {
        for done in 1..=count {
            if done % LOOK == 0 {
                let (change, largest) = self.sweep::<true>();
                if change <= STILL * largest {
                    return done;
                }
            } else {
                self.sweep::<false>();
            }
        }
        count
    }

    /// If it `LOOKS`, the largest change of an impulse, and the largest impulse.
    fn sweep<const LOOKS: bool>(&mut self) -> (f64, f64) {
        let (mut change, mut largest) = (0.0, 0.0);
        let w = &mut self.w[..];
        // (6)
        for tie in &mut self.ties {
            let [a, b] = tie.bodies.map(|b| b as usize);
            let mut bodies = [w[a], w[b]];
            let step = -tie.edge.velocity(&bodies) * tie.inverse;
            tie.edge.r += step;
            change = larger(change, step.abs());
            largest = larger(largest, tie.edge.r.abs());
            add_multiple(&mut bodies, step, &tie.edge.row);
            [w[a], w[b]] = bodies;
        }
        let mut more = self.more.iter_mut();
        for local in &mut self.locals {
            let [a, b] = local.bodies.map(|b| b as usize);
            let mut bodies = [w[a], w[b]];
            if let Some(changes) = local.improve(&mut bodies) {
                if LOOKS {
                    let of_local = changes.map(f64::abs).into_iter().fold(0.0, larger);
                    change = larger(change, of_local);
                    largest = larger(largest, local.normal.r);
                }
                [w[a], w[b]] = bodies;
            }
            if local.more > 0 {
                for block in more.by_ref().take(local.more as usize) {
                    let mut bodies = [w[a], w[b]];
                    block.improve_alone(local.normal.r, &mut bodies);
                    [w[a], w[b]] = bodies;
                }
            }
        }
        (change, largest)
    }

    /// (7); infinite for anything that is not a number.
    pub fn residual(&self) -> f64 {
        let mut distance = Distance::default();
        let mut more = self.more.iter();
        for local in &self.locals {
            let bodies = local.bodies.map(|b| self.w[b as usize]);
            let others = more.by_ref().take(local.more as usize);
            let first = std::iter::once(&local.rubbing).filter(|block| block.count > 0);
            let mut blocks = [Rubbed::default(); MOST_BLOCKS];
            let mut count = 0;
            for (own, block) in blocks.iter_mut().zip(first.chain(others)) {
                let u = block.velocity(&bodies);
                let (scale, mu) = (block.scale, block.friction * local.scale / block.scale);
                let r = block.edges.map(|edge| edge.r / scale);
                *own = Rubbed::new(mu, r, u.map(|u| u * scale));
                count += 1;
            }
            let u_n = local.normal.velocity(&bodies) * local.scale;
            distance.contact(u_n, local.normal.r / local.scale, &blocks[..count]);
        }
        for tie in &self.ties {
            let bodies = tie.bodies.map(|b| self.w[b as usize]);
            let u = tie.edge.velocity(&bodies) * tie.scale;
            distance.joint(u, tie.edge.r / tie.scale);
        }
        distance.relative(self.size.free, self.size.products)
    }

    /// The impulses, in the order of the rows of the island.
    pub fn leave(&self, r: &mut [f64]) {
        let mut put = |block: &Rubbing| {
            let (first, count) = (block.first as usize, block.count as usize);
            let own = block.edges.map(|edge| edge.r);
            r[first..first + count].copy_from_slice(&own[..count]);
        };
        self.more.iter().for_each(&mut put);
        self.locals.iter().for_each(|local| put(&local.rubbing));
        for local in &self.locals {
            r[local.first as usize] = local.normal.r;
        }
        for tie in &self.ties {
            r[tie.at as usize] = tie.edge.r;
        }
    }
}

impl Masses {
    fn set(&mut self, problem: &Problem, island: &Island) {
        if self.local.len() < problem.bodies.len() {
            self.local.resize(problem.bodies.len(), 0);
        }
        self.roots.clear();
        self.full_roots.clear();
        for (k, &b) in island.bodies.iter().enumerate() {
            self.local[b as usize] = k as u32;
            let inverse_mass = &problem.bodies[b as usize].inverse_mass;
            let mut of_body = Root {
                diagonal: std::array::from_fn(|k| positive(inverse_mass[k][k]).sqrt()),
                full: None,
            };
            if !is_diagonal(inverse_mass) {
                let (all, _) = root(inverse_mass);
                of_body.diagonal = std::array::from_fn(|k| all[k][k]);
                of_body.full = Some(self.full_roots.len() as u32);
                self.full_roots.push(all);
            }
            self.roots.push(of_body);
        }
    }

    fn local_pair(&self, bodies: [u32; 2]) -> [u32; 2] {
        bodies.map(|b| {
            if b == GROUND {
                self.roots.len() as u32
            } else {
                self.local[b as usize]
            }
        })
    }

    /// A row of `J`, its `q` and its guess.
    #[inline]
    fn edge(
        &self,
        problem: &Problem,
        bodies: [u32; 2],
        local: [u32; 2],
        row: &Row,
        r: f64,
    ) -> Edge {
        let mut line = Twelvefold::default();
        let mut q = row.bias;
        let mut products = row.bias.abs();
        for side in 0..2 {
            if bodies[side] == GROUND {
                continue;
            }
            let g = paired(&row.entries[side]);
            let v = paired(&problem.bodies[bodies[side] as usize].velocity);
            let root = &self.roots[local[side] as usize];
            let l = paired(&root.diagonal);
            let terms = [g[0] * v[0], g[1] * v[1], g[2] * v[2]];
            q += (terms[0] + terms[1] + terms[2]).sum();
            products += (terms[0].abs() + terms[1].abs() + terms[2].abs()).sum();
            line[side] = [g[0] * l[0], g[1] * l[1], g[2] * l[2]];
            if let Some(full) = root.full {
                let l = &self.full_roots[full as usize];
                let g = &row.entries[side];
                let of = |k: usize| (k..FREEDOMS).map(|i| g[i] * l[i][k]).sum();
                line[side] = paired(&std::array::from_fn(of));
            }
        }
        Edge {
            row: line,
            free: q,
            compliance: row.compliance,
            r,
            products,
        }
    }
}

/// What residuals are relative to.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// `|q'|`.
    free: f64,
    /// The same of the products that `q` is the sum of.
    products: f64,
}

impl Size {
    /// Counts rows in, and gives their scale.
    fn count(&mut self, free: &[f64], products: f64, diagonal: f64) -> f64 {
        let scale = if diagonal > 0.0 {
            1.0 / diagonal.sqrt()
        } else {
            1.0
        };
        for q in free {
            self.free = larger(self.free, q.abs() * scale);
        }
        self.products = larger(self.products, products * scale);
        scale
    }
}

impl Local {
    /// (2) to (5), and the changes of the impulses; none: they were and stay zero.
    #[inline(always)]
    fn improve(&mut self, bodies: &mut Twelvefold) -> Option<[f64; 3]> {
        let old = self.normal.r;
        let new = positive(old - self.normal.velocity(bodies) * self.inverse);
        if new == 0.0 && old == 0.0 {
            return None;
        }
        let change = new - old;
        self.normal.r = new;
        if self.rubbing.count == 0 {
            add_multiple(bodies, change, &self.normal.row);
            return Some([change, 0.0, 0.0]);
        }
        let [u_s, u_t] = self.rubbing.velocity(bodies);
        let u_s = u_s + self.to_n[0] * change;
        let u_t = u_t + self.to_n[1] * change;
        let [x, y] = self.rubbing.improve(u_s, u_t, new);
        let [s, t] = &self.rubbing.edges;
        let both = [change, x, y].map(Two::both);
        for side in 0..2 {
            for k in 0..FREEDOMS / 2 {
                bodies[side][k] += self.normal.row[side][k] * both[0]
                    + s.row[side][k] * both[1]
                    + t.row[side][k] * both[2];
            }
        }
        Some([change, x, y])
    }
}

impl Rubbing {
    /// `W_bb^-1` and `1 / d`; a diagonal below `nothing` is none. The larger diagonal.
    fn prepare(&mut self, nothing: f64, relaxation: f64) -> f64 {
        let [s, t] = &self.edges;
        let (a, c, b) = (s.diagonal(), t.diagonal(), dot(&s.row, &t.row));
        let half = 0.5 * (a - c);
        let largest = 0.5 * (a + c) + (half * half + b * b).sqrt();
        self.step = relaxation * inverse_of(largest, nothing);
        let determinant = a * c - b * b;
        // one row, or two that are alike
        self.inverse = if determinant <= NOTHING * a * c {
            [self.step, self.step, 0.0]
        } else {
            [c, a, -b].map(|x| relaxation * x / determinant)
        };
        larger(a, c)
    }

    #[inline(always)]
    fn velocity(&self, bodies: &Twelvefold) -> [f64; 2] {
        let [s, t] = &self.edges;
        // a branch also keeps compilers from working on both rows at once, across the pairs that they are made of
        let across = if self.count > 1 {
            t.velocity(bodies)
        } else {
            0.0
        };
        [s.velocity(bodies), across]
    }

    /// (4), (5): the changes.
    #[inline(always)]
    fn improve(&mut self, u_s: f64, u_t: f64, r_n: f64) -> [f64; 2] {
        let reach = self.friction * r_n;
        let [p, q, m] = self.inverse;
        let old = self.edges.map(|edge| edge.r);
        let mut x = old[0] - (p * u_s + m * u_t);
        let mut y = old[1] - (m * u_s + q * u_t);
        if x * x + y * y > reach * reach {
            let mut new = [old[0] - self.step * u_s, old[1] - self.step * u_t];
            shorten(&mut new, reach);
            [x, y] = new;
        }
        self.edges[0].r = x;
        self.edges[1].r = y;
        [x - old[0], y - old[1]]
    }

    /// The same, with its motion of the bodies.
    #[inline(never)]
    fn improve_alone(&mut self, r_n: f64, bodies: &mut Twelvefold) {
        let [u_s, u_t] = self.velocity(bodies);
        let [x, y] = self.improve(u_s, u_t, r_n);
        add_multiple(bodies, x, &self.edges[0].row);
        add_multiple(bodies, y, &self.edges[1].row);
    }

    fn push(&self, bodies: &mut Twelvefold) {
        for edge in &self.edges {
            add_multiple(bodies, edge.r, &edge.row);
        }
    }
}

fn inverse_of(diagonal: f64, nothing: f64) -> f64 {
    if diagonal > nothing {
        1.0 / diagonal
    } else {
        0.0
    }
}

fn is_diagonal(block: &Cell) -> bool {
    let beside = |k: usize| block[k][..k].iter().chain(&block[k][k + 1..]);
    (0..FREEDOMS).all(|k| beside(k).all(|x| *x == 0.0))
}
