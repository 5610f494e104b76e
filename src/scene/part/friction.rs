//! `friction` of joints.

use super::joint::coordinate;
use super::{Moving, Side, signal};
use crate::kinds::joint::Description;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::sections::JOINT_FRICTION;
use crate::scene::spec::Signal;
use crate::scene::spec::friction::{FrictionBound, JointFriction};
use crate::scene::value::Value;

/// Friction at rest, relative to that while it slides.
const RATIO: Range = Range::new("1 or more, up to 1000", 1.0, 1000.0);

/// Reads `friction`: a table, or a list of them for several coordinates.
pub fn read<B: Moving>(
    value: &Value<'_>,
    joint: &'static Description,
    sides: [Side<'_, B>; 2],
) -> Vec<JointFriction> {
    let each = match value.is_list() {
        true => value
            .list("a table, or a list of tables")
            .unwrap_or_default(),
        false => vec![value.clone()],
    };
    let mut all: Vec<JointFriction> = Vec::new();
    for value in each {
        let Some(friction) = read_one(&value, joint, sides) else {
            continue;
        };
        if all.iter().any(|f| f.coordinate == friction.coordinate) {
            value.bad(
                "this coordinate of the joint has friction already",
                "keep one of the two",
            );
        }
        all.push(friction);
    }
    all
}

fn read_one<B: Moving>(
    value: &Value<'_>,
    joint: &'static Description,
    sides: [Side<'_, B>; 2],
) -> Option<JointFriction> {
    if !value.is_table() {
        let example = match joint.coordinates.first() {
            Some(first) if first.is_angle => {
                "write for example `friction = { torque = 0.5 }` (N m)"
            }
            _ => "write for example `friction = { force = 5.0 }` (N)",
        };
        value.wrong("a table", example);
        return None;
    }
    let mut t = value.as_table(value.path.clone())?;
    t.describe(JOINT_FRICTION);
    let coordinate = match joint.driven().next() {
        Some(_) => coordinate(&mut t, joint),
        None => angle(&mut t, joint),
    };
    let is_angle = coordinate.map(|i| joint.coordinates[i].is_angle);
    let bound = bound(&mut t, is_angle);
    let static_ratio = t.number_or("static_ratio", RATIO, 1.0);
    let stribeck_velocity = t.number("stribeck_velocity", Range::POSITIVE);
    let viscous = t.number_or("viscous", Range::NOT_NEGATIVE, 0.0);
    if stribeck_velocity.is_some()
        && static_ratio <= 1.0
        && let Some(value) = t.get("stribeck_velocity")
    {
        value.bad(
            "`stribeck_velocity` has no effect without `static_ratio` above 1",
            "write for example `static_ratio = 1.5`, or remove it",
        );
    }
    if is_angle == Some(true)
        && !joint.mounting.holds_orientation()
        && sides.iter().any(Side::is_point)
    {
        value.bad(
            "a point body has no angle that friction could resist",
            "remove `friction`, or write `kind = \"rigid\"` in that body",
        );
    }
    t.finish("friction of a joint");
    Some(JointFriction {
        coordinate: coordinate?,
        bound: bound?,
        static_ratio,
        stribeck_velocity,
        viscous,
    })
}

/// `coordinate` of a joint with several angles.
fn angle(t: &mut Table<'_>, joint: &'static Description) -> Option<usize> {
    let names: Vec<(&str, usize)> = joint
        .coordinates_with_friction()
        .map(|(i, c)| (c.name, i))
        .collect();
    if let Some(value) = t.get("coordinate") {
        return value.choice(&names);
    }
    t.log.absent(
        t.place.clone(),
        &t.path_of("coordinate"),
        format!(
            "a {} joint has two angles: `coordinate` must name one of them",
            joint.word
        ),
        "write `coordinate = \"angle_1\"` or `coordinate = \"angle_2\"`; for both, a list of two tables",
    );
    None
}

/// `torque` or `force`, or `coefficient` and `radius`.
fn bound(t: &mut Table<'_>, is_angle: Option<bool>) -> Option<FrictionBound> {
    let [torque, force] = [t.get("torque"), t.get("force")];
    let coefficient = t.get("coefficient");
    let radius = t.get("radius");
    let (limit, other, fitting) = match is_angle? {
        true => (torque, force, "torque"),
        false => (force, torque, "force"),
    };
    if let Some(other) = other {
        let message = match is_angle? {
            true => "friction about an axis is limited by a torque, not a force",
            false => "friction along a displacement is limited by a force, not a torque",
        };
        other.bad(message, format!("write `{fitting}`"));
        return None;
    }
    match (limit, coefficient) {
        (Some(_), Some(coefficient)) => {
            coefficient.bad(
                format!("`{fitting}` and `coefficient` are alternatives: a constant limit, or one proportional to the reaction"),
                "keep one of the two",
            );
            None
        }
        (Some(limit), None) => {
            if let Some(radius) = radius {
                let message = format!("`radius` has no effect with `{fitting}`");
                radius.bad(
                    message,
                    "remove it, or write `coefficient` in place of the limit",
                );
            }
            not_negative(&limit, signal::read(&limit)?).map(FrictionBound::Limit)
        }
        (None, Some(value)) => {
            let coefficient = value.number(Range::NOT_NEGATIVE);
            let radius = match (is_angle?, radius) {
                (true, Some(radius)) => radius.number(Range::POSITIVE),
                (true, None) => {
                    t.need_number("radius", Range::POSITIVE);
                    None
                }
                (false, Some(radius)) => {
                    radius.bad("friction along a displacement has no radius", "remove it");
                    None
                }
                (false, None) => Some(1.0),
            };
            Some(FrictionBound::Reaction {
                coefficient: coefficient?,
                radius: radius?,
            })
        }
        (None, None) => {
            let hint = match is_angle? {
                true => {
                    "write `torque = ` (N m), or `coefficient` and `radius` (m) of a friction proportional to the reaction"
                }
                false => {
                    "write `force = ` (N), or `coefficient` of a friction proportional to the reaction"
                }
            };
            t.log.absent(
                t.place.clone(),
                &t.path_of(fitting),
                "the friction has no limit",
                hint,
            );
            None
        }
    }
}

/// A signal that is never negative, as far as that is known.
pub fn not_negative(value: &Value<'_>, signal: Signal) -> Option<Signal> {
    let (lowest, verb) = match &signal {
        Signal::Constant(x) => (*x, "is"),
        Signal::Input { start } => (*start, "starts at"),
        Signal::Harmonic {
            amplitude, offset, ..
        } => (offset - amplitude.abs(), "falls to"),
        Signal::Table { values, .. } => {
            let lowest = values
                .iter()
                .copied()
                .fold(f64::INFINITY, crate::math::smaller);
            (lowest, "falls to")
        }
    };
    if lowest < 0.0 {
        value.bad(
            format!("`{}` {verb} {lowest}, below zero", value.key),
            "give values of zero or more: surfaces cannot pull on each other, and friction acts against the motion in both directions",
        );
        return None;
    }
    Some(signal)
}
