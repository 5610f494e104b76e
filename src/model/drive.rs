//! Equations beyond those of joints, one row each: couplings of joint coordinates, and drives, which prescribe a coordinate of a joint or of
//! a driven body.
//!
//! (1)  coupling:  sum of a_i (y_i - y_i at the start) = 0,   y_i joint coordinates, angles counted over all turns
//! (2)  drive of a joint:  y' = speed(t), and y = position(t) where that is given
//! (3)  drive of a body:  one velocity of the body; a body in space turns about an axis fixed in it and in the world: all three components of
//!      its angular velocity are prescribed, and the rotation vector from the prescribed orientation is zero

use super::accelerated::Accelerated;
use super::geometry::{moving, moving_in_space};
use super::{AnyJoint, BodyRef, Limited, Model, Poses, Stop, Twists, pose_of, space_pose_of};
use crate::constraint::GlobalRow;
use crate::kinds::plane::force::{Input, Side, Signal};
use crate::kinds::space;
use crate::math::{Real, Vec3, quaternion};

/// A joint coordinate with a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Index of the joint.
    pub joint: usize,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// Without unit, or m/rad.
    pub factor: f64,
}

/// A coupling (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: String,
    /// The coupled coordinates.
    pub terms: Vec<Term>,
    /// The sum of the terms at the start.
    pub start: f64,
    /// Is the sum an angle, rad, or a displacement, m?
    pub turns: bool,
    /// The bodies of its joints.
    pub bodies: Vec<usize>,
}

impl Coupling {
    /// Its bodies, if there are at most two.
    pub fn pair(&self) -> [BodyRef; 2] {
        match self.bodies[..] {
            [] => [None; 2],
            [only] => [None, Some(only)],
            [first, second, ..] => [Some(first), Some(second)],
        }
    }
}

impl Coupling {
    /// Adds a multiple of the row of one of its joints, between these bodies, to a row between its own two bodies.
    pub fn add_term<T: Real>(
        &self,
        sum: &mut space::Row<T>,
        factor: f64,
        bodies: [BodyRef; 2],
        row: &space::Row<T>,
    ) {
        let [first, _] = self.pair();
        for (body, part) in bodies.into_iter().zip([row.a, row.b]) {
            if body.is_none() {
                continue;
            }
            let side = if body == first {
                &mut sum.a
            } else {
                &mut sum.b
            };
            for (x, part) in side.iter_mut().zip(part) {
                *x += T::constant(factor) * part;
            }
        }
    }
}

/// A prescribed coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Its name.
    pub name: String,
    /// The coordinate.
    pub of: Driven,
    /// Its motion.
    pub motion: Motion,
}

/// A coordinate that is prescribed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driven {
    /// A coordinate of a joint.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// A coordinate of a body: along x, y or z, or its angle in the plane.
    Body {
        /// Index of the body.
        body: usize,
        /// Which of its coordinates.
        coordinate: usize,
        /// Part of the prescribed rate: 1, or a component of the direction of a belt.
        factor: f64,
    },
    /// A component of the rotation of a body in space about an axis.
    Turn {
        /// Index of the body.
        body: usize,
        /// Along x, y or z of its principal axes.
        component: usize,
        /// The axis, in principal axes; of length one.
        axis: Vec3,
        /// The prescribed angle at the start, rad.
        start: f64,
    },
}

/// The motion of a coordinate over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Its rate, m/s or rad/s.
    Speed(Signal),
    /// The coordinate itself, m or rad.
    Position(Signal),
    /// The rate of its rate.
    Acceleration(Accelerated),
}

impl Motion {
    /// The signal.
    pub fn signal(&self) -> &Signal {
        match self {
            Self::Speed(signal) | Self::Position(signal) => signal,
            Self::Acceleration(given) => &given.signal,
        }
    }

    /// Does it prescribe the coordinate itself?
    pub fn is_position(&self) -> bool {
        matches!(self, Self::Position(_))
    }

    /// Its rate, m/s or rad/s; at a jump, that of the given side.
    pub fn speed(&self, (time, side): (f64, Side), inputs: &[Input]) -> f64 {
        match self {
            Self::Speed(signal) => signal.value(time, side, inputs),
            Self::Position(signal) => signal.rate(time, side, inputs),
            Self::Acceleration(given) => given.speed(time, inputs),
        }
    }

    /// The rate of that, m/s² or rad/s².
    pub fn acceleration(&self, (time, side): (f64, Side), inputs: &[Input]) -> f64 {
        match self {
            Self::Speed(signal) => signal.rate(time, side, inputs),
            Self::Position(signal) => signal.second_rate(time, side, inputs),
            Self::Acceleration(given) => given.signal.value(time, side, inputs),
        }
    }
}

impl Drive {
    /// Prescribed rate of its row, m/s or rad/s; at a jump, that of the given side.
    pub fn speed(&self, time: (f64, Side), inputs: &[Input]) -> f64 {
        self.of.factor() * self.motion.speed(time, inputs)
    }

