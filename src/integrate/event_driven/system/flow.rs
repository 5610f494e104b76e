//! Slip of contacts in space over a step, along the exact flow of the system with matrices fixed at the middle of the step.
//!
//! The slower a contact slides, the faster its direction turns: near a stop no mean velocity represents the step. Time t goes from 0 to 1
//! over the step. Rows T of a disc move from those of the start, T0, to those at the time l, Tl:
//!
//! (5)  z = T v,   T = T0 + (t/l) (Tl - T0),   dv/dt = dv_free + A^-1 F c(e),   e = z/|z|
//! (6)  c = int c(e(t)) dt,   c(e): impulses of the system with friction opposite to e throughout the step
//! (7)  R = e.z' < 0:  a stop after |z|/|R|, at constant direction;  it turns at the rate P/|z|, P = p.z'
//!
//! If all velocities end in a stop, so do all slips. Integrated by the fifth-order method of Dormand and Prince; where directions are
//! constant to the accuracy, the rest is exact.

use super::System;
use crate::constraint::GlobalRow;
use crate::integrate::event_driven::rest_speed;
use crate::integrate::event_driven::trial::EventFunctionKind;
use crate::math::dense::RankRevealing;
use crate::math::{Limit, Vec3, norm, set_zeros};
use crate::model::N_TANGENTS;
use crate::state::{Resistance, Status};

/// Relative accuracy of directions.
const ACCURACY: f64 = 1e-9;

/// Relative slip change up to which one step of order two, or four, is as accurate as that.
const SLIGHTLY: f64 = 1e-3;
const LITTLE: f64 = 0.03;

/// A step of the flow is at most this part of the time to a stop.
const OF_STOP: f64 = 0.5;

/// Maximum number of systems solved, and of their rows.
const MAX_SOLVES: usize = 3000;
const MAX_SOLVED_ROWS: usize = 20_000;

/// Rows of solved systems that count as a factorization with its assembly.
const ROWS_OF_WORK: usize = 10_000;

/// Remaining slip of a stopped disc, relative to its start.
const STOPPED: f64 = 1e-5;

const N_STAGES: usize = 7;

const C: [f64; N_STAGES] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

const A: [[f64; N_STAGES - 1]; N_STAGES] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];

/// Order five minus order four.
const E: [f64; N_STAGES] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// T0 v and Tl v of a disc.
type Pair = [[f64; N_TANGENTS]; 2];

/// Workspace and result of the flow.
#[derive(Clone, Debug, Default)]
pub(in crate::integrate) struct Flow {
    /// T0 of all discs, set before the step; used for slipping discs only.
    pub start_rows: Vec<[GlobalRow; N_TANGENTS]>,
    /// Tl of all slipping discs, if different from the rows of the system.
    pub late_rows: Vec<[GlobalRow; N_TANGENTS]>,
    /// l.
    pub late: f64,
    /// Slipping discs.
    discs: Vec<usize>,
    /// Their speeds at the start.
    started: Vec<f64>,
    /// T0 v and Tl v of these, at the current time and at a stage.
    now: Vec<Pair>,
    stage: Vec<Pair>,
    /// Derivatives and c of each stage.
    slopes: Vec<Pair>,
    impulses: Vec<f64>,
    /// Current slips and their derivatives.
    slip: Vec<[f64; N_TANGENTS]>,
    change: Vec<[f64; N_TANGENTS]>,
    /// T0 and Tl of these, and their products with `dv_free`.
    rows: Vec<[GlobalRow; 2 * N_TANGENTS]>,
    free: Vec<Pair>,
    /// The integral (6).
    sum: Vec<f64>,
    /// Speeds of the slipping discs at the end of the step, along their last directions: negative beyond a stop.
    end: Vec<f64>,
    /// Time to the first stop, s; infinite if there is none ahead.
    pub stop: f64,
    /// Was the last step integrated along the flow?
    pub followed: bool,
    /// Number of systems solved in the last step.
    solves: usize,
}

