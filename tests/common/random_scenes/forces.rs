//! Springs, dampers and friction in joints.

use super::vectors::{minus, norm};
use super::{Sketch, joints, name};

/// Draws forces between bodies, to the ground and in joints.
pub fn add_forces(sketch: &mut Sketch) {
    let n_bodies = sketch.bodies.len();
    let n = sketch.dice.pick(&[0, 0, 1, 1, 2, 3]);
    for i in 0..n {
        let second = sketch.dice.index(n_bodies);
        let first = Some(sketch.dice.index(n_bodies)).filter(|first| *first != second);
        match sketch.dice.pick(&[
            "spring",
            "spring",
            "spring_damper",
            "spring_damper",
            "damper",
            "viscous",
        ]) {
            "viscous" => viscous(sketch, i, [Some(second), first]),
            kind => line_force(sketch, i, kind, [first, Some(second)]),
        }
    }
    for joint in 0..sketch.joints.len() {
        if sketch.dice.chance(0.3) {
            in_joint(sketch, joint);
        }
    }
}

fn open(sketch: &mut Sketch, label: String, kind: &str) {
    sketch.line(format!(
        "\n[[force]]\nname = \"{label}\"\nkind = \"{kind}\""
    ));
}

/// A spring that is preloaded or not, a damper, or both, between two points.
fn line_force(sketch: &mut Sketch, i: usize, kind: &str, bodies: [Option<usize>; 2]) {
    let anchors = bodies.map(|body| joints::anchor(sketch, body));
    let [a, b] = [0, 1].map(|k| joints::in_world(sketch, bodies[k], anchors[k]));
    let length = norm(minus(b, a));
    if length < 1e-3 * sketch.length {
        return;
    }
    open(sketch, format!("f{i}"), kind);
    let [first, second] = bodies.map(name);
    sketch.line(format!("bodies = [\"{first}\", \"{second}\"]"));
    let text = format!(
        "anchors = [{}, {}]",
        sketch.vector(anchors[0]),
        sketch.vector(anchors[1])
    );
    sketch.line(text);
    if kind != "damper" {
        let stiffness = stiffness(sketch, bodies);
        sketch.line(format!("stiffness = {stiffness:?}"));
        if sketch.dice.chance(0.5) {
            let most = if sketch.is_wild { 3.0 } else { 0.1 };
            let energy = sketch.energy() * sketch.dice.decades(1e-3, most);
            let stretch = (2.0 * energy / stiffness).sqrt().min(0.8 * length);
            let rest = length + stretch * sketch.dice.pick(&[-1.0, 1.0]);
            sketch.line(format!("rest_length = {rest:?}"));
        }
    }
    if kind != "spring" {
        let damping = damping(sketch, bodies);
        sketch.line(format!("damping = {damping:?}"));
    }
}

/// The mass of the lightest of some bodies, kg.
fn lightest(sketch: &Sketch, bodies: [Option<usize>; 2]) -> f64 {
    let masses = bodies.into_iter().flatten().map(|i| sketch.bodies[i].mass);
    masses.fold(f64::INFINITY, f64::min)
}

/// Of anything, or such that the lightest body swings at 1 to 30 rad/s, N/m.
fn stiffness(sketch: &mut Sketch, bodies: [Option<usize>; 2]) -> f64 {
    if sketch.is_stiff {
        return sketch.dice.decades(1.0, 1e9);
    }
    let rate = sketch.dice.decades(1.0, 30.0);
    lightest(sketch, bodies) * rate * rate
}

/// Of anything, or such that the lightest body is slowed down in 0.03 s or longer, N s/m.
fn damping(sketch: &mut Sketch, bodies: [Option<usize>; 2]) -> f64 {
    if sketch.is_stiff {
        return sketch.dice.decades(1e-2, 1e8);
    }
    lightest(sketch, bodies) * sketch.dice.decades(1e-2, 30.0)
}

fn viscous(sketch: &mut Sketch, i: usize, bodies: [Option<usize>; 2]) {
    open(sketch, format!("f{i}"), "viscous");
    let [first, second] = bodies.map(name);
    let both = format!("bodies = [\"{first}\", \"{second}\"]");
    let alone = format!("bodies = [\"{first}\"]");
    sketch.line(if bodies[1].is_some() { both } else { alone });
    let linear = damping(sketch, bodies);
    sketch.line(format!("linear = {linear:?}"));
    let with_point = bodies
        .into_iter()
        .flatten()
        .any(|i| sketch.bodies[i].is_point);
    if !with_point && sketch.dice.chance(0.5) {
        let arm = 0.3 * sketch.length;
        let angular = damping(sketch, bodies) * arm * arm;
        sketch.line(format!("angular = {angular:?}"));
    }
}

/// A spring, a damper or friction on the coordinate of a joint.
fn in_joint(sketch: &mut Sketch, joint: usize) {
    let kind = sketch.joints[joint].kind;
    let is_angle = match kind {
        "revolute" => true,
        "prismatic" | "cylindrical" => false,
        _ => return,
    };
    let arm = if is_angle { sketch.length } else { 1.0 };
    let with_friction = sketch.dice.chance(0.4);
    if !with_friction && sketch.is_plane() && !is_angle {
        return;
    }
    let spring = if sketch.is_plane() {
        "torsional"
    } else {
        "joint_spring"
    };
    open(
        sketch,
        format!("on_j{joint}"),
        if with_friction { "stribeck" } else { spring },
    );
    sketch.line(format!("joint = \"j{joint}\""));
    if kind == "cylindrical" {
        sketch.line("coordinate = \"displacement\"");
    }
    if !with_friction {
        let bodies = sketch.joints[joint].bodies;
        let stiffness = stiffness(sketch, bodies) * arm * arm;
        let damping = damping(sketch, bodies) * arm * arm;
        sketch.line(format!("stiffness = {stiffness:?}"));
        if sketch.dice.chance(0.5) {
            sketch.line(format!("damping = {damping:?}"));
        }
        return;
    }
    let weight = sketch.energy() / sketch.length;
    let kinetic = sketch.dice.decades(1e-3, 1.0) * weight * arm;
    let ratio = sketch.dice.within(1.0, 1.6);
    let [stribeck, transition] = [
        sketch.dice.decades(0.01, 1.0),
        sketch.dice.decades(1e-3, 1e-1),
    ];
    sketch.line(format!(
        "static_friction = {:?}\nkinetic_friction = {kinetic:?}\nstribeck_rate = {stribeck:?}\ntransition_rate = {transition:?}",
        ratio * kinetic
    ));
}
