//! Directions of sliding and rolling in space.
//!
//! Friction of a contact that slides in space is opposite to the mean velocity w of the step, -mu c_n w/|w|: its direction d is unknown.
//! Newton's method for its angle, with p across d:
//!
//! (3)  c_t = -mu c_n d + c_p p,   p.w + (d.w/(mu c_n)) c_p = 0,   w = T (v + dv/2);   then d turns by -c_p/(mu c_n)
//!
//! It converges down to w = 0, where it finds the direction in which a contact starts from rest. Stribeck friction (`stribeck`) uses the
//! direction of w itself: c_p = -(mu c_n/|w|) p.w.

use super::System;
use crate::integrate::event_driven::rest_speed;
use crate::math::dense::RankRevealing;
use crate::math::{Limit, Vec3, dot3, norm, set_zeros};
use crate::model::N_TANGENTS;
use crate::state::{Resistance, Status};

/// Maximum number of Newton iterations for sliding directions with Stribeck friction ..
const MAX_TURNS: u32 = 12;

/// .. and for angles.
const MAX_ANGLES: u32 = 30;

/// Relative slip change of a disc up to which friction may be opposite to its mean velocity over a step.
const FAST: f64 = 0.2;

/// .. and the angle by which forces may turn it, rad.
const TURNS: f64 = 1e-6;

/// Largest change of an angle in one iteration, rad.
const MAX_TURN: f64 = 0.3;

/// Convergence tolerance of a direction.
const SAME_DIRECTION: f64 = 1e-14;

/// A direction that still changes by more than this has not converged.
const FOUND_DIRECTION: f64 = 1e-6;

impl System {
    /// Like [`Self::solve_fixed_mode`] for a step from velocities `v` whose constraints act on `sigma v + dv`: contacts that slide in space
    /// have friction opposite to their mean velocity (3). Their directions are the initial guess.
    pub fn solve_sliding(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        (sigma, v): (f64, &[f64]),
        solver: &mut RankRevealing,
    ) -> bool {
        self.direction_change = 0.0;
        if self.is_simple() {
            return self.solve_fixed_mode(joints, status, solver);
        }
        set_zeros(&mut self.turning, self.direction.len());
        if !self.must_iterate(&status) {
            return self.solve_fixed_mode(joints, status, solver);
        }
        self.start_steps(sigma, v);
        // slower motion has no direction beyond rounding
        let slow = 1e-4 * rest_speed(v);
        if self.stribeck.is_empty() {
            return self.find_angles(joints, &status, solver, slow);
        }
        self.reference.clone_from(&self.direction);
        let independent = self.find_directions(joints, &status, solver, (slow, true));
        if !self.overshot {
            return independent;
        }
        self.direction.clone_from(&self.reference);
        self.turning.fill(0.0);
        self.find_directions(joints, status, solver, (slow, false))
    }

    /// Does the slip of a disc change much over the step? Then no mean velocity represents it: the step is integrated along the flow
    /// (`flow`). Otherwise the first system of [`Self::solve_sliding`] is solved.
    pub fn slips_fast(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        (sigma, v): (f64, &[f64]),
        solver: &mut RankRevealing,
    ) -> bool {
        self.solved_once = false;
        let applies = self.n_friction > 1 && self.stribeck.is_empty() && self.must_iterate(&status);
        if !applies {
            return false;
        }
        self.start_steps(sigma, v);
        let independent = self.solve_fixed_mode(joints, &status, solver);
        let fast = (0..self.direction.len()).any(|k| {
            let (start, mean) = (self.start_speed[k], self.mean_velocity(k));
            let gained = [mean[0] - start[0], mean[1] - start[1]];
            let square = start[0] * start[0] + start[1] * start[1];
            let across = (start[0] * gained[1] - start[1] * gained[0]).abs();
            self.slips(k, status(self.contacts[self.disc(k).0]))
                && (2.0 * across > TURNS * square || 2.0 * norm(&gained) > FAST * square.sqrt())
        });
        self.solved_once = independent && !fast;
        fast
    }

    // initial data of a step from velocities `v`
    pub(super) fn start_steps(&mut self, sigma: f64, v: &[f64]) {
        set_zeros(&mut self.turning, self.direction.len());
        self.sigma = sigma;
        self.start_speed.clear();
        for k in 0..self.direction.len() {
            self.start_speed.push(self.speed(k, v));
        }
        if self.n_friction == 1 {
            let tangents = self.rows.iter().skip(self.n_joint + 1).step_by(2);
            self.start_speed
                .extend(tangents.map(|row| [row.dot(v), 0.0]));
        }
    }

