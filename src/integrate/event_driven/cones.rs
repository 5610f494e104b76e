//! Contact problem of a [`System`] in space with exact friction cones; joints are eliminated already.
//!
//! (1)  a contact that may slide or stick has its normal and two tangents; if it resists rotation, a row for
//!      its spin and two for its rolling, each with its own cone
//! (2)  a contact without friction, or slipping in a given direction d, has no friction rows: the normal has the column n - mu d
//! (3)  static above kinetic friction: contacts at rest have cones with the static coefficient. If one moves nevertheless, it gets the
//!      kinetic one, and the problem is solved again, until no other one moves.
//! (4)  Stribeck friction, if the unknowns are velocities: the same with the coefficient of the speed of the
//!      solution. A larger coefficient gives a smaller speed, so the coefficients of one contact change monotonically.
//! (5)  restitution phase of an impact: |c_b| <= mu_b (c_n + g) with a given g. The contact has a twin with the same friction rows,
//!      whose normal has no effect and is g: two cones with one velocity bound the sum of their friction by the sum of their bounds.

use super::complementarity::Sliding;
use super::system::System;
use crate::contact::{dense, lcp};
use crate::math::{Limit, max_abs, norm, set_zeros};
use crate::model::{MAX_FRICTION_ROWS, N_ROTATION_AXES, N_TANGENTS};
use crate::state::{Resistance, Status};

/// Below this part of the free motion a contact is held by static friction, does not spin and does not roll: contacts with redundant forces
/// may be on the boundary of their cones, and this is the tolerance of the solver.
const MOVES: f64 = dense::ACCEPTED_RESIDUAL;

/// Friction blocks of a contact: sliding, spin, rolling.
const N_BLOCKS: usize = dense::MAX_BLOCKS;

/// Below this part of the motion without contact forces there is no sliding: the residual of the solver, with a margin.
const AT_REST: f64 = 1e-8;

/// Maximum number of updates of Stribeck coefficients; friction is bounded in any case.
pub(super) const MAX_STRIBECK_UPDATES: u32 = 60;

/// Workspace of the problem.
#[derive(Debug, Default)]
pub(super) struct Cones {
    solver: dense::Solver,
    /// Largest residual of an inexact solution that was used.
    pub worst_used: f64,
    contacts: Vec<dense::Contact>,
    parts: Vec<Part>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    impulse: Vec<f64>,
    /// Row of the normal of each contact in the problem, then of each twin (5), and their number.
    first: Vec<usize>,
    /// The contacts that have twins.
    twins: Vec<usize>,
    /// Contacts that broke away from static friction.
    broken: Vec<bool>,
    /// Rows of the largest problem since the counters were reset.
    largest: usize,
}

/// Unknowns of a contact in the problem.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Is sliding, spin or rolling to be determined by the problem?
    free: [bool; N_BLOCKS],
    /// Its rows, counted from the normal.
    rows: [usize; 1 + MAX_FRICTION_ROWS],
    /// Slides in a given direction.
    slides: bool,
    /// Sign of a given spin, 0 without one.
    spins: f64,
    /// Rolls in a given direction.
    rolls: bool,
}

impl Part {
    // the block of the contact in the problem, if sliding (0), spin (1) or rolling (2) has one
    fn block(&self, kind: usize) -> Option<usize> {
        self.free[kind].then(|| self.free[..kind].iter().filter(|free| **free).count())
    }
}

impl Cones {
    pub fn reset_stats(&mut self) {
        self.solver.reset_stats();
        self.worst_used = 0.0;
        self.largest = 0;
    }

    pub fn stats(&self) -> lcp::Stats {
        let dense::Stats {
            solves,
            iterations,
            worst_residual,
            ..
        } = self.solver.stats;
        lcp::Stats {
            solves,
            pivots: iterations,
            worst_residual: worst_residual.at_least(self.worst_used),
            largest: self.largest,
            ..lcp::Stats::default()
        }
    }

