//! The written form of a scene in space. What it has in common with a planar one is in `format`.

use super::{
    Anchors, BodyKind, ContactMaterial, ContactRule, Force, Frame, Limits, Name, Shape, Signal,
};
use crate::math::Quaternion;
use crate::scene::error::Place;
use serde::{Deserialize, Serialize};

/// A three-component vector as it stands in the file.
pub type Triple = [f64; 3];

/// The parts of a scene with `dimension = 3`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Space {
    /// Acceleration of gravity, m/s².
    pub gravity: Triple,
    /// Moving bodies, in file order.
    pub bodies: Vec<Body>,
    /// Shapes fixed to the ground.
    pub ground: Vec<Shape<Geometry>>,
    /// Joints between two bodies, or a body and the ground.
    pub joints: Vec<Joint>,
    /// Force elements.
    pub forces: Vec<Force<ForceKind>>,
    /// Contact properties where no rule says otherwise.
    pub contact_default: ContactMaterial<Friction>,
    /// Contact properties of pairs of materials, groups or bodies.
    pub contact_rules: Vec<ContactRule<Friction>>,
    /// Contacts are found as bodies come near, and solved in groups.
    pub time_stepping: Option<TimeStepping>,
    /// Surfaces of the ground that move along themselves.
    pub belts: Vec<Belt>,
}

/// `[[belt]]`: the surface of a shape of the ground that moves along itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Belt {
    /// Where the table starts.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The shape of the ground.
    pub shape: Name,
    /// Where the surface moves to; any length.
    pub direction: Triple,
    /// m/s.
    pub speed: Signal,
}

/// `[crowd]`: how many bodies and contacts are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeStepping {
    /// Sweeps over the contacts in each step; exact if absent.
    pub sweeps: Option<u32>,
    /// Impacts that a group of bodies has located one by one within a step; with more they are taken as one.
    pub located_impacts: u32,
    /// Contacts of two bodies that are nearer to each other than this, and all inside the outline of others, are left
    /// out, m.
    pub merge_distance: f64,
    /// Groups of bodies slower than this fall asleep, m/s; none if zero.
    pub sleep_speed: f64,
    /// When they were so for this long, s.
    pub sleep_after: f64,
    /// Threads that solve groups of bodies; the results do not depend on it.
    pub threads: u32,
}

impl Space {
    /// The files that shapes were read from, each once, in file order: relative to the scene, with `/`.
    pub fn files(&self) -> Vec<&str> {
        let shapes = self.bodies.iter().flat_map(|body| &body.shapes);
        let mut files: Vec<&str> = Vec::new();
        for shape in shapes.chain(&self.ground) {
            if let Geometry::Polyhedron {
                file: Some(file), ..
            } = &shape.geometry
                && !files.contains(&file.as_str())
            {
                files.push(file);
            }
        }
        files
    }
}

/// `[[body]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Where the table starts.
    pub place: Place,
    /// Unique name, not `ground`.
    pub name: String,
    /// A point mass (three velocities) or a rigid body (six).
    pub kind: BodyKind,
    /// How heavy it is.
    pub mass: Mass,
    /// Tensor of inertia about the centre of mass in body axes, kg m²; symmetric and positive. From the shapes at
    /// uniform density if absent.
    pub inertia: Option<[Triple; 3]>,
    /// Centre of mass in the world, m.
    pub position: Triple,
    /// Rotation from the world's to the body's axes; a unit quaternion, w first.
    pub orientation: Quaternion,
    /// Velocity of the centre of mass in world axes, m/s.
    pub velocity: Triple,
    /// rad/s.
    pub angular_velocity: Triple,
    /// Axes of `angular_velocity`.
    pub angular_velocity_frame: Frame,
    /// For contact rules.
    pub group: Option<String>,
    /// Shapes, in body coordinates.
    pub shapes: Vec<Shape<Geometry>>,
}

