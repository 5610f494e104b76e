//! `[[body]]`: moving bodies.

use super::Names;
use super::shape::{self, Owner};
use crate::scene::load::Files;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Body, BodyKind, Shape};

const KINDS: &[(&str, BodyKind)] = &[("point", BodyKind::Point), ("rigid", BodyKind::Rigid)];

/// Reads one body.
pub fn read(mut t: Table<'_>, names: &mut Names, files: Files<'_>) -> Body {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let mass = t.need_number("mass", Range::MASS).unwrap_or(1.0);
    let position = t.need_vector("position").unwrap_or([0.0; 2]);
    let velocity = t.vector_or("velocity", [0.0; 2]);
    let mut inertia = t.number("inertia", Range::POSITIVE);
    let angle = t.number_or("angle", Range::ANY, 0.0);
    let angular_velocity = t.number_or("angular_velocity", Range::ANY, 0.0);

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
    if kind == Some(BodyKind::Rigid) && !t.has("inertia") && without_area {
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
        position,
        angle,
        velocity,
        angular_velocity,
        shapes,
    }
}
