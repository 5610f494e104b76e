//! Impacts of a step, and their restitution.
//!
//! (1)  a contact has an impact if it is loaded, and was open or approaching at the start of the step
//! (2)  groups with restitution are solved again from v':   0 <= G_n v'' + e G_n v | s_n >= 0
//! (3)  energy limit of a group: v' + x (v'' - v') with the largest x <= 1 for which its kinetic energy is not above
//!      that of v plus the work of applied forces, springs and drives, with the positions that follow from v'

use std::ops::Range;

use super::assemble::along;
use super::{BAND, Six, Step, Work, limit, servos};
use crate::contact::body_blocks::{Body, Island, Joint, Problem, Row};
use crate::math::{Limit, Vec3, positive};
use crate::model::{ContactMaterial, Model};

/// A contact that approaches more slowly has no impact, m/s: in a step of 10 ms it moves by the band.
pub(super) const SLOW: f64 = 1e-5;

/// A joint with this compliance takes no part in an impact, velocity per impulse.
const FREE_COMPLIANCE: f64 = 1e30;

impl Step<'_> {
    pub(super) fn apply_restitution(&mut self) {
        self.find_impacts();
        let Work {
            end, after, second, ..
        } = &mut self.workspace.time_stepping;
        after.clone_from(end);
        second.clear();
        if self.set_bounces() {
            self.bounce();
        }
    }

    // (1)
    fn find_impacts(&mut self) {
        let Work {
            points,
            stops,
            constraints,
            rows,
            impulse,
            start,
            solvers,
            has_impact,
            energy_balance,
            joints,
            end,
            geometric_stiffness,
            centre_lag,
            ..
        } = &mut self.workspace.time_stepping;
        let others = &joints[..joints.len() - geometric_stiffness.count()];
        let n_contacts = points.list.len() + stops.len();
        centre_lag.clear();
        centre_lag.resize(start.len(), Vec3::zeros());
        has_impact.clear();
        has_impact.resize(start.len(), false);
        let mut any = 0;
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let mut row = 0;
            let mut n_impacts = 0;
            for &contact in island.contacts {
                let constraint = &constraints[contact as usize];
                let normal = island.rows[row] as usize;
                row += constraint.contact.rows();
                let contact = contact as usize;
                if contact >= n_contacts {
                    continue;
                }
                let (gap, rests) = match points.list.get(contact) {
                    Some(point) => (point.gap, false),
                    None => {
                        let stop = &stops[contact - points.list.len()];
                        (stop.gap, stop.rests)
                    }
                };
                let approaches = along(&rows[normal], constraint.bodies, start) < -SLOW;
                let is_impact = impulse[normal] > 0.0 && !rests && (gap > BAND || approaches);
                n_impacts += u64::from(is_impact);
            }
            if n_impacts > 0 {
                any += n_impacts;
                let own = if limit::is_free(&island, constraints, others, |row| impulse[row] > 0.0)
                {
                    half_change(self.model, island.bodies, [start, end])
                } else {
                    Vec3::zeros()
                };
                for &body in island.bodies {
                    has_impact[body as usize] = true;
                    centre_lag[body as usize] = own;
                    energy_balance.impact(body as usize);
                }
            }
        }
        self.report.n_events.impacts += any;
        self.report.unlocated_steps += u64::from(any > 0);
    }

    // biases of (2); false if there are none
    fn set_bounces(&mut self) -> bool {
        let threshold = self.settings.restitution_threshold;
        let Work {
            points,
            stops,
            constraints,
            rows,
            impulse,
            start,
            free,
            bounces,
            ..
        } = &mut self.workspace.time_stepping;
        bounces.clear();
        let of_model = &self.model.contacts;
        let stops = stops.iter().map(|stop| {
            let bounces = !stop.rests;
            f64::from(bounces) * of_model[stop.contact].restitution
        });
        let materials = points.list.iter().map(|point| &point.material);
        let restitutions = materials
            .map(|material: &ContactMaterial| material.restitution)
            .chain(stops);
        let mut row = 0;
        for (constraint, e) in constraints.iter().zip(restitutions) {
            if e > 0.0 && impulse[row] > 0.0 {
                let before = along(&rows[row], constraint.bodies, start);
                let falls = along(&rows[row], constraint.bodies, free) - before;
                if before < -SLOW && -before > threshold * falls.abs() {
                    bounces.push((row, e * before));
                } else if before < -SLOW {
                    self.report.rests += 1;
                }
            }
            row += constraint.contact.rows();
        }
        !bounces.is_empty()
    }

    // (2), (3)
    fn bounce(&mut self) {
        let effort = self.effort();
        let springs = self.springs();
        let Work {
            bodies,
            constraints,
            joints,
            rows,
            impulse,
            start,
            free,
            end,
            after,
            bounces,
            second,
            bouncing,
            energy_balance,
            servos,
            ..
        } = &mut self.workspace.time_stepping;
        for &(row, bias) in bounces.iter() {
            rows[row].bias = bias;
        }
        for row in rows.iter_mut().filter(|row| row.compliance > 0.0) {
            row.compliance = FREE_COMPLIANCE;
            row.bias = 0.0;
        }
        for (body, v) in bodies.iter_mut().zip(end.iter()) {
            body.velocity = *v;
        }
        let problem = Problem {
            bodies,
            contacts: constraints,
            joints,
            rows,
        };
        second.clear();
        second.resize(rows.len(), 0.0);
        let threads = self.time_stepping.options.threads as usize;
        let ending = bouncing.solve(&problem, effort, threads, second, after);
        self.report.lcps += ending.groups;
        self.report.inexact_solves += ending.inexact + ending.contradictions;
        self.report.worst_residual = self.report.worst_residual.at_least(ending.residual);
        for k in 0..bouncing.islands.count() {
            let island = bouncing.islands.island(k);
            let group = island.bodies;
            let driven = Driven {
                model: self.model,
                island: &island,
                joints,
                rows,
            };
            let most = driven.most(
                springs.clone(),
                bodies,
                |row| impulse[row],
                [start, free, end],
            ) + servos::work_on(servos, &island, impulse, end);
            let more = driven.work_of_drives(|row| second[row], [end, after]);
            let without = energy(bodies, group, end);
            let part = limit_restitution(bodies, group, [most, most + more], end, after);
            self.report.limited_impacts += u64::from(part < 1.0);
            if let Some(i) = group.first() {
                let losses = energy_balance.at(*i as usize);
                losses.applied += part * more;
                losses.impacts += without - energy(bodies, group, after) + part * more;
            }
            for &row in island.rows {
                let change = &mut second[row as usize];
                *change *= part;
                impulse[row as usize] += *change;
            }
        }
    }
}

