//! Relaxed nonlinear Gauss-Seidel sweeps: each contact is solved exactly for its normal row and first block, further
//! blocks separately, joints row by row.
//!
//! ```text
//! (1)  q_n >= 0:   open
//! (2)  u_n = 0:    r_n = -(q_n + W_nb r_b) / W_nn,    S = W_bb - W_bn W_nb / W_nn,   q = q_b - W_bn q_n / W_nn
//! (3)  stick:      S r_b = -q,   if |r_b| <= mu r_n
//! (4)  slip:       (S + a) r_b = -q,   a > 0 with |r_b| = bound + grow.r_b:   bound = -mu q_n / W_nn,
//!                  grow = -mu W_nb / W_nn      (as a grows, r_b goes to zero: there is a root whenever q_n < 0)
//! (5)  joints:     r_i <- r_i - u_i / W_ii
//! ```

use super::DOFS;
use super::scaled::{JacobianRow, Scaled, clamp_length, dot, row_velocity};
use crate::contact::block_lu::Vec6;
use crate::contact::dense::scaled::BlockRows;
use crate::math::positive;

/// Iteration limit for the root of (4), which its safeguarded Newton iteration never reaches.
const ROOT_STEPS: u32 = 80;

/// Relative difference of the two sides of (4) at convergence.
const ROOT_WIDTH: f64 = 1e-13;

/// A dimensionless diagonal below this counts as zero.
const ZERO_DIAGONAL: f64 = 1e-12;

/// Precomputed data of a contact; the first block is padded with rows of zeros.
#[derive(Clone, Copy, Debug)]
struct Local {
    /// The normal row, then two rows of the first block.
    rows: [JacobianRow; 3],
    free: [f64; 3],
    compliance: [f64; 3],
    bodies: [u32; 2],
    /// First row in `r`.
    first: u32,
    /// Rows of the first block; 0: frictionless.
    tangents: u32,
    friction: f64,
    w_nn: f64,
    inverse_nn: f64,
    /// `W_nb`.
    to_n: [f64; 2],
    /// `W_bb`: both diagonal entries, then the off-diagonal one.
    w_bb: [f64; 3],
    /// Eigenvectors of `S`, given by the cosine and sine of the first, and its eigenvalues.
    axis: [f64; 2],
    stiffness: [f64; 2],
}

/// Scratch of the sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweeper {
    locals: Vec<Local>,
    w: Vec<Vec6>,
}

impl Sweeper {
    /// Prepares the contacts of an island.
    pub fn set(&mut self, scaled: &Scaled) {
        self.locals.clear();
        for (contact, member) in scaled.contacts.iter().zip(&scaled.members) {
            let n = contact.normal;
            let friction_block = contact.blocks().first().filter(|b| b.friction > 0.0);
            let tangents = friction_block.map_or(0, |b| b.rows);
            let mut local = Local {
                rows: [[0.0; 2 * DOFS]; 3],
                free: [0.0; 3],
                compliance: [0.0; 3],
                bodies: member.bodies,
                first: n as u32,
                tangents: tangents as u32,
                friction: friction_block.map_or(0.0, |b| b.friction),
                w_nn: 0.0,
                inverse_nn: 0.0,
                to_n: [0.0; 2],
                w_bb: [0.0; 3],
                axis: [1.0, 0.0],
                stiffness: [0.0; 2],
            };
            for k in 0..1 + tangents {
                local.rows[k] = scaled.rows[n + k];
                local.free[k] = scaled.free[n + k];
                local.compliance[k] = scaled.compliance[n + k];
            }
            local.prepare();
            self.locals.push(local);
        }
    }

    /// Runs `count` sweeps over all contacts and joints.
    pub fn run(&mut self, scaled: &Scaled, r: &mut [f64], count: u32, relaxation: f64) {
        scaled.apply_impulses(r, &mut self.w);
        for _ in 0..count {
            for joint in scaled.joints() {
                let [mut a, mut b] = joint.bodies.map(|b| self.w[b as usize]);
                for i in joint.range() {
                    let row = &scaled.rows[i];
                    let diagonal = dot(row, row) + scaled.compliance[i];
                    if diagonal > ZERO_DIAGONAL {
                        let u = scaled.free[i]
                            + row_velocity(row, &a, &b)
                            + scaled.compliance[i] * r[i];
                        let change = -u / diagonal;
                        r[i] += change;
                        apply_impulse(row, change, &mut a, &mut b);
                    }
                }
                self.w[joint.bodies[0] as usize] = a;
                self.w[joint.bodies[1] as usize] = b;
            }
            for (local, contact) in self.locals.iter().zip(&scaled.contacts) {
                let [mut a, mut b] = local.bodies.map(|b| self.w[b as usize]);
                let first = local.first as usize;
                local.update(&mut r[first..], &mut a, &mut b, relaxation);
                let done = usize::from(local.tangents > 0);
                for block in contact.blocks().iter().skip(done) {
                    let bound = block.friction * r[contact.normal];
                    solve_block(scaled, block, bound, r, &mut a, &mut b);
                }
                self.w[local.bodies[0] as usize] = a;
                self.w[local.bodies[1] as usize] = b;
            }
        }
    }
}

