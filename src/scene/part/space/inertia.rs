//! `inertia` in space: three moments, or a matrix.
//!
//! (1)  a body has positive moments about all axes: the matrix J is positive definite
//! (2)  no moment exceeds the sum of the two others: 1/2 trace(J) I - J has no negative eigenvalue

use crate::math::Limit;
use crate::scene::range::Range;
use crate::scene::spec::space::Triple;
use crate::scene::value::Value;

/// Tolerance for symmetry and the triangle inequality of a flat body, relative to the largest entry: input is rounded.
const WRITTEN_DIGITS: f64 = 1e-6;

/// Reads a list of three moments or a matrix of three rows.
pub fn read(value: &Value<'_>) -> Option<[Triple; 3]> {
    let expected = "three moments or a matrix of three rows";
    let rows: [Value<'_>; 3] = value.several(expected)?;
    let tensor = if rows.iter().any(Value::is_list) {
        let [a, b, c] = rows.map(|row| row.vector());
        symmetric(value, [a?, b?, c?])?
    } else {
        let [x, y, z] = rows.map(|moment| moment.number(Range::POSITIVE));
        [[x?, 0.0, 0.0], [0.0, y?, 0.0], [0.0, 0.0, z?]]
    };

    let trace = tensor[0][0] + tensor[1][1] + tensor[2][2];
    // (2)
    let slack = (0.5 + WRITTEN_DIGITS) * trace;
    let mut rest = tensor.map(|row| row.map(|x| -x));
    for (i, row) in rest.iter_mut().enumerate() {
        row[i] += slack;
    }
    if !trace.is_finite() {
        value.bad(
            "the value is infinite or too large",
            value.log.example(value.key),
        );
    } else if !is_positive(&tensor) {
        value.bad(
            "the moments of inertia must be positive about all axes",
            "give the inertia tensor about the centre of mass; off-diagonal entries are negative products of inertia",
        );
    } else if !is_positive(&rest) {
        value.bad(
            "no body has these moments: the largest exceeds the sum of the two others",
            "check the order and the units of the moments (kg m²)",
        );
    }
    Some(tensor)
}

/// Mean of the matrix and its transpose, if they agree.
fn symmetric(value: &Value<'_>, m: [Triple; 3]) -> Option<[Triple; 3]> {
    let largest = m.iter().flatten().fold(0.0_f64, |l, x| l.at_least(x.abs()));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if (m[i][j] - m[j][i]).abs() > WRITTEN_DIGITS * largest {
            let message = format!(
                "the matrix is not symmetric: row {} has {} where row {} has {}",
                i + 1,
                m[i][j],
                j + 1,
                m[j][i]
            );
            value.bad(message, "an inertia tensor is symmetric");
            return None;
        }
    }
    Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| 0.5 * (m[i][j] + m[j][i]))))
}

/// Are all leading minors positive (1)? Scaled to avoid underflow.
fn is_positive(m: &[Triple; 3]) -> bool {
    let largest = m.iter().flatten().fold(0.0_f64, |l, x| l.at_least(x.abs()));
    let m = m.map(|row| row.map(|x| x / largest));
    let second = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let third = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    m[0][0] > 0.0 && second > 0.0 && third > 0.0
}
