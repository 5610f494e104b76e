//! `[contact_default]` and `[[contact]]` in space: friction and restitution.

use crate::scene::part::contact::{check_static, coefficient, read_pair, read_rest, read_stribeck};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::space::{Body, Friction, Geometry, Sliding};
use crate::scene::spec::{ContactMaterial, ContactRule, Shape};
use crate::scene::value::Value;

/// No friction, no restitution.
pub const DEFAULT: ContactMaterial<Friction> = ContactMaterial {
    friction: Friction {
        sliding: Sliding::Isotropic(0.0),
        static_friction: None,
        stribeck_velocity: None,
        torsional_friction: 0.0,
        rolling_friction: 0.0,
    },
    restitution: 0.0,
    tangential_restitution: 0.0,
    compliance: None,
    enabled: true,
};

/// Reads `[contact_default]`.
pub fn read_default(mut t: Table<'_>, in_time_stepping: bool) -> ContactMaterial<Friction> {
    let material = read_material(&mut t, DEFAULT, in_time_stepping);
    t.finish("[contact_default]");
    material
}

/// Reads one `[[contact]]`. Bodies and the ground must have been read.
pub fn read_rule(
    mut t: Table<'_>,
    default: ContactMaterial<Friction>,
    bodies: &[Body],
    ground: &[Shape<Geometry>],
    in_time_stepping: bool,
) -> ContactRule<Friction> {
    let place = t.place.clone();
    let material = read_material(&mut t, default, in_time_stepping);
    let shapes = bodies.iter().flat_map(|body| &body.shapes).chain(ground);
    let materials = shapes.filter_map(|shape| shape.material.as_deref());
    let groups = bodies.iter().filter_map(|body| body.group.as_deref());
    let pair = read_pair(&mut t, bodies, materials, Some(groups));
    t.finish("a contact rule");
    ContactRule {
        place,
        pair,
        material,
    }
}

fn read_material(
    t: &mut Table<'_>,
    default: ContactMaterial<Friction>,
    in_time_stepping: bool,
) -> ContactMaterial<Friction> {
    let friction = read_friction(t, default.friction);
    let material = read_rest(t, friction, default);
    if in_time_stepping {
        refuse_in_time_stepping(t, &material);
    }
    material
}

/// Time stepping has the same friction in all directions, and restitution only of the normal velocity.
fn refuse_in_time_stepping(t: &mut Table<'_>, material: &ContactMaterial<Friction>) {
    let is_elliptic = matches!(material.friction.sliding, Sliding::Elliptic { .. });
    let of_others = [
        (
            "friction_axes",
            is_elliptic,
            "with time stepping, friction is the same in all directions",
            "write `friction` in its place, or remove `integrator` from `[settings]`",
        ),
        (
            "tangential_restitution",
            material.tangential_restitution != 0.0,
            "with time stepping, restitution applies only to the normal velocity",
            "remove it, or remove `integrator` from `[settings]`",
        ),
        (
            "stiffness",
            material.compliance.is_some(),
            "with time stepping, contacts are rigid",
            "remove it, or remove `integrator` from `[settings]`",
        ),
    ];
    for (key, _, message, hint) in of_others.into_iter().filter(|(_, given, ..)| *given) {
        if let Some(value) = t.get(key) {
            value.bad(message, hint);
        }
    }
}

fn read_friction(t: &mut Table<'_>, default: Friction) -> Friction {
    let own = read_sliding(t);
    // Static coefficient and Stribeck velocity of the default belong to its kinetic coefficient.
    let (inherited, inherited_velocity) = match own {
        Some(_) => (None, None),
        None => (default.static_friction, default.stribeck_velocity),
    };
    let sliding = own.unwrap_or(default.sliding);
    let static_friction = t.get("static_friction").map(|value| {
        let coefficient = coefficient(&value)?;
        check_kind(&value, coefficient, sliding);
        Some(coefficient)
    });
    let has_static = static_friction.is_some() || inherited.is_some();
    Friction {
        sliding,
        static_friction: static_friction.unwrap_or(inherited),
        stribeck_velocity: read_stribeck(t, has_static).or(inherited_velocity),
        torsional_friction: t.number_or(
            "torsional_friction",
            Range::NOT_NEGATIVE,
            default.torsional_friction,
        ),
        rolling_friction: t.number_or(
            "rolling_friction",
            Range::NOT_NEGATIVE,
            default.rolling_friction,
        ),
    }
}

fn check_kind(value: &Value<'_>, coefficient: f64, sliding: Sliding) {
    match sliding {
        Sliding::Isotropic(kinetic) => check_static(value, coefficient, kinetic),
        Sliding::Elliptic { .. } => value.bad(
            "static_friction goes with `friction`, the same in all directions",
            "remove it, or write `friction` in place of `friction_axes`",
        ),
    }
}

/// `friction`, or `friction_axes` and `friction_axis`.
fn read_sliding(t: &mut Table<'_>) -> Option<Sliding> {
    let friction = t.get("friction");
    let axes = t.get("friction_axes");
    let axis = t.get("friction_axis");
    if let (Some(_), Some(axes)) = (&friction, &axes) {
        axes.bad(
            "`friction` and `friction_axes` are alternatives",
            "keep `friction` for all directions, or `friction_axes` with `friction_axis`",
        );
    }
    match (&axes, &axis) {
        (Some(_), None) => {
            let message = "`friction_axes` needs `friction_axis`, the direction of the first one";
            let hint = t.log.example("friction_axis");
            t.log
                .absent(t.place.clone(), &t.path_of("friction_axis"), message, hint);
        }
        (None, Some(axis)) => axis.bad(
            "`friction_axis` has no effect without `friction_axes`",
            t.log.example("friction_axes"),
        ),
        (Some(_), Some(_)) | (None, None) => {}
    }
    let coefficients = axes.and_then(|value| {
        let [along, across] = value.two("two coefficients")?;
        let (along, across) = (coefficient(&along), coefficient(&across));
        Some([along?, across?])
    });
    let axis = axis.and_then(|value| value.direction());
    if let Some(value) = friction {
        return coefficient(&value).map(Sliding::Isotropic);
    }
    Some(Sliding::Elliptic {
        coefficients: coefficients?,
        axis: axis?,
    })
}
