//! Flanges: where another model is attached.

use super::{AnyForce, BodyRef, ForceLink, InputLink, InputUnit, Model};
use crate::kinds::plane::force::FlangeLaw;
use crate::scene::spec::flange::FlangeSpring;

/// A flange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flange {
    /// Its force, by index.
    pub force: usize,
    /// Is its coordinate an angle?
    pub turns: bool,
}

/// Where a flange is.
pub(super) struct Place {
    /// The bodies of its force.
    pub bodies: [BodyRef; 2],
    /// The joint, by index.
    pub joint: Option<usize>,
    /// Is its coordinate an angle?
    pub turns: bool,
    /// Its position at the start, m or rad.
    pub start: f64,
}

impl ForceLink {
    fn flange_law(&self) -> Option<&FlangeLaw> {
        use crate::kinds::plane::force::Force::Flange;
        use crate::kinds::space::force::Force::Flange as SpaceFlange;
        match &self.force {
            AnyForce::Plane(Flange(flange)) => Some(&flange.law),
            AnyForce::Space(SpaceFlange(flange)) => Some(&flange.law),
            AnyForce::Plane(_) | AnyForce::Space(_) => None,
        }
    }

    /// Is it a flange with a spring to its partner?
    pub fn is_spring_line(&self) -> bool {
        matches!(self.flange_law(), Some(FlangeLaw::Spring { .. }))
    }
}

impl Model {
    /// The law of a force element, if it is a flange.
    pub fn flange_law(&self, force: usize) -> Option<&FlangeLaw> {
        self.forces[force].flange_law()
    }

    /// Is an input the motion of the partner of a flange?
    pub fn is_of_partner(&self, input: usize) -> bool {
        let mut laws = self.flanges.iter().map(|f| self.flange_law(f.force));
        laws.any(|law| match law {
            Some(FlangeLaw::Spring {
                position, velocity, ..
            }) => [*position, *velocity].contains(&input),
            Some(FlangeLaw::Force(_)) | None => false,
        })
    }

    /// Adds a flange with its inputs; `force` makes its element from its law. Until it is known otherwise, the partner of a
    /// spring rests at the `start`.
    pub(super) fn add_flange(
        &mut self,
        name: &str,
        place: Place,
        spring: Option<FlangeSpring>,
        force: impl FnOnce(FlangeLaw) -> AnyForce,
    ) {
        let Place {
            bodies,
            joint,
            turns,
            start,
        } = place;
        let units = match turns {
            false => [
                InputUnit::Newton,
                InputUnit::Meter,
                InputUnit::MeterPerSecond,
            ],
            true => [
                InputUnit::NewtonMeter,
                InputUnit::Radian,
                InputUnit::RadianPerSecond,
            ],
        };
        let mut input = |quantity: &str, unit: InputUnit, start: f64| {
            self.inputs.push(InputLink {
                name: format!("{name}.{quantity}"),
                start,
                unit,
            });
            self.inputs.len() - 1
        };
        let law = match spring {
            None => FlangeLaw::Force(input("force", units[0], 0.0)),
            Some(FlangeSpring { stiffness, damping }) => FlangeLaw::Spring {
                stiffness,
                damping,
                position: input("partner_position", units[1], start),
                velocity: input("partner_velocity", units[2], 0.0),
            },
        };
        self.flanges.push(Flange {
            force: self.forces.len(),
            turns,
        });
        self.forces.push(ForceLink {
            name: name.to_owned(),
            bodies,
            force: force(law),
            joint,
        });
    }
}
