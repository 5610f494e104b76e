//! The scene spec: one struct per table of the file, units as typed, every item with the
//! place it was read from. Nothing here is checked against the rest of the scene; `model` does that.

pub mod settings;
pub mod space;

use super::error::{Place, Problem};
pub use settings::{
    EventState, FrictionCone, ImpactLaw, Integrator, MAX_ROWS, MAX_STEP_WORK, Nominal,
    ReportedVelocity, Scheme, Settings, TOLERANCE,
};
pub use space::Space;

/// A two-component vector as it stands in the file.
pub type Pair = [f64; 2];

/// A whole scene file.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the scene; defaults to the file's stem.
    pub name: String,
    /// One sentence on what the scene shows.
    pub description: String,
    /// Default end of a run, s.
    pub until: f64,
    /// How to integrate.
    pub settings: Settings,
    /// What moves, touches and pushes, in the plane or in space.
    pub parts: Parts,
    /// What can be run but is hardly meant, in file order.
    pub doubts: Vec<Problem>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// `2`: three velocities for each rigid body.
    Plane,
    /// `3`: six.
    Space,
}

/// What depends on the dimension.
#[derive(Clone, Debug)]
pub enum Parts {
    /// `dimension = 2`, the default.
    Plane(Plane),
    /// `dimension = 3`.
    Space(Space),
}

/// The parts of a planar scene.
#[derive(Clone, Debug)]
pub struct Plane {
    /// Acceleration of gravity, m/s².
    pub gravity: Pair,
    /// Moving bodies, in file order.
    pub bodies: Vec<Body>,
    /// Shapes fixed to the ground.
    pub ground: Vec<Shape>,
    /// Joints between two bodies, or a body and the ground.
    pub joints: Vec<Joint>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Contact properties where no rule says otherwise.
    pub contact_default: ContactMaterial,
    /// Contact properties of pairs of materials or bodies.
    pub contact_rules: Vec<ContactRule>,
}

/// `[[body]]`.
#[derive(Clone, Debug)]
pub struct Body {
    /// Where the table starts.
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
    /// Shapes, in body coordinates.
    pub shapes: Vec<Shape>,
}

/// `kind` of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// `"point"`.
    Point,
    /// `"rigid"`.
    Rigid,
}

/// `[[body.shape]]` or `[[ground.shape]]`.
#[derive(Clone, Debug)]
pub struct Shape<G = Geometry> {
    /// Where the table starts.
    pub place: Place,
    /// Name, unique in its body; defaults to the kind and a number.
    pub name: String,
    /// Geometry in body coordinates (world coordinates on the ground).
    pub geometry: G,
    /// Material, for contact rules.
    pub material: Option<String>,
}

/// The geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A point that touches others.
    Point {
        /// m.
        position: Pair,
    },
    /// A disc.
    Circle {
        /// Centre, m.
        position: Pair,
        /// m.
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end, m.
        from: Pair,
        /// Centre of the other end, m.
        to: Pair,
        /// Radius of the ends = half width, m.
        radius: f64,
    },
    /// A rectangle.
    Box {
        /// Centre, m.
        position: Pair,
        /// Rotation against the body, rad.
        angle: f64,
        /// Full width and height, m.
        size: Pair,
    },
    /// A convex polygon, counter-clockwise.
    Polygon {
        /// Corners, m.
        vertices: Vec<Pair>,
    },
    /// All that lies behind a line; on the ground only.
    HalfPlane {
        /// A point of the line, m.
        point: Pair,
        /// Points out of the material; any length.
        normal: Pair,
    },
}

/// `[[joint]]`.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Where the table starts.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// The first and second body (`ground` allowed for one of them).
    pub bodies: [Name; 2],
    /// Attachment points.
    pub anchors: Anchors,
    /// Which joint.
    pub kind: JointKind,
    /// Do shapes of the two bodies still touch each other?
    pub contact: bool,
}

/// A name that refers to another item, with the place where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its place.
    pub place: Place,
}

/// Attachment points of a joint or a force element.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchors<P = Pair> {
    /// `anchors = [[x, y], [x, y]]`: in the coordinates of the first and of the second body, m.
    Local([P; 2]),
    /// `at = [x, y]`: one world point at the initial configuration, for both bodies, m.
    World(P),
}

