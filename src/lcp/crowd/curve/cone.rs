//! A friction block on the curve: (1) to (3) of [`super`], their derivatives.

use crate::lcp::crowd::interior::{Point, length};

/// A block with friction, or a contact without any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cone {
    /// Its contact.
    pub contact: usize,
    pub normal: usize,
    /// First row of the block.
    pub first: usize,
    pub tangents: usize,
    pub friction: f64,
    /// `z`.
    pub z: Point,
    pub x: Point,
    pub y: Point,
    /// Change of `x` with `ln nu`, which is the one of `y`, for a `z` that stays.
    pub by_level: Point,
    /// `T`.
    pub hardness: [Point; 3],
    /// `D r - x`.
    pub off: Point,
    /// Newton's change of `z`, and the one along the curve.
    pub dz: Point,
    pub along: Point,
    /// The direction that a step goes.
    pub tangent: Point,
}

impl Cone {
    /// `D r`.
    pub fn of(&self, r: &[f64]) -> Point {
        let mut x = [self.friction * r[self.normal], 0.0, 0.0];
        x[1..1 + self.tangents].copy_from_slice(&r[self.first..self.first + self.tangents]);
        x
    }

    /// Rows of the block.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.tangents
    }

    /// (2), and what it is off by.
    #[cfg_attr(small, optimize(size))]
    pub fn place(&mut self, nu: f64, r: &[f64]) {
        let ([l1, l2], n) = self.spectrum();
        let ([g1, h1], [g2, h2]) = (halves(l1, nu), halves(l2, nu));
        self.x = self.assemble([g1, g2], n);
        self.y = self.assemble([h1, h2], n);
        let wanted = self.of(r);
        for i in 0..=self.tangents {
            self.off[i] = wanted[i] - self.x[i];
        }
    }

    /// (3), and the derivatives with `ln nu` of a contact that takes this share in it.
    #[cfg_attr(small, optimize(size))]
    pub fn differentiate(&mut self, nu: f64, share: f64) {
        let ([l1, l2], n) = self.spectrum();
        let ([g1, h1], [g2, h2]) = (halves(l1, nu), halves(l2, nu));
        let (s1, s2) = (g1 + h1, g2 + h2);
        self.by_level = self.assemble([share * nu / s1, share * nu / s2], n);
        let (t1, t2) = (h1 / g1, h2 / g2);
        if self.tangents == 0 {
            self.hardness[0][0] = t1;
            return;
        }
        let ratio = (l1 + l2) / (s1 + s2);
        let across = (1.0 - ratio) / (1.0 + ratio);
        let (mean, half) = (0.5 * (t1 + t2), 0.5 * (t2 - t1));
        self.hardness[0] = [mean, half * n[0], half * n[1]];
        for i in 0..self.tangents {
            self.hardness[1 + i][0] = half * n[i];
            for j in 0..self.tangents {
                self.hardness[1 + i][1 + j] = (mean - across) * n[i] * n[j];
            }
            self.hardness[1 + i][1 + i] += across;
        }
    }

    /// `T v`.
    #[cfg_attr(small, optimize(size))]
    pub fn harden(&self, v: &Point) -> Point {
        let mut product = [0.0; 3];
        for i in 0..=self.tangents {
            for j in 0..=self.tangents {
                product[i] += self.hardness[i][j] * v[j];
            }
        }
        product
    }

    /// `dz` for the impulses' change `dr`.
    #[cfg_attr(small, optimize(size))]
    pub fn change(&mut self, dr: &[f64]) {
        let mut dx = self.of(dr);
        for i in 0..3 {
            dx[i] += self.off[i];
        }
        let hard = self.harden(&dx);
        for i in 0..=self.tangents {
            self.dz[i] = dx[i] + hard[i];
        }
    }

    /// `along` for the impulses' change along the curve.
    #[cfg_attr(small, optimize(size))]
    pub fn change_along(&mut self, dr: &[f64]) {
        let dx = self.of(dr);
        let mut own = [0.0; 3];
        for i in 0..3 {
            own[i] = dx[i] - self.by_level[i];
        }
        let hard = self.harden(&own);
        for i in 0..=self.tangents {
            self.along[i] = own[i] + hard[i];
        }
    }

    /// Eigenvalues of `z`, and its direction across.
    fn spectrum(&self) -> ([f64; 2], [f64; 2]) {
        if self.tangents == 0 {
            return ([self.z[0]; 2], [0.0; 2]);
        }
        let across = length(&self.z[1..]);
        let n = if across > 0.0 {
            [self.z[1] / across, self.z[2] / across]
        } else {
            [1.0, 0.0]
        };
        ([self.z[0] - across, self.z[0] + across], n)
    }

    /// The point with these eigenvalues.
    fn assemble(&self, [one, two]: [f64; 2], n: [f64; 2]) -> Point {
        let (mean, half) = (0.5 * (one + two), 0.5 * (two - one));
        [mean, half * n[0], half * n[1]]
    }
}

/// `g` of (2) for an eigenvalue and for its negative: their product is `nu`.
fn halves(eigenvalue: f64, nu: f64) -> [f64; 2] {
    let root = (eigenvalue * eigenvalue + 4.0 * nu).sqrt();
    if eigenvalue >= 0.0 {
        let g = 0.5 * (root + eigenvalue);
        [g, nu / g]
    } else {
        let h = 0.5 * (root - eigenvalue);
        [nu / h, h]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_points_are_inside_and_their_product_is_nu() {
        let nu = 0.01;
        for z in [[0.3, 0.2, -0.1], [-2.0, 0.5, 0.0], [0.1, 3.0, -4.0]] {
            let mut cone = Cone {
                tangents: 2,
                friction: 1.0,
                first: 1,
                z,
                ..Cone::default()
            };
            cone.place(nu, &[0.0; 3]);
            let (x, y) = (cone.x, cone.y);
            assert!(x[0] > length(&x[1..]) && y[0] > length(&y[1..]));
            let product = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
            // the products of the third point are a thousand times nu
            assert!((product - nu).abs() < 1e-14, "{product}");
            for i in 0..2 {
                let across = x[0] * y[1 + i] + y[0] * x[1 + i];
                assert!(across.abs() < 1e-14, "{across}");
            }
        }
    }

    #[test]
    fn derivatives_are_differences() {
        let (nu, share, step) = (0.02, 0.7, 1e-6);
        let base = Cone {
            tangents: 2,
            friction: 1.0,
            first: 1,
            z: [0.3, 0.4, -0.2],
            ..Cone::default()
        };
        let at = |z: Point, nu: f64| {
            let mut cone = Cone { z, ..base };
            cone.place(nu, &[0.0; 3]);
            (cone.x, cone.y)
        };
        let mut cone = base;
        cone.differentiate(nu, share);
        for i in 0..3 {
            let mut z = base.z;
            z[i] += step;
            let (x, y) = at(z, nu);
            let (x0, y0) = at(base.z, nu);
            let dx = [0, 1, 2].map(|k| (x[k] - x0[k]) / step);
            let dy = [0, 1, 2].map(|k| (y[k] - y0[k]) / step);
            let hard = cone.harden(&dx);
            for k in 0..3 {
                assert!((dy[k] + hard[k]).abs() < 1e-5, "{dy:?} {hard:?}");
            }
        }
        let (x, y) = at(base.z, nu * libm::exp(share * step));
        let (x0, y0) = at(base.z, nu);
        for k in 0..3 {
            assert!(((x[k] - x0[k]) / step - cone.by_level[k]).abs() < 1e-6);
            assert!(((y[k] - y0[k]) / step - cone.by_level[k]).abs() < 1e-6);
        }
    }
}
