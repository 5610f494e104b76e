//! Parameters of the model: gravity, bodies, shape pairs, force elements.

use super::bodies::{coordinates, turns_in_space};
use super::{AXES, QUATERNION, Table, friction, turns};
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::parameter::Range::{self, Any, NotNegative, Positive, Within};
use crate::fmu::instance::variable::{Of, Unit, Variability};
use crate::kinds::compliance::Compliance;
use crate::kinds::force::{Quantity, Sign};
use crate::model::{Body, Contact, ContactKind, ForceLink, Model};
use crate::scene::spec::Frame;
use crate::simulation::observe::contacts_of;

/// A number of the model.
macro_rules! number {
    ($range:expr, |$model:ident, $of:pat_param| $place:expr) => {
        Place::Real(
            $range,
            |$model, _, $of| $place,
            |$model, _, $of, x| $place = x,
        )
    };
}

pub(super) use number;

/// A number of all contacts of a pair.
macro_rules! of_pair {
    ($range:expr, |$contact:ident| $place:expr) => {
        Place::Real(
            $range,
            |model, _, [pair, _]| {
                let first = model.contacts.iter().find(|c| c.pair == pair);
                first.map_or(0.0, |$contact| $place)
            },
            |model, _, [pair, _], x| {
                for $contact in contacts_mut(model, pair) {
                    $place = x;
                }
            },
        )
    };
}

fn contacts_mut(model: &mut Model, pair: usize) -> impl Iterator<Item = &mut Contact> {
    model.contacts.iter_mut().filter(move |c| c.pair == pair)
}

/// Name, description, unit and location of a parameter of an element or a pair.
pub(super) type Row = (&'static str, &'static str, Unit, Place);

impl Table {
    // only before the run
    fn fixed(&mut self, name: String, description: &str, unit: Unit, of: Of, place: Place) {
        let kind = range_of(&place).kind(unit);
        self.parameter(name, description, Variability::Fixed, kind, (of, place));
    }

    fn tunable(&mut self, name: &str, index: usize, rows: Vec<Row>) {
        rows.into_iter()
            .for_each(|row| self.tunable_row(name, [index, 0], row));
    }

    fn tunable_row(&mut self, name: &str, of: Of, (quantity, description, unit, place): Row) {
        let kind = range_of(&place).kind(unit);
        let name = format!("{name}.{quantity}");
        self.parameter(name, description, Variability::Tunable, kind, (of, place));
    }

    pub(super) fn parameters(&mut self, model: &Model) {
        let n_axes = if model.is_spatial() { 3 } else { 2 };
        for (i, axis) in AXES.into_iter().enumerate().take(n_axes) {
            self.fixed(
                format!("gravity.{axis}"),
                "acceleration of gravity",
                Unit::MeterPerSecond2,
                [i, 0],
                number!(Any, |m, [i, _]| m.gravity[i]),
            );
        }
        for (b, body) in model.bodies_of_scene().iter().enumerate() {
            self.body_parameters(model, b, body);
            if turns_in_space(model, body) {
                self.rotation_parameters(b, body);
            }
        }
        for pair in 0..model.pairs.len() {
            let name = match rope_of(model, pair) {
                Some(_) => model.pairs[pair].clone(),
                None => format!("pair.{}", model.pairs[pair]),
            };
            self.tunable(&name, pair, pair_rows(model, pair));
            if let Some(contact) = rope_of(model, pair) {
                self.rope_length(&name, contact);
            }
        }
        for (i, link) in model.forces.iter().enumerate() {
            for (k, row) in element_rows(model, link) {
                self.tunable_row(&link.name, [i, k], row);
            }
        }
        for (e, element) in model.elements.iter().enumerate() {
            self.tunable(&element.name, e, friction::element_rows(element));
        }
    }

    fn rope_length(&mut self, name: &str, contact: usize) {
        self.fixed(
            format!("{name}.initial.length"),
            "length at the start",
            Unit::Meter,
            [contact, 0],
            Place::Real(
                Positive,
                |m, _, [j, _]| m.rope_length(j).unwrap_or(0.0),
                |m, _, [j, _], x| {
                    if let ContactKind::Limit(stop) = &mut m.contacts[j].kind {
                        stop.bound = x;
                    }
                },
            ),
        );
    }

