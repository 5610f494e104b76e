//! The half of the table that scenes in space have instead of the planar one. Vectors are in world axes unless their
//! name says otherwise; body axes are those that the scene gives the body, not its principal ones.

use super::{ANGULAR, LINEAR, ParameterRow, Table, bounded, real, structured};
use crate::fmu::instance::parameter::Parameter;
use crate::fmu::instance::space::SpaceOutput as Output;
use crate::fmu::instance::variable::{Kind, Role, SPACE_CONTACT_STATUS, Unit};
use crate::kinds::space::BODY_DOF;
use crate::kinds::space::force::Force;
use crate::model::{Body, ContactKind, Model};
use crate::scene::spec::Frame;
use crate::simulation::observe;

const AXES: [&str; 3] = ["x", "y", "z"];
const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];
const EULER: [&str; 3] = ["roll", "pitch", "yaw"];

fn turns(body: &Body) -> bool {
    body.n_dof == BODY_DOF
}

impl Table {
    /// One output for each component of a vector.
    #[inline(never)]
    #[cfg_attr(small, optimize(size))]
    fn vector(
        &mut self,
        name: &str,
        what: &str,
        unit: Unit,
        components: &[&str],
        role: &dyn Fn(usize) -> Role,
    ) {
        for (i, component) in components.iter().enumerate() {
            self.output(
                format!("{name}.{component}"),
                format!("{what}, {component}"),
                unit,
                role(i),
            );
        }
    }

