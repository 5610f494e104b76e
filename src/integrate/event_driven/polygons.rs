//! Contact problem of a [`System`] in space with friction polygons instead of cones; joints are eliminated already.
//!
//! (1)  a contact with friction has u = (c_n, beta_1 .. beta_k, lambda), its friction is the sum of beta_j d_j:
//!        0 <= n.x                     | c_n    >= 0
//!        0 <= d_j.x + lambda          | beta_j >= 0
//!        0 <= mu (c_n + c_r) - sum of beta_j  | lambda >= 0,   c_r: restitution impulse of an impact, 0 elsewhere
//! (2)  d_j: the direction of sliding, rotated by 2 pi j/k. It is that of the motion without contact impulses, b in x = W c + b:
//!      a single sliding contact has the friction of the exact cone for any k. Polygons that do not rotate start at the first tangent
//! (3)  a contact without friction has u = c_n

use super::system::System;
use crate::contact::lcp;
use crate::math::{max_abs, norm, set_zeros};
use crate::state::Status;

/// Motion without impulses below this, relative to the fastest one, has no direction: it is rounding.
const NO_MOTION: f64 = 1e-12;

/// Below this part of the motion without impulses there is no sliding.
const AT_REST: f64 = 1e-12;

/// Workspace of the problem.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    solver: lcp::Solver,
    /// Corners of a polygon, starting in the direction of sliding.
    corners: Vec<[f64; 2]>,
    /// Fastest motion without impulses.
    fastest: f64,
    /// Does the first corner follow the direction of sliding?
    turns: bool,
    /// Corners of all contacts along their tangents, in the order of the unknowns; none for contacts without friction.
    directions: Vec<[f64; 2]>,
    /// First unknown of each contact, and their number.
    first: Vec<usize>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    basis: Vec<bool>,
    z: Vec<f64>,
}

impl Polygons {
    pub fn reset_stats(&mut self) {
        self.solver.reset_stats();
    }

    pub fn stats(&self) -> lcp::Stats {
        self.solver.stats
    }

    /// Sets the number of corners of the polygons, even, and whether they rotate.
    pub fn choose(&mut self, k: u32, turn: bool) {
        self.turns = turn;
        if self.corners.len() == k as usize {
            return;
        }
        self.corners.clear();
        let angle = |j: u32| std::f64::consts::TAU * (f64::from(j) / f64::from(k));
        for j in 0..k / 2 {
            let (sin, cos) = libm::sincos(angle(j));
            self.corners.push([cos, sin]);
        }
        for j in 0..self.corners.len() {
            self.corners.push(self.corners[j].map(|x| -x));
        }
    }

    /// Solves for the impulses of the contacts, starting from `guess` (statuses by contact of the model).
    pub fn solve(
        &mut self,
        system: &mut System,
        reduced: &[f64],
        offset: &[f64],
        guess: &[Status],
    ) -> lcp::Outcome {
        self.turn(system, offset);
        self.assemble(system, reduced, offset);
        self.guess_basis(system, offset, guess);
        let problem = lcp::Problem {
            n: self.vector.len(),
            matrix: &self.matrix,
            vector: &self.vector,
        };
        let outcome = self.solver.solve(&problem, &mut self.basis, &mut self.z);
        self.write_impulses(system);
        outcome
    }

    /// Status of the `i`-th contact in the solution.
    pub fn status(&self, system: &System, i: usize, scale: f64) -> Status {
        let unknowns = &self.z[self.first[i]..self.first[i + 1]];
        // a normal impulse below the rounding of the impulses that act is zero
        if unknowns[0] <= 1e-12 * scale {
            return Status::Open;
        }
        let [normal_impulse, friction @ .., lambda] = unknowns else {
            return Status::Frictionless;
        };
        let slack = system.friction[i] * normal_impulse - friction.iter().sum::<f64>();
        if *lambda > AT_REST * self.fastest && slack.abs() <= 1e-10 * normal_impulse {
            Status::Slip
        } else {
            Status::Stick
        }
    }

    // (2)
    fn turn(&mut self, system: &System, offset: &[f64]) {
        self.first.clear();
        self.directions.clear();
        let fastest = max_abs(offset);
        self.fastest = fastest;
        let mut n = 0;
        for (i, &friction) in system.friction.iter().enumerate() {
            self.first.push(n);
            n += 1;
            if friction > 0.0 {
                let [x, y] = if self.turns {
                    ahead(tangential(offset, i), fastest)
                } else {
                    [1.0, 0.0]
                };
                let turned = |[cos, sin]: &[f64; 2]| [cos * x - sin * y, cos * y + sin * x];
                self.directions.extend(self.corners.iter().map(turned));
                n += self.corners.len() + 1;
            }
        }
        self.first.push(n);
    }

