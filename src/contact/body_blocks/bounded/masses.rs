//! Masses of an island, mass-scaled rows, and the reference size of residuals.

use super::contact::ScaledRow;
use crate::contact::block_lu::{Mat6, Vec6};
use crate::contact::body_blocks::scaled::cholesky;
use crate::contact::body_blocks::{DOFS, GROUND, Island, Problem, Row};
use crate::math::larger;
use crate::math::packed::{Packed12, pack};
use crate::math::positive;

/// Cholesky factor `L` of a body: the diagonal, and an index into the full factors if there is more.
#[derive(Clone, Copy, Debug)]
pub struct CholeskyFactor {
    pub diagonal: Vec6,
    /// Index into the full factors.
    pub full: Option<u32>,
}

/// `L` of all bodies.
#[derive(Debug, Default)]
pub struct Masses {
    pub factors: Vec<CholeskyFactor>,
    pub full_factors: Vec<Mat6>,
    /// Index within the island of each body of the problem; entries of other islands are stale.
    pub local: Vec<u32>,
}

impl Masses {
    pub fn set(&mut self, problem: &Problem, island: &Island) {
        if self.local.len() < problem.bodies.len() {
            self.local.resize(problem.bodies.len(), 0);
        }
        self.factors.clear();
        self.full_factors.clear();
        for (k, &b) in island.bodies.iter().enumerate() {
            self.local[b as usize] = k as u32;
            let inverse_mass = &problem.bodies[b as usize].inverse_mass;
            let mut of_body = CholeskyFactor {
                diagonal: std::array::from_fn(|k| positive(inverse_mass[k][k]).sqrt()),
                full: None,
            };
            if !is_diagonal(inverse_mass) {
                let (all, _) = cholesky(inverse_mass);
                of_body.diagonal = std::array::from_fn(|k| all[k][k]);
                of_body.full = Some(self.full_factors.len() as u32);
                self.full_factors.push(all);
            }
            self.factors.push(of_body);
        }
    }

    pub fn local_pair(&self, bodies: [u32; 2]) -> [u32; 2] {
        bodies.map(|b| {
            if b == GROUND {
                self.factors.len() as u32
            } else {
                self.local[b as usize]
            }
        })
    }

    /// A row of `J` with its `q` and initial impulse.
    #[inline]
    pub fn scaled_row(
        &self,
        problem: &Problem,
        bodies: [u32; 2],
        local: [u32; 2],
        row: &Row,
        r: f64,
    ) -> ScaledRow {
        let mut line = Packed12::default();
        let mut q = row.bias;
        let mut products = row.bias.abs();
        for side in 0..2 {
            if bodies[side] == GROUND {
                continue;
            }
            let g = pack(&row.entries[side]);
            let v = pack(&problem.bodies[bodies[side] as usize].velocity);
            let root = &self.factors[local[side] as usize];
            let l = pack(&root.diagonal);
            let terms = [g[0] * v[0], g[1] * v[1], g[2] * v[2]];
            q += (terms[0] + terms[1] + terms[2]).sum();
            products += (terms[0].abs() + terms[1].abs() + terms[2].abs()).sum();
            line[side] = [g[0] * l[0], g[1] * l[1], g[2] * l[2]];
            if let Some(full) = root.full {
                let l = &self.full_factors[full as usize];
                let g = &row.entries[side];
                let of = |k: usize| (k..DOFS).map(|i| g[i] * l[i][k]).sum();
                line[side] = pack(&std::array::from_fn(of));
            }
        }
        ScaledRow {
            row: line,
            free: q,
            compliance: row.compliance,
            r,
            products,
        }
    }
}

/// Reference size of residuals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// `|q'|`.
    pub free: f64,
    /// The same for the products that `q` is the sum of.
    pub products: f64,
}

impl Size {
    /// Includes rows, and returns their scale factor.
    pub fn count(&mut self, free: &[f64], products: f64, diagonal: f64) -> f64 {
        let scale = if diagonal > 0.0 {
            1.0 / diagonal.sqrt()
        } else {
            1.0
        };
        for q in free {
            self.free = larger(self.free, q.abs() * scale);
        }
        self.products = larger(self.products, products * scale);
        scale
    }
}

fn is_diagonal(block: &Mat6) -> bool {
    let beside = |k: usize| block[k][..k].iter().chain(&block[k][k + 1..]);
    (0..DOFS).all(|k| beside(k).all(|x| *x == 0.0))
}
