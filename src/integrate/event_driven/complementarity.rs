//! Complementarity problem of a [`System`] ([E] Theorem 2.1).
//!
//! (1)  joints eliminated:  W' = W_cc - W_cj W_jj^-1 W_jc,   b' = b_c - W_cj W_jj^-1 b_j
//! (2)  a contact with friction at rest or with unknown direction has u = (c_n, beta+, beta-, lambda):
//!        0 <= n.x               | c_n    >= 0
//!        0 <= +-t.x + lambda    | beta+- >= 0
//!        0 <= mu (c_n + c_r) - beta+ - beta-  | lambda >= 0
//!      with c_r the normal restitution impulse of an impact, 0 elsewhere
//! (3)  one without friction, or sliding in a known direction, has u = c_n with the column n - sign mu t
//! (4)  in space friction has its exact cone (`cones`), or a polygon (`polygons`). Polygons are used for impulses: impacts, and steps that
//!      determine their own statuses. Fixed statuses slide in their true direction, so they are determined and checked with the cone

use super::cones::{Cones, MAX_STRIBECK_UPDATES};
use super::polygons::Polygons;
use super::system::{RANK_TOLERANCE, System};
use crate::contact::lcp::{self, Outcome};
use crate::math::dense::RankRevealing;
use crate::math::{Limit, max_abs, set_zeros};
use crate::model::Model;
use crate::scene::spec::FrictionCone;
use crate::state::{Resistance, Status};

/// Relative rounding error of the joint velocities (with masses scaled to one) that the elimination leaves.
const ROUNDING: f64 = 1e-14;

/// In the plane, sliding slower than this part of the motion without contact forces is rounding. Dependent contacts may be on the boundary
/// of their cones without moving.
const AT_REST: f64 = 1e-12;

/// Prior knowledge of the sliding of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sliding {
    /// Friction in either direction, or none: form (2) (form (3) without friction).
    Free,
    /// The same in space, after breakaway from static friction.
    Broken,
    /// Slides: form (3) with this sign.
    Known(f64),
    /// Slides in the direction stored in the system, in space: form (3) with the column n - mu d.
    Directed,
}

/// Friction bound in space (4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Cones,
    Polygons,
}

/// Workspace of the problem in space.
#[derive(Debug)]
struct Spatial {
    cones: Cones,
    polygons: Polygons,
    /// For impulses.
    chosen: Bound,
    /// Of the last problem.
    last: Bound,
}

/// Workspace of the problem.
#[derive(Debug)]
pub struct Complementarity {
    solver: lcp::Solver,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    z: Vec<f64>,
    basis: Vec<bool>,
    first: Vec<usize>,
    joint_solver: RankRevealing,
    joint_rows: Vec<usize>,
    eliminated: Vec<f64>,
    reduced: Vec<f64>,
    offset: Vec<f64>,
    /// Multiplications since they were last taken, about.
    pub operations: u64,
    spatial: Option<Box<Spatial>>,
}

impl Complementarity {
    /// Storage for all joints and contacts of a model; in space it grows with the contacts that occur.
    pub fn new(model: &Model) -> Self {
        let (n_joint, n_contacts) = (model.n_joint_rows, model.expected_contacts());
        let (n, c) = (4 * n_contacts, 2 * n_contacts);
        Self {
            solver: lcp::Solver::with_capacity(n),
            matrix: Vec::with_capacity(n * n),
            vector: Vec::with_capacity(n),
            z: Vec::with_capacity(n),
            basis: Vec::with_capacity(n),
            first: Vec::with_capacity(n_contacts + 1),
            joint_solver: RankRevealing::with_capacity(n_joint),
            joint_rows: Vec::with_capacity(n_joint),
            eliminated: Vec::with_capacity(n_joint * (c + 1)),
            reduced: Vec::with_capacity(c * c),
            offset: Vec::with_capacity(c),
            operations: 0,
            spatial: model.is_spatial().then(|| {
                Box::new(Spatial {
                    cones: Cones::default(),
                    polygons: Polygons::default(),
                    chosen: Bound::Cones,
                    last: Bound::Cones,
                })
            }),
        }
    }

