//! Bracketed roots of scalar functions, and Hermite interpolation.

/// Brent's method: a root of `f` in `[a, b]` where `f(a)` and `f(b)` differ in sign, to `tolerance` in the argument.
/// Without a sign change the end with the smaller value is returned.
pub fn bracketed(f: impl FnMut(f64) -> f64, a: (f64, f64), b: (f64, f64), tolerance: f64) -> f64 {
    bracketed_or_zero(f, a, b, tolerance, 0.0)
}

/// The same, up to where the absolute value of `f` is at most `zero`, its rounding error.
pub fn bracketed_or_zero(
    mut f: impl FnMut(f64) -> f64,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    tolerance: f64,
    zero: f64,
) -> f64 {
    if fa.abs() < fb.abs() {
        (a, b) = (b, a);
        (fa, fb) = (fb, fa);
    }
    let (mut c, mut fc) = (a, fa);
    let mut last_step = (b - a).abs();
    for _ in 0..100 {
        if fb.abs() <= zero || (fa > 0.0) == (fb > 0.0) || (a - b).abs() <= tolerance {
            break;
        }
        // inverse quadratic through three points, secant through two
        let mut s = if fa != fc && fb != fc {
            a * fb * fc / ((fa - fb) * (fa - fc))
                + b * fa * fc / ((fb - fa) * (fb - fc))
                + c * fa * fb / ((fc - fa) * (fc - fb))
        } else {
            b - fb * (b - a) / (fb - fa)
        };
        let quarter = 0.75 * b + 0.25 * a;
        let inside = (s - quarter) * (s - b) < 0.0;
        if !inside || (s - b).abs() >= 0.5 * last_step || s.is_nan() {
            s = 0.5 * (a + b);
        }
        last_step = (b - c).abs();
        let fs = f(s);
        (c, fc) = (b, fb);
        if (fa > 0.0) == (fs > 0.0) {
            (a, fa) = (s, fs);
        } else {
            (b, fb) = (s, fs);
        }
        if fa.abs() < fb.abs() {
            (a, b) = (b, a);
            (fa, fb) = (fb, fa);
        }
    }
    b
}

/// Cubic Hermite interpolant over a step of length `h` at `t` in `[0, h]`: value and slope.
#[inline]
pub fn hermite(y0: f64, d0: f64, y1: f64, d1: f64, h: f64, t: f64) -> (f64, f64) {
    let s = t / h;
    let rest = 1.0 - s;
    let value = (1.0 + 2.0 * s) * rest * rest * y0
        + s * rest * rest * h * d0
        + s * s * (3.0 - 2.0 * s) * y1
        - s * s * rest * h * d1;
    let slope =
        6.0 * s * rest * (y1 - y0) / h + rest * (1.0 - 3.0 * s) * d0 + s * (3.0 * s - 2.0) * d1;
    (value, slope)
}

/// Quintic Hermite interpolant over a step of length `h` at `t` in `[0, h]`, from value, slope and curvature at both
/// ends. Returns value, slope and curvature.
pub fn quintic([y0, d0, c0]: [f64; 3], [y1, d1, c1]: [f64; 3], h: f64, t: f64) -> [f64; 3] {
    let s = t / h;
    let (v0, a0) = (h * d0, h * h * c0);
    let (v1, a1) = (h * d1, h * h * c1);
    let value = y1 - y0 - v0 - 0.5 * a0;
    let slope = v1 - v0 - a0;
    let curvature = a1 - a0;
    let p3 = 10.0 * value - 4.0 * slope + 0.5 * curvature;
    let p4 = -15.0 * value + 7.0 * slope - curvature;
    let p5 = 6.0 * value - 3.0 * slope + 0.5 * curvature;
    [
        y0 + s * (v0 + s * (0.5 * a0 + s * (p3 + s * (p4 + s * p5)))),
        (v0 + s * (a0 + s * (3.0 * p3 + s * (4.0 * p4 + s * 5.0 * p5)))) / h,
        (a0 + s * (6.0 * p3 + s * (12.0 * p4 + s * 20.0 * p5))) / (h * h),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brent_finds_a_root_to_rounding() {
        let f = |x: f64| x * x * x - 2.0;
        let root = bracketed(f, (0.0, f(0.0)), (2.0, f(2.0)), 1e-15);
        assert!((root * root * root - 2.0).abs() < 1e-14);
    }

    #[test]
    fn hermite_reproduces_a_cubic_and_its_slope() {
        let (f, d) = (|t: f64| t * t * t - t, |t: f64| 3.0 * t * t - 1.0);
        let (value, slope) = hermite(f(0.0), d(0.0), f(2.0), d(2.0), 2.0, 0.7);
        assert!((value - f(0.7)).abs() < 1e-14 && (slope - d(0.7)).abs() < 1e-14);
    }

    #[test]
    fn quintic_reproduces_a_polynomial_of_degree_five() {
        let f = |t: f64| t * t * t * t * t - 2.0 * t * t + 1.0;
        let d = |t: f64| 5.0 * t * t * t * t - 4.0 * t;
        let c = |t: f64| 20.0 * t * t * t - 4.0;
        let at = |t: f64| [f(t), d(t), c(t)];
        let found = quintic(at(0.0), at(2.0), 2.0, 0.7);
        let expected = at(0.7);
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}
