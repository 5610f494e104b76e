//! Residual check of every candidate, independent of the code of the solvers.
//!
//! The residual is that of `contact::dense` with joint rows added, evaluated in body space: for each island, in
//! dimensionless coordinates, the natural map of De Saxce's form of Coulomb's jacobian
//!
//! ```text
//! (1)  residual = max_i | r' - P_K (r' - y) |_i / max(|q'|, 1e-4 R)                 maximum norms
//!      R = min(|r'|, 1e8 |q'|),   q = G v_f + b
//! (2)  y_n = u'_n + sum_b mu'_b |u'_b|,   y_b = u'_b                                per contact, over its blocks b
//! (3)  K = { r_n >= 0, |r_b| <= mu'_b r_n },   P_K: projection onto K;  for joint rows K is the whole space
//! (4)  u' = s u,  q' = s q,  r' = r / s,  mu'_b = mu_b s_n / s_b
//! (5)  s = 1 / sqrt(W_ii),  W_ii = (G A^-1 G^T)_ii + c_i,  the largest of a block for all of its rows
//! ```

use super::{Body, ContactConstraint, DOFS, GROUND, Island, Islands, Problem, Row};
use crate::contact::dense::MAX_BLOCKS;
use crate::math::packed::{Packed6, pack, unpack};
use crate::math::{F64x2, larger};

/// Weight of the impulses in the reference size: 1e-4 of them times 1e-10 is a few machine epsilons.
const IMPULSES: f64 = 1e-4;

/// The reference size is bounded by this multiple of `|q'|`: 1e8 is the mass ratio that has to be solved.
const LARGEST_RATIO: f64 = 1e8;

/// Weight of the body velocities in the reference size: 1e-5 of them times 1e-10 is the rounding error of the difference
/// of two velocities, which limits the accuracy for contacts within a group that moves as one.
const ROUNDING: f64 = 1e-5;

/// Residual of `r`, the largest of all islands: 0 is exact, infinity stands for anything that is not finite.
#[must_use]
pub fn residual(problem: &Problem, r: &[f64]) -> f64 {
    let mut islands = Islands::default();
    if !islands.find(problem) || r.len() != problem.rows.len() {
        return f64::INFINITY;
    }
    let mut residual_check = ResidualCheck::default();
    (0..islands.count())
        .map(|k| {
            let island = islands.island(k);
            let mut own = vec![0.0; island.rows.len()];
            island.gather(r, &mut own);
            residual_check.residual(problem, &island, &own)
        })
        .fold(0.0, larger)
}

/// Scratch of the residual check.
#[derive(Debug, Default)]
pub(super) struct ResidualCheck {
    /// All bodies; only those of the island are valid.
    velocities: Vec<BodyVelocity>,
}

/// Velocities of a body.
#[derive(Clone, Copy, Debug, Default)]
struct BodyVelocity {
    /// `v`.
    actual: Packed6,
    /// `v_f`.
    free: Packed6,
    /// Diagonal of `A^-1`, and whether there are off-diagonal entries.
    inverse_mass: Packed6,
    is_coupled: bool,
}

/// Velocities of a row.
struct RowVelocity {
    /// `u`.
    actual: f64,
    /// `q` of (1).
    free: f64,
    /// Sum of the magnitudes of the terms of `free`.
    products: f64,
    /// `W_ii`.
    diagonal: f64,
}

/// Largest free velocities so far, (1).
#[derive(Default)]
struct Sizes {
    free: f64,
    /// The same for the products that `free` is the sum of.
    products: f64,
}

impl Sizes {
    fn count(&mut self, velocity: &RowVelocity, s: f64) {
        self.free = larger(self.free, (velocity.free * s).abs());
        self.products = larger(self.products, velocity.products * s);
    }
}

/// A friction block of a contact, dimensionless.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScaledBlock {
    mu: f64,
    own: [f64; 2],
    /// `r' - u'`, and its length.
    target: [f64; 2],
    outward: f64,
    speed: f64,
}

impl ScaledBlock {
    /// (2) of a block; a block with one row is padded with zeros.
    pub fn new(mu: f64, r: [f64; 2], u: [f64; 2]) -> Self {
        let target = [r[0] - u[0], r[1] - u[1]];
        Self {
            mu,
            own: r,
            target,
            outward: length(target),
            speed: length(u),
        }
    }
}

/// Accumulates the natural map of (1) to (3) over contacts and joints.
#[derive(Debug, Default)]
pub(super) struct Distance {
    worst: f64,
    impulse: f64,
    /// Zero as long as all numbers are finite.
    nonfinite: f64,
}

