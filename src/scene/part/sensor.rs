//! `[[sensor]]`: quantities that the author of a scene names.

use super::force::World;
use super::joint::{JointOf, check_anchors};
use super::{Moving, Names, body_name, no_such, side, two_bodies};
use crate::kinds::joint::Kind as JointKind;
use crate::scene::read::Table;
use crate::scene::spec::sensor::{Sensor, SensorKind, SensorTarget};
use crate::scene::spec::space::Triple;
use crate::scene::spec::{Dimension, Name};
use crate::scene::value::{Value, Vector};

/// Kinds of one dimension only.
const ONLY_IN: [(SensorKind, Dimension, &str); 2] = [
    (
        SensorKind::Angle,
        Dimension::Plane,
        "in space write `kind = \"orientation\"`, a quaternion, or measure the coordinate of a joint",
    ),
    (
        SensorKind::Orientation,
        Dimension::Space,
        "in the plane write `kind = \"angle\"`",
    ),
];

/// Reads one sensor. Bodies and joints must have been read.
pub fn read<B: Moving, J: JointKind>(
    mut t: Table<'_>,
    names: &mut Names,
    world: World<'_, B, J>,
) -> Option<Sensor> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", SensorKind::ALL);
    let display_unit = t.get("display_unit").and_then(|v| v.name());
    let Some(kind) = kind else {
        let all = [
            "kind",
            "name",
            "display_unit",
            "body",
            "bodies",
            "point",
            "anchors",
        ];
        let more = ["joint", "coordinate", "frame", "component"];
        t.finish_with("a sensor", &[&all[..], &more[..]].concat());
        return None;
    };
    check_dimension(&mut t, kind);
    let mut sensor = Sensor {
        place,
        name,
        kind,
        bodies: Vec::new(),
        points: [[0.0; 3]; 2],
        joint: None,
        coordinate: 0,
        frame: None,
        component: None,
        display_unit,
    };
    let target = kind.target();
    match target {
        SensorTarget::Point | SensorTarget::Body => of_body(&mut t, world.bodies, &mut sensor),
        SensorTarget::Points => of_points(&mut t, world.bodies, &mut sensor),
        SensorTarget::Coordinate | SensorTarget::Joint => of_joint(&mut t, world, &mut sensor),
        SensorTarget::Contact => {
            let pair = t.need("bodies").and_then(|v| two_bodies(&v, world.bodies));
            sensor.bodies = pair.map_or_else(Vec::new, Vec::from);
        }
    }
    if target.keys().contains(&"frame") {
        sensor.frame = t.get("frame").and_then(|v| body_name(&v, world.bodies));
    }
    if target.keys().contains(&"component") {
        sensor.component = component(&mut t, kind);
    }
    t.finish_kind(
        &format!("a sensor of kind \"{}\"", kind.word()),
        keys_of_kinds(),
    );
    Some(sensor)
}

/// All keys with the words of the kinds that have them.
fn keys_of_kinds() -> Vec<(&'static str, &'static str)> {
    let all = SensorKind::ALL.iter();
    all.flat_map(|(word, kind)| kind.target().keys().iter().map(|key| (*key, *word)))
        .collect()
}

fn check_dimension(t: &mut Table<'_>, kind: SensorKind) {
    for (own, dimension, hint) in ONLY_IN {
        if own == kind
            && dimension != t.log.dimension
            && let Some(value) = t.get("kind")
        {
            let place = match dimension {
                Dimension::Plane => "in the plane",
                Dimension::Space => "in space",
            };
            value.bad(format!("there is an {} only {place}", own.word()), hint);
        }
    }
}

fn padded<P: Vector>(point: P) -> Triple {
    let mut all = [0.0; 3];
    all[..point.numbers().len()].copy_from_slice(point.numbers());
    all
}

