//! Detects motors of prescribed speed that contradict the joints, or each other, at the start.
//!
//! (1)  rows g_i of joints and motors with rates b_i: zero for joints, the speed for motors
//! (2)  Gram-Schmidt: g' = g - sum (g . e) e,  b' = b - sum (g . e) c  over the known directions e with rates c
//! (3)  a row with g' = 0 is dependent; it contradicts the others if b' is not zero

use super::{Model, Poses};
use crate::constraint::GlobalRow;
use crate::kinds::plane::force::{Input, Side};
use crate::math::norm;
use crate::scene::error::Problem;
use crate::scene::spec::space::Space;

/// A row with a smaller remainder is dependent: rounding leaves 1e-15, and a mechanism this close to a dead point cannot be driven through
/// it.
const FOLLOWS: f64 = 1e-9;

/// Speeds may differ by this much, rad/s or m/s, and by as much relative to the speed: rounded digits in the scene.
const WRITTEN_DIGITS: f64 = 1e-6;

/// A direction whose rate is known.
struct Known {
    direction: Vec<f64>,
    rate: f64,
}

pub(super) fn reject_contradictions(scene: &Space, model: &Model, problems: &mut Vec<Problem>) {
    if model.motors.is_empty() {
        return;
    }
    let mut poses = Poses::new(model);
    model.poses(&model.initial_position, &mut poses);
    let mut known: Vec<Known> = Vec::new();
    let mut add = |row: GlobalRow, wanted: f64| {
        let mut g = vec![0.0; model.n_velocities];
        row.add_to(1.0, &mut g);
        let size = norm(&g);
        let mut rate = wanted;
        // a second time against rounding
        for _ in 0..2 {
            for Known {
                direction,
                rate: of_direction,
            } in &known
            {
                let along: f64 = g.iter().zip(direction).map(|(g, e)| g * e).sum(); // (2)
                rate -= along * of_direction;
                for (g, e) in g.iter_mut().zip(direction) {
                    *g -= along * e;
                }
            }
        }
        let left = norm(&g);
        if left <= FOLLOWS * size {
            return Some(wanted - rate); // (3)
        }
        known.push(Known {
            direction: g.iter().map(|g| g / left).collect(),
            rate: rate / left,
        });
        None
    };
    for link in &model.joints {
        model.joint_rows(link, &poses, |row, _| {
            add(row, 0.0); // (1)
        });
    }
    let inputs = model.inputs.iter().map(|i| Input::held(0.0, i.start));
    let inputs: Vec<Input> = inputs.collect();
    for motor in &model.motors {
        let speed = motor.speed.value(0.0, Side::After, &inputs);
        let Some(implied) = add(model.motor_row(motor, &poses), speed) else {
            continue;
        };
        if (speed - implied).abs() > WRITTEN_DIGITS * (1.0 + speed.abs()) {
            let written = &scene.joints[motor.joint];
            problems.push(Problem {
                place: written.place.clone(),
                key: format!("joint[{}].motor", written.name),
                message: format!(
                    "the motor has the speed {speed}, but the other joints and motors only allow {implied:.6}"
                ),
                hint: "remove one of the motors or joints that act on the same coordinate, or use a torque or force".to_owned(),
            });
        }
    }
}
