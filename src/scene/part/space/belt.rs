//! `[[belt]]`: moving surfaces of the ground.

use crate::scene::part::{Names, no_such, nobody, signal};
use crate::scene::read::Table;
use crate::scene::spec::space::{Belt, Geometry, Triple};
use crate::scene::spec::{Shape, Signal};
use crate::scene::value::Value;

/// Reads one `[[belt]]`. The ground must have been read.
pub fn read(
    mut t: Table<'_>,
    names: &mut Names,
    ground: &[Shape<Geometry>],
    in_time_stepping: bool,
) -> Belt {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let shape = t.need("shape").and_then(|value| {
        let name = value.name()?;
        if !ground.iter().any(|shape| shape.name == name.text) {
            let known = ground.iter().map(|shape| shape.name.as_str());
            no_such(
                &value,
                "no shape of the ground has the name",
                &name.text,
                known,
            );
        }
        Some(name)
    });
    let along = t.need("direction");
    let direction = along.as_ref().and_then(Value::direction);
    if let (Some(value), Some(direction), Some(name)) = (&along, direction, &shape) {
        let mut own = ground.iter().filter(|shape| shape.name == name.text);
        if own.any(|shape| is_normal(&shape.geometry, direction)) {
            value.bad(
                "a belt moves along its surface, but this direction is its normal",
                "give a direction in the plane of the shape",
            );
        }
    }
    let direction = direction.unwrap_or([1.0, 0.0, 0.0]);
    let speed = t.need("speed").and_then(|value| signal::read(&value));
    if !in_time_stepping {
        t.log.add(
            place.clone(),
            &t.path_of("name"),
            "belts need time stepping",
            "write `integrator = \"time_stepping\"` in `[settings]`",
        );
    }
    t.finish("a belt");
    Belt {
        place,
        name,
        shape: shape.unwrap_or_else(nobody),
        direction,
        speed: speed.unwrap_or(Signal::Constant(0.0)),
    }
}

/// Is this the normal of a plane, up to rounding?
fn is_normal(geometry: &Geometry, direction: Triple) -> bool {
    let Geometry::HalfSpace { normal, .. } = geometry else {
        return false;
    };
    let dot = |a: &Triple, b: &Triple| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let along = dot(normal, &direction);
    let most = dot(normal, normal) * dot(&direction, &direction);
    most - along * along <= 1e-12 * most
}
