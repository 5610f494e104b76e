//! Force elements in space. Each provides the force on the velocities of its two bodies (linear in world axes, angular in
//! body axes) and its derivatives along their motions, split as in the plane so that stiff elements stay stable at any
//! step: the `stiff` part of the position derivative is negative semidefinite whatever the state, the `rest` makes it
//! exact and is used where the step's matrix allows.
//!
//! Position derivatives are along motions: column j is the change while the body translates along a world axis, or rotates
//! about one of its own axes, `R -> R exp(e)`; angular velocities keep their components in body axes.

mod along;
mod applied;
mod joint_spring;
mod motor_torque;
mod servo;
mod spring_damper;
mod stribeck;
mod viscous;

pub use crate::kinds::plane::force::{Detail, Input, Side, Signal};
pub use applied::Applied;
pub use joint_spring::JointSpring;
pub use motor_torque::MotorTorque;
pub use servo::Servo;
pub use spring_damper::SpringDamper;
pub use stribeck::Stribeck;
pub use viscous::Viscous;

use crate::kinds::force::{
    APPLIED, DAMPER, Description, Frame, Given, SPRING, SPRING_DAMPER, STRIBECK, VISCOUS,
    force_kinds,
};
use crate::kinds::plane::force::Servo as Law;
use crate::kinds::space::joint::{Count, Joint};
use crate::kinds::space::{BODY_DOF, Pose, Row, Twist};
use crate::math::{Dual, Limit, Mat3, Vec3};
use joint_spring::JOINT_SPRING;

/// Velocities of two bodies.
pub const PAIR_DOF: usize = 2 * BODY_DOF;

/// A vector over the velocities of two bodies: x, y, z, rotations about body axes of the first, then of the second.
pub type PairVector = [f64; PAIR_DOF];

/// A matrix over the velocities of two bodies.
pub type PairMatrix = [[f64; PAIR_DOF]; PAIR_DOF];

/// The kinds of force elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Force {
    /// Spring and damper between two points.
    SpringDamper(SpringDamper),
    /// Spring and damper at a joint coordinate.
    JointSpring(JointSpring),
    /// Given force and torque on the second body.
    Applied(Box<Applied>),
    /// Drag between two bodies.
    Viscous(Viscous),
    /// Smooth friction at a joint coordinate.
    Stribeck(Stribeck),
    /// Given torque or force along a joint coordinate.
    MotorTorque(MotorTorque),
    /// PD servo at a joint coordinate.
    Servo(Servo),
}

force_kinds! {
    Spring: SPRING => SpringDamper,
    Damper: DAMPER => SpringDamper,
    SpringDamper: SPRING_DAMPER => SpringDamper,
    JointSpring: JOINT_SPRING => JointSpring,
    Applied: APPLIED => Applied,
    Viscous: VISCOUS => Viscous,
    Stribeck: STRIBECK => Stribeck,
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
    /// Derivative with respect to the velocities.
    pub by_velocity: PairMatrix,
    /// Derivative along the motions, negative semidefinite part.
    pub by_position_stiff: PairMatrix,
    /// Remainder of the exact derivative beyond `by_position_stiff`, except for the part of dampers.
    pub by_position_rest: PairMatrix,
    /// The part of dampers: the change of their direction times their current force. If a damper is stiff relative to the
    /// step, its force decays within the step, and this part must be omitted.
    pub by_position_damper: PairMatrix,
}

