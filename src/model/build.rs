//! Builds a model from a scene spec, with the checks that need geometry.

use super::{
    AnyForce, AnyJoint, Body, BodyRef, ForceLink, FrictionElement, InputUnit, JointLink, Model,
    Motion, Poses, StartSpec, contacts, drives, flanges, pose_of, sensors, space, twist_of,
};
use crate::constraint::{Pose, Twist};
use crate::kinds::force::{Given, Kind};
use crate::kinds::joint::Mounting;
use crate::kinds::plane::force::{Flange, Force, Hold, Side, Signal, Site, Situation};
use crate::kinds::plane::joint::{Joint, Mounts, Revolute};
use crate::kinds::plane::shape::Shape;
use crate::math::{Limit, Vec2, Vec3, length, quaternion};
use crate::scene::error::Problem;
use crate::scene::spec::flange::FlangeTarget;
use crate::scene::spec::{
    self, Anchors, Axes, BodyKind, BodyMotion, Frame, Name, Parts, Plane, Scene, Target,
};

/// Joints may be open by this much in the scene (rounded coordinates), m or rad; the first step closes them.
pub(super) const CLOSED: f64 = 1e-6;

/// Checks a scene spec and builds its model. All errors are reported at once.
pub fn build(scene: &Scene) -> Result<Model, Vec<Problem>> {
    match &scene.parts {
        Parts::Plane(plane) => build_plane(scene, plane),
        Parts::Space(space) => space::build(scene, space),
    }
}

fn build_plane(scene: &Scene, plane: &Plane) -> Result<Model, Vec<Problem>> {
    let mut builder = Builder {
        scene: plane,
        model: Model {
            gravity: Vec3::new(plane.gravity[0], plane.gravity[1], 0.0),
            ..empty(scene)
        },
        poses: Vec::new(),
        twists: Vec::new(),
        problems: Vec::new(),
    };
    builder.bodies();
    builder.joints();
    builder.drives();
    builder.clutches();
    builder.forces();
    builder.flanges();
    if builder.problems.is_empty() {
        contacts::add(
            plane,
            &mut builder.model,
            &Poses::Plane(builder.poses),
            &mut builder.problems,
        );
        sensors::add(&plane.sensors, &mut builder.model, &mut builder.problems);
    }
    finish(builder.model, builder.problems)
}

/// Completes a model, if there are no errors.
pub(super) fn finish(mut model: Model, problems: Vec<Problem>) -> Result<Model, Vec<Problem>> {
    let driven = model.drives.iter().map(|drive| drive.motion.signal());
    let signals = driven.chain(model.elements.iter().flat_map(FrictionElement::signals));
    let mut breakpoints: Vec<f64> = signals
        .clone()
        .flat_map(|signal| signal.breakpoints().iter().copied())
        .collect();
    let shortest = signals.fold(f64::INFINITY, |p, signal| p.at_most(signal.period()));
    breakpoints.extend(
        model
            .forces
            .iter()
            .flat_map(|link| link.force.breakpoints()),
    );
    // the branches of servos follow the inputs in a state
    for servo in model.forces.iter_mut().filter_map(|f| f.force.servo_mut()) {
        servo.branch = model.inputs.len() + model.n_servos;
        model.n_servos += 1;
    }
    // so do the speeds that follow from accelerations by inputs
    let mut slot = model.inputs.len() + model.n_servos;
    for drive in &mut model.drives {
        if let Motion::Acceleration(given) = &mut drive.motion
            && let Signal::Input(_) = given.signal
        {
            given.slot = Some(slot);
            slot += 1;
        }
    }
    breakpoints.sort_by(f64::total_cmp);
    breakpoints.dedup();
    model.breakpoints = breakpoints;
    model.shortest_period = model.forces.iter().fold(shortest, |period, link| {
        period.at_most(link.force.shortest_period())
    });
    model.has_stribeck_friction = model.contacts.iter().any(|c| c.stribeck_velocity.is_some());
    model.has_compliant_contacts = model.contacts.iter().any(|c| c.compliance.is_some());
    if problems.is_empty() {
        Ok(model)
    } else {
        Err(problems)
    }
}

