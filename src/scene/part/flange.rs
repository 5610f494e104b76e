//! `[[flange]]`: where another model is attached.

use super::force::{World, application_point, at_joint, moving};
use super::{Moving, Names, side};
use crate::kinds::force::{Attachment, Description};
use crate::kinds::joint::Kind as JointKind;
use crate::kinds::parameter::Parameter;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::Target;
use crate::scene::spec::flange::{Flange, FlangeSpring, FlangeTarget};

/// At a joint it refers to a coordinate like a force element.
const AT_JOINT: Description = Description {
    word: "flange",
    called: "a flange",
    text: "",
    attachment: Attachment::Joint,
    parameters: &[] as &[Parameter],
    check: None,
};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Force,
    Spring,
}

const KINDS: &[(&str, Kind)] = &[("force", Kind::Force), ("spring", Kind::Spring)];

/// Keys that only the one kind has.
const OF_SPRING: [(&str, &str); 2] = [("stiffness", "spring"), ("damping", "spring")];

/// Reads one flange. Bodies and joints must have been read.
pub fn read<B: Moving, J: JointKind>(
    mut t: Table<'_>,
    names: &mut Names,
    world: World<'_, B, J>,
) -> Option<Flange<B::Point>> {
    let place = t.place.clone();
    let name = names.take(&mut t);
    let kind = t.need_choice("kind", KINDS);
    let is_at_joint = t.has("joint");
    let on = match is_at_joint {
        true => of_joint(&mut t, world),
        false => of_body(&mut t, world.bodies),
    };
    let spring = (kind == Some(Kind::Spring)).then(|| FlangeSpring {
        stiffness: t
            .need_number("stiffness", Range::NOT_NEGATIVE)
            .unwrap_or(0.0),
        damping: t.number_or("damping", Range::NOT_NEGATIVE, 0.0),
    });
    let what = match kind {
        Some(Kind::Force) => "a flange of kind \"force\"",
        Some(Kind::Spring) => "a flange of kind \"spring\"",
        None => "a flange",
    };
    t.finish_kind(what, OF_SPRING.to_vec());
    kind?;
    Some(Flange {
        place,
        name,
        on: on?,
        spring,
    })
}

fn of_joint<B: Moving, J: JointKind>(
    t: &mut Table<'_>,
    world: World<'_, B, J>,
) -> Option<FlangeTarget<B::Point>> {
    for key in ["body", "point", "along"] {
        if let Some(value) = t.get(key) {
            value.bad(
                "a flange is either at a joint or at a point of a body",
                format!("remove `{key}`, or `joint`"),
            );
        }
    }
    match at_joint(
        t,
        &AT_JOINT,
        world,
        "name another joint, or a point of a body",
    )? {
        Target::Joint { joint, coordinate } => Some(FlangeTarget::Joint { joint, coordinate }),
        Target::Points { .. } | Target::Body { .. } | Target::Bodies(_) => None,
    }
}

fn of_body<B: Moving>(t: &mut Table<'_>, bodies: &[B]) -> Option<FlangeTarget<B::Point>> {
    let body = t.need("body").and_then(|v| moving(&v, bodies));
    let on_point = body
        .as_ref()
        .is_some_and(|b| side(&b.text, bodies).is_point());
    let point = application_point(t, on_point);
    let along = t.need_direction("along");
    Some(FlangeTarget::Point {
        body: body?,
        point,
        along: along?,
    })
}
