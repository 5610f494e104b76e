//! Friction elements: friction in joints, clutches and brakes.

use super::contacts::{item_of, number_of};
use super::mechanism::{effort, row_force};
use super::parameters::{Row, number};
use super::{ANGULAR, LINEAR, Table};
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::parameter::Range::NotNegative;
use crate::fmu::instance::variable::{FRICTION_STATUS, Kind, Output, Unit};
use crate::kinds::force::SignalSpec;
use crate::kinds::plane::force::Signal;
use crate::model::{Arm, FrictionElement, Load, Model};
use crate::state::Status;

/// Statuses in the order of their enumeration.
const STATUSES: [Status; 4] = [
    Status::Open,
    Status::Stick,
    Status::SlipForward,
    Status::SlipBackward,
];

fn slip_speed(e: usize) -> Output {
    Output::real([e, 0], |s, [e, _]| s.slip_speed(e)).column()
}

impl Table {
    pub(super) fn friction_elements(&mut self, model: &Model) {
        for (e, element) in model.elements.iter().enumerate() {
            let name = &element.name;
            let (what, units) = match element.turns() {
                true => ("torque", ANGULAR),
                false => ("force", LINEAR),
            };
            let what = match element.arm {
                Arm::Motor | Arm::OneWay => what.to_owned(),
                Arm::Limit | Arm::Radius(_) | Arm::Belt { .. } => format!("friction {what}"),
            };
            self.output(
                format!("{name}.effort"),
                format!("{what} of {name} on its second body"),
                effort(element.turns()),
                row_force(model.first_element_row() + e),
            );
            self.output(
                format!("{name}.slip_speed"),
                format!("speed at which {name} slips"),
                units[1],
                match element.arm {
                    Arm::Motor => slip_speed(e).follows_inputs(),
                    Arm::OneWay | Arm::Limit | Arm::Radius(_) | Arm::Belt { .. } => slip_speed(e),
                },
            );
            self.output(
                format!("{name}.loss_power"),
                format!("power that {name} turns into heat"),
                Unit::Watt,
                Output::real([e, 0], |s, [e, _]| s.friction_loss(e))
                    .follows_inputs()
                    .local(),
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
    let one = Unit::One;
    match (&element.arm, &element.load) {
        (Arm::Motor, _) => {
            let unit = effort(element.turns());
            vec![("limit", "largest torque or force", unit, friction)]
        }
        (Arm::OneWay, Load::Given(Signal::Given(SignalSpec::Constant(_)))) => {
            vec![(
                "drag",
                "torque while it overruns",
                Unit::NewtonMeter,
                friction,
            )]
        }
        (Arm::OneWay, _) => Vec::new(),
        (Arm::Limit, Load::Given(Signal::Given(SignalSpec::Constant(_)))) => {
            let unit = effort(element.turns());
            let what = "friction at rest; without effect below the other one";
            vec![
                ("limit", "friction while it slides", unit, friction),
                ("static_limit", what, unit, at_rest),
            ]
        }
        (Arm::Limit, _) => {
            let what = "friction at rest relative to that while it slides; without effect below 1";
            vec![("static_ratio", what, one, at_rest)]
        }
        (Arm::Radius(_) | Arm::Belt { .. }, _) => {
            let what = "coefficient at rest; without effect below the other one";
            vec![
                ("friction", "coefficient while it slides", one, friction),
                ("static_friction", what, one, at_rest),
            ]
        }
    }
}
