//! The keys of all scene tables that are not kinds: unit, default, example and description. Hints and the reference
//! `docs/SCENE.md` are generated from here; `reference` checks that the reader accepts the same keys and defaults.

use super::spec::Dimension;
use super::spec::settings::{Setting, UsedBy, setting_of};
use crate::kinds::force;
use crate::kinds::parameter::{Parameter, parameters};
use crate::kinds::{joint, plane, shape, space};

/// The file.
pub const FILE: &[Parameter] = parameters! {
    "name" | "" | "the file name without its extension" | "\"block\"" | "how others refer to it": "name of the scene";
    "description" | "" | "empty" | "\"A block on a table\"" | "a sentence": "one sentence on what the scene shows";
    "gravity" | "m/s²" | "`[0, -9.81]`, in space `[0, 0, -9.81]`" | "[0, -9.81]" | "": "acceleration of gravity";
    "dimension" | "" | "2" | "" | "": "2: the plane, as on this page; 3: space, see [In space](#in-space)";
    "until" | "s" | "10" | "10.0" | "": "end of a run, unless given on the command line";
    "[settings]" | "" | "" | "" | "": "how to integrate";
    "[fmu]" | "" | "" | "" | "": "which variables an FMU shows, see [below](#fmu-the-interface-of-an-fmu)";
    "[[body]]" | "" | "at least one" | "" | "": "moving bodies";
    "[[body.shape]]" | "" | "" | "" | "": "shapes of the body above, for contacts";
    "[[ground.shape]]" | "" | "" | "" | "": "fixed shapes, for contacts; `[ground]` has only `shape`";
    "[[joint]]" | "" | "" | "" | "": "joints between two bodies, or a body and the ground";
    "[[coupling]]" | "" | "" | "" | "": "gears, racks, belts and other equations between joint coordinates";
    "[[clutch]]" | "" | "" | "" | "": "clutches and brakes, see [below](#clutch-clutches-and-brakes)";
    "[[force]]" | "" | "" | "" | "": "springs, dampers, applied forces, smoothed friction in joints";
    "[[flange]]" | "" | "" | "" | "": "where another model is attached, see [below](#flange)";
    "[[sensor]]" | "" | "" | "" | "": "quantities with names of your own, see [below](#sensor)";
    "[[parameter]]" | "" | "" | "" | "": "values of the scene with names of your own, see [below](#parameter)";
    "[contact_default]" | "" | "no friction, no bounce" | "" | "": "friction and restitution of all pairs";
    "[[contact]]" | "" | "" | "" | "": "friction and restitution of one pair";
    "[[rope]]" | "" | "" | "" | "": "ropes, with pulleys and reels, see [below](#rope-ropes-pulleys-and-winches)";
    "[[belt]]" | "" | "" | "" | "": "surfaces of the ground that move, see [below](#belt-surfaces-that-move)";
};

/// `[fmu]`.
pub const FMU: &[Parameter] = parameters! {
    "outputs" | "" | "states of bodies and joints, forces of pairs, events, energies" | "[\"block.position.x\", \"pair.*.normal_force\"]" | "names of variables, `*` stands for any letters": "names of the outputs; `*` stands for any letters";
    "parameters" | "" | "all but numerical details of the integrator" | "[\"block.mass\", \"pair.*.friction\"]" | "names of variables, `*` stands for any letters": "names of the parameters; the others keep the values of the scene";
    "variables" | "" | "`\"all\"`" | "\"interface\"" | "or \"all\"": "`\"all\"`: quantities that are not outputs are local variables; `\"interface\"`: they are left out";
    "author" | "" | "" | "\"A. Engineer\"" | "": "of the model, for the model description";
    "version" | "" | "" | "\"1.2\"" | "": "of the model";
    "license" | "" | "" | "\"CC-BY-4.0\"" | "": "of the model";
    "copyright" | "" | "" | "\"2026, Example Inc.\"" | "": "of the model";
};

/// `[[flange]]`.
pub const FLANGE: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"rod\"" | "how others refer to it": "of its variables";
    "kind" | "" | "required" | "\"force\"" | "or \"spring\"": "`\"force\"`: the partner gives the force; `\"spring\"`: it gives its motion, and a spring and a damper lead to it";
    "body" | "" | "required" | "\"block\"" | "how others refer to it": "the body that the partner is attached to";
    "point" | "m" | "the centre of mass" | "[0.5, 0]" | "in coordinates of the body": "a point of the body, in its coordinates";
    "along" | "" | "required" | "[1, 0]" | "a direction of the world": "direction of the force and of the motion in the world, which stays; any length";
    "joint" | "" | "required" | "\"hinge\"" | "name of a joint": "in place of `body`, `point` and `along`: a joint, whose coordinate the partner holds";
    "coordinate" | "" | "the only one" | "\"angle\"" | "or \"displacement\"": "of the joint, in space";
    "stiffness" | "N/m or N m/rad" | "required" | "1e5" | "" | NOT_NEGATIVE: "of kind `\"spring\"`: force for each metre or radian that the partner is ahead";
    "damping" | "N s/m or N m s/rad" | "0" | "50.0" | "" | NOT_NEGATIVE: "of kind `\"spring\"`: the same for the rate";
};