impl Distance {
    /// Adds a contact with its `u'_n`, `r'_n` and blocks.
    pub fn contact(&mut self, u_n: f64, r_n: f64, blocks: &[ScaledBlock]) {
        let mut slack = 0.0;
        for block in blocks {
            slack += block.mu * block.speed;
            let [x, y] = block.own.map(f64::abs);
            self.impulse = larger(self.impulse, larger(x, y));
            self.nonfinite += 0.0 * block.outward;
        }
        self.impulse = larger(self.impulse, r_n.abs());
        self.nonfinite += 0.0 * (u_n + r_n + slack);
        // (3): the projected r_n is the root of an increasing, piecewise linear function
        let nearest = nearest_normal(r_n - u_n - slack, blocks);
        self.worst = larger(self.worst, (r_n - nearest).abs());
        for block in blocks {
            let limit = block.mu * nearest;
            let shrink = if block.outward > limit {
                limit / block.outward
            } else {
                1.0
            };
            for lane in 0..2 {
                let off = block.own[lane] - shrink * block.target[lane];
                self.worst = larger(self.worst, off.abs());
            }
        }
    }

    /// Adds a joint row.
    pub fn joint(&mut self, u: f64, r: f64) {
        self.impulse = larger(self.impulse, r.abs());
        self.nonfinite += 0.0 * (u + r);
        self.worst = larger(self.worst, u.abs());
    }

    /// (1), given the largest free velocity and the largest sum of products.
    pub fn relative(&self, free: f64, products: f64) -> f64 {
        if self.nonfinite != 0.0 || !free.is_finite() {
            return f64::INFINITY;
        }
        if self.worst == 0.0 {
            return 0.0;
        }
        let counted = if self.impulse < LARGEST_RATIO * free {
            self.impulse
        } else {
            LARGEST_RATIO * free
        };
        let free = larger(free, ROUNDING * products);
        self.worst / larger(free, IMPULSES * counted)
    }
}

impl ResidualCheck {
    /// Reserves space for problems of this many bodies.
    pub fn reserve(&mut self, bodies: usize) {
        if self.velocities.len() < bodies {
            self.velocities.resize(bodies, BodyVelocity::default());
        }
    }

