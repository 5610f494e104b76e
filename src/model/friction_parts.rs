//! Builds the friction elements of a model from the spec: friction in joints, clutches and brakes.

use super::friction::THREAD_ROW;
use super::{
    AnyForce, AnyJoint, Arm, BodyRef, ForceLink, FrictionElement, InputUnit, Load, Model, Motion,
};
use crate::kinds::plane::force::{Force, Signal, Stribeck, Torsional};
use crate::kinds::space::force::{Force as SpaceForce, JointSpring};
use crate::scene::spec;
use crate::scene::spec::friction::{Clutch, ClutchKind, FrictionBound, JointFriction};

impl Model {
    /// Adds the friction of a joint, whose equations start at `first_row`.
    pub(super) fn add_joint_friction(
        &mut self,
        joint: usize,
        first_row: usize,
        friction: &[JointFriction],
    ) {
        for written in friction {
            let link = &self.joints[joint];
            let (bodies, along) = (link.bodies, link.joint.clone());
            let coordinate = written.coordinate;
            let several = link.joint.description().coordinates_with_friction().count() > 1;
            let name = match link.joint.description().coordinates.get(coordinate) {
                Some(named) if several => format!("{}.friction_{named}", link.name),
                Some(_) | None => format!("{}.friction", link.name),
            };
            let is_angle = link.joint.coordinate_turns(coordinate);
            let thread = match &written.bound {
                FrictionBound::Reaction { radius, .. } => link.joint.thread(*radius),
                FrictionBound::Limit(_) => None,
            };
            let (quantity, unit) = match is_angle {
                true => ("torque", InputUnit::NewtonMeter),
                false => ("force", InputUnit::Newton),
            };
            let count = link.joint.description().n_forces;
            let (load, friction, arm) = match &written.bound {
                FrictionBound::Limit(signal) => {
                    let (load, limit) = self.friction_limit(&name, quantity, unit, signal);
                    (load, limit, Arm::Limit)
                }
                FrictionBound::Reaction {
                    coefficient,
                    radius,
                } => {
                    let (first, count, arm) = match thread {
                        Some(thread) => (first_row + THREAD_ROW, 1, 1.0 / thread.cos),
                        None => (first_row, count, *radius),
                    };
                    (
                        Load::Reaction { first, count },
                        *coefficient,
                        Arm::Radius(arm),
                    )
                }
            };
            if written.viscous > 0.0 {
                self.add_viscous(joint, coordinate, &name, written.viscous);
            }
            self.elements.push(FrictionElement {
                name,
                bodies,
                along,
                coordinate,
                thread,
                load,
                friction,
                static_friction: friction * written.static_ratio,
                arm,
                stribeck_velocity: written.stribeck_velocity,
                motion: Motion::Speed(Signal::constant(0.0)),
            });
        }
    }

    // the load and the coefficient of a limit: a constant one is a coefficient, which can be tuned
    fn friction_limit(
        &mut self,
        name: &str,
        quantity: &str,
        unit: InputUnit,
        written: &spec::Signal,
    ) -> (Load, f64) {
        match written {
            spec::Signal::Constant(limit) => (Load::Given(Signal::constant(1.0)), *limit),
            signal => {
                let signal = self.signal(name, quantity, unit, Some(signal));
                (Load::Given(signal), 1.0)
            }
        }
    }

    /// Adds the friction of a coupling with losses, which acts on its first coordinate.
    pub(super) fn add_coupling_friction(&mut self, coupling: usize, efficiency: f64) {
        let n_rows = self.joints.iter().map(|link| link.joint.row_names().len());
        let row = n_rows.sum::<usize>() + coupling;
        let coupling = &self.couplings[coupling];
        let Some(first) = coupling.terms.first() else {
            return;
        };
        let link = &self.joints[first.joint];
        let friction = 1.0 / efficiency - 1.0;
        self.elements.push(FrictionElement {
            name: format!("{}.friction", coupling.name),
            bodies: link.bodies,
            along: link.joint.clone(),
            coordinate: first.coordinate,
            thread: None,
            load: Load::Reaction {
                first: row,
                count: 1,
            },
            friction,
            static_friction: friction,
            arm: Arm::Radius(1.0),
            stribeck_velocity: None,
            motion: Motion::Speed(Signal::constant(0.0)),
        });
    }

