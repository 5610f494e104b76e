//! Inertia matrices: the mass matrix, or the iteration matrix of a step.

use crate::contact::block_lu::Factor;
use crate::contact::elimination_order::Pattern;
use crate::dynamics::{BlockMatrix, Layout};
use crate::math::dense::{is_positive_definite, lu_factor, lu_solve};
use std::sync::Arc;

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

/// An inertia matrix and its factors.
#[derive(Debug, Default)]
pub struct Metric {
    /// The masses, if it is diagonal.
    diagonal: Vec<f64>,
    is_diagonal: bool,
    /// Counts the matrices that are not.
    n_factored: u64,
    /// The matrix, if it is not.
    matrix: BlockMatrix,
    /// That without the derivatives that may be left out.
    stabilized: Vec<f64>,
    factors: Factors,
}

#[derive(Debug)]
enum Factors {
    /// Row-major, with pivots and scratch.
    Dense {
        factors: Vec<f64>,
        pivots: Vec<usize>,
        scratch: Vec<f64>,
    },
    /// In blocks of bodies in the plane, or in space.
    Plane(Box<Blocks<3>>),
    Space(Box<Blocks<6>>),
}

#[derive(Debug, Default)]
struct Blocks<const N: usize> {
    pattern: Pattern,
    factor: Factor<N>,
    x: Vec<[f64; N]>,
}

/// A matrix of derivatives and its weight.
pub type Weighted<'a> = (f64, &'a BlockMatrix);

impl Metric {
    /// The mass matrix of a model with these couplings.
    pub fn new(layout: &Arc<Layout>, mass: &[f64], is_spatial: bool) -> Self {
        let matrix = BlockMatrix::new(layout);
        let n = layout.n();
        let factors = if layout.is_dense() {
            Factors::Dense {
                factors: vec![0.0; n * n],
                pivots: vec![0; n],
                scratch: vec![0.0; n * n],
            }
        } else if is_spatial {
            Factors::Space(Box::new(Blocks::new(layout)))
        } else {
            Factors::Plane(Box::new(Blocks::new(layout)))
        };
        Self {
            diagonal: mass.to_vec(),
            is_diagonal: true,
            n_factored: 0,
            stabilized: vec![0.0; matrix.values.len()],
            matrix,
            factors,
        }
    }

    /// Becomes the mass matrix.
    #[inline]
    pub fn use_mass(&mut self, mass: &[f64]) {
        self.is_diagonal = true;
        self.diagonal.copy_from_slice(mass);
    }

    /// The masses, if it is the mass matrix.
    #[inline]
    pub fn diagonal(&self) -> Option<&[f64]> {
        self.is_diagonal.then_some(&self.diagonal)
    }

    /// A number that differs for different matrices; that of the mass matrix is zero.
    pub fn version(&self) -> u64 {
        if self.is_diagonal { 0 } else { self.n_factored }
    }

    /// The matrix, if it is not the mass matrix.
    pub fn matrix(&self) -> &BlockMatrix {
        &self.matrix
    }

    /// Factors `diag(mass) - by_velocity - stiff - rest`, without `rest` if that is not positive definite.
    pub fn factor(
        &mut self,
        mass: &[f64],
        by_velocity: Weighted,
        stiff: Weighted,
        rest: Weighted,
    ) -> Stiffness {
        self.set_stiff(mass, by_velocity, stiff);
        self.stabilized.copy_from_slice(&self.matrix.values);
        for (x, r) in self.matrix.values.iter_mut().zip(&rest.1.values) {
            *x -= rest.0 * r;
        }
        let exact = self.factors.prove_definite(&self.matrix);
        if !exact {
            self.matrix.values.copy_from_slice(&self.stabilized);
        }
        if !self.factors.factor(&self.matrix) {
            Stiffness::Singular
        } else if exact {
            Stiffness::Exact
        } else {
            Stiffness::Stabilized
        }
    }

    /// Factors `diag(mass) - by_velocity - stiff`; false if that is singular.
    pub fn factor_stiff(&mut self, mass: &[f64], by_velocity: Weighted, stiff: Weighted) -> bool {
        self.set_stiff(mass, by_velocity, stiff);
        self.factors.factor(&self.matrix)
    }

