//! `[[body]]` in space: moving bodies.

use super::{copies, inertia, orientation};
use crate::math::quaternion;
use crate::scene::load::Files;
use crate::scene::part::belt::Surface;
use crate::scene::part::shape::{self, Owner};
use crate::scene::part::{GROUND, Names, driven};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Body, Geometry, Mass, Triple};
use crate::scene::spec::{Belt, BodyKind, BodyMotion, Frame, Rope, Shape};

/// Kinds, and whether their motion is prescribed.
const KINDS: &[(&str, (BodyKind, bool))] = &[
    ("point", (BodyKind::Point, false)),
    ("rigid", (BodyKind::Rigid, false)),
    ("driven", (BodyKind::Rigid, true)),
];

/// Reads one body, or its copies.
pub fn read(mut t: Table<'_>, names: &mut Names, files: Files<'_>) -> Vec<Body> {
    let value = t.get("copies");
    let copies = value
        .as_ref()
        .and_then(|v| v.as_table(v.path.clone()))
        .and_then(copies::read);
    let body = read_one(t, names, files);
    match value.zip(copies) {
        Some((value, _)) if body.motion.is_some() => {
            value.bad(
                "the motion of a driven body is prescribed, so it cannot be copied",
                "write one `[[body]]` for each",
            );
            vec![body]
        }
        Some((value, copies)) => {
            let bodies = copies.of(&body);
            if !body.name.is_empty() {
                names.copy(&value, bodies.len() as u32);
            }
            bodies
        }
        None => vec![body],
    }
}

fn read_one(mut t: Table<'_>, names: &mut Names, files: Files<'_>) -> Body {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let is_driven = kind.is_some_and(|(_, is_driven)| is_driven);
    let kind = kind.map(|(kind, _)| kind);
    let mass = mass(&mut t, is_driven);
    let mut inertia = t.get("inertia").and_then(|v| inertia::read(&v));
    let orientation = orientation::read(&mut t);
    let Start {
        position,
        velocity,
        angular_velocity,
        motion,
    } = match is_driven {
        true => driven_start(&mut t),
        false => Start {
            position: t.need_vector("position").unwrap_or([0.0; 3]),
            velocity: t.vector_or("velocity", [0.0; 3]),
            angular_velocity: t.vector_or("angular_velocity", [0.0; 3]),
            motion: None,
        },
    };
    let angular_velocity_frame = match is_driven {
        true => Frame::World,
        false => frame(&mut t),
    };
    let group = group(&mut t);

    if kind == Some(BodyKind::Point) {
        // Zero is harmless, except for an inertia.
        let turned = orientation != quaternion::IDENTITY;
        for (key, given) in [
            ("inertia", inertia.is_some()),
            ("orientation", turned),
            ("rotation_vector", turned),
            ("euler", turned),
            ("angular_velocity", angular_velocity != [0.0; 3]),
        ] {
            if given && let Some(value) = t.get(key) {
                value.bad(
                    "a point body does not rotate",
                    format!("remove `{key}`, or write `kind = \"rigid\"`"),
                );
            }
        }
    }

    let owner = if kind == Some(BodyKind::Point) {
        Owner::Point
    } else {
        Owner::Rigid
    };
    let shapes: Vec<Shape<Geometry>> = shape::read_all(t.items("shape"), owner, files);
    let without_volume = !shapes.iter().any(|shape| shape.geometry.is_solid());
    if without_volume && let Some(value) = t.get("density") {
        value.bad(
            "a density gives a mass only with a shape that has a volume",
            "write `mass`, or add a shape",
        );
    }
    if is_driven && inertia.is_none() && without_volume {
        inertia = Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    } else if kind == Some(BodyKind::Rigid) && !t.has("inertia") && without_volume {
        let message = "a rigid body needs `inertia`, or a shape with a volume to compute it from";
        let hint = format!("{}, or `kind = \"point\"`", t.log.example("inertia"));
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
        position,
        orientation,
        velocity,
        angular_velocity,
        angular_velocity_frame,
        motion,
        group,
        shapes,
    }
}