    /// Its rate, m/s² or rad/s².
    pub fn acceleration(&self, time: (f64, Side), inputs: &[Input]) -> f64 {
        self.of.factor() * self.motion.acceleration(time, inputs)
    }
}

impl Drive {
    /// Does it move a driven body, rather than a joint?
    pub fn is_of_body(&self) -> bool {
        match self.of {
            Driven::Joint { .. } => false,
            Driven::Body { .. } | Driven::Turn { .. } => true,
        }
    }
}

impl Driven {
    fn factor(&self) -> f64 {
        match self {
            Self::Joint { .. } => 1.0,
            Self::Body { factor, .. } => *factor,
            Self::Turn {
                component, axis, ..
            } => axis[*component],
        }
    }
}

impl Model {
    /// All couplings, with and without backlash.
    pub fn all_couplings(&self) -> impl Iterator<Item = &Coupling> {
        self.couplings.iter().chain(&self.loose_couplings)
    }

    /// Drives of an acceleration that is an input.
    pub fn integrated_inputs(&self) -> impl Iterator<Item = &Accelerated> {
        self.drives.iter().filter_map(|drive| match &drive.motion {
            Motion::Acceleration(given) if given.slot.is_some() => Some(given),
            Motion::Acceleration(_) | Motion::Speed(_) | Motion::Position(_) => None,
        })
    }

    /// Lets the speeds that follow from accelerations go on from a time, with the inputs as they are now.
    pub fn continue_speeds(&self, time: f64, inputs: &mut [Input]) {
        for given in self.integrated_inputs() {
            given.begin(time, inputs);
        }
    }

    /// The bodies that a drive acts on: those of the joint, or the ground and the driven body.
    pub fn bodies_of(&self, drive: &Drive) -> [BodyRef; 2] {
        match drive.of {
            Driven::Joint { joint, .. } => self.joints[joint].bodies,
            Driven::Body { body, .. } | Driven::Turn { body, .. } => [None, Some(body)],
        }
    }

    /// Is the motion of a body prescribed?
    pub fn is_prescribed(&self, body: usize) -> bool {
        let mut drives = self.drives.iter();
        drives.any(|drive| drive.is_of_body() && self.bodies_of(drive)[1] == Some(body))
    }

    /// Is a prescribed coordinate an angle?
    pub fn drive_turns(&self, drive: &Drive) -> bool {
        match drive.of {
            Driven::Joint { joint, coordinate } => {
                self.joints[joint].joint.coordinate_turns(coordinate)
            }
            Driven::Body {
                body, coordinate, ..
            } => self.angular[self.bodies[body].first + coordinate],
            Driven::Turn { .. } => true,
        }
    }

    /// Does a stop limit an angle?
    pub fn limits_angle(&self, stop: &Stop) -> bool {
        match stop.of {
            Limited::Joint { joint, coordinate } => {
                self.joints[joint].joint.coordinate_turns(coordinate)
            }
            Limited::Coupling(i) => self.loose_couplings[i].turns,
            Limited::Rope(_) => false,
        }
    }

    /// A joint coordinate, m or rad counted over all turns, and its gradient.
    pub fn coordinate(&self, joint: usize, coordinate: usize, poses: &Poses) -> (f64, GlobalRow) {
        let link = &self.joints[joint];
        match &link.joint {
            AnyJoint::Plane(joint) => {
                let [a, b] = link.bodies.map(|body| pose_of(poses.plane(), body));
                let known = joint.coordinate(a, b);
                known.map_or((0.0, GlobalRow::default()), |(value, row)| {
                    (value, self.global_row(link.bodies, &row))
                })
            }
            AnyJoint::Space(joint) => {
                let [a, b] = link.bodies.map(|body| space_pose_of(poses.space(), body));
                let (value, row) = joint.counted(coordinate, &poses.count(link), a, b);
                (value, self.global_row_in_space(link.bodies, &row))
            }
        }
    }

    /// A joint coordinate and the derivative of its gradient along the motion.
    pub fn coordinate_in_motion(
        &self,
        joint: usize,
        coordinate: usize,
        poses: &Poses,
        twists: &Twists,
    ) -> (f64, GlobalRow) {
        let link = &self.joints[joint];
        match &link.joint {
            AnyJoint::Plane(joint) => {
                let [a, b] = moving(link.bodies, poses, twists);
                let known = joint.coordinate(&a, &b);
                known.map_or((0.0, GlobalRow::default()), |(value, row)| {
                    (value.value, self.global_rate(link.bodies, &row))
                })
            }
            AnyJoint::Space(joint) => {
                let [a, b] = moving_in_space(link.bodies, poses, twists);
                let (value, row) = joint.counted(coordinate, &poses.count(link), &a, &b);
                (value.value, self.global_space_rate(link.bodies, &row))
            }
        }
    }

    /// The sum of a coupling, less that at the start, and its row.
    pub fn coupling_row(&self, coupling: &Coupling, poses: &Poses) -> (f64, GlobalRow) {
        let (mut sum, mut row) = (-coupling.start, GlobalRow::default());
        for term in &coupling.terms {
            let (value, gradient) = self.coordinate(term.joint, term.coordinate, poses);
            sum += term.factor * value;
            row.add_scaled(term.factor, &gradient);
        }
        (sum, row)
    }