/// `[[sensor]]`.
pub const SENSOR: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"tip\"" | "how others refer to it": "of its variable, or of the vector of its variables";
    "kind" | "" | "required" | "\"...\"" | "which one": "see below";
    "body" | "" | "required" | "\"block\"" | "how others refer to it": "the body that it measures";
    "point" | "m" | "the centre of mass" | "[0.5, 0]" | "in coordinates of the body": "a point of the body, in its coordinates";
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "two bodies";
    "anchors" | "m" | "the centres of mass" | "[[0, 0], [0, 0]]" | "a point of each body in its own coordinates, m": "of a distance: a point of each, in its coordinates";
    "joint" | "" | "required" | "\"hinge\"" | "name of a joint": "the joint";
    "coordinate" | "" | "the only one" | "\"angle\"" | "or \"displacement\"": "of the joint";
    "frame" | "" | "`\"ground\"`" | "\"block\"" | "name of a body": "the body in whose axes vectors are given; motion is relative to it, positions are from its centre of mass";
    "component" | "" | "all" | "\"x\"" | "a letter": "the only component to measure";
    "display_unit" | "" | "" | "\"mm\"" | "a unit": "unit for display; values are in SI units";
};

/// `[[parameter]]`.
pub const PARAMETER: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"crate_mass\"" | "how others refer to it": "of its variable";
    "sets" | "" | "required" | "[\"body.crate.mass\"]" | "paths of numbers in the scene": "paths of the numbers of the scene that it sets, see below";
    "value" | "" | "the number written at its first path" | "0.2" | "in place of the numbers at its paths": "its value, which replaces the numbers written at its paths";
    "unit" | "" | "that of its first path" | "\"m\"" | "an SI unit": "SI unit of its value, as `stiction describe` writes it";
    "display_unit" | "" | "" | "\"mm\"" | "a unit": "unit for display; values are in SI units";
    "min" | "" | "" | "0.1" | "smallest value": "smallest value that an importer may set";
    "max" | "" | "" | "0.5" | "largest value": "largest value that an importer may set";
    "description" | "" | "" | "\"Mass of the crate\"" | "a sentence": "one sentence on what it is";
};

/// A table in `sets`.
pub const TARGET_OF_PARAMETER: &[Parameter] = parameters! {
    "path" | "" | "required" | "\"body.crate.position.y\"" | "path of a number in the scene": "path of the number";
    "factor" | "" | "1" | "0.5" | "times the value" | NOT_ZERO: "the number is `offset` plus this times the value of the parameter";
    "offset" | "" | "0" | "0.1" | "in addition to that": "see `factor`";
};

/// `[[body]]` in the plane.
pub const BODY_IN_PLANE: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "how joints, forces and rules refer to it";
    "kind" | "" | "required" | "\"...\"" | "which one": "`\"rigid\"`: moves and turns; `\"point\"`: moves only; `\"driven\"`: its motion is given, see [below](#driven-bodies)";
    "mass" | "kg" | "required" | "1.0" | "kg; what must not move belongs to the ground": "above zero, 1e-60 to 1e60; of a driven body 1 by default";
    "inertia" | "kg m²" | "from the shapes, at uniform density" | "0.1" | "kg m² about the centre of mass": "about the centre of mass, above zero; required if no shape has an area";
    "position" | "m" | "required" | "[0, 1]" | "": "centre of mass in the world at the start";
    "angle" | "rad" | "0" | "0.5236" | "": "of the body's axes against the world's at the start";
    "velocity" | "m/s" | "`[0, 0]`" | "[0, 0]" | "": "of the centre of mass at the start";
    "angular_velocity" | "rad/s" | "0" | "4.0" | "": "at the start";
    "acceleration" | "m/s²" | "none" | "[{ kind = \"input\" }, 0]" | "m/s²; one number or signal per axis": "of a driven body: one number or signal for each axis";
    "angular_acceleration" | "rad/s²" | "none" | "2.0" | "rad/s²; a number or a signal": "of a driven body: a number or a signal";
};

/// `[[body]]` in space.
pub const BODY_IN_SPACE: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "how joints, forces and rules refer to it";
    "kind" | "" | "required" | "\"...\"" | "which one": "`\"rigid\"`: moves and turns, six velocities; `\"point\"`: moves only, three; `\"driven\"`: its motion is given, see [Driven bodies](#driven-bodies)";
    "mass" | "kg" | "required, or `density`" | "1.0" | "kg; what must not move belongs to the ground": "above zero, 1e-60 to 1e60; of a driven body 1 by default";
    "density" | "kg/m³" | "" | "1000.0" | "": "in place of `mass`: mass from the volume of the shapes";
    "inertia" | "kg m²" | "from the shapes, at uniform density" | "[0.1, 0.2, 0.3]" | "kg m² about the body's axes through the centre of mass; or a matrix of three rows": "about the centre of mass, in body axes: `[Ixx, Iyy, Izz]`, or a symmetric matrix `[[..], [..], [..]]`; required if no shape has a volume";
    "position" | "m" | "required" | "[0, 0, 1]" | "": "centre of mass in the world at the start";
    "orientation" | "" | "no rotation" | "[1, 0, 0, 0]" | "a unit quaternion, w first": "of the body's axes against the world's at the start";
    "rotation_vector" | "" | "no rotation" | "[0, 0, 0.5]" | "an axis times an angle, rad": "of the body's axes against the world's at the start";
    "euler" | "" | "no rotation" | "[0, 0, 0.5]" | "roll, pitch, yaw, rad": "of the body's axes against the world's at the start";
    "velocity" | "m/s" | "`[0, 0, 0]`" | "[0, 0, 0]" | "": "of the centre of mass at the start, in world axes";
    "angular_velocity" | "rad/s" | "`[0, 0, 0]`" | "[0, 0, 4.0]" | "rad/s about the world's axes": "at the start";
    "angular_velocity_frame" | "" | "`\"world\"`" | "\"body\"" | "or \"world\"": "axes of `angular_velocity`: `\"world\"` or `\"body\"`";
    "angle" | "rad" | "0" | "{ kind = \"harmonic\", amplitude = 0.1, omega = 5.0 }" | "rad; a number or a signal": "of a driven body: rotation about `axis` from the orientation at the start, a number or a signal";
    "acceleration" | "m/s²" | "none" | "[{ kind = \"input\" }, 0, 0]" | "m/s²; one number or signal per axis": "of a driven body: one number or signal for each axis";
    "angular_acceleration" | "rad/s²" | "none" | "2.0" | "rad/s²; a number or a signal": "of a driven body: about `axis`, a number or a signal";
    "axis" | "" | "" | "[0, 0, 1]" | "a direction of the world": "of a driven body that rotates: the axis, a direction of the world through its centre of mass, any length";
    "group" | "" | "" | "\"wheels\"" | "a name that contact rules use": "for contact rules; any name but `ground`";
    "shape" | "" | "" | "\"table\"" | "name of a shape of the ground": "`[[body.shape]]`, as below";
    "copies" | "" | "" | "{ count = [4, 4, 3], spacing = [0.2, 0.2, 0.2] }" | "a block of identical bodies": "a block of identical bodies, see [below](#many-bodies)";
};

