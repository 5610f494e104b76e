//! The fields of `spec::space`, in the order in which they are packed.

use super::code::{Coded, Source, coded_enum, coded_struct};
use crate::scene::spec::space::{
    Axis, Belt, Body, Coordinate, Cross, ForceKind, Friction, Geometry, Joint, JointKind, Mass,
    Motor, MotorKind, Sliding, Space,
};

coded_struct!(Space {
    gravity,
    bodies,
    ground,
    joints,
    forces,
    contact_default,
    contact_rules,
    belts,
});
coded_struct!(Belt {
    place,
    name,
    shape,
    direction,
    speed
});
coded_struct!(Body {
    place,
    name,
    kind,
    mass,
    inertia,
    position,
    orientation,
    velocity,
    angular_velocity,
    angular_velocity_frame,
    group,
    shapes,
});
coded_enum!(Mass { 0 Given(mass), 1 Density(density) });
coded_enum!(Geometry {
    0 Point { position },
    1 Sphere { position, radius },
    2 Capsule { from, to, radius },
    3 Box { position, orientation, size },
    4 Cylinder { position, axis, radius, height },
    5 Polyhedron { vertices, file },
    6 HalfSpace { point, normal },
    7 HeightField { origin, cell, heights },
});
coded_struct!(Joint {
    place,
    name,
    bodies,
    anchors,
    kind,
    motor,
    contact
});
coded_enum!(Axis { 0 World(axis), 1 Local(axes) });
coded_enum!(Cross { 0 World(axes), 1 Local(axes) });
coded_enum!(JointKind {
    0 Spherical,
    1 Revolute { axis, limits },
    2 Prismatic { axis, limits },
    3 Cylindrical { axis, limits, angle_limits },
    4 Universal { axes },
    5 Planar { axis },
    6 Fixed,
    7 Distance { length },
});
coded_enum!(Coordinate { 0 Angle, 1 Displacement });
coded_struct!(Motor {
    kind,
    coordinate,
    value
});
coded_enum!(MotorKind { 0 Speed, 1 Effort });
coded_enum!(ForceKind {
    0 SpringDamper { bodies, anchors, stiffness, damping, rest_length },
    1 JointSpring { joint, coordinate, stiffness, damping, rest },
    2 Applied { body, point, frame, force, torque },
    3 Viscous { bodies, linear, angular },
    4 Stribeck {
        joint,
        coordinate,
        static_friction,
        kinetic_friction,
        stribeck_rate,
        transition_rate,
        viscous
    },
});
coded_struct!(Friction {
    sliding,
    static_friction,
    stribeck_velocity,
    torsional_friction,
    rolling_friction,
});
coded_enum!(Sliding { 0 Isotropic(coefficient), 1 Elliptic { coefficients, axis } });
