//! THE table of variables: value references, get and set, both XML files, `describe` and the documentation page all
//! come from here.

mod space;

use super::parameter::Parameter;
use super::variable::{
    CONTACT_STATUS, Causality, EVENT_KIND, Enumeration, Kind, Role, TimeSteppingOutput, Unit,
    Variability, Variable,
};
use crate::kinds::plane::force::Force;
use crate::model::{AnyForce, ContactKind, InputUnit, Model};
use crate::scene::spec::settings::{Field, Setting, TABLE, UsedBy};
use crate::simulation::observe::contacts_of;

/// All variables of a model, in the order of their value references.
#[cfg_attr(small, optimize(size))]
pub fn table(model: &Model) -> Vec<Variable> {
    let mut table = Table::default();
    table.inputs(model);
    if model.is_spatial() {
        table.space_bodies(model);
        table.space_contacts(model);
        table.space_joints(model);
        table.space_forces(model);
    } else {
        table.bodies(model);
        table.contacts(model);
        table.joints(model);
        table.forces(model);
    }
    table.totals();
    if model.time_stepping.is_some() {
        table.time_stepping();
    }
    table.parameters(model);
    table.settings(model);
    table.unique();
    table.rows
}

/// A structured name for a contact or a pair: `rod-ground[1]` becomes `rod.on.ground[1]`.
fn structured(name: &str) -> String {
    name.replace('-', ".on.")
}

#[derive(Default)]
struct Table {
    rows: Vec<Variable>,
}

#[inline(never)]
fn real(unit: Unit) -> Kind {
    Kind::Real {
        unit,
        min: None,
        max: None,
        nominal: None,
    }
}

#[inline(never)]
fn bounded(unit: Unit, parameter: Parameter) -> Kind {
    let (low, high, _) = parameter.range();
    Kind::Real {
        unit,
        min: low.is_finite().then_some(low),
        max: high.is_finite().then_some(high),
        nominal: None,
    }
}

impl Table {
    fn push(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        (causality, variability): (Causality, Variability),
        kind: Kind,
        role: Role,
    ) {
        self.rows.push(Variable {
            name: name.into(),
            description: description.into(),
            causality,
            variability,
            kind,
            role,
        });
    }

    #[inline(never)]
    fn output(&mut self, name: String, description: String, unit: Unit, role: Role) {
        let kind = real(unit);
        self.push(
            name,
            description,
            (Causality::Output, Variability::Continuous),
            kind,
            role,
        );
    }

    #[inline(never)]
    fn discrete(&mut self, name: String, description: String, kind: Kind, role: Role) {
        self.push(
            name,
            description,
            (Causality::Output, Variability::Discrete),
            kind,
            role,
        );
    }

    #[inline(never)]
    fn parameter(
        &mut self,
        name: String,
        description: &str,
        fixed: bool,
        kind: Kind,
        parameter: Parameter,
    ) {
        let variability = if fixed {
            Variability::Fixed
        } else {
            Variability::Tunable
        };
        let role = Role::Parameter(parameter);
        self.push(
            name,
            description,
            (Causality::Parameter, variability),
            kind,
            role,
        );
    }

    // shapes and bodies may be named so that two structured names meet
    fn unique(&mut self) {
        let mut seen = std::collections::BTreeSet::new();
        for row in &mut self.rows {
            while !seen.insert(row.name.clone()) {
                row.name.push('_');
            }
        }
    }

    fn inputs(&mut self, model: &Model) {
        for (i, input) in model.inputs.iter().enumerate() {
            let (unit, description) = match input.unit {
                InputUnit::Newton => (Unit::Newton, "applied force"),
                InputUnit::NewtonMeter => (Unit::NewtonMeter, "applied torque"),
                InputUnit::MeterPerSecond => (Unit::MeterPerSecond, "given speed"),
                InputUnit::RadianPerSecond => (Unit::RadianPerSecond, "given rate of rotation"),
            };
            self.push(
                input.name.clone(),
                description,
                (Causality::Input, Variability::Continuous),
                real(unit),
                Role::Input(i),
            );
        }
    }

    fn bodies(&mut self, model: &Model) {
        for body in &model.bodies {
            let rows: [(&str, &str, [Unit; 3]); 3] = [
                ("x", "x of the centre of mass", LINEAR),
                ("y", "y of the centre of mass", LINEAR),
                ("angle", "rotation", ANGULAR),
            ];
            for (i, (component, what, units)) in rows.into_iter().take(body.n_dof).enumerate() {
                let (index, name) = (body.first + i, &body.name);
                for (k, (quantity, phrase)) in [
                    ("position", ""),
                    ("velocity", ", rate"),
                    ("acceleration", ", second derivative"),
                ]
                .into_iter()
                .enumerate()
                {
                    let role = [Role::Position, Role::Velocity, Role::Acceleration][k](index);
                    self.output(
                        format!("{name}.{quantity}.{component}"),
                        format!("{what} of {name}{phrase}"),
                        units[k],
                        role,
                    );
                }
            }
        }
    }

