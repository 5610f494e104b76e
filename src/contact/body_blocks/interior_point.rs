//! Through the inside of the cones: an interior-point method. Contacts that hold redundantly, and those about to slip or to
//! open, cost it no more than others.
//!
//! ```text
//! (1)  x_b = (mu_b r_n, r_b) in L,   y_b in L,   L: |x_T| <= x_0          per friction block; r_n, y_n >= 0 without any
//! (2)  sum_b D_b^T y_b = (u_n + sum_b mu_b |u_b|, u_b) = z,    x_b = D_b r
//! (3)  y_b = m x_b^-1,    x^-1 = (x_0, -x_T) / det x,    det x = x_0^2 - |x_T|^2;      m -> 0
//! (4)  dy = m x^-1 - y - T dx,    T = sqrt(det y / det x) (2 v v^T - R),   R = diag(1, -1, -1)       Nesterov and Todd
//!      v = (R x' + y') / (2 c),   x' = x / sqrt(det x),   y' = y / sqrt(det y),   c^2 = (1 + x'.y') / 2
//! (5)  (K + z_u e) dr = m sum_b D_b^T x_b^-1 - z - z_u J dw,    K = sum_b D_b^T T_b D_b,    e: softness of the rows
//! ```
//!
//! (5) has the form of Newton's method, `dr = g - H J dw`, and so its linear systems. Where the cone of friction is not the one
//! that the motion would have it be (`|u_b|` in (2)), the way to `m = 0` may turn back: then steps become short. For a
//! short step the next one leaves the change of `|u_b|` out, which goes around some of these bends.

use super::factor::Six;
use super::newton::{MOST_ROWS, Newton};
use super::scaled::{Scaled, shorten};
use crate::contact::dense::scaled::ContactRows;
use crate::contact::elimination_order::Pattern;
use crate::contact::scaling::larger;
use crate::math::dense;

/// A point of a cone; what it has not is zero.
type Point = [f64; 3];

/// Part of the way to the border of a cone that a step goes.
const PART: f64 = 0.99;

/// A step of this part of the whole one is short: its successor goes to the middle rather than onwards.
const SHORT: f64 = 0.2;

/// Short steps before the way is given up.
const MOST_SHORT: u32 = 20;

/// Most steps to one aim; without bends it takes 10 to 25.
const MOST_STEPS: u32 = 60;

/// Times `m`: while (2) is off by more, `m` goes down by half at most.
const OFF: f64 = 100.0;

/// Softness of all rows, which makes redundant ones solvable. It changes the way, not the end; more of it keeps contacts that are
/// about to slip or to open from their last digits.
const SOFT: f64 = 1e-13;

/// Times `m` over the impulse: below this velocity `|u_b|` has no corner.
const ROUND: f64 = 0.1;

/// Least impulses at the start, and least distance of `y` to the border of its cone, in coordinates without units.
const INSIDE: f64 = 0.1;

/// Part of the friction that acts at most at the start.
const WITHIN: f64 = 0.7;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct InteriorPoint {
    /// One a friction block, or one a contact without any, in the order of the contacts.
    pub cones: Vec<Cone>,
    u: Vec<f64>,
    w: Vec<Six>,
    /// `m`.
    gap: f64,
}

/// (1) and (4) of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    pub contact: usize,
    normal: usize,
    /// First row of the block.
    first: usize,
    tangents: usize,
    friction: f64,
    /// What (2) has for `|u_b|`, and the part of its change that (5) has.
    pub slip: f64,
    pub share: f64,
    /// Times `m`.
    pub boost: f64,
    x: Point,
    y: Point,
    dx: Point,
    dy: Point,
    /// The part of the change after which `x` or `y` leaves the cone.
    pub way: f64,
    /// `T`.
    scaling: [Point; 3],
}