impl Force {
    /// Force and derivatives; with [`Detail::Stiff`] some parts of them may be zero.
    pub fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        match self {
            Force::SpringDamper(f) => f.effect(at, detail),
            Force::JointSpring(f) => f.effect(at, detail),
            Force::Applied(f) => f.effect(at, detail),
            Force::Viscous(f) => f.effect(at, detail),
            Force::Stribeck(f) => f.effect(at, detail),
            Force::MotorTorque(f) => f.effect(at, detail),
            Force::Servo(f) => f.effect(at, detail),
        }
    }

    /// The element as forces along rows; none for prescribed forces.
    pub fn sloped(&self, at: &Situation, mut take: impl FnMut(Sloped)) {
        match self {
            Force::SpringDamper(f) => take(f.sloped(at)),
            Force::JointSpring(f) => f.sloped(at).into_iter().for_each(take),
            Force::Stribeck(f) => f.sloped(at).into_iter().for_each(take),
            Force::Viscous(f) => f.sloped(at).into_iter().for_each(take),
            Force::Applied(_) | Force::MotorTorque(_) | Force::Servo(_) => {}
        }
    }

    /// The element as a force between two points, which rotates with them or has a fixed direction.
    pub fn line_force(&self, at: &Situation) -> Option<LineForce> {
        match self {
            Force::SpringDamper(f) => f.line_force(at),
            Force::Applied(f) => f.line_force(at),
            Force::JointSpring(_)
            | Force::Viscous(_)
            | Force::Stribeck(_)
            | Force::MotorTorque(_)
            | Force::Servo(_) => None,
        }
    }

    /// Stored energy, J.
    pub fn energy(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.energy(at),
            Force::JointSpring(f) => f.energy(at),
            Force::Applied(_)
            | Force::Viscous(_)
            | Force::Stribeck(_)
            | Force::MotorTorque(_)
            | Force::Servo(_) => 0.0,
        }
    }

    /// Does it store energy?
    pub fn stores_energy(&self) -> bool {
        match self {
            Force::SpringDamper(f) => f.stiffness != 0.0,
            Force::JointSpring(f) => f.stiffness != 0.0,
            Force::Applied(_)
            | Force::Viscous(_)
            | Force::Stribeck(_)
            | Force::MotorTorque(_)
            | Force::Servo(_) => false,
        }
    }

    /// Is it prescribed by signals?
    pub fn is_given(&self) -> bool {
        match self {
            Force::Applied(_) | Force::MotorTorque(_) | Force::Servo(_) => true,
            Force::SpringDamper(_)
            | Force::JointSpring(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => false,
        }
    }

    /// Does it dissipate energy?
    pub fn dissipates(&self) -> bool {
        match self {
            Force::SpringDamper(f) => f.damping != 0.0,
            Force::JointSpring(f) => f.damping != 0.0,
            Force::Viscous(_) | Force::Stribeck(_) => true,
            Force::Servo(f) => f.law.kd != 0.0,
            Force::Applied(_) | Force::MotorTorque(_) => false,
        }
    }

    /// Power of an applied force, W.
    pub fn applied_power(&self, at: &Situation) -> f64 {
        match self {
            Force::Applied(f) => f.effect(at, Detail::Stiff).power(at),
            Force::MotorTorque(f) => f.power(at),
            Force::Servo(f) => f.powers(at)[0],
            Force::SpringDamper(_)
            | Force::JointSpring(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => 0.0,
        }
    }

    /// Dissipated power, W.
    pub fn lost_power(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.lost_power(at),
            Force::JointSpring(f) => f.lost_power(at),
            Force::Viscous(f) => f.lost_power(at),
            Force::Stribeck(f) => f.lost_power(at),
            Force::Servo(f) => f.powers(at)[1],
            Force::Applied(_) | Force::MotorTorque(_) => 0.0,
        }
    }

    /// Force along the element's own coordinate; zero for elements without one.
    pub fn coordinate_force(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.push(at),
            Force::JointSpring(f) => f.push(at),
            Force::Stribeck(f) => f.push(at),
            Force::MotorTorque(f) => f.push(at),
            Force::Servo(f) => f.push(at),
            Force::Applied(_) | Force::Viscous(_) => 0.0,
        }
    }

    /// Is the force linear in the velocities?
    pub fn is_linear_in_velocity(&self) -> bool {
        match self {
            Force::SpringDamper(_)
            | Force::JointSpring(_)
            | Force::Applied(_)
            | Force::Viscous(_)
            | Force::MotorTorque(_)
            | Force::Servo(_) => true,
            Force::Stribeck(_) => false,
        }
    }

    /// Times at which the force is not smooth.
    pub fn breakpoints(&self) -> impl Iterator<Item = f64> + '_ {
        self.signals().flat_map(|s| s.breakpoints().iter().copied())
    }

    /// Shortest period of its parts, s; infinite if none is periodic.
    pub fn shortest_period(&self) -> f64 {
        self.signals()
            .fold(f64::INFINITY, |period, s| period.at_most(s.period()))
    }

    fn signals(&self) -> impl Iterator<Item = &Signal> {
        let (applied, motor, servo) = match self {
            Force::Applied(f) => (Some(f.signals()), None, None),
            Force::MotorTorque(f) => (None, Some(&f.torque), None),
            Force::Servo(f) => (None, None, Some(f.law.signals())),
            Force::SpringDamper(_)
            | Force::JointSpring(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => (None, None, None),
        };
        let servo = servo.into_iter().flatten();
        applied.into_iter().flatten().chain(motor).chain(servo)
    }

    /// The law of a servo, its coordinate and the rate of that, if it is one.
    pub fn servo(&self, at: &Situation) -> Option<(&Law, [f64; 2])> {
        match self {
            Force::Servo(f) => Some((&f.law, f.at(at)?)),
            Force::SpringDamper(_)
            | Force::JointSpring(_)
            | Force::Applied(_)
            | Force::Viscous(_)
            | Force::Stribeck(_)
            | Force::MotorTorque(_) => None,
        }
    }
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

    /// Adds a force along the gradient of a scalar.
    fn push_along(&mut self, row: &PairVector, force: f64) {
        for (total, r) in self.force.iter_mut().zip(row) {
            *total += force * r;
        }
    }

    /// Marks a force along the gradient of a scalar, which is part of the total, as dissipative.
    fn damp_along(&mut self, row: &PairVector, force: f64) {
        for (total, r) in self.damping.iter_mut().zip(row) {
            *total += force * r;
        }
    }
}

fn add_outer(matrix: &mut PairMatrix, factor: f64, left: &PairVector, right: &PairVector) {
    for (row, l) in matrix.iter_mut().zip(left) {
        for (x, r) in row.iter_mut().zip(right) {
            *x += factor * l * r;
        }
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
