//! Closest points and signed distance of two shapes, in the plane (`V` a [`Vec2`](crate::math::Vec2)) and in space.

/// Closest points of two shapes. The normal points from body a to body b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<T, V, R> {
    /// m; negative when they overlap, infinite where another feature handles this location.
    pub gap: T,
    /// Unit vector from a to b.
    pub normal: V,
    /// Contact point on a, from its centre of mass, world axes, m.
    pub arm_a: V,
    /// Contact point on b, from its centre of mass, world axes, m.
    pub arm_b: V,
    /// Distance along the normal, m. Beyond the boundary of a sharp face or edge it continues along the plane of the face or
    /// the line of the edge.
    pub offset: T,
    /// Distance of the contact from the boundary of its face or the end of its edge, m; negative beyond it, infinite if
    /// there is none.
    pub margin: f64,
    /// Gradient of the gap, if it differs from the normal row.
    pub corner: Option<R>,
}

/// Signed distance of two shapes along their best separating axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation<R> {
    /// m; positive if they are disjoint, minus the penetration depth if they overlap.
    pub gap: f64,
    /// Gradient of the gap.
    pub row: R,
}
