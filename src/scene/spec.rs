//! The scene spec: one struct per table of the file, units as in the file, every item with its
//! location. References between items are checked by `model`.

pub mod flange;
pub mod friction;
pub mod interface;
pub mod parameter;
pub mod sensor;
pub mod settings;
pub mod space;

use super::error::{Place, Problem};
use crate::kinds::compliance::Compliance;
pub use crate::kinds::force::{Frame, SignalSpec as Signal};
use crate::kinds::plane;
pub use crate::kinds::plane::shape::Geometry;
pub use interface::Interface;
use serde::{Deserialize, Serialize};
pub use settings::{
    EventState, FrictionCone, ImpactLaw, Integrator, MAX_ROWS, MAX_STEP_WORK, Nominal,
    ReportedVelocity, Scheme, Settings, TOLERANCE,
};
pub use space::Space;

/// A two-component vector as in the file.
pub type Pair = [f64; 2];

/// A whole scene file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the scene; defaults to the file's stem.
    pub name: String,
    /// One-sentence description.
    pub description: String,
    /// Default end of a run, s.
    pub until: f64,
    /// Integration settings.
    pub settings: Settings,
    /// Interface of its FMU.
    pub interface: Interface,
    /// Bodies, shapes, joints, forces and contact rules, in the plane or in space.
    pub parts: Parts,
    /// Warnings about valid but probably unintended input, in file order.
    pub warnings: Vec<Problem>,
    /// Parameters; they come last, because they count the bytes before them.
    pub parameters: Vec<parameter::Parameter>,
}

impl Scene {
    /// The parts of a planar scene.
    pub fn plane(&self) -> Option<&Plane> {
        match &self.parts {
            Parts::Plane(plane) => Some(plane),
            Parts::Space(_) => None,
        }
    }

    /// The parts of a spatial scene.
    pub fn space(&self) -> Option<&Space> {
        match &self.parts {
            Parts::Plane(_) => None,
            Parts::Space(space) => Some(space),
        }
    }
}

/// `dimension`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dimension {
    /// `2`: three velocities per rigid body.
    Plane,
    /// `3`: six velocities per rigid body.
    Space,
}

/// The parts that depend on the dimension.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Parts {
    /// `dimension = 2`, the default.
    Plane(Plane),
    /// `dimension = 3`.
    Space(Space),
}

/// The parts of a planar scene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plane {
    /// Acceleration of gravity, m/s².
    pub gravity: Pair,
    /// Moving bodies, in file order.
    pub bodies: Vec<Body>,
    /// Shapes fixed to the ground.
    pub ground: Vec<Shape>,
    /// Joints between two bodies, or a body and the ground.
    pub joints: Vec<Joint>,
    /// Couplings of joint coordinates.
    pub couplings: Vec<Coupling>,
    /// Clutches and brakes.
    pub clutches: Vec<friction::Clutch>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Flanges.
    pub flanges: Vec<flange::Flange>,
    /// Sensors.
    pub sensors: Vec<sensor::Sensor>,
    /// Default contact properties.
    pub contact_default: ContactMaterial,
    /// Contact properties of pairs of materials or bodies.
    pub contact_rules: Vec<ContactRule>,
    /// Moving surfaces of the ground.
    pub belts: Vec<Belt>,
    /// Ropes.
    pub ropes: Vec<Rope>,
}

/// `[[belt]]`: a shape of the ground whose surface moves tangentially.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Belt<P = Pair> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The shape of the ground.
    pub shape: Name,
    /// Direction of motion; any length.
    pub direction: P,
    /// m/s.
    pub speed: Signal,
}

/// `[[rope]]`: limits the length of a path along points of bodies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rope<P = Pair> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// One end, pulleys, the other end.
    pub points: Vec<RopePoint<P>>,
    /// Length at the start, m; that of its path if absent.
    pub length: Option<f64>,
    /// Restitution where it tightens.
    pub restitution: f64,
    /// Speed at which a reel pays it out, m/s.
    pub reel_speed: Option<Signal>,
}

/// A point of a rope, fixed on a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RopePoint<P = Pair> {
    /// The body.
    pub body: Name,
    /// In its coordinates, m.
    pub point: P,
}

impl<P> Rope<P> {
    /// Its reel among the bodies, if it has one.
    pub fn reel_of<'a>(
        &self,
        mut bodies: impl Iterator<Item = (&'a str, Option<&'a BodyMotion>)>,
    ) -> Option<usize> {
        bodies.position(|(name, motion)| {
            name == self.name && motion.is_some_and(BodyMotion::is_of_reel)
        })
    }
}