/// State of a body at the start.
struct Start {
    position: Triple,
    velocity: Triple,
    angular_velocity: Triple,
    motion: Option<BodyMotion>,
}

/// That of a driven body, whose motion signals prescribe.
fn driven_start(t: &mut Table<'_>) -> Start {
    let linear = driven::linear(t);
    let keys = ["angle", "angular_velocity", "angular_acceleration"];
    let turns = keys.into_iter().any(|key| t.has(key));
    let angular = driven::angular(t);
    let axis = match turns {
        true => t.need_direction("axis"),
        false => t.get("axis").and_then(|value| value.direction()),
    };
    let motion = driven::motion(&linear, &angular, axis);
    let unit: Triple = axis.map_or([0.0; 3], |axis: Triple| {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        axis.map(|x| x / length)
    });
    Start {
        position: linear.position,
        velocity: linear.velocity,
        angular_velocity: unit.map(|x| x * angular.velocity),
        motion: Some(motion),
    }
}

/// `mass` or `density`; a driven body needs neither.
fn mass(t: &mut Table<'_>, is_driven: bool) -> Mass {
    let density = t.get("density");
    if t.has("mass") || density.is_none() {
        let mass = match is_driven {
            true => t.number_or("mass", Range::MASS, 1.0),
            false => t.need_number("mass", Range::MASS).unwrap_or(1.0),
        };
        if let Some(density) = density {
            density.bad(
                "`mass` and `density` are alternatives",
                "keep one of the two",
            );
        }
        return Mass::Given(mass);
    }
    let density = density.and_then(|v| v.number(Range::MASS));
    // Queried so that it is a known key of a body.
    t.get("mass");
    Mass::Density(density.unwrap_or(1.0))
}

/// The axes of `angular_velocity`.
fn frame(t: &mut Table<'_>) -> Frame {
    let without_rate = !t.has("angular_velocity");
    let Some(value) = t.get("angular_velocity_frame") else {
        return Frame::World;
    };
    if without_rate {
        value.bad(
            "`angular_velocity_frame` has no effect without `angular_velocity`",
            t.log.example("angular_velocity"),
        );
    }
    let frame = value.choice(&[("world", Frame::World), ("body", Frame::Body)]);
    frame.unwrap_or(Frame::World)
}

/// Group name for contact rules; not `ground`.
fn group(t: &mut Table<'_>) -> Option<String> {
    let value = t.get("group")?;
    let text = value.text()?;
    if text == GROUND {
        value.bad(
            "\"ground\" is the group of the fixed body",
            "choose another name",
        );
    }
    Some(text.to_owned())
}

/// The moving surface of a belt.
pub fn of_belt(belt: &Belt<Triple>) -> Body {
    Body {
        place: belt.place.clone(),
        name: belt.name.clone(),
        kind: BodyKind::Rigid,
        mass: Mass::Given(1.0),
        inertia: Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        position: [0.0; 3],
        orientation: quaternion::IDENTITY,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        angular_velocity_frame: Frame::World,
        motion: Some(BodyMotion::of_belt(&belt.direction, belt.speed.clone())),
        group: None,
        shapes: Vec::new(),
    }
}

/// The reel of a rope, if it has one.
pub fn of_reel(rope: &Rope<Triple>) -> Option<Body> {
    let speed = rope.reel_speed.clone()?;
    Some(Body {
        place: rope.place.clone(),
        name: rope.name.clone(),
        kind: BodyKind::Point,
        mass: Mass::Given(1.0),
        inertia: None,
        position: [0.0; 3],
        orientation: quaternion::IDENTITY,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        angular_velocity_frame: Frame::World,
        motion: Some(BodyMotion::of_reel(speed)),
        group: None,
        shapes: Vec::new(),
    })
}

impl Surface<Triple> for Geometry {
    fn normal(&self) -> Option<Triple> {
        match self {
            Geometry::HalfSpace { normal, .. } => Some(*normal),
            _ => None,
        }
    }
}
