//! The path from soft to stiff where it turns back.
//!
//! ```text
//! (1)  G(w, l) = w - J^T r = 0,   r = P(y),   y = -(q + J w) / (c + e D),   e = exp(l)
//!      P: y_n <= 0: 0,   r_n = y_n,   |y_b| <= mu y_n: r_b = y_b,   else  r_b = mu y_n y_b / |y_b|
//! (2)  G_w = K = 1 + J^T H J,    G_l = J^T (e D / (c + e D)) r
//! (3)  K w' = -G_l l',   l' < 0 where det K > 0, l' > 0 where det K < 0
//! (4)  corrector:  K dw + G_l dl = -G,   t.(dw, dl) = t.(guess - now)
//! (5)  corner:     K dw + G_l dl = -G,   m(w) + m'.dw = goal
//! ```
//!
//! A soft problem (large `e`) has one solution, close to `w = 0`. The solutions of (1) form a curve that begins there. With
//! velocities of rows that belong to velocities of bodies, `q = J w_0`, each row takes energy out: `|w + w_0| <= |w_0|` for all
//! `e`. The curve cannot end, nor leave that ball, nor come back to its beginning: it reaches every `e > 0`, however
//! often it turns on the way. Where it turns, a determinant changes its sign, and (3) says in which direction it
//! goes on. It has corners where contacts change their states; sharp ones are passed by prescribing the margin `m` of
//! the contact that changes, (5).

use super::FREEDOMS;
use super::factor::Six;
use super::scaled::along;
use super::solver::Solver;
use crate::lcp::order::Pattern;
use crate::lcp::scaling::larger;

/// Iterations of (4) or (5).
const CORRECTIONS: u32 = 6;

/// Largest correction over the length of the step: farther away there may be another piece of the curve.
const CLOSE: f64 = 0.3;

/// Cosine of the largest turn of the tangent in a step.
const COSINE: f64 = 0.7;

/// Lengths of steps, in units of the impulses and of the logarithm of `e`: the first, the longest, and the one that
/// counts as standing still.
const FIRST: f64 = 0.1;
const LONGEST: f64 = 2.0;
const SHORTEST: f64 = 1e-9;

/// Impulses below are nothing, in coordinates without units.
const SMALLEST: f64 = 1e-12;

/// Where a margin is along the curve.
#[derive(Clone, Copy, Debug)]
enum Margin {
    /// `m = -u_n`.
    Normal { contact: usize },
    /// `m = |u_b| / D_b + mu u_n / D_n`.
    Block { contact: usize, block: usize },
}

/// A point of the curve and what belongs to it.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    w: Vec<Six>,
    log: f64,
    /// Tangent.
    dw: Vec<Six>,
    dlog: f64,
    old: Vec<Six>,
    guess: Vec<Six>,
    gap: Vec<Six>,
    slope: Vec<Six>,
    /// Normal of the plane that (4) stays in.
    across: Vec<Six>,
    across_log: f64,
    normal: Vec<Six>,
    normal_log: f64,
    dr: Vec<f64>,
    old_dr: Vec<f64>,
    guess_r: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
    scratch: Vec<f64>,
    pushed: Vec<Six>,
}

fn product(a: &[Six], b: &[Six]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.fold(0.0, |sum, (a, b)| {
        let mut own = 0.0;
        for k in 0..FREEDOMS {
            own += a[k] * b[k];
        }
        sum + own
    })
}

fn largest(a: &[Six]) -> f64 {
    a.as_flattened().iter().fold(0.0, |m, x| larger(m, x.abs()))
}

impl Solver {
    /// Follows the curve from the solution `r` at softness `prox` (with nothing as its anchor) until it is at most
    /// `goal`: the softness reached.
    pub(super) fn follow(
        &mut self,
        pattern: &Pattern,
        r: &mut [f64],
        prox: f64,
        goal: f64,
        steps: u32,
    ) -> Option<f64> {
        let mut track = std::mem::take(&mut self.tracker);
        let reached = self.walk(&mut track, pattern, r, prox, goal, steps);
        if reached.is_some() {
            r.copy_from_slice(&track.r);
        }
        self.tracker = track;
        reached
    }

