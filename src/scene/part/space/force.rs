//! `[[force]]` in space: what pushes.

use super::joint::{check_anchors, coordinate, word};
use crate::scene::part::force::{moving, read_stribeck, read_viscous};
use crate::scene::part::{Names, no_such, nobody, side, signal, two_bodies};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Body, Coordinate, ForceKind, Joint, Triple};
use crate::scene::spec::{Force, Frame, Name, Signal};
use crate::scene::value::Value;

/// The kinds of force elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spring,
    Damper,
    SpringDamper,
    JointSpring,
    Applied,
    Viscous,
    Stribeck,
}

const KINDS: &[(&str, Kind)] = &[
    ("spring", Kind::Spring),
    ("damper", Kind::Damper),
    ("spring_damper", Kind::SpringDamper),
    ("joint_spring", Kind::JointSpring),
    ("applied", Kind::Applied),
    ("viscous", Kind::Viscous),
    ("stribeck", Kind::Stribeck),
];

/// Every key that some force element has.
const ALL_KEYS: &[&str] = &[
    "anchors",
    "angular",
    "bodies",
    "body",
    "coordinate",
    "damping",
    "force",
    "frame",
    "joint",
    "kind",
    "kinetic_friction",
    "linear",
    "name",
    "point",
    "rest",
    "rest_length",
    "static_friction",
    "stiffness",
    "stribeck_rate",
    "torque",
    "transition_rate",
    "viscous",
];

/// What a force element can act on.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// All joints.
    pub joints: &'a [Joint],
}

/// Reads one force element. Bodies and joints must have been read.
pub fn read(mut t: Table<'_>, names: &mut Names, world: World<'_>) -> Force<ForceKind> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let element = match kind {
        Some(Kind::Spring | Kind::Damper | Kind::SpringDamper) => {
            spring_damper(&mut t, kind, world)
        }
        Some(Kind::JointSpring) => joint_spring(&mut t, world),
        Some(Kind::Applied) => applied(&mut t, world),
        Some(Kind::Viscous) => viscous(&mut t, world),
        Some(Kind::Stribeck) => stribeck(&mut t, world),
        None => None,
    };
    match kind {
        Some(Kind::Spring) => t.finish("a spring"),
        Some(Kind::Damper) => t.finish("a damper"),
        Some(Kind::SpringDamper) => t.finish("a spring_damper"),
        Some(Kind::JointSpring) => t.finish("a joint_spring"),
        Some(Kind::Applied) => t.finish("an applied force"),
        Some(Kind::Viscous) => t.finish("a viscous element"),
        Some(Kind::Stribeck) => t.finish("a stribeck element"),
        None => t.finish_with("a force", ALL_KEYS),
    }
    // What could not be read pushes nothing.
    let nothing = ForceKind::Viscous {
        bodies: [nobody(), nobody()],
        linear: 0.0,
        angular: 0.0,
    };
    Force {
        place,
        name,
        kind: element.unwrap_or(nothing),
    }
}

/// Each getter runs before the first `?`, so that one problem does not hide another.
fn spring_damper(t: &mut Table<'_>, kind: Option<Kind>, world: World<'_>) -> Option<ForceKind> {
    let names = t.need("bodies").and_then(|v| two_bodies(&v, world.bodies));
    let value = t.need("anchors");
    let anchors = value.as_ref().and_then(|v| v.two_triples());
    let (mut stiffness, mut damping, mut rest_length) = (Some(0.0), Some(0.0), None);
    if kind != Some(Kind::Damper) {
        stiffness = t.need_number("stiffness", Range::NOT_NEGATIVE);
        rest_length = t.number("rest_length", Range::NOT_NEGATIVE);
    }
    if kind != Some(Kind::Spring) {
        damping = t.need_number("damping", Range::NOT_NEGATIVE);
    }
    let bodies = names?;
    let sides = [
        side(&bodies[0].text, world.bodies),
        side(&bodies[1].text, world.bodies),
    ];
    check_anchors(value.as_ref()?, anchors?, &bodies, sides);
    Some(ForceKind::SpringDamper {
        bodies,
        anchors: anchors?,
        stiffness: stiffness?,
        damping: damping?,
        rest_length,
    })
}

