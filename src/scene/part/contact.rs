//! `[contact_default]` and `[[contact]]`: friction and restitution.

use super::{GROUND, Moving, no_such, nobody, two_bodies};
use crate::kinds::compliance::Compliance;
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{Body, ContactMaterial, ContactPair, ContactRule, Friction, Name, Shape};
use crate::scene::value::{Value, one_of};

/// Larger coefficients are rejected as errors: they make no difference to sticking.
const FRICTION: Range = Range::new("from 0 to 1000", 0.0, 1e3);

/// Larger coefficients cause a warning: soft rubber on dry asphalt has less than half of this.
const USUAL_FRICTION: f64 = 5.0;

/// No friction, no restitution.
pub const DEFAULT: ContactMaterial = ContactMaterial {
    friction: Friction {
        sliding: 0.0,
        falling: None,
    },
    restitution: 0.0,
    tangential_restitution: 0.0,
    compliance: None,
    enabled: true,
};

/// Reads `[contact_default]`.
pub fn read_default(mut t: Table<'_>) -> ContactMaterial {
    let material = read_material(&mut t, DEFAULT);
    t.finish("[contact_default]");
    material
}

/// Reads one `[[contact]]`. Bodies and the ground must have been read.
pub fn read_rule(
    mut t: Table<'_>,
    default: ContactMaterial,
    bodies: &[Body],
    ground: &[Shape],
) -> ContactRule {
    let place = t.place.clone();
    let material = read_material(&mut t, default);
    let shapes = bodies.iter().flat_map(|body| &body.shapes).chain(ground);
    let materials = shapes.filter_map(|shape| shape.material.as_deref());
    let pair = read_pair(&mut t, bodies, materials, None::<std::iter::Empty<&str>>);
    t.finish("a contact rule");
    ContactRule {
        place,
        pair,
        material,
    }
}

/// The pair of a rule: one of `bodies`, `groups` (in space) and `materials`.
pub fn read_pair<'k, B: Moving>(
    t: &mut Table<'_>,
    bodies: &[B],
    materials: impl Iterator<Item = &'k str>,
    groups: Option<impl Iterator<Item = &'k str>>,
) -> ContactPair {
    let keys: &[&'static str] = match groups {
        Some(_) => &["bodies", "groups", "materials"],
        None => &["bodies", "materials"],
    };
    let given: Vec<Value<'_>> = keys.iter().filter_map(|key| t.get(key)).collect();
    if let [first, second, ..] = &given[..] {
        let message = format!(
            "a rule applies to `{}` or to `{}`, not both",
            first.key, second.key
        );
        let hint = format!(
            "write two rules; their order of precedence is {}",
            keys.join(", ")
        );
        second.bad(message, hint);
    }
    let Some(value) = given.first() else {
        let listed: Vec<String> = keys.iter().rev().map(|key| format!("`{key}`")).collect();
        let listed = one_of(&listed);
        let message = format!("the rule names no pair: {listed} is missing");
        let written: Vec<String> = keys
            .iter()
            .rev()
            .map(|key| format!("`{key} = [\"a\", \"b\"]`"))
            .collect();
        let hint = format!(
            "write {}; properties of all pairs belong in `[contact_default]`",
            one_of(&written)
        );
        t.log
            .absent(t.place.clone(), &t.path_of("materials"), message, hint);
        return ContactPair::Bodies([nobody(), nobody()]);
    };
    let pair = match (value.key, groups) {
        ("groups", Some(groups)) => two_groups(value, groups).map(ContactPair::Groups),
        ("materials", _) => {
            let expected = "two names of materials";
            two_of(value, expected, "no shape has the material", materials)
                .map(ContactPair::Materials)
        }
        _ => two_bodies(value, bodies).map(ContactPair::Bodies),
    };
    pair.unwrap_or_else(|| ContactPair::Bodies([nobody(), nobody()]))
}

fn two_groups<'k>(value: &Value<'_>, groups: impl Iterator<Item = &'k str>) -> Option<[Name; 2]> {
    let known = groups.chain([GROUND]);
    let names = two_of(value, "two names of groups", "no body has the group", known)?;
    if names.iter().all(|name| name.text == GROUND) {
        value.bad(
            "the ground has no contact with itself",
            "name the group of a body",
        );
    }
    Some(names)
}

fn read_material(t: &mut Table<'_>, default: ContactMaterial) -> ContactMaterial {
    let friction = read_friction(t, default.friction);
    read_rest(t, friction, default)
}

fn read_friction(t: &mut Table<'_>, default: Friction) -> Friction {
    let own = t.get("friction").and_then(|value| coefficient(&value));
    let sliding = own.unwrap_or(default.sliding);
    let inherited = default.falling.filter(|_| own.is_none());
    let at_rest = t.get("static_friction");
    let velocity = read_stribeck(t, at_rest.is_some() || inherited.is_some());
    if let (Some(value), None, None) = (&at_rest, t.get("stribeck_velocity"), inherited) {
        value.bad(
            "static friction of a contact in the plane needs `stribeck_velocity`",
            t.log.example("stribeck_velocity"),
        );
    }
    let at_rest = at_rest.and_then(|value| {
        let coefficient = coefficient(&value)?;
        check_static(&value, coefficient, sliding);
        Some(coefficient)
    });
    let at_rest = at_rest.or(inherited.map(|(coefficient, _)| coefficient));
    let velocity = velocity.or(inherited.map(|(_, velocity)| velocity));
    Friction {
        sliding,
        falling: at_rest.zip(velocity),
    }
}