    // Newton's method for the angles of (3)
    fn find_angles(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        slow: f64,
    ) -> bool {
        set_zeros(&mut self.bound, self.direction.len());
        let mut independent =
            std::mem::take(&mut self.solved_once) || self.solve_fixed_mode(joints, &status, solver);
        self.direction_change = f64::INFINITY;
        let mut slips_back = false;
        for iteration in 0..MAX_ANGLES {
            let mut change: f64 = 0.0;
            slips_back = false;
            for k in 0..self.direction.len() {
                if self.slips(k, status(self.contacts[self.disc(k).0])) {
                    let (turned, along) = self.turn_by_angle(k, iteration > 0);
                    change = change.at_least(turned);
                    slips_back |= along < -slow;
                }
            }
            if iteration > 0 {
                let last = std::mem::replace(&mut self.direction_change, change);
                let rounded = change <= FOUND_DIRECTION * FOUND_DIRECTION && change >= 0.5 * last;
                if change <= SAME_DIRECTION || rounded {
                    break;
                }
            }
            independent = self.solve_fixed_mode(joints, &status, solver);
        }
        if slips_back {
            // friction would accelerate: there is a stop on the way
            self.direction_change = f64::INFINITY;
        }
        independent
    }

    // turns a disc according to its friction across; returns the angle, and its mean velocity along the new direction
    fn turn_by_angle(&mut self, k: usize, solved: bool) -> (f64, f64) {
        let (contact, first) = self.disc(k);
        let mean = self.mean_velocity(k);
        let [mut x, mut y] = self.direction[k];
        let mut angle = 0.0;
        if solved && self.bound[k] > 0.0 {
            let across = x * self.impulse[first + 1] - y * self.impulse[first];
            angle = (-across / self.bound[k])
                .at_least(-MAX_TURN)
                .at_most(MAX_TURN);
            let size = (1.0 + angle * angle).sqrt();
            (x, y) = ((x - angle * y) / size, (y + angle * x) / size);
            self.direction[k] = [x, y];
        }
        let along = x * mean[0] + y * mean[1];
        let bound = self.disc_friction(k) * self.impulse[self.normal(contact)].at_least(0.0);
        self.bound[k] = bound;
        self.turning[k] = if bound > 0.0 {
            bound / along.at_least(0.0)
        } else {
            0.0
        };
        (angle.abs(), along)
    }

    // the mean velocity of a disc over the step
    fn mean_velocity(&self, k: usize) -> [f64; N_TANGENTS] {
        let first = self.disc(k).1;
        let mut mean = self.start_speed[k];
        for (t, mean) in mean.iter_mut().enumerate() {
            let row = first + t;
            *mean += 0.5 * (self.bias[row] - self.sigma * *mean + self.gained(row));
        }
        mean
    }

    // Newton's method for the directions of (3); `stops`: discs that reverse are treated as stopped
    pub(super) fn find_directions(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        (slow, stops): (f64, bool),
    ) -> bool {
        self.is_beyond.clear();
        self.is_beyond.resize(self.direction.len(), false);
        let mut independent = self.solve_fixed_mode(joints, &status, solver);
        self.direction_change = f64::INFINITY;
        for _ in 0..MAX_TURNS {
            let mut change: f64 = 0.0;
            self.overshot = false;
            for k in 0..self.direction.len() {
                if self.slips(k, status(self.contacts[self.disc(k).0])) {
                    change = change.at_least(self.turn(k, (slow, stops)));
                }
            }
            for i in 0..self.falling.len() {
                change = change.at_least(self.update_stribeck(i, status(self.contacts[i])));
            }
            self.direction_change = change;
            if change <= SAME_DIRECTION {
                break;
            }
            independent = self.solve_fixed_mode(joints, &status, solver);
        }
        independent
    }

    /// Did the sliding directions converge?
    pub fn directions_are_found(&self) -> bool {
        self.direction_change <= FOUND_DIRECTION
    }

    /// Does a contact slide in space, or with Stribeck friction, or roll?
    pub fn must_iterate(&self, status: impl Fn(usize) -> Status) -> bool {
        let slips = |k: usize| self.slips(k, status(self.contacts[self.disc(k).0]));
        let n_discs = self.contacts.len() + self.resistance.len();
        (0..n_discs).any(slips) || self.any_stribeck(&status)
    }

