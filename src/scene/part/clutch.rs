//! `[[clutch]]`: clutches and brakes.

use super::friction::not_negative;
use super::{Moving, Names, nobody, side, signal, two_bodies};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::sections::CLUTCH;
use crate::scene::spec::friction::{Clutch, ClutchKind};
use crate::scene::spec::{Dimension, Signal};
use crate::scene::value::Vector;

const KINDS: &[(&str, ClutchKind)] = &[
    ("friction", ClutchKind::Friction),
    ("torque_limiter", ClutchKind::TorqueLimiter),
    ("belt_brake", ClutchKind::BeltBrake),
    ("one_way", ClutchKind::OneWay),
];

/// Keys that only some kinds have.
const OF_KIND: &[(&str, &str)] = &[
    ("normal_force", "friction"),
    ("faces", "friction"),
    ("torque", "torque_limiter"),
    ("tension", "belt_brake"),
    ("wrap_angle", "belt_brake"),
    ("drag", "one_way"),
];

/// Reads one `[[clutch]]`. Bodies must have been read.
pub fn read<B: Moving>(mut t: Table<'_>, names: &mut Names, bodies: &[B]) -> Clutch<B::Point> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    t.describe(CLUTCH);
    let kind = t.choice_or("kind", KINDS, ClutchKind::Friction);
    let pair = t.need("bodies").and_then(|v| {
        let pair = two_bodies(&v, bodies)?;
        let point = pair.iter().find(|name| side(&name.text, bodies).is_point());
        if let Some(point) = point {
            v.bad(
                format!("\"{}\" is a point body, which does not rotate", point.text),
                "write `kind = \"rigid\"` in that body; to brake a displacement give a prismatic joint `friction`",
            );
        }
        Some(pair)
    });
    let axis = match t.log.dimension {
        Dimension::Plane => B::Point::FIRST,
        Dimension::Space => t.need_direction("axis").unwrap_or(B::Point::FIRST),
    };
    let load = load(&mut t, kind);
    let [friction, static_friction] = coefficients(&mut t, kind);
    let mut radius = 1.0;
    if matches!(kind, ClutchKind::Friction | ClutchKind::BeltBrake) {
        radius = t.need_number("radius", Range::POSITIVE).unwrap_or(1.0);
    }
    if kind == ClutchKind::Friction {
        radius *= f64::from(t.count_or("faces", 1, 1000, 1));
    }
    let wrap_angle = match kind {
        ClutchKind::BeltBrake => t.need_number("wrap_angle", Range::POSITIVE),
        ClutchKind::Friction | ClutchKind::TorqueLimiter | ClutchKind::OneWay => None,
    };
    t.finish_kind("a clutch", OF_KIND.to_vec());
    Clutch {
        place,
        name,
        bodies: pair.unwrap_or_else(|| [nobody(), nobody()]),
        axis,
        kind,
        load: load.unwrap_or(Signal::Constant(0.0)),
        friction,
        static_friction,
        radius,
        wrap_angle: wrap_angle.unwrap_or(0.0),
    }
}

/// What bounds the torque.
fn load(t: &mut Table<'_>, kind: ClutchKind) -> Option<Signal> {
    let value = match kind {
        ClutchKind::Friction => t.need("normal_force"),
        ClutchKind::TorqueLimiter => t.need("torque"),
        ClutchKind::BeltBrake => t.need("tension"),
        ClutchKind::OneWay => t.get("drag"),
    }?;
    not_negative(&value, signal::read(&value)?)
}

/// `friction` and `static_friction`.
fn coefficients(t: &mut Table<'_>, kind: ClutchKind) -> [f64; 2] {
    if matches!(kind, ClutchKind::TorqueLimiter | ClutchKind::OneWay) {
        return [1.0; 2];
    }
    let friction = t.need_number("friction", Range::NOT_NEGATIVE);
    let at_rest = t.number("static_friction", Range::NOT_NEGATIVE);
    if let (Some(friction), Some(at_rest)) = (friction, at_rest)
        && at_rest < friction
        && let Some(value) = t.get("static_friction")
    {
        value.bad(
            format!("static_friction {at_rest} is below friction {friction}"),
            "static friction must not be smaller than that while it slips",
        );
    }
    let friction = friction.unwrap_or(0.0);
    [friction, at_rest.unwrap_or(friction)]
}