    /// Sets the bound of friction impulses in space.
    pub fn choose(&mut self, cone: FrictionCone) {
        if let Some(spatial) = &mut self.spatial {
            spatial.chosen = match cone {
                FrictionCone::Exact => Bound::Cones,
                FrictionCone::Polyhedral { directions, turn } => {
                    spatial.polygons.choose(directions, turn);
                    Bound::Polygons
                }
            };
        }
    }

    /// Records that a solution is used, whatever the outcome of the solver.
    pub fn use_answer(&mut self, outcome: Outcome) {
        if let (Some(spatial), Outcome::Inaccurate { residual }) = (&mut self.spatial, outcome) {
            spatial.cones.worst_used = spatial.cones.worst_used.at_least(residual);
        }
    }

    /// Resets the counters of the solvers.
    pub fn reset_stats(&mut self) {
        self.solver.reset_stats();
        if let Some(spatial) = &mut self.spatial {
            spatial.cones.reset_stats();
            spatial.polygons.reset_stats();
        }
    }

    /// Counters of the solvers.
    pub fn stats(&self) -> lcp::Stats {
        self.spatial.as_ref().map_or(self.solver.stats, |spatial| {
            spatial.cones.stats().with(&spatial.polygons.stats())
        })
    }

    /// Solves for the impulses of a system; `sliding` is by contact of the model. Starts from the basis of `guess` (statuses by contact of
    /// the model); all open is a cold start.
    pub fn solve(
        &mut self,
        system: &mut System,
        joints: &[bool],
        sliding: impl Fn(usize) -> Sliding,
        guess: &[Status],
    ) -> Outcome {
        self.solve_with(Bound::Cones, system, joints, sliding, (guess, None))
    }

    /// The same for the impulses of an impact or of a step, with all contacts free or broken: friction in space has the chosen bound.
    /// Polygons support sliding with one coefficient; other friction models use their cones. The rows of the system are `speeds` times
    /// velocities, for Stribeck friction.
    pub fn solve_impulses(
        &mut self,
        system: &mut System,
        joints: &[bool],
        sliding: impl Fn(usize) -> Sliding,
        guess: &[Status],
        speeds: f64,
    ) -> Outcome {
        let chosen = self.spatial.as_ref().map(|spatial| spatial.chosen);
        let bound = match chosen {
            Some(Bound::Polygons) if system.has_plain_friction() => Bound::Polygons,
            Some(Bound::Polygons | Bound::Cones) | None => Bound::Cones,
        };
        self.solve_with(bound, system, joints, sliding, (guess, Some(speeds)))
    }

    fn solve_with(
        &mut self,
        bound: Bound,
        system: &mut System,
        joints: &[bool],
        sliding: impl Fn(usize) -> Sliding,
        (guess, speeds): (&[Status], Option<f64>),
    ) -> Outcome {
        system.form_delassus();
        let before = self.stats().pivots;
        let outcome = self.solve_formed(bound, system, joints, sliding, (guess, speeds));
        // a pivot of Lemke's method changes a matrix, an iteration of Newton's method factors one
        let n = self.stats().largest as u64;
        let each = if self.spatial.is_some() {
            n * n * n / 3
        } else {
            2 * n * n
        };
        self.operations += each * (self.stats().pivots - before);
        if system.is_large() {
            system.update_effect();
        }
        outcome
    }

