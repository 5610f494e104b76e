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
//! ```
//!
//! Unlike `sweep`, which solves each contact exactly, this takes one step towards that where a contact slips and its block
//! is not round; the next sweep takes the next one. For spheres both are the same, but for the relaxation.

use super::factor::{Cell, Six};
use super::scaled::{Pair, along, dot, root, shorten};
use super::{FREEDOMS, GROUND, Island, Problem, Row};
use crate::lcp::cone::Block;
use crate::lcp::scaling::larger;
use crate::math::positive;

/// Over-relaxation: fewer sweeps for moderate friction; for more than 1, where it may not converge, none.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// A diagonal this much smaller than that of its normal row is a row of nothing.
const NOTHING: f64 = 1e-12;

/// Sweeps that change impulses by less, in relation to the largest one, change nothing any more: a thousandth of what
/// thirty sweeps leave in a pile that moves.
const STILL: f64 = 1e-7;

/// Velocities of a body, where two of them can be taken at a time.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Moving(Six);

/// A friction block; one of a single row has a second one of zeros.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Rubbing {
    rows: [Pair; 2],
    free: [f64; 2],
    compliance: [f64; 2],
    /// `W_bb^-1`: both diagonal entries, and the one beside them.
    inverse: [f64; 3],
    /// `1 / d` of (5).
    step: f64,
    friction: f64,
    r: [f64; 2],
    /// First row in `r` of the island, and how many.
    first: u32,
    count: u32,
}

/// A contact with its first friction block.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Local {
    row: Pair,
    rubbing: Rubbing,
    free: f64,
    compliance: f64,
    inverse: f64,
    /// `W_bn`.
    to_n: [f64; 2],
    r: f64,
    /// Within the island; the ground comes after the last body.
    bodies: [u32; 2],
    /// Its normal row in `r` of the island.
    first: u32,
    /// Further friction blocks.
    more: u32,
}

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Tie {
    row: Pair,
    free: f64,
    compliance: f64,
    inverse: f64,
    r: f64,
    bodies: [u32; 2],
    /// In `r` of the island.
    at: u32,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    locals: Vec<Local>,
    /// Further friction blocks of the contacts, in their order.
    more: Vec<Rubbing>,
    ties: Vec<Tie>,
    w: Vec<Moving>,
    /// `L` of each body, and whether it has entries beside the diagonal.
    roots: Vec<(Cell, bool)>,
    /// Index within the island of each body of the problem; those of other islands are stale.
    local: Vec<u32>,
}

impl Bounded {
    /// Loads an island and the guess; `false`: a friction or a compliance is not a number from zero on.
    pub fn set(&mut self, problem: &Problem, island: &Island, r: &[f64]) -> bool {
        if self.local.len() < problem.bodies.len() {
            self.local.resize(problem.bodies.len(), 0);
        }
        self.roots.clear();
        for (k, &b) in island.bodies.iter().enumerate() {
            self.local[b as usize] = k as u32;
            self.roots
                .push(root(&problem.bodies[b as usize].inverse_mass));
        }
        self.locals.clear();
        self.more.clear();
        self.ties.clear();
        let mut sound = true;
        let mut at = 0;
        for &c in island.contacts {
            let touch = &problem.contacts[c as usize];
            let source = island.rows[at] as usize;
            let count = touch.contact.rows();
            let rows = &problem.rows[source..source + count];
            sound &= rows.iter().all(|row| row.compliance >= 0.0);
            let bodies = self.local_pair(touch.bodies);
            let (row, free) = self.scaled(problem, touch.bodies, bodies, &rows[0]);
            let diagonal = dot(&row, &row) + rows[0].compliance;
            let mut local = Local {
                row,
                rubbing: Rubbing::NONE,
                free,
                compliance: rows[0].compliance,
                inverse: inverse_of(diagonal, 0.0),
                to_n: [0.0; 2],
                r: positive(r[at]),
                bodies,
                first: at as u32,
                more: 0,
            };
            let mut first = 1;
            for (k, block) in touch.contact.blocks().iter().enumerate() {
                sound &= block.friction() >= 0.0 && block.friction().is_finite();
                let own = first..first + block.rows();
                let mut rubbing = Rubbing::NONE;
                for (lane, row) in rows[own.clone()].iter().enumerate() {
                    (rubbing.rows[lane], rubbing.free[lane]) =
                        self.scaled(problem, touch.bodies, bodies, row);
                    rubbing.compliance[lane] = row.compliance;
                    rubbing.r[lane] = r[at + first + lane];
                }
                rubbing.prepare(block, (at + first) as u32, NOTHING * diagonal);
                shorten(&mut rubbing.r, rubbing.friction * local.r);
                if k == 0 {
                    local.to_n = rubbing.rows.map(|row| dot(&row, &local.row));
                    local.rubbing = rubbing;
                } else {
                    local.more += 1;
                    self.more.push(rubbing);
                }
                first = own.end;
            }
            self.locals.push(local);
            at += count;
        }
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            let bodies = self.local_pair(joint.bodies);
            for at in at..at + joint.rows {
                let source = &problem.rows[island.rows[at] as usize];
                sound &= source.compliance >= 0.0;
                let (row, free) = self.scaled(problem, joint.bodies, bodies, source);
                self.ties.push(Tie {
                    row,
                    free,
                    compliance: source.compliance,
                    inverse: inverse_of(dot(&row, &row) + source.compliance, 0.0),
                    r: r[at],
                    bodies,
                    at: at as u32,
                });
            }
            at += joint.rows;
        }
        self.push_bodies(island.bodies.len());
        sound
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