fn of_body<B: Moving>(t: &mut Table<'_>, bodies: &[B], sensor: &mut Sensor) {
    let body = t.need("body").and_then(|v| body_name(&v, bodies));
    if sensor.kind.target() == SensorTarget::Point {
        let point: B::Point = t.vector_or("point", Vector::ZERO);
        if body
            .as_ref()
            .is_some_and(|b| side(&b.text, bodies).is_point())
            && point != B::Point::ZERO
            && let Some(value) = t.get("point")
        {
            value.bad(
                "a point body has no other point than its centre",
                "remove `point`, or write `kind = \"rigid\"` in the body",
            );
        }
        sensor.points[0] = padded(point);
    } else if let Some(value) = t.get("body")
        && body
            .as_ref()
            .is_some_and(|b| side(&b.text, bodies).is_point())
    {
        value.bad(
            "a point body does not rotate",
            "write `kind = \"rigid\"` in the body",
        );
    }
    sensor.bodies.extend(body);
}

fn of_points<B: Moving>(t: &mut Table<'_>, bodies: &[B], sensor: &mut Sensor) {
    let pair = t.need("bodies").and_then(|v| two_bodies(&v, bodies));
    let zero: B::Point = Vector::ZERO;
    let mut anchors = [zero; 2];
    if let Some(value) = t.get("anchors")
        && let Some(found) = value.two_vectors()
    {
        anchors = found;
        if let Some(pair) = &pair {
            let sides = [0, 1].map(|i| side(&pair[i].text, bodies));
            check_anchors(&value, anchors, pair, sides);
        }
    }
    sensor.points = anchors.map(padded);
    sensor.bodies = pair.map_or_else(Vec::new, Vec::from);
}

fn of_joint<B: Moving, J: JointKind>(
    t: &mut Table<'_>,
    world: World<'_, B, J>,
    sensor: &mut Sensor,
) {
    let value = t.need("joint");
    let found = value
        .as_ref()
        .and_then(|value| joint_name::<B, J>(value, world.joints));
    let of_coordinate = sensor.kind.target() == SensorTarget::Coordinate;
    let coordinate = of_coordinate.then(|| t.get("coordinate")).flatten();
    let Some((joint, link)) = found else {
        return;
    };
    sensor.joint = Some(joint);
    if !of_coordinate {
        return;
    }
    let description = link.kind.description();
    let words = description.coordinates.iter().zip(0..);
    let words: Vec<(&str, usize)> = words.map(|(c, i)| (c.name, i)).collect();
    let value = value.as_ref();
    match (coordinate, &words[..]) {
        (Some(coordinate), _) => sensor.coordinate = coordinate.choice(&words).unwrap_or(0),
        (None, [_]) => {}
        (None, []) => {
            if let Some(value) = value {
                let message = format!("a {} joint has no coordinate", description.word);
                value.bad(
                    message,
                    "name another joint, or measure a distance of two points",
                );
            }
        }
        (None, _) => {
            if let Some(value) = value {
                let listed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                value.bad(
                    format!("a {} joint has several coordinates", description.word),
                    format!(
                        "write `coordinate = ` and one of \"{}\"",
                        listed.join("\", \"")
                    ),
                );
            }
        }
    }
}

fn joint_name<'w, B: Moving, J: JointKind>(
    value: &Value<'_>,
    joints: &'w [JointOf<B, J>],
) -> Option<(Name, &'w JointOf<B, J>)> {
    let name = value.name()?;
    let found = joints.iter().find(|joint| joint.name == name.text);
    if found.is_none() && !joints.iter().any(|joint| joint.name.is_empty()) {
        let known = joints.iter().map(|joint| joint.name.as_str());
        no_such(value, "no joint has the name", &name.text, known);
    }
    found.map(|joint| (name, joint))
}

fn component(t: &mut Table<'_>, kind: SensorKind) -> Option<usize> {
    use SensorKind::{
        Angle, AngularAcceleration, AngularVelocity, ContactMoment, JointMoment, Orientation,
    };
    let is_plane = t.log.dimension == Dimension::Plane;
    let words: &[(&str, usize)] = match kind {
        Angle => &[],
        AngularVelocity | AngularAcceleration | JointMoment | ContactMoment if is_plane => &[],
        Orientation => &[("w", 0), ("x", 1), ("y", 2), ("z", 3)],
        _ if is_plane => &[("x", 0), ("y", 1)],
        _ => &[("x", 0), ("y", 1), ("z", 2)],
    };
    let value = t.get("component")?;
    if words.is_empty() {
        value.bad(
            format!("in the plane this {} has a single component", kind.word()),
            "remove `component`",
        );
        return None;
    }
    value.choice(words)
}