impl Flow {
    /// Storage for systems with `k` rows and `n` discs.
    pub fn new(k: usize, n: usize) -> Self {
        let rows = if n > 0 { k } else { 0 };
        Self {
            start_rows: Vec::with_capacity(n),
            late_rows: Vec::with_capacity(n),
            discs: Vec::with_capacity(n),
            started: Vec::with_capacity(n),
            now: Vec::with_capacity(n),
            stage: Vec::with_capacity(n),
            slopes: Vec::with_capacity(N_STAGES * n),
            impulses: Vec::with_capacity(N_STAGES * rows),
            slip: Vec::with_capacity(n),
            change: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            free: Vec::with_capacity(n),
            sum: Vec::with_capacity(rows),
            end: Vec::with_capacity(n),
            ..Self::default()
        }
    }

    /// Speed of a disc at the end of the last step, if it was integrated along the flow: negative beyond a stop.
    pub fn end_speed(&self, disc: usize) -> Option<f64> {
        let i = self.discs.iter().position(|k| *k == disc)?;
        self.followed.then(|| self.end[i])
    }

    /// Did a disc stop at the end of the last step?
    pub fn stops(&self, disc: usize) -> bool {
        let slips = self.discs.iter().zip(&self.end).zip(&self.started);
        let mut slips = slips.filter(|((k, _), _)| **k == disc);
        self.followed && slips.any(|((_, end), started)| *end <= STOPPED * started)
    }

    /// The first disc that stopped at the end of the last step, and its speed at the start.
    pub fn first_stop(&self) -> Option<(usize, f64)> {
        let slips = self.discs.iter().copied().zip(self.started.iter().copied());
        slips.into_iter().find(|(k, _)| self.stops(*k))
    }

    // largest relative change of a slip in the step
    fn most_change(&self) -> f64 {
        let mut most: f64 = 0.0;
        for (z, f) in self.slip.iter().zip(&self.change) {
            most = most.at_least(norm(f) / norm(z));
        }
        most
    }

    // time to the first stop along current directions, in steps
    fn first_along(&self) -> f64 {
        let mut first = f64::INFINITY;
        for (z, f) in self.slip.iter().zip(&self.change) {
            let speeds_up = z[0] * f[0] + z[1] * f[1];
            if speeds_up < 0.0 {
                first = first.at_most((z[0] * z[0] + z[1] * z[1]) / -speeds_up);
            }
        }
        first
    }

    // are all directions constant, to the accuracy, over the time `reach`?
    fn is_straight(&self, reach: f64) -> bool {
        self.slip.iter().zip(&self.change).all(|(z, f)| {
            let square = z[0] * z[0] + z[1] * z[1];
            let along = (z[0] * f[0] + z[1] * f[1]).abs();
            let across = (z[0] * f[1] - z[1] * f[0]).abs();
            across <= ACCURACY * along || across * reach * reach <= ACCURACY * square
        })
    }

    // slips at the time `t` and their derivatives (5)
    fn evaluate_slips(&mut self, t: f64) {
        let part = t / self.late;
        for (i, [early, late]) in self.now.iter().enumerate() {
            let [slow, fast] = self.slopes[i];
            for k in 0..N_TANGENTS {
                self.slip[i][k] = early[k] + part * (late[k] - early[k]);
                self.change[i][k] =
                    (late[k] - early[k]) / self.late + slow[k] + part * (fast[k] - slow[k]);
            }
        }
    }
}

impl System {
    /// Sets the directions of sliding and rolling, by contact of the model, to those at the end of the flow.
    pub fn set_directions_from_flow(&self, sliding: &mut [Vec3], resistance: &mut [Resistance]) {
        if !self.flow.followed {
            return;
        }
        for (&k, started) in self.flow.discs.iter().zip(&self.flow.started) {
            let (i, along) = (self.disc(k).0, self.direction[k]);
            let contact = self.contacts[i];
            if k < self.contacts.len() {
                let heading = self.along_tangents(i, along);
                let size = norm(heading.as_slice()).at_least(f64::MIN_POSITIVE);
                sliding[contact] = heading * (started / size);
            } else {
                let [_, t, s] = self.axes[i];
                resistance[contact].rolling = (t * along[0] + s * along[1]) * *started;
            }
        }
    }

    /// Work of the last step along the flow, in factorizations.
    pub fn work_of_flow(&self) -> u64 {
        (self.flow.solves * self.len()).div_ceil(ROWS_OF_WORK) as u64
    }

