//! Position-level projected Gauss-Seidel: closes overlaps with a bounded number of sweeps over near contacts.
//!
//! ```text
//! (1)  M^-1 = L L,   d = L w,   J = G_n L,   w = J^T s,    0 <= gap + J w | s >= 0
//! (2)  s <- max(0, s - o (gap + J w) / (J J^T))            o: relaxation
//! ```

use super::Six;
use crate::contact::body_blocks::GROUND;
use crate::kinds::space;
use crate::math::packed::{Packed6, Packed12, add_multiple, dot, pack, unpack};
use crate::math::positive;
use crate::model::Model;

/// Maximum number of sweeps; the rest is left to the next iteration of position stabilization.
const SWEEPS: u32 = 40;

/// Over-relaxation factor, which reduces the number of sweeps.
const RELAXATION: f64 = 1.3;

/// A near contact.
#[derive(Clone, Copy, Debug)]
struct NearContact {
    row: Packed12,
    gap: f64,
    /// `o / (J J^T)`.
    inverse: f64,
    s: f64,
    /// The ground is the last index.
    bodies: [u32; 2],
}

/// The near contacts, and workspace.
#[derive(Debug, Default)]
pub(super) struct PositionGaussSeidel {
    list: Vec<NearContact>,
    /// `L`.
    roots: Vec<Packed6>,
    w: Vec<Packed6>,
}

impl PositionGaussSeidel {
    /// Removes all contacts.
    pub fn clear(&mut self, model: &Model) {
        self.list.clear();
        if self.roots.len() > model.bodies.len() {
            return;
        }
        // masses are constant
        self.roots.clear();
        self.roots.extend(model.bodies.iter().map(|body| {
            let mut root = [0.0; 6];
            for k in 0..body.n_dof {
                root[k] = 1.0 / model.mass[body.first + k].sqrt();
            }
            pack(&root)
        }));
        self.roots.push(Packed6::default());
    }

    /// Adds a contact with its normal row.
    pub fn add(&mut self, bodies: [u32; 2], gradient: &space::Row, gap: f64) {
        let ground = self.roots.len() - 1;
        let bodies = bodies.map(|b| if b == GROUND { ground as u32 } else { b });
        let of_side = |g: &Six, b: u32| {
            let (g, l) = (pack(g), self.roots[b as usize]);
            [g[0] * l[0], g[1] * l[1], g[2] * l[2]]
        };
        let row = [
            of_side(&gradient.a, bodies[0]),
            of_side(&gradient.b, bodies[1]),
        ];
        let response = dot(&row, &row);
        self.list.push(NearContact {
            row,
            gap,
            inverse: if response > 0.0 {
                RELAXATION / response
            } else {
                0.0
            },
            s: 0.0,
            bodies,
        });
    }

    /// (1) until changes are below `enough`, m, and the motion of each body.
    pub fn close(&mut self, enough: f64, shifts: &mut Vec<Six>) {
        self.w.clear();
        self.w.resize(self.roots.len(), Packed6::default());
        for _ in 0..SWEEPS {
            if self.sweep() <= enough {
                break;
            }
        }
        shifts.clear();
        let both = self.w.iter().zip(&self.roots);
        let of_bodies = both.take(self.roots.len() - 1);
        shifts.extend(of_bodies.map(|(w, l)| unpack(&[w[0] * l[0], w[1] * l[1], w[2] * l[2]])));
    }

    // (2): the largest gap change, m
    fn sweep(&mut self) -> f64 {
        let mut worst = 0.0;
        let all = &mut self.w[..];
        for contact in &mut self.list {
            let [a, b] = contact.bodies.map(|b| b as usize);
            let mut w = [all[a], all[b]];
            let gap = contact.gap + dot(&contact.row, &w);
            let new = positive(contact.s - gap * contact.inverse);
            let change = new - contact.s;
            if change == 0.0 {
                continue;
            }
            contact.s = new;
            if gap.abs() > worst {
                worst = gap.abs();
            }
            add_multiple(&mut w, change, &contact.row);
            [all[a], all[b]] = w;
        }
        worst
    }

    /// Pairs of bodies that are pushed apart.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let ground = self.roots.len() as u32 - 1;
        let pushed = self.list.iter().filter(|contact| contact.s > 0.0);
        pushed.map(move |contact| contact.bodies.map(|b| if b == ground { GROUND } else { b }))
    }
}