    pub(super) fn space_bodies(&mut self, model: &Model) {
        for (b, body) in model.bodies.iter().enumerate() {
            let (name, first) = (&body.name, body.first);
            self.vector(
                &format!("{name}.position"),
                &format!("centre of mass of {name}"),
                Unit::Meter,
                &AXES,
                &|i| Role::Position(first + i),
            );
            self.vector(
                &format!("{name}.velocity"),
                &format!("velocity of the centre of mass of {name}"),
                Unit::MeterPerSecond,
                &AXES,
                &|i| Role::Velocity(first + i),
            );
            self.vector(
                &format!("{name}.acceleration"),
                &format!("acceleration of the centre of mass of {name}"),
                Unit::MeterPerSecond2,
                &AXES,
                &|i| Role::Acceleration(first + i),
            );
            if turns(body) {
                self.rotation(b, name);
            }
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn rotation(&mut self, b: usize, name: &str) {
        self.vector(
            &format!("{name}.orientation"),
            &format!("quaternion from the world's to the axes of {name}"),
            Unit::One,
            &QUATERNION,
            &|i| Role::Space(Output::Orientation(b, i)),
        );
        let what = format!(
            "rotation of {name} about z, then y, then x of its own axes, for display; roll is 0 where the pitch is a right angle"
        );
        self.vector(
            &format!("{name}.euler"),
            &what,
            Unit::Radian,
            &EULER,
            &|i| Role::Space(Output::Euler(b, i)),
        );
        type Make = fn(usize, usize) -> Output;
        let rows: [(&str, &str, Unit, Make); 4] = [
            (
                "angular_velocity",
                "rate of rotation in world axes",
                Unit::RadianPerSecond,
                Output::AngularVelocity,
            ),
            (
                "angular_velocity_body",
                "rate of rotation in body axes",
                Unit::RadianPerSecond,
                Output::BodyAngularVelocity,
            ),
            (
                "angular_acceleration",
                "angular acceleration in world axes",
                Unit::RadianPerSecond2,
                Output::AngularAcceleration,
            ),
            (
                "angular_acceleration_body",
                "angular acceleration in body axes",
                Unit::RadianPerSecond2,
                Output::BodyAngularAcceleration,
            ),
        ];
        for (quantity, phrase, unit, make) in rows {
            self.vector(
                &format!("{name}.{quantity}"),
                &format!("{phrase} of {name}"),
                unit,
                &AXES,
                &|i| Role::Space(make(b, i)),
            );
        }
    }

    /// Stops and the contacts of pairs with few of them one by one, then all pairs as wholes.
    pub(super) fn space_contacts(&mut self, model: &Model) {
        for (j, contact) in model.contacts.iter().enumerate() {
            if matches!(contact.kind, ContactKind::Space(_)) && observe::is_shown(model, j) {
                self.space_contact(model, j);
            } else if matches!(contact.kind, ContactKind::Limit(_)) {
                self.contact(model, j);
            }
        }
        for pair in observe::shape_pairs(model) {
            self.pair(model, pair);
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn space_contact(&mut self, model: &Model, j: usize) {
        let contact = &model.contacts[j];
        let name = format!("contact.{}", structured(&contact.name));
        let what = &contact.name;
        let second = model.body_name(contact.bodies[1]);
        for (quantity, phrase, unit, role) in [
            ("gap", "gap", Unit::Meter, Role::Gap(j)),
            ("penetration", "overlap", Unit::Meter, Role::Penetration(j)),
            (
                "normal_force",
                "normal force",
                Unit::Newton,
                Role::NormalForce(j),
            ),
        ] {
            self.output(
                format!("{name}.{quantity}"),
                format!("{phrase} of {what}"),
                unit,
                role,
            );
        }
        self.vector(
            &format!("{name}.friction_force"),
            &format!("friction force of {what} on {second}"),
            Unit::Newton,
            &AXES,
            &|i| Role::Space(Output::FrictionForce(j, i)),
        );
        if model.resists_rotation() {
            self.vector(
                &format!("{name}.friction_moment"),
                &format!("moment of torsional and rolling friction of {what} on {second}"),
                Unit::NewtonMeter,
                &AXES,
                &|i| Role::Space(Output::FrictionMoment(j, i)),
            );
        }
        self.vector(
            &format!("{name}.normal"),
            &format!("unit normal of {what}, towards {second}"),
            Unit::One,
            &AXES,
            &|i| Role::Space(Output::Normal(j, i)),
        );
        self.vector(
            &format!("{name}.point"),
            &format!("place of {what} on {second}"),
            Unit::Meter,
            &AXES,
            &|i| Role::Space(Output::Point(j, i)),
        );
        for (quantity, phrase, role) in [
            ("normal_impulse", "normal impulse", Role::NormalImpulse(j)),
            (
                "friction_impulse",
                "size of the tangential impulse",
                Role::FrictionImpulse(j),
            ),
        ] {
            self.discrete(
                format!("{name}.{quantity}"),
                format!("{phrase} of the last impact of {what}"),
                real(Unit::NewtonSecond),
                role,
            );
        }
        self.discrete(
            format!("{name}.status"),
            format!("status of {what}"),
            Kind::Enumeration(SPACE_CONTACT_STATUS),
            Role::Space(Output::Status(j)),
        );
    }

    #[cfg_attr(small, optimize(size))]
    fn pair(&mut self, model: &Model, pair: usize) {
        let what = &model.pairs[pair];
        let name = format!("pair.{}", structured(what));
        let second = model.body_name(observe::bodies_of_pair(model, pair)[1]);
        self.output(
            format!("{name}.gap"),
            format!("smallest gap of {what}"),
            Unit::Meter,
            Role::Space(Output::PairGap(pair)),
        );
        self.output(
            format!("{name}.normal_force"),
            format!("sum of the normal forces of {what}"),
            Unit::Newton,
            Role::Space(Output::PairNormalForce(pair)),
        );
        self.vector(
            &format!("{name}.force"),
            &format!("force of {what} on {second}, normal and friction"),
            Unit::Newton,
            &AXES,
            &|i| Role::Space(Output::PairForce(pair, i)),
        );
        self.vector(
            &format!("{name}.torque"),
            &format!("torque of {what} on {second} about its centre of mass"),
            Unit::NewtonMeter,
            &AXES,
            &|i| Role::Space(Output::PairTorque(pair, i)),
        );
        let n = observe::contacts_of(model, pair).len();
        self.discrete(
            format!("{name}.n_closed"),
            format!("number of closed contacts of {what}, of {n}"),
            Kind::Integer {
                min: Some(0),
                max: i32::try_from(n).ok(),
            },
            Role::Space(Output::PairClosed(pair)),
        );
    }

    #[cfg_attr(small, optimize(size))]
    pub(super) fn space_joints(&mut self, model: &Model) {
        let mut row = 0;
        for (j, link) in model.joints.iter().enumerate() {
            let name = &link.name;
            let Some(joint) = link.joint.space() else {
                continue;
            };
            for (k, coordinate) in joint.coordinates().iter().enumerate() {
                let is_angle = joint.coordinate_is_angle(k);
                let (units, range) = if is_angle {
                    (ANGULAR, ", counted over all turns")
                } else {
                    (LINEAR, "")
                };
                self.output(
                    format!("{name}.coordinate.{coordinate}"),
                    format!("{coordinate} of {name}{range}"),
                    units[0],
                    Role::Space(Output::JointCoordinate(j, k)),
                );
                self.output(
                    format!("{name}.rate.{coordinate}"),
                    format!("rate of the {coordinate} of {name}"),
                    units[1],
                    Role::Space(Output::JointRate(j, k)),
                );
            }
            for (k, component) in joint.row_names().iter().enumerate() {
                let unit = if joint.row_is_angle(k) {
                    Unit::NewtonMeter
                } else {
                    Unit::Newton
                };
                self.output(
                    format!("{name}.reaction.{component}"),
                    format!("reaction of {name} against its {component}"),
                    unit,
                    Role::JointForce(row),
                );
                row += 1;
            }
        }
        for motor in &model.motors {
            let is_angle = model.joints[motor.joint]
                .joint
                .coordinate_turns(motor.coordinate);
            let (unit, what) = if is_angle {
                (Unit::NewtonMeter, "torque")
            } else {
                (Unit::Newton, "force")
            };
            self.output(
                format!("{}.effort", motor.name),
                format!("{what} that {} needs for its speed", motor.name),
                unit,
                Role::JointForce(row),
            );
            row += 1;
        }
    }

    pub(super) fn space_forces(&mut self, model: &Model) {
        for (i, link) in model.forces.iter().enumerate() {
            let unit = match link.force.space() {
                Some(Force::SpringDamper(_)) => Unit::Newton,
                Some(Force::JointSpring(f)) => effort(model, i, f.coordinate),
                Some(Force::Stribeck(f)) => effort(model, i, f.coordinate),
                Some(Force::Applied(_) | Force::Viscous(_) | Force::MotorTorque(_)) | None => {
                    continue;
                }
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

    pub(super) fn space_body_parameters(&mut self, model: &Model) {
        for (b, body) in model.bodies.iter().enumerate() {
            let name = &body.name;
            let p = Parameter::Mass(b);
            let kind = bounded(Unit::Kilogram, p);
            self.parameter(format!("{name}.mass"), "mass", true, kind, p);
            for (i, component) in AXES.into_iter().enumerate() {
                for (quantity, unit, p) in [
                    (
                        "position",
                        Unit::Meter,
                        Parameter::InitialPosition(body.first + i),
                    ),
                    (
                        "velocity",
                        Unit::MeterPerSecond,
                        Parameter::InitialVelocity(body.first + i),
                    ),
                ] {
                    self.parameter(
                        format!("{name}.initial.{quantity}.{component}"),
                        "at the start",
                        true,
                        real(unit),
                        p,
                    );
                }
            }
            if turns(body) {
                self.rotation_parameters(b, body);
            }
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn rotation_parameters(&mut self, b: usize, body: &Body) {
        let name = &body.name;
        for i in 0..3 {
            let p = Parameter::PrincipalInertia(b, i);
            self.parameter(
                format!("{name}.principal_inertia[{}]", i + 1),
                "principal moment of inertia about the centre of mass",
                true,
                bounded(Unit::KilogramMeter2, p),
                p,
            );
        }
        for (i, component) in QUATERNION.into_iter().enumerate() {
            self.parameter(
                format!("{name}.initial.orientation.{component}"),
                "quaternion at the start, of any length but zero",
                true,
                real(Unit::One),
                Parameter::InitialOrientation(b, i),
            );
        }
        let what = match body.start.frame {
            Frame::World => "at the start, in world axes",
            Frame::Body => "at the start, in body axes",
        };
        for (i, component) in AXES.into_iter().enumerate() {
            self.parameter(
                format!("{name}.initial.angular_velocity.{component}"),
                what,
                true,
                real(Unit::RadianPerSecond),
                Parameter::InitialAngularVelocity(b, i),
            );
        }
    }
}

fn effort(model: &Model, force: usize, coordinate: usize) -> Unit {
    if turning(model, force, coordinate) {
        Unit::NewtonMeter
    } else {
        Unit::Newton
    }
}

// does an element act on an angle?
fn turning(model: &Model, force: usize, coordinate: usize) -> bool {
    let joint = model.forces[force].joint;
    joint.is_some_and(|j| model.joints[j].joint.coordinate_turns(coordinate))
}

pub(super) fn force_parameters(i: usize, force: &Force, model: &Model) -> Vec<ParameterRow> {
    use Parameter as P;
    let along = |coordinate| {
        if turning(model, i, coordinate) {
            (
                Unit::NewtonMeterPerRadian,
                Unit::NewtonMeterSecondPerRadian,
                Unit::NewtonMeter,
            )
        } else {
            (
                Unit::NewtonPerMeter,
                Unit::NewtonSecondPerMeter,
                Unit::Newton,
            )
        }
    };
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
        Force::JointSpring(f) => {
            let (stiffness, damping, _) = along(f.coordinate);
            let free = if turning(model, i, f.coordinate) {
                ("free_angle", "free angle", Unit::Radian, P::RestLength(i))
            } else {
                ("free_length", "free length", Unit::Meter, P::RestLength(i))
            };
            vec![
                ("stiffness", "stiffness", stiffness, P::Stiffness(i)),
                ("damping", "damping", damping, P::Damping(i)),
                free,
            ]
        }
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
        Force::Stribeck(f) => {
            let (_, viscous, force) = along(f.coordinate);
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
        Force::Applied(_) | Force::MotorTorque(_) => Vec::new(),
    }
}
