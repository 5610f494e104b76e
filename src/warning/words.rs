//! Message and hint of each warning.

use super::{Kind, Steps, Warning};
use crate::format::{count, rounded, short};
use crate::math::Limit;
use std::fmt;

impl Warning {
    /// One sentence, with the size.
    pub fn message(&self) -> String {
        let size = self.size.abs();
        let of = |noun| count(size as u64, noun);
        let from = format!("from t = {} s on", short(rounded(self.since)));
        match self.kind {
            Kind::EnergyGain => format!(
                "integration errors added {} to the motion{}",
                joule(size),
                self.percent_of_energy_in_play()
            ),
            Kind::NumericalLoss => format!(
                "integration errors removed {} from the motion{}",
                joule(size),
                self.percent_of_energy_in_play()
            ),
            Kind::EnergyBalance => format!(
                "the energy balance does not close: {} {}{}",
                joule(size),
                if self.size > 0.0 {
                    "appeared without a source"
                } else {
                    "disappeared without a sink"
                },
                self.percent_of_energy_in_play()
            ),
            Kind::JointDrift => format!("joints drifted apart by up to {} m or rad", short(size)),
            Kind::Overlap => format!("shapes penetrated each other by up to {} m", short(size)),
            Kind::UnlocatedCollisions => format!(
                "shapes penetrated each other by up to {} m, because collisions are not located (`locate_collisions = false`)",
                short(size)
            ),
            Kind::ContactResidual => format!(
                "a contact problem was solved only to a relative residual of {}: forces at that time are {}",
                short(rounded(size)),
                if self.reference > 0.0 {
                    "approximate"
                } else {
                    "unreliable"
                }
            ),
            Kind::HeavyOnLight => format!(
                "a mass ratio of {} is too large for `sweeps`: contact problems were solved only to a relative residual of {}",
                short(rounded(size)),
                short(rounded(self.reference))
            ),
            Kind::IllConditioned => format!(
                "the masses of bodies in contact or joined differ so much that only {} of 16 digits of their motion are accurate",
                (16.0 - libm::log10(size)).at_least(0.0) as u32
            ),
            Kind::LiftedBodies => format!(
                "position stabilization lifted bodies by {}, where the run lost {}",
                joule(size),
                joule(self.reference)
            ),
            Kind::ComplementaritySteps => format!(
                "{} of {} could not be resolved contact by contact and were solved as one complementarity problem, of first order",
                of("substep"),
                short(self.reference)
            ),
            Kind::UnresolvedSteps => format!(
                "in {} the stick-slip statuses did not converge, {from}; they were solved as one complementarity problem, of first order",
                of("substep")
            ),
            Kind::FirstOrderSteps => format!(
                "{} ended with a first-order step, because events were too close together or the contact problem was not solved, {from}; positions there are of first order",
                of("step")
            ),
            Kind::ExhaustedSteps => format!(
                "{} used up the work allowed (`max_step_work`), {from}, and continued with a first-order step or the best forces found so far",
                of("step")
            ),
            Kind::FallbackSteps => format!(
                "{} failed with the high-order scheme and were taken by the fixed-step scheme, with lengths chosen by the tolerance, {from}",
                of("step")
            ),
            Kind::TransitionError => format!(
                "{} between stick and slip did not meet the tolerance with any step length, {from}; the relative error may be {}",
                count(self.reference as u64, "transition"),
                short(rounded(size))
            ),
            Kind::LimitedImpacts => format!(
                "{} would have gained energy by the impact law and had their restitution reduced, {from}",
                of("impact")
            ),
            Kind::SmoothedFriction => format!(
                "the step is {} times too long for the smoothed friction of a joint, {from}: friction is wrong where the joint stops or starts moving",
                short(rounded(size))
            ),
            Kind::SpeedJumps => format!(
                "a prescribed speed jumped {} times, {from}, as that of a held input does: each jump is an impact, which forces and tensions do not contain",
                size as u64
            ),
            Kind::UnlistedEvents => format!(
                "{} exceeded the limit of {} events of one step and were counted but not listed",
                of("event"),
                crate::integrate::Report::MAX_EVENTS
            ),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        let smaller_step = match self.steps {
            Steps::Fixed => "use a smaller step, or a tolerance",
            Steps::Tolerance => "use a smaller tolerance",
            Steps::TimeStepping => "use a smaller step",
        };
        match self.kind {
            Kind::EnergyGain | Kind::NumericalLoss | Kind::EnergyBalance | Kind::Overlap => {
                smaller_step.to_owned()
            }
            Kind::JointDrift => format!("{smaller_step}, or a smaller mass ratio"),
            Kind::UnlocatedCollisions => "remove `locate_collisions = false`".to_owned(),
            Kind::ContactResidual if self.reference > 0.0 => {
                "use more `sweeps`; without `sweeps` forces are exact".to_owned()
            }
            Kind::ContactResidual => smaller_step.to_owned(),
            Kind::HeavyOnLight => {
                "remove `sweeps`, forces are exact then; or use a smaller mass ratio".to_owned()
            }
            Kind::IllConditioned => "use a smaller mass ratio".to_owned(),
            Kind::LiftedBodies => {
                "use a smaller step, or remove `sweeps`, forces are exact then".to_owned()
            }
            Kind::ComplementaritySteps | Kind::UnresolvedSteps => smaller_step.to_owned(),
            Kind::FirstOrderSteps => {
                "use a smaller step, or zero restitution where contacts chatter".to_owned()
            }
            Kind::ExhaustedSteps => "use a larger `max_step_work`, or a smaller step".to_owned(),
            Kind::FallbackSteps => "try another tolerance".to_owned(),
            Kind::TransitionError => "use another tolerance".to_owned(),
            Kind::LimitedImpacts => {
                "`impact_law = \"expedient\"` never gains energy; or accept it".to_owned()
            }
            Kind::SmoothedFriction => {
                let step = short(rounded(self.reference));
                match self.steps {
                    Steps::TimeStepping => format!("use a step of {step} s"),
                    Steps::Fixed | Steps::Tolerance => {
                        format!("use a step of {step} s, or a tolerance")
                    }
                }
            }
            Kind::SpeedJumps => {
                "give the input its derivatives (`fmi2SetRealInputDerivatives`), or use a signal without jumps".to_owned()
            }
            Kind::UnlistedEvents => "use a smaller step to list them".to_owned(),
        }
    }

    fn percent_of_energy_in_play(&self) -> String {
        let percent = 100.0 * self.size.abs() / self.reference;
        if percent.is_finite() {
            format!(", {} % of the energy in play", short(rounded(percent)))
        } else {
            String::new()
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.hint())
    }
}

fn joule(x: f64) -> String {
    format!("{} J", short(rounded(x)))
}
