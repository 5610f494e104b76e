//! Stribeck friction in a step with fixed statuses.
//!
//! The coefficient is that of the mean velocity of the step, like its direction d (`sliding`), and found by the same iteration. Linearized
//! about the speed s of the last iteration:
//!
//! (4)  c_t = -mu(s) c_n d + c_d d,   c_d = -mu'(s) c_n (d.w - s),   w = T (v + dv/2)

use super::System;
use super::fixed_mode::Unknown;
use crate::math::{Limit, norm};
use crate::model::{Model, N_TANGENTS, Stribeck};
use crate::state::Status;

/// A feedback of the coefficient on the mean speed weaker than this, relative, needs no unknown of its own.
const WEAK: f64 = 1e-10;

impl System {
    /// Sets the friction coefficients of the contacts from the model; Stribeck friction has its static value.
    pub fn take_friction(&mut self, model: &Model) {
        let contacts = || self.contacts.iter().map(|&j| &model.contacts[j]);
        self.friction.clear();
        self.friction.extend(contacts().map(|c| c.friction));
        self.stribeck.clear();
        self.falling.clear();
        if model.has_stribeck_friction {
            self.stribeck.extend(contacts().map(|c| c.stribeck()));
            self.reset_stribeck();
        }
    }

    /// The Stribeck curve of the `i`-th contact, if it has one.
    pub fn stribeck_of(&self, i: usize) -> Option<Stribeck> {
        self.stribeck.get(i).copied().flatten()
    }

    /// Resets Stribeck friction to its static value.
    pub fn reset_stribeck(&mut self) {
        for (mu, stribeck) in self.friction.iter_mut().zip(&self.stribeck) {
            if let Some(stribeck) = stribeck {
                *mu = stribeck.at_rest;
            }
        }
    }

    /// Sets Stribeck friction to its value at velocities `v`, for contacts of the model for which `slides` is true.
    pub fn slide_at(&mut self, v: &[f64], slides: impl Fn(usize) -> bool) {
        self.falling.clear();
        if self.stribeck.is_empty() {
            return;
        }
        for (i, &contact) in self.contacts.iter().enumerate() {
            if let Some(stribeck) = self.stribeck[i]
                && slides(contact)
            {
                let mut speed = [0.0; N_TANGENTS];
                for (u, row) in speed.iter_mut().zip(self.tangent_rows(i)) {
                    *u = self.rows[row].dot(v);
                }
                self.friction[i] = stribeck.at(norm(&speed)).0;
            }
        }
        self.falling.resize(self.contacts.len(), [0.0; 2]);
    }

    /// Does a sliding contact have Stribeck friction?
    pub(super) fn any_stribeck(&self, status: impl Fn(usize) -> Status) -> bool {
        let mut curves = self.stribeck.iter().zip(&self.contacts);
        curves.any(|(stribeck, contact)| stribeck.is_some() && status(*contact).slides())
    }

    // rows of the tangents of a contact, and its sliding direction along them
    fn along(&self, i: usize, status: Status) -> Option<([usize; N_TANGENTS], [f64; N_TANGENTS])> {
        let first = self.normal(i) + 1;
        match status {
            Status::Open | Status::Frictionless | Status::Stick => None,
            Status::SlipForward | Status::SlipBackward => {
                Some(([first; N_TANGENTS], [status.slip_sign(), 0.0]))
            }
            Status::Slip => Some(([first, first + 1], self.direction[i])),
        }
    }

    /// Updates the coefficient of the `i`-th contact at the mean velocity along its direction (4); returns the relative change.
    pub(super) fn update_stribeck(&mut self, i: usize, status: Status) -> f64 {
        let (Some(stribeck), Some((rows, d))) = (self.stribeck_of(i), self.along(i, status)) else {
            return 0.0;
        };
        let (mut speed, mut yields) = (0.0, 0.0);
        for ((row, d), start) in rows.into_iter().zip(d).zip(self.start_speed[i]) {
            speed += d * (start + 0.5 * (self.bias[row] - self.sigma * start + self.gained(row)));
            yields += 0.5 * d * d * self.rows[row].inverse_effective_mass(&self.mass);
        }
        let (mu, slope) = stribeck.at(speed);
        let falls = slope * self.impulse[self.normal(i)].at_least(0.0);
        self.falling[i] = if (falls * yields).abs() > WEAK {
            [falls, speed]
        } else {
            [0.0; 2]
        };
        let old = std::mem::replace(&mut self.friction[i], mu);
        (mu - old).abs() / stribeck.at_rest.at_least(f64::MIN_POSITIVE)
    }

    /// The unknown c_d of (4).
    pub(super) fn stribeck_unknown(&self, i: usize, status: Status) -> Option<Unknown> {
        let [falls, speed] = self
            .falling
            .get(i)
            .copied()
            .filter(|[falls, _]| *falls != 0.0)?;
        let (rows, d) = self.along(i, status)?;
        let start = self.start_speed[i];
        let along = d[0] * start[0] + d[1] * start[1];
        Some(Unknown::Across {
            rows,
            weights: d,
            yields: 2.0 / falls,
            given: 2.0 * speed + (self.sigma - 2.0) * along,
        })
    }
}
