//! Force elements. Each provides the force on the coordinates of its two bodies and its derivatives, split
//! so that stiff elements stay stable at any step: the `stiff` part of the position derivative is negative
//! semidefinite whatever the state, the `rest` makes it exact and is used where the step's matrix allows.

mod along;
mod applied;
mod motor_torque;
mod servo;
mod signal;
mod spring_damper;
mod stribeck;
mod torsional;
mod viscous;

pub use applied::Applied;
pub use motor_torque::MotorTorque;
pub use servo::{Branch, Servo};
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
use crate::math::{Limit, Vec2};
use torsional::TORSIONAL;

/// Coordinates of two bodies.
pub const PAIR_DOF: usize = 2 * BODY_DOF;

/// A vector over the coordinates of two bodies: x, y, rotation of the first, then of the second.
pub type PairVector = [f64; PAIR_DOF];

/// A matrix over the coordinates of two bodies.
pub type PairMatrix = [[f64; PAIR_DOF]; PAIR_DOF];

/// The kinds of force elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Force {
    /// Spring and damper between two points.
    SpringDamper(SpringDamper),
    /// Spring and damper at a revolute joint.
    Torsional(Torsional),
    /// Given force and torque on the second body.
    Applied(Applied),
    /// Drag between two bodies.
    Viscous(Viscous),
    /// Smooth friction at a joint coordinate.
    Stribeck(Stribeck),
    /// Motor of a given torque or force.
    MotorTorque(MotorTorque),
    /// PD servo at a joint coordinate.
    Servo(Servo),
}

force_kinds! {
    Spring: SPRING => SpringDamper,
    Damper: DAMPER => SpringDamper,
    SpringDamper: SPRING_DAMPER => SpringDamper,
    Torsional: TORSIONAL => Torsional,
    Applied: APPLIED => Applied,
    Viscous: VISCOUS => Viscous,
    Stribeck: STRIBECK => Stribeck,
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

impl Force {
    /// Force and derivatives.
    pub fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        match self {
            Force::SpringDamper(f) => f.effect(at, detail),
            Force::Torsional(f) => f.effect(at),
            Force::Applied(f) => f.effect(at, detail),
            Force::Viscous(f) => f.effect(at, detail),
            Force::Stribeck(f) => f.effect(at),
            Force::MotorTorque(f) => f.effect(at, detail),
            Force::Servo(f) => f.effect(at, detail),
        }
    }

    /// Stored energy, J.
    pub fn energy(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.energy(at),
            Force::Torsional(f) => f.energy(at),
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
            Force::Torsional(f) => f.stiffness != 0.0,
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
            | Force::Torsional(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => false,
        }
    }

    /// Does it dissipate energy?
    pub fn dissipates(&self) -> bool {
        match self {
            Force::SpringDamper(f) => f.damping != 0.0,
            Force::Torsional(f) => f.damping != 0.0,
            Force::Viscous(_) | Force::Stribeck(_) => true,
            Force::Servo(f) => f.kd != 0.0,
            Force::Applied(_) | Force::MotorTorque(_) => false,
        }
    }

    /// Power of an applied force, W.
    pub fn applied_power(&self, at: &Situation) -> f64 {
        match self {
            Force::Applied(f) => power(&f.force(at), at),
            Force::MotorTorque(f) => f.power(at),
            Force::Servo(f) => power(&f.applied(at), at),
            Force::SpringDamper(_)
            | Force::Torsional(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => 0.0,
        }
    }

    /// Dissipated power, W.
    pub fn lost_power(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.lost_power(at),
            Force::Torsional(f) => f.lost_power(at),
            Force::Viscous(f) => -power(&f.effect(at, Detail::Stiff).force, at),
            Force::Stribeck(f) => -power(&f.effect(at).force, at),
            Force::Servo(f) => f.lost_power(at),
            Force::Applied(_) | Force::MotorTorque(_) => 0.0,
        }
    }

    /// Force along the element's own coordinate; zero for elements without one.
    pub fn coordinate_force(&self, at: &Situation) -> f64 {
        match self {
            Force::SpringDamper(f) => f.push(at),
            Force::Torsional(f) => f.push(at),
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
            | Force::Torsional(_)
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
            Force::Servo(f) => (None, None, Some(f.signals())),
            Force::SpringDamper(_)
            | Force::Torsional(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => (None, None, None),
        };
        let servo = servo.into_iter().flatten();
        applied.into_iter().flatten().chain(motor).chain(servo)
    }

    /// The servo, its coordinate and the rate of that, if it is one.
    pub fn servo(&self, at: &Situation) -> Option<(&Servo, [f64; 2])> {
        match self {
            Force::Servo(f) => Some((f, f.at(at)?)),
            Force::SpringDamper(_)
            | Force::Torsional(_)
            | Force::Applied(_)
            | Force::Viscous(_)
            | Force::Stribeck(_)
            | Force::MotorTorque(_) => None,
        }
    }

    /// The applied force of an element prescribed by signals, on both bodies.
    pub fn given_force(&self, at: &Situation) -> Option<PairVector> {
        match self {
            Force::Applied(f) => Some(f.force(at)),
            Force::MotorTorque(f) => Some(f.force(at)),
            Force::Servo(f) => Some(f.applied(at)),
            Force::SpringDamper(_)
            | Force::Torsional(_)
            | Force::Viscous(_)
            | Force::Stribeck(_) => None,
        }
    }
}

fn power(force: &PairVector, at: &Situation) -> f64 {
    let mut sum = 0.0;
    for (twist, force) in at.twist.iter().zip(force.chunks_exact(BODY_DOF)) {
        sum += force[0] * twist.linear.x + force[1] * twist.linear.y + force[2] * twist.angular;
    }
    sum
}

impl Effect {
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
    [row.a[0], row.a[1], row.a[2], row.b[0], row.b[1], row.b[2]]
}

#[cfg(test)]
mod tests;
