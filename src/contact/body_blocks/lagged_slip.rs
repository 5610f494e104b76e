//! Interior-point method with lagged slips, for problems whose central path turns back.
//!
//! ```text
//! (1)  sum_b D_b^T y_b = (u_n + sum_b mu_b s_b, u_b)              (2) of `interior_point`, with a given slip s_b
//! (2)  s_b <- s_b + p/(1 + p) (|u_b| - s_b)                       p: rate of a block
//! (3)  y_b = m k_b x_b^-1,    m -> 0                              k_b >= 1: barrier factor of a block
//! ```
//!
//! With given slips the problem is convex: if some motion separates all contacts, it has a solution for every `m`,
//! however redundant the contacts are, and its velocities depend continuously on the slips. A solution of the contact
//! problem is a fixed point of the slips. (2) is an implicit Euler step of `ds/dt = |u_b| - s_b` towards it, combined
//! with one step of the interior-point method: explicit for small rates, Newton's method for large ones.
//!
//! If a step has to be cut short, the rates of the blocking cones are reduced; with each consecutive short step, also
//! those of the blocks around them, in growing neighbourhoods. Full steps increase all rates. `m` is reduced once all
//! slips are steady. Blocks whose slips keep oscillating are smoothed by a barrier factor.

use super::interior_point::InteriorPoint;
use super::scaled::Scaled;
use super::solver::{IslandTask, POLISHES, Solver};
use crate::math::larger;

/// Parameters of one run from the axes of all cones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Initial impulses, dimensionless.
    impulse: f64,
    /// Times `m`: slips that change by less are steady.
    steady: f64,
    /// Factor by which rates are reduced.
    rate_reduction: f64,
}

impl Start {
    pub const fn new(impulse: f64, steady: f64, rate_reduction: f64) -> Self {
        Self {
            impulse,
            steady,
            rate_reduction,
        }
    }
}

/// Factor by which rates increase.
const RATE_GROWTH: f64 = 1.3;

/// Bounds of the rates.
const RATES: [f64; 2] = [0.1, 1e3];

/// Step lengths below the first count as short, above the second as full.
const SHORT_STEP: f64 = 0.5;
const FULL_STEP: f64 = 0.9;

/// Reduction factors of `m`: usual, and once candidates are checked.
const REDUCTION: f64 = 0.3;
const LAST_REDUCTION: f64 = 0.1;

/// Candidates are checked from the first `m` to the second; residuals of contacts about to slip or open decrease like
/// sqrt(m).
const CHECKED_FROM: f64 = 1e-6;
const SMALLEST: f64 = 1e-24;

/// Changes of a slip below this are rounding errors.
const ROUNDING: f64 = 1e-14;

/// Steps with the same `m` before oscillating slips are smoothed, and the window in which they changed.
const STALL_STEPS: u32 = 300;
const RECENT: u32 = 30;

/// Barrier factor of smoothed blocks, and its upper bound times `m`.
const BARRIER_FACTOR: f64 = 100.0;
const MAX_BARRIER: f64 = 1.0;

/// Scratch, one entry per block.
#[derive(Debug, Default)]
pub(super) struct LaggedSlip {
    rates: Vec<f64>,
    /// Steps since the slip changed last.
    steady_steps: Vec<u32>,
    selected: Vec<bool>,
    /// One entry per body, and one for the ground.
    marked: Vec<bool>,
}

impl Solver {
    /// Runs from `start`, for at limit `iterations` iterations. Returns whether an answer was accepted; `x` receives the
    /// last iterate.
    pub(super) fn run_lagged_slip(
        &mut self,
        task: &mut IslandTask,
        x: &mut [f64],
        start: Start,
        iterations: u32,
    ) -> bool {
        let mut interior = std::mem::take(&mut self.interior);
        interior.clear();
        interior.resize(x.len(), 0.0);
        self.interior_point
            .start_at_axes(&self.scaled, &mut interior, start.impulse);
        self.lagged_slip.reset(self.interior_point.cones.len());
        let (mut m, mut n_steps, mut n_short, mut solved) = (start.impulse, 0, 0, false);
        let before = self.newton.iterations;
        while !solved && m > SMALLEST && self.newton.iterations - before < iterations {
            let Self {
                interior_point,
                newton,
                scaled,
                lagged_slip,
                ..
            } = self;
            lagged_slip.set_shares(interior_point);
            let part = interior_point.step_towards(newton, scaled, task.pattern, &mut interior, m);
            if part == 0.0 {
                break;
            }
            n_steps += 1;
            if part < SHORT_STEP {
                lagged_slip.reduce_rates(interior_point, scaled, n_short, start.rate_reduction);
                n_short += 1;
            } else {
                n_short = 0;
                let is_steady =
                    lagged_slip.relax(interior_point, larger(start.steady * m, ROUNDING));
                if part > FULL_STEP {
                    lagged_slip.increase_rates();
                    if is_steady {
                        m *= if m < CHECKED_FROM {
                            LAST_REDUCTION
                        } else {
                            REDUCTION
                        };
                        n_steps = 0;
                        if m < CHECKED_FROM {
                            x.copy_from_slice(&interior);
                            solved = self.check_answer(task, x) || self.polish(task, x, &POLISHES);
                        }
                        continue;
                    }
                }
            }
            if n_steps > STALL_STEPS {
                n_steps = 0;
                lagged_slip.smooth(interior_point, m);
            }
        }
        if !solved {
            x.copy_from_slice(&interior);
            self.scaled.clamp_to_cones(x);
        }
        self.interior = interior;
        solved
    }
}

