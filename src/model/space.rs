//! Builds a model from a scene spec in space, with the checks that need geometry.

use super::build::{self, CLOSED};
use super::{
    AnyForce, AnyJoint, Body, BodyRef, ForceLink, InputLink, InputUnit, JointLink, Model, Poses,
    StartSpec, Twists, space_pose_of, space_twist_of,
};
use super::{drives, flanges, sensors, space_contacts};
use crate::kinds::joint::{Kind as _, Mounting};
use crate::kinds::plane::force::{Hold, Side, Signal};
use crate::kinds::space::force::{Flange, Force, Site, Situation, coordinate};
use crate::kinds::space::inertia::{self, Defect};
use crate::kinds::space::joint::{Count, Joint, Kind as JointKind, Mount, Mounts};
use crate::kinds::space::shape::shape_of;
use crate::kinds::space::{Pose, Twist};
use crate::math::{Limit, Mat3, Quaternion, Vec3, cross3, dot3, max_abs, quaternion};
use crate::scene::error::{Place, Problem};
use crate::scene::spec::flange::FlangeTarget;
use crate::scene::spec::space::{self as written, Mass, Space, Triple};
use crate::scene::spec::{
    self, Anchors, Axes, BodyKind, BodyMotion, Frame, Integrator, Name, Scene, Target,
};
use std::borrow::Cow;

/// Tolerance of the centre of mass of a body's shapes at its origin, relative to their size: coordinates with a few digits.
const CENTRED: f64 = 1e-6;