    /// The sum of a coupling, less that at the start, and the derivative of its row along the motion.
    pub fn coupling_in_motion(
        &self,
        coupling: &Coupling,
        poses: &Poses,
        twists: &Twists,
    ) -> (f64, GlobalRow) {
        let (mut sum, mut row) = (-coupling.start, GlobalRow::default());
        for term in &coupling.terms {
            let (value, rate) =
                self.coordinate_in_motion(term.joint, term.coordinate, poses, twists);
            sum += term.factor * value;
            row.add_scaled(term.factor, &rate);
        }
        (sum, row)
    }

    /// (dG/dt) v of the row of a coupling.
    pub fn coupling_row_rate(
        &self,
        coupling: &Coupling,
        poses: &Poses,
        twists: &Twists,
        v: &[f64],
    ) -> f64 {
        self.coupling_in_motion(coupling, poses, twists).1.dot(v)
    }

    /// The row of a drive: the gradient of its coordinate.
    pub fn drive_row(&self, drive: &Drive, poses: &Poses) -> GlobalRow {
        match drive.of {
            Driven::Joint { joint, coordinate } => self.coordinate(joint, coordinate, poses).1,
            Driven::Body {
                body, coordinate, ..
            } => GlobalRow::unit(self.bodies[body].first + coordinate),
            Driven::Turn {
                body, component, ..
            } => GlobalRow::unit(self.bodies[body].first + 3 + component),
        }
    }

    /// (dG/dt) v of that row.
    pub fn drive_row_rate(&self, drive: &Drive, poses: &Poses, twists: &Twists, v: &[f64]) -> f64 {
        match drive.of {
            Driven::Joint { joint, coordinate } => {
                let (_, rate) = self.coordinate_in_motion(joint, coordinate, poses, twists);
                rate.dot(v)
            }
            Driven::Body { .. } | Driven::Turn { .. } => 0.0,
        }
    }

    /// Difference of a coordinate from its prescribed value, m or rad; zero where only its rate is prescribed.
    pub fn drive_residual(
        &self,
        drive: &Drive,
        poses: &Poses,
        time: (f64, Side),
        inputs: &[Input],
    ) -> f64 {
        let Motion::Position(signal) = &drive.motion else {
            return 0.0;
        };
        self.drive_offset(drive, poses, signal.value(time.0, time.1, inputs))
    }

    /// Difference of a coordinate from a value, m or rad.
    pub fn drive_offset(&self, drive: &Drive, poses: &Poses, value: f64) -> f64 {
        match drive.of {
            Driven::Joint { joint, coordinate } => {
                self.coordinate(joint, coordinate, poses).0 - value
            }
            Driven::Body {
                body, coordinate, ..
            } => self.body_coordinate(body, coordinate, poses) - value,
            Driven::Turn {
                body,
                component,
                axis,
                start,
            } => {
                let turned = quaternion::exp(axis * (value - start));
                let wanted = quaternion::product(self.initial_orientation[body], turned);
                let wanted = quaternion::matrix(wanted);
                let is = &space_pose_of(poses.space(), Some(body)).rotation;
                let apart = quaternion::from_matrix(&(wanted.transpose() * is));
                quaternion::log(apart)[component]
            }
        }
    }

    fn body_coordinate(&self, body: usize, coordinate: usize, poses: &Poses) -> f64 {
        match poses {
            Poses::Plane(poses) if coordinate == 2 => poses[body].angle,
            Poses::Plane(poses) => poses[body].position[coordinate],
            Poses::Space { poses, .. } => poses[body].position[coordinate],
        }
    }

    /// The gradient of a coordinate in space with respect to the motions of the bodies of its drive.
    pub fn drive_gradient<T: Real>(
        &self,
        drive: &Drive,
        a: &space::Pose<T>,
        b: &space::Pose<T>,
    ) -> space::Row<T> {
        let unit = |velocity: usize| {
            let mut row = space::Row::zero();
            row.b[velocity] = T::one();
            row
        };
        match drive.of {
            Driven::Joint { joint, coordinate } => {
                let joint = self.joints[joint].joint.space();
                joint.map_or_else(space::Row::zero, |joint| {
                    joint.coordinate(coordinate, a, b).1
                })
            }
            Driven::Body { coordinate, .. } => unit(coordinate),
            Driven::Turn { component, .. } => unit(3 + component),
        }
    }

    /// The gradient of a coupling of two bodies in space with respect to their motions.
    pub fn coupling_gradient<T: Real>(
        &self,
        coupling: &Coupling,
        pose: impl Fn(BodyRef) -> space::Pose<T>,
    ) -> space::Row<T> {
        let mut sum = space::Row::zero();
        for term in &coupling.terms {
            let link = &self.joints[term.joint];
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let [a, b] = link.bodies.map(&pose);
            let row = joint.coordinate(term.coordinate, &a, &b).1;
            coupling.add_term(&mut sum, term.factor, link.bodies, &row);
        }
        sum
    }
}
