//! Joints, motors and force elements.

use super::{ANGULAR, LINEAR, Table, turns};
use crate::fmu::instance::variable::{Output, Unit};
use crate::kinds::plane::force::Force;
use crate::kinds::space::force as space;
use crate::model::{AnyForce, Model};

pub(super) fn effort(is_moment: bool) -> Unit {
    if is_moment {
        Unit::NewtonMeter
    } else {
        Unit::Newton
    }
}

pub(super) fn row_force(row: usize) -> Output {
    Output::real([row, 0], |s, [row, _]| s.joint_force()[row])
        .follows_inputs()
        .column()
}

impl Table {
    pub(super) fn joints(&mut self, model: &Model) {
        let mut row = 0;
        for (j, link) in model.joints.iter().enumerate() {
            let name = &link.name;
            let coordinates = link.joint.space().map(|joint| joint.coordinates());
            for (k, coordinate) in coordinates.unwrap_or_default().iter().enumerate() {
                let (units, range) = if link.joint.coordinate_turns(k) {
                    (ANGULAR, ", counted over all turns")
                } else {
                    (LINEAR, "")
                };
                self.output(
                    format!("{name}.coordinate.{coordinate}"),
                    format!("{coordinate} of {name}{range}"),
                    units[0],
                    Output::real([j, k], |s, [j, k]| s.joint_coordinate(j, k)[0])
                        .rate(|s, [j, k]| Some(s.joint_coordinate(j, k)[1]))
                        .column(),
                );
                self.output(
                    format!("{name}.rate.{coordinate}"),
                    format!("rate of the {coordinate} of {name}"),
                    units[1],
                    Output::real([j, k], |s, [j, k]| s.joint_coordinate(j, k)[1]).column(),
                );
            }
            for (k, component) in link.joint.row_names().iter().enumerate() {
                self.output(
                    format!("{name}.reaction.{component}"),
                    format!("reaction of {name} against its {component}"),
                    effort(link.joint.row_is_moment(k)),
                    row_force(row),
                );
                row += 1;
            }
        }
        for motor in &model.motors {
            let is_moment = turns(model, motor.joint, motor.coordinate);
            let what = if is_moment { "torque" } else { "force" };
            self.output(
                format!("{}.effort", motor.name),
                format!("{what} that {} needs for its speed", motor.name),
                effort(is_moment),
                row_force(row),
            );
            row += 1;
        }
    }

    pub(super) fn forces(&mut self, model: &Model) {
        for (i, link) in model.forces.iter().enumerate() {
            let Some(coordinate) = coordinate_of(&link.force) else {
                continue;
            };
            let is_moment = link.joint.is_some_and(|j| turns(model, j, coordinate));
            self.output(
                format!("{}.force", link.name),
                format!(
                    "force of {} along its coordinate, positive when it pushes",
                    link.name
                ),
                effort(is_moment),
                Output::real([i, 0], |s, [i, _]| s.element_force(i)),
            );
        }
    }
}

// the joint coordinate of an element; for a spring between two points, its length
fn coordinate_of(force: &AnyForce) -> Option<usize> {
    match force {
        AnyForce::Plane(Force::SpringDamper(_) | Force::Torsional(_) | Force::Stribeck(_)) => {
            Some(0)
        }
        AnyForce::Space(space::Force::SpringDamper(_)) => Some(0),
        AnyForce::Space(space::Force::JointSpring(f)) => Some(f.coordinate),
        AnyForce::Space(space::Force::Stribeck(f)) => Some(f.coordinate),
        AnyForce::Plane(Force::Applied(_) | Force::Viscous(_))
        | AnyForce::Space(
            space::Force::Applied(_) | space::Force::Viscous(_) | space::Force::MotorTorque(_),
        ) => None,
    }
}