    /// The speed in the event function of a stop, at the end of the last step, if it was integrated along the flow.
    pub fn end_of_flow(&self, what: EventFunctionKind) -> Option<f64> {
        let of = |contact: usize| self.contacts.iter().position(|j| *j == contact);
        match what {
            EventFunctionKind::Sliding(contact) => self.flow.end_speed(of(contact)?),
            EventFunctionKind::Rolling(contact) => {
                self.flow.end_speed(self.rolling_disc(of(contact)?))
            }
            EventFunctionKind::NormalForce(_)
            | EventFunctionKind::ElementSliding(_)
            | EventFunctionKind::ElementForward(_)
            | EventFunctionKind::ElementBackward(_)
            | EventFunctionKind::ElementLoad(_)
            | EventFunctionKind::ConeForward(_)
            | EventFunctionKind::ConeBackward(_)
            | EventFunctionKind::Cone(_)
            | EventFunctionKind::SpinForward(_)
            | EventFunctionKind::SpinBackward(_)
            | EventFunctionKind::Spinning(_)
            | EventFunctionKind::RollingCone(_)
            | EventFunctionKind::Edge(_)
            | EventFunctionKind::PairForward(_)
            | EventFunctionKind::PairBackward(_)
            | EventFunctionKind::ServoUpper(_)
            | EventFunctionKind::ServoLower(_)
            | EventFunctionKind::ServoInside(_)
            | EventFunctionKind::Pressing(_)
            | EventFunctionKind::Separation(_)
            | EventFunctionKind::Redundant => None,
        }
    }

    /// The event function of the first stop at the end of the last step.
    pub fn first_stop(&self) -> Option<EventFunctionKind> {
        let (k, _) = self.flow.first_stop()?;
        let contact = self.contacts[self.disc(k).0];
        Some(if k < self.contacts.len() {
            EventFunctionKind::Sliding(contact)
        } else {
            EventFunctionKind::Rolling(contact)
        })
    }

    /// Did the sliding and the rolling of a contact of the model stop at the end of the last step, along the flow?
    pub fn stopped(&self, contact: usize) -> [bool; 2] {
        let Some(i) = self.contacts.iter().position(|j| *j == contact) else {
            return [false; 2];
        };
        [i, self.rolling_disc(i)].map(|k| self.flow.stops(k))
    }

    /// Like [`Self::solve_sliding`] for a step of length `h` with this free velocity change, with friction along the flow (5). Contacts
    /// that start from rest, and flows that cannot be integrated, have friction opposite to their mean velocity.
    pub fn solve_along_flow(
        &mut self,
        joints: &[bool],
        status: impl Fn(usize) -> Status,
        (sigma, v, h): (f64, &[f64], f64),
        free: &[f64],
        solver: &mut RankRevealing,
    ) -> bool {
        let mut flow = std::mem::take(&mut self.flow);
        flow.discs.clear();
        let n_discs = self.direction.len();
        flow.discs.extend(
            (0..n_discs).filter(|k| self.slips(*k, status(self.contacts[self.disc(*k).0]))),
        );
        flow.begin(v);
        let at_rest = 1e-2 * rest_speed(v);
        let moves = flow.started.iter().all(|speed| *speed > at_rest);
        let mut independent = true;
        let followed = moves && {
            set_zeros(&mut self.turning, n_discs);
            self.direction_change = 0.0;
            self.respond_to_flow(&mut flow, free, v);
            self.integrate_flow(&mut flow, joints, &status, h, solver, &mut independent)
        };
        flow.followed = followed;
        self.flow = flow;
        if followed {
            independent
        } else {
            self.solve_sliding(joints, status, (sigma, v), solver)
        }
    }

    // T0, Tl and the effect of the free motion
    fn respond_to_flow(&self, flow: &mut Flow, free: &[f64], v: &[f64]) {
        flow.rows.clear();
        flow.free.clear();
        for (i, &k) in flow.discs.iter().enumerate() {
            let first = self.disc(k).1;
            let early = &flow.start_rows[k];
            let late = match flow.late_rows.get(k) {
                Some(late) => [&late[0], &late[1]],
                None => [&self.rows[first], &self.rows[first + 1]],
            };
            flow.now[i][1] = late.map(|row| row.dot(v));
            flow.free.push([
                [early[0].dot(free), early[1].dot(free)],
                late.map(|row| row.dot(free)),
            ]);
            flow.rows.push([early[0], early[1], *late[0], *late[1]]);
        }
    }