    fn solve_formed(
        &mut self,
        bound: Bound,
        system: &mut System,
        joints: &[bool],
        sliding: impl Fn(usize) -> Sliding,
        (guess, speeds): (&[Status], Option<f64>),
    ) -> Outcome {
        self.eliminate_joints(system, joints);
        if let Some(spatial) = &mut self.spatial {
            spatial.last = bound;
            let (w, b) = (&self.reduced, &self.offset);
            let outcome = match bound {
                Bound::Cones => spatial.cones.solve(system, w, b, sliding, speeds),
                Bound::Polygons => spatial.polygons.solve(system, w, b, guess),
            };
            self.write_joint_impulses(system);
            return outcome;
        }
        self.assemble(system, &sliding);
        self.guess_basis(system, &sliding, guess);
        let mut updates_left = MAX_STRIBECK_UPDATES;
        loop {
            let problem = lcp::Problem {
                n: self.vector.len(),
                matrix: &self.matrix,
                vector: &self.vector,
            };
            let outcome = self.solver.solve(&problem, &mut self.basis, &mut self.z);
            self.write_impulses(system, &sliding);
            let solved = matches!(outcome, Outcome::Solved { .. });
            if !solved || updates_left == 0 || !self.update_stribeck(system, speeds) {
                return outcome;
            }
            updates_left -= 1;
            self.assemble(system, &sliding);
        }
    }

    // updates Stribeck coefficients to the speeds of the solution, in the plane; true if one changed
    fn update_stribeck(&self, system: &mut System, speeds: Option<f64>) -> bool {
        let mut any = false;
        for i in 0..system.stribeck.len() {
            if let (Some(stribeck), Some(speeds)) = (system.stribeck_of(i), speeds) {
                let speed = self.sliding_speed(system, i) / speeds;
                any |= stribeck.update_coefficient(&mut system.friction[i], speed);
            }
        }
        any
    }

    /// Residual of the complementarity conditions for the impulses of a system.
    pub fn check(&mut self, system: &mut System, joints: &[bool]) -> f64 {
        if system.contacts.is_empty() {
            return 0.0;
        }
        if system.is_large() {
            return system.contact_residual();
        }
        self.eliminate_joints(system, joints);
        if let Some(spatial) = &self.spatial {
            return spatial.cones.check(system, &self.reduced, &self.offset);
        }
        self.assemble(system, &|_| Sliding::Free);
        set_zeros(&mut self.z, self.vector.len());
        for i in 0..system.contacts.len() {
            let normal = system.normal(i);
            let (c_n, c_t) = (system.impulse[normal], system.impulse[normal + 1]);
            let first = self.first[i];
            self.z[first] = c_n;
            if system.has_friction(i) {
                self.z[first + 1] = if c_t > 0.0 { c_t } else { 0.0 };
                self.z[first + 2] = if c_t < 0.0 { -c_t } else { 0.0 };
                let slack = system.friction[i] * c_n - c_t.abs();
                let speed = self.sliding_speed(system, i).abs();
                // the multiplier of an inactive cone is zero; on the boundary it is the sliding speed
                self.z[first + 3] = if slack.abs() <= 1e-12 * c_n.abs() {
                    speed
                } else {
                    0.0
                };
            }
        }
        let problem = lcp::Problem {
            n: self.vector.len(),
            matrix: &self.matrix,
            vector: &self.vector,
        };
        lcp::residual(&problem, &self.z)
    }

    /// Status of the `i`-th contact of the system in the solution; `scale` is the size of the forces (or impulses) on the bodies.
    pub fn status(&self, system: &System, i: usize, sliding: Sliding, scale: f64) -> Status {
        if let Some(spatial) = &self.spatial {
            return match spatial.last {
                Bound::Cones => spatial.cones.status(system, i, sliding, scale),
                Bound::Polygons => spatial.polygons.status(system, i, scale),
            };
        }
        let first = self.first[i];
        // a normal force below their rounding is zero
        if self.z[first] <= 1e-12 * scale {
            return Status::Open;
        }
        if !system.has_friction(i) {
            return Status::Frictionless;
        }
        let forward = |positive: bool| {
            if positive {
                Status::SlipForward
            } else {
                Status::SlipBackward
            }
        };
        match sliding {
            Sliding::Known(sign) => forward(sign > 0.0),
            Sliding::Directed => Status::Slip,
            Sliding::Free | Sliding::Broken => {
                let (plus, minus, lambda) =
                    (self.z[first + 1], self.z[first + 2], self.z[first + 3]);
                let slack = system.friction[i] * self.z[first] - plus - minus;
                let moves = lambda > AT_REST * max_abs(&self.offset);
                if moves && slack.abs() <= 1e-10 * self.z[first] {
                    forward(minus > plus)
                } else {
                    Status::Stick
                }
            }
        }
    }

