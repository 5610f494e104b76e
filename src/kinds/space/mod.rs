//! Kinds in space: poses, twists and rows of bodies with six velocities. Linear velocities are in world axes, angular
//! ones in the axes of the body, so that the mass matrix is constant.

pub mod collide;
pub mod force;
pub mod inertia;
pub mod joint;
pub mod shape;

use crate::math::{Dual, Mat3, Quaternion, Real, Vec3, cross3, dot3, quaternion};

/// Maximum number of velocities of a body: x, y, z, then rotation about the body's axes.
pub const BODY_DOF: usize = 6;

/// Position and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T = f64> {
    /// Centre of mass in the world, m.
    pub position: Vec3<T>,
    /// Columns are the body's axes in the world.
    pub rotation: Mat3<T>,
}

impl Pose {
    /// The ground.
    pub const GROUND: Self = Self {
        position: Vec3::new(0.0, 0.0, 0.0),
        rotation: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    /// From the position of the centre of mass and the orientation.
    pub fn new(position: Vec3, orientation: Quaternion) -> Self {
        Self {
            position,
            rotation: quaternion::matrix(orientation),
        }
    }

    /// The same pose with its rate of change along a twist.
    pub fn with_rate(&self, twist: &Twist) -> Pose<Dual> {
        let w = twist.angular;
        let spin = Mat3::new(0.0, -w.z, w.y, w.z, 0.0, -w.x, -w.y, w.x, 0.0);
        let rate = self.rotation * spin;
        Pose {
            position: self.position.zip_map(&twist.linear, Dual::new),
            rotation: self.rotation.zip_map(&rate, Dual::new),
        }
    }
}

impl<T: Real> Pose<T> {
    /// The ground.
    pub fn ground() -> Self {
        let (zero, one) = (T::zero(), T::one());
        Self {
            position: Vec3::new(zero, zero, zero),
            rotation: Mat3::new(one, zero, zero, zero, one, zero, zero, zero, one),
        }
    }

    /// Transforms a vector from body axes to world axes.
    #[inline]
    pub fn turn(&self, local: Vec3) -> Vec3<T> {
        let [x, y, z] = [local.x, local.y, local.z].map(T::constant);
        let row = |i: usize| {
            self.rotation[(i, 0)] * x + self.rotation[(i, 1)] * y + self.rotation[(i, 2)] * z
        };
        Vec3::new(row(0), row(1), row(2))
    }

    /// Transforms a vector from world axes to body axes.
    #[inline]
    pub fn turn_back(&self, world: Vec3<T>) -> Vec3<T> {
        let column = |i: usize| {
            self.rotation[(0, i)] * world.x
                + self.rotation[(1, i)] * world.y
                + self.rotation[(2, i)] * world.z
        };
        Vec3::new(column(0), column(1), column(2))
    }

    /// Transforms a point from body coordinates to the world.
    pub fn point(&self, local: Vec3) -> Vec3<T> {
        self.position + self.turn(local)
    }
}

/// Velocity of the centre of mass in world axes, and angular velocity in body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// m/s.
    pub linear: Vec3,
    /// rad/s.
    pub angular: Vec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self {
        linear: Vec3::new(0.0, 0.0, 0.0),
        angular: Vec3::new(0.0, 0.0, 0.0),
    };

    /// At rest.
    pub fn zero() -> Self {
        Self::ZERO
    }
}

/// Gradient of a scalar with respect to the motions of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<T = f64> {
    /// With respect to x, y, z and the rotations about the axes of the first body.
    pub a: [T; BODY_DOF],
    /// The same for the second body.
    pub b: [T; BODY_DOF],
}

impl<T: Real> Row<T> {
    /// The velocity along `direction` of a point of body b relative to a point of body a; arms from the centres
    /// of mass, all in world axes.
    #[inline]
    pub fn relative_velocity(
        direction: Vec3<T>,
        (a, arm_a): (&Pose<T>, Vec3<T>),
        (b, arm_b): (&Pose<T>, Vec3<T>),
    ) -> Self {
        let turn_a = a.turn_back(cross3(arm_a, direction));
        let turn_b = b.turn_back(cross3(arm_b, direction));
        let d = direction;
        Self {
            a: [-d.x, -d.y, -d.z, -turn_a.x, -turn_a.y, -turn_a.z],
            b: [d.x, d.y, d.z, turn_b.x, turn_b.y, turn_b.z],
        }
    }

