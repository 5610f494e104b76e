//! The judge of every answer; it shares no code with the solvers.
//!
//! It is the one of `lcp::cone` with the rows of joints added, in body space: for each island, in coordinates without
//! units, the natural map of De Saxce's form of Coulomb's law
//!
//! ```text
//! (1)  residual = max_i | r' - P_K (r' - y) |_i / max(|q'|, 1e-4 R)                 maximum norms
//!      R = min(|r'|, 1e8 |q'|),   q = G v_f + b
//! (2)  y_n = u'_n + sum_b mu'_b |u'_b|,   y_b = u'_b                                per contact, over its blocks b
//! (3)  K = { r_n >= 0, |r_b| <= mu'_b r_n },   P_K the nearest point of it;  rows of joints: everything
//! (4)  u' = s u,  q' = s q,  r' = r / s,  mu'_b = mu_b s_n / s_b
//! (5)  s = 1 / sqrt(W_ii),  W_ii = (G A^-1 G^T)_ii + c_i,  the largest of a block for all of its rows
//! ```

use super::{FREEDOMS, GROUND, Island, Islands, Problem, Row};
use crate::lcp::cone::MOST_BLOCKS;

/// Part of the impulses in the size that residuals are relative to: 1e-4 of them times 1e-10 is some machine epsilons.
const IMPULSES: f64 = 1e-4;

/// Larger impulses, in relation to `|q'|`, gain nothing any more: 1e8 is the ratio of masses that has to be dealt with.
const LARGEST_RATIO: f64 = 1e8;

/// Part of the velocities of bodies in the size that residuals are relative to: 1e-5 of them times 1e-10 is the rounding of
/// what is the difference of two velocities. Contacts of a group that moves as one have no more than that.
const ROUNDING: f64 = 1e-5;

/// How far `r` is from a solution, the largest number of all islands: 0 is exact, and infinity is returned for anything
/// that is not a number.
#[must_use]
pub fn residual(problem: &Problem, r: &[f64]) -> f64 {
    let mut islands = Islands::default();
    if !islands.find(problem) || r.len() != problem.rows.len() {
        return f64::INFINITY;
    }
    let mut judge = Judge::default();
    (0..islands.count())
        .map(|k| {
            let island = islands.island(k);
            let mut own = vec![0.0; island.rows.len()];
            island.gather(r, &mut own);
            judge.residual(problem, &island, &own)
        })
        .fold(0.0, larger)
}

/// Scratch of the judge.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// `v` of all bodies; only those of the island are set.
    velocities: Vec<[f64; FREEDOMS]>,
}

/// Velocities of a row.
struct Moved {
    /// `u`.
    now: f64,
    /// `q` of (1).
    free: f64,
    /// Sum of the sizes of what `free` is the sum of.
    products: f64,
    /// `W_ii`.
    diagonal: f64,
}

/// Largest numbers so far, (1).
struct Sizes {
    worst: f64,
    free: f64,
    /// Of the products that `free` is the sum of.
    products: f64,
    impulse: f64,
    finite: bool,
}

impl Sizes {
    fn count(&mut self, moved: &Moved, r: f64, s: f64) {
        self.free = larger(self.free, (moved.free * s).abs());
        self.products = larger(self.products, moved.products * s);
        self.impulse = larger(self.impulse, (r / s).abs());
        self.finite &= moved.now.is_finite() && r.is_finite() && moved.free.is_finite();
    }
}

impl Judge {
    /// Room for problems of this many bodies.
    pub fn reserve(&mut self, bodies: usize) {
        if self.velocities.len() < bodies {
            self.velocities.resize(bodies, [0.0; FREEDOMS]);
        }
    }