    /// Rotational status of the `i`-th contact, which is closed, in the solution; rolling that has just begun has the rate `slow`.
    pub fn resistance(&self, system: &System, i: usize, slow: f64) -> Resistance {
        self.spatial
            .as_ref()
            .map_or_else(Resistance::default, |spatial| {
                spatial.cones.resistance(system, i, slow)
            })
    }

    // (1)
    fn eliminate_joints(&mut self, system: &System, joints: &[bool]) {
        let (k, n_joint) = (system.len(), system.n_joint);
        let n_rows = k - n_joint;
        self.reduced.clear();
        self.offset.clear();
        for i in n_joint..k {
            self.reduced
                .extend_from_slice(&system.delassus[i * k + n_joint..(i + 1) * k]);
            self.offset.push(system.bias[i]);
        }
        self.joint_rows.clear();
        self.joint_rows.extend((0..n_joint).filter(|j| joints[*j]));
        let m = self.joint_rows.len();
        if m == 0 {
            return;
        }
        self.operations += (m * m * m / 3 + m * n_rows * (m + n_rows)) as u64;
        let matrix = self.joint_solver.start(m);
        for (i, &row) in self.joint_rows.iter().enumerate() {
            for (j, &column) in self.joint_rows.iter().enumerate() {
                matrix[i * m + j] = system.delassus[row * k + column];
            }
        }
        self.joint_solver.factor(RANK_TOLERANCE);
        // W_jj^-1 [W_jc | b_j], column by column
        self.eliminated.clear();
        for column in 0..=n_rows {
            let start = self.eliminated.len();
            for &row in &self.joint_rows {
                self.eliminated.push(if column < n_rows {
                    system.delassus[row * k + n_joint + column]
                } else {
                    system.bias[row]
                });
            }
            self.joint_solver.solve(&mut self.eliminated[start..]);
        }
        for i in 0..n_rows {
            for column in 0..=n_rows {
                let mut sum = 0.0;
                for (l, &joint) in self.joint_rows.iter().enumerate() {
                    sum += system.delassus[(n_joint + i) * k + joint]
                        * self.eliminated[column * m + l];
                }
                if column < n_rows {
                    self.reduced[i * n_rows + column] -= sum;
                } else {
                    self.offset[i] -= sum;
                }
            }
        }
        self.drop_rounding(system);
    }

    // removes the rounding error of the elimination of b_j from b': it would appear as velocities of contacts at rest
    fn drop_rounding(&mut self, system: &System) {
        let k = system.len();
        let unit = |row: usize| system.delassus[row * k + row].sqrt();
        let mut size = 0.0;
        for &joint in &self.joint_rows {
            let speed = system.bias[joint].abs() / unit(joint);
            size = if speed > size { speed } else { size };
        }
        for (i, x) in self.offset.iter_mut().enumerate() {
            if x.abs() <= ROUNDING * size * unit(system.n_joint + i) {
                *x = 0.0;
            }
        }
    }

