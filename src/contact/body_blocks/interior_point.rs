//! Primal-dual interior-point method with Nesterov-Todd scaling. Redundant contacts, and contacts about to slip or open,
//! do not slow it down.
//!
//! ```text
//! (1)  x_b = (mu_b r_n, r_b) in L,   y_b in L,   L: |x_T| <= x_0          per friction block; r_n, y_n >= 0 without any
//! (2)  sum_b D_b^T y_b = (u_n + sum_b mu_b |u_b|, u_b) = z,    x_b = D_b r
//! (3)  y_b = m x_b^-1,    x^-1 = (x_0, -x_T) / det x,    det x = x_0^2 - |x_T|^2;      m -> 0
//! (4)  dy = m x^-1 - y - T dx,    T = sqrt(det y / det x) (2 v v^T - R),   R = diag(1, -1, -1)       Nesterov and Todd
//!      v = (R x' + y') / (2 c),   x' = x / sqrt(det x),   y' = y / sqrt(det y),   c^2 = (1 + x'.y') / 2
//! (5)  (K + z_u e) dr = m sum_b D_b^T x_b^-1 - z - z_u J dw,    K = sum_b D_b^T T_b D_b,    e: regularization of the rows
//! ```
//!
//! (5) has the form of a Newton step, `dr = g - H J dw`, and shares its linear systems. Because of `|u_b|` in (2) the
//! problem is not convex, and the central path to `m = 0` may turn back: steps then become short. After a short step the
//! next one ignores the change of `|u_b|`, which gets past some of these turning points.

use super::newton::{MAX_ROWS, Newton};
use super::scaled::{Scaled, clamp_length};
use crate::contact::block_lu::Vec6;
use crate::contact::dense::scaled::ContactRows;
use crate::contact::elimination_order::Pattern;
use crate::math::dense;
use crate::math::larger;

/// A point of a cone, padded with zeros.
type Point = [f64; 3];

/// Fraction of the distance to the boundary of a cone that a step may cover.
const BOUNDARY_FRACTION: f64 = 0.99;

/// A step below this fraction of the full one is short: the next step recenters instead of reducing `m`.
const SHORT_STEP: f64 = 0.2;

/// Short steps before the method gives up.
const MAX_SHORT_STEPS: u32 = 20;

/// Step limit per target; 10 to 25 are usual.
const MAX_STEPS: u32 = 60;

/// Times `m`: while the residual of (2) is larger, `m` is at limit halved.
const RESIDUAL_FACTOR: f64 = 100.0;

/// Regularization of all rows, which makes redundant ones solvable. It affects the path, not the solution; a larger value
/// limits the accuracy of contacts about to slip or open.
const REGULARIZATION: f64 = 1e-13;

/// Times `m` over the impulse: `|u_b|` is smoothed below this velocity.
const SMOOTHING: f64 = 0.1;

/// Smallest initial impulses, and smallest initial distance of `y` from the boundary of its cone; dimensionless.
const INITIAL_DISTANCE: f64 = 0.1;

/// Largest fraction of the friction bound used by the initial impulses.
const INITIAL_FRICTION: f64 = 0.7;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct InteriorPoint {
    /// One per friction block, or one for a contact without any, in the order of the contacts.
    pub cones: Vec<Cone>,
    u: Vec<f64>,
    w: Vec<Vec6>,
    /// `m`.
    gap: f64,
}

/// State of one cone: (1) and (4).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    pub contact: usize,
    normal: usize,
    /// First row of the block.
    first: usize,
    tangents: usize,
    friction: f64,
    /// The value of `|u_b|` in (2), and the fraction of its change in (5).
    pub slip: f64,
    pub share: f64,
    /// Multiplies `m`.
    pub barrier_factor: f64,
    x: Point,
    y: Point,
    dx: Point,
    dy: Point,
    /// Step length at which `x` or `y` leaves the cone.
    pub step_to_boundary: f64,
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
            barrier_factor: 1.0,
            x: none,
            y: none,
            dx: none,
            dy: none,
            step_to_boundary: 0.0,
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

    /// `dx` and `dy` of (4) for a change of the impulses, and the step to the boundary.
    fn change(&mut self, dr: &[f64], m: f64) {
        self.dx = self.of(dr);
        let inverse = inverse(&self.x);
        for i in 0..=self.tangents {
            self.dy[i] =
                m * self.barrier_factor * inverse[i] - self.y[i] - dot(&self.scaling[i], &self.dx);
        }
        let steps = [
            step_to_boundary(&self.x, &self.dx),
            step_to_boundary(&self.y, &self.dy),
        ];
        self.step_to_boundary = if steps[1] < steps[0] {
            steps[1]
        } else {
            steps[0]
        };
    }
}

