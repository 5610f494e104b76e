//! Random scenes that are passive: no applied force, no motor, no input, so that their energy can only fall.
//!
//! A scene is drawn from a seed, the same on every machine: bodies one after the other, each loose, at rest on what is below it, or tied to the ground or
//! to a body before it; then loops are closed, springs and dampers are hung between the bodies, and contact laws are chosen. Scenes are valid by
//! construction: bounding balls of bodies do not overlap, joints are given where both bodies are, velocities follow the freedoms of the joints.

mod bodies;
mod contacts;
mod dice;
mod forces;
mod joints;
pub mod vectors;

use dice::Dice;
use std::fmt::Write as _;
use vectors::Vector;

/// What integrates a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// In the plane, event-driven.
    Plane,
    /// In space, event-driven.
    Space,
    /// In space, time stepping.
    TimeStepping,
}

impl Family {
    pub const ALL: [Self; 3] = [Self::Plane, Self::Space, Self::TimeStepping];

    pub fn name(self) -> &'static str {
        match self {
            Family::Plane => "plane",
            Family::Space => "space",
            Family::TimeStepping => "time_stepping",
        }
    }
}

/// What contacts and stops are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    Rigid,
    /// Most of them.
    Compliant,
}

/// The text of a scene.
pub fn scene(seed: u64, family: Family, contacts: Contacts) -> String {
    let mut sketch = Sketch::new(seed, family, contacts);
    contacts::ground(&mut sketch);
    let n_bodies = sketch.n_bodies();
    for _ in 0..n_bodies {
        bodies::add_body(&mut sketch);
    }
    joints::close_loops(&mut sketch);
    forces::add_forces(&mut sketch);
    contacts::add_laws(&mut sketch);
    sketch.text(seed)
}

/// A scene while it is drawn.
struct Sketch {
    dice: Dice,
    family: Family,
    contacts: Contacts,
    /// Size of the largest bodies, m.
    length: f64,
    /// Mass that those of the bodies are around, kg.
    mass: f64,
    gravity: Vector,
    /// How likely a body is tied to the one before it, to the ground, or lies on what is below it.
    joined: [f64; 3],
    has_loops: bool,
    /// Fast, of very different masses, with much energy in its springs.
    is_wild: bool,
    /// Springs and dampers of any strength; otherwise such that bodies swing slower than a step.
    is_stiff: bool,
    /// One body may be a cylinder, which touches spheres and planes only.
    has_cylinders: bool,
    /// All axes of joints in space are this one, if there is one.
    common_axis: Option<Vector>,
    /// Is there a level floor through the origin?
    has_floor: bool,
    /// Points and normals of planes of the ground but the floor.
    walls: Vec<(Vector, Vector)>,
    /// Bounding balls of what else stands on the ground.
    obstacles: Vec<(Vector, f64)>,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    /// What stands above the bodies, and below them.
    head: String,
    tail: String,
}

struct Body {
    is_point: bool,
    mass: f64,
    /// Of a ball about the centre of mass that holds all shapes.
    radius: f64,
    position: Vector,
    /// Rotation vector.
    rotation: Vector,
    velocity: Vector,
    spin: Vector,
    /// Half of the height, where it is a level base to stand on and not turned.
    base: Option<f64>,
    /// The body that it is tied to first, with those that this one is tied to.
    component: usize,
    shapes: String,
    inertia: Option<String>,
}

struct Joint {
    kind: &'static str,
    bodies: [Option<usize>; 2],
}

impl Sketch {
    fn new(seed: u64, family: Family, contacts: Contacts) -> Self {
        let family_seed = family as u64;
        let mut dice = Dice::new(seed.wrapping_mul(3).wrapping_add(family_seed));
        let is_plane = family == Family::Plane;
        let is_wild = dice.chance(0.15);
        let smallest = if is_wild { 0.01 } else { 0.1 };
        let length = dice.decades(smallest, 1.0);
        let mass = dice.decades(0.01, 100.0);
        let down = if is_plane { 1 } else { 2 };
        let mut gravity = [0.0; 3];
        if !dice.chance(0.15) {
            gravity[down] = -9.81;
        }
        if dice.chance(0.2) {
            gravity[0] = dice.within(-4.0, 4.0);
        }
        let joined = dice.pick(&[
            [0.9, 0.7, 0.0],
            [0.8, 0.1, 0.2],
            [0.4, 0.3, 0.3],
            [0.1, 0.1, 0.6],
            [0.0, 0.0, 0.2],
        ]);
        let axis = dice.point(1.0, false);
        Self {
            family,
            contacts,
            length,
            mass,
            gravity,
            joined,
            has_loops: dice.chance(0.25),
            is_wild,
            is_stiff: dice.chance(0.2),
            has_cylinders: !is_plane && dice.chance(0.2),
            common_axis: dice.chance(0.3).then_some(axis),
            has_floor: false,
            walls: Vec::new(),
            obstacles: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            head: String::new(),
            tail: String::new(),
            dice,
        }
    }

    fn is_plane(&self) -> bool {
        self.family == Family::Plane
    }

    /// The axis that points up.
    fn up(&self) -> usize {
        if self.is_plane() { 1 } else { 2 }
    }

    fn n_bodies(&mut self) -> usize {
        match self.family {
            Family::Plane | Family::Space => self.dice.pick(&[1, 2, 2, 3, 3, 4, 5, 6]),
            Family::TimeStepping => self.dice.pick(&[2, 3, 4, 6, 9, 14]),
        }
    }

    /// The mass of all bodies, a length and gravity make an energy, J.
    fn energy(&self) -> f64 {
        let mass: f64 = self.bodies.iter().map(|body| body.mass).sum();
        mass * 9.81 * self.length
    }

    /// A vector as the file has it.
    fn vector(&self, v: Vector) -> String {
        let [x, y, z] = v;
        if self.is_plane() {
            format!("[{x:?}, {y:?}]")
        } else {
            format!("[{x:?}, {y:?}, {z:?}]")
        }
    }

    /// A direction, of any length.
    fn direction(&mut self) -> Vector {
        let is_plane = self.is_plane();
        self.dice.point(1.0, is_plane)
    }

    /// A line of the part after the bodies.
    fn line(&mut self, text: impl AsRef<str>) {
        self.tail.push_str(text.as_ref());
        self.tail.push('\n');
    }

    fn text(&self, seed: u64) -> String {
        let mut text = format!("name = \"{}_{seed}\"\nuntil = 1\n", self.family.name());
        // writing to a string cannot fail
        let _ = writeln!(text, "gravity = {}", self.vector(self.gravity));
        if !self.is_plane() {
            text.push_str("dimension = 3\n");
        }
        text.push_str(&self.head);
        for (i, body) in self.bodies.iter().enumerate() {
            text.push_str(&bodies::text(self, i, body));
        }
        text.push_str(&self.tail);
        text
    }
}

fn name(body: Option<usize>) -> String {
    body.map_or("ground".to_owned(), |i| format!("b{i}"))
}
