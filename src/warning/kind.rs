//! The kinds of warnings, and from when on each of them matters.

use super::Scale;
use crate::scene::format::Settings;
use crate::step::Report;

/// Energy that errors of steps bring, and what the balance leaves unexplained, as parts of the energy in play.
const GAIN: f64 = 1e-4;
/// Energy that errors of steps take.
const LOSS: f64 = 1e-2;
/// Differences of energies are not known better than this part of them: rounding over many steps.
const ROUNDING: f64 = 1e-9;
/// .. nor does less matter than this part of the work to lift all bodies by their size: the first steps of a motion, in
/// which hardly any energy is in play.
const LEAST: f64 = 1e-6;
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
    /// Corrections of places lifted bodies, J.
    LiftedBodies,
    /// Substeps that were solved as a complementarity problem for want of statuses.
    FallbackSteps,
    /// .. because statuses followed each other without end.
    UnresolvedSteps,
    /// Steps that ended in the first-order step.
    DegradedSteps,
    /// Steps by tolerance that were left to the scheme of fixed steps.
    ReliefSteps,
    /// Impacts that would have gained energy.
    GuardedImpacts,
    /// Smoothed friction in joints that the step is too long for; how many times.
    SmoothedFriction,
    /// Events that are counted and not listed.
    UnlistedEvents,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::EnergyGain,
        Self::NumericalLoss,
        Self::EnergyBalance,
        Self::JointDrift,
        Self::Overlap,
        Self::UnlocatedCollisions,
        Self::ContactResidual,
        Self::HeavyOnLight,
        Self::LiftedBodies,
        Self::FallbackSteps,
        Self::UnresolvedSteps,
        Self::DegradedSteps,
        Self::ReliefSteps,
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
            Self::LiftedBodies => "lifted_bodies",
            Self::FallbackSteps => "fallback_steps",
            Self::UnresolvedSteps => "unresolved_steps",
            Self::DegradedSteps => "degraded_steps",
            Self::ReliefSteps => "relief_steps",
            Self::GuardedImpacts => "guarded_impacts",
            Self::SmoothedFriction => "smoothed_friction",
            Self::UnlistedEvents => "unlisted_events",
        }
    }

    /// Its size and what that is to be seen beside, where it matters.
    pub(super) fn size(
        self,
        scale: &Scale,
        settings: &Settings,
        report: &Report,
    ) -> Option<(f64, f64)> {
        let play = || report.energy_in_play();
        let net = report.numerical_gain - report.numerical_loss;
        let above = |size: f64, limit: f64| size.abs() > limit;
        let much = |energy: f64, part: f64| {
            above(energy, part * play() + least_energy(scale, report)).then(|| (energy, play()))
        };
        let some = |n: u64| (n > 0).then_some((n as f64, report.substeps as f64));
        let residual = report.worst_residual;
        let is_squeezed =
            scale.sweeps && scale.mass_ratio > MASS_RATIO && above(residual, SQUEEZED);
        let overlap = above(report.worst_penetration, OVERLAP);
        let unlocated = !scale.is_crowd && !settings.locate_collisions;
        match self {
            Self::EnergyGain => (net > 0.0).then(|| much(net, GAIN)).flatten(),
            Self::NumericalLoss => (net < 0.0).then(|| much(-net, LOSS)).flatten(),
            Self::EnergyBalance => {
                let unexplained = report.balance_error();
                much(unexplained, unexplained_part(scale, settings, report))
            }
            Self::JointDrift => {
                above(report.worst_joint_drift, DRIFT).then_some((report.worst_joint_drift, 0.0))
            }
            Self::Overlap => (overlap && !unlocated).then_some((report.worst_penetration, OVERLAP)),
            Self::UnlocatedCollisions => {
                (overlap && unlocated).then_some((report.worst_penetration, OVERLAP))
            }
            Self::ContactResidual => {
                let bounded = f64::from(u8::from(scale.sweeps));
                (above(residual, RESIDUAL) && !is_squeezed).then_some((residual, bounded))
            }
            Self::HeavyOnLight => is_squeezed.then_some((scale.mass_ratio, residual)),
            Self::LiftedBodies => {
                let lost = report.losses() + report.lifted;
                let positive = if lost > 0.0 { lost } else { 0.0 };
                let lifts = report.lifted > LIFTED * (positive + scale.lift);
                (report.lifted > 0.0 && lifts).then_some((report.lifted, positive))
            }
            Self::FallbackSteps => {
                let n = report.fallbacks;
                some(n).filter(|_| n >= FALLBACKS && n > report.substeps / ONE_IN)
            }
            Self::UnresolvedSteps => some(report.unresolved_steps),
            Self::DegradedSteps => some(report.degraded_steps),
            Self::ReliefSteps => some(report.relief_steps),
            Self::GuardedImpacts => some(report.guarded_impacts),
            Self::SmoothedFriction => {
                let rate = report.friction_rate;
                (rate > 0.0).then_some((rate * settings.step, 1.0 / rate))
            }
            Self::UnlistedEvents => some(report.unlisted_events),
        }
    }
}

// part of the energy in play that the balance may leave unexplained: fixed steps that do not book their errors apart leave
// them here
fn unexplained_part(scale: &Scale, settings: &Settings, report: &Report) -> f64 {
    let is_fixed = !scale.is_crowd && settings.tolerance.is_none();
    let is_booked = report.numerical_loss > 0.0 || report.numerical_gain > 0.0;
    if is_fixed && !is_booked { LOSS } else { GAIN }
}

// differences of energies below this do not matter, J
fn least_energy(scale: &Scale, report: &Report) -> f64 {
    let play = &report.play;
    let sizes = play.start_energy.abs() + play.energy.abs() + play.kinetic_swing;
    ROUNDING * sizes + LEAST * scale.lift
}
