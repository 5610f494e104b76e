//! Ropes: a path along points fixed on bodies is at most as long as the rope.
//!
//! (1)  s = sum of |p_(i+1) - p_i| - x,   x the length that a reel has paid out; the gap is the length at the start less s
//! (2)  the gradient of s with respect to the motions of all its bodies; that of a reel is the rate of its first coordinate

use super::build::unknown_name;
use super::contacts::overlap_allowed;
use super::geometry::{moving, moving_in_space};
use super::seams::Seams;
use super::{
    Body, BodyRef, Contact, ContactKind, Drive, Driven, Limited, Model, Poses, Stop, Twists,
    pose_of, space_pose_of,
};
use crate::constraint::{GlobalRow, MAX_BODIES};
use crate::kinds::plane::force::{Input, Side};
use crate::kinds::{plane, space};
use crate::math::Vec3;
use crate::scene::error::Problem;
use crate::scene::spec::{self, BodyMotion};

/// The path of a rope.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// One end, pulleys, the other end: a body and a point of it each, in its own axes, m.
    pub points: Vec<(BodyRef, Vec3)>,
    /// The driven body whose first coordinate is the length paid out.
    pub reel: Option<usize>,
    /// Its moving bodies, with its reel.
    pub bodies: Vec<usize>,
}

/// Key, message and hint of what a rope cannot be.
type Refused = (&'static str, String, &'static str);

impl Rope {
    fn new(points: Vec<(BodyRef, Vec3)>, reel: Option<usize>) -> Self {
        let mut bodies: Vec<usize> = points.iter().filter_map(|(body, _)| *body).collect();
        bodies.extend(reel);
        bodies.sort_unstable();
        bodies.dedup();
        Self {
            points,
            reel,
            bodies,
        }
    }

    fn unsupported(&self) -> Option<Refused> {
        let n_bodies = self.bodies.len();
        if self.points.iter().all(|(body, _)| body.is_none()) {
            return Some((
                "bodies",
                "no point of the rope is on a body that moves".to_owned(),
                "name a body, at an end or in `over`",
            ));
        }
        (n_bodies > MAX_BODIES).then(|| {
            (
                "over",
                format!(
                    "the rope runs along {n_bodies} moving bodies, with its reel, but at most {MAX_BODIES} are possible"
                ),
                "fix some of the pulleys to the ground",
            )
        })
    }

    /// The points between its ends.
    pub fn pulleys(&self) -> &[(BodyRef, Vec3)] {
        match &self.points[..] {
            [_, between @ .., _] => between,
            _ => &[],
        }
    }

    /// Its straight parts: two points each.
    pub fn parts(&self) -> impl Iterator<Item = [(BodyRef, Vec3); 2]> + '_ {
        self.points.windows(2).map(|ends| [ends[0], ends[1]])
    }

    /// Is one of its points fixed?
    pub fn is_fixed(&self) -> bool {
        self.points.iter().any(|(body, _)| body.is_none())
    }
}

