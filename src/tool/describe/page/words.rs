//! Joints, forces, contacts and the method in words.

mod space_words;

use std::fmt::Write as _;

use super::number;
use crate::kinds::plane::force::{Flange, FlangeLaw, Force, MotorTorque, Signal};
use crate::kinds::space::force as space;
use crate::model::{
    AnyForce, Arm, BodyRef, Contact, ContactKind, Coupling, Drive, Driven, FrictionElement,
    Limited, Load, Model, Motion, Stop,
};
use crate::scene::spec::{self, Frame, ImpactLaw, Scheme};

/// Name, kind, bodies, equation.
type Row = [String; 4];

fn between(model: &Model, [a, b]: [BodyRef; 2]) -> String {
    format!("{} and {}", model.body_name(a), model.body_name(b))
}

/// One row per joint.
pub fn joint_rows(model: &Model) -> Vec<Row> {
    let rows = model.joints.iter().map(|link| {
        let description = link.joint.description();
        let mut equation = description.text.to_owned();
        for (parameter, value) in description.parameters.iter().zip(link.joint.values()) {
            let _ = write!(
                equation,
                ", {} {} {}",
                parameter.key,
                number(value),
                parameter.unit
            );
        }
        [
            link.name.clone(),
            description.word.to_owned(),
            between(model, link.bodies),
            equation,
        ]
    });
    let couplings = model.couplings.iter().map(|coupling| {
        let bodies = coupling.bodies.iter().map(|b| model.body_name(Some(*b)));
        let bodies: Vec<&str> = bodies.collect();
        [
            coupling.name.clone(),
            "coupling".to_owned(),
            bodies.join(", "),
            coupling_words(coupling, model),
        ]
    });
    rows.chain(couplings).collect()
}

/// One row per force element.
pub fn force_rows(model: &Model) -> Vec<Row> {
    let rows = model.forces.iter().map(|link| {
        let (kind, equation) = force_words(&link.force, model);
        let bodies = match link.bodies {
            [None, Some(_)] if link.force.is_given() => model.body_name(link.bodies[1]).to_owned(),
            bodies => between(model, bodies),
        };
        [link.name.clone(), kind.to_owned(), bodies, equation]
    });
    let of_scene = model.drives.iter();
    let of_scene = of_scene.filter(|drive| !model.drives_reel(drive));
    let drives = of_scene.map(|drive| {
        let bodies = model.bodies_of(drive);
        let (kind, bodies) = match drive.is_of_body() {
            true => ("prescribed motion", model.body_name(bodies[1]).to_owned()),
            false => ("motor", between(model, bodies)),
        };
        [
            drive.name.clone(),
            kind.to_owned(),
            bodies,
            drive_words(drive, model),
        ]
    });
    let elements = model.elements.iter().map(|element| {
        let kind = match element.arm {
            Arm::Motor => "motor with a limit",
            Arm::OneWay => "one-way clutch",
            Arm::Belt { .. } => "belt brake",
            Arm::Limit | Arm::Radius(_) => "dry friction",
        };
        [
            element.name.clone(),
            kind.to_owned(),
            between(model, element.bodies),
            element_words(element, model),
        ]
    });
    rows.chain(drives).chain(elements).collect()
}

/// Law of a friction element.
fn element_words(element: &FrictionElement, model: &Model) -> String {
    let unit = if element.turns() { "N m" } else { "N" };
    let friction = number(element.friction);
    match (&element.load, element.arm) {
        (_, Arm::Motor) => {
            let rate = if element.turns() { "rad/s" } else { "m/s" };
            let (what, rate) = match element.motion {
                Motion::Position(_) => ("rate of", ""),
                Motion::Speed(_) | Motion::Acceleration(_) => ("speed", rate),
            };
            let value = signal(element.motion.signal(), model);
            format!("{what} {value} {rate} with at most {friction} {unit}")
        }
        (Load::Given(load), Arm::OneWay) => {
            let drag = signal(load, model);
            format!("no motion backward; drag {friction} times {drag} N m forward")
        }
        (Load::Given(load), _) => {
            format!(
                "sticks below its limit; coefficient {friction}, load {}",
                signal(load, model)
            )
        }
        (Load::Reaction { .. }, _) => {
            format!(
                "sticks below its limit; coefficient {friction}, load the reaction of the joint or coupling"
            )
        }
    }
}

