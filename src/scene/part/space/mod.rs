//! The parts of a scene in space, one file each.
mod body;
mod contact;
mod copies;
mod inertia;
mod orientation;
mod shape;

use super::{Mechanism, Names, belt};
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::Space;
use crate::scene::spec::friction::{Clutch, ClutchKind};

/// Reads all parts.
pub fn read(t: &mut Table<'_>, files: Files<'_>, in_time_stepping: bool) -> Space {
    let gravity = t.vector_or("gravity", [0.0, 0.0, -9.81]);
    let Mechanism {
        mut bodies,
        ground,
        joints,
        couplings,
        clutches,
        forces,
        flanges,
        sensors,
    } = Mechanism::read(t, files, |t, names| body::read(t, names, files));
    if in_time_stepping {
        let motors = joints.iter().filter(|joint| joint.motor.is_some());
        for joint in motors.filter(|j| j.motor.as_ref().and_then(|m| m.limit).is_some()) {
            t.log.add(
                joint.place.clone(),
                "joint.motor.limit",
                "a limit of a motor that prescribes a speed or position is not available with time stepping",
                "remove `integrator = \"time_stepping\"`: the event-driven integrator has it",
            );
        }
    }
    if in_time_stepping {
        let one_way = |clutch: &&Clutch<_>| clutch.kind == ClutchKind::OneWay;
        for clutch in clutches.iter().filter(one_way) {
            t.log.add(
                clutch.place.clone(),
                "clutch.kind",
                "one-way clutches are not available with time stepping",
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
        .map(|t| belt::read(t, &mut names, &ground, &bodies))
        .collect();
    if !in_time_stepping {
        bodies.extend(belts.iter().map(body::of_belt));
    }

    Space {
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
    }
}
