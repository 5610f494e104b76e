//! Joints and overlaps measured from the rows of a trajectory and the text of the scene alone: no code of the engine.
//!
//! A pin holds a point of each of two bodies together, `x_a + R_a p_a = x_b + R_b p_b` with `p = R^T (at - x)` of the start. Shapes touch the floor with
//! their lowest point, and balls touch each other where their centres are as far apart as the sum of their radii.

use crate::common::random_scenes::vectors::{Vector, add, minus, norm, turned};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Where a body is: its centre of mass, and how vectors turn with it.
#[derive(Clone, Copy)]
pub struct Pose {
    pub position: Vector,
    /// Rotation vector.
    pub rotation: Vector,
}

const GROUND: Pose = Pose {
    position: [0.0; 3],
    rotation: [0.0; 3],
};

impl Pose {
    fn world(&self, point: Vector) -> Vector {
        add(self.position, turned(point, self.rotation))
    }

    fn local(&self, point: Vector) -> Vector {
        let back = self.rotation.map(|x| -x);
        turned(minus(point, self.position), back)
    }
}

/// What is measured in a scene.
pub struct Measure {
    up: usize,
    has_floor: bool,
    bodies: Vec<String>,
    pins: Vec<[(Option<usize>, Vector); 2]>,
    shapes: Vec<(usize, Hull)>,
    /// Bodies that do not touch each other, or the ground.
    joined: Vec<[Option<usize>; 2]>,
}

/// Points with a radius, or a cylinder.
enum Hull {
    Round(Vec<Vector>, f64),
    Cylinder { radius: f64, height: f64 },
}

impl Measure {
    pub fn of(text: &str) -> Option<Self> {
        let scene: Table = text.parse().ok()?;
        let is_plane = scene.get("dimension").is_none();
        let mut measure = Self {
            up: if is_plane { 1 } else { 2 },
            has_floor: list(scene.get("ground").and_then(|g| g.get("shape"))).any(|shape| {
                word(shape, "name") == "floor" && word(shape, "kind").starts_with("half")
            }),
            bodies: Vec::new(),
            pins: Vec::new(),
            shapes: Vec::new(),
            joined: Vec::new(),
        };
        let mut poses = Vec::new();
        for (i, body) in list(scene.get("body")).enumerate() {
            measure.bodies.push(word(body, "name").to_owned());
            let angle = [0.0, 0.0, number(body, "angle")];
            poses.push(Pose {
                position: vector(body.get("position")),
                rotation: if is_plane {
                    angle
                } else {
                    vector(body.get("rotation_vector"))
                },
            });
            let hulls = list(body.get("shape")).map(|shape| (i, hull(shape, is_plane)));
            measure.shapes.extend(hulls);
        }
        for joint in list(scene.get("joint")) {
            measure.add_joint(joint, &poses);
        }
        Some(measure)
    }

    fn add_joint(&mut self, joint: &Value, poses: &[Pose]) {
        let body = |k: usize| {
            let name = joint
                .get("bodies")
                .and_then(|b| b.get(k))
                .and_then(Value::as_str);
            self.bodies
                .iter()
                .position(|body| Some(body.as_str()) == name)
        };
        let bodies = [body(0), body(1)];
        let kind = word(joint, "kind");
        if ["revolute", "spherical", "fixed", "universal"].contains(&kind) {
            let at = vector(joint.get("at"));
            let pose = |body: Option<usize>| body.map_or(GROUND, |i| poses[i]);
            self.pins
                .push(bodies.map(|body| (body, pose(body).local(at))));
        }
        if kind != "distance" {
            self.joined.push(bodies);
        }
    }

    /// Largest gap of a pin in a row, m.
    pub fn drift(&self, row: &BTreeMap<&str, f64>) -> f64 {
        let poses = self.poses(row);
        let end =
            |(body, point): (Option<usize>, Vector)| body.map_or(GROUND, |i| poses[i]).world(point);
        let gaps = self.pins.iter().map(|[a, b]| norm(minus(end(*a), end(*b))));
        gaps.fold(0.0, f64::max)
    }

