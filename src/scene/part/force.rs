//! `[[force]]` in the plane and in space: force elements. The keys of a kind come from its description.

use super::joint::{self, JointOf, check_anchors};
use super::{GROUND, Moving, Names, Side, body_name, no_such, nobody, side, signal, two_bodies};
use crate::kinds::force::{Attachment, Description, Given, Kind};
use crate::kinds::joint::Kind as JointKind;
use crate::kinds::parameter::Parameter;
use crate::scene::read::Table;
use crate::scene::spec::{Dimension, Force, Frame, Name, Signal, Target};
use crate::scene::value::{Value, Vector, one_of};

/// Keys for the target of an element.
const TARGET_KEYS: &[&str] = &[
    "anchors", "bodies", "body", "force", "frame", "joint", "kind", "name", "point", "torque",
];

/// Where a joint has no coordinate for an element.
const INSTEAD_OF_JOINT: &str = "name another joint, or use a spring_damper between two points";

/// Possible targets of force elements.
pub struct World<'a, B: Moving, J> {
    /// All bodies.
    pub bodies: &'a [B],
    /// All joints.
    pub joints: &'a [JointOf<B, J>],
}

impl<B: Moving, J> Clone for World<'_, B, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Moving, J> Copy for World<'_, B, J> {}

/// Reads one force element. Bodies and joints must have been read.
pub fn read<B: Moving, J: JointKind, K: Kind>(
    mut t: Table<'_>,
    names: &mut Names,
    world: World<'_, B, J>,
) -> Force<B::Point, K> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let words: Vec<(&str, K)> = K::ALL.iter().map(|k| (k.description().word, *k)).collect();
    let kind = t.need_choice("kind", &words);
    let (mut on, mut parameters) = (None, Vec::new());
    if let Some(kind) = kind.map(K::description) {
        t.describe(kind.parameters);
        on = target(&mut t, kind, world);
        parameters = read_parameters(&mut t, kind);
        if let Some(Target::Bodies(names)) = &on {
            check_rotation(&mut t, kind, &parameters, names, world.bodies);
        }
        let all = K::ALL.iter().map(|kind| kind.description());
        let keys = |kind: &'static Description| kind.parameters.iter().map(|p| (p.key, kind.word));
        t.finish_kind(kind.called, all.flat_map(keys).collect());
    } else {
        let keys = all_keys::<K>(t.log.dimension);
        t.finish_with("a force", &keys);
    }
    Force {
        place,
        name,
        kind: kind.unwrap_or(K::ALL[0]),
        // An element that could not be read acts on nothing.
        on: on.unwrap_or_else(|| Target::Bodies([nobody(), nobody()])),
        parameters,
    }
}

/// The keys of all force elements.
fn all_keys<K: Kind>(dimension: Dimension) -> Vec<&'static str> {
    let mut keys = TARGET_KEYS.to_vec();
    if dimension == Dimension::Space {
        keys.push("coordinate");
    }
    for kind in K::ALL {
        keys.extend(kind.description().parameters.iter().map(|p| p.key));
    }
    keys
}

/// Numeric parameters of an element; at least one must be given even if all are optional.
fn read_parameters(t: &mut Table<'_>, kind: &Description) -> Vec<Option<f64>> {
    let read = |p: &Parameter| match p.default.parse() {
        Ok(default) => Some(t.number_or(p.key, p.range, default)),
        Err(_) if p.is_required() => t.need_number(p.key, p.range),
        Err(_) => t.number(p.key, p.range),
    };
    let values: Vec<Option<f64>> = kind.parameters.iter().map(read).collect();
    let has_default = |p: &&Parameter| p.default == "0";
    if let Some(first) = kind.parameters.iter().find(has_default)
        && !kind.parameters.iter().any(Parameter::is_required)
    {
        let keys: Vec<&str> = kind
            .parameters
            .iter()
            .filter(has_default)
            .map(|p| p.key)
            .collect();
        need_one(t, kind, &keys, first.hint());
    }
    let given = Given {
        parameters: kind.parameters,
        values: &values,
    };
    if let Some((key, message, hint)) = kind.check.and_then(|check| check(&given))
        && let Some(value) = t.get(key)
    {
        value.bad(message, hint);
    }
    values
}

