//! Bodies: where they are, what they weigh, which shapes they have, how they move.

use super::vectors::{Vector, add, dot, minus, norm};
use super::{Body, Family, Sketch, joints, name};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Bounding balls are apart by this part of their radii.
const CLEARANCE: f64 = 1.02;

/// Draws a body, joins it to others or lays it down, and sets it in motion.
pub fn add_body(sketch: &mut Sketch) {
    let [to_last, to_ground, to_lie] = sketch.joined;
    let last = sketch.bodies.len().checked_sub(1);
    let mut body = loose(sketch);
    if to_lie > 0.0 && sketch.has_floor && !body.is_point && sketch.dice.chance(to_lie) {
        lay_down(sketch, &mut body, last);
    } else {
        place(sketch, &mut body, last);
    }
    let parent = match last {
        Some(last) if sketch.dice.chance(to_last) => Some(Some(last)),
        _ if sketch.dice.chance(to_ground) => Some(None),
        _ => None,
    };
    body.component = sketch.bodies.len();
    if let Some(Some(parent)) = parent {
        body.component = sketch.bodies[parent].component;
    } else if parent.is_none() {
        throw(sketch, &mut body);
    }
    sketch.bodies.push(body);
    if let Some(parent) = parent {
        joints::join(sketch, parent);
    }
}

fn loose(sketch: &mut Sketch) -> Body {
    let is_point = sketch.dice.chance(0.1);
    let radius = sketch.dice.within(0.3, 1.0) * sketch.length;
    let spread = if sketch.is_wild { 30.0 } else { 5.0 };
    let mass = sketch.mass * sketch.dice.decades(1.0 / spread, spread);
    let mut body = Body {
        is_point,
        mass,
        radius,
        position: [0.0; 3],
        rotation: [0.0; 3],
        velocity: [0.0; 3],
        spin: [0.0; 3],
        base: None,
        component: 0,
        shapes: String::new(),
        inertia: None,
    };
    if is_point {
        if sketch.dice.chance(0.7) {
            let round = if sketch.is_plane() {
                "circle"
            } else {
                "sphere"
            };
            body.shapes = shape(round, format!("radius = {radius:?}"));
        }
        return body;
    }
    if !sketch.dice.chance(0.5) {
        let half_turn = if sketch.is_plane() { 3.0 } else { 1.7 };
        body.rotation = [0.0, 0.0, sketch.dice.within(-half_turn, half_turn)];
        if !sketch.is_plane() {
            body.rotation = sketch.dice.point(3.0, false);
        }
    }
    body.inertia = Some(inertia(sketch, mass * radius * radius));
    if sketch.dice.chance(0.85) {
        add_shape(sketch, &mut body);
    }
    body
}

/// Moments between those of a light rod's and those of a hoop.
fn inertia(sketch: &mut Sketch, scale: f64) -> String {
    let dice = &mut sketch.dice;
    if sketch.family == Family::Plane {
        return format!("{:?}", scale * dice.decades(0.02, 0.8));
    }
    let [x, y, z] = [(); 3].map(|()| scale * dice.decades(0.01, 0.4));
    format!("[{:?}, {:?}, {:?}]", y + z, z + x, x + y)
}

fn shape(kind: &str, keys: String) -> String {
    format!("[[body.shape]]\nkind = \"{kind}\"\n{keys}\n")
}

fn add_shape(sketch: &mut Sketch, body: &mut Body) {
    let is_level = norm(body.rotation) == 0.0;
    let (text, base) = if sketch.is_plane() {
        plane_shape(sketch, body.radius)
    } else {
        space_shape(sketch, body.radius)
    };
    body.shapes = text;
    body.base = base.filter(|_| is_level);
    if sketch.dice.chance(0.3) {
        let material = sketch.dice.pick(&["wood", "steel"]);
        let _ = writeln!(body.shapes, "material = \"{material}\"");
    }
    // a knob on it, inside the same ball
    if sketch.dice.chance(0.15) && body.base.is_none() {
        let is_plane = sketch.is_plane();
        let knob = sketch.dice.point(0.7 * body.radius, is_plane);
        let round = if is_plane { "circle" } else { "sphere" };
        let radius = 0.25 * body.radius;
        let keys = format!("position = {}\nradius = {radius:?}", sketch.vector(knob));
        body.shapes.push_str(&shape(round, keys));
    }
}

