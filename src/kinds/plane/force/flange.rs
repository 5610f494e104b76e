//! A force that another model exerts along a joint coordinate, or along a fixed direction at a point of the second body.
//!
//! (1)  y = axis . (p + R r),   g = (axis, cross(R r, axis))        at a point
//! (2)  force = given, or stiffness (x(t) - y) + damping (u(t) - y')      x, u: position and velocity of the partner
//! (3)  x(t) = x + int u dt while x has no derivatives: the position moves on with the velocity
//! (4)  the part -damping y' dissipates, the rest is applied
//! (5)  d/dangle cross(R r, axis) = -(R r).axis

use super::along::{bend, coordinate};
use super::servo::Effort;
use super::{
    Along, Bending, Coordinate, Detail, Effect, ForceKind, Input, PairVector, Situation, flat,
    power,
};
use crate::kinds::force::{Number, Tunable};
use crate::math::{Limit, Vec2, cross, dot};

/// A flange.
#[derive(Clone, Debug, PartialEq)]
pub struct Flange {
    /// Where its partner is attached.
    pub at: Hold<Vec2>,
    /// Its force.
    pub law: FlangeLaw,
}

/// Where the partner is attached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold<V> {
    /// At a coordinate of the joint, by index.
    Joint(usize),
    /// At a point of the second body, along a direction of the world.
    Point {
        /// In body coordinates, m.
        point: V,
        /// Unit vector.
        axis: V,
    },
}

impl Hold<Vec2> {
    /// Its coordinate.
    pub fn coordinate(&self, at: &Situation) -> Option<Coordinate> {
        let (value, gradient) = match *self {
            Self::Joint(_) => {
                let (value, row) = coordinate(at)?;
                (value, flat(&row))
            }
            Self::Point { point, axis } => {
                let arm = at.pose[1].turn(point);
                let value = dot(axis, at.pose[1].position + arm); // (1)
                (value, [0.0, 0.0, 0.0, axis.x, axis.y, cross(arm, axis)])
            }
        };
        Some(Coordinate {
            value,
            rate: power(&gradient, at),
            gradient,
        })
    }
}

/// Force of a flange, by inputs of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlangeLaw {
    /// The force, N or N m.
    Force(usize),
    /// A spring and a damper to the partner.
    Spring {
        /// N/m or N m/rad.
        stiffness: f64,
        /// N s/m or N m s/rad.
        damping: f64,
        /// Position of the partner, m or rad.
        position: usize,
        /// Its velocity, m/s or rad/s.
        velocity: usize,
    },
}

impl FlangeLaw {
    /// (2) and (4) for the coordinate and its rate.
    pub fn effort(&self, [value, rate]: [f64; 2], time: f64, inputs: &[Input]) -> Effort {
        match *self {
            Self::Force(force) => Effort {
                held: inputs[force].value(time),
                ..Effort::default()
            },
            Self::Spring {
                stiffness,
                damping,
                position,
                velocity,
            } => {
                let velocity = &inputs[velocity];
                let stretch = moving_on(&inputs[position], velocity, time) - value;
                Effort {
                    held: stiffness * stretch + damping * velocity.value(time),
                    fading: -damping * rate,
                    by_value: -stiffness,
                    by_rate: -damping,
                }
            }
        }
    }

    /// Does it dissipate energy?
    pub fn dissipates(&self) -> bool {
        match self {
            Self::Force(_) => false,
            Self::Spring { damping, .. } => *damping != 0.0,
        }
    }
}

impl Tunable for FlangeLaw {
    fn numbers(&self) -> &'static [Number] {
        match self {
            Self::Force(_) => &[],
            Self::Spring { .. } => &[Number::STIFFNESS, Number::DAMPING],
        }
    }

    fn number(&self, index: usize) -> Option<f64> {
        match self {
            Self::Force(_) => None,
            Self::Spring {
                stiffness, damping, ..
            } => [stiffness, damping].get(index).map(|x| **x),
        }
    }

    fn number_mut(&mut self, index: usize) -> Option<&mut f64> {
        match self {
            Self::Force(_) => None,
            Self::Spring {
                stiffness, damping, ..
            } => [stiffness, damping].into_iter().nth(index),
        }
    }
}

// (3)
fn moving_on(position: &Input, velocity: &Input, time: f64) -> f64 {
    if !position.is_held() {
        return position.value(time);
    }
    let from = position.since.at_least(velocity.since);
    position.value(time) + velocity.integral(from, time)
}

impl Flange {
    fn effort_at(&self, at: &Situation) -> Option<(Effort, Coordinate)> {
        let now = self.at.coordinate(at)?;
        let effort = self.law.effort([now.value, now.rate], at.time, at.inputs);
        Some((effort, now))
    }

    fn bending(&self, at: &Situation, g: &PairVector, effort: &Effort) -> Option<Bending> {
        match self.at {
            Hold::Joint(_) => bend(at, g, [effort.held, effort.fading, effort.by_rate]),
            Hold::Point { point, axis } => {
                let mut bending = Bending::default();
                let change = -dot(at.pose[1].turn(point), axis); // (5)
                let turning = change * at.twist[1].angular;
                bending.rest[5][5] = effort.held * change;
                bending.damper[5][5] = effort.fading * change;
                for (row, g) in bending.damper.iter_mut().zip(g) {
                    row[5] += effort.by_rate * g * turning;
                }
                Some(bending)
            }
        }
    }
}

impl Tunable for Flange {
    fn numbers(&self) -> &'static [Number] {
        self.law.numbers()
    }

    fn number(&self, index: usize) -> Option<f64> {
        self.law.number(index)
    }

    fn number_mut(&mut self, index: usize) -> Option<&mut f64> {
        self.law.number_mut(index)
    }
}

impl ForceKind for Flange {
    fn effect(&self, at: &Situation, detail: Detail) -> Effect {
        let mut effect = Effect::default();
        let Some((effort, now)) = self.effort_at(at) else {
            return effect;
        };
        let g = now.gradient;
        effect.push_along(&g, effort.held + effort.fading);
        effect.damp_along(&g, effort.fading);
        if effort.by_value != 0.0 || effort.by_rate != 0.0 {
            effect.along[0] = Some(Along {
                gradient: g,
                by_position: effort.by_value,
                by_velocity: effort.by_rate,
            });
        }
        if detail == Detail::All {
            effect.bending = self.bending(at, &g, &effort);
        }
        effect
    }

    fn dissipates(&self) -> bool {
        self.law.dissipates()
    }

    fn lost_power(&self, at: &Situation) -> f64 {
        self.effort_at(at)
            .map_or(0.0, |(effort, now)| -effort.fading * now.rate)
    }

    fn is_given(&self) -> bool {
        true
    }

    fn applied_power(&self, at: &Situation) -> f64 {
        self.effort_at(at)
            .map_or(0.0, |(effort, now)| effort.held * now.rate)
    }

    fn coordinate_force(&self, at: &Situation) -> f64 {
        self.effort_at(at).map_or(0.0, |(effort, _)| effort.total())
    }

    fn driven_coordinate(&self, at: &Situation) -> Option<Coordinate> {
        self.at.coordinate(at)
    }
}