    fn body_parameters(&mut self, model: &Model, b: usize, body: &Body) {
        let name = &body.name;
        self.fixed(
            format!("{name}.mass"),
            "mass",
            Unit::Kilogram,
            [b, 0],
            Place::Real(
                Positive,
                |m, _, [b, _]| m.mass[m.bodies[b].first],
                |m, _, [b, _], x| {
                    let first = m.bodies[b].first;
                    let n = if m.is_spatial() { 3 } else { 2 };
                    m.mass[first..first + n].fill(x);
                },
            ),
        );
        if !model.is_spatial() && body.n_dof == 3 {
            self.fixed(
                format!("{name}.inertia"),
                "inertia about the centre of mass",
                Unit::KilogramMeter2,
                [body.first + 2, 0],
                number!(Positive, |m, [i, _]| m.mass[i]),
            );
        }
        for (i, (component, units)) in coordinates(model, body).iter().enumerate() {
            let of = [body.first + i, 0];
            self.fixed(
                format!("{name}.initial.position.{component}"),
                "at the start",
                units[0],
                of,
                number!(Any, |m, [i, _]| m.initial_position[i]),
            );
            self.fixed(
                format!("{name}.initial.velocity.{component}"),
                "at the start",
                units[1],
                of,
                number!(Any, |m, [i, _]| m.initial_velocity[i]),
            );
        }
    }

    fn rotation_parameters(&mut self, b: usize, body: &Body) {
        let name = &body.name;
        for i in 0..3 {
            self.fixed(
                format!("{name}.principal_inertia[{}]", i + 1),
                "principal moment of inertia about the centre of mass",
                Unit::KilogramMeter2,
                [body.first + 3 + i, 0],
                number!(Positive, |m, [i, _]| m.mass[i]),
            );
        }
        for (i, component) in QUATERNION.into_iter().enumerate() {
            self.fixed(
                format!("{name}.initial.orientation.{component}"),
                "quaternion at the start, of any length but zero",
                Unit::One,
                [b, i],
                Place::Real(
                    Any,
                    |m, _, [b, i]| m.bodies[b].start.orientation[i],
                    |m, _, [b, i], x| {
                        m.bodies[b].start.orientation[i] = x;
                        m.update_start(b);
                    },
                ),
            );
        }
        let what = match body.start.frame {
            Frame::World => "at the start, in world axes",
            Frame::Body => "at the start, in body axes",
        };
        for (i, component) in AXES.into_iter().enumerate() {
            self.fixed(
                format!("{name}.initial.angular_velocity.{component}"),
                what,
                Unit::RadianPerSecond,
                [b, i],
                Place::Real(
                    Any,
                    |m, _, [b, i]| m.bodies[b].start.angular_velocity[i],
                    |m, _, [b, i], x| {
                        m.bodies[b].start.angular_velocity[i] = x;
                        m.update_start(b);
                    },
                ),
            );
        }
    }
}

fn range_of(place: &Place) -> Range {
    match place {
        Place::Real(range, ..) | Place::Scene(range) => *range,
        Place::Setting(_) => Any,
    }
}

// the contact that is the rope of a pair
fn rope_of(model: &Model, pair: usize) -> Option<usize> {
    contacts_of(model, pair).find(|j| model.rope_of(&model.contacts[*j]).is_some())
}

fn pair_rows(model: &Model, pair: usize) -> Vec<Row> {
    let contacts = &model.contacts[contacts_of(model, pair)];
    let is_stop = |c: &Contact| matches!(c.kind, ContactKind::Limit(_));
    let falls = contacts.iter().any(|c| c.stribeck_velocity.is_some());
    let holds_more = falls || contacts.iter().any(|c| c.static_friction > 0.0);
    let mut rows = Vec::new();
    let one = Unit::One;
    let has_friction = !contacts.iter().any(is_stop);
    if has_friction {
        let place = of_pair!(Within(0.0, 1000.0), |c| c.friction);
        rows.push(("friction", "Coulomb friction coefficient", one, place));
    }
    if has_friction && holds_more {
        let what = "friction coefficient at rest; without effect below the other one";
        let place = of_pair!(Within(0.0, 1000.0), |c| c.static_friction);
        rows.push(("static_friction", what, one, place));
    }
    if let Some(law) = contacts.iter().find_map(|c| c.compliance) {
        rows.extend(compliance_rows(model, contacts, &law));
    } else {
        let place = of_pair!(Within(0.0, 1.0), |c| c.restitution);
        rows.push(("restitution", "normal restitution", one, place));
        if has_friction {
            let place = of_pair!(Within(0.0, 1.0), |c| c.tangential_restitution);
            let name = "tangential_restitution";
            rows.push((name, "tangential restitution", one, place));
        }
    }
    if falls {
        let what = "speed of sliding over which friction falls from its value at rest";
        let place = Place::Real(
            Positive,
            |m, _, [pair, _]| {
                let first = m.contacts.iter().find(|c| c.pair == pair);
                first.and_then(|c| c.stribeck_velocity).unwrap_or(0.0)
            },
            |m, _, [pair, _], x| {
                for contact in contacts_mut(m, pair) {
                    contact.stribeck_velocity = Some(x);
                }
            },
        );
        rows.push(("stribeck_velocity", what, Unit::MeterPerSecond, place));
    }
    rows
}