    // the direction of the mean velocity of a disc; returns the change
    pub(super) fn turn(&mut self, k: usize, (slow, stops): (f64, bool)) -> f64 {
        let contact = self.disc(k).0;
        let mean = self.mean_velocity(k);
        let speed = norm(&mean);
        let along = mean[0] * self.reference[k][0] + mean[1] * self.reference[k][1];
        if speed <= slow || self.is_beyond[k] {
            self.overshot |= self.is_beyond[k] && along > slow;
            return 0.0;
        }
        self.is_beyond[k] = stops && along < 0.0;
        let new = if self.is_beyond[k] {
            // beyond a stop friction stays as at the start, so that the stop can be located
            self.turning[k] = 0.0;
            self.reference[k]
        } else {
            let normal_impulse = self.impulse[self.normal(contact)].at_least(0.0);
            let signed = if along < 0.0 { -speed } else { speed };
            self.turning[k] = self.disc_friction(k) * normal_impulse / signed;
            mean.map(|x| x / signed)
        };
        let old = std::mem::replace(&mut self.direction[k], new);
        (new[0] - old[0]).abs().at_least((new[1] - old[1]).abs())
    }

    /// Rolling friction impulse of the `i`-th contact in world axes, if contacts resist rotation.
    pub fn rolling_vector(&self, i: usize) -> Vec3 {
        let [_, t, s] = self.axes[i];
        let [x, y] = [0, 1].map(|k| self.rolling(i)[k]);
        t * x + s * y
    }

    /// Angular velocity of the `i`-th contact in its rolling direction, in world axes and at least `slow`.
    pub fn rolling_rate(&self, i: usize, v: &[f64], slow: f64) -> Vec3 {
        let k = self.rolling_disc(i);
        let ([_, t, s], [x, y]) = (self.axes[i], self.direction[k]);
        (t * x + s * y) * norm(&self.speed(k, v)).at_least(slow)
    }

    // the world vector with these products with the tangents of the `i`-th contact
    pub(super) fn along_tangents(&self, i: usize, [x, y]: [f64; N_TANGENTS]) -> Vec3 {
        let [t, s] = self.tangents[i];
        let size = |t: Vec3| dot3(t, t).at_least(f64::MIN_POSITIVE);
        t * (x / size(t)) + s * (y / size(s))
    }

    /// A sliding velocity opposite to the friction of the `i`-th contact, in world axes; in space.
    pub fn velocity_against(&self, i: usize) -> Vec3 {
        let first = self.normal(i) + 1;
        self.along_tangents(i, [-self.impulse[first], -self.impulse[first + 1]])
    }

    /// Velocity of the `i`-th contact in its sliding direction, in world axes and at least `slow`; in space.
    pub fn sliding_vector(&self, i: usize, v: &[f64], slow: f64) -> Vec3 {
        let along = self.along_tangents(i, self.direction[i]);
        along
            * (norm(&self.speed(i, v)).at_least(slow)
                / norm(along.as_slice()).at_least(f64::MIN_POSITIVE))
    }

    /// Sliding velocity of the `i`-th contact in world axes; in space.
    pub fn velocity_vector(&self, i: usize, v: &[f64]) -> Vec3 {
        self.along_tangents(i, self.speed(i, v))
    }

    /// Angular velocity of rolling of the `i`-th contact in world axes, if contacts resist rotation.
    pub fn rolling_velocity(&self, i: usize, v: &[f64]) -> Vec3 {
        let ([_, t, s], [x, y]) = (self.axes[i], self.speed(self.rolling_disc(i), v));
        t * x + s * y
    }

    // velocities of a disc along its rows
    pub(super) fn speed(&self, k: usize, v: &[f64]) -> [f64; N_TANGENTS] {
        let (_, first) = self.disc(k);
        [first, first + 1].map(|row| self.rows[row].dot(v))
    }

    /// Is nearly all of the velocity of a disc gone? A contact in space with zero velocity along its old direction has stopped, or turns
    /// fast.
    pub fn has_stopped(&self, k: usize, v: &[f64], before: Option<&Vec3>) -> bool {
        before.is_some_and(|before| norm(&self.speed(k, v)) <= 0.1 * norm(before.as_slice()))
    }

    /// Sliding speed of the `i`-th contact along a world direction; in space.
    pub fn speed_along(&self, i: usize, v: &[f64], direction: Vec3) -> f64 {
        let along = self.tangents[i].map(|t| dot3(t, direction));
        let speed = self.speed(i, v);
        (along[0] * speed[0] + along[1] * speed[1]) / norm(&along).at_least(f64::MIN_POSITIVE)
    }

