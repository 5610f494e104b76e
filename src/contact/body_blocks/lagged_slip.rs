//! Where the way through the inside of the cones turns back: slips that follow.
//!
//! ```text
//! (1)  sum_b D_b^T y_b = (u_n + sum_b mu_b s_b, u_b)              (2) of `interior_point`, with a slip that is given
//! (2)  s_b <- s_b + p/(1 + p) (|u_b| - s_b)                       p: the pace of a block
//! (3)  y_b = m k_b x_b^-1,    m -> 0                              k_b >= 1: its boost
//! ```
//!
//! With given slips the problem is convex: where some motion parts all contacts it has an answer for every `m`, however
//! redundant they are, and its velocities change steadily with the slips. What is asked for is where the slips stay, and (2) is an implicit step of
//! `ds/dt = |u_b| - s_b` towards it, taken together with one step of the interior-point method: explicit with small paces, Newton's
//! method with large ones.
//!
//! A step that would leave a cone soon was too bold near there: paces of that block go down, and with each such step in
//! sequence those of the blocks around it, farther and farther. All paces go up with steps that succeed. `m` goes down when
//! all slips stay. Some go round for long; those are smoothed by a boost, and the way goes on from there.

use super::interior_point::InteriorPoint;
use super::scaled::Scaled;
use super::solver::{Attempt, POLISHES, Solver};
use crate::contact::scaling::larger;

/// One way, from the middle of all cones to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Impulses at the start, in coordinates without units.
    impulse: f64,
    /// Times `m`: slips stay when they change by less.
    steady: f64,
    /// Paces go down by this factor.
    slower: f64,
}

impl Start {
    pub const fn new(impulse: f64, steady: f64, slower: f64) -> Self {
        Self {
            impulse,
            steady,
            slower,
        }
    }
}

/// Paces go up by this factor.
const FASTER: f64 = 1.3;

/// Bounds of the paces.
const PACES: [f64; 2] = [0.1, 1e3];

/// Parts of a whole step: below the first one it was too bold, above the second one it succeeds.
const BOLD: f64 = 0.5;
const GOOD: f64 = 0.9;

/// From one `m` to the next, and where the last digits are tried.
const DOWN: f64 = 0.3;
const LAST_DOWN: f64 = 0.1;

/// From here on they are, with each `m` until the smallest: residuals of contacts about to slip or to open go with its root.
const LAST: f64 = 1e-6;
const LEAST: f64 = 1e-24;

/// Changes of a slip below this are rounding errors.
const ROUNDING: f64 = 1e-14;

/// Steps with the same `m` before slips that go round are smoothed, and the steps within which they moved.
const PATIENCE: u32 = 300;
const RECENT: u32 = 30;

/// Their boost, and the largest one times `m`.
const BOOST: f64 = 100.0;
const MOST: f64 = 1.0;

/// Scratch, one entry a block.
#[derive(Debug, Default)]
pub(super) struct LaggedSlip {
    paces: Vec<f64>,
    /// Steps since the slip moved.
    stays: Vec<u32>,
    chosen: Vec<bool>,
    /// One entry a body, and the ground.
    touched: Vec<bool>,
}

impl Solver {
    /// The way from `start`, with so many iterations at most: is an answer accepted? `x` is where it ends.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn lag_slip(
        &mut self,
        attempt: &mut Attempt,
        x: &mut [f64],
        start: Start,
        iterations: u32,
    ) -> bool {
        let mut inside = std::mem::take(&mut self.inside);
        inside.clear();
        inside.resize(x.len(), 0.0);
        self.interior_point
            .start_in_the_middle(&self.scaled, &mut inside, start.impulse);
        self.lag_slip.reset(self.interior_point.cones.len());
        let (mut m, mut waited, mut bold, mut solved) = (start.impulse, 0, 0, false);
        let before = self.newton.iterations;
        while !solved && m > LEAST && self.newton.iterations - before < iterations {
            let Self {
                interior_point,
                newton,
                scaled,
                lag_slip,
                ..
            } = self;
            lag_slip.share(interior_point);
            let part = interior_point.approach(newton, scaled, attempt.pattern, &mut inside, m);
            if part == 0.0 {
                break;
            }
            waited += 1;
            if part < BOLD {
                lag_slip.slow_down(interior_point, scaled, bold, start.slower);
                bold += 1;
            } else {
                bold = 0;
                let stay = lag_slip.relax(interior_point, larger(start.steady * m, ROUNDING));
                if part > GOOD {
                    lag_slip.speed_up();
                    if stay {
                        m *= if m < LAST { LAST_DOWN } else { DOWN };
                        waited = 0;
                        if m < LAST {
                            x.copy_from_slice(&inside);
                            solved =
                                self.check_answer(attempt, x) || self.polish(attempt, x, &POLISHES);
                        }
                        continue;
                    }
                }
            }
            if waited > PATIENCE {
                waited = 0;
                lag_slip.smooth(interior_point, m);
            }
        }
        if !solved {
            x.copy_from_slice(&inside);
            self.scaled.shorten(x);
        }
        self.inside = inside;
        solved
    }
}

