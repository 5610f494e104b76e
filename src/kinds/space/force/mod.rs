//! Force elements in space. Each provides the force on the velocities of its two bodies (linear in world axes, angular in
//! body axes) and its derivatives along their motions, split as in the plane so that stiff elements stay stable at any
//! step: the `stiff` part of the position derivative is negative semidefinite whatever the state, the `rest` makes it
//! exact and is used where the step's matrix allows.
//!
//! Position derivatives are along motions: column j is the change while the body translates along a world axis, or rotates
//! about one of its own axes, `R -> R exp(e)`; angular velocities keep their components in body axes.

mod along;
mod applied;
mod flange;
mod joint_spring;
mod motor_torque;
mod servo;
mod spring_damper;
mod stribeck;
mod viscous;

pub use crate::kinds::plane::force::{Detail, Input, Side, Signal, Viscous};
pub use applied::Applied;
pub use flange::{Flange, coordinate};
pub use joint_spring::JointSpring;
pub use motor_torque::MotorTorque;
pub use servo::Servo;
pub use spring_damper::SpringDamper;
pub use stribeck::Stribeck;

use crate::kinds::force::{
    APPLIED, DAMPER, Description, Frame, Given, SPRING, SPRING_DAMPER, STRIBECK, VISCOUS,
    force_kinds,
};
use crate::kinds::space::joint::{Count, Joint};
use crate::kinds::space::{BODY_DOF, Pose, Row, Twist};
use crate::math::{Dual, Mat3, Vec3};
use joint_spring::JOINT_SPRING;

force_kinds! {
    kinds {
        Spring: SPRING => SpringDamper,
        Damper: DAMPER => SpringDamper,
        SpringDamper: SPRING_DAMPER => SpringDamper,
        JointSpring: JOINT_SPRING => JointSpring,
        Applied: APPLIED => Applied,
        Viscous: VISCOUS => Viscous,
        Stribeck: STRIBECK => Stribeck,
    }
    elements {
        SpringDamper(SpringDamper),
        JointSpring(JointSpring),
        Applied(Box<Applied>),
        Viscous(Viscous),
        Stribeck(Stribeck),
        MotorTorque(MotorTorque),
        Servo(Servo),
        Flange(Flange),
    }
    also {
        /// Passes the element as forces along rows to `take`; none for prescribed forces.
        fn sloped(&self, _: &Situation, _take: &mut dyn FnMut(Sloped)) {}

        /// The element as a force between two points, which rotates with them or has a fixed direction.
        fn line_force(&self, _: &Situation) -> Option<LineForce> {
            None
        }
    }
}

/// Initial data of an element.
#[derive(Clone, Debug)]
pub struct Site {
    /// Points of the two bodies, m.
    pub anchors: [Vec3; 2],
    /// Index of the joint's coordinate.
    pub coordinate: usize,
    /// Distance of the anchors, m, or the coordinate of the joint, rad or m.
    pub start: f64,
    /// Point of the body, m.
    pub point: Vec3,
    /// Axes of force and torque.
    pub frame: Frame,
    /// The scene axes of the body in engine axes.
    pub axes: Mat3,
    /// N.
    pub force: [Signal; 3],
    /// N m.
    pub torque: [Signal; 3],
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
    /// The joint that the element acts on, if any; its bodies are those of the element.
    pub joint: Option<&'a Joint>,
    /// Reference of its angles.
    pub count: Count<'a>,
    /// The model's inputs.
    pub inputs: &'a [Input],
}

/// A force along one row, and its derivatives with respect to the scalar of the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sloped {
    /// Gradient of the scalar.
    pub row: Row,
    /// N or N m.
    pub force: f64,
    /// Its dissipative part: of dampers and friction, N or N m.
    pub fading: f64,
    /// Derivative with respect to the scalar.
    pub by_value: f64,
    /// Derivative with respect to its rate.
    pub by_rate: f64,
}

/// A force at a point of the second body, and the opposite one at a point of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineForce {
    /// The points in body coordinates, m.
    pub anchors: [Vec3; 2],
    /// On the second body, in world axes, N.
    pub force: Vec3,
    /// Distance of the points, m; infinite if the force has a fixed direction.
    pub length: f64,
}

/// Force and derivatives of one element.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// N and N m.
    pub force: PairVector,
    /// The part of it that dissipates: of dampers, drag and smooth friction, N and N m.
    pub damping: PairVector,
    /// Derivatives with respect to the velocities, all of them, and along the motions, negative semidefinite part: a sum over these.
    pub along: [Option<Along>; MAX_ALONG],
    /// Remainder of the exact derivative along the motions; `None` if zero or not requested.
    pub bending: Option<Bending>,
}

/// Maximum number of scalars of an element: drag has three directions and three rotations.
pub const MAX_ALONG: usize = 6;

/// Derivatives of a force along the gradient `g` of a scalar: factors of `g g^T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// Gradient of the scalar.
    pub gradient: PairVector,
    /// Derivative of the force with respect to the scalar, not positive.
    pub by_position: f64,
    /// Derivative of the force with respect to its rate.
    pub by_velocity: f64,
}

/// Derivatives along the motions due to the rotation of gradients.
#[derive(Clone, Debug)]
pub struct Bending {
    /// All except the part of dampers.
    pub rest: PairMatrix,
    /// The part of dampers: the change of their direction times their current force. If a damper is stiff relative to the
    /// step, its force decays within the step, and this part must be omitted.
    pub damper: PairMatrix,
}

impl Bending {
    const NONE: Self = Self {
        rest: [[0.0; PAIR_DOF]; PAIR_DOF],
        damper: [[0.0; PAIR_DOF]; PAIR_DOF],
    };
}

impl Situation<'_> {
    fn velocities(&self) -> PairVector {
        let [a, b] = self.twist;
        [
            a.linear.x,
            a.linear.y,
            a.linear.z,
            a.angular.x,
            a.angular.y,
            a.angular.z,
            b.linear.x,
            b.linear.y,
            b.linear.z,
            b.angular.x,
            b.angular.y,
            b.angular.z,
        ]
    }
}

impl Effect {
    fn power(&self, at: &Situation) -> f64 {
        let mut sum = 0.0;
        for (force, velocity) in self.force.iter().zip(at.velocities()) {
            sum += force * velocity;
        }
        sum
    }
}

fn flat(row: &Row) -> PairVector {
    side_by_side(row, |x| x)
}

fn rates(row: &Row<Dual>) -> PairVector {
    side_by_side(row, |x| x.rate)
}

fn side_by_side<T: Copy>(row: &Row<T>, part: impl Fn(T) -> f64) -> PairVector {
    let mut pair = [0.0; PAIR_DOF];
    for i in 0..BODY_DOF {
        pair[i] = part(row.a[i]);
        pair[BODY_DOF + i] = part(row.b[i]);
    }
    pair
}

/// The unit motion along one of the coordinates of two bodies.
fn motion(index: usize) -> [Twist; 2] {
    let mut twists = [Twist::zero(), Twist::zero()];
    let twist = &mut twists[index / BODY_DOF];
    match index % BODY_DOF {
        i if i < 3 => twist.linear[i] = 1.0,
        i => twist.angular[i - 3] = 1.0,
    }
    twists
}

#[cfg(test)]
mod tests;
