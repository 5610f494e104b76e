//! `[[body]]`: moving bodies.

use super::Names;
use super::driven::{self, Path};
use super::shape::{self, Owner};
use crate::scene::load::Files;
use crate::scene::part::belt::Surface;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{
    Belt, Body, BodyKind, BodyMotion, Geometry, Pair, Prescribed, Rope, Shape,
};

/// Kinds, and whether their motion is prescribed.
const KINDS: &[(&str, (BodyKind, bool))] = &[
    ("point", (BodyKind::Point, false)),
    ("rigid", (BodyKind::Rigid, false)),
    ("driven", (BodyKind::Rigid, true)),
];

/// Reads one body.
pub fn read(mut t: Table<'_>, names: &mut Names, files: Files<'_>) -> Body {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let is_driven = kind.is_some_and(|(_, is_driven)| is_driven);
    let kind = kind.map(|(kind, _)| kind);
    let mass = match is_driven {
        true => t.number_or("mass", Range::MASS, 1.0),
        false => t.need_number("mass", Range::MASS).unwrap_or(1.0),
    };
    let mut inertia = t.number("inertia", Range::POSITIVE);
    let (linear, angular) = match is_driven {
        true => (driven::linear(&mut t), driven::angular(&mut t)),
        false => at_start(&mut t),
    };
    let motion = is_driven.then(|| driven::motion(&linear, &angular, None));
    let (angle, angular_velocity) = (angular.position, angular.velocity);

    if kind == Some(BodyKind::Point) {
        // Zero is harmless, except for an inertia.
        for (key, given) in [
            ("inertia", inertia.is_some()),
            ("angle", angle != 0.0),
            ("angular_velocity", angular_velocity != 0.0),
        ] {
            if given && let Some(value) = t.get(key) {
                value.bad(
                    "a point body does not rotate",
                    format!("remove `{key}`, or write `kind = \"rigid\"`"),
                );
            }
        }
        inertia = None;
    }

    let owner = if kind == Some(BodyKind::Point) {
        Owner::Point
    } else {
        Owner::Rigid
    };
    let shapes: Vec<Shape> = shape::read_all(t.items("shape"), owner, files);
    let without_area = !shapes.iter().any(|shape| shape.geometry.is_solid());
    if is_driven && inertia.is_none() && without_area {
        inertia = Some(1.0);
    } else if kind == Some(BodyKind::Rigid) && !t.has("inertia") && without_area {
        let message = "a rigid body needs `inertia`, or a shape with an area to compute it from";
        let hint = "write for example `inertia = 0.1` (kg m² about the centre of mass), or `kind = \"point\"`";
        t.log
            .absent(t.place.clone(), &t.path_of("inertia"), message, hint);
    }
    t.finish("a body");
    Body {
        place,
        name,
        kind: kind.unwrap_or(BodyKind::Rigid),
        mass,
        inertia,
        position: linear.position,
        angle,
        velocity: linear.velocity,
        angular_velocity,
        motion,
        shapes,
    }
}

/// Position and velocity at the start, of a body that is free to move.
fn at_start(t: &mut Table<'_>) -> (Path<Pair>, Path<f64>) {
    let none = || Prescribed::Velocity(Vec::new());
    let linear = Path {
        position: t.need_vector("position").unwrap_or([0.0; 2]),
        velocity: t.vector_or("velocity", [0.0; 2]),
        motion: none(),
    };
    let angular = Path {
        position: t.number_or("angle", Range::ANY, 0.0),
        velocity: t.number_or("angular_velocity", Range::ANY, 0.0),
        motion: none(),
    };
    (linear, angular)
}

/// The moving surface of a belt.
pub fn of_belt(belt: &Belt) -> Body {
    Body {
        place: belt.place.clone(),
        name: belt.name.clone(),
        kind: BodyKind::Rigid,
        mass: 1.0,
        inertia: Some(1.0),
        position: [0.0; 2],
        angle: 0.0,
        velocity: [0.0; 2],
        angular_velocity: 0.0,
        motion: Some(BodyMotion::of_belt(&belt.direction, belt.speed.clone())),
        shapes: Vec::new(),
    }
}

/// The reel of a rope, if it has one.
pub fn of_reel(rope: &Rope) -> Option<Body> {
    let speed = rope.reel_speed.clone()?;
    Some(Body {
        place: rope.place.clone(),
        name: rope.name.clone(),
        kind: BodyKind::Point,
        mass: 1.0,
        inertia: None,
        position: [0.0; 2],
        angle: 0.0,
        velocity: [0.0; 2],
        angular_velocity: 0.0,
        motion: Some(BodyMotion::of_reel(speed)),
        shapes: Vec::new(),
    })
}

impl Surface<Pair> for Geometry {
    fn normal(&self) -> Option<Pair> {
        match self {
            Geometry::HalfPlane { normal, .. } => Some(*normal),
            _ => None,
        }
    }
}
