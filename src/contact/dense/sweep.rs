//! Relaxed nonlinear Gauss-Seidel sweeps: each contact is solved exactly for its normal row and first block, further
//! blocks separately.
//!
//! ```text
//! (1)  q_n >= 0:   open
//! (2)  u_n = 0:    r_n = -(q_n + W_nb r_b) / W_nn,    S = W_bb - W_bn W_nb / W_nn,   q = q_b - W_bn q_n / W_nn
//! (3)  stick:      S r_b = -q,   if |r_b| <= mu r_n
//! (4)  slip:       (S + a) r_b = -q,   a > 0 with |r_b| = bound + grow.r_b:   bound = -mu q_n / W_nn,
//!                  grow = -mu W_nb / W_nn      (as a grows, r_b goes to zero: there is a root whenever q_n < 0)
//! ```

use super::scaled::{BlockRows, ContactRows, Scaled};
use crate::contact::lcp::basis::grow;
use crate::math::positive;

/// Iteration limit for the root of (4), which is never reached.
const ROOT_STEPS: u32 = 60;

/// Relative error of the root of (4) at convergence: Newton's method refines it.
const ROOT_ERROR: f64 = 1e-9;

/// Diagonal block of `W` of a contact: its normal row and first friction block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DiagonalBlock {
    /// `W_nn`, or 1 if it is zero, and its inverse: divisions dominate the time of a sweep.
    normal: f64,
    inverse: f64,
    /// `W_nb`.
    to_normal: [f64; 2],
    /// `W_bn`, and `W_bn / W_nn`.
    from_normal: [f64; 2],
    share: [f64; 2],
    /// `W_bb`.
    block: [[f64; 2]; 2],
    local: Local,
}

/// `S` of a block and derived quantities.
#[derive(Clone, Copy, Debug, Default)]
struct Local {
    s: [[f64; 2]; 2],
    /// Inverse of `S`, zeros if it is singular.
    inverse: [[f64; 2]; 2],
    /// (4).
    grow: [f64; 2],
}

impl Local {
    fn new(s: [[f64; 2]; 2], rows: usize, grow: [f64; 2]) -> Self {
        let det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let inverse = if rows == 2 && det > 0.0 {
            let d = 1.0 / det;
            [[s[1][1] * d, -s[0][1] * d], [-s[1][0] * d, s[0][0] * d]]
        } else {
            [[0.0; 2]; 2]
        };
        Self { s, inverse, grow }
    }
}

/// Scratch of the sweeps.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    all: Vec<DiagonalBlock>,
    velocities: Velocities,
}

/// With dense coupling: `W`, column by column, and the velocities, updated with the impulses. Recomputing them for each
/// contact would make each contact wait for the previous one.
#[derive(Debug, Default)]
struct Velocities {
    columns: Vec<f64>,
    u: Vec<f64>,
}

impl Sweeps {
    pub fn reserve(&mut self, n: usize) {
        grow(&mut self.all, n);
        grow(&mut self.velocities.columns, n * n);
        grow(&mut self.velocities.u, n);
    }

    /// Runs `count` sweeps over all contacts.
    pub fn run(&mut self, scaled: &Scaled, r: &mut [f64], count: u32, relaxation: f64) {
        if count == 0 {
            return;
        }
        self.all.clear();
        self.all
            .extend(scaled.contacts.iter().map(|c| own(scaled, c)));
        if !scaled.coupling.sparse {
            self.velocities.load(scaled, r);
        }
        for _ in 0..count {
            for (contact, own) in scaled.contacts.iter().zip(&self.all) {
                self.velocities.sweep(scaled, contact, own, r, relaxation);
            }
        }
    }
}

impl Velocities {
    fn load(&mut self, scaled: &Scaled, r: &[f64]) {
        let n = scaled.n;
        self.columns.clear();
        for j in 0..n {
            self.columns.extend(scaled.matrix[j..].iter().step_by(n));
        }
        self.u.resize(n, 0.0);
        scaled.velocities(r, &mut self.u);
    }

    /// Updates one contact.
    fn sweep(
        &mut self,
        scaled: &Scaled,
        contact: &ContactRows,
        own: &DiagonalBlock,
        r: &mut [f64],
        relaxation: f64,
    ) {
        let n = contact.normal;
        let first = first_block(contact);
        match first {
            None => {
                let q = self.velocity(scaled, n, r) - own.normal * r[n];
                let new = positive(-q * own.inverse);
                let new = positive(r[n] + relaxation * (new - r[n]));
                self.set(scaled, n, 1, [new, 0.0, 0.0], r);
            }
            Some(block) => self.solve_with_normal(scaled, own, n, block, r, relaxation),
        }
        let rest = usize::from(first.is_some());
        for block in &contact.blocks()[rest..] {
            self.solve_block(scaled, block, block.friction * r[n], r);
        }
    }

