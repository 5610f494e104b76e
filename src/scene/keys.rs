//! What each key holds, for hints.

use super::spec::Dimension;
use super::spec::settings::{UsedBy, setting_of};

/// Key, how it is written, what it is.
const KEYS: &[(&str, &str, &str)] = &[
    (
        "amplitude",
        "amplitude = 8.0",
        "half the swing of the signal",
    ),
    (
        "anchors",
        "anchors = [[0, 0], [0, 0]]",
        "a point of each body in its own coordinates, m",
    ),
    ("angle", "angle = 0.5236", "rad"),
    ("angular", "angular = 0.1", "N m s/rad"),
    ("angular_velocity", "angular_velocity = 4.0", "rad/s"),
    ("at", "at = [0, 0]", "a point of the world, m"),
    (
        "axis",
        "axis = [1, 0]",
        "a direction in the first body's coordinates",
    ),
    (
        "bodies",
        "bodies = [\"ground\", \"block\"]",
        "names of two bodies",
    ),
    ("body", "body = \"block\"", "name of a body"),
    (
        "contact",
        "contact = true",
        "do the two bodies of the joint touch each other?",
    ),
    ("damping", "damping = 10.0", "N s/m, at a joint N m s/rad"),
    (
        "description",
        "description = \"A block on a table\"",
        "a sentence",
    ),
    (
        "enabled",
        "enabled = false",
        "false lets the pair pass through each other",
    ),
    (
        "force",
        "force = [8.0, 0.0]",
        "N, one number or signal per axis",
    ),
    ("frame", "frame = \"world\"", "or \"body\""),
    ("frequency", "frequency = 2.0", "Hz"),
    (
        "friction",
        "friction = 0.3",
        "Coulomb's coefficient, without unit",
    ),
    ("from", "from = [-0.25, 0]", "m"),
    ("gravity", "gravity = [0, -9.81]", "m/s²"),
    ("inertia", "inertia = 0.1", "kg m² about the centre of mass"),
    ("joint", "joint = \"hinge\"", "name of a joint"),
    ("kind", "kind = \"...\"", "which one"),
    ("kinetic_friction", "kinetic_friction = 0.8", "N m or N"),
    ("length", "length = 1.0", "m"),
    ("limit_restitution", "limit_restitution = 0.0", "0 to 1"),
    (
        "limits",
        "limits = [-1.0, 1.0]",
        "lower and upper, rad or m; -inf and inf are allowed",
    ),
    ("linear", "linear = 0.5", "N s/m"),
    (
        "mass",
        "mass = 1.0",
        "kg; what must not move belongs to the ground",
    ),
    (
        "material",
        "material = \"steel\"",
        "a name that contact rules use",
    ),
    (
        "materials",
        "materials = [\"steel\", \"ice\"]",
        "names that shapes have",
    ),
    ("name", "name = \"block\"", "how others refer to it"),
    ("normal", "normal = [0, 1]", "points out of the material"),
    ("offset", "offset = 0.0", "mean of the signal"),
    ("omega", "omega = 6.283", "rad/s"),
    ("phase", "phase = 0.0", "rad"),
    ("point", "point = [0, 0]", "m"),
    ("position", "position = [0, 1]", "m"),
    ("radius", "radius = 0.1", "m"),
    ("rest_angle", "rest_angle = 0.0", "rad"),
    ("rest_length", "rest_length = 1.0", "m"),
    (
        "restitution",
        "restitution = 0.5",
        "0 loses the approach speed, 1 gives it back",
    ),
    ("size", "size = [0.4, 0.2]", "full width and height, m"),
    (
        "static_friction",
        "static_friction = 1.0",
        "of a contact without unit, of a joint N m or N",
    ),
    ("stiffness", "stiffness = 100.0", "N/m, at a joint N m/rad"),
    ("stribeck_rate", "stribeck_rate = 0.1", "rad/s or m/s"),
    ("stribeck_velocity", "stribeck_velocity = 0.01", "m/s"),
    (
        "tangential_restitution",
        "tangential_restitution = 0.0",
        "0 to 1",
    ),
    ("times", "times = [0.0, 1.0, 2.0]", "s, not decreasing"),
    ("to", "to = [0.25, 0]", "m"),
    ("torque", "torque = 1.0", "N m, a number or a signal"),
    ("transition_rate", "transition_rate = 1e-3", "rad/s or m/s"),
    ("until", "until = 10.0", "s"),
    ("values", "values = [0.0, 1.0, 0.0]", "one per time"),
    ("velocity", "velocity = [0, 0]", "m/s"),
    (
        "vertices",
        "vertices = [[0, 0], [1, 0], [0, 1]]",
        "corners, counter-clockwise, m",
    ),
    ("viscous", "viscous = 0.0", "N m s/rad or N s/m"),
];