/// What a joint lets move.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// Relative rotation about the anchor; coordinate = angle of the second body minus that of the first, rad.
    Revolute {
        /// Lower and upper limit, rad.
        limits: Option<Limits>,
    },
    /// Translation along an axis fixed in the first body, no rotation; coordinate = displacement of the second
    /// anchor from the first along the axis, m.
    Prismatic {
        /// In the first body's coordinates; any length.
        axis: Pair,
        /// Lower and upper limit, m.
        limits: Option<Limits>,
    },
    /// No relative motion.
    Fixed,
    /// A rigid rod between the anchors.
    Distance {
        /// m; the initial distance if absent.
        length: Option<f64>,
    },
}

/// Stops of a joint coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// rad or m; `-inf` allowed.
    pub lower: f64,
    /// rad or m; `inf` allowed.
    pub upper: f64,
    /// Restitution at the stops.
    pub restitution: f64,
}

/// `[[force]]`.
#[derive(Clone, Debug)]
pub struct Force<K = ForceKind> {
    /// Where the table starts.
    pub place: Place,
    /// Unique name.
    pub name: String,
    /// Which element.
    pub kind: K,
}

/// The force elements.
#[derive(Clone, Debug)]
pub enum ForceKind {
    /// `"spring"`, `"damper"`, `"spring_damper"`: between two points, along the line that joins them.
    SpringDamper {
        /// The two bodies.
        bodies: [Name; 2],
        /// Attachment points; `Local` only.
        anchors: [Pair; 2],
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
        /// m; the initial distance if absent.
        rest_length: Option<f64>,
    },
    /// `"torsional"`: at a revolute joint.
    Torsional {
        /// The joint.
        joint: Name,
        /// N m/rad.
        stiffness: f64,
        /// N m s/rad.
        damping: f64,
        /// rad; the initial joint angle if absent.
        rest_angle: Option<f64>,
    },
    /// `"applied"`: force and torque on a body.
    Applied {
        /// The body.
        body: Name,
        /// Where the force acts, in body coordinates, m.
        point: Pair,
        /// Axes of the force.
        frame: Frame,
        /// N.
        force: [Signal; 2],
        /// N m.
        torque: Signal,
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
    /// `"stribeck"`: smooth friction at the coordinate of a revolute or prismatic joint:
    /// `-(kinetic + (static - kinetic) exp(-(rate/stribeck_rate)^2)) tanh(rate/transition_rate) - viscous rate`.
    Stribeck {
        /// The joint.
        joint: Name,
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

/// Axes of an applied force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// `"world"`.
    World,
    /// `"body"`: turns with the body.
    Body,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// A number.
    Constant(f64),
    /// `{ kind = "harmonic", .. }`: `offset + amplitude cos(omega t + phase)`.
    Harmonic {
        /// Amplitude.
        amplitude: f64,
        /// rad/s.
        omega: f64,
        /// rad.
        phase: f64,
        /// Mean.
        offset: f64,
    },
    /// `{ kind = "input" }`: given from outside while the simulation runs.
    Input {
        /// Value until another one is given.
        start: f64,
    },
    /// `{ kind = "table", times, values }`: linear between rows, held outside; two equal times make a jump.
    Table {
        /// s, not decreasing.
        times: Vec<f64>,
        /// One per time.
        values: Vec<f64>,
    },
}

/// Friction of a pair in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coulomb's coefficient while it slides.
    pub sliding: f64,
    /// Coefficient at rest, not below the other one, and the speed over which it falls to that, m/s; none where they are the same.
    pub falling: Option<(f64, f64)>,
}

/// Friction and restitution of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial<F = Friction> {
    /// Coulomb friction.
    pub friction: F,
    /// Normal restitution, 0 to 1.
    pub restitution: f64,
    /// Tangential restitution, 0 to 1.
    pub tangential_restitution: f64,
    /// `false`: the pair passes through each other.
    pub enabled: bool,
}

/// `[[contact]]`.
#[derive(Clone, Debug)]
pub struct ContactRule<F = Friction> {
    /// Where the table starts.
    pub place: Place,
    /// Which pair.
    pub pair: ContactPair,
    /// What holds for it.
    pub material: ContactMaterial<F>,
}

/// The two sides of a contact rule. Bodies go before groups, groups before materials; a later rule goes before an
/// earlier one.
#[derive(Clone, Debug)]
pub enum ContactPair {
    /// `materials = [a, b]`.
    Materials([Name; 2]),
    /// `bodies = [a, b]`.
    Bodies([Name; 2]),
    /// `groups = [a, b]`, in space.
    Groups([Name; 2]),
}
