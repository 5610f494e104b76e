//! Energy limiter (6), (7): which energy errors are corrected, and the correction of velocities.

use super::{Balance, Group, Losses, n_linear};
use crate::dynamics::kinetic_energy;
use crate::integrate::event_driven::trial::Trial;
use crate::integrate::workspace::Workspace;
use crate::math::{Limit, positive};
use crate::model::Model;
use crate::scene::spec::{Scheme, Settings};
use crate::state::{State, Status, closed};

/// Errors below this part of the exchanged energy are corrected; gains above it request a shorter step.
const SMALL: f64 = 0.01;

/// .. and so do gains above this part of the kinetic energy.
const MAX_TAKEN: f64 = 0.1;

/// Part of the kinetic energy that counts as exchanged: steady rotation exchanges none.
const FLOOR: f64 = 0.01;

/// At most this part of the velocity change of a step is taken back.
const MOST_TAKEN_BACK: f64 = 0.1;

/// Errors below this part of the energies are rounding.
const ROUNDING: f64 = 1e-15;

/// .. and gains below this part of them are ignored if there is no kinetic energy to take them from: positions are projected to rounding.
pub(super) const NOISE: f64 = 1e-12;

/// A group with less kinetic energy than this part of the energies is at rest.
const AT_REST: f64 = 1e-6;

/// Energy error of a group in a step, and its correction.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::integrate) struct EnergyError {
    /// (5), J.
    pub error: f64,
    /// Energy to remove from the kinetic energy, negative to add, J.
    pub taken: f64,
    /// Does the gain request a shorter step?
    pub is_inaccurate: bool,
    /// Does the loss?
    pub is_lossy: bool,
}

impl Group {
    /// Velocity of the centre of mass at one end of the step; zero for a group connected to the ground.
    pub fn velocity(&self, end: usize) -> [f64; 3] {
        if self.is_tied {
            return [0.0; 3];
        }
        self.momentum[end].map(|p| p / self.mass)
    }

    /// Is an error rounding, in a group that is at rest up to rounding?
    pub fn is_at_rest(&self, error: f64) -> bool {
        error.abs() <= NOISE * self.scale && self.kinetic[1] <= AT_REST * self.scale
    }

    /// (5), (7), and the correction (6); none if that would be rounding.
    pub fn check(&self, damps: bool) -> Option<EnergyError> {
        let error = self.gained + self.raised - self.applied + self.damping + self.contacts;
        if self.is_driven || error.abs() <= ROUNDING * self.scale {
            return None;
        }
        let [t0, t1] = self.kinetic;
        let moved = 0.5 * (self.gained.abs() + self.moved + self.damping + self.contacts)
            + FLOOR * t0.at_most(t1);
        let is_small = error.abs() <= SMALL * moved && error.abs() <= MAX_TAKEN * t1;
        let is_large = !is_small && error.abs() > NOISE * self.scale;
        let is_corrected = (error > 0.0 || (is_small && !damps)) && t1 > 0.0;
        Some(EnergyError {
            error,
            taken: if is_corrected { error.at_most(t1) } else { 0.0 },
            is_inaccurate: is_large && error > 0.0,
            is_lossy: is_large && error < 0.0 && !damps,
        })
    }
}

/// Is the energy of steps corrected with these settings? First-order schemes are kept as they are, for comparison.
pub(in crate::integrate::event_driven) fn is_corrected(settings: &Settings) -> bool {
    let has_order_two = match settings.scheme {
        Scheme::Trapezoidal
        | Scheme::TrapezoidalPrinted
        | Scheme::TrapezoidalAverage
        | Scheme::Extrapolated => true,
        Scheme::General { alpha, gamma } => alpha == 0.5 && gamma == 0.5,
        Scheme::ImplicitEuler | Scheme::ExplicitEuler | Scheme::PositionEuler => false,
    };
    has_order_two && settings.projection && settings.energy_correction
}