/// `mass` or `density`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mass {
    /// kg.
    Given(f64),
    /// kg/m³, of the solid shapes.
    Density(f64),
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Geometry {
    /// A point that touches others.
    Point {
        /// m.
        position: Triple,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        position: Triple,
        /// m.
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end, m.
        from: Triple,
        /// Centre of the other end, m.
        to: Triple,
        /// Of the ends and of the rod, m.
        radius: f64,
    },
    /// A cuboid.
    Box {
        /// Centre, m.
        position: Triple,
        /// Rotation against the body; a unit quaternion, w first.
        orientation: Quaternion,
        /// Full lengths of the edges, m.
        size: Triple,
    },
    /// A round cylinder with flat ends.
    Cylinder {
        /// Centre, m.
        position: Triple,
        /// Along it; any length.
        axis: Triple,
        /// m.
        radius: f64,
        /// Distance of the ends, m.
        height: f64,
    },
    /// The convex hull of points that are not in one plane.
    Polyhedron {
        /// m; none twice where they come from a file.
        vertices: Vec<Triple>,
        /// Where they come from, relative to the scene, with `/`.
        file: Option<String>,
    },
    /// All that lies behind a plane; on the ground only.
    HalfSpace {
        /// A point of the plane, m.
        point: Triple,
        /// Points out of the material; any length.
        normal: Triple,
    },
    /// Ground below a grid of heights; on the ground only.
    HeightField {
        /// x and y of the first height, m.
        origin: [f64; 2],
        /// Distances of the heights along x and y, m.
        cell: [f64; 2],
        /// z, m: a row runs along x, rows follow each other along y. At least two rows of at least two, all alike.
        heights: Vec<Vec<f64>>,
    },
}

/// `[[joint]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joint {
    /// Where the table starts.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The first and second body (`ground` allowed for one of them).
    pub bodies: [Name; 2],
    /// Attachment points.
    pub anchors: Anchors<Triple>,
    /// Which joint.
    pub kind: JointKind,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Do shapes of the two bodies still touch each other?
    pub contact: bool,
}

/// A direction that both bodies of a joint share at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Axis {
    /// `axis`: in the world at the start; any length.
    World(Triple),
    /// `axes`: in the axes of the first and of the second body; any length.
    Local([Triple; 2]),
}

/// The two directions of a universal joint, at right angles at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cross {
    /// `axis`, fixed in the first body, and `second_axis`, fixed in the second; in the world at the start.
    World([Triple; 2]),
    /// `axes`: the same in the axes of the body that each is fixed in.
    Local([Triple; 2]),
}

/// What a joint lets move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// All rotations about the anchor.
    Spherical,
    /// Rotation about an axis; its angle is zero at the start, rad.
    Revolute {
        /// Of the rotation.
        axis: Axis,
        /// Of the angle, rad.
        limits: Option<Limits>,
    },
    /// Translation along an axis; displacement of the second anchor from the first along it, m.
    Prismatic {
        /// Of the translation.
        axis: Axis,
        /// Of the displacement, m.
        limits: Option<Limits>,
    },
    /// Rotation about an axis and translation along it.
    Cylindrical {
        /// Of both.
        axis: Axis,
        /// Of the displacement, m.
        limits: Option<Limits>,
        /// Of the angle, rad.
        angle_limits: Option<Limits>,
    },
    /// Rotations about two axes.
    Universal {
        /// The two.
        axes: Cross,
    },
    /// Translation in a plane and rotation about its normal.
    Planar {
        /// The normal.
        axis: Axis,
    },
    /// No relative motion.
    Fixed,
    /// A rigid rod between the anchors.
    Distance {
        /// m; the initial distance if absent.
        length: Option<f64>,
    },
}

/// What of a joint changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coordinate {
    /// `"angle"`: of the second body against the first about the axis, counted from the start, rad.
    Angle,
    /// `"displacement"`: of the second anchor from the first along the axis, m.
    Displacement,
}

