//! Compliant normals in the system: rows that yield to their impulse.
//!
//! (1)  c = p - s (g.x - r)      p: the impulse of the force law without a change of velocity, s: how much an approach adds to it
//! (2)  W_nn + 1/s,  b_n - r - p/s      (1) as a row of (2) in `system`: it becomes rigid as s grows
//! (3)  W_nn c - W_nn p          the row where the impulse is known, without the effect of other impulses
//! (4)  m = W_nn - W_nj W_jj^-1 W_jn      mobility: how much an impulse at the normal moves it, with the joints j closed

use super::System;
use crate::math::dense::RankRevealing;
use crate::math::{Limit, set_zeros};
use crate::model::Model;

/// If (1) adds less than this part to the mass, the impulse is known.
const KNOWN: f64 = 1e-8;

/// The row of a compliant normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Normal {
    #[default]
    Rigid,
    /// (2), with 1/s.
    Yields(f64),
    /// (3), with `W_nn`.
    Known(f64),
}

impl System {
    /// Sets which contacts are compliant from the model.
    pub fn take_compliance(&mut self, model: &Model) {
        self.is_compliant.clear();
        if model.has_compliant_contacts {
            let contacts = self.contacts.iter().map(|&j| &model.contacts[j]);
            self.is_compliant
                .extend(contacts.map(|contact| contact.compliance.is_some()));
        }
    }

    /// Is the `i`-th contact compliant?
    pub fn is_compliant(&self, i: usize) -> bool {
        self.is_compliant.get(i).is_some_and(|is| *is)
    }

    /// Is the normal impulse of the `i`-th contact known?
    pub fn is_known(&self, i: usize) -> bool {
        matches!(self.normals.get(i), Some(Normal::Known(_)))
    }

    /// Makes all normals rigid: W is formed again.
    #[inline]
    pub(super) fn make_rigid(&mut self) {
        if !self.normals.is_empty() {
            self.normals.clear();
            self.delassus_of = None;
        }
    }

    /// Finds the mobilities (4) of compliant normals, which are all rigid so far.
    pub fn find_mobilities(&mut self, joints: &[bool], solver: &mut RankRevealing) {
        self.form_delassus();
        let k = self.len();
        self.mobilities.clear();
        let held = |row: &usize| joints[*row];
        let size = (0..self.first_element()).filter(held).count();
        let matrix = solver.start(size);
        for (i, row) in (0..self.first_element()).filter(held).enumerate() {
            for (j, column) in (0..self.first_element()).filter(held).enumerate() {
                matrix[i * size + j] = self.delassus[row * k + column];
            }
        }
        solver.factor(self.rank_tolerance());
        set_zeros(&mut self.shares, size);
        for i in 0..self.contacts.len() {
            let normal = self.normal(i);
            let own = self.delassus[normal * k + normal];
            let coupled = (0..self.first_element()).filter(held);
            let coupled = coupled.map(|row| self.delassus[row * k + normal]);
            for (share, w) in self.shares.iter_mut().zip(coupled.clone()) {
                *share = w;
            }
            if size > 0 && self.is_compliant[i] {
                solver.solve(&mut self.shares);
            }
            let carried: f64 = self.shares.iter().zip(coupled).map(|(c, w)| c * w).sum();
            self.mobilities.push((own - carried).at_least(0.0));
        }
    }

    /// The mobility (4) of the `i`-th normal, 1/kg.
    pub fn mobility(&self, i: usize) -> f64 {
        self.mobilities[i]
    }

    /// How much an impulse at the `i`-th normal moves it without other constraints, 1/kg.
    pub fn inverse_mass(&mut self, i: usize) -> f64 {
        self.form_delassus();
        let normal = self.normal(i);
        self.delassus[normal * self.len() + normal]
    }

    /// Makes the normal of the `i`-th contact yield (1) with `(p, s)`, for the bias `b_n - r`.
    pub fn let_yield(&mut self, i: usize, (impulse, stiffness): (f64, f64), bias: f64) {
        self.form_delassus();
        let (normal, k) = (self.normal(i), self.len());
        let own = self.delassus[normal * k + normal];
        if stiffness * own <= KNOWN {
            return self.know_normal(i, impulse);
        }
        self.delassus[normal * k + normal] = own + 1.0 / stiffness;
        self.bias[normal] = bias - impulse / stiffness;
        self.set_normal(i, Normal::Yields(1.0 / stiffness));
    }

    /// Gives the `i`-th contact a known normal impulse (3).
    pub fn know_normal(&mut self, i: usize, impulse: f64) {
        self.form_delassus();
        let (normal, k) = (self.normal(i), self.len());
        let row = &mut self.delassus[normal * k..(normal + 1) * k];
        // a contact that cannot move anything
        let own = if row[normal] > 0.0 { row[normal] } else { 1.0 };
        row.fill(0.0);
        row[normal] = own;
        self.bias[normal] = -own * impulse;
        self.set_normal(i, Normal::Known(own));
    }

    fn set_normal(&mut self, i: usize, normal: Normal) {
        self.normals.resize(self.contacts.len(), Normal::Rigid);
        self.normals[i] = normal;
    }

    /// What is left of the equation of a row after the stored impulses, which cause the motion `moved_by`.
    pub(super) fn rest_of_row(&self, row: usize) -> f64 {
        let stride = 1 + self.n_friction;
        let at = row.checked_sub(self.n_joint).filter(|at| at % stride == 0);
        let normal = at.and_then(|at| self.normals.get(at / stride));
        let moved = self.rows[row].product(&self.moved_by);
        let velocity = match normal {
            None | Some(Normal::Rigid) => moved,
            Some(Normal::Yields(by)) => moved + by * self.kept[row],
            Some(Normal::Known(own)) => own * self.kept[row],
        };
        -self.bias[row] - velocity
    }

    /// Lets no force act on compliant normals: they do not take part in projections.
    pub fn release_compliant(&mut self) {
        for i in 0..self.is_compliant.len() {
            if self.is_compliant(i) {
                self.know_normal(i, 0.0);
            }
        }
    }
}