fn need_one(t: &Table<'_>, kind: &Description, keys: &[&str], hint: String) {
    if !keys.iter().any(|key| t.has(key)) {
        let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        let message = format!("{} needs {} or both", kind.called, quoted.join(", "));
        t.log
            .absent(t.place.clone(), &t.path_of(keys[0]), message, hint);
    }
}

/// A point body does not rotate.
fn check_rotation<B: Moving>(
    t: &mut Table<'_>,
    kind: &Description,
    values: &[Option<f64>],
    names: &[Name; 2],
    bodies: &[B],
) {
    if !names.iter().any(|name| side(&name.text, bodies).is_point()) {
        return;
    }
    for (parameter, value) in kind.parameters.iter().zip(values) {
        if parameter.unit.ends_with("/rad")
            && value.is_some_and(|x| x != 0.0)
            && let Some(value) = t.get(parameter.key)
        {
            value.bad(
                "a point body does not rotate, so there is nothing to resist",
                format!(
                    "remove `{}`, or write `kind = \"rigid\"` in the body",
                    parameter.key
                ),
            );
        }
    }
}

/// Target of the element. All getters run before the first `?`, so that one problem does not hide another.
fn target<B: Moving, J: JointKind>(
    t: &mut Table<'_>,
    kind: &Description,
    world: World<'_, B, J>,
) -> Option<Target<B::Point>> {
    match kind.attachment {
        Attachment::Points => {
            let names = t.need("bodies").and_then(|v| two_bodies(&v, world.bodies));
            let value = t.need("anchors");
            let anchors = value.as_ref().and_then(|v| v.two_vectors());
            let (bodies, anchors) = (names?, anchors?);
            let sides = [0, 1].map(|i| side(&bodies[i].text, world.bodies));
            check_anchors(&value?, anchors, &bodies, sides);
            Some(Target::Points { bodies, anchors })
        }
        Attachment::Joint | Attachment::Angle => at_joint(t, kind, world, INSTEAD_OF_JOINT),
        Attachment::Body => applied(t, kind, world.bodies),
        Attachment::Bodies => {
            let value = t.need("bodies")?;
            one_or_two_bodies(&value, world.bodies).map(Target::Bodies)
        }
    }
}

/// `body`, `frame`, `point`, `force` and `torque`.
fn applied<B: Moving>(
    t: &mut Table<'_>,
    kind: &Description,
    bodies: &[B],
) -> Option<Target<B::Point>> {
    let body = t.need("body").and_then(|v| moving(&v, bodies));
    let on_point = body
        .as_ref()
        .is_some_and(|b| side(&b.text, bodies).is_point());
    let frame = t.choice_or(
        "frame",
        &[("world", Frame::World), ("body", Frame::Body)],
        Frame::World,
    );
    let point: B::Point = application_point(t, on_point);
    let n = point.numbers().len();
    let n_torques = match t.log.dimension {
        Dimension::Plane => 1,
        Dimension::Space => n,
    };
    let force = t.get("force").map(|value| signal::read_all(&value, n));
    let torque = t.get("torque").map(|value| {
        let torque = signal::read_all(&value, n_torques)?;
        if on_point && !torque.iter().all(signal::is_zero) {
            let message = "a torque has no effect on a point body, which does not rotate";
            value.bad(
                message,
                "remove `torque`, or write `kind = \"rigid\"` in the body",
            );
        }
        Some(torque)
    });
    need_one(t, kind, &["force", "torque"], t.log.example("force"));
    let zeros = |n| Some(vec![Signal::Constant(0.0); n]);
    Some(Target::Body {
        body: body?,
        point,
        frame,
        force: force.unwrap_or_else(|| zeros(n))?,
        torque: torque.unwrap_or_else(|| zeros(n_torques))?,
    })
}

