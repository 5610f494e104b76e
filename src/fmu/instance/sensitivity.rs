//! Derivatives at a communication point: of outputs by time, and of outputs by inputs.
//!
//! (1)  positions and velocities: their rates are the velocities and accelerations of the state, right after an event
//! (2)  other quantities: the difference of their values at the state and at the state moved on by a very short time
//!      with its accelerations, statuses frozen
//! (3)  by inputs, statuses frozen: accelerations and forces are linear in applied forces, so the difference of two
//!      solves is exact but for rounding. Where constraints depend on each other their forces are linear piece by
//!      piece, so the inputs are moved by little

use super::lifecycle::{Call, Phase};
use super::variable::{Causality, Role, Value};
use super::{FmiError, Instance, error};
use crate::integrate;
use crate::math::{Limit, max_abs};
use crate::model::InputUnit;
use crate::scene::spec::ReportedVelocity;
use crate::state::State;

/// The short time of (2), as a fraction of the standard step, or of the next one by tolerance if that is shorter.
const AHEAD: f64 = 1e-4;

/// Inputs of (3) are moved by this fraction of the forces that are there.
const NUDGE: f64 = 1e-5;

impl Instance {
    /// Derivative of an output by time; orders above 1 are not known.
    pub fn output_derivative(&mut self, reference: u32, order: i32) -> Result<f64, FmiError> {
        self.admit(Call::GetOutputDerivatives)?;
        let variable = self.variable(reference)?;
        let (role, name) = (variable.role, &variable.name);
        if variable.causality != Causality::Output {
            return error(format!("`{name}` is not an output"));
        }
        if order != 1 {
            return error(format!(
                "only first derivatives are known, not order {order} of `{name}`"
            ));
        }
        Ok(match role {
            Role::Position(i) => self.velocity()[i],
            Role::Velocity(i) => match self.settings.reported_velocity {
                ReportedVelocity::End => self.acceleration()[i],
                ReportedVelocity::Average => 0.0,
            },
            Role::Gap(_)
            | Role::Penetration(_)
            | Role::Acceleration(_)
            | Role::NormalForce(_)
            | Role::FrictionForce(_)
            | Role::JointForce(_)
            | Role::ElementForce(_)
            | Role::KineticEnergy
            | Role::PotentialEnergy => self.rate(role),
            Role::Space(output) => {
                let name = name.clone();
                self.space_rate(output, &name)?
            }
            Role::DissipatedEnergy => self.dissipation_rate(),
            Role::NormalImpulse(_)
            | Role::FrictionImpulse(_)
            | Role::Status(_)
            | Role::BalanceError
            | Role::EventCount
            | Role::LastEventTime
            | Role::LastEventKind
            | Role::WorstResidual
            | Role::TimeStepping(_)
            | Role::Input(_)
            | Role::Parameter(_) => 0.0,
        })
    }

    pub(super) fn real(&mut self, role: Role) -> f64 {
        match self.value(role) {
            Value::Real(x) => x,
            Value::Integer(_) | Value::Boolean(_) => 0.0,
        }
    }

    // (2)
    pub(super) fn rate(&mut self, role: Role) -> f64 {
        let here = self.state.clone();
        let ahead = AHEAD * self.step_ahead();
        self.refresh_forces();
        let mut mean = self.velocity().to_vec();
        self.state.velocity.clone_from(&mean);
        let before = self.real(role);
        let acceleration = match self.model.time_stepping {
            Some(_) => self.acceleration().to_vec(),
            None => here.acceleration.clone(),
        };
        self.state.time += ahead;
        for (i, a) in acceleration.iter().enumerate() {
            mean[i] += 0.5 * ahead * a;
            self.state.velocity[i] += ahead * a;
        }
        let State {
            position,
            orientation,
            joint_angle,
            ..
        } = &mut self.state;
        self.model.advance(position, ahead, &mean);
        self.poses.refer_to(orientation, joint_angle);
        self.model
            .rebase(position, orientation, joint_angle, &mut self.poses);
        self.refresh_forces();
        let after = self.real(role);
        self.state = here;
        self.is_instant_known = false;
        (after - before) / ahead
    }