    // integrates the flow from the start to the end of the step; false if that fails
    fn integrate_flow(
        &mut self,
        flow: &mut Flow,
        joints: &[bool],
        status: &impl Fn(usize) -> Status,
        h: f64,
        solver: &mut RankRevealing,
        independent: &mut bool,
    ) -> bool {
        let n = flow.discs.len();
        let most = (MAX_SOLVED_ROWS / self.len()).min(MAX_SOLVES);
        flow.slopes.clear();
        flow.slopes.resize(N_STAGES * n, Pair::default());
        set_zeros(&mut flow.impulses, N_STAGES * self.len());
        set_zeros(&mut flow.sum, self.len());
        let mut at = |system: &mut Self, flow: &mut Flow, stage: usize, t: f64| {
            *independent = system.flow_at(flow, joints, status, solver, stage, t);
        };
        flow.stage.clone_from(&flow.now);
        at(self, flow, 0, 0.0);
        flow.evaluate_slips(0.0);
        let (mut t, mut step) = (0.0, 0.1 / flow.most_change());
        loop {
            let rest = 1.0 - t;
            let stop = flow.first_along();
            if flow.is_straight(rest.at_most(stop)) {
                self.finish_straight(flow, (t, stop), h);
                return true;
            }
            let change = flow.most_change();
            if !change.is_finite() || flow.solves > most {
                return false;
            }
            if t == 0.0 && change <= LITTLE {
                self.low_order(flow, change <= SLIGHTLY, &mut at);
                self.finish(flow, h);
                return true;
            }
            let length = step.at_most(rest).at_most(OF_STOP * stop);
            for stage in 1..N_STAGES {
                flow.add_stages(&A[stage][..stage], length);
                at(self, flow, stage, t + C[stage] * length);
            }
            let error = flow.error(length, t + length);
            step = length * (0.9 * libm::pow(error.at_least(1e-12), -0.2)).clamp(0.2, 5.0);
            if error > 1.0 || error.is_nan() {
                if length < 1e-14 {
                    return false;
                }
                continue;
            }
            t = if length == rest { 1.0 } else { t + length };
            flow.add_impulses(&A[N_STAGES - 1], length);
            flow.now.clone_from(&flow.stage);
            flow.last_is_first();
            flow.evaluate_slips(t);
            if t >= 1.0 {
                self.finish(flow, h);
                return true;
            }
        }
    }

    // one step of order two, or four
    fn low_order(
        &mut self,
        flow: &mut Flow,
        two: bool,
        at: &mut impl FnMut(&mut Self, &mut Flow, usize, f64),
    ) {
        flow.add_stages(&[0.5], 1.0);
        at(self, flow, 1, 0.5);
        let weights: &[f64] = if two {
            &[0.0, 1.0]
        } else {
            flow.add_stages(&[0.0, 0.5], 1.0);
            at(self, flow, 2, 0.5);
            flow.add_stages(&[0.0, 0.0, 1.0], 1.0);
            at(self, flow, 3, 1.0);
            &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]
        };
        flow.add_stages(weights, 1.0);
        flow.add_impulses(weights, 1.0);
        flow.now.clone_from(&flow.stage);
        flow.evaluate_slips(1.0);
    }

    // derivatives and c with friction opposite to the slips of a stage at the time `t`
    fn flow_at(
        &mut self,
        flow: &mut Flow,
        joints: &[bool],
        status: &impl Fn(usize) -> Status,
        solver: &mut RankRevealing,
        stage: usize,
        t: f64,
    ) -> bool {
        let part = t / flow.late;
        for ([early, late], &k) in flow.stage.iter().zip(&flow.discs) {
            let z = [0, 1].map(|i| early[i] + part * (late[i] - early[i]));
            let speed = norm(&z);
            if speed > 0.0 {
                self.direction[k] = z.map(|x| x / speed);
            }
        }
        flow.solves += 1;
        let independent = self.solve_fixed_mode(joints, status, solver);
        let (n, rows) = (flow.discs.len(), self.len());
        let mut effect = std::mem::take(&mut self.effect);
        if !self.is_large() {
            effect.fill(0.0);
            self.add_response(&mut effect);
        }
        for (i, of_disc) in flow.rows.iter().enumerate() {
            for (j, row) in of_disc.iter().enumerate() {
                let gained = row.dot(&effect);
                flow.slopes[stage * n + i][j / 2][j % 2] = flow.free[i][j / 2][j % 2] + gained;
            }
        }
        self.effect = effect;
        flow.impulses[stage * rows..(stage + 1) * rows].copy_from_slice(&self.impulse);
        independent
    }

    // the rest of the step with constant directions; beyond a stop as well
    fn finish_straight(&mut self, flow: &mut Flow, (t, stop): (f64, f64), h: f64) {
        let rest = 1.0 - t;
        flow.add_impulses(&[1.0], rest);
        flow.end.clear();
        for (z, f) in flow.slip.iter().zip(&flow.change) {
            let speed = norm(z);
            flow.end
                .push(speed + rest * (z[0] * f[0] + z[1] * f[1]) / speed);
        }
        flow.stop = h * (t + stop);
        self.impulse.clone_from(&flow.sum);
        self.point_along(flow);
    }

    // the end of a step without a stop
    fn finish(&mut self, flow: &mut Flow, h: f64) {
        flow.end.clear();
        flow.end.extend(flow.slip.iter().map(|z| norm(z)));
        flow.stop = h * (1.0 + flow.first_along());
        self.impulse.clone_from(&flow.sum);
        self.point_along(flow);
    }

    // directions at the end of the flow
    fn point_along(&mut self, flow: &Flow) {
        for (z, &k) in flow.slip.iter().zip(&flow.discs) {
            let speed = norm(z);
            if speed > 0.0 {
                self.direction[k] = z.map(|x| x / speed);
            }
        }
    }
}