impl LaggedSlip {
    fn reset(&mut self, blocks: usize) {
        self.rates.clear();
        self.rates.resize(blocks, 1.0);
        self.steady_steps.clear();
        self.steady_steps.resize(blocks, 0);
    }

    /// The share of the slips in (5) of `interior_point` lagged_slips from (2).
    fn set_shares(&self, interior_point: &mut InteriorPoint) {
        for (cone, rate) in interior_point.cones.iter_mut().zip(&self.rates) {
            cone.share = rate / (1.0 + rate);
        }
    }

    /// (2), and reduces barrier factors where slips are steady. Returns whether all slips are steady, without barrier
    /// factors.
    fn relax(&mut self, interior_point: &mut InteriorPoint, steady: f64) -> bool {
        let mut all_steady = true;
        for k in 0..interior_point.cones.len() {
            let slip = interior_point.slip(&interior_point.cones[k]);
            let cone = &mut interior_point.cones[k];
            let change = (slip - cone.slip).abs();
            cone.slip += cone.share * (slip - cone.slip);
            self.steady_steps[k] += 1;
            if change >= steady {
                self.steady_steps[k] = 0;
                all_steady = false;
            }
            if change < steady * cone.barrier_factor {
                cone.barrier_factor = larger(1.0, cone.barrier_factor * REDUCTION);
            }
            all_steady &= cone.barrier_factor == 1.0;
        }
        all_steady
    }

    fn increase_rates(&mut self) {
        for rate in &mut self.rates {
            *rate = if *rate * RATE_GROWTH < RATES[1] {
                *rate * RATE_GROWTH
            } else {
                RATES[1]
            };
        }
    }

    /// Reduces the rates of the blocking cones, and of those up to `rings` bodies away.
    fn reduce_rates(
        &mut self,
        interior_point: &InteriorPoint,
        scaled: &Scaled,
        rings: u32,
        factor: f64,
    ) {
        self.selected.clear();
        self.selected.extend(
            interior_point
                .cones
                .iter()
                .map(|c| c.step_to_boundary < SHORT_STEP),
        );
        for _ in 0..rings {
            if !self.spread(interior_point, scaled) {
                break;
            }
        }
        for (rate, selected) in self.rates.iter_mut().zip(&self.selected) {
            if *selected {
                *rate = larger(RATES[0], *rate * factor);
            }
        }
    }

    /// Also selects the blocks that share a body with selected ones. Returns whether there were any.
    fn spread(&mut self, interior_point: &InteriorPoint, scaled: &Scaled) -> bool {
        let ground = scaled.bodies;
        self.marked.clear();
        self.marked.resize(ground + 1, false);
        let bodies = |contact: usize| scaled.members[contact].bodies.map(|b| b as usize);
        for (cone, _) in
            (interior_point.cones.iter().zip(&self.selected)).filter(|(_, selected)| **selected)
        {
            for body in bodies(cone.contact) {
                self.marked[body] = true;
            }
        }
        self.marked[ground] = false;
        let mut more = false;
        for (cone, selected) in interior_point.cones.iter().zip(&mut self.selected) {
            if !*selected && bodies(cone.contact).iter().any(|b| self.marked[*b]) {
                (*selected, more) = (true, true);
            }
        }
        more
    }

    /// Sets the barrier factor of blocks whose slips changed recently.
    fn smooth(&mut self, interior_point: &mut InteriorPoint, m: f64) {
        for (k, cone) in interior_point.cones.iter_mut().enumerate() {
            if self.steady_steps[k] < RECENT {
                let limit = MAX_BARRIER / m;
                cone.barrier_factor = if BARRIER_FACTOR < limit {
                    BARRIER_FACTOR
                } else {
                    larger(1.0, limit)
                };
                self.rates[k] = 1.0;
            }
        }
    }
}
