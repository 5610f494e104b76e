//! Typical mistakes: every one is answered with a sentence and a hint, none with a panic or the words of a parser.
//!
//! `tests/data/error_messages.txt` has what is printed. With `UPDATE_SNAPSHOTS=1` it is written anew: read the difference.

use crate::common::command::{TOOL, scratch};
use crate::common::root;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A scene in the plane with a bit of everything.
const PLANE: &str = r#"name = "plane"
until = 1

[settings]
step = 0.01

[[body]]
name = "crate"
kind = "rigid"
mass = 2
position = [0, 1]
shape = [{ kind = "box", size = [0.4, 0.2] }]

[[body]]
name = "ball"
kind = "point"
mass = 1
position = [1, 1]
shape = [{ kind = "circle", radius = 0.1 }]

[[ground.shape]]
kind = "half_plane"
normal = [0, 1]

[[joint]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "crate"]
at = [0, 1]
limits = [-1, 1]

[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["ball", "crate"]
anchors = [[0, 0], [0.2, 0]]
stiffness = 100
damping = 1

[contact_default]
friction = 0.4
restitution = 0.2
"#;

/// A scene in space.
const SPACE: &str = r#"name = "space"
dimension = 3
until = 1

[[body]]
name = "box"
kind = "rigid"
mass = 2
position = [0, 0, 1]
shape = [{ kind = "box", size = [0.4, 0.2, 0.1] }]

[[ground.shape]]
kind = "half_space"
normal = [0, 0, 1]
"#;

/// What is wrong, in a scene: the text and what stands in its place.
type Slip = (&'static str, &'static str, &'static str, &'static str);

const SLIPS: [Slip; 123] = [
    ("a typo in a key", PLANE, "mass = 2", "mas = 2"),
    (
        "a typo in friction",
        PLANE,
        "friction = 0.4",
        "frictoin = 0.4",
    ),
    (
        "a typo in a table",
        PLANE,
        "[[ground.shape]]",
        "[[ground.shpe]]",
    ),
    (
        "gears as a table",
        PLANE,
        "[[joint]]",
        "[[gear]]\nratio = 2\n[[joint]]",
    ),
    (
        "a rack as a table",
        PLANE,
        "[[joint]]",
        "[[rack]]\nradius = 2\n[[joint]]",
    ),
    (
        "a motor as a table",
        PLANE,
        "[[joint]]",
        "[[motor]]\nspeed = 2\n[[joint]]",
    ),
    (
        "a kinematic body",
        PLANE,
        "kind = \"rigid\"",
        "kind = \"kinematic\"",
    ),
    (
        "a kinematic flag",
        PLANE,
        "mass = 2",
        "mass = 2\nkinematic = true",
    ),
    (
        "a gear without a ratio",
        PLANE,
        "[[force]]",
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"pivot\", \"pivot\"]\n[[force]]",
    ),
    (
        "a gear of one joint",
        PLANE,
        "[[force]]",
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\nratio = 2\njoints = [\"pivot\", \"pivot\"]\n[[force]]",
    ),
    (
        "a rack without a slider",
        PLANE,
        "[[force]]",
        "[[joint]]\nname = \"rail\"\nkind = \"fixed\"\nbodies = [\"ground\", \"crate\"]\n[[coupling]]\nname = \"mesh\"\nkind = \"rack\"\nradius = 0.1\njoints = [\"pivot\", \"rail\"]\n[[force]]",
    ),
    (
        "restitution without backlash",
        PLANE,
        "[[force]]",
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\nratio = 0\nrestitution = 0.5\njoints = [\"pivot\", \"pivto\"]\n[[force]]",
    ),
    (
        "a motor that starts elsewhere",
        PLANE,
        "limits = [-1, 1]",
        "motor = { kind = \"position\", value = 0.5 }",
    ),
    (
        "a position that jumps",
        PLANE,
        "limits = [-1, 1]",
        "motor = { kind = \"position\", value = { kind = \"table\", times = [0, 1, 1], values = [0, 0, 1] } }",
    ),
    (
        "a servo with a value",
        PLANE,
        "limits = [-1, 1]",
        "motor = { kind = \"servo\", kp = 10, value = 0.5 }",
    ),
    (
        "a motor with gains",
        PLANE,
        "limits = [-1, 1]",
        "motor = { kind = \"speed\", kp = 10, value = 0.5 }",
    ),
    ("a table in the plural", PLANE, "[[joint]]", "[[joints]]"),
    ("a single table for a list", PLANE, "[[force]]", "[force]"),
    (
        "an unknown kind of body",
        PLANE,
        "kind = \"rigid\"",
        "kind = \"rigidd\"",
    ),
    (
        "an unknown shape",
        PLANE,
        "kind = \"box\"",
        "kind = \"rectangle\"",
    ),
    (
        "an unknown joint",
        PLANE,
        "kind = \"revolute\"",
        "kind = \"hinge\"",
    ),
    (
        "an unknown force",
        PLANE,
        "kind = \"spring_damper\"",
        "kind = \"sprng\"",
    ),
    ("no mass", PLANE, "mass = 2\n", ""),
    ("a negative mass", PLANE, "mass = 2", "mass = -2"),
    ("a mass of zero", PLANE, "mass = 2", "mass = 0"),
    ("a mass with a unit", PLANE, "mass = 2", "mass = \"2 kg\""),
    ("a mass that is not finite", PLANE, "mass = 2", "mass = inf"),
    ("a comma for a point", PLANE, "mass = 2", "mass = 2,5"),
    (
        "three coordinates in the plane",
        PLANE,
        "position = [0, 1]",
        "position = [0, 1, 0]",
    ),
    ("one coordinate", PLANE, "position = [0, 1]", "position = 1"),
    (
        "a header that is not closed",
        PLANE,
        "[[body]]\nname = \"crate\"",
        "[[body]\nname = \"crate\"",
    ),
    (
        "a list that is not closed",
        PLANE,
        "position = [0, 1]",
        "position = [0, 1",
    ),
    (
        "two bodies in one place",
        PLANE,
        "position = [1, 1]",
        "position = [0.15, 1]",
    ),
    (
        "an angle in degrees",
        PLANE,
        "position = [0, 1]",
        "position = [0, 1]\nangle = \"30 deg\"",
    ),
    ("a name twice", PLANE, "name = \"ball\"", "name = \"crate\""),
    (
        "a body called ground",
        PLANE,
        "name = \"ball\"",
        "name = \"ground\"",
    ),
    ("a body without a name", PLANE, "name = \"ball\"\n", ""),
    (
        "a joint with a body that is not there",
        PLANE,
        "[\"ground\", \"crate\"]",
        "[\"ground\", \"crat\"]",
    ),
    (
        "a joint of a body with itself",
        PLANE,
        "[\"ground\", \"crate\"]",
        "[\"crate\", \"crate\"]",
    ),
    (
        "a joint with one body",
        PLANE,
        "[\"ground\", \"crate\"]",
        "[\"crate\"]",
    ),
    ("a joint nowhere", PLANE, "at = [0, 1]\n", ""),
    (
        "limits the wrong way round",
        PLANE,
        "limits = [-1, 1]",
        "limits = [1, -1]",
    ),
    (
        "a force on a body that is not there",
        PLANE,
        "[\"ball\", \"crate\"]",
        "[\"bal\", \"crate\"]",
    ),
    (
        "a negative stiffness",
        PLANE,
        "stiffness = 100",
        "stiffness = -100",
    ),
    (
        "a negative friction",
        PLANE,
        "friction = 0.4",
        "friction = -0.4",
    ),
    (
        "a restitution above one",
        PLANE,
        "restitution = 0.2",
        "restitution = 1.2",
    ),
    (
        "a normal of zero",
        PLANE,
        "normal = [0, 1]",
        "normal = [0, 0]",
    ),
    (
        "a half-plane on a body",
        PLANE,
        "{ kind = \"circle\", radius = 0.1 }",
        "{ kind = \"half_plane\", normal = [0, 1] }",
    ),
    ("a negative radius", PLANE, "radius = 0.1", "radius = -0.1"),
    (
        "a box without width",
        PLANE,
        "size = [0.4, 0.2]",
        "size = [0, 0.2]",
    ),
    (
        "a polygon that is not convex",
        PLANE,
        "{ kind = \"box\", size = [0.4, 0.2] }",
        "{ kind = \"polygon\", vertices = [[0, 0], [1, 0], [0.2, 0.2], [0, 1]] }",
    ),
    (
        "a polygon of two corners",
        PLANE,
        "{ kind = \"box\", size = [0.4, 0.2] }",
        "{ kind = \"polygon\", vertices = [[0, 0], [1, 0]] }",
    ),
    ("a step of zero", PLANE, "step = 0.01", "step = 0"),
    (
        "a step with a unit",
        PLANE,
        "step = 0.01",
        "step = \"10 ms\"",
    ),
    (
        "a scheme that is not there",
        PLANE,
        "step = 0.01",
        "scheme = \"rk4\"",
    ),
    (
        "a tolerance that is none",
        PLANE,
        "step = 0.01",
        "tolerance = 3",
    ),
    ("an end before the start", PLANE, "until = 1", "until = -1"),
    (
        "a quote that does not end",
        PLANE,
        "name = \"crate\"",
        "name = \"crate",
    ),
    ("a key twice", PLANE, "mass = 2", "mass = 2\nmass = 3"),
    ("four dimensions", SPACE, "dimension = 3", "dimension = 4"),
    (
        "a planar vector in space",
        SPACE,
        "position = [0, 0, 1]",
        "position = [0, 1]",
    ),
    (
        "a shape from a file that is not there",
        SPACE,
        "{ kind = \"box\", size = [0.4, 0.2, 0.1] }",
        "{ kind = \"polyhedron\", file = \"gear.stl\" }",
    ),
    (
        "joint friction as a number",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = 0.3",
    ),
    (
        "joint friction without a limit",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { viscous = 0.1 }",
    ),
    (
        "a force about an axis",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { force = 2 }",
    ),
    (
        "a torque and a coefficient",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = 1, coefficient = 0.2, radius = 0.01 }",
    ),
    (
        "a coefficient without a radius",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { coefficient = 0.2 }",
    ),
    (
        "negative joint friction",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = -1 }",
    ),
    (
        "joint friction that falls below zero",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = { kind = \"harmonic\", amplitude = 2, offset = 1, omega = 3 } }",
    ),
    (
        "a static ratio below one",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = 1, static_ratio = 0.8 }",
    ),
    (
        "a Stribeck velocity without a static ratio",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = 1, stribeck_velocity = 0.1 }",
    ),
    (
        "a typo in joint friction",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torqe = 1 }",
    ),
    (
        "a contact key in joint friction",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = { torque = 1, static_friction = 2 }",
    ),
    (
        "joint friction twice",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nfriction = [{ torque = 1 }, { torque = 2 }]",
    ),
    (
        "a clutch without keys",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\n[[force]]",
    ),
    (
        "a negative normal force",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nfriction = 0.3\nradius = 0.1\nnormal_force = -5\n[[force]]",
    ),
    (
        "a normal force that falls below zero",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nfriction = 0.3\nradius = 0.1\nnormal_force = { kind = \"table\", times = [0, 1], values = [5, -5] }\n[[force]]",
    ),
    (
        "a clutch of unknown kind",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nkind = \"disc\"\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\n[[force]]",
    ),
    (
        "a torque limiter with a normal force",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nkind = \"torque_limiter\"\ntorque = 5\nnormal_force = 5\n[[force]]",
    ),
    (
        "a torque limiter with a coefficient",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nkind = \"torque_limiter\"\ntorque = 5\nfriction = 0.3\n[[force]]",
    ),
    (
        "a belt brake without an angle",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nkind = \"belt_brake\"\ntension = 5\nfriction = 0.3\nradius = 0.1\n[[force]]",
    ),
    (
        "a clutch with less friction at rest",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nnormal_force = 5\nfriction = 0.3\nstatic_friction = 0.2\nradius = 0.1\n[[force]]",
    ),
    (
        "a clutch on a point body",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"ball\"]\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\n[[force]]",
    ),
    (
        "a clutch between a body and itself",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"crate\", \"crate\"]\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\n[[force]]",
    ),
    (
        "a clutch on an unknown body",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"shaft\"]\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\n[[force]]",
    ),
    (
        "a clutch in space without an axis",
        SPACE,
        "[[ground.shape]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"box\"]\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\n[[ground.shape]]",
    ),
    (
        "a brake as a table",
        PLANE,
        "[[force]]",
        "[[brake]]\ntorque = 2\n[[force]]",
    ),
    (
        "restitution of a compliant contact",
        PLANE,
        "restitution = 0.2",
        "stiffness = 1e5\nrestitution = 0.2",
    ),
    (
        "a damped rigid contact",
        PLANE,
        "restitution = 0.2",
        "damping = 100",
    ),
    (
        "an exponent below one",
        PLANE,
        "restitution = 0.2",
        "stiffness = 1e5\nexponent = 0.5",
    ),
    (
        "a stiff stop without limits",
        PLANE,
        "limits = [-1, 1]",
        "limit_stiffness = 1e5",
    ),
    (
        "a compliant contact with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\n\n[contact_default]\nstiffness = 1e5",
    ),
    (
        "a compliant stop with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\n\n[[joint]]\nname = \"pivot\"\nkind = \"revolute\"\nbodies = [\"ground\", \"box\"]\nat = [0, 0, 1]\naxis = [1, 0, 0]\nlimits = [-1, 1]\nlimit_stiffness = 500",
    ),
    (
        "a one-way clutch with a normal force",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"freewheel\"\nbodies = [\"ground\", \"crate\"]\nkind = \"one_way\"\nnormal_force = 5\n[[force]]",
    ),
    (
        "drag below zero",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"freewheel\"\nbodies = [\"ground\", \"crate\"]\nkind = \"one_way\"\ndrag = -1\n[[force]]",
    ),
    (
        "drag of a friction clutch",
        PLANE,
        "[[force]]",
        "[[clutch]]\nname = \"brake\"\nbodies = [\"ground\", \"crate\"]\nnormal_force = 5\nfriction = 0.3\nradius = 0.1\ndrag = 1\n[[force]]",
    ),
    (
        "a one-way clutch as a table",
        PLANE,
        "[[force]]",
        "[[one_way]]\nbodies = [\"ground\", \"crate\"]\n[[force]]",
    ),
    (
        "a freewheel as a table",
        PLANE,
        "[[force]]",
        "[[freewheel]]\nbodies = [\"ground\", \"crate\"]\n[[force]]",
    ),
    (
        "a limit of zero",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nmotor = { kind = \"speed\", value = 2, limit = 0 }",
    ),
    (
        "a limit of a torque",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nmotor = { kind = \"torque\", value = 2, limit = 5 }",
    ),
    (
        "a limited motor whose position is an input",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nmotor = { kind = \"position\", value = { kind = \"input\" }, limit = 5 }",
    ),
    (
        "a limited motor that starts elsewhere",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nmotor = { kind = \"position\", value = 0.5, limit = 5 }",
    ),
    (
        "a limited motor with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\n\n[[joint]]\nname = \"pivot\"\nkind = \"revolute\"\nbodies = [\"ground\", \"box\"]\nat = [0, 0, 1]\naxis = [1, 0, 0]\nmotor = { kind = \"speed\", value = 1, limit = 5 }",
    ),
    (
        "an efficiency above one",
        PLANE,
        "[[force]]",
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"pivot\", \"pivot\"]\nratio = 2\nefficiency = 1.2\n[[force]]",
    ),
    (
        "an efficiency with backlash",
        PLANE,
        "[[force]]",
        "[[coupling]]\nname = \"mesh\"\nkind = \"gear\"\njoints = [\"pivot\", \"pivot\"]\nratio = 2\nefficiency = 0.5\nbacklash = 0.01\n[[force]]",
    ),
    (
        "friction of a universal joint without its angle",
        SPACE,
        "[[ground.shape]]",
        "[[joint]]\nname = \"cross\"\nkind = \"universal\"\nbodies = [\"ground\", \"box\"]\nat = [0, 0, 1]\naxis = [1, 0, 0]\nsecond_axis = [0, 1, 0]\nfriction = { torque = 1 }\n[[ground.shape]]",
    ),
    (
        "friction of a spherical joint",
        SPACE,
        "[[ground.shape]]",
        "[[joint]]\nname = \"ball\"\nkind = \"spherical\"\nbodies = [\"ground\", \"box\"]\nat = [0, 0, 1]\nfriction = { torque = 1 }\n[[ground.shape]]",
    ),
    (
        "a driven body whose velocity is a signal beside its acceleration",
        PLANE,
        "[[force]]",
        "[[body]]\nname = \"table\"\nkind = \"driven\"\nposition = [20, 0]\nvelocity = [{ kind = \"input\" }, 0]\nacceleration = [{ kind = \"input\" }, 0]\n[[force]]",
    ),
    (
        "a rope without a name and without anchors",
        PLANE,
        "[[force]]",
        "[[rope]]\nbodies = [\"ground\", \"crate\"]\n[[force]]",
    ),
    (
        "a rope in the place of a joint",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\nrope = { length = 1 }",
    ),
    (
        "a rope that starts too short",
        PLANE,
        "[[force]]",
        "[[rope]]\nname = \"line\"\nbodies = [\"ground\", \"ball\"]\nanchors = [[1, 3], [0, 0]]\nlength = 1.5\n[[force]]",
    ),
    (
        "a rope around the edge of a point body",
        PLANE,
        "[[force]]",
        "[[rope]]\nname = \"line\"\nbodies = [\"ground\", \"crate\"]\nanchors = [[1, 3], [0, 0]]\nover = [{ body = \"ball\", point = [0.1, 0] }]\n[[force]]",
    ),
    (
        "a rope that no body is on",
        PLANE,
        "[[force]]",
        "[[rope]]\nname = \"line\"\nbodies = [\"ground\", \"ground\"]\nanchors = [[1, 3], [0, 3]]\nover = [{ body = \"ground\", point = [0, 2] }]\n[[force]]",
    ),
    (
        "a rope with the name of a body",
        PLANE,
        "[[force]]",
        "[[rope]]\nname = \"ball\"\nbodies = [\"ground\", \"ball\"]\nanchors = [[1, 3], [0, 0]]\n[[force]]",
    ),
    (
        "a rope that stretches",
        PLANE,
        "[[force]]",
        "[[rope]]\nname = \"line\"\nbodies = [\"ground\", \"ball\"]\nanchors = [[1, 3], [0, 0]]\nstiffness = 1e4\n[[force]]",
    ),
    (
        "a winch as a table",
        PLANE,
        "[[force]]",
        "[[winch]]\nspeed = 1\n[[force]]",
    ),
    (
        "a rope with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\n\n[[rope]]\nname = \"line\"\nbodies = [\"ground\", \"box\"]\nanchors = [[0, 0, 3], [0, 0, 0]]",
    ),
    (
        "a belt on a body",
        PLANE,
        "mass = 2",
        "mass = 2\nbelt = { speed = 1 }",
    ),
    (
        "a conveyor as a table",
        PLANE,
        "[[force]]",
        "[[conveyor]]\nspeed = 1\n[[force]]",
    ),
    (
        "a belt on no shape of the ground",
        PLANE,
        "[[force]]",
        "[[belt]]\nname = \"feed\"\nshape = \"crate\"\ndirection = [1, 0]\nspeed = 1\n[[force]]",
    ),
    (
        "coulomb friction by its name",
        PLANE,
        "limits = [-1, 1]",
        "limits = [-1, 1]\ncoulomb = 0.3",
    ),
    (
        "an impact law with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\nimpact_law = \"expedient\"",
    ),
    (
        "event location with time stepping",
        SPACE,
        "until = 1",
        "until = 1\n\n[settings]\nintegrator = \"time_stepping\"\nlocate_collisions = false",
    ),
];

/// Slips of the keyboard and of thought on the command line. `DIR` is a folder with the files that [`prepare`] makes.
const COMMANDS: [(&str, &str); 50] = [
    ("a command that is not there", "rnu bouncing_ball"),
    ("no command", ""),
    ("a scene that is not there", "run bouncing_bal"),
    ("a file that is not there", "run DIR/nothing.toml"),
    ("a folder without a scene", "run DIR/empty"),
    ("no scene at all", "run"),
    ("an option that is not there", "run incline --stpe 0.1"),
    ("a step that is no number", "run incline --step fast"),
    ("a step with a unit", "run incline --step 10ms"),
    ("a negative end", "run incline --until -1"),
    (
        "a scheme that is not there",
        "run incline --scheme leapfrog",
    ),
    (
        "a step and a tolerance",
        "run incline --step 0.1 --tolerance 1e-6",
    ),
    (
        "a tolerance and another scheme",
        "run incline --tolerance 1e-6 --scheme trapezoidal",
    ),
    (
        "a tolerance for time stepping",
        "run pile_of_boxes --tolerance 1e-6",
    ),
    ("a step that is too small", "run incline --step 1e-30"),
    ("a plot of nothing known", "run incline --plot colours"),
    (
        "a plot as JPEG",
        "run incline --plot energy --plot-file DIR/x.jpg",
    ),
    (
        "a plot of contacts where none is",
        "run free_body --until 0.1 --plot status --plot-file DIR/x.svg",
    ),
    (
        "a plot of forces with time stepping",
        "run pile_of_boxes --plot energy,forces --plot-file DIR/x.svg",
    ),
    (
        "a plot file without a plot",
        "run incline --plot-file DIR/x.svg",
    ),
    (
        "a report in a folder that is not there",
        "run incline --report DIR/no/x.html",
    ),
    (
        "a report that is a folder",
        "run incline --report DIR/empty",
    ),
    (
        "the trajectory over the scene",
        "run DIR/good.toml -o DIR/good.toml",
    ),
    (
        "two outputs in one file",
        "run incline -o DIR/x.csv --events-csv DIR/x.csv",
    ),
    ("units without a trajectory", "run incline --units"),
    (
        "an input for a scene without any",
        "run incline --input push=1",
    ),
    (
        "a parameter that the scene does not have",
        "run incline --set gravty.x=1",
    ),
    ("a binary file as a scene", "run DIR/binary.toml"),
    ("an empty scene", "run DIR/blank.toml"),
    ("an FMU that is not there", "run DIR/none.fmu"),
    ("a text file as an FMU", "run DIR/text.fmu"),
    ("an FMU without a description", "run DIR/bare.fmu"),
    ("an FMU of FMI 3", "run DIR/three.fmu"),
    ("an FMU for another machine", "run DIR/elsewhere.fmu"),
    (
        "a scheme for an FMU",
        "run DIR/elsewhere.fmu --scheme trapezoidal",
    ),
    ("a check of nothing", "check DIR/none.fmu"),
    (
        "a library that is not there",
        "build incline --library DIR/none.so -o DIR/x.fmu",
    ),
    (
        "a library that is none",
        "build incline --library DIR/text.fmu -o DIR/x.fmu",
    ),
    (
        "a platform that is not there",
        "build incline --library amiga=DIR/text.fmu -o DIR/x.fmu",
    ),
    (
        "an FMU for a platform that is not there",
        "build incline --platforms win64,amiga -o DIR/x.fmu",
    ),
    (
        "a folder with a library of another platform",
        "build incline --platforms win64=win32 -o DIR/x.fmu",
    ),
    (
        "platforms and libraries at once",
        "build incline --platforms own --library DIR/text.fmu -o DIR/x.fmu",
    ),
    (
        "an FMU without a platform",
        "build incline --platforms= -o DIR/x.fmu",
    ),
    (
        "a comparison with nothing",
        "compare DIR/a.csv DIR/none.csv",
    ),
    (
        "a comparison without times",
        "compare DIR/a.csv DIR/untimed.csv",
    ),
    (
        "a comparison with a torn line",
        "compare DIR/a.csv DIR/torn.csv",
    ),
    (
        "a tolerance below zero",
        "compare DIR/a.csv DIR/a.csv --tolerance -1",
    ),
    ("a new scene over an old one", "new DIR/good.toml"),
    ("a new scene from nothing", "new DIR/fresh --from two_cart"),
    ("a shell that is not there", "completions command.com"),
];

/// Words that belong to programmers.
const RAW: [&str; 10] = [
    "panicked",
    "RUST_BACKTRACE",
    "Os {",
    "unwrap",
    "TOML parse error",
    "os error",
    "serde",
    "Error {",
    "expected `",
    "None",
];

fn prepare(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("empty")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    write("good.toml", PLANE.as_bytes());
    write("binary.toml", &[0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0x00]);
    write("blank.toml", b"");
    write("text.fmu", b"this is no archive");
    write("a.csv", b"time,x\n0,1\n1,2\n");
    write("untimed.csv", b"t,x\n0,1\n");
    write("torn.csv", b"time,x\n0,1\n1\n");
    write("bare.fmu", &archive(&[("readme.txt", "nothing")]));
    write(
        "three.fmu",
        &archive(&[(
            "modelDescription.xml",
            "<fmiModelDescription fmiVersion=\"3.0\"/>",
        )]),
    );
    let output = stiction(&["describe", "incline", "--xml"], folder);
    let description = String::from_utf8(output.stdout).unwrap();
    write(
        "elsewhere.fmu",
        &archive(&[
            ("modelDescription.xml", &description),
            ("binaries/amiga/stiction.so", "x"),
        ]),
    );
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    use std::io::{Cursor, Write as _};
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn stiction(arguments: &[&str], folder: &Path) -> std::process::Output {
    Command::new(TOOL)
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// Runs a command and gives what a user sees.
fn told(title: &str, command: &str, folder: &Path, failures: &mut Vec<String>) -> String {
    let shown = folder.to_str().unwrap();
    let replaced: Vec<String> = command
        .split_whitespace()
        .map(|word| word.replace("DIR", shown))
        .collect();
    let arguments: Vec<&str> = replaced.iter().map(String::as_str).collect();
    let output = stiction(&arguments, folder);
    let text = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code();
    if !matches!(code, Some(1 | 2)) {
        failures.push(format!("{title}: exit code {code:?}"));
    }
    for word in RAW.iter().filter(|word| text.contains(**word)) {
        failures.push(format!("{title}: says {word:?}"));
    }
    let helps = [
        "hint: ",
        "tip: ",
        "Usage: ",
        "possible values",
        "For more information",
    ];
    if !text.contains("error: ") && !text.contains("Usage: ")
        || !helps.iter().any(|h| text.contains(h))
    {
        failures.push(format!("{title}: no error with a hint: {text}"));
    }
    // what there is to plot shows in the run
    if !output.stdout.is_empty() && !command.contains("--plot status") {
        failures.push(format!("{title}: something on stdout"));
    }
    let text = text.replace(shown, "DIR");
    let code = code.unwrap_or(-1);
    format!(
        "## {title}\n$ stiction {command}\n{}\nexit code {code}\n\n",
        text.trim_end()
    )
}

#[test]
fn typical_errors_are_answered_with_a_sentence_and_a_hint() {
    let folder = scratch("error_messages");
    prepare(&folder);
    let mut failures = Vec::new();
    let mut all = String::new();
    for (title, scene, good, bad) in SLIPS {
        assert!(scene.contains(good), "{title}");
        fs::write(folder.join("scene.toml"), scene.replacen(good, bad, 1)).unwrap();
        all += &told(title, "run DIR/scene.toml", &folder, &mut failures);
    }
    for (title, command) in COMMANDS {
        all += &told(title, command, &folder, &mut failures);
    }
    println!("{} errors", SLIPS.len() + COMMANDS.len());
    let snapshot = root().join("tests/data/error_messages.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&snapshot, &all).unwrap();
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let expected = fs::read_to_string(&snapshot).unwrap();
    for (line, (found, expected)) in all.lines().zip(expected.lines()).enumerate() {
        assert_eq!(
            found,
            expected,
            "line {} of {}",
            line + 1,
            snapshot.display()
        );
    }
    assert_eq!(all.len(), expected.len());
}
