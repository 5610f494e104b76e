//! Orientation of a body or a shape, in one of three ways:
//!
//! (1)  `orientation = [w, x, y, z]`, a unit quaternion
//! (2)  `rotation_vector = r`: rotation about r by its length
//! (3)  `euler = [roll, pitch, yaw]`: R = Rz(yaw) Ry(pitch) Rx(roll)

use crate::math::{Quaternion, Vec3, quaternion};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::value::Value;

/// Tolerance for the length of a unit quaternion: input may have four digits.
const NEARLY_UNIT: f64 = 1e-3;

/// The keys of orientations.
pub const KEYS: [&str; 3] = ["orientation", "rotation_vector", "euler"];

/// Reads the one that is present; no rotation by default.
pub fn read(t: &mut Table<'_>) -> Quaternion {
    let given = KEYS.map(|key| t.get(key));
    let mut found = given.iter().flatten();
    if let (Some(first), Some(second)) = (found.next(), found.next()) {
        let message = format!("`{}` and `{}` are alternatives", first.key, second.key);
        second.bad(message, "keep one of them");
    }
    let [orientation, rotation_vector, euler] = given;
    let quaternion = orientation.map(|v| read_quaternion(&v));
    let vector = rotation_vector.map(|v| v.vector().map(of_vector));
    let euler = euler.map(|v| v.vector().map(of_euler));
    let read = quaternion.or(vector).or(euler).flatten();
    read.unwrap_or(quaternion::IDENTITY)
}

// (1)
fn read_quaternion(value: &Value<'_>) -> Option<Quaternion> {
    let four: [Value<'_>; 4] = value.several("four numbers, w first")?;
    let [w, x, y, z] = four.map(|v| v.number(Range::ANY));
    let q = [w?, x?, y?, z?];
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() < NEARLY_UNIT {
        return Some(quaternion::normalized(q));
    }
    let message = format!("the quaternion has the length {length} instead of 1");
    let hint = if length.is_normal() && length > 0.0 {
        let unit = q.map(|x| (x / length * 1e6).round() / 1e6);
        format!("write `orientation = {unit:?}`, if this direction is meant")
    } else {
        value.log.example(value.key)
    };
    value.bad(message, hint);
    None
}

// (2)
fn of_vector(r: [f64; 3]) -> Quaternion {
    quaternion::normalized(quaternion::exp(Vec3::new(r[0], r[1], r[2])))
}

// (3)
fn of_euler([roll, pitch, yaw]: [f64; 3]) -> Quaternion {
    let about = |axis: usize, angle: f64| {
        let (sin, cos) = libm::sincos(0.5 * angle);
        let mut q = [cos, 0.0, 0.0, 0.0];
        q[1 + axis] = sin;
        q
    };
    let turned = quaternion::product(about(2, yaw), about(1, pitch));
    quaternion::normalized(quaternion::product(turned, about(0, roll)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_angles_turn_about_z_then_y_then_x() {
        let (s, c) = (libm::sin, libm::cos);
        let (roll, pitch, yaw) = (0.3, -0.7, 1.9);
        let m = quaternion::matrix(of_euler([roll, pitch, yaw]));
        let first_column = [c(yaw) * c(pitch), s(yaw) * c(pitch), -s(pitch)];
        for (i, expected) in first_column.into_iter().enumerate() {
            assert!((m[(i, 0)] - expected).abs() < 1e-15);
        }
        assert!((m[(2, 1)] - c(pitch) * s(roll)).abs() < 1e-15);
        assert!((m[(2, 2)] - c(pitch) * c(roll)).abs() < 1e-15);
    }

    #[test]
    fn all_ways_agree_on_a_quarter_turn_about_an_axis() {
        let quarter = std::f64::consts::FRAC_PI_2;
        for axis in 0..3 {
            let mut angles = [0.0; 3];
            angles[axis] = quarter;
            let (a, b) = (of_vector(angles), of_euler(angles));
            for i in 0..4 {
                assert!((a[i] - b[i]).abs() < 1e-15);
            }
        }
    }
}