    // (1), (3)
    fn assemble(&mut self, system: &System, reduced: &[f64], offset: &[f64]) {
        let n_contacts = system.contacts.len();
        let (n, n_reduced) = (self.first[n_contacts], STRIDE * n_contacts);
        let k = self.corners.len();
        set_zeros(&mut self.matrix, n * n);
        set_zeros(&mut self.vector, n);
        let mut of_row = self.directions.chunks_exact(k.max(1));
        for i in 0..n_contacts {
            let row = self.first[i];
            let has_friction = system.friction[i] > 0.0;
            let directions = if has_friction { of_row.next() } else { None }.unwrap_or(&[]);
            let weights = std::iter::once([1.0, 0.0, 0.0])
                .chain(directions.iter().map(|[x, y]| [0.0, *x, *y]));
            for (a, weight) in weights.enumerate() {
                let along = |column: usize| {
                    let w = |t: usize| reduced[(STRIDE * i + t) * n_reduced + column];
                    weight[0] * w(0) + weight[1] * w(1) + weight[2] * w(2)
                };
                let b = &offset[STRIDE * i..STRIDE * (i + 1)];
                self.vector[row + a] = weight[0] * b[0] + weight[1] * b[1] + weight[2] * b[2];
                let entries = &mut self.matrix[(row + a) * n..(row + a + 1) * n];
                let mut of_column = self.directions.chunks_exact(k.max(1));
                for j in 0..n_contacts {
                    let w = [0, 1, 2].map(|t| along(STRIDE * j + t));
                    let entries = &mut entries[self.first[j]..self.first[j + 1]];
                    entries[0] = w[0];
                    if system.friction[j] > 0.0 {
                        let directions = of_column.next().unwrap_or(&[]);
                        for (entry, [x, y]) in entries[1..].iter_mut().zip(directions) {
                            *entry = x * w[1] + y * w[2];
                        }
                    }
                }
            }
            if has_friction {
                let lambda = row + 1 + k;
                self.matrix[lambda * n + row] = system.friction[i];
                self.vector[lambda] = system.friction[i] * system.restituted_at(i);
                for beta in row + 1..lambda {
                    self.matrix[beta * n + lambda] = 1.0;
                    self.matrix[lambda * n + beta] = -1.0;
                }
            }
        }
    }

    // friction of the system's guess, or opposite to the motion without impulses
    fn guess_basis(&mut self, system: &System, offset: &[f64], guess: &[Status]) {
        let n = self.vector.len();
        set_zeros(&mut self.z, n);
        self.basis.clear();
        self.basis.resize(n, false);
        let k = self.corners.len();
        let mut directions = self.directions.chunks_exact(k.max(1));
        for (i, &contact) in system.contacts.iter().enumerate() {
            let first = self.first[i];
            self.basis[first] = guess[contact].is_closed();
            if system.friction[i] == 0.0 {
                continue;
            }
            let directions = directions.next().unwrap_or(&[]);
            let last = system.guess.get(STRIDE * i + 1..STRIDE * (i + 1));
            let motion = match last {
                Some([x, y]) => [-x, -y],
                Some(_) | None => tangential(offset, i),
            };
            let (against, surroundings) = most_against(motion, directions);
            match guess[contact] {
                Status::Open | Status::Frictionless => {}
                Status::Stick => {
                    // one direction alone would not resist motion across it
                    self.basis[first + 1 + against] = true;
                    self.basis[first + 1 + surroundings] = true;
                }
                Status::SlipForward | Status::SlipBackward | Status::Slip => {
                    self.basis[first + 1 + against] = true;
                    self.basis[first + 1 + k] = true;
                }
            }
        }
    }

    fn write_impulses(&self, system: &mut System) {
        system.impulse.fill(0.0);
        let mut directions = self.directions.chunks_exact(self.corners.len().max(1));
        for i in 0..system.contacts.len() {
            let (first, normal) = (self.first[i], system.normal(i));
            system.impulse[normal] = self.z[first];
            if system.friction[i] > 0.0 {
                let directions = directions.next().unwrap_or(&[]);
                for (beta, [x, y]) in self.z[first + 1..].iter().zip(directions) {
                    system.impulse[normal + 1] += beta * x;
                    system.impulse[normal + 2] += beta * y;
                }
            }
        }
    }
}

