//! `[[joint]]` in space: what holds two bodies together.

use crate::math::Limit;
use crate::scene::part::joint::{read_limits, read_stops};
use crate::scene::part::{Names, Side, nobody, side, signal, two_bodies};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{
    Axis, Body, Coordinate, Cross, Joint, JointKind, Motor, MotorKind, Triple,
};
use crate::scene::spec::{Anchors, Limits, Name};
use crate::scene::value::Value;

/// The kinds of joints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spherical,
    Revolute,
    Prismatic,
    Cylindrical,
    Universal,
    Planar,
    Fixed,
    Distance,
}

const KINDS: &[(&str, Kind)] = &[
    ("spherical", Kind::Spherical),
    ("revolute", Kind::Revolute),
    ("prismatic", Kind::Prismatic),
    ("cylindrical", Kind::Cylindrical),
    ("universal", Kind::Universal),
    ("planar", Kind::Planar),
    ("fixed", Kind::Fixed),
    ("distance", Kind::Distance),
];

const COORDINATES: &[(&str, Coordinate)] = &[
    ("angle", Coordinate::Angle),
    ("displacement", Coordinate::Displacement),
];

/// Every key that some joint has.
const ALL_KEYS: &[&str] = &[
    "anchors",
    "angle_limits",
    "at",
    "axes",
    "axis",
    "bodies",
    "contact",
    "kind",
    "length",
    "limit_restitution",
    "limits",
    "motor",
    "name",
    "second_axis",
];

/// A point body is at a world point if they differ by less than this, m, for each metre from the origin.
const SAME_POINT: f64 = 1e-9;

/// Two directions are at right angles if their cosine is below this: six digits were written.
const RIGHT_ANGLE: f64 = 1e-6;

/// The word for a kind.
pub fn word(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Spherical => "spherical",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Cylindrical { .. } => "cylindrical",
        JointKind::Universal { .. } => "universal",
        JointKind::Planar { .. } => "planar",
        JointKind::Fixed => "fixed",
        JointKind::Distance { .. } => "distance",
    }
}

/// Reads one joint. Bodies must have been read.
pub fn read(mut t: Table<'_>, names: &mut Names, bodies: &[Body]) -> Joint {
    let place = t.place.clone();
    let mut name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let pair = t.need("bodies").and_then(|v| two_bodies(&v, bodies));
    let pair = pair.unwrap_or_else(|| [nobody(), nobody()]);
    let sides = [side(&pair[0].text, bodies), side(&pair[1].text, bodies)];
    let contact = t.flag_or("contact", kind == Some(Kind::Distance));
    let mut anchors = Anchors::World([0.0; 3]);
    let mut joint_kind = JointKind::Fixed;
    let mut motor = None;
    if let Some(kind) = kind {
        anchors = attach(&mut t, kind, &pair, sides);
        check_sides(&mut t, kind, sides);
        joint_kind = read_kind(&mut t, kind);
        if !joint_kind.coordinates().is_empty() {
            motor = t.get("motor").and_then(|v| read_motor(&v, &joint_kind));
        }
        t.finish(&format!("a {} joint", word(&joint_kind)));
    } else {
        t.finish_with("a joint", ALL_KEYS);
        // Without its kind, what refers to the joint cannot be judged.
        name.clear();
    }
    Joint {
        place,
        name,
        bodies: pair,
        anchors,
        kind: joint_kind,
        motor,
        contact,
    }
}

/// A point body has no orientation that a joint could hold.
fn check_sides(t: &mut Table<'_>, kind: Kind, sides: [Side<'_, Body>; 2]) {
    let holds_orientation = match kind {
        Kind::Spherical | Kind::Distance => false,
        Kind::Revolute
        | Kind::Prismatic
        | Kind::Cylindrical
        | Kind::Universal
        | Kind::Planar
        | Kind::Fixed => true,
    };
    if holds_orientation
        && sides.iter().any(Side::is_point)
        && let Some(value) = t.get("kind")
    {
        value.bad(
            "this joint holds an orientation, and a point body has none",
            "write `kind = \"rigid\"` in that body, or use a spherical or distance joint",
        );
    }
}

