//! Residual check of every candidate, independent of the code of the solvers.
//!
//! For `u = W r + b` it evaluates, in dimensionless coordinates, the natural map of De Saxce's form of Coulomb's law
//!
//! ```text
//! (1)  residual = max_i | r' - P_K (r' - v) |_i / max(|b'|, 1e-4 R)                 maximum norms
//!      R = min(|r'|, 1e8 |b'|)
//! (2)  v_n = u'_n + sum_b mu'_b |u'_b|,   v_b = u'_b                                per contact, over its blocks b
//! (3)  K = { r_n >= 0, |r_b| <= mu'_b r_n },   P_K: projection onto K
//! (4)  u' = s u,  b' = s b,  r' = r / s,  mu'_b = mu_b s_n / s_b
//! (5)  s = 1 / sqrt(W_ii), the largest W_ii of a block for all of its rows
//! ```
//!
//! (5) gives heavy and light bodies the same weight; (1) does not depend on the units of mass, length and time. The
//! denominator contains `r'` because the rounding error of `W r` is of the order of the machine epsilon times `|r'|`: a
//! residual of 1e-10 never requires more than 1e-14 of the impulses, up to those of a body on top of one 1e8 times
//! lighter. The bound of `R` is necessary: where there is no solution, impulses that grow without bound have arbitrarily
//! small residuals relative to their size.

use super::{MAX_BLOCKS, Problem};
use crate::math::larger;

/// Weight of the impulses in the reference size: 1e-4 of them times 1e-10 is a few machine epsilons.
const IMPULSES: f64 = 1e-4;

/// The reference size is bounded by this multiple of `|b'|`: 1e8 is the mass ratio that has to be solved.
const LARGEST_RATIO: f64 = 1e8;

/// Residual of `r`: 0 is exact, infinity stands for anything that is not finite.
#[must_use]
pub fn residual(problem: &Problem, r: &[f64]) -> f64 {
    let n = problem.n;
    let rows: usize = problem.contacts.iter().map(super::Contact::rows).sum();
    if problem.matrix.len() != n * n || problem.vector.len() != n || r.len() != n || rows != n {
        return f64::INFINITY;
    }
    let velocity = |i: usize| {
        let row = &problem.matrix[i * n..(i + 1) * n];
        problem.vector[i] + dot(row, r)
    };
    let (mut worst, mut size, mut impulse) = (0.0, 0.0, 0.0);
    let mut row = 0;
    for contact in problem.contacts {
        let blocks = contact.blocks();
        let s_n = unit_scale(problem, row, 1);
        let (u_n, r_n) = (velocity(row) * s_n, r[row] / s_n);
        size = larger(size, (problem.vector[row] * s_n).abs());
        impulse = larger(impulse, r_n.abs());
        let mut finite = u_n.is_finite() && r_n.is_finite();
        // (2)
        let mut slack = 0.0;
        let mut outward = [0.0; MAX_BLOCKS];
        let mut mu = [0.0; MAX_BLOCKS];
        let mut target = [[0.0; 2]; MAX_BLOCKS];
        let mut own = [[0.0; 2]; MAX_BLOCKS];
        let mut first = row + 1;
        for (k, block) in blocks.iter().enumerate() {
            let s = unit_scale(problem, first, block.rows());
            mu[k] = block.friction() * s_n / s;
            let mut speed = 0.0;
            for lane in 0..block.rows() {
                let i = first + lane;
                let (u, x) = (velocity(i) * s, r[i] / s);
                size = larger(size, (problem.vector[i] * s).abs());
                impulse = larger(impulse, x.abs());
                finite &= u.is_finite() && x.is_finite();
                speed += u * u;
                own[k][lane] = x;
                target[k][lane] = x - u;
            }
            slack += mu[k] * speed.sqrt();
            outward[k] = length(target[k]);
            first += block.rows();
        }
        if !finite || !slack.is_finite() {
            return f64::INFINITY;
        }
        // (3): the projected r_n is the root of an increasing, piecewise linear function
        let nearest = nearest_normal(r_n - u_n - slack, &mu[..blocks.len()], &outward);
        worst = larger(worst, (r_n - nearest).abs());
        for k in 0..blocks.len() {
            let reach = mu[k] * nearest;
            let shrink = if outward[k] > reach {
                reach / outward[k]
            } else {
                1.0
            };
            for lane in 0..2 {
                worst = larger(worst, (own[k][lane] - shrink * target[k][lane]).abs());
            }
        }
        row = first;
    }
    let counted = if impulse < LARGEST_RATIO * size {
        impulse
    } else {
        LARGEST_RATIO * size
    };
    if worst == 0.0 {
        0.0
    } else {
        worst / larger(size, IMPULSES * counted)
    }
}

/// The `x >= 0` that minimizes `(x - y)^2 + sum_b max(0, a_b - mu_b x)^2`.
fn nearest_normal(y: f64, mu: &[f64], outward: &[f64; MAX_BLOCKS]) -> f64 {
    // each set of active blocks gives a candidate; the minimum is the one that is consistent with its set
    let mut best = (f64::INFINITY, 0.0);
    for set in 0..1_usize << mu.len() {
        let (mut above, mut below) = (y, 1.0);
        for k in (0..mu.len()).filter(|k| set >> k & 1 == 1) {
            above += mu[k] * outward[k];
            below += mu[k] * mu[k];
        }
        let x = larger(above / below, 0.0);
        let distance = (0..mu.len()).fold((x - y) * (x - y), |sum, k| {
            let over = larger(outward[k] - mu[k] * x, 0.0);
            sum + over * over
        });
        if distance < best.0 {
            best = (distance, x);
        }
    }
    best.1
}

/// (5) of the rows of a block.
fn unit_scale(problem: &Problem, first: usize, rows: usize) -> f64 {
    let n = problem.n;
    let diagonal = (first..first + rows).fold(0.0, |m, i| larger(m, problem.matrix[i * n + i]));
    if diagonal > 0.0 {
        1.0 / diagonal.sqrt()
    } else {
        1.0
    }
}

fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}

/// With eight partial sums, for vectorization.
fn dot(a: &[f64], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (a.as_chunks::<8>(), x.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, x) in a.iter().zip(x) {
        for lane in 0..8 {
            sums[lane] += a[lane] * x[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(x_rest).map(|(a, x)| a * x).sum();
    total(&sums) + rest
}

/// A separate function, because inlined the compiler would shuffle all numbers for this order of summation.
#[inline(never)]
fn total(sums: &[f64; 8]) -> f64 {
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
}