/// Every shape.
pub const SHAPE: &[Parameter] = parameters! {
    "kind" | "" | "required" | "\"...\"" | "which one": "see below";
    "name" | "" | "kind and number: `circle1`" | "\"block\"" | "how others refer to it": "once in each body";
    "material" | "" | "" | "\"steel\"" | "a name that contact rules use": "for contact rules";
};

/// Every joint.
pub const JOINT: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "how forces refer to it";
    "kind" | "" | "required" | "\"...\"" | "which one": "see below";
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "the first and the second body, one of them may be `\"ground\"`";
    "at" | "m" | "" | "[0, 0]" | "a point of the world, m": "one point of the world at the start, for both bodies";
    "anchors" | "m" | "" | "[[0, 0], [0, 0]]" | "a point of each body in its own coordinates, m": "a point of the first and a point of the second body, each in its own coordinates";
    "contact" | "" | "false; for `\"distance\"` true" | "true" | "do the two bodies of the joint touch each other?": "do shapes of the two bodies touch each other?";
};

/// `motor` of a joint.
pub const MOTOR: &[Parameter] = parameters! {
    "kind" | "" | "required" | "\"...\"" | "which one": "`\"speed\"`: prescribes the rate of the coordinate, rad/s or m/s; `\"position\"`: prescribes the coordinate, rad or m, continuous and at the start that of the scene; `\"torque\"` (N m, on an angle) or `\"force\"` (N, on a displacement): acts on the second body, and back on the first; `\"servo\"`: a PD controller, with the keys below";
    "coordinate" | "" | "the only one" | "\"angle\"" | "or \"displacement\"": "`\"angle\"` or `\"displacement\"`; required in a cylindrical joint";
    "value" | "" | "required" | "{ kind = \"input\", start = 2.0 }" | "rad/s, m/s, rad, m, N m or N; a number or a signal": "a number or a signal; `{ kind = \"input\" }` makes it an input of the FMU; not of a servo";
    "position" | "rad or m" | "required" | "0.5" | "rad or m; a number or a signal": "of a servo: the coordinate that it follows, a number or a signal";
    "velocity" | "rad/s or m/s" | "the rate of `position`" | "0.0" | "rad/s or m/s; a number or a signal": "of a servo: the rate that it follows, a number or a signal";
    "kp" | "N m/rad or N/m" | "required" | "120.0" | "" | NOT_NEGATIVE: "of a servo: torque or force for each radian or metre of deviation";
    "kd" | "N m s/rad or N s/m" | "0" | "9.0" | "" | NOT_NEGATIVE: "of a servo: the same for the deviation of the rate";
    "limit" | "N m or N" | "none" | "25.0" | "" | POSITIVE: "of a servo, or a motor that prescribes a speed or position: its largest torque or force, above zero. Where more is needed the motor slips, and from then on it prescribes the rate only; not with an input position";
};

/// `[[coupling]]`.
pub const COUPLING: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"mesh\"" | "how others refer to it": "of its variables";
    "kind" | "" | "required" | "\"...\"" | "which one": "see below";
    "joints" | "" | "required" | "[\"input\", \"output\"]" | "names of joints, in the order of the kind": "names of joints, in the order of the kind";
    "efficiency" | "" | "1" | "0.4" | "power passed on relative to power taken, above 0, up to 1": "power that it passes on when the first coordinate drives, relative to what it takes; backward `2 - 1/efficiency`: at 0.5 and below it is self-locking, as a worm gear";
    "backlash" | "rad or m" | "none" | "0.01" | "of the first coordinate" | POSITIVE: "play of the first coordinate while the others rest, above zero; the scene starts in the middle of it";
    "restitution" | "" | "0" | "0.0" | "0 to 1": "with `backlash`: bounce at the ends of the play, 0 to 1";
};

