//! PD servo at a coordinate of a joint, with a limit of its torque or force.
//!
//! (1)  wanted = kp (position(t) - y) + kd (velocity(t) - y'),   y = the coordinate
//! (2)  effort = wanted inside the limits, else the limit: the branch, which is kept between two events
//! (3)  the part -kd y' dissipates, the rest is applied

use super::along::{bend, coordinate};
use super::{Along, Coordinate, Detail, Effect, ForceKind, Input, Side, Signal, Situation, flat};
use crate::kinds::force::tunable;

/// PD servo.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// N m/rad or N/m.
    pub kp: f64,
    /// N m s/rad or N s/m.
    pub kd: f64,
    /// rad or m.
    pub position: Signal,
    /// rad/s or m/s; the rate of the position if absent.
    pub velocity: Option<Signal>,
    /// N m or N; may be infinite.
    pub limit: f64,
    /// Where its branch is in the list of inputs of a state: see [`crate::state::State::inputs`].
    pub branch: usize,
}

/// Which side of its limits a servo is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// At the lower limit.
    Lower,
    /// Inside the limits.
    Inside,
    /// At the upper limit.
    Upper,
}

impl Branch {
    /// As a number: -1, 0 or 1.
    pub fn number(self) -> f64 {
        match self {
            Self::Lower => -1.0,
            Self::Inside => 0.0,
            Self::Upper => 1.0,
        }
    }

    fn from_number(number: f64) -> Self {
        if number < 0.0 {
            Self::Lower
        } else if number > 0.0 {
            Self::Upper
        } else {
            Self::Inside
        }
    }
}

/// Effort of a servo or flange and its derivatives along the coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Persistent part: of springs and signals, N or N m.
    pub held: f64,
    /// Part that vanishes with the motion, N or N m.
    pub fading: f64,
    /// Derivative with respect to the coordinate, not positive.
    pub by_value: f64,
    /// Derivative with respect to its rate.
    pub by_rate: f64,
}

impl Effort {
    /// The whole effort.
    pub fn total(&self) -> f64 {
        self.held + self.fading
    }
}

impl Servo {
    /// (1)
    pub fn wanted(
        &self,
        [value, rate]: [f64; 2],
        (time, side): (f64, Side),
        inputs: &[Input],
    ) -> f64 {
        self.target(value, (time, side), inputs) - self.kd * rate
    }

    fn target(&self, value: f64, (time, side): (f64, Side), inputs: &[Input]) -> f64 {
        let position = self.position.value(time, side, inputs);
        let velocity = match &self.velocity {
            Some(velocity) => velocity.value(time, side, inputs),
            None => self.position.rate(time, side, inputs),
        };
        self.kp * (position - value) + self.kd * velocity
    }

    /// Its branch.
    pub fn branch(&self, inputs: &[Input]) -> Branch {
        let number = inputs.get(self.branch).map_or(0.0, |i| i.derivatives[0]);
        Branch::from_number(number)
    }

    /// The branch of a wanted effort.
    pub fn branch_of(&self, wanted: f64) -> Branch {
        if wanted > self.limit {
            Branch::Upper
        } else if wanted < -self.limit {
            Branch::Lower
        } else {
            Branch::Inside
        }
    }

    // (2), (3)
    pub(in crate::kinds) fn effort(
        &self,
        [value, rate]: [f64; 2],
        time: (f64, Side),
        inputs: &[Input],
    ) -> Effort {
        match self.branch(inputs) {
            Branch::Inside => Effort {
                held: self.target(value, time, inputs),
                fading: -self.kd * rate,
                by_value: -self.kp,
                by_rate: -self.kd,
            },
            limited @ (Branch::Lower | Branch::Upper) => Effort {
                held: limited.number() * self.limit,
                fading: 0.0,
                by_value: 0.0,
                by_rate: 0.0,
            },
        }
    }

    /// Signals that it follows.
    pub(in crate::kinds) fn followed(&self) -> [&[Signal]; 2] {
        [
            std::slice::from_ref(&self.position),
            self.velocity.as_slice(),
        ]
    }

    fn effort_at(&self, at: &Situation) -> Option<(Effort, f64)> {
        let Coordinate { value, rate, .. } = self.driven_coordinate(at)?;
        let effort = self.effort([value, rate], (at.time, at.side), at.inputs);
        Some((effort, rate))
    }
}

tunable! { Servo { kp: KP, kd: KD, limit: LIMIT } }

impl ForceKind for Servo {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let mut effect = Effect::default();
        let (Some((_, row)), Some((effort, _))) = (coordinate(at), self.effort_at(at)) else {
            return effect;
        };
        let g = flat(&row);
        effect.push_along(&g, effort.held + effort.fading);
        effect.damp_along(&g, effort.fading);
        effect.along[0] = Some(Along {
            gradient: g,
            by_position: effort.by_value,
            by_velocity: effort.by_rate,
        });
        if detail == Detail::All {
            effect.bending = bend(at, &g, [effort.held, effort.fading, effort.by_rate]);
        }
        effect
    }

    fn dissipates(&self) -> bool {
        self.kd != 0.0
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.effort_at(at)
            .map_or(0.0, |(effort, rate)| -effort.fading * rate)
    }

    fn is_given(&self) -> bool {
        true
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.effort_at(at)
            .map_or(0.0, |(effort, rate)| effort.held * rate)
    }

    fn signals(&self) -> [&[Signal]; 2] {
        self.followed()
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.effort_at(at).map_or(0.0, |(effort, _)| effort.total())
    }

    fn driven_coordinate(&self, at: &Situation) -> Option<Coordinate> {
        let (value, row) = coordinate(at)?;
        Some(Coordinate {
            value,
            rate: row.rate(at.twist[0], at.twist[1]),
            gradient: flat(&row),
        })
    }
}