/// Equation of a drive.
fn drive_words(drive: &Drive, model: &Model) -> String {
    let what = match drive.of {
        Driven::Joint { joint, coordinate } => {
            let coordinates = model.joints[joint].joint.description().coordinates;
            coordinates.get(coordinate).map_or("coordinate", |c| c.name)
        }
        Driven::Body { .. } if model.drive_turns(drive) => "angle",
        Driven::Body { .. } => "coordinate",
        Driven::Turn { .. } => "angle about its axis",
    };
    let value = signal(drive.motion.signal(), model);
    let unit = if model.drive_turns(drive) { "rad" } else { "m" };
    match drive.motion {
        Motion::Speed(_) => {
            format!("rate of the {what} = {value} {unit}/s, with the force or torque required")
        }
        Motion::Acceleration(_) => {
            format!(
                "acceleration of the {what} = {value} {unit}/s², with the force or torque required"
            )
        }
        Motion::Position(_) => {
            format!("{what} = {value} {unit}, with the force or torque required")
        }
    }
}

/// Sum of a coupling.
fn coupling_words(coupling: &Coupling, model: &Model) -> String {
    let terms = coupling.terms.iter().map(|term| {
        let link = &model.joints[term.joint];
        let coordinates = link.joint.description().coordinates;
        let what = coordinates.get(term.coordinate).map_or("", |c| c.name);
        match term.factor {
            1.0 => format!("{what} of {}", link.name),
            factor => format!("{} {what} of {}", number(factor), link.name),
        }
    });
    let terms: Vec<String> = terms.collect();
    format!("{} = its value at the start", terms.join(" + ")).replace("+ -", "- ")
}

/// Kind and equation of a force element.
fn force_words(force: &AnyForce, model: &Model) -> (&'static str, String) {
    use AnyForce::{Plane, Space};
    let list = |signals: &[Signal]| {
        let all: Vec<String> = signals.iter().map(|s| signal(s, model)).collect();
        all.join(", ")
    };
    let axes = |frame: Frame| match frame {
        Frame::World => "world",
        Frame::Body => "body",
    };
    match force {
        Plane(Force::SpringDamper(_)) | Space(space::Force::SpringDamper(_)) => (
            "spring and damper",
            "pull = stiffness (length - free length) + damping times the rate of the length".to_owned(),
        ),
        Plane(Force::Torsional(_)) => (
            "torsional",
            "torque = -stiffness (angle - free angle) - damping times the rate of the angle".to_owned(),
        ),
        Space(space::Force::JointSpring(_)) => (
            "joint spring",
            "push = -stiffness (coordinate - free value) - damping times its rate".to_owned(),
        ),
        Plane(Force::Applied(f)) => {
            let (force, torque) = (list(&f.force), signal(&f.torque, model));
            let axes = axes(f.frame);
            let equation = format!("force ({force}) N in the axes of the {axes}, torque {torque} N m");
            ("applied", equation)
        }
        Space(space::Force::Applied(f)) => {
            let (force, torque, axes) = (list(&f.force), list(&f.torque), axes(f.frame));
            let equation = format!("force ({force}) N, torque ({torque}) N m in the axes of the {axes}");
            ("applied", equation)
        }
        Plane(Force::Viscous(_)) | Space(space::Force::Viscous(_)) => (
            "viscous",
            "force = -linear times the relative velocity, torque = -angular times the relative rate".to_owned(),
        ),
        Plane(Force::Stribeck(_)) | Space(space::Force::Stribeck(_)) => (
            "Stribeck friction",
            "friction that falls from its static to its kinetic value as the joint starts to move, and a viscous part".to_owned(),
        ),
        Plane(Force::MotorTorque(MotorTorque { torque }))
        | Space(space::Force::MotorTorque(space::MotorTorque { torque, .. })) => {
            ("motor", format!("push = {}", signal(torque, model)))
        }
        Plane(Force::Servo(servo)) | Space(space::Force::Servo(space::Servo { law: servo, .. })) => {
            let position = signal(&servo.position, model);
            let limit = match servo.limit.is_finite() {
                true => ", within its limit",
                false => "",
            };
            let equation = format!("push = kp ({position} - coordinate) + kd times the same of their rates{limit}");
            ("servo", equation)
        }
        Plane(Force::Flange(Flange { law, .. })) | Space(space::Force::Flange(space::Flange { law, .. })) => {
            ("flange", flange_words(law, model))
        }
    }
}