    #[inline(always)]
    fn velocity(&self, scaled: &Scaled, i: usize, r: &[f64]) -> f64 {
        if scaled.coupling.sparse {
            scaled.velocity(i, r)
        } else {
            self.u[i]
        }
    }

    /// Sets the impulses of the first `rows` of three rows.
    fn set(&mut self, scaled: &Scaled, first: usize, rows: usize, new: [f64; 3], r: &mut [f64]) {
        let n = scaled.n;
        let mut change = [0.0; 3];
        for ((r, new), change) in r[first..first + rows].iter_mut().zip(new).zip(&mut change) {
            *change = new - *r;
            *r = new;
        }
        if scaled.coupling.sparse || change == [0.0; 3] {
            return;
        }
        // a missing row does not change
        let column = |k: usize| {
            let j = first + if k < rows { k } else { 0 };
            &self.columns[j * n..(j + 1) * n]
        };
        let (a, b, c) = (column(0), column(1), column(2));
        for (((u, a), b), c) in self.u.iter_mut().zip(a).zip(b).zip(c) {
            *u = *u + a * change[0] + b * change[1] + c * change[2];
        }
    }

    /// (1) to (4) for the normal row and the first block.
    fn solve_with_normal(
        &mut self,
        scaled: &Scaled,
        own: &DiagonalBlock,
        n: usize,
        block: &BlockRows,
        r: &mut [f64],
        relaxation: f64,
    ) {
        let (t, rows) = (block.first, block.rows);
        let mut u = [0.0; 3];
        if rows == 2 && scaled.coupling.sparse {
            u = scaled.three_velocities(n, r);
        } else {
            for (k, u) in u[..1 + rows].iter_mut().enumerate() {
                *u = self.velocity(scaled, n + k, r);
            }
        }
        let old_n = r[n];
        let old = [r[t], if rows == 2 { r[t + 1] } else { 0.0 }];
        let to_n = &own.to_normal;
        let q_n = u[0] - own.normal * old_n - (to_n[0] * old[0] + to_n[1] * old[1]);
        let mut new_n = 0.0;
        let mut new = [0.0; 2];
        if q_n < 0.0 {
            let mut q = times(&own.block, old);
            for a in 0..2 {
                q[a] = u[1 + a] - own.from_normal[a] * old_n - q[a] - own.share[a] * q_n;
            }
            let bound = -block.friction * q_n * own.inverse;
            new = tangential(rows, &own.local, &q, bound);
            new_n = positive(-(q_n + to_n[0] * new[0] + to_n[1] * new[1]) * own.inverse);
        }
        new_n = positive(old_n + relaxation * (new_n - old_n));
        for a in 0..2 {
            new[a] = old[a] + relaxation * (new[a] - old[a]);
        }
        new = shortened(new, block.friction * new_n);
        self.set(scaled, n, 1 + rows, [new_n, new[0], new[1]], r);
    }

    /// (3), (4) for a block with a given bound.
    fn solve_block(&mut self, scaled: &Scaled, block: &BlockRows, bound: f64, r: &mut [f64]) {
        let (t, rows) = (block.first, block.rows);
        let mut new = [0.0; 2];
        if bound > 0.0 {
            let (mut q, mut s) = ([0.0; 2], [[0.0; 2]; 2]);
            for a in 0..rows {
                q[a] = self.velocity(scaled, t + a, r);
                for b in 0..rows {
                    s[a][b] = scaled.entry(t + a, t + b);
                    q[a] -= s[a][b] * r[t + b];
                }
            }
            let local = Local::new(s, rows, [0.0; 2]);
            new = shortened(tangential(rows, &local, &q, bound), bound);
        }
        self.set(scaled, t, rows, [new[0], new[1], 0.0], r);
    }
}

fn own(scaled: &Scaled, contact: &ContactRows) -> DiagonalBlock {
    let n = contact.normal;
    let normal = stiffness(scaled, n);
    let mut own = DiagonalBlock {
        normal,
        inverse: 1.0 / normal,
        ..DiagonalBlock::default()
    };
    if let Some(block) = first_block(contact) {
        let (t, rows) = (block.first, block.rows);
        for a in 0..rows {
            own.to_normal[a] = scaled.entry(n, t + a);
            own.from_normal[a] = scaled.entry(t + a, n);
        }
        own.share = own.from_normal.map(|w| w * own.inverse);
        let mut s = [[0.0; 2]; 2];
        for a in 0..rows {
            for b in 0..rows {
                own.block[a][b] = scaled.entry(t + a, t + b);
                s[a][b] = own.block[a][b] - own.share[a] * own.to_normal[b];
            }
        }
        let grow = own.to_normal.map(|w| -block.friction * w * own.inverse);
        own.local = Local::new(s, rows, grow);
    }
    own
}

