//! The few contacts that change, exactly, among all others by their laws: where Newton's method loses its way because
//! one contact that gives way takes others along.
//!
//! ```text
//! (1)  outside the core, from x:   dr = g - H du                           the laws of `newton`, at x
//! (2)  K = 1 + J^T H J,            dw = K^-1 (J^T g + J_c^T dr_c)          H and g without the core
//! (3)  the core, exactly:          u_c = W_c r_c + b_c,    W_c = J_c K^-1 J_c^T + c + prox D
//! ```
//!
//! (3) is a dense problem of [`cone`]. A contact outside that would leave its state on the way to the answer, and those that
//! slip nearby, join the core; `x` does not move before none is left. Contacts that slip have to: with their
//! laws `W_c` is unsymmetric, and (3) may have no solution.

use super::FREEDOMS;
use super::factor::Six;
use super::newton::Newton;
use super::scaled::{Scaled, along};
use crate::lcp::cone::map::{State, aim, state};
use crate::lcp::cone::scaled::ContactRows;
use crate::lcp::cone::{self, Block, Contact, MOST_BLOCKS};
use crate::lcp::order::Pattern;

/// Most rows of a core: this part of those of the island, within bounds. Lemke's method takes as long for them as some tens
/// of factorizations of the island.
const PART: usize = 8;
const MOST: [usize; 2] = [240, 360];

/// Times that `x` moves.
const ROUNDS: u32 = 4;

/// Contacts that join at a time: some, and this part of the core.
const JOIN: usize = 4;
const JOIN_PART: usize = 4;

/// Steps between neighbours within which contacts that slip join, with others and where (3) was not solved.
const SLIP_RINGS: [u32; 2] = [2, 3];

/// Damping of the laws outside, which makes redundant rows solvable.
const DAMPING: f64 = 1e-14;

/// Halvings until the place where a contact leaves its state is known.
const HALVINGS: u32 = 20;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Core {
    solver: cone::Solver,
    /// Of each contact: is it in the core, is it near what just joined?
    inside: Vec<bool>,
    near: Vec<bool>,
    /// Bodies of the contacts that are near.
    touched: Vec<bool>,
    /// States of all contacts at `x`.
    states: Vec<u8>,
    contacts: Vec<Contact>,
    /// Rows of the core, and their bodies.
    rows: Vec<(usize, [u32; 2])>,
    /// `K^-1 J_c^T`, row by row of the core.
    columns: Vec<Six>,
    /// (3).
    matrix: Vec<f64>,
    vector: Vec<f64>,
    impulses: Vec<f64>,
    /// The last candidate for the next `x`.
    guess: Vec<f64>,
    u: Vec<f64>,
    guess_u: Vec<f64>,
    dr: Vec<f64>,
    dw: Vec<Six>,
    /// A contact on the way from `x` to `guess`.
    way: Vec<f64>,
    way_u: Vec<f64>,
    /// Where on the way contacts leave their states.
    leaving: Vec<(f64, usize)>,
}

/// How (3) ended.
enum End {
    Solved,
    Unsolved,
    Singular,
}

impl Core {
    /// Improves `x`, with which the laws are taken: is F as small as `target`?
    #[cfg_attr(small, optimize(size))]
    pub fn run(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        x: &mut [f64],
        target: f64,
    ) -> bool {
        let most = (x.len() / PART).clamp(MOST[0], MOST[1]);
        self.inside.clear();
        self.inside.resize(scaled.contacts.len(), false);
        self.guess.clear();
        self.guess.extend_from_slice(x);
        for buffer in [
            &mut self.u,
            &mut self.guess_u,
            &mut self.dr,
            &mut self.way,
            &mut self.way_u,
        ] {
            buffer.resize(x.len(), 0.0);
        }
        for _ in 0..ROUNDS {
            if newton.size(scaled, x, &mut self.u).relative() <= target {
                return true;
            }
            self.states.clear();
            let states = scaled.contacts.iter().map(|c| state_of(c, x, &self.u));
            self.states.extend(states);
            if !self.settle(newton, scaled, pattern, x, most) {
                return false;
            }
        }
        newton.size(scaled, x, &mut self.u).relative() <= target
    }