/// A number of the force law of all contacts of a pair.
macro_rules! of_law {
    ($range:expr, $field:ident) => {
        Place::Real(
            $range,
            |model, _, [pair, _]| {
                let mut of_pair = model.contacts.iter().filter(|c| c.pair == pair);
                let law = of_pair.find_map(|c| c.compliance);
                law.map_or(0.0, |law| law.$field)
            },
            |model, _, [pair, _], x| {
                let laws = contacts_mut(model, pair).filter_map(|c| c.compliance.as_mut());
                laws.for_each(|law| law.$field = x);
            },
        )
    };
}

fn compliance_rows(model: &Model, contacts: &[Contact], law: &Compliance) -> [Row; 3] {
    let turns = contacts.iter().any(|c| model.is_angle(c));
    let stiffness = match law.exponent == 1.0 {
        true => unit_of(Quantity::Stiffness, turns),
        false => Unit::One,
    };
    let dissipation = if turns {
        Unit::SecondPerRadian
    } else {
        Unit::SecondPerMeter
    };
    [
        (
            "stiffness",
            "stiffness of the compliant contact, in N/m^exponent",
            stiffness,
            of_law!(Positive, stiffness),
        ),
        (
            "damping",
            "damping of the compliant contact",
            unit_of(Quantity::Damping, turns),
            of_law!(NotNegative, damping),
        ),
        (
            "dissipation",
            "damping of the compliant contact in proportion to its elastic force",
            dissipation,
            of_law!(NotNegative, dissipation),
        ),
    ]
}

/// The unit of a number, for a coordinate that is an angle or not.
fn unit_of(quantity: Quantity, turns: bool) -> Unit {
    match (quantity, turns) {
        (Quantity::Stiffness, false) => Unit::NewtonPerMeter,
        (Quantity::Stiffness, true) => Unit::NewtonMeterPerRadian,
        (Quantity::Damping, false) | (Quantity::LinearDrag, _) => Unit::NewtonSecondPerMeter,
        (Quantity::Damping, true) | (Quantity::AngularDrag, _) => Unit::NewtonMeterSecondPerRadian,
        (Quantity::Effort, false) => Unit::Newton,
        (Quantity::Effort, true) => Unit::NewtonMeter,
        (Quantity::Displacement, false) => Unit::Meter,
        (Quantity::Displacement, true) => Unit::Radian,
    }
}

/// The numbers of a force element, each with its index; an infinite one, such as a limit, is no parameter.
fn element_rows(model: &Model, link: &ForceLink) -> Vec<(usize, Row)> {
    let element = link.force.tunable();
    let turns = link
        .joint
        .is_some_and(|joint| turns(model, joint, element.coordinate()));
    let numbers = element.numbers().iter().enumerate();
    let given = numbers.filter(|(k, _)| element.number(*k).is_some_and(f64::is_finite));
    given
        .map(|(k, number)| {
            let range = match number.sign {
                Sign::Any => Any,
                Sign::NotNegative => NotNegative,
                Sign::Positive => Positive,
            };
            let place = Place::Real(
                range,
                |model, _, [i, k]| {
                    let element = model.forces[i].force.tunable();
                    element.number(k).unwrap_or(0.0)
                },
                |model, _, [i, k], x| {
                    let element = model.forces[i].force.tunable_mut();
                    if let Some(number) = element.number_mut(k) {
                        *number = x;
                    }
                },
            );
            let (name, text) = match turns {
                false => (number.names[0], number.texts[0]),
                true => (number.names[1], number.texts[1]),
            };
            (k, (name, text, unit_of(number.quantity, turns), place))
        })
        .collect()
}
