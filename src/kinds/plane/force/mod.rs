//! Force elements. Each provides the force on the coordinates of its two bodies and its derivatives, split
//! so that stiff elements stay stable at any step: the `stiff` part of the position derivative is negative
//! semidefinite whatever the state, the `rest` makes it exact and is used where the step's matrix allows.

mod along;
mod applied;
mod flange;
mod motor_torque;
mod servo;
mod signal;
mod spring_damper;
mod stribeck;
mod torsional;
mod viscous;

pub use applied::Applied;
pub use flange::{Flange, FlangeLaw, Hold};
pub use motor_torque::MotorTorque;
pub use servo::{Branch, Effort, Servo};
pub use signal::{Input, MAX_INPUT_ORDER, Side, Signal};
pub use spring_damper::SpringDamper;
pub use stribeck::{Stribeck, falling};
pub use torsional::Torsional;
pub use viscous::Viscous;

use crate::constraint::{BODY_DOF, Pose, Row, Twist};
use crate::kinds::force::{
    APPLIED, DAMPER, Description, Frame, Given, SPRING, SPRING_DAMPER, STRIBECK, VISCOUS,
    force_kinds,
};
use crate::kinds::plane::joint::Joint;
use crate::math::Vec2;
use torsional::TORSIONAL;

force_kinds! {
    kinds {
        Spring: SPRING => SpringDamper,
        Damper: DAMPER => SpringDamper,
        SpringDamper: SPRING_DAMPER => SpringDamper,
        Torsional: TORSIONAL => Torsional,
        Applied: APPLIED => Applied,
        Viscous: VISCOUS => Viscous,
        Stribeck: STRIBECK => Stribeck,
    }
    elements {
        SpringDamper(SpringDamper),
        Torsional(Torsional),
        Applied(Applied),
        Viscous(Viscous),
        Stribeck(Stribeck),
        MotorTorque(MotorTorque),
        Servo(Servo),
        Flange(Flange),
    }
    also {}
}

/// Initial data of an element.
#[derive(Clone, Debug)]
pub struct Site {
    /// Points of the two bodies, m.
    pub anchors: [Vec2; 2],
    /// Distance of the anchors, m, or the coordinate of the joint, rad or m.
    pub start: f64,
    /// Point of the body, m.
    pub point: Vec2,
    /// Axes of the force.
    pub frame: Frame,
    /// N.
    pub force: [Signal; 2],
    /// N m.
    pub torque: Signal,
}

/// Time, positions and velocities at which an element is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// s.
    pub time: f64,
    /// Side of a jump of a signal.
    pub side: Side,
    /// Poses of the first and second body.
    pub pose: [&'a Pose; 2],
    /// Their twists.
    pub twist: [&'a Twist; 2],
    /// The joint that the element acts on, if any.
    pub joint: Option<&'a Joint>,
    /// The model's inputs.
    pub inputs: &'a [Input],
}

/// Force and derivatives of one element.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// N and N m.
    pub force: PairVector,
    /// The part of it that dissipates: of dampers, drag and smooth friction, N and N m.
    pub damping: PairVector,
    /// Derivatives with respect to the velocities, all of them, and with respect to the coordinates, negative
    /// semidefinite part: a sum over these.
    pub along: [Option<Along>; MAX_ALONG],
    /// Remainder of the exact derivative with respect to the coordinates; `None` if zero or not requested.
    pub bending: Option<Bending>,
}

/// Maximum number of scalars of an element: drag has two directions and a rotation.
pub const MAX_ALONG: usize = 3;

/// Derivatives of a force along the gradient `g` of a scalar: factors of `g g^T`.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    /// Gradient of the scalar.
    pub gradient: PairVector,
    /// Derivative of the force with respect to the scalar, not positive.
    pub by_position: f64,
    /// Derivative of the force with respect to its rate.
    pub by_velocity: f64,
}

/// Derivatives with respect to the coordinates due to the rotation of gradients.
#[derive(Clone, Debug, Default)]
pub struct Bending {
    /// All except the part of dampers.
    pub rest: PairMatrix,
    /// The part of dampers: the change of their direction times their current force. If a damper is stiff relative to the
    /// step, its force decays within the step, and this part must be omitted.
    pub damper: PairMatrix,
}

/// Requested position derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The stiff part.
    Stiff,
    /// All of them; these may cost more than the force itself.
    All,
}

fn power(force: &PairVector, at: &Situation) -> f64 {
    let mut sum = 0.0;
    for (twist, force) in at.twist.iter().zip(force.chunks_exact(BODY_DOF)) {
        sum += force[0] * twist.linear.x + force[1] * twist.linear.y + force[2] * twist.angular;
    }
    sum
}

fn flat(row: &Row) -> PairVector {
    [row.a[0], row.a[1], row.a[2], row.b[0], row.b[1], row.b[2]]
}

fn add_outer(matrix: &mut PairMatrix, factor: f64, left: &PairVector, right: &PairVector) {
    for (row, l) in matrix.iter_mut().zip(left) {
        for (x, r) in row.iter_mut().zip(right) {
            *x += factor * l * r;
        }
    }
}

#[cfg(test)]
mod tests;
