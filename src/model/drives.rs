//! Adds motors, couplings and driven bodies to a model, and rejects those that contradict the joints or each other at the start.
//!
//! (1)  rows g_i of joints, couplings and drives with rates b_i: zero for joints and couplings, the speed for drives
//! (2)  Gram-Schmidt: g' = g - sum (g . e) e,  b' = b - sum (g . e) c  over the known directions e with rates c
//! (3)  a row with g' = 0 is dependent; it contradicts the others if b' is not zero

use super::accelerated::Accelerated;
use super::build::{CLOSED, unknown_name};
use super::space::vec3;
use super::{
    AnyForce, AnyJoint, BodyRef, Coupling, Drive, Driven, ForceLink, InputUnit, JointLink, Limited,
    Model, Motion, Poses, Term, contacts,
};
use crate::constraint::{GlobalRow, MAX_BODIES};
use crate::kinds::plane::force::{Force, Input, MotorTorque, Servo, Side, Signal};
use crate::kinds::space::force as spatial;
use crate::math::{Vec3, norm};
use crate::scene::error::{Place, Problem};
use crate::scene::spec::{self, BodyMotion, Integrator, Limits, MotorKind, Prescribed};

/// A row with a smaller remainder is dependent: rounding leaves 1e-15, and a mechanism this close to a dead point cannot be driven through
/// it.
const FOLLOWS: f64 = 1e-9;

/// Speeds may differ by this much, rad/s or m/s, and by as much relative to the speed: rounded digits in the scene.
const WRITTEN_DIGITS: f64 = 1e-6;

/// Where drives come from in the scene.
pub(super) struct Places<'a> {
    /// Of each body.
    pub bodies: Vec<&'a Place>,
    /// Of each joint.
    pub joints: Vec<&'a Place>,
}

impl Places<'_> {
    /// Place and key of a drive.
    fn of(&self, model: &Model, drive: &Drive) -> (Place, String) {
        match drive.of {
            Driven::Joint { joint, .. } => (
                self.joints[joint].clone(),
                format!("joint[{}].motor", model.joints[joint].name),
            ),
            Driven::Body { body, .. } | Driven::Turn { body, .. } => (
                self.bodies[body].clone(),
                format!("body[{}]", model.bodies[body].name),
            ),
        }
    }
}

impl Model {
    /// Adds the motor of a joint.
    pub(super) fn add_motor(&mut self, joint: usize, motor: &spec::Motor) {
        let link = &self.joints[joint];
        let (coordinate, bodies) = (motor.coordinate, link.bodies);
        let name = format!("{}.motor", link.name);
        let turns = link.joint.coordinate_turns(coordinate);
        let (quantity, unit) = match (motor.kind, turns) {
            (MotorKind::Speed, true) => ("speed", InputUnit::RadianPerSecond),
            (MotorKind::Speed, false) => ("speed", InputUnit::MeterPerSecond),
            (MotorKind::Position | MotorKind::Servo, true) => ("position", InputUnit::Radian),
            (MotorKind::Position | MotorKind::Servo, false) => ("position", InputUnit::Meter),
            (MotorKind::Effort, true) => ("torque", InputUnit::NewtonMeter),
            (MotorKind::Effort, false) => ("force", InputUnit::Newton),
        };
        let is_spatial = matches!(link.joint, AnyJoint::Space(_));
        let value = self.signal(&name, quantity, unit, Some(&motor.value));
        let motion = match motor.kind {
            MotorKind::Speed => Motion::Speed(value),
            MotorKind::Position => Motion::Position(value),
            MotorKind::Effort => {
                let force = if is_spatial {
                    AnyForce::Space(spatial::Force::MotorTorque(spatial::MotorTorque {
                        coordinate,
                        torque: value,
                    }))
                } else {
                    AnyForce::Plane(Force::MotorTorque(MotorTorque { torque: value }))
                };
                return self.add_force(name, bodies, force, joint);
            }
            MotorKind::Servo => {
                let law = self.servo(&name, value, motor.servo.as_ref(), turns);
                let force = if is_spatial {
                    AnyForce::Space(spatial::Force::Servo(spatial::Servo { coordinate, law }))
                } else {
                    AnyForce::Plane(Force::Servo(law))
                };
                return self.add_force(name, bodies, force, joint);
            }
        };
        if let Some(limit) = motor.limit {
            return self.add_limited_motor(name, (joint, coordinate), motion, limit);
        }
        self.drives.push(Drive {
            name,
            of: Driven::Joint { joint, coordinate },
            motion,
        });
    }

