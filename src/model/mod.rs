//! The running form of a scene: checked, indexed, immutable.

mod build;
mod contacts;
mod geometry;
mod manifold_reduction;
pub mod memory;
mod motors;
mod poses;
mod seams;
mod space;
mod space_contacts;
mod space_time_stepping;
mod start;
mod stribeck;
mod time_stepping;

pub use crate::kinds::space::shape::shape_of;
pub use build::build;
pub use geometry::{Gap, Hold, MAX_FRICTION_ROWS, N_TANGENTS, N_TURNS, Near, turning_axes};
pub use poses::{Poses, Twists, pose_of, space_pose_of, space_twist_of, twist_of};
pub use seams::{SEAM, Seams, Surroundings};
pub use start::StartSpec;
pub use stribeck::Stribeck;
pub use time_stepping::{Belt, Collider, ContactMaterial, Neighbours, TimeStepping};

use crate::kinds::joint::Description;
use crate::kinds::plane::collide::Feature;
use crate::kinds::plane::force::{Force, Signal};
use crate::kinds::plane::joint::Joint;
use crate::kinds::space as spatial;
use crate::math::{Quaternion, Vec3};
use crate::scene::spec::Settings;

/// Contacts that work space is made for in advance.
const EXPECTED: usize = 16;

/// A body by its index in [`Model::bodies`]; `None` is the ground.
pub type BodyRef = Option<usize>;

/// All that does not change during a run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the scene.
    pub name: String,
    /// One sentence on what it shows.
    pub description: String,
    /// Do bodies move in space, not in the plane?
    pub spatial: bool,
    /// m/s²; in the plane the third component is zero.
    pub gravity: Vec3,
    /// Default end of a run, s.
    pub until: f64,
    /// How the scene wants to be integrated.
    pub settings: Settings,
    /// Moving bodies.
    pub bodies: Vec<Body>,
    /// Joints.
    pub joints: Vec<JointLink>,
    /// Motors that give a speed: their equations follow those of the joints.
    pub motors: Vec<Motor>,
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
    /// Number of coordinates = number of velocities.
    pub n_velocities: usize,
    /// Number of joint equations, those of motors included.
    pub n_joint_rows: usize,
    /// Number of coordinates that joints in space leave free.
    pub n_joint_coordinates: usize,
    /// Rows of friction of each contact: 1 in the plane, 2 in space, and 3 more where some contact resists rotation.
    pub n_friction_rows: usize,
    /// Does the friction of some contact fall with the speed of sliding?
    pub has_falling_friction: bool,
    /// Mass of each velocity, kg or kg m².
    pub mass: Vec<f64>,
    /// Is it a rotation?
    pub angular: Vec<bool>,
    /// Coordinates at the start: x, y (and the angle) of each body; in space x, y, z (and three zeros).
    pub initial_position: Vec<f64>,
    /// Orientation of each body in space at the start.
    pub initial_orientation: Vec<Quaternion>,
    /// Velocities at the start.
    pub initial_velocity: Vec<f64>,
    /// Shapes of many bodies, whose contacts are not in `contacts`.
    pub time_stepping: Option<TimeStepping>,
}

/// A moving body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Index of its first coordinate.
    pub first: usize,
    /// Number of its velocities: 2 for a point mass, 3 for a rigid body; in space 3 and 6.
    pub n_dof: usize,
    /// In space: its principal axes, which the engine goes by, in the axes that the scene gives it.
    pub axes: Quaternion,
    /// In space: its orientation and rate of rotation at the start, as the scene gives them.
    pub start: StartSpec,
    /// In space: how far its shapes reach from its centre of mass, m.
    pub extent: f64,
}

/// A joint and the bodies it joins.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLink {
    /// Its name.
    pub name: String,
    /// First and second body.
    pub bodies: [BodyRef; 2],
    /// Its equations.
    pub joint: AnyJoint,
    /// Index of its first coordinate among those of all joints in space.
    pub first_coordinate: usize,
}

/// A joint in the plane or in space.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyJoint {
    /// In the plane.
    Plane(Joint),
    /// In space.
    Space(spatial::joint::Joint),
}

/// A force element and the bodies it acts on.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceLink {
    /// Its name.
    pub name: String,
    /// First and second body.
    pub bodies: [BodyRef; 2],
    /// Its law.
    pub force: AnyForce,
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
    /// What it is measured in.
    pub unit: InputUnit,
}

/// Units of values from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputUnit {
    /// N.
    Newton,
    /// N m.
    NewtonMeter,
    /// m/s.
    MeterPerSecond,
    /// rad/s.
    RadianPerSecond,
}

/// A joint coordinate whose rate is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// Its name.
    pub name: String,
    /// Index of the joint.
    pub joint: usize,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// m/s or rad/s.
    pub speed: Signal,
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
    /// What else of its bodies is at the shapes that touch.
    pub seams: Seams,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// The same while it sticks; where it is below the other one it has no effect.
    pub static_friction: f64,
    /// Speed of sliding over which the static coefficient falls to the other one, m/s; none where it drops at once.
    pub stribeck_velocity: Option<f64>,
    /// Moment about the normal that a contact in space can take, by its normal force, m.
    pub torsional_friction: f64,
    /// Moment across the normal that a contact in space can take, by its normal force, m.
    pub rolling_friction: f64,
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
    /// Two features in space.
    Space(Box<SpaceContact>),
    /// A stop of a joint coordinate.
    Limit(Stop),
}

