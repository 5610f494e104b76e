//! The kinds of warnings, and from when on each of them matters.

use super::Scale;
use crate::math::Limit;
use crate::scene::format::Settings;
use crate::step::Report;

/// Energy that errors of steps bring, and what the balance leaves unexplained, as parts of the energy in play.
const GAIN: f64 = 1e-4;
/// Energy that errors of steps take.
const LOSS: f64 = 1e-2;
/// Differences of energies are not known better than this part of them: rounding over many steps.
const ROUNDING: f64 = 1e-9;
/// .. nor does less matter than this, J: what is left of a motion that ended, without weights to compare it with.
const NOTHING: f64 = 1e-15;
/// .. nor less than this part of the work to lift all bodies by their size: the first steps of a motion, in
/// which hardly any energy is in play.
const LEAST: f64 = 1e-6;
/// .. of which there are this many with fixed steps.
const FIRST_STEPS: u64 = 10;
/// m or rad.
const DRIFT: f64 = 1e-8;
/// m.
const OVERLAP: f64 = 1e-6;
/// A residual above this is not rounding.
const RESIDUAL: f64 = 1e-6;
/// Bounded effort is meant to leave residuals; masses that differ by more than this it does not cope with ..
const MASS_RATIO: f64 = 1e3;
/// .. if its residual says so.
const SQUEEZED: f64 = 1e-2;
/// Systems of constraints with a larger condition may go wrong: heavy bodies on light ones rest up to here.
const CONDITION: f64 = 6e12;
/// Corrections of places are not small if they do more work against gravity than this part of what the run lost and of
/// what it takes to lift all bodies by their size.
const LIFTED: f64 = 0.05;
/// Fallback steps are usual where many contacts change at once: they are told where there are this many ..
const FALLBACKS: u64 = 10;
/// .. and more than one substep in so many is one.
const ONE_IN: u64 = 100;

/// What can be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Errors of steps brought energy into the motion, J.
    EnergyGain,
    /// They took energy out of it, J.
    NumericalLoss,
    /// The energy balance does not close, J; positive where energy came from nowhere.
    EnergyBalance,
    /// Joints came apart, m or rad.
    JointDrift,
    /// Shapes overlapped, m.
    Overlap,
    /// The same where collisions are not located, m.
    UnlocatedCollisions,
    /// A contact problem was not solved well, relative.
    ContactResidual,
    /// The same with bounded effort where bodies are much heavier than others; how many times.
    HeavyOnLight,
    /// Masses that press or pull on each other differ too much: condition of the constraints.
    IllConditioned,
    /// Corrections of places lifted bodies, J.
    LiftedBodies,
    /// Substeps that were solved as a complementarity problem for want of statuses.
    FallbackSteps,
    /// .. because statuses followed each other without end.
    UnresolvedSteps,
    /// Steps that ended in the first-order step.
    DegradedSteps,
    /// Steps that took all the work that they are allowed.
    ExhaustedSteps,
    /// Steps by tolerance that were left to the scheme of fixed steps.
    ReliefSteps,
    /// Transitions of stick and slip that no step was short enough for; by how much the result may be off, relative.
    TransitionError,
    /// Impacts that would have gained energy.
    GuardedImpacts,
    /// Smoothed friction in joints that the step is too long for; how many times.
    SmoothedFriction,
    /// Events that are counted and not listed.
    UnlistedEvents,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::EnergyGain,
        Self::NumericalLoss,
        Self::EnergyBalance,
        Self::JointDrift,
        Self::Overlap,
        Self::UnlocatedCollisions,
        Self::ContactResidual,
        Self::HeavyOnLight,
        Self::IllConditioned,
        Self::LiftedBodies,
        Self::FallbackSteps,
        Self::UnresolvedSteps,
        Self::DegradedSteps,
        Self::ExhaustedSteps,
        Self::ReliefSteps,
        Self::TransitionError,
        Self::GuardedImpacts,
        Self::SmoothedFriction,
        Self::UnlistedEvents,
    ];

    /// Name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::EnergyGain => "energy_gain",
            Self::NumericalLoss => "numerical_loss",
            Self::EnergyBalance => "energy_balance",
            Self::JointDrift => "joint_drift",
            Self::Overlap => "overlap",
            Self::UnlocatedCollisions => "unlocated_collisions",
            Self::ContactResidual => "contact_residual",
            Self::HeavyOnLight => "heavy_on_light",
            Self::IllConditioned => "ill_conditioned",
            Self::LiftedBodies => "lifted_bodies",
            Self::FallbackSteps => "fallback_steps",
            Self::UnresolvedSteps => "unresolved_steps",
            Self::DegradedSteps => "degraded_steps",
            Self::ExhaustedSteps => "exhausted_steps",
            Self::ReliefSteps => "relief_steps",
            Self::TransitionError => "transition_error",
            Self::GuardedImpacts => "guarded_impacts",
            Self::SmoothedFriction => "smoothed_friction",
            Self::UnlistedEvents => "unlisted_events",
        }
    }

    /// Its size and what that is to be seen beside, where it matters.
    #[inline]
    pub(super) fn size(self, facts: &Facts) -> Option<(f64, f64)> {
        let Facts { report, net, .. } = *facts;
        let residual = report.worst_residual.at_least(report.instant_residual);
        match self {
            Self::EnergyGain => facts.much(net.at_least(report.play.rise), GAIN),
            Self::NumericalLoss => facts.lost(),
            Self::EnergyBalance => facts.much(facts.unexplained, GAIN),
            Self::JointDrift => {
                let drift = report.worst_joint_drift;
                (drift > DRIFT).then_some((drift, DRIFT))
            }
            Self::Overlap => facts.overlap().filter(|_| facts.is_located),
            Self::UnlocatedCollisions => facts.overlap().filter(|_| !facts.is_located),
            Self::ContactResidual => {
                let bounded = f64::from(u8::from(facts.scale.sweeps));
                (residual > RESIDUAL && !facts.is_squeezed).then_some((residual, bounded))
            }
            Self::HeavyOnLight => facts
                .is_squeezed
                .then_some((facts.scale.mass_ratio, residual)),
            Self::IllConditioned => {
                let condition = report.worst_condition;
                (condition > CONDITION).then_some((condition, CONDITION))
            }
            Self::LiftedBodies => facts.lifted(),
            Self::FallbackSteps => {
                let n = report.fallbacks;
                let many = n >= FALLBACKS && n > report.substeps / ONE_IN;
                facts.some(n).filter(|_| many)
            }
            Self::UnresolvedSteps => facts.some(report.unresolved_steps),
            Self::DegradedSteps => facts.some(report.degraded_steps),
            Self::ExhaustedSteps => facts.some(report.exhausted_steps),
            Self::ReliefSteps => facts.some(report.relief_steps),
            Self::TransitionError => {
                let n = report.transition_errors;
                (n > 0).then_some((report.transition_error, n as f64))
            }
            Self::GuardedImpacts => facts.some(report.guarded_impacts),
            Self::SmoothedFriction => {
                let rate = report.friction_rate;
                (rate > 0.0).then(|| (rate * facts.step, 1.0 / rate))
            }
            Self::UnlistedEvents => facts.some(report.unlisted_events),
        }
    }
}