// half the change of the velocity of the centre of mass
fn half_change(model: &Model, group: &[u32], [start, end]: [&[Six]; 2]) -> Vec3 {
    let (mut mass, mut change) = (0.0, Vec3::zeros());
    for i in group.iter().map(|i| *i as usize) {
        let own = model.mass[model.bodies[i].first];
        mass += own;
        for k in 0..3 {
            change[k] += 0.5 * own * (end[i][k] - start[i][k]);
        }
    }
    change / mass
}

/// Work on a group other than by its contacts.
pub(super) struct Driven<'a> {
    pub model: &'a Model,
    pub island: &'a Island<'a>,
    pub joints: &'a [Joint],
    pub rows: &'a [Row],
}

impl Driven<'_> {
    /// Largest admissible kinetic energy of the group after moving from `start` with the velocities `end`, J; `free` are those without
    /// contacts and joints. Springs and dampers are these of the joints.
    fn most(
        &self,
        springs: Range<usize>,
        bodies: &[Body],
        impulse: impl Fn(usize) -> f64,
        [start, free, end]: [&[Six]; 3],
    ) -> f64 {
        let mut most = energy(bodies, self.island.bodies, start);
        for &i in self.island.bodies {
            let (i, body) = (i as usize, &bodies[i as usize]);
            most += along_momentum(body, &start[i], &free[i], &end[i]);
        }
        most += self.work_of_drives(&impulse, [start, end]);
        most += self.sum(springs, |row, bodies| {
            impulse(row) * along(&self.rows[row], bodies, end)
        });
        most
    }

    /// Work of drives by these impulses and the means of two velocities, J.
    pub fn work_of_drives(&self, impulse: impl Fn(usize) -> f64, velocities: [&[Six]; 2]) -> f64 {
        let first = self.model.joints.len() + self.model.couplings.len();
        let drives = first..first + self.model.drives.len();
        self.sum(drives, |row, bodies| {
            let [before, after] = velocities.map(|v| along(&self.rows[row], bodies, v));
            impulse(row) * 0.5 * (before + after)
        })
    }

    fn sum(&self, of: Range<usize>, work: impl Fn(usize, [u32; 2]) -> f64) -> f64 {
        if of.is_empty() {
            return 0.0;
        }
        let n_rows = |j: &u32| self.joints[*j as usize].rows;
        let of_joints = self.island.joints.iter().map(n_rows).sum::<usize>();
        let mut rows = self.island.rows[self.island.rows.len() - of_joints..].iter();
        let mut sum = 0.0;
        for j in self.island.joints {
            let joint = &self.joints[*j as usize];
            let own = rows.by_ref().take(joint.rows);
            if of.contains(&(*j as usize)) {
                sum += own
                    .map(|row| work(*row as usize, joint.bodies))
                    .sum::<f64>();
            } else {
                own.for_each(drop);
            }
        }
        sum
    }
}

