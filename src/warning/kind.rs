//! Warning kinds and their thresholds.

use super::Scale;
use crate::integrate::Report;
use crate::math::Limit;
use crate::scene::spec::Settings;

/// Energy added by integration errors, and the unexplained part of the balance, relative to the energy in play.
const GAIN: f64 = 1e-4;
/// Energy removed by integration errors, relative to the energy in play.
const LOSS: f64 = 1e-2;
/// Relative accuracy of energy differences: rounding over many steps.
const ROUNDING: f64 = 1e-9;
/// Absolute floor of energy differences, J: residual motion in a scene without weights to compare with.
const ABSOLUTE_FLOOR: f64 = 1e-15;
/// Floor relative to the work of lifting every body by its size: in the first steps of a motion hardly any energy is in play.
const LIFT_FLOOR: f64 = 1e-6;
/// Number of first steps, with a fixed step, in which energy differences are not reported.
const FIRST_STEPS: u64 = 10;
/// m or rad.
const DRIFT: f64 = 1e-8;
/// m.
const OVERLAP: f64 = 1e-6;
/// Residuals above this are not rounding.
const RESIDUAL: f64 = 1e-6;
/// Truncated Gauss-Seidel leaves residuals by design; mass ratios above this are too large for it ..
const MASS_RATIO: f64 = 1e3;
/// .. if its residual exceeds this.
const HEAVY_ON_LIGHT_RESIDUAL: f64 = 1e-2;
/// Constraint systems with a larger condition number may be inaccurate; heavy bodies rest on light ones up to here.
const CONDITION: f64 = 6e12;
/// Fewer jumps of prescribed speeds are meant.
const SPEED_JUMPS: u64 = 10;
/// Position stabilization is reported if its work against gravity exceeds this part of the energy lost by the run plus the work of lifting
/// every body by its size.
const LIFTED: f64 = 0.05;
/// Complementarity steps are normal where many contacts change at once: they are reported from this number on ..
const MIN_COMPLEMENTARITY_STEPS: u64 = 10;
/// .. if more than one substep in this many is one.
const SUBSTEPS_PER_COMPLEMENTARITY_STEP: u64 = 100;

