//! Dual numbers for forward-mode differentiation: geometry written once for [`Real`] gives its value for `f64`, and for
//! [`Dual`] the exact rate of change needed at acceleration level.
//!
//! (1)  (a + a' e)(b + b' e) = ab + (a'b + ab') e,   e^2 = 0

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// Scalar type of the geometry.
pub trait Real:
    nalgebra::Scalar
    + Copy
    + num_traits::Zero
    + num_traits::One
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// A constant.
    fn constant(value: f64) -> Self;
    /// The value without its derivative; the only input of decisions.
    fn value(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// A function of this number with the given value and slope.
    fn with_slope(self, value: f64, slope: f64) -> Self;
}

impl Real for f64 {
    fn constant(value: f64) -> Self {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn with_slope(self, value: f64, _slope: f64) -> Self {
        value
    }
}

/// Value and rate of change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// Value.
    pub value: f64,
    /// Rate of change.
    pub rate: f64,
}

impl Dual {
    /// Value and rate.
    pub fn new(value: f64, rate: f64) -> Self {
        Self { value, rate }
    }
}

impl Real for Dual {
    fn constant(value: f64) -> Self {
        Self { value, rate: 0.0 }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        Self::new(root, 0.5 * self.rate / root)
    }
    fn with_slope(self, value: f64, slope: f64) -> Self {
        Self::new(value, slope * self.rate)
    }
}

/// Angle of the point (x, y), in (-pi, pi]; x and y not both zero.
///
/// (2)  its derivative is that of (x0 y - y0 x) / (x0^2 + y0^2), with x0 and y0 the current values
pub fn atan2<T: Real>(y: T, x: T) -> T {
    let (y0, x0) = (y.value(), x.value());
    let angle = libm::atan2(y0, x0);
    let angle = if angle <= -std::f64::consts::PI {
        std::f64::consts::PI // for y0 = -0.0
    } else {
        angle
    };
    let change = (y * T::constant(x0) - x * T::constant(y0)) / T::constant(x0 * x0 + y0 * y0);
    change.with_slope(angle, 1.0)
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.value + o.value, self.rate + o.rate)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.value - o.value, self.rate - o.rate)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        // (1)
        Self::new(
            self.value * o.value,
            self.rate * o.value + self.value * o.rate,
        )
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let quotient = self.value / o.value;
        Self::new(quotient, (self.rate - quotient * o.rate) / o.value)
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, -self.rate)
    }
}

impl AddAssign for Dual {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl SubAssign for Dual {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl MulAssign for Dual {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl DivAssign for Dual {
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

impl num_traits::Zero for Dual {
    fn zero() -> Self {
        Self::constant(0.0)
    }
    fn is_zero(&self) -> bool {
        self.value == 0.0 && self.rate == 0.0
    }
}

impl num_traits::One for Dual {
    fn one() -> Self {
        Self::constant(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_a_rational_function_with_a_root_agree_with_calculus() {
        // f = sqrt(x^2 + 1) / x at x = 2:  f' = 1/sqrt(x^2+1) - sqrt(x^2+1)/x^2
        let x = Dual::new(2.0, 1.0);
        let f = (x * x + Dual::constant(1.0)).sqrt() / x;
        let s = 5.0_f64.sqrt();
        assert!((f.value - s / 2.0).abs() < 1e-15);
        assert!((f.rate - (1.0 / s - s / 4.0)).abs() < 1e-15);
    }

    #[test]
    fn an_angle_goes_around_with_its_rate() {
        for k in -20..=20 {
            let angle = 0.15 * f64::from(k);
            let (sin, cos) = libm::sincos(angle);
            let (x, y) = (
                Dual::new(2.0 * cos, -2.0 * sin),
                Dual::new(2.0 * sin, 2.0 * cos),
            );
            let found = atan2(y, x);
            assert!((found.value - angle).abs() < 1e-15 && (found.rate - 1.0).abs() < 1e-15);
        }
        assert_eq!(atan2(-0.0, -1.0), std::f64::consts::PI);
    }
}