    /// Lets contacts join until no other leaves its state, and moves `x`; `false` if that fails.
    fn settle(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
        x: &mut [f64],
        most: usize,
    ) -> bool {
        loop {
            let count = self.count();
            if self.count_rows(scaled) > most {
                return false;
            }
            match self.solve(newton, scaled, pattern, x) {
                End::Solved => {}
                End::Singular => return false,
                End::Unsolved => {
                    self.near.clone_from(&self.inside);
                    self.join_slips(scaled, SLIP_RINGS[1]);
                    if self.count() == count {
                        self.near.clone_from(&self.inside);
                        self.spread(scaled);
                        self.inside.clone_from(&self.near);
                    }
                    if self.count() == count {
                        return false;
                    }
                    continue;
                }
            }
            newton.size(scaled, &self.guess, &mut self.guess_u);
            self.find_leaving(scaled, x);
            if self.leaving.is_empty() {
                x.copy_from_slice(&self.guess);
                return true;
            }
            self.leaving
                .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.near.clear();
            self.near.resize(self.inside.len(), false);
            for &(_, k) in self.leaving.iter().take(JOIN + count / JOIN_PART) {
                (self.near[k], self.inside[k]) = (true, true);
            }
            self.join_slips(scaled, SLIP_RINGS[0]);
        }
    }

    fn count(&self) -> usize {
        self.inside.iter().filter(|inside| **inside).count()
    }

    fn count_rows(&self, scaled: &Scaled) -> usize {
        let members = scaled.members.iter().zip(&self.inside);
        members.filter(|(_, i)| **i).map(|(m, _)| m.rows).sum()
    }

    /// Contacts that slip within so many steps of what is near.
    fn join_slips(&mut self, scaled: &Scaled, rings: u32) {
        for _ in 0..rings {
            self.spread(scaled);
        }
        for (k, inside) in self.inside.iter_mut().enumerate() {
            *inside |= self.near[k] && self.states[k] > CLOSED;
        }
    }

    /// All contacts of the bodies of what is near are near.
    fn spread(&mut self, scaled: &Scaled) {
        self.touched.clear();
        self.touched.resize(scaled.bodies + 1, false);
        for (member, near) in scaled.members.iter().zip(&self.near) {
            for body in member.bodies {
                self.touched[body as usize] |= near;
            }
        }
        self.touched[scaled.bodies] = false;
        for (member, near) in scaled.members.iter().zip(&mut self.near) {
            *near |= member.bodies.iter().any(|b| self.touched[*b as usize]);
        }
    }

    /// (1) to (3) from `x`, into `guess`.
    fn solve(&mut self, newton: &mut Newton, scaled: &Scaled, pattern: &Pattern, x: &[f64]) -> End {
        newton.linearise(scaled, x, &self.u, DAMPING);
        self.rows.clear();
        self.contacts.clear();
        for (k, contact) in scaled.contacts.iter().enumerate() {
            if !self.inside[k] {
                continue;
            }
            let member = &scaled.members[k];
            for i in member.range() {
                newton.laws[i].fill(0.0);
                newton.change[i] = 0.0;
                self.rows.push((i, member.bodies));
            }
            self.contacts.push(blocks_of(contact));
        }
        newton.iterations += 1;
        if !newton.factorise(scaled, pattern) {
            return End::Singular;
        }
        self.dr.copy_from_slice(&newton.change);
        scaled.push_bodies(&self.dr, &mut self.dw);
        newton.factor.solve(pattern, &mut self.dw[..scaled.bodies]);
        if !self.rows.is_empty() {
            self.assemble(newton, scaled, pattern, x);
            let problem = cone::Problem {
                n: self.rows.len(),
                matrix: &self.matrix,
                vector: &self.vector,
                contacts: &self.contacts,
            };
            self.impulses.clear();
            let guess = self.rows.iter().map(|(i, _)| self.guess[*i]);
            self.impulses.extend(guess);
            if !self.solver.solve_aimed(&problem, &mut self.impulses) {
                return End::Unsolved;
            }
            let columns = self.columns.chunks_exact(scaled.bodies + 1);
            for ((column, r), (i, _)) in columns.zip(&self.impulses).zip(&self.rows) {
                for (sum, part) in self.dw.iter_mut().zip(column) {
                    for k in 0..FREEDOMS {
                        sum[k] += part[k] * (r - x[*i]);
                    }
                }
            }
        }
        newton.response(scaled, &self.dw, &mut self.dr);
        for ((guess, x), dr) in self.guess.iter_mut().zip(x).zip(&self.dr) {
            *guess = x + dr;
        }
        for (r, (i, _)) in self.impulses.iter().zip(&self.rows) {
            self.guess[*i] = *r;
        }
        End::Solved
    }