impl Cone {
    fn new(contact: usize, normal: usize, first: usize, tangents: usize, friction: f64) -> Self {
        let none = [0.0; 3];
        Self {
            contact,
            normal,
            first,
            tangents,
            friction,
            slip: 0.0,
            share: 1.0,
            boost: 1.0,
            x: none,
            y: none,
            dx: none,
            dy: none,
            way: 0.0,
            scaling: [none; 3],
        }
    }

    /// `D r`.
    fn of(&self, r: &[f64]) -> Point {
        let mut x = [self.friction * r[self.normal], 0.0, 0.0];
        x[1..1 + self.tangents].copy_from_slice(&r[self.first..self.first + self.tangents]);
        x
    }

    /// (4).
    fn scale(&mut self) {
        if self.tangents == 0 {
            self.scaling[0][0] = self.y[0] / self.x[0];
            return;
        }
        let (det_x, det_y) = (det(&self.x), det(&self.y));
        let x = self.x.map(|x| x / det_x.sqrt());
        let y = self.y.map(|y| y / det_y.sqrt());
        let c = (0.5 * (1.0 + dot(&x, &y))).sqrt();
        let v = [x[0] + y[0], y[1] - x[1], y[2] - x[2]].map(|v| v / (2.0 * c));
        let factor = (det_y / det_x).sqrt();
        for i in 0..3 {
            for j in 0..3 {
                self.scaling[i][j] = factor * 2.0 * v[i] * v[j];
            }
            self.scaling[i][i] -= if i == 0 { factor } else { -factor };
        }
    }

    /// `dx` and `dy` of (4) for a change of the impulses.
    fn change(&mut self, dr: &[f64], m: f64) {
        self.dx = self.of(dr);
        let inverse = inverse(&self.x);
        for i in 0..=self.tangents {
            self.dy[i] = m * self.boost * inverse[i] - self.y[i] - dot(&self.scaling[i], &self.dx);
        }
        let ways = [way(&self.x, &self.dx), way(&self.y, &self.dy)];
        self.way = if ways[1] < ways[0] { ways[1] } else { ways[0] };
    }
}

impl InteriorPoint {
    /// Begins inside all cones, near the impulses `r`, which are moved there.
    pub fn start(&mut self, scaled: &Scaled, r: &mut [f64]) {
        let size = r.iter().fold(1.0, |m, x| larger(m, x.abs()));
        self.list(scaled);
        for contact in &scaled.contacts {
            let normal = contact.normal;
            r[normal] = larger(r[normal], INSIDE * size);
            for block in contact.blocks() {
                let limit = WITHIN * block.friction * r[normal];
                shorten(&mut r[block.first..block.first + block.rows], limit);
            }
        }
        self.u.resize(r.len(), 0.0);
        self.move_bodies(scaled, r);
        for cone in &mut self.cones {
            cone.x = cone.of(r);
            let slips = &self.u[cone.first..cone.first + cone.tangents];
            cone.y[1..1 + cone.tangents].copy_from_slice(slips);
            let slip = length(slips);
            let separates = larger(self.u[cone.normal] / cone.friction, INSIDE);
            cone.y[0] = slip + separates;
        }
    }

    /// Begins in the middle of all cones, with impulses of this size, which `r` becomes.
    pub fn start_in_the_middle(&mut self, scaled: &Scaled, r: &mut [f64], impulse: f64) {
        self.list(scaled);
        self.u.resize(r.len(), 0.0);
        r.fill(0.0);
        for cone in &mut self.cones {
            r[cone.normal] = impulse / cone.friction;
        }
        for cone in &mut self.cones {
            cone.x = cone.of(r);
            cone.y = [1.0, 0.0, 0.0];
        }
    }

    fn list(&mut self, scaled: &Scaled) {
        self.cones.clear();
        for (k, contact) in scaled.contacts.iter().enumerate() {
            let normal = contact.normal;
            let before = self.cones.len();
            let blocks = contact.blocks().iter().filter(|b| b.friction > 0.0);
            self.cones
                .extend(blocks.map(|b| Cone::new(k, normal, b.first, b.rows, b.friction)));
            if self.cones.len() == before {
                self.cones.push(Cone::new(k, normal, normal, 0, 1.0));
            }
        }
    }