/// A shape inside a circle about the origin, and half of its height if it can stand.
fn plane_shape(sketch: &mut Sketch, r: f64) -> (String, Option<f64>) {
    let dice = &mut sketch.dice;
    match dice.pick(&["circle", "box", "box", "capsule", "polygon", "point"]) {
        "circle" => (shape("circle", format!("radius = {r:?}")), Some(r)),
        "box" => {
            let slope = dice.within(0.1, 1.4);
            let (width, height) = (2.0 * r * libm::cos(slope), 2.0 * r * libm::sin(slope));
            let size = format!("size = [{width:?}, {height:?}]");
            (shape("box", size), Some(0.5 * height))
        }
        "capsule" => {
            let radius = r * dice.within(0.05, 0.5);
            let end = r - radius;
            let ends = format!(
                "from = [{:?}, 0.0]\nto = [{end:?}, 0.0]\nradius = {radius:?}",
                -end
            );
            (shape("capsule", ends), Some(radius))
        }
        "polygon" => {
            let n = 3 + dice.index(4);
            let mut corners = String::new();
            for i in 0..n {
                let angle = TAU * (i as f64 + dice.within(0.1, 0.6)) / n as f64;
                let (x, y) = (r * libm::cos(angle), r * libm::sin(angle));
                let _ = write!(corners, "[{x:?}, {y:?}], ");
            }
            (shape("polygon", format!("vertices = [{corners}]")), None)
        }
        _ => {
            let at = dice.point(r, true);
            (
                shape("point", format!("position = [{:?}, {:?}]", at[0], at[1])),
                None,
            )
        }
    }
}

/// A shape inside a ball about the origin, and half of its height if it can stand.
fn space_shape(sketch: &mut Sketch, r: f64) -> (String, Option<f64>) {
    let has_one = |body: &Body| body.shapes.contains("cylinder");
    let kinds: &[&str] = if sketch.bodies.iter().any(has_one) {
        &["sphere"]
    } else if sketch.has_cylinders {
        &["cylinder", "sphere"]
    } else {
        &["sphere", "box", "box", "capsule", "polyhedron", "point"]
    };
    let dice = &mut sketch.dice;
    match dice.pick(kinds) {
        "sphere" => (shape("sphere", format!("radius = {r:?}")), Some(r)),
        "box" => {
            let edges = [(); 3].map(|()| dice.within(0.2, 1.0));
            let [x, y, z] = edges.map(|edge| 2.0 * r * edge / norm(edges));
            (
                shape("box", format!("size = [{x:?}, {y:?}, {z:?}]")),
                Some(0.5 * z),
            )
        }
        "capsule" => {
            let radius = r * dice.within(0.05, 0.5);
            let end = r - radius;
            let ends = format!(
                "from = [{:?}, 0.0, 0.0]\nto = [{end:?}, 0.0, 0.0]\nradius = {radius:?}",
                -end
            );
            (shape("capsule", ends), Some(radius))
        }
        "cylinder" => {
            let slope = dice.within(0.1, 1.4);
            let (radius, height) = (r * libm::cos(slope), 2.0 * r * libm::sin(slope));
            (
                shape(
                    "cylinder",
                    format!("radius = {radius:?}\nheight = {height:?}"),
                ),
                Some(0.5 * height),
            )
        }
        "polyhedron" => {
            let n = 3 + dice.index(3);
            let mut corners = format!("[0.0, 0.0, {r:?}], [0.0, 0.0, {:?}], ", -r);
            for i in 0..n {
                let angle = TAU * (i as f64 + dice.within(0.1, 0.6)) / n as f64;
                let (x, y) = (r * libm::cos(angle), r * libm::sin(angle));
                let _ = write!(corners, "[{x:?}, {y:?}, 0.0], ");
            }
            (shape("polyhedron", format!("vertices = [{corners}]")), None)
        }
        _ => {
            let [x, y, z] = dice.point(r, false);
            (
                shape("point", format!("position = [{x:?}, {y:?}, {z:?}]")),
                None,
            )
        }
    }
}

/// Near the last body, and free of the bounding balls of all.
fn place(sketch: &mut Sketch, body: &mut Body, last: Option<usize>) {
    let up = sketch.up();
    let is_plane = sketch.is_plane();
    for attempt in 0..40 {
        let reach = 1.0 + 0.1 * f64::from(attempt);
        let mut position = sketch.dice.point(2.0 * reach * sketch.length, is_plane);
        if let Some(last) = last {
            position = add(position, sketch.bodies[last].position);
        } else {
            position[up] = position[up].abs() + sketch.length;
        }
        if is_free(sketch, position, body.radius) {
            body.position = position;
            return;
        }
    }
    let tops = sketch.bodies.iter().map(|b| b.position[up] + b.radius);
    let highest = tops.fold(0.0, f64::max);
    body.position[up] = highest + CLEARANCE * body.radius + sketch.length;
}

