//! Bounded effort: at most a given number of projected Gauss-Seidel sweeps over an island.
//!
//! Rows are scaled by the masses only. A visit of a contact updates its normal impulse, then its friction impulse, and
//! the velocities of both bodies once:
//!
//! ```text
//! (1)  A^-1 = L L^T per body,   v = v_f + L w,   J = G L,   w = J^T r,   u = q + J w + c r,   q = G v_f + b
//! (2)  r_n <- max(0, r_n - o u_n / W_nn)                              o: relaxation
//! (3)  u_b <- u_b + W_bn dr_n
//! (4)  r_b <- r_b - o W_bb^-1 u_b         if that is within mu r_n: stick
//! (5)  r_b <- P(r_b - o u_b / d)          otherwise; d: largest eigenvalue of W_bb, P: projection onto |r_b| <= mu r_n
//! (6)  joints, springs and motors:  u = 0, solved together (`joint_rows`)
//! (7)  the residual of `residual`, with the `u` of the sweeps, W_ii known, and s = 1 / sqrt(W_ii)
//! (8)  a warm start with |w|^2 / 2 + r.(c r / 2 + q) > 0 is worse than none; it is scaled to the minimum of that energy,
//!      r <- t r,  t = max(0, -q.r / (|w|^2 + r.c r))
//! ```
//!
//! `sweep` solves each contact exactly; this takes a single projected gradient step where a contact slips and `W_bb` is
//! not a multiple of the identity. For spheres both agree except for the relaxation.

mod contact;
mod joint_rows;
mod masses;

use super::residual::{Distance, ScaledBlock};
use super::scaled::clamp_length;
use super::{ContactConstraint, Island, Problem, Row};
use crate::contact::dense::{Block, MAX_BLOCKS};
use crate::math::larger;
use crate::math::packed::{Packed6, add_multiple, dot};
use crate::math::positive;
use contact::{FrictionBlock, Local, ScaledRow, ZERO_DIAGONAL, inverse_of};
use joint_rows::{JointRow, JointRows};
use masses::{Masses, Size};

/// Over-relaxation, which saves sweeps for moderate friction; without it for `mu > 1`, where it may not converge.
const RELAXATIONS: [f64; 2] = [1.3, 1.0];

/// The sweeps stop once the relative change of the impulses is below this: a thousandth of what thirty sweeps leave in a
/// moving pile.
const CONVERGED_CHANGE: f64 = 1e-7;

/// Interval of sweeps at which that is checked.
const CHECK_INTERVAL: u32 = 4;

/// Final joint solves after the last sweep, at most, so that joints hold regardless of the contacts.
const FINAL_JOINT_SOLVES: u32 = 5;

/// They stop at this relative change of the impulses.
const CONVERGED_JOINT_CHANGE: f64 = 1e-13;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    locals: Vec<Local>,
    /// Further friction blocks of all contacts, in their order.
    more: Vec<FrictionBlock>,
    /// Joints, springs and motors.
    pub joint_rows: JointRows,
    w: Vec<Packed6>,
    masses: Masses,
    size: Size,
}

impl Bounded {
    /// Loads an island and the warm start. Returns `false` if a friction coefficient or compliance is negative or not
    /// finite.
    pub fn set(&mut self, problem: &Problem, island: &Island, r: &[f64]) -> bool {
        self.masses.set(problem, island);
        let contacts = || {
            island
                .contacts
                .iter()
                .map(|&c| &problem.contacts[c as usize])
        };
        let frictions = || {
            contacts()
                .flat_map(|t| t.contact.blocks())
                .map(Block::friction)
        };
        let relaxation = RELAXATIONS[usize::from(frictions().any(|mu| mu > 1.0))];
        let mut valid = frictions().all(|mu| mu >= 0.0 && mu.is_finite());
        self.locals.clear();
        self.more.clear();
        self.size = Size::default();
        let mut at = 0;
        for constraint in contacts() {
            let source = island.rows[at] as usize;
            let count = constraint.contact.rows();
            let rows = &problem.rows[source..source + count];
            valid &= rows.iter().all(|row| row.compliance >= 0.0);
            self.add_contact(
                problem,
                constraint,
                rows,
                &r[at..at + count],
                at,
                relaxation,
            );
            at += count;
        }
        self.joint_rows.list.clear();
        for &j in island.joints {
            let joint = &problem.joints[j as usize];
            let bodies = self.masses.local_pair(joint.bodies);
            for at in at..at + joint.rows {
                let source = &problem.rows[island.rows[at] as usize];
                valid &= source.compliance >= 0.0;
                let scaled_row =
                    self.masses
                        .scaled_row(problem, joint.bodies, bodies, source, r[at]);
                let scale = self.size.count(
                    &[scaled_row.free],
                    scaled_row.products,
                    scaled_row.diagonal(),
                );
                self.joint_rows
                    .list
                    .push(JointRow::new(scaled_row, scale, bodies, at));
            }
            at += joint.rows;
        }
        self.apply_impulses();
        self.scale_warm_start();
        valid
    }

