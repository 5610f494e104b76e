//! What struck in a step, and how it bounces.
//!
//! (1)  a contact strikes if it presses, and was open or came nearer at the start of the step
//! (2)  the groups in which something bounces are solved once more from v':   0 <= G_n v'' + e G_n v | s_n >= 0
//! (3)  kinetic energy of a group does not rise: v' + x (v'' - v') with the largest x <= 1 for which it is above neither that
//!      of v nor that of v_f

use super::assemble::along;
use super::{BAND, Six, Step, Work};
use crate::lcp::crowd::{Body, Problem};
use crate::math::Limit;
use crate::model::Law;

/// A contact that comes nearer more slowly does not strike, m/s: in a step of 10 ms it gets as far as the band.
pub(super) const SLOW: f64 = 1e-5;

/// A joint this soft takes no part in an impact, velocity per impulse.
const NO_HOLD: f64 = 1e30;

impl Step<'_> {
    pub(super) fn restore(&mut self) {
        self.find_struck();
        let Work { end, after, .. } = &mut self.workspace.crowd;
        after.clone_from(end);
        if self.set_bounces() {
            self.bounce();
        }
    }

    // (1)
    fn find_struck(&mut self) {
        let Work {
            spots,
            touches,
            rows,
            impulse,
            start,
            solvers,
            struck,
            ..
        } = &mut self.workspace.crowd;
        struck.clear();
        struck.resize(start.len(), false);
        let mut any = 0;
        for k in 0..solvers.islands.count() {
            let island = solvers.islands.island(k);
            let mut row = 0;
            let mut n_struck = 0;
            for &contact in island.contacts {
                let touch = &touches[contact as usize];
                let normal = island.rows[row] as usize;
                row += touch.contact.rows();
                let gap = match spots.list.get(contact as usize) {
                    Some(spot) => spot.gap,
                    // a stop
                    None => rows[normal].bias * self.h,
                };
                let comes = along(&rows[normal], touch.bodies, start) < -SLOW;
                n_struck += u64::from(impulse[normal] > 0.0 && (gap > BAND || comes));
            }
            if n_struck > 0 {
                any += n_struck;
                for &body in island.bodies {
                    struck[body as usize] = true;
                }
            }
        }
        self.report.n_events.impacts += any;
        self.report.unlocated_steps += u64::from(any > 0);
    }

    // biases of (2); is there any?
    fn set_bounces(&mut self) -> bool {
        let threshold = self.settings.restitution_threshold;
        let Work {
            spots,
            touches,
            rows,
            impulse,
            start,
            free,
            bounces,
            ..
        } = &mut self.workspace.crowd;
        bounces.clear();
        let stops = self.model.contacts.iter().map(|stop| stop.restitution);
        let laws = spots.list.iter().map(|spot| &spot.law);
        let restitutions = laws.map(|law: &Law| law.restitution).chain(stops);
        let mut row = 0;
        for (touch, e) in touches.iter().zip(restitutions) {
            if e > 0.0 && impulse[row] > 0.0 {
                let before = along(&rows[row], touch.bodies, start);
                let falls = along(&rows[row], touch.bodies, free) - before;
                if before < -SLOW && -before > threshold * falls.abs() {
                    bounces.push((row, e * before));
                } else if before < -SLOW {
                    self.report.rests += 1;
                }
            }
            row += touch.contact.rows();
        }
        !bounces.is_empty()
    }

    // (2), (3)
    fn bounce(&mut self) {
        let effort = self.effort();
        let Work {
            bodies,
            touches,
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
            ..
        } = &mut self.workspace.crowd;
        for &(row, bias) in bounces.iter() {
            rows[row].bias = bias;
        }
        for row in rows.iter_mut().filter(|row| row.compliance > 0.0) {
            row.compliance = NO_HOLD;
            row.bias = 0.0;
        }
        for (body, v) in bodies.iter_mut().zip(end.iter()) {
            body.velocity = *v;
        }
        let problem = Problem {
            bodies,
            contacts: touches,
            joints,
            rows,
        };
        second.clear();
        second.resize(rows.len(), 0.0);
        let threads = self.crowd.rules.threads as usize;
        let ending = bouncing.solve(&problem, effort, threads, second, after);
        self.report.lcps += ending.groups;
        self.report.inexact_solves += ending.inexact;
        self.report.worst_residual = self.report.worst_residual.at_least(ending.residual);
        for k in 0..bouncing.islands.count() {
            let group = bouncing.islands.island(k).bodies;
            let (of_start, of_free) = (energy(bodies, group, start), energy(bodies, group, free));
            let cut = cut_back(bodies, group, of_start.at_least(of_free), end, after);
            self.report.guarded_impacts += u64::from(cut);
            self.report.impact_loss += energy(bodies, group, end) - energy(bodies, group, after);
        }
        for (sum, x) in impulse.iter_mut().zip(second.iter()) {
            *sum += x;
        }
    }
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

/// (3) of a group: brings the velocities of a bounce towards those without any, until its kinetic energy is not above
/// `most` nor above that without a bounce, J. Was it?
pub(super) fn cut_back(
    bodies: &[Body],
    group: &[u32],
    most: f64,
    without: &[Six],
    bounced: &mut [Six],
) -> bool {
    let most = most.at_least(energy(bodies, group, without));
    if energy(bodies, group, bounced) <= most {
        return false;
    }
    let share = share(bodies, group, without, bounced, most);
    for &i in group {
        let (v, w) = (&without[i as usize], &mut bounced[i as usize]);
        for k in 0..6 {
            w[k] = v[k] + share * (w[k] - v[k]);
        }
    }
    true
}

// (3): by halving, because the energy along the way is convex and at its start not above the bound
fn share(bodies: &[Body], group: &[u32], from: &[Six], to: &[Six], most: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let x = 0.5 * (low + high);
        let mut total = 0.0;
        for &i in group {
            let (v, w) = (&from[i as usize], &to[i as usize]);
            let mixed = std::array::from_fn(|k| v[k] + x * (w[k] - v[k]));
            total += energy_of(&bodies[i as usize], &mixed);
        }
        if total > most { high = x } else { low = x }
    }
    low
}