    fn contacts(&mut self, model: &Model) {
        for j in 0..model.contacts.len() {
            self.contact(model, j);
        }
    }

    // of a pair of shapes in the plane, or a stop
    #[cfg_attr(small, optimize(size))]
    fn contact(&mut self, model: &Model, j: usize) {
        let contact = &model.contacts[j];
        let name = format!("contact.{}", structured(&contact.name));
        let what = &contact.name;
        let angular = matches!(&contact.kind, ContactKind::Limit(stop)
            if model.joints[stop.joint].joint.coordinate_turns(stop.coordinate));
        let (length, force, impulse) = if angular {
            (Unit::Radian, Unit::NewtonMeter, Unit::NewtonMeterSecond)
        } else {
            (Unit::Meter, Unit::Newton, Unit::NewtonSecond)
        };
        let rows = [
            ("gap", "gap", length, Role::Gap(j)),
            ("penetration", "overlap", length, Role::Penetration(j)),
            ("normal_force", "normal force", force, Role::NormalForce(j)),
            (
                "friction_force",
                "friction force along the tangent",
                force,
                Role::FrictionForce(j),
            ),
        ];
        let has_friction = matches!(contact.kind, ContactKind::Feature(_));
        for (quantity, phrase, unit, role) in rows {
            if has_friction || !matches!(role, Role::FrictionForce(_)) {
                self.output(
                    format!("{name}.{quantity}"),
                    format!("{phrase} of {what}"),
                    unit,
                    role,
                );
            }
        }
        let kind = real(impulse);
        let phrase = format!("normal impulse of the last impact of {what}");
        self.discrete(
            format!("{name}.normal_impulse"),
            phrase,
            kind.clone(),
            Role::NormalImpulse(j),
        );
        if has_friction {
            let phrase = format!("tangential impulse of the last impact of {what}");
            self.discrete(
                format!("{name}.friction_impulse"),
                phrase,
                kind,
                Role::FrictionImpulse(j),
            );
        }
        let kind = Kind::Enumeration(CONTACT_STATUS);
        self.discrete(
            format!("{name}.status"),
            format!("status of {what}"),
            kind,
            Role::Status(j),
        );
    }

    fn joints(&mut self, model: &Model) {
        let mut row = 0;
        for link in &model.joints {
            for component in link.joint.row_names() {
                let unit = if *component == "angle" {
                    Unit::NewtonMeter
                } else {
                    Unit::Newton
                };
                self.output(
                    format!("{}.reaction.{component}", link.name),
                    format!("reaction of {} against its {component}", link.name),
                    unit,
                    Role::JointForce(row),
                );
                row += 1;
            }
        }
    }

