//! The model of a scene: checked, indexed, immutable.

mod accelerated;
mod build;
mod contacts;
mod drive;
mod drives;
mod flanges;
mod friction;
mod friction_parts;
mod geometry;
mod manifold_reduction;
pub mod memory;
mod poses;
mod rope;
mod seams;
mod sensors;
mod space;
mod space_contacts;
mod space_time_stepping;
mod start;
mod stribeck;
mod time_stepping;
mod tree;

pub use crate::kinds::space::shape::shape_of;
pub use build::build;
pub use drive::{Coupling, Drive, Driven, Motion, Term};
pub use flanges::Flange;
pub use friction::{Arm, BACKWARD, FORWARD, FrictionElement, Load};
pub use geometry::{
    ContactGeometry, FixedFeature, Gap, MAX_FRICTION_ROWS, N_ROTATION_AXES, N_TANGENTS,
    rotation_axes,
};
pub use poses::{Poses, Twists, pose_of, space_pose_of, space_twist_of, twist_of};
pub use rope::Rope;
pub use seams::{SEAM, Seams, Surroundings};
pub use sensors::Sensor;
pub use start::StartSpec;
pub use stribeck::Stribeck;
pub use time_stepping::{Belt, Collider, ContactMaterial, Neighbours, TimeStepping};

use crate::kinds::compliance::Compliance;
use crate::kinds::force::Tunable;
use crate::kinds::joint::Description;
use crate::kinds::plane::collide::Feature;
use crate::kinds::plane::force::{Force, Servo};
use crate::kinds::plane::joint::Joint;
use crate::kinds::space as spatial;
use crate::math::{Quaternion, Vec3};
use crate::scene::spec::parameter::Parameter;
use crate::scene::spec::{Interface, Settings};

/// Contacts for which workspace is allocated in advance.
const EXPECTED: usize = 16;

/// A body by its index in [`Model::bodies`]; `None` is the ground.
pub type BodyRef = Option<usize>;

/// All that does not change during a run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the scene.
    pub name: String,
    /// One sentence that describes it.
    pub description: String,
    /// Is the scene in space rather than in the plane?
    pub spatial: bool,
    /// m/s²; in the plane the third component is zero.
    pub gravity: Vec3,
    /// Default stop time, s.
    pub until: f64,
    /// Integration settings of the scene.
    pub settings: Settings,
    /// Interface of its FMU.
    pub interface: Interface,
    /// Moving bodies.
    pub bodies: Vec<Body>,
    /// Joints.
    pub joints: Vec<JointLink>,
    /// Couplings of joint coordinates: their equations follow those of the joints.
    pub couplings: Vec<Coupling>,
    /// Couplings with backlash, which have stops instead of equations.
    pub loose_couplings: Vec<Coupling>,
    /// Ropes, which have stops too.
    pub ropes: Vec<Rope>,
    /// Prescribed coordinates of joints and bodies: their equations follow those of the couplings.
    pub drives: Vec<Drive>,
    /// Friction elements of joints, clutches and brakes: their rows follow those of the drives.
    pub elements: Vec<FrictionElement>,
    /// Force elements.
    pub forces: Vec<ForceLink>,
    /// All contacts and stops that can become active.
    pub contacts: Vec<Contact>,
    /// Names of the pairs of shapes, and of the joints with stops, that contacts belong to.
    pub pairs: Vec<String>,
    /// Parameters with names of the author's.
    pub parameters: Vec<Parameter>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Flanges.
    pub flanges: Vec<Flange>,
    /// Inputs.
    pub inputs: Vec<InputLink>,
    /// Number of servos among the force elements.
    pub n_servos: usize,
    /// Times at which a force is not smooth, ascending, s.
    pub breakpoints: Vec<f64>,
    /// Shortest period of an applied force, s; infinite where none is periodic.
    pub shortest_period: f64,
    /// Number of coordinates = number of velocities.
    pub n_velocities: usize,
    /// Number of joint equations, with those of couplings, drives and friction elements.
    pub n_joint_rows: usize,
    /// Number of free coordinates of joints in space.
    pub n_joint_coordinates: usize,
    /// Friction rows per contact: 1 in the plane, 2 in space, and 3 more if some contact resists rotation.
    pub n_friction_rows: usize,
    /// Does the friction of some contact decrease with the sliding speed (Stribeck)?
    pub has_stribeck_friction: bool,
    /// Are there compliant contacts or stops?
    pub has_compliant_contacts: bool,
    /// Mass of each velocity, kg or kg m².
    pub mass: Vec<f64>,
    /// Is the velocity a rotation?
    pub angular: Vec<bool>,
    /// Initial coordinates: x, y (and the angle) of each body; in space x, y, z (and three zeros).
    pub initial_position: Vec<f64>,
    /// Initial orientation of each body in space.
    pub initial_orientation: Vec<Quaternion>,
    /// Initial velocities.
    pub initial_velocity: Vec<f64>,
    /// Colliders for time stepping, which does not use `contacts`.
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
    /// In space: principal axes, used by the engine, in the axes of the scene.
    pub axes: Quaternion,
    /// In space: initial orientation and angular velocity, as given in the scene.
    pub start: StartSpec,
    /// Radius of its shapes about its centre of mass, m.
    pub extent: f64,
    /// Is it the moving surface of a belt? The shape of the ground that it belongs to does not move with it.
    pub is_belt: bool,
    /// Is it the reel of a rope, whose first coordinate is the length paid out? It has a mass in the equations only: neither weight nor energy.
    pub is_reel: bool,
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
    /// Its force.
    pub force: AnyForce,
    /// Index of the joint it acts on.
    pub joint: Option<usize>,
}