/// A model without parts.
pub(super) fn empty(scene: &Scene) -> Model {
    Model {
        name: scene.name.clone(),
        description: scene.description.clone(),
        spatial: false,
        gravity: Vec3::zeros(),
        until: scene.until,
        settings: scene.settings.clone(),
        interface: scene.interface.clone(),
        bodies: Vec::new(),
        joints: Vec::new(),
        forces: Vec::new(),
        contacts: Vec::new(),
        pairs: Vec::new(),
        couplings: Vec::new(),
        loose_couplings: Vec::new(),
        ropes: Vec::new(),
        elements: Vec::new(),
        drives: Vec::new(),
        inputs: Vec::new(),
        parameters: scene.parameters.clone(),
        sensors: Vec::new(),
        flanges: Vec::new(),
        n_servos: 0,
        breakpoints: Vec::new(),
        shortest_period: f64::INFINITY,
        n_velocities: 0,
        n_joint_rows: 0,
        n_joint_coordinates: 0,
        n_friction_rows: 1,
        has_stribeck_friction: false,
        has_compliant_contacts: false,
        mass: Vec::new(),
        angular: Vec::new(),
        initial_position: Vec::new(),
        initial_velocity: Vec::new(),
        initial_orientation: Vec::new(),
        time_stepping: None,
    }
}

/// Error for a name that is not defined.
pub(super) fn unknown_name(name: &Name, what: &str) -> Problem {
    Problem {
        place: name.place.clone(),
        key: what.to_owned(),
        message: format!("there is no {what} `{}`", name.text),
        hint: format!("give the {what} a name and use it here"),
    }
}

fn vec2(pair: [f64; 2]) -> Vec2 {
    Vec2::new(pair[0], pair[1])
}

struct Builder<'a> {
    scene: &'a Plane,
    model: Model,
    poses: Vec<Pose>,
    twists: Vec<Twist>,
    problems: Vec<Problem>,
}