    /// Angular velocity of rolling of the `i`-th contact along a world direction.
    pub fn rolling_along(&self, i: usize, v: &[f64], direction: Vec3) -> f64 {
        let [_, t, s] = self.axes[i];
        let along = [t, s].map(|t| dot3(t, direction));
        let rate = self.speed(self.rolling_disc(i), v);
        (along[0] * rate[0] + along[1] * rate[1]) / norm(&along).at_least(f64::MIN_POSITIVE)
    }

    /// Sets the directions of sliding contacts at velocities `v`; at rest, those of `sliding` (world axes, by contact of the model), which
    /// also give their sense. Rotational statuses are those of `resistance`, Stribeck friction that of `v`. Only the latter in the plane.
    #[inline]
    pub fn set_directions(&mut self, v: &[f64], sliding: &[Vec3], resistance: &[Resistance]) {
        if !self.stribeck.is_empty() {
            self.slide_at(v, |_| true);
        }
        if !sliding.is_empty() {
            self.set_directions_in_space(v, sliding, resistance);
        }
    }

    #[inline(never)]
    fn set_directions_in_space(&mut self, v: &[f64], sliding: &[Vec3], resistance: &[Resistance]) {
        // slower contacts start from rest, against their friction
        let slow = 1e-2 * rest_speed(v);
        self.direction.clear();
        self.turning.clear();
        self.resistance.clear();
        for (i, &contact) in self.contacts.iter().enumerate() {
            let along = self.tangents[i].map(|t| dot3(t, sliding[contact]));
            self.direction.push(self.direction_of(i, v, slow, along));
        }
        if !resistance.is_empty() {
            for (i, &contact) in self.contacts.iter().enumerate() {
                let [_, t, s] = self.axes[i];
                let along = [t, s].map(|t| dot3(t, resistance[contact].rolling));
                let k = self.rolling_disc(i);
                self.direction.push(self.direction_of(k, v, slow, along));
                self.resistance.push(resistance[contact]);
            }
        }
        self.turning.resize(self.direction.len(), 0.0);
    }

    /// Time to the first stop of a slipping disc, with the accelerations of this system: s/-R, infinite if there is none ahead.
    pub fn time_to_stop(&self, status: impl Fn(usize) -> Status, v: &[f64]) -> f64 {
        let slow = rest_speed(v);
        let mut first = f64::INFINITY;
        if self.contacts.is_empty() {
            return first;
        }
        for k in 0..self.direction.len() {
            if !self.slips(k, status(self.contacts[self.disc(k).0])) {
                continue;
            }
            let (speed, row) = (self.speed(k, v), self.disc(k).1);
            let mut slows = 0.0;
            for (t, z) in speed.iter().enumerate() {
                slows -= z * (self.bias[row + t] + self.gained(row + t));
            }
            let square = speed[0] * speed[0] + speed[1] * speed[1];
            if slows > 0.0 && square > slow * slow * 1e-4 {
                first = first.at_most(square / slows);
            }
        }
        first
    }

    /// Slips of all discs in world axes, zero where they do not slip.
    pub fn slips_at(&self, status: impl Fn(usize) -> Status, v: &[f64], slips: &mut Vec<Vec3>) {
        let n = self.contacts.len();
        slips.extend((0..self.direction.len()).map(|k| {
            if !self.slips(k, status(self.contacts[self.disc(k).0])) {
                Vec3::zeros()
            } else if k < n {
                self.velocity_vector(k, v)
            } else {
                self.rolling_velocity(k - n, v)
            }
        }));
    }

    // slip direction of a disc whose last one is known
    pub(super) fn direction_of(
        &self,
        k: usize,
        v: &[f64],
        slow: f64,
        last: [f64; 2],
    ) -> [f64; N_TANGENTS] {
        let mut along = last;
        let speed = self.speed(k, v);
        if speed[0] * speed[0] + speed[1] * speed[1] > slow * slow {
            let backward =
                !self.follows_velocity && speed[0] * along[0] + speed[1] * along[1] < 0.0;
            along = if backward { speed.map(|x| -x) } else { speed };
        }
        let size = (along[0] * along[0] + along[1] * along[1]).sqrt();
        if size > 0.0 {
            along.map(|x| x / size)
        } else {
            [1.0, 0.0]
        }
    }
}