    /// Goes on until `m` and what (2) is off by are down to `aim`, or the way ends: `true` if it did not.
    pub fn run(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        r: &mut [f64],
        aim: f64,
    ) -> bool {
        let (mut last, mut n_short) = (1.0, 0);
        for _ in 0..MOST_STEPS {
            self.move_bodies(scaled, r);
            self.gap = self.gap_after(0.0);
            let off = self.off(scaled);
            if self.gap <= aim && off <= 10.0 * aim {
                return true;
            }
            self.take_slips(if last >= SHORT { 1.0 } else { 0.0 });
            self.cones.iter_mut().for_each(Cone::scale);
            // straight to m = 0, to see how far that leads
            self.linearise(newton, scaled, 0.0, true);
            if !newton.solve_linearised(scaled, pattern) {
                return false;
            }
            let straight = self.change(&newton.change, 0.0);
            let part = larger(self.gap_after(straight) / self.gap, 1.0 - straight);
            let mut goal = (part * part * part).clamp(1e-4, 0.8);
            if off > OFF * self.gap {
                goal = larger(goal, 0.5);
            }
            if last < SHORT {
                goal = larger(goal, 0.8);
            }
            let m = goal * self.gap;
            self.linearise(newton, scaled, m, false);
            if !newton.solve_again(scaled, pattern) {
                return false;
            }
            last = PART * self.change(&newton.change, m);
            n_short += u32::from(last < SHORT);
            if n_short > MOST_SHORT {
                return false;
            }
            self.step(r, &newton.change, last);
        }
        false
    }

    /// One step towards `m` with the slips and shares that the cones have: its part of the whole one; 0 if there is none.
    pub fn approach(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        r: &mut [f64],
        m: f64,
    ) -> f64 {
        self.move_bodies(scaled, r);
        self.gap = self.gap_after(0.0);
        self.cones.iter_mut().for_each(Cone::scale);
        self.linearise(newton, scaled, m, true);
        if !newton.solve_linearised(scaled, pattern) {
            return 0.0;
        }
        let part = PART * self.change(&newton.change, m);
        self.step(r, &newton.change, part);
        self.move_bodies(scaled, r);
        part
    }

    /// `|u_b|`.
    pub fn slip(&self, cone: &Cone) -> f64 {
        length(&self.u[cone.first..cone.first + cone.tangents])
    }

    /// (2) with the slips that are, and (5) with this share of their changes.
    fn take_slips(&mut self, share: f64) {
        for k in 0..self.cones.len() {
            let slip = self.rounded_slip(&self.cones[k]);
            (self.cones[k].slip, self.cones[k].share) = (slip, share);
        }
    }

    fn rounded_slip(&self, cone: &Cone) -> f64 {
        let slips = &self.u[cone.first..cone.first + cone.tangents];
        let round = ROUND * self.gap / larger(cone.x[0], INSIDE);
        (slips.iter().map(|u| u * u).sum::<f64>() + round * round).sqrt()
    }

    fn move_bodies(&mut self, scaled: &Scaled, r: &[f64]) {
        scaled.push_bodies(r, &mut self.w);
        scaled.velocities(r, &self.w, &mut self.u);
    }

    fn step(&mut self, r: &mut [f64], dr: &[f64], part: f64) {
        for (r, d) in r.iter_mut().zip(dr) {
            *r += part * d;
        }
        for cone in &mut self.cones {
            for i in 0..3 {
                cone.y[i] += part * cone.dy[i];
            }
            cone.x = cone.of(r);
        }
    }

