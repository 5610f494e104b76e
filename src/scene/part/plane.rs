//! The parts of a planar scene.

use super::{Mechanism, Names, belt, body, contact};
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::Plane;

/// Reads all parts.
pub fn read(t: &mut Table<'_>, files: Files<'_>) -> Plane {
    let gravity = t.vector_or("gravity", [0.0, -9.81]);
    let Mechanism {
        mut bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        flanges,
        sensors,
        ropes,
    } = Mechanism::read(t, files, |t, names| [body::read(t, names, files)]);
    let law = t
        .get("contact_default")
        .and_then(|v| v.as_table(v.path.clone()));
    let contact_default = law.map_or(contact::DEFAULT, contact::read_default);
    let tables = t.items("contact").into_iter();
    let contact_rules: Vec<_> = tables
        .map(|t| contact::read_rule(t, contact_default, &bodies, &ground))
        .collect();
    let mut names = Names::new("belts");
    let tables = t.items("belt").into_iter();
    let belts: Vec<_> = tables
        .map(|t| belt::read(t, &mut names, &ground, &bodies))
        .collect();
    bodies.extend(belts.iter().map(body::of_belt));
    bodies.extend(ropes.iter().filter_map(body::of_reel));
    Plane {
        gravity,
        bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        flanges,
        sensors,
        contact_default,
        contact_rules,
        belts,
        ropes,
    }
}
