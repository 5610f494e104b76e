//! `[[rope]]`: ropes, with pulleys and reels.

use super::joint::check_anchors;
use super::{Moving, Names, body_name, nobody, side, signal, two_bodies};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::sections::{PULLEY, ROPE};
use crate::scene::spec::{Name, Rope, RopePoint};
use crate::scene::value::{Value, Vector};

/// Reads one `[[rope]]`. Bodies must have been read.
pub fn read<B: Moving>(mut t: Table<'_>, names: &mut Names, bodies: &[B]) -> Rope<B::Point> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    t.describe(ROPE);
    if bodies.iter().any(|body| body.name() == name)
        && let Some(value) = t.get("name")
    {
        value.bad(
            format!("\"{name}\" is the name of a body"),
            "choose another name",
        );
    }
    let over: Vec<_> = t
        .items("over")
        .into_iter()
        .map(|t| pulley(t, bodies))
        .collect();
    let ends = t
        .need("bodies")
        .and_then(|value| two_ends(&value, over.is_empty(), bodies));
    let value = t.need("anchors");
    let anchors = value.as_ref().and_then(Value::two_vectors);
    if let (Some(value), Some(anchors), Some(ends)) = (&value, anchors, &ends) {
        let sides = [0, 1].map(|i| side(&ends[i].text, bodies));
        check_anchors(value, anchors, ends, sides);
    }
    let length = t.number("length", Range::POSITIVE);
    let restitution = t.number_or("restitution", Range::UNIT, 0.0);
    let reel_speed = t.get("reel_speed").and_then(|value| signal::read(&value));
    t.finish("a rope");
    let [first, last] = ends.unwrap_or_else(|| [nobody(), nobody()]);
    let [start, end] = anchors.unwrap_or([B::Point::ZERO; 2]);
    let mut points = vec![RopePoint {
        body: first,
        point: start,
    }];
    points.extend(over);
    points.push(RopePoint {
        body: last,
        point: end,
    });
    Rope {
        place,
        name,
        points,
        length,
        restitution,
        reel_speed,
    }
}

/// The bodies of the two ends; those of a rope over pulleys may be the same.
fn two_ends<B: Moving>(value: &Value<'_>, is_straight: bool, bodies: &[B]) -> Option<[Name; 2]> {
    if is_straight {
        return two_bodies(value, bodies);
    }
    let [a, b] = value.two("two names of bodies")?;
    let (a, b) = (body_name(&a, bodies), body_name(&b, bodies));
    Some([a?, b?])
}

/// One of `over`.
fn pulley<B: Moving>(mut t: Table<'_>, bodies: &[B]) -> RopePoint<B::Point> {
    t.describe(PULLEY);
    let body = t.need("body").and_then(|value| body_name(&value, bodies));
    let value = t.get("point");
    let point = value.as_ref().and_then(Value::vector);
    let point: B::Point = point.unwrap_or(B::Point::ZERO);
    if let (Some(name), Some(value)) = (&body, value)
        && side(&name.text, bodies).is_point()
        && point != B::Point::ZERO
    {
        value.bad(
            "a rope runs over a point body at its centre",
            "remove `point`, or write `kind = \"rigid\"` in the body",
        );
    }
    t.finish("a pulley of a rope");
    RopePoint {
        body: body.unwrap_or_else(nobody),
        point,
    }
}