    /// Changes of all cones, and the part of them that stays inside, at most the whole.
    fn change(&mut self, dr: &[f64], m: f64) -> f64 {
        let mut most = 1.0;
        for cone in &mut self.cones {
            cone.change(dr, m);
            if cone.way < most {
                most = cone.way;
            }
        }
        most
    }

    /// Mean of `x.y` after a part of the change.
    fn gap_after(&self, part: f64) -> f64 {
        let mut total = 0.0;
        for cone in &self.cones {
            for i in 0..3 {
                total += (cone.x[i] + part * cone.dx[i]) * (cone.y[i] + part * cone.dy[i]);
            }
        }
        total / self.cones.len().max(1) as f64
    }

    /// What (2) is off by at most.
    fn off(&self, scaled: &Scaled) -> f64 {
        let mut worst = 0.0;
        let mut cones = &self.cones[..];
        for contact in &scaled.contacts {
            let (own, others) = cones.split_at(count(contact));
            cones = others;
            let mut along_normal = self.u[contact.normal];
            for cone in own {
                let slips = &self.u[cone.first..cone.first + cone.tangents];
                for (u, y) in slips.iter().zip(&cone.y[1..]) {
                    worst = larger(worst, (y - u).abs());
                }
                along_normal += cone.friction * (length(slips) - cone.y[0]);
            }
            worst = larger(worst, along_normal.abs());
        }
        for i in scaled.joint_rows() {
            worst = larger(worst, self.u[i].abs());
        }
        worst
    }

    /// (5): the right sides, and the laws if they are asked for.
    fn linearise(&self, newton: &mut Newton, scaled: &Scaled, m: f64, with_laws: bool) {
        newton.resize(self.u.len());
        let mut cones = &self.cones[..];
        for contact in &scaled.contacts {
            let (own, others) = cones.split_at(count(contact));
            cones = others;
            self.linearise_contact(newton, scaled, contact, own, m, with_laws);
        }
        for i in scaled.joint_rows() {
            let inverse = 1.0 / softness(scaled, i);
            newton.laws[i][0] = inverse;
            newton.change[i] = -self.u[i] * inverse;
        }
    }

    fn linearise_contact(
        &self,
        newton: &mut Newton,
        scaled: &Scaled,
        contact: &ContactRows,
        cones: &[Cone],
        m: f64,
        with_laws: bool,
    ) {
        let n = contact.normal;
        let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
        let mut matrix = [0.0; MOST_ROWS * MOST_ROWS];
        let mut rhs = [0.0; MOST_ROWS];
        // z_u is the unit matrix but for its first row
        let mut first_row = [0.0; MOST_ROWS];
        first_row[0] = 1.0;
        rhs[0] = -self.u[n];
        for cone in cones {
            let (t, mu, at) = (&cone.scaling, cone.friction, cone.first - n);
            let inverse = inverse(&cone.x);
            let slips = &self.u[cone.first..cone.first + cone.tangents];
            matrix[0] += mu * mu * t[0][0];
            rhs[0] += mu * m * cone.boost * inverse[0];
            if slips.is_empty() {
                continue;
            }
            let slip = self.rounded_slip(cone);
            rhs[0] -= mu * (cone.slip + cone.share * (slip - cone.slip));
            for (i, u) in slips.iter().enumerate() {
                rhs[at + i] = m * cone.boost * inverse[1 + i] - u;
                if slip > 0.0 {
                    first_row[at + i] = cone.share * mu * u / slip;
                }
                matrix[at + i] = mu * t[0][1 + i];
                matrix[(at + i) * rows] = mu * t[0][1 + i];
                for j in 0..slips.len() {
                    matrix[(at + i) * rows + at + j] = t[1 + i][1 + j];
                }
            }
        }
        let mut pivots = [0; MOST_ROWS];
        let matrix = &mut matrix[..rows * rows];
        if !factorise(scaled, contact, &first_row, matrix, &mut pivots) {
            matrix.fill(f64::NAN);
        }
        dense::lu_solve(rows, matrix, &pivots, &mut rhs[..rows]);
        newton.change[n..n + rows].copy_from_slice(&rhs[..rows]);
        if !with_laws {
            return;
        }
        for j in 0..rows {
            let mut column = [0.0; MOST_ROWS];
            column[j] = 1.0;
            column[0] = first_row[j];
            dense::lu_solve(rows, matrix, &pivots, &mut column[..rows]);
            for i in 0..rows {
                newton.laws[n + i][j] = column[i];
            }
        }
    }
}

