//! The variable table: value references, get and set, the model description, `describe`, the documentation page and
//! the columns of trajectories and plots are all derived from it. A row has a name, a description, a type with unit, a
//! variability and a source. Vectors are in world axes unless their name says otherwise; body axes are those of
//! the scene, not principal axes.

mod bodies;
mod contacts;
mod flanges;
mod friction;
mod interface;
mod mechanism;
mod parameters;
mod scene_parameters;
mod sensors;
mod settings;

pub use contacts::{contact_name, pair_name};
pub use interface::check;

use super::parameter::{Parameter, Place};
use super::variable::{
    Causality, EVENT_KIND, Kind, Of, Output, Plot, Source, Unit, Variability, Variable,
};
use crate::model::{InputUnit, Model};

/// All variables of a model, in the order of their value references.
pub fn table(model: &Model) -> Vec<Variable> {
    let mut table = Table::default();
    table.inputs(model);
    table.flanges(model);
    table.sensors(model);
    table.bodies(model);
    table.contacts(model);
    table.joints(model);
    table.friction_elements(model);
    table.forces(model);
    table.energies();
    table.events();
    if model.time_stepping.is_some() {
        table.time_stepping();
    }
    table.scene_parameters(model);
    table.parameters(model);
    table.settings(model);
    table.unique();
    interface::apply(&mut table.rows, &model.interface);
    table.rows
}

const AXES: [&str; 3] = ["x", "y", "z"];
const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];

// position, velocity, acceleration
const LINEAR: [Unit; 3] = [Unit::Meter, Unit::MeterPerSecond, Unit::MeterPerSecond2];
const ANGULAR: [Unit; 3] = [Unit::Radian, Unit::RadianPerSecond, Unit::RadianPerSecond2];

fn turns(model: &Model, joint: usize, coordinate: usize) -> bool {
    model.joints[joint].joint.coordinate_turns(coordinate)
}

fn number(count: u64) -> i32 {
    count.min(i32::MAX as u64) as i32
}

fn causality(output: &Output) -> Causality {
    if output.is_local {
        Causality::Local
    } else {
        Causality::Output
    }
}

#[derive(Default)]
struct Table {
    rows: Vec<Variable>,
}

impl Table {
    fn output(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        unit: Unit,
        output: Output,
    ) {
        self.rows.push(Variable {
            name: name.into(),
            description: description.into(),
            causality: causality(&output),
            variability: Variability::Continuous,
            kind: Kind::real(unit),
            source: Source::Output(output),
            is_listed: true,
            display_unit: None,
        });
    }

    // changes only at events and at the ends of steps
    fn discrete(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        kind: Kind,
        output: Output,
    ) {
        self.rows.push(Variable {
            name: name.into(),
            description: description.into(),
            causality: causality(&output),
            variability: Variability::Discrete,
            kind,
            source: Source::Output(output.rate(|_, _| Some(0.0))),
            is_listed: true,
            display_unit: None,
        });
    }

    // one output for each component
    fn vector(&mut self, name: &str, what: &str, unit: Unit, components: &[&str], output: Output) {
        for (i, component) in components.iter().enumerate() {
            let (name, what) = (
                format!("{name}.{component}"),
                format!("{what}, {component}"),
            );
            self.output(name, what, unit, output.component(i));
        }
    }

    fn parameter(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        variability: Variability,
        kind: Kind,
        (of, place): (Of, Place),
    ) {
        self.rows.push(Variable {
            name: name.into(),
            description: description.into(),
            causality: Causality::Parameter,
            variability,
            kind,
            source: Source::Parameter(Parameter::new(of, place)),
            is_listed: true,
            display_unit: None,
        });
    }

