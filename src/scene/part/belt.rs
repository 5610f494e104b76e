//! `[[belt]]`: moving surfaces of the ground.

use super::{Moving, Names, no_such, nobody, signal};
use crate::scene::read::Table;
use crate::scene::spec::{Belt, Shape, Signal};
use crate::scene::value::{Value, Vector};

/// A shape that a direction can be normal to.
pub trait Surface<P> {
    /// The normal of a plane.
    fn normal(&self) -> Option<P>;
}

/// Reads one `[[belt]]`. The ground and the bodies must have been read.
pub fn read<B: Moving, G: Surface<B::Point>>(
    mut t: Table<'_>,
    names: &mut Names,
    ground: &[Shape<G>],
    bodies: &[B],
) -> Belt<B::Point> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    if bodies.iter().any(|body| body.name() == name)
        && let Some(value) = t.get("name")
    {
        value.bad(
            format!("\"{name}\" is the name of a body"),
            "choose another name",
        );
    }
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
        let along_normal = |shape: &Shape<G>| {
            let normal = shape.geometry.normal();
            normal.is_some_and(|normal| is_normal(&normal, &direction))
        };
        if own.any(along_normal) {
            value.bad(
                "a belt moves along its surface, but this direction is its normal",
                "give a direction in the plane of the shape",
            );
        }
    }
    let direction = direction.unwrap_or(B::Point::FIRST);
    let speed = t.need("speed").and_then(|value| signal::read(&value));
    t.finish("a belt");
    Belt {
        place,
        name,
        shape: shape.unwrap_or_else(nobody),
        direction,
        speed: speed.unwrap_or(Signal::Constant(0.0)),
    }
}

/// Are these parallel, up to rounding?
fn is_normal<P: Vector>(normal: &P, direction: &P) -> bool {
    let dot = |a: &P, b: &P| -> f64 {
        let products = a.numbers().iter().zip(b.numbers()).map(|(a, b)| a * b);
        products.sum()
    };
    let along = dot(normal, direction);
    let most = dot(normal, normal) * dot(direction, direction);
    most - along * along <= 1e-12 * most
}
