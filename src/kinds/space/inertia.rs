//! Principal axes of an inertia tensor by Jacobi rotations.
//!
//! (1)  A rotation in the plane (p, q) with tangent t = sign(r) / (|r| + sqrt(1 + r^2)),  r = (A_qq - A_pp) / (2 A_pq),
//!      makes A_pq zero: A_pp - t A_pq, A_qq + t A_pq on the diagonal. Its angle is at most 45 degrees, so that the axes
//!      stay as close to the given ones as possible, and those of a diagonal tensor do not change.
//! (2)  A_pq counts as zero relative to A_pp and A_qq when |A_pq| <= eps sqrt(A_pp A_qq): then even small moments are
//!      accurate to rounding.
//! (3)  The moments of a physical body satisfy the triangle inequality: none exceeds the sum of the others.

use crate::math::{Limit, Mat3, Quaternion, Vec3, quaternion};

/// eps of (2): rounding of a tensor that was rotated or shifted before.
const NEGLIGIBLE: f64 = 8.0 * f64::EPSILON;

/// Sweeps converge quadratically; five or six are always enough.
const MAX_SWEEPS: usize = 32;

/// Tolerance of (3), relative to the largest moment: rods and plates are at its limit, and their moments
/// may be given with three digits.
const TRIANGLE_TOLERANCE: f64 = 2e-3;

/// A tensor in its principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// About the axes, kg m².
    pub moments: Vec3,
    /// Columns are the principal axes in the given axes, right-handed.
    pub axes: Mat3,
}

/// Reason why no body has such moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Defect {
    /// A moment is not positive, or not a number.
    NotPositive {
        /// kg m².
        moment: f64,
    },
    /// A moment exceeds the sum of the others (3).
    Triangle {
        /// kg m².
        largest: f64,
        /// kg m².
        sum_of_others: f64,
    },
}

/// Principal axes and moments of a symmetric tensor, kg m²; only its upper half is read.
pub fn principal(tensor: &Mat3) -> Principal {
    let mut a = *tensor;
    let mut axes = Mat3::identity();
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            turned |= rotate(&mut a, &mut axes, p, q);
        }
        if !turned {
            break;
        }
    }
    Principal {
        moments: Vec3::new(a[(0, 0)], a[(1, 1)], a[(2, 2)]),
        axes,
    }
}

// (1) on the upper half of the tensor; false if the entry is already zero
fn rotate(a: &mut Mat3, axes: &mut Mat3, p: usize, q: usize) -> bool {
    let (pp, qq, pq) = (a[(p, p)], a[(q, q)], a[(p, q)]);
    if pq.abs() <= NEGLIGIBLE * (pp * qq).abs().sqrt() {
        return false; // (2)
    }
    let ratio = (qq - pp) / (2.0 * pq);
    let size = 1.0 / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    let tangent = if ratio < 0.0 { -size } else { size };
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    a[(p, p)] = pp - tangent * pq;
    a[(q, q)] = qq + tangent * pq;
    a[(p, q)] = 0.0;
    let other = 3 - p - q;
    let upper = |i: usize| (i.min(other), i.max(other));
    let (to_p, to_q) = (a[upper(p)], a[upper(q)]);
    a[upper(p)] = cosine * to_p - sine * to_q;
    a[upper(q)] = sine * to_p + cosine * to_q;
    for i in 0..3 {
        let (x, y) = (axes[(i, p)], axes[(i, q)]);
        axes[(i, p)] = cosine * x - sine * y;
        axes[(i, q)] = sine * x + cosine * y;
    }
    true
}

impl Principal {
    /// The rotation from the given axes to the principal ones.
    pub fn orientation(&self) -> Quaternion {
        quaternion::from_matrix(&self.axes)
    }

