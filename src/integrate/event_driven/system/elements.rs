//! Friction elements in the system: the last of the joint equations.
//!
//! A sticking element has its row and its column, as a joint. A sliding one with a given load is a known impulse p in the free motion,
//! x_free + A^-1 D p. One whose load is the norm of a joint's reaction R = S c adds its column to those of the reaction:
//!
//! (1)  nu_j + a rho_j D,   rho = R/|R|,   a = its friction for each newton, with its sign
//!
//! With the rho of the last solution, (1) is Newton's method for |R|, because d|R| = rho^T dR.

use super::System;
use crate::math::{Limit, set_zeros};

/// Largest number of rows whose reaction loads an element.
pub(in crate::integrate) const MAX_LOADING: usize = 3;

/// What an element exerts on the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::integrate) enum ElementForce {
    /// What its row needs to stick, or nothing.
    Solved,
    /// This impulse, N s or N m s.
    Given(f64),
    /// (1) on rows from `first` on, with the products of a and rho.
    Loaded {
        first: usize,
        weights: [f64; MAX_LOADING],
    },
}

impl ElementForce {
    fn given(self) -> f64 {
        match self {
            Self::Given(p) => p,
            Self::Solved | Self::Loaded { .. } => 0.0,
        }
    }
}

impl System {
    /// Row of the first friction element.
    pub fn first_element(&self) -> usize {
        self.n_joint - self.elements.len()
    }

    /// Changes what an element exerts: in W, in b, and in the free motion.
    pub fn set_element(&mut self, e: usize, force: ElementForce, free: &mut [f64]) {
        let old = std::mem::replace(&mut self.elements[e], force);
        let p = force.given() - old.given();
        if p != 0.0 {
            self.push_element(e, p, free);
        }
        for (force, sign) in [(old, -1.0), (force, 1.0)] {
            if let ElementForce::Loaded { first, weights } = force {
                for (j, weight) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                    self.add_column(e, sign * weight, first + j);
                }
            }
        }
    }

    fn push_element(&mut self, e: usize, p: f64, free: &mut [f64]) {
        let (n, k, row) = (self.n, self.len(), self.first_element() + e);
        if self.is_large() {
            return self.push_without_delassus(row, p, free);
        }
        let response = &self.response[row * n..(row + 1) * n];
        free.iter_mut().zip(response).for_each(|(x, r)| *x += p * r);
        for (i, b) in self.bias.iter_mut().enumerate().take(k) {
            *b += p * self.delassus[i * k + row];
        }
    }

    fn push_without_delassus(&mut self, row: usize, p: f64, free: &mut [f64]) {
        let mut response = std::mem::take(&mut self.moved_by);
        set_zeros(&mut response, self.n);
        let columns = if self.columns_are_rows {
            &self.rows
        } else {
            &self.columns
        };
        columns[row].add_to(p, &mut response);
        self.metric.divide(&mut response);
        free.iter_mut().zip(&response).for_each(|(x, r)| *x += r);
        for (b, row) in self.bias.iter_mut().zip(&self.rows) {
            *b += row.product(&response);
        }
        self.moved_by = response;
    }

    // adds a multiple of the column of an element to another column, which is of the same bodies
    fn add_column(&mut self, e: usize, weight: f64, to: usize) {
        let (n, k, from) = (self.n, self.len(), self.first_element() + e);
        if self.is_large() {
            if self.columns_are_rows {
                self.columns.clone_from(&self.rows);
                self.columns_are_rows = false;
            }
            let column = self.columns[from];
            self.columns[to].add_scaled(weight, &column);
            self.geometry += 1;
            return;
        }
        for row in self.delassus.chunks_exact_mut(k) {
            row[to] += weight * row[from];
        }
        for i in 0..n {
            self.response[to * n + i] += weight * self.response[from * n + i];
        }
    }

    /// Impulse of an element in the solution, N s or N m s.
    pub fn element_impulse(&self, e: usize) -> f64 {
        match self.elements[e] {
            ElementForce::Solved => self.impulse[self.first_element() + e],
            ElementForce::Given(p) => p,
            ElementForce::Loaded { first, weights } => {
                let loads = self.impulse[first..].iter().zip(weights);
                loads.map(|(c, weight)| c * weight).sum()
            }
        }
    }

    /// Value of the row of an element in the solution: its velocity, or its acceleration.
    pub fn element_motion(&self, e: usize) -> f64 {
        self.motion(self.first_element() + e)
    }

    /// The same of any row.
    pub fn motion(&self, row: usize) -> f64 {
        let k = self.len();
        if self.is_large() {
            return self.bias[row] + self.rows[row].product(&self.effect);
        }
        let w = &self.delassus[row * k..(row + 1) * k];
        let moved: f64 = (0..k)
            .filter(|j| !self.is_given(*j))
            .map(|j| w[j] * self.impulse[j])
            .sum();
        self.bias[row] + moved
    }

    /// Size of the terms that motions of joints and elements are the sums of.
    pub fn size_of_motions(&self) -> f64 {
        (0..self.n_joint).fold(0.0, |m: f64, row| {
            let mobility = self.rows[row].inverse_effective_mass(&self.mass);
            m.at_least(self.bias[row].abs() + (mobility * self.impulse[row]).abs())
        })
    }

    /// How strongly a force along one row moves along another, relative to the motion along its own. W must be formed.
    pub fn coupling(&self, row: usize, other: usize) -> f64 {
        let k = self.len();
        self.delassus[other * k + row] / self.delassus[row * k + row]
    }

    /// Inverse of the effective mass of an element, nearly.
    pub fn element_mobility(&self, e: usize) -> f64 {
        let row = self.first_element() + e;
        if self.is_large() {
            return self.rows[row].inverse_effective_mass(&self.mass);
        }
        self.delassus[row * self.len() + row]
    }

    /// Writes the impulses of sliding elements next to those of the solution.
    pub fn write_elements(&mut self) {
        let first = self.first_element();
        for e in 0..self.elements.len() {
            self.impulse[first + e] = self.element_impulse(e);
        }
    }

    // is the effect of a row in the free motion, or in other columns?
    pub(super) fn is_given(&self, row: usize) -> bool {
        let element = row.checked_sub(self.first_element());
        let force = element.and_then(|e| self.elements.get(e));
        force.is_some_and(|force| *force != ElementForce::Solved)
    }

    pub(super) fn add_response_without_given(&self, x: &mut [f64]) {
        let responses = self.response.chunks_exact(self.n.max(1));
        for (row, (c, response)) in self.impulse.iter().zip(responses).enumerate() {
            if *c != 0.0 && !self.is_given(row) {
                x.iter_mut().zip(response).for_each(|(x, r)| *x += c * r);
            }
        }
    }
}