    fn set_stiff(&mut self, mass: &[f64], by_velocity: Weighted, stiff: Weighted) {
        self.is_diagonal = false;
        self.n_factored += 1;
        let derivatives = by_velocity.1.values.iter().zip(&stiff.1.values);
        for (x, (v, q)) in self.matrix.values.iter_mut().zip(derivatives) {
            *x = -by_velocity.0 * v - stiff.0 * q;
        }
        for (i, m) in mass.iter().enumerate() {
            *self.matrix.entry(i, i) += m;
        }
    }

    /// Multiplies a vector by the inverse.
    #[inline]
    pub fn divide(&mut self, x: &mut [f64]) {
        if self.is_diagonal {
            x.iter_mut().zip(&self.diagonal).for_each(|(x, m)| *x /= m);
        } else {
            self.factors.divide(&self.matrix.layout, x);
        }
    }
}

impl Default for Factors {
    fn default() -> Self {
        Self::Dense {
            factors: Vec::new(),
            pivots: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Factors {
    fn factor(&mut self, matrix: &BlockMatrix) -> bool {
        match self {
            Self::Dense {
                factors, pivots, ..
            } => {
                factors.copy_from_slice(&matrix.values);
                lu_factor(matrix.layout.n(), factors, pivots)
            }
            Self::Plane(blocks) => blocks.factor(matrix),
            Self::Space(blocks) => blocks.factor(matrix),
        }
    }

    fn prove_definite(&mut self, matrix: &BlockMatrix) -> bool {
        match self {
            Self::Dense { scratch, .. } => {
                is_positive_definite(matrix.layout.n(), &matrix.values, scratch)
            }
            Self::Plane(blocks) => blocks.prove_definite(matrix),
            Self::Space(blocks) => blocks.prove_definite(matrix),
        }
    }

    fn divide(&mut self, layout: &Layout, x: &mut [f64]) {
        match self {
            Self::Dense {
                factors, pivots, ..
            } => lu_solve(x.len(), factors, pivots, x),
            Self::Plane(blocks) => blocks.divide(layout, x),
            Self::Space(blocks) => blocks.divide(layout, x),
        }
    }
}

impl<const N: usize> Blocks<N> {
    fn new(layout: &Layout) -> Self {
        let mut blocks = Self::default();
        let n = layout.spans().len();
        blocks.pattern.analyse(n, layout.pairs());
        blocks.x.resize(n, [0.0; N]);
        blocks
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> bool {
        self.factor.clear(&self.pattern);
        fill(&mut self.factor, &self.pattern, matrix);
        self.factor.factorise(&self.pattern)
    }

    // is the symmetric part positive definite? By the pivots of its elimination
    fn prove_definite(&mut self, matrix: &BlockMatrix) -> bool {
        self.factor.clear(&self.pattern);
        fill(&mut self.factor, &self.pattern, matrix);
        self.factor.symmetrise();
        self.factor.is_positive_definite(&self.pattern)
    }

    fn divide(&mut self, layout: &Layout, x: &mut [f64]) {
        for (block, span) in self.x.iter_mut().zip(layout.spans()) {
            *block = [0.0; N];
            block[..span.len].copy_from_slice(&x[span.first..span.first + span.len]);
        }
        self.factor.solve(&self.pattern, &mut self.x);
        for (block, span) in self.x.iter().zip(layout.spans()) {
            x[span.first..span.first + span.len].copy_from_slice(&block[..span.len]);
        }
    }
}

/// Puts a matrix into cleared blocks; the pairs of the pattern begin with those of its layout. Velocities that a body does not have keep a
/// unit on the diagonal.
pub(super) fn fill<const N: usize>(
    factor: &mut Factor<N>,
    pattern: &Pattern,
    matrix: &BlockMatrix,
) {
    let layout = &matrix.layout;
    for body in 0..layout.spans().len() {
        let own = factor.own(pattern, body as u32);
        for (row, values) in own.iter_mut().zip(matrix.block(body, body)) {
            row[..values.len()].copy_from_slice(values);
        }
    }
    for (k, [a, b]) in layout.pairs().iter().enumerate() {
        let (a, b) = (*a as usize, *b as usize);
        let (upper, lower) = factor.shared(pattern, k);
        for (row, values) in upper.iter_mut().zip(matrix.block(a, b)) {
            row[..values.len()].copy_from_slice(values);
        }
        for (row, values) in lower.iter_mut().zip(matrix.block(b, a)) {
            row[..values.len()].copy_from_slice(values);
        }
    }
}