    fn step_ahead(&self) -> f64 {
        let (standard, next) = (self.settings.step, self.state.control.step);
        if self.settings.tolerance.is_some() && next > 0.0 {
            standard.at_most(next)
        } else {
            standard
        }
    }

    fn dissipation_rate(&mut self) -> f64 {
        let mut lost = if self.model.time_stepping.is_some() {
            self.find_instant();
            self.instant.friction_power
        } else {
            integrate::friction_power(&self.model, &self.state, &mut self.workspace)
        };
        self.place();
        let (time, inputs) = (
            (self.state.time, crate::kinds::plane::force::Side::After),
            &self.state.inputs,
        );
        lost += crate::dynamics::power(&self.model, time, inputs, &self.poses, &self.twists).1;
        lost
    }

    // accelerations and forces of the state as it is, statuses frozen
    pub(super) fn refresh_forces(&mut self) {
        self.is_instant_known = false;
        integrate::refresh_forces(
            &self.model,
            &mut self.state,
            &mut self.workspace,
            &self.settings,
        );
    }

    /// Directional derivatives of outputs by inputs: `result = (d unknown / d known) seed`.
    pub fn directional_derivative(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), FmiError> {
        self.admit(Call::DirectionalDerivative)?;
        self.settle()?;
        let mut inputs = Vec::with_capacity(knowns.len());
        for reference in knowns {
            let variable = self.variable(*reference)?;
            match variable.role {
                Role::Input(i) if self.jumps_with(i) => {
                    return error(format!(
                        "velocities follow `{}` at once during the initialization: derivatives by it are known after that",
                        variable.name
                    ));
                }
                Role::Input(i) => inputs.push(i),
                _ => return error(format!("`{}` is not an input", variable.name)),
            }
        }
        let mut roles = Vec::with_capacity(unknowns.len());
        for reference in unknowns {
            let variable = self.variable(*reference)?;
            match variable.causality {
                Causality::Output => roles.push(variable.role),
                Causality::Input | Causality::Parameter => {
                    return error(format!("`{}` is not an output", variable.name));
                }
            }
        }
        let here = self.state.clone();
        self.refresh_forces();
        let before: Vec<f64> = roles.iter().map(|role| self.real(*role)).collect();
        let largest = max_abs(seed);
        let nudge = if largest > 0.0 {
            NUDGE * self.force_scale() / largest
        } else {
            1.0
        };
        for (input, seed) in inputs.iter().zip(seed) {
            self.state.inputs[*input].derivatives[0] += nudge * seed;
        }
        self.refresh_forces();
        for (i, role) in roles.iter().enumerate() {
            let depends = match role {
                Role::Space(output) => output.follows_inputs(),
                role => matches!(
                    role,
                    Role::Acceleration(_)
                        | Role::NormalForce(_)
                        | Role::FrictionForce(_)
                        | Role::JointForce(_)
                ),
            };
            result[i] = if depends {
                (self.real(*role) - before[i]) / nudge
            } else {
                0.0
            };
        }
        self.state = here;
        self.is_instant_known = false;
        Ok(())
    }

    // the speed of a motor makes velocities jump, but only before the first step is their state asked for right after
    fn jumps_with(&self, input: usize) -> bool {
        let is_speed = match self.model.inputs[input].unit {
            InputUnit::MeterPerSecond | InputUnit::RadianPerSecond => true,
            InputUnit::Newton | InputUnit::NewtonMeter => false,
        };
        is_speed && self.phase == Phase::Initialization
    }

    // the largest force that acts, or 1 where none does
    fn force_scale(&mut self) -> f64 {
        let mut scale = max_abs(self.joint_force());
        for force in self.contact_force() {
            scale = scale.at_least(max_abs(force));
        }
        let accelerations = self.acceleration().to_vec();
        for (mass, acceleration) in self.model.mass.iter().zip(&accelerations) {
            scale = scale.at_least((mass * acceleration).abs());
        }
        if scale > 0.0 && scale.is_finite() {
            scale
        } else {
            1.0
        }
    }
}