/// Defines the kinds from one list: name, machine-readable name, and what the warning is about.
macro_rules! kinds {
    ($($kind:ident = $name:literal: $text:literal;)+) => {
        /// What a warning is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = $text] $kind,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// Machine-readable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

kinds! {
    EnergyGain = "energy_gain": "Integration errors added energy to the motion, J.";
    NumericalLoss = "numerical_loss": "Integration errors removed energy from the motion, J.";
    EnergyBalance = "energy_balance": "The energy balance does not close, J; positive where energy appeared.";
    JointDrift = "joint_drift": "Joints drifted apart, m or rad.";
    Overlap = "overlap": "Shapes penetrated each other, m.";
    UnlocatedCollisions = "unlocated_collisions": "The same where collisions are not located, m.";
    ContactResidual = "contact_residual": "Relative residual of a contact problem.";
    HeavyOnLight = "heavy_on_light": "The same with `sweeps` and a large mass ratio; the mass ratio.";
    IllConditioned = "ill_conditioned": "Masses of connected bodies differ too much: condition number of the constraints.";
    LiftedBodies = "lifted_bodies": "Position stabilization lifted bodies, J.";
    ComplementaritySteps = "complementarity_steps": "Substeps solved as a complementarity problem because statuses could not be decided.";
    UnresolvedSteps = "unresolved_steps": ".. because stick-slip statuses did not converge.";
    FirstOrderSteps = "first_order_steps": "Steps that ended with a first-order step.";
    ExhaustedSteps = "exhausted_steps": "Steps that used up `max_step_work`.";
    FallbackSteps = "fallback_steps": "Steps under a tolerance that were taken by the fixed-step scheme.";
    TransitionError = "transition_error": "Stick-slip transitions that met the tolerance with no step length; estimated relative error.";
    LimitedImpacts = "limited_impacts": "Impacts limited because they would have gained energy.";
    SmoothedFriction = "smoothed_friction": "The step is too long for smoothed joint friction; by which factor.";
    SpeedJumps = "speed_jumps": "Prescribed speeds that jump again and again, as held inputs do.";
    UnlistedEvents = "unlisted_events": "Events that are counted but not listed.";
}

impl Kind {
    /// Size, and the value it is compared with, if it exceeds its threshold.
    #[inline]
    pub(super) fn size(self, measures: &Measures) -> Option<(f64, f64)> {
        let Measures { report, net, .. } = *measures;
        let residual = report.worst_residual.at_least(report.instant_residual);
        match self {
            Self::EnergyGain => measures.above_part(net.at_least(report.play.rise), GAIN),
            Self::NumericalLoss => measures.lost(),
            Self::EnergyBalance => measures.above_part(measures.unexplained, GAIN),
            Self::JointDrift => {
                let drift = report.worst_joint_drift;
                (drift > DRIFT).then_some((drift, DRIFT))
            }
            Self::Overlap => measures.overlap().filter(|_| measures.is_located),
            Self::UnlocatedCollisions => measures.overlap().filter(|_| !measures.is_located),
            Self::ContactResidual => {
                let bounded = f64::from(u8::from(measures.scale.sweeps));
                (residual > RESIDUAL && !measures.is_heavy_on_light).then_some((residual, bounded))
            }
            Self::HeavyOnLight => measures
                .is_heavy_on_light
                .then_some((measures.scale.mass_ratio, residual)),
            Self::IllConditioned => {
                let condition = report.worst_condition;
                (condition > CONDITION).then_some((condition, CONDITION))
            }
            Self::LiftedBodies => measures.lifted(),
            Self::ComplementaritySteps => {
                let n = report.complementarity_steps;
                let is_many = n >= MIN_COMPLEMENTARITY_STEPS
                    && n > report.substeps / SUBSTEPS_PER_COMPLEMENTARITY_STEP;
                measures.counted(n).filter(|_| is_many)
            }
            Self::UnresolvedSteps => measures.counted(report.unresolved_steps),
            Self::FirstOrderSteps => measures.counted(report.first_order_steps),
            Self::ExhaustedSteps => measures.counted(report.exhausted_steps),
            Self::FallbackSteps => measures.counted(report.fallback_steps),
            Self::TransitionError => {
                let n = report.transition_errors;
                (n > 0).then_some((report.transition_error, n as f64))
            }
            Self::LimitedImpacts => measures.counted(report.limited_impacts),
            Self::SmoothedFriction => {
                let rate = report.friction_rate;
                (rate > 0.0).then(|| (rate * measures.step, 1.0 / rate))
            }
            Self::SpeedJumps => measures
                .counted(report.speed_jumps)
                .filter(|_| report.speed_jumps >= SPEED_JUMPS),
            Self::UnlistedEvents => measures.counted(report.unlisted_events),
        }
    }
}

/// Inputs of the sizes, computed once per check.
pub(super) struct Measures<'a> {
    scale: &'a Scale,
    report: &'a Report,
    /// s.
    step: f64,
    /// Net energy added by integration errors, J.
    net: f64,
    in_play: f64,
    /// Smaller energy differences are ignored, J.
    floor: f64,
    unexplained: f64,
    /// Too early to compare energies?
    is_too_early: bool,
    is_heavy_on_light: bool,
    /// Are collisions located?
    is_located: bool,
}

impl<'a> Measures<'a> {
    pub(super) fn new(scale: &'a Scale, settings: &Settings, report: &'a Report) -> Self {
        let play = &report.play;
        let sizes = play.start_energy.abs() + play.energy.abs() + play.kinetic_swing;
        Self {
            scale,
            report,
            step: settings.step,
            net: report.numerical_gain - report.numerical_loss,
            in_play: report.energy_in_play(),
            floor: ROUNDING * sizes + LIFT_FLOOR * scale.lift + ABSOLUTE_FLOOR,
            unexplained: report.balance_error(),
            is_too_early: settings.tolerance.is_none() && report.steps < FIRST_STEPS,
            is_heavy_on_light: scale.sweeps
                && scale.mass_ratio > MASS_RATIO
                && report.worst_residual > HEAVY_ON_LIGHT_RESIDUAL,
            is_located: scale.is_time_stepping || settings.locate_collisions,
        }
    }

    /// Could any kind exceed its threshold? Most steps end here.
    pub(super) fn any_above_threshold(&self) -> bool {
        let report = self.report;
        let counts = report.complementarity_steps
            | report.unresolved_steps
            | report.first_order_steps
            | report.exhausted_steps
            | report.fallback_steps
            | report.transition_errors
            | report.limited_impacts
            | report.speed_jumps
            | report.unlisted_events;
        let energy = self.net.abs() + report.play.rise + self.unexplained.abs();
        counts > 0
            || report.worst_joint_drift > DRIFT
            || report.worst_penetration > OVERLAP
            || report.worst_residual.at_least(report.instant_residual) > RESIDUAL
            || report.worst_condition > CONDITION
            || report.lifted > 0.0
            || report.friction_rate > 0.0
            || self.above_part(energy, GAIN).is_some()
            || self.lost().is_some()
    }

    // an energy above a part of the energy in play
    fn above_part(&self, energy: f64, part: f64) -> Option<(f64, f64)> {
        let is_above = energy.abs() > part * self.in_play + self.floor;
        (is_above && !self.is_too_early).then_some((energy, self.in_play))
    }

    // energy removed by integration errors, above its threshold
    fn lost(&self) -> Option<(f64, f64)> {
        let (lost, to_lose) = (-self.net, self.report.energy_to_lose());
        let is_above = lost > LOSS * to_lose + self.floor;
        (is_above && !self.is_too_early).then_some((lost, to_lose))
    }

    fn counted(&self, n: u64) -> Option<(f64, f64)> {
        (n > 0).then_some((n as f64, self.report.substeps as f64))
    }

    fn overlap(&self) -> Option<(f64, f64)> {
        let depth = self.report.worst_penetration;
        (depth > OVERLAP).then_some((depth, OVERLAP))
    }

    fn lifted(&self) -> Option<(f64, f64)> {
        let lifted = self.report.lifted;
        if lifted <= 0.0 {
            return None;
        }
        let lost = (self.report.losses() + lifted).at_least(0.0);
        (lifted > LIFTED * (lost + self.scale.lift)).then_some((lifted, lost))
    }
}
