//! `[[joint]]`: what holds two bodies together.

use super::{Names, Side, nobody, side, two_bodies};
use crate::math::Limit;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Anchors, Body, Joint, JointKind, Limits, Name, Pair};
use crate::scene::value::Value;

/// The kinds of joints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Revolute,
    Prismatic,
    Fixed,
    Distance,
}

const KINDS: &[(&str, Kind)] = &[
    ("revolute", Kind::Revolute),
    ("prismatic", Kind::Prismatic),
    ("fixed", Kind::Fixed),
    ("distance", Kind::Distance),
];

/// Every key that some joint has.
const ALL_KEYS: &[&str] = &[
    "anchors",
    "at",
    "axis",
    "bodies",
    "contact",
    "kind",
    "length",
    "limit_restitution",
    "limits",
    "name",
];

/// A point body is at a world point if they differ by less than this, m, for each metre from the origin.
const SAME_POINT: f64 = 1e-9;

/// Reads one joint. Bodies must have been read.
pub fn read(mut t: Table<'_>, names: &mut Names, bodies: &[Body]) -> Joint {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let pair = t.need("bodies").and_then(|v| two_bodies(&v, bodies));
    let pair = pair.unwrap_or_else(|| [nobody(), nobody()]);
    let sides = [side(&pair[0].text, bodies), side(&pair[1].text, bodies)];
    let contact = t.flag_or("contact", kind == Some(Kind::Distance));
    let mut anchors = Anchors::World([0.0; 2]);
    let mut joint_kind = JointKind::Fixed;
    if let Some(kind) = kind {
        anchors = attach(&mut t, kind, &pair, sides);
        joint_kind = read_kind(&mut t, kind, sides);
        let what = match kind {
            Kind::Revolute => "a revolute joint",
            Kind::Prismatic => "a prismatic joint",
            Kind::Fixed => "a fixed joint",
            Kind::Distance => "a distance joint",
        };
        t.finish(what);
    } else {
        t.finish_with("a joint", ALL_KEYS);
    }
    Joint {
        place,
        name,
        bodies: pair,
        anchors,
        kind: joint_kind,
        contact,
    }
}

fn read_kind(t: &mut Table<'_>, kind: Kind, sides: [Side<'_>; 2]) -> JointKind {
    // A rotation lock between something that turns and something that cannot.
    if matches!(kind, Kind::Prismatic | Kind::Fixed)
        && sides.iter().any(Side::is_point)
        && sides.iter().any(Side::is_rigid)
        && let Some(value) = t.get("kind")
    {
        value.bad(
            "this joint holds the angle between two bodies, and a point body has none",
            "write `kind = \"rigid\"` in that body, or use a revolute or distance joint",
        );
    }
    match kind {
        Kind::Revolute => {
            let limits = read_limits(t);
            if limits.is_some()
                && sides.iter().any(Side::is_point)
                && let Some(value) = t.get("limits")
            {
                value.bad(
                    "a point body has no angle that could be limited",
                    "remove `limits`, or write `kind = \"rigid\"` in that body",
                );
            }
            JointKind::Revolute { limits }
        }
        Kind::Prismatic => {
            let axis = t.need_direction("axis").unwrap_or([1.0, 0.0]);
            JointKind::Prismatic {
                axis,
                limits: read_limits(t),
            }
        }
        Kind::Fixed => JointKind::Fixed,
        Kind::Distance => JointKind::Distance {
            length: t.number("length", Range::POSITIVE),
        },
    }
}

/// `limits = [lower, upper]` and `limit_restitution`.
pub fn read_limits(t: &mut Table<'_>) -> Option<Limits> {
    let bounce = t.get("limit_restitution");
    let restitution = bounce
        .as_ref()
        .and_then(|v| v.number(Range::UNIT))
        .unwrap_or(0.0);
    let Some(value) = t.get("limits") else {
        if let Some(bounce) = bounce {
            bounce.bad(
                "`limit_restitution` has no effect without `limits`",
                bounce.log.example("limits"),
            );
        }
        return None;
    };
    let (lower, upper) = read_stops(&value)?;
    Some(Limits {
        lower,
        upper,
        restitution,
    })
}

