//! Numerics independent of mechanics: dual numbers, dense factorizations without allocation, bracketed roots. The order
//! of sums and products is fixed and no platform functions are called, so that the same input gives the same bits in
//! every build.

pub mod dense;
pub mod dual;
pub mod groups;
pub mod hull;
pub mod packed;
pub mod quaternion;
pub mod root;

pub use dual::{Dual, Real, atan2};
pub use groups::Groups;
pub use packed::F64x2;
pub use quaternion::Quaternion;

/// A vector in the plane.
pub type Vec2<T = f64> = nalgebra::Vector2<T>;

/// A vector in space.
pub type Vec3<T = f64> = nalgebra::Vector3<T>;

/// A matrix in space.
pub type Mat3<T = f64> = nalgebra::Matrix3<T>;

/// Cross product.
#[inline]
pub fn cross3<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    Vec3::new(
        a.y * b.z - a.z * b.y,
        a.z * b.x - a.x * b.z,
        a.x * b.y - a.y * b.x,
    )
}

/// Scalar product.
#[inline]
pub fn dot3<T: Real>(a: Vec3<T>, b: Vec3<T>) -> T {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// The number if it is positive, otherwise +0.
#[inline]
pub fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// Its square.
pub fn square(x: f64) -> f64 {
    x * x
}

/// The larger of two numbers, the first if they are equal. (For +0 and -0 the result of the library's `max` depends on
/// processor and optimizer.)
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The smaller of two numbers, the first if they are equal.
#[inline]
pub fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// [`larger`] and [`smaller`] as methods.
pub trait Limit {
    /// The number, but at least `bound`.
    fn at_least(self, bound: Self) -> Self;

    /// The number, but at most `bound`.
    fn at_most(self, bound: Self) -> Self;
}

impl Limit for f64 {
    #[inline]
    fn at_least(self, bound: f64) -> f64 {
        larger(self, bound)
    }

    #[inline]
    fn at_most(self, bound: f64) -> f64 {
        smaller(self, bound)
    }
}

/// The coordinate axis with the smallest component of a direction.
pub fn most_across(direction: Vec3) -> Vec3 {
    let mut axis = Vec3::zeros();
    axis[direction.iamin()] = 1.0;
    axis
}

/// Is a symmetric matrix positive definite? By its leading minors.
pub fn is_positive_definite3(m: &Mat3) -> bool {
    let second = m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
    m[(0, 0)] > 0.0 && second > 0.0 && m.determinant() > 0.0
}

/// The vector rotated by 90 degrees, counter-clockwise.
pub fn perp<T: Real>(a: Vec2<T>) -> Vec2<T> {
    Vec2::new(-a.y, a.x)
}

/// `a.x b.y - a.y b.x`.
#[inline]
pub fn cross<T: Real>(a: Vec2<T>, b: Vec2<T>) -> T {
    a.x * b.y - a.y * b.x
}

/// Scalar product.
#[inline]
pub fn dot<T: Real>(a: Vec2<T>, b: Vec2<T>) -> T {
    a.x * b.x + a.y * b.y
}

/// Euclidean length.
#[inline]
pub fn length<T: Real>(a: Vec2<T>) -> T {
    dot(a, a).sqrt()
}

/// Euclidean norm of a list of components.
#[inline]
pub fn norm(components: &[f64]) -> f64 {
    components.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Largest absolute entry, 0 for an empty slice.
#[inline]
pub fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| m.at_least(x.abs()))
}

/// Sets a list to `n` zeros. Does not allocate if the capacity suffices.
#[inline]
pub fn set_zeros(list: &mut Vec<f64>, n: usize) {
    if list.len() == n {
        list.fill(0.0);
    } else {
        list.clear();
        make_room(list, n);
        list.resize(n, 0.0);
    }
}

/// Panic payload when memory is exhausted; it is caught at the FMI boundary.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

/// Reserves capacity for `n` numbers; panics with [`OutOfMemory`] on failure.
#[inline]
fn make_room(list: &mut Vec<f64>, n: usize) {
    if list.capacity() < n && list.try_reserve_exact(n - list.len()).is_err() {
        std::panic::panic_any(OutOfMemory);
    }
}
