//! Texts that scenes of several tests begin with: literals, for `concat!`.
#![allow(dead_code, unused_imports, unused_macros)] // each program uses its own part

/// Two shafts, 0.5 and 1.25 kg m², without gravity: the engine turns, the load rests.
macro_rules! engine_and_load {
    () => {
        r#"
gravity = [0, 0]
[[body]]
name = "engine"
kind = "rigid"
mass = 1
inertia = 0.5
position = [0, 0]
angular_velocity = 40
[[body]]
name = "load"
kind = "rigid"
mass = 1
inertia = 1.25
position = [1, 0]
"#
    };
}

pub(crate) use engine_and_load;

/// A rod in space on a pivot with friction at the origin, at an angle from hanging in the plane of x and y.
pub fn rod_on_a_pivot(theta: f64, mass: f64, inertia: f64, length: f64, friction: &str) -> String {
    let (x, y) = (length * theta.sin(), -length * theta.cos());
    format!(
        r#"
        [[body]]
        name = "rod"
        kind = "rigid"
        mass = {mass:?}
        inertia = [0.05, 0.07, {inertia:?}]
        position = [{x:?}, {y:?}, 0]
        rotation_vector = [0, 0, {theta:?}]
        [[joint]]
        name = "pivot"
        kind = "revolute"
        bodies = ["ground", "rod"]
        anchors = [[0, 0, 0], [0, {length:?}, 0]]
        axes = [[0, 0, 1], [0, 0, 1]]
        friction = {friction}
        "#
    )
}
