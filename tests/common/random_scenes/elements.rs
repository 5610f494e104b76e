//! Machine elements: friction in joints, brakes, couplings with and without backlash, and a driven body that rests. Drawn with dice of
//! their own, so that the rest of a scene does not depend on them.

use super::vectors::Vector;
use super::{Family, Sketch};

/// A coordinate of a joint that elements may act on.
pub struct Coordinate {
    joint: usize,
    bodies: [Option<usize>; 2],
    turns: bool,
    /// In the world; none in the plane.
    axis: Option<Vector>,
    moves: bool,
}

/// Friction along the coordinates of the joint whose text is being written.
pub fn add_joint_friction(
    sketch: &mut Sketch,
    kind: &str,
    (bodies, axis): ([Option<usize>; 2], Vector),
    moves: bool,
) {
    let axis = (!sketch.is_plane()).then_some(axis);
    let joint = sketch.joints.len() - 1;
    for (turns, kinds) in [
        (true, ["revolute", "cylindrical"]),
        (false, ["prismatic", "cylindrical"]),
    ] {
        if kinds.contains(&kind) && (kind != "cylindrical" || turns) {
            sketch.coordinates.push(Coordinate {
                joint,
                bodies,
                turns,
                axis,
                moves,
            });
        }
    }
    if !sketch.has_elements || !sketch.parts.chance(0.6) {
        return;
    }
    let (angle, displacement) = (friction(sketch, true), friction(sketch, false));
    match kind {
        "revolute" => sketch.line(format!("friction = {{ {angle} }}")),
        "prismatic" => sketch.line(format!("friction = {{ {displacement} }}")),
        "cylindrical" => sketch.line(format!(
            "friction = [{{ coordinate = \"angle\", {angle} }}, {{ coordinate = \"displacement\", {displacement} }}]"
        )),
        _ => (),
    }
}

/// The keys of dry friction: constant, or in proportion to the reaction.
fn friction(sketch: &mut Sketch, turns: bool) -> String {
    let weight = 9.81 * sketch.mass;
    let length = sketch.length;
    let dice = &mut sketch.parts;
    let mut keys = if dice.chance(0.5) {
        let radius = length * dice.decades(0.02, 0.3);
        let coefficient = dice.decades(0.02, 0.6);
        if turns {
            format!("coefficient = {coefficient:?}, radius = {radius:?}")
        } else {
            format!("coefficient = {coefficient:?}")
        }
    } else if turns {
        format!("torque = {:?}", weight * length * dice.decades(0.003, 1.0))
    } else {
        format!("force = {:?}", weight * dice.decades(0.003, 1.0))
    };
    if dice.chance(0.3) {
        keys += &format!(", static_ratio = {:?}", dice.within(1.1, 2.0));
        if dice.chance(0.3) {
            keys += &format!(", stribeck_velocity = {:?}", dice.decades(0.01, 0.5));
        }
    }
    keys
}

/// Brakes about the axes of joints, and couplings of joints at rest.
pub fn add_elements(sketch: &mut Sketch) {
    if !sketch.has_elements {
        return;
    }
    let coordinates = std::mem::take(&mut sketch.coordinates);
    for coordinate in coordinates.iter().filter(|c| c.turns) {
        if sketch.parts.chance(0.3) {
            brake(sketch, coordinate);
        }
    }
    let resting: Vec<&Coordinate> = coordinates.iter().filter(|c| !c.moves).collect();
    for (i, pair) in resting.windows(2).enumerate() {
        if sketch.parts.chance(0.3) {
            couple(sketch, i, [pair[0], pair[1]]);
        }
    }
}

fn brake(sketch: &mut Sketch, coordinate: &Coordinate) {
    let [a, b] = coordinate.bodies.map(super::name);
    let size = 9.81 * sketch.mass * sketch.length * sketch.parts.decades(0.003, 1.0);
    let mut text = format!(
        "\n[[clutch]]\nname = \"brake{}\"\nbodies = [\"{a}\", \"{b}\"]\n",
        coordinate.joint
    );
    if let Some(axis) = coordinate.axis {
        text += &format!("axis = {}\n", sketch.vector(axis));
    }
    let dice = &mut sketch.parts;
    let load = |x: f64| {
        format!("{{ kind = \"table\", times = [0, 0.2, 0.5, 0.8], values = [0, {x:?}, {x:?}, 0] }}")
    };
    match dice.index(4) {
        0 => text += &format!("kind = \"torque_limiter\"\ntorque = {size:?}"),
        1 => {
            text += &format!(
                "kind = \"belt_brake\"\nradius = 0.1\nfriction = 0.3\nwrap_angle = 4\ntension = {:?}",
                10.0 * size
            );
        }
        2 => {
            text += &format!(
                "friction = 0.4\nstatic_friction = 0.5\nradius = 0.1\nnormal_force = {}",
                load(25.0 * size)
            );
        }
        _ => {
            text += &format!(
                "friction = 0.4\nradius = 0.1\nnormal_force = {:?}",
                25.0 * size
            )
        }
    }
    sketch.line(text);
}

fn couple(sketch: &mut Sketch, index: usize, pair: [&Coordinate; 2]) {
    let length = sketch.length;
    let dice = &mut sketch.parts;
    let ratio = dice.pick(&[-1.0, 1.0]) * dice.decades(0.2, 5.0);
    let mut text = format!(
        "\n[[coupling]]\nname = \"c{index}\"\njoints = [\"j{}\", \"j{}\"]\n",
        pair[0].joint, pair[1].joint
    );
    text += &match pair.map(|c| c.turns) {
        [true, true] => format!("kind = \"gear\"\nratio = {ratio:?}\n"),
        [true, false] => format!("kind = \"rack\"\nradius = {:?}\n", length * ratio.abs()),
        [false, _] => format!("kind = \"mimic\"\nratio = {ratio:?}\n"),
    };
    let mut moving: Vec<usize> = pair.iter().flat_map(|c| c.bodies).flatten().collect();
    moving.sort_unstable();
    moving.dedup();
    if moving.len() <= 2 && dice.chance(0.4) {
        let play = dice.decades(1e-3, 0.1) * if pair[0].turns { 1.0 } else { length };
        text += &format!("backlash = {play:?}\n");
        text += &format!("restitution = {:?}\n", dice.within(0.0, 1.0));
    }
    sketch.line(text);
}

/// Is an obstacle a driven body that rests, and not part of the ground?
pub fn is_driven(sketch: &mut Sketch) -> bool {
    sketch.family != Family::TimeStepping && sketch.has_elements && sketch.parts.chance(0.5)
}
