//! Inertia matrices: the mass matrix, or the iteration matrix of a step.

use crate::math::dense::{is_positive_definite, lu_factor, lu_solve};
use crate::model::Model;

/// A factored inertia matrix.
#[derive(Clone, Debug)]
pub struct Metric {
    n: usize,
    /// The masses, if it is diagonal.
    pub diagonal: Option<Vec<f64>>,
    matrix: Vec<f64>,
    factors: Vec<f64>,
    pivots: Vec<usize>,
    scratch: Vec<f64>,
}

/// How the iteration matrix was factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stiffness {
    /// With the exact force derivatives.
    Exact,
    /// With the part that keeps it positive definite at any step.
    Stabilized,
    /// Singular.
    Singular,
}

impl Metric {
    /// The mass matrix.
    pub fn mass(model: &Model) -> Self {
        Self {
            n: model.n_velocities,
            diagonal: Some(model.mass.clone()),
            matrix: Vec::new(),
            factors: Vec::new(),
            pivots: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Storage for a full matrix.
    pub fn full(n: usize) -> Self {
        Self {
            n,
            diagonal: None,
            matrix: vec![0.0; n * n],
            factors: vec![0.0; n * n],
            pivots: vec![0; n],
            scratch: vec![0.0; n * n],
        }
    }

    /// Factors `diag(mass) - by_velocity - stiff - rest`, without `rest` if that is not positive definite.
    pub fn factor(
        &mut self,
        mass: &[f64],
        by_velocity: (f64, &[f64]),
        stiff: (f64, &[f64]),
        rest: (f64, &[f64]),
    ) -> Stiffness {
        let n = self.n;
        for (i, x) in self.matrix.iter_mut().enumerate() {
            *x = -by_velocity.0 * by_velocity.1[i] - stiff.0 * stiff.1[i];
        }
        for i in 0..n {
            self.matrix[i * n + i] += mass[i];
        }
        for (i, x) in self.factors.iter_mut().enumerate() {
            *x = self.matrix[i] - rest.0 * rest.1[i];
        }
        let exact = is_positive_definite(n, &self.factors, &mut self.scratch);
        if !exact {
            self.factors.copy_from_slice(&self.matrix);
        }
        if !lu_factor(n, &mut self.factors, &mut self.pivots) {
            Stiffness::Singular
        } else if exact {
            Stiffness::Exact
        } else {
            Stiffness::Stabilized
        }
    }

    /// Factors `diag(mass) - by_velocity - stiff`; false if that is singular.
    pub fn factor_stiff(
        &mut self,
        mass: &[f64],
        by_velocity: (f64, &[f64]),
        stiff: (f64, &[f64]),
    ) -> bool {
        for (i, x) in self.factors.iter_mut().enumerate() {
            *x = -by_velocity.0 * by_velocity.1[i] - stiff.0 * stiff.1[i];
        }
        for (i, m) in mass.iter().enumerate() {
            self.factors[i * self.n + i] += m;
        }
        lu_factor(self.n, &mut self.factors, &mut self.pivots)
    }

    /// Multiplies a vector by the inverse.
    #[inline]
    pub fn divide(&self, x: &mut [f64]) {
        match &self.diagonal {
            Some(mass) => x.iter_mut().zip(mass).for_each(|(x, m)| *x /= m),
            None => lu_solve(self.n, &self.factors, &self.pivots, x),
        }
    }
}