    fn forces(&mut self, model: &Model) {
        for (i, link) in model.forces.iter().enumerate() {
            let Some(force) = link.force.plane() else {
                continue;
            };
            let unit = match force {
                Force::SpringDamper(_) => Unit::Newton,
                Force::Stribeck(_) if !turns(model, link.joint) => Unit::Newton,
                Force::Torsional(_) | Force::Stribeck(_) => Unit::NewtonMeter,
                Force::Applied(_) | Force::Viscous(_) => continue,
            };
            self.output(
                format!("{}.force", link.name),
                format!(
                    "force of {} along its coordinate, positive when it pushes",
                    link.name
                ),
                unit,
                Role::ElementForce(i),
            );
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn totals(&mut self) {
        for (name, what, role) in [
            ("energy.kinetic", "kinetic energy", Role::KineticEnergy),
            (
                "energy.potential",
                "energy in gravity and springs",
                Role::PotentialEnergy,
            ),
            (
                "energy.dissipated",
                "energy lost since the start",
                Role::DissipatedEnergy,
            ),
        ] {
            self.output(name.to_owned(), what.to_owned(), Unit::Joule, role);
        }
        self.discrete(
            "energy.balance_error".to_owned(),
            "energy that the balance from the start leaves unexplained: errors of the steps"
                .to_owned(),
            real(Unit::Joule),
            Role::BalanceError,
        );
        let count = Kind::Integer {
            min: Some(0),
            max: None,
        };
        let text = str::to_owned;
        self.discrete(
            text("events.count"),
            text("number of events since the start"),
            count,
            Role::EventCount,
        );
        let time = real(Unit::Second);
        self.discrete(
            text("events.last_time"),
            text("time of the last event"),
            time,
            Role::LastEventTime,
        );
        let kind = Kind::Enumeration(EVENT_KIND);
        self.discrete(
            text("events.last_kind"),
            text("kind of the last event"),
            kind,
            Role::LastEventKind,
        );
        let residual = real(Unit::One);
        self.discrete(
            text("solver.worst_residual"),
            text("worst residual of an accepted complementarity problem"),
            residual,
            Role::WorstResidual,
        );
    }

    #[cfg_attr(small, optimize(size))]
    fn time_stepping(&mut self) {
        let count = || Kind::Integer {
            min: Some(0),
            max: None,
        };
        for (name, what, kind, output) in [
            (
                "time_stepping.n_contacts",
                "number of places where bodies press on each other",
                count(),
                TimeSteppingOutput::Contacts,
            ),
            (
                "time_stepping.n_asleep",
                "number of bodies that sleep",
                count(),
                TimeSteppingOutput::Asleep,
            ),
            (
                "time_stepping.penetration",
                "deepest overlap at the end of the last step",
                real(Unit::Meter),
                TimeSteppingOutput::Penetration,
            ),
            (
                "time_stepping.n_inexact",
                "groups of bodies that were not solved exactly so far",
                count(),
                TimeSteppingOutput::InexactGroups,
            ),
        ] {
            self.discrete(
                name.to_owned(),
                what.to_owned(),
                kind,
                Role::TimeStepping(output),
            );
        }
    }

    fn parameters(&mut self, model: &Model) {
        let axes: &[&str] = if model.is_spatial() {
            &["x", "y", "z"]
        } else {
            &["x", "y"]
        };
        for (i, component) in axes.iter().enumerate() {
            let kind = real(Unit::MeterPerSecond2);
            self.parameter(
                format!("gravity.{component}"),
                "acceleration of gravity",
                true,
                kind,
                Parameter::Gravity(i),
            );
        }
        if model.is_spatial() {
            self.space_body_parameters(model);
        } else {
            self.body_parameters(model);
        }
        self.pair_parameters(model);
        for (i, link) in model.forces.iter().enumerate() {
            let rows = match &link.force {
                AnyForce::Plane(force) => force_parameters(i, force, model),
                AnyForce::Space(force) => space::force_parameters(i, force, model),
            };
            for (quantity, what, unit, p) in rows {
                self.parameter(
                    format!("{}.{quantity}", link.name),
                    what,
                    false,
                    bounded(unit, p),
                    p,
                );
            }
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn body_parameters(&mut self, model: &Model) {
        for (b, body) in model.bodies.iter().enumerate() {
            let name = &body.name;
            let p = Parameter::Mass(b);
            self.parameter(
                format!("{name}.mass"),
                "mass",
                true,
                bounded(Unit::Kilogram, p),
                p,
            );
            if body.n_dof == 3 {
                let p = Parameter::Inertia(b);
                let kind = bounded(Unit::KilogramMeter2, p);
                self.parameter(
                    format!("{name}.inertia"),
                    "inertia about the centre of mass",
                    true,
                    kind,
                    p,
                );
            }
            let components = [("x", LINEAR), ("y", LINEAR), ("angle", ANGULAR)];
            for (i, (component, units)) in components.into_iter().take(body.n_dof).enumerate() {
                let index = body.first + i;
                let p = Parameter::InitialPosition(index);
                self.parameter(
                    format!("{name}.initial.position.{component}"),
                    "at the start",
                    true,
                    real(units[0]),
                    p,
                );
                let p = Parameter::InitialVelocity(index);
                self.parameter(
                    format!("{name}.initial.velocity.{component}"),
                    "at the start",
                    true,
                    real(units[1]),
                    p,
                );
            }
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn pair_parameters(&mut self, model: &Model) {
        for (i, pair) in model.pairs.iter().enumerate() {
            let name = format!("pair.{}", structured(pair));
            let contacts = &model.contacts[contacts_of(model, i)];
            let is_stop = contacts
                .iter()
                .any(|c| matches!(c.kind, ContactKind::Limit(_)));
            let holds_more = contacts.iter().any(|c| c.static_friction > 0.0);
            let falls = contacts.iter().any(|c| c.stribeck_velocity.is_some());
            let mut rows = vec![(
                "restitution",
                "normal restitution",
                Parameter::Restitution(i),
            )];
            if !is_stop {
                rows.insert(
                    0,
                    (
                        "friction",
                        "Coulomb friction coefficient",
                        Parameter::Friction(i),
                    ),
                );
                if holds_more || falls {
                    let what = "friction coefficient at rest; without effect below the other one";
                    rows.insert(1, ("static_friction", what, Parameter::FrictionAtRest(i)));
                }
                rows.push((
                    "tangential_restitution",
                    "tangential restitution",
                    Parameter::TangentialRestitution(i),
                ));
            }
            for (quantity, what, p) in rows {
                self.parameter(
                    format!("{name}.{quantity}"),
                    what,
                    false,
                    bounded(Unit::One, p),
                    p,
                );
            }
            if falls {
                let p = Parameter::StribeckVelocity(i);
                self.parameter(
                    format!("{name}.stribeck_velocity"),
                    "speed of sliding over which friction falls from its value at rest",
                    false,
                    bounded(Unit::MeterPerSecond, p),
                    p,
                );
            }
        }
    }

    fn settings(&mut self, model: &Model) {
        let in_time_stepping = model.time_stepping.is_some();
        for (i, setting) in TABLE.iter().enumerate() {
            let is_used = setting.used_by == UsedBy::Both || !in_time_stepping;
            if setting.in_fmu && is_used {
                let name = format!("settings.{}", setting.name);
                let kind = kind_of(setting);
                self.parameter(name, setting.description, true, kind, Parameter::Setting(i));
            }
        }
    }
}

/// The type of a setting, with its bounds.
fn kind_of(setting: &Setting) -> Kind {
    let real = |unit: &str, (min, max): (f64, f64)| Kind::Real {
        unit: Unit::of_symbol(unit),
        min: Some(min),
        max: max.is_finite().then_some(max),
        nominal: None,
    };
    match setting.field {
        Field::Real { unit, range, .. } => real(unit, range.ends()),
        Field::OptionalReal { unit, range, .. } => real(unit, (0.0, range.ends().1)),
        Field::Count {
            range: (min, max), ..
        } => Kind::Integer {
            min: Some(min as i32),
            max: Some(max as i32),
        },
        Field::OptionalCount {
            range: (_, max), ..
        } => Kind::Integer {
            min: Some(0),
            max: Some(max as i32),
        },
        Field::Flag(_) => Kind::Boolean,
        Field::Choice {
            type_name, items, ..
        } => Kind::Enumeration(Enumeration {
            name: type_name,
            items,
        }),
    }
}

// position, velocity, acceleration
const LINEAR: [Unit; 3] = [Unit::Meter, Unit::MeterPerSecond, Unit::MeterPerSecond2];
const ANGULAR: [Unit; 3] = [Unit::Radian, Unit::RadianPerSecond, Unit::RadianPerSecond2];

type ParameterRow = (&'static str, &'static str, Unit, Parameter);

fn force_parameters(i: usize, force: &Force, model: &Model) -> Vec<ParameterRow> {
    use Parameter as P;
    match force {
        Force::SpringDamper(_) => vec![
            (
                "stiffness",
                "stiffness",
                Unit::NewtonPerMeter,
                P::Stiffness(i),
            ),
            (
                "damping",
                "damping",
                Unit::NewtonSecondPerMeter,
                P::Damping(i),
            ),
            ("free_length", "free length", Unit::Meter, P::RestLength(i)),
        ],
        Force::Torsional(_) => vec![
            (
                "stiffness",
                "stiffness",
                Unit::NewtonMeterPerRadian,
                P::Stiffness(i),
            ),
            (
                "damping",
                "damping",
                Unit::NewtonMeterSecondPerRadian,
                P::Damping(i),
            ),
            ("free_angle", "free angle", Unit::Radian, P::RestLength(i)),
        ],
        Force::Viscous(_) => vec![
            (
                "linear",
                "drag along the motion",
                Unit::NewtonSecondPerMeter,
                P::LinearDrag(i),
            ),
            (
                "angular",
                "drag against rotation",
                Unit::NewtonMeterSecondPerRadian,
                P::AngularDrag(i),
            ),
        ],
        Force::Stribeck(_) => {
            let (force, viscous) = if turns(model, model.forces[i].joint) {
                (Unit::NewtonMeter, Unit::NewtonMeterSecondPerRadian)
            } else {
                (Unit::Newton, Unit::NewtonSecondPerMeter)
            };
            vec![
                (
                    "static_friction",
                    "break-away friction",
                    force,
                    P::StaticFriction(i),
                ),
                (
                    "kinetic_friction",
                    "friction at speed",
                    force,
                    P::KineticFriction(i),
                ),
                (
                    "viscous",
                    "viscous friction",
                    viscous,
                    P::ViscousFriction(i),
                ),
            ]
        }
        Force::Applied(_) => Vec::new(),
    }
}

/// Is the only coordinate of a joint an angle?
fn turns(model: &Model, joint: Option<usize>) -> bool {
    joint.is_some_and(|j| model.joints[j].joint.coordinate_turns(0))
}