/// Couplings: kind, equation, keys.
pub const COUPLINGS: &[(&str, &str, &[Parameter])] = &[
    (
        "gear",
        "two angles: the first turns by `ratio` times the second; negative for external gears, which turn in opposite directions",
        parameters! {
            "ratio" | "" | "required" | "-3.5" | "first rate over second rate" | NOT_ZERO: "first rate over second rate, not zero; of a planetary gear teeth of the ring over those of the sun, above zero";
        },
    ),
    (
        "rack",
        "an angle and a displacement: the rack moves by `radius` times the angle of the pinion",
        parameters! {
            "radius" | "m" | "required" | "0.05" | "m; negative on the other side" | NOT_ZERO: "pitch radius of the pinion; negative if the rack moves the other way";
        },
    ),
    (
        "belt",
        "two angles: the belt runs over both pulleys without slip",
        parameters! {
            "radii" | "m" | "required" | "[0.05, 0.1]" | "m, of both pulleys": "of both pulleys; one of them negative for a crossed belt";
        },
    ),
    (
        "differential",
        "three angles: that of the case is the mean of the two others",
        &[],
    ),
    (
        "planetary",
        "the angles of sun, ring and carrier: `sun + ratio ring = (1 + ratio) carrier`",
        parameters! {
            "ratio" | "" | "required" | "2.0" | "teeth of the ring over teeth of the sun" | POSITIVE: "teeth of the ring over those of the sun, above zero";
        },
    ),
    (
        "mimic",
        "two coordinates of any kind: the first moves by `ratio` times the second",
        parameters! {
            "ratio" | "" | "1" | "1.0" | "first rate over second rate" | NOT_ZERO: "first rate over second rate, not zero";
        },
    ),
    (
        "linear",
        "two to four coordinates of any kind: the sum of `factors` times their changes is zero",
        parameters! {
            "factors" | "" | "required" | "[1.0, 2.0]" | "one number per joint" : "one number for each joint, not zero";
        },
    ),
];

/// `friction` of a joint.
pub const FRICTION_OF_JOINT: &[Parameter] = parameters! {
    "friction" | "" | "none" | "{ torque = 0.5 }" | "N m; or a force, N": "dry friction of the coordinate, see below; a list of tables for several coordinates";
};

/// The keys of `friction` of a joint.
pub const JOINT_FRICTION: &[Parameter] = parameters! {
    "coordinate" | "" | "the only one" | "\"angle\"" | "or \"displacement\"": "`\"angle\"` or `\"displacement\"`; required in a cylindrical joint";
    "torque" | "N m" | "" | "0.5" | "": "of an angle: friction while it slides, a number or a signal of zero or more";
    "force" | "N" | "" | "5.0" | "": "of a displacement: the same";
    "coefficient" | "" | "" | "0.1" | "Coulomb's coefficient, without unit" | NOT_NEGATIVE: "in place of `torque` or `force`: friction is this times the reaction of the joint at that instant, and times `radius` of an angle";
    "radius" | "m" | "required with `coefficient` of an angle" | "0.02" | "of the pin" | POSITIVE: "of the pin";
    "static_ratio" | "" | "1" | "1.5" | "friction at rest relative to that while it slides": "friction at rest relative to that while it slides, 1 to 1000";
    "stribeck_velocity" | "rad/s or m/s" | "friction drops at once" | "0.01" | "" | POSITIVE: "speed over which friction falls from its value at rest; with `static_ratio`";
    "viscous" | "N m s/rad or N s/m" | "0" | "0.01" | "" | NOT_NEGATIVE: "viscous friction in addition";
};

/// `[[clutch]]`.
pub const CLUTCH: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "of its variables and inputs";
    "kind" | "" | "`\"friction\"`" | "\"friction\"" | "or \"torque_limiter\", \"belt_brake\", \"one_way\"": "`\"friction\"`: faces pressed together; `\"torque_limiter\"`: slips at a given torque; `\"belt_brake\"`: a belt around a drum (Euler and Eytelwein); `\"one_way\"`: the second body may turn faster than the first, forward about the axis, but not slower (swap `bodies` for the other sense)";
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "the two shafts; `\"ground\"` for one of them makes it a brake";
    "axis" | "" | "required in space" | "[0, 0, 1]" | "a direction in the world at the start": "in space: axis of both shafts in the world at the start, fixed in the first body, any length";
    "normal_force" | "N" | "required" | "{ kind = \"input\", start = 0.0 }" | "N; a number or a signal": "presses the faces together: a number or a signal of zero or more; at zero it is open";
    "friction" | "" | "required" | "0.3" | "Coulomb's coefficient, without unit": "coefficient while it slips";
    "static_friction" | "" | "`friction`" | "0.4" | "coefficient at rest": "coefficient while it is locked, `friction` or more";
    "radius" | "m" | "required" | "0.1" | "": "mean radius of the faces, or of the drum";
    "faces" | "" | "1" | "2" | "number of pairs of faces": "number of pairs of faces";
    "torque" | "N m" | "required" | "20.0" | "": "of a torque limiter: a number or a signal";
    "tension" | "N" | "required" | "100.0" | "N; a number or a signal": "of a belt brake: force at the end of the belt that the drum pulls away from when it turns forward (the second body against the first)";
    "wrap_angle" | "rad" | "required" | "4.7" | "" | POSITIVE: "of a belt brake: the torque is `radius tension (exp(friction wrap_angle) - 1)` forward, and that times `exp(-friction wrap_angle)` backward";
    "drag" | "N m" | "0" | "0.05" | "": "of a one-way clutch: torque against the second body while it overruns, a number or a signal of zero or more";
};

/// Every force element.
pub const FORCE: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "of its variables and inputs";
    "kind" | "" | "required" | "\"...\"" | "which one": "see below";
};