fn flange_words(law: &FlangeLaw, model: &Model) -> String {
    let input = |i: usize| format!("input {}", model.inputs[i].name);
    match *law {
        FlangeLaw::Force(force) => format!("push = {}", input(force)),
        FlangeLaw::Spring {
            position, velocity, ..
        } => format!(
            "push = stiffness ({} - position) + damping ({} - velocity)",
            input(position),
            input(velocity)
        ),
    }
}

fn signal(signal: &Signal, model: &Model) -> String {
    match signal {
        Signal::Input(i) => format!("input {}", model.inputs[*i].name),
        Signal::Given(spec::Signal::Constant(x)) => number(*x),
        Signal::Given(spec::Signal::Harmonic {
            amplitude,
            omega,
            phase,
            offset,
        }) => {
            let part = |x: f64, text: String| if x == 0.0 { String::new() } else { text };
            let before = part(*offset, format!("{} + ", number(*offset)));
            let after = part(*phase, format!(" + {}", number(*phase)));
            let (amplitude, omega) = (number(*amplitude), number(*omega));
            format!("{before}{amplitude} cos({omega} t{after})")
        }
        Signal::Given(spec::Signal::Input { start }) => format!("input from {}", number(*start)),
        Signal::Given(spec::Signal::Table { times, .. }) => {
            format!("table of {} rows", times.len())
        }
    }
}

// kinetic and static friction
fn falling(sliding: String, contact: &Contact) -> String {
    let at_rest = number(contact.static_friction);
    match contact.stribeck_velocity {
        Some(velocity) => {
            let velocity = number(velocity);
            format!(
                "{sliding}, at rest {at_rest}, which falls to that over a speed of {velocity} m/s"
            )
        }
        None if contact.drops_at_breakaway() => format!("{sliding}, at rest {at_rest}"),
        None => sliding,
    }
}

// the speed at which the reel of a rope pays it out
fn reel_words(model: &Model, rope: &Contact) -> String {
    let reel = model.rope_of(rope).and_then(|rope| rope.reel);
    let mut drives = model.drives.iter();
    let drive = drives.find(|drive| reel.is_some() && model.bodies_of(drive)[1] == reel);
    drive.map_or(String::new(), |drive| {
        let speed = signal(drive.motion.signal(), model);
        format!(" and what its reel pays out at the speed {speed} m/s")
    })
}

/// One row per possible shape pair, per stop, and per rope.
pub fn contact_rows(model: &Model) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, pair) in model.pairs.iter().enumerate() {
        let contacts: Vec<_> = model.contacts.iter().filter(|c| c.pair == i).collect();
        for (k, contact) in contacts.iter().enumerate() {
            let restitution = number(contact.restitution);
            let (name, kind, equation) = match &contact.kind {
                // all points of a pair have the same contact material
                ContactKind::Feature(_) | ContactKind::Space(_) if k > 0 => continue,
                ContactKind::Feature(_) | ContactKind::Space(_) => {
                    let friction = match &contact.kind {
                        ContactKind::Space(contact_kind) => {
                            space_words::friction(contact.friction, contact_kind)
                        }
                        ContactKind::Feature(_) | ContactKind::Limit(_) => number(contact.friction),
                    };
                    let friction = falling(friction, contact);
                    let tangential = number(contact.tangential_restitution);
                    let equation = format!(
                        "friction {friction}, restitution {restitution}, tangential restitution {tangential}"
                    );
                    let kind = match contacts.len() {
                        1 => "contact".to_owned(),
                        n => format!("contact, {n} places"),
                    };
                    (pair, kind, equation)
                }
                ContactKind::Limit(Stop {
                    of: Limited::Rope(_),
                    bound,
                    ..
                }) => {
                    let length = number(*bound);
                    let reel = reel_words(model, contact);
                    let equation = format!(
                        "length of its path at most {length}{reel}, restitution {restitution}"
                    );
                    (&contact.name, "rope".to_owned(), equation)
                }
                ContactKind::Limit(stop) => {
                    let side = if stop.above { "at least" } else { "at most" };
                    let bound = number(stop.bound);
                    let equation = format!("coordinate {side} {bound}, restitution {restitution}");
                    (&contact.name, "stop".to_owned(), equation)
                }
            };
            rows.push([name.clone(), kind, between(model, contact.bodies), equation]);
        }
    }
    rows
}