// work of a velocity change of a body while it moves with a third velocity, J
fn along_momentum(body: &Body, from: &Six, to: &Six, velocity: &Six) -> f64 {
    let mut sum = 0.0;
    for k in 0..6 {
        if body.inverse_mass[k][k] > 0.0 {
            sum += (to[k] - from[k]) * velocity[k] / body.inverse_mass[k][k];
        }
    }
    sum
}

/// Kinetic energy of a group, J.
pub(super) fn energy(bodies: &[Body], group: &[u32], velocities: &[Six]) -> f64 {
    let of = |i: &u32| energy_of(&bodies[*i as usize], &velocities[*i as usize]);
    group.iter().map(of).sum()
}

fn energy_of(body: &Body, v: &Six) -> f64 {
    let mut sum = 0.0;
    for k in 0..6 {
        if body.inverse_mass[k][k] > 0.0 {
            sum += 0.5 * v[k] * v[k] / body.inverse_mass[k][k];
        }
    }
    sum
}

/// (3) of a group: interpolates the velocities after restitution towards those without any, until its kinetic energy is not above `most`,
/// J, without and with restitution, nor above that without. Returns the remaining part of the restitution.
pub(super) fn limit_restitution(
    bodies: &[Body],
    group: &[u32],
    most: [f64; 2],
    without: &[Six],
    bounced: &mut [Six],
) -> f64 {
    let more = positive(energy(bodies, group, without) - most[0]);
    let most = most.map(|most| most + more);
    // rounding of velocities
    if energy(bodies, group, bounced) <= most[1] * (1.0 + 1e-14) {
        return 1.0;
    }
    let part = part(bodies, group, without, bounced, most);
    for &i in group {
        let (v, w) = (&without[i as usize], &mut bounced[i as usize]);
        for k in 0..6 {
            w[k] = v[k] + part * (w[k] - v[k]);
        }
    }
    part
}

// (3): bisection, because the energy along the line is convex, its bound is linear, and at the start it is not above it
fn part(bodies: &[Body], group: &[u32], from: &[Six], to: &[Six], most: [f64; 2]) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let x = 0.5 * (low + high);
        let mut total = 0.0;
        for &i in group {
            let (v, w) = (&from[i as usize], &to[i as usize]);
            let mixed = std::array::from_fn(|k| v[k] + x * (w[k] - v[k]));
            total += energy_of(&bodies[i as usize], &mixed);
        }
        let bound = most[0] + x * (most[1] - most[0]);
        if total > bound { high = x } else { low = x }
    }
    low
}