    /// A row of `J`, and its `q`.
    fn scaled(
        &self,
        problem: &Problem,
        bodies: [u32; 2],
        local: [u32; 2],
        row: &Row,
    ) -> (Pair, f64) {
        let mut own = [0.0; 2 * FREEDOMS];
        let mut q = row.bias;
        for side in 0..2 {
            if bodies[side] == GROUND {
                continue;
            }
            let g = &row.entries[side];
            let v = &problem.bodies[bodies[side] as usize].velocity;
            let (l, full) = &self.roots[local[side] as usize];
            let own = &mut own[side * FREEDOMS..(side + 1) * FREEDOMS];
            for k in 0..FREEDOMS {
                q += g[k] * v[k];
                own[k] = g[k] * l[k][k];
            }
            if *full {
                for k in 0..FREEDOMS {
                    for i in k + 1..FREEDOMS {
                        own[k] += g[i] * l[i][k];
                    }
                }
            }
        }
        (own, q)
    }

    /// `w` of (1).
    fn push_bodies(&mut self, bodies: usize) {
        self.w.clear();
        self.w.resize(bodies + 1, Moving::default());
        let mut more = self.more.iter();
        for local in &self.locals {
            let [mut a, mut b] = local.bodies.map(|b| self.w[b as usize]);
            let [s, t] = &local.rubbing.rows;
            let r = [local.r, local.rubbing.r[0], local.rubbing.r[1]];
            push(&local.row, s, t, r, &mut a, &mut b);
            for block in more.by_ref().take(local.more as usize) {
                let [s, t] = &block.rows;
                push(s, t, t, [block.r[0], block.r[1], 0.0], &mut a, &mut b);
            }
            self.w[local.bodies[0] as usize] = a;
            self.w[local.bodies[1] as usize] = b;
        }
        for tie in &self.ties {
            let [mut a, mut b] = tie.bodies.map(|b| self.w[b as usize]);
            push_one(&tie.row, tie.r, &mut a, &mut b);
            self.w[tie.bodies[0] as usize] = a;
            self.w[tie.bodies[1] as usize] = b;
        }
    }

    /// At most `count` sweeps; how many there were.
    pub fn run(&mut self, count: u32) -> u32 {
        let blocks = self.locals.iter().map(|local| &local.rubbing);
        let friction = blocks
            .chain(&self.more)
            .fold(0.0, |m, b| larger(m, b.friction));
        let relaxation = RELAXATIONS[usize::from(friction > 1.0)];
        for done in 0..count {
            let (change, largest) = self.sweep(relaxation);
            if change <= STILL * largest {
                return done + 1;
            }
        }
        count
    }

    /// The largest change of an impulse, and the largest impulse.
    fn sweep(&mut self, relaxation: f64) -> (f64, f64) {
        let (mut change, mut largest) = (0.0, 0.0);
        let w = &mut self.w[..];
        for tie in &mut self.ties {
            let [mut a, mut b] = tie.bodies.map(|b| w[b as usize]);
            let u = tie.free + along(&tie.row, &a.0, &b.0) + tie.compliance * tie.r;
            let step = -u * tie.inverse;
            tie.r += step;
            change = larger(change, step.abs());
            largest = larger(largest, tie.r.abs());
            push_one(&tie.row, step, &mut a, &mut b);
            w[tie.bodies[0] as usize] = a;
            w[tie.bodies[1] as usize] = b;
        }
        let mut more = self.more.iter_mut();
        for local in &mut self.locals {
            let [mut a, mut b] = local.bodies.map(|b| w[b as usize]);
            let Some(changed) = local.improve(&mut a, &mut b, relaxation) else {
                more.by_ref().take(local.more as usize).for_each(drop);
                continue;
            };
            change = larger(change, changed);
            largest = larger(largest, local.r);
            for block in more.by_ref().take(local.more as usize) {
                block.improve_alone(local.r, &mut a, &mut b, relaxation);
            }
            w[local.bodies[0] as usize] = a;
            w[local.bodies[1] as usize] = b;
        }
        (change, largest)
    }

