//! Constraint rows of joints, contacts and friction: a [`Row`] is the gradient of a scalar with respect to the twists of two bodies, and
//! its transpose maps the constraint force to the bodies. Kinds make rows from [`Pose`]s; a [`GlobalRow`] knows where its bodies are in the
//! vector of velocities, in the plane or in space.

use crate::math::{Dual, Limit, Real, Vec2, Vec3, cross};

/// Velocities of a body in the plane: x, y, rotation.
pub const BODY_DOF: usize = 3;

/// Position and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<T = f64> {
    /// Centre of mass in the world, m.
    pub position: Vec2<T>,
    /// Rotation from world to body axes, rad; not reduced to one turn.
    pub angle: T,
    /// Cosine of the angle.
    pub cos: T,
    /// Sine of the angle.
    pub sin: T,
}

impl Pose {
    /// The ground.
    pub const GROUND: Self = Self {
        position: Vec2::new(0.0, 0.0),
        angle: 0.0,
        cos: 1.0,
        sin: 0.0,
    };

    /// From coordinates (m, m, rad).
    pub fn new(x: f64, y: f64, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self {
            position: Vec2::new(x, y),
            angle,
            cos,
            sin,
        }
    }

    /// Becomes that of these coordinates; the sine and cosine of an angle that stays the same are kept.
    #[inline]
    pub fn move_to(&mut self, x: f64, y: f64, angle: f64) {
        self.position = Vec2::new(x, y);
        if angle.to_bits() != self.angle.to_bits() {
            self.angle = angle;
            (self.sin, self.cos) = libm::sincos(angle);
        }
    }

    /// The same pose with its derivative along a twist.
    #[inline]
    pub fn with_rate(&self, twist: &Twist) -> Pose<Dual> {
        let w = twist.angular;
        Pose {
            position: Vec2::new(
                Dual::new(self.position.x, twist.linear.x),
                Dual::new(self.position.y, twist.linear.y),
            ),
            angle: Dual::new(self.angle, w),
            cos: Dual::new(self.cos, -self.sin * w),
            sin: Dual::new(self.sin, self.cos * w),
        }
    }
}

impl<T: Real> Pose<T> {
    /// The ground.
    pub fn ground() -> Self {
        Self {
            position: Vec2::new(T::zero(), T::zero()),
            angle: T::zero(),
            cos: T::one(),
            sin: T::zero(),
        }
    }

    /// Rotates a vector from body to world axes.
    #[inline]
    pub fn turn(&self, local: Vec2) -> Vec2<T> {
        let (x, y) = (T::constant(local.x), T::constant(local.y));
        Vec2::new(self.cos * x - self.sin * y, self.sin * x + self.cos * y)
    }

    /// Rotates a vector from world to body axes.
    #[inline]
    pub fn turn_back(&self, world: Vec2<T>) -> Vec2<T> {
        Vec2::new(
            self.cos * world.x + self.sin * world.y,
            self.cos * world.y - self.sin * world.x,
        )
    }

    /// World position of a point given in body coordinates.
    pub fn point(&self, local: Vec2) -> Vec2<T> {
        self.position + self.turn(local)
    }
}

/// Velocity of a body: linear velocity of its centre of mass in world axes, and angular velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// m/s.
    pub linear: Vec2,
    /// rad/s.
    pub angular: f64,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self {
        linear: Vec2::new(0.0, 0.0),
        angular: 0.0,
    };

    /// At rest.
    pub fn zero() -> Self {
        Self::ZERO
    }

    /// Velocity of a point of the body at `arm` (world axes) from its centre of mass.
    pub fn at(&self, arm: Vec2) -> Vec2 {
        self.linear + Vec2::new(-arm.y, arm.x) * self.angular
    }
}

/// Gradient of a scalar with respect to the coordinates of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<T = f64> {
    /// With respect to x, y, rotation of the first body.
    pub a: [T; BODY_DOF],
    /// The same for the second body.
    pub b: [T; BODY_DOF],
}

