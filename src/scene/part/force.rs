//! `[[force]]`: what pushes.

use super::joint::check_anchors;
use super::{Moving, Names, Side, body_name, no_such, nobody, side, signal, two_bodies};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Body, Force, ForceKind, Frame, Joint, JointKind, Name, Pair, Signal};
use crate::scene::value::Value;

/// The kinds of force elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spring,
    Damper,
    SpringDamper,
    Torsional,
    Applied,
    Viscous,
    Stribeck,
}

const KINDS: &[(&str, Kind)] = &[
    ("spring", Kind::Spring),
    ("damper", Kind::Damper),
    ("spring_damper", Kind::SpringDamper),
    ("torsional", Kind::Torsional),
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
    "damping",
    "force",
    "frame",
    "joint",
    "kind",
    "kinetic_friction",
    "linear",
    "name",
    "point",
    "rest_angle",
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
pub fn read(mut t: Table<'_>, names: &mut Names, world: World<'_>) -> Force {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let element = match kind {
        Some(Kind::Spring | Kind::Damper | Kind::SpringDamper) => {
            spring_damper(&mut t, kind, world)
        }
        Some(Kind::Torsional) => torsional(&mut t, world),
        Some(Kind::Applied) => applied(&mut t, world),
        Some(Kind::Viscous) => viscous(&mut t, world),
        Some(Kind::Stribeck) => stribeck(&mut t, world),
        None => None,
    };
    match kind {
        Some(Kind::Spring) => t.finish("a spring"),
        Some(Kind::Damper) => t.finish("a damper"),
        Some(Kind::SpringDamper) => t.finish("a spring_damper"),
        Some(Kind::Torsional) => t.finish("a torsional element"),
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
    let anchors = value.as_ref().and_then(|v| v.two_pairs());
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

fn torsional(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let joint = joint(
        t,
        world,
        "a torsional element acts at a revolute joint",
        |kind| matches!(kind, JointKind::Revolute { .. }),
    );
    let stiffness = t.number_or("stiffness", Range::NOT_NEGATIVE, 0.0);
    let damping = t.number_or("damping", Range::NOT_NEGATIVE, 0.0);
    let rest_angle = t.number("rest_angle", Range::ANY);
    if !t.has("stiffness") && !t.has("damping") {
        let message = "a torsional element needs `stiffness`, `damping` or both";
        let hint = "write for example `stiffness = 100.0` (N m/rad)";
        t.log
            .absent(t.place.clone(), &t.path_of("stiffness"), message, hint);
    }
    Some(ForceKind::Torsional {
        joint: joint?,
        stiffness,
        damping,
        rest_angle,
    })
}

fn stribeck(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let joint = joint(
        t,
        world,
        "stribeck friction acts at a revolute or prismatic joint",
        |kind| match kind {
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => true,
            JointKind::Fixed | JointKind::Distance { .. } => false,
        },
    );
    let law = read_stribeck(t)?;
    Some(ForceKind::Stribeck {
        joint: joint?,
        static_friction: law.static_friction,
        kinetic_friction: law.kinetic_friction,
        stribeck_rate: law.stribeck_rate,
        transition_rate: law.transition_rate,
        viscous: law.viscous,
    })
}

/// The numbers of smooth friction; their units are those of `ForceKind::Stribeck`.
pub struct StribeckLaw {
    /// At break-away.
    pub static_friction: f64,
    /// At speed.
    pub kinetic_friction: f64,
    /// Between the two.
    pub stribeck_rate: f64,
    /// Of the smoothed jump.
    pub transition_rate: f64,
    /// In addition.
    pub viscous: f64,
}

/// Reads the numbers of a stribeck element.
pub fn read_stribeck(t: &mut Table<'_>) -> Option<StribeckLaw> {
    let static_friction = t.need_number("static_friction", Range::NOT_NEGATIVE);
    let kinetic_friction = t.need_number("kinetic_friction", Range::NOT_NEGATIVE);
    let stribeck_rate = t.need_number("stribeck_rate", Range::POSITIVE);
    let transition_rate = t.need_number("transition_rate", Range::POSITIVE);
    let viscous = t.number_or("viscous", Range::NOT_NEGATIVE, 0.0);
    let (static_friction, kinetic_friction) = (static_friction?, kinetic_friction?);
    if static_friction < kinetic_friction
        && let Some(value) = t.get("static_friction")
    {
        let message = format!(
            "static_friction {static_friction} is below kinetic_friction {kinetic_friction}"
        );
        value.bad(
            message,
            "friction at break-away is the larger of the two, or equal",
        );
    }
    Some(StribeckLaw {
        static_friction,
        kinetic_friction,
        stribeck_rate: stribeck_rate?,
        transition_rate: transition_rate?,
        viscous,
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
    let point: Pair = t.pair_or("point", [0.0; 2]);
    if on_point
        && point != [0.0; 2]
        && let Some(value) = t.get("point")
    {
        let message = "a force on a point body acts at its centre";
        value.bad(
            message,
            "remove `point`, or write `kind = \"rigid\"` in the body",
        );
    }

    let zero = [Signal::Constant(0.0), Signal::Constant(0.0)];
    let force = t.get("force").map(|value| {
        let [x, y] = value.two("one number or signal for each axis")?;
        let (x, y) = (signal::read(&x), signal::read(&y));
        Some([x?, y?])
    });
    let torque = t.get("torque").map(|value| {
        let torque = signal::read(&value)?;
        if on_point && !signal::is_zero(&torque) {
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
        let hint = "write for example `force = [8.0, 0.0]` (N)";
        t.log
            .absent(t.place.clone(), &t.path_of("force"), message, hint);
    }
    Some(ForceKind::Applied {
        body: body?,
        point,
        frame,
        force: force.unwrap_or(Some(zero))?,
        torque: torque.unwrap_or(Some(Signal::Constant(0.0)))?,
    })
}

fn viscous(t: &mut Table<'_>, world: World<'_>) -> Option<ForceKind> {
    let (bodies, linear, angular) = read_viscous(t, world.bodies)?;
    Some(ForceKind::Viscous {
        bodies,
        linear,
        angular,
    })
}

/// Bodies, `linear` and `angular` of a viscous element.
pub fn read_viscous<B: Moving>(t: &mut Table<'_>, all: &[B]) -> Option<([Name; 2], f64, f64)> {
    let bodies = t.need("bodies").and_then(|value| {
        let list = value.list("names of one or two bodies")?;
        let second = match &list[..] {
            // The second body is the ground if nothing is said.
            [_] => Some(Name {
                text: super::GROUND.to_owned(),
                place: value.place.clone(),
            }),
            [_, second] => body_name(second, all),
            _ => {
                value.bad(
                    format!("expected one or two bodies, found a list of {}", list.len()),
                    "name the body first, then what it moves against",
                );
                return None;
            }
        };
        let first = moving(&list[0], all);
        let (first, second) = (first?, second?);
        if first.text == second.text {
            value.bad(
                "both are the same body",
                "name two different bodies, or the first one only",
            );
        }
        Some([first, second])
    });
    let linear = t.number_or("linear", Range::NOT_NEGATIVE, 0.0);
    let angular = t.number_or("angular", Range::NOT_NEGATIVE, 0.0);
    if !t.has("linear") && !t.has("angular") {
        let message = "a viscous element needs `linear`, `angular` or both";
        let hint = "write for example `linear = 0.5` (N s/m)";
        t.log
            .absent(t.place.clone(), &t.path_of("linear"), message, hint);
    }
    let bodies = bodies?;
    let point = bodies.iter().any(|name| side(&name.text, all).is_point());
    if point
        && angular != 0.0
        && let Some(value) = t.get("angular")
    {
        let message = "a point body does not rotate, so there is nothing to resist";
        value.bad(
            message,
            "remove `angular`, or write `kind = \"rigid\"` in the body",
        );
    }
    Some((bodies, linear, angular))
}

/// The name of a body that can move.
pub fn moving<B: Moving>(value: &Value<'_>, bodies: &[B]) -> Option<Name> {
    let name = body_name(value, bodies)?;
    if matches!(side(&name.text, bodies), Side::Ground) {
        value.bad(
            "the ground does not move, so a force on it has no effect",
            "name a moving body",
        );
    }
    Some(name)
}

/// The name of a joint of a kind that `fits`; `rule` says which.
fn joint(
    t: &mut Table<'_>,
    world: World<'_>,
    rule: &str,
    fits: impl Fn(&JointKind) -> bool,
) -> Option<Name> {
    let value = t.need("joint")?;
    let name = value.name()?;
    let Some(joint) = world.joints.iter().find(|j| j.name == name.text) else {
        // Where a joint lost its name, a reference to it would be a consequence.
        if !world.joints.iter().any(|j| j.name.is_empty()) {
            no_such(
                &value,
                "no joint has the name",
                &name.text,
                world.joints.iter().map(|j| j.name.as_str()),
            );
        }
        return None;
    };
    if !fits(&joint.kind) {
        let kind = match joint.kind {
            JointKind::Revolute { .. } => "revolute",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
        };
        let message = format!("{rule}, \"{}\" is {kind}", name.text);
        value.bad(
            message,
            "name another joint, or use a spring_damper between two points",
        );
        return None;
    }
    let point = joint
        .bodies
        .iter()
        .any(|b| side(&b.text, world.bodies).is_point());
    if point && matches!(joint.kind, JointKind::Revolute { .. }) {
        let message = format!(
            "the joint \"{}\" holds a point body, which has no angle",
            name.text
        );
        value.bad(message, "write `kind = \"rigid\"` in that body");
    }
    Some(name)
}