/// `[contact_default]` and `[[contact]]` in the plane.
pub const CONTACT_IN_PLANE: &[Parameter] = parameters! {
    "friction" | "" | "0" | "0.3" | "Coulomb's coefficient, without unit": "Coulomb's coefficient; 0 to 1000, with a warning above 5";
    "static_friction" | "" | "`friction`" | "1.0" | "of a contact without unit, of a joint N m or N": "coefficient at rest, `friction` or more; with `stribeck_velocity`";
    "stribeck_velocity" | "m/s" | "" | "0.01" | "": "speed of sliding over which friction falls from `static_friction` to `friction`; with `static_friction`";
    "restitution" | "" | "0" | "0.5" | "0 loses the approach speed, 1 gives it back": "0: no bounce, 1: no loss; 0 to 1";
    "tangential_restitution" | "" | "0" | "0.0" | "0 to 1": "the same for the tangential impulse; 0 to 1; under Poisson's rule what is given back, and all friction of the restitution phase, stay inside the friction cone of its normal impulse, so it needs `restitution` > 0";
    "stiffness" | "N/m" | "`inf`: rigid" | "1e5" | "N/m; inf is a rigid contact": "of a compliant contact: the normal force at an overlap `x`, with the rate `x'`, is `stiffness x^exponent (1 + dissipation x') + damping x'`, and never pulls";
    "damping" | "N s/m" | "0" | "100.0" | "with `stiffness`": "with `stiffness`: a linear damper (Kelvin and Voigt)";
    "dissipation" | "s/m" | "0" | "0.5" | "with `stiffness`; about 1.5 (1 - e)/v for a restitution of e at an approach speed of v": "with `stiffness`: damping in proportion to the elastic force (Hunt and Crossley); a restitution of `e` at an approach speed of `v` needs about `1.5 (1 - e)/v`";
    "exponent" | "" | "1" | "1.5" | "1: linear, 1.5: Hertz": "with `stiffness`, then in N/m^exponent: 1 is a linear spring, 1.5 a sphere (Hertz); 1 to 3";
    "enabled" | "" | "true" | "false" | "false lets the pair pass through each other": "false: the pair passes through each other";
};

/// The pair of `[[contact]]` in the plane.
pub const PAIR_IN_PLANE: &[Parameter] = parameters! {
    "materials" | "" | "" | "[\"steel\", \"ice\"]" | "names that shapes have": "`[\"a\", \"b\"]`: two materials, in either order";
    "bodies" | "" | "" | "[\"ground\", \"block\"]" | "names of two bodies": "`[\"a\", \"b\"]`: two bodies, in either order";
};

/// `[contact_default]` and `[[contact]]` in space.
pub const CONTACT_IN_SPACE: &[Parameter] = parameters! {
    "friction" | "" | "0" | "0.3" | "Coulomb's coefficient, without unit": "Coulomb's coefficient while it slides, the same in all directions; 0 to 1000";
    "friction_axes" | "" | "" | "[0.3, 0.6]" | "coefficients along `friction_axis` and across it": "in place of `friction`: two coefficients, along `friction_axis` and across it; the bound is an ellipse. With a zero for one of them friction acts along the other direction only";
    "friction_axis" | "" | "" | "[1, 0, 0]" | "a direction in the first body's axes": "with `friction_axes`, required: a direction in the axes of the first body, any length; its part in the plane of contact counts. Where it is along the normal, within a thousandth of a radian, any direction is taken";
    "static_friction" | "" | "`friction`" | "1.0" | "of a contact without unit, of a joint N m or N": "coefficient up to which it sticks, `friction` or more; not with `friction_axes`. Without `stribeck_velocity` friction drops to `friction` when it breaks away, and is that until it has stopped";
    "stribeck_velocity" | "m/s" | "" | "0.01" | "": "with `static_friction`: speed of sliding over which friction falls from that to `friction`, as in the plane";
    "torsional_friction" | "m" | "0" | "1e-3" | "m: coefficient times radius of the patch": "against spin about the normal: largest torque for each newton of normal force, that is coefficient times radius of the patch";
    "rolling_friction" | "m" | "0" | "1e-3" | "": "against rolling: largest torque across the normal for each newton of normal force; a ball of radius `r` is slowed down by `5/7 g rolling_friction/r`";
    "restitution" | "" | "0" | "0.5" | "0 loses the approach speed, 1 gives it back": "as in the plane";
    "tangential_restitution" | "" | "0" | "0.0" | "0 to 1": "as in the plane";
    "stiffness" | "N/m" | "`inf`: rigid" | "1e5" | "N/m; inf is a rigid contact": "of a compliant contact, as in the plane";
    "damping" | "N s/m" | "0" | "100.0" | "with `stiffness`": "as in the plane";
    "dissipation" | "s/m" | "0" | "0.5" | "with `stiffness`; about 1.5 (1 - e)/v for a restitution of e at an approach speed of v": "as in the plane";
    "exponent" | "" | "1" | "1.5" | "1: linear, 1.5: Hertz": "as in the plane";
    "enabled" | "" | "true" | "false" | "false lets the pair pass through each other": "false: the pair passes through each other";
};

/// The pair of `[[contact]]` in space.
pub const PAIR_IN_SPACE: &[Parameter] = parameters! {
    "materials" | "" | "" | "[\"steel\", \"ice\"]" | "names that shapes have": "`[\"a\", \"b\"]`: two materials";
    "groups" | "" | "" | "[\"wheels\", \"ground\"]" | "names that bodies have": "`[\"a\", \"b\"]`: two groups of bodies";
    "bodies" | "" | "" | "[\"ground\", \"block\"]" | "names of two bodies": "`[\"a\", \"b\"]`: two bodies";
};