/// What the sizes are made of, computed once a look.
pub(super) struct Facts<'a> {
    scale: &'a Scale,
    report: &'a Report,
    /// s.
    step: f64,
    /// Energy that errors of steps gave, J; negative where they took it.
    net: f64,
    in_play: f64,
    /// Differences of energies below this do not matter, J.
    least: f64,
    unexplained: f64,
    /// Is that too early to say?
    is_young: bool,
    is_squeezed: bool,
    /// Are collisions located?
    is_located: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn new(scale: &'a Scale, settings: &Settings, report: &'a Report) -> Self {
        let play = &report.play;
        let sizes = play.start_energy.abs() + play.energy.abs() + play.kinetic_swing;
        Self {
            scale,
            report,
            step: settings.step,
            net: report.numerical_gain - report.numerical_loss,
            in_play: report.energy_in_play(),
            least: ROUNDING * sizes + LEAST * scale.lift + NOTHING,
            unexplained: report.balance_error(),
            is_young: settings.tolerance.is_none() && report.steps < FIRST_STEPS,
            is_squeezed: scale.sweeps
                && scale.mass_ratio > MASS_RATIO
                && report.worst_residual > SQUEEZED,
            is_located: scale.is_crowd || settings.locate_collisions,
        }
    }

    /// Is there anything that a kind could matter for? Most steps end here.
    pub(super) fn may_be_off(&self) -> bool {
        let report = self.report;
        let counted = report.fallbacks
            | report.unresolved_steps
            | report.degraded_steps
            | report.exhausted_steps
            | report.relief_steps
            | report.transition_errors
            | report.guarded_impacts
            | report.unlisted_events;
        let energy = self.net.abs() + report.play.rise + self.unexplained.abs();
        counted > 0
            || report.worst_joint_drift > DRIFT
            || report.worst_penetration > OVERLAP
            || report.worst_residual.at_least(report.instant_residual) > RESIDUAL
            || report.worst_condition > CONDITION
            || report.lifted > 0.0
            || report.friction_rate > 0.0
            || self.much(energy, GAIN).is_some()
            || self.lost().is_some()
    }

    // an energy that is more than a part of that in play
    fn much(&self, energy: f64, part: f64) -> Option<(f64, f64)> {
        let is_much = energy.abs() > part * self.in_play + self.least;
        (is_much && !self.is_young).then_some((energy, self.in_play))
    }

    // what errors of steps took, where it is much
    fn lost(&self) -> Option<(f64, f64)> {
        let (lost, to_lose) = (-self.net, self.report.energy_to_lose());
        let is_much = lost > LOSS * to_lose + self.least;
        (is_much && !self.is_young).then_some((lost, to_lose))
    }

    fn some(&self, n: u64) -> Option<(f64, f64)> {
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
