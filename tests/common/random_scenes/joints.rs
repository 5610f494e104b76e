//! Joints: what joins a body to the one before it or to the ground, with velocities that the joint allows, and what closes loops.

use super::bodies::spin;
use super::vectors::{Vector, add, cross, minus, norm, scaled, turned};
use super::{Contacts, Joint, Sketch, contacts, name};

/// Ties the last body to another one, or to the ground, and lets it move as the joint allows.
pub fn join(sketch: &mut Sketch, parent: Option<usize>) {
    let child = sketch.bodies.len() - 1;
    let with_point =
        sketch.bodies[child].is_point || parent.is_some_and(|p| sketch.bodies[p].is_point);
    let kinds: &[&str] = match (with_point, sketch.is_plane()) {
        (true, _) => &["distance"],
        (false, true) => &[
            "revolute",
            "revolute",
            "revolute",
            "prismatic",
            "distance",
            "fixed",
        ],
        (false, false) => &[
            "spherical",
            "revolute",
            "revolute",
            "prismatic",
            "cylindrical",
            "universal",
            "planar",
            "distance",
            "fixed",
        ],
    };
    let kind = sketch.dice.pick(kinds);
    let is_moving = !sketch.has_loops && sketch.dice.chance(0.6);
    follow(sketch, child, parent);
    if kind == "distance" {
        return rod(sketch, [parent, Some(child)], is_moving);
    }
    let at = pivot(sketch, parent, child);
    let axis = sketch.common_axis.filter(|_| !sketch.is_plane());
    let axis = axis.unwrap_or_else(|| sketch.direction());
    open(sketch, kind, [parent, Some(child)]);
    let text = format!("at = {}", sketch.vector(at));
    sketch.line(text);
    let mut moves = Moves::default();
    let is_plane = sketch.is_plane();
    let spin_axis = if is_plane { [0.0, 0.0, 1.0] } else { axis };
    match kind {
        "revolute" => {
            write_axis(sketch, parent, axis, !is_plane);
            moves.about = vec![spin_axis];
            let start = if is_plane {
                angle_between(sketch, parent, child)
            } else {
                0.0
            };
            stops(sketch, "limits", start, 1.5);
        }
        "prismatic" => {
            write_axis(sketch, parent, axis, true);
            moves.along = vec![axis];
            let room = sketch.length;
            stops(sketch, "limits", 0.0, room);
        }
        "cylindrical" => {
            write_axis(sketch, parent, axis, true);
            (moves.along, moves.about) = (vec![axis], vec![axis]);
            let room = sketch.length;
            stops(sketch, "limits", 0.0, room);
            stops(sketch, "angle_limits", 0.0, 1.5);
        }
        "universal" => {
            let other = cross(axis, sketch.direction());
            if norm(other) > 0.1 {
                write_axis(sketch, parent, axis, true);
                let text = format!("second_axis = {}", sketch.vector(other));
                sketch.line(text);
                moves.about = vec![axis, other];
            } else {
                let side = cross(axis, [axis[1], axis[2], -axis[0]]);
                write_axis(sketch, parent, axis, true);
                let text = format!("second_axis = {}", sketch.vector(side));
                sketch.line(text);
            }
        }
        "planar" => {
            write_axis(sketch, parent, axis, true);
            let side = cross(axis, sketch.direction());
            (moves.along, moves.about) = (vec![side], vec![axis]);
        }
        "spherical" => moves.about = vec![sketch.direction()],
        _ => (),
    }
    if is_moving {
        moves.start(sketch, child, at);
    }
}

/// The freedoms of a joint.
#[derive(Default)]
struct Moves {
    along: Vec<Vector>,
    about: Vec<Vector>,
}

impl Moves {
    fn start(&self, sketch: &mut Sketch, child: usize, at: Vector) {
        for axis in &self.along {
            let speed = super::bodies::speed(sketch) * sketch.dice.pick(&[-1.0, 1.0]);
            let body = &mut sketch.bodies[child];
            body.velocity = add(body.velocity, scaled(*axis, speed));
        }
        for axis in &self.about {
            let arm = norm(minus(sketch.bodies[child].position, at)) + sketch.length;
            let rate = spin(sketch, arm);
            let size = norm(rate) * rate[2].signum();
            turn_about(sketch, child, at, scaled(*axis, size / norm(*axis)));
        }
    }
}

/// Adds a rotation about a point to the motion of a body.
fn turn_about(sketch: &mut Sketch, body: usize, at: Vector, rate: Vector) {
    let body = &mut sketch.bodies[body];
    let arm = minus(body.position, at);
    body.velocity = add(body.velocity, cross(rate, arm));
    body.spin = add(body.spin, rate);
}

/// A body moves as if it was part of its parent.
fn follow(sketch: &mut Sketch, child: usize, parent: Option<usize>) {
    let Some(parent) = parent else { return };
    let arm = minus(
        sketch.bodies[child].position,
        sketch.bodies[parent].position,
    );
    let (velocity, rate) = (sketch.bodies[parent].velocity, sketch.bodies[parent].spin);
    let body = &mut sketch.bodies[child];
    body.velocity = add(velocity, cross(rate, arm));
    body.spin = rate;
}