/// The block that is solved solve_with_normal with the normal row.
fn first_block(contact: &ContactRows) -> Option<&BlockRows> {
    contact.blocks().first().filter(|b| b.friction > 0.0)
}

fn stiffness(scaled: &Scaled, i: usize) -> f64 {
    let w = scaled.entry(i, i);
    if w > 1e-3 { w } else { 1.0 }
}

fn shortened(x: [f64; 2], bound: f64) -> [f64; 2] {
    let length = length(x);
    if length > bound {
        let part = bound / length;
        [x[0] * part, x[1] * part]
    } else {
        x
    }
}

/// (3), (4).
#[inline(never)]
fn tangential(rows: usize, local: &Local, q: &[f64; 2], bound: f64) -> [f64; 2] {
    let Local { s, inverse, grow } = local;
    if rows == 1 {
        let stick = -q[0] / s[0][0];
        if s[0][0] > 0.0 && stick.abs() <= bound + grow[0] * stick {
            return [stick, 0.0];
        }
        let d = if q[0] > 0.0 { -1.0 } else { 1.0 };
        let share = 1.0 - grow[0] * d;
        return [if share > 1e-6 { d * bound / share } else { 0.0 }, 0.0];
    }
    let regular = inverse[0][0] > 0.0;
    let x = times(inverse, [-q[0], -q[1]]);
    let (length, limit) = (length(x), bound + grow[0] * x[0] + grow[1] * x[1]);
    if regular && length <= limit {
        return x;
    }
    slipping(
        local,
        q,
        bound,
        (regular && limit > 0.0).then_some((x, length, limit)),
    )
}

/// (4), given the impulse at `a = 0`, its norm and its limit.
fn slipping(
    local: &Local,
    q: &[f64; 2],
    bound: f64,
    stick: Option<([f64; 2], f64, f64)>,
) -> [f64; 2] {
    let Local { s, inverse, grow } = local;
    // 1 / |r_b| - 1 / limit, which is almost linear in a
    let at = |a: f64| {
        let (m00, m11) = (s[0][0] + a, s[1][1] + a);
        let det = m00 * m11 - s[0][1] * s[1][0];
        let d = 1.0 / det;
        let x = [
            -(m11 * q[0] - s[0][1] * q[1]) * d,
            -(m00 * q[1] - s[1][0] * q[0]) * d,
        ];
        let (length, limit) = (length(x), bound + grow[0] * x[0] + grow[1] * x[1]);
        let f = if det > 0.0 && limit > 0.0 {
            1.0 / length - 1.0 / limit
        } else {
            f64::NEG_INFINITY
        };
        (x, f)
    };
    // too long at `low`, short enough at `high`
    let (mut low, mut f_low) = (0.0, f64::NEG_INFINITY);
    let mut high = s[0][0].abs() + s[1][1].abs() + s[0][1].abs() + s[1][0].abs();
    if let Some((x, length, limit)) = stick {
        f_low = 1.0 / length - 1.0 / limit;
        // Newton's step from there: dx/da = -S^-1 x
        let y = times(inverse, x);
        let slope = (x[0] * y[0] + x[1] * y[1]) / (length * length * length)
            - (grow[0] * y[0] + grow[1] * y[1]) / (limit * limit);
        let a = -f_low / slope;
        if a > 0.0 && a < high {
            let (x, f) = at(a);
            if f.abs() * bound <= ROOT_ERROR {
                return x;
            }
            if f < 0.0 {
                (low, f_low) = (a, f);
            }
        }
    }
    let (mut inside, mut f_high) = at(high);
    for _ in 0..ROOT_STEPS {
        if f_high >= 0.0 {
            break;
        }
        (low, f_low) = (high, f_high);
        high *= 8.0;
        (inside, f_high) = at(high);
    }
    // regula falsi, bisection whenever that gains little
    let mut halve = false;
    for _ in 0..ROOT_STEPS {
        let width = high - low;
        if width <= ROOT_ERROR * high {
            break;
        }
        let secant = low - f_low * width / (f_high - f_low);
        let a = if halve || !(secant > low && secant < high) {
            0.5 * (low + high)
        } else {
            secant
        };
        let (x, f) = at(a);
        if f.abs() * bound <= ROOT_ERROR {
            return x;
        }
        if f >= 0.0 {
            (high, f_high, inside) = (a, f, x);
        } else {
            (low, f_low) = (a, f);
        }
        halve = high - low > 0.5 * width;
    }
    inside
}

fn times(m: &[[f64; 2]; 2], x: [f64; 2]) -> [f64; 2] {
    m.map(|row| row[0] * x[0] + row[1] * x[1])
}

fn length(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}
