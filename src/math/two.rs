//! Two numbers at a time, which is what the processors of most machines work on. All operations are those of the single
//! numbers, so the bits are the same everywhere.

use std::fmt;
use std::ops::{Add, AddAssign, Mul};

/// Two numbers side by side.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub struct Two([f64; 2]);

impl Two {
    /// From its numbers.
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

    /// Its numbers.
    #[inline(always)]
    #[must_use]
    pub fn numbers(self) -> [f64; 2] {
        self.0
    }

    /// Without their signs.
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }

    /// Their sum.
    #[inline(always)]
    #[must_use]
    pub fn sum(self) -> f64 {
        let [x, y] = self.numbers();
        x + y
    }
}

impl Add for Two {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl Mul for Two {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

impl AddAssign for Two {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Default for Two {
    #[inline(always)]
    fn default() -> Self {
        Self::both(0.0)
    }
}

/// Six numbers.
pub type Sixfold = [Two; 3];

/// Six numbers of one thing and six of another.
pub type Twelvefold = [Sixfold; 2];

/// Six numbers in pairs.
#[inline(always)]
#[must_use]
pub fn paired(x: &[f64; 6]) -> Sixfold {
    [
        Two::new(x[0], x[1]),
        Two::new(x[2], x[3]),
        Two::new(x[4], x[5]),
    ]
}

/// And back.
#[inline(always)]
#[must_use]
pub fn single(x: &Sixfold) -> [f64; 6] {
    let [[a, b], [c, d], [e, f]] = x.map(Two::numbers);
    [a, b, c, d, e, f]
}

/// Scalar product.
#[inline(always)]
#[must_use]
pub fn dot(x: &Twelvefold, y: &Twelvefold) -> f64 {
    let of = |i: usize| x[i][0] * y[i][0] + x[i][1] * y[i][1] + x[i][2] * y[i][2];
    (of(0) + of(1)).sum()
}

/// `x += factor y`.
#[inline(always)]
pub fn add_multiple(x: &mut Twelvefold, factor: f64, y: &Twelvefold) {
    let factor = Two::both(factor);
    for (x, y) in x.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        *x += *y * factor;
    }
}

impl fmt::Debug for Two {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.numbers().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_multiples_of_twelve() {
        let six = |from: f64| paired(&std::array::from_fn(|k| from + k as f64));
        let (mut x, y) = ([six(1.0), six(7.0)], [six(0.0), six(-3.0)]);
        // sums of (k + 1) k and of (k + 7) (k - 3)
        assert_eq!(dot(&x, &y), 70.0 - 11.0);
        add_multiple(&mut x, 2.0, &y);
        assert_eq!(single(&x[1]), [1.0, 4.0, 7.0, 10.0, 13.0, 16.0]);
    }

    #[test]
    fn pairs_have_the_bits_of_single_numbers() {
        let (a, b, c, d) = (0.1, -3e300, 7.0 / 3.0, 1e-310);
        let (x, y) = (Two::new(a, b), Two::new(c, d));
        assert_eq!((x + y).numbers(), [a + c, b + d]);
        assert_eq!((x * y).numbers(), [a * c, b * d]);
        assert_eq!(x.sum(), a + b);
        assert_eq!(x.abs().numbers(), [a, -b]);
        let mut z = Two::both(a);
        z += y;
        assert_eq!(z.numbers(), [a + c, a + d]);
        assert_eq!(Two::default().numbers(), [0.0; 2]);
        let row = [x, y, z];
        assert_eq!(
            paired(&single(&row)).map(Two::numbers),
            row.map(Two::numbers)
        );
        assert_eq!(format!("{:?}", Two::new(1.0, 2.0)), "[1.0, 2.0]");
    }
}
