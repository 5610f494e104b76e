//! `[[joint]]` in the plane and in space. The keys of a kind come from its description.

use super::contact::{LIMIT_COMPLIANCE, read_compliance};
use super::{Moving, Names, Side, friction, nobody, side, signal, two_bodies};
use crate::kinds::joint::{Coordinate, Description, Kind, Mounting};
use crate::math::Limit;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::sections::MOTOR;
use crate::scene::spec::{
    Anchors, Axes, Dimension, Joint, Limits, Motor, MotorKind, Name, Servo, Signal,
};
use crate::scene::value::{Value, Vector, written};

/// Keys of every joint.
const KEYS: [&str; 5] = ["anchors", "at", "bodies", "contact", "name"];

/// A point body counts as being at a world point if they differ by less than this, m per metre from the origin.
const SAME_POINT: f64 = 1e-9;

/// Two directions count as perpendicular if their cosine is below this: input may have six digits.
const RIGHT_ANGLE: f64 = 1e-6;

/// Key of the restitution at limits.
const BOUNCE: &str = "limit_restitution";

/// The joints of a scene whose bodies are `B`.
pub type JointOf<B, K> = Joint<<B as Moving>::Point, K>;

/// Reads one joint. Bodies must have been read.
pub fn read<B: Moving, K: Kind>(
    mut t: Table<'_>,
    names: &mut Names,
    bodies: &[B],
) -> JointOf<B, K> {
    let place = t.place.clone();
    let mut name = names.take(&mut t);
    let words: Vec<(&str, K)> = K::ALL.iter().map(|k| (k.description().word, *k)).collect();
    let kind = t.need_choice("kind", &words);
    let pair = t.need("bodies").and_then(|v| two_bodies(&v, bodies));
    let pair = pair.unwrap_or_else(|| [nobody(), nobody()]);
    let sides = [side(&pair[0].text, bodies), side(&pair[1].text, bodies)];
    let holds_ends = kind.is_some_and(|k| k.description().mounting == Mounting::Ends);
    let contact = t.flag_or("contact", holds_ends);
    let mut joint = Joint {
        place,
        name: String::new(),
        bodies: pair,
        anchors: Anchors::World(Vector::ZERO),
        axes: Axes::None,
        kind: kind.unwrap_or(K::ALL[0]),
        parameters: Vec::new(),
        limits: Vec::new(),
        motor: None,
        friction: Vec::new(),
        contact,
    };
    if let Some(kind) = kind.map(K::description) {
        t.describe(kind.parameters);
        joint.anchors = attach(&mut t, kind.mounting, &joint.bodies, sides);
        check_sides(&mut t, kind, sides);
        joint.axes = axes(&mut t, kind.mounting);
        let own = kind.parameters.iter();
        joint.parameters = own
            .map(|p| match p.is_required() {
                true => t.need_number(p.key, p.range),
                false => t.number(p.key, p.range),
            })
            .collect();
        joint.limits = limits(&mut t, kind, sides);
        if kind.driven().next().is_some() {
            joint.motor = t.get("motor").and_then(|v| read_motor(&v, kind));
        }
        if kind.coordinates_with_friction().next().is_some()
            && let Some(value) = t.get("friction")
        {
            joint.friction = friction::read(&value, kind, sides);
        }
        let all = K::ALL.iter().map(|kind| kind.description());
        let others = all.flat_map(|kind| own_keys(kind).map(|key| (key, kind.word)));
        t.finish_kind(&format!("a {} joint", kind.word), others.collect());
    } else {
        let keys = all_keys::<K>(t.log.dimension);
        t.finish_with("a joint", &keys);
        // Without its kind, references to the joint cannot be checked.
        name.clear();
    }
    joint.name = name;
    joint
}

/// The keys of all joints.
fn all_keys<K: Kind>(dimension: Dimension) -> Vec<&'static str> {
    let mut keys = KEYS.to_vec();
    keys.extend(["kind", "axis", "friction", BOUNCE, "motor"]);
    if dimension == Dimension::Space {
        keys.extend(["axes", "second_axis"]);
    }
    let all = K::ALL.iter().map(|kind| kind.description());
    keys.extend(all.flat_map(own_keys));
    keys
}