    /// Solves for the impulses of the contacts, from the initial guess of the system. If its rows are `speeds` times velocities, Stribeck
    /// friction is that of the solution.
    pub fn solve(
        &mut self,
        system: &mut System,
        reduced: &[f64],
        offset: &[f64],
        sliding: impl Fn(usize) -> Sliding,
        speeds: Option<f64>,
    ) -> lcp::Outcome {
        self.broken.clear();
        let contacts = system.contacts.iter();
        self.broken
            .extend(contacts.map(|contact| sliding(*contact) == Sliding::Broken));
        self.list(system, &sliding);
        self.assemble(system, reduced, offset);
        set_zeros(&mut self.impulse, self.vector.len());
        self.take_guess(system);
        self.largest = self.largest.max(self.vector.len());
        let mut updates_left = MAX_STRIBECK_UPDATES;
        let outcome = loop {
            let problem = dense::Problem {
                n: self.vector.len(),
                matrix: &self.matrix,
                vector: &self.vector,
                contacts: &self.contacts,
            };
            let outcome = self.solver.solve(&problem, &mut self.impulse);
            let solved = matches!(outcome, dense::Outcome::Solved { .. });
            let breaks = solved && self.break_away(system);
            let falls = solved && updates_left > 0 && self.update_stribeck(system, speeds);
            if !breaks && !falls {
                break outcome;
            }
            updates_left -= u32::from(falls);
            self.list(system, &sliding);
        };
        self.write_impulses(system);
        match outcome {
            dense::Outcome::Solved {
                iterations,
                residual,
            } => lcp::Outcome::Solved {
                pivots: iterations,
                residual,
            },
            dense::Outcome::Unbounded { .. } => lcp::Outcome::Ray,
            dense::Outcome::Inaccurate { residual } => lcp::Outcome::Inaccurate { residual },
        }
    }

    fn take_guess(&mut self, system: &System) {
        let stride = 1 + system.n_friction;
        for (i, guess) in system.guess.chunks_exact(stride).enumerate() {
            let rows = self.first[i]..self.first[i + 1];
            for (x, row) in self.impulse[rows].iter_mut().zip(self.parts[i].rows) {
                *x = guess[row];
            }
        }
        for (twin, &i) in self.twins.iter().enumerate() {
            self.impulse[self.first[system.contacts.len() + twin]] = system.restituted[i];
        }
    }

    // (1), (2)
    fn list(&mut self, system: &System, sliding: &impl Fn(usize) -> Sliding) {
        self.contacts.clear();
        self.parts.clear();
        self.first.clear();
        let mut n = 0;
        for (i, contact) in system.contacts.iter().enumerate() {
            self.first.push(n);
            let mut part = Part::default();
            let mut blocks = [dense::Block::Line { friction: 0.0 }; N_BLOCKS];
            let (mut n_blocks, mut n_rows) = (0, 1);
            let mut add = |block: dense::Block, first: usize, part: &mut Part| {
                for k in 0..block.rows() {
                    part.rows[n_rows] = first + k;
                    n_rows += 1;
                }
                blocks[n_blocks] = block;
                n_blocks += 1;
            };
            match sliding(*contact) {
                Sliding::Free | Sliding::Broken => part.free[0] = system.has_friction(i),
                Sliding::Directed => part.slides = true,
                Sliding::Known(_) => {}
            }
            if part.free[0] {
                // (3)
                let friction = if self.broken[i] || system.stribeck_of(i).is_some() {
                    system.friction[i]
                } else {
                    system.static_friction[i]
                };
                add(dense::Block::Disc { friction }, 1, &mut part);
            }
            if let Some([torsional, rolling]) = system.resisting.get(i).copied() {
                let Resistance { spin, roll, .. } = system.resistance_of(i);
                let first = 1 + N_TANGENTS;
                part.spins = spin.slip_sign();
                part.free[1] = torsional > 0.0 && part.spins == 0.0;
                if part.free[1] {
                    let friction = torsional;
                    add(dense::Block::Line { friction }, first, &mut part);
                }
                part.rolls = roll == Status::Slip;
                part.free[2] = rolling > 0.0 && !part.rolls;
                if part.free[2] {
                    let friction = rolling;
                    add(dense::Block::Disc { friction }, first + 1, &mut part);
                }
            }
            let contact = dense::Contact::new(&blocks[..n_blocks]);
            n += contact.rows();
            self.contacts.push(contact);
            self.parts.push(part);
        }
        // (5)
        self.twins.clear();
        for i in 0..system.restituted.len() {
            if system.restituted[i] > 0.0 && self.contacts[i].rows() > 1 {
                self.first.push(n);
                n += self.contacts[i].rows();
                self.contacts.push(self.contacts[i]);
                self.parts.push(self.parts[i]);
                self.twins.push(i);
            }
        }
        self.first.push(n);
    }

    fn assemble(&mut self, system: &System, reduced: &[f64], offset: &[f64]) {
        let n = self.first[self.contacts.len()];
        let stride = 1 + system.n_friction;
        let n_contacts = system.contacts.len();
        let n_reduced = stride * n_contacts;
        self.matrix.clear();
        self.vector.clear();
        for i in 0..self.contacts.len() {
            let (of, is_twin) = self.of(i, n_contacts);
            for a in &self.parts[i].rows[..self.contacts[i].rows()] {
                let row = stride * of + a;
                let w = &reduced[row * n_reduced..(row + 1) * n_reduced];
                if is_twin && *a == 0 {
                    let own = if w[row] > 0.0 { w[row] } else { 1.0 };
                    let start = self.matrix.len();
                    self.matrix.resize(start + n, 0.0);
                    self.matrix[start + self.first[i]] = own;
                    self.vector.push(-own * system.restituted[of]);
                    continue;
                }
                self.vector.push(offset[row]);
                for (j, part) in self.parts.iter().enumerate() {
                    let (of, is_twin) = self.of(j, n_contacts);
                    let column = &w[stride * of..stride * (of + 1)];
                    self.matrix.push(if is_twin {
                        0.0
                    } else {
                        normal_column(system, of, part, column)
                    });
                    let others = &part.rows[1..self.contacts[j].rows()];
                    self.matrix.extend(others.iter().map(|b| column[*b]));
                }
            }
        }
        debug_assert_eq!(self.matrix.len(), n * n);
    }

