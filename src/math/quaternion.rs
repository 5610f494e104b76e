//! Unit quaternions (w, x, y, z) as rotations, and their rotation vectors.
//!
//! (1)  exp(r) = (cos(|r|/2), sin(|r|/2) r/|r|)
//! (2)  r = log(exp(r0) exp(d)) is continuous in d: among r + 2 pi k r/|r|, which represent the same rotation, the closest to r0
//! (3)  w = r' - (1 - cos a)/a^2 r x r' + (a - sin a)/a^3 r x (r x r'),  angular velocity in body axes of exp(r)
//! (4)  r' = w + 1/2 r x w + c r x (r x w),  c = 1/a^2 - (1 + cos a)/(2 a sin a),  a = |r|

use super::{Dual, Mat3, Real, Vec3, cross3, dot3};

/// A unit quaternion.
pub type Quaternion = [f64; 4];

/// Identity rotation.
pub const IDENTITY: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// Below this squared angle, in rad^2, series replace quotients: the next term is below rounding.
const SMALL: f64 = 1e-2;

/// Rotation `a`, then `b` about the rotated axes.
#[inline]
pub fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Inverse rotation.
pub fn conjugate(q: Quaternion) -> Quaternion {
    [q[0], -q[1], -q[2], -q[3]]
}

/// Normalized; the identity for zero.
pub fn normalized<T: Real>(q: [T; 4]) -> [T; 4] {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if length.value() > 0.0 {
        q.map(|x| x / length)
    } else {
        IDENTITY.map(T::constant)
    }
}

/// Exponential map: rotation of a rotation vector (1).
#[inline]
pub fn exp(r: Vec3) -> Quaternion {
    let angle = dot3(r, r).sqrt();
    let (sin, cos) = libm::sincos(0.5 * angle);
    let factor = if angle * angle > SMALL {
        sin / angle
    } else {
        let square = 0.25 * angle * angle;
        0.5 * (1.0
            - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))))
    };
    [cos, factor * r.x, factor * r.y, factor * r.z]
}

/// Rotation vector of a rotation, of at most half a turn.
pub fn log(q: Quaternion) -> Vec3 {
    let q = if q[0] < 0.0 { q.map(|x| -x) } else { q };
    let v = Vec3::new(q[1], q[2], q[3]);
    let sin = dot3(v, v).sqrt();
    if sin > 0.0 {
        v * (2.0 * libm::atan2(sin, q[0]) / sin)
    } else {
        v * 2.0
    }
}

/// Rotation vector of `r` followed by `d`, close to `r` (2).
pub fn displaced(r: Vec3, d: Vec3) -> Vec3 {
    if r == Vec3::zeros() {
        return d;
    }
    let sum = log(product(exp(r), exp(d)));
    let angle = dot3(sum, sum).sqrt();
    if angle == 0.0 {
        return sum;
    }
    let axis = sum / angle;
    let turns = ((dot3(r + d, axis) - angle) / std::f64::consts::TAU).round();
    sum + axis * (turns * std::f64::consts::TAU)
}