fn apply_impulse(row: &JacobianRow, change: f64, a: &mut Vec6, b: &mut Vec6) {
    for k in 0..DOFS {
        a[k] += row[k] * change;
        b[k] += row[DOFS + k] * change;
    }
}

impl Local {
    /// Precomputes the parts of (2).
    fn prepare(&mut self) {
        let [n, s, t] = &self.rows;
        self.w_nn = dot(n, n) + self.compliance[0];
        if self.w_nn <= ZERO_DIAGONAL {
            self.w_nn = 1.0;
        }
        self.inverse_nn = 1.0 / self.w_nn;
        if self.tangents == 0 {
            return;
        }
        self.to_n = [dot(n, s), dot(n, t)];
        self.w_bb = [
            dot(s, s) + self.compliance[1],
            dot(t, t) + self.compliance[2],
            dot(s, t),
        ];
        let [p, q] = self.to_n;
        let [a, c, b] = self.w_bb;
        let schur = [
            a - p * p * self.inverse_nn,
            c - q * q * self.inverse_nn,
            b - p * q * self.inverse_nn,
        ];
        (self.axis, self.stiffness) = axes(schur);
    }

    /// (1) to (4).
    fn update(&self, r: &mut [f64], a: &mut Vec6, b: &mut Vec6, relaxation: f64) {
        let [n, s, t] = &self.rows;
        let has_friction = self.tangents > 0;
        let two = self.tangents == 2;
        let old = [
            r[0],
            if has_friction { r[1] } else { 0.0 },
            if two { r[2] } else { 0.0 },
        ];
        let q_n = self.free[0] + row_velocity(n, a, b) + self.compliance[0] * old[0]
            - self.w_nn * old[0]
            - self.to_n[0] * old[1]
            - self.to_n[1] * old[2];
        let mut new = [0.0; 3];
        if q_n < 0.0 {
            new[0] = -q_n * self.inverse_nn;
            if has_friction {
                let [w_ss, w_tt, w_st] = self.w_bb;
                let along_n = old[0] - new[0];
                let q = [
                    self.free[1] + row_velocity(s, a, b) + (self.compliance[1] - w_ss) * old[1]
                        - w_st * old[2]
                        - self.to_n[0] * along_n,
                    self.free[2] + row_velocity(t, a, b) + (self.compliance[2] - w_tt) * old[2]
                        - w_st * old[1]
                        - self.to_n[1] * along_n,
                ];
                let x = self.solve_friction(q, self.friction * new[0]);
                (new[1], new[2]) = (x[0], x[1]);
                new[0] = positive(
                    new[0] - (self.to_n[0] * x[0] + self.to_n[1] * x[1]) * self.inverse_nn,
                );
            }
        } else if old == [0.0; 3] {
            return;
        }
        for k in 0..3 {
            new[k] = old[k] + relaxation * (new[k] - old[k]);
        }
        new[0] = positive(new[0]);
        let bound = self.friction * new[0];
        clamp_length(&mut new[1..], bound);
        let change = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
        r[0] = new[0];
        if has_friction {
            r[1] = new[1];
        }
        if two {
            r[2] = new[2];
        }
        for k in 0..DOFS {
            a[k] += n[k] * change[0] + s[k] * change[1] + t[k] * change[2];
        }
        for k in 0..DOFS {
            let j = DOFS + k;
            b[k] += n[j] * change[0] + s[j] * change[1] + t[j] * change[2];
        }
    }

    /// (3), (4) for the first block.
    fn solve_friction(&self, q: [f64; 2], bound: f64) -> [f64; 2] {
        let factor = -self.friction * self.inverse_nn;
        let grow = [factor * self.to_n[0], factor * self.to_n[1]];
        if self.tangents == 1 {
            let stick = -q[0] / self.stiffness[0];
            if self.stiffness[0] > 0.0 && stick.abs() <= bound + grow[0] * stick {
                return [stick, 0.0];
            }
            let d = if q[0] > 0.0 { -1.0 } else { 1.0 };
            let share = 1.0 - grow[0] * d;
            return [if share > 1e-6 { d * bound / share } else { 0.0 }, 0.0];
        }
        let [c, s] = self.axis;
        let turned = [c * q[0] + s * q[1], c * q[1] - s * q[0]];
        let grow = [c * grow[0] + s * grow[1], c * grow[1] - s * grow[0]];
        let x = tangential(&self.stiffness, turned, bound, grow);
        [c * x[0] - s * x[1], s * x[0] + c * x[1]]
    }
}