impl Model {
    /// Adds ropes; `vec3` makes a vector of a point in the coordinates of a body of the scene.
    pub(super) fn add_ropes<'a, P: Copy>(
        &mut self,
        written: &[spec::Rope<P>],
        vec3: impl Fn(P) -> Vec3,
        bodies: impl Iterator<Item = (&'a str, Option<&'a BodyMotion>)> + Clone,
        problems: &mut Vec<Problem>,
    ) {
        let mut poses = Poses::new(self);
        self.poses(&self.initial_position, &mut poses);
        for rope in written {
            let mut points = Vec::with_capacity(rope.points.len());
            for end in &rope.points {
                let body = self.bodies.iter().position(|b| b.name == end.body.text);
                if body.is_none() && end.body.text != "ground" {
                    problems.push(unknown_name(&end.body, "body"));
                }
                points.push((body, self.in_engine_axes(body, vec3(end.point))));
            }
            let reel = rope.reel_of(bodies.clone());
            let added = Rope::new(points, reel);
            let mut reject = |(key, message, hint): Refused| {
                problems.push(Problem {
                    place: rope.place.clone(),
                    key: format!("rope[{}].{key}", rope.name),
                    message,
                    hint: hint.to_owned(),
                });
            };
            if let Some(refused) = added.unsupported() {
                reject(refused);
                continue;
            }
            let (path, _) = self.rope(&added, &poses);
            let length = rope.length.unwrap_or(path);
            // a packed scene can have any number
            if length.is_nan() || length <= 0.0 {
                let message = "the points of the rope coincide at the start, so it has no length";
                reject(("length", message.to_owned(), "give its `length`"));
                continue;
            }
            let missing = path - length;
            if missing > overlap_allowed(self) {
                let message = format!(
                    "the path of the rope is {path:.6} m long at the start, {missing:.3e} m longer than the rope"
                );
                reject(("length", message, "move the bodies or lengthen the rope"));
                continue;
            }
            self.add_rope(rope.name.clone(), added, length, rope.restitution);
        }
    }

    fn add_rope(&mut self, name: String, rope: Rope, length: f64, restitution: f64) {
        let moving = rope.points.iter().find_map(|(body, _)| *body);
        let first = rope.points.first().and_then(|(body, _)| *body);
        let last = rope.points.last().and_then(|(body, _)| *body);
        self.pairs.push(name.clone());
        self.contacts.push(Contact {
            name,
            // of a rope with two fixed ends, that of a pulley
            bodies: [first, last.or(moving.filter(|_| first.is_none()))],
            pair: self.pairs.len() - 1,
            kind: ContactKind::Limit(Stop {
                of: Limited::Rope(self.ropes.len()),
                bound: length,
                above: false,
            }),
            seams: Seams::default(),
            friction: 0.0,
            static_friction: 0.0,
            stribeck_velocity: None,
            torsional_friction: 0.0,
            rolling_friction: 0.0,
            restitution,
            tangential_restitution: 0.0,
            compliance: None,
        });
        // a lighter reel costs digits in the equations
        if let Some(reel) = rope.reel {
            let moved = rope.bodies.iter().filter(|body| **body != reel);
            let mass = moved.map(|body| self.mass[self.bodies[*body].first]).sum();
            let Body { first, n_dof, .. } = self.bodies[reel];
            self.mass[first..first + n_dof].fill(mass);
        }
        self.ropes.push(rope);
    }

    /// The rope that a contact is, if it is one.
    pub fn rope_of(&self, contact: &Contact) -> Option<&Rope> {
        match contact.kind {
            ContactKind::Limit(Stop {
                of: Limited::Rope(i),
                ..
            }) => self.ropes.get(i),
            ContactKind::Limit(_) | ContactKind::Feature(_) | ContactKind::Space(_) => None,
        }
    }

    /// Length of a rope at the start, m, if the contact is one.
    pub fn rope_length(&self, contact: usize) -> Option<f64> {
        match self.contacts[contact].kind {
            ContactKind::Limit(Stop {
                of: Limited::Rope(_),
                bound,
                ..
            }) => Some(bound),
            ContactKind::Limit(_) | ContactKind::Feature(_) | ContactKind::Space(_) => None,
        }
    }

    /// Length of a rope on a reel at these positions, m, if the contact is one.
    pub fn reeled_length(&self, contact: usize, position: &[f64]) -> Option<f64> {
        let reel = self.rope_of(&self.contacts[contact])?.reel?;
        Some(self.rope_length(contact)? + position[self.bodies[reel].first])
    }

    /// Is it the drive of a reel?
    pub fn drives_reel(&self, drive: &Drive) -> bool {
        let [_, body] = self.bodies_of(drive);
        body.is_some_and(|body| self.bodies[body].is_reel)
    }

    /// The velocity of each reel, by index, and its prescribed value, m/s.
    pub fn reel_speeds(
        &self,
        time: (f64, Side),
        inputs: &[Input],
    ) -> impl Iterator<Item = (usize, f64)> {
        let drives = self.drives.iter();
        drives.filter_map(move |drive| match drive.of {
            Driven::Body {
                body, coordinate, ..
            } if self.bodies[body].is_reel => {
                let velocity = self.bodies[body].first + coordinate;
                Some((velocity, drive.speed(time, inputs)))
            }
            Driven::Body { .. } | Driven::Joint { .. } | Driven::Turn { .. } => None,
        })
    }

    /// All bodies that the gap of a contact depends on.
    pub fn bodies_of_contact(&self, contact: &Contact) -> impl Iterator<Item = BodyRef> + '_ {
        let further = self.rope_of(contact).map_or(&[][..], |rope| &rope.bodies);
        contact
            .bodies
            .into_iter()
            .chain(further.iter().map(|body| Some(*body)))
    }

    // (1) and (2)
    pub(super) fn rope(&self, rope: &Rope, poses: &Poses) -> (f64, GlobalRow) {
        let (mut sum, mut row) = (0.0, GlobalRow::default());
        for [(a, on_a), (b, on_b)] in rope.parts() {
            let bodies = [a, b];
            let (length, gradient) = if self.spatial {
                let [a, b] = bodies.map(|body| space_pose_of(poses.space(), body));
                let (length, row) = space::distance((a, on_a), (b, on_b));
                (length, self.global_row_in_space(bodies, &row))
            } else {
                let [a, b] = bodies.map(|body| pose_of(poses.plane(), body));
                let (length, row) = plane::distance((a, on_a.xy()), (b, on_b.xy()));
                (length, self.global_row(bodies, &row))
            };
            sum += length;
            row.add_scaled(1.0, &gradient);
        }
        if let Some(reel) = rope.reel {
            sum -= match poses {
                Poses::Plane(poses) => poses[reel].position.x,
                Poses::Space { poses, .. } => poses[reel].position.x,
            };
            row.add_scaled(-1.0, &GlobalRow::unit(self.bodies[reel].first));
        }
        (sum, row)
    }

    // (1), and the derivative of (2) along the motion
    pub(super) fn rope_in_motion(
        &self,
        rope: &Rope,
        poses: &Poses,
        twists: &Twists,
    ) -> (f64, GlobalRow) {
        let (sum, _) = self.rope(rope, poses);
        let mut rate = GlobalRow::default();
        for [(a, on_a), (b, on_b)] in rope.parts() {
            let bodies = [a, b];
            let change = if self.spatial {
                let [a, b] = moving_in_space(bodies, poses, twists);
                let (_, row) = space::distance((&a, on_a), (&b, on_b));
                self.global_space_rate(bodies, &row)
            } else {
                let [a, b] = moving(bodies, poses, twists);
                let (_, row) = plane::distance((&a, on_a.xy()), (&b, on_b.xy()));
                self.global_rate(bodies, &row)
            };
            rate.add_scaled(1.0, &change);
        }
        (sum, rate)
    }
}