    // names of shapes and bodies may lead to equal structured names
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
            let of_partner = model.is_of_partner(i);
            let (unit, description) = match input.unit {
                InputUnit::Newton => (Unit::Newton, "applied force"),
                InputUnit::NewtonMeter => (Unit::NewtonMeter, "applied torque"),
                InputUnit::MeterPerSecond if of_partner => {
                    (Unit::MeterPerSecond, "velocity of the partner")
                }
                InputUnit::RadianPerSecond if of_partner => {
                    (Unit::RadianPerSecond, "rate of rotation of the partner")
                }
                InputUnit::Meter if of_partner => (Unit::Meter, "position of the partner"),
                InputUnit::Radian if of_partner => (Unit::Radian, "angle of the partner"),
                InputUnit::MeterPerSecond => (Unit::MeterPerSecond, "given speed"),
                InputUnit::RadianPerSecond => (Unit::RadianPerSecond, "given rate of rotation"),
                InputUnit::Meter => (Unit::Meter, "given position"),
                InputUnit::Radian => (Unit::Radian, "given angle"),
                InputUnit::MeterPerSecond2 => (Unit::MeterPerSecond2, "given acceleration"),
                InputUnit::RadianPerSecond2 => {
                    (Unit::RadianPerSecond2, "given acceleration of the rotation")
                }
            };
            self.rows.push(Variable {
                name: input.name.clone(),
                description: description.to_owned(),
                causality: Causality::Input,
                variability: Variability::Continuous,
                kind: Kind::real(unit),
                source: Source::Input(i),
                is_listed: true,
                display_unit: None,
            });
        }
    }

    fn energies(&mut self) {
        let joule = Unit::Joule;
        self.output(
            "energy.kinetic",
            "kinetic energy",
            joule,
            Output::real([0; 2], |s, _| s.energy().kinetic)
                .local()
                .plotted(Plot::Energy),
        );
        self.output(
            "energy.potential",
            "energy in gravity and springs",
            joule,
            Output::real([0; 2], |s, _| s.energy().potential)
                .local()
                .plotted(Plot::Energy),
        );
        self.output(
            "energy.total",
            "kinetic and potential energy",
            joule,
            Output::real([0; 2], |s, _| s.energy().total()).plotted(Plot::Energy),
        );
        self.output(
            "energy.dissipated",
            "energy lost since the start",
            joule,
            Output::real([0; 2], |s, _| s.report().losses())
                .rate(|s, _| Some(s.dissipation_rate())),
        );
        self.discrete(
            "energy.balance_error",
            "energy change since the start that work and losses do not explain",
            Kind::real(joule),
            Output::real([0; 2], |s, _| s.report().energy_error()),
        );
        self.discrete(
            "energy.numerical_loss",
            "net energy removed by integration errors since the start",
            Kind::real(joule),
            Output::real([0; 2], |s, _| {
                s.report().numerical_loss - s.report().numerical_gain
            })
            .local(),
        );
    }

    fn events(&mut self) {
        self.discrete(
            "events.count",
            "number of events since the start",
            Kind::count(),
            Output::integer([0; 2], |s, _| number(s.report().n_events.total())),
        );
        self.discrete(
            "events.last_time",
            "time of the last event",
            Kind::real(Unit::Second),
            Output::real([0; 2], |s, _| {
                s.history().last_event.map_or(s.start(), |(time, _)| time)
            }),
        );
        self.discrete(
            "events.last_kind",
            "kind of the last event",
            Kind::Enumeration(EVENT_KIND),
            Output::integer([0; 2], |s, _| {
                let last = s.history().last_event;
                last.map_or(1, |(_, kind)| kind as i32 + 2)
            })
            .local(),
        );
        self.discrete(
            "solver.worst_residual",
            "worst residual of an accepted complementarity problem",
            Kind::real(Unit::One),
            Output::real([0; 2], |s, _| s.report().worst_residual).local(),
        );
    }

    fn time_stepping(&mut self) {
        self.discrete(
            "time_stepping.n_contacts",
            "number of places where bodies press on each other",
            Kind::count(),
            Output::integer([0; 2], |s, _| {
                number(s.state().time_stepping.contacts.len() as u64)
            }),
        );
        self.discrete(
            "time_stepping.n_asleep",
            "number of bodies that sleep",
            Kind::count(),
            Output::integer([0; 2], |s, _| {
                let timers = s.state().time_stepping.sleep_timer.iter();
                number(timers.filter(|x| x.is_infinite()).count() as u64)
            })
            .local(),
        );
        self.discrete(
            "time_stepping.penetration",
            "deepest overlap at the end of the last step",
            Kind::real(Unit::Meter),
            Output::real([0; 2], |s, _| s.report().end_penetration).local(),
        );
        self.discrete(
            "time_stepping.n_inexact",
            "groups of bodies that were not solved exactly so far",
            Kind::count(),
            Output::integer([0; 2], |s, _| number(s.report().inexact_solves)).local(),
        );
    }
}
