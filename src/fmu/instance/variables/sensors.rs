//! Sensors: quantities that the author of a scene names.

use super::{ANGULAR, AXES, LINEAR, QUATERNION, Table};
use crate::fmu::instance::unit::DisplayUnit;
use crate::fmu::instance::variable::{Output, Unit};
use crate::model::{Model, Sensor};
use crate::scene::error::Problem;
use crate::scene::spec::sensor::{SensorKind, SensorTarget};

impl Table {
    pub(super) fn sensors(&mut self, model: &Model) {
        for (i, sensor) in model.sensors.iter().enumerate() {
            let unit = unit_of(model, sensor);
            let display_unit = display_unit_of(sensor, unit);
            let what = description(model, sensor);
            let components = components(model, sensor.kind);
            let first = self.rows.len();
            match (components, sensor.component) {
                ([], _) => self.output(&sensor.name, what, unit, output(i, 0, sensor.kind)),
                (names, Some(k)) => {
                    let what = format!("{what}, {}", names[k]);
                    self.output(&sensor.name, what, unit, output(i, k, sensor.kind));
                }
                (names, None) => {
                    self.vector(&sensor.name, &what, unit, names, output(i, 0, sensor.kind));
                }
            }
            for row in &mut self.rows[first..] {
                row.display_unit = display_unit;
            }
        }
    }
}

fn output(sensor: usize, component: usize, kind: SensorKind) -> Output {
    use SensorKind::{
        Acceleration, AngularAcceleration, ContactForce, ContactMoment, JointForce, JointMoment,
    };
    let output = Output::real([sensor, component], |s, [sensor, i]| s.sensor(sensor, i)).column();
    match kind {
        Acceleration | AngularAcceleration | JointForce | JointMoment | ContactForce
        | ContactMoment => output.follows_inputs(),
        _ => output,
    }
}

fn components(model: &Model, kind: SensorKind) -> &'static [&'static str] {
    use SensorKind::{
        AngularAcceleration, AngularVelocity, ContactMoment, JointMoment, Orientation,
    };
    match (kind, kind.target()) {
        (Orientation, _) => &QUATERNION,
        (_, SensorTarget::Points | SensorTarget::Coordinate) => &[],
        (SensorKind::Angle, _) => &[],
        (AngularVelocity | AngularAcceleration | ContactMoment | JointMoment, _)
            if !model.is_spatial() =>
        {
            &[]
        }
        _ if model.is_spatial() => &AXES,
        _ => &AXES[..2],
    }
}

fn unit_of(model: &Model, sensor: &Sensor) -> Unit {
    use SensorKind as K;
    let along = || {
        let [joint, _] = sensor.joint;
        match model.joints[joint]
            .joint
            .coordinate_turns(sensor.coordinate)
        {
            true => ANGULAR,
            false => LINEAR,
        }
    };
    match sensor.kind {
        K::Position | K::Distance => Unit::Meter,
        K::Velocity | K::DistanceRate => Unit::MeterPerSecond,
        K::Acceleration => Unit::MeterPerSecond2,
        K::Angle => Unit::Radian,
        K::Orientation => Unit::One,
        K::AngularVelocity => Unit::RadianPerSecond,
        K::AngularAcceleration => Unit::RadianPerSecond2,
        K::JointCoordinate => along()[0],
        K::JointRate => along()[1],
        K::JointForce | K::ContactForce => Unit::Newton,
        K::JointMoment | K::ContactMoment => Unit::NewtonMeter,
    }
}

fn display_unit_of(sensor: &Sensor, unit: Unit) -> Option<DisplayUnit> {
    unit.display_unit(&sensor.display_unit.as_ref()?.text)
}

/// Sensors with a unit for display that is not one of theirs.
pub(super) fn wrong_display_units(model: &Model) -> Vec<Problem> {
    let mut problems = Vec::new();
    for sensor in &model.sensors {
        let unit = unit_of(model, sensor);
        if let Some(written) = &sensor.display_unit
            && display_unit_of(sensor, unit).is_none()
        {
            let known: Vec<&str> = unit.display_units().collect();
            problems.push(Problem {
                place: written.place.clone(),
                key: format!("sensor[{}].display_unit", sensor.name),
                message: format!(
                    "\"{}\" is not a unit for a {} in {}",
                    written.text,
                    sensor.kind.word(),
                    unit.name()
                ),
                hint: format!("possible are \"{}\"", known.join("\", \"")),
            });
        }
    }
    problems
}

fn description(model: &Model, sensor: &Sensor) -> String {
    let kind = sensor.kind.word().replace('_', " ");
    let [a, b] = sensor.bodies.map(|body| model.body_name(body));
    let of = match sensor.kind.target() {
        SensorTarget::Point => format!("{kind} of a point of {a}"),
        SensorTarget::Body => format!("{kind} of {a}"),
        SensorTarget::Points => format!("{kind} between {a} and {b}"),
        SensorTarget::Coordinate => {
            let link = &model.joints[sensor.joint[0]];
            let coordinates = link.joint.description().coordinates;
            let name = coordinates.get(sensor.coordinate).map_or("", |c| c.name);
            let rate = match sensor.kind {
                SensorKind::JointRate => "rate of the ",
                _ => "",
            };
            format!("{rate}{name} of {}", link.name)
        }
        SensorTarget::Joint => format!("{kind} of {}", model.joints[sensor.joint[0]].name),
        SensorTarget::Contact => format!("{kind} of {a} on {b}"),
    };
    match sensor.frame {
        Some(frame) => format!("{of}, relative to {}", model.bodies[frame].name),
        None => of,
    }
}
