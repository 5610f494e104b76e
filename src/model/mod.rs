//! The running form of a scene: checked, indexed, immutable.

mod build;
mod contacts;

pub use build::build;

use crate::collide::Feature;
use crate::constraint::{Pose, Row, Twist};
use crate::force::Force;
use crate::joint::Joint;
use crate::math::{Real, Vec2};
use crate::scene::format::Settings;

/// A body by its index in [`Model::bodies`]; `None` is the ground.
pub type BodyRef = Option<usize>;

/// All that does not change during a run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the scene.
    pub name: String,
    /// One sentence on what it shows.
    pub description: String,
    /// m/s².
    pub gravity: Vec2,
    /// Default end of a run, s.
    pub until: f64,
    /// How the scene wants to be integrated.
    pub settings: Settings,
    /// Moving bodies.
    pub bodies: Vec<Body>,
    /// Joints.
    pub joints: Vec<JointLink>,
    /// Force elements.
    pub forces: Vec<ForceLink>,
    /// All contacts and stops that can become active.
    pub contacts: Vec<Contact>,
    /// Names of the pairs of shapes and of the joints with stops that the contacts belong to.
    pub pairs: Vec<String>,
    /// Values that come from outside.
    pub inputs: Vec<InputLink>,
    /// Times at which a force is not smooth, ascending, s.
    pub breakpoints: Vec<f64>,
    /// The shortest time in which an applied force repeats, s; infinite where none does.
    pub shortest_period: f64,
    /// Number of coordinates = number of velocities in the plane.
    pub n_velocities: usize,
    /// Number of joint equations.
    pub n_joint_rows: usize,
    /// Mass of each velocity, kg or kg m².
    pub mass: Vec<f64>,
    /// Is it a rotation?
    pub angular: Vec<bool>,
    /// Coordinates at the start: x, y (and the angle) of each body.
    pub initial_position: Vec<f64>,
    /// Velocities at the start.
    pub initial_velocity: Vec<f64>,
}

/// A moving body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Index of its first coordinate.
    pub first: usize,
    /// Number of its coordinates: 2 for a point mass, 3 for a rigid body.
    pub n_dof: usize,
}

/// A joint and the bodies it joins.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLink {
    /// Its name.
    pub name: String,
    /// First and second body.
    pub bodies: [BodyRef; 2],
    /// Its equations.
    pub joint: Joint,
}

/// A force element and the bodies it acts on.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceLink {
    /// Its name.
    pub name: String,
    /// First and second body.
    pub bodies: [BodyRef; 2],
    /// Its law.
    pub force: Force,
    /// Index of the joint it acts on.
    pub joint: Option<usize>,
}

/// A value that comes from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct InputLink {
    /// Name of the force element and of the component: `push.force_x`.
    pub name: String,
    /// Value until another one is given, N or N m.
    pub start: f64,
    /// A torque, not a force.
    pub is_torque: bool,
}

/// A unilateral constraint: a pair of features, or a stop of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name.
    pub name: String,
    /// The normal points from the first to the second body.
    pub bodies: [BodyRef; 2],
    /// Index of the pair it belongs to, which shares friction and restitution.
    pub pair: usize,
    /// What touches.
    pub kind: ContactKind,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Normal restitution.
    pub restitution: f64,
    /// Tangential restitution.
    pub tangential_restitution: f64,
}

/// What touches.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactKind {
    /// A vertex and a shape.
    Feature(Feature),
    /// A stop of a joint coordinate.
    Limit {
        /// Index of the joint.
        joint: usize,
        /// rad or m.
        bound: f64,
        /// The coordinate must stay above the bound, or below.
        above: bool,
    },
}

/// A contact at a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Closeness<T = f64> {
    /// m (rad at a stop of a revolute joint).
    pub gap: T,
    /// Gradient of the gap.
    pub normal: Row<T>,
    /// Direction of sliding.
    pub tangent: Row<T>,
    /// What a closed contact keeps at zero, m; see [`crate::collide::Nearest`].
    pub offset: T,
    /// See [`crate::collide::Nearest`], m.
    pub margin: f64,
    /// Gradient of the gap.
    pub gap_row: Row<T>,
}

impl Model {
    /// Are all forces linear in the velocities?
    pub fn velocity_forces_are_linear(&self) -> bool {
        self.forces
            .iter()
            .all(|link| link.force.is_linear_in_velocity())
    }

    /// Poses of all bodies at coordinates `q`.
    pub fn poses(&self, q: &[f64], poses: &mut [Pose]) {
        for (body, pose) in self.bodies.iter().zip(poses) {
            let angle = if body.n_dof == 3 {
                q[body.first + 2]
            } else {
                0.0
            };
            *pose = Pose::new(q[body.first], q[body.first + 1], angle);
        }
    }

    /// Twists of all bodies at velocities `v`.
    pub fn twists(&self, v: &[f64], twists: &mut [Twist]) {
        for (body, twist) in self.bodies.iter().zip(twists) {
            twist.linear = Vec2::new(v[body.first], v[body.first + 1]);
            twist.angular = if body.n_dof == 3 {
                v[body.first + 2]
            } else {
                0.0
            };
        }
    }

    /// Gap and rows of a contact; `None` while another contact looks after the same place.
    pub fn closeness<T: Real>(
        &self,
        contact: &Contact,
        a: &Pose<T>,
        b: &Pose<T>,
    ) -> Option<Closeness<T>> {
        match &contact.kind {
            ContactKind::Feature(feature) => feature.nearest(a, b).map(|near| Closeness {
                gap: near.gap,
                normal: near.normal_row(),
                tangent: near.tangent_row(),
                offset: near.offset,
                margin: near.margin,
                gap_row: near.gap_row(),
            }),
            ContactKind::Limit {
                joint,
                bound,
                above,
            } => {
                let (coordinate, row) = self.joints[*joint].joint.coordinate(a, b)?;
                let distance = coordinate - T::constant(*bound);
                let gap = if *above { distance } else { -distance };
                let normal = if *above { row } else { row.negated() };
                Some(Closeness {
                    gap,
                    normal,
                    tangent: Row::zero(),
                    offset: gap,
                    margin: f64::INFINITY,
                    gap_row: normal,
                })
            }
        }
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyRef) -> &str {
        body.map_or("ground", |i| &self.bodies[i].name)
    }
}

/// The pose of a body or of the ground.
pub fn pose_of(poses: &[Pose], body: BodyRef) -> Pose {
    body.map_or_else(Pose::ground, |i| poses[i])
}

/// The twist of a body or of the ground.
pub fn twist_of(twists: &[Twist], body: BodyRef) -> Twist {
    body.map_or_else(Twist::zero, |i| twists[i])
}