/// Where a joint is: inside the parent, the child, between them, or beside both.
fn pivot(sketch: &mut Sketch, parent: Option<usize>, child: usize) -> Vector {
    let here = sketch.bodies[child].position;
    let radius = sketch.bodies[child].radius;
    let there = parent.map(|p| sketch.bodies[p].position);
    let is_plane = sketch.is_plane();
    let near = add(here, sketch.dice.point(radius, is_plane));
    match there {
        Some(there) => match sketch.dice.index(4) {
            0 => scaled(add(here, there), 0.5),
            1 => there,
            2 => here,
            _ => near,
        },
        None if sketch.dice.chance(0.2) => here,
        None if sketch.dice.chance(0.5) => {
            add(here, sketch.dice.point(2.0 * sketch.length, is_plane))
        }
        None => near,
    }
}

fn angle_between(sketch: &Sketch, parent: Option<usize>, child: usize) -> f64 {
    let first = parent.map_or(0.0, |p| sketch.bodies[p].rotation[2]);
    sketch.bodies[child].rotation[2] - first
}

fn open(sketch: &mut Sketch, kind: &'static str, bodies: [Option<usize>; 2]) {
    let text = format!(
        "\n[[joint]]\nname = \"j{}\"\nkind = \"{kind}\"\nbodies = [\"{}\", \"{}\"]",
        sketch.joints.len(),
        name(bodies[0]),
        name(bodies[1])
    );
    sketch.joints.push(Joint { kind, bodies });
    sketch.line(text);
}

/// In the plane the axis is that of the first body's coordinates, in space that of the world.
fn write_axis(sketch: &mut Sketch, parent: Option<usize>, axis: Vector, is_needed: bool) {
    if !is_needed {
        return;
    }
    let mut written = axis;
    if let Some(parent) = parent.filter(|_| sketch.is_plane()) {
        written = turned(axis, scaled(sketch.bodies[parent].rotation, -1.0));
    }
    let text = format!("axis = {}", sketch.vector(written));
    sketch.line(text);
}

/// Stops about where the coordinate is at the start, on one side or on both.
fn stops(sketch: &mut Sketch, key: &str, start: f64, room: f64) {
    if !sketch.dice.chance(0.3) {
        return;
    }
    let [below, above] = [(); 2].map(|()| sketch.dice.decades(0.01, 1.0) * room);
    let low = if sketch.dice.chance(0.3) {
        f64::NEG_INFINITY
    } else {
        start - below
    };
    let text = format!("{key} = [{low:?}, {:?}]", start + above);
    sketch.line(text);
    if key == "limits" && sketch.contacts == Contacts::Compliant {
        contacts::compliance(sketch, "limit_");
    } else if key == "limits" && sketch.dice.chance(0.5) {
        let text = format!("limit_restitution = {:?}", sketch.dice.within(0.0, 1.0));
        sketch.line(text);
    }
}

/// A rod from a point of one body to a point of the other; the second swings about the end at the first.
fn rod(sketch: &mut Sketch, bodies: [Option<usize>; 2], is_moving: bool) {
    let anchors = bodies.map(|body| anchor(sketch, body));
    open(sketch, "distance", bodies);
    let text = format!(
        "anchors = [{}, {}]",
        sketch.vector(anchors[0]),
        sketch.vector(anchors[1])
    );
    sketch.line(text);
    let Some(child) = bodies[1].filter(|_| is_moving) else {
        return;
    };
    let pivot = in_world(sketch, bodies[0], anchors[0]);
    let arm = norm(minus(sketch.bodies[child].position, pivot)) + sketch.length;
    let rate = spin(sketch, arm);
    turn_about(sketch, child, pivot, rate);
}

/// A point of a body in its own coordinates, or of the ground near the bodies.
pub fn anchor(sketch: &mut Sketch, body: Option<usize>) -> Vector {
    let is_plane = sketch.is_plane();
    match body {
        Some(i) if sketch.bodies[i].is_point => [0.0; 3],
        Some(_) if sketch.dice.chance(0.3) => [0.0; 3],
        Some(i) => sketch.dice.point(sketch.bodies[i].radius, is_plane),
        None => {
            let last = sketch.bodies.last().map_or([0.0; 3], |b| b.position);
            add(last, sketch.dice.point(3.0 * sketch.length, is_plane))
        }
    }
}

/// A point of a body, or of the ground, in the world.
pub fn in_world(sketch: &Sketch, body: Option<usize>, point: Vector) -> Vector {
    let Some(body) = body.map(|i| &sketch.bodies[i]) else {
        return point;
    };
    add(body.position, turned(point, body.rotation))
}

/// Second joints between bodies that hang together already, and from these to the ground: nothing there moves against each other at the start.
pub fn close_loops(sketch: &mut Sketch) {
    if !sketch.has_loops {
        return;
    }
    for second in 2..sketch.bodies.len() {
        if !sketch.dice.chance(0.5) {
            continue;
        }
        let first = sketch.dice.index(second - 1);
        let [a, b] = [first, second].map(|i| sketch.bodies[i].component);
        let is_held = |i: usize| sketch.joints.iter().any(|j| j.bodies == [None, Some(i)]);
        let first = match (a == b, is_held(b)) {
            (_, true) => None,
            (true, _) => Some(first),
            _ => continue,
        };
        let with_point = [first, Some(second)]
            .into_iter()
            .flatten()
            .any(|i| sketch.bodies[i].is_point);
        if with_point || sketch.dice.chance(0.3) {
            rod(sketch, [first, Some(second)], false);
            continue;
        }
        let at = pivot(sketch, first, second);
        let kind = if sketch.is_plane() {
            "revolute"
        } else {
            "spherical"
        };
        open(sketch, kind, [first, Some(second)]);
        let text = format!("at = {}", sketch.vector(at));
        sketch.line(text);
    }
}