/// Keys that not every joint has.
fn own_keys(kind: &'static Description) -> impl Iterator<Item = &'static str> {
    let parameters = kind.parameters.iter().map(|p| p.key);
    parameters.chain(kind.driven().filter_map(|(_, c)| c.limits))
}

/// A point body has no orientation that a joint could constrain. In the plane, two point bodies are allowed.
fn check_sides<B: Moving>(t: &mut Table<'_>, kind: &Description, sides: [Side<'_, B>; 2]) {
    let (bad, message, hint) = match t.log.dimension {
        Dimension::Plane => (
            sides.iter().any(Side::is_point) && sides.iter().any(Side::is_rigid),
            "this joint constrains the angle between two bodies, but a point body has none",
            "write `kind = \"rigid\"` in that body, or use a revolute or distance joint",
        ),
        Dimension::Space => (
            sides.iter().any(Side::is_point),
            "this joint constrains the orientation, but a point body has none",
            "write `kind = \"rigid\"` in that body, or use a spherical or distance joint",
        ),
    };
    if kind.mounting.holds_orientation()
        && bad
        && let Some(value) = t.get("kind")
    {
        value.bad(message, hint);
    }
}

/// The directions of a joint.
fn axes<P: Vector>(t: &mut Table<'_>, mounting: Mounting) -> Axes<P> {
    let read = match (mounting, t.log.dimension) {
        (Mounting::Point | Mounting::Ends | Mounting::Anywhere, _) => return Axes::None,
        (_, Dimension::Plane) => t.need_direction("axis").map(|axis| Axes::Local([axis; 2])),
        (Mounting::Axis, Dimension::Space) => axis(t),
        (Mounting::Cross, Dimension::Space) => cross(t),
    };
    read.unwrap_or(Axes::Local([P::FIRST; 2]))
}

/// `axis` or `axes`.
fn axis<P: Vector>(t: &mut Table<'_>) -> Option<Axes<P>> {
    match (t.get("axis"), t.get("axes")) {
        (Some(axis), None) => axis.direction().map(|axis| Axes::World([axis; 2])),
        (None, Some(axes)) => two_axes(&axes).map(Axes::Local),
        (Some(_), Some(axes)) => {
            axes.bad("`axis` and `axes` are alternatives", "keep one of the two");
            None
        }
        (None, None) => {
            let message = "the joint has no direction: `axis` or `axes` is missing";
            no_axis(t, "axis", message);
            None
        }
    }
}

/// `axis` and `second_axis`, or `axes`.
fn cross<P: Vector>(t: &mut Table<'_>) -> Option<Axes<P>> {
    let given = [t.get("axis"), t.get("second_axis")];
    match (given, t.get("axes")) {
        ([None, None], Some(axes)) => two_axes(&axes).map(Axes::Local),
        ([Some(first), Some(second)], None) => {
            let (a, b) = (first.direction(), second.direction());
            right_angle(&second, a, b).map(Axes::World)
        }
        ([Some(_), _] | [_, Some(_)], Some(axes)) => {
            axes.bad(
                "`axes` is an alternative to `axis` and `second_axis`",
                "keep `axes`, or the two others",
            );
            None
        }
        ([first, _], None) => {
            let key = match first {
                Some(_) => "second_axis",
                None => "axis",
            };
            let message =
                "the joint rotates about two axes: write `axis` and `second_axis`, or `axes`";
            no_axis(t, key, message);
            None
        }
    }
}

fn right_angle<P: Vector>(second: &Value<'_>, a: Option<P>, b: Option<P>) -> Option<[P; 2]> {
    let (a, b) = (a?, b?);
    let dot = |a: P, b: P| -> f64 {
        let products = a.numbers().iter().zip(b.numbers()).map(|(x, y)| x * y);
        products.sum()
    };
    let cosine = dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt());
    if cosine.abs() > RIGHT_ANGLE {
        let message = "the two axes of the joint must be perpendicular";
        second.bad(message, "choose `second_axis` perpendicular to `axis`");
    }
    Some([a, b])
}

fn two_axes<P: Vector>(value: &Value<'_>) -> Option<[P; 2]> {
    let [a, b] = value.two("two directions")?;
    let (a, b) = (a.direction(), b.direction());
    Some([a?, b?])
}

fn no_axis(t: &Table<'_>, key: &str, message: &str) {
    let hint = t.log.example(key);
    t.log
        .absent(t.place.clone(), &t.path_of(key), message, hint);
}