    // motors with a limit as if they had none
    fn limited_motors(&self) -> impl Iterator<Item = Drive> {
        self.elements
            .iter()
            .filter(|e| e.is_driven())
            .filter_map(|element| {
                let is_of = |link: &JointLink| element.name == format!("{}.motor", link.name);
                let joint = self.joints.iter().position(is_of)?;
                let coordinate = element.coordinate;
                Some(Drive {
                    name: element.name.clone(),
                    of: Driven::Joint { joint, coordinate },
                    motion: element.motion.clone(),
                })
            })
    }

    fn add_force(&mut self, name: String, bodies: [BodyRef; 2], force: AnyForce, joint: usize) {
        self.forces.push(ForceLink {
            name,
            bodies,
            force,
            joint: Some(joint),
        });
    }

    fn servo(
        &mut self,
        name: &str,
        position: Signal,
        written: Option<&spec::Servo>,
        turns: bool,
    ) -> Servo {
        let unit = match turns {
            true => InputUnit::RadianPerSecond,
            false => InputUnit::MeterPerSecond,
        };
        let velocity = written.and_then(|servo| servo.velocity.as_ref());
        Servo {
            kp: written.map_or(0.0, |servo| servo.kp),
            kd: written.map_or(0.0, |servo| servo.kd),
            position,
            velocity: velocity.map(|given| self.signal(name, "velocity", unit, Some(given))),
            limit: written.map_or(f64::INFINITY, |servo| servo.limit),
            branch: 0,
        }
    }

    /// Adds the prescribed motion of a body.
    pub(super) fn drive_body(&mut self, body: usize, motion: &BodyMotion) {
        let name = self.bodies[body].name.clone();
        let n = if self.spatial { 3 } else { 2 };
        let along = match &motion.linear {
            Prescribed::Along { direction, speed } => Some((&direction[..], "speed", speed)),
            Prescribed::PaidOut(speed) => Some((&[1.0, 0.0, 0.0][..], "reel_speed", speed)),
            Prescribed::Position(_) | Prescribed::Velocity(_) | Prescribed::Acceleration { .. } => {
                None
            }
        };
        let along = along.map(|(direction, quantity, speed)| {
            let unit = InputUnit::MeterPerSecond;
            let speed = self.signal(&name, quantity, unit, Some(speed));
            (direction, Motion::Speed(speed))
        });
        for (coordinate, axis) in ["x", "y", "z"].into_iter().enumerate().take(n) {
            let (motion, factor) = match &along {
                Some((direction, motion)) => (motion.clone(), direction[coordinate]),
                None => {
                    let axis = Some(axis);
                    (
                        self.body_motion(&name, &motion.linear, coordinate, axis),
                        1.0,
                    )
                }
            };
            self.drives.push(Drive {
                name: format!("{name}.drive.force.{axis}"),
                of: Driven::Body {
                    body,
                    coordinate,
                    factor,
                },
                motion,
            });
        }
        if self.bodies[body].n_dof == n {
            return;
        }
        let about = self.body_motion(&name, &motion.angular, 0, None);
        if !self.spatial {
            self.drives.push(Drive {
                name: format!("{name}.drive.torque"),
                of: Driven::Body {
                    body,
                    coordinate: 2,
                    factor: 1.0,
                },
                motion: about,
            });
            return;
        }
        let start = match &about {
            Motion::Speed(_) | Motion::Acceleration(_) => 0.0,
            Motion::Position(signal) => signal.value(0.0, Side::After, &self.start_inputs()),
        };
        let axis = motion.axis.map_or_else(Vec3::z, vec3);
        let mut poses = Poses::new(self);
        self.poses(&self.initial_position, &mut poses);
        let axis = poses.space()[body].turn_back(axis / axis.norm());
        for (component, along) in ["x", "y", "z"].into_iter().enumerate() {
            self.drives.push(Drive {
                name: format!("{name}.drive.torque.{along}"),
                of: Driven::Turn {
                    body,
                    component,
                    axis,
                    start,
                },
                motion: about.clone(),
            });
        }
    }

