//! The motion of a body of kind `"driven"`: its usual keys take signals. An acceleration is integrated from velocity and position at the start,
//! a velocity from the position at the start; without either the position itself is prescribed.

use super::signal;
use crate::kinds::plane::force::{Input, Side, Signal as Value};
use crate::scene::range::Range;
use crate::scene::read::Table;
use crate::scene::spec::{BodyMotion, Prescribed, Signal};
use crate::scene::value::Vector;

/// A prescribed motion, and its values at the start.
pub struct Path<P> {
    /// m or rad.
    pub position: P,
    /// m/s or rad/s.
    pub velocity: P,
    /// The signals.
    pub motion: Prescribed,
}

/// The translation.
pub fn linear<const N: usize>(t: &mut Table<'_>) -> Path<[f64; N]>
where
    [f64; N]: Vector,
{
    let zeros = || vec![Signal::Constant(0.0); N];
    if let Some(acceleration) = t.get("acceleration") {
        let position = t.need_vector("position").unwrap_or([0.0; N]);
        let velocity = t.vector_or("velocity", [0.0; N]);
        let signals = signal::read_all(&acceleration, N).unwrap_or_else(zeros);
        return Path {
            position,
            velocity,
            motion: Prescribed::Acceleration {
                signals,
                start: velocity.to_vec(),
            },
        };
    }
    if let Some(velocity) = t.get("velocity") {
        let position = t.need_vector("position").unwrap_or([0.0; N]);
        let signals = signal::read_all(&velocity, N).unwrap_or_else(zeros);
        return Path {
            position,
            velocity: at_start(&signals, Value::value),
            motion: Prescribed::Velocity(signals),
        };
    }
    let position = t.need("position");
    let signals = position.and_then(|value| signal::read_all(&value, N));
    let signals = signals.unwrap_or_else(zeros);
    Path {
        position: at_start(&signals, Value::value),
        velocity: at_start(&signals, Value::rate),
        motion: Prescribed::Position(signals),
    }
}

/// The rotation: an angle.
pub fn angular(t: &mut Table<'_>) -> Path<f64> {
    let signal = |value| signal::read(&value).unwrap_or(Signal::Constant(0.0));
    if let Some(acceleration) = t.get("angular_acceleration") {
        let velocity = t.get("angular_velocity").and_then(|v| v.number(Range::ANY));
        let velocity = velocity.unwrap_or(0.0);
        return Path {
            position: t.number_or("angle", Range::ANY, 0.0),
            velocity,
            motion: Prescribed::Acceleration {
                signals: vec![signal(acceleration)],
                start: vec![velocity],
            },
        };
    }
    if let Some(velocity) = t.get("angular_velocity") {
        let signals = vec![signal(velocity)];
        let [velocity] = at_start(&signals, Value::value);
        return Path {
            position: t.number_or("angle", Range::ANY, 0.0),
            velocity,
            motion: Prescribed::Velocity(signals),
        };
    }
    let signals = vec![t.get("angle").map_or(Signal::Constant(0.0), signal)];
    let [position] = at_start(&signals, Value::value);
    let [velocity] = at_start(&signals, Value::rate);
    Path {
        position,
        velocity,
        motion: Prescribed::Position(signals),
    }
}

/// The whole motion of a body.
pub fn motion<P>(linear: &Path<P>, angular: &Path<f64>, axis: Option<[f64; 3]>) -> BodyMotion {
    BodyMotion {
        linear: linear.motion.clone(),
        angular: angular.motion.clone(),
        axis,
    }
}

fn at_start<const N: usize>(
    signals: &[Signal],
    part: impl Fn(&Value, f64, Side, &[Input]) -> f64,
) -> [f64; N] {
    std::array::from_fn(|i| {
        let signal = Value::Given(signals[i].clone());
        part(&signal, 0.0, Side::After, &[])
    })
}