/// Rows of a contact: its normal and two tangents.
const STRIDE: usize = 3;

fn tangential(offset: &[f64], i: usize) -> [f64; 2] {
    [offset[STRIDE * i + 1], offset[STRIDE * i + 2]]
}

// the direction most opposed to a motion, and the more opposed one of its two neighbours
fn most_against([vx, vy]: [f64; 2], directions: &[[f64; 2]]) -> (usize, usize) {
    let along = |j: usize| {
        let [x, y] = directions[j];
        x * vx + y * vy
    };
    let k = directions.len();
    let against = (1..k).fold(0, |best, j| if along(j) < along(best) { j } else { best });
    let (left, right) = ((against + 1) % k.max(1), (against + k - 1) % k.max(1));
    let surroundings = if along(right) < along(left) {
        right
    } else {
        left
    };
    (against, surroundings)
}

// the direction of a motion, that of the first tangent where there is none
fn ahead(motion: [f64; 2], fastest: f64) -> [f64; 2] {
    let speed = norm(&motion);
    if speed > NO_MOTION * fastest {
        motion.map(|x| x / speed)
    } else {
        [1.0, 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::GlobalRow;
    use crate::contact::lcp::Outcome;

    // contacts of unit mass each, with the given friction and motion without impulses
    fn solve(friction: &[f64], motion: &[f64], k: u32, turn: bool) -> (Polygons, System) {
        let n = motion.len();
        let mut system = System::default();
        system.n_friction = 2;
        system.contacts = (0..friction.len()).collect();
        system.friction = friction.to_vec();
        system.rows = vec![GlobalRow::default(); n];
        system.impulse = vec![0.0; n];
        let mut w = vec![0.0; n * n];
        for i in 0..n {
            w[i * n + i] = 1.0;
        }
        let mut polygons = Polygons::default();
        polygons.choose(k, turn);
        let guess = vec![Status::Open; friction.len()];
        let outcome = polygons.solve(&mut system, &w, motion, &guess);
        assert!(matches!(outcome, Outcome::Solved { .. }), "{outcome:?}");
        (polygons, system)
    }

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13), "{a:?}");
    }

    #[test]
    fn a_lone_contact_slides_with_the_friction_of_the_cone_for_any_number_of_corners() {
        for k in [4, 6, 8, 32] {
            let (polygons, system) = solve(&[0.5], &[-2.0, 3.0, -4.0], k, true);
            close(&system.impulse, &[2.0, -0.6, 0.8]);
            assert_eq!(polygons.status(&system, 0, 1.0), Status::Slip);
        }
    }

    #[test]
    fn friction_of_a_fixed_polygon_is_at_the_corner_most_against_the_motion() {
        let (polygons, system) = solve(&[0.5], &[-2.0, 3.0, -4.0], 4, false);
        close(&system.impulse, &[2.0, 0.0, 1.0]);
        assert_eq!(polygons.status(&system, 0, 1.0), Status::Slip);
    }

    #[test]
    fn what_the_polygon_holds_sticks() {
        for turn in [true, false] {
            let (polygons, system) = solve(&[5.0], &[-2.0, 3.0, -4.0], 8, turn);
            close(&system.impulse, &[2.0, -3.0, 4.0]);
            assert_eq!(polygons.status(&system, 0, 1.0), Status::Stick);
        }
    }

    #[test]
    fn a_contact_without_friction_has_one_unknown_and_one_that_leaves_none_that_presses() {
        let motion = [-2.0, 3.0, -4.0, 1.0, 1.0, 1.0, -1.0, 0.0, 2.0];
        let (polygons, system) = solve(&[0.0, 0.5, 0.5], &motion, 8, true);
        close(
            &system.impulse,
            &[2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -0.5],
        );
        let statuses = [0, 1, 2].map(|i| polygons.status(&system, i, 1.0));
        let expected = [Status::Frictionless, Status::Open, Status::Slip];
        assert_eq!((statuses, polygons.stats().largest), (expected, 21));
    }

    #[test]
    fn the_basis_of_the_last_statuses_is_a_solution_again() {
        let (mut polygons, mut system) = solve(&[0.5], &[-2.0, 3.0, -4.0], 8, true);
        let w = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        polygons.solve(&mut system, &w, &[-2.0, 3.1, -4.0], &[Status::Slip]);
        assert_eq!(polygons.stats().warm_hits, 1);
    }
}
