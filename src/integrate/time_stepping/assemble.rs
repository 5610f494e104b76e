//! Assembles the problem of a step: rows of bodies, contacts, stops, joints, couplings, drives and force elements.
//!
//! A force `f` along a row with the slopes `k` (by the scalar) and `d` (by its rate `u`, `u'` at the end) is a joint with compliance:
//!
//! ```text
//! (1)  r = h (f + w (d + k h w) (u' - u)),   w = 1/2, or 1 if the force is stiff relative to the step
//! (2)  u' + b + c r = 0,   1/c = -h w (d + k h w),   b = -u - c h f
//! ```
//!
//! Row, `f` and slopes are evaluated at `q + w h v`, the predicted middle or end of the step: rotating systems conserve energy, or lose
//! some if stiff.

use super::balance::Damper;
use super::locate::span_of;
use super::servos::ActiveServo;
use super::static_friction::{StaticContact, slip};
use super::{BAND, ContactPoint, Six, Step, Work};
use crate::contact::body_blocks::{Body, ContactConstraint, GROUND, Joint, Row};
use crate::contact::dense::{Block, Contact};
use crate::dynamics;
use crate::integrate::Workspace;
use crate::kinds::plane::force::Side;
use crate::kinds::space;
use crate::math::{Dual, Limit, Vec3, dot3, most_across, positive};
use crate::model::{BodyRef, Model, space_pose_of, space_twist_of};
use crate::state::PersistentContact;
use std::ops::Range;

/// Index of a body in the problem.
pub(super) fn index(body: BodyRef) -> u32 {
    body.map_or(GROUND, |i| i as u32)
}

/// The body of the two, or one of them, that is not the ground.
pub(super) fn moving_body([a, b]: [u32; 2]) -> usize {
    (if a == GROUND { b } else { a }) as usize
}

/// A row of the problem.
pub(super) fn row(gradient: &space::Row, bias: f64) -> Row {
    Row {
        entries: [gradient.a, gradient.b],
        bias,
        compliance: 0.0,
    }
}

/// Relative velocity along a row, for these body velocities.
pub(super) fn along(row: &Row, bodies: [u32; 2], velocities: &[Six]) -> f64 {
    let mut sum = 0.0;
    for (entries, body) in row.entries.iter().zip(bodies) {
        if let Some(v) = velocities.get(body as usize) {
            for k in 0..6 {
                sum += entries[k] * v[k];
            }
        }
    }
    sum
}

/// Friction of a contact point as blocks of the problem, with this coefficient.
pub(super) fn contact(point: &ContactPoint, friction: f64) -> Contact {
    let material = &point.material;
    let mut blocks = [Block::Disc { friction: 0.0 }; 3];
    let mut n = 0;
    let mut add = |block: Block| {
        blocks[n] = block;
        n += 1;
    };
    if material.friction > 0.0 {
        add(Block::Disc { friction });
    }
    if material.torsional_friction > 0.0 {
        add(Block::Line {
            friction: material.torsional_friction,
        });
    }
    if material.rolling_friction > 0.0 {
        add(Block::Disc {
            friction: material.rolling_friction,
        });
    }
    Contact::new(&blocks[..n])
}

/// Directions of the rows of a contact point after its normal: true for a rotation.
pub(super) fn directions(
    point: &ContactPoint,
    [t, s]: [Vec3; 2],
) -> impl Iterator<Item = (bool, Vec3)> {
    let material = point.material;
    let slides = material.friction > 0.0;
    let spins = material.torsional_friction > 0.0;
    let rolls = material.rolling_friction > 0.0;
    let all = [
        (slides, false, t),
        (slides, false, s),
        (spins, true, point.normal),
        (rolls, true, t),
        (rolls, true, s),
    ];
    all.into_iter()
        .filter_map(|(there, turns, direction)| there.then_some((turns, direction)))
}

