//! Forces and accelerations at an instant, as opposed to those of a step: these are means over the step, and grow without bound where a
//! short step removes a velocity error left by a long one.
//!
//! ```text
//! (1)  a = M^-1 (f + G^T r)                     f: gravity, gyroscopic torques and all force elements
//! (2)  joints:  G a + dG/dt v = 0;              drives:  G a + dG/dt v = rate of the prescribed speed
//! (3)  closed contacts:  0 <= G_n a + dG_n/dt v | r_n >= 0
//! (4)  sticking friction:  G_b a + dG_b/dt v in place of the velocity in Coulomb's law
//!      sliding friction with u_b:  the same plus S u_b/|u_b| with a number S far above all accelerations, so that it opposes u_b
//! (5)  an element that is stiff relative to a step h has the force f + h (d + k h) G a, as at the end of that step: r = -s G a, 1/c = s
//! (6)  v: the velocities nearest to those of the state, in the mass metric, with G v = 0 for joints; prescribed speeds are kept
//! ```
//!
//! Reason for (6): steps impose joints on mean velocities, so that velocity errors of joints change sign with each step. They are of second
//! order in the step, and not part of the motion.
//!
//! A contact may be closed if its separation velocity, and sticks if its sliding velocity, is within the errors of the steps:
//!
//! ```text
//! (7)  speed:  SLOW + 2 h |dG/dt v|        a step imposes contacts in the directions at its start, which rotate during the step
//!              + g t                       t: the last step, if too short to close contacts that the one before left open
//!              + 0.1 g h                   with `sweeps`
//! (8)  gap:    band + h (SLOW + 2 h |dG/dt v|)
//! ```
//!
//! Which of these are loaded is determined by (3). It is a function of the state alone: the forces of the last step are only an initial
//! guess.

use super::assemble::{along, contact, directions, guess, index, inverse_mass, row};
use super::impact::SLOW;
use super::position_stabilization::BOUNDED_OVERLAP;
use super::static_friction::StaticContact;
use super::{BAND, ContactPoint, Step, Work};
use crate::contact::body_blocks::{Body, ContactConstraint, Effort, Joint};
use crate::contact::dense::Contact;
use crate::dynamics;
use crate::integrate::{Report, Workspace};
use crate::kinds::plane::force::Side;
use crate::kinds::space;
use crate::math::{Dual, Limit, Real, Vec3, dot3, max_abs, most_across, norm};
use crate::model::{BodyRef, FixedFeature, Model, TimeStepping, space_pose_of, space_twist_of};
use crate::scene::spec::Settings;
use crate::state::{ContactKey, PersistentContact, State};

/// (4): upper bound of the ratio of accelerations and S.
const SLIDES: f64 = 1e4;

/// (7): steps shorter than this part of the standard step do not close open contacts.
const SHORT: f64 = 0.01;

/// (7): part of the velocity change by gravity in a step that sweeps may leave to contacts at rest.
const SWEEP_ERROR: f64 = 0.1;

/// (8): gaps of loaded contacts if overlaps are closed by sweeps, m: twice the overlap that these leave.
const BOUNDED_BAND: f64 = 2.0 * BOUNDED_OVERLAP;

/// Up to this many contacts forces are solved exactly even with `sweeps`.
const FEW: usize = 100;

/// Direct solvers are sufficient if they end with this residual.
const NEARLY: f64 = 1e-6;

/// Forces and accelerations at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instant {
    /// Without the velocity errors of joints left by the last step (6), m/s and rad/s.
    pub velocity: Vec<f64>,
    /// Accelerations.
    pub acceleration: Vec<f64>,
    /// Normal and tangential force of the model's contacts, N.
    pub contact_force: Vec<[f64; 2]>,
    /// Force of each equation of joints, couplings and drives, N or N m.
    pub joint_force: Vec<f64>,
    /// Loaded contact points, sorted by key.
    pub contacts: Vec<PersistentContact>,
    /// Power dissipated by contact friction, W.
    pub friction_power: f64,
    /// Largest residual of the complementarity problems.
    pub residual: f64,
}

/// Forces and accelerations at a state, which is not changed.
pub(in crate::integrate) fn find(
    model: &Model,
    time_stepping: &TimeStepping,
    state: &mut State,
    workspace: &mut Workspace,
    settings: &Settings,
    instant: &mut Instant,
) {
    // steps have their own workspace
    let mut work = std::mem::take(&mut workspace.instant);
    std::mem::swap(&mut work, &mut workspace.time_stepping);
    let mut report = Report::default();
    Step {
        model,
        time_stepping,
        settings,
        state,
        workspace,
        report: &mut report,
        h: settings.step,
        imposes_joints_at_end: false,
    }
    .find_instant(instant);
    std::mem::swap(&mut work, &mut workspace.time_stepping);
    workspace.instant = work;
}