    /// (3).
    fn assemble(&mut self, newton: &mut Newton, scaled: &Scaled, pattern: &Pattern, x: &[f64]) {
        let (m, bodies) = (self.rows.len(), scaled.bodies);
        self.columns.clear();
        self.columns.resize(m * (bodies + 1), [0.0; FREEDOMS]);
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        let columns = self.columns.chunks_exact_mut(bodies + 1);
        for (j, (column, &(row, pair))) in columns.zip(&self.rows).enumerate() {
            for (side, body) in pair.into_iter().enumerate() {
                let entries = &scaled.rows[row][side * FREEDOMS..][..FREEDOMS];
                column[body as usize].copy_from_slice(entries);
            }
            column[bodies] = [0.0; FREEDOMS];
            newton.factor.solve(pattern, &mut column[..bodies]);
            for (i, &(row, pair)) in self.rows.iter().enumerate() {
                let [a, b] = pair.map(|b| &column[b as usize]);
                self.matrix[i * m + j] = along(&scaled.rows[row], a, b);
            }
            self.matrix[j * m + j] += scaled.compliance[row] + scaled.prox * scaled.stiffness[row];
        }
        self.vector.clear();
        for (i, &(row, pair)) in self.rows.iter().enumerate() {
            let [a, b] = pair.map(|b| &self.dw[b as usize]);
            let mut free = self.u[row] + along(&scaled.rows[row], a, b);
            for (w, (j, _)) in self.matrix[i * m..][..m].iter().zip(&self.rows) {
                free -= w * x[*j];
            }
            self.vector.push(free);
        }
    }

    /// Contacts outside whose states differ between `x` and `guess`, and where on the way they change.
    fn find_leaving(&mut self, scaled: &Scaled, x: &[f64]) {
        self.leaving.clear();
        for (k, contact) in scaled.contacts.iter().enumerate() {
            let before = self.states[k];
            if self.inside[k] || state_of(contact, &self.guess, &self.guess_u) == before {
                continue;
            }
            let (mut from, mut to) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (from + to);
                for i in scaled.members[k].range() {
                    self.way[i] = x[i] + middle * (self.guess[i] - x[i]);
                    self.way_u[i] = self.u[i] + middle * (self.guess_u[i] - self.u[i]);
                }
                if state_of(contact, &self.way, &self.way_u) == before {
                    from = middle;
                } else {
                    to = middle;
                }
            }
            self.leaving.push((to, k));
        }
    }
}

/// [`state_of`] a contact that pushes; above it, blocks slip.
const CLOSED: u8 = 1;

/// What a contact and its blocks do: 0 where it is open.
fn state_of(contact: &ContactRows, r: &[f64], u: &[f64]) -> u8 {
    let y_n = r[contact.normal] - contact.rho * u[contact.normal];
    if y_n <= 0.0 {
        return 0;
    }
    let mut all = CLOSED;
    for (k, block) in contact.blocks().iter().enumerate() {
        if let State::Slip { .. } = state(block, y_n, aim(block, r, u)) {
            all += 2 << k;
        }
    }
    all
}

/// A contact in scaled rows as one of a dense problem.
fn blocks_of(contact: &ContactRows) -> Contact {
    let mut blocks = [Block::Line { friction: 0.0 }; MOST_BLOCKS];
    for (own, block) in blocks.iter_mut().zip(contact.blocks()) {
        let friction = block.friction;
        *own = if block.rows == 1 {
            Block::Line { friction }
        } else {
            Block::Disc { friction }
        };
    }
    Contact::new(&blocks[..contact.count])
}