    /// (1) of an island; `r` in the order of its rows.
    pub fn residual(&mut self, problem: &Problem, island: &Island, r: &[f64]) -> f64 {
        self.reserve(problem.bodies.len());
        if r.len() != island.rows.len() {
            return f64::INFINITY;
        }
        self.move_bodies(problem, island, r);
        let mut sizes = Sizes {
            worst: 0.0,
            free: 0.0,
            products: 0.0,
            impulse: 0.0,
            finite: true,
        };
        let mut at = 0;
        for &c in island.contacts {
            let touch = &problem.contacts[c as usize];
            let rows = touch.contact.rows();
            let first = island.rows[at] as usize;
            self.contact(
                problem,
                &touch.bodies,
                touch.contact.blocks(),
                &problem.rows[first..first + rows],
                &r[at..at + rows],
                &mut sizes,
            );
            at += rows;
        }
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            for _ in 0..joint.rows {
                let row = &problem.rows[island.rows[at] as usize];
                let moved = self.moved(problem, &joint.bodies, row, r[at]);
                let s = unit_scale(moved.diagonal);
                sizes.count(&moved, r[at], s);
                sizes.worst = larger(sizes.worst, (moved.now * s).abs());
                at += 1;
            }
        }
        if !sizes.finite {
            return f64::INFINITY;
        }
        if sizes.worst == 0.0 {
            return 0.0;
        }
        let counted = if sizes.impulse < LARGEST_RATIO * sizes.free {
            sizes.impulse
        } else {
            LARGEST_RATIO * sizes.free
        };
        let free = larger(sizes.free, ROUNDING * sizes.products);
        sizes.worst / larger(free, IMPULSES * counted)
    }

    /// `v = v_f + A^-1 G^T r`.
    fn move_bodies(&mut self, problem: &Problem, island: &Island, r: &[f64]) {
        for &b in island.bodies {
            self.velocities[b as usize] = [0.0; FREEDOMS];
        }
        let mut at = 0;
        let of_contacts = island.contacts.iter().map(|&c| {
            let touch = &problem.contacts[c as usize];
            (touch.bodies, touch.contact.rows())
        });
        let of_joints = island.joints.iter().map(|&j| {
            let joint = &problem.joints[j as usize];
            (joint.bodies, joint.rows)
        });
        for (bodies, rows) in of_contacts.chain(of_joints) {
            for _ in 0..rows {
                let row = &problem.rows[island.rows[at] as usize];
                for (side, &b) in bodies.iter().enumerate().filter(|(_, b)| **b != GROUND) {
                    let pushed = &mut self.velocities[b as usize];
                    for k in 0..FREEDOMS {
                        pushed[k] += row.entries[side][k] * r[at];
                    }
                }
                at += 1;
            }
        }
        for &b in island.bodies {
            let body = &problem.bodies[b as usize];
            let pushed = self.velocities[b as usize];
            let v = &mut self.velocities[b as usize];
            for k in 0..FREEDOMS {
                v[k] = body.velocity[k] + dot(&body.inverse_mass[k], &pushed);
            }
        }
    }

    fn moved(&self, problem: &Problem, bodies: &[u32; 2], row: &Row, r: f64) -> Moved {
        let mut moved = Moved {
            now: row.bias + row.compliance * r,
            free: row.bias,
            products: row.bias.abs(),
            diagonal: row.compliance,
        };
        for (side, &b) in bodies.iter().enumerate().filter(|(_, b)| **b != GROUND) {
            let body = &problem.bodies[b as usize];
            let g = &row.entries[side];
            moved.now += dot(g, &self.velocities[b as usize]);
            moved.free += dot(g, &body.velocity);
            for k in 0..FREEDOMS {
                moved.products += (g[k] * body.velocity[k]).abs();
                moved.diagonal += g[k] * dot(&body.inverse_mass[k], g);
            }
        }
        moved
    }

    fn contact(
        &self,
        problem: &Problem,
        bodies: &[u32; 2],
        blocks: &[crate::lcp::cone::Block],
        rows: &[Row],
        r: &[f64],
        sizes: &mut Sizes,
    ) {
        let normal = self.moved(problem, bodies, &rows[0], r[0]);
        let s_n = unit_scale(normal.diagonal);
        sizes.count(&normal, r[0], s_n);
        let (u_n, r_n) = (normal.now * s_n, r[0] / s_n);
        // (2)
        let mut slack = 0.0;
        let mut outward = [0.0; MOST_BLOCKS];
        let mut mu = [0.0; MOST_BLOCKS];
        let mut target = [[0.0; 2]; MOST_BLOCKS];
        let mut own = [[0.0; 2]; MOST_BLOCKS];
        let mut first = 1;
        for (k, block) in blocks.iter().enumerate() {
            let count = block.rows();
            let one = self.moved(problem, bodies, &rows[first], r[first]);
            let last = first + count - 1;
            let other = self.moved(problem, bodies, &rows[last], r[last]);
            let s = unit_scale(larger(one.diagonal, other.diagonal));
            mu[k] = block.friction() * s_n / s;
            let mut speed = 0.0;
            for (lane, moved) in [one, other][..count].iter().enumerate() {
                let x = r[first + lane];
                sizes.count(moved, x, s);
                speed += moved.now * s * (moved.now * s);
                own[k][lane] = x / s;
                target[k][lane] = x / s - moved.now * s;
            }
            slack += mu[k] * speed.sqrt();
            outward[k] = length(target[k]);
            first += count;
        }
        sizes.finite &= slack.is_finite();
        // (3): the nearest r_n is the zero of an increasing, piecewise linear function
        let nearest = nearest_normal(r_n - u_n - slack, &mu, &outward, blocks.len());
        sizes.worst = larger(sizes.worst, (r_n - nearest).abs());
        for k in 0..blocks.len() {
            let reach = mu[k] * nearest;
            let shrink = if outward[k] > reach {
                reach / outward[k]
            } else {
                1.0
            };
            for lane in 0..2 {
                let off = own[k][lane] - shrink * target[k][lane];
                sizes.worst = larger(sizes.worst, off.abs());
            }
        }
    }
}

/// The `x >= 0` that makes `(x - y)^2 + sum_b max(0, a_b - mu_b x)^2` least.
fn nearest_normal(
    y: f64,
    mu: &[f64; MOST_BLOCKS],
    outward: &[f64; MOST_BLOCKS],
    blocks: usize,
) -> f64 {
    // every set of blocks that are shortened gives a candidate; the one whose set is its own is the answer
    let mut best = (f64::INFINITY, 0.0);
    for set in 0..1_usize << blocks {
        let (mut above, mut below) = (y, 1.0);
        for k in (0..blocks).filter(|k| set >> k & 1 == 1) {
            above += mu[k] * outward[k];
            below += mu[k] * mu[k];
        }
        let x = larger(above / below, 0.0);
        let distance = (0..blocks).fold((x - y) * (x - y), |sum, k| {
            let over = larger(outward[k] - mu[k] * x, 0.0);
            sum + over * over
        });
        if distance < best.0 {
            best = (distance, x);
        }
    }
    best.1
}

/// (5).
fn unit_scale(diagonal: f64) -> f64 {
    if diagonal > 0.0 {
        1.0 / diagonal.sqrt()
    } else {
        1.0
    }
}

/// The maximum, without the library's look for NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}

#[inline]
fn dot(a: &[f64; FREEDOMS], b: &[f64; FREEDOMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