impl<P> Belt<P> {
    /// The belt of a shape of the ground among the bodies, if it has one.
    pub fn body_of<'a>(
        belts: &[Self],
        shape: &str,
        mut bodies: impl Iterator<Item = (&'a str, Option<&'a BodyMotion>)>,
    ) -> Option<usize> {
        let belt = belts.iter().find(|belt| belt.shape.text == shape)?;
        bodies.position(|(name, motion)| {
            name == belt.name && motion.is_some_and(BodyMotion::is_of_belt)
        })
    }
}

impl BodyMotion {
    /// Is it the motion of the surface of a belt?
    pub fn is_of_belt(&self) -> bool {
        matches!(self.linear, Prescribed::Along { .. })
    }

    /// Is it the motion of a reel?
    pub fn is_of_reel(&self) -> bool {
        matches!(self.linear, Prescribed::PaidOut(_))
    }

    /// That of a reel, which pays out a rope at this speed, m/s.
    pub fn of_reel(speed: Signal) -> Self {
        Self {
            linear: Prescribed::PaidOut(speed),
            angular: Prescribed::Velocity(vec![Signal::Constant(0.0)]),
            axis: None,
        }
    }

    /// That of the surface of a belt, whose position does not matter.
    pub fn of_belt(direction: &[f64], speed: Signal) -> Self {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            linear: Prescribed::Along {
                direction: direction.iter().map(|x| x / length).collect(),
                speed,
            },
            angular: Prescribed::Velocity(vec![Signal::Constant(0.0)]),
            axis: None,
        }
    }
}

/// `[[body]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Start of the table.
    pub place: Place,
    /// Unique name, not `ground`.
    pub name: String,
    /// A point mass (two velocities) or a rigid body (three).
    pub kind: BodyKind,
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, kg m²; from the shapes at uniform density if absent.
    pub inertia: Option<f64>,
    /// Centre of mass in the world, m.
    pub position: Pair,
    /// Rotation from the world's to the body's axes, rad.
    pub angle: f64,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Pair,
    /// rad/s.
    pub angular_velocity: f64,
    /// Prescribed motion of a driven body; the values above are those at the start.
    pub motion: Option<BodyMotion>,
    /// Shapes, in body coordinates.
    pub shapes: Vec<Shape>,
}

/// Motion of a body of kind `"driven"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyMotion {
    /// Along the axes of the world.
    pub linear: Prescribed,
    /// The angle, one signal; in space about `axis`, from the orientation at the start.
    pub angular: Prescribed,
    /// In space: the axis of the rotation, in the world at the start; any length.
    pub axis: Option<space::Triple>,
}

/// What signals prescribe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Prescribed {
    /// m or rad.
    Position(Vec<Signal>),
    /// m/s or rad/s.
    Velocity(Vec<Signal>),
    /// m/s² or rad/s².
    Acceleration {
        /// One for each component.
        signals: Vec<Signal>,
        /// Their rates at the start, m/s or rad/s.
        start: Vec<f64>,
    },
    /// The speed of the surface of a belt.
    Along {
        /// Its direction, of length one.
        direction: Vec<f64>,
        /// m/s.
        speed: Signal,
    },
    /// The speed at which a reel pays out its rope, m/s: the rate of its first coordinate.
    PaidOut(Signal),
}

/// `[[coupling]]`: the sum of its terms keeps its value, up to the backlash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coupling {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// Joint coordinates with factors; that of the first is 1.
    pub terms: Vec<CouplingTerm>,
    /// Play of the sum, and what it bounces back with at the ends of it.
    pub backlash: Option<Backlash>,
    /// Power that it passes on from the first coordinate, relative to what it takes.
    pub efficiency: Option<f64>,
}

/// Play of a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Backlash {
    /// rad or m, of the first coordinate.
    pub play: f64,
    /// Restitution at both ends.
    pub restitution: f64,
}

/// A joint coordinate with its factor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CouplingTerm {
    /// The joint.
    pub joint: Name,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// Without unit, or rad/m, or m/rad.
    pub factor: f64,
}

/// `kind` of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// `"point"`.
    Point,
    /// `"rigid"`.
    Rigid,
}

/// `[[body.shape]]` or `[[ground.shape]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shape<G = Geometry> {
    /// Start of the table.
    pub place: Place,
    /// Name, unique in its body; defaults to the kind and a number.
    pub name: String,
    /// Geometry in body coordinates (world coordinates on the ground).
    pub geometry: G,
    /// Material, for contact rules.
    pub material: Option<String>,
}

/// `[[joint]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joint<P = Pair, K = plane::joint::Kind> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The first and second body (`ground` allowed for one of them).
    pub bodies: [Name; 2],
    /// Attachment points.
    pub anchors: Anchors<P>,
    /// Directions, for kinds that have any.
    pub axes: Axes<P>,
    /// Kind of the joint.
    pub kind: K,
    /// Parameters of its kind, in the order of its description.
    pub parameters: Vec<Option<f64>>,
    /// Stops of its coordinates, in the order of its description.
    pub limits: Vec<Option<Limits>>,
    /// Motor.
    pub motor: Option<Motor>,
    /// Dry friction of its coordinates.
    pub friction: Vec<friction::JointFriction>,
    /// Are there contacts between the two bodies?
    pub contact: bool,
}