impl<T: Real> Row<T> {
    /// The velocity along `direction` of a point of body b relative to a point of body a; arms from the centres
    /// of mass, all in world axes.
    #[inline]
    pub fn relative_velocity(direction: Vec2<T>, arm_a: Vec2<T>, arm_b: Vec2<T>) -> Self {
        Self {
            a: [-direction.x, -direction.y, -cross(arm_a, direction)],
            b: [direction.x, direction.y, cross(arm_b, direction)],
        }
    }

    /// The rate of rotation of body b relative to body a.
    pub fn relative_rotation() -> Self {
        let (zero, one) = (T::zero(), T::one());
        Self {
            a: [zero, zero, -one],
            b: [zero, zero, one],
        }
    }

    /// Zero row.
    pub fn zero() -> Self {
        Self {
            a: [T::zero(); BODY_DOF],
            b: [T::zero(); BODY_DOF],
        }
    }

    /// The row of the negative scalar.
    pub fn negated(self) -> Self {
        Self {
            a: self.a.map(|x| -x),
            b: self.b.map(|x| -x),
        }
    }
}

impl Row {
    /// Rate of the scalar for the given twists.
    pub fn rate(&self, a: &Twist, b: &Twist) -> f64 {
        self.a[0] * a.linear.x
            + self.a[1] * a.linear.y
            + self.a[2] * a.angular
            + self.b[0] * b.linear.x
            + self.b[1] * b.linear.y
            + self.b[2] * b.angular
    }
}

/// Largest number of velocities of a body, in the plane and in space.
pub const MAX_DOF: usize = 6;

/// Range of a body in the vector of velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Index of its first velocity.
    pub first: usize,
    /// Number of its velocities; 0 for the ground.
    pub len: usize,
}

/// Most bodies of a row: a coupling of joint coordinates may have more than two.
pub const MAX_BODIES: usize = 4;

/// Relative difference of rows that are the same to rounding.
const SAME_ROW: f64 = 1e-12;

/// Gradient of a scalar with the ranges of its bodies in the vector of velocities: two, or the few that a coupling connects.
#[derive(Clone, Copy, Debug, Default)]
pub struct GlobalRow {
    n_bodies: usize,
    span: [Span; MAX_BODIES],
    value: [[f64; MAX_DOF]; MAX_BODIES],
}

impl GlobalRow {
    /// From the gradients of two bodies.
    #[inline]
    pub fn new<const N: usize>([of_a, of_b]: [Span; 2], a: &[f64; N], b: &[f64; N]) -> Self {
        let mut row = Self {
            n_bodies: 2,
            ..Self::default()
        };
        row.span[0] = of_a;
        row.span[1] = of_b;
        row.value[0][..N].copy_from_slice(a);
        row.value[1][..N].copy_from_slice(b);
        row
    }

    /// The row of a single velocity.
    pub fn unit(velocity: usize) -> Self {
        let mut row = Self {
            n_bodies: 1,
            ..Self::default()
        };
        row.span[0] = Span {
            first: velocity,
            len: 1,
        };
        row.value[0][0] = 1.0;
        row
    }

    /// Is it another row times `factor`, to rounding? They have at most [`MAX_BODIES`] bodies together.
    pub fn equals(&self, factor: f64, other: &Self) -> bool {
        let size = |row: &Self| {
            let values = row.parts().flat_map(|(span, values)| &values[..span.len]);
            values.fold(0.0, |m: f64, x| m.at_least(x.abs()))
        };
        let mut difference = *self;
        difference.add_scaled(-factor, other);
        size(&difference) <= SAME_ROW * size(self)
    }

