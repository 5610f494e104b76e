//! Texts that scenes of several tests begin with: literals, for `concat!`.
#![allow(unused_imports, unused_macros)] // each program uses its own part

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