/// A lower and an upper stop.
pub fn read_stops(value: &Value<'_>) -> Option<(f64, f64)> {
    let [lower, upper] = value.two("a lower and an upper limit")?;
    let (lower, upper) = (lower.number(Range::INFINITE), upper.number(Range::INFINITE));
    let (lower, upper) = (lower?, upper?);
    if lower > upper {
        let message = format!("the lower limit {lower} is above the upper limit {upper}");
        value.bad(
            message,
            format!("write `{} = [{upper}, {lower}]`", value.key),
        );
    } else if lower == upper {
        let message = format!("both limits are {lower}, so the joint cannot move");
        value.bad(
            message,
            "write `kind = \"fixed\"`, or give the joint some play",
        );
    }
    Some((lower, upper))
}

/// `at` or `anchors`, whichever the joint takes.
fn attach(t: &mut Table<'_>, kind: Kind, names: &[Name; 2], sides: [Side<'_>; 2]) -> Anchors {
    let at = t.get("at");
    let anchors = if kind == Kind::Distance && at.is_none() {
        t.need("anchors")
    } else {
        t.get("anchors")
    };
    match (at, anchors) {
        (Some(at), _) if kind == Kind::Distance => {
            let message = "a distance joint has two ends, so one point does not say where it is";
            at.bad(message, at.log.example("anchors"));
        }
        (Some(at), Some(_)) => at.bad(
            "`at` and `anchors` say the same twice",
            "keep one of the two",
        ),
        (Some(at), None) => {
            let Some(point) = at.pair() else {
                return Anchors::World([0.0; 2]);
            };
            for (name, side) in names.iter().zip(sides) {
                check_at(&at, point, name, side);
            }
            return Anchors::World(point);
        }
        (None, Some(anchors)) => {
            let Some(points) = anchors.two_pairs() else {
                return Anchors::World([0.0; 2]);
            };
            check_anchors(&anchors, points, names, sides);
            return Anchors::Local(points);
        }
        // Where a fixed joint is does not matter to the motion: at the second body, or the one that is not the ground.
        (None, None) if kind == Kind::Fixed => {
            for side in [sides[1], sides[0]] {
                if let Side::Moving(body) = side {
                    return Anchors::World(body.position);
                }
            }
        }
        (None, None) if kind != Kind::Distance => {
            let hint = "write `at = [x, y]` in the world, or `anchors = [[x, y], [x, y]]` in each body's coordinates";
            t.log.absent(
                t.place.clone(),
                &t.path_of("at"),
                "the joint has no place: `at` or `anchors` is missing",
                hint,
            );
        }
        (None, None) => {}
    }
    Anchors::World([0.0; 2])
}

/// A point body can be held only at its centre, here by a world point.
fn check_at(value: &Value<'_>, at: Pair, name: &Name, side: Side<'_>) {
    let Side::Moving(body) = side else { return };
    let off =
        (0..2).any(|i| (at[i] - body.position[i]).abs() > SAME_POINT * at[i].abs().at_least(1.0));
    if side.is_point() && off {
        let [x, y] = body.position;
        let message = format!(
            "\"{}\" is a point body: it can be held only at its centre",
            name.text
        );
        value.bad(
            message,
            format!("write `at = [{x}, {y}]`, or `kind = \"rigid\"` in that body"),
        );
    }
}

/// A point body can be held only at its centre, here by an anchor in its own coordinates.
pub fn check_anchors(
    value: &Value<'_>,
    anchors: [Pair; 2],
    names: &[Name; 2],
    sides: [Side<'_>; 2],
) {
    let each = value.two("two points");
    for i in 0..2 {
        if sides[i].is_point() && anchors[i] != [0.0; 2] {
            let message = format!(
                "\"{}\" is a point body: it can be held only at its centre",
                names[i].text
            );
            let place = each.as_ref().map_or(value, |each| &each[i]);
            place.bad(
                message,
                "write `[0, 0]` for its anchor, or `kind = \"rigid\"` in that body",
            );
        }
    }
}
