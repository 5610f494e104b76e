//! Friction elements: dry friction along one relative coordinate of two bodies, in joints, clutches and brakes.
//!
//! (1)  u = D^T v - ub(t),   ub the speed of a motor whose torque or force is limited
//! (2)  |f| <= a(mu_s) N  while u = 0,   f = -a(mu) N u/|u|  else;   a = mu r, of a belt r (exp(mu phi) - 1) forward and r (1 - exp(-mu phi)) backward
//! (3)  mu = mu_k + (mu_s - mu_k) exp(-(u/us)^2)   with a Stribeck velocity us, else mu = mu_k

use super::geometry::{moving, moving_in_space};
use super::{AnyJoint, BodyRef, Model, Motion, Poses, Twists, pose_of, space_pose_of};
use crate::constraint::GlobalRow;
use crate::kinds::force::SignalSpec;
use crate::kinds::plane::force::{Input, Side, Signal};
use crate::kinds::space::{self, Row};
use crate::math::{Limit, Real, square};

/// Index of the direction in which an element slides.
pub const FORWARD: usize = 0;
/// The same for sliding backward.
pub const BACKWARD: usize = 1;

/// A friction element.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionElement {
    /// Its name.
    pub name: String,
    /// First and second body.
    pub bodies: [BodyRef; 2],
    /// It acts along a coordinate of this joint, whose equations it does not need.
    pub along: AnyJoint,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// In the thread of a screw joint it acts along that.
    pub thread: Option<Thread>,
    /// What bounds it, N.
    pub load: Load,
    /// Coefficient while it slides; of a constant limit that limit, N or N m, with the load 1.
    pub friction: f64,
    /// The same at rest; has no effect if below the other one.
    pub static_friction: f64,
    /// From a coefficient to the bound for each newton of load.
    pub arm: Arm,
    /// Speed over which friction falls from its value at rest, m/s or rad/s; none where it drops at once.
    pub stribeck_velocity: Option<f64>,
    /// Prescribed relative motion at which it sticks.
    pub motion: Motion,
}

/// Row of the thread among those of a screw joint.
pub const THREAD_ROW: usize = 2;

/// The thread of a screw joint: with its equation g, its angle y and the angle of its helix L at the mean radius r,
///
/// (4)  u = sin L g.v + (r / cos L) y' = sin L v + r cos L w,   N = |c| / cos L,   c the multiplier of g
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// sin L, negative for a left-handed thread.
    pub sin: f64,
    /// cos L.
    pub cos: f64,
    /// r, m.
    pub radius: f64,
}

impl AnyJoint {
    /// The thread of a screw joint at this mean radius.
    pub fn thread(&self, radius: f64) -> Option<Thread> {
        let Some(space::joint::Joint::Screw(screw)) = self.space() else {
            return None;
        };
        let rise = screw.lead / std::f64::consts::TAU;
        let length = libm::hypot(rise, radius);
        Some(Thread {
            sin: rise / length,
            cos: radius / length,
            radius,
        })
    }
}

impl Thread {
    // (4)
    fn along<T: Real>(&self, angle: Row<T>, equation: &Row<T>) -> Row<T> {
        let [sin, turn] = [self.sin, self.radius / self.cos].map(T::constant);
        let mut row = angle.scaled(turn);
        let parts = row.a.iter_mut().zip(equation.a);
        let parts = parts.chain(row.b.iter_mut().zip(equation.b));
        for (x, g) in parts {
            *x += sin * g;
        }
        row
    }
}

/// What presses the surfaces of a friction element together.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// A given force, N; negative values count as zero.
    Given(Signal),
    /// The norm of the reaction of a joint, N: that of these rows among all joint equations.
    Reaction {
        /// First of the rows.
        first: usize,
        /// Their number.
        count: usize,
    },
}

/// Bound of a friction element for each newton of load, without unit or m about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arm {
    /// The coefficient is a limit itself, with the load 1, or a factor of a load that is a limit.
    Limit,
    /// The coefficient times a radius, m; 1 along a displacement.
    Radius(f64),
    /// A belt around a drum (Euler and Eytelwein): the drum that turns forward pulls it tight.
    Belt {
        /// Radius of the drum, m.
        radius: f64,
        /// Angle of wrap, rad.
        angle: f64,
    },
    /// The same of a motor.
    Motor,
    /// A one-way clutch: a limit, its drag, forward, and none backward.
    OneWay,
}

impl Arm {
    fn bound(self, direction: usize, coefficient: f64) -> f64 {
        match self {
            Self::OneWay if direction == BACKWARD => f64::INFINITY,
            Self::Limit | Self::Motor | Self::OneWay => coefficient,
            Self::Radius(radius) => radius * coefficient,
            Self::Belt { radius, angle } if direction == FORWARD => {
                radius * libm::expm1(coefficient * angle)
            }
            Self::Belt { radius, angle } => -radius * libm::expm1(-coefficient * angle),
        }
    }
}

impl FrictionElement {
    /// The given load at a time, which may be negative, N; none if it is a reaction.
    pub fn given_load(&self, time: f64, side: Side, inputs: &[Input]) -> Option<f64> {
        match &self.load {
            Load::Given(signal) => Some(signal.value(time, side, inputs)),
            Load::Reaction { .. } => None,
        }
    }

