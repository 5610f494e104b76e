//! Flanges: where another model is attached.

use super::mechanism::effort;
use super::{ANGULAR, LINEAR, Table};
use crate::fmu::instance::variable::{Output, Unit};
use crate::model::Model;

impl Table {
    pub(super) fn flanges(&mut self, model: &Model) {
        for (i, flange) in model.flanges.iter().enumerate() {
            let name = &model.forces[flange.force].name;
            let (units, inverse_mass) = match flange.turns {
                false => (LINEAR, Unit::PerKilogram),
                true => (ANGULAR, Unit::PerKilogramMeter2),
            };
            self.output(
                format!("{name}.position"),
                format!("position of {name}"),
                units[0],
                Output::real([i, 0], |s, [i, _]| s.flange_motion(i)[0])
                    .rate(|s, [i, _]| Some(s.flange_motion(i)[1]))
                    .column(),
            );
            self.output(
                format!("{name}.velocity"),
                format!("velocity of {name}"),
                units[1],
                Output::real([i, 0], |s, [i, _]| s.flange_motion(i)[1]).column(),
            );
            if model.forces[flange.force].is_spring_line() {
                self.output(
                    format!("{name}.force"),
                    format!("force of the spring on the body at {name}; the opposite acts on the partner"),
                    effort(flange.turns),
                    Output::real([i, 0], |s, [i, _]| s.flange_force(i))
                        .follows_inputs()
                        .column(),
                );
            }
            self.output(
                format!("{name}.inverse_mass"),
                format!(
                    "acceleration of {name} for each unit of force, with the current contact states"
                ),
                inverse_mass,
                Output::real([i, 0], |s, [i, _]| s.flange_inverse_mass(i, false)),
            );
            self.output(
                format!("{name}.inverse_mass_sliding"),
                format!("the same of {name} as if every sticking contact were sliding"),
                inverse_mass,
                Output::real([i, 0], |s, [i, _]| s.flange_inverse_mass(i, true)),
            );
            self.output(
                format!("{name}.work"),
                format!("work through {name} since the start, positive into this model"),
                Unit::Joule,
                Output::real([i, 0], |s, [i, _]| s.flange_work(i)).rate(|s, [i, _]| {
                    let [_, velocity] = s.flange_motion(i);
                    Some(s.flange_force(i) * velocity)
                }),
            );
        }
    }
}