fn read_kind(t: &mut Table<'_>, kind: Kind) -> JointKind {
    match kind {
        Kind::Spherical => JointKind::Spherical,
        Kind::Revolute => JointKind::Revolute {
            axis: axis(t),
            limits: read_limits(t),
        },
        Kind::Prismatic => JointKind::Prismatic {
            axis: axis(t),
            limits: read_limits(t),
        },
        Kind::Cylindrical => {
            let axis = axis(t);
            let [limits, angle_limits] = two_limits(t);
            JointKind::Cylindrical {
                axis,
                limits,
                angle_limits,
            }
        }
        Kind::Universal => JointKind::Universal { axes: cross(t) },
        Kind::Planar => JointKind::Planar { axis: axis(t) },
        Kind::Fixed => JointKind::Fixed,
        Kind::Distance => JointKind::Distance {
            length: t.number("length", Range::POSITIVE),
        },
    }
}

/// `axis` or `axes`.
fn axis(t: &mut Table<'_>) -> Axis {
    let (axis, axes) = (t.get("axis"), t.get("axes"));
    let read = match (axis, axes) {
        (Some(axis), None) => axis.axis().map(Axis::World),
        (None, Some(axes)) => two_axes(&axes).map(Axis::Local),
        (Some(_), Some(axes)) => {
            axes.bad(
                "`axis` and `axes` say the same twice",
                "keep one of the two",
            );
            None
        }
        (None, None) => {
            no_axis(
                t,
                "axis",
                "the joint has no direction: `axis` or `axes` is missing",
            );
            None
        }
    };
    read.unwrap_or(Axis::World([0.0, 0.0, 1.0]))
}