/// An input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputLink {
    /// Name of the force element and of the component: `push.force_x`.
    pub name: String,
    /// Start value.
    pub start: f64,
    /// Its unit.
    pub unit: InputUnit,
}

/// Units of inputs.
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
    /// m.
    Meter,
    /// rad.
    Radian,
    /// m/s².
    MeterPerSecond2,
    /// rad/s².
    RadianPerSecond2,
}

impl InputUnit {
    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Newton => "N",
            Self::NewtonMeter => "N.m",
            Self::MeterPerSecond => "m/s",
            Self::RadianPerSecond => "rad/s",
            Self::Meter => "m",
            Self::Radian => "rad",
            Self::MeterPerSecond2 => "m/s2",
            Self::RadianPerSecond2 => "rad/s2",
        }
    }
}

/// A unilateral constraint: a pair of features, a stop of a joint, or a rope.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name.
    pub name: String,
    /// The normal points from the first to the second body.
    pub bodies: [BodyRef; 2],
    /// Index of its pair, which shares friction and restitution.
    pub pair: usize,
    /// Its geometry.
    pub kind: ContactKind,
    /// Neighbouring shapes of its bodies.
    pub seams: Seams,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Static friction coefficient; has no effect if below the kinetic one.
    pub static_friction: f64,
    /// Sliding speed over which friction falls from the static to the kinetic coefficient, m/s; none where it drops at once.
    pub stribeck_velocity: Option<f64>,
    /// Torsional friction moment per normal force of a contact in space, m.
    pub torsional_friction: f64,
    /// Rolling friction moment per normal force of a contact in space, m.
    pub rolling_friction: f64,
    /// Normal restitution.
    pub restitution: f64,
    /// Tangential restitution.
    pub tangential_restitution: f64,
    /// Force law of a compliant contact; `None` for a rigid one.
    pub compliance: Option<Compliance>,
}

/// Geometry of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactKind {
    /// A vertex and a shape.
    Feature(Feature),
    /// Two features in space.
    Space(Box<SpaceContact>),
    /// A stop of a joint coordinate.
    Limit(Stop),
}

/// Two features in space, with anisotropic friction.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceContact {
    /// The features.
    pub feature: spatial::collide::Feature,
    /// Bounds of the two shapes.
    pub bounds: spatial::collide::Pair,
    /// Direction of the friction coefficient, in the axes of the first or second body; arbitrary if absent.
    pub axis: Option<(usize, Vec3)>,
    /// The friction coefficient is for the direction across that axis.
    pub turned: bool,
    /// Ratio of the friction coefficient in the other direction to that one.
    pub across: f64,
}

