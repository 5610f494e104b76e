//! `[crowd]`: many bodies, whose contacts are found as they come near.

use crate::scene::part::{Names, no_such, nobody, signal};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Belt, Geometry, TimeStepping, Triple};
use crate::scene::spec::{Shape, Signal};
use crate::scene::value::Value;

/// What holds where the table says nothing.
const DEFAULT: TimeStepping = TimeStepping {
    sweeps: None,
    // a pair or a few bodies apart from the others have exact impacts; in a heap of them a step would never end
    located_impacts: 4,
    merge_distance: 0.0,
    // a tenth of what a body falls in a step of ten milliseconds; what is driven does not sleep, however slow
    sleep_speed: 1e-3,
    sleep_after: 0.5,
    threads: 1,
};

/// Reads the table, with its defaults.
pub fn read(mut t: Table<'_>) -> TimeStepping {
    let time_stepping = TimeStepping {
        sweeps: t.get("sweeps").and_then(|v| v.count(1, 100_000)),
        located_impacts: t.count_or("located_impacts", 0, 1000, DEFAULT.located_impacts),
        merge_distance: t.number_or(
            "merge_distance",
            Range::NOT_NEGATIVE,
            DEFAULT.merge_distance,
        ),
        sleep_speed: t.number_or("sleep_speed", Range::NOT_NEGATIVE, DEFAULT.sleep_speed),
        sleep_after: t.number_or("sleep_after", Range::NOT_NEGATIVE, DEFAULT.sleep_after),
        threads: t.count_or("threads", 1, 256, DEFAULT.threads),
    };
    t.finish("[crowd]");
    time_stepping
}

/// Reads one `[[belt]]`. The ground must have been read.
pub fn read_belt(
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
            "a belt moves only what is in a crowd",
            "add the header `[crowd]`",
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

/// Is this the normal of a plane, to rounding?
fn is_normal(geometry: &Geometry, direction: Triple) -> bool {
    let Geometry::HalfSpace { normal, .. } = geometry else {
        return false;
    };
    let dot = |a: &Triple, b: &Triple| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let along = dot(normal, &direction);
    let most = dot(normal, normal) * dot(&direction, &direction);
    most - along * along <= 1e-12 * most
}