    /// Deepest overlap with the floor, or of two balls, m.
    pub fn overlap(&self, row: &BTreeMap<&str, f64>) -> f64 {
        let poses = self.poses(row);
        let may_touch = |a, b| !self.joined.contains(&[a, b]) && !self.joined.contains(&[b, a]);
        let mut deepest = 0.0f64;
        for (k, (i, hull)) in self.shapes.iter().enumerate() {
            if self.has_floor && may_touch(None, Some(*i)) {
                deepest = deepest.max(-self.lowest(&poses[*i], hull));
            }
            for (j, other) in &self.shapes[k + 1..] {
                if let (Some((a, r)), Some((b, s))) = (hull.ball(), other.ball())
                    && i != j
                    && may_touch(Some(*i), Some(*j))
                {
                    let apart = norm(minus(poses[*i].world(a), poses[*j].world(b)));
                    deepest = deepest.max(r + s - apart);
                }
            }
        }
        deepest
    }

    fn lowest(&self, pose: &Pose, hull: &Hull) -> f64 {
        match hull {
            Hull::Round(points, radius) => {
                let heights = points.iter().map(|point| pose.world(*point)[self.up]);
                heights.fold(f64::INFINITY, f64::min) - radius
            }
            Hull::Cylinder { radius, height } => {
                let tilt = turned([0.0, 0.0, 1.0], pose.rotation)[2];
                let across = (1.0 - tilt * tilt).max(0.0).sqrt();
                pose.position[2] - 0.5 * height * tilt.abs() - radius * across
            }
        }
    }

    fn poses(&self, row: &BTreeMap<&str, f64>) -> Vec<Pose> {
        let column = |name: String| row.get(name.as_str()).copied();
        // point masses do not turn
        let turn = |name: String| column(name).unwrap_or(0.0);
        let pose = |body: &String| Pose {
            position: ["x", "y", "z"].map(|axis| {
                let found = column(format!("{body}.position.{axis}"));
                found.unwrap_or_else(|| {
                    assert!(
                        self.up == 1 && axis == "z",
                        "no column {body}.position.{axis}"
                    );
                    0.0
                })
            }),
            rotation: if self.up == 1 {
                [0.0, 0.0, turn(format!("{body}.position.angle"))]
            } else {
                rotation_vector(
                    ["w", "x", "y", "z"].map(|part| turn(format!("{body}.orientation.{part}"))),
                )
            },
        };
        self.bodies.iter().map(pose).collect()
    }
}

impl Hull {
    fn ball(&self) -> Option<(Vector, f64)> {
        match self {
            Hull::Round(points, radius) if points.len() == 1 => Some((points[0], *radius)),
            _ => None,
        }
    }
}

/// Of a unit quaternion.
fn rotation_vector([w, x, y, z]: [f64; 4]) -> Vector {
    let sine = norm([x, y, z]);
    let angle = 2.0 * libm::atan2(sine, w);
    let scale = if sine > 0.0 { angle / sine } else { 0.0 };
    [x, y, z].map(|c| c * scale)
}

fn hull(shape: &Value, is_plane: bool) -> Hull {
    let place = vector(shape.get("position"));
    let radius = number(shape, "radius");
    match word(shape, "kind") {
        "cylinder" => Hull::Cylinder {
            radius,
            height: number(shape, "height"),
        },
        "capsule" => Hull::Round(
            vec![vector(shape.get("from")), vector(shape.get("to"))],
            radius,
        ),
        "polygon" | "polyhedron" => {
            let corners = list(shape.get("vertices")).map(|corner| vector(Some(corner)));
            Hull::Round(corners.collect(), 0.0)
        }
        "box" => {
            let half = vector(shape.get("size")).map(|x| 0.5 * x);
            let signs = [-1.0, 1.0];
            let depths: &[f64] = if is_plane { &[0.0] } else { &signs };
            let mut corners = Vec::new();
            for x in signs {
                for y in signs {
                    let corner = |z: &f64| add(place, [x * half[0], y * half[1], z * half[2]]);
                    corners.extend(depths.iter().map(corner));
                }
            }
            Hull::Round(corners, 0.0)
        }
        _ => Hull::Round(vec![place], radius),
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn real(value: &Value) -> f64 {
    let whole = || value.as_integer().map(|i| i as f64);
    value.as_float().or_else(whole).unwrap_or(0.0)
}

fn number(value: &Value, key: &str) -> f64 {
    value.get(key).map_or(0.0, real)
}

fn vector(value: Option<&Value>) -> Vector {
    let mut vector = [0.0; 3];
    for (to, from) in vector.iter_mut().zip(list(value)) {
        *to = real(from);
    }
    vector
}