impl Step<'_> {
    pub(super) fn assemble(&mut self) {
        self.add_bodies();
        self.add_points();
        self.add_stops();
        if !self.model.joints.is_empty() || !self.model.elements.is_empty() {
            self.move_ahead(0.5);
            if !self.imposes_joints_at_end {
                self.turn_stops();
            }
        }
        self.add_elements();
        self.add_limited_servos();
        self.add_joints(0.5);
        self.find_geometric_stiffness();
        self.add_forces();
        self.add_geometric_stiffness();
    }

    /// The same at an instant: closed contacts and joints only.
    pub(super) fn assemble_instant(&mut self) {
        self.add_bodies();
        self.add_points();
        self.slide_in_impacts();
        self.add_stops();
        // bounded forces have no impulse
        self.workspace.time_stepping.elements.clear();
        self.workspace.time_stepping.servos.clear();
        self.add_joints(0.0);
        self.clear_geometric_stiffness();
        self.workspace.time_stepping.impulse.fill(0.0);
    }

    fn add_bodies(&mut self) {
        let Work {
            bodies,
            free,
            start,
            span,
            left,
            gyroscopic_change,
            ..
        } = &mut self.workspace.time_stepping;
        bodies.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let mut inverse = [0.0; 6];
            for k in 0..body.n_dof {
                inverse[k] = 1.0 / self.model.mass[body.first + k];
            }
            // a shorter substep has its part of the free velocity change
            let part = if left[i] > 0.0 {
                span[i] / left[i]
            } else {
                0.0
            };
            for k in 0..6 {
                free[i][k] = start[i][k] + part * (free[i][k] - start[i][k]);
            }
            if let Some(gyroscopic_change) = gyroscopic_change.get_mut(i) {
                *gyroscopic_change *= part;
            }
            bodies.push(Body::diagonal(inverse, free[i]));
        }
    }

    // (2), (3)
    fn add_points(&mut self) {
        self.set_belt_velocities();
        let Workspace {
            poses,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let poses = poses.space();
        let Work {
            points,
            frames,
            constraints,
            rows,
            impulse,
            span,
            belt_velocities,
            start,
            static_contacts,
            bodies: all,
            ..
        } = work;
        frames.clear();
        static_contacts.clear();
        constraints.clear();
        rows.clear();
        impulse.clear();
        let mut known = self.state.time_stepping.contacts.iter().peekable();
        for point in &points.list {
            while known
                .next_if(|old| old.key.order() < point.key.order())
                .is_some()
            {}
            let before = known.next_if(|old| old.key == point.key);
            let [a, b] = point.bodies.map(|body| space_pose_of(poses, body));
            let tangents = space::tangents(point.normal, most_across(point.normal));
            let velocity = |direction: Vec3| {
                space::Row::relative_velocity(direction, (a, point.arms[0]), (b, point.arms[1]))
            };
            let gap = if point.gap > BAND { point.gap } else { 0.0 };
            let h = span_of(point.bodies, span);
            let row_of_normal = rows.len();
            rows.push(row(&velocity(point.normal), gap / h));
            let surface = point.belt.map(|belt| belt_velocities[belt]);
            for (turns, direction) in directions(point, tangents) {
                rows.push(if turns {
                    row(&space::Row::relative_rotation(direction, a, b), 0.0)
                } else {
                    // the surface of a belt is on the ground, the first body
                    let bias = surface.map_or(0.0, |surface| -dot3(surface, direction));
                    row(&velocity(direction), bias)
                });
            }
            impulse.extend(guess(point, tangents, before, h));
            frames.push(tangents);
            let mut friction = point.material.friction;
            if point.material.has_static_friction() {
                let bodies = point.bodies.map(index);
                let own = StaticContact::new(
                    &point.material,
                    (constraints.len(), row_of_normal),
                    (
                        slip(&rows[row_of_normal..], bodies, start),
                        inverse_mass(&rows[row_of_normal + 1], bodies, all),
                    ),
                    before.map(|old| old.slides),
                );
                friction = own.friction();
                static_contacts.push(own);
            }
            constraints.push(ContactConstraint {
                bodies: point.bodies.map(index),
                contact: contact(point, friction),
            });
        }
    }

    // surface velocities of belts at the end of the step
    fn set_belt_velocities(&mut self) {
        let time = self.state.time + self.h;
        let velocities = &mut self.workspace.time_stepping.belt_velocities;
        velocities.clear();
        velocities.extend(self.time_stepping.belts.iter().map(|belt| {
            let speed = belt.speed.value(time, Side::Before, &self.state.inputs);
            belt.direction * speed
        }));
    }

    // (2), (3)
    fn add_stops(&mut self) {
        let work = &mut self.workspace.time_stepping;
        for stop in &work.stops {
            let bodies = self.model.contacts[stop.contact].bodies;
            let open = if stop.gap > BAND { stop.gap } else { 0.0 };
            let h = span_of(bodies, &work.span);
            work.rows.push(row(&stop.gradient, open / h));
            let force = self.state.contact_force[stop.contact][0];
            work.impulse.push(h * force);
            work.constraints.push(ContactConstraint {
                bodies: bodies.map(index),
                contact: Contact::new(&[]),
            });
        }
    }

    /// Moves poses by a part of the substep with the current velocities.
    pub(super) fn move_ahead(&mut self, part: f64) {
        self.move_for(|work, i| part * work.span[i]);
    }

    /// Moves poses by these times with the current velocities.
    pub(super) fn move_for(&mut self, time: impl Fn(&Work, usize) -> f64) {
        let Self {
            model,
            state,
            workspace,
            ..
        } = self;
        let work = &mut workspace.time_stepping;
        work.moved.clone_from(&state.velocity);
        for (i, body) in model.bodies.iter().enumerate() {
            let time = time(work, i);
            for v in &mut work.moved[body.first..body.first + body.n_dof] {
                *v *= time;
            }
        }
        model.displace(&mut work.middle, &state.position, 1.0, &work.moved);
        model.poses(&work.middle, &mut workspace.poses);
    }

    // (4), couplings and drives; their rows move for this part of the substep
    fn add_joints(&mut self, part: f64) {
        let Workspace {
            poses,
            twists,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        work.joints.clear();
        let span = &work.span;
        let moving = |bodies: [BodyRef; 2]| {
            bodies.map(|body| {
                let twist = space_twist_of(twists.space(), body);
                space_pose_of(poses.space(), body).with_rate(twist)
            })
        };
        let values = |gradient: &space::Row<Dual>| space::Row {
            a: gradient.a.map(|x| x.value),
            b: gradient.b.map(|x| x.value),
        };
        let turned = |gradient: &space::Row<Dual>, bodies: [BodyRef; 2], given: f64| {
            let rates = space::Row {
                a: gradient.a.map(|x| x.rate),
                b: gradient.b.map(|x| x.rate),
            };
            let [a, b] = bodies.map(|body| space_twist_of(twists.space(), body));
            let turned_for = part * span_of(bodies, span);
            row(&values(gradient), turned_for * rates.rate(a, b) - given)
        };
        let mut force = self.state.joint_force.iter();
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let [a, b] = moving(link.bodies);
            let rows = joint.rows(&a, &b);
            for gradient in &rows.rows[..rows.n] {
                let mut entry = row(&values(gradient), 0.0);
                if part > 0.0 && !self.imposes_joints_at_end {
                    entry.bias = along(&entry, link.bodies.map(index), &work.start);
                }
                work.rows.push(entry);
                let h = span_of(link.bodies, span);
                work.impulse.push(h * force.next().unwrap_or(&0.0));
            }
            work.joints.push(Joint {
                bodies: link.bodies.map(index),
                rows: rows.n,
            });
        }
        for coupling in &self.model.couplings {
            let pair = coupling.pair();
            let pose = |body| moving([body, None])[0];
            let gradient = self.model.coupling_gradient(coupling, pose);
            let mut entry = row(&values(&gradient), 0.0);
            if part > 0.0 && !self.imposes_joints_at_end {
                entry.bias = along(&entry, pair.map(index), &work.start);
            }
            work.rows.push(entry);
            let h = span_of(pair, span);
            work.impulse.push(h * force.next().unwrap_or(&0.0));
            work.joints.push(Joint {
                bodies: pair.map(index),
                rows: 1,
            });
        }
        for drive in &self.model.drives {
            let bodies = self.model.bodies_of(drive);
            // the rest of the step starts with the substep, or with the instant after it
            let left = span_of(bodies, &work.left);
            let substep = if part > 0.0 {
                span_of(bodies, span)
            } else {
                0.0
            };
            let end = self.state.time + ((self.h - left) + substep);
            let [a, b] = moving(bodies);
            let gradient = self.model.drive_gradient(drive, &a, &b);
            let speed = drive.speed((end, Side::Before), &self.state.inputs);
            work.rows.push(turned(&gradient, bodies, speed));
            let h = span_of(bodies, span);
            work.impulse.push(h * force.next().unwrap_or(&0.0));
            work.joints.push(Joint {
                bodies: bodies.map(index),
                rows: 1,
            });
        }
    }

    fn add_forces(&mut self) {
        self.workspace.time_stepping.energy_balance.dampers.clear();
        if self.model.forces.is_empty() {
            return;
        }
        self.update_poses();
        self.move_ahead(0.5);
        self.find_stiff_forces();
        self.add_forces_of(false);
        if self.workspace.time_stepping.stiff.contains(&true) {
            self.move_ahead(1.0);
            self.add_forces_of(true);
        }
    }

    /// The joints of the problem that are springs and dampers: after joints, couplings and drives, and before geometric stiffness.
    pub(super) fn springs(&self) -> Range<usize> {
        let work = &self.workspace.time_stepping;
        let Model {
            joints,
            couplings,
            drives,
            ..
        } = self.model;
        let first = joints.len() + couplings.len() + drives.len();
        first..work.joints.len() - work.geometric_stiffness.count()
    }

    pub(super) fn find_stiff_forces(&mut self) {
        let Workspace {
            poses,
            twists,
            inputs,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let now = (self.state.time, Side::After);
        work.stiff.clear();
        for (i, link) in self.model.forces.iter().enumerate() {
            let bodies = link.bodies.map(index);
            let h = span_of(link.bodies, &work.span);
            let mut is_stiff = false;
            dynamics::sloped(self.model, i, now, inputs, poses, twists, |sloped| {
                let response = inverse_mass(&row(&sloped.row, 0.0), bodies, &work.bodies);
                let d = sloped.by_rate.at_most(0.0);
                is_stiff |= -h * (0.5 * d + 0.25 * sloped.by_value * h) * response > 1.0;
            });
            work.stiff.push(is_stiff);
        }
    }

    // (1), (2)
    fn add_forces_of(&mut self, is_stiff: bool) {
        let w = if is_stiff { 1.0 } else { 0.5 };
        for (i, link) in self.model.forces.iter().enumerate() {
            let now = self.force_time(i, is_stiff);
            let Workspace {
                poses,
                twists,
                inputs,
                time_stepping: work,
                ..
            } = &mut *self.workspace;
            let bodies = link.bodies.map(index);
            let h = span_of(link.bodies, &work.span);
            let servo = link.force.servo();
            let is_limited = servo.is_some_and(|servo| servo.limit.is_finite());
            if h <= 0.0 || work.stiff[i] != is_stiff || is_limited {
                continue;
            }
            dynamics::sloped(self.model, i, now, inputs, poses, twists, |sloped| {
                let mut entry = row(&sloped.row, 0.0);
                // a force that grows with the rate would make the matrix indefinite
                let (k, d) = (sloped.by_value, sloped.by_rate.at_most(0.0));
                let response = inverse_mass(&entry, bodies, &work.bodies);
                let softness = -h * w * (d + k * h * w);
                let is_implicit = softness * response > f64::EPSILON;
                let damper = Damper {
                    bodies,
                    row: entry,
                    impulse: h * sloped.fading,
                    by_rate: if is_implicit { h * w * d } else { 0.0 },
                };
                if servo.is_some() {
                    let impulse = match is_implicit {
                        true => Impulse::Row(work.rows.len()),
                        false => Impulse::Given(h * sloped.force),
                    };
                    work.servos.push(ActiveServo::unlimited(damper, impulse));
                } else if sloped.fading != 0.0 || d != 0.0 {
                    work.energy_balance.dampers.push(damper);
                }
                if is_stiff && k != 0.0 {
                    work.energy_balance.damp(bodies);
                }
                if is_implicit {
                    entry.compliance = 1.0 / softness;
                    let u = along(&entry, bodies, &work.start);
                    entry.bias = -u - entry.compliance * h * sloped.force;
                    work.rows.push(entry);
                    work.impulse.push(h * sloped.force);
                    work.joints.push(Joint { bodies, rows: 1 });
                } else {
                    apply_impulse(&entry, bodies, h * sloped.force, &mut work.bodies);
                }
            });
        }
    }
}

/// Velocity along a row per unit impulse along it.
pub(super) fn inverse_mass(row: &Row, bodies: [u32; 2], all: &[Body]) -> f64 {
    let mut sum = 0.0;
    for (entries, body) in row.entries.iter().zip(bodies) {
        if let Some(body) = all.get(body as usize) {
            for k in 0..6 {
                sum += entries[k] * body.inverse_mass[k][k] * entries[k];
            }
        }
    }
    sum
}

/// An impulse of a substep.
#[derive(Clone, Copy, Debug)]
pub(super) enum Impulse {
    /// That of a row of the problem.
    Row(usize),
    /// A known one, N s or N m s.
    Given(f64),
}

impl Impulse {
    pub fn of(self, impulses: &[f64]) -> f64 {
        match self {
            Self::Row(row) => impulses[row],
            Self::Given(impulse) => impulse,
        }
    }
}

pub(super) fn apply_impulse(row: &Row, bodies: [u32; 2], impulse: f64, all: &mut [Body]) {
    for (entries, body) in row.entries.iter().zip(bodies) {
        if let Some(body) = all.get_mut(body as usize) {
            for k in 0..6 {
                body.velocity[k] += body.inverse_mass[k][k] * entries[k] * impulse;
            }
        }
    }
}

/// The force of the last step along the rows of a contact point, as an impulse.
pub(super) fn guess(
    point: &ContactPoint,
    tangents: [Vec3; 2],
    before: Option<&PersistentContact>,
    h: f64,
) -> impl Iterator<Item = f64> {
    let (force, moment) = before.map_or((Vec3::zeros(), Vec3::zeros()), |old| {
        (old.force * h, old.moment * h)
    });
    let normal = positive(dot3(force, point.normal));
    std::iter::once(normal).chain(
        directions(point, tangents)
            .map(move |(turns, direction)| dot3(if turns { moment } else { force }, direction)),
    )
}
