//! The parts of a planar scene.

use super::{Mechanism, body, contact};
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::Plane;

/// Reads all parts.
pub fn read(t: &mut Table<'_>, files: Files<'_>) -> Plane {
    let gravity = t.vector_or("gravity", [0.0, -9.81]);
    let Mechanism {
        bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        sensors,
    } = Mechanism::read(t, files, |t, names| [body::read(t, names, files)]);
    let law = t
        .get("contact_default")
        .and_then(|v| v.as_table(v.path.clone()));
    let contact_default = law.map_or(contact::DEFAULT, contact::read_default);
    let tables = t.items("contact").into_iter();
    let contact_rules: Vec<_> = tables
        .map(|t| contact::read_rule(t, contact_default, &bodies, &ground))
        .collect();
    Plane {
        gravity,
        bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        sensors,
        contact_default,
        contact_rules,
    }
}
