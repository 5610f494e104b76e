//! What each key holds, for hints.

/// Key, how it is written, what it is.
const KEYS: &[(&str, &str, &str)] = &[
    ("active_gap", "active_gap = 1e-9", "m"),
    ("active_gap_cubic", "active_gap_cubic = 0.0", "m/s³"),
    (
        "alpha",
        "alpha = 0.5",
        "weight of the end of the step in the forces",
    ),
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
    ("damping_steps", "damping_steps = 2", "a count"),
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
    ("energy_guard", "energy_guard = true", "true or false"),
    (
        "event_state",
        "event_state = \"restep\"",
        "or \"interpolant\"",
    ),
    (
        "fixed_point_iterations",
        "fixed_point_iterations = 1",
        "a count",
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
    (
        "gamma",
        "gamma = 0.5",
        "weight of the end velocity in the positions",
    ),
    ("gravity", "gravity = [0, -9.81]", "m/s²"),
    (
        "impact_law",
        "impact_law = \"poisson\"",
        "or \"newton\", \"expedient\"",
    ),
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
        "locate_collisions",
        "locate_collisions = true",
        "true or false",
    ),
    (
        "locate_transitions",
        "locate_transitions = true",
        "true or false",
    ),
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
    ("max_substeps", "max_substeps = 200", "a count"),
    (
        "min_substep",
        "min_substep = 1e-9",
        "a fraction of the step",
    ),
    ("name", "name = \"block\"", "how others refer to it"),
    ("normal", "normal = [0, 1]", "points out of the material"),
    ("offset", "offset = 0.0", "mean of the signal"),
    ("omega", "omega = 6.283", "rad/s"),
    ("phase", "phase = 0.0", "rad"),
    ("point", "point = [0, 0]", "m"),
    ("position", "position = [0, 1]", "m"),
    ("projection", "projection = true", "true or false"),
    ("radius", "radius = 0.1", "m"),
    (
        "reported_velocity",
        "reported_velocity = \"end\"",
        "or \"average\"",
    ),
    ("rest_angle", "rest_angle = 0.0", "rad"),
    ("rest_length", "rest_length = 1.0", "m"),
    (
        "restitution",
        "restitution = 0.5",
        "0 loses the approach speed, 1 gives it back",
    ),
    (
        "restitution_threshold",
        "restitution_threshold = 1.0",
        "without unit",
    ),
    (
        "return_at_event",
        "return_at_event = false",
        "true or false; for FMUs",
    ),
    (
        "scheme",
        "scheme = \"trapezoidal\"",
        "the others are in docs/SCENE.md",
    ),
    ("size", "size = [0.4, 0.2]", "full width and height, m"),
    ("static_friction", "static_friction = 1.0", "N m or N"),
    ("step", "step = 0.01", "s"),
    ("stiffness", "stiffness = 100.0", "N/m, at a joint N m/rad"),
    ("stribeck_rate", "stribeck_rate = 0.1", "rad/s or m/s"),
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

/// How `key` is written, with its unit: "write for example `mass = 1.0` (kg)".
pub fn example(key: &str) -> String {
    match KEYS.iter().find(|(k, _, _)| *k == key) {
        Some((_, written, what)) => format!("write for example `{written}` ({what})"),
        None => String::new(),
    }
}