/// `copies` of a body.
pub const COPIES: &[Parameter] = parameters! {
    "count" | "" | "required" | "[4, 4, 3]" | "along x, y and z": "number along x, y and z; x varies fastest";
    "spacing" | "m" | "required" | "[0.2, 0.2, 0.2]" | "m, along x, y and z": "between neighbours along x, y and z";
    "jitter" | "m" | "0" | "0.002" | "": "maximum deviation from the grid along each axis; reproducible";
};

/// `[[rope]]`.
pub const ROPE: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"line\"" | "how others refer to it": "of its variables, and of the input `name.reel_speed`, if that is one";
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "the bodies at its two ends";
    "anchors" | "m" | "required" | "[[0, 0], [0, 0]]" | "a point of each body in its own coordinates, m": "where it is attached: a point of the first and a point of the second body, each in its own coordinates";
    "over" | "" | "none" | "[{ body = \"ground\", point = [0, 2] }]" | "points that it runs over": "pulleys between its ends, in their order: small, without mass and friction, each fixed at a point of a body";
    "length" | "m" | "that of its path at the start" | "2.0" | "m" | POSITIVE: "length at the start; a rope that is longer than its path is slack";
    "restitution" | "" | "0" | "0.5" | "0 loses the speed at which it tightens, 1 gives it back" | UNIT: "0 to 1, of the impact where it tightens";
    "reel_speed" | "m/s" | "no reel" | "{ kind = \"input\", start = 0.0 }" | "m/s; a number or a signal": "speed at which a reel pays it out, negative where it reels in: a number or a signal; a jump of the speed of a taut rope is an impact";
};

/// `over` of a rope.
pub const PULLEY: &[Parameter] = parameters! {
    "body" | "" | "required" | "\"ground\"" | "name of a body": "the body that the pulley is fixed to";
    "point" | "m" | "its centre of mass" | "[0, 2]" | "in coordinates of the body": "a point of that body, in its coordinates";
};

/// `[[belt]]`.
pub const BELT: &[Parameter] = parameters! {
    "name" | "" | "required" | "\"block\"" | "how others refer to it": "of the input `name.speed`, if its speed is one";
    "shape" | "" | "required" | "\"table\"" | "name of a shape of the ground": "name of a shape of the ground";
    "direction" | "" | "required" | "[1, 0]" | "where the surface moves to": "where the surface moves to; not the normal of a half-space";
    "speed" | "m/s" | "required" | "{ kind = \"input\", start = 0.5 }" | "m/s; a number or a signal": "a number or a signal";
};

/// Additional keys of joints in the plane.
pub const JOINT_IN_PLANE: &[Parameter] = parameters! {
    "axis" | "" | "required" | "[1, 0]" | "a direction in the first body's coordinates": "of joints with an axis: a direction in the first body's coordinates, any length";
    "limits" | "rad or m" | "" | "[-1.0, 1.0]" | "lower and upper, rad or m; -inf and inf are allowed": "`[lower, upper]`: stops of the coordinate; `-inf` and `inf` leave one side open";
    "limit_restitution" | "" | "0" | "0.0" | "0 to 1": "bounce at the limits, 0 to 1";
    "limit_stiffness" | "N m/rad or N/m" | "`inf`: rigid" | "1e4" | "N m/rad or N/m; inf is a rigid stop": "of compliant stops; as `stiffness` of a [contact](#contact_default-and-contact), also `limit_damping`, `limit_dissipation` and `limit_exponent`";
    "limit_damping" | "N m s/rad or N s/m" | "0" | "10.0" | "with `limit_stiffness`": "with `limit_stiffness`";
    "limit_dissipation" | "s/rad or s/m" | "0" | "0.5" | "with `limit_stiffness`": "with `limit_stiffness`";
    "limit_exponent" | "" | "1" | "1.5" | "1: linear, 1.5: Hertz": "with `limit_stiffness`";
    "motor" | "" | "" | "{ kind = \"speed\", value = 2.0 }" | "or \"torque\"": "drives the coordinate, see below";
};

/// The same in space.
pub const JOINT_IN_SPACE: &[Parameter] = parameters! {
    "axis" | "" | "" | "[0, 0, 1]" | "a direction; of a joint in the world at the start": "of joints with an axis: a direction in the world at the start, any length";
    "axes" | "" | "" | "[[0, 0, 1], [0, 0, 1]]" | "a direction in the axes of each body": "in place of `axis`: a direction in the axes of the first and one in those of the second body";
    "second_axis" | "" | "" | "[0, 1, 0]" | "a direction in the world at the start": "of a universal joint, at a right angle to `axis`; `axis` is fixed in the first body, this one in the second";
    "limits" | "rad or m" | "" | "[-1.0, 1.0]" | "lower and upper, rad or m; -inf and inf are allowed": "`[lower, upper]`: stops of the coordinate; of a cylindrical joint those of the displacement";
    "angle_limits" | "rad" | "" | "[-1.0, 1.0]" | "lower and upper, rad; -inf and inf are allowed": "stops of the angle of a cylindrical joint";
    "limit_restitution" | "" | "0" | "0.0" | "0 to 1": "bounce at the limits, 0 to 1";
    "limit_stiffness" | "N m/rad or N/m" | "`inf`: rigid" | "1e4" | "N m/rad or N/m; inf is a rigid stop": "of compliant stops; as `stiffness` of a [contact](#contact_default-and-contact), also `limit_damping`, `limit_dissipation` and `limit_exponent`";
    "limit_damping" | "N m s/rad or N s/m" | "0" | "10.0" | "with `limit_stiffness`": "with `limit_stiffness`";
    "limit_dissipation" | "s/rad or s/m" | "0" | "0.5" | "with `limit_stiffness`": "with `limit_stiffness`";
    "limit_exponent" | "" | "1" | "1.5" | "1: linear, 1.5: Hertz": "with `limit_stiffness`";
    "motor" | "" | "" | "{ kind = \"speed\", value = 2.0 }" | "or \"torque\"": "drives a coordinate, see below";
};

