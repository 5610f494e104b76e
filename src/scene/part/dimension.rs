//! `dimension`: plane or space.

use toml::de::{DeTable, DeValue};

use crate::scene::read::Table;
use crate::scene::spec::Dimension;

/// Dimension for reading the rest of the file. If the key is neither 2 nor 3, which `check` reports, it is guessed from the file.
pub fn of(root: &DeTable<'_>) -> Dimension {
    let Some(value) = root.get("dimension") else {
        return Dimension::Plane;
    };
    said(value.get_ref()).unwrap_or(if looks_spatial(root) {
        Dimension::Space
    } else {
        Dimension::Plane
    })
}

fn said(value: &DeValue<'_>) -> Option<Dimension> {
    let DeValue::Integer(n) = value else {
        return None;
    };
    match u32::from_str_radix(n.as_str(), n.radix()) {
        Ok(2) => Some(Dimension::Plane),
        Ok(3) => Some(Dimension::Space),
        _ => None,
    }
}

/// Does the first body or gravity have three coordinates?
fn looks_spatial(root: &DeTable<'_>) -> bool {
    let is_triple = |value: &DeValue<'_>| matches!(value, DeValue::Array(a) if a.len() == 3);
    let body = root.get("body").and_then(|b| b.get_ref().get(0));
    let position = body.and_then(|b| b.get_ref().get("position"));
    position.is_some_and(|p| is_triple(p.get_ref()))
        || root.get("gravity").is_some_and(|g| is_triple(g.get_ref()))
}

/// Rejects values other than 2 and 3.
pub fn check(t: &mut Table<'_>) {
    let Some(value) = t.get("dimension") else {
        return;
    };
    let hint = "write `dimension = 2` for the plane, `dimension = 3` for space";
    match value.value {
        known if said(known).is_some() => {}
        DeValue::Integer(n) => value.bad(format!("dimension must be 2 or 3, but is {n}"), hint),
        _ => value.wrong("2 or 3", hint),
    }
}
