//! Contact points whose friction at rest is above that of sliding.
//!
//! ```text
//! (1)  at rest at the start of a substep:  |r_b| <= mu_static r_n, while that holds;  then |r_b| = mu(u) r_n
//! (2)  sliding at the start:               |r_b| <= mu(u) r_n;  mu_static if it would come back
//! (3)  mu(u) = mu + (mu_static - mu) exp(-(u/us)^2),  u: mean of the slip at the start and at the end;   mu without us, and in impacts
//! ```
//!
//! Groups whose coefficients change are solved again.

use super::assemble::{along, contact};
use super::elements::{AT_BOUND, Mode};
use super::impact::SLOW;
use super::{Six, Step, Work};
use crate::contact::body_blocks::Row;
use crate::math::norm;
use crate::model::ContactMaterial;

/// Coefficients that change by less have converged.
const CONVERGED: f64 = 1e-8;

/// Such a contact point in the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticContact {
    /// Index of its constraint, and of its normal row.
    constraint: usize,
    pub normal: usize,
    material: ContactMaterial,
    mode: Mode,
    friction: f64,
    /// Velocity along its tangents per impulse.
    response: f64,
    /// Slip at the start, m/s.
    start: [f64; 2],
    /// Does it slide in the solution?
    pub slides: bool,
}

/// Slip of a contact point whose rows start here, m/s.
pub(super) fn slip(rows: &[Row], bodies: [u32; 2], velocities: &[Six]) -> [f64; 2] {
    [1, 2].map(|k| along(&rows[k], bodies, velocities) + rows[k].bias)
}

impl StaticContact {
    /// With the slip at the start, and whether it slid in the last step, if it was loaded then.
    pub fn new(
        material: &ContactMaterial,
        (constraint, normal): (usize, usize),
        (start, response): ([f64; 2], f64),
        slid: Option<bool>,
    ) -> Self {
        let slides = slid.unwrap_or(norm(&start) > SLOW);
        let mut contact = Self {
            constraint,
            normal,
            material: *material,
            mode: if slides { Mode::Slides } else { Mode::Holds },
            friction: 0.0,
            response,
            start,
            slides,
        };
        contact.friction = contact.wanted(start);
        contact
    }

    /// Its coefficient.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    // with this mean slip
    fn wanted(&self, mean: [f64; 2]) -> f64 {
        match self.mode {
            Mode::Holds => self.material.static_friction,
            Mode::Slides | Mode::Breaks => self.material.sliding_friction(norm(&mean)),
        }
    }

    // (1) to (3) after a solution with these impulses, slip at the end (at an instant: acceleration) and mean slip; true if the coefficient
    // changes
    fn revise(&mut self, impulse: &[f64], end: [f64; 2], mean: [f64; 2]) -> bool {
        let bound = self.friction * impulse[0];
        let stopping = [0, 1].map(|k| impulse[1 + k] - end[k] / self.response);
        let is_at_bound = norm(&stopping) >= bound * (1.0 - AT_BOUND);
        // redundant friction may be at its bound without motion
        self.slides = is_at_bound && norm(&end) > AT_BOUND * bound * self.response;
        if !self.slides || impulse[0] <= 0.0 {
            return false;
        }
        let old = self.friction;
        self.friction = self.wanted(mean);
        if (self.friction - old).abs() > CONVERGED * old {
            return true;
        }
        let comes_back = end[0] * self.start[0] + end[1] * self.start[1] < 0.0;
        let Some(next) = self.mode.next(comes_back) else {
            return false;
        };
        self.mode = next;
        self.friction = self.wanted(mean);
        (self.friction - old).abs() > CONVERGED * old
    }
}

impl Work {
    /// Revises the coefficients after a solution, and chooses the bodies of those that change; true if there are any. At an instant
    /// sliding velocities stay.
    pub(super) fn revise_static_contacts(&mut self, is_instant: bool) -> bool {
        let mut any = false;
        for own in &mut self.static_contacts {
            let bodies = self.constraints[own.constraint].bodies;
            let end = slip(&self.rows[own.normal..], bodies, &self.end);
            let (end, mean) = match is_instant {
                true if own.slides => (own.start, own.start),
                true => (end, own.start),
                false => (end, [0, 1].map(|k| 0.5 * (own.start[k] + end[k]))),
            };
            if !own.revise(&self.impulse[own.normal..own.normal + 3], end, mean) {
                continue;
            }
            let point = &self.points.list[own.constraint];
            self.constraints[own.constraint].contact = contact(point, own.friction);
            any = true;
            for i in point.bodies.into_iter().flatten() {
                if let Some(is_chosen) = self.is_chosen.get_mut(i) {
                    *is_chosen = true;
                }
            }
        }
        any
    }
}

impl Step<'_> {
    /// In impacts friction is that of sliding.
    pub(super) fn slide_in_impacts(&mut self) {
        let work = &mut self.workspace.time_stepping;
        for own in work.static_contacts.drain(..) {
            let point = &work.points.list[own.constraint];
            work.constraints[own.constraint].contact = contact(point, point.material.friction);
        }
    }
}