    // one component of the motion of a body; of the rotation without `axis`
    fn body_motion(
        &mut self,
        owner: &str,
        given: &Prescribed,
        component: usize,
        axis: Option<&str>,
    ) -> Motion {
        let (signals, quantity, unit) = match (given, axis) {
            (Prescribed::Position(s), Some(axis)) => {
                (s, format!("position_{axis}"), InputUnit::Meter)
            }
            (Prescribed::Velocity(s), Some(axis)) => {
                (s, format!("velocity_{axis}"), InputUnit::MeterPerSecond)
            }
            (Prescribed::Acceleration { signals, .. }, Some(axis)) => {
                let quantity = format!("acceleration_{axis}");
                (signals, quantity, InputUnit::MeterPerSecond2)
            }
            (Prescribed::Along { .. } | Prescribed::PaidOut(_), _) => {
                return Motion::Speed(Signal::constant(0.0));
            }
            (Prescribed::Acceleration { signals, .. }, None) => {
                let quantity = "angular_acceleration".to_owned();
                (signals, quantity, InputUnit::RadianPerSecond2)
            }
            (Prescribed::Position(s), None) => (s, "angle".to_owned(), InputUnit::Radian),
            (Prescribed::Velocity(s), None) => {
                (s, "angular_velocity".to_owned(), InputUnit::RadianPerSecond)
            }
        };
        let signal = self.signal(owner, &quantity, unit, signals.get(component));
        match given {
            Prescribed::Position(_) => Motion::Position(signal),
            Prescribed::Velocity(_) | Prescribed::Along { .. } | Prescribed::PaidOut(_) => {
                Motion::Speed(signal)
            }
            Prescribed::Acceleration { start, .. } => {
                let start = start.get(component).copied().unwrap_or(0.0);
                Motion::Acceleration(Accelerated::new(signal, start))
            }
        }
    }

    fn start_inputs(&self) -> Vec<Input> {
        let inputs = self.inputs.iter().map(|i| Input::held(0.0, i.start));
        inputs.collect()
    }
}

/// Adds the couplings.
pub(super) fn add_couplings(
    written: &[spec::Coupling],
    model: &mut Model,
    problems: &mut Vec<Problem>,
) {
    for coupling in written {
        let mut terms = Vec::new();
        for term in &coupling.terms {
            let found = model.joints.iter().position(|j| j.name == term.joint.text);
            let Some(joint) = found else {
                problems.push(unknown_name(&term.joint, "joint"));
                return;
            };
            // a packed scene can name any
            let coordinates = model.joints[joint].joint.description().coordinates;
            if term.coordinate >= coordinates.len() {
                problems.push(unknown_name(&term.joint, "coordinate of joint"));
                return;
            }
            terms.push(Term {
                joint,
                coordinate: term.coordinate,
                factor: term.factor,
            });
        }
        let Some(first) = terms.first().copied() else {
            continue;
        };
        let bodies = bodies_of(model, &terms);
        if let Some((key, message, hint)) = unsupported(model, coupling, bodies.len()) {
            problems.push(Problem {
                place: coupling.place.clone(),
                key: format!("coupling[{}].{key}", coupling.name),
                message,
                hint: hint.to_owned(),
            });
            continue;
        }
        let mut added = Coupling {
            name: coupling.name.clone(),
            terms,
            start: 0.0,
            turns: model.joints[first.joint]
                .joint
                .coordinate_turns(first.coordinate),
            bodies,
        };
        let mut poses = Poses::new(model);
        model.poses(&model.initial_position, &mut poses);
        added.start = model.coupling_row(&added, &poses).0;
        match coupling.backlash {
            Some(_) => model.loose_couplings.push(added),
            None => {
                model.couplings.push(added);
                if let Some(efficiency) = coupling.efficiency.filter(|e| *e < 1.0) {
                    model.add_coupling_friction(model.couplings.len() - 1, efficiency);
                }
            }
        }
    }
}

/// Adds the stops of couplings with backlash.
pub(super) fn add_backlash(written: &[spec::Coupling], model: &mut Model) {
    let plays = written.iter().filter_map(|coupling| coupling.backlash);
    for (i, backlash) in plays.enumerate() {
        let half = 0.5 * backlash.play;
        let limits = Limits {
            lower: -half,
            upper: half,
            restitution: backlash.restitution,
            compliance: None,
        };
        let coupling = &model.loose_couplings[i];
        let (name, bodies) = (coupling.name.clone(), coupling.pair());
        contacts::add_stops(model, Limited::Coupling(i), bodies, &name, &limits);
    }
}

// key, message and hint of what a coupling cannot have
fn unsupported(
    model: &Model,
    coupling: &spec::Coupling,
    n_bodies: usize,
) -> Option<(&'static str, String, &'static str)> {
    let is_time_stepping = model.settings.integrator == Integrator::TimeStepping;
    if is_time_stepping && coupling.efficiency.is_some_and(|e| e < 1.0) {
        return Some((
            "efficiency",
            "couplings with losses need the event-driven integrator".to_owned(),
            "remove `integrator = \"time_stepping\"` from `[settings]`, or `efficiency`",
        ));
    }
    let (most, when) = match (is_time_stepping, coupling.backlash) {
        (true, _) => (2, " with time stepping"),
        (false, Some(_)) => (2, " with backlash"),
        (false, None) => (MAX_BODIES, ""),
    };
    (n_bodies > most).then(|| {
        (
            "joints",
            format!(
                "the joints of the coupling have {n_bodies} moving bodies, but at most {most} are possible{when}"
            ),
            "mount some of the joints on the ground, or use several couplings",
        )
    })
}