impl InteriorPoint {
    /// Starts from the interior point near the impulses `r`, which are moved there.
    pub fn start(&mut self, scaled: &Scaled, r: &mut [f64]) {
        let size = r.iter().fold(1.0, |m, x| larger(m, x.abs()));
        self.list(scaled);
        for contact in &scaled.contacts {
            let normal = contact.normal;
            r[normal] = larger(r[normal], INITIAL_DISTANCE * size);
            for block in contact.blocks() {
                let limit = INITIAL_FRICTION * block.friction * r[normal];
                clamp_length(&mut r[block.first..block.first + block.rows], limit);
            }
        }
        self.u.resize(r.len(), 0.0);
        self.move_bodies(scaled, r);
        for cone in &mut self.cones {
            cone.x = cone.of(r);
            let slips = &self.u[cone.first..cone.first + cone.tangents];
            cone.y[1..1 + cone.tangents].copy_from_slice(slips);
            let slip = length(slips);
            let separates = larger(self.u[cone.normal] / cone.friction, INITIAL_DISTANCE);
            cone.y[0] = slip + separates;
        }
    }

    /// Starts from the axes of all cones, with impulses of the given size, which are written to `r`.
    pub fn start_at_axes(&mut self, scaled: &Scaled, r: &mut [f64], impulse: f64) {
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

    /// Iterates until `m` and the residual of (2) are below `target`. Returns `false` if it fails before.
    pub fn run(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        r: &mut [f64],
        target: f64,
    ) -> bool {
        let (mut last, mut n_short) = (1.0, 0);
        for _ in 0..MAX_STEPS {
            self.move_bodies(scaled, r);
            self.gap = self.gap_after(0.0);
            let residual = self.residual(scaled);
            if self.gap <= target && residual <= 10.0 * target {
                return true;
            }
            self.update_slips(if last >= SHORT_STEP { 1.0 } else { 0.0 });
            self.cones.iter_mut().for_each(Cone::scale);
            // predictor step towards m = 0
            self.linearise(newton, scaled, 0.0, true);
            if !newton.solve_linearised(scaled, pattern) {
                return false;
            }
            let predictor = self.change(&newton.change, 0.0);
            let part = larger(self.gap_after(predictor) / self.gap, 1.0 - predictor);
            let mut goal = (part * part * part).clamp(1e-4, 0.8);
            if residual > RESIDUAL_FACTOR * self.gap {
                goal = larger(goal, 0.5);
            }
            if last < SHORT_STEP {
                goal = larger(goal, 0.8);
            }
            let m = goal * self.gap;
            self.linearise(newton, scaled, m, false);
            if !newton.solve_again(scaled, pattern) {
                return false;
            }
            last = BOUNDARY_FRACTION * self.change(&newton.change, m);
            n_short += u32::from(last < SHORT_STEP);
            if n_short > MAX_SHORT_STEPS {
                return false;
            }
            self.step(r, &newton.change, last);
        }
        false
    }

    /// One step towards `m` with the current slips and shares. Returns the step length; 0 if the system is singular.
    pub fn step_towards(
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
        let part = BOUNDARY_FRACTION * self.change(&newton.change, m);
        self.step(r, &newton.change, part);
        self.move_bodies(scaled, r);
        part
    }

    /// `|u_b|`.
    pub fn slip(&self, cone: &Cone) -> f64 {
        length(&self.u[cone.first..cone.first + cone.tangents])
    }

    /// Sets the slips of (2) to the current ones, and the share of their changes in (5).
    fn update_slips(&mut self, share: f64) {
        for k in 0..self.cones.len() {
            let slip = self.smoothed_slip(&self.cones[k]);
            (self.cones[k].slip, self.cones[k].share) = (slip, share);
        }
    }

    fn smoothed_slip(&self, cone: &Cone) -> f64 {
        let slips = &self.u[cone.first..cone.first + cone.tangents];
        let smoothing = SMOOTHING * self.gap / larger(cone.x[0], INITIAL_DISTANCE);
        (slips.iter().map(|u| u * u).sum::<f64>() + smoothing * smoothing).sqrt()
    }

    fn move_bodies(&mut self, scaled: &Scaled, r: &[f64]) {
        scaled.apply_impulses(r, &mut self.w);
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

    /// Changes of all cones. Returns the largest step length that stays inside them, at limit 1.
    fn change(&mut self, dr: &[f64], m: f64) -> f64 {
        let mut limit = 1.0;
        for cone in &mut self.cones {
            cone.change(dr, m);
            if cone.step_to_boundary < limit {
                limit = cone.step_to_boundary;
            }
        }
        limit
    }

    /// Mean of `x.y` after a step of length `part`.
    fn gap_after(&self, part: f64) -> f64 {
        let mut total = 0.0;
        for cone in &self.cones {
            for i in 0..3 {
                total += (cone.x[i] + part * cone.dx[i]) * (cone.y[i] + part * cone.dy[i]);
            }
        }
        total / self.cones.len().max(1) as f64
    }

    /// Largest residual of (2).
    fn residual(&self, scaled: &Scaled) -> f64 {
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

    /// (5): the right-hand sides, and the Jacobians `H` if requested.
    fn linearise(&self, newton: &mut Newton, scaled: &Scaled, m: f64, with_jacobians: bool) {
        newton.resize(self.u.len());
        let mut cones = &self.cones[..];
        for contact in &scaled.contacts {
            let (own, others) = cones.split_at(count(contact));
            cones = others;
            self.linearise_contact(newton, scaled, contact, own, m, with_jacobians);
        }
        for i in scaled.joint_rows() {
            let inverse = 1.0 / regularization(scaled, i);
            newton.jacobians[i][0] = inverse;
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
        with_jacobians: bool,
    ) {
        let n = contact.normal;
        let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
        let mut matrix = [0.0; MAX_ROWS * MAX_ROWS];
        let mut rhs = [0.0; MAX_ROWS];
        // z_u is the identity except for its first row
        let mut first_row = [0.0; MAX_ROWS];
        first_row[0] = 1.0;
        rhs[0] = -self.u[n];
        for cone in cones {
            let (t, mu, at) = (&cone.scaling, cone.friction, cone.first - n);
            let inverse = inverse(&cone.x);
            let slips = &self.u[cone.first..cone.first + cone.tangents];
            matrix[0] += mu * mu * t[0][0];
            rhs[0] += mu * m * cone.barrier_factor * inverse[0];
            if slips.is_empty() {
                continue;
            }
            let slip = self.smoothed_slip(cone);
            rhs[0] -= mu * (cone.slip + cone.share * (slip - cone.slip));
            for (i, u) in slips.iter().enumerate() {
                rhs[at + i] = m * cone.barrier_factor * inverse[1 + i] - u;
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
        let mut pivots = [0; MAX_ROWS];
        let matrix = &mut matrix[..rows * rows];
        if !factorise(scaled, contact, &first_row, matrix, &mut pivots) {
            matrix.fill(f64::NAN);
        }
        dense::lu_solve(rows, matrix, &pivots, &mut rhs[..rows]);
        newton.change[n..n + rows].copy_from_slice(&rhs[..rows]);
        if !with_jacobians {
            return;
        }
        for j in 0..rows {
            let mut column = [0.0; MAX_ROWS];
            column[j] = 1.0;
            column[0] = first_row[j];
            dense::lu_solve(rows, matrix, &pivots, &mut column[..rows]);
            for i in 0..rows {
                newton.jacobians[n + i][j] = column[i];
            }
        }
    }
}

/// `e` of (5).
fn regularization(scaled: &Scaled, row: usize) -> f64 {
    scaled.compliance[row] + (scaled.prox + REGULARIZATION) * scaled.stiffness[row]
}

/// Factorizes the matrix of (5) of a contact, given `K`; `first_row` is that of `z_u`.
fn factorise(
    scaled: &Scaled,
    contact: &ContactRows,
    first_row: &[f64; MAX_ROWS],
    matrix: &mut [f64],
    pivots: &mut [usize; MAX_ROWS],
) -> bool {
    let n = contact.normal;
    let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
    for j in 0..rows {
        let soft = regularization(scaled, n + j);
        matrix[j] += first_row[j] * soft;
        if j > 0 {
            matrix[j * rows + j] += soft;
        }
    }
    // a block without friction has no impulse
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

/// Step length at which `x + a d` leaves its cone: the smallest positive root of `det (x + a d)`.
fn step_to_boundary(x: &Point, d: &Point) -> f64 {
    let square = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let mixed = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let own = det(x);
    let mut limit = if d[0] < 0.0 {
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
            if a > 0.0 && a < limit {
                limit = a;
            }
        }
    }
    limit
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
    fn the_step_ends_at_the_boundary() {
        let x = [2.0, 0.5, -1.0];
        for d in [[-1.0, 0.2, 0.1], [0.0, 3.0, 0.0], [1.0, -2.0, 1.0]] {
            let a = step_to_boundary(&x, &d);
            let end = [0, 1, 2].map(|i| x[i] + a * d[i]);
            assert!(det(&end).abs() < 1e-12 && end[0] >= 0.0, "{end:?}");
        }
        assert_eq!(step_to_boundary(&x, &[1.0, 0.0, 0.0]), f64::INFINITY);
    }
}
