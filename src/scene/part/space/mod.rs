//! The parts of a scene in space, one file each.
mod belt;
mod body;
mod contact;
mod copies;
mod inertia;
mod orientation;
mod shape;

use super::{Mechanism, Names};
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::Space;

/// Reads all parts.
pub fn read(t: &mut Table<'_>, files: Files<'_>, in_time_stepping: bool) -> Space {
    let gravity = t.vector_or("gravity", [0.0, 0.0, -9.81]);
    let Mechanism {
        bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        sensors,
    } = Mechanism::read(t, files, |t, names| body::read(t, names, files));
    if in_time_stepping {
        let joints = joints.iter().filter(|joint| !joint.friction.is_empty());
        let places = joints.map(|joint| (&joint.place, "joint.friction"));
        for (place, key) in places.chain(clutches.iter().map(|c| (&c.place, "clutch"))) {
            t.log.add(
                place.clone(),
                key,
                "dry friction in joints, clutches and brakes is not available with time stepping",
                "remove `integrator = \"time_stepping\"`: the event-driven integrator has them",
            );
        }
    }
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
        clutches,
        forces,
        sensors,
        contact_default,
        contact_rules,
        belts,
    }
}