/// Directions of a joint, one per body; any length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Axes<P> {
    /// The joint has none.
    None,
    /// In the world at the start.
    World([P; 2]),
    /// Each in the axes of its body. In the plane only the first one is used.
    Local([P; 2]),
}

/// `motor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Kind of the motor.
    pub kind: MotorKind,
    /// The joint coordinate it acts on.
    pub coordinate: usize,
    /// rad/s, m/s, rad, m, N m or N; of a servo the position that it follows.
    pub value: Signal,
    /// Gains of a servo.
    pub servo: Option<Servo>,
    /// Largest torque or force of a motor that prescribes a speed or position, N m or N.
    pub limit: Option<f64>,
}

/// Keys of a motor with `kind = "servo"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Servo {
    /// N m/rad or N/m.
    pub kp: f64,
    /// N m s/rad or N s/m.
    pub kd: f64,
    /// rad/s or m/s; the rate of the position if absent.
    pub velocity: Option<Signal>,
    /// N m or N; infinite if absent.
    pub limit: f64,
}

/// `kind` of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MotorKind {
    /// `"speed"`: the rate of the coordinate, rad/s or m/s.
    Speed,
    /// `"position"`: the coordinate, rad or m.
    Position,
    /// `"servo"`: a PD controller.
    Servo,
    /// `"torque"` on an angle, N m; `"force"` on a displacement, N. Acts on the second body, with its reaction on the first.
    Effort,
}

/// A reference to another item by name, with its location.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its location.
    pub place: Place,
}

/// Attachment points of a joint or a force element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Anchors<P = Pair> {
    /// `anchors = [[x, y], [x, y]]`: in the coordinates of the first and of the second body, m.
    Local([P; 2]),
    /// `at = [x, y]`: one world point at the initial configuration, for both bodies, m.
    World(P),
}

/// Stops of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// rad or m; `-inf` allowed.
    pub lower: f64,
    /// rad or m; `inf` allowed.
    pub upper: f64,
    /// Restitution at the stops.
    pub restitution: f64,
    /// Force law of compliant stops; `None` for rigid ones.
    pub compliance: Option<Compliance>,
}

/// `[[force]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Force<P = Pair, K = plane::force::Kind> {
    /// Start of the table.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// Kind of the element.
    pub kind: K,
    /// Its target.
    pub on: Target<P>,
    /// Parameters of its kind, in the order of its description.
    pub parameters: Vec<Option<f64>>,
}

/// Target of a force element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Target<P = Pair> {
    /// `bodies` and `anchors`.
    Points {
        /// The two bodies.
        bodies: [Name; 2],
        /// A point of each, in its own coordinates, m.
        anchors: [P; 2],
    },
    /// `joint`.
    Joint {
        /// The joint.
        joint: Name,
        /// Its coordinate.
        coordinate: usize,
    },
    /// `body`.
    Body {
        /// The body.
        body: Name,
        /// Point of application, in body coordinates, m.
        point: P,
        /// Axes of the force; in space also of the torque.
        frame: Frame,
        /// N, per axis.
        force: Vec<Signal>,
        /// N m; in space per axis.
        torque: Vec<Signal>,
    },
    /// `bodies`: the second one is the ground if only one is named.
    Bodies([Name; 2]),
}

/// Friction of a pair in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Kinetic coefficient of Coulomb friction.
    pub sliding: f64,
    /// Static coefficient, not below the kinetic one, and Stribeck velocity, m/s; `None` if they are equal.
    pub falling: Option<(f64, f64)>,
}

/// Friction and restitution of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactMaterial<F = Friction> {
    /// Coulomb friction.
    pub friction: F,
    /// Normal restitution, 0 to 1.
    pub restitution: f64,
    /// Tangential restitution, 0 to 1.
    pub tangential_restitution: f64,
    /// Force law of a compliant contact; `None` for a rigid one.
    pub compliance: Option<Compliance>,
    /// `false`: the pair passes through each other.
    pub enabled: bool,
}

/// `[[contact]]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContactRule<F = Friction> {
    /// Start of the table.
    pub place: Place,
    /// The pair.
    pub pair: ContactPair,
    /// Its properties.
    pub material: ContactMaterial<F>,
}

/// The pair of a contact rule. Bodies take precedence over groups, groups over materials, and a later rule over an
/// earlier one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ContactPair {
    /// `materials = [a, b]`.
    Materials([Name; 2]),
    /// `bodies = [a, b]`.
    Bodies([Name; 2]),
    /// `groups = [a, b]`, in space.
    Groups([Name; 2]),
}
