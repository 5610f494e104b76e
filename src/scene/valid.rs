//! What the numbers of a scene must fulfil together, checked again when a parameter has changed some of them. The range of
//! each number is checked where it is set, and what depends on positions where the model is built.

use super::error::{Place, Problem};
use super::spec::space::{Friction, Sliding};
use super::spec::{Geometry, Limits, Parts, Scene, Shape, space};
use crate::kinds::space::inertia::principal;
use crate::math::Mat3;

/// All contradictions.
pub fn problems(scene: &Scene) -> Vec<Problem> {
    let mut found = Found::default();
    match &scene.parts {
        Parts::Plane(plane) => {
            let bodies = plane.bodies.iter().flat_map(|body| &body.shapes);
            for shape in bodies.chain(&plane.ground) {
                if let Geometry::Capsule { from, to, .. } = &shape.geometry {
                    found.capsule(shape, from == to);
                }
            }
            let rules = plane.contact_rules.iter();
            let rules = rules.map(|rule| (rule.place.clone(), rule.material.friction));
            for (place, friction) in rules.chain([(0..0, plane.contact_default.friction)]) {
                let at_rest = friction.falling.map(|(at_rest, _)| at_rest);
                found.friction(&place, friction.sliding, at_rest);
            }
            for joint in &plane.joints {
                found.limits(&joint.place, &joint.name, &joint.limits);
            }
            for clutch in &plane.clutches {
                found.friction(&clutch.place, clutch.friction, Some(clutch.static_friction));
            }
        }
        Parts::Space(space) => {
            let bodies = space.bodies.iter().flat_map(|body| &body.shapes);
            for shape in bodies.chain(&space.ground) {
                if let space::Geometry::Capsule { from, to, .. } = &shape.geometry {
                    found.capsule(shape, from == to);
                }
            }
            let rules = space.contact_rules.iter();
            let rules = rules.map(|rule| (rule.place.clone(), rule.material.friction));
            for (place, friction) in rules.chain([(0..0, space.contact_default.friction)]) {
                let Friction {
                    sliding,
                    static_friction,
                    ..
                } = friction;
                if let Sliding::Isotropic(sliding) = sliding {
                    found.friction(&place, sliding, static_friction);
                }
            }
            for body in &space.bodies {
                found.inertia(body);
            }
            for joint in &space.joints {
                found.limits(&joint.place, &joint.name, &joint.limits);
            }
            for clutch in &space.clutches {
                found.friction(&clutch.place, clutch.friction, Some(clutch.static_friction));
            }
        }
    }
    found.problems
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
}

impl Found {
    fn add(&mut self, place: &Place, key: &str, message: String, hint: &str) {
        self.problems.push(Problem {
            place: place.clone(),
            key: key.to_owned(),
            message,
            hint: hint.to_owned(),
        });
    }

    fn capsule<G>(&mut self, shape: &Shape<G>, is_point: bool) {
        if is_point {
            let message = format!(
                "both ends of the capsule `{}` are the same point",
                shape.name
            );
            self.add(&shape.place, "shape.to", message, "give two ends");
        }
    }

    fn friction(&mut self, place: &Place, sliding: f64, at_rest: Option<f64>) {
        if let Some(at_rest) = at_rest
            && at_rest < sliding
        {
            let message = format!("static_friction {at_rest} is below friction {sliding}");
            let hint = "static friction must not be smaller than kinetic friction";
            self.add(place, "static_friction", message, hint);
        }
    }

    fn limits(&mut self, place: &Place, name: &str, limits: &[Option<Limits>]) {
        for Limits { lower, upper, .. } in limits.iter().flatten() {
            if lower >= upper {
                let message =
                    format!("the lower limit {lower} is not below the upper limit {upper}");
                let key = format!("joint[{name}].limits");
                self.add(place, &key, message, "give the joint some play");
            }
        }
    }

    fn inertia(&mut self, body: &space::Body) {
        let Some(rows) = body.inertia else { return };
        let [a, b, c] = rows;
        let tensor = Mat3::new(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]);
        if principal(&tensor).defect().is_some() {
            let message = "no body has these moments of inertia: one is larger than the sum of the others, or not above zero";
            let key = format!("body[{}].inertia", body.name);
            self.add(
                &body.place,
                &key,
                message.to_owned(),
                "check their order and units (kg m²)",
            );
        }
    }
}
