//! Impulses of dependent contacts and joints: of all with the same effect on the bodies, those of minimum norm.
//!
//! (1)  minimise  z.Q z / 2   such that   F S z = F (c - f),    c <- f + S z
//!
//! `S` has a column for each joint equation, for the normal of each closed contact and for each of its sticking friction rows; a sliding
//! contact has its friction in the column of the normal, -mu d, and that of a restitution impulse in `f`. `Q` is the diagonal of S^T D S, D
//! that of W: impulses are weighted by the motion that they would cause alone. With K = S^T W S,
//!
//! (2)  Q z = K y,    K z = S^T W (c - f)

use super::System;
use super::fixed_mode::Unknown;
use crate::math::dense::RankRevealing;
use crate::math::{Limit, max_abs, norm};
use crate::model::{MAX_FRICTION_ROWS, N_TANGENTS};

/// A row slower than this part of the previous motion is at rest: the residual of a solver, with a margin.
const AT_REST: f64 = 1e-8;

/// Impulses that change the motion by more than this part of it are different.
const SAME_EFFECT: f64 = 1e-10;

/// Maximum number of iterations that remove contacts in tension.
const MAX_ROUNDS: usize = 8;

/// Halvings of the path to impulses that are not within all cones.
const HALVINGS: usize = 40;

/// Friction rows of a contact with a common bound: the first one, their number, and the coefficient.
type Block = (usize, usize, f64);

impl System {
    /// (1) for the impulses of this system, which solve its contact problem; unchanged if they are unique. If the minimum-norm impulses
    /// violate the bounds of friction, the nearest admissible ones on the line towards them are used.
    pub fn remove_self_stress(&mut self, joints: &[bool], solver: &mut RankRevealing) {
        if self.contacts.len() < 2 {
            return;
        }
        self.form_delassus();
        let mut kept = std::mem::take(&mut self.kept);
        kept.clone_from(&self.impulse);
        let mut in_tension = std::mem::take(&mut self.in_tension);
        in_tension.clear();
        in_tension.resize(self.contacts.len(), false);
        self.move_rows();
        for _ in 0..MAX_ROUNDS {
            match self.minimum_norm_impulses(joints, solver, &kept, &mut in_tension) {
                MinimumNorm::Found => break,
                MinimumNorm::InTension => self.impulse.clone_from(&kept),
                MinimumNorm::None => {
                    self.impulse.clone_from(&kept);
                    break;
                }
            }
        }
        (self.kept, self.in_tension) = (kept, in_tension);
    }

    // W c + b in `moved`, for the impulses of this system
    fn move_rows(&mut self) {
        let k = self.len();
        self.moved.clear();
        for (row, b) in self.delassus.chunks_exact(k.max(1)).zip(&self.bias) {
            let gained: f64 = row.iter().zip(&self.impulse).map(|(w, c)| w * c).sum();
            self.moved.push(b + gained);
        }
    }

    fn blocks(&self, i: usize) -> [Block; 3] {
        let normal = self.normal(i);
        let rest = self.static_friction.get(i).map_or(0.0, |mu| *mu);
        let sliding = (
            normal + 1,
            self.n_tangents(),
            self.friction[i].at_least(rest),
        );
        let [torsional, rolling] = self.resisting.get(i).copied().unwrap_or([0.0; 2]);
        let spin = normal + 1 + N_TANGENTS;
        [
            sliding,
            (spin, 1, torsional),
            (spin + 1, N_TANGENTS, rolling),
        ]
    }

