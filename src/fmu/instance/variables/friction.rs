//! Friction elements: friction in joints, clutches and brakes.

use super::contacts::{item_of, number_of};
use super::mechanism::{effort, row_force};
use super::parameters::{Row, number};
use super::{ANGULAR, LINEAR, Table};
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::parameter::Range::NotNegative;
use crate::fmu::instance::variable::{FRICTION_STATUS, Kind, Output, Unit};
use crate::model::{Arm, FrictionElement, Load, Model};
use crate::state::Status;

/// Statuses in the order of their enumeration.
const STATUSES: [Status; 4] = [
    Status::Open,
    Status::Stick,
    Status::SlipForward,
    Status::SlipBackward,
];

fn turns(element: &FrictionElement) -> bool {
    element.along.coordinate_turns(element.coordinate)
}

impl Table {
    pub(super) fn friction_elements(&mut self, model: &Model) {
        for (e, element) in model.elements.iter().enumerate() {
            let name = &element.name;
            let (what, units) = match turns(element) {
                true => ("torque", ANGULAR),
                false => ("force", LINEAR),
            };
            self.output(
                format!("{name}.effort"),
                format!("friction {what} of {name} on its second body"),
                effort(turns(element)),
                row_force(model.first_element_row() + e),
            );
            self.output(
                format!("{name}.slip_speed"),
                format!("speed at which {name} slips"),
                units[1],
                Output::real([e, 0], |s, [e, _]| s.slip_speed(e)).column(),
            );
            self.output(
                format!("{name}.loss_power"),
                format!("power that {name} turns into heat"),
                Unit::Watt,
                Output::real([e, 0], |s, [e, _]| s.friction_loss(e)).follows_inputs(),
            );
            self.discrete(
                format!("{name}.status"),
                format!("status of {name}"),
                Kind::Enumeration(FRICTION_STATUS),
                Output::integer([e, 0], |s, [e, _]| {
                    number_of(&STATUSES, s.state().element_status[e])
                })
                .restore(|state, [e, _], x| state.element_status[e] = item_of(&STATUSES, x))
                .column(),
            );
        }
    }
}

/// Its tunable parameters.
pub(super) fn element_rows(element: &FrictionElement) -> Vec<Row> {
    let friction = number!(NotNegative, |m, [e, _]| m.elements[e].friction);
    let at_rest = number!(NotNegative, |m, [e, _]| m.elements[e].static_friction);
    let is_limit = matches!(element.load, Load::Given(_)) && element.arm == Arm::Radius(1.0);
    if is_limit {
        let unit = effort(turns(element));
        vec![
            ("limit", "friction while it slides", unit, friction),
            (
                "static_limit",
                "friction at rest; without effect below the other one",
                unit,
                at_rest,
            ),
        ]
    } else {
        let one = Unit::One;
        vec![
            ("friction", "coefficient while it slides", one, friction),
            (
                "static_friction",
                "coefficient at rest; without effect below the other one",
                one,
                at_rest,
            ),
        ]
    }
}