    // the contact of the system of an entry of the problem, and whether it is its twin (5)
    fn of(&self, entry: usize, n_contacts: usize) -> (usize, bool) {
        match entry.checked_sub(n_contacts) {
            Some(twin) => (self.twins[twin], true),
            None => (entry, false),
        }
    }

    // do these rows of the problem move in its solution, by more than this part of the free motion?
    fn moves(&self, mut rows: std::ops::Range<usize>, part: f64) -> bool {
        let least = part * max_abs(&self.vector);
        rows.any(|row| self.product(row).abs() > least)
    }

    // velocity of a row of the problem in its solution
    fn product(&self, row: usize) -> f64 {
        let n = self.vector.len();
        let w = &self.matrix[row * n..(row + 1) * n];
        let gained: f64 = w.iter().zip(&self.impulse).map(|(w, c)| w * c).sum();
        self.vector[row] + gained
    }

    // (3): true if another contact broke away
    fn break_away(&mut self, system: &System) -> bool {
        let mut any = false;
        for i in 0..system.contacts.len() {
            let falls = system.stribeck_of(i).is_some();
            let holds = self.parts[i].free[0] && !self.broken[i] && !falls;
            if !holds || system.static_friction[i] <= system.friction[i] {
                continue;
            }
            let first = self.first[i];
            let normal_impulse = self.impulse[first] > 0.0 || system.restituted_at(i) > 0.0;
            self.broken[i] = normal_impulse && self.moves(self.rows_of(i, 0), MOVES);
            any |= self.broken[i];
        }
        any
    }

    // (4): true if a coefficient changed
    fn update_stribeck(&self, system: &mut System, speeds: Option<f64>) -> bool {
        let Some(speeds) = speeds else {
            return false;
        };
        let mut any = false;
        for i in 0..system.stribeck.len() {
            let Some(stribeck) = system.stribeck_of(i).filter(|_| self.parts[i].free[0]) else {
                continue;
            };
            let u = [0, 1].map(|k| self.product(self.rows_of(i, 0).start + k));
            any |= stribeck.update_coefficient(&mut system.friction[i], norm(&u) / speeds);
        }
        any
    }

    fn write_impulses(&self, system: &mut System) {
        system.impulse.fill(0.0);
        let n_contacts = system.contacts.len();
        for (i, part) in self.parts[..n_contacts].iter().enumerate() {
            let normal = system.normal(i);
            let solved = &self.impulse[self.first[i]..self.first[i + 1]];
            for (row, x) in part.rows.iter().zip(solved) {
                system.impulse[normal + row] = *x;
            }
            if part.slides {
                let (normal_impulse, [x, y]) =
                    (system.friction[i] * solved[0], system.direction[i]);
                system.impulse[normal + 1] = -normal_impulse * x;
                system.impulse[normal + 2] = -normal_impulse * y;
            }
            let Some([torsional, rolling]) = system.resisting.get(i).copied() else {
                continue;
            };
            let spin = system.spin_row(i);
            if part.spins != 0.0 {
                system.impulse[spin] = -torsional * part.spins * solved[0];
            }
            if part.rolls {
                let [x, y] = system.direction[system.rolling_disc(i)];
                let normal_impulse = rolling * solved[0];
                system.impulse[spin + 1] = -normal_impulse * x;
                system.impulse[spin + 2] = -normal_impulse * y;
            }
        }
        // (5)
        for (twin, &i) in self.twins.iter().enumerate() {
            let (normal, part) = (system.normal(i), &self.parts[i]);
            let first = self.first[n_contacts + twin];
            for (k, row) in part
                .rows
                .iter()
                .enumerate()
                .take(self.contacts[i].rows())
                .skip(1)
            {
                system.impulse[normal + row] += self.impulse[first + k];
            }
        }
    }

