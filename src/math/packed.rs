//! Pairs of numbers, in a form that compilers map to SIMD registers. All operations are those of the single numbers, so
//! the bits are the same on every platform.

use std::fmt;
use std::ops::{Add, AddAssign, Mul};

/// A pair of numbers.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub struct F64x2([f64; 2]);

impl F64x2 {
    /// A pair from its components.
    #[inline(always)]
    #[must_use]
    pub fn new(first: f64, second: f64) -> Self {
        Self([first, second])
    }

    /// The same number twice.
    #[inline(always)]
    #[must_use]
    pub fn both(x: f64) -> Self {
        Self([x; 2])
    }

    /// The components.
    #[inline(always)]
    #[must_use]
    pub fn numbers(self) -> [f64; 2] {
        self.0
    }

    /// Absolute values.
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }

    /// Sum of both.
    #[inline(always)]
    #[must_use]
    pub fn sum(self) -> f64 {
        let [x, y] = self.numbers();
        x + y
    }
}

impl Add for F64x2 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl Mul for F64x2 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

impl AddAssign for F64x2 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Default for F64x2 {
    #[inline(always)]
    fn default() -> Self {
        Self::both(0.0)
    }
}

/// Six numbers in pairs.
pub type Packed6 = [F64x2; 3];

/// Six numbers of each of two bodies.
pub type Packed12 = [Packed6; 2];

/// Packs six numbers into pairs.
#[inline(always)]
#[must_use]
pub fn pack(x: &[f64; 6]) -> Packed6 {
    [
        F64x2::new(x[0], x[1]),
        F64x2::new(x[2], x[3]),
        F64x2::new(x[4], x[5]),
    ]
}

/// The inverse of [`pack`].
#[inline(always)]
#[must_use]
pub fn unpack(x: &Packed6) -> [f64; 6] {
    let [[a, b], [c, d], [e, f]] = x.map(F64x2::numbers);
    [a, b, c, d, e, f]
}

/// Scalar product.
#[inline(always)]
#[must_use]
pub fn dot(x: &Packed12, y: &Packed12) -> f64 {
    let of = |i: usize| x[i][0] * y[i][0] + x[i][1] * y[i][1] + x[i][2] * y[i][2];
    (of(0) + of(1)).sum()
}

/// `x += factor y`.
#[inline(always)]
pub fn add_multiple(x: &mut Packed12, factor: f64, y: &Packed12) {
    let factor = F64x2::both(factor);
    for (x, y) in x.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        *x += *y * factor;
    }
}

impl fmt::Debug for F64x2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.numbers().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_multiples_of_twelve() {
        let six = |from: f64| pack(&std::array::from_fn(|k| from + k as f64));
        let (mut x, y) = ([six(1.0), six(7.0)], [six(0.0), six(-3.0)]);
        // sums of (k + 1) k and of (k + 7) (k - 3)
        assert_eq!(dot(&x, &y), 70.0 - 11.0);
        add_multiple(&mut x, 2.0, &y);
        assert_eq!(unpack(&x[1]), [1.0, 4.0, 7.0, 10.0, 13.0, 16.0]);
    }

    #[test]
    fn pairs_have_the_bits_of_single_numbers() {
        let (a, b, c, d) = (0.1, -3e300, 7.0 / 3.0, 1e-310);
        let (x, y) = (F64x2::new(a, b), F64x2::new(c, d));
        assert_eq!((x + y).numbers(), [a + c, b + d]);
        assert_eq!((x * y).numbers(), [a * c, b * d]);
        assert_eq!(x.sum(), a + b);
        assert_eq!(x.abs().numbers(), [a, -b]);
        let mut z = F64x2::both(a);
        z += y;
        assert_eq!(z.numbers(), [a + c, a + d]);
        assert_eq!(F64x2::default().numbers(), [0.0; 2]);
        let row = [x, y, z];
        assert_eq!(
            pack(&unpack(&row)).map(F64x2::numbers),
            row.map(F64x2::numbers)
        );
        assert_eq!(format!("{:?}", F64x2::new(1.0, 2.0)), "[1.0, 2.0]");
    }
}
