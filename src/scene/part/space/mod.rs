//! The parts of a scene in space, one file each.
mod belt;
mod body;
mod contact;
mod copies;
mod inertia;
mod orientation;
mod shape;

use super::shape as part_shape;
use super::{Names, coupling, force, joint, need_bodies};
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::Space;

/// Reads all parts. Bodies are read before the parts that refer to them, regardless of their order in the file.
pub fn read(t: &mut Table<'_>, files: Files<'_>, in_time_stepping: bool) -> Space {
    let gravity = t.vector_or("gravity", [0.0, 0.0, -9.81]);

    let tables = t.items("body");
    need_bodies(t, &tables);
    let mut names = Names::new("bodies");
    let bodies: Vec<_> = tables
        .into_iter()
        .flat_map(|t| body::read(t, &mut names, files))
        .collect();

    let mut ground = Vec::new();
    if let Some(mut table) = t.get("ground").and_then(|v| v.as_table(v.path.clone())) {
        ground = part_shape::read_all(table.items("shape"), part_shape::Owner::Ground, files);
        table.finish("[ground]");
    }

    let mut names = Names::new("joints");
    let tables = t.items("joint").into_iter();
    let joints: Vec<_> = tables
        .map(|t| joint::read(t, &mut names, &bodies))
        .collect();

    let mut names = Names::new("couplings");
    let tables = t.items("coupling").into_iter();
    let couplings: Vec<_> = tables
        .map(|t| coupling::read(t, &mut names, &joints))
        .collect();

    let mut names = Names::new("forces");
    let world = force::World {
        bodies: &bodies,
        joints: &joints,
    };
    let tables = t.items("force").into_iter();
    let forces: Vec<_> = tables.map(|t| force::read(t, &mut names, world)).collect();

    let law = t
        .get("contact_default")
        .and_then(|v| v.as_table(v.path.clone()));
    let contact_default = law.map_or(contact::DEFAULT, |t| {
        contact::read_default(t, in_time_stepping)
    });
    let tables = t.items("contact").into_iter();
    let contact_rules: Vec<_> = tables
        .map(|t| contact::read_rule(t, contact_default, &bodies, &ground, in_time_stepping))
        .collect();

    let mut names = Names::new("belts");
    let tables = t.items("belt").into_iter();
    let belts: Vec<_> = tables
        .map(|t| belt::read(t, &mut names, &ground, in_time_stepping))
        .collect();

    Space {
        gravity,
        bodies,
        ground,
        joints,
        couplings,
        forces,
        contact_default,
        contact_rules,
        belts,
    }
}
