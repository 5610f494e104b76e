//! The spec of a scene in space. Parts common with a planar one are in `spec`.

use super::flange::Flange;
use super::friction::Clutch;
use super::sensor::Sensor;
use super::{
    Belt, BodyKind, BodyMotion, ContactMaterial, ContactRule, Coupling, Frame, Rope, Shape,
};
pub use crate::kinds::space::shape::Geometry;
use crate::kinds::space::{force, joint};
use crate::math::Quaternion;
use crate::scene::error::Place;
use serde::{Deserialize, Serialize};

/// A three-component vector as in the file.
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
    /// Couplings of joint coordinates.
    pub couplings: Vec<Coupling>,
    /// Clutches and brakes.
    pub clutches: Vec<Clutch<Triple>>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Flanges.
    pub flanges: Vec<Flange<Triple>>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Default contact properties.
    pub contact_default: ContactMaterial<Friction>,
    /// Contact properties of pairs of materials, groups or bodies.
    pub contact_rules: Vec<ContactRule<Friction>>,
    /// Moving surfaces of the ground.
    pub belts: Vec<Belt<Triple>>,
    /// Ropes.
    pub ropes: Vec<Rope<Triple>>,
}

impl Space {
    /// The distinct shape files, in file order: relative to the scene, with `/`.
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
    /// Start of the table.
    pub place: Place,
    /// Unique name, not `ground`.
    pub name: String,
    /// A point mass (three velocities) or a rigid body (six).
    pub kind: BodyKind,
    /// Mass or density.
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
    /// Prescribed motion of a driven body; the values above are those at the start.
    pub motion: Option<BodyMotion>,
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

/// `[[joint]]`.
pub type Joint = super::Joint<Triple, joint::Kind>;

/// `[[force]]`.
pub type Force = super::Force<Triple, force::Kind>;

/// Friction of a pair in space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Kinetic coefficients of Coulomb friction.
    pub sliding: Sliding,
    /// Static coefficient, not below the kinetic one; `None` if they are equal.
    pub static_friction: Option<f64>,
    /// Stribeck velocity, m/s; `None`: the coefficient drops at once.
    pub stribeck_velocity: Option<f64>,
    /// Torsional friction, m: coefficient times radius of the contact area.
    pub torsional_friction: f64,
    /// Rolling friction, m.
    pub rolling_friction: f64,
}

/// `friction`, or `friction_axes` and `friction_axis`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sliding {
    /// Isotropic.
    Isotropic(f64),
    /// Anisotropic: an ellipse.
    Elliptic {
        /// Along the axis and across it.
        coefficients: [f64; 2],
        /// In the axes of the pair's first body; any length.
        axis: Triple,
    },
}
