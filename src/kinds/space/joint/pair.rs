//! A pair of mounts in the world: the scalars used by joints, with their gradients.
//!
//! Points p = x + R r,  d = p_b - p_a;  axes x, y, z of each mount;  w = rate of rotation of body b relative to body a.
//!
//! (1)  d . e,  e fixed in the world: rate e . (v of p_b - v of p_a)
//! (2)  d . s,  s fixed in body a: rate s . (v of p_b - v of the coincident point of body a), because s rotates
//! (3)  s . t,  s fixed in body a and t in body b: rate w . (t x s)
//! (4)  z_a x z_b, its components along x_a and y_a: (-y_a . z_b, x_a . z_b) = sine of the tilt, rates by (3)
//! (5)  2 v,  (u, v) = quaternion of the axes of mount b in those of mount a, u >= 0: 2 sin(turn / 2) along the axis of
//!      the turn; rates e_i . (u w + v x w) = w . (u e_i + e_i x v) in the axes of mount b
//! (6)  angle about z = atan2(y_a . x_b - x_a . y_b, x_a . x_b + y_a . y_b), twice the angle of (u, v_z): a tilt of z
//!      changes it to second order only
//!
//! Closed branches: (4) is zero when z_b = z_a, and again when z_b = -z_a, half a turn of tilt away; between them the
//! residual has length sin(tilt) and passes 1. (5) has length 2 sin(turn / 2): zero only at closure, largest half a turn
//! away. A motion from one branch to another passes through residuals of order 1, while a closed joint has
//! residuals many orders smaller; so a flipped joint cannot be reached.

use super::Mount;
use crate::kinds::space::{Pose, Row};
use crate::math::{Mat3, Real, Vec3, atan2, cross3, dot3, quaternion};

pub(super) struct Pair<'p, T: Real> {
    a: &'p Pose<T>,
    b: &'p Pose<T>,
    arm_a: Vec3<T>,
    arm_b: Vec3<T>,
    d: Vec3<T>,
}

impl<'p, T: Real> Pair<'p, T> {
    pub(super) fn new(
        (a, anchor_a): (&'p Pose<T>, Vec3),
        (b, anchor_b): (&'p Pose<T>, Vec3),
    ) -> Self {
        let (arm_a, arm_b) = (a.turn(anchor_a), b.turn(anchor_b));
        let d = b.position + arm_b - a.position - arm_a;
        Self {
            a,
            b,
            arm_a,
            arm_b,
            d,
        }
    }

    /// d along the axes of the world (1).
    pub(super) fn offset(&self) -> [(T, Row<T>); 3] {
        let (zero, one) = (T::zero(), T::one());
        [
            (self.d.x, self.moving_along(Vec3::new(one, zero, zero))),
            (self.d.y, self.moving_along(Vec3::new(zero, one, zero))),
            (self.d.z, self.moving_along(Vec3::new(zero, zero, one))),
        ]
    }

    fn moving_along(&self, direction: Vec3<T>) -> Row<T> {
        Row::relative_velocity(direction, (self.a, self.arm_a), (self.b, self.arm_b))
    }

    /// d along a direction fixed in body a, given in its coordinates (2).
    pub(super) fn along(&self, direction: Vec3) -> (T, Row<T>) {
        let direction = self.a.turn(direction);
        let there = (self.a, self.arm_a + self.d);
        (
            dot3(direction, self.d),
            Row::relative_velocity(direction, there, (self.b, self.arm_b)),
        )
    }
}

/// The axes of two mounts in the world.
pub(super) struct Axes<'p, T: Real> {
    a: &'p Pose<T>,
    b: &'p Pose<T>,
    of_a: [Vec3<T>; 3],
    of_b: [Vec3<T>; 3],
}

impl<'p, T: Real> Axes<'p, T> {
    pub(super) fn new(
        (a, mount_a): (&'p Pose<T>, &Mount),
        (b, mount_b): (&'p Pose<T>, &Mount),
    ) -> Self {
        Self {
            a,
            b,
            of_a: mount_a.axes.map(|axis| a.turn(axis)),
            of_b: mount_b.axes.map(|axis| b.turn(axis)),
        }
    }

    /// Product of axis i of mount a with axis j of mount b, and the w-gradient of (3).
    fn product(&self, i: usize, j: usize) -> (T, Vec3<T>) {
        let (s, t) = (self.of_a[i], self.of_b[j]);
        (dot3(s, t), cross3(t, s))
    }

    fn turning(&self, direction: Vec3<T>) -> Row<T> {
        Row::relative_rotation(direction, self.a, self.b)
    }

    /// Product of axis i of mount a with axis j of mount b, negative (3).
    pub(super) fn minus_product(&self, i: usize, j: usize) -> (T, Row<T>) {
        let (value, gradient) = self.product(i, j);
        (-value, self.turning(-gradient))
    }

    /// Rotations of z_b out of z_a about x_a and y_a (4).
    pub(super) fn tilt(&self) -> [(T, Row<T>); 2] {
        let (about_y, gradient) = self.product(0, 2);
        [self.minus_product(1, 2), (about_y, self.turning(gradient))]
    }

    /// Rotation of mount b out of mount a, about its axes (5).
    pub(super) fn turn(&self) -> [(T, Row<T>); 3] {
        let relative = Mat3::from_fn(|i, j| dot3(self.of_a[i], self.of_b[j]));
        let q = quaternion::from_matrix(&relative);
        let [u, x, y, z] = if q[0].value() < 0.0 {
            q.map(|part| -part)
        } else {
            q
        };
        let v = self.of_b[0] * x + self.of_b[1] * y + self.of_b[2] * z;
        let two = T::constant(2.0);
        let row = |i: usize| {
            let e = self.of_b[i];
            self.turning(e * u + cross3(e, v))
        };
        [(two * x, row(0)), (two * y, row(1)), (two * z, row(2))]
    }

    /// Angle of mount b about z, from mount a (6).
    pub(super) fn angle_about_z(&self) -> (T, Row<T>) {
        let [xx, xy, yx, yy] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| self.product(i, j));
        self.angle((yx.0 - xy.0, yx.1 - xy.1), (xx.0 + yy.0, xx.1 + yy.1))
    }

    /// Angle of the vector whose components are two products of axes, each given by its indices.
    pub(super) fn angle_of_products(
        &self,
        sine: (usize, usize),
        cosine: (usize, usize),
    ) -> (T, Row<T>) {
        self.angle(
            self.product(sine.0, sine.1),
            self.product(cosine.0, cosine.1),
        )
    }

    // grad atan2(s, c) = (c grad s - s grad c) / (s^2 + c^2); where both vanish the angle is undefined
    fn angle(&self, (s, grad_s): (T, Vec3<T>), (c, grad_c): (T, Vec3<T>)) -> (T, Row<T>) {
        let square = s * s + c * c;
        if square.value() == 0.0 {
            return (T::zero(), Row::zero());
        }
        let gradient = (grad_s * c - grad_c * s) / square;
        (atan2(s, c), self.turning(gradient))
    }
}