/// Targets of force elements in the plane.
pub const TARGET_IN_PLANE: &[Parameter] = parameters! {
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "names of two bodies; of a viscous element the second is the ground if only one is named";
    "anchors" | "m" | "required" | "[[0, 0], [0, 0]]" | "a point of each body in its own coordinates, m": "a point of the first and a point of the second body, each in its own coordinates";
    "joint" | "" | "required" | "\"hinge\"" | "name of a joint": "name of a joint";
    "body" | "" | "required" | "\"block\"" | "name of a body": "name of the body that is pushed";
    "force" | "N" | "none" | "[8.0, 0.0]" | "N, one number or signal per axis": "one number or signal for each axis";
    "torque" | "N m" | "none" | "1.0" | "N m, a number or a signal": "a number or a signal, counter-clockwise positive";
    "point" | "m" | "`[0, 0]`" | "[0, 0]" | "": "where the force acts, in body coordinates";
    "frame" | "" | "`\"world\"`" | "\"world\"" | "or \"body\"": "axes of `force`: `\"world\"`, or `\"body\"`, which turn with the body";
};

/// The same in space.
pub const TARGET_IN_SPACE: &[Parameter] = parameters! {
    "bodies" | "" | "required" | "[\"ground\", \"block\"]" | "names of two bodies": "names of two bodies; of a viscous element the second is the ground if only one is named";
    "anchors" | "m" | "required" | "[[0, 0, 0], [0, 0, 0]]" | "a point of each body in its own coordinates, m": "a point of the first and a point of the second body, each in its own coordinates";
    "joint" | "" | "required" | "\"hinge\"" | "name of a joint": "name of a joint";
    "coordinate" | "" | "the only one" | "\"angle\"" | "or \"displacement\"": "`\"angle\"` or `\"displacement\"`: which coordinate of the joint";
    "body" | "" | "required" | "\"block\"" | "name of a body": "name of the body that is pushed";
    "force" | "N" | "none" | "[8.0, 0.0, 0.0]" | "N, one number or signal per axis": "one number or signal for each axis";
    "torque" | "N m" | "none" | "[0.0, 0.0, 1.0]" | "N m, one number or signal per axis": "one number or signal for each axis";
    "point" | "m" | "`[0, 0, 0]`" | "[0, 0, 0]" | "": "where the force acts, in body coordinates";
    "frame" | "" | "`\"world\"`" | "\"world\"" | "or \"body\"": "axes of `force` and `torque`: `\"world\"`, or `\"body\"`, which turn with the body";
};

/// Keys of both dimensions that have one more component in space, with examples for hints.
const LONGER_IN_SPACE: &[Parameter] = parameters! {
    "at" | "m" | "" | "[0, 0, 0]" | "a point of the world, m": "";
    "direction" | "" | "" | "[1, 0, 0]" | "where the surface moves to": "";
    "gravity" | "m/s²" | "" | "[0, 0, -9.81]" | "": "";
};

/// Signals: kind, value, keys.
pub const SIGNALS: &[(&str, &str, &[Parameter])] = &[
    (
        "harmonic",
        "`offset + amplitude cos(omega t + phase)`; omega = 2 pi frequency",
        parameters! {
            "amplitude" | "" | "required" | "8.0" | "half the swing of the signal": "half the swing of the signal";
            "omega" | "rad/s" | "" | "6.283" | "": "or `frequency`";
            "frequency" | "Hz" | "" | "2.0" | "": "or `omega`";
            "phase" | "rad" | "0" | "0.0" | "": "at time zero";
            "offset" | "" | "0" | "0.0" | "mean of the signal": "mean of the signal";
        },
    ),
    (
        "input",
        "given from outside while the simulation runs: an input of the FMU, named after the force element (`push.force_x`, `push.force_y`, `push.torque`); `stiction run` keeps it at `start` unless `--input` or `--inputs` gives values",
        parameters! {
            "start" | "" | "0" | "0.0" | "value until another one is given": "value until another one is given";
        },
    ),
    (
        "table",
        "linear between rows, held before the first and after the last; times do not decrease, two equal times make a jump",
        parameters! {
            "times" | "s" | "required" | "[0.0, 1.0, 2.0]" | "s, not decreasing": "not decreasing";
            "values" | "" | "required" | "[0.0, 1.0, 0.0]" | "one per time": "one for each time";
        },
    ),
];

/// Keys of a planar scene, with their replacement in space and a hint.
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