/// Cosine and sine of the first eigenvector of a symmetric positive semidefinite matrix, and its eigenvalues.
fn axes([a, c, b]: [f64; 3]) -> ([f64; 2], [f64; 2]) {
    let (half, mean) = (0.5 * (a - c), 0.5 * (a + c));
    let radius = (half * half + b * b).sqrt();
    // for a multiple of the identity the eigenvectors would be rounding errors
    if radius <= 1e-15 * mean {
        return ([1.0, 0.0], [positive(mean); 2]);
    }
    let (x, y) = if half > 0.0 {
        (half + radius, b)
    } else {
        (b, radius - half)
    };
    let length = (x * x + y * y).sqrt();
    (
        [x / length, y / length],
        [positive(mean + radius), positive(mean - radius)],
    )
}

/// (3), (4) along the eigenvectors of `S`.
fn tangential(stiffness: &[f64; 2], q: [f64; 2], bound: f64, grow: [f64; 2]) -> [f64; 2] {
    let at = |a: f64| {
        let (d0, d1) = (stiffness[0] + a, stiffness[1] + a);
        let part = |q: f64, d: f64| if q == 0.0 { 0.0 } else { -q / d };
        let x = [part(q[0], d0), part(q[1], d1)];
        (x, d0, d1)
    };
    let (x, ..) = at(0.0);
    let at_stick = bound + grow[0] * x[0] + grow[1] * x[1];
    let squares = x[0] * x[0] + x[1] * x[1];
    if at_stick >= 0.0 && squares <= at_stick * at_stick {
        return x;
    }
    if bound <= 0.0 {
        return [0.0; 2];
    }
    // too long at `low`, short enough at `high`
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let ratio = (q[0] * q[0] + q[1] * q[1]).sqrt() / bound;
    let mut a = positive(ratio - stiffness[0]);
    if a == 0.0 {
        a = positive(ratio - stiffness[1]) * 0.5;
    }
    let mut x = x;
    for _ in 0..ROOT_STEPS {
        let (d0, d1);
        (x, d0, d1) = at(a);
        let length = (x[0] * x[0] + x[1] * x[1]).sqrt();
        let limit = bound + grow[0] * x[0] + grow[1] * x[1];
        let inside = length <= limit;
        if (length - limit).abs() <= ROOT_WIDTH * limit {
            break;
        }
        if inside {
            high = a;
        } else {
            low = a;
        }
        // 1 / |r_b| - 1 / limit is almost linear: Newton's method, bisection if that leaves the bracket
        let slope = (x[0] * x[0] / d0 + x[1] * x[1] / d1) / (length * length * length)
            - (grow[0] * x[0] / d0 + grow[1] * x[1] / d1) / (limit * limit);
        let next = a - (1.0 / length - 1.0 / limit) / slope;
        a = if limit > 0.0 && next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            4.0 * a + stiffness[0] + stiffness[1]
        };
        if high - low <= ROOT_WIDTH * high {
            break;
        }
    }
    x
}

/// (3), (4) for a block with a given bound.
fn solve_block(
    scaled: &Scaled,
    block: &BlockRows,
    bound: f64,
    r: &mut [f64],
    a: &mut Vec6,
    b: &mut Vec6,
) {
    let (t, rows) = (block.first, block.rows);
    let mut old = [0.0; 2];
    old[..rows].copy_from_slice(&r[t..t + rows]);
    let mut new = [0.0; 2];
    if bound > 0.0 {
        let own = &scaled.rows[t..t + rows];
        let c = &scaled.compliance[t..t + rows];
        let mut w = [dot(&own[0], &own[0]) + c[0], 0.0, 0.0];
        let mut q = [
            scaled.free[t] + row_velocity(&own[0], a, b) + c[0] * old[0],
            0.0,
        ];
        if rows == 2 {
            w[1] = dot(&own[1], &own[1]) + c[1];
            w[2] = dot(&own[0], &own[1]);
            q[1] = scaled.free[t + 1] + row_velocity(&own[1], a, b) + c[1] * old[1];
        }
        q[0] -= w[0] * old[0] + w[2] * old[1];
        q[1] -= w[1] * old[1] + w[2] * old[0];
        if rows == 2 {
            let ([c, s], stiffness) = axes(w);
            let turned = [c * q[0] + s * q[1], c * q[1] - s * q[0]];
            let x = tangential(&stiffness, turned, bound, [0.0; 2]);
            new = [c * x[0] - s * x[1], s * x[0] + c * x[1]];
        } else if w[0] > ZERO_DIAGONAL {
            new[0] = -q[0] / w[0];
        }
        clamp_length(&mut new, bound);
    }
    for lane in 0..rows {
        apply_impulse(&scaled.rows[t + lane], new[lane] - old[lane], a, b);
        r[t + lane] = new[lane];
    }
}