    /// Residual of the contact conditions for the impulses of a system, relative to its speeds: unilateral contact, and sticking within the
    /// cones. That sliding is opposed by friction is ensured by events.
    pub fn check(&self, system: &System, reduced: &[f64], offset: &[f64]) -> f64 {
        let stride = 1 + system.n_friction;
        let n = stride * system.contacts.len();
        let impulse = &system.impulse[system.n_joint..];
        let speed = |row: usize| {
            let w = &reduced[row * n..(row + 1) * n];
            offset[row] + w.iter().zip(impulse).map(|(w, c)| w * c).sum::<f64>()
        };
        let (mut worst, mut size): (f64, f64) = (0.0, max_abs(offset));
        for i in 0..system.contacts.len() {
            let row = stride * i;
            let inverse_mass = reduced[row * n + row];
            let (normal_impulse, separates) = (inverse_mass * impulse[row], speed(row));
            let friction_impulse = norm(&impulse[row + 1..=row + N_TANGENTS]);
            let beyond =
                inverse_mass * friction_impulse - system.static_friction[i] * normal_impulse;
            worst = worst
                .at_least(normal_impulse.at_most(separates).abs())
                .at_least(beyond);
            if let Some([torsional, rolling]) = system.resisting.get(i).copied() {
                let spin = row + 1 + N_TANGENTS;
                for (moment, friction) in [
                    (impulse[spin].abs(), torsional),
                    (norm(&impulse[spin + 1..=spin + 2]), rolling),
                ] {
                    if friction > 0.0 {
                        worst = worst.at_least(inverse_mass * moment / friction - normal_impulse);
                    }
                }
            }
            size = size.at_least(normal_impulse);
        }
        worst / size.at_least(f64::MIN_POSITIVE)
    }

    /// Status of the `i`-th contact in the solution.
    pub fn status(&self, system: &System, i: usize, sliding: Sliding, scale: f64) -> Status {
        let first = self.first[i];
        if self.impulse[first] <= 1e-12 * scale {
            Status::Open
        } else if !system.has_friction(i) {
            Status::Frictionless
        } else if sliding == Sliding::Directed
            || (self.slips(i, 0) && self.moves(self.rows_of(i, 0), AT_REST))
        {
            Status::Slip
        } else {
            Status::Stick
        }
    }

    // does sliding (0), spin (1) or rolling (2) of the `i`-th contact slip in the solution?
    fn slips(&self, i: usize, kind: usize) -> bool {
        let block = self.parts[i].block(kind);
        block.is_some_and(|block| match self.solver.statuses()[i].blocks[block] {
            dense::Friction::Slip => true,
            dense::Friction::Open | dense::Friction::Stick => false,
        })
    }

    // rows of sliding (0), spin (1) or rolling (2) of the `i`-th contact, which has them in the problem
    fn rows_of(&self, i: usize, kind: usize) -> std::ops::Range<usize> {
        let (start, end) = (self.first[i] + 1, self.first[i + 1]);
        match kind {
            0 => start..start + N_TANGENTS,
            1 if self.parts[i].free[2] => end - N_ROTATION_AXES..end - N_ROTATION_AXES + 1,
            1 => end - 1..end,
            _ => end - N_TANGENTS..end,
        }
    }

    /// Rotational status of the `i`-th contact, which is closed, in the solution; rolling starts against its friction, at the rate `slow`.
    pub fn resistance(&self, system: &System, i: usize, slow: f64) -> Resistance {
        let part = &self.parts[i];
        let mut found = system.resistance_of(i);
        found.spin = if part.spins != 0.0 {
            found.spin
        } else if !part.free[1] {
            Status::Open
        } else if !self.slips(i, 1) || !self.moves(self.rows_of(i, 1), MOVES) {
            Status::Stick
        } else if system.impulse[system.spin_row(i)] < 0.0 {
            Status::SlipForward
        } else {
            Status::SlipBackward
        };
        found.roll = if part.rolls {
            Status::Slip
        } else if !part.free[2] {
            Status::Open
        } else if self.slips(i, 2) && self.moves(self.rows_of(i, 2), MOVES) {
            let against = -system.rolling_vector(i);
            let size = norm(against.as_slice()).at_least(f64::MIN_POSITIVE);
            found.rolling = against * (slow / size);
            Status::Slip
        } else {
            Status::Stick
        };
        found
    }
}

// (2)
fn normal_column(system: &System, j: usize, part: &Part, column: &[f64]) -> f64 {
    let mut sum = column[0];
    if part.slides {
        let (mu, [x, y]) = (system.friction[j], system.direction[j]);
        sum -= mu * (x * column[1] + y * column[2]);
    }
    if part.spins != 0.0 || part.rolls {
        let [torsional, rolling] = system.resisting[j];
        let first = 1 + N_TANGENTS;
        sum -= torsional * part.spins * column[first];
        if part.rolls {
            let [x, y] = system.direction[system.rolling_disc(j)];
            sum -= rolling * (x * column[first + 1] + y * column[first + 2]);
        }
    }
    sum
}