fn bodies_of(model: &Model, terms: &[Term]) -> Vec<usize> {
    let mut bodies: Vec<usize> = Vec::new();
    let all = terms
        .iter()
        .flat_map(|term| model.joints[term.joint].bodies);
    for body in all.flatten() {
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    bodies
}

/// Rejects drives that contradict the start of the scene, the joints, or each other, and positions that jump.
pub(super) fn check(model: &Model, places: &Places, problems: &mut Vec<Problem>) {
    let limited: Vec<Drive> = model.limited_motors().collect();
    if model.drives.is_empty() && model.couplings.is_empty() && limited.is_empty() {
        return;
    }
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let inputs = model.start_inputs();
    for drive in model.drives.iter().chain(&limited) {
        let mut reject = |message: String, hint: &str| {
            let (place, key) = places.of(model, drive);
            problems.push(Problem {
                place,
                key,
                message,
                hint: hint.to_owned(),
            });
        };
        let off = model.drive_residual(drive, &poses, (0.0, Side::After), &inputs);
        if off.abs() > CLOSED {
            let value = drive.motion.signal().value(0.0, Side::After, &inputs);
            reject(
                format!(
                    "the motor prescribes the coordinate {value} at the start, but it is {:.6}",
                    value + off
                ),
                "move the body so that the joint starts there, or let the signal start where the joint is",
            );
        }
        if let Motion::Position(Signal::Given(spec::Signal::Table { times, values })) =
            &drive.motion
        {
            let jump = (1..times.len()).find(|i| times[*i] == times[i - 1]);
            if let Some(i) = jump.filter(|i| values[*i] != values[i - 1]) {
                reject(
                    format!(
                        "the prescribed position jumps by {} at t = {} s",
                        values[i] - values[i - 1],
                        times[i]
                    ),
                    "give the rows different times; a kink is allowed: the velocity then jumps, which is an impact",
                );
            }
        }
    }
    reject_contradictions(model, &poses, &inputs, places, problems);
}

/// A direction whose rate is known.
struct Known {
    direction: Vec<f64>,
    rate: f64,
}

fn reject_contradictions(
    model: &Model,
    poses: &Poses,
    inputs: &[Input],
    places: &Places,
    problems: &mut Vec<Problem>,
) {
    if model.drives.is_empty() {
        return;
    }
    let mut known: Vec<Known> = Vec::new();
    let mut add = |row: GlobalRow, wanted: f64| {
        let mut g = vec![0.0; model.n_velocities];
        row.add_to(1.0, &mut g);
        let size = norm(&g);
        let mut rate = wanted;
        // a second time against rounding
        for _ in 0..2 {
            for Known {
                direction,
                rate: of_direction,
            } in &known
            {
                let along: f64 = g.iter().zip(direction).map(|(g, e)| g * e).sum(); // (2)
                rate -= along * of_direction;
                for (g, e) in g.iter_mut().zip(direction) {
                    *g -= along * e;
                }
            }
        }
        let left = norm(&g);
        if left <= FOLLOWS * size {
            return Some(wanted - rate); // (3)
        }
        known.push(Known {
            direction: g.iter().map(|g| g / left).collect(),
            rate: rate / left,
        });
        None
    };
    for link in &model.joints {
        model.joint_rows(link, poses, |row, _| {
            add(row, 0.0); // (1)
        });
    }
    for coupling in &model.couplings {
        add(model.coupling_row(coupling, poses).1, 0.0);
    }
    for drive in &model.drives {
        let speed = drive.speed((0.0, Side::After), inputs);
        let Some(implied) = add(model.drive_row(drive, poses), speed) else {
            continue;
        };
        if (speed - implied).abs() > WRITTEN_DIGITS * (1.0 + speed.abs()) {
            let (place, key) = places.of(model, drive);
            problems.push(Problem {
                place,
                key,
                message: format!(
                    "the motor has the speed {speed}, but the other joints and motors only allow {implied:.6}"
                ),
                hint: "remove one of the motors or joints that act on the same coordinate, or use a torque or force".to_owned(),
            });
        }
    }
}