/// Two features in space, and how friction differs between directions.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceContact {
    /// What touches.
    pub feature: spatial::collide::Feature,
    /// Bounds of the two shapes it belongs to.
    pub bounds: spatial::collide::Pair,
    /// The direction that the friction coefficient is for, in the axes of the first or second body; any one if absent.
    pub axis: Option<(usize, Vec3)>,
    /// The friction coefficient is for the direction across that axis.
    pub turned: bool,
    /// Friction coefficient in the other direction, as a part of that one.
    pub across: f64,
}

/// A stop of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Index of the joint.
    pub joint: usize,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// rad or m.
    pub bound: f64,
    /// The coordinate must stay above the bound, or below.
    pub above: bool,
}

/// A force element in the plane or in space.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyForce {
    /// In the plane.
    Plane(Force),
    /// In space.
    Space(spatial::force::Force),
}

impl AnyForce {
    /// The element in the plane, if it is one.
    pub fn plane(&self) -> Option<&Force> {
        match self {
            Self::Plane(force) => Some(force),
            Self::Space(_) => None,
        }
    }

    /// The element in space, if it is one.
    pub fn space(&self) -> Option<&spatial::force::Force> {
        match self {
            Self::Plane(_) => None,
            Self::Space(force) => Some(force),
        }
    }

    /// Times at which the force is not smooth.
    pub fn breakpoints(&self) -> Vec<f64> {
        match self {
            Self::Plane(force) => force.breakpoints().collect(),
            Self::Space(force) => force.breakpoints().collect(),
        }
    }

    /// The shortest time in which a part of it repeats, s; infinite where none does.
    pub fn shortest_period(&self) -> f64 {
        match self {
            Self::Plane(force) => force.shortest_period(),
            Self::Space(force) => force.shortest_period(),
        }
    }

    /// Is it given from outside, by signals?
    pub fn is_given(&self) -> bool {
        match self {
            Self::Plane(force) => force.is_given(),
            Self::Space(force) => force.is_given(),
        }
    }

    /// Does it take energy from what moves?
    pub fn dissipates(&self) -> bool {
        match self {
            Self::Plane(force) => force.dissipates(),
            Self::Space(force) => force.dissipates(),
        }
    }

    /// Is the force linear in the velocities?
    pub fn is_linear_in_velocity(&self) -> bool {
        match self {
            Self::Plane(force) => force.is_linear_in_velocity(),
            Self::Space(force) => force.is_linear_in_velocity(),
        }
    }
}

impl AnyJoint {
    /// The joint in the plane, if it is one.
    pub fn plane(&self) -> Option<&Joint> {
        match self {
            Self::Plane(joint) => Some(joint),
            Self::Space(_) => None,
        }
    }

    /// Its kind.
    pub fn description(&self) -> &'static Description {
        match self {
            Self::Plane(joint) => joint.description(),
            Self::Space(joint) => joint.description(),
        }
    }

    /// Values of its parameters, in the order of the description.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Plane(joint) => joint.values(),
            Self::Space(joint) => joint.values(),
        }
    }

    /// Number of equations.
    pub fn n_rows(&self) -> usize {
        self.description().rows.len()
    }

    /// What the equations are called in error messages and outputs.
    pub fn row_names(&self) -> &'static [&'static str] {
        self.description().rows
    }

    /// Is the reaction of an equation a moment?
    pub fn row_is_moment(&self, row: usize) -> bool {
        row >= self.description().n_forces
    }

    /// Is a coordinate an angle?
    pub fn coordinate_turns(&self, coordinate: usize) -> bool {
        let coordinates = self.description().coordinates;
        coordinates.get(coordinate).is_some_and(|c| c.is_angle)
    }

    /// The joint in space, if it is one.
    pub fn space(&self) -> Option<&spatial::joint::Joint> {
        match self {
            Self::Plane(_) => None,
            Self::Space(joint) => Some(joint),
        }
    }
}

impl Model {
    /// Are all forces linear in the velocities?
    pub fn velocity_forces_are_linear(&self) -> bool {
        self.forces
            .iter()
            .all(|link| link.force.is_linear_in_velocity())
    }

    /// Is there friction in joints that is smoothed?
    pub fn has_smoothed_friction(&self) -> bool {
        use crate::kinds::plane::force::Force::Stribeck;
        use crate::kinds::space::force::Force::Stribeck as SpaceStribeck;
        let mut forces = self.forces.iter();
        forces.any(|link| {
            matches!(
                link.force,
                AnyForce::Plane(Stribeck(_)) | AnyForce::Space(SpaceStribeck(_))
            )
        })
    }

    /// Do some contacts resist rotation?
    pub fn resists_rotation(&self) -> bool {
        self.n_friction_rows > N_TANGENTS
    }

    /// Number of contacts that work space is made for in advance: most features never touch, and it grows with those that do.
    pub fn expected_contacts(&self) -> usize {
        self.contacts.len().min(EXPECTED)
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyRef) -> &str {
        body.map_or("ground", |i| &self.bodies[i].name)
    }
}
