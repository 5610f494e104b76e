//! `[contact_default]` and `[[contact]]`: friction and restitution.

use super::{no_such, nobody, two_bodies};
use crate::scene::format::{Body, ContactLaw, ContactPair, ContactRule, Name, Shape};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::value::Value;

/// A coefficient above is a mistake: sticking is reached far below.
pub const FRICTION: Range = Range::new("from 0 to 1000", 0.0, 1e3);

/// Without friction, without bounce.
pub const DEFAULT: ContactLaw = ContactLaw {
    friction: 0.0,
    restitution: 0.0,
    tangential_restitution: 0.0,
    enabled: true,
};

/// Reads `[contact_default]`.
pub fn read_default(mut t: Table<'_>) -> ContactLaw {
    let law = read_law(&mut t, DEFAULT);
    t.finish("[contact_default]");
    law
}

/// Reads one `[[contact]]`. Bodies and the ground must have been read.
pub fn read_rule(
    mut t: Table<'_>,
    default: ContactLaw,
    bodies: &[Body],
    ground: &[Shape],
) -> ContactRule {
    let place = t.place.clone();
    let law = read_law(&mut t, default);
    let pair = match (t.get("materials"), t.get("bodies")) {
        (Some(materials), None) => {
            let shapes = bodies.iter().flat_map(|body| &body.shapes).chain(ground);
            let known = shapes.filter_map(|s| s.material.as_deref());
            two_of(
                &materials,
                "two names of materials",
                "no shape has the material",
                known,
            )
            .map(ContactPair::Materials)
        }
        (None, Some(names)) => two_bodies(&names, bodies).map(ContactPair::Bodies),
        (Some(_), Some(names)) => {
            names.bad(
                "a rule is for materials or for bodies, not both",
                "write two rules; the one for bodies goes first",
            );
            None
        }
        (None, None) => {
            let hint = "write `materials = [\"a\", \"b\"]` or `bodies = [\"a\", \"b\"]`; what holds for all goes to `[contact_default]`";
            let message =
                "the rule does not say for which pair: `materials` or `bodies` is missing";
            t.log
                .absent(t.place.clone(), &t.path_of("materials"), message, hint);
            None
        }
    };
    t.finish("a contact rule");
    let pair = pair.unwrap_or_else(|| ContactPair::Bodies([nobody(), nobody()]));
    ContactRule { place, pair, law }
}

fn read_law(t: &mut Table<'_>, default: ContactLaw) -> ContactLaw {
    let friction = t.number_or("friction", FRICTION, default.friction);
    read_rest(t, friction, default)
}

/// All but the friction.
pub fn read_rest<F>(t: &mut Table<'_>, friction: F, default: ContactLaw<F>) -> ContactLaw<F> {
    ContactLaw {
        friction,
        restitution: t.number_or("restitution", Range::UNIT, default.restitution),
        tangential_restitution: t.number_or(
            "tangential_restitution",
            Range::UNIT,
            default.tangential_restitution,
        ),
        enabled: t.flag_or("enabled", default.enabled),
    }
}

/// Two names of `known` ones; they may be the same. `nothing` is "no shape has the material" or the like.
pub fn two_of<'k>(
    value: &Value<'_>,
    expected: &str,
    nothing: &str,
    known: impl Iterator<Item = &'k str>,
) -> Option<[Name; 2]> {
    let [a, b] = value.two(expected)?;
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    known.dedup();
    let follow = |v: &Value<'_>| -> Option<Name> {
        let name = v.name()?;
        if !known.contains(&name.text.as_str()) {
            no_such(v, nothing, &name.text, known.iter().copied());
        }
        Some(name)
    };
    let (a, b) = (follow(&a), follow(&b));
    Some([a?, b?])
}