/// Stops of the coordinates, and their `limit_restitution`.
fn limits<B: Moving>(
    t: &mut Table<'_>,
    kind: &Description,
    sides: [Side<'_, B>; 2],
) -> Vec<Option<Limits>> {
    let keys: Vec<&'static str> = kind.driven().filter_map(|(_, c)| c.limits).collect();
    if keys.is_empty() {
        return Vec::new();
    }
    let bounce = t.get(BOUNCE);
    let stops: Vec<Option<Value<'_>>> = kind.coordinates.iter().map(|c| t.get(c.limits?)).collect();
    if stops.iter().all(Option::is_none) {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        for idle in LIMIT_COMPLIANCE.all().into_iter().chain([BOUNCE]) {
            if let Some(value) = t.get(idle) {
                let message = format!("`{idle}` has no effect without {}", keys.join(" or "));
                value.bad(message, value.log.example("limits"));
            }
        }
    }
    let restitution = bounce.and_then(|v| v.number(Range::UNIT)).unwrap_or(0.0);
    let compliance = read_compliance(t, &LIMIT_COMPLIANCE, None);
    let read = |(value, coordinate): (Option<Value<'_>>, &Coordinate)| {
        let value = value?;
        let (lower, upper) = read_stops(&value)?;
        if coordinate.is_angle
            && !kind.mounting.holds_orientation()
            && sides.iter().any(Side::is_point)
        {
            let hint = format!(
                "remove `{}`, or write `kind = \"rigid\"` in that body",
                value.key
            );
            value.bad("a point body has no angle that could be limited", hint);
        }
        Some(Limits {
            lower,
            upper,
            restitution,
            compliance,
        })
    };
    stops.into_iter().zip(kind.coordinates).map(read).collect()
}

/// A lower and an upper stop.
fn read_stops(value: &Value<'_>) -> Option<(f64, f64)> {
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

/// `motor = { kind, coordinate, value }`.
fn read_motor(value: &Value<'_>, joint: &'static Description) -> Option<Motor> {
    const WORDS: &[(&str, MotorKind)] = &[
        ("speed", MotorKind::Speed),
        ("position", MotorKind::Position),
        ("servo", MotorKind::Servo),
        ("torque", MotorKind::Effort),
        ("force", MotorKind::Effort),
    ];
    if !value.is_table() {
        value.wrong("a table", value.log.example("motor"));
        return None;
    }
    let mut t = value.as_table(value.path.clone())?;
    t.describe(MOTOR);
    let kind = t.need_choice("kind", WORDS);
    let coordinate = coordinate(&mut t, joint);
    let (given, servo) = match kind {
        Some(MotorKind::Servo) => {
            let (position, servo) = read_servo(&mut t);
            (position, Some(servo))
        }
        Some(MotorKind::Speed | MotorKind::Position | MotorKind::Effort) | None => {
            (t.need("value").and_then(|v| signal::read(&v)), None)
        }
    };
    let prescribes = matches!(kind, Some(MotorKind::Speed | MotorKind::Position));
    let limit = prescribes
        .then(|| t.number("limit", Range::POSITIVE))
        .flatten();
    if let (Some(MotorKind::Position), Some(_), Some(Signal::Input { .. })) = (kind, limit, &given)
        && let Some(value) = t.get("limit")
    {
        value.bad(
            "a motor that slips has no position left to follow as an input",
            "use `kind = \"servo\"`, which returns to its position, or prescribe the speed",
        );
    }
    let fitting = coordinate.map(|i| match joint.coordinates[i].is_angle {
        true => ("torque", "an angle is driven by a torque, not a force"),
        false => ("force", "a displacement is driven by a force, not a torque"),
    });
    if let (Some(MotorKind::Effort), Some((fitting, message))) = (kind, fitting)
        && let Some(value) = t.get("kind")
        && value.text() != Some(fitting)
    {
        value.bad(message, format!("write `kind = \"{fitting}\"`"));
    }
    let mut keys = ["kp", "kd", "position", "velocity"]
        .map(|key| (key, "servo"))
        .to_vec();
    keys.extend(["speed", "position", "servo"].map(|kind| ("limit", kind)));
    match servo {
        Some(_) => {
            let others = ["speed", "position", "torque", "force"].map(|kind| ("value", kind));
            t.finish_kind("a servo", others.to_vec());
        }
        None => t.finish_kind("a motor", keys),
    }
    Some(Motor {
        kind: kind?,
        coordinate: coordinate?,
        value: given?,
        servo,
        limit,
    })
}

/// The position that a servo follows, and its gains.
fn read_servo(t: &mut Table<'_>) -> (Option<Signal>, Servo) {
    let position = t.need("position").and_then(|v| signal::read(&v));
    let servo = Servo {
        kp: t.need_number("kp", Range::NOT_NEGATIVE).unwrap_or(0.0),
        kd: t.number_or("kd", Range::NOT_NEGATIVE, 0.0),
        velocity: t.get("velocity").and_then(|v| signal::read(&v)),
        limit: t.number("limit", Range::POSITIVE).unwrap_or(f64::INFINITY),
    };
    (position, servo)
}

/// `coordinate`, which may be omitted if there is only one.
pub fn coordinate(t: &mut Table<'_>, joint: &'static Description) -> Option<usize> {
    let possible: Vec<(&str, usize)> = joint.driven().map(|(i, c)| (c.name, i)).collect();
    let Some(value) = t.get("coordinate") else {
        if let [(_, only)] = possible[..] {
            return Some(only);
        }
        let hint = "write `coordinate = \"angle\"` or `coordinate = \"displacement\"`";
        let message = format!(
            "a {} joint has an angle and a displacement: `coordinate` must name one of them",
            joint.word
        );
        t.log
            .absent(t.place.clone(), &t.path_of("coordinate"), message, hint);
        return None;
    };
    let word = value.choice(&[("angle", "angle"), ("displacement", "displacement")])?;
    let found = possible.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        let other = possible.first().map_or("", |(name, _)| name);
        value.bad(
            format!("a {} joint has no {word} that changes", joint.word),
            format!("write `coordinate = \"{other}\"`, or leave it out"),
        );
    }
    found.map(|(_, i)| *i)
}

/// `at` or `anchors`, depending on the joint.
fn attach<B: Moving>(
    t: &mut Table<'_>,
    mounting: Mounting,
    names: &[Name; 2],
    sides: [Side<'_, B>; 2],
) -> Anchors<B::Point> {
    let has_ends = mounting == Mounting::Ends;
    let at = t.get("at");
    let anchors = if has_ends && at.is_none() {
        t.need("anchors")
    } else {
        t.get("anchors")
    };
    let found = match (at, anchors) {
        (Some(at), _) if has_ends => {
            let message = "the joint has two ends, so it needs two points";
            at.bad(message, at.log.example("anchors"));
            None
        }
        (Some(at), Some(_)) => {
            at.bad("`at` and `anchors` are alternatives", "keep one of the two");
            None
        }
        (Some(at), None) => at.vector().map(|point| {
            for (name, side) in names.iter().zip(sides) {
                check_at(&at, point, name, side);
            }
            Anchors::World(point)
        }),
        (None, Some(anchors)) => anchors.two_vectors().map(|points| {
            check_anchors(&anchors, points, names, sides);
            Anchors::Local(points)
        }),
        // The position of a fixed joint does not affect the motion: use the second body, or the one that is not the ground.
        (None, None) if mounting == Mounting::Anywhere => {
            let bodies = [sides[1], sides[0]].into_iter();
            let mut moving = bodies.filter_map(|side| match side {
                Side::Moving(body) => Some(Anchors::World(body.position())),
                Side::Ground | Side::Unknown => None,
            });
            moving.next()
        }
        (None, None) => {
            if !has_ends {
                let point = B::Point::WRITTEN;
                let hint = format!(
                    "write `at = {point}` in the world, or `anchors = [{point}, {point}]` in each body's coordinates"
                );
                t.log.absent(
                    t.place.clone(),
                    &t.path_of("at"),
                    "the joint has no position: `at` or `anchors` is missing",
                    hint,
                );
            }
            None
        }
    };
    found.unwrap_or(Anchors::World(Vector::ZERO))
}

/// A point body can be attached only at its centre; check for a world point.
fn check_at<B: Moving>(value: &Value<'_>, at: B::Point, name: &Name, side: Side<'_, B>) {
    let Side::Moving(body) = side else { return };
    let centre = body.position();
    let mut apart = at.numbers().iter().zip(centre.numbers());
    let off = apart.any(|(at, centre)| (at - centre).abs() > SAME_POINT * at.abs().at_least(1.0));
    if side.is_point() && off {
        let hint = format!(
            "write `at = {}`, or `kind = \"rigid\"` in that body",
            written(&centre)
        );
        value.bad(held_at_centre(name), hint);
    }
}

/// A point body can be attached only at its centre; check for an anchor in its own coordinates.
pub fn check_anchors<B: Moving>(
    value: &Value<'_>,
    anchors: [B::Point; 2],
    names: &[Name; 2],
    sides: [Side<'_, B>; 2],
) {
    let each = value.two("two points");
    for i in 0..2 {
        if sides[i].is_point() && anchors[i] != B::Point::ZERO {
            let place = each.as_ref().map_or(value, |each| &each[i]);
            let hint = format!(
                "write `{}` for its anchor, or `kind = \"rigid\"` in that body",
                written(&B::Point::ZERO)
            );
            place.bad(held_at_centre(&names[i]), hint);
        }
    }
}

fn held_at_centre(name: &Name) -> String {
    let name = &name.text;
    format!("\"{name}\" is a point body: it can be attached only at its centre")
}
