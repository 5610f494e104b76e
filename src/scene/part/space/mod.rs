//! The parts of a scene in space, one file each.
mod body;
mod contact;
mod copies;
mod inertia;
mod orientation;
mod shape;

use super::{Mechanism, Names, belt};
use crate::scene::error::Place;
use crate::scene::load::Files;
use crate::scene::read::Table;
use crate::scene::spec::friction::{Clutch, ClutchKind};
use crate::scene::spec::space::{Joint, Triple};
use crate::scene::spec::{Rope, Space};

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
        ropes,
    } = Mechanism::read(t, files, |t, names| body::read(t, names, files));
    if in_time_stepping {
        refuse_in_time_stepping(t, (&joints, &clutches, &ropes));
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
        bodies.extend(ropes.iter().filter_map(body::of_reel));
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
        ropes,
    }
}

// mechanisms that only the event-driven integrator has
fn refuse_in_time_stepping(
    t: &mut Table<'_>,
    (joints, clutches, ropes): (&[Joint], &[Clutch<Triple>], &[Rope<Triple>]),
) {
    let refuse = |place: &Place, key: &str, message: &str| {
        let hint = "remove `integrator = \"time_stepping\"`: the event-driven integrator has them";
        t.log.add(place.clone(), key, message, hint);
    };
    for joint in joints {
        if joint.motor.as_ref().is_some_and(|m| m.limit.is_some()) {
            let message = "limits of motors that prescribe a speed or position are not available with time stepping";
            refuse(&joint.place, "joint.motor.limit", message);
        }
        if joint
            .limits
            .iter()
            .flatten()
            .any(|limits| limits.compliance.is_some())
        {
            let message = "compliant stops are not available with time stepping";
            refuse(&joint.place, "joint.limit_stiffness", message);
        }
    }
    for clutch in clutches.iter().filter(|c| c.kind == ClutchKind::OneWay) {
        let message = "one-way clutches are not available with time stepping";
        refuse(&clutch.place, "clutch.kind", message);
    }
    for rope in ropes {
        let message = "ropes are not available with time stepping";
        refuse(&rope.place, "rope", message);
    }
}