    /// Does the given load stay at zero from this time on, up to the next breakpoint?
    pub fn is_released(&self, time: f64, side: Side, inputs: &[Input]) -> bool {
        match &self.load {
            // which is zero for an instant only
            Load::Given(Signal::Given(SignalSpec::Harmonic { amplitude, .. }))
                if *amplitude != 0.0 =>
            {
                false
            }
            Load::Given(Signal::Input(i)) if inputs[*i].since == time => {
                let mut derivatives = inputs[*i].derivatives.iter();
                derivatives.find(|x| **x != 0.0).is_none_or(|x| *x < 0.0)
            }
            Load::Given(signal) => {
                let (value, rate) = (
                    signal.value(time, side, inputs),
                    signal.rate(time, side, inputs),
                );
                value < 0.0 || (value == 0.0 && rate <= 0.0)
            }
            Load::Reaction { .. } => false,
        }
    }

    /// Its signals.
    pub fn signals(&self) -> impl Iterator<Item = &Signal> + Clone {
        let load = match &self.load {
            Load::Given(signal) => Some(signal),
            Load::Reaction { .. } => None,
        };
        load.into_iter().chain([self.motion.signal()])
    }

    /// The bound for each newton of load while it slides at a speed, (3).
    pub fn coefficient(&self, direction: usize, speed: f64) -> f64 {
        let (kinetic, at_rest) = (self.friction, self.static_friction);
        let coefficient = match self.stribeck_velocity {
            Some(us) if at_rest > kinetic => {
                kinetic + (at_rest - kinetic) * libm::exp(-square(speed / us))
            }
            Some(_) | None => kinetic,
        };
        self.arm.bound(direction, coefficient)
    }

    /// The same at rest: not below that of sliding.
    pub fn coefficient_at_rest(&self, direction: usize) -> f64 {
        let coefficient = self.static_friction.at_least(self.friction);
        self.arm.bound(direction, coefficient)
    }

    /// Can it hold any force against sliding backward? Then that is a constraint, which has impulses in impacts.
    pub fn is_one_way(&self) -> bool {
        matches!(self.arm, Arm::OneWay)
    }

    /// The prescribed relative speed, m/s or rad/s.
    pub fn given_speed(&self, time: f64, side: Side, inputs: &[Input]) -> f64 {
        self.motion.speed((time, side), inputs)
    }

    /// The row D in space.
    pub fn row_in_space<T: Real>(
        &self,
        joint: &space::joint::Joint,
        a: &space::Pose<T>,
        b: &space::Pose<T>,
    ) -> Row<T> {
        let (_, row) = joint.coordinate(self.coordinate, a, b);
        match &self.thread {
            Some(thread) => thread.along(row, &joint.rows(a, b).rows[THREAD_ROW]),
            None => row,
        }
    }

    /// Is its coordinate an angle?
    pub fn turns(&self) -> bool {
        self.thread.is_none() && self.along.coordinate_turns(self.coordinate)
    }

    /// Is it a motor with a limit?
    pub fn is_driven(&self) -> bool {
        matches!(self.arm, Arm::Motor)
    }

    /// Does friction depend on the speed?
    pub fn falls(&self) -> bool {
        self.stribeck_velocity.is_some() && self.static_friction > self.friction
    }
}

impl Model {
    /// The row D of a friction element.
    pub fn element_row(&self, element: &FrictionElement, poses: &Poses) -> GlobalRow {
        match &element.along {
            AnyJoint::Plane(joint) => {
                let [a, b] = element.bodies.map(|body| pose_of(poses.plane(), body));
                let coordinate = joint.coordinate(a, b);
                coordinate.map_or_else(GlobalRow::default, |(_, row)| {
                    self.global_row(element.bodies, &row)
                })
            }
            AnyJoint::Space(joint) => {
                let [a, b] = element
                    .bodies
                    .map(|body| space_pose_of(poses.space(), body));
                let row = element.row_in_space(joint, a, b);
                self.global_row_in_space(element.bodies, &row)
            }
        }
    }

    /// (dD/dt)^T v.
    pub fn element_row_rate(
        &self,
        element: &FrictionElement,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
    ) -> f64 {
        match &element.along {
            AnyJoint::Plane(joint) => {
                let [a, b] = moving(element.bodies, poses, twists);
                let coordinate = joint.coordinate(&a, &b);
                coordinate.map_or(0.0, |(_, row)| {
                    self.gain(element.bodies, [&row.a, &row.b], v)
                })
            }
            AnyJoint::Space(joint) => {
                let [a, b] = moving_in_space(element.bodies, poses, twists);
                let row = element.row_in_space(joint, &a, &b);
                self.gain(element.bodies, [&row.a, &row.b], v)
            }
        }
    }

    /// Is energy supplied by prescribed motions?
    pub fn has_motors(&self) -> bool {
        !self.drives.is_empty() || self.elements.iter().any(FrictionElement::is_driven)
    }

    /// Index of the first row of friction elements among the joint equations.
    pub fn first_element_row(&self) -> usize {
        self.n_joint_rows - self.elements.len()
    }

    /// Rows of one-way clutches among the joint equations.
    pub fn one_way_rows(&self) -> impl Iterator<Item = usize> {
        let one_ways = self.elements.iter().enumerate();
        let first = self.first_element_row();
        one_ways
            .filter(|(_, element)| element.is_one_way())
            .map(move |(e, _)| first + e)
    }

    /// Name of what an event belongs to: a contact, or after those a friction element.
    pub fn event_name(&self, index: usize) -> &str {
        match index.checked_sub(self.contacts.len()) {
            None => &self.contacts[index].name,
            Some(element) => &self.elements[element].name,
        }
    }

    /// The bodies of what an event belongs to.
    pub fn event_bodies(&self, index: usize) -> [BodyRef; 2] {
        match index.checked_sub(self.contacts.len()) {
            None => self.contacts[index].bodies,
            Some(element) => self.elements[element].bodies,
        }
    }
}