    // (2), (3)
    fn assemble(&mut self, system: &System, sliding: &impl Fn(usize) -> Sliding) {
        self.first.clear();
        let mut n = 0;
        for i in 0..system.contacts.len() {
            self.first.push(n);
            n += if system.has_friction(i) && sliding(system.contacts[i]) == Sliding::Free {
                4
            } else {
                1
            };
        }
        self.first.push(n);
        set_zeros(&mut self.matrix, n * n);
        set_zeros(&mut self.vector, n);
        let n_rows = 2 * system.contacts.len();
        for i in 0..system.contacts.len() {
            let (row, size) = (self.first[i], self.first[i + 1] - self.first[i]);
            let row_signs: &[(usize, f64)] = if size == 4 {
                &[(0, 1.0), (1, 1.0), (1, -1.0)]
            } else {
                &[(0, 1.0)]
            };
            for (a, &(side, sign)) in row_signs.iter().enumerate() {
                let reduced = 2 * i + side;
                self.vector[row + a] = sign * self.offset[reduced];
                for j in 0..system.contacts.len() {
                    let column = self.first[j];
                    let w = |side: usize| sign * self.reduced[reduced * n_rows + 2 * j + side];
                    let entries = &mut self.matrix[(row + a) * n + column..(row + a + 1) * n];
                    if self.first[j + 1] - column == 4 {
                        entries[0] = w(0);
                        entries[1] = w(1);
                        entries[2] = -w(1);
                    } else {
                        entries[0] = match sliding(system.contacts[j]) {
                            Sliding::Known(sign) => w(0) - sign * system.friction[j] * w(1),
                            Sliding::Free | Sliding::Broken | Sliding::Directed => w(0),
                        };
                    }
                }
            }
            if size == 4 {
                self.matrix[(row + 1) * n + row + 3] = 1.0;
                self.matrix[(row + 2) * n + row + 3] = 1.0;
                self.matrix[(row + 3) * n + row] = system.friction[i];
                self.matrix[(row + 3) * n + row + 1] = -1.0;
                self.matrix[(row + 3) * n + row + 2] = -1.0;
                self.vector[row + 3] = system.friction[i] * system.restituted_at(i);
            }
        }
        set_zeros(&mut self.z, n);
    }

    fn guess_basis(
        &mut self,
        system: &System,
        sliding: &impl Fn(usize) -> Sliding,
        guess: &[Status],
    ) {
        self.basis.clear();
        self.basis.resize(self.vector.len(), false);
        for (i, &contact) in system.contacts.iter().enumerate() {
            let first = self.first[i];
            let status = guess[contact];
            self.basis[first] = status.is_closed();
            if system.has_friction(i) && sliding(system.contacts[i]) == Sliding::Free {
                match status {
                    Status::Open | Status::Frictionless | Status::Slip => {}
                    // which of the two directions carries the force follows from the free motion
                    Status::Stick => {
                        let forward = self.offset[2 * i + 1] < 0.0;
                        self.basis[first + if forward { 1 } else { 2 }] = true;
                    }
                    Status::SlipForward => {
                        self.basis[first + 2] = true;
                        self.basis[first + 3] = true;
                    }
                    Status::SlipBackward => {
                        self.basis[first + 1] = true;
                        self.basis[first + 3] = true;
                    }
                }
            }
        }
    }

    fn write_impulses(&self, system: &mut System, sliding: &impl Fn(usize) -> Sliding) {
        system.impulse.fill(0.0);
        for i in 0..system.contacts.len() {
            let (first, normal) = (self.first[i], system.normal(i));
            let c_n = self.z[first];
            system.impulse[normal] = c_n;
            system.impulse[normal + 1] = match sliding(system.contacts[i]) {
                Sliding::Known(sign) => -sign * system.friction[i] * c_n,
                Sliding::Free if system.has_friction(i) => self.z[first + 1] - self.z[first + 2],
                Sliding::Free | Sliding::Broken | Sliding::Directed => 0.0,
            };
        }
        self.write_joint_impulses(system);
    }

    fn write_joint_impulses(&self, system: &mut System) {
        let m = self.joint_rows.len();
        let n_rows = system.len() - system.n_joint;
        for (l, &joint) in self.joint_rows.iter().enumerate() {
            let mut sum = self.eliminated[n_rows * m + l];
            for column in 0..n_rows {
                sum += self.eliminated[column * m + l] * system.impulse[system.n_joint + column];
            }
            system.impulse[joint] = -sum;
        }
    }

    fn sliding_speed(&self, system: &System, i: usize) -> f64 {
        let n_rows = 2 * system.contacts.len();
        let row = 2 * i + 1;
        let mut sum = self.offset[row];
        for column in 0..n_rows {
            sum += self.reduced[row * n_rows + column] * system.impulse[system.n_joint + column];
        }
        sum
    }
}
