//! Steps: straight on, along the curve, and as soft contacts would go.

use super::{Cone, Curve};
use crate::lcp::crowd::interior::{Point, length};
use crate::lcp::crowd::newton::Newton;
use crate::lcp::crowd::scaled::Scaled;
use crate::lcp::order::Pattern;
use crate::lcp::scaling::larger;

/// A correction of this part of the points is small enough.
const CLOSE: f64 = 1e-3;

/// Largest first correction of a straight step.
const NEAR: f64 = 3.0;

/// Factorizations of a straight step, and of a step of soft contacts.
const STRAIGHT: u32 = 6;
const SOFT: u32 = 10;

/// A straight step over the one that failed; a bend is near where it is less than this.
const SHORTER: f64 = 0.3;
const LEAST: f64 = 0.03;

/// A correction that is more than this part of the one before asks for new laws: of straight steps, of steps along the curve.
const STALE: [f64; 2] = [0.3, 0.5];

/// Corrections of a step along the curve, and new laws among them.
const CORRECTIONS: u32 = 10;
const MOST_FRESH: u32 = 2;

/// The farthest that a step along the curve may end beside its tangent, over its length, and the least length that counts.
const BESIDE: f64 = 0.3;
const SHORT: f64 = 0.01;

/// Cosine of the largest turn in a step along the curve.
const COSINE: f64 = 0.5;

/// Lengths of steps along the curve, in parts of the points and levels: the first, the longest, and one that stands still.
const FIRST_LENGTH: f64 = 0.1;
const LONGEST_LENGTH: f64 = 3.0;
const STANDSTILL: f64 = 1e-10;

/// Up to so many corrections the next step is this much longer.
const LONGER: [(u32, f64); 3] = [(4, 2.0), (6, 1.4), (7, 1.0)];

/// The next step after more corrections, and after one that failed.
const HARDER: f64 = 0.7;
const FAILED: f64 = 0.4;

/// Most factorizations to the turn of a curve.
const TO_TURN: u32 = 100;

/// Softness of contacts that are let go: the first, from one to the next, and after one that failed.
const FIRST_SOFTNESS: f64 = 0.1;
const STIFFER: f64 = 0.5;
const SOFTER: f64 = 3.0;
const SOFTEST: f64 = 1e3;

/// How a way along the curve ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Arrived,
    Turned,
    Lost,
}