    // S, and f in the impulses
    fn choose_columns(&mut self, joints: &[bool], kept: &[f64], in_tension: &[bool]) {
        let mut unknowns = std::mem::take(&mut self.unknowns);
        let mut impulse = std::mem::take(&mut self.impulse);
        let k = self.len();
        let unit = |row: usize| {
            self.delassus[row * (k + 1)]
                .sqrt()
                .at_least(f64::MIN_POSITIVE)
        };
        let speed = |row: usize| self.moved[row] / unit(row);
        let free = |m: f64, row: usize| m.at_least(self.bias[row].abs() / unit(row));
        let slow = AT_REST * (self.n_joint..k).fold(0.0, free);
        unknowns.clear();
        impulse.fill(0.0);
        unknowns.extend((0..self.n_joint).filter(|j| joints[*j]).map(Unknown::Plain));
        for i in 0..self.contacts.len() {
            let normal = self.normal(i);
            let given = self.restituted_at(i);
            let separates = speed(normal) > slow || in_tension[i];
            if separates && given == 0.0 {
                continue;
            }
            let mut weights = [0.0; MAX_FRICTION_ROWS];
            let at = unknowns.len();
            if !separates {
                unknowns.push(Unknown::Plain(normal));
            }
            let mut slips = false;
            for (first, n_rows, friction) in self.blocks(i) {
                if friction <= 0.0 {
                    continue;
                }
                let rows = first..first + n_rows;
                if rows.clone().any(|row| speed(row).abs() > slow) {
                    // sliding contacts have the friction of the solution
                    let normal_impulse = kept[normal] + given;
                    for row in rows {
                        let along = if normal_impulse > 0.0 {
                            kept[row] / normal_impulse
                        } else {
                            0.0
                        };
                        impulse[row] = along * given;
                        weights[row - normal - 1] = along;
                        slips |= along != 0.0;
                    }
                } else {
                    unknowns.extend(rows.map(Unknown::Plain));
                }
            }
            if slips && !separates {
                unknowns[at] = Unknown::Slip(normal, weights);
            }
        }
        (self.unknowns, self.impulse) = (unknowns, impulse);
    }

    fn minimum_norm_impulses(
        &mut self,
        joints: &[bool],
        solver: &mut RankRevealing,
        kept: &[f64],
        in_tension: &mut [bool],
    ) -> MinimumNorm {
        self.choose_columns(joints, kept, in_tension);
        let (k, size) = (self.len(), self.unknowns.len());
        let row_of = |row: usize| &self.delassus[row * k..(row + 1) * k];
        let matrix = solver.start(size);
        for (i, row) in self.unknowns.iter().enumerate() {
            for (j, column) in self.unknowns.iter().enumerate().take(i + 1) {
                let mut sum = self.product(row_of(row.row()), column);
                if let Unknown::Slip(normal, weights) = row {
                    for (l, weight) in weights[..self.n_friction].iter().enumerate() {
                        sum += weight * self.product(row_of(normal + 1 + l), column);
                    }
                }
                (matrix[i * size + j], matrix[j * size + i]) = (sum, sum);
            }
        }
        solver.factor(self.rank_tolerance());
        if solver.rank() == size {
            return MinimumNorm::None;
        }
        self.set_weights(kept);
        // nearly dependent constraints could be shared only by unbounded impulses
        if !self.is_uneven {
            solver.drop_below(1e-9);
        }
        let shareable = self.weights.iter().all(|w| *w > 0.0 && w.is_finite());
        if !shareable || !solver.solve_nearest(&mut self.shares, &self.nearest_to, &self.weights) {
            return MinimumNorm::None;
        }
        self.try_minimum_norm(kept, in_tension)
    }

    // right-hand side of (2) in `shares`, Q in `weights`
    fn set_weights(&mut self, kept: &[f64]) {
        let k = self.len();
        self.nearest_to.clear();
        let change = kept.iter().zip(&self.impulse).map(|(c, f)| c - f);
        self.nearest_to.extend(change);
        self.moved_by.clear();
        for row in self.delassus.chunks_exact(k.max(1)) {
            let sum = row.iter().zip(&self.nearest_to).map(|(w, c)| w * c).sum();
            self.moved_by.push(sum);
        }
        self.shares.clear();
        self.weights.clear();
        for unknown in &self.unknowns {
            self.shares.push(self.product(&self.moved_by, unknown));
            let own = |row: usize| self.delassus[row * (k + 1)];
            let mut weight = own(unknown.row());
            if let Unknown::Slip(normal, along) = unknown {
                for (l, along) in along[..self.n_friction].iter().enumerate() {
                    weight += along * along * own(normal + 1 + l);
                }
            }
            self.weights.push(weight);
        }
        self.nearest_to.clear();
        self.nearest_to.resize(self.unknowns.len(), 0.0);
    }