/// `point`, where a force acts.
pub(super) fn application_point<P: Vector>(t: &mut Table<'_>, on_point_body: bool) -> P {
    let point: P = t.vector_or("point", Vector::ZERO);
    if on_point_body
        && point != P::ZERO
        && let Some(value) = t.get("point")
    {
        let message = "a force on a point body acts at its centre";
        value.bad(
            message,
            "remove `point`, or write `kind = \"rigid\"` in the body",
        );
    }
    point
}

/// Names of a body and of the body it moves relative to.
fn one_or_two_bodies<B: Moving>(value: &Value<'_>, bodies: &[B]) -> Option<[Name; 2]> {
    let list = value.list("names of one or two bodies")?;
    let second = match &list[..] {
        // The second body defaults to the ground.
        [_] => Some(Name {
            text: GROUND.to_owned(),
            place: value.place.clone(),
        }),
        [_, second] => body_name(second, bodies),
        _ => {
            value.bad(
                format!("expected one or two bodies, found a list of {}", list.len()),
                "name the body first, then the body it moves relative to",
            );
            return None;
        }
    };
    let first = moving(&list[0], bodies);
    let (first, second) = (first?, second?);
    if first.text == second.text {
        value.bad(
            "both are the same body",
            "name two different bodies, or the first one only",
        );
    }
    Some([first, second])
}

/// The name of a body that can move.
pub(super) fn moving<B: Moving>(value: &Value<'_>, bodies: &[B]) -> Option<Name> {
    let name = body_name(value, bodies)?;
    if matches!(side(&name.text, bodies), Side::Ground) {
        value.bad(
            "the ground does not move, so a force on it has no effect",
            "name a moving body",
        );
    }
    Some(name)
}

/// `joint`, and in space `coordinate`.
pub(super) fn at_joint<B: Moving, J: JointKind>(
    t: &mut Table<'_>,
    kind: &Description,
    world: World<'_, B, J>,
    instead: &str,
) -> Option<Target<B::Point>> {
    let value = t.need("joint");
    let found = value
        .as_ref()
        .and_then(|value| joint_name(value, kind, world, instead));
    let Some((value, (joint, link))) = value.zip(found) else {
        // Queried in any case, so that it is a known key for every joint.
        if t.log.dimension == Dimension::Space {
            t.get("coordinate");
        }
        return None;
    };
    let description = link.kind.description();
    let coordinate = match t.log.dimension {
        Dimension::Plane => 0,
        Dimension::Space => joint::coordinate(t, description)?,
    };
    let mut bodies = link.bodies.iter();
    if description.coordinates[coordinate].is_angle
        && bodies.any(|body| side(&body.text, world.bodies).is_point())
    {
        let message = format!(
            "the joint \"{}\" holds a point body, which has no angle",
            joint.text
        );
        value.bad(message, "write `kind = \"rigid\"` in that body");
    }
    Some(Target::Joint { joint, coordinate })
}

/// A joint that has a coordinate for the element.
fn joint_name<'w, B: Moving, J: JointKind>(
    value: &Value<'_>,
    kind: &Description,
    world: World<'w, B, J>,
    instead: &str,
) -> Option<(Name, &'w JointOf<B, J>)> {
    let name = value.name()?;
    let Some(joint) = world.joints.iter().find(|j| j.name == name.text) else {
        // A joint without a valid name has been reported already.
        if !world.joints.iter().any(|j| j.name.is_empty()) {
            let names = world.joints.iter().map(|j| j.name.as_str());
            no_such(value, "no joint has the name", &name.text, names);
        }
        return None;
    };
    let needs_angle = kind.attachment == Attachment::Angle;
    let fits = |joint: &J| {
        let mut driven = joint.description().driven();
        driven.any(|(_, coordinate)| coordinate.is_angle || !needs_angle)
    };
    if !fits(&joint.kind) {
        let all = J::ALL.iter().filter(|kind| fits(kind));
        let words: Vec<&str> = all.map(|kind| kind.description().word).collect();
        let message = format!(
            "{} acts at a {} joint, \"{}\" is {}",
            kind.called,
            one_of(&words),
            name.text,
            joint.kind.description().word
        );
        value.bad(message, instead);
        return None;
    }
    Some((name, joint))
}