// (5), (6), (7) of bodies in free flight: their centres of mass move without an energy error, and so does a body in the plane
pub(super) fn limit_flight(model: &Model, state: &State, trial: &mut Trial) {
    trial.losses = Losses::default();
    trial.is_inaccurate = false;
    trial.is_lossy = false;
    trial.reverses = false;
    for i in model.rotations() {
        let (mut t0, mut t1, mut error, mut scale) = (0.0, 0.0, 0.0, 0.0);
        for at in i..i + 3 {
            let (m, v0, v1) = (model.mass[at], state.velocity[at], trial.velocity[at]);
            t0 += 0.5 * m * v0 * v0;
            t1 += 0.5 * m * v1 * v1;
            error += 0.5 * m * (v1 - v0) * (v0 + v1);
        }
        for (k, at) in (i - 3..i).enumerate() {
            let (m, v0, v1) = (model.mass[at], state.velocity[at], trial.velocity[at]);
            scale += (m * model.gravity[k]).abs() * (1.0 + trial.position[at].abs());
            scale += 0.5 * m * (v0 * v0 + v1 * v1);
        }
        scale += t0 + t1;
        let rotation = Group {
            kinetic: [t0, t1],
            gained: error,
            scale,
            ..Group::default()
        };
        let Some(energy_error) = rotation.check(false) else {
            continue;
        };
        trial.is_inaccurate |= energy_error.is_inaccurate;
        trial.is_lossy |= energy_error.is_lossy;
        if energy_error.taken != 0.0 {
            let factor = positive(1.0 - energy_error.taken / t1).sqrt();
            trial.velocity[i..i + 3]
                .iter_mut()
                .for_each(|v| *v *= factor);
        }
        trial.losses.numerical += error - energy_error.taken;
    }
}

/// Scales velocities about the centres of mass of free groups so that their kinetic energy decreases by `raised`, as far as available.
pub(in crate::integrate::event_driven) fn remove_gain(
    model: &Model,
    workspace: &mut Workspace,
    statuses: &[Status],
    raised: f64,
    v: &mut [f64],
) {
    let closed = closed(statuses);
    let Workspace { balance, .. } = workspace;
    balance.find_groups(model, closed);
    balance.add_momenta(model, [v, v]);
    let kinetic = balance.relative_energy(model, v);
    if raised < kinetic {
        let factor = (1.0 - raised / kinetic).sqrt();
        balance.groups.iter_mut().for_each(|of| of.factor = factor);
        balance.scale(model, v);
    }
}