/// A coefficient of friction.
pub fn coefficient(value: &Value<'_>) -> Option<f64> {
    let coefficient = value.number(FRICTION)?;
    if coefficient > USUAL_FRICTION {
        let message = format!("a friction coefficient of {coefficient} is unusually large");
        let hint = "check the decimal point: dry surfaces have 0.1 to 1, rubber up to about 2";
        let place = value.place.clone();
        value.log.warn(place, &value.path, &message, hint);
    }
    Some(coefficient)
}

/// The static coefficient must not be below the kinetic one.
pub fn check_static(value: &Value<'_>, coefficient: f64, kinetic: f64) {
    if coefficient < kinetic {
        value.bad(
            format!("static_friction {coefficient} is below friction {kinetic}"),
            "static friction must not be smaller than kinetic friction",
        );
    }
}

/// The Stribeck velocity.
pub fn read_stribeck(t: &mut Table<'_>, has_static: bool) -> Option<f64> {
    let value = t.get("stribeck_velocity")?;
    if !has_static {
        value.bad(
            "`stribeck_velocity` has no effect without `static_friction`",
            t.log.example("static_friction"),
        );
    }
    value.number(Range::POSITIVE)
}

/// All properties except friction.
pub fn read_rest<F>(
    t: &mut Table<'_>,
    friction: F,
    default: ContactMaterial<F>,
) -> ContactMaterial<F> {
    let restitution = t.number_or("restitution", Range::UNIT, default.restitution);
    let tangential_restitution = t.number_or(
        "tangential_restitution",
        Range::UNIT,
        default.tangential_restitution,
    );
    let compliance = read_compliance(t, &CONTACT_COMPLIANCE, default.compliance);
    // a rule for a compliant pair has no restitution, whatever the default is
    let keep = |x: f64| if compliance.is_some() { 0.0 } else { x };
    ContactMaterial {
        friction,
        restitution: keep(restitution),
        tangential_restitution: keep(tangential_restitution),
        compliance,
        enabled: t.flag_or("enabled", default.enabled),
    }
}

/// Keys of a force law.
pub struct ComplianceKeys {
    stiffness: &'static str,
    exponent: &'static str,
    damping: &'static str,
    dissipation: &'static str,
    /// Of impacts, which compliant contacts do not have.
    restitution: &'static [&'static str],
}

impl ComplianceKeys {
    /// Without those of impacts.
    pub fn all(&self) -> [&'static str; 4] {
        [
            self.stiffness,
            self.exponent,
            self.damping,
            self.dissipation,
        ]
    }
}

/// Those of a contact.
const CONTACT_COMPLIANCE: ComplianceKeys = ComplianceKeys {
    stiffness: "stiffness",
    exponent: "exponent",
    damping: "damping",
    dissipation: "dissipation",
    restitution: &["restitution", "tangential_restitution"],
};

/// Those of the stops of a joint.
pub const LIMIT_COMPLIANCE: ComplianceKeys = ComplianceKeys {
    stiffness: "limit_stiffness",
    exponent: "limit_exponent",
    damping: "limit_damping",
    dissipation: "limit_dissipation",
    restitution: &["limit_restitution"],
};

/// Exponents of force laws: linear to cubic.
const EXPONENT: Range = Range::new("from 1 to 3", 1.0, 3.0);

/// The force law of a compliant contact, or the default; an infinite stiffness is a rigid contact.
pub fn read_compliance(
    t: &mut Table<'_>,
    keys: &ComplianceKeys,
    default: Option<Compliance>,
) -> Option<Compliance> {
    let stiffness = t.get(keys.stiffness);
    let rest = [keys.exponent, keys.damping, keys.dissipation].map(|key| t.get(key));
    let given = match &stiffness {
        Some(value) => value.number(Range::POSITIVE_OR_INFINITE),
        None => default.map(|compliance| compliance.stiffness),
    };
    let Some(stiffness) = given.filter(|k| k.is_finite()) else {
        if stiffness.is_none() || given.is_some() {
            for value in rest.iter().flatten() {
                value.bad(
                    format!("`{}` has no effect on a rigid contact", value.key),
                    t.log.example(keys.stiffness),
                );
            }
        }
        return None;
    };
    for key in keys.restitution {
        if let Some(value) = t.get(key) {
            value.bad(
                format!("a compliant contact has no `{key}`: its force law decides how it bounces"),
                format!(
                    "remove it, or write `{} = inf` for a rigid contact; `{}` is about 1.5 (1 - e)/v for a restitution of e at an approach speed of v",
                    keys.stiffness, keys.dissipation
                ),
            );
        }
    }
    let [exponent, damping, dissipation] = rest;
    let number = |value: Option<Value<'_>>, range: Range| value.and_then(|v| v.number(range));
    Some(Compliance {
        stiffness,
        exponent: number(exponent, EXPONENT)
            .or(default.map(|d| d.exponent))
            .unwrap_or(1.0),
        damping: number(damping, Range::NOT_NEGATIVE)
            .or(default.map(|d| d.damping))
            .unwrap_or(0.0),
        dissipation: number(dissipation, Range::NOT_NEGATIVE)
            .or(default.map(|d| d.dissipation))
            .unwrap_or(0.0),
    })
}

/// Two names out of `known`, possibly equal. `nothing` is for example "no shape has the material".
fn two_of<'k>(
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
