//! Mounting of a joint on a body: a point and three axes.

use crate::kinds::space::{Pose, tangents};
use crate::math::{Vec3, cross3, dot3};

/// Directions count as parallel if the sine of the angle between them is below this: the component of
/// one normal to the other has lost half of its digits.
const PARALLEL: f64 = 1e-8;

/// A point of a body and right-handed unit axes, all in body coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// m.
    pub anchor: Vec3,
    /// x, y and z; their meaning depends on the kind of joint.
    pub axes: [Vec3; 3],
}

impl Mount {
    /// With z along `z` and x as close to `x` as possible; `None` if one of them is zero or both are parallel.
    pub fn new(anchor: Vec3, z: Vec3, x: Vec3) -> Option<Self> {
        let (z, x) = (unit(z)?, unit(x)?);
        let across = cross3(z, x);
        if dot3(across, across).sqrt() <= PARALLEL {
            return None;
        }
        let [x, y] = tangents(z, x);
        Some(Self {
            anchor,
            axes: [x, y, z],
        })
    }

    /// With z along `z` and x as close as possible to the body axis farthest from z; `None` if `z` is
    /// zero.
    pub fn about(anchor: Vec3, z: Vec3) -> Option<Self> {
        let farthest = (0..3).fold(0, |k, i| if z[i].abs() < z[k].abs() { i } else { k });
        let mut x = Vec3::zeros();
        x[farthest] = 1.0;
        Self::new(anchor, z, x)
    }

    /// The same point and axes of the world, in the coordinates of another body: mounts that coincide at these poses.
    pub fn seen_from(&self, own: &Pose, other: &Pose) -> Self {
        Self {
            anchor: other.turn_back(own.point(self.anchor) - other.position),
            axes: self.axes.map(|axis| other.turn_back(own.turn(axis))),
        }
    }
}

fn unit(v: Vec3) -> Option<Vec3> {
    let length = dot3(v, v).sqrt();
    (length > 0.0 && length.is_finite()).then(|| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quaternion;

    #[test]
    fn axes_are_right_handed_and_coincide_when_seen_from_another_body() {
        let mount = Mount::about(Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.3, -2.0, 1.0)).unwrap();
        let [x, y, z] = mount.axes;
        assert!((cross3(x, y) - z).norm() < 1e-15 && (x.norm() - 1.0).abs() < 1e-15);
        let pose = |p: Vec3, r: Vec3| Pose::new(p, quaternion::exp(r));
        let own = pose(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.4, -0.5, 0.6));
        let other = pose(Vec3::new(-1.0, 0.5, 0.2), Vec3::new(1.4, 0.5, -0.6));
        let seen = mount.seen_from(&own, &other);
        assert!((own.point(mount.anchor) - other.point(seen.anchor)).norm() < 1e-14);
        for (a, b) in mount.axes.iter().zip(&seen.axes) {
            assert!((own.turn(*a) - other.turn(*b)).norm() < 1e-14);
        }
    }

    #[test]
    fn directions_without_a_plane_give_no_mount() {
        let (zero, x) = (Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0));
        assert_eq!(Mount::about(zero, zero), None);
        assert_eq!(Mount::new(zero, x, -x), None);
        assert_eq!(Mount::new(zero, x, zero), None);
    }
}