    /// The error in the moments, if any.
    pub fn defect(&self) -> Option<Defect> {
        let m = self.moments;
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        if let Some(moment) = m.iter().find(|x| !positive(x)) {
            return Some(Defect::NotPositive { moment: *moment });
        }
        let largest = m.x.at_least(m.y).at_least(m.z);
        let smallest = m.x.at_most(m.y).at_most(m.z);
        let middle = m.x.at_most(m.y).at_least(m.x.at_least(m.y).at_most(m.z));
        let sum_of_others = smallest + middle;
        (largest > sum_of_others + TRIANGLE_TOLERANCE * largest).then_some(Defect::Triangle {
            largest,
            sum_of_others,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(moments: Vec3, r: Vec3) -> Mat3 {
        let rotation = quaternion::matrix(quaternion::exp(r));
        rotation * Mat3::from_diagonal(&moments) * rotation.transpose()
    }

    #[test]
    fn a_diagonal_tensor_keeps_its_axes_and_order() {
        let found = principal(&Mat3::from_diagonal(&Vec3::new(2.0, 3.0, 1.5)));
        assert_eq!(found.moments, Vec3::new(2.0, 3.0, 1.5));
        assert_eq!(found.axes, Mat3::identity());
        assert_eq!(found.orientation(), quaternion::IDENTITY);
    }

    #[test]
    fn principal_axes_give_the_tensor_back_and_are_right_handed() {
        let mut worst: f64 = 0.0;
        for k in 0..400 {
            let k = f64::from(k);
            let r = Vec3::new(
                1.7 * (0.3 + k) % 3.0,
                2.9 * k % 2.0 - 1.0,
                0.77 * k % 3.0 - 1.5,
            );
            let moments = match k as usize % 4 {
                0 => Vec3::new(2.0, 3.0, 1.5),
                1 => Vec3::new(2.0, 2.0, 2.0),
                2 => Vec3::new(1.0, 1e-6, 1.0),
                _ => Vec3::new(5.0, 5.0, 8.0 + 1e-9 * k),
            };
            let tensor = turned(moments, r);
            let found = principal(&tensor);
            let back = found.axes * Mat3::from_diagonal(&found.moments) * found.axes.transpose();
            let size = moments.max();
            worst = worst.max((back - tensor).abs().max() / size);
            worst = worst.max(
                (found.axes.transpose() * found.axes - Mat3::identity())
                    .abs()
                    .max(),
            );
            worst = worst.max((found.axes.determinant() - 1.0).abs());
            let sorted = |v: Vec3| {
                let mut v = [v.x, v.y, v.z];
                v.sort_by(f64::total_cmp);
                v
            };
            for (x, y) in sorted(found.moments).iter().zip(sorted(moments)) {
                worst = worst.max((x - y).abs() / size);
            }
            assert_eq!(found.defect(), None);
        }
        println!("principal axes agree to {worst:.1e}");
        assert!(worst < 1e-14, "{worst:e}");
    }

    #[test]
    fn a_small_product_of_inertia_turns_the_axes_a_little() {
        let mut tensor = Mat3::from_diagonal(&Vec3::new(3.0, 2.0, 4.0));
        tensor[(0, 1)] = 1e-3;
        tensor[(1, 0)] = 1e-3;
        let found = principal(&tensor);
        assert!((found.axes - Mat3::identity()).abs().max() < 1.1e-3);
        assert!((found.moments - Vec3::new(3.0, 2.0, 4.0)).abs().max() < 1.1e-6);
    }

    #[test]
    fn impossible_moments_are_told() {
        let defect = |x, y, z| principal(&Mat3::from_diagonal(&Vec3::new(x, y, z))).defect();
        assert_eq!(defect(1.0, 1.0, 2.0), None);
        assert_eq!(defect(0.0333, 0.0333, 0.0667), None);
        assert_eq!(
            defect(1.0, 3.0, 1.5),
            Some(Defect::Triangle {
                largest: 3.0,
                sum_of_others: 2.5
            })
        );
        assert_eq!(
            defect(1.0, -1.0, 1.5),
            Some(Defect::NotPositive { moment: -1.0 })
        );
        assert!(matches!(
            defect(1.0, f64::NAN, 1.5),
            Some(Defect::NotPositive { .. })
        ));
    }
}