    /// Adds a motor that prescribes a motion as far as its limit allows.
    pub(super) fn add_limited_motor(
        &mut self,
        name: String,
        (joint, coordinate): (usize, usize),
        motion: Motion,
        limit: f64,
    ) {
        let link = &self.joints[joint];
        self.elements.push(FrictionElement {
            name,
            bodies: link.bodies,
            along: link.joint.clone(),
            coordinate,
            thread: None,
            load: Load::Given(Signal::constant(1.0)),
            friction: limit,
            static_friction: 0.0,
            arm: Arm::Motor,
            stribeck_velocity: None,
            motion,
        });
    }

    fn add_viscous(&mut self, joint: usize, coordinate: usize, name: &str, damping: f64) {
        let link = &self.joints[joint];
        let force = match (&link.joint, link.joint.coordinate_turns(coordinate)) {
            (AnyJoint::Space(_), _) => AnyForce::Space(SpaceForce::JointSpring(JointSpring {
                coordinate,
                stiffness: 0.0,
                damping,
                rest: 0.0,
            })),
            (AnyJoint::Plane(_), true) => AnyForce::Plane(Force::Torsional(Torsional {
                stiffness: 0.0,
                damping,
                rest_angle: 0.0,
            })),
            (AnyJoint::Plane(_), false) => AnyForce::Plane(Force::Stribeck(Stribeck {
                static_friction: 0.0,
                kinetic_friction: 0.0,
                stribeck_rate: 1.0,
                transition_rate: 1.0,
                viscous: damping,
            })),
        };
        self.forces.push(ForceLink {
            name: format!("{name}.viscous"),
            bodies: link.bodies,
            force,
            joint: Some(joint),
        });
    }

    /// Adds a clutch along the first coordinate of a joint that only gives its axis.
    pub(super) fn add_clutch<P>(
        &mut self,
        written: &Clutch<P>,
        bodies: [BodyRef; 2],
        along: AnyJoint,
    ) {
        let (quantity, unit) = match written.kind {
            ClutchKind::Friction => ("normal_force", InputUnit::Newton),
            ClutchKind::TorqueLimiter => ("torque", InputUnit::NewtonMeter),
            ClutchKind::BeltBrake => ("tension", InputUnit::Newton),
            ClutchKind::OneWay => ("drag", InputUnit::NewtonMeter),
        };
        let (load, friction, static_friction) = match written.kind {
            ClutchKind::TorqueLimiter | ClutchKind::OneWay => {
                let (load, limit) =
                    self.friction_limit(&written.name, quantity, unit, &written.load);
                (load, limit, limit)
            }
            ClutchKind::Friction | ClutchKind::BeltBrake => {
                let load = self.signal(&written.name, quantity, unit, Some(&written.load));
                (Load::Given(load), written.friction, written.static_friction)
            }
        };
        let (radius, angle) = (written.radius, written.wrap_angle);
        let arm = match written.kind {
            ClutchKind::BeltBrake => Arm::Belt { radius, angle },
            ClutchKind::Friction => Arm::Radius(radius),
            ClutchKind::TorqueLimiter => Arm::Limit,
            ClutchKind::OneWay => Arm::OneWay,
        };
        self.elements.push(FrictionElement {
            name: written.name.clone(),
            bodies,
            along,
            coordinate: 0,
            thread: None,
            load,
            friction,
            static_friction,
            arm,
            stribeck_velocity: None,
            motion: Motion::Speed(Signal::constant(0.0)),
        });
    }
}