/// A row and (dG/dt) v.
pub(super) fn moving_row(
    gradient: &space::Row<Dual>,
    twists: [&space::Twist; 2],
) -> (space::Row, f64) {
    let values = space::Row {
        a: gradient.a.map(|x| x.value),
        b: gradient.b.map(|x| x.value),
    };
    let rates = space::Row {
        a: gradient.a.map(|x| x.rate),
        b: gradient.b.map(|x| x.rate),
    };
    (values, rates.rate(twists[0], twists[1]))
}

impl Step<'_> {
    fn find_instant(&mut self, instant: &mut Instant) {
        self.choose_branches();
        self.update_poses();
        self.find_velocities(&mut instant.velocity);
        self.add_free_accelerations(&instant.velocity);
        self.find_closed_points();
        self.reduce_manifolds();
        self.add_accelerated_points();
        self.add_accelerated_stops();
        self.add_accelerated_elements();
        self.add_accelerated_joints();
        self.add_accelerated_couplings();
        self.add_accelerated_drives();
        self.add_stiff_forces();
        instant.residual = self.solve_accelerations();
        self.write_result(instant);
    }

    // (7) without the rotation of directions
    fn rest_speed(&self) -> f64 {
        let g = norm(self.model.gravity.as_slice());
        let short = self.state.time_stepping.last_step.at_most(SHORT * self.h);
        let left = match self.time_stepping.options.sweeps {
            Some(_) => SWEEP_ERROR * self.h,
            None => 0.0,
        };
        SLOW + g * (short + left)
    }

    pub(super) fn is_asleep(&self, body: BodyRef) -> bool {
        body.is_some_and(|i| self.state.time_stepping.sleep_timer[i] == f64::INFINITY)
    }

    // (6), which the twists then have
    fn find_velocities(&mut self, velocity: &mut Vec<f64>) {
        velocity.clone_from(&self.state.velocity);
        if self.model.joints.is_empty() {
            return;
        }
        self.project(velocity, false);
        self.model.twists(velocity, &mut self.workspace.twists);
    }

    // (1) without impulses; sleeping bodies stay at rest
    fn add_free_accelerations(&mut self, velocity: &[f64]) {
        let Workspace {
            poses,
            twists,
            inputs,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        inputs.clone_from(&self.state.inputs);
        work.force.resize(self.model.n_velocities, 0.0);
        let now = (self.state.time, Side::After);
        dynamics::force(
            self.model,
            now,
            inputs,
            poses,
            twists,
            &mut work.force,
            None,
        );
        work.bodies.clear();
        work.start.clear();
        for (i, body) in self.model.bodies.iter().enumerate() {
            let (mut inverse, mut free, mut start) = ([0.0; 6], [0.0; 6], [0.0; 6]);
            if self.state.time_stepping.sleep_timer[i] < f64::INFINITY {
                for k in 0..body.n_dof {
                    let at = body.first + k;
                    inverse[k] = 1.0 / self.model.mass[at];
                    free[k] = inverse[k] * work.force[at];
                    start[k] = velocity[at];
                }
            }
            work.bodies.push(Body::diagonal(inverse, free));
            work.start.push(start);
        }
    }

    // all potentially closed contact points; `add_accelerated_points` decides
    fn find_closed_points(&mut self) {
        let (model, state, h) = (self.model, &*self.state, self.h);
        let band = closed_band(self.time_stepping);
        let sleep_timer = &state.time_stepping.sleep_timer;
        let rests = |body: BodyRef| body.is_none_or(|i| sleep_timer[i] == f64::INFINITY);
        let skip = |[a, b]: [BodyRef; 2]| rests(a) && rests(b);
        let margin = |body: BodyRef| {
            body.map_or(0.0, |i| {
                let body = &model.bodies[i];
                let v = &state.velocity[body.first..body.first + body.n_dof];
                let (linear, angular) = v.split_at(3);
                band + h * (SLOW + norm(linear) + body.extent * norm(angular))
            })
        };
        let poses = self.workspace.poses.space();
        let points = &mut self.workspace.time_stepping.points;
        points.find(self.time_stepping, poses, margin, |_| 0.0, skip);
        let mut list = std::mem::take(&mut self.workspace.time_stepping.points.list);
        list.retain(|point| self.is_closed_now(point));
        self.workspace.time_stepping.points.list = list;
    }

    // (7), (8)
    fn is_closed_now(&self, point: &ContactPoint) -> bool {
        // shapes that overlap as a whole
        let Some(near) = self.nearest(point) else {
            return true;
        };
        let twists = self.twists_of(point.bodies);
        let [a, b] = self.moving(point.bodies);
        let (gradient, turned) = moving_row(&near.normal_row(&a, &b), twists);
        let turns = 2.0 * self.h * turned.abs();
        gradient.rate(twists[0], twists[1]) <= self.rest_speed() + turns
            && point.gap <= closed_band(self.time_stepping) + self.h * (SLOW + turns)
    }

    fn loaded_contact(&self, key: &ContactKey) -> Option<&PersistentContact> {
        let constraints = &self.state.time_stepping.contacts;
        let found =
            constraints.binary_search_by_key(&key.order(), |constraint| constraint.key.order());
        found.ok().map(|i| &constraints[i])
    }

    pub(super) fn twists_of(&self, bodies: [BodyRef; 2]) -> [&space::Twist; 2] {
        bodies.map(|body| space_twist_of(self.workspace.twists.space(), body))
    }

    pub(super) fn moving(&self, bodies: [BodyRef; 2]) -> [space::Pose<Dual>; 2] {
        let poses = self.workspace.poses.space();
        bodies.map(|body| {
            let twist = space_twist_of(self.workspace.twists.space(), body);
            space_pose_of(poses, body).with_rate(twist)
        })
    }

    // nearest points of the shapes of a contact point along their motion
    fn nearest(&self, point: &ContactPoint) -> Option<space::collide::Nearest<Dual>> {
        let [a, b] = self.moving(point.bodies);
        let points = &self.workspace.time_stepping.points;
        points.nearest(self.time_stepping, point, [&a, &b])
    }

    // (3), (4)
    fn add_accelerated_points(&mut self) {
        let list = std::mem::take(&mut self.workspace.time_stepping.points.list);
        let work = &mut self.workspace.time_stepping;
        work.frames.clear();
        work.constraints.clear();
        work.rows.clear();
        work.impulse.clear();
        work.second.clear();
        work.static_contacts.clear();
        work.stops.clear();
        work.joints.clear();
        for point in &list {
            self.add_accelerated_point(point);
        }
        self.workspace.time_stepping.points.list = list;
    }

    // rows with dG/dt v as biases; the velocities along them, relative to belts, go to `second`
    fn add_accelerated_point(&mut self, point: &ContactPoint) {
        let [a, b] = self.moving(point.bodies);
        let twists = self.twists_of(point.bodies).map(|twist| *twist);
        let twists = [&twists[0], &twists[1]];
        let frame = space::tangents(point.normal, most_across(point.normal));
        let pressed = self.loaded_contact(&point.key).copied();
        let fixed = |v: Vec3| v.map(Dual::constant);
        // the geometry of an overlap rotates with the second body
        let near = self.nearest(point).unwrap_or_else(|| {
            let turned = |v: Vec3| {
                let pose = space_pose_of(self.workspace.poses.space(), point.bodies[1]);
                b.turn(pose.turn_back(v))
            };
            space::collide::Nearest {
                gap: Dual::constant(point.gap),
                normal: turned(point.normal),
                arm_a: turned(point.arms[0]),
                arm_b: turned(point.arms[1]),
                offset: Dual::constant(point.gap),
                margin: f64::INFINITY,
                corner: None,
            }
        });
        let tangents = space::tangents(near.normal, fixed(most_across(point.normal)));
        let rows = directions(point, frame).map(|(turns, direction)| {
            // the same direction with its derivative
            let direction = if direction == point.normal {
                near.normal
            } else if direction == frame[0] {
                tangents[0]
            } else {
                tangents[1]
            };
            if turns {
                space::Row::relative_rotation(direction, &a, &b)
            } else {
                near.velocity_row(direction, &a, &b)
            }
        });
        let normal = std::iter::once(near.normal_row(&a, &b));
        let belt = point.belt.filter(|_| point.material.friction > 0.0);
        let (now, inputs) = (self.state.time, &self.state.inputs);
        let surface = belt.map_or([Vec3::zeros(); 2], |belt| {
            let belt = &self.time_stepping.belts[belt];
            let speed = belt.speed.value(now, Side::After, inputs);
            let faster = belt.speed.rate(now, Side::After, inputs);
            [belt.direction * speed, belt.direction * faster]
        });
        let work = &mut self.workspace.time_stepping;
        let first = work.rows.len();
        for (k, gradient) in normal.chain(rows).enumerate() {
            let (gradient, turned) = moving_row(&gradient, twists);
            let carried = if (1..3).contains(&k) {
                surface.map(|moving| dot3(moving, frame[k - 1]))
            } else {
                [0.0; 2]
            };
            work.rows.push(row(&gradient, turned - carried[1]));
            let slides = gradient.rate(twists[0], twists[1]) - carried[0];
            work.second.push(slides);
        }
        work.impulse
            .extend(guess(point, frame, pressed.as_ref(), 1.0));
        work.frames.push(frame);
        let mut friction = point.material.friction;
        if point.material.has_static_friction() {
            let slip = [work.second[first + 1], work.second[first + 2]];
            let slid = pressed.map(|old| old.slides);
            let place = (work.constraints.len(), first);
            let bodies = point.bodies.map(index);
            let response = inverse_mass(&work.rows[first + 1], bodies, &work.bodies);
            let own = StaticContact::new(&point.material, place, (slip, response), slid);
            friction = own.friction();
            work.static_contacts.push(own);
        }
        work.constraints.push(ContactConstraint {
            bodies: point.bodies.map(|body| awake(body, self.state)),
            contact: contact(point, friction),
        });
    }

    // (3)
    fn add_accelerated_stops(&mut self) {
        if self.model.contacts.is_empty() {
            return;
        }
        let (h, slow) = (self.h, self.rest_speed());
        self.find_stops(|_, is_closed, _| is_closed);
        let Workspace {
            poses,
            twists,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let (model, state) = (self.model, &*self.state);
        let start = &work.start;
        let velocity = &mut work.moved;
        velocity.clear();
        for (body, v) in model.bodies.iter().zip(start) {
            velocity.extend_from_slice(&v[..body.n_dof]);
        }
        let hold = FixedFeature::default();
        work.stops.retain(|stop| {
            let contact = &model.contacts[stop.contact];
            let turned = model
                .contact_row_rates(contact, &hold, poses, twists, velocity)
                .map_or(0.0, |rates| rates[0]);
            let own = row(&stop.gradient, turned);
            let bodies = contact.bodies.map(index);
            // sleeping bodies keep their forces
            let moves = contact.bodies.map(|body| awake(body, state)) == bodies;
            let closed = moves && along(&own, bodies, start) <= slow + 2.0 * h * turned.abs();
            if closed {
                work.rows.push(own);
                work.second.push(0.0);
                work.impulse.push(state.contact_force[stop.contact][0]);
                work.constraints.push(ContactConstraint {
                    bodies,
                    contact: Contact::new(&[]),
                });
            }
            closed
        });
    }

    // (2)
    fn add_accelerated_joints(&mut self) {
        let mut first = 0;
        for link in &self.model.joints {
            let Some(joint) = link.joint.space() else {
                continue;
            };
            let own = first..first + joint.n_rows();
            first = own.end;
            let mut n = 0;
            if !link.bodies.iter().any(|body| self.is_asleep(*body)) {
                let [a, b] = self.moving(link.bodies);
                let equations = joint.rows(&a, &b);
                n = equations.n;
                let twists = self.twists_of(link.bodies).map(|twist| *twist);
                let work = &mut self.workspace.time_stepping;
                for gradient in &equations.rows[..n] {
                    let (gradient, turned) = moving_row(gradient, [&twists[0], &twists[1]]);
                    work.rows.push(row(&gradient, turned));
                }
                work.impulse.extend_from_slice(&self.state.joint_force[own]);
            }
            self.workspace.time_stepping.joints.push(Joint {
                bodies: link.bodies.map(index),
                rows: n,
            });
        }
    }

    // (2)
    fn add_accelerated_couplings(&mut self) {
        let n_couplings = self.model.couplings.len();
        let first = self.model.first_element_row() - self.model.drives.len() - n_couplings;
        for (i, coupling) in self.model.couplings.iter().enumerate() {
            let pair = coupling.pair();
            let sleeps = pair.iter().any(|body| self.is_asleep(*body));
            let mut n = 0;
            if !sleeps {
                let gradient = self
                    .model
                    .coupling_gradient(coupling, |body| self.moving([body, None])[0]);
                let (gradient, turned) = moving_row(&gradient, self.twists_of(pair));
                let work = &mut self.workspace.time_stepping;
                work.rows.push(row(&gradient, turned));
                work.impulse.push(self.state.joint_force[first + i]);
                n = 1;
            }
            self.workspace.time_stepping.joints.push(Joint {
                bodies: pair.map(index),
                rows: n,
            });
        }
    }

    // (2)
    fn add_accelerated_drives(&mut self) {
        let n_drives = self.model.drives.len();
        let first = self.model.first_element_row() - n_drives;
        for (i, drive) in self.model.drives.iter().enumerate() {
            let bodies = self.model.bodies_of(drive);
            let sleeps = bodies.iter().any(|body| self.is_asleep(*body));
            let mut n = 0;
            if !sleeps {
                let [a, b] = self.moving(bodies);
                let gradient = self.model.drive_gradient(drive, &a, &b);
                let (gradient, turned) = moving_row(&gradient, self.twists_of(bodies));
                let now = (self.state.time, Side::After);
                let faster = drive.acceleration(now, &self.state.inputs);
                let work = &mut self.workspace.time_stepping;
                work.rows.push(row(&gradient, turned - faster));
                work.impulse.push(self.state.joint_force[first + i]);
                n = 1;
            }
            self.workspace.time_stepping.joints.push(Joint {
                bodies: bodies.map(index),
                rows: n,
            });
        }
    }

    // (5)
    fn add_stiff_forces(&mut self) {
        let Workspace {
            poses,
            twists,
            inputs,
            time_stepping: work,
            ..
        } = &mut *self.workspace;
        let now = (self.state.time, Side::After);
        let h = self.h;
        for (i, link) in self.model.forces.iter().enumerate() {
            let bodies = link.bodies.map(|body| awake(body, self.state));
            if bodies != link.bodies.map(index) {
                continue;
            }
            dynamics::sloped(self.model, i, now, inputs, poses, twists, |sloped| {
                let mut entry = row(&sloped.row, 0.0);
                let response = inverse_mass(&entry, bodies, &work.bodies);
                let (k, d) = (sloped.by_value, sloped.by_rate.at_most(0.0));
                if -h * (0.5 * d + 0.25 * k * h) * response > 1.0 {
                    entry.compliance = 1.0 / (-h * (d + k * h));
                    work.rows.push(entry);
                    work.impulse.push(0.0);
                    work.joints.push(Joint { bodies, rows: 1 });
                }
            });
        }
    }

    // sliding velocities are scaled far above all accelerations
    fn set_sliding(&mut self) {
        let slow = self.rest_speed();
        let model = self.model;
        let work = &mut self.workspace.time_stepping;
        let mut most = norm(model.gravity.as_slice());
        for body in &work.bodies {
            most = most.at_least(max_abs(&body.velocity));
        }
        for row in &work.rows {
            most = most.at_least(row.bias.abs());
        }
        let mut at = 0;
        // stops, which come after the contact points, have no friction
        for (constraint, point) in work.constraints.iter().zip(&work.points.list) {
            let sizes = point
                .bodies
                .iter()
                .flatten()
                .map(|i| model.bodies[*i].extent);
            let size = sizes.fold(f64::INFINITY, |x, y| x.at_most(y));
            let mut row = at + 1;
            let mut rows = directions(point, [Vec3::zeros(); 2]);
            for block in constraint.contact.blocks() {
                let own = row..row + block.rows();
                row = own.end;
                let turns = rows.next().is_some_and(|(turns, _)| turns);
                rows.by_ref().take(block.rows() - 1).for_each(drop);
                let slow = if turns && size > 0.0 {
                    slow / size
                } else {
                    slow
                };
                let slides = norm(&work.second[own.clone()]);
                let turned = own.clone().map(|k| work.rows[k].bias.abs());
                let turned = turned.fold(0.0, |x: f64, y| x.at_least(y));
                if slides > slow + 2.0 * self.h * turned {
                    for k in own {
                        work.rows[k].bias += SLIDES * most * work.second[k] / slides;
                    }
                }
            }
            at += constraint.contact.rows();
        }
        work.set_sliding_elements(SLIDES * most);
    }

    fn solve_accelerations(&mut self) -> f64 {
        self.set_sliding();
        let options = &self.time_stepping.options;
        let mut residual = 0.0;
        let work = &mut self.workspace.time_stepping;
        work.reactions.clone_from(&self.state.joint_force);
        // bounds that depend on reactions take many solutions: the slow stages are for contacts only
        let is_exact =
            (options.sweeps.is_none() || work.constraints.len() <= FEW) && work.elements.is_empty();
        work.settle_instant(self.model, |work| {
            let mut ending = work.solve(Effort::Direct, options.threads, false);
            if ending.residual > NEARLY && is_exact {
                ending = work.solve(Effort::Exact, options.threads, false);
            }
            residual = ending.residual;
        });
        residual
    }

    fn write_result(&mut self, instant: &mut Instant) {
        let (model, state, work) = (self.model, &*self.state, &self.workspace.time_stepping);
        instant.acceleration.resize(model.n_velocities, 0.0);
        for (body, end) in model.bodies.iter().zip(&work.end) {
            let own = body.first..body.first + body.n_dof;
            instant.acceleration[own].copy_from_slice(&end[..body.n_dof]);
        }
        // sleeping bodies keep the forces with which they fell asleep
        instant.contacts.clear();
        let asleep = |body: BodyRef| {
            body.is_none_or(|i| state.time_stepping.sleep_timer[i] == f64::INFINITY)
        };
        let colliders = &self.time_stepping.colliders;
        let sleeps = |constraint: &&PersistentContact| {
            let bodies = constraint.key.shapes.map(|i| colliders[i as usize].body);
            bodies.into_iter().all(asleep)
        };
        instant
            .contacts
            .extend(state.time_stepping.contacts.iter().filter(sleeps));
        instant.contact_force.clear();
        let stays = |bodies: [BodyRef; 2]| bodies.iter().any(|body| self.is_asleep(*body));
        let kept = model.contacts.iter().zip(&state.contact_force);
        instant.contact_force.extend(kept.map(|(contact, force)| {
            if stays(contact.bodies) {
                *force
            } else {
                [0.0; 2]
            }
        }));
        instant.friction_power = 0.0;
        let mut row = 0;
        for (point, frame) in work.points.list.iter().zip(&work.frames) {
            let first = row;
            row += 1;
            let mut force = point.normal * work.impulse[first];
            let mut moment = Vec3::zeros();
            for (turns, direction) in directions(point, *frame) {
                let r = work.impulse[row];
                *(if turns { &mut moment } else { &mut force }) += direction * r;
                instant.friction_power -= r * work.second[row];
                row += 1;
            }
            if work.impulse[first] > 0.0 {
                instant.contacts.push(PersistentContact {
                    key: point.key,
                    force,
                    moment,
                    slides: self
                        .loaded_contact(&point.key)
                        .is_some_and(|old| old.slides),
                });
            }
        }
        instant
            .contacts
            .sort_unstable_by_key(|constraint| constraint.key.order());
        for stop in &work.stops {
            instant.contact_force[stop.contact] = [work.impulse[row], 0.0];
            row += 1;
        }
        instant.joint_force.clone_from(&state.joint_force);
        work.write_joint_forces(model, &mut instant.joint_force);
        self.write_element_forces(instant);
    }
}

impl Work {
    /// Impulses of joints, couplings and drives in the order of the equations of the model; those of sleeping bodies, which have no rows,
    /// are left.
    pub(super) fn write_joint_forces(&self, model: &Model, forces: &mut [f64]) {
        let n_rows = |link: &crate::model::JointLink| link.joint.space().map_or(0, |j| j.n_rows());
        let of_joints = model.joints.iter().map(n_rows);
        let of_others = (0..model.couplings.len() + model.drives.len()).map(|_| 1);
        let of_contacts = |constraint: &ContactConstraint| constraint.contact.rows();
        let first: usize = self.constraints.iter().map(of_contacts).sum();
        let (mut impulses, mut forces) = (self.impulse[first..].iter(), forces.iter_mut());
        for (n, joint) in of_joints.chain(of_others).zip(&self.joints) {
            for force in forces.by_ref().take(n) {
                if joint.rows > 0
                    && let Some(impulse) = impulses.next()
                {
                    *force = *impulse;
                }
            }
        }
    }
}

// (8)
fn closed_band(time_stepping: &TimeStepping) -> f64 {
    match time_stepping.options.sweeps {
        Some(_) => BOUNDED_BAND,
        None => BAND,
    }
}

// index of a body in the problem; sleeping bodies are fixed like the ground
fn awake(body: BodyRef, state: &State) -> u32 {
    index(body.filter(|i| state.time_stepping.sleep_timer[*i] < f64::INFINITY))
}
