//! Parameters of the model: gravity, bodies, shape pairs, force elements.

use super::bodies::{coordinates, turns_in_space};
use super::{AXES, QUATERNION, Table, friction, turns};
use crate::fmu::instance::parameter::Place;
use crate::fmu::instance::parameter::Range::{self, Any, NotNegative, Positive, Within};
use crate::fmu::instance::variable::{Of, Unit, Variability};
use crate::kinds::plane::force::Force;
use crate::kinds::space::force::Force as SpaceForce;
use crate::model::{AnyForce, Body, Contact, ContactKind, ForceLink, Model};
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

/// A number of a force element.
macro_rules! element {
    ($range:expr, $force:pat => $place:expr) => {
        Place::Real(
            $range,
            |model, _, [i, _]| match &model.forces[i].force {
                $force => $place,
                _ => 0.0,
            },
            |model, _, [i, _], x| {
                if let $force = &mut model.forces[i].force {
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
        for (quantity, description, unit, place) in rows {
            let kind = range_of(&place).kind(unit);
            let (name, place) = (format!("{name}.{quantity}"), ([index, 0], place));
            self.parameter(name, description, Variability::Tunable, kind, place);
        }
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
        for (b, body) in model.bodies.iter().enumerate() {
            self.body_parameters(model, b, body);
            if turns_in_space(model, body) {
                self.rotation_parameters(b, body);
            }
        }
        for pair in 0..model.pairs.len() {
            let name = format!("pair.{}", model.pairs[pair]);
            self.tunable(&name, pair, pair_rows(model, pair));
        }
        for (i, link) in model.forces.iter().enumerate() {
            self.tunable(&link.name, i, element_rows(model, link));
        }
        for (e, element) in model.elements.iter().enumerate() {
            self.tunable(&element.name, e, friction::element_rows(element));
        }
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
        Place::Real(range, ..) => *range,
        Place::Setting(_) => Any,
    }
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
    let place = of_pair!(Within(0.0, 1.0), |c| c.restitution);
    rows.push(("restitution", "normal restitution", one, place));
    if has_friction {
        let place = of_pair!(Within(0.0, 1.0), |c| c.tangential_restitution);
        let name = "tangential_restitution";
        rows.push((name, "tangential restitution", one, place));
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

/// Units of stiffness, damping, force and displacement along a coordinate.
fn units_along(model: &Model, link: &ForceLink, coordinate: usize) -> [Unit; 4] {
    if link.joint.is_some_and(|j| turns(model, j, coordinate)) {
        [
            Unit::NewtonMeterPerRadian,
            Unit::NewtonMeterSecondPerRadian,
            Unit::NewtonMeter,
            Unit::Radian,
        ]
    } else {
        [
            Unit::NewtonPerMeter,
            Unit::NewtonSecondPerMeter,
            Unit::Newton,
            Unit::Meter,
        ]
    }
}

fn friction_rows(
    model: &Model,
    link: &ForceLink,
    coordinate: usize,
    [at_rest, at_speed, viscous]: [Place; 3],
) -> Vec<Row> {
    let [_, damping, force, _] = units_along(model, link, coordinate);
    vec![
        ("static_friction", "break-away friction", force, at_rest),
        ("kinetic_friction", "friction at speed", force, at_speed),
        ("viscous", "viscous friction", damping, viscous),
    ]
}

fn servo_rows(
    model: &Model,
    link: &ForceLink,
    coordinate: usize,
    [kp, kd, limit]: [Place; 3],
) -> Vec<Row> {
    let [stiffness, damping, force, _] = units_along(model, link, coordinate);
    let mut rows = vec![
        ("kp", "effort for the deviation", stiffness, kp),
        ("kd", "effort for the deviation of the rate", damping, kd),
    ];
    if link.force.servo().is_some_and(|f| f.limit.is_finite()) {
        rows.push(("limit", "largest effort", force, limit));
    }
    rows
}

fn element_rows(model: &Model, link: &ForceLink) -> Vec<Row> {
    use AnyForce::{Plane, Space};
    // of a spring: stiffness, damping, free length or angle
    let spring = |coordinate, [stiffness, damping, free]: [Place; 3]| {
        let [of_stiffness, of_damping, _, length] = units_along(model, link, coordinate);
        let (name, what) = match length {
            Unit::Radian => ("free_angle", "free angle"),
            _ => ("free_length", "free length"),
        };
        vec![
            ("stiffness", "stiffness", of_stiffness, stiffness),
            ("damping", "damping", of_damping, damping),
            (name, what, length, free),
        ]
    };
    let drag = |linear, angular| {
        let (along, about) = (Unit::NewtonSecondPerMeter, Unit::NewtonMeterSecondPerRadian);
        vec![
            ("linear", "drag along the motion", along, linear),
            ("angular", "drag against rotation", about, angular),
        ]
    };
    let friction = |coordinate, places| friction_rows(model, link, coordinate, places);
    let servo = |coordinate, places| servo_rows(model, link, coordinate, places);
    let positive = NotNegative;
    match &link.force {
        Plane(Force::SpringDamper(_)) => {
            let places = [
                element!(positive, Plane(Force::SpringDamper(f)) => f.stiffness),
                element!(positive, Plane(Force::SpringDamper(f)) => f.damping),
                element!(Any, Plane(Force::SpringDamper(f)) => f.rest_length),
            ];
            spring(0, places)
        }
        Plane(Force::Torsional(_)) => {
            let places = [
                element!(positive, Plane(Force::Torsional(f)) => f.stiffness),
                element!(positive, Plane(Force::Torsional(f)) => f.damping),
                element!(Any, Plane(Force::Torsional(f)) => f.rest_angle),
            ];
            spring(0, places)
        }
        Space(SpaceForce::SpringDamper(_)) => {
            let places = [
                element!(positive, Space(SpaceForce::SpringDamper(f)) => f.stiffness),
                element!(positive, Space(SpaceForce::SpringDamper(f)) => f.damping),
                element!(Any, Space(SpaceForce::SpringDamper(f)) => f.rest_length),
            ];
            spring(0, places)
        }
        Space(SpaceForce::JointSpring(f)) => {
            let places = [
                element!(positive, Space(SpaceForce::JointSpring(f)) => f.stiffness),
                element!(positive, Space(SpaceForce::JointSpring(f)) => f.damping),
                element!(Any, Space(SpaceForce::JointSpring(f)) => f.rest),
            ];
            spring(f.coordinate, places)
        }
        Plane(Force::Viscous(_)) => drag(
            element!(positive, Plane(Force::Viscous(f)) => f.linear),
            element!(positive, Plane(Force::Viscous(f)) => f.angular),
        ),
        Space(SpaceForce::Viscous(_)) => drag(
            element!(positive, Space(SpaceForce::Viscous(f)) => f.linear),
            element!(positive, Space(SpaceForce::Viscous(f)) => f.angular),
        ),
        Plane(Force::Stribeck(_)) => {
            let places = [
                element!(positive, Plane(Force::Stribeck(f)) => f.static_friction),
                element!(positive, Plane(Force::Stribeck(f)) => f.kinetic_friction),
                element!(positive, Plane(Force::Stribeck(f)) => f.viscous),
            ];
            friction(0, places)
        }
        Space(SpaceForce::Stribeck(f)) => {
            let places = [
                element!(positive, Space(SpaceForce::Stribeck(f)) => f.law.static_friction),
                element!(positive, Space(SpaceForce::Stribeck(f)) => f.law.kinetic_friction),
                element!(positive, Space(SpaceForce::Stribeck(f)) => f.law.viscous),
            ];
            friction(f.coordinate, places)
        }
        Plane(Force::Servo(_)) => servo(
            0,
            [
                element!(positive, Plane(Force::Servo(f)) => f.kp),
                element!(positive, Plane(Force::Servo(f)) => f.kd),
                element!(Positive, Plane(Force::Servo(f)) => f.limit),
            ],
        ),
        Space(SpaceForce::Servo(f)) => servo(
            f.coordinate,
            [
                element!(positive, Space(SpaceForce::Servo(f)) => f.law.kp),
                element!(positive, Space(SpaceForce::Servo(f)) => f.law.kd),
                element!(Positive, Space(SpaceForce::Servo(f)) => f.law.limit),
            ],
        ),
        Plane(Force::Applied(_) | Force::MotorTorque(_))
        | Space(SpaceForce::Applied(_) | SpaceForce::MotorTorque(_)) => Vec::new(),
    }
}
