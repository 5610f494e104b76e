//! Scene of the animation: shapes in body axes, joints and springs with their attachment points.

use super::sample::applied;
use serde_json::{Value, json};
use stiction::kinds::plane::force::Force;
use stiction::kinds::plane::shape::Shape;
use stiction::kinds::space;
use stiction::math::{Vec3, quaternion};
use stiction::model::{AnyForce, AnyJoint, BodyRef, ForceLink, JointLink, Model, Rope, shape_of};
use stiction::scene::spec::{Geometry, Parts, Scene};
use stiction::tool::describe::drawing::space::solid::Solid;

/// Decimal places: micrometres.
const DIGITS: f64 = 1e6;

fn short(x: f64) -> f64 {
    (x * DIGITS).round() / DIGITS
}

fn list(v: &[f64]) -> Value {
    json!(v.iter().map(|x| short(*x)).collect::<Vec<f64>>())
}

/// Ground is -1.
fn index(body: BodyRef) -> i64 {
    body.map_or(-1, |i| i64::try_from(i).unwrap_or(-1))
}

/// The scene as JSON for the page.
pub fn stage(scene: &Scene, model: &Model) -> Value {
    let (ground, bodies) = match &scene.parts {
        Parts::Plane(plane) => {
            let shapes = |geometries: Vec<&Geometry>| -> Vec<Value> {
                geometries.into_iter().map(plane_shape).collect()
            };
            let ground = shapes(plane.ground.iter().map(|s| &s.geometry).collect());
            let of_body = |body: &stiction::scene::spec::Body| {
                shapes(body.shapes.iter().map(|s| &s.geometry).collect())
            };
            let bodies: Vec<Vec<Value>> = plane.bodies.iter().map(of_body).collect();
            (ground, bodies)
        }
        Parts::Space(parts) => {
            let ground = parts.ground.iter().flat_map(|shape| {
                shape_of(&shape.geometry, quaternion::IDENTITY)
                    .map_or_else(|_| Vec::new(), |shape| space_shapes(&shape))
            });
            let bodies = parts.bodies.iter().zip(&model.bodies).map(|(body, built)| {
                let shapes = body.shapes.iter().flat_map(|shape| {
                    shape_of(&shape.geometry, built.axes)
                        .map_or_else(|_| Vec::new(), |shape| space_shapes(&shape))
                });
                shapes.collect()
            });
            (ground.collect(), bodies.collect())
        }
    };
    let bodies: Vec<Value> = model
        .bodies_of_scene()
        .iter()
        .zip(bodies)
        .map(|(body, shapes)| json!({ "name": body.name, "shapes": shapes }))
        .collect();
    json!({
        "gravity": list(model.gravity.as_slice()),
        "ground": ground,
        "bodies": bodies,
        "joints": model.joints.iter().map(joint).collect::<Vec<Value>>(),
        "springs": model.forces.iter().filter_map(spring).collect::<Vec<Value>>(),
        "ropes": model.ropes.iter().flat_map(Rope::parts).map(rope_part).collect::<Vec<Value>>(),
        "applied": applied(model).filter_map(applied_at).collect::<Vec<Value>>(),
    })
}

fn plane_shape(geometry: &Geometry) -> Value {
    match Shape::from_geometry(geometry) {
        Shape::HalfPlane(plane) => {
            json!({ "normal": list(plane.normal.as_slice()), "offset": short(plane.offset) })
        }
        Shape::Convex(convex) => {
            let points = convex.vertices.iter().map(|v| list(v.as_slice()));
            json!({ "points": points.collect::<Vec<Value>>(), "radius": short(convex.radius) })
        }
    }
}

fn space_shapes(shape: &space::shape::Shape) -> Vec<Value> {
    if let space::shape::Shape::HalfSpace(plane) = shape {
        let normal = list(plane.normal.as_slice());
        return vec![json!({ "normal": normal, "offset": short(plane.offset) })];
    }
    let colliders = Solid::new(shape, &space::Pose::ground(), None);
    colliders.iter().map(collider).collect()
}

fn collider(collider: &Solid) -> Value {
    let points = collider.points.iter().map(|p| list(p.as_slice()));
    let faces = collider.faces.iter().map(|face| {
        let lines: Vec<u8> = face.lines.iter().map(|line| u8::from(*line)).collect();
        json!({ "normal": list(face.normal.as_slice()), "corners": face.corners, "lines": lines })
    });
    json!({
        "points": points.collect::<Vec<Value>>(),
        "radius": short(collider.radius),
        "faces": faces.collect::<Vec<Value>>(),
        "sheet": collider.is_sheet,
    })
}

fn joint(link: &JointLink) -> Value {
    let (anchors, axis) = match &link.joint {
        AnyJoint::Plane(joint) => (
            joint.attachment().map(|a| list(a.as_slice())),
            joint.axis().map(|axis| list(axis.as_slice())),
        ),
        AnyJoint::Space(joint) => (
            joint.attachment().map(|a| list(a.as_slice())),
            joint.axis().map(|axis| list(axis.as_slice())),
        ),
    };
    json!({
        "name": link.name,
        "kind": link.joint.description().word,
        "bodies": link.bodies.map(index),
        "anchors": anchors,
        "axis": axis,
    })
}

fn spring(link: &ForceLink) -> Option<Value> {
    let (anchors, stiffness, damping) = match &link.force {
        AnyForce::Plane(Force::SpringDamper(f)) => (
            [list(f.anchor_a.as_slice()), list(f.anchor_b.as_slice())],
            f.stiffness,
            f.damping,
        ),
        AnyForce::Space(space::force::Force::SpringDamper(f)) => (
            [list(f.anchor_a.as_slice()), list(f.anchor_b.as_slice())],
            f.stiffness,
            f.damping,
        ),
        AnyForce::Plane(_) | AnyForce::Space(_) => return None,
    };
    Some(json!({
        "name": link.name,
        "bodies": link.bodies.map(index),
        "anchors": anchors,
        "spring": stiffness > 0.0,
        "damper": damping > 0.0,
    }))
}

fn rope_part(ends: [(BodyRef, Vec3); 2]) -> Value {
    json!({
        "bodies": ends.map(|(body, _)| index(body)),
        "anchors": ends.map(|(_, point)| list(point.as_slice())),
    })
}

fn applied_at(link: &ForceLink) -> Option<Value> {
    let point = match &link.force {
        AnyForce::Plane(Force::Applied(f)) => list(f.point.as_slice()),
        AnyForce::Space(space::force::Force::Applied(f)) => list(f.point.as_slice()),
        AnyForce::Plane(_) | AnyForce::Space(_) => return None,
    };
    Some(json!({ "name": link.name, "body": index(link.bodies[1]), "point": point }))
}