impl Balance {
    // (5), (6), (7)
    pub(super) fn limit(&mut self, model: &Model, start: &[f64], trial: &mut Trial, correct: bool) {
        trial.is_inaccurate = false;
        trial.is_lossy = false;
        trial.reverses = false;
        let damps = self.weights.alpha >= 1.0;
        let mut scaled = false;
        for of in self.groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.factor = 1.0;
            let Some(energy_error) = of.check(damps).filter(|_| correct) else {
                continue;
            };
            if of.stops {
                // such a step is repeated up to the stop, which must be detected; friction cannot have dissipated more than there was
                trial.reverses = true;
                if of.gained + of.raised <= 0.0 {
                    let most = of.contacts.at_most(trial.losses.friction);
                    trial.losses.friction -= positive(energy_error.error).at_most(most);
                }
                continue;
            }
            trial.is_inaccurate |= energy_error.is_inaccurate;
            trial.is_lossy |= energy_error.is_lossy;
            if energy_error.taken != 0.0 {
                if of.is_held {
                    of.factor = positive(1.0 - energy_error.taken / of.kinetic[1]).sqrt();
                } else {
                    of.taken = energy_error.taken;
                }
                scaled = true;
            }
            // dampers cannot have dissipated more than there was
            trial.losses.damping -=
                positive(energy_error.error - energy_error.taken).at_most(of.damping);
        }
        if scaled {
            self.scale(model, &mut trial.velocity);
            self.take_back(model, start, trial);
        }
    }

    // groups on which only compliant contacts act keep the momentum that these do not change
    fn take_back(&mut self, model: &Model, start: &[f64], trial: &mut Trial) {
        for g in 0..self.groups.len() {
            let taken = self.groups[g].taken;
            if taken == 0.0 {
                continue;
            }
            let bodies = model.bodies.iter().zip(&self.group);
            let of_group = bodies.filter(|(_, of)| **of == g).map(|(body, _)| body);
            let coordinates = of_group.flat_map(|body| body.first..body.first + body.n_dof);
            let (mut a, mut b) = (0.0, 0.0);
            for i in coordinates.clone() {
                let change = trial.velocity[i] - start[i];
                a += 0.5 * model.mass[i] * change * change;
                b += model.mass[i] * change * trial.velocity[i];
            }
            // kinetic energy less b s - a s^2
            let root = positive(b * b - 4.0 * a * taken).sqrt();
            let part = 2.0 * taken / (b + root.copysign(b));
            // where there is little power the error stays: its sign changes soon
            if part.abs() <= MOST_TAKEN_BACK {
                for i in coordinates {
                    trial.velocity[i] -= part * (trial.velocity[i] - start[i]);
                }
            }
        }
    }

    /// (6) after a reversal, in a step that is accepted nevertheless: removes its gain.
    pub fn correct_reversed(&mut self, model: &Model, trial: &mut Trial) {
        trial.reverses = false;
        let damps = self.weights.alpha >= 1.0;
        for of in self.groups.iter_mut().filter(|of| of.mass > 0.0) {
            of.factor = 1.0;
            let turned = std::mem::take(&mut of.stops) && of.gained + of.raised > 0.0;
            let taken = of
                .check(damps)
                .map_or(0.0, |energy_error| energy_error.taken);
            if turned && taken > 0.0 {
                of.factor = positive(1.0 - taken / of.kinetic[1]).sqrt();
                trial.losses.numerical -= taken;
            }
        }
        self.scale(model, &mut trial.velocity);
    }

    // (6)
    pub(super) fn scale(&self, model: &Model, v: &mut [f64]) {
        let n_linear = n_linear(model);
        for (body, g) in model.bodies.iter().zip(&self.group) {
            let of = &self.groups[*g];
            if of.factor == 1.0 {
                continue;
            }
            let u = of.velocity(1);
            for k in 0..body.n_dof {
                let v = &mut v[body.first + k];
                let u = if k < n_linear { u[k] } else { 0.0 };
                *v = u + of.factor * (*v - u);
            }
        }
    }
}

/// Impact energy limiter: if velocities `v` after an impact have more kinetic energy than `most`, they are interpolated towards those after
/// compression, which never gains any, until they have not: the kinetic energy along `vc + s (v - vc)` is a parabola in `s`, and all
/// conditions of the impact are convex along that line. Returns `s` if it was needed.
pub(in crate::integrate::event_driven) fn limit_impact(
    model: &Model,
    compressed: &[f64],
    most: f64,
    v: &mut [f64],
) -> Option<f64> {
    if kinetic_energy(model, v) <= most * (1.0 + 1e-12) {
        return None;
    }
    let (mut a, mut b) = (0.0, 0.0);
    for ((m, vc), v) in model.mass.iter().zip(compressed).zip(v.iter()) {
        let d = v - vc;
        a += 0.5 * m * d * d;
        b += m * vc * d;
    }
    let c = kinetic_energy(model, compressed) - most;
    let s = if c >= 0.0 || a == 0.0 {
        0.0
    } else {
        ((-b + positive(b * b - 4.0 * a * c).sqrt()) / (2.0 * a)).clamp(0.0, 1.0)
    };
    for (v, vc) in v.iter_mut().zip(compressed) {
        *v = vc + s * (*v - vc);
    }
    Some(s)
}