    fn walk(
        &mut self,
        track: &mut Tracker,
        pattern: &Pattern,
        r: &[f64],
        prox: f64,
        goal: f64,
        steps: u32,
    ) -> Option<f64> {
        self.scaled.push_bodies(r, &mut track.w);
        track.log = libm::log(prox);
        let goal = libm::log(goal);
        if !self.tangent(track, pattern) {
            return None;
        }
        let mut length = FIRST;
        for _ in 0..steps {
            track.old.clone_from(&track.w);
            let old_log = track.log;
            if let Some(off) = self.step(track, pattern, length) {
                if track.log <= goal {
                    return Some(libm::exp(track.log));
                }
                if off < 0.3 * CLOSE {
                    length *= 2.5;
                } else if off < 0.6 * CLOSE {
                    length *= 1.5;
                }
                length = if length < LONGEST { length } else { LONGEST };
                continue;
            }
            track.w.clone_from(&track.old);
            track.log = old_log;
            if !self.tangent(track, pattern) {
                return None;
            }
            let (margin, distance) = self.first_corner(track)?;
            if length > 2.2 * distance {
                length = larger(0.3 * length, 1.1 * distance);
                continue;
            }
            if length > 0.2 * distance && self.turn(track, pattern, margin) {
                continue;
            }
            length *= 0.3;
            if length < SHORTEST || !self.tangent(track, pattern) {
                return None;
            }
        }
        None
    }

    /// A step along the tangent and back to the curve, (4): how far beside the tangent that is, over the length.
    fn step(&mut self, track: &mut Tracker, pattern: &Pattern, length: f64) -> Option<f64> {
        let n = self.scaled.bodies;
        track.guess.clone_from(&track.w);
        for (g, t) in track.guess[..n].iter_mut().zip(&track.dw) {
            for k in 0..FREEDOMS {
                g[k] += length * t[k];
            }
        }
        let guess_log = track.log + length * track.dlog;
        track.normal.clone_from(&track.across);
        track.normal_log = track.across_log;
        track.old_dr.clone_from(&track.dr);
        let old_dlog = track.dlog;
        track.guess_r.clone_from(&track.r);
        let size = larger(track.r.iter().map(|r| r * r).sum::<f64>(), SMALLEST);
        for (g, t) in track.guess_r.iter_mut().zip(&track.dr) {
            *g += length * t;
        }
        if !self.correct(track, pattern, guess_log, length) {
            return None;
        }
        let pairs = track.r.iter().zip(&track.guess_r);
        let beside = pairs.map(|(r, g)| (r - g) * (r - g)).sum::<f64>();
        let beside_log = track.log - guess_log;
        let off = (beside / size + beside_log * beside_log).sqrt() / length;
        if off > CLOSE || !self.tangent(track, pattern) {
            return None;
        }
        let pairs = track.dr.iter().zip(&track.old_dr);
        let cosine = pairs.map(|(a, b)| a * b).sum::<f64>() / size + track.dlog * old_dlog;
        (cosine > COSINE).then_some(off)
    }

    /// Around a corner, (5), with less and less behind it.
    fn turn(&mut self, track: &mut Tracker, pattern: &Pattern, margin: Margin) -> bool {
        let log = track.log;
        for over in [1.0, 0.1, 0.01, 1e-3] {
            let goal = -over * self.margin(track, margin);
            if self.pass(track, pattern, margin, goal) && self.tangent(track, pattern) {
                return true;
            }
            track.w.clone_from(&track.old);
            track.log = log;
            if !self.evaluate(track) {
                return false;
            }
        }
        false
    }

    /// (1) at the tracker's point: `r`, `u` and `gap = G`, `slope = G_l`.
    fn evaluate(&mut self, track: &mut Tracker) -> bool {
        let e = libm::exp(track.log);
        let scaled = &mut self.scaled;
        scaled.prox = e;
        scaled.set_boost(1.0 / e);
        let n = scaled.rows.len();
        for list in [&mut track.r, &mut track.u, &mut track.scratch] {
            list.resize(n, 0.0);
        }
        // y
        for member in &scaled.members {
            let [a, b] = member.bodies.map(|b| &track.w[b as usize]);
            for i in member.range() {
                let u = scaled.free[i] + along(&scaled.rows[i], a, b);
                track.u[i] = u;
                track.r[i] = -u / (scaled.compliance[i] + e * scaled.stiffness[i]);
            }
        }
        scaled.shorten(&mut track.r);
        for i in 0..n {
            let soft = e * scaled.stiffness[i];
            track.scratch[i] = soft / (soft + scaled.compliance[i]) * track.r[i];
        }
        scaled.push_bodies(&track.scratch, &mut track.slope);
        scaled.push_bodies(&track.r, &mut track.pushed);
        track.gap.clone_from(&track.w);
        for (g, p) in track.gap.iter_mut().zip(&track.pushed) {
            for k in 0..FREEDOMS {
                g[k] -= p[k];
            }
        }
        track.gap.as_flattened().iter().all(|x| x.is_finite())
    }

