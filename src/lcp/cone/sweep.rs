//! Relaxed Gauss-Seidel sweeps: one contact after the other, its normal row and first block exactly, its other blocks
//! each by itself.
//!
//! ```text
//! (1)  q_n >= 0:   open
//! (2)  u_n = 0:    r_n = -(q_n + W_nb r_b) / W_nn,    S = W_bb - W_bn W_nb / W_nn,   q = q_b - W_bn q_n / W_nn
//! (3)  stick:      S r_b = -q,   if |r_b| <= mu r_n
//! (4)  slip:       (S + a) r_b = -q,   a > 0 with |r_b| = reach + grow.r_b:   reach = -mu q_n / W_nn,
//!                  grow = -mu W_nb / W_nn      (as a grows, r_b goes to zero: there is a root whenever q_n < 0)
//! ```

use super::scaled::{BlockRows, ContactRows, Scaled};
use crate::math::positive;

/// Steps towards the root of (4); more than its safeguarded Newton iteration ever needs.
const ROOT_STEPS: u32 = 60;

/// Relative width at which the root of (4) is good enough: Newton's method does the rest.
const ROOT_WIDTH: f64 = 1e-13;

/// One sweep over all contacts.
pub(super) fn sweep(scaled: &Scaled, r: &mut [f64], relaxation: f64) {
    for contact in &scaled.contacts {
        let n = contact.normal;
        let before = r[n];
        let first = contact.blocks().first().filter(|b| b.friction > 0.0);
        match first {
            None => {
                let q = velocity(scaled, n, r) - stiffness(scaled, n) * r[n];
                r[n] = positive(-q / stiffness(scaled, n));
            }
            Some(block) => together(scaled, contact, block, r, relaxation),
        }
        if first.is_none() {
            r[n] = positive(before + relaxation * (r[n] - before));
        }
        let rest = usize::from(first.is_some());
        for block in &contact.blocks()[rest..] {
            alone(scaled, block, block.friction * r[n], r);
        }
    }
}

fn entry(scaled: &Scaled, i: usize, j: usize) -> f64 {
    let soft = if i == j {
        scaled.prox * scaled.stiffness[i]
    } else {
        0.0
    };
    scaled.matrix[i * scaled.n + j] + soft
}

fn stiffness(scaled: &Scaled, i: usize) -> f64 {
    let w = entry(scaled, i, i);
    if w > 1e-3 { w } else { 1.0 }
}

fn velocity(scaled: &Scaled, i: usize, r: &[f64]) -> f64 {
    scaled.velocity(i, r) + scaled.prox * scaled.stiffness[i] * (r[i] - scaled.reference[i])
}

/// (1) to (4) of the normal row and its first block.
fn together(
    scaled: &Scaled,
    contact: &ContactRows,
    block: &BlockRows,
    r: &mut [f64],
    relaxation: f64,
) {
    let (n, t, rows) = (contact.normal, block.first, block.rows);
    let w_nn = stiffness(scaled, n);
    let mut q_n = velocity(scaled, n, r) - w_nn * r[n];
    let (mut q, mut s, mut to_n) = ([0.0; 2], [[0.0; 2]; 2], [0.0; 2]);
    for a in 0..rows {
        to_n[a] = entry(scaled, n, t + a);
        q_n -= to_n[a] * r[t + a];
    }
    let mut new_n = 0.0;
    let mut new = [0.0; 2];
    if q_n < 0.0 {
        for a in 0..rows {
            let from_n = entry(scaled, t + a, n);
            q[a] = velocity(scaled, t + a, r) - from_n * r[n] - from_n * q_n / w_nn;
            for b in 0..rows {
                let w = entry(scaled, t + a, t + b);
                q[a] -= w * r[t + b];
                s[a][b] = w - from_n * to_n[b] / w_nn;
            }
        }
        let mu = block.friction;
        let reach = -mu * q_n / w_nn;
        let grow = to_n.map(|w| -mu * w / w_nn);
        new = tangential(rows, &s, &q, reach, &grow);
        new_n = positive(-(q_n + to_n[0] * new[0] + to_n[1] * new[1]) / w_nn);
    }
    r[n] = positive(r[n] + relaxation * (new_n - r[n]));
    for a in 0..rows {
        r[t + a] += relaxation * (new[a] - r[t + a]);
    }
    let reach = block.friction * r[n];
    shorten(&mut r[t..t + rows], reach);
}