/// The parameters of a dimension, those specific to it first.
pub fn all(dimension: Dimension) -> Vec<&'static [Parameter]> {
    let mut lists: Vec<&'static [Parameter]> = match dimension {
        Dimension::Plane => vec![
            BODY_IN_PLANE,
            JOINT_IN_PLANE,
            TARGET_IN_PLANE,
            CONTACT_IN_PLANE,
            PAIR_IN_PLANE,
        ],
        Dimension::Space => vec![
            BODY_IN_SPACE,
            JOINT_IN_SPACE,
            TARGET_IN_SPACE,
            CONTACT_IN_SPACE,
            PAIR_IN_SPACE,
            COPIES,
        ],
    };
    lists.extend([
        SHAPE, JOINT, MOTOR, COUPLING, FORCE, FILE, BELT, ROPE, PULLEY, FMU, FLANGE, SENSOR,
    ]);
    lists.extend([PARAMETER, TARGET_OF_PARAMETER]);
    lists.extend(COUPLINGS.iter().map(|(_, _, keys)| *keys));
    lists.extend([FRICTION_OF_JOINT, JOINT_FRICTION, CLUTCH]);
    lists.extend(SIGNALS.iter().map(|(_, _, keys)| *keys));
    match dimension {
        Dimension::Plane => {
            kinds::<plane::joint::Kind, plane::force::Kind, plane::shape::Kind>(&mut lists)
        }
        Dimension::Space => {
            kinds::<space::joint::Kind, space::force::Kind, space::shape::Kind>(&mut lists)
        }
    }
    lists
}

fn kinds<J: joint::Kind, F: force::Kind, S: shape::Kind>(lists: &mut Vec<&'static [Parameter]>) {
    lists.extend(J::ALL.iter().map(|kind| kind.description().parameters));
    lists.extend(F::ALL.iter().map(|kind| kind.description().parameters));
    lists.extend(S::ALL.iter().map(|kind| kind.description().parameters));
}

/// Example of `key` with its unit: "write for example `mass = 1.0` (kg)".
pub fn example(key: &str, dimension: Dimension) -> String {
    let longer: &[Parameter] = match dimension {
        Dimension::Plane => &[],
        Dimension::Space => LONGER_IN_SPACE,
    };
    let mut all = longer.iter().chain(all(dimension).into_iter().flatten());
    let found = all.find(|p| p.key == key);
    match found {
        Some(parameter) => parameter.hint(),
        None => setting_of(key).map(Setting::hint).unwrap_or_default(),
    }
}

/// Unit of `key`.
pub fn unit(key: &str, dimension: Dimension) -> &'static str {
    let mut all = all(dimension).into_iter().flatten();
    all.find(|p| p.key == key).map_or("", |p| p.unit)
}

/// Renamed keys, and words for elements that have another place, with hints.
const RENAMED: &[(&str, &str)] = &[
    (
        "belt",
        "write `[[belt]]` at the top, with the `shape` of the ground whose surface moves, `direction` and `speed`",
    ),
    (
        "brake",
        "write `[[clutch]]` with `bodies = [\"ground\", ..]`; of a displacement, `friction` of its prismatic joint",
    ),
    (
        "clutch",
        "write `[[clutch]]` at the top, with `bodies`, `normal_force`, `friction` and `radius`",
    ),
    (
        "coulomb",
        "write `friction`: of a contact its coefficient, of a joint `{ torque = 0.5 }` or `{ force = 5.0 }`",
    ),
    (
        "crowd",
        "write `integrator = \"time_stepping\"` in `[settings]`, and its options in `[settings.time_stepping]`",
    ),
    ("energy_guard", "write `impact_energy_limit`"),
    (
        "gear",
        "write `[[coupling]]` with `kind = \"gear\"`, `joints` and `ratio`",
    ),
    (
        "kinematic",
        "write `kind = \"driven\"` in a `[[body]]`, and signals as its `position`, `velocity` or `acceleration`",
    ),
    (
        "motor",
        "motors drive the coordinate of a joint: write `motor = { kind = \"speed\", value = 2.0 }` in a revolute or prismatic `[[joint]]`",
    ),
    (
        "freewheel",
        "write `[[clutch]]` with `kind = \"one_way\"` and `bodies`",
    ),
    (
        "conveyor",
        "write `[[belt]]` with the `shape` of the ground whose surface moves, `direction` and `speed`",
    ),
    (
        "one_way",
        "write `[[clutch]]` with `kind = \"one_way\"` and `bodies`",
    ),
    (
        "rope",
        "write `[[rope]]` at the top, with `bodies` and `anchors`",
    ),
    (
        "winch",
        "write `[[rope]]` with `bodies`, `anchors` and `reel_speed`",
    ),
    (
        "rack",
        "write `[[coupling]]` with `kind = \"rack\"`, `joints` and `radius`",
    ),
];

/// Hint for a renamed key, or one in the wrong table.
pub fn elsewhere(key: &str) -> Option<&'static str> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == key);
    let setting = || setting_of(key).map(|setting| setting.used_by);
    renamed.map(|(_, hint)| *hint).or_else(|| match setting()? {
        UsedBy::TimeStepping => Some("move it to `[settings.time_stepping]`"),
        UsedBy::Both | UsedBy::EventDriven | UsedBy::EventDrivenInSpace => {
            Some("move it to `[settings]`")
        }
    })
}

/// Hint for a key of a planar scene in space, if one of the known keys replaces it.
pub fn instead_in_space(key: &str, known: &[&str]) -> Option<&'static str> {
    let found = INSTEAD_IN_SPACE
        .iter()
        .find(|(planar, spatial, _)| *planar == key && known.contains(spatial));
    found.map(|(_, _, hint)| *hint)
}