    /// Adds another row times `factor`. The rows have at most [`MAX_BODIES`] bodies together.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        for (span, values) in other.parts() {
            if span.len == 0 {
                continue;
            }
            let known = self.span[..self.n_bodies].iter().position(|s| s == span);
            let place = known.unwrap_or_else(|| {
                self.span[self.n_bodies] = *span;
                self.n_bodies += 1;
                self.n_bodies - 1
            });
            for (x, value) in self.value[place].iter_mut().zip(values) {
                *x += factor * value;
            }
        }
    }

    #[inline(always)]
    fn parts(&self) -> impl Iterator<Item = (&Span, &[f64; MAX_DOF])> {
        self.span[..self.n_bodies].iter().zip(&self.value)
    }

    /// The ranges of its bodies in the vector of velocities.
    pub fn spans(&self) -> &[Span] {
        &self.span[..self.n_bodies]
    }

    /// The gradient of one of its bodies.
    pub fn values(&self, side: usize) -> &[f64; MAX_DOF] {
        &self.value[side]
    }

    /// Scalar product with a vector of velocities.
    #[inline(never)]
    pub fn dot(&self, v: &[f64]) -> f64 {
        self.product(v)
    }

    /// The same, inlined for inner loops.
    #[inline(always)]
    pub fn product(&self, v: &[f64]) -> f64 {
        let mut sum = 0.0;
        // the first two without a count: a body that is not there has no velocities
        for (Span { first, len }, row) in self.span[..2].iter().zip(&self.value[..2]) {
            // common lengths as constants, so that the compiler can unroll
            match len {
                3 => sum = add_products::<3>(sum, row, &v[*first..]),
                6 => sum = add_products::<6>(sum, row, &v[*first..]),
                _ => {
                    for i in 0..*len {
                        sum += row[i] * v[first + i];
                    }
                }
            }
        }
        if self.n_bodies > 2 {
            sum = self.add_products_of_more(sum, v);
        }
        sum
    }

    // the bodies after the second, which only couplings have
    #[inline(never)]
    fn add_products_of_more(&self, mut sum: f64, v: &[f64]) -> f64 {
        for (Span { first, len }, row) in self.parts().skip(2) {
            for i in 0..*len {
                sum += row[i] * v[first + i];
            }
        }
        sum
    }

    /// Adds the row times `factor` to a vector of forces.
    #[inline]
    pub fn add_to(&self, factor: f64, out: &mut [f64]) {
        for (Span { first, len }, row) in self.parts() {
            for (x, r) in out[*first..first + len].iter_mut().zip(row) {
                *x += factor * r;
            }
        }
    }

    /// Adds the row times the inverse mass matrix.
    #[inline]
    pub fn add_divided_to(&self, mass: &[f64], out: &mut [f64]) {
        for (Span { first, len }, row) in self.parts() {
            let (mass, out) = (&mass[*first..first + len], &mut out[*first..first + len]);
            for ((x, r), m) in out.iter_mut().zip(row).zip(mass) {
                *x += r / m;
            }
        }
    }

    /// G M^-1 G^T: velocity change of the constraint per unit of its own impulse.
    pub fn inverse_effective_mass(&self, mass: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (Span { first, len }, row) in self.parts() {
            for i in 0..*len {
                sum += row[i] * row[i] / mass[first + i];
            }
        }
        sum
    }

    /// Is it equal to the column of the same constraint, and so of the same bodies?
    pub fn has_values_of(&self, column: &Self) -> bool {
        let mut equal = true;
        for ((Span { len, .. }, row), other) in self.parts().zip(&column.value) {
            for i in 0..*len {
                equal &= row[i] == other[i];
            }
        }
        equal
    }

    /// Rotates the rotational parts of bodies in space; `turn` gets the index of their first rotational velocity.
    pub fn turn_rotations(&mut self, turn: impl Fn(usize, Vec3) -> Vec3) {
        let spans = &self.span[..self.n_bodies];
        for (Span { first, len }, row) in spans.iter().zip(&mut self.value) {
            if *len == MAX_DOF {
                let turned = turn(first + 3, Vec3::new(row[3], row[4], row[5]));
                row[3..].copy_from_slice(turned.as_slice());
            }
        }
    }

    /// The row of the negative scalar.
    pub fn negated(mut self) -> Self {
        for side in &mut self.value {
            side.iter_mut().for_each(|x| *x = -*x);
        }
        self
    }
}

#[inline(always)]
fn add_products<const N: usize>(mut sum: f64, row: &[f64; MAX_DOF], v: &[f64]) -> f64 {
    let v = &v[..N];
    for i in 0..N {
        sum += row[i] * v[i];
    }
    sum
}