    /// The angular velocity of body b relative to body a about `direction` (world axes).
    pub fn relative_rotation(direction: Vec3<T>, a: &Pose<T>, b: &Pose<T>) -> Self {
        let (about_a, about_b) = (a.turn_back(direction), b.turn_back(direction));
        let zero = T::zero();
        Self {
            a: [zero, zero, zero, -about_a.x, -about_a.y, -about_a.z],
            b: [zero, zero, zero, about_b.x, about_b.y, about_b.z],
        }
    }

    /// Zero row.
    pub fn zero() -> Self {
        Self {
            a: [T::zero(); BODY_DOF],
            b: [T::zero(); BODY_DOF],
        }
    }

    /// The row times a factor.
    pub fn scaled(self, factor: T) -> Self {
        Self {
            a: self.a.map(|x| factor * x),
            b: self.b.map(|x| factor * x),
        }
    }
}

impl Row {
    /// Rate of the scalar for the given twists.
    pub fn rate(&self, a: &Twist, b: &Twist) -> f64 {
        let side = |row: &[f64; BODY_DOF], twist: &Twist| {
            row[0] * twist.linear.x
                + row[1] * twist.linear.y
                + row[2] * twist.linear.z
                + row[3] * twist.angular.x
                + row[4] * twist.angular.y
                + row[5] * twist.angular.z
        };
        side(&self.a, a) + side(&self.b, b)
    }
}

/// Distance of two points, given in body coordinates, and its gradient; no gradient where they coincide.
pub fn distance<T: Real>((a, on_a): (&Pose<T>, Vec3), (b, on_b): (&Pose<T>, Vec3)) -> (T, Row<T>) {
    let (arm_a, arm_b) = (a.turn(on_a), b.turn(on_b));
    let d = b.position + arm_b - a.position - arm_a;
    let square = dot3(d, d);
    if square.value() == 0.0 {
        return (T::zero(), Row::zero());
    }
    let distance = square.sqrt();
    let row = Row::relative_velocity(d / distance, (a, arm_a), (b, arm_b));
    (distance, row)
}

/// Two tangents to a normal, the first as close to `axis` as possible; they depend smoothly on both.
pub fn tangents<T: Real>(normal: Vec3<T>, axis: Vec3<T>) -> [Vec3<T>; 2] {
    let across = axis - normal * dot3(axis, normal);
    let first = across / dot3(across, across).sqrt();
    [first, cross3(normal, first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_a_relative_velocity_is_the_rate_of_a_distance() {
        let orientation = |x: f64, y: f64, z: f64| quaternion::exp(Vec3::new(x, y, z));
        let a = Pose::new(Vec3::new(0.3, -0.2, 1.0), orientation(0.4, 1.1, -0.6));
        let b = Pose::new(Vec3::new(1.3, 0.7, -0.4), orientation(-1.4, 0.1, 2.0));
        let twist_a = Twist {
            linear: Vec3::new(0.5, 1.5, -2.0),
            angular: Vec3::new(0.9, -0.3, 0.8),
        };
        let twist_b = Twist {
            linear: Vec3::new(-0.7, 0.2, 0.6),
            angular: Vec3::new(-1.9, 0.5, 0.2),
        };
        let (on_a, on_b) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.5, 0.4, 0.1));
        let moving = (a.with_rate(&twist_a), b.with_rate(&twist_b));
        let d = moving.1.point(on_b) - moving.0.point(on_a);
        let distance = dot3(d, d).sqrt();
        let arms = (a.turn(on_a), b.turn(on_b));
        let direction = b.point(on_b) - a.point(on_a);
        let direction = direction / direction.norm();
        let row = Row::relative_velocity(direction, (&a, arms.0), (&b, arms.1));
        assert!((row.rate(&twist_a, &twist_b) - distance.rate).abs() < 1e-14);
    }
}