    // (8): impulses of an impact, or of a short substep, are a poor guess for the next step
    fn scale_warm_start(&mut self) {
        let square = |w: &Packed6| (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sum();
        // the entry of the ground, after the last body, is not zero
        let mut quadratic: f64 = self.w[..self.masses.factors.len()].iter().map(square).sum();
        let mut linear = 0.0;
        self.each_scaled_row(|scaled_row| {
            quadratic += scaled_row.compliance * scaled_row.r * scaled_row.r;
            linear -= scaled_row.free * scaled_row.r;
        });
        if 2.0 * linear < quadratic {
            let part = positive(linear / quadratic);
            self.each_scaled_row(|scaled_row| scaled_row.r *= part);
            self.apply_impulses();
        }
    }

    fn each_scaled_row(&mut self, act: impl FnMut(&mut ScaledRow)) {
        let Self {
            locals,
            more,
            joint_rows,
            ..
        } = self;
        let of_locals = locals.iter_mut().flat_map(|local| {
            std::iter::once(&mut local.normal).chain(&mut local.friction_block.rows)
        });
        let of_more = more.iter_mut().flat_map(|block| &mut block.rows);
        let of_joints = joint_rows
            .list
            .iter_mut()
            .map(|joint_row| &mut joint_row.scaled_row);
        of_locals.chain(of_more).chain(of_joints).for_each(act);
    }

    fn add_contact(
        &mut self,
        problem: &Problem,
        constraint: &ContactConstraint,
        rows: &[Row],
        r: &[f64],
        at: usize,
        relaxation: f64,
    ) {
        let Self {
            locals,
            more,
            masses,
            size,
            ..
        } = self;
        let bodies = masses.local_pair(constraint.bodies);
        let scaled_row =
            |row: &Row, r: f64| masses.scaled_row(problem, constraint.bodies, bodies, row, r);
        // filled in place, because it is large
        let at_end = locals.len();
        locals.push(Local::default());
        let local = &mut locals[at_end];
        (local.bodies, local.first) = (bodies, at as u32);
        local.normal = scaled_row(&rows[0], positive(r[0]));
        let diagonal = local.normal.diagonal();
        local.inverse = relaxation * inverse_of(diagonal, 0.0);
        local.scale = size.count(&[local.normal.free], local.normal.products, diagonal);
        let mut first = 1;
        for (k, block) in constraint.contact.blocks().iter().enumerate() {
            let friction_block = if k == 0 {
                &mut local.friction_block
            } else {
                local.more += 1;
                let at_end = more.len();
                more.push(FrictionBlock::default());
                &mut more[at_end]
            };
            friction_block.friction = block.friction();
            (friction_block.first, friction_block.count) =
                ((at + first) as u32, block.rows() as u32);
            for lane in 0..block.rows() {
                friction_block.rows[lane] = scaled_row(&rows[first + lane], r[first + lane]);
            }
            first += block.rows();
            let largest = friction_block.prepare(ZERO_DIAGONAL * diagonal, relaxation);
            let [s, t] = &mut friction_block.rows;
            let products = larger(s.products, t.products);
            friction_block.scale = size.count(&[s.free, t.free], products, largest);
            let mut start = [s.r, t.r];
            clamp_length(&mut start, friction_block.friction * local.normal.r);
            [s.r, t.r] = start;
            if k == 0 {
                local.to_n = [
                    dot(&s.row, &local.normal.row),
                    dot(&t.row, &local.normal.row),
                ];
            }
        }
    }

    /// `w` of (1).
    fn apply_impulses(&mut self) {
        self.w.clear();
        self.w
            .resize(self.masses.factors.len() + 1, Packed6::default());
        let mut more = self.more.iter();
        for local in &self.locals {
            let mut bodies = local.bodies.map(|b| self.w[b as usize]);
            add_multiple(&mut bodies, local.normal.r, &local.normal.row);
            local.friction_block.apply_impulses(&mut bodies);
            for block in more.by_ref().take(local.more as usize) {
                block.apply_impulses(&mut bodies);
            }
            self.w[local.bodies[0] as usize] = bodies[0];
            self.w[local.bodies[1] as usize] = bodies[1];
        }
        for joint_row in &self.joint_rows.list {
            let mut bodies = joint_row.bodies.map(|b| self.w[b as usize]);
            add_multiple(
                &mut bodies,
                joint_row.scaled_row.r,
                &joint_row.scaled_row.row,
            );
            self.w[joint_row.bodies[0] as usize] = bodies[0];
            self.w[joint_row.bodies[1] as usize] = bodies[1];
        }
    }

    /// Runs at most `count` sweeps, and returns their number.
    pub fn run(&mut self, count: u32) -> u32 {
        let done = self.run_sweeps(if self.locals.is_empty() { 1 } else { count });
        if !self.joint_rows.list.is_empty() {
            for _ in 0..FINAL_JOINT_SOLVES {
                let (change, largest) = self.joint_rows.solve(&mut self.w);
                if change <= CONVERGED_JOINT_CHANGE * largest {
                    break;
                }
            }
        }
        done
    }

    fn run_sweeps(&mut self, count: u32) -> u32 {
        for done in 1..=count {
            if done % CHECK_INTERVAL == 0 {
                let (change, largest) = self.sweep::<true>();
                if change <= CONVERGED_CHANGE * largest {
                    return done;
                }
            } else {
                self.sweep::<false>();
            }
        }
        count
    }

    /// Returns the largest change of an impulse and the largest impulse, if `MEASURE`.
    fn sweep<const MEASURE: bool>(&mut self) -> (f64, f64) {
        let (mut change, mut largest) = self.joint_rows.solve(&mut self.w); // (6)
        let w = &mut self.w[..];
        let mut more = self.more.iter_mut();
        for local in &mut self.locals {
            let [a, b] = local.bodies.map(|b| b as usize);
            let mut bodies = [w[a], w[b]];
            if let Some(changes) = local.update(&mut bodies) {
                if MEASURE {
                    let of_local = changes.map(f64::abs).into_iter().fold(0.0, larger);
                    change = larger(change, of_local);
                    largest = larger(largest, local.normal.r);
                }
                [w[a], w[b]] = bodies;
            }
            if local.more > 0 {
                for block in more.by_ref().take(local.more as usize) {
                    let mut bodies = [w[a], w[b]];
                    block.update_alone(local.normal.r, &mut bodies);
                    [w[a], w[b]] = bodies;
                }
            }
        }
        (change, largest)
    }

    /// (7); infinite if anything is not finite.
    pub fn residual(&self) -> f64 {
        let mut distance = Distance::default();
        let mut more = self.more.iter();
        for local in &self.locals {
            let bodies = local.bodies.map(|b| self.w[b as usize]);
            let others = more.by_ref().take(local.more as usize);
            let first = std::iter::once(&local.friction_block).filter(|block| block.count > 0);
            let mut blocks = [ScaledBlock::default(); MAX_BLOCKS];
            let mut count = 0;
            for (own, block) in blocks.iter_mut().zip(first.chain(others)) {
                let u = block.velocity(&bodies);
                let (scale, mu) = (block.scale, block.friction * local.scale / block.scale);
                let r = block.rows.map(|scaled_row| scaled_row.r / scale);
                *own = ScaledBlock::new(mu, r, u.map(|u| u * scale));
                count += 1;
            }
            let u_n = local.normal.velocity(&bodies) * local.scale;
            distance.contact(u_n, local.normal.r / local.scale, &blocks[..count]);
        }
        for joint_row in &self.joint_rows.list {
            let bodies = joint_row.bodies.map(|b| self.w[b as usize]);
            let u = joint_row.scaled_row.velocity(&bodies) * joint_row.scale;
            distance.joint(u, joint_row.scaled_row.r / joint_row.scale);
        }
        distance.relative(self.size.free, self.size.products)
    }

    /// The impulses, in the order of the rows of the island.
    pub fn write_impulses(&self, r: &mut [f64]) {
        let mut put = |block: &FrictionBlock| {
            let (first, count) = (block.first as usize, block.count as usize);
            let own = block.rows.map(|scaled_row| scaled_row.r);
            r[first..first + count].copy_from_slice(&own[..count]);
        };
        self.more.iter().for_each(&mut put);
        self.locals
            .iter()
            .for_each(|local| put(&local.friction_block));
        for local in &self.locals {
            r[local.first as usize] = local.normal.r;
        }
        for joint_row in &self.joint_rows.list {
            r[joint_row.at as usize] = joint_row.scaled_row.r;
        }
    }
}