    /// The impulses, in the order of the rows of the island.
    pub fn leave(&self, r: &mut [f64]) {
        let mut put = |block: &Rubbing| {
            let (first, count) = (block.first as usize, block.count as usize);
            r[first..first + count].copy_from_slice(&block.r[..count]);
        };
        self.more.iter().for_each(&mut put);
        self.locals.iter().for_each(|local| put(&local.rubbing));
        for local in &self.locals {
            r[local.first as usize] = local.r;
        }
        for tie in &self.ties {
            r[tie.at as usize] = tie.r;
        }
    }
}

impl Local {
    /// (2) to (5), and by how much the impulses changed; none: they were and stay zero.
    #[inline]
    fn improve(&mut self, a: &mut Moving, b: &mut Moving, relaxation: f64) -> Option<f64> {
        let u_n = self.free + along(&self.row, &a.0, &b.0) + self.compliance * self.r;
        let new = positive(self.r - relaxation * u_n * self.inverse);
        if new == 0.0 && self.r == 0.0 {
            return None;
        }
        let change = new - self.r;
        self.r = new;
        if self.rubbing.count == 0 {
            push_one(&self.row, change, a, b);
            return Some(change.abs());
        }
        let block = &mut self.rubbing;
        let [u_s, u_t] = block.velocity(a, b);
        let u = [u_s + self.to_n[0] * change, u_t + self.to_n[1] * change];
        let [x, y] = block.improve(u, new, relaxation);
        let [s, t] = &block.rows;
        push(&self.row, s, t, [change, x, y], a, b);
        Some(larger(change.abs(), larger(x.abs(), y.abs())))
    }
}

impl Rubbing {
    /// Of a contact without friction.
    const NONE: Self = Self {
        rows: [[0.0; 2 * FREEDOMS]; 2],
        free: [0.0; 2],
        compliance: [0.0; 2],
        inverse: [0.0; 3],
        step: 0.0,
        friction: 0.0,
        r: [0.0; 2],
        first: 0,
        count: 0,
    };

    /// `W_bb^-1` and `1 / d`; a diagonal below `nothing` is none.
    fn prepare(&mut self, block: &Block, first: u32, nothing: f64) {
        (self.first, self.count) = (first, block.rows() as u32);
        self.friction = block.friction();
        let [s, t] = &self.rows;
        let a = dot(s, s) + self.compliance[0];
        let c = dot(t, t) + self.compliance[1];
        let b = dot(s, t);
        let half = 0.5 * (a - c);
        self.step = inverse_of(0.5 * (a + c) + (half * half + b * b).sqrt(), nothing);
        let determinant = a * c - b * b;
        // one row, or two that are alike
        self.inverse = if self.count == 1 || determinant <= NOTHING * a * c {
            [self.step, self.step, 0.0]
        } else {
            [c / determinant, a / determinant, -b / determinant]
        };
    }

    #[inline]
    fn velocity(&self, a: &Moving, b: &Moving) -> [f64; 2] {
        let of = |lane: usize| {
            let moved = along(&self.rows[lane], &a.0, &b.0);
            self.free[lane] + moved + self.compliance[lane] * self.r[lane]
        };
        [of(0), of(1)]
    }

    /// (4), (5): the changes.
    #[inline]
    fn improve(&mut self, [u_s, u_t]: [f64; 2], r_n: f64, relaxation: f64) -> [f64; 2] {
        let reach = self.friction * r_n;
        let [p, q, m] = self.inverse;
        let mut new = [
            self.r[0] - relaxation * (p * u_s + m * u_t),
            self.r[1] - relaxation * (m * u_s + q * u_t),
        ];
        if new[0] * new[0] + new[1] * new[1] > reach * reach {
            let step = relaxation * self.step;
            new = [self.r[0] - step * u_s, self.r[1] - step * u_t];
            shorten(&mut new, reach);
        }
        let changes = [new[0] - self.r[0], new[1] - self.r[1]];
        self.r = new;
        changes
    }

    /// The same, with its motion of the bodies.
    fn improve_alone(&mut self, r_n: f64, a: &mut Moving, b: &mut Moving, relaxation: f64) {
        let u = self.velocity(a, b);
        let [x, y] = self.improve(u, r_n, relaxation);
        push_one(&self.rows[0], x, a, b);
        push_one(&self.rows[1], y, a, b);
    }
}

fn inverse_of(diagonal: f64, nothing: f64) -> f64 {
    if diagonal > nothing {
        1.0 / diagonal
    } else {
        0.0
    }
}

#[inline]
fn push_one(row: &Pair, change: f64, a: &mut Moving, b: &mut Moving) {
    for k in 0..FREEDOMS {
        a.0[k] += row[k] * change;
        b.0[k] += row[FREEDOMS + k] * change;
    }
}

#[inline]
fn push(n: &Pair, s: &Pair, t: &Pair, change: [f64; 3], a: &mut Moving, b: &mut Moving) {
    for k in 0..FREEDOMS {
        let j = FREEDOMS + k;
        a.0[k] += n[k] * change[0] + s[k] * change[1] + t[k] * change[2];
        b.0[k] += n[j] * change[0] + s[j] * change[1] + t[j] * change[2];
    }
}
