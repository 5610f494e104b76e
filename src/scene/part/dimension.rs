//! `dimension`: plane or space.

use toml::de::{DeTable, DeValue};

use crate::scene::format::Dimension;
use crate::scene::read::Table;

/// How the rest of the file is read. Where the key says neither 2 nor 3, by what the file looks like: `check` tells it.
pub fn of(root: &DeTable<'_>) -> Dimension {
    let Some(value) = root.get("dimension") else {
        return Dimension::Plane;
    };
    match value.get_ref() {
        DeValue::Integer(n) if n.as_str() == "2" => Dimension::Plane,
        DeValue::Integer(n) if n.as_str() == "3" => Dimension::Space,
        _ if looks_spatial(root) => Dimension::Space,
        _ => Dimension::Plane,
    }
}

/// Has the first body, or gravity, three coordinates?
fn looks_spatial(root: &DeTable<'_>) -> bool {
    let is_triple = |value: &DeValue<'_>| matches!(value, DeValue::Array(a) if a.len() == 3);
    let body = root.get("body").and_then(|b| b.get_ref().get(0));
    let position = body.and_then(|b| b.get_ref().get("position"));
    position.is_some_and(|p| is_triple(p.get_ref()))
        || root.get("gravity").is_some_and(|g| is_triple(g.get_ref()))
}

/// Refuses what is neither 2 nor 3.
pub fn check(t: &mut Table<'_>) {
    let Some(value) = t.get("dimension") else {
        return;
    };
    let hint = "write `dimension = 2` for the plane, `dimension = 3` for space";
    match value.value {
        DeValue::Integer(n) if matches!(n.as_str(), "2" | "3") => {}
        DeValue::Integer(n) => value.bad(format!("dimension must be 2 or 3, but is {n}"), hint),
        _ => value.wrong("2 or 3", hint),
    }
}