    /// (1) of an island; `r` in the order of its rows.
    pub fn residual(&mut self, problem: &Problem, island: &Island, r: &[f64]) -> f64 {
        self.reserve(problem.bodies.len());
        if r.len() != island.rows.len() {
            return f64::INFINITY;
        }
        self.move_bodies(problem, island, r);
        let (mut sizes, mut distance) = (Sizes::default(), Distance::default());
        let mut at = 0;
        for &c in island.contacts {
            let constraint = &problem.contacts[c as usize];
            let rows = constraint.contact.rows();
            let first = island.rows[at] as usize;
            self.contact(
                problem,
                constraint,
                &problem.rows[first..first + rows],
                &r[at..at + rows],
                &mut sizes,
                &mut distance,
            );
            at += rows;
        }
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            for _ in 0..joint.rows {
                let row = &problem.rows[island.rows[at] as usize];
                let velocity = self.row_velocity(problem, &joint.bodies, row, r[at]);
                let s = unit_scale(velocity.diagonal);
                sizes.count(&velocity, s);
                distance.joint(velocity.actual * s, r[at] / s);
                at += 1;
            }
        }
        distance.relative(sizes.free, sizes.products)
    }

    /// `v = v_f + A^-1 G^T r`.
    fn move_bodies(&mut self, problem: &Problem, island: &Island, r: &[f64]) {
        for &b in island.bodies {
            self.velocities[b as usize].actual = Packed6::default();
        }
        let mut at = 0;
        let of_contacts = island.contacts.iter().map(|&c| {
            let constraint = &problem.contacts[c as usize];
            (constraint.bodies, constraint.contact.rows())
        });
        let of_joints = island.joints.iter().map(|&j| {
            let joint = &problem.joints[j as usize];
            (joint.bodies, joint.rows)
        });
        for (bodies, rows) in of_contacts.chain(of_joints) {
            for _ in 0..rows {
                let row = &problem.rows[island.rows[at] as usize];
                for (side, &b) in bodies.iter().enumerate().filter(|(_, b)| **b != GROUND) {
                    let (g, r) = (pack(&row.entries[side]), F64x2::both(r[at]));
                    for (impulse, g) in self.velocities[b as usize].actual.iter_mut().zip(g) {
                        *impulse += g * r;
                    }
                }
                at += 1;
            }
        }
        for &b in island.bodies {
            let Body {
                inverse_mass,
                velocity,
            } = &problem.bodies[b as usize];
            let velocities = &mut self.velocities[b as usize];
            let impulse = unpack(&velocities.actual);
            let mut v = *velocity;
            for k in 0..DOFS {
                v[k] += dot(&inverse_mass[k], &impulse);
            }
            let off_diagonal = |k: usize| {
                inverse_mass[k]
                    .iter()
                    .enumerate()
                    .filter(move |(i, _)| *i != k)
            };
            *velocities = BodyVelocity {
                actual: pack(&v),
                free: pack(velocity),
                inverse_mass: pack(&std::array::from_fn(|k| inverse_mass[k][k])),
                is_coupled: (0..DOFS).any(|k| off_diagonal(k).any(|(_, x)| *x != 0.0)),
            };
        }
    }

    #[inline]
    fn row_velocity(&self, problem: &Problem, bodies: &[u32; 2], row: &Row, r: f64) -> RowVelocity {
        let mut velocity = RowVelocity {
            actual: row.bias + row.compliance * r,
            free: row.bias,
            products: row.bias.abs(),
            diagonal: row.compliance,
        };
        for side in 0..2 {
            let b = bodies[side];
            if b == GROUND {
                continue;
            }
            let body = &self.velocities[b as usize];
            let g = pack(&row.entries[side]);
            let (mut actual, mut free, mut products) = <(F64x2, F64x2, F64x2)>::default();
            let mut diagonal = F64x2::default();
            for k in 0..DOFS / 2 {
                let product = g[k] * body.free[k];
                actual += g[k] * body.actual[k];
                free += product;
                products += product.abs();
                diagonal += g[k] * g[k] * body.inverse_mass[k];
            }
            velocity.actual += actual.sum();
            velocity.free += free.sum();
            velocity.products += products.sum();
            velocity.diagonal += if body.is_coupled {
                let inverse_mass = &problem.bodies[b as usize].inverse_mass;
                let (g, of) = (&row.entries[side], |k: usize| &inverse_mass[k]);
                (0..DOFS).map(|k| g[k] * dot(of(k), g)).sum()
            } else {
                diagonal.sum()
            };
        }
        velocity
    }

    fn contact(
        &self,
        problem: &Problem,
        constraint: &ContactConstraint,
        rows: &[Row],
        r: &[f64],
        sizes: &mut Sizes,
        distance: &mut Distance,
    ) {
        let (bodies, blocks) = (&constraint.bodies, constraint.contact.blocks());
        let normal = self.row_velocity(problem, bodies, &rows[0], r[0]);
        let s_n = unit_scale(normal.diagonal);
        sizes.count(&normal, s_n);
        let mut scaled_blocks = [ScaledBlock::default(); MAX_BLOCKS];
        let mut first = 1;
        for (own, block) in scaled_blocks.iter_mut().zip(blocks) {
            let count = block.rows();
            let one = self.row_velocity(problem, bodies, &rows[first], r[first]);
            let last = first + count - 1;
            let other = self.row_velocity(problem, bodies, &rows[last], r[last]);
            let s = unit_scale(larger(one.diagonal, other.diagonal));
            let (mut of_r, mut of_u) = ([0.0; 2], [0.0; 2]);
            for (lane, velocity) in [one, other][..count].iter().enumerate() {
                sizes.count(velocity, s);
                of_r[lane] = r[first + lane] / s;
                of_u[lane] = velocity.actual * s;
            }
            *own = ScaledBlock::new(block.friction() * s_n / s, of_r, of_u);
            first += count;
        }
        distance.contact(
            normal.actual * s_n,
            r[0] / s_n,
            &scaled_blocks[..blocks.len()],
        );
    }
}

/// The `x >= 0` that minimizes `(x - y)^2 + sum_b max(0, a_b - mu_b x)^2`.
fn nearest_normal(y: f64, blocks: &[ScaledBlock]) -> f64 {
    // each set of active blocks gives a candidate; the minimum is the one that is consistent with its set
    let mut best = (f64::INFINITY, 0.0);
    for set in 0..1_usize << blocks.len() {
        let (mut above, mut below) = (y, 1.0);
        for (k, block) in blocks.iter().enumerate() {
            if set >> k & 1 == 1 {
                above += block.mu * block.outward;
                below += block.mu * block.mu;
            }
        }
        let x = larger(above / below, 0.0);
        let distance = blocks.iter().fold((x - y) * (x - y), |sum, block| {
            let over = larger(block.outward - block.mu * x, 0.0);
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

fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}

#[inline]
fn dot(a: &[f64; DOFS], b: &[f64; DOFS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
