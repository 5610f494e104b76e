//! Joints, motors and force elements.

use super::{ANGULAR, LINEAR, Table, turns};
use crate::fmu::instance::variable::{Kind, Output, Unit};
use crate::kinds::plane::force::{Force, Servo};
use crate::kinds::space::force as space;
use crate::model::{AnyForce, Driven, ForceLink, Model};

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
            let coordinates = link.joint.description().coordinates;
            for (k, coordinate) in coordinates.iter().enumerate() {
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
                    row_force(row).local(),
                );
                row += 1;
            }
        }
        for coupling in &model.couplings {
            let what = if coupling.turns { "torque" } else { "force" };
            self.output(
                format!("{}.reaction", coupling.name),
                format!("{what} of {} on its first coordinate", coupling.name),
                effort(coupling.turns),
                row_force(row),
            );
            row += 1;
        }
        self.drives(model, row);
    }

    fn drives(&mut self, model: &Model, first: usize) {
        let drives = (first..).zip(&model.drives);
        for (row, drive) in drives.filter(|(_, drive)| !model.drives_reel(drive)) {
            let is_moment = model.drive_turns(drive);
            let what = if is_moment { "torque" } else { "force" };
            let (name, text) = match drive.of {
                Driven::Joint { .. } => (
                    format!("{}.effort", drive.name),
                    format!("{what} that {} needs for its motion", drive.name),
                ),
                Driven::Body { .. } | Driven::Turn { .. } => (
                    drive.name.clone(),
                    format!("{what} needed to impose the motion of the body"),
                ),
            };
            self.output(name, text, effort(is_moment), row_force(row));
        }
        for (b, body) in model.bodies_of_scene().iter().enumerate() {
            if model.is_prescribed(b) {
                self.output(
                    format!("{}.drive.power", body.name),
                    "power needed to impose the motion of the body",
                    Unit::Watt,
                    Output::real([b, 0], |s, [b, _]| s.drive_power(b)).follows_inputs(),
                );
            }
        }
    }

    fn servo(&mut self, model: &Model, i: usize, link: &ForceLink, servo: &Servo) {
        let coordinate = match &link.force {
            AnyForce::Plane(_) => 0,
            AnyForce::Space(space::Force::Servo(f)) => f.coordinate,
            AnyForce::Space(_) => return,
        };
        let is_moment = link.joint.is_some_and(|j| turns(model, j, coordinate));
        self.output(
            format!("{}.effort", link.name),
            format!("torque or force of {}", link.name),
            effort(is_moment),
            Output::real([i, 0], |s, [i, _]| s.element_force(i))
                .follows_inputs()
                .column(),
        );
        self.discrete(
            format!("{}.saturation", link.name),
            format!(
                "{}: -1 at its lower limit, 0 inside, 1 at its upper limit",
                link.name
            ),
            Kind::real(Unit::One),
            Output::real([servo.branch, 0], |s, [branch, _]| {
                s.state().inputs[branch].derivatives[0]
            })
            .column(),
        );
    }

    pub(super) fn forces(&mut self, model: &Model) {
        for (i, link) in model.forces.iter().enumerate() {
            if let Some(servo) = link.force.servo() {
                self.servo(model, i, link, servo);
            }
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
        AnyForce::Plane(
            Force::Applied(_)
            | Force::Viscous(_)
            | Force::MotorTorque(_)
            | Force::Servo(_)
            | Force::Flange(_),
        )
        | AnyForce::Space(
            space::Force::Applied(_)
            | space::Force::Viscous(_)
            | space::Force::MotorTorque(_)
            | space::Force::Servo(_)
            | space::Force::Flange(_),
        ) => None,
    }
}