/// The same where a key is written otherwise in space, or is only there.
const KEYS_IN_SPACE: &[(&str, &str, &str)] = &[
    (
        "anchors",
        "anchors = [[0, 0, 0], [0, 0, 0]]",
        "a point of each body in its own coordinates, m",
    ),
    (
        "angle_limits",
        "angle_limits = [-1.0, 1.0]",
        "lower and upper, rad; -inf and inf are allowed",
    ),
    (
        "angular_velocity",
        "angular_velocity = [0, 0, 4.0]",
        "rad/s about the world's axes",
    ),
    (
        "angular_velocity_frame",
        "angular_velocity_frame = \"body\"",
        "or \"world\"",
    ),
    ("at", "at = [0, 0, 0]", "a point of the world, m"),
    (
        "axes",
        "axes = [[0, 0, 1], [0, 0, 1]]",
        "a direction in the axes of each body",
    ),
    (
        "axis",
        "axis = [0, 0, 1]",
        "a direction; of a joint in the world at the start",
    ),
    ("cell", "cell = [0.1, 0.1]", "distances along x and y, m"),
    (
        "coordinate",
        "coordinate = \"angle\"",
        "or \"displacement\"",
    ),
    ("density", "density = 1000.0", "kg/m³"),
    ("euler", "euler = [0, 0, 0.5]", "roll, pitch, yaw, rad"),
    (
        "file",
        "file = \"part.stl\"",
        "an STL or OBJ file beside the scene",
    ),
    (
        "force",
        "force = [8.0, 0.0, 0.0]",
        "N, one number or signal per axis",
    ),
    (
        "friction_axes",
        "friction_axes = [0.3, 0.6]",
        "coefficients along `friction_axis` and across it",
    ),
    (
        "friction_axis",
        "friction_axis = [1, 0, 0]",
        "a direction in the first body's axes",
    ),
    ("from", "from = [-0.25, 0, 0]", "m"),
    ("gravity", "gravity = [0, 0, -9.81]", "m/s²"),
    (
        "group",
        "group = \"wheels\"",
        "a name that contact rules use",
    ),
    (
        "groups",
        "groups = [\"wheels\", \"ground\"]",
        "names that bodies have",
    ),
    ("height", "height = 0.2", "distance of the ends, m"),
    (
        "heights",
        "heights = [[0, 0, 0], [0, 0.1, 0]]",
        "rows along x, m",
    ),
    (
        "inertia",
        "inertia = [0.1, 0.2, 0.3]",
        "kg m² about the body's axes through the centre of mass; or a matrix of three rows",
    ),
    (
        "motor",
        "motor = { kind = \"speed\", value = 2.0 }",
        "or \"torque\"",
    ),
    ("normal", "normal = [0, 0, 1]", "points out of the material"),
    (
        "orientation",
        "orientation = [1, 0, 0, 0]",
        "a unit quaternion, w first",
    ),
    (
        "origin",
        "origin = [0, 0]",
        "x and y of the first height, m",
    ),
    ("point", "point = [0, 0, 0]", "m"),
    ("position", "position = [0, 0, 1]", "m"),
    ("rest", "rest = 0.0", "rad or m"),
    (
        "copies",
        "copies = { count = [4, 4, 3], spacing = [0.2, 0.2, 0.2] }",
        "a block of bodies alike",
    ),
    ("count", "count = [4, 4, 3]", "along x, y and z"),
    ("jitter", "jitter = 0.002", "m"),
    (
        "spacing",
        "spacing = [0.2, 0.2, 0.2]",
        "m, along x, y and z",
    ),
    (
        "direction",
        "direction = [1, 0, 0]",
        "where the surface moves to",
    ),
    (
        "shape",
        "shape = \"table\"",
        "name of a shape of the ground",
    ),
    (
        "speed",
        "speed = { kind = \"input\", start = 0.5 }",
        "m/s; a number or a signal",
    ),
    ("rolling_friction", "rolling_friction = 1e-3", "m"),
    (
        "rotation_vector",
        "rotation_vector = [0, 0, 0.5]",
        "an axis times an angle, rad",
    ),
    ("scale", "scale = 0.001", "metres in one unit of the file"),
    (
        "second_axis",
        "second_axis = [0, 1, 0]",
        "a direction in the world at the start",
    ),
    (
        "size",
        "size = [0.4, 0.3, 0.2]",
        "full lengths of the edges, m",
    ),
    ("to", "to = [0.25, 0, 0]", "m"),
    (
        "torque",
        "torque = [0.0, 0.0, 1.0]",
        "N m, one number or signal per axis",
    ),
    (
        "torsional_friction",
        "torsional_friction = 1e-3",
        "m: coefficient times radius of the patch",
    ),
    (
        "value",
        "value = { kind = \"input\", start = 2.0 }",
        "rad/s, m/s, N m or N; a number or a signal",
    ),
    ("velocity", "velocity = [0, 0, 0]", "m/s"),
    (
        "vertices",
        "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "corners, m",
    ),
];

