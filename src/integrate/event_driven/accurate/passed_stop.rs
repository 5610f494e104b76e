//! Stops of sliding contacts in space that an extrapolated step passed (docs/METHOD.md, section 12.2).
//!
//! The time to a stop is predicted from the deceleration at the start of a step. Where that grows the stop comes earlier, and a step may end
//! beyond it although all its substeps have friction opposite to the old direction. Then the slip has turned back between two samples a and b:
//!
//! (1)  z_a.z_b < |z_a| |z_b| / 2:   passed, or turned too fast to tell
//! (2)  closest to zero at  t = t_a - (t_b - t_a) z_a.(z_b - z_a) / |z_b - z_a|^2
//!
//! The step is repeated with (2) as the time to the stop, which limits its length like a predicted one.

use super::locate::{Found, N_SAMPLES};
use crate::integrate::event_driven::{Run, rest_speed};
use crate::integrate::workspace::Workspace;
use crate::math::{Limit, Vec3, dot3, max_abs, norm};

/// Cosine of the angle in (1).
const TURNED: f64 = 0.5;

/// Slips on the dense output have a direction above this part of the largest one.
const LARGE: f64 = 0.3;

/// Sampled slips of all discs of the closed contacts, in world axes; zero where they do not slip.
pub(in crate::integrate) type SlipSamples = [Vec<Vec3>; N_SAMPLES + 1];

impl Workspace {
    /// Keeps the slips of the last evaluation as those of the `i`-th sample.
    pub(super) fn keep_slips(&mut self, i: usize) {
        self.slip_samples[i].clone_from(&self.slips);
    }
}

impl Run<'_> {
    /// A stop that a slip of the trial step passed up to its `last` sample.
    pub(super) fn passed_stop(&self, last: usize) -> Option<Found> {
        let samples = &self.workspace.slip_samples[..=last];
        let n = samples[0].len();
        if samples.iter().any(|slips| slips.len() != n) {
            return None;
        }
        let passed = (0..n).filter_map(|k| self.turned_back(k, last));
        passed.min_by(f64::total_cmp).map(Found::PassedStop)
    }

    // (1) and (2) for the disc `k`, between consecutive samples that are large enough to have a direction
    fn turned_back(&self, k: usize, last: usize) -> Option<f64> {
        let slip = |i: usize| self.workspace.slip_samples[i][k];
        let size = |i: usize| norm(slip(i).as_slice());
        let largest = (0..=last).fold(0.0, |m: f64, i| m.at_least(size(i)));
        // the ends of the step are known to the tolerance
        let (tolerance, fastest) = (self.settings.tolerance, max_abs(&self.state.velocity));
        let slow =
            rest_speed(&self.state.velocity).at_least(tolerance.unwrap_or(0.0) * (1.0 + fastest));
        let is_end = |i: usize| i == 0 || i == N_SAMPLES;
        let has_direction =
            |i: &usize| size(*i) > slow && (is_end(*i) || size(*i) > LARGE * largest);
        let mut known = (0..=last).filter(has_direction);
        let mut a = known.next()?;
        for b in known {
            let (aa, ab, bb) = (
                dot3(slip(a), slip(a)),
                dot3(slip(a), slip(b)),
                dot3(slip(b), slip(b)),
            );
            if ab < TURNED * (aa * bb).sqrt() {
                let part = ((aa - ab) / (aa - 2.0 * ab + bb)).clamp(0.0, 1.0);
                let start = self.sample_time(a);
                return Some(start + part * (self.sample_time(b) - start));
            }
            a = b;
        }
        None
    }
}