/// Rotation matrix; its columns are the rotated axes.
pub fn matrix([w, x, y, z]: Quaternion) -> Mat3 {
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// Rotation from a rotation matrix.
pub fn from_matrix<T: Real>(m: &Mat3<T>) -> [T; 4] {
    let (one, trace) = (T::one(), m[(0, 0)] + m[(1, 1)] + m[(2, 2)]);
    let diagonal = |i: usize| m[(i, i)].value();
    let largest = (0..3).fold(0, |k, i| if diagonal(i) > diagonal(k) { i } else { k });
    let mut q = [T::zero(); 4];
    if trace.value() > diagonal(largest) {
        q[0] = one + trace;
        q[1] = m[(2, 1)] - m[(1, 2)];
        q[2] = m[(0, 2)] - m[(2, 0)];
        q[3] = m[(1, 0)] - m[(0, 1)];
    } else {
        let (i, j, k) = (largest, (largest + 1) % 3, (largest + 2) % 3);
        q[1 + i] = one + m[(i, i)] - m[(j, j)] - m[(k, k)];
        q[1 + j] = m[(j, i)] + m[(i, j)];
        q[1 + k] = m[(k, i)] + m[(i, k)];
        q[0] = m[(k, j)] - m[(j, k)];
    }
    normalized(q)
}

/// Angular velocity in body axes from the rate of a rotation vector (3).
pub fn spin_of_rate<T: Real>(r: Vec3<T>, rate: Vec3<T>) -> Vec3<T> {
    let (first, second) = tangent_map(dot3(r, r));
    let across = cross3(r, rate);
    rate - across * first + cross3(r, across) * second
}

// the two factors of (3), functions f and g of the square s of the angle a:
// f' = (sin(a)/a - 2 f)/(2 s),  g' = (f - 3 g)/(2 s)
fn tangent_map<T: Real>(square: T) -> (T, T) {
    let s = square.value();
    if s < SMALL {
        let k = T::constant;
        let series = |c: [f64; 5]| {
            let terms = c.iter().rev();
            terms.fold(T::zero(), |sum, c| sum * square + k(*c))
        };
        return (
            series([
                1.0 / 2.0,
                -1.0 / 24.0,
                1.0 / 720.0,
                -1.0 / 40320.0,
                1.0 / 3_628_800.0,
            ]),
            series([
                1.0 / 6.0,
                -1.0 / 120.0,
                1.0 / 5040.0,
                -1.0 / 362_880.0,
                1.0 / 39_916_800.0,
            ]),
        );
    }
    let angle = s.sqrt();
    let (sin, cos) = libm::sincos(angle);
    let (f, g) = ((1.0 - cos) / s, (angle - sin) / (s * angle));
    (
        square.with_slope(f, (sin / angle - 2.0 * f) / (2.0 * s)),
        square.with_slope(g, (f - 3.0 * g) / (2.0 * s)),
    )
}

/// Rate of a rotation vector from the angular velocity in body axes (4).
pub fn rate_of_spin<T: Real>(r: Vec3<T>, spin: Vec3<T>) -> Vec3<T> {
    let across = cross3(r, spin);
    spin + across * T::constant(0.5) + cross3(r, across) * quadratic(dot3(r, r))
}

/// Rate of a rotation vector and its derivative, from the angular velocity in body axes and its derivative.
pub fn rates_of_spin(r: Vec3, spin: Vec3, change: Vec3) -> [Vec3; 2] {
    let rate = rate_of_spin(r, spin);
    let moving = rate_of_spin(
        r.zip_map(&rate, Dual::new),
        spin.zip_map(&change, Dual::new),
    );
    [rate, moving.map(|x| x.rate)]
}

/// Angular velocity in body axes and its derivative, from the rate of a rotation vector and its derivative.
pub fn spins_of_rate(r: Vec3, rate: Vec3, change: Vec3) -> [Vec3; 2] {
    let moving = spin_of_rate(
        r.zip_map(&rate, Dual::new),
        rate.zip_map(&change, Dual::new),
    );
    [moving.map(|x| x.value), moving.map(|x| x.rate)]
}

// c of (4), a function of the squared angle s that is smooth at zero: c = 1/12 + s/720 + s^2/30240 + s^3/1209600 + ..,
// the closed form and its derivative for larger angles
fn quadratic<T: Real>(square: T) -> T {
    let s = square.value();
    if s < SMALL {
        let k = T::constant;
        let inner = k(1.0 / 1_209_600.0) + square * k(1.0 / 47_900_160.0);
        let inner = k(1.0 / 30240.0) + square * inner;
        let inner = k(1.0 / 720.0) + square * inner;
        return k(1.0 / 12.0) + square * inner;
    }
    let angle = s.sqrt();
    let (sin, cos) = libm::sincos(angle);
    let half = 0.5 * (1.0 + cos) / (angle * sin);
    let value = 1.0 / s - half;
    // d/ds of 1/s - cot(a/2)/(2a), with da/ds = 1/(2a)
    let (half_sin, half_cos) = libm::sincos(0.5 * angle);
    let cot = half_cos / half_sin;
    let slope =
        -1.0 / (s * s) + (cot / (2.0 * s) + 0.25 / (angle * half_sin * half_sin)) / (2.0 * angle);
    square.with_slope(value, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3, b: Vec3, tolerance: f64) {
        assert!((a - b).norm() < tolerance, "{a:?} {b:?}");
    }

    #[test]
    fn exponential_and_logarithm_undo_each_other() {
        for r in [
            Vec3::new(0.3, -1.2, 0.5),
            Vec3::new(1e-9, 2e-9, 0.0),
            Vec3::new(3.0, 0.1, 0.2),
        ] {
            close(log(exp(r)), r, 1e-14);
        }
    }

    #[test]
    fn a_displaced_rotation_goes_on_beyond_half_a_turn() {
        let r = Vec3::new(3.0, 0.2, 0.0);
        let d = Vec3::new(0.8, 0.0, 0.1);
        let sum = displaced(r, d);
        assert!(sum.norm() > 3.7);
        let (a, b) = (exp(sum), product(exp(r), exp(d)));
        let same = (0..4).map(|i| a[i] * b[i]).sum::<f64>();
        assert!((same.abs() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_matrix_gives_its_quaternion_back() {
        for r in [
            Vec3::new(0.3, -1.2, 0.5),
            Vec3::new(3.1, 0.0, 0.2),
            Vec3::new(0.0, 3.1, 0.3),
            Vec3::new(0.1, 0.3, 3.1),
        ] {
            close(log(from_matrix(&matrix(exp(r)))), r, 1e-13);
        }
    }

    #[test]
    fn spin_and_rate_undo_each_other_and_agree_with_small_turns() {
        for r in [
            Vec3::new(0.3, -1.2, 0.5),
            Vec3::new(1e-3, 2e-3, -1e-3),
            Vec3::new(0.08, 0.05, -0.03),
        ] {
            let spin = Vec3::new(0.7, 0.4, -1.1);
            let rate = rate_of_spin(r, spin);
            close(spin_of_rate(r, rate), spin, 1e-13);
            let h = 1e-6;
            let moved = (displaced(r, spin * h) - displaced(r, spin * -h)) / (2.0 * h);
            close(rate, moved, 1e-9);
        }
    }

    #[test]
    fn dual_numbers_carry_the_second_derivative_of_a_rotation_vector() {
        for r in [Vec3::new(0.3, -1.2, 0.5), Vec3::new(0.01, 0.02, -0.03)] {
            let spin = Vec3::new(0.7, 0.4, -1.1);
            let [rate, change] = rates_of_spin(r, spin, Vec3::zeros());
            let h = 1e-5;
            let ahead = rate_of_spin(displaced(r, spin * h), spin);
            let behind = rate_of_spin(displaced(r, spin * -h), spin);
            close(change, (ahead - behind) / (2.0 * h), 1e-8);
            let [_, back] = spins_of_rate(r, rate, change);
            close(back, Vec3::zeros(), 1e-12);
        }
    }
}