impl JointKind {
    /// The coordinates that limits, motors, springs and friction act on.
    pub fn coordinates(&self) -> &'static [Coordinate] {
        match self {
            Self::Revolute { .. } => &[Coordinate::Angle],
            Self::Prismatic { .. } => &[Coordinate::Displacement],
            Self::Cylindrical { .. } => &[Coordinate::Angle, Coordinate::Displacement],
            Self::Spherical
            | Self::Universal { .. }
            | Self::Planar { .. }
            | Self::Fixed
            | Self::Distance { .. } => &[],
        }
    }
}

/// `motor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// What it gives.
    pub kind: MotorKind,
    /// What it acts on.
    pub coordinate: Coordinate,
    /// rad/s, m/s, N m or N.
    pub value: Signal,
}

/// `kind` of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MotorKind {
    /// `"speed"`: the rate of the coordinate, rad/s or m/s.
    Speed,
    /// `"torque"` on an angle, N m; `"force"` on a displacement, N. On the second body, back on the first.
    Effort,
}

/// The force elements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ForceKind {
    /// `"spring"`, `"damper"`, `"spring_damper"`: between two points, along the line that joins them.
    SpringDamper {
        /// The two bodies.
        bodies: [Name; 2],
        /// A point of each, in its own coordinates, m.
        anchors: [Triple; 2],
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// m; the initial distance if absent.
        rest_length: Option<f64>,
    },
    /// `"joint_spring"`: spring and damper on the coordinate of a joint.
    JointSpring {
        /// The joint.
        joint: Name,
        /// Which of its coordinates.
        coordinate: Coordinate,
        /// N m/rad or N/m.
        stiffness: f64,
        /// N m s/rad or N s/m.
        damping: f64,
        /// rad or m; the initial coordinate if absent.
        rest: Option<f64>,
    },
    /// `"applied"`: force and torque on a body.
    Applied {
        /// The body.
        body: Name,
        /// Where the force acts, in body coordinates, m.
        point: Triple,
        /// Axes of the force and of the torque.
        frame: Frame,
        /// N.
        force: [Signal; 3],
        /// N m.
        torque: [Signal; 3],
    },
    /// `"viscous"`: against the relative velocity of two bodies, at the first one's centre of mass.
    Viscous {
        /// The two bodies; the second defaults to `ground`.
        bodies: [Name; 2],
        /// N s/m.
        linear: f64,
        /// N m s/rad.
        angular: f64,
    },
    /// `"stribeck"`: smooth friction at the coordinate of a joint, with the equation of the planar element.
    Stribeck {
        /// The joint.
        joint: Name,
        /// Which of its coordinates.
        coordinate: Coordinate,
        /// Friction at break-away, N m or N.
        static_friction: f64,
        /// Friction at speed, N m or N.
        kinetic_friction: f64,
        /// rad/s or m/s.
        stribeck_rate: f64,
        /// Width of the smoothed jump at zero, rad/s or m/s.
        transition_rate: f64,
        /// N m s/rad or N s/m.
        viscous: f64,
    },
}

/// Friction of a pair in space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Coulomb's coefficients while it slides.
    pub sliding: Sliding,
    /// Coefficient up to which it sticks, not below that of sliding; the same if absent.
    pub static_friction: Option<f64>,
    /// Speed over which the static coefficient falls to that of sliding, m/s; at once if absent.
    pub stribeck_velocity: Option<f64>,
    /// Against spin about the normal, m: coefficient times radius of the patch.
    pub torsional_friction: f64,
    /// Against rolling, m.
    pub rolling_friction: f64,
}

/// `friction`, or `friction_axes` and `friction_axis`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sliding {
    /// The same in all directions.
    Isotropic(f64),
    /// An ellipse.
    Elliptic {
        /// Along the axis and across it.
        coefficients: [f64; 2],
        /// In the axes of the pair's first body; any length.
        axis: Triple,
    },
}
