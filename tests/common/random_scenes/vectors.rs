//! The few vectors that scenes are drawn and measured with.

/// A vector of the world; scenes in the plane leave its third component zero, and turn about it.
pub type Vector = [f64; 3];

pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn scaled(a: Vector, factor: f64) -> Vector {
    a.map(|x| x * factor)
}

pub fn minus(a: Vector, b: Vector) -> Vector {
    add(a, scaled(b, -1.0))
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// `a` turned by a rotation vector (Rodrigues' formula).
pub fn turned(a: Vector, by: Vector) -> Vector {
    let angle = norm(by);
    if angle == 0.0 {
        return a;
    }
    let axis = scaled(by, 1.0 / angle);
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let along = scaled(axis, dot(axis, a) * (1.0 - cosine));
    add(add(scaled(a, cosine), scaled(cross(axis, a), sine)), along)
}