/// `axis` and `second_axis`, or `axes`.
fn cross(t: &mut Table<'_>) -> Cross {
    let given = [t.get("axis"), t.get("second_axis")];
    let axes = t.get("axes");
    let read = match (given, axes) {
        ([None, None], Some(axes)) => two_axes(&axes).map(Cross::Local),
        ([Some(first), Some(second)], None) => {
            let (a, b) = (first.axis(), second.axis());
            right_angle(&second, a, b).map(Cross::World)
        }
        ([Some(_), _] | [_, Some(_)], Some(axes)) => {
            axes.bad(
                "`axes` says what `axis` and `second_axis` say",
                "keep `axes`, or the two others",
            );
            None
        }
        ([first, _], None) => {
            let key = if first.is_some() {
                "second_axis"
            } else {
                "axis"
            };
            let message =
                "a universal joint turns about two axes: `axis` and `second_axis`, or `axes`";
            no_axis(t, key, message);
            None
        }
    };
    read.unwrap_or(Cross::World([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
}

fn right_angle(second: &Value<'_>, a: Option<Triple>, b: Option<Triple>) -> Option<[Triple; 2]> {
    let (a, b) = (a?, b?);
    let dot = |a: Triple, b: Triple| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cosine = dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt());
    if cosine.abs() > RIGHT_ANGLE {
        let message = "the two axes of a universal joint are at right angles, these are not";
        second.bad(message, "choose `second_axis` across `axis`");
    }
    Some([a, b])
}

fn two_axes(value: &Value<'_>) -> Option<[Triple; 2]> {
    let [a, b] = value.two("two directions")?;
    let (a, b) = (a.axis(), b.axis());
    Some([a?, b?])
}

fn no_axis(t: &Table<'_>, key: &str, message: &str) {
    let hint = t.log.example(key);
    t.log
        .absent(t.place.clone(), &t.path_of(key), message, hint);
}

/// `limits` of the displacement, `angle_limits`, and their `limit_restitution`.
fn two_limits(t: &mut Table<'_>) -> [Option<Limits>; 2] {
    let bounce = t.get("limit_restitution");
    let stops = ["limits", "angle_limits"].map(|key| t.get(key));
    if let Some(bounce) = &bounce
        && stops.iter().all(Option::is_none)
    {
        bounce.bad(
            "`limit_restitution` has no effect without `limits` or `angle_limits`",
            bounce.log.example("limits"),
        );
    }
    let restitution = bounce.and_then(|v| v.number(Range::UNIT)).unwrap_or(0.0);
    stops.map(|value| {
        let (lower, upper) = read_stops(&value?)?;
        Some(Limits {
            lower,
            upper,
            restitution,
        })
    })
}

/// `motor = { kind, coordinate, value }`.
fn read_motor(value: &Value<'_>, joint: &JointKind) -> Option<Motor> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Word {
        Speed,
        Torque,
        Force,
    }
    const WORDS: &[(&str, Word)] = &[
        ("speed", Word::Speed),
        ("torque", Word::Torque),
        ("force", Word::Force),
    ];
    if !value.is_table() {
        value.wrong("a table", value.log.example("motor"));
        return None;
    }
    let mut t = value.as_table(value.path.clone())?;
    let word = t.need_choice("kind", WORDS);
    let coordinate = coordinate(&mut t, joint);
    let given = t.need("value").and_then(|v| signal::read(&v));
    let fitting = match (word, coordinate) {
        (Some(Word::Torque), Some(Coordinate::Displacement)) => Some("force"),
        (Some(Word::Force), Some(Coordinate::Angle)) => Some("torque"),
        _ => None,
    };
    if let Some(fitting) = fitting
        && let Some(kind) = t.get("kind")
    {
        let message = match coordinate {
            Some(Coordinate::Angle) => "on an angle acts a torque, not a force",
            Some(Coordinate::Displacement) | None => "on a displacement acts a force, not a torque",
        };
        kind.bad(message, format!("write `kind = \"{fitting}\"`"));
    }
    t.finish("a motor");
    Some(Motor {
        kind: match word? {
            Word::Speed => MotorKind::Speed,
            Word::Torque | Word::Force => MotorKind::Effort,
        },
        coordinate: coordinate?,
        value: given?,
    })
}

/// `coordinate`, which may be left out where there is only one.
pub fn coordinate(t: &mut Table<'_>, joint: &JointKind) -> Option<Coordinate> {
    let possible = joint.coordinates();
    let Some(value) = t.get("coordinate") else {
        if let [only] = possible {
            return Some(*only);
        }
        let hint = "write `coordinate = \"angle\"` or `coordinate = \"displacement\"`";
        let message = format!(
            "a {} joint has an angle and a displacement: `coordinate` must say which",
            word(joint)
        );
        t.log
            .absent(t.place.clone(), &t.path_of("coordinate"), message, hint);
        return None;
    };
    let coordinate = value.choice(COORDINATES)?;
    if !possible.contains(&coordinate) {
        let (none, other) = match coordinate {
            Coordinate::Angle => ("angle", "displacement"),
            Coordinate::Displacement => ("displacement", "angle"),
        };
        let message = format!("a {} joint has no {none} that changes", word(joint));
        value.bad(
            message,
            format!("write `coordinate = \"{other}\"`, or leave it out"),
        );
        return None;
    }
    Some(coordinate)
}

/// `at` or `anchors`, whichever the joint takes.
fn attach(
    t: &mut Table<'_>,
    kind: Kind,
    names: &[Name; 2],
    sides: [Side<'_, Body>; 2],
) -> Anchors<Triple> {
    let nowhere = Anchors::World([0.0; 3]);
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
            let Some(point) = at.triple() else {
                return nowhere;
            };
            for (name, side) in names.iter().zip(sides) {
                check_at(&at, point, name, side);
            }
            return Anchors::World(point);
        }
        (None, Some(anchors)) => {
            let Some(points) = anchors.two_triples() else {
                return nowhere;
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
            let hint = "write `at = [x, y, z]` in the world, or `anchors = [[x, y, z], [x, y, z]]` in each body's coordinates";
            t.log.absent(
                t.place.clone(),
                &t.path_of("at"),
                "the joint has no place: `at` or `anchors` is missing",
                hint,
            );
        }
        (None, None) => {}
    }
    nowhere
}

/// A point body can be held only at its centre, here by a world point.
fn check_at(value: &Value<'_>, at: Triple, name: &Name, side: Side<'_, Body>) {
    let Side::Moving(body) = side else { return };
    let off =
        (0..3).any(|i| (at[i] - body.position[i]).abs() > SAME_POINT * at[i].abs().at_least(1.0));
    if side.is_point() && off {
        let [x, y, z] = body.position;
        let message = format!(
            "\"{}\" is a point body: it can be held only at its centre",
            name.text
        );
        value.bad(
            message,
            format!("write `at = [{x}, {y}, {z}]`, or `kind = \"rigid\"` in that body"),
        );
    }
}

/// A point body can be held only at its centre, here by an anchor in its own coordinates.
pub fn check_anchors(
    value: &Value<'_>,
    anchors: [Triple; 2],
    names: &[Name; 2],
    sides: [Side<'_, Body>; 2],
) {
    let each = value.two("two points");
    for i in 0..2 {
        if sides[i].is_point() && anchors[i] != [0.0; 3] {
            let message = format!(
                "\"{}\" is a point body: it can be held only at its centre",
                names[i].text
            );
            let place = each.as_ref().map_or(value, |each| &each[i]);
            place.bad(
                message,
                "write `[0, 0, 0]` for its anchor, or `kind = \"rigid\"` in that body",
            );
        }
    }
}
