//! Sensors: quantities that the author of a scene names.

use super::{BodyRef, ContactKind, Model};
use crate::kinds::space::Pose;
use crate::math::{Vec3, quaternion};
use crate::scene::error::Problem;
use crate::scene::spec::Name;
use crate::scene::spec::sensor::{Sensor as Written, SensorKind, SensorTarget};

/// A sensor.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// The body, or the two bodies.
    pub bodies: [BodyRef; 2],
    /// Points of these bodies, m: in the engine's axes of the body.
    pub points: [Vec3; 2],
    /// Index of the joint, and of the first of its equations.
    pub joint: [usize; 2],
    /// Coordinate of the joint.
    pub coordinate: usize,
    /// The body in whose axes, and relative to whose motion, a vector is given.
    pub frame: BodyRef,
    /// The only component that it measures.
    pub component: Option<usize>,
    /// Pairs of shapes of its two bodies.
    pub pairs: Vec<usize>,
    /// Unit for display.
    pub display_unit: Option<Name>,
}

/// Adds the sensors of a scene. Names of bodies and joints have been checked.
pub(super) fn add(written: &[Written], model: &mut Model, problems: &mut Vec<Problem>) {
    for sensor in written {
        if sensor.kind.target() == SensorTarget::Contact && model.time_stepping.is_some() {
            problems.push(Problem {
                place: sensor.place.clone(),
                key: format!("sensor[{}].kind", sensor.name),
                message: "contact forces are not measured with time stepping".to_owned(),
                hint: "measure the reaction of a joint, or use the event-driven integrator"
                    .to_owned(),
            });
        }
        let added = model.sensor(sensor);
        model.sensors.push(added);
    }
}

impl Model {
    fn sensor(&self, written: &Written) -> Sensor {
        let body = |name: &Name| self.bodies.iter().position(|b| b.name == name.text);
        let bodies = [0, 1].map(|i| written.bodies.get(i).and_then(body));
        let joint = written.joint.as_ref();
        let joint = joint.and_then(|name| self.joints.iter().position(|j| j.name == name.text));
        let joint = joint.unwrap_or(0);
        let before = self.joints.iter().take(joint);
        let mut sensor = Sensor {
            name: written.name.clone(),
            kind: written.kind,
            bodies,
            points: [0, 1].map(|i| self.in_engine_axes(bodies[i], written.points[i].into())),
            joint: [joint, before.map(|link| link.joint.n_rows()).sum()],
            coordinate: written.coordinate,
            frame: written.frame.as_ref().and_then(body),
            component: written.component,
            pairs: Vec::new(),
            display_unit: written.display_unit.clone(),
        };
        if written.kind.target() == SensorTarget::Contact {
            sensor.pairs = self.shape_pairs_of(bodies);
        }
        sensor
    }

    // the engine uses principal axes
    pub(super) fn in_engine_axes(&self, body: BodyRef, point: Vec3) -> Vec3 {
        match body {
            Some(body) if self.spatial => {
                let axes = quaternion::conjugate(self.bodies[body].axes);
                Pose::new(Vec3::zeros(), axes).turn(point)
            }
            Some(_) | None => point,
        }
    }

    fn shape_pairs_of(&self, bodies: [BodyRef; 2]) -> Vec<usize> {
        let [a, b] = bodies;
        let mut pairs: Vec<usize> = Vec::new();
        for contact in &self.contacts {
            // belts are surfaces of the ground
            let belongs_to = |body: BodyRef| body.filter(|body| !self.bodies[*body].is_belt);
            let of_contact = contact.bodies.map(belongs_to);
            let is_between = of_contact == bodies || of_contact == [b, a];
            if is_between
                && !matches!(contact.kind, ContactKind::Limit(_))
                && !pairs.contains(&contact.pair)
            {
                pairs.push(contact.pair);
            }
        }
        pairs
    }
}