/// A stop of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// What it limits.
    pub of: Limited,
    /// rad or m.
    pub bound: f64,
    /// Is it a lower bound of the coordinate?
    pub above: bool,
}

/// What a stop limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limited {
    /// A coordinate of a joint.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// The sum of a coupling with backlash, by index.
    Coupling(usize),
    /// The path of a rope, less the length paid out, by index.
    Rope(usize),
}

// the same of an element in the plane and of one in space
macro_rules! either {
    ($any:expr, $element:ident => $value:expr) => {
        match $any {
            Self::Plane($element) => $value,
            Self::Space($element) => $value,
        }
    };
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
    /// The numbers that may change during a run.
    pub fn tunable(&self) -> &dyn Tunable {
        match self {
            Self::Plane(force) => &**force,
            Self::Space(force) => &**force,
        }
    }

    /// Mutable access to them.
    pub fn tunable_mut(&mut self) -> &mut dyn Tunable {
        match self {
            Self::Plane(force) => &mut **force,
            Self::Space(force) => &mut **force,
        }
    }

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

    /// The servo, if it is one.
    pub fn servo(&self) -> Option<&Servo> {
        match self {
            Self::Plane(Force::Servo(servo)) => Some(servo),
            Self::Space(spatial::force::Force::Servo(servo)) => Some(&servo.law),
            Self::Plane(_) | Self::Space(_) => None,
        }
    }

    /// Mutable access to that.
    pub fn servo_mut(&mut self) -> Option<&mut Servo> {
        match self {
            Self::Plane(Force::Servo(servo)) => Some(servo),
            Self::Space(spatial::force::Force::Servo(servo)) => Some(&mut servo.law),
            Self::Plane(_) | Self::Space(_) => None,
        }
    }

    /// Times at which the force is not smooth.
    pub fn breakpoints(&self) -> Vec<f64> {
        either!(self, force => force.breakpoints())
    }

    /// Its shortest period, s; infinite where it is not periodic.
    pub fn shortest_period(&self) -> f64 {
        either!(self, force => force.shortest_period())
    }

    /// Is it an applied force, given by signals?
    pub fn is_given(&self) -> bool {
        either!(self, force => force.is_given())
    }

    /// Does it dissipate energy?
    pub fn dissipates(&self) -> bool {
        either!(self, force => force.dissipates())
    }

    /// Is the force linear in the velocities?
    pub fn is_linear_in_velocity(&self) -> bool {
        either!(self, force => force.is_linear_in_velocity())
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
        either!(self, joint => joint.description())
    }

    /// Values of its parameters, in the order of the description.
    pub fn values(&self) -> Vec<f64> {
        either!(self, joint => joint.values())
    }

    /// Number of equations.
    pub fn n_rows(&self) -> usize {
        self.description().rows.len()
    }

    /// Names of the equations in error messages and outputs.
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

    /// Is there smoothed friction in joints?
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

    /// Does some contact resist rotation?
    pub fn resists_rotation(&self) -> bool {
        self.n_friction_rows > N_TANGENTS
    }

    /// Contacts for which workspace is allocated in advance: most features never touch, and it grows with those that do.
    pub fn expected_contacts(&self) -> usize {
        self.contacts.len().min(EXPECTED)
    }

    /// The bodies without the reels of ropes, which come last.
    pub fn bodies_of_scene(&self) -> &[Body] {
        let n = self.bodies.iter().take_while(|body| !body.is_reel).count();
        &self.bodies[..n]
    }

    /// Acceleration of gravity of a body, m/s².
    #[inline]
    pub fn gravity_of(&self, body: &Body) -> Vec3 {
        match body.is_reel {
            true => Vec3::zeros(),
            false => self.gravity,
        }
    }

    /// Name of a body.
    pub fn body_name(&self, body: BodyRef) -> &str {
        body.map_or("ground", |i| &self.bodies[i].name)
    }
}