fn is_free(sketch: &Sketch, position: Vector, radius: f64) -> bool {
    let is_above = !sketch.has_floor || position[sketch.up()] > CLEARANCE * radius;
    is_above && is_clear(sketch, position, radius, None)
}

/// Is a ball free of walls, obstacles and bodies, but for one of these?
fn is_clear(sketch: &Sketch, position: Vector, radius: f64, but: Option<usize>) -> bool {
    let in_front = |(point, normal): &(Vector, Vector)| {
        dot(minus(position, *point), *normal) > CLEARANCE * radius * norm(*normal)
    };
    let others = sketch.bodies.iter().enumerate();
    let others = others.filter(|(i, _)| Some(*i) != but);
    let others = others.map(|(_, body)| (body.position, body.radius));
    let mut balls = others.chain(sketch.obstacles.iter().copied());
    sketch.walls.iter().all(in_front)
        && balls.all(|(at, size)| norm(minus(at, position)) > CLEARANCE * (size + radius))
}

/// On the floor, or on the last body if that has a level top.
fn lay_down(sketch: &mut Sketch, body: &mut Body, last: Option<usize>) {
    let up = sketch.up();
    let Some(base) = body.base else {
        return place(sketch, body, last);
    };
    if let Some(last) = last
        && let Some(below) = sketch.bodies[last].base
        && sketch.dice.chance(0.6)
    {
        let mut position = sketch.bodies[last].position;
        position[0] += sketch.dice.within(-0.2, 0.2) * body.radius;
        position[up] += below + base;
        if is_clear(sketch, position, body.radius, Some(last)) {
            body.position = position;
            return;
        }
    }
    for step in 0..60 {
        let mut position = [0.0; 3];
        position[0] = sketch.dice.within(-1.0, 1.0) * sketch.length * f64::from(step);
        position[up] = base;
        if is_clear(sketch, position, body.radius, None) {
            body.position = position;
            return;
        }
    }
    place(sketch, body, last);
}

/// Velocities of a body that is tied to nothing before it.
fn throw(sketch: &mut Sketch, body: &mut Body) {
    if sketch.dice.chance(0.6) {
        let speed = speed(sketch);
        let is_plane = sketch.is_plane();
        body.velocity = sketch.dice.point(speed, is_plane);
    }
    if !body.is_point && sketch.dice.chance(0.6) {
        body.spin = spin(sketch, body.radius);
    }
}

/// A speed, m/s.
pub fn speed(sketch: &mut Sketch) -> f64 {
    let fastest = if sketch.is_wild { 10.0 } else { 3.0 };
    sketch.dice.decades(0.05, fastest)
}

/// An angular velocity of what reaches as far as its arm.
pub fn spin(sketch: &mut Sketch, arm: f64) -> Vector {
    let [fastest, tip] = if sketch.is_wild {
        [300.0, 30.0]
    } else {
        [10.0, 3.0]
    };
    let rate = sketch.dice.decades(0.1, fastest).min(tip / arm);
    if sketch.is_plane() {
        let sign = sketch.dice.pick(&[-1.0, 1.0]);
        return [0.0, 0.0, sign * rate];
    }
    sketch.dice.point(rate, false)
}

/// A body as the file has it.
pub fn text(sketch: &Sketch, index: usize, body: &Body) -> String {
    let kind = if body.is_point { "point" } else { "rigid" };
    let mut text = format!(
        "\n[[body]]\nname = \"{}\"\nkind = \"{kind}\"\n",
        name(Some(index))
    );
    let vector = |v| sketch.vector(v);
    let _ = writeln!(
        text,
        "mass = {:?}\nposition = {}\nvelocity = {}",
        body.mass,
        vector(body.position),
        vector(body.velocity)
    );
    if let Some(inertia) = &body.inertia {
        let _ = writeln!(text, "inertia = {inertia}");
        let _ = if sketch.is_plane() {
            writeln!(
                text,
                "angle = {:?}\nangular_velocity = {:?}",
                body.rotation[2], body.spin[2]
            )
        } else {
            writeln!(
                text,
                "rotation_vector = {}\nangular_velocity = {}",
                vector(body.rotation),
                vector(body.spin)
            )
        };
    }
    text + &body.shapes
}
