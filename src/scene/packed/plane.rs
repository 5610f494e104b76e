//! The fields of `format`, in the order in which they are packed.

use super::code::{Coded, Source, coded_enum, coded_struct};
use crate::scene::error::Problem;
use crate::scene::spec::settings::TimeStepping;
use crate::scene::spec::{
    Anchors, Body, BodyKind, ContactMaterial, ContactPair, ContactRule, EventState, Force,
    ForceKind, Frame, Friction, FrictionCone, Geometry, ImpactLaw, Integrator, Joint, JointKind,
    Limits, Name, Nominal, Parts, Plane, ReportedVelocity, Scene, Scheme, Settings, Shape, Signal,
};

coded_struct!(Scene {
    name,
    description,
    until,
    settings,
    parts,
    doubts,
});
coded_struct!(Problem {
    place,
    key,
    message,
    hint
});
coded_enum!(Parts { 0 Plane(parts), 1 Space(parts) });
coded_struct!(Plane {
    gravity,
    bodies,
    ground,
    joints,
    forces,
    contact_default,
    contact_rules
});
coded_enum!(Integrator { 0 EventDriven, 1 TimeStepping });
coded_struct!(TimeStepping {
    sweeps,
    located_impacts,
    merge_distance,
    sleep_speed,
    sleep_after,
    threads,
});
coded_struct!(Settings {
    integrator,
    time_stepping,
    scheme,
    step,
    tolerance,
    max_step,
    rows,
    nominal,
    active_gap,
    active_gap_cubic,
    locate_collisions,
    locate_transitions,
    event_state,
    projection,
    energy_correction,
    damping_steps,
    min_substep,
    max_substeps,
    max_step_work,
    impact_law,
    impact_energy_limit,
    restitution_threshold,
    reported_velocity,
    fixed_point_iterations,
    return_at_event,
    friction_cone,
});
coded_enum!(FrictionCone { 0 Exact, 1 Polyhedral { directions, turn } });
coded_struct!(Nominal {
    length,
    angle,
    speed,
    rotation
});
coded_enum!(Scheme {
    0 Trapezoidal,
    1 TrapezoidalPrinted,
    2 TrapezoidalAverage,
    3 Extrapolated,
    4 ImplicitEuler,
    5 ExplicitEuler,
    6 PositionEuler,
    7 General { alpha, gamma },
});
coded_enum!(EventState { 0 Restep, 1 Interpolant });
coded_enum!(ImpactLaw { 0 Poisson, 1 Newton, 2 Expedient, 3 PoissonPrinted });
coded_enum!(ReportedVelocity { 0 End, 1 Average });
coded_struct!(Body {
    place,
    name,
    kind,
    mass,
    inertia,
    position,
    angle,
    velocity,
    angular_velocity,
    shapes,
});
coded_enum!(BodyKind { 0 Point, 1 Rigid });
coded_struct!(Shape<G> { place, name, geometry, material });
coded_enum!(Geometry {
    0 Point { position },
    1 Circle { position, radius },
    2 Capsule { from, to, radius },
    3 Box { position, angle, size },
    4 Polygon { vertices },
    5 HalfPlane { point, normal },
});
coded_struct!(Joint {
    place,
    name,
    bodies,
    anchors,
    kind,
    contact
});
coded_struct!(Name { text, place });
coded_enum!(Anchors<P> { 0 Local(points), 1 World(point) });
coded_enum!(JointKind {
    0 Revolute { limits },
    1 Prismatic { axis, limits },
    2 Fixed,
    3 Distance { length },
});
coded_struct!(Limits {
    lower,
    upper,
    restitution
});
coded_struct!(Force<K> { place, name, kind });
coded_enum!(ForceKind {
    0 SpringDamper { bodies, anchors, stiffness, damping, rest_length },
    1 Torsional { joint, stiffness, damping, rest_angle },
    2 Applied { body, point, frame, force, torque },
    3 Viscous { bodies, linear, angular },
    4 Stribeck {
        joint,
        static_friction,
        kinetic_friction,
        stribeck_rate,
        transition_rate,
        viscous
    },
});
coded_enum!(Frame { 0 World, 1 Body });
coded_enum!(Signal {
    0 Constant(value),
    1 Harmonic { amplitude, omega, phase, offset },
    2 Input { start },
    3 Table { times, values },
});
coded_struct!(Friction { sliding, falling });
coded_struct!(ContactMaterial<F> { friction, restitution, tangential_restitution, enabled });
coded_struct!(ContactRule<F> { place, pair, material });
coded_enum!(ContactPair { 0 Materials(pair), 1 Bodies(pair), 2 Groups(pair) });