    /// `K` at the tracker's point, factorised.
    fn matrix(&mut self, track: &mut Tracker, pattern: &Pattern) -> bool {
        let e = self.scaled.prox;
        for i in 0..track.r.len() {
            let soft = self.scaled.compliance[i] + e * self.scaled.stiffness[i];
            track.scratch[i] = track.u[i] + soft * track.r[i];
        }
        self.newton.iterations += 1;
        self.newton
            .linearise(&self.scaled, &track.r, &track.scratch, 0.0);
        self.newton.factorise(&self.scaled, pattern)
    }

    /// (3), of length 1.
    fn tangent(&mut self, track: &mut Tracker, pattern: &Pattern) -> bool {
        if !self.evaluate(track) || !self.matrix(track, pattern) {
            return false;
        }
        let n = self.scaled.bodies;
        track.dw.clone_from(&track.slope);
        self.newton.factor.solve(pattern, &mut track.dw[..n]);
        // dr for dlog = -1
        track.dr.resize(track.r.len(), 0.0);
        for (i, dr) in track.dr.iter_mut().enumerate() {
            let soft = self.scaled.prox * self.scaled.stiffness[i];
            *dr = soft / (soft + self.scaled.compliance[i]) * track.r[i];
        }
        self.newton.response(&self.scaled, &track.dw, &mut track.dr);
        let size = larger(track.r.iter().map(|r| r * r).sum::<f64>(), SMALLEST);
        let length = (1.0 + track.dr.iter().map(|r| r * r).sum::<f64>() / size).sqrt();
        let sign = if self.newton.factor.negative {
            1.0
        } else {
            -1.0
        };
        track.dlog = sign / length;
        for t in track.dw.as_flattened_mut() {
            *t *= -track.dlog;
        }
        for t in &mut track.dr {
            *t *= -track.dlog;
        }
        // the plane: t_r . dr / size + t_l dl
        self.newton
            .transposed(&self.scaled, &track.dr, &mut track.scratch);
        for x in &mut track.scratch {
            *x /= -size;
        }
        self.scaled.push_bodies(&track.scratch, &mut track.across);
        let mut by_log = 0.0;
        for i in 0..track.r.len() {
            let soft = self.scaled.prox * self.scaled.stiffness[i];
            by_log -= soft / (soft + self.scaled.compliance[i]) * track.r[i] * track.dr[i];
        }
        track.across_log = track.dlog + by_log / size;
        length.is_finite()
    }

    /// (4) from `guess`: is the point on the curve?
    fn correct(
        &mut self,
        track: &mut Tracker,
        pattern: &Pattern,
        guess_log: f64,
        length: f64,
    ) -> bool {
        let n = self.scaled.bodies;
        track.w.clone_from(&track.guess);
        track.log = guess_log;
        for used in 0..=CORRECTIONS {
            if !self.evaluate(track) {
                return false;
            }
            let tolerance = larger(larger(1e-9 * length, 1e-12), 1e-14 / self.scaled.prox);
            if largest(&track.gap) <= tolerance * larger(1.0, largest(&track.w)) {
                return true;
            }
            if used == CORRECTIONS || !self.matrix(track, pattern) {
                return false;
            }
            self.newton.factor.solve(pattern, &mut track.gap[..n]);
            self.newton.factor.solve(pattern, &mut track.slope[..n]);
            // dw = -gap - slope dl
            let mut off = track.normal_log * (guess_log - track.log);
            let mut own = 0.0;
            for k in 0..n {
                for j in 0..FREEDOMS {
                    own +=
                        track.normal[k][j] * (track.guess[k][j] - track.w[k][j] + track.gap[k][j]);
                }
            }
            off += own;
            let denominator = track.normal_log - product(&track.normal[..n], &track.slope[..n]);
            let dlog = off / denominator;
            if !dlog.is_finite() || dlog.abs() > 3.0 {
                return false;
            }
            self.advance(track, dlog);
        }
        false
    }

