//! Newton's corrections of a point, and the direction of the curve: (4) to (6) of [`super`].

use super::{Curve, ROUND};
use crate::lcp::cone::scaled::ContactRows;
use crate::lcp::crowd::interior::{factorise, softness};
use crate::lcp::crowd::newton::{MOST_ROWS, Newton};
use crate::lcp::crowd::scaled::Scaled;
use crate::lcp::order::Pattern;
use crate::math::dense;

impl Curve {
    /// (6): laws, corrections and the direction of the curve at the present point; `false` if it has none.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn linearise(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
    ) -> bool {
        self.look(scaled);
        for cone in &mut self.now.cones {
            let level = &self.now.levels[cone.contact];
            cone.differentiate(libm::exp(level.log), level.share);
        }
        newton.resize(self.now.r.len());
        let mut first = 0;
        for (k, contact) in scaled.contacts.iter().enumerate() {
            let count = count(&self.now.cones[first..], k);
            if !self.linearise_contact(newton, scaled, contact, first..first + count) {
                return false;
            }
            first += count;
        }
        for i in scaled.joint_rows() {
            newton.laws[i][0] = 1.0 / softness(scaled, i);
            newton.change[i] = -self.u[i] * newton.laws[i][0];
            self.forcing[i] = 0.0;
        }
        if !newton.solve_linearised(scaled, pattern) {
            return false;
        }
        self.dr.copy_from_slice(&newton.change);
        newton.change.copy_from_slice(&self.forcing);
        if !newton.solve_again(scaled, pattern) {
            return false;
        }
        self.now.along.copy_from_slice(&newton.change);
        for cone in &mut self.now.cones {
            cone.change(&self.dr);
            cone.change_along(&self.now.along);
        }
        true
    }

    /// Corrections at the present point, with the laws of the last linearisation.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn correct(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        pattern: &Pattern,
    ) -> bool {
        self.look(scaled);
        for cone in &self.now.cones {
            let hard = cone.harden(&cone.off);
            self.errors[cone.normal] -= cone.friction * hard[0];
            for (i, row) in cone.rows().enumerate() {
                self.errors[row] -= hard[1 + i];
            }
        }
        for member in &scaled.members[..scaled.contacts.len()] {
            for i in member.range() {
                let inverse = self.inverses[i].iter().zip(&self.errors[member.range()]);
                newton.change[i] = inverse.map(|(a, e)| a * e).sum();
            }
        }
        for i in scaled.joint_rows() {
            newton.change[i] = -self.u[i] * newton.laws[i][0];
        }
        if !newton.solve_again(scaled, pattern) {
            return false;
        }
        self.dr.copy_from_slice(&newton.change);
        for cone in &mut self.now.cones {
            cone.change(&self.dr);
        }
        true
    }

    /// Velocities, and what (4) is off by.
    #[cfg_attr(small, optimize(size))]
    pub(super) fn look(&mut self, scaled: &Scaled) {
        let now = &mut self.now;
        for cone in &mut now.cones {
            cone.place(libm::exp(now.levels[cone.contact].log), &now.r);
        }
        scaled.push_bodies(&now.r, &mut self.w);
        scaled.velocities(&now.r, &self.w, &mut self.u);
        for (error, u) in self.errors.iter_mut().zip(&self.u) {
            *error = -u;
        }
        for (level, member) in now.levels.iter().zip(&scaled.members) {
            let nu = libm::exp(level.log);
            for i in member.range() {
                self.errors[i] -= nu * nu * self.lift[i];
            }
        }
        for cone in &now.cones {
            let error = &mut self.errors[cone.normal];
            *error += cone.friction * cone.y[0];
            if cone.tangents > 0 {
                let round = ROUND * libm::exp(now.levels[cone.contact].log);
                *error -= cone.friction * speed(&self.u[cone.rows()], round);
            }
            for (i, row) in cone.rows().enumerate() {
                self.errors[row] += cone.y[1 + i];
            }
        }
    }

    #[cfg_attr(small, optimize(size))]
    fn linearise_contact(
        &mut self,
        newton: &mut Newton,
        scaled: &Scaled,
        contact: &ContactRows,
        cones: std::ops::Range<usize>,
    ) -> bool {
        let n = contact.normal;
        let rows = 1 + contact.blocks().iter().map(|b| b.rows).sum::<usize>();
        let mut matrix = [0.0; MOST_ROWS * MOST_ROWS];
        let (mut rhs, mut forcing) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
        // z_u is the unit matrix but for its first row
        let mut first_row = [0.0; MOST_ROWS];
        first_row[0] = 1.0;
        let level = &self.now.levels[self.now.cones[cones.start].contact];
        let (nu, share) = (libm::exp(level.log), level.share);
        rhs[..rows].copy_from_slice(&self.errors[n..n + rows]);
        for j in 0..rows {
            forcing[j] = -2.0 * share * nu * nu * self.lift[n + j];
        }
        for cone in &self.now.cones[cones] {
            let (t, mu, at) = (&cone.hardness, cone.friction, cone.first - n);
            let (off, forced) = (cone.harden(&cone.off), cone.harden(&cone.by_level));
            matrix[0] += mu * mu * t[0][0];
            rhs[0] -= mu * off[0];
            forcing[0] += mu * (forced[0] + cone.by_level[0]);
            if cone.tangents == 0 {
                continue;
            }
            let (slips, round) = (&self.u[cone.rows()], ROUND * nu);
            let slip = speed(slips, round);
            forcing[0] -= share * mu * round * round / slip;
            for i in 0..cone.tangents {
                first_row[at + i] = mu * slips[i] / slip;
                rhs[at + i] -= off[1 + i];
                forcing[at + i] += forced[1 + i] + cone.by_level[1 + i];
                matrix[at + i] = mu * t[0][1 + i];
                matrix[(at + i) * rows] = mu * t[0][1 + i];
                for j in 0..cone.tangents {
                    matrix[(at + i) * rows + at + j] = t[1 + i][1 + j];
                }
            }
        }
        let mut pivots = [0; MOST_ROWS];
        let matrix = &mut matrix[..rows * rows];
        if !factorise(scaled, contact, &first_row, matrix, &mut pivots) {
            return false;
        }
        for j in 0..rows {
            let mut column = [0.0; MOST_ROWS];
            column[j] = 1.0;
            dense::lu_solve(rows, matrix, &pivots, &mut column[..rows]);
            for i in 0..rows {
                self.inverses[n + i][j] = column[i];
            }
        }
        for i in 0..rows {
            let inverse = &self.inverses[n + i];
            let times = |v: &[f64; MOST_ROWS]| (0..rows).map(|j| inverse[j] * v[j]).sum::<f64>();
            newton.change[n + i] = times(&rhs);
            self.forcing[n + i] = times(&forcing);
            for j in 0..rows {
                let own = if j > 0 { inverse[j] } else { 0.0 };
                newton.laws[n + i][j] = own + inverse[0] * first_row[j];
            }
        }
        true
    }
}

/// Cones of a contact, at the start of the list.
fn count(cones: &[super::Cone], contact: usize) -> usize {
    cones.iter().take_while(|c| c.contact == contact).count()
}

/// `|u|`, without a corner.
fn speed(u: &[f64], round: f64) -> f64 {
    (u.iter().map(|u| u * u).sum::<f64>() + round * round).sqrt()
}