impl Curve {
    /// Straight to the goal of the levels: `false` if a bend is near.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn straight(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
    ) -> bool {
        let mut part = self.now.left;
        if part > 0.0 && !self.linearise(newton, scaled, pattern) {
            return false;
        }
        while self.now.left > 0.0 {
            if part > self.now.left {
                part = self.now.left;
            }
            self.step.copy_from(&self.now);
            for cone in &mut self.now.cones {
                for i in 0..3 {
                    cone.z[i] -= part * cone.along[i];
                }
            }
            for (r, d) in self.now.r.iter_mut().zip(&self.step.along) {
                *r -= part * d;
            }
            self.now.shift(-part);
            if self.settle(newton, scaled, pattern, STRAIGHT, NEAR) && !newton.is_negative() {
                part *= 2.0;
                continue;
            }
            self.now.copy_from(&self.step);
            part *= SHORTER;
            if part < LEAST {
                return false;
            }
        }
        true
    }

    /// Newton's method with levels that stay.
    #[cfg_attr(small, optimize(size))]
    fn settle(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        most: u32,
        nearest: f64,
    ) -> bool {
        self.measure();
        let (mut last, mut is_stale) = (f64::INFINITY, true);
        let before = newton.iterations;
        for k in 0..2 * most {
            let sound = if is_stale {
                newton.iterations - before < most && self.linearise(newton, scaled, pattern)
            } else {
                self.correct(newton, scaled, pattern)
            };
            let size = self.size(0.0);
            if !sound || !size.is_finite() || size > 3.0 * last || (k == 0 && size > nearest) {
                return false;
            }
            is_stale = k > 0 && size > STALE[0] * last;
            last = size;
            self.add(0.0);
            if size < CLOSE {
                return true;
            }
        }
        false
    }

    /// Along the curve to the goal of the levels.
    pub(super) fn follow(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        most: u32,
    ) -> bool {
        self.walk(newton, scaled, pattern, false, most) == End::Arrived
    }

    /// To the turn of the curve, and from there with the levels of those contacts alone that move most.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn lead_on(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        goal: f64,
        most: u32,
        who: usize,
    ) -> bool {
        match self.walk(newton, scaled, pattern, true, TO_TURN) {
            End::Arrived => true,
            End::Lost => false,
            End::Turned => {
                self.moves.clear();
                self.moves.resize(self.now.levels.len(), 0.0);
                for (cone, scale) in self.now.cones.iter().zip(&self.scales) {
                    let own = &mut self.moves[cone.contact];
                    *own = larger(*own, scale * length(&cone.tangent));
                }
                let (moves, least) = (&self.moves, least_of_most(&self.moves, who));
                self.now.aim(goal, |k| moves[k] >= least);
                self.follow(newton, scaled, pattern, most)
            }
        }
    }

    /// Along the curve to the goal of the levels, or until it turns.
    #[cfg_attr(small, optimize(size))]
    fn walk(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        to_turn: bool,
        most: u32,
    ) -> End {
        let before = newton.iterations;
        let mut length = FIRST_LENGTH;
        let mut first = None;
        if !self.linearise(newton, scaled, pattern) {
            return End::Lost;
        }
        loop {
            self.measure();
            let unit = 1.0 / self.product_along(|cone| cone.along, 1.0).sqrt();
            let forward = if newton.is_negative() { unit } else { -unit };
            for cone in &mut self.now.cones {
                cone.tangent = cone.along.map(|d| d * forward);
            }
            let turned = *first.get_or_insert(forward > 0.0) != (forward > 0.0);
            if to_turn && turned {
                return End::Turned;
            }
            if self.now.left <= 0.0 && !newton.is_negative() {
                return End::Arrived;
            }
            for (t, d) in self.tangent.iter_mut().zip(&self.now.along) {
                *t = d * forward;
            }
            self.step.copy_from(&self.now);
            loop {
                if newton.iterations - before > most || length < STANDSTILL {
                    self.now.copy_from(&self.step);
                    return End::Lost;
                }
                if let Some(used) = self.step_along(newton, scaled, pattern, length, forward) {
                    let longer = LONGER.iter().find(|(up_to, _)| used <= *up_to);
                    length *= longer.map_or(HARDER, |(_, factor)| *factor);
                    if length > LONGEST_LENGTH {
                        length = LONGEST_LENGTH;
                    }
                    break;
                }
                self.now.copy_from(&self.step);
                length *= FAILED;
            }
        }
    }

    /// A step along the tangent and back to the curve: the number of corrections, if it ends there.
    #[cfg_attr(small, optimize(size))]
    fn step_along(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        length: f64,
        forward: f64,
    ) -> Option<u32> {
        for cone in &mut self.now.cones {
            for i in 0..3 {
                cone.z[i] += length * cone.tangent[i];
            }
        }
        for (r, t) in self.now.r.iter_mut().zip(&self.tangent) {
            *r += length * t;
        }
        self.now.shift(length * forward);
        let most = BESIDE * larger(length, SHORT);
        let (mut last, mut is_stale, mut fresh) = (f64::INFINITY, true, 0);
        for used in 1..=CORRECTIONS {
            let sound = if is_stale {
                self.linearise(newton, scaled, pattern)
            } else {
                self.correct(newton, scaled, pattern)
            };
            if !sound {
                return None;
            }
            // the correction stays in the plane across the tangent
            let off = self.product(|cone| cone.dz);
            let way = -off / (self.product(|cone| cone.along) + forward);
            let size = self.size(way);
            if !size.is_finite() || size > most || size > last {
                return None;
            }
            is_stale = size > STALE[1] * last;
            fresh += u32::from(is_stale);
            if fresh > MOST_FRESH {
                return None;
            }
            last = size;
            self.add(way);
            if size < CLOSE {
                let sign = if newton.is_negative() { 1.0 } else { -1.0 };
                let turn = sign * (self.product(|cone| cone.along) + forward);
                let own = self.product_along(|cone| cone.along, 1.0).sqrt();
                let is_same_way = turn >= COSINE * own;
                return is_same_way.then_some(if fresh > 0 { CORRECTIONS } else { used });
            }
        }
        None
    }

    /// Levels at their goal, and contacts that are soft until they are where they can stay.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn jump(
        &mut self,
        newton: &mut Newton,
        scaled: &mut Scaled,
        pattern: &Pattern,
        most: u32,
    ) -> bool {
        let before = newton.iterations;
        self.now.shift(-self.now.left);
        self.anchor.copy_from(&self.now);
        let (mut softness, mut solved) = (FIRST_SOFTNESS, false);
        while newton.iterations - before < most && softness < SOFTEST && !solved {
            scaled.anchor(softness, 1.0, &self.anchor.r);
            if self.settle(newton, scaled, pattern, SOFT, f64::INFINITY) {
                self.anchor.copy_from(&self.now);
                scaled.release();
                solved =
                    self.settle(newton, scaled, pattern, STRAIGHT, NEAR) && !newton.is_negative();
                softness *= STIFFER;
            } else {
                softness *= SOFTER;
            }
            if !solved {
                self.now.copy_from(&self.anchor);
            }
        }
        scaled.release();
        solved
    }

    /// The sizes of the points.
    #[cfg_attr(small, optimize(size))]
    fn measure(&mut self) {
        self.scales.clear();
        let levels = &self.now.levels;
        self.scales.extend(
            self.now
                .cones
                .iter()
                .map(|cone| 1.0 / (libm::exp(0.5 * levels[cone.contact].log) + length(&cone.z))),
        );
    }

    /// The tangent's product with a change of the points.
    fn product(&self, of: impl Fn(&Cone) -> Point) -> f64 {
        self.sum(|cone| {
            let change = of(cone);
            (0..3).map(|i| cone.tangent[i] * change[i]).sum()
        })
    }

    /// Squares of a change of the points and of the parameter.
    fn product_along(&self, of: impl Fn(&Cone) -> Point, level: f64) -> f64 {
        level * level + self.sum(|cone| of(cone).iter().map(|d| d * d).sum())
    }

    /// Size of the correction with a way along the curve.
    fn size(&self, way: f64) -> f64 {
        let changed = |cone: &Cone| {
            let mut change = cone.dz;
            for i in 0..3 {
                change[i] += way * cone.along[i];
            }
            change
        };
        self.product_along(changed, way).sqrt()
    }

    fn sum(&self, of: impl Fn(&Cone) -> f64) -> f64 {
        let cones = self.now.cones.iter().zip(&self.scales);
        cones.map(|(cone, scale)| scale * scale * of(cone)).sum()
    }

    /// The correction, with a way along the curve.
    #[cfg_attr(small, optimize(size))]
    fn add(&mut self, way: f64) {
        for cone in &mut self.now.cones {
            for i in 0..3 {
                cone.z[i] += cone.dz[i] + way * cone.along[i];
            }
        }
        for (k, r) in self.now.r.iter_mut().enumerate() {
            *r += self.dr[k] + way * self.now.along[k];
        }
        self.now.shift(way);
    }
}

/// A bound that about as many of the numbers reach as are asked for.
fn least_of_most(numbers: &[f64], count: usize) -> f64 {
    let mut low = 0.0;
    let mut high = numbers.iter().fold(0.0, |m, x| larger(m, *x));
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if numbers.iter().filter(|x| **x >= middle).count() > count {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