fn joint_spring(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let place = joint(t, world, "a joint_spring acts");
    let stiffness = t.number_or("stiffness", Range::NOT_NEGATIVE, 0.0);
    let damping = t.number_or("damping", Range::NOT_NEGATIVE, 0.0);
    let rest = t.number("rest", Range::ANY);
    if !t.has("stiffness") && !t.has("damping") {
        let message = "a joint_spring needs `stiffness`, `damping` or both";
        let hint = "write for example `stiffness = 100.0` (N m/rad or N/m)";
        t.log
            .absent(t.place.clone(), &t.path_of("stiffness"), message, hint);
    }
    let (joint, coordinate) = place?;
    Some(ForceKind::JointSpring {
        joint,
        coordinate,
        stiffness,
        damping,
        rest,
    })
}

fn stribeck(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let place = joint(t, world, "stribeck friction acts");
    let law = read_stribeck(t)?;
    let (joint, coordinate) = place?;
    Some(ForceKind::Stribeck {
        joint,
        coordinate,
        static_friction: law.static_friction,
        kinetic_friction: law.kinetic_friction,
        stribeck_rate: law.stribeck_rate,
        transition_rate: law.transition_rate,
        viscous: law.viscous,
    })
}

fn applied(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let body = t.need("body").and_then(|v| moving(&v, world.bodies));
    let on_point = body
        .as_ref()
        .is_some_and(|b| side(&b.text, world.bodies).is_point());
    let frame = t.choice_or(
        "frame",
        &[("world", Frame::World), ("body", Frame::Body)],
        Frame::World,
    );
    let point: Triple = t.triple_or("point", [0.0; 3]);
    if on_point
        && point != [0.0; 3]
        && let Some(value) = t.get("point")
    {
        let message = "a force on a point body acts at its centre";
        value.bad(
            message,
            "remove `point`, or write `kind = \"rigid\"` in the body",
        );
    }

    let force = t.get("force").map(|value| three_signals(&value));
    let torque = t.get("torque").map(|value| {
        let torque = three_signals(&value)?;
        if on_point && !torque.iter().all(signal::is_zero) {
            let message = "a torque has no effect on a point body, which does not rotate";
            value.bad(
                message,
                "remove `torque`, or write `kind = \"rigid\"` in the body",
            );
        }
        Some(torque)
    });
    if force.is_none() && torque.is_none() {
        let message = "an applied force needs `force`, `torque` or both";
        let hint = "write for example `force = [8.0, 0.0, 0.0]` (N)";
        t.log
            .absent(t.place.clone(), &t.path_of("force"), message, hint);
    }
    let zero = || Some([0.0; 3].map(Signal::Constant));
    Some(ForceKind::Applied {
        body: body?,
        point,
        frame,
        force: force.unwrap_or_else(zero)?,
        torque: torque.unwrap_or_else(zero)?,
    })
}

fn three_signals(value: &Value<'_>) -> Option<[Signal; 3]> {
    let axes: [Value<'_>; 3] = value.several("one number or signal for each of three axes")?;
    let [x, y, z] = axes.map(|axis| signal::read(&axis));
    Some([x?, y?, z?])
}

fn viscous(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let (bodies, linear, angular) = read_viscous(t, world.bodies)?;
    Some(ForceKind::Viscous {
        bodies,
        linear,
        angular,
    })
}

/// A joint and one of its coordinates; `what` is "a joint_spring acts" or the like.
fn joint(t: &mut Table<'_>, world: World<'_>, what: &str) -> Option<(Name, Coordinate)> {
    let found = t
        .need("joint")
        .and_then(|value| joint_name(&value, world, what));
    let Some((name, joint)) = found else {
        // Asked for, so that it is a key of the element whatever the joint is.
        t.get("coordinate");
        return None;
    };
    Some((name, coordinate(t, &joint.kind)?))
}

fn joint_name<'w>(value: &Value<'_>, world: World<'w>, what: &str) -> Option<(Name, &'w Joint)> {
    let name = value.name()?;
    let Some(joint) = world.joints.iter().find(|j| j.name == name.text) else {
        // Where a joint lost its name, a reference to it would be a consequence.
        if !world.joints.iter().any(|j| j.name.is_empty()) {
            no_such(
                value,
                "no joint has the name",
                &name.text,
                world.joints.iter().map(|j| j.name.as_str()),
            );
        }
        return None;
    };
    if joint.kind.coordinates().is_empty() {
        let message = format!(
            "{what} at a revolute, prismatic or cylindrical joint, \"{}\" is {}",
            name.text,
            word(&joint.kind)
        );
        value.bad(
            message,
            "name another joint, or use a spring_damper between two points",
        );
        return None;
    }
    Some((name, joint))
}
