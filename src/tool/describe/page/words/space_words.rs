//! Joints and forces in space in words: kind, equation.

use super::number;
use crate::kinds::plane::force::Signal;
use crate::kinds::space::force::Force;
use crate::model::{JointLink, Motor, SpaceContact};
use crate::scene::spec::{Frame, FrictionCone};

pub(super) fn force(force: &Force, signal: impl Fn(&Signal) -> String) -> (&'static str, String) {
    match force {
        Force::SpringDamper(_) => (
            "spring and damper",
            "pull = stiffness (length - free length) + damping times the rate of the length"
                .to_owned(),
        ),
        Force::JointSpring(_) => (
            "joint spring",
            "push = -stiffness (coordinate - free value) - damping times its rate".to_owned(),
        ),
        Force::Applied(applied) => {
            let frame = match applied.frame {
                Frame::World => "world",
                Frame::Body => "body",
            };
            let list = |signals: &[Signal; 3]| signals.each_ref().map(&signal).join(", ");
            let (force, torque) = (list(&applied.force), list(&applied.torque));
            let equation =
                format!("force ({force}) N, torque ({torque}) N m in the axes of the {frame}");
            ("applied", equation)
        }
        Force::Viscous(_) => (
            "viscous",
            "force = -linear times the relative velocity, torque = -angular times the relative rate"
                .to_owned(),
        ),
        Force::Stribeck(_) => (
            "Stribeck friction",
            "friction that falls from its static to its kinetic value as the joint starts to move, and a viscous part"
                .to_owned(),
        ),
        Force::MotorTorque(motor) => ("motor", format!("push = {}", signal(&motor.torque))),
    }
}

pub(super) fn motor(motor: &Motor, joint: &JointLink, speed: &str) -> String {
    let coordinate = joint.joint.description().coordinates.get(motor.coordinate);
    let unit = if joint.joint.coordinate_turns(motor.coordinate) {
        "rad/s"
    } else {
        "m/s"
    };
    let name = coordinate.map_or("coordinate", |c| c.name);
    format!("rate of the {name} = {speed} {unit}, with the effort that it takes")
}

pub(super) fn friction(coefficient: f64, touch: &SpaceContact) -> String {
    if touch.axis.is_none() {
        return number(coefficient);
    }
    let mut both = [coefficient, coefficient * touch.across].map(number);
    if touch.turned {
        both.reverse();
    }
    let [along, across] = both;
    format!("{along} along its axis and {across} across")
}

pub(super) fn motion([x, y, z]: &[String; 3]) -> Vec<String> {
    vec![
        format!(
            "Mass times acceleration of each body is the sum of gravity, ({x}, {y}, {z}) m/s², and the forces of elements, joints and contacts; the rate of its angular momentum is the sum of their torques."
        ),
        "A body's orientation is a unit quaternion; its rate of rotation is integrated in its principal axes.".to_owned(),
        format!(
            "Pairs of shapes have outputs for their forces as wholes; their contacts one by one only where there are {} of them at most.",
            crate::simulation::observe::MOST_SHOWN
        ),
    ]
}

pub(super) fn cone(cone: &FrictionCone) -> String {
    match cone {
        FrictionCone::Exact => {
            "Friction is bounded by a circle, or by an ellipse where it differs between directions."
                .to_owned()
        }
        FrictionCone::Polyhedral { directions, .. } => {
            format!("Friction is bounded by a polygon of {directions} corners.")
        }
    }
}