impl Builder<'_> {
    fn bodies(&mut self) {
        for body in &self.scene.bodies {
            let model = &mut self.model;
            let first = model.n_velocities;
            let mut coordinates = body.position.to_vec();
            let mut velocities = body.velocity.to_vec();
            model.mass.extend([body.mass; 2]);
            model.angular.extend([false; 2]);
            if body.kind == BodyKind::Rigid {
                coordinates.push(body.angle);
                velocities.push(body.angular_velocity);
                model.angular.push(true);
                model
                    .mass
                    .push(body.inertia.unwrap_or_else(|| uniform_inertia(body)));
            }
            model.n_velocities += coordinates.len();
            model.bodies.push(Body {
                name: body.name.clone(),
                first,
                n_dof: coordinates.len(),
                axes: quaternion::IDENTITY,
                start: StartSpec::default(),
                extent: 0.0,
                is_belt: body.motion.as_ref().is_some_and(BodyMotion::is_of_belt),
                is_reel: body.motion.as_ref().is_some_and(BodyMotion::is_of_reel),
            });
            model.initial_position.extend(coordinates);
            model.initial_velocity.extend(velocities);
        }
        let (q, v) = (&self.model.initial_position, &self.model.initial_velocity);
        for body in &self.model.bodies {
            let turning = |x: &[f64]| {
                if body.n_dof == 3 {
                    x[body.first + 2]
                } else {
                    0.0
                }
            };
            let [x, y] = [q[body.first], q[body.first + 1]];
            self.poses.push(Pose::new(x, y, turning(q)));
            self.twists.push(Twist {
                linear: Vec2::new(v[body.first], v[body.first + 1]),
                angular: turning(v),
            });
        }
    }

    fn body(&mut self, name: &Name) -> BodyRef {
        if name.text == "ground" {
            return None;
        }
        let found = self.model.bodies.iter().position(|b| b.name == name.text);
        if found.is_none() {
            self.problems.push(unknown_name(name, "body"));
        }
        found
    }

    fn joint(&mut self, name: &Name) -> Option<usize> {
        let found = self.model.joints.iter().position(|j| j.name == name.text);
        if found.is_none() {
            self.problems.push(unknown_name(name, "joint"));
        }
        found
    }

    // anchors in body coordinates
    fn anchors(&self, anchors: &Anchors, bodies: [BodyRef; 2]) -> [Vec2; 2] {
        match anchors {
            Anchors::Local(local) => local.map(vec2),
            Anchors::World(point) => bodies.map(|body| {
                let pose = pose_of(&self.poses, body);
                pose.turn_back(vec2(*point) - pose.position)
            }),
        }
    }

    fn distance(&self, anchors: [Vec2; 2], bodies: [BodyRef; 2]) -> f64 {
        let ends = [0, 1].map(|i| pose_of(&self.poses, bodies[i]).point(anchors[i]));
        length(ends[1] - ends[0])
    }

    fn joints(&mut self) {
        for written in &self.scene.joints {
            let bodies = [self.body(&written.bodies[0]), self.body(&written.bodies[1])];
            let anchors = self.anchors(&written.anchors, bodies);
            let [a, b] = bodies.map(|body| pose_of(&self.poses, body));
            let axis = match written.axes {
                Axes::Local([axis, _]) | Axes::World([axis, _]) => vec2(axis) / length(vec2(axis)),
                Axes::None => Vec2::x(),
            };
            let mounts = Mounts {
                anchors,
                axis,
                angle: b.angle - a.angle,
                distance: self.distance(anchors, bodies),
            };
            let joint = written.kind.joint(&mounts, &written.parameters);
            self.check_joint(written, &joint, bodies);
            let first_row = self.model.n_joint_rows;
            self.model.n_joint_rows += joint.n_rows();
            let index = self.model.joints.len();
            self.model.joints.push(JointLink {
                name: written.name.clone(),
                bodies,
                joint: AnyJoint::Plane(joint),
                first_coordinate: 0,
            });
            self.model
                .add_joint_friction(index, first_row, &written.friction);
            if let Some(motor) = &written.motor {
                self.model.add_motor(index, motor);
            }
        }
    }

    fn drives(&mut self) {
        let (scene, model) = (self.scene, &mut self.model);
        drives::add_couplings(&scene.couplings, model, &mut self.problems);
        for (i, body) in scene.bodies.iter().enumerate() {
            if let Some(motion) = &body.motion {
                model.drive_body(i, motion);
            }
        }
        model.n_joint_rows += model.couplings.len() + model.drives.len();
        if self.problems.is_empty() {
            let places = drives::Places {
                bodies: scene.bodies.iter().map(|body| &body.place).collect(),
                joints: scene.joints.iter().map(|joint| &joint.place).collect(),
            };
            drives::check(model, &places, &mut self.problems);
        }
    }

    fn clutches(&mut self) {
        for written in &self.scene.clutches {
            let bodies = [self.body(&written.bodies[0]), self.body(&written.bodies[1])];
            let [anchor_a, anchor_b] = [Vec2::zeros(); 2];
            let along = AnyJoint::Plane(Joint::Revolute(Revolute { anchor_a, anchor_b }));
            self.model.add_clutch(written, bodies, along);
        }
        self.model.n_joint_rows += self.model.elements.len();
    }

    fn check_joint(&mut self, written: &spec::Joint, joint: &Joint, bodies: [BodyRef; 2]) {
        if joint.description().mounting == Mounting::Ends
            && self.distance(joint.attachment(), bodies) == 0.0
        {
            self.reject_joint(
                written,
                "the ends of the rod coincide".to_owned(),
                "use a revolute joint, or move the anchors apart",
            );
            return;
        }
        let [a, b] = bodies.map(|body| pose_of(&self.poses, body));
        let [twist_a, twist_b] = bodies.map(|body| *twist_of(&self.twists, body));
        let rows = joint.rows(a, b);
        let fastest = crate::math::max_abs(&self.model.initial_velocity);
        for (i, name) in joint.row_names().iter().enumerate() {
            let open = rows.residual[i];
            let rate = rows.rows[i].rate(&twist_a, &twist_b);
            if open.abs() > CLOSED {
                self.reject_joint(
                    written,
                    format!("the joint does not close: its {name} is off by {open:.3e}"),
                    "move the bodies or the anchors so that both sides meet at the start",
                );
            } else if rate.abs() > CLOSED * (1.0 + fastest) {
                self.reject_joint(
                    written,
                    format!("the initial velocities violate the joint: its {name} changes at {rate:.3e} per second"),
                    "give velocities that the joint allows",
                );
            }
        }
    }

    #[inline(never)]
    fn reject_joint(&mut self, written: &spec::Joint, message: String, hint: &str) {
        self.problems.push(Problem {
            place: written.place.clone(),
            key: format!("joint[{}]", written.name),
            message,
            hint: hint.to_owned(),
        });
    }

    fn forces(&mut self) {
        for written in &self.scene.forces {
            let mut site = Site {
                anchors: [Vec2::zeros(); 2],
                start: 0.0,
                point: Vec2::zeros(),
                frame: Frame::World,
                force: [0.0; 2].map(Signal::constant),
                torque: Signal::constant(0.0),
            };
            let mut at_joint = None;
            let bodies = match &written.on {
                Target::Points { bodies, anchors } => {
                    let bodies = [self.body(&bodies[0]), self.body(&bodies[1])];
                    site.anchors = anchors.map(vec2);
                    site.start = self.distance(site.anchors, bodies);
                    self.problems.extend(no_direction(written, site.start));
                    bodies
                }
                Target::Joint { joint, .. } => {
                    at_joint = self.joint(joint);
                    let Some(index) = at_joint else { continue };
                    site.start = self.start_of(index);
                    self.model.joints[index].bodies
                }
                Target::Body {
                    body,
                    point,
                    frame,
                    force,
                    torque,
                } => {
                    site.point = vec2(*point);
                    site.frame = *frame;
                    let (name, unit) = (&written.name, InputUnit::Newton);
                    for (i, part) in ["force_x", "force_y"].into_iter().enumerate() {
                        site.force[i] = self.model.signal(name, part, unit, force.get(i));
                    }
                    let (part, unit) = ("torque", InputUnit::NewtonMeter);
                    site.torque = self.model.signal(name, part, unit, torque.first());
                    [None, self.body(body)]
                }
                // the element acts at its second body's centre of mass
                Target::Bodies(bodies) => [self.body(&bodies[1]), self.body(&bodies[0])],
            };
            self.model.forces.push(ForceLink {
                name: written.name.clone(),
                bodies,
                force: AnyForce::Plane(written.kind.force(site, &written.parameters)),
                joint: at_joint,
            });
        }
    }

    fn flanges(&mut self) {
        for written in &self.scene.flanges {
            let (bodies, joint, at) = match &written.on {
                FlangeTarget::Joint { joint, coordinate } => {
                    let Some(index) = self.joint(joint) else {
                        continue;
                    };
                    let bodies = self.model.joints[index].bodies;
                    (bodies, Some(index), Hold::Joint(*coordinate))
                }
                FlangeTarget::Point { body, point, along } => {
                    let axis = vec2(*along) / length(vec2(*along));
                    let point = vec2(*point);
                    ([None, self.body(body)], None, Hold::Point { point, axis })
                }
            };
            let turns = joint.is_some_and(|i| self.model.joints[i].joint.coordinate_turns(0));
            let placed = Situation {
                time: 0.0,
                side: Side::After,
                pose: bodies.map(|body| pose_of(&self.poses, body)),
                twist: bodies.map(|body| twist_of(&self.twists, body)),
                joint: joint.and_then(|i| self.model.joints[i].joint.plane()),
                inputs: &[],
            };
            let now = at.coordinate(&placed);
            let place = flanges::Place {
                bodies,
                joint,
                turns,
                start: now.map_or(0.0, |now| now.value),
            };
            self.model
                .add_flange(&written.name, place, written.spring, |law| {
                    AnyForce::Plane(Force::Flange(Flange { at, law }))
                });
        }
    }

    // the coordinate of a joint at the start
    fn start_of(&self, joint: usize) -> f64 {
        let link = &self.model.joints[joint];
        let [a, b] = link.bodies.map(|body| pose_of(&self.poses, body));
        let coordinate = link.joint.plane().and_then(|joint| joint.coordinate(a, b));
        coordinate.map_or(0.0, |(value, _)| value)
    }
}

/// Error for a spring whose two ends coincide.
pub(super) fn no_direction<P, K: Kind>(
    written: &spec::Force<P, K>,
    distance: f64,
) -> Option<Problem> {
    let given = Given {
        parameters: written.kind.description().parameters,
        values: &written.parameters,
    };
    (distance == 0.0 && given.number("rest_length") > 0.0).then(|| Problem {
        place: written.place.clone(),
        key: format!("force[{}].rest_length", written.name),
        message: "the ends of the spring coincide at the start, so its force has no direction"
            .to_owned(),
        hint: "move the anchors apart, or use `rest_length = 0`".to_owned(),
    })
}

// moment of inertia of the shapes at uniform density about the body's origin, its centre of mass
fn uniform_inertia(body: &spec::Body) -> f64 {
    let moments = body
        .shapes
        .iter()
        .filter_map(|shape| Shape::from_geometry(&shape.geometry).area_moments());
    let (area, polar) = moments.fold((0.0, 0.0), |(area, polar), m| {
        (area + m.area, polar + m.polar)
    });
    body.mass * polar / area
}