/// Keys of a planar scene: what takes their place in space, and what to write.
const INSTEAD_IN_SPACE: &[(&str, &str, &str)] = &[
    (
        "angle",
        "rotation_vector",
        "in space write `rotation_vector = [0, 0, angle]` (rad), `euler` or `orientation`",
    ),
    (
        "rest_angle",
        "rest",
        "in space write `rest` (rad or m), counted like the joint's coordinate",
    ),
];

/// Parts that only scenes in space have.
const ONLY_IN_SPACE: &[(&str, &str)] = &[(
    "belt",
    "belts are in space: write `dimension = 3` at the top, positions as three numbers, and `integrator = \"time_stepping\"` below `[settings]`",
)];

/// Keys that have another name now, and what to write.
const RENAMED: &[(&str, &str)] = &[
    (
        "crowd",
        "write `integrator = \"time_stepping\"` below `[settings]`, and its options below `[settings.time_stepping]`",
    ),
    ("energy_guard", "write `impact_energy_limit`"),
];

/// How `key` is written, with its unit: "write for example `mass = 1.0` (kg)".
pub fn example(key: &str, dimension: Dimension) -> String {
    let in_space = match dimension {
        Dimension::Plane => &[],
        Dimension::Space => KEYS_IN_SPACE,
    };
    match in_space.iter().chain(KEYS).find(|(k, _, _)| *k == key) {
        Some((_, example, what)) => format!("write for example `{example}` ({what})"),
        None => setting_of(key).map_or_else(String::new, |setting| {
            format!(
                "write for example `{}` ({})",
                setting.example(),
                setting.description
            )
        }),
    }
}

/// What to do about a key of a planar scene that only scenes in space have.
pub fn only_in_space(key: &str) -> Option<&'static str> {
    let found = ONLY_IN_SPACE.iter().find(|(spatial, _)| *spatial == key);
    found.map(|(_, hint)| *hint)
}

/// What to do about a key that has another name now, or that stands in the wrong table.
pub fn elsewhere(key: &str) -> Option<&'static str> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == key);
    let setting = || setting_of(key).map(|setting| setting.used_by);
    renamed.map(|(_, hint)| *hint).or_else(|| match setting()? {
        UsedBy::TimeStepping => Some("write it below the header `[settings.time_stepping]`"),
        UsedBy::Both | UsedBy::EventDriven | UsedBy::EventDrivenInSpace => {
            Some("write it below the header `[settings]`")
        }
    })
}

/// What to write in space for a key of a planar scene, if one of the known keys takes its place.
pub fn instead_in_space(key: &str, known: &[&str]) -> Option<&'static str> {
    let found = INSTEAD_IN_SPACE
        .iter()
        .find(|(planar, spatial, _)| *planar == key && known.contains(spatial));
    found.map(|(_, _, hint)| *hint)
}

/// The keys that have an example.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().chain(KEYS_IN_SPACE).map(|(key, _, _)| *key)
}
