//! A sentence and a hint for each warning.

use super::{Kind, Warning};
use crate::format::{count, rounded, short};
use crate::math::Limit;
use std::fmt;

const SHORTER: &str = "take a smaller step, or a tolerance";

impl Warning {
    /// A sentence with its size.
    pub fn message(&self) -> String {
        let size = self.size.abs();
        let of = |noun| count(size as u64, noun);
        let from = format!("from t = {} s on", short(rounded(self.since)));
        match self.kind {
            Kind::EnergyGain => format!(
                "errors of the steps brought {} into the motion{}",
                joule(size),
                self.part()
            ),
            Kind::NumericalLoss => format!(
                "errors of the steps took {} out of the motion{}",
                joule(size),
                self.part()
            ),
            Kind::EnergyBalance => format!(
                "the energy balance does not close: {} {}{}",
                joule(size),
                if self.size > 0.0 {
                    "came from nowhere"
                } else {
                    "went nowhere"
                },
                self.part()
            ),
            Kind::JointDrift => format!("joints came apart by up to {} m or rad", short(size)),
            Kind::Overlap => format!("shapes were up to {} m inside each other", short(size)),
            Kind::UnlocatedCollisions => format!(
                "shapes were up to {} m inside each other, because collisions are not located (`locate_collisions = false`)",
                short(size)
            ),
            Kind::ContactResidual => format!(
                "a contact problem was solved only to {} of its size: forces at that time are {}",
                short(rounded(size)),
                if self.beside > 0.0 {
                    "near, not right"
                } else {
                    "not to be trusted"
                }
            ),
            Kind::HeavyOnLight => format!(
                "some bodies are {} times as heavy as others, which `sweeps` cannot cope with: contact problems were solved only to {} of their size",
                short(rounded(size)),
                short(rounded(self.beside))
            ),
            Kind::IllConditioned => format!(
                "masses that press or pull on each other differ so much that {} of 16 digits of their motion are left",
                (16.0 - libm::log10(size)).at_least(0.0) as u32
            ),
            Kind::LiftedBodies => format!(
                "corrections of places lifted bodies by {}, where the run lost {}",
                joule(size),
                joule(self.beside)
            ),
            Kind::ComplementaritySteps => format!(
                "{} of {} could not be decided contact by contact and were solved as one problem of all contacts, of first order",
                of("substep"),
                short(self.beside)
            ),
            Kind::UnresolvedSteps => format!(
                "in {} stick and slip followed each other without end; they were solved as one problem of all contacts, of first order, {from}",
                of("substep")
            ),
            Kind::FirstOrderSteps => format!(
                "{} ended in the first-order step because events came too dense, {from}; positions there are of first order",
                of("step")
            ),
            Kind::ExhaustedSteps => format!(
                "{} took all the work that they are allowed (`max_step_work`), {from}, and went on with the first-order step or the best forces found by then",
                of("step")
            ),
            Kind::FallbackSteps => format!(
                "{} found no way on with high order and were left to the scheme of fixed steps, with lengths that the tolerance chose, {from}",
                of("step")
            ),
            Kind::TransitionError => format!(
                "{} between stick and slip could not be taken to the tolerance, however short the step, {from}; the result may be off by {}, relative",
                count(self.beside as u64, "transition"),
                short(rounded(size))
            ),
            Kind::LimitedImpacts => format!(
                "{} would have gained energy by the impact law and got less restitution, {from}",
                of("impact")
            ),
            Kind::SmoothedFriction => format!(
                "the step is {} times too long for the smoothed friction of a joint, {from}: where the joint stops or starts, its friction is wrong",
                short(rounded(size))
            ),
            Kind::UnlistedEvents => format!(
                "{} came in one step after more than {} others and are counted, not listed",
                of("event"),
                crate::integrate::Report::MAX_EVENTS
            ),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self.kind {
            Kind::EnergyGain | Kind::NumericalLoss | Kind::EnergyBalance | Kind::Overlap => {
                SHORTER.to_owned()
            }
            Kind::JointDrift => format!("{SHORTER}, or masses that differ less"),
            Kind::UnlocatedCollisions => "leave out `locate_collisions = false`".to_owned(),
            Kind::ContactResidual if self.beside > 0.0 => {
                "more `sweeps` come closer; without `sweeps` forces are exact".to_owned()
            }
            Kind::ContactResidual => SHORTER.to_owned(),
            Kind::HeavyOnLight => {
                "leave out `sweeps`: forces are exact then; or let masses differ less".to_owned()
            }
            Kind::IllConditioned => "let masses differ less".to_owned(),
            Kind::LiftedBodies => {
                "take a smaller step, or exact forces in place of `sweeps`".to_owned()
            }
            Kind::ComplementaritySteps | Kind::UnresolvedSteps => SHORTER.to_owned(),
            Kind::FirstOrderSteps => {
                "take a smaller step, or a restitution of zero where it chatters".to_owned()
            }
            Kind::ExhaustedSteps => "a larger `max_step_work`, or a smaller step".to_owned(),
            Kind::FallbackSteps => "another tolerance may help".to_owned(),
            Kind::TransitionError => "take another tolerance".to_owned(),
            Kind::LimitedImpacts => {
                "`impact_law = \"expedient\"` never gains energy; or accept it".to_owned()
            }
            Kind::SmoothedFriction => format!(
                "take a step of {} s, or a tolerance",
                short(rounded(self.beside))
            ),
            Kind::UnlistedEvents => "a smaller step shows them".to_owned(),
        }
    }

    // of the energy in play
    fn part(&self) -> String {
        let percent = 100.0 * self.size.abs() / self.beside;
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