impl Flow {
    // slips at the start
    fn begin(&mut self, v: &[f64]) {
        let n = self.discs.len();
        self.solves = 0;
        self.now.clear();
        self.started.clear();
        for &k in &self.discs {
            let slip = [0, 1].map(|t| self.start_rows[k][t].dot(v));
            self.now.push([slip, slip]);
            self.started.push(norm(&slip));
        }
        self.slip.clear();
        self.slip.resize(n, [0.0; N_TANGENTS]);
        self.change.clear();
        self.change.resize(n, [0.0; N_TANGENTS]);
        self.stage.clear();
        self.stage.resize(n, Pair::default());
    }

    // velocities of a stage
    fn add_stages(&mut self, weights: &[f64], length: f64) {
        let n = self.discs.len();
        for i in 0..n {
            let mut pair = self.now[i];
            for (stage, weight) in weights.iter().enumerate() {
                let f = self.slopes[stage * n + i];
                for (x, f) in pair.as_flattened_mut().iter_mut().zip(f.as_flattened()) {
                    *x += length * weight * f;
                }
            }
            self.stage[i] = pair;
        }
    }

    fn add_impulses(&mut self, weights: &[f64], length: f64) {
        let rows = self.sum.len();
        for (stage, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let c = &self.impulses[stage * rows..(stage + 1) * rows];
            for (sum, c) in self.sum.iter_mut().zip(c) {
                *sum += length * weight * c;
            }
        }
    }

    // error of a step of the flow that ends at the time `t`, in units of the accuracy
    fn error(&self, length: f64, t: f64) -> f64 {
        let (n, part) = (self.discs.len(), t / self.late);
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let mut difference = [0.0; N_TANGENTS];
            for (stage, weight) in E.iter().enumerate() {
                let [slow, fast] = self.slopes[stage * n + i];
                for (k, x) in difference.iter_mut().enumerate() {
                    *x += length * weight * (slow[k] + part * (fast[k] - slow[k]));
                }
            }
            let [early, late] = self.stage[i];
            let end = [0, 1].map(|k| early[k] + part * (late[k] - early[k]));
            let error = norm(&difference) / norm(&self.slip[i]).at_most(norm(&end));
            if !error.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.at_least(error);
        }
        worst / ACCURACY
    }

    fn last_is_first(&mut self) {
        let (n, rows) = (self.discs.len(), self.sum.len());
        let last = N_STAGES - 1;
        self.slopes.copy_within(last * n..(last + 1) * n, 0);
        self.impulses.copy_within(last * rows..(last + 1) * rows, 0);
    }
}