    fn advance(&self, track: &mut Tracker, dlog: f64) {
        track.log += dlog;
        for k in 0..self.scaled.bodies {
            for j in 0..FREEDOMS {
                track.w[k][j] -= track.gap[k][j] + track.slope[k][j] * dlog;
            }
        }
    }

    /// (5).
    fn pass(&mut self, track: &mut Tracker, pattern: &Pattern, margin: Margin, goal: f64) -> bool {
        let n = self.scaled.bodies;
        for used in 0..=CORRECTIONS {
            if !self.evaluate(track) {
                return false;
            }
            let tolerance = larger(1e-9, 1e-13 / self.scaled.prox);
            let now = self.margin(track, margin);
            if used > 0
                && largest(&track.gap) <= tolerance * larger(1.0, largest(&track.w))
                && now * goal > 0.0
            {
                return true;
            }
            if used == CORRECTIONS || !self.matrix(track, pattern) {
                return false;
            }
            self.newton.factor.solve(pattern, &mut track.gap[..n]);
            self.newton.factor.solve(pattern, &mut track.slope[..n]);
            let by_gap = self.margin_change(track, margin, &track.gap);
            let by_slope = self.margin_change(track, margin, &track.slope);
            let dlog = -(goal - now + by_gap) / by_slope;
            if !dlog.is_finite() || dlog.abs() > 1.0 {
                return false;
            }
            self.advance(track, dlog);
        }
        false
    }

    fn margin(&self, track: &Tracker, margin: Margin) -> f64 {
        let scaled = &self.scaled;
        match margin {
            Margin::Normal { contact } => -track.u[scaled.contacts[contact].normal],
            Margin::Block { contact, block } => {
                let contact = &scaled.contacts[contact];
                let block = &contact.blocks()[block];
                let own = &track.u[block.first..block.first + block.rows];
                let length = own.iter().map(|x| x * x).sum::<f64>().sqrt();
                length / scaled.stiffness[block.first]
                    + block.friction * track.u[contact.normal] / scaled.stiffness[contact.normal]
            }
        }
    }

    /// Its derivative along `dw`.
    fn margin_change(&self, track: &Tracker, margin: Margin, dw: &[Six]) -> f64 {
        let scaled = &self.scaled;
        let (Margin::Normal { contact } | Margin::Block { contact, .. }) = margin;
        let [a, b] = scaled.members[contact].bodies.map(|b| &dw[b as usize]);
        let row = |i: usize| along(&scaled.rows[i], a, b);
        let n = scaled.contacts[contact].normal;
        match margin {
            Margin::Normal { .. } => -row(n),
            Margin::Block { contact, block } => {
                let block = &scaled.contacts[contact].blocks()[block];
                let (mut sum, mut squares) = (0.0, 0.0);
                for i in block.first..block.first + block.rows {
                    sum += track.u[i] * row(i);
                    squares += track.u[i] * track.u[i];
                }
                sum / squares.sqrt() / scaled.stiffness[block.first]
                    + block.friction * row(n) / scaled.stiffness[n]
            }
        }
    }

    /// The first change of a state along the tangent, and how far it is.
    fn first_corner(&self, track: &Tracker) -> Option<(Margin, f64)> {
        let scaled = &self.scaled;
        let mut first = None;
        let mut least = f64::INFINITY;
        for (c, contact) in scaled.contacts.iter().enumerate() {
            let mut look = |margin: Margin| {
                let now = self.margin(track, margin);
                let rate = self.margin_change(track, margin, &track.dw);
                let at = -now / rate;
                if at > 0.0 && at < least {
                    least = at;
                    first = Some((margin, at));
                }
            };
            look(Margin::Normal { contact: c });
            if track.r[contact.normal] > 0.0 {
                for block in 0..contact.count {
                    if contact.blocks()[block].friction > 0.0 {
                        look(Margin::Block { contact: c, block });
                    }
                }
            }
        }
        first
    }
}