/// `e` of (5).
fn softness(scaled: &Scaled, row: usize) -> f64 {
    scaled.compliance[row] + (scaled.prox + SOFT) * scaled.stiffness[row]
}

/// The matrix of (5) of a contact, which has `K` and is factorised; `first_row` is that of `z_u`.
fn factorise(
    scaled: &Scaled,
    contact: &ContactRows,
    first_row: &[f64; MOST_ROWS],
    matrix: &mut [f64],
    pivots: &mut [usize; MOST_ROWS],
) -> bool {
    let n = contact.normal;
    let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
    for j in 0..rows {
        let soft = softness(scaled, n + j);
        matrix[j] += first_row[j] * soft;
        if j > 0 {
            matrix[j * rows + j] += soft;
        }
    }
    // what has no friction has no force
    for block in contact.blocks().iter().filter(|b| b.friction == 0.0) {
        for i in block.first - n..block.first - n + block.rows {
            matrix[i * rows + i] = f64::MAX;
        }
    }
    dense::lu_factor(rows, matrix, pivots)
}

/// Number of cones of a contact.
fn count(contact: &ContactRows) -> usize {
    let blocks = contact.blocks().iter();
    blocks.filter(|b| b.friction > 0.0).count().max(1)
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn dot(x: &Point, y: &Point) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn det(x: &Point) -> f64 {
    let across = length(&x[1..]);
    (x[0] - across) * (x[0] + across)
}

fn inverse(x: &Point) -> Point {
    let det = det(x);
    [x[0] / det, -x[1] / det, -x[2] / det]
}

/// The part of `d` after which `x` leaves its cone: the smallest positive root of `det (x + a d)`.
fn way(x: &Point, d: &Point) -> f64 {
    let square = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let mixed = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let own = det(x);
    let mut most = if d[0] < 0.0 {
        -x[0] / d[0]
    } else {
        f64::INFINITY
    };
    let discriminant = mixed * mixed - square * own;
    if discriminant >= 0.0 {
        let root = discriminant.sqrt();
        let q = if mixed < 0.0 {
            root - mixed
        } else {
            -root - mixed
        };
        for a in [q / square, own / q] {
            if a > 0.0 && a < most {
                most = a;
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scaling_takes_the_impulses_to_the_velocities() {
        for (x, y) in [
            ([2.0, 0.5, -1.0], [1.0, 0.3, 0.2]),
            ([1e-3, 9e-4, 0.0], [50.0, 3.0, -40.0]),
        ] {
            let mut cone = Cone::new(0, 0, 1, 2, 1.0);
            (cone.x, cone.y) = (x, y);
            cone.scale();
            for i in 0..3 {
                let found = dot(&cone.scaling[i], &x);
                assert!((found - y[i]).abs() < 1e-11 * y[0], "{found} {}", y[i]);
            }
        }
    }

    #[test]
    fn the_way_ends_at_the_border() {
        let x = [2.0, 0.5, -1.0];
        for d in [[-1.0, 0.2, 0.1], [0.0, 3.0, 0.0], [1.0, -2.0, 1.0]] {
            let a = way(&x, &d);
            let end = [0, 1, 2].map(|i| x[i] + a * d[i]);
            assert!(det(&end).abs() < 1e-12 && end[0] >= 0.0, "{end:?}");
        }
        assert_eq!(way(&x, &[1.0, 0.0, 0.0]), f64::INFINITY);
    }
}
