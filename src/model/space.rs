//! Builds a model from a scene spec in space, with the checks that need geometry.

use super::build::{self, CLOSED, NO_DIRECTION};
use super::{
    AnyForce, AnyJoint, Body, BodyRef, ForceLink, InputLink, InputUnit, JointLink, Model, Motor,
    Poses, StartSpec, Twists, space_pose_of, space_twist_of,
};
use super::{motors, space_contacts};
use crate::kinds::plane::force::Signal;
use crate::kinds::space::force::{
    Applied, Force, JointSpring, MotorTorque, SpringDamper, Stribeck, Viscous,
};
use crate::kinds::space::inertia::{self, Defect};
use crate::kinds::space::joint::{
    Cylindrical, Distance, Fixed, Joint, Mount, Planar, Prismatic, Revolute, Spherical, Universal,
};
use crate::kinds::space::shape::{Flat, HeightField, Shape};
use crate::kinds::space::{Pose, Twist};
use crate::math::{Limit, Mat3, Quaternion, Vec3, cross3, dot3, max_abs, quaternion};
use crate::scene::error::{Place, Problem};
use crate::scene::spec::space::{
    self as written, Axis, Coordinate, Cross, ForceKind, Geometry, JointKind, Mass, MotorKind,
    Space, Triple,
};
use crate::scene::spec::{self, Anchors, BodyKind, Name, Scene};
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
    builder.forces();
    let Builder {
        mut model,
        mut problems,
        ..
    } = builder;
    if problems.is_empty() {
        motors::reject_contradictions(space, &model, &mut problems);
        space_contacts::add(space, &mut model, &mut problems);
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

    // an axis in the coordinates of both bodies
    fn axes(&self, axis: &Axis, bodies: [BodyRef; 2]) -> [Vec3; 2] {
        match axis {
            Axis::World(axis) => bodies.map(|body| self.pose(body).turn_back(vec3(*axis))),
            Axis::Local(local) => [0, 1].map(|i| self.in_body(bodies[i], local[i])),
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
                self.motor(index, written, motor);
            }
        }
        self.model.n_joint_rows += self.model.motors.len();
    }

    fn make_joint(&self, written: &written::Joint, bodies: [BodyRef; 2]) -> Option<Joint> {
        let [anchor_a, anchor_b] = self.anchors(&written.anchors, bodies);
        let [a, b] = bodies.map(|body| self.pose(body));
        // mounts about an axis: if it is given in the world, both sides have the same axes at the start
        let mounts = |axis: &Axis| {
            let [axis_a, axis_b] = self.axes(axis, bodies);
            let mount_a = Mount::about(anchor_a, axis_a)?;
            let seen = mount_a.seen_from(&a, &b);
            let mount_b = Mount::new(anchor_b, axis_b, seen.axes[0])?;
            Some((mount_a, mount_b))
        };
        Some(match &written.kind {
            JointKind::Spherical => Joint::Spherical(Spherical { anchor_a, anchor_b }),
            JointKind::Revolute { axis, .. } => {
                let (mount_a, mount_b) = mounts(axis)?;
                Joint::Revolute(Revolute { mount_a, mount_b })
            }
            JointKind::Prismatic { axis, .. } => {
                let (mount_a, mount_b) = mounts(axis)?;
                Joint::Prismatic(Prismatic { mount_a, mount_b })
            }
            JointKind::Cylindrical { axis, .. } => {
                let (mount_a, mount_b) = mounts(axis)?;
                Joint::Cylindrical(Cylindrical { mount_a, mount_b })
            }
            JointKind::Planar { axis } => {
                let (mount_a, mount_b) = mounts(axis)?;
                Joint::Planar(Planar { mount_a, mount_b })
            }
            JointKind::Universal { axes } => {
                let [first, second] = match axes {
                    Cross::World([first, second]) => {
                        [a.turn_back(vec3(*first)), b.turn_back(vec3(*second))]
                    }
                    Cross::Local(local) => [0, 1].map(|i| self.in_body(bodies[i], local[i])),
                };
                // x of mount a is the first arm, y of mount b the second; z is perpendicular to both
                let across = cross3(a.turn(first), b.turn(second));
                Joint::Universal(Universal {
                    mount_a: Mount::new(anchor_a, a.turn_back(across), first)?,
                    mount_b: Mount::new(
                        anchor_b,
                        b.turn_back(across),
                        cross3(second, b.turn_back(across)),
                    )?,
                })
            }
            JointKind::Fixed => {
                let mount_a = Mount::about(anchor_a, Vec3::z())?;
                let mut mount_b = mount_a.seen_from(&a, &b);
                mount_b.anchor = anchor_b;
                Joint::Fixed(Fixed { mount_a, mount_b })
            }
            JointKind::Distance { length } => Joint::Distance(Distance {
                anchor_a,
                anchor_b,
                length: length.unwrap_or_else(|| self.distance([anchor_a, anchor_b], bodies)),
            }),
        })
    }

    fn check_joint(&mut self, written: &written::Joint, joint: &Joint, bodies: [BodyRef; 2]) {
        let key = format!("joint[{}]", written.name);
        if let Joint::Distance(rod) = joint
            && self.distance([rod.anchor_a, rod.anchor_b], bodies) == 0.0
        {
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

    fn motor(&mut self, joint: usize, written: &written::Joint, motor: &written::Motor) {
        let coordinate = coordinate_of(&written.kind, motor.coordinate);
        let name = format!("{}.motor", written.name);
        let (quantity, unit) = match (motor.kind, motor.coordinate) {
            (MotorKind::Speed, Coordinate::Angle) => ("speed", InputUnit::RadianPerSecond),
            (MotorKind::Speed, Coordinate::Displacement) => ("speed", InputUnit::MeterPerSecond),
            (MotorKind::Effort, Coordinate::Angle) => ("torque", InputUnit::NewtonMeter),
            (MotorKind::Effort, Coordinate::Displacement) => ("force", InputUnit::Newton),
        };
        let value = self.model.signal(&name, quantity, unit, &motor.value);
        match motor.kind {
            MotorKind::Speed => self.model.motors.push(Motor {
                name,
                joint,
                coordinate,
                speed: value,
            }),
            MotorKind::Effort => self.model.forces.push(ForceLink {
                name,
                bodies: self.model.joints[joint].bodies,
                force: AnyForce::Space(Force::MotorTorque(MotorTorque {
                    coordinate,
                    torque: value,
                })),
                joint: Some(joint),
            }),
        }
    }

    fn forces(&mut self) {
        for written in &self.scene.forces {
            if let Some((bodies, joint, force)) = self.force(written) {
                self.model.forces.push(ForceLink {
                    name: written.name.clone(),
                    bodies,
                    force: AnyForce::Space(force),
                    joint,
                });
            }
        }
    }

    fn signals(
        &mut self,
        name: &str,
        quantity: &str,
        unit: InputUnit,
        signals: &[spec::Signal; 3],
    ) -> [Signal; 3] {
        [0, 1, 2].map(|i| {
            let component = format!("{quantity}_{}", ["x", "y", "z"][i]);
            self.model.signal(name, &component, unit, &signals[i])
        })
    }

    // bodies, joint and force of an element; none if its joint coordinate does not exist
    fn force(
        &mut self,
        written: &spec::Force<ForceKind>,
    ) -> Option<([BodyRef; 2], Option<usize>, Force)> {
        Some(match &written.kind {
            ForceKind::SpringDamper {
                bodies,
                anchors,
                stiffness,
                damping,
                rest_length,
            } => {
                let bodies = [self.body(&bodies[0]), self.body(&bodies[1])];
                let [anchor_a, anchor_b] = [0, 1].map(|i| self.in_body(bodies[i], anchors[i]));
                let distance = self.distance([anchor_a, anchor_b], bodies);
                if distance == 0.0 && rest_length.is_some_and(|rest| rest > 0.0) {
                    self.reject(
                        &written.place,
                        format!("force[{}].rest_length", written.name),
                        NO_DIRECTION[0],
                        NO_DIRECTION[1],
                    );
                }
                let element = SpringDamper {
                    anchor_a,
                    anchor_b,
                    stiffness: *stiffness,
                    damping: *damping,
                    rest_length: rest_length.unwrap_or(distance),
                };
                (bodies, None, Force::SpringDamper(element))
            }
            ForceKind::JointSpring {
                joint,
                coordinate,
                stiffness,
                damping,
                rest,
            } => {
                let (index, coordinate) = self.joint_coordinate(joint, *coordinate)?;
                let element = JointSpring {
                    coordinate,
                    stiffness: *stiffness,
                    damping: *damping,
                    rest: rest.unwrap_or_else(|| self.start_of(index, coordinate)),
                };
                let bodies = self.model.joints[index].bodies;
                (bodies, Some(index), Force::JointSpring(element))
            }
            ForceKind::Applied {
                body,
                point,
                frame,
                force,
                torque,
            } => {
                let body = self.body(body);
                let force = self.signals(&written.name, "force", InputUnit::Newton, force);
                let torque = self.signals(&written.name, "torque", InputUnit::NewtonMeter, torque);
                let element = Applied {
                    point: self.in_body(body, *point),
                    frame: *frame,
                    axes: body.map_or_else(Mat3::identity, |i| {
                        quaternion::matrix(quaternion::conjugate(self.model.bodies[i].axes))
                    }),
                    force,
                    torque,
                };
                ([None, body], None, Force::Applied(Box::new(element)))
            }
            ForceKind::Viscous {
                bodies,
                linear,
                angular,
            } => {
                // the element acts at the centre of mass of its second body
                let bodies = [self.body(&bodies[1]), self.body(&bodies[0])];
                let element = Viscous {
                    linear: *linear,
                    angular: *angular,
                };
                (bodies, None, Force::Viscous(element))
            }
            ForceKind::Stribeck {
                joint,
                coordinate,
                static_friction,
                kinetic_friction,
                stribeck_rate,
                transition_rate,
                viscous,
            } => {
                let (index, coordinate) = self.joint_coordinate(joint, *coordinate)?;
                let law = crate::kinds::plane::force::Stribeck {
                    static_friction: *static_friction,
                    kinetic_friction: *kinetic_friction,
                    stribeck_rate: *stribeck_rate,
                    transition_rate: *transition_rate,
                    viscous: *viscous,
                };
                let bodies = self.model.joints[index].bodies;
                let element = Stribeck { coordinate, law };
                (bodies, Some(index), Force::Stribeck(element))
            }
        })
    }

    fn joint_coordinate(&mut self, name: &Name, coordinate: Coordinate) -> Option<(usize, usize)> {
        let index = self.joint(name)?;
        let written = self.scene.joints.iter().find(|j| j.name == name.text)?;
        Some((index, coordinate_of(&written.kind, coordinate)))
    }

    // initial value of a joint coordinate
    fn start_of(&self, joint: usize, coordinate: usize) -> f64 {
        let link = &self.model.joints[joint];
        let [a, b] = link.bodies.map(|body| self.pose(body));
        link.joint
            .space()
            .map_or(0.0, |joint| joint.coordinate(coordinate, &a, &b).0)
    }
}

impl Model {
    // a signal of a force, motor or belt; external signals become inputs
    pub(super) fn signal(
        &mut self,
        owner: &str,
        component: &str,
        unit: InputUnit,
        written: &spec::Signal,
    ) -> Signal {
        let spec::Signal::Input { start } = written else {
            return Signal::Given(written.clone());
        };
        self.inputs.push(InputLink {
            name: format!("{owner}.{component}"),
            start: *start,
            unit,
        });
        Signal::Input(self.inputs.len() - 1)
    }
}

/// Index of a coordinate among those of a joint.
pub(super) fn coordinate_of(kind: &JointKind, coordinate: Coordinate) -> usize {
    match (kind, coordinate) {
        (JointKind::Cylindrical { .. }, Coordinate::Angle) => 1,
        _ => 0,
    }
}

/// A vector in the axes given by a quaternion.
pub(super) fn turn_back(axes: Quaternion, v: Vec3) -> Vec3 {
    Pose::new(Vec3::zeros(), axes).turn_back(v)
}

/// A shape of the scene in the axes of its body, given by a quaternion.
///
/// # Errors
/// The points of a polyhedron are coplanar.
pub fn shape_of(geometry: &Geometry, axes: Quaternion) -> Result<Shape, Flat> {
    let at = |written: &Triple| turn_back(axes, vec3(*written));
    Ok(match geometry {
        Geometry::Point { position } => Shape::sphere(at(position), 0.0),
        Geometry::Sphere { position, radius } => Shape::sphere(at(position), *radius),
        Geometry::Capsule { from, to, radius } => Shape::capsule([at(from), at(to)], *radius),
        Geometry::Box {
            position,
            orientation,
            size,
        } => {
            let turned = quaternion::product(quaternion::conjugate(axes), *orientation);
            Shape::cuboid(at(position), turned, vec3(*size))
        }
        Geometry::Cylinder {
            position,
            axis,
            radius,
            height,
        } => Shape::cylinder(at(position), at(axis), *radius, *height),
        Geometry::Polyhedron { vertices, .. } => {
            let points: Vec<Vec3> = vertices.iter().map(at).collect();
            Shape::hull(&points)?
        }
        Geometry::HalfSpace { point, normal } => Shape::half_space(at(point), at(normal)),
        Geometry::HeightField {
            origin,
            cell,
            heights,
        } => Shape::height_field(HeightField {
            corner: Vec3::new(origin[0], origin[1], 0.0),
            spacing: *cell,
            count: [heights.first().map_or(0, Vec::len), heights.len()],
            heights: heights.concat(),
        }),
    })
}