/// Checks a scene spec in space and builds its model. All errors are reported at once.
pub(super) fn build(scene: &Scene, space: &Space) -> Result<Model, Vec<Problem>> {
    let mut builder = Builder {
        scene: space,
        model: Model {
            spatial: true,
            gravity: vec3(space.gravity),
            n_friction_rows: super::N_TANGENTS,
            ..build::empty(scene)
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
    let Builder {
        mut model,
        mut problems,
        ..
    } = builder;
    if problems.is_empty() {
        let places = drives::Places {
            bodies: space.bodies.iter().map(|body| &body.place).collect(),
            joints: space.joints.iter().map(|joint| &joint.place).collect(),
        };
        drives::check(&model, &places, &mut problems);
        space_contacts::add(space, &mut model, &mut problems);
        sensors::add(&space.sensors, &mut model, &mut problems);
    }
    build::finish(model, problems)
}

pub(super) fn vec3(triple: Triple) -> Vec3 {
    Vec3::from(triple)
}

struct Builder<'a> {
    scene: &'a Space,
    model: Model,
    poses: Vec<Pose>,
    twists: Vec<Twist>,
    problems: Vec<Problem>,
}

/// Mass and inertia tensor of a body in the axes of the scene.
struct Inertia {
    mass: f64,
    tensor: Mat3,
}

impl Builder<'_> {
    fn reject<'m>(
        &mut self,
        place: &Place,
        key: String,
        message: impl Into<Cow<'m, str>>,
        hint: &str,
    ) {
        self.report(place, key, message.into(), hint);
    }

    #[inline(never)]
    fn report(&mut self, place: &Place, key: String, message: Cow<str>, hint: &str) {
        self.problems.push(Problem {
            place: place.clone(),
            key,
            message: message.into_owned(),
            hint: hint.to_owned(),
        });
    }

    fn bodies(&mut self) {
        for body in &self.scene.bodies {
            let first = self.model.n_velocities;
            let Inertia { mass, tensor } = self.inertia(body);
            let start = StartSpec {
                orientation: body.orientation,
                angular_velocity: vec3(body.angular_velocity),
                frame: body.angular_velocity_frame,
            };
            let mut orientation = body.orientation;
            let mut axes = quaternion::IDENTITY;
            let model = &mut self.model;
            model.mass.extend([mass; 3]);
            model.angular.extend([false; 3]);
            model.initial_position.extend(body.position);
            model.initial_velocity.extend(body.velocity);
            if body.kind == BodyKind::Rigid {
                let principal = inertia::principal(&tensor);
                axes = principal.orientation();
                orientation = start.orientation_of(axes);
                let spin = start.spin_of(axes);
                model.mass.extend(principal.moments.iter());
                model.angular.extend([true; 3]);
                model.initial_position.extend([0.0; 3]);
                model.initial_velocity.extend(spin.iter());
                if let Some(defect) = principal.defect() {
                    let (message, hint) = match defect {
                        Defect::NotPositive { .. } => (
                            "the inertia is not positive",
                            "give three positive moments, or a positive definite matrix",
                        ),
                        Defect::Triangle { .. } => (
                            "no body has this inertia: one principal moment is larger than the sum of the others",
                            "check the moments: the largest is at most the sum of the other two",
                        ),
                    };
                    self.reject(
                        &body.place,
                        format!("body[{}].inertia", body.name),
                        message,
                        hint,
                    );
                }
            }
            let n_dof = self.model.mass.len() - first;
            self.model.n_velocities += n_dof;
            self.model.initial_orientation.push(orientation);
            self.model.bodies.push(Body {
                name: body.name.clone(),
                first,
                n_dof,
                axes,
                start,
                extent: 0.0,
                is_belt: body.motion.as_ref().is_some_and(BodyMotion::is_of_belt),
                is_reel: body.motion.as_ref().is_some_and(BodyMotion::is_of_reel),
            });
        }
        let mut poses = Poses::new(&self.model);
        self.model.poses(&self.model.initial_position, &mut poses);
        self.poses = poses.space().to_vec();
        let mut twists = Twists::new(&self.model);
        self.model.twists(&self.model.initial_velocity, &mut twists);
        self.twists = twists.space().to_vec();
    }

    // given, or from the shapes at uniform density about the body's origin, which must be their centre of mass
    fn inertia(&mut self, body: &written::Body) -> Inertia {
        let colliders: Vec<_> = body
            .shapes
            .iter()
            .filter_map(|shape| {
                shape_of(&shape.geometry, quaternion::IDENTITY)
                    .ok()?
                    .moments()
            })
            .collect();
        let volume: f64 = colliders.iter().map(|m| m.volume).sum();
        let mass = match body.mass {
            Mass::Given(mass) => mass,
            Mass::Density(density) => density * volume,
        };
        let given = body.inertia.map(|rows| {
            let [a, b, c] = rows;
            Mat3::new(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])
        });
        if body.kind == BodyKind::Point || given.is_some() || volume == 0.0 {
            let tensor = given.unwrap_or_else(Mat3::identity);
            return Inertia { mass, tensor };
        }
        let density = mass / volume;
        let (mut centre, mut tensor, mut size) = (Vec3::zeros(), Mat3::zeros(), 0.0_f64);
        for m in &colliders {
            centre += m.centre * (m.volume / volume);
            let (c, square) = (m.centre, dot3(m.centre, m.centre));
            let steiner = Mat3::from_diagonal_element(square) - c * c.transpose();
            tensor += (m.inertia + steiner * m.volume) * density;
            size = size.at_least(libm::cbrt(m.volume)).at_least(square.sqrt());
        }
        if dot3(centre, centre).sqrt() > CENTRED * size {
            let [x, y, z] = [centre.x, centre.y, centre.z];
            self.reject(
                &body.place,
                format!("body[{}].shape", body.name),
                format!("the shapes' centre of mass is at [{x:.6}, {y:.6}, {z:.6}], not at the body's origin"),
                "move the shapes so that their centre is at [0, 0, 0], or give the inertia about the centre of mass",
            );
        }
        Inertia { mass, tensor }
    }

    fn body(&mut self, name: &Name) -> BodyRef {
        if name.text == "ground" {
            return None;
        }
        let found = self.model.bodies.iter().position(|b| b.name == name.text);
        if found.is_none() {
            self.problems.push(build::unknown_name(name, "body"));
        }
        found
    }

    fn joint(&mut self, name: &Name) -> Option<usize> {
        let found = self.model.joints.iter().position(|j| j.name == name.text);
        if found.is_none() {
            self.problems.push(build::unknown_name(name, "joint"));
        }
        found
    }

    // a point or direction given in the axes of the scene, in principal axes
    fn in_body(&self, body: BodyRef, written: Triple) -> Vec3 {
        body.map_or(vec3(written), |i| {
            turn_back(self.model.bodies[i].axes, vec3(written))
        })
    }

    fn pose(&self, body: BodyRef) -> Pose {
        *space_pose_of(&self.poses, body)
    }

    fn anchors(&self, anchors: &Anchors<Triple>, bodies: [BodyRef; 2]) -> [Vec3; 2] {
        match anchors {
            Anchors::Local(local) => [0, 1].map(|i| self.in_body(bodies[i], local[i])),
            Anchors::World(point) => bodies.map(|body| {
                let pose = self.pose(body);
                pose.turn_back(vec3(*point) - pose.position)
            }),
        }
    }

    // directions in the coordinates of both bodies
    fn axes(&self, axes: &Axes<Triple>, bodies: [BodyRef; 2]) -> Option<[Vec3; 2]> {
        match axes {
            Axes::None => None,
            Axes::World(axes) => {
                Some([0, 1].map(|i| self.pose(bodies[i]).turn_back(vec3(axes[i]))))
            }
            Axes::Local(local) => Some([0, 1].map(|i| self.in_body(bodies[i], local[i]))),
        }
    }

    fn distance(&self, anchors: [Vec3; 2], bodies: [BodyRef; 2]) -> f64 {
        let ends = [0, 1].map(|i| self.pose(bodies[i]).point(anchors[i]));
        let d = ends[1] - ends[0];
        dot3(d, d).sqrt()
    }

    fn joints(&mut self) {
        for written in &self.scene.joints {
            let bodies = [self.body(&written.bodies[0]), self.body(&written.bodies[1])];
            let Some(joint) = self.make_joint(written, bodies) else {
                self.reject(
                    &written.place,
                    format!("joint[{}].axis", written.name),
                    "the axis has no length, or both axes have one direction",
                    "give directions that are not zero and not parallel",
                );
                continue;
            };
            self.check_joint(written, &joint, bodies);
            let first_row = self.model.n_joint_rows;
            self.model.n_joint_rows += joint.n_rows();
            let index = self.model.joints.len();
            let first_coordinate = self.model.n_joint_coordinates;
            self.model.n_joint_coordinates += joint.n_coordinates();
            self.model.joints.push(JointLink {
                name: written.name.clone(),
                bodies,
                joint: AnyJoint::Space(joint),
                first_coordinate,
            });
            if let Some(motor) = &written.motor {
                self.check_coordinate(index, motor.coordinate, &written.place);
                self.model.add_motor(index, motor);
            }
            self.model
                .add_joint_friction(index, first_row, &written.friction);
        }
    }

    fn clutches(&mut self) {
        for written in &self.scene.clutches {
            let bodies = [self.body(&written.bodies[0]), self.body(&written.bodies[1])];
            let [a, b] = bodies.map(|body| self.pose(body));
            let axis = a.turn_back(vec3(written.axis));
            let Some(mount) = Mount::about(Vec3::zeros(), axis) else {
                continue;
            };
            let mounts = Mounts {
                b: mount.seen_from(&a, &b),
                a: mount,
                distance: 0.0,
            };
            let along = AnyJoint::Space(JointKind::Revolute.joint(&mounts, &[]));
            self.model.add_clutch(written, bodies, along);
        }
        self.model.n_joint_rows += self.model.elements.len();
    }

    fn make_joint(&self, written: &written::Joint, bodies: [BodyRef; 2]) -> Option<Joint> {
        let anchors = self.anchors(&written.anchors, bodies);
        let [a, b] = bodies.map(|body| self.pose(body));
        let distance = self.distance(anchors, bodies);
        let [anchor_a, anchor_b] = anchors;
        let (mount_a, mount_b) = match (self.axes(&written.axes, bodies), mounting(written)) {
            (None, _) => {
                let mount_a = Mount::about(anchor_a, Vec3::z())?;
                let mut mount_b = mount_a.seen_from(&a, &b);
                mount_b.anchor = anchor_b;
                (mount_a, mount_b)
            }
            // x of mount a is the first arm, y of mount b the second; z is across both
            (Some([first, second]), Mounting::Cross) => {
                let across = cross3(a.turn(first), b.turn(second));
                let across_b = b.turn_back(across);
                (
                    Mount::new(anchor_a, a.turn_back(across), first)?,
                    Mount::new(anchor_b, across_b, cross3(second, across_b))?,
                )
            }
            // where the axis is given in the world both sides have the same axes at the start
            (Some([axis_a, axis_b]), _) => {
                let mount_a = Mount::about(anchor_a, axis_a)?;
                let seen = mount_a.seen_from(&a, &b);
                let mount_b = Mount::new(anchor_b, axis_b, seen.axes[0])?;
                (mount_a, mount_b)
            }
        };
        let mounts = Mounts {
            a: mount_a,
            b: mount_b,
            distance,
        };
        Some(written.kind.joint(&mounts, &written.parameters))
    }

    fn check_joint(&mut self, written: &written::Joint, joint: &Joint, bodies: [BodyRef; 2]) {
        let key = format!("joint[{}]", written.name);
        if mounting(written) == Mounting::Ends && self.distance(joint.attachment(), bodies) == 0.0 {
            self.reject(
                &written.place,
                key,
                "the ends of the rod coincide",
                "use a spherical joint, or move the anchors apart",
            );
            return;
        }
        let [a, b] = bodies.map(|body| self.pose(body));
        let [twist_a, twist_b] = bodies.map(|body| *space_twist_of(&self.twists, body));
        let rows = joint.rows(&a, &b);
        let fastest = max_abs(&self.model.initial_velocity);
        for (i, name) in joint.row_names().iter().enumerate() {
            let open = rows.residual[i];
            let rate = rows.rows[i].rate(&twist_a, &twist_b);
            if open.abs() > CLOSED {
                self.reject(
                    &written.place,
                    key.clone(),
                    format!("the joint does not close: its {name} is off by {open:.3e}"),
                    "move the bodies or the anchors so that both sides meet at the start",
                );
            } else if rate.abs() > CLOSED * (1.0 + fastest) {
                self.reject(
                    &written.place,
                    key.clone(),
                    format!("the initial velocities violate the joint: its {name} changes at {rate:.3e} per second"),
                    "give velocities that the joint allows",
                );
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
    }

    fn forces(&mut self) {
        for written in &self.scene.forces {
            let zeros = || [0.0; 3].map(Signal::constant);
            let mut site = Site {
                anchors: [Vec3::zeros(); 2],
                coordinate: 0,
                start: 0.0,
                point: Vec3::zeros(),
                frame: Frame::World,
                axes: Mat3::identity(),
                force: zeros(),
                torque: zeros(),
            };
            let mut at_joint = None;
            let bodies = match &written.on {
                Target::Points { bodies, anchors } => {
                    let bodies = [self.body(&bodies[0]), self.body(&bodies[1])];
                    site.anchors = [0, 1].map(|i| self.in_body(bodies[i], anchors[i]));
                    site.start = self.distance(site.anchors, bodies);
                    let problem = build::no_direction(written, site.start);
                    self.problems.extend(problem);
                    bodies
                }
                Target::Joint { joint, coordinate } => {
                    at_joint = self.joint(joint);
                    let Some(index) = at_joint else { continue };
                    self.check_coordinate(index, *coordinate, &written.place);
                    site.coordinate = *coordinate;
                    site.start = self.start_of(index, *coordinate);
                    self.model.joints[index].bodies
                }
                Target::Body {
                    body,
                    point,
                    frame,
                    force,
                    torque,
                } => {
                    let body = self.body(body);
                    site.point = self.in_body(body, *point);
                    site.frame = *frame;
                    if let Some(i) = body {
                        let axes = quaternion::conjugate(self.model.bodies[i].axes);
                        site.axes = quaternion::matrix(axes);
                    }
                    site.force = self.signals(&written.name, "force", force);
                    site.torque = self.signals(&written.name, "torque", torque);
                    [None, body]
                }
                // the element acts at its second body's centre of mass
                Target::Bodies(bodies) => [self.body(&bodies[1]), self.body(&bodies[0])],
            };
            self.model.forces.push(ForceLink {
                name: written.name.clone(),
                bodies,
                force: AnyForce::Space(written.kind.force(site, &written.parameters)),
                joint: at_joint,
            });
        }
    }

    fn flanges(&mut self) {
        for written in &self.scene.flanges {
            if self.model.settings.integrator == Integrator::TimeStepping {
                self.reject(
                    &written.place,
                    format!("flange[{}]", written.name),
                    "flanges are not available with time stepping",
                    "remove `integrator = \"time_stepping\"`: the event-driven integrator has them; or write an applied force with inputs",
                );
                continue;
            }
            let (bodies, joint, at) = match &written.on {
                FlangeTarget::Joint { joint, coordinate } => {
                    let Some(index) = self.joint(joint) else {
                        continue;
                    };
                    self.check_coordinate(index, *coordinate, &written.place);
                    let bodies = self.model.joints[index].bodies;
                    (bodies, Some((index, *coordinate)), Hold::Joint(*coordinate))
                }
                FlangeTarget::Point { body, point, along } => {
                    let body = self.body(body);
                    let along = vec3(*along);
                    let axis = along / dot3(along, along).sqrt();
                    let point = self.in_body(body, *point);
                    ([None, body], None, Hold::Point { point, axis })
                }
            };
            let turns = joint.is_some_and(|(i, coordinate)| {
                self.model.joints[i].joint.coordinate_turns(coordinate)
            });
            let placed = Situation {
                time: 0.0,
                side: Side::After,
                pose: bodies.map(|body| space_pose_of(&self.poses, body)),
                twist: bodies.map(|body| space_twist_of(&self.twists, body)),
                joint: joint.and_then(|(i, _)| self.model.joints[i].joint.space()),
                count: Count::default(),
                inputs: &[],
            };
            let now = coordinate(&at, &placed);
            let place = flanges::Place {
                bodies,
                joint: joint.map(|(i, _)| i),
                turns,
                start: now.map_or(0.0, |now| now.value),
            };
            self.model
                .add_flange(&written.name, place, written.spring, |law| {
                    AnyForce::Space(Force::Flange(Flange { at, law }))
                });
        }
    }

    // a packed scene can name any
    fn check_coordinate(&mut self, joint: usize, coordinate: usize, place: &Place) {
        let link = &self.model.joints[joint];
        if coordinate >= link.joint.description().coordinates.len() {
            let key = format!("joint[{}]", link.name);
            self.reject(place, key, "the joint has no such coordinate", "");
        }
    }

    // along x, y and z
    fn signals(&mut self, owner: &str, quantity: &str, given: &[spec::Signal]) -> [Signal; 3] {
        let unit = match quantity {
            "torque" => InputUnit::NewtonMeter,
            _ => InputUnit::Newton,
        };
        let mut given = given.iter();
        ["x", "y", "z"].map(|axis| {
            let component = format!("{quantity}_{axis}");
            self.model.signal(owner, &component, unit, given.next())
        })
    }

    // initial value of a joint coordinate
    fn start_of(&self, joint: usize, coordinate: usize) -> f64 {
        let link = &self.model.joints[joint];
        let [a, b] = link.bodies.map(|body| self.pose(body));
        let joint = link.joint.space();
        let joint = joint.filter(|joint| coordinate < joint.n_coordinates());
        joint.map_or(0.0, |joint| joint.coordinate(coordinate, &a, &b).0)
    }
}

impl Model {
    // a signal of a force, motor, driven body or belt, zero if there is none; what comes from outside becomes an input
    pub(super) fn signal(
        &mut self,
        owner: &str,
        component: &str,
        unit: InputUnit,
        written: Option<&spec::Signal>,
    ) -> Signal {
        let start = match written {
            None => return Signal::constant(0.0),
            Some(spec::Signal::Input { start }) => start,
            Some(given) => return Signal::Given(given.clone()),
        };
        self.inputs.push(InputLink {
            name: format!("{owner}.{component}"),
            start: *start,
            unit,
        });
        Signal::Input(self.inputs.len() - 1)
    }
}

fn mounting(joint: &written::Joint) -> Mounting {
    joint.kind.description().mounting
}

/// A vector in the axes given by a quaternion.
pub(super) fn turn_back(axes: Quaternion, v: Vec3) -> Vec3 {
    Pose::new(Vec3::zeros(), axes).turn_back(v)
}