impl LaggedSlip {
    fn reset(&mut self, blocks: usize) {
        self.paces.clear();
        self.paces.resize(blocks, 1.0);
        self.stays.clear();
        self.stays.resize(blocks, 0);
    }

    /// (5) of `interior_point` has the change of a slip as far as (2) takes it.
    fn share(&self, interior_point: &mut InteriorPoint) {
        for (cone, pace) in interior_point.cones.iter_mut().zip(&self.paces) {
            cone.share = pace / (1.0 + pace);
        }
    }

    /// (2), and boosts down where slips stay: do all of them, without a boost?
    fn relax(&mut self, interior_point: &mut InteriorPoint, steady: f64) -> bool {
        let mut all_stay = true;
        for k in 0..interior_point.cones.len() {
            let slip = interior_point.slip(&interior_point.cones[k]);
            let cone = &mut interior_point.cones[k];
            let change = (slip - cone.slip).abs();
            cone.slip += cone.share * (slip - cone.slip);
            self.stays[k] += 1;
            if change >= steady {
                self.stays[k] = 0;
                all_stay = false;
            }
            if change < steady * cone.boost {
                cone.boost = larger(1.0, cone.boost * DOWN);
            }
            all_stay &= cone.boost == 1.0;
        }
        all_stay
    }

    fn speed_up(&mut self) {
        for pace in &mut self.paces {
            *pace = if *pace * FASTER < PACES[1] {
                *pace * FASTER
            } else {
                PACES[1]
            };
        }
    }

    /// For the blocks that stopped the step, and those around them up to so many bodies away.
    fn slow_down(
        &mut self,
        interior_point: &InteriorPoint,
        scaled: &Scaled,
        rings: u32,
        factor: f64,
    ) {
        self.chosen.clear();
        self.chosen
            .extend(interior_point.cones.iter().map(|c| c.way < BOLD));
        for _ in 0..rings {
            if !self.spread(interior_point, scaled) {
                break;
            }
        }
        for (pace, chosen) in self.paces.iter_mut().zip(&self.chosen) {
            if *chosen {
                *pace = larger(PACES[0], *pace * factor);
            }
        }
    }

    /// Chooses the blocks that share a body with chosen ones, too: are there any more?
    fn spread(&mut self, interior_point: &InteriorPoint, scaled: &Scaled) -> bool {
        let ground = scaled.bodies;
        self.touched.clear();
        self.touched.resize(ground + 1, false);
        let bodies = |contact: usize| scaled.members[contact].bodies.map(|b| b as usize);
        for (cone, _) in
            (interior_point.cones.iter().zip(&self.chosen)).filter(|(_, chosen)| **chosen)
        {
            for body in bodies(cone.contact) {
                self.touched[body] = true;
            }
        }
        self.touched[ground] = false;
        let mut more = false;
        for (cone, chosen) in interior_point.cones.iter().zip(&mut self.chosen) {
            if !*chosen && bodies(cone.contact).iter().any(|b| self.touched[*b]) {
                (*chosen, more) = (true, true);
            }
        }
        more
    }

    /// Boosts the blocks whose slips moved not long ago.
    fn smooth(&mut self, interior_point: &mut InteriorPoint, m: f64) {
        for (k, cone) in interior_point.cones.iter_mut().enumerate() {
            if self.stays[k] < RECENT {
                let most = MOST / m;
                cone.boost = if BOOST < most {
                    BOOST
                } else {
                    larger(1.0, most)
                };
                self.paces[k] = 1.0;
            }
        }
    }
}