    // f + S z in the impulses, if it is within all bounds and has the effect of the original ones
    fn try_minimum_norm(&mut self, kept: &[f64], in_tension: &mut [bool]) -> MinimumNorm {
        for (unknown, z) in self.unknowns.iter().zip(&self.shares) {
            match unknown {
                Unknown::Plain(row) | Unknown::Slip(row, _) => self.impulse[*row] += z,
                Unknown::Across { .. } => {}
            }
            if let Unknown::Slip(normal, weights) = unknown {
                for (l, along) in weights[..self.n_friction].iter().enumerate() {
                    self.impulse[normal + 1 + l] += along * z;
                }
            }
        }
        let rounding = 1e-12 * max_abs(&self.impulse[self.n_joint..]);
        let mut any = false;
        for (i, in_tension) in in_tension.iter_mut().enumerate() {
            let normal = self.normal(i);
            if self.impulse[normal] < -rounding {
                (*in_tension, any) = (true, true);
            } else if self.impulse[normal] < 0.0 {
                self.impulse[normal] = 0.0;
            }
        }
        if any {
            return MinimumNorm::InTension;
        }
        if !self.is_within_bounds(rounding) && !self.move_towards_minimum_norm(kept, rounding) {
            return MinimumNorm::None;
        }
        if self.has_effect_of(kept) {
            MinimumNorm::Found
        } else {
            MinimumNorm::None
        }
    }

    fn is_within_bounds(&self, rounding: f64) -> bool {
        (0..self.contacts.len()).all(|i| {
            let normal_impulse = self.impulse[self.normal(i)] + self.restituted_at(i);
            self.blocks(i).iter().all(|(first, n_rows, friction)| {
                *friction <= 0.0
                    || norm(&self.impulse[*first..first + n_rows])
                        <= friction * normal_impulse * (1.0 + 1e-9) + rounding
            })
        })
    }

    // from the original impulses towards the minimum-norm ones, which the system has, as far as the cones allow: they are convex
    fn move_towards_minimum_norm(&mut self, kept: &[f64], rounding: f64) -> bool {
        let mut least = std::mem::take(&mut self.moved_by);
        least.clone_from(&self.impulse);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let part = 0.5 * (low + high);
            self.mix(kept, &least, part);
            if self.is_within_bounds(rounding) {
                low = part;
            } else {
                high = part;
            }
        }
        self.mix(kept, &least, low);
        self.moved_by = least;
        low > 0.0
    }

    fn mix(&mut self, from: &[f64], to: &[f64], part: f64) {
        for ((c, from), to) in self.impulse.iter_mut().zip(from).zip(to) {
            *c = from + part * (to - from);
        }
    }

    fn has_effect_of(&self, kept: &[f64]) -> bool {
        let k = self.len();
        let (mut worst, mut size): (f64, f64) = (0.0, 0.0);
        for (i, row) in self.delassus.chunks_exact(k.max(1)).enumerate() {
            let unit = row[i].sqrt().at_least(f64::MIN_POSITIVE);
            let (mut change, mut moved) = (0.0, 0.0);
            for ((w, c), old) in row.iter().zip(&self.impulse).zip(kept) {
                change += w * (c - old);
                moved += (w * old).abs();
            }
            worst = worst.at_least((change / unit).abs());
            size = size.at_least(moved / unit);
        }
        worst <= SAME_EFFECT * size
    }
}

/// Result of the search for minimum-norm impulses.
enum MinimumNorm {
    Found,
    /// Contacts that are marked now would be in tension.
    InTension,
    /// They are unique, or none is within the bounds of friction.
    None,
}
