//! Masses of an island, rows divided by them, and what residuals are relative to.

use super::contact::ScaledRow;
use crate::contact::body_blocks::factor::{Cell, Six};
use crate::contact::body_blocks::scaled::root;
use crate::contact::body_blocks::{FREEDOMS, GROUND, Island, Problem, Row};
use crate::contact::scaling::larger;
use crate::math::positive;
use crate::math::two::{Twelvefold, paired};

/// `L` of a body: its diagonal; where there is more, all of it.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    pub diagonal: Six,
    /// Among the full ones.
    pub full: Option<u32>,
}

/// `L` of all bodies.
#[derive(Debug, Default)]
pub struct Masses {
    pub roots: Vec<Root>,
    pub full_roots: Vec<Cell>,
    /// Index within the island of each body of the problem; those of other islands are stale.
    pub local: Vec<u32>,
}

impl Masses {
    pub fn set(&mut self, problem: &Problem, island: &Island) {
        if self.local.len() < problem.bodies.len() {
            self.local.resize(problem.bodies.len(), 0);
        }
        self.roots.clear();
        self.full_roots.clear();
        for (k, &b) in island.bodies.iter().enumerate() {
            self.local[b as usize] = k as u32;
            let inverse_mass = &problem.bodies[b as usize].inverse_mass;
            let mut of_body = Root {
                diagonal: std::array::from_fn(|k| positive(inverse_mass[k][k]).sqrt()),
                full: None,
            };
            if !is_diagonal(inverse_mass) {
                let (all, _) = root(inverse_mass);
                of_body.diagonal = std::array::from_fn(|k| all[k][k]);
                of_body.full = Some(self.full_roots.len() as u32);
                self.full_roots.push(all);
            }
            self.roots.push(of_body);
        }
    }

    pub fn local_pair(&self, bodies: [u32; 2]) -> [u32; 2] {
        bodies.map(|b| {
            if b == GROUND {
                self.roots.len() as u32
            } else {
                self.local[b as usize]
            }
        })
    }

    /// A row of `J`, its `q` and its guess.
    #[inline]
    pub fn scaled_row(
        &self,
        problem: &Problem,
        bodies: [u32; 2],
        local: [u32; 2],
        row: &Row,
        r: f64,
    ) -> ScaledRow {
        let mut line = Twelvefold::default();
        let mut q = row.bias;
        let mut products = row.bias.abs();
        for side in 0..2 {
            if bodies[side] == GROUND {
                continue;
            }
            let g = paired(&row.entries[side]);
            let v = paired(&problem.bodies[bodies[side] as usize].velocity);
            let root = &self.roots[local[side] as usize];
            let l = paired(&root.diagonal);
            let terms = [g[0] * v[0], g[1] * v[1], g[2] * v[2]];
            q += (terms[0] + terms[1] + terms[2]).sum();
            products += (terms[0].abs() + terms[1].abs() + terms[2].abs()).sum();
            line[side] = [g[0] * l[0], g[1] * l[1], g[2] * l[2]];
            if let Some(full) = root.full {
                let l = &self.full_roots[full as usize];
                let g = &row.entries[side];
                let of = |k: usize| (k..FREEDOMS).map(|i| g[i] * l[i][k]).sum();
                line[side] = paired(&std::array::from_fn(of));
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

/// What residuals are relative to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// `|q'|`.
    pub free: f64,
    /// The same of the products that `q` is the sum of.
    pub products: f64,
}

impl Size {
    /// Counts rows in, and gives their scale.
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

fn is_diagonal(block: &Cell) -> bool {
    let beside = |k: usize| block[k][..k].iter().chain(&block[k][k + 1..]);
    (0..FREEDOMS).all(|k| beside(k).all(|x| *x == 0.0))
}