/// Equations of the whole scene and the integration method, one sentence each.
pub fn integration(model: &Model) -> Vec<String> {
    let settings = &model.settings;
    let [x, y, z] = [model.gravity.x, model.gravity.y, model.gravity.z].map(number);
    let mut sentences = if model.is_spatial() {
        space_words::motion(&[x, y, z])
    } else {
        vec![format!(
            "Mass times acceleration of each body is the sum of gravity, ({x}, {y}) m/s², and the forces of elements, joints and contacts; inertia times angular acceleration is the sum of their torques."
        )]
    };
    if !model.joints.is_empty() {
        sentences.push("Joints are enforced by reaction forces that do no work.".to_owned());
    }
    if !model.contacts.is_empty() {
        sentences.push("A contact force never pulls: gap and normal force are non-negative, and one of them is zero.".to_owned());
    }
    if model.contacts.iter().any(|c| c.friction > 0.0) {
        if model.is_spatial() {
            sentences.push(space_words::cone(&settings.friction_cone));
        }
        sentences.push("Coulomb friction: a sticking contact transmits up to the friction coefficient times the normal force, a sliding one exactly that, opposite to the sliding velocity.".to_owned());
    }
    if !model.contacts.is_empty() {
        let law = match settings.impact_law {
            ImpactLaw::Poisson => {
                "the impulse of restitution is that of compression times the coefficient of restitution, with friction in both phases"
            }
            ImpactLaw::PoissonPrinted => {
                "the impulse of restitution is that of compression times the coefficient of restitution, with friction in compression only"
            }
            ImpactLaw::Newton => {
                "the separation speed is the approach speed times the coefficient of restitution"
            }
            ImpactLaw::Expedient => {
                "the velocity change of restitution is that of compression times the coefficient of restitution"
            }
        };
        sentences.push(format!(
            "A collision changes velocities instantaneously: {law}."
        ));
    }
    let scheme = match settings.scheme {
        Scheme::Trapezoidal => "the linearly implicit trapezoidal rule".to_owned(),
        Scheme::TrapezoidalPrinted => {
            "the trapezoidal rule with all gradients at the midpoint".to_owned()
        }
        Scheme::TrapezoidalAverage => {
            "the trapezoidal rule with constraints on the mean velocity".to_owned()
        }
        Scheme::Extrapolated => format!(
            "symmetric steps extrapolated to order {}",
            2 * settings.rows
        ),
        Scheme::ImplicitEuler => "the linearly implicit Euler method".to_owned(),
        Scheme::ExplicitEuler => "the explicit Euler method".to_owned(),
        Scheme::PositionEuler => "the Euler method with constraints on positions".to_owned(),
        Scheme::General { alpha, gamma } => format!(
            "the general scheme with alpha = {} and gamma = {}",
            number(alpha),
            number(gamma)
        ),
    };
    match settings.tolerance {
        Some(tolerance) => sentences.push(format!(
            "It is integrated by symmetric steps extrapolated to order {}, whose lengths, up to {} s, keep the error of each step below {:e}, relative to nominal sizes and values. Between events contact statuses are fixed; a linear complementarity problem of joints, contacts and friction is solved only at events.",
            2 * settings.rows_taken(),
            number(settings.max_step),
            tolerance
        )),
        None if settings.extrapolates() => sentences.push(format!(
            "It is integrated by {scheme}, with a step of {} s. Between events contact statuses are fixed; a linear complementarity problem of joints, contacts and friction is solved only at events.",
            number(settings.step)
        )),
        None => sentences.push(format!(
            "It is integrated by {scheme} with a step of {} s. Each step is one linear complementarity problem of joints, contacts and friction.",
            number(settings.step)
        )),
    }
    if settings.locate_collisions {
        sentences.push("Collisions are located inside a step.".to_owned());
    }
    if settings.extrapolates() || settings.locates_transitions() {
        sentences.push(
            "Changes between stick and slip, reversals and take-off are located inside a step."
                .to_owned(),
        );
    }
    sentences
}