fn shorten(own: &mut [f64], reach: f64) {
    let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > reach {
        own.iter_mut().for_each(|x| *x *= reach / length);
    }
}

/// (3), (4) of a block with a given reach.
fn alone(scaled: &Scaled, block: &BlockRows, reach: f64, r: &mut [f64]) {
    let (t, rows) = (block.first, block.rows);
    if reach <= 0.0 {
        r[t..t + rows].fill(0.0);
        return;
    }
    let (mut q, mut s) = ([0.0; 2], [[0.0; 2]; 2]);
    for a in 0..rows {
        q[a] = velocity(scaled, t + a, r);
        for b in 0..rows {
            s[a][b] = entry(scaled, t + a, t + b);
            q[a] -= s[a][b] * r[t + b];
        }
    }
    let new = tangential(rows, &s, &q, reach, &[0.0; 2]);
    r[t..t + rows].copy_from_slice(&new[..rows]);
    shorten(&mut r[t..t + rows], reach);
}

/// (3), (4).
fn tangential(
    rows: usize,
    s: &[[f64; 2]; 2],
    q: &[f64; 2],
    reach: f64,
    grow: &[f64; 2],
) -> [f64; 2] {
    if rows == 1 {
        let stick = -q[0] / s[0][0];
        if s[0][0] > 0.0 && stick.abs() <= reach + grow[0] * stick {
            return [stick, 0.0];
        }
        let d = if q[0] > 0.0 { -1.0 } else { 1.0 };
        let share = 1.0 - grow[0] * d;
        return [if share > 1e-6 { d * reach / share } else { 0.0 }, 0.0];
    }
    let at = |a: f64| {
        let (m00, m11) = (s[0][0] + a, s[1][1] + a);
        let det = m00 * m11 - s[0][1] * s[1][0];
        let x = [
            -(m11 * q[0] - s[0][1] * q[1]) / det,
            -(m00 * q[1] - s[1][0] * q[0]) / det,
        ];
        let length = (x[0] * x[0] + x[1] * x[1]).sqrt();
        (x, length, reach + grow[0] * x[0] + grow[1] * x[1], det)
    };
    let (x, length, limit, det) = at(0.0);
    if det > 0.0 && length <= limit {
        return x;
    }
    // outside at `low`, inside at `high`
    let mut low = 0.0;
    let mut high = s[0][0].abs() + s[1][1].abs() + s[0][1].abs() + s[1][0].abs();
    for _ in 0..ROOT_STEPS {
        let (_, length, limit, _) = at(high);
        if length <= limit {
            break;
        }
        low = high;
        high *= 8.0;
    }
    // 1 / |r_b| - 1 / limit is almost linear: false position, and the middle whenever that gains little
    let value = |a: f64| {
        let (_, length, limit, det) = at(a);
        if det > 0.0 && limit > 0.0 {
            1.0 / length - 1.0 / limit
        } else {
            f64::NEG_INFINITY
        }
    };
    let (mut f_low, mut f_high) = (value(low), value(high));
    let mut halve = false;
    for _ in 0..ROOT_STEPS {
        let width = high - low;
        if width <= ROOT_WIDTH * high {
            break;
        }
        let secant = low - f_low * width / (f_high - f_low);
        let a = if halve || !(secant > low && secant < high) {
            0.5 * (low + high)
        } else {
            secant
        };
        let f = value(a);
        if f >= 0.0 {
            (high, f_high) = (a, f);
        } else {
            (low, f_low) = (a, f);
        }
        if f.abs() * reach <= ROOT_WIDTH {
            return at(a).0;
        }
        halve = high - low > 0.5 * width;
    }
    at(high).0
}
